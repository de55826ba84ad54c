"""The columns that every scan and every condition knows, and what computes them when somebody asks.

A column costs nothing unless it is asked for. ``white_pawns`` is a set, ``white_pawn_islands`` a feature, ``event`` a
tag; they are all entries of ``COLUMNS``, and the features enter by themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from setwise.errors import QueryError
from setwise.features import FEATURES, did_you_mean
from setwise.game.games import Games
from setwise.position.positions import Positions

__all__ = ["COLUMNS", "Column", "checked", "need_notes", "schema_of", "table_of"]

#: What computes a column.
Compute = Callable[[Positions], pa.Array]


class Column(NamedTuple):
    """A column's name, Arrow type, meaning in one line, and how it comes out of positions."""

    name: str
    type: pa.DataType
    meaning: str
    compute: Compute
    #: Whether it comes of what is noted beside the moves, which the reader keeps only when it is asked to.
    needs_notes: bool = False
    #: Whether its numbers are sets of squares.
    is_set: bool = False


#: All columns by name.
COLUMNS: dict[str, Column] = {}


def _column(name: str, kind: pa.DataType, meaning: str, compute: Compute) -> None:
    COLUMNS[name] = Column(name, kind, meaning, compute)


def _set_column(name: str, meaning: str, compute: Compute) -> None:
    COLUMNS[name] = Column(name, pa.int64(), meaning, compute, is_set=True)


def _signed(values: np.ndarray) -> pa.Array:
    """Sets and keys as SQL has them: the same 64 bits, signed."""
    return pa.array(np.ascontiguousarray(values).view(np.int64))


def _games(positions: Positions) -> Games:
    if positions.games is None:
        raise QueryError("these positions come from no games, so they have no players, moves or places")
    return positions.games


def _by_game(positions: Positions, values: pa.Array) -> pa.Array:
    """A value of each game, told once and pointed to by its positions."""
    # Parquet takes no null inside a dictionary: positions of games without a value point nowhere.
    missing = values.is_null().to_numpy(zero_copy_only=False)[positions.game] if values.null_count else None
    return pa.DictionaryArray.from_arrays(pa.array(positions.game, mask=missing), values.fill_null(""))


# ------------------------------------------------------------------------------------------- the place, move and text


def _source(positions: Positions) -> pa.Array:
    return pa.DictionaryArray.from_arrays(np.zeros(len(positions), np.int32), pa.array([_games(positions).source]))


def _game(positions: Positions) -> pa.Array:
    return pa.array(np.asarray(positions.game, np.int64) + _games(positions).first)


_TEXTS = pa.dictionary(pa.int32(), pa.string())
_column("source", _TEXTS, "the file that the game comes from", _source)
_column("game", pa.int64(), "the number of the game in its file, from 1", _game)
_column("ply", pa.int32(), "how many moves of either side were played before", lambda p: pa.array(p.ply))
_column("white_to_move", pa.bool_(), "whether White moves next", lambda p: pa.array(p.white_to_move))
_column("move", pa.string(), "the move played in this position (UCI); null at the end of the game", lambda p: p.uci())
_column("san", pa.string(), "the same in SAN", lambda p: p.san())
_column("fen", pa.string(), "the position as FEN", lambda p: p.fens())
_column(
    "key", pa.int64(), "the Polyglot key of the position, the same for whatever repeats it", lambda p: _signed(p.keys())
)
_column("halfmove_clock", pa.uint16(), "moves since a capture or a pawn's move", lambda p: pa.array(p.halfmove_clock))
_column("fullmove_number", pa.uint16(), "the number of the full move", lambda p: pa.array(p.fullmove_number))

# ------------------------------------------------------------------------------------------- what is noted beside moves


def _note(name: str) -> Compute:
    def compute(positions: Positions) -> pa.Array:
        games = _games(positions)
        move = games.move_offsets[positions.game] + positions.ply
        return getattr(games, name)().take(pa.array(move, mask=positions.moves == 0))

    return compute


for _name, _arrow, _method, _meaning in (
    ("clock", pa.float64(), "clocks", "the seconds on the mover's clock after the move played in this position"),
    ("elapsed", pa.float64(), "elapsed", "the seconds spent on the move played in this position"),
    (
        "evaluation",
        pa.int32(),
        "evaluations",
        "centipawns for White after the move; a mate in n is 32000 - n for White, n - 32000 for Black",
    ),
    ("nags", pa.list_(pa.uint8()), "nags", "the glyphs of the move, a list of NAGs: 1 to 6 are ! ? !! ?? !? ?!"),
    ("comment", pa.string(), "comments", "the comment on the move"),
):
    COLUMNS[_name] = Column(_name, _arrow, f"{_meaning}; null where there is none", _note(_method), needs_notes=True)

