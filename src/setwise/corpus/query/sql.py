"""SQL statements over the tables ``positions``, ``games`` and ``moves``, which are computed while they are read.

A statement is parsed to a tree. In the tree, functions of the language are expanded, and functions that read other
positions of a game become derived columns, as in a condition. A statement may read these tables and the tables of its
own WITH, and nothing else. If it only needs stored columns, DuckDB itself reads the files of a scan. Other statements
read streams of batches: Arrow requests one batch after another, and only the columns that the statement names.
``connect`` returns a connection with the same tables; each query on it computes them again.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack
from typing import TYPE_CHECKING, Any, NamedTuple

import duckdb
import pyarrow as pa

from setwise.corpus.columns import COLUMNS, GAMES, MADE_HERE, OF_TABLES, PLACE, TABLE_COLUMNS
from setwise.corpus.columns.registry import is_extra
from setwise.corpus.language.checks import (
    check_statement,
    comparisons_in,
    names_of_players,
    unknown_column,
    why_not_sql,
)
from setwise.corpus.language.condition import Expressions, files_database, limited_database, reason
from setwise.corpus.language.functions import deferred, define_macros, known_patterns, register
from setwise.corpus.language.names import Files, Repertoires
from setwise.corpus.language.sequences import SEQUENCES, is_sequence
from setwise.corpus.language.stored import paths_of, refuse_missing, relation
from setwise.corpus.language.tree import (
    Node,
    column_in,
    cut,
    holds,
    identifier,
    name_of,
    nodes,
    parsed,
    quoted,
    refusing_deep_trees,
    rewritten,
    tables_of_duckdb,
    text_of,
    to_sql,
)
from setwise.corpus.query.limits import answer_within, are_set, refuse_limits
from setwise.corpus.query.search import PlayerNames, hints_of, usable_threads
from setwise.corpus.sources.jobs import GAMES_TABLE, LOOKS, Batch, Question, Source, StoredFiles
from setwise.corpus.sources.kinds import resolved
from setwise.corpus.sources.places import Sources, partially
from setwise.errors import QueryError, SetwiseError, did_you_mean, shortened
from setwise.game.games import Fault
from setwise.position.position import are_tables_named
from setwise.system.processes import interruptible

if TYPE_CHECKING:
    from setwise.corpus.query.streams import TableStream


# ------------------------------------------------------ the windows of statements: over game, over line and over so_far


_OVER = re.compile(r"\bover\s+(game|line|so_far)\b(?=(?:[^']*'[^']*')*[^']*\Z)", re.IGNORECASE)
_SO_FAR = "over (partition by source, game order by ply)"
_WHOLE = "over (partition by source, {} order by ply rows between unbounded preceding and unbounded following)"


def windowed(statement: str, *, variations: bool) -> str:
    """Return a statement in which windows of SQL replace the windows of the language.

    Without variations, a line is the whole game.

    Raises:
        QueryError: with variations, for a window that does not say which line of a game it means.
    """

    def window(over: re.Match[str]) -> str:
        word = over[1].lower()
        if variations and word != "line":
            raise QueryError(f"a game with variations has many lines: write `over line`, not `{over[0]}`")
        return _SO_FAR if word == "so_far" else _WHOLE.format("game, line" if variations else "game")

    return _OVER.sub(window, statement)


# ----------------------------------------------------------------------------- SQL statements over the tables positions


#: The columns that ``*`` stands for in the table of positions.
_USUAL = (*reversed(PLACE), *TABLE_COLUMNS[len(PLACE) :])

#: The tables, in the order of their streams.
_TABLES = ("positions", "games", "moves")
_Check = Callable[[list[str]], None]
#: Table functions that read only their arguments.
_TABLE_FUNCTIONS = frozenset({"unnest", "range", "generate_series"})


def sql(
    statement: str,
    sources: Sources,
    *,
    variations: bool = False,
    files: Files = (),
    partial: bool = False,
    threads: int | None = None,
    on_fault: Callable[[Fault], Any] | None = None,
    on_hint: Callable[[str], Any] | None = None,
) -> pa.Table:
    """Return the answer to a SELECT over the tables ``positions``, ``games`` and ``moves``, as an Arrow table.

    The tables are computed while they are read, and only the columns that the statement names. ``positions`` has
    all columns of conditions; ``games`` has one row per game, with the columns that are the same for all positions of
    the game, ``plies`` and ``fault``. Joins, aggregates, windows, DuckDB's own functions and the functions of the
    language can all be used.

    Args:
        statement: one SELECT.
        sources: as for ``find``. A stream, such as standard input, is copied to a temporary file if the statement names
            tables more than once.
        variations: as for ``find``.
        files: as for ``find``; a statement reads only its sources and these files.
        partial: as for ``find``.
        threads: the number of threads, by default one per processor.
        on_fault: called once for every game that breaks off while it is read, and every record that is not a position.
        on_hint: called at the end with a sentence for each player in the statement whose name no game has,
            ``no game of 'pupil2012'; did you mean 'Pupil2012' (438)?``. If the answer has no row, or one row of zeros
            and nulls, it is also called for other texts that no row has, and for columns that are null everywhere.

    Raises:
        QueryError: the statement is not a SELECT over these tables, or a column or function is unknown.
        SourceError: a source is missing, has no known format, or cannot be read.
        MemoryError: computing the answer needs more memory than is available.

    Example:
        >>> import setwise
        >>> setwise.sql("select count(*) n, max(ply) plies from positions", b"1. e4 e5 2. Qh5 *").to_pylist()
        [{'n': 4, 'plies': 3}]

    Traps:
        ``next``, ``previous``, ``later`` and ``earlier`` read other positions of the game, so use them in a SELECT from
        ``positions`` alone; join its result with other tables afterwards. ``select *`` returns the usual columns
        only.
    """
    if are_set():
        return answer_within(sql, locals())
    sources = partially(sources, partial=partial)
    options: dict[str, Any] = {"threads": threads, "on_fault": on_fault, "on_hint": on_hint}
    return answered(statement, sources, variations=variations, files=files, **options).table


class Answer(NamedTuple):
    """The answer to a statement, and the sources of the answer."""

    table: pa.Table
    sources: list[Source]


def answered(
    statement: str,
    sources: Sources,
    *,
    variations: bool = False,
    files: Files = (),
    again: bool = False,
    **options: Any,
) -> Answer:
    """Return the answer to a SELECT, as ``sql`` does, together with the opened sources.

    Args:
        statement: one SELECT.
        sources: as for ``find``.
        variations: as for ``find``.
        files: as for ``find``.
        again: whether the caller will read the sources again; a stream is then copied to a temporary file.
        options: ``threads``, ``on_fault`` and ``on_hint`` as for ``sql``, and ``check``, which is called with the names
            of the answer's columns before anything is read, and may raise an error about them.
    """
    understood = _Statement(statement, sources, Repertoires(files), again=again, variations=variations)
    table = understood.answer(**options)
    return Answer(table.replace_schema_metadata(MADE_HERE), understood.opened)


def connect(
    sources: Sources, *, files: Files = (), partial: bool = False, threads: int | None = None
) -> duckdb.DuckDBPyConnection:
    """Return a DuckDB connection with the tables ``positions``, ``games`` and ``moves`` and the language's functions.

    Each query computes the tables again, but only the columns that it names. So name the columns: ``select *`` computes
    every column. The connection can read only these sources and files, has no network, and cannot change settings.

    Args:
        sources: as for ``find``. A stream, such as an open file, is copied now to a temporary file, which is deleted
            with the connection.
        files: the repertoires that ``within('white.pgn', key)`` may name; it is true if the repertoire has this key.
        partial: as for ``find``.
        threads: the number of threads, by default one per processor.

    Raises:
        SourceError: a source is missing or has no known format.

    Example:
        >>> import setwise
        >>> database = setwise.connect(b"1. e4 e5 2. Nf3 *")
        >>> query = "select ply from positions where knight.attacks(white_knights) & squares('e5') <> 0"
        >>> database.sql(query).fetchall()
        [(3,)]
        >>> database.close()

    Traps:
        A condition that can never be true returns no rows here; ``find`` and ``sql`` raise an error for it.
        The columns of exact ends exist only if a tablebase existed when the connection was made.
        Functions that need more than one row (``next``, ``later``, ``over game``) or other columns (``sub_fen``,
        ``tag``) work only in ``sql`` and ``find``. Here, use windows of SQL: ``lead(san) over (partition by source,
        game order by ply)``. A source that cannot be read to its end raises DuckDB's own error, a ``duckdb.Error``,
        with the message that ``sql`` would raise and, under "Detail", a traceback.
    """
    from setwise.corpus.query.streams import GamesStream, MovesStream, PositionsStream

    refuse_limits("connect")
    opened = list(resolved(partially(sources, partial=partial), again=True))
    count = usable_threads(threads)
    database = limited_database(count)
    for pattern in known_patterns().values():
        register(database, pattern)
    define_macros(database, Repertoires(files))
    expressions = Expressions(_common_source_columns(opened))
    own = {name.lower() for name in expressions.source_columns}
    absent = own if are_tables_named() else own | {*OF_TABLES}  # else "select *" would fail
    names = dict.fromkeys([*expressions.source_columns, *(name for name in ("ply", *COLUMNS) if name not in absent)])
    database.register("positions", PositionsStream(opened, _known(opened, names), expressions, threads=count))
    database.register("moves", MovesStream(opened, names, expressions.source_columns, threads=count))
    if list(_known(opened, [GAMES_TABLE])):
        database.register("games", GamesStream(opened, threads=count))
    database.execute("set lock_configuration = true").fetchall()
    return database


def _common_source_columns(opened: Iterable[Source]) -> dict[str, pa.DataType]:
    """Return the sources' own columns that all of the sources have, and have with the same type."""
    schemas = [dict(source.source_columns) for source in opened]
    first = schemas[0] if schemas else {}
    return {name: kind for name, kind in first.items() if all(other.get(name) == kind for other in schemas)}


