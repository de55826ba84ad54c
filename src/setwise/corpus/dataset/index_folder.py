"""An index as a folder: a dataset of packed games, whose sorted runs are merged as it grows."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
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
from setwise.corpus.storage.checksums import measured
from setwise.corpus.storage.manifest import Known, Part, Run, contents_of
from setwise.corpus.storage.packed_games import schema_of
from setwise.corpus.storage.position_runs import ROWS, version_of
from setwise.errors import OutputError, SourceError
from setwise.game.games import Fault
from setwise.system.files import settle

__all__ = ["IndexFolder"]

_OF_RUNS = (layout.POSITIONS, layout.OUTCOMES, layout.TREE)


class IndexFolder(Dataset):
    """The index in a folder.

    Args:
        folder: the folder, which need not exist.
        threads: the number of threads.
        force: whether another dataset in the folder is replaced.
        on_batch: called after each batch with its numbers of games, positions and bytes of the sources.
        on_fault: called for every game that breaks off.
    """

    def __init__(
        self,
        folder: Path,
        *,
        threads: int,
        force: bool = False,
        on_batch: Callable[[int, int, int], Any] | None = None,
        on_fault: Callable[[Fault], Any] | None = None,
    ) -> None:
        super().__init__(folder, [], [], threads=threads, on_batch=on_batch, on_fault=on_fault)
        self.force = force
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
        return self._work_with(schema_of(tags_of([opened]))), False

    def _work_with(self, schema: Any) -> IndexWork:
        return IndexWork(self.folder, [], [], schema, {}, self.stop, self._report_batch)

    def _take_changed(self, source: Any, known: Known) -> None:
        known.is_done = False  # then it is read anew, and its record replaced

    def _drop_damaged(self) -> None:
        """Forget what is damaged: parts whose games are, and runs, which are written again from the games."""
        self.damaged = {}
        for known, number, damage in list(damaged_parts(self.folder, self.manifest.sources)):
            if number in known.parts and damage.path.is_relative_to(self.folder / layout.GAMES):
                for run in [it for it in self.manifest.contents.runs.values() if (known.number, number) in it.parts]:
                    self.manifest.run(Run(run.number, [], {}))
                known.parts.pop(number)
                known.is_done = False
                self.damaged[known.number] = known, damage
            elif number in known.parts:
                known.parts[number] = _without_run(known.parts[number])
        for run, _ in damaged_runs(self.folder, self.manifest.contents.runs):
            self.manifest.run(Run(run.number, [], {}))
        self._remove_others()

    # -------------------------------------------------------------------------------------------------------- the runs

    def _enter_next(self) -> None:
        super()._enter_next()
        self._merge(at_end=False)

    def _finish(self) -> None:
        """Write the runs that are missing, and merge runs."""
        for known, number, part in list(self._bare()):
            made = self._again(known, number, part)
            made.name()
            self.manifest.part(known, number, made.part)
        self._merge(at_end=True)
        self._remove_others()

    def _bare(self) -> Iterator[tuple[Known, int, Part]]:
        """The parts whose positions are in no run."""
        covered = {part for run in self.manifest.contents.runs.values() for part in run.parts}
        for known in self.manifest.sources:
            for number, part in known.parts.items():
                is_own = any(path.startswith(f"{layout.POSITIONS}/") for path in part.files)
                if not is_own and (known.number, number) not in covered:
                    yield known, number, part

    def _again(self, known: Known, number: int, part: Part) -> Made:
        games = games_of(self.folder, part.files, known.name)
        jobs = games.jobs_from(part.first, notes=False)
        return self._work_with(games.schema).again(layout.part_name(known.number, number), part, jobs)

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
        """Remove the files of runs that have been merged or dropped, and what was written and not recorded."""
        contents = self.manifest.contents
        kept = {path for run in contents.runs.values() for path in run.files}
        kept |= {path for known in contents.sources for part in known.parts.values() for path in part.files}
        for place in _OF_RUNS:
            folder = self.folder / place
            for path in [*layout.parts_in(folder), *layout.runs_in(folder)]:
                if path.relative_to(self.folder).as_posix() not in kept:
                    path.unlink()


def _without_run(part: Part) -> Part:
    files = {path: held for path, held in part.files.items() if path.startswith(f"{layout.GAMES}/")}
    return part._replace(files=files)
