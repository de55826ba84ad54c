"""``Positions``: the columns of many positions, as arrays."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from operator import index
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self, SupportsIndex, overload

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from setwise.errors import IllegalMove, InvalidFen, did_you_mean, shortened
from setwise.notation import fen
from setwise.position import chess_boards
from setwise.position.answers import Answers
from setwise.position.move_texts import LONGEST_MOVE, read_moves, write_moves
from setwise.position.position import Position
from setwise.rules import checks, children
from setwise.rules.moves import LAST_CLOCK
from setwise.rules.state import SETS, WORDS, State
from setwise.view import board_svg
from setwise.view.rows import beside, count

if TYPE_CHECKING:
    import chess


__all__ = ["Children", "Positions"]

_PLAIN_NAMES = State._fields[len(SETS) :]
_GAME_NAMES: dict[str, type] = {"moves": np.uint16, "game": np.int32, "ply": np.int32}
#: The number of boards that a notebook shows.
_SHOWN = 4
_PIECES = ("pawns", "knights", "bishops", "rooks", "queens", "king")


class Positions(Answers):
    """Many positions: every field of ``Position`` as a column, an array with one item per position.

    The sets are uint64 (rows of ``sets``, whose names are attributes: ``white_pieces``, ``pawns`` …,
    ``castling_rights``, ``en_passant``; each is contiguous, but there may be a gap before the next),
    ``white_to_move`` is bool, ``halfmove_clock`` and ``fullmove_number`` are uint16. Positions that come from games
    also have ``moves`` (the move played next, 16 bits, 0 where there is none), ``game`` (the row in ``games``) and
    ``ply``; for others these are None. Slices and arrays of indices or flags give Positions again.
    """

    #: The games that the positions come from; None for all but positions of games.
    games: object = None

    #: The columns, as the constructor names them.
    _names: tuple[str, ...] = ("sets", *_PLAIN_NAMES, *_GAME_NAMES)

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
    ) -> None:
        self.sets = sets
        self.white_to_move = white_to_move
        self.halfmove_clock = halfmove_clock
        self.fullmove_number = fullmove_number
        self.moves: Any = moves
        self.game: Any = game
        self.ply: Any = ply
        self._views: dict[str, np.ndarray] = {}

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
        return {name: it for name in self._names if (it := getattr(self, name)) is not None}

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
        rows = [self.sets[:, which], *(getattr(self, name)[which] for name in _PLAIN_NAMES)]
        return np.vstack(rows, dtype=np.uint64).T.tobytes()

    def __iter__(self) -> Iterator[Position]:
        states, size = self._states(), 8 * WORDS
        for number, chess960 in enumerate(self.chess960.tolist()):
            yield Position._of(states[number * size : (number + 1) * size], chess960)

    @functools.cached_property
    def chess960(self) -> np.ndarray:
        """Whether castling is that of Chess960, by rights that standard chess does not have or by the game's tags."""
        standard = np.empty(len(self), np.bool_)
        checks.standard(self._rows, standard)
        return ~standard | self._says_chess960()

    def _says_chess960(self) -> np.ndarray | bool:
        """Whether the game of each position says that it is Chess960."""
        return False

    def equals(self, other: Positions) -> bool:
        """Return whether the same columns hold the same values; the games they come from are not compared."""
        ours, theirs = self._columns(), other._columns()
        return ours.keys() == theirs.keys() and all(np.array_equal(ours[name], theirs[name]) for name in ours)

    # ------------------------------------------------------------------------------------------------------------ text

    @classmethod
    def from_fens(cls, fens: Iterable[str], *, chess960: bool = False) -> Positions:
        """Return the positions of FENs.

        Args:
            fens: texts; a position that no game can reach is refused. A list, or a column of Arrow,
                Polars, pandas or NumPy.
            chess960: whether castling rights may be Chess960's.

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
        cls, fens: Iterable[str], *, chess960: bool = False
    ) -> tuple[Self, np.ndarray, dict[int, InvalidFen]]:
        """Return the positions of the texts that are valid FENs, and the faults of the others.

        Args:
            fens: texts; as ``from_fens``.
            chess960: whether castling rights may be Chess960's.

        Returns:
            The positions, the numbers of their texts (int32, from 0), and the fault of every other text by its number.

        Raises:
            TypeError: for anything but texts.

        Example:
            >>> positions, rows, wrong = Positions.sound_fens(["8/8/8/4k3/8/8/4P3/4K3 w - - 0 1", "start"])
            >>> len(positions), rows, list(wrong)
            (1, array([0], dtype=int32), [1])
        """
        texts = _texts(fens)
        count = len(texts)
        offsets = np.frombuffer(texts.buffers()[1] or bytes(8), np.int64)[texts.offset :][: count + 1]
        data = np.frombuffer(texts.buffers()[2] or b"", np.uint8)
        sets, white_to_move, clocks = (
            np.empty((10, count), np.uint64),
            np.empty(count, np.bool_),
            np.empty((2, count), np.uint16),
        )
        faults, places = np.empty(count, np.uint64), np.empty(count, np.int64)
        sound = fen.read_fens(data, offsets, chess960, sets, white_to_move, clocks[0], clocks[1], faults, places)
        wrong = {
            row: fen.explain(
                texts[row].as_py() or "", int(faults[row]), int(places[row] - offsets[row]), chess960=chess960
            )
            for row in np.flatnonzero(faults).tolist()
        }
        if sound < count:
            sets, white_to_move, clocks = (
                np.ascontiguousarray(sets[:, :sound]),
                white_to_move[:sound],
                clocks[:, :sound],
            )
        return cls(sets, white_to_move, clocks[0], clocks[1]), np.flatnonzero(faults == 0).astype(np.int32), wrong

    def fens(self, en_passant: Literal["legal", "fen", "xfen"] = "legal", *, shredder: bool = False) -> pa.StringArray:
        """Return the FENs as Arrow strings, in the conventions of ``Position.fen``."""
        mode = np.uint64(fen.mode_of(en_passant, shredder=shredder))
        out, offsets = np.empty(len(self) * fen.MOST_BYTES, np.uint8), np.empty(len(self) + 1, np.int64)
        fen.write_fens(self._rows, self.white_to_move, self.halfmove_clock, self.fullmove_number, mode, out, offsets)
        return _strings(out, offsets)

    def _move_texts(self, san: bool) -> pa.StringArray:
        moves = self._moves_played()
        out, offsets = np.empty(len(self) * LONGEST_MOVE, np.uint8), np.empty(len(self) + 1, np.int64)
        write_moves(self._rows, self.white_to_move, moves, self.chess960, san, out, offsets)
        return _strings(out, offsets, present=moves != 0)

    def san(self) -> pa.StringArray:
        """Return the move played next in SAN as Arrow strings, null where there is none."""
        return self._move_texts(san=True)

    def uci(self) -> pa.StringArray:
        """Return the move played next in UCI as Arrow strings, null where there is none."""
        return self._move_texts(san=False)

    def piece_strings(self) -> list[str]:
        """Return every position as 64 characters from a1 to h8: ``PNBRQK`` White, ``pnbrqk`` Black, ``.`` empty."""
        letters = np.full((len(self), 64), ord("."), np.uint8)
        for row, (white, black) in enumerate(zip("PNBRQK", "pnbrqk", strict=True), start=2):
            for pieces, letter in ((self.sets[0], white), (self.sets[1], black)):
                occupied = (self.sets[row] & pieces).astype("<u8").view(np.uint8).reshape(-1, 8)
                letters[np.unpackbits(occupied, axis=1, bitorder="little").astype(bool)] = ord(letter)
        return [row.tobytes().decode() for row in letters]

    # ------------------------------------------------------------------------------------------------------- children

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
        parents = np.repeat(np.arange(len(self)), counts)
        white_to_move = ~self.white_to_move[parents]
        sets = np.empty((len(SETS), len(parents)), np.uint64)
        halfmoves, fullmoves, moves = np.empty((3, len(parents)), np.uint16)
        before = self._rows, self.white_to_move, self.halfmove_clock, self.fullmove_number
        children.children(*before, white_to_move, sets, halfmoves, fullmoves, moves)
        boards = sets, white_to_move, halfmoves, fullmoves
        columns: dict[str, np.ndarray] = dict(zip(("sets", *_PLAIN_NAMES), boards, strict=True))
        if self.game is not None:
            columns["game"] = self.game[parents]
        return Children(self._like(columns), parents, moves)

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
        return {
            name: np.concatenate([getattr(batch, name) for batch in several], axis=-1)
            for name in names
            if all(getattr(batch, name) is not None for batch in several)
        }

    @classmethod
    def from_positions(cls, positions: Iterable[Position]) -> Self:
        """Return positions as columns."""
        words = np.array([position.words for position in positions], np.uint64).reshape(-1, WORDS).T.copy()
        turn, *clocks = words[len(SETS) :]
        return cls(words[: len(SETS)], turn != 0, *_clocks(*clocks))

    @classmethod
    def from_boards(cls, boards: Iterable[chess.Board]) -> Positions:
        """Return the positions on boards of python-chess, without their histories.

        Raises:
            InvalidFen: for the first impossible position, with its number and the reason.
            ValueError: for a variant other than standard chess and Chess960.
        """
        rows: list[State] = []
        chess960 = False
        for board in boards:
            try:
                rows.append(chess_boards.state_of(board))
            except ValueError as error:
                raise ValueError(f"board number {len(rows) + 1}: {error}") from None
            chess960 = chess960 or board.chess960
        words = np.array(rows, np.uint64).reshape(-1, WORDS).T.copy()
        turn, *clocks = words[len(SETS) :]
        return cls._checked(words[: len(SETS)], turn != 0, *_clocks(*clocks), chess960=chess960)

    def to_boards(self, *, chess960: bool | None = None) -> list[chess.Board]:
        """Return boards of python-chess (which needs the package ``chess``), without histories.

        Args:
            chess960: whether they are boards of Chess960; by default those with rights that standard chess does not
            have.
        """
        flags = self.chess960 if chess960 is None else np.full(len(self), chess960)
        return [
            chess_boards.board_of(position.words, chess960=flag)
            for position, flag in zip(self, flags.tolist(), strict=True)
        ]

    def to_arrow(self) -> pa.Table:
        """Return all columns as an Arrow table: sets as uint64, the turn as bool, clocks as uint16.

        Positions from games have ``moves`` (uint16), ``game`` and ``ply`` (int32) besides. Polars, pandas and DuckDB
        take such a table as it is, or by ``polars.from_arrow(table)`` and ``table.to_pandas()``.
        """
        columns = {name: pa.array(row) for name, row in zip(SETS, self.sets, strict=True)}
        columns |= {name: pa.array(getattr(self, name)) for name in _PLAIN_NAMES}
        columns |= {name: pa.array(getattr(self, name)) for name in _GAME_NAMES if getattr(self, name) is not None}
        return pa.table(columns)

    @classmethod
    def from_arrow(cls, table: Any, *, chess960: bool = True) -> Positions:
        """Return the positions of a table: Arrow's, Polars's, pandas's, or any other that exports itself to Arrow.

        Args:
            table: has the columns of ``to_arrow``; or in place of the eight sets of pieces the twelve that ``scan``
                writes (``white_pawns`` … ``black_king``), and the moves as UCI in ``move``. ``white_to_move`` is
                required. Without the others there are no castling rights, no en passant square and no moves, and the
                clocks are 0 and 1. Further columns are ignored.
            chess960: whether castling rights may be Chess960's.

        Raises:
            ValueError: a column is missing, has no value in some row, or is of another type.
            InvalidFen: for the first row that is not a possible position, with its number and the reason.
            IllegalMove: for the first move that is not legal.
        """
        if not isinstance(table, pa.Table):
            table = pa.table(table)
        count = table.num_rows

        def column(name: str, kind: Any, default: int | None = None) -> np.ndarray:
            if name in table.column_names:
                return _values(table.column(name), name, kind)
            if default is None:
                raise ValueError(f"the table has no column {name!r}{did_you_mean(name, table.column_names)}")
            return np.full(count, default, kind)

        sets = np.empty((10, count), np.uint64)
        if "white_pieces" in table.column_names or "white_pawns" not in table.column_names:
            for row, name in enumerate(SETS[:8]):
                sets[row] = column(name, np.uint64)
        else:
            pieces = [[column(f"{side}_{piece}", np.uint64) for piece in _PIECES] for side in ("white", "black")]
            sets[:2] = np.bitwise_or.reduce(pieces, axis=1)
            sets[2:8] = pieces[0]
            sets[2:8] |= pieces[1]
        for row, name in enumerate(SETS[8:], start=8):
            sets[row] = column(name, np.uint64, 0)
        clocks = column("halfmove_clock", np.int64, 0), column("fullmove_number", np.int64, 1)
        extra = {name: column(name, kind) for name, kind in _GAME_NAMES.items() if name in table.column_names}
        positions = cls._checked(sets, column("white_to_move", np.bool_), *_clocks(*clocks), chess960=chess960, **extra)
        if "move" in table.column_names and "white_pawns" in table.column_names and positions.moves is None:
            positions.moves = positions._read_moves(table.column("move"))
        return positions

    def _read_moves(self, column: pa.ChunkedArray) -> np.ndarray:
        """Return the moves of texts in UCI, 0 where there is none."""
        chunks = column.cast(pa.large_string()).fill_null("").chunks
        texts = pa.concat_arrays(chunks or [pa.array([], pa.large_string())])
        moves, offsets = np.empty(len(self), np.uint16), np.frombuffer(texts.buffers()[1] or bytes(8), np.int64)
        text = np.frombuffer(texts.buffers()[2] or b"", np.uint8)
        read_moves(self.sets, self.white_to_move, text, offsets[texts.offset :], moves)
        wrong = np.flatnonzero((moves == 0) & (np.diff(offsets[texts.offset :][: len(self) + 1]) > 0))
        if len(wrong):
            row = int(wrong[0])
            raise IllegalMove(f"position number {row + 1}: {shortened(texts[row].as_py())} is not a legal move in UCI")
        return moves

    @classmethod
    def _checked(
        cls, sets: np.ndarray, white_to_move: np.ndarray, *clocks: np.ndarray, chess960: bool, **others: Any
    ) -> Positions:
        """The positions of columns that come from elsewhere, refused where one is impossible."""
        moves = others.get("moves", np.empty(0, np.uint16))
        k = checks.first_unsound(sets, white_to_move, moves, chess960)
        if k < len(white_to_move):
            words = [*sets[:, k].tolist(), white_to_move[k].item(), clocks[0][k].item(), clocks[1][k].item()]
            try:
                Position.from_words(words, chess960=chess960).play(int(moves[k]))
            except ValueError as error:
                raise type(error)(f"position number {k + 1}: {error}") from None
        return cls(sets, white_to_move, *clocks, **others)


class Children(NamedTuple):
    """What moves lead to: the positions, the row that each one's parent has, the move between them, 16 bits.

    The move is as White sees it, what ``Move`` takes; ``positions.moves`` would be one played next, and is None.
    """

    positions: Positions
    parents: np.ndarray
    moves: np.ndarray


def _texts(fens: Iterable[str]) -> pa.LargeStringArray:
    """Texts in a row, whatever they come in; a missing one is empty."""
    try:
        if isinstance(fens, str):
            raise pa.ArrowTypeError("one text is made a position by Position(fen)")
        if isinstance(fens, pa.ChunkedArray):
            fens = pa.concat_arrays(fens.cast(pa.large_string()).chunks) if fens.num_chunks else ()
        return pa.array(fens, pa.large_string())
    except pa.ArrowException as error:
        raise TypeError(f"FENs are texts, several of them: {error}") from None


def _strings(data: np.ndarray, offsets: np.ndarray, present: np.ndarray | None = None) -> pa.StringArray:
    """Texts that stand one after the other, as Arrow strings without a copy."""
    validity = None if present is None else pa.py_buffer(np.packbits(present, bitorder="little"))
    texts = pa.LargeStringArray.from_buffers(len(offsets) - 1, pa.py_buffer(offsets), pa.py_buffer(data), validity)
    return texts.cast(pa.string())


def _clocks(halfmoves: np.ndarray, fullmoves: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Both clocks as columns have them."""
    for name, values in (("halfmove_clock", halfmoves), ("fullmove_number", fullmoves)):
        if values.size and not 0 <= values.min() <= values.max() <= LAST_CLOCK:
            raise InvalidFen(f"{name} is 0 to {LAST_CLOCK}, not {values.min() if values.min() < 0 else values.max()}")
    return halfmoves.astype(np.uint16), fullmoves.astype(np.uint16)


def _values(column: pa.ChunkedArray, name: str, kind: type) -> np.ndarray:
    """The values of an Arrow column as an array of NumPy's."""
    if column.null_count:
        raise ValueError(f"the column {name!r} has no value in {column.null_count} rows")
    wanted = pa.bool_() if kind is np.bool_ else pa.from_numpy_dtype(kind)
    try:
        if kind is np.uint64 and pa.types.is_signed_integer(column.type):
            return column.cast(pa.int64()).to_numpy().view(np.uint64)
        return np.ascontiguousarray(column.cast(wanted).to_numpy())
    except pa.ArrowException as error:
        raise ValueError(f"the column {name!r} is of {column.type} and cannot be read as {wanted}: {error}") from None
