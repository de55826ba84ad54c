"""One step of a whole set in each direction, the eight knight steps, and the symmetries of the board.

A step moves every square of a set at once; squares that would leave the board vanish. If a word is shifted by a step
with an east or west part, squares of the edge file arrive at the other edge, on another rank: a mask removes them.

Source: Chess Programming Wiki, "General Setwise Operations", "Knight Pattern", "Flipping Mirroring and Rotating".
"""

from __future__ import annotations

import numpy as np

from setwise.compiler import Set, bitreverse, byteswap, pattern, routine
from setwise.patterns.bits import EIGHT, NINE, NOT_FILE_A, NOT_FILE_H, NOT_FILES_AB, NOT_FILES_GH, ONE, SEVEN, SIX

__all__ = [
    "east", "flip_antidiagonal", "flip_diagonal", "flip_vertical", "mirror_horizontal", "no_ea_ea", "no_no_ea",
    "no_no_we", "no_we_we", "north", "north_east", "north_west", "rotate_180", "rotate_90_anticlockwise",
    "rotate_90_clockwise", "so_ea_ea", "so_so_ea", "so_so_we", "so_we_we", "south", "south_east", "south_west", "west",
]  # fmt: skip


# ----------------------------------------------------------------------------------------------------------------------

"""One step of a whole set in each direction, and the eight knight steps.

Args:
    squares: any set.

Why:
    Squares are numbered rank by rank, eight to a rank, so a step is always the same distance in the word: 1 to the
    east, 8 to the north, 9 and 7 to the north-east and north-west, 17, 10, 6 and 15 for a knight. A shift by that
    distance moves every square of a set at once, and what leaves the board in the north or south falls off the word. A
    step sideways from an edge would come out on the opposite edge: the mask takes away the files on which that happens,
    one file for a step by one, two for a step by two.
"""


TEN, FIFTEEN, SEVENTEEN = np.uint64(10), np.uint64(15), np.uint64(17)


# ----------------------------------------------------------------------------------------------------------- one step


@pattern
def north(squares: Set) -> Set:
    """Return the set one step north.

    Example:
        >>> compass.north(Bitboard("a4 e1 e8 h4"))
        Bitboard('e2 a5 h5')

    Names:
        nortOne, noOne, shift_up.

    Source:
        Chess Programming Wiki, "General Setwise Operations".
    """
    return squares << EIGHT


@pattern
def south(squares: Set) -> Set:
    """Return the set one step south.

    Example:
        >>> compass.south(Bitboard("a4 e1 e8 h4"))
        Bitboard('a3 h3 e7')

    Names:
        soutOne, soOne, shift_down.

    Source:
        Chess Programming Wiki, "General Setwise Operations".
    """
    return squares >> EIGHT


@pattern
def east(squares: Set) -> Set:
    """Return the set one step east.

    The files at the east borders of pawn islands are `islands.east_files`.

    Example:
        >>> compass.east(Bitboard("a4 e1 e8 h4"))
        Bitboard('f1 b4 f8')

    Traps:
        Without the mask h4 would step to a5.

    Names:
        eastOne, eaOne, shift_right.

    Source:
        Chess Programming Wiki, "General Setwise Operations".
    """
    return (squares << ONE) & NOT_FILE_A


@pattern
def west(squares: Set) -> Set:
    """Return the set one step west.

    The files at the west borders of pawn islands are `islands.west_files`.

    Example:
        >>> compass.west(Bitboard("a4 e1 e8 h4"))
        Bitboard('d1 g4 d8')

    Traps:
        Without the mask a4 would step to h3.

    Names:
        westOne, weOne, shift_left.

    Source:
        Chess Programming Wiki, "General Setwise Operations".
    """
    return (squares >> ONE) & NOT_FILE_H


@pattern
def north_east(squares: Set) -> Set:
    """Return the set one step north-east.

    Example:
        >>> compass.north_east(Bitboard("a4 e1 e8 h4"))
        Bitboard('f2 b5')

    Traps:
        Without the mask h4 would step to a6.

    Names:
        noEaOne, shift_up_right.

    Source:
        Chess Programming Wiki, "General Setwise Operations".
    """
    return (squares << NINE) & NOT_FILE_A


