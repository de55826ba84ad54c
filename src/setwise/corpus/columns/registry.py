"""The registry of columns: what scans and conditions know, computed when somebody asks.

A column costs nothing unless it is asked for. Most are defined once, by one function in a file of this folder; a
definition that takes a side becomes four columns, ``white_…``, ``black_…``, ``own_…`` (the mover's) and ``enemy_…``.
Features and tags are columns without being listed: ``COLUMNS`` finds them by their names, from the moment that they are
defined.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from setwise.compiler import Kind
from setwise.corpus.columns.domains import Domain, between
from setwise.errors import QueryError, did_you_mean, shortened
from setwise.features import FEATURES, SIDES, Feature
from setwise.game.games import Games
from setwise.position.positions import Positions

__all__ = [
    "COLUMNS", "FEATURE_DOMAINS", "MADE_HERE", "Column", "checked", "chosen", "column", "columns", "game_column",
    "games_of", "need_notes", "schema_of", "sided_column", "sided_game_column", "table_of", "type_of", "values_of",
]  # fmt: skip

#: A text for each position, told once for each game.
TEXTS = pa.dictionary(pa.int32(), pa.string())

#: How the schema of a table says that its columns are those of this registry; notebooks show such tables with boards.
MADE_HERE = {b"made by": b"setwise"}

#: What computes a column, one of a side, and one of games, a row each (``Games`` or ``Records``).
Compute = Callable[[Positions], pa.Array]
ComputeSide = Callable[[Positions, str], pa.Array]
ComputeGames = Callable[[Any], pa.Array]


class Column(NamedTuple):
    """A column's name, Arrow type, meaning in one line, and how it comes out of positions."""

    name: str
    type: pa.DataType
    meaning: str
    compute: Compute
    #: Whether it comes of what is noted beside the moves, which the reader keeps only when it is asked to.
    needs_notes: bool = False
    #: Whether its numbers are sets of squares.
    is_set: bool = False
    #: Whether it can be computed of positions that come from no game.
    of_boards: bool = False
    #: The columns that it is computed from where the games themselves are not at hand; by default itself.
    needs: frozenset[str] = frozenset()
    #: The values that it can hold, where not every value of its type is one.
    domain: Domain | None = None
    #: What computes it for games, a row each, where it is the same for all positions of a game.
    of_games: ComputeGames | None = None


class _Sided(NamedTuple):
    """What four columns have in common; ``{side}`` in the meaning stands for whose it is."""

    type: pa.DataType
    meaning: str
    compute: ComputeSide
    needs_notes: bool
    is_set: bool
    of_boards: bool
    needs: Callable[[str], frozenset[str]]
    domain: Domain | None = None
    #: For White's and Black's columns: what computes them for games.
    of_games: Callable[[Any, str], pa.Array] | None = None


_plain: dict[str, Column] = {}
_sided: dict[str, _Sided] = {}

#: How a meaning speaks of a side.
_WHOSE = {"white": "White", "black": "Black", "own": "the side to move", "enemy": "the side not to move"}


def column(
    name: str,
    kind: pa.DataType,
    meaning: str,
    *,
    needs_notes: bool = False,
    is_set: bool = False,
    of_boards: bool = False,
    needs: str = "",
    domain: Domain | None = None,
    of_games: ComputeGames | None = None,
) -> Callable[[Compute], Compute]:
    """Define a column by what computes it; ``needs`` names the columns that suffice for that, beside the board."""

    def enter(compute: Compute) -> Compute:
        basis = _basis(needs or name, of_boards)
        _plain[name] = Column(name, kind, meaning, compute, needs_notes, is_set, of_boards, basis, domain, of_games)
        return compute

    return enter


def _basis(names: str, of_boards: bool) -> frozenset[str]:
    return frozenset() if of_boards else frozenset(names.split())


def game_column(
    name: str, kind: pa.DataType, meaning: str, *, needs: str = "", domain: Domain | None = None
) -> Callable[[ComputeGames], ComputeGames]:
    """Define a column that is the same for all positions of a game by what computes it for games, a row each."""

    def enter(compute: ComputeGames) -> ComputeGames:
        _plain[name] = _of_game(name, kind, meaning, compute, _basis(needs or name, of_boards=False), domain)
        return compute

    return enter


