"""``Game``: one game as an object, with its tags, moves and notes; what the rules say about its end; its PGN."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Iterable, Mapping
from operator import index
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, SupportsIndex

from setwise.errors import IllegalMove, InvalidGame, InvalidMove, shortened
from setwise.notation.pgn.annotations import NO_EVALUATION, Notes, notes_in_comments
from setwise.notation.pgn.comments import clean_comment
from setwise.notation.pgn.export import TAG_NAME, movetext, pgn_text, tags_in_order
from setwise.notation.pgn.tags import KNOWN_VARIANTS
from setwise.notation.pgn.tokens import RESULTS
from setwise.position.move import Move
from setwise.position.position import AnyMove, Position
from setwise.rules.ends import Outcome, Termination

if TYPE_CHECKING:
    from typing import Self

    import chess

__all__ = ["Game"]

#: How the values of ``Variant`` begin, in small letters, that mean Chess960.
CHESS960_VARIANTS = ("chess960", "chess 960", "fischer", "freestyle")
#: How the values of ``Variant`` begin that the reader knows.
_VARIANTS = tuple(bytes(name).decode() for name in KNOWN_VARIANTS)
_NAGS = range(1, 256)
#: Surrogates, which no encoding writes.
_HALF_LETTER = re.compile(r"[\ud800-\udfff]")


class Game:
    """A game: tags, the moves from a position on, the result, and what has been noted beside the moves.

    Games do not change: ``play`` gives a longer one, ``replace`` one with other tags or notes. Plies count the moves
    from 1; ply 0 is the position before the first. ``Games``, the columns that ``read_pgn`` yields, gives its games one
    by one as ``games[0]`` or in a loop.

    Args:
        tags: the tags by their names. Missing ones of the Seven Tag Roster are filled in with ``?``, and ``SetUp``,
            ``FEN`` and ``Variant`` as the position asks for.
        moves: the moves, each a ``Move``, a text in SAN or UCI, or a move of python-chess.
        position: where the game starts; by default what the tags ``FEN`` and ``Variant`` say, or the usual position.
        result: ``1-0``, ``0-1``, ``1/2-1/2`` or ``*``; by default what the tag ``Result`` says, or else the board.
        comments: texts by the ply that they stand behind. Closing braces and outer blanks, which PGN cannot keep, go.
        nags: Numeric Annotation Glyphs by ply, numbers from 1 to 255.

    Raises:
        IllegalMove, AmbiguousMove, InvalidMove: for the first move that cannot be played, with its ply and number.
        InvalidFen: when the tag ``FEN`` is to give the position, and is none.
        InvalidGame: for tags, results, comments or NAGs that cannot stand in a PGN.
        TypeError: for tags and comments that are no texts, and NAGs that are no numbers.

    Example:
        >>> from setwise import Game
        >>> game = Game({"White": "Fool", "Black": "Scholar"}, ["f3", "e5", "g4", "Qh4#"], comments={3: "why?"})
        >>> game.outcome()
        Outcome(termination=<Termination.CHECKMATE: 'checkmate'>, winner='black')
        >>> print(game)
        [Event "?"]
        [Site "?"]
        [Date "????.??.??"]
        [Round "?"]
        [White "Fool"]
        [Black "Scholar"]
        [Result "0-1"]
        <BLANKLINE>
        1. f3 e5 2. g4 { why? } 2... Qh4# 0-1
        >>> game.replace(moves=game.moves[:3]).play("Qg5").sans()
        ['f3', 'e5', 'g4', 'Qg5']

    Traps:
        Variations are not kept: a game is its main line.
    """

    __slots__ = ("_comments", "_moves", "_nags", "_position", "_positions", "_tags")

    _tags: dict[str, str]
    _moves: tuple[Move, ...]
    _position: Position
    _comments: dict[int, str]
    _nags: dict[int, tuple[int, ...]]
    _positions: tuple[Position, ...] | None

    def __new__(
        cls,
        tags: Mapping[str, str | int] = MappingProxyType({}),
        moves: Iterable[AnyMove] = (),
        position: Position | None = None,
        result: str | None = None,
        *,
        comments: Mapping[int, str] = MappingProxyType({}),
        nags: Mapping[int, SupportsIndex | Iterable[SupportsIndex]] = MappingProxyType({}),
    ) -> Self:
        """Make a game by hand."""
        checked = {name: _checked_tag(name, value) for name, value in tags.items()}
        start = _start(checked) if position is None else position
        played, positions = _played(start, moves)
        if result is None and checked.get("Result", "*") == "*":
            result = _ending(positions)
        game = cls._of(
            checked | _setup(checked, start),
            played,
            start,
            checked["Result"] if result is None else result,
            {ply: _comment(text) for ply, text in sorted(comments.items())},
            {ply: _glyphs(found) for ply, found in sorted(nags.items())},
        )
        _check_notes(game)
        game._positions = positions
        return game

    @classmethod
    def _of(
        cls,
        tags: dict[str, str],
        moves: tuple[Move, ...],
        position: Position,
        result: str,
        comments: dict[int, str],
        nags: dict[int, tuple[int, ...]],
    ) -> Self:
        """A game of parts that are right; only the tags are brought in order, and what says nothing is left out."""
        game = object.__new__(cls)
        game._tags = tags_in_order({**tags, "Result": result})
        game._moves, game._position, game._positions = moves, position, None
        game._comments = {ply: text for ply, text in comments.items() if text}
        game._nags = {ply: found for ply, found in nags.items() if found}
        return game

    # ------------------------------------------------------------------------------------------------------- fields

    @property
    def tags(self) -> Mapping[str, str]:
        """The tags: the Seven Tag Roster, then the others in the order of their names."""
        return MappingProxyType(self._tags)

    @property
    def moves(self) -> tuple[Move, ...]:
        """The moves."""
        return self._moves

    @property
    def position(self) -> Position:
        """The position that the game starts from."""
        return self._position

    @property
    def result(self) -> str:
        """``1-0``, ``0-1``, ``1/2-1/2``, or ``*`` for a game that goes on or whose end is unknown."""
        return self._tags["Result"]

    @property
    def comments(self) -> Mapping[int, str]:
        """The comments by the ply they stand behind; ply 0 is before the first move."""
        return MappingProxyType(self._comments)

    @property
    def nags(self) -> Mapping[int, tuple[int, ...]]:
        """The Numeric Annotation Glyphs by ply, such as 1 for a good move, 2 for a mistake, 4 for a blunder."""
        return MappingProxyType(self._nags)

    @property
    def clocks(self) -> list[float | None]:
        """The seconds left on the mover's clock after each move, from ``[%clk]`` in the comments."""
        return _known(self._noted().clocks.tolist())

    @property
    def elapsed(self) -> list[float | None]:
        """The seconds spent on each move, from ``[%emt]`` in the comments."""
        return _known(self._noted().elapsed.tolist())

    @property
    def evaluations(self) -> list[int | None]:
        """The evaluations after each move, from ``[%eval]``: centipawns from White's side.

        A mate in n is 32000 - n for White, n - 32000 for Black.
        """
        return [None if value == NO_EVALUATION else value for value in self._noted().evaluations.tolist()]

    def _noted(self) -> Notes:
        comments = (self._comments.get(ply, "") for ply in range(1, len(self._moves) + 1))
        return notes_in_comments(comments, white=self._position.white_to_move)

    # ---------------------------------------------------------------------------------------------------- positions

    def positions(self) -> tuple[Position, ...]:
        """Return the positions by ply, the one before the first move and the one after the last too."""
        if self._positions is None:
            self._positions = _played(self._position, self._moves)[1]
        return self._positions

    def end(self) -> Position:
        """Return the position after the last move."""
        return self.positions()[-1]

    def sans(self) -> list[str]:
        """Return the moves in SAN."""
        return [position.san(move) for position, move in zip(self.positions(), self._moves, strict=False)]

    def play(self, move: AnyMove, comment: str = "", nags: SupportsIndex | Iterable[SupportsIndex] = ()) -> Self:
        """Return the game with one more move; its result is open, unless this move ends it.

        Raises:
            IllegalMove, AmbiguousMove, InvalidMove: as ``Game``.

        Example:
            >>> from setwise import Game
            >>> Game().play("e4", "best by test", nags=1).play("e5").pgn().splitlines()[-1]
            '1. e4 $1 { best by test } 1... e5 *'
        """
        positions, ply = self.positions(), len(self._moves) + 1
        [move], (_, after) = _played(positions[-1], [move], ply)
        positions = (*positions, after)
        game = self._of(
            self._tags,
            (*self._moves, move),
            self._position,
            _ending(positions),
            {**self._comments, ply: _comment(comment)},
            {**self._nags, ply: _glyphs(nags)},
        )
        _check_notes(game)
        game._positions = positions
        return game

    def replace(self, **changes: Any) -> Self:
        """Return the game with other ``tags``, ``moves``, ``position``, ``result``, ``comments`` or ``nags``.

        Example:
            >>> from setwise import Game
            >>> game = Game({"White": "Morphy"}, ["e4"], comments={1: "best by test"})
            >>> game.replace(tags={**game.tags, "Site": "Paris"}, comments={}).pgn().splitlines()[-1]
            '1. e4 *'

        Traps:
            Other moves leave the result open, unless they or ``result`` tell it. Notes beyond the last move go.
        """
        stale = {"Result"} if "moves" in changes else set()
        if "position" in changes:
            stale |= {"FEN", "SetUp", *(["Variant"] if is_chess960(self._tags) else [])}
        fields = {
            "tags": {name: value for name, value in self._tags.items() if name not in stale},
            "position": self._position,
            "result": None if "moves" in changes else changes.get("tags", {}).get("Result", self.result),
            **changes,
            "moves": (moves := tuple(changes.get("moves", self._moves))),
        }
        for name, notes in (("comments", self._comments), ("nags", self._nags)):
            fields.setdefault(name, {ply: note for ply, note in notes.items() if ply <= len(moves)})
        return type(self)(**fields)

    # --------------------------------------------------------------------------------------------------------- ends

    def _past(self, ply: int | None) -> tuple[Position, tuple[Position, ...]]:
        """The position after a ply, by default the last, and the earlier ones that it may repeat."""
        positions = self.positions()
        if ply is None:
            ply = len(positions) - 1
        if not 0 <= ply < len(positions):
            raise IndexError(f"the plies of this game are 0 to {len(positions) - 1}, not {ply}")
        return positions[ply], _recent(positions, ply)

    def outcome(self, ply: int | None = None, *, claim_draw: bool = False) -> Outcome | None:
        """Return how the game has ended on the board after a ply (by default the last), or None while it goes on.

        Args:
            ply: 0 is the position before the first move.
            claim_draw: whether a player claims the draws that must be claimed, see ``can_claim_draw``.

        Example:
            >>> from setwise import Game
            >>> game = Game(moves="Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1".split())
            >>> game.outcome(), game.outcome(claim_draw=True).termination
            (None, <Termination.THREEFOLD_REPETITION: 'threefold repetition, claimed'>)
        """
        now, past = self._past(ply)
        ending = now.outcome(past)
        if ending is None and claim_draw:
            if self.can_claim_fifty_moves(ply):
                return Outcome(Termination.FIFTY_MOVES, None)
            if self.can_claim_threefold_repetition(ply):
                return Outcome(Termination.THREEFOLD_REPETITION, None)
        return ending

    def repetitions(self, ply: int | None = None) -> int:
        """Return how often the position after a ply (by default the last) had occurred by then, itself included."""
        now, past = self._past(ply)
        return now.repetitions(past)

    def is_repetition(self, count: int = 3, ply: int | None = None) -> bool:
        """Return whether the position after a ply was there for the ``count``-th time, or more often."""
        return self.repetitions(ply) >= count

    def is_threefold_repetition(self, ply: int | None = None) -> bool:
        """Return whether the position after a ply was there for the third time: a draw if it is claimed."""
        return self.is_repetition(3, ply)

    def is_fivefold_repetition(self, ply: int | None = None) -> bool:
        """Return whether the position after a ply was there for the fifth time: a draw."""
        return self.is_repetition(5, ply)

    def is_fifty_moves(self, ply: int | None = None) -> bool:
        """Return whether both sides had made fifty moves without capture or pawn move, and the game could go on."""
        return _without_progress(self._past(ply)[0], 100)

    def is_seventyfive_moves(self, ply: int | None = None) -> bool:
        """Return whether both sides had made seventy-five moves without capture or pawn move: a draw, unless mate."""
        return _without_progress(self._past(ply)[0], 150)

    def can_claim_draw(self, ply: int | None = None) -> bool:
        """Return whether the side to move can claim a draw, by fifty moves or by threefold repetition."""
        return self.can_claim_fifty_moves(ply) or self.can_claim_threefold_repetition(ply)

    def can_claim_fifty_moves(self, ply: int | None = None) -> bool:
        """Return whether the side to move can claim that fifty moves were made, or will have been with its next one."""
        now = self._past(ply)[0]
        if now.halfmove_clock < 99:
            return False
        afterwards = (now.play(move) for move in now.legal_moves())
        return self.is_fifty_moves(ply) or any(_without_progress(after, 100) for after in afterwards)

    def can_claim_threefold_repetition(self, ply: int | None = None) -> bool:
        """Return whether the side to move can claim a third repetition, there already or reached by its next move."""
        now, past = self._past(ply)
        line = (*past, now)
        return now.repetitions(past) >= 3 or any(now.play(move).repetitions(line) >= 3 for move in now.legal_moves())

    # --------------------------------------------------------------------------------------------------------- text

    def pgn(self, *, columns: int | None = 80) -> str:
        """Return the game in PGN's export format, without a line break at its end.

        Args:
            columns: the width that lines stay below; comments are not cut. None puts all moves on one line.
        """
        start = self._position
        number, white = start.fullmove_number, start.white_to_move
        tokens = movetext(self.sans(), number, white=white, comments=self._comments, nags=self._nags)
        return pgn_text(self._tags, [*tokens, self.result], columns=columns)

    __str__ = pgn

    # ---------------------------------------------------------------------------------------------------- other shapes

    @classmethod
    def from_board(cls, board: chess.Board, tags: Mapping[str, str | int] = MappingProxyType({})) -> Self:
        """Return the game of python-chess's board: the moves on its stack."""
        return cls(tags, board.move_stack, Position.from_board(board.root()))

    def to_board(self) -> chess.Board:
        """Return python-chess's board at the end of the game, the moves on its stack."""
        import chess

        board = self._position.to_board()
        for move in self._moves:
            board.push(chess.Move.from_uci(self._position.uci(move)))
        return board

    def __eq__(self, other: object) -> bool:
        return self._parts() == other._parts() if isinstance(other, Game) else NotImplemented

    def __hash__(self) -> int:
        return hash((self._position, self._moves))

    def _parts(self) -> tuple[Any, ...]:
        return self._tags, self._moves, self._position, self.result, self._comments, self._nags

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: Any) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self)._of, self._parts()

    def __repr__(self) -> str:
        white, black = self._tags["White"], self._tags["Black"]
        return f"<Game {white} - {black}, {self.result}, {len(self._moves)} plies>"


