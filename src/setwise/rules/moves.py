"""A move in 16 bits, and what it does to a board.

Bits 0–5 hold the square a move starts from, bits 6–11 the square it goes to, bits 12–14 its kind. Castling goes from
the king's square to the rook's, which is unambiguous in Chess960 too; readers and writers of notations translate it.

A null move passes the turn. It has a kind of its own, and is stored as ``NULL_MOVE``; its squares mean nothing, so that
they may be mirrored with other moves. 0 means no move.
"""

from __future__ import annotations

import numpy as np

from setwise.compiler import byteswap, routine
from setwise.compiler.lanes import broadcast, lane, lanes_hit, packed
from setwise.patterns.bits import EIGHT, EMPTY, ONE, RANK_1, SIX
from setwise.rules.board import KINGS, PAWNS, board_of, lanes_of, other_side

#: Kinds of moves. The kind of a promotion is the number of the new piece less one.
NORMAL, TO_KNIGHT, TO_BISHOP, TO_ROOK, TO_QUEEN, CASTLING, EN_PASSANT, NULL = (np.uint64(kind) for kind in range(8))
#: The letters of promotions by their kinds.
PROMOTIONS = " nbrq"

SQUARE_MASK, TWELVE, FIFTY_SIX = np.uint64(63), np.uint64(12), np.uint64(56)
#: The largest number of either clock.
LAST_CLOCK = np.uint64(65_535)
#: The null move. No other move has so large a number.
NULL_MOVE = NULL << TWELVE
C1, D1, F1, G1 = (np.uint64(square) for square in (2, 3, 5, 6))


@routine
def encoded(origin, target, kind):
    return origin | target << SIX | kind << TWELVE


@routine
def origin_of(move):
    return move & SQUARE_MASK


@routine
def target_of(move):
    return move >> SIX & SQUARE_MASK


@routine
def kind_of(move):
    return move >> TWELVE


@routine
def turned(move):
    """The same move seen from the other side of the board: both squares mirrored, rank for rank."""
    return move ^ (FIFTY_SIX | FIFTY_SIX << SIX)


@routine
def clocks_after(pawns, enemy, move, halfmoves, fullmoves, black):
    """Both clocks after a move; ``black`` is 1 if Black made it. They stop at the largest number that columns hold."""
    irreversible = (pawns >> origin_of(move) | enemy >> target_of(move)) & np.uint64(move < NULL_MOVE)
    return min((halfmoves + ONE) * (irreversible ^ ONE), LAST_CLOCK), min(fullmoves + black, LAST_CLOCK)


@routine
def castling_targets(origin, rook):
    """Where king and rook land: g1 and f1 when the rook stands east of the king, else c1 and d1."""
    if rook > origin:
        return G1, F1
    return C1, D1


@routine
def after_normal(sets, castling, start, end):
    """The eight sets after a normal move, the rooks that may still castle, the square that a pawn has passed.

    Every set changes by one rule: both squares are emptied, and the piece on the first is put on the second. All is
    seen from the side that has just moved; nothing is checked.
    """
    castling &= ~(start | end | RANK_1 * np.uint64(lane(sets, KINGS) & start != EMPTY))
    passed = start << EIGHT & end >> EIGHT & lane(sets, PAWNS) << EIGHT
    return sets & broadcast(~(start | end)) | lanes_hit(broadcast(end), sets & broadcast(start)), castling, passed


@routine
def after(before, castling, move):
    """The same after any move: special moves toggle a few more squares than a normal one."""
    origin, target, kind = origin_of(move), target_of(move), kind_of(move)
    start, end = ONE << origin, ONE << target
    sets, rights, passed = after_normal(before, castling, start, end)
    if kind == NORMAL:
        return sets, rights, passed
    if kind == EN_PASSANT:
        taken = end >> EIGHT
        sets = sets ^ packed(EMPTY, taken, taken, EMPTY, EMPTY, EMPTY, EMPTY, EMPTY)
    elif kind == CASTLING:
        king_to, rook_to = castling_targets(origin, target)
        king_end, rook_end = ONE << king_to, ONE << rook_to
        sets = before ^ packed(
            (start | end) ^ (king_end | rook_end), EMPTY, EMPTY, EMPTY, EMPTY, end ^ rook_end, EMPTY, start ^ king_end
        )
    elif kind == NULL:
        return before, castling, EMPTY
    else:
        knight, bishop = end * np.uint64(kind == TO_KNIGHT), end * np.uint64(kind == TO_BISHOP)
        rook, queen = end * np.uint64(kind == TO_ROOK), end * np.uint64(kind == TO_QUEEN)
        sets = sets ^ packed(EMPTY, EMPTY, end, knight, bishop, rook, queen, EMPTY)
    return sets, rights, EMPTY


@routine
def moved(board, move):
    """The board after a move, still from the side that has just moved (nothing is checked)."""
    return board_of(*after(lanes_of(board), board.castling, move))


@routine
def played(board, move):
    """The board after a move, from the side that moves next (nothing is checked)."""
    sets, castling, passed = after(lanes_of(board), board.castling, move)
    return board_of(other_side(sets), byteswap(castling), byteswap(passed))
