"""A move in 16 bits, and what it does to a board.

Bits 0–5 hold the square a move starts from, bits 6–11 the square it goes to, bits 12–14 its kind. Castling goes from
the king's square to the rook's, which is unambiguous in Chess960 too; readers and writers of notations translate it.

A null move passes the turn. It has a kind of its own, and is stored as ``NULL_MOVE``; its squares mean nothing, so that
they may be mirrored with other moves. 0 means no move.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from setwise.compiler import Move, Set, Square, byteswap, routine
from setwise.compiler.lanes import broadcast, lane, lanes_hit
from setwise.patterns.bits import EIGHT, EMPTY, ONE, RANK_1, RANK_3, SIX, bit
from setwise.rules.board import KINGS, PAWNS, Board, board_of, lanes_of, mirrored, other_side

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
def encoded(origin: Square, target: Square, kind: np.uint64) -> Move:
    return origin | target << SIX | kind << TWELVE


@routine
def origin_of(move: Move) -> Square:
    return move & SQUARE_MASK


@routine
def target_of(move: Move) -> Square:
    return move >> SIX & SQUARE_MASK


@routine
def kind_of(move: Move) -> np.uint64:
    return move >> TWELVE


@routine
def turned(move: Move) -> Move:
    """The same move seen from the other side of the board: both squares mirrored, rank for rank."""
    return move ^ (FIFTY_SIX | FIFTY_SIX << SIX)


@routine
def clocks_after(
    pawns: Set, enemy: Set, move: Move, halfmoves: np.uint64, fullmoves: np.uint64, black: np.uint64
) -> tuple[np.uint64, np.uint64]:
    """Both clocks after a move; ``black`` is 1 if Black made it. They stop at the largest number that columns hold."""
    irreversible = (pawns >> origin_of(move) | enemy >> target_of(move)) & np.uint64(move < NULL_MOVE)
    return min((halfmoves + ONE) * (irreversible ^ ONE), LAST_CLOCK), min(fullmoves + black, LAST_CLOCK)


@routine
def castling_targets(origin: Square, rook: Square) -> tuple[Square, Square]:
    """Where king and rook land: g1 and f1 when the rook stands east of the king, else c1 and d1."""
    if rook > origin:
        return G1, F1
    return C1, D1


@routine
def _only_if(condition: bool, squares: Set) -> Set:
    return squares if condition else EMPTY


@routine
def make_move(board: Board, move: Move) -> Board:
    """The board after a move, still from the side that has just moved; nothing is checked, and null moves are excluded.

    Every set loses the squares that are left or captured, and gains the one where its piece lands. A king that castles
    does not land on the target of the move, which is its rook's square; a pawn that promotes lands in another set; a
    pawn that is captured en passant stands behind the target. There is no branch on the kind of the move, so that a
    loop makes eight moves of eight kinds by the same instructions.
    """
    origin, target, kind = origin_of(move), target_of(move), kind_of(move)
    start, end = bit(origin), bit(target)
    castles, takes_passing, promotes = kind == CASTLING, kind == EN_PASSANT, (kind >= TO_KNIGHT) & (kind <= TO_QUEEN)
    king_to, rook_to = castling_targets(origin, target)
    landed = bit(king_to) if castles else end
    rook = _only_if(castles, bit(rook_to))
    left = ~(start | end | _only_if(takes_passing, end >> EIGHT))

    pawn = _only_if(board.pawns & start != EMPTY, landed)
    return Board(
        board.own & left | landed | rook,
        board.enemy & left,
        board.pawns & left | _only_if(not promotes, pawn),
        board.knights & left | _only_if((board.knights & start != EMPTY) | (kind == TO_KNIGHT), landed),
        board.bishops & left | _only_if((board.bishops & start != EMPTY) | (kind == TO_BISHOP), landed),
        board.rooks & left | _only_if((board.rooks & start != EMPTY) | (kind == TO_ROOK), landed) | rook,
        board.queens & left | _only_if((board.queens & start != EMPTY) | (kind == TO_QUEEN), landed),
        board.kings & left | _only_if(board.kings & start != EMPTY, landed),
        board.castling & ~(start | end | _only_if(board.kings & start != EMPTY, RANK_1)),
        start << EIGHT & end >> EIGHT & RANK_3 & board.pawns << EIGHT,
    )


@routine
def normal_child(sets: Any, castling: Set, start: Set, end: Set) -> tuple[Any, Set, Set]:
    """``child_in_lanes`` for a normal move from the set ``start`` to the set ``end``.

    Every set changes by one rule: both squares are emptied, and the piece on the first is put on the second.
    """
    castling &= ~(start | end | RANK_1 * np.uint64(lane(sets, KINGS) & start != EMPTY))
    passed = start << EIGHT & end >> EIGHT & lane(sets, PAWNS) << EIGHT
    sets = sets & broadcast(~(start | end)) | lanes_hit(broadcast(end), sets & broadcast(start))
    return other_side(sets), byteswap(castling), byteswap(passed)


@routine
def child_in_lanes(sets: Any, castling: Set, passed: Set, move: Move) -> tuple[Any, Set, Set]:
    """``child`` with the eight sets in an octet: the sets, the castling rights and the passed square."""
    if kind_of(move) == NORMAL:
        return normal_child(sets, castling, bit(origin_of(move)), bit(target_of(move)))
    if kind_of(move) == NULL:
        return other_side(sets), byteswap(castling), EMPTY
    board = mirrored(make_move(board_of(sets, castling, passed), move))
    return lanes_of(board), board.castling, board.en_passant


@routine
def child(board: Board, move: Move) -> Board:
    """The board after a move or null move, from the side that moves next (nothing is checked)."""
    return board_of(*child_in_lanes(lanes_of(board), board.castling, board.en_passant, move))
