"""A page of matches in one file: boards with marks and arrows, a click through each game, links; no requests."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape
from typing import IO, Any

import numpy as np

from setwise.corpus.formats import FORMATS
from setwise.corpus.outputs.output import Asked, Matches
from setwise.corpus.outputs.summary import Told, told
from setwise.corpus.query.search import Found
from setwise.view.diagram import one_line
from setwise.view.viewer import Scene, article, changes_of, head, legend, tail

__all__ = ["Html"]

#: A game on Lichess, as its exports name it.
_LICHESS = re.compile(r"https://lichess\.org/\w{8}(?=\w{0,4}\Z)")


class Html(Matches):
    """A page that stands alone: no other file, no request to any place."""

    format = FORMATS["html"]

    def __init__(self, file: IO[bytes], asked: Asked) -> None:
        self.count = 0
        super().__init__(file, asked)

    def head(self) -> bytes:
        """All but the matches."""
        title = self.asked.where or "positions"
        return head(title, heading=f"<h1><code>{_text(title)}</code></h1>\n").encode()

    def texts(self, found: Found) -> Iterable[str]:
        """The matches of a batch."""
        return (self._match(found, match) for match in told(found))

    def tail(self) -> bytes:
        """How many there are, and what moves the pieces."""
        matches = "1 match" if self.count == 1 else f"{self.count:,} matches"
        return tail(f"<p>{matches}</p>\n").encode()

    def _match(self, found: Found, match: Told) -> str:
        self.count += 1
        values = "".join(f"<dt>{_text(name)}</dt><dd>{_text(it)}</dd>" for name, it in match.values.items())
        link, where = _link(match)
        scene = Scene(
            one_line(match.players), one_line(match.place), pieces=match.pieces, marks=match.marks,
            last_move=match.last_squares, move=match.move, side=match.turned(self.asked.side), ply=match.ply,
            **_game(found, match),
        )  # fmt: skip
        below = (
            f'<p class="next">{_text(match.following)}</p>\n{legend(match.marks)}'
            f"{f'<dl>{values}</dl>' if values else ''}"
            f'<p><code>{_text(match.fen)}</code> <a href="{escape(link)}" rel="noreferrer">{where}</a></p>\n'
        )
        return article(scene, below, name=f"match-{self.count}")


def _text(value: object) -> str:
    """A value as text of a page, in one line."""
    return escape(one_line(str(value)))


def _link(match: Told) -> tuple[str, str]:
    """The game on Lichess where it was played there, else the position there."""
    if (game := _LICHESS.match(match.site or "")) is not None:
        return f"{game[0]}{'' if match.white_to_move else '/black'}#{match.ply}", "the game on Lichess"
    return f"https://lichess.org/analysis/{match.fen.replace(' ', '_')}", "analyse on Lichess"


def _game(found: Found, match: Told) -> dict[str, Any]:
    """The pieces at the start, the squares that change with every move, and the moves."""
    if not found.batch.is_of_games:
        return {"start": match.pieces, "first": match.ply}
    begin = match.row - match.ply
    plies = int(np.diff(found.games.move_offsets[match.game : match.game + 2])[0])
    positions = found.positions[begin : begin + plies + 1]
    drawn = positions.piece_strings()
    return {
        "start": drawn[0], "changes": changes_of(drawn), "moves": positions.san().to_pylist()[:plies],
        "number": int(positions.fullmove_number[0]), "white": bool(positions.white_to_move[0]),
    }  # fmt: skip
