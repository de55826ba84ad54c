"""``Move``: a move in 16 bits, as a subclass of int; the moves of many positions are written and read as text.

An int is hashed, compared and stored in arrays without conversion; the subclass prints as UCI and gives the squares of
the move. There are only 65,536 moves, so each object is created once and kept in a table: compiled code builds a list
of legal moves from pointers to these objects. A second table has the moves of Chess960, which writes castling as king
takes rook. A text in UCI that is read without a position is a `MoveAsWritten`, which a position interprets later. The
last section writes and reads the moves of many positions in one call.
"""

from __future__ import annotations

import re
import struct
from functools import partial
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import numpy as np

from setwise.bitboard import SQUARE_NAMES, parse_square
from setwise.chess_words import with_hints
from setwise.compiler import entry
from setwise.compiler.kinds import boolean, int32, int64, reads, uint8, uint16, uint64, void, writes
from setwise.errors import InvalidMove, shortened
from setwise.notation.moves import is_move, read_uci, write_san, write_uci
from setwise.patterns.bits import ZERO
from setwise.rules.board import CASTLING, EN_PASSANT, NULL_MOVE, PROMOTIONS, TO_QUEEN, board_at, mirrored, turned
from setwise.view import board_svg

if TYPE_CHECKING:
    import chess


# ---------------------------------------------------- move: a move in 16 bits, an int with its squares and its UCI text


#: A move as the methods of a Position take it: a Move or its number, a text in UCI or SAN, python-chess's Move.
AnyMove: TypeAlias = "Move | int | str | chess.Move"


#: The null move in UCI.
NULL_TEXT = "0000"
#: The form of any other move in UCI.
UCI_TEXT = re.compile(r"[a-h][1-8][a-h][1-8][nbrqNBRQ]?\Z")

_CASTLING, _EN_PASSANT, _QUEEN, _NULL = int(CASTLING), int(EN_PASSANT), int(TO_QUEEN), int(NULL_MOVE)
#: No move has a larger number than the null move.
_CODES = _NULL + 1
#: Castling with the king on e1 or e8 and the rook in a corner, the only castling of standard chess.
_STANDARD_CASTLING = frozenset(
    _CASTLING << 12 | rook << 6 | king for king, rook in ((4, 0), (4, 7), (60, 56), (60, 63))
)


