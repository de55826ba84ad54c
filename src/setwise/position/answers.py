"""What columns of positions are asked: keys, planes, checks and moves, children, features."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import numpy.typing as npt

from setwise import features
from setwise.position import planes
from setwise.position.played import Played, played_moves
from setwise.rules import checks, children, polyglot

__all__ = ["Answers"]


class Answers:
    """The base of ``Positions`` that answers with a value for each of them; ``Positions`` itself holds the columns."""

    sets: np.ndarray
    white_to_move: np.ndarray
    halfmove_clock: np.ndarray
    fullmove_number: np.ndarray
    moves: Any
    game: Any
    games: Any
    _views: dict[str, np.ndarray]

    def __len__(self) -> int:
        return self.sets.shape[1]

    def keys(self) -> np.ndarray:
        """Return the Polyglot key of every position, uint64: what ``Position.key`` gives.

        Each key is made from the one before by what has changed on the board, so games cost little.
        """
        out = np.empty(len(self), np.uint64)
        polyglot.keys(self.sets, self.white_to_move, out)
        return out

    def planes(
        self, dtype: npt.DTypeLike = np.uint8, *, from_mover: bool = False, situation: bool = True
    ) -> np.ndarray[Any, Any]:
        """Return every position as planes for a network, an array of n × 19 × 8 × 8: ``[position, plane, rank, file]``.

        Rank 0 is the first rank, file 0 the a-file: square s is ``[…, s // 8, s % 8]``. Planes 0 to 5 are White's
        pawns, knights, bishops, rooks, queens and king, 6 to 11 Black's. Then comes the situation: 12 is full of ones
        when White moves; 13 to 16 when White may castle short, long, Black short, long; 17 has the square that a pawn
        has just passed as ``en_passant`` has it; 18 is full of the halfmove clock, 255 at the most. All else is 0.

        Args:
            dtype: any type of numbers, ``np.uint8`` or ``np.float32`` for example; the numbers are the same.
            from_mover: show every position from the side to move: where Black moves, ranks are reversed and colours
                exchanged, so that the mover's pieces are planes 0 to 5 and go up the board, and its rights 13 and 14.
                Plane 12 keeps saying whether it is White who moves.
            situation: whether planes 12 to 18 are wanted; without them the array is n × 12 × 8 × 8.

        Example:
            >>> from setwise import Positions
            >>> planes = Positions.from_fens(["4k3/8/8/8/8/8/4P3/4K2R w K - 7 30"]).planes()
            >>> planes.shape, planes[0, 0, 1], planes[0, 12:, 0, 0]
            ((1, 19, 8, 8), array([0, 0, 0, 0, 1, 0, 0, 0], dtype=uint8), array([1, 1, 0, 0, 0, 0, 7], dtype=uint8))
        """
        number = planes.PLANES if situation else planes.MEN
        return planes.fill(self.sets, self.white_to_move, self.halfmove_clock, dtype, number, from_mover=from_mover)

    # ---------------------------------------------------------------------------------------------- moves and checks

    @functools.cached_property
    def _moves_and_checks(self) -> tuple[np.ndarray, np.ndarray]:
        counts, checks = np.empty(len(self), np.uint16), np.empty(len(self), np.bool_)
        children.legal_move_counts(self.sets, self.white_to_move, counts, checks)
        return counts, checks

    def legal_move_counts(self) -> np.ndarray:
        """Return how many legal moves the side to move has, uint16: what `moves.legal_move_count` counts.

        Example:
            >>> positions = Positions.from_fens(["4k3/8/8/8/8/8/8/4K2R w K - 0 1", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"])
            >>> positions.legal_move_counts()
            array([15,  0], dtype=uint16)
        """
        return self._moves_and_checks[0]

    def is_check(self) -> np.ndarray:
        """Return whether the side to move is in check, bool."""
        return self._moves_and_checks[1]

    def is_checkmate(self) -> np.ndarray:
        """Return whether the side to move is mated, bool."""
        counts, checks = self._moves_and_checks
        return checks & (counts == 0)

    def is_stalemate(self) -> np.ndarray:
        """Return whether the side to move has no legal move and is not in check, bool."""
        counts, checks = self._moves_and_checks
        return ~checks & (counts == 0)

    # -------------------------------------------------------------------------------------------------------- features

    def played(self) -> Played:
        """Return what the moves do that were played in these positions.

        Raises:
            ValueError: for positions that come from no game.
        """
        if self.moves is None:
            raise ValueError("these positions do not come from games; no moves were played in them")
        return self._played

    @functools.cached_property
    def _played(self) -> Played:
        return played_moves(self.sets, self.white_to_move, self.moves)

    def seen_by(self, side: str) -> np.ndarray:
        """Return the ten rows of sets as one side sees them, playing up the board: its own pieces first.

        Args:
            side: ``"white"``, ``"black"``, ``"own"`` (the side to move) or ``"enemy"``.
        """
        if side == "white":
            return self.sets
        if side not in self._views:
            upright = self._upright(side)
            self._views[side] = view = np.empty_like(self.sets)
            checks.turn_boards(self.sets, upright, view)
        return self._views[side]

    def _upright(self, side: str) -> np.ndarray:
        """For each position whether a side is White."""
        if side in {"white", "black"}:
            return np.full(len(self), side == "white")
        return self.white_to_move if side == "own" else ~self.white_to_move

    def feature(self, name: str) -> np.ndarray:
        """Return a feature's column: sets as uint64, counts and filesets as uint8.

        Args:
            name: ``white_NAME``, ``black_NAME``, ``own_NAME`` (the mover's) or ``enemy_NAME``.

        Raises:
            QueryError: for an unknown name, with the nearest ones.
        """
        found, side = features.one_sided(name)
        upright = self._upright(side)
        sets = np.ascontiguousarray(self.seen_by(side))[:8]
        values = found.ufunc(*sets, upright == self.white_to_move)
        if side == "white":
            return values
        turned = values if found.for_black is found else found.for_black.ufunc(*sets, upright == self.white_to_move)
        turned = turned.byteswap() if found.returns.is_set else turned
        return turned if side == "black" else np.where(upright, values, turned)
