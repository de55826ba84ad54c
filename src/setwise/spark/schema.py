"""Types of columns in Spark, which has no unsigned integers: sets keep their bits, others get the next wider type."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema
from pyspark.sql.types import StructType

from setwise.errors import QueryError

__all__ = ["batches_of", "signed", "spark_kind", "spark_schema", "unsigned"]

_WIDER = {pa.uint8(): pa.int16(), pa.uint16(): pa.int32(), pa.uint32(): pa.int64(), pa.uint64(): pa.int64()}


def spark_kind(kind: pa.DataType) -> pa.DataType:
    """Return the Arrow type in which Spark accepts a column of this type.

    Example:
        >>> import pyarrow as pa
        >>> spark_kind(pa.uint64()), spark_kind(pa.uint8()), spark_kind(pa.dictionary(pa.int32(), pa.string()))
        (DataType(int64), DataType(int16), DataType(string))
    """
    if pa.types.is_dictionary(kind):
        return spark_kind(kind.value_type)
    if pa.types.is_list(kind):
        return pa.list_(spark_kind(kind.value_type))
    return _WIDER.get(kind, kind)


def spark_schema(schema: pa.Schema) -> StructType:
    """Return Spark's schema for columns."""
    return from_arrow_schema(pa.schema([field.with_type(spark_kind(field.type)) for field in schema]))


def signed(column: pa.Array, kind: pa.DataType) -> pa.Array:
    """Return a column in a type of Spark's: sets keep their bits, all else keeps its values.

    Example:
        >>> import pyarrow as pa
        >>> signed(pa.array([1, 2**63], pa.uint64()), pa.int64()).to_pylist()
        [1, -9223372036854775808]
    """
    if column.type == kind:
        return column
    return column.view(kind) if column.type == pa.uint64() and kind == pa.int64() else column.cast(kind)


def unsigned(column: pa.Array) -> pa.Array:
    """Return a column of longs, which are sets in Spark, as unsigned sets; return other columns unchanged.

    Example:
        >>> import pyarrow as pa
        >>> unsigned(pa.array([1, -(2**63)])).to_pylist()
        [1, 9223372036854775808]
    """
    return column.view(pa.uint64()) if column.type == pa.int64() else column


def batches_of(table: pa.Table, schema: StructType) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a table as Spark expects them.

    Raises:
        QueryError: for a column that does not fit the type declared in the schema.
    """
    expected = to_arrow_schema(schema, timezone="UTC")
    for batch in table.to_batches():
        columns = []
        for field in expected:
            try:
                columns.append(signed(batch.column(field.name), field.type))
            except pa.ArrowException as error:
                raise QueryError(f"the column {field.name} is no {field.type}: {error}") from None
        yield pa.RecordBatch.from_arrays(columns, schema=expected)
