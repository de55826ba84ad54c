"""Bits one after the other, squares as pairs of a file and a rank."""

from __future__ import annotations

from naive import OTHER_SETS, SETS, Place

COLUMNS = {"squares": SETS, "subset": SETS & OTHER_SETS}


def count_by_swar(squares: set[int]) -> int:
    return len(squares)


def lowest_by_de_bruijn(squares: set[int]) -> int:
    return min(squares, default=0)


def lowest_by_modulo(squares: set[int]) -> int:
    return min(squares, default=64)


def up_to_highest(squares: set[int]) -> set[int]:
    return {square for square in range(64) if any(square <= other for other in squares)}


def next_subset(subset: set[int], squares: set[int]) -> set[int]:
    """The lowest square that is missing comes in, and all below it go."""
    missing = {square for square in squares if square not in subset}
    return {
        square for square in squares
        if (square in missing and not any(other < square for other in missing))
        or (square in subset and any(other < square for other in missing))
    }  # fmt: skip


def rotate_45_clockwise(squares: set[Place]) -> set[Place]:
    return {(file, (rank - file) % 8) for file, rank in squares}


def rotate_45_anticlockwise(squares: set[Place]) -> set[Place]:
    return {(file, (rank + file) % 8) for file, rank in squares}


def file_of(square: Place) -> int:
    return square[0]


def rank_of(square: Place) -> int:
    return square[1]


def diagonal_of(square: Place) -> int:
    file, rank = square
    return rank - file if rank >= file else 16 + rank - file


def antidiagonal_of(square: Place) -> int:
    return (7 - sum(square)) % 16


def manhattan_distance(a: Place, b: Place) -> int:
    return abs(a[0] - b[0]) + abs(a[1] - b[1])


def centre_distance(square: Place) -> int:
    return min(max(abs(square[0] - file), abs(square[1] - rank)) for file in (3, 4) for rank in (3, 4))


def square_0x88(square: Place) -> int:
    return 16 * square[1] + square[0]


def difference_0x88(a: Place, b: Place) -> int:
    return 16 * (a[1] - b[1]) + a[0] - b[0] + 0x77
