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

from __future__ import annotations

import numpy as np

from setwise.compiler import Flag, Set, pattern
from setwise.patterns.bits import EMPTY, RANK_8
from setwise.patterns.compass import east, north, north_east, north_west, south, south_east, south_west, west
from setwise.patterns.compass.steps import sideways
from setwise.patterns.king import attacks as king_attacks
from setwise.patterns.mates.near import EDGES, beside
from setwise.patterns.pawns import attacks as pawn_attacks
from setwise.patterns.sliders import bishops_attacks, queens_attacks

__all__ = [
    "damiano",
    "damiano_bishop",
    "diagonal",
    "dovetail",
    "kill_box",
    "lolli",
    "max_lange",
    "queen_and_king",
    "support",
    "swallowtail",
    "triangle",
]


@pattern
def dovetail(king: Set, blockers: Set, queens: Set, occupied: Set, others: Set) -> Flag:
    """Return whether a queen diagonally next to the king takes every square but two, where the king's own pieces stand.

    The two squares are the tail: from her square the queen does not see them. The king is not on the edge. No other
    piece of ours attacks a square next to the king, except the queen's own, and the four that she attacks on rank and
    file are empty.

    Example:
        >>> mate = setwise.Position("8/3p4/2pk4/4Q3/5P2/8/8/6K1 b - - 0 1")
        >>> own, enemy = mate.white_pieces, mate.black_pieces
        >>> mates.dovetail(
        ...     enemy & mate.kings, enemy & ~mate.kings, own & mate.queens, mate.occupied,
        ...     pawns.attacks(own & mate.pawns)
        ... )
        True

    Why:
        Suppose the queen is one step south-east of the king. She does not see the two squares a knight's move
        away from her, west and north of the king: its own pieces must be there. She sees the squares south-west
        and north-east of the king past those south and east of it: these four must be empty. Each of these sets
        is moved by the step that leads to the king's square, where they meet; the other three lines are the
        same, rotated.

    Traps:
        It is `support`, too.

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
        Suppose the queen is below the king. She sees every square next to the king except the two a knight's
        move away from her, north-west and north-east of the king: its own pieces must be there. Steps bring
        queen and pieces to the king's square, where they meet; the other three cases are the same, rotated.

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

    The square in its middle is empty, or the king's.

    Example:
        >>> mate = setwise.Position("5Rk1/8/7Q/8/8/8/8/6K1 b - - 0 1")
        >>> own, enemy = mate.white_pieces, mate.black_pieces
        >>> mates.kill_box(enemy & mate.kings, own & mate.rooks, own & mate.queens, mate.occupied)
        True

    Why:
        Opposite corners of the box are two diagonal steps apart: a step from the queen and the opposite step
        from the rook meet in the middle. If the middle is empty, the queen protects the rook through it, and
        the king is on another square of the box; if the king is in the middle, the queen checks it.

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
        `between` are the empty squares with the queen on one side and the rook on the other, on one rank;
        `within` the same on one file. Across such a square they protect each other. The king is one step away
        from it, at a right angle to their line.

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
        Two steps up from the pawn, and one step diagonally up from the queen, are the king's square. So the
        queen is diagonally above the pawn, which protects her.

    Traps:
        It is `support`, too.

    Names:
        Damiano's mate, Damiano mate.

    Source:
        Wikipedia, "Checkmate pattern", "Damiano's mate".
    """
    return np.uint64(king & RANK_8 & north(north(pawns)) & (north_west(queens) | north_east(queens)) != EMPTY)


@pattern
def lolli(king: Set, pawns: Set, queens: Set) -> Flag:
    """Return whether a queen stands right in front of a king on the last rank, protected by a pawn.

    Example:
        >>> mate = setwise.Position("6k1/6Q1/5P2/8/8/8/8/6K1 b - - 0 1")
        >>> own, enemy = mate.white_pieces, mate.black_pieces
        >>> mates.lolli(enemy & mate.kings, own & mate.pawns, own & mate.queens)
        True

    Why:
        `pawn_attacks` has the squares that our pawns protect. A queen on one of them, moved one step up, meets
        the king on the last rank.

    Traps:
        It is `support`, too.

    Names:
        Lolli's mate, Lolli mate.

    Source:
        Wikipedia, "Checkmate pattern", "Lolli's mate".
    """
    return np.uint64(king & RANK_8 & north(queens & pawn_attacks(pawns)) != EMPTY)


@pattern
def queen_and_king(king: Set, blockers: Set, queens: Set, kings: Set, occupied: Set) -> Flag:
    """Return whether queen and king mate by themselves: they take every square next to the mated king.

    Each of the two takes some, the queen checks, and no piece of the mated king's side stands next to it.

    Example:
        >>> mate = setwise.Position("4k3/4Q3/4K3/8/8/8/8/8 b - - 0 1")
        >>> own, enemy = mate.white_pieces, mate.black_pieces
        >>> mates.queen_and_king(
        ...     enemy & mate.kings, enemy & ~mate.kings, own & mate.queens, own & mate.kings, mate.occupied
        ... )
        True

    Why:
        The queen sees past the mated king, which is lifted off the board. `taken` are the squares next to it
        that queen or king attack and that hold no piece of its own: they must be all squares next to it. The
        queen attacks the mated king's square, and our king at least one of the others.

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
    """Return whether a queen right in front of a king on the edge is protected by a bishop.

    Example:
        >>> mate = setwise.Position("5k2/5Q2/6B1/8/8/8/8/6K1 b - - 0 1")
        >>> own, enemy = mate.white_pieces, mate.black_pieces
        >>> mates.damiano_bishop(enemy & mate.kings, own & mate.bishops, own & mate.queens, mate.occupied)
        True

    Why:
        `before` are our queens next to a king on the edge, straight ahead of it: beside it on rank or file, and
        not on the edge themselves. A bishop attacks, and so protects, the square of one of them.

    Traps:
        A queen diagonally next to the king does not count: that mate is `support`, and may be `max_lange` as well.

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
        Bishops and queens next to the king are left out; the others check if the king is among the squares that a
        bishop in their place attacks.

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
        `behind` are our queens diagonally above the king on the last rank. A bishop attacks, and so protects,
        the square of one of them.

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
        `king_attacks` has the squares next to the king. A queen on one of them that our pieces attack is
        protected, so the king cannot capture her.

    Names:
        support mate, supported queen mate.

    Source:
        Wikipedia, "Checkmate pattern", "Support mate".
    """
    return np.uint64(king_attacks(king) & queens & attacked != EMPTY)
