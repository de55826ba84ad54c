"""What the names in a statement mean: columns of positions and games through subqueries, aliases and joins.

A name is a column as long as nothing else can be meant. What a table of another kind may hold, or a subquery computes,
is left alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from setwise.corpus.columns import COLUMNS, GAMES, Column
from setwise.corpus.columns.registry import TAG
from setwise.corpus.language.checks import Known, check
from setwise.corpus.language.tree import Node

__all__ = ["check_statement"]

#: The columns of a table by their names, None for those that hold anything; None for a table of unknown columns.
Columns = Mapping[str, Column | None] | None


def check_statement(tree: Node, others: Iterable[str]) -> None:
    """Raise ``QueryError`` for comparisons in a statement that cannot mean anything.

    Args:
        tree: the statement as it is written.
        others: columns of the source itself.
    """
    own = dict.fromkeys(name.lower() for name in others)
    tables: dict[str, Columns] = {
        "positions": {**COLUMNS, **own},
        "games": {name: COLUMNS.get("ply" if name == "plies" else name) for name in GAMES.names},
    }
    for statement in tree["statements"]:
        _query(statement["node"], tables, lambda _: None)


class _Table(NamedTuple):
    """A table of a FROM."""

    alias: str
    columns: Columns


def _query(node: Node, tables: Mapping[str, Columns], outer: Known) -> Columns:
    """Check a query, and return the columns of its answer."""
    tables = dict(tables)
    for made in (node.get("cte_map") or {}).get("map", ()):
        query = made["value"]["query_node"]
        if query.get("type") == "RECURSIVE_CTE_NODE":
            tables[made["key"].lower()] = None
        columns = _query(query, tables, outer)
        named = made["value"].get("aliases") or query.get("type") == "RECURSIVE_CTE_NODE"
        tables[made["key"].lower()] = None if named else columns
    if node.get("type") != "SELECT_NODE":
        for key, part in node.items():
            if key != "cte_map":
                _expressions(part, tables, outer)
        return None
    sources = list(_tables(node["from_table"], tables, outer))
    inside = _Names(sources, _computed(node["select_list"]), outer)
    for key, part in node.items():
        if key != "cte_map":
            _expressions(part, tables, inside)
    return _answers(node["select_list"], sources, inside)


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


class _Names:
    """What references mean in a SELECT: columns of its tables, else what they mean around it."""

    def __init__(self, tables: list[_Table], computed: set[str], outer: Known) -> None:
        self.tables, self.computed, self.outer = tables, computed, outer

    def __call__(self, names: list[str]) -> Column | None:
        *table, name = (part if part.startswith(TAG) else part.lower() for part in names)
        asked = [it.columns for it in self.tables if not table or it.alias == table[-1]]
        if not table and name in self.computed:
            return None
        for columns in asked:
            if columns is None:
                return None
            if name in columns:
                return columns[name]
        return None if asked and table else self.outer(names)


def _computed(items: list[Node]) -> set[str]:
    """The names that a SELECT gives to other things than a column of the same name."""
    return {
        item["alias"].lower()
        for item in items
        if item.get("alias")
        and (item.get("class") != "COLUMN_REF" or item["column_names"][-1].lower() != item["alias"].lower())
    }


def _answers(items: list[Node], tables: list[_Table], known: Known) -> Columns:
    """The columns that a SELECT answers with."""
    found: dict[str, Column | None] = {}
    for item in items:
        if item.get("class") == "STAR":
            if any(table.columns is None for table in tables) or _is_changed(item):
                return None
            for table in tables:
                found |= table.columns or {}
        elif item.get("alias"):
            found[item["alias"].lower()] = known(item["column_names"]) if item.get("class") == "COLUMN_REF" else None
        elif item.get("class") == "COLUMN_REF":
            found[item["column_names"][-1].lower()] = known(item["column_names"])
    return found


def _is_changed(star: Node) -> bool:
    """Whether a star leaves columns out, or has others in their place."""
    return any(
        star.get(key) for key in ("exclude_list", "replace_list", "rename_list", "columns", "expr", "relation_name")
    )
