"""One step of a whole set in each direction, and the eight knight steps."""

from __future__ import annotations

import numpy as np

from setwise.compiler import Set, pattern, routine
from setwise.patterns.bits import EIGHT, NINE, NOT_FILE_A, NOT_FILE_H, NOT_FILES_AB, NOT_FILES_GH, ONE, SEVEN, SIX

TEN, FIFTEEN, SEVENTEEN = np.uint64(10), np.uint64(15), np.uint64(17)


# ----------------------------------------------------------------------------------------------------------- one step


@pattern
def north(squares: Set) -> Set:
    """Return the set one step north.

    Args:
        squares: any set.

    Example:
        >>> compass.north(Bitboard("a4 e1 e8 h4"))
        Bitboard('e2 a5 h5')

    Source:
        Chess Programming Wiki, "General Setwise Operations".
    """
    return squares << EIGHT


@pattern
def south(squares: Set) -> Set:
    """Return the set one step south.

    Args:
        squares: any set.

    Example:
        >>> compass.south(Bitboard("a4 e1 e8 h4"))
        Bitboard('a3 h3 e7')

    Source:
        Chess Programming Wiki, "General Setwise Operations".
    """
    return squares >> EIGHT


@pattern
def east(squares: Set) -> Set:
    """Return the set one step east.

    Args:
        squares: any set.

    Example:
        >>> compass.east(Bitboard("a4 e1 e8 h4"))
        Bitboard('f1 b4 f8')

    Traps:
        Without the mask h4 would step to a5.

    Source:
        Chess Programming Wiki, "General Setwise Operations".
    """
    return (squares << ONE) & NOT_FILE_A


@pattern
def west(squares: Set) -> Set:
    """Return the set one step west.

    Args:
        squares: any set.

    Example:
        >>> compass.west(Bitboard("a4 e1 e8 h4"))
        Bitboard('d1 g4 d8')

    Traps:
        Without the mask a4 would step to h3.

    Source:
        Chess Programming Wiki, "General Setwise Operations".
    """
    return (squares >> ONE) & NOT_FILE_H


@pattern
def north_east(squares: Set) -> Set:
    """Return the set one step north-east.

    Args:
        squares: any set.

    Example:
        >>> compass.north_east(Bitboard("a4 e1 e8 h4"))
        Bitboard('f2 b5')

    Traps:
        Without the mask h4 would step to a6.

    Source:
        Chess Programming Wiki, "General Setwise Operations".
    """
    return (squares << NINE) & NOT_FILE_A


@pattern
def north_west(squares: Set) -> Set:
    """Return the set one step north-west.

    Args:
        squares: any set.

    Example:
        >>> compass.north_west(Bitboard("a4 e1 e8 h4"))
        Bitboard('d2 g5')

    Traps:
        Without the mask a4 would step to h4.

    Source:
        Chess Programming Wiki, "General Setwise Operations".
    """
    return (squares << SEVEN) & NOT_FILE_H


@pattern
def south_east(squares: Set) -> Set:
    """Return the set one step south-east.

    Args:
        squares: any set.

    Example:
        >>> compass.south_east(Bitboard("a4 e1 e8 h4"))
        Bitboard('b3 f7')

    Traps:
        Without the mask h4 would step to a4.

    Source:
        Chess Programming Wiki, "General Setwise Operations".
    """
    return (squares >> SEVEN) & NOT_FILE_A


@pattern
def south_west(squares: Set) -> Set:
    """Return the set one step south-west.

    Args:
        squares: any set.

    Example:
        >>> compass.south_west(Bitboard("a4 e1 e8 h4"))
        Bitboard('g3 d7')

    Traps:
        Without the mask a4 would step to h2.

    Source:
        Chess Programming Wiki, "General Setwise Operations".
    """
    return (squares >> NINE) & NOT_FILE_H


@routine
def sideways(squares):
    """One step east and one step west."""
    return east(squares) | west(squares)


@routine
def grown(squares):
    """A set together with its neighbours in all eight directions."""
    row = squares | sideways(squares)
    return row | north(row) | south(row)


# ------------------------------------------------------------------------------------------------- one knight step


@pattern
def no_no_ea(squares: Set) -> Set:
    """Return the set one knight step away: two north, one east.

    Args:
        squares: any set.

    Example:
        >>> compass.no_no_ea(Bitboard("d4 g5 h5"))
        Bitboard('e6 h7')

    Source:
        Chess Programming Wiki, "Knight Pattern".
    """
    return (squares << SEVENTEEN) & NOT_FILE_A


@pattern
def no_ea_ea(squares: Set) -> Set:
    """Return the set one knight step away: one north, two east.

    Args:
        squares: any set.

    Example:
        >>> compass.no_ea_ea(Bitboard("d4 g5 h5"))
        Bitboard('f5')

    Traps:
        A step of two files needs a mask of two files; a mask of one lets the next file wrap.

    Source:
        Chess Programming Wiki, "Knight Pattern".
    """
    return (squares << TEN) & NOT_FILES_AB


@pattern
def so_ea_ea(squares: Set) -> Set:
    """Return the set one knight step away: one south, two east.

    Args:
        squares: any set.

    Example:
        >>> compass.so_ea_ea(Bitboard("d4 g5 h5"))
        Bitboard('f3')

    Traps:
        A step of two files needs a mask of two files; a mask of one lets the next file wrap.

    Source:
        Chess Programming Wiki, "Knight Pattern".
    """
    return (squares >> SIX) & NOT_FILES_AB


@pattern
def so_so_ea(squares: Set) -> Set:
    """Return the set one knight step away: two south, one east.

    Args:
        squares: any set.

    Example:
        >>> compass.so_so_ea(Bitboard("d4 g5 h5"))
        Bitboard('e2 h3')

    Source:
        Chess Programming Wiki, "Knight Pattern".
    """
    return (squares >> FIFTEEN) & NOT_FILE_A


@pattern
def so_so_we(squares: Set) -> Set:
    """Return the set one knight step away: two south, one west.

    Args:
        squares: any set.

    Example:
        >>> compass.so_so_we(Bitboard("d4 a5 b5"))
        Bitboard('c2 a3')

    Source:
        Chess Programming Wiki, "Knight Pattern".
    """
    return (squares >> SEVENTEEN) & NOT_FILE_H


@pattern
def so_we_we(squares: Set) -> Set:
    """Return the set one knight step away: one south, two west.

    Args:
        squares: any set.

    Example:
        >>> compass.so_we_we(Bitboard("d4 a5 b5"))
        Bitboard('b3')

    Traps:
        A step of two files needs a mask of two files; a mask of one lets the next file wrap.

    Source:
        Chess Programming Wiki, "Knight Pattern".
    """
    return (squares >> TEN) & NOT_FILES_GH


@pattern
def no_we_we(squares: Set) -> Set:
    """Return the set one knight step away: one north, two west.

    Args:
        squares: any set.

    Example:
        >>> compass.no_we_we(Bitboard("d4 a5 b5"))
        Bitboard('b5')

    Traps:
        A step of two files needs a mask of two files; a mask of one lets the next file wrap.

    Source:
        Chess Programming Wiki, "Knight Pattern".
    """
    return (squares << SIX) & NOT_FILES_GH


@pattern
def no_no_we(squares: Set) -> Set:
    """Return the set one knight step away: two north, one west.

    Args:
        squares: any set.

    Example:
        >>> compass.no_no_we(Bitboard("d4 a5 b5"))
        Bitboard('c6 a7')

    Source:
        Chess Programming Wiki, "Knight Pattern".
    """
    return (squares << FIFTEEN) & NOT_FILE_H
