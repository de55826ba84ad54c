"""Matches as boards in a terminal."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from setwise.corpus.outputs.output import Matches
from setwise.view import draw
from setwise.view.diagram import one_line

if TYPE_CHECKING:
    from setwise.corpus.outputs.summary import MatchSummary
    from setwise.corpus.query.search import BatchResult

__all__ = ["Boards"]


class Boards(Matches):
    """Each match as a board with its sets marked, players, place and the move that was played."""

    name = "boards"
    is_drawn = True
    options = frozenset({"columns", "side"})

    def texts(self, result: BatchResult) -> Iterable[str]:
        """The boards of a batch."""
        from setwise.corpus.outputs.summary import summaries

        return map(self._board, summaries(result))

    def _board(self, match: MatchSummary) -> str:
        color = self.request.color
        board = draw(
            match.pieces, match.marks, color=color, unicode=color, side=match.side_below(self.request.side),
            last_move=match.last_squares, tints=match.tints,
        )  # fmt: skip
        values = one_line(", ".join(f"{name} = {value}" for name, value in match.values.items()))
        below = (match.caption if match.missed else f"next: {match.following}") + (f"    {values}" if values else "")
        return f"\n{one_line(match.players)}\n{one_line(match.place)}\n\n{board}\n\n{below}\n{match.fen}\n"
