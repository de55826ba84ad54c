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

from __future__ import annotations

from setwise.compiler import Count, Set, pattern, popcount, routine
from setwise.patterns.bits import EMPTY, RANK_1, RANK_3, RANK_8, THREE
from setwise.patterns.compass import (
    north,
    north_east,
    north_west,
)
from setwise.patterns.king import attacks as king_attacks
from setwise.patterns.knight.walks import knight_move_count
from setwise.patterns.moves.limits import (
    Rays,
    checking_pieces,
    checking_sliders,
    en_passant_captors,
    king_safety,
    lines_of_words,
    may_castle,
    movers,
    rays,
    ready_to_castle,
)

__all__ = ["attacked", "castling_rooks", "check_mask", "checkers", "legal_move_count"]


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
        The squares of the first rank up to a given square are a set that one subtraction builds; the way from one
        square to another is the difference of two such sets, wherever king and rook stand. King and rook
        themselves are not in the way; any other piece on it, or one attacked square on the king's part of it, bars that
        rook.

    Traps:
        The caller keeps track of the castling rights. In Chess960 a rook pinned on the first rank must be left out, for
        it would uncover the king: `legal_move_count` and the generator do so. Without a king on the first rank there is
        no castling; with several kings, or several rooks on one side of the king, the result means nothing.

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
        The king is treated as each kind of piece in turn: an enemy knight gives check if it stands where a knight on
        the king's square would attack, and so on. Along lines these attacks end on the first piece.

    Traps:
        For Black, mirror the board first, as for every pattern; `Positions.is_check` does so by itself.

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
    """Return the squares that our king may not enter: what the enemy attacks with our king lifted off the board.

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
        If the king steps back along the line of a slider that gives check, the slider attacks its new square as well;
        so the king is lifted first. The attacks include squares of enemy pieces, which other enemy pieces defend.

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

    Without a check that is the whole board; against one check the piece that gives it and the squares between it and
    our king; against two nothing, for then the king must move.

    Example:
        >>> position = setwise.Position("4k3/8/8/b7/8/5N2/8/2R1K3 w - - 0 1")
        >>> moves.check_mask(*position.words[:8])
        Bitboard('d2 c3 b4 a5')

    Why:
        A check ends if the checking piece is taken or, on a line, if a piece is put between. The empty squares on which
        the king's ray and the slider's ray meet are the squares between. Two checks cannot both be ended by one move of
        another piece.

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
    """How many moves sliders have. Two of them may go to one square, but never in the same direction."""
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
    """Return how many legal moves we have, promotions four times, castling (Chess960's, too) and en passant included.

    Example:
        Both knights are pinned; the king has four squares, the rook nine, and they may castle:

        >>> position = setwise.Position("4k3/8/8/b7/4r3/2N5/4N3/4K2R w K - 0 1")
        >>> moves.legal_move_count(*position.words[:10])
        14

    Why:
        A pinned piece may only move along the line of the pin, so the sliders, knights and pawns are sorted by the
        directions that are open to them; in one direction each square is reached by one piece only, and to count
        targets is to count moves. Targets that leave a check are dropped beforehand, and the king must not enter
        attacked squares.

    Traps:
        Draws by repetition or by the fifty-move rule are ignored. Without a king no piece is pinned and nothing is
        check. With two kings on a side, which chess does not know, the answer means nothing. A king that the side not
        to move has left in check is not taken.

    Names:
        countMoves, bulk counting, number of legal moves.

    Source:
        Chess Programming Wiki, "Legal Move Generation", "Perft" (bulk counting), "Kogge-Stone Algorithm".
    """
    limits, seen = king_safety(own, enemy, pawns, knights, bishops, rooks, queens, kings, en_passant, lines_of_words)
    on_files, on_ranks, on_diagonals, on_antidiagonals, free = movers(own, limits)
    here, occupied = own & kings, own | enemy
    # No move takes a king, not even that of a side which has passed in check.
    landing = limits.check_mask & ~kings
    allowed = landing & ~own

    # Three disjoint sets in one count: king's targets (no own pieces), some of our pawns, some of our rooks.
    captors = en_passant_captors(own, pawns, en_passant, limits)
    rooks_to_castle = may_castle(own, enemy, kings, castling, limits)
    total = popcount(king_attacks(here) & ~(own | limits.attacked) | captors | rooks_to_castle)

    # The fills are shared with those of `king_safety`, where our king does not block; its rays are removed.
    orthogonal_movers, diagonal_movers = rooks | queens, bishops | queens
    slider_rays = rays(
        orthogonal_movers & on_files,
        orthogonal_movers & on_ranks,
        diagonal_movers & on_diagonals,
        diagonal_movers & on_antidiagonals,
        occupied ^ here,
    )
    total += _slider_move_count(slider_rays, seen, allowed) + knight_move_count(knights & free, allowed)

    # Pawns step to empty squares and capture on others: one of each goes into one count.
    steps = north(pawns & on_files) & ~occupied
    double_steps = north(steps & RANK_3) & ~occupied
    east, west = north_east(pawns & on_diagonals) & enemy, north_west(pawns & on_antidiagonals) & enemy
    some, others = (steps | east) & landing, (double_steps | west) & landing
    return total + popcount(some) + popcount(others) + THREE * (popcount(some & RANK_8) + popcount(others & RANK_8))
