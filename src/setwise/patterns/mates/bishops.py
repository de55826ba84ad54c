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

from __future__ import annotations

import numpy as np

from setwise.compiler import Flag, Set, pattern, popcount, routine
from setwise.patterns.bits import CORNERS, EMPTY, FOUR
from setwise.patterns.compass.steps import sideways
from setwise.patterns.fills import (
    ray_fill_north,
    ray_fill_north_east,
    ray_fill_north_west,
    ray_fill_south,
    ray_fill_south_east,
    ray_fill_south_west,
)
from setwise.patterns.king import attacks as king_attacks
from setwise.patterns.knight import attacks as knight_attacks
from setwise.patterns.mates.near import aslant, beside
from setwise.patterns.sliders import bishops_attacks, queens_attacks, rooks_attacks

__all__ = [
    "balestra",
    "bishop_and_queen",
    "blackburne",
    "boden",
    "double_bishop",
    "greco",
    "mayet",
    "morphy",
    "opera",
    "pillsbury",
    "reti",
]


@routine
def _pair(king: Set, blockers: Set, bishops: Set, occupied: Set, crossing: bool) -> np.uint64:
    """Whether a bishop checks along a diagonal, and another takes what is free along such a line, or across it."""
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
        `rising` and `falling` are the bishops that check, by the direction of their diagonal. What the checking
        bishop does not attack of the free squares next to the king is `left`, and the other bishops take it.
        If the check is along a rising diagonal, one of these squares is taken along a falling one, or the other
        way round. No free square remains.

    Traps:
        Every free square next to the king is taken by a bishop. A second bishop that takes none makes no Boden's mate.

    Names:
        Boden's mate, Boden mate, bodenMate.

    Source:
        Wikipedia, "Checkmate pattern", "Boden's mate"; Lichess, the theme "bodenMate".
    """
    return _pair(king, blockers, bishops, occupied, True)


@pattern
def double_bishop(king: Set, blockers: Set, bishops: Set, occupied: Set) -> Flag:
    """Return whether two bishops mate on diagonals side by side: one checks, the other takes squares along its own.

    Example:
        >>> mate = setwise.Position("7k/7p/8/3BB3/8/8/8/6K1 b - - 0 1")
        >>> own, enemy = mate.white_pieces, mate.black_pieces
        >>> mates.double_bishop(enemy & mate.kings, enemy & ~mate.kings, own & mate.bishops, mate.occupied)
        True

    Why:
        As for `boden`, with the other pair of rays: a check on a rising diagonal, and a square taken along
        another rising one, or both on falling ones.

    Traps:
        Every free square next to the king is taken by a bishop. If the lines cross it is `boden`.

    Names:
        double bishop mate, two bishops mate, doubleBishopMate.

    Source:
        Wikipedia, "Checkmate pattern", "Double bishop mate"; Lichess, the theme "doubleBishopMate".
    """
    return _pair(king, blockers, bishops, occupied, False)


@pattern
def balestra(king: Set, blockers: Set, bishops: Set, queens: Set, occupied: Set) -> Flag:
    """Return whether a bishop checks, and it and the queen alone take every free square next to the king.

    Example:
        >>> mate = setwise.Position("6k1/8/4B2Q/8/8/8/8/6K1 b - - 0 1")
        >>> own, enemy = mate.white_pieces, mate.black_pieces
        >>> mates.balestra(
        ...     enemy & mate.kings, enemy & ~mate.kings, own & mate.bishops, own & mate.queens, mate.occupied
        ... )
        True

    Why:
        The bishops that check are those that a bishop on the king's square would attack. Queen and checking
        bishop see past the king, which is lifted off the board. The queen takes at least one of the free
        squares next to the king, and the two leave none.

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
        The bishops attack the king's square, which is the check. The queen sees past the king, which is lifted
        off the board; she attacks one of the free squares next to it, or more.

    Traps:
        Other pieces may take squares, too; where the bishop that checks and the queen take all, it is a `balestra`.

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
        `protected` are our bishops diagonally next to the king whose square a rook or queen attacks. Four or
        more of the squares next to the king hold pieces of its own; that the others are taken follows from the
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
        `bishops_attacks` says that a bishop protects it. That the other squares are taken follows from the mate.

    Traps:
        Where the bishop takes a square as well, it is `pillsbury`, too.

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
        The rook is beside the king and in a corner of the board. A bishop next to the rook is left out; one
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
        Rooks and bishops see past the king, which is lifted off the board. The rook checks. `confined` are the
        free squares next to the king that a bishop attacks and no rook does, and the king's own square if a
        bishop checks as well: one of them is needed.

    Traps:
        Many of these mates are `opera`, too. Where rook and bishop both check, the mate may be `morphy`, too.

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
        The ray fills along the file find the rook or queen that checks; it also takes the square before the
        king. A piece of the king's side is on the square diagonally next to it. The last of the three squares
        is beside the king on its rank: it is free, and a bishop attacks it.

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
