"""``positions`` and ``games`` as tables that DuckDB reads as they stream by; what it does not ask for is not computed.

To DuckDB a stream is one of Arrow's datasets. It asks for columns and hands down filters; whatever it reads, the
sources are read anew each time, in bounded memory.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pyarrow as pa
import pyarrow.dataset

from setwise.corpus.columns import games_schema, games_table, need_notes, values_of
from setwise.corpus.language.expressions import Expressions
from setwise.corpus.language.sequences import check_plies
from setwise.corpus.query.search import Plan, search
from setwise.corpus.sources.jobs import Batch, Opened

__all__ = ["GamesStream", "PositionsStream"]

#: A callback for batches, at most. The first reading takes it, so that what is read again is not reported again.
Listeners = list[Callable[[Batch], Any]]


class _Stream(pyarrow.dataset.InMemoryDataset):
    """A dataset whose rows come from a search."""

    def __init__(
        self, sources: list[Opened], schema: pa.Schema, threads: int | None, listeners: Listeners | None
    ) -> None:
        super().__init__(schema.empty_table())
        self.sources, self.threads, self.listeners = sources, threads, [] if listeners is None else listeners
        #: What went wrong while the sources were read: DuckDB tells it in words of its own.
        self.error: Exception | None = None
        #: Whether a reading that had the callback came to its end.
        self.reported_all = False

    @abstractmethod
    def based_on(self, names: list[str]) -> list[str]:
        """The columns of positions that must be read for others."""

    @abstractmethod
    def table(self, batch: Batch, names: list[str]) -> pa.Table:
        """The columns of a batch."""

    def scanner(self, columns: list[str] | None = None, filter: Any = None, **_: Any) -> pyarrow.dataset.Scanner:  # noqa: A002
        """Return what reads some columns of the rows for which a filter holds; DuckDB calls it."""
        asked = self.schema.names if columns is None else columns
        inside = [] if filter is None else _fields(self.schema, filter)
        names = list(dict.fromkeys([*asked, *inside]))
        schema = pa.schema([self.schema.field(name) for name in names])
        reader = pa.RecordBatchReader.from_batches(schema, self._batches(names, schema))
        return pyarrow.dataset.Scanner.from_batches(reader, columns=asked, filter=filter)

    def _batches(self, names: list[str], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        notes = need_notes(self.based_on(names))
        try:
            listener: Callable[[Batch], Any] | None = self.listeners.pop()
        except IndexError:  # another reading has it
            listener = None
        plan = Plan(None, notes, names, names, schema, lambda found: self.table(found.batch, names).cast(schema))
        try:
            for found in search(((source, plan) for source in self.sources), threads=self.threads):
                if listener is not None:
                    listener(found.batch)
                yield from found.computed.to_batches()
            self.reported_all |= listener is not None
        except Exception as error:
            self.error = error
            raise


def _fields(schema: pa.Schema, condition: pyarrow.dataset.Expression) -> list[str]:
    """Return the columns that an expression of Arrow's names: those without which it cannot be bound.

    An expression shows its columns as text alone, in which a name may look like a word or a part of another name.
    """

    def needed(names: list[str], others: list[str]) -> list[str]:
        if _binds(schema, condition, others):
            return []
        if len(names) == 1:
            return names
        half = len(names) // 2
        first, second = names[:half], names[half:]
        return needed(first, [*others, *second]) + needed(second, [*others, *first])

    return needed(schema.names, [])


def _binds(schema: pa.Schema, condition: pyarrow.dataset.Expression, names: list[str]) -> bool:
    """Whether an expression names none but these columns."""
    fields = pa.schema([schema.field(name) for name in names])
    try:
        pyarrow.dataset.Scanner.from_batches([], schema=fields, columns=[], filter=condition)
    except pa.ArrowInvalid:
        return False
    return True


class PositionsStream(_Stream):
    """Every position of the sources: columns that every position has, those of the sources, and computed ones."""

    def __init__(
        self,
        sources: list[Opened],
        names: Iterable[str],
        expressions: Expressions,
        threads: int | None = None,
        listeners: Listeners | None = None,
    ) -> None:
        self.expressions = expressions
        types = {name: expressions.type_of(name) for name in names} | expressions.types_of_derived()
        super().__init__(sources, pa.schema([(name, _plain(kind)) for name, kind in types.items()]), threads, listeners)

    def based_on(self, names: list[str]) -> list[str]:
        """Return the columns that must be computed first."""
        return self.expressions.based_on(names)

    def table(self, batch: Batch, names: list[str]) -> pa.Table:
        """Return the columns of the positions of a batch."""
        positions = batch.positions
        if self.expressions.looks_along and positions.ply is not None:
            check_plies(positions.game, positions.ply)
        columns = {name: values_of(positions, name) for name in self.based_on(names)}
        self.expressions.extend(columns, positions.game, names)
        return pa.table({name: columns[name] for name in names})


def _plain(kind: pa.DataType) -> pa.DataType:
    """A type without dictionaries: they differ from batch to batch."""
    return kind.value_type if pa.types.is_dictionary(kind) else kind


class GamesStream(_Stream):
    """Every game of the sources."""

    def __init__(
        self,
        sources: list[Opened],
        threads: int | None = None,
        listeners: Listeners | None = None,
        tags: Iterable[str] = (),
    ) -> None:
        known = [field for field in games_schema(tags) if all(source.holdings.has(field.name) for source in sources)]
        super().__init__(sources, pa.schema(known), threads, listeners)

    def based_on(self, names: list[str]) -> list[str]:
        """Return nothing: no column of games comes of notes."""
        return []

    def table(self, batch: Batch, names: list[str]) -> pa.Table:
        """Return the columns of the games of a batch."""
        return games_table(batch.games, batch.faults, names)
