"""Some of the games of a table of packed games, wherever they are in it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from setwise.corpus.sources.game_tables.games import TableGames
from setwise.corpus.sources.game_tables.rows import GameRows
from setwise.corpus.sources.game_tables.source import POSITIONS, GameTable
from setwise.corpus.sources.jobs import Batch, Job
from setwise.corpus.sources.row_groups import RowGroup

__all__ = ["picked"]


#: Row groups that a batch picks games from at most, so that all threads have some.
_GROUPS = 8


class _PickedRows(GameRows):
    """Some rows of some groups of a table, one group after the other."""

    def __init__(self, picks: list[tuple[RowGroup, np.ndarray]]) -> None:
        super().__init__(picks[0][0], 0, sum(len(rows) for _, rows in picks))
        self.picks = picks

    def column(self, name: str) -> pa.Array:
        """Return a column; texts that come in a dictionary are texts."""
        return pa.concat_arrays([_texts(group.column(name).take(pa.array(rows))) for group, rows in self.picks])


def _texts(column: pa.Array) -> pa.Array:
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
    picks, chosen, size = list[tuple[RowGroup, np.ndarray]](), list[np.ndarray](), 0

    def job() -> Job:
        return _PickedJob(_PickedRows(picks), table.name, np.concatenate(chosen), notes, table.variations)

    for part in table.divided(0):
        begin, count = first + part.game - 1, table.metadata.row_group(part.group).num_rows
        rows = numbers[slice(*np.searchsorted(numbers, (begin, begin + count)))] - begin
        if not len(rows):
            continue
        group, each = table.group(part.group), _positions_in(table, part.group) // count + 1
        for some in np.array_split(rows, len(rows) * each // POSITIONS + 1):
            picks, chosen, size = [*picks, (group, some)], [*chosen, some + begin], size + len(some) * each
            if size >= POSITIONS or len(picks) == _GROUPS:
                yield job()
                picks, chosen, size = [], [], 0
    if picks:
        yield job()


def _positions_in(table: GameTable, group: int) -> int:
    """About how many positions a group has: two bytes of moves each."""
    metadata = table.metadata.row_group(group)
    columns = map(metadata.column, range(metadata.num_columns))
    return sum(column.total_uncompressed_size // 2 for column in columns if column.path_in_schema == "moves")