@with_hints("Move")
class Move(int):
    """A move as columns store it: an int of 16 bits that gives its squares, its promotion and its UCI text.

    Bits 0–5 are the square where the move starts, bits 6–11 the square where it ends, bits 12–14 its kind: 0 normal,
    1 to 4 promotion to knight, bishop, rook or queen, 5 castling, 6 en passant. Castling goes from the king's square
    to the rook's square. The null move, which passes the turn, is 0x7000: kind 7, from a1 to a1.

    Raises:
        ValueError: for a number that does not encode a move.
        TypeError: for a text; ``Position.parse`` reads texts.

    Example:
        >>> from setwise import Position
        >>> move = Position("4k3/P7/8/8/8/8/8/4K2R w K - 0 1").parse_san("a8=Q")
        >>> move, int(move), move.from_square, move.to_square, move.promotion
        (<Move a7a8q>, 20016, 48, 56, 5)

    Traps:
        A move does not hold its position: ask ``Position`` whether it is legal, a capture or a check. For castling,
        ``to_square`` is the square where the king arrives, although the number holds the square of the rook.
    """

    __slots__ = ()

    def __new__(cls, code: int) -> Self:
        """Create a move from its number."""
        if not hasattr(code, "__index__"):
            raise TypeError(f"a Move is made from its number, not from {shortened(code)}; Position.parse reads texts")
        if not 0 <= code < _CODES:
            raise ValueError(f"a move is a number below {_CODES:#x}, not {shortened(hex(code))}")
        return int.__new__(cls, code)

    @classmethod
    def null(cls) -> Move:
        """Return the null move, which passes the turn: ``0000`` in UCI, ``--`` in SAN.

        It is never legal, but ``Position.play`` accepts it in every position.

        Example:
            >>> from setwise import Move, Position
            >>> p = Position().play(Move.null())
            >>> p.white_to_move, p.halfmove_clock, Position().san(Move.null()), Move.null() in p.legal_moves
            (False, 1, '--', False)
        """
        return int.__new__(cls, _NULL)

    @classmethod
    def from_uci(cls, text: str) -> Move:
        """Return the move that a text in UCI names, without a position; methods of ``Position`` complete such a move.

        Args:
            text: ``e2e4``, ``a7a8q``, castling as ``e1g1`` or ``e1h1``, ``0000`` for the null move; ``Position.parse``
                and ``Position.play`` take such texts as they are.

        Raises:
            InvalidMove: for other texts.

        Example:
            >>> from setwise import Position
            >>> move = Move.from_uci("e1g1")
            >>> castles = Position("4k3/8/8/8/8/8/8/4K2R w K - 0 1")
            >>> castles.san(move), move in castles.legal_moves, castles.parse(move).is_castling
            ('O-O', True, True)
            >>> move.is_castling, move == castles.parse(move)
            (False, False)

        Traps:
            The text does not name the moving piece: until a position completes it, such a move is neither castling
            nor en passant, and its number differs from the completed move's number.
        """
        if not isinstance(text, str):
            raise TypeError(f"a move in UCI is a text, not {type(text).__name__}")
        if text == NULL_TEXT:
            return int.__new__(MoveAsWritten, _NULL)
        if not UCI_TEXT.match(text) or text[:2] == text[2:4]:
            raise InvalidMove(f"{shortened(text, 30)} is not a move in UCI, such as e2e4, a7a8q")
        kind = PROMOTIONS.index(text[4].lower()) if len(text) > 4 else 0
        code = parse_square(text[:2]) | parse_square(text[2:4]) << 6 | kind << 12
        return int.__new__(MoveAsWritten, code)

    @property
    def from_square(self) -> int:
        """The square that the piece leaves, 0 (a1) to 63 (h8)."""
        return self & 63

    @property
    def to_square(self) -> int:
        """The square where the moving piece arrives; for castling, the square where the king arrives."""
        target = self >> 6 & 63
        if self >> 12 != _CASTLING:
            return target
        return self & 56 | (6 if target > self & 63 else 2)

    @property
    def rook_square(self) -> int | None:
        """The square of the rook that castles, or None."""
        return self >> 6 & 63 if self >> 12 == _CASTLING else None

    @property
    def promotion(self) -> int | None:
        """The piece that a pawn becomes, in python-chess's numbers: 2 knight, 3 bishop, 4 rook, 5 queen; else None."""
        return (self >> 12) + 1 if 0 < self >> 12 <= _QUEEN else None

    @property
    def is_null(self) -> bool:
        """Whether it is the null move, which passes the turn."""
        return self == _NULL

    @property
    def is_castling(self) -> bool:
        """Whether king and rook move."""
        return self >> 12 == _CASTLING

    @property
    def is_en_passant(self) -> bool:
        """Whether a pawn captures another that has passed it."""
        return self >> 12 == _EN_PASSANT

    def uci(self, chess960: bool | None = None) -> str:
        """Return the move in the notation of the UCI protocol: ``e2e4``, ``a7a8q``, castling ``e1g1`` or ``e1h1``.

        Args:
            chess960: whether to write castling as king takes rook. By default only if the king or the rook stands on a
                square from which standard chess does not castle; ``Position.uci`` uses the rules of its position.
        """
        if self == _NULL:
            return NULL_TEXT
        target, kind = self >> 6 & 63, self >> 12
        if kind == _CASTLING and not (self not in _STANDARD_CASTLING if chess960 is None else chess960):
            target = self.to_square
        promotion = PROMOTIONS[kind] if 0 < kind <= _QUEEN else ""
        return SQUARE_NAMES[self & 63] + SQUARE_NAMES[target] + promotion

    __str__ = uci

    def to_chess(self, chess960: bool | None = None) -> chess.Move:
        """Return the move of python-chess (which needs the package ``chess``); castling as ``uci`` writes it.

        ``Position.parse`` turns it back into a ``Move``, and ``Position.play`` accepts python-chess's moves directly.
        """
        import chess

        return chess.Move.from_uci(self.uci(chess960))

    def _repr_svg_(self) -> str:
        return board_svg(size=200) if self.is_null else board_svg(last_move=self, arrows=[self], size=200)

    def __repr__(self) -> str:
        return f"<Move {self.uci()}>"

    def __format__(self, spec: str) -> str:
        return format(self.uci(), spec)


class MoveAsWritten(Move):
    """A move from a UCI text without a position."""

    __slots__ = ()


class _KingTakesRook(Move):
    """A castling move of a Chess960 position, written as king takes rook."""

    __slots__ = ()

    def uci(self, chess960: bool | None = None) -> str:
        """Return the move as ``Move.uci`` does; castling as king takes rook unless ``chess960`` is False."""
        return super().uci(True if chess960 is None else chess960)

    __str__ = uci


