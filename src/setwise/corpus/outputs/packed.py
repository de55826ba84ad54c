"""Formats of columns: Parquet and Arrow."""

from __future__ import annotations

from abc import abstractmethod
from typing import IO, TYPE_CHECKING, Any

from setwise.corpus.outputs.output import Request, Rows
from setwise.errors import OutputError
from setwise.system.files import in_utf8

if TYPE_CHECKING:
    import pyarrow as pa


# ---------------------------------------------------------------------- the base class of the formats that Arrow writes


class Packed(Rows):
    """Columns with their Arrow types, sets as numbers; a writer of Arrow writes the file."""

    is_for_files = True

    def __init__(self, file: IO[bytes], request: Request) -> None:
        super().__init__(file, request)
        self.place = in_utf8(file.name)
        self.writer = self.opened(request.schema)

    @abstractmethod
    def opened(self, schema: pa.Schema) -> Any:
        """Return the Arrow writer of a file with these columns."""

    def lines(self, table: pa.Table) -> bytes:
        """Write the rows with the Arrow writer; return nothing more to write."""
        try:
            self.writer.write_table(table)
        except Exception:  # never Ctrl-C, which waits until the rows are written
            self.broken = True
            raise
        return b""

    def repair(self) -> None:
        """Finish the file; raise an error if its last rows are incomplete."""
        if self.broken:
            raise OutputError("an incompletely written file cannot be read")
        self.close()

    def close(self) -> None:
        """Write the end of the file, with the places of the columns."""
        self.writer.close()


# -------------------------------------------------------------------------------------------------------------- Parquet


class Parquet(Packed):
    """Columns in Parquet files."""

    name, suffix, title, media_type = "parquet", ".parquet", "Parquet", "application/octet-stream"
    has_unique_names = True

    def opened(self, schema: pa.Schema) -> Any:
        """Return the Arrow writer of a file with these columns."""
        from setwise.corpus.storage.encodings import writer

        return writer(self.place, schema)


# -------------------------------------------------------------------------------------------------- Arrow's file format


class Arrow(Packed):
    """Columns in Arrow's file format, Feather; without dictionaries, as a file can have only one for each column."""

    name, suffix = "arrow", ".arrow"

    def opened(self, schema: pa.Schema) -> Any:
        """Return the Arrow writer of a file with these columns."""
        import pyarrow as pa
        import pyarrow.ipc

        from setwise.corpus.columns.registry import plain_type

        self.schema = pa.schema([(field.name, plain_type(field.type)) for field in schema])
        return pyarrow.ipc.new_file(self.place, self.schema)

    def lines(self, table: pa.Table) -> bytes:
        """Write the rows with the Arrow writer; return nothing more to write."""
        return super().lines(table.cast(self.schema))
