"""``Condition``: a text of SQL as a function of positions, in a database that cannot read files.

The text is parsed twice, with and without parentheses, so that only a single expression is accepted. Functions of the
language are expanded first. Then derived columns replace calls of patterns and of sequence functions, inner calls
first. For each batch, the columns that the text names are computed, then the derived columns; DuckDB evaluates the rest
of the expression over one table, ``positions``. A derived column is computed row by row (``Rowwise``), or, if it names
``now(x)``, by a join of the rows with themselves (``Joined``). When a condition is read, it is evaluated on one row of
nulls, so that wrong types are reported before any file is opened. In games with variations, each line is evaluated.

    later(is_check and knight.attacks(own_king) & enemy_knights <> 0)
    ->  the pattern becomes the column _0, ``later(…)`` the column _1, and DuckDB evaluates ``_1``
"""

from __future__ import annotations

import functools
import itertools
import os
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, Protocol, cast

import duckdb
import numpy as np
import pyarrow as pa

from setwise.compiler import Pattern
from setwise.corpus.columns import COLUMNS, checked, values_of
from setwise.corpus.columns.registry import lowered
from setwise.corpus.columns.variations import taken, tree_of_all
from setwise.corpus.language import sequences
from setwise.corpus.language.checks import (
    advice_on,
    check,
    check_truth,
    column_named_in,
    comparisons_in,
    names_of_players,
    unknown_column,
    why_not_sql,
    with_sets_as_conditions,
)
from setwise.corpus.language.functions import answer, deferred, define_each, expanded, register, way_of_function
from setwise.corpus.language.names import EACH, KEY, counted, squares_of_each
from setwise.corpus.language.needs import Marks, needs_of
from setwise.corpus.language.sequences import NOW, SequenceCall, check_plies, is_sequence, sequence_call, with_keywords
from setwise.corpus.language.tree import (
    Node,
    arguments_of,
    children,
    column_in,
    column_named,
    cut,
    expression,
    holds,
    name_of,
    nodes,
    open_database,
    parameters_of,
    parsed,
    quoted,
    refusing_deep_trees,
    rewritten,
    text_of,
    to_sql,
)
from setwise.errors import QueryError
from setwise.notation.pgn.lines import Paths, paths_of
from setwise.position.positions import Positions
from setwise.system.files import own_folder
from setwise.system.packages import pc
from setwise.system.processes import at_work, memory_left

# ------------------------------------------ columns that are computed from others before DuckDB evaluates an expression


#: Columns of every batch: the number of the row, of its game, and of its line of variation.
ROW, GAME, LINE = "_row_of_batch", "_game_of_batch", "_line_of_batch"
#: The names of the positions in a join: the positions that read others, and the positions that they read.
HERE, THERE = "_here", "_there"

Columns = dict[str, pa.Array]


class Compute(Protocol):
    """Computes a column of a batch from the other columns of the batch, including ``ROW`` and ``GAME``."""

    def __call__(self, database: duckdb.DuckDBPyConnection, columns: Columns, game: np.ndarray) -> pa.Array:
        """Return the column."""


class Derived(NamedTuple):
    """A column that is computed from other columns."""

    name: str
    compute: Compute
    #: The names of all columns that it is computed from.
    names: frozenset[str]


class Rowwise:
    """Applies a function to the values of expressions.

    Args:
        function: takes the number of each row's game and the values of the arguments.
        arguments: the expressions.
        names: for each expression, the name of the column if it is one; None if DuckDB must evaluate it.
        windowed: whether an expression is a window.
    """

    def __init__(
        self, function: Callable[..., pa.Array], arguments: list[Node], names: list[str | None], *, windowed: bool
    ) -> None:
        self.function, self.names = function, names
        texts = [text_of(node) for node, name in zip(arguments, names, strict=True) if name is None]
        order = f" order by {ROW}" if windowed else ""  # windows return rows in another order
        self.sql = f"select {', '.join(texts)} from positions{order}" if texts else ""

    def __call__(self, database: duckdb.DuckDBPyConnection, columns: Columns, game: np.ndarray) -> pa.Array:
        """Return the values of the function."""
        evaluated: Iterator[pa.ChunkedArray] = iter(())
        if self.sql:
            database.register("positions", pa.table(columns))
            evaluated = iter(database.sql(self.sql).to_arrow_table().columns)
        values = [columns[name] if name else next(evaluated).combine_chunks() for name in self.names]
        return self.function(game, *values)


# ----------------------------------------------------------------------------------------------- conditions on one row


