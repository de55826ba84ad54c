"""The fields of a position, without any rules."""

from __future__ import annotations

import struct
from collections.abc import Callable
from operator import index
from typing import Any, Generic, Literal, Self, SupportsIndex, TypeVar, overload

from setwise.bitboard import Bitboard, parse_square, square_name
from setwise.chess_words import BOARD_HINTS, with_hints
from setwise.notation.fen import mode_of
from setwise.position import compiled
from setwise.position.move import MOVE_TABLES, MoveTable
from setwise.rules.state import WORDS, State

__all__ = ["Fields", "as_square"]

T = TypeVar("T")
_new, _bitboard, _from_bytes = object.__new__, int.__new__, int.from_bytes
_DRAWING = int(compiled.DRAWING)
_TURN = 8 * State._fields.index("white_to_move")
_words = struct.Struct(f"<{WORDS}Q")


def as_square(square: SupportsIndex | str) -> int:
    """Return the number of a square from its number or name; raises ``ValueError`` for anything else."""
    number = parse_square(square) if isinstance(square, str) else index(square)
    square_name(number)
    return number


def _squares(number: int) -> Bitboard:
    return _bitboard(Bitboard, number)


class _Field(Generic[T]):
    """A descriptor for one word of a position's state, converted to a Python type."""

    def __init__(self, name: str, python: Callable[[int], T], meaning: str) -> None:
        place = 8 * State._fields.index(name)
        self.place, self.python, self.__doc__ = slice(place, place + 8), python, meaning

    @overload
    def __get__(self, position: None, owner: type) -> Self: ...

    @overload
    def __get__(self, position: Fields, owner: type) -> T: ...

    def __get__(self, position: Fields | None, owner: type) -> Self | T:
        if position is None:
            return self
        return self.python(_from_bytes(position._state[self.place], "little"))


