"""The part files of a store: one reading of a part's games writes all of its layers.

A part has the games of some batches of a source, and each layer of the part is one object here: the tables of games and
positions, the packed games, the sorted run of their positions, and the bitmaps of columns. ``Work`` runs the batches
once and passes each to all layers that the part lacks. The division of a source into parts depends only on the source,
so a layer can be added later, and a part that was lost can be written again. Every file says in its footer which part
it is, so that a lost log can be written again from the files.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from threading import Event
from typing import Any, NamedTuple, cast

import numpy as np
import pyarrow as pa

from setwise.corpus.columns import GAMES, PLACE, VARIATION_COLUMNS, table_of
from setwise.corpus.pgnfiles.packing import rows_of
from setwise.corpus.sources.jobs import Batch, Job
from setwise.corpus.storage import encodings, layout
from setwise.corpus.storage.encodings import OUTCOMES, in_order, packed_schema, with_usual_starts, writer
from setwise.corpus.storage.encodings import ROWS as OF_RUN
from setwise.corpus.storage.layout import measured
from setwise.corpus.storage.log import Part
from setwise.errors import OutputError, QueryError, SetwiseError, SourceError
from setwise.game.games import Fault, Games
from setwise.position.positions import PLAIN_COLUMNS
from setwise.rules.board import USUAL_START
from setwise.system.files import reason_of, settle
from setwise.system.packages import pc

# ------------------------------------------------------------------------------------------- the division into parts


#: Batches in a part: ``_FEW`` in the first ``_WITH_FEW`` parts, so that small sources keep all cores busy, then
#: ``_MANY``, for fewer files. The last batches of a source are divided into parts of a quarter of that size.
_FEW, _MANY, _WITH_FEW = 8, 32, 32


def parts_of(jobs: Iterator[Job], *, grow: bool) -> Iterator[tuple[list[Job], bool]]:
    """Yield the jobs of each part, and whether the part is complete; another reading yields the same parts.

    A part is incomplete if the source cannot be read to its end; then the error follows. With ``grow``, parts become
    larger; batches of tables are large already. The last parts are small, so that all threads finish together.
    """
    number, waiting = 1, list[Job]()
    size = _FEW
    try:
        for job in jobs:
            waiting.append(job)
            size = _MANY if grow and number > _WITH_FEW else _FEW
            if len(waiting) == size + size // 2:
                yield waiting[:size], True
                number, waiting = number + 1, waiting[size:]
    except SourceError:
        if waiting:
            yield waiting, False
        raise
    for start in range(0, len(waiting), size // 4):
        yield waiting[start : start + size // 4], True


# ------------------------------------------------------------------------------------- one reading writes all layers


class Stopped(SetwiseError):
    """Raised in worker threads when the writing is stopped."""


class Made(NamedTuple):
    """A part that has been written to temporary files, and the faults of its games."""

    part: Part
    faults: list[Fault]
    aside: Path
    #: The temporary files with their final paths. Games come first, so that every position has its game.
    files: dict[Path, Path]

    def name(self) -> None:
        """Rename the files to their final paths after they are on the disk; worker threads do not wait for the disk."""
        for file, place in self.files.items():
            if file.exists():  # else it was renamed before an interrupt
                settle(file)
                place.parent.mkdir(parents=True, exist_ok=True)
                file.replace(place)
            settle(place.parent)
        shutil.rmtree(self.aside, ignore_errors=True)


class Layer:
    """The files of one layer of a part, which are written batch by batch."""

    def add(self, batch: Batch) -> None:
        """Add the games of a batch."""
        raise NotImplementedError

    def written(self, footer: Mapping[str, str]) -> dict[Path, str]:
        """Complete the files, with these texts in their footers, and return their paths in the store."""
        raise NotImplementedError


_Layers = Callable[[ExitStack, Path, str], list[Layer]]
#: The key of the text in the footer of a part file that says which part it is.
OF_PART = "setwise.part"


class Work(NamedTuple):
    """How the parts of a source are written."""

    folder: Path
    #: What the footers say about the source and the store.
    about: Mapping[str, Any]
    #: Set when the writing is stopped.
    stop: Event
    #: Called after each batch with its numbers of games, positions and bytes of the source.
    on_batch: Callable[[int, int, int], Any]

    def make(
        self,
        name: str,
        jobs: list[Job],
        layers: _Layers,
        *,
        part: int,
        is_whole: bool = True,
        before: Part | None = None,
    ) -> Made:
        """Write the temporary files of layers of a part.

        Args:
            name: the name of the files.
            jobs: the batches; finished ones are removed, which frees their texts.
            layers: returns the layers, whose temporary files are in a folder.
            part: the number of the part in the source.
            is_whole: whether the source could be read to the end of the part.
            before: the part as it was; it gains the files of the layers.

        Raises:
            OutputError: if the files cannot be written. Stopped: if the writing is stopped meanwhile.
        """
        aside = self.folder / layout.UNFINISHED / name
        jobs.reverse()  # finished jobs are removed from the end
        try:
            for job in reversed(jobs):
                job.prepare()
            for job in reversed(jobs):
                job.settle()
            with ExitStack() as undo:
                undo.callback(shutil.rmtree, aside, ignore_errors=True)
                aside.mkdir(parents=True)
                with ExitStack() as files:
                    counted, faults, named = self._written(layers(files, aside, name), jobs, part, is_whole=is_whole)
                sums = {place: measured(file) for file, place in named.items()}
                if before is not None:
                    counted, sums = before, {**before.files, **sums}
                undo.pop_all()
                files_of = {file: self.folder / place for file, place in named.items()}
                return Made(counted._replace(files=sums), faults, aside, files_of)
        except (OSError, pa.ArrowException) as error:
            raise OutputError(f"{self.folder} cannot be written: {reason_of(error)}") from None
        finally:
            for job in jobs:
                job.abandon()

    def _written(
        self, layers: list[Layer], jobs: list[Job], number: int, *, is_whole: bool
    ) -> tuple[Part, list[Fault], dict[Path, str]]:
        first, games, positions, read, faults = None, 0, 0, 0, list[Fault]()
        while jobs:
            if self.stop.is_set():
                raise Stopped("the writing is given up")
            batch = jobs[-1].run()
            jobs.pop()
            for layer in layers:
                layer.add(batch)
            first = batch.games.first if first is None else first
            games, positions, read = games + batch.game_count, positions + len(batch.positions), read + batch.size
            faults += batch.faults
            self.on_batch(batch.game_count, len(batch.positions), batch.size)
        part = Part(first or 1, games, positions, is_whole, read=read)
        counts = {name: value for name, value in part._asdict().items() if name != "files"}
        footer = {OF_PART: json.dumps({**self.about, "part": number, **counts})}
        return part, faults, {file: place for layer in layers for file, place in layer.written(footer).items()}


# ------------------------------------------------------------------------------------ the tables of games and positions


#: The columns that every scan writes: the place of the position, the move, and the whole position.
PLACE_COLUMNS = (
    *PLACE, "white_to_move", "move",
    "white_pawns", "white_knights", "white_bishops", "white_rooks", "white_queens", "white_king",
    "black_pawns", "black_knights", "black_bishops", "black_rooks", "black_queens", "black_king",
    "castling_rights", "en_passant", "halfmove_clock", "fullmove_number", "key",
)  # fmt: skip
#: Rows in a row group; all columns of a row group are in memory while it is written.
ROWS = 1 << 17
#: The largest number of folders that a part is divided into.
_MOST_FOLDERS = 2_000


class Tables(NamedTuple):
    """The columns of the positions of a store, and the columns that divide the positions into Hive's folders."""

    columns: list[str]
    partition_by: list[str]

    @property
    def variations(self) -> bool:
        """Whether the lines of variations are written, too."""
        return {*VARIATION_COLUMNS} <= {*self.columns}

    @property
    def usual(self) -> tuple[str, ...]:
        """The columns that are null, and raise no error, for a source that does not have them."""
        return (*PLACE_COLUMNS, *VARIATION_COLUMNS) if self.variations else PLACE_COLUMNS