# -------------------------------------------------------------------------------------------------------- what it takes


def is_chess960(tags: Mapping[str, str]) -> bool:
    """Whether the tag ``Variant`` says so."""
    return tags.get("Variant", "").lower().startswith(CHESS960_VARIANTS)


@functools.cache
def usual_start(*, chess960: bool = False) -> Position:
    """The position that games start from unless a tag says otherwise, made when it is first needed."""
    return Position(chess960=chess960)


def _start(tags: Mapping[str, str]) -> Position:
    """The position that tags ask for."""
    chess960 = is_chess960(tags)
    return Position(tags["FEN"], chess960=chess960) if "FEN" in tags else usual_start(chess960=chess960)


def _setup(tags: Mapping[str, str], start: Position) -> dict[str, str]:
    """The tags that a starting position needs, beside those that say it already."""
    variant = tags.get("Variant", "")
    if variant and not variant.lower().startswith(_VARIANTS):
        raise InvalidGame(f"the variant {shortened(variant)} has other rules than standard chess and Chess960")
    needed = {"Variant": "Chess960"} if start.chess960 and not is_chess960(tags) else {}
    if start == usual_start() and "FEN" not in tags:
        return needed
    written = start.fen("fen")
    told = Position(tags.get("FEN", written), chess960=start.chess960)
    if told.fen() != start.fen():
        raise InvalidGame(f"the tag FEN tells another position than the one given: {shortened(told.fen(), 90)}")
    return needed | ({} if "FEN" in tags and told == start else {"SetUp": "1", "FEN": written})


