"""The layout of a scan's folder: names of files, and the values of columns in the names of folders."""

from __future__ import annotations

import itertools
import re
from pathlib import Path, PurePath
from urllib.parse import quote, unquote

__all__ = [
    "FEATURES",
    "GAMES",
    "LOCK",
    "MANIFEST",
    "NOTHING",
    "OF_RUNS",
    "OUTCOMES",
    "POSITIONS",
    "Partial",
    "TREE",
    "UNFINISHED",
    "bitmaps_name",
    "branch",
    "files_in",
    "folder_of",
    "is_of_run",
    "is_part",
    "is_run",
    "number_of",
    "part_name",
    "parts_in",
    "run_name",
    "runs_in",
    "source_of",
    "folder_values",
    "hive_values",
    "whole_of",
]


class Partial(str):
    """The name of a source, which is read even if it is an unfinished scan or index."""

    __slots__ = ()


POSITIONS, GAMES, MANIFEST = "positions", "games", "manifest.jsonl"
#: Folders that an index has besides: how games ended, what was played from frequent positions, bitmaps of features.
OUTCOMES, TREE, FEATURES = "outcomes", "tree", "features"
#: The folders of runs, which are merged.
OF_RUNS = (POSITIONS, OUTCOMES, TREE)
#: The folder of unfinished files. Readers of folders skip names that begin with a dot.
UNFINISHED, LOCK = ".unfinished", ".lock"

#: The name of a missing value in Hive's folders.
NOTHING = "__HIVE_DEFAULT_PARTITION__"

_PART = re.compile(r"part-\d{5,}-\d{5,}\.parquet")
_RUN = re.compile(r"run-\d{5,}\.parquet")


def part_name(source: int, part: int) -> str:
    """Return the name of a part file, given the number of the source and of the part of it, both from 1.

    Example:
        >>> part_name(2, 7)
        'part-00002-00007.parquet'
    """
    return f"part-{source:05}-{part:05}.parquet"


def is_part(path: PurePath) -> bool:
    """Return whether a relative path is that of a part file in a folder."""
    return _PART.fullmatch(path.name) is not None and len(path.parts) > 1 and not path.is_absolute()


def run_name(number: int) -> str:
    """Return the name of the files of a merged run of an index.

    Example:
        >>> run_name(3)
        'run-00003.parquet'
    """
    return f"run-{number:05}.parquet"


def is_run(path: PurePath) -> bool:
    """Return whether a relative path is that of a file of a merged run in a folder."""
    return _RUN.fullmatch(path.name) is not None and len(path.parts) > 1 and not path.is_absolute()


def is_of_run(path: str) -> bool:
    """Return whether a file of an index is one of a run, by its path in the folder.

    Example:
        >>> is_of_run("outcomes/run-00003.parquet"), is_of_run("games/part-00002-00007.parquet")
        (True, False)
    """
    return path.partition("/")[0] in OF_RUNS


def bitmaps_name(number: int, part: str) -> str:
    """Return the path of the bitmaps of a part in the folder of an index, given the number of the list of columns.

    Example:
        >>> bitmaps_name(1, part_name(2, 7))
        'features/1/part-00002-00007.parquet'
    """
    return f"{FEATURES}/{number}/{part}"


def folder_of(path: Path) -> Path | None:
    """Return the folder of the scan that a part file of positions belongs to, judged by its path; else None.

    Example:
        >>> folder_of(Path("scanned/positions/year=1999/part-00001-00001.parquet")).name
        'scanned'
    """
    if not _PART.fullmatch(path.name):
        return None
    return next((folder.parent for folder in path.parents if folder.name == POSITIONS), None)


def whole_of(path: Path) -> Path:
    """Return the folder of the positions for a part file of a scan, else the path itself.

    Example:
        >>> whole_of(Path("scanned/positions/year=1999/part-00001-00001.parquet")).as_posix()
        'scanned/positions'
    """
    folder = folder_of(path)
    return path if folder is None else folder / POSITIONS


def source_of(path: Path) -> int:
    """Return the number of the source of a part file."""
    return int(path.name.split("-")[1])


def number_of(path: Path) -> int:
    """Return the number of a part file in its source."""
    return int(path.stem.split("-")[2])


def branch(names: list[str], values: tuple[str | None, ...]) -> str:
    """Return the folders for rows with these values.

    Example:
        >>> branch(["year", "eco"], ("1999", None))
        'year=1999/eco=__HIVE_DEFAULT_PARTITION__'
    """
    return "/".join(
        f"{quote(name, safe=' ')}={quote(value, safe=' ') if value else NOTHING}"
        for name, value in zip(names, values, strict=True)
    )


def folder_values(path: Path) -> dict[str, str | None]:
    """Return the values of columns in the names of the folders of a part file.

    Example:
        >>> folder_values(Path("scanned/positions/year=1999/eco=__HIVE_DEFAULT_PARTITION__/part-00001-00001.parquet"))
        {'year': '1999', 'eco': None}
    """
    folders = path.parts[:-1]
    if not _PART.fullmatch(path.name) or POSITIONS not in folders:
        return {}
    inner = folders[len(folders) - folders[::-1].index(POSITIONS) :]
    pairs = (folder.partition("=")[::2] for folder in inner)
    return {unquote(name): None if value == NOTHING else unquote(value) for name, value in pairs}


def hive_values(path: Path) -> dict[str, str | None]:
    """Return the values in the names of the folders right above a file, as Hive writes them.

    Example:
        >>> hive_values(Path("data/year=2025/month=01/train-00000.parquet"))
        {'year': '2025', 'month': '01'}
    """
    folders = list(itertools.takewhile(lambda folder: "=" in folder, reversed(path.parts[:-1])))
    pairs = (folder.partition("=")[::2] for folder in reversed(folders))
    return {unquote(name): None if value == NOTHING else unquote(value) for name, value in pairs}


def parts_in(folder: Path) -> list[Path]:
    """Return the part files in a folder and its subfolders, in order of their names."""
    paths = (path for path in folder.rglob("part-*.parquet") if _PART.fullmatch(path.name))
    return sorted(paths, key=lambda path: (path.name, path))


def runs_in(folder: Path) -> list[Path]:
    """Return the files of merged runs in a folder."""
    return sorted(path for path in folder.glob("run-*.parquet") if _RUN.fullmatch(path.name))


def files_in(folder: Path) -> dict[str, list[str]]:
    """Return the paths of the files of each part of a scan, relative to its folder, by their name."""
    paths: dict[str, list[str]] = {}
    for place in (POSITIONS, GAMES):
        for path in parts_in(folder / place):
            paths.setdefault(path.name, []).append(path.relative_to(folder).as_posix())
    return paths
