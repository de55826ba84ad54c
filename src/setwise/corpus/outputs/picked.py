"""Positions that a table names, written in the formats of positions: by source, game and ply, or by their FENs."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from setwise.corpus.columns import values_of
from setwise.corpus.outputs import Matches
from setwise.corpus.outputs.summary import USUAL
from setwise.corpus.query.search import Found, Plan, Query, search
from setwise.corpus.sources import tables
from setwise.corpus.sources.jobs import Batch, Opened
from setwise.errors import QueryError
from setwise.position.positions import Positions
from setwise.system.files import own_folder

__all__ = ["check_names_positions", "write_positions"]

_PLACE = ("source", "game", "ply")


def check_names_positions(columns: Iterable[str]) -> None:
    """Refuse columns that name no positions.

    Raises:
        QueryError: where neither ``fen`` nor ``source``, ``game`` and ``ply`` are among them.
    """
    names = {name.lower() for name in columns}
    if "fen" not in names and not names.issuperset(_PLACE):
        raise QueryError("the statement's result has no column fen, nor source, game and ply: it names no positions")


def write_positions(
    output: Matches, answer: pa.Table, sources: Iterable[Opened], *, threads: int | None = None
) -> None:
    """Write the positions that the rows of a table name, in the order of the rows.

    By ``source``, ``game`` and ``ply`` they are read again from their sources; a format of whole games has each game
    once, where the first of its rows stands. By ``fen`` they come from no game. Other columns are shown beside them.

    Args:
        output: where they go.
        answer: the table.
        sources: what it was computed from.
        threads: how many, else as many as there are processors.

    Raises:
        QueryError: for rows that name no position.
    """
    answer = _with_small_names(answer)
    if set(_PLACE) <= set(answer.column_names):
        _write_by_place(output, answer, sources, threads)
    else:
        _write_by_fen(output, answer, threads)


def _with_small_names(answer: pa.Table) -> pa.Table:
    """The table with ``fen``, ``source`` and so on in small letters; of equal names the first."""
    columns: dict[str, pa.ChunkedArray] = {}
    for name, column in zip(answer.column_names, answer.columns, strict=True):
        small = name.lower()
        columns.setdefault(small if small in {*_PLACE, "fen"} else name, column)
    return pa.table(columns)


def _shown(answer: pa.Table) -> list[str]:
    """The columns of the answer that are shown with every match, except the place and the usual columns."""
    return [name for name in answer.column_names if name not in {*_PLACE, *USUAL}]


# ---------------------------------------------------------------------------------------------------------------- FENs


def _write_by_fen(output: Matches, answer: pa.Table, threads: int | None) -> None:
    fens = answer["fen"]
    if not (pa.types.is_string(fens.type) or pa.types.is_large_string(fens.type)) or fens.null_count:
        raise QueryError("the statement's result has rows whose fen is not a FEN")
    # Moves behind FENs would be games, and numbers of games would part the rows.
    kept = [name for name in answer.column_names if name.lower() != "moves" and name not in _PLACE]
    source = tables.table(answer.select(kept))
    source.name = "the result"  # type: ignore[misc]
    plan = Query(None, _shown(answer.select(kept))).on(source.others)
    for found in search([(source, plan)], threads=threads):
        for fault in found.batch.faults:
            raise QueryError(f"row {fault.game} of the statement's result: {fault.reason}")
        output.write(found)


# -------------------------------------------------------------------------------------------------------------- places


def _write_by_place(output: Matches, answer: pa.Table, sources: Iterable[Opened], threads: int | None) -> None:
    places = _Places(answer)
    shown = _shown(answer)
    plan = Plan(None, output.needs_notes, shown, shown, answer.schema, places.rows_in)
    rows, offsets = [np.empty(0, np.int64)], [0]
    with tempfile.TemporaryFile(dir=own_folder().name) as kept:
        for found in search(((source, plan) for source in sources), threads=threads):
            for named, at in itertools.islice(_once_each(*found.computed), 1 if output.gathers else None):
                texts = list(output.texts(_picked(found, named, at, answer)))
                begins = np.flatnonzero([bool(text) for text in texts])
                rows.append(np.minimum.reduceat(at, begins))
                for text in filter(None, texts):
                    offsets.append(offsets[-1] + kept.write(text.encode()))
        if missing := places.missing():
            raise QueryError(missing)
        order = np.argsort(np.concatenate(rows), kind="stable")
        for number in order.tolist():
            kept.seek(offsets[number])
            output.put(kept.read(offsets[number + 1] - offsets[number]))


class _Places:
    """The rows of a table by the positions that they name."""

    def __init__(self, answer: pa.Table) -> None:
        self.answer = answer
        source, game, ply = (answer[name] for name in _PLACE)
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

    def rows_in(self, found: Found) -> tuple[np.ndarray, np.ndarray]:
        """The positions of a batch that are named, in order, and for each the row of the table; often one twice."""
        positions = found.positions
        sources = values_of(positions, "source").dictionary_encode()
        keys = _keys(*(np.asarray(values_of(positions, name)) for name in ("game", "ply")))
        codes = np.asarray(sources.indices)
        named, rows = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
        for code, name in enumerate(sources.dictionary.to_pylist()):
            if name not in self.keys:
                continue
            places = np.flatnonzero(codes == code)
            order = places[np.argsort(keys[places], kind="stable")]
            at = np.searchsorted(keys[order], self.keys[name])
            there = at < len(order)
            there[there] = keys[order[at[there]]] == self.keys[name][there]
            named.append(order[at[there]])
            rows.append(self.rows[name][there])
        both = np.concatenate(named), np.concatenate(rows)
        self.seen[both[1]] = True
        order = np.lexsort((both[1], both[0]))
        return both[0][order], both[1][order]

    def missing(self) -> str:
        """What to say of rows that name no position of the sources; nothing where all do."""
        rows = np.flatnonzero(~self.seen)
        if not len(rows):
            return ""
        row = {name: self.answer[name][int(rows[0])].as_py() for name in _PLACE}
        count = f"{len(rows):,} rows of the statement's result name" if len(rows) > 1 else "a row of the result names"
        return f"{count} no position of the sources: {row['source']} game {row['game']} ply {row['ply']}"


def _keys(game: np.ndarray, ply: np.ndarray) -> np.ndarray:
    return game.astype(np.int64) << 16 | ply.astype(np.int64)


def _once_each(named: np.ndarray, rows: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Positions in order with their rows, those that have several in turn: no position twice at once."""
    begins = np.flatnonzero(np.r_[True, named[1:] != named[:-1]]) if len(named) else named
    turns = np.arange(len(named)) - np.repeat(begins, np.diff(np.r_[begins, len(named)]))
    for turn in range(int(turns.max(initial=-1)) + 1):
        yield named[turns == turn], rows[turns == turn]


def _picked(found: Found, named: np.ndarray, rows: np.ndarray, answer: pa.Table) -> Found:
    """The batch with the columns of a table beside some of its positions."""
    positions: Positions = found.positions[:]
    own, count = positions.others, len(positions)
    if isinstance(own, pa.Table):  # of which a row may be a whole game
        own = own.take(pa.array(positions.row))
    at, mask = np.zeros(count, np.int64), np.ones(count, np.bool_)
    at[named], mask[named] = rows, False
    beside: dict[str, Any] = {name: answer[name].take(pa.array(at, mask=mask)) for name in found.plan.shown}
    if own is not None and not isinstance(own, pa.Table):
        positions.others = own.beside(beside)
    elif beside or own is not None:
        before = {} if own is None else dict(zip(own.column_names, own.columns, strict=True))
        positions.others, positions.row = pa.table(before | beside), np.arange(count, dtype=np.int32)
    batch = Batch(found.games, positions, [], found.batch.size)
    return found._replace(batch=batch, rows=named)
