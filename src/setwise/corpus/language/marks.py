"""Which columns of a condition with alternatives belong to a match: those of the alternatives that hold there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np

from setwise.corpus.language.tree import Node
from setwise.position.positions import Positions

__all__ = ["Marks"]

#: Alternatives within each other: all of them hold where what is in the innermost one matters.
_Nested = tuple[int, ...]


class Marks:
    """Of a condition whose parts are joined by OR: which of its columns each match is shown with.

    ``a <> 0 and (b <> 0 or c <> 0)`` shows ``a`` always, and ``b`` and ``c`` where they are not empty. A symmetry is an
    OR of its forms.

    Args:
        tree: the condition, with the functions of the language replaced.
        columns_in: the columns that a part names.
        rows_of: the rows at which a part holds.
    """

    def __init__(
        self,
        tree: Node,
        columns_in: Callable[[Node], Iterable[str]],
        rows_of: Callable[[Node, Positions], np.ndarray],
    ) -> None:
        self._rows_of = rows_of
        self._alternatives: list[Node] = []
        self._where: dict[str, set[_Nested]] = {}
        for part, within in self._parts(tree, ()):
            for name in columns_in(part):
                self._where.setdefault(name, set()).add(within)

    def _parts(self, node: Node, within: _Nested) -> Iterator[tuple[Node, _Nested]]:
        """The parts that are neither AND nor OR, each with the alternatives that it is in."""
        if node.get("class") != "CONJUNCTION":
            yield node, within
            return
        for child in node["children"]:
            if node["type"] == "CONJUNCTION_AND":
                yield from self._parts(child, within)
            else:
                self._alternatives.append(child)
                yield from self._parts(child, (*within, len(self._alternatives) - 1))

    def of(self, positions: Positions) -> dict[str, np.ndarray]:
        """Return for each column that some matches are shown without at which positions it is shown."""
        held: dict[int, np.ndarray] = {}

        def holds(number: int) -> np.ndarray:
            if number not in held:
                held[number] = np.zeros(len(positions), np.bool_)
                held[number][self._rows_of(self._alternatives[number], positions)] = True
            return held[number]

        return {
            name: np.any([np.all([holds(number) for number in within], axis=0) for within in places], axis=0)
            for name, places in self._where.items()
            if () not in places
        }