class TablesOfPart(Layer):
    """The table of the games, and the positions in one file or in one file in each folder.

    Args:
        stack: closes the files.
        aside: the folder of temporary files.
        name: the name of the files.
        schema: all columns of the positions.
        by: the columns that divide the positions into folders.
        own: columns of the source itself.
    """

    def __init__(
        self, stack: ExitStack, aside: Path, name: str, schema: pa.Schema, by: list[str], own: Mapping[str, pa.DataType]
    ) -> None:
        self.stack, self.aside, self.name, self.partition_by = stack, aside, name, by
        fields = [field for field in schema if field.name not in by]
        self.schema, self.columns = packed_schema(pa.schema(fields), own), [it.name for it in fields]
        self.games: list[pa.Table] = []
        #: By folder: the temporary file, its writer, and the tables to write next.
        self.places: dict[str, Path] = {}
        self.writers: dict[str, Any] = {}
        self.waiting: dict[str, list[pa.Table]] = {}
        self.rows = 0
        #: Whether all games of the waiting rows begin at the usual position; by folder, the same for each row group.
        self.begin_as_usual = True
        self.usual_starts: dict[str, list[bool]] = {}
        if not by:
            self._opened("")

    def _opened(self, branch: str) -> Any:
        if branch not in self.writers:
            if len(self.writers) == _MOST_FOLDERS:
                names = " and ".join(self.partition_by)
                raise QueryError(f"{names} divide the positions into more than {_MOST_FOLDERS:,} folders")
            self.places[branch] = self.aside / f"{layout.POSITIONS}-{len(self.places)}"
            self.writers[branch] = self.stack.enter_context(writer(self.places[branch], self.schema))
        return self.writers[branch]

    def add(self, batch: Batch) -> None:
        """Add the games of a batch; write all waiting positions when they are enough for a row group."""
        self.games.append(batch.games_table())
        table = table_of(batch.positions, self.columns).cast(self.schema)
        for branch, rows in self._branches(batch):
            self.waiting.setdefault(branch, []).append(table if rows is None else table.take(rows))
        self.rows += table.num_rows
        self.begin_as_usual &= _begin_as_usual(batch)
        if self.rows >= ROWS:
            self._flush()

    def _branches(self, batch: Batch) -> Iterator[tuple[str, pa.Array | None]]:
        """Yield the folders that the rows of a batch belong to."""
        if not self.partition_by:
            yield "", None
            return
        values = table_of(batch.positions, self.partition_by)
        # Before each value there is a mark, which null lacks: it is no empty text.
        marked = (pc.binary_join_element_wise("=", column.cast(pa.string()), "") for column in values.columns)
        texts = [column.fill_null("") for column in marked]
        numbered = pc.dictionary_encode(pc.binary_join_element_wise(*texts, "\0")).combine_chunks()
        codes = numbered.indices.to_numpy()
        for code, text in enumerate(numbered.dictionary.to_pylist()):
            found = tuple(it[1:] if it else None for it in text.split("\0"))
            yield layout.branch(self.partition_by, found), pa.array(np.flatnonzero(codes == code))

    def _flush(self) -> None:
        """Write the waiting rows, folder by folder."""
        for branch, tables in self.waiting.items():
            table = pa.concat_tables(tables).unify_dictionaries()
            self._opened(branch).write_table(table, row_group_size=max(table.num_rows, 1))
            self.usual_starts.setdefault(branch, []).append(self.begin_as_usual)
        self.waiting, self.rows, self.begin_as_usual = {}, 0, True

    def written(self, footer: Mapping[str, str]) -> dict[Path, str]:
        """Complete the files; each file of positions says which of its row groups have only usual starts."""
        self._flush()
        for branch, file in self.writers.items():
            with_usual_starts(file, self.usual_starts.get(branch, []))
            file.add_key_value_metadata(footer)
            file.close()
        with writer(self.aside / layout.GAMES, GAMES) as file:
            file.write_table(pa.concat_tables(self.games))
            file.add_key_value_metadata(footer)
        named = {self.aside / layout.GAMES: f"{layout.GAMES}/{self.name}"}
        for branch, place in self.places.items():
            named[place] = "/".join(filter(None, (layout.POSITIONS, branch, self.name)))
        return named


