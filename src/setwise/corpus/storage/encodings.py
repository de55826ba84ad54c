"""The encodings of the columns of scans in Parquet, and which columns have no nulls.

Bytes and nanoseconds of one core for each position, measured on 1,262,196 positions of master games, compressed by
zstd at level 1, at -2, or by LZ4, without statistics and without nulls; the chosen encoding is in bold:

| column | dictionary | plain | plain -2 | plain, LZ4 | deltas |
|---|---|---|---|---|---|
| `white_pawns` | 1.09, 17 | **0.58, 14** | 0.73, 9 | 1.12, 9 | 0.87, 27 |
| `white_knights` | 0.34, 10 | 0.42, 9 | **0.48, 7** | 0.69, 5 | 0.66, 24 |
| `black_bishops` | 0.31, 10 | 0.40, 9 | 0.50, 7; **at -4 0.48, 6** | 0.62, 4 | 0.66, 24 |
| `white_rooks` | 0.38, 10 | **0.36, 9** | 0.64, 8 | 0.70, 5 | 0.76, 24 |
| `white_queens` | **0.19, 8** | 0.30, 8 | 0.49, 7 | 0.44, 3 | 0.54, 20 |
| `white_king` | **0.13, 7** | 0.16, 6 | 0.30, 5 | 0.38, 3 | 0.37, 14 |
| `castling_rights` | 0.06, 7 | 0.20, 9 | 0.90, 8 | **0.27, 3** | 0.26, 19 |
| `en_passant` | 0.13, 9 | **0.17, 6** | 0.29, 6 | 0.39, 3 | 0.51, 19 |
| `halfmove_clock` | 0.27, 15 | 0.46, 10 | 0.58, 10 | 0.99, 5 | **0.39, 8** |
| `ply` | 0.11, 8 | 0.09, 4 | 0.11, 4 | **0.14, 2** | 0.12, 7 |
| `fullmove_number` | 0.10, 8 | 0.16, 6 | 0.23, 4 | **0.14, 1** | 0.12, 10 |
| `key` | 7.27, 35 | 6.68, 15 | 6.73, 12 | **6.84, 10** | 7.96, 24 |
| `white_pawn_islands` | 0.07, 7 | **0.11, 5** | 0.13, 5 | 0.26, 2 | 0.10, 7 |
| `move`, a text | 1.38, 12; **at -2 1.38, 10** | 1.96, 35 | 2.53, 36 | 2.95, 25 | – |

LZ4 for all columns would halve the time, but pieces and moves would take more than eight additional bytes; only columns
that are also small with LZ4 use it. `move` is a text that people can read; its dictionary is built once per batch.
Statistics cost 3 ns per column, 35 ns for a text, and are written only for ``game``, whose rows are in order. The
encoding "byte stream split" is good for small numbers, but Spark's fast reader does not support it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from setwise.compiler import Move, entry
from setwise.compiler.kinds import int32, int64, reads, uint16, uint64, void, writes
from setwise.corpus.columns import COLUMNS, OF_TABLES, PLACE, values_of
from setwise.corpus.columns.registry import MADE, is_of_lines, meaning_of
from setwise.errors import SourceError
from setwise.features import COLOURS, FEATURES, SIDES
from setwise.game.batch import GamePositions, Origin
from setwise.patterns.bits import EIGHT, ONE, SIX, THREE
from setwise.rules.board import NULL, NULL_MOVE, SQUARE_MASK, TWELVE, kind_of, origin_of, target_of, turned
from setwise.system.packages import pq
from setwise.version import __version__

# --------------------------------------------------------------------- the encodings of the columns of scans in Parquet


#: The sets that repeat often enough for a dictionary, and the numbers that do not; counts need no dictionary either.
_REPEATED = frozenset(f"{side}_{pieces}" for side in SIDES for pieces in ("queens", "king"))
_PLAIN = frozenset(("key", "game", "ply", "fullmove_number"))
#: Other encodings than the default; columns that LZ4 compresses about as well in half the time; zstd levels except 1.
_ENCODINGS = {"halfmove_clock": "DELTA_BINARY_PACKED"}
_LZ4 = frozenset((*_PLAIN, "castling_rights"))
_LEVELS = {
    "move": -2,
    **{f"{side}_{pieces}": level for side in SIDES for pieces, level in (("knights", -2), ("bishops", -4))},
}
#: How all files of a store are written.
_CHECKED: dict[str, Any] = {"store_schema": False, "write_page_checksum": True}
#: How many rows are encoded at once, and the bytes of a page: Arrow's defaults, 1,024 and a megabyte, take 15 % longer.
_PAGES = {**_CHECKED, "write_batch_size": 1 << 16, "data_page_size": 1 << 22}
#: Columns of games that every position has.
_ALWAYS = frozenset((*PLACE, "white_to_move"))
#: Columns with statistics: from the limits of a row group, readers decide whether to read it.
_IN_ORDER = ("game",)


#: The key in a file's metadata whose value says for each row group whether all of its games begin at the usual
#: position.
_STARTS = "setwise.usual_starts"


def with_usual_starts(file: Any, flags: list[bool]) -> None:
    """Record in a file that is being written whether all games of each row group begin at the usual position."""
    file.add_key_value_metadata({_STARTS: json.dumps([int(flag) for flag in flags])})


def usual_starts(metadata: pq.FileMetaData) -> list[bool]:
    """Return the flags that ``with_usual_starts`` recorded; an empty list for older scans and other programs."""
    recorded = (metadata.metadata or {}).get(_STARTS.encode())
    return [] if recorded is None else list(map(bool, json.loads(recorded)))


#: The key in a file's metadata whose value has the meanings of its columns that are not the first.
_MEANINGS = "setwise.meanings"


def outdated_in(metadata: pq.FileMetaData, names: Iterable[str]) -> Iterator[str]:
    """Yield the columns of a file that mean something else now; names of no column mean what they meant."""
    recorded = json.loads((metadata.metadata or {}).get(_MEANINGS.encode(), b"{}"))
    for name in names:
        meaning = meaning_of(name)
        if meaning is None or (meaning and recorded.get(name) != meaning):
            yield name


def packed_schema(schema: pa.Schema, source_columns: Mapping[str, pa.DataType]) -> pa.Schema:
    """Return the schema with columns without nulls marked; ``source_columns`` are columns of the source itself."""
    return pa.schema([field.with_nullable(_may_be_missing(field.name, source_columns)) for field in schema])


def _may_be_missing(name: str, source_columns: Mapping[str, pa.DataType]) -> bool:
    """Whether a column can have nulls: columns of boards have none, except texts, lists and exact ends."""
    if name in source_columns or name not in COLUMNS:
        return True
    has_all = COLUMNS[name].of_boards and pa.types.is_primitive(COLUMNS[name].type) and name not in OF_TABLES
    return name not in _ALWAYS and not has_all


def writer(place: str | os.PathLike[str], schema: pa.Schema) -> Any:
    """Return a writer of Parquet.

    Arrow's own schema is not stored: with it, dictionary-encoded texts would be read as categories, which cannot be
    joined with texts.
    """
    names = schema.names
    file = pq.ParquetWriter(
        os.fspath(place), schema, **_PAGES,
        compression={name: "lz4" if name in _LZ4 else "zstd" for name in names},
        compression_level={name: _LEVELS.get(name, 1) for name in names if name not in _LZ4} or None,
        use_dictionary=[*filter(_has_dictionary, names)], write_statistics=[it for it in names if it in _IN_ORDER],
        column_encoding={name: kind for name, kind in _ENCODINGS.items() if name in names} or None,
    )  # fmt: skip
    if meanings := {name: meaning for name in names if (meaning := meaning_of(name))}:
        file.add_key_value_metadata({_MEANINGS: json.dumps(meanings)})
    return file


def _has_dictionary(name: str) -> bool:
    if name not in COLUMNS:
        return True
    column = COLUMNS[name]
    if column.is_set:
        return name in _REPEATED
    is_count = column.of_boards and column.type == pa.int16()
    return name not in _PLAIN and name not in _ENCODINGS and not is_count


# --------------------------------------------------------------------------------------------------------- packed games


PACKED_VERSION = 1
_KEY = b"setwise.packed_games"
#: The columns that are not tags, with their types.
PACKED_COLUMNS = pa.schema(
    {
        "moves": pa.binary(), "ends": pa.string(), "fault": pa.string(), "header": pa.binary(),
        "annotations": pa.list_(pa.string()),
    }
)  # fmt: skip
#: Tags that decide how moves are read; a packed file always has their columns.
SETUP = ("Variant", "SetUp", "FEN")
#: Level 9 of zstd takes 6 % less space than level 3, and is equally fast to read.
_LEVEL = 9


# --------------------------------------------------------------------------------------------------------------- moves

_FOURTEEN = np.uint64(14)


@entry(void, reads(int64), reads(uint16), writes(uint16))
def pack_moves(offsets: np.ndarray, moves: np.ndarray, words: np.ndarray) -> None:
    """Write the two bytes of every move; ``offsets`` has the index of each game's first move, and the end."""
    for game in range(offsets.size - 1):
        for n in range(offsets[game], offsets[game + 1]):
            move: Move = np.uint64(moves[n])
            if (n - offsets[game]) & 1 and move != NULL_MOVE:
                move = turned(move)
            kind = kind_of(move)
            words[n] = np.uint16(
                origin_of(move) | (kind & THREE) << SIX | target_of(move) << EIGHT | kind >> ONE >> ONE << _FOURTEEN
            )


