"""Conditions that also match images of a position: with the colours or the wings exchanged, turned, or shifted.

A form of a condition is the condition applied to an image of the position. Its literals and functions stay the same,
also functions that the user has defined; each column is replaced by its value in the image: ``white_king`` by
``compass.flip_vertical(black_king)``.
"""

from __future__ import annotations

import functools
import operator
import re
from collections.abc import Callable
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

    flip: Pattern
    #: The pattern that turns sets back.
    back: Pattern
    #: Whether the colours are exchanged.
    colours: bool
    #: Expressions for columns that differ in the image; ``x`` is the column.
    values: dict[str, str]
    #: Columns and functions with these words in their names have no image; then the reason.
    refused: frozenset[str] = frozenset()
    why: str = ""
    #: Further columns that have no image.
    unknown: frozenset[str] = frozenset()


_FILES_MIRRORED = "translate({}, 'abcdefgh', 'hgfedcba')"
_OTHER_RESULT = "case x::varchar when '1-0' then '0-1' when '0-1' then '1-0' else x::varchar end"
_SIDES_EXCHANGED = "split_part(x::varchar, 'v', 2) || 'v' || split_part(x::varchar, 'v', 1)"
_RANKS_MIRRORED = "translate(x::varchar, '12345678', '87654321')"

_COLOURS_EXCHANGED = _Image(
    compass.flip_vertical,
    compass.flip_vertical,
    colours=True,
    values={
        "white_to_move": "not x", "result": _OTHER_RESULT, f"{TAG}Result": _OTHER_RESULT, "points": "1 - x",
        "evaluation": "-x", "evaluation_before": "-x",
        "material_key": _SIDES_EXCHANGED, "imbalance": _SIDES_EXCHANGED,
        "pawn_structure": "translate(array_to_string(list_reverse(string_split(x::varchar, '/')), '/'), 'Pp', 'pP')",
        "move": _RANKS_MIRRORED, "san": _RANKS_MIRRORED, "last_move": _RANKS_MIRRORED, "last_san": _RANKS_MIRRORED,
        "missed_move": _RANKS_MIRRORED,
    },
)  # fmt: skip
_WINGS_EXCHANGED = _Image(
    compass.mirror_horizontal,
    compass.mirror_horizontal,
    colours=False,
    values={
        "pawn_structure": "array_to_string(list_transform(string_split(x::varchar, '/'), lambda r: reverse(r)), '/')",
        **dict.fromkeys(("san", "last_san"), _FILES_MIRRORED.format("x::varchar")),
        **dict.fromkeys(
            ("move", "last_move", "missed_move"), f"{_FILES_MIRRORED.format('x::varchar[1:4]')} || x::varchar[5:]"
        ),
    },
    refused=frozenset({"castling", "f7"}),
    why="castling is not the same on both wings",
    unknown=frozenset({"move_index"}),
)  # fmt: skip
#: Words that have to do with pawns, castling, or the ranks of a side: columns with these words have no meaning on a
#: turned board.
_OF_PAWNS = frozenset(
    {
        "castling", "pawn", "pawns", "passant", "promotion", "passed", "passer", "passers", "island", "islands", "race",
        "files", "outposts", "holes", "ram", "lever", "chain", "phalanx", "stacked", "pair", "shield", "glance",
        "seventh", "exposed", "stragglers", "f7", "majority", "minors", "fianchetto", "lift", "luft", "space", "bad",
        "wrong", "batteries", "key_squares",
    }
)  # fmt: skip


_ONE_WAY_UP = "a board with pawns has one way up"


def _turned_by(flip: Pattern, back: Pattern | None = None) -> _Image:
    return _Image(
        flip,
        back or flip,
        colours=False,
        values={},
        refused=_OF_PAWNS,
        why=_ONE_WAY_UP,
        unknown=frozenset(
            {"move", "san", "last_move", "last_san", "missed_move", "move_index", "mate_pattern", "mate_patterns"}
        ),
    )


