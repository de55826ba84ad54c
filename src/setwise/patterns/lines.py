"""Lines of the board: the squares between two squares, pieces that are pinned on a line or attack along a line.

Patterns about a king follow the lines from the king outwards: the rays of a king that moves like a rook or bishop end
on the pieces that matter, and where they meet the rays of an enemy slider, only these pieces are between. All lines are
followed at once, by fills and without branches, so arrays of positions are computed in the processor's widest
registers.

*Orthogonal* sliders are rooks and queens, *diagonal* sliders bishops and queens.
"""

from __future__ import annotations

from setwise.compiler import Set, Square, pattern
from setwise.patterns.compass import south_east, south_west
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
from setwise.patterns.geometry import BETWEEN, LINE
from setwise.patterns.king import attacks as king_attacks
from setwise.patterns.knight import attacks as knight_attacks
from setwise.patterns.pawns import attacks as pawn_attacks
from setwise.patterns.sliders import bishop_attacks, bishops_attacks, rook_attacks, rooks_attacks

__all__ = [
    "attackers", "batteries", "between", "discovered_check_candidates", "line", "pinned", "pinners", "xray_bishop",
    "xray_rook",
]  # fmt: skip


# ----------------------------------------------------------------------------------------------------- of two squares


@pattern
def between(a: Square, b: Square) -> Set:
    """Return the squares strictly between two squares of one rank, file or diagonal; none for other squares.

    Args:
        a: one square.
        b: the other square.

    Example:
        >>> lines.between(2, 47)  # c1, h6
        Bitboard('d2 e3 f4 g5')

    Why:
        A table of 64 times 64 sets, computed once by walks from each square in each of the eight directions to the
        other square.

    Traps:
        The result is empty for neighbours and for squares that share no line: `line` distinguishes the two cases.

    Names:
        inBetween, arrRectangular, squares between, obstructed.

    Source:
        Chess Programming Wiki, "Square Attacked By", its in-between sets.
    """
    return BETWEEN[a, b]


@pattern
def line(a: Square, b: Square) -> Set:
    """Return the whole rank, file or diagonal through two squares, from edge to edge; none if they share no line.

    Args:
        a: one square.
        b: the other square.

    Example:
        >>> print(lines.line(2, 29))  # c1, f4
        . . . . . . . .
        . . . . . . . .
        . . . . . . . 1
        . . . . . . 1 .
        . . . . . 1 . .
        . . . . 1 . . .
        . . . 1 . . . .
        . . 1 . . . . .

    Why:
        A table, computed once: for two squares that see each other on an empty board, the whole line through both.

    Traps:
        The line includes both squares. A square has no line with itself.

    Names:
        lineBB, full line, collinear.

    Source:
        Chess Programming Wiki, "On an empty Board" (rays and lines).
    """
    return LINE[a, b]


# ------------------------------------------------------------------------------------------------------- through pieces


@pattern
def xray_rook(square: Square, occupied: Set, blockers: Set) -> Set:
    """Return the squares that a rook attacks through the nearest blockers, and does not attack already.

    Args:
        square: where the rook stands.
        occupied: squares of all pieces, a set.
        blockers: the pieces to look through, a set; only blockers that the rook attacks are lifted.

    Example:
        >>> lines.xray_rook(3, Bitboard("d1 d4 d7 f1"), Bitboard("d4"))
        Bitboard('d5 d6 d7')

    Why:
        The result is the difference between the rook's attacks with the nearest blockers lifted and its attacks before.
        `xor` keeps the squares that are in only one of the two sets, and with the blockers lifted the rook still
        attacks every square that it attacked before.

    Traps:
        The rook looks through one piece on each line, not through two.

    Names:
        xrayRookAttacks, x-ray, x-ray attacks of a rook.

    Source:
        Chess Programming Wiki, "X-ray Attacks (Bitboards)".
    """
    attacked = rook_attacks(square, occupied)
    return attacked ^ rook_attacks(square, occupied ^ (occupied & blockers & attacked))


@pattern
def xray_bishop(square: Square, occupied: Set, blockers: Set) -> Set:
    """Return the squares that a bishop attacks through the nearest blockers, and does not attack already.

    Args:
        square: where the bishop stands.
        occupied: squares of all pieces, a set.
        blockers: the pieces to look through, a set; only blockers that the bishop attacks are lifted.

    Example:
        >>> lines.xray_bishop(5, Bitboard("f1 e2 c4 g2"), Bitboard("e2 c4"))
        Bitboard('d3 c4')

    Why:
        As in `xray_rook`: the attacks with the nearest blockers lifted, without the attacks before.

    Traps:
        The bishop looks through one piece on each line, not through two.

    Names:
        xrayBishopAttacks.

    Source:
        Chess Programming Wiki, "X-ray Attacks (Bitboards)".
    """
    attacked = bishop_attacks(square, occupied)
    return attacked ^ bishop_attacks(square, occupied ^ (occupied & blockers & attacked))


