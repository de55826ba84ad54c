"""Boards as SVG, for notebooks, documents and web pages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from html import escape
from types import MappingProxyType

from setwise.bitboard import FILE_NAMES, SQUARE_NAMES, Bitboard
from setwise.errors import did_you_mean
from setwise.view.diagram import (
    Diagram,
    Marks,
    MoveSquares,
    Pieces,
    Squares,
    one_line,
    read_board,
    squares_in_words,
)
from setwise.view.shapes import (
    COLORS,
    GREY,
    MARKS,
    SQUARE,
    arrow,
    corner,
    empty_board,
    empty_row,
    paint,
    piece,
    tinted,
)

__all__ = ["board_svg", "files_in_words", "files_svg", "in_words"]

_NAMES = {"k": "king", "q": "queen", "r": "rook", "b": "bishop", "n": "knight", "p": "pawn"}

_BOARD, _LEFT, _BELOW, _EDGE, _LEGEND_LINE = 800, 44, 50, 2, 70
_LONGEST_NAME = 38
#: The heights of the name over a row of files, of the row with a gap below it, and of the letters at the end.
_ROW_NAME, _ROW, _LETTERS = 58, 112, 56

_COLOR = re.compile(r"#(?:[0-9a-fA-F]{3,4}){1,2}|[a-zA-Z]+")


def board_svg(
    pieces: Pieces | None = None,
    marks: Marks | None = None,
    *,
    size: float = 360,
    coordinates: bool = True,
    title: str | None = None,
    side: str = "white",
    last_move: Squares | MoveSquares | None = None,
    check: Squares | None = None,
    arrows: Iterable[str | MoveSquares] | Mapping[str, str] = (),
    colors: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """Return a board as a standalone SVG document.

    Each set has a colour and a shape of its own; a legend explains named sets. ``title`` and ``desc`` say
    the same in words to those who do not see it.

    Args:
        pieces: a ``Position`` or a board of python-chess; 64 characters from a1 to h8, ``PNBRQK`` white, ``pnbrqk``
            black, ``.`` empty; or a mapping of squares.
        marks: a set, or up to six sets by name.
        size: the width in pixels; the height follows.
        coordinates: rank numbers at the left and file letters below.
        title: what the picture is called; the names of the sets unless given.
        side: whose side is below, ``"white"`` or ``"black"``.
        last_move: the last move or its squares, which are tinted.
        check: the squares of kings in check, tinted red; by default that of a position or board.
        arrows: moves, or two squares each: ``["g1f3"]``; with colours of their own ``{"g1f3": "#c01f1f"}``.
        colors: other colours, as CSS names or ``#rrggbb``, by what they are for: ``light dark last_move check arrow``,
            or the name of a set.

    Raises:
        ValueError, TypeError: for other pieces or sides, marks that are not sets, arrows between no squares, a size
            that is not a positive number, or colours that are none or for nothing.

    Example:
        >>> picture = view.board_svg({"g1": "K", "d5": "n"}, {"forks": "e3 f3"}, size=480)
        >>> print(picture.splitlines()[1])
        <title>forks</title>
    """
    board = read_board(pieces, marks, last_move, side, check)
    if not 0 < size < float("inf"):
        raise ValueError(f"size is the width in pixels, a positive number, not {size}")
    chosen = _chosen(colors, [name for name, _ in board.marks])
    below = _BELOW if coordinates else _EDGE
    parts = [
        *_head(board, size, one_line(title or ""), _LEFT if coordinates else _EDGE, below),
        empty_board(chosen),
        *_tints(board, chosen),
        *_marks(board, colors),
        *_pieces(board),
        *_arrows(board, arrows, chosen["arrow"]),
    ]
    if coordinates:
        parts.append(_coordinates(board))
    if board.has_legend:
        parts += _legend(board, colors, _BOARD + below + 8, chosen["light"])
    return "\n".join([*parts, "</svg>"])


def files_svg(files: Mapping[str, int], *, size: float = 264, title: str | None = None) -> str:
    """Return filesets as a standalone SVG document: one row of eight squares for each, the file letters below.

    Args:
        files: filesets by name, bit 0 for the a-file; a row without a name has none drawn.
        size: the width in pixels; the height follows.
        title: what the picture is called; the names of the filesets unless given.

    Example:
        >>> from setwise.view.svg import files_svg
        >>> print(files_svg({"files": 0b11100111, "west_files": 0b00100001}).splitlines()[2])
        <desc>files: a b c f g h. west_files: a f.</desc>
    """
    rows, y = [], 0
    for name, word in files.items():
        if name:
            rows.append(f'<text x="0" y="{y + 40}" font-size="44" fill="{GREY}">{escape(one_line(name))}</text>')
            y += _ROW_NAME
        shapes = "".join(
            f'<path transform="translate({100 * it} 0)" d="{SQUARE}"/>' for it in range(8) if word >> it & 1
        )
        rows.append(f'<g transform="translate(0 {y})">{empty_row()}<g {paint(0)}>{shapes}</g></g>')
        y += _ROW
    names = "".join(f'<text x="{100 * at + 50}" y="{y + 40}">{name}</text>' for at, name in enumerate(FILE_NAMES))
    width, height = 800 + 2 * _EDGE, y + _LETTERS + 2 * _EDGE
    box = f'viewBox="{-_EDGE} {-_EDGE} {width} {height}" width="{size:g}" height="{size * height / width:.6g}"'
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" {box} role="img" font-family="sans-serif" fill="none">',
            f"<title>{escape(one_line(title or '') or ', '.join(files) or 'files')}</title>",
            f"<desc>{escape(files_in_words(files))}</desc>",
            *rows,
            f'<g fill="{GREY}" font-size="56" text-anchor="middle">{names}</g>',
            "</svg>",
        ]
    )


def files_in_words(files: Mapping[str, int]) -> str:
    """Return filesets in words, for users who cannot see them."""
    sentences = []
    for name, word in files.items():
        letters = [letter for at, letter in enumerate(FILE_NAMES) if word >> at & 1]
        sentences.append(f"{name or 'Marked'}: {' '.join(letters) or 'none'}.")
    return " ".join(sentences)


def _head(board: Diagram, size: float, title: str, left: int, below: int) -> Iterator[str]:
    """The opening tag with the size of the picture, and what it shows in words."""
    width = left + _BOARD + _EDGE
    height = _EDGE + _BOARD + below + _LEGEND_LINE * len(board.marks) * board.has_legend
    heading = title or ", ".join(name for name, _ in board.marks if name)
    box = f'viewBox="{-left} {-_EDGE} {width} {height}" width="{size:g}" height="{size * height / width:.6g}"'
    yield f'<svg xmlns="http://www.w3.org/2000/svg" {box} role="img" font-family="sans-serif" fill="none">'
    yield f"<title>{escape(heading or ('chess board' if board.pieces else 'set of squares'))}</title>"
    yield f"<desc>{escape(in_words(board))}</desc>"


def _tints(board: Diagram, chosen: Mapping[str, str]) -> Iterator[str]:
    for name, squares in (("last_move", board.last_move), ("check", board.check)):
        if squares:
            yield tinted(_shapes(board, squares, SQUARE), name, chosen)


def _marks(board: Diagram, colors: Mapping[str, str]) -> Iterator[str]:
    for number, (name, squares) in enumerate(board.marks):
        hint = f"<title>{escape(name)}</title>" if name else ""
        yield f"<g {paint(number, colors.get(name))}>{hint}{_shapes(board, squares, MARKS[number][2])}</g>"


def _pieces(board: Diagram) -> Iterator[str]:
    for square, letter in enumerate(board.pieces or ""):
        if letter != ".":
            yield piece(letter, *corner(square, turned=board.turned))


def _arrows(board: Diagram, arrows: Iterable[str | MoveSquares] | Mapping[str, str], usual: str) -> Iterator[str]:
    colored = arrows.items() if isinstance(arrows, Mapping) else ((_uci(move), usual) for move in arrows)
    for move, color in colored:
        yield arrow(move, turned=board.turned, color=_checked_color(f"the arrow {move}", color))


def _coordinates(board: Diagram) -> str:
    """File letters below the board and rank numbers at its left."""
    names = [SQUARE_NAMES[square] for square in board.rows[-1]], [SQUARE_NAMES[row[0]] for row in board.rows]
    files = (f'<text x="{100 * k + 50}" y="836">{name[0]}</text>' for k, name in enumerate(names[0]))
    ranks = (f'<text x="-22" y="{100 * k + 61}">{name[1]}</text>' for k, name in enumerate(names[1]))
    return f'<g fill="{GREY}" font-size="32" text-anchor="middle">{"".join(files)}{"".join(ranks)}</g>'


def _legend(board: Diagram, colors: Mapping[str, str], top: int, ground: str) -> Iterator[str]:
    for number, (name, _) in enumerate(board.marks):
        yield _legend_line(number, name, colors.get(name), top + _LEGEND_LINE * number, ground)


def _chosen(colors: Mapping[str, str], names: list[str]) -> dict[str, str]:
    """The colours of the board, with those that the user chose; a set must not have the name of one of them."""
    for name, color in colors.items():
        if name not in COLORS and name not in names:
            known = [*COLORS, *filter(None, names)]
            raise ValueError(f"nothing here has the colour {name!r:.40}{did_you_mean(name, known)}: {' '.join(known)}")
        _checked_color(name, color)
    return {**COLORS, **colors}


def _checked_color(name: str, color: object) -> str:
    if not isinstance(color, str) or not _COLOR.fullmatch(color):
        raise ValueError(f"the colour of {name} is a name that CSS knows or #rrggbb, not {color!r:.40}")
    return color


def _uci(move: str | MoveSquares) -> str:
    return move if isinstance(move, str) else SQUARE_NAMES[move.from_square] + SQUARE_NAMES[move.to_square]


def _shapes(board: Diagram, squares: Bitboard, outline: str) -> str:
    corners = (corner(square, turned=board.turned) for square in squares)
    return "".join(f'<path transform="translate({x} {y})" d="{outline}"/>' for x, y in corners)


def _legend_line(number: int, name: str, color: str | None, y: int, ground: str) -> str:
    shown = name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1] + "…"
    return (
        f'<g transform="translate(0 {y}) scale(.5)"><path fill="{ground}" d="{SQUARE}"/>'
        f'<path {paint(number, color)} d="{MARKS[number][2]}"/></g>'
        f'<text x="68" y="{y + 37}" font-size="36" fill="{GREY}">{escape(shown)}</text>'
    )


def in_words(board: Diagram) -> str:
    """Return what a board shows in words, for users who cannot see it."""
    sentences = []
    for side in ("White", "Black") if board.pieces else ():
        pieces = []
        for kind, name in _NAMES.items():
            letter = kind.upper() if side == "White" else kind
            squares = [
                SQUARE_NAMES[square] for square, piece_here in enumerate(board.pieces or "") if piece_here == letter
            ]
            pieces += [" ".join([name, *squares])] if squares else []
        sentences.append(f"{side}: {', '.join(pieces) or 'nothing'}.")
    sentences += [f"{name or 'Marked'}: {squares_in_words(squares)}." for name, squares in board.marks]
    return " ".join(sentences)
