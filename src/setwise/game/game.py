"""``Game`` and ``Variation``: one game as an object, with tags, moves, notes, its end by the rules, and its PGN.

A game never changes: `replace` and the methods that add something return another game. `Game` and `Variation` share
`Line`: a position, the moves from it, and the rules at each ply, such as repetitions and the end of the game. When a
program creates a game, its moves are checked; the games of a batch are created by ``_of``, because the reader has
already checked them. Annotations are dicts by ply: ply 0 is before the first move, ply n after the nth. A variation
leaves its line before the move that it replaces. A notebook shows a game as a page in a frame, so that the scripts of
the page cannot reach the notebook.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from itertools import pairwise
from operator import index
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, SupportsIndex, TypeAlias, TypeVar

import numpy as np

from setwise.chess_words import with_hints
from setwise.errors import InvalidGame, shortened
from setwise.game.batch import (
    Block,
    GameColumns,
    check_notes,
    checked_comment,
    checked_glyphs,
    checked_tag,
    ending_of,
    has_other_rules,
    is_chess960,
    known,
    played_through,
    recent,
    setup_of,
    start_of,
    usual_start,
    without_progress,
)
from setwise.notation.pgn import lines as pgn
from setwise.notation.pgn import tokens as pgn_table
from setwise.notation.pgn.annotations import NO_EVALUATION, Notes, notes_in_comments, read_notes
from setwise.notation.pgn.lines import VariationLines, lines_of
from setwise.notation.pgn.writing import movetext, pgn_text, tags_in_order, unescaped
from setwise.notation.text import decoded
from setwise.position.move import MOVE_TABLES, AnyMove, Move
from setwise.position.position import Position
from setwise.position.variant_position import VariantPosition
from setwise.rules.status import Outcome, Termination
from setwise.rules.variants import VARIANTS
from setwise.view.diagram import place, players
from setwise.view.svg import Scene, changes_of, page

if TYPE_CHECKING:
    from typing import Self

    import chess


# ------------------------------------------------------- line: a position and moves from it, with the rules at each ply


@with_hints("Game")
class Line:
    """The part of a game without tags: moves, comments, NAGs, variations, positions, repetitions, ends."""

    __slots__ = ("_before", "_branches", "_comments", "_moves", "_nags", "_position", "_positions")

    #: How many plies of the game precede the first move of the line.
    _before: int
    _moves: tuple[Move, ...]
    _position: Position
    _positions: tuple[Position, ...] | None
    _comments: dict[int, str]
    _nags: dict[int, tuple[int, ...]]
    _branches: tuple[Branch, ...]

    @property
    def moves(self) -> tuple[Move, ...]:
        """The moves."""
        return self._moves

    @property
    def position(self) -> Position:
        """The position that the game starts from."""
        return self._position

    @property
    def comments(self) -> Mapping[int, str]:
        """The comments by the ply that they follow; ply 0 is before the first move."""
        return MappingProxyType(self._comments)

    @property
    def nags(self) -> Mapping[int, tuple[int, ...]]:
        """The Numeric Annotation Glyphs by ply, such as 1 for a good move, 2 for a mistake, 4 for a blunder."""
        return MappingProxyType(self._nags)

    def variations(self) -> tuple[Variation, ...]:
        """Return the variations that leave this line, the lines in parentheses, in the order of the text.

        Only ``variations=True``, for ``read_pgn`` or ``from_pgn``, reads variations; otherwise there are none here.

        Example:
            >>> from setwise import Game
            >>> game = Game.from_pgn("1. e4 e5 (1... c5 2. Nf3) (1... e6) 2. Nf3 *", variations=True)
            >>> [(line.parent_ply, line.sans()) for line in game.variations()]
            [(1, ['c5', 'Nf3']), (1, ['e6'])]
            >>> game.pgn().splitlines()[-1]
            '1. e4 e5 ( 1... c5 2. Nf3 ) ( 1... e6 ) 2. Nf3 *'
        """
        positions = self.positions() if self._branches else ()
        return tuple(Variation._of(branch, positions[branch.ply - self._before]) for branch in self._branches)

    # ---------------------------------------------------------------------------------------------------- positions

    def positions(self) -> tuple[Position, ...]:
        """Return the positions by ply, including those before the first and after the last move."""
        if self._positions is None:
            self._positions = played_through(self._position, self._moves)[1]
        return self._positions

    def end(self) -> Position:
        """Return the position after the last move."""
        return self.positions()[-1]

    def sans(self) -> list[str]:
        """Return the moves in SAN."""
        return [position.san(move) for position, move in zip(self.positions(), self._moves, strict=False)]

    # --------------------------------------------------------------------------------------------------------- ends

    def _past(self, ply: int | None) -> tuple[Position, tuple[Position, ...]]:
        """The position after a ply, by default the last, and the earlier positions that it may repeat."""
        positions = self.positions()
        if ply is None:
            ply = len(positions) - 1
        if not 0 <= ply < len(positions):
            raise IndexError(f"the plies of this game are 0 to {len(positions) - 1}, not {ply}")
        return positions[ply], recent(positions, ply)

    def outcome(self, ply: int | None = None, *, claim_draw: bool = False) -> Outcome | None:
        """Return how the game has ended on the board after a ply (by default the last), or None while it goes on.

        Args:
            ply: 0 is the position before the first move.
            claim_draw: whether to count a draw that a player could only claim, see ``can_claim_draw``.

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
        """Return how many times the position after a ply (by default the last) has occurred up to and including it."""
        now, past = self._past(ply)
        return now.repetitions(past)

    def is_repetition(self, count: int = 3, ply: int | None = None) -> bool:
        """Return whether the position after a ply occurred for the ``count``-th time, or more often.

        Raises:
            ValueError: for a count below 1.
        """
        if index(count) < 1:
            raise ValueError(f"a position occurs once or more often, not {count} times")
        return self.repetitions(ply) >= count

    def is_threefold_repetition(self, ply: int | None = None) -> bool:
        """Return whether the position after a ply occurred for the third time: a draw if it is claimed."""
        return self.is_repetition(3, ply)

    def is_fivefold_repetition(self, ply: int | None = None) -> bool:
        """Return whether the position after a ply occurred for the fifth time: a draw."""
        return self.is_repetition(5, ply)

    def is_fifty_moves(self, ply: int | None = None) -> bool:
        """Return whether both sides made fifty moves without capture or pawn move, and there is still a legal move."""
        return without_progress(self._past(ply)[0], 100)

    def is_seventyfive_moves(self, ply: int | None = None) -> bool:
        """Return whether both sides had made seventy-five moves without capture or pawn move: a draw, unless mate."""
        return without_progress(self._past(ply)[0], 150)

    def can_claim_draw(self, ply: int | None = None) -> bool:
        """Return whether the side to move can claim a draw, by fifty moves or by threefold repetition."""
        return self.can_claim_fifty_moves(ply) or self.can_claim_threefold_repetition(ply)

    def can_claim_fifty_moves(self, ply: int | None = None) -> bool:
        """Return whether the side to move can claim that fifty moves were made, or are made with its next move."""
        now = self._past(ply)[0]
        if now.halfmove_clock < 99:
            return False
        afterwards = (now.play(move) for move in now.legal_moves())
        return self.is_fifty_moves(ply) or any(without_progress(after, 100) for after in afterwards)

    def can_claim_threefold_repetition(self, ply: int | None = None) -> bool:
        """Return whether the side to move can claim a third repetition: it has occurred, or the next move makes it."""
        now, past = self._past(ply)
        line = (*past, now)
        return now.repetitions(past) >= 3 or any(now.play(move).repetitions(line) >= 3 for move in now.legal_moves())

    # ------------------------------------------------------------------------------------------- Python's protocols

    def _parts(self) -> tuple[Any, ...]:
        """The arguments of ``_of`` that make an equal line."""
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        return self._parts() == other._parts() if isinstance(other, Line) else NotImplemented

    def __hash__(self) -> int:
        return hash((self._position, self._moves))

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: Any) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self)._of, self._parts()  # type: ignore[attr-defined]


