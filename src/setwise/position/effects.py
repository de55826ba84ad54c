"""Effects of a move: captures, castling, checks, the gain of the exchange that it begins. Methods of ``Position``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from setwise.position import compiled
from setwise.position.endings import impossible
from setwise.position.move import AnyMove, Move
from setwise.position.move_notation import illegal

if TYPE_CHECKING:
    from setwise.position.position import Position

__all__ = ["gives_check", "is_capture", "is_castling", "is_en_passant", "see"]


def is_capture(position: Position, move: AnyMove) -> bool:
    """Return whether a move takes a piece, en passant too."""
    move = move if type(move) is Move else position.parse(move)
    return move.is_en_passant or (not move.is_null and move >> 6 & 63) in (
        position.black_pieces if position.white_to_move else position.white_pieces
    )


def is_castling(position: Position, move: AnyMove) -> bool:
    """Return whether a move castles."""
    return (move if type(move) is Move else position.parse(move)).is_castling


def is_en_passant(position: Position, move: AnyMove) -> bool:
    """Return whether a move captures en passant."""
    return (move if type(move) is Move else position.parse(move)).is_en_passant


def gives_check(position: Position, move: AnyMove) -> bool:
    """Return whether a legal move gives check."""
    return position.play(move).is_check()


def see(position: Position, move: AnyMove) -> int:
    """Return the gain of the exchange that a legal move begins, in pawns: static exchange evaluation.

    Pieces are worth 1 3 3 5 9. On the move's target both sides capture in turn, by legal moves, and each stops when
    it pays: pinned pieces take no part while they are pinned, sliders behind the first ones join in, a king takes
    nothing that is protected, and pawns that reach the last rank become queens. A move that captures nothing can
    only lose, or give 0; castling gives 0.

    Args:
        move: a ``Move``, or a text in UCI or SAN.

    Raises:
        InvalidMove, IllegalMove: as ``parse``.

    Example:
        >>> from setwise import Position
        >>> position = Position("1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1")
        >>> position.see("Nxe5")
        -2

    Traps:
        Only captures on that square are counted: neither mate, nor another piece that is lost meanwhile.

    Source:
        Chess Programming Wiki, "Static Exchange Evaluation".
    """
    move = position.parse(move)
    if not position._playable:
        raise impossible(position)
    legal, won = compiled.exchange.raw(position._state, move)
    if not legal:
        raise illegal(position, move)
    return won
