"""Matches written in an order of their own, in bounded memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import cast

import numpy as np
import pyarrow as pa

from setwise.corpus.outputs.cells import plain_type
from setwise.corpus.outputs.output import Matches, Output, Rows, conformed
from setwise.corpus.query.ordering import PLACE_IN_ORDER, Best, Ordering
from setwise.corpus.query.search import BatchResult
from setwise.system.sorted_runs import in_order

__all__ = ["Written", "write_in_order"]

#: Columns of rows on their way: a match as text; the number of the batch and the row of the game in it.
_TEXT, _GAME = "_text", "_game"


class Written:
    """How many matches have been written, of how many games, and whether there were more than wanted."""

    def __init__(self) -> None:
        self.matches = self.games = 0
        self.has_more = False

    def count(self, result: BatchResult) -> None:
        """Count the matches of a batch, all of which are written."""
        self.matches += result.matched
        self.games += len(set(result.positions.game[result.rows].tolist()))


def write_in_order(
    output: Output,
    results: Iterable[BatchResult],
    ordering: Ordering,
    limit: int | None,
    *,
    before: Callable[[], object] = lambda: None,
) -> Written:
    """Write matches, best first. Without a limit they are sorted on disk, with one only the best are kept.

    Args:
        output: where they are written.
        results: the matches with their keys, in the order of the sources.
        ordering: what they are ordered by.
        limit: the largest number of matches.
        before: called before anything is written.
    """
    written = Written()
    if output.is_of_rows:
        tables = _best_rows(cast("Rows", output), results, ordering, limit, written)
    else:
        tables = _texts(cast("Matches", output), _best_matches(results, ordering, limit, written), ordering)
    for table in in_order(_in_place(tables), [*ordering.by, (PLACE_IN_ORDER, "ascending")]):
        before()
        if output.is_of_rows:
            cast("Rows", output).write_table(
                conformed(table.select(output.request.schema.names), output.request.schema)
            )
        else:
            output.put(b"".join(table.column(_TEXT).to_pylist()))
    return written


def _in_place(tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """The tables with the number of each row, by which ties are resolved."""
    count = 0
    for table in tables:
        yield table.append_column(PLACE_IN_ORDER, pa.array(np.arange(count, count + len(table))))
        count += len(table)


def _with_keys(keys: pa.Table, columns: dict[str, pa.Array | pa.ChunkedArray]) -> pa.Table:
    return pa.table({**columns, **dict(zip(keys.column_names, keys.columns, strict=True))})


# ------------------------------------------------------------------------------------------------------------- rows


def _best_rows(
    output: Rows, results: Iterable[BatchResult], ordering: Ordering, limit: int | None, written: Written
) -> Iterator[pa.Table]:
    """The rows of the matches, with their keys."""
    schema = pa.schema([(field.name, plain_type(field.type)) for field in output.request.schema])

    def rows() -> Iterator[tuple[pa.Table, pa.Table]]:
        for number, result in enumerate(results):
            if result.matched:
                games = result.positions.game[result.rows].astype(np.int64) + (number << 32)
                table = conformed(result.table(), output.request.schema).cast(schema)
                yield result.keys, table.append_column(_GAME, pa.array(games))
                if limit is None:
                    written.count(result)

    if limit is None:
        yield from (_with_keys(keys, _columns(table)) for keys, table in rows())
        return
    best = Best(ordering, limit, lambda table, which: table.take(pa.array(which)))
    for keys, table in rows():
        best.add(keys, table)
    for keys, table in best.drawn():
        written.matches += len(table)
        written.games += len(np.unique(table.column(_GAME)))
        yield _with_keys(keys, _columns(table))
    written.has_more = best.has_more


def _columns(table: pa.Table) -> dict[str, pa.ChunkedArray]:
    return dict(zip(table.column_names, table.columns, strict=True))


# ---------------------------------------------------------------------------------------------------------- positions


def _best_matches(
    results: Iterable[BatchResult], ordering: Ordering, limit: int | None, written: Written
) -> Iterator[BatchResult]:
    """The best matches, or all of them, in the order of the sources."""
    if limit is not None:
        best = Best(ordering, limit, BatchResult.narrowed)
        for result in results:
            if result.matched:
                best.add(result.keys, result)
                result.batch.forget()
        results = [result for _, result in best.drawn()]
        written.has_more = best.has_more
    for result in results:
        if result.matched:
            written.count(result)
            yield result


def _texts(output: Matches, results: Iterable[BatchResult], ordering: Ordering) -> Iterator[pa.Table]:
    """The texts of the matches with their keys; a text of several matches has the keys of the best one."""
    for result in results:
        texts = output.pieces(result)
        begins = np.flatnonzero([bool(text) for text in texts])
        places = np.empty(len(texts), np.int64)
        keys = cast("pa.Table", result.keys)
        order = ordering.ranked(keys)
        places[order] = np.arange(len(order))
        best = order[np.minimum.reduceat(places, begins)]
        written_texts = pa.array([texts[at] for at in begins.tolist()], pa.large_binary())
        yield _with_keys(keys.take(pa.array(best)), {_TEXT: written_texts})
