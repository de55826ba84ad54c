"""``tree`` and ``similar``: the moves played from a position, and the positions most like a given position.

A tree counts games, not positions: a game in which a move was played twice counts once. ``Tally`` adds up the sums
``SUMS`` batch by batch. An index stores these sums for frequent positions; then no game is read. Rows are compared by
their pieces first and by their keys after that, because comparing sets is quicker than computing all keys. The distance
of two positions is a sum of points for the differences in the pieces. ``Nearest`` keeps the nearest rows, and the
distance from which on a further row cannot be among them.
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Callable, Iterable
from typing import Any, Literal, cast

import numpy as np
import pyarrow as pa

from setwise.corpus.columns import MADE_HERE, OF_SETS, table_of, values_of
from setwise.corpus.language.names import EITHER, RESEMBLANCES, Files, repertoire_in, resemblance_name
from setwise.corpus.query.limits import answer_within, are_set
from setwise.corpus.query.search import BatchResult, Query, hints, planned, search
from setwise.corpus.sources.jobs import Question, Source
from setwise.corpus.sources.places import Sources, partially
from setwise.corpus.storage.encodings import SUMS, added, sums_of
from setwise.errors import QueryError, shortened
from setwise.game.batch import GamePositions
from setwise.game.games import Fault
from setwise.game.openings import named, rows_of
from setwise.position.position import Position, names_rooks
from setwise.position.positions import Positions

# ---------------------------------------------------------------------------------------------------- the tree of moves


#: What the rows of a tree count: games in which the move was played, or games that reached the position after it.
BY = ("move", "position")

#: The columns of a tree.
TREE = pa.schema(
    [
        ("san", pa.string()), ("move", pa.string()), ("games", pa.int64()), ("white", pa.int64()), ("draw", pa.int64()),
        ("black", pa.int64()), ("rating", pa.int32()), ("performance", pa.int32()), ("last_year", pa.int16()),
        ("opening", pa.string()),
    ]
)  # fmt: skip

#: The columns of games that a tree needs; they are null if a source does not have them.
_OF_GAMES = ("points", "white_elo", "black_elo", "year")
_NUMBER = re.compile(r"\d+\.+")


def tree(
    position: str | Position,
    sources: Sources,
    *,
    by: Literal["move", "position"] = "move",
    where: str | None = None,
    player: str | None = None,
    side: str | None = None,
    within: str | os.PathLike[str] | None = None,
    files: Files = (),
    partial: bool = False,
    threads: int | None = None,
    on_fault: Callable[[Fault], Any] | None = None,
    on_hint: Callable[[str], Any] | None = None,
) -> pa.Table:
    """Return the moves that were played from a position, the most frequent move first, as an Arrow table.

    The columns are ``san`` and ``move`` (UCI); ``games``, the number of games; ``white``, ``draw`` and ``black``, how
    many of these White won, were drawn, and Black won (the other games have no result); ``rating``, the mean Elo of the
    players who made the move; ``performance``, the mean Elo of their opponents plus 400 · (won - lost) / games; and
    ``last_year``. These three are null if no game has the tags for them. ``opening`` is the name of the position after
    the move, null if it has none. A game in which a move was played twice from the position counts once.

    Args:
        position: moves from the start, such as ``"1. e4 e5"``, a FEN, ``""`` for the start, or a ``Position``.
        sources: sources with moves, as for ``find``.
        by: ``"move"`` counts the games in which the move was played from the position; ``"position"`` counts all games
            that reached the position after the move, by any moves.
        where: only rows that match a condition, such as ``"white_elo > 2400 and year >= 2000"``. The condition is about
            the position; with ``by="position"``, it is about the position after the move.
        player: only games in which a player's name contains this text, ignoring case.
        side: ``"white"`` or ``"black"``: only games in which that player has this side; by default either.
        within: a repertoire, which is a file of games: only moves to its positions count. Its variations belong to it.
        files: the repertoires that ``within`` and ``leaves`` may name: paths of files. A condition reads no other file.
        partial: as for ``find``.
        threads: the number of threads, by default one per processor.
        on_fault: called with a :class:`Fault` for every game that breaks off.
        on_hint: as for ``find``, if the tree has no moves.

    Raises:
        QueryError: the condition is not SQL over the columns, a source has no moves, or a side is named without a
            player.
        SourceError: a source is missing, has no known format, or cannot be read.
        ValueError: the position is neither a FEN nor a sequence of legal moves.

    Example:
        >>> import setwise
        >>> games = b'[Result "1-0"] 1. e4 e5 2. Nf3 1-0 [Result "0-1"] 1. e4 e5 2. f4 0-1 [Result "*"] 1. e4 c5 *'
        >>> for row in setwise.tree("1. e4", games).select(["san", "games", "white", "draw", "black"]).to_pylist():
        ...     print(*row.values())
        e5 2 1 0 1
        c5 1 0 0 0
    """
    if are_set():
        return answer_within(tree, locals())
    if by not in BY:
        raise QueryError(f"a tree is by 'move' or by 'position', not {shortened(str(by))}")
    tally = Tally(position_of(position), by, within)
    query = tally.query(where, player, side, files=files)
    questions = planned(partially(sources, partial=partial), query)
    for _ in tallied(questions, tally, threads=threads, on_fault=on_fault):
        pass
    table = tally.table()
    is_missing = on_hint is not None and isinstance(questions, list) and not len(table)
    for hint in hints(questions, query) if is_missing else ():
        on_hint(hint)  # type: ignore[misc]
    return table


def position_of(position: str | Position) -> Position:
    """Return the position of a text, which is a FEN or moves from the start of a game.

    Raises:
        ValueError: the text is neither a FEN nor moves; the message names the wrong move or field.

    Example:
        >>> position_of("1. e4 e5 2. Nf3").fen()
        'rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2'
    """
    if isinstance(position, Position):
        return position
    if not isinstance(position, str):
        raise QueryError(f"a position is a FEN, moves such as '1. e4 e5', or a Position, not {type(position).__name__}")
    text = position.strip()
    if "/" in text:
        return Position(text, chess960=names_rooks(text))
    reached = Position()
    for move in _NUMBER.sub(" ", "" if text == "startpos" else text).split():
        reached = reached.play(move)
    return reached


class _Numbered:
    """A list of values, in which each value has a number."""

    def __init__(self, values: np.ndarray) -> None:
        self._order = np.argsort(values)
        self._sorted = values[self._order]

    def of(self, values: np.ndarray) -> np.ndarray:
        """Return the number of each value; -1 for a value that is not among them."""
        if not len(self._sorted):
            return np.full(len(values), -1)
        at = np.minimum(np.searchsorted(self._sorted, values), len(self._sorted) - 1)
        return np.where(self._sorted[at] == values, self._order[at], -1)


class Tally:
    """The counts of a tree, added up batch by batch.

    Args:
        position: the position whose moves are counted.
        by: an item of ``BY``.
        within: the repertoire that must contain the positions after the moves, by its name; None for any position.
    """

    def __init__(self, position: Position, by: str = "move", within: str | os.PathLike[str] | None = None) -> None:
        self.position, self.by = position, by
        parent = Positions.from_positions([position])
        after, _, moves = parent.children()
        if within is not None:
            inside = repertoire_in(within).has(after.keys())
            after, moves = after[inside], moves[inside]
        self._moves = moves
        self._openings = named(rows_of(after.keys()))[1]
        #: The sums ``SUMS`` of each move.
        self._counts = np.zeros((len(moves), len(SUMS)), np.int64)
        self._counts[:, -1] = -1
        wanted = parent if by == "move" else after
        self._wanted = wanted.keys()
        self._keys, self._numbers = _Numbered(wanted.keys()), _Numbered(moves)
        self._pieces = np.unique(wanted.white_pieces), np.unique(wanted.black_pieces)

    def query(self, where: str | None, player: str | None, side: str | None = None, *, files: Files = ()) -> Query:
        """Return the query for the rows of a tree: of all games, or of a player's games, with either or one side."""
        needed = ["move"] if self.by == "move" else []
        is_of_all = where is None and player is None
        # Without a filter, an index has the sums and need not find the games.
        keys = None if is_of_all else frozenset(self._wanted.tolist())
        moves = np.asarray(self._moves, np.int64) if self.by == "move" else None
        return Query(
            where, [*needed, *_OF_GAMES], player=player, side=side, lenient=_OF_GAMES, keys=keys, files=files,
            tree=(self._wanted, moves) if is_of_all and len(self._moves) else None,
        )  # fmt: skip

    def add_stored(self, source: Source, question: Question) -> bool:
        """Add the sums that a source stores; return whether the source stores sums that can be used."""
        sums = None if question.tree is None else source.explain(question).sums
        if sums is None:
            return False
        self.add(sums)
        return True

    def of(self, result: BatchResult) -> np.ndarray:
        """Return the counts of each move in a batch."""
        positions = result.positions
        rows, moves = self._found(positions)
        if result.rows is not None:
            chosen = np.isin(rows, result.rows, assume_unique=True)
            rows, moves = rows[chosen], moves[chosen]
        # A game counts once for each move.
        _, firsts = np.unique(positions.game[rows].astype(np.int64) * len(self._moves) + moves, return_index=True)
        outcomes = np.stack([_numbers(positions[rows[firsts]], name) for name in _OF_GAMES], 1)
        return sums_of(outcomes, moves[firsts], len(self._moves))

    def _found(self, positions: GamePositions) -> tuple[np.ndarray, np.ndarray]:
        """Return the rows that have one of the wanted keys, and for each row the number of the move that it counts."""
        source_columns = positions.source_columns
        if source_columns is not None and "key" in source_columns.column_names:
            rows, keys = np.arange(len(positions)), values_of(positions, "key").to_numpy()
        else:  # comparing sets is faster than computing all keys
            white, black = self._pieces
            rows = np.flatnonzero(_is_in(positions.white_pieces, white) & _is_in(positions.black_pieces, black))
            keys = cast("Positions", positions[rows]).keys()
        numbers = self._keys.of(keys)
        rows, numbers = rows[numbers >= 0], numbers[numbers >= 0]
        if self.by == "move":  # neither the end of a game nor a null move counts
            numbers = self._numbers.of(np.asarray(positions.moves)[rows])
            rows, numbers = rows[numbers >= 0], numbers[numbers >= 0]
        return rows, numbers

    def add(self, counts: np.ndarray) -> None:
        """Add the counts of a batch."""
        self._counts = added(self._counts, counts)

    def table(self) -> pa.Table:
        """Return the tree, the most frequent move first."""
        count = dict(zip(SUMS, self._counts.T, strict=True))
        order = np.argsort(-count["games"], kind="stable")
        order = order[count["games"][order] > 0]
        count = {name: column[order] for name, column in count.items()}
        parents = Positions.from_positions([self.position] * len(order))
        parents.moves = self._moves[order]
        own, enemy, sign = ("white", "black", 1) if self.position.white_to_move else ("black", "white", -1)
        performance = count[f"{enemy}_faced_ratings"] + 400 * sign * count[f"{enemy}_balance"]
        columns = [
            parents.san(), parents.uci(), *(pa.array(count[name]) for name in ("games", "white", "draw", "black")),
            _mean(count[f"{own}_ratings"], count[f"{own}_rated"]), _mean(performance, count[f"{enemy}_faced"]),
            pa.array(count["last_year"], mask=count["last_year"] < 0), self._openings.take(pa.array(order)),
        ]  # fmt: skip
        columns = [column.cast(field.type) for column, field in zip(columns, TREE, strict=True)]
        return pa.table(columns, schema=TREE).replace_schema_metadata(MADE_HERE)


