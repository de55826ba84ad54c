"""The contents of a drawn board as data, and texts around boards: captions, tables, names, counts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any, NamedTuple, Protocol, SupportsIndex, TypeAlias, cast, runtime_checkable

from setwise.bitboard import SQUARE_NAMES, Bitboard, parse_square, square_name
from setwise.errors import ImpossiblePosition

# ----------------------------------------------------------------------------------- the input of all drawings, checked


#: How many sets can be distinguished on one board.
MOST_SETS = 6

_LETTERS = frozenset("PNBRQKpnbrqk.")


@runtime_checkable
class _Position(Protocol):
    """The part of a ``Position`` that drawings use."""

    def piece_string(self) -> str:
        """Return 64 letters from a1 to h8."""


@runtime_checkable
class _Board(Protocol):
    """The part of python-chess's boards that drawings use."""

    def piece_map(self) -> Mapping[int, Any]:
        """Return the pieces by their squares."""


@runtime_checkable
class MoveSquares(Protocol):
    """The part of a ``Move``, of setwise or of python-chess, that drawings use."""

    @property
    def from_square(self) -> int:
        """The square where the move starts."""

    @property
    def to_square(self) -> int:
        """The square where the move ends."""


Pieces: TypeAlias = Sequence[str] | Mapping[int, str] | Mapping[str, str] | _Position | _Board
Squares: TypeAlias = SupportsIndex | str | Iterable[SupportsIndex | str]
Marks: TypeAlias = Squares | Mapping[str, Squares]


class Diagram(NamedTuple):
    """The contents of a board: 64 letters from a1 to h8 (None for a board of sets only), named sets, the side below."""

    pieces: str | None
    marks: list[tuple[str, Bitboard]]
    #: The squares of the last move, and the squares of kings in check.
    last_move: Bitboard
    check: Bitboard
    #: Whether Black's side is at the bottom.
    turned: bool

    @property
    def rows(self) -> list[range]:
        """The squares row by row, as they are drawn from the top."""
        if self.turned:
            return [range(8 * rank + 7, 8 * rank - 1, -1) for rank in range(8)]
        return [range(8 * rank, 8 * rank + 8) for rank in range(7, -1, -1)]

    @property
    def is_bare_set(self) -> bool:
        """Whether the board has one set and nothing else."""
        return self.pieces is None and len(self.marks) == 1

    @property
    def has_legend(self) -> bool:
        """Whether any set has a name to show."""
        return any(name for name, _ in self.marks)

    @property
    def most_marks_on_a_square(self) -> int:
        """The largest number of sets that share a square."""
        return max(Counter(square for _, squares in self.marks for square in squares).values(), default=0)

    def marks_of(self, square: int) -> list[int]:
        """Return the numbers of the sets that contain a square."""
        return [number for number, (_, squares) in enumerate(self.marks) if square in squares]


def read_board(
    pieces: Pieces | None,
    marks: Marks | None,
    last_move: Squares | MoveSquares | None = None,
    side: str = "white",
    check: Squares | None = None,
) -> Diagram:
    """Return the board to draw.

    Args:
        pieces: a ``Position`` or a board of python-chess; 64 characters from a1, b1 to h8, ``PNBRQK`` white,
            ``pnbrqk`` black, ``.`` empty; or a mapping of the occupied squares, by number or name, to such a letter.
        marks: a set, or sets by name: each anything that a ``Bitboard`` can be made from.
        last_move: the last move, or its squares.
        side: the side at the bottom, ``"white"`` or ``"black"``.
        check: the squares of kings in check; by default the king in check of a position or board.

    Raises:
        ValueError: for invalid pieces, an unknown side, more than six sets, or marks that are not sets.
        TypeError: for marks of a type that ``Bitboard`` refuses.
    """
    if check is None:
        check = _checked_king(pieces)
    letters = None if pieces is None else _letters(pieces)
    named: Mapping[str, Squares]
    if marks is None:
        named = {}
    elif isinstance(marks, Mapping):
        named = cast("Mapping[str, Squares]", marks)
    else:
        named = {"": marks}
    if len(named) > MOST_SETS:
        raise ValueError(f"one board shows up to {MOST_SETS} sets, not {len(named)}: draw a second board")
    sets = []
    for name, squares in named.items():
        try:
            sets.append((one_line(name), Bitboard(squares)))
        except (TypeError, ValueError) as error:
            raise type(error)(f"mark {name!r}: {error}" if name else str(error)) from None
    if side not in {"white", "black"}:
        raise ValueError(f"the side that is below is 'white' or 'black', not {side!r:.40}")
    if isinstance(last_move, MoveSquares):
        last_move = [last_move.from_square, last_move.to_square]
    moved = Bitboard(0 if last_move is None else last_move)
    return Diagram(letters, sets, moved, Bitboard(check), side == "black")


def _letters(pieces: Pieces) -> str:
    """Sixty-four letters, from any form of pieces."""
    if isinstance(pieces, _Position):
        return pieces.piece_string()
    if isinstance(pieces, _Board):
        pieces = {square: piece.symbol() for square, piece in pieces.piece_map().items()}
    if isinstance(pieces, Mapping):
        placed = {parse_square(at if isinstance(at, str) else square_name(at)): piece for at, piece in pieces.items()}
        pieces = [placed.get(square, ".") for square in range(64)]
    if not isinstance(pieces, Sequence):
        raise TypeError(f"pieces are 64 characters or a mapping of squares to pieces, not {type(pieces).__name__}")
    if len(pieces) != 64:
        raise ValueError(f"pieces are 64 characters, a1 b1 … h8, with '.' for an empty square; here are {len(pieces)}")
    for square, piece in enumerate(pieces):
        if piece not in _LETTERS:
            raise ValueError(f"{piece!r:.20} on {SQUARE_NAMES[square]} is not a piece: use PNBRQK, pnbrqk or '.'")
    return "".join(pieces)


