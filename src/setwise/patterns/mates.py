"""Mates by name, recognized by the arrangement of the pieces.

Our side has given mate and moves up the board; `king` is the mated king. A pattern tests which piece checks, which
pieces take the squares next to the king, and which pieces block the other squares. A square is taken if our pieces
attack it. A pattern assumes that the position is mate: also test `is_checkmate`, or use the columns `mate_pattern` and
`mate_patterns`, which test it. A mate may have several names.
"""

from __future__ import annotations

import numpy as np

from setwise.compiler import Flag, Set, pattern, popcount, routine
from setwise.patterns.bits import CORNERS, EMPTY, FILE_A, FILE_H, FOUR, RANK_1, RANK_8
from setwise.patterns.compass import east, north, north_east, north_west, sideways, south, south_east, south_west, west
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
from setwise.patterns.sliders import bishops_attacks, queens_attacks, rooks_attacks

__all__ = [
    "anastasia", "arabian", "back_rank", "balestra", "bishop_and_queen", "blackburne", "blind_swine", "boden", "corner",
    "corridor", "damiano", "damiano_bishop", "david_and_goliath", "diagonal", "double_bishop", "dovetail", "epaulette",
    "greco", "hook", "kill_box", "knight_and_major", "ladder", "legal", "lolli", "max_lange", "mayet", "morphy",
    "opera", "pillsbury", "queen_and_king", "reti", "smothered", "stamma", "suffocation", "support", "swallowtail",
    "triangle", "two_rooks", "vukovic",
]  # fmt: skip


# ------------------------------------------------------------------------------------------------ what lies near a king


EDGES = FILE_A | FILE_H | RANK_1 | RANK_8


@routine
def beside(king: Set) -> Set:
    """The squares next to a king on its rank and file."""
    return sideways(king) | north(king) | south(king)


@routine
def aslant(king: Set) -> Set:
    """The squares next to a king on its diagonals."""
    beside_it = sideways(king)
    return north(beside_it) | south(beside_it)


# ----------------------------------------------------------------------------------------------------------------------

"""Mates by a bishop's check, or with its help.

Args:
    king: square of the enemy king, the mated one, a set.
    blockers: squares of the other pieces of the king's side.
    bishops: squares of our bishops.
    occupied: squares of all pieces of both sides.
    queens: squares of our queens.
    orthogonal: squares of our rooks and queens.
    rooks: squares of our rooks.
    knights: squares of our knights.
"""


@routine
def _pair(king: Set, blockers: Set, bishops: Set, occupied: Set, crossing: bool) -> np.uint64:
    """Whether a bishop checks along a diagonal, and another takes free squares along a parallel or a crossing one."""
    lifted = occupied & ~king
    rising = bishops & (ray_fill_north_east(king, occupied) | ray_fill_south_west(king, occupied))
    falling = bishops & (ray_fill_north_west(king, occupied) | ray_fill_south_east(king, occupied))
    checkers = rising | falling
    flights, helpers = king_attacks(king) & ~blockers, bishops & ~checkers
    left = flights & ~bishops_attacks(checkers, lifted)
    on_rising = left & (ray_fill_north_east(helpers, lifted) | ray_fill_south_west(helpers, lifted))
    on_falling = left & (ray_fill_north_west(helpers, lifted) | ray_fill_south_east(helpers, lifted))
    taken = flights & ~bishops_attacks(bishops, lifted) == EMPTY
    by_rising, by_falling = (on_falling, on_rising) if crossing else (on_rising, on_falling)
    return np.uint64(taken and ((rising != EMPTY and by_rising != EMPTY) or (falling != EMPTY and by_falling != EMPTY)))


@pattern
def boden(king: Set, blockers: Set, bishops: Set, occupied: Set) -> Flag:
    """Return whether two bishops mate on crossing diagonals: one checks, the other takes squares across that line.

    Example:
        >>> mate = setwise.Position("2kr4/3p4/B1p5/8/5B2/8/8/6K1 b - - 0 1")
        >>> own, enemy = mate.white_pieces, mate.black_pieces
        >>> mates.boden(enemy & mate.kings, enemy & ~mate.kings, own & mate.bishops, mate.occupied)
        True

    Why:
        `rising` and `falling` are the bishops that check, by the direction of their diagonal. The free squares next to
        the king that the checking bishop does not attack are `left`, and the other bishops take them. If the check is
        along a rising diagonal, a bishop takes one of these squares along a falling diagonal, or the other way round.
        No free square remains.

    Traps:
        Bishops take every free square next to the king. If the second bishop takes no square, it is not Boden's mate.

    Names:
        Boden's mate, Boden mate, bodenMate.

    Source:
        Wikipedia, "Checkmate pattern", "Boden's mate"; Lichess, the theme "bodenMate".
    """
    return _pair(king, blockers, bishops, occupied, True)


@pattern
def double_bishop(king: Set, blockers: Set, bishops: Set, occupied: Set) -> Flag:
    """Return whether two bishops mate on parallel diagonals: one checks, the other takes squares along its diagonal.

    Example:
        >>> mate = setwise.Position("7k/7p/8/3BB3/8/8/8/6K1 b - - 0 1")
        >>> own, enemy = mate.white_pieces, mate.black_pieces
        >>> mates.double_bishop(enemy & mate.kings, enemy & ~mate.kings, own & mate.bishops, mate.occupied)
        True

    Why:
        As in `boden`, but with the other pair of rays: the check is on a rising diagonal, and a square is taken along
        another rising diagonal, or both are on falling diagonals.

    Traps:
        Bishops take every free square next to the king. If the lines cross, the mate is `boden`.

    Names:
        double bishop mate, two bishops mate, doubleBishopMate.

    Source:
        Wikipedia, "Checkmate pattern", "Double bishop mate"; Lichess, the theme "doubleBishopMate".
    """
    return _pair(king, blockers, bishops, occupied, False)


@pattern
def balestra(king: Set, blockers: Set, bishops: Set, queens: Set, occupied: Set) -> Flag:
    """Return whether a bishop checks, and this bishop and the queen take every free square next to the king.

    Example:
        >>> mate = setwise.Position("6k1/8/4B2Q/8/8/8/8/6K1 b - - 0 1")
        >>> own, enemy = mate.white_pieces, mate.black_pieces
        >>> mates.balestra(
        ...     enemy & mate.kings, enemy & ~mate.kings, own & mate.bishops, own & mate.queens, mate.occupied
        ... )
        True

    Why:
        The bishops that check are the bishops that a bishop on the king's square would attack. Queen and checking
        bishop see past the king, which is lifted off the board. The queen takes at least one of the free squares next
        to the king, and queen and bishop together take all of them.

    Names:
        Balestra mate, balestraMate.

    Source:
        Wikipedia, "Checkmate pattern", "Balestra mate"; Lichess, the theme "balestraMate".
    """
    flights, lifted = king_attacks(king) & ~blockers, occupied & ~king
    checkers = bishops & bishops_attacks(king, occupied)
    by_queens, by_checkers = queens_attacks(queens, lifted), bishops_attacks(checkers, lifted)
    return np.uint64(
        checkers != EMPTY and flights & by_queens != EMPTY and flights & ~(by_queens | by_checkers) == EMPTY
    )


