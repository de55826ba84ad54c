"""Features of attack and defence: attacked squares, loose pieces, mobility, batteries."""

from __future__ import annotations

from setwise.compiler import Count, Set, popcount, routine
from setwise.features.registry import feature
from setwise.features.side import Side, enemy_attacks, own_attacks
from setwise.patterns import fills, king, lines, pawns, tactics
from setwise.patterns.knight.walks import knight_move_count

__all__ = [
    "attacked_twice",
    "attacks",
    "batteries",
    "hanging",
    "mobility",
    "pawn_attacks",
    "undefended",
    "xray_attacks",
]


@feature
def attacks(side: Side) -> Set:
    """Return all squares that this side attacks, own pieces' squares (which it protects) included.

    Sliders attack up to the first piece on their way.

    Example:
        >>> position = setwise.Position("4k3/8/8/8/3N4/8/1B3P2/4K3 w - - 0 1")
        >>> print(position.feature("white_attacks"))
        . . . . . . . .
        . . . . . . . .
        . . 1 . 1 . . .
        . 1 . . . 1 . .
        . . . 1 . . . .
        1 1 1 . 1 1 1 .
        . . 1 1 1 1 . .
        1 . 1 1 . 1 . .

    Why:
        A side attacks what its pieces attack, kind by kind; knights, kings and pawns take steps of whole sets, sliders
        take ray fills, and all are united.

    Traps:
        Attacks are not moves. A pinned piece attacks all the same, and pawns attack diagonally only, whether anything
        stands there or not.

    Source:
        Chess Programming Wiki, "Square Attacked By", "Attack and Defend Maps".
    """
    return own_attacks(side, side.own, side.own | side.enemy)


@feature
def pawn_attacks(side: Side) -> Set:
    """Return all squares that pawns of this side attack, own pieces' squares included.

    Example:
        >>> position = setwise.Position("4k3/8/8/8/P2P4/7P/8/4K3 w - - 0 1")
        >>> print(position.feature("white_pawn_attacks"))
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . 1 1 . 1 . . .
        . . . . . . 1 .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .

    Source:
        Chess Programming Wiki, "Pawn Attacks (Bitboards)".
    """
    return pawns.attacks(side.own & side.pawns)


@feature
def attacked_twice(side: Side) -> Set:
    """Return the squares that two or more pieces of this side attack, own pieces' squares included.

    The greater-one set over all pieces: what pawns to the east and west, knights, kings and sliders attack in each
    direction.

    Example:
        >>> position = setwise.Position("4k3/8/8/8/8/2N5/8/3RK3 w - - 0 1")
        >>> position.feature("white_attacked_twice")
        Bitboard('b1 d1 d2 e2 d5')

    Traps:
        A slider behind another one does not attack what the first one does. Pinned pieces attack.

    Source:
        Chess Programming Wiki, "General Setwise Operations" (greater one sets).
    """
    orthogonal, diagonal = side.rooks | side.queens, side.bishops | side.queens
    return tactics.attacked_twice(
        side.own & side.pawns, side.own & side.knights, side.own & orthogonal, side.own & diagonal,
        side.own & side.kings, side.own | side.enemy,
    )  # fmt: skip


@feature
def undefended(side: Side) -> Set:
    """Return this side's pieces, except the king, that no other piece of this side protects.

    The king protects, and so does a pinned piece. Whether the enemy attacks does not matter: see `hanging`.

    Example:
        >>> position = setwise.Position("4k3/8/8/3p4/4P3/2N5/1P6/4K1B1 w - - 0 1")
        >>> position.feature("white_undefended")
        Bitboard('g1 b2')

    Why:
        What the side attacks includes its own pieces' squares, and those are protected; the rest of its pieces are not.

    Source:
        Chess Programming Wiki, "Hanging Piece", "Loose Piece".
    """
    return side.own & ~side.kings & ~own_attacks(side, side.own, side.own | side.enemy)


@feature
def hanging(side: Side) -> Set:
    """Return this side's hanging pieces, except the king: the enemy attacks them and no piece of ours protects them.

    All attacks count, those of the kings and of pinned pieces too.

    Example:
        >>> position = setwise.Position("4k3/8/8/3p4/4P3/2N5/1P6/4K1B1 w - - 0 1")
        >>> position.feature("white_hanging")
        Bitboard('')
        >>> position.feature("black_hanging")
        Bitboard('d5')

    Why:
        Attacked by them, not attacked by us: two attack maps and a set of pieces. A piece does not attack its own
        square, so that it never protects itself.

    Traps:
        A protected piece can hang as well, if what attacks it is worth less or there are more attackers than
        protectors; that takes an exchange evaluation. A piece that only a pinned piece attacks may hang only in theory.

    Source:
        Chess Programming Wiki, "Hanging Piece".
    """
    occupied = side.own | side.enemy
    return side.own & ~side.kings & enemy_attacks(side, side.enemy, occupied) & ~own_attacks(side, side.own, occupied)


@routine
def _orthogonal_moves(movers: Set, occupied: Set, allowed: Set) -> Count:
    return (
        popcount(fills.ray_fill_north(movers, occupied) & allowed)
        + popcount(fills.ray_fill_east(movers, occupied) & allowed)
        + popcount(fills.ray_fill_south(movers, occupied) & allowed)
        + popcount(fills.ray_fill_west(movers, occupied) & allowed)
    )


