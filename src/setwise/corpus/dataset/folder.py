"""A folder of part files that is written by commits, resumed after an interrupt, extended, verified and repaired.

Worker threads write the part files; this thread reads the sources and records finished parts in the manifest. Parts
that the manifest does not name are written again, with the same names: the division of a source into parts depends only
on the source. Parts are small at first, so that small sources keep all cores busy, then larger, for fewer files. An
error in one source does not stop the other sources; all errors are reported at the end. A source that has changed since
it was read raises an error, and damaged files are written again when their source is read again.
"""

from __future__ import annotations

import os
import shutil
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from threading import Event, Lock
from typing import Any, NamedTuple

import filelock
import numpy as np
import pyarrow as pa

from setwise.archives import is_stream
from setwise.corpus.columns import GAMES, table_of
from setwise.corpus.query.search import Query
from setwise.corpus.sources.jobs import Batch, Job, Source
from setwise.corpus.sources.kinds import Wholes, recognised
from setwise.corpus.sources.places import OwnNames, apart, expanded, is_file
from setwise.corpus.storage import layout
from setwise.corpus.storage.encodings import packed_schema, with_usual_starts, writer
from setwise.corpus.storage.layout import (
    FileSum,
    KnownSource,
    Manifest,
    Part,
    Run,
    Seen,
    contents_of,
    fault_of,
    measured,
    unfinished,
    unnamed,
)
from setwise.errors import OutputError, QueryError, SetwiseError, SourceError
from setwise.game.games import Fault
from setwise.position.positions import PLAIN_COLUMNS
from setwise.rules.board import USUAL_START
from setwise.system.files import reason_of, settle
from setwise.system.packages import pc, pq
from setwise.system.processes import processors
from setwise.version import __version__

# ------------------------------------------------------------------------------------------------- part files of a scan


#: Batches in a part: ``_FEW`` in the first ``_WITH_FEW`` parts, so that small sources keep all cores busy, then
#: ``_MANY``, for fewer files. The last batches of a source are divided into parts of a quarter of that size.
_FEW, _MANY, _WITH_FEW = 8, 32, 32
#: Rows in a row group; all columns of a row group are in memory while it is written.
ROWS = 1 << 18
#: The largest number of folders that a part is divided into.
_MOST_FOLDERS = 2_000


class Stopped(SetwiseError):
    """Raised in worker threads when the scan is stopped."""


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


class Work(NamedTuple):
    """How the parts of a source are written."""

    folder: Path
    #: The columns of the positions, the columns that divide the rows into folders, and the schema of all columns.
    columns: list[str]
    partition_by: list[str]
    schema: pa.Schema
    #: Columns of the source itself.
    source_columns: Any
    #: Set when the scan is stopped.
    stop: Event
    #: Called after each batch with its numbers of games, positions and bytes of the source.
    on_batch: Callable[[int, int, int], Any]

    def make(self, name: str, jobs: list[Job]) -> Made:
        """Write the temporary files of a part.

        Raises:
            OutputError: if the files cannot be written. Stopped: if the scan is stopped meanwhile.
        """
        aside = self.folder / layout.UNFINISHED / name
        jobs.reverse()  # finished jobs are removed from the end, which frees their texts
        try:
            for job in reversed(jobs):
                job.prepare()
            for job in reversed(jobs):
                job.settle()
            with ExitStack() as undo:
                undo.callback(shutil.rmtree, aside, ignore_errors=True)
                made = self._written(aside, name, jobs)
                undo.pop_all()
                return made
        except (OSError, pa.ArrowException) as error:
            raise OutputError(f"{self.folder} cannot be written: {reason_of(error)}") from None
        finally:
            for job in jobs:
                job.abandon()

    def _written(self, aside: Path, name: str, jobs: list[Job]) -> Made:
        aside.mkdir(parents=True)
        first, positions, read, tables, faults = None, 0, 0, list[pa.Table](), list[Fault]()
        with ExitStack() as stack:
            files = _PositionFiles(stack, aside, self)
            while jobs:
                if self.stop.is_set():
                    raise Stopped("the scan is given up")
                batch = jobs[-1].run()
                jobs.pop()
                tables.append(batch.games_table())
                files.add(batch)
                first = batch.games.first if first is None else first
                positions, read, faults = positions + len(batch.positions), read + batch.size, faults + batch.faults
                self.on_batch(batch.game_count, len(batch.positions), batch.size)
            files.close()
        games = pa.concat_tables(tables)
        with writer(aside / "games", GAMES) as file:
            file.write_table(games)
        named = {aside / "games": self.folder / layout.GAMES / name}
        for branch, place in files.places.items():
            named[place] = self.folder / layout.POSITIONS / branch / name
        part = Part(first or 1, games.num_rows, positions, read=read, files=self._sums(named))
        return Made(part, faults, aside, named)

    def _sums(self, files: dict[Path, Path]) -> dict[str, FileSum]:
        """Return the checksums of temporary files, by their future paths in the folder."""
        return {place.relative_to(self.folder).as_posix(): measured(file) for file, place in files.items()}


