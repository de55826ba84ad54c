"""Tables of games: a row for each game, with the moves or the movetext in a column, as on Hugging Face.

Two kinds are read. Packed games, which ``pack`` and ``index`` write, have two bytes for each move, and need no parsing.
Tables from other programs have the moves as text, which is parsed as PGN. In both kinds, tags are columns that are read
at their first use. The text of a game, with annotations, is built from the columns only if it is needed: then the text
is parsed, and if its moves differ from the bytes, the table is reported as damaged.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, Self, SupportsIndex

import numpy as np
import pyarrow as pa

from setwise.archives import Source as Text
from setwise.corpus.columns.registry import plain_type
from setwise.corpus.sources import tables
from setwise.corpus.sources.jobs import Batch, Job, Question, Source, SourceOfGames
from setwise.corpus.sources.places import Beginning
from setwise.corpus.sources.rows import RowGroup, StoredRows
from setwise.corpus.storage import layout
from setwise.corpus.storage.encodings import PACKED_COLUMNS, SETUP, is_packed, unpack_moves
from setwise.errors import SourceError, shortened
from setwise.game.batch import Block, Fault, GameColumns, Repair
from setwise.game.games import Games, is_closed
from setwise.notation.pgn import tokens as _reader
from setwise.notation.pgn import writing as movetexts
from setwise.notation.pgn.tokens import FAULTS, GAME_COLUMNS, NO_FAULT, RESULTS, ParsedGames
from setwise.notation.pgn.writing import TAG_NAME
from setwise.rules.board import WORDS
from setwise.rules.variants import STANDARD
from setwise.system.packages import pc, pq

# -------------------------------------------------- rows of a table of games, whose columns are read at their first use


#: The columns that are not tags.
OWN = frozenset([*PACKED_COLUMNS.names, "movetext"])


class GameRows(StoredRows):
    """Some rows of a group; the columns are in the order of the file, which is the order of the tags."""

    def column(self, name: str) -> pa.Array:
        """Return a column; a column of texts stored as a dictionary is converted to plain texts."""
        column = self.group.column(name).slice(self.start, len(self))
        return column.cast(plain_type(column.type))

    def texts(self, name: str) -> pa.Array:
        """Return a tag of every game; null if a game does not have the tag."""
        if name not in self.column_names or name in OWN:
            return pa.nulls(len(self), pa.string())
        return self.column(name)


def as_texts(column: pa.ChunkedArray, name: str) -> pa.ChunkedArray:
    """Return a column of any type as texts, which are the values of a tag.

    Raises:
        ValueError: for a column of lists, maps or structs.
    """
    kind = plain_type(column.type)
    if pa.types.is_nested(kind):
        raise ValueError(f"its column {name} has values of {kind}, and a tag is one text: leave the column out")
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        return pc.strftime(column.cast(pa.timestamp("s")) if pa.types.is_date(kind) else column, "%Y.%m.%d")
    return column.cast(pa.string())


# ------------------------------------------------------------------------------------------ the PGN of games in a table


#: A tag that begins a new game after any text.
_BEGINS = '[Event "?"]\n'


def tag_columns(names: Iterable[str]) -> list[str]:
    """Return the columns that are tags, in their order."""
    return [name for name in names if name not in OWN and TAG_NAME.match(name)]


def headers(rows: GameRows) -> pa.BinaryArray:
    """Return the tags of every game as text."""
    written = _written(rows, tag_columns(rows.column_names)).cast(pa.binary())
    return pc.coalesce(rows.column("header"), written) if "header" in rows.column_names else written


def setups(rows: GameRows) -> pa.BinaryArray:
    """Return for every game a tag that begins the game, and the tags that decide how its moves are read."""
    return _joined(_BEGINS, _written(rows, [name for name in SETUP if name in rows.column_names])).cast(pa.binary())


def _written(rows: GameRows, names: list[str]) -> pa.StringArray:
    if not names:
        return pa.repeat(pa.scalar(""), len(rows))
    tags = [_joined(f'[{name} "', _escaped(rows.texts(name)), '"]\n') for name in names]
    return pc.binary_join_element_wise(*tags, "", null_handling="replace", null_replacement="")


def _escaped(values: pa.StringArray) -> pa.StringArray:
    """Return values of tags with quotes and backslashes escaped, and blanks for line breaks, which no tag can have."""
    for text, instead in (("\\", r"\\"), ('"', r"\""), ("\n", " "), ("\r", " ")):
        values = pc.replace_substring(values, text, instead)
    return values


def _joined(*texts: pa.Array | str) -> pa.Array:
    """Return texts joined; null if one of them is null."""
    return pc.binary_join_element_wise(*texts, "")


def movetexts_of(games: GameColumns, ends: pa.StringArray, annotations: pa.ListArray) -> pa.BinaryArray:
    """Return the moves of games in SAN with their numbers and annotations, and the text that ends each game.

    Args:
        games: the games.
        ends: the text that ends each game, such as its result; null if the annotations include this text.
        annotations: the texts before the first move and after each move of every game.
    """
    offsets, texts = _bytes_of(annotations.values.fill_null(""))
    has_any = annotations.value_lengths().fill_null(0).to_numpy() > 0
    firsts = np.where(has_any, annotations.offsets.to_numpy()[:-1], -1)
    written, starts = movetexts.movetexts(
        games.table, games.move_offsets, games.moves, games.boards, firsts, texts, offsets
    )
    moves = pa.Array.from_buffers(pa.large_binary(), len(games), [None, pa.py_buffer(starts), pa.py_buffer(written)])
    moves = moves.cast(pa.binary())
    return pc.binary_join_element_wise(
        pc.if_else(pc.equal(moves, b""), None, moves), ends.cast(pa.binary()), b" ", null_handling="skip"
    )


def _bytes_of(texts: pa.StringArray | pa.BinaryArray) -> tuple[np.ndarray, np.ndarray]:
    """Return the start of the first text and the end of each text, and the bytes of all texts."""
    _, at, data = texts.buffers()
    ends = np.frombuffer(at or bytes(4), np.int32)[texts.offset : texts.offset + len(texts) + 1]
    return ends, np.frombuffer(data or b"", np.uint8)


def joined(tags: pa.BinaryArray, moves: pa.BinaryArray) -> bytes:
    """Return games as one text: the tags of each, an empty line, its moves, an empty line."""
    texts = pc.binary_join_element_wise(tags, b"\n", moves, b"\n\n", b"")
    ends, data = _bytes_of(texts)
    return data[ends[0] : ends[-1]].tobytes()


# -------------------------------------------------------------------------------------------- games of a table as Games


#: Caches of values that are computed from the text.
_OF_TEXTS = ("tag_offsets", "_read_notes", "_last_moves", "tree", "_headers")


class TableGames(Games):
    """The games of some rows of a table.

    Tags are columns, read at their first use. The text of the games is built when it is first needed; then the text is
    parsed as PGN, and the parsed games replace the columns.
    """

    #: None for a part of a batch, whose text has been built.
    rows: GameRows | None = None
    #: The number of each game, if the numbers are not consecutive.
    picked: np.ndarray | None = None
    _block: Block
    _is_whole = False
    #: The moves of the games as text, until the tags are put before the moves.
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
            SourceError: if the table is damaged.
        """
        if "moves" in rows.column_names and not (notes or variations):
            games = cls(Block(b"", name, 0, 1), _columns(rows, name, first), first)
        else:
            moves = _movetexts(rows, name, first)
            text = joined(setups(rows), moves)
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
        text, self.movetexts = joined(headers(rows), moves), None
        notes, variations = self.notes is not None, self.lines is not None
        games = GameColumns.parsed(Block(text, self.source, 0, 1), notes=notes, variations=variations)
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
        """Return the same games with another name for their source."""
        games = copy.copy(self)
        games.block = self._block._replace(name=source)
        return games

    def tag(self, name: str) -> pa.StringArray:
        """Return a tag's value for every game, as ``Games.tag`` does."""
        if self.rows is None:
            return super().tag(name)
        if name in self.rows.column_names or "header" not in self.rows.column_names:
            return self.rows.texts(name)
        return self._in_headers(self.rows.column("header"), name)

    def _in_headers(self, stored: pa.BinaryArray, name: str) -> pa.StringArray:
        """Return the values of a tag without a column: only games whose tags are stored as text can have this tag."""
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
        if self.rows is None or "fault" not in self.rows.column_names:
            has_any = self.lines is not None or (self.table[:, _reader.FAULT] != NO_FAULT).any()
            for fault in super().faults() if has_any else ():
                yield fault._replace(line=0, game=int(self.numbers[fault.game - self.first]))
            return
        stored = self.rows.column("fault")
        for row in np.flatnonzero(stored.is_valid().to_numpy(zero_copy_only=False)).tolist():
            token, reason, _ = _fault(stored[row].as_py())
            yield Fault(self.source, 0, int(self.numbers[row]), token, reason)

    def repairs(self) -> Iterator[Repair]:
        """Yield what was read in other words, if the moves are text."""
        for repair in super().repairs() if self._block.written is not None else ():
            yield repair._replace(line=0, game=int(self.numbers[repair.game - self.first]))


