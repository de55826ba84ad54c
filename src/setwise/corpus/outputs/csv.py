"""CSV."""

from __future__ import annotations

from typing import TYPE_CHECKING

from setwise.corpus.outputs.output import Rows

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Csv"]


class Csv(Rows):
    """Values separated by commas, texts in quotes; a missing value is empty."""

    name = "csv"
    suffix = ".csv"
    title = "CSV"
    media_type = "text/csv; charset=utf-8"

    def head(self) -> bytes:
        """The names of the columns."""
        return (",".join('"' + name.replace('"', '""') + '"' for name in self.request.schema.names) + "\n").encode()

    def lines(self, table: pa.Table) -> bytes:
        """A line for each row."""
        import pyarrow as pa
        import pyarrow.csv

        from setwise.corpus.outputs.cells import plain

        lines = pa.BufferOutputStream()
        pyarrow.csv.write_csv(plain(table, raw=self.request.raw), lines, pyarrow.csv.WriteOptions(include_header=False))
        return lines.getvalue().to_pybytes()
