"""Finds damaged files of a scan or an index: those that differ from what has been written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from setwise.corpus.storage import layout
from setwise.corpus.storage.checksums import FileSum, fault_of
from setwise.corpus.storage.manifest import Known, Part, Run, contents_of, unfinished, unnamed
from setwise.errors import SourceError
from setwise.system.arrow import pq
from setwise.system.processes import processors

__all__ = ["Damage", "damaged_parts", "damaged_runs", "lacks_checksums", "verify_scan"]


class Damage(NamedTuple):
    """A damaged file of a scan, and what is wrong with it."""

    path: Path
    fault: str

    def __str__(self) -> str:
        return f"{self.path} {self.fault}"


def verify_scan(path: str | Path) -> list[Damage]:
    """Return the damaged files of a scan or an index: those that are missing, cut off, changed, or in no list of files.

    Every byte is read. The manifest is among them when the folder is unfinished. In a folder, the manifest has the
    checksums of all parts; a single file, and a folder of an older version, has only those of its pages. ``scan`` of
    the same sources writes damaged parts again.

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
    """Return whether the manifest of a scan or an index is of an older version, without checksums of its lines."""
    return Path(path, layout.MANIFEST).is_file() and not contents_of(Path(path)).has_sums


def damaged_parts(folder: Path, sources: Iterable[Known]) -> Iterator[tuple[Known, int, Damage]]:
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


def _damages(folder: Path, present: dict[str, list[str]], source: Known, number: int, part: Part) -> list[Damage]:
    """The damaged files of a part."""
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
