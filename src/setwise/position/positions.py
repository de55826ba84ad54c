"""``Positions``: the columns of many positions, as arrays.

The class has the columns, and what cuts, joins and converts them; its other methods are functions of the modules beside
it, one for each subject.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from operator import index
from typing import TYPE_CHECKING, Any, NamedTuple, SupportsIndex, overload

import numpy as np
import pyarrow as pa
from numpy.lib.stride_tricks import as_strided

from setwise.errors import InvalidFen, did_you_mean
from setwise.position import (
    arrow_tables,
    check_columns,
    chess_boards,
    exact_ends,
    move_columns,
    side_columns,
    text_columns,
)
from setwise.position import network_inputs as sparse_inputs
from setwise.position import planes as network_planes
from setwise.position.arrow_tables import EXTRA_COLUMNS, PLAIN_COLUMNS, checked_clocks
from setwise.position.played import Played, played_moves
from setwise.position.position import Position
from setwise.position.variant_position import standard_words
from setwise.rules import checks, children, polyglot
from setwise.rules.state import SETS, WORDS, State
from setwise.system.pool import pooled
from setwise.view import board_svg
from setwise.view.rows import beside, count

if TYPE_CHECKING:
    import chess
    import numpy.typing as npt


__all__ = ["Children", "Positions"]

#: The number of boards that a notebook shows.
_SHOWN = 4


class Positions:
    """Many positions: every field of ``Position`` as a column, an array with one item per position.

    The sets are uint64 (rows of ``sets``, whose names are attributes: ``white_pieces``, ``pawns`` …,
    ``castling_rights``, ``en_passant``; each is contiguous, but there may be a gap before the next),
    ``white_to_move`` is bool, ``halfmove_clock`` and ``fullmove_number`` are uint16. Positions that come from games
    also have ``moves`` (the move played next, 16 bits, 0 where there is none), ``game`` (the row in ``games``) and
    ``ply``; for others these are None. Slices and arrays of indices or flags give Positions again.
    """

    #: The games that the positions come from; None for all but positions of games.
    games: object = None

    #: Whether each position is of Chess960; None where their rights, or their games, say it.
    _chess960: np.ndarray | None = None

    #: The columns, as the constructor names them.
    _names: tuple[str, ...] = ("sets", *PLAIN_COLUMNS, *EXTRA_COLUMNS)

    def __init__(
        self,
        sets: np.ndarray,
        white_to_move: np.ndarray,
        halfmove_clock: np.ndarray,
        fullmove_number: np.ndarray,
        *,
        moves: np.ndarray | None = None,
        game: np.ndarray | None = None,
        ply: np.ndarray | None = None,
        chess960: np.ndarray | None = None,
    ) -> None:
        self.sets = sets
        self.white_to_move = white_to_move
        self.halfmove_clock = halfmove_clock
        self.fullmove_number = fullmove_number
        self.moves: Any = moves
        self.game: Any = game
        self.ply: Any = ply
        self._chess960 = chess960
        self._views: dict[str, np.ndarray] = {}

    def __len__(self) -> int:
        return self.sets.shape[1]

    def __getattr__(self, name: str) -> np.ndarray:
        if name in SETS:
            return self.sets[SETS.index(name)]
        raise AttributeError(f"Positions has no column {name!r}{did_you_mean(name, SETS)}")

    @overload
    def __getitem__(self, which: SupportsIndex) -> Position: ...

    @overload
    def __getitem__(self, which: slice | npt.ArrayLike) -> Positions: ...

    def __getitem__(self, which: Any) -> Position | Positions:
        if hasattr(which, "__index__") and not isinstance(which, np.ndarray):
            return self._one(index(which))
        return self._like({name: np.ascontiguousarray(it[..., which]) for name, it in self._columns().items()})

    def _columns(self) -> dict[str, np.ndarray]:
        """The columns that the positions have, by name."""
        columns = {name: it for name in self._names if (it := getattr(self, name)) is not None}
        return columns if self._chess960 is None else columns | {"chess960": self._chess960}

    def _like(self, columns: dict[str, np.ndarray]) -> Positions:
        """Return positions of the same origin with other columns."""
        return Positions(**columns)

    def _one(self, number: int) -> Position:
        if not -len(self) <= number < len(self):
            raise IndexError(f"there are {len(self)} positions, and none with the number {number}")
        return Position._of(self._states(slice(number, number + 1 or None)), bool(self.chess960[number]))

    def __repr__(self) -> str:
        return f"<Positions: {len(self):,}>"

    def _repr_html_(self) -> str:
        first = self[:_SHOWN]
        return beside((board_svg(it, size=240), it.fen()) for it in first) + f"<p>{count(len(self), 'position')}</p>"

    def _states(self, which: slice = slice(None)) -> bytes:
        """The states of positions as in ``Position``, concatenated."""
        rows = [self.sets[:, which], *(getattr(self, name)[which] for name in PLAIN_COLUMNS)]
        return np.vstack(rows, dtype=np.uint64).T.tobytes()

    def __iter__(self) -> Iterator[Position]:
        states, size = self._states(), 8 * WORDS
        for number, chess960 in enumerate(self.chess960.tolist()):
            yield Position._of(states[number * size : (number + 1) * size], chess960)

    @property
    def _rows(self) -> np.ndarray:
        """The sets as compiled code takes them: contiguous rows, of which it reads one word per position.

        The rows are longer than that if the reader of the games reserved room for more positions.
        """
        gap, step = self.sets.strides
        if step != self.sets.itemsize or gap % step or gap < len(self) * step:
            return np.ascontiguousarray(self.sets)
        return as_strided(self.sets, (len(self.sets), gap // step))

    @functools.cached_property
    def chess960(self) -> np.ndarray:
        """Whether castling is that of Chess960: so created, or by the game, or by rights that standard chess lacks."""
        if self._chess960 is not None:
            return self._chess960
        standard = np.empty(len(self), np.bool_)
        checks.standard(self._rows, standard)
        return ~standard | self._says_chess960()

    def _says_chess960(self) -> np.ndarray | bool:
        """Whether the game of each position is of Chess960."""
        return False

    def equals(self, other: Positions) -> bool:
        """Return whether the same columns hold the same values; games and ``chess960`` are not compared."""
        ours, theirs = ({n: it for n, it in batch._columns().items() if n != "chess960"} for batch in (self, other))
        return ours.keys() == theirs.keys() and all(np.array_equal(ours[name], theirs[name]) for name in ours)

    # ---------------------------------------------------------------------------------------------------- texts

    @classmethod
    def from_fens(cls, fens: Iterable[str], *, chess960: bool | None = False) -> Positions:
        """Return the positions of FENs.

        Args:
            fens: texts; a position that no game can reach is refused. A list, or a column of Arrow,
                Polars, pandas or NumPy.
            chess960: whether the positions are of Chess960, as in ``Position``. For None, those are whose castling
                rights standard chess does not have.

        Raises:
            InvalidFen: for the first text that is not a FEN of a legal position, with its number and the reason.
            TypeError: for anything but texts.

        Example:
            >>> Positions.from_fens(["8/8/8/4k3/8/8/4P3/4K3 w - - 0 1"]).pawns
            array([4096], dtype=uint64)
        """
        positions, _, wrong = cls.sound_fens(fens, chess960=chess960)
        if wrong:
            number, error = next(iter(wrong.items()))
            raise InvalidFen(f"FEN number {number + 1}: {error}")
        return positions

    @classmethod
    def sound_fens(
        cls, fens: Iterable[str], *, chess960: bool | None = False
    ) -> tuple[Positions, np.ndarray, dict[int, InvalidFen]]:
        """Return the positions of the texts that are valid FENs, and the faults of the others.

        Args:
            fens: texts; as ``from_fens``.
            chess960: as ``from_fens``.

        Returns:
            The positions, the numbers of their texts (int32, from 0), and the fault of every other text by its number.

        Raises:
            TypeError: for anything but texts.

        Example:
            >>> positions, rows, wrong = Positions.sound_fens(["8/8/8/4k3/8/8/4P3/4K3 w - - 0 1", "start"])
            >>> len(positions), rows, list(wrong)
            (1, array([0], dtype=int32), [1])
        """
        columns, rows, wrong = text_columns.read_fens(fens, chess960=chess960 is not False)
        return Positions(*columns, chess960=np.ones(len(rows), np.bool_) if chess960 else None), rows, wrong

    fens = text_columns.fens
    san = text_columns.san
    uci = text_columns.uci
    piece_strings = text_columns.piece_strings

    # ------------------------------------------------------------------------------------------- moves, checks, mates

    @functools.cached_property
    def _moves_and_checks(self) -> tuple[np.ndarray, np.ndarray]:
        counts, checks = np.empty(len(self), np.int16), np.empty(len(self), np.bool_)
        children.legal_move_counts(self._rows, self.white_to_move, counts, checks)
        return counts, checks

    @functools.cached_property
    def _checks(self) -> np.ndarray:
        if "_moves_and_checks" in self.__dict__:
            return self._moves_and_checks[1]
        checks = np.empty(len(self), np.bool_)
        children.find_checks(self._rows, self.white_to_move, checks)
        return checks

    def _moves_played(self) -> np.ndarray:
        if self.moves is None:
            raise ValueError("these positions do not come from games; no moves were played in them")
        moves: np.ndarray = self.moves
        return moves

    @functools.cached_property
    def _played(self) -> Played:
        return played_moves(self.sets, self.white_to_move, self.moves)

    legal_move_counts = move_columns.legal_move_counts
    legal_moves = move_columns.legal_moves
    moves_mask = move_columns.moves_mask
    move_indices = move_columns.move_indices
    moves_at = move_columns.moves_at
    played = move_columns.played
    see = move_columns.see
    is_check = check_columns.is_check
    is_checkmate = check_columns.is_checkmate
    is_stalemate = check_columns.is_stalemate
    mate_pattern = check_columns.mate_pattern
    mate_patterns = check_columns.mate_patterns
    wdl = exact_ends.wdl
    dtm = exact_ends.dtm
    tablebase_loss = exact_ends.tablebase_loss

    def children(self) -> Children:
        """Return the positions after every legal move of every position, about 90 bytes per move.

        The children of a position stand together, in the order of ``Position.legal_moves``. They keep the ``games``
        of their parents, and the row there in ``game``.

        Example:
            Which moves mate?

            >>> from setwise import Move
            >>> before = Positions.from_fens(["6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1", "k7/8/1K6/8/8/8/8/7R w - - 0 1"])
            >>> after, parents, moves = before.children()
            >>> mates = after.is_checkmate()
            >>> parents[mates].tolist(), [Move(move).uci() for move in moves[mates]]
            ([0, 1], ['d1d8', 'h1h8'])
        """
        counts = self.legal_move_counts()
        parents, white_to_move = np.repeat(np.arange(len(self)), counts), np.repeat(~self.white_to_move, counts)
        sets = pooled((len(SETS), len(parents)), np.uint64)
        halfmoves, fullmoves, moves = np.empty((3, len(parents)), np.uint16)
        before = self._rows, self.white_to_move, self.halfmove_clock, self.fullmove_number
        children.children(*before, white_to_move, sets, halfmoves, fullmoves, moves)
        boards = sets, white_to_move, halfmoves, fullmoves
        columns: dict[str, np.ndarray] = dict(zip(("sets", *PLAIN_COLUMNS), boards, strict=True))
        if self.game is not None:
            columns["game"] = np.repeat(self.game, counts)
        if self.chess960.any():
            columns["chess960"] = np.repeat(self.chess960, counts)
        return Children(self._like(columns), parents, moves)

    # --------------------------------------------------------------------------------------------- keys and features

    def keys(self) -> np.ndarray:
        """Return the Polyglot key of every position, uint64: what ``Position.key`` gives.

        Each key is updated from the previous one by the changes on the board, which is fast for games.
        """
        out = np.empty(len(self), np.uint64)
        polyglot.keys(self._rows, self.white_to_move, out)
        return out

    planes = network_planes.planes
    network_inputs = sparse_inputs.network_inputs
    seen_by = side_columns.seen_by
    feature = side_columns.feature

    # --------------------------------------------------------------------------------------------- to and from others

    @classmethod
    def concat(cls, batches: Iterable[Positions]) -> Positions:
        """Return the positions of several batches, one batch after the other.

        Columns that a batch lacks (``moves``, ``game``, ``ply``) are left out. The games of different batches get
        distinct numbers in ``game``. ``games`` (with tags and annotations) is kept only if all batches have the same.

        Example:
            >>> texts = ["8/8/8/4k3/8/8/4P3/4K3 w - - 0 1", "8/8/8/4k3/8/8/4P3/4K3 b - - 0 1"]
            >>> Positions.concat(Positions.from_fens([text]) for text in texts).white_to_move
            array([ True, False])
        """
        several = list(batches) or [cls.from_fens([])]
        return several[0]._joined(several)

    def _joined(self, several: list[Positions]) -> Positions:
        """Return the positions of several batches, of which this is the first."""
        columns = self._common(several, Positions._names)
        if "game" in columns and len({id(batch.games) for batch in several}) > 1:
            ends = np.cumsum([batch.game.max(initial=-1) + 1 for batch in several])
            columns["game"] += np.repeat(np.r_[0, ends[:-1]], list(map(len, several))).astype(np.int32)
        return Positions(**columns)

    @staticmethod
    def _common(several: list[Positions], names: Iterable[str]) -> dict[str, np.ndarray]:
        """The columns that all batches have, one batch after the other."""
        said = any(batch._chess960 is not None or np.any(batch._says_chess960()) for batch in several)
        return {
            name: np.concatenate([getattr(batch, name) for batch in several], axis=-1)
            for name in (*names, *(["chess960"] if said else []))
            if all(getattr(batch, name) is not None for batch in several)
        }

    @classmethod
    def from_positions(cls, positions: Iterable[Position]) -> Positions:
        """Return positions as columns, which follow standard chess; raises ``TypeError`` for those of a variant."""
        several = list(positions)
        flags = np.array([position.chess960 for position in several], np.bool_)
        return Positions(*_columns_of_states(list(map(standard_words, several))), chess960=flags)

    @classmethod
    def from_boards(cls, boards: Iterable[chess.Board]) -> Positions:
        """Return the positions on boards of python-chess, without their histories.

        Raises:
            InvalidFen: for the first impossible position, with its number and the reason.
            ValueError: for a variant other than standard chess and Chess960.
        """
        states, chess960 = chess_boards.states_of(boards)
        return _checked(*_columns_of_states(states), chess960=bool(chess960.any()), of_chess960=chess960)

    def to_boards(self, *, chess960: bool | None = None) -> list[chess.Board]:
        """Return boards of python-chess (which needs the package ``chess``), without histories.

        Args:
            chess960: whether they are boards of Chess960; by default as the positions are.
        """
        flags = self.chess960 if chess960 is None else np.full(len(self), chess960)
        return [
            chess_boards.board_of(position.words, chess960=flag)
            for position, flag in zip(self, flags.tolist(), strict=True)
        ]

    to_arrow = arrow_tables.to_arrow

    @classmethod
    def from_arrow(cls, table: Any, *, chess960: bool | None = None) -> Positions:
        """Return the positions of a table: Arrow's, Polars's, pandas's, or any other that exports itself to Arrow.

        Args:
            table: has the columns of ``to_arrow``; or in place of the eight sets of pieces the twelve that ``scan``
                writes (``white_pawns`` … ``black_king``), and the moves as UCI in ``move``. ``white_to_move`` is
                required. Without the others there are no castling rights, no en passant square and no moves, and the
                clocks are 0 and 1. Further columns are ignored.
            chess960: whether the positions are of Chess960; by default as the column ``chess960`` says, or where there
                is none those whose castling rights standard chess does not have.

        Raises:
            ValueError: a column is missing, has no value in some row, or is of another type.
            InvalidFen: for the first row that is not a possible position, with its number and the reason.
            IllegalMove: for the first move that is not legal.
        """
        table = table if isinstance(table, pa.Table) else pa.table(table)
        columns, extra = arrow_tables.columns_of(table)
        flags = extra.pop("chess960", None) if chess960 is None else np.full(table.num_rows, chess960)
        positions = _checked(*columns, chess960=chess960 is not False, of_chess960=flags, **extra)
        if "move" in table.column_names and "white_pawns" in table.column_names and positions.moves is None:
            positions.moves = text_columns.read_moves(positions, table.column("move"))
        return positions


class Children(NamedTuple):
    """What moves lead to: the positions, the row that each one's parent has, the move between them, 16 bits.

    The move is as White sees it, what ``Move`` takes; ``positions.moves`` would be one played next, and is None.
    """

    positions: Positions
    parents: np.ndarray
    moves: np.ndarray


def _columns_of_states(states: list[State]) -> tuple[np.ndarray, ...]:
    words = np.array(states, np.uint64).reshape(-1, WORDS).T.copy()
    turn, *clocks = words[len(SETS) :]
    return words[: len(SETS)], turn != 0, *checked_clocks(*clocks)


def _checked(
    sets: np.ndarray, white_to_move: np.ndarray, *clocks: np.ndarray, chess960: bool, of_chess960: Any, **others: Any
) -> Positions:
    """The positions of columns that come from elsewhere, refused where one is impossible; may they be of Chess960?"""
    moves = others.get("moves", np.empty(0, np.uint16))
    k = checks.first_unsound(sets, white_to_move, moves, chess960)
    if k < len(white_to_move):
        words = [*sets[:, k].tolist(), white_to_move[k].item(), clocks[0][k].item(), clocks[1][k].item()]
        try:
            Position.from_words(words, chess960=chess960).play(int(moves[k]))
        except ValueError as error:
            raise type(error)(f"position number {k + 1}: {error}") from None
    return Positions(sets, white_to_move, *clocks, chess960=of_chess960, **others)