_TURNS = (
    _turned_by(compass.flip_vertical),
    _turned_by(compass.mirror_horizontal),
    _turned_by(compass.rotate_180),
    _turned_by(compass.flip_diagonal),
    _turned_by(compass.flip_antidiagonal),
    _turned_by(compass.rotate_90_clockwise, compass.rotate_90_anticlockwise),
    _turned_by(compass.rotate_90_anticlockwise, compass.rotate_90_clockwise),
)


def forms(name: str, condition: Node) -> list[Node]:
    """Return the forms of a condition under a symmetry, itself first.

    Args:
        name: one of ``SYMMETRIES``.
        condition: the condition, with the functions of the language replaced.

    Raises:
        QueryError: if the condition names a column or function that has no image.
    """
    return SYMMETRIES[name](name, condition)


def _of_images(*images: _Image) -> Callable[[str, Node], list[Node]]:
    def all_forms(name: str, condition: Node) -> list[Node]:
        return [condition, *(_Turning(name, image).turned(condition, frozenset()) for image in images)]

    return all_forms


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
        if stem == "pawns" and self.image.why == _ONE_WAY_UP:  # their squares turn, as those of any pieces
            return
        if not self.image.refused.isdisjoint({stem, *re.split(r"[._]", name)}):
            raise QueryError(f"{self.function} cannot turn {name}: {self.image.why}")
        names_directions = stem in FEATURES and FEATURES[stem].returns.name == "set of directions"
        if names_directions or not self.image.unknown.isdisjoint({name, stem}):
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
            return {**node, "column_names": [with_colours_exchanged(name)]} if self.image.colours else node
        if (function := name.partition("(")[0]) in RESEMBLANCES:
            return self.resemblance(node, function)
        if name in self.image.values:
            return expression(f"({self.image.values[name]})", x=node)
        if name in _OF_BOARDS:
            raise QueryError(
                f"{self.function} cannot turn {name}, unless it is compared with {name} of another position"
            )
        column = COLUMNS.get(name)
        if column is None or name in _FIXED:
            return node
        if not self.image.colours and pa.types.is_uint8(column.type):
            raise QueryError(f"{self.function} cannot turn {name}, which is a set of files")
        there = {**node, "column_names": [*node["column_names"][:-1], self.there(name)]}
        return expression(f"{self.image.flip.name}(x)", x=there) if column.is_set else there

    def there(self, name: str) -> str:
        """Return the name of the column whose value, turned, is the value of a column in the image."""
        return image_of_man(name, self.image.back) if name.startswith(MAN) else self.other_colour(name)

    def what_can(self, name: str) -> Node:
        """Return the column of ``can`` for the image: the moves are also the moves of the image."""
        if not self.image.colours:
            raise QueryError(f"{self.function} cannot turn can: castling and pawns' moves are not the same there")
        condition = self.turned(expression(name.removeprefix(CAN).removesuffix(")")), frozenset())
        return column_named(f"{CAN}{text_of(condition)})")

    def resemblance(self, node: Node, function: str) -> Node:
        """Return the column of the distance to the image of a position, or of the squares that differ from it."""
        name = node["column_names"][-1]
        if not self.image.colours or COLUMNS[name].type == pa.string():
            raise QueryError(f"{self.function} cannot turn {function}: it compares with this position as it stands")
        there = {**node, "column_names": [image_of_resemblance(name)]}
        return expression(f"{self.image.flip.name}(x)", x=there) if COLUMNS[name].is_set else there

    def other_colour(self, name: str) -> str:
        """Return the name of a column; if colours or wings are exchanged, the name with the other colour or wing."""
        if self.image is _WINGS_EXCHANGED:
            wings = {"east": "west", "west": "east", "kingside": "queenside", "queenside": "kingside"}
            return "_".join(wings.get(word, word) for word in name.split("_"))
        prefix, letters = (TAG, [it.title() for it in COLOURS]) if name.startswith(TAG) else ("", list(COLOURS))
        for one, other in (letters, letters[::-1]):
            if self.image.colours and name.startswith(f"{prefix}{one}"):
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
    "either_colour": _of_images(_COLOURS_EXCHANGED),
    "either_color": _of_images(_COLOURS_EXCHANGED),
    "either_wing": _of_images(_WINGS_EXCHANGED),
    "any_symmetry": _of_images(*_TURNS),
    "anywhere": _shifted,
}
