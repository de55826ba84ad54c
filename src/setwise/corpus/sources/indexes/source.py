"""An index as a source: the packed games in it, or only those that have what a condition needs."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from setwise.corpus.sources.holdings import EVERYTHING, WITHOUT_VARIATIONS
from setwise.corpus.sources.indexes.files import Found, IndexedGames, PositionRun, games_of, opened_file, runs_of
from setwise.corpus.sources.indexes.picked import picked
from setwise.corpus.sources.jobs import Job, Opened
from setwise.corpus.storage import layout
from setwise.corpus.storage.checksums import FileSum
from setwise.corpus.storage.manifest import Contents, Known, Part, check_whole, contents_of
from setwise.corpus.storage.needs import AllOf, AnyOf, Keys, Need, Values, all_of, any_of, columns_in, keys_in
from setwise.corpus.storage.position_runs import SUMS, added, sums_of, version_of
from setwise.errors import SourceError
from setwise.version import __version__

__all__ = ["Index", "index_in"]

#: The length at which what has been found is cut in a message.
_LONGEST = 120


class _PartOfIndex(NamedTuple):
    """A part of an index: games of one source that follow one another."""

    known: Known
    number: int
    part: Part

    @property
    def source(self) -> str:
        """The name of the source."""
        return self.known.names.get(self.known.name, self.known.name)


class Index(Opened):
    """The packed games of an index, and the runs in which their positions are found by key.

    Args:
        folder: the folder of the index.
        contents: what its manifest records.
    """

    holdings = WITHOUT_VARIATIONS
    variations = False
    has_texts = parses_moves = True

    def __init__(self, folder: str, contents: Contents) -> None:
        self.name, self.folder = folder, Path(folder)
        self.parts = [
            _PartOfIndex(known, number, part)
            for known in contents.sources
            for number, part in sorted(known.parts.items())
        ]
        self.runs = list(runs_of(self.folder, contents))
        #: The columns with bitmaps, each with the number of the list that it is in.
        self._lists = {
            name: number
            for number, it in contents.bitmaps.items() if it.version == __version__
            for name in it.columns
        }  # fmt: skip
        self._names: Mapping[str, str] = {}
        #: The columns of games that have been asked for.
        self._asked: list[str] = []
        for path, held in (*_files(self.parts), *(it for run in contents.runs.values() for it in run.files.items())):
            _check_size(self.folder / path, held.size)

    @functools.cached_property
    def games(self) -> int:
        """How many games there are."""
        return sum(it.part.games for it in self.parts)

    @property
    def schema(self) -> object:
        """The columns of the first part: those of its tags and of packed games."""
        return self._table(self.parts[0]).schema if self.parts else None

    def read_variations(self) -> None:
        """Give the lines of variations, too, from now on."""
        self.variations, self.holdings = True, EVERYTHING

    def sources(self) -> Iterator[str]:
        """Yield the names of the sources that were indexed."""
        for it in self.parts:
            yield it.source

    def name_sources(self, names: Mapping[str, str]) -> None:
        """Call these sources by other names."""
        self._names = names

    def _table(self, it: _PartOfIndex) -> IndexedGames:
        table = games_of(self.folder, it.part.files, self._names.get(it.source, it.source), self._asked)
        if self.variations:
            table.read_variations()
        return table

    def jobs(self, *, notes: bool) -> Iterator[Job]:
        """Yield batches of whole games, part by part."""
        for it in self.parts:
            yield from self._table(it).jobs_from(it.part.first, notes=notes)

    # ------------------------------------------------------------------------------------------------------- the index

    def holding(self, need: Need, *, notes: bool) -> tuple[Iterator[Job], str] | None:
        """Return the jobs of the games with what is needed, and a sentence that says so; None if none is known of."""
        known = self._known(need)
        if known is None:
            return None
        reached = {keys: self._reached(keys) for keys in keys_in(known)}
        chosen = [(it, np.flatnonzero(self._flags(known, it, reached))) for it in self.parts]
        count = sum(len(games) for _, games in chosen)
        what = str(known) if len(str(known)) <= _LONGEST else f"{str(known)[: _LONGEST - 2]} …"
        way = f"the index finds {what} in {count:,} of {self.games:,} games, and only these are read"
        return self._picked(chosen, notes=notes), way

    def _known(self, need: Need) -> Need | None:
        """What the index knows of a need; None if it knows nothing."""
        match need:
            case Values(columns):
                return need if self._lists.keys() >= {*columns} else None
            case AllOf(parts):
                return all_of(*map(self._known, parts))
            case AnyOf(parts):
                return any_of(*map(self._known, parts))
        return need

    def _reached(self, keys: frozenset[int]) -> np.ndarray:
        """The games that reach a position with one of some keys: numbers of sources and games, ascending."""
        wanted = np.array(sorted(keys), np.uint64)
        found = [run.find(wanted, ("source_number", "game")) for run in self.runs]
        games = [it.source.astype(np.int64) << 32 | it.game.astype(np.int64) for it in found]
        return np.unique(np.concatenate([np.zeros(0, np.int64), *games]))

    def _flags(self, need: Need, it: _PartOfIndex, reached: Mapping[frozenset[int], np.ndarray]) -> np.ndarray:
        """For each game of a part whether it may have what is needed."""
        match need:
            case AllOf(parts):
                return np.logical_and.reduce([self._flags(part, it, reached) for part in parts])
            case AnyOf(parts):
                return np.logical_or.reduce([self._flags(part, it, reached) for part in parts])
            case Keys(keys) if self._is_indexed(it):
                begin = it.known.number << 32 | it.part.first
                flags = np.zeros(it.part.games, np.bool_)
                first, last = np.searchsorted(reached[keys], (begin, begin + it.part.games))
                flags[reached[keys][first:last] - begin] = True
                return flags
            case Values(columns):
                return np.logical_or.reduce([self._bitmap(name, it) for name in columns])
        return np.ones(it.part.games, np.bool_)

    def _bitmap(self, name: str, it: _PartOfIndex) -> np.ndarray:
        """For each game of a part whether a column has a value in it; true for all if that is not stored yet."""
        path = layout.bitmaps_name(self._lists[name], layout.part_name(it.known.number, it.number))
        if path not in it.part.files:
            return np.ones(it.part.games, np.bool_)
        file = opened_file(self.folder / path, it.part.files[path])
        flags = file.numbers(range(file.metadata.num_row_groups), name)
        if len(flags) != it.part.games:
            raise SourceError(
                f"{file.path} is damaged: it has {len(flags):,} games instead of {it.part.games:,}; index the same "
                "sources again to make it anew"
            )
        return flags

    def _picked(self, chosen: list[tuple[_PartOfIndex, np.ndarray]], *, notes: bool) -> Iterator[Job]:
        for it, games in chosen:
            if len(games) == it.part.games:
                yield from self._table(it).jobs_from(it.part.first, notes=notes)
            elif len(games):
                yield from picked(self._table(it), it.part.first, games + it.part.first, notes=notes)

    def why_not(self, has_condition: bool, variations: bool, need: Need | None) -> str:
        """Return why the index is not used."""
        if variations:
            return "the index has no positions of variations"
        if not has_condition:
            return "no position is named"
        lacking = [name for name in columns_in(need) if name not in self._lists] if need else []
        if not lacking:
            return (
                "not every match must have a certain position, as with key = …, fen = … or key = position_key('…'), or "
                "a value of a certain feature"
            )
        return f"the index has no bitmap of {' and '.join(lacking)} (setwise index --features adds some)"

    @functools.cached_property
    def _indexed(self) -> set[tuple[int, int]]:
        """The parts with positions in a run, by the number of their source and that of their first game."""
        return {(source, first) for run in self.runs for source, first, _ in run.games}

    def _is_indexed(self, it: _PartOfIndex) -> bool:
        return (it.known.number, it.part.first) in self._indexed

    def sums(self, keys: np.ndarray, moves: np.ndarray | None) -> np.ndarray | None:
        """Return the sums over the games that reach positions, and in which moves are played there.

        Args:
            keys: the keys of positions.
            moves: the moves to count, from the only position; None to count the games with each position.

        Returns:
            The sums ``SUMS`` for each move, or each key: (n, 15) int64; None if some positions are in no run.
        """
        if not all(map(self._is_indexed, self.parts)):
            return None
        total = np.zeros((len(keys) if moves is None else len(moves), len(SUMS)), np.int64)
        total[:, -1] = -1
        for run in self.runs:
            which, codes, sums = run.frequent(keys)
            at = np.where(codes < 0, which, -1) if moves is None else _numbers_in(moves, codes)
            for number, more in zip(at[at >= 0].tolist(), sums[at >= 0], strict=True):
                total[number] = added(total[number], more)
            rare = np.setdiff1d(np.arange(len(keys)), which)
            if len(rare):
                found = run.find(keys[rare], ("source_number", "game", *(("code",) if moves is not None else ())))
                number = rare[found.which] if moves is None else _numbers_in(moves, found.code.astype(np.int64))
                total = added(total, _sums_of(run, found, number, len(total)))
        return total


def _sums_of(run: PositionRun, found: Found, number: np.ndarray, count: int) -> np.ndarray:
    """The sums over the games of positions found in a run; a game counts once for each number."""
    known = number >= 0
    games = np.stack([number, found.source.astype(np.int64), found.game.astype(np.int64)], 1)[known]
    games = np.unique(games, axis=0)
    return sums_of(run.outcomes(games[:, 1], games[:, 2]), games[:, 0], count)


def _numbers_in(moves: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """The number of each move among the moves; -1 for others."""
    table = np.full(1 << 16, -1, np.int64)
    table[moves] = np.arange(len(moves))
    return np.where(codes < 0, -1, table[codes])


def _files(parts: Iterable[_PartOfIndex]) -> Iterator[tuple[str, FileSum]]:
    for it in parts:
        yield from it.part.files.items()


def _check_size(path: Path, size: int) -> None:
    """Refuse a file that is missing or cut off."""
    try:
        present = path.stat().st_size
    except OSError:
        raise SourceError(f"{path} is missing: index the same sources again to make it anew") from None
    if present != size:
        raise SourceError(
            f"{path} is damaged: it has {present:,} bytes instead of {size:,}; index the same sources again to make it "
            "anew"
        )


def index_in(folder: str, *, partial: bool = False) -> Index | None:
    """Return the index in a folder with a manifest; None if the manifest is that of a scan.

    With ``partial``, also an index that is unfinished is returned.

    Raises:
        SourceError: when it is unfinished, a file is missing or cut off, or the index is of a version that cannot be
            read.
    """
    contents = _contents(Path(folder))
    version = contents.arguments.get("version", "")
    if not version.startswith("index "):
        return None
    if version != version_of():
        raise SourceError(
            f"{folder} is an index of version {version.removeprefix('index ')!r:.20}, and this setwise reads version "
            f"{version_of().removeprefix('index ')}: index the same sources again with --force"
        )
    check_whole(Path(folder), contents, partial=partial)
    return Index(folder, contents)


def _contents(folder: Path) -> Contents:
    stat = (folder / layout.MANIFEST).stat()
    return _read(folder, stat.st_size, stat.st_mtime_ns, stat.st_ino)


@functools.lru_cache(maxsize=8)
def _read(folder: Path, *_: int) -> Contents:
    return contents_of(folder)