def _checked_king(board: Any) -> Squares:
    """The square of the king in check, when a position or a board of python-chess has one."""
    try:
        if not isinstance(board, _Position | _Board) or not board.is_check():  # type: ignore[union-attr]
            return 0
    except ImpossiblePosition:  # where moves are undefined, check is undefined, too
        return 0
    king = "K" if getattr(board, "white_to_move", getattr(board, "turn", True)) else "k"
    return [square for square, letter in enumerate(_letters(board)) if letter == king]


def squares_in_words(squares: Bitboard, most: int = 64) -> str:
    """Return the names of the squares, or only their number if there are more than ``most``."""
    return f"{len(squares)} squares" if len(squares) > most else " ".join(squares.names()) or "none"


#: Characters that control a terminal, break a line, change the direction of writing, or are not allowed in XML: control
#: characters (C0, C1), separators of lines, marks of direction. A class of regular expressions, for Arrow too.
CONTROLS = "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufffe\uffff]"
_CONTROLS = re.compile(f"{CONTROLS}|[\ud800-\udfff]")


def harmless(text: str, keep: str = "") -> str:
    r"""Return text that is safe to print: a blank replaces each control character that is not in ``keep``.

    >>> harmless("\x1b[2JAnna\u202e\n", keep="\n")
    ' [2JAnna \n'
    """
    return _CONTROLS.sub(lambda match: match[0] if match[0] in keep else " ", text)


def one_line(text: str) -> str:
    """Return text that is safe in a terminal and in XML: no line breaks, no control characters."""
    return " ".join(harmless(str(text)).split())


# ----------------------------------------------------- the captions of a board: players, event and place, the next move


#: For some kinds of missed chances: the words that stand after the move that uses the chance.
_CHANCES = {"fork": ", a fork,", "skewer": ", a skewer,", "discovery": ", a discovered attack,"}


def players(white: str | None, black: str | None, white_elo: int | None = None, black_elo: int | None = None) -> str:
    """Return ``White (2700) – Black (2650)``; ``?`` for a name that is not known."""
    both = (f"{name or '?'}" + (f" ({elo})" if elo else "") for name, elo in ((white, white_elo), (black, black_elo)))
    return " – ".join(both)


def place(*parts: str | None) -> str:
    """Return event, date, place and other known parts, with commas between."""
    return ", ".join(part for part in parts if part and part != "?")


def next_move(san: str | None, number: int, *, white: bool) -> str:
    """Return a move with its number, ``12. Nf3`` or ``12... Nf6``."""
    return f"{number}{'.' if white else '...'} {san}" if san else "the end of the game"


def in_pawns(number: float, most: int) -> str:
    """Return a number of pawns in words; for ``most``, the number at which counting stops, the words are "at least".

    >>> in_pawns(1, 10), in_pawns(10, 10)
    ('a pawn', 'at least 10 pawns')
    """
    return "a pawn" if number == 1 else f"{'at least ' * (number >= most)}{number:g} pawns"


def chance(played: str, move: str, kind: str, won: str) -> str:
    """Return a sentence about a played move and the chance that it misses; both moves are written with their numbers.

    >>> chance("1. h3", "1. Ne7+", "fork", "5 pawns")
    '1. h3 was played; 1. Ne7+, a fork, wins 5 pawns more.'
    >>> chance("1. h3", "1. Qh7#", "mate", "at least 10 pawns")
    '1. h3 was played; 1. Qh7# is mate.'
    """
    wins = " is mate" if kind == "mate" else f"{_CHANCES.get(kind, '')} wins {won} more"
    return f"{played} was played; {move}{wins}."


# ------------------------------------------------------------ tables and rows of boards as HTML, as notebooks show them


def table(names: Sequence[str], rows: Iterable[Sequence[object]], caption: str) -> str:
    """Return an HTML table: numbers are aligned right, None is an empty cell, line breaks become blanks."""
    heads = "".join(f'<th scope="col">{escape(name)}</th>' for name in names)
    lines = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    return (
        f'<table><caption style="caption-side:bottom;text-align:left">{escape(caption)}</caption>'
        f"<thead><tr>{heads}</tr></thead><tbody>{lines}</tbody></table>"
    )


def _cell(value: object) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f'<td style="text-align:right">{value:,}</td>' if isinstance(value, int) else f"<td>{value:.6g}</td>"
    return f'<td style="text-align:left">{"" if value is None else escape(" ".join(str(value).split()))}</td>'


def beside(pictures: Iterable[tuple[str, str]]) -> str:
    """Return HTML with pictures side by side, each with a line of text below it."""
    figures = (
        f'<figure style="margin:0;max-width:240px">{svg}<figcaption>{escape(words)}</figcaption></figure>'
        for svg, words in pictures
    )
    return f'<div style="display:flex;flex-wrap:wrap;gap:1em">{"".join(figures)}</div>'


def count(number: int, thing: str, ending: str = "s") -> str:
    """Return ``1 game``, ``1,234 games``; ``ending`` is that of several things."""
    return f"{number:,} {thing}{'' if number == 1 else ending}"
