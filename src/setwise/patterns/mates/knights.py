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

from __future__ import annotations

import numpy as np

from setwise.compiler import Flag, Set, pattern
from setwise.patterns.bits import CORNERS, EMPTY, FILE_A, FILE_H, RANK_1, RANK_8
from setwise.patterns.compass import east, north, north_east, north_west, south, south_east, south_west, west
from setwise.patterns.compass.steps import sideways
from setwise.patterns.fills import ray_fill_north, ray_fill_south
from setwise.patterns.king import attacks as king_attacks
from setwise.patterns.knight import attacks as knight_attacks
from setwise.patterns.mates.near import EDGES, beside
from setwise.patterns.pawns import attacks as pawn_attacks
from setwise.patterns.sliders import bishops_attacks, rooks_attacks

__all__ = [
    "anastasia",
    "arabian",
    "corner",
    "david_and_goliath",
    "hook",
    "knight_and_major",
    "legal",
    "smothered",
    "stamma",
    "suffocation",
    "vukovic",
]


@pattern
def smothered(king: Set, blockers: Set, knights: Set) -> Flag:
    """Return whether a knight checks a king that its own pieces surround.

    Example:
        >>> mate = setwise.Position("6rk/5Npp/8/8/8/8/8/6K1 b - - 0 1")
        >>> own, enemy = mate.white_pieces, mate.black_pieces
        >>> mates.smothered(enemy & mate.kings, enemy & ~mate.kings, own & mate.knights)
        True

    Why:
        Nothing can stand between a knight and a king, and a king whose neighbours are all its own pieces cannot move:
        the attacks of the king, less those pieces, are the squares that are left, and there is none.

    Names:
        smothered mate, smotheredMate.

    Source:
        Wikipedia, "Checkmate pattern", "Smothered mate"; Lichess, the theme "smotheredMate".
    """
    around = king_attacks(king)
    return np.uint64(king & knight_attacks(knights) != EMPTY and around & ~blockers == EMPTY)


@pattern
def suffocation(king: Set, blockers: Set, knights: Set, bishops: Set, occupied: Set) -> Flag:
    """Return whether a knight checks, and bishops alone take every square that the king's own pieces leave it.

    Example:
        >>> mate = setwise.Position("5rk1/4Np1p/8/8/8/2B5/8/6K1 b - - 0 1")
        >>> own, enemy = mate.white_pieces, mate.black_pieces
        >>> mates.suffocation(
        ...     enemy & mate.kings, enemy & ~mate.kings, own & mate.knights, own & mate.bishops, mate.occupied
        ... )
        True

    Why:
        A knight's check cannot be blocked. `flights` are the squares next to the king without a piece of its
        own. There is at least one, and bishops attack them all; the king is lifted off the board, so that they
        see past it.

    Traps:
        Where nothing is left to take, the mate is `smothered`.

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
    """Return whether a knight checks, another protects a bishop beside the king, and they take all free squares.

    Example:
        Légal's trap: 1. e4 e5 2. Nf3 d6 3. Bc4 Bg4 4. Nc3 g6 5. Nxe5 Bxd1 6. Bxf7+ Ke7 7. Nd5#

        >>> mate = setwise.Position("rn1q1bnr/ppp1kB1p/3p2p1/3NN3/4P3/8/PPPP1PPP/R1BbK2R b KQ - 2 7")
        >>> own, enemy = mate.white_pieces, mate.black_pieces
        >>> mates.legal(enemy & mate.kings, enemy & ~mate.kings, own & mate.knights, own & mate.bishops, mate.occupied)
        True

    Why:
        `guarded` are our bishops beside the king on its rank that a knight protects. A knight attacks squares
        of one colour only, and the squares of king and bishop have different colours: so the knight that checks
        is another one. Knights and bishops must attack every square next to the king without a piece of its own.

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
        The books show the king in the corner. Lichess counts it on any edge, and so does this.

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
        The king may be anywhere, and other pieces may take squares, too. On an edge, with a square taken along a line,
        it is a `corner`.

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
        A king in a corner has three squares next to it. `flights` are those without a piece of its own: there
        is at least one, and our king attacks them all. The knight checks.

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

    King, piece and knight stand on one rank, the knight three squares from the king: it takes the squares above
    and below the piece.

    Example:
        >>> mate = setwise.Position("8/4N1pk/8/7R/8/8/8/6K1 b - - 0 1")
        >>> own, enemy = mate.white_pieces, mate.black_pieces
        >>> mates.anastasia(
        ...     enemy & mate.kings, enemy & ~mate.kings, own & mate.knights, own & (mate.rooks | mate.queens),
        ...     mate.occupied
        ... )
        True

    Why:
        For a king on the a-file, one step west brings its own piece to the king's square, and three steps west
        bring the knight there: where these sets and the king meet, all three stand in place. The knight takes
        the two squares diagonally next to the king, and the check along the file the two above and below it. In
        a corner the knight would have nothing to take on one side, so corners do not count.

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
    """Return whether a rook beside a king in the corner is protected by a knight two squares off on the diagonal.

    Example:
        >>> mate = setwise.Position("7k/7R/5N2/8/8/8/8/6K1 b - - 0 1")
        >>> own, enemy = mate.white_pieces, mate.black_pieces
        >>> mates.arabian(enemy & mate.kings, own & mate.knights, own & mate.rooks)
        True

    Why:
        A rook beside a king in the corner checks it, and takes the square diagonally next to it. The knight protects
        the rook and takes the third square: two squares off on the diagonal is the one place from which it does both.

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
        A rook beside a king checks it, and must be protected, for the king could take it: here by a knight. The knight
        stands next to the king as well, so that it must be protected in turn: by a pawn.

    Names:
        hook mate, hookMate.

    Source:
        Wikipedia, "Checkmate pattern", "Hook mate"; Lichess, the theme "hookMate".
    """
    guarded = knights & king_attacks(king) & pawn_attacks(pawns)
    return np.uint64(beside(king) & rooks & knight_attacks(guarded) != EMPTY)


@pattern
def vukovic(king: Set, knights: Set, rooks: Set) -> Flag:
    """Return whether a rook stands right in front of a king on the edge, and a knight right behind the rook.

    Example:
        >>> mate = setwise.Position("4k3/4R3/3PN3/8/8/8/8/6K1 b - - 0 1")
        >>> own, enemy = mate.white_pieces, mate.black_pieces
        >>> mates.vukovic(enemy & mate.kings, own & mate.knights, own & mate.rooks)
        True

    Why:
        The rook checks, and takes the squares on either side of itself; the knight behind it takes the two beside the
        king. One step from the knight to the rook, and one more to the king, find them in each of four directions.

    Traps:
        A third piece protects the rook, or it would be no mate.

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
    """Return whether a pawn checks: the smallest piece mates.

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
