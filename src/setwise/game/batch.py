"""Games as the reader returns them: columns of moves, of spans in the text and of faults, with their values."""

from __future__ import annotations

import copy
import functools
from collections.abc import Iterator
from typing import NamedTuple, Self, cast

import numpy as np
import pyarrow as pa

from setwise.errors import shortened
from setwise.game.blocks import Block
from setwise.game.parts import CHESS960_VARIANTS
from setwise.game.provenance import GamePositions
from setwise.notation.characters import BLANKS
from setwise.notation.pgn import table as pgn
from setwise.notation.pgn.annotations import NO_EVALUATION, Notes, read_notes
from setwise.notation.pgn.line_positions import LineRows, beginnings, positions_of_lines
from setwise.notation.pgn.lines import Lines, faults_of_lines, read_lines
from setwise.notation.pgn.parentheses import GAME, LINE_FAULTS
from setwise.notation.pgn.parser import read_games
from setwise.notation.pgn.replay import describe, replay
from setwise.notation.pgn.tags import values_of
from setwise.notation.pgn.tokens import RESULTS
from setwise.position.identity import Identities, identities
from setwise.rules import checks
from setwise.rules.state import SETS, State
from setwise.system.arrow import pc
from setwise.system.pool import pooled

__all__ = ["Fault", "GameColumns", "PositionDemand", "identities_of", "say_chess960"]

#: The column of a starting position with the side to move.
_TURN = State._fields.index("white_to_move")
_TOKEN_ENDS = frozenset(BLANKS + b"{}()[];")
#: Room to reserve, relative to the previous block: the number of positions per byte varies by a few percent.
_MORE = 1.125


class Fault(NamedTuple):
    """Why a game ends before its text does: the file, the line (from 1), the game (from 1), the token, the reason.

    For a row of a table the line is 0 and the game is the number of the row.
    """

    source: str
    line: int
    game: int
    token: str
    reason: str

    def __str__(self) -> str:
        place = f"line {self.line}, game {self.game}" if self.line else f"row {self.game}"
        return f"{self.source}, {place}: {f'{shortened(self.token)}: ' if self.token else ''}{self.reason}"


class PositionDemand:
    """Whether the positions of a source's games are used: if so, the reader writes those of the next block as it reads.

    Replaying the moves afterwards takes longer.
    """

    def __init__(self) -> None:
        #: How many positions per byte of text to reserve room for.
        self.share = 0.0