def of_rows(call: SequenceCall, originals: Sequence[Node]) -> Callable[..., pa.Array]:
    """Return the function of a sequence call whose arguments have a value for each row.

    Args:
        call: the call.
        originals: its arguments as the user has written them, for messages.
    """
    if call.name in {"next", "previous"}:
        plies = call.plies if call.name == "next" else -call.plies
        return lambda game, values: sequences.shifted(values, game, plies)
    function = _OF_CONDITIONS[call.name]

    def applied(game: np.ndarray, *conditions: pa.Array) -> pa.Array:
        for condition, original in zip(conditions, originals, strict=True):
            _check_condition(call.name, condition.type, original)
        return pa.array(function(call, game, *map(_flags, conditions)))

    return applied


_OF_CONDITIONS: dict[str, Callable[..., np.ndarray]] = {
    "later": lambda _, game, holds: sequences.later(holds, game),
    "earlier": lambda _, game, holds: sequences.earlier(holds, game),
    "streak": lambda call, game, holds: sequences.streak(holds, game, call.step),
    "lasts": lambda call, game, holds: sequences.lasts(holds, game, call.plies, call.step),
    "until": lambda _, game, holds, reached: sequences.until(holds, reached, game),
}


def _flags(condition: pa.Array) -> np.ndarray:
    flags: np.ndarray = condition.cast(pa.bool_()).fill_null(False).to_numpy(zero_copy_only=False)
    return flags


def _check_condition(name: str, kind: pa.DataType, argument: Node) -> None:
    if not pa.types.is_boolean(kind):
        text = cut(text_of(argument).replace('"', ""))
        takes = "two conditions" if name == "until" else "a condition"
        instead = ": next(x, n) gives a value n plies later, previous(x, n) one n plies earlier"
        raise QueryError(
            f"{name} takes {takes}, and {text} is a value{instead if name in {'later', 'earlier'} else ''}"
        )


# ----------------------------------------------------------------------------------------------------- pairs of rows

_AT, _FROM = f"{THERE}.{ROW}", f"{HERE}.{ROW}"
#: The first row and the last row at which a condition is false, and the first later row at which the other is true.
_FIRST_FAULT = f"min({_AT}) filter (where not coalesce(({{0}}), false))"
_LAST_FAULT = f"max({_AT}) filter (where not coalesce(({{0}}), false))"
_REACHED = f"min({_AT}) filter (where ({{1}}) and {_AT} > {_FROM})"


class _Look(NamedTuple):
    """The rows that a row reads, and the result; an empty result means whether the condition holds at any of them."""

    rows: str
    result: str = ""


_LOOKS = {
    "next": _Look(f"{_AT} = {_FROM} + {{plies}}", "first({0})"),
    "previous": _Look(f"{_AT} = {_FROM} - {{plies}}", "first({0})"),
    "later": _Look(f"{_AT} > {_FROM}"),
    "earlier": _Look(f"{_AT} < {_FROM}"),
    "streak": _Look(
        f"{_AT} <= {_FROM} and ({_FROM} - {_AT}) % {{step}} = 0",
        f"coalesce(({_FROM} - {_LAST_FAULT}) // {{step}}, count(*))",
    ),
    "lasts": _Look(
        f"{_AT} >= {_FROM} and {_AT} < {_FROM} + {{step}}::bigint * {{plies}} and ({_AT} - {_FROM}) % {{step}} = 0",
        "count(*) filter (where {0}) = {plies}",
    ),
    "until": _Look(
        f"{_AT} >= {_FROM}", f"coalesce({_REACHED} <= coalesce({_FIRST_FAULT}, {1 << 31}), false)"
    ),
}  # fmt: skip


