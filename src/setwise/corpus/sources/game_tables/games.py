"""Games of a table as ``Games``: moves from their bytes, or from their text where annotations are read."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, Self, SupportsIndex

import numpy as np
import pyarrow as pa

from setwise.corpus.sources.game_tables import texts
from setwise.corpus.sources.game_tables.rows import GameRows
from setwise.corpus.storage.packed_games import SETUP, unpack_moves
from setwise.errors import SourceError
from setwise.game.batch import Fault, GameColumns
from setwise.game.blocks import Block
from setwise.game.games import Games
from setwise.game.texts import is_closed
from setwise.notation.pgn import table as pgn
from setwise.notation.pgn.table import FAULTS, GAME_COLUMNS, NO_FAULT, Columns
from setwise.notation.pgn.tokens import RESULTS
from setwise.rules.state import WORDS
from setwise.rules.variants import STANDARD
from setwise.system.arrow import pc

__all__ = ["TableGames"]

#: Caches of what is computed from the text.
_OF_TEXTS = ("tag_offsets", "_read_notes", "_last_moves", "tree", "_headers")


class TableGames(Games):
    """The games of some rows of a table.

    Tags are columns, read at their first use. The text of the games is built when it is first needed; then they are
    parsed as PGN, and replace the columns.
    """

    #: None for a part of a batch, whose text has been built.
    rows: GameRows | None = None
    #: The number of each game, if they do not follow one another.
    picked: np.ndarray | None = None
    _block: Block
    _is_whole = False
    #: The moves of the games as text, until their tags stand before them.
    movetexts: pa.BinaryArray | None = None

    @classmethod
    def of(cls, rows: GameRows, name: str, first: int, *, notes: bool = False, variations: bool = False) -> Self:
        """Return the games of rows of a table.

        Args:
            rows: the rows.
            name: the name of the source.
            first: the number of the first game.
            notes: whether to read the annotations of the moves.
            variations: whether to read the variations, too.

        Raises:
            SourceError: when the table is damaged.
        """
        if "moves" in rows.names and not (notes or variations):
            games = cls(Block(b"", name, 0, 1), _columns(rows, name, first), first)
        else:
            moves = _movetexts(rows, name, first)
            text = texts.joined(texts.setups(rows), moves)
            games = cls.parsed(Block(text, name, 0, 1), notes=notes, variations=variations)
            games.first, games.movetexts = first, moves
            _check(rows, games)
        games.rows = rows
        return games

    @property
    def numbers(self) -> np.ndarray:
        """The number of each game in its source, from 1: int32."""
        return super().numbers if self.picked is None else self.picked.astype(np.int32)

    # ------------------------------------------------------------------------------------------------- with their text

    @property
    def block(self) -> Block:
        """The text of the games, with their tags."""
        if not self._is_whole and self.rows is not None:
            self._read_texts(self.rows)
        return self._block

    @block.setter
    def block(self, block: Block) -> None:
        self._block = block

    @property
    def text(self) -> np.ndarray:
        """The bytes that the spans point into: the tags are missing until ``block`` is used."""
        return np.frombuffer((self._block if self._block.text else self.block).text, np.uint8)

    def _read_texts(self, rows: GameRows) -> None:
        """Build the text of the games with all tags, and read it."""
        moves = self.movetexts if self.movetexts is not None else _movetexts(rows, self.source, self.first)
        text, self.movetexts = texts.joined(texts.headers(rows), moves), None
        games = GameColumns.parsed(
            Block(text, self.source, 0, 1), notes=self.notes is not None, variations=self.lines is not None
        )
        games.first = self.first
        _check(rows, games)
        self._is_whole = True
        self._block, self.table, self.tags, self.boards = games.block, games.table, games.tags, games.boards
        self.moves, self.notes, self.lines = games.moves, games.notes, games.lines
        for name in _OF_TEXTS:
            self.__dict__.pop(name, None)

    def __getitem__(self, which: SupportsIndex | slice) -> Any:
        self.block  # noqa: B018  (it must be read before spans are)
        games: Any = super().__getitem__(which)
        if isinstance(which, slice) and self.picked is not None:
            games.picked = self.picked[which]
        return games

    def pgn_text(
        self,
        game: int,
        comments: Mapping[int, str] = MappingProxyType({}),
        of_variations: Mapping[int, str] = MappingProxyType({}),
    ) -> str:
        """Return the text of one game, as ``Games.pgn_text`` does."""
        self.block  # noqa: B018  (it must be read before spans are)
        return super().pgn_text(game, comments, of_variations)

    # --------------------------------------------------------------------------------------------------- from columns

    @property
    def source(self) -> str:
        """The name of the table."""
        return self._block.name

    def called(self, source: str) -> Self:
        """Return the same games with another name of their source."""
        games = copy.copy(self)
        games.block = self._block._replace(name=source)
        return games

    def tag(self, name: str) -> pa.StringArray:
        """Return a tag's value for every game, as ``Games.tag`` does."""
        if self.rows is None:
            return super().tag(name)
        if name in self.rows.names or "header" not in self.rows.names:
            return self.rows.texts(name)
        return self._in_headers(self.rows.column("header"), name)

    def _in_headers(self, stored: pa.BinaryArray, name: str) -> pa.StringArray:
        """The values of a tag that has no column: only games whose tags are stored as text may have it."""
        at = np.flatnonzero(stored.is_valid().to_numpy(zero_copy_only=False))
        values = np.full(len(self), None, object)
        if len(at):
            text = b"".join(header + b"\n*\n\n" for header in stored.take(pa.array(at)).to_pylist())
            games = Games.parsed(Block(text, self.source, 0, 1))
            if len(games) != len(at):
                raise SourceError(
                    f"{self.source} is damaged: the tags of a game from number {self.first:,} on are several's"
                )
            values[at] = games.tag(name).to_pylist()
        return pa.array(values, pa.string())

    def faults(self) -> Iterator[Fault]:
        """Yield the faults of the games: a table has no lines, so their line is 0."""
        if self.rows is None or "fault" not in self.rows.names:
            yield from self._faults_of_texts()
            return
        stored = self.rows.column("fault")
        for row in np.flatnonzero(stored.is_valid().to_numpy(zero_copy_only=False)).tolist():
            token, reason, _ = _fault(stored[row].as_py())
            yield Fault(self.source, 0, int(self.numbers[row]), token, reason)

    def _faults_of_texts(self) -> Iterator[Fault]:
        if self.lines is not None or (self.table[:, pgn.FAULT] != NO_FAULT).any():
            for fault in super().faults():
                yield fault._replace(line=0, game=int(self.numbers[fault.game - self.first]))


