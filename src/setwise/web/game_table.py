"""The table of games, the tree and scores that the workbench shows beside the board.

A separate process reads the tags and writes the file (``searching``). The processes that answer questions map the file
into memory, so that all of them share one copy. A text is stored as its number in a sorted dictionary: sorting compares
numbers, and a filter reads each text once.
"""

from __future__ import annotations

import functools
import re
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from setwise.corpus.query.move_tree import BY as TREE_BY
from setwise.corpus.query.move_tree import Tally, position_of
from setwise.corpus.sources.kinds import resolved
from setwise.corpus.storage.layout import MANIFEST
from setwise.errors import QueryError
from setwise.system.packages import pc
from setwise.web.markup import head

# ------------------------------------------- scores of groups of games, with the intervals in which the true score lies


#: The 97.5th percentile of the normal distribution: an interval contains the true score in 95 of 100 cases.
_Z = 1.959964
#: The columns that rows of an answer must have to be scores of groups.
_GAMES, _SCORE = "games", "score"
_NO_NAMES = {_GAMES, _SCORE, "fen"}
#: The most groups that are drawn.
_MOST = 40


def _interval(score: float, games: int) -> dict[str, float]:
    middle = (score + _Z**2 / (2 * games)) / (1 + _Z**2 / games)
    half = _Z / (1 + _Z**2 / games) * (score * (1 - score) / games + _Z**2 / (4 * games**2)) ** 0.5
    return {"low": round(max(0.0, middle - half), 4), "high": round(min(1.0, middle + half), 4)}


def scores_in(answer: pa.Table) -> list[dict[str, Any]] | None:
    """Return the scores of groups with their intervals, if the rows of an answer are scores of groups; else None.

    They are scores of groups if a column ``games`` has counts, a column ``score`` has values from 0 to 1, other columns
    name the groups, and no two columns have the same name.

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


# -------------------------------------------------------------------------------- the table of the games of the sources


#: The columns of the table of games, first its texts; the names of both players share a dictionary.
TEXTS = ("white_name", "black_name", "result", "date", "eco", "event")
NUMBERS = ("white_elo", "black_elo", "year", "plies")
SHOWN = ("white_name", "white_elo", "black_name", "black_elo", "result", "date", "eco", "event", "plies")
#: The columns that locate a game: the number of its source, the number of the game there, and its ``origin_of``.
PLACE = ("source", "game", "of")
_PLACED = (*PLACE, *SHOWN)
#: The texts that a filter searches.
_SEARCHED = ("white_name", "black_name", "event", "eco", "date", "result")
PLAYERS_SHOWN = ("name", "games", "won", "drawn", "lost", "score", "elo", "last")
_POINTS = {"1-0": 2, "1/2-1/2": 1, "0-1": 0}
_KEY = re.compile(r"[0-9a-f]{24}")
_GONE = "the table of games is not here any more: reload the page"


# ------------------------------------------------------------------------------------------------------------ questions


class _Games(NamedTuple):
    """A table whose columns are arrays of numbers; texts are numbers in a sorted dictionary, −1 for a missing text."""

    numbers: dict[str, np.ndarray]
    texts: dict[str, pa.StringArray]
    rows: int


@functools.lru_cache(4)
def _opened(path: str) -> _Games:
    with pa.memory_map(path) as file:
        table = pa.ipc.open_file(file).read_all()
    numbers: dict[str, np.ndarray] = {}
    texts: dict[str, pa.StringArray] = {}
    for name in table.column_names:
        chunks = table[name].chunks
        column = chunks[0] if chunks else pa.array([], table[name].type)
        if name in TEXTS:
            texts[name] = column.dictionary
            column = column.indices
        numbers[name] = column.fill_null(-1).to_numpy(zero_copy_only=False)
    return _Games(numbers, texts, table.num_rows)


def _games(folder: Path | None, table: str) -> _Games:
    path = None if folder is None or not _KEY.fullmatch(table) else folder / f"{table}.arrow"
    if path is None or not path.exists():
        raise QueryError(_GONE)
    return _opened(str(path))


def summary_of(path: Path) -> dict[str, Any]:
    """Return the numbers of games and players in the file of a table, and the first and the last year."""
    games = _opened(str(path))
    years = games.numbers["year"][games.numbers["year"] > 0]
    return {
        "games": games.rows,
        "players": len(games.texts["white_name"]) - int(pc.index(games.texts["white_name"], "?").as_py() >= 0),
        "years": [int(years.min()), int(years.max())] if len(years) else None,
    }


def is_player(folder: Path | None, table: str, text: str) -> bool:
    """Return whether a text consists of whole words of a player's name in the table; False if there is no table."""
    try:
        names = _games(folder, table).texts["white_name"]
    except QueryError:
        return False
    words = [re.escape(word) for word in re.split(r"[\s,]+", text) if word]
    matches = pa.repeat(bool(words), len(names))
    for word in words:
        pattern = rf"(^|[^\pL\pN]){word}($|[^\pL\pN])"
        matches = pc.and_(matches, pc.match_substring_regex(names, pattern, ignore_case=True))
    return bool(pc.any(matches).as_py())