@pattern
def bishop_and_queen(king: Set, blockers: Set, bishops: Set, queens: Set, occupied: Set) -> Flag:
    """Return whether a bishop checks, and the queen takes a free square next to the king.

    Example:
        >>> mate = setwise.Position("6k1/8/4B3/5Q2/8/8/1B6/6K1 b - - 0 1")
        >>> own, enemy = mate.white_pieces, mate.black_pieces
        >>> mates.bishop_and_queen(
        ...     enemy & mate.kings, enemy & ~mate.kings, own & mate.bishops, own & mate.queens, mate.occupied
        ... )
        True

    Why:
        The bishops attack the king's square, which is the check. The queen sees past the king, which is lifted off the
        board; she attacks at least one of the free squares next to the king.

    Traps:
        Other pieces may take squares, too; if the bishop that checks and the queen take all squares, it is a
        `balestra`.

    Names:
        bishop and queen mate.

    Source:
        Lichess, the theme "balestraMate", which players give to these mates, too.
    """
    flights, lifted = king_attacks(king) & ~blockers, occupied & ~king
    checks = king & bishops_attacks(bishops, occupied) != EMPTY
    return np.uint64(checks and flights & queens_attacks(queens, lifted) != EMPTY)


@pattern
def blackburne(king: Set, blockers: Set, knights: Set, bishops: Set, occupied: Set) -> Flag:
    """Return whether a bishop next to the king checks, protected by a knight, and another bishop takes a free square.

    Example:
        >>> mate = setwise.Position("5rk1/7B/8/6N1/8/8/1B6/6K1 b - - 0 1")
        >>> own, enemy = mate.white_pieces, mate.black_pieces
        >>> mates.blackburne(
        ...     enemy & mate.kings, enemy & ~mate.kings, own & mate.knights, own & mate.bishops, mate.occupied
        ... )
        True

    Why:
        `checkers` are our bishops diagonally next to the king that a knight protects, so that the king cannot
        capture them. The other bishops see past the king, which is lifted off the board, and attack a free
        square next to it.

    Names:
        Blackburne's mate, Blackburne mate.

    Source:
        Wikipedia, "Checkmate pattern", "Blackburne's mate".
    """
    checkers = aslant(king) & bishops & knight_attacks(knights)
    flights = king_attacks(king) & ~blockers
    taken = flights & bishops_attacks(bishops & ~checkers, occupied & ~king)
    return np.uint64(checkers != EMPTY and taken != EMPTY)


@pattern
def reti(king: Set, blockers: Set, bishops: Set, orthogonal: Set, occupied: Set) -> Flag:
    """Return whether a bishop next to the king checks, a rook or queen protects it, and four own pieces block the king.

    Example:
        Réti – Tartakower, Vienna 1910, 11. Bd8#:

        >>> mate = setwise.Position("rnbB1b1r/ppk2ppp/2p5/4q3/4n3/8/PPP2PPP/2KR1BNR b - - 3 11")
        >>> own, enemy = mate.white_pieces, mate.black_pieces
        >>> mates.reti(
        ...     enemy & mate.kings, enemy & ~mate.kings, own & mate.bishops, own & (mate.rooks | mate.queens),
        ...     mate.occupied
        ... )
        True

    Why:
        `protected` are our bishops diagonally next to the king whose square a rook or queen attacks. On four or more of
        the squares next to the king are pieces of its own side. The other squares are taken, because the position is
        mate.

    Names:
        Réti's mate, Réti mate, Reti's mate, Reti mate.

    Source:
        Wikipedia, "Checkmate pattern", "Réti's mate".
    """
    protected = aslant(king) & bishops & rooks_attacks(orthogonal, occupied)
    return np.uint64(protected != EMPTY and popcount(king_attacks(king) & blockers) >= FOUR)


@pattern
def opera(king: Set, bishops: Set, rooks: Set, occupied: Set) -> Flag:
    """Return whether a rook beside the king is protected by a bishop.

    Example:
        Morphy – Duke of Brunswick and Count Isouard, Paris 1858, 17. Rd8#:

        >>> mate = setwise.Position("1n1Rkb1r/p4ppp/4q3/4p1B1/4P3/8/PPP2PPP/2K5 b k - 1 17")
        >>> own, enemy = mate.white_pieces, mate.black_pieces
        >>> mates.opera(enemy & mate.kings, own & mate.bishops, own & mate.rooks, mate.occupied)
        True

    Why:
        A rook beside the king checks it, and the king would capture the rook if it were not protected.
        `bishops_attacks` shows that a bishop protects it. The other squares are taken, because the position is mate.

    Traps:
        If the bishop also takes a square, the mate is `pillsbury`, too.

    Names:
        opera mate, operaMate.

    Source:
        Wikipedia, "Checkmate pattern", "Opera mate"; Lichess, the theme "operaMate".
    """
    return np.uint64(beside(king) & rooks & bishops_attacks(bishops, occupied) != EMPTY)


@pattern
def mayet(king: Set, bishops: Set, rooks: Set, occupied: Set) -> Flag:
    """Return whether a rook in the corner, beside the king, is protected by a bishop from afar.

    Example:
        >>> mate = setwise.Position("5rkR/5p2/8/8/8/8/1B6/6K1 b - - 0 1")
        >>> own, enemy = mate.white_pieces, mate.black_pieces
        >>> mates.mayet(enemy & mate.kings, own & mate.bishops, own & mate.rooks, mate.occupied)
        True

    Why:
        The rook is beside the king and in a corner of the board. A bishop next to the rook does not count; a bishop
        farther away attacks the rook's square and so protects it.

    Traps:
        It is an `opera`, too.

    Names:
        Mayet's mate, Mayet mate.

    Source:
        Wikipedia, "Checkmate pattern", "Mayet's mate".
    """
    cornered = beside(king) & rooks & CORNERS
    distant = bishops & ~king_attacks(cornered)
    return np.uint64(cornered & bishops_attacks(distant, occupied) != EMPTY)


