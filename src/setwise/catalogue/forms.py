"""Other ways to write the same: the forms in which the sources give a pattern, and those that show why it works.

None of them is called by the package: they are there to be read, on the pages of the catalogue, and each is compared
with its pattern by a test. NumPy evaluates them as they stand, on ``np.uint64``. A comment at the end of a line is the
caption of a step (see `setwise.catalogue.steps`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from setwise.catalogue.docstrings import body
from setwise.compiler import Count, Fileset, Flag, Set, Square, Steps, Width, popcount, trailing_zeros
from setwise.patterns.bits import (
    EIGHT,
    EMPTY,
    FILE_A,
    FILE_H,
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
    no_ea_ea,
    no_no_ea,
    no_no_we,
    no_we_we,
    north,
    north_east,
    north_west,
    so_ea_ea,
    so_so_ea,
    so_so_we,
    so_we_we,
    south,
    south_east,
    south_west,
    west,
)
from setwise.patterns.compass.steps import FIFTEEN, SEVENTEEN, TEN
from setwise.patterns.islands import COUNT, ISOLATED, east_files, west_files
from setwise.patterns.king import attacks as king_attacks
from setwise.patterns.knight import attacks as knight_attacks
from setwise.patterns.sliders import (
    KING_BITS,
    bishop_attacks_by_calculation,
    bishops_attacks,
    queens_attacks,
    rook_attacks_by_calculation,
    rooks_attacks,
)

__all__ = ["FORMS", "Form"]


class Form(NamedTuple):
    """Another way to write a pattern: what is different about it, and the function."""

    title: str
    function: Callable[..., Any]

    @property
    def source(self) -> str:
        """What it does, as it is written."""
        return body(self.function)


#: The forms of each page by its name.
FORMS: dict[str, list[Form]] = {}


def form(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Mark a function as another form of what has a name; the first sentence of its docstring is its title."""

    def mark(function: Callable[..., Any]) -> Callable[..., Any]:
        FORMS.setdefault(name, []).append(Form((function.__doc__ or "").rstrip("."), function))
        return function

    return mark


# --------------------------------------------------------------------------------------------------------------- words


@form("bits.count")
def _count_one_by_one(squares: Set) -> Count:
    """Kernighan's way: take the lowest square away until none is left."""
    found = EMPTY
    while squares != EMPTY:
        squares &= squares - ONE
        found += ONE
    return found


@form("bits.lowest")
def _lowest_by_counting(squares: Set) -> Square:
    """By counting the squares below the lowest one."""
    return popcount(~squares & (squares - ONE))


@form("bits.twice")
def _twice_by_turns(a: Set, b: Set, c: Set, d: Set, e: Set, f: Set, g: Set, h: Set) -> Set:
    """Set by set, as the wiki accumulates it."""
    once, found = EMPTY, EMPTY
    for squares in (a, b, c, d, e, f, g, h):
        found |= once & squares  # in this set, and in one before it
        once |= squares  # in any set so far
    return found


@form("bits.subsets")
def _carry_rippler(squares: Set) -> list[np.uint64]:
    """The carry-rippler: subtracting the set adds one within it."""
    found = [EMPTY]
    subset = (EMPTY - squares) & squares
    while subset != EMPTY:
        found.append(subset)
        subset = (subset - squares) & squares
    return found


# -------------------------------------------------------------------------------------------- steps and symmetries


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


# --------------------------------------------------------------------------------------------------------------- fills


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
    empty, found = ~blockers, sliders
    for _ in range(6):
        found |= empty & (found << EIGHT)
    return found << EIGHT


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


# ------------------------------------------------------------------------------------------------------------- islands


@form("islands.east_files")
def _east_by_changes(files: Fileset) -> Fileset:
    """By the changes between neighbours, those inside the fileset alone."""
    neighbours = files >> ONE  # each file, seen from the one to its west
    changes = files ^ neighbours  # where a file and the next one to its east differ
    return files & changes  # occupied, the next one not: the east file of each island


@form("islands.east_files")
def _east_by_removal(files: Fileset) -> Fileset:
    """Without the files that have a neighbour in the east: `and` spreads over `xor`."""
    return files ^ (files & (files >> ONE))


@form("islands.west_files")
def _west_by_changes(files: Fileset) -> Fileset:
    """By the changes between neighbours, those inside the fileset alone."""
    neighbours = files << ONE  # each file, seen from the one to its east
    changes = files ^ neighbours  # where a file and the next one to its west differ
    return files & changes  # occupied, the next one not: the west file of each island


