"""Boards as SVG, for notebooks, documents and web pages."""

from __future__ import annotations

from html import escape

from setwise.bitboard import FILE_NAMES, RANK_NAMES, SQUARE_NAMES
from setwise.view.diagram import Diagram, Marks, Pieces, one_line, read_board, squares_in_words

__all__ = ["board_svg"]

# A square is 100 units wide, its corner at the top left is 0,0. The pieces are drawn for this project.

_BASE = "M27 86 V81 Q27 76 32 76 H68 Q73 76 73 81 V86 Z"
_OUTLINES = {
    "p": "M36 76 C45 68 46 58 45 51 H39 V46 H44 A13 13 0 1 1 56 46 H61 V51 H55 C54 58 55 68 64 76 Z",
    "n": "M33 76 C33 64 45 60 49 48 C43 52 39 53 35 56 L31 62 L24 58 L23 51 L34 33 L37 26 L36 17 L45 22"
    " C63 22 71 38 69 76 Z",
    "b": "M37 76 C43 72 44 68 44 64 H37 V59 H42 C30 50 33 35 46 24 A5.5 5.5 0 1 1 54 24 C67 35 70 50 58 59 H63 V64 H56"
    " C56 68 57 72 63 76 Z",
    "r": "M32 76 L38 66 V43 L31 37 V20 H41 V27 H46 V20 H54 V27 H59 V20 H69 V37 L62 43 V66 L68 76 Z",
    "q": "M33 76 L36 66 L23 36 L37 48 L40 26 L50 45 L60 26 L63 48 L77 36 L64 66 L67 76 Z",
    "k": "M34 76 L37 66 C14 52 26 30 43 37 L46 39 V27 H39 V20 H46 V13 H54 V20 H61 V27 H54 V39 L57 37"
    " C74 30 86 52 63 66 L66 76 Z",
}
_DETAILS = {
    "n": "M42 33 L45 34 M27 52 L29 53",
    "b": "M50 35 V47 M44 41 H56 M44 62 H56",
    "r": "M38 43 H62 M38 66 H62",
    "q": "M36 66 H64",
    "k": "M37 66 H63 M50 39 V58",
}
_BALLS = {"q": ((22, 32), (39, 21), (61, 21), (78, 32))}

# For each set a colour and a shape to fill or to stroke: told apart without colours, and on the same square.
_SHAPES = (
    ("#f28c13", "fill", "M0 0 H100 V100 H0 Z"),
    ("#0a5fd0", "stroke", "M50 8 A42 42 0 1 1 49.9 8 Z"),
    ("#0b8a4b", "stroke", "M6 6 H94 V94 H6 Z"),
    ("#c2187a", "fill", "M5 5 H37 L5 37 Z M95 95 H63 L95 63 Z"),
    ("#5b2fc0", "stroke", "M4 36 L36 4 M4 66 L66 4 M4 96 L96 4 M34 96 L96 34 M64 96 L96 64"),
    ("#c01f1f", "fill", "M63 5 H95 V37 Z M5 63 V95 H37 Z"),
)
_LIGHT, _DARK = "#eaeef2", "#a9b8c6"
_GREY = "#7a7a7a"  # readable on a white page and on a black one
_SIDES = {"White": ("#ffffff", "#111111", "#111111"), "Black": ("#222222", "#000000", "#eeeeee")}
_NAMES = {"k": "king", "q": "queen", "r": "rook", "b": "bishop", "n": "knight", "p": "pawn"}

_BOARD, _LEFT, _BELOW, _EDGE, _LEGEND_LINE = 800, 44, 50, 2, 70
_LONGEST_NAME = 38