@pattern
def pillsbury(king: Set, blockers: Set, bishops: Set, rooks: Set, occupied: Set) -> Flag:
    """Return whether a rook checks, and a bishop takes a square next to the king that no rook takes, or checks as well.

    Example:
        >>> mate = setwise.Position("5rk1/5p1p/5B2/8/8/8/8/6RK b - - 0 1")
        >>> own, enemy = mate.white_pieces, mate.black_pieces
        >>> mates.pillsbury(
        ...     enemy & mate.kings, enemy & ~mate.kings, own & mate.bishops, own & mate.rooks, mate.occupied
        ... )
        True

    Why:
        Rooks and bishops see past the king, which is lifted off the board. The rook checks. `confined` are the free
        squares next to the king that a bishop attacks and no rook attacks, and the king's own square if a bishop also
        checks: there must be at least one such square.

    Traps:
        Many of these mates are `opera`, too. If rook and bishop both check, the mate may be `morphy`, too.

    Names:
        Pillsbury's mate, Pillsbury mate, pillsburysMate.

    Source:
        Wikipedia, "Checkmate pattern", "Pillsbury's mate"; Lichess, the theme "pillsburysMate".
    """
    flights, lifted = king_attacks(king) & ~blockers, occupied & ~king
    by_rooks, by_bishops = rooks_attacks(rooks, lifted), bishops_attacks(bishops, lifted)
    confined = flights & by_bishops & ~by_rooks | king & by_bishops
    return np.uint64(king & by_rooks != EMPTY and confined != EMPTY)


@pattern
def morphy(king: Set, blockers: Set, bishops: Set, rooks: Set, occupied: Set) -> Flag:
    """Return whether a bishop checks, and a rook takes a square next to the king that no bishop takes.

    Example:
        >>> mate = setwise.Position("7k/7p/5B2/8/8/8/8/6RK b - - 0 1")
        >>> own, enemy = mate.white_pieces, mate.black_pieces
        >>> mates.morphy(enemy & mate.kings, enemy & ~mate.kings, own & mate.bishops, own & mate.rooks, mate.occupied)
        True

    Why:
        Rooks and bishops see past the king, which is lifted off the board. The bishop checks, and one of the
        free squares next to the king is attacked by a rook and by no bishop.

    Names:
        Morphy's mate, Morphy mate, morphysMate.

    Source:
        Wikipedia, "Checkmate pattern", "Morphy's mate"; Lichess, the theme "morphysMate".
    """
    flights, lifted = king_attacks(king) & ~blockers, occupied & ~king
    by_rooks, by_bishops = rooks_attacks(rooks, lifted), bishops_attacks(bishops, lifted)
    return np.uint64(king & by_bishops != EMPTY and flights & by_rooks & ~by_bishops != EMPTY)


@pattern
def greco(king: Set, blockers: Set, bishops: Set, orthogonal: Set, occupied: Set) -> Flag:
    """Return whether a king in a corner, with its own piece on the diagonal, is checked along the file.

    A bishop takes the square beside the king on its rank.

    Example:
        >>> mate = setwise.Position("7k/6p1/8/7R/2B5/8/8/6K1 b - - 0 1")
        >>> own, enemy = mate.white_pieces, mate.black_pieces
        >>> mates.greco(
        ...     enemy & mate.kings, enemy & ~mate.kings, own & mate.bishops, own & (mate.rooks | mate.queens),
        ...     mate.occupied
        ... )
        True

    Why:
        The ray fills along the file find the rook or queen that checks; this piece also takes the square before the
        king. A piece of the king's side is on the square diagonally next to the king. The last of the three squares is
        beside the king on its rank: it is free, and a bishop attacks it.

    Names:
        Greco's mate, Greco mate.

    Source:
        Wikipedia, "Checkmate pattern", "Greco's mate".
    """
    checked = (ray_fill_north(king, occupied) | ray_fill_south(king, occupied)) & orthogonal
    covered = sideways(king) & ~blockers & bishops_attacks(bishops, occupied)
    return np.uint64(
        king & CORNERS != EMPTY and checked != EMPTY and covered != EMPTY and aslant(king) & blockers != EMPTY
    )


# ----------------------------------------------------------------------------------------------------------------------

"""Mates by a knight's or a pawn's check, or with a knight's help.

Args:
    king: square of the enemy king, the mated one, a set.
    blockers: squares of the other pieces of the king's side.
    knights: squares of our knights.
    bishops: squares of our bishops.
    occupied: squares of all pieces of both sides.
    orthogonal: squares of our rooks and queens.
    rooks: squares of our rooks.
    queens: squares of our queens.
    kings: square of our king.
    pawns: squares of our pawns; they move up the board.
"""


@pattern
def smothered(king: Set, blockers: Set, knights: Set) -> Flag:
    """Return whether a knight checks a king that its own pieces surround.

    Example:
        >>> mate = setwise.Position("6rk/5Npp/8/8/8/8/8/6K1 b - - 0 1")
        >>> own, enemy = mate.white_pieces, mate.black_pieces
        >>> mates.smothered(enemy & mate.kings, enemy & ~mate.kings, own & mate.knights)
        True

    Why:
        No piece can stand between a knight and a king, and a king cannot move if its own pieces stand on all squares
        next to it: the squares that the king attacks, without the squares of those pieces, are an empty set.

    Names:
        smothered mate, smotheredMate.

    Source:
        Wikipedia, "Checkmate pattern", "Smothered mate"; Lichess, the theme "smotheredMate".
    """
    around = king_attacks(king)
    return np.uint64(king & knight_attacks(knights) != EMPTY and around & ~blockers == EMPTY)


@pattern
def suffocation(king: Set, blockers: Set, knights: Set, bishops: Set, occupied: Set) -> Flag:
    """Return whether a knight checks, and bishops take every square next to the king without a piece of its own.

    Example:
        >>> mate = setwise.Position("5rk1/4Np1p/8/8/8/2B5/8/6K1 b - - 0 1")
        >>> own, enemy = mate.white_pieces, mate.black_pieces
        >>> mates.suffocation(
        ...     enemy & mate.kings, enemy & ~mate.kings, own & mate.knights, own & mate.bishops, mate.occupied
        ... )
        True

    Why:
        A knight's check cannot be blocked. `flights` are the squares next to the king without a piece of its own. There
        is at least one such square, and bishops attack all of them; the king is lifted off the board, so the bishops
        see past it.

    Traps:
        If there is no such square, the mate is `smothered`.

    Names:
        suffocation mate.

    Source:
        Wikipedia, "Checkmate pattern", "Suffocation mate".
    """
    flights = king_attacks(king) & ~blockers
    taken = bishops_attacks(bishops, occupied & ~king)
    return np.uint64(king & knight_attacks(knights) != EMPTY and flights != EMPTY and flights & ~taken == EMPTY)


