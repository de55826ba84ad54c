"""Legal moves as sets: checks, pins, the squares that a king must shun, and how many moves a side has.

Two looks go along every line: one from our king outwards, one from the enemy's rooks, bishops and queens. Each ends at
the first piece. What the two have in common tells all that a king's safety asks of the pieces around it::

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

No piece is asked for by itself and nothing branches, so that in arrays eight positions at a time go through one 512-bit
register, a position in each lane. For one position alone it is quicker to go from piece to piece (``rules.generate``).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from setwise.compiler import Moves, Set, pattern, popcount, routine
from setwise.patterns.bits import ALL, EMPTY, ONE, RANK_1, RANK_3, RANK_5, RANK_8, THREE
from setwise.patterns.compass import (
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
)
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

__all__ = ["castling_rooks", "checkers", "danger", "legal_move_count", "targets"]

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

    ``targets``: squares where a piece other than the king may land: all; or those that end a check; or none in double
    check. ``on_file`` … ``on_antidiagonal``: pieces that must not leave that line, because they would uncover our king:
    ours that are pinned, and an enemy pawn that must not be taken en passant. ``danger``: squares that the king may
    not enter, attacked with the king lifted off the board.
    """

    targets: np.uint64
    on_file: np.uint64
    on_rank: np.uint64
    on_diagonal: np.uint64
    on_antidiagonal: np.uint64
    danger: np.uint64


@routine
def ending(checkers, between):
    """Where to land so that no check is left: anywhere without checks, nowhere against two of them."""
    targets = ALL if checkers == EMPTY else checkers | between
    return targets if checkers & (checkers - ONE) == EMPTY else EMPTY


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
    return captors if limits.targets & (victim | passed) != EMPTY else EMPTY


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


# ------------------------------------------------------------------------------------------------------------ patterns


@pattern
def castling_rooks(king: Set, rooks: Set, occupied: Set, attacked: Set) -> Set:
    """Return the rooks with which our king may castle now.

    From the first to the last of the four squares where king and rook stand and where they land, there is no other
    piece; and where the king stands, what it crosses and where it lands, nothing is attacked::

        . . . . K . . R        short: the king goes to g1, the rook to f1
                = = = =        empty but for the two
                * * *          not attacked

        R . . . K . . .        long: the king goes to c1, the rook to d1
        = = = = =
            * * *              b1 is the rook's alone, and may be attacked

    Put so, it is one rule for all starts of Chess960, where both may stand anywhere on the first rank::

        . R . . . K . .        long: from b1 to f1, and from c1 to f1
          = = = = =
            * * * *

    Args:
        king: square of our king, a set.
        rooks: squares of the rooks that have not lost the right to castle, a set; one on either side of the king.
        occupied: squares of all pieces, a set; with or without this king and these rooks.
        attacked: squares that the enemy attacks, a set (see `danger`).

    Example:
        >>> rooks, bishop_on_g1 = Bitboard("a1 h1"), Bitboard("g1")
        >>> moves.castling_rooks(Bitboard("e1"), rooks, bishop_on_g1, Bitboard("b1 g1"))
        Bitboard('a1')
        >>> moves.castling_rooks(Bitboard("e1"), rooks, Bitboard(0), Bitboard("d1"))
        Bitboard('h1')

    Why:
        A way along the first rank is the difference of two sets of all squares up to one, so that it costs a
        subtraction at either end and no case for short or long. King and rook themselves are not in the way; one piece
        more on it, or one attacked square on the king's part of it, bars that rook.

    Traps:
        The rights are the caller's to keep. In Chess960 a rook pinned on the first rank must be left out, for it would
        uncover the king: `legal_move_count` and the generator do so. Without a king on the first rank there is no
        castling; with several, or several rooks on one side of it, the answer means nothing.

    Names:
        castling, canCastle, shortCastlePath.

    Source:
        FIDE Laws of Chess, 3.8.2 and its guidelines for Chess960; Chess Programming Wiki, "Castling".
    """
    return ready_to_castle(king, rooks & RANK_1, occupied, attacked) if king & RANK_1 != EMPTY else EMPTY


