"""SQL as a tree: DuckDB parses it to JSON, and writes JSON back as SQL."""

from __future__ import annotations

import contextlib
import functools
import itertools
import json
import re
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from setwise.errors import QueryError, shortened

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa


#: A part of a tree, as an object of JSON.
Node = dict[str, Any]

#: ``async_threads``: a database would start 8 threads for reading files, but these databases read no files. Also, a
#: forked process, which has lost its parent's threads, would crash while it waits for them.
_SETTINGS = {"autoload_known_extensions": "false", "async_threads": "0"}
#: The deepest nesting of parentheses and brackets: DuckDB 2.0.1 writes trees of at most 256 levels, three for each
#: function. The parser's time grows with the square of the number of open parentheses: two thousand take seconds.
_DEEPEST = 80
_STEPS = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}
#: The number of characters of the largest integer with a sign.
_DIGITS = 40
#: A text, a quoted name, or the operand before ``similar to``.
_SIMILAR = re.compile(r"'(?:[^']|'')*'|\"[^\"]*\"|(?P<text>[\w.()]+)\s+(?:not\s+)?similar\s+to\b", re.IGNORECASE)
_threads = threading.local()


def open_database(threads: int = 1, reads: Iterable[str] = (), **settings: str) -> duckdb.DuckDBPyConnection:
    """Return a database in memory without access to files other than ``reads``, the network or extensions."""
    import duckdb  # loading it takes a tenth of a second, and most conditions need no database

    files = list(reads)
    shut = {"enable_external_access": "false"} if not files else {}
    database = duckdb.connect(":memory:", config={"threads": threads, **_SETTINGS, **shut, **settings})
    if files:  # files can be allowed only before access is closed
        database.execute("set allowed_paths = ?", [files]).fetchall()
        database.execute("set enable_external_access = false").fetchall()
    with contextlib.suppress(duckdb.InvalidInputException):  # in notebooks without ipywidgets there is no progress bar
        database.execute("set enable_progress_bar = false").fetchall()
    return database


def _parser() -> duckdb.DuckDBPyConnection:
    if not hasattr(_threads, "parser"):
        _threads.parser = open_database()
    return _threads.parser


@functools.cache
def tables_of_duckdb() -> frozenset[str]:
    """Return the names of the tables that every database has without their schema, such as ``pg_settings``."""
    query = "select view_name from duckdb_views() where schema_name in ('main', 'pg_catalog')"
    return frozenset(name for (name,) in _parser().execute(query).fetchall())


def _fault_at_end(sql: str, tree: Node, *, closed: bool) -> str | None:
    """Return what is wrong with the end of a statement; None if the fault is elsewhere."""
    at = len(sql.encode()[: int(tree.get("position") or 0)].decode(errors="ignore"))  # DuckDB counts bytes
    if sql[at : at + 1] == ")" and not _serialized(sql[:at])["error"]:
        return "it has a closing parenthesis too many"
    if (at == len(sql) - 1) if closed else not _serialized(f"{sql}\n1")["error"]:
        return "it ends too early"
    return None


def _serialized(sql: str) -> Node:
    with refusing_deep_trees("statement"):
        [(answer,)] = _parser().execute("select json_serialize_sql(?::varchar)", [sql]).fetchall()
    tree: Node = json.loads(answer)
    return tree


def parsed(
    sql: str, what: str = "statement", *, closed: bool = False, explain: Callable[[str], str] = lambda reason: reason
) -> Node:
    """Return the tree of one SELECT statement; raise ``QueryError`` for any other text.

    Args:
        sql: the statement.
        what: the word for the statement in messages.
        closed: whether the text ends with a parenthesis that the caller has added.
        explain: turns DuckDB's reason into the reason in the error.
    """
    if max(itertools.accumulate(_STEPS.get(letter, 0) for letter in sql), default=0) > _DEEPEST + closed:
        raise QueryError(f"the {what} has more than {_DEEPEST} parentheses or brackets within each other")
    if "similar" in sql.lower() and (similar := next((it for it in _SIMILAR.finditer(sql) if it["text"]), None)):
        raise QueryError(
            f"similar to takes a regular expression for the whole text: write {similar['text']} like 'M%' for a pattern"
            f" with % and _, regexp_matches({similar['text']}, '^M') for a regular expression"
        )
    tree = _serialized(sql)
    if tree["error"]:
        reason = cut(tree.get("error_message", "it is not a SELECT").split("\n")[0], 120)
        raise QueryError(f"the {what} is not SQL: {_fault_at_end(sql, tree, closed=closed) or explain(reason)}")
    if len(tree["statements"]) != 1:
        raise QueryError(f"the {what} is {len(tree['statements'])} statements, not one")
    return tree


@contextlib.contextmanager
def refusing_deep_trees(what: str) -> Iterator[None]:
    """Raise ``QueryError`` if a tree has too many levels for Python or DuckDB, such as a sum of 900 terms."""
    import duckdb

    try:
        yield
    except (RecursionError, duckdb.SerializationException):
        raise QueryError(f"the {what} has too many operators within each other") from None


