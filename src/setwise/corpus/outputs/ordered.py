"""Matches in the order of expressions, and the best matches of each game, in bounded memory.

Without a limit, rows or texts are sorted on the disk by their keys; with a limit, only the best are kept. The number of
a match in the order of the sources is the last key, so equal matches stay in that order. ``write_positions`` starts
from a table, such as the answer to a statement: the table names positions by source, game and ply, or by FENs. These
positions are read again from their sources and written in the order of the rows.
"""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Callable, Iterable, Iterator
from typing import Any, cast

import numpy as np
import pyarrow as pa

from setwise.corpus.columns import PLACE, values_of
from setwise.corpus.columns.registry import plain_type
from setwise.corpus.outputs.output import Matches, Output, Rows, conformed
from setwise.corpus.outputs.summary import USUAL
from setwise.corpus.query.ordering import PLACE_IN_ORDER, Best, Ordering
from setwise.corpus.query.search import BatchResult, Query, search
from setwise.corpus.sources import tables
from setwise.corpus.sources.jobs import Batch, Question, Source
from setwise.errors import QueryError
from setwise.system.files import own_folder
from setwise.system.sorted_runs import in_order

# ---------------------------------------------------------- matches written in an order of their own, in bounded memory


#: Temporary columns of rows: the match as text; the number of the batch and the row of the game in the batch.
_TEXT, _GAME = "_text", "_game"


class Written:
    """How many matches have been written, from how many games, and whether there were more than wanted."""

    def __init__(self) -> None:
        self.matches = self.games = 0
        self.has_more = False

    def count(self, result: BatchResult) -> None:
        """Count the matches of a batch; all of them are written."""
        self.matches += result.matched
        self.games += result.matched_games


def write_in_order(
    output: Output,
    results: Iterable[BatchResult],
    ordering: Ordering,
    limit: int | None,
    *,
    before: Callable[[], object] = lambda: None,
) -> Written:
    """Write matches, best first. Without a limit, they are sorted on the disk; with a limit, only the best are kept.

    Args:
        output: the output that they are written to.
        results: the matches with their keys, in the order of the sources.
        ordering: the order of the matches.
        limit: the largest number of matches.
        before: called before anything is written.
    """
    written, schema = Written(), output.request.schema
    if output.is_of_rows:
        tables = _best_rows(cast("Rows", output), results, ordering, limit, written)
    else:
        tables = _texts(cast("Matches", output), _best_matches(results, ordering, limit, written), ordering)
    for table in in_order(_in_place(tables), [*ordering.by, (PLACE_IN_ORDER, "ascending")]):
        before()
        if output.is_of_rows:
            cast("Rows", output).write_table(conformed(table.select(schema.names), schema))
        else:
            output.put(b"".join(table.column(_TEXT).to_pylist()))
    return written


