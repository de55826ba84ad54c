"""Pawn islands as groups of neighbouring files."""

from __future__ import annotations

from itertools import groupby


def islands(fileset: int) -> list[list[int]]:
    """The islands of a fileset from west to east, each with its files from west to east."""
    runs = groupby(range(8), key=lambda file: fileset >> file & 1)
    return [list(files) for occupied, files in runs if occupied]


def fileset(files: list[int] | set[int]) -> int:
    return sum(1 << file for file in set(files))
