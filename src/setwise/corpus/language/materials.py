"""Material in words: ``KRP v KR``, with quantifiers, as bounds of the number of each piece."""

from __future__ import annotations

import re
from typing import NamedTuple

from setwise.errors import QueryError, shortened

__all__ = ["LETTERS", "Bounds", "bounds_of_sides"]

#: The pieces that are counted, by their letters.
LETTERS = {"Q": "queens", "R": "rooks", "B": "bishops", "N": "knights", "P": "pawns"}
_STEP = re.compile(r"([KQRBNP])([*+?]?)")
#: The smallest and largest number that a letter stands for, by what follows it; None for any number.
_TIMES: dict[str, tuple[int, int | None]] = {"": (1, 1), "*": (0, None), "+": (1, None), "?": (0, 1)}


class Bounds(NamedTuple):
    """The smallest and the largest number of a piece; None for no limit."""

    least: int
    most: int | None


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
