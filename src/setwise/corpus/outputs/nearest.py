"""Positions near a given one as boards in a terminal, with what differs marked and in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from setwise.corpus.outputs.output import Rows
from setwise.view.diagram import one_line

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["NearestBoards"]


class NearestBoards(Rows):
    """Each position as a board, nearest first: players, place, the differing squares marked, the points of each."""

    name = "boards"
    is_drawn = True
    options = frozenset({"side"})

    def lines(self, table: pa.Table) -> bytes:
        """A board for each row."""
        return "".join(map(self._board, table.to_pylist())).encode()

    def _board(self, row: dict[str, Any]) -> str:
        from setwise.bitboard import Bitboard
        from setwise.position.position import Position
        from setwise.view import draw
        from setwise.view.captions import next_move, players

        pieces, turn, *_, number = row["fen"].split()
        mover = "white" if turn == "w" else "black"
        color = self.request.color
        board = draw(
            Position(pieces, strict=False), {"differs": Bitboard(row["differing_squares"])}, color=color, unicode=color,
            side=mover if self.request.side == "mover" else self.request.side or "white",
        )  # fmt: skip
        of_game = f"game {row['game']} of {row['source']}" if "game" in row else ""
        above = [players(row["white_name"], row["black_name"])] if "white_name" in row else []
        following = next_move(row.get("san"), number, white=mover == "white")
        points = f"distance {row['distance']}: {row['differences'] if row['distance'] else 'the same pieces'}"
        return "\n".join(
            ["", *map(one_line, [*above, of_game]), "", board, "", points, f"next: {following}", row["fen"], ""]
        )
