"""The values that columns can hold, so that a condition that compares with any other value is refused."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any, NamedTuple

import pyarrow as pa

from setwise.errors import did_you_mean

__all__ = ["ONE_SQUARE", "Domain", "between", "domain_of", "one_of", "written"]

#: The largest number of values that a message shows; if there are more, it also shows the nearest.
_FEW = 8
_TRUTHS = frozenset({"true", "false", "t", "f", "yes", "no", "y", "n", "1", "0"})


class Domain(NamedTuple):
    """What a column can hold besides null.

    >>> pieces = one_of("pieces are", *"PNBRQK")
    >>> pieces.admits("N"), pieces.admits("n"), pieces.describe("n")
    (True, False, 'pieces are P N B R Q K')
    """

    #: A sentence about the values; if there are ``values``, they complete it.
    sentence: str
    #: Whether the column can hold a value, given as SQL writes it: a number may be a text.
    admits: Callable[[Any], bool]
    #: All values, if they are few.
    values: tuple[Any, ...] = ()
    #: The smallest and the largest value, for numbers with such limits.
    ends: tuple[float, ...] = ()

    def describe(self, value: Any) -> str:
        """Return the sentence about the values, for a message about a value that is not one of them."""
        if not self.values:
            return self.sentence
        shown = " ".join(it if isinstance(it, str) else f"{it:g}" for it in self.values[:_FEW])
        if len(self.values) <= _FEW:
            return f"{self.sentence} {shown}"
        return f"{self.sentence} {shown} …{did_you_mean(re.sub('[ -]', '_', str(value).lower()), self.values)}"


def one_of(sentence: str, *values: Any) -> Domain:
    """Return the domain of a few values; ``sentence`` is the beginning of a sentence that they complete."""
    return Domain(sentence, values.__contains__, values)


def written(sentence: str, form: str) -> Domain:
    """Return the domain of texts that match a regular expression; ``sentence`` describes them by an example."""
    return Domain(sentence, lambda value: re.fullmatch(form, str(value)) is not None)


#: Sets of one square.
ONE_SQUARE = Domain("it is the set of one square, such as squares('e4')", lambda value: int(value).bit_count() == 1)

_TRUTH = Domain(
    "it is true or false",
    lambda value: value.strip().lower() in _TRUTHS if isinstance(value, str) else value in {0, 1},
)
_NUMBER = Domain("it is a number", lambda value: not isinstance(value, str) or any(map(str.isdigit, value)))


def between(least: float, most: float = math.inf) -> Domain:
    """Return the domain of the numbers from ``least`` to ``most``.

    >>> between(0, 4).admits(5), between(0).describe(-1)
    (False, 'it is a number, 0 or more')
    """
    return Domain(
        f"it is a number, {least} or more" if most == math.inf else f"it is a number, {least} to {most}",
        lambda value: _NUMBER.admits(value) if isinstance(value, str) else least <= value <= most,
        ends=(least, most),
    )


def domain_of(kind: pa.DataType) -> Domain | None:
    """Return the domain of all columns of a type, or None if SQL cannot compare them with anything invalid."""
    if pa.types.is_boolean(kind):
        return _TRUTH
    return _NUMBER if pa.types.is_integer(kind) or pa.types.is_floating(kind) else None
