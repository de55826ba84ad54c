"""Matches as an HTML page in one file: boards with marks and arrows, games to click through, links; no requests."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape
from typing import IO, TYPE_CHECKING, Any

from setwise.corpus.outputs.output import Matches, Request
from setwise.view.diagram import one_line
from setwise.view.viewer import Scene, article, changes_of, head, legend, tail

if TYPE_CHECKING:
    from setwise.corpus.outputs.summary import MatchSummary
    from setwise.corpus.query.search import BatchResult
    from setwise.position.positions import Positions

__all__ = ["Html"]

#: A game on Lichess, as its exports name it.
_LICHESS = re.compile(r"https://lichess\.org/\w{8}(?=\w{0,4}\Z)")


class Html(Matches):
    """A self-contained page: it needs no other files and makes no requests."""

    name = "html"
    suffix = ".html"
    title = "HTML"
    media_type = "text/html; charset=utf-8"
    options = frozenset({"columns", "side"})

    def __init__(self, file: IO[bytes], request: Request) -> None:
        self.count = 0
        super().__init__(file, request)

    def head(self) -> bytes:
        """The page up to the first match."""
        title = self.request.where or "positions"
        return head(title, heading=f"<h1><code>{_text(title)}</code></h1>\n").encode()

    def texts(self, result: BatchResult) -> Iterable[str]:
        """The matches of a batch."""
        from setwise.corpus.outputs.summary import summaries

        return (self._match(result, match) for match in summaries(result))

    def tail(self) -> bytes:
        """The number of matches, and the script that moves the pieces."""
        matches = "1 match" if self.count == 1 else f"{self.count:,} matches"
        return tail(f"<p>{matches}</p>\n").encode()

    def _match(self, result: BatchResult, match: MatchSummary) -> str:
        self.count += 1
        values = "".join(f"<dt>{_text(name)}</dt><dd>{_text(it)}</dd>" for name, it in match.values.items())
        link, where = _link(match)
        scene = Scene(
            one_line(match.players), one_line(match.place), pieces=match.pieces, marks=match.marks,
            last_move=match.last_squares, arrows=match.arrows, side=match.side_below(self.request.side), ply=match.ply,
            **_game(result, match),
        )  # fmt: skip
        below = (
            f'<p class="next">{_text(match.caption)}</p>\n{legend(match.marks)}'
            f"{f'<dl>{values}</dl>' if values else ''}"
            f'<p><code>{_text(match.fen)}</code> <a href="{escape(link)}" rel="noreferrer">{where}</a></p>\n'
        )
        return article(scene, below, name=f"match-{self.count}")


def _text(value: object) -> str:
    """A value as HTML text, in one line."""
    return escape(one_line(str(value)))


def _link(match: MatchSummary) -> tuple[str, str]:
    """The address of the game if it was played on Lichess, else of the position on Lichess's analysis board."""
    if (game := _LICHESS.match(match.site or "")) is not None:
        return f"{game[0]}{'' if match.white_to_move else '/black'}#{match.ply}", "the game on Lichess"
    return f"https://lichess.org/analysis/{match.fen.replace(' ', '_')}", "analyse on Lichess"


def _line(result: BatchResult, match: MatchSummary) -> Positions:
    """The positions of the game, or of the line of variation that a match is in, from the start of the game."""
    if result.positions.node is not None:
        from setwise.game.trees import line_through

        return line_through(result.positions, match.row)
    begin = match.row - match.ply
    first, end = result.games.move_offsets[match.game : match.game + 2]
    return result.positions[begin : begin + int(end) - int(first) + 1]


def _game(result: BatchResult, match: MatchSummary) -> dict[str, Any]:
    """The pieces at the start of the game, the squares that each move changes, and the moves."""
    if not result.batch.is_of_games:
        return {"start": match.pieces, "first": match.ply}
    positions = _line(result, match)
    plies = len(positions) - 1
    drawn = positions.piece_strings()
    return {
        "start": drawn[0], "changes": changes_of(drawn), "moves": positions.san().to_pylist()[:plies],
        "number": int(positions.fullmove_number[0]), "white": bool(positions.white_to_move[0]),
    }  # fmt: skip
