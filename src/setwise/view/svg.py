"""Boards as SVG and PNG, and the viewer that steps through a game.

The shapes come first: squares, pieces, the marks of sets, arrows, each a function that returns a piece of SVG, with
squares 100 units wide. ``board_svg`` puts them together into a document that stands alone, for notebooks and files.
``page`` writes HTML with many boards: there the shapes are defined once (``sprite``) and used by name, and a script
steps through the games. ``png`` leaves the drawing to a library. Every document has a title and a description in words.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from html import escape
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from setwise.bitboard import FILE_NAMES, RANK_NAMES, SQUARE_NAMES, Bitboard, parse_square
from setwise.errors import did_you_mean
from setwise.view.diagram import Diagram, Marks, MoveSquares, Pieces, Squares, one_line, read_board, squares_in_words

# ------------------------------------------------- the SVG shapes of boards: squares, pieces, the marks of sets, arrows


# A square is 100 units wide, its corner at the top left is 0,0.

# For each set a colour and a shape to fill or to stroke: sets are distinct without colours, and on the same square.
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


def tinted(squares: str, name: str, colors: Mapping[str, str] = COLORS, attributes: str = "") -> str:
    """Return the shapes of squares in the colour of the last move or of a check."""
    return f'<g fill="{colors[name]}" fill-opacity=".{41 if name == "last_move" else 55}"{attributes}>{squares}</g>'


def corner(square: int, *, turned: bool = False) -> tuple[int, int]:
    """Return the top left corner of a square, on a board of 800 by 800; with ``turned``, Black's side is below."""
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
        raise ValueError(f"an arrow leads from one square to another, such as 'g1f3', not {move!r:.20}")
    degrees = math.degrees(math.atan2(to_y - y, to_x - x))
    shaft, tip = length - 52, length - 8
    outline = f"M30 -9 H{shaft:.4g} V-28 L{tip:.4g} 0 L{shaft:.4g} 28 V9 H30 Z"
    return (
        f'<path fill="{color}" fill-opacity=".75" transform="translate({x + 50} {y + 50}) rotate({degrees:.4g})"'
        f' d="{outline}"/>'
    )


@cache
def _drawings() -> dict[str, dict[str, Any]]:
    """How each kind of piece is drawn: an outline, lines inside, balls on top. They are drawn for this project."""
    drawings: dict[str, dict[str, Any]] = json.loads(Path(__file__).with_name("pieces.json").read_text("ascii"))
    return drawings


def piece(letter: str, x: int = 0, y: int = 0) -> str:
    """Return the piece of a letter, on the square with this corner."""
    fill, line, detail = _SIDES["White" if letter.isupper() else "Black"]
    drawn = _drawings()[letter.lower()]
    balls = "".join(f'<circle cx="{cx}" cy="{cy}" r="5"/>' for cx, cy in drawn.get("balls", ()))
    details = f'<path fill="none" stroke="{detail}" d="{drawn["details"]}"/>' if "details" in drawn else ""
    return (
        f'<g transform="translate({x - 6} {y - 3}) scale(1.12)" fill="{fill}" stroke="{line}" stroke-width="3.5"'
        f' stroke-linejoin="round" stroke-linecap="round"><path d="{drawn["outline"]}"/>{balls}{details}</g>'
    )


# ---------------------------------------------------------------- boards as SVG, for notebooks, documents and web pages


_NAMES = {"k": "king", "q": "queen", "r": "rook", "b": "bishop", "n": "knight", "p": "pawn"}

