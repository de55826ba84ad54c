"""A table in Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from setwise.corpus.outputs.output import Rows
from setwise.view.diagram import one_line

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Markdown"]


#: The signs that have a meaning in a cell of Markdown: links and pictures, code, emphasis, web and mail addresses.
_MARKS = re.compile(r"[\\`*_\[\]|~@]|:(?=//)|(?<=www)\.", re.IGNORECASE)


class Markdown(Rows):
    """A table in Markdown, with texts escaped so that none becomes a link, a picture or HTML."""

    name = "markdown"
    suffix = ".md"

    def head(self) -> bytes:
        """The names of the columns, and which of them are numbers."""
        from setwise.corpus.outputs.cells import is_number

        names = [self._cell(one_line(name)) for name in self.request.schema.names]
        rules = ["---:" if is_number(field, raw=self.request.raw) else "---" for field in self.request.schema]
        return f"{self._line(names)}{self._line(rules)}".encode()

    def lines(self, table: pa.Table) -> bytes:
        """A line for each row."""
        from setwise.corpus.outputs.cells import one_line_texts

        rows = zip(
            *([self._cell(cell) for cell in cells] for cells in one_line_texts(table, raw=self.request.raw)),
            strict=True,
        )
        return "".join(map(self._line, rows)).encode()

    @staticmethod
    def _cell(text: str) -> str:
        return _MARKS.sub(r"\\\g<0>", text).replace("&", "&amp;").replace("<", "&lt;")

    @staticmethod
    def _line(cells: Iterable[str]) -> str:
        return f"| {' | '.join(cells)} |\n"
