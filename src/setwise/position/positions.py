"""``Positions``: the columns of many positions, as arrays, with the names that ``Position`` has.

A column is computed for all rows at once by compiled loops, on several threads where there are enough rows. The sets
are rows of one array of words, so that a slice copies nothing and a kernel reads each set in one run. Black's view of
all boards is the same array read in the other order of bytes; it is kept, because most features need it. Columns are
in pooled memory, because new pages from the system cost more time than a cheap feature. Positions from games also know
the next move, the game and the ply. The sections before the class are about texts of FENs and moves, Arrow tables, and
the inputs of networks.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator
from operator import index
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, SupportsIndex, cast, overload

import numpy as np
import pyarrow as pa
from numpy.lib.stride_tricks import as_strided

from setwise import features
from setwise.compiler import Set, Square, byteswap, entry, routine
from setwise.compiler.kinds import boolean, int64, reads, uint16, uint64, void, writes
from setwise.errors import IllegalMove, InvalidFen, SetwiseError, did_you_mean, shortened
from setwise.features import mate_names
from setwise.notation import fen
from setwise.patterns import bits
from setwise.patterns.bits import ALL, EIGHT, EMPTY, FOUR, ONE, RANK_1, SEVEN, THREE, lowest, without_lowest
from setwise.position import compiled, move
from setwise.position.compiled import unpacked
from setwise.position.history import Played, exchanges, played_moves
from setwise.position.position import (
    NO_RESULT,
    UNKNOWN,
    Position,
    board_of,
    states_of,
    tablebase_results,
    tablebase_values,
)
from setwise.position.variant_position import standard_words
from setwise.rules import generate, polyglot
from setwise.rules.board import LAST_CLOCK, NULL_MOVE, SETS, WORDS, Board, State, board_at, king_square, mirrored
from setwise.system.pool import pooled
from setwise.view import board_svg
from setwise.view.diagram import beside, count

if TYPE_CHECKING:
    import chess
    import numpy.typing as npt


# ---------------------------------------------------------------------------------------------- moves of many positions


class MoveList(NamedTuple):
    """Legal moves of many positions in one list: for each the row of its position, the move and its index.

    Moves are uint16, from White's side, as ``Move`` takes them; rows and indices are int64.
    """

    parents: np.ndarray
    moves: np.ndarray
    indices: np.ndarray


# ------------------------------------------------------ many positions as one side sees them, and features of that side


def _flipped(positions: Positions) -> np.ndarray:
    """All boards from Black's side: a copy as words of the opposite byte order, because that reverses the ranks."""
    flipped = pooled(positions.sets.shape, positions.sets.dtype.newbyteorder())
    flipped[:2], flipped[2:] = positions.sets[1::-1], positions.sets[2:]
    return flipped.view(np.uint64)


def _moves_next(positions: Positions, side: str) -> np.ndarray:
    """Whether a side is to move, for each position."""
    if side in features.COLOURS:
        return positions.white_to_move if side == "white" else ~positions.white_to_move
    return np.full(len(positions), side == "own")


def _upright(positions: Positions, side: str) -> np.ndarray:
    """Whether a side is White, for each position."""
    if side in features.COLOURS:
        return np.full(len(positions), side == "white")
    return positions.white_to_move if side == "own" else ~positions.white_to_move


# -------------------------------------------------- FENs, moves and boards of many positions as texts, read and written


def read_fens(
    texts: pa.LargeStringArray, *, chess960: bool
) -> tuple[tuple[np.ndarray, ...], np.ndarray, dict[int, InvalidFen]]:
    """Return the columns of the valid FENs, the numbers of their texts, and the faults of other texts by number."""
    count = len(texts)
    offsets = np.frombuffer(texts.buffers()[1] or bytes(8), np.int64)[texts.offset :][: count + 1]
    data = np.frombuffer(texts.buffers()[2] or b"", np.uint8)
    sets, white_to_move = np.empty((len(SETS), count), np.uint64), np.empty(count, np.bool_)
    clocks = np.empty((2, count), np.uint16)
    faults, places = np.empty(count, np.uint64), np.empty(count, np.int64)
    sound = fen.read_fens(data, offsets, chess960, sets, white_to_move, clocks[0], clocks[1], faults, places)
    wrong = {row: _explained(texts[row].as_py() or "", chess960) for row in np.flatnonzero(faults).tolist()}
    if sound < count:
        sets, white_to_move, clocks = np.ascontiguousarray(sets[:, :sound]), white_to_move[:sound], clocks[:, :sound]
    return (sets, white_to_move, *clocks), np.flatnonzero(faults == 0).astype(np.int32), wrong


def _explained(text: str, chess960: bool) -> InvalidFen:
    """The exception that describes the faults of a FEN; the FEN is read again, alone, because its sets are needed."""
    data = text.encode(errors="replace")
    state, faults, where = compiled.read_position.raw(data, len(data), chess960)
    return fen.explain(text, faults, where, unpacked(state), chess960=chess960)


#: The most letters of a FEN that is mended.
_LONGEST = 200
#: A FEN whose rights and en passant square are at least written like those.
_RIGHTS = re.compile(r"\s*\S+\s+[wb]\s+(?:-|[KQkqA-Ha-h]{1,4})\s+(?:-|[a-h][36])(?:\s.*)?")


