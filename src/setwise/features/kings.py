"""Features of kings: checks, escapes and shields, mates in one, and distant mates.

Attacks on squares next to a king are computed with the king removed from the board; otherwise the king would hide the
square behind it from a slider that checks. Checks and mates are found backwards from the enemy king's square: lines
from this square lead to the squares where each kind of piece gives check. `mates_in_one` is exact; `mate_at_a_glance`
is a set-wise pattern and misses some mates. A mate is distant if the slider is not next to the king. `distant_checks`
is a set of directions; its kind converts it for Black.
"""

from __future__ import annotations

import numpy as np

from setwise.compiler import Count, Directions, Set, entry, popcount, routine, scratch, subroutine
from setwise.compiler.kinds import named, uint16, uint64
from setwise.features.registry import Side, enemy_attacks, feature, is_ready, mover, own_attacks, pieces_attacks
from setwise.patterns import king, knight, lines, pawns, sliders
from setwise.patterns.bits import (
    ALL,
    EMPTY,
    FILES,
    RANK_1,
    RANK_2,
    RANK_7,
    RANK_8,
    TWO,
    bit,
    more_than_one,
    only_lowest,
    without_lowest,
)
from setwise.patterns.compass import north, south, south_east, south_west
from setwise.patterns.pawns import attacks_down
from setwise.patterns.sliders import bishops_attacks, queens_attacks, rooks_attacks
from setwise.rules.board import Board, child, origin_of, target_of
from setwise.rules.generate import MOST_MOVES, is_mated
from setwise.rules.search import list_arrivals, mates

# ---------------------------------------------------------------------------------------------------- features of kings


@feature
def checkers(side: Side) -> Set:
    """Return this side's pieces that give check to the enemy king.

    As in all features, the pieces are this side's own: White is in check if ``black_checkers`` is not empty.

    Example:
        >>> position = setwise.Position("4k3/8/8/1B6/8/8/8/4R1K1 b - - 0 1")
        >>> position.feature("white_checkers")
        Bitboard('e1 b5')

    Why:
        The pieces that attack the square of the enemy king, as `setwise.lines.attackers` finds them.

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
    """Return this side's pieces that are pinned to its king: each is the only piece between it and an enemy slider.

    The slider moves along that line. A pinned piece may have moves, but only along the line.

    Example:
        >>> position = setwise.Position("4r1k1/8/8/8/7b/8/4BN2/4K3 w - - 0 1")
        >>> position.feature("white_pinned")
        Bitboard('e2 f2')

    Traps:
        A piece that shields a queen or a rook is not pinned in this sense. If two pieces are between king and slider,
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
    """Squares that the enemy attacks when our king is removed from the board."""
    return enemy_attacks(side, side.enemy, (side.own | side.enemy) & ~here)


@feature
def king_escapes(side: Side) -> Set:
    """Return the squares that this side's king can step to: its legal moves except castling.

    They are next to it, have no own piece, and the enemy does not attack them when the king is removed from the board.

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
def distant_checks(side: Side) -> Directions:
    """Return the lines on which this side's king is vulnerable to distant checks, as a sum of 1, 2, 4 and 8.

    The result is 15 if the king has no escape; else 1 (rank), 2 (file), 4 (diagonal, as a1–h8) or 8 (antidiagonal) if
    the king and all its escapes are on that line; else 0. `king_escapes` defines the escapes.

    Example:
        >>> position = setwise.Position("6k1/8/8/8/8/8/5PPP/6K1 w - - 0 1")
        >>> position.feature("white_distant_checks")
        1
        >>> position.feature("black_distant_checks")
        0

    Traps:
        It says that a check on the line would be dangerous, not that the enemy has a check, nor that no piece can
        interpose.

    Source:
        Chess Programming Wiki, "King Pattern" (vulnerable on distant checks).
    """
    here = side.own & side.kings
    return king.distant_checks(here, side.own | _denied(side, here))


@feature
def shield_index(side: Side) -> Count:
    """Return the pawn shield of this side's king as a number from 0 to 63; 64 for a king on another square.

    The king is on ranks 1–2. If it is on files f–h, bits 0 to 5 mean own pawns on f2 g2 h2 f3 g3 h3; on files a–c, own
    pawns on c2 b2 a2 c3 b3 a3: the mirror image, so that one table serves both wings. For Black: f7 g7 h7 ….

    Example:
        >>> position = setwise.Position("6k1/8/8/8/8/6P1/5P1P/6K1 w - - 0 1")
        >>> position.feature("white_shield_index")
        21

    Traps:
        0 is a king on a wing without pawns before it; 64 is a king that is not on a wing or not on ranks 1–2.

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
# To compute the mates takes too long for every position, so it is a second stage for the other positions.


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
    """The squares, among those that one queen moves to, where it mates next to the enemy king."""
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
            mates ^= target  # the queen is pinned, or the own king stays in check
    return mates