@entry(void, reads(int64), reads(uint16), writes(uint16))
def unpack_moves(offsets: np.ndarray, words: np.ndarray, moves: np.ndarray) -> None:
    """Write the moves of two bytes each, the reverse of ``pack_moves``."""
    for game in range(offsets.size - 1):
        for n in range(offsets[game], offsets[game + 1]):
            word = np.uint64(words[n])
            kind = word >> SIX & THREE | word >> _FOURTEEN << ONE << ONE
            move: Move = word & SQUARE_MASK | (word >> EIGHT & SQUARE_MASK) << SIX | (kind & np.uint64(7)) << TWELVE
            if (n - offsets[game]) & 1:
                move = turned(move)
            moves[n] = np.uint16(NULL_MOVE if kind == NULL else move)


# --------------------------------------------------------------------------------------------------------------- files


def schema_of(tags: Iterable[str]) -> pa.Schema:
    """Return the schema of a file with columns for these tags, and for the tags that decide how moves are read."""
    names = list(dict.fromkeys([*tags, *SETUP]))
    kinds = {name: pa.string() for name in names}
    stored = json.dumps({"version": PACKED_VERSION})
    return pa.schema([*kinds.items(), *PACKED_COLUMNS]).with_metadata({_KEY: stored.encode()})


def is_packed(metadata: Mapping[bytes, bytes] | None, name: str) -> bool:
    """Return whether a Parquet file is a file of packed games, according to its metadata.

    Raises:
        SourceError: for a version that cannot be read.
    """
    stored = (metadata or {}).get(_KEY)
    if stored is None:
        return False
    try:
        version = json.loads(stored)["version"]
    except (ValueError, TypeError, KeyError):
        version = None
    if version != PACKED_VERSION:
        raise SourceError(
            f"{name} has packed games of version {version}, and this setwise reads version {PACKED_VERSION}: "
            "read it with the setwise that packed it, or pack the games again"
        )
    return True


