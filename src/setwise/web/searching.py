"""Searches: matches, answers, games and files, each in a process of its own, told line by line as JSON."""

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
from setwise.corpus.sources.pgn import Pgn
from setwise.corpus.storage.layout import MANIFEST
from setwise.errors import OutputError, QueryError, SetwiseError, SourceError
from setwise.game.games import Games, parse_block
from setwise.position.positions import Positions
from setwise.view.diagram import MOST_SETS
from setwise.web.answers import as_json
from setwise.web.limits import TOO_MUCH_MEMORY, Limits
from setwise.web.requests import SUFFIXES, HowMany, taken

__all__ = ["run"]

#: Bytes of games that are searched first.
_FIRST = 1 << 14
#: Seconds between two lines that tell how far it is.
_EVERY = 0.2

#: The tags of a game, by the columns that have them.
_TAGS = GAME_TAGS | {
    f"{side}_{name}": f"{side.title()}{tag}" for side in ("white", "black") for name, (tag, _) in SIDED_TAGS.items()
}

Lines = Iterator[dict[str, Any]]


def run(task: str, given: dict[str, Any], sources: list[str], limits: Limits, folder: str) -> Iterator[bytes]:
    """Yield the lines of a search; the last one tells what is wrong, if something is.

    Args:
        task: ``find``, ``sql``, ``write`` or ``game``.
        given: what is asked; ``file`` is a file that somebody dropped on the page, ``source`` the number of a source.
        sources: the names of all sources.
        limits: how much may be sent.
        folder: where files are written.
    """
    try:
        yield from map(as_json, _lines(task, given, sources, limits, Path(folder)))
    except SetwiseError as error:
        yield as_json({"type": "error", "error": str(error)})
    except MemoryError:
        yield as_json({"type": "error", "error": TOO_MUCH_MEMORY})
    except Exception as error:  # noqa: BLE001  (a search that fails says so)
        yield as_json({"type": "error", "error": f"{type(error).__name__}: {error}"[:300]})


def _lines(task: str, given: dict[str, Any], sources: list[str], limits: Limits, folder: Path) -> Lines:
    tasks: dict[str, Callable[..., Lines]] = {"find": _find, "sql": _sql, "write": _write, "game": _game}
    if task not in tasks:
        raise QueryError(f"nothing is known of {task:.40}")
    file = given.pop("file", None)  # a path that the workbench put in the place of a key
    source = taken(tasks[task], given).get("source")
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
    yield from tasks[task](sources, limits, folder, **given)


def _stamp(name: str) -> str:
    """A text that is another one when a file, or a scan, has changed."""
    path = Path(name)
    status = (path / MANIFEST if path.is_dir() else path).stat()
    return f"{status.st_size:x}.{status.st_mtime_ns:x}"


def _check_unchanged(sources: list[str], stamps: Sequence[str]) -> None:
    """Refuse to go on with what a page has found, where its numbers may mean other games now."""
    for name, stamp in zip(sources, stamps, strict=False):
        if not Path(name).exists():
            raise SourceError(f"{Path(name).name} is not there any more")
        if _stamp(name) != stamp:
            raise SourceError(f"{Path(name).name} has changed since this search: search again")


# -------------------------------------------------------------------------------------------------------------- find


class _Meter:
    """Counts what is read and found."""

    def __init__(self, sources: list[str]) -> None:
        self.positions = self.games = self.matches = self.matched_games = self.bytes = self.faults = 0
        self.total = sum(Path(it).stat().st_size for it in sources if it.endswith(".pgn") and Path(it).is_file())
        self.began = self.told = time.monotonic()

    def read(self, found: BatchResult) -> None:
        self.positions += found.searched
        self.games += found.batch.game_count
        self.bytes += found.batch.size
        self.faults += len(found.batch.faults)
        self.matches += found.matched
        if found.matched and found.batch.is_of_games:
            rows = slice(None) if found.rows is None else found.rows
            self.matched_games += len(np.unique(found.positions.game[rows]))

    def line(self, kind: str) -> dict[str, Any]:
        self.told = time.monotonic()
        share = min(1.0, self.bytes / self.total) if self.total else None
        counts = {name: getattr(self, name) for name in ("positions", "games", "matches", "matched_games", "faults")}
        return {"type": kind, **counts, "share": share, "seconds": round(self.told - self.began, 3)}


