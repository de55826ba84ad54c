"""Tactical patterns: forks by every piece, skewers, squares that are attacked twice.

These patterns examine only lines and squares. The features with similar names also check that the move is legal, and
how much it wins.

Source: Chess Programming Wiki, "Double Attack", "Skewer", "General Setwise Operations" (greater one sets).
"""

from __future__ import annotations

from setwise.compiler import Set, pattern
from setwise.patterns.bits import EMPTY, twice
from setwise.patterns.compass import (
    east,
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
    west,
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

__all__ = [
    "attacked_twice", "bishop_fork_targets", "bishop_skewers", "king_fork_targets", "pawn_fork_targets",
    "queen_fork_targets", "rook_fork_targets", "rook_skewers",
]  # fmt: skip


# -------------------------------------------------------------------------------------------------------------- forks


@pattern
def pawn_fork_targets(targets: Set) -> Set:
    """Return the squares from which a pawn that moves up the board attacks two of the targets.

    Args:
        targets: squares worth attacking, a set.

    Example:
        >>> tactics.pawn_fork_targets(Bitboard("c6 e6 h6"))
        Bitboard('d5')

    Why:
        A pawn attacks the squares to its north-west and to its north-east. So the targets, moved one step south-east
        and one step south-west, are the squares from which a pawn attacks a target; from a square in both sets it
        attacks two.

    Names:
        pawn fork.

    Source:
        Chess Programming Wiki, "Double Attack", "Pawn Fork".
    """
    return south_east(targets) & south_west(targets)


@pattern
def king_fork_targets(targets: Set) -> Set:
    """Return the squares from which a king attacks two or more of the targets.

    Args:
        targets: squares worth attacking, a set.

    Example:
        >>> tactics.king_fork_targets(Bitboard("c4 e4"))
        Bitboard('d3 d4 d5')

    Why:
        The targets, moved by one step in each of the eight directions, are eight sets. A square in two or more of these
        sets is next to two or more targets.

    Traps:
        The result may include the square of a target.

    Names:
        king fork.

    Source:
        Chess Programming Wiki, "Double Attack".
    """
    return twice(
        north(targets), north_east(targets), east(targets), south_east(targets),
        south(targets), south_west(targets), west(targets), north_west(targets),
    )  # fmt: skip


@pattern
def bishop_fork_targets(targets: Set, occupied: Set) -> Set:
    """Return the squares from which a bishop attacks two or more of the targets, in different directions.

    Args:
        targets: squares worth attacking, a set.
        occupied: squares of all pieces, a set; without the bishop, if it is to move along its own line.

    Example:
        >>> targets = Bitboard("b8 h8 c3")
        >>> tactics.bishop_fork_targets(targets, targets)
        Bitboard('d4 e5 f6 g7')

    Why:
        Attacks go both ways: a bishop attacks a target from each square that the target would attack as a bishop. Each
        ray fill has these squares for one direction. In one direction a square sees at most one target, so from a
        square in two of the four sets the bishop attacks two targets.

    Traps:
        A target behind another one on the same line is not attacked: that is a skewer.

    Names:
        bishop fork.

    Source:
        Chess Programming Wiki, "Double Attack", "General Setwise Operations" (greater one sets).
    """
    return twice(
        ray_fill_north_east(targets, occupied), ray_fill_south_east(targets, occupied),
        ray_fill_south_west(targets, occupied), ray_fill_north_west(targets, occupied),
        EMPTY, EMPTY, EMPTY, EMPTY,
    )  # fmt: skip


@pattern
def rook_fork_targets(targets: Set, occupied: Set) -> Set:
    """Return the squares from which a rook attacks two or more of the targets, in different directions.

    Args:
        targets: squares worth attacking, a set.
        occupied: squares of all pieces, a set; without the rook, if it is to move along its own line.

    Example:
        >>> targets = Bitboard("b7 g4")
        >>> tactics.rook_fork_targets(targets, targets)
        Bitboard('b4 g7')

    Why:
        As for the bishop, along files and ranks: a square in two of the four ray fills sees two targets.

    Traps:
        A target behind another one on the same line is not attacked: that is a skewer.

    Names:
        rook fork.

    Source:
        Chess Programming Wiki, "Double Attack", "General Setwise Operations" (greater one sets).
    """
    return twice(
        ray_fill_north(targets, occupied), ray_fill_east(targets, occupied),
        ray_fill_south(targets, occupied), ray_fill_west(targets, occupied),
        EMPTY, EMPTY, EMPTY, EMPTY,
    )  # fmt: skip


@pattern
def queen_fork_targets(targets: Set, occupied: Set) -> Set:
    """Return the squares from which a queen attacks two or more of the targets, in different directions.

    Args:
        targets: squares worth attacking, a set.
        occupied: squares of all pieces, a set; without the queen, if it is to move along its own line.

    Example:
        >>> targets = Bitboard("e8 a4")
        >>> tactics.queen_fork_targets(targets, targets | Bitboard("d7"))
        Bitboard('e4 d7 a8')

    Why:
        As for bishop and rook, in all eight directions.

    Traps:
        A target behind another one on the same line is not attacked: that is a skewer.

    Names:
        queen fork.

    Source:
        Chess Programming Wiki, "Double Attack", "General Setwise Operations" (greater one sets).
    """
    return twice(
        ray_fill_north(targets, occupied), ray_fill_north_east(targets, occupied),
        ray_fill_east(targets, occupied), ray_fill_south_east(targets, occupied),
        ray_fill_south(targets, occupied), ray_fill_south_west(targets, occupied),
        ray_fill_west(targets, occupied), ray_fill_north_west(targets, occupied),
    )  # fmt: skip


# ------------------------------------------------------------------------------------------------------------ skewers


@pattern
def bishop_skewers(fronts: Set, behind: Set, occupied: Set) -> Set:
    """Return the squares from which a bishop attacks a piece of one set, behind which is a piece of the other.

    Args:
        fronts: pieces worth driving away, a set.
        behind: pieces worth capturing then, a set.
        occupied: squares of all pieces, a set; without the bishop, if it is to move along its own line.

    Example:
        >>> king, queen = Bitboard("d5"), Bitboard("f7")
        >>> tactics.bishop_skewers(king, queen, king | queen | Bitboard("a2"))
        Bitboard('a2 b3 c4')

    Why:
        The line is followed backwards. A ray fill from the piece behind ends on the first piece; if that piece is one
        of the fronts, a second ray fill continues from there in the same direction. A bishop on a square of the second
        fill attacks the front piece, and the other piece is behind it.

    Traps:
        There must be no piece between the two pieces, or between the bishop and the front piece.

    Names:
        skewer, x-ray attack of a bishop.

    Source:
        Chess Programming Wiki, "Skewer", "X-ray Attacks (Bitboards)".
    """
    return (
        ray_fill_north_east(fronts & ray_fill_north_east(behind, occupied), occupied)
        | ray_fill_south_east(fronts & ray_fill_south_east(behind, occupied), occupied)
        | ray_fill_south_west(fronts & ray_fill_south_west(behind, occupied), occupied)
        | ray_fill_north_west(fronts & ray_fill_north_west(behind, occupied), occupied)
    )


@pattern
def rook_skewers(fronts: Set, behind: Set, occupied: Set) -> Set:
    """Return the squares from which a rook attacks a piece of one set, behind which is a piece of the other.

    Args:
        fronts: pieces worth driving away, a set.
        behind: pieces worth capturing then, a set.
        occupied: squares of all pieces, a set; without the rook, if it is to move along its own line.

    Example:
        >>> king, rook = Bitboard("e7"), Bitboard("a7")
        >>> tactics.rook_skewers(king, rook, king | rook)
        Bitboard('f7 g7 h7')

    Why:
        As for the bishop, along files and ranks.

    Traps:
        There must be no piece between the two pieces, or between the rook and the front piece.

    Names:
        rook skewer.

    Source:
        Chess Programming Wiki, "Skewer", "X-ray Attacks (Bitboards)".
    """
    return (
        ray_fill_north(fronts & ray_fill_north(behind, occupied), occupied)
        | ray_fill_east(fronts & ray_fill_east(behind, occupied), occupied)
        | ray_fill_south(fronts & ray_fill_south(behind, occupied), occupied)
        | ray_fill_west(fronts & ray_fill_west(behind, occupied), occupied)
    )


# ------------------------------------------------------------------------------------------------------ attacked twice


@pattern
def attacked_twice(pawns: Set, knights: Set, orthogonal: Set, diagonal: Set, kings: Set, occupied: Set) -> Set:
    """Return the squares that two or more pieces of one side attack, including squares of its own pieces.

    Args:
        pawns: squares of the pawns, a set; they move up the board.
        knights: squares of the knights, a set.
        orthogonal: squares of the rooks and queens, a set.
        diagonal: squares of the bishops and queens, a set.
        kings: squares of the kings, a set.
        occupied: squares of all pieces of both sides, a set.

    Example:
        >>> pawns, knights, rooks = Bitboard("e4"), Bitboard("c3"), Bitboard("d1 h1")
        >>> occupied = pawns | knights | rooks
        >>> tactics.attacked_twice(pawns, knights, rooks, Bitboard(0), Bitboard(0), occupied)
        Bitboard('b1 d1 e1 f1 g1 d5')

    Why:
        In one direction, at most one piece of a kind attacks a square. So there is a set for each direction of each
        kind of piece, and a square in two of these sets is attacked twice. The sets are compared in three groups, then
        the unions of these groups are compared with each other and with the attacks of pawns to the two sides.

    Traps:
        A slider behind another slider does not attack the squares beyond it: batteries count once. Pinned pieces
        attack.

    Names:
        double attack map.

    Source:
        Chess Programming Wiki, "General Setwise Operations" (greater one sets), "Attack and Defend Maps".
    """
    # In one direction at most one piece attacks a square, so squares that two directions share are attacked twice.
    rays = (
        ray_fill_north(orthogonal, occupied), ray_fill_north_east(diagonal, occupied),
        ray_fill_east(orthogonal, occupied), ray_fill_south_east(diagonal, occupied),
        ray_fill_south(orthogonal, occupied), ray_fill_south_west(diagonal, occupied),
        ray_fill_west(orthogonal, occupied), ray_fill_north_west(diagonal, occupied),
    )  # fmt: skip
    by_knights = (
        no_no_ea(knights), no_ea_ea(knights), so_ea_ea(knights), so_so_ea(knights),
        so_so_we(knights), so_we_we(knights), no_we_we(knights), no_no_we(knights),
    )  # fmt: skip
    return (
        twice(rays[0], rays[1], rays[2], rays[3], rays[4], rays[5], rays[6], rays[7])
        | twice(
            by_knights[0], by_knights[1], by_knights[2], by_knights[3],
            by_knights[4], by_knights[5], by_knights[6], by_knights[7],
        )
        | king_fork_targets(kings)
        | twice(
            north_east(pawns), north_west(pawns), king_attacks(kings), knight_attacks(knights),
            rays[0] | rays[2] | rays[4] | rays[6], rays[1] | rays[3] | rays[5] | rays[7], EMPTY, EMPTY,
        )
    )  # fmt: skip
