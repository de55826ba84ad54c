"""``similar``: the positions of games that are most like a given one, the nearest of each game."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pyarrow as pa

from setwise.corpus.columns import MADE_HERE, OF_SETS, table_of, values_of
from setwise.corpus.language.repertoires import Files
from setwise.corpus.language.resemblances import EITHER, RESEMBLANCES, resemblance_name
from setwise.corpus.query.limits import answer_within, are_set
from setwise.corpus.query.move_tree import position_of
from setwise.corpus.query.search import BatchResult, Plan, Query, planned, search
from setwise.corpus.sources.expansion import Source
from setwise.corpus.sources.jobs import Readable
from setwise.game.games import Fault
from setwise.position.chess960 import names_rooks
from setwise.position.position import Position

__all__ = ["Nearest", "similar"]

#: The columns of the answer besides those of the place: what the functions of ``RESEMBLANCES`` return.
_FIELDS = (
    pa.field("distance", pa.int16()),
    pa.field("differing_squares", pa.uint64(), metadata=OF_SETS),
    pa.field("differences", pa.string()),
)


def similar(
    position: str | Position,
    sources: Source | Iterable[Source],
    *,
    n: int = 20,
    where: str | None = None,
    columns: Iterable[str] | None = None,
    either_colour: bool = False,
    player: str | None = None,
    files: Files = (),
    threads: int | None = None,
    on_fault: Callable[[Fault], Any] | None = None,
) -> pa.Table:
    """Return the positions most like a given one, the nearest of each game, as an Arrow table, nearest first.

    The distance is the sum of the points of all differences in the pieces: a piece on another square is 1 point, a
    piece more or fewer its worth (knight and bishop 3, rook 5, queen 9), a pawn on another square of its file 2, a pawn
    more or fewer on a file 4, a king on another wing (files a to c, d and e, f to h) 4. Turns, castling rights and
    clocks do not count. Of equal positions the first of a game is taken, and games stay in the order of the sources.

    The columns after those of the place are ``distance``, ``differing_squares`` (a set), and ``differences`` in words,
    each with its points.

    Args:
        position: a FEN, of which the first field is enough; moves such as ``"1. d4 d5 2. c4"``; or a position.
        sources: as for ``find``.
        n: the largest number of positions.
        where: only positions that match a condition.
        columns: columns in place of those of place, players, move and FEN.
        either_colour: whether the mirror image, with the colours exchanged, counts where it is nearer.
        player: only games in which a player's name contains this text, ignoring case.
        files: the repertoires that ``within`` and ``leaves`` may name: paths of files; conditions reach no others.
        threads: the number of threads, by default one per processor.
        on_fault: called with a :class:`Fault` for every game that breaks off.

    Raises:
        QueryError: the condition is not SQL over the columns, or a column is unknown.
        SourceError: a source is missing, is not one, or cannot be read.
        ValueError: the position is neither a FEN nor a sequence of legal moves, or ``n`` is less than 1.

    Example:
        >>> import setwise
        >>> games = b"1. e4 e5 2. Nf3 Nc6 3. Bb5 * 1. e4 e5 2. Bc4 * 1. d4 d5 *"
        >>> nearest = setwise.similar("1. e4 e5 2. Nf3 Nf6", games, n=2)
        >>> for row in nearest.select(["game", "ply", "distance", "differences"]).to_pylist():
        ...     print(*row.values())
        1 3 1 black knight g8, not f6: 1
        2 2 2 white knight g1, not f3: 1; black knight g8, not f6: 1
    """
    if are_set():
        return answer_within(similar, locals())
    nearest = Nearest(position, n, either_colour=either_colour)
    for result in nearest.among(planned(sources, nearest.query(where, player, columns, files)), threads=threads):
        for fault in result.batch.faults if on_fault is not None else ():
            on_fault(fault)  # type: ignore[misc]
    return nearest.table()


class Nearest:
    """The nearest positions of a search so far.

    Args:
        position: the position that they are compared with, a FEN, or moves.
        count: how many are kept.
        either_colour: whether the mirror image counts where it is nearer.
    """

    def __init__(self, position: str | Position, count: int, *, either_colour: bool = False) -> None:
        if count < 1:
            raise ValueError(f"n is a number of positions, 1 or more, not {count}")
        self.position, self.count = _position_of(position), count
        either = (EITHER,) if either_colour else ()
        self._columns = [resemblance_name(function, self.position.fen(), *either) for function in RESEMBLANCES]
        #: The rows kept so far, nearest first, and the distance from which on a row cannot be among them.
        self._kept: pa.Table | None = None
        self._bound = np.iinfo(np.int16).max

    def query(
        self, where: str | None, player: str | None, columns: Iterable[str] | None = None, files: Files = ()
    ) -> Query:
        """Return the query for the positions to compare."""
        return Query(where, columns, player=player, files=files)

    def among(self, plans: Any, *, threads: int | None = None) -> Iterable[BatchResult]:
        """Keep the nearest positions of a search, and yield the result of each batch."""
        for result in search(map(self._prepared, plans), threads=threads):
            self._add(result.computed)
            yield result

    def _prepared(self, planned: tuple[Readable, Plan]) -> tuple[Readable, Plan]:
        """A source with its plan, of whose batches the nearest rows are taken; its columns are those of the answer."""
        source, plan = planned
        self._add(_schema(plan).empty_table())
        return source, plan._replace(compute=self._nearest_of)

    def _nearest_of(self, result: BatchResult) -> pa.Table:
        """The rows of a batch that can be among the nearest ones, nearest first, the nearest of each game."""
        matches = result.matches()
        distances = values_of(matches, self._columns[0]).to_numpy()
        rows = np.flatnonzero(distances < self._bound)
        rows = rows[np.argsort(distances[rows], kind="stable")]
        _, firsts = np.unique(matches.game[rows], return_index=True)
        nearest: Any = matches[rows[np.sort(firsts)[: self.count]]]
        table = table_of(nearest, [*result.plan.columns, *self._columns])
        return pa.table(table.columns, _schema(result.plan))

    def _add(self, rows: pa.Table) -> None:
        """Add rows that come after those added before."""
        tables = [rows] if self._kept is None else [self._kept, rows]
        joined = pa.concat_tables(tables, promote_options="default").unify_dictionaries()
        order = np.argsort(joined["distance"].to_numpy(), kind="stable")[: self.count]
        self._kept = joined.take(pa.array(order))
        if len(order) == self.count:
            self._bound = self._kept["distance"][-1].as_py()

    def table(self) -> pa.Table:
        """Return the nearest positions, nearest first."""
        table = pa.table({}) if self._kept is None else self._kept
        return table.replace_schema_metadata(MADE_HERE)


def _schema(plan: Plan) -> pa.Schema:
    """The schema of the answer."""
    return pa.schema([*plan.schema, *_FIELDS])


def _position_of(position: str | Position) -> Position:
    """The position that a text means; of a FEN the first field is enough, and kings may be missing."""
    if isinstance(position, str) and "/" in position:
        return Position(position.strip(), chess960=names_rooks(position), strict=False)
    return position_of(position)
