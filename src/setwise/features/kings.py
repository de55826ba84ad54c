"""Features of kings: checks and pins, escapes and shields, mates next to the king."""

from __future__ import annotations

import numpy as np

from setwise.compiler import Count, Set, routine, subroutine
from setwise.features.registry import feature
from setwise.features.side import Side, enemy_attacks, own_attacks, pieces_attacks
from setwise.patterns import king, lines, pawns, sliders
from setwise.patterns.bits import EIGHT, EMPTY, FOUR, ONE, RANK_1, RANK_2, RANK_3, THREE, more_than_one, only_lowest
from setwise.patterns.compass import south, south_east, south_west
from setwise.patterns.pawns.moves import attacks_down

__all__ = [
    "attacks_f7",
    "checkers",
    "distant_checks",
    "exposed_king",
    "king_escapes",
    "king_half_open_files",
    "king_open_files",
    "mate_at_a_glance",
    "pinned",
    "shield_index",
]


@feature
def checkers(side: Side) -> Set:
    """Return this side's pieces that give check to the enemy king.

    As everywhere the pieces are this side's own: White is in check where ``black_checkers`` holds something.

    Example:
        >>> position = setwise.Position("4k3/8/8/1B6/8/8/8/4R1K1 b - - 0 1")
        >>> position.feature("white_checkers")
        Bitboard('e1 b5')

    Why:
        The pieces that attack the square of their king, as `setwise.lines.attackers` finds them.

    Source:
        Chess Programming Wiki, "Checks and Pinned Pieces (Bitboards)".
    """
    orthogonal, diagonal = side.rooks | side.queens, side.bishops | side.queens
    return lines.attackers(
        side.enemy & side.kings, side.own | side.enemy, side.own & side.pawns, EMPTY, side.own & side.knights,
        side.own & orthogonal, side.own & diagonal, EMPTY,
    )  # fmt: skip


@feature
def pinned(side: Side) -> Set:
    """Return this side's pieces that are pinned to its own king: each stands alone between it and an enemy slider.

    The slider moves along that line. A pinned piece may have moves: those along the line.

    Example:
        >>> position = setwise.Position("4r1k1/8/8/8/7b/8/4BN2/4K3 w - - 0 1")
        >>> position.feature("white_pinned")
        Bitboard('e2 f2')

    Traps:
        A piece that shields a queen or a rook is not pinned in this sense. Of two pieces between king and slider
        neither is pinned.

    Source:
        Chess Programming Wiki, "Checks and Pinned Pieces (Bitboards)".
    """
    orthogonal, diagonal = side.rooks | side.queens, side.bishops | side.queens
    return lines.pinned(
        side.own & side.kings, side.own, side.enemy & orthogonal, side.enemy & diagonal, side.own | side.enemy
    )


@routine
def _denied(side: Side, here: Set) -> Set:
    """Squares that the enemy attacks with our king lifted off the board."""
    return enemy_attacks(side, side.enemy, (side.own | side.enemy) & ~here)


@feature
def king_escapes(side: Side) -> Set:
    """Return the squares that this side's king can step to: its legal moves except castling.

    They are next to it, hold no own piece, and are not attacked by the enemy with the king lifted off the board.

    Example:
        >>> position = setwise.Position("6k1/8/8/8/4r3/8/3P4/3RK3 w - - 0 1")
        >>> print(position.feature("white_king_escapes"))
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . 1 . .
        . . . . . 1 . .

    Source:
        Chess Programming Wiki, "King Pattern" (vulnerable on distant checks).
    """
    here = side.own & side.kings
    return king.escapes(here, side.own, _denied(side, here))


@feature
def distant_checks(side: Side) -> Count:
    """Return the lines on which this side's king is vulnerable to distant checks, as a sum of 1, 2, 4 and 8.

    15 when the king has no escape at all; else 1 (rank), 2 (file), 4 (diagonal, as a1–h8) or 8 (antidiagonal) when the
    king and all its escapes lie on that one line; else 0. Escapes are those of `king_escapes`.

    Example:
        >>> position = setwise.Position("6k1/8/8/8/8/8/5PPP/6K1 w - - 0 1")
        >>> position.feature("white_distant_checks")
        1
        >>> position.feature("black_distant_checks")
        0

    Traps:
        It says that a check on the line would be grave, not that the enemy has one, nor that no piece can interpose.

    Source:
        Chess Programming Wiki, "King Pattern" (vulnerable on distant checks).
    """
    here = side.own & side.kings
    return king.distant_checks(here, side.own | _denied(side, here))


