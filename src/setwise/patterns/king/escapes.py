"""Kings without a way out: escapes, checks from afar, mates by a queen next to the king."""

from __future__ import annotations

import numpy as np

from setwise.compiler import Count, Set, pattern
from setwise.patterns import knight
from setwise.patterns.bits import EMPTY, ONE, THREE, TWO
from setwise.patterns.compass.steps import (
    east,
    north,
    north_east,
    north_west,
    sideways,
    south,
    south_east,
    south_west,
    west,
)
from setwise.patterns.king.walks import attacks

__all__ = ["distant_checks", "escapes", "mate_at_a_glance"]


@pattern
def escapes(king: Set, own: Set, enemy_attacks: Set) -> Set:
    """Return the squares that a king can step to: neighbours without own pieces that the enemy does not attack.

    With the right attacks these are the king's legal moves except castling.

    Args:
        king: square of the king, a set.
        own: squares of the king's own pieces.
        enemy_attacks: squares that the enemy attacks with this king lifted off the board, defended enemy pieces
            included.

    Example:
        A rook on e8 checks a king on e4. It attacks e3 too, through the king:

        >>> print(king.escapes(Bitboard("e4"), Bitboard("d4 f3"), fills.file_fill(Bitboard("e8"))))
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . 1 . 1 . .
        . . . . . 1 . .
        . . . 1 . . . .
        . . . . . . . .
        . . . . . . . .

    Why:
        A king may go to a neighbouring square unless its own side stands there or the enemy attacks it. Both are sets,
        their union is taboo, and the complement leaves the moves.

    Traps:
        Left on the board, the king would hide the square behind it from the slider that checks, and "escape"
        there. An enemy piece that another one defends is attacked, and is not an escape either.

    Names:
        moveTargets, king moves, flight squares, escape squares, taboo.

    Source:
        Chess Programming Wiki, "King Pattern".
    """
    return attacks(king) & ~(own | enemy_attacks)


@pattern
def distant_checks(king: Set, taboo: Set) -> Count:
    """Return along which lines a distant check would leave a king no way off that line, as a set of four bits.

    15 when the king has no escape at all. Else one bit, when king and all escapes lie on one line: 1 on the rank, 2 on
    the file, 4 on the diagonal (as a1–h8), 8 on the antidiagonal (as a8–h1). Else 0, and so where there is no king.

    Args:
        king: square of the king, a set.
        taboo: squares the king must not step to: own pieces and all that the enemy attacks (see `escapes`).

    Example:
        A castled king behind its pawns cannot leave the first rank:

        >>> king.distant_checks(Bitboard("g1"), Bitboard("f2 g2 h2"))
        1
        >>> king.distant_checks(Bitboard("g1"), Bitboard("f2 g2 h2 f1 h1"))
        15
        >>> king.distant_checks(Bitboard("g1"), Bitboard("f2 g2"))
        0

    Why:
        A line holds all escapes if no escape is off that line; four such tests make four bits. Where there is no escape
        at all, all four hold, and the sum is 15: so no case needs a branch of its own. Opposite neighbours share a
        line, and all neighbours are four such pairs.

    Traps:
        It says that a check on the line would be grave, not that the enemy has one, nor that no piece can interpose.

    Slips:
        In C `==` binds before `&`: the published `pattern & rankBits[sq] == pattern`, in the form with branches and in
        the branchless one, compares first and then takes the last bit of the pattern, which is a1. It needs
        parentheses, `(pattern & rankBits[sq]) == pattern`, as it has in effect in the SSE4 form; Python needs none.

    Names:
        dirSet, vulnerable on distant checks, back-rank weakness.

    Source:
        Chess Programming Wiki, "King Pattern" (vulnerable on distant checks, the branchless form).
    """
    beside, lengthwise = sideways(king), north(king) | south(king)
    diagonal, antidiagonal = north_east(king) | south_west(king), north_west(king) | south_east(king)
    free = ~taboo
    orthogonals, diagonals = (beside | lengthwise) & free, (diagonal | antidiagonal) & free
    lines = (
        np.uint64((diagonals | lengthwise & free) == EMPTY)
        | np.uint64((diagonals | beside & free) == EMPTY) << ONE
        | np.uint64((orthogonals | antidiagonal & free) == EMPTY) << TWO
        | np.uint64((orthogonals | diagonal & free) == EMPTY) << THREE
    )
    return lines * np.uint64(king != EMPTY)