@pattern
def legal(king: Set, blockers: Set, knights: Set, bishops: Set, occupied: Set) -> Flag:
    """Return whether a knight checks, another protects a bishop beside the king, and these take all free squares.

    Example:
        Légal's trap: 1. e4 e5 2. Nf3 d6 3. Bc4 Bg4 4. Nc3 g6 5. Nxe5 Bxd1 6. Bxf7+ Ke7 7. Nd5#

        >>> mate = setwise.Position("rn1q1bnr/ppp1kB1p/3p2p1/3NN3/4P3/8/PPPP1PPP/R1BbK2R b KQ - 2 7")
        >>> own, enemy = mate.white_pieces, mate.black_pieces
        >>> mates.legal(enemy & mate.kings, enemy & ~mate.kings, own & mate.knights, own & mate.bishops, mate.occupied)
        True

    Why:
        `guarded` are our bishops beside the king on its rank that a knight protects. A knight attacks squares of only
        one colour, and the squares of king and bishop have different colours: so the knight that checks is another
        knight. Knights and bishops must attack every square next to the king without a piece of its own.

    Names:
        Légal's mate, Legal's mate, Légal mate, Legal mate.

    Source:
        Wikipedia, "Checkmate pattern", "Légal's mate".
    """
    flights = king_attacks(king) & ~blockers
    guarded = sideways(king) & bishops & knight_attacks(knights)
    taken = knight_attacks(knights) | bishops_attacks(bishops, occupied & ~king)
    return np.uint64(king & knight_attacks(knights) != EMPTY and guarded != EMPTY and flights & ~taken == EMPTY)


@pattern
def corner(king: Set, blockers: Set, knights: Set, orthogonal: Set, occupied: Set) -> Flag:
    """Return whether a knight checks a king on the edge, and a rook or queen takes a square next to it along a line.

    Example:
        >>> mate = setwise.Position("7k/5N1p/8/8/8/8/8/6RK b - - 0 1")
        >>> own, enemy = mate.white_pieces, mate.black_pieces
        >>> mates.corner(
        ...     enemy & mate.kings, enemy & ~mate.kings, own & mate.knights, own & (mate.rooks | mate.queens),
        ...     mate.occupied
        ... )
        True

    Why:
        `flights` are the squares next to the king without a piece of its own. A rook or queen attacks at
        least one of them along a rank or file, also past the king, which is lifted off the board.

    Traps:
        The books show the king in the corner. Lichess counts a king on any edge, and so does this pattern.

    Names:
        corner mate, cornerMate.

    Source:
        Wikipedia, "Checkmate pattern", "Corner mate"; Lichess, the theme "cornerMate".
    """
    flights = king_attacks(king) & ~blockers
    confined = flights & rooks_attacks(orthogonal, occupied & ~king)
    return np.uint64(king & EDGES & knight_attacks(knights) != EMPTY and confined != EMPTY)


@pattern
def knight_and_major(king: Set, blockers: Set, knights: Set, rooks: Set, queens: Set, occupied: Set) -> Flag:
    """Return whether a knight checks, and a rook or queen takes a free square next to the king.

    Example:
        >>> mate = setwise.Position("8/8/8/2N1k3/6N1/8/8/3R1RK1 b - - 0 1")
        >>> own, enemy = mate.white_pieces, mate.black_pieces
        >>> mates.knight_and_major(
        ...     enemy & mate.kings, enemy & ~mate.kings, own & mate.knights, own & mate.rooks, own & mate.queens,
        ...     mate.occupied
        ... )
        True

    Why:
        A knight's check cannot be blocked. `flights` are the squares next to the king without a piece of its
        own, and a rook or queen attacks one or more of them; both see past the king, which is lifted off the
        board.

    Traps:
        The king may be anywhere, and other pieces may take squares, too. If the king is on an edge, and a square is
        taken along a rank or file, the mate is `corner`, too.

    Names:
        knight and rook mate, knight and queen mate.

    Source:
        Lichess, the theme "cornerMate", which players give to mates off the edge, too.
    """
    flights, lifted = king_attacks(king) & ~blockers, occupied & ~king
    taken = flights & (rooks_attacks(rooks | queens, lifted) | bishops_attacks(queens, lifted))
    return np.uint64(king & knight_attacks(knights) != EMPTY and taken != EMPTY)


@pattern
def stamma(king: Set, blockers: Set, knights: Set, kings: Set) -> Flag:
    """Return whether a knight checks a king in the corner, and our king takes every square that is not blocked.

    Example:
        >>> mate = setwise.Position("8/8/8/8/8/1N6/p1K5/k7 b - - 0 1")
        >>> own, enemy = mate.white_pieces, mate.black_pieces
        >>> mates.stamma(enemy & mate.kings, enemy & ~mate.kings, own & mate.knights, own & mate.kings)
        True

    Why:
        A king in a corner has three squares next to it. `flights` are the squares among them without a piece of its
        own: there is at least one, and our king attacks all of them. The knight checks.

    Names:
        Stamma's mate, Stamma mate.

    Source:
        Wikipedia, "Checkmate pattern", "Stamma's mate".
    """
    flights = king_attacks(king) & ~blockers
    taken = flights != EMPTY and flights & ~king_attacks(kings) == EMPTY
    return np.uint64(king & CORNERS & knight_attacks(knights) != EMPTY and taken)


@pattern
def anastasia(king: Set, blockers: Set, knights: Set, orthogonal: Set, occupied: Set) -> Flag:
    """Return whether a rook or queen checks along the a- or h-file, and the king's own piece and a knight confine it.

    King, piece and knight stand on one rank, with the knight three squares from the king: the knight takes the squares
    above and below the piece.

    Example:
        >>> mate = setwise.Position("8/4N1pk/8/7R/8/8/8/6K1 b - - 0 1")
        >>> own, enemy = mate.white_pieces, mate.black_pieces
        >>> mates.anastasia(
        ...     enemy & mate.kings, enemy & ~mate.kings, own & mate.knights, own & (mate.rooks | mate.queens),
        ...     mate.occupied
        ... )
        True

    Why:
        For a king on the a-file, one step west moves its own piece to the king's square, and three steps west move the
        knight there: if these sets and the king meet, all three stand in place. The knight takes the two squares
        diagonally next to the king, and the checking piece takes the two squares above and below the king. In a corner
        the knight would have no square to take on one side, so corners do not count.

    Names:
        Anastasia's mate, Anastasia mate, anastasiaMate.

    Source:
        Wikipedia, "Checkmate pattern", "Anastasia's mate"; Lichess, the theme "anastasiaMate".
    """
    west_side = FILE_A & west(blockers) & west(west(west(knights)))
    east_side = FILE_H & east(blockers) & east(east(east(knights)))
    checked = (ray_fill_north(king, occupied) | ray_fill_south(king, occupied)) & orthogonal
    return np.uint64(king & ~CORNERS & (west_side | east_side) != EMPTY and checked != EMPTY)