def _checked_tag(name: str, value: str | int) -> str:
    if not isinstance(name, str) or not TAG_NAME.match(name):
        raise InvalidGame(f"{shortened(name)} is no name of a tag: a letter, then letters, digits and underscores")
    if not isinstance(value, str | int):
        raise TypeError(f"the tag {name} is a text, not {type(value).__name__}")
    value = str(value)
    if "\n" in value or "\r" in value or _HALF_LETTER.search(value):
        raise InvalidGame(f"the tag {name} holds a line break or half of a letter: {shortened(ascii(value))}")
    return value


def _known(seconds: list[float]) -> list[float | None]:
    return [None if math.isnan(value) else value for value in seconds]


def _comment(text: str) -> str:
    if not isinstance(text, str):
        raise TypeError(f"a comment is a text, not {type(text).__name__}")
    return clean_comment(text)


def _glyphs(nags: Any) -> tuple[int, ...]:
    several = isinstance(nags, Iterable) and not isinstance(nags, str)
    return tuple(sorted({_glyph(nag) for nag in (nags if several else [nags])}))


def _glyph(nag: Any) -> int:
    try:
        number = index(nag)
    except TypeError:
        number = None
    if number is None or isinstance(nag, bool):
        raise TypeError(f"NAGs are numbers from 1 to 255, not {shortened(nag)} ({type(nag).__name__})")
    return number