@pattern
def mate_at_a_glance(king: Set, enemy: Set, own: Set, queen_moves: Set, protected: Set, defended: Set) -> Set:
    """Return the squares next to the enemy king from which one of our queens mates at once.

    The queen goes there by a legal move, is protected there by another piece of ours and attacked by no enemy piece
    except the king; every other square next to the king holds an enemy piece or is attacked, by the queen or by our
    other pieces. No piece can interpose, and no piece can take the queen: that is mate.

    Call it for each queen, with that queen lifted off the board before the attacks are computed, since it no longer
    blocks a line on its old square. If its new square blocks a line of ours, the queen itself attacks along that line.
    So every square returned is mate; some mates are missed (see the traps).

    Args:
        king: square of the enemy king, a set.
        enemy: squares of their pieces.
        own: squares of our pieces, without the queen.
        queen_moves: squares that the queen can legally move to, captures included.
        protected: squares that our other pieces attack, own pieces included, with queen and enemy king lifted.
        defended: squares that their pieces other than the king attack, own pieces included, with the queen lifted.
            Of all these sets only the squares next to the king matter.

    Example:
        Scholar's mate. The queen on h5 may take f7, where the bishop on c4 protects it:

        >>> enemy = Bitboard("a8 c8 d8 e8 f8 h8 a7 b7 c7 d7 f7 g7 h7 c6 f6 e5")
        >>> own = Bitboard("c4 e4 a2 b2 c2 d2 f2 g2 h2 a1 b1 c1 e1 g1 h1")
        >>> queen_moves, protected, defended = Bitboard("f7 h7 e5"), Bitboard("f7"), Bitboard("d7 e7 d8 f8")
        >>> print(king.mate_at_a_glance(Bitboard("e8"), enemy, own, queen_moves, protected, defended))
        . . . . . . . .
        . . . . . 1 . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .

    Why:
        The king cannot take a protected queen, so it must step away; and a queen next to it attacks every square around
        it except those a knight's move from the queen and those behind a piece. Such squares must be covered by other
        pieces or be blocked. Instead of testing the holes around each square of the queen, each hole excludes the
        squares from which a queen does not cover it: the same relation, read backwards.

    Traps:
        A pinned defender defends all the same here: leave out of ``defended`` what a pinned piece cannot do, or mates
        are missed. Double checks are missed, too, where an enemy piece attacks the queen. A pinned queen, or our king
        in check, is a matter of ``queen_moves``. Squares behind the king count as attacked through it; squares behind
        any other piece do not.

    Names:
        close queen mate.

    Source:
        Chess Programming Wiki, "Mate at a Glance" (close queen mate); the conditions after Birmingham and Kent.
    """
    ring = attacks(king)  # next to their king
    candidates = ring & queen_moves & protected & ~defended  # where it goes, is protected and not attacked
    # What only the queen can deny the king. From the ring it reaches every other square of it at once or through the
    # king, except those a knight's move away, and the one two steps along the same side if a piece stands between.
    holes = ring & ~enemy & ~protected  # squares that only the queen can deny the king
    between = ring & (enemy | own)
    beyond = east(east(holes) & between) | west(west(holes) & between)
    beyond |= north(north(holes) & between) | south(south(holes) & between)
    return candidates & ~(knight.attacks(holes) | beyond)  # from where it denies them all
