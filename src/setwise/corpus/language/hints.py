"""Hints about names in a condition: unknown columns, texts without quotes, names of players."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator
from typing import Any

import pyarrow as pa

from setwise.bitboard import SQUARE_NAMES
from setwise.corpus.columns import COLUMNS
from setwise.corpus.columns.registry import lowered
from setwise.corpus.language.tree import Node, children, constant_of, name_of
from setwise.errors import did_you_mean, shortened
from setwise.features import SIDES

__all__ = ["names_of_players", "unknown_column"]

_NAMES = frozenset(f"{side}_name" for side in SIDES)
_EQUAL = frozenset({"COMPARE_EQUAL", "COMPARE_NOT_DISTINCT_FROM"})

#: The form of all names of columns, except tags.
_PLAIN_NAME = re.compile(r"[a-z_][a-z0-9_]*")


def unknown_column(name: str, tree: Any, known: Iterable[str]) -> str:
    """Return the message about a name that no column has; if a text may be meant, it says how texts are written.

    Args:
        name: the name as it is written.
        tree: the condition or statement that contains it.
        known: the names of the columns.
    """
    is_name = len(name) > 2 and _PLAIN_NAME.fullmatch(name.lower())
    near = did_you_mean(name.lower()[:60], known) if is_name else ""
    odd = name in SQUARE_NAMES or (not near and not _PLAIN_NAME.fullmatch(name))
    advice = ""
    if odd or _stands_beside_text(name, tree):
        text = name[:40].replace("'", "''")
        advice = f"; texts are written in single quotes: '{text}'"
    return f"there is no column {shortened(name)}{advice}{near}"


def _stands_beside_text(name: str, node: Any) -> bool:
    """Whether a name is compared with a text, or passed to a function together with a text."""
    if isinstance(node, dict) and node.get("class") not in {None, "CONJUNCTION"}:
        parts = list(_parts(node))
        if any(part.get("column_names", [""])[-1] == name for part in parts) and any(map(_is_text, parts)):
            return True
    return any(_stands_beside_text(name, child) for child in children(node))


def _parts(node: Node) -> Iterator[Node]:
    """The direct subexpressions of an expression."""
    for child in children(node):
        if isinstance(child, dict) and child.get("class"):
            yield child
        else:
            yield from _parts(child)


def _is_text(node: Node) -> bool:
    if node["class"] == "COLUMN_REF":
        column = COLUMNS.get(lowered(node["column_names"][-1]))
        kind = column.type if column else None
        return isinstance(kind, pa.DictionaryType) or kind == pa.string()
    return isinstance(constant_of(node), str)


def names_of_players(node: Any, others: Container[str] = ()) -> Iterator[str]:
    """Yield the texts that names of players are compared with for equality.

    Args:
        node: the tree of a condition or a statement.
        others: the columns of the source itself; names of such columns are not those of players.
    """
    if isinstance(node, dict):
        columns = [part["column_names"][-1].lower() for part in _parts(node) if part["class"] == "COLUMN_REF"]
        if _compares(node) and any(name in _NAMES and name not in others for name in columns):
            texts = (constant_of(part) for part in _parts(node))
            yield from (text for text in texts if isinstance(text, str) and text)
    for child in children(node):
        yield from names_of_players(child, others)


def _compares(node: Node) -> bool:
    """Whether an expression is true for equal texts only."""
    if node.get("class") == "FUNCTION" and name_of(node) == "~~":
        return not any(letter in str(constant_of(part)) for part in _parts(node) for letter in "%_")
    return node.get("type") in _EQUAL or node.get("type") == "COMPARE_IN"
