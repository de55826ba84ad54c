"""King patterns, square by square."""

from __future__ import annotations

from itertools import product

import numpy as np

from naive import OTHER_SETS, PAIR, SETS, THIRD_SETS, Board, at, board, each, place, words


def attacks(kings: Board) -> Board:
    around = [step for step in product((-1, 0, 1), repeat=2) if step != (0, 0)]
    return each(lambda file, rank: np.any([at(kings, file + east, rank + north) for east, north in around], axis=0))


def fill(kings: Board, path: Board) -> Board:
    inside = kings & path
    return (inside | attacks(inside)) & path


def distance(a: set[int], b: set[int]) -> int:
    """Files or ranks apart, whichever is more, for the nearest two squares."""
    return min((max(abs(s % 8 - t % 8), abs(s // 8 - t // 8)) for s, t in product(a, b)), default=-1)


def escapes(king: Board, own: Board, enemy_attacks: Board) -> Board:
    return attacks(king) & ~own & ~enemy_attacks


def neighbours(king: int) -> set[int]:
    file, rank = place(king)
    around = [(file + east, rank + north) for east, north in product((-1, 0, 1), repeat=2) if (east, north) != (0, 0)]
    return {8 * r + f for f, r in around if 0 <= f < 8 and 0 <= r < 8}


def distant_checks(king: int, taboo: set[int]) -> int:
    """The plain form, one question after the other."""
    escapes = neighbours(king) - taboo
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


def zone(kings: set[int]) -> set[int]:
    return {
        8 * rank + file
        for rank, file in product(range(8), repeat=2)
        for king in kings
        if abs(file - king % 8) <= 1 and -1 <= rank - king // 8 <= 2
    }


def shield(king: int) -> list[str]:
    """The squares of the shield in the order in which they are packed."""
    file, rank = "abcdefgh"[king % 8], king // 8 + 1
    if rank <= 2 and file in "abc":
        return ["c2", "b2", "a2", "c3", "b3", "a3"]
    if rank <= 2 and file in "fgh":
        return ["f2", "g2", "h2", "f3", "g3", "h3"]
    return []


def shield_squares(king: int) -> list[int]:
    return [8 * (int(name[1]) - 1) + "abcdefgh".index(name[0]) for name in shield(king)]


def shield_mask(king: int) -> set[int]:
    return set(shield_squares(king))


def shield_index(king: int, own_pawns: set[int]) -> int:
    squares = shield_squares(king)
    return sum(2**place for place, square in enumerate(squares) if square in own_pawns) if squares else 64


def open_files(king: int, pawns: set[int]) -> set[int]:
    """The files at the king and next to it that hold none of the pawns."""
    near = [file for file in range(8) if abs(file - king % 8) <= 1]
    free = [file for file in near if not any(pawn % 8 == file for pawn in pawns)]
    return {square for square in range(64) if square % 8 in free}


half_open_files = open_files


def surroundings() -> tuple[np.ndarray, np.ndarray]:
    """Every king with every set of escapes, in shuffled order; what is taboo elsewhere must not matter."""
    around = [sorted(neighbours(square)) for square in range(64)]
    cases = [
        (1 << square, sum(1 << taken for k, taken in enumerate(around[square]) if choice >> k & 1))
        for square in range(64)
        for choice in range(2 ** len(around[square]))
    ]
    kings, taken = np.random.default_rng(7).permutation(np.array(cases, np.uint64)).T
    return kings, taken | SETS[66 : 66 + len(cases)] & ~words(attacks(board(kings)))


_KINGS, _TABOO = surroundings()
_FEW = SETS[66:] & OTHER_SETS[66:] & THIRD_SETS[66:]
COLUMNS = {"a": PAIR[0], "b": PAIR[1], "king": _KINGS, "taboo": _TABOO, "pawns": _FEW, "own_pawns": OTHER_SETS}
