"""The registry of columns, which scans and conditions compute when they need them.

A column that is not requested is not computed. ``columns.csv`` lists the columns with their types, needs and meanings;
each is computed by one function in a file of this folder. A row with a side stands for four columns, ``white_…``,
``black_…``, ``own_…`` (the mover's) and ``enemy_…``. Features and tags are columns, but are not registered here:
``COLUMNS`` finds them by name, as soon as they are defined.
"""

from __future__ import annotations

import csv
import functools
import importlib
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pyarrow as pa

from setwise.compiler import Kind
from setwise.compiler.keys import kept_under
from setwise.errors import QueryError, did_you_mean, shortened
from setwise.features import COLOURS, FEATURES, SIDES, Feature
from setwise.game.batch import Origin
from setwise.position.positions import Positions
from setwise.system.packages import pc

# ------------------------------------------------------------------------------------- the values that columns can hold


#: The largest number of values that a message shows; if there are more, it also shows the nearest.
_FEW = 8
_TRUTHS = frozenset({"true", "false", "t", "f", "yes", "no", "y", "n", "1", "0"})


class Domain(NamedTuple):
    """The values that a column can have in addition to null.

    >>> pieces = one_of("pieces are", *"PNBRQK")
    >>> pieces.admits("N"), pieces.admits("n"), pieces.describe("n")
    (True, False, 'pieces are P N B R Q K')
    """

    #: A sentence about the values; if there are ``values``, they complete it.
    sentence: str
    #: Whether the column can have a value, passed as in SQL: a number may be a text.
    admits: Callable[[Any], bool]
    #: All values, if they are few.
    values: tuple[Any, ...] = ()
    #: The smallest and the largest value, for numbers with such limits.
    ends: tuple[float, ...] = ()

    def describe(self, value: Any) -> str:
        """Return the sentence about the values, for a message about a value that is not among them."""
        if not self.values:
            return self.sentence
        shown = " ".join(it if isinstance(it, str) else f"{it:g}" for it in self.values[:_FEW])
        if len(self.values) <= _FEW:
            return f"{self.sentence} {shown}"
        return f"{self.sentence} {shown} …{did_you_mean(re.sub('[ -]', '_', str(value).lower()), self.values)}"


def one_of(sentence: str, *values: Any) -> Domain:
    """Return the domain of a few values; ``sentence`` is the beginning of a sentence, and the values complete it."""
    return Domain(sentence, values.__contains__, values)


def written(sentence: str, form: str) -> Domain:
    """Return the domain of texts that match a regular expression; ``sentence`` describes them by an example."""
    return Domain(sentence, lambda value: re.fullmatch(form, str(value)) is not None)


#: Sets of one square.
ONE_SQUARE = Domain("it is the set of one square, such as squares('e4')", lambda value: int(value).bit_count() == 1)

_TRUTH = Domain(
    "it is true or false", lambda value: value.strip().lower() in _TRUTHS if isinstance(value, str) else value in {0, 1}
)
_NUMBER = Domain("it is a number", lambda value: not isinstance(value, str) or any(map(str.isdigit, value)))


def between(least: float, most: float = math.inf) -> Domain:
    """Return the domain of the numbers from ``least`` to ``most``.

    >>> between(0, 4).admits(5), between(0).describe(-1)
    (False, 'it is a number, 0 or more')
    """
    return Domain(
        f"it is a number, {least} or more" if most == math.inf else f"it is a number, {least} to {most}",
        lambda value: _NUMBER.admits(value) if isinstance(value, str) else least <= value <= most,
        ends=(least, most),
    )


def plain_type(kind: pa.DataType) -> pa.DataType:
    """Return the type without dictionary encoding, because dictionaries differ from batch to batch."""
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def domain_of(kind: pa.DataType) -> Domain | None:
    """Return the domain of all columns of a type, or None if SQL cannot compare them with anything invalid."""
    if pa.types.is_boolean(kind):
        return _TRUTH
    return _NUMBER if pa.types.is_integer(kind) or pa.types.is_floating(kind) else None


# ---------------------------------------------------------------------------------------------- the registry of columns


#: The type of a text for each position, with dictionary encoding, because the positions of a game share the text.
TEXTS = pa.dictionary(pa.int32(), pa.string())

