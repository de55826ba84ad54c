"""The patterns' slow twins, square by square: obviously right, and written without a look at setwise's own code.

The twin of ``knight.attacks`` is the function ``attacks`` in ``naive/knight.py``, or an entry of ``TWINS`` there. It
takes the same arguments and says by its annotations how it looks at them: as a ``Board``, so that many cases are looked
at together while everything is still said about single squares; as sets of squares (``set[int]``, ``set[Place]``); or
as one square or number (``int``, ``bool``, ``Place``). ``helpers/twins.py`` asks both about the same cases: what the
module of the twins has for an argument in ``COLUMNS``, random values otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

#: Booleans ``[file, rank, case]``.
Board = np.ndarray
#: A square as (file, rank), each 0 to 7.
Place = tuple[int, int]
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


def place(square: int) -> Place:
    return square % 8, square // 8


def places(word: int) -> set[Place]:
    return set(map(place, squares_of(word)))


def word(squares: Iterable[Place]) -> int:
    return word_of(8 * rank + file for file, rank in squares)


def random_sets(cases: int, seed: int) -> np.ndarray:
    """Random sets, a quarter of them each with about 32, 16, 8 and 4 squares."""
    random = np.random.default_rng(seed)
    sets = random.integers(0, 2**64, (4, cases), np.uint64)
    sparse = np.bitwise_and.accumulate(sets)
    return sparse[np.arange(cases) % 4, np.arange(cases)]


#: The 64 sets of one square.
SQUARES = np.uint64(1) << np.arange(64, dtype=np.uint64)
#: Those, the empty and the full set, and random ones.
SETS = np.array([*SQUARES.tolist(), 0, ALL, *random_sets(20_000, 1).tolist()], np.uint64)
OTHER_SETS, THIRD_SETS = np.random.default_rng(2).permuted(np.stack([SETS, SETS]), axis=1)
#: Two sets: all pairs of single squares, and sets of few squares, empty ones among them.
PAIR = (
    np.concatenate([np.repeat(SQUARES, 64), SETS[:2000] & OTHER_SETS[:2000]]),
    np.concatenate([np.tile(SQUARES, 64), THIRD_SETS[:2000] & OTHER_SETS[1000:3000]]),
)
