"""``scan``: writes the positions of games with requested columns to Parquet, and a table of the games.

Every scan has the place of a position, the move and the whole board, so that columns that were not requested at first
can be computed later; ``features`` adds columns. ``Dataset`` writes a folder in parts, in which an index may lie, too;
a single search writes one file. ``RowParts`` writes a scan from rows that several processes have, such as Spark's
workers: each process writes files that do not count yet, and one commit names them all. The games must be whole and in
order, and the positions must follow from the moves, because a reader of a scan does not check this again.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import json
import os
import shutil
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from setwise.corpus.columns import (
    COLUMNS,
    GAMES,
    OF_TABLES,
    OF_TAGS,
    PLACE,
    VARIATION_COLUMNS,
    checked,
    games_table,
    schema_of,
)
from setwise.corpus.columns.place import plies
from setwise.corpus.dataset.folder import Dataset, locked
from setwise.corpus.dataset.parts import OF_PART, PLACE_COLUMNS, ROWS, Made, Tables
from setwise.corpus.outputs import Parquet, Request, opened
from setwise.corpus.query.search import Query, planned, search, usable_threads
from setwise.corpus.sources.jobs import Records
from setwise.corpus.sources.places import Sources, apart, expanded
from setwise.corpus.sources.scans import played
from setwise.corpus.storage import layout
from setwise.corpus.storage.encodings import packed_schema, with_usual_starts, writer
from setwise.corpus.storage.layout import FileSum, measured
from setwise.corpus.storage.log import TABLES, Manifest, Part, Seen
from setwise.errors import OutputError, QueryError, SetwiseError, did_you_mean
from setwise.features import FEATURES
from setwise.game.games import Fault
from setwise.position.positions import PLAIN_COLUMNS, Positions
from setwise.rules.board import SETS, USUAL_START
from setwise.system.files import in_utf8, reason_of
from setwise.version import __version__

# ----------------------------------------------------------------------------------------------------------------- scan


#: The columns that have one value in a game, and can therefore divide a scan into folders.
_GAME_COLUMNS = frozenset(name for name, column in COLUMNS.items() if column.of_games is not None) - {"source", "game"}


class Scanned(NamedTuple):
    """The result of a scan: the numbers of games and positions, their paths, and the former number of positions."""

    games: int
    positions: int
    positions_path: Path
    games_path: Path
    kept: int = 0


def feature_columns(names: str | Iterable[str]) -> list[str]:
    """Return the columns for features (both sides), columns, or ``all``; ``QueryError`` for unknown names.

    ``all`` means every column except ``own_…`` and ``enemy_…``, which repeat the columns of White and Black in another
    order, the columns of variations, and the columns of exact ends, which need tablebases.
    """
    columns: list[str] = []
    for name in [names] if isinstance(names, str) else names:
        if name == "all":
            columns += [it for it in COLUMNS if not it.startswith(("own_", "enemy_")) and it not in OF_TABLES]
        elif name in FEATURES:
            columns += [f"white_{name}", f"black_{name}"]
        else:
            try:
                columns += checked([name])
            except QueryError:
                near = did_you_mean(name, [*FEATURES, *COLUMNS], in_list=True)
                raise QueryError(f"there is no feature or column {name!r:.60}{near}") from None
    return list(dict.fromkeys(columns))


def _partition_columns(names: str | Iterable[str]) -> list[str]:
    """Check and return the columns that divide a scan into folders."""
    columns = checked([names] if isinstance(names, str) else names)
    for name in columns:
        if name not in _GAME_COLUMNS and not name.startswith("tag:"):
            raise QueryError(
                f"a scan is divided by columns that are the same all game long, such as year, eco or result, not {name}"
            )
    return columns


def scan(
    sources: Sources,
    output: str | os.PathLike[str],
    *,
    features: str | Iterable[str] = (),
    partition_by: str | Iterable[str] = (),
    variations: bool = False,
    index: bool = False,
    threads: int | None = None,
    force: bool = False,
    on_batch: Callable[[int, int, int], Any] | None = None,
    on_fault: Callable[[Fault], Any] | None = None,
) -> Scanned:
    """Write every position of the games of sources to Parquet files, and the games to other files beside these.

    Args:
        sources: one source or several, as for ``find``. An empty list means the sources that the directory has; of an
            index, the games in it are scanned.
        output: a directory, for ``positions/part-….parquet`` and ``games/part-….parquet``, or ``NAME.parquet``, with
            the games in ``NAME.games.parquet``.
        features: features (both sides), columns, or ``"all"``, one or several, in addition to the place, the move and
            the whole position.
        partition_by: columns such as ``year`` or ``eco`` that divide the positions into Hive's folders
            (``positions/year=1999/part-….parquet``).
        variations: whether the variations, in parentheses in PGN, are written, too, with the columns ``line``,
            ``depth``, ``is_main_line``, ``parent_ply``, and the columns of the move that led to the position:
            ``last_move``, ``last_san``, ``last_nags`` and ``last_comment``.
        index: whether the same reading writes an index, too, as ``setwise.index`` does; only in a directory.
        threads: the number of threads, by default one per processor.
        force: whether to replace another scan in the directory.
        on_batch: called after each batch with its numbers of games, positions and bytes of the sources (compressed
            bytes, if they are compressed).
        on_fault: called for every game that breaks off.

    Raises:
        QueryError: an unknown feature. SourceError: a source is missing, cannot be read, or is not PGN; all other
            sources are written first.
        OutputError: the output cannot be written, contains a scan with other arguments or of sources that have changed,
            is being written by another scan, or is itself among the sources.
        ValueError: ``threads`` is less than 1.

    Files get their names when they are complete. In a directory, an interrupted scan leaves the finished parts; the
    same call continues after these parts, and adds new files among the sources. A single file has the name
    ``NAME.parquet.part`` until it is complete; after an error or Ctrl-C this file can be read.
    """
    usual = (*PLACE_COLUMNS, *VARIATION_COLUMNS) if variations else PLACE_COLUMNS
    columns = list(dict.fromkeys([*usual, *feature_columns(features)]))
    threads = usable_threads(threads)
    path = Path(in_utf8(output))
    if path.suffix.lower() == ".parquet":
        if partition_by or index:
            what = "divided" if partition_by else "indexed"
            raise QueryError(f"a scan is {what} in a directory, not in one file such as {path}")
        query = Query(columns=columns, lenient=usual, variations=variations)
        return _into_one_file(sources, path, query, threads, on_batch, on_fault)
    tables = Tables(columns, _partition_columns(partition_by))
    dataset = Dataset(path, tables, keys=index, threads=threads, on_batch=on_batch, on_fault=on_fault)
    parts, before = dataset.write(sources, force=force)
    games, positions = (sum(getattr(part, name) for part in parts) for name in ("games", "positions"))
    return Scanned(games, positions, path / layout.POSITIONS, path / layout.GAMES, before)


def _into_one_file(
    sources: Sources,
    path: Path,
    query: Query,
    threads: int,
    on_batch: Callable[[int, int, int], Any] | None,
    on_fault: Callable[[Fault], Any] | None,
) -> Scanned:
    games_path = path.with_suffix(".games.parquet")
    games_count = positions_count = 0
    given = apart(expanded(sources), path, games_path)
    plans = planned(given if isinstance(sources, Iterator) else list(given), query)
    with ExitStack() as stack:
        with layout.writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
        positions_file, games_file = (
            stack.enter_context(opened(place, Request(schema), Parquet))
            for place, schema in ((path, schema_of(query.columns or ())), (games_path, GAMES))
        )
        for result in search(plans, threads=threads, on_fault=on_fault):
            # Games are written first, so that no position lacks its game.
            games = result.batch.games_table()
            games_file.write_table(games)
            positions_file.write(result)
            games_count += games.num_rows
            positions_count += result.searched
            if on_batch is not None:
                on_batch(result.batch.game_count, result.searched, result.batch.size)
    return Scanned(games_count, positions_count, path, games_path)


# --------------------------------------------------- parts of a scan from rows of positions that several processes hold


#: The columns that rows must have: all columns of every scan, except the key.
_REQUIRED = tuple(name for name in PLACE_COLUMNS if name != "key")
_ADVICE = f"a part holds whole games: repartition by source and game, and sort within partitions by {', '.join(PLACE)}"
#: The name of the source of parts that are written from rows.
_ROWS = "rows"
_GONE = "the writing has ended, or the folder is not the same on every machine"


class WrittenPart(NamedTuple):
    """A part that one process has written to files; they do not belong to the scan yet."""

    aside: Path
    #: The games as ranges of numbers: the source, the first number and the last number.
    games: list[tuple[str, int, int]]
    positions: int
    sums: dict[str, FileSum]

    def made(self, folder: Path, name: str) -> Made:
        """Return the part with its name in the folder of a scan."""
        paths = {kind: Path(kind, name) for kind in (layout.GAMES, layout.POSITIONS)}  # no position lacks its game
        sums = {path.as_posix(): self.sums[kind] for kind, path in paths.items()}
        first = self.games[0][1] if self.games else 1
        part = Part(first, self.sums[layout.GAMES].rows, self.positions, files=sums)
        return Made(part, [], self.aside, {self.aside / kind: folder / path for kind, path in paths.items()})


class RowParts:
    """A scan in a folder that several processes write, one part each; ``commit`` or ``abort`` ends the writing.

    Args:
        folder: the folder, which is created if it does not exist; all processes see it under this path.
        schema: the columns of the rows, with their Arrow types.
        force: whether to replace another scan in the folder; if not, the parts are added to that scan.

    Raises:
        QueryError: if a column that every scan has is missing.
        OutputError: if the folder cannot be written.
    """

    def __init__(self, folder: str | Path, schema: pa.Schema, *, force: bool = False) -> None:
        for name in _REQUIRED:
            if name not in schema.names:
                raise QueryError(f"the rows have no column {name}; a scan is written from {', '.join(_REQUIRED)}")
        self.folder, self.force = Path(in_utf8(str(folder))), force
        source_columns = {field.name: field.type for field in schema if field.name not in COLUMNS}
        kinds = [(field.name, source_columns.get(field.name) or COLUMNS[field.name].type) for field in schema]
        self.schema = packed_schema(pa.schema(kinds), source_columns)
        self.arguments = {"version": __version__, "columns": self.schema.names, "partitioning": []}
        self.aside = self.folder / layout.UNFINISHED / uuid.uuid4().hex
        with layout.writing(self.folder):
            self.aside.mkdir(parents=True)

    def write(self, batches: Iterable[pa.RecordBatch]) -> WrittenPart:
        """Write the rows of one process, whole games in order.

        Raises:
            QueryError: if a game is not whole, or a position does not follow from the moves.
            OutputError: if the files cannot be written.
        """
        aside = self.aside / uuid.uuid4().hex
        try:
            with ExitStack() as undo:
                undo.callback(shutil.rmtree, aside, ignore_errors=True)
                written = self._written(aside, batches)
                undo.pop_all()
                return written
        except FileNotFoundError:  # the folder of unfinished files has been removed
            raise OutputError(f"{self.folder} cannot be written: {_GONE}") from None
        except OSError as error:
            raise OutputError(f"{self.folder} cannot be written: {reason_of(error)}") from None

    def _written(self, aside: Path, batches: Iterable[pa.RecordBatch]) -> WrittenPart:
        aside.mkdir()  # not its parent: after ``abort`` a late process must not make it again
        games: list[tuple[str, int, int]] = []
        positions, usual = 0, list[bool]()
        paths = {kind: aside / kind for kind in (layout.GAMES, layout.POSITIONS)}
        with (
            writer(paths[layout.POSITIONS], self.schema) as rows_file,
            writer(paths[layout.GAMES], GAMES) as games_file,
        ):
            for rows in self._whole_games(batches):
                begins = _begins_of(rows)
                usual.append(_check_boards(rows, begins))
                rows_file.write_table(rows, row_group_size=len(rows))
                held = _GamesOfRows(rows, begins)
                games_file.write_table(games_table(held, ()))
                games += held.ranges()
                positions += len(rows)
            with_usual_starts(rows_file, usual)
            footer = {OF_PART: json.dumps(self._about(games, positions))}
            for file in (rows_file, games_file):
                file.add_key_value_metadata(footer)
        return WrittenPart(aside, games, positions, {kind: measured(aside / kind) for kind in paths})

    def _about(self, games: list[tuple[str, int, int]], positions: int) -> dict[str, Any]:
        """Return what the footers of a part's files say, as those of ``Work`` do."""
        first, count = games[0][1] if games else 1, sum(last - low + 1 for _, low, last in games)
        return {
            "name": _ROWS, **Seen(None, None, None)._asdict(), "names": {name: name for name, _, _ in games},
            "layers": {TABLES: self.arguments}, "bitmaps": {},
            **Part(first, count, positions)._replace(files={})._asdict(),
        }  # fmt: skip

    def _whole_games(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
        """Yield the rows in tables of whole games."""
        waiting: list[pa.Table] = []
        count = 0
        for batch in batches:
            waiting.append(self._conformed(pa.Table.from_batches([batch])))
            count += batch.num_rows
            if count >= ROWS:
                rows = _joined(waiting)
                starts = np.flatnonzero(rows.column("ply").to_numpy() == 0)
                if len(starts) and starts[-1] > 0:
                    yield rows.slice(0, starts[-1])
                    waiting = [rows.slice(starts[-1])]
                    count = waiting[0].num_rows
        if count:
            yield _joined(waiting)

    def _conformed(self, rows: pa.Table) -> pa.Table:
        """Return the rows with the types of the columns; sets may be signed in ``rows``."""
        columns = []
        for field in self.schema:
            column = rows.column(field.name)
            if not field.nullable and column.null_count:
                raise QueryError(f"the column {field.name} has no value in {column.null_count:,} rows")
            if column.type == pa.int64() and field.type == pa.uint64():
                column = pa.chunked_array([chunk.view(field.type) for chunk in column.chunks], field.type)
            try:
                columns.append(column.cast(field.type))
            except pa.ArrowException as error:
                raise QueryError(f"the column {field.name} is not {field.type}: {error}") from None
        return pa.table(columns, schema=self.schema)

    def commit(self, parts: Iterable[WrittenPart]) -> None:
        """Name the files of the parts, and record all parts at once; until then the scan does not change.

        Raises:
            OutputError: if two parts have the same game, or the folder has a scan with other columns or with games of
                the same sources.
        """
        parts = [*parts] or [self.write(())]
        _check_once(parts)
        with layout.writing(self.folder), locked(self.folder):
            shutil.rmtree(self.folder / layout.REPLACED, ignore_errors=True)
            with contextlib.closing(Manifest(self.folder, force=self.force, at_once=True)) as manifest:
                manifest.layer(TABLES, self.arguments)
                self._enter(manifest, parts)
        self.abort()

    def _enter(self, manifest: Manifest, parts: list[WrittenPart]) -> None:
        names = dict.fromkeys(name for part in parts for name, _, _ in part.games)
        known = {name for source in manifest.sources for name in source.names.values()}
        if twice := [name for name in names if name in known]:
            raise OutputError(
                f"{self.folder} holds games of {twice[0]} already; overwrite it, or choose another folder"
            )
        with ExitStack() as undo:
            source = manifest.source(_ROWS, Seen(None, None, None), {name: name for name in names})
            made = {at: part.made(self.folder, source.name_of(at)) for at, part in enumerate(parts, 1)}
            for it in made.values():  # beside the files of the old scan, valid until the manifest is replaced
                for path in it.files.values():
                    undo.callback(path.unlink, missing_ok=True)
                it.name()
            for at, it in made.items():
                manifest.part(source, at, it.part)
            manifest.done(source)
            manifest.end()
            undo.pop_all()
        manifest.commit()

    def abort(self) -> None:
        """Remove the files that do not count, and the folder if nothing else is in it.

        Other processes may still be writing. So the folder is renamed first: then it gets no more files.
        """
        gone = self.aside.with_name(f"{self.aside.name}-removed")
        with contextlib.suppress(OSError):
            self.aside.rename(gone)
        for folder in (gone, self.aside):
            shutil.rmtree(folder, ignore_errors=True)
        for folder in (self.aside.parent, self.folder):
            with contextlib.suppress(OSError):
                folder.rmdir()


def _joined(tables: list[pa.Table]) -> pa.Table:
    return pa.concat_tables(tables).unify_dictionaries().combine_chunks()


def _place(rows: pa.Table, row: int) -> str:
    return f"game {rows.column('game')[row]} of {rows.column('source')[row]}"


def _begins_of(rows: pa.Table) -> np.ndarray:
    """Return the first row of each game; raise ``QueryError`` if games are not whole or not in order."""
    ply, game = (rows.column(name).to_numpy() for name in ("ply", "game"))
    source = rows.column("source").combine_chunks().indices.to_numpy()
    begins = np.flatnonzero(ply == 0)
    starts = np.append(begins, len(ply))
    ends = np.zeros(len(ply), np.bool_)
    ends[starts[1:] - 1] = True
    expected = np.arange(len(ply)) - np.repeat(starts[:-1], np.diff(starts)) if ply[0] == 0 else ply - 1
    is_wrong = (ply != expected) | (rows.column("move").is_null().to_numpy() != ends)
    is_wrong[1:] |= ~ends[:-1] & ((game[1:] != game[:-1]) | (source[1:] != source[:-1]))
    wrong = np.flatnonzero(is_wrong)
    if len(wrong):
        raise QueryError(
            f"{_place(rows, int(wrong[0]))} is not whole, or not in order, at ply {ply[wrong[0]]}; {_ADVICE}"
        )
    return begins


def _check_boards(rows: pa.Table, begins: np.ndarray) -> bool:
    """Check the positions and their moves; return whether all games begin at the usual position."""
    try:
        boards = Positions.from_arrow(rows)
    except SetwiseError as error:
        raise QueryError(f"the rows from {_place(rows, 0)} on are not positions of games: {error}") from None
    words = (*boards.sets[:, begins], *(getattr(boards, name)[begins] for name in PLAIN_COLUMNS))
    if not all((column == word).all() for column, word in zip(words, USUAL_START, strict=True)):
        return False
    following = played(rows.column("move").combine_chunks(), begins)
    if following is None:
        return False
    pairs = [(boards.sets[k], following.sets[k]) for k in range(len(SETS))]
    pairs += [(getattr(boards, name), getattr(following, name)) for name in PLAIN_COLUMNS]
    wrong = np.flatnonzero(np.logical_or.reduce([one != other for one, other in pairs]))
    if len(wrong):
        row = int(wrong[0])
        ply = rows.column("ply")[row]
        raise QueryError(f"{_place(rows, row)}: the position at ply {ply} does not follow from the moves before it")
    return True


def _check_once(parts: Iterable[WrittenPart]) -> None:
    """Raise ``OutputError`` if two parts have the same game."""
    ranges = sorted(range_ for part in parts for range_ in part.games)
    for (name, _, last), (other, first, _) in itertools.pairwise(ranges):
        if name == other and first <= last:
            raise OutputError(f"game {first} of {name} is in the rows twice")


class _GamesOfRows(Records):
    """The games of rows: tags and results come from the columns, if these exist."""

    are_games = True

    def __init__(self, rows: pa.Table, begins: np.ndarray) -> None:
        super().__init__("", 1, len(begins))
        self.begins, self.rows_count = begins, len(rows)
        names = [name for name in rows.column_names if name in GAMES.names]
        self.table = rows.select(names).take(pa.array(begins))

    def held(self, name: str) -> pa.Array:
        """Return a column of the table of games."""
        kind = GAMES.field(name).type
        if name in self.table.column_names:
            return self.table.column(name).combine_chunks().cast(kind)
        if name == "plies":
            return plies(np.diff(np.append(self.begins, self.rows_count)) - 1)
        compute = COLUMNS[name].of_games if name in COLUMNS else None
        return pa.nulls(len(self), kind) if compute is None else compute(self).cast(kind)

    @functools.cached_property
    def results(self) -> list[str]:
        """The results of the games; ``*`` for an unknown result."""
        if "result" not in self.table.column_names:
            return ["*"] * len(self)
        return self.held("result").fill_null("*").to_pylist()

    def tag(self, name: str) -> pa.StringArray:
        """Return a tag's value for every game; null if the rows have no column for the tag."""
        column = OF_TAGS.get(name, "")
        if column not in self.table.column_names:
            return pa.nulls(len(self), pa.string())
        return self.held(column).cast(pa.string())

    def ranges(self) -> Iterator[tuple[str, int, int]]:
        """Yield the games as ranges of numbers of one source."""
        numbers = self.held("game").to_numpy()
        source = self.held("source").dictionary_encode()
        codes = source.indices.to_numpy()
        cuts = np.flatnonzero((np.diff(numbers) != 1) | (np.diff(codes) != 0)) + 1
        for some in np.split(np.arange(len(numbers)), cuts):
            if len(some):
                yield source.dictionary[int(codes[some[0]])].as_py(), int(numbers[some[0]]), int(numbers[some[-1]])