@pattern
def north_west(squares: Set) -> Set:
    """Return the set one step north-west.

    Example:
        >>> compass.north_west(Bitboard("a4 e1 e8 h4"))
        Bitboard('d2 g5')

    Traps:
        Without the mask a4 would step to h4.

    Slips:
        A tutorial on move generation shifts a pawn's square left by 7, says correctly that b1 becomes a2, but calls the
        new square north-east: with a1 as bit 0, a shift left by 7 goes north-west, and a shift left by 9 north-east.

    Names:
        noWeOne, shift_up_left.

    Source:
        Chess Programming Wiki, "General Setwise Operations".
    """
    return (squares << SEVEN) & NOT_FILE_H


@pattern
def south_east(squares: Set) -> Set:
    """Return the set one step south-east.

    Example:
        >>> compass.south_east(Bitboard("a4 e1 e8 h4"))
        Bitboard('b3 f7')

    Traps:
        Without the mask h4 would step to a4.

    Names:
        soEaOne, shift_down_right.

    Source:
        Chess Programming Wiki, "General Setwise Operations".
    """
    return (squares >> SEVEN) & NOT_FILE_A


@pattern
def south_west(squares: Set) -> Set:
    """Return the set one step south-west.

    Example:
        >>> compass.south_west(Bitboard("a4 e1 e8 h4"))
        Bitboard('g3 d7')

    Traps:
        Without the mask a4 would step to h2.

    Names:
        soWeOne, shift_down_left.

    Source:
        Chess Programming Wiki, "General Setwise Operations".
    """
    return (squares >> NINE) & NOT_FILE_H


@routine
def sideways(squares: Set) -> Set:
    """One step east and one step west."""
    return east(squares) | west(squares)


@routine
def grown(squares: Set) -> Set:
    """A set together with its neighbours in all eight directions."""
    row = squares | sideways(squares)
    return row | north(row) | south(row)


# ------------------------------------------------------------------------------------------------- one knight step


@pattern
def no_no_ea(squares: Set) -> Set:
    """Return the set one knight step away: two north, one east.

    Example:
        >>> compass.no_no_ea(Bitboard("d4 g5 h5"))
        Bitboard('e6 h7')

    Names:
        noNoEa.

    Source:
        Chess Programming Wiki, "Knight Pattern".
    """
    return (squares << SEVENTEEN) & NOT_FILE_A


@pattern
def no_ea_ea(squares: Set) -> Set:
    """Return the set one knight step away: one north, two east.

    Example:
        >>> compass.no_ea_ea(Bitboard("d4 g5 h5"))
        Bitboard('f5')

    Traps:
        A step of two files needs a mask of two files; a mask of one lets the next file wrap.

    Names:
        noEaEa.

    Source:
        Chess Programming Wiki, "Knight Pattern".
    """
    return (squares << TEN) & NOT_FILES_AB


@pattern
def so_ea_ea(squares: Set) -> Set:
    """Return the set one knight step away: one south, two east.

    Example:
        >>> compass.so_ea_ea(Bitboard("d4 g5 h5"))
        Bitboard('f3')

    Traps:
        A step of two files needs a mask of two files; a mask of one lets the next file wrap.

    Names:
        soEaEa.

    Source:
        Chess Programming Wiki, "Knight Pattern".
    """
    return (squares >> SIX) & NOT_FILES_AB


@pattern
def so_so_ea(squares: Set) -> Set:
    """Return the set one knight step away: two south, one east.

    Example:
        >>> compass.so_so_ea(Bitboard("d4 g5 h5"))
        Bitboard('e2 h3')

    Names:
        soSoEa.

    Source:
        Chess Programming Wiki, "Knight Pattern".
    """
    return (squares >> FIFTEEN) & NOT_FILE_A


