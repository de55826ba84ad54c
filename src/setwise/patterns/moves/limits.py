"""The limits that the king's safety sets to moves, by rays along all lines: checks, pins, en passant, castling.

Only compiled code calls these functions; the docstring of the package draws their ideas.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from setwise.compiler import Set, routine
from setwise.patterns.bits import ALL, EMPTY, ONE, RANK_1, RANK_5, more_than_one, only_lowest
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
    "Limits", "Lines", "Rays", "checking_pieces", "checking_sliders", "en_passant_captors", "king_safety",
    "lines_of_words", "may_castle", "movers", "rays", "ready_to_castle",
]  # fmt: skip

#: The first rank up to and including a square.
_TO_B1, _TO_C1, _TO_D1, _TO_E1, _TO_G1 = ((ONE << np.uint64(number)) - ONE for number in (2, 3, 4, 5, 7))


# ---------------------------------------------------------------------------------------------------------------- rays


class Rays(NamedTuple):
    """The squares that sliders see in each direction, the first piece on each line included."""

    north: Set
    south: Set
    east: Set
    west: Set
    north_east: Set
    south_west: Set
    north_west: Set
    south_east: Set


@routine
def rays(on_files: Set, on_ranks: Set, on_diagonals: Set, on_antidiagonals: Set, blockers: Set) -> Rays:
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
def _orthogonal(seen: Rays) -> Set:
    return seen.north | seen.south | seen.east | seen.west


@routine
def _diagonal(seen: Rays) -> Set:
    return seen.north_east | seen.south_west | seen.north_west | seen.south_east


@routine
def checking_sliders(seen: Rays, orthogonals: Set, diagonals: Set) -> Set:
    """The sliders that the king sees along the lines on which they move."""
    return _orthogonal(seen) & orthogonals | _diagonal(seen) & diagonals


# -------------------------------------------------------------------------------------------------- safety of the king


class Limits(NamedTuple):
    """The limits that the king's safety sets to moves.

    ``check_mask``: the squares where a piece other than the king may land: all of them; in check, those that end it; in
    double check none. A capture en passant also empties another square: ``en_passant_captors`` decides whether it ends
    a check. ``on_file`` … ``on_antidiagonal``: pieces that must not leave that line, because they would uncover our
    king: own pinned pieces, and an enemy pawn that must not be taken en passant. ``attacked``: squares that the enemy
    attacks with our king lifted off the board; the king may not enter them.
    """

    check_mask: Set
    on_file: Set
    on_rank: Set
    on_diagonal: Set
    on_antidiagonal: Set
    attacked: Set


@routine
def _check_mask(checkers: Set, between: Set) -> Set:
    """The squares where a piece other than the king may land: all without a check, none against two checks."""
    mask = ALL if checkers == EMPTY else checkers | between
    return EMPTY if more_than_one(checkers) else mask


@routine
def _en_passant_discovery(own_king: Set, own_pawns: Set, enemy_orthogonals: Set, occupied: Set, passed: Set) -> Set:
    """The pawn that may be taken en passant, if it and its captor leave the rank and so uncover our king along it.

    ::

        5 . K . P p . r .        P takes p en passant: neither is pinned, and the king is taken

    With a captor on either side of it, one of them stays and keeps the rank closed; so only one is removed. Two
    subtractions find sliders that the king sees to its east, and the king as sliders from its west see it (see
    ``ray_fill_east``).
    """
    victim = south(passed)
    beside = own_pawns & attacks_down(passed)
    remaining = RANK_5 & occupied & ~(victim | only_lowest(beside))
    here, sliders = RANK_5 & own_king, RANK_5 & enemy_orthogonals
    seen = (remaining ^ (remaining - (here << ONE))) & sliders | (remaining ^ (remaining - (sliders << ONE))) & here
    return victim if seen != EMPTY else EMPTY


@routine
def checking_pieces(here: Set, sliders: Set, enemy: Set, pawns: Set, knights: Set) -> Set:
    """The enemy pieces that attack our king: sliders, and the leapers that it would attack if it moved as they do."""
    return sliders | enemy & (knight_attacks(here) & knights | pawn_attacks(here) & pawns)


class Lines(NamedTuple):
    """What the lines of the board show: see ``king_safety``.

    ``seen``: the rays of our king. ``file`` … ``antidiagonal``: where they meet the rays of enemy sliders on that line.
    ``sliders``: the sliders that give check. ``attacked``: the squares that the enemy attacks.
    """

    seen: Rays
    file: Set
    rank: Set
    diagonal: Set
    antidiagonal: Set
    sliders: Set
    attacked: Set


@routine
def lines_of_words(
    here: Set, blockers: Set, orthogonals: Set, diagonals: Set, knights: Set, pawns: Set, king: Set
) -> Lines:
    """The lines from our king and from the enemy pieces, one after the other; in a loop, of eight boards at once."""
    seen = rays(here, here, here, here, blockers)
    attacking = rays(orthogonals, orthogonals, diagonals, diagonals, blockers)
    leapers = attacks_down(pawns) | knight_attacks(knights) | king_attacks(king)
    return Lines(
        seen,
        seen.north & attacking.south | seen.south & attacking.north,
        seen.east & attacking.west | seen.west & attacking.east,
        seen.north_east & attacking.south_west | seen.south_west & attacking.north_east,
        seen.north_west & attacking.south_east | seen.south_east & attacking.north_west,
        checking_sliders(seen, orthogonals, diagonals),
        _orthogonal(attacking) | _diagonal(attacking) | leapers,
    )


@routine
def king_safety(
    own: Set,
    enemy: Set,
    pawns: Set,
    knights: Set,
    bishops: Set,
    rooks: Set,
    queens: Set,
    kings: Set,
    passed: Set,
    lines: Callable[..., Lines],
) -> tuple[Limits, Any]:
    """The limits of the legal moves, and the rays of our king.

    This is the only place that derives checks, pins and forbidden squares. ``lines`` is the function that follows the
    lines of the board: ``lines_of_words`` where a loop computes eight boards at once, ``rules.rays.lines_of_lanes`` for
    one board, whose eight directions it computes at once. The compiler inlines it.
    """
    here, occupied = own & kings, own | enemy
    on = lines(
        here, occupied ^ here,  # a king that flees from a rook along its line remains attacked
        enemy & (rooks | queens), enemy & (bishops | queens), enemy & knights, enemy & pawns, enemy & kings,
    )  # fmt: skip
    checkers = checking_pieces(here, on.sliders, enemy, pawns, knights)
    on_lines = own | south(passed)
    discovery = _en_passant_discovery(here, own & pawns, enemy & (rooks | queens), occupied, passed)
    limits = Limits(
        _check_mask(checkers, (on.file | on.rank | on.diagonal | on.antidiagonal) & ~occupied),
        on.file & own,
        on.rank & on_lines | discovery,
        on.diagonal & on_lines,
        on.antidiagonal & on_lines,
        on.attacked,
    )
    return limits, on.seen


@routine
def movers(own: Set, limits: Limits) -> tuple[Set, Set, Set, Set, Set]:
    """Our pieces that may move along files, ranks, diagonals and antidiagonals, and those that are not pinned."""
    file, rank, diagonal, antidiagonal = limits.on_file, limits.on_rank, limits.on_diagonal, limits.on_antidiagonal
    free = own & ~(file | rank | diagonal | antidiagonal)
    return free | own & file, free | own & rank, free | own & diagonal, free | own & antidiagonal, free


# ------------------------------------------------------------------------------------------- en passant and castling


@routine
def en_passant_captors(own: Set, pawns: Set, passed: Set, limits: Limits) -> Set:
    """The pawns that may capture en passant: the capture ends any check, and neither captor nor victim is pinned."""
    victim = south(passed)
    _, _, on_diagonals, on_antidiagonals, _ = movers(own & pawns, limits)
    captors = on_diagonals & south_west(passed) | on_antidiagonals & south_east(passed)
    pinned_victim = victim & (limits.on_rank | limits.on_diagonal | limits.on_antidiagonal)
    captors = captors if pinned_victim == EMPTY else EMPTY
    return captors if limits.check_mask & (victim | passed) != EMPTY else EMPTY


@routine
def _from_to(below_first: Set, up_to_last: Set) -> Set:
    """The squares of a rank from one to another, given the set below the first and the set up to the last."""
    return up_to_last & ~below_first


@routine
def ready_to_castle(king: Set, rooks: Set, occupied: Set, attacked: Set) -> Set:
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
def may_castle(own: Set, enemy: Set, kings: Set, castling: Set, limits: Limits) -> Set:
    """The rooks with which the king may castle now. One that is pinned along the rank would uncover it."""
    return ready_to_castle(own & kings, castling & RANK_1 & ~limits.on_rank, own | enemy, limits.attacked)