@with_hints(BOARD_HINTS)
class Fields:
    """An immutable position as bytes; all its fields count for equality, hash and pickle."""

    __slots__ = ("_moves", "_playable", "_state")

    _state: bytes
    _moves: MoveTable
    _playable: bool

    @classmethod
    def _of(cls, state: bytes, chess960: bool, playable: bool = True) -> Self:
        """Return a position from the bytes of its words, without checks."""
        position = _new(cls)
        position._state, position._moves, position._playable = state, MOVE_TABLES[chess960], playable
        return position

    white_pieces = _Field("white_pieces", _squares, "Squares of all white pieces.")
    black_pieces = _Field("black_pieces", _squares, "Squares of all black pieces.")
    pawns = _Field("pawns", _squares, "Squares of the pawns of both sides.")
    knights = _Field("knights", _squares, "Squares of the knights of both sides.")
    bishops = _Field("bishops", _squares, "Squares of the bishops of both sides.")
    rooks = _Field("rooks", _squares, "Squares of the rooks of both sides.")
    queens = _Field("queens", _squares, "Squares of the queens of both sides.")
    kings = _Field("kings", _squares, "Squares of both kings.")
    castling_rights = _Field("castling_rights", _squares, "Squares of the rooks that may still castle.")
    en_passant = _Field(
        "en_passant", _squares, "The square that a pawn has just passed with a double step, or the empty set."
    )
    halfmove_clock = _Field("halfmove_clock", int, "Half moves since the last capture or pawn move.")
    fullmove_number = _Field("fullmove_number", int, "Number of the full move, which Black's move ends.")

    @property
    def white_to_move(self) -> bool:
        """Whether it is White's turn."""
        return self._state[_TURN] == 1

    @property
    def chess960(self) -> bool:
        """Whether castling is that of Chess960."""
        return self._moves.chess960

    @property
    def occupied(self) -> Bitboard:
        """Squares of all pieces."""
        return self.white_pieces | self.black_pieces

    @property
    def words(self) -> State:
        """The thirteen numbers of a position, by name: the ten sets, whether White moves, half moves, full moves."""
        return State._make(_words.unpack(self._state))

    @staticmethod
    def _packed(words: State) -> bytes:
        return _words.pack(*words)

    def fen(self, en_passant: Literal["legal", "fen", "xfen"] = "legal", *, shredder: bool = False) -> str:
        """Return the FEN.

        Args:
            en_passant: when to show the square that a pawn has passed: ``"legal"`` if it can legally be captured there,
                ``"xfen"`` if an enemy pawn stands beside it, ``"fen"`` always, as the standard says.
            shredder: write all castling rights by the files of the rooks (``HAha``), not only where ``KQkq`` is not
                clear.
        """
        if not self._playable and en_passant == "legal":  # nothing is legal here
            en_passant = "xfen"
        return compiled.write_position.raw(self._state, mode_of(en_passant, shredder=shredder))

    # ---------------------------------------------------------------------------------------------------------- pieces

    def piece_at(self, square: SupportsIndex | str) -> str | None:
        """Return the letter of the piece on a square, ``PNBRQK`` white, ``pnbrqk`` black; None for an empty one."""
        letter = self.piece_string()[as_square(square)]
        return None if letter == "." else letter

    def piece_string(self) -> str:
        """Return 64 letters from a1, b1 to h8, ``.`` for an empty square, as ``setwise.view`` draws them."""
        return compiled.write_position.raw(self._state, _DRAWING)

    def piece_map(self) -> dict[int, str]:
        """Return the letters of all pieces by their squares, upwards from a1.

        Example:
            >>> from setwise import Position
            >>> Position("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1").piece_map()
            {4: 'K', 12: 'P', 60: 'k'}
        """
        return {square: letter for square, letter in enumerate(self.piece_string()) if letter != "."}

    def king(self, *, white: bool) -> int | None:
        """Return the square of White's, or Black's, king, 0 (a1) to 63 (h8).

        A position that was taken with its faults may have none, which is None, or several, of which it is the highest.

        Example:
            >>> from setwise import Position
            >>> from setwise.squares import E1
            >>> Position().king(white=True) == E1
            True
        """
        kings = self.kings & (self.white_pieces if white else self.black_pieces)
        return kings.bit_length() - 1 if kings else None

    def attacks(self, square: SupportsIndex | str) -> Bitboard:
        """Return the squares that the piece on a square attacks, own pieces' too; none if the square is empty.

        Example:
            >>> from setwise import Position
            >>> p = Position("4k3/8/8/4q3/3P4/8/8/4K2R w K - 0 1")
            >>> p.attacks("d4"), p.attacks("h1") & p.white_pieces, p.attacks("a1")
            (Bitboard('c5 e5'), Bitboard('e1'), Bitboard(''))

        Traps:
            A piece may attack squares that it cannot move to: pinned pieces attack, and pawns attack diagonally.
            ``targets`` returns the squares that a piece can move to.
        """
        return _squares(compiled.attacks_of.raw(self._state, as_square(square)))

    def is_attacked_by(self, square: SupportsIndex | str, *, white: bool) -> bool:
        """Return whether one of White's, or Black's, pieces attacks a square; pinned pieces attack, too."""
        return compiled.attackers_of.raw(self._state, as_square(square), bool(white)) != 0

    def attackers(self, square: SupportsIndex | str, *, white: bool) -> Bitboard:
        """Return the squares of White's, or Black's, pieces that attack a square, pinned ones too.

        Example:
            >>> from setwise import Position
            >>> Position("4k3/8/3n4/8/4P3/8/4Q3/4K3 w - - 0 1").attackers("e4", white=False)
            Bitboard('d6')
        """
        return _squares(compiled.attackers_of.raw(self._state, as_square(square), bool(white)))

    def mirror(self) -> Self:
        """Return the same position from the other side: ranks reversed, colours exchanged."""
        white, black, *sets, white_to_move, halfmoves, fullmoves = self.words
        own, enemy, *mirrored = (_from_bytes(word.to_bytes(8, "little"), "big") for word in (black, white, *sets))
        state = _words.pack(own, enemy, *mirrored, 1 - white_to_move, halfmoves, fullmoves)
        return self._of(state, self.chess960, self._playable)

    # ------------------------------------------------------------------------------------------- Python's protocols

    def __eq__(self, other: object) -> bool:
        return self._state == other._state if isinstance(other, Fields) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._state)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: Any) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self)._of, (self._state, self.chess960, self._playable)