def _has_words(texts: pa.StringArray, words: str) -> pa.BooleanArray:
    """For each text whether it has all the words; upper and lower case are equal."""
    matches = pa.repeat(True, len(texts))
    for word in re.split(r"[\s,]+", words):
        matches = pc.and_(matches, pc.match_substring(texts, word, ignore_case=True))
    return matches


def _rows(games: _Games, text: str) -> np.ndarray | None:
    """The rows whose texts have all the words; each word may be in any column. None stands for all rows."""
    rows: np.ndarray | None = None
    for word in re.split(r"[\s,]+", text.strip()):
        if not word:
            continue
        hit = np.zeros(games.rows, np.bool_)
        for name in _SEARCHED:
            flags = pc.match_substring(games.texts[name], word, ignore_case=True).to_numpy(zero_copy_only=False)
            if flags.any():
                hit |= np.append(flags, False)[games.numbers[name]]
        rows = hit if rows is None else rows & hit
    return None if rows is None else np.flatnonzero(rows)


@functools.lru_cache(8)
def _ordered(path: Path, table: str, text: str, sort: str, descending: bool) -> np.ndarray | None:
    """The rows that a filter keeps, sorted; None stands for all rows in the order of the file."""
    games = _games(path, table)
    rows = _rows(games, text)
    if not sort:
        return rows
    values = (games.numbers[sort] if rows is None else games.numbers[sort][rows]).astype(np.int32)
    keys = np.where(values < 0, np.iinfo(np.int32).max, -values if descending else values)  # missing values come last
    order = np.argsort(keys, kind="stable")
    return order if rows is None else rows[order]


def page_of(
    folder: Path | None, table: str, text: str, sort: str, descending: bool, offset: int, limit: int
) -> dict[str, Any]:
    """Return the rows of a page of games, and how many rows all pages have."""
    games = _games(folder, table)
    if sort and sort not in SHOWN:
        raise QueryError(f"games are sorted by {' '.join(SHOWN)}, not by {sort:.40}")
    chosen = _ordered(folder, table, text, sort, descending)
    count = games.rows if chosen is None else len(chosen)
    rows = np.arange(offset, min(count, offset + limit)) if chosen is None else chosen[offset : offset + limit]
    values = [_values(games, name, rows) for name in (*PLACE, *SHOWN)]
    return {
        "columns": heads(),
        "all": count,
        "rows": [list(map(legible, _PLACED, row)) for row in zip(*values, strict=True)],
    }


def heads() -> list[dict[str, Any]]:
    """Return the heads of the table of games."""
    short = {f"{side}_elo": {"title": "Rating"} for side in ("white", "black")}  # it stands beside the player
    return [head(name, number=name in NUMBERS) | short.get(name, {}) for name in SHOWN]


def legible(name: str, value: Any) -> Any:
    """Return a value of the table of games as people write it: ½–½, a date without question marks, no address.

    >>> legible("date", "1985.10.??"), legible("event", "Rated game https://lichess.org/x"), legible("result", "1-0")
    ('1985.10', 'Rated game', '1–0')
    """
    if value is None:
        return None
    if name == "result":
        return {"1/2-1/2": "½–½", "*": ""}.get(value, value.replace("-", "–"))
    if name == "date":
        return re.sub(r"[.?]+$", "", value).replace(".??", "")
    return re.sub(r"\s*https?://\S+", "", value) if name == "event" else value


def _values(games: _Games, name: str, rows: np.ndarray) -> list[Any]:
    numbers = games.numbers[name][rows].tolist()
    if name in games.texts:
        texts = games.texts[name]
        return [None if number < 0 else texts[number].as_py() for number in numbers]
    return [None if number < 0 else number for number in numbers]