def _in_place(tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """Yield the tables with the number of each row, which decides between equal keys."""
    count = 0
    for table in tables:
        yield table.append_column(PLACE_IN_ORDER, pa.array(np.arange(count, count + len(table))))
        count += len(table)


def _with_keys(keys: pa.Table, table: pa.Table) -> pa.Table:
    return pa.table([*table.columns, *keys.columns], [*table.column_names, *keys.column_names])


# ------------------------------------------------------------------------------------------------------------- rows


def _best_rows(
    output: Rows, results: Iterable[BatchResult], ordering: Ordering, limit: int | None, written: Written
) -> Iterator[pa.Table]:
    """Yield the rows of the matches, with their keys."""
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
        yield from itertools.starmap(_with_keys, rows())
        return
    best = Best(ordering, limit, lambda table, which: table.take(pa.array(which)))
    for keys, table in rows():
        best.add(keys, table)
    for keys, table in best.drawn():
        written.matches += len(table)
        written.games += len(np.unique(table.column(_GAME)))
        yield _with_keys(keys, table)
    written.has_more = best.has_more


# ---------------------------------------------------------------------------------------------------------- positions


def _best_matches(
    results: Iterable[BatchResult], ordering: Ordering, limit: int | None, written: Written
) -> Iterator[BatchResult]:
    """Yield the best matches, or all matches, in the order of the sources."""
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
    """Yield the texts of the matches with their keys; a text of several matches has the keys of the best match."""
    for result in results:
        texts = output.pieces(result)
        begins = np.flatnonzero([bool(text) for text in texts])
        places = np.empty(len(texts), np.int64)
        keys = cast("pa.Table", result.keys)
        order = ordering.ranked(keys)
        places[order] = np.arange(len(order))
        best = order[np.minimum.reduceat(places, begins)]
        written_texts = pa.array([texts[at] for at in begins.tolist()], pa.large_binary())
        yield _with_keys(keys.take(pa.array(best)), pa.table({_TEXT: written_texts}))


# ---------------------------------------------------------------- Positions that the rows of a table identify by source


def write_positions(
    output: Matches, answer: pa.Table, sources: Iterable[Source], *, threads: int | None = None
) -> None:
    """Write the positions that the rows of a table identify, in the order of the rows.

    Positions with ``source``, ``game`` and ``ply`` are read again from their sources; a format of whole games writes
    each game once, in the place of its first row. Positions with only ``fen`` have no game. Other columns are shown
    with the positions.

    Args:
        output: the output that the positions are written to.
        answer: the table.
        sources: the sources that the table was computed from.
        threads: the number of threads, by default one per processor.

    Raises:
        QueryError: for rows that do not identify a position.
    """
    answer = _with_small_names(answer)
    if set(PLACE) <= set(answer.column_names):
        _write_by_place(output, answer, sources, threads)
    else:
        _write_by_fen(output, answer, threads)


def _with_small_names(answer: pa.Table) -> pa.Table:
    """Return the table with ``fen``, ``source`` and so on in lower case, and with each name once.

    A column that repeats an earlier column, such as the column of a join, is left out. A column with the same name but
    other values gets a number: ``n``, ``n (2)``.
    """
    names: dict[str, str] = {}
    columns: dict[str, pa.ChunkedArray] = {}
    for spelled, column in zip(answer.column_names, answer.columns, strict=True):
        numbered = (spelled if number == 1 else f"{spelled} ({number})" for number in itertools.count(1))
        name = next(it for it in numbered if it.lower() not in columns or columns[it.lower()].equals(column))
        names.setdefault(name.lower(), name.lower() if name.lower() in {*PLACE, "fen"} else name)
        columns.setdefault(name.lower(), column)
    return pa.table(list(columns.values()), list(names.values()))


def _shown(answer: pa.Table) -> list[str]:
    """Return the columns of the answer that are shown with every match: all except the place and the usual columns."""
    return [name for name in answer.column_names if name not in {*PLACE, *USUAL}]


# ---------------------------------------------------------------------------------------------------------------- FENs


def _write_by_fen(output: Matches, answer: pa.Table, threads: int | None) -> None:
    fens = answer["fen"]
    if not (pa.types.is_string(fens.type) or pa.types.is_large_string(fens.type)) or fens.null_count:
        raise QueryError("the statement's result has rows whose fen is not a FEN")
    # A column ``moves`` would make the rows games, and a column ``game`` would group them.
    columns = [name for name in answer.column_names if name.lower() != "moves" and name not in PLACE]
    source = tables.table(answer.select(columns))
    source.name = "the result"
    question = Query(None, _shown(answer.select(columns))).on(source)
    for result in search([(source, question)], threads=threads):
        for fault in result.batch.faults:
            raise QueryError(f"row {fault.game} of the statement's result: {fault.reason}")
        output.write(result)


# -------------------------------------------------------------------------------------------------------------- places


def _write_by_place(output: Matches, answer: pa.Table, sources: Iterable[Source], threads: int | None) -> None:
    places = _Places(answer)
    shown = _shown(answer)
    question = Question(None, output.needs_notes, shown, shown, answer.schema, places.rows_in)
    rows, offsets = [np.empty(0, np.int64)], [0]
    with tempfile.TemporaryFile(dir=own_folder().name) as file:
        for result in search(((source, question) for source in sources), threads=threads):
            for matched, at in itertools.islice(_once_each(*result.computed), 1 if output.gathers else None):
                texts = list(output.texts(_picked(result, matched, at, answer)))
                begins = np.flatnonzero([bool(text) for text in texts])
                rows.append(np.minimum.reduceat(at, begins))
                for text in filter(None, texts):
                    offsets.append(offsets[-1] + file.write(text.encode()))
        if missing := places.missing():
            raise QueryError(missing)
        order = np.argsort(np.concatenate(rows), kind="stable")
        for number in order.tolist():
            file.seek(offsets[number])
            output.put(file.read(offsets[number + 1] - offsets[number]))


class _Places:
    """The rows of a table, indexed by the positions that they identify."""

    def __init__(self, answer: pa.Table) -> None:
        self.answer = answer
        source, game, ply = (answer[name] for name in PLACE)
        if any(column.null_count for column in (source, game, ply)):
            raise QueryError("the statement's result has rows without source, game or ply")
        if not all(pa.types.is_integer(column.type) for column in (game, ply)):
            raise QueryError("game and ply in the statement's result are not whole numbers")
        names = source.cast(pa.string()).combine_chunks().dictionary_encode()
        keys = _keys(game.to_numpy(), ply.to_numpy())
        self.seen = np.zeros(len(keys), np.bool_)
        self.rows: dict[str, np.ndarray] = {}
        self.keys: dict[str, np.ndarray] = {}
        codes = names.indices.to_numpy()
        for code, name in enumerate(names.dictionary.to_pylist()):
            rows = np.flatnonzero(codes == code)
            order = np.argsort(keys[rows], kind="stable")
            self.rows[name], self.keys[name] = rows[order], keys[rows[order]]

    def rows_in(self, result: BatchResult) -> tuple[np.ndarray, np.ndarray]:
        """Return the positions of a batch that rows identify, in order, and these rows; positions may be repeated."""
        positions = result.positions
        sources = values_of(positions, "source").dictionary_encode()
        keys = _keys(*(np.asarray(values_of(positions, name)) for name in ("game", "ply")))
        codes = np.asarray(sources.indices)
        matched, rows = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
        for code, name in enumerate(sources.dictionary.to_pylist()):
            if name not in self.keys:
                continue
            places = np.flatnonzero(codes == code)
            order = places[np.argsort(keys[places], kind="stable")]
            at = np.searchsorted(keys[order], self.keys[name])
            exists = at < len(order)
            exists[exists] = keys[order[at[exists]]] == self.keys[name][exists]
            matched.append(order[at[exists]])
            rows.append(self.rows[name][exists])
        both = np.concatenate(matched), np.concatenate(rows)
        self.seen[both[1]] = True
        order = np.lexsort((both[1], both[0]))
        return both[0][order], both[1][order]

    def missing(self) -> str:
        """Return the message about rows that identify no position of the sources; empty if there are no such rows."""
        rows = np.flatnonzero(~self.seen)
        if not len(rows):
            return ""
        row = {name: self.answer[name][int(rows[0])].as_py() for name in PLACE}
        count = f"{len(rows):,} rows of the statement's result name" if len(rows) > 1 else "a row of the result names"
        return f"{count} no position of the sources: {row['source']} game {row['game']} ply {row['ply']}"


def _keys(game: np.ndarray, ply: np.ndarray) -> np.ndarray:
    return game.astype(np.int64) << 16 | ply.astype(np.int64)


def _once_each(matched: np.ndarray, rows: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield positions and their rows in groups, in order, so that no group has a position twice."""
    begins = np.flatnonzero(np.r_[True, matched[1:] != matched[:-1]]) if len(matched) else matched
    turns = np.arange(len(matched)) - np.repeat(begins, np.diff(np.r_[begins, len(matched)]))
    for turn in range(int(turns.max(initial=-1)) + 1):
        yield matched[turns == turn], rows[turns == turn]


def _picked(result: BatchResult, matched: np.ndarray, rows: np.ndarray, answer: pa.Table) -> BatchResult:
    """Return the result with only these positions as matches, and with the columns of the table added."""
    count = len(result.positions)
    at, mask = np.zeros(count, np.int64), np.ones(count, np.bool_)
    at[matched], mask[matched] = rows, False
    beside: dict[str, Any] = {name: answer[name].take(pa.array(at, mask=mask)) for name in result.question.shown}
    batch = Batch(result.games, result.positions.beside(beside), [], result.batch.size)
    return result._replace(batch=batch, rows=matched)
