"""Names that conditions may use beside columns: repertoires, sets, materials, diagrams, named positions, likeness.

Each section turns one kind of name into columns and calls that conditions already have. Some of these columns are
computed from their names, such as ``material(KR v K)``: the name is the call, so the same call is the same column in a
condition, a scan and a result.

A repertoire is the name of any source of positions: PGN with variations, packed games, an index, a list of FENs. Its
positions are compared by their keys, so it also contains a position that is reached by other moves. A condition may
name only the files that the caller allows, because a stranger may have written the condition.
"""

from __future__ import annotations

import functools
import os
import re
import stat
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar, Token
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias
from weakref import WeakValueDictionary

import numpy as np
import pyarrow as pa

from setwise.bitboard import FILE_NAMES, RANK_NAMES, SQUARE_NAMES, Bitboard
from setwise.corpus.columns.history import pieces_from
from setwise.corpus.columns.registry import CAN, COLUMNS, MAN, MATERIAL, PAST, TARGETS, WITHIN, Column, Domain
from setwise.corpus.language.tree import Node, column_in, constant_of
from setwise.corpus.sources.jobs import Condition
from setwise.corpus.storage import layout
from setwise.errors import QueryError, SetwiseError, SourceError, shortened
from setwise.patterns import compass, king, knight, pawns, sliders
from setwise.patterns.bits import FILES, RANKS
from setwise.position import likeness
from setwise.position.likeness import KINDS, has_material
from setwise.position.position import Position, names_rooks
from setwise.position.positions import Positions
from setwise.rules.board import CASTLING
from setwise.system.files import reason_of

# ---------------------------------------------------------------------------------------------------------- repertoires


#: The files that a condition or a statement may name: one path or several.
Files: TypeAlias = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]

_WITHIN_CALL = re.compile(r"within\('(?P<file>(?:[^']|'')*)'\)", re.IGNORECASE)
_FEN = re.compile(r"\s*[1-8pnbrqk]+(/[1-8pnbrqk]+){7}(\s.*)?", re.IGNORECASE)
#: The size of the table that filters keys, in powers of two: how many times more slots than positions it has, and its
#: smallest and largest size. Of the keys outside the repertoire, one in sixteen passes this filter and is searched for.
_SLOTS, _LEAST, _MOST = 4, 10, 27


class Repertoire:
    """The positions of a repertoire.

    Args:
        keys: the keys of the positions, in any order; a key may occur more than once.
    """

    def __init__(self, keys: np.ndarray) -> None:
        self.keys = np.unique(keys)
        bits = min(max(len(self.keys).bit_length() + _SLOTS, _LEAST), _MOST)
        self._shift = np.uint64(64 - bits)
        self._begins = np.zeros(1 << bits, np.bool_)
        self._begins[self._slots(self.keys)] = True

    def _slots(self, keys: np.ndarray) -> np.ndarray:
        return (keys >> self._shift).view(np.int64)

    def has(self, keys: np.ndarray) -> np.ndarray:
        """Return for each key whether a position of the repertoire has it."""
        is_inside = self._begins[self._slots(keys)]
        rows = np.flatnonzero(is_inside)
        at = np.searchsorted(self.keys, keys[rows])
        is_inside[rows] = self.keys[np.minimum(at, len(self.keys) - 1)] == keys[rows]
        return is_inside


class _Loaded:
    """The column of a repertoire, and the state of the files that it was read from."""

    def __init__(self, stamp: tuple[Any, ...], repertoire: Repertoire, column: Column) -> None:
        self.stamp, self.repertoire, self.column = stamp, repertoire, column


#: The repertoires that have been read, by the names of their columns: the repertoires of the queries in progress, and
#: the last few repertoires, because the next query may name them again.
_loaded: WeakValueDictionary[str, _Loaded] = WeakValueDictionary()
_last: deque[_Loaded] = deque(maxlen=8)
#: The files that the text being read may name; None while no query is read.
_allowed: ContextVar[Repertoires | None] = ContextVar("allowed", default=None)


