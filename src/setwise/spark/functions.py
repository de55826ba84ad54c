"""Patterns as functions of Spark's SQL, and functions from names of squares, files and ranks to sets."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Sequence

import pyarrow as pa
from pyspark.sql import SparkSession
from pyspark.sql.functions import arrow_udf
from pyspark.sql.pandas.types import from_arrow_type

from setwise import __version__
from setwise.bitboard import FILE_NAMES, RANK_NAMES, SQUARE_NAMES
from setwise.compiler import Pattern
from setwise.corpus.columns.registry import type_of
from setwise.corpus.language.answers import answer
from setwise.corpus.language.functions import known_patterns
from setwise.corpus.language.set_names import files, ranks, squares
from setwise.spark.compiling import compiled_once
from setwise.spark.schema import signed, spark_kind, unsigned

__all__ = ["register"]


def register(spark: SparkSession) -> list[str]:
    """Make every pattern a function of a session's SQL, and return the names of all functions.

    ``knight.attacks`` becomes ``knight_attacks``. In addition there are ``squares('e4 d5')``, ``files('a h')`` and
    ``ranks('7')``, which return sets, and ``has(set, 'g1')``. Sets are longs with the same bits as everywhere. Where a
    pattern takes a square, a long is a set of squares, and an int is the number of a square. Your own patterns are
    included if Spark's workers can import their modules.

    Args:
        spark: the session.

    Example:
        >>> setwise.spark.register(spark)  # doctest: +SKIP
        >>> spark.sql("select bit_count(knight_attacks(squares('e4')))").collect()  # doctest: +SKIP
        [Row(bit_count(knight_attacks(squares(e4)))=8)]

    Traps:
        ``next``, ``later`` and ``over game`` read other plies of the game, which Spark may put into another partition:
        use them in the reader's option ``where``.
    """
    names = []
    for name, pattern in known_patterns().items():
        names.append(name.replace(".", "_"))
        spark.udf.register(names[-1], _function(pattern))
    for name, (known, set_of, what) in _NAMED.items():
        names.append(name)
        spark.sql(
            f"create or replace temporary function {name}(names string) returns bigint return "
            f"{_set_of_names(known, set_of, what)}"
        )
    spark.sql(
        "create or replace temporary function has(those bigint, names string) returns boolean "
        "return (those & squares(names)) = squares(names)"
    )
    return [*names, "has"]


def _function(pattern: Pattern) -> Callable[..., object]:
    name, module, kind = pattern.name, pattern.__module__, spark_kind(type_of(pattern.returns))

    def call(*columns: pa.Array) -> pa.Array:
        return _answer(name, module, kind, columns)

    return arrow_udf(call, from_arrow_type(kind))


def _answer(name: str, module: str, kind: pa.DataType, columns: Sequence[pa.Array]) -> pa.Array:
    """The values of a pattern for columns, computed in a worker."""
    importlib.import_module(module)
    pattern = known_patterns()[name]
    with compiled_once(__version__, name):
        return signed(answer(pattern, [unsigned(column) for column in columns]), kind)


# --------------------------------------------------------------------------------------------------------------- names

#: The functions from names to a set: the valid names, the set of a name, and the message for other names.
_NAMED: dict[str, tuple[Iterable[str], Callable[[str], int], str]] = {
    "squares": (SQUARE_NAMES, squares, "squares are named a1 to h8"),
    "files": (FILE_NAMES, files, "files are named a to h"),
    "ranks": (RANK_NAMES, ranks, "ranks are named 1 to 8"),
}


def _set_of_names(known: Iterable[str], set_of: Callable[[str], int], what: str) -> str:
    """SQL for the set of some names, in functions that Spark evaluates once if the names are a constant."""
    words = r"split(trim(names), ' +')"
    of_each = " | ".join(f"if(array_contains({words}, '{name}'), {_long(set_of(name))}, 0L)" for name in known)
    every = ", ".join(f"'{name}'" for name in known)
    wrong = f"array_remove(array_except({words}, array({every})), '')"
    message = f"concat(array_join({wrong}, ' '), ': {what}')"
    return f"if(size({wrong}) > 0, cast(raise_error({message}) as bigint), {of_each})"


def _long(word: int) -> str:
    """A set as a constant of Spark's SQL."""
    return f"bigint('{word - (word >> 63 << 64)}')"
