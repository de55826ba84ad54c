"""A scan as a source: the files that belong together, and batches of whole games."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import cast

import numpy as np

from setwise.corpus.columns import COLUMNS, EVALUATED, GAMES, PAST, PLACE
from setwise.corpus.sources.beginning import Beginning
from setwise.corpus.sources.expansion import is_file
from setwise.corpus.sources.holdings import LOOKS, Holdings, of_games, of_table
from setwise.corpus.sources.jobs import Batch, Job, Opened, StoredFiles
from setwise.corpus.sources.scans.files import RowGroups, Rows, ScanFile
from setwise.corpus.sources.scans.games import NOTES, HeldGames, ScannedGames
from setwise.corpus.storage import layout
from setwise.corpus.storage.checksums import FileSum
from setwise.corpus.storage.manifest import check_whole, contents_of, sources_in
from setwise.errors import SourceError

__all__ = ["Scan", "part_of_scan", "recognised", "scan_in"]

#: Rows that are searched at once: more than a group of rows has, because threads that read the same group take turns.
_ROWS = 1 << 19
#: What makes a Parquet file one of positions of a scan.
_OF_SCANS = frozenset((*PLACE, "white_to_move", "white_pawns", "move"))


class _RowsJob(Job):
    """Rows of a group that hold whole games."""

    def __init__(
        self, group: RowGroups, held: HeldGames, start: int, stop: int, matches: np.ndarray | None = None
    ) -> None:
        self.group, self.held, self.start, self.stop, self.matches = group, held, start, stop, matches

    def run(self) -> Batch:
        games = ScannedGames(Rows(self.group, self.start, self.stop), self.held)
        batch = Batch(games, None, [], 0)
        batch.matches = self.matches
        return batch


class Scan(Opened):
    """A scan, or a part of one.

    Args:
        name: what messages call it.
        parts: the files of positions, each with the table of its games.
    """

    def __init__(self, name: str, parts: list[tuple[ScanFile, HeldGames]]) -> None:
        self.name, self.parts = name, parts
        names = frozenset.intersection(*(file.names for file, _ in parts)) if parts else frozenset[str]()
        self.others = {
            field.name: field.type for field in (parts[0][0].schema if parts else ()) if field.name not in COLUMNS
        }
        games = frozenset.intersection(*(held.file.names for _, held in parts)) if parts else frozenset[str]()
        basis = names & {*NOTES, *PLACE, "move"} | of_games(games) | {LOOKS}
        basis |= {word for word, column in ((PAST, "move"), (EVALUATED, "evaluation")) if column in names}
        advice = "scan with --features {name}, or ask the PGN"
        self.holdings = Holdings("the scan", advice, names, basis) if parts else Holdings()
        if any(file.rows and not held.file.rows for file, held in parts):  # a list of positions has been scanned
            self.holdings = of_table(names - {"ply", "move"}, ())

    def sources(self) -> Iterator[str]:
        """Yield the names of the sources that were scanned, often one twice."""
        for positions, games in self.parts:
            file = games.file if games.file.rows else positions  # of a list of positions there are no games
            yield from file.column(range(file.metadata.num_row_groups), "source").unique().to_pylist()

    def name_sources(self, names: Mapping[str, str]) -> None:
        """Call the sources that were scanned by other names, before any of them is read."""
        names = {name: own for name, own in names.items() if name != own}
        for positions, games in self.parts:
            positions.source_names = games.file.source_names = names

    def jobs(self, *, notes: bool) -> Iterator[Job]:
        """Yield batches of whole games."""
        for file, held in self.parts:
            for group, _ in _groups(file):
                for start, stop in _batches(group):
                    yield _RowsJob(group, held, start, stop)

    def stored(self, names: Iterable[str]) -> list[StoredFiles] | None:
        """Return the part files if they store all these columns, with checksums."""
        every = []
        for file, held in self.parts:
            own = [name for name in names if file.holds(name)]
            of_games = [name for name in names if name not in file.names and name in GAMES.names]
            joining = ["source", "game"] if of_games else []
            held_too = all(map(held.file.holds, (*of_games, *joining))) and all(map(file.holds, joining))
            if {*own, *of_games} != {*names} or not held_too or "line" in file.names:  # lines are refused when read
                return None
            check = functools.partial(_check, file, [*own, *joining], held.file, [*of_games, *joining])
            every.append(StoredFiles(str(file.path), str(held.file.path), own, of_games, check, file.rows))
        return every

    def matching(self, files: list[StoredFiles], rows_of: Callable[[StoredFiles], np.ndarray]) -> Iterator[Job]:
        """Yield batches of whole games with the rows that match; groups of rows without any are not read."""
        for (file, held), stored in zip(self.parts, files, strict=True):
            rows = rows_of(stored)
            for group, first in _groups(file, rows):
                for start, stop in _batches(group):
                    low, high = np.searchsorted(rows, (first + start, first + stop))
                    if low < high:
                        yield _RowsJob(group, held, start, stop, rows[low:high] - (first + start))


def _check(file: ScanFile, names: list[str], games: ScanFile, of_games: list[str]) -> None:
    """Compare the bytes of columns of two files with their checksums."""
    file.check(names)
    games.check(of_games)


def _batches(group: RowGroups) -> Iterator[tuple[int, int]]:
    """The first row of each batch, and the one after its last: whole games."""
    if group.rows <= _ROWS:
        yield 0, group.rows
        return
    game = group.numbers("game")
    ends = np.r_[np.flatnonzero(game[1:] != game[:-1]) + 1, len(game)]
    start = 0
    while start < len(game):
        stop = int(ends[min(np.searchsorted(ends, start + _ROWS), len(ends) - 1)])
        yield start, stop
        start = stop


def _groups(file: ScanFile, rows: np.ndarray | None = None) -> Iterator[tuple[RowGroups, int]]:
    """Groups of rows that begin and end with a game, and the number of their first row.

    Given ``rows``, ascending, only those groups that have one of them.
    """
    count = file.metadata.num_row_groups
    ends = np.cumsum([file.metadata.row_group(group).num_rows for group in range(count)], dtype=np.int64)
    wanted = range(count) if rows is None else np.unique(np.searchsorted(ends, rows, side="right")).tolist()
    done = 0
    for group in wanted:
        if group < done:
            continue
        first, last = group, group + 1
        while first > done and not _begins_a_game(file, first):
            first -= 1
        while last < count and not _begins_a_game(file, last):
            last += 1
        groups = RowGroups(file, range(first, last))
        if groups.rows:
            yield groups, int(ends[first - 1]) if first else 0
        done = last


def _begins_a_game(file: ScanFile, group: int) -> bool:
    """Whether a group of rows begins with the first position of a game, as every group does that says of its games."""
    if not file.metadata.row_group(group).num_rows:
        return False
    return bool(file.usual_starts) or bool(file.column(range(group, group + 1), "ply")[0].as_py() == 0)


def scan_in(folder: str, *, partial: bool = False) -> Scan:
    """Return the scan in a folder with a manifest; with ``partial``, also one that is unfinished.

    Raises:
        SourceError: when it is unfinished, or a file is missing or damaged, as far as sizes, rows and the ends of the
            files tell.
    """
    place = Path(folder)
    contents = contents_of(place)
    check_whole(place, contents, partial=partial)
    there: dict[str, list[str]] | None = None  # of older scans, whose manifests do not name the files
    parts: list[tuple[ScanFile, HeldGames]] = []
    for source in contents.sources:
        for number, part in sorted(source.parts.items()):
            files: Mapping[str, FileSum | None] = part.files
            if not files:
                there = layout.files_in(place) if there is None else there
                files = dict.fromkeys(there.get(layout.part_name(source.number, number), ()))
            opened = {
                name: ScanFile(path := place / name, held, layout.folder_values(path)) for name, held in files.items()
            }
            positions, games = _divided(opened)
            rows = sum(file.rows for file in positions)
            if rows != part.positions or (games is None) or games.rows != part.games:
                name = layout.part_name(source.number, number)
                raise SourceError(
                    f"{place} is damaged: its files {name} have {rows:,} positions of "
                    f"{games.rows if games else 0:,} games instead of {part.positions:,} of {part.games:,}; "
                    "scan the same sources again to make them anew"
                )
            held = HeldGames(games)
            parts += [(file, held) for file in positions]
    return Scan(folder, parts)


def _divided(files: Mapping[str, ScanFile]) -> tuple[list[ScanFile], ScanFile | None]:
    """The files of the positions of a part, and that of its games."""
    games = next((file for name, file in files.items() if name.startswith(f"{layout.GAMES}/")), None)
    return [file for name, file in sorted(files.items()) if name.startswith(f"{layout.POSITIONS}/")], games


def recognised(beginning: Beginning) -> Opened | None:
    """Return the scan that a file of Parquet is a part of, if it is one with its games."""
    if not is_file(beginning.source) or not beginning.head.startswith(b"PAR1"):
        return None
    return part_of_scan(os.fsdecode(cast("str", beginning.source)))


def part_of_scan(path: str) -> Scan | None:
    """Return a file of positions of a scan with its games: a part, or ``NAME.parquet`` beside ``NAME.games.parquet``.

    None is returned for another file of Parquet, and for one whose games are not there.

    Raises:
        SourceError: when it is damaged, or its games are.
    """
    place = Path(path)
    divided = layout.folder_values(place)
    folder = layout.folder_of(place)
    known: Mapping[str, FileSum] = {}
    games = place.with_suffix(".games.parquet")
    if folder is not None:
        games = folder / layout.GAMES / place.name
        if Path(folder, layout.MANIFEST).is_file():
            _, sources = sources_in(folder)
            known = {
                name: held for source in sources for part in source.parts.values() for name, held in part.files.items()
            }
    if not games.is_file():
        return None

    def opened(file: Path) -> ScanFile:
        name = file.relative_to(folder).as_posix() if folder is not None else ""
        return ScanFile(file, known.get(name), divided if file == place else None)

    file = opened(place)
    return Scan(path, [(file, HeldGames(opened(games)))]) if file.names >= _OF_SCANS else None
