"""Games of a short text, in one batch; what the reader writes of their positions."""

from __future__ import annotations

import numpy as np

from setwise import Games
from setwise.game.batch import Block
from setwise.notation.pgn.reader import read_games, replay
from setwise.rules.board import SETS


def batch(text: bytes, *, notes: bool = False) -> Games:
    """All games of a text, uncut."""
    return Games.parsed(Block(text, "<bytes>", 0, 1), notes=notes)


def written_on_the_way(text: bytes, *, notes: bool = False) -> int:
    """How many positions a text has; the parser writes the boards that a replay finds, and none without room for all.

    Asked or not, it reads the same games.
    """
    bare = read_games(np.frombuffer(text, np.uint8), notes=notes)
    count = len(bare.games) + len(bare.moves)
    replayed = np.empty((len(SETS), count), np.uint64)
    replay(bare.games, bare.moves, bare.boards, replayed)
    for room_for in {max(count - 1, 0), count, count + 7}:
        *columns, sets = read_games(np.frombuffer(text, np.uint8), notes=notes, positions=room_for)
        for column, same in zip(columns, bare[:-1], strict=True):
            assert np.array_equal(column, same) if same is not None else column is None
        assert (sets is None) == (not 0 < count <= room_for)
        assert sets is None or np.array_equal(sets, replayed)
    return count
