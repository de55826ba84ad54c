"""The columns of scans and conditions; importing this package defines them all."""

from setwise.corpus.columns import boards, moves, notes, place
from setwise.corpus.columns.place import GAME_TAGS, POINTS, SIDED_TAGS, numbers, plies, years
from setwise.corpus.columns.registry import (
    COLUMNS,
    MADE_HERE,
    Column,
    checked,
    columns,
    need_notes,
    schema_of,
    table_of,
    values_of,
)

__all__ = [
    "COLUMNS", "GAME_TAGS", "MADE_HERE", "POINTS", "SIDED_TAGS", "Column", "boards", "checked", "columns", "moves",
    "need_notes", "notes", "numbers", "place", "plies", "schema_of", "table_of", "values_of", "years",
]  # fmt: skip