class GameColumns:
    """The columns of some games; ``Games`` is its public subclass."""

    #: Where the text of each move and its annotations starts and stops; None without ``notes=True``.
    notes: np.ndarray | None
    #: The variations; None without ``variations=True``.
    lines: Lines | None = None
    #: Whether these are games, not records of single positions, and whether the texts of the games are known.
    are_games = has_texts = True

    def __init__(self, block: Block, columns: pgn.Columns, first: int, demand: PositionDemand | None = None) -> None:
        self.block = block
        self.table, self.moves, self.tags, self.boards, self.notes, self._sets = columns
        #: The number of the first game in its source, from 1.
        self.first = first
        #: Updated when the positions are requested.
        self._demand = demand

    @property
    def numbers(self) -> np.ndarray:
        """The number of each game in its source, from 1: int32."""
        return np.arange(self.first, self.first + len(self), dtype=np.int32)

    @classmethod
    def parsed(
        cls, block: Block, *, notes: bool = False, variations: bool = False, demand: PositionDemand | None = None
    ) -> Self:
        """Return the games of a block; they are numbered from 1 until the caller sets ``first``."""
        rows = 0 if demand is None else int(demand.share * len(block.text))
        text = np.frombuffer(block.text, np.uint8)
        games = cls(block, read_games(text, notes=notes or variations, positions=rows), first=1, demand=demand)
        if variations:
            games.lines = read_lines(text, games.columns)
        return games

    @property
    def columns(self) -> pgn.Columns:
        """The columns as the reader returns them, without positions."""
        return pgn.Columns(self.table, self.moves, self.tags, self.boards, self.notes)

    def __len__(self) -> int:
        return len(self.table)

    @property
    def source(self) -> str:
        """The name of the file that the games come from."""
        return self.block.name

    def called(self, source: str) -> Self:
        """Return the same games with another file name."""
        games = copy.copy(self)
        games.block = self.block._replace(name=source)
        return games

    @functools.cached_property
    def move_offsets(self) -> np.ndarray:
        """Where each game's moves begin in ``moves``, and where the last game's end: int64, one more than games."""
        return np.append(self.table[:, pgn.FIRST_MOVE], len(self.moves))

    @functools.cached_property
    def tag_offsets(self) -> np.ndarray:
        """Where each game's tags begin in ``tags``, and where the last game's end: int64, one more than games."""
        return np.append(self.table[:, pgn.FIRST_TAG], len(self.tags))

    @functools.cached_property
    def chess960(self) -> np.ndarray:
        """Whether each game is of Chess960, by its tag ``Variant`` or the castling rights that it begins with: bool."""
        said = say_chess960(self.tag("Variant"))
        if not len(self.boards):
            return said
        standard = np.empty(len(self.boards), np.bool_)
        checks.standard(np.ascontiguousarray(self.boards[:, : len(SETS)].T), standard)
        board = self.table[:, pgn.BOARD]
        return said | (board >= 0) & ~standard[board]

    @property
    def ends(self) -> list[str]:
        """What ends the moves of each game: ``1-0``, ``0-1``, ``1/2-1/2`` or ``*``, also where there is nothing."""
        return [RESULTS[code] for code in self.table[:, pgn.RESULT].tolist()]

    @functools.cached_property
    def results(self) -> list[str]:
        """The tag ``Result``; where it is missing, ``*`` or not a result, what ends the moves.

        Example:
            >>> import setwise
            >>> text = b'[Result "1-0"] e4 0-1 [Result "*"] d4 0-1 [Result "1:0"] c4 1/2-1/2 [Result "0-1"] Nf3 *'
            >>> [games] = setwise.read_pgn(text)
            >>> games.results, games.ends
            (['1-0', '0-1', '1/2-1/2', '0-1'], ['0-1', '0-1', '1/2-1/2', '*'])
        """
        from_tags = pc.index_in(self.tag("Result"), pa.array(RESULTS)).fill_null(0).to_numpy()
        return [RESULTS[code] for code in np.where(from_tags, from_tags, self.table[:, pgn.RESULT]).tolist()]

    def positions(self, *, variations: bool = False) -> GamePositions:
        """Return every position of every game, including the first and the last.

        Those of games of a variant are boards with the rules of standard chess; ``checks_given`` has their checks.

        Args:
            variations: whether to return those of the variations, too: the rows of a game are those of its own moves,
                then those of its variations, one for each move. The games must have been read with them.
        """
        if variations:
            return self._positions_of_lines()
        count = len(self.moves) + len(self.table)
        if self._demand is not None:
            self._demand.share = _MORE * count / max(len(self.block.text), 1)
        sets, self._sets = self._sets, None  # the caller may write to them, so they are returned once
        if sets is None:
            sets = pooled((len(SETS), count), np.uint64)
            replay(self.table, self.moves, self.boards, sets)
        white_to_move = np.empty(count, np.bool_)
        clocks, places = np.empty((3, count), np.uint16), np.empty((2, count), np.int32)
        describe(self.table, self.moves, self.boards, sets, white_to_move, clocks, places)
        return GamePositions(
            sets, white_to_move, clocks[0], clocks[1], moves=clocks[2], game=places[0], ply=places[1], games=self
        )

    def _positions_of_lines(self) -> GamePositions:
        tree = self.tree
        halfmove_clock, fullmove_number, moves, _ = tree.clocks
        return GamePositions(
            tree.sets, tree.white_to_move, halfmove_clock, fullmove_number, moves=moves, game=tree.game, ply=tree.ply,
            node=np.arange(len(tree.ply), dtype=np.int32), games=self,
        )  # fmt: skip

    @functools.cached_property
    def tree(self) -> LineRows:
        """The positions of the games and of their variations, and how they hang together."""
        if self.lines is None:
            raise ValueError(
                "these games were read without their variations: read_pgn(..., variations=True) keeps them"
            )
        return positions_of_lines(self.columns, self.lines)

    def of_lines(self, column: int) -> np.ndarray:
        """Return a column of the table of lines, a value for each line of the tree; 0 for the games' own moves."""
        lines = cast("Lines", self.lines)
        values = np.zeros(len(self) + len(lines.table), np.int32)
        values[lines.table[:, GAME] + np.arange(1, len(lines.table) + 1)] = lines.table[:, column]
        return values

    def on_last_moves(self, method: str) -> pa.Array:
        """Return the annotations, by the name of their method, of the move that led to each position of the tree."""
        annotations: pa.Array = getattr(self._last_moves, method)()
        return annotations

    @functools.cached_property
    def _last_moves(self) -> Self:
        """The same games with the notes of the moves that led to each position of the tree."""
        games, tree = copy.copy(self), self.tree
        begins = beginnings(tree.segment)
        games.__dict__["_read_notes"] = read_notes(
            self.text, tree.notes, np.append(begins, len(tree.ply)), ~tree.white_to_move[begins]
        )
        return games

    @functools.cached_property
    def checks_given(self) -> np.ndarray:
        """How many checks White (row 0) and Black (row 1) have given before each position: int32.

        The positions are those of ``positions()``. The checks that a FEN of Three-check begins with are counted.
        """
        positions, lengths = self.positions(), np.diff(self.move_offsets) + 1
        starts = np.cumsum(lengths) - lengths
        checks, before = positions.is_check(), np.maximum(self.table[:, pgn.CHECKS], 0)
        sides = (~positions.white_to_move, before % pgn.BLACKS), (positions.white_to_move, before // pgn.BLACKS)
        counts = np.empty((2, len(positions)), np.int32)
        for side, (gave, first) in enumerate(sides):
            total = np.cumsum(checks & gave, dtype=np.int32)
            counts[side] = total + np.repeat(first - total[starts], lengths)
        return counts

    @functools.cached_property
    def identities(self) -> Identities:
        """Which pieces move, for the positions of ``positions()``: their origins, those of what they capture, moves."""
        return identities_of(self.positions())

    @functools.cached_property
    def text(self) -> np.ndarray:
        """The bytes that the spans point into."""
        return np.frombuffer(self.block.text, np.uint8)

    def tag(self, name: str) -> pa.StringArray:
        """Return a tag's value for every game as Arrow strings, null where a game has no such tag.

        Escaped quotes and backslashes are resolved; bytes that are not UTF-8 are read as Latin-1.
        """
        return _texts(*values_of(name, self.text, self.tags, self.tag_offsets))

    @functools.cached_property
    def _read_notes(self) -> Notes:
        if self.notes is None:
            raise ValueError("these games were read without their notes: read_pgn(..., notes=True) keeps them")
        white, own = np.ones(len(self), np.bool_), self.table[:, pgn.BOARD] >= 0
        white[own] = self.boards[self.table[own, pgn.BOARD], _TURN] != 0
        return read_notes(self.text, self.notes, self.move_offsets, white)

    def clocks(self) -> pa.DoubleArray:
        """Return the seconds left on the mover's clock after each move, from ``[%clk]`` in the comments.

        Raises:
            ValueError: the games were read without ``notes=True``.

        Example:
            >>> import setwise
            >>> text = b"1. e4! $13 { [%clk 0:01:30.5] } 1... e5 { [%eval #-4] slow } { [%emt 0:0:7] } *"
            >>> [games] = setwise.read_pgn(text, notes=True)
            >>> games.clocks().to_pylist(), games.elapsed().to_pylist(), games.evaluations().to_pylist()
            ([90.5, None], [None, 7.0], [None, -31996])
            >>> games.nags().to_pylist(), games.comments()[1].as_py()
            ([[1, 13], None], '[%eval #-4] slow [%emt 0:0:7]')
        """
        return _known(self._read_notes.clocks)

    def elapsed(self) -> pa.DoubleArray:
        """Return the seconds spent on each move, from ``[%emt]`` in the comments; raises as ``clocks``."""
        return _known(self._read_notes.elapsed)

    def evaluations(self) -> pa.Int32Array:
        """Return an engine's evaluations after each move, from ``[%eval]``; raises as ``clocks``.

        They are centipawns from White's side; a mate in n is 32000 - n, or n - 32000 for Black.
        """
        values = self._read_notes.evaluations
        return pa.array(values, mask=values == NO_EVALUATION)

    def nags(self) -> pa.ListArray:
        """Return the Numeric Annotation Glyphs behind each move, ascending, as lists of uint8; raises as ``clocks``.

        Suffixes are NAGs, too: ``! ? !! ?? !? ?!`` are 1 to 6. NAG 0 and those above 255 are left out.
        """
        notes = self._read_notes
        return pa.ListArray.from_arrays(
            pa.array(notes.nag_offsets), pa.array(notes.nags), mask=pa.array(np.diff(notes.nag_offsets) == 0)
        )

    def comments(self) -> pa.StringArray:
        """Return the comments behind each move, several joined by a blank; raises as ``clocks``.

        Outer blanks go, every line break is a single newline, a ``[`` behind an empty line gets a blank before it, and
        bytes that are not UTF-8 are read as Latin-1. Comments in variations, and those after a semicolon, are skipped.
        """
        notes = self._read_notes
        return _texts(notes.comment_offsets, notes.comments, np.diff(notes.comment_offsets) != 0)

    def tag_names(self) -> list[str]:
        """Return the names of all tags that occur, in the order of their first appearance."""
        text = self.block.text
        names = dict.fromkeys(text[start:stop] for start, stop in self.tags[:, :2].tolist())
        return [name.decode("utf-8", "replace") for name in names]

    def faults(self) -> Iterator[Fault]:
        """Yield the faults of the games of this batch; a faulty game, or line, keeps its moves up to the fault."""
        text = self.block.text
        line, counted = self.block.line, 0
        games = np.flatnonzero(self.table[:, pgn.FAULT] != pgn.NO_FAULT).tolist()
        places = [(int(self.table[game, pgn.FAULT_AT]), game, int(self.table[game, pgn.FAULT])) for game in games]
        if self.lines is not None:
            places = sorted([*places, *faults_of_lines(self.lines)])
        for at, game, code in places:
            line, counted = line + text.count(b"\n", counted, at), at
            stop = at + 1
            while stop < min(len(text), at + 80) and (text[stop] not in _TOKEN_ENDS or code == pgn.BAD_FEN):
                stop += 1
            token = text[at:stop].decode("utf-8", "replace").split('"')[0]
            yield Fault(self.source, line, self.first + game, token, LINE_FAULTS[code])


def identities_of(positions: GamePositions) -> Identities:
    """Return which pieces move in all positions of some games, in their order."""
    led = np.roll(positions.moves, 1)
    return identities(positions.sets, positions.white_to_move, positions.moves, led, positions.ply == 0)


def say_chess960(variants: pa.Array) -> np.ndarray:
    """Return whether each value of the tag ``Variant`` means Chess960: bool."""
    lower = pc.utf8_lower(variants)
    flags = [pc.starts_with(lower, variant) for variant in CHESS960_VARIANTS]
    return functools.reduce(pc.or_, flags).fill_null(False).to_numpy(zero_copy_only=False)


def _known(numbers: np.ndarray) -> pa.Array:
    """Return numbers as an Arrow array, null where they are NaN."""
    return pa.array(numbers, mask=np.isnan(numbers))


def _texts(offsets: np.ndarray, data: np.ndarray, present: np.ndarray) -> pa.StringArray:
    """Return concatenated texts as Arrow strings, without a copy."""
    validity = pa.py_buffer(np.packbits(present, bitorder="little"))
    return pa.StringArray.from_buffers(len(present), pa.py_buffer(offsets), pa.py_buffer(data), validity)
