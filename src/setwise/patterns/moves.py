"""Legal moves as sets: checks, pins, the squares that a king must not enter, and how many moves a side has.

Two rays go along every line: one from our king outwards, one from an enemy rook, bishop or queen. Each ray ends at the
first piece. The squares where the two rays meet show which pieces are pinned and how a check can be answered::

    8 . . . r . . . .      8 . . . r . . . .      8 . . . r . . . .
    7 . . . ↓ . . . .      7 . . . * . . . .      7 . . . ↓ . . . .
    6 . . . ↓ . . . .      6 . . . * . . . .      6 . . . p . . . .
    5 . . . N . . . .      5 . . . * . . . .      5 . . . N . . . .
    4 . . . ↑ . . . .      4 . . . * . . . .      4 . . . ↑ . . . .
    3 . . . K . . . .      3 . . . K . . . .      3 . . . K . . . .
      they meet on a         they meet on           they do not meet:
      piece of ours: it        empty squares:         two pieces or more
      is pinned, and         it is check, and       stand between
      may move along         can be blocked
      this line only         on these squares

Legality follows from the sets of the position alone: no move is made or unmade to test whether it is legal, and no set
is updated incrementally. There is no loop over pieces and no branch, so for arrays eight positions at a time go through
a 512-bit register, a position in each lane. For a single position it is quicker to go from piece to piece
(``rules.generate``).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from setwise.compiler import Count, Set, pattern, popcount, routine
from setwise.patterns.bits import ALL, EMPTY, ONE, RANK_1, RANK_3, RANK_5, RANK_8, THREE, more_than_one, only_lowest
from setwise.patterns.compass import north, north_east, north_west, south, south_east, south_west
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
from setwise.patterns.knight import knight_move_count
from setwise.patterns.pawns import attacks as pawn_attacks
from setwise.patterns.pawns import attacks_down

__all__ = ["attacked", "castling_rooks", "check_mask", "checkers", "legal_move_count"]


# --------------------------------------------- the limits that the king's safety sets to moves, by rays along all lines


#: The squares of the first rank up to and including the named square.
_TO_B1, _TO_C1, _TO_D1, _TO_E1, _TO_G1 = ((ONE << np.uint64(number)) - ONE for number in (2, 3, 4, 5, 7))


# ---------------------------------------------------------------------------------------------------------------- rays


class Rays(NamedTuple):
    """The squares that sliders see in each direction, including the first piece on each line."""

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

    ``check_mask``: the squares where a piece other than the king may land: all squares without a check, the squares
    that end the check if there is one, and none in double check. A capture en passant also empties another square:
    ``en_passant_captors`` decides whether the capture ends a check. ``on_file`` … ``on_antidiagonal``: pieces that must
    not leave that line, because they would uncover our king: own pinned pieces, and an enemy pawn that must not be
    taken en passant. ``attacked``: squares that the enemy attacks with our king lifted off the board; the king may not
    enter them.
    """

    check_mask: Set
    on_file: Set
    on_rank: Set
    on_diagonal: Set
    on_antidiagonal: Set
    attacked: Set


@routine
def _check_mask(checkers: Set, between: Set) -> Set:
    """The squares where a piece other than the king may land: all squares without a check, none in double check."""
    mask = ALL if checkers == EMPTY else checkers | between
    return EMPTY if more_than_one(checkers) else mask


@routine
def _en_passant_discovery(own_king: Set, own_pawns: Set, enemy_orthogonals: Set, occupied: Set, passed: Set) -> Set:
    """The pawn that may be taken en passant, if the capture removes two pawns from the rank and uncovers our king.

    ::

        5 . K . P p . r .        P takes p en passant: neither is pinned, and the king is taken

    If a captor stands on either side of the pawn, one of the two captors stays and keeps the rank closed; so only one
    captor is removed. Two subtractions find the sliders that the king sees to its east, and the sliders to its west
    that see the king (see ``ray_fill_east``).
    """
    victim = south(passed)
    beside = own_pawns & attacks_down(passed)
    remaining = RANK_5 & occupied & ~(victim | only_lowest(beside))
    here, sliders = RANK_5 & own_king, RANK_5 & enemy_orthogonals
    seen = (remaining ^ (remaining - (here << ONE))) & sliders | (remaining ^ (remaining - (sliders << ONE))) & here
    return victim if seen != EMPTY else EMPTY