@pattern
def checkers(own: Set, enemy: Set, pawns: Set, knights: Set, bishops: Set, rooks: Set, queens: Set, kings: Set) -> Set:
    """Return the enemy pieces that give check.

    Args:
        own: squares of our pieces, a set; they move up the board.
        enemy: squares of the enemy's pieces, a set.
        pawns: squares of the pawns of both sides, a set.
        knights: squares of the knights of both sides, a set.
        bishops: squares of the bishops of both sides, a set.
        rooks: squares of the rooks of both sides, a set.
        queens: squares of the queens of both sides, a set.
        kings: squares of both kings, a set.

    Example:
        >>> position = setwise.Position("4k3/4r3/8/8/8/2n5/8/3QK3 w - - 0 1")
        >>> moves.checkers(*position.words[:8])
        Bitboard('e7')

    Why:
        The king is looked at as if it were each kind of piece in turn: what it would attack as a knight attacks it if
        it is a knight, and so on. Along lines the look ends on the first piece.

    Traps:
        For Black, mirror the board first, as for every pattern; `Positions.is_check` does so by itself.

    Names:
        pieces giving check.

    Source:
        Chess Programming Wiki, "Checks and Pinned Pieces (Bitboards)".
    """
    here = own & kings
    # As in `safety`: both together take no longer than it.
    seen = rays(here, here, here, here, (own | enemy) ^ here)
    return checking(here, seen, enemy, pawns, knights, bishops, rooks, queens)


@pattern
def danger(own: Set, enemy: Set, pawns: Set, knights: Set, bishops: Set, rooks: Set, queens: Set, kings: Set) -> Set:
    """Return the squares that our king may not enter: what the enemy attacks with our king lifted off the board.

    Args:
        own: squares of our pieces, a set; they move up the board.
        enemy: squares of the enemy's pieces, a set.
        pawns: squares of the pawns of both sides, a set.
        knights: squares of the knights of both sides, a set.
        bishops: squares of the bishops of both sides, a set.
        rooks: squares of the rooks of both sides, a set.
        queens: squares of the queens of both sides, a set.
        kings: squares of both kings, a set.

    Example:
        The rook's line goes on behind the king, and the pawn is defended by its rook:

        >>> position = setwise.Position("4k3/8/8/8/r2Kp3/8/8/4r3 w - - 0 1")
        >>> print(moves.danger(*position.words[:8]))
        1 . . 1 . 1 . .
        1 . . 1 1 1 . .
        1 . . . . . . .
        1 . . . . . . .
        . 1 1 1 1 . . .
        1 . . 1 1 1 . .
        1 . . . 1 . . .
        1 1 1 1 . 1 1 1

    Why:
        A slider that checks goes on attacking behind the king once that steps back along the line; so the king is
        lifted first. Attacks of all pieces include squares of their own, which they defend.

    Traps:
        What our own pieces leave of it is for the king alone: any other piece may go there.

    Names:
        king danger squares, attacked squares.

    Source:
        Chess Programming Wiki, "Checks and Pinned Pieces (Bitboards)", "King Pattern".
    """
    return safety(own, enemy, pawns, knights, bishops, rooks, queens, kings, EMPTY)[0].danger


@pattern
def targets(own: Set, enemy: Set, pawns: Set, knights: Set, bishops: Set, rooks: Set, queens: Set, kings: Set) -> Set:
    """Return the squares where a piece other than the king must land so that no check is left.

    Without a check that is the whole board; against one check the piece that gives it and the squares between it and
    our king; against two nothing, for then the king must move.

    Args:
        own: squares of our pieces, a set; they move up the board.
        enemy: squares of the enemy's pieces, a set.
        pawns: squares of the pawns of both sides, a set.
        knights: squares of the knights of both sides, a set.
        bishops: squares of the bishops of both sides, a set.
        rooks: squares of the rooks of both sides, a set.
        queens: squares of the queens of both sides, a set.
        kings: squares of both kings, a set.

    Example:
        >>> position = setwise.Position("4k3/8/8/b7/8/5N2/8/2R1K3 w - - 0 1")
        >>> moves.targets(*position.words[:8])
        Bitboard('d2 c3 b4 a5')

    Why:
        A check ends if its giver is taken or, on a line, if something stands between. Where the look of the king along
        a line and that of the slider meet on empty squares, these are the squares between. Two checks cannot both be
        ended by one move of another piece.

    Traps:
        Our own pieces may stand on some of these squares. A pawn that gives check can also be taken en passant, from
        where it has not landed.

    Names:
        check mask, evasion targets, blocks.

    Source:
        Chess Programming Wiki, "Checks and Pinned Pieces (Bitboards)".
    """
    return safety(own, enemy, pawns, knights, bishops, rooks, queens, kings, EMPTY)[0].targets