@pattern
def so_so_we(squares: Set) -> Set:
    """Return the set one knight step away: two south, one west.

    Example:
        >>> compass.so_so_we(Bitboard("d4 a5 b5"))
        Bitboard('c2 a3')

    Names:
        soSoWe.

    Source:
        Chess Programming Wiki, "Knight Pattern".
    """
    return (squares >> SEVENTEEN) & NOT_FILE_H


@pattern
def so_we_we(squares: Set) -> Set:
    """Return the set one knight step away: one south, two west.

    Example:
        >>> compass.so_we_we(Bitboard("d4 a5 b5"))
        Bitboard('b3')

    Traps:
        A step of two files needs a mask of two files; a mask of one lets the next file wrap.

    Names:
        soWeWe.

    Source:
        Chess Programming Wiki, "Knight Pattern".
    """
    return (squares >> TEN) & NOT_FILES_GH


@pattern
def no_we_we(squares: Set) -> Set:
    """Return the set one knight step away: one north, two west.

    Example:
        >>> compass.no_we_we(Bitboard("d4 a5 b5"))
        Bitboard('b5')

    Traps:
        A step of two files needs a mask of two files; a mask of one lets the next file wrap.

    Names:
        noWeWe.

    Source:
        Chess Programming Wiki, "Knight Pattern".
    """
    return (squares << SIX) & NOT_FILES_GH


@pattern
def no_no_we(squares: Set) -> Set:
    """Return the set one knight step away: two north, one west.

    Example:
        >>> compass.no_no_we(Bitboard("d4 a5 b5"))
        Bitboard('c6 a7')

    Names:
        noNoWe.

    Source:
        Chess Programming Wiki, "Knight Pattern".
    """
    return (squares << FIFTEEN) & NOT_FILE_H


# -------------------------------------------------------- the symmetries of the board: flips, rotations, diagonal flips


_HALVES, _QUARTERS, _NEIGHBOURS = np.uint64(28), np.uint64(14), np.uint64(7)
_UPPER_HALVES = np.uint64(0x0F0F_0F0F_0000_0000)
_UPPER_QUARTERS = np.uint64(0x3333_0000_3333_0000)
_UPPER_NEIGHBOURS = np.uint64(0x5500_5500_5500_5500)


@pattern
def flip_vertical(squares: Set) -> Set:
    """Return the set with the ranks reversed: squares of rank 1 become squares of rank 8.

    It turns Black's pieces into pieces of a side that moves up the board. In code it is a byte swap.

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
        A rank is a byte of the word, and rank 1 is the lowest byte. To reverse the order of the bytes is to reverse the
        ranks; within a rank nothing moves.

    Traps:
        It reverses the ranks and keeps the files; to turn the board around, use `rotate_180`.

    Names:
        flipVertical, byteswap, bswap, vertical flip, mirror the board.

    Source:
        Chess Programming Wiki, "Flipping Mirroring and Rotating".
    """
    return byteswap(squares)


@pattern
def mirror_horizontal(squares: Set) -> Set:
    """Return the set with the files reversed: squares of file a become squares of file h.

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
        To reverse all 64 bits reverses ranks and files; to swap the bytes afterwards restores the order of the ranks.
        The result is a reversal of the bits within each byte, which reverses the files.

    Traps:
        It exchanges the king's side and the queen's side, so castling rights are not valid after it.

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

    Files become ranks: a set of squares on file a becomes a set of squares on rank 1.

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
        Cut the board into four quarters: the two quarters on the diagonal stay, the other two change places. The same
        exchange within each quarter, and then within each quarter of a quarter, moves every square to its mirror image.
        An exchange costs two shifts, a mask and three xors: xor with the difference of two squares turns each into the
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
        A reflection in the diagonal, followed by half a turn, is a reflection in the other diagonal. Half a turn is a
        reversal of the bits.

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
        Two reflections make a turn by twice the angle between their axes. The angle between the diagonal and the
        horizontal line is half a right angle.

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
        The same two reflections as in the clockwise turn, in the opposite order, turn the set in the opposite
        direction.

    Names:
        rotate90antiClockwise.

    Source:
        Chess Programming Wiki, "Flipping Mirroring and Rotating".
    """
    return flip_diagonal(byteswap(squares))