@pattern
def pinned(king: Set, own: Set, enemy_orthogonal: Set, enemy_diagonal: Set, occupied: Set) -> Set:
    """Return our pinned pieces: each stands alone between our king and an enemy slider that moves along that line.

    Args:
        king: square of our king, a set.
        own: squares of our pieces, a set.
        enemy_orthogonal: squares of enemy rooks and queens, a set.
        enemy_diagonal: squares of enemy bishops and queens, a set.
        occupied: squares of all pieces, a set.

    Example:
        >>> own = Bitboard("e1 e3 c3 d2 g3")
        >>> lines.pinned(Bitboard("e1"), own, Bitboard("e8"), Bitboard("a5 h4"), own | Bitboard("e8 a5 h4"))
        Bitboard('e3 g3')

    Why:
        Follow a line from the king, and the same line from the enemy sliders in the opposite direction; both rays end
        on the first piece, and include it. If they meet on a piece of ours, it is the only piece between king and
        slider, because any other piece would have ended one of the rays earlier.

    Traps:
        A pinned piece may still move along the line. A piece that shields a queen or rook is not pinned in this sense.
        If two pieces are between king and slider, neither is pinned, though an en passant capture may remove both at
        once.

    Names:
        pinned pieces, absolute pins, absolute pin.

    Source:
        Chess Programming Wiki, "Checks and Pinned Pieces (Bitboards)".
    """
    orthogonal = (
        ray_fill_north(king, occupied) & ray_fill_south(enemy_orthogonal, occupied)
        | ray_fill_east(king, occupied) & ray_fill_west(enemy_orthogonal, occupied)
        | ray_fill_south(king, occupied) & ray_fill_north(enemy_orthogonal, occupied)
        | ray_fill_west(king, occupied) & ray_fill_east(enemy_orthogonal, occupied)
    )
    diagonal = (
        ray_fill_north_east(king, occupied) & ray_fill_south_west(enemy_diagonal, occupied)
        | ray_fill_south_east(king, occupied) & ray_fill_north_west(enemy_diagonal, occupied)
        | ray_fill_south_west(king, occupied) & ray_fill_north_east(enemy_diagonal, occupied)
        | ray_fill_north_west(king, occupied) & ray_fill_south_east(enemy_diagonal, occupied)
    )
    return own & (orthogonal | diagonal)


@pattern
def pinners(king: Set, own: Set, enemy_orthogonal: Set, enemy_diagonal: Set, occupied: Set) -> Set:
    """Return the enemy sliders that pin a piece of ours to our king.

    Args:
        king: square of our king, a set.
        own: squares of our pieces, a set.
        enemy_orthogonal: squares of enemy rooks and queens, a set.
        enemy_diagonal: squares of enemy bishops and queens, a set.
        occupied: squares of all pieces, a set.

    Example:
        >>> own = Bitboard("e1 e3 c3 g3")
        >>> lines.pinners(Bitboard("e1"), own, Bitboard("e8 a1"), Bitboard("a5"), own | Bitboard("e8 a1 a5"))
        Bitboard('a5 e8')

    Why:
        Follow a line from the king to the first piece; if that piece is ours, continue from it. The next piece is the
        second piece on the line; if it is an enemy slider that moves along this line, it pins the first.

    Traps:
        A slider that gives check pins nothing on that line.

    Names:
        pinning pieces.

    Source:
        Chess Programming Wiki, "Checks and Pinned Pieces (Bitboards)".
    """
    orthogonal = (
        ray_fill_north(own & ray_fill_north(king, occupied), occupied)
        | ray_fill_east(own & ray_fill_east(king, occupied), occupied)
        | ray_fill_south(own & ray_fill_south(king, occupied), occupied)
        | ray_fill_west(own & ray_fill_west(king, occupied), occupied)
    )
    diagonal = (
        ray_fill_north_east(own & ray_fill_north_east(king, occupied), occupied)
        | ray_fill_south_east(own & ray_fill_south_east(king, occupied), occupied)
        | ray_fill_south_west(own & ray_fill_south_west(king, occupied), occupied)
        | ray_fill_north_west(own & ray_fill_north_west(king, occupied), occupied)
    )
    return orthogonal & enemy_orthogonal | diagonal & enemy_diagonal


