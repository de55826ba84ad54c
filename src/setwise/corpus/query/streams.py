"""The tables ``positions`` and ``games`` as streams; columns that DuckDB does not request are not computed.

DuckDB sees a stream as an Arrow dataset: it requests columns and passes filters. Each scan reads the sources again, in
bounded memory. The columns of a filter are computed first; if only a few rows pass, the other columns are computed for
these rows only. If the files of a scan store the columns, Arrow reads the files directly. DuckDB replaces an error in a
stream with an error of its own, so the stream keeps the original error for the caller. ``moves`` has a row for each
legal move of each position.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

import numpy as np
import pyarrow as pa
import pyarrow.dataset

from setwise.corpus.columns import COLUMNS, PLACE, games_schema, games_table, need_notes, schema_of, values_of
from setwise.corpus.columns.registry import RATINGS, plain_type
from setwise.corpus.columns.variations import taken, tree_of_all
from setwise.corpus.language.condition import Expressions
from setwise.corpus.language.sequences import check_plies
from setwise.corpus.query.search import BatchResult, search
from setwise.corpus.sources.jobs import Batch, Question, Source
from setwise.errors import QueryError
from setwise.game.batch import GamePositions
from setwise.notation.pgn.lines import LineRows, paths_of
from setwise.position.positions import Positions

# ---------------------------------------------------------------------------- the tables positions and games as streams


#: Rows are chosen before the other columns are computed if at most one row in ``_FEW`` passes: choosing copies boards.
_FEW = 8
#: The name of a temporary column with the numbers of the rows, for a filter; no other column has this name.
_ROW = "setwise row"

#: Empty, or one callback for batches. The first scan removes the callback, so that later scans do not report again.
Listeners = list[Callable[[Batch], Any]]


class TableStream(pyarrow.dataset.InMemoryDataset):
    """A dataset whose rows come from a search."""

    def __init__(
        self,
        sources: list[Source],
        schema: pa.Schema,
        *,
        threads: int | None = None,
        listeners: Listeners | None = None,
        variations: bool = False,
    ) -> None:
        super().__init__(schema.empty_table())
        self.sources, self.threads, self.listeners = sources, threads, [] if listeners is None else listeners
        #: Whether the lines of variations are read, too.
        self.variations = variations
        #: The exception raised while reading the sources: DuckDB replaces it with its own error.
        self.error: Exception | None = None
        #: Whether the scan with the callback has read everything.
        self.reported_all = False

    @abstractmethod
    def based_on(self, names: list[str]) -> list[str]:
        """Return the columns of positions that the given columns are computed from."""

    @abstractmethod
    def table(self, batch: Batch, names: list[str]) -> pa.Table:
        """Return the columns of a batch."""

    def scanner(self, columns: list[str] | None = None, filter: Any = None, **_: Any) -> pyarrow.dataset.Scanner:  # noqa: A002
        """Return a scanner of some columns, over the rows that pass a filter. DuckDB calls this method."""
        requested = self.schema.names if columns is None else columns
        filtered_by = [] if filter is None else _fields(self.schema, filter, self.schema.names)
        names = list(dict.fromkeys([*requested, *filtered_by]))
        schema = pa.schema([self.schema.field(name) for name in names])
        if (stored := self._stored(names, schema)) is not None:
            return stored.scanner(columns=requested, filter=filter)
        first = None if filter is None else _First(filter, filtered_by)
        reader = pa.RecordBatchReader.from_batches(schema, self._batches(names, schema, first))
        return pyarrow.dataset.Scanner.from_batches(reader, columns=requested, filter=filter)

    def _stored(self, names: list[str], schema: pa.Schema) -> pyarrow.dataset.Dataset | None:
        """Return the files that store these columns; None if something must be computed or reported."""
        return None

    def chosen(self, batch: Batch, names: list[str], first: _First) -> pa.Table:
        """Return the columns of a batch, for all rows or only for the rows that pass a filter."""
        return self.table(batch, names)

    def _batches(self, names: list[str], schema: pa.Schema, first: _First | None) -> Iterator[pa.RecordBatch]:
        notes = need_notes(self.based_on(names))
        try:
            listener: Callable[[Batch], Any] | None = self.listeners.pop()
        except IndexError:  # an earlier scan has removed it
            listener = None

        def computed(result: BatchResult) -> pa.Table:
            table = self.table(result.batch, names) if first is None else self.chosen(result.batch, names, first)
            return table.cast(schema)

        question = Question(None, notes, names, names, schema, computed, variations=self.variations)
        try:
            for result in search(((source, question) for source in self.sources), threads=self.threads):
                if listener is not None:
                    listener(result.batch)
                yield from result.computed.to_batches()
            self.reported_all |= listener is not None
        except Exception as error:
            self.error = error
            raise


class _First(NamedTuple):
    """A filter, and the columns that it needs, which are computed before the others."""

    condition: pyarrow.dataset.Expression
    names: list[str]

    def rows(self, table: pa.Table) -> np.ndarray:
        """Return the rows of a table of these columns that pass."""
        rows = pa.chunked_array([np.arange(table.num_rows, dtype=np.int32)])
        return table.append_column(_ROW, rows).filter(self.condition).column(_ROW).to_numpy()


def _fields(
    schema: pa.Schema, condition: pyarrow.dataset.Expression, names: list[str], others: Sequence[str] = ()
) -> list[str]:
    """Return those of some columns without which, beside others, an Arrow expression cannot be bound: it names them.

    Arrow shows an expression only as text, where a column's name can look like a keyword or be part of another name.
    """
    if _binds(schema, condition, others):
        return []
    if len(names) == 1:
        return names
    first, second = names[: len(names) // 2], names[len(names) // 2 :]
    of_first = _fields(schema, condition, first, [*others, *second])
    return of_first + _fields(schema, condition, second, [*others, *first])


def _binds(schema: pa.Schema, condition: pyarrow.dataset.Expression, names: Sequence[str]) -> bool:
    """Whether an expression names only these columns."""
    fields = pa.schema([schema.field(name) for name in names])
    try:
        pyarrow.dataset.Scanner.from_batches([], schema=fields, columns=[], filter=condition)
    except pa.ArrowInvalid:
        return False
    return True


class PositionsStream(TableStream):
    """Every position of the sources, with the usual columns, the columns of the sources, and computed columns."""

    def __init__(self, sources: list[Source], names: Iterable[str], expressions: Expressions, **options: Any) -> None:
        self.expressions = expressions
        derived = expressions.types_of_derived()
        self._derived = frozenset(derived)
        types = {name: expressions.type_of(name) for name in names} | derived
        schema = pa.schema([(name, plain_type(kind)) for name, kind in types.items()])
        super().__init__(sources, schema, **options)

    def based_on(self, names: list[str]) -> list[str]:
        """Return the columns of positions that these columns are, or are computed from."""
        return self.expressions.based_on(names)

    def _stored(self, names: list[str], schema: pa.Schema) -> pyarrow.dataset.Dataset | None:
        """Return the files of scans that store these columns, which Arrow reads directly."""
        if self.listeners or self.expressions.uses_sequences or not names or not RATINGS.isdisjoint(names):
            return None
        every = [source.explain(Question(columns=names)).files for source in self.sources]
        files = [stored for some in every for stored in some or ()]
        if not files or not all(every) or any(stored.of_games for stored in files):
            return None
        try:
            for stored in files:
                stored.check()
        except Exception as error:
            self.error = error
            raise
        return pyarrow.dataset.dataset([stored.positions for stored in files], schema, format="parquet")

    def chosen(self, batch: Batch, names: list[str], first: _First) -> pa.Table:
        """Return the columns of the positions of a batch, or, if few pass the filter, only of these."""
        others = [name for name in names if name not in first.names]
        derived = self.expressions.uses_sequences or not self._derived.isdisjoint(names)
        if derived or not others or batch.positions.node is not None:
            return self.table(batch, names)
        values = {name: values_of(batch.positions, name) for name in first.names}
        table = pa.table({name: it.cast(plain_type(it.type)) for name, it in values.items()})  # filters compare these
        rows = first.rows(table)
        if len(rows) > len(batch.positions) // _FEW:
            rest = {name: values_of(batch.positions, name) for name in others}
        else:
            table, chosen = table.take(pa.array(rows)), batch.positions[rows]
            rest = {name: values_of(chosen, name) for name in others}
        columns = {**dict(zip(first.names, table.columns, strict=True)), **rest}
        return pa.table({name: columns[name] for name in names})

    def table(self, batch: Batch, names: list[str]) -> pa.Table:
        """Return the columns of the positions of a batch."""
        positions = batch.positions
        if self.expressions.uses_sequences and (tree := tree_of_all(positions)) is not None:
            return self._along_lines(positions, tree, names)
        if self.expressions.uses_sequences and positions.ply is not None:
            check_plies(positions.game, positions.ply)
        columns = {name: values_of(positions, name) for name in self.based_on(names)}
        self.expressions.extend(columns, positions.game, names)
        return pa.table({name: columns[name] for name in names})

    def _along_lines(self, positions: GamePositions, tree: LineRows, names: list[str]) -> pa.Table:
        """Return the columns for games with variations: each line is read from the start of its game."""
        columns = {name: values_of(positions, name) for name in self.based_on(names)}
        tables = []
        for paths in paths_of(tree):
            along = taken(columns, paths.rows)
            self.expressions.extend(along, paths.path, names)
            tables.append(pa.table(taken({name: along[name] for name in names}, paths.own)))
        return pa.concat_tables(tables)


class GamesStream(TableStream):
    """Every game of the sources."""

    def __init__(self, sources: list[Source], tags: Iterable[str] = (), **options: Any) -> None:
        known = [field for field in games_schema(tags) if all(source.holdings.has(field.name) for source in sources)]
        super().__init__(sources, pa.schema(known), **options)

    def based_on(self, names: list[str]) -> list[str]:
        """Return nothing: no column of games needs columns of positions."""
        return []

    def table(self, batch: Batch, names: list[str]) -> pa.Table:
        """Return the columns of the games of a batch."""
        return games_table(batch.games, batch.faults, names)


# ------------------------------------------------------------------------------------------------------ the table moves


#: The column that only this table has.
IS_PLAYED = "is_played"

#: How many positions are replaced at a time by the positions after their moves, which takes about 3 KB for each.
_AT_ONCE = 4096


def is_of_move(name: str) -> bool:
    """Return whether a column describes the move."""
    return name in COLUMNS and COLUMNS[name].needs == {"move"}


def _is_after(name: str) -> bool:
    """Whether a column is known after a move: because it is read from the board, or is the same for the whole game."""
    if (column := COLUMNS.get(name)) is None:
        return False
    return column.of_boards or all(it in COLUMNS and COLUMNS[it].of_games is not None for it in column.needs)


def _answers(name: str, source_columns: Iterable[str]) -> bool:
    """Whether the table of moves has a column; ``source_columns`` are columns of the source itself."""
    return name in {*PLACE, *source_columns} or is_of_move(name) or _is_after(name)


class MovesStream(TableStream):
    """Every legal move: columns of the move, of the position after the move, and of the place of the position before.

    Columns with ``own_`` and ``enemy_`` mean the sides in the position after the move, like all other columns.
    """

    def __init__(
        self, sources: list[Source], names: Iterable[str], source_columns: Mapping[str, pa.DataType], **options: Any
    ) -> None:
        self.source_columns = source_columns
        known = schema_of(dict.fromkeys(name for name in names if _answers(name, source_columns)), source_columns)
        fields = [(field.name, plain_type(field.type)) for field in known]
        super().__init__(sources, pa.schema([*fields, (IS_PLAYED, pa.bool_())]), **options)

    def based_on(self, names: list[str]) -> list[str]:
        """Return the columns of positions among these columns."""
        return [name for name in names if name != IS_PLAYED]

    def table(self, batch: Batch, names: list[str]) -> pa.Table:
        """Return the columns of the legal moves of the positions of a batch."""
        parts = [
            self._moves_of(cast("GamePositions", batch.positions[start : start + _AT_ONCE]), names)
            for start in range(0, max(len(batch.positions), 1), _AT_ONCE)
        ]
        return pa.concat_tables(parts)

    def _moves_of(self, positions: GamePositions, names: list[str]) -> pa.Table:
        after, parents, moves = positions.children()
        before = cast("GamePositions", positions[parents])
        played = np.zeros(len(moves), np.uint16) if before.moves is None else before.moves
        before.moves = moves
        return pa.table({name: self._values(name, before, after, moves == played) for name in names})

    def _values(self, name: str, before: GamePositions, after: Positions, is_played: np.ndarray) -> pa.Array:
        if name == IS_PLAYED:
            return pa.array(is_played)
        is_of_before = name in self.source_columns or name in PLACE or is_of_move(name)
        return values_of(before if is_of_before else after, name)


def check_names(names: Iterable[str], source_columns: Iterable[str]) -> None:
    """Raise ``QueryError`` for the first column of positions that the table of moves does not have."""
    own = [*source_columns]
    for name in names:
        if name in COLUMNS and not _answers(name, own):
            raise QueryError(
                f"{name} is not a column of moves: a move has what is played and the board that it leads to; the notes "
                "and the past of a game are columns of positions"
            )