def _find(
    sources: list[str],
    limits: Limits,
    folder: Path,
    *,
    where: str,
    source: int = 0,
    skip: HowMany = 0,
    limit: HowMany = 60,
    stamps: Sequence[str] = (),
) -> Lines:
    """The matches of a condition, so many of them behind the first few, and the number of all."""
    _check_unchanged(sources, stamps)
    query = Query(where)
    plans = [
        (opened, plan._replace(compute=functools.partial(_number, number)))
        for number, name in enumerate(sources, start=source)
        for opened, plan in planned([name], query)
    ]
    for opened, _ in plans:
        if isinstance(opened, Pgn):
            opened.first = _FIRST
    meter = _Meter(sources)
    limit = min(limit, limits.matches)
    shown = plans[0][1].shown
    yield {"type": "start", "shown": shown, "marks": _marks(shown), "stamps": [_stamp(name) for name in sources]}
    for found in search(plans, threads=limits.threads):
        meter.read(found)
        query.names.read(found.games)
        before = meter.matches - found.matched
        if found.matched and before < skip + limit and meter.matches > skip:
            for match in summaries(_between(found, max(0, skip - before), skip + limit - before)):
                yield _match(match, found.games.source, found.computed) | {"game": found.games.first + match.game}
        if time.monotonic() - meter.told > _EVERY:
            yield meter.line("progress")
    yield meter.line("done") | {"hints": [] if meter.matches else query.names.missing()}


def _number(source: int, found: BatchResult) -> int:
    """The number of the source of a batch."""
    return source


def _between(found: BatchResult, first: int, last: int) -> BatchResult:
    rows = np.arange(found.searched) if found.rows is None else found.rows
    return found._replace(rows=rows[first:last])


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
    """A value as JSON has it; whole numbers that JavaScript would round are texts."""
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


def _sql(sources: list[str], limits: Limits, folder: Path, *, statement: str, source: int = 0) -> Lines:
    """The answer to a statement, its first rows."""
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
    limits: Limits,
    folder: Path,
    *,
    suffix: str,
    where: str = "",
    statement: str = "",
    source: int = 0,
) -> Lines:
    """A file of matches, or of the rows of an answer."""
    if suffix not in SUFFIXES:
        raise OutputError(f"files are written as {' '.join(SUFFIXES)}, not as {suffix!r:.40}")
    path = folder / f"setwise{suffix}"
    kind: Any = outputs.format_of(path, rows=bool(statement))
    if statement:
        answer = sql(statement, sources, threads=limits.threads)
        with outputs.opened(path, outputs.Request(answer.schema, statement), kind) as file:
            file.write_table(answer)
        yield {"type": "file", "path": str(path), "count": answer.num_rows}
        return
    plans = list(planned(sources, Query(where, notes=kind.needs_notes)))
    asked = outputs.Request(outputs.schema_of_all([plan.schema for _, plan in plans]), where)
    most = left = limits.drawn if suffix == ".html" else limits.written
    with outputs.opened(path, asked, kind) as file:
        for found in search(plans, threads=limits.threads):
            if found.matched:
                wanted = found.first(left)
                file.write(wanted)
                left -= wanted.matched
            if not left:
                break
    yield {"type": "file", "path": str(path), "count": most - left}


# ------------------------------------------------------------------------------------------------------------- games


def _game(
    sources: list[str], limits: Limits, folder: Path, *, game: int, where: str = "", source: int = 0, stamp: str = ""
) -> Lines:
    """One game with all its positions, and what a condition marks in each."""
    if not 0 <= source < len(sources):
        raise QueryError(f"there is no source with the number {source}")
    _check_unchanged([sources[source]], [stamp] if stamp else [])
    for opened in resolved(sources[source]):
        for job in opened.jobs(notes=False):
            batch = job.run()
            if batch.games.first <= game < batch.games.first + len(batch.games):
                yield _opened(
                    batch,
                    game - batch.games.first,
                    Query(where).on(opened.others, opened.holdings, opened.name) if where else None,
                )
                return
    raise QueryError(f"there is no game {game} in {Path(sources[source]).name}")


def _opened(batch: Any, row: int, plan: Any) -> dict[str, Any]:
    if not isinstance(batch.games, Games):
        return _opened_record(batch, row, plan)
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


def _opened_record(batch: Any, row: int, plan: Any) -> dict[str, Any]:
    """A game of a scan, with what is known of it there; a position alone has neither tags nor moves."""
    positions = batch.positions[np.flatnonzero(batch.positions.game == row)]
    known: dict[str, Any] = next(iter(batch.games_table().slice(row, 1).to_pylist()), {})
    tags = {tag: str(known[name]) for name, tag in _TAGS.items() if known.get(name) is not None}
    return {
        "type": "game", "tags": tags, "result": known.get("result") or "*",
        "first": int(positions.fullmove_number[0]), "white": bool(positions.white_to_move[0]),
        **_plies(positions, plan),
        "moves": [
            {"san": san, "uci": uci, "clock": None, "evaluation": None, "comment": "", "nags": []}
            for san, uci in zip(positions.san().to_pylist(), positions.uci().to_pylist(), strict=True)
            if san is not None
        ],
    }  # fmt: skip


def _plies(positions: Positions, plan: Any) -> dict[str, Any]:
    """The positions of a game as they are drawn, what is marked in each, and which of them match."""
    names = _marks(plan.shown) if plan else []
    return {
        "pieces": positions.piece_strings(),
        "fens": positions.fens().to_pylist(),
        "marks": [[name, [f"{word or 0:016x}" for word in values_of(positions, name).to_pylist()]] for name in names],
        "matches": plan.condition.matches(positions).tolist() if plan and plan.condition else [],
    }
