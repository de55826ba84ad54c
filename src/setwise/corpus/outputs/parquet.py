"""Parquet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from setwise.corpus.outputs.packed import Packed

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Parquet"]


class Parquet(Packed):
    """Columns in Parquet files."""

    name = "parquet"
    suffix = ".parquet"
    has_unique_names = True
    title = "Parquet"
    media_type = "application/octet-stream"

    def opened(self, schema: pa.Schema) -> Any:
        """Return the Arrow writer of a file with these columns."""
        from setwise.corpus.storage.encodings import writer

        return writer(self.place, schema)
