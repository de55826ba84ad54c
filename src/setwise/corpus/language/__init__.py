"""The query language: SQL over the columns, with the patterns as functions and sequence functions such as ``next``.

A condition is a tree, parsed by DuckDB (``tree``) or, if it is simple, by ``plain``. Functions of the language are
replaced by expressions over columns (``functions``, ``names``, ``symmetry``). Comparisons that can never match raise
errors (``checks``), calls that read along a game become columns (``sequences``), and the needs of the condition, which
an index can use, are taken from the tree (``needs``). ``condition`` evaluates the rest in DuckDB, batch by batch, and
``stored`` over the files of a scan. ``condition_of``
chooses between ``plain`` and ``condition``: most conditions need no database, and importing DuckDB takes a tenth of a
second.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from setwise.corpus.columns.registry import CAN, MAN, MATERIAL, TARGETS, WITHIN
from setwise.corpus.language.names import (
    can_column,
    man_column,
    material_column,
    names_in_use,
    resemblance_column,
    targets_column,
    within_column,
)
from setwise.corpus.language.plain import PlainCondition, plain
from setwise.corpus.sources.jobs import Divided

if TYPE_CHECKING:
    import pyarrow as pa

    from setwise.corpus.columns.registry import Column
    from setwise.corpus.language.condition import Condition

__all__ = ["condition_of", "divided"]


def condition_of(text: str, source_columns: Mapping[str, pa.DataType] | None = None) -> PlainCondition | Condition:
    """Return a condition; DuckDB is loaded only if the condition needs a database.

    Args:
        text: an expression over the columns.
        source_columns: the types of the columns that the source has in addition to the columns of every position.

    Raises:
        QueryError: as ``Condition``.
    """
    source_columns = source_columns or {}
    if (simple := plain(text, source_columns)) is not None:
        return simple
    from setwise.corpus.language.condition import Condition

    return Condition(text, source_columns)


def divided(condition: PlainCondition | Condition, are_stored: Callable[[Iterable[str]], bool]) -> Divided:
    """Return the part of a condition that DuckDB can evaluate on stored columns, and the conditions that are left.

    Args:
        condition: the condition.
        are_stored: returns whether files store all of the columns that it is called with.
    """
    if not are_stored([]):
        return Divided(None, [], [condition])
    from setwise.corpus.language import stored

    return stored.divided(condition, are_stored)


def _can(name: str) -> Column:
    """Return the column of a ``can(c)``. Columns are cached, by the repertoires too if the condition names any."""
    return can_column(condition_of, name, names_in_use() if WITHIN in name else None)


_MADE: dict[str, Callable[[str], Column]] = {
    CAN: _can, MAN: man_column, MATERIAL: material_column, TARGETS: targets_column, WITHIN: within_column
}  # fmt: skip


def column_of(name: str) -> Column:
    """Return the column that a function of the language reads; the column is computed from its name.

    ``can(c)``, ``man('…')``, ``material('…')``, ``legal_targets``, ``within('…')``, ``distance_to('…')`` and its
    companions read such columns. Raises errors as these functions do, and ``KeyError`` for a repertoire that is not in
    use.
    """
    make = next((make for beginning, make in _MADE.items() if name.startswith(beginning)), resemblance_column)
    return make(name)
