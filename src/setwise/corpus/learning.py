"""``batches``: positions and labels for training networks, shuffled in bounded memory; tensors of torch.

Matches become rows: a position in 88 bytes and its labels. The buffer shuffles rows; planes and masks, which are twenty
times larger, are computed when a batch leaves the buffer. The same seed gives the same batches for any number of
threads, because rows enter the buffer in the order of the sources. Several processes may share the sources: each
process runs its own jobs and skips the others; it counts the games of skipped jobs only if game numbers are needed.
"""

from __future__ import annotations

import functools
import itertools
import operator
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from setwise.corpus.columns import COLUMNS, OF_TABLES, values_of
from setwise.corpus.language.names import Files
from setwise.corpus.query.limits import refuse_limits
from setwise.corpus.query.search import BatchResult, Query, in_turn, planned, search, usable_threads
from setwise.corpus.sources.jobs import Job, Plan, Question, Source
from setwise.corpus.sources.places import Sources
from setwise.errors import QueryError, SourceError
from setwise.game.games import Fault
from setwise.position.positions import NETWORK_INPUTS, Positions
from setwise.rules.board import SETS
from setwise.system.sorted_runs import in_order

if TYPE_CHECKING:
    import torch


# ------------------------------------------------------------------------------------ batches of positions for training


#: The default fields of batches.
FIELDS = ("planes", "own_evaluation", "own_points", "move_index")

#: The type of a position in a row.
_BOARD = np.dtype(
    [
        ("sets", np.uint64, (len(SETS),)),
        ("white_to_move", np.bool_),
        ("halfmove_clock", np.uint16),
        ("fullmove_number", np.uint16),
    ],
    align=True,
)
#: Columns of games without nulls; columns of boards have no nulls either.
_EVERYWHERE = frozenset(("game", "ply"))