class Repertoires:
    """The files that a condition or a statement may name: by the paths passed here, or by the names of the files only.

    Args:
        files: the path of a file, or several paths: files of games or positions, indexes, or scans.
        others: the message about any other file; ``{}`` stands for its name.

    Raises:
        SourceError: if a path is not such a file. No file is opened here.
    """

    def __init__(self, files: Files = (), others: str = "") -> None:
        several = [files] if isinstance(files, str | os.PathLike) else files
        self.files = list(dict.fromkeys(map(os.fsdecode, several)))
        for file in self.files:
            if reason := why_not(file):
                raise SourceError(f"the repertoire {shortened(file)} is {reason}")
        self._others = others or "write --repertoire {0}, or in Python files=[{0}]"
        #: The repertoires that have been read, by the names of their columns.
        self.in_use: dict[str, _Loaded] = {}

    def allow(self) -> Token[Repertoires | None]:
        """Let texts read from now on name these files; if there are no files here, keep the files allowed before."""
        return _allowed.set(self if self.files else _allowed.get() or self)

    @contextmanager
    def named(self) -> Iterator[None]:
        """Let texts that are read in the block name these files, as ``allow`` does."""
        token = self.allow()
        try:
            yield
        finally:
            _allowed.reset(token)

    def path_of(self, name: str) -> str:
        """Return the path of the file with this name; raise ``QueryError`` unless exactly one of the files has it."""
        if not name.strip() or name == "-":
            raise QueryError("within and leaves take the name of a file of games, as within('repertoire.pgn')")
        if name in self.files:
            return name
        paths = {os.path.realpath(file): file for file in self.files if Path(file).name == name}
        if len(paths) > 1:
            raise QueryError(f"{name} may be {' or '.join(paths.values())}: write its path, as in --repertoire")
        if paths:
            return next(iter(paths.values()))
        if _FEN.fullmatch(name):
            raise QueryError("within and leaves take a file, and a FEN is no file: key = position_key('…') finds it")
        raise QueryError(f"{shortened(name)} is not among the repertoires: {self._others.format(shortened(name))}")

    def spelled(self, name: str) -> str:
        """Return the name of a column; for ``within('…')``, the name of the column of the repertoire."""
        call = _WITHIN_CALL.fullmatch(name.strip())
        if call is None:
            return name
        with self.named():
            return within_name(call["file"].replace("''", "'"))

    def load(self, path: str) -> _Loaded:
        """Return a repertoire; it is read if it has not been read yet, or if its file has changed since then."""
        name = f"{WITHIN}{_quoted(path)})"
        known = _loaded.get(name)
        try:
            stamp = _stamp(path)
            if known is None or known.stamp != stamp:
                repertoire = _read(path)
                known = _Loaded(stamp, repertoire, _repertoire_column(name, path, repertoire))
                _loaded[name] = known
                _last.append(known)
        except SourceError as error:
            raise SourceError(f"the repertoire cannot be read: {error}") from None
        self.in_use[name] = known
        return known


def why_not(path: str) -> str:
    """Return why a path cannot be a repertoire, as the end of a sentence; an empty text if it can be one."""
    try:
        kind = Path(path).stat().st_mode
    except (OSError, ValueError):
        return "an address, and a repertoire is a file on this machine" if "://" in path else "not there"
    if stat.S_ISREG(kind) or Path(path, layout.MANIFEST).is_file():
        return "standard input, and a repertoire is read by its name" if path == "-" else ""
    return "a folder: name a file in it" if stat.S_ISDIR(kind) else "a device or a pipe, not a file"


def condition_within(file: str | os.PathLike[str]) -> str:
    """Return the condition that a position is in a repertoire.

    >>> condition_within("Max's lines.pgn")
    "within('Max''s lines.pgn')"
    """
    return f"{WITHIN}{_quoted(os.fsdecode(file))})"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def within_name(file: str) -> str:
    """Return the name of the column that is true for the positions of a repertoire; the text being read names it.

    Raises:
        QueryError: the file must not be named here, or has no positions.
        SourceError: the file is not a source, or cannot be read.
    """
    allowed = _allowed.get() or Repertoires()
    return allowed.load(allowed.path_of(file)).column.name


def repertoire_in(file: str | os.PathLike[str]) -> Repertoire:
    """Return the positions of a repertoire; raises errors as ``Repertoires`` and ``within_name`` do."""
    return Repertoires(file).load(os.fsdecode(file)).repertoire


def within_column(name: str) -> Column:
    """Return the column with a name that ``within_name`` has returned; raise ``KeyError`` for any other name."""
    allowed = _allowed.get()
    return (_loaded if allowed is None else allowed.in_use)[name].column


def names_in_use() -> frozenset[str] | None:
    """Return the names of the columns of repertoires that the text being read may have; None while no query is read."""
    allowed = _allowed.get()
    return None if allowed is None else frozenset(allowed.in_use)


def _repertoire_column(name: str, file: str, repertoire: Repertoire) -> Column:
    def compute(positions: Positions) -> pa.Array:
        return pa.array(repertoire.has(positions.keys()))

    return Column(name, pa.bool_(), f"whether the position is in the repertoire {file}", compute, of_boards=True)


def _stamp(path: str) -> tuple[Any, ...]:
    """Return a value that changes when the file changes."""
    try:
        return layout.state_of(Path(os.path.realpath(path), layout.MANIFEST if Path(path).is_dir() else ""))
    except OSError as error:
        raise SourceError(f"{path}: {reason_of(error)}") from None


def _read(path: str) -> Repertoire:
    """Return the positions of all games of a repertoire and of their variations."""
    from setwise.corpus.sources.jobs import Question
    from setwise.corpus.sources.kinds import resolved

    parts, faults = [np.zeros(0, np.uint64)], []
    for source in resolved(path):
        for job in source.scan(Question(variations=True)):
            batch = job.run()
            parts.append(np.unique(batch.positions.keys()))
            faults += batch.faults
    repertoire = Repertoire(np.concatenate(parts))
    if not len(repertoire.keys):
        raise QueryError(f"the repertoire {path} has no games, so no position is in it")
    if faults:
        more = f" (and {len(faults) - 1:,} more)" if len(faults) > 1 else ""
        warnings.warn(f"a line of the repertoire breaks off: {faults[0]}{more}", stacklevel=2)
    return repertoire