@functools.lru_cache(4)
def _players(folder: Path, table: str) -> dict[str, np.ndarray]:
    """The sums of each player, by the number of the name."""
    games = _games(folder, table)
    count = len(games.texts["white_name"])
    codes = np.array([_POINTS.get(text, -9) for text in games.texts["result"].to_pylist()] + [-9])
    points = codes[games.numbers["result"]]
    sums = {name: np.zeros(count, np.int64) for name in PLAYERS_SHOWN[1:5]}
    elo, last = np.full(count, -1), np.full(count, -1)
    for side, won in (("white", 2), ("black", 0)):
        names = games.numbers[f"{side}_name"]
        known = names >= 0
        for kind, flags in (
            ("games", known),
            ("won", points == won),
            ("drawn", points == 1),
            ("lost", points == 2 - won),
        ):
            sums[kind] += np.bincount(names[known & flags], minlength=count)
        np.maximum.at(elo, names[known], games.numbers[f"{side}_elo"][known])
        np.maximum.at(last, names[known], games.numbers["year"][known])
    ended = sums["won"] + sums["drawn"] + sums["lost"]
    shares = np.rint(1000 * (sums["won"] + sums["drawn"] / 2) / np.maximum(ended, 1)).astype(int)
    score = np.where(ended > 0, shares, -1)
    return {"name": np.arange(count), **sums, "score": score, "elo": elo, "last": last}


def players_of(
    folder: Path | None, table: str, text: str, sort: str, descending: bool, offset: int, limit: int
) -> dict[str, Any]:
    """Return a page of the players: their games, results, score, highest rating and last year."""
    games = _games(folder, table)
    if sort not in PLAYERS_SHOWN:
        raise QueryError(f"players are sorted by {' '.join(PLAYERS_SHOWN)}, not by {sort:.40}")
    columns = _players(folder, table)
    names = games.texts["white_name"]
    hit = _has_words(names, text).to_numpy(zero_copy_only=False) & (columns["games"] > 0)
    rows = np.flatnonzero(hit)
    values = columns[sort][rows]
    rows = rows[np.argsort(np.where(values < 0, 1 << 40, -values if descending else values), kind="stable")]
    shown = [columns[name][rows[offset : offset + limit]].tolist() for name in PLAYERS_SHOWN]
    listed = [
        [names[first].as_py(), *(None if it < 0 else it for it in rest)] for first, *rest in zip(*shown, strict=True)
    ]
    for row in listed:
        row[5] = None if row[5] is None else f"{row[5] / 10:.1f} %"
    return {"columns": [head(it, number=it != "name") for it in PLAYERS_SHOWN], "all": len(rows), "rows": listed}


# ----------------------------------------------------------------------------------- the tree of moves beside the board


#: The columns of a tree that the page shows.
_COLUMNS = ["san", "move", "games", "white", "draw", "black", "rating", "last_year"]


def tally_of(fen: str, by: str) -> Tally:
    """Return the empty counts of a tree.

    Raises:
        QueryError: the text is neither a FEN nor moves, or ``by`` is not an item of ``BY``.
    """
    if by not in TREE_BY:
        raise QueryError(f"a tree is by {' or by '.join(TREE_BY)}, not by {by:.40}")
    try:
        return Tally(position_of(fen), by)
    except ValueError as error:
        raise QueryError(str(error)) from None


def tree_of(tally: Tally) -> dict[str, Any]:
    """Return the heads and the rows of a tree, the most frequent move first; its results are three columns of a row."""
    heads = [head(it, number=it not in {"san", "results"}) for it in ("san", "games", "results", "rating", "last_year")]
    return {"columns": heads, "rows": [[row[name] for name in _COLUMNS] for row in tally.table().to_pylist()]}


def stored_tree(sources: Sequence[str], fen: str, by: str) -> dict[str, Any] | None:
    """Return the tree of a position that indexes have stored; None if some source is not an index.

    If the result is None, the games must be read. Only folders that have a manifest are opened.
    """
    began = time.monotonic()
    if not sources or not all(Path(name, MANIFEST).is_file() for name in sources):
        return None
    tally = tally_of(fen, by)
    query = tally.query(None, None)
    if not all(tally.add_stored(source, query.on(source)) for source in resolved(sources)):
        return None
    return {"type": "done", **tree_of(tally), "stored": True, "seconds": round(time.monotonic() - began, 3)}