class _PositionFiles:
    """The files of positions of a part: one file, or one in each folder."""

    def __init__(self, stack: ExitStack, aside: Path, work: Work) -> None:
        self.stack, self.aside, self.work = stack, aside, work
        self.columns = [name for name in work.columns if name not in work.partition_by]
        self.schema = packed_schema(pa.schema([work.schema.field(name) for name in self.columns]), work.source_columns)
        #: By folder: the temporary file, its writer, and the tables to write next.
        self.places: dict[str, Path] = {}
        self.writers: dict[str, Any] = {}
        self.waiting: dict[str, list[pa.Table]] = {}
        self.rows = 0
        #: Whether all games of the waiting rows begin at the usual position; by folder, the same for each row group.
        self.begin_as_usual = True
        self.usual_starts: dict[str, list[bool]] = {}
        if not work.partition_by:
            self._opened("")

    def _opened(self, branch: str) -> Any:
        if branch not in self.writers:
            if len(self.writers) == _MOST_FOLDERS:
                names = " and ".join(self.work.partition_by)
                raise QueryError(f"{names} divide the positions into more than {_MOST_FOLDERS:,} folders")
            self.places[branch] = self.aside / f"positions-{len(self.places)}"
            self.writers[branch] = self.stack.enter_context(writer(self.places[branch], self.schema))
        return self.writers[branch]

    def add(self, batch: Batch) -> None:
        """Add the positions of a batch; write all waiting rows when they are enough for a row group."""
        table = table_of(batch.positions, self.columns).cast(self.schema)
        for branch, rows in self._branches(batch):
            self.waiting.setdefault(branch, []).append(table if rows is None else table.take(rows))
        self.rows += table.num_rows
        self.begin_as_usual &= _begin_as_usual(batch)
        if self.rows >= ROWS:
            self.flush()

    def _branches(self, batch: Batch) -> Iterator[tuple[str, pa.Array | None]]:
        """Yield the folders that the rows of a batch belong to."""
        names = self.work.partition_by
        if not names:
            yield "", None
            return
        values = table_of(batch.positions, names)
        texts = [column.cast(pa.string()).fill_null("") for column in values.columns]
        numbered = pc.dictionary_encode(pc.binary_join_element_wise(*texts, "\0")).combine_chunks()
        codes = numbered.indices.to_numpy()
        for code, text in enumerate(numbered.dictionary.to_pylist()):
            yield layout.branch(names, tuple(text.split("\0"))), pa.array(np.flatnonzero(codes == code))

    def flush(self) -> None:
        """Write the waiting rows, folder by folder."""
        for branch, tables in self.waiting.items():
            table = pa.concat_tables(tables).unify_dictionaries()
            self._opened(branch).write_table(table, row_group_size=max(table.num_rows, 1))
            self.usual_starts.setdefault(branch, []).append(self.begin_as_usual)
        self.waiting, self.rows, self.begin_as_usual = {}, 0, True

    def close(self) -> None:
        """Write the waiting rows, and write into each file which of its row groups have only usual starts."""
        self.flush()
        for branch, flags in self.usual_starts.items():
            with_usual_starts(self.writers[branch], flags)


