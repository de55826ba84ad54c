"""Repairs a store: writes a lost log again from the footers of the files, and makes again what is damaged or missing.

The footer of each file says which part of which source it is, and what the store holds, so the log can be written again
from the files alone. Only whether a source was read to its end is not in the files; ``repair`` reads the source again
to know it. ``upgrade`` converts an index in its first form.
"""

from __future__ import annotations

import json
import shutil
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from setwise.corpus.dataset.damage import Verified, verify
from setwise.corpus.dataset.folder import Dataset, locked
from setwise.corpus.dataset.parts import OF_PART
from setwise.corpus.query.search import usable_threads
from setwise.corpus.storage import layout
from setwise.corpus.storage.layout import FileSum, fault_of, measured
from setwise.corpus.storage.log import (
    Bitmaps,
    Contents,
    KnownSource,
    Part,
    Run,
    Seen,
    contents_of,
    unnamed,
    valid_contents,
    write_contents,
)
from setwise.errors import OutputError, SourceError
from setwise.system.packages import pq

# -------------------------------------------------------------------------------------------------- repair and upgrade


def repair(path: str | Path, *, threads: int | None = None) -> Verified:
    """Make a store whole again, as far as its files and its sources allow, and return what is still wrong with it.

    A log that is lost or damaged is written again from the files. Files that are damaged or missing are made again: the
    tables, the runs and the bitmaps from packed games if the store has them, all else from the sources, which must be
    where they were, and unchanged.

    Args:
        path: the folder of the store.
        threads: the number of threads, by default one per processor.

    Raises:
        SourceError: there is no store at the path.
        OutputError: the folder cannot be written, or another process writes to it.

    Example:
        >>> import tempfile, setwise
        >>> from pathlib import Path
        >>> place = Path(tempfile.mkdtemp())
        >>> done = setwise.index("examples/famous_games.pgn", place)
        >>> (place / "manifest.jsonl").unlink()
        >>> next((place / "keys/outcomes").iterdir()).unlink()
        >>> print(setwise.repair(place))
        whole
        >>> setwise.find("is_checkmate", place).num_rows
        8
    """
    place = Path(path)
    if not (place / layout.MANIFEST).is_file() and next(layout.files_in(place), None) is None:
        raise SourceError(f"there is no scan or index {place}")
    with locked(place):
        try:
            is_lost = bool(unnamed(place, contents_of(place)))
        except SourceError:
            is_lost = True
        if is_lost:
            contents = _rebuilt(place)
            with suppress(FileNotFoundError):
                shutil.copyfile(place / layout.MANIFEST, place / f"{layout.MANIFEST}.damaged")
            write_contents(place, contents)
    if not verify(place).is_whole:
        with suppress(SourceError):  # what cannot be made again is found below
            Dataset(place, threads=usable_threads(threads)).write(())
    return verify(place)


def upgrade(path: str | Path) -> bool:
    """Convert an index in its first form into a store, and return whether there was anything to convert.

    Files are renamed in the folder, and then a new log takes the place of the old one. An index whose conversion was
    interrupted is read as before, and is converted by the next call.

    Raises:
        SourceError: there is no scan or index at the path, or its log is damaged.
        OutputError: the folder cannot be written, or another process writes to it.
    """
    folder = Path(path)
    if not (folder / layout.MANIFEST).is_file():
        raise SourceError(f"there is no scan or index {folder}")
    with locked(folder):
        contents = contents_of(folder)
        if not contents.is_former:
            return False
        for file in contents.files():
            former, present = folder / layout.former_path(file), folder / file
            if former != present and former.exists():
                present.parent.mkdir(parents=True, exist_ok=True)
                former.replace(present)
        contents.is_former = False
        write_contents(folder, contents)
        for place in (layout.GAMES, layout.POSITIONS, layout.OUTCOMES, layout.TREE):  # what a killed process left
            shutil.rmtree(folder / place, ignore_errors=True)
    return True


# ------------------------------------------------------------------------------------------- a log from the footers


class _File(NamedTuple):
    """An undamaged file: its path in the store, what its footer says, and its checksums."""

    path: str
    about: Mapping[str, Any]
    held: FileSum