@distant_checks.turned_back
@routine
def _distant_checks_of_black(lines_of_check: Count) -> Count:
    return lines_of_check & THREE | (lines_of_check & FOUR) << ONE | (lines_of_check & EIGHT) >> ONE


@feature
def shield_index(side: Side) -> Count:
    """Return the pawn shield of this side's king, packed to a number from 0 to 63; 64 where there is no shield.

    Bits 0 to 5 stand for own pawns on f2 g2 h2 f3 g3 h3 before a king on files f–h and ranks 1–2, and on c2 b2 a2 c3
    b3 a3 before a king on files a–c: the mirror image, so that one table serves both wings. Black's are f7 g7 h7 ….

    Example:
        >>> position = setwise.Position("6k1/8/8/8/8/6P1/5P1P/6K1 w - - 0 1")
        >>> position.feature("white_shield_index")
        21

    Traps:
        0 is a king on a wing without pawns before it; 64 a king that stands elsewhere.

    Source:
        Chess Programming Wiki, "King Pattern" (pawn-shield pattern).
    """
    return king.shield_index(side.own & side.kings, side.own & side.pawns)


@feature
def king_open_files(side: Side) -> Set:
    """Return all squares of the open files at this side's king or next to it: no pawn of either side stands on them.

    Example:
        >>> position = setwise.Position("6k1/5p1p/8/8/8/8/5P1P/6K1 w - - 0 1")
        >>> position.feature("white_king_open_files")
        Bitboard('g1 g2 g3 g4 g5 g6 g7 g8')

    Traps:
        Such files lead to the king for either side's rooks.

    Source:
        Chess Programming Wiki, "King Safety", "Open File".
    """
    return king.open_files(side.own & side.kings, side.pawns)


@feature
def king_half_open_files(side: Side) -> Set:
    """Return all squares of the files at this side's king or next to it on which this side has no pawn.

    Example:
        >>> position = setwise.Position("6k1/5ppp/8/8/8/8/5P1P/6K1 w - - 0 1")
        >>> position.feature("white_king_half_open_files")
        Bitboard('g1 g2 g3 g4 g5 g6 g7 g8')

    Traps:
        Open files are among them, unlike in `half_open_files`.

    Source:
        Chess Programming Wiki, "King Safety", "Half-open File".
    """
    return king.half_open_files(side.own & side.kings, side.own & side.pawns)


# --------------------------------------------------------------------------------------------------- mate at a glance
#
# In most positions no queen sees a square next to the king that another own piece protects, and the result is empty.
# The rest takes far too long to compute for every position, so it is a function of its own.


@routine
def _glances(side: Side) -> Set:
    """Squares next to the enemy king that own queens see and other own pieces protect, also through the queens."""
    queens, enemy_king = side.own & side.queens, side.enemy & side.kings
    occupied = side.own | side.enemy
    seen = king.attacks(enemy_king) & ~side.own & sliders.queens_attacks(queens, occupied)
    others = own_attacks(side, side.own ^ queens, occupied & ~(queens | enemy_king))
    return seen if more_than_one(queens) else seen & others


_attacks = subroutine(pieces_attacks)


@subroutine
def _mates(side: Side, queen: Set, moves: Set) -> Set:
    """Those of the squares that one queen moves to where it mates next to the enemy king."""
    own_king, enemy_king = side.own & side.kings, side.enemy & side.kings
    others = side.own ^ queen
    occupied = others | side.enemy
    protected = pawns.attacks(side.own & side.pawns) | _attacks(side, others, occupied ^ enemy_king)
    if moves & protected == EMPTY:
        return EMPTY
    defended = attacks_down(side.enemy & side.pawns) | _attacks(side, side.enemy ^ enemy_king, occupied)
    mates = king.mate_at_a_glance(enemy_king, side.enemy, others, moves, protected, defended)
    checks = pawns.attacks(side.own & side.pawns) | _attacks(side, side.own, occupied | queen)
    if checks & enemy_king != EMPTY:
        return EMPTY
    unseen = mates
    while unseen != EMPTY:
        target = only_lowest(unseen)
        unseen ^= target
        rest = side.enemy & ~target
        attacked = attacks_down(rest & side.pawns) | _attacks(side, rest, occupied | target)
        if attacked & own_king != EMPTY:
            mates ^= target  # the queen is pinned, or own king stays in check
    return mates