def _of_game(
    name: str,
    kind: pa.DataType,
    meaning: str,
    compute: ComputeGames,
    needs: frozenset[str],
    domain: Domain | None = None,
) -> Column:
    def of_positions(positions: Positions) -> pa.Array:
        values = compute(games_of(positions))
        return pointed(positions.game, values) if kind == TEXTS else values.take(pa.array(positions.game))

    return Column(name, kind, meaning, of_positions, needs=needs, domain=domain, of_games=compute)


def sided_game_column(
    stem: str, kind: pa.DataType, meaning: str, *, needs: str = "{side}_{stem}", domain: Domain | None = None
) -> Callable[[Callable[[Any, str], pa.Array]], Callable[[Any, str], pa.Array]]:
    """Define the four columns of a stem by what computes White's and Black's for games, a row each."""

    def enter(compute: Callable[[Any, str], pa.Array]) -> Callable[[Any, str], pa.Array]:
        @sided_column(stem, kind, meaning, needs=needs, domain=domain)
        def of_positions(positions: Positions, side: str) -> pa.Array:
            games = games_of(positions)
            return chosen(positions, side, compute(games, "white"), compute(games, "black"))

        _sided[stem] = _sided[stem]._replace(of_games=compute)
        return compute

    return enter


def chosen(
    positions: Positions, side: str, white: pa.Array, black: pa.Array, rows: np.ndarray | None = None
) -> pa.Array:
    """One side's values, from what White and Black have in each game (or in the row that ``rows`` gives)."""
    rows = positions.game if rows is None else rows
    if side in {"white", "black"}:
        values = white if side == "white" else black
    else:
        values = pa.concat_arrays([white, black])
        rows = np.where(positions.white_to_move == (side == "own"), rows, rows + len(white)).astype(np.int32)
    return pointed(rows, values) if pa.types.is_string(values.type) else values.take(pa.array(rows))


def sided_column(
    stem: str,
    kind: pa.DataType,
    meaning: str,
    *,
    needs_notes: bool = False,
    is_set: bool = False,
    of_boards: bool = False,
    needs: str = "{side}_{stem}",
    domain: Domain | None = None,
) -> Callable[[ComputeSide], ComputeSide]:
    """Define the four columns of a stem by what computes one of them, for a side of ``SIDES``.

    In ``needs`` stand the columns that suffice for that; those of the mover and its enemy need White's and Black's.
    """

    def enter(compute: ComputeSide) -> ComputeSide:
        _sided[stem] = _Sided(kind, meaning, compute, needs_notes, is_set, of_boards, basis, domain)
        return compute

    def basis(side: str) -> frozenset[str]:
        sides = (side,) if side in {"white", "black"} else ("white", "black")
        return frozenset().union(*(_basis(needs.format(side=it, stem=stem), of_boards) for it in sides))

    return enter


#: What names a square or files is an argument of other patterns, and stays what they take.
_NAMING = frozenset({"square", "fileset"})
_ROOMY = {pa.uint8(): pa.int16(), pa.int8(): pa.int16()}


def type_of(kind: Kind) -> pa.DataType:
    """Return the Arrow type of what a pattern or feature returns.

    Numbers are signed and have room: without a sign, DuckDB refuses the difference of two where the second is larger,
    and data frames answer 254 for -2.
    """
    stored = pa.from_numpy_dtype(kind.dtype)
    return stored if kind.name in _NAMING else _ROOMY.get(stored, stored)


#: What features can hold whose numbers have an end.
FEATURE_DOMAINS: dict[Feature, Domain] = {}


def _of_feature(found: Feature) -> _Sided:
    summary = (found.__doc__ or "").strip().split("\n")[0].removeprefix("Return ").rstrip(".")
    name, kind = found.definition.__name__, type_of(found.returns)

    def compute(positions: Positions, side: str) -> pa.Array:
        return pa.array(positions.feature(f"{side}_{name}")).cast(kind)

    domain = FEATURE_DOMAINS.get(found, between(0) if found.returns.name == "count" else None)
    meaning = summary.replace("{", "(").replace("}", ")").replace("this side", "{side}")
    return _Sided(
        kind, meaning, compute, needs_notes=False, is_set=found.returns.is_set, of_boards=True,
        needs=lambda _: frozenset(), domain=domain,
    )  # fmt: skip


def pointed(rows: np.ndarray, values: pa.Array) -> pa.Array:
    """The values with these numbers, each told once."""
    # Parquet takes no null inside a dictionary: rows without a value point nowhere.
    missing = values.is_null().to_numpy(zero_copy_only=False)[rows] if values.null_count else None
    return pa.DictionaryArray.from_arrays(pa.array(rows, pa.int32(), mask=missing), values.fill_null(""))


