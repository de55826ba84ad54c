"""Which files of a store are damaged, missing, or in no line of its log."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from setwise.corpus.storage import layout
from setwise.corpus.storage.layout import fault_of
from setwise.corpus.storage.log import Contents, contents_of, unfinished, unnamed
from setwise.errors import SourceError
from setwise.system.processes import processors


class Damage(NamedTuple):
    """A damaged file of a store, and what is wrong with it."""

    path: Path
    fault: str

    def __str__(self) -> str:
        return f"{self.path} {self.fault}"


def verify_scan(path: str | Path) -> list[Damage]:
    """Return the damaged files of a scan or an index: missing, cut off or changed files, and files in no list of files.

    Every byte is read. If the folder is unfinished, the manifest is among the damaged files. The manifest of a folder
    has the checksums of all parts; a single file has only checksums of pages. ``scan`` of the same sources writes
    damaged parts again.

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
        damages = [damage for _, damage in damaged_files(place, contents)]
        damages += [Damage(place / file, f"is in no line of {layout.MANIFEST}") for file in unnamed(place, contents)]
        if (text := unfinished(contents)) is not None:
            damages.append(Damage(place / layout.MANIFEST, f"is unfinished: {text}"))
        return damages
    if not place.is_file() or not (games := place.with_suffix(".games.parquet")).is_file():
        raise SourceError(
            f"there is no scan {place}: it is a folder with {layout.MANIFEST}, or NAME.parquet and its games"
        )
    return [Damage(file, fault) for file in (place, games) if (fault := fault_of(file, None)) is not None]


def damaged_files(folder: Path, contents: Contents) -> Iterator[tuple[str, Damage]]:
    """Yield the damaged files that a log names, by their paths in the store."""
    files = contents.files()
    places = [contents.located(folder, path) for path in files]
    with ThreadPoolExecutor(processors()) as pool:
        faults = pool.map(fault_of, places, files.values())
        for path, place, fault in zip(files, places, faults, strict=True):
            if fault is not None:
                yield path, Damage(place, fault)
