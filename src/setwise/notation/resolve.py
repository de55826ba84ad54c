"""From what a notation says of a move (piece, target, a hint of the origin) to the one legal move that it means."""

from __future__ import annotations

import numpy as np

from setwise.compiler import routine, subroutine, trailing_zeros
from setwise.patterns import king, knight
from setwise.patterns.bits import ALL, EIGHT, EMPTY, FILES, ONE, RANK_4, RANK_8, RANKS, SEVEN, SIXTEEN
from setwise.patterns.pawns.moves import attacks_down
from setwise.patterns.sliders import bishop_attacks, rook_attacks
from setwise.rules.board import is_attacked, king_square, lanes_of
from setwise.rules.generate import castling_rooks, legality
from setwise.rules.moves import CASTLING, EN_PASSANT, NORMAL, encoded, origin_of, target_of
from setwise.rules.pieces import BISHOP, KNIGHT, PAWN, QUEEN, ROOK

#: No hint: the file or the rank of the origin is not given.
ANY = np.uint64(8)

#: What stands in the place of a move when there is none, and why. No move looks like these: their target is their
#: origin, the number of the reason.
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
def is_move(move):
    """Whether ``resolve`` found a move."""
    return target_of(move) != origin_of(move)


@routine
def _safe(board, origin, target, kind):
    """Whether the king is safe after a move, from the squares that it empties and fills alone."""
    start, end = ONE << origin, ONE << target
    taken = end >> EIGHT if kind == EN_PASSANT else end
    occupied = (board.own | board.enemy) & ~(start | taken) | end
    square = target if board.kings & start != EMPTY else king_square(board)
    return not is_attacked(lanes_of(board), square, board.enemy & ~taken, occupied)


@routine
def _pawn_origins(board, target, file):
    """Pawns that can go to the target: sideways when they come from another file, else forwards."""
    there = ONE << target
    pawns, occupied = board.own & board.pawns, board.own | board.enemy
    if file != ANY and file != target & SEVEN:
        if there & (board.enemy & ~board.kings | board.en_passant) == EMPTY:
            return EMPTY
        return attacks_down(there) & pawns
    one, two = there >> EIGHT, there >> SIXTEEN
    if there & occupied != EMPTY:
        return EMPTY
    if there & RANK_4 != EMPTY and one & occupied == EMPTY:
        return two & pawns
    return one & pawns


@routine
def resolve(board, piece, target, file, rank, promotion):
    """The legal move of a piece to a target from a file and a rank (``ANY`` where not given), or why there is none.

    The board is the mover's, and so are the squares. ``promotion`` is a kind of move, ``NORMAL`` for none.
    """
    occupied = board.own | board.enemy
    kind = promotion
    if piece == PAWN:
        origins = _pawn_origins(board, target, file)
        if (ONE << target & RANK_8 != EMPTY) != (promotion != NORMAL):
            return NO_PROMOTION
        if ONE << target & board.en_passant != EMPTY and file != ANY and file != target & SEVEN:
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
        if ONE << target & (board.own | board.kings) != EMPTY:
            origins = EMPTY
    origins &= board.own & _FILE_OR_ALL[file] & _RANK_OR_ALL[rank]
    if origins == EMPTY:
        return NO_PIECE
    if origins & (origins - ONE) == EMPTY:
        origin = trailing_zeros(origins)
        return encoded(origin, target, kind) if _safe(board, origin, target, kind) else UNSAFE
    found = UNSAFE
    while origins != EMPTY:
        origin = trailing_zeros(origins)
        if _safe(board, origin, target, kind):
            if is_move(found):
                return AMBIGUOUS
            found = encoded(origin, target, kind)
        origins &= origins - ONE
    return found


@subroutine
def resolve_castling(board, short):
    """The castling move to one side, or ``NO_CASTLING``."""
    square = king_square(board)
    rooks = castling_rooks(board, legality(board))
    east = ~((ONE << square) - ONE)
    rooks &= east if short else ~east
    if rooks == EMPTY:
        return NO_CASTLING
    return encoded(square, trailing_zeros(rooks), CASTLING)
