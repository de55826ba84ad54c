"""One position at a time: what ``Position`` asks of compiled code, one call a question.

A position is a tuple of thirteen numbers: the ten sets of a Board as White sees it, whether White moves, half moves,
full moves. Moves go in and come out as White sees them.
"""

from __future__ import annotations

import numpy as np
from numba import types

from setwise.bits import EMPTY, ONE, ZERO, byteswap
from setwise.kernel import entry, routine, scratch, subroutine
from setwise.notation.fen import MOST_BYTES, write_fen
from setwise.notation.san import UNREADABLE, read_san, write_san
from setwise.notation.uci import read_uci, write_uci
from setwise.objects import PYTHON_OBJECT, list_of, text_of
from setwise.rules.board import Board, attackers, king_square, mirrored
from setwise.rules.ends import cannot_win
from setwise.rules.generate import count_moves, generate, legality, no_limits
from setwise.rules.moves import moved, origin_of, target_of
from setwise.rules.resolve import is_move

__all__ = ["LAN", "SAN", "UCI", "UCI_960", "facts", "fen", "moves", "play", "read_move", "write_move"]

#: Notations of moves.
UCI, UCI_960, SAN, LAN = (np.uint64(notation) for notation in range(4))

#: Fifteen men have at most 27 moves each, the king eight and two more; no position that is played has more men.
MOST_MOVES = 416
_move_list, _text = scratch(MOST_MOVES), scratch(MOST_BYTES)

STATE = types.UniTuple(types.uint64, 13)
_FLIP, _FLIP_MOVE = np.uint64(56), np.uint64(56 << 6 | 56)


@routine
def _seen(state):
    """The mover's board, and what turns squares and moves of White's view into his."""
    board = Board(
        state[0], state[1], state[2], state[3], state[4], state[5], state[6], state[7], state[8], state[9]
    )  # fmt: skip
    if state[10] != ZERO:
        return board, ZERO, ZERO
    return mirrored(board), _FLIP, _FLIP_MOVE


@subroutine
def _list(board, legal, found):
    return generate(board, legality(board) if legal else no_limits(), found)


@entry(PYTHON_OBJECT, STATE, types.boolean, types.uint64)
def moves(state, legal, table):
    """The list of all moves, legal or pseudo-legal, as objects of a table."""
    board, _, flip = _seen(state)
    found = _move_list(types.uint16)
    number = _list(board, legal, found)
    for i in range(number):
        found[i] = np.uint16(np.uint64(found[i]) ^ flip)
    return list_of(found, number, table)


@entry(STATE, STATE, types.uint64)
def play(state, move):
    """The position after a move; with the number of the full move 0 when the move is not legal."""
    board, _, flip = _seen(state)
    move ^= flip
    found = _move_list(types.uint16)
    for i in range(_list(board, True, found)):
        if found[i] == move:
            break
    else:
        return state[:12] + (ZERO,)  # noqa: RUF005
    after = moved(board, move)
    start, end = ONE << origin_of(move), ONE << target_of(move)
    progress = (board.pawns & start | board.enemy & end) != EMPTY
    white_moved = state[10] != ZERO
    if not white_moved:
        after = mirrored(after)
    halfmoves = ZERO if progress else state[11] + ONE
    return after[:10] + (ONE - state[10], halfmoves, state[12] + (ONE - state[10]))  # noqa: RUF005


@entry(types.UniTuple(types.uint64, 4), STATE)
def facts(state):
    """The men that give check, the number of legal moves, whether White and whether Black cannot win."""
    board, flip, _ = _seen(state)
    checkers = attackers(board, king_square(board), board.own | board.enemy)
    number = count_moves(board, legality(board))
    mine, theirs = np.uint64(cannot_win(board)), np.uint64(cannot_win(mirrored(board)))
    if flip != ZERO:
        return byteswap(checkers), number, theirs, mine
    return checkers, number, mine, theirs


@entry(PYTHON_OBJECT, STATE, types.uint64)
def fen(state, mode):
    """The FEN, in a mode of ``write_fen``."""
    board, flip, _ = _seen(state)
    out = _text(types.uint8)
    return text_of(out, write_fen(mirrored(board) if flip != ZERO else board, state[10] != ZERO, state[11], state[12], mode, out, 0))


@entry(types.UniTuple(types.uint64, 2), STATE, types.Bytes(types.uint8, 1, "C"), types.uint64)
def read_move(state, text, notation):
    """The legal move that a text means in UCI or SAN, or the reason why there is none; and where the text ends."""
    board, flip, flip_move = _seen(state)
    size = len(text)
    found, end = UNREADABLE, 0
    if notation < SAN:
        found, end = read_uci(text, 0, size, board, flip), size
    elif size > 0:
        found, end = read_san(text, 0, size, board, flip)
    return found ^ flip_move if is_move(found) else found, np.uint64(end)


@entry(PYTHON_OBJECT, STATE, types.uint64, types.uint64)
def write_move(state, move, notation):
    """A legal move in a notation."""
    out = _text(types.uint8)
    if notation < SAN:
        return text_of(out, write_uci(move, notation == UCI_960, out, 0))
    board, flip, flip_move = _seen(state)
    return text_of(out, write_san(board, move ^ flip_move, flip, notation == LAN, out, 0))
