"""The limits that the king's safety sets to moves, by rays along all lines: checks, pins, en passant, castling.

Only compiled code calls these functions; the docstring of the package draws their ideas.
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
    "Limits", "Rays", "check_mask_of", "checking_pieces", "diagonal", "en_passant_captors", "en_passant_discovery",
    "may_castle", "movers", "rays", "ready_to_castle", "safety", "straight",
]  # fmt: skip

#: The first rank up to and including a square.
_TO_B1, _TO_C1, _TO_D1, _TO_E1, _TO_G1 = ((ONE << np.uint64(number)) - ONE for number in (2, 3, 4, 5, 7))


# ---------------------------------------------------------------------------------------------------------------- rays


class Rays(NamedTuple):
    """The squares that sliders see in each direction, the first piece on each line included."""

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
    """The rays of the pieces that move along files, ranks, diagonals (a1–h8) and antidiagonals (h1–a8)."""
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
def straight(seen):
    return seen.north | seen.south | seen.east | seen.west


@routine
def diagonal(seen):
    return seen.north_east | seen.south_west | seen.north_west | seen.south_east


# -------------------------------------------------------------------------------------------------- safety of the king


class Limits(NamedTuple):
    """The limits that the king's safety sets to moves.

    ``check_mask``: the squares where a piece other than the king may land: all of them; in check, those that end it; in
    double check none. A capture en passant also empties another square: ``en_passant_captors`` decides whether it ends
    a check. ``on_file`` … ``on_antidiagonal``: pieces that must not leave that line, because they would uncover our
    king: own pinned pieces, and an enemy pawn that must not be taken en passant. ``danger``: squares that the king may
    not enter, attacked with the king lifted off the board.
    """

    check_mask: np.uint64
    on_file: np.uint64
    on_rank: np.uint64
    on_diagonal: np.uint64
    on_antidiagonal: np.uint64
    danger: np.uint64


@routine
def check_mask_of(checkers, between):
    """The squares where a piece other than the king may land: all without a check, none against two checks."""
    mask = ALL if checkers == EMPTY else checkers | between
    return mask if checkers & (checkers - ONE) == EMPTY else EMPTY


@routine
def en_passant_discovery(own_king, own_pawns, enemy_straight, occupied, passed):
    """The pawn that may be taken en passant, if it and its captor leave the rank and so uncover our king along it.

    ::

        5 . K . P p . r .        P takes p en passant: neither is pinned, and the king is taken

    With a captor on either side of it, one of them stays and keeps the rank closed; so only one is removed. Two
    subtractions find sliders that the king sees to its east, and the king as sliders from its west see it (see
    ``ray_fill_east``).
    """
    victim = south(passed)
    beside = own_pawns & attacks_down(passed)
    remaining = RANK_5 & occupied & ~(victim | beside & (EMPTY - beside))
    here, sliders = RANK_5 & own_king, RANK_5 & enemy_straight
    seen = (remaining ^ (remaining - (here << ONE))) & sliders | (remaining ^ (remaining - (sliders << ONE))) & here
    return victim if seen != EMPTY else EMPTY


@routine
def checking_pieces(here, seen, enemy, pawns, knights, bishops, rooks, queens):
    """The enemy pieces that attack our king: those that it would attack if it moved as they do."""
    sliders = straight(seen) & (rooks | queens) | diagonal(seen) & (bishops | queens)
    return enemy & (sliders | knight_attacks(here) & knights | pawn_attacks(here) & pawns)


@routine
def safety(own, enemy, pawns, knights, bishops, rooks, queens, kings, passed):
    """The limits of the legal moves, and the rays of our king."""
    here, occupied = own & kings, own | enemy
    open_board = occupied ^ here  # a king that flees from a rook along its line remains attacked
    enemy_straight, enemy_diagonal = enemy & (rooks | queens), enemy & (bishops | queens)
    seen = rays(here, here, here, here, open_board)
    attacking = rays(enemy_straight, enemy_straight, enemy_diagonal, enemy_diagonal, open_board)

    file = seen.north & attacking.south | seen.south & attacking.north
    rank = seen.east & attacking.west | seen.west & attacking.east
    diagonals = seen.north_east & attacking.south_west | seen.south_west & attacking.north_east
    antidiagonals = seen.north_west & attacking.south_east | seen.south_east & attacking.north_west

    checkers = checking_pieces(here, seen, enemy, pawns, knights, bishops, rooks, queens)
    attacked = straight(attacking) | diagonal(attacking) | attacks_down(enemy & pawns)
    attacked |= knight_attacks(enemy & knights) | king_attacks(enemy & kings)

    on_lines = own | south(passed)
    limits = Limits(
        check_mask_of(checkers, (file | rank | diagonals | antidiagonals) & ~occupied),
        file & own,
        rank & on_lines | en_passant_discovery(here, own & pawns, enemy_straight, occupied, passed),
        diagonals & on_lines,
        antidiagonals & on_lines,
        attacked,
    )
    return limits, seen


@routine
def movers(own, limits):
    """Our pieces that may move along files, ranks, diagonals and antidiagonals, and those that are not pinned."""
    file, rank, diagonal, antidiagonal = limits.on_file, limits.on_rank, limits.on_diagonal, limits.on_antidiagonal
    free = own & ~(file | rank | diagonal | antidiagonal)
    return free | own & file, free | own & rank, free | own & diagonal, free | own & antidiagonal, free


# ------------------------------------------------------------------------------------------- en passant and castling


@routine
def en_passant_captors(own, pawns, passed, limits):
    """The pawns that may capture en passant: the capture ends any check, and neither captor nor victim is pinned."""
    victim = south(passed)
    _, _, on_diagonals, on_antidiagonals, _ = movers(own & pawns, limits)
    captors = on_diagonals & south_west(passed) | on_antidiagonals & south_east(passed)
    pinned_victim = victim & (limits.on_rank | limits.on_diagonal | limits.on_antidiagonal)
    captors = captors if pinned_victim == EMPTY else EMPTY
    return captors if limits.check_mask & (victim | passed) != EMPTY else EMPTY


@routine
def _from_to(below_first, up_to_last):
    """The squares of a rank from one to another, given the set below the first and the set up to the last."""
    return up_to_last & ~below_first


@routine
def ready_to_castle(king, rooks, occupied, attacked):
    """Those rooks on the first rank that can castle, as their way and the king's are clear (see ``castling_rooks``)."""
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