def _begin_as_usual(batch: Batch) -> bool:
    """Whether all games of a batch begin at the usual position."""
    positions = batch.positions
    if not batch.is_of_games or positions.ply is None:
        return False
    first = np.flatnonzero(positions.ply == 0)
    columns = (*positions.sets[:, first], *(getattr(positions, name)[first] for name in PLAIN_COLUMNS))
    return all((column == word).all() for column, word in zip(columns, USUAL_START, strict=True))


# ---------------------------------------------------------------------------- finds damaged files of a scan or an index


class Damage(NamedTuple):
    """A damaged file of a scan, and what is wrong with it."""

    path: Path
    fault: str

    def __str__(self) -> str:
        return f"{self.path} {self.fault}"


def verify_scan(path: str | Path) -> list[Damage]:
    """Return the damaged files of a scan or an index: missing, cut off or changed files, and files in no list of files.

    Every byte is read. If the folder is unfinished, the manifest is among the damaged files. The manifest of a folder
    has the checksums of all parts; a single file, or a folder of an older version, has only checksums of pages.
    ``scan`` of the same sources writes damaged parts again.

    Args:
        path: the folder of the scan or index, or the scan's file ``NAME.parquet``.

    Raises:
        SourceError: there is no scan at the path, or its manifest cannot be read.

    Example:
        >>> import tempfile, setwise
        >>> place = tempfile.mkdtemp()
        >>> done = setwise.scan(b"1. e4 e5 *", place)
        >>> setwise.verify_scan(place)
        []
        >>> part = next(done.positions_path.iterdir())
        >>> _ = part.write_bytes(part.read_bytes()[:-7])
        >>> [damage.fault for damage in setwise.verify_scan(place)]  # doctest: +ELLIPSIS
        ['has ... bytes instead of ...']
    """
    place = Path(path)
    if Path(place, layout.MANIFEST).is_file():
        contents = contents_of(place)
        damages = [damage for _, _, damage in damaged_parts(place, contents.sources)]
        damages += [damage for _, damage in damaged_runs(place, contents.runs)]
        damages += [Damage(place / file, f"is in no line of {layout.MANIFEST}") for file in unnamed(place, contents)]
        if (text := unfinished(contents)) is not None:
            damages.append(Damage(place / layout.MANIFEST, f"is unfinished: {text}"))
        return damages
    if not place.is_file() or not (games := place.with_suffix(".games.parquet")).is_file():
        raise SourceError(
            f"there is no scan {place}: it is a folder with {layout.MANIFEST}, or NAME.parquet and its games"
        )
    return [Damage(file, fault) for file in (place, games) if (fault := fault_of(file, None)) is not None]


def lacks_checksums(path: str | Path) -> bool:
    """Return whether the manifest of a scan or an index is of an older version that has no checksums of its lines."""
    return Path(path, layout.MANIFEST).is_file() and not contents_of(Path(path)).has_sums


def damaged_parts(folder: Path, sources: Iterable[KnownSource]) -> Iterator[tuple[KnownSource, int, Damage]]:
    """Yield the damaged files of the parts that a manifest names, with the source and the number of the part."""
    present = layout.files_in(folder)
    parts = [(source, number, part) for source in sources for number, part in source.parts.items()]
    with ThreadPoolExecutor(processors()) as pool:
        for (source, number, _), damages in zip(
            parts, pool.map(lambda it: _damages(folder, present, *it), parts), strict=True
        ):
            yield from ((source, number, damage) for damage in damages)


def damaged_runs(folder: Path, runs: Mapping[int, Run]) -> Iterator[tuple[Run, Damage]]:
    """Yield the damaged files of the merged runs of an index, with the run."""
    files = [(run, path, held) for run in runs.values() for path, held in run.files.items()]
    with ThreadPoolExecutor(processors()) as pool:
        faults = pool.map(lambda it: fault_of(folder / it[1], it[2]), files)
        for (run, path, _), fault in zip(files, faults, strict=True):
            if fault is not None:
                yield run, Damage(folder / path, fault)