def _begin_as_usual(batch: Batch) -> bool:
    """Whether all games of a batch begin at the usual position."""
    positions = batch.positions
    if not batch.is_of_games or positions.ply is None:
        return False
    first = np.flatnonzero(positions.ply == 0)
    columns = (*positions.sets[:, first], *(getattr(positions, name)[first] for name in PLAIN_COLUMNS))
    return all((column == word).all() for column, word in zip(columns, USUAL_START, strict=True))


# ------------------------------------------------------------------- packed games, the run of their positions, bitmaps


#: Positions in a row group of packed games: to read one game, the columns of its whole row group are decompressed.
_GROUP = 1 << 16
#: Games in a row group of outcomes.
_OUTCOMES = 1 << 15


class PackedOfPart(Layer):
    """The games as they are, with annotations and variations."""

    def __init__(self, stack: ExitStack, aside: Path, name: str, schema: pa.Schema) -> None:
        self.place, self.name, self.schema = aside / layout.PACKED, name, schema
        self.file = stack.enter_context(encodings.packed_writer(self.place, schema))
        self.waiting, self.size = list[pa.Table](), 0

    def add(self, batch: Batch) -> None:
        """Add the games of a batch."""
        self.waiting.append(rows_of(cast("Games", batch.games), batch.faults, self.schema))
        self.size += len(batch.positions)
        if self.size >= _GROUP:
            self._flush()

    def _flush(self) -> None:
        if self.waiting:
            self.file.write_table(pa.concat_tables(self.waiting), row_group_size=1 << 30)
        self.waiting, self.size = [], 0

    def written(self, footer: Mapping[str, str]) -> dict[Path, str]:
        """Complete the file."""
        self._flush()
        self.file.add_key_value_metadata(footer)
        self.file.close()
        return {self.place: f"{layout.PACKED}/{self.name}"}


