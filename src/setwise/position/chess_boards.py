"""Conversion to and from the boards of python-chess, which is imported only when needed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from setwise.rules.state import State

if TYPE_CHECKING:
    import chess

__all__ = ["board_of", "state_of", "states_of"]


def state_of(board: chess.Board) -> State:
    """Return the state of a board; raises ``ValueError`` for variants other than standard chess and Chess960."""
    if board.uci_variant != "chess":
        raise ValueError(f"a board of {board.uci_variant} has other rules than standard chess and Chess960")
    return State(
        board.occupied_co[True], board.occupied_co[False], board.pawns, board.knights, board.bishops, board.rooks,
        board.queens, board.kings, board.castling_rights, 0 if board.ep_square is None else 1 << board.ep_square,
        board.turn, board.halfmove_clock, board.fullmove_number,
    )  # fmt: skip


def states_of(boards: Iterable[chess.Board]) -> tuple[list[State], np.ndarray]:
    """Return the states of boards, and whether each is of Chess960; raises as ``state_of``, with the number."""
    states, chess960 = list[State](), list[bool]()
    for board in boards:
        try:
            states.append(state_of(board))
        except ValueError as error:
            raise ValueError(f"board number {len(states) + 1}: {error}") from None
        chess960.append(board.chess960)
    return states, np.array(chess960, np.bool_)


def board_of(state: State, *, chess960: bool) -> chess.Board:
    """Return a board with this state, without a history."""
    import chess

    board = chess.Board(None, chess960=chess960)
    white, black, *sets, castling, passed, turn, halfmoves, fullmoves = map(int, state)
    board.occupied_co[chess.WHITE], board.occupied_co[chess.BLACK], board.occupied = white, black, white | black
    board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings = sets
    board.turn, board.castling_rights = turn == 1, castling
    board.halfmove_clock, board.fullmove_number = halfmoves, fullmoves
    board.ep_square = passed.bit_length() - 1 if passed else None
    return board
