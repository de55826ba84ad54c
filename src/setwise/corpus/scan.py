"""``scan``: the positions of games with the asked columns as Parquet, and a table of the games beside it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

from setwise.corpus.columns import COLUMNS, checked, schema_of
from setwise.corpus.outputs import Asked, Parquet, opened
from setwise.corpus.search import Found, Query, planned, search, usable_threads
from setwise.corpus.sources import Source
from setwise.corpus.streams import GAMES, games_table
from setwise.errors import OutputError, QueryError, did_you_mean
from setwise.features import FEATURES
from setwise.game.games import Fault

__all__ = ["PLACE_COLUMNS", "Scanned", "feature_columns", "scan"]

#: The columns that every scan writes: where the position stands, whose move it is, the move, all pieces.
PLACE_COLUMNS = (
    "source", "game", "ply", "white_to_move", "move",
    "white_pawns", "white_knights", "white_bishops", "white_rooks", "white_queens", "white_king",
    "black_pawns", "black_knights", "black_bishops", "black_rooks", "black_queens", "black_king",
)  # fmt: skip


class Scanned(NamedTuple):
    """What a scan has written: how many games and positions, and where."""

    games: int
    positions: int
    positions_path: Path
    games_path: Path


def feature_columns(names: str | Iterable[str]) -> list[str]:
    """Return the columns for features (both sides), columns, or ``all``; ``QueryError`` for unknown names."""
    columns: list[str] = []
    for name in [names] if isinstance(names, str) else names:
        if name == "all":
            columns += [f"{colour}_{feature}" for feature in FEATURES for colour in ("white", "black")]
        elif name in FEATURES:
            columns += [f"white_{name}", f"black_{name}"]
        else:
            try:
                columns += checked([name])
            except QueryError:
                near = did_you_mean(name, [*FEATURES, *COLUMNS])
                raise QueryError(f"there is no feature or column {name!r:.60}{near}") from None
    return list(dict.fromkeys(columns))


def _paths(output: str | os.PathLike[str]) -> tuple[Path, Path]:
    path = Path(output)
    if path.suffix.lower() == ".parquet":
        return path, path.with_suffix(".games.parquet")
    return path / "positions.parquet", path / "games.parquet"


def scan(
    sources: Source | Iterable[Source],
    output: str | os.PathLike[str],
    *,
    features: str | Iterable[str] = (),
    threads: int | None = None,
    on_block: Callable[[Found], Any] | None = None,
    on_fault: Callable[[Fault], Any] | None = None,
) -> Scanned:
    """Write every position of the sources' games to a Parquet file, and the games to another beside it.

    Args:
        sources: one source or several, as for ``find``.
        output: a directory, which gets ``positions.parquet`` and ``games.parquet``, or ``NAME.parquet``, which gets
            ``NAME.games.parquet`` beside it.
        features: features (both sides), columns, or ``"all"``, one or several, besides the place, move and pieces of
        each
            position.
        threads: how many, else as many as there are processors.
        on_block: called with what came of each block, in order, when it has been written.
        on_fault: called for every game that breaks off.

    Raises:
        QueryError: an unknown feature. SourceError: a source cannot be read or is no PGN. OutputError: the output
            cannot be written.
        ValueError: ``threads`` is less than 1.

    The files get their names when they are whole. After an error or Ctrl-C what was written stays as ``NAME.part``,
    readable.
    """
    columns = list(dict.fromkeys([*PLACE_COLUMNS, *feature_columns(features)]))
    threads = usable_threads(threads)
    positions_path, games_path = _paths(output)
    games_count = positions_count = 0
    with ExitStack() as stack:
        try:
            positions_path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(f"{output} cannot be written: {error.strerror}") from None
        positions_file, games_file = (
            stack.enter_context(opened(path, Asked(schema), Parquet))
            for path, schema in ((positions_path, schema_of(columns)), (games_path, GAMES))
        )
        for found in search(planned(sources, Query(columns=columns)), threads=threads):
            # First the games: no position lacks its game.
            games_file.write_table(games_table(found.games, found.batch.faults))
            positions_file.write(found)
            games_count += len(found.games)
            positions_count += found.searched
            if on_fault is not None:
                for fault in found.batch.faults:
                    on_fault(fault)
            if on_block is not None:
                on_block(found)
    return Scanned(games_count, positions_count, positions_path, games_path)
