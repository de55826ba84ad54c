"""Sets by the names of their squares, files or ranks, one by one or in ranges."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from setwise.bitboard import FILE_NAMES, RANK_NAMES, SQUARE_NAMES, Bitboard
from setwise.errors import shortened
from setwise.patterns.bits import FILES, RANKS

__all__ = ["SETS_BY_NAME", "files", "ranks", "squares"]


def squares(names: str) -> int:
    """Return the set of squares with these names; ``b2-d4`` is the box with these corners.

    >>> Bitboard(squares("a1 g7-h8"))
    Bitboard('a1 g7 h7 g8 h8')
    """
    word = 0
    for name in names.split():
        corners = name.split("-")
        if len(corners) == 2 and {*corners} <= {*SQUARE_NAMES}:
            columns, rows = ("".join(sorted(ends)) for ends in zip(*corners, strict=True))
            word |= files(f"{columns[0]}-{columns[1]}") & ranks(f"{rows[0]}-{rows[1]}")
        elif len(corners) > 1:
            raise ValueError(f"a box has two corners, as b2-d4, not {shortened(name, 20)}")
        else:
            word |= int(Bitboard(name))
    return word


def files(names: str) -> int:
    """Return the squares of the files with these names; ``a-c`` is the files from a to c."""
    return _lines(names, FILE_NAMES, FILES, "files")


def ranks(names: str) -> int:
    """Return the squares of the ranks with these names; ``2-7`` is the ranks from 2 to 7."""
    return _lines(names, RANK_NAMES, RANKS, "ranks")


def _lines(names: str, known: str, lines: Sequence[np.uint64], what: str) -> int:
    word = 0
    for first, last in _ends(names, known, what):
        for line in lines[known.index(first) : known.index(last) + 1]:
            word |= int(line)
    return word


def _ends(names: str, known: str, what: str) -> Iterator[tuple[str, str]]:
    """The first and the last line of each name or range."""
    for name in names.split():
        first, dash, last = name.partition("-")
        ends = (first, last if dash else first)
        if not all(len(end) == 1 and end in known for end in ends):
            raise ValueError(
                f"{what} are named {known[0]} to {known[-1]}, or {known[0]}-{known[2]}, not {shortened(name, 20)}"
            )
        yield min(ends), max(ends)


#: The functions that return a set for the names of its squares, files or ranks.
SETS_BY_NAME: dict[str, Callable[[str], int]] = {"squares": squares, "files": files, "ranks": ranks}
