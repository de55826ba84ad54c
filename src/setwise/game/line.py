"""``Line``: a position and moves from it, with the rules at each ply."""

from __future__ import annotations

from setwise.chess_words import GAME_HINTS, with_hints
from setwise.game.parts import played_through, recent, without_progress
from setwise.position.move import Move
from setwise.position.position import Position
from setwise.rules.ends import Outcome, Termination

__all__ = ["Line"]


@with_hints(GAME_HINTS)
class Line:
    """The part of a game without tags and annotations: moves, positions, repetitions, ends."""

    __slots__ = ("_moves", "_position", "_positions")

    _moves: tuple[Move, ...]
    _position: Position
    _positions: tuple[Position, ...] | None

    @property
    def moves(self) -> tuple[Move, ...]:
        """The moves."""
        return self._moves

    @property
    def position(self) -> Position:
        """The position that the game starts from."""
        return self._position

    # ---------------------------------------------------------------------------------------------------- positions

    def positions(self) -> tuple[Position, ...]:
        """Return the positions by ply, including those before the first and after the last move."""
        if self._positions is None:
            self._positions = played_through(self._position, self._moves)[1]
        return self._positions

    def end(self) -> Position:
        """Return the position after the last move."""
        return self.positions()[-1]

    def sans(self) -> list[str]:
        """Return the moves in SAN."""
        return [position.san(move) for position, move in zip(self.positions(), self._moves, strict=False)]

    # --------------------------------------------------------------------------------------------------------- ends

    def _past(self, ply: int | None) -> tuple[Position, tuple[Position, ...]]:
        """The position after a ply, by default the last, and the earlier ones that it may repeat."""
        positions = self.positions()
        if ply is None:
            ply = len(positions) - 1
        if not 0 <= ply < len(positions):
            raise IndexError(f"the plies of this game are 0 to {len(positions) - 1}, not {ply}")
        return positions[ply], recent(positions, ply)

    def outcome(self, ply: int | None = None, *, claim_draw: bool = False) -> Outcome | None:
        """Return how the game has ended on the board after a ply (by default the last), or None while it goes on.

        Args:
            ply: 0 is the position before the first move.
            claim_draw: whether a player claims the draws that must be claimed, see ``can_claim_draw``.

        Example:
            >>> from setwise import Game
            >>> game = Game(moves="Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1".split())
            >>> game.outcome(), game.outcome(claim_draw=True).termination
            (None, <Termination.THREEFOLD_REPETITION: 'threefold repetition, claimed'>)
        """
        now, past = self._past(ply)
        ending = now.outcome(past)
        if ending is None and claim_draw:
            if self.can_claim_fifty_moves(ply):
                return Outcome(Termination.FIFTY_MOVES, None)
            if self.can_claim_threefold_repetition(ply):
                return Outcome(Termination.THREEFOLD_REPETITION, None)
        return ending

    def repetitions(self, ply: int | None = None) -> int:
        """Return how often the position after a ply (by default the last) had occurred by then, itself included."""
        now, past = self._past(ply)
        return now.repetitions(past)

    def is_repetition(self, count: int = 3, ply: int | None = None) -> bool:
        """Return whether the position after a ply occurred for the ``count``-th time, or more often."""
        return self.repetitions(ply) >= count

    def is_threefold_repetition(self, ply: int | None = None) -> bool:
        """Return whether the position after a ply occurred for the third time: a draw if it is claimed."""
        return self.is_repetition(3, ply)

    def is_fivefold_repetition(self, ply: int | None = None) -> bool:
        """Return whether the position after a ply occurred for the fifth time: a draw."""
        return self.is_repetition(5, ply)

    def is_fifty_moves(self, ply: int | None = None) -> bool:
        """Return whether both sides had made fifty moves without capture or pawn move, and the game could go on."""
        return without_progress(self._past(ply)[0], 100)

    def is_seventyfive_moves(self, ply: int | None = None) -> bool:
        """Return whether both sides had made seventy-five moves without capture or pawn move: a draw, unless mate."""
        return without_progress(self._past(ply)[0], 150)

    def can_claim_draw(self, ply: int | None = None) -> bool:
        """Return whether the side to move can claim a draw, by fifty moves or by threefold repetition."""
        return self.can_claim_fifty_moves(ply) or self.can_claim_threefold_repetition(ply)

    def can_claim_fifty_moves(self, ply: int | None = None) -> bool:
        """Return whether the side to move can claim that fifty moves were made, or will have been with its next one."""
        now = self._past(ply)[0]
        if now.halfmove_clock < 99:
            return False
        afterwards = (now.play(move) for move in now.legal_moves())
        return self.is_fifty_moves(ply) or any(without_progress(after, 100) for after in afterwards)

    def can_claim_threefold_repetition(self, ply: int | None = None) -> bool:
        """Return whether the side to move can claim a third repetition, there already or reached by its next move."""
        now, past = self._past(ply)
        line = (*past, now)
        return now.repetitions(past) >= 3 or any(now.play(move).repetitions(line) >= 3 for move in now.legal_moves())
