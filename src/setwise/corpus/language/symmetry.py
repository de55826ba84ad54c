"""Conditions that also match images of a position: with the colours or the wings exchanged, turned, or shifted.

A form of a condition is the condition applied to an image of the position. Its literals and functions stay the same,
also functions that the user has defined; each column is replaced by its value in the image: ``white_king`` by
``compass.flip_vertical(black_king)``.
"""

from __future__ import annotations

import functools
import operator
import re
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from setwise.bitboard import Bitboard
from setwise.compiler import Pattern
from setwise.corpus.columns.boards import LIGHT_SQUARES
from setwise.corpus.columns.registry import CAN, COLUMNS, MAN, MATERIAL, TAG, TARGETS, WITHIN, lowered
from setwise.corpus.language.names import RESEMBLANCES, image_of_man, image_of_resemblance, with_colours_exchanged
from setwise.corpus.language.tree import (
    Node,
    arguments_of,
    called,
    column_in,
    column_named,
    constant_of,
    expression,
    name_of,
    nodes,
    parameters_of,
    text_of,
)
from setwise.errors import QueryError
from setwise.features import COLOURS, FEATURES
from setwise.patterns import compass


class _Image(NamedTuple):
    """An image of a position: the pattern that turns sets, and expressions for the columns that are not sets."""

    #: What is exchanged, ``colours`` or ``wings``, or ``turns``: the table in ``symmetry.toml``.
    kind: str
    flip: Pattern
    #: The pattern that turns sets back.
    back: Pattern
    #: For each expression the columns that it is for; ``x`` is the column.
    values: Mapping[str, Collection[str]] = {}
    #: Columns and functions with these words in their names have no image; then the reason.
    refused: Collection[str] = ()
    why: str = ""
    #: Further columns that have no image.
    unknown: Collection[str] = ()


@functools.cache
def _images(name: str) -> list[_Image]:
    """Return the images of a symmetry."""
    import tomllib

    clockwise, anticlockwise = compass.rotate_90_clockwise, compass.rotate_90_anticlockwise
    flips = [compass.flip_vertical, compass.mirror_horizontal, compass.rotate_180, compass.flip_diagonal]
    turns = [*((it, it) for it in (*flips, compass.flip_antidiagonal)), (clockwise, anticlockwise)]
    kind, those = {
        "either_wing": ("wings", turns[1:2]), "any_symmetry": ("turns", [*turns, (anticlockwise, clockwise)])
    }.get(name, ("colours", turns[:1]))  # fmt: skip
    listed = tomllib.loads(Path(__file__).with_name("symmetry.toml").read_text("utf-8"))[kind]
    return [_Image(kind, *turn, **listed) for turn in those]


def forms(name: str, condition: Node) -> list[Node]:
    """Return the forms of a condition under a symmetry, itself first.

    Args:
        name: one of ``SYMMETRIES``.
        condition: the condition, with the functions of the language replaced.

    Raises:
        QueryError: if the condition names a column or function that has no image.
    """
    return SYMMETRIES[name](name, condition)


def _turned(name: str, condition: Node) -> list[Node]:
    return [condition, *(_Turning(name, image).turned(condition, frozenset()) for image in _images(name))]


#: Texts and numbers of a whole board: equal for two positions if they are equal for the images of the positions.
_OF_BOARDS = frozenset({"fen", "key"})
#: Comparisons of sets that keep their results if both sets are turned, and functions whose results turn with the sets.
_EQUALITY = frozenset({"COMPARE_EQUAL", "COMPARE_NOTEQUAL"})
_ALGEBRA = frozenset({"&", "|", "~", "xor"})
#: Columns that are the same set on every board, as literals are.
_FIXED = ("light_squares", "dark_squares")
_SEQUENCES_OF_ONE = frozenset({"now", "next", "previous"})