# ------------------------------------------ sets by the names of their squares, files or ranks, one by one or in ranges


def squares(names: str) -> int:
    """Return the set of squares with these names; ``b2-d4`` means the rectangle with these corners.

    >>> Bitboard(squares("a1 g7-h8"))
    Bitboard('a1 g7 h7 g8 h8')
    """
    word = 0
    for name in names.split():
        corners = name.split("-")
        if len(corners) == 2 and {*corners} <= {*SQUARE_NAMES}:
            columns, rows = ("".join(sorted(ends)) for ends in zip(*corners, strict=True))
            word |= files(f"{columns[0]}-{columns[1]}") & ranks(f"{rows[0]}-{rows[1]}")
        elif len(corners) > 1:
            raise ValueError(f"a box has two corners, as b2-d4, not {shortened(name, 20)}")
        else:
            word |= int(Bitboard(name))
    return word


def files(names: str) -> int:
    """Return the squares of the files with these names; ``a-c`` means the files from a to c."""
    return _lines(names, FILE_NAMES, FILES, "files")


def ranks(names: str) -> int:
    """Return the squares of the ranks with these names; ``2-7`` means the ranks from 2 to 7."""
    return _lines(names, RANK_NAMES, RANKS, "ranks")


def _lines(names: str, known: str, lines: Sequence[np.uint64], what: str) -> int:
    word = 0
    for first, last in _ends(names, known, what):
        for line in lines[known.index(first) : known.index(last) + 1]:
            word |= int(line)
    return word


def _ends(names: str, known: str, what: str) -> Iterator[tuple[str, str]]:
    """Yield the first and the last line of each name or range."""
    for name in names.split():
        first, dash, last = name.partition("-")
        ends = (first, last if dash else first)
        if not all(len(end) == 1 and end in known for end in ends):
            raise ValueError(
                f"{what} are named {known[0]} to {known[-1]}, or {known[0]}-{known[2]}, not {shortened(name, 20)}"
            )
        yield min(ends), max(ends)


#: The functions that return a set for the names of its squares, files or ranks.
SETS_BY_NAME: dict[str, Callable[[str], int]] = {"squares": squares, "files": files, "ranks": ranks}


# ---------------------------------------------------------------------------------------- pieces by their first squares


_MAN_CALL = re.compile(r"man\('(?P<names>[a-h][1-8](?:[ -][a-h][1-8])*)'\)")


def man_name(names: str) -> str:
    """Return the name of the column that ``man('b1')`` stands for; raise ``ValueError`` if the text names no square."""
    if not squares(names):
        raise ValueError("it names no square")
    return f"{MAN}'{' '.join(names.lower().split())}')"


@functools.lru_cache(64)
def man_column(name: str) -> Column:
    """Return the column of the squares on which pieces stand that began on the squares in its name."""
    wanted = _first_squares(name)
    count = wanted.bit_count()
    what = "one square" if count == 1 else f"{count} squares at most"
    domain = Domain(f"it is the set of {what}, or empty", lambda value: int(value).bit_count() <= count)
    return Column(
        name, pa.uint64(), "where the piece that began on this square stands now; empty once it is taken",
        lambda positions: pieces_from(positions, wanted), is_set=True, needs=frozenset([PAST]), domain=domain,
    )  # fmt: skip


def _first_squares(name: str) -> int:
    """Return the squares in a name that ``man_name`` has returned; raise ``KeyError`` for any other name."""
    call = _MAN_CALL.fullmatch(name)
    if call is None:
        raise KeyError(name)
    return squares(call["names"])


def image_of_man(name: str, flip: Callable[[int], int]) -> str:
    """Return the name of the same column on a turned board; ``flip`` turns a set of squares."""
    return man_name(" ".join(Bitboard(flip(_first_squares(name))).names()))


# -------------------------------------------------------------------------------------- diagrams of a part of the board


_COLOURS = {"white": "PNBRQK", "black": "pnbrqk"}
_PIECES = ("pawns", "knights", "bishops", "rooks", "queens", "king")
#: The columns that a letter stands for: one of them must have its square.
_LETTERS = {
    letter: (f"{side}_{pieces}",)
    for side, letters in _COLOURS.items()
    for letter, pieces in zip(letters, _PIECES, strict=True)
} | {"A": ("white_pieces",), "a": ("black_pieces",), "?": ("white_pieces", "black_pieces"), "_": ("empty",)}
_SQUARE = re.compile(r"(?P<blanks>[1-8])|\[(?P<several>[^][/]+)\]|(?P<letter>[^][0-9/])")
_EXAMPLE = "8/8/8/8/8/8/6PP/6K1"


