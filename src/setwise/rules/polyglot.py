"""The Polyglot key of a position: 64 bits that identify it, in opening books and in searches for duplicates.

The key is the exclusive or of published numbers: one number for each piece on its square, for each castling right, for
the file of a pawn that can be taken in passing, and for the turn. If two positions differ on few squares, as neighbours
in a game do, the key of one is computed from the key of the other and from the pieces on these squares.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from setwise.compiler import Set, Square, entry, routine
from setwise.compiler.kinds import boolean, reads, uint64, void, writes
from setwise.patterns.bits import EIGHT, EMPTY, ONE, RANK_1, RANK_8, SEVEN, SIX, THREE, ZERO, lowest, without_lowest
from setwise.patterns.compass import sideways
from setwise.rules.board import Board, board_at, piece_bits, piece_on

#: The 781 numbers of the book format, in its order: 768 pieces on squares, a rank on each line of the file, 4 castling
#: rights, 8 files, the turn.
NUMBERS = np.array(
    [int(number, 16) for number in Path(__file__).with_suffix(".txt").read_text("ascii").split()], np.uint64
)

#: The number of a piece, at the index ``(piece | white << 3) << 6 | square``; zero for no piece, so that the key does
#: not change.
_NUMBER_OF = np.zeros(16 * 64, np.uint64)
_NUMBER_OF[64:448] = NUMBERS[:768].reshape(6, 2, 64)[:, 0].ravel()
_NUMBER_OF[576:960] = NUMBERS[:768].reshape(6, 2, 64)[:, 1].ravel()
_WHITE_SHORT, _WHITE_LONG, _BLACK_SHORT, _BLACK_LONG = NUMBERS[768:772]
_FILES, _TURN = NUMBERS[772:780].copy(), NUMBERS[780]

_EMPTY_BOARD = Board(*[EMPTY] * 10)


@routine
def _number_on(board: Board, bits: tuple[Set, Set, Set], square: Square) -> np.uint64:
    """The number of the piece on a square, zero if it is empty."""
    return _NUMBER_OF[(piece_on(bits, square) | (board.own >> square & ONE) << THREE) << SIX | square]


@routine
def _difference(before: Board, after: Board) -> np.uint64:
    """The exclusive or of the keys of the pieces on two boards, from White's view."""
    old, new = piece_bits(before), piece_bits(after)
    changed = (old[0] ^ new[0]) | (old[1] ^ new[1]) | (old[2] ^ new[2]) | (before.own ^ after.own)
    key = ZERO
    while changed != EMPTY:
        square = lowest(changed)
        key ^= _number_on(before, old, square) ^ _number_on(after, new, square)
        changed = without_lowest(changed)
    return key


@routine
def _castling(rooks: Set, king: Set, short: np.uint64, long: np.uint64) -> np.uint64:
    """The numbers of one side's castling rights: a rook east of the king castles short, also in Chess960."""
    rooks *= np.uint64(king != EMPTY)
    return short * np.uint64(rooks > king) ^ long * np.uint64(rooks & (king - ONE) != EMPTY)


@routine
def _situation(board: Board, white_to_move: bool) -> np.uint64:
    """The key without the pieces; a passed square counts only if an enemy pawn is beside the pawn that passed it."""
    kings = board.kings
    white, black = board.own & kings & RANK_1, board.enemy & kings & RANK_8
    key = _castling(board.castling & RANK_1, white, _WHITE_SHORT, _WHITE_LONG)
    key ^= _castling(board.castling & RANK_8, black, _BLACK_SHORT, _BLACK_LONG)
    passed, captors = board.en_passant, board.pawns
    if white_to_move:
        key ^= _TURN
        passed, captors = passed >> EIGHT, captors & board.own
    else:
        passed, captors = passed << EIGHT, captors & board.enemy
    if sideways(passed) & captors != EMPTY:
        key ^= _FILES[lowest(passed) & SEVEN]
    return key


@routine
def key_of(board: Board, white_to_move: bool) -> np.uint64:
    """The key of a board from White's view."""
    return _difference(_EMPTY_BOARD, board) ^ _situation(board, white_to_move)


@entry(
    void,
    reads(uint64, 2), reads(boolean),
    writes(uint64),
)  # fmt: skip
def keys(sets: np.ndarray, white_to_move: np.ndarray, out: np.ndarray) -> None:
    """Write the key of each position, computed from the previous position's key and the pieces that differ."""
    before, pieces = _EMPTY_BOARD, ZERO
    for k in range(out.size):
        board = board_at(sets, k)
        pieces ^= _difference(before, board)
        out[k] = pieces ^ _situation(board, white_to_move[k])
        before = board
