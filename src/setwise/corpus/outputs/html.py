"""A page of matches in one file: boards with marks and arrows, a click through each game, links; no requests."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import IO

import numpy as np

from setwise.bitboard import SQUARE_NAMES, Bitboard
from setwise.corpus.outputs.output import Asked, Output
from setwise.corpus.outputs.told import Told, told
from setwise.corpus.search import Found
from setwise.game.games import Games
from setwise.view.diagram import read_board
from setwise.view.shapes import LAST_MOVE, MARKS, SQUARE, arrow, corner, paint
from setwise.view.sprite import sprite
from setwise.view.svg import in_words

__all__ = ["Html"]

#: A game on Lichess, as its exports name it.
_LICHESS = re.compile(r"https://lichess\.org/\w{8}(?=\w{0,4}\Z)")


class Html(Output):
    """A page that stands alone: no other file, no request to any place."""

    def __init__(self, file: IO[bytes], asked: Asked) -> None:
        self.count = 0
        super().__init__(file, asked)

    def head(self) -> bytes:
        """All but the matches."""
        style, _ = _parts()
        title = escape(self.asked.where or "positions")
        return (
            '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
            "script-src 'unsafe-inline'\">\n"
            f"<title>{title}</title>\n<style>\n{style}</style>\n</head>\n<body>\n<h1><code>{title}</code></h1>\n"
            f"{sprite()}\n<main>\n"
        ).encode()

    def text(self, found: Found) -> bytes:
        """The matches of a batch."""
        return "".join(self._match(found, match) for match in told(found)).encode()

    def tail(self) -> bytes:
        """How many there are, and what moves the pieces."""
        _, script = _parts()
        matches = "1 match" if self.count == 1 else f"{self.count:,} matches"
        return f"</main>\n<p>{matches}</p>\n<script>\n{script}</script>\n</body>\n</html>\n".encode()

    def _match(self, found: Found, match: Told) -> str:
        self.count += 1
        side = match.turned(self.asked.side)
        values = "".join(f"<dt>{escape(name)}</dt><dd>{escape(str(it))}</dd>" for name, it in match.values.items())
        link, where = _link(match)
        return (
            f'<article id="match-{self.count}" data-side="{side}" data-ply="{match.ply}"'
            f' data-game="{escape(json.dumps(_game(found, match), separators=(",", ":")))}">\n'
            f"<h2>{escape(match.players)}</h2>\n<p>{escape(match.place)}</p>\n{_board(match, side)}\n"
            f'<p class="next">{escape(match.following)}</p>\n{_legend(match.marks)}'
            f"{f'<dl>{values}</dl>' if values else ''}"
            f'<p><code>{escape(match.fen)}</code> <a href="{escape(link)}" rel="noreferrer">{where}</a></p>\n'
            "</article>\n"
        )


def _link(match: Told) -> tuple[str, str]:
    """The game on Lichess where it was played there, else the position there."""
    if (game := _LICHESS.match(match.site or "")) is not None:
        return f"{game[0]}{'' if match.white_to_move else '/black'}#{match.ply}", "the game on Lichess"
    return f"https://lichess.org/analysis/{match.fen.replace(' ', '_')}", "analyse on Lichess"


def _game(found: Found, match: Told) -> dict[str, object]:
    """The pieces at the start, the squares that change with every move, and the moves."""
    if not isinstance(found.games, Games):
        return {"start": match.pieces, "first": match.ply, "changes": [], "moves": []}
    begin = match.row - match.ply
    plies = int(np.diff(found.games.move_offsets[match.game : match.game + 2])[0])
    positions = found.positions[begin : begin + plies + 1]
    drawn, moves = positions.piece_strings(), positions.san().to_pylist()[:plies]
    changes = [
        "".join(
            SQUARE_NAMES[square] + now
            for square, (was, now) in enumerate(zip(before, after, strict=True))
            if was != now
        )
        for before, after in pairwise(drawn)
    ]
    return {
        "start": drawn[0], "first": 0, "changes": changes, "moves": moves,
        "number": int(positions.fullmove_number[0]), "white": bool(positions.white_to_move[0]),
    }  # fmt: skip


# -------------------------------------------------------------------------------------------------------------- boards


def _board(match: Told, side: str) -> str:
    turned = side == "black"
    groups = [f'<g {LAST_MOVE} class="last">{_shapes(match.last_squares, SQUARE, turned)}</g>', '<g class="marks">']
    for number, (name, squares) in enumerate(match.marks.items()):
        groups.append(
            f"<g {paint(number)}><title>{escape(name)}</title>{_shapes(squares, MARKS[number][2], turned)}</g>"
        )
    pieces = (
        f'<use href="#piece-{letter}" x="{x}" y="{y}"/>'
        for (x, y), letter in ((corner(square, turned=turned), it) for square, it in enumerate(match.pieces))
        if letter != "."
    )
    groups += ["</g>", f'<g class="pieces">{"".join(pieces)}</g>']
    if match.move:
        groups.append(f'<g class="marks">{arrow(match.move, turned=turned)}</g>')
    words = escape(in_words(read_board(match.pieces, match.marks)))
    return (
        f'<svg viewBox="-44 -2 846 852" role="img" fill="none"><desc>{words}</desc><use href="#board"/>'
        f'<use href="#names-{side}"/>{"".join(groups)}</svg>'
    )


def _shapes(squares: Bitboard, outline: str, turned: bool) -> str:
    corners = (corner(square, turned=turned) for square in squares)
    return "".join(f'<path transform="translate({x} {y})" d="{outline}"/>' for x, y in corners)


def _legend(marks: Mapping[str, Bitboard]) -> str:
    """The names of the sets beside their shapes."""
    lines = "".join(_legend_lines(marks))
    return f'<ul class="marks">{lines}</ul>\n' if lines else ""


def _legend_lines(marks: Mapping[str, Bitboard]) -> Iterator[str]:
    for number, (name, squares) in enumerate(marks.items()):
        shape = f'<svg viewBox="0 0 100 100" fill="none"><path {paint(number)} d="{MARKS[number][2]}"/></svg>'
        yield f"<li>{shape}{escape(name)}: {' '.join(squares.names()) or 'none'}</li>"


@lru_cache(1)
def _parts() -> tuple[str, str]:
    """The page's style and its script."""
    folder = Path(__file__).parent
    return tuple((folder / name).read_text(encoding="utf-8") for name in ("report.css", "report.js"))  # type: ignore[return-value]
