"""Where a position stands, who plays, what the tags say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from setwise.corpus.columns.registry import COLUMNS, TEXTS, by_game, column, games_of, pointed, sided_column, tag_column
from setwise.position.positions import Positions

__all__ = ["GAME_TAGS", "POINTS", "SIDED_TAGS", "chosen", "numbers", "plies", "points", "years"]

#: The tags that have columns under names of their own.
GAME_TAGS = {
    "event": "Event", "site": "Site", "date": "Date", "round": "Round", "eco": "ECO", "opening": "Opening",
    "time_control": "TimeControl", "termination": "Termination", "variant": "Variant", "utc_date": "UTCDate",
    "utc_time": "UTCTime",
}  # fmt: skip
#: Those of each player: what stands behind White or Black, and whether it is a number.
SIDED_TAGS = {"name": ("", False), "elo": ("Elo", True), "title": ("Title", False)}

#: What White has of a result; ``*`` is no points.
POINTS = {"1-0": 1.0, "1/2-1/2": 0.5, "0-1": 0.0}


def chosen(
    positions: Positions, side: str, white: pa.Array, black: pa.Array, rows: np.ndarray | None = None
) -> pa.Array:
    """One side's values, from what White and Black have in each game (or in the row that ``rows`` gives)."""
    rows = positions.game if rows is None else rows
    if side in {"white", "black"}:
        values = white if side == "white" else black
    else:
        values = pa.concat_arrays([white, black])
        rows = np.where(positions.white_to_move == (side == "own"), rows, rows + len(white)).astype(np.int32)
    return pointed(rows, values) if pa.types.is_string(values.type) else values.take(pa.array(rows))


# --------------------------------------------------------------------------------------------------------------- place


def plies(counts: np.ndarray) -> pa.Array:
    """Return numbers of moves as columns have them: what is more than the type holds is the most that it holds."""
    return pa.array(np.minimum(counts, 2**15 - 1).astype(np.int16))


@column("ply", pa.int16(), "how many moves of either side were played before")
def _ply(positions: Positions) -> pa.Array:
    games_of(positions)
    return plies(positions.ply)


@column("game", pa.int32(), "the number of the game in its file, from 1")
def _game(positions: Positions) -> pa.Array:
    return pa.array(positions.game + np.int32(games_of(positions).first))


@column("source", TEXTS, "the file that the game comes from")
def _source(positions: Positions) -> pa.Array:
    return pa.DictionaryArray.from_arrays(np.zeros(len(positions), np.int32), pa.array([games_of(positions).source]))


# ---------------------------------------------------------------------------------------------------------------- tags


for _name, _tag in GAME_TAGS.items():
    column(_name, TEXTS, f"the tag {_tag}")(tag_column(_tag).compute)


def numbers(texts: pa.Array) -> pa.Array:
    """Texts as numbers below ten thousand; null where they are none."""
    are_numbers = pc.and_(pc.ascii_is_decimal(texts), pc.less_equal(pc.binary_length(texts), 4))
    return pc.if_else(are_numbers, texts, None).cast(pa.int16())


def years(games: Any) -> pa.Array:
    """Return the year of each game, by the tag Date or else UTCDate; null where both tell none."""
    found = numbers(pc.utf8_slice_codeunits(games.tag("Date"), 0, 4))
    if not found.null_count:
        return found
    return pc.coalesce(found, numbers(pc.utf8_slice_codeunits(games.tag("UTCDate"), 0, 4)))


def points(games: Any) -> pa.Array:
    """Return what White has of each game."""
    rows = pc.index_in(pa.array(games.results, pa.string()), pa.array(list(POINTS)))
    return pa.array(list(POINTS.values()), pa.float32()).take(rows)


@column(
    "year", pa.int16(), "the year of the tag Date, or else of UTCDate; null when they tell none", needs="date utc_date"
)
def _year(positions: Positions) -> pa.Array:
    return years(games_of(positions)).take(pa.array(positions.game))


def _of_players(stem: str, behind: str, number: bool) -> None:
    meaning = f"the tag White{behind} or Black{behind} of {{side}}" + (
        ", a number; null when it is none" if number else ""
    )

    @sided_column(stem, pa.int16() if number else TEXTS, meaning)
    def values(positions: Positions, side: str) -> pa.Array:
        games = games_of(positions)
        white, black = (games.tag(colour + behind) for colour in ("White", "Black"))
        return chosen(positions, side, *((numbers(white), numbers(black)) if number else (white, black)))


for _stem, (_behind, _number) in SIDED_TAGS.items():
    _of_players(_stem, _behind, _number)


@column("result", TEXTS, "1-0, 0-1, 1/2-1/2 or *: the tag, or where that says nothing what ends the moves")
def _result(positions: Positions) -> pa.Array:
    return by_game(positions, pa.array(games_of(positions).results, pa.string()))


@column(
    "points",
    pa.float32(),
    "what White has of the game: 1, 0.5 or 0; null for a game without result",
    needs="result",
)
def _points(positions: Positions) -> pa.Array:
    return COLUMNS["white_points"].compute(positions)


@sided_column(
    "points",
    pa.float32(),
    "what {side} has of the game: 1, 0.5 or 0; null for a game without result",
    needs="result",
)
def _sided_points(positions: Positions, side: str) -> pa.Array:
    white = points(games_of(positions))
    return chosen(positions, side, white, pc.subtract(1, white).cast(pa.float32()))