def _fault(text: str) -> tuple[str, str, int]:
    """Return the token and the reason of a stored fault, and the number of the reason."""
    for code, reason in enumerate(FAULTS):
        if text.endswith(f": {reason}"):
            return text[: -len(reason) - 2], reason, code
    token, _, reason = text.rpartition(": ")
    return token, reason, 0


def _check(rows: GameRows, games: GameColumns) -> None:
    """Raise an error if the text of a table has other games than its rows, or other moves than its bytes."""
    if len(games) != len(rows):
        raise SourceError(
            f"{games.source} is damaged: the texts of games {games.first:,} to {games.first + len(rows) - 1:,} are not "
            "one game each"
        )
    if "moves" not in rows.column_names:
        return
    offsets, moves = _moves(rows, games.source, games.first)
    if not (np.array_equal(offsets, games.move_offsets) and np.array_equal(moves, games.moves)):
        raise SourceError(
            f"{games.source} is damaged: in games {games.first:,} to {games.first + len(rows) - 1:,} the moves and "
            "their text differ"
        )


def _moves(rows: GameRows, name: str, first: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the index of the first move of each game, and the moves."""
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


def _columns(rows: GameRows, name: str, first: int) -> ParsedGames:
    """Return the same columns as the reader of PGN, without tags and annotations."""
    offsets, moves = _moves(rows, name, first)
    table = np.zeros((len(rows), GAME_COLUMNS), np.int64)
    table[:, _reader.FIRST_MOVE], table[:, _reader.FAULT], table[:, _reader.BOARD] = offsets[:-1], NO_FAULT, -1
    table[:, _reader.VARIANT_COLUMN], table[:, _reader.CHECKS] = STANDARD, -1
    table[:, _reader.RESULT_COLUMN] = pc.index_in(rows.column("ends"), pa.array(RESULTS)).fill_null(0).to_numpy()
    boards = _set_up(rows, table)
    stored = rows.column("fault")
    for row in np.flatnonzero(stored.is_valid().to_numpy(zero_copy_only=False)).tolist():
        table[row, _reader.FAULT] = _fault(stored[row].as_py())[2]
    return ParsedGames(table, moves, np.zeros((0, 4), np.int32), boards, None)


def _set_up(rows: GameRows, table: np.ndarray) -> np.ndarray:
    """Write the starting positions and variants of games into their table, and return the boards."""
    is_set = np.zeros(len(rows), np.bool_)
    for name in SETUP:
        if name in rows.column_names:
            is_set |= rows.texts(name).is_valid().to_numpy(zero_copy_only=False)
    at = np.flatnonzero(is_set)
    if not len(at):
        return np.zeros((0, WORDS), np.uint64)
    tags = setups(rows).take(pa.array(at))
    read = GameColumns.parsed(Block(joined(tags, pa.repeat(pa.scalar(b"*"), len(at))), "", 0, 1))
    for column in (_reader.BOARD, _reader.VARIANT_COLUMN, _reader.CHECKS, _reader.CHECKS_NOW):
        table[at, column] = read.table[:, column]
    return read.boards


def _movetexts(rows: GameRows, name: str, first: int) -> pa.BinaryArray:
    """Return the moves of every game as text."""
    if "moves" not in rows.column_names:
        return pc.fill_null(rows.column("movetext").cast(pa.string()).cast(pa.binary()), b"*")
    games = Games(Block(b"", name, 0, 1), _columns(rows, name, first), first)
    annotations = rows.column("annotations")
    lengths, plies = annotations.value_lengths().fill_null(0).to_numpy(), np.diff(games.move_offsets)
    as_text = (lengths == 1) & (plies > 0)  # games that are stored as text
    if ((lengths != 0) & (lengths != plies + 1) & ~as_text).any():
        raise SourceError(f"{name} is damaged: a game from number {first:,} on has annotations of other moves")
    if not as_text.any():
        return movetexts_of(games, _ends(rows, annotations), annotations)
    is_text = pa.array(as_text)
    kept = [it[0] if is_one else None for it, is_one in zip(annotations.to_pylist(), as_text.tolist(), strict=True)]
    others = pc.if_else(is_text, pa.scalar(None, annotations.type), annotations)
    return pc.if_else(
        is_text, pa.array(kept, pa.string()).cast(pa.binary()), movetexts_of(games, _ends(rows, others), others)
    )


def _is_open(fault: str | None) -> bool:
    """Whether a game breaks off in a comment, a variation or a tag that is not closed."""
    return fault is not None and _fault(fault)[2] in {_reader.OPEN_COMMENT, _reader.OPEN_VARIATION, _reader.OPEN_TAG}


def _ends(rows: GameRows, annotations: pa.ListArray) -> pa.Array:
    """Return the text that ends each game; null if it is in the text of a game that breaks off or has no moves."""
    ends = rows.column("ends")
    said = np.zeros(len(rows), np.bool_)
    may_be_said = rows.column("fault").is_valid().to_numpy(zero_copy_only=False)
    may_be_said |= annotations.value_lengths().fill_null(0).to_numpy() == 1
    for row in np.flatnonzero(may_be_said).tolist():
        last = (annotations[row].as_py() or [None])[-1]
        said[row] = last is not None and (is_closed(last.encode()) or _is_open(rows.column("fault")[row].as_py()))
    return pc.if_else(pa.array(said), None, ends) if said.any() else ends


# -------------------------------------------------------------------------------- tables of games in Parquet as sources


#: How many positions are searched at once.
POSITIONS = 1 << 16
#: How many letters a move takes as text, with its number.
_LETTERS = 6
#: About how many bytes of PGN a byte of a table becomes.
_UNPACKED = 3


def recognised(beginning: Beginning) -> Source | None:
    """Return a Parquet file as a table of games; None if it is something else."""
    if not beginning.head.startswith(tables.PARQUET):
        return None
    with tables.reading(beginning.name):
        file = tables.parquet_file(beginning)
        with file() as parquet:
            metadata, schema = parquet.metadata, parquet.schema_arrow
    if not is_packed(metadata.metadata, beginning.name) and not _has_movetexts(schema):
        return None
    return GameTable(beginning.source, beginning.name, file, metadata, schema)


def _has_movetexts(schema: pa.Schema) -> bool:
    """Whether a table has the moves of games as text."""
    at = schema.get_field_index("movetext")
    if at < 0 or tables.fen_name(name for name in schema.names if name != "FEN"):
        return False
    kind = plain_type(schema.field(at).type)
    return pa.types.is_string(kind) or pa.types.is_large_string(kind)


class RowsOfGames(NamedTuple):
    """A group of rows of a file of games; a source of games."""

    path: str
    group: int
    #: The number of its first game.
    game: int
    #: About how many bytes of text the games would have.
    size: int


def part_of(part: RowsOfGames) -> Source:
    """Return a group of rows as a source."""
    table = recognised(Beginning.of(part.path))
    if not isinstance(table, GameTable):
        raise SourceError(f"{part.path} has changed since it was opened: it has no packed games")
    table.part = part
    return table


class GameTable(SourceOfGames):
    """A table of games in Parquet."""

    #: The only row group that is read; None for all row groups.
    part: RowsOfGames | None = None

    def __init__(
        self, source: Text, name: str, file: tables.OpenParquet, metadata: pq.FileMetaData, schema: pa.Schema
    ) -> None:
        if twice := next((it for it in schema.names if schema.names.count(it) > 1), None):
            raise SourceError(f"{name} has more than one column {shortened(twice)}: rename one of them")
        self.source, self.name, self.file, self.metadata, self.schema = source, name, file, metadata, schema

    def scan(self, question: Question, number: int = 1) -> Iterator[Job]:
        """Yield batches of whole games; the first game of the table gets this number."""
        for part in self.divided(0) if self.part is None else [self.part]:
            group, first = self.group(part.group), part.game + number - 1
            for start, stop in self._batches(group):
                yield GamesJob(GameRows(group, start, stop), self.name, first + start, question)

    def divided(self, size: int, *, numbered_by: int | None = None) -> Iterator[RowsOfGames]:
        """Yield the groups of rows of the file, with the numbers of their first games."""
        first = 1
        for number in range(self.metadata.num_row_groups):
            group = self.metadata.row_group(number)
            yield RowsOfGames(self.name, number, first, _UNPACKED * group.total_byte_size)
            first += group.num_rows

    def group(self, number: int) -> RowGroup:
        """Return a group of rows, whose columns are read at their first use."""

        def read(name: str) -> pa.ChunkedArray:
            with tables.reading(f"{self.name}, row group {number + 1} of {self.metadata.num_row_groups},"):
                with self.file() as parquet:
                    column = parquet.read_row_group(number, [name]).column(name)
                if len(column) != count:
                    raise ValueError(f"its column {name} has {len(column):,} values instead of {count:,}")
                column.validate(full=True)
                if name in OWN:  # another program may have written them in other types
                    known = PACKED_COLUMNS.get_field_index(name)
                    return column.cast(PACKED_COLUMNS.field(known).type) if known >= 0 else column
                return as_texts(column, name)

        count = self.metadata.row_group(number).num_rows
        folders = layout.hive_values(Path(self.source)) if isinstance(self.source, str) else {}
        return RowGroup(self.schema, count, read, {name: pa.scalar(it, pa.string()) for name, it in folders.items()})

    def _batches(self, group: RowGroup) -> Iterator[tuple[int, int]]:
        """Yield the first row and the end of each batch; a batch has about ``POSITIONS`` positions."""
        with tables.reading(self.name):
            is_packed = "moves" in group.schema.names
            column = group.column("moves" if is_packed else "movetext")
            lengths = pc.fill_null(pc.binary_length(column), 0).to_numpy(zero_copy_only=False)
            ends = np.cumsum(lengths // (2 if is_packed else _LETTERS) + 1)
        start = 0
        while start < group.count:
            before = ends[start - 1] if start else 0
            stop = max(int(np.searchsorted(ends, before + POSITIONS)), start + 1)
            yield start, min(stop, group.count)
            start = stop


class GamesJob(Job):
    """Some rows of a table, each a game; ``numbers`` are the numbers of the games, or the number of the first game."""

    def __init__(self, rows: GameRows, name: str, numbers: int | np.ndarray, question: Question) -> None:
        self.rows, self.name, self.numbers, self.question = rows, name, numbers, question

    def run(self) -> Batch:
        """Return the games."""
        first = self.numbers if isinstance(self.numbers, int) else int(self.numbers[0])
        notes, variations = self.question.notes, self.question.variations
        games = TableGames.of(self.rows, self.name, first, notes=notes, variations=variations)
        games.picked = None if isinstance(self.numbers, int) else self.numbers
        return Batch(games, None, [*games.faults(), *games.repairs()], 2 * len(games.moves))
