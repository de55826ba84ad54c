"""The phases of a game, as Lichess divides it: opening, middlegame, endgame.

The middlegame begins at the first position with ten pieces or fewer (without kings and pawns), or with fewer than four
pieces on a side's first rank, or where the pieces of both sides are mixed enough; the endgame at the first with six
pieces or fewer. Once begun, a phase does not go back.

Source: lichess-org/scalachess, ``Divider``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from setwise.compiler import Count, entry, popcount, routine
from setwise.compiler.signatures import boolean, int8, reads, uint64, void, writes
from setwise.patterns.bits import EIGHT, RANK_1, RANK_8
from setwise.rules.board import Board, board_at

__all__ = ["phases_of"]

_MIDDLEGAME_PIECES, _ENDGAME_PIECES, _DEVELOPED, _MIXED = (np.uint64(number) for number in (10, 6, 4, 150))
_SQUARES_OF_FOUR, _SEVEN_FILES, _SEVEN_RANKS = np.uint64(0x0303), 7, 7


def _score(rank: int, white: int, black: int) -> int:
    """Return the score of a 2 × 2 block with its lower edge on a rank (1 to 7), by the pieces of each side in it."""
    up, down = rank, 8 - rank  # how far from each side's first rank
    scores = {
        (0, 1): 1 + up, (0, 2): 2 + (6 - up) if up < 6 else 0, (0, 3): 3 + (7 - up) if up < 7 else 0,
        (0, 4): 3 + (7 - up) if up < 7 else 0, (1, 0): 1 + down, (1, 1): 5 + abs(4 - up), (1, 2): 4 + (7 - up),
        (1, 3): 5 + (7 - up), (2, 0): 2 + (up - 2) if up > 2 else 0, (2, 1): 4 + (up - 1), (2, 2): 7,
        (3, 0): 3 + (up - 1) if up > 1 else 0, (3, 1): 5 + (up - 1), (4, 0): 3 + (up - 1) if up > 1 else 0,
    }  # fmt: skip
    return scores.get((white, black), 0)


_SCORES = np.array([[_score(rank, pair // 8, pair % 8) for pair in range(64)] for rank in range(1, 8)], np.uint64)


@routine
def _mixture(board: Board) -> Any:
    """Return how much the pieces of both sides are mixed: a sum over all 2 × 2 blocks."""
    total = np.uint64(0)
    for rank in range(_SEVEN_RANKS):
        for file in range(_SEVEN_FILES):
            four = _SQUARES_OF_FOUR << np.uint64(8 * rank + file)
            total += _SCORES[rank, popcount(board.own & four) * EIGHT + popcount(board.enemy & four)]
    return total


@routine
def _is_middlegame(board: Board, pieces: Count) -> bool:
    if pieces <= _MIDDLEGAME_PIECES:
        return True
    if popcount(board.own & RANK_1) < _DEVELOPED or popcount(board.enemy & RANK_8) < _DEVELOPED:
        return True
    return _mixture(board) > _MIXED


@entry(void, reads(uint64, 2, "A"), reads(boolean), writes(int8))
def _divide(sets: np.ndarray, starts: np.ndarray, out: np.ndarray) -> None:
    """Write the phase of each position; ``starts`` marks the first one of each game."""
    phase = 0
    for k in range(starts.size):
        board = board_at(sets, k)
        if starts[k]:
            phase = 0
        pieces = popcount((board.own | board.enemy) & ~(board.kings | board.pawns))
        if phase == 0 and _is_middlegame(board, pieces):
            phase = 1
        if phase == 1 and pieces <= _ENDGAME_PIECES:
            phase = 2
        out[k] = phase


def phases_of(sets: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Return the phase of each position: 0 opening, 1 middlegame, 2 endgame.

    Args:
        sets: the ten rows of ``Positions.sets``.
        starts: whether each position is the first of a game; a position without a game is evaluated alone.
    """
    out = np.empty(len(starts), np.int8)
    _divide(sets, starts, out)
    return out