def diagram(text: str) -> dict[frozenset[str], int]:
    """Return squares that must be occupied; the key names the columns whose union must contain the squares.

    >>> for columns, squares in diagram("8/8/8/8/8/8/5[PN]PP/6K1").items():
    ...     print(sorted(columns), Bitboard(squares).names())
    ['white_knights', 'white_pawns'] ['f2']
    ['white_pawns'] ['g2', 'h2']
    ['white_king'] ['g1']

    Args:
        text: the first field of a FEN; further fields are ignored. Digits count squares that may be empty or have any
            piece. ``A`` is any white piece, ``a`` any black piece, ``?`` any piece, ``_`` an empty square, and ``[QR]``
            a queen or a rook.

    Raises:
        QueryError: for a text that is not such a field.
    """
    fields = text.split()
    ranks = fields[0].split("/") if fields else []
    if len(ranks) != 8:
        raise QueryError(f"sub_fen: {shortened(text, 40)} has {len(ranks)} ranks, not 8, as {_EXAMPLE}")
    wanted: dict[frozenset[str], int] = {}
    for rank, row in zip(range(7, -1, -1), ranks, strict=True):
        squares = list(_squares(row, rank + 1))
        if len(squares) != 8:
            raise QueryError(f"sub_fen: rank {rank + 1} has {len(squares)} squares, not 8: {shortened(row, 40)}")
        for file, letters in enumerate(squares):
            if letters:
                columns = frozenset(column for letter in letters for column in _LETTERS[letter])
                wanted[columns] = wanted.get(columns, 0) | 1 << 8 * rank + file
    return wanted


def _squares(row: str, rank: int) -> Iterator[str]:
    """Yield the letters of each square of a rank; an empty text for a square that may have any piece or none."""
    at = 0
    while at < len(row):
        square = _SQUARE.match(row, at)
        letters = (square["several"] or square["letter"] or "") if square else row[at]
        if square is None or not {*letters} <= {*_LETTERS}:
            wrong = next((letter for letter in letters if letter not in _LETTERS), row[at])
            raise QueryError(
                f"sub_fen: {shortened(wrong, 10)} in rank {rank} is no piece: P N B R Q K and p n b r q k are pieces, "
                "A and a any white or black one, ? any, _ an empty square, [QR] one of these, digits anything"
            )
        yield from [""] * int(square["blanks"]) if square["blanks"] else [letters]
        at = square.end()


# ----------------------------------------------------------------------------------------------------------------- each


#: The name of the function.
EACH = "each"

_ONE = np.uint64(1)


def squares_of_each(sets: pa.Array | pa.ChunkedArray) -> pa.Array:
    """Return for each set the list of its squares, each as a set of one square, starting at a1; null for null.

    >>> squares_of_each(pa.array([6, 0, None], pa.uint64())).to_pylist()
    [[2, 4], [], None]

    Args:
        sets: sets as unsigned numbers.
    """
    if isinstance(sets, pa.ChunkedArray):
        sets = sets.combine_chunks()
    words = sets.cast(pa.uint64()).fill_null(0).to_numpy()
    counts = np.bitwise_count(words).astype(np.int64)
    offsets = np.zeros(len(words) + 1, np.int32)
    np.cumsum(counts, out=offsets[1:])
    squares = np.empty(offsets[-1], np.uint64)
    rows = np.flatnonzero(words)
    left, places = words[rows], offsets[rows]
    while len(rows):
        squares[places] = left & -left
        left &= left - _ONE
        rows = np.flatnonzero(left)
        left, places = left[rows], places[rows] + 1
    return pa.ListArray.from_arrays(
        pa.array(offsets), pa.array(squares), mask=sets.is_null() if sets.null_count else None
    )


# ---------------------------------------------------------------------------------------------------- material in words


#: The text before the colour in the names of these columns; the names look like the call.
_AND = ", "
#: The column with the pieces of both sides as a text, and the form of such texts.
KEY, _KEY = "material_key", re.compile("KQ*R*B*N*P*vKQ*R*B*N*P*")

#: The counted kinds of pieces, by their letters.
LETTERS = dict(zip("QRBNP", KINDS, strict=True))
_STEP = re.compile(r"([KQRBNP])([*+?]?)")
#: The smallest and largest number that a letter stands for, by the sign after the letter; None for any number.
_TIMES: dict[str, tuple[int, int | None]] = {"": (1, 1), "*": (0, None), "+": (1, None), "?": (0, 1)}


class Bounds(NamedTuple):
    """The smallest and the largest number of a piece; None for no limit."""

    least: int
    most: int | None

    @property
    def limits(self) -> tuple[int, int]:
        """Return both numbers as small integers: 64 for None, 65 for a smallest number that no board can have."""
        return min(self.least, 65), 64 if self.most is None else min(self.most, 64)


def bounds_of_sides(text: str) -> list[dict[str, Bounds]]:
    """Return for each of the two sides how many of each piece it may have, by the name of the piece.

    >>> first, second = bounds_of_sides("KR*P+ v KRP*")
    >>> first["rooks"], first["pawns"], second["rooks"]
    (Bounds(least=0, most=None), Bounds(least=1, most=None), Bounds(least=1, most=1))

    Raises:
        QueryError: for a text that is not two sides with ``v`` between them.
    """
    sides = "".join(text.split()).split("v")
    if len(sides) != 2:
        raise QueryError(
            f"material({shortened(text, 40)}) is not two sides with v between them, as material('KR*P+ v KRP*')"
        )
    return [_bounds(side, text) for side in sides]


