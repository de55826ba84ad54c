"""The patterns' slow twins, square by square: obviously right, and written without a look at setwise's own code.

A twin works on sets of square numbers, or on a *board*: an array of booleans ``[file, rank, case]``, so that many cases
are looked at together while everything is still said about single squares.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

Board = np.ndarray
NUMBERS = range(8)
ALL = 2**64 - 1


def board(words: np.ndarray) -> Board:
    """The boards of 64-bit words."""
    bits = np.unpackbits(np.atleast_1d(words).astype("<u8").view(np.uint8), bitorder="little")
    return np.ascontiguousarray(bits.reshape(-1, 8, 8).T.astype(bool))


def words(squares: Board) -> np.ndarray:
    """The 64-bit words of boards."""
    return np.packbits(squares.T.reshape(-1, 64), bitorder="little").view("<u8")


def at(squares: Board, file: int, rank: int) -> np.ndarray:
    """Whether a square is in the set; squares off the board never are."""
    on_board = 0 <= file < 8 and 0 <= rank < 8
    return squares[file, rank] if on_board else np.zeros(squares.shape[2], bool)


def each(rule: Callable[[int, int], np.ndarray]) -> Board:
    """The board of the squares for which a rule about file and rank holds."""
    return np.array([[rule(file, rank) for rank in NUMBERS] for file in NUMBERS])


def squares_of(word: int) -> set[int]:
    return {square for square in range(64) if int(word) >> square & 1}


def word_of(squares: Iterable[int]) -> int:
    return sum(1 << square for square in set(squares))


def random_sets(cases: int, seed: int) -> np.ndarray:
    """Random sets, a quarter of them each with about 32, 16, 8 and 4 squares."""
    random = np.random.default_rng(seed)
    sets = random.integers(0, 2**64, (4, cases), np.uint64)
    sparse = np.bitwise_and.accumulate(sets)
    return sparse[np.arange(cases) % 4, np.arange(cases)]


#: The 64 sets of one square, the empty and the full set, and random ones.
SETS = np.array([*(1 << square for square in range(64)), 0, ALL, *random_sets(20_000, 1).tolist()], np.uint64)
OTHER_SETS, THIRD_SETS = np.random.default_rng(2).permuted(np.stack([SETS, SETS]), axis=1)


def draw(word: int) -> str:
    rows = [[" 1" if int(word) >> (8 * rank + file) & 1 else " ." for file in NUMBERS] for rank in reversed(NUMBERS)]
    return "\n".join("".join(row) for row in rows)


def difference(ours: np.ndarray, expected: np.ndarray, *inputs: np.ndarray) -> str:
    """The first case in which two answers differ, drawn (sets) or written (numbers); nothing where all agree."""
    ours, expected, *inputs = np.broadcast_arrays(ours, expected, *inputs)
    wrong = np.flatnonzero(ours != expected)
    if not wrong.size:
        return ""
    values = {"answer": ours, "expected": expected} | {f"argument {k}": value for k, value in enumerate(inputs, 1)}
    shown = [
        f"{name}:\n{draw(value[wrong[0]])}" if value.dtype == np.uint64 else f"{name}: {value[wrong[0]]}"
        for name, value in values.items()
    ]
    return f"{wrong.size} of {ours.size} cases differ, first case {wrong[0]}\n" + "\n".join(shown)