@routine
def checking_pieces(here: Set, sliders: Set, enemy: Set, pawns: Set, knights: Set) -> Set:
    """The enemy pieces that attack our king: sliders, and leapers that an equal leaper in its place would attack."""
    return sliders | enemy & (knight_attacks(here) & knights | pawn_attacks(here) & pawns)


class Lines(NamedTuple):
    """The results of following the lines of the board, for ``king_safety``.

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
    """The lines from our king and from the enemy pieces, one after the other; a loop computes eight boards at once."""
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
    own: Set, enemy: Set, pawns: Set, knights: Set, bishops: Set, rooks: Set, queens: Set, kings: Set, passed: Set,
    lines: Callable[..., Lines],
) -> tuple[Limits, Any]:  # fmt: skip
    """The limits of the legal moves, and the rays of our king.

    This is the only place that derives checks, pins and forbidden squares. ``lines`` is the function that follows the
    lines of the board: ``lines_of_words`` in a loop, which computes eight boards at once, or
    ``rules.rays.lines_of_lanes`` for one board, which computes the eight directions at once. The compiler inlines it.
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
    """Our pieces that may move along files, ranks, diagonals, antidiagonals, and, as the last set, in any direction."""
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
    """The squares from a first to a last square of a rank: the set up to the last without the set below the first."""
    return up_to_last & ~below_first


@routine
def ready_to_castle(king: Set, rooks: Set, occupied: Set, attacked: Set) -> Set:
    """The rooks on the first rank that can castle: their way and the king's way are clear (see ``castling_rooks``)."""
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
    """The rooks with which the king may castle now; a rook pinned along the rank is left out: it shields the king."""
    return ready_to_castle(own & kings, castling & RANK_1 & ~limits.on_rank, own | enemy, limits.attacked)


# ----------------------------------------------------------------------------------------------------------------------

"""What a side may do next, as sets: castling, checks, attacked squares, the check mask, the number of its moves.

Args:
    own: squares of our pieces, a set; they move up the board.
    enemy: squares of enemy pieces, a set.
    pawns: squares of the pawns of both sides, a set.
    knights: squares of the knights of both sides, a set.
    bishops: squares of the bishops of both sides, a set.
    rooks: squares of the rooks of both sides, a set.
    queens: squares of the queens of both sides, a set.
    kings: squares of both kings, a set.
    castling: squares of the rooks of both sides that may still castle, a set; ours stand on the first rank, as does
        our king, and one at most on each side of it.
    en_passant: the square of rank 6 that an enemy pawn has just stepped over, a set of at most one square.
"""


@pattern
def castling_rooks(king: Set, rooks: Set, occupied: Set, attacked: Set) -> Set:
    """Return the rooks with which our king may castle now.

    Take the four squares where king and rook stand and where they land: from the first to the last of these, there is
    no other piece. And the enemy attacks no square where the king stands, which it crosses or where it lands::

        . . . . K . . R        short: the king goes to g1, the rook to f1
                = = = =        empty but for the two
                * * *          not attacked

        R . . . K . . .        long: the king goes to c1, the rook to d1
        = = = = =
            * * *              b1 is the rook's alone, and may be attacked

    In this form the rule is the same for all starts of Chess960, where both may stand anywhere on the first rank::

        . R . . . K . .        long: from b1 to f1, and from c1 to f1
          = = = = =
            * * * *

    Args:
        king: square of our king, a set.
        rooks: squares of the rooks that have not lost the right to castle, a set; at most one on each side of the
            king.
        occupied: squares of all pieces, a set; with or without this king and these rooks.
        attacked: squares that the enemy attacks, a set (see `moves.attacked`).

    Example:
        >>> rooks, bishop_on_g1 = Bitboard("a1 h1"), Bitboard("g1")
        >>> moves.castling_rooks(Bitboard("e1"), rooks, bishop_on_g1, Bitboard("b1 g1"))
        Bitboard('a1')
        >>> moves.castling_rooks(Bitboard("e1"), rooks, Bitboard(0), Bitboard("d1"))
        Bitboard('h1')

    Why:
        One subtraction builds the set of all squares of the first rank up to a given square; the way from one square to
        another is the difference of two such sets, wherever king and rook stand. King and rook themselves are not in
        the way. Castling with a rook is impossible if any other piece is on the way, or if the enemy attacks a square
        of the king's part of the way.

    Traps:
        The caller keeps track of the castling rights. In Chess960 a rook pinned on the first rank must be left out,
        because it would uncover the king: `legal_move_count` and the generator leave it out. Without a king on the
        first rank there is no castling; with several kings, or several rooks on one side of the king, the result means
        nothing.

    Names:
        castling, canCastle, shortCastlePath.

    Source:
        FIDE Laws of Chess, 3.8.2 and its guidelines for Chess960; Chess Programming Wiki, "Castling".
    """
    return ready_to_castle(king, rooks & RANK_1, occupied, attacked) if king & RANK_1 != EMPTY else EMPTY