def batches(
    sources: Sources,
    fields: str | Iterable[str] = FIELDS,
    *,
    where: str | None = None,
    files: Files = (),
    blend: float = 0.5,
    size: int = 4096,
    shuffle: int | Literal["all"] = 1 << 18,
    seed: int | None = 0,
    threads: int | None = None,
    part: tuple[int, int] = (0, 1),
    dtype: npt.DTypeLike = np.uint8,
    on_fault: Callable[[Fault], Any] | None = None,
) -> Iterator[dict[str, np.ndarray]]:
    """Yield positions and labels in batches of arrays by name: every position that matches, exactly once.

    Args:
        sources: one source or several, as for ``find``; evaluations and clocks are read from the comments of PGN.
        fields: the contents of each batch. ``"planes"``: the boards from the movers' sides, n × 19 × 8 × 8, as
            ``Positions.planes`` describes. ``"sets"``: the same as words, n × 14 of uint64: the mover's pawns, knights,
            bishops, rooks, queens and king, the same for the enemy, the castling rights, the en passant square.
            ``"moves_mask"``: the legal moves, n × 1858 of bool. ``"halfkp"`` or ``"halfkav2_hm"``: the inputs of an
            efficiently updatable network, as ``Positions.network_inputs`` describes: the arrays ``own_halfkp``,
            ``enemy_halfkp`` and ``halfkp_offsets`` (with n + 1 items). ``"target"``: the points that the mover may
            expect, float32, from the result and the evaluation, mixed by ``blend``. Every column of numbers is a field,
            too, such as ``own_evaluation`` (of this position, for the mover), ``own_points`` (1, 0.5 or 0),
            ``move_index`` (int64, -1 where no move was played), ``own_clock``, ``own_elo``. Sets, flags and columns of
            the board keep their types. Numbers that may be missing are float32, with NaN for a missing one; a source's
            own numbers are float64.
        where: SQL over the columns, as for ``find``; without it, all positions match.
        files: the repertoires that ``within`` and ``leaves`` may name: paths of files. A condition reads no other file.
        blend: the share of the evaluation in ``"target"``: ``blend * own_win_chance + (1 - blend) * own_points``. 0
            means only the result, 1 only the evaluation; between 0 and 1, if one of them is missing, the other is used.
        size: the number of positions in a batch; the last batch may have fewer.
        shuffle: the number of positions in the buffer that batches are drawn from, about 110 bytes each. 0 keeps the
            order of the positions. ``"all"`` draws from the whole collection, and every order has the same chance:
            positions wait in temporary files, about 110 bytes each, until all have been read.
        seed: the same seed gives the same batches, for any number of threads; None gives different batches each time.
        threads: the number of threads, by default one per processor.
        part: ``(k, n)``: only the k-th of n parts, from 0; the blocks of the sources are dealt out to the parts.
        dtype: the type of the planes.
        on_fault: called with a :class:`Fault` for every game that breaks off, and every record that is not a position.

    Raises:
        QueryError: the condition is not SQL over the columns, or a field is unknown or has no numbers.
        SourceError: a source is missing or cannot be read to its end; the batches before the error are yielded first.
        OutputError: ``shuffle="all"`` needs more space for temporary files than the disk has.
        ValueError: ``blend``, ``size``, ``shuffle``, ``seed``, ``threads`` or ``part`` is out of its range.

    Example:
        >>> import setwise
        >>> game = b"1. e4 { [%eval 0.3] } e5 { [%eval 0.2] } 2. Nf3 { [%eval 0.25] } 1-0"
        >>> [batch] = setwise.batches(game, where="own_evaluation is not null", shuffle=0)
        >>> batch["planes"].shape, batch["own_evaluation"].tolist(), batch["own_points"].tolist(), batch["move_index"]
        ((3, 19, 8, 8), [-30.0, 20.0, -25.0], [0.0, 1.0, 0.0], array([322, 159,  -1]))

    Traps:
        A label may be missing: a network cannot learn from NaN, so exclude missing labels in ``where``. Neighbouring
        positions of a game are alike, so a buffer with few games shuffles little. A mean of network inputs without
        ``offsets`` mixes positions.
    """
    refuse_limits("batches")
    names = list(dict.fromkeys([fields] if isinstance(fields, str) else fields))
    if not names:
        raise QueryError(f"a batch holds one field or more, such as {', '.join(FIELDS)}")
    buffer = _buffer(size, shuffle, np.random.default_rng(seed))
    threads, (number, count) = usable_threads(threads), checked_part(part)
    if not 0 <= blend <= 1:
        raise ValueError(f"blend is the share of the evaluation in the target, 0 to 1, not {blend}")
    maker = _Maker(names, np.dtype(dtype), float(blend))
    questions = planned(sources, Query(where, maker.columns, files=files))
    if isinstance(questions, list):
        for _, question in questions:
            maker.layout(question)
    counted, turns = on_fault is not None, itertools.cycle(range(count))
    shares = (
        (_Share(source, turns, number, counted) if count > 1 else source, question._replace(compute=maker.rows))
        for source, question in questions
    )
    rows = _Rows(search(shares, threads=threads, on_fault=on_fault))
    return _made(rows, maker, buffer, threads)


def _made(rows: _Rows, maker: _Maker, buffer: _Buffer, threads: int) -> Iterator[dict[str, np.ndarray]]:
    """Yield the batches in order, while other threads work on the next ones."""
    drawn = buffer.drawn(rows)
    tasks = (functools.partial(maker.batch, some) for some in drawn)
    yield from map(maker.batch, drawn) if threads == 1 else in_turn(threads, tasks, threads + 1)
    if rows.error is not None:
        raise rows.error


# ------------------------------------------------------------------------------------------------------------- sources


def checked_part(part: tuple[int, int]) -> tuple[int, int]:
    """Return a valid part as two integers; raise ``ValueError`` for an invalid one."""
    number, count = map(operator.index, part)
    if not 0 <= number < count:
        raise ValueError(f"part is (k, n), the k-th of n parts with k from 0 to n - 1, not {part}")
    return number, count