def mended_fen(fen: str) -> str:
    """Return a FEN without castling rights and en passant squares that its board makes impossible; else as it is.

    Where not even the rules of Chess960 allow them, only the rights of standard chess stay.

    Example:
        >>> mended_fen("6k1/5ppp/8/8/8/8/5PPP/4K2R w KQkq e6 0 1"), mended_fen("8/8/8/8/8/4k3/8/8 b KQ - 0 1")
        ('6k1/5ppp/8/8/8/8/5PPP/4K2R w K - 0 1', '8/8/8/8/8/4k3/8/8 b KQ - 0 1')
    """
    if len(fen) > _LONGEST or not _RIGHTS.fullmatch(fen) or _stands(fields := fen.split(), chess960=True):
        return fen
    board, turn, rights, passed, *numbers = fields
    bare = [board, turn, "-", "-", *numbers]
    rights = "".join(it for it in rights if _stands([*bare[:2], it, *bare[3:]])) or "-"
    passed = passed if _stands([*bare[:3], passed, *numbers]) else "-"
    mended = [board, turn, rights, passed, *numbers]
    return " ".join(mended) if _stands(mended) else fen


def _stands(fields: list[str], *, chess960: bool = False) -> bool:
    """Return whether the fields of a FEN are a position."""
    try:
        Position(" ".join(fields), chess960=chess960)
    except SetwiseError:
        return False
    return True


def _move_texts(positions: Positions, san: bool) -> pa.StringArray:
    moves = positions._moves_played()
    out, offsets = np.empty(len(positions) * move.LONGEST_MOVE, np.uint8), np.empty(len(positions) + 1, np.int64)
    move.write_moves(positions._rows, positions.white_to_move, moves, positions.chess960, san, out, offsets)
    return _strings(out, offsets, present=moves != 0)


def read_moves(positions: Positions, column: pa.ChunkedArray) -> np.ndarray:
    """Return the moves of texts in UCI, 0 for a missing or empty text.

    Raises:
        IllegalMove: for the first text that is not a legal move.
    """
    chunks = column.cast(pa.large_string()).fill_null("").chunks
    texts = pa.concat_arrays(chunks or [pa.array([], pa.large_string())])
    moves, offsets = np.empty(len(positions), np.uint16), np.frombuffer(texts.buffers()[1] or bytes(8), np.int64)
    text = np.frombuffer(texts.buffers()[2] or b"", np.uint8)
    move.read_moves(positions.sets, positions.white_to_move, text, offsets[texts.offset :], moves)
    wrong = np.flatnonzero((moves == 0) & (np.diff(offsets[texts.offset :][: len(positions) + 1]) > 0))
    if len(wrong):
        row = int(wrong[0])
        raise IllegalMove(f"position number {row + 1}: {shortened(texts[row].as_py())} is not a legal move in UCI")
    return moves


def _texts(fens: Iterable[str]) -> pa.LargeStringArray:
    """Texts of any iterable or column as one Arrow array; a missing text becomes an empty one."""
    try:
        if isinstance(fens, str):
            raise pa.ArrowTypeError("one text is made a position by Position(fen)")
        if isinstance(fens, pa.ChunkedArray):
            fens = pa.concat_arrays(fens.cast(pa.large_string()).chunks) if fens.num_chunks else ()
        return pa.array(fens, pa.large_string())
    except pa.ArrowException as error:
        raise TypeError(f"FENs are texts, several of them: {error}") from None


def _strings(data: np.ndarray, offsets: np.ndarray, present: np.ndarray | None = None) -> pa.StringArray:
    """Concatenated texts as Arrow strings, without a copy."""
    validity = None if present is None else pa.py_buffer(np.packbits(present, bitorder="little"))
    texts = pa.LargeStringArray.from_buffers(len(offsets) - 1, pa.py_buffer(offsets), pa.py_buffer(data), validity)
    return texts.cast(pa.string())


# --------------------------------------------------------------------- many positions as Arrow tables, read and written


#: The columns of a position besides its sets, and those that positions of games have, with their types.
PLAIN_COLUMNS = State._fields[len(SETS) :]
EXTRA_COLUMNS: dict[str, type] = {"moves": np.uint16, "game": np.int32, "ply": np.int32}
_PIECES = ("pawns", "knights", "bishops", "rooks", "queens", "king")


def columns_of(table: pa.Table) -> tuple[tuple[np.ndarray, ...], dict[str, np.ndarray]]:
    """Return a table's columns of boards, and its columns of games; raises as ``Positions.from_arrow`` does."""
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
    kinds = EXTRA_COLUMNS | {"chess960": np.bool_}
    extra = {name: column(name, kind) for name, kind in kinds.items() if name in table.column_names}
    return (sets, column("white_to_move", np.bool_), *checked_clocks(*clocks)), extra