def _known(opened: Iterable[Source], names: Iterable[str], *, variations: bool = False) -> Iterable[str]:
    """Return the names of columns that all sources have or can compute, out of ``names``."""
    for source in opened:
        names = source.answers(variations=variations).known(names)
    return names


class _Statement:
    """A checked statement, and the columns and tables that it needs."""

    def __init__(
        self,
        statement: str,
        sources: Sources,
        repertoires: Repertoires,
        *,
        again: bool = False,
        variations: bool = False,
    ) -> None:
        self.variations, self.repertoires = variations, repertoires
        if not isinstance(statement, str):
            raise QueryError(
                f"a statement is a text, such as 'select count(*) from positions', not {type(statement).__name__}"
            )
        self.what = f"statement {quoted(statement)}"
        with refusing_deep_trees(self.what), repertoires.named():
            self._read(statement, sources, again=again)

    def _read(self, statement: str, sources: Sources, *, again: bool) -> None:
        along = windowed(statement, variations=self.variations)
        tree = parsed(along, self.what, explain=functools.partial(why_not_sql, statement, is_condition=False))
        self._check_tables(tree)
        self.tables = {node["table_name"].lower() for node in nodes(tree) if node.get("table_name")}
        self.opened = list(resolved(sources, again=again or _reads_again(tree)))
        self.expressions = Expressions(_common_source_columns(self.opened))
        tree = rewritten(deferred(tree), self.expressions.expanded)
        check_statement(tree, self.expressions.source_columns)
        self.names = list(names_of_players(tree, self.expressions.source_columns))
        self.tree, self.columns = tree, self._columns_in(tree)
        for source in self.opened:
            holdings = source.answers(variations=self.variations)
            holdings.check(self._needed(tree, along_games=along != statement), source.name)
        self.of_moves = [*PLACE, *(_USUAL if holds(tree, _is_star) else ()), *self.named]
        #: The tags and others that are columns of the table of games; if positions are read, their table has these.
        self.tags = [] if "positions" in self.tables else [*filter(is_extra, self.columns)]
        self.query = to_sql(rewritten(tree, self._with_sequences_derived))
        self.files = self._stored()

    def _stored(self) -> list[StoredFiles]:
        """Return the files that DuckDB can read the positions from directly; an empty list if there are none."""
        if "positions" not in self.tables or self.expressions.derived or self.names or not self.opened:
            return []
        every = [source.explain(Question(columns=self.columns)).files for source in self.opened]
        files = [stored for some in every for stored in some or ()]
        same = len({(*it.of_positions, "", *it.of_games) for it in files}) == 1
        return files if same and all(some for some in every) else []

    def _check_tables(self, tree: Node) -> None:
        """Refuse all tables except the language's and the tables of WITH, and table functions that read other data."""
        own = {name.lower() for name in _common_tables(tree)}
        for name in own & tables_of_duckdb():  # outside its WITH, such a name would mean DuckDB's table
            raise QueryError(f"the {self.what} calls a table {name}, as DuckDB calls one of its own: rename it")
        for node in nodes(tree):
            kind = node.get("type")
            known = {*_TABLES, *own} if kind == "BASE_TABLE" else {*_TABLES, '"tables"'}
            name = ".".join(node["qualified_name"]["path"]) if node.get("table_name") else ""
            if kind in {"BASE_TABLE", "SHOW_REF"} and name and name.lower() not in known:
                near = did_you_mean(name, _TABLES)
                raise QueryError(f"there is no table {shortened(name)}: there are positions, games and moves{near}")
            if kind == "TABLE_FUNCTION" and name_of(node["function"]) not in _TABLE_FUNCTIONS:
                raise QueryError(f"{cut(name_of(node['function']))} is not a function of statements over games")

    def _columns_in(self, tree: Node) -> list[str]:
        """Return the columns of positions that the statement may need: all that it names, and the columns of ``*``."""
        known = {name.lower(): name for name in self.expressions.source_columns}
        named = [*filter(None, map(column_in, nodes(tree)))]
        star = holds(tree, _is_star)
        is_described = holds(tree, lambda node: node.get("type") == "SHOW_REF")
        usual = _USUAL if star or is_described else _USUAL[: len(PLACE)]
        names = [*(known.get(name, name) for name in usual), *(known.values() if star else ())]
        spelled = [known.get(name.lower(), name if name in COLUMNS else name.lower()) for name in named]
        self.named = [name for name in spelled if name in known.values() or name in COLUMNS or name in GAMES.names]
        names += [name for name in self.named if name in known.values() or name in COLUMNS]
        return list(_known(self.opened, dict.fromkeys(names), variations=self.variations))

    def _needed(self, tree: Node, *, along_games: bool) -> Iterator[str]:
        """Yield what every source must have: columns, the table of games, all positions of a game in order."""
        if "games" in self.tables and "games" not in map(str.lower, _common_tables(tree)):
            yield GAMES_TABLE
        if along_games or holds(tree, is_sequence):
            yield LOOKS
        own = {name.lower() for name in _aliases(tree)}
        of_moves_alone = "moves" in self.tables and "positions" not in self.tables
        if of_moves_alone:
            from setwise.corpus.query.streams import check_names, is_of_move

            check_names((name for name in self.named if name not in own), self.expressions.source_columns)
        for name in self.named:
            if of_moves_alone and is_of_move(name):
                continue
            if (name in COLUMNS or name in GAMES.names) and name not in own:
                yield name

    def _with_sequences_derived(self, node: Node) -> Node:
        """Return the SELECT with derived columns in place of all calls of sequence functions, such as ``next``."""
        if node.get("type") != "SELECT_NODE":
            return node
        parts = ("select_list", "where_clause", "group_expressions", "having", "qualify", "modifiers")
        if not any(holds(node[part], is_sequence) for part in parts):
            return node
        table = node["from_table"]
        if table.get("type") != "BASE_TABLE" or table["table_name"].lower() != "positions":
            raise QueryError(f"{', '.join(SEQUENCES)} work only in a SELECT from positions alone: use a subquery")
        named = [
            {**item, "alias": item["alias"] or text_of(item)} if is_sequence(item) else item
            for item in node["select_list"]
        ]
        node = {**node, "select_list": named}
        return {
            key: self.expressions.with_sequences_derived(value) if key in parts else value
            for key, value in node.items()
        }

    def answer(
        self,
        threads: int | None = None,
        on_fault: Callable[[Fault], Any] | None = None,
        on_hint: Callable[[str], Any] | None = None,
        check: _Check | None = None,
    ) -> pa.Table:
        """Read the sources and return the answer."""
        count = usable_threads(threads)
        names = PlayerNames(self.names if on_hint is not None else ())

        def listen(batch: Batch) -> None:
            names.read(batch.games)
            for fault in batch.faults if on_fault is not None else ():
                on_fault(fault)  # type: ignore[misc]

        stopping = ExitStack()

        def work() -> tuple[pa.Table, bool]:
            with self._database(count) as database:
                stopping.callback(database.interrupt)
                return self._answered(database, count, listen, check)

        answer, complete = interruptible(work, stopping.close)
        said = names.missing() if complete else []
        if on_hint is not None and _has_nothing(answer):
            comparisons = comparisons_in(self.tree, self.expressions.source_columns)
            said += hints_of(self.opened, self._named_columns(), comparisons, variations=self.variations)
        for hint in said:
            on_hint(hint)  # type: ignore[misc]
        return answer

    def _named_columns(self) -> Iterator[str]:
        """Yield the columns of positions that the statement names, spelled as in the sources."""
        own = {name.lower() for name in _aliases(self.tree)}
        return (name for name in self.columns if name in self.named and name.lower() not in own)

    def _database(self, threads: int) -> AbstractContextManager[duckdb.DuckDBPyConnection]:
        """Return a database for the statement; a database with functions of patterns is used for one statement only."""
        if self.files and not self.expressions.named:
            return files_database(threads, paths_of(self.files))
        return limited_database(threads, paths_of(self.files))

    def _view(self, database: duckdb.DuckDBPyConnection) -> None:
        """Let DuckDB read the positions from their files."""
        for stored in self.files:
            stored.check()
        columns = ", ".join(map(identifier, self.columns))
        database.execute(f"create temp view positions as select {columns} from ({relation(self.files)})").fetchall()

    def _stream(self, table: str, threads: int, listeners: list[Callable[[Batch], None]]) -> TableStream:
        """Return a table that is computed while it is read."""
        from setwise.corpus.query.streams import GamesStream, MovesStream, PositionsStream

        options: dict[str, Any] = {"threads": threads, "variations": self.variations}
        if table == "positions":
            return PositionsStream(self.opened, self.columns, self.expressions, listeners=listeners, **options)
        if table == "games":
            return GamesStream(self.opened, self.tags, listeners=listeners, **options)
        return MovesStream(self.opened, self.of_moves, self.expressions.source_columns, **options)

    def _answered(
        self, database: duckdb.DuckDBPyConnection, threads: int, listen: Callable[[Batch], None], check: _Check | None
    ) -> tuple[pa.Table, bool]:
        """Return the answer, and whether all games were read to compute it."""
        streams: list[TableStream] = []
        for pattern in self.expressions.named.values():
            register(database, pattern)
        try:
            listeners = [listen]
            for name in filter(self.tables.__contains__, _TABLES):
                if name == "positions" and self.files:
                    self._view(database)
                    continue
                streams.append(self._stream(name, threads, listeners))
                database.register(name, streams[-1])
            relation = database.sql(self.query)
            if check is not None:
                check(relation.columns)
            return relation.to_arrow_table(), any(stream.reported_all for stream in streams)
        except SetwiseError:
            raise
        except (duckdb.Error, ValueError) as error:
            for stream in streams:
                if isinstance(stream.error, SetwiseError | MemoryError | OSError | ImportError):
                    raise stream.error from None
            refuse_missing(self.files)
            if isinstance(error, duckdb.Error):
                raise QueryError(f"the {self.what} cannot be answered: {_explanation(error, self.tree)}") from None
            raise QueryError(f"the {self.what} cannot be answered: {error}") from None


