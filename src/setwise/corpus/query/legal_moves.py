"""The table ``moves``: a row for each legal move of each position, and what it leads to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import cast

import numpy as np
import pyarrow as pa

from setwise.corpus.columns import COLUMNS, PLACE, values_of
from setwise.corpus.query.streams import Stream, plain
from setwise.corpus.sources.jobs import Batch, Opened
from setwise.errors import QueryError
from setwise.game.provenance import GamePositions
from setwise.position.positions import Positions

__all__ = ["IS_PLAYED", "MovesStream", "check_names", "is_of_move"]

#: The column that only this table has.
IS_PLAYED = "is_played"

#: How many positions are replaced by those that their moves lead to at a time, which takes about 3 KB for each.
_AT_ONCE = 4096


def is_of_move(name: str) -> bool:
    """Return whether a column says something of the move."""
    return name in COLUMNS and COLUMNS[name].needs == {"move"}


def _is_after(name: str) -> bool:
    """Whether a column is known of the position after a move: from the board, or the same for the whole game."""
    column = COLUMNS.get(name)
    if column is None:
        return False
    return column.of_boards or all(it in COLUMNS and COLUMNS[it].of_games is not None for it in column.needs)


def _answers(name: str, others: Iterable[str]) -> bool:
    """Whether a column is one of the table of moves; ``others`` are columns of the source itself."""
    return name in {*PLACE, *others} or is_of_move(name) or _is_after(name)


class MovesStream(Stream):
    """Every legal move: columns of the move, of the position that it leads to, and of the place of the one before.

    ``own_`` and ``enemy_`` are those of the position after the move, as everywhere else.
    """

    def __init__(
        self, sources: list[Opened], names: Iterable[str], others: Mapping[str, pa.DataType], threads: int
    ) -> None:
        self.others = others
        types = {
            name: others[name] if name in others else COLUMNS[name].type for name in names if _answers(name, others)
        }
        fields = [(name, plain(kind)) for name, kind in types.items()]
        super().__init__(sources, pa.schema([*fields, (IS_PLAYED, pa.bool_())]), threads, None)

    def based_on(self, names: list[str]) -> list[str]:
        """Return the columns of positions among these columns."""
        return [name for name in names if name != IS_PLAYED]

    def table(self, batch: Batch, names: list[str]) -> pa.Table:
        """Return the columns of the legal moves of the positions of a batch."""
        parts = [
            self._moves_of(cast("GamePositions", batch.positions[start : start + _AT_ONCE]), names)
            for start in range(0, max(len(batch.positions), 1), _AT_ONCE)
        ]
        return pa.concat_tables(parts)

    def _moves_of(self, positions: GamePositions, names: list[str]) -> pa.Table:
        after, parents, moves = positions.children()
        before = cast("GamePositions", positions[parents])
        played = np.zeros(len(moves), np.uint16) if before.moves is None else before.moves
        before.moves = moves
        return pa.table({name: self._values(name, before, after, moves == played) for name in names})

    def _values(self, name: str, before: GamePositions, after: Positions, is_played: np.ndarray) -> pa.Array:
        if name == IS_PLAYED:
            return pa.array(is_played)
        is_of_before = name in self.others or name in PLACE or is_of_move(name)
        return values_of(before if is_of_before else after, name)


def check_names(names: Iterable[str], others: Iterable[str]) -> None:
    """Raise ``QueryError`` for the first column of positions that the table of moves does not have."""
    own = [*others]
    for name in names:
        if name in COLUMNS and not _answers(name, own):
            raise QueryError(
                f"{name} is not a column of moves: a move has what is played and the board that it leads to; the notes "
                "and the past of a game are columns of positions"
            )