class _Turning(NamedTuple):
    """Replaces the columns of a condition by their values in an image."""

    function: str
    image: _Image

    def turned(self, node: Any, bound: frozenset[str]) -> Any:
        """Return a tree in which columns of the image replace all columns; parameters of lambdas stay."""
        if isinstance(node, list):
            return [self.turned(part, bound) for part in node]
        if not isinstance(node, dict):
            return node
        kind = node.get("class")
        if kind == "COLUMN_REF":
            return node if node["column_names"][0].lower() in bound else self.column(node)
        if kind == "LAMBDA":
            return {**node, "expr": self.turned(node["expr"], bound | parameters_of(node))}
        if kind == "FUNCTION":
            self.refuse(name_of(node))
            if name_of(node) == "bit_count" and (counted := self.literally(arguments_of(node)[0], bound)) is not None:
                return {**node, "arguments": [{**node["arguments"][0], "expression": counted}]}
        if kind == "COMPARISON" and _column_of(node["left"]) == _column_of(node["right"]) in _OF_BOARDS:
            return node
        if kind == "COMPARISON" and node["type"] in _EQUALITY:
            left, right = (self.literally(node[side], bound) for side in ("left", "right"))
            if left is not None and right is not None:
                return {**node, "left": left, "right": right}
        return {key: self.turned(part, bound) for key, part in node.items()}

    def literally(self, node: Node, bound: frozenset[str]) -> Node | None:
        """Return a set turned back, with columns unchanged and literals turned, which is quick; None for other sets."""
        word = _set_in(node)
        if word is not None:
            return _with_word(node, int(self.image.back(word)))
        if name := lowered(column_in(node)):
            column = COLUMNS.get(name)
            if name in bound or column is None or not column.is_set:
                return None
            self.refuse(name)
            there = self.turned_back(name) if name in _FIXED else self.there(name)
            return {**node, "column_names": [*node["column_names"][:-1], there]}
        if called(node) in _ALGEBRA:
            parts = [self.literally(argument, bound) for argument in arguments_of(node)]
            if None not in parts:
                listed = zip(node["arguments"], parts, strict=True)
                return {**node, "arguments": [{**argument, "expression": part} for argument, part in listed]}
        return node if constant_of(node) == 0 else None

    def turned_back(self, name: str) -> str:
        """Return ``light_squares`` or ``dark_squares`` after the board is turned back: turning may exchange the two."""
        one, other = _FIXED
        turns_over = self.image.flip(Bitboard("a1")) & LIGHT_SQUARES != 0
        return (other if name == one else one) if turns_over else name

    def refuse(self, name: str) -> None:
        """Raise an error if a column or function has no image."""
        stem = name.partition("_")[2]
        if stem == "pawns" and self.image.kind == "turns":  # their squares turn, as those of any pieces
            return
        if not {stem, *re.split(r"[._]", name)}.isdisjoint(self.image.refused):
            raise QueryError(f"{self.function} cannot turn {name}: {self.image.why}")
        names_directions = stem in FEATURES and FEATURES[stem].returns.name == "set of directions"
        if names_directions or not {name, stem}.isdisjoint(self.image.unknown):
            raise QueryError(f"{self.function} cannot turn {name}: only sets of squares can be turned")

    def column(self, node: Node) -> Node:
        """Return the column of the image."""
        spelled = node["column_names"][-1]
        name = lowered(spelled)
        self.refuse(name)
        if name.startswith(CAN):
            return self.what_can(name)
        if name.startswith(TARGETS):
            raise QueryError(f"{self.function} cannot turn {name.removeprefix(TARGETS)}: moves are those of this board")
        if name.startswith(WITHIN):
            raise QueryError(f"{self.function} cannot turn a repertoire: its positions are those of this board")
        if name.startswith(MATERIAL):
            return {**node, "column_names": [with_colours_exchanged(name)]} if self.image.kind == "colours" else node
        if (function := name.partition("(")[0]) in RESEMBLANCES:
            return self.resemblance(node, function)
        if value := next((value for value, columns in self.image.values.items() if name in columns), ""):
            return expression(f"({value})", x=node)
        if name in _OF_BOARDS:
            raise QueryError(
                f"{self.function} cannot turn {name}, unless it is compared with {name} of another position"
            )
        column = COLUMNS.get(name)
        if column is None or name in _FIXED:
            return node
        if self.image.kind != "colours" and pa.types.is_uint8(column.type):
            raise QueryError(f"{self.function} cannot turn {name}, which is a set of files")
        there = {**node, "column_names": [*node["column_names"][:-1], self.there(name)]}
        return expression(f"{self.image.flip.name}(x)", x=there) if column.is_set else there

    def there(self, name: str) -> str:
        """Return the name of the column whose value, turned, is the value of a column in the image."""
        return image_of_man(name, self.image.back) if name.startswith(MAN) else self.other_colour(name)

    def what_can(self, name: str) -> Node:
        """Return the column of ``can`` for the image: the moves are also the moves of the image."""
        if self.image.kind != "colours":
            raise QueryError(f"{self.function} cannot turn can: castling and pawns' moves are not the same there")
        condition = self.turned(expression(name.removeprefix(CAN).removesuffix(")")), frozenset())
        return column_named(f"{CAN}{text_of(condition)})")

    def resemblance(self, node: Node, function: str) -> Node:
        """Return the column of the distance to the image of a position, or of the squares that differ from it."""
        name = node["column_names"][-1]
        if self.image.kind != "colours" or COLUMNS[name].type == pa.string():
            raise QueryError(f"{self.function} cannot turn {function}: it compares with this position as it stands")
        there = {**node, "column_names": [image_of_resemblance(name)]}
        return expression(f"{self.image.flip.name}(x)", x=there) if COLUMNS[name].is_set else there

    def other_colour(self, name: str) -> str:
        """Return the name of a column; if colours or wings are exchanged, the name with the other colour or wing."""
        if self.image.kind == "wings":
            wings = {"east": "west", "west": "east", "kingside": "queenside", "queenside": "kingside"}
            return "_".join(wings.get(word, word) for word in name.split("_"))
        prefix, letters = (TAG, [it.title() for it in COLOURS]) if name.startswith(TAG) else ("", list(COLOURS))
        for one, other in (letters, letters[::-1]):
            if self.image.kind == "colours" and name.startswith(f"{prefix}{one}"):
                return f"{prefix}{other}{name.removeprefix(f'{prefix}{one}')}"
        return name


