"""The SVG shapes of boards: squares, pieces, the marks of sets, arrows."""

from __future__ import annotations

import math
from collections.abc import Mapping

from setwise.bitboard import parse_square

__all__ = [
    "COLORS", "GREY", "MARKS", "PLAYED", "SQUARE", "arrow", "corner", "empty_board", "empty_row", "paint", "piece",
    "tinted",
]  # fmt: skip

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

# For each set a colour and a shape to fill or to stroke: distinct without colours, and on the same square.
SQUARE = "M0 0 H100 V100 H0 Z"
MARKS = (
    ("#f28c13", "fill", SQUARE),
    ("#0a5fd0", "stroke", "M50 8 A42 42 0 1 1 49.9 8 Z"),
    ("#0b8a4b", "stroke", "M6 6 H94 V94 H6 Z"),
    ("#c2187a", "fill", "M5 5 H37 L5 37 Z M95 95 H63 L95 63 Z"),
    ("#5b2fc0", "stroke", "M4 36 L36 4 M4 66 L66 4 M4 96 L96 4 M34 96 L96 34 M64 96 L96 64"),
    ("#c01f1f", "fill", "M63 5 H95 V37 Z M5 63 V95 H37 Z"),
)
GREY = "#7a7a7a"  # readable on a white page and on a black one
#: The colours of everything else, by the names under which users may choose others.
COLORS = {"light": "#eaeef2", "dark": "#a9b8c6", "last_move": "#9bc700", "check": "#d81b1b", "arrow": "#15781b"}
#: The colour of the arrow of a move that was played where another one was better.
PLAYED = "#c01f1f"
_SIDES = {"White": ("#ffffff", "#111111", "#111111"), "Black": ("#222222", "#000000", "#eeeeee")}


def empty_board(colors: Mapping[str, str] = COLORS) -> str:
    """Return the squares."""
    dark = "".join(f"M{x} {700 - y}h100v100h-100z" for y in range(0, 800, 100) for x in range(y % 200, 800, 200))
    light = f'<path fill="{colors["light"]}" stroke="{GREY}" stroke-width="2" d="M-1 -1 H801 V801 H-1 Z"/>'
    return f'{light}\n<path fill="{colors["dark"]}" d="{dark}"/>'


def empty_row() -> str:
    """Return the squares of one row, those of the first rank."""
    dark = "".join(f"M{x} 0h100v100h-100z" for x in range(0, 800, 200))
    light = f'<path fill="{COLORS["light"]}" stroke="{GREY}" stroke-width="2" d="M-1 -1 H801 V101 H-1 Z"/>'
    return f'{light}<path fill="{COLORS["dark"]}" d="{dark}"/>'


def tinted(squares: str, name: str, colors: Mapping[str, str] = COLORS, attributes: str = "") -> str:
    """Return the shapes of squares in the colour of the last move or of a check."""
    return f'<g fill="{colors[name]}" fill-opacity=".{41 if name == "last_move" else 55}"{attributes}>{squares}</g>'


def corner(square: int, *, turned: bool = False) -> tuple[int, int]:
    """Return where the top left corner of a square is, of 800 by 800; ``turned`` with Black's side below."""
    x, y = 100 * (square % 8), 700 - 100 * (square // 8)
    return (700 - x, 700 - y) if turned else (x, y)


def paint(number: int, color: str | None = None) -> str:
    """Return the attributes that paint the shapes of a set, by its number, or in a colour that the user chose."""
    usual, style, _ = MARKS[number]
    colour = color or usual
    return f'fill="{colour}" fill-opacity=".8"' if style == "fill" else f'stroke="{colour}" stroke-width="8"'


def arrow(move: str, *, turned: bool = False, color: str = COLORS["arrow"]) -> str:
    """Return an arrow from one square to another, as a move in UCI names them.

    Raises:
        ValueError: for anything else.
    """
    start, end = parse_square(move[:2]), parse_square(move[2:4])
    (x, y), (to_x, to_y) = (corner(square, turned=turned) for square in (start, end))
    length = math.hypot(to_x - x, to_y - y)
    if length == 0:
        raise ValueError(f"an arrow leads from one square to another, not as {move!r:.20}")
    degrees = math.degrees(math.atan2(to_y - y, to_x - x))
    shaft, tip = length - 52, length - 8
    outline = f"M30 -9 H{shaft:.4g} V-28 L{tip:.4g} 0 L{shaft:.4g} 28 V9 H30 Z"
    return (
        f'<path fill="{color}" fill-opacity=".75" transform="translate({x + 50} {y + 50}) rotate({degrees:.4g})"'
        f' d="{outline}"/>'
    )


def piece(letter: str, x: int = 0, y: int = 0) -> str:
    """Return the piece of a letter, on the square with this corner."""
    fill, line, detail = _SIDES["White" if letter.isupper() else "Black"]
    kind = letter.lower()
    balls = "".join(f'<circle cx="{cx}" cy="{cy}" r="5"/>' for cx, cy in _BALLS.get(kind, ()))
    details = f'<path fill="none" stroke="{detail}" d="{_DETAILS[kind]}"/>' if kind in _DETAILS else ""
    return (
        f'<g transform="translate({x - 6} {y - 3}) scale(1.12)" fill="{fill}" stroke="{line}" stroke-width="3.5"'
        f' stroke-linejoin="round" stroke-linecap="round"><path d="{_OUTLINES[kind]} {_BASE}"/>{balls}{details}</g>'
    )