@pattern
def arabian(king: Set, knights: Set, rooks: Set) -> Flag:
    """Return whether a knight, two squares away from a king in the corner on its diagonal, protects a rook beside it.

    Example:
        >>> mate = setwise.Position("7k/7R/5N2/8/8/8/8/6K1 b - - 0 1")
        >>> own, enemy = mate.white_pieces, mate.black_pieces
        >>> mates.arabian(enemy & mate.kings, own & mate.knights, own & mate.rooks)
        True

    Why:
        A rook beside a king in the corner checks it, and takes the square diagonally next to it. The knight protects
        the rook and takes the third square: only from two squares away on the diagonal can it do both.

    Names:
        Arabian mate, arabianMate.

    Source:
        Wikipedia, "Checkmate pattern", "Arabian mate"; Lichess, the theme "arabianMate".
    """
    leaps = north_east(north_east(knights)) | north_west(north_west(knights))
    leaps |= south_east(south_east(knights)) | south_west(south_west(knights))
    return np.uint64(king & CORNERS & leaps != EMPTY and beside(king) & rooks != EMPTY)


@pattern
def hook(king: Set, pawns: Set, knights: Set, rooks: Set) -> Flag:
    """Return whether a rook beside the king is protected by a knight next to the king, and that knight by a pawn.

    Example:
        >>> mate = setwise.Position("4R3/4kp2/5N2/4P3/8/8/8/6K1 b - - 0 1")
        >>> own, enemy = mate.white_pieces, mate.black_pieces
        >>> mates.hook(enemy & mate.kings, own & mate.pawns, own & mate.knights, own & mate.rooks)
        True

    Why:
        A rook beside a king checks it, and must be protected, because the king could take it: a knight protects it. The
        knight also stands next to the king, so it must be protected, too: a pawn protects it.

    Names:
        hook mate, hookMate.

    Source:
        Wikipedia, "Checkmate pattern", "Hook mate"; Lichess, the theme "hookMate".
    """
    guarded = knights & king_attacks(king) & pawn_attacks(pawns)
    return np.uint64(beside(king) & rooks & knight_attacks(guarded) != EMPTY)


@pattern
def vukovic(king: Set, knights: Set, rooks: Set) -> Flag:
    """Return whether a rook stands directly in front of a king on the edge, and a knight directly behind the rook.

    Example:
        >>> mate = setwise.Position("4k3/4R3/3PN3/8/8/8/8/6K1 b - - 0 1")
        >>> own, enemy = mate.white_pieces, mate.black_pieces
        >>> mates.vukovic(enemy & mate.kings, own & mate.knights, own & mate.rooks)
        True

    Why:
        The rook checks, and takes the squares on both its sides; the knight behind the rook takes the two squares
        beside the king. One step from the knight to the rook, and one more to the king, test each of four directions.

    Traps:
        A third piece protects the rook; without it there would be no mate.

    Names:
        Vuković's mate, Vuković mate, Vukovic's mate, Vukovic mate, vukovicMate.

    Source:
        Wikipedia, "Checkmate pattern", "Vuković mate"; Lichess, the theme "vukovicMate".
    """
    top, bottom = RANK_8 & north(rooks & north(knights)), RANK_1 & south(rooks & south(knights))
    left, right = FILE_A & west(rooks & west(knights)), FILE_H & east(rooks & east(knights))
    return np.uint64(king & (top | bottom | left | right) != EMPTY)


@pattern
def david_and_goliath(king: Set, pawns: Set) -> Flag:
    """Return whether a pawn gives the check: the smallest piece mates.

    Example:
        >>> mate = setwise.Position("8/8/R7/1p3pkp/1rp2P2/6KP/8/8 b - - 0 49")
        >>> own, enemy = mate.white_pieces, mate.black_pieces
        >>> mates.david_and_goliath(enemy & mate.kings, own & mate.pawns)
        True

    Why:
        A pawn checks if the king is on one of the two squares that it attacks.

    Names:
        David and Goliath mate, pawn mate.

    Source:
        Wikipedia, "Checkmate pattern", "David and Goliath mate".
    """
    return np.uint64(pawn_attacks(pawns) & king != EMPTY)


# ----------------------------------------------------------------------------------------------------------------------

"""Mates by a queen next to the king, or at the corner of a box.

Args:
    king: square of the enemy king, the mated one, a set.
    blockers: squares of the other pieces of the king's side.
    queens: squares of our queens.
    occupied: squares of all pieces of both sides.
    others: squares that our pieces except queens next to the king attack, with that king lifted off the board.
    rooks: squares of our rooks.
    pawns: squares of our pawns; they move up the board.
    bishops: squares of our bishops.
    kings: square of our king.
    attacked: squares that we attack with the mated king lifted off the board, our own pieces' squares included.
"""


@pattern
def dovetail(king: Set, blockers: Set, queens: Set, occupied: Set, others: Set) -> Flag:
    """Return whether a queen diagonally next to the king takes every square but two, where the king's own pieces stand.

    The two squares are the tail: the queen does not see them from her square. The king is not on the edge. No other
    piece of ours attacks a square next to the king, except the queen's square. The four squares next to the king that
    the queen attacks along her rank and file are empty.

    Example:
        >>> mate = setwise.Position("8/3p4/2pk4/4Q3/5P2/8/8/6K1 b - - 0 1")
        >>> own, enemy = mate.white_pieces, mate.black_pieces
        >>> mates.dovetail(
        ...     enemy & mate.kings, enemy & ~mate.kings, own & mate.queens, mate.occupied,
        ...     pawns.attacks(own & mate.pawns)
        ... )
        True

    Why:
        Suppose the queen is one step south-east of the king. She does not see the two squares a knight's move away from
        her, west and north of the king: the king's own pieces must be there. She sees the squares south-west and
        north-east of the king past the squares south and east of the king: these four squares must be empty. Each of
        these sets is moved by the step that leads to the king's square, where they must meet; the other three lines of
        code are the same, rotated.

    Traps:
        The mate is `support`, too.

    Names:
        dovetail mate, Cozio's mate, dovetailMate.

    Source:
        Wikipedia, "Checkmate pattern", "Dovetail mate"; Lichess, the theme "dovetailMate".
    """
    around, free = king_attacks(king), ~occupied
    north_tail, south_tail, east_tail, west_tail = south(blockers), north(blockers), west(blockers), east(blockers)
    north_free, south_free, east_free, west_free = south(free), north(free), west(free), east(free)
    rising = north_east(free) & south_west(free)
    falling = north_west(free) & south_east(free)
    mated = north_west(queens) & west_tail & north_tail & east_free & south_free & rising
    mated |= north_east(queens) & east_tail & north_tail & west_free & south_free & falling
    mated |= south_west(queens) & west_tail & south_tail & east_free & north_free & falling
    mated |= south_east(queens) & east_tail & south_tail & west_free & north_free & rising
    return np.uint64(king & mated & ~EDGES != EMPTY and around & ~queens & others == EMPTY)