# ----------------------------------------- the variations of one game as plain values, read from the columns of a batch


#: Comments and NAGs by ply; comments of ply 0 precede the moves.
_NotesByPly = tuple[dict[int, str], dict[int, tuple[int, ...]]]


class Branch(NamedTuple):
    """A variation: how many plies of the game precede it, its moves, comments and NAGs, and the variations in it."""

    ply: int
    moves: tuple[Move, ...]
    comments: dict[int, str]
    nags: dict[int, tuple[int, ...]]
    branches: tuple[Branch, ...]


def notes_of_lines(text: np.ndarray, spans: np.ndarray, begins: list[int]) -> list[_NotesByPly]:
    """Return comments and NAGs by ply; the first span of each line is the text before its first move."""
    # The mover matters only for evaluations, which are not used here.
    white = np.ones(len(begins) - 1, np.bool_)
    notes = read_notes(text, spans, np.array(begins), white)
    texts, glyphs = notes.comments.tobytes(), notes.nags.tolist()
    comments = [texts[start:stop].decode() for start, stop in pairwise(notes.comment_offsets.tolist())]
    nags = [tuple(glyphs[start:stop]) for start, stop in pairwise(notes.nag_offsets.tolist())]
    return [
        (
            {ply: comment for ply, comment in enumerate(comments[first:last]) if comment},
            {ply: several for ply, several in enumerate(nags[first:last]) if several and ply},  # ply 0 has no move
        )
        for first, last in pairwise(begins)
    ]