def _column_of(node: Node) -> str:
    """Return the column whose value an expression has, in this or another position of the game; "" if it has none."""
    while called(node) in _SEQUENCES_OF_ONE and node["arguments"]:
        node = node["arguments"][0]["expression"]
    return column_in(node).lower()


# --------------------------------------------------------------------------------------------------------------- shifts


def _shifted(name: str, condition: Node) -> list[Node]:
    """Return the condition with its sets of squares shifted to every place of the board where all of them fit."""
    words = (_set_in(node) for node in nodes(condition))
    together = functools.reduce(operator.or_, filter(None, words), 0)
    if not together:
        raise QueryError(f"{name} shifts the squares that a condition names, and this one names none")
    places = Bitboard(together).squares()
    files, ranks = [square % 8 for square in places], [square // 8 for square in places]
    return [
        _moved(condition, 8 * up + right)
        for up in sorted(range(-min(ranks), 8 - max(ranks)), key=abs)
        for right in sorted(range(-min(files), 8 - max(files)), key=abs)
    ]


def _set_in(node: Any) -> int | None:
    """Return the set of a literal; None for any other node."""
    if not isinstance(node, dict) or node.get("class") != "CAST" or name_of(node["type_expr"]) != "ubigint":
        return None
    word = constant_of(node["child"])
    return word if isinstance(word, int) else None


def _with_word(literal: Node, word: int) -> Node:
    """Return the literal with another set in it."""
    return {**literal, "child": {**literal["child"], "literal": {"kind": "INTEGER", "text": str(word)}}}


def _moved(node: Any, by: int) -> Any:
    word = _set_in(node)
    if word is not None:
        return _with_word(node, word << by if by >= 0 else word >> -by)
    if isinstance(node, list):
        return [_moved(part, by) for part in node]
    return {key: _moved(part, by) for key, part in node.items()} if isinstance(node, dict) else node


#: The symmetries: each returns the forms of a condition.
SYMMETRIES: dict[str, Callable[[str, Node], list[Node]]] = {
    **dict.fromkeys(("either_colour", "either_color", "either_wing", "any_symmetry"), _turned),
    "anywhere": _shifted,
}
