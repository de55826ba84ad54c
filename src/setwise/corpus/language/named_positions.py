"""The positions that a comparison names, by their keys."""

from __future__ import annotations

from collections.abc import Iterable

from setwise.corpus.language.tree import Node
from setwise.errors import SetwiseError
from setwise.position.chess960 import names_rooks
from setwise.position.position import Position

__all__ = ["keys_of_comparison", "keys_of_fen"]

#: More keys than these are no named positions.
_MOST = 1 << 16
_LARGEST = (1 << 64) - 1


def keys_of_comparison(node: Node) -> frozenset[int] | None:
    """Return the keys of which every row has one in which a comparison is true; None if it does not say.

    Args:
        node: the tree of a comparison: of ``key`` or ``fen`` with a literal, or ``in`` some.
    """
    match node.get("class"), node.get("type"):
        case "COMPARISON", "COMPARE_EQUAL":
            for one, other in ((node["left"], node["right"]), (node["right"], node["left"])):
                if (name := _column(one)) is not None:
                    return _keys(name, [other])
        case "OPERATOR", "COMPARE_IN":
            those, *values = node["children"]
            if (name := _column(those)) is not None:
                return _keys(name, values)
    return None


def _union(parts: Iterable[frozenset[int] | None]) -> frozenset[int] | None:
    every = frozenset[int]()
    for keys in parts:
        if keys is None:
            return None
        every |= keys
    return every if len(every) <= _MOST else None


def _column(node: Node) -> str | None:
    """The name of the column, if it is one of those that name a position."""
    if node.get("class") != "COLUMN_REF":
        return None
    name = node["column_names"][-1].lower()
    return name if name in {"key", "fen"} else None


def _keys(name: str, values: list[Node]) -> frozenset[int] | None:
    return _union(_of_value(name, value) for value in values)


def _of_value(name: str, node: Node) -> frozenset[int] | None:
    """The keys of the positions that have a value; None if the value is not a literal."""
    if node.get("class") == "CAST":
        node = node["child"]
    literal = node.get("literal", {}) if node.get("class") == "CONSTANT" else {}
    text = literal.get("text", "")
    if name == "fen":
        return keys_of_fen(text) if literal.get("kind") == "STRING" else None
    if literal.get("kind") != "INTEGER" or not text.isdecimal() or int(text) > _LARGEST:
        return None
    return frozenset([int(text)])


def keys_of_fen(fen: str) -> frozenset[int] | None:
    """Return the keys that positions with a FEN can have; None if it cannot be read.

    A FEN does not name the square behind a pawn that cannot be captured legally, but the key counts it.

    >>> pinned = "6k1/1p2p1r1/rP1pR3/2pP1pPp/p1P2P1P/R5K1/8/8 w - - 0 2"
    >>> len(keys_of_fen("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1")), len(keys_of_fen(pinned))
    (1, 5)
    """
    fields = fen.split()
    if len(fields) != 6:
        return None
    rank = "6" if fields[1] == "w" else "3"
    squares = [f"{file}{rank}" for file in "abcdefgh"] if fields[3] == "-" else []
    keys = set[int]()
    for square in [fields[3], *squares]:
        text = " ".join([*fields[:3], square, *fields[4:]])
        try:
            keys.add(int(Position(text, strict=False, chess960=names_rooks(text)).key))
        except SetwiseError:
            if square == fields[3]:
                return None
    return frozenset(keys)