@pattern
def swallowtail(king: Set, blockers: Set, queens: Set) -> Flag:
    """Return whether a queen is beside the king, and the king's own pieces are on the two squares diagonally behind it.

    Example:
        >>> mate = setwise.Position("3r1r2/4k3/4Q3/3P4/8/8/8/6K1 b - - 0 1")
        >>> own, enemy = mate.white_pieces, mate.black_pieces
        >>> mates.swallowtail(enemy & mate.kings, enemy & ~mate.kings, own & mate.queens)
        True

    Why:
        Suppose the queen is below the king. She sees every square next to the king except the two squares a knight's
        move away from her, north-west and north-east of the king: the king's own pieces must be there. Steps move queen
        and pieces to the king's square, where they must meet; the other three cases are the same, rotated.

    Traps:
        The queen next to the king must be protected, so the mate is `support`, too.

    Names:
        swallow's tail mate, swallow's tail, swallowtail mate, guéridon, gueridon, swallowstailMate.

    Source:
        Wikipedia, "Checkmate pattern", "Swallow's tail mate"; Lichess, the theme "swallowstailMate".
    """
    north_west_tail, north_east_tail = south_east(blockers), south_west(blockers)
    south_west_tail, south_east_tail = north_east(blockers), north_west(blockers)
    mated = north(queens) & north_west_tail & north_east_tail | south(queens) & south_west_tail & south_east_tail
    mated |= east(queens) & north_east_tail & south_east_tail | west(queens) & north_west_tail & south_west_tail
    return np.uint64(king & mated != EMPTY)


@pattern
def kill_box(king: Set, rooks: Set, queens: Set, occupied: Set) -> Flag:
    """Return whether a rook and a queen stand in opposite corners of a three-by-three box that holds the king.

    The square in the middle of the box is empty, or the king is on it.

    Example:
        >>> mate = setwise.Position("5Rk1/8/7Q/8/8/8/8/6K1 b - - 0 1")
        >>> own, enemy = mate.white_pieces, mate.black_pieces
        >>> mates.kill_box(enemy & mate.kings, own & mate.rooks, own & mate.queens, mate.occupied)
        True

    Why:
        Opposite corners of the box are two diagonal steps apart: a step from the queen and the opposite step from the
        rook meet in the middle. If the middle is empty, the queen protects the rook through the middle, and the king is
        on another square of the box; if the king is in the middle, the queen checks it.

    Names:
        kill box mate, box mate, killBoxMate.

    Source:
        Wikipedia, "Checkmate pattern", "Kill box mate"; Lichess, the theme "killBoxMate".
    """
    middle = north_east(queens) & south_west(rooks) | south_west(queens) & north_east(rooks)
    middle |= north_west(queens) & south_east(rooks) | south_east(queens) & north_west(rooks)
    middle &= ~occupied | king
    return np.uint64(king & (middle | king_attacks(middle)) != EMPTY)


@pattern
def triangle(king: Set, rooks: Set, queens: Set, occupied: Set) -> Flag:
    """Return whether a rook, a queen and the king form a triangle around an empty square that all three stand next to.

    Rook and queen stand on either side of the square, and protect each other; the king stands before it.

    Example:
        >>> mate = setwise.Position("6k1/5Q1R/8/8/8/8/8/6K1 b - - 0 1")
        >>> own, enemy = mate.white_pieces, mate.black_pieces
        >>> mates.triangle(enemy & mate.kings, own & mate.rooks, own & mate.queens, mate.occupied)
        True

    Why:
        `between` are the empty squares with the queen on one side and the rook on the other side, on one rank; `within`
        are such squares on one file. Queen and rook protect each other across such a square. The king is one step away
        from the square, at a right angle to the line of queen and rook.

    Names:
        triangle mate, triangleMate.

    Source:
        Wikipedia, "Checkmate pattern", "Triangle mate"; Lichess, the theme "triangleMate".
    """
    between = (east(queens) & west(rooks) | west(queens) & east(rooks)) & ~occupied
    within = (north(queens) & south(rooks) | south(queens) & north(rooks)) & ~occupied
    return np.uint64(king & (north(between) | south(between) | sideways(within)) != EMPTY)


@pattern
def damiano(king: Set, pawns: Set, queens: Set) -> Flag:
    """Return whether a pawn two squares before a king on the last rank protects a queen diagonally before the king.

    Example:
        >>> mate = setwise.Position("5rk1/6pQ/6P1/8/8/8/8/6K1 b - - 0 1")
        >>> own, enemy = mate.white_pieces, mate.black_pieces
        >>> mates.damiano(enemy & mate.kings, own & mate.pawns, own & mate.queens)
        True

    Why:
        Two steps up from the pawn lead to the king's square, and so does one step diagonally up from the queen. So the
        queen is diagonally above the pawn, which protects her.

    Traps:
        The mate is `support`, too.

    Names:
        Damiano's mate, Damiano mate.

    Source:
        Wikipedia, "Checkmate pattern", "Damiano's mate".
    """
    return np.uint64(king & RANK_8 & north(north(pawns)) & (north_west(queens) | north_east(queens)) != EMPTY)


@pattern
def lolli(king: Set, pawns: Set, queens: Set) -> Flag:
    """Return whether a queen stands directly in front of a king on the last rank, protected by a pawn.

    Example:
        >>> mate = setwise.Position("6k1/6Q1/5P2/8/8/8/8/6K1 b - - 0 1")
        >>> own, enemy = mate.white_pieces, mate.black_pieces
        >>> mates.lolli(enemy & mate.kings, own & mate.pawns, own & mate.queens)
        True

    Why:
        `pawn_attacks` has the squares that our pawns protect. A queen on such a square, moved one step up, meets the
        king on the last rank.

    Traps:
        The mate is `support`, too.

    Names:
        Lolli's mate, Lolli mate.

    Source:
        Wikipedia, "Checkmate pattern", "Lolli's mate".
    """
    return np.uint64(king & RANK_8 & north(queens & pawn_attacks(pawns)) != EMPTY)


