"""Games as positions: every position of every game, in columns.

The parser writes the boards while it plays the moves, if they are requested beforehand; otherwise ``replay`` writes
them afterwards. ``describe`` derives the other columns from boards and moves.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from setwise.compiler import Move, Set, Square, byteswap, entry, routine
from setwise.compiler.lanes import lane, unpacked
from setwise.compiler.signatures import boolean, int32, int64, reads, uint16, uint64, void, writes
from setwise.notation.pgn.table import BOARD, FIRST_MOVE
from setwise.patterns.bits import EMPTY, ONE, SEVEN, ZERO, bit
from setwise.rules.board import ENEMY, KINGS, OWN, PAWNS, ROOKS, lanes_of, other_side
from setwise.rules.moves import (
    CASTLING,
    EN_PASSANT,
    FIFTY_SIX,
    NORMAL,
    NULL,
    child_in_lanes,
    clocks_after,
    encoded,
    kind_of,
    origin_of,
    target_of,
    turned,
)  # fmt: skip
from setwise.rules.state import USUAL_START, State, movers_board, state_in

__all__ = ["describe", "put_board", "replay", "replay_rows", "start_of"]


@routine
def start_of(game: np.ndarray, boards: np.ndarray) -> State:
    """Return the state that a game starts from."""
    return state_in(boards[game[BOARD]]) if game[BOARD] >= 0 else USUAL_START


@routine
def _moves_of(games: np.ndarray, number: int, moves: np.ndarray) -> tuple[int, int]:
    """Return where the moves of a game begin and end."""
    first = games[number, FIRST_MOVE]
    return first, games[number + 1, FIRST_MOVE] if number + 1 < games.shape[0] else moves.size


@routine
def put_board(sets: np.ndarray, row: int, lanes: Any, castling: Set, passed: Set, flip: np.uint64) -> None:
    """Write the mover's board as White sees it, if there is room for it; ``flip`` is empty if White moves."""
    if row < sets.shape[1]:
        k, white = np.uint64(row), flip == EMPTY
        shown = unpacked(lanes if white else other_side(lanes))
        sets[0, k], sets[1, k], sets[2, k], sets[3, k] = shown[0], shown[1], shown[2], shown[3]
        sets[4, k], sets[5, k], sets[6, k], sets[7, k] = shown[4], shown[5], shown[6], shown[7]
        sets[8, k], sets[9, k] = (castling, passed) if white else (byteswap(castling), byteswap(passed))


@entry(void, reads(int64, 2, "A"), reads(uint16), reads(uint64, 2, "A"), writes(uint64, 2))
def replay(games: np.ndarray, moves: np.ndarray, boards: np.ndarray, sets: np.ndarray) -> None:
    """Write the board of every position of the games, including the first and the last, game by game.

    ``sets`` gets ten rows (eight sets, castling, en passant) from White's side.
    """
    for number in range(games.shape[0]):
        first, last = _moves_of(games, number, moves)
        start = start_of(games[number], boards)
        board, flip = movers_board(start), FIFTY_SIX * (ONE - start.white_to_move)
        lanes, castling, passed = lanes_of(board), board.castling, board.en_passant
        for n in range(first, last):
            put_board(sets, n + number, lanes, castling, passed, flip)
            move = np.uint64(moves[np.uint64(n)])
            lanes, castling, passed = child_in_lanes(lanes, castling, passed, turned(move) if flip != EMPTY else move)
            flip ^= FIFTY_SIX
        put_board(sets, last + number, lanes, castling, passed, flip)