def _rebuilt(folder: Path) -> Contents:
    """Return the contents of a lost log: those of its valid lines, and of the files that these do not name.

    Raises:
        OutputError: if the files do not say which parts they are.
    """
    contents, files = valid_contents(folder), list(_files(folder))
    if not files and not contents.sources:
        raise OutputError(
            f"{folder} cannot be repaired: neither its manifest nor its files say which parts they are; --force of the "
            "command that wrote it begins it anew"
        )
    of_parts = defaultdict[tuple[int, int], list[_File]](list)
    for file in files:
        if "run" in file.about:
            contents.last_run = max(contents.last_run, file.about["run"])
        else:
            reading, number = map(int, Path(file.path).stem.split("-")[1:])
            of_parts[reading, number].append(file)
            contents.last_reading = max(contents.last_reading, reading)
            contents.layers = {**file.about["layers"], **contents.layers}
            lists = {int(at): Bitmaps(it["columns"], it["version"]) for at, it in file.about["bitmaps"].items()}
            contents.bitmaps = {**lists, **contents.bitmaps}
    for (reading, number), its in sorted(of_parts.items()):
        source = _source(contents, reading, its[0].about)
        known = source.parts.get(number)
        part = _part(its, Part(0, 0, 0) if known is None else known)
        if part.files:
            source.parts[number] = part
    _enter_runs(contents, [file for file in files if "run" in file.about])
    contents.is_ended = True
    return contents


def _files(folder: Path) -> Iterator[_File]:
    """Yield the undamaged files of a store whose footers say which part or run they are."""
    for path in layout.files_in(folder):
        with suppress(OSError, pa.ArrowException, ValueError):
            if fault_of(folder / path, None) is None:
                stored = (pq.read_metadata(folder / path).metadata or {}).get(OF_PART.encode())
                if stored is not None:
                    yield _File(path, json.loads(stored), measured(folder / path))


def _source(contents: Contents, reading: int, about: Mapping[str, Any]) -> KnownSource:
    """Return the source of a reading; if it is new, it is entered in its place among the sources."""
    number = about.get("source") or next(
        (it.number for it in contents.sources if it.reading == reading), len(contents.sources) + 1
    )
    while len(contents.sources) < number:  # a source without games has no files
        at = len(contents.sources) + 1
        contents.sources.append(KnownSource(at, f"source {at}", Seen(None, None, None), {}, 0))
    if contents.sources[number - 1].reading < reading:
        seen = Seen(about["path"], about["size"], about["time"])
        contents.sources[number - 1] = KnownSource(number, about["name"], seen, about["names"], reading)
    elif contents.sources[number - 1].reading > reading:  # files of a former reading of the source
        return KnownSource(number, "", Seen(None, None, None), {}, reading)
    source = contents.sources[number - 1]
    source.names = {**source.names, **about["names"]}
    return source


def _part(files: list[_File], known: Part) -> Part:
    """Return a part with those of its layers whose files are all there."""
    about, by_place = files[0].about, defaultdict[str, list[_File]](list)
    for file in files:
        by_place[layout.place_of(file.path)].append(file)
    games, positions = about["games"], about["positions"]

    def are_whole(place: str, rows: int) -> bool:
        return place in by_place and sum(file.held.rows for file in by_place[place]) == rows

    rows_file, outcomes, _ = layout.OF_RUNS
    kept = [it for place in (layout.PACKED, layout.FEATURES) for it in by_place[place] if it.held.rows == games]
    for first, second in ((layout.GAMES, layout.POSITIONS), (outcomes, rows_file)):
        if are_whole(first, games) and are_whole(second, positions):
            kept += [*by_place[first], *by_place[second]]
    sums = {**known.files, **{file.path: file.held for file in kept}}
    return Part(about["first"], games, positions, about["is_whole"], sums, about["read"])


def _enter_runs(contents: Contents, files: Iterable[_File]) -> None:
    """Enter the merged runs whose files and parts are all there, the newest first."""
    by_number = defaultdict[int, list[_File]](list)
    for file in files:
        by_number[file.about["run"]].append(file)
    parts = {(source.number, number): part for source, number, part in contents.parts()}
    merged = {part for run in contents.runs.values() for part in run.parts}
    for number, its in sorted(by_number.items(), reverse=True):
        of = [(source, part) for source, part in its[0].about["of"]]
        rows = {layout.place_of(file.path): file.held.rows for file in its}
        if number in contents.runs or len(its) < len(layout.OF_RUNS) or not parts.keys() >= {*of} or merged & {*of}:
            continue
        if rows[layout.OF_RUNS[0]] == sum(parts[it].positions for it in of):
            contents.runs[number] = Run(number, of, {file.path: file.held for file in its})
            merged |= {*of}
    for source, number in merged:
        known = contents.sources[source - 1].parts
        if number in known:
            known[number] = known[number].without_run()
