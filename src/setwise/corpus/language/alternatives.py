"""``can``: whether some legal move leads to a position in which a condition holds."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Protocol

import numpy as np
import pyarrow as pa

from setwise.corpus.columns.registry import COLUMNS, Column
from setwise.errors import QueryError
from setwise.position.positions import Positions

__all__ = ["CAN", "can_column"]

#: The beginning of the names of these columns, which read as the call does.
CAN = "can("

#: How many positions are replaced by those that their moves lead to at a time, which takes about 3 KB for each.
_AT_ONCE = 2048


class _Matching(Protocol):
    """A condition of single positions."""

    columns: list[str]
    reads_other_rows: bool

    def matches(self, positions: Positions) -> np.ndarray: ...


@functools.lru_cache(64)
def can_column(
    condition_of: Callable[[str], _Matching], name: str, repertoires: frozenset[str] | None = None
) -> Column:
    """Return the column of whether a legal move leads to a position in which a condition holds.

    Args:
        condition_of: reads a condition.
        name: ``can(…)``, with the text of the condition.
        repertoires: the columns of those that the condition may name, by which columns of one name are kept apart.

    Raises:
        QueryError: for a condition that is wrong, or that asks of more than a position.
    """
    text = name.removeprefix(CAN).removesuffix(")")
    condition = condition_of(text)
    if condition.reads_other_rows:
        raise QueryError(
            "can asks of the position that a legal move leads to, and no game goes on from there: write next, later "
            "and the like outside"
        )
    for column in condition.columns:
        if not COLUMNS[column].of_boards:
            raise QueryError(
                f"can asks of the position that a legal move leads to, which has no {column}: write it outside"
            )
    return Column(
        name, pa.bool_(), f"whether a legal move leads to a position with {text}",
        lambda positions: pa.array(_can(condition, positions)), of_boards=True,
    )  # fmt: skip


def _can(condition: _Matching, positions: Positions) -> np.ndarray:
    """Whether each position has a legal move to one that matches."""
    flags = np.zeros(len(positions), np.bool_)
    for start in range(0, len(positions), _AT_ONCE):
        after, parents, _ = positions[start : start + _AT_ONCE].children()
        flags[start + parents[condition.matches(after)]] = True
    return flags