_BOARD, _LEFT, _BELOW, _EDGE, _LEGEND_LINE = 800, 44, 50, 2, 70
_LONGEST_NAME = 38


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

    Each set has a colour and a shape of its own; a legend explains named sets. The elements ``title`` and ``desc``
    describe the board in words, for users who cannot see it.

    Args:
        pieces: a ``Position`` or a board of python-chess; 64 characters from a1 to h8, ``PNBRQK`` white, ``pnbrqk``
            black, ``.`` empty; or a mapping of squares.
        marks: a set, or up to six sets by name.
        size: the width in pixels; the height follows.
        coordinates: rank numbers at the left and file letters below.
        title: the title of the picture; by default the names of the sets.
        side: whose side is below, ``"white"`` or ``"black"``.
        last_move: the last move or its squares, which are tinted.
        check: the squares of kings in check, tinted red; by default the king that is in check in a position or board.
        arrows: moves, or two squares each: ``["g1f3"]``; with colours of their own ``{"g1f3": "#c01f1f"}``.
        colors: other colours, as CSS names or ``#rrggbb``, under the names ``light dark last_move check arrow``, or
            under the name of a set.

    Raises:
        ValueError, TypeError: for invalid pieces, an unknown side, marks that are not sets, arrows that are not two
            squares, a size that is not a positive number, colours that CSS does not know, or unknown names of colours.

    Example:
        >>> picture = view.board_svg({"g1": "K", "d5": "n"}, {"forks": "e3 f3"}, size=480)
        >>> print(picture.splitlines()[1])
        <title>forks</title>
    """
    board = read_board(pieces, marks, last_move, side, check)
    chosen = _chosen(colors, [name for name, _ in board.marks])
    heading = one_line(title or "") or ", ".join(name for name, _ in board.marks if name)
    heading = heading or ("chess board" if board.pieces else "set of squares")
    more = _LEGEND_LINE * len(board.marks) * board.has_legend
    head, end = opening(size, heading, in_words(board), 'fill="none"', coordinates=coordinates, more=more)
    parts = [
        *head,
        empty_board(chosen),
        *_tints(board, chosen),
        *_marks(board, colors),
        *_pieces(board),
        *_arrows(board, arrows, chosen["arrow"]),
    ]
    if coordinates:
        parts.append(square_names(turned=board.turned))
    if board.has_legend:
        parts += (
            _legend_line(number, name, colors.get(name), end + 8 + _LEGEND_LINE * number, chosen["light"])
            for number, (name, _) in enumerate(board.marks)
        )
    return "\n".join([*parts, "</svg>"])


def opening(
    size: float, title: str, words: str, attributes: str, *, coordinates: bool, more: int = 0
) -> tuple[list[str], int]:
    """Return the first lines of the picture of a board, and where the coordinates below the board end.

    Args:
        size: the width in pixels.
        title: the title.
        words: the description.
        attributes: attributes for all shapes.
        coordinates: whether there are coordinates.
        more: the height of what is below the board.

    Raises:
        ValueError: for a size that is not a positive number.
    """
    if not 0 < size < float("inf"):
        raise ValueError(f"size is the width in pixels, a positive number, not {size}")
    left, below = (_LEFT, _BELOW) if coordinates else (_EDGE, _EDGE)
    width, height = left + _BOARD + _EDGE, _EDGE + _BOARD + below + more
    box = f'viewBox="{-left} {-_EDGE} {width} {height}" width="{size:g}" height="{size * height / width:.6g}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {box} role="img" font-family="sans-serif" {attributes}>'
    return [head, f"<title>{escape(title)}</title>", f"<desc>{escape(words)}</desc>"], _BOARD + below


def _tints(board: Diagram, chosen: Mapping[str, str]) -> Iterator[str]:
    for name, squares in (("last_move", board.last_move), ("check", board.check)):
        if squares:
            yield tinted(_shapes(squares, SQUARE, turned=board.turned), name, chosen)


def _marks(board: Diagram, colors: Mapping[str, str]) -> Iterator[str]:
    for number, (name, squares) in enumerate(board.marks):
        hint = f"<title>{escape(name)}</title>" if name else ""
        shapes = _shapes(squares, MARKS[number][2], turned=board.turned)
        yield f"<g {paint(number, colors.get(name))}>{hint}{shapes}</g>"


def _pieces(board: Diagram) -> Iterator[str]:
    for square, letter in enumerate(board.pieces or ""):
        if letter != ".":
            yield piece(letter, *corner(square, turned=board.turned))


def _arrows(board: Diagram, arrows: Iterable[str | MoveSquares] | Mapping[str, str], usual: str) -> Iterator[str]:
    colored = arrows.items() if isinstance(arrows, Mapping) else ((_uci(move), usual) for move in arrows)
    for move, color in colored:
        yield arrow(move, turned=board.turned, color=_checked_color(f"the arrow {move}", color))


def square_names(attributes: str = "", *, turned: bool) -> str:
    """Return the file letters below a board and the rank numbers at its left."""
    files, ranks = (FILE_NAMES[::-1], RANK_NAMES) if turned else (FILE_NAMES, RANK_NAMES[::-1])
    texts = [f'<text x="{100 * at + 50}" y="836">{name}</text>' for at, name in enumerate(files)]
    texts += [f'<text x="-22" y="{100 * at + 61}">{name}</text>' for at, name in enumerate(ranks)]
    return f'<g{attributes} fill="{GREY}" font-size="32" text-anchor="middle">{"".join(texts)}</g>'


def _chosen(colors: Mapping[str, str], names: list[str]) -> dict[str, str]:
    """The colours of the board, with those that the user chose; a set must not have the name of one of them."""
    for name, color in colors.items():
        if name not in COLORS and name not in names:
            known = [*COLORS, *filter(None, names)]
            raise ValueError(f"there is no colour {name!r:.40}{did_you_mean(name, known)}: {' '.join(known)}")
        _checked_color(name, color)
    return {**COLORS, **colors}


def _checked_color(name: str, color: object) -> str:
    if not isinstance(color, str) or not _COLOR.fullmatch(color):
        raise ValueError(f"the colour of {name} is a name that CSS knows or #rrggbb, not {color!r:.40}")
    return color


def _uci(move: str | MoveSquares) -> str:
    return move if isinstance(move, str) else SQUARE_NAMES[move.from_square] + SQUARE_NAMES[move.to_square]


def _shapes(squares: Bitboard, outline: str, *, turned: bool) -> str:
    corners = (corner(square, turned=turned) for square in squares)
    return "".join(f'<path transform="translate({x} {y})" d="{outline}"/>' for x, y in corners)


def _legend_line(number: int, name: str, color: str | None, y: int, ground: str) -> str:
    shown = name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1] + "…"
    return (
        f'<g transform="translate(0 {y}) scale(.5)"><path fill="{ground}" d="{SQUARE}"/>'
        f'<path {paint(number, color)} d="{MARKS[number][2]}"/></g>'
        f'<text x="68" y="{y + 37}" font-size="36" fill="{GREY}">{escape(shown)}</text>'
    )


def in_words(board: Diagram) -> str:
    """Return a description of a board in words, for users who cannot see it."""
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


# ------------------------------------------------------------------------ definitions that all boards on one page share


_PIECES = "PNBRQKpnbrqk"


def sprite() -> str:
    """Return an SVG that shows nothing and defines ``board``, ``names-white``, ``piece-K``, ``mark-0`` and so on.

    Boards on the same page use them by their names, each square being 100 units wide.

    Example:
        >>> from setwise.view.svg import sprite
        >>> '<g id="piece-q">' in sprite()
        True
    """
    pieces = (f'<g id="piece-{letter}">{piece(letter)}</g>' for letter in _PIECES)
    marks = (f'<g id="mark-{number}" {paint(number)}><path d="{it[2]}"/></g>' for number, it in enumerate(MARKS))
    names = (
        square_names(f' id="names-{side}" font-family="sans-serif"', turned=side == "black")
        for side in ("white", "black")
    )
    defs = "\n".join([f'<g id="board">{empty_board()}</g>', *names, *pieces, *marks])
    return f'<svg width="0" height="0" aria-hidden="true" fill="none"><defs>\n{defs}\n</defs></svg>'


# --------------------------------------------------- standalone pages: boards with marks, and a click through each game


class Scene(NamedTuple):
    """A game and the ply of it that is shown first."""

    heading: str
    place: str
    #: The pieces at the start, 64 letters from a1 to h8; the squares that change with each move, as ``changes_of``
    #: returns them; the moves in SAN, the number of the first, and whether White plays it; the annotations by ply.
    start: str
    changes: Sequence[str] = ()
    moves: Sequence[str] = ()
    number: int = 1
    white: bool = True
    notes: Mapping[int, str] = {}
    #: The position that is shown first: its ply, how many plies of the game came before the start above, its pieces,
    #: sets, the squares of the last move; moves in UCI that arrows show, each with its colour.
    ply: int = 0
    first: int = 0
    pieces: str | None = None
    marks: Mapping[str, Bitboard] = {}
    last_move: Bitboard = Bitboard(0)
    arrows: Mapping[str, str] = {}
    side: str = "white"


def changes_of(drawn: Sequence[str]) -> list[str]:
    """Return what each move changes, from the pieces of every position: the squares with the letters now there.

    >>> changes_of(["." * 12 + "P" + "." * 51, "." * 28 + "P" + "." * 35])
    ['e2.e4P']
    """
    return [
        "".join(SQUARE_NAMES[square] + now for square, (was, now) in enumerate(zip(*pair, strict=True)) if was != now)
        for pair in pairwise(drawn)
    ]


def document(title: str, style: str, *, scripts: bool = False) -> str:
    """Return the beginning of a page that loads nothing from elsewhere, up to its body."""
    allowed = "style-src 'unsafe-inline'" + "; script-src 'unsafe-inline'" * scripts
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; {allowed}">\n'
        f"<title>{escape(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n"
    )


def head(title: str, *, heading: str = "") -> str:
    """Return a page up to its articles."""
    return f"{document(title, _parts()[0], scripts=True)}{heading}{sprite()}\n<main>\n"


def tail(last: str = "") -> str:
    """Return the rest of a page, with the script that moves the pieces."""
    _, script = _parts()
    return f"</main>\n{last}<script>\n{script}</script>\n</body>\n</html>\n"


def page(scene: Scene) -> str:
    """Return a page of one game."""
    return head(scene.heading) + article(scene, lists_moves=True) + tail()


def article(scene: Scene, below: str = "", *, name: str = "game", lists_moves: bool = False) -> str:
    """Return a game as part of a page.

    Args:
        scene: the game.
        below: HTML that stands below its board.
        name: the id of the part.
        lists_moves: whether all its moves are listed below, to click on, as on a page of one game.
    """
    game = {
        "start": scene.start, "first": scene.first, "changes": scene.changes, "moves": scene.moves,
        "number": scene.number, "white": scene.white, "notes": scene.notes,
    }  # fmt: skip
    return (
        f'<article id="{name}" data-side="{scene.side}" data-ply="{scene.ply}"{" data-lists" * lists_moves}'
        f' data-game="{escape(json.dumps(game, separators=(",", ":")))}">\n'
        f"<h2>{escape(scene.heading)}</h2>\n<p>{escape(scene.place)}</p>\n{board(scene)}\n{below}</article>\n"
    )


def legend(marks: Mapping[str, Bitboard]) -> str:
    """Return the names of sets beside their shapes."""
    lines = "".join(_legend_lines(marks))
    return f'<ul class="marks">{lines}</ul>\n' if lines else ""


def _legend_lines(marks: Mapping[str, Bitboard]) -> Iterator[str]:
    for number, (name, squares) in enumerate(marks.items()):
        shape = f'<svg viewBox="0 0 100 100" fill="none"><path {paint(number)} d="{MARKS[number][2]}"/></svg>'
        yield f"<li>{shape}{escape(name)}: {' '.join(squares.names()) or 'none'}</li>"


def board(scene: Scene) -> str:
    """Return the board that is shown first, as SVG that uses the shapes of the page's sprite."""
    turned, pieces = scene.side == "black", scene.pieces or scene.start
    shown = read_board(pieces, scene.marks, side=scene.side)
    placed = (
        f'<use href="#piece-{letter}" x="{x}" y="{y}"/>'
        for (x, y), letter in ((corner(square, turned=turned), it) for square, it in enumerate(pieces))
        if letter != "."
    )
    arrows = [arrow(move, turned=turned, color=color) for move, color in scene.arrows.items()]
    return (
        f'<svg viewBox="-44 -2 846 852" role="img" fill="none"><desc>{escape(in_words(shown))}</desc>'
        f'<use href="#board"/><use href="#names-{scene.side}"/>'
        f"{tinted(_shapes(scene.last_move, SQUARE, turned=turned), 'last_move', attributes=' class=last')}"
        f'<g class="marks">{"".join(_marks(shown, {}))}</g><g class="pieces">{"".join(placed)}</g>'
        f'{f"""<g class="marks">{"".join(arrows)}</g>""" if arrows else ""}</svg>'
    )


