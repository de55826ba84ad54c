"""How games end on the board: mate, stalemate, material that cannot win, too many moves without progress."""

from __future__ import annotations

from setwise.bits import DARK_SQUARES, EMPTY, LIGHT_SQUARES, TWO, popcount
from setwise.kernel import routine

__all__ = ["cannot_win"]


@routine
def cannot_win(board):
    """Whether the mover's material cannot mate, whatever the opponent does.

    A lone knight could mate only beside enemy men that block their king's flight (all but a queen can), bishops of one
    colour only beside a bishop of the other colour, a knight or a pawn.
    """
    if board.own & (board.pawns | board.rooks | board.queens) != EMPTY:
        return False
    if board.own & board.knights != EMPTY:
        return popcount(board.own) <= TWO and board.enemy & ~(board.kings | board.queens) == EMPTY
    if board.own & board.bishops != EMPTY:
        on_one_colour = board.bishops & DARK_SQUARES == EMPTY or board.bishops & LIGHT_SQUARES == EMPTY
        return on_one_colour and board.pawns | board.knights == EMPTY
    return True
