"""Parts of Arrow that most commands do not need: each is imported when something of it is first used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from setwise.system.later import Later

__all__ = ["fs", "pc", "pq"]


if TYPE_CHECKING:
    import pyarrow.compute as pc
    import pyarrow.parquet as pq
    from pyarrow import fs
else:
    fs, pc, pq = Later("pyarrow.fs"), Later("pyarrow.compute"), Later("pyarrow.parquet")