class Joined:
    """Computes a sequence call with arguments that name ``now(x)``: the value of ``x`` in the row of the call itself.

    Args:
        call: the call; a reference to the table ``HERE`` means the row of the call itself.
        originals: its arguments as the user has written them, for messages.
        bound: parameters of lambdas, which are not columns.
    """

    def __init__(self, call: SequenceCall, originals: Sequence[Node], bound: set[str]) -> None:
        self.call, self.originals = call, originals

        def qualified(node: Node) -> Node:
            names = node.get("column_names", ())
            is_row = node.get("class") == "COLUMN_REF" and names[0] != HERE and names[0].lower() not in bound
            return {**node, "column_names": [THERE, names[-1]]} if is_row else node

        self.texts = [text_of(rewritten(node, qualified)) for node in call.values]
        look = _LOOKS[call.name]
        self.same = f"{THERE}.{GAME} = {HERE}.{GAME} and {look.rows.format(plies=call.plies, step=call.step)}"
        self.result = look.result.format(*self.texts, plies=call.plies, step=call.step)

    def __call__(self, database: duckdb.DuckDBPyConnection, columns: Columns, game: np.ndarray) -> pa.Array:
        """Return the values of the call."""
        database.register("positions", pa.table(columns))
        values = ", ".join(self.texts)
        types = database.sql(
            f"select {values} from positions {THERE} join positions {HERE} on {THERE}.{ROW} = {HERE}.{ROW} limit 0"
        ).to_arrow_table()
        if self.call.name not in {"next", "previous"}:
            for kind, original in zip(types.schema.types, self.originals, strict=True):
                _check_condition(self.call.name, kind, original)
        if not self.result:
            return self._any(database, len(game))
        table = database.sql(
            f"select {HERE}.{ROW}, {self.result} from positions {THERE} join positions {HERE} on {self.same} group by 1"
        ).to_arrow_table()
        rows = np.full(len(game), -1, np.int64)
        rows[table.column(0).to_numpy()] = np.arange(len(table))
        values_of_rows = table.column(1).combine_chunks().take(pa.array(rows, mask=rows < 0))
        if self.call.name == "streak":
            return values_of_rows.cast(pa.int32())
        is_value = self.call.name in {"next", "previous"}
        return values_of_rows if is_value else values_of_rows.fill_null(False)  # the condition is unknown

    def _any(self, database: duckdb.DuckDBPyConnection, count: int) -> pa.Array:
        joined = f"positions {HERE} semi join positions {THERE} on {self.same} and ({self.texts[0]})"
        flags = np.zeros(count, np.bool_)
        flags[database.sql(f"select {_FROM} from {joined}").fetchnumpy()[ROW]] = True
        return pa.array(flags)


# ------------------------------------------------------------------------------- the databases that evaluate conditions


def query_database(threads: int = 1, reads: Iterable[str] = (), **settings: str) -> duckdb.DuckDBPyConnection:
    """Return a database for conditions and statements, without access to files other than ``reads`` or the network.

    DuckDB's ``bit_count`` returns an 8-bit integer, whose products overflow; here it returns a 32-bit integer.
    """
    opened = open_database(threads, reads, **settings)
    opened.execute("create macro bit_count(those) as system.main.bit_count(those)::integer").fetchall()
    define_each(opened)
    return opened


#: The smallest memory limit, in bytes, with which a database still works.
_LEAST = 32 << 20


def limited_database(threads: int, reads: Iterable[str] = (), **settings: str) -> duckdb.DuckDBPyConnection:
    """Return a database that can write data to a temporary folder if memory is short, and has no other access.

    In a process whose memory is limited, the database gets an eighth of the free memory: it uses more memory than it
    counts, and reading the sources needs much of the rest.
    """
    left = memory_left()
    most = {} if left is None else {"memory_limit": f"{max(left // 8, _LEAST) >> 20}MiB"}
    own = {"temp_directory": own_folder().name, "python_enable_replacements": "false"}
    return query_database(threads, reads, **own, **most, **settings)


#: The open database that no query uses now, by its process and its files: opening a database takes 30 ms.
_idle: dict[tuple[int | str, ...], duckdb.DuckDBPyConnection] = {}


@contextmanager
def files_database(threads: int, files: Iterable[str]) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yield a connection to a limited database that reads files; it is kept open for the next query of the same files.

    The database keeps no data of the files in memory. While it is idle it has no threads: a forked process would lose
    them.
    """
    files = list(files)
    key: tuple[int | str, ...] = (os.getpid(), *files)
    kept = _idle.pop(key, None) or limited_database(1, files, enable_external_file_cache="false")
    with at_work(), kept.cursor() as connection:
        connection.execute(f"set threads = {threads}").fetchall()
        yield connection
        connection.execute("set threads = 1").fetchall()
    if memory_left() is None:
        _idle.clear()
        _idle[key] = kept


#: The texts in messages that mean that the system has no memory left.
_NO_MEMORY = re.compile(r"bad_alloc|out of memory|cannot allocate memory|failed to allocate", re.IGNORECASE)


#: The longest message of DuckDB that is not cut; DuckDB's own sentences are all shorter.
_LONGEST = 300


class Database(threading.local):
    """The database of the current thread."""

    connection: duckdb.DuckDBPyConnection | None = None

    def __init__(self) -> None:
        self.functions: dict[str, Pattern] = {}

    def with_functions(self, patterns: Mapping[str, Pattern]) -> duckdb.DuckDBPyConnection:
        """Return the connection, with these patterns as functions."""
        if self.connection is None:
            self.connection = query_database()
        for name, pattern in patterns.items():
            if self.functions.get(name) is not pattern:
                if name in self.functions:
                    self.connection.remove_function(name)
                register(self.connection, pattern)
                self.functions[name] = pattern
        return self.connection


database = Database()


def reason(error: duckdb.Error) -> str:
    """Return DuckDB's message about a condition as one sentence; raise ``MemoryError`` if memory was too small."""
    if isinstance(error, duckdb.OutOfMemoryException) or _NO_MEMORY.search(str(error)):
        raise MemoryError("the database got no memory") from None
    message = str(error).split("\n")[0].split("Error: ")[-1]
    if advice := advice_on(message, "duckdb"):
        return advice
    if unknown := re.match(r"Scalar Function with name (\S+) does not exist", message):
        return f"there is no function {cut(unknown[1])}{way_of_function(unknown[1])}"
    return cut(message, _LONGEST)


