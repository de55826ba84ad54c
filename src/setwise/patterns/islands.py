"""Pawn islands: groups of pawns on neighbouring files, separated by files without own pawns.

A fileset has one bit for each file: 8 bits, of which bit 0 is file a. The ranks of the pawns do not matter. All
patterns here except the first take filesets. Pawns in fewer islands are easier to defend: the number of islands is the
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

#: Every second bit of a fileset, and every second pair of bits.
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
        Each shift moves the upper half of the remaining ranks onto the lower half: 8 ranks become 4, then 2, then 1.
        `or` keeps a file if any of its squares was set.

    Traps:
        Doubled pawns count as one file. In a fileset that is printed as a number, file a is at the right.

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
        The a-file has one bit in each byte, so its product with a fileset has the fileset in each of the eight ranks.
        No sum carries, since a fileset has eight bits and fits into a rank.

    Traps:
        It reverses `fileset` only for sets of whole files: a fileset does not contain the ranks of the pawns.

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
        A shift to the right moves each bit to its western neighbour: `files >> 1` has the files with an occupied
        neighbour to the east. A file without such a neighbour is the eastern end of its island. The first of the other
        forms takes all changes, `files ^ files >> 1`, and keeps the changes inside the fileset.

    Traps:
        It works only for filesets: on a whole board, pawns on the h-file and pawns on the a-file one rank higher would
        be neighbours. Numbers above 255 are refused.

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
        A shift to the left moves each bit to its eastern neighbour: `files << 1` has the files with an occupied
        neighbour to the west. A file without such a neighbour is the western end of its island. A bit that is shifted
        beyond the h-file is not a file, and the `and` drops it.

    Traps:
        It works only for filesets, as `east_files` does.

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
        Each island has exactly one east border, so the number of east borders is the number of islands. No two of these
        borders are neighbours, so a pair of bits has at most one of them: the sums of pairs and of fours never carry
        over.

    Traps:
        It works only for filesets, as `east_files` does.

    Names:
        number of islands.

    Source:
        Chess Programming Wiki, "Pawn Islands (Bitboards)".
    """
    # Counted in pairs of bits, then in fours: vectors of up to 64 bytes do these steps at once, few count bits.
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
        A file is an island of its own if neither neighbour is occupied. It is then both the east and the west border of
        its island, so the intersection of the two sets of borders is the same set.

    Traps:
        It works only for filesets, as `east_files` does. Doubled pawns on such a file are all isolated.

    Source:
        Chess Programming Wiki, "Pawn Islands (Bitboards)", "Isolated Pawns (Bitboards)".
    """
    return files & ~(files << ONE | files >> ONE)


@pattern
def half_isolated_files(files: Fileset) -> Fileset:
    """Return the border files of the islands wider than one file: they have a neighbour on one side only.

    Args:
        files: the files with pawns, a fileset.

    Example:
        >>> f"{islands.half_isolated_files(0b01110001):08b}"  # e and g of a e f g
        '01010000'

    Why:
        A border of a wider island has a neighbour on one side only: exactly one of the two shifts covers it, and `xor`
        tests this. Both shifts cover a file with two neighbours, and neither covers an isolated file.

    Traps:
        It works only for filesets, as `east_files` does.

    Slips:
        The wiki says that the east (or west) borders are the files with half-isolated pawns; but isolated files are
        among the borders, too. The `xor` of both borders, further down on its page, is correct.

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
        width: the number of files, 1 to 8; for 0 the result is empty.

    Example:
        >>> f"{islands.of_width(0b11101101, 2):08b}"  # c and d of a c d f g h
        '00001100'
        >>> f"{islands.of_width(0b11011011, 2):08b}"  # a b d e g h
        '11011011'

    Why:
        Remove the east file of each island w - 1 times: this leaves one file of an island that was w files wide, no
        file of a narrower island, and more files of a wider island. The single files that are left grow back to the
        east to the full width.

    Traps:
        It works only for filesets, as `east_files` does. Wider islands do not count: for width 1 the result is
        `isolated_files`.

    Names:
        islands of width, wider islands.

    Source:
        Chess Programming Wiki, "Pawn Islands (Bitboards)".
    """
    # Remove the east file of each island `width` - 1 times: of an island of exactly this width, one file is left. Three
    # steps do this for every width, since a step can remove as many files as all steps before it and one more.
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
#: ``ISOLATED_SQUARES[fileset]``: all squares of islands one file wide; ``pawns & ISOLATED_SQUARES[fileset(pawns)]`` are
#: the isolated pawns. ``HALF_ISOLATED_SQUARES[fileset]``: all squares of the border files of wider islands.
ISOLATED_SQUARES: np.ndarray = files.plain(isolated_files.plain(_FILESETS))
HALF_ISOLATED_SQUARES: np.ndarray = files.plain(half_isolated_files.plain(_FILESETS))
for _table in (COUNT, ISOLATED, ISOLATED_SQUARES, HALF_ISOLATED_SQUARES):
    _table.flags.writeable = False