class _Share(Source):
    """One share of the jobs of a source; other parts run the other jobs."""

    def __init__(self, source: Source, turns: Iterator[int], number: int, counted: bool) -> None:
        self.source, self.turns, self.number, self.counted = source, turns, number, counted

    def explain(self, question: Question) -> Plan:
        """Return the plan of the source with the jobs of this share."""
        plan = self.source.explain(question)
        return plan._replace(jobs=lambda: self._own(plan.jobs(), question))

    def _own(self, jobs: Iterator[Job], question: Question) -> Iterator[Job]:
        named = {*question.columns, *(question.condition.columns if question.condition else ())}
        counted = self.counted or "game" in named  # then the games of skipped jobs are counted
        for job, turn in zip(jobs, self.turns, strict=False):
            if turn == self.number:
                yield job
            else:
                job.pass_over(counted=counted)


class _Rows:
    """The rows of a search, up to the first source that cannot be read; its error is raised at the end."""

    error: SourceError | None = None

    def __init__(self, results: Iterator[BatchResult]) -> None:
        self.results = results

    def __iter__(self) -> Iterator[np.ndarray]:
        try:
            yield from (result.computed for result in self.results)
        except SourceError as error:
            self.error = error


# ---------------------------------------------------------------------------------------------------------------- rows


def _sets(positions: Positions) -> np.ndarray:
    """Return the boards from the movers' sides, n × 14: pieces by side and kind, castling rights, en passant square."""
    own, enemy, *kinds, castling, passed = positions.seen_by("own")
    pieces = [side & kind for side in (own, enemy) for kind in kinds]
    return np.stack([*pieces, castling, passed], axis=1)


def _sparse(kind: str, positions: Positions, _: np.dtype[Any]) -> dict[str, np.ndarray]:
    """Return the indices of the network inputs that are 1, by their names in a batch."""
    own, enemy, offsets = positions.network_inputs(kind)
    return {f"own_{kind}": own, f"enemy_{kind}": enemy, f"{kind}_offsets": offsets}


_Arrays = dict[str, np.ndarray]

#: The fields that are computed from boards, with the functions that compute them.
_OF_BOARDS: dict[str, Callable[[Positions, np.dtype[Any]], _Arrays]] = {
    "planes": lambda positions, dtype: {"planes": positions.planes(dtype, from_mover=True)},
    "sets": lambda positions, _: {"sets": _sets(positions)},
    "moves_mask": lambda positions, _: {"moves_mask": positions.moves_mask()},
    **{kind: functools.partial(_sparse, kind) for kind in NETWORK_INPUTS},
}
#: The field that is blended from two columns: the points of the result, and the chance by the evaluation.
_TARGET, _BLENDED = "target", ("own_points", "own_win_chance")


class _Label(NamedTuple):
    """The type of a column in batches, and the value for null (None: NaN)."""

    dtype: np.dtype[Any]
    missing: int | None


def _label(name: str, kind: pa.DataType) -> _Label:
    column = COLUMNS.get(name)
    if name == "move_index":
        return _Label(np.dtype(np.int64), -1)
    if pa.types.is_boolean(kind):
        return _Label(np.dtype(np.bool_), False)
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
        raise QueryError(f"batches are made of numbers, and the column {name} has {kind}; a condition may ask for it")
    if column is not None and name not in OF_TABLES and (column.is_set or column.of_boards or name in _EVERYWHERE):
        return _Label(np.dtype(kind.to_pandas_dtype()), 0)
    return _Label(np.dtype(np.float64 if column is None else np.float32), None)


