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

    Why:
        A rank is a byte of the word, rank 1 the lowest. Swapping the bytes end for end reverses the ranks and moves
        nothing within them.

    Traps:
        It changes ranks and keeps files; turning the board around is `rotate_180`.

    Names:
        flipVertical, byteswap, bswap, vertical flip, mirror the board.

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

    Why:
        Reversing all 64 bits reverses ranks and files; swapping the bytes afterwards puts the ranks back where they
        were. What is left is a reversal within each byte, which reverses the files.

    Traps:
        It exchanges the king's side and the queen's side; castling rights do not carry over.

    Names:
        mirrorHorizontal, horizontal mirror.

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

    Why:
        Half a turn sends square s to 63 - s, and reversing a word's bits does the same to bit s.

    Names:
        rotate180, bit reversal.

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

    Why:
        Cut the board into four quarters: those on the diagonal stay, the other two change places. The same exchange
        within each quarter, and then within each quarter of a quarter, moves every square to its mirror image. An
        exchange costs two shifts, a mask and three xors: xor with the difference of two squares turns each into the
        other.

    Names:
        flipDiagA1H8, transpose, delta swap.

    Source:
        Chess Programming Wiki, "Flipping Mirroring and Rotating".
    """
    # Exchange the 4 by 4 corners off the diagonal, then the 2 by 2 ones within each, then single squares.
    change = (squares ^ squares << _HALVES) & _UPPER_HALVES
    squares = squares ^ change ^ change >> _HALVES  # the quarters off the diagonal change places
    change = (squares ^ squares << _QUARTERS) & _UPPER_QUARTERS
    squares = squares ^ change ^ change >> _QUARTERS  # and so within each quarter
    change = (squares ^ squares << _NEIGHBOURS) & _UPPER_NEIGHBOURS
    return squares ^ change ^ change >> _NEIGHBOURS  # and single squares


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

    Why:
        A reflection in the diagonal and half a turn, one after the other, make a reflection in the other diagonal. Half
        a turn is a reversal of the bits.

    Names:
        flipDiagA8H1.

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

    Why:
        Two reflections make a turn by twice the angle between their axes: the diagonal and the horizontal line are half
        a right angle apart.

    Names:
        rotate90clockwise.

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

    Why:
        The same two reflections as for the turn clockwise, in the other order: the turn goes back.

    Names:
        rotate90antiClockwise.

    Source:
        Chess Programming Wiki, "Flipping Mirroring and Rotating".
    """
    return flip_diagonal(byteswap(squares))
