"""Find the one legal move with a given piece, target and hint of the origin, as a notation describes it."""

from __future__ import annotations

import numpy as np

from setwise.compiler import Move, Set, Square, routine, subroutine
from setwise.patterns import king, knight
from setwise.patterns.bits import (
    ALL,
    EIGHT,
    EMPTY,
    FILES,
    ONE,
    RANK_4,
    RANK_8,
    RANKS,
    SEVEN,
    SIXTEEN,
    bit,
    lowest,
    more_than_one,
    without_lowest,
)
from setwise.patterns.pawns.moves import attacks_down
from setwise.patterns.sliders import bishop_attacks, rook_attacks
from setwise.rules.board import Board, keeps_king_safe, king_square, lanes_of
from setwise.rules.generate import castling_rooks, legality
from setwise.rules.moves import CASTLING, EN_PASSANT, NORMAL, encoded, origin_of, target_of
from setwise.rules.pieces import BISHOP, KNIGHT, PAWN, QUEEN, ROOK

#: No hint: the notation does not name the file or the rank of the origin.
ANY = np.uint64(8)

#: Codes returned in place of a move, each a reason why there is none. They cannot be confused with moves, because their
#: target equals their origin; both are the number of the reason.
REASONS = {
    reason << 6 | reason: sentence
    for reason, sentence in enumerate(
        (
            "no piece can make this move",
            "this move leaves the king in check",
            "more than one piece can make this move",
            "a pawn that reaches the last rank must become a queen, rook, bishop or knight, and no other can",
            "castling is not possible here",
            "this is not a move",
        )
    )
}
NO_PIECE, UNSAFE, AMBIGUOUS, NO_PROMOTION, NO_CASTLING, UNREADABLE = map(np.uint64, REASONS)

_FILE_OR_ALL = np.array([*FILES, ALL], np.uint64)
_RANK_OR_ALL = np.array([*RANKS, ALL], np.uint64)


@routine
def is_move(move: Move) -> bool:
    """Whether a result of ``resolve`` is a move, not a reason."""
    return target_of(move) != origin_of(move)


@routine
def _is_safe(board: Board, origin: Square, target: Square, kind: np.uint64) -> bool:
    """Whether the king is safe after a move that is not castling."""
    start, end = bit(origin), bit(target)
    king = target if board.kings & start != EMPTY else king_square(board)
    return keeps_king_safe(lanes_of(board), king, start, end, end >> EIGHT if kind == EN_PASSANT else end)


@routine
def _pawn_origins(board: Board, target: Square, file: np.uint64) -> Set:
    """Return the pawns that can move to the target: by a capture from another file, else by a push."""
    target_set = bit(target)
    pawns, occupied = board.own & board.pawns, board.own | board.enemy
    if file != ANY and file != target & SEVEN:
        if target_set & (board.enemy & ~board.kings | board.en_passant) == EMPTY:
            return EMPTY
        return attacks_down(target_set) & pawns
    one, two = target_set >> EIGHT, target_set >> SIXTEEN
    if target_set & occupied != EMPTY:
        return EMPTY
    if target_set & RANK_4 != EMPTY and one & occupied == EMPTY:
        return two & pawns
    return one & pawns


@routine
def resolve(
    board: Board, piece: np.uint64, target: Square, file: np.uint64, rank: np.uint64, promotion: np.uint64
) -> Move:
    """Return the legal move of a piece to a target from a file and a rank (or ``ANY``), or why there is none.

    The board is the mover's, and so are the squares. ``promotion`` is a kind of move, ``NORMAL`` for none.
    """
    occupied = board.own | board.enemy
    kind = promotion
    if piece == PAWN:
        origins = _pawn_origins(board, target, file)
        if (bit(target) & RANK_8 != EMPTY) != (promotion != NORMAL):
            return NO_PROMOTION
        if bit(target) & board.en_passant != EMPTY and file != ANY and file != target & SEVEN:
            kind = EN_PASSANT
    else:
        if promotion != NORMAL:
            return NO_PROMOTION
        if piece == KNIGHT:
            origins = knight.ATTACKS[target] & board.knights
        elif piece == BISHOP:
            origins = bishop_attacks(target, occupied) & board.bishops
        elif piece == ROOK:
            origins = rook_attacks(target, occupied) & board.rooks
        elif piece == QUEEN:
            origins = (rook_attacks(target, occupied) | bishop_attacks(target, occupied)) & board.queens
        else:
            origins = king.ATTACKS[target] & board.kings
        if bit(target) & (board.own | board.kings) != EMPTY:
            origins = EMPTY
    origins &= board.own & _FILE_OR_ALL[file] & _RANK_OR_ALL[rank]
    if origins == EMPTY:
        return NO_PIECE
    if not more_than_one(origins):
        origin = lowest(origins)
        return encoded(origin, target, kind) if _is_safe(board, origin, target, kind) else UNSAFE
    result: Move = UNSAFE
    while origins != EMPTY:
        origin = lowest(origins)
        if _is_safe(board, origin, target, kind):
            if is_move(result):
                return AMBIGUOUS
            result = encoded(origin, target, kind)
        origins = without_lowest(origins)
    return result


@subroutine
def resolve_castling(board: Board, short: bool | np.bool) -> Move:
    """Return the castling move to one side, or ``NO_CASTLING``."""
    square = king_square(board)
    rooks = castling_rooks(board, legality(board))
    east = ~(bit(square) - ONE)
    rooks &= east if short else ~east
    if rooks == EMPTY:
        return NO_CASTLING
    return encoded(square, lowest(rooks), CASTLING)
