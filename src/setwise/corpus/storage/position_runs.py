"""The sorted runs of an index: every position of some games by its key, and how these games ended.

A run has three files of Parquet:

- in ``positions``, a row for each position, sorted by ``key``: the number of the source in the manifest, ``game`` and
  ``ply`` of the position, and ``code``, the 16 bits of the move played (``ROWS``);
- in ``outcomes``, a row for each game, part by part: White's points in halves, the ratings, the year, each -1 where it
  is not known (``OUTCOMES``);
- in ``tree``, only for merged runs, the sums over the games of a position that occurs ``FREQUENT`` times or more: a row
  for each move, and one without ``code`` for all games with the position (``TREE``). Other positions are summed from
  their rows.

The key is stored as differences: 5.2 bytes for 3 million positions, 8 as it is. The other columns are compressed by
zstd.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pyarrow as pa

from setwise.corpus.columns import COLUMNS
from setwise.game.provenance import Origin
from setwise.system.arrow import pq

__all__ = [
    "FREQUENT", "OUTCOMES", "ROWS", "SUMS", "TREE", "VERSION", "added", "group_size", "outcomes_of", "sums_of",
    "version_of", "writer",
]  # fmt: skip

#: Changes with anything that an older reader would misread.
VERSION = 1


def _fields(**kinds: pa.DataType) -> pa.Schema:
    return pa.schema([pa.field(name, kind, nullable=False) for name, kind in kinds.items()])


ROWS = _fields(
    key=pa.uint64(), source_number=pa.uint32(), game=pa.int32(), ply=pa.int32(), code=pa.uint16()
)  # fmt: skip
OUTCOMES = _fields(points=pa.int8(), white_elo=pa.int16(), black_elo=pa.int16(), year=pa.int16())

#: The sums over games: how many, with which results; for each colour how many have a rating and the sum of these;
#: the same over the games with a result, and how many of these White won less those lost; last the latest year, or -1.
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
#: How often a position occurs in a run whose sums are stored; from so few rows they are computed in a millisecond.
FREQUENT = 4096

#: Row groups: about so many in a file, each with so many rows; a search for a key reads one of each file.
_GROUPS, _SMALL, _LARGE = 512, 1 << 14, 1 << 18


def version_of(version: int = VERSION) -> str:
    """Return what the manifest of an index has as its version.

    >>> version_of()
    'index 1'
    """
    return f"index {version}"


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
        count: how many groups there are.

    Returns:
        The sums ``SUMS`` of each group: (count, 15) int64.
    """
    points, white, black, year = outcomes.astype(np.int64).T
    has_points = points >= 0
    weights = {"games": np.ones(len(points)), "white": points == 2, "draw": points == 1, "black": points == 0}
    for side, elo in (("white", white), ("black", black)):
        is_rated = elo > 0  # an unknown rating is negative, and was 0 in indexes of former versions
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
    """Return the sums over the games of both, which must have no game in common."""
    total = sums + more
    total[..., -1] = np.maximum(sums[..., -1], more[..., -1])
    return total


# --------------------------------------------------------------------------------------------------------------- files


def group_size(rows: int) -> int:
    """Return how many rows a row group has in a run of so many rows.

    >>> group_size(1_000_000), group_size(34_000_000)
    (16384, 66406)
    """
    return min(max(rows // _GROUPS, _SMALL), _LARGE)


def writer(place: str | os.PathLike[str], schema: pa.Schema) -> Any:
    """Return a writer of Parquet for a file of a run."""
    others = [name for name in schema.names if name != "key"]
    return pq.ParquetWriter(
        os.fspath(place),
        schema,
        compression={"key": "none"} | dict.fromkeys(others, "zstd") if "key" in schema.names else "zstd",
        compression_level=dict.fromkeys(others, 1),
        use_dictionary=["source_number"] if "source_number" in others else False,
        column_encoding={"key": "DELTA_BINARY_PACKED"} if "key" in schema.names else None,
        write_statistics=["key"] if "key" in schema.names else False,
        write_batch_size=1 << 16,
        data_page_size=1 << 22,
        store_schema=False,
        write_page_checksum=True,
    )
