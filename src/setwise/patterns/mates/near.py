"""What lies near a king: the edges of the board, the squares beside it and aslant of it."""

from __future__ import annotations

from setwise.compiler import Set, routine
from setwise.patterns.bits import FILE_A, FILE_H, RANK_1, RANK_8
from setwise.patterns.compass import north, south
from setwise.patterns.compass.steps import sideways

EDGES = FILE_A | FILE_H | RANK_1 | RANK_8


@routine
def beside(king: Set) -> Set:
    """The squares next to a king on its rank and file."""
    return sideways(king) | north(king) | south(king)


@routine
def aslant(king: Set) -> Set:
    """The squares next to a king on its diagonals."""
    beside_it = sideways(king)
    return north(beside_it) | south(beside_it)
