"""The symmetries of the board: flips, rotations, diagonal flips."""

from __future__ import annotations

import numpy as np

from setwise.compiler import Set, bitreverse, byteswap, pattern

_HALVES, _QUARTERS, _NEIGHBOURS = np.uint64(28), np.uint64(14), np.uint64(7)
_UPPER_HALVES = np.uint64(0x0F0F_0F0F_0000_0000)
_UPPER_QUARTERS = np.uint64(0x3333_0000_3333_0000)
_UPPER_NEIGHBOURS = np.uint64(0x5500_5500_5500_5500)


@pattern
def flip_vertical(squares: Set) -> Set:
    """Return the set with the ranks reversed: what stood on rank 1 stands on rank 8.

    This is how Black's side of the board becomes the side that moves up; a byte swap.

    Args:
        squares: any set.

    Example:
        >>> print(compass.flip_vertical(Bitboard("b3 b4 b5 c5 d5 b6 b7 c7 d7 e7")))  # the letter F
        . . . . . . . .
        . . . . . . . .
        . 1 . . . . . .
        . 1 . . . . . .
        . 1 1 1 . . . .
        . 1 . . . . . .
        . 1 1 1 1 . . .
        . . . . . . . .

    Traps:
        It changes ranks and keeps files; turning the board around is `rotate_180`.

    Source:
        Chess Programming Wiki, "Flipping Mirroring and Rotating".
    """
    return byteswap(squares)


@pattern
def mirror_horizontal(squares: Set) -> Set:
    """Return the set with the files reversed: what stood on file a stands on file h.

    Args:
        squares: any set.

    Example:
        >>> print(compass.mirror_horizontal(Bitboard("b3 b4 b5 c5 d5 b6 b7 c7 d7 e7")))  # the letter F
        . . . . . . . .
        . . . 1 1 1 1 .
        . . . . . . 1 .
        . . . . 1 1 1 .
        . . . . . . 1 .
        . . . . . . 1 .
        . . . . . . . .
        . . . . . . . .

    Traps:
        It exchanges the kings' and the queens' wing, and castling with them.

    Source:
        Chess Programming Wiki, "Flipping Mirroring and Rotating".
    """
    return byteswap(bitreverse(squares))


@pattern
def rotate_180(squares: Set) -> Set:
    """Return the set turned by half a turn: a1 becomes h8.

    Args:
        squares: any set.

    Example:
        >>> print(compass.rotate_180(Bitboard("b3 b4 b5 c5 d5 b6 b7 c7 d7 e7")))  # the letter F
        . . . . . . . .
        . . . . . . . .
        . . . . . . 1 .
        . . . . . . 1 .
        . . . . 1 1 1 .
        . . . . . . 1 .
        . . . 1 1 1 1 .
        . . . . . . . .

    Source:
        Chess Programming Wiki, "Flipping Mirroring and Rotating".
    """
    return bitreverse(squares)


@pattern
def flip_diagonal(squares: Set) -> Set:
    """Return the set reflected in the diagonal a1–h8: b1 becomes a2.

    Files become ranks: a set of squares on file a becomes one on rank 1.

    Args:
        squares: any set.

    Example:
        >>> print(compass.flip_diagonal(Bitboard("b3 b4 b5 c5 d5 b6 b7 c7 d7 e7")))  # the letter F
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . 1 .
        . . . . 1 . 1 .
        . . . . 1 . 1 .
        . . 1 1 1 1 1 .
        . . . . . . . .

    Source:
        Chess Programming Wiki, "Flipping Mirroring and Rotating".
    """
    # Exchange the 4 by 4 corners off the diagonal, then the 2 by 2 ones within each, then single squares.
    change = (squares ^ squares << _HALVES) & _UPPER_HALVES
    squares = squares ^ change ^ change >> _HALVES
    change = (squares ^ squares << _QUARTERS) & _UPPER_QUARTERS
    squares = squares ^ change ^ change >> _QUARTERS
    change = (squares ^ squares << _NEIGHBOURS) & _UPPER_NEIGHBOURS
    return squares ^ change ^ change >> _NEIGHBOURS


@pattern
def flip_antidiagonal(squares: Set) -> Set:
    """Return the set reflected in the antidiagonal a8–h1: a1 becomes h8, b1 becomes h7.

    Args:
        squares: any set.

    Example:
        >>> print(compass.flip_antidiagonal(Bitboard("b3 b4 b5 c5 d5 b6 b7 c7 d7 e7")))  # the letter F
        . . . . . . . .
        . 1 1 1 1 1 . .
        . 1 . 1 . . . .
        . 1 . 1 . . . .
        . 1 . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .

    Source:
        Chess Programming Wiki, "Flipping Mirroring and Rotating".
    """
    return bitreverse(flip_diagonal(squares))


@pattern
def rotate_90_clockwise(squares: Set) -> Set:
    """Return the set turned clockwise by a quarter turn: a1 becomes a8, a8 becomes h8.

    Args:
        squares: any set.

    Example:
        >>> print(compass.rotate_90_clockwise(Bitboard("b3 b4 b5 c5 d5 b6 b7 c7 d7 e7")))  # the letter F
        . . . . . . . .
        . . 1 1 1 1 1 .
        . . . . 1 . 1 .
        . . . . 1 . 1 .
        . . . . . . 1 .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .

    Source:
        Chess Programming Wiki, "Flipping Mirroring and Rotating".
    """
    return byteswap(flip_diagonal(squares))


@pattern
def rotate_90_anticlockwise(squares: Set) -> Set:
    """Return the set turned anticlockwise by a quarter turn: a1 becomes h1, a8 becomes a1.

    Args:
        squares: any set.

    Example:
        >>> print(compass.rotate_90_anticlockwise(Bitboard("b3 b4 b5 c5 d5 b6 b7 c7 d7 e7")))  # the letter F
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . 1 . . . . . .
        . 1 . 1 . . . .
        . 1 . 1 . . . .
        . 1 1 1 1 1 . .
        . . . . . . . .

    Source:
        Chess Programming Wiki, "Flipping Mirroring and Rotating".
    """
    return flip_diagonal(byteswap(squares))
