"""Values separated by tabs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from setwise.corpus.outputs.output import Rows
from setwise.view.diagram import CONTROLS

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Tsv"]


class Tsv(Rows):
    """Values separated by tabs, without quotes; control characters in texts, including tabs, become blanks."""

    name = "tsv"
    suffix = ".tsv"

    def head(self) -> bytes:
        """The names of the columns."""
        return ("\t".join(" ".join(name.split()) for name in self.request.schema.names) + "\n").encode()

    def lines(self, table: pa.Table) -> bytes:
        """A line for each row."""
        import pyarrow.compute as pc

        from setwise.corpus.outputs.cells import plain

        texts = [self._text(column) for column in plain(table, raw=self.request.raw).columns]
        lines = pc.binary_join_element_wise(*texts, "\t")
        return "".join(line + "\n" for line in lines.to_pylist()).encode()

    @staticmethod
    def _text(column: pa.ChunkedArray) -> pa.ChunkedArray:
        import pyarrow as pa
        import pyarrow.compute as pc

        was_text = pa.types.is_string(column.type) or pa.types.is_large_string(column.type)
        texts = column.cast(pa.string()).fill_null("")
        return pc.replace_substring_regex(texts, CONTROLS, " ") if was_text else texts
