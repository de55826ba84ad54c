"""Material in words: ``KRP v KR``, with quantifiers, as bounds of the number of each piece."""

from __future__ import annotations

import functools
import re
from typing import NamedTuple

import pyarrow as pa

from setwise.corpus.columns.registry import Column
from setwise.corpus.language.tree import Node, constant_of
from setwise.errors import QueryError, shortened
from setwise.position.material import KINDS, has_material

__all__ = [
    "KEY",
    "MATERIAL",
    "Bounds",
    "bounds_of_sides",
    "counted",
    "material_column",
    "material_name",
    "with_colours_exchanged",
]

#: The beginning of the names of these columns, which read as the call does, and what is before the colour.
MATERIAL, _AND = "material(", ", "
#: The column of all pieces as a text, and what such texts are.
KEY, _KEY = "material_key", re.compile("KQ*R*B*N*P*vKQ*R*B*N*P*")

#: The pieces that are counted, by their letters.
LETTERS = dict(zip("QRBNP", KINDS, strict=True))
_STEP = re.compile(r"([KQRBNP])([*+?]?)")
#: The smallest and largest number that a letter stands for, by what follows it; None for any number.
_TIMES: dict[str, tuple[int, int | None]] = {"": (1, 1), "*": (0, None), "+": (1, None), "?": (0, 1)}


class Bounds(NamedTuple):
    """The smallest and the largest number of a piece; None for no limit."""

    least: int
    most: int | None

    @property
    def limits(self) -> tuple[int, int]:
        """Both numbers, of pieces that there can be on a board."""
        return min(self.least, 65), 64 if self.most is None else min(self.most, 64)


def bounds_of_sides(text: str) -> list[dict[str, Bounds]]:
    """Return for each of the two sides how many of each piece it may have, by the name of the piece.

    >>> first, second = bounds_of_sides("KR*P+ v KRP*")
    >>> first["rooks"], first["pawns"], second["rooks"]
    (Bounds(least=0, most=None), Bounds(least=1, most=None), Bounds(least=1, most=1))

    Raises:
        QueryError: for a text that is not two sides with ``v`` between them.
    """
    sides = "".join(text.split()).split("v")
    if len(sides) != 2:
        raise QueryError(
            f"material({shortened(text, 40)}) is not two sides with v between them, as material('KR*P+ v KRP*')"
        )
    return [_bounds(side, text) for side in sides]


def _bounds(side: str, text: str) -> dict[str, Bounds]:
    bounds = dict.fromkeys(LETTERS.values(), Bounds(0, 0))
    at = 0
    while at < len(side):
        step = _STEP.match(side, at)
        if step is None:
            raise QueryError(
                f"material({shortened(text, 40)}): {shortened(side[at], 10)} is no piece: pieces are K Q R B N P, and "
                "after them * is none or more, + one or more, ? at most one"
            )
        letter, times = step.groups()
        if letter == "K" and (times or at):
            raise QueryError(f"material({shortened(text, 40)}): each side has one king, written first")
        if letter in LETTERS:
            before, more = bounds[LETTERS[letter]], _TIMES[times]
            most = None if before.most is None or more[1] is None else before.most + more[1]
            bounds[LETTERS[letter]] = Bounds(before.least + more[0], most)
        at = step.end()
    return bounds


def material_name(text: str, colour: str = "") -> str:
    """Return the name of the column of whether the pieces are these.

    Args:
        text: two sides, with ``v`` between them.
        colour: the colour of the first side, if it matters.

    Raises:
        QueryError: for a text that is not two sides with ``v`` between them.
    """
    bounds_of_sides(text)
    return f"{MATERIAL}{text}{_AND if colour else ''}{colour})"


def counted(node: Node) -> Node:
    """Return for a comparison of the text of the material with a key the same question about counts; or the node.

    >>> from setwise.corpus.language.tree import expression, text_of
    >>> text_of(counted(expression("material_key <> 'KRPvKR'")))
    '(NOT "material(KRPvKR, white)")'
    """
    if node.get("class") != "COMPARISON" or node["type"] not in {"COMPARE_EQUAL", "COMPARE_NOTEQUAL"}:
        return node
    column, text = node["left"], constant_of(node["right"])
    names = column.get("column_names", ())
    if len(names) != 1 or names[0].lower() != KEY or not isinstance(text, str) or not _KEY.fullmatch(text):
        return node
    is_same = {**column, "column_names": [material_name(text, "white")]}
    if node["type"] == "COMPARE_EQUAL":
        return {**is_same, "alias": node.get("alias", "")}
    return {"class": "OPERATOR", "type": "OPERATOR_NOT", "alias": node.get("alias", ""), "children": [is_same]}


def with_colours_exchanged(name: str) -> str:
    """Return the name of such a column on the board with the colours exchanged."""
    text, colour = _parts_of(name)
    return material_name(text, {"": "", "white": "black", "black": "white"}[colour])


@functools.lru_cache(64)
def material_column(name: str) -> Column:
    """Return the column of a name that ``material_name`` has made."""
    text, colour = _parts_of(name)
    first, second = ([bounds[kind].limits for kind in KINDS] for bounds in bounds_of_sides(text))
    forms = {"white": [(first, second)], "black": [(second, first)]}.get(colour, [(first, second), (second, first)])
    return Column(
        name, pa.bool_(), f"whether the pieces are {text}",
        lambda positions: pa.array(has_material(positions.sets, forms)), of_boards=True,
    )  # fmt: skip


def _parts_of(name: str) -> tuple[str, str]:
    text, _, colour = name.removeprefix(MATERIAL).removesuffix(")").partition(_AND)
    return text, colour