def checked_clocks(halfmoves: np.ndarray, fullmoves: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return both clocks in the types of columns; raises ``InvalidFen`` for numbers out of their range."""
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


# ------------------------------------------------------------------------------------------------------- network inputs


#: The kinds of inputs, and how many inputs there are of each kind.
NETWORK_INPUTS = {"halfkp": 64 * 641, "halfkav2_hm": 32 * 704}

#: The number of inputs for each square of the king. For HalfKP: ten kinds of pieces, and one input that is never used;
#: for HalfKAv2_hm: eleven kinds.
_HALFKP, _HALFKA = np.uint64(NETWORK_INPUTS["halfkp"] // 64), np.uint64(NETWORK_INPUTS["halfkav2_hm"] // 32)
#: Inputs for each kind of piece.
_WIDE = np.uint64(64)


class NetworkInputs(NamedTuple):
    """The inputs of many positions that are one: two lists a position, from the mover's view and from the other's.

    The inputs of position k are ``own[offsets[k]:offsets[k + 1]]`` and the same part of ``enemy``. All are int64.
    """

    own: np.ndarray
    enemy: np.ndarray
    offsets: np.ndarray


@routine
def _write_view(board: Board, halves: Square, with_kings: bool, start: int, out: np.ndarray) -> int:
    """Write the inputs of one view; ``halves`` is xor-ed with each square. Return where the next inputs begin."""
    king = king_square(board) ^ halves
    if with_kings:
        first = ((SEVEN - (king >> THREE)) * FOUR + SEVEN - (king & SEVEN)) * _HALFKA
    else:
        first = king * _HALFKP + ONE
    own, enemy = board.own, board.enemy
    for kind in (board.pawns, board.knights, board.bishops, board.rooks, board.queens):
        for side in (own, enemy):
            left = side & kind
            while left != EMPTY:
                out[start] = np.int64(first + (lowest(left) ^ halves))
                left = without_lowest(left)
                start += 1
            first += _WIDE
    if with_kings:
        left = board.kings
        while left != EMPTY:
            out[start] = np.int64(first + (lowest(left) ^ halves))
            left = without_lowest(left)
            start += 1
    return start


@routine
def _halves(board: Board, white: np.bool | bool, with_kings: bool) -> Square:
    """The number to xor with the squares of a view up the board: 7 exchanges the left half and the right half."""
    if with_kings:
        return EMPTY if king_square(board) & FOUR else SEVEN
    return EMPTY if white else SEVEN


@entry(void, reads(uint64, 2, "A"), reads(boolean), boolean, reads(int64), writes(int64), writes(int64))
def _write(
    sets: np.ndarray, white_to_move: np.ndarray, with_kings: bool, offsets: np.ndarray,
    own: np.ndarray, enemy: np.ndarray,
) -> None:  # fmt: skip
    """Write the inputs of every position from both views, from its offset on."""
    for k in range(sets.shape[1]):
        white = white_to_move[k]
        seen_by_white = board_at(sets, k)
        seen_by_black = mirrored(seen_by_white)
        board, other = (seen_by_white, seen_by_black) if white else (seen_by_black, seen_by_white)
        _write_view(board, _halves(board, white, with_kings), with_kings, offsets[k], own)
        _write_view(other, _halves(other, not white, with_kings), with_kings, offsets[k], enemy)


# --------------------------------------------------------------------------------------- Positions as input of networks


#: The number of planes of pieces, and the number of all planes.
PIECE_PLANES, PLANES = 12, 19
#: Positions per conversion to another type: their bytes fit the processor's cache.
_CHUNK = 512

_BYTE, _EACH, _DIAGONAL = np.uint64(0xFF), np.uint64(0x0101_0101_0101_0101), np.uint64(0x8040_2010_0804_0201)
_CARRY = np.uint64(0x7F7F_7F7F_7F7F_7F7F)


@routine
def _rank(squares: Set) -> Set:
    """Expand the lowest eight bits to eight bytes of 0 or 1: each byte keeps one bit, and a carry moves it to bit 7."""
    return ((squares & _BYTE) * _EACH & _DIAGONAL) + _CARRY >> SEVEN & _EACH


@routine
def _whole(flag: np.bool | bool) -> Set:
    return ALL if flag else EMPTY


@routine
def _stack(board: Board, white: bool) -> tuple[Set, ...]:
    """Return all planes except the clock as sets: own and enemy pieces, White to move, rights, passed square."""
    own, enemy = board.own, board.enemy
    king, rooks = own & board.kings & RANK_1, own & board.castling & RANK_1
    other, others = byteswap(enemy & board.kings) & RANK_1, byteswap(enemy & board.castling) & RANK_1
    return (
        own & board.pawns, own & board.knights, own & board.bishops,
        own & board.rooks, own & board.queens, own & board.kings,
        enemy & board.pawns, enemy & board.knights, enemy & board.bishops,
        enemy & board.rooks, enemy & board.queens, enemy & board.kings,
        _whole(white),
        _whole(rooks > king), _whole(rooks & (king - ONE) != EMPTY),
        _whole(others > other), _whole(others & (other - ONE) != EMPTY),
        board.en_passant,
    )  # fmt: skip


@entry(
    void,
    reads(uint64, 2, "A"), reads(boolean),
    reads(uint16), boolean, writes(uint64, 3),
)  # fmt: skip
def _fill(sets: np.ndarray, white_to_move: np.ndarray, clocks: np.ndarray, from_mover: bool, out: np.ndarray) -> None:
    """Write the planes of each position, as many as ``out`` has room for, one word per rank."""
    for k in range(out.shape[0]):
        board = board_at(sets, k)
        white = white_to_move[k]
        if from_mover and not white:
            board = mirrored(board)
        stack = _stack(board, white)
        for plane in range(min(len(stack), out.shape[1])):
            left = stack[plane]
            for rank in range(8):
                out[k, plane, rank] = _rank(left)
                left >>= EIGHT
        if out.shape[1] > len(stack):
            clock = min(np.uint64(clocks[k]), _BYTE) * _EACH
            for rank in range(8):
                out[k, len(stack), rank] = clock


# ------------------------------------------------------------------ Positions: the columns of many positions, as arrays


#: The number of boards that a notebook shows.
_SHOWN = 4


def _masked(results: np.ndarray) -> pa.Int8Array:
    return pa.array(results, mask=results == NO_RESULT)


class Positions:
    """Many positions: every field of ``Position`` as a column, an array with one item per position.

    The sets are uint64 (rows of ``sets``, whose names are attributes: ``white_pieces``, ``pawns`` …,
    ``castling_rights``, ``en_passant``; each row is contiguous, but there may be a gap before the next row),
    ``white_to_move`` is bool, ``halfmove_clock`` and ``fullmove_number`` are uint16. Positions that come from games
    also have ``moves`` (the move played next, 16 bits, 0 where there is none), ``game`` (the row in ``games``) and
    ``ply``; for other positions these are None. Slices, and arrays of indices or flags, select Positions.
    """

    #: The games that the positions come from; None for positions that do not come from games.
    games: object = None

    #: Whether each position is of Chess960; None if this follows from the castling rights or the games.
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
        self.sets, self.white_to_move = sets, white_to_move
        self.halfmove_clock, self.fullmove_number = halfmove_clock, fullmove_number
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
        if not isinstance(which, slice):
            try:
                which = np.arange(len(self))[which]
            except (IndexError, TypeError, ValueError) as error:
                raise IndexError(f"positions are chosen by a number, a slice, numbers or truths: {error}") from None
            if which.ndim != 1:
                raise IndexError("positions are chosen by a number, a slice, or one row of numbers or truths")
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
        """The states of positions, as ``Position`` holds them, concatenated."""
        rows = [self.sets[:, which], *(getattr(self, name)[which] for name in PLAIN_COLUMNS)]
        return np.vstack(rows, dtype=np.uint64).T.tobytes()

    def __iter__(self) -> Iterator[Position]:
        states, size = self._states(), 8 * WORDS
        for number, chess960 in enumerate(self.chess960.tolist()):
            yield Position._of(states[number * size : (number + 1) * size], chess960)

    @property
    def _rows(self) -> np.ndarray:
        """The sets as compiled code takes them: contiguous rows, from which it reads one word per position.

        The rows can be longer than the number of positions, if the reader of the games reserved room for more.
        """
        gap, step = self.sets.strides
        if step != self.sets.itemsize or gap % step or gap < len(self) * step:
            return np.ascontiguousarray(self.sets)
        return as_strided(self.sets, (len(self.sets), gap // step))

    @functools.cached_property
    def chess960(self) -> np.ndarray:
        """Whether the rules are Chess960: by the constructor, by the game, or by rights that standard chess lacks."""
        if self._chess960 is not None:
            return self._chess960
        standard = np.empty(len(self), np.bool_)
        generate.standard(self._rows, standard)
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
    def from_fens(cls, fens: Iterable[str], *, chess960: bool | None = False, strict: bool = False) -> Positions:
        """Return the positions of FENs, without castling rights and en passant squares that cannot be.

        Args:
            fens: texts; a position that no game can reach is refused. A list, or a column of Arrow,
                Polars, pandas or NumPy.
            chess960: whether the positions are of Chess960, as in ``Position``. For None, a position is of Chess960 if
                it has castling rights that standard chess does not have.
            strict: whether to refuse texts with such rights and squares.

        Raises:
            InvalidFen: for the first text that is not a FEN of a legal position, with its number and the reason.
            TypeError: for anything but texts.

        Example:
            >>> Positions.from_fens(["8/8/8/4k3/8/8/4P3/4K3 w - - 0 1"]).pawns
            array([4096], dtype=uint64)
        """
        positions, _, wrong = cls.sound_fens(fens, chess960=chess960, mended=None if strict else {})
        if wrong:
            number, error = next(iter(wrong.items()))
            raise InvalidFen(f"FEN number {number + 1}: {error}")
        return positions

    @classmethod
    def sound_fens(
        cls, fens: Iterable[str], *, chess960: bool | None = False, mended: dict[int, str] | None = None
    ) -> tuple[Positions, np.ndarray, dict[int, InvalidFen]]:
        """Return the positions of the texts that are valid FENs, and the faults of the others.

        Args:
            fens: texts; as ``from_fens``.
            chess960: as ``from_fens``.
            mended: is filled with the FENs that lost castling rights or en passant squares that cannot be, by the
                numbers of their texts; None refuses such texts.

        Returns:
            The positions, the numbers of their texts (int32, from 0), and the fault of every other text by its number.

        Raises:
            TypeError: for anything but texts.

        Example:
            >>> positions, rows, wrong = Positions.sound_fens(["8/8/8/4k3/8/8/4P3/4K3 w - - 0 1", "start"])
            >>> len(positions), rows, list(wrong)
            (1, array([0], dtype=int32), [1])
        """
        texts, is_960 = _texts(fens), chess960 is not False
        columns, rows, wrong = read_fens(texts, chess960=is_960)
        if wrong and mended is not None:
            mended |= {row: new for row in wrong if (new := mended_fen(old := texts[row].as_py() or "")) != old}
            if mended:
                put = [mended.get(row, text) for row, text in enumerate(texts.to_pylist())]
                columns, rows, wrong = read_fens(_texts(put), chess960=is_960)
        return Positions(*columns, chess960=np.ones(len(rows), np.bool_) if chess960 else None), rows, wrong

    def fens(self, en_passant: Literal["legal", "fen", "xfen"] = "legal", *, shredder: bool = False) -> pa.StringArray:
        """Return the FENs as Arrow strings, in the conventions of ``Position.fen``."""
        mode = np.uint64(fen.mode_of(en_passant, shredder=shredder))
        out, offsets = np.empty(len(self) * fen.MOST_BYTES, np.uint8), np.empty(len(self) + 1, np.int64)
        fen.write_fens(self._rows, self.white_to_move, self.halfmove_clock, self.fullmove_number, mode, out, offsets)
        return _strings(out, offsets)

    def san(self) -> pa.StringArray:
        """Return the move played next in SAN as Arrow strings, null for a position without a move."""
        return _move_texts(self, san=True)

    def uci(self) -> pa.StringArray:
        """Return the move played next in UCI as Arrow strings, null for a position without a move."""
        return _move_texts(self, san=False)

    def piece_strings(self) -> list[str]:
        """Return every position as 64 characters from a1 to h8: ``PNBRQK`` White, ``pnbrqk`` Black, ``.`` no piece."""
        letters = np.full((len(self), 64), ord("."), np.uint8)
        for row, (white, black) in enumerate(zip("PNBRQK", "pnbrqk", strict=True), start=2):
            for pieces, letter in ((self.sets[0], white), (self.sets[1], black)):
                occupied = (self.sets[row] & pieces).astype("<u8").view(np.uint8).reshape(-1, 8)
                letters[np.unpackbits(occupied, axis=1, bitorder="little").astype(bool)] = ord(letter)
        return [row.tobytes().decode() for row in letters]

    # ------------------------------------------------------------------------------------------- moves, checks, mates

    @functools.cached_property
    def _moves_and_checks(self) -> tuple[np.ndarray, np.ndarray]:
        counts, checks = np.empty(len(self), np.int16), np.empty(len(self), np.bool_)
        generate.legal_move_counts(self._rows, self.white_to_move, counts, checks)
        return counts, checks

    @functools.cached_property
    def _checks(self) -> np.ndarray:
        if "_moves_and_checks" in self.__dict__:
            return self._moves_and_checks[1]
        checks = np.empty(len(self), np.bool_)
        generate.find_checks(self._rows, self.white_to_move, checks)
        return checks

    def _moves_played(self) -> np.ndarray:
        if self.moves is None:
            raise ValueError("these positions do not come from games; no moves were played in them")
        moves: np.ndarray = self.moves
        return moves

    @functools.cached_property
    def _played(self) -> Played:
        return played_moves(self.sets, self.moves)

    def legal_move_counts(self) -> np.ndarray:
        """Return how many legal moves the side to move has, int16, as `moves.legal_move_count` counts them.

        Example:
            >>> from setwise import Positions
            >>> positions = Positions.from_fens(["4k3/8/8/8/8/8/8/4K2R w K - 0 1", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"])
            >>> positions.legal_move_counts()
            array([15,  0], dtype=int16)
        """
        return self._moves_and_checks[0]

    def legal_moves(self) -> MoveList:
        """Return the legal moves of all positions; within a position they are in the order of ``Position.legal_moves``.

        An index is the number of a move in ``move_indices``; ``logits[legal.parents, legal.indices]`` are the values
        that a network assigns to legal moves.

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
        generate.list_legal(self.sets, self.white_to_move, generate.INDEX_OF, moves, move_indices)
        return MoveList(parents, moves, move_indices)

    def moves_mask(self) -> np.ndarray:
        """Return which of the 1858 moves of ``move_indices`` are legal in each position, an array n × 1858 of bool.

        Example:
            >>> from setwise import Positions
            >>> positions = Positions.from_fens(["k7/8/1K6/8/8/8/8/8 b - - 0 1", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"])
            >>> positions.moves_mask().sum(axis=1)
            array([1, 0])
        """
        mask = np.zeros((len(self), generate.MOVE_INDICES), np.uint8)
        generate.mask_legal(self.sets, self.white_to_move, generate.INDEX_OF, mask)
        return mask.view(np.bool_)

    def move_indices(self) -> np.ndarray:
        """Return the index for a network of the move played in each position, 0 to 1857; -1 without a move.

        Moves are numbered from the mover's view, as ``planes(from_mover=True)`` shows the board: where Black moves,
        e7-e5 has the index of White's e2-e4. Indices 0 to 1791 are the pairs of squares that a queen's move or a
        knight's move can connect, ordered by the first square and then by the second; castling goes from the king's
        square to the rook's, and a pawn on the last rank becomes a queen. 1792 to 1857 are promotions to a knight, a
        bishop and a rook, in this order, for each move of a pawn to the last rank.

        Raises:
            ValueError: for positions that do not come from games.

        Example:
            >>> [games] = setwise.read_pgn(b"1. e4 e5 *")
            >>> games.positions().move_indices()
            array([322, 322,  -1])
        """
        return generate.indices_of(self._moves_played(), self.white_to_move)

    def moves_at(self, numbers: npt.ArrayLike) -> np.ndarray:
        """Return the moves of indices, one for each position, from White's view: uint16, 0 for an illegal move.

        Args:
            numbers: an index for each position, for example the legal move with a network's largest value.

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

    def played(self) -> Played:
        """Return the effects of the moves played in these positions.

        Raises:
            ValueError: for positions that do not come from games.
        """
        self._moves_played()
        return self._played

    def see(self) -> np.ndarray:
        """Return the gain of the exchange that begins with each move played, int8, in pawns; see ``Position.see``.

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

    def is_check(self) -> np.ndarray:
        """Return whether the side to move is in check, bool."""
        return self._checks

    def is_checkmate(self) -> np.ndarray:
        """Return whether the side to move is mated, bool; legal moves are counted only in positions with a check."""
        mates = self.is_check().copy()
        rows = np.flatnonzero(mates)
        mates[rows] = cast("Positions", self[rows]).legal_move_counts() == 0
        return mates

    def is_stalemate(self) -> np.ndarray:
        """Return whether the side to move has no legal move and is not in check, bool."""
        counts, checks = self._moves_and_checks
        return ~checks & (counts == 0)

    def mate_pattern(self) -> pa.DictionaryArray:
        """Return the most particular name of each mate, as ``Position.mate_pattern`` does; null without a name.

        Example:
            >>> from setwise import Positions
            >>> Positions.from_fens(["6rk/5Npp/8/8/8/8/8/6K1 b", "8/8/8/8/8/8/8/k1K5 b"]).mate_pattern().to_pylist()
            ['smothered', None]
        """
        return mate_names.first_names(self._rows, self.white_to_move, self.is_checkmate())

    def mate_patterns(self) -> pa.ListArray:
        """Return all names of each mate, the most particular first; null where there is no mate.

        Example:
            >>> from setwise import Positions
            >>> Positions.from_fens(["1R4k1/R7/8/8/8/8/8/6K1 b", "8/8/8/8/8/8/8/k1K5 b"]).mate_patterns().to_pylist()
            [['two_rooks', 'ladder', 'corridor'], None]
        """
        return mate_names.all_names(self._rows, self.white_to_move, self.is_checkmate())

    def wdl(self) -> pa.Int8Array:
        """Return the mover's result with best play: 1 a win, 0 a draw, -1 a loss; null if no table has the position.

        Raises:
            SourceError: if there is no tablebase, or a table is damaged.
        """
        return _masked(tablebase_results(self.sets, self.white_to_move))

    def dtm(self) -> pa.Int16Array:
        """Return the moves to mate with best play, as ``Position.dtm`` does; null for draws and unknown values.

        Raises:
            SourceError: if there is no tablebase, or a table is damaged.
        """
        from setwise.tablebases.solving import DRAWN

        values = tablebase_values(self.sets, self.white_to_move)
        moves = (values >> 1).astype(np.int16)
        return pa.array(np.where(values & 1, -moves, moves), mask=(values == UNKNOWN) | (values == DRAWN))

    def tablebase_loss(self) -> pa.Int8Array:
        """Return how much the moves played lose: 1 from win to draw or from draw to loss, 2 from win to loss, else 0.

        Null if no table has the position, for null moves, and for positions without a move.

        Raises:
            ValueError: for positions that do not come from games.
            SourceError: if there is no tablebase, or a table is damaged.
        """
        before = tablebase_results(self.sets, self.white_to_move)
        moves = self._moves_played()
        rows = np.flatnonzero((before != NO_RESULT) & (moves != 0) & (moves != NULL_MOVE))
        known: Any = self[rows]
        after, parents, made = known.children()
        played = np.flatnonzero(made == known.moves[parents])
        reached = tablebase_results(after.sets[:, played], after.white_to_move[played])
        losses, is_known = np.full(len(self), NO_RESULT, np.int8), reached != NO_RESULT
        rows = rows[parents[played[is_known]]]
        losses[rows] = before[rows] + reached[is_known]
        return _masked(losses)

    def children(self) -> Children:
        """Return the positions after every legal move of every position, about 90 bytes per move.

        The children of a position are consecutive, in the order of ``Position.legal_moves``. They keep ``games`` and
        ``game`` of their parents.

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
        generate.children(*before, white_to_move, sets, halfmoves, fullmoves, moves)
        boards = sets, white_to_move, halfmoves, fullmoves
        columns: dict[str, np.ndarray] = dict(zip(("sets", *PLAIN_COLUMNS), boards, strict=True))
        if self.game is not None:
            columns["game"] = np.repeat(self.game, counts)
        if self.chess960.any():
            columns["chess960"] = np.repeat(self.chess960, counts)
        return Children(self._like(columns), parents, moves)

    # --------------------------------------------------------------------------------------------- keys and features

    def keys(self) -> np.ndarray:
        """Return the Polyglot key of every position, uint64, as ``Position.key`` does.

        Each key is computed from the previous key and the changes on the board, which is fast for games.
        """
        out = np.empty(len(self), np.uint64)
        polyglot.keys(self._rows, self.white_to_move, out)
        return out

    def planes(
        self, dtype: npt.DTypeLike = np.uint8, *, from_mover: bool = False, situation: bool = True
    ) -> np.ndarray[Any, Any]:
        """Return every position as planes for a network, an array of n × 19 × 8 × 8: ``[position, plane, rank, file]``.

        Rank 0 is the first rank, file 0 the a-file: square s is ``[…, s // 8, s % 8]``. Planes 0 to 5 are White's
        pawns, knights, bishops, rooks, queens and king, planes 6 to 11 Black's. Then comes the situation: plane 12 is
        full of ones when White moves; 13 and 14 when White may castle short and long, 15 and 16 when Black may; 17 has
        the square that a pawn has just passed, as in ``en_passant``; every number in 18 is the halfmove clock, at most
        255. All other numbers are 0.

        Args:
            dtype: any type of numbers, ``np.uint8`` or ``np.float32`` for example; the numbers are the same.
            from_mover: show every position from the side to move: where Black moves, ranks are reversed and colours
                exchanged, so that the mover's pieces are in planes 0 to 5 and go up the board, and the mover's castling
                rights are in planes 13 and 14. Plane 12 still holds whether White is to move.
            situation: include planes 12 to 18; without them the array is n × 12 × 8 × 8.

        Example:
            >>> from setwise import Positions
            >>> planes = Positions.from_fens(["4k3/8/8/8/8/8/4P3/4K2R w K - 7 30"]).planes()
            >>> planes.shape, planes[0, 0, 1], planes[0, 12:, 0, 0]
            ((1, 19, 8, 8), array([0, 0, 0, 0, 1, 0, 0, 0], dtype=uint8), array([1, 1, 0, 0, 0, 0, 7], dtype=uint8))
        """
        number, clocks, white_to_move = (PLANES if situation else PIECE_PLANES, self.halfmove_clock, self.white_to_move)
        count = len(white_to_move)
        out = np.empty((count, number, 8, 8), dtype)
        chunk = count if out.dtype == np.uint8 else _CHUNK
        words = np.empty((0 if out.dtype == np.uint8 else min(chunk, count), number, 8), np.uint64)
        for start in range(0, count, max(chunk, 1)):
            part = slice(start, min(start + chunk, count))
            room = out.view(np.uint64)[..., 0] if out.dtype == np.uint8 else words[: part.stop - start]
            _fill(self.sets[:, part], white_to_move[part], clocks[part], from_mover, room)
            if out.dtype != np.uint8:
                out[part] = room.view(np.uint8).reshape(-1, number, 8, 8)
        return out

    def network_inputs(self, kind: str) -> NetworkInputs:
        """Return the inputs of every position for an efficiently updatable network (NNUE), as indices with offsets.

        There are two views, the mover's and the other side's, and each piece is one input of each view. An input means:
        the king of this view is on one square, and a piece of one kind is on another. A network's first layer adds one
        row of weights for each input.

        Args:
            kind: ``"halfkp"``, 41,024 inputs: all pieces except the kings, by 64 squares of the king; for Black's view
                the board is rotated by half a turn. ``"halfkav2_hm"``, 22,528 inputs: all pieces, by 32 squares of the
                king; for Black's view the ranks are reversed, and for a king on the files a to d the files are
                reversed. Both number their inputs as Stockfish and nnue-pytorch do, so that their networks can be read.

        Raises:
            ValueError: ``kind`` is neither.

        Example:
            The white king on e1 sees its own pawn on e2, and the black king on e8.

            >>> from setwise import Positions
            >>> position = Positions.from_fens(["4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"])
            >>> position.network_inputs("halfkp")
            NetworkInputs(own=array([2577]), enemy=array([2039]), offsets=array([0, 1]))
            >>> own, enemy, offsets = position.network_inputs("halfkav2_hm")
            >>> own, offsets
            (array([21836, 22468, 22524]), array([0, 3]))

        Traps:
            ``offsets`` has one item more than there are positions; torch accepts it in
            ``EmbeddingBag(include_last_offset=True)``. Half a turn exchanges the wings: in ``"halfkp"``, Black castles
            short to the left.

        Source:
            Yu Nasu's NNUE, and the documentation of nnue-pytorch on HalfKP and HalfKAv2_hm.
        """
        if kind not in NETWORK_INPUTS:
            hint = did_you_mean(kind, NETWORK_INPUTS)
            raise ValueError(f"there are no network inputs {kind!r}; there are {' and '.join(NETWORK_INPUTS)}{hint}")
        with_kings = kind == "halfkav2_hm"
        counts = bits.count(self.sets[0] | self.sets[1]).astype(np.int64)
        offsets = np.zeros(len(self) + 1, np.int64)
        np.cumsum(counts if with_kings else counts - 2, out=offsets[1:])
        own, enemy = np.empty((2, offsets[-1]), np.int64)
        _write(self.sets, self.white_to_move, with_kings, offsets, own, enemy)
        return NetworkInputs(own, enemy, offsets)

    def seen_by(self, side: str) -> np.ndarray:
        """Return the ten rows of sets as one side sees them, playing up the board: its own pieces first.

        Args:
            side: ``"white"``, ``"black"``, ``"own"`` (the side to move) or ``"enemy"``.

        Raises:
            ValueError: for any other side.
        """
        if side == "white":
            return self.sets
        if side not in features.SIDES:
            raise ValueError(f"a side is {', '.join(features.SIDES)}, not {side!r:.40}")
        if side not in self._views:
            self._views[side] = _flipped(self) if side == "black" else pooled(self.sets.shape, np.uint64)
            if side != "black":
                generate.turn_boards(self._rows, _upright(self, side), self._views[side])
        return self._views[side]

    def feature(self, name: str) -> np.ndarray:
        """Return a feature's column: sets as uint64, counts as int16, filesets as uint8.

        Args:
            name: ``white_NAME``, ``black_NAME``, ``own_NAME`` (the mover's) or ``enemy_NAME``.

        Raises:
            QueryError: for an unknown name; the message has the most similar names.
        """
        definition, side = features.one_sided(name)
        arguments = *map(np.ascontiguousarray, self.seen_by(side)), _moves_next(self, side)
        # The result is in pooled memory: new pages from the system cost more time than a cheap feature.
        values = definition.ufunc(*arguments, pooled(arguments[0].shape, definition.returns.dtype))
        if side == "white":
            return values
        kind = definition.returns
        flipped = values.byteswap(inplace=side == "black") if kind.is_set else kind.turned(values)
        return flipped if side == "black" else np.where(_upright(self, side), values, flipped)

    # --------------------------------------------------------------------------------------------- to and from others

    @classmethod
    def concat(cls, batches: Iterable[Positions]) -> Positions:
        """Return the positions of several batches, one batch after the other.

        A column (``moves``, ``game``, ``ply``) is left out if one of the batches lacks it. The games of different
        batches get distinct numbers in ``game``. ``games`` (with tags and annotations) is kept only if it is the same
        object in all batches.

        Example:
            >>> texts = ["8/8/8/4k3/8/8/4P3/4K3 w - - 0 1", "8/8/8/4k3/8/8/4P3/4K3 b - - 0 1"]
            >>> Positions.concat(Positions.from_fens([text]) for text in texts).white_to_move
            array([ True, False])
        """
        several = list(batches) or [cls.from_fens([])]
        return several[0]._joined(several)

    def _joined(self, several: list[Positions]) -> Positions:
        """Return the positions of several batches; the first of them is this one."""
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
        """Return positions as columns, which follow standard chess; raises ``TypeError`` for positions of variants."""
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
        states, chess960 = states_of(boards)
        return _checked(*_columns_of_states(states), chess960=bool(chess960.any()), of_chess960=chess960)

    def to_boards(self, *, chess960: bool | None = None) -> list[chess.Board]:
        """Return boards of python-chess (which needs the package ``chess``), without histories.

        Args:
            chess960: whether they are boards of Chess960; by default, each is if its position is.
        """
        flags = self.chess960 if chess960 is None else np.full(len(self), chess960)
        return [board_of(position.words, chess960=flag) for position, flag in zip(self, flags.tolist(), strict=True)]

    def to_arrow(self) -> pa.Table:
        """Return all columns as an Arrow table: sets as uint64, the turn as bool, clocks as uint16.

        ``chess960`` says whether the rules are Chess960. Positions from games also have ``moves`` (uint16), ``game``
        and ``ply`` (int32). DuckDB reads such a table directly; ``polars.from_arrow(table)`` and ``table.to_pandas()``
        convert it.
        """
        columns = {name: pa.array(row) for name, row in zip(SETS, self.sets, strict=True)}
        columns |= {name: pa.array(getattr(self, name)) for name in (*PLAIN_COLUMNS, "chess960")}
        columns |= {name: pa.array(getattr(self, name)) for name in EXTRA_COLUMNS if getattr(self, name) is not None}
        return pa.table(columns)

    @classmethod
    def from_arrow(cls, table: Any, *, chess960: bool | None = None) -> Positions:
        """Return the positions of a table: Arrow's, Polars's, pandas's, or any other that exports itself to Arrow.

        Args:
            table: a table with the columns of ``to_arrow``; or, instead of the eight sets of pieces, the twelve sets
                that ``scan`` writes (``white_pawns`` … ``black_king``), and the moves as UCI in ``move``. The sets of
                pieces and ``white_to_move`` are required. Without the other columns there are no castling rights, no
                en passant square and no moves, and the clocks are 0 and 1. Further columns are ignored.
            chess960: whether the positions are of Chess960. By default the column ``chess960`` says so; without this
                column, a position is of Chess960 if it has castling rights that standard chess does not have.

        Raises:
            ValueError: a column is missing, has no value in some row, or is of another type.
            InvalidFen: for the first row that is not a possible position, with its number and the reason.
            IllegalMove: for the first move that is not legal.
        """
        table = table if isinstance(table, pa.Table) else pa.table(table)
        columns, extra = columns_of(table)
        flags = extra.pop("chess960", None) if chess960 is None else np.full(table.num_rows, chess960)
        positions = _checked(*columns, chess960=chess960 is not False, of_chess960=flags, **extra)
        if "move" in table.column_names and "white_pawns" in table.column_names and positions.moves is None:
            positions.moves = read_moves(positions, table.column("move"))
        return positions


class Children(NamedTuple):
    """The positions that moves lead to, the row of each position's parent, and the move from the parent, in 16 bits.

    The moves are from White's view, as ``Move`` takes them. ``positions.moves`` would be the moves played next; it is
    None.
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
    """The positions of columns from outside; raises for an impossible one. ``chess960`` allows castling of Chess960."""
    moves = others.get("moves", np.empty(0, np.uint16))
    k = generate.first_unsound(sets, white_to_move, moves, chess960)
    if k < len(white_to_move):
        words = [*sets[:, k].tolist(), white_to_move[k].item(), clocks[0][k].item(), clocks[1][k].item()]
        try:
            Position.from_words(words, chess960=chess960).play(int(moves[k]))
        except ValueError as error:
            raise type(error)(f"position number {k + 1}: {error}") from None
    return Positions(sets, white_to_move, *clocks, chess960=of_chess960, **others)
