"""Searches for matches, rows, games and files, each in a process of its own; results are lines of JSON."""

from __future__ import annotations

import decimal
import functools
import math
import os
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from setwise.corpus import outputs
from setwise.corpus.columns import COLUMNS, values_of
from setwise.corpus.columns.place import GAME_TAGS, SIDED_TAGS
from setwise.corpus.outputs.cells import is_number, plain
from setwise.corpus.outputs.summary import MatchSummary, summaries
from setwise.corpus.query.search import BatchResult, Query, planned, search
from setwise.corpus.query.sql import sql
from setwise.corpus.sources.kinds import resolved
from setwise.corpus.storage.layout import MANIFEST
from setwise.errors import OutputError, QueryError, SetwiseError, SourceError
from setwise.game.games import parse_block
from setwise.position.positions import Positions
from setwise.view.diagram import MOST_SETS
from setwise.web.answers import as_json
from setwise.web.limits import TOO_MUCH_MEMORY, ServerLimits
from setwise.web.requests import NonNegative, checked_arguments

__all__ = ["run"]

#: Bytes of games that are searched first.
_FIRST = 1 << 14
#: Seconds between two progress lines.
_EVERY = 0.2

#: The tags of a game, by the columns that have them.
_TAGS = GAME_TAGS | {
    f"{side}_{name}": f"{side.title()}{tag}" for side in ("white", "black") for name, (tag, _) in SIDED_TAGS.items()
}

Lines = Iterator[dict[str, Any]]


def run(task: str, arguments: dict[str, Any], sources: list[str], limits: ServerLimits, folder: str) -> Iterator[bytes]:
    """Yield the lines of a search; if it fails, the last line has the reason.

    Args:
        task: ``find``, ``sql``, ``write`` or ``game``.
        arguments: those of the request; ``file`` is the path of an uploaded file, ``source`` the number of a source.
        sources: the names of all sources.
        limits: how much may be sent.
        folder: where files are written.
    """
    try:
        yield from map(as_json, _lines(task, arguments, sources, limits, Path(folder)))
    except SetwiseError as error:
        yield as_json({"type": "error", "error": str(error)})
    except MemoryError:
        yield as_json({"type": "error", "error": TOO_MUCH_MEMORY})
    except Exception as error:  # noqa: BLE001  (the page must show why a search fails)
        yield as_json({"type": "error", "error": f"{type(error).__name__}: {error}"[:300]})


def _lines(task: str, arguments: dict[str, Any], sources: list[str], limits: ServerLimits, folder: Path) -> Lines:
    tasks: dict[str, Callable[..., Lines]] = {"find": _find, "sql": _sql, "write": _write, "game": _game}
    if task not in tasks:
        raise QueryError(f"there is no search {task:.40}")
    file = arguments.pop("file", None)  # a path, by which the server has replaced the key in the request
    source = checked_arguments(tasks[task], arguments).get("source")
    if file is not None:
        os.chdir(Path(file).parent)
        sources = [Path(file).name]
    elif source is not None:
        if not 0 <= source < len(sources):
            raise QueryError(f"there is no source with the number {source}")
        sources = sources if task == "game" else [sources[source]]
    if not sources:
        raise QueryError(
            "there is nothing to search yet: drop a file of games on the page, or name one on the command line"
        )
    yield from tasks[task](sources, limits, folder, **arguments)


def _stamp(name: str) -> str:
    """The size and time of a file, or of a scan's manifest, as a text: it differs once the file has changed."""
    path = Path(name)
    status = (path / MANIFEST if path.is_dir() else path).stat()
    return f"{status.st_size:x}.{status.st_mtime_ns:x}"


def _check_unchanged(sources: list[str], stamps: Sequence[str]) -> None:
    """Refuse results from before a source changed, since their numbers may now mean other games."""
    for name, stamp in zip(sources, stamps, strict=False):
        if not Path(name).exists():
            raise SourceError(f"{Path(name).name} is not there any more")
        if _stamp(name) != stamp:
            raise SourceError(f"{Path(name).name} has changed since this search: search again")


# -------------------------------------------------------------------------------------------------------------- find