def _fault(text: str) -> tuple[str, str, int]:
    """Return the token and the reason of a stored fault, and the number of the reason."""
    for code, reason in enumerate(FAULTS):
        if text.endswith(f": {reason}"):
            return text[: -len(reason) - 2], reason, code
    token, _, reason = text.rpartition(": ")
    return token, reason, 0


def _check(rows: GameRows, games: GameColumns) -> None:
    """Refuse a table whose text has other games than its rows, or other moves than its bytes."""
    if len(games) != len(rows):
        raise SourceError(
            f"{games.source} is damaged: the texts of games {games.first:,} to {games.first + len(rows) - 1:,} are not "
            "one game each"
        )
    if "moves" not in rows.names:
        return
    offsets, moves = _moves(rows, games.source, games.first)
    if not (np.array_equal(offsets, games.move_offsets) and np.array_equal(moves, games.moves)):
        raise SourceError(
            f"{games.source} is damaged: in games {games.first:,} to {games.first + len(rows) - 1:,} the moves and "
            "their text differ"
        )


def _moves(rows: GameRows, name: str, first: int) -> tuple[np.ndarray, np.ndarray]:
    """Return where the moves of each game begin, and the moves."""
    stored = rows.column("moves")
    if stored.null_count:
        raise SourceError(f"{name} is damaged: a game from number {first:,} on has no moves")
    _, at, data = stored.buffers()
    ends = np.frombuffer(at, np.int32)[stored.offset : stored.offset + len(stored) + 1] if len(stored) else [0]
    offsets = np.asarray(ends, np.int64) - int(ends[0])
    if (offsets & 1).any():
        raise SourceError(f"{name} is damaged: a game from number {first:,} on has half a move")
    words = np.frombuffer(data or b"", np.uint8)[ends[0] : ends[-1]].view("<u2")
    offsets >>= 1
    moves = np.empty(len(words), np.uint16)
    unpack_moves(offsets, words, moves)
    return offsets, moves