# ---------------------------------------------------------------------------- expressions over the columns of positions


#: Forbidden functions: they read or change settings of the database, evaluate texts as SQL, or sleep.
_FORBIDDEN = frozenset(
    "current_setting getvariable getenv json_serialize_plan pg_sleep query query_table set_config setseed sleep_ms "
    "write_log".split()
)


def _spelled_references(node: Any) -> Iterator[str]:
    """Yield the names of the columns in a tree, spelled as in the tree, without the parameters of lambdas."""
    if isinstance(node, dict) and node.get("class") == "COLUMN_REF":
        yield node["column_names"][-1]
        return
    parameters = parameters_of(node) if isinstance(node, dict) and node.get("class") == "LAMBDA" else set()
    for child in children(node):
        yield from (name for name in _spelled_references(child) if name.lower() not in parameters)


def _references(node: Any) -> Iterator[str]:
    """Yield the names of the columns in a tree; all names except the names of tags are in lower case."""
    return map(lowered, _spelled_references(node))


def _parameters(tree: Any) -> set[str]:
    """Return the parameters of the lambdas in a tree."""
    return set().union(*(parameters_of(node) for node in nodes(tree) if node.get("class") == "LAMBDA"))


class Expressions:
    """The expressions of one text: the columns that they name, and the derived columns that they need.

    DuckDB evaluates the expressions only after the derived columns have been computed.

    Args:
        source_columns: the types of the columns that the source has in addition to the columns of every position.
    """

    def __init__(self, source_columns: Mapping[str, pa.DataType] | None = None) -> None:
        self.source_columns = dict(source_columns or {})
        self.named: dict[str, Pattern] = {}
        self.derived: list[Derived] = []
        #: The calls that derived columns replace, as they were written.
        self._calls: dict[str, Node] = {}
        #: Whether one of the derived columns is computed by a sequence function.
        self.uses_sequences = False

    def type_of(self, name: str) -> pa.DataType:
        """Return the type of a column."""
        return self.source_columns[name] if name in self.source_columns else COLUMNS[name].type

    def expanded(self, node: Node) -> Node:
        """Return the expression that a call of a function of the language stands for; other nodes unchanged."""
        if node.get("class") not in {"FUNCTION", "WINDOW"} or node.get("is_operator"):
            return node
        name = name_of(node)
        if name in _FORBIDDEN:
            raise QueryError(f"{name} is not a function of conditions")
        node = with_sets_as_conditions(node, column_named_in(self.source_columns))
        if is_sequence(node):
            return with_keywords(node)
        expression = expanded(node, self.named) if node["class"] == "FUNCTION" else node
        return {**expression, "alias": node.get("alias", "")}

    def columns_in(self, tree: Node) -> list[str]:
        """Return the columns that a tree names, in order; columns of the source itself are spelled as in the source."""
        names = dict.fromkeys(name for name in _spelled_references(tree) if name.lower() not in {ROW, GAME, LINE})
        for name in names:
            try:
                checked([name], self.source_columns)
            except QueryError:
                raise QueryError(unknown_column(name, tree, [*self.source_columns, *COLUMNS])) from None
        return checked(names, self.source_columns)

    def with_calls_derived(self, tree: Node) -> Node:
        """Return the tree with derived columns for calls of patterns and sequence functions, inner calls first.

        Windows inside windows become derived columns, too, because DuckDB does not nest windows.
        """
        bound = _parameters(tree)

        def change(node: Node) -> Node:
            if _is_window(node):
                return dict(zip(node, rewritten(list(node.values()), self._without_window), strict=True))
            if node.get("class") != "FUNCTION" or node.get("is_operator"):
                return node
            if is_sequence(node):
                return self._derive_sequence(node, bound)
            pattern, arguments = self.named.get(name_of(node)), arguments_of(node)
            is_known = pattern is not None or name_of(node) == EACH
            if not is_known or not bound.isdisjoint(_references(node)) or holds(node, _is_now):
                return node

            def function(_: np.ndarray, *columns: pa.Array) -> pa.Array:
                return squares_of_each(*columns) if pattern is None else answer(pattern, columns)

            return self._derive(self._rowwise(function, arguments), arguments, node)

        return self._without_now(rewritten(tree, change))

    def with_sequences_derived(self, tree: Any) -> Any:
        """Return the tree with a derived column in place of every call of a sequence function."""
        bound = _parameters(tree)
        derived = rewritten(tree, lambda node: self._derive_sequence(node, bound) if is_sequence(node) else node)
        return self._without_now(derived)

    @staticmethod
    def _without_now(tree: Any) -> Any:
        if holds(tree, _is_now):
            raise QueryError(
                "now(x) is the value of x in the row from which next, previous, later, earlier, streak, lasts or until "
                "looks: write it inside one of these"
            )
        return tree

    def _column_of(self, node: Node) -> str | None:
        """Return the name of the column if an expression is a column; None for any other expression."""
        if node.get("class") != "COLUMN_REF":
            return None
        [name] = _references(node)
        return self._spelled(name)

    def _spelled(self, name: str) -> str:
        """Return the name of a column, spelled as in its source."""
        return name if name in self._calls else checked([name], self.source_columns)[0]

    def _derive(self, compute: Compute, arguments: list[Node], call: Node) -> Node:
        """Define a derived column for a call, and return a reference to it."""
        taken = {*self._calls, *self.source_columns}
        name = next(name for number in itertools.count() if (name := f"_{number}") not in taken)
        names = (self._spelled(name) for name in _references(arguments) if name not in {ROW, GAME, LINE})
        self.derived.append(Derived(name, compute, frozenset(names)))
        self._calls[name] = self._original(call)
        return {**column_named(name), "alias": call.get("alias", "")}

    def _rowwise(self, function: Callable[..., pa.Array], arguments: list[Node]) -> Rowwise:
        windowed = holds(arguments, _is_window)
        self.uses_sequences |= windowed
        return Rowwise(function, arguments, list(map(self._column_of, arguments)), windowed=windowed)

    def _derive_value(self, node: Node) -> Node:
        """Return a reference to a column with the values of an expression: itself if it is one, or a derived column."""
        if self._column_of(node) is not None:
            return node
        return self._derive(self._rowwise(lambda _, values: values, [node]), [node], node)

    def _without_window(self, node: Node) -> Node:
        return self._derive_value(node) if _is_window(node) else node

    def _original(self, node: Node) -> Node:
        """Return an expression as it was before derived columns replaced its calls."""

        def restored(part: Node) -> Node:
            if part.get("class") != "COLUMN_REF":
                return part
            original = self._calls.get(part["column_names"][-1], {**part, "column_names": part["column_names"][-1:]})
            return expression(f"{NOW}(x)", x=original) if _is_now(part) else original

        original: Node = rewritten(node, restored)
        return original

    def _derive_sequence(self, node: Node, bound: set[str]) -> Node:
        self.uses_sequences = True
        call = sequence_call(node)
        originals = list(map(self._original, call.values))
        looks_back = holds(call.values, _is_now)
        if call.name == NOW:
            if looks_back:
                raise QueryError("now inside now has no row of its own: write now(x) of a column")
            [name] = self._derive_value(call.values[0])["column_names"][-1:]
            return {**column_named(name), "column_names": [HERE, name]}
        if looks_back and holds(call.values, _is_window):
            raise QueryError(f"{call.name} cannot read a window and now(x) at once")
        if holds(call.values, is_wider):
            raise QueryError(f"{call.name} reads one game, and a window in it is wider: write `over game`")
        compute = Joined(call, originals, bound) if looks_back else self._rowwise(of_rows(call, originals), call.values)
        return self._derive(compute, call.values, node)

    def database(self) -> duckdb.DuckDBPyConnection:
        """Return a database with the patterns that the expressions name."""
        return database.with_functions(self.named)

    def types_of_derived(self) -> dict[str, pa.DataType]:
        """Return the types of the derived columns, by computing them for one row of nulls.

        Raises ``duckdb.Error`` or ``ValueError`` if a function or type is wrong.
        """
        names = set().union(*(column.names for column in self.derived)) if self.derived else set()
        row = {name: pa.nulls(1, self.type_of(name)) for name in names if name not in self._calls}
        row |= {name: pa.array([0], pa.int32()) for name in (ROW, GAME, LINE)}
        self.extend(row, np.zeros(1, np.int32))
        return {column.name: row[column.name].type for column in self.derived}

    def based_on(self, names: Iterable[str]) -> list[str]:
        """Return the columns of positions that these columns are, or are computed from."""
        return [name for name in self._needed(names) if name not in self._calls]

    def extend(self, columns: dict[str, pa.Array], game: np.ndarray, wanted: Iterable[str] | None = None) -> None:
        """Add derived columns to ``columns``: all of them, or the wanted columns and the columns that these need."""
        names = None if wanted is None else self._needed(wanted)
        wanted_here = [column for column in self.derived if names is None or column.name in names]
        if not wanted_here:
            return
        rows = pa.array(np.arange(len(game), dtype=np.int32))
        connection, table = self.database(), {ROW: rows, GAME: pa.array(game, pa.int32()), **columns}
        for column in wanted_here:
            table[column.name] = columns[column.name] = column.compute(connection, table, game)

    def _needed(self, wanted: Iterable[str]) -> set[str]:
        names = set(wanted)
        for column in reversed(self.derived):
            if column.name in names:
                names |= column.names
        return names


