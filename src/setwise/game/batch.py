"""Games as the reader leaves them: columns of moves, of spans in the text, of faults; and the values of tags."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import NamedTuple, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from setwise.compiler import entry, subroutine
from setwise.compiler.signatures import boolean, int32, int64, reads, uint8, void, writes
from setwise.errors import shortened
from setwise.game.parts import CHESS960_VARIANTS
from setwise.game.sources import Block
from setwise.notation.pgn import parser as pgn
from setwise.notation.pgn import tokens
from setwise.notation.pgn.annotations import NO_EVALUATION, Notes, is_utf8, read_notes
from setwise.position.positions import Positions
from setwise.rules.state import WORDS, State

__all__ = ["Batch", "Fault", "parsed"]

#: The column of a starting position that tells whose turn it is.
_TURN = State._fields.index("white_to_move")
_TOKEN_ENDS = frozenset(b" \t\r\n{}()[];")


class Fault(NamedTuple):
    """Why a game ends before its text does: the file, the line (from 1), the game (from 1), the token, the reason."""

    source: str
    line: int
    game: int
    token: str
    reason: str

    def __str__(self) -> str:
        return f"{self.source}, line {self.line}, game {self.game}: {shortened(self.token)}: {self.reason}"


class Batch:
    """The columns of some games; ``Games`` is what people see of it."""

    def __init__(
        self, block: Block, table: np.ndarray, moves: np.ndarray, tags: np.ndarray, boards: np.ndarray,
        notes: np.ndarray | None, first: int,
    ) -> None:  # fmt: skip
        self.block = block
        self.table = table
        self.moves = moves
        self.tags = tags
        self.boards = boards
        #: Where each move and all that is noted behind it starts and stops; None without ``notes=True``.
        self.notes = notes
        #: The number of the first game in its source, from 1.
        self.first = first

    def __len__(self) -> int:
        return len(self.table)

    @property
    def source(self) -> str:
        """The name of the file that the games come from."""
        return self.block.name

    @functools.cached_property
    def move_offsets(self) -> np.ndarray:
        """Where each game's moves begin in ``moves``, and where the last game's end: int64, one more than games."""
        return np.append(self.table[:, pgn.FIRST_MOVE], len(self.moves))

    @functools.cached_property
    def _tag_offsets(self) -> np.ndarray:
        return np.append(self.table[:, pgn.FIRST_TAG], len(self.tags))

    @functools.cached_property
    def chess960(self) -> np.ndarray:
        """Whether each game says that it is Chess960: bool."""
        variants = pc.utf8_lower(self.tag("Variant"))
        flags = [pc.starts_with(variants, variant) for variant in CHESS960_VARIANTS]
        return functools.reduce(pc.or_, flags).fill_null(False).to_numpy(zero_copy_only=False)

    @property
    def results(self) -> list[str]:
        """The results as the ends of the games say them: ``1-0``, ``0-1``, ``1/2-1/2`` or ``*``."""
        return [tokens.RESULTS[code] for code in self.table[:, pgn.RESULT].tolist()]

    def positions(self) -> Positions:
        """Replay all games: every position of every game, the first and the last too."""
        count = len(self.moves) + len(self.table)
        sets, white_to_move = np.empty((10, count), np.uint64), np.empty(count, np.bool_)
        clocks, places = np.empty((3, count), np.uint16), np.empty((2, count), np.int32)
        pgn.replay(self.table, self.moves, self.boards, sets, white_to_move, clocks, places)
        return Positions(
            sets, white_to_move, clocks[0], clocks[1], moves=clocks[2], game=places[0], ply=places[1], games=self
        )

    @functools.cached_property
    def text(self) -> np.ndarray:
        """The bytes that the spans point into."""
        return np.frombuffer(self.block.text, np.uint8)

    def tag(self, name: str) -> pa.StringArray:
        """Return a tag's value for every game as Arrow strings, null where a game has no such tag.

        Escaped quotes and backslashes are resolved; bytes that are no UTF-8 are read as Latin-1.
        """
        wanted = np.frombuffer(name.encode(), np.uint8)
        room = int(2 * (self.tags[:, 3] - self.tags[:, 2]).sum()) if len(self.tags) else 0
        offsets, data = np.empty(len(self) + 1, np.int32), np.empty(room, np.uint8)
        present = np.empty(len(self), np.bool_)
        _tag_values(self.text, self.tags, self._tag_offsets, wanted, offsets, data, present)
        return _texts(offsets, data, present)

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

        Suffixes are NAGs, too: ``! ? !! ?? !? ?!`` are 1 to 6. What no byte holds, and 0, which says nothing, is left
        out.
        """
        notes = self._read_notes
        return pa.ListArray.from_arrays(
            pa.array(notes.nag_offsets), pa.array(notes.nags), mask=pa.array(np.diff(notes.nag_offsets) == 0)
        )

    def comments(self) -> pa.StringArray:
        """Return the comments behind each move, several joined by a blank; raises as ``clocks``.

        Outer blanks go, every line break is a single newline, a ``[`` behind an empty line gets a blank before it, and
        bytes that are no UTF-8 are read as Latin-1. Comments in variations, and those behind a semicolon, are passed
        over.
        """
        notes = self._read_notes
        return _texts(notes.comment_offsets, notes.comments, np.diff(notes.comment_offsets) != 0)

    def tag_names(self) -> list[str]:
        """Return the names of all tags that occur, in the order of their first appearance."""
        text = self.block.text
        names = dict.fromkeys(text[start:stop] for start, stop in self.tags[:, :2].tolist())
        return [name.decode("utf-8", "replace") for name in names]

    def pgn_text(self, game: int) -> str:
        """Return one game's own text, as the source has it."""
        start, stop = self.table[game, [pgn.START, pgn.STOP]].tolist()
        raw = self.block.text[start:stop]
        try:
            return raw.decode().strip()
        except UnicodeDecodeError:
            return raw.decode("latin-1").strip()

    def faults(self) -> Iterator[Fault]:
        """Yield what was wrong with the games of this batch; a game keeps its moves up to there."""
        text = self.block.text
        line, counted = self.block.line, 0
        for game in np.flatnonzero(self.table[:, pgn.FAULT] != pgn.NO_FAULT).tolist():
            code, at = self.table[game, [pgn.FAULT, pgn.FAULT_AT]].tolist()
            line, counted = line + text.count(b"\n", counted, at), at
            stop = at + 1
            while stop < min(len(text), at + 80) and (text[stop] not in _TOKEN_ENDS or code == pgn.BAD_FEN):
                stop += 1
            token = text[at:stop].decode("utf-8", "replace").split('"')[0]
            yield Fault(self.source, line, self.first + game, token, pgn.FAULTS[code])


