"""The parts of every source: a name, its own columns, its holdings, and jobs that each return a batch of positions.

``Source`` is the base class of all kinds, and its attributes say what a kind can do; other packages do not test for
classes. A ``Question`` is a query that was checked for one source. ``Source.scan`` yields the batches of the source.
``Source.explain`` returns the ``Plan``: which batches answer the question, and which conditions are left to be
evaluated on them; by default all batches, and the whole condition. An index and a scan find games and rows themselves.
 ``Holdings`` says which columns a source answers: its own columns, and the columns that can be computed from
these. Other columns raise an error with their name and what to do. ``Records`` replace ``Games`` for positions that do
not come from games. Any thread can prepare and run a job. The number of the first game of a block is known only when
the block before it is parsed, so jobs of PGN wait for this number in ``settle``.
"""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, Self

import numpy as np
import pyarrow as pa

from setwise.corpus.columns import COLUMNS, GAME_TAGS, GAMES, SIDED_TAGS, games_table
from setwise.corpus.columns.registry import TAG
from setwise.corpus.storage.layout import Keys, Need, all_of
from setwise.errors import QueryError, shortened
from setwise.features import COLOURS
from setwise.game.batch import GamePositions
from setwise.game.game import Game
from setwise.game.games import Fault, Games
from setwise.position.history import Identities
from setwise.position.positions import Positions

# ----------------------------------------------------------------------------------- what a source holds besides boards


#: Names of two needs that are not columns: the table of games, and reading other positions of a game.
GAMES_TABLE, LOOKS = "the table games", "looks along games"

#: The columns of the table of games that are unchanged tags; Elo is a number in this table.
_WRITTEN = {
    **{name: f"{TAG}{tag}" for name, tag in GAME_TAGS.items()},
    **{
        f"{side}_{stem}": f"{TAG}{side.title()}{behind}"
        for stem, (behind, is_number) in SIDED_TAGS.items()
        for side in COLOURS
        if not is_number
    },
}


@dataclass(frozen=True)
class Holdings:
    """The columns that a source has, and the columns that can be computed from them.

    Args:
        what: the word for the source in messages, before its name.
        advice: what to do about a column ``{name}`` that the source cannot answer.
        own: the source's own columns: they keep their names, and nothing is computed from them.
        basis: the columns that other columns are computed from; None for all columns.
        without: columns that are missing from the basis.
    """

    what: str = "the games"
    advice: str = ""
    own: frozenset[str] = frozenset()
    basis: frozenset[str] | None = None
    without: frozenset[str] = frozenset()

    def has(self, name: str) -> bool:
        """Return whether the source answers a column, has the table of games, or has games with all positions."""
        if name in self.own or self._is_basis(name):
            return True
        column = COLUMNS.get(name)
        return column is not None and all(map(self._is_basis, column.needs))

    def _is_basis(self, name: str) -> bool:
        return (self.basis is None or name in self.basis) and name not in self.without

    def known(self, names: Iterable[str]) -> Iterator[str]:
        """Yield the columns out of ``names`` that the source answers."""
        return filter(self.has, names)

    def check(self, names: Iterable[str], source: str, needed_by: str = "") -> None:
        """Raise an error if the source cannot answer a column; ``needed_by`` names an option that needs the columns.

        Raises:
            QueryError: for the first such name, with the source and what to do.
        """
        for name in names:
            if not self.has(name):
                shown = f"tag({shortened(name.removeprefix(TAG))})" if name.startswith(TAG) else name
                quoted = name if name in {GAMES_TABLE, LOOKS} else f"`{shown}`"
                quoted += f", which `{needed_by}` needs," if needed_by else ""
                verb = "are" if name == LOOKS else "is"
                raise QueryError(f"{quoted} {verb} not in {self.what} {source}: {self.advice.format(name=shown)}")


#: A source that answers every query, such as PGN that is read with variations.
EVERYTHING = Holdings()
#: The holdings of PGN if variations are skipped.
WITHOUT_VARIATIONS = Holdings(
    advice="their variations are skipped; --variations, or variations=True, reads them", without=frozenset({"line"})
)


