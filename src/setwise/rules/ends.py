"""How games end on the board: mate, stalemate, material that cannot win, too many moves without progress."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from setwise.compiler import popcount, routine
from setwise.patterns.bits import DARK_SQUARES, EMPTY, LIGHT_SQUARES, TWO

if TYPE_CHECKING:
    from setwise.rules.board import Board

__all__ = ["Outcome", "Termination", "cannot_win"]


class Termination(enum.Enum):
    """How a game ends."""

    CHECKMATE = "checkmate"
    STALEMATE = "stalemate"
    INSUFFICIENT_MATERIAL = "insufficient material"
    SEVENTYFIVE_MOVES = "seventy-five moves without progress"
    FIVEFOLD_REPETITION = "fivefold repetition"
    FIFTY_MOVES = "fifty moves without progress, claimed"
    THREEFOLD_REPETITION = "threefold repetition, claimed"
    VARIANT = "by the rules of the variant"


class Outcome(NamedTuple):
    """The end of a game: how it ended, and the winner, ``"white"``, ``"black"`` or, in a draw, None."""

    termination: Termination
    winner: str | None

    @property
    def result(self) -> str:
        """``1-0``, ``0-1`` or ``1/2-1/2``."""
        return {"white": "1-0", "black": "0-1", None: "1/2-1/2"}[self.winner]


@routine
def cannot_win(board: Board) -> np.bool | bool:
    """Whether the mover's material cannot mate, whatever the opponent does.

    A lone knight could mate only beside enemy pieces that block their king's flight (all but a queen can), bishops of
    one colour only beside a bishop of the other colour, a knight or a pawn.
    """
    if board.own & (board.pawns | board.rooks | board.queens) != EMPTY:
        return False
    if board.own & board.knights != EMPTY:
        return popcount(board.own) <= TWO and board.enemy & ~(board.kings | board.queens) == EMPTY
    if board.own & board.bishops != EMPTY:
        on_one_colour = board.bishops & DARK_SQUARES == EMPTY or board.bishops & LIGHT_SQUARES == EMPTY
        return on_one_colour and board.pawns | board.knights == EMPTY
    return True
