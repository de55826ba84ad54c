"""Many positions as Arrow tables, read and written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from setwise.errors import InvalidFen, did_you_mean
from setwise.rules.moves import LAST_CLOCK
from setwise.rules.state import SETS, State

if TYPE_CHECKING:
    from setwise.position.positions import Positions

__all__ = ["EXTRA_COLUMNS", "PLAIN_COLUMNS", "checked_clocks", "columns_of", "to_arrow"]


#: The columns of a position besides its sets, and those that positions of games have, with their types.
PLAIN_COLUMNS = State._fields[len(SETS) :]
EXTRA_COLUMNS: dict[str, type] = {"moves": np.uint16, "game": np.int32, "ply": np.int32}
_PIECES = ("pawns", "knights", "bishops", "rooks", "queens", "king")


def to_arrow(positions: Positions) -> pa.Table:
    """Return all columns as an Arrow table: sets as uint64, the turn as bool, clocks as uint16.

    ``chess960`` says whether castling is Chess960's. Positions from games have ``moves`` (uint16), ``game`` and ``ply``
    (int32) besides. Polars, pandas and DuckDB
    take such a table as it is, or by ``polars.from_arrow(table)`` and ``table.to_pandas()``.
    """
    columns = {name: pa.array(row) for name, row in zip(SETS, positions.sets, strict=True)}
    columns |= {name: pa.array(getattr(positions, name)) for name in (*PLAIN_COLUMNS, "chess960")}
    columns |= {
        name: pa.array(getattr(positions, name)) for name in EXTRA_COLUMNS if getattr(positions, name) is not None
    }
    return pa.table(columns)


def columns_of(table: pa.Table) -> tuple[tuple[np.ndarray, ...], dict[str, np.ndarray]]:
    """Return the columns of boards in a table, and those of games; raises as ``Positions.from_arrow``."""
    count = table.num_rows

    def column(name: str, kind: Any, default: int | None = None) -> np.ndarray:
        if name in table.column_names:
            return _values(table.column(name), name, kind)
        if default is None:
            raise ValueError(f"the table has no column {name!r}{did_you_mean(name, table.column_names)}")
        return np.full(count, default, kind)

    sets = np.empty((10, count), np.uint64)
    if "white_pieces" in table.column_names or "white_pawns" not in table.column_names:
        for row, name in enumerate(SETS[:8]):
            sets[row] = column(name, np.uint64)
    else:
        pieces = [[column(f"{side}_{piece}", np.uint64) for piece in _PIECES] for side in ("white", "black")]
        sets[:2] = np.bitwise_or.reduce(pieces, axis=1)
        sets[2:8] = pieces[0]
        sets[2:8] |= pieces[1]
    for row, name in enumerate(SETS[8:], start=8):
        sets[row] = column(name, np.uint64, 0)
    clocks = column("halfmove_clock", np.int64, 0), column("fullmove_number", np.int64, 1)
    kinds = EXTRA_COLUMNS | {"chess960": np.bool_}
    extra = {name: column(name, kind) for name, kind in kinds.items() if name in table.column_names}
    return (sets, column("white_to_move", np.bool_), *checked_clocks(*clocks)), extra


def checked_clocks(halfmoves: np.ndarray, fullmoves: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return both clocks as columns have them; raises ``InvalidFen`` for numbers out of their range."""
    for name, values in (("halfmove_clock", halfmoves), ("fullmove_number", fullmoves)):
        if values.size and not 0 <= values.min() <= values.max() <= LAST_CLOCK:
            raise InvalidFen(f"{name} is 0 to {LAST_CLOCK}, not {values.min() if values.min() < 0 else values.max()}")
    return halfmoves.astype(np.uint16), fullmoves.astype(np.uint16)


def _values(column: pa.ChunkedArray, name: str, kind: type) -> np.ndarray:
    """The values of an Arrow column as an array of NumPy's."""
    if column.null_count:
        raise ValueError(f"the column {name!r} has no value in {column.null_count} rows")
    wanted = pa.bool_() if kind is np.bool_ else pa.from_numpy_dtype(kind)
    try:
        if kind is np.uint64 and pa.types.is_signed_integer(column.type):
            return column.cast(pa.int64()).to_numpy().view(np.uint64)
        return np.ascontiguousarray(column.cast(wanted).to_numpy())
    except pa.ArrowException as error:
        raise ValueError(f"the column {name!r} is of {column.type} and cannot be read as {wanted}: {error}") from None