def packed_writer(place: Any, schema: pa.Schema) -> Any:
    """Return a writer of Parquet for packed games."""
    texts = [name for name in schema.names if schema.field(name).type == pa.string()]
    return pq.ParquetWriter(
        place, schema, compression="zstd", compression_level=_LEVEL, use_dictionary=texts, write_statistics=texts,
        column_encoding={"moves": "DELTA_LENGTH_BYTE_ARRAY"}, write_page_checksum=True,
    )  # fmt: skip


# ------------------------------------------------------------------------------------------ the sorted runs of an index


def _fields(**kinds: pa.DataType) -> pa.Schema:
    return pa.schema([pa.field(name, kind, nullable=False) for name, kind in kinds.items()])


ROWS = _fields(key=pa.uint64(), source_number=pa.uint32(), game=pa.int32(), ply=pa.int32(), code=pa.uint16())
OUTCOMES = _fields(points=pa.int8(), white_elo=pa.int16(), black_elo=pa.int16(), year=pa.int16())

#: The sums over games: the number of games, and of each result. For each colour: how many games have a rating of this
#: player, and the sum of these ratings; the same two sums over the games with a result; and in these games, how many
#: White won minus how many White lost. At the end, the latest year, or -1.
SUMS = (
    "games", "white", "draw", "black",
    "white_rated", "white_ratings", "white_faced", "white_faced_ratings", "white_balance",
    "black_rated", "black_ratings", "black_faced", "black_faced_ratings", "black_balance",
    "last_year",
)  # fmt: skip
TREE = pa.schema(
    [
        pa.field("key", pa.uint64(), nullable=False), pa.field("code", pa.uint16()),
        *(pa.field(name, pa.int64(), nullable=False) for name in SUMS),
    ]
)  # fmt: skip
#: Sums are stored for a position with at least this many rows in a run; for fewer rows they take only a millisecond.
FREQUENT = 4096