@cache
def _parts() -> tuple[str, str]:
    """The style of pages, and their script."""
    folder = Path(__file__).parent
    style, script = ((folder / name).read_text(encoding="utf-8") for name in ("viewer.css", "viewer.js"))
    return style, script


# ------------------------------------------------------------ pictures as PNG, through a library where one is installed


def png(svg: str, *, scale: float = 2) -> bytes:
    """Return an SVG document as the bytes of a PNG.

    Args:
        svg: an SVG document, such as ``board_svg`` and ``heatmap`` return.
        scale: how many pixels of the PNG one pixel of the SVG becomes.

    Raises:
        ImportError: resvg_py, which draws it, is not installed: ``pip install 'setwise[png]'``.
        ValueError: for a text that is not SVG, or a scale that is not above 0 and up to 16.

    Example:
        >>> picture = view.png(view.board_svg(marks="e4"))
        >>> picture[1:4]
        b'PNG'
    """
    if not 0 < scale <= 16:
        raise ValueError(f"a scale is a number above 0 and up to 16, not {scale}")
    try:
        import resvg_py
    except ImportError as error:
        raise ImportError("PNG needs resvg_py: pip install 'setwise[png]'") from error
    try:
        return bytes(resvg_py.svg_to_bytes(svg_string=svg, zoom=scale))
    except (ValueError, RuntimeError) as error:
        raise ValueError(f"this is not SVG: {error}") from None
