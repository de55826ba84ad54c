"""Other forms of what kings, knights, sliders and pawns do."""

from __future__ import annotations

import numpy as np

from setwise.catalogue.forms.form import form
from setwise.compiler import Count, Fileset, Set, Square, Steps, trailing_zeros
from setwise.patterns.bits import (
    EIGHT,
    EMPTY,
    FILE_A,
    FILE_H,
    NINE,
    ONE,
    SIXTEEN,
)
from setwise.patterns.compass import (
    east,
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
from setwise.patterns.king import attacks as king_attacks
from setwise.patterns.knight import attacks as knight_attacks
from setwise.patterns.sliders import (
    bishop_attacks_by_calculation,
    bishops_attacks,
    queens_attacks,
    rook_attacks_by_calculation,
    rooks_attacks,
)
from setwise.patterns.sliders.board_lines import KING_BITS

# ----------------------------------------------------------------------------------------------------------------- king


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


# --------------------------------------------------------------------------------------------------------------- knight


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


# -------------------------------------------------------------------------------------------------------------- sliders


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


# ---------------------------------------------------------------------------------------------------------------- pawns


@form("islands.fileset")
def _fileset_by_a_fill(pawns: Set) -> Fileset:
    """A fill to the south, of which the first rank is left."""
    for _ in range(7):
        pawns = pawns | pawns >> EIGHT
    return np.uint64(pawns & np.uint64(0xFF))


@form("pawns.east_attacks")
def _east_attacks(pawns: Set) -> Set:
    """The h-file taken away before the shift."""
    return (pawns & ~FILE_H) << NINE


@form("pawns.west_attacks")
def _west_attacks(pawns: Set) -> Set:
    """The a-file taken away before the shift."""
    return (pawns & ~FILE_A) << (EIGHT - ONE)