@form("islands.west_files")
def _west_by_removal(files: Fileset) -> Fileset:
    """Without the files that have a neighbour in the west: `and` spreads over `xor`."""
    return files ^ (files & (files << ONE))


@form("islands.count")
def _count_of_borders(files: Fileset) -> Count:
    """As many islands as east borders, or west borders."""
    return popcount(east_files(files))


@form("islands.count")
def _count_by_lookup(files: Fileset) -> Count:
    """By lookup."""
    return np.uint64(COUNT[files])


@form("islands.isolated_files")
def _isolated_by_borders(files: Fileset) -> Fileset:
    """What is an east border and a west border."""
    easts = east_files(files)  # the east file of each island
    wests = west_files(files)  # the west file of each island
    return easts & wests  # both at once: an island one file wide


@form("islands.isolated_files")
def _isolated_by_lookup(files: Fileset) -> Fileset:
    """By lookup."""
    return np.uint64(ISOLATED[files])


@form("islands.half_isolated_files")
def _half_isolated_by_borders(files: Fileset) -> Fileset:
    """What is one border and not the other."""
    easts = east_files(files)  # the east file of each island
    wests = west_files(files)  # the west file of each island
    return easts ^ wests  # one of the two: xor drops the isolated files


@form("islands.of_width")
def _of_width_by_peeling(files: Fileset, width: Width) -> Fileset:
    """By peeling the east file off again and again, and growing back what was just so wide."""
    rest = files if width != EMPTY else EMPTY  # the fileset
    for _ in range(1, width):
        rest = rest & rest >> ONE  # without the east file of each island
    rest = rest & ~(rest << ONE | rest >> ONE)  # of an island just so wide, one file is left
    for _ in range(1, width):
        rest = rest | rest << ONE  # grown back to the east
    return rest


# ---------------------------------------------------------------------------------------------------------------- king


@form("king.attacks")
def _eight_steps(kings: Set) -> Set:
    """The union of eight steps."""
    straight = north(kings) | east(kings) | south(kings) | west(kings)
    return straight | north_east(kings) | south_east(kings) | south_west(kings) | north_west(kings)


@form("king.distant_checks")
def _one_question_after_the_other(king: Set, taboo: Set) -> Count:
    """One question after the other, as the wiki begins."""
    if king == EMPTY:
        return EMPTY
    moves = king_attacks(king) & ~taboo  # the escapes: attacked squares that are not taboo
    if moves == EMPTY:
        return np.uint64(15)  # no escape: every line is grave
    rank, file, diagonal, antidiagonal = KING_BITS[:, trailing_zeros(king)]
    escapes = moves | king  # king and escapes together
    if escapes & rank == escapes:
        return np.uint64(1)  # all on the rank
    if escapes & file == escapes:
        return np.uint64(2)  # all on the file
    if escapes & diagonal == escapes:
        return np.uint64(4)  # all on the diagonal
    if escapes & antidiagonal == escapes:
        return np.uint64(8)  # all on the antidiagonal
    return EMPTY  # not on one line


@form("king.distant_checks")
def _added_up(king: Set, taboo: Set) -> Count:
    """Branchless, as the wiki goes on, with the parentheses that C needs there."""
    if king == EMPTY:
        return EMPTY
    rank, file, diagonal, antidiagonal = KING_BITS[:, trailing_zeros(king)]
    escapes = king_attacks(king) & ~taboo | king
    return (
        np.uint64((escapes & rank) == escapes) * np.uint64(1)
        + np.uint64((escapes & file) == escapes) * np.uint64(2)
        + np.uint64((escapes & diagonal) == escapes) * np.uint64(4)
        + np.uint64((escapes & antidiagonal) == escapes) * np.uint64(8)
    )


@form("king.distant_checks")
def _four_lanes(king: Set, taboo: Set) -> Count:
    """All four lines at once, as SSE4 compares them: a lane each, masks of ones, weights, and a sum across."""
    if king == EMPTY:
        return EMPTY
    escapes = king_attacks(king) & ~taboo | king
    lines = KING_BITS[:, trailing_zeros(king)]
    weights = np.array([1, 2, 4, 8], np.uint64)
    equal = EMPTY - ((escapes & lines) == escapes).astype(np.uint64)
    return np.bitwise_or.reduce(equal & weights)


