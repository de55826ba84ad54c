"""Games replayed: every position of every game, in columns."""

from __future__ import annotations

import numpy as np

from setwise.compiler import byteswap, entry
from setwise.compiler.lanes import lane, unpacked
from setwise.compiler.signatures import boolean, int32, int64, reads, uint16, uint64, void, writes
from setwise.notation.pgn.table import BOARD, FIRST_MOVE
from setwise.patterns.bits import EMPTY
from setwise.rules.board import ENEMY, PAWNS, lanes_of, other_side
from setwise.rules.moves import after, clocks_after, turned
from setwise.rules.state import USUAL_START, movers_board, state_in

__all__ = ["replay"]


@entry(
    void,
    reads(int64, 2, "A"), reads(uint16),
    reads(uint64, 2, "A"), writes(uint64, 2),
    writes(boolean),
    writes(uint16, 2), writes(int32, 2),
)  # fmt: skip
def replay(games, moves, boards, sets, white_to_move, clocks, places):
    """Write every position of the games, the first and the last ones too, each game's in a row.

    ``sets`` gets ten rows (eight sets, castling, en passant) from White's side; ``clocks`` the halfmove clock, the
    number of the full move and the move played next (0 when there is none); ``places`` the game's row and the ply.
    """
    n = 0
    for game in range(games.shape[0]):
        first = games[game, FIRST_MOVE]
        last = games[game + 1, FIRST_MOVE] if game + 1 < games.shape[0] else np.int64(moves.size)
        custom = games[game, BOARD]
        start = state_in(boards[custom]) if custom >= 0 else USUAL_START
        white, halfmoves, fullmoves = start.white_to_move != EMPTY, start.halfmove_clock, start.fullmove_number
        board = movers_board(start)
        lanes, castling, passed = lanes_of(board), board.castling, board.en_passant
        for ply in range(last - first + 1):
            row = np.uint64(n)
            shown = unpacked(lanes if white else other_side(lanes))
            sets[0, row], sets[1, row], sets[2, row], sets[3, row] = shown[0], shown[1], shown[2], shown[3]
            sets[4, row], sets[5, row], sets[6, row], sets[7, row] = shown[4], shown[5], shown[6], shown[7]
            sets[8, row], sets[9, row] = (castling, passed) if white else (byteswap(castling), byteswap(passed))
            white_to_move[row] = white
            clocks[0, row], clocks[1, row], clocks[2, row] = np.uint16(halfmoves), np.uint16(fullmoves), np.uint16(0)
            places[0, row], places[1, row] = np.int32(game), np.int32(ply)
            n += 1
            if first + ply == last:
                break
            move = np.uint64(moves[np.uint64(first + ply)])
            clocks[2, row] = np.uint16(move)
            if not white:
                move = turned(move)
            pawns, enemy = lane(lanes, PAWNS), lane(lanes, ENEMY)
            halfmoves, fullmoves = clocks_after(pawns, enemy, move, halfmoves, fullmoves, np.uint64(not white))
            lanes, castling, passed = after(lanes, castling, move)
            lanes, castling, passed = other_side(lanes), byteswap(castling), byteswap(passed)
            white = not white