def _is_window(node: Node) -> bool:
    return node.get("class") == "WINDOW"


def is_wider(part: Node) -> bool:
    """Return whether a part is a window over several games; its result would depend on the games in the batch."""
    if part.get("class") != "WINDOW":
        return False
    by = (column_in(it).lower() for it in part["partitions"])
    return not {GAME, "game"} & {*by}


def _is_now(node: Node) -> bool:
    """Whether a node is a reference to the row at which a sequence function is evaluated."""
    return node.get("class") == "COLUMN_REF" and node["column_names"][0] == HERE


# ------------------------------------------------------------------------------------------------ conditions and values


#: Windows over the plies of a game: the whole game, one line of it, or the plies up to the current one.
_WINDOWS = (
    f"window game as (partition by {GAME} order by {ROW} rows between unbounded preceding and unbounded following), "
    f"line as (partition by {GAME}, {LINE} order by {ROW} rows between unbounded preceding and unbounded following), "
    f"so_far as (partition by {GAME} order by {ROW})"
)


#: Words that are not an expression.
_WORDS = re.compile(r"[A-Za-z][\w'-]*(?: \w[\w'-]*){0,6}")
_OF_SQL = frozenset(
    "and or not in is like ilike between similar null true false case when end over as select where having limit "
    "desc asc order next previous later earlier".split()
)
_OVER_GAME = re.compile(r"\bover\s+game\b(?=(?:[^']*'[^']*')*[^']*\Z)", re.IGNORECASE)