def of_games(names: Iterable[str]) -> frozenset[str]:
    """Return the columns that can be computed from a table of games with these columns."""
    held = frozenset(names)
    return held & frozenset(GAMES.names) | {tag for name, tag in _WRITTEN.items() if name in held} | {GAMES_TABLE}


def of_table(own: Iterable[str], basis: Iterable[str]) -> Holdings:
    """Return the holdings of a list or a table of positions: its own columns, and the columns of their basis."""
    return Holdings(
        "the positions of",
        "they come without it; PGN, and a scan with its games, have the games",
        frozenset(own),
        frozenset(["source", "game", *basis]),
    )


# ------------------------------------------------------------------------------------ Positions that come from no games


class Records:
    """Records, which replace ``Games``: each is a position, and players, moves and clocks are null."""

    #: Whether the records are games, as in a scan, and whether the texts of the games are known.
    are_games = has_texts = False

    def __init__(self, source: str, first: int, count: int) -> None:
        self.source = source
        self.count = count
        #: The number of the first record in its source, from 1.
        self.first = first

    def __len__(self) -> int:
        return self.count

    @functools.cached_property
    def numbers(self) -> np.ndarray:
        """The number of each record in its source, from 1: int32."""
        return np.arange(self.first, self.first + len(self), dtype=np.int32)

    def __getitem__(self, row: int) -> Game:
        """Return a game without moves: no record has moves."""
        return Game()

    def called(self, source: str) -> Self:
        """Return the same records with another name for their source."""
        records = copy.copy(self)
        records.source = source
        return records

    @property
    def results(self) -> list[str]:
        """Return ``*`` for every record: no record has a result."""
        return ["*"] * len(self)

    @property
    def move_offsets(self) -> np.ndarray:
        """The index of the first move of each record: there are no moves."""
        return np.zeros(len(self) + 1, np.int64)

    @property
    def chess960(self) -> np.ndarray:
        """False for every record: no record says that it is Chess960."""
        return np.zeros(len(self), np.bool_)

    @property
    def checks_given(self) -> np.ndarray:
        """Raise ``QueryError``, because the moves before a record are not known."""
        raise QueryError(f"the checks given before are not in the positions of {self.source}: PGN has the games")

    @property
    def identities(self) -> Identities:
        """Raise ``QueryError``, because the moves before a record are not known."""
        raise QueryError(f"where pieces came from is not in the positions of {self.source}: PGN has the games")

    def tag(self, name: str) -> pa.StringArray:
        """Return a tag's value for every record: null."""
        return pa.nulls(len(self), pa.string())

    def faults(self) -> Iterator[Fault]:
        """Return no faults: the faults of records are reported when the records are read."""
        return iter(())

    def clocks(self) -> pa.DoubleArray:
        """Return a single null: no record has annotations."""
        return pa.nulls(1, pa.float64())

    elapsed = clocks

    def evaluations(self) -> pa.Int32Array:
        """Return a single null: no record has annotations."""
        return pa.nulls(1, pa.int32())

    depths = evaluations

    def nags(self) -> pa.ListArray:
        """Return a single null: no record has annotations."""
        return pa.nulls(1, pa.list_(pa.uint8()))

    def comments(self) -> pa.StringArray:
        """Return a single null: no record has annotations."""
        return pa.nulls(1, pa.string())


# ----------------------------------------------------- the jobs of a source, each of which makes one batch of positions


class Batch:
    """The result of one job: positions and their games, faults, and how many bytes of the source were read."""

    def __init__(self, games: Games | Records, positions: GamePositions | None, faults: list[Fault], size: int) -> None:
        self.games, self.faults, self.size = games, faults, size
        #: The rows that match the part of the condition that the source has evaluated, ascending; None for all rows.
        self.matches: np.ndarray | None = None
        self._are_replayed = positions is None
        if positions is not None:
            self.positions = positions

    @functools.cached_property
    def positions(self) -> GamePositions:
        """The positions; the games are replayed at the first access."""
        if isinstance(self.games, Games) and self.games.lines is not None:
            return self.games.positions(variations=True)
        return self.games.positions()  # type: ignore[union-attr]

    @property
    def is_of_games(self) -> bool:
        """Whether the positions come from known games."""
        return self.games.are_games

    @property
    def game_count(self) -> int:
        """The number of games; 0 for positions that do not come from games."""
        return len(self.games) if self.is_of_games else 0

    def games_table(self) -> pa.Table:
        """Return the table of the games; it is empty for positions that do not come from games."""
        return games_table(self.games, self.faults) if self.is_of_games else GAMES.empty_table()

    def forget(self) -> None:
        """Drop the positions, if they can be replayed at the next access."""
        if self._are_replayed:
            for thing in (self, self.games):  # positions of variations are parts of a tree, which the games keep
                thing.__dict__.pop("positions", None)
                thing.__dict__.pop("tree", None)