# ---------------------------------------------------------------------------------------------------------------- tags


def _tag(name: str) -> Compute:
    return lambda positions: _by_game(positions, _games(positions).tag(name))


def _number(name: str) -> Compute:
    def compute(positions: Positions) -> pa.Array:
        texts = _games(positions).tag(name)
        numbers = pc.if_else(pc.match_substring_regex(texts, r"^\d{1,9}$"), texts, None).cast(pa.int32())
        return numbers.take(pa.array(positions.game))

    return compute


def _result(positions: Positions) -> pa.Array:
    return _by_game(positions, pa.array(_games(positions).results, pa.string()))


for _name, _tag_name in (
    ("white_name", "White"), ("black_name", "Black"), ("event", "Event"), ("site", "Site"), ("date", "Date"),
    ("round", "Round"), ("eco", "ECO"), ("opening", "Opening"), ("time_control", "TimeControl"),
    ("termination", "Termination"), ("variant", "Variant"), ("white_title", "WhiteTitle"),
    ("black_title", "BlackTitle"),
    ("utc_date", "UTCDate"), ("utc_time", "UTCTime"),
):  # fmt: skip
    _column(_name, _TEXTS, f"the tag {_tag_name}", _tag(_tag_name))
for _name, _tag_name in (("white_elo", "WhiteElo"), ("black_elo", "BlackElo")):
    _column(_name, pa.int32(), f"the tag {_tag_name} as a number; null when it is none", _number(_tag_name))
_column("result", _TEXTS, "1-0, 0-1, 1/2-1/2 or *", _result)

# ---------------------------------------------------------------------------------------------------------------- sets


def _set(name: str) -> Compute:
    return lambda positions: _signed(getattr(positions, name))


def _men(colour: str, pieces: str) -> Compute:
    return lambda positions: _signed(getattr(positions, f"{colour}_pieces") & getattr(positions, pieces))


for _colour in ("white", "black"):
    _set_column(f"{_colour}_pieces", f"all of {_colour.title()}'s men, a set", _set(f"{_colour}_pieces"))
    for _pieces in ("pawns", "knights", "bishops", "rooks", "queens", "kings"):
        _name = "king" if _pieces == "kings" else _pieces
        _set_column(f"{_colour}_{_name}", f"{_colour.title()}'s {_name}, a set", _men(_colour, _pieces))
_set_column("castling_rights", "the rooks that may still castle, a set", _set("castling_rights"))
_set_column("en_passant", "the square that a pawn has just passed, a set", _set("en_passant"))

# ------------------------------------------------------------------------------------------------------------ features


def _feature(name: str, *, is_set: bool) -> Compute:
    if is_set:
        return lambda positions: _signed(positions.feature(name))
    return lambda positions: pa.array(positions.feature(name))


for _name, _found in FEATURES.items():
    _is_set = _found.returns.dtype == np.uint64
    _arrow = pa.int64() if _is_set else pa.from_numpy_dtype(_found.returns.dtype)
    _meaning = (_found.__doc__ or "").strip().split("\n")[0].removeprefix("Return ").rstrip(".")
    for _colour in ("white", "black"):
        _feature_name = f"{_colour}_{_name}"
        COLUMNS[_feature_name] = Column(
            _feature_name,
            _arrow,
            _meaning.replace("this side", _colour.title()),
            _feature(_feature_name, is_set=_is_set),
            is_set=_is_set,
        )


def checked(names: Iterable[str]) -> list[str]:
    """Return the names without repetition, or raise ``QueryError`` with the nearest names for an unknown one."""
    names = list(dict.fromkeys(names))
    for name in names:
        if name not in COLUMNS:
            raise QueryError(f"there is no column {name!r:.60}{did_you_mean(name, COLUMNS)}")
    return names


def need_notes(names: Iterable[str]) -> bool:
    """Return whether some of the columns come of what is noted beside the moves."""
    return any(COLUMNS[name].needs_notes for name in names)


def table_of(positions: Positions, names: Iterable[str]) -> pa.Table:
    """Return the asked columns of positions as an Arrow table."""
    return pa.table({name: COLUMNS[name].compute(positions) for name in names})


def schema_of(names: Iterable[str]) -> pa.Schema:
    """Return the Arrow schema of the asked columns."""
    return pa.schema([(name, COLUMNS[name].type) for name in names])
