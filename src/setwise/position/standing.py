"""The state of play in a position: checks, the ends of games, repetitions, faults."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self

import numpy as np

from setwise.bitboard import Bitboard
from setwise.errors import ImpossiblePosition
from setwise.position import compiled, mates
from setwise.position.fields import Fields
from setwise.rules.ends import Outcome, Termination
from setwise.rules.state import SETS
from setwise.rules.status import Status, sentences

__all__ = ["Standing"]

#: The bytes of a state before this hold the pieces and castling rights, which a repetition repeats.
_PIECES_AND_RIGHTS = 8 * SETS.index("en_passant")


class Standing(Fields):
    """The methods of a position about checks, ends, repetitions and faults."""

    __slots__ = ()

    def checkers(self) -> Bitboard:
        """Return the pieces that give check to the side to move."""
        return Bitboard(self._facts()[0])

    def is_check(self) -> bool:
        """Return whether the side to move is in check."""
        return self._facts()[0] != 0

    def is_checkmate(self) -> bool:
        """Return whether the side to move is mated."""
        checkers, moves, _, _ = self._facts()
        return checkers != 0 and moves == 0

    def is_stalemate(self) -> bool:
        """Return whether the side to move has no legal move and is not in check."""
        checkers, moves, _, _ = self._facts()
        return checkers == 0 and moves == 0

    def mate_pattern(self) -> str | None:
        """Return the name of the mate, such as ``"smothered"``; None where it is not mate, or a mate without a name.

        A mate may bear several names. This is the most particular one, the first of ``mate_patterns``.

        Example:
            >>> from setwise import Position
            >>> Position("6rk/5Npp/8/8/8/8/8/6K1 b - - 0 1").mate_pattern()
            'smothered'
        """
        return next(iter(self.mate_patterns()), None)

    def mate_patterns(self) -> tuple[str, ...]:
        """Return all names of the mate, the most particular first; each is a pattern of ``setwise.mates``.

        Example:
            >>> from setwise import Position
            >>> Position("1n1Rkb1r/p4ppp/4q3/4p1B1/4P3/8/PPP2PPP/2K5 b k - 1 17").mate_patterns()
            ('opera', 'pillsbury')
        """
        if not self.is_checkmate():
            return ()
        sets = np.array(self.words[: len(SETS)], np.uint64).reshape(-1, 1)
        return mates.names_of(sets, np.array([self.white_to_move]))

    def is_insufficient_material(self) -> bool:
        """Return whether neither side can ever mate with the pieces on the board, judged by material alone."""
        return self._facts()[2:] == (1, 1)

    def has_insufficient_material(self, *, white: bool) -> bool:
        """Return whether one side can never mate with the pieces on the board."""
        return self._facts()[2 if white else 3] == 1

    def _facts(self) -> tuple[int, int, int, int]:
        if not self._playable:
            raise self._impossible()
        return compiled.facts.raw(self._state)

    def outcome(self, history: Iterable[Self] = (), *, claim_draw: bool = False) -> Outcome | None:
        """Return how the game has ended, or None while it goes on.

        Args:
            history: the earlier positions of the game, in any order, for repetitions.
            claim_draw: count the draws that a player must claim, by fifty moves and threefold repetition.
        """
        checkers, moves, *cannot_win = self._facts()
        if moves == 0:
            if checkers:
                return Outcome(Termination.CHECKMATE, "black" if self.white_to_move else "white")
            return Outcome(Termination.INSUFFICIENT_MATERIAL if all(cannot_win) else Termination.STALEMATE, None)
        earlier = list(history)
        times = self.repetitions(earlier) if earlier else 1
        for holds, ending in (
            (all(cannot_win), Termination.INSUFFICIENT_MATERIAL),
            (self.halfmove_clock >= 150, Termination.SEVENTYFIVE_MOVES),
            (times >= 5, Termination.FIVEFOLD_REPETITION),
            (claim_draw and self.halfmove_clock >= 100, Termination.FIFTY_MOVES),
            (claim_draw and times >= 3, Termination.THREEFOLD_REPETITION),
        ):
            if holds:
                return Outcome(ending, None)
        return None

    def is_game_over(self, history: Iterable[Self] = (), *, claim_draw: bool = False) -> bool:
        """Return whether the game has ended; the arguments are those of ``outcome``.

        Example:
            >>> from setwise import Position
            >>> Position("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1").is_game_over(), Position().is_game_over()
            (True, False)
        """
        return self.outcome(history, claim_draw=claim_draw) is not None

    @property
    def key(self) -> int:
        """The Polyglot key: 64 bits that identify the position in opening books and in the column ``key``.

        Pieces, turn and castling rights count, and the file of a passed pawn if an enemy pawn stands beside it, whether
        or not it may capture; the clocks do not. In Chess960 a right is short or long by the side of the king that the
        rook is on.

        Example:
            >>> from setwise import Position
            >>> f"{Position().key:016x}"
            '463b96181691fc9c'
        """
        return compiled.key.raw(self._state)

    def repetition_key(self) -> bytes:
        """Return the fields that repetitions share: pieces, turn, castling rights, and a legal en passant capture."""
        passed = self.en_passant and self.fen().split(" ")[3] != "-"
        return self._state[:_PIECES_AND_RIGHTS] + bytes([self.white_to_move]) + self.en_passant.to_bytes(8) * passed

    def repetitions(self, history: Iterable[Self]) -> int:
        """Return how often this position has occurred, now and among earlier ones."""
        key = self.repetition_key()
        return 1 + sum(
            earlier.repetition_key() == key
            for earlier in history
            if earlier._state[:_PIECES_AND_RIGHTS] == key[:_PIECES_AND_RIGHTS]
        )

    def status(self) -> Status:
        """Return the faults of the position, as flags; ``Status.VALID``, which is empty, for a possible one."""
        return Status(compiled.status.raw(self._state, self.chess960))

    def faults(self) -> list[str]:
        """Return a sentence for each fault of the position."""
        return sentences(self.words, self.status(), chess960=self.chess960)

    def _impossible(self) -> ImpossiblePosition:
        return ImpossiblePosition(f"{self.fen()!r} can have no moves: {'; '.join(self.faults())}")
