"""An aligned table of text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import IO, TYPE_CHECKING

from setwise.corpus.outputs.output import Request, Rows
from setwise.view.diagram import one_line

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Table"]


class Table(Rows):
    """Aligned columns, as wide as the first rows need."""

    name = "table"
    suffix = ".txt"

    def __init__(self, file: IO[bytes], request: Request) -> None:
        self.widths: list[int] = []
        super().__init__(file, request)

    def lines(self, table: pa.Table) -> bytes:
        """A line for each row; the names of the columns before the first."""
        from setwise.corpus.outputs.cells import one_line_texts

        names, columns = list(map(one_line, self.request.schema.names)), one_line_texts(table, raw=self.request.raw)
        lines = []
        if not self.widths:
            self.widths = [max(len(name), *map(len, cells), 1) for name, cells in zip(names, columns, strict=True)]
            lines = [self._line(names), "  ".join("─" * width for width in self.widths)]
        lines += map(self._line, zip(*columns, strict=True))
        return "".join(line + "\n" for line in lines).encode()

    def _line(self, cells: Sequence[str]) -> str:
        from setwise.corpus.outputs.cells import is_number

        kinds = (is_number(field, raw=self.request.raw) for field in self.request.schema)
        placed = (
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(cells, self.widths, kinds, strict=True)
        )
        return "  ".join(placed).rstrip()