#: The beginning of the statement that evaluates a condition.
_BEFORE = f"select {ROW} from positions {_WINDOWS} qualify "


def _is_internal(part: Node) -> bool:
    """Whether a part that the user has written names a column that only windows may use."""
    return column_in(part).lower() in {ROW, GAME, LINE} and part["query_location"] >= len(_BEFORE)


class _Expression:
    """A checked expression over the columns: which columns it names, and the statement that evaluates it."""

    #: The word for the expression in messages, and the expression that an empty text stands for.
    what, default = "expression", "null"

    def __init__(self, text: str, source_columns: Mapping[str, pa.DataType] | None = None) -> None:
        if not isinstance(text, str):
            raise QueryError(
                f"{self.what.title()}s are texts, such as 'white_passed_pawns <> 0', not {type(text).__name__}"
            )
        self.text = text.strip() or self.default
        self._title = f"{self.what} {quoted(self.text)}"
        self._expressions = Expressions(source_columns)
        try:
            with refusing_deep_trees(self._title):
                self._sql = to_sql(self._parsed())
        except QueryError as error:
            if message := self._message_about_words(str(error)):
                raise QueryError(message) from None
            raise
        self._check_types()

    def _message_about_words(self, error: str) -> str | None:
        """Return the message about a text of words, such as "double check", which is not SQL but asks for something."""
        from setwise.corpus.lexicon import NOTHING, has_word, meaning_of, way_of

        missing = f"there is no column {quoted(self.text)}"
        is_column = self._has_columns() and len(self.text.split()) == 1
        is_text = not is_column and not re.search(r"[=<>()&|~*_]|[+.-]\s*$", self.text)
        is_phrase = self._is_of_words() or not self._has_columns() or "is not SQL" in error
        if is_text and (has_word(self.text) or (is_phrase and meaning_of(self.text, misspelt=False))):
            return missing + way_of(self.text)
        if not self._is_of_words():
            return None
        if "there is no column" in error:
            return missing + NOTHING if error == missing else None
        way = way_of(self.text)
        return missing + (way or NOTHING) if way or _OF_SQL.isdisjoint(self.text.lower().split()) else None

    def _has_columns(self) -> bool:
        return not {*self.text.lower().split()}.isdisjoint(
            {*COLUMNS, *map(str.lower, self._expressions.source_columns)}
        )

    def _is_of_words(self) -> bool:
        """Return whether the text has only words: not all of them columns, and none of SQL beside a column."""
        words = {*self.text.lower().split()}
        columns = words & {*COLUMNS, *map(str.lower, self._expressions.source_columns)}
        return bool(_WORDS.fullmatch(self.text)) and columns != words and not (columns and words & _OF_SQL)

    def _parsed(self) -> Node:
        """Return the tree of the statement that evaluates the expression."""
        explain = functools.partial(why_not_sql, self.text)
        tree = parsed(f"{_BEFORE}(\n{self.text}\n)", self._title, closed=True, explain=explain)
        # Parentheses exclude a LIMIT and a second statement; parsing without them shows that the text closes none.
        parsed(f"{_BEFORE}{self.text}", self._title, explain=explain)
        node = tree["statements"][0]["node"]
        if holds(node["qualify"], lambda part: part.get("class") in {"SUBQUERY", "STAR"}):
            raise QueryError(f"the {self._title} is more than one expression over the columns")
        if holds(node["qualify"], _is_internal):
            raise QueryError(f"the {self._title} names an internal column: {ROW}, {GAME} or {LINE}")
        if holds(node["qualify"], is_wider):
            raise QueryError(
                f"the {self._title} is a window over several games: write `over game`, or `partition by game`"
            )
        expression = rewritten(deferred(node["qualify"]), self._expanded)
        #: Whether the expression reads other positions of the game.
        self.reads_other_rows = holds(expression, lambda part: _is_window(part) or is_sequence(part))
        check(expression, column_named_in(self._expressions.source_columns))
        self.columns = self._expressions.columns_in(expression)
        self._tree = expression
        #: The needs that a game meets if the expression is true in one of its rows; None if none are known.
        self.needs = needs_of(expression, self._expressions.source_columns)
        #: The texts that player names are compared with.
        self.names = list(names_of_players(expression, self._expressions.source_columns))
        #: The comparisons of columns with texts that may be anything.
        self.comparisons = list(comparisons_in(expression, self._expressions.source_columns))
        self._insert(node, expression)
        return tree

    def _expanded(self, node: Node) -> Node:
        """Return the expression that a call stands for; material keys become counts, which are quicker than texts."""
        if KEY in map(str.lower, self._expressions.source_columns):
            return self._expressions.expanded(node)
        return self._expressions.expanded(counted(node))

    def _insert(self, node: Node, expression: Node) -> None:
        """Put the expression into the SELECT."""
        raise NotImplementedError

    def _check_types(self) -> None:
        """Evaluate one row of nulls, so that type errors are raised before any file is read."""
        row = {name: pa.nulls(1, self._expressions.type_of(name)) for name in self.columns}
        self._evaluate(row, np.zeros(1, np.int32))

    def check_variations(self) -> None:
        """Raise ``QueryError`` if the expression does not say which line of a game with variations it means."""
        if _OVER_GAME.search(self.text):
            raise QueryError(
                f"the {self._title} is over game, and a game with variations has many lines: write `over line` for the "
                "line of a position, `over so_far` for the way to it"
            )

    def _run(self, database: duckdb.DuckDBPyConnection) -> Any:
        """Run the statement, and return the part of the result that the subclass needs."""
        raise NotImplementedError

    def _own(self, result: Any, paths: Paths) -> Any:
        """Return from a result along paths the part for the rows of the tree, each row once."""
        raise NotImplementedError

    def _joined(self, parts: list[Any]) -> Any:
        """Join results of several parts into one."""
        raise NotImplementedError

    def _evaluate(self, columns: dict[str, pa.Array], game: np.ndarray, line: np.ndarray | None = None) -> Any:
        rows, lines = pa.array(np.arange(len(game), dtype=np.int32)), pa.array(game if line is None else line)
        columns = {ROW: rows, GAME: pa.array(game), LINE: lines, **columns}
        try:
            self._expressions.extend(columns, game)
            database = self._expressions.database()
            database.register("positions", pa.table(columns))
            return self._run(database)
        except (duckdb.Error, ValueError) as error:  # a pattern refuses its arguments by a ValueError
            why = reason(error) if isinstance(error, duckdb.Error) else error
            raise QueryError(f"the {self._title} cannot be answered: {why}") from None

    def _evaluated(self, positions: Positions) -> Any:
        columns = {name: values_of(positions, name) for name in self.columns}
        game = np.arange(len(positions), dtype=np.int32) if positions.game is None else positions.game
        if self.reads_other_rows and (tree := tree_of_all(positions)) is not None:
            parts = (
                self._own(self._evaluate(taken(columns, paths.rows), paths.path, paths.segment), paths)
                for paths in paths_of(tree)
            )
            return self._joined(list(parts))
        if self.reads_other_rows and positions.ply is not None:
            check_plies(game, positions.ply)
        return self._evaluate(columns, game)