@pattern
def checkers(own: Set, enemy: Set, pawns: Set, knights: Set, bishops: Set, rooks: Set, queens: Set, kings: Set) -> Set:
    """Return the enemy pieces that give check.

    Example:
        >>> position = setwise.Position("4k3/4r3/8/8/8/2n5/8/3QK3 w - - 0 1")
        >>> moves.checkers(*position.words[:8])
        Bitboard('e7')

    Why:
        The king is treated as each kind of piece in turn: an enemy knight gives check if it stands on a square that a
        knight on the king's square would attack, and so on. Along lines these attacks end on the first piece.

    Traps:
        For Black, mirror the board first, as for every pattern; `Positions.is_check` mirrors it for you.

    Names:
        pieces giving check.

    Source:
        Chess Programming Wiki, "Checks and Pinned Pieces (Bitboards)".
    """
    here = own & kings
    # As in `king_safety`: both together take no longer than it.
    seen = rays(here, here, here, here, (own | enemy) ^ here)
    sliders = checking_sliders(seen, enemy & (rooks | queens), enemy & (bishops | queens))
    return checking_pieces(here, sliders, enemy, pawns, knights)


@pattern
def attacked(own: Set, enemy: Set, pawns: Set, knights: Set, bishops: Set, rooks: Set, queens: Set, kings: Set) -> Set:
    """Return the squares that our king may not enter: the enemy attacks them if our king is lifted off the board.

    Example:
        The line of the rook on a4 goes on behind the king to e4, and the rook on e1 defends the pawn there, too:

        >>> position = setwise.Position("4k3/8/8/8/r2Kp3/8/8/4r3 w - - 0 1")
        >>> print(moves.attacked(*position.words[:8]))
        1 . . 1 . 1 . .
        1 . . 1 1 1 . .
        1 . . . . . . .
        1 . . . . . . .
        . 1 1 1 1 . . .
        1 . . 1 1 1 . .
        1 . . . 1 . . .
        1 1 1 1 . 1 1 1

    Why:
        If the king steps back along the line of a slider that gives check, the slider attacks the king's new square as
        well; so the king is lifted first. The attacks include squares of enemy pieces that other enemy pieces defend.

    Traps:
        The set limits only the king: any other piece may go there.

    Names:
        king danger squares, attacked squares.

    Source:
        Chess Programming Wiki, "Checks and Pinned Pieces (Bitboards)", "King Pattern".
    """
    limits, _ = king_safety(own, enemy, pawns, knights, bishops, rooks, queens, kings, EMPTY, lines_of_words)
    return limits.attacked


@pattern
def check_mask(
    own: Set, enemy: Set, pawns: Set, knights: Set, bishops: Set, rooks: Set, queens: Set, kings: Set
) -> Set:
    """Return the squares where a piece other than the king must land so that no check is left.

    Without a check it is the whole board; against one check it is the checking piece and the squares between that piece
    and our king; against two checks it is empty, because the king must move.

    Example:
        >>> position = setwise.Position("4k3/8/8/b7/8/5N2/8/2R1K3 w - - 0 1")
        >>> moves.check_mask(*position.words[:8])
        Bitboard('d2 c3 b4 a5')

    Why:
        A check ends if the checking piece is taken or, on a line, if a piece moves between. The squares between are the
        empty squares on which the king's ray and the slider's ray meet. One move of another piece cannot end two
        checks.

    Traps:
        Our own pieces may stand on some of these squares. A pawn that gives check can also be captured en passant: the
        capturing pawn then lands outside the mask, on the square that the checking pawn stepped over.

    Names:
        check mask, evasion targets, blocks.

    Source:
        Chess Programming Wiki, "Checks and Pinned Pieces (Bitboards)".
    """
    limits, _ = king_safety(own, enemy, pawns, knights, bishops, rooks, queens, kings, EMPTY, lines_of_words)
    return limits.check_mask


