"""``find``: the matches of a search as a table."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from typing import Any

import pyarrow as pa

from setwise.corpus.columns import MADE_HERE
from setwise.corpus.language.repertoires import Files
from setwise.corpus.query.engines import best_of, evaluated, opened_engine, with_engine, without_engine_columns
from setwise.corpus.query.limits import answer_within, are_set
from setwise.corpus.query.nothing import hints
from setwise.corpus.query.sampling import Sample
from setwise.corpus.query.search import BatchResult, Query, planned, search, usable_threads
from setwise.corpus.sources.expansion import Source, partially
from setwise.errors import QueryError
from setwise.game.games import Fault

__all__ = ["find", "sampled", "up_to"]


def sampled(results: Iterator[BatchResult], count: int | None, seed: int) -> Iterator[BatchResult]:
    """Return the results with only so many matches, chosen at random; all of them for None."""
    if count is None:
        return results
    lot = Sample(count, seed)
    for result in results:
        lot.add(result)
    return lot.drawn()


def up_to(results: Iterator[BatchResult], limit: int | None) -> Iterator[BatchResult]:
    """Yield the results that have matches, up to ``limit`` matches; nothing is read after that."""
    left = limit
    if left == 0:
        return
    for result in results:
        if result.matched:
            wanted = result.first(left)
            yield wanted
            left = None if left is None else left - wanted.matched
        if left == 0:
            return


def find(
    where: str,
    sources: Source | Iterable[Source],
    *,
    columns: str | Iterable[str] | None = None,
    order_by: str | None = None,
    limit: int | None = None,
    per_game: int | None = None,
    player: str | None = None,
    files: Files = (),
    sample: int | None = None,
    seed: int = 0,
    variations: bool = False,
    engine: str | None = None,
    depth: int = 14,
    partial: bool = False,
    threads: int | None = None,
    on_fault: Callable[[Fault], Any] | None = None,
    on_hint: Callable[[str], Any] | None = None,
) -> pa.Table:
    """Return the positions that match a condition, as an Arrow table.

    Args:
        where: SQL over the columns (``setwise.columns()`` lists them) and functions, for example
            ``"own_safe_fork_squares <> 0 and next(is_check)"``.
        sources: one source or several: PGN (paths, folders, patterns of names, bytes, open files, ``"-"``), lists of
            FENs or EPDs, CSV, JSON lines, Parquet and Arrow tables with a column ``fen``, scans, ``Positions``,
            ``Position``.
        columns: the columns of the result, or one of them; by default the place, the players, the move, the FEN and
            the columns of the condition and of the order.
        order_by: what comes first, expressions with ``desc`` for the largest: ``"bit_count(own_hanging) desc, ply"``.
            Null comes last; equal matches stay in the order of the sources.
        limit: the largest number of rows; reading stops there, unless they are ordered.
        per_game: the largest number of rows of one game: its first ones, or its best ones if they are ordered.
        player: only games in which a player's name contains this text, ignoring case.
        files: the repertoires that ``within`` and ``leaves`` may name: paths of files; conditions reach no others.
        sample: the number of matches to choose at random, all with the same probability, before they are ordered.
        seed: the seed of ``sample``.
        variations: whether the lines in parentheses of PGN are searched, too, with the columns ``line``, ``depth``,
            ``is_main_line``, ``parent_ply`` and ``last_move``. ``next`` goes on along the line, ``previous`` back to
            where it leaves the game, and further to the start.
        engine: an engine, such as ``"stockfish"``, that evaluates the rows: the columns ``engine_evaluation``,
            centipawns for White as in ``evaluation``, and ``engine_best``, its best move in SAN. Both are null where
            no move is legal.
        depth: the depth of its searches.
        partial: whether unfinished scans and indexes are read as far as they are, with a warning.
        threads: the number of threads, by default one per processor.
        on_fault: called with a :class:`Fault` for every game that breaks off, and every record that is not a position.
        on_hint: called at the end if nothing matched, with a sentence for each name of a player and each other text
            that the condition names and no game has, and for columns that are null everywhere:
            ``no game of 'pupil2012'; did you mean 'Pupil2012' (438)?``

    Raises:
        QueryError: the condition is not SQL over the columns, a column is unknown, or a source lacks it, as a list
            of FENs has no results.
        SourceError: a source is missing, is not one, or cannot be read.
        SetwiseError: the engine is missing, or ends.
        ValueError: ``limit`` or ``seed`` is negative, or ``threads``, ``per_game``, ``sample`` or ``depth`` less
            than 1.

    Example:
        >>> import setwise
        >>> found = setwise.find("black_pawn_islands = 2", b"1. e4 d5 2. exd5 c6 3. dxc6 *", columns=["ply", "san"])
        >>> found.to_pylist()
        [{'ply': 3, 'san': 'c6'}, {'ply': 4, 'san': 'dxc6'}, {'ply': 5, 'san': None}]
    """
    if are_set():
        return answer_within(find, locals())
    _check_counts(limit=(limit, 0), per_game=(per_game, 1), sample=(sample, 1), seed=(seed, 0), depth=(depth, 1))
    if not isinstance(where, str):
        raise QueryError(f"a condition is a text, such as 'white_passed_pawns <> 0', not {type(where).__name__}")
    names = [columns] if isinstance(columns, str) else columns
    names = names if engine is None else without_engine_columns(names)
    most = limit if sample is None else None
    query = Query(
        where, names, player=player, per_game=per_game, order_by=order_by, most=most, variations=variations, files=files
    )  # fmt: skip
    plans = planned(partially(sources, partial=partial), query)
    if engine is not None:
        plans = with_engine(plans)
    listed = plans if isinstance(plans, list) else []
    tables = [plan.schema.empty_table() for _, plan in listed]
    if (limit, sample, engine) == (None, None, None) and listed and all(plan.table for _, plan in listed):
        answer = _joined([plan.table(usable_threads(threads)) for _, plan in listed])
        for hint in hints(listed, query) if on_hint is not None and not len(answer) else ():
            on_hint(hint)  # type: ignore[misc]
        return answer

    def read() -> Iterator[BatchResult]:
        for result in search(plans, threads=threads):
            if not tables:
                tables.append(result.plan.schema.empty_table())
            for fault in result.batch.faults if on_fault is not None else ():
                on_fault(fault)  # type: ignore[misc]
            if on_hint is not None:
                query.names.read(result.games)
            yield result

    with ExitStack() as stack:
        results = sampled(read(), sample, seed)
        if engine is not None:
            running = stack.enter_context(opened_engine(engine, depth))
            wanted = up_to(results, limit) if order_by is None else best_of(results, limit)
            results = evaluated(wanted, running)
        found = [it.table() for it in up_to(results, limit)] if order_by is None else _ordered(results, limit)
    if on_hint is not None and limit != 0 and not sum(map(len, found)):
        for hint in hints(listed, query):
            on_hint(hint)
    tables = tables or [query.on({}).schema.empty_table()]  # sources by an iterator that has none
    return _joined([*tables, *found])


def _joined(tables: list[pa.Table]) -> pa.Table:
    joined = pa.concat_tables(tables, promote_options="default").unify_dictionaries()
    return joined.replace_schema_metadata(MADE_HERE)


def _check_counts(**counts: tuple[int | None, int]) -> None:
    for name, (count, least) in counts.items():
        if count is not None and count < least:
            of = "rows, " if name == "limit" else ""
            raise ValueError(f"{name} is a number of {of}{least} or more, not {count}")


def _ordered(results: Iterator[BatchResult], limit: int | None) -> list[pa.Table]:
    """The rows of the matches, best first, in one table; an empty list if nothing matches."""
    from setwise.corpus.query.ordering import Best

    best: Best | None = None
    for result in results:
        if result.plan.order is not None and result.matched:
            if best is None:
                many = sys.maxsize if limit is None else limit
                best = Best(result.plan.order, many, lambda table, rows: table.take(pa.array(rows)))
            best.add(result.keys, result.table())
    if best is None or limit == 0:
        return []
    keys, tables = zip(*best.drawn(), strict=True)
    rows = best.ordering.ranked(pa.concat_tables(keys))
    joined = pa.concat_tables(tables, promote_options="default").unify_dictionaries()
    return [joined.take(pa.array(rows))]
