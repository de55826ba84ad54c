"""Positions as input of networks that engines update move by move (NNUE): the few inputs that are one, of many."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from setwise.compiler import Square, entry, routine
from setwise.compiler.signatures import boolean, int64, reads, uint64, void, writes
from setwise.errors import did_you_mean
from setwise.patterns import bits
from setwise.patterns.bits import EMPTY, FOUR, ONE, SEVEN, THREE, lowest, without_lowest
from setwise.rules.board import Board, board_at, king_square, mirrored

if TYPE_CHECKING:
    from setwise.position.positions import Positions

__all__ = ["NETWORK_INPUTS", "NetworkInputs", "network_inputs"]

#: The kinds of inputs, and how many inputs there are of each kind.
NETWORK_INPUTS = {"halfkp": 64 * 641, "halfkav2_hm": 32 * 704}

#: Inputs for each square of the king: ten kinds of pieces and one input that is never used; eleven kinds.
_HALFKP, _HALFKA = np.uint64(NETWORK_INPUTS["halfkp"] // 64), np.uint64(NETWORK_INPUTS["halfkav2_hm"] // 32)
#: Inputs for each kind of piece.
_WIDE = np.uint64(64)


class NetworkInputs(NamedTuple):
    """The inputs that are one, of many positions: two lists for each, from the mover's and from the other's view.

    The inputs of position k are ``own[offsets[k]:offsets[k + 1]]`` and the same part of ``enemy``. All are int64.
    """

    own: np.ndarray
    enemy: np.ndarray
    offsets: np.ndarray


@routine
def _write_view(board: Board, halves: Square, with_kings: bool, start: int, out: np.ndarray) -> int:
    """Write the inputs of one view; ``halves`` is xor-ed with each square. Return where the next ones begin."""
    king = king_square(board) ^ halves
    if with_kings:
        first = ((SEVEN - (king >> THREE)) * FOUR + SEVEN - (king & SEVEN)) * _HALFKA
    else:
        first = king * _HALFKP + ONE
    own, enemy = board.own, board.enemy
    for kind in (board.pawns, board.knights, board.bishops, board.rooks, board.queens):
        for side in (own, enemy):
            left = side & kind
            while left != EMPTY:
                out[start] = np.int64(first + (lowest(left) ^ halves))
                left = without_lowest(left)
                start += 1
            first += _WIDE
    if with_kings:
        left = board.kings
        while left != EMPTY:
            out[start] = np.int64(first + (lowest(left) ^ halves))
            left = without_lowest(left)
            start += 1
    return start


@routine
def _halves(board: Board, white: np.bool | bool, with_kings: bool) -> Square:
    """What is xor-ed with a square of a view that goes up the board: 7 exchanges the left half and the right one."""
    if with_kings:
        return EMPTY if king_square(board) & FOUR else SEVEN
    return EMPTY if white else SEVEN


@entry(void, reads(uint64, 2, "A"), reads(boolean), boolean, reads(int64), writes(int64), writes(int64))
def _write(
    sets: np.ndarray, white_to_move: np.ndarray, with_kings: bool, offsets: np.ndarray,
    own: np.ndarray, enemy: np.ndarray,
) -> None:  # fmt: skip
    """Write the inputs of every position from both views, from its offset on."""
    for k in range(sets.shape[1]):
        white = white_to_move[k]
        seen_by_white = board_at(sets, k)
        seen_by_black = mirrored(seen_by_white)
        board, other = (seen_by_white, seen_by_black) if white else (seen_by_black, seen_by_white)
        _write_view(board, _halves(board, white, with_kings), with_kings, offsets[k], own)
        _write_view(other, _halves(other, not white, with_kings), with_kings, offsets[k], enemy)


def network_inputs(positions: Positions, kind: str) -> NetworkInputs:
    """Return the inputs of every position for an efficiently updatable network (NNUE), as indices with offsets.

    Each piece gives one input to each of two views: the mover's, and the other side's. An input is a square of the
    view's own king, with a kind of piece and its square. A first layer adds one row of weights for each.

    Args:
        kind: ``"halfkp"``, 41,024 inputs: all pieces except the kings, by 64 squares of the king; Black's view is
            White's, turned by half a turn. ``"halfkav2_hm"``, 22,528 inputs: all pieces, by 32 squares of the king;
            Black's view is reversed by ranks, and a view whose king stands on the files a to d by files. Both have the
            numbers of Stockfish and of nnue-pytorch, so that their networks can be read.

    Raises:
        ValueError: ``kind`` is neither.

    Example:
        The white king on e1 sees its own pawn on e2, and the black king on e8.

        >>> from setwise import Positions
        >>> position = Positions.from_fens(["4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"])
        >>> position.network_inputs("halfkp")
        NetworkInputs(own=array([2577]), enemy=array([2039]), offsets=array([0, 1]))
        >>> own, enemy, offsets = position.network_inputs("halfkav2_hm")
        >>> own, offsets
        (array([21836, 22468, 22524]), array([0, 3]))

    Traps:
        ``offsets`` has one item more than there are positions, as ``EmbeddingBag(include_last_offset=True)`` of torch
        takes it. Half a turn exchanges the wings: seen by ``"halfkp"``, Black castles short to the left.

    Source:
        Yu Nasu's NNUE, and the documentation of nnue-pytorch on HalfKP and HalfKAv2_hm.
    """
    if kind not in NETWORK_INPUTS:
        hint = did_you_mean(kind, NETWORK_INPUTS)
        raise ValueError(f"there are no network inputs {kind!r}; there are {' and '.join(NETWORK_INPUTS)}{hint}")
    with_kings = kind == "halfkav2_hm"
    counts = bits.count(positions.sets[0] | positions.sets[1]).astype(np.int64)
    offsets = np.zeros(len(positions) + 1, np.int64)
    np.cumsum(counts if with_kings else counts - 2, out=offsets[1:])
    own, enemy = np.empty((2, offsets[-1]), np.int64)
    _write(positions.sets, positions.white_to_move, with_kings, offsets, own, enemy)
    return NetworkInputs(own, enemy, offsets)
