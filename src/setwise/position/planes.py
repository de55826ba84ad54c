"""Positions as input of networks: a stack of 8 × 8 planes each, of zeros and ones, except for the clock."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from setwise.compiler import Set, byteswap, entry, routine
from setwise.compiler.signatures import boolean, reads, uint16, uint64, void, writes
from setwise.patterns.bits import ALL, EMPTY, ONE, RANK_1
from setwise.rules.board import Board, board_at, mirrored

if TYPE_CHECKING:
    import numpy.typing as npt

    from setwise.position.positions import Positions

__all__ = ["PIECE_PLANES", "PLANES", "planes"]

#: The number of planes of pieces, and the number of all planes.
PIECE_PLANES, PLANES = 12, 19
#: Positions per conversion to another type: their bytes fit the processor's cache.
_CHUNK = 512

_BYTE, _EACH, _DIAGONAL = np.uint64(0xFF), np.uint64(0x0101_0101_0101_0101), np.uint64(0x8040_2010_0804_0201)
_CARRY, _SEVEN, _EIGHT = np.uint64(0x7F7F_7F7F_7F7F_7F7F), np.uint64(7), np.uint64(8)


@routine
def _rank(squares: Set) -> Set:
    """Expand the lowest eight bits to eight bytes of 0 or 1: each byte keeps one bit, a carry moves it to bit 7."""
    return ((squares & _BYTE) * _EACH & _DIAGONAL) + _CARRY >> _SEVEN & _EACH


@routine
def _whole(flag: np.bool | bool) -> Set:
    return ALL if flag else EMPTY


@routine
def _stack(board: Board, white: bool) -> tuple[Set, ...]:
    """Return the planes except the clock's as sets: own and enemy pieces, White to move, rights, passed square."""
    own, enemy = board.own, board.enemy
    king, rooks = own & board.kings & RANK_1, own & board.castling & RANK_1
    other, others = byteswap(enemy & board.kings) & RANK_1, byteswap(enemy & board.castling) & RANK_1
    return (
        own & board.pawns, own & board.knights, own & board.bishops,
        own & board.rooks, own & board.queens, own & board.kings,
        enemy & board.pawns, enemy & board.knights, enemy & board.bishops,
        enemy & board.rooks, enemy & board.queens, enemy & board.kings,
        _whole(white),
        _whole(rooks > king), _whole(rooks & (king - ONE) != EMPTY),
        _whole(others > other), _whole(others & (other - ONE) != EMPTY),
        board.en_passant,
    )  # fmt: skip


@entry(
    void,
    reads(uint64, 2, "A"), reads(boolean),
    reads(uint16), boolean, writes(uint64, 3),
)  # fmt: skip
def _fill(sets: np.ndarray, white_to_move: np.ndarray, clocks: np.ndarray, from_mover: bool, out: np.ndarray) -> None:
    """Write as many planes of each position as ``out`` has, one word per rank."""
    for k in range(out.shape[0]):
        board = board_at(sets, k)
        white = white_to_move[k]
        if from_mover and not white:
            board = mirrored(board)
        stack = _stack(board, white)
        for plane in range(min(len(stack), out.shape[1])):
            left = stack[plane]
            for rank in range(8):
                out[k, plane, rank] = _rank(left)
                left >>= _EIGHT
        if out.shape[1] > len(stack):
            clock = min(np.uint64(clocks[k]), _BYTE) * _EACH
            for rank in range(8):
                out[k, len(stack), rank] = clock


def planes(
    positions: Positions, dtype: npt.DTypeLike = np.uint8, *, from_mover: bool = False, situation: bool = True
) -> np.ndarray[Any, Any]:
    """Return every position as planes for a network, an array of n × 19 × 8 × 8: ``[position, plane, rank, file]``.

    Rank 0 is the first rank, file 0 the a-file: square s is ``[…, s // 8, s % 8]``. Planes 0 to 5 are White's
    pawns, knights, bishops, rooks, queens and king, 6 to 11 Black's. Then comes the situation: 12 is full of ones
    when White moves; 13 to 16 when White may castle short, long, Black short, long; 17 has the square that a pawn
    has just passed, as ``en_passant`` has it; 18 is full of the halfmove clock, at most 255. All else is 0.

    Args:
        dtype: any type of numbers, ``np.uint8`` or ``np.float32`` for example; the numbers are the same.
        from_mover: show every position from the side to move: where Black moves, ranks are reversed and colours
            exchanged, so that the mover's pieces are planes 0 to 5 and go up the board, and its rights 13 and 14.
            Plane 12 still holds whether White is to move.
        situation: include planes 12 to 18; without them the array is n × 12 × 8 × 8.

    Example:
        >>> from setwise import Positions
        >>> planes = Positions.from_fens(["4k3/8/8/8/8/8/4P3/4K2R w K - 7 30"]).planes()
        >>> planes.shape, planes[0, 0, 1], planes[0, 12:, 0, 0]
        ((1, 19, 8, 8), array([0, 0, 0, 0, 1, 0, 0, 0], dtype=uint8), array([1, 1, 0, 0, 0, 0, 7], dtype=uint8))
    """
    number, clocks, white_to_move = (
        PLANES if situation else PIECE_PLANES,
        positions.halfmove_clock,
        positions.white_to_move,
    )
    count = len(white_to_move)
    out = np.empty((count, number, 8, 8), dtype)
    chunk = count if out.dtype == np.uint8 else _CHUNK
    words = np.empty((0 if out.dtype == np.uint8 else min(chunk, count), number, 8), np.uint64)
    for start in range(0, count, max(chunk, 1)):
        part = slice(start, min(start + chunk, count))
        room = out.view(np.uint64)[..., 0] if out.dtype == np.uint8 else words[: part.stop - start]
        _fill(positions.sets[:, part], white_to_move[part], clocks[part], from_mover, room)
        if out.dtype != np.uint8:
            out[part] = room.view(np.uint8).reshape(-1, number, 8, 8)
    return out
