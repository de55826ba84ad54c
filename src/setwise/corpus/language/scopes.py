"""Resolves the names in a statement to columns of positions and games, through subqueries, aliases and joins.

A name is resolved only if it cannot mean anything else. Columns of other tables, and columns that a subquery computes,
are not checked.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple, cast

from setwise.corpus.columns import COLUMNS, GAMES, Column
from setwise.corpus.columns.registry import lowered
from setwise.corpus.language.checks import check, check_ordered, check_truth
from setwise.corpus.language.kinds import Kinds, Known
from setwise.corpus.language.tree import Node, constant_of

__all__ = ["check_statement"]

#: The columns of a table by name, None for those that can hold any value; None for a table whose columns are unknown.
Columns = Mapping[str, Column | None] | None


def check_statement(tree: Node, others: Iterable[str]) -> None:
    """Raise ``QueryError`` for comparisons in a statement that cannot be meant.

    Args:
        tree: the statement, before its functions are replaced.
        others: columns of the source itself.
    """
    own = dict.fromkeys(name.lower() for name in others)
    every: Columns = ChainMap[str, Any](own, cast("Any", COLUMNS))
    tables: dict[str, Columns] = {
        "positions": every,
        "moves": every,
        "games": {name: COLUMNS.get("ply" if name == "plies" else name) for name in GAMES.names},
    }
    for statement in tree["statements"]:
        _query(statement["node"], tables, lambda _: None)


class _Table(NamedTuple):
    """A table of a FROM."""

    alias: str
    columns: Columns


def _query(node: Node, tables: Mapping[str, Columns], outer: Known) -> Columns:
    """Check a query, and return the columns of its result."""
    tables = dict(tables)
    for entry in (node.get("cte_map") or {}).get("map", ()):
        query = entry["value"]["query_node"]
        if query.get("type") == "RECURSIVE_CTE_NODE":
            tables[entry["key"].lower()] = None
        columns = _query(query, tables, outer)
        named = entry["value"].get("aliases") or query.get("type") == "RECURSIVE_CTE_NODE"
        tables[entry["key"].lower()] = None if named else columns
    if node.get("type") != "SELECT_NODE":
        for key, part in node.items():
            if key != "cte_map":
                _expressions(part, tables, outer)
        return None
    sources = list(_tables(node["from_table"], tables, outer))
    scope = _Scope(sources, _computed(node["select_list"]), outer)
    for key, part in node.items():
        if key != "cte_map":
            _expressions(part, tables, scope)
    for condition in filter(None, (node["where_clause"], node["having"], node["qualify"])):
        check_truth(condition, scope)
    for modifier in node["modifiers"]:
        for order in modifier.get("orders", ()):
            check_ordered(_of_select(order["expression"], node["select_list"]), scope)
    return _result_columns(node["select_list"], sources, scope)


def _expressions(node: Any, tables: Mapping[str, Columns], known: Known) -> None:
    """Check the expressions in a part of a query, and the queries in them."""
    check(node, known, lambda query: _query(query, tables, known))


def _tables(node: Node, tables: Mapping[str, Columns], outer: Known) -> Iterator[_Table]:
    kind, alias = node.get("type"), (node.get("alias") or "").lower()
    if kind == "JOIN":
        yield from _tables(node["left"], tables, outer)
        yield from _tables(node["right"], tables, outer)
    elif kind == "BASE_TABLE":
        name = node["table_name"].lower()
        yield _Table(alias or name, None if node.get("column_name_alias") else tables.get(name))
    elif kind == "SUBQUERY":
        columns = _query(node["subquery"]["node"], tables, outer)
        yield _Table(alias, None if node.get("column_name_alias") else columns)
    elif kind != "EMPTY":
        yield _Table(alias, None)


class _Scope:
    """Resolves references in a SELECT: to columns of its tables, else as the enclosing query resolves them."""

    def __init__(self, tables: list[_Table], computed: Mapping[str, Node], outer: Known) -> None:
        self.tables, self.computed, self.outer = tables, computed, outer

    def __call__(self, names: list[str]) -> Column | None:
        *table, name = map(lowered, names)
        candidates = [it.columns for it in self.tables if not table or it.alias == table[-1]]
        if not table and name in self.computed:  # whose own references are to columns of the tables
            return Kinds(_Scope(self.tables, {}, self.outer)).value_of(self.computed[name])
        for columns in candidates:
            if columns is None:
                return None
            if name in columns:
                return columns[name]
        return None if candidates and table else self.outer(names)


def _of_select(order: Node, items: list[Node]) -> Node:
    """The item of a SELECT that an order names by its number or its alias; any other expression unchanged."""
    number = constant_of(order)
    if isinstance(number, int) and 1 <= number <= len(items):
        return items[number - 1]
    names = order.get("column_names", ())
    return _computed(items).get(names[0].lower(), order) if len(names) == 1 else order


def _computed(items: list[Node]) -> dict[str, Node]:
    """The expressions with aliases in a SELECT, except those whose alias equals the name of the column."""
    return {
        item["alias"].lower(): item
        for item in items
        if item.get("alias")
        and (item.get("class") != "COLUMN_REF" or item["column_names"][-1].lower() != item["alias"].lower())
    }


def _result_columns(items: list[Node], tables: list[_Table], known: Known) -> Columns:
    """The columns of the result of a SELECT."""
    columns: dict[str, Column | None] = {}
    for item in items:
        if item.get("class") == "STAR":
            if any(table.columns is None for table in tables) or _is_changed(item):
                return None
            for table in tables:
                columns |= table.columns or {}
        elif item.get("alias"):
            columns[item["alias"].lower()] = Kinds(known).value_of(item)
        elif item.get("class") == "COLUMN_REF":
            columns[item["column_names"][-1].lower()] = known(item["column_names"])
    return columns


def _is_changed(star: Node) -> bool:
    """Whether a star excludes, replaces or renames columns."""
    return any(
        star.get(key) for key in ("exclude_list", "replace_list", "rename_list", "columns", "expr", "relation_name")
    )
