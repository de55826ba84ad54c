"""Pawn islands: groups of pawns on neighbouring files, separated by files without own pawns.

A fileset has one bit for each file, file a being bit 0: 8 bits, whatever the ranks of the pawns. All patterns here
but the first are about filesets. The fewer islands, the easier the pawns are to defend: the number of islands is the
simplest measure of the *dispersion* of a pawn structure.

Source: Chess Programming Wiki, "Pawn Islands (Bitboards)".
"""

from __future__ import annotations

import numpy as np

from setwise.compiler import Count, Fileset, Set, Width, pattern
from setwise.patterns.bits import EIGHT, EMPTY, FILE_A, FOUR, ONE, RANK_1, SEVEN, SIXTEEN, THIRTY_TWO, TWO

__all__ = [
    "COUNT", "HALF_ISOLATED_SQUARES", "ISOLATED", "ISOLATED_SQUARES", "count", "east_files", "files", "fileset",
    "half_isolated_files", "isolated_files", "of_width", "west_files",
]  # fmt: skip

#: Every second bit of a fileset, and every second pair of them.
_PAIRS, _FOURS = np.uint64(0b0101_0101), np.uint64(0b0011_0011)


@pattern
def fileset(pawns: Set) -> Fileset:
    """Return the files on which pawns stand, as a fileset.

    Args:
        pawns: squares of the pawns of one side, a set.

    Example:
        >>> f"{islands.fileset(Bitboard('a2 b3 c2 f3 g2 h2')):08b}"  # h to a
        '11100111'

    Why:
        Each shift lays the upper half of what is left over the lower one: 8 ranks become 4, 2 and 1. `or` keeps a file
        if any of its squares was set.

    Traps:
        Doubled pawns are one file. Printed as a number, a fileset has file a at the right.

    Names:
        file-set, pawn fileset.

    Source:
        Chess Programming Wiki, "Pawn Islands (Bitboards)".
    """
    pawns = pawns | pawns >> THIRTY_TWO  # the upper half laid over the lower
    pawns = pawns | pawns >> SIXTEEN  # half of that over the rest
    return np.uint64((pawns | pawns >> EIGHT) & RANK_1)  # once more: rank 1 has the files of all ranks


@pattern
def files(files: Fileset) -> Set:
    """Return all squares of the files of a fileset.

    Args:
        files: any files, a fileset.

    Example:
        >>> islands.files(0b1000_0001) == Bitboard("a1 a2 a3 a4 a5 a6 a7 a8 h1 h2 h3 h4 h5 h6 h7 h8")
        True

    Why:
        The a-file has one bit in each byte, so multiplying it by a byte writes that byte into all eight ranks. No sum
        carries, since a byte fits into a byte.

    Traps:
        It is the way back from `fileset` for whole files only: the ranks of the pawns are lost.

    Names:
        fill up and down, fileset to files.

    Source:
        Chess Programming Wiki, "Pawn Fills" (file-sets to fills).
    """
    return files * FILE_A


@pattern
def east_files(files: Fileset) -> Fileset:
    """Return the easternmost file of each island.

    Args:
        files: the files with pawns, a fileset.

    Example:
        >>> f"{islands.east_files(0b11100111):08b}"  # c and h of a b c f g h
        '10000100'

    Why:
        Shifted right, each bit stands where its western neighbour stood: `files >> 1` has the files with an occupied
        neighbour to the east. A file without one ends its island in the east. The first of the other forms takes all
        changes, `files ^ files >> 1`, and keeps those inside the fileset.

    Traps:
        It is for filesets: on a whole board h-file pawns and a-file pawns one rank higher would be neighbours. Numbers
        above 255 are refused.

    Names:
        islandsEastFiles, east border, island borders.

    Source:
        Chess Programming Wiki, "Pawn Islands (Bitboards)".
    """
    return files & ~(files >> ONE)


@pattern
def west_files(files: Fileset) -> Fileset:
    """Return the westernmost file of each island.

    Args:
        files: the files with pawns, a fileset.

    Example:
        >>> f"{islands.west_files(0b11100111):08b}"  # a and f of a b c f g h
        '00100001'

    Why:
        Shifted left, each bit stands where its eastern neighbour stood: `files << 1` has the files with an occupied
        neighbour to the west. A file without one begins its island in the west. What is shifted beyond the h-file is no
        file and is dropped by the `and`.

    Traps:
        It is for filesets, as `east_files`.

    Names:
        islandsWestFiles, west border.

    Source:
        Chess Programming Wiki, "Pawn Islands (Bitboards)".
    """
    return files & ~(files << ONE)


