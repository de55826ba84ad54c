"""Lists of FENs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from setwise.corpus.outputs.output import Matches

if TYPE_CHECKING:
    from setwise.corpus.query.search import BatchResult

__all__ = ["Fen"]


class Fen(Matches):
    """A FEN for each match."""

    name = "fen"
    suffix = ".fen"

    def texts(self, result: BatchResult) -> Iterable[str]:
        """The FENs of a batch."""
        return (f"{fen}\n" for fen in result.matches().fens().to_pylist())