def _damages(folder: Path, present: dict[str, list[str]], source: KnownSource, number: int, part: Part) -> list[Damage]:
    """Return the damaged files of a part."""
    name = layout.part_name(source.number, number)
    files: Mapping[str, FileSum | None] = part.files or dict.fromkeys(present.get(name, ()))
    damages = [Damage(folder / file, fault) for file, sums in files.items() if (fault := fault_of(folder / file, sums))]
    if damages:
        return damages
    for kind, expected in ((layout.POSITIONS, part.positions), (layout.GAMES, part.games)):
        its = [folder / file for file in files if file.startswith(f"{kind}/")]
        if not its and part.files:  # in an index, the positions of a part are merged with others
            continue
        rows = sum(pq.read_metadata(file).num_rows for file in its)
        if not its or rows != expected:
            fault = f"has {rows:,} rows instead of {expected:,}" if its else "is missing"
            damages.append(Damage(folder / kind / name, fault))
    return damages


# ---------------------------------------------------------------------------------- A scan as a folder of Parquet files


#: The largest number of sources that an error names.
_NAMED = 5


class _UnderWay(NamedTuple):
    """A part that a worker thread is writing; without ``made``, the end of a source."""

    source: KnownSource
    number: int = 0
    is_whole: bool = True
    jobs: list[Job] | None = None
    made: Future[Made] | None = None