def branches_of(text: np.ndarray, lines: VariationLines, chess960: bool) -> tuple[Branch, ...]:
    """Return the variations of one game, in the order of their parentheses, without empty ones."""
    table, offsets = lines.table, lines.offsets.tolist()
    if not len(table):
        return ()
    # The first span of each line is the text between its parenthesis and its first move.
    opens, first = table[:, pgn.OPENS] + 1, lines.offsets[:-1]
    ends = table[:, pgn.CLOSES].copy()
    ends[table[:, pgn.COUNT] > 0] = lines.notes[first[table[:, pgn.COUNT] > 0], 0]
    spans = np.insert(lines.notes, first, np.stack([opens, ends], axis=1), axis=0)
    notes = notes_of_lines(text, spans, [offset + line for line, offset in enumerate(offsets)])
    moves = MOVE_TABLES[chess960].array[lines.moves].tolist()
    branches: list[list[Branch]] = [[] for _ in range(len(table) + 1)]  # the last list is for the game itself
    for line in reversed(range(len(table))):  # the variations inside a line follow it
        ply, parent = table[line, [pgn.PLY, pgn.PARENT]].tolist()
        own = tuple(moves[offsets[line] : offsets[line + 1]])
        comments, nags = notes[line]
        if own or comments:
            branches[parent].append(Branch(ply, own, comments, nags, tuple(reversed(branches[line]))))
    return tuple(reversed(branches[-1]))


# ------------------------------------------------------------------------------------------------------------ variation


class Variation(Line):
    """A line of moves that replaces moves of a game, or of another variation.

    ``read_pgn(..., variations=True)`` and ``Game.from_pgn(..., variations=True)`` read variations, and
    ``Game.variations()`` returns the variations of a game. A variation has the methods of a game for moves, positions
    and ends. Its plies are counted from 1 at its own first move.

    Example:
        >>> from setwise import Game
        >>> game = Game.from_pgn("1. e4 e5 (1... c5 $5 2. Nf3 (2. c3 { quiet }) 2... d6) 2. Nf3 *", variations=True)
        >>> [sicilian] = game.variations()
        >>> sicilian.parent_ply, sicilian.sans(), sicilian.nags
        (1, ['c5', 'Nf3', 'd6'], mappingproxy({1: (5,)}))
        >>> sicilian.variations()
        (<Variation 2. c3>,)
        >>> print(sicilian.end())
        8 r n b q k b n r
        7 p p . . p p p p
        6 . . . p . . . .
        5 . . p . . . . .
        4 . . . . P . . .
        3 . . . . . N . .
        2 P P P P . P P P
        1 R N B Q K B . R
          a b c d e f g h
    """

    __slots__ = ()

    @classmethod
    def _of(cls, branch: Branch, position: Position) -> Variation:
        variation = object.__new__(cls)
        variation._before, variation._moves, variation._comments, variation._nags, variation._branches = branch
        variation._position, variation._positions = position, None
        return variation

    @property
    def parent_ply(self) -> int:
        """How many plies of the game precede this variation: its first move replaces the move of the next ply."""
        return self._before

    def _parts(self) -> tuple[Any, ...]:
        return Branch(self._before, self._moves, self._comments, self._nags, self._branches), self._position

    def __repr__(self) -> str:
        start = self._position
        tokens = movetext(self.sans(), start.fullmove_number, white=start.white_to_move, comments={}, nags={})
        return f"<Variation {' '.join(tokens)}>"