def _explanation(error: duckdb.Error, tree: Node) -> str:
    """Return DuckDB's message; if a column is unknown, a message with the nearest columns of setwise."""
    if unknown := re.search(r'Referenced column "(.+?)" (?:was )?not found', str(error)):
        if unknown[1].lower() in COLUMNS:
            return f"{unknown[1]} is a column of positions, which is not read here: write FROM positions"
        return unknown_column(unknown[1], tree, [*COLUMNS, *GAMES.names])
    return reason(error)


def _has_nothing(answer: pa.Table) -> bool:
    """Whether an answer has no row, or a single row of zeros and nulls, which are sums over no rows."""
    return not len(answer) or (len(answer) == 1 and not any(column[0].as_py() for column in answer.columns))


def _is_star(node: Node) -> bool:
    return node.get("class") == "STAR"


def _reads_again(tree: Node) -> bool:
    """Whether the sources may be read more than once. DuckDB may compute a table of WITH again for each use."""
    tables = [node for node in nodes(tree) if node.get("type") == "BASE_TABLE"]
    return len(tables) > 1 or any(_common_tables(tree))


def _aliases(tree: Any) -> Iterator[str]:
    """Yield the names that the statement itself gives to values."""
    for node in nodes(tree):
        if node.get("alias"):
            yield node["alias"]
        yield from node.get("column_name_alias") or ()


def _common_tables(tree: Any) -> Iterator[str]:
    """Yield the names of the tables that WITH defines."""
    for node in nodes(tree):
        for entry in (node.get("cte_map") or {}).get("map", ()):
            yield entry["key"]
