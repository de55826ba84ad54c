"""What is wrong with a store: damaged and missing files, files in no line of its log, and what is not finished."""

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


class Verified(NamedTuple):
    """What ``verify`` has found.

    Example:
        >>> str(Verified([], "1 part of a.pgn (3 games)", [])), str(Verified([], None, []))
        ('unfinished: 1 part of a.pgn (3 games)', 'whole')
    """

    #: The damaged and missing files, and the files whose lines the log lacks.
    damages: list[Damage]
    #: How much of its sources an unfinished store has; None if it is finished.
    unfinished: str | None
    #: Files of a writing that was killed, or that was replaced; the next writing removes them.
    left_over: list[Path]

    @property
    def is_whole(self) -> bool:
        """Whether nothing is damaged and nothing is missing."""
        return not self.damages and self.unfinished is None

    def __str__(self) -> str:
        if self.damages:
            return f"damaged: {'; '.join(map(str, self.damages))}"
        return "whole" if self.unfinished is None else f"unfinished: {self.unfinished}"


def verify(path: str | Path) -> Verified:
    """Compare a store with its log in both directions, and return what is damaged, unfinished or left over.

    Every byte of every file is read and compared with the checksums of the log. A scan of one file has no log; its
    pages have checksums of their own.

    Args:
        path: the folder of a scan or an index, or the scan's file ``NAME.parquet``.

    Raises:
        SourceError: there is no scan or index at the path.

    Example:
        >>> import tempfile, setwise
        >>> place = tempfile.mkdtemp()
        >>> done = setwise.scan(b"1. e4 e5 *", place)
        >>> print(setwise.verify(place))
        whole
        >>> part = next(done.positions_path.iterdir())
        >>> _ = part.write_bytes(part.read_bytes()[:-7])
        >>> [damage.fault for damage in setwise.verify(place).damages]  # doctest: +ELLIPSIS
        ['has ... bytes instead of ...']
    """
    place = Path(path)
    if not Path(place, layout.MANIFEST).is_file():
        return Verified([*_damages_of_file(place)], None, [])
    try:
        contents = contents_of(place)
    except SourceError as error:
        fault = str(error).removeprefix(f"{place / layout.MANIFEST} ")
        return Verified([Damage(place / layout.MANIFEST, fault)], None, [])
    lost = unnamed(place, contents)
    damages = [damage for _, damage in damaged_files(place, contents)]
    damages += [Damage(place / file, f"is in no line of {layout.MANIFEST}") for file in lost]
    named = {contents.located(place, file).relative_to(place).as_posix() for file in contents.files()}
    is_changing = Path(place, f"{layout.MANIFEST}.part").exists()  # by a commit of many parts
    others = [] if is_changing else [place / it for it in layout.files_in(place) if it not in {*named, *lost}]
    return Verified(damages, unfinished(contents), others)


def verify_scan(path: str | Path) -> list[Damage]:
    """Return the damaged files of a store, as ``verify`` finds them; the log of an unfinished store is among them.

    Raises:
        SourceError: there is no scan or index at the path.

    Example:
        >>> import tempfile, setwise
        >>> place = tempfile.mkdtemp()
        >>> done = setwise.scan(b"1. e4 e5 *", place)
        >>> setwise.verify_scan(place)
        []
    """
    found, manifest = verify(path), Path(path, layout.MANIFEST)
    begun = [] if found.unfinished is None else [Damage(manifest, f"is {found._replace(damages=[])}")]
    return [*found.damages, *begun]


def _damages_of_file(place: Path) -> Iterator[Damage]:
    """Yield the damages of a scan of one file."""
    layout.check_log(place)
    if not place.is_file() or not (games := place.with_suffix(".games.parquet")).is_file():
        raise SourceError(
            f"there is no scan {place}: it is a folder with {layout.MANIFEST}, or NAME.parquet and its games"
        )
    for file in (place, games):
        if (fault := fault_of(file, None)) is not None:
            yield Damage(file, fault)


def damaged_files(folder: Path, contents: Contents) -> Iterator[tuple[str, Damage]]:
    """Yield the damaged files that a log names, by their paths in the store."""
    files = contents.files()
    places = [contents.located(folder, path) for path in files]
    with ThreadPoolExecutor(processors()) as pool:
        faults = pool.map(fault_of, places, files.values())
        for path, place, fault in zip(files, places, faults, strict=True):
            if fault is not None:
                yield path, Damage(place, fault)
