"""Lazy views of a position's moves, for iteration, ``len`` and ``in``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from setwise.position.compiled import moves
from setwise.position.endings import impossible
from setwise.position.move import AnyMove, Move
from setwise.position.move_notation import is_pseudo_legal

if TYPE_CHECKING:
    from setwise.position.position import Position

__all__ = ["LegalMoves", "PseudoLegalMoves"]


class LegalMoves:
    """The legal moves of a position: call it for a list, loop over it, or use ``len`` and ``in``.

    The operand of ``in`` is a move as all methods of a position take it: a ``Move``, a number, a text in UCI or SAN.

    Raises:
        ImpossiblePosition: in a position that cannot have moves.
        InvalidMove: for a text that is not a move.

    Example:
        >>> from setwise import Position
        >>> legal = Position().legal_moves
        >>> len(legal), "Nf3" in legal, "e2e5" in legal
        (20, True, False)
        >>> [move.uci() for move in legal if move.from_square == 1]
        ['b1a3', 'b1c3']
    """

    __slots__ = ("_position",)

    _position: Position
    _sort = "legal"

    def __call__(self) -> list[Move]:
        """Return the moves as a list, in no particular order."""
        position = self._position
        if not position._playable:
            raise impossible(position)
        return moves.raw(position._state, position._moves.legal)

    def __iter__(self) -> Iterator[Move]:
        return iter(self())

    def __len__(self) -> int:
        return len(self())

    def __contains__(self, move: AnyMove) -> bool:
        return self._position.is_legal(move)

    def count(self) -> int:
        """Return how many there are, as ``len`` does."""
        return len(self)

    def __repr__(self) -> str:
        if not self._position._playable:
            return f"<no moves: {impossible(self._position)}>"
        return f"<{len(self)} {self._sort} moves: {' '.join(map(str, self))}>"


class PseudoLegalMoves(LegalMoves):
    """The moves that the pieces of a position can make, those too that leave the king in check; as ``LegalMoves``."""

    __slots__ = ()

    _sort = "pseudo-legal"

    def __call__(self) -> list[Move]:
        """Return the moves as a list, in no particular order."""
        position = self._position
        if not position._playable:
            raise impossible(position)
        return moves.raw(position._state, position._moves.pseudo_legal)

    def __contains__(self, move: AnyMove) -> bool:
        return is_pseudo_legal(self._position, move)