@routine
def _slider_move_count(slider_rays: Rays, behind_king: Rays, allowed: Set) -> Count:
    """How many moves sliders have. Two sliders may go to one square, but never in the same direction."""
    return (
        popcount(slider_rays.north & ~behind_king.north & allowed)
        + popcount(slider_rays.south & ~behind_king.south & allowed)
        + popcount(slider_rays.east & ~behind_king.east & allowed)
        + popcount(slider_rays.west & ~behind_king.west & allowed)
        + popcount(slider_rays.north_east & ~behind_king.north_east & allowed)
        + popcount(slider_rays.south_west & ~behind_king.south_west & allowed)
        + popcount(slider_rays.north_west & ~behind_king.north_west & allowed)
        + popcount(slider_rays.south_east & ~behind_king.south_east & allowed)
    )


@pattern
def legal_move_count(
    own: Set, enemy: Set, pawns: Set, knights: Set, bishops: Set, rooks: Set, queens: Set, kings: Set, castling: Set,
    en_passant: Set,
) -> Count:  # fmt: skip
    """Return how many legal moves we have: with castling (also in Chess960), en passant, and four for each promotion.

    Example:
        Both knights are pinned; the king has four squares, the rook nine, and they may castle:

        >>> position = setwise.Position("4k3/8/8/b7/4r3/2N5/4N3/4K2R w K - 0 1")
        >>> moves.legal_move_count(*position.words[:10])
        14

    Why:
        A pinned piece may only move along the line of the pin, so sliders, knights and pawns are sorted by the
        directions in which they may move. In one direction only one piece reaches each square, so the number of target
        squares is the number of moves. Targets that do not end a check are dropped before counting, and the king must
        not enter attacked squares.

    Traps:
        Draws by repetition or by the fifty-move rule are ignored. Without a king there are no pins and no checks. With
        two kings on one side, which is impossible in chess, the answer means nothing. If the side that is not to move
        has left its king in check, moves that take this king are not counted.

    Names:
        countMoves, bulk counting, number of legal moves.

    Source:
        Chess Programming Wiki, "Legal Move Generation", "Perft" (bulk counting), "Kogge-Stone Algorithm".
    """
    limits, seen = king_safety(own, enemy, pawns, knights, bishops, rooks, queens, kings, en_passant, lines_of_words)
    on_files, on_ranks, on_diagonals, on_antidiagonals, free = movers(own, limits)
    here, occupied = own & kings, own | enemy
    # No move takes a king, not even a king that its side has left in check.
    landing = limits.check_mask & ~kings
    allowed = landing & ~own

    # Three disjoint sets are counted at once: the king's targets (never own pieces), some own pawns, some own rooks.
    captors = en_passant_captors(own, pawns, en_passant, limits)
    rooks_to_castle = may_castle(own, enemy, kings, castling, limits)
    total = popcount(king_attacks(here) & ~(own | limits.attacked) | captors | rooks_to_castle)

    # The fills are the same as in `king_safety`, where our king does not block; the rays behind the king are removed.
    orthogonal_movers, diagonal_movers = rooks | queens, bishops | queens
    slider_rays = rays(
        orthogonal_movers & on_files,
        orthogonal_movers & on_ranks,
        diagonal_movers & on_diagonals,
        diagonal_movers & on_antidiagonals,
        occupied ^ here,
    )
    total += _slider_move_count(slider_rays, seen, allowed) + knight_move_count(knights & free, allowed)

    # Pawns step to empty squares and capture on occupied squares: so a set of steps and a set of captures are disjoint,
    # and are counted at once.
    steps = north(pawns & on_files) & ~occupied
    double_steps = north(steps & RANK_3) & ~occupied
    east, west = north_east(pawns & on_diagonals) & enemy, north_west(pawns & on_antidiagonals) & enemy
    some, others = (steps | east) & landing, (double_steps | west) & landing
    return total + popcount(some) + popcount(others) + THREE * (popcount(some & RANK_8) + popcount(others & RANK_8))


# -------------------------------------------------------------------------------------------------- legal moves as sets


#: Patterns by their former names; the next release will not have these names.
FORMER = {"moves.danger": attacked, "moves.targets": check_mask}


def __getattr__(name: str) -> Any:
    """Return a pattern by its former name, with a warning."""
    pattern = FORMER.get(f"moves.{name}")
    if pattern is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    warnings.warn(f"moves.{name} is now called {pattern.name}", DeprecationWarning, stacklevel=2)
    return pattern
