"""Effects of a move: captures, castling, checks, and the gain of the exchange that it begins."""

from __future__ import annotations

from typing import Any

from setwise.position import compiled
from setwise.position.move import AnyMove, Move

__all__ = ["Effects"]


class Effects:
    """The methods of a position about its moves."""

    __slots__ = ()

    def is_capture(self: Any, move: AnyMove) -> bool:
        """Return whether a move takes a piece, en passant too."""
        move = move if type(move) is Move else self.parse(move)
        return move.is_en_passant or (not move.is_null and move >> 6 & 63) in (
            self.black_pieces if self.white_to_move else self.white_pieces
        )

    def is_castling(self: Any, move: AnyMove) -> bool:
        """Return whether a move castles."""
        return (move if type(move) is Move else self.parse(move)).is_castling

    def is_en_passant(self: Any, move: AnyMove) -> bool:
        """Return whether a move captures en passant."""
        return (move if type(move) is Move else self.parse(move)).is_en_passant

    def gives_check(self: Any, move: AnyMove) -> bool:
        """Return whether a legal move gives check."""
        return self.play(move).is_check()

    def see(self: Any, move: AnyMove) -> int:
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
        move = self.parse(move)
        if not self._playable:
            raise self._impossible()
        legal, won = compiled.exchange.raw(self._state, move)
        if not legal:
            raise self._illegal(move)
        return won
