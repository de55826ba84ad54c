"""``Game``: one game as an object, with its tags, moves and notes; what the rules say about its end; its PGN."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, SupportsIndex

from setwise.errors import InvalidGame, shortened
from setwise.game.batch import GameColumns
from setwise.game.blocks import Block
from setwise.game.branches import Branch
from setwise.game.line import Line
from setwise.game.parts import (
    check_notes,
    checked_comment,
    checked_glyphs,
    checked_tag,
    ending_of,
    has_other_rules,
    known,
    played_through,
    setup_of,
    start_of,
)  # fmt: skip
from setwise.game.single import parts_of
from setwise.game.variation import Variation, tokens_of, variations_of
from setwise.game.viewing import framed, notes_of, page_of
from setwise.notation.pgn.annotations import NO_EVALUATION, Notes, notes_in_comments
from setwise.notation.pgn.export import pgn_text, tags_in_order
from setwise.position.move import AnyMove, Move
from setwise.position.position import Position
from setwise.position.variant_position import VariantPosition

if TYPE_CHECKING:
    from typing import Self

    import chess

__all__ = ["Game"]


class Game(Line):
    """A game: tags, the moves from a position on, the result, comments and NAGs.

    Games do not change: ``play`` gives a longer one, ``replace`` one with other tags or notes. Plies count the moves
    from 1; ply 0 is the position before the first. ``Games``, the columns that ``read_pgn`` yields, gives its games one
    by one as ``games[0]`` or in a loop.

    Args:
        tags: the tags by their names. Missing ones of the Seven Tag Roster are filled in with ``?``, and ``SetUp``,
            ``FEN`` and ``Variant`` as the position requires.
        moves: the moves, each a ``Move``, a text in SAN or UCI, or a move of python-chess.
        position: where the game starts; by default what the tags ``FEN`` and ``Variant`` say, or the usual position.
        result: ``1-0``, ``0-1``, ``1/2-1/2`` or ``*``; by default what the tag ``Result`` says, or else the board.
        comments: texts by the ply that they follow. Closing braces and outer blanks, which PGN cannot keep, are
        removed. nags: Numeric Annotation Glyphs by ply, numbers from 1 to 255.

    Raises:
        IllegalMove, AmbiguousMove, InvalidMove: for the first move that cannot be played, with its ply and number.
        InvalidFen: when the position comes from the tag ``FEN``, and that is not a FEN.
        InvalidGame: for tags, results, comments or NAGs that cannot stand in a PGN.
        TypeError: for tags and comments that are not texts, and NAGs that are not numbers.

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
        A game is its main line. ``variations()`` has the lines in parentheses, if they were read.
    """

    __slots__ = ("_branches", "_comments", "_nags", "_tags")

    _tags: dict[str, str]
    _comments: dict[int, str]
    _nags: dict[int, tuple[int, ...]]
    _branches: tuple[Branch, ...]

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
        """Create a game from its parts."""
        checked = {name: checked_tag(name, value) for name, value in tags.items()}
        start = start_of(checked) if position is None else position
        played, positions = played_through(start, moves)
        if result is None and checked.get("Result", "*") == "*":
            result = ending_of(positions)
        game = cls._of(
            checked | setup_of(checked, start),
            played,
            start,
            checked["Result"] if result is None else result,
            {ply: checked_comment(text) for ply, text in sorted(comments.items())},
            {ply: checked_glyphs(glyphs) for ply, glyphs in sorted(nags.items())},
        )
        check_notes(game.result, len(game.moves), game.comments, game.nags)
        game._positions = positions
        return game

    @classmethod
    def from_pgn(cls, text: str, *, variations: bool = False) -> Self:
        """Return the game in a PGN, with its comments and NAGs; ``read_pgn`` reads files, and many games.

        Args:
            text: the PGN.
            variations: whether to keep the lines in parentheses, for ``variations()``.

        Raises:
            InvalidGame: the text holds no game or several, or a move, a tag or a FEN in it is wrong; the message says
                in which line, and why.

        Example:
            >>> from setwise import Game
            >>> game = Game.from_pgn('[White "Fool"] 1. f3 e5 2. g4 { why? } Qh4# 0-1')
            >>> game.tags["White"], game.result, game.comments
            ('Fool', '0-1', mappingproxy({3: 'why?'}))
            >>> Game.from_pgn("1. e4 e5 2. Ke3")
            Traceback (most recent call last):
            ...
            setwise.errors.InvalidGame: line 1: 'Ke3': no piece can make this move
        """
        if not isinstance(text, str):
            raise TypeError(f"a PGN is a text, not {type(text).__name__}; read_pgn(source) reads bytes and files")
        try:
            batch = GameColumns.parsed(Block(text.encode(), "<text>", 0, 1), notes=True, variations=variations)
        except UnicodeEncodeError:
            raise InvalidGame(f"the PGN holds half of a letter: {shortened(ascii(text))}") from None
        for fault in batch.faults():
            raise InvalidGame(f"line {fault.line}: {shortened(fault.token)}: {fault.reason}")
        if len(batch) != 1:
            some = f"{len(batch)} games" if len(batch) else "no game"
            raise InvalidGame(f"the text of one game was expected, and this has {some}; read_pgn(source) reads many")
        return cls._of(*parts_of(batch, 0))

    @classmethod
    def _of(
        cls,
        tags: dict[str, str],
        moves: tuple[Move, ...],
        position: Position,
        result: str,
        comments: dict[int, str],
        nags: dict[int, tuple[int, ...]],
        branches: tuple[Branch, ...] = (),
    ) -> Self:
        """Return a game of valid parts; only sort the tags, and leave out empty comments and NAGs."""
        game = object.__new__(cls)
        game._tags = tags_in_order({**tags, "Result": result})
        game._moves, game._position, game._positions = moves, position, None
        game._comments = {ply: text for ply, text in comments.items() if text}
        game._nags = {ply: glyphs for ply, glyphs in nags.items() if glyphs}
        game._branches = branches
        return game

    # ------------------------------------------------------------------------------------------------------- fields

    @property
    def tags(self) -> Mapping[str, str]:
        """The tags: the Seven Tag Roster, then the others in the order of their names."""
        return MappingProxyType(self._tags)

    @property
    def result(self) -> str:
        """``1-0``, ``0-1``, ``1/2-1/2``, or ``*`` for a game that goes on or whose end is unknown."""
        return self._tags["Result"]

    @property
    def comments(self) -> Mapping[int, str]:
        """The comments by the ply that they follow; ply 0 is before the first move."""
        return MappingProxyType(self._comments)

    @property
    def nags(self) -> Mapping[int, tuple[int, ...]]:
        """The Numeric Annotation Glyphs by ply, such as 1 for a good move, 2 for a mistake, 4 for a blunder."""
        return MappingProxyType(self._nags)

    @property
    def clocks(self) -> list[float | None]:
        """The seconds left on the mover's clock after each move, from ``[%clk]`` in the comments."""
        return known(self._noted().clocks.tolist())

    @property
    def elapsed(self) -> list[float | None]:
        """The seconds spent on each move, from ``[%emt]`` in the comments."""
        return known(self._noted().elapsed.tolist())

    @property
    def evaluations(self) -> list[int | None]:
        """The evaluations after each move, from ``[%eval]``: centipawns from White's side.

        A mate in n is 32000 - n for White, n - 32000 for Black.
        """
        return [None if value == NO_EVALUATION else value for value in self._noted().evaluations.tolist()]

    def variations(self) -> tuple[Variation, ...]:
        """Return the variations of the game, the lines in parentheses, in the order of the text.

        They are those that were read: ``read_pgn`` and ``from_pgn`` read them with ``variations=True``.

        Example:
            >>> from setwise import Game
            >>> game = Game.from_pgn("1. e4 e5 (1... c5 2. Nf3) (1... e6) 2. Nf3 *", variations=True)
            >>> [(line.parent_ply, line.sans()) for line in game.variations()]
            [(1, ['c5', 'Nf3']), (1, ['e6'])]
            >>> game.pgn().splitlines()[-1]
            '1. e4 e5 ( 1... c5 2. Nf3 ) ( 1... e6 ) 2. Nf3 *'
        """
        return variations_of(self, self._branches, 0)

    def _noted(self) -> Notes:
        comments = (self._comments.get(ply, "") for ply in range(1, len(self._moves) + 1))
        return notes_in_comments(comments, white=self._position.white_to_move)

    # ----------------------------------------------------------------------------------------------- other games

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
        [move], (_, child) = played_through(positions[-1], [move], ply)
        positions = (*positions, child)
        game = self._of(
            self._tags,
            (*self._moves, move),
            self._position,
            ending_of(positions),
            {**self._comments, ply: checked_comment(comment)},
            {**self._nags, ply: checked_glyphs(nags)},
            self._branches,
        )
        check_notes(game.result, len(game.moves), game.comments, game.nags)
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
            New moves leave the result open, unless they end the game or ``result`` is passed. Comments and NAGs beyond
            the last move are removed. Variations stay unless the moves or the position change.
        """
        stale = {"Result"} if "moves" in changes else set()
        if "position" in changes:
            stale |= {"FEN", "SetUp", *(["Variant"] if has_other_rules(self._tags) else [])}
        fields = {
            "tags": {name: value for name, value in self._tags.items() if name not in stale},
            "position": self._position,
            "result": None if "moves" in changes else changes.get("tags", {}).get("Result", self.result),
            **changes,
            "moves": (moves := tuple(changes.get("moves", self._moves))),
        }
        for name, notes in (("comments", self._comments), ("nags", self._nags)):
            fields.setdefault(name, {ply: note for ply, note in notes.items() if ply <= len(moves)})
        game = type(self)(**fields)
        game._branches = () if {"moves", "position"} & changes.keys() else self._branches
        return game

    # --------------------------------------------------------------------------------------------------------- text

    def pgn(self, *, columns: int | None = 80) -> str:
        """Return the game in PGN's export format, without a line break at its end.

        Args:
            columns: the width that lines stay below; comments are not cut. None puts all moves on one line.
        """
        tokens = tokens_of(self, self._comments, self._nags, self._branches)
        return pgn_text(self._tags, [*tokens, self.result], columns=columns)

    __str__ = pgn

    def html(self, *, side: str = "white") -> str:
        """Return a self-contained page: the board, the moves to step through, and their annotations.

        Args:
            side: whose side is below, ``"white"`` or ``"black"``.

        Example:
            >>> from pathlib import Path
            >>> from setwise import Game
            >>> page = Game({"White": "Fool"}, ["f3", "e5", "g4", "Qh4#"]).html()
            >>> Path("fool.html").write_text(page, encoding="utf-8")  # doctest: +SKIP
        """
        notes = notes_of(self.comments, self.clocks, self.evaluations)
        return page_of(self, self.tags, self.result, self.nags, notes, side)

    def _repr_html_(self) -> str:
        return framed(self.html())

    # ---------------------------------------------------------------------------------------------------- other shapes

    @classmethod
    def from_board(cls, board: chess.Board, tags: Mapping[str, str | int] = MappingProxyType({})) -> Self:
        """Return the game of python-chess's board: the moves on its stack."""
        kind = Position if board.uci_variant == "chess" else VariantPosition
        return cls(tags, board.move_stack, kind.from_board(board.root()))

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
        return self._tags, self._moves, self._position, self.result, self._comments, self._nags, self._branches

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: Any) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self)._of, self._parts()

    def __repr__(self) -> str:
        white, black = self._tags["White"], self._tags["Black"]
        return f"<Game {white} - {black}, {self.result}, {len(self._moves)} plies>"