class _Meter:
    """Counts positions read and matches."""

    def __init__(self, sources: list[str]) -> None:
        self.positions = self.games = self.matches = self.matched_games = self.bytes = self.faults = 0
        self.total = sum(Path(it).stat().st_size for it in sources if it.endswith(".pgn") and Path(it).is_file())
        self.began = self.reported = time.monotonic()

    def read(self, result: BatchResult) -> None:
        self.positions += result.searched
        self.games += result.batch.game_count
        self.bytes += result.batch.size
        self.faults += len(result.batch.faults)
        self.matches += result.matched
        if result.matched and result.batch.is_of_games:
            rows = slice(None) if result.rows is None else result.rows
            self.matched_games += len(np.unique(result.positions.game[rows]))

    def line(self, kind: str) -> dict[str, Any]:
        self.reported = time.monotonic()
        share = min(1.0, self.bytes / self.total) if self.total else None
        counts = {name: getattr(self, name) for name in ("positions", "games", "matches", "matched_games", "faults")}
        return {"type": kind, **counts, "share": share, "seconds": round(self.reported - self.began, 3)}


def _find(
    sources: list[str],
    limits: ServerLimits,
    folder: Path,
    *,
    where: str,
    source: int = 0,
    skip: NonNegative = 0,
    limit: NonNegative = 60,
    stamps: Sequence[str] = (),
) -> Lines:
    """The matches of a condition, ``limit`` of them after the first ``skip``, and the counts of all matches."""
    _check_unchanged(sources, stamps)
    query = Query(where)
    plans = [
        (opened, plan._replace(compute=functools.partial(_number, number)))
        for number, name in enumerate(sources, start=source)
        for opened, plan in planned([name], query)
    ]
    for opened, _ in plans:
        opened.first = _FIRST
    meter = _Meter(sources)
    limit = min(limit, limits.matches)
    shown = plans[0][1].shown
    yield {"type": "start", "shown": shown, "marks": _marks(shown), "stamps": [_stamp(name) for name in sources]}
    for result in search(plans, threads=limits.threads):
        meter.read(result)
        query.names.read(result.games)
        before = meter.matches - result.matched
        if result.matched and before < skip + limit and meter.matches > skip:
            for match in summaries(_between(result, max(0, skip - before), skip + limit - before)):
                yield _match(match, result.games.source, result.computed) | {"game": result.games.first + match.game}
        if time.monotonic() - meter.reported > _EVERY:
            yield meter.line("progress")
    yield meter.line("done") | {"hints": [] if meter.matches else query.names.missing()}


def _number(source: int, result: BatchResult) -> int:
    """Computed for each batch: the number of its source."""
    return source


def _between(result: BatchResult, first: int, last: int) -> BatchResult:
    rows = np.arange(result.searched) if result.rows is None else result.rows
    return result._replace(rows=rows[first:last])


def _marks(shown: list[str]) -> list[str]:
    return [name for name in shown if name in COLUMNS and COLUMNS[name].is_set][:MOST_SETS]


def _match(match: MatchSummary, source: str, number: int) -> dict[str, Any]:
    place = match.place.replace(source, Path(source).name)
    return {
        "type": "match", "source": number, "ply": match.ply, "pieces": match.pieces,
        "white": match.white_to_move, "players": match.players, "place": place, "next": match.following,
        "move": match.move, "last": match.last_move, "fen": match.fen,
        "marks": [[name, f"{int(squares):016x}"] for name, squares in match.marks.items()],
        "values": [[name, _plain(value)] for name, value in match.values.items()],
    }  # fmt: skip


def _plain(value: Any) -> Any:
    """A value as JSON can hold it; integers that JavaScript would round become texts."""
    if isinstance(value, decimal.Decimal):
        value = int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, int):
        return value if abs(value) < 2**53 else str(value)
    return str(value)


# --------------------------------------------------------------------------------------------------------------- sql


def _sql(sources: list[str], limits: ServerLimits, folder: Path, *, statement: str, source: int = 0) -> Lines:
    """The first rows of the answer to a statement."""
    began = time.monotonic()
    answer = sql(statement, sources, threads=limits.threads)
    shown = answer.slice(0, limits.rows)
    rows = zip(*(column.to_pylist() for column in plain(shown, raw=False).columns), strict=True)
    yield {
        "type": "answer",
        "columns": [{"name": field.name, "number": is_number(field, raw=False)} for field in answer.schema],
        "rows": [[_plain(value) for value in row] for row in rows],
        "all": answer.num_rows,
        "seconds": round(time.monotonic() - began, 3),
    }


# ------------------------------------------------------------------------------------------------------------- files