def _bounds(side: str, text: str) -> dict[str, Bounds]:
    bounds = dict.fromkeys(LETTERS.values(), Bounds(0, 0))
    at = 0
    while at < len(side):
        step = _STEP.match(side, at)
        if step is None:
            raise QueryError(
                f"material({shortened(text, 40)}): {shortened(side[at], 10)} is no piece: pieces are K Q R B N P, and "
                "after them * is none or more, + one or more, ? at most one"
            )
        letter, times = step.groups()
        if letter == "K" and (times or at):
            raise QueryError(f"material({shortened(text, 40)}): each side has one king, written first")
        if letter in LETTERS:
            before, more = bounds[LETTERS[letter]], _TIMES[times]
            most = None if before.most is None or more[1] is None else before.most + more[1]
            bounds[LETTERS[letter]] = Bounds(before.least + more[0], most)
        at = step.end()
    return bounds


def material_name(text: str, colour: str = "") -> str:
    """Return the name of the column that is true where the pieces are these.

    Args:
        text: two sides, with ``v`` between them.
        colour: the colour of the first side, if it matters.

    Raises:
        QueryError: for a text that is not two sides with ``v`` between them.
    """
    bounds_of_sides(text)
    return f"{MATERIAL}{text}{_AND if colour else ''}{colour})"


def counted(node: Node) -> Node:
    """Return a comparison of the material's text with keys as comparisons of counts; other nodes unchanged.

    >>> from setwise.corpus.language.tree import expression, text_of
    >>> text_of(counted(expression("material_key <> 'KRPvKR'")))
    '(NOT "material(KRPvKR, white)")'
    >>> text_of(counted(expression("material_key in ('KRvK', 'KQvK')")))
    '("material(KRvK, white)" OR "material(KQvK, white)")'
    """
    if node.get("type") not in {"COMPARE_EQUAL", "COMPARE_NOTEQUAL", "COMPARE_IN"}:
        return node
    column, *values = node["children"] if node["type"] == "COMPARE_IN" else (node["left"], node["right"])
    names, texts = column.get("column_names", ()), [constant_of(value) for value in values]
    are_keys = all(isinstance(it, str) and _KEY.fullmatch(it) for it in texts)
    if [name.lower() for name in names] != [KEY] or not are_keys:
        return node
    alias = node.get("alias", "")
    is_one = [{**column, "column_names": [material_name(text, "white")], "alias": alias} for text in texts]
    if node["type"] == "COMPARE_NOTEQUAL":
        return {"class": "OPERATOR", "type": "OPERATOR_NOT", "alias": alias, "children": is_one}
    if len(is_one) == 1:
        return is_one[0]
    return {"class": "CONJUNCTION", "type": "CONJUNCTION_OR", "alias": alias, "children": is_one}


def with_colours_exchanged(name: str) -> str:
    """Return the name of the same column on the board with the colours exchanged."""
    text, colour = _parts_of(name)
    return material_name(text, {"": "", "white": "black", "black": "white"}[colour])


@functools.lru_cache(64)
def material_column(name: str) -> Column:
    """Return the column with a name that ``material_name`` has returned."""
    text, colour = _parts_of(name)
    first, second = ([bounds[kind].limits for kind in KINDS] for bounds in bounds_of_sides(text))
    forms = {"white": [(first, second)], "black": [(second, first)]}.get(colour, [(first, second), (second, first)])
    return Column(
        name, pa.bool_(), f"whether the pieces are {text}",
        lambda positions: pa.array(has_material(positions.sets, forms)), of_boards=True,
    )  # fmt: skip


def _parts_of(name: str) -> tuple[str, str]:
    text, _, colour = name.removeprefix(MATERIAL).removesuffix(")").partition(_AND)
    return text, colour


# ------------------------------------------------------------------------------- legal_targets and pseudo_legal_targets


_ONE_TARGET, _SIX_BITS = np.uint64(1), np.uint16(63)
#: The king's squares after castling to the right and to the left.
_CASTLED = np.array([6, 2])


def targets_column(name: str) -> Column:
    """Return the column of the pieces that may move: for each, the set of its square and the set of its targets."""
    targets = _TARGETS[name.removeprefix(TARGETS)]
    return Column(
        name, pa.list_(pa.list_(pa.uint64())), "the pieces that may move, and where they may go",
        lambda positions: _listed(*targets(positions), len(positions)), of_boards=True,
    )  # fmt: skip


_Movers = tuple[np.ndarray, np.ndarray, np.ndarray]


def _listed(rows: np.ndarray, origins: np.ndarray, targets: np.ndarray, count: int) -> pa.Array:
    """Return a list of pairs for each of ``count`` positions; the pairs come in the order of the positions."""
    words, starts = np.stack([origins, targets], -1).ravel(), np.arange(0, 2 * len(rows) + 1, 2, dtype=np.int32)
    pairs = pa.ListArray.from_arrays(pa.array(starts), pa.array(words))
    ends = np.searchsorted(rows, np.arange(count + 1)).astype(np.int32)
    return pa.ListArray.from_arrays(pa.array(ends), pairs)


