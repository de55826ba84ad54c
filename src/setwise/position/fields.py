"""The fields of a position: words of 64 bits in its state."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable
from operator import index, itemgetter
from typing import TYPE_CHECKING, Generic, Self, SupportsIndex, TypeVar, overload

from setwise.bitboard import Bitboard, parse_square, square_name
from setwise.compiler import plain
from setwise.errors import InvalidFen, shortened
from setwise.rules.checks import ambiguous
from setwise.rules.state import SETS, WORDS, State

if TYPE_CHECKING:
    from setwise.position.position import Position

__all__ = [
    "TURN", "Field", "as_square", "checked_state", "flipped", "flipped_sets", "packed", "sets_of", "squares_of",
    "unpacked",
]  # fmt: skip

T = TypeVar("T")
_from_bytes = int.from_bytes
#: The byte of a state that says whose turn it is.
TURN = 8 * State._fields.index("white_to_move")
_HOME_RANKS = 0xFF00_0000_0000_00FF
_ambiguous = plain(ambiguous)
_words = struct.Struct(f"<{WORDS}Q")
#: The ten sets of a state, and these with their ranks reversed: the order of a word's bytes is that of the ranks.
sets_of, _reversed = struct.Struct(f"<{len(SETS)}Q").unpack_from, struct.Struct(f">{len(SETS)}Q").unpack_from
_black_first = itemgetter(1, 0, *range(2, len(SETS)))


class Field(Generic[T]):
    """A descriptor for one word of a position's state, converted to a Python type."""

    def __init__(self, name: str, python: Callable[[int], T], meaning: str) -> None:
        place = 8 * State._fields.index(name)
        self.place, self.python, self.__doc__ = slice(place, place + 8), python, meaning

    @overload
    def __get__(self, position: None, owner: type) -> Self: ...

    @overload
    def __get__(self, position: Position, owner: type) -> T: ...

    def __get__(self, position: Position | None, owner: type) -> Self | T:
        if position is None:
            return self
        return self.python(_from_bytes(position._state[self.place], "little"))


def squares_of(word: int) -> Bitboard:
    """Return a word as a set, without checks."""
    return int.__new__(Bitboard, word)


def flipped(squares: int) -> Bitboard:
    """Return a set with its ranks reversed."""
    return int.__new__(Bitboard, _from_bytes(squares.to_bytes(8), "little"))


def flipped_sets(state: bytes) -> tuple[int, ...]:
    """Return the ten sets of a state as Black sees them, Black's pieces first."""
    sets: tuple[int, ...] = _black_first(_reversed(state))
    return sets


def as_square(square: SupportsIndex | str) -> int:
    """Return the number of a square from its number or name; raises ``ValueError`` for anything else."""
    number = parse_square(square) if isinstance(square, str) else index(square)
    square_name(number)
    return number


def packed(words: Iterable[int]) -> bytes:
    """Return the words of a position as its state."""
    return _words.pack(*words)


def unpacked(state: bytes) -> State:
    """Return the words of a state, by name."""
    return State._make(_words.unpack(state))


def checked_state(words: Iterable[SupportsIndex]) -> State:
    """Return thirteen numbers as words of a position; raises ``InvalidFen`` if the board that they show is none."""
    numbers = tuple(map(index, words))
    if len(numbers) != WORDS or any(not 0 <= word < 2**64 for word in numbers):
        raise InvalidFen(f"a position has {WORDS} numbers of 64 bits: {shortened(numbers)}")
    state = State._make(numbers)
    wrong = Bitboard(_ambiguous(*numbers[:8]))
    if wrong or state.white_to_move > 1:
        where = " ".join(wrong.names()) or "the turn"
        raise InvalidFen(f"every piece has one colour and one kind; this does not hold on {where}")
    castling, passed = Bitboard(state.castling_rights), Bitboard(state.en_passant)
    if castling & ~_HOME_RANKS or len(passed) > 1:
        raise InvalidFen(
            f"castling rooks stand on ranks 1 and 8, and at most one square is passed, not {castling!r} and {passed!r}"
        )
    return state
