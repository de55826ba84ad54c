"""The base class of the formats that Arrow writes."""

from __future__ import annotations

from abc import abstractmethod
from typing import IO, TYPE_CHECKING, Any

from setwise.corpus.outputs.output import Request, Rows
from setwise.errors import OutputError
from setwise.system.files import in_utf8

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Packed"]


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
        """Write the end of the file, which says where the columns are."""
        self.writer.close()
