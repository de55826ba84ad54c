"""Other forms of words, steps, symmetries and fills."""

from __future__ import annotations

import numpy as np

from setwise.catalogue.forms.form import form
from setwise.compiler import Count, Flag, Set, Square, popcount
from setwise.patterns.bits import (
    EIGHT,
    EMPTY,
    FOUR,
    NINE,
    NOT_FILE_A,
    NOT_FILE_H,
    NOT_FILES_AB,
    NOT_FILES_GH,
    ONE,
    SIX,
    SIXTEEN,
    THIRTY_TWO,
    TWO,
)
from setwise.patterns.compass import (
    east,
    flip_vertical,
    mirror_horizontal,
    north,
    south,
    west,
)
from setwise.patterns.compass.steps import FIFTEEN, SEVENTEEN, TEN

# ---------------------------------------------------------------------------------------------------------------- words


@form("bits.count")
def _count_one_by_one(squares: Set) -> Count:
    """Kernighan's way: take the lowest square away until none is left."""
    count = EMPTY
    while squares != EMPTY:
        squares &= squares - ONE
        count += ONE
    return count


@form("bits.lowest")
def _lowest_by_counting(squares: Set) -> Square:
    """By counting the squares below the lowest one."""
    return np.uint64(popcount(~squares & (squares - ONE)))


@form("bits.twice")
def _twice_by_turns(a: Set, b: Set, c: Set, d: Set, e: Set, f: Set, g: Set, h: Set) -> Set:
    """Set by set, as the wiki accumulates it."""
    once, repeated = EMPTY, EMPTY
    for squares in (a, b, c, d, e, f, g, h):
        repeated |= once & squares  # in this set, and in one before it
        once |= squares  # in any set so far
    return repeated


@form("bits.subsets")
def _carry_rippler(squares: Set) -> list[Set]:
    """The carry-rippler: subtracting the set adds one within it."""
    subsets: list[Set] = [EMPTY]
    subset = (EMPTY - squares) & squares
    while subset != EMPTY:
        subsets.append(subset)
        subset = (subset - squares) & squares
    return subsets


# ------------------------------------------------------------------------------------------------- steps and symmetries


@form("compass.east")
def _east(squares: Set) -> Set:
    """Masked before the shift."""
    return (squares & NOT_FILE_H) << ONE


@form("compass.west")
def _west(squares: Set) -> Set:
    """Masked before the shift."""
    return (squares & NOT_FILE_A) >> ONE


@form("compass.north_east")
def _north_east(squares: Set) -> Set:
    """Masked before the shift."""
    return (squares & NOT_FILE_H) << NINE


@form("compass.no_no_ea")
def _no_no_ea(squares: Set) -> Set:
    """Masked before the shift."""
    return (squares & NOT_FILE_H) << SEVENTEEN


@form("compass.no_ea_ea")
def _no_ea_ea(squares: Set) -> Set:
    """Masked before the shift."""
    return (squares & NOT_FILES_GH) << TEN


@form("compass.so_ea_ea")
def _so_ea_ea(squares: Set) -> Set:
    """Masked before the shift."""
    return (squares & NOT_FILES_GH) >> SIX


@form("compass.so_so_ea")
def _so_so_ea(squares: Set) -> Set:
    """Masked before the shift."""
    return (squares & NOT_FILE_H) >> FIFTEEN


@form("compass.so_so_we")
def _so_so_we(squares: Set) -> Set:
    """Masked before the shift."""
    return (squares & NOT_FILE_A) >> SEVENTEEN


@form("compass.so_we_we")
def _so_we_we(squares: Set) -> Set:
    """Masked before the shift."""
    return (squares & NOT_FILES_AB) >> TEN


@form("compass.no_we_we")
def _no_we_we(squares: Set) -> Set:
    """Masked before the shift."""
    return (squares & NOT_FILES_AB) << SIX


@form("compass.no_no_we")
def _no_no_we(squares: Set) -> Set:
    """Masked before the shift."""
    return (squares & NOT_FILE_A) << FIFTEEN


_RANKS_1357, _RANKS_1256 = np.uint64(0x00FF_00FF_00FF_00FF), np.uint64(0x0000_FFFF_0000_FFFF)
_FILES_ACEG, _FILES_ABEF = np.uint64(0x5555_5555_5555_5555), np.uint64(0x3333_3333_3333_3333)
_FILES_ABCD = np.uint64(0x0F0F_0F0F_0F0F_0F0F)


@form("compass.flip_vertical")
def _flip_by_swaps(squares: Set) -> Set:
    """Three exchanges, where the processor cannot swap bytes."""
    squares = (squares & _RANKS_1357) << EIGHT | squares >> EIGHT & _RANKS_1357  # neighbouring ranks change places
    squares = (squares & _RANKS_1256) << SIXTEEN | squares >> SIXTEEN & _RANKS_1256  # then pairs of ranks
    return squares << THIRTY_TWO | squares >> THIRTY_TWO  # then the halves of the board


@form("compass.mirror_horizontal")
def _mirror_by_swaps(squares: Set) -> Set:
    """Three exchanges, as the wiki has it."""
    squares = (squares & _FILES_ACEG) << ONE | squares >> ONE & _FILES_ACEG  # neighbouring files change places
    squares = (squares & _FILES_ABEF) << TWO | squares >> TWO & _FILES_ABEF  # then pairs of files
    return (squares & _FILES_ABCD) << FOUR | squares >> FOUR & _FILES_ABCD  # then the wings


@form("compass.rotate_180")
def _half_a_turn(squares: Set) -> Set:
    """A flip and a mirror."""
    flipped = flip_vertical(squares)  # the ranks in reverse
    return mirror_horizontal(flipped)  # the files, too


# ---------------------------------------------------------------------------------------------------------------- fills


@form("fills.north_fill")
def _north_one_by_one(squares: Set) -> Set:
    """Seven single steps."""
    for _ in range(7):
        squares = squares | squares << EIGHT
    return squares


@form("fills.file_fill")
def _file_by_halves(squares: Set) -> Set:
    """A fill north and a fill south."""
    north, south = squares, squares
    for _ in range(7):
        north, south = north | north << EIGHT, south | south >> EIGHT
    return north | south


@form("fills.ray_fill_north")
def _dumb7fill(sliders: Set, blockers: Set) -> Set:
    """One step at a time (Dumb7Fill), where Kogge and Stone double."""
    empty, filled = ~blockers, sliders
    for _ in range(6):
        filled |= empty & (filled << EIGHT)
    return filled << EIGHT


@form("fills.ray_fill_east")
def _kogge_stone_east(sliders: Set, blockers: Set) -> Set:
    """In doubling steps (Kogge-Stone), as the other directions."""
    empty = ~blockers & NOT_FILE_A
    sliders = sliders | empty & (sliders << ONE)
    empty = empty & (empty << ONE)
    sliders = sliders | empty & (sliders << TWO)
    empty = empty & (empty << TWO)
    sliders = sliders | empty & (sliders << FOUR)
    return (sliders << ONE) & NOT_FILE_A


@form("fills.connected")
def _squares_are_connected(a: Set, b: Set, path: Set) -> Flag:
    """As Steffan Westcott wrote it, in the words of this package."""
    a, b = a & path, b & path
    if a == EMPTY or b == EMPTY:
        return EMPTY
    while a & b == EMPTY:
        before = a
        a |= east(a) | west(a)
        a |= north(a) | south(a)
        a &= path
        if a == before:
            return EMPTY
    return ONE