#: Two things that are not columns, but that columns can be computed from: the moves before a position, and the
#: evaluations of the game, if the game has any.
PAST, EVALUATED = "(past)", "(evaluations)"

#: The metadata of tables whose columns are those of this registry; notebooks show such tables with boards.
MADE_HERE = {b"made by": b"setwise"}

#: The metadata of fields with sets of squares whose names are not names of columns.
OF_SETS = {b"holds": b"sets of squares"}

#: Functions that compute a column, with a row for each position, or for each game of ``Games`` or ``Records``; those of
#: the columns of a side take it as a second argument.
Compute = Callable[..., pa.Array]
ComputeGames = Callable[..., pa.Array]
_Function = TypeVar("_Function", bound=Callable[..., pa.Array])


class Column(NamedTuple):
    """A column: the name, Arrow type, meaning in one line, and the function that computes it from positions."""

    name: str
    type: pa.DataType
    meaning: str
    compute: Compute
    #: Whether the column needs the annotations of moves, which the parser keeps only on request.
    needs_notes: bool = False
    #: Whether the numbers of the column are sets of squares.
    is_set: bool = False
    #: Whether the column can be computed for positions without games.
    of_boards: bool = False
    #: The columns from which the column can be computed if the games are not available; by default, the column itself.
    needs: frozenset[str] = frozenset()
    #: The values that the column can have, if these are not all values of its type.
    domain: Domain | None = None
    #: Computes the column for games, with a row for each, if it is the same for all positions of a game.
    of_games: ComputeGames | None = None
    #: Whether the table of games of a scan stores the column, if it has a value for each game.
    is_stored: bool = True


_plain: dict[str, Column] = {}
#: For each stem, the function that returns the column of a side of ``SIDES``.
_sided: dict[str, Callable[[str], Column]] = {}

#: The names of types in ``columns.csv`` besides those of Arrow.
_TYPES = {
    "set": pa.uint64(), "texts": TEXTS, "words": pa.dictionary(pa.int8(), pa.string()),
    "list of string": pa.list_(pa.string()), "list of uint8": pa.list_(pa.uint8()),
}  # fmt: skip


@functools.cache
def _listed() -> dict[str, dict[str, str]]:
    """Return the rows of ``columns.csv`` by the names of the columns."""
    with Path(__file__).with_name("columns.csv").open(encoding="utf-8", newline="") as file:
        return {row["name"]: row for row in csv.DictReader(file)}


def _domain_in(values: str) -> Domain | None:
    """Return the domain that ``columns.csv`` names: ``0..4``, ``0..`` or ``one square``; None for all values."""
    if values == "one square":
        return ONE_SQUARE
    least, _, most = values.partition("..")
    return between(int(least), int(most) if most else math.inf) if least else None


def column(
    name: str, *, domain: Domain | None = None, of_games: ComputeGames | None = None
) -> Callable[[_Function], _Function]:
    """Define a column of ``columns.csv`` by the function that computes it.

    The function takes positions, or games if the column is of a game, which is the same for all positions of the game.
    For a name that begins with ``{side}`` it also takes the side, and defines the four columns of ``SIDES``: the side
    is one of these, or White or Black for a column of a game.

    Args:
        name: the name in ``columns.csv``. Its row has the type; what the values belong to, a position or a game, and
            whether tables of games store them only on request; what it needs: ``board``, the annotations (``notes``),
            other columns, ``PAST`` or ``EVALUATED``, by default the column itself; the values; and the meaning.
        domain: the values that the column can have, if the row does not say them.
        of_games: computes a column of positions for games, if all positions of a game have the same value.
    """
    row = _listed()[name]
    needs, kind = row["needs"].split(), _TYPES.get(row["type"]) or pa.type_for_alias(row["type"])
    of_boards, (of, *on_request) = "board" in needs, row["of"].split(maxsplit=1)
    basis = frozenset() if of_boards else frozenset(needs) - {"notes"} or frozenset([name])
    domain = domain or _domain_in(row["values"])

    def enter(compute: _Function) -> _Function:
        defined = Column(
            name, kind, row["meaning"], compute, "notes" in needs, row["type"] == "set", of_boards, basis, domain,
            compute if of == "game" else of_games, not on_request,
        )  # fmt: skip
        if name.startswith("{side}_"):
            _sided[name.removeprefix("{side}_")] = functools.partial(_of_side, defined)
        else:
            _plain[name] = defined._replace(compute=_for_positions(compute, kind)) if of == "game" else defined
        return compute

    return enter


