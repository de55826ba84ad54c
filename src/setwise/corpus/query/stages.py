"""Conditions in stages: what a source stores is compared first, and the rest is computed for the rows that are left."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from setwise.corpus.language import condition_of
from setwise.corpus.language.plain import PlainCondition
from setwise.corpus.language.tree import Node, parsed, text_of
from setwise.errors import QueryError
from setwise.position.positions import Positions

if TYPE_CHECKING:
    import pyarrow as pa

    from setwise.corpus.language.condition import Condition

__all__ = ["Stages", "stages"]

#: The share of the rows up to which it is worth choosing them before the next stage: choosing copies boards.
_FEW = 8


class Stages:
    """Conditions that are joined by AND, in the order in which they are evaluated."""

    def __init__(self, conditions: Iterable[PlainCondition | Condition]) -> None:
        self.conditions = list(conditions)

    def matches(self, positions: Positions) -> np.ndarray:
        """Return the indices of the positions that match all conditions, ascending."""
        first, *others = self.conditions
        rows = first.matches(positions)
        for condition in others:
            if not len(rows):
                break
            if condition.reads_other_rows or len(rows) > len(positions) // _FEW:
                is_left = np.zeros(len(positions), np.bool_)
                is_left[rows] = True
                rows = condition.matches(positions)
                rows = rows[is_left[rows]]
            else:
                rows = rows[condition.matches(positions[rows])]
        return rows


def stages(
    text: str,
    others: Mapping[str, pa.DataType],
    condition: PlainCondition | Condition,
    are_stored: Callable[[list[str]], bool],
) -> Stages | None:
    """Return a condition in two stages or more; None if all or none of its parts need only stored columns.

    Args:
        text: the condition.
        others: as for ``condition_of``.
        condition: the same, checked.
        are_stored: returns whether the source stores all of some columns.
    """
    try:
        parts = _parts(text, others, condition)
    except QueryError:  # a part that is understood only beside the others, as a window by its name
        return None
    stored = [it for it in parts if it.columns and not it.reads_other_rows and are_stored(it.columns)]
    if len(stored) in {0, len(parts)}:
        return None
    return Stages([*stored, *(it for it in parts if it not in stored)])


def _parts(
    text: str, others: Mapping[str, pa.DataType], condition: PlainCondition | Condition
) -> list[PlainCondition | Condition]:
    """The conditions that AND joins."""
    if isinstance(condition, PlainCondition):
        return [PlainCondition(node) for node in _joined(condition.tree)]
    tree = parsed(f"select 1 where (\n{text}\n)", "condition", closed=True)["statements"][0]["node"]["where_clause"]
    return [condition_of(text_of(node), others) for node in _joined(tree)]


def _joined(tree: Node) -> Iterator[Node]:
    if tree.get("type") != "CONJUNCTION_AND":
        yield tree
        return
    for child in tree["children"]:
        yield from _joined(child)