@routine
def _diagonal_moves(movers: Set, occupied: Set, allowed: Set) -> Count:
    return (
        popcount(fills.ray_fill_north_east(movers, occupied) & allowed)
        + popcount(fills.ray_fill_south_east(movers, occupied) & allowed)
        + popcount(fills.ray_fill_south_west(movers, occupied) & allowed)
        + popcount(fills.ray_fill_north_west(movers, occupied) & allowed)
    )


@routine
def _pawn_moves(movers: Set, enemy: Set, empty: Set) -> Count:
    return (
        popcount(pawns.single_pushes(movers, empty))
        + popcount(pawns.double_pushes(movers, empty))
        + popcount(pawns.east_captures(movers, enemy))
        + popcount(pawns.west_captures(movers, enemy))
    )


@feature
def mobility(side: Side) -> Count:
    """Return the number of pseudo-legal moves of this side, as if it were its turn: each piece, each target square.

    All pieces count, king and pawns too. A promotion is one move, whatever the piece; castling and en passant are left
    out, since they depend on the past. Checks and pins do not matter.

    Example:
        >>> setwise.Position().feature("white_mobility")
        20

    Why:
        In one direction every square is reached by one piece only, so that counting the targets of each direction
        counts the moves.

    Traps:
        It is not a number of squares: two knights that reach the same square make two moves. A square that two kings of
        one side reach (a set-up that the rules do not allow) counts once.

    Source:
        Chess Programming Wiki, "Mobility".
    """
    # In one direction every square is reached by one piece only: counting targets counts moves.
    occupied, allowed = side.own | side.enemy, ~side.own
    return (
        _orthogonal_moves(side.own & (side.rooks | side.queens), occupied, allowed)
        + _diagonal_moves(side.own & (side.bishops | side.queens), occupied, allowed)
        + knight_move_count(side.own & side.knights, allowed)
        + _pawn_moves(side.own & side.pawns, side.enemy, ~occupied)
        + popcount(king.attacks(side.own & side.kings) & allowed)
    )


@feature
def batteries(side: Side) -> Set:
    """Return this side's sliders that stand in a battery: two in sight of each other on a line along which both move.

    Rooks and queens make batteries on files and ranks, bishops and queens on diagonals.

    Example:
        >>> position = setwise.Position("4k3/8/8/8/8/3Q4/2B5/3RK3 w - - 0 1")
        >>> position.feature("white_batteries")
        Bitboard('d1 c2 d3')

    Traps:
        Rooks that see each other along their first rank are counted.

    Source:
        Chess Programming Wiki, "Battery".
    """
    orthogonal, diagonal = side.rooks | side.queens, side.bishops | side.queens
    return lines.batteries(side.own & orthogonal, side.own & diagonal, side.own | side.enemy)


@routine
def _behind_orthogonally(movers: Set, through: Set, occupied: Set) -> Set:
    """The squares that rooks attack through the first piece on a line, if that is one of some pieces."""
    return (
        fills.ray_fill_north(fills.ray_fill_north(movers, occupied) & through, occupied)
        | fills.ray_fill_east(fills.ray_fill_east(movers, occupied) & through, occupied)
        | fills.ray_fill_south(fills.ray_fill_south(movers, occupied) & through, occupied)
        | fills.ray_fill_west(fills.ray_fill_west(movers, occupied) & through, occupied)
    )


@routine
def _behind_diagonally(movers: Set, through: Set, occupied: Set) -> Set:
    """The squares that bishops attack through the first piece on a line, if that is one of some pieces."""
    return (
        fills.ray_fill_north_east(fills.ray_fill_north_east(movers, occupied) & through, occupied)
        | fills.ray_fill_south_east(fills.ray_fill_south_east(movers, occupied) & through, occupied)
        | fills.ray_fill_south_west(fills.ray_fill_south_west(movers, occupied) & through, occupied)
        | fills.ray_fill_north_west(fills.ray_fill_north_west(movers, occupied) & through, occupied)
    )


@feature
def xray_attacks(side: Side) -> Set:
    """Return the squares that a slider of this side attacks or protects through one enemy piece, as by X-ray.

    Example:
        >>> position = setwise.Position("4k3/4q3/8/8/4r3/8/8/4RK2 w - - 0 1")
        >>> position.feature("white_xray_attacks")
        Bitboard('e5 e6 e7')

    Why:
        Each direction has two ray fills: the first one ends on the first piece; where that is an enemy piece, the
        second one goes on from there to the next piece.

    Traps:
        A square that another piece attacks directly is here, too. Lines through own pieces are not here: they are
        `batteries`, and `discovered_attacks` where the piece in between steps aside. Pawns in between count, and so
        does the king.

    Names:
        x-ray attack, xRayAttack.

    Source:
        Chess Programming Wiki, "X-ray Attacks (Bitboards)"; Lichess, the theme "xRayAttack".
    """
    occupied = side.own | side.enemy
    return _behind_orthogonally(side.own & (side.rooks | side.queens), side.enemy, occupied) | _behind_diagonally(
        side.own & (side.bishops | side.queens), side.enemy, occupied
    )
