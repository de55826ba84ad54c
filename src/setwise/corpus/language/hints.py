"""Hints about names in a condition: unknown columns, texts without quotes, names of players."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import pyarrow as pa

from setwise.bitboard import SQUARE_NAMES
from setwise.corpus.columns import COLUMNS
from setwise.corpus.columns.registry import lowered
from setwise.corpus.language.tree import Node, children, constant_of, name_of
from setwise.errors import did_you_mean, shortened
from setwise.features import SIDES
from setwise.system.arrow import pc

__all__ = ["Comparison", "comparisons_in", "names_of_players", "unknown_column"]

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


class Comparison(NamedTuple):
    """A comparison of columns with a text: of one column, or of those of both sides."""

    columns: tuple[str, ...]
    #: ``is``, ``is like`` or ``contains``.
    sign: str
    text: str
    ignores_case: bool = False

    @property
    def is_of_players(self) -> bool:
        """Whether the columns are those of players' names."""
        return _NAMES.issuperset(self.columns)

    def among(self, texts: pa.Array) -> pa.Array:
        """Return those of some texts for which the comparison is true."""
        if self.sign == "is like":
            return texts.filter(pc.match_like(texts, self.text, ignore_case=self.ignores_case))
        if self.sign == "contains":
            return texts.filter(pc.match_substring(texts, self.text, ignore_case=self.ignores_case))
        small = pc.utf8_lower(texts) if self.ignores_case else texts
        return texts.filter(pc.equal(small, self.text.lower() if self.ignores_case else self.text))


_SIGNS = {"~~": "is like", "~~*": "is like", "contains": "contains"}


def comparisons_in(node: Any, others: Mapping[str, pa.DataType]) -> Iterator[Comparison]:
    """Yield the comparisons of columns with texts that may be anything, except players' names that equal a text.

    Args:
        node: the tree of a condition or a statement.
        others: the types of the columns of the source itself.
    """
    if isinstance(node, dict):
        parts = list(_parts(node))
        sign = _SIGNS.get(name_of(node), "") if node.get("class") == "FUNCTION" else "is" if _compares(node) else ""
        columns = next(filter(None, (_columns_of(part, others) for part in parts)), ()) if sign else ()
        folds = any(part.get("class") == "FUNCTION" and name_of(part) in {"lower", "upper"} for part in parts)
        is_name = _compares(node) and _NAMES.issuperset(columns)
        for text in map(constant_of, parts) if columns and not is_name else ():
            if isinstance(text, str) and text:
                yield Comparison(columns, sign, text, folds or name_of(node) == "~~*" if sign != "is" else folds)
    for child in children(node):
        yield from comparisons_in(child, others)


def _columns_of(node: Node, others: Mapping[str, pa.DataType]) -> tuple[str, ...]:
    """The columns of free texts that an expression names: one, or those of both colours; an empty tuple for none."""
    if node.get("class") == "FUNCTION" and name_of(node) in {"lower", "upper"}:
        return next(filter(None, (_columns_of(part, others) for part in _parts(node))), ())
    if node.get("class") != "COLUMN_REF":
        return ()
    name = node["column_names"][-1]
    own = {it.lower(): it for it in others}
    if name.lower() in own:
        return (own[name.lower()],) if _is_of_texts(others[own[name.lower()]]) else ()
    column = COLUMNS.get(lowered(name))
    if column is None or column.domain is not None or not _is_of_texts(column.type) or "(" in column.name:
        return ()
    side, _, stem = column.name.partition("_")
    if side in {"own", "enemy"} or (side in SIDES and stem == "name"):
        return (f"white_{stem}", f"black_{stem}")
    return (column.name,)


def _is_of_texts(kind: pa.DataType) -> bool:
    return (kind.value_type if pa.types.is_dictionary(kind) else kind) in {pa.string(), pa.large_string()}


def _compares(node: Node) -> bool:
    """Whether an expression is true for equal texts only."""
    if node.get("class") == "FUNCTION" and name_of(node) == "~~":
        return not any(letter in str(constant_of(part)) for part in _parts(node) for letter in "%_")
    return node.get("type") in _EQUAL or node.get("type") == "COMPARE_IN"
