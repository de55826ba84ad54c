"""The registry of features: a pattern applied to a whole position, for one side.

A feature is written once, for the side that plays up the board, and becomes the columns ``white_NAME`` and
``black_NAME``, the argument of ``Position.feature`` and ``setwise show``, and an entry of the catalogue. Defining it
with ``@feature`` is all there is to do; nothing lists it a second time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, get_type_hints

import numpy as np

from setwise.kernel import Flag, Pattern, Set, routine

__all__ = ["FEATURES", "Feature", "Side", "feature", "named"]


class Side(NamedTuple):
    """A position as one side sees it, playing up the board: own men, the enemy's, all pawns, all knights …"""

    own: np.uint64
    enemy: np.uint64
    pawns: np.uint64
    knights: np.uint64
    bishops: np.uint64
    rooks: np.uint64
    queens: np.uint64
    kings: np.uint64
    to_move: np.uint64


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
    """Return a feature by name. Raises ``ValueError`` with the nearest names for an unknown one."""
    try:
        return FEATURES[name]
    except KeyError:
        raise ValueError(f"there is no feature {name!r:.40}{did_you_mean(name, FEATURES)}") from None


def did_you_mean(name: str, known: Any) -> str:
    """The end of an error's sentence: the nearest of the known names, if any is near."""
    import difflib

    near = difflib.get_close_matches(name, list(known), n=3, cutoff=0.5)
    return f"; did you mean {' or '.join(near)}?" if near else ""