@feature(among=_glances)
def mate_at_a_glance(side: Side, glances: Set) -> Set:
    """Return the squares next to the enemy king on which a queen of this side, moving there next, mates.

    The move is legal; the queen is protected there by another piece and attacked by no enemy piece but the king,
    who has no square left. Every hit is mate on the move.

    Example:
        >>> position = setwise.Position("r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4")
        >>> position.feature("white_mate_at_a_glance")
        Bitboard('f7')

    Why:
        A queen that no other piece protects on a square next to the king can be taken there, so few positions have
        candidates. For each queen, lifted off the board first, `setwise.king.mate_at_a_glance` returns the squares;
        they are kept if the move leaves its own king out of check.

    Traps:
        The feature is computed as if it were this side's turn, so that threats are seen as well; it is empty while the
        enemy is in check. A queen that only a pinned piece could take, or that mates from further away, is not found:
        this is a pattern, not a search.

    Source:
        Chess Programming Wiki, "Mate at a Glance" (close queen mate).
    """
    occupied = side.own | side.enemy
    queens = side.own & side.queens
    mates = EMPTY
    while queens != EMPTY:
        queen = only_lowest(queens)
        queens ^= queen
        moves = glances & sliders.queens_attacks(queen, occupied)
        if moves != EMPTY:
            mates |= _mates(side, queen, moves)
    return mates


#: The square before a king that has not castled, and where that king stands.
_F7, _E8 = np.uint64(0x0020_0000_0000_0000), np.uint64(0x1000_0000_0000_0000)
_HOME_RANKS = RANK_1 | RANK_2 | RANK_3


@feature
def exposed_king(side: Side) -> Set:
    """Return this side's king if no own pawn is beside it or ahead of it, and the enemy has a queen or a rook.

    The king is on its first three ranks; ahead are the three squares of the next rank that it touches.

    Example:
        >>> position = setwise.Position("2r3k1/5ppp/8/8/4q3/8/P6P/2K1Q3 w - - 0 1")
        >>> position.feature("white_exposed_king"), position.feature("black_exposed_king")
        (Bitboard('c1'), Bitboard(''))

    Why:
        The squares beside a king and ahead of it are its attacks without those of the rank behind; an own pawn on one
        of them shelters the king.

    Traps:
        Other pieces do not shelter it here. A king that has walked to its fourth rank or beyond is not here: in an
        ending it is active, and in a middlegame `king_ring_attackers` says more.

    Names:
        exposedKing.

    Source:
        Lichess, the theme "exposedKing", whose rule this is without its condition on checks, and with a condition on
        the enemy's queens and rooks.
    """
    own_king = side.own & side.kings & _HOME_RANKS
    ahead = king.attacks(own_king) & ~south(own_king) & ~south_east(own_king) & ~south_west(own_king)
    is_sheltered = ahead & side.own & side.pawns != EMPTY
    return EMPTY if is_sheltered or side.enemy & (side.queens | side.rooks) == EMPTY else own_king


@feature
def attacks_f7(side: Side) -> Set:
    """Return this side's pieces that attack f7, f2 for Black, while the enemy king stands on e8, e1 for Black.

    Only the king protects the pawn there when the game begins.

    Example:
        >>> position = setwise.Position("r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR b KQkq - 3 3")
        >>> position.feature("white_attacks_f7")
        Bitboard('f3 c4')

    Why:
        The pieces that attack f7 are found from f7, as `setwise.lines.attackers` finds those of any square.

    Traps:
        Whether the king may still castle does not matter, nor whether a pawn is still on f7. A king that attacks f7 is
        not here.

    Names:
        attackingF2F7, f2 or f7.

    Source:
        Lichess, the theme "attackingF2F7", which asks for a capture there.
    """
    orthogonal, diagonal = side.rooks | side.queens, side.bishops | side.queens
    seen = lines.attackers(
        _F7, side.own | side.enemy, side.own & side.pawns, EMPTY, side.own & side.knights,
        side.own & orthogonal, side.own & diagonal, EMPTY,
    )  # fmt: skip
    return EMPTY if side.enemy & side.kings & _E8 == EMPTY else seen