#: About how many row groups a file has; the smallest and largest number of rows in one. A search for a key reads one
#: row group of each file.
_GROUPS, _SMALL, _LARGE = 512, 1 << 14, 1 << 18


# --------------------------------------------------------------------------------------------------------------- sums


def outcomes_of(games: Origin) -> np.ndarray:
    """Return the outcome of each game, a row of ``OUTCOMES``: (n, 4) int16."""
    points = COLUMNS["points"].of_games(games).to_numpy(zero_copy_only=False)  # type: ignore[misc]
    others = (COLUMNS[name].of_games(games) for name in OUTCOMES.names[1:])  # type: ignore[misc]
    columns = (column.fill_null(-1).to_numpy(zero_copy_only=False) for column in others)
    return np.stack([np.where(np.isnan(points), -1, 2 * points), *columns], 1).astype(np.int16)


def sums_of(outcomes: np.ndarray, groups: np.ndarray, count: int) -> np.ndarray:
    """Return the sums over groups of games.

    Args:
        outcomes: a row of ``OUTCOMES`` for each game.
        groups: the group of each game, from 0.
        count: the number of groups.

    Returns:
        The sums ``SUMS`` of each group: (count, 15) int64.
    """
    points, white, black, year = outcomes.astype(np.int64).T
    has_points = points >= 0
    weights = {"games": np.ones(len(points)), "white": points == 2, "draw": points == 1, "black": points == 0}
    for side, elo in (("white", white), ("black", black)):
        is_rated = elo > 0  # an unknown rating is negative; in older indexes it is 0
        is_faced = is_rated & has_points
        weights |= {
            f"{side}_rated": is_rated, f"{side}_ratings": np.where(is_rated, elo, 0),
            f"{side}_faced": is_faced, f"{side}_faced_ratings": np.where(is_faced, elo, 0),
            f"{side}_balance": np.where(is_faced, points - 1, 0),
        }  # fmt: skip
    out = np.zeros((count, len(SUMS)), np.int64)
    for column, name in enumerate(SUMS[:-1]):
        out[:, column] = np.bincount(groups, weights[name], count)
    out[:, -1] = -1
    np.maximum.at(out[:, -1], groups, year)
    return out


def added(sums: np.ndarray, more: np.ndarray) -> np.ndarray:
    """Return the sums over the games of both arrays, which must have no game in common."""
    total = sums + more
    total[..., -1] = np.maximum(sums[..., -1], more[..., -1])
    return total


# --------------------------------------------------------------------------------------------------------------- files