class Dataset:
    """The scan in a folder.

    Args:
        folder: the folder, which need not exist.
        columns: the columns of the positions.
        partition_by: columns that divide the positions into Hive's folders.
        usual: columns that are null, and raise no error, for a source that does not have them.
        variations: whether the lines of variations are written, too.
        threads: the number of threads.
        on_batch: called after each batch with its numbers of games, positions and bytes of the sources.
        on_fault: called for every game that breaks off.
    """

    def __init__(
        self,
        folder: Path,
        columns: list[str],
        partition_by: list[str],
        *,
        usual: Iterable[str] = (),
        variations: bool = False,
        threads: int,
        on_batch: Callable[[int, int, int], Any] | None = None,
        on_fault: Callable[[Fault], Any] | None = None,
    ) -> None:
        self.folder, self.partition_by = folder, partition_by
        self.query = Query(columns=list(dict.fromkeys([*columns, *partition_by])), lenient=usual, variations=variations)
        self.arguments = {"version": __version__, "columns": columns, "partitioning": partition_by}
        self.threads = threads
        self.on_batch, self.on_fault, self.reporting = on_batch, on_fault, Lock()
        self.stop = Event()
        self.under_way: deque[_UnderWay] = deque()
        self.names, self.wholes = OwnNames(), Wholes()
        #: The sources with damaged parts, by number, each with the last damage.
        self.damaged: dict[int, tuple[KnownSource, Damage]] = {}
        #: The errors, by the number of the source; sources that could not be opened get the numbers 0, -1, -2, ….
        self.wrong: dict[int, SourceError] = {}

    def write(self, sources: Any, *, force: bool = False) -> tuple[list[Part], int]:
        """Complete the scan; return all its parts, and its former number of positions.

        Raises:
            OutputError: if the folder contains another scan or a source, is being written by another process, or cannot
                be written.
            SourceError: before writing, for a source that is missing or has changed since it was scanned; after all
                other sources are done, for a source that cannot be read to its end.
        """
        self._check_kind()
        own = (self.folder / name for name in (layout.POSITIONS, layout.GAMES))
        given = list(_seen(apart(expanded(sources, scan=self.folder), *own)))
        try:
            with self._locked():
                shutil.rmtree(self.folder / layout.UNFINISHED, ignore_errors=True)
                self.manifest = Manifest(self.folder, self.arguments, force=force)
                self._drop_damaged()
                for known in self.manifest.sources:
                    self.names.enter(_whole(known.seen) or known.number, known.names)
                before = sum(part.positions for part in self.manifest.parts())
                try:
                    todo = [(source, seen, self._known(source, seen)) for source, seen in given]
                    self._work(todo)
                    self._finish()
                    self.manifest.end()
                finally:
                    self.manifest.close()
                    shutil.rmtree(self.folder / layout.UNFINISHED, ignore_errors=True)
        except OSError as error:
            raise OutputError(f"{self.folder} cannot be written: {reason_of(error)}") from None
        for known, damage in self.damaged.values():
            if not known.is_done:
                self.wrong.setdefault(
                    known.number, SourceError(f"{damage}, and {known.name} is not there to make it anew")
                )
        if self.wrong:
            raise self._summary(len(given))
        return list(self.manifest.parts()), before

    def _check_kind(self) -> None:
        """Raise ``OutputError`` if the folder contains another kind of dataset."""

    def _finish(self) -> None:
        """Complete the folder after all sources are read."""
        if not self.damaged:  # a damaged part stays until it is made again
            self.manifest.remove_unnamed()

    @contextmanager
    def _locked(self) -> Iterator[None]:
        self.folder.mkdir(parents=True, exist_ok=True)
        try:
            with filelock.FileLock(self.folder / layout.LOCK, timeout=0):
                yield
        except filelock.Timeout:
            raise OutputError(f"{self.folder} is being written to by another scan; wait until that is done") from None

    def _drop_damaged(self) -> None:
        """Forget the parts whose files are damaged, so that they are written again."""
        self.damaged = {}
        for known, number, damage in list(damaged_parts(self.folder, self.manifest.sources)):
            known.parts.pop(number, None)
            known.is_done = False
            self.damaged[known.number] = known, damage

    def _known(self, source: Any, seen: Seen) -> KnownSource | None:
        """Return the record of a source in the manifest; None if there is no record."""
        known = next((it for it in self.manifest.sources if it.seen.path == seen.path), None)
        if seen.path is None:
            if known is not None:
                raise OutputError(
                    f"{self.folder} holds {known.name} already, which cannot be distinguished from another source that "
                    "is not a file; --force begins anew"
                )
            return None
        if known is None:  # it may have been renamed
            return next((it for it in self.manifest.sources if it.seen[1:] == seen[1:] and _is_gone(it)), None)
        if known.seen != seen and any(part.is_whole for part in known.parts.values()):
            self._take_changed(source, known)
        return known

    def _take_changed(self, source: Any, known: KnownSource) -> None:
        """Raise an error for a source that has changed."""
        raise OutputError(
            f"{source} has changed since it was scanned into {self.folder}; --force (in Python force=True) begins anew"
        )

    # -------------------------------------------------------------------------------------------------------- the work

    def _work(self, todo: list[tuple[Any, Seen, KnownSource | None]]) -> None:
        with ThreadPoolExecutor(self.threads) as pool:
            try:
                for source, seen, known in todo:
                    if known is None or not known.is_done:
                        self._read(pool, source, seen, known)
                while self.under_way:
                    self._enter_next()
            finally:
                self.stop.set()
                for it in self.under_way:
                    if it.made is not None and it.made.cancel():
                        for job in it.jobs or ():
                            job.abandon()
                pool.shutdown()
                self._enter_rest()

    def _read(self, pool: ThreadPoolExecutor, source: Any, seen: Seen, known: KnownSource | None) -> None:
        try:
            opened = recognised(source)
            if self.query.variations:
                opened.read_variations()
            if known is None or (known.seen[1:] != seen[1:]):
                names = self.names.of(_whole(seen) or self.wholes.of(source, opened), opened.sources())
                known = self.manifest.source(opened.name, seen, names, None if known is None else known.number)
        except SourceError as error:
            self.wrong[-len(self.wrong)] = error
            return
        try:
            self._read_parts(pool, opened, known)
        except SourceError as error:
            self.wrong.setdefault(known.number, error)
        if _has_changed(seen):
            self.wrong.setdefault(known.number, SourceError(f"{opened.name} has changed while it was read"))
        self.under_way.append(_UnderWay(known))

    def _read_parts(self, pool: ThreadPoolExecutor, opened: Source, known: KnownSource) -> None:
        work, notes = self._work_on(opened)
        opened.name = known.name
        opened.name_sources(known.names)
        jobs = opened.jobs(notes=notes)
        for number, (part_jobs, is_whole) in enumerate(parts_of(jobs, grow=not opened.source_columns), start=1):
            part = known.parts.get(number)
            if part is not None and part.is_whole:
                for job in part_jobs:
                    job.skip(part.first + part.games)
                continue
            while sum(it.made is not None for it in self.under_way) > self.threads:
                self._enter_next()
            made = pool.submit(work.make, layout.part_name(known.number, number), part_jobs)
            self.under_way.append(_UnderWay(known, number, is_whole, part_jobs, made))

    def _work_on(self, opened: Source) -> tuple[Work, bool]:
        """Return how the parts of a source are written, and whether the annotations of its moves are read."""
        plan = self.query.on(opened.source_columns, opened.holdings, opened.name)
        work = Work(
            self.folder,
            plan.columns,
            self.partition_by,
            plan.schema,
            opened.source_columns,
            self.stop,
            self._report_batch,
        )
        return work, plan.notes

    def _report_batch(self, games: int, positions: int, size: int) -> None:
        if self.on_batch is not None:
            with self.reporting:
                self.on_batch(games, positions, size)

    # ---------------------------------------------------------------------------------------------------- the manifest

    def _enter_next(self) -> None:
        """Wait for the next part, or the end of a source, and record it."""
        self._enter(self.under_way[0])
        self.under_way.popleft()  # not before: an interrupt can come while this thread waits

    def _enter_rest(self) -> None:
        """Record the parts that are finished when the scan is stopped."""
        for it in self.under_way:
            if it.made is not None and it.made.done() and not it.made.cancelled() and it.made.exception() is None:
                with suppress(OSError):  # a full disk has already been reported
                    self._enter(it)

    def _enter(self, it: _UnderWay) -> None:
        if it.made is None:
            if it.source.number not in self.wrong:
                self.manifest.done(it.source)
            return
        try:
            made = it.made.result()
        except SourceError as error:
            self.wrong.setdefault(it.source.number, error)
            return
        made.name()
        self.manifest.part(it.source, it.number, made.part._replace(is_whole=it.is_whole))
        for fault in made.faults if self.on_fault is not None else ():
            self.on_fault(fault)  # type: ignore[misc]

    def _summary(self, count: int) -> SourceError:
        """Return one error that summarises the errors of all sources."""
        errors = [str(error) for error in self.wrong.values()]
        if count == 1:
            return SourceError(errors[0])
        more = f"; and {len(errors) - _NAMED} more" if len(errors) > _NAMED else ""
        return SourceError(f"{'; '.join(errors[:_NAMED])}{more}; all other sources are in {self.folder}")


def _seen(sources: Iterator[Any]) -> Iterator[tuple[Any, Seen]]:
    """Yield every source with its path, size and time of change; a file that occurs twice is yielded once."""
    paths = set()
    for source in sources:
        if not is_file(source) or is_stream(source):
            yield source, Seen(None, None, None)
            continue
        try:
            seen = Seen.now(source)
        except OSError as error:
            raise SourceError(
                f"there is no file {source}" if isinstance(error, FileNotFoundError)
                else f"{source} cannot be opened: {error.strerror}"
            ) from None  # fmt: skip
        if seen.path not in paths:
            paths.add(seen.path)
            yield source, seen


def _whole(seen: Seen) -> Path | None:
    """Return the folder of the scan that a file belongs to, or else the file."""
    return None if seen.path is None else layout.whole_of(Path(seen.path))


def _has_changed(seen: Seen) -> bool:
    """Whether a file has changed; a file that was removed or renamed counts as unchanged."""
    try:
        return seen.path is not None and Seen.now(seen.path) != seen
    except OSError:
        return False


def _is_gone(known: KnownSource) -> bool:
    return known.seen.path is not None and not os.path.lexists(known.seen.path)