class MoveTable:
    """All moves by number, and the arguments for compiled code that lists legal or pseudo-legal moves."""

    __slots__ = ("array", "chess960", "legal", "moves", "pseudo_legal")

    def __init__(self, moves: list[Move], *, chess960: bool) -> None:
        self.moves, self.chess960 = moves, chess960
        self.array: np.ndarray[Any, Any] = np.empty(len(moves), object)
        self.array[:] = moves
        # Two words: the address of the array's items, and whether to list only legal moves. They are bytes, because
        # bytes are passed faster than numbers.
        self.legal, self.pseudo_legal = (struct.pack("QQ", self.array.ctypes.data, legal_only) for legal_only in (1, 0))

    def move(self, code: int) -> Move:
        """Return the move of a number; raises ``ValueError`` for a number that does not encode a move."""
        return self.moves[Move(code)]


class _MoveTables(dict[bool, MoveTable]):
    """Tables created when first used."""

    def __missing__(self, chess960: bool) -> MoveTable:
        if chess960:
            moves = self[False].moves.copy()
            castling = range(_CASTLING << 12, _CASTLING + 1 << 12)
            moves[castling.start : castling.stop] = map(partial(int.__new__, _KingTakesRook), castling)
        else:
            moves = list(map(partial(int.__new__, Move), range(_CODES)))
        table = self[chess960] = MoveTable(moves, chess960=chess960)
        return table


#: The moves of standard chess (False) and of Chess960 (True), whose castling moves are written as king takes rook.
MOVE_TABLES = _MoveTables()


# ------------------------------------------------------------------------- moves of many positions as text, in one call


#: The length of the longest SAN: ``exd8=Q+``.
LONGEST_MOVE = 8
#: The number of distinct move texts: 16 bits, twice, because Chess960 writes castling differently.
MOVE_TEXTS = 2 << 16

_MOVE_BITS = np.uint64(16)
_FLIP = np.uint64(56)


@entry(void, reads(uint64, 2), reads(boolean), reads(uint16), reads(boolean), boolean, writes(uint8), writes(int64))
def write_moves(
    sets: np.ndarray, white_to_move: np.ndarray, moves: np.ndarray, chess960: np.ndarray, san: bool, out: np.ndarray,
    offsets: np.ndarray,
) -> None:  # fmt: skip
    """Write the move of every position in SAN or in UCI, all texts concatenated, and their ``offsets``.

    ``sets`` has the ten rows of a Board from White's view. A move of 0 means no move and has no text. In UCI,
    castling in Chess960 is written as king takes rook.
    """
    at = 0
    for k in range(offsets.size - 1):
        offsets[k] = at
        move = np.uint64(moves[k])
        if move == ZERO:
            continue
        if san:
            board = board_at(sets, k)
            if white_to_move[k]:
                at = write_san(board, move, ZERO, False, out, at)
            else:
                at = write_san(mirrored(board), turned(move), _FLIP, False, out, at)
        else:
            at = write_uci(move, chess960[k], out, at)
    offsets[offsets.size - 1] = at


@entry(int64, reads(uint16), reads(boolean), writes(int32), writes(int32), writes(int32))
def number_moves(
    moves: np.ndarray, chess960: np.ndarray, known: np.ndarray, numbers: np.ndarray, rows: np.ndarray
) -> int:
    """Number distinct UCI texts in order of appearance, from 0; return how many there are.

    ``numbers`` gets the number of each position's move, 0 for a position without a move, and ``rows`` the row where
    each number first appears; ``known`` has ``MOVE_TEXTS`` items, initially -1.
    """
    count = 0
    for k in range(moves.size):
        numbers[k] = 0
        if moves[k] == ZERO:
            continue
        move = np.uint64(moves[k]) | np.uint64(chess960[k]) << _MOVE_BITS
        if known[move] < 0:
            known[move] = count
            rows[count] = k
            count += 1
        numbers[k] = known[move]
    return count


@entry(void, reads(uint64, 2), reads(boolean), reads(uint8), reads(int64), writes(uint16))
def read_moves(
    sets: np.ndarray, white_to_move: np.ndarray, text: np.ndarray, offsets: np.ndarray, moves: np.ndarray
) -> None:
    """Read the move of every position in UCI; 0 for a text that is not a legal or null move."""
    for k in range(moves.size):
        board = board_at(sets, k)
        if white_to_move[k]:
            move = read_uci(text, offsets[k], offsets[k + 1], board, ZERO)
        else:
            move = read_uci(text, offsets[k], offsets[k + 1], mirrored(board), _FLIP)
        if move == NULL_MOVE:
            moves[k] = NULL_MOVE
        elif is_move(move):
            moves[k] = move if white_to_move[k] else turned(move)
        else:
            moves[k] = ZERO
