"""Arrow's file format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from setwise.corpus.outputs.packed import Packed

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Arrow"]


class Arrow(Packed):
    """Columns in Arrow's file format, Feather, without dictionaries: a file can have only one for each column."""

    name = "arrow"
    suffix = ".arrow"

    def opened(self, schema: pa.Schema) -> Any:
        """Return the Arrow writer of a file with these columns."""
        import pyarrow as pa
        import pyarrow.ipc

        from setwise.corpus.outputs.cells import plain_type

        self.schema = pa.schema([(field.name, plain_type(field.type)) for field in schema])
        return pyarrow.ipc.new_file(self.place, self.schema)

    def lines(self, table: pa.Table) -> bytes:
        """Write the rows with the Arrow writer; return nothing more to write."""
        return super().lines(table.cast(self.schema))