class _Maker:
    """Converts results of a search to rows, and rows to batches."""

    def __init__(self, names: list[str], dtype: np.dtype[Any], blend: float) -> None:
        self.names, self.of_planes, self.blend = names, dtype, blend
        #: The columns of the target.
        self.blended = [name for name, share in zip(_BLENDED, (1 - blend, blend), strict=True) if share]
        needed = (self.blended if name == _TARGET else [name] for name in names if name not in _OF_BOARDS)
        #: The columns that a row needs.
        self.columns = list(dict.fromkeys(itertools.chain.from_iterable(needed)))
        self.first: Any = None

    def layout(self, question: Question) -> tuple[np.dtype[Any], dict[str, _Label]]:
        """Return the type of a row, and its labels; raise ``QueryError`` if another source has another type."""
        labels = {name: _label(name, question.schema.field(name).type) for name in question.columns}
        fields = [(name, label.dtype) for name, label in labels.items()]
        row = np.dtype([("board", _BOARD), ("labels", np.dtype(fields, align=True))], align=True)
        self.first = self.first or row
        if row != self.first:
            raise QueryError("the sources do not agree on the types of the fields that are columns of their own")
        return row, labels

    def rows(self, result: BatchResult) -> np.ndarray:
        """Return a row for every position that matches, as plain bytes, which NumPy moves seven times faster."""
        positions = result.matches()
        layout, labels = self.layout(result.question)
        rows = np.empty(len(positions), layout)
        board = rows["board"]
        board["sets"] = positions.sets.T
        for name in _BOARD.names[1:] if _BOARD.names else ():
            board[name] = getattr(positions, name)
        for name, label in labels.items():
            values = values_of(positions, name)
            values = values if label.missing is None else values.fill_null(label.missing)
            rows["labels"][name] = values.to_numpy(zero_copy_only=False)
        result.batch.forget()
        return rows.view(f"V{layout.itemsize}")

    def batch(self, rows: np.ndarray) -> dict[str, np.ndarray]:
        """Return the fields of rows."""
        rows = rows.view(self.first)
        board, labels = rows["board"], rows["labels"]
        positions = Positions(
            np.ascontiguousarray(board["sets"].T),
            *(np.ascontiguousarray(board[name]) for name in ("white_to_move", "halfmove_clock", "fullmove_number")),
        )
        batch: _Arrays = {}
        for name in self.names:
            if name in _OF_BOARDS:
                batch |= _OF_BOARDS[name](positions, self.of_planes)
            else:
                batch[name] = self._target(labels) if name == _TARGET else np.ascontiguousarray(labels[name])
        return batch

    def _target(self, labels: np.ndarray) -> np.ndarray:
        """Return the points that the movers may expect; if one of the two labels is missing, the other one is used."""
        points, chance = (labels[name] for name in (self.blended[0], self.blended[-1]))
        blended = points + np.float32(self.blend) * (chance - points)
        return np.where(np.isnan(points), chance, np.where(np.isnan(chance), points, blended))


# -------------------------------------------------------------------------------------------------------------- buffer


def _buffer(size: int, shuffle: int | Literal["all"], chance: np.random.Generator) -> _Buffer:
    """Return a buffer that draws batches of a size; raise ``ValueError`` for an invalid size or buffer."""
    size, whole = operator.index(size), shuffle == "all"
    if isinstance(shuffle, str) and not whole:
        raise ValueError(f"shuffle is a number of positions, or 'all', not {shuffle!r}")
    room = 0 if isinstance(shuffle, str) else operator.index(shuffle)
    if size < 1 or room < 0:
        raise ValueError(f"a batch has 1 position or more and the buffer 0 or more, not {size} and {room}")
    return _Buffer(size, room, chance, whole=whole)


