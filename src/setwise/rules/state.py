"""A position in thirteen words, the common layout of the bytes of a ``Position``, tables of starts, and columns.

The ten words of a Board as White sees it, 1 when White moves (0 when Black does), the half moves since the last capture
or pawn move, the number of the full move.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from setwise.compiler import routine
from setwise.patterns.bits import EMPTY
from setwise.rules.board import Board, mirrored

__all__ = ["SETS", "USUAL_START", "WORDS", "State", "movers_board", "put_state", "state_in", "state_of", "whites_board"]


class State(NamedTuple):
    """Thirteen words; see the module's text."""

    white_pieces: int
    black_pieces: int
    pawns: int
    knights: int
    bishops: int
    rooks: int
    queens: int
    kings: int
    castling_rights: int
    en_passant: int
    white_to_move: int
    halfmove_clock: int
    fullmove_number: int


WORDS = len(State._fields)

#: The names of those that are sets of squares.
SETS = State._fields[: len(Board._fields)]

#: Where games begin unless they say otherwise.
USUAL_START = State._make(np.uint64(word) for word in (
    0xFFFF, 0xFFFF_0000_0000_0000, 0x00FF_0000_0000_FF00, 0x4200_0000_0000_0042, 0x2400_0000_0000_0024,
    0x8100_0000_0000_0081, 0x0800_0000_0000_0008, 0x1000_0000_0000_0010, 0x8100_0000_0000_0081, 0, 1, 0, 1,
))  # fmt: skip

#: The class in compiled code, where its fields are words; a field that Python reads is an int.
_State: Any = State


@routine
def state_in(words: Any) -> Any:
    """The state of thirteen words in a row."""
    return State(
        words[0], words[1], words[2], words[3], words[4], words[5], words[6], words[7], words[8], words[9], words[10],
        words[11], words[12],
    )  # fmt: skip


@routine
def put_state(state: State, words: Any) -> None:
    """Write a state as thirteen words in a row."""
    for k in range(len(state)):
        words[k] = state[k]


@routine
def state_of(board: Board, white_to_move: np.uint64, halfmove_clock: np.uint64, fullmove_number: np.uint64) -> State:
    """The state of a board as White sees it."""
    return _State(
        board.own, board.enemy, board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings,
        board.castling, board.en_passant, white_to_move, halfmove_clock, fullmove_number,
    )  # fmt: skip


@routine
def whites_board(state: Any) -> Board:
    """The board as White sees it."""
    return Board(
        state.white_pieces, state.black_pieces, state.pawns, state.knights, state.bishops, state.rooks, state.queens,
        state.kings, state.castling_rights, state.en_passant,
    )  # fmt: skip


@routine
def movers_board(state: State) -> Board:
    """The board as the mover sees it."""
    board = whites_board(state)
    return board if state.white_to_move != EMPTY else mirrored(board)