def _legal_moves(positions: Positions) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return for each legal move its place (row times 64 plus square), the set of its target, whether it castles."""
    parents, moves, _ = positions.legal_moves()
    origins, ends = (moves & _SIX_BITS).astype(np.int64), (moves >> np.uint16(6) & _SIX_BITS).astype(np.int64)
    castles = moves >> np.uint16(12) == CASTLING
    ends = np.where(castles, ends // 8 * 8 + _CASTLED[(ends < origins).astype(int)], ends)
    return parents * 64 + origins, _ONE_TARGET << ends.astype(np.uint64), castles


def _legal(positions: Positions) -> _Movers:
    """Return for each piece with a legal move its row, the set of its square, and the set of its targets."""
    places, ends, _ = _legal_moves(positions)
    order = np.argsort(places, kind="stable")
    movers, first = np.unique(places[order], return_index=True)
    targets = np.bitwise_or.reduceat(ends[order], first) if len(first) else ends
    return movers // 64, _ONE_TARGET << (movers % 64).astype(np.uint64), targets


def _pseudo_legal(positions: Positions) -> _Movers:
    """Return the same for each of the mover's pieces, as if the king could stay in check; castling must be legal."""
    white = positions.white_to_move
    own = np.where(white, positions.white_pieces, positions.black_pieces)
    squares = squares_of_each(pa.array(own))
    origins = squares.flatten().to_numpy()
    rows = np.repeat(np.arange(len(positions)), np.diff(squares.offsets.to_numpy()))
    occupied = (positions.white_pieces | positions.black_pieces)[rows]
    targets = np.zeros(len(rows), np.uint64)
    for name, reached in _REACHED.items():
        targets |= reached(getattr(positions, name)[rows] & origins, occupied)
    targets |= _of_pawns(positions.pawns[rows] & origins, occupied, positions.en_passant[rows], white[rows])
    targets &= ~own[rows]
    places, ends, castles = _legal_moves(positions)
    kings = np.searchsorted(rows * 64 + np.bitwise_count(origins - _ONE_TARGET), places[castles])
    np.bitwise_or.at(targets, kings, ends[castles])
    return rows, origins, targets


def _of_pawns(those: np.ndarray, occupied: np.ndarray, passed: np.ndarray, white: np.ndarray) -> np.ndarray:
    """Return the targets of pawns; Black's pawns are moved on the mirrored board."""
    those, occupied, passed = (np.where(white, sets, compass.flip_vertical(sets)) for sets in (those, occupied, passed))
    pushes = pawns.single_pushes(those, ~occupied) | pawns.double_pushes(those, ~occupied)
    targets = pushes | pawns.attacks(those) & (occupied | passed)
    return np.where(white, targets, compass.flip_vertical(targets))


_REACHED: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "knights": lambda pieces, _: knight.attacks(pieces),
    "kings": lambda pieces, _: king.attacks(pieces),
    "bishops": sliders.bishops_attacks,
    "rooks": sliders.rooks_attacks,
    "queens": sliders.queens_attacks,
}
_TARGETS: dict[str, Callable[[Positions], _Movers]] = {"legal_targets": _legal, "pseudo_legal_targets": _pseudo_legal}


# ------------------------------------------ can: whether some legal move leads to a position in which a condition holds


#: How many positions are replaced at a time by the positions after their moves, which takes about 3 KB for each.
_AT_ONCE = 2048


@functools.lru_cache(64)
def can_column(
    condition_of: Callable[[str], Condition], name: str, repertoires: frozenset[str] | None = None
) -> Column:
    """Return the column that is true where a legal move leads to a position in which a condition holds.

    Args:
        condition_of: reads a condition.
        name: ``can(…)``, with the text of the condition.
        repertoires: the columns of the repertoires that the condition may name; they distinguish columns of one name.

    Raises:
        QueryError: for a condition that is wrong, or that needs more than a single position.
    """
    text = name.removeprefix(CAN).removesuffix(")")
    condition = condition_of(text)
    if condition.reads_other_rows:
        raise QueryError(
            "can asks of the position that a legal move leads to, and no game goes on from there: write next, later "
            "and the like outside"
        )
    for column in condition.columns:
        if not COLUMNS[column].of_boards:
            raise QueryError(
                f"can asks of the position that a legal move leads to, which has no {column}: write it outside"
            )
    return Column(
        name, pa.bool_(), f"whether a legal move leads to a position with {text}",
        lambda positions: pa.array(_can(condition, positions)), of_boards=True,
    )  # fmt: skip


def _can(condition: Condition, positions: Positions) -> np.ndarray:
    """Return for each position whether a legal move leads to a position that matches."""
    flags = np.zeros(len(positions), np.bool_)
    for start in range(0, len(positions), _AT_ONCE):
        after, parents, _ = positions[start : start + _AT_ONCE].children()
        flags[start + parents[condition.matches(after)]] = True
    return flags


# --------------------------------------------------------------------------------------------------------- resemblances