def board_svg(
    pieces: Pieces | None = None,
    marks: Marks | None = None,
    *,
    size: float = 360,
    coordinates: bool = True,
    title: str | None = None,
) -> str:
    """Return a board as a standalone SVG document.

    Each set has a colour and a shape of its own; below the board a legend tells named sets. ``title`` and ``desc`` say
    the same in words to those who do not see it.

    Args:
        pieces: 64 characters from a1 to h8, ``PNBRQK`` white, ``pnbrqk`` black, ``.`` empty, or a mapping of squares.
        marks: a set, or up to six sets by name.
        size: the width in pixels; the height follows.
        coordinates: rank numbers at the left and file letters below.
        title: what the picture is called; the names of the sets unless given.

    Raises:
        ValueError, TypeError: for other pieces, marks that are no sets, or a size that is no positive number.

    Example:
        >>> picture = view.board_svg({"g1": "K", "d5": "n"}, {"forks": "e3 f3"}, size=480)
        >>> print(picture.splitlines()[1])
        <title>forks</title>
    """
    board = read_board(pieces, marks)
    if not 0 < size < float("inf"):
        raise ValueError(f"size is the width in pixels, a positive number, not {size}")
    left, below = (_LEFT, _BELOW) if coordinates else (_EDGE, _EDGE)
    width = left + _BOARD + _EDGE
    height = _EDGE + _BOARD + below + _LEGEND_LINE * len(board.marks) * board.has_legend
    heading = one_line(title or "") or ", ".join(name for name, _ in board.marks if name)
    box = f'viewBox="{-left} {-_EDGE} {width} {height}" width="{size:g}" height="{size * height / width:.6g}"'
    dark = "".join(f"M{x} {y}h100v100h-100z" for x, y in map(_corner, range(64)) if (x + y) % 200)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {box} role="img" font-family="sans-serif" fill="none">',
        f"<title>{escape(heading or ('chess board' if board.pieces else 'set of squares'))}</title>",
        f"<desc>{escape(_in_words(board))}</desc>",
        f'<path fill="{_LIGHT}" stroke="{_GREY}" stroke-width="2" d="M-1 -1 H801 V801 H-1 Z"/>',
        f'<path fill="{_DARK}" d="{dark}"/>',
    ]
    for number, (name, squares) in enumerate(board.marks):
        shapes = (f'<path transform="translate({x} {y})" d="{_SHAPES[number][2]}"/>' for x, y in map(_corner, squares))
        hint = f"<title>{escape(name)}</title>" if name else ""
        lines.append(f"<g {_paint(number)}>{hint}{''.join(shapes)}</g>")
    lines += [_piece(piece, *_corner(square)) for square, piece in enumerate(board.pieces or "") if piece != "."]
    if coordinates:
        files = (f'<text x="{100 * k + 50}" y="836">{name}</text>' for k, name in enumerate(FILE_NAMES))
        ranks = (f'<text x="-22" y="{761 - 100 * k}">{name}</text>' for k, name in enumerate(RANK_NAMES))
        lines.append(f'<g fill="{_GREY}" font-size="32" text-anchor="middle">{"".join(files)}{"".join(ranks)}</g>')
    if board.has_legend:
        lines += [
            _legend_line(k, name, _BOARD + below + _LEGEND_LINE * k + 8) for k, (name, _) in enumerate(board.marks)
        ]
    return "\n".join([*lines, "</svg>"])


def _corner(square: int) -> tuple[int, int]:
    """Where the top left corner of a square is."""
    return 100 * (square % 8), 700 - 100 * (square // 8)


def _paint(number: int) -> str:
    colour, style, _ = _SHAPES[number]
    return f'fill="{colour}" fill-opacity=".8"' if style == "fill" else f'stroke="{colour}" stroke-width="8"'


def _piece(piece: str, x: int, y: int) -> str:
    fill, line, detail = _SIDES["White" if piece.isupper() else "Black"]
    kind = piece.lower()
    balls = "".join(f'<circle cx="{cx}" cy="{cy}" r="5"/>' for cx, cy in _BALLS.get(kind, ()))
    details = f'<path fill="none" stroke="{detail}" d="{_DETAILS[kind]}"/>' if kind in _DETAILS else ""
    return (
        f'<g transform="translate({x - 6} {y - 3}) scale(1.12)" fill="{fill}" stroke="{line}" stroke-width="3.5"'
        f' stroke-linejoin="round" stroke-linecap="round"><path d="{_OUTLINES[kind]} {_BASE}"/>{balls}{details}</g>'
    )


def _legend_line(number: int, name: str, y: int) -> str:
    shown = name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1] + "…"
    return (
        f'<g transform="translate(0 {y}) scale(.5)"><path fill="{_LIGHT}" d="M0 0 H100 V100 H0 Z"/>'
        f'<path {_paint(number)} d="{_SHAPES[number][2]}"/></g>'
        f'<text x="68" y="{y + 37}" font-size="36" fill="{_GREY}">{escape(shown)}</text>'
    )


def _in_words(board: Diagram) -> str:
    sentences = []
    for side in _SIDES if board.pieces else ():
        men = []
        for kind, name in _NAMES.items():
            letter = kind.upper() if side == "White" else kind
            squares = [SQUARE_NAMES[square] for square, piece in enumerate(board.pieces or "") if piece == letter]
            men += [" ".join([name, *squares])] if squares else []
        sentences.append(f"{side}: {', '.join(men) or 'nothing'}.")
    sentences += [f"{name or 'Marked'}: {squares_in_words(squares)}." for name, squares in board.marks]
    return " ".join(sentences)