def to_sql(tree: Node) -> str:
    """Return a tree as SQL."""
    with refusing_deep_trees("statement"):
        [(sql,)] = _parser().execute("select json_deserialize_sql(?::json)", [json.dumps(tree)]).fetchall()
    return str(sql)


@functools.cache
def _expression(sql: str) -> str:
    return json.dumps(parsed(f"select {sql}")["statements"][0]["node"]["select_list"][0])


def expression(sql: str, **parts: Node) -> Node:
    """Return the tree of an expression; each name in it that is a keyword argument is replaced by that argument."""

    def filled(node: Node) -> Node:
        names = node.get("column_names", ())
        return parts[names[0]] if len(names) == 1 and names[0] in parts else node

    return rewritten(json.loads(_expression(sql)), filled)


def cast(number: int) -> Node:
    """Return the tree of a set: in SQL, an unsigned number of 64 bits."""
    return expression(f"cast({number} as ubigint)")


def all_of(conditions: list[Node]) -> Node:
    """Return the condition that all of these conditions are true."""
    return functools.reduce(lambda one, other: expression("one and other", one=one, other=other), conditions)


def any_of(conditions: list[Node]) -> Node:
    """Return the condition that at least one of these conditions is true."""
    return functools.reduce(lambda one, other: expression("one or other", one=one, other=other), conditions)


def identifier(name: str) -> str:
    """Return a name as an identifier of SQL, quoted so that it can have any letters.

    >>> identifier("own name")
    '"own name"'
    """
    return '"' + name.replace('"', '""') + '"'


def column_named(name: str) -> Node:
    """Return a reference to a column."""
    return expression(identifier(name))


def text_of(node: Node) -> str:
    """Return an expression as SQL."""
    tree = parsed("select 1")
    tree["statements"][0]["node"]["select_list"] = [node]
    return to_sql(tree).removeprefix("SELECT ")


def texts_where(condition: str, texts: pa.Array) -> pa.Array:
    """Return the texts for which a condition over the column ``_text`` is true; none if it cannot be evaluated."""
    import duckdb
    import pyarrow as pa

    database = _parser().cursor()
    database.register("texts", pa.table({"_text": texts}))
    try:
        return database.sql(f"select _text from texts where {condition}").to_arrow_table().column(0).combine_chunks()
    except duckdb.Error:
        return texts


def children(node: Any) -> Iterator[Any]:
    """Yield the children of a node or list; other values have none, and the size of a sample is no expression."""
    if isinstance(node, list):
        yield from node
    elif isinstance(node, dict):
        yield from (child for key, child in node.items() if key != "sample")


def nodes(tree: Any) -> Iterator[Node]:
    """Yield the nodes of a tree, outer nodes first."""
    if isinstance(tree, dict):
        yield tree
    for child in children(tree):
        yield from nodes(child)


def holds(tree: Any, what: Callable[[Node], bool]) -> bool:
    """Return whether ``what`` is true for any node in a tree."""
    return any(map(what, nodes(tree)))


def parameters_of(function: Node) -> set[str]:
    """Return the names of the parameters of a lambda, in lower case."""
    return {name.lower() for part in nodes(function["lhs"]) for name in part.get("column_names", ())}


def rewritten(node: Any, change: Callable[[Node], Node]) -> Any:
    """Return a tree with ``change`` applied to every node, inner nodes first."""
    if isinstance(node, list):
        return [rewritten(child, change) for child in node]
    if isinstance(node, dict):
        return change({key: child if key == "sample" else rewritten(child, change) for key, child in node.items()})
    return node


def name_of(function: Node) -> str:
    """Return the name of a function in lower case, with its schema: ``knight.attacks``."""
    return ".".join(part.lower() for part in function["qualified_name"]["path"])


def called(node: Node) -> str:
    """Return the name of the function that a node calls, as ``name_of`` does; empty for any other node."""
    return name_of(node) if node.get("class") == "FUNCTION" else ""


def column_in(node: Node) -> str:
    """Return the name of a column, as a reference to it is written; empty for any other node."""
    return str(node["column_names"][-1]) if node.get("class") == "COLUMN_REF" else ""


def arguments_of(function: Node) -> list[Node]:
    """Return the arguments of a function."""
    return [argument["expression"] for argument in function["arguments"]]


def constant_of(node: Node) -> Any:
    """Return the text or the number of a constant, or None for anything else."""
    if node.get("class") != "CONSTANT":
        return None
    literal = node["literal"]
    return number_of(literal["text"]) if literal["kind"] == "INTEGER" else literal.get("text")


def number_of(digits: str) -> int | float:
    """Return the value of a whole number in SQL: a float if the number does not fit DuckDB's largest integer type."""
    return int(digits) if len(digits) <= _DIGITS else float(digits)


def cut(text: str, most: int = 60) -> str:
    """Return a text for a message that does not quote it; a long text is cut in the middle."""
    return f"{text[: most - 20]} … {text[-12:]}" if len(text) > most else text


def quoted(text: str) -> str:
    """Return a text for a message about a condition or statement: quoted, and cut if it is long."""
    return shortened(text, 80)