#: The functions, with the meaning of their results.
RESEMBLANCES = {
    "distance_to": "the points for the differences in the pieces from this position",
    "differing_squares": "the squares on which this position has another piece, or none, or the only one, a set",
    "differences_from": "the differences in the pieces from this position, each with its points",
}
#: The second argument that allows either colour: the nearer one of the position and its mirror image counts.
EITHER = "either colour"
#: The arguments of the functions, in words.
ARGUMENTS = f"a FEN as a literal, and '{EITHER}' after it if the colours may be exchanged"
_SIMILAR_CALL = re.compile(r"(\w+)\(\s*'([^']*)'\s*(?:,\s*'([^']*)'\s*)?\)")


class _Resemblance(NamedTuple):
    """A call of one of the functions; the call is also the name of its column."""

    function: str
    fen: str
    either: str = ""

    @property
    def name(self) -> str:
        return f"{self.function}('{self.fen}'{f', {self.either!r}' if self.either else ''})"

    @property
    def position(self) -> Position:
        try:
            return Position(self.fen, chess960=names_rooks(self.fen), strict=False)
        except ValueError as error:
            raise QueryError(f"{self.function}: {error}") from None

    @property
    def sets(self) -> list[np.ndarray]:
        """Return the sets of the position as a column, and the sets of its mirror image if either colour counts."""
        positions = [self.position, self.position.mirror()][: 2 if self.either else 1]
        return [Positions.from_positions([it]).sets for it in positions]


def resemblance_name(function: str, fen: str, either: str = "") -> str:
    """Return the name of the column that a call stands for.

    Args:
        function: one of ``RESEMBLANCES``.
        fen: the position; the first field of a FEN is enough.
        either: ``EITHER`` if the colours may be exchanged.
    """
    return _Resemblance(function, fen.strip(), either).name


def image_of_resemblance(name: str) -> str:
    """Return the name of the same column on the board with the colours exchanged."""
    call = _parsed(name)
    return call._replace(fen=call.position.mirror().fen()).name


def _parsed(name: str) -> _Resemblance:
    call = _SIMILAR_CALL.fullmatch(name.strip())
    if call is None or (call[3] or EITHER) != EITHER:
        raise QueryError(f"{name.partition('(')[0]} takes {ARGUMENTS}")
    return _Resemblance(call[1].lower(), call[2].strip(), call[3] or "")


@functools.lru_cache(64)
def resemblance_column(name: str) -> Column:
    """Return the column of a call of one of the functions."""
    call = _parsed(name)
    sets = call.sets

    def nearest(positions: Positions) -> tuple[np.ndarray, np.ndarray]:
        """Return the distance of each position, and which of the sets is nearest."""
        points = np.stack([likeness.distances(positions.sets, its) for its in sets])
        return points.min(axis=0), points.argmin(axis=0)

    def distance(positions: Positions) -> pa.Array:
        return pa.array(nearest(positions)[0])

    def squares(positions: Positions) -> pa.Array:
        words = np.stack([likeness.differing_squares(positions.sets, its) for its in sets])
        return pa.array(words[nearest(positions)[1], np.arange(len(positions))])

    def texts(positions: Positions) -> pa.Array:
        _, which = nearest(positions)
        in_words = (_text(positions.sets[:, k], sets[which[k]][:, 0], which[k]) for k in range(len(which)))
        return pa.array(in_words, pa.string())

    kind, compute = {
        "distance_to": (pa.int16(), distance),
        "differing_squares": (pa.uint64(), squares),
        "differences_from": (pa.string(), texts),
    }[call.function]
    is_set = call.function == "differing_squares"
    return Column(name, kind, RESEMBLANCES[call.function], compute, is_set=is_set, of_boards=True)


def _text(here: np.ndarray, there: np.ndarray, exchanged: int) -> str:
    differences = "; ".join(map(str, likeness.differences(here, there))) or "none"
    return f"with the colours exchanged: {differences}" if exchanged else differences


# ----------------------------------------------------------------- the positions that a comparison names, by their keys


#: The most keys that a comparison may name; with more, it does not count as a list of positions.
_MOST_NAMED = 1 << 16
_LARGEST = (1 << 64) - 1


def keys_of_comparison(node: Node) -> frozenset[int] | None:
    """Return the keys that rows can have where a comparison is true; None if the comparison does not limit the keys.

    Args:
        node: the tree of a comparison: of ``key`` or ``fen`` with a literal, or with a list of literals after ``in``.
    """
    match node.get("class"), node.get("type"):
        case "COMPARISON", "COMPARE_EQUAL":
            for one, other in ((node["left"], node["right"]), (node["right"], node["left"])):
                if (name := _column_of_name(one)) is not None:
                    return _keys(name, [other])
        case "OPERATOR", "COMPARE_IN":
            those, *values = node["children"]
            if (name := _column_of_name(those)) is not None:
                return _keys(name, values)
    return None


def _column_of_name(node: Node) -> str | None:
    """Return the name of the column if it identifies a position, as ``key`` and ``fen`` do; else None."""
    name = column_in(node).lower()
    return name if name in {"key", "fen"} else None


def _keys(name: str, values: list[Node]) -> frozenset[int] | None:
    """Return the keys of the positions with one of the values; None if a value is unknown, or for too many keys."""
    of_values = [_of_value(name, value) for value in values]
    keys = frozenset[int]().union(*(it for it in of_values if it is not None))
    return None if None in of_values or len(keys) > _MOST_NAMED else keys