def tallied(questions: Iterable[tuple[Source, Question]], tally: Tally, **options: Any) -> Iterable[BatchResult]:
    """Add the rows of a search to a tally, and yield the result of each batch. Stored sums are used if they exist.

    ``options`` are those of ``search``.
    """
    computing = (
        (source, question._replace(compute=tally.of))
        for source, question in questions
        if not tally.add_stored(source, question)
    )
    for result in search(computing, **options):
        tally.add(result.computed)
        yield result


def _is_in(words: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Return for each word whether it is among the wanted words."""
    return functools.reduce(np.logical_or, (words == word for word in wanted), np.zeros(len(words), np.bool_))


def _numbers(positions: GamePositions, name: str) -> np.ndarray:
    """Return a column of games as whole numbers, with -1 for null; points are counted in half points."""
    source_columns = positions.source_columns
    is_known = positions.games.are_games or (source_columns is not None and name in source_columns.column_names)  # type: ignore[attr-defined]
    if not is_known:
        return np.full(len(positions), -1, np.int64)
    values = values_of(positions, name).to_numpy(zero_copy_only=False).astype(np.float64)
    return np.where(np.isnan(values), -1, values * (2 if name == "points" else 1)).astype(np.int64)


def _mean(sums: np.ndarray, counts: np.ndarray) -> pa.Array:
    """Return sums divided by counts, rounded; null where the count is 0."""
    return pa.array(np.rint(sums / np.maximum(counts, 1)).astype(np.int64), mask=counts == 0)


# -------------------------------------------------------------------------------------------------------------- similar


#: The columns of the answer in addition to the place of the position: the results of functions of ``RESEMBLANCES``.
_FIELDS = (
    pa.field("distance", pa.int16()), pa.field("differing_squares", pa.uint64(), metadata=OF_SETS),
    pa.field("differences", pa.string()),
)  # fmt: skip


def similar(
    position: str | Position,
    sources: Sources,
    *,
    n: int = 20,
    where: str | None = None,
    columns: Iterable[str] | None = None,
    either_colour: bool = False,
    player: str | None = None,
    files: Files = (),
    threads: int | None = None,
    on_fault: Callable[[Fault], Any] | None = None,
) -> pa.Table:
    """Return the positions most like a given position, at most one of each game, nearest first, as an Arrow table.

    The distance is the sum of points for all differences in the pieces: 1 for a piece on another square; the value of
    the piece for one piece more or fewer (knight and bishop 3, rook 5, queen 9); 2 for a pawn on another square of its
    file; 4 for one pawn more or fewer on a file; 4 for a king on another wing (files a to c, d and e, f to h). The side
    to move, castling rights and clocks do not count. Among equally near positions of a game the first is taken; equally
    near games stay in the order of the sources.

    After the columns of the place there are ``distance``, ``differing_squares`` (a set), and ``differences`` (in words,
    each with its points).

    Args:
        position: a FEN or only its first field, moves such as ``"1. d4 d5 2. c4"``, or a position.
        sources: as for ``find``.
        n: the largest number of positions.
        where: only positions that match a condition.
        columns: the columns that replace the columns of place, players, move and FEN.
        either_colour: whether the mirror image, with the colours exchanged, is compared instead where it is nearer.
        player: only games in which a player's name contains this text, ignoring case.
        files: the repertoires that ``within`` and ``leaves`` may name: paths of files. A condition reads no other file.
        threads: the number of threads, by default one per processor.
        on_fault: called with a :class:`Fault` for every game that breaks off.

    Raises:
        QueryError: the condition is not SQL over the columns, or a column is unknown.
        SourceError: a source is missing, has no known format, or cannot be read.
        ValueError: the position is neither a FEN nor a sequence of legal moves, or ``n`` is less than 1.

    Example:
        >>> import setwise
        >>> games = b"1. e4 e5 2. Nf3 Nc6 3. Bb5 * 1. e4 e5 2. Bc4 * 1. d4 d5 *"
        >>> nearest = setwise.similar("1. e4 e5 2. Nf3 Nf6", games, n=2)
        >>> for row in nearest.select(["game", "ply", "distance", "differences"]).to_pylist():
        ...     print(*row.values())
        1 3 1 black knight g8, not f6: 1
        2 2 2 white knight g1, not f3: 1; black knight g8, not f6: 1
    """
    if are_set():
        return answer_within(similar, locals())
    nearest = Nearest(position, n, either_colour=either_colour)
    questions = planned(sources, nearest.query(where, player, columns, files))
    for _ in nearest.among(questions, threads=threads, on_fault=on_fault):
        pass
    return nearest.table()


class Nearest:
    """The nearest positions of a search so far.

    Args:
        position: the position that the others are compared with: a position, a FEN, or moves.
        count: how many positions are kept.
        either_colour: whether the mirror image is compared instead where it is nearer.
    """

    def __init__(self, position: str | Position, count: int, *, either_colour: bool = False) -> None:
        if count < 1:
            raise ValueError(f"n is a number of positions, 1 or more, not {count}")
        self.position, self.count = _position_of(position), count
        either = (EITHER,) if either_colour else ()
        self._columns = [resemblance_name(function, self.position.fen(), *either) for function in RESEMBLANCES]
        #: The rows kept so far, nearest first; then the distance from which on no other row can be among them.
        self._kept: pa.Table | None = None
        self._bound = np.iinfo(np.int16).max

    def query(
        self, where: str | None, player: str | None, columns: Iterable[str] | None = None, files: Files = ()
    ) -> Query:
        """Return the query for the positions to compare."""
        return Query(where, columns, player=player, files=files)

    def among(self, questions: Iterable[tuple[Source, Question]], **options: Any) -> Iterable[BatchResult]:
        """Keep the nearest positions of a search, and yield the result of each batch; ``options`` as for ``search``."""
        for result in search(map(self._prepared, questions), **options):
            self._add(result.computed)
            yield result

    def _prepared(self, planned: tuple[Source, Question]) -> tuple[Source, Question]:
        """Return a source with a question that keeps the nearest rows of each batch, with the columns of the answer."""
        source, question = planned
        self._add(_schema(question).empty_table())
        return source, question._replace(compute=self._nearest_of)

    def _nearest_of(self, result: BatchResult) -> pa.Table:
        """Return the rows of a batch that can be among the nearest, nearest first, at most one row of each game."""
        matches = result.matches()
        distances = values_of(matches, self._columns[0]).to_numpy()
        rows = np.flatnonzero(distances < self._bound)
        rows = rows[np.argsort(distances[rows], kind="stable")]
        _, firsts = np.unique(matches.game[rows], return_index=True)
        nearest: Any = matches[rows[np.sort(firsts)[: self.count]]]
        table = table_of(nearest, [*result.question.columns, *self._columns])
        return pa.table(table.columns, _schema(result.question))

    def _add(self, rows: pa.Table) -> None:
        """Add rows, which come after all rows added before."""
        tables = [rows] if self._kept is None else [self._kept, rows]
        joined = pa.concat_tables(tables, promote_options="default").unify_dictionaries()
        order = np.argsort(joined["distance"].to_numpy(), kind="stable")[: self.count]
        self._kept = joined.take(pa.array(order))
        if len(order) == self.count:
            self._bound = self._kept["distance"][-1].as_py()

    def table(self) -> pa.Table:
        """Return the nearest positions, nearest first."""
        table = pa.table({}) if self._kept is None else self._kept
        return table.replace_schema_metadata(MADE_HERE)


def _schema(question: Question) -> pa.Schema:
    """The schema of the answer."""
    return pa.schema([*question.schema, *_FIELDS])


def _position_of(position: str | Position) -> Position:
    """Return the position of a text; the first field of a FEN is enough, and kings may be missing."""
    if isinstance(position, str) and "/" in position:
        return Position(position.strip(), chess960=names_rooks(position), strict=False)
    return position_of(position)