def _of_side(listed: Column, side: str) -> Column:
    """Return the column of a side; own and enemy columns need the columns of White and Black."""
    of_games, colours = listed.of_games, (side,) if side in COLOURS else COLOURS
    compute = listed.compute if of_games is None else _for_sides(of_games)
    return listed._replace(
        name=listed.name.format(side=side), meaning=listed.meaning.format(side=SIDES[side]),
        compute=lambda positions: compute(positions, side),
        needs=frozenset(it.format(side=colour) for it in listed.needs for colour in colours),
        of_games=None if of_games is None or side not in COLOURS else lambda games: of_games(games, side),
    )  # fmt: skip


def _for_positions(compute: ComputeGames, kind: pa.DataType) -> Compute:
    """Return the function that repeats the values of games for their positions."""

    def values(positions: Positions) -> pa.Array:
        of_games = compute(games_of(positions))
        return dictionary_array(positions.game, of_games) if kind == TEXTS else of_games.take(pa.array(positions.game))

    return values


def _for_sides(compute: Callable[[Origin, str], pa.Array]) -> Callable[[Positions, str], pa.Array]:
    """Return the function that repeats the values of games for their positions, for a side of ``SIDES``."""

    def values(positions: Positions, side: str) -> pa.Array:
        games = games_of(positions)
        return side_values(positions, side, compute(games, "white"), compute(games, "black"))

    return values


def side_values(
    positions: Positions, side: str, white: pa.Array, black: pa.Array, rows: np.ndarray | None = None
) -> pa.Array:
    """Return the values of a side; ``white`` and ``black`` have values for each game, or for the rows ``rows``."""
    rows = positions.game if rows is None else rows
    if side in COLOURS:
        values = white if side == "white" else black
    else:
        values = pa.concat_arrays([white, black])
        rows = np.where(positions.white_to_move == (side == "own"), rows, rows + len(white)).astype(np.int32)
    return dictionary_array(rows, values) if pa.types.is_string(values.type) else values.take(pa.array(rows))


#: Kinds that other patterns take as arguments; so their types are not widened.
_NAMING = frozenset({"square", "fileset"})
_ROOMY = {pa.uint8(): pa.int16(), pa.int8(): pa.int16()}


def type_of(kind: Kind) -> pa.DataType:
    """Return the Arrow type of the values of a pattern or feature.

    Numbers are signed and at least 16 bits wide: for unsigned numbers with a difference below 0, DuckDB raises an
    error, and data frames return a wrong number, such as 254 for -2.
    """
    stored = pa.from_numpy_dtype(kind.dtype)
    return stored if kind.name in _NAMING else _ROOMY.get(stored, stored)


#: The least value of a kind, and the largest if it has a limit.
_LEAST_AND_MOST: dict[str, tuple[int, ...]] = {"count": (0,), "set of directions": (0, 15)}
#: The domains of this package's features whose numbers have a limit.
_FEATURE_DOMAINS = {"pawn_islands": between(0, 4), "widest_island": between(0, 8), "shield_index": between(0, 64)}


def numbers(values: np.ndarray, kind: pa.DataType, known: np.ndarray | None = None) -> pa.Array:
    """Return an array of NumPy as an array of Arrow, without the imports that ``pa.array`` and ``cast`` would do.

    Where ``known`` is False, the result is null.
    """
    valid = None if known is None else pa.py_buffer(np.packbits(known, bitorder="little"))
    is_flags = pa.types.is_boolean(kind)
    items = np.packbits(values, bitorder="little") if is_flags else np.ascontiguousarray(values, kind.to_pandas_dtype())
    return pa.Array.from_buffers(kind, len(values), [valid, pa.py_buffer(items)])


