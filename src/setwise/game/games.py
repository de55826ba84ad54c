"""``Games``: a batch of games in columns, as the reader yields it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from operator import index
from types import MappingProxyType
from typing import SupportsIndex, overload

import numpy as np

from setwise.archives.opening import Source
from setwise.game.batch import Fault, GameColumns, PositionDemand
from setwise.game.blocks import BLOCK, LONGEST_GAME
from setwise.game.game import Game
from setwise.game.marked import text_of
from setwise.game.recognition import pgn_blocks
from setwise.game.single import batch_of, parts_of
from setwise.view.rows import count, table

__all__ = ["Fault", "Games", "read_pgn"]

#: The number of games and the tags that a notebook shows.
_SHOWN = 10
_SHOWN_TAGS = ("White", "Black", "Event", "Date")


class Games(GameColumns):
    """Games in columns: moves of 16 bits in one array, the spans of the tags in the text, results, faults.

    ``len()`` counts, slicing gives the games of a range, ``positions()`` replays them, ``tag(name)`` gives a tag of all
    games as Arrow strings, ``faults()`` says where games break off. Nothing is an object per move or per game.

    Games that were read with ``notes=True`` also have annotations in columns, one value per move in the order of
    ``moves``, null where there is none: ``clocks()``, ``elapsed()``, ``evaluations()``, ``nags()`` and
    ``comments()``. The first call of any of them reads them all; without ``notes=True`` they raise ``ValueError``.
    """

    @overload
    def __getitem__(self, which: SupportsIndex) -> Game: ...

    @overload
    def __getitem__(self, which: slice) -> Games: ...

    def __getitem__(self, which: SupportsIndex | slice) -> Game | Games:
        return batch_of(self, which) if isinstance(which, slice) else Game._of(*parts_of(self, index(which)))

    def __iter__(self) -> Iterator[Game]:
        return map(self.__getitem__, range(len(self)))

    def __repr__(self) -> str:
        return f"<Games: {count(len(self), 'game')} of {self.source}, {count(len(self.moves), 'move')}>"

    def _repr_html_(self) -> str:
        first = self[:_SHOWN]
        tags = [first.tag(name).to_pylist() for name in _SHOWN_TAGS]
        plies = np.diff(first.move_offsets).tolist()
        rows = zip(range(self.first, self.first + len(first)), *tags, first.results, plies, strict=True)
        return table(["game", *_SHOWN_TAGS, "Result", "plies"], rows, f"{count(len(self), 'game')} of {self.source}")

    def pgn_text(
        self,
        game: int,
        comments: Mapping[int, str] = MappingProxyType({}),
        of_variations: Mapping[int, str] = MappingProxyType({}),
    ) -> str:
        """Return the text of one game, unchanged from the source.

        Args:
            game: its row in this batch.
            comments: comments to add after the moves, by ply from 1; ply 0 is before the first move. Games that were
                read without ``notes=True`` then lose their variations and other comments.
            of_variations: comments to add in variations, by the row of ``positions(variations=True)``.
        """
        if comments and self.notes is None:
            read = self[game]
            return read.replace(comments={**read.comments, **comments}).pgn()
        return text_of(self, game, comments, of_variations)


# ----------------------------------------------------------------------------------------------------------- reading


parse_block = Games.parsed


def read_pgn(
    source: Source, *, batch_bytes: int = BLOCK, notes: bool = False, variations: bool = False
) -> Iterator[Games]:
    """Yield the games of a PGN source in batches of about ``batch_bytes`` of text; memory is bounded by the batch.

    Args:
        source: a path, ``"-"`` for standard input, bytes or an open binary file; plain, ``.zst``, ``.gz``, ``.bz2`` or
            ``.xz``, recognized by its first bytes.
        batch_bytes: how much text makes a batch, up to 32 MiB.
        notes: whether to keep annotations of moves: comments with clocks and evaluations, and NAGs.
        variations: whether to keep the lines in parentheses, for ``Game.variations()``, and all annotations.

    Raises:
        SourceError: the source is missing, a directory, not PGN, or an archive that cannot be read to its end.
        TypeError: a file is open for text. ValueError: ``batch_bytes`` is out of its range.

    A game with an illegal or unreadable move, or one that its variant has ended before, keeps its moves up to there,
    and ``Games.faults()`` says what and where.
    """
    if not 1 <= batch_bytes <= LONGEST_GAME:
        raise ValueError(f"a batch is cut after 1 to {LONGEST_GAME:,} bytes, not {batch_bytes:,}")
    return _batches(source, batch_bytes, notes=notes, variations=variations)


def _batches(source: Source, batch_bytes: int, *, notes: bool, variations: bool) -> Iterator[Games]:
    first, demand = 1, PositionDemand()
    for block in pgn_blocks(source, batch_bytes):
        games = parse_block(block, notes=notes, variations=variations, demand=demand)
        demand.share = 0.0  # set again if the caller uses the positions of this batch
        games.first = first
        first += len(games)
        yield games