def _columns(rows: GameRows, name: str, first: int) -> Columns:
    """Return what the reader of PGN returns, without tags and annotations."""
    offsets, moves = _moves(rows, name, first)
    table = np.zeros((len(rows), GAME_COLUMNS), np.int64)
    table[:, pgn.FIRST_MOVE], table[:, pgn.FAULT], table[:, pgn.BOARD] = offsets[:-1], NO_FAULT, -1
    table[:, pgn.VARIANT], table[:, pgn.CHECKS] = STANDARD, -1
    table[:, pgn.RESULT] = pc.index_in(rows.column("ends"), pa.array(RESULTS)).fill_null(0).to_numpy()
    boards = _set_up(rows, table)
    stored = rows.column("fault")
    for row in np.flatnonzero(stored.is_valid().to_numpy(zero_copy_only=False)).tolist():
        table[row, pgn.FAULT] = _fault(stored[row].as_py())[2]
    return Columns(table, moves, np.zeros((0, 4), np.int32), boards, None)


def _set_up(rows: GameRows, table: np.ndarray) -> np.ndarray:
    """Write the starting positions and variants of games into their table, and return the boards."""
    is_set = np.zeros(len(rows), np.bool_)
    for name in SETUP:
        if name in rows.names:
            is_set |= rows.texts(name).is_valid().to_numpy(zero_copy_only=False)
    at = np.flatnonzero(is_set)
    if not len(at):
        return np.zeros((0, WORDS), np.uint64)
    tags = texts.setups(rows).take(pa.array(at))
    read = GameColumns.parsed(Block(texts.joined(tags, pa.repeat(pa.scalar(b"*"), len(at))), "", 0, 1))
    for column in (pgn.BOARD, pgn.VARIANT, pgn.CHECKS, pgn.CHECKS_NOW):
        table[at, column] = read.table[:, column]
    return read.boards


def _movetexts(rows: GameRows, name: str, first: int) -> pa.BinaryArray:
    """Return the moves of every game as text."""
    if "moves" not in rows.names:
        return pc.fill_null(rows.column("movetext").cast(pa.string()).cast(pa.binary()), b"*")
    games = Games(Block(b"", name, 0, 1), _columns(rows, name, first), first)
    annotations = rows.column("annotations")
    lengths, plies = annotations.value_lengths().fill_null(0).to_numpy(), np.diff(games.move_offsets)
    as_text = (lengths == 1) & (plies > 0)  # games that are kept as the text that they are
    if ((lengths != 0) & (lengths != plies + 1) & ~as_text).any():
        raise SourceError(f"{name} is damaged: a game from number {first:,} on has annotations of other moves")
    if not as_text.any():
        return texts.movetexts(games, _ends(rows, annotations), annotations)
    is_text = pa.array(as_text)
    kept = [it[0] if is_one else None for it, is_one in zip(annotations.to_pylist(), as_text.tolist(), strict=True)]
    others = pc.if_else(is_text, pa.scalar(None, annotations.type), annotations)
    return pc.if_else(
        is_text, pa.array(kept, pa.string()).cast(pa.binary()), texts.movetexts(games, _ends(rows, others), others)
    )


def _is_open(fault: str | None) -> bool:
    """Whether a game breaks off in a comment, a variation or a tag that is never closed."""
    return fault is not None and _fault(fault)[2] in {pgn.OPEN_COMMENT, pgn.OPEN_VARIATION, pgn.OPEN_TAG}


def _ends(rows: GameRows, annotations: pa.ListArray) -> pa.Array:
    """Return what ends each game; null where that is in the text of a game that breaks off, or has no moves."""
    ends = rows.column("ends")
    said = np.zeros(len(rows), np.bool_)
    may_be_said = rows.column("fault").is_valid().to_numpy(zero_copy_only=False)
    may_be_said |= annotations.value_lengths().fill_null(0).to_numpy() == 1
    for row in np.flatnonzero(may_be_said).tolist():
        last = (annotations[row].as_py() or [None])[-1]
        said[row] = last is not None and (is_closed(last.encode()) or _is_open(rows.column("fault")[row].as_py()))
    return pc.if_else(pa.array(said), None, ends) if said.any() else ends