def _of_feature(feature: Feature, side: str) -> Column:
    summary = (feature.__doc__ or "").strip().split("\n")[0].removeprefix("Return ").rstrip(".")
    stem, kind = feature.definition.__name__, type_of(feature.returns)
    name, is_own = f"{side}_{stem}", feature.__module__.startswith("setwise.")
    domain = _FEATURE_DOMAINS.get(stem) if is_own else None
    if domain is None and feature.returns.name in _LEAST_AND_MOST:
        domain = between(*_LEAST_AND_MOST[feature.returns.name])
    return Column(
        name, kind, summary.replace("{", "(").replace("}", ")").replace("this side", SIDES[side]),
        lambda positions: numbers(positions.feature(name), kind),
        is_set=feature.returns.is_set, of_boards=True, domain=domain,
    )  # fmt: skip


def dictionary_array(rows: np.ndarray, values: pa.Array) -> pa.Array:
    """Return the values at these rows, as a dictionary array."""
    # Parquet allows no null inside a dictionary: rows with a null value have a null index.
    missing = values.is_null().to_numpy(zero_copy_only=False)[rows] if values.null_count else None
    indices = numbers(rows, pa.int32()) if missing is None else pa.array(rows, pa.int32(), mask=missing)
    return pa.DictionaryArray.from_arrays(indices, values.fill_null(""))


#: The numbers of definitions, by columns and features. The number goes up when answers change, so that what files store
#: by an older definition is computed anew. The first files with numbers have 1 for features, and 0 for other columns
#: but these, which were defined anew before.
REVISIONS = dict.fromkeys(
    (
        "mate_pattern", "mate_patterns", "missed", "missed_by", "missed_capture", "missed_discovery", "missed_fork",
        "missed_mate", "missed_move", "missed_skewer", "intermezzo", "quiet_move", "sacrifice", "sound_sacrifice",
    ),
    1,
)  # fmt: skip


def meaning_of(name: str) -> str | None:
    """Return a text that changes when a column is defined anew, empty if it never was; None if not known.

    For a user's feature it is a digest of the definition. It is not known if the definition reaches an object that has
    no digest.
    """
    side, _, stem = name.partition("_")
    is_feature = side in SIDES and stem in FEATURES
    feature = FEATURES.data.get(stem) if is_feature else None  # this package's need not be imported
    if feature is not None and not feature.definition.__module__.startswith("setwise."):
        return kept_under(feature)
    return str(REVISIONS.get(stem if is_feature else name, int(is_feature)) or "")


#: The beginnings of the names of columns that are computed from their names, so that there can be any number of them:
#: tags, and the columns that functions of the language read.
TAG, CAN, MAN, MATERIAL, TARGETS, WITHIN = "tag:", "can(", "man(", "material(", "targets of ", "within("
_OF_LANGUAGE = (CAN, MAN, MATERIAL, TARGETS, WITHIN, "distance_to(", "differing_squares(", "differences_from(")
MADE = (TAG, *_OF_LANGUAGE)
#: The package whose ``column_of`` returns these columns; like the modules of features, it is imported at its first use.
_LANGUAGE = "setwise.corpus.language"
_TAG_CALL = re.compile(r"tag\('([^']+)'\)", re.IGNORECASE)


def _tag_column(name: str) -> Column:
    def of_games(games: Origin) -> pa.Array:
        return games.tag(name.removeprefix(TAG))

    meaning, compute = f"the tag {name.removeprefix(TAG)}", _for_positions(of_games, TEXTS)
    return Column(name, TEXTS, meaning, compute, needs=frozenset([name]), of_games=of_games)


def is_extra(name: str) -> bool:
    """Return whether tables of games have a column only on request: tags, and columns that are not stored."""
    return name.startswith(TAG) or (name in COLUMNS and not (it := COLUMNS[name]).is_stored and it.of_games is not None)


def is_of_lines(name: str) -> bool:
    """Return whether a column describes lines of variations."""
    return name in _plain and "line" in _plain[name].needs


def lowered(name: str) -> str:
    """Return a name in lower case; in a name with a beginning in ``MADE``, the rest does not change."""
    return name if name.startswith(MADE) else name.lower()


