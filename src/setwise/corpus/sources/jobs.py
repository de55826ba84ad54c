"""What a source gives: jobs, each of which makes one batch of positions."""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple, Protocol

import numpy as np
import pyarrow as pa

from setwise.corpus.columns import GAMES, games_table
from setwise.corpus.sources.holdings import Holdings
from setwise.corpus.sources.records import Records
from setwise.corpus.storage.needs import Need
from setwise.game.games import Fault, Games
from setwise.game.provenance import GamePositions

__all__ = ["Batch", "Job", "Opened", "Readable", "StoredFiles"]


class Batch:
    """The result of one job: positions and their games, faults, and how many bytes of the source were read."""

    def __init__(self, games: Games | Records, positions: GamePositions | None, faults: list[Fault], size: int) -> None:
        self.games, self.faults, self.size = games, faults, size
        #: The rows that match, ascending, if the source has found them; None if the condition is still to be evaluated.
        self.matches: np.ndarray | None = None
        self._are_replayed = positions is None
        if positions is not None:
            self.positions = positions

    @functools.cached_property
    def positions(self) -> GamePositions:
        """The positions; games are replayed at the first access."""
        if isinstance(self.games, Games) and self.games.lines is not None:
            return self.games.positions(variations=True)
        return self.games.positions()  # type: ignore[union-attr]

    @property
    def is_of_games(self) -> bool:
        """Whether the positions come from games that are known."""
        return self.games.are_games

    @property
    def game_count(self) -> int:
        """How many games there are; positions that come from none have 0."""
        return len(self.games) if self.is_of_games else 0

    def games_table(self) -> pa.Table:
        """Return the table of the games; positions that come from none have no rows there."""
        return games_table(self.games, self.faults) if self.is_of_games else GAMES.empty_table()

    def forget(self) -> None:
        """Drop the positions, if they can be replayed at the next access."""
        if self._are_replayed:
            for thing in (self, self.games):  # positions of variations are parts of a tree, which the games keep
                thing.__dict__.pop("positions", None)
                thing.__dict__.pop("tree", None)


class StoredFiles(NamedTuple):
    """A Parquet file of positions, and that of their games, which hold columns as conditions know them."""

    positions: str
    games: str
    #: The columns of each of the two files.
    of_positions: list[str]
    of_games: list[str]
    #: Raises ``SourceError`` if the bytes of these columns have changed since they were written.
    check: Callable[[], None]
    #: The number of positions.
    rows: int


class Job:
    """One batch to be read, by any thread."""

    def prepare(self) -> None:
        """Do the work that does not depend on the batches before."""

    def settle(self) -> None:
        """Wait for the number of the first game, and pass the next number to the next batch."""

    def run(self) -> Batch:
        """Return the batch, prepared and settled or not."""
        raise NotImplementedError

    def skip(self, number: int) -> None:
        """Skip this job, which an earlier run finished: the next game has this number."""

    def abandon(self) -> None:
        """Cancel this job, so that no other job waits for it."""

    def pass_over(self, *, counted: bool) -> None:
        """Skip this job, which another process runs; count its games if the next jobs need the number."""


class Readable(Protocol):
    """A source that yields jobs."""

    def jobs(self, *, notes: bool) -> Iterator[Job]:
        """Yield its jobs in order. Raises ``SourceError`` where it cannot be read."""


class Opened:
    """A source whose kind is known: the base class of all kinds."""

    #: The name in messages, and in the column ``source`` of its games.
    name: str
    #: The columns that it has itself, beside those of every position.
    others: Mapping[str, pa.DataType] = {}
    #: What it can answer.
    holdings: Holdings
    #: Whether it is PGN, so that the text of each game can be copied.
    has_texts = False
    #: Whether its moves are parsed, as in PGN and in a table with moves after FENs.
    parses_moves = False
    #: The size of the first batch in bytes, if a user waits for it; the next ones double. Only PGN heeds it.
    first: int | None = None

    def read_variations(self) -> None:
        """Give the lines of variations, too, from now on; a source that has none gives what it has."""

    def jobs(self, *, notes: bool) -> Iterator[Job]:
        """Yield its jobs in order. Raises ``SourceError`` where it cannot be read."""
        raise NotImplementedError

    def divided(self, size: int, *, numbered_by: int | None = None) -> Iterable[Any]:
        """Return the parts that a file of games can be read in, on other machines too: sources with a ``size`` each.

        Args:
            size: about how many bytes of text a part has.
            numbered_by: how many threads find the number of each part's first game; None if numbers are not needed.
        """
        raise NotImplementedError

    def holding(self, need: Need, *, notes: bool) -> tuple[Iterator[Job], str] | None:
        """Return the jobs of the games that have what is needed, and a sentence that says so.

        None is returned by a source that cannot find them without reading all games.
        """

    def why_not(self, has_condition: bool, variations: bool, need: Need | None) -> str:
        """Return why no index of the source is used, for users who ask."""
        return "it is not an index (setwise index writes one)"

    def sums(self, keys: np.ndarray, moves: np.ndarray | None) -> np.ndarray | None:
        """Return stored sums over the games that reach positions, as an index does; None if there are none.

        Args:
            keys: the keys of positions.
            moves: the moves to count, from the only position; None to count the games with each position.
        """

    def stored(self, names: Iterable[str]) -> list[StoredFiles] | None:
        """Return the files that hold columns, if all of these are stored in files of Parquet; else None."""

    def matching(self, files: list[StoredFiles], rows_of: Callable[[StoredFiles], np.ndarray]) -> Iterator[Job]:
        """Yield the jobs with the rows that match, given a function that finds these in a file."""
        raise NotImplementedError

    def sources(self) -> Iterable[str]:
        """Return the values of the column ``source``, each once or more often: by default its name alone."""
        return [self.name]

    def name_sources(self, names: Mapping[str, str]) -> None:
        """Replace these values, before anything is read."""
        self.name = names.get(self.name, self.name)

    def whole(self, read: dict[str, tuple[Hashable, int]]) -> Hashable:
        """Return a key of the whole that this is part of, if it is not a file; by default it is a whole of its own.

        Args:
            read: of the games in memory so far, by the name of their source: the last whole, and the number after its
                last game.
        """
        return object()
