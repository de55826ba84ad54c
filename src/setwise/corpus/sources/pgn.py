"""Texts of games: PGN, block by block."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterator
from concurrent.futures import CancelledError, Future
from typing import cast

import numpy as np

from setwise.archives import Source as Text
from setwise.archives import shown_name
from setwise.corpus.sources.jobs import Batch, Job, Question, Source, SourceOfGames
from setwise.corpus.sources.places import Beginning
from setwise.game.batch import BLOCK, Block, PositionDemand, begun_small
from setwise.game.games import Games, Range, numbered, pgn_blocks, ranges
from setwise.notation.pgn.reader import read_games

#: How many bytes of text are searched at once: a query takes DuckDB a millisecond, even for a few rows.
_SEARCHED = 2 * BLOCK
#: The bytes of text for one position, if there are only moves. If there are also clocks or other annotations, up to
#: four times as much text is searched at once.
_BYTES_A_POSITION, _MOST_NOTED = 8, 4


def recognised(beginning: Beginning) -> Source:
    """Return any text as games; if it is not PGN, reading it reports where."""
    return PgnSource(beginning.source, beginning.name, beginning.head)


class _ParseJob(Job):
    """A block of games; its games get numbers when the block before it is parsed, which another thread does earlier."""

    def __init__(self, block: Block, first: Future[int], notes: bool, variations: bool, demand: PositionDemand) -> None:
        self.block, self.first, self.notes, self.variations, self.demand = block, first, notes, variations, demand
        self.following: Future[int] = Future()
        self.games: Games | None = None

    def prepare(self) -> None:
        self._parse(None)  # without positions, because the block may have to wait long

    def _parse(self, demand: PositionDemand | None) -> None:
        try:
            self.games = Games.parsed(self.block, notes=self.notes, variations=self.variations, demand=demand)
        except BaseException as error:
            self.following.set_exception(error)
            raise

    def settle(self) -> None:
        if self.games is None:
            self._parse(self.demand)
        games = cast("Games", self.games)
        try:
            games.first = self.first.result()
            self.following.set_result(games.first + len(games))
        except BaseException as error:
            self.following.set_exception(error)
            raise

    def run(self) -> Batch:
        if not self.following.done():
            self.settle()
        games, self.games = cast("Games", self.games), None
        return Batch(games, None, [*games.faults(), *games.repairs()], self.block.size)

    def skip(self, number: int) -> None:
        self.following.set_result(number)

    def abandon(self) -> None:
        if not self.following.done():
            self.following.set_exception(CancelledError())

    def pass_over(self, *, counted: bool) -> None:
        count = len(Games.parsed(self.block)) if counted else 0

        def pass_on(first: Future[int]) -> None:
            if error := first.exception():
                self.following.set_exception(error)
            else:
                self.following.set_result(first.result() + count)

        self.first.add_done_callback(pass_on)


class PgnSource(SourceOfGames):
    """A text of games."""

    #: The number of its first game.
    game = 1

    def __init__(self, source: Text, name: str, head: bytes) -> None:
        self.source, self.name, self.head = source, name, head

    def divided(self, size: int, *, numbered_by: int | None = None) -> list[Range]:
        """Return the ranges of the file."""
        cut = ranges(os.fspath(cast("str", self.source)), size)
        return cut if numbered_by is None else numbered(cut, numbered_by)

    def blocks(self, size: int) -> Iterator[Block]:
        """Yield the text in blocks of whole games."""
        return pgn_blocks(self.source, size)

    def _size(self) -> int:
        """Return how many bytes are searched at once; it depends on the positions in the beginning, if known."""
        if not self.head:
            return _SEARCHED
        games, moves, *_ = read_games(np.frombuffer(self.head, np.uint8))
        positions = len(games) + len(moves)
        noted = len(self.head) // (_BYTES_A_POSITION * max(positions, 1))
        return _SEARCHED * min(max(noted, 1), _MOST_NOTED)

    def scan(self, question: Question) -> Iterator[Job]:
        """Yield a job for each block."""
        blocks = self.blocks(self._size())
        demand, number = PositionDemand(), Future[int]()
        number.set_result(self.game)
        for block in blocks if question.first is None else begun_small(blocks, question.first):
            named = block._replace(name=self.name)
            job = _ParseJob(named, number, question.notes, question.variations, demand)
            number = job.following
            yield job


class PgnRange(PgnSource):
    """A range of a file of games."""

    def __init__(self, part: Range) -> None:
        super().__init__(part.path, shown_name(part.path), b"")
        self.part, self.game = part, part.game

    def blocks(self, size: int) -> Iterator[Block]:
        """Yield the text of the range in blocks of whole games."""
        return self.part.blocks(size)

    def whole(self, read: dict[str, tuple[Hashable, int]]) -> Hashable:
        """Return the path of the file."""
        return self.part.path