class StoredFiles(NamedTuple):
    """A Parquet file of positions and the file of their games, with columns in the form that conditions expect."""

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
    """One batch that can be read by any thread."""

    def prepare(self) -> None:
        """Do the work that does not depend on the batches before."""

    def settle(self) -> None:
        """Wait for the number of the first game, and pass the next number to the next batch."""

    def run(self) -> Batch:
        """Return the batch; ``prepare`` and ``settle`` need not be called before."""
        raise NotImplementedError

    def skip(self, number: int) -> None:
        """Skip this job, which an earlier run finished; the next game has this number."""

    def abandon(self) -> None:
        """Cancel this job, so that no other job waits for it."""

    def pass_over(self, *, counted: bool) -> None:
        """Skip this job, which another process runs; count its games if the next jobs need the number."""


# ------------------------------------------------------------------------------- a question to a source, and its plan


class Condition(Protocol):
    """A condition on positions, which the package ``language`` reads and evaluates."""

    columns: list[str]
    reads_other_rows: bool
    #: What every game with a match has; None if nothing is known.
    needs: Need | None

    def matches(self, positions: Positions) -> np.ndarray:
        """Return the indices of the positions that match, ascending."""


class StoredCondition(Protocol):
    """A condition that DuckDB evaluates on the columns in Parquet files."""

    def rows(self, files: list[StoredFiles], threads: int) -> Iterator[np.ndarray]:
        """Yield for each file the rows that match, ascending."""

    def table(self, files: list[StoredFiles], schema: pa.Schema, threads: int) -> pa.Table:
        """Return the stored columns of a schema for all positions that match, in order."""


class Divided(NamedTuple):
    """A condition in two parts, which AND joins: the stored part, and the conditions that are left."""

    #: The stored part in DuckDB, and the conditions that it has; None and empty if no part needs only stored columns.
    stored: StoredCondition | None
    found: Sequence[Condition]
    left: Sequence[Condition]


class Question(NamedTuple):
    """A query, checked for one source. A question without arguments asks for all positions."""

    condition: Any = None
    #: Whether the annotations of the moves must be read.
    notes: bool = False
    #: The columns of the result, the columns that outputs show in addition to the usual ones, and the result's schema.
    columns: Sequence[str] = ()
    shown: Sequence[str] = ()
    schema: pa.Schema = pa.schema([])
    #: Callback per batch, run in the worker thread after filtering; its result becomes ``BatchResult.computed``.
    compute: Callable[[Any], Any] | None = None
    #: The order of the matches.
    order: Any = None
    #: Returns the part of the condition that DuckDB can evaluate on stored columns, and the rest; its argument returns
    #: whether files store all of some columns. None without a condition.
    divide: Callable[[Callable[[Iterable[str]], bool]], Divided] | None = None
    #: The largest number of matches of one game; a text that a player's name must contain, and the player's side.
    per_game: int | None = None
    player: str | None = None
    side: str | None = None
    #: Whether the lines of variations are searched, too.
    variations: bool = False
    #: Only games that reach a position with one of these keys are wanted; other games may be read, too.
    keys: frozenset[int] | None = None
    #: The keys and the moves of a tree, whose sums are wanted: see ``Plan.sums``.
    tree: tuple[np.ndarray, np.ndarray | None] | None = None
    #: Whether the names of players in all games are counted, so that every game must be read.
    counts_names: bool = False
    #: The size of the first batch in bytes, if a user waits for it; it doubles with each next batch. Only for PGN.
    first: int | None = None
    #: The number of threads.
    threads: int = 1
    #: The columns of the result that are expressions, by their names: each is computed for the matches alone.
    computed: Mapping[str, Any] = {}

    @property
    def needs(self) -> Need | None:
        """What every game with a match has; None if nothing is known."""
        keys = None if self.keys is None else Keys(self.keys)
        return all_of(keys, None if self.condition is None else self.condition.needs)

    @property
    def takes_all(self) -> bool:
        """Whether the matches are all positions for which the condition is true, in order, without expressions."""
        return not self.computed and (self.player, self.per_game, self.order) == (None, None, None)