def tokens_of(line: Line) -> Iterator[str]:
    """Yield the tokens of a line in PGN; each variation comes after the move that it replaces."""
    inside: dict[int, list[str]] = {}
    for variation in line.variations():
        behind = min(variation._before - line._before + 1, len(line.moves))
        inside.setdefault(behind, []).extend(["(", *tokens_of(variation), ")"])
    start = line.position
    yield from movetext(
        line.sans(), start.fullmove_number, white=start.white_to_move, comments=line._comments, nags=line._nags,
        inside=inside,
    )  # fmt: skip


# -------------------------------------------------------------- the parts of one game of a batch, and slices of batches


#: Tags, moves, starting position, result, comments and NAGs by ply, variations.
Parts: TypeAlias = tuple[
    dict[str, str], tuple[Move, ...], Position, str, dict[int, str], dict[int, tuple[int, ...]], tuple[Branch, ...]
]
B = TypeVar("B", bound=GameColumns)


def parts_of(games: GameColumns, row: int) -> Parts:
    """Return the parts of one game of a batch, counted from 0, or from the end if negative.

    Raises:
        IndexError: when the batch has no such game.
    """
    if not -len(games) <= row < len(games):
        raise IndexError(f"this batch has {len(games)} games, and none with the number {row}")
    row %= len(games)
    tags = _tags(games, row)
    first, last = games.move_offsets[row : row + 2].tolist()
    comments, nags = ({}, {}) if games.notes is None else _notes(games, games.notes[first:last], row)
    start = _start(games, row, tags)
    lines = None if games.lines is None else lines_of(games.lines, row, row + 1)
    branches = () if lines is None else branches_of(games.text, lines, start.chess960)
    moves = tuple(MOVE_TABLES[start.chess960].array[games.moves[first:last]].tolist())
    return tags, moves, start, games.results[row], comments, nags, branches


def batch_of(games: B, which: slice) -> B:
    """Return the games of a range as a batch of their own, which shares the columns.

    Raises:
        ValueError: for a step other than 1.
    """
    start, stop, step = which.indices(len(games))
    if step != 1:
        raise ValueError(f"a batch is cut into ranges of games, not with the step {step}")
    stop = max(start, stop)
    moves, tags = games.move_offsets[[start, stop]], games.tag_offsets[[start, stop]]
    table = games.table[start:stop].copy()
    table[:, pgn_table.FIRST_MOVE] -= moves[0]
    table[:, pgn_table.FIRST_TAG] -= tags[0]
    columns = pgn_table.ParsedGames(
        table, games.moves[slice(*moves)], games.tags[slice(*tags)], games.boards,
        None if games.notes is None else games.notes[slice(*moves)],
    )  # fmt: skip
    several = type(games)(games.block, columns, games.first + start)
    several.lines = None if games.lines is None else lines_of(games.lines, start, stop)
    return several


def _tags(games: GameColumns, row: int) -> dict[str, str]:
    """Return the tags of a game; if a tag is repeated, the first value counts, as in ``Games.tag``."""
    text = games.block.text
    tags: dict[str, str] = {}
    spans = games.tags[slice(*games.tag_offsets[row : row + 2])]
    for name, name_stop, value, value_stop in spans.tolist():
        tags.setdefault(decoded(text[name:name_stop]), unescaped(decoded(text[value:value_stop])))
    return tags


def _start(games: GameColumns, row: int, tags: dict[str, str]) -> Position:
    """Return the starting position of a game; it is also of Chess960 if only the castling rights require that."""
    board, number, checks = games.table[row, [pgn_table.BOARD, pgn_table.VARIANT_COLUMN, pgn_table.CHECKS]].tolist()
    chess960, variant = is_chess960(tags), VARIANTS[number - 1] if number else None
    if board < 0:
        return usual_start(chess960=chess960, variant=variant.name if variant else None)
    words = games.boards[board].tolist()
    start = Position.from_words(words, chess960=chess960, strict=False)
    if not chess960 and start.status():
        start = Position.from_words(words, chess960=True, strict=False)
    black, white = divmod(max(checks, 0), pgn_table.BLACKS)
    return VariantPosition._with(start, variant, (white, black)) if variant else start