@pattern
def discovered_check_candidates(enemy_king: Set, own: Set, orthogonal: Set, diagonal: Set, occupied: Set) -> Set:
    """Return our pieces that stand alone between a slider of ours and the enemy king: they check by leaving the line.

    Args:
        enemy_king: square of the enemy king, a set.
        own: squares of our pieces, a set.
        orthogonal: squares of our rooks and queens, a set.
        diagonal: squares of our bishops and queens, a set.
        occupied: squares of all pieces, a set.

    Example:
        >>> own = Bitboard("e1 e5 b2 d4 g2")
        >>> lines.discovered_check_candidates(Bitboard("e8"), own, Bitboard("e1"), Bitboard("b2"), own | Bitboard("e8"))
        Bitboard('e5')

    Why:
        It is the same relation as a pin, with the roles exchanged: our piece is the only piece between the enemy king
        and our slider.

    Traps:
        A candidate may be unable to leave the line: a pawn may only be able to push along the file, and a piece may
        itself be pinned.

    Names:
        discovered check, discovered checkers, blockers for king.

    Source:
        Chess Programming Wiki, "Discovered Check", "Checks and Pinned Pieces (Bitboards)".
    """
    return pinned(enemy_king, own, orthogonal, diagonal, occupied)


@pattern
def batteries(orthogonal: Set, diagonal: Set, occupied: Set) -> Set:
    """Return our sliders that stand in a battery: two in sight of each other on a line along which both move.

    Rooks and queens make batteries on files and ranks, bishops and queens on diagonals.

    Args:
        orthogonal: squares of our rooks and queens, a set.
        diagonal: squares of our bishops and queens, a set.
        occupied: squares of all pieces, a set.

    Example:
        >>> orthogonal, diagonal = Bitboard("d1 d3 h1 c2"), Bitboard("c2 b1 g2")
        >>> lines.batteries(orthogonal, diagonal, orthogonal | diagonal | Bitboard("f1 g1"))
        Bitboard('b1 d1 c2 d3')

    Why:
        If one slider of ours attacks another along a line on which both move, no piece is between them. Attacks go both
        ways, so the attacks of all sliders find both sliders.

    Traps:
        Rooks that see each other along their first rank are connected rooks, but they are counted, too. A rook behind a
        bishop on a file is not a battery: the bishop does not move along the file.

    Names:
        battery, doubled rooks, Alekhine's gun.

    Source:
        Chess Programming Wiki, "Battery".
    """
    return orthogonal & rooks_attacks(orthogonal, occupied) | diagonal & bishops_attacks(diagonal, occupied)


@pattern
def attackers(
    targets: Set, occupied: Set, pawns: Set, enemy_pawns: Set, knights: Set, orthogonal: Set, diagonal: Set, kings: Set
) -> Set:
    """Return the pieces of both sides that attack any of the target squares.

    The attacks of each kind of piece from the targets are intersected with the pieces of that kind.

    Args:
        targets: squares that are attacked (or defended), a set.
        occupied: squares of all pieces, a set.
        pawns: squares of our pawns, a set; they move up the board.
        enemy_pawns: squares of enemy pawns, a set; they move down.
        knights: squares of the knights of both sides, a set.
        orthogonal: squares of the rooks and queens of both sides, a set.
        diagonal: squares of the bishops and queens of both sides, a set.
        kings: squares of both kings, a set.

    Example:
        >>> pawns, enemy_pawns, knights = Bitboard("c4 e4"), Bitboard("e6"), Bitboard("c3 f6 g7")
        >>> orthogonal, diagonal, kings = Bitboard("d1 d8"), Bitboard("d8 b3"), Bitboard("g1 g8")
        >>> occupied = Bitboard("d5") | pawns | enemy_pawns | knights | orthogonal | diagonal | kings
        >>> lines.attackers(Bitboard("d5"), occupied, pawns, enemy_pawns, knights, orthogonal, diagonal, kings)
        Bitboard('d1 c3 c4 e4 e6 f6 d8')

    Why:
        Attacks go both ways: a knight attacks a square if a knight on that square would attack it, and the same holds
        for every piece except pawns. Pawns attack in one direction: our pawns that attack a target stand on the squares
        that an enemy pawn on the target would attack.

    Traps:
        Pinned pieces attack, too. A slider behind another slider does not count until the front slider has moved away.
        With several targets the result does not show which piece attacks which target.

    Names:
        attacksTo, attackers_to, square attacked by, attackedBySide.

    Source:
        Chess Programming Wiki, "Square Attacked By".
    """
    return (
        (south_east(targets) | south_west(targets)) & pawns
        | pawn_attacks(targets) & enemy_pawns
        | knight_attacks(targets) & knights
        | rooks_attacks(targets, occupied) & orthogonal
        | bishops_attacks(targets, occupied) & diagonal
        | king_attacks(targets) & kings
    )
