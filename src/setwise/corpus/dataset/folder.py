"""A scan as a folder of Parquet files, which can be resumed after any interruption.

Worker threads write the part files; this thread reads the sources and records finished parts in the manifest. Parts
that the manifest does not name are written again, under the same names.
"""

from __future__ import annotations

import os
import shutil
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Lock
from typing import Any, NamedTuple

import filelock

from setwise.archives.opening import is_stream
from setwise.corpus.dataset.part_files import Made, Work, parts_of
from setwise.corpus.dataset.verification import Damage, damaged_parts
from setwise.corpus.query.search import Query
from setwise.corpus.sources.expansion import apart, expanded, is_file
from setwise.corpus.sources.jobs import Job, Opened
from setwise.corpus.sources.kinds import Wholes, recognised
from setwise.corpus.sources.naming import OwnNames
from setwise.corpus.storage import layout
from setwise.corpus.storage.manifest import Known, Manifest, Part, Seen
from setwise.errors import OutputError, SourceError
from setwise.game.games import Fault
from setwise.system.files import reason_of
from setwise.version import __version__

__all__ = ["Dataset"]

#: The largest number of sources that an error names.
_NAMED = 5


class _UnderWay(NamedTuple):
    """A part that a worker thread writes; without ``made``, the end of a source."""

    source: Known
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
        usual: columns that are null for a source that does not have them, instead of an error.
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
        self.damaged: dict[int, tuple[Known, Damage]] = {}
        #: The errors, by the number of the source; sources that could not be opened get numbers from 0 down.
        self.wrong: dict[int, SourceError] = {}

    def write(self, sources: Any, *, force: bool = False) -> tuple[list[Part], int]:
        """Complete the scan; return all its parts, and the number of positions that it had before.

        Raises:
            OutputError: if the folder holds another scan, is written to by another process, cannot be written, or
                contains a source.
            SourceError: before writing, for a missing source or one that has changed since it was scanned; after all
                other sources are done, for one that cannot be read to its end.
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
        """Raise ``OutputError`` if the folder holds something of another kind."""

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

    def _known(self, source: Any, seen: Seen) -> Known | None:
        """The record of a source in the manifest; None if it has none."""
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

    def _take_changed(self, source: Any, known: Known) -> None:
        """Refuse a source that has changed."""
        raise OutputError(
            f"{source} has changed since it was scanned into {self.folder}; --force (in Python force=True) begins anew"
        )

    # -------------------------------------------------------------------------------------------------------- the work

    def _work(self, todo: list[tuple[Any, Seen, Known | None]]) -> None:
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

    def _read(self, pool: ThreadPoolExecutor, source: Any, seen: Seen, known: Known | None) -> None:
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

    def _read_parts(self, pool: ThreadPoolExecutor, opened: Opened, known: Known) -> None:
        work, notes = self._work_on(opened)
        opened.name = known.name
        opened.name_sources(known.names)
        jobs = opened.jobs(notes=notes)
        for number, (part_jobs, is_whole) in enumerate(parts_of(jobs, grow=not opened.others), start=1):
            part = known.parts.get(number)
            if part is not None and part.is_whole:
                for job in part_jobs:
                    job.skip(part.first + part.games)
                continue
            while sum(it.made is not None for it in self.under_way) > self.threads:
                self._enter_next()
            made = pool.submit(work.make, layout.part_name(known.number, number), part_jobs)
            self.under_way.append(_UnderWay(known, number, is_whole, part_jobs, made))

    def _work_on(self, opened: Opened) -> tuple[Work, bool]:
        """How the parts of a source are written, and whether the annotations of its moves are read."""
        plan = self.query.on(opened.others, opened.holdings, opened.name)
        work = Work(
            self.folder, plan.columns, self.partition_by, plan.schema, opened.others, self.stop, self._report_batch
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
        """Record the parts that are finished when the scan is given up."""
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
        """One error that summarises those of all sources."""
        errors = [str(error) for error in self.wrong.values()]
        if count == 1:
            return SourceError(errors[0])
        more = f"; and {len(errors) - _NAMED} more" if len(errors) > _NAMED else ""
        return SourceError(f"{'; '.join(errors[:_NAMED])}{more}; all other sources are in {self.folder}")


def _seen(sources: Iterator[Any]) -> Iterator[tuple[Any, Seen]]:
    """Every source, each file once, with its path, size and time of change."""
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
    """The folder of the scan that a file is a part of, else the file."""
    return None if seen.path is None else layout.whole_of(Path(seen.path))


def _has_changed(seen: Seen) -> bool:
    """Whether a file has changed; a file that was removed or renamed has not."""
    try:
        return seen.path is not None and Seen.now(seen.path) != seen
    except OSError:
        return False


def _is_gone(known: Known) -> bool:
    return known.seen.path is not None and not os.path.lexists(known.seen.path)
