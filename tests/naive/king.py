"""King patterns, square by square."""

from __future__ import annotations

from itertools import product

import numpy as np

from naive import Board, at, each


def attacks(kings: Board) -> Board:
    around = [step for step in product((-1, 0, 1), repeat=2) if step != (0, 0)]
    return each(lambda file, rank: np.any([at(kings, file + east, rank + north) for east, north in around], axis=0))


def fill(kings: Board, path: Board) -> Board:
    inside = kings & path
    return (inside | attacks(inside)) & path


def distance(a: set[int], b: set[int]) -> int:
    """Files or ranks apart, whichever is more, for the nearest two squares."""
    return min((max(abs(s % 8 - t % 8), abs(s // 8 - t // 8)) for s, t in product(a, b)), default=-1)


def distant_checks(king: int, escapes: set[int]) -> int:
    """The plain form, one question after the other."""
    squares = escapes | {king}
    if not escapes:
        return 15
    if len({square // 8 for square in squares}) == 1:
        return 1
    if len({square % 8 for square in squares}) == 1:
        return 2
    if len({square // 8 - square % 8 for square in squares}) == 1:
        return 4
    if len({square // 8 + square % 8 for square in squares}) == 1:
        return 8
    return 0


def zone(king: int) -> set[int]:
    file, rank = king % 8, king // 8
    return {8 * r + f for f, r in product(range(8), repeat=2) if abs(f - file) <= 1 and -1 <= r - rank <= 2}


def shield(king: int) -> list[str]:
    """The squares of the shield in the order in which they are packed."""
    file, rank = "abcdefgh"[king % 8], king // 8 + 1
    if rank <= 2 and file in "abc":
        return ["c2", "b2", "a2", "c3", "b3", "a3"]
    if rank <= 2 and file in "fgh":
        return ["f2", "g2", "h2", "f3", "g3", "h3"]
    return []


def shield_index(king: int, own_pawns: set[int]) -> int:
    squares = [8 * (int(name[1]) - 1) + "abcdefgh".index(name[0]) for name in shield(king)]
    return sum(2**place for place, square in enumerate(squares) if square in own_pawns) if squares else 64


def files_without(king: int, pawns: set[int]) -> set[int]:
    """The files at the king and next to it that hold none of the pawns."""
    return {file for file in range(8) if abs(file - king % 8) <= 1 and not any(pawn % 8 == file for pawn in pawns)}