class Plan(NamedTuple):
    """How a source answers a question."""

    #: The way in words, for ``--explain``.
    way: str
    #: Yields the batches. A batch has its matching rows if the source has evaluated a part of the condition.
    jobs: Callable[[], Iterator[Job]]
    #: The conditions that are left: positions for which all of them are true match.
    left: Sequence[Condition] = ()
    #: Whether all games are read.
    reads_all: bool = True
    #: The Parquet files that store all columns of the condition and of the result; None if there are none.
    files: list[StoredFiles] | None = None
    #: Returns the table of all matches, if these files suffice.
    table: Callable[[], pa.Table] | None = None
    #: Stored sums over the games that reach each position of a tree, or that play each of its moves in one position:
    #: (n, 15) int64; None if the source does not store them.
    sums: np.ndarray | None = None


class Source:
    """A source of a known kind: the base class of all kinds. A kind must define ``scan``."""

    #: The name in messages, and in the column ``source`` of its games.
    name: str
    #: The source's own columns, in addition to the columns of every position.
    source_columns: Mapping[str, pa.DataType] = {}
    #: The columns that the source can answer without variations.
    holdings: Holdings
    #: Whether the source has variations, so that it answers everything if they are read.
    has_variations = False
    #: Whether the source is PGN, so that the text of each game can be copied.
    has_texts = False
    #: Whether moves are parsed, as in PGN and in a table with moves after FENs.
    parses_moves = False

    def scan(self, question: Question) -> Iterator[Job]:
        """Yield the batches with all positions, in order. Raises ``SourceError`` if the source cannot be read."""
        raise NotImplementedError

    def explain(self, question: Question) -> Plan:
        """Return how a question is answered. A kind that finds matches by itself returns a plan of its own.

        By default the whole source is read, and the whole condition is left.
        """
        return self.read_whole(question, "it is not an index (setwise index writes one)")

    def read_whole(self, question: Question, why: str) -> Plan:
        """Return the plan to read the whole source; ``why`` is why no index is used."""
        left = [] if question.condition is None else [question.condition]
        return Plan(f"read from the beginning to the end: {why}", functools.partial(self.scan, question), left)

    def answers(self, *, variations: bool) -> Holdings:
        """Return the columns that the source can answer."""
        return EVERYTHING if variations and self.has_variations else self.holdings

    def divided(self, size: int, *, numbered_by: int | None = None) -> Iterable[Any]:
        """Return the parts of a file of games, which can be read on other machines: each is a source with a ``size``.

        Args:
            size: about how many bytes of text a part has.
            numbered_by: how many threads find the number of each part's first game; None if no numbers are needed.
        """
        raise NotImplementedError

    def sources(self) -> Iterable[str]:
        """Return the values of the column ``source``; a value may be repeated. By default this is only the name."""
        return [self.name]

    def name_sources(self, names: Mapping[str, str]) -> None:
        """Replace the values of the column ``source``, before anything is read."""
        self.name = names.get(self.name, self.name)

    def whole(self, read: dict[str, tuple[Hashable, int]]) -> Hashable:
        """Return a key of the whole that this source is a part of, if it is not a file; by default, a whole of its own.

        Args:
            read: for the games in memory so far, by the name of their source: the last whole, and the number after the
                last game of this whole.
        """
        return object()


class SourceOfGames(Source):
    """A source of the texts of games, or of what they can be written from."""

    holdings = WITHOUT_VARIATIONS
    has_variations = has_texts = parses_moves = True
