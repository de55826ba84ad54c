"""A scan as a source: the files that belong together, and batches of whole games."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import cast

import numpy as np

from setwise.corpus.columns import COLUMNS, PLACE
from setwise.corpus.sources.beginning import Beginning
from setwise.corpus.sources.expansion import is_file
from setwise.corpus.sources.holdings import LOOKS, Holdings, of_games, of_table
from setwise.corpus.sources.jobs import Batch, Job, Opened
from setwise.corpus.sources.scans.files import RowGroups, Rows, ScanFile
from setwise.corpus.sources.scans.games import NOTES, HeldGames, ScannedGames
from setwise.corpus.storage import layout
from setwise.corpus.storage.checksums import FileSum
from setwise.corpus.storage.manifest import sources_in
from setwise.errors import SourceError

__all__ = ["Scan", "part_of_scan", "recognised", "scan_in"]

#: Rows that are searched at once.
_ROWS = 1 << 16
#: What makes a Parquet file one of positions of a scan.
_OF_SCANS = frozenset((*PLACE, "white_to_move", "white_pawns", "move"))


class _RowsJob(Job):
    """Rows of a group that hold whole games."""

    def __init__(self, group: RowGroups, held: HeldGames, start: int, stop: int) -> None:
        self.group, self.held, self.start, self.stop = group, held, start, stop

    def run(self) -> Batch:
        games = ScannedGames(Rows(self.group, self.start, self.stop), self.held)
        return Batch(games, None, [], 0)


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
            for group, game in _groups(file):
                ends = np.r_[np.flatnonzero(game[1:] != game[:-1]) + 1, len(game)]
                start = 0
                while start < len(game):
                    stop = int(ends[min(np.searchsorted(ends, start + _ROWS), len(ends) - 1)])
                    yield _RowsJob(group, held, start, stop)
                    start = stop


def _groups(file: ScanFile) -> Iterator[tuple[RowGroups, np.ndarray]]:
    """Groups of rows that begin and end with a game, and the numbers of the games in them."""
    count, first = file.metadata.num_row_groups, 0
    while first < count:
        last = first + 1
        group = RowGroups(file, range(first, last))
        while last < count and not _begins_a_game(file, last):
            last += 1
            group = RowGroups(file, range(first, last))
        game = group.numbers("game")
        if len(game):
            yield group, game
        first = last


def _begins_a_game(file: ScanFile, group: int) -> bool:
    """Whether a group of rows begins with the first position of a game."""
    if not file.metadata.row_group(group).num_rows:
        return False
    return bool(file.column(range(group, group + 1), "ply")[0].as_py() == 0)


def scan_in(folder: str) -> Scan:
    """Return the scan in a folder with a manifest.

    Raises:
        SourceError: when a file is missing or damaged, as far as sizes, rows and the ends of the files tell.
    """
    place = Path(folder)
    _, sources = sources_in(place)
    there = layout.files_in(place)
    parts: list[tuple[ScanFile, HeldGames]] = []
    for source in sources:
        for number, part in sorted(source.parts.items()):
            files = part.files or dict.fromkeys(there.get(layout.part_name(source.number, number), ()))
            opened = {
                name: ScanFile(place / name, held, layout.folder_values(place / name)) for name, held in files.items()
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