class RunOfPart(Layer):
    """The positions sorted by key, and the outcomes of the games.

    Args:
        aside: the folder of temporary files.
        name: the name of the files.
        source: the number of the source.
    """

    def __init__(self, aside: Path, name: str, source: int) -> None:
        self.aside, self.name, self.source = aside, name, source
        self.columns: list[list[np.ndarray]] = []
        self.outcomes: list[np.ndarray] = []

    def add(self, batch: Batch) -> None:
        """Add the positions of a batch."""
        positions = batch.positions
        numbers = batch.games.numbers[positions.game]
        self.columns.append([positions.keys(), numbers, positions.ply, np.asarray(positions.moves, np.uint16)])
        self.outcomes.append(encodings.outcomes_of(batch.games))

    def written(self, footer: Mapping[str, str]) -> dict[Path, str]:
        """Write the files of the run."""
        keys, games, plies, codes = (
            (np.concatenate(column) for column in zip(*self.columns, strict=True))
            if self.columns else (np.zeros(0, kind) for kind in (np.uint64, np.int32, np.int32, np.uint16))
        )  # fmt: skip
        self.columns.clear()  # what is sorted now need not be in memory twice
        keys, order = in_order(keys)
        numbers = np.full(len(keys), self.source, np.uint32)
        columns = [keys, numbers, games[order], plies[order], codes[order]]
        with encodings.runs_writer(self.aside / "run", OF_RUN) as file:
            table = pa.table([pa.array(it) for it in columns], schema=OF_RUN)
            file.write_table(table, row_group_size=encodings.group_size(len(keys)))
            file.add_key_value_metadata(footer)
        outcomes = np.concatenate(self.outcomes) if self.outcomes else np.zeros((0, len(OUTCOMES)), np.int16)
        of_games = [pa.array(column).cast(field.type) for column, field in zip(outcomes.T, OUTCOMES, strict=True)]
        write_outcomes(self.aside / layout.OUTCOMES, pa.table(of_games, schema=OUTCOMES), footer)
        return {
            self.aside / file: f"{layout.KEYS}/{place}/{self.name}"
            for file, place in (("run", layout.POSITIONS), (layout.OUTCOMES, layout.OUTCOMES))
        }


def write_outcomes(place: Path, table: pa.Table, footer: Mapping[str, str]) -> None:
    """Write the outcomes of the games of a run."""
    with encodings.runs_writer(place, OUTCOMES) as file:
        file.write_table(table, row_group_size=_OUTCOMES)
        file.add_key_value_metadata(footer)


class BitmapsOfPart(Layer):
    """The bitmaps of some columns over the games.

    Args:
        aside: the folder of temporary files.
        name: the name of the files.
        number: the number of the list of columns.
        columns: the columns.
    """

    def __init__(self, aside: Path, name: str, number: int, columns: Iterable[str]) -> None:
        self.place, self.path = aside / f"{layout.FEATURES}-{number}", layout.bitmaps_name(number, name)
        self.games: list[np.ndarray] = []
        self.bits: dict[str, list[np.ndarray]] = {name: [] for name in columns}

    def add(self, batch: Batch) -> None:
        """Add the games of a batch."""
        self.games.append(batch.games.numbers)
        for name, bits in self.bits.items():
            bits.append(encodings.bitmap(batch.positions, name))

    def written(self, footer: Mapping[str, str]) -> dict[Path, str]:
        """Write the file."""
        nothing = np.zeros(0, np.bool_)
        bits = {name: pa.array(np.concatenate([nothing, *its])) for name, its in self.bits.items()}
        games = np.concatenate([np.zeros(0, np.int32), *self.games])
        table = pa.table({encodings.GAME: pa.array(games), **bits})
        encodings.write(self.place, table.replace_schema_metadata(footer))
        return {self.place: self.path}
