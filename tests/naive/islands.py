"""Pawn islands as groups of neighbouring files."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, groupby


def packed(files: Iterable[int]) -> int:
    return sum(1 << file for file in set(files))


def islands(files: int) -> list[list[int]]:
    """The islands of a fileset from west to east, each with its files from west to east."""
    runs = groupby(range(8), key=lambda file: files >> file & 1)
    return [list(island) for occupied, island in runs if occupied]


def fileset(pawns: set[int]) -> int:
    return packed(square % 8 for square in pawns)


def files(fileset: int) -> set[int]:
    return {square for square in range(64) if fileset >> square % 8 & 1}


def count(files: int) -> int:
    return len(islands(files))


def east_files(files: int) -> int:
    return packed(island[-1] for island in islands(files))


def west_files(files: int) -> int:
    return packed(island[0] for island in islands(files))


def of_width(files: int, width: int) -> int:
    return packed(chain(*(island for island in islands(files) if len(island) == width)))


def isolated_files(files: int) -> int:
    return of_width(files, 1)


def half_isolated_files(files: int) -> int:
    return packed(file for island in islands(files) if len(island) > 1 for file in (island[0], island[-1]))