@pattern
def queen_and_king(king: Set, blockers: Set, queens: Set, kings: Set, occupied: Set) -> Flag:
    """Return whether queen and king mate by themselves: they take every square next to the mated king.

    Queen and king each take at least one square, the queen checks, and no piece of the mated side is next to its king.

    Example:
        >>> mate = setwise.Position("4k3/4Q3/4K3/8/8/8/8/8 b - - 0 1")
        >>> own, enemy = mate.white_pieces, mate.black_pieces
        >>> mates.queen_and_king(
        ...     enemy & mate.kings, enemy & ~mate.kings, own & mate.queens, own & mate.kings, mate.occupied
        ... )
        True

    Why:
        The queen sees past the mated king, which is lifted off the board. `taken` are the squares next to the mated
        king that our queen or king attacks, without squares of its own pieces: these must be all squares next to it.
        The queen attacks the mated king's square, and our king attacks at least one square next to it.

    Names:
        queen and king mate, king and queen mate, queen mate.

    Source:
        Wikipedia, "Checkmate", "King and queen".
    """
    around, lifted = king_attacks(king), occupied & ~king
    by_queens, by_king = queens_attacks(queens, lifted), king_attacks(kings)
    taken = around & ~blockers & (by_queens | by_king)
    return np.uint64(king & by_queens != EMPTY and around & by_king != EMPTY and around == taken)


@pattern
def damiano_bishop(king: Set, bishops: Set, queens: Set, occupied: Set) -> Flag:
    """Return whether a queen directly in front of a king on the edge is protected by a bishop.

    Example:
        >>> mate = setwise.Position("5k2/5Q2/6B1/8/8/8/8/6K1 b - - 0 1")
        >>> own, enemy = mate.white_pieces, mate.black_pieces
        >>> mates.damiano_bishop(enemy & mate.kings, own & mate.bishops, own & mate.queens, mate.occupied)
        True

    Why:
        `before` are our queens directly in front of a king on the edge: beside it on its rank or file, and not on the
        edge themselves. A bishop attacks, and so protects, the square of such a queen.

    Traps:
        A queen diagonally next to the king does not count: that mate is `support`, and may also be `max_lange`.

    Names:
        Damiano's bishop mate, Damiano's bishop.

    Source:
        Wikipedia, "Checkmate pattern", "Damiano's bishop mate".
    """
    before = beside(king & EDGES) & queens & ~EDGES
    return np.uint64(before & bishops_attacks(bishops, occupied) != EMPTY)


@pattern
def diagonal(king: Set, bishops: Set, queens: Set, occupied: Set) -> Flag:
    """Return whether a queen or bishop checks along a diagonal from afar.

    Example:
        >>> mate = setwise.Position("5bkr/6pp/8/8/8/8/Q7/6K1 b - - 0 1")
        >>> own, enemy = mate.white_pieces, mate.black_pieces
        >>> mates.diagonal(enemy & mate.kings, own & mate.bishops, own & mate.queens, mate.occupied)
        True

    Why:
        Bishops and queens next to the king do not count; the others check if the king is on a square that a bishop in
        their place attacks.

    Traps:
        The squares next to the king are not examined: this is the counterpart of `corridor`, and many mates have no
        other name.

    Names:
        diagonal mate, diagonal corridor mate.

    Source:
        A plain description; players call such mates corridors along a diagonal.
    """
    distant = (bishops | queens) & ~king_attacks(king)
    return np.uint64(king & bishops_attacks(distant, occupied) != EMPTY)


@pattern
def max_lange(king: Set, bishops: Set, queens: Set, occupied: Set) -> Flag:
    """Return whether a queen on the last rank, diagonally behind the king, is protected by a bishop.

    Example:
        >>> mate = setwise.Position("6Q1/5Bpk/7p/8/8/8/8/6K1 b - - 0 1")
        >>> own, enemy = mate.white_pieces, mate.black_pieces
        >>> mates.max_lange(enemy & mate.kings, own & mate.bishops, own & mate.queens, mate.occupied)
        True

    Why:
        `behind` are our queens diagonally above the king on the last rank. A bishop attacks, and so protects, the
        square of such a queen.

    Names:
        Max Lange's mate, Max Lange mate.

    Source:
        Wikipedia, "Checkmate pattern", "Max Lange's mate".
    """
    behind = (north_east(king) | north_west(king)) & RANK_8 & queens
    return np.uint64(behind & bishops_attacks(bishops, occupied) != EMPTY)


@pattern
def support(king: Set, queens: Set, attacked: Set) -> Flag:
    """Return whether a queen next to the king is protected.

    Example:
        >>> mate = setwise.Position("6k1/6Q1/8/8/3B4/8/8/6K1 b - - 0 1")
        >>> own, enemy = mate.white_pieces, mate.black_pieces
        >>> mates.support(
        ...     enemy & mate.kings, own & mate.queens, sliders.bishops_attacks(own & mate.bishops, mate.occupied)
        ... )
        True

    Why:
        `king_attacks` has the squares next to the king. If our pieces attack the square of a queen there, she is
        protected, so the king cannot capture her.

    Names:
        support mate, supported queen mate.

    Source:
        Wikipedia, "Checkmate pattern", "Support mate".
    """
    return np.uint64(king_attacks(king) & queens & attacked != EMPTY)


# ----------------------------------------------------------------------------------------------------------------------

"""Mates by rooks, or a queen in their place: along the edge, side by side, between the shoulders.

Args:
    king: square of the enemy king, the mated one, a set.
    blockers: squares of the other pieces of the king's side.
    orthogonal: squares of our rooks and queens.
    occupied: squares of all pieces of both sides.
    attacked: squares that we attack with the mated king lifted off the board, our own pieces' squares included.
    rooks: squares of our rooks.
"""


@pattern
def back_rank(king: Set, blockers: Set, orthogonal: Set, occupied: Set, attacked: Set) -> Flag:
    """Return whether a rook or queen checks along the last rank, and the king's own pieces fill the squares before it.

    We attack none of those squares: if one of them had been empty, the king could have escaped to it.

    Example:
        >>> mate = setwise.Position("3R2k1/5ppp/8/8/8/8/8/6K1 b - - 0 1")
        >>> own, enemy = mate.white_pieces, mate.black_pieces
        >>> mates.back_rank(
        ...     enemy & mate.kings, enemy & ~mate.kings, own & (mate.rooks | mate.queens), mate.occupied,
        ...     sliders.rooks_attacks(own & mate.rooks, mate.occupied)
        ... )
        True

    Why:
        `ahead` is the king's square moved one rank down, with the squares on both sides of it. The ray fills east and
        west of the king end on the first piece; a rook or queen there gives the check. On each square ahead there must
        be a piece of the king's side that we do not attack: the king could not have moved to an attacked square in any
        case.

    Names:
        back-rank mate, backRankMate.

    Source:
        Wikipedia, "Checkmate pattern", "Back-rank mate"; Lichess, the theme "backRankMate".
    """
    ahead = south(king | sideways(king))
    checked = (ray_fill_east(king, occupied) | ray_fill_west(king, occupied)) & orthogonal
    return np.uint64(king & RANK_8 != EMPTY and checked != EMPTY and ahead & ~(blockers & ~attacked) == EMPTY)