# -------------------------------------------------------------------------------------------------------------- knight


@form("knight.attacks")
def _two_steps_sideways(knights: Set) -> Set:
    """East and west twice, shifted by two ranks and by one."""
    easts, wests = east(knights), west(knights)
    beside = easts | wests  # one file aside
    upper = beside << SIXTEEN | beside >> SIXTEEN  # and two ranks away
    further = east(easts) | west(wests)  # two files aside
    return upper | further << EIGHT | further >> EIGHT  # and one rank away


@form("knight.attacks")
def _eight_jumps(knights: Set) -> Set:
    """The union of the eight knight steps."""
    easts = no_no_ea(knights) | no_ea_ea(knights) | so_ea_ea(knights) | so_so_ea(knights)
    return easts | so_so_we(knights) | so_we_we(knights) | no_we_we(knights) | no_no_we(knights)


@form("knight.fork_targets")
def _by_accumulation(targets: Set) -> Set:
    """Direction after direction, as the wiki accumulates it: what is attacked again is a fork."""
    easts, wests = east(targets), west(targets)
    attacked = easts << SIXTEEN  # seen once: a target one file west, two ranks down
    forks = (wests << SIXTEEN) & attacked  # seen twice, with a target one file east, two ranks down
    attacked |= wests << SIXTEEN  # seen at least once so far
    forks |= (easts >> SIXTEEN) & attacked  # seen twice, with one file west, two ranks up
    attacked |= easts >> SIXTEEN  # seen at least once so far
    forks |= (wests >> SIXTEEN) & attacked  # seen twice, with one file east, two ranks up
    attacked |= wests >> SIXTEEN  # seen at least once so far
    easts, wests = east(easts), west(wests)
    forks |= (easts << EIGHT) & attacked  # seen twice, with two files west, one rank down
    attacked |= easts << EIGHT  # seen at least once so far
    forks |= (wests << EIGHT) & attacked  # seen twice, with two files east, one rank down
    attacked |= wests << EIGHT  # seen at least once so far
    forks |= (easts >> EIGHT) & attacked  # seen twice, with two files west, one rank up
    attacked |= easts >> EIGHT  # seen at least once so far
    return forks | (wests >> EIGHT) & attacked  # seen twice, with two files east, one rank up: all forks


@form("knight.distance")
def _meeting(a: Set, b: Set) -> Steps:
    """Knights that set out from one end until they meet the other."""
    if a == EMPTY or b == EMPTY:
        return ~EMPTY
    moves, reached = EMPTY, a  # no move
    while reached & b == EMPTY:
        reached = reached | knight_attacks(reached)  # one move more
        moves += ONE
    return moves  # moves


# ------------------------------------------------------------------------------------------------------------- sliders


@form("sliders.rook_attacks")
def _rook_by_calculation(square: Square, occupied: Set) -> Set:
    """By subtraction, without a table."""
    return rook_attacks_by_calculation(square, occupied)


@form("sliders.rook_attacks")
def _rook_by_fills(square: Square, occupied: Set) -> Set:
    """By fills."""
    return rooks_attacks(ONE << square, occupied)


@form("sliders.bishop_attacks")
def _bishop_by_calculation(square: Square, occupied: Set) -> Set:
    """By subtraction, without a table."""
    return bishop_attacks_by_calculation(square, occupied)


@form("sliders.bishop_attacks")
def _bishop_by_fills(square: Square, occupied: Set) -> Set:
    """By fills."""
    return bishops_attacks(ONE << square, occupied)


@form("sliders.queen_attacks")
def _queen_by_fills(square: Square, occupied: Set) -> Set:
    """By fills."""
    return queens_attacks(ONE << square, occupied)


# --------------------------------------------------------------------------------------------------------------- pawns


@form("islands.fileset")
def _fileset_by_a_fill(pawns: Set) -> Fileset:
    """A fill to the south, of which the first rank is left."""
    for _ in range(7):
        pawns = pawns | pawns >> EIGHT
    return pawns & np.uint64(0xFF)


@form("pawns.east_attacks")
def _east_attacks(pawns: Set) -> Set:
    """The h-file taken away before the shift."""
    return (pawns & ~FILE_H) << NINE


@form("pawns.west_attacks")
def _west_attacks(pawns: Set) -> Set:
    """The a-file taken away before the shift."""
    return (pawns & ~FILE_A) << (EIGHT - ONE)