@routine
def _steps_of_sliders(ours, behind_king, allowed):
    """How many squares sliders may go to. Two of them may go to one square, but never in one and the same direction."""
    return (
        popcount(ours.north & ~behind_king.north & allowed)
        + popcount(ours.south & ~behind_king.south & allowed)
        + popcount(ours.east & ~behind_king.east & allowed)
        + popcount(ours.west & ~behind_king.west & allowed)
        + popcount(ours.north_east & ~behind_king.north_east & allowed)
        + popcount(ours.south_west & ~behind_king.south_west & allowed)
        + popcount(ours.north_west & ~behind_king.north_west & allowed)
        + popcount(ours.south_east & ~behind_king.south_east & allowed)
    )


@routine
def _jumps(knights, allowed):
    """How many squares knights may go to, direction by direction as well."""
    return (
        popcount(no_no_ea(knights) & allowed)
        + popcount(no_ea_ea(knights) & allowed)
        + popcount(so_ea_ea(knights) & allowed)
        + popcount(so_so_ea(knights) & allowed)
        + popcount(so_so_we(knights) & allowed)
        + popcount(so_we_we(knights) & allowed)
        + popcount(no_we_we(knights) & allowed)
        + popcount(no_no_we(knights) & allowed)
    )


@pattern
def legal_move_count(
    own: Set, enemy: Set, pawns: Set, knights: Set, bishops: Set, rooks: Set, queens: Set, kings: Set, castling: Set,
    en_passant: Set,
) -> Moves:  # fmt: skip
    """Return how many legal moves we have, promotions four times, castling (Chess960's, too) and en passant included.

    Args:
        own: squares of our pieces, a set; they move up the board.
        enemy: squares of the enemy's pieces, a set.
        pawns: squares of the pawns of both sides, a set.
        knights: squares of the knights of both sides, a set.
        bishops: squares of the bishops of both sides, a set.
        rooks: squares of the rooks of both sides, a set.
        queens: squares of the queens of both sides, a set.
        kings: squares of both kings, a set.
        castling: squares of the rooks of both sides that may still castle, a set; ours stand on the first rank, as does
            our king, and one at most on each side of it.
        en_passant: the square of rank 6 that an enemy pawn has just stepped over, a set of at most one square.

    Example:
        Both knights are pinned; the king has four squares, the rook nine, and they may castle:

        >>> position = setwise.Position("4k3/8/8/b7/4r3/2N5/4N3/4K2R w K - 0 1")
        >>> moves.legal_move_count(*position.words[:10])
        14

    Why:
        A piece that is pinned may move along its line alone, so the sliders, knights and pawns are sorted by the
        directions that are open to them; in one direction each square is reached by one piece only, and to count
        targets is to count moves. Targets that leave a check are dropped beforehand, and the king has its own set of
        squares in danger.

    Traps:
        A draw by repetition or by fifty moves ends nothing. Without a king no piece is pinned and nothing is check.
        With two kings on a side, which chess does not know, the answer means nothing.

    Names:
        countMoves, bulk counting, number of legal moves.

    Source:
        Chess Programming Wiki, "Legal Move Generation", "Perft" (bulk counting), "Kogge-Stone Algorithm".
    """
    limits, seen = safety(own, enemy, pawns, knights, bishops, rooks, queens, kings, en_passant)
    on_files, on_ranks, on_diagonals, on_antidiagonals, free = movers(own, limits)
    here, men = own & kings, own | enemy
    allowed = limits.targets & ~own

    # Three sets in one count, for they never meet: none of the king's targets, some of our rooks, some of our pawns.
    captors = en_passant_captors(own, pawns, en_passant, limits)
    rooks_to_castle = may_castle(own, enemy, kings, castling, limits)
    total = popcount(king_attacks(here) & ~(own | limits.danger) | captors | rooks_to_castle)

    # The fills are shared with those of `safety`, where our king is no obstacle. What lies behind it, it sees itself.
    straight_movers, diagonal_movers = rooks | queens, bishops | queens
    ours = rays(
        straight_movers & on_files,
        straight_movers & on_ranks,
        diagonal_movers & on_diagonals,
        diagonal_movers & on_antidiagonals,
        men ^ here,
    )
    total += _steps_of_sliders(ours, seen, allowed) + _jumps(knights & free, allowed)

    # Pawns step to empty squares and capture on others: one of each goes into one count.
    steps = north(pawns & on_files) & ~men
    double_steps = north(steps & RANK_3) & ~men
    east, west = north_east(pawns & on_diagonals) & enemy, north_west(pawns & on_antidiagonals) & enemy
    some, others = (steps | east) & limits.targets, (double_steps | west) & limits.targets
    return total + popcount(some) + popcount(others) + THREE * (popcount(some & RANK_8) + popcount(others & RANK_8))