class _Buffer:
    """Draws batches of rows: a full buffer yields random rows, and the next rows replace them."""

    def __init__(self, size: int, room: int, chance: np.random.Generator, *, whole: bool) -> None:
        self.size, self.chance, self.whole = size, chance, whole
        self.room = -(-room // size) * size

    def drawn(self, rows: Iterable[np.ndarray]) -> Iterator[np.ndarray]:
        """Yield all rows in batches of one size, the last with the remaining rows; shuffled if the buffer has room."""
        if self.whole:
            return self._cut(self._anywhere(rows))
        return self._shuffled(self._cut(rows)) if self.room else self._cut(rows)

    def _anywhere(self, rows: Iterable[np.ndarray]) -> Iterator[np.ndarray]:
        """Yield all rows in the order of random numbers; rows that do not fit in memory are sorted on the disk."""
        for table in in_order((self._numbered(some) for some in rows if len(some)), [("number", "ascending")]):
            for row in table.column("row").chunks:
                width = row.type.byte_width
                yield np.frombuffer(row.buffers()[1], f"V{width}", len(row), row.offset * width)

    def _numbered(self, rows: np.ndarray) -> pa.Table:
        row = pa.FixedSizeBinaryArray.from_buffers(pa.binary(rows.itemsize), len(rows), [None, pa.py_buffer(rows)])
        return pa.table({"number": self.chance.integers(1 << 63, size=len(rows)), "row": row})

    def _cut(self, rows: Iterable[np.ndarray]) -> Iterator[np.ndarray]:
        rest = np.empty(0)
        for some in rows:
            missing = self.size - len(rest) if len(rest) else 0
            first = np.concatenate([rest, some[:missing]]) if missing else rest
            if len(first) == self.size:
                yield first
            whole = len(some) - (len(some) - missing) % self.size
            yield from (some[start : start + self.size] for start in range(missing, whole, self.size))
            rest = first if 0 < len(first) < self.size else some[whole:].copy()
        if len(rest):
            yield rest

    def _shuffled(self, pieces: Iterable[np.ndarray]) -> Iterator[np.ndarray]:
        held, filled = np.empty(0), 0
        for piece in pieces:
            if filled == 0:
                held = np.empty(self.room + self.size, piece.dtype)  # with room for a last, smaller piece
            if filled < self.room or len(piece) < self.size:
                held[filled : filled + len(piece)] = piece
                filled += len(piece)
            else:
                places = self.chance.choice(filled, self.size, replace=False)
                drawn = held[places]
                held[places] = piece
                yield drawn
        order = self.chance.permutation(filled)
        yield from (held[order[start : start + self.size]] for start in range(0, filled, self.size))


# ---------------------------------------------------------------- batches for torch, which is imported at the first use


def torch_dataset(
    sources: Sources,
    fields: str | Iterable[str] = FIELDS,
    *,
    seed: int | None = None,
    threads: int | None = None,
    part: tuple[int, int] = (0, 1),
    **options: Any,
) -> torch.utils.data.IterableDataset[dict[str, torch.Tensor]]:
    """Return the batches of ``setwise.batches`` as an ``IterableDataset`` of dicts of tensors.

    Pass it to a ``DataLoader`` with ``batch_size=None``, because it yields whole batches. The workers of the loader
    share the sources: every position comes once in an epoch, for any number of workers.

    Args:
        sources: as for ``batches``; with workers they must be paths, because several workers cannot read one stream.
        fields: as for ``batches``.
        seed: a seed gives the same batches in every epoch. With None, the default, torch chooses: the epochs differ,
            and ``torch.manual_seed`` makes a training repeatable.
        threads: the number of threads in each process; by default one in a worker, and elsewhere one per processor.
        part: ``(rank, world_size)`` if several processes train together; the workers of a process share its part.
        options: ``where``, ``files``, ``blend``, ``size``, ``shuffle``, ``dtype`` and ``on_fault``, as for ``batches``.

    Raises:
        ImportError: torch is not installed.
        ValueError: ``part`` is out of its range. The errors of ``batches`` are raised with the first batch.

    Example:
        >>> import setwise
        >>> dataset = setwise.torch_dataset("games/*.pgn.zst", where="result <> '*'")  # doctest: +SKIP
        >>> loader = torch.utils.data.DataLoader(dataset, batch_size=None, num_workers=4)  # doctest: +SKIP
    """
    try:
        import torch
        from torch.utils.data import IterableDataset, get_worker_info
    except ImportError as error:
        raise ImportError("torch_dataset needs torch: pip install 'setwise[ml]'") from error
    (number, count), names = checked_part(part), [fields] if isinstance(fields, str) else list(fields)
    again = functools.partial(torch_dataset, sources, names, seed=seed, threads=threads, part=part, **options)

    class Batches(IterableDataset[dict[str, torch.Tensor]]):
        """Batches of ``setwise.batches``."""

        def __iter__(self) -> Iterator[dict[str, torch.Tensor]]:
            worker = get_worker_info()
            chosen = int(torch.randint(2**63 - 1, ())) if seed is None else seed
            share = (0, 1) if worker is None else (worker.id, worker.num_workers)
            several = 1 if worker is not None and threads is None else threads
            for batch in batches(
                sources, names, seed=chosen, threads=several,
                part=(number * share[1] + share[0], count * share[1]), **options,
            ):  # fmt: skip
                yield {name: torch.from_numpy(values) for name, values in batch.items()}

        def __reduce__(self) -> tuple[Any, ...]:
            return again, ()

    return Batches()