@pattern
def corridor(king: Set, orthogonal: Set, occupied: Set) -> Flag:
    """Return whether a rook or queen checks a king on the edge along that edge: a corridor with no way out.

    Example:
        >>> mate = setwise.Position("4Q1k1/pp3ppp/8/3p4/2qP4/7P/2P2PPK/8 b - - 0 23")
        >>> own = mate.white_pieces
        >>> mates.corridor(mate.black_pieces & mate.kings, own & (mate.rooks | mate.queens), mate.occupied)
        True

    Why:
        From a king on the first or last rank the ray fills go east and west, from a king on an edge file north and
        south, from a corner along both edges. Each ends on the first piece: a rook or queen there gives the check.

    Traps:
        It includes more mates than `back_rank`: the squares before the king may be attacked instead of blocked, and the
        edge may be a file. A queen or rook next to the king counts, too, if it is on the edge.

    Names:
        corridor mate.

    Source:
        Chess literature, "corridor mate": a king on the edge, mated along it.
    """
    on_rank, on_file = king & (RANK_1 | RANK_8), king & (FILE_A | FILE_H)
    sides = ray_fill_east(on_rank, occupied) | ray_fill_west(on_rank, occupied)
    ends = ray_fill_north(on_file, occupied) | ray_fill_south(on_file, occupied)
    return np.uint64((sides | ends) & orthogonal != EMPTY)


@pattern
def epaulette(king: Set, orthogonal: Set, occupied: Set) -> Flag:
    """Return whether a rook or queen checks a king with a piece on each side, at right angles to the check.

    Example:
        >>> mate = setwise.Position("3rkr2/8/4Q3/8/8/8/8/6K1 b - - 0 1")
        >>> own, enemy = mate.white_pieces, mate.black_pieces
        >>> mates.epaulette(enemy & mate.kings, own & (mate.rooks | mate.queens), mate.occupied)
        True

    Why:
        Ray fills along the file find a rook or queen that checks there. Then the shoulders are the squares east and
        west of the king: `east(occupied) & west(occupied)` are the squares with a piece on both sides. For a check
        along the rank the shoulders are the squares north and south of the king.

    Traps:
        The books require the king's own pieces on its shoulders; Lichess also counts our pieces, and so does this
        pattern. For the strict definition pass `occupied` without our pieces beside the king.

    Names:
        epaulette mate, epaulet mate, epauletteMate.

    Source:
        Wikipedia, "Checkmate pattern", "Epaulette mate"; Lichess, the theme "epauletteMate".
    """
    on_file = (ray_fill_north(king, occupied) | ray_fill_south(king, occupied)) & orthogonal
    on_rank = (ray_fill_east(king, occupied) | ray_fill_west(king, occupied)) & orthogonal
    across, along = king & east(occupied) & west(occupied), king & north(occupied) & south(occupied)
    return np.uint64((on_file != EMPTY and across != EMPTY) or (on_rank != EMPTY and along != EMPTY))


@pattern
def blind_swine(king: Set, rooks: Set) -> Flag:
    """Return whether a rook next to the king has another rook at its side.

    Example:
        >>> mate = setwise.Position("5rk1/6RR/8/8/8/8/8/6K1 b - - 0 1")
        >>> own, enemy = mate.white_pieces, mate.black_pieces
        >>> mates.blind_swine(enemy & mate.kings, own & mate.rooks)
        True

    Why:
        A rook next to the king on its rank or file checks the king, and the rook at its side protects it. `in_row` are
        the rooks with another rook beside them: they check from above or below. `in_column` are the rooks with another
        rook above or below: they check from the side.

    Traps:
        In the books the rooks stand on the seventh rank. Lichess counts any rank or file, and so does this pattern.

    Names:
        blind swine mate, blindSwineMate.

    Source:
        Wikipedia, "Checkmate pattern", "Blind swine mate"; Lichess, the theme "blindSwineMate".
    """
    in_row, in_column = rooks & sideways(rooks), rooks & (north(rooks) | south(rooks))
    return np.uint64(king & (north(in_row) | south(in_row) | sideways(in_column)) != EMPTY)


@pattern
def ladder(king: Set, orthogonal: Set, occupied: Set) -> Flag:
    """Return whether a rook or queen checks along the edge, and another attacks the parallel line next to the king.

    Example:
        >>> mate = setwise.Position("1Q4k1/R7/8/8/8/8/8/6K1 b - - 0 1")
        >>> own, enemy = mate.white_pieces, mate.black_pieces
        >>> mates.ladder(enemy & mate.kings, own & (mate.rooks | mate.queens), mate.occupied)
        True

    Why:
        `along` are the squares that rooks and queens see along their ranks, `upright` the squares that they see along
        their files. For a king on the eighth rank, `along` must have the king's square, which is the check, and the
        squares next to the king on the seventh rank. The three other edges are the same, rotated.

    Names:
        ladder mate, lawnmower mate, staircase mate.

    Source:
        Wikipedia, "Checkmate pattern", "Ladder mate".
    """
    along = ray_fill_east(orthogonal, occupied) | ray_fill_west(orthogonal, occupied)
    upright = ray_fill_north(orthogonal, occupied) | ray_fill_south(orthogonal, occupied)
    row, column = king | sideways(king), king | north(king) | south(king)
    held = king & RANK_8 & along != EMPTY and south(row) & ~along == EMPTY
    held = held or (king & RANK_1 & along != EMPTY and north(row) & ~along == EMPTY)
    held = held or (king & FILE_A & upright != EMPTY and east(column) & ~upright == EMPTY)
    held = held or (king & FILE_H & upright != EMPTY and west(column) & ~upright == EMPTY)
    return np.uint64(held)


@pattern
def two_rooks(king: Set, blockers: Set, rooks: Set, occupied: Set) -> Flag:
    """Return whether rooks check and attack all squares next to the king, which are free of the king's own pieces.

    Example:
        >>> mate = setwise.Position("1R4k1/R7/8/8/8/8/8/6K1 b - - 0 1")
        >>> own, enemy = mate.white_pieces, mate.black_pieces
        >>> mates.two_rooks(enemy & mate.kings, enemy & ~mate.kings, own & mate.rooks, mate.occupied)
        True

    Why:
        `taken` are the squares that the rooks attack with the king lifted off the board, so that they see past it. The
        king's square must be among them, which is the check, and so must every square next to the king; a square with a
        piece of the king's side does not count as taken.

    Traps:
        Most of these mates are `ladder`, too.

    Names:
        two rooks mate, rook roller.

    Source:
        Wikipedia, "Checkmate", "Two major pieces".
    """
    around, taken = king_attacks(king), rooks_attacks(rooks, occupied & ~king)
    return np.uint64(king & taken != EMPTY and around & ~(taken & ~blockers) == EMPTY)