#: How the columns begin that hold a tag under its own name.
TAG = "tag:"
_TAG_CALL = re.compile(r"tag\('([^']+)'\)", re.IGNORECASE)


def tag_column(name: str) -> Column:
    """Return the column of a tag, whatever its name."""
    return _of_game(
        f"{TAG}{name}", TEXTS, f"the tag {name}", lambda games: games.tag(name), frozenset([f"{TAG}{name}"])
    )


class _Columns(Mapping[str, Column]):
    """All columns by name; features and tags among them as they are at this moment."""

    def __getitem__(self, name: str) -> Column:
        if name in _plain:
            return _plain[name]
        if name.startswith(TAG):
            return tag_column(name.removeprefix(TAG))
        side, _, stem = name.partition("_")
        if side not in SIDES:
            raise KeyError(name)
        found = _sided[stem] if stem in _sided else _of_feature(FEATURES[stem])
        of_games = found.of_games
        return Column(
            name, found.type, found.meaning.format(side=_WHOSE[side]), lambda positions: found.compute(positions, side),
            found.needs_notes, found.is_set, found.of_boards, found.needs(side), found.domain,
            None if of_games is None or side not in {"white", "black"} else lambda games: of_games(games, side),
        )  # fmt: skip

    def __iter__(self) -> Iterator[str]:
        yield from _plain
        yield from (f"{side}_{stem}" for stem in (*_sided, *FEATURES) for side in SIDES)

    def __len__(self) -> int:
        return len(_plain) + len(SIDES) * (len(_sided) + len(FEATURES))


COLUMNS = _Columns()


def games_of(positions: Positions) -> Games:
    """Return the games that positions come from; raises ``QueryError`` if there are none."""
    if positions.games is None:
        raise QueryError("these positions come from no games, so they have no players, moves or places")
    return positions.games


def checked(names: Iterable[str], others: Iterable[str] = ()) -> list[str]:
    """Return the names without repetition; those of ``others``, which a source has itself, as they are written there.

    Raises:
        QueryError: for an unknown one, with the nearest names.
    """
    spelled = {name.lower(): name for name in others}
    found = dict.fromkeys(_named(name, spelled) for name in names)
    return list(found)


def _named(name: str, spelled: Mapping[str, str]) -> str:
    if name.lower() in spelled:
        return spelled[name.lower()]
    tag = _TAG_CALL.fullmatch(name.strip())
    name = f"{TAG}{tag[1]}" if tag else name.strip()
    if name.lower() in spelled:
        return spelled[name.lower()]
    if name not in COLUMNS and name.lower() in COLUMNS:
        return name.lower()
    if name not in COLUMNS:
        near = did_you_mean(name, [*spelled.values(), *COLUMNS], in_list=True)
        raise QueryError(f"there is no column {shortened(name)}{near}")
    return name


def need_notes(names: Iterable[str]) -> bool:
    """Return whether some of the columns come of what is noted beside the moves."""
    return any(name in COLUMNS and COLUMNS[name].needs_notes for name in names)


def values_of(positions: Positions, name: str) -> pa.Array:
    """Return one column of positions: that of the table that they come from, if it has one of this name."""
    if positions.others is not None and name in positions.others.column_names:
        return positions.others.column(name).take(pa.array(positions.row)).combine_chunks()
    return COLUMNS[name].compute(positions)


def table_of(positions: Positions, names: Iterable[str]) -> pa.Table:
    """Return the asked columns of positions as an Arrow table."""
    return pa.table({name: values_of(positions, name) for name in names})


def schema_of(names: Iterable[str], others: Mapping[str, pa.DataType] | None = None) -> pa.Schema:
    """Return the Arrow schema of the asked columns, ``others`` being the types of those that a source has itself."""
    others = others or {}
    return pa.schema([(name, others[name] if name in others else COLUMNS[name].type) for name in names])


def columns() -> dict[str, str]:
    """Return the names of all columns with their meanings, as conditions, scans and tables know them.

    Example:
        >>> import setwise
        >>> setwise.columns()["white_elo"]
        'the tag WhiteElo or BlackElo of White, a number; null when it is none'
    """
    return {name: column.meaning for name, column in COLUMNS.items()}