class Condition(_Expression):
    """A condition, as in ``WHERE``: which columns it names, and which positions of a batch match.

    >>> Condition("white_royal_fork_squares <> 0 and next(black_pawn_islands, 2) >= 3").columns
    ['white_royal_fork_squares', 'black_pawn_islands']

    Args:
        text: an expression over the columns.
        source_columns: the types of the columns that the source has in addition to the columns of every position.

    Raises:
        QueryError: for invalid SQL, for unknown columns and functions, with the nearest names, and for comparisons that
            cannot be meant.
    """

    what, default = "condition", "true"

    @property
    def source_columns(self) -> Mapping[str, pa.DataType]:
        """The types of the columns that the source has in addition to the columns of every position."""
        return self._expressions.source_columns

    @property
    def is_of_columns(self) -> bool:
        """Whether the condition can be evaluated on stored columns, row by row: nothing is computed outside SQL."""
        return not self.reads_other_rows and not self._expressions.derived

    @functools.cached_property
    def where(self) -> str:
        """The condition as SQL over columns; not for conditions with windows."""
        return text_of(parsed(self._sql)["statements"][0]["node"]["where_clause"])

    def _insert(self, node: Node, expression: Node) -> None:
        check_truth(expression, column_named_in(self._expressions.source_columns))
        node["qualify"] = self._expressions.with_calls_derived(expression)
        if not holds(node["qualify"], _is_window):
            node["where_clause"], node["qualify"] = node["qualify"], None

    def _run(self, database: duckdb.DuckDBPyConnection) -> np.ndarray:
        return database.execute(self._sql).fetchnumpy()[ROW]

    def _own(self, result: np.ndarray, paths: Paths) -> np.ndarray:
        is_own = np.zeros(len(paths.rows), np.bool_)
        is_own[paths.own] = True
        return paths.rows[result[is_own[result]]]

    def _joined(self, parts: list[np.ndarray]) -> np.ndarray:
        return np.concatenate(parts) if parts else np.zeros(0, np.int64)

    def matches(self, positions: Positions) -> np.ndarray:
        """Return the indices of the positions that match, ascending."""
        return np.sort(self._evaluated(positions), kind="stable")  # they are nearly sorted

    @functools.cached_property
    def marks(self) -> Marks:
        """Return the columns of sets that are marked on the board of each match."""
        source_columns = self._expressions.source_columns

        def rows(part: Node, positions: Positions) -> np.ndarray:
            return Condition(text_of(part), source_columns).matches(positions)

        return Marks(self._tree, self._expressions.columns_in, rows)