def _of_value(name: str, node: Node) -> frozenset[int] | None:
    """Return the keys of the positions with a value; None if the value is not a literal."""
    if node.get("class") == "CAST":
        node = node["child"]
    literal = node.get("literal", {}) if node.get("class") == "CONSTANT" else {}
    text = literal.get("text", "")
    if name == "fen":
        return keys_of_fen(text) if literal.get("kind") == "STRING" else None
    if literal.get("kind") != "INTEGER" or not text.isdecimal() or int(text) > _LARGEST:
        return None
    return frozenset([int(text)])


def keys_of_fen(fen: str) -> frozenset[int] | None:
    """Return the keys that positions with a FEN can have; None if it cannot be read.

    A FEN leaves out the en passant square if no capture there is legal, but the key depends on this square.

    >>> pinned = "6k1/1p2p1r1/rP1pR3/2pP1pPp/p1P2P1P/R5K1/8/8 w - - 0 2"
    >>> len(keys_of_fen("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1")), len(keys_of_fen(pinned))
    (1, 5)
    """
    fields = fen.split()
    if len(fields) != 6:
        return None
    rank = "6" if fields[1] == "w" else "3"
    squares = [f"{file}{rank}" for file in "abcdefgh"] if fields[3] == "-" else []
    keys = set[int]()
    for square in [fields[3], *squares]:
        text = " ".join([*fields[:3], square, *fields[4:]])
        try:
            keys.add(int(Position(text, strict=False, chess960=names_rooks(text)).key))
        except SetwiseError:
            if square == fields[3]:
                return None
    return frozenset(keys)


# ---------------------------------------------------------------------- conditions that find positions like a given one


#: The kinds of likeness of two positions, with their meanings.
LIKE = {
    "position": "the same position, by whatever moves it was reached",
    "pieces": "at least these pieces on these squares",
    "pawns": "the same pawns of both colours, and any pieces",
}
_PIECE = re.compile("[A-Za-z]")


def like(fen: str, what: str = "position", *, either_colour: bool = False, either_wing: bool = False) -> str:
    """Return the condition that is true for positions like the position of a FEN, as ``find`` and ``sql`` take it.

    Args:
        fen: the position. For pieces and pawns the first field of a FEN is enough, and kings may be missing.
        what: ``"position"``, the same position by any moves; ``"pieces"``, at least these pieces on their squares;
            ``"pawns"``, the same pawns of both colours, and any pieces.
        either_colour: whether the mirror image with the colours exchanged matches, too.
        either_wing: whether the mirror image with the king's side and the queen's side exchanged matches, too.

    Raises:
        QueryError: the FEN is wrong, has no pieces of that kind, or can castle, which the other wing cannot.

    Example:
        >>> from setwise import like
        >>> like("8/8/8/3p4/3P4/8/8/8", "pawns")
        "pawn_structure = '8/8/8/3p4/3P4/8/8/8'"
        >>> like("8/8/8/8/8/8/5PPP/6K1", "pieces", either_colour=True)
        "either_colour(sub_fen('8/8/8/8/8/8/5PPP/6K1'))"
    """
    if what not in LIKE:
        raise QueryError(f"a position is like another in its {', its '.join(LIKE)}, not in {shortened(what)}")
    try:
        position = Position(fen.strip(), chess960=names_rooks(fen), strict=False)
    except ValueError as error:
        raise QueryError(str(error)) from None
    if what == "position":
        return _same(position, either_colour=either_colour, either_wing=either_wing)
    placement = position.fen().split()[0]
    if what == "pawns":
        placement = _of_pieces(re.sub("[^Pp/0-9]", "1", placement))
    if not _PIECE.search(placement):
        raise QueryError(f"this position has no {what}: put some on the board")
    condition = f"pawn_structure = '{placement}'" if what == "pawns" else f"sub_fen('{placement}')"
    for wanted, name in ((either_colour, "either_colour"), (either_wing, "either_wing")):
        condition = f"{name}({condition})" if wanted else condition
    return condition


def _same(position: Position, *, either_colour: bool, either_wing: bool) -> str:
    """Return the condition for the same position; a key cannot be mirrored, so each form has a key of its own."""
    fens = [position.fen()]
    if either_wing:
        if position.castling_rights:
            raise QueryError("this position can castle, so it has no mirror image on the other wing: search its pieces")
        fens += map(_other_wing, list(fens))
    if either_colour:
        fens += [Position(fen, strict=False).mirror().fen() for fen in fens]
    return " or ".join(f"key = position_key('{fen}')" for fen in dict.fromkeys(fens))


def _other_wing(fen: str) -> str:
    placement, *rest = fen.split()
    target = rest[2] if rest[2] == "-" else "hgfedcba"["abcdefgh".index(rest[2][0])] + rest[2][1]
    return " ".join(["/".join(rank[::-1] for rank in placement.split("/")), *rest[:2], target, *rest[3:]])


def _of_pieces(placement: str) -> str:
    """Return a placement in which neighbouring numbers of empty squares are added up."""
    return re.sub("[0-9]+", lambda number: str(sum(map(int, number[0]))), placement)
