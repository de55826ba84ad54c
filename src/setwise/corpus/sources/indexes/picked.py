"""Some of the games of a table of packed games, wherever they are in it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from setwise.corpus.sources.game_tables.games import TableGames
from setwise.corpus.sources.game_tables.rows import GameRows
from setwise.corpus.sources.game_tables.source import POSITIONS, GameTable
from setwise.corpus.sources.jobs import Batch, Job
from setwise.corpus.sources.row_groups import RowGroup

__all__ = ["picked"]


class _PickedRows(GameRows):
    """Some rows of a group."""

    def __init__(self, group: RowGroup, picks: np.ndarray) -> None:
        super().__init__(group, 0, group.count)
        self.picks = picks

    def __len__(self) -> int:
        return len(self.picks)

    def column(self, name: str) -> pa.Array:
        """Return a column; texts that come in a dictionary are texts."""
        column = self.group.column(name).take(pa.array(self.picks))
        return column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column


class _PickedJob(Job):
    """A batch of picked games."""

    def __init__(self, rows: _PickedRows, name: str, numbers: np.ndarray, notes: bool, variations: bool) -> None:
        self.rows, self.name, self.numbers, self.notes, self.variations = rows, name, numbers, notes, variations

    def run(self) -> Batch:
        games = TableGames.of(self.rows, self.name, int(self.numbers[0]), notes=self.notes, variations=self.variations)
        games.picked = self.numbers
        return Batch(games, None, list(games.faults()), 2 * len(games.moves))


def picked(table: GameTable, first: int, numbers: np.ndarray, *, notes: bool) -> Iterator[Job]:
    """Yield batches of some games of a table.

    Args:
        table: the games.
        first: the number of the first game of the table.
        numbers: the numbers of the games that are read, ascending.
        notes: whether to read the annotations of the moves.
    """
    for part in table.divided(0):
        begin = first + part.game - 1
        group = table.group(part.group)
        rows = numbers[slice(*np.searchsorted(numbers, (begin, begin + group.count)))] - begin
        if not len(rows):
            continue
        lengths = pc.binary_length(group.column("moves")).to_numpy(zero_copy_only=False)[rows]
        batches = np.cumsum(lengths // 2 + 1) // POSITIONS
        for chosen in np.split(rows, np.flatnonzero(np.diff(batches)) + 1):
            yield _PickedJob(_PickedRows(group, chosen), table.name, chosen + begin, notes, table.variations)