def _notes(games: GameColumns, moves: np.ndarray, row: int) -> tuple[dict[int, str], dict[int, tuple[int, ...]]]:
    """Return the comments and NAGs of a game by ply; comments of ply 0 are between the tags and the first move."""
    begin, end, fault, where = games.table[
        row, [pgn_table.START, pgn_table.STOP, pgn_table.FAULT, pgn_table.FAULT_AT]
    ].tolist()
    tags = games.tags[slice(*games.tag_offsets[row : row + 2])]
    begin = int(tags[-1, 3]) if len(tags) else begin
    if len(moves):
        end = int(moves[0, 0])
    elif fault != pgn_table.NO_FAULT:
        end = where
    spans = np.vstack([np.array([[begin, max(begin, end)]], np.int32), moves])
    [(comments, nags)] = notes_of_lines(games.text, spans, [0, len(spans)])
    return comments, nags


# ----------------------------------------------------------------------------------------------------- A game as a page


_GLYPHS = {1: "!", 2: "?", 3: "!!", 4: "??", 5: "!?", 6: "?!"}
_COMMAND = re.compile(r"\[%\w+[^\]]*\]")
#: A rating, as in the columns of ratings: at most four ASCII digits.
_NUMBER = re.compile(r"[0-9]{1,4}")
_MATE = 32_000
#: The longest mate that an evaluation encodes.
_LONGEST_MATE = 1_000


def page_of(
    line: Line, game_tags: Mapping[str, str], result: str, nags: Mapping[int, Iterable[int]], notes: dict[int, str],
    side: str,
) -> str:  # fmt: skip
    """Return the page of a game, seen from a side: its moves, its tags, and annotations by ply."""
    drawn = [position.piece_string() for position in line.positions()]
    tags = {name: None if value in {"?", "????.??.??"} else value for name, value in game_tags.items()}
    sans = [san + "".join(_GLYPHS.get(it, "") for it in nags.get(ply, ())) for ply, san in enumerate(line.sans(), 1)]
    scene = Scene(
        players(tags["White"], tags["Black"], _elo(tags.get("WhiteElo")), _elo(tags.get("BlackElo"))),
        place(tags["Event"], tags["Site"], tags["Date"], result),
        drawn[0], changes_of(drawn), sans, line.position.fullmove_number, line.position.white_to_move, notes, side=side,
    )  # fmt: skip
    return page(scene)


def framed(document: str) -> str:
    """Return a page in a sandboxed frame, as notebooks show it."""
    style = "border:0;width:100%;max-width:28rem;height:46rem"
    return (
        f'<iframe sandbox="allow-scripts" style="{style}" title="a game of chess" srcdoc="{escape(document)}"></iframe>'
    )


def _elo(text: str | None) -> int | None:
    return int(text) if text is not None and _NUMBER.fullmatch(text) else None


def notes_of(
    comments: Mapping[int, str], clocks: Sequence[float | None], evaluations: Sequence[int | None]
) -> dict[int, str]:
    """Return annotations by ply in words: clock, evaluation, comment.

    >>> notes_of({1: "[%clk 1:02:03] [%eval 0.17] best by test", 2: "[%eval #-4]"}, [3723, None], [17, -31996])
    {1: '1:02:03 · +0.17 · best by test', 2: 'mate in 4 for Black'}
    """
    notes = {}
    for ply in range(len(clocks) + 1):
        words = [" ".join(_COMMAND.sub(" ", comments.get(ply, "")).split())]
        if ply:
            words = [_clock(clocks[ply - 1]), _evaluation(evaluations[ply - 1]), *words]
        if note := " · ".join(filter(None, words)):
            notes[ply] = note
    return notes


def _clock(seconds: float | None) -> str:
    if seconds is None:
        return ""
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}"


def _evaluation(centipawns: int | None) -> str:
    if centipawns is None:
        return ""
    moves = _MATE - abs(centipawns)
    if moves > _LONGEST_MATE:
        return f"{centipawns / 100:+.2f}"
    return f"mate in {moves} for {'White' if centipawns > 0 else 'Black'}"


# ---------------------------------------------------------- game: one game as an object, with its tags, moves and notes


