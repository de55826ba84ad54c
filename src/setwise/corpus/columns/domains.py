"""The values that columns can hold: what else a condition compares them with, they never are."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any, NamedTuple

import pyarrow as pa

from setwise.errors import did_you_mean

__all__ = ["ONE_SQUARE", "Domain", "between", "domain_of", "one_of", "written"]

#: How many values a message shows; of more it shows the nearest.
_FEW = 8
_TRUTHS = frozenset({"true", "false", "t", "f", "yes", "no", "y", "n", "1", "0"})


class Domain(NamedTuple):
    """What a column can hold besides null.

    >>> pieces = one_of("pieces are", *"PNBRQK")
    >>> pieces.admits("N"), pieces.admits("n"), pieces.told("n")
    (True, False, 'pieces are P N B R Q K')
    """

    #: A sentence on the values, or its beginning where ``values`` complete it.
    said: str
    #: Whether the column can hold a value, as SQL writes it: a text for a number, too.
    admits: Callable[[Any], bool]
    #: All values, where they are few.
    values: tuple[Any, ...] = ()
    #: The least and the greatest value, where numbers have them.
    ends: tuple[float, ...] = ()

    def told(self, value: Any) -> str:
        """Return the sentence on the values, for a value that is none of them."""
        if not self.values:
            return self.said
        shown = " ".join(it if isinstance(it, str) else f"{it:g}" for it in self.values[:_FEW])
        if len(self.values) <= _FEW:
            return f"{self.said} {shown}"
        return f"{self.said} {shown} …{did_you_mean(re.sub('[ -]', '_', str(value).lower()), self.values)}"


def one_of(said: str, *values: Any) -> Domain:
    """Return the domain of a few values; ``said`` is the beginning of a sentence that they complete."""
    return Domain(said, values.__contains__, values)


def written(said: str, form: str) -> Domain:
    """Return the domain of texts of one form, a regular expression; ``said`` is a sentence with an example."""
    matches = re.compile(form).fullmatch
    return Domain(said, lambda value: matches(str(value)) is not None)


#: Sets of one square.
ONE_SQUARE = Domain("it is the set of one square, such as squares('e4')", lambda value: int(value).bit_count() == 1)

_TRUTH = Domain(
    "it is true or false",
    lambda value: value.strip().lower() in _TRUTHS if isinstance(value, str) else value in {0, 1},
)
_NUMBER = Domain("it is a number", lambda value: not isinstance(value, str) or any(map(str.isdigit, value)))


def between(least: float, most: float = math.inf) -> Domain:
    """Return the domain of the numbers from one to another.

    >>> between(0, 4).admits(5), between(0).told(-1)
    (False, 'it is a number, 0 or more')
    """
    return Domain(
        f"it is a number, {least} or more" if most == math.inf else f"it is a number, {least} to {most}",
        lambda value: _NUMBER.admits(value) if isinstance(value, str) else least <= value <= most,
        ends=(least, most),
    )


def domain_of(kind: pa.DataType) -> Domain | None:
    """Return what every column of a type can hold, where a value of SQL's may be something else."""
    if pa.types.is_boolean(kind):
        return _TRUTH
    return _NUMBER if pa.types.is_integer(kind) or pa.types.is_floating(kind) else None
