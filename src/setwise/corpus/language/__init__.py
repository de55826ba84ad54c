"""The query language: SQL over the columns, with the patterns as functions and sequence functions such as ``next``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from setwise.corpus.columns.registry import MADE
from setwise.corpus.language.names import (
    CAN,
    MATERIAL,
    RESEMBLANCES,
    TARGETS,
    WITHIN,
    can_column,
    material_column,
    names_in_use,
    resemblance_column,
    targets_column,
    within_column,
)
from setwise.corpus.language.plain import PlainCondition, plain

if TYPE_CHECKING:
    import pyarrow as pa

    from setwise.corpus.columns.registry import Column
    from setwise.corpus.language.condition import Condition

__all__ = ["condition_of"]


def condition_of(text: str, source_columns: Mapping[str, pa.DataType] | None = None) -> PlainCondition | Condition:
    """Return a condition; DuckDB is loaded only for one that needs a database.

    Args:
        text: an expression over the columns.
        source_columns: the types of the columns that the source has in addition to those of every position.

    Raises:
        QueryError: as ``Condition``.
    """
    source_columns = source_columns or {}
    if (found := plain(text, source_columns)) is not None:
        return found
    from setwise.corpus.language.condition import Condition

    return Condition(text, source_columns)


def _can(name: str) -> Column:
    """The column of a ``can(c)``, which is read once; one that names repertoires, once for each choice of these."""
    return can_column(condition_of, name, names_in_use() if WITHIN in name else None)


#: ``can(c)``, ``material('…')``, what ``legal_targets`` reads, ``within('…')``, ``distance_to('…')`` and its companions
#: are columns that are made of their names.
MADE[CAN] = _can
MADE[MATERIAL] = material_column
MADE[TARGETS] = targets_column
MADE[WITHIN] = within_column
MADE.update({f"{function}(": resemblance_column for function in RESEMBLANCES})
