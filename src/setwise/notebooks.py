"""Display of the results of ``find`` and ``sql`` in notebooks: boards for the first rows, then a table.

The extension is loaded when a notebook first uses ``setwise.find`` or ``setwise.sql``, or by
``%load_ext setwise.notebooks``. Other Arrow tables are displayed as usual.
"""

from __future__ import annotations

import sys
from typing import Any

import pyarrow as pa

from setwise.bitboard import Bitboard
from setwise.corpus.columns import MADE_HERE
from setwise.corpus.outputs.summary import first_of_each_name, is_set, plain
from setwise.position.position import Position
from setwise.view import board_svg
from setwise.view.diagram import MOST_SETS, beside, count, table

_BOARDS, _ROWS = 3, 10


def html_of(result: pa.Table) -> str | None:
    """Return a result of setwise as HTML, and None for any other table."""
    if not MADE_HERE.items() <= (result.schema.metadata or {}).items():
        return None
    first = result.slice(0, _ROWS)
    cells = [column.to_pylist() for column in plain(first, raw=False).columns]
    rows = list(zip(*cells, strict=True)) if cells else []
    caption = f"{count(result.num_rows, 'row')}, {count(result.num_columns, 'column')}"
    return beside(_boards(first.slice(0, _BOARDS))) + table(result.schema.names, rows, caption)


def _boards(rows: pa.Table) -> list[tuple[str, str]]:
    """Return the boards of some rows, on which the sets of these rows are marked, with the names of the players."""
    rows = first_of_each_name(rows)
    if "fen" not in rows.schema.names or not pa.types.is_string(rows.schema.field("fen").type):
        return []
    sets = [field.name for field in rows.schema if is_set(field)][:MOST_SETS]
    drawn = []
    for row in rows.to_pylist():
        if row["fen"] is None:
            continue
        position = Position(row["fen"], strict=False)
        marks = {name: Bitboard(row[name]) for name in sets if row[name] is not None}
        players = " – ".join(row[name] for name in ("white_name", "black_name") if row.get(name))
        drawn.append((board_svg(position, marks, size=240), players))
    return drawn


def load_ipython_extension(shell: Any) -> None:
    """Register the display of tables; ``%load_ext setwise.notebooks`` calls this."""
    shell.display_formatter.formatters["text/html"].for_type(pa.Table, html_of)


def load() -> None:
    """Register the display of tables if this is a notebook."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if shell is not None:
        load_ipython_extension(shell)