class _Columns(Mapping[str, Column]):
    """All columns by name, including tags and the features defined so far.

    Columns of lines of variations are found like all others, but not listed, because games have them only on request.
    """

    def __getitem__(self, name: str) -> Column:
        if name in _plain:
            return _plain[name]
        if name.startswith(TAG):
            return _tag_column(name)
        if name.startswith(_OF_LANGUAGE):
            column: Column = importlib.import_module(_LANGUAGE).column_of(name)
            return column
        side, _, stem = name.partition("_")
        if side not in SIDES:
            raise KeyError(name)
        return _sided[stem](side) if stem in _sided else _of_feature(FEATURES[stem], side)

    def __iter__(self) -> Iterator[str]:
        yield from (name for name in _plain if not is_of_lines(name))
        yield from (f"{side}_{stem}" for stem in (*_sided, *FEATURES) for side in SIDES)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def of_games(self) -> Iterator[str]:
        """Yield the names of columns that tables of games store, which are the same for all positions of a game."""
        registered = (*_plain, *(f"{side}_{stem}" for stem in _sided for side in SIDES))
        return (name for name in registered if (it := self[name]).of_games and it.is_stored and not is_of_lines(name))


COLUMNS = _Columns()


def games_of(positions: Positions) -> Origin:
    """Return the games of positions; raise ``QueryError`` if the positions have none."""
    games: Origin | None = getattr(positions, "games", None)
    if games is None:
        raise QueryError("these positions come from no games, so they have no players, moves or places")
    return games


def rows_of_games(positions: Positions) -> np.ndarray:
    """Return the rows of positions among all positions of their games."""
    rows: np.ndarray = games_of(positions).move_offsets[positions.game] + positions.game + positions.ply
    return rows


def nodes_of(positions: Positions) -> np.ndarray | None:
    """Return the rows of positions in the tree of games that were read with variations; None for other positions."""
    return getattr(positions, "node", None)


def checked(names: Iterable[str], source_columns: Iterable[str] = ()) -> list[str]:
    """Return the names without repetition; names of ``source_columns``, the source's own, are spelled as there.

    Raises:
        QueryError: for an unknown name, with the nearest names.
    """
    spelled = {name.lower(): name for name in source_columns}
    return list(dict.fromkeys(_spelled(name, spelled) for name in names))


def _spelled(name: str, spelled: Mapping[str, str]) -> str:
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
    """Return whether some of the columns need the annotations of moves."""
    return any(name in COLUMNS and COLUMNS[name].needs_notes for name in names)


#: The columns of ratings; in files of other programs and of older versions of setwise, 0 means unknown.
RATINGS = frozenset(f"{side}_elo" for side in SIDES)


def known_ratings(ratings: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """Return ratings with null for 0, which means an unknown rating in files."""
    return pc.if_else(pc.equal(ratings, 0), None, ratings) if pa.types.is_integer(ratings.type) else ratings


def values_of(positions: Positions, name: str) -> pa.Array:
    """Return one column of positions; if they come from a table with a column of this name, that column."""
    source_columns = getattr(positions, "source_columns", None)  # only positions with games have this
    if source_columns is not None and name in source_columns.column_names:
        values = source_columns.column(name).take(pa.array(positions.row)).combine_chunks()
        return known_ratings(values) if name in RATINGS else values
    return COLUMNS[name].compute(positions)


def table_of(positions: Positions, names: Iterable[str]) -> pa.Table:
    """Return columns of positions as an Arrow table."""
    return pa.table({name: values_of(positions, name) for name in names})


def schema_of(names: Iterable[str], source_columns: Mapping[str, pa.DataType] | None = None) -> pa.Schema:
    """Return the Arrow schema of columns; ``source_columns`` are the types of columns of the source itself."""
    source_columns = source_columns or {}
    return pa.schema([(name, source_columns[name] if name in source_columns else COLUMNS[name].type) for name in names])


def columns() -> dict[str, str]:
    """Return the names and meanings of all columns of conditions, scans and tables.

    Example:
        >>> import setwise
        >>> setwise.columns()["white_elo"]
        'the tag WhiteElo or BlackElo of White, a number; null when it is none, or 0, which stands for unknown'
    """
    listed = [*COLUMNS, *filter(is_of_lines, _plain)]
    return {name: COLUMNS[name].meaning for name in listed}