@pattern
def count(files: Fileset) -> Count:
    """Return the number of pawn islands, 0 to 4.

    Args:
        files: the files with pawns, a fileset.

    Example:
        >>> islands.count(islands.fileset(Bitboard("a2 b3 c2 f3 g2 h2")))
        2
        >>> islands.count(islands.fileset(Bitboard("a7 b6 d6 e6 g6 h7")))
        3

    Why:
        Each island has exactly one east border, so to count them is to count the islands. No two borders are
        neighbours, so a pair of bits holds one at most: adding pairs, then fours, never carries over.

    Traps:
        It is for filesets, as `east_files`.

    Names:
        number of islands.

    Source:
        Chess Programming Wiki, "Pawn Islands (Bitboards)".
    """
    # Counted in pairs of bits, then in fours: vectors of up to 64 bytes do these steps at once; few can count bits.
    starts = files & ~(files >> ONE)  # the east file of each island: no two are neighbours
    pairs = (starts | starts >> ONE) & _PAIRS
    fours = (pairs & _FOURS) + (pairs >> TWO & _FOURS)
    return np.uint64((fours + (fours >> FOUR)) & SEVEN)  # how many


@pattern
def isolated_files(files: Fileset) -> Fileset:
    """Return the islands that are one file wide: the files of isolated pawns.

    Args:
        files: the files with pawns, a fileset.

    Example:
        >>> f"{islands.isolated_files(0b00110001):08b}"  # a of a e f
        '00000001'

    Why:
        A file is an island of its own if neither neighbour is occupied. Then it is both the east and the west border of
        its island; the intersection of the two sets says the same.

    Traps:
        It is for filesets, as `east_files`. Doubled pawns on such a file are all isolated.

    Source:
        Chess Programming Wiki, "Pawn Islands (Bitboards)", "Isolated Pawns (Bitboards)".
    """
    return files & ~(files << ONE | files >> ONE)


@pattern
def half_isolated_files(files: Fileset) -> Fileset:
    """Return the border files of the islands wider than one file: a neighbour on one side alone.

    Args:
        files: the files with pawns, a fileset.

    Example:
        >>> f"{islands.half_isolated_files(0b01110001):08b}"  # e and g of a e f g
        '01010000'

    Why:
        A border of a wider island has a neighbour on one side alone: exactly one of the two shifts covers it, which is
        what `xor` tests. Files with two neighbours are covered twice, isolated ones not at all.

    Traps:
        It is for filesets, as `east_files`.

    Slips:
        The wiki says of the east (or west) borders that they are the files with half-isolated pawns; isolated files are
        among those, too. `xor` of both borders, which it gives further down, is right.

    Names:
        half-isolani.

    Source:
        Chess Programming Wiki, "Pawn Islands (Bitboards)".
    """
    return files & (files << ONE ^ files >> ONE)


@pattern
def of_width(files: Fileset, width: Width) -> Fileset:
    """Return all files of the islands that are exactly `width` files wide.

    Args:
        files: the files with pawns, a fileset.
        width: how many files, 1 to 8; no island is 0 wide.

    Example:
        >>> f"{islands.of_width(0b11101101, 2):08b}"  # c and d of a c d f g h
        '00001100'
        >>> f"{islands.of_width(0b11011011, 2):08b}"  # a b d e g h
        '11011011'

    Why:
        To take the east file off an island w - 1 times leaves one file if it was w files wide, none if it was narrower,
        and more if it was wider. The single files that are left grow back to the east, as wide as they were.

    Traps:
        It is for filesets, as `east_files`. Wider islands do not count: with 1 it is `isolated_files`.

    Names:
        islands of width, wider islands.

    Source:
        Chess Programming Wiki, "Pawn Islands (Bitboards)".
    """
    # Take the east file away from each island `width` - 1 times: what is left of an island just so wide is one file.
    # Three steps do that for every width, since a step may take away as many files as those before it, and one more.
    rest = (width - ONE) & SEVEN
    quarter, half = rest >> TWO, rest >> ONE
    first, second, third = quarter, half - quarter, rest - half
    west = files & (EMPTY - np.uint64(width != EMPTY))
    west = west & west >> first
    west = west & west >> second
    west = west & west >> third
    west = west & ~(west << ONE | west >> ONE)
    west = west | west << first
    west = west | west << second
    return west | west << third


_FILESETS = np.arange(256, dtype=np.uint64)

#: ``COUNT[fileset]``: the number of islands, and ``ISOLATED[fileset]``: the islands one file wide.
COUNT: np.ndarray = np.bitwise_count(east_files.plain(_FILESETS))
ISOLATED: np.ndarray = isolated_files.plain(_FILESETS).astype(np.uint8)
#: ``ISOLATED_SQUARES[fileset]``: all squares of the islands one file wide: ``pawns & ISOLATED_SQUARES[fileset(pawns)]``
#: are the isolated pawns. ``HALF_ISOLATED_SQUARES[fileset]``: all squares of the border files of wider islands.
ISOLATED_SQUARES: np.ndarray = files.plain(isolated_files.plain(_FILESETS))
HALF_ISOLATED_SQUARES: np.ndarray = files.plain(half_isolated_files.plain(_FILESETS))
for _table in (COUNT, ISOLATED, ISOLATED_SQUARES, HALF_ISOLATED_SQUARES):
    _table.flags.writeable = False
