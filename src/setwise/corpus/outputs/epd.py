"""EPD records."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from setwise.corpus.outputs.output import Matches
from setwise.view.diagram import one_line

if TYPE_CHECKING:
    from setwise.corpus.query.search import BatchResult

__all__ = ["Epd"]


class Epd(Matches):
    """An EPD record for each match: the move that was played as ``sm``, players and place as the comment ``c0``.

    What an engine says is in ``bm``, its best move, and ``ce``, its centipawns for the side to move.
    """

    name = "epd"
    suffix = ".epd"

    def texts(self, result: BatchResult) -> Iterable[str]:
        """The records of a batch."""
        from setwise.corpus.columns import PLACE, table_of

        names = ["fen", "san", "white_name", "black_name", *PLACE]
        names += [name for name in result.beside or () if name not in names]
        return map(self._record, table_of(result.matches(), names).to_pylist())

    @staticmethod
    def _record(row: dict[str, Any]) -> str:
        played = f"sm {row['san']}; " if row["san"] else ""
        best, score = row.get("engine_best"), row.get("engine_evaluation")
        if best is not None and score is not None:
            played += f"bm {best}; ce {score if row['fen'].split()[1] == 'w' else -score}; "
        named = row["white_name"] or row["black_name"]
        players = f"{row['white_name'] or '?'} - {row['black_name'] or '?'}, " if named else ""
        comment = f"{players}{row['source']} game {row['game']} ply {row['ply']}".replace('"', "'").replace("\\", "/")
        comment = one_line(comment)
        return f"{' '.join(row['fen'].split()[:4])} {played}c0 {json.dumps(comment, ensure_ascii=False)};\n"
