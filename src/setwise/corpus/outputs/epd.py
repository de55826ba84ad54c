"""EPD records."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from setwise.corpus.outputs.output import Matches
from setwise.errors import InvalidEpd
from setwise.view.diagram import one_line

if TYPE_CHECKING:
    from setwise.corpus.query.search import BatchResult

__all__ = ["Epd"]


class Epd(Matches):
    """An EPD record for each match: the move that was played as ``sm``, players and place as the comment ``c0``.

    What an engine says is in ``bm``, its best move, and ``ce``, its centipawns for the side to move. The operations of
    a record that was read are written as they were; only other ones are added.
    """

    name = "epd"
    suffix = ".epd"

    def texts(self, result: BatchResult) -> Iterable[str]:
        """The records of a batch."""
        from setwise.corpus.columns import PLACE, table_of

        names = ["fen", "san", "white_name", "black_name", *PLACE]
        names += [name for name in result.beside or () if name not in names]
        matches = result.matches()
        names += [
            name for name in ("operations",) if matches.others is not None and name in matches.others.column_names
        ]
        return map(self._record, table_of(matches, names).to_pylist())

    @classmethod
    def _record(cls, row: dict[str, Any]) -> str:
        position = " ".join(row["fen"].split()[:4])
        given, known = _operations(position, row.get("operations"))
        best, score = row.get("engine_best"), row.get("engine_evaluation")
        added = {"sm": row["san"] or None, "bm": best, "ce": score, "c0": cls._comment(row)}
        if best is None or score is None:
            del added["bm"], added["ce"]
        elif row["fen"].split()[1] == "b":
            added["ce"] = -score
        written = [f"{name} {value};" for name, value in added.items() if value is not None and name not in known]
        return f"{' '.join([position, *given, *written])}\n"

    @staticmethod
    def _comment(row: dict[str, Any]) -> str:
        """The players and the place, in quotes."""
        named = row["white_name"] or row["black_name"]
        players = f"{row['white_name'] or '?'} - {row['black_name'] or '?'}, " if named else ""
        comment = f"{players}{row['source']} game {row['game']} ply {row['ply']}".replace('"', "'").replace("\\", "/")
        return json.dumps(one_line(comment), ensure_ascii=False)


def _operations(position: str, text: Any) -> tuple[list[str], Iterable[str]]:
    """The operations of a record that was read, as they were written, and their names; nothing if they are none."""
    from setwise.notation.epd import parse_epd

    text = text.strip() if isinstance(text, str) else ""
    try:
        names = parse_epd(f"{position} {text}")[1]
    except InvalidEpd:
        return [], ()
    return ([text if text.endswith(";") else f"{text};"] if names else []), names
