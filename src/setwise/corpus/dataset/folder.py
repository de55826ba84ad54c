"""A store that is written by commits, resumed after an interrupt, and extended by sources and by layers.

Worker threads write the part files; this thread reads the sources and records finished parts in the log. Parts that the
log does not name are written again: the division of a source into parts depends only on the source. A layer that a part
lacks is made from its packed games, or else from its source. Runs are merged when there are many. An error in one
source does not stop the other sources; all errors are reported at the end.
"""

from __future__ import annotations

import json
import os
import shutil
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import KW_ONLY, dataclass
from functools import partial
from pathlib import Path
from threading import Event, Lock
from typing import Any, NamedTuple

import filelock

from setwise.archives import is_stream
from setwise.corpus.dataset.damage import Damage, damaged_files
from setwise.corpus.dataset.parts import (
    OF_PART,
    BitmapsOfPart,
    Layer,
    Made,
    PackedOfPart,
    RunOfPart,
    Tables,
    TablesOfPart,
    Work,
    parts_of,
)
from setwise.corpus.dataset.runs import merged, to_merge
from setwise.corpus.pgnfiles.packing import tags_of
from setwise.corpus.query.search import Query
from setwise.corpus.sources.indexes import IndexSource, PositionRun, games_of, runs_of
from setwise.corpus.sources.jobs import Question, Source
from setwise.corpus.sources.kinds import Wholes, recognised
from setwise.corpus.sources.places import OwnNames, Sources, apart, expanded, is_file
from setwise.corpus.storage import layout
from setwise.corpus.storage.encodings import has_bitmap, schema_of, version_of
from setwise.corpus.storage.layout import KEYS, PACKED, measured
from setwise.corpus.storage.log import OF_KEYS, TABLES, Contents, KnownSource, Manifest, Part, Run, Seen
from setwise.errors import OutputError, QueryError, SourceError
from setwise.game.games import Fault
from setwise.system.files import settle
from setwise.version import __version__

# -------------------------------------------------------------------------------------------------- a store as a folder


#: The largest number of sources that an error names.
_NAMED = 5
#: For how many seconds a lock is waited for: a reader that asks whether it is held holds it for a moment.
_PATIENCE = 0.2


class _UnderWay(NamedTuple):
    """A part that a worker thread is writing; without ``made``, the end of a source."""

    source: KnownSource
    number: int = 0
    jobs: list[Any] | None = None
    made: Future[Made] | None = None


