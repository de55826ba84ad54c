"""``Bitboard``: a set of squares that is an int, prints as a board and does set algebra.

a1 is bit 0, h1 bit 7, a2 bit 8, h8 bit 63. This module needs no NumPy, so that ``setwise.Bitboard`` is quick to import.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from operator import index
from typing import Any, Self, SupportsIndex

from setwise.chess_words import with_hints

__all__ = ["FILE_NAMES", "RANK_NAMES", "SQUARE_NAMES", "Bitboard", "hexadecimal", "parse_square", "square_name"]

FILE_NAMES = "abcdefgh"
RANK_NAMES = "12345678"
SQUARE_NAMES = tuple(file + rank for rank in RANK_NAMES for file in FILE_NAMES)
_SQUARE_OF = {name: square for square, name in enumerate(SQUARE_NAMES)}
_ALL, _SIGN = 2**64 - 1, 2**63
_EMPTY_MARKS = frozenset(".-0·")
_COLOUR_CODE = re.compile(r"\x1b\[[0-9;]*m")
_new = int.__new__

#: The function that draws a board in a notebook, called as ``draw_svg(pieces, marks)``. ``setwise.view``, which this
#: module must not import, sets it when it is imported; until then a notebook shows the ``repr``.
draw_svg: Callable[..., str] | None = None


def square_name(square: SupportsIndex) -> str:
    """Return the name of a square from 0 to 63: ``square_name(0) == "a1"``."""
    if isinstance(square, Bitboard):
        raise TypeError(
            f"{square!r:.60} is a set of squares, not a square: `squares()` lists the numbers of its squares"
        )
    number = index(square)
    if not 0 <= number < 64:
        raise ValueError(f"a square is a number from 0 (a1) to 63 (h8), not {number}")
    return SQUARE_NAMES[number]


def parse_square(name: str) -> int:
    """Return the number, from 0 to 63, of the square with a name: ``parse_square("h8") == 63``."""
    try:
        return _SQUARE_OF[name]
    except (KeyError, TypeError):
        raise ValueError(f"{name!r:.40} is not a square; squares are named a1 to h8") from None


@with_hints("SquareSet")
class Bitboard(int):
    """A set of squares in one 64-bit word.

    ``Bitboard("a1 h8")`` takes names of squares, ``Bitboard([0, 63])`` takes their numbers, ``Bitboard(0x42)`` takes
    the set as a number (which may be negative: Java and Spark store sets as signed 64-bit numbers), and
    ``Bitboard.parse(drawing)`` takes a board of dots and marks. ``& | ^ - ~`` return Bitboards, ``len()`` counts the
    squares, iteration yields square numbers from a1 upwards, and ``in`` takes the number or the name of a square.

    Raises:
        ValueError: for a number of more than 64 bits, or a name or number that is not a square.
        TypeError: for anything except an int, a text or squares.

    Example:
        >>> knight = Bitboard("b3 c2 e2 f3")
        >>> knight
        Bitboard('c2 e2 b3 f3')
        >>> print(knight)
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . 1 . . . 1 . .
        . . 1 . 1 . . .
        . . . . . . . .
        >>> len(knight), "c2" in knight, hex(knight)
        (4, True, '0x221400')
        >>> knight - Bitboard("c2 a1") | Bitboard("h8")
        Bitboard('e2 b3 f3 h8')

    Traps:
        ``-`` is set difference, also with NumPy arrays. ``==``, ``<`` and ``hash`` work on the number, as for any int,
        so ``<=`` does not test for a subset: use ``issubset``. ``<<``, ``>>`` and ``+`` also work on the number, and
        return plain ints that may have bits outside the board: to move sets, use ``setwise.compass``.
    """

    __slots__ = ()

    def __new__(cls, squares: SupportsIndex | str | Iterable[SupportsIndex | str] = 0) -> Self:
        """Return the set that a number, a text of names, or an iterable of squares stands for."""
        if type(squares) is not int:
            squares = _word(squares)
        if not 0 <= squares <= _ALL:
            if not -_SIGN <= squares < 0:
                what = "too low" if squares < 0 else "too large"
                raise ValueError(f"a Bitboard has 64 bits: {hexadecimal(squares)} is {what}")
            squares &= _ALL
        return _new(cls, squares)

    @classmethod
    def parse(cls, drawing: str) -> Self:
        """Return the set drawn by eight rows of eight marks, rank 8 first; ``.`` ``-`` ``0`` ``·`` are empty squares.

        Blanks, colours, rank numbers at the left, file letters below and a legend under them are ignored, so that you
        can paste the output of ``print`` and of ``setwise.view.draw``. The drawing of a position gives the squares of
        its pieces. If the first row has the number 1, the board is seen from Black's side.

        Raises:
            ValueError: if the text is not such a drawing.

        Example:
            >>> Bitboard.parse('''
            ... 8 . . . . . . . x
            ... 7 . . . . . . . .
            ... 6 . . . . . . . .
            ... 5 . . . . . . . .
            ... 4 . . . . . . . .
            ... 3 . . . . . . . .
            ... 2 . . . . . . . .
            ... 1 x . . . . . . .
            ...   a b c d e f g h
            ... ''')
            Bitboard('a1 h8')
        """
        rows: list[list[str]] = []
        from_black = False
        for line in _COLOUR_CODE.sub("", drawing).splitlines():
            row = line.split() if " " in line.strip() else list(line.strip())
            below = "".join(row).lower() in {FILE_NAMES, FILE_NAMES[::-1]} if row else len(rows) == 8
            if rows and below:
                break
            if row:
                numbered = len(row) == 9 and row[0] in RANK_NAMES
                from_black = from_black or (numbered and not rows and row[0] == RANK_NAMES[0])
                rows.append(row[1:] if numbered else row)
        if len(rows) != 8 or any(len(row) != 8 for row in rows):
            size = f"{len(rows)} rows of {' '.join(str(len(row)) for row in rows)} marks" if rows else "an empty text"
            raise ValueError(f"a drawing of a set has 8 rows of 8 marks, such as '. . x . . . . .'; this is {size}")
        rows = [row[::-1] for row in rows] if from_black else rows[::-1]
        marks = [mark for row in rows for mark in row]
        if len(widest := max(marks, key=len)) > 1:
            raise ValueError(f"a drawing of a set has one mark for each square, not {widest!r:.40}")
        return cls(square for square, mark in enumerate(marks) if mark not in _EMPTY_MARKS)

    def squares(self) -> list[int]:
        """Return the square numbers, upwards from a1."""
        return list(self)

    def names(self) -> list[str]:
        """Return the names of the squares, upwards from a1."""
        return [SQUARE_NAMES[square] for square in self]

    def isdisjoint(self, other: int) -> bool:
        """Return whether no square is in both sets."""
        return not self & other

    def issubset(self, other: int) -> bool:
        """Return whether every square of this set is in the other set."""
        return not self - other

    def issuperset(self, other: int) -> bool:
        """Return whether every square of the other set is in this set."""
        return not Bitboard(other) - self

    def __iter__(self) -> Iterator[int]:
        rest = int(self)
        while rest:
            yield (rest & -rest).bit_length() - 1
            rest &= rest - 1

    def __len__(self) -> int:
        return self.bit_count()

    def __contains__(self, square: object) -> bool:
        if isinstance(square, str):
            number = parse_square(square)
        elif isinstance(square, Bitboard):
            raise TypeError("a Bitboard contains squares, not sets; to compare sets use issubset or issuperset")
        else:
            try:
                number = index(square)  # type: ignore[arg-type]
            except TypeError:
                return False
        return 0 <= number < 64 and int(self) >> number & 1 == 1

    def __bool__(self) -> bool:
        return int(self) != 0

    # `&` and `-` only remove squares, so their results need no check. If the other operand is not an int (for example
    # a NumPy array), Python calls the operator of that operand.

    def __and__(self, other: int) -> Bitboard:
        return _new(Bitboard, int.__and__(self, other)) if isinstance(other, int) else NotImplemented

    def __or__(self, other: int) -> Bitboard:
        if type(other) is Bitboard:
            return _new(Bitboard, int.__or__(self, other))
        return Bitboard(int.__or__(self, other)) if isinstance(other, int) else NotImplemented

    def __xor__(self, other: int) -> Bitboard:
        if type(other) is Bitboard:
            return _new(Bitboard, int.__xor__(self, other))
        return Bitboard(int.__xor__(self, other)) if isinstance(other, int) else NotImplemented

    def __sub__(self, other: int) -> Bitboard:
        """Return the squares of this set that are not in the other (set difference, not arithmetic)."""
        return _new(Bitboard, int.__and__(self, ~int(other))) if isinstance(other, int) else NotImplemented

    def __invert__(self) -> Bitboard:
        return _new(Bitboard, int.__xor__(self, _ALL))

    __rand__ = __and__
    __ror__ = __or__
    __rxor__ = __xor__

    def __rsub__(self, other: int) -> Bitboard:
        return Bitboard(other & ~int(self)) if isinstance(other, int) else NotImplemented

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        """Pass a plain int to NumPy, which converts subclasses to int64, not uint64; ``-`` remains set difference."""
        import numpy as np

        if ufunc is np.subtract and method == "__call__":
            ufunc, inputs = np.bitwise_and, (inputs[0], ~inputs[1])
        return getattr(ufunc, method)(*(int(x) if isinstance(x, Bitboard) else x for x in inputs), **options)

    def __str__(self) -> str:
        rows = (f"{int(self) >> 8 * rank & 0xFF:08b}"[::-1] for rank in range(7, -1, -1))
        return "\n".join(" ".join(row).replace("0", ".") for row in rows)

    def __repr__(self) -> str:
        return f"Bitboard({' '.join(self.names())!r})"

    def __format__(self, spec: str) -> str:
        return format(int(self), spec) if spec else str(self)

    def _repr_svg_(self) -> str | None:
        return None if draw_svg is None else draw_svg(marks=self)


def hexadecimal(number: int) -> str:
    """Return a number for a message: in hex, or, if it is long, only how many bits it has."""
    bits = number.bit_length()
    return f"{number:#x}" if bits <= 128 else f"a{' negative' * (number < 0)} number of {bits:,} bits"


def _word(squares: Any) -> int:
    """The number of a set, from anything except a plain int: names, squares, or an object with ``__index__``."""
    if isinstance(squares, str):
        squares = (name for name in re.split(r"[\s,]+", squares) if name)
    else:
        try:
            return index(squares)
        except TypeError:
            if not isinstance(squares, Iterable):
                raise TypeError(
                    f"a Bitboard is made from an int, names of squares or squares, not {type(squares).__name__}"
                ) from None
    word = 0
    for square in squares:
        word |= 1 << (parse_square(square) if isinstance(square, str) else _SQUARE_OF[square_name(square)])
    return word