def _check_notes(game: Game) -> None:
    if game.result not in RESULTS:
        raise InvalidGame(f"a result is one of {', '.join(RESULTS)}, not {shortened(game.result)}")
    plies = len(game.moves)
    for name, found, first in (("comments", game.comments, 0), ("NAGs", game.nags, 1)):
        for ply in found:
            if not isinstance(ply, int) or not first <= ply <= plies:
                raise InvalidGame(f"{name} stand behind the plies {first} to {plies}, not {shortened(ply)}")
    for ply, glyphs in game.nags.items():
        if any(glyph not in _NAGS for glyph in glyphs):
            raise InvalidGame(f"NAGs are numbers from 1 to 255, not {shortened(glyphs)} at ply {ply}")
    for ply, text in game.comments.items():
        if _HALF_LETTER.search(text):
            raise InvalidGame(f"the comment at ply {ply} holds half of a letter: {shortened(ascii(text))}")


def _played(start: Position, moves: Iterable[AnyMove], ply: int = 1) -> tuple[tuple[Move, ...], tuple[Position, ...]]:
    """The moves, and the positions before, between and after them; ``ply`` is the first one's number."""
    played: list[Move] = []
    positions = [start]
    for move in moves:
        now = positions[-1]
        try:
            found = move if type(move) is Move else now.parse(move)
            positions.append(now.play(found))
        except (IllegalMove, InvalidMove) as error:
            number = f"{now.fullmove_number}{'.' if now.white_to_move else '...'}"
            raise type(error)(f"ply {ply + len(played)} ({number}): {error}") from None
        played.append(found)
    return tuple(played), tuple(positions)


def _recent(positions: tuple[Position, ...], ply: int) -> tuple[Position, ...]:
    """The positions before a ply since the last capture or pawn move, which alone can occur again."""
    return positions[max(ply - positions[ply].halfmove_clock, 0) : ply]


def _ending(positions: tuple[Position, ...]) -> str:
    """The result that the board tells at the end of a game."""
    ending = positions[-1].outcome(_recent(positions, len(positions) - 1))
    return ending.result if ending else "*"


def _without_progress(position: Position, halfmoves: int) -> bool:
    return position.halfmove_clock >= halfmoves and bool(position.legal_moves())
