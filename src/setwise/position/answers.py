"""Values computed for columns of positions: keys, planes, checks, moves and features."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numpy.lib.stride_tricks import as_strided

from setwise import features
from setwise.position import mates, planes
from setwise.position.played import Played, exchanges, played_moves
from setwise.rules import checks, children, indices, polyglot
from setwise.system.pool import pooled

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Answers", "LegalMoves"]


class LegalMoves(NamedTuple):
    """Legal moves of many positions in one list: for each the row of its position, the move and its index.

    Moves are uint16, from White's side, as ``Move`` takes them; rows and indices are int64.
    """

    parents: np.ndarray
    moves: np.ndarray
    indices: np.ndarray


class Answers:
    """The base class of ``Positions`` with the methods that compute a value per position."""

    sets: np.ndarray
    white_to_move: np.ndarray
    halfmove_clock: np.ndarray
    fullmove_number: np.ndarray
    moves: Any
    _views: dict[str, np.ndarray]

    def __len__(self) -> int:
        return self.sets.shape[1]

    @property
    def _rows(self) -> np.ndarray:
        """The sets as compiled code takes them: contiguous rows, of which it reads one word per position.

        The rows are longer than that if the reader of the games reserved room for more positions.
        """
        gap, step = self.sets.strides
        if step != self.sets.itemsize or gap % step or gap < len(self) * step:
            return np.ascontiguousarray(self.sets)
        return as_strided(self.sets, (len(self.sets), gap // step))

    def keys(self) -> np.ndarray:
        """Return the Polyglot key of every position, uint64: what ``Position.key`` gives.

        Each key is updated from the previous one by the changes on the board, which is fast for games.
        """
        out = np.empty(len(self), np.uint64)
        polyglot.keys(self._rows, self.white_to_move, out)
        return out

    def planes(
        self, dtype: npt.DTypeLike = np.uint8, *, from_mover: bool = False, situation: bool = True
    ) -> np.ndarray[Any, Any]:
        """Return every position as planes for a network, an array of n × 19 × 8 × 8: ``[position, plane, rank, file]``.

        Rank 0 is the first rank, file 0 the a-file: square s is ``[…, s // 8, s % 8]``. Planes 0 to 5 are White's
        pawns, knights, bishops, rooks, queens and king, 6 to 11 Black's. Then comes the situation: 12 is full of ones
        when White moves; 13 to 16 when White may castle short, long, Black short, long; 17 has the square that a pawn
        has just passed, as ``en_passant`` has it; 18 is full of the halfmove clock, at most 255. All else is 0.

        Args:
            dtype: any type of numbers, ``np.uint8`` or ``np.float32`` for example; the numbers are the same.
            from_mover: show every position from the side to move: where Black moves, ranks are reversed and colours
                exchanged, so that the mover's pieces are planes 0 to 5 and go up the board, and its rights 13 and 14.
                Plane 12 still holds whether White is to move.
            situation: include planes 12 to 18; without them the array is n × 12 × 8 × 8.

        Example:
            >>> from setwise import Positions
            >>> planes = Positions.from_fens(["4k3/8/8/8/8/8/4P3/4K2R w K - 7 30"]).planes()
            >>> planes.shape, planes[0, 0, 1], planes[0, 12:, 0, 0]
            ((1, 19, 8, 8), array([0, 0, 0, 0, 1, 0, 0, 0], dtype=uint8), array([1, 1, 0, 0, 0, 0, 7], dtype=uint8))
        """
        number = planes.PLANES if situation else planes.PIECE_PLANES
        return planes.fill(self.sets, self.white_to_move, self.halfmove_clock, dtype, number, from_mover=from_mover)

    # ---------------------------------------------------------------------------------------------- moves and checks

    @functools.cached_property
    def _moves_and_checks(self) -> tuple[np.ndarray, np.ndarray]:
        counts, checks = np.empty(len(self), np.int16), np.empty(len(self), np.bool_)
        children.legal_move_counts(self._rows, self.white_to_move, counts, checks)
        return counts, checks

    def legal_move_counts(self) -> np.ndarray:
        """Return how many legal moves the side to move has, int16: what `moves.legal_move_count` counts.

        Example:
            >>> from setwise import Positions
            >>> positions = Positions.from_fens(["4k3/8/8/8/8/8/8/4K2R w K - 0 1", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"])
            >>> positions.legal_move_counts()
            array([15,  0], dtype=int16)
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

    def mate_pattern(self) -> pa.DictionaryArray:
        """Return the most particular name of each mate, as ``Position.mate_pattern`` does; null where there is none.

        Example:
            >>> from setwise import Positions
            >>> Positions.from_fens(["6rk/5Npp/8/8/8/8/8/6K1 b", "8/8/8/8/8/8/8/k1K5 b"]).mate_pattern().to_pylist()
            ['smothered', None]
        """
        return mates.first_names(self._rows, self.white_to_move, self.is_checkmate())

    def mate_patterns(self) -> pa.ListArray:
        """Return all names of each mate, the most particular first; null where there is no mate.

        Example:
            >>> from setwise import Positions
            >>> Positions.from_fens(["1R4k1/R7/8/8/8/8/8/6K1 b", "8/8/8/8/8/8/8/k1K5 b"]).mate_patterns().to_pylist()
            [['two_rooks', 'ladder'], None]
        """
        return mates.all_names(self._rows, self.white_to_move, self.is_checkmate())

    def legal_moves(self) -> LegalMoves:
        """Return the legal moves of all positions, those of each in the order of ``Position.legal_moves``.

        An index is the number that ``move_indices`` gives a move; ``logits[legal.parents, legal.indices]`` are the
        values that a network assigns to legal moves.

        Example:
            >>> from setwise import Move, Positions
            >>> positions = Positions.from_fens(["k7/8/1K6/8/8/8/8/8 b - - 0 1", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"])
            >>> legal = positions.legal_moves()
            >>> legal.parents, [Move(move).uci() for move in legal.moves], legal.indices
            (array([0]), ['a8b8'], array([0]))
        """
        counts = self.legal_move_counts()
        parents = np.repeat(np.arange(len(self)), counts)
        moves, move_indices = np.empty(len(parents), np.uint16), np.empty(len(parents), np.int64)
        indices.list_legal(self.sets, self.white_to_move, indices.INDEX_OF, moves, move_indices)
        return LegalMoves(parents, moves, move_indices)

    def moves_mask(self) -> np.ndarray:
        """Return which of the 1858 moves of ``move_indices`` are legal in each position, an array n × 1858 of bool.

        Example:
            >>> from setwise import Positions
            >>> positions = Positions.from_fens(["k7/8/1K6/8/8/8/8/8 b - - 0 1", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"])
            >>> positions.moves_mask().sum(axis=1)
            array([1, 0])
        """
        mask = np.zeros((len(self), indices.MOVE_INDICES), np.uint8)
        indices.mask_legal(self.sets, self.white_to_move, indices.INDEX_OF, mask)
        return mask.view(np.bool_)

    def _moves_played(self) -> np.ndarray:
        if self.moves is None:
            raise ValueError("these positions do not come from games; no moves were played in them")
        moves: np.ndarray = self.moves
        return moves

    def move_indices(self) -> np.ndarray:
        """Return the number that the move played in each position has for a network, 0 to 1857; -1 where there is none.

        The mover's side numbers the moves, as ``planes(from_mover=True)`` shows the board: where Black moves, e7-e5 has
        the index of White's e2-e4. Indices 0 to 1791 are the pairs of squares that a queen or a knight may jump
        between, ordered by the first square and then by the second; castling goes from the king's square to the rook's,
        and a pawn on the last rank becomes a queen. 1792 to 1857 are promotions to a knight, a bishop and a rook, three
        in turn for each way onto the last rank.

        Raises:
            ValueError: for positions that do not come from games.

        Example:
            >>> [games] = setwise.read_pgn(b"1. e4 e5 *")
            >>> games.positions().move_indices()
            array([322, 322,  -1])
        """
        return indices.indices_of(self._moves_played(), self.white_to_move)

    def moves_at(self, numbers: npt.ArrayLike) -> np.ndarray:
        """Return the moves that indices mean, one for each position, as White sees them: uint16, 0 for an illegal one.

        Args:
            numbers: an index for each position, such as that of a network's largest value among legal moves.

        Raises:
            ValueError: the number of indices differs from the number of positions.

        Example:
            >>> from setwise import Move, Positions
            >>> positions = Positions.from_fens(["k7/8/1K6/8/8/8/8/8 b - - 0 1"])
            >>> Move(positions.moves_at([0])[0]), positions.moves_at([7])
            (<Move a8b8>, array([0], dtype=uint16))
        """
        wanted = np.asarray(numbers)
        if wanted.shape != (len(self),):
            raise ValueError(f"each of the {len(self)} positions has one index, and these are {wanted.shape}")
        parents, moves, legal = self.legal_moves()
        out, matches = np.zeros(len(self), np.uint16), legal == wanted[parents]
        out[parents[matches]] = moves[matches]
        return out

    # -------------------------------------------------------------------------------------------------------- features

    def played(self) -> Played:
        """Return the effects of the moves played in these positions.

        Raises:
            ValueError: for positions that do not come from games.
        """
        self._moves_played()
        return self._played

    @functools.cached_property
    def _played(self) -> Played:
        return played_moves(self.sets, self.white_to_move, self.moves)

    def see(self) -> np.ndarray:
        """Return the gain of the exchange that each move played begins, int8, in pawns, as ``Position.see`` does.

        Raises:
            ValueError: for positions that do not come from games.

        Example:
            >>> import setwise
            >>> [games] = setwise.read_pgn(b"1. e4 d5 2. exd5 Qxd5 3. Qg4 Bxg4 *")
            >>> games.positions().see()
            array([ 0,  0,  0,  1, -9,  9,  0], dtype=int8)
        """
        self._moves_played()
        return exchanges(self.sets, self.white_to_move, self.moves)

    def seen_by(self, side: str) -> np.ndarray:
        """Return the ten rows of sets as one side sees them, playing up the board: its own pieces first.

        Args:
            side: ``"white"``, ``"black"``, ``"own"`` (the side to move) or ``"enemy"``.
        """
        if side == "white":
            return self.sets
        if side not in self._views:
            self._views[side] = self._flipped() if side == "black" else pooled(self.sets.shape, np.uint64)
            if side != "black":
                checks.turn_boards(self._rows, self._upright(side), self._views[side])
        return self._views[side]

    def _flipped(self) -> np.ndarray:
        """All boards from Black's side: copied as words of the other byte order, which flips them."""
        flipped = pooled(self.sets.shape, self.sets.dtype.newbyteorder())
        flipped[:2], flipped[2:] = self.sets[1::-1], self.sets[2:]
        return flipped.view(np.uint64)

    def _moves_next(self, side: str) -> np.ndarray:
        """Whether a side is to move, for each position."""
        if side in {"white", "black"}:
            return self.white_to_move if side == "white" else ~self.white_to_move
        return np.full(len(self), side == "own")

    def _upright(self, side: str) -> np.ndarray:
        """Whether a side is White, for each position."""
        if side in {"white", "black"}:
            return np.full(len(self), side == "white")
        return self.white_to_move if side == "own" else ~self.white_to_move

    def feature(self, name: str) -> np.ndarray:
        """Return a feature's column: sets as uint64, counts and filesets as uint8.

        Convert counts by ``astype(int)`` before you subtract them: as uint8, 1 less 3 is 254.

        Args:
            name: ``white_NAME``, ``black_NAME``, ``own_NAME`` (the mover's) or ``enemy_NAME``.

        Raises:
            QueryError: for an unknown name, with the nearest ones.
        """
        definition, side = features.one_sided(name)
        arguments = *map(np.ascontiguousarray, self.seen_by(side)), self._moves_next(side)
        values = definition.ufunc(*arguments)
        if side == "white":
            return values
        flipped = values if definition.on_mirrored is definition else definition.on_mirrored.ufunc(*arguments)
        flipped = flipped.byteswap(inplace=side == "black") if definition.returns.is_set else flipped
        return flipped if side == "black" else np.where(self._upright(side), values, flipped)
