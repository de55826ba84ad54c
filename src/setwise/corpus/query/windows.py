"""The windows of statements: ``over game``, ``over line`` and ``over so_far``."""

from __future__ import annotations

import re

from setwise.errors import QueryError

__all__ = ["windowed"]

_OVER = re.compile(r"\bover\s+(game|line|so_far)\b(?=(?:[^']*'[^']*')*[^']*\Z)", re.IGNORECASE)
_SO_FAR = "over (partition by source, game order by ply)"
_WHOLE = "over (partition by source, {} order by ply rows between unbounded preceding and unbounded following)"


def windowed(statement: str, *, variations: bool) -> str:
    """Return a statement with windows of SQL for those of the language.

    Without variations, a line is the whole game.

    Raises:
        QueryError: with variations, for a window that does not say which line of a game it means.
    """

    def window(over: re.Match[str]) -> str:
        word = over[1].lower()
        if variations and word != "line":
            raise QueryError(f"a game with variations has many lines: write `over line`, not `{over[0]}`")
        return _SO_FAR if word == "so_far" else _WHOLE.format("game, line" if variations else "game")

    return _OVER.sub(window, statement)