def _known(numbers: np.ndarray) -> pa.Array:
    """Numbers as Arrow has them, null where they are none."""
    return pa.array(numbers, mask=np.isnan(numbers))


def _texts(offsets: np.ndarray, data: np.ndarray, present: np.ndarray) -> pa.StringArray:
    """Texts that stand one after the other, as Arrow strings without a copy."""
    validity = pa.py_buffer(np.packbits(present, bitorder="little"))
    return pa.StringArray.from_buffers(len(present), pa.py_buffer(offsets), pa.py_buffer(data), validity)


# ----------------------------------------------------------------------------------------------------------- reading


B = TypeVar("B", bound=Batch)


def parsed(kind: type[B], block: Block, *, notes: bool = False) -> B:
    """Return the games of a block as a batch of some kind; their numbers count from 1 until somebody knows better."""
    text = np.frombuffer(block.text, np.uint8)
    size = len(text)
    moves = np.empty(size // 2 + 2, np.uint16)
    tags = np.empty((size // 2 + 2, 4), np.int32)
    boards = np.empty((size // 16 + 2, WORDS), np.uint64)
    spans = np.empty((size // 2 + 2 if notes else 0, 2), np.int32)
    rows, end = size // 64 + 64, -1
    while end < size:  # few texts hold a game in fewer than 64 bytes
        rows *= 4 if end >= 0 else 1
        table = np.empty((rows, pgn.GAME_COLUMNS), np.int64)
        n_games, n_moves, n_tags, n_boards, end = pgn.parse(text, moves, table, tags, boards, spans)
    table.resize((n_games, pgn.GAME_COLUMNS), refcheck=False)  # in place: results without games make it the largest
    return kind(
        block,
        table,
        moves[:n_moves].copy(),
        tags[:n_tags].copy(),
        boards[:n_boards].copy(),
        spans[:n_moves].copy() if notes else None,
        first=1,
    )


# ----------------------------------------------------------------------------------------------------- tags to strings

_QUOTE, _BACKSLASH = (np.uint8(byte) for byte in b'"\\')
_BYTES = reads(uint8)
_SPANS = reads(int32, 2)
_OFFSETS = reads(int64)


@subroutine
def _find_tag(text, tags, first, last, name):
    for tag in range(first, last):
        start = tags[tag, 0]
        same = tags[tag, 1] - start == name.size
        for k in range(name.size if same else 0):
            same = same and text[start + k] == name[k]
        if same:
            return tag
    return -1


@entry(
    void, _BYTES, _SPANS, _OFFSETS, _BYTES,
    writes(int32), writes(uint8), writes(boolean),
)  # fmt: skip
def _tag_values(text, tags, tag_offsets, name, offsets, data, present):
    """Write the values of one tag, game after game, as UTF-8: Latin-1 bytes become two, escapes are resolved."""
    at = 0
    for game in range(tag_offsets.size - 1):
        offsets[game] = at
        tag = _find_tag(text, tags, tag_offsets[game], tag_offsets[game + 1], name)
        present[game] = tag >= 0
        if tag < 0:
            continue
        start, stop = tags[tag, 2], tags[tag, 3]
        latin, escaped = not is_utf8(text, start, stop), False
        for k in range(start, stop):
            byte = text[k]
            escaped = (
                byte == _BACKSLASH
                and not escaped
                and k + 1 < stop
                and (text[k + 1] == _BACKSLASH or text[k + 1] == _QUOTE)
            )
            if escaped:
                continue
            if latin and byte >= 0x80:
                data[at], data[at + 1] = 0xC0 | byte >> 6, 0x80 | byte & 0x3F
                at += 2
            else:
                data[at] = byte
                at += 1
    offsets[tag_offsets.size - 1] = at
