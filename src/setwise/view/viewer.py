"""Standalone pages: boards with marks, and a click through each game; no other files, no requests."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from setwise.bitboard import SQUARE_NAMES, Bitboard
from setwise.view.diagram import read_board
from setwise.view.shapes import MARKS, SQUARE, arrow, corner, paint, tinted
from setwise.view.sprite import sprite
from setwise.view.svg import in_words

__all__ = ["Scene", "article", "board", "changes_of", "head", "legend", "page", "tail"]


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


def head(title: str, *, heading: str = "") -> str:
    """Return a page up to its articles."""
    style, _ = _parts()
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
        "script-src 'unsafe-inline'\">\n"
        f"<title>{escape(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n{heading}{sprite()}\n<main>\n"
    )


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
        lists_moves: whether all its moves stand below, to click at, as where a game is alone.
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
    marks = [
        f"<g {paint(number)}><title>{escape(name)}</title>{_shapes(squares, MARKS[number][2], turned)}</g>"
        for number, (name, squares) in enumerate(scene.marks.items())
    ]
    placed = (
        f'<use href="#piece-{letter}" x="{x}" y="{y}"/>'
        for (x, y), letter in ((corner(square, turned=turned), it) for square, it in enumerate(pieces))
        if letter != "."
    )
    arrows = [arrow(move, turned=turned, color=color) for move, color in scene.arrows.items()]
    words = escape(in_words(read_board(pieces, scene.marks)))
    return (
        f'<svg viewBox="-44 -2 846 852" role="img" fill="none"><desc>{words}</desc><use href="#board"/>'
        f'<use href="#names-{scene.side}"/>'
        f"{tinted(_shapes(scene.last_move, SQUARE, turned), 'last_move', attributes=' class=last')}"
        f'<g class="marks">{"".join(marks)}</g><g class="pieces">{"".join(placed)}</g>'
        f'{f"""<g class="marks">{"".join(arrows)}</g>""" if arrows else ""}</svg>'
    )


def _shapes(squares: Bitboard, outline: str, turned: bool) -> str:
    corners = (corner(square, turned=turned) for square in squares)
    return "".join(f'<path transform="translate({x} {y})" d="{outline}"/>' for x, y in corners)


@lru_cache(1)
def _parts() -> tuple[str, str]:
    """The style of pages, and their script."""
    folder = Path(__file__).parent
    style, script = ((folder / name).read_text(encoding="utf-8") for name in ("viewer.css", "viewer.js"))
    return style, script