@dataclass(eq=False)
class Dataset:
    """The store in a folder, for writing.

    Args:
        folder: the folder, which need not exist.
        tables: the tables that parts get, in addition to the layers that the store has; None for no others.
        keys: whether parts get packed games and runs, and a changed source is read again.
        bitmaps: the columns that get bitmaps, in addition to the columns that have bitmaps already.
        threads: the number of threads.
        on_batch: called after each batch with its numbers of games, positions and bytes of the sources.
        on_fault: called for every game that breaks off.
    """

    folder: Path
    tables: Tables | None = None
    _: KW_ONLY
    threads: int
    keys: bool = False
    bitmaps: Iterable[str] = ()
    on_batch: Callable[[int, int, int], Any] | None = None
    on_fault: Callable[[Fault], Any] | None = None

    def __post_init__(self) -> None:
        self.replaces_changed = self.tables is None
        self.reporting, self.stop = Lock(), Event()
        self.under_way: deque[_UnderWay] = deque()
        self.names, self.wholes = OwnNames(), Wholes()
        #: The parts with damaged files; of each source with such parts, by its number, the last damage.
        self.lost: list[list[Any]] = []
        self.damaged: dict[int, Damage] = {}
        #: The errors, by the number of the source; sources that could not be opened get the numbers 0, -1, -2, ….
        self.wrong: dict[int, SourceError] = {}

    def write(self, sources: Sources, *, force: bool = False) -> tuple[list[Part], int]:
        """Complete the store; return all its parts, and its former number of positions.

        Without sources, the sources that the store has are read again as far as something is missing.

        Raises:
            OutputError: if the folder contains other tables or a source, is being written by another process, or cannot
                be written.
            SourceError: before writing, for a source that is missing or has changed since it was scanned; after all
                other sources are done, for a source that cannot be read to its end.
        """
        own = (self.folder / name for name in layout.PLACES)
        given = list(_seen(apart(expanded(sources, scan=self.folder), *own)))
        if not given and not (self.folder / layout.MANIFEST).is_file():
            raise SourceError(f"{self.folder} holds no scan and no index yet: name the sources that are read")
        with layout.writing(self.folder), locked(self.folder):
            for name in (layout.UNFINISHED, layout.REPLACED):
                shutil.rmtree(self.folder / name, ignore_errors=True)
            self.manifest = Manifest(self.folder, force=force)
            try:
                self._check_sources(given)
                self._enter_layers()
                self._drop_damaged()
                for known in self.manifest.sources:
                    self.names.enter(_whole(known.seen) or known.number, known.names)
                before = sum(part.positions for *of, part in self.contents.parts() if of not in self.lost)
                given = given or list(_recorded(filter(self._must_be_read, self.manifest.sources)))
                todo = [(source, seen, self._known(source, seen)) for source, seen in given]
                self._work(todo)
                self._finish()
            finally:
                self.manifest.close()
                shutil.rmtree(self.folder / layout.UNFINISHED, ignore_errors=True)
        if self.wrong:
            raise self._summary(len(given))
        return [part for *_, part in self.contents.parts()], before

    @property
    def contents(self) -> Contents:
        """The contents of the log."""
        return self.manifest.contents

    # ------------------------------------------------------------------------------------------------------ the layers

    def _check_sources(self, given: list[tuple[Any, Seen]]) -> None:
        """Raise ``SourceError`` if the store would gain a layer that not all of its parts can get."""
        if {*([KEYS] if self.keys else []), *([TABLES] if self.tables else [])} <= {*self.contents.layers}:
            return
        there = {seen.path for _, seen in given or _recorded(self.manifest.sources)}
        for known in self.manifest.sources:
            if known.seen.path not in there and not all(part.is_packed for part in known.parts.values()):
                raise SourceError(
                    f"{self.folder} would lack some files of {known.name}, and these are made from it: name it as a "
                    "source, too"
                )

    def _enter_layers(self) -> None:
        """Record the layers and bitmaps that are new, and take over those that the store has."""
        if self.tables is not None:
            of_tables = {"columns": self.tables.columns, "partitioning": self.tables.partition_by}
            self.manifest.layer(TABLES, {"version": __version__, **of_tables})
        elif (known := self.contents.layers.get(TABLES)) is not None:
            self.manifest.layer(TABLES, {**known, "version": __version__})
            self.tables = Tables(known["columns"], known["partitioning"])
        if self.keys:
            self.manifest.layer(KEYS, OF_KEYS)
        self.keys = KEYS in self.contents.layers
        if self.tables is not None:
            if self.tables.variations and self.keys:
                raise QueryError(
                    f"{self.folder} cannot hold variations and an index: an index has no positions of variations"
                )
            columns = list(dict.fromkeys([*self.tables.columns, *self.tables.partition_by]))
            self.query = Query(columns=columns, lenient=self.tables.usual, variations=self.tables.variations)
        lists = self.contents.bitmaps
        current = {name for number in self._lists() for name in lists[number].columns}
        outdated = (name for it in lists.values() for name in it.columns if has_bitmap(name))
        if new := [name for name in dict.fromkeys([*self.bitmaps, *outdated]) if name not in current]:
            self.manifest.bitmaps(new, version_of(new))

    def _lists(self) -> list[int]:
        """Return the numbers of the lists of columns that this version of setwise computes."""
        return [number for number, it in self.contents.bitmaps.items() if it.version == version_of(it.columns)]

    def _lacking(self, known: KnownSource, number: int, part: Part | None) -> list[str]:
        """Return the layers that a part lacks: a layer is named by the path of its first file."""
        name = known.name_of(number)
        needed = [f"{layout.GAMES}/{name}"] if self.tables is not None else []
        if self.keys:
            needed += [f"{PACKED}/{name}", f"{layout.OF_RUNS[0]}/{name}"]
            needed += [layout.bitmaps_name(it, name) for it in self._lists()]
        if part is None or not part.is_whole:
            return needed
        if any((known.number, number) in run.parts for run in self.contents.runs.values()):
            needed = [path for path in needed if not layout.is_of_run(path)]
        return [path for path in needed if path not in part.files]

    def _must_be_read(self, known: KnownSource) -> bool:
        """Whether a source must be read again: it has not been read to its end, or a part lacks its games."""
        if not known.is_done:
            return known.seen.path is not None
        return any(self._lacking(known, *it) and not it[1].is_packed for it in known.parts.items())

    def _layers(
        self, opened: Source, known: KnownSource, paths: list[str], stack: ExitStack, aside: Path, name: str
    ) -> list[Layer]:
        """Return new layers of a part."""
        layers = list[Layer]()
        for path in paths:
            match layout.place_of(path):
                case layout.GAMES:
                    schema = self.query.on(opened).schema
                    by = self.tables.partition_by if self.tables is not None else []
                    layers.append(TablesOfPart(stack, aside, name, schema, by, opened.source_columns))
                case layout.PACKED:
                    layers.append(PackedOfPart(stack, aside, name, schema_of(tags_of([opened]))))
                case layout.FEATURES:
                    number = int(path.split("/")[1])
                    layers.append(BitmapsOfPart(aside, name, number, self.contents.bitmaps[number].columns))
                case _:
                    layers.append(RunOfPart(aside, name, known.number))
        return layers

    # -------------------------------------------------------------------------------------------- what is there already

    def _drop_damaged(self) -> None:
        """Forget damaged files, and the layers of a part that they belong to, so that they are written again."""
        for path, damage in list(damaged_files(self.folder, self.contents)):
            for known, number, part in self.contents.parts():
                if path in part.files:
                    kind = _layer_of(path)
                    known.parts[number] = part.without(it for it in part.files if _layer_of(it) == kind)
                    self.lost.append([known, number])
                    self.damaged[known.number] = damage
            for run in [it for it in self.contents.runs.values() if path in it.files]:
                self.manifest.run(Run(run.number, [], {}))

    def _known(self, source: Any, seen: Seen) -> KnownSource | None:
        """Return the record of a source in the log; None if there is no record."""
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
            if not self.replaces_changed:
                raise OutputError(
                    f"{source} has changed since it was scanned into {self.folder}; --force (in Python force=True) "
                    "begins anew"
                )
            known.is_done = False  # then it is read anew, and its record replaced
        return known

    # -------------------------------------------------------------------------------------------------------- the work

    def _work(self, todo: list[tuple[Any, Seen, KnownSource | None]]) -> None:
        with ThreadPoolExecutor(self.threads) as self.pool:
            try:
                for source, seen, known in todo:
                    if known is None or not known.is_done or self._must_be_read(known):
                        self._read(source, seen, known)
                while self.under_way:
                    self._enter_next()
            finally:
                self.stop.set()
                for it in self.under_way:
                    if it.made is not None and it.made.cancel():
                        for job in it.jobs or ():
                            job.abandon()
                self.pool.shutdown()
                self._enter_rest()

    def _read(self, source: Any, seen: Seen, known: KnownSource | None) -> None:
        try:
            opened = self._opened(source)
            if known is None or (known.seen[1:] != seen[1:]):
                names = self.names.of(_whole(seen) or self.wholes.of(source, opened), opened.sources())
                known = self.manifest.source(opened.name, seen, names, None if known is None else known.number)
        except SourceError as error:
            self.wrong[-len(self.wrong)] = error
            return
        try:
            self._read_parts(opened, known)
        except SourceError as error:
            self.wrong.setdefault(known.number, error)
        if _has_changed(seen):
            self.wrong.setdefault(known.number, SourceError(f"{opened.name} has changed while it was read"))
        self.under_way.append(_UnderWay(known))

    def _opened(self, source: Any) -> Source:
        opened = recognised(source)
        if self.keys and (not opened.has_texts or isinstance(opened, IndexSource)):
            raise SourceError(f"{opened.name} has no games to index: an index takes PGN and tables of games")
        return opened

    def _read_parts(self, opened: Source, known: KnownSource) -> None:
        jobs = self._jobs(opened, known, opened.scan)
        for number, (part_jobs, is_whole) in enumerate(parts_of(jobs, grow=not opened.source_columns), start=1):
            part = known.parts.get(number)
            lacking = self._lacking(known, number, part)
            if part is not None and part.is_whole and (not lacking or part.is_packed):
                for job in part_jobs:
                    job.skip(part.first + part.games)
                continue
            while sum(it.made is not None for it in self.under_way) > self.threads:
                self._enter_next()
            before = part if part is not None and part.is_whole else None
            made = self._submit(opened, known, number, part_jobs, lacking, is_whole=is_whole, before=before)
            self.under_way.append(_UnderWay(known, number, part_jobs, made))

    def _jobs(self, opened: Source, known: KnownSource, jobs: Callable[..., Iterator[Any]]) -> Iterator[Any]:
        """Return the batches of a source that the layers of its parts need."""
        question = Question() if self.tables is None else self.query.on(opened)
        opened.name = known.name
        opened.name_sources(known.names)
        return jobs(question)

    def _submit(
        self, opened: Source, known: KnownSource, number: int, jobs: list[Any], paths: list[str], **of_part: Any
    ) -> Future[Made]:
        work = Work(self.folder, self._about(known), self.stop, self._report_batch)
        layers = partial(self._layers, opened, known, paths)
        return self.pool.submit(work.make, known.name_of(number), jobs, layers, part=number, **of_part)

    def _about(self, known: KnownSource) -> dict[str, Any]:
        """Return what the footers of files say about a source and the store."""
        lists = {number: self.contents.bitmaps[number]._asdict() for number in self._lists()}
        return {**known.line(), "layers": self.contents.layers, "bitmaps": lists}

    def _report_batch(self, games: int, positions: int, size: int) -> None:
        if self.on_batch is not None:
            with self.reporting:
                self.on_batch(games, positions, size)

    # --------------------------------------------------------------------------------------------------------- the log

    def _enter_next(self) -> None:
        """Wait for the next part, or the end of a source, and record it."""
        self._enter(self.under_way[0])
        self.under_way.popleft()  # not before: an interrupt can come while this thread waits
        self._merge(at_end=False)

    def _enter_rest(self) -> None:
        """Record the parts that are finished when the writing is stopped."""
        for it in self.under_way:
            if it.made is not None and it.made.done() and not it.made.cancelled() and it.made.exception() is None:
                with suppress(OSError):  # a full disk has already been reported
                    self._enter(it)

    def _enter(self, it: _UnderWay) -> None:
        if it.made is None:
            if it.source.number not in self.wrong and not it.source.is_done:
                self.manifest.done(it.source)
            return
        try:
            made = it.made.result()
        except SourceError as error:
            self.wrong.setdefault(it.source.number, error)
            return
        made.name()
        self.manifest.part(it.source, it.number, made.part)
        for fault in made.faults if self.on_fault is not None else ():
            self.on_fault(fault)  # type: ignore[misc]

    def _finish(self) -> None:
        """Make the layers that parts lack from their packed games, merge runs, and record the end."""
        self.stop.clear()  # it was set at the end of the sources
        with ThreadPoolExecutor(self.threads) as self.pool:
            try:
                making = [
                    _UnderWay(known, number, None, self._made_again(known, number, part, lacking))
                    for known, number, part in list(self.contents.parts())
                    if (lacking := self._lacking(known, number, part)) and part.is_packed
                ]
                for it in making:
                    self._enter(it)
            finally:
                self.stop.set()
                self.pool.shutdown(cancel_futures=True)
        self._merge(at_end=True)
        lost = [known for known, number, part in self.contents.parts() if self._lacking(known, number, part)]
        for known in lost:
            what = self.damaged.get(known.number) or f"{self.folder} lacks some of its files"
            said = f"{what}, and {known.name} is not there to make it anew"
            self.wrong.setdefault(known.number, SourceError(said))
        if not lost:  # a damaged part stays until it is made again
            self.manifest.replace_unnamed()
            self.manifest.end()

    def _made_again(self, known: KnownSource, number: int, part: Part, lacking: list[str]) -> Future[Made]:
        games = games_of(partial(self.contents.located, self.folder), part.files, known.name)
        jobs = list(self._jobs(games, known, partial(games.scan, number=part.first)))
        lists = {str(it) for it in self._lists()}
        outdated = (it for it in part.files if layout.place_of(it) == layout.FEATURES and it.split("/")[1] not in lists)
        return self._submit(games, known, number, jobs, lacking, before=part.without(outdated))

    # -------------------------------------------------------------------------------------------------------- the runs

    def _merge(self, *, at_end: bool) -> None:
        """Merge runs until no more should be merged."""
        while self.keys:
            runs = list(self._runs())
            which = to_merge([run.rows for _, run in runs], at_end=at_end)
            if which is None:
                return
            parts = [part for of, _ in runs[which] for part in of]
            self._write_run(self.contents.last_run + 1, parts, [run for _, run in runs[which]])

    def _runs(self) -> Iterator[tuple[list[tuple[int, int]], PositionRun]]:
        """Yield all runs with their parts, merged runs first."""
        by_part = {(known.number, part.first): (known.number, number) for known, number, part in self.contents.parts()}
        for run in runs_of(self.folder, self.contents):
            yield [by_part[source, first] for source, first, _ in run.games], run

    def _write_run(self, number: int, parts: list[tuple[int, int]], runs: list[PositionRun]) -> None:
        name = layout.run_name(number)
        aside = self.folder / layout.UNFINISHED / name
        aside.mkdir(parents=True)
        files = merged(runs, aside, self.threads, {OF_PART: json.dumps({"run": number, "of": parts})})
        sums = {f"{place}/{name}": measured(file) for place, file in files.items()}
        for place, file in files.items():
            settle(file)
            (self.folder / place).mkdir(parents=True, exist_ok=True)
            file.replace(self.folder / place / name)
            settle(self.folder / place)
        shutil.rmtree(aside, ignore_errors=True)
        self.manifest.run(Run(number, parts, sums))
        self.manifest.replace(file for run in runs for file in run.paths)

    def _summary(self, count: int) -> SourceError:
        """Return one error that summarises the errors of all sources."""
        errors = [str(error) for error in self.wrong.values()]
        if count == 1 or len(errors) == 1 == len(self.contents.sources):
            return SourceError(errors[0])
        more = f"; and {len(errors) - _NAMED} more" if len(errors) > _NAMED else ""
        return SourceError(f"{'; '.join(errors[:_NAMED])}{more}; all other sources are in {self.folder}")


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the lock of a store while it is written; raise ``OutputError`` if another process holds it."""
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with filelock.FileLock(folder / layout.LOCK, timeout=_PATIENCE, poll_interval=_PATIENCE / 10):
            yield
    except filelock.Timeout:
        raise OutputError(f"{folder} is being written to by another scan; wait until that is done") from None


def _layer_of(path: str) -> str:
    """Return the name that the files of one layer of a part share."""
    place = layout.place_of(path)
    if place in layout.OF_RUNS:
        return KEYS
    return path if place in {PACKED, layout.FEATURES} else TABLES


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


def _recorded(sources: Iterable[KnownSource]) -> Iterator[tuple[str, Seen]]:
    """Yield the files of recorded sources, as far as they are there and have not changed."""
    for known in sources:
        with suppress(OSError):
            if known.seen.path is not None and Seen.now(known.seen.path) == known.seen:
                yield known.seen.path, known.seen


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
