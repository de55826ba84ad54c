"""What a king's safety allows, of one look along all lines: rays, checks, pins, en passant, castling.

Compiled code alone calls these; the package's own text draws what they rest on.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from setwise.compiler import routine
from setwise.patterns.bits import ALL, EMPTY, ONE, RANK_1, RANK_5
from setwise.patterns.compass import south, south_east, south_west
from setwise.patterns.fills import (
    ray_fill_east,
    ray_fill_north,
    ray_fill_north_east,
    ray_fill_north_west,
    ray_fill_south,
    ray_fill_south_east,
    ray_fill_south_west,
    ray_fill_west,
)
from setwise.patterns.king import attacks as king_attacks
from setwise.patterns.knight import attacks as knight_attacks
from setwise.patterns.pawns import attacks as pawn_attacks
from setwise.patterns.pawns.moves import attacks_down

__all__ = [
    "Limits", "Rays", "checking", "diagonal", "en_passant_captors", "ending", "exposing", "may_castle", "movers",
    "rays", "ready_to_castle", "safety", "straight",
]  # fmt: skip

#: The first rank up to a square and including it.
_TO_B1, _TO_C1, _TO_D1, _TO_E1, _TO_G1 = ((ONE << np.uint64(number)) - ONE for number in (2, 3, 4, 5, 7))


# ------------------------------------------------------------------------------------------------ looks along all lines


class Rays(NamedTuple):
    """What sliders see in each direction, the first piece on each line included."""

    north: np.uint64
    south: np.uint64
    east: np.uint64
    west: np.uint64
    north_east: np.uint64
    south_west: np.uint64
    north_west: np.uint64
    south_east: np.uint64


@routine
def rays(on_files, on_ranks, on_diagonals, on_antidiagonals, blockers):
    """The looks of those that move along files, along ranks, and along either sort of diagonals (a1–h8, h1–a8)."""
    return Rays(
        ray_fill_north(on_files, blockers),
        ray_fill_south(on_files, blockers),
        ray_fill_east(on_ranks, blockers),
        ray_fill_west(on_ranks, blockers),
        ray_fill_north_east(on_diagonals, blockers),
        ray_fill_south_west(on_diagonals, blockers),
        ray_fill_north_west(on_antidiagonals, blockers),
        ray_fill_south_east(on_antidiagonals, blockers),
    )


@routine
def straight(looks):
    return looks.north | looks.south | looks.east | looks.west


@routine
def diagonal(looks):
    return looks.north_east | looks.south_west | looks.north_west | looks.south_east


# -------------------------------------------------------------------------------------------------- safety of the king


class Limits(NamedTuple):
    """What the king's safety allows.

    ``check_mask``: squares where a piece other than the king may land: all; or those that end a check; or none in
    double check. A capture en passant empties another square than the one where it lands: ``en_passant_captors`` knows
    whether it ends the check. ``on_file`` … ``on_antidiagonal``: pieces that must not leave that line, because they
    would uncover our king: ours that are pinned, and an enemy pawn that must not be taken en passant. ``danger``:
    squares that the king may not enter, attacked with the king lifted off the board.
    """

    check_mask: np.uint64
    on_file: np.uint64
    on_rank: np.uint64
    on_diagonal: np.uint64
    on_antidiagonal: np.uint64
    danger: np.uint64


@routine
def ending(checkers, between):
    """Where to land so that no check is left: anywhere without checks, nowhere against two of them."""
    mask = ALL if checkers == EMPTY else checkers | between
    return mask if checkers & (checkers - ONE) == EMPTY else EMPTY


@routine
def exposing(own_king, own_pawns, enemy_straight, men, passed):
    """The passed pawn, if two pawns that leave a rank at once, it and its captor, uncover our king along the rank.

    ::

        5 . K . P p . r .        P takes p en passant: neither is pinned, and the king is taken

    With a captor on either side of it one of them stays behind and keeps the rank closed; so one is taken away. What
    the king sees to its east and what sees the king from its west takes one subtraction each (see ``ray_fill_east``).
    """
    victim = south(passed)
    beside = own_pawns & attacks_down(passed)
    left = RANK_5 & men & ~(victim | beside & (EMPTY - beside))
    here, sliders = RANK_5 & own_king, RANK_5 & enemy_straight
    seen = (left ^ (left - (here << ONE))) & sliders | (left ^ (left - (sliders << ONE))) & here
    return victim if seen != EMPTY else EMPTY


@routine
def checking(here, seen, enemy, pawns, knights, bishops, rooks, queens):
    """The enemy pieces that attack our king: those that it would attack, were it one of them."""
    found = straight(seen) & (rooks | queens) | diagonal(seen) & (bishops | queens)
    return enemy & (found | knight_attacks(here) & knights | pawn_attacks(here) & pawns)


@routine
def safety(own, enemy, pawns, knights, bishops, rooks, queens, kings, passed):
    """The limits of the legal moves, and what our king sees."""
    here, men = own & kings, own | enemy
    open_board = men ^ here  # a king that flees from a rook along its line stays in danger
    enemy_straight, enemy_diagonal = enemy & (rooks | queens), enemy & (bishops | queens)
    seen = rays(here, here, here, here, open_board)
    theirs = rays(enemy_straight, enemy_straight, enemy_diagonal, enemy_diagonal, open_board)

    file = seen.north & theirs.south | seen.south & theirs.north
    rank = seen.east & theirs.west | seen.west & theirs.east
    diagonals = seen.north_east & theirs.south_west | seen.south_west & theirs.north_east
    antidiagonals = seen.north_west & theirs.south_east | seen.south_east & theirs.north_west

    checkers = checking(here, seen, enemy, pawns, knights, bishops, rooks, queens)
    attacked = straight(theirs) | diagonal(theirs) | knight_attacks(enemy & knights) | king_attacks(enemy & kings)
    attacked |= attacks_down(enemy & pawns)

    held = own | south(passed)
    limits = Limits(
        ending(checkers, (file | rank | diagonals | antidiagonals) & ~men),
        file & own,
        rank & held | exposing(here, own & pawns, enemy_straight, men, passed),
        diagonals & held,
        antidiagonals & held,
        attacked,
    )
    return limits, seen


@routine
def movers(own, limits):
    """Our pieces that may move along files, ranks, diagonals and antidiagonals, and those that no line holds."""
    file, rank, diagonal, antidiagonal = limits.on_file, limits.on_rank, limits.on_diagonal, limits.on_antidiagonal
    free = own & ~(file | rank | diagonal | antidiagonal)
    return free | own & file, free | own & rank, free | own & diagonal, free | own & antidiagonal, free


# ------------------------------------------------------------------------------------------- en passant and castling


@routine
def en_passant_captors(own, pawns, passed, limits):
    """The pawns that may capture en passant: the capture ends any check, and no line holds captor or victim."""
    victim = south(passed)
    _, _, on_diagonals, on_antidiagonals, _ = movers(own & pawns, limits)
    captors = on_diagonals & south_west(passed) | on_antidiagonals & south_east(passed)
    held = victim & (limits.on_rank | limits.on_diagonal | limits.on_antidiagonal)
    captors = captors if held == EMPTY else EMPTY
    return captors if limits.check_mask & (victim | passed) != EMPTY else EMPTY


@routine
def _from_to(below_first, up_to_last):
    """The squares from one to another of a rank. Of two squares, the lower has below it what both have."""
    return up_to_last & ~below_first


@routine
def ready_to_castle(king, rooks, occupied, attacked):
    """The rooks, of those on the first rank beside the king, whose way and the king's are clear (see the pattern)."""
    below, up_to = king - ONE, (king << ONE) - ONE
    short = rooks & ~up_to
    way = _from_to(below & _TO_E1, (short << ONE) - ONE | _TO_G1)
    kings_way = _from_to(below, _TO_G1)
    barred = occupied & way & ~(king | short) | attacked & kings_way
    short = short if barred == EMPTY else EMPTY

    long = rooks & below
    way = _from_to((long - ONE) & _TO_B1, up_to | _TO_D1)
    kings_way = _from_to(below & _TO_B1, up_to | _TO_C1)
    barred = occupied & way & ~(king | long) | attacked & kings_way
    return short | (long if barred == EMPTY else EMPTY)


@routine
def may_castle(own, enemy, kings, castling, limits):
    """The rooks with which the king may castle now. One that is pinned along the rank would uncover it."""
    return ready_to_castle(own & kings, castling & RANK_1 & ~limits.on_rank, own | enemy, limits.danger)