def _write(
    sources: list[str],
    limits: ServerLimits,
    folder: Path,
    *,
    suffix: str,
    where: str = "",
    statement: str = "",
    source: int = 0,
) -> Lines:
    """A file of matches, or of the rows of an answer."""
    kinds = outputs.downloads()
    if suffix not in kinds:
        raise OutputError(f"files are written as {' '.join(kinds)}, not as {suffix!r:.40}")
    path = folder / f"setwise{suffix}"
    kind: Any = outputs.format_of(path, rows=bool(statement))
    if statement:
        answer = sql(statement, sources, threads=limits.threads)
        with outputs.opened(path, outputs.Request(answer.schema, statement), kind) as file:
            file.write_table(answer)
        yield {"type": "file", "path": str(path), "count": answer.num_rows}
        return
    plans = list(planned(sources, Query(where, notes=kind.needs_notes)))
    request = outputs.Request(outputs.schema_of_all([plan.schema for _, plan in plans]), where)
    most = left = limits.html_matches if suffix == ".html" else limits.file_matches
    with outputs.opened(path, request, kind) as file:
        for result in search(plans, threads=limits.threads):
            if result.matched:
                wanted = result.first(left)
                file.write(wanted)
                left -= wanted.matched
            if not left:
                break
    yield {"type": "file", "path": str(path), "count": most - left}


# ------------------------------------------------------------------------------------------------------------- games


def _game(
    sources: list[str],
    limits: ServerLimits,
    folder: Path,
    *,
    game: int,
    where: str = "",
    source: int = 0,
    stamp: str = "",
) -> Lines:
    """One game with all its positions, and the sets of a condition in each position."""
    if not 0 <= source < len(sources):
        raise QueryError(f"there is no source with the number {source}")
    _check_unchanged([sources[source]], [stamp] if stamp else [])
    for opened in resolved(sources[source]):
        for job in opened.jobs(notes=False):
            batch = job.run()
            if batch.games.first <= game < batch.games.first + len(batch.games):
                yield _game_line(
                    batch,
                    game - batch.games.first,
                    Query(where).on(opened.others, opened.holdings, opened.name) if where else None,
                )
                return
    raise QueryError(f"there is no game {game} in {Path(sources[source]).name}")


def _game_line(batch: Any, row: int, plan: Any) -> dict[str, Any]:
    if not batch.games.has_texts:
        return _record_line(batch, row, plan)
    games = parse_block(batch.games.block, notes=True)[row : row + 1]
    game = games[0]
    noted = zip(game.clocks, game.evaluations, strict=True)
    positions = games.positions()
    return {
        "type": "game", "tags": dict(game.tags), "result": game.result,
        "first": game.position.fullmove_number, "white": game.position.white_to_move,
        **_plies(positions, plan),
        "moves": [
            {
                "san": san, "uci": uci, "clock": clock, "evaluation": evaluation,
                "comment": game.comments.get(ply, ""), "nags": list(game.nags.get(ply, ())),
            }
            for ply, (san, uci, (clock, evaluation)) in enumerate(
                zip(positions.san().to_pylist(), positions.uci().to_pylist(), noted, strict=False), start=1
            )
        ],
    }  # fmt: skip


def _record_line(batch: Any, row: int, plan: Any) -> dict[str, Any]:
    """A game of a scan, with the tags that the scan holds; a single position has neither tags nor moves."""
    positions = batch.positions[np.flatnonzero(batch.positions.game == row)]
    columns: dict[str, Any] = next(iter(batch.games_table().slice(row, 1).to_pylist()), {})
    tags = {tag: str(columns[name]) for name, tag in _TAGS.items() if columns.get(name) is not None}
    return {
        "type": "game", "tags": tags, "result": columns.get("result") or "*",
        "first": int(positions.fullmove_number[0]), "white": bool(positions.white_to_move[0]),
        **_plies(positions, plan),
        "moves": [
            {"san": san, "uci": uci, "clock": None, "evaluation": None, "comment": "", "nags": []}
            for san, uci in zip(positions.san().to_pylist(), positions.uci().to_pylist(), strict=True)
            if san is not None
        ],
    }  # fmt: skip


def _plies(positions: Positions, plan: Any) -> dict[str, Any]:
    """The positions of a game, the marked sets in each, and the plies that match."""
    names = _marks(plan.shown) if plan else []
    return {
        "pieces": positions.piece_strings(),
        "fens": positions.fens().to_pylist(),
        "marks": [[name, [f"{word or 0:016x}" for word in values_of(positions, name).to_pylist()]] for name in names],
        "matches": plan.condition.matches(positions).tolist() if plan and plan.condition else [],
    }
