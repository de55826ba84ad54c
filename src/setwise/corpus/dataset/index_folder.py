"""An index as a folder: a dataset of packed games, whose sorted runs are merged as it grows."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from setwise.corpus.dataset.folder import Dataset
from setwise.corpus.dataset.index_parts import IndexWork
from setwise.corpus.dataset.part_files import Made, Work
from setwise.corpus.dataset.run_merging import merged, to_merge
from setwise.corpus.dataset.verification import damaged_parts, damaged_runs
from setwise.corpus.pgnfiles.packing import tags_of
from setwise.corpus.sources.indexes import Index
from setwise.corpus.sources.indexes.files import PositionRun, games_of, runs_of
from setwise.corpus.sources.jobs import Opened
from setwise.corpus.storage import layout
from setwise.corpus.storage.bitmaps import has_bitmap
from setwise.corpus.storage.checksums import measured
from setwise.corpus.storage.manifest import Known, Part, Run, Seen, contents_of
from setwise.corpus.storage.packed_games import schema_of
from setwise.corpus.storage.position_runs import ROWS, version_of
from setwise.errors import OutputError, SourceError
from setwise.game.games import Fault
from setwise.system.files import settle
from setwise.version import __version__

__all__ = ["IndexFolder"]


class IndexFolder(Dataset):
    """The index in a folder.

    Args:
        folder: the folder, which need not exist.
        columns: columns that it has bitmaps of, in addition to those that it has already.
        threads: the number of threads.
        force: whether another dataset in the folder is replaced.
        on_batch: called after each batch with its numbers of games, positions and bytes of the sources.
        on_fault: called for every game that breaks off.
    """

    def __init__(
        self,
        folder: Path,
        columns: Iterable[str] = (),
        *,
        threads: int,
        force: bool = False,
        on_batch: Callable[[int, int, int], Any] | None = None,
        on_fault: Callable[[Fault], Any] | None = None,
    ) -> None:
        super().__init__(folder, [], [], threads=threads, on_batch=on_batch, on_fault=on_fault)
        self.force, self.columns = force, list(columns)
        self.arguments = {"version": version_of(), "columns": ROWS.names, "partitioning": []}

    def _check_kind(self) -> None:
        if self.force or not (self.folder / layout.MANIFEST).is_file():
            return
        try:
            version = contents_of(self.folder).arguments.get("version", "")
        except SourceError:
            return  # reported when it is opened for writing
        if not version.startswith("index "):
            raise OutputError(
                f"{self.folder} holds a scan, not an index: name another folder, or replace it by --force"
            )
        if version != version_of():
            raise OutputError(
                f"{self.folder} holds an index of version {version.removeprefix('index '):.20}, and this setwise "
                f"writes version {version_of().removeprefix('index ')}: --force (in Python force=True) begins it anew"
            )

    # ------------------------------------------------------------------------------------------------------- the parts

    def _work_on(self, opened: Opened) -> tuple[Work, bool]:
        if not opened.has_texts or isinstance(opened, Index):
            raise SourceError(f"{opened.name} has no games to index: an index takes PGN and tables of games")
        return self._work_with(schema_of(tags_of([opened])), self._lists()), False

    def _work(self, todo: list[tuple[Any, Seen, Known | None]]) -> None:
        self._enter_columns()
        super()._work(todo)

    def _enter_columns(self) -> None:
        """Record the columns that bitmaps are wanted of; those of another version of setwise are computed again."""
        lists = self.manifest.contents.bitmaps
        current = {name for number in self._lists() for name in lists[number].columns}
        outdated = (name for it in lists.values() for name in it.columns if has_bitmap(name))
        if new := [name for name in dict.fromkeys([*self.columns, *outdated]) if name not in current]:
            self.manifest.bitmaps(new, __version__)

    def _lists(self) -> list[int]:
        """The numbers of the lists of columns that this version of setwise computes."""
        return [number for number, it in self.manifest.contents.bitmaps.items() if it.version == __version__]

    def _work_with(self, schema: Any, lists: Iterable[int]) -> IndexWork:
        work = IndexWork(self.folder, [], [], schema, {}, self.stop, self._report_batch)
        work.lists = {number: self.manifest.contents.bitmaps[number].columns for number in lists}
        return work

    def _take_changed(self, source: Any, known: Known) -> None:
        known.is_done = False  # then it is read anew, and its record replaced

    def _drop_damaged(self) -> None:
        """Forget what is damaged: parts whose games are, and bitmaps and runs, which are made again from the games."""
        self.damaged = {}
        for known, number, damage in list(damaged_parts(self.folder, self.manifest.sources)):
            if number in known.parts and damage.path.is_relative_to(self.folder / layout.GAMES):
                for run in [it for it in self.manifest.contents.runs.values() if (known.number, number) in it.parts]:
                    self.manifest.run(Run(run.number, [], {}))
                known.parts.pop(number)
                known.is_done = False
                self.damaged[known.number] = known, damage
            elif number in known.parts and damage.path.is_relative_to(self.folder / layout.FEATURES):
                name = damage.path.relative_to(self.folder).as_posix()
                part = known.parts[number]
                known.parts[number] = part._replace(files={it: part.files[it] for it in part.files if it != name})
            elif number in known.parts:
                known.parts[number] = known.parts[number].without_run()
        for run, _ in damaged_runs(self.folder, self.manifest.contents.runs):
            self.manifest.run(Run(run.number, [], {}))
        self._remove_others()

    # -------------------------------------------------------------------------------------------------------- the runs

    def _enter_next(self) -> None:
        super()._enter_next()
        self._merge(at_end=False)

    def _finish(self) -> None:
        """Write the runs and bitmaps that are missing, and merge runs."""
        self.stop.clear()  # which the end of the sources has set
        with ThreadPoolExecutor(self.threads) as pool:
            try:
                making = [(it, pool.submit(self._again, *it)) for it in list(self._lacking())]
                for (known, number, *_), it in making:
                    made = it.result()
                    made.name()
                    self.manifest.part(known, number, made.part)
            finally:
                self.stop.set()
                pool.shutdown(cancel_futures=True)
        self._merge(at_end=True)
        self._remove_others()

    def _lacking(self) -> Iterator[tuple[Known, int, Part, list[int], bool]]:
        """The parts that lack something: the numbers of the bitmaps that they lack, and whether they are in a run.

        They come without the bitmaps that another version of setwise has computed.
        """
        lists = self._lists()
        covered = {part for run in self.manifest.contents.runs.values() for part in run.parts}
        for known in self.manifest.sources:
            for number, part in known.parts.items():
                has_run = any(map(layout.is_of_run, part.files)) or (known.number, number) in covered
                names = {it: layout.bitmaps_name(it, layout.part_name(known.number, number)) for it in lists}
                missing = [it for it, name in names.items() if name not in part.files]
                if missing or not has_run:
                    outdated = {it for it in part.files if it.startswith(f"{layout.FEATURES}/")} - {*names.values()}
                    files = {name: held for name, held in part.files.items() if name not in outdated}
                    yield known, number, part._replace(files=files), missing, has_run

    def _again(self, known: Known, number: int, part: Part, lists: list[int], has_run: bool) -> Made:
        games = games_of(self.folder, part.files, known.name)
        jobs = games.jobs_from(part.first, notes=False)
        work = self._work_with(games.schema, lists)
        return work.again(layout.part_name(known.number, number), part, jobs, has_run=has_run)

    def _merge(self, *, at_end: bool) -> None:
        """Merge runs while some should be merged."""
        while True:
            runs = list(self._runs())
            which = to_merge([run.rows for _, run in runs], at_end=at_end)
            if which is None:
                return
            parts = [part for of, _ in runs[which] for part in of]
            number = self.manifest.contents.last_run + 1
            self._write_run(number, parts, [run for _, run in runs[which]])

    def _runs(self) -> Iterator[tuple[list[tuple[int, int]], PositionRun]]:
        """All runs, the merged ones first, each with its parts."""
        contents = self.manifest.contents
        by_part = {
            (known.number, part.first): (known.number, number)
            for known in contents.sources
            for number, part in known.parts.items()
        }
        for run in runs_of(self.folder, contents):
            yield [by_part[source, first] for source, first, _ in run.games], run

    def _write_run(self, number: int, parts: list[tuple[int, int]], runs: list[PositionRun]) -> None:
        name = layout.run_name(number)
        aside = self.folder / layout.UNFINISHED / name
        aside.mkdir(parents=True)
        files = merged(runs, aside, self.threads)
        sums = {f"{place}/{name}": measured(file) for place, file in files.items()}
        for place, file in files.items():
            settle(file)
            (self.folder / place).mkdir(exist_ok=True)
            file.replace(self.folder / place / name)
            settle(self.folder / place)
        shutil.rmtree(aside, ignore_errors=True)
        self.manifest.run(Run(number, parts, sums))
        self._remove_others()

    def _remove_others(self) -> None:
        """Remove the files of what has been merged or dropped, and what was written and not recorded."""
        contents = self.manifest.contents
        kept = {path for run in contents.runs.values() for path in run.files}
        kept |= {path for known in contents.sources for part in known.parts.values() for path in part.files}
        for place in (*layout.OF_RUNS, layout.FEATURES):
            folder = self.folder / place
            for path in [*layout.parts_in(folder), *layout.runs_in(folder)]:
                if path.relative_to(self.folder).as_posix() not in kept:
                    path.unlink()