@entry(
    void,
    reads(int64, 2, "A"), reads(uint16), reads(uint64, 2, "A"), reads(uint64, 2, "A"),
    writes(boolean), writes(uint16, 2), writes(int32, 2),
)  # fmt: skip
def describe(
    games: np.ndarray,
    moves: np.ndarray,
    boards: np.ndarray,
    sets: np.ndarray,
    white_to_move: np.ndarray,
    clocks: np.ndarray,
    places: np.ndarray,
) -> None:
    """Write the columns beside the boards of all positions.

    ``clocks`` gets the halfmove clock, the number of the full move and the move played next (0 when there is none);
    ``places`` the game's row and the ply.
    """
    for number in range(games.shape[0]):
        first, last = _moves_of(games, number, moves)
        start = start_of(games[number], boards)
        white, halfmoves = np.uint64(start.white_to_move), np.uint64(start.halfmove_clock)
        fullmoves = np.uint64(start.fullmove_number)
        for n in range(first, last + 1):
            row = np.uint64(n + number)
            move = np.uint64(moves[np.uint64(n)]) if n < last else EMPTY
            white_to_move[row] = white != EMPTY
            clocks[0, row], clocks[1, row], clocks[2, row] = np.uint16(halfmoves), np.uint16(fullmoves), np.uint16(move)
            places[0, row], places[1, row] = np.int32(number), np.int32(n - first)
            pawns, enemy = sets[PAWNS, row], sets[white, row]
            halfmoves, fullmoves = clocks_after(pawns, enemy, move, halfmoves, fullmoves, white ^ ONE)
            white ^= ONE


_E1, _TWO_SQUARES = np.uint64(4), np.uint64(2)


@routine
def _of_squares(lanes: Any, passed: Set, move: Move) -> Move:
    """Return the mover's move with its kind, given squares; UCI says nothing but promotions and null moves.

    Castling is the king's step of two squares from e1, or king takes rook, as UCI writes it in Chess960.
    """
    origin, target = origin_of(move), target_of(move)
    start, end = bit(origin), bit(target)
    if kind_of(move) != NORMAL:
        return move
    if lane(lanes, KINGS) & start != EMPTY:
        if lane(lanes, OWN) & lane(lanes, ROOKS) & end != EMPTY:
            return encoded(origin, target, CASTLING)
        if origin == _E1 and (target == _E1 + _TWO_SQUARES or target == _E1 - _TWO_SQUARES):
            rook: Square = SEVEN if target > origin else ZERO
            return encoded(origin, rook, CASTLING)
    if lane(lanes, PAWNS) & start != EMPTY and passed & end != EMPTY:
        return encoded(origin, target, EN_PASSANT)
    return move


@entry(
    void, reads(int64), reads(int64), reads(int32), reads(uint16), writes(uint64, 2), writes(boolean), writes(uint16, 2)
)
def replay_rows(
    begins: np.ndarray,
    rows: np.ndarray,
    numbers: np.ndarray,
    known: np.ndarray,
    sets: np.ndarray,
    white_to_move: np.ndarray,
    clocks: np.ndarray,
) -> None:
    """Write the columns of some positions of games that begin at the usual position, given a row for each position.

    ``begins`` has the first row of each game, and the end of the last one; ``rows`` are the positions to be written,
    ascending; ``numbers`` has the number of each row's move among those that are ``known`` by their squares (the last
    row of a game has none). ``sets`` and ``clocks`` are those of ``replay`` and ``describe``.
    """
    k = 0
    for game in range(begins.size - 1):
        end = begins[game + 1]
        if k == rows.size:
            break
        if rows[k] >= end:
            continue
        board = movers_board(USUAL_START)
        lanes, castling, passed, flip = lanes_of(board), board.castling, board.en_passant, EMPTY
        halfmoves, fullmoves, n = EMPTY, ONE, begins[game]
        while True:
            written = np.uint64(known[np.uint64(numbers[np.uint64(n)])]) if n + 1 < end else EMPTY
            move = _of_squares(lanes, passed, turned(written) if flip != EMPTY else written)
            if rows[k] == n:
                row, seen = np.uint64(k), turned(move) if flip != EMPTY else move
                put_board(sets, k, lanes, castling, passed, flip)
                white_to_move[row] = flip == EMPTY
                clocks[0, row], clocks[1, row] = np.uint16(halfmoves), np.uint16(fullmoves)
                clocks[2, row] = np.uint16(seen if kind_of(written) != NULL and written != EMPTY else written)
                k += 1
                if k == rows.size or rows[k] >= end:
                    break
            pawns, enemy, black = lane(lanes, PAWNS), lane(lanes, ENEMY), np.uint64(flip != EMPTY)
            halfmoves, fullmoves = clocks_after(pawns, enemy, move, halfmoves, fullmoves, black)
            lanes, castling, passed = child_in_lanes(lanes, castling, passed, move)
            flip ^= FIFTY_SIX
            n += 1
