"""The registry of features: a pattern applied to a whole position, for one side.

A feature is written once, for the side that plays up the board, and becomes the columns ``white_NAME`` and
``black_NAME``, the argument of ``Position.feature`` and ``setwise show``, and an entry of the catalogue. Defining it
with ``@feature`` is all there is to do; nothing lists it a second time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_type_hints

from setwise.errors import QueryError
from setwise.features.side import Side
from setwise.kernel import Flag, Pattern, Set, routine

__all__ = ["FEATURES", "Feature", "Side", "did_you_mean", "feature", "named", "one_sided"]


class Feature(Pattern):
    """A pattern on the nine words of a :class:`Side`; see :func:`feature`."""


#: All features by name, in the order of their definition.
FEATURES: dict[str, Feature] = {}


def feature(definition: Callable[[Side], Any]) -> Feature:
    """Register a definition that takes a :class:`Side` and returns a set, a count, a fileset or a flag."""
    body = routine(definition)

    def columns(own, enemy, pawns, knights, bishops, rooks, queens, kings, to_move):
        return body(Side(own, enemy, pawns, knights, bishops, rooks, queens, kings, to_move))

    for attribute in ("__module__", "__name__", "__qualname__", "__doc__"):
        setattr(columns, attribute, getattr(definition, attribute))
    returns = get_type_hints(definition, include_extras=True)["return"]
    columns.__annotations__ = dict.fromkeys(Side._fields, Set) | {"to_move": Flag, "return": returns}
    made = FEATURES[definition.__name__] = Feature(columns)
    return made


def named(name: str) -> Feature:
    """Return a feature by name. Raises ``QueryError`` with the nearest names for an unknown one."""
    try:
        return FEATURES[name]
    except KeyError:
        raise QueryError(f"there is no feature {name!r:.40}{did_you_mean(name, FEATURES)}") from None


def one_sided(column: str) -> tuple[Feature, bool]:
    """Return the feature of a column ``white_NAME`` or ``black_NAME``, and whether it is White's.

    Raises ``QueryError`` with the nearest names for an unknown one.
    """
    colour, _, name = column.partition("_")
    if colour not in ("white", "black"):
        raise QueryError(f"a feature's column is white_… or black_…, not {column!r:.40}{did_you_mean(column, _columns())}")
    return named(name), colour == "white"


def _columns() -> list[str]:
    return [f"{colour}_{name}" for name in FEATURES for colour in ("white", "black")]


def did_you_mean(name: str, known: Any) -> str:
    """The end of an error's sentence: the nearest of the known names, if any is near."""
    import difflib

    near = difflib.get_close_matches(name, list(known), n=3, cutoff=0.5)
    return f"; did you mean {' or '.join(near)}?" if near else ""