@feature(among=_glances)
def mate_at_a_glance(side: Side, glances: Set) -> Set:
    """Return the squares next to the enemy king where a queen of this side mates with its next move.

    The move is legal; on that square another piece protects the queen, no enemy piece except the king attacks it, and
    the king has no square left. Every result is a mate in one.

    Example:
        >>> position = setwise.Position("r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4")
        >>> position.feature("white_mate_at_a_glance")
        Bitboard('f7')

    Why:
        Next to the king, a queen that no other piece protects can be taken, so few positions have candidates. Each
        queen is first removed from the board; then `setwise.king.mate_at_a_glance` returns its squares, and a square is
        kept if the own king is not in check after the move.

    Traps:
        The feature is computed as if it were this side's turn, so that threats are seen as well; it is empty while the
        enemy is in check. Two kinds of mates are not found: the queen mates from further away, or only a pinned piece
        could take it. This is a pattern, not a search.

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


#: The square before a king that has not castled, and the square of that king.
_F7, _E8 = np.uint64(0x0020_0000_0000_0000), np.uint64(0x1000_0000_0000_0000)


@feature
def exposed_king(side: Side) -> Set:
    """Return this side's king if no own pawn shelters it, and the enemy has the pieces to attack it.

    A pawn shelters a king on the first two ranks, from beside it or from one of the three neighbouring squares on the
    next rank. The pieces are a queen and another piece, or two rooks; kings and pawns are not counted.

    Example:
        >>> position = setwise.Position("2r3k1/1b3ppp/8/8/4q3/8/P6P/2K1Q3 w - - 0 1")
        >>> position.feature("white_exposed_king"), position.feature("black_exposed_king")
        (Bitboard('c1'), Bitboard(''))

    Why:
        The squares beside a king and ahead of it are its attacks without the rank behind it; an own pawn on one of
        them shelters the king.

    Traps:
        Other pieces do not count as shelter; a king that was driven out to its third rank or beyond has none.

    Names:
        exposedKing.

    Source:
        Lichess, the theme "exposedKing"; its condition on checks is left out, and a condition on the enemy's pieces is
        added.
    """
    own_king = side.own & side.kings
    ahead = king.attacks(own_king) & ~south(own_king) & ~south_east(own_king) & ~south_west(own_king)
    pieces = side.enemy & ~(side.kings | side.pawns)
    attacks = (pieces & side.queens != EMPTY) | more_than_one(pieces & side.rooks)
    is_sheltered = (ahead & side.own & side.pawns != EMPTY) & (own_king & (RANK_1 | RANK_2) != EMPTY)
    return own_king if attacks & (popcount(pieces) >= TWO) & (not is_sheltered) else EMPTY


@feature
def attacks_f7(side: Side) -> Set:
    """Return this side's pieces that attack f7 while the enemy king is on e8; for Black f2 and e1.

    Only the king protects the pawn there when the game begins.

    Example:
        >>> position = setwise.Position("r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR b KQkq - 3 3")
        >>> position.feature("white_attacks_f7")
        Bitboard('f3 c4')

    Why:
        The pieces that attack f7 are found backwards from f7, as `setwise.lines.attackers` does for any square.

    Traps:
        It does not matter whether the king may still castle, or whether a pawn is still on f7. A king that attacks f7
        is left out.

    Names:
        attackingF2F7, f2 or f7.

    Source:
        Lichess, the theme "attackingF2F7", which requires a capture there.
    """
    orthogonal, diagonal = side.rooks | side.queens, side.bishops | side.queens
    seen = lines.attackers(
        _F7, side.own | side.enemy, side.own & side.pawns, EMPTY, side.own & side.knights,
        side.own & orthogonal, side.own & diagonal, EMPTY,
    )  # fmt: skip
    return EMPTY if side.enemy & side.kings & _E8 == EMPTY else seen


# ---------------------------------------------------------------------------------------- features of mates on the move


_move_list = scratch(MOST_MOVES)
#: Where a rook that castles may give check: on its file, d or f, and on its rank.
_BY_CASTLING = FILES[3] | FILES[5] | RANK_1


@routine
def _lines(squares: Set, occupied: Set) -> tuple[Set, Set, Set]:
    """The squares from which rooks, bishops and knights attack a square; all squares for an empty set."""
    everywhere = ALL if squares == EMPTY else EMPTY
    along, across = rooks_attacks(squares, occupied), bishops_attacks(squares, occupied)
    return along | everywhere, across | everywhere, knight.attacks(squares) | everywhere


@routine
def _checking_pawns(board: Board) -> Set:
    """The squares where a pawn may check, promotions included."""
    enemy_king, occupied, movers = board.enemy & board.kings, board.own | board.enemy, board.own & board.pawns
    along, across = rooks_attacks(enemy_king, occupied), bishops_attacks(enemy_king, occupied)
    steps = pawns.single_pushes(movers, ~occupied) | pawns.double_pushes(movers, ~occupied)
    steps |= pawns.attacks(movers) & board.enemy
    leaving = movers & RANK_7 & (along | across)  # the new piece sees the king through the pawn's old square
    promoted = along | across | knight.attacks(enemy_king) | pawns.attacks(leaving) | north(leaving)
    return steps & (attacks_down(enemy_king) | RANK_8 & promoted)


@routine
def _direct_checks(board: Board) -> tuple[Set, Set]:
    """The squares where a slider, or a knight, checks and attacks two flights of the king, or all if there are fewer.

    The flights are computed as if our pieces did not block each other, because a piece that blocks may leave.
    """
    enemy_king, occupied = board.enemy & board.kings, board.own | board.enemy
    lifted = board.enemy & ~enemy_king
    flights = king.attacks(enemy_king) & ~board.enemy & ~own_attacks(board, board.own, lifted)
    by_rook, by_bishop, by_knight = _lines(enemy_king, occupied)
    first, second = _lines(only_lowest(flights), lifted), _lines(only_lowest(without_lowest(flights)), lifted)
    turns = (by_rook | by_bishop) & (first[0] | first[1]) & (second[0] | second[1])
    squares = rooks_attacks(board.own & board.rooks, occupied) & by_rook & first[0] & second[0]
    squares |= bishops_attacks(board.own & board.bishops, occupied) & by_bishop & first[1] & second[1]
    squares |= queens_attacks(board.own & board.queens, occupied) & turns
    by_knight &= knight.attacks(board.own & board.knights) & first[2] & second[2]
    return squares & ~(flights | board.own), by_knight & ~(flights | board.own)


@routine
def _mating_squares(side: Side) -> Set:
    """The squares where a move mates, and perhaps others."""
    board = mover(side)
    enemy_king, occupied = board.enemy & board.kings, board.own | board.enemy
    orthogonal, diagonal = board.own & (board.rooks | board.queens), board.own & (board.bishops | board.queens)
    by_slider, by_knight = _direct_checks(board)
    squares = by_slider | by_knight | _checking_pawns(board) | board.en_passant
    uncovered = lines.pinned(enemy_king, board.own, orthogonal, diagonal, occupied) != EMPTY
    castles = enemy_king & _BY_CASTLING != EMPTY
    return squares | (ALL if uncovered else EMPTY) | (board.castling & RANK_1 if castles else EMPTY)


@feature(among=_mating_squares)
def mates_in_one(side: Side, squares: Set) -> Set:
    """Return the squares to which a piece of this side goes next and mates.

    These are all mates by the rules, also by promotion, castling (the square where the king arrives), en passant and
    discovery.

    Example:
        >>> position = setwise.Position("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1")
        >>> position.feature("white_mates_in_one")
        Bitboard('a8')

    Why:
        A mate is a check that leaves no flight. So only these moves are played: moves to squares from which the king
        and its flights are attacked, moves of a piece off a line between our slider and the king, castling, promotions
        and captures en passant. After each the legal replies are counted: if there are none, it is mate.

    Traps:
        The feature is computed as if it were this side's turn; it is empty while the enemy stands in check, and unless
        each side has one king.

    Source:
        Chess Programming Wiki, "Checkmate".
    """
    board = mover(side)
    return mates(board) if is_ready(board) else EMPTY


# --------------------------------------------------------------------------------------------------- distant mates


@routine
def _checking_lines(side: Side) -> tuple[Set, Set]:
    """The squares, not next to the enemy king, from which rooks and bishops would check it."""
    here, occupied = side.enemy & side.kings, side.own | side.enemy
    far = ~(king.attacks(here) | side.own)
    return rooks_attacks(here, occupied) & far, bishops_attacks(here, occupied) & far


@entry(uint64, named(Side), uint64)
def _mating_distantly(side: Side, squares: Set) -> Set:
    """The squares, among the given ones, to which a slider goes and mates from a distance."""
    board = mover(side)
    if not is_ready(board):
        return EMPTY
    orthogonal, diagonal = _checking_lines(side)
    moves = _move_list(uint16)
    mating, sliders = EMPTY, board.bishops | board.rooks | board.queens
    for i in range(list_arrivals(board, sliders, squares, moves)):
        move = np.uint64(moves[i])
        start, here = bit(origin_of(move)), bit(target_of(move))
        lines = orthogonal if start & (board.rooks | board.queens) != EMPTY else EMPTY
        lines |= diagonal if start & (board.bishops | board.queens) != EMPTY else EMPTY
        if here & lines & ~mating != EMPTY and is_mated(child(board, move)):
            mating |= here
    return mating


@routine
def _distant_squares(side: Side) -> Set:
    return _direct_checks(mover(side))[0] & ~king.attacks(side.enemy & side.kings)


@feature(among=_distant_squares)
def distant_mates(side: Side, squares: Set) -> Set:
    """Return the squares, not next to the enemy king, to which a slider of this side goes, gives check, and mates.

    No piece can interpose or take the slider; any piece of this side, also the slider, may cover the squares around the
    king.

    Example:
        >>> position = setwise.Position("6k1/5ppp/8/8/8/8/5PPP/1R4K1 w - - 0 1")
        >>> position.feature("white_distant_mates")
        Bitboard('b8')

    Why:
        A slider checks from the squares that the same kind of slider would attack from the king's square. Squares next
        to the king are left out, and each move to one of the others is played: it is mate if there is no legal reply.

    Traps:
        Mates from squares next to the king are `mate_at_a_glance`; all mates are `mates_in_one`.
        `king.distant_checks` requires less: only that the king and all its escapes are on the line of the check. The
        feature is computed as if it were this side's turn; it is empty while the enemy stands in check, and unless each
        side has one king.

    Source:
        Chess Programming Wiki, "King Pattern" (vulnerable on distant checks).
    """
    return _mating_distantly(side, squares)
