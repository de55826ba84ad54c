"""Reading the table of games: the tags of all games of some sources, written to an Arrow file.

Tags become columns in the threads that read; the texts of each column are then numbered in one sorted dictionary.
"""

from __future__ import annotations

import functools
import hashlib
import os
import time
import zlib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from setwise.corpus.columns import games_table
from setwise.corpus.query.search import BatchResult, Plan, search
from setwise.corpus.sources.holdings import GAMES_TABLE
from setwise.corpus.sources.kinds import resolved
from setwise.system.arrow import pc
from setwise.web.game_table import NUMBERS, PLACE, SHOWN, TEXTS, summary_of
from setwise.web.limits import ServerLimits

__all__ = ["FIRST_ROWS", "origin_of", "read_games", "table_key"]

#: Seconds between two lines of progress, and how many rows they have together.
_EVERY, FIRST_ROWS = 0.2, 100
#: Bytes of games that are read first.
_FIRST = 1 << 16

Lines = Iterator[dict[str, Any]]


def origin_of(games: Any, name: str) -> int:
    """Return a number for the source of some games, 0 if it is the one with this name.

    An index or a scan numbers the games of each of its sources from 1.
    """
    return 0 if games.source == name else zlib.crc32(games.source.encode())


def table_key(sources: Sequence[str], stamps: Sequence[str]) -> str:
    """Return the name of the table of some sources as they are now; that of an uploaded file cannot be guessed."""
    return hashlib.sha256("\0".join([*sources, "", *stamps]).encode()).hexdigest()[:24]


def read_games(sources: Sequence[str], path: Path, limits: ServerLimits, *, first: int = 0) -> Lines:
    """Write the table of the games of some sources to a file, unless it is there; yield progress, then the summary.

    Progress has the first rows, so that the page shows them while the others are read. ``first`` is the number of the
    first of the sources.
    """
    if not path.exists():
        path.parent.mkdir(exist_ok=True)
        batches: list[pa.RecordBatch] = []
        count = shown = 0
        reported = float("-inf")
        for batch in _batches(sources, limits, first):
            batches.append(batch)
            count += len(batch)
            if time.monotonic() - reported > _EVERY:
                reported = time.monotonic()
                rows = _first_rows(batches, shown) if shown < FIRST_ROWS else []
                shown += len(rows)
                yield {"type": "progress", "games": count, "columns": list(SHOWN), "rows": rows}
            if count >= limits.games:
                break
        table = pa.Table.from_batches(batches, _SCHEMA) if batches else _SCHEMA.empty_table()
        _write(_with_sorted_texts(table.slice(0, limits.games), limits.table_threads), path)
        _remove_oldest(path.parent, limits.tables)
    yield {"type": "games", "table": path.stem, "at_most": limits.games, **summary_of(path)}


_SCHEMA = pa.schema(
    [
        ("source", pa.int32()), ("game", pa.int32()), ("of", pa.int64()),
        *((name, pa.dictionary(pa.int32(), pa.string())) for name in TEXTS),
        *((name, pa.int16()) for name in NUMBERS),
    ]
)  # fmt: skip


def _batches(sources: Sequence[str], limits: ServerLimits, first: int) -> Iterator[pa.RecordBatch]:
    """The games of each source, with its number; a source without games has none, a missing tag is null."""
    for number, name in enumerate(sources, first):
        for opened in resolved(name):
            if not opened.holdings.has(GAMES_TABLE):
                continue
            opened.first = _FIRST
            names = [it for it in ("game", *TEXTS, *NUMBERS) if opened.holdings.has(it)]
            columns = functools.partial(_columns, number, opened.name, names)
            plan = Plan(None, False, names, names, _SCHEMA, columns)
            for result in search([(opened, plan)], threads=limits.table_threads):
                yield result.computed


def _columns(source: int, name: str, names: Sequence[str], result: BatchResult) -> pa.RecordBatch:
    """The columns of the games of a batch, computed in the thread that reads it."""
    table = games_table(result.games, result.batch.faults, names)
    count = table.num_rows
    place = {"source": source, "of": origin_of(result.games, name)}

    def column(field: pa.Field) -> pa.Array:
        if field.name in place:
            return pa.repeat(pa.scalar(place[field.name], field.type), count)
        if field.name not in names:
            return pa.nulls(count, field.type)
        values = table[field.name].combine_chunks()
        return values.dictionary_encode() if pa.types.is_dictionary(field.type) else values.cast(field.type)

    return pa.record_batch([column(field) for field in _SCHEMA], schema=_SCHEMA)


def _first_rows(batches: Sequence[pa.RecordBatch], skip: int) -> list[list[Any]]:
    """The rows of the first page without the first ``skip``, as ``page_of`` returns them."""
    rows = pa.Table.from_batches(batches).slice(skip, FIRST_ROWS - skip).select([*PLACE, *SHOWN])
    return [list(row.values()) for row in rows.to_pylist()]


def _with_sorted_texts(table: pa.Table, threads: int) -> pa.Table:
    """The table with one sorted dictionary for each column of texts, and one for both players."""
    white, black = table["white_name"], table["black_name"]
    both = pa.chunked_array([*white.chunks, *black.chunks], type=white.type)
    with ThreadPoolExecutor(threads) as pool:
        players, *others = pool.map(_sorted, [both, *(table[name] for name in TEXTS[2:])])
    sorted_columns = {"white_name": players[: len(table)], "black_name": players[len(table) :]}
    sorted_columns |= dict(zip(TEXTS[2:], others, strict=True))
    return pa.table({name: sorted_columns.get(name, table[name]) for name in table.column_names}).combine_chunks()


def _sorted(column: pa.ChunkedArray) -> pa.DictionaryArray:
    merged = column.unify_dictionaries().combine_chunks()
    merged = pa.concat_arrays(merged.chunks) if isinstance(merged, pa.ChunkedArray) else merged
    order = pc.sort_indices(pc.utf8_lower(merged.dictionary)).to_numpy()
    rank = np.empty(len(order), np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    indices = pa.array(rank).take(merged.indices)
    return pa.DictionaryArray.from_arrays(indices, merged.dictionary.take(pa.array(order)))


def _write(table: pa.Table, path: Path) -> None:
    """Write a table to a file that appears only when it is complete."""
    part = path.with_suffix(f".{os.getpid()}")
    with pa.OSFile(str(part), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)
    part.replace(path)


def _remove_oldest(folder: Path, most: int) -> None:
    for path in sorted(folder.glob("*.arrow"), key=lambda it: it.stat().st_mtime)[:-most]:
        path.unlink(missing_ok=True)
