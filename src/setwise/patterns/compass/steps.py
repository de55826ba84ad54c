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

from __future__ import annotations

import numpy as np

from setwise.compiler import Set, pattern, routine
from setwise.patterns.bits import EIGHT, NINE, NOT_FILE_A, NOT_FILE_H, NOT_FILES_AB, NOT_FILES_GH, ONE, SEVEN, SIX

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
        A tutorial on move generation shifts a pawn's square left by 7, says rightly that b1 becomes a2, and then marks
        the north-east square: with a1 as bit 0 a shift left by 7 is north-west, and one by 9 north-east.

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
