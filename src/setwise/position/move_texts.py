"""Moves of many positions as text, in one call."""

from __future__ import annotations

import numpy as np

from setwise.compiler import entry
from setwise.compiler.signatures import boolean, int64, reads, uint8, uint16, uint64, void, writes
from setwise.notation.san import write_san
from setwise.notation.uci import write_uci
from setwise.patterns.bits import ZERO
from setwise.rules.board import board_at, mirrored
from setwise.rules.moves import turned

__all__ = ["LONGEST_MOVE", "write_moves"]

#: No SAN of one move is longer: ``Qa1xb2#`` and ``exd8=Q+`` are the longest kinds.
LONGEST_MOVE = 8

_FLIP = np.uint64(56)


@entry(void, reads(uint64, 2), reads(boolean), reads(uint16), reads(boolean), boolean, writes(uint8), writes(int64))
def write_moves(sets, white_to_move, moves, chess960, san, out, offsets):
    """Write the move of every position in SAN or in UCI one after the other, ``offsets`` between them.

    ``sets`` has the ten rows of a Board as White sees it. A move of 0 is none and has no text. In UCI a king that
    castles in Chess960 takes the rook.
    """
    at = 0
    for k in range(offsets.size - 1):
        offsets[k] = at
        move = np.uint64(moves[k])
        if move == ZERO:
            continue
        if san:
            board = board_at(sets, k)
            if white_to_move[k]:
                at = write_san(board, move, ZERO, False, out, at)
            else:
                at = write_san(mirrored(board), turned(move), _FLIP, False, out, at)
        else:
            at = write_uci(move, chess960[k], out, at)
    offsets[offsets.size - 1] = at
