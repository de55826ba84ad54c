"""SQL as a tree: DuckDB parses it to JSON, and writes JSON back as SQL."""

from __future__ import annotations

import contextlib
import functools
import itertools
import json
import threading
from collections.abc import Callable, Iterator
from typing import Any

import duckdb

from setwise.errors import QueryError, shortened

__all__ = [
    "Node", "arguments_of", "cast", "children", "column_named", "constant_of", "cut", "expression", "name_of",
    "number_of", "open_database", "parsed", "quoted", "rewritten", "text_of", "to_sql",
]  # fmt: skip

#: A part of a tree, as JSON has it.
Node = dict[str, Any]

#: Nothing is read from files that would want threads for it, 8 for each database.
_SETTINGS = {"enable_external_access": "false", "autoload_known_extensions": "false", "async_threads": "1"}
#: Parentheses and brackets within each other. The parser takes time by the square of those that nobody closes, seconds
#: for two thousand, and nobody asks for so many.
_DEEPEST = 100
_STEPS = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}
#: The digits of the largest integer, and a sign.
_DIGITS = 40
_threads = threading.local()


def open_database(threads: int = 1, **settings: str) -> duckdb.DuckDBPyConnection:
    """Return a database in memory without any way out: no files, no network, no extensions."""
    database = duckdb.connect(":memory:", config={"threads": threads, **_SETTINGS, **settings})
    with contextlib.suppress(duckdb.InvalidInputException):  # notebooks without ipywidgets have no bar to put off
        database.execute("set enable_progress_bar = false").fetchall()
    return database


def _parser() -> duckdb.DuckDBPyConnection:
    if not hasattr(_threads, "parser"):
        _threads.parser = open_database()
    return _threads.parser


def _of_its_end(sql: str, tree: Node, *, closed: bool) -> str | None:
    """What is wrong with the end of a statement; None where something else is wrong."""
    at = len(sql.encode()[: int(tree.get("position") or 0)].decode(errors="ignore"))  # DuckDB counts bytes
    if sql[at : at + 1] == ")" and not _serialized(sql[:at])["error"]:
        return "it has a closing parenthesis too many"
    if (at == len(sql) - 1) if closed else not _serialized(f"{sql}\n1")["error"]:
        return "it ends too early"
    return None


def _serialized(sql: str) -> Node:
    [(answer,)] = _parser().execute("select json_serialize_sql(?::varchar)", [sql]).fetchall()
    tree: Node = json.loads(answer)
    return tree


def parsed(sql: str, what: str = "statement", *, closed: bool = False) -> Node:
    """Return the tree of one SELECT statement; ``QueryError`` if a text is none.

    Args:
        sql: the statement.
        what: what messages call it.
        closed: whether the parenthesis at its end is not of the user's writing.
    """
    if max(itertools.accumulate(_STEPS.get(letter, 0) for letter in sql), default=0) > _DEEPEST + closed:
        raise QueryError(f"the {what} has more than {_DEEPEST} parentheses or brackets within each other")
    tree = _serialized(sql)
    if tree["error"]:
        reason = cut(tree.get("error_message", "it is no SELECT").split("\n")[0], 120)
        raise QueryError(f"the {what} is not SQL: {_of_its_end(sql, tree, closed=closed) or reason}")
    if len(tree["statements"]) != 1:
        raise QueryError(f"the {what} is {len(tree['statements'])} statements, not one")
    return tree


def to_sql(tree: Node) -> str:
    """Return a tree as SQL."""
    [(sql,)] = _parser().execute("select json_deserialize_sql(?::json)", [json.dumps(tree)]).fetchall()
    return str(sql)


@functools.cache
def _expression(sql: str) -> str:
    return json.dumps(parsed(f"select {sql}")["statements"][0]["node"]["select_list"][0])


def expression(sql: str, **parts: Node) -> Node:
    """Return the tree of an expression whose names, where they are those of parts, stand for these."""

    def filled(node: Node) -> Node:
        names = node.get("column_names", ())
        return parts[names[0]] if len(names) == 1 and names[0] in parts else node

    return rewritten(json.loads(_expression(sql)), filled)


def cast(number: int) -> Node:
    """Return a set as SQL has it: an unsigned number of 64 bits."""
    return expression(f"cast({number} as ubigint)")


def column_named(name: str) -> Node:
    """Return the reference to a column, whatever letters its name has."""
    return expression('"' + name.replace('"', '""') + '"')


def text_of(node: Node) -> str:
    """Return an expression as SQL."""
    tree = parsed("select 1")
    tree["statements"][0]["node"]["select_list"] = [node]
    return to_sql(tree).removeprefix("SELECT ")


def children(node: Any) -> Iterator[Any]:
    """Yield the parts of a node, and of nothing else."""
    if isinstance(node, list):
        yield from node
    elif isinstance(node, dict):
        yield from node.values()


def rewritten(node: Any, change: Callable[[Node], Node]) -> Any:
    """Return a tree whose nodes have been changed, the inner ones first."""
    if isinstance(node, list):
        return [rewritten(child, change) for child in node]
    if isinstance(node, dict):
        return change({key: rewritten(child, change) for key, child in node.items()})
    return node


def name_of(function: Node) -> str:
    """Return the name of a function as it was written, its schema before it: ``knight.attacks``."""
    return ".".join(part.lower() for part in function["qualified_name"]["path"])


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
    """Return what a whole number in SQL means: one that no integer of DuckDB's holds is a floating-point number."""
    return int(digits) if len(digits) <= _DIGITS else float(digits)


def cut(text: str, most: int = 60) -> str:
    """Return a text as it may stand in a message without quotes: cut in the middle when it is long."""
    return f"{text[: most - 20]} … {text[-12:]}" if len(text) > most else text


def quoted(text: str) -> str:
    """Return a text as it may stand in a message about a condition or statement."""
    return shortened(text, 80)