class Game(Line):
    """A game: tags, the moves from a position on, the result, comments and NAGs.

    A game never changes: ``play`` returns a longer game, ``replace`` returns a game with other tags, moves or notes.
    Plies count the moves from 1; ply 0 is the position before the first move. ``Games``, the columns that ``read_pgn``
    yields, returns single games as ``games[0]`` or in a loop.

    Args:
        tags: the tags by their names. Missing tags of the Seven Tag Roster get the value ``?``; ``SetUp``, ``FEN`` and
            ``Variant`` are added if the position requires them.
        moves: the moves, each a ``Move``, a text in SAN or UCI, or a move of python-chess.
        position: where the game starts; by default the position of the tags ``FEN`` and ``Variant``, or the usual one.
        result: ``1-0``, ``0-1``, ``1/2-1/2`` or ``*``; by default the tag ``Result``, or else the result on the board.
        comments: texts by the ply that they follow. Closing braces and outer blanks, which PGN cannot keep, are
        removed. nags: Numeric Annotation Glyphs by ply, numbers from 1 to 255.

    Raises:
        IllegalMove, AmbiguousMove, InvalidMove: for the first move that cannot be played, with its ply and number.
        InvalidFen: when the position comes from the tag ``FEN``, and its value is not a FEN.
        InvalidGame: for tags, results, comments or NAGs that PGN cannot hold.
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

    __slots__ = ("_tags",)

    _tags: dict[str, str]

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
            checked | setup_of(checked, start), played, start, checked["Result"] if result is None else result,
            {ply: checked_comment(text) for ply, text in sorted(comments.items())},
            {ply: checked_glyphs(glyphs) for ply, glyphs in sorted(nags.items())},
        )  # fmt: skip
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
        cls, tags: dict[str, str], moves: tuple[Move, ...], position: Position, result: str, comments: dict[int, str],
        nags: dict[int, tuple[int, ...]], branches: tuple[Branch, ...] = (),
    ) -> Self:  # fmt: skip
        """Return a game of valid parts; only sort its tags, and leave out empty comments and NAGs."""
        game = object.__new__(cls)
        game._tags = tags_in_order({**tags, "Result": result})
        game._before, game._moves, game._position, game._positions = 0, moves, position, None
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

    def _noted(self) -> Notes:
        comments = (self._comments.get(ply, "") for ply in range(1, len(self._moves) + 1))
        return notes_in_comments(comments, white=self._position.white_to_move)

    # ----------------------------------------------------------------------------------------------- other games

    def play(self, move: AnyMove, comment: str = "", nags: SupportsIndex | Iterable[SupportsIndex] = ()) -> Self:
        """Return the game with one more move; the new game has no result, unless this move ends it.

        Raises:
            IllegalMove, AmbiguousMove, InvalidMove: as for ``Game``.

        Example:
            >>> from setwise import Game
            >>> Game().play("e4", "best by test", nags=1).play("e5").pgn().splitlines()[-1]
            '1. e4 $1 { best by test } 1... e5 *'
        """
        positions, ply = self.positions(), len(self._moves) + 1
        [move], (_, child) = played_through(positions[-1], [move], ply)
        positions = (*positions, child)
        game = self._of(
            self._tags, (*self._moves, move), self._position, ending_of(positions),
            {**self._comments, ply: checked_comment(comment)}, {**self._nags, ply: checked_glyphs(nags)},
            self._branches,
        )  # fmt: skip
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
            With new moves the result becomes ``*``, unless they end the game or ``result`` is passed. Comments and
            NAGs beyond the last move are removed. Variations stay unless the moves or the position change.
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
            columns: lines are shorter than this; comments are not cut. None puts all moves on one line.
        """
        return pgn_text(self._tags, [*tokens_of(self), self.result], columns=columns)

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
        """Return the game on a board of python-chess: the moves on its stack."""
        kind = Position if board.uci_variant == "chess" else VariantPosition
        return cls(tags, board.move_stack, kind.from_board(board.root()))

    def to_board(self) -> chess.Board:
        """Return a board of python-chess at the end of the game, with the moves on its stack."""
        import chess

        board = self._position.to_board()
        for move in self._moves:
            board.push(chess.Move.from_uci(self._position.uci(move)))
        return board

    def _parts(self) -> tuple[Any, ...]:
        return self._tags, self._moves, self._position, self.result, self._comments, self._nags, self._branches

    def __repr__(self) -> str:
        white, black = self._tags["White"], self._tags["Black"]
        return f"<Game {white} - {black}, {self.result}, {len(self._moves)} plies>"
