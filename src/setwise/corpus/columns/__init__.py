"""The columns of scans and conditions; importing this package defines all of them.

A column has a name, an Arrow type, a meaning in one line, and a function that computes its values for a batch of
positions. A column costs nothing unless a query names it. ``registry`` has the definitions, and the other files define
columns by topic: ``boards``, ``moves``, ``place`` (with the tags), ``openings``, ``notes``, ``history``,
``variations``, ``chances``. A column is defined once; then conditions, scans, statements, Spark, the page and the help
all know it.
"""

from setwise.corpus.columns import boards, chances, history, moves, notes, openings, place, variations
from setwise.corpus.columns.chances import OF_TABLES
from setwise.corpus.columns.place import (
    GAME_TAGS,
    GAMES,
    MATCH_COLUMNS,
    OF_TAGS,
    PLACE,
    SIDED_TAGS,
    TABLE_COLUMNS,
    games_schema,
    games_table,
)
from setwise.corpus.columns.registry import (
    COLUMNS,
    EVALUATED,
    MADE_HERE,
    OF_SETS,
    PAST,
    Column,
    checked,
    columns,
    need_notes,
    schema_of,
    table_of,
    values_of,
)
from setwise.corpus.columns.variations import VARIATION_COLUMNS

__all__ = [
    "COLUMNS", "EVALUATED", "GAMES", "GAME_TAGS", "MADE_HERE", "MATCH_COLUMNS", "OF_SETS", "OF_TABLES", "OF_TAGS",
    "PAST", "PLACE", "SIDED_TAGS", "TABLE_COLUMNS", "VARIATION_COLUMNS", "Column",
    "boards", "chances", "checked",
    "columns", "games_schema", "games_table", "history", "moves", "need_notes", "notes", "openings", "place",
    "schema_of", "table_of", "values_of", "variations",
]  # fmt: skip
