"""What a player misses, in numbers and as a picture."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from html import escape
from typing import Any

import pyarrow as pa

from setwise.exercises.exercise import Exercise
from setwise.exercises.training import Training

__all__ = ["picture", "report"]

#: Bands of ratings, and of seconds left, each up to its number.
_RATINGS = 200
_SECONDS = {"under 10 s": 10, "10 to 30 s": 30, "30 to 60 s": 60, "1 to 5 min": 300, "5 min or more": float("inf")}
_PHASES = ("opening", "middlegame", "endgame")


def report(training: Training) -> pa.Table:
    """Return how often chances were missed, by motif, by the opponent's rating, by phase, and by the time left.

    The columns are ``by`` (motif, rating, phase, time), ``value``, ``missed``, and ``games``: the number of games of
    that rating, or of all; null for a phase and for a time.
    """
    rows = [
        *_rows("motif", _motifs(training.missed), len(training.games)),
        *_ratings(training),
        *_rows("phase", _in_order(_PHASES, (it.row["phase"] for it in training.missed)), None),
        *_rows("time", _in_order(_SECONDS, (_time(it.row["own_clock"]) for it in training.missed)), None),
    ]
    schema = pa.schema([("by", pa.string()), ("value", pa.string()), ("missed", pa.int32()), ("games", pa.int32())])
    return pa.Table.from_pylist(rows, schema)


def _rows(by: str, counts: Mapping[str, int], games: int | None) -> list[dict[str, Any]]:
    return [{"by": by, "value": value, "missed": count, "games": games} for value, count in counts.items()]


def _motifs(missed: Iterable[Exercise]) -> dict[str, int]:
    """The kinds of forks by their pieces, all other motifs by their kind; the most frequent first."""
    named = (it.motifs[1] if it.motifs[0] == "fork" else it.motifs[0] for it in missed)
    return dict(Counter(named).most_common())


def _in_order(names: Iterable[str], found: Iterable[str | None]) -> dict[str, int]:
    counts = Counter(found)
    return {name: counts[name] for name in names if counts[name]}


def _time(seconds: float | None) -> str | None:
    return None if seconds is None else next(name for name, limit in _SECONDS.items() if seconds < limit)


def _band(rating: int | None) -> str | None:
    return None if rating is None else f"{(low := rating // _RATINGS * _RATINGS)}–{low + _RATINGS - 1}"


def _ratings(training: Training) -> list[dict[str, Any]]:
    """Chances missed against each band of ratings, with the number of games against it."""
    part = (training.player or "").lower()
    opponents = [
        _band(row[f"{other}_elo"])
        for row in training.games
        for side, other in (("white", "black"), ("black", "white"))
        if part in (row[f"{side}_name"] or "").lower()
    ]
    games, missed = Counter(opponents), Counter(_band(it.row["enemy_elo"]) for it in training.missed)
    bands = sorted((band for band in {*games, *missed} if band), key=lambda band: int(band.split("–")[0]))
    return [{"by": "rating", "value": band, "missed": missed[band], "games": games[band]} for band in bands]


_TITLES = {
    "motif": "What was missed", "rating": "Against which ratings (missed a game)", "phase": "In which phase",
    "time": "With how much time left",
}  # fmt: skip
_ROW, _LEFT, _WIDTH = 22, 150, 560


def picture(training: Training, title: str = "Missed chances") -> str:
    """Return the report as an SVG: a bar for each number, from zero, with the number behind it."""
    rows = report(training).to_pylist()
    parts, y = [], 34
    for by, heading in _TITLES.items():
        section = [row for row in rows if row["by"] == by]
        if not section:
            continue
        parts.append(f'<text x="8" y="{y + 15}" font-weight="bold">{heading}</text>')
        y += _ROW
        values = [_value(row) for row in section]
        for row, (size, text) in zip(section, values, strict=True):
            length = (_WIDTH - _LEFT - 150) * size / (max(it[0] for it in values) or 1)
            parts.append(
                f'<text x="{_LEFT - 6}" y="{y + 15}" text-anchor="end">{escape(row["value"])}</text>'
                f'<rect x="{_LEFT}" y="{y + 4}" width="{length:.1f}" height="14" fill="#3f6fb5"/>'
                f'<text x="{_LEFT + length + 6:.1f}" y="{y + 15}">{text}</text>'
            )
            y += _ROW
        y += 8
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {y}" width="{_WIDTH}" height="{y}" '
        f'font-family="system-ui, sans-serif" font-size="13"><title>{escape(title)}</title>'
        f'<rect width="100%" height="100%" fill="#fff"/><text x="8" y="22" font-size="16">{escape(title)}</text>'
        f"{''.join(parts)}</svg>\n"
    )


def _value(row: Mapping[str, Any]) -> tuple[float, str]:
    """The length of a bar, and its text."""
    if row["by"] != "rating":
        return row["missed"], str(row["missed"])
    each = row["missed"] / row["games"] if row["games"] else 0
    return each, f"{each:.2f} ({row['missed']} in {row['games']})"
