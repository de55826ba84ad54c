"""Scores of groups of games, with the intervals in which the true score lies."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

__all__ = ["score_of", "scores_in"]

#: The 97.5th percentile of the normal distribution: intervals hold the true score in 95 of 100 cases.
_Z = 1.959964
#: The columns by which the rows of an answer are scores of groups, and the columns that are no part of a group's name.
_GAMES, _SCORE = "games", "score"
_NO_NAMES = {_GAMES, _SCORE, "fen"}
#: So many groups are drawn at most.
_MOST = 40


def score_of(label: str, won: int, drawn: int, lost: int) -> dict[str, Any]:
    """Return the counts of a group, its score, and Wilson's interval of the score.

    Example:
        >>> score_of(" 2000–2099", 1, 2, 1)
        {'label': '2000–2099', 'games': 4, 'won': 1, 'drawn': 2, 'lost': 1, 'score': 0.5, 'low': 0.15, 'high': 0.85}
    """
    games = won + drawn + lost
    counts = {"won": won, "drawn": drawn, "lost": lost}
    score = (won + drawn / 2) / games
    return {"label": label.strip(), "games": games, **counts, "score": round(score, 4), **_interval(score, games)}


def _interval(score: float, games: int) -> dict[str, float]:
    middle = (score + _Z**2 / (2 * games)) / (1 + _Z**2 / games)
    half = _Z / (1 + _Z**2 / games) * (score * (1 - score) / games + _Z**2 / (4 * games**2)) ** 0.5
    return {"low": round(max(0.0, middle - half), 4), "high": round(min(1.0, middle + half), 4)}


def scores_in(answer: pa.Table) -> list[dict[str, Any]] | None:
    """Return the scores of groups with their intervals, if the rows of an answer are some; else None.

    They are if a column ``games`` counts, a column ``score`` is between 0 and 1, and other columns name the groups; no
    two columns have the same name.

    Example:
        >>> rows = pa.table({"phase": ["endgame"], "games": [4], "score": [0.5], "fen": ["8/8/8/8/8/8/8/8 w - - 0 1"]})
        >>> scores_in(rows)
        [{'label': 'endgame', 'games': 4, 'score': 0.5, 'low': 0.15, 'high': 0.85}]
        >>> scores_in(rows.drop("games"))
    """
    names = [it for it in answer.column_names if it not in _NO_NAMES]
    known = {*answer.column_names}
    if not names or not known >= {_GAMES, _SCORE} or len(known) < answer.num_columns:
        return None
    rows = answer.slice(0, _MOST).to_pylist()
    if not rows or not all(_is_score(row) for row in rows):
        return None
    return [
        {
            "label": " · ".join("none" if row[it] is None else str(row[it]) for it in names),
            "games": row[_GAMES], "score": round(float(row[_SCORE]), 4), **_interval(float(row[_SCORE]), row[_GAMES]),
        }
        for row in rows
    ]  # fmt: skip


def _is_score(row: dict[str, Any]) -> bool:
    games, score = row[_GAMES], row[_SCORE]
    is_number = isinstance(score, (int, float)) and not isinstance(score, bool)
    return isinstance(games, int) and games > 0 and is_number and 0 <= score <= 1