def group_size(rows: int) -> int:
    """Return how many rows a row group has in a run with this number of rows.

    >>> group_size(1_000_000), group_size(34_000_000)
    (16384, 66406)
    """
    return min(max(rows // _GROUPS, _SMALL), _LARGE)


def runs_writer(place: str | os.PathLike[str], schema: pa.Schema) -> Any:
    """Return a writer of Parquet for a file of a run."""
    others, has_keys = [name for name in schema.names if name != "key"], "key" in schema.names
    return pq.ParquetWriter(
        os.fspath(place), schema, **_PAGES, compression_level=dict.fromkeys(others, 1),
        compression={"key": "none"} | dict.fromkeys(others, "zstd") if has_keys else "zstd",
        use_dictionary=["source_number"] if "source_number" in others else False,
        column_encoding={"key": "DELTA_BINARY_PACKED"} if has_keys else None,
        write_statistics=["key"] if has_keys else False,
    )  # fmt: skip


# --------------------------------------------------------------------------------------- bitmaps of columns in an index


#: The column with the numbers of the games.
GAME = "game"
_PACKAGE = "setwise."


def without_movers(name: str) -> tuple[str, ...]:
    """Return White's and Black's columns for an own or enemy column, and only the column itself for any other.

    >>> without_movers("enemy_pinned"), without_movers("is_check")
    (('white_pinned', 'black_pinned'), ('is_check',))
    """
    side, _, stem = name.partition("_")
    return tuple(f"{colour}_{stem}" for colour in COLOURS) if side in {"own", "enemy"} else (name,)


def has_bitmap(name: str) -> bool:
    """Return whether an index can have a bitmap of a column.

    A column can have a bitmap if setwise itself computes it from the position or the move: truths, numbers, sets, and
    texts that can be null. Columns that are the same for a whole game, annotations, exact ends and features of users
    have no bitmaps: an index does not notice if the definition of a feature or the tablebases of a machine change.

    >>> has_bitmap("white_pinned"), has_bitmap("mate_pattern"), has_bitmap("white_elo"), has_bitmap("fen")
    (True, True, False, False)
    """
    if name not in COLUMNS or name.startswith(MADE) or is_of_lines(name) or without_movers(name) != (name,):
        return False
    column, stem = COLUMNS[name], name.partition("_")[2]
    if name.startswith(tuple(COLOURS)) and stem in FEATURES:
        return FEATURES[stem].definition.__module__.startswith(_PACKAGE)
    if column.of_games is not None or column.needs_notes or name in _WITHOUT:
        return False
    return pa.types.is_boolean(column.type) or pa.types.is_integer(column.type) or pa.types.is_dictionary(column.type)


#: Columns of the place of a position, the key (by which an index finds it in any case), and columns of tablebases.
_WITHOUT = frozenset(("source", "game", "ply", "key", *OF_TABLES))


def version_of(columns: Iterable[str]) -> str:
    """Return the version that the log records for bitmaps of columns: of setwise, and of each column defined anew."""
    return " ".join((__version__, *(f"{name}:{meaning}" for name in columns if (meaning := meaning_of(name)) != "")))


def bitmap(positions: GamePositions, name: str) -> np.ndarray:
    """Return for each game of a batch whether a column has a value in one of its positions."""
    values = values_of(positions, name)
    if pa.types.is_dictionary(values.type):
        has_value = values.is_valid().to_numpy(zero_copy_only=False)
    else:
        nothing = pa.scalar(0).cast(values.type)
        has_value = values.fill_null(nothing).to_numpy(zero_copy_only=False).astype(np.bool_)
    games = np.zeros(len(positions.games), np.bool_)
    games[positions.game[has_value]] = True
    return games


def write(place: str | os.PathLike[str], table: pa.Table) -> None:
    """Write a file of bitmaps."""
    pq.write_table(
        table, os.fspath(place), row_group_size=max(table.num_rows, 1), **_CHECKED, compression="zstd",
        use_dictionary=False, column_encoding={GAME: "DELTA_BINARY_PACKED"}, write_statistics=False,
    )  # fmt: skip


# --------------------------------------------------------- sorting by keys that are spread evenly, as Polyglot keys are


#: The average number of keys that share their leading bits.
_SHARED = 8


def in_order(keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return keys in ascending order, and the row of each key before sorting: uint64 and int32.

    >>> in_order(np.array([7, 1, 7, 0], np.uint64))
    (array([0, 1, 7, 7], dtype=uint64), array([3, 1, 0, 2], dtype=int32))
    """
    ordered, rows = np.empty(len(keys), np.uint64), np.empty(len(keys), np.int32)
    if not len(keys):
        return ordered, rows
    least = int(keys.min())
    shift = max((int(keys.max()) - least).bit_length() - max(len(keys) // _SHARED, 1).bit_length(), 0)
    places = np.zeros(((int(keys.max()) - least) >> shift) + 2, np.int64)
    _order(keys, np.uint64(least), np.uint64(shift), places, ordered, rows)
    return ordered, rows


@entry(void, reads(uint64), uint64, uint64, writes(int64), writes(uint64), writes(int32))
def _order(
    keys: np.ndarray, least: np.uint64, shift: np.uint64, places: np.ndarray, ordered: np.ndarray, rows: np.ndarray
) -> None:
    """Write keys in ascending order, and their rows; ``places`` has a zero for each leading value, and one more."""
    for k in range(keys.size):
        places[np.uint64(np.uint64(1) + (keys[k] - least >> shift))] += 1
    for k in range(1, places.size):
        places[k] += places[k - 1]
    for k in range(keys.size):
        leading = np.uint64(keys[k] - least >> shift)
        place = places[leading]
        ordered[place], rows[place] = keys[k], k
        places[leading] = place + 1
    for k in range(1, keys.size):
        key, row, place = ordered[k], rows[k], k
        while place > 0 and ordered[place - 1] > key:
            ordered[place], rows[place] = ordered[place - 1], rows[place - 1]
            place -= 1
        ordered[place], rows[place] = key, row
