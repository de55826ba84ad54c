"""Boards as text, for terminals and for pasting."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from itertools import groupby
from types import MappingProxyType

from setwise.bitboard import FILE_NAMES, RANK_NAMES, Bitboard
from setwise.view.diagram import Diagram, Marks, MoveSquares, Pieces, Squares, read_board, squares_in_words

_BRACKETS = ("[]", "()", "{}", "<>", "||", "!!")
_FIGURINES = dict(zip("KQRBNPkqrbnp", "♔♕♖♗♘♙♚♛♜♝♞♟", strict=True))
_SOLID = dict(zip("KQRBNPkqrbnp", "♚♛♜♝♞♟♚♛♜♝♞♟", strict=True))

# The colours are among the 256 that all terminals have. Each is a pair, for light and for dark squares. White and black
# pieces must both stand out from every colour, so no colour is very light or very dark.
_SQUARES = (245, 241)
_LAST_MOVE = (109, 66)
_TINTS = {"red": (167, 124), "green": (71, 28)}
_MARKS = ((208, 166), (33, 26), (71, 28), (170, 127), (142, 100), (167, 131))
_WHITE, _BLACK = 231, 16
_LIST_UP_TO = 8


def draw(
    pieces: Pieces | None = None,
    marks: Marks | None = None,
    *,
    color: bool,
    unicode: bool,
    coordinates: bool = True,
    side: str = "white",
    last_move: Squares | MoveSquares | None = None,
    tints: Mapping[str, Squares] = MappingProxyType({}),
) -> str:
    """Return a board as lines of text, without a line break at the end.

    Without colour, brackets stand around the marked squares, nested where sets overlap. A single set without pieces is
    drawn by dots and marks, which ``Bitboard.parse`` reads back. Below the board a legend lists named sets.

    Args:
        pieces: a ``Position`` or a board of python-chess; 64 characters from a1 to h8, ``PNBRQK`` white, ``pnbrqk``
            black, ``.`` empty; or a mapping of squares.
        marks: a set, or up to six sets by name.
        color: ANSI colours (of 256): light and dark squares, marked squares in the colour of their set.
        unicode: figurines and round dots instead of letters, ``1`` and ``.``.
        coordinates: rank numbers at the left and file letters below.
        side: whose side is below, ``"white"`` or ``"black"``.
        last_move: the last move or its squares, which get a colour of their own; without colour they are not marked.
        tints: other squares to colour, under ``"red"`` and ``"green"``; a set that marks a square comes first.

    Raises:
        ValueError, TypeError: for invalid pieces, an unknown side, or marks that are not sets.

    Example:
        >>> print(view.draw({"g1": "K", "d5": "n"}, {"forks": "e3 f3"}, color=False, unicode=False))
        8  .  .  .  .  .  .  .  .
        7  .  .  .  .  .  .  .  .
        6  .  .  .  .  .  .  .  .
        5  .  .  .  n  .  .  .  .
        4  .  .  .  .  .  .  .  .
        3  .  .  .  . [.][.] .  .
        2  .  .  .  .  .  .  .  .
        1  .  .  .  .  .  .  K  .
           a  b  c  d  e  f  g  h
        <BLANKLINE>
        [] forks: e3 f3
    """
    board = read_board(pieces, marks, last_move, side)
    dot, mark = "·●" if unicode else ".1"
    figures = (_SOLID if color else _FIGURINES) if unicode else {}

    def content(square: int) -> str:
        if board.is_bare_set:
            return mark if square in board.marks[0][1] else dot
        piece = "." if board.pieces is None else board.pieces[square]
        return dot if piece == "." else figures.get(piece, piece)

    depth = 0 if board.is_bare_set or not board.marks else max(1, board.most_marks_on_a_square)
    width = max(3, 2 * depth - 1) if color else 1 + 2 * depth
    gap = " " if width == 1 else ""
    tinted = {square: _TINTS[name] for name, squares in tints.items() for square in Bitboard(squares)}
    cell = functools.partial(_coloured_cell, tinted) if color else _bracketed_cell
    lines = [
        (f"{RANK_NAMES[row[0] // 8]} " if coordinates else "")
        + gap.join(cell(board, square, content(square), width) for square in row)
        for row in board.rows
    ]
    if coordinates:
        lines.append("  " + gap.join(FILE_NAMES[square % 8].center(width) for square in board.rows[0]))
    if board.has_legend:
        lines.append("")
        plain = [mark] if board.is_bare_set else _BRACKETS
        for number, (name, squares) in enumerate(board.marks):
            key = _paint(_MARKS[number][0], _BLACK, "   ") if color else plain[number]
            lines.append(f"{key} {name}: {squares_in_words(squares, _LIST_UP_TO)}")
    return "\n".join(line.rstrip() for line in lines)


def draw_files(files: Mapping[str, int], *, color: bool, unicode: bool) -> str:
    """Return filesets as lines of text: one row of eight squares for each, the file letters below.

    Args:
        files: filesets by name, bit 0 for the a-file.
        color: ANSI colours, as for boards.
        unicode: round dots instead of ``1`` and ``.``.

    Example:
        >>> from setwise.view.text import draw_files
        >>> print(draw_files({"files": 0b11100111, "west_files": 0b00100001}, color=False, unicode=False))
        files       1 1 1 . . 1 1 1
        west_files  1 . . . . 1 . .
                    a b c d e f g h
    """
    dot, mark = "·●" if unicode else ".1"
    names = max(map(len, files), default=0)
    margin = names + 2 if names else 0
    gap = "" if color else " "
    lines = [
        name.ljust(margin) + gap.join(_file_cell(file, bool(word >> file & 1), (dot, mark), color) for file in range(8))
        for name, word in files.items()
    ]
    letters = gap.join(letter.center(3) if color else letter for letter in FILE_NAMES)
    return "\n".join([*lines, (" " * margin + letters).rstrip()])


def _file_cell(file: int, is_member: bool, contents: tuple[str, str], color: bool) -> str:
    """One square of a row; the a-file is dark, as a1 is."""
    content = contents[is_member]
    if not color:
        return content
    ground = (_MARKS[0] if is_member else _SQUARES)[file % 2 == 0]
    ink = _BLACK if is_member else _SQUARES[file % 2]
    return _paint(ground, ink, content.center(3))


def _bracketed_cell(board: Diagram, square: int, content: str, width: int) -> str:
    if width == 1:
        return content
    for number in reversed(board.marks_of(square)):
        content = _BRACKETS[number][0] + content + _BRACKETS[number][1]
    return content.center(width)


def _coloured_cell(tinted: Mapping[int, tuple[int, int]], board: Diagram, square: int, content: str, width: int) -> str:
    """One cell, in the background colours of its sets: the colour of the last set is in the middle."""
    dark = (square + square // 8) % 2 == 0
    grounds = [_MARKS[number] for number in board.marks_of(square)]
    grounds = grounds or [tinted.get(square, _LAST_MOVE if square in board.last_move else _SQUARES)]
    layers = [grounds[min(at, width - 1 - at, len(grounds) - 1)][dark] for at in range(width)]
    piece = board.pieces[square] if board.pieces else content
    unseen = grounds[-1][not dark]  # almost unseen, so that copied text has its dot
    ink = unseen if piece in ".·" else _WHITE if piece.isupper() else _BLACK
    text = content.center(width)
    runs = groupby(range(width), key=layers.__getitem__)
    return "".join(_paint(ground, ink, "".join(text[at] for at in run)) for ground, run in runs)


def _paint(ground: int, ink: int, text: str) -> str:
    return f"\x1b[1;48;5;{ground};38;5;{ink}m{text}\x1b[0m"