class Values(_Expression):
    """The values of an expression for each position of a batch.

    >>> from setwise import Position, Positions
    >>> forks = Values("knight.fork_targets(black_rooks | black_king) & black_pieces")
    >>> [Bitboard(word) for word in forks.of(Positions.from_positions([Position()])).to_pylist()]
    [Bitboard('c7')]

    Args:
        text: an expression over the columns.
        source_columns: as for ``Condition``.

    Raises:
        QueryError: as ``Condition``.
    """

    def _insert(self, node: Node, expression: Node) -> None:
        node["select_list"].append(self._expressions.with_calls_derived(expression))
        node["qualify"] = None

    def _run(self, database: duckdb.DuckDBPyConnection) -> pa.Array:
        table = database.sql(self._sql).to_arrow_table()
        return table.take(pc.sort_indices(table.column(0))).column(1).combine_chunks()

    def _own(self, result: pa.Array, paths: Paths) -> pa.Array:
        return result.take(pa.array(paths.own))

    def _joined(self, parts: list[pa.Array]) -> pa.Array:
        return pa.concat_arrays(parts)

    def of(self, positions: Positions) -> pa.Array:
        """Return the value of each position, in order."""
        values: pa.Array = self._evaluated(positions)
        return values

    def among(self, positions: Positions, rows: np.ndarray | None) -> pa.Array:
        """Return the value of each of these rows, or of all positions for None."""
        if rows is None or self.reads_other_rows:
            values = self.of(positions)
            return values if rows is None else values.take(pa.array(rows))
        return self.of(cast("Positions", positions[rows]))
