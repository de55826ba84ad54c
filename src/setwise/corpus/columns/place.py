"""Columns of the place of a position, of the players and of tags."""

from __future__ import annotations

import operator
from collections.abc import Iterable

import numpy as np
import pyarrow as pa

from setwise.corpus.columns.registry import (
    COLUMNS,
    between,
    column,
    games_of,
    is_extra,
    known_ratings,
    one_of,
    plain_type,
)
from setwise.corpus.columns.registry import numbers as numbers_of
from setwise.features import COLOURS
from setwise.game.batch import Origin, Repair
from setwise.game.games import Fault
from setwise.position.positions import Positions
from setwise.system.packages import pc

# ------------------------------------------------------- columns of the place of a position, of the players and of tags


#: The columns that identify a position among its sources.
PLACE = ("source", "game", "ply")
#: The default columns of the matches of a search, and the default columns of a table of positions.
MATCH_COLUMNS = (*PLACE, "white_name", "black_name", "san", "fen")
TABLE_COLUMNS = (*PLACE, "white_name", "black_name", "white_to_move", "san", "fen", "result")

#: The columns of tags, with the name of the tag.
GAME_TAGS = {
    "event": "Event", "site": "Site", "date": "Date", "round": "Round", "eco": "ECO", "opening": "Opening",
    "time_control": "TimeControl", "termination": "Termination", "variant": "Variant", "utc_date": "UTCDate",
    "utc_time": "UTCTime",
}  # fmt: skip
#: The columns of tags of each player: the end of the tag's name, after White or Black, and whether it is a number.
SIDED_TAGS = {"name": ("", False), "elo": ("Elo", True), "title": ("Title", False)}
#: The column of each of these tags.
OF_TAGS = {tag: name for name, tag in GAME_TAGS.items()} | {
    f"{side.title()}{suffix}": f"{side}_{stem}" for stem, (suffix, _) in SIDED_TAGS.items() for side in COLOURS
}

#: White's points for each result; ``*`` has none.
POINTS = {"1-0": 1.0, "1/2-1/2": 0.5, "0-1": 0.0}


# --------------------------------------------------------------------------------------------------------------- place


def plies(counts: np.ndarray) -> pa.Array:
    """Return numbers of moves in the type of their columns; numbers that are too large become the type's maximum."""
    return numbers_of(np.minimum(counts, 2**15 - 1), pa.int16())


@column("ply")
def _ply(positions: Positions) -> pa.Array:
    games_of(positions)
    return plies(positions.ply)


column("game")(lambda games: numbers_of(games.numbers, pa.int32()))


@column("source", of_games=lambda games: pa.repeat(games.source, len(games)))
def _source(positions: Positions) -> pa.Array:
    return pa.DictionaryArray.from_arrays(np.zeros(len(positions), np.int32), pa.array([games_of(positions).source]))


# ---------------------------------------------------------------------------------------------------------------- tags


for _name, _tag in GAME_TAGS.items():
    column(_name)(operator.methodcaller("tag", _tag))


def numbers(texts: pa.Array) -> pa.Array:
    """Return texts as numbers below ten thousand; null for texts that are not such numbers."""
    are_numbers = pc.and_(pc.ascii_is_decimal(texts), pc.less_equal(pc.binary_length(texts), 4))
    return pc.if_else(are_numbers, texts, None).cast(pa.int16())


@column("year")
def _years(games: Origin) -> pa.Array:
    years = _years_of(games.tag("Date"))
    return years if not years.null_count else pc.coalesce(years, _years_of(games.tag("UTCDate")))


def _years_of(dates: pa.Array) -> pa.Array:
    """Return the first four digits of dates; null if there is a fifth digit."""
    has_fifth = pc.ascii_is_decimal(pc.utf8_slice_codeunits(dates, 4, 5))
    return numbers(pc.if_else(has_fifth, None, pc.utf8_slice_codeunits(dates, 0, 4)))


_RATING = between(1, 9999)._replace(sentence="it is a number, 1 to 9999, and null where it is unknown")


def _of_players(stem: str, suffix: str, number: bool) -> None:
    @column(f"{{side}}_{stem}", domain=_RATING if number else None)
    def values(games: Origin, side: str) -> pa.Array:
        texts = games.tag(side.title() + suffix)
        return known_ratings(numbers(texts)) if number else texts


for _stem, (_suffix, _number) in SIDED_TAGS.items():
    _of_players(_stem, _suffix, _number)


column("result", domain=one_of("results are", *POINTS, "*"))(lambda games: pa.array(games.results, pa.string()))

_OF_A_GAME = one_of("points are", *POINTS.values())


@column("{side}_points", domain=_OF_A_GAME)
def _points(games: Origin, side: str) -> pa.Array:
    rows = pc.index_in(pa.array(games.results, pa.string()), pa.array(list(POINTS)))
    white = pa.array(list(POINTS.values()), pa.float32()).take(rows)
    return white if side == "white" else pc.subtract(1, white).cast(pa.float32())


column("points", domain=_OF_A_GAME)(lambda games: _points(games, "white"))


# --------------------------------------------------------------------------------------------------- the table of games


#: The columns of games with their types: the length, the registered columns of games, and the fault at the game's end.
#: Texts have no dictionary, because they rarely repeat there.
GAMES = pa.schema(
    [
        ("plies", COLUMNS["ply"].type),
        *((name, plain_type(COLUMNS[name].type)) for name in COLUMNS.of_games()),
        ("fault", pa.string()),
    ]
)


def games_schema(names: Iterable[str]) -> pa.Schema:
    """Return the columns of games, and those among ``names`` that they have only on request."""
    return pa.schema([*GAMES, *((name, plain_type(COLUMNS[name].type)) for name in names if is_extra(name))])


def games_table(games: Origin, faults: Iterable[Fault], names: Iterable[str] = GAMES.names) -> pa.Table:
    """Return columns of the table of games, one row per game."""
    names = list(names)
    schema = games_schema(names)
    return pa.table({name: _of_games(games, faults, name).cast(schema.field(name).type) for name in names})


def _of_games(games: Origin, faults: Iterable[Fault], name: str) -> pa.Array:
    if hasattr(games, "held") and name in GAMES.names:  # a scan stores the table
        return games.held(name)
    if name == "plies":
        return plies(np.diff(games.move_offsets))
    if name == "fault":
        texts: list[str | None] = [None] * len(games)
        for fault in faults:
            if isinstance(fault, Repair):
                continue
            texts[fault.game - games.first] = f"{fault.token}: {fault.reason}"
        return pa.array(texts, pa.string())
    of_games = COLUMNS[name].of_games
    if of_games is None:
        raise KeyError(name)
    return of_games(games)
