"""``scan``: writes the positions of games with requested columns to Parquet, and a table of the games."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

from setwise.corpus.columns import COLUMNS, GAMES, OF_TABLES, PLACE, VARIATION_COLUMNS, checked, schema_of
from setwise.corpus.dataset.folder import Dataset
from setwise.corpus.outputs import Parquet, Request, opened
from setwise.corpus.query.search import Query, planned, search, usable_threads
from setwise.corpus.sources.expansion import Source, apart, expanded
from setwise.corpus.storage import layout
from setwise.errors import OutputError, QueryError, did_you_mean
from setwise.features import FEATURES
from setwise.game.games import Fault
from setwise.system.files import in_utf8

__all__ = ["PLACE_COLUMNS", "Scanned", "feature_columns", "scan"]

#: The columns that every scan writes: the place of the position, the move, and the whole position.
PLACE_COLUMNS = (
    *PLACE, "white_to_move", "move",
    "white_pawns", "white_knights", "white_bishops", "white_rooks", "white_queens", "white_king",
    "black_pawns", "black_knights", "black_bishops", "black_rooks", "black_queens", "black_king",
    "castling_rights", "en_passant", "halfmove_clock", "fullmove_number", "key",
)  # fmt: skip

#: The columns that have one value in a game, and can therefore divide a scan into folders.
_GAME_COLUMNS = frozenset(name for name, column in COLUMNS.items() if column.of_games is not None) - {"source", "game"}


class Scanned(NamedTuple):
    """The result of a scan: the numbers of games and positions, their paths, and how many positions it had before."""

    games: int
    positions: int
    positions_path: Path
    games_path: Path
    kept: int = 0


def feature_columns(names: str | Iterable[str]) -> list[str]:
    """Return the columns for features (both sides), columns, or ``all``; ``QueryError`` for unknown names.

    ``all`` is every column except ``own_…`` and ``enemy_…``, which repeat those of White and Black in another order,
    those of variations, and those of exact ends, which need tables.
    """
    columns: list[str] = []
    for name in [names] if isinstance(names, str) else names:
        if name == "all":
            columns += [it for it in COLUMNS if not it.startswith(("own_", "enemy_")) and it not in OF_TABLES]
        elif name in FEATURES:
            columns += [f"white_{name}", f"black_{name}"]
        else:
            try:
                columns += checked([name])
            except QueryError:
                near = did_you_mean(name, [*FEATURES, *COLUMNS], in_list=True)
                raise QueryError(f"there is no feature or column {name!r:.60}{near}") from None
    return list(dict.fromkeys(columns))


def _partition_columns(names: str | Iterable[str]) -> list[str]:
    """Check the columns that divide a scan into folders."""
    columns = checked([names] if isinstance(names, str) else names)
    for name in columns:
        if name not in _GAME_COLUMNS and not name.startswith("tag:"):
            raise QueryError(
                f"a scan is divided by columns that are the same all game long, such as year, eco or result, not {name}"
            )
    return columns


def scan(
    sources: Source | Iterable[Source],
    output: str | os.PathLike[str],
    *,
    features: str | Iterable[str] = (),
    partition_by: str | Iterable[str] = (),
    variations: bool = False,
    threads: int | None = None,
    force: bool = False,
    on_batch: Callable[[int, int, int], Any] | None = None,
    on_fault: Callable[[Fault], Any] | None = None,
) -> Scanned:
    """Write every position of the games of sources to Parquet files, and the games to other files next to them.

    Args:
        sources: one source or several, as for ``find``.
        output: a directory, for ``positions/part-….parquet`` and ``games/part-….parquet``, or ``NAME.parquet``, with
            the games in ``NAME.games.parquet``.
        features: features (both sides), columns, or ``"all"``, one or several, in addition to the place, the move and
            the whole position.
        partition_by: columns such as ``year`` or ``eco`` that divide the positions into Hive's folders
            (``positions/year=1999/part-….parquet``).
        variations: whether the lines in parentheses of PGN are written, too, with the columns ``line``, ``depth``,
            ``is_main_line``, ``parent_ply``, and of the move that led to the position ``last_move``, ``last_san``,
            ``last_nags`` and ``last_comment``.
        threads: the number of threads, by default one per processor.
        force: whether to replace another scan in the directory.
        on_batch: called after each batch with its numbers of games, positions and bytes of the sources (compressed
            bytes, if they are compressed).
        on_fault: called for every game that breaks off.

    Raises:
        QueryError: an unknown feature. SourceError: a source is missing, cannot be read, or is not PGN; all other
            sources are written first.
        OutputError: the output cannot be written, holds a scan with other arguments or of sources that have changed, is
            written to by another scan, or is itself among the sources.
        ValueError: ``threads`` is less than 1.

    Files appear under their names when they are complete. In a directory, an interrupted scan leaves the finished
    parts, and repeating the scan continues after them; new files among the sources are added. A single file is called
    ``NAME.parquet.part`` until it is complete; after an error or Ctrl-C that file is readable.
    """
    usual = (*PLACE_COLUMNS, *VARIATION_COLUMNS) if variations else PLACE_COLUMNS
    columns = list(dict.fromkeys([*usual, *feature_columns(features)]))
    threads = usable_threads(threads)
    path = Path(in_utf8(output))
    if path.suffix.lower() == ".parquet":
        if partition_by:
            raise QueryError(f"a scan is divided in a directory, not in one file such as {path}")
        query = Query(columns=columns, lenient=usual, variations=variations)
        return _into_one_file(sources, path, query, threads, on_batch, on_fault)
    dataset = Dataset(
        path, columns, _partition_columns(partition_by), usual=usual, variations=variations, threads=threads,
        on_batch=on_batch, on_fault=on_fault,
    )  # fmt: skip
    parts, before = dataset.write(sources, force=force)
    games, positions = (sum(getattr(part, name) for part in parts) for name in ("games", "positions"))
    return Scanned(games, positions, path / layout.POSITIONS, path / layout.GAMES, before)


def _into_one_file(
    sources: Source | Iterable[Source],
    path: Path,
    query: Query,
    threads: int,
    on_batch: Callable[[int, int, int], Any] | None,
    on_fault: Callable[[Fault], Any] | None,
) -> Scanned:
    games_path = path.with_suffix(".games.parquet")
    games_count = positions_count = 0
    given = apart(expanded(sources), path, games_path)
    plans = planned(given if isinstance(sources, Iterator) else list(given), query)
    with ExitStack() as stack:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(f"{path} cannot be written: {error.strerror}") from None
        positions_file, games_file = (
            stack.enter_context(opened(place, Request(schema), Parquet))
            for place, schema in ((path, schema_of(query.columns or ())), (games_path, GAMES))
        )
        for result in search(plans, threads=threads):
            # Games are written first, so that no position lacks its game.
            games = result.batch.games_table()
            games_file.write_table(games)
            positions_file.write(result)
            games_count += games.num_rows
            positions_count += result.searched
            for fault in result.batch.faults if on_fault is not None else ():
                on_fault(fault)  # type: ignore[misc]
            if on_batch is not None:
                on_batch(result.batch.game_count, result.searched, result.batch.size)
    return Scanned(games_count, positions_count, path, games_path)
