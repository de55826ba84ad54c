"""The tree of moves beside the board: its rows for the page, and trees that indexes have stored."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from setwise.corpus.query.move_tree import BY, Tally, position_of
from setwise.corpus.sources.kinds import resolved
from setwise.corpus.storage.layout import MANIFEST
from setwise.errors import QueryError

__all__ = ["rows_of", "stored_tree", "tally_of"]

#: The columns of a tree that the page shows.
_COLUMNS = ["san", "move", "games", "white", "draw", "black", "rating", "last_year"]


def tally_of(fen: str, by: str) -> Tally:
    """Return the empty counts of a tree.

    Raises:
        QueryError: the text is neither a FEN nor moves, or ``by`` is not an item of ``BY``.
    """
    if by not in BY:
        raise QueryError(f"a tree is by {' or by '.join(BY)}, not by {by:.40}")
    try:
        return Tally(position_of(fen), by)
    except ValueError as error:
        raise QueryError(str(error)) from None


def rows_of(tally: Tally) -> list[list[Any]]:
    """Return the rows of a tree, the most frequent move first."""
    return [[row[name] for name in _COLUMNS] for row in tally.table().to_pylist()]


def stored_tree(sources: Sequence[str], fen: str, by: str) -> dict[str, Any] | None:
    """Return the tree of a position that indexes have stored; None if some source is not an index.

    Then the games must be read. The sources are folders of indexes if they have one; other folders are not opened.
    """
    began = time.monotonic()
    if not sources or not all(Path(name, MANIFEST).is_file() for name in sources):
        return None
    tally = tally_of(fen, by)
    if not all(map(tally.add_stored, resolved(sources))):
        return None
    return {"type": "done", "rows": rows_of(tally), "stored": True, "seconds": round(time.monotonic() - began, 3)}
