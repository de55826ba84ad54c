"""Questions about the form of the search and the table of games, answered in the long-lived processes."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

from setwise import catalogue
from setwise.corpus.language import names
from setwise.web import forms, game_table
from setwise.web import game_table as move_trees
from setwise.web.limits import NonNegative

__all__ = ["condition", "games", "like", "players", "questions", "scores", "stored_tree", "understand"]

#: How many rows of a table one answer has.
_MOST_ROWS = 500


def condition(*, form: dict[str, str]) -> dict[str, str]:
    """Return the condition that a form stands for."""
    return {"where": forms.condition(form)}


def understand(tables: Path | None, *, text: str, table: str = "") -> dict[str, Any]:
    """Return what a text typed into the search means."""
    return forms.understood(text, functools.partial(game_table.is_player, tables, table))


def like(*, fen: str, what: str, either_colour: bool = False, either_wing: bool = False) -> dict[str, str]:
    """Return the condition for positions like one on the board."""
    return {"where": names.like(fen, what, either_colour=either_colour, either_wing=either_wing)}


def questions(*, text: str) -> dict[str, Any]:
    """Return the questions that have these words, as ``setwise questions`` lists them, and pages that explain them."""
    found = [{"asks": it.asks, "text": it.text} for it in catalogue.questions(text) if not it.variations]
    return {"questions": found, "pages": [[it.title, it.address] for it in catalogue.guides(text)]}


def games(
    tables: Path | None,
    *,
    table: str,
    text: str = "",
    sort: str = "",
    descending: bool = False,
    offset: NonNegative = 0,
    limit: NonNegative = 100,
) -> dict[str, Any]:
    """Return a page of the table of games."""
    return game_table.page_of(tables, table, text, sort, descending, offset, min(limit, _MOST_ROWS))


def players(
    tables: Path | None,
    *,
    table: str,
    text: str = "",
    sort: str = "games",
    descending: bool = True,
    offset: NonNegative = 0,
    limit: NonNegative = 100,
) -> dict[str, Any]:
    """Return a page of the players of the games."""
    return game_table.players_of(tables, table, text, sort, descending, offset, min(limit, _MOST_ROWS))


def scores(tables: Path | None, *, table: str, text: str = "", player: str = "", by: str = "eco") -> dict[str, Any]:
    """Return the results of the games by groups, with intervals."""
    return game_table.scores_of(tables, table, text, player, by)


def stored_tree(
    sources: list[str], *, fen: str, by: str = "move", player: str = "", side: str = "", where: str = "",
    source: int = -1,
) -> dict[str, Any] | None:  # fmt: skip
    """Return the tree of a position as the last line of its search, if indexes have stored it; else None."""
    if player.strip() or side or where.strip():
        return None
    return move_trees.stored_tree(sources if source < 0 else sources[source : source + 1], fen, by)
