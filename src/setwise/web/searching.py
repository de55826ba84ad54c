"""Searches of the workbench, each in a process of its own; results are lines of JSON.

``run`` yields the lines of a task: ``find``, ``sql``, ``tree``, one ``game``, the table of ``games``, files and
exercises. The server sends each line at once, so the page shows the first matches while other games are still read;
several times a second a line reports progress. Since the process can be killed at any moment, no function here checks
time or memory, and files get their names only when they are complete. The numbers of lines, rows and matches are
limited (``ServerLimits``). A game is identified by the number of its source and its number in that source; the stamps
of files show when these numbers may mean other games.
"""

from __future__ import annotations

import decimal
import functools
import hashlib
import math
import os
import re
import time
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from setwise.corpus import outputs
from setwise.corpus.columns import games_table
from setwise.corpus.columns.place import GAME_TAGS, SIDED_TAGS
from setwise.corpus.outputs.ordered import write_in_order
from setwise.corpus.outputs.summary import MatchSummary, every_missed_chance, is_number, plain, summaries
from setwise.corpus.query.finding import opened_engine
from setwise.corpus.query.move_tree import tallied
from setwise.corpus.query.ordering import Best
from setwise.corpus.query.search import BatchResult, Query, hints, planned, search
from setwise.corpus.query.sql import answered, sql
from setwise.corpus.sources.jobs import GAMES_TABLE, Question
from setwise.corpus.sources.kinds import resolved
from setwise.corpus.storage.layout import MANIFEST
from setwise.errors import OutputError, QueryError, SetwiseError, SourceError
from setwise.exercises.exercise import holds, numbered
from setwise.exercises.solving import card
from setwise.exercises.training import ROW, exercise_of, exercises_of
from setwise.exercises.writing import FORMATS, write_exercises
from setwise.game.batch import GamePositions
from setwise.game.game import Game, Variation
from setwise.game.games import Games
from setwise.game.openings import named, rows_of
from setwise.position.position import Position
from setwise.system.packages import pc
from setwise.view.diagram import place as place_of
from setwise.view.diagram import players as players_of
from setwise.web import game_table
from setwise.web.answers import as_json
from setwise.web.game_table import NUMBERS, PLACE, SHOWN, TEXTS, scores_in, summary_of
from setwise.web.limits import TABLES, TOO_MUCH_MEMORY, NonNegative, ServerLimits, checked_arguments
from setwise.web.markup import head, title_of

# ------------------------------------------------------------------------------------------- one game as a line of JSON


#: Addresses of games that the page links to.
_SERVERS = re.compile(r"https://(www\.)?(lichess\.org|chess\.com)/")
#: The tags of a game, by the columns that hold their values.
_TAGS = GAME_TAGS | {
    f"{side}_{name}": f"{side.title()}{tag}" for side in ("white", "black") for name, (tag, _) in SIDED_TAGS.items()
}


def game_line(batch: Any, row: int, question: Any) -> dict[str, Any]:
    """Return the line for the game in a row of a batch."""
    if not batch.games.has_texts:
        return _record_line(batch, row, question)
    games = Games.parsed(batch.games.block, notes=True, variations=True)[row : row + 1]
    game = games[0]
    noted = zip(game.clocks, game.evaluations, strict=True)
    positions = games.positions()
    return {
        "type": "game", "tags": dict(game.tags), "result": game.result, **_heading(game.tags),
        **_plies(positions, question),
        "comment": game.comments.get(0, ""), "lines": list(_lines_of_game(game, 1)),
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


def _heading(tags: Mapping[str, str]) -> dict[str, str]:
    """The players of a game, its event, place and date, and its address on one of the known servers."""
    known = {name: it for name, it in tags.items() if it and not it.startswith(("????", "?"))}
    white, black, site, *elos = (known.get(it, "") for it in ("White", "Black", "Site", "WhiteElo", "BlackElo"))
    link = site if _SERVERS.match(site) else ""
    where = place_of(known.get("Event"), "" if link else site, known.get("Date"), known.get("ECO"))
    return {
        "title": players_of(white, black, *(int(it) if it.isdigit() else None for it in elos)),
        "place": where,
        "site": link,
    }


def _lines_of_game(line: Game | Variation, depth: int) -> Iterator[dict[str, Any]]:
    """The variations of a line, with their moves and positions, in the order of the text: outer variations first."""
    for it in line.variations():
        positions = it.positions()[1:]
        openings = named(rows_of(np.array([after.key for after in positions], np.uint64)))[1].to_pylist()
        yield {
            "ply": it.parent_ply, "depth": depth, "comment": it.comments.get(0, ""),
            "moves": [
                {
                    "san": san, "uci": move.uci(), "comment": it.comments.get(ply, ""),
                    "nags": list(it.nags.get(ply, ())), "opening": opening, "fen": after.fen(),
                }
                for ply, (san, move, after, opening) in enumerate(
                    zip(it.sans(), it.moves, positions, openings, strict=True), start=1
                )
            ],
        }  # fmt: skip
        yield from _lines_of_game(it, depth + 1)


def _record_line(batch: Any, row: int, question: Any) -> dict[str, Any]:
    """A game of a scan, with the tags that the scan holds; a single position has neither tags nor moves."""
    positions = batch.positions[np.flatnonzero(batch.positions.game == row)]
    columns: dict[str, Any] = next(iter(batch.games_table().slice(row, 1).to_pylist()), {})
    tags = {tag: str(columns[name]) for name, tag in _TAGS.items() if columns.get(name) is not None}
    return {
        "type": "game", "tags": tags, "result": columns.get("result") or "*", **_heading(tags),
        **_plies(positions, question),
        "comment": "", "lines": [],
        "moves": [
            {"san": san, "uci": uci, "clock": None, "evaluation": None, "comment": "", "nags": []}
            for san, uci in zip(positions.san().to_pylist(), positions.uci().to_pylist(), strict=True)
            if san is not None
        ],
    }  # fmt: skip


def _plies(positions: GamePositions, question: Any) -> dict[str, Any]:
    """The positions of a game, the names of openings, the plies that match, and the missed chances."""
    matches = question.condition.matches(positions).tolist() if question and question.condition else []
    return {
        "fens": positions.fens().to_pylist(),
        "matches": matches,
        "openings": named(rows_of(positions.keys()))[1].to_pylist(),
        "missed": {ply: it for ply, it in enumerate(every_missed_chance(positions)) if it[0] is not None},
    }


# ------------------------------------------------------------------------------------------- reading the table of games


#: The seconds between two lines of progress, and how many rows all these lines have together.
_ROWS_EVERY, FIRST_ROWS = 0.2, 100
#: The bytes of games that are read first.
_FIRST_GAMES = 1 << 16

Lines = Iterator[dict[str, Any]]


def origin_of(games: Any, name: str) -> int:
    """Return a number for the original source of some games; 0 if that source has this name.

    An index or a scan numbers the games of each of its original sources from 1.
    """
    return 0 if games.source == name else zlib.crc32(games.source.encode())


def table_key(sources: Sequence[str], stamps: Sequence[str]) -> str:
    """Return the name of the table for the present contents of some sources; for an upload it cannot be guessed."""
    return hashlib.sha256("\0".join([*sources, "", *stamps]).encode()).hexdigest()[:24]


def read_games(sources: Sequence[str], path: Path, limits: ServerLimits, *, first: int = 0) -> Lines:
    """Write the table of the games of some sources, unless the file exists; yield progress, then the summary.

    Lines of progress have the first rows, so that the page shows them while other games are still read. ``first`` is
    the number of the first source.
    """
    if not path.exists():
        path.parent.mkdir(exist_ok=True)
        batches: list[pa.RecordBatch] = []
        count = shown = 0
        reported = float("-inf")
        for batch in _batches(sources, limits, first):
            batches.append(batch)
            count += len(batch)
            if time.monotonic() - reported > _ROWS_EVERY:
                reported = time.monotonic()
                rows = _first_rows(batches, shown) if shown < FIRST_ROWS else []
                shown += len(rows)
                yield {"type": "progress", "games": count, "columns": game_table.heads(), "rows": rows}
            if count >= limits.games:
                break
        table = pa.Table.from_batches(batches, _SCHEMA) if batches else _SCHEMA.empty_table()
        _write_table(_with_sorted_texts(table.slice(0, limits.games), limits.table_threads), path)
        _remove_oldest(path.parent, limits.tables)
    yield {"type": "games", "table": path.stem, "at_most": limits.games, **summary_of(path)}


_SCHEMA = pa.schema(
    [
        ("source", pa.int32()), ("game", pa.int32()), ("of", pa.int64()),
        *((name, pa.dictionary(pa.int32(), pa.string())) for name in TEXTS),
        *((name, pa.int16()) for name in NUMBERS),
    ]
)  # fmt: skip


def _batches(sources: Sequence[str], limits: ServerLimits, first: int) -> Iterator[pa.RecordBatch]:
    """The games of each source, with the number of the source; a missing tag is null."""
    for number, name in enumerate(sources, first):
        for opened in resolved(name):
            if not opened.holdings.has(GAMES_TABLE):
                continue
            names = [it for it in ("game", *TEXTS, *NUMBERS) if opened.holdings.has(it)]
            columns = functools.partial(_columns, number, opened.name, names)
            question = Question(None, False, names, names, _SCHEMA, columns, first=_FIRST_GAMES)
            for result in search([(opened, question)], threads=limits.table_threads):
                yield result.computed


def _columns(source: int, name: str, names: Sequence[str], result: BatchResult) -> pa.RecordBatch:
    """The columns of the games of a batch, computed in the thread that reads the batch."""
    table = games_table(result.games, result.batch.faults, names)
    count = table.num_rows
    place = {"source": source, "of": origin_of(result.games, name)}

    def column(field: pa.Field) -> pa.Array:
        if field.name in place:
            return pa.repeat(pa.scalar(place[field.name], field.type), count)
        if field.name not in names:
            return pa.nulls(count, field.type)
        values = table[field.name].combine_chunks()
        return values.dictionary_encode() if pa.types.is_dictionary(field.type) else values.cast(field.type)

    return pa.record_batch([column(field) for field in _SCHEMA], schema=_SCHEMA)


def _first_rows(batches: Sequence[pa.RecordBatch], skip: int) -> list[list[Any]]:
    """The rows of the first page, without its first ``skip`` rows, in the form that ``page_of`` returns."""
    rows = pa.Table.from_batches(batches).slice(skip, FIRST_ROWS - skip).select([*PLACE, *SHOWN])
    return [[game_table.legible(*item) for item in row.items()] for row in rows.to_pylist()]


def _with_sorted_texts(table: pa.Table, threads: int) -> pa.Table:
    """The table with one sorted dictionary for each column of texts, and one for both players."""
    white, black = table["white_name"], table["black_name"]
    both = pa.chunked_array([*white.chunks, *black.chunks], type=white.type)
    with ThreadPoolExecutor(threads) as pool:
        players, *others = pool.map(_sorted, [both, *(table[name] for name in TEXTS[2:])])
    sorted_columns = {"white_name": players[: len(table)], "black_name": players[len(table) :]}
    sorted_columns |= dict(zip(TEXTS[2:], others, strict=True))
    return pa.table({name: sorted_columns.get(name, table[name]) for name in table.column_names}).combine_chunks()


def _sorted(column: pa.ChunkedArray) -> pa.DictionaryArray:
    merged = column.unify_dictionaries().combine_chunks()
    merged = pa.concat_arrays(merged.chunks) if isinstance(merged, pa.ChunkedArray) else merged
    order = pc.sort_indices(pc.utf8_lower(merged.dictionary)).to_numpy()
    rank = np.empty(len(order), np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    indices = pa.array(rank).take(merged.indices)
    return pa.DictionaryArray.from_arrays(indices, merged.dictionary.take(pa.array(order)))


def _write_table(table: pa.Table, path: Path) -> None:
    """Write a table to a file that gets its name only when it is complete."""
    part = path.with_suffix(f".{os.getpid()}")
    with pa.OSFile(str(part), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)
    part.replace(path)


def _remove_oldest(folder: Path, most: int) -> None:
    for path in sorted(folder.glob("*.arrow"), key=lambda it: it.stat().st_mtime)[:-most]:
        path.unlink(missing_ok=True)


# --------------------------------------------------------------------------------------------------- files of exercises


#: The most letters of a title.
_TITLE = 200


def exercises(
    sources: list[str],
    limits: ServerLimits,
    folder: Path,
    *,
    suffix: str,
    where: str,
    title: str = "",
    n: NonNegative = 0,
    per_game: NonNegative = 0,
    order_by: str = "",
    source: int = 0,
) -> Iterator[dict[str, Any]]:
    """Write at most ``n`` matches as exercises (0: as many as one file may have), and yield the path of the file.

    Raises:
        OutputError: no format of exercises has the suffix.
        QueryError: nothing matches, or no move is played in any match.
    """
    if suffix not in FORMATS:
        raise OutputError(f"exercises are written as {' '.join(FORMATS)}, not as {suffix!r:.40}")
    most = min(it for it in (n, FORMATS[suffix].most, limits.exercises) if it)
    chosen = exercises_of(
        where, sources, n=most, per_game=per_game or None, order_by=order_by or None, threads=limits.threads
    )  # fmt: skip
    if not chosen:
        raise QueryError("there are no exercises: in no match is a move played")
    [path] = write_exercises(chosen, folder / f"exercises{suffix}", title=(title or where)[:_TITLE])
    yield {"type": "file", "path": str(path), "count": len(chosen)}


def _solve(
    sources: list[str], limits: ServerLimits, folder: Path, *, where: str, n: NonNegative = 40, source: int = 0
) -> Iterator[dict[str, Any]]:
    """At most ``n`` missed chances as exercises that hold, each as soon as it is found."""
    query = Query(f"({where}\n) and missed is not null", ROW)
    meter, left = _Meter(sources), min(n, limits.exercises)
    named = [(it, question._replace(first=_FIRST)) for it, question in planned(sources, query)]
    for result in search(named, threads=limits.threads):
        meter.read(result)
        for found in map(exercise_of, result.table().to_pylist() if result.matched else ()):
            if left and holds(found):
                left -= 1
                yield {"type": "exercise", **card(found)}
        if not left:
            break
        if time.monotonic() - meter.reported > _EVERY:
            yield meter.line("progress")
    yield meter.line("done")


# -------------------------------------------- searches for matches, rows, games and files, each in a process of its own


#: Bytes of games that are searched first.
_FIRST = 1 << 14
#: The most moves that are shown of what an engine expects.
_LINE = 8
#: Seconds between two progress lines.
_EVERY = 0.2


def run(task: str, arguments: dict[str, Any], sources: list[str], limits: ServerLimits, folder: str) -> Iterator[bytes]:
    """Yield the lines of a search; if it fails, the last line has the reason.

    Args:
        task: ``find``, ``sql``, ``write``, ``exercises``, ``solve``, ``game``, ``games``, ``tree`` or ``engine``.
        arguments: the arguments of the request; ``file`` is the path of an uploaded file, ``source`` the number of a
            source.
        sources: the names of all sources.
        limits: the limits of what is sent.
        folder: the folder for files.
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
    tasks: dict[str, Callable[..., Lines]] = {
        "find": _find,
        "sql": _sql,
        "write": _write,
        "exercises": exercises,
        "game": _game,
        "games": _games,
        "tree": _tree,
        "solve": _solve,
        "engine": _engine,
    }
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
    if not sources and task != "engine":
        raise QueryError(
            "there is nothing to search yet: drop a file of games on the page, or name one on the command line"
        )
    yield from tasks[task](sources, limits, folder, **arguments)


def _stamp(name: str) -> str:
    """A text of the size and time of a file, or of a scan's manifest; it differs after the file has changed."""
    path = Path(name)
    status = (path / MANIFEST if path.is_dir() else path).stat()
    return f"{status.st_size:x}.{status.st_mtime_ns:x}"


def _check_unchanged(sources: list[str], stamps: Sequence[str]) -> None:
    """Raise if a source has changed since a result was computed: the numbers in it may now mean other games."""
    for name, stamp in zip(sources, stamps, strict=False):
        if not Path(name).exists():
            raise SourceError(f"{Path(name).name} is not there any more")
        if _stamp(name) != stamp:
            raise SourceError(f"{Path(name).name} has changed since this search: search again")


# -------------------------------------------------------------------------------------------------------------- find


class _Meter:
    """Counts matches and the positions that were read."""

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
        self.matched_games += result.matched_games

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
    per_game: NonNegative = 0,
    order_by: str = "",
    stamps: Sequence[str] = (),
) -> Lines:
    """``limit`` matches of a condition, after the first ``skip`` matches, and the counts of all matches.

    ``per_game`` is the most matches of one game, 0 for all. If ``order_by`` sets an order, all lines come at the end.
    """
    _check_unchanged(sources, stamps)
    limit = min(limit, limits.matches)
    query = _query(where, per_game, order_by, skip + limit)
    questions = [
        (opened, question._replace(compute=functools.partial(_place, number, opened.name), first=_FIRST))
        for number, name in enumerate(sources, start=source)
        for opened, question in planned([name], query)
    ]
    meter = _Meter(sources)
    best = _Best(questions[0][1].order, skip + limit) if order_by else None
    yield {"type": "start", "stamps": [_stamp(name) for name in sources]}
    for result in search(questions, threads=limits.threads):
        meter.read(result)
        query.names.read(result.games)
        before = meter.matches - result.matched
        if best is not None:
            best.add(result)
        elif result.matched and before < skip + limit and meter.matches > skip:
            yield from _matches(_between(result, max(0, skip - before), skip + limit - before))
        if time.monotonic() - meter.reported > _EVERY:
            yield meter.line("progress")
    if best is not None:
        yield from best.lines()[skip:]
    yield meter.line("done") | {"hints": [] if meter.matches else hints(questions, query)}


def _query(where: str, per_game: int, order_by: str, most: int | None, *, notes: bool = False) -> Query:
    """The query of a search; ``per_game`` 0 means no limit, and an empty ``order_by`` the order of the sources."""
    return Query(
        where, notes=notes, per_game=per_game or None, order_by=order_by or None, most=most if order_by else None
    )  # fmt: skip


class _Best:
    """The lines of the best matches of a search."""

    def __init__(self, ordering: Any, count: int) -> None:
        self.best = Best(ordering, count, lambda lines, which: [lines[it] for it in which])

    def add(self, result: BatchResult) -> None:
        """Add the matches of a batch: the query has already dropped matches that cannot be among the best."""
        if result.matched and result.keys is not None:
            self.best.add(result.keys, list(_matches(result)))

    def lines(self) -> list[dict[str, Any]]:
        """Return the lines, the best match first."""
        drawn = list(self.best.drawn())
        if not drawn:
            return []
        lines = [line for _, lines in drawn for line in lines]
        return [lines[it] for it in self.best.ordering.ranked(pa.concat_tables(keys for keys, _ in drawn))]


def _matches(result: BatchResult) -> Lines:
    for match in summaries(result):
        number = int(result.games.numbers[match.game])
        yield _match(match, result.games.source) | result.computed | {"game": number}


def _place(source: int, name: str, result: BatchResult) -> dict[str, int]:
    """Computed for each batch: the number of its source, and a number for the original source of its games."""
    return {"source": source, "of": origin_of(result.games, name)}


def _between(result: BatchResult, first: int, last: int) -> BatchResult:
    rows = np.arange(result.searched) if result.rows is None else result.rows
    return result._replace(rows=rows[first:last])


def _match(match: MatchSummary, source: str) -> dict[str, Any]:
    place = match.place.replace(source, Path(source).name)
    return {
        "type": "match", "ply": match.ply, "pieces": match.pieces,
        "white": match.white_to_move, "players": match.players, "place": place, "next": match.caption,
        "move": match.move, "missed": match.missed, "last": match.last_move, "fen": match.fen,
        "marks": [[name, title_of(name), f"{int(squares):016x}"] for name, squares in match.marks.items()],
        "values": [[title_of(name), _plain(value)] for name, value in match.values.items() if name != "source"],
    }  # fmt: skip


def _plain(value: Any) -> Any:
    """A value in a form that JSON has; integers that JavaScript would round become texts."""
    if isinstance(value, decimal.Decimal):
        value = int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, int):
        return value if abs(value) < 2**53 else str(value)
    return str(value)


# -------------------------------------------------------------------------------------------------------------- tree


def _tree(
    sources: list[str], limits: ServerLimits, folder: Path, *, fen: str, by: str = "move", player: str = "",
    side: str = "", where: str = "", source: int = 0,
) -> Lines:  # fmt: skip
    """The moves played from a position: first in the games read so far, at the end in all games."""
    tally = game_table.tally_of(fen, by)
    query = tally.query(*(it.strip() or None for it in (where, player, side)))
    named = [it for name in sources for it in planned([name], query)]
    meter = _Meter(sources)
    for result in tallied(named, tally, threads=limits.table_threads):
        meter.read(result)
        if time.monotonic() - meter.reported > _EVERY:
            yield meter.line("progress") | game_table.tree_of(tally)
    tree = game_table.tree_of(tally)
    said = {} if tree["rows"] else {"hints": hints(named, query)}
    yield meter.line("done") | said | tree | {"stored": not meter.bytes and bool(named)}


# --------------------------------------------------------------------------------------------------------------- sql


def _sql(sources: list[str], limits: ServerLimits, folder: Path, *, statement: str, source: int = 0) -> Lines:
    """The first rows of the answer to a statement."""
    began = time.monotonic()
    said = list[str]()
    answer = sql(statement, sources, threads=limits.threads, on_hint=said.append)
    shown = answer.slice(0, limits.rows)
    rows = zip(*(column.to_pylist() for column in plain(shown, raw=False).columns), strict=True)
    yield {
        "type": "answer",
        "columns": [head(field.name, number=is_number(field, raw=False)) for field in answer.schema],
        "rows": [[_plain(value) for value in row] for row in rows],
        "scores": scores_in(shown),
        "all": answer.num_rows,
        "hints": said,
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
    per_game: NonNegative = 0,
    order_by: str = "",
    source: int = 0,
) -> Lines:
    """Write a file of matches, or of the rows of an answer, and yield its lines."""
    kinds = outputs.downloads()
    if suffix not in kinds:
        raise OutputError(f"files are written as {' '.join(kinds)}, not as {suffix!r:.40}")
    path = folder / f"setwise{suffix}"
    kind: Any = outputs.format_of(path, rows=bool(statement))
    if statement:
        answer = answered(statement, sources, threads=limits.threads, check=kind.check_columns).table
        with outputs.opened(path, outputs.Request(answer.schema, statement), kind) as file:
            file.write_table(answer)
        yield {"type": "file", "path": str(path), "count": answer.num_rows}
        return
    most = left = limits.html_matches if suffix == ".html" else limits.file_matches
    questions = list(planned(sources, _query(where, per_game, order_by, most, notes=kind.needs_notes)))
    request = outputs.Request(outputs.schema_of_all([question.schema for _, question in questions]), where)
    if questions[0][1].order is not None:
        with outputs.opened(path, request, kind) as file:
            written = write_in_order(file, search(questions, threads=limits.threads), questions[0][1].order, most)
        yield {"type": "file", "path": str(path), "count": written.matches}
        return
    with outputs.opened(path, request, kind) as file:
        for result in search(questions, threads=limits.threads):
            if result.matched:
                wanted = result.first(left)
                file.write(wanted)
                left -= wanted.matched
            if not left:
                break
    yield {"type": "file", "path": str(path), "count": most - left}


# ------------------------------------------------------------------------------------------------------------- games


def _games(sources: list[str], limits: ServerLimits, folder: Path, *, source: int = 0) -> Lines:
    """Write the table of the games of the sources, which questions then show, and yield its lines."""
    stamps = [_stamp(name) for name in sources]
    named = [str(Path(name).absolute()) for name in sources]
    path = folder.parent / TABLES / f"{table_key([*named, str(source)], stamps)}.arrow"
    for line in read_games(sources, path, limits, first=source):
        yield line | ({"stamps": stamps} if line["type"] == "games" else {})


def _game(
    sources: list[str],
    limits: ServerLimits,
    folder: Path,
    *,
    game: int,
    where: str = "",
    source: int = 0,
    of: int = 0,
    stamp: str = "",
) -> Lines:
    """One game with all its positions, and the sets of a condition in each position."""
    if not 0 <= source < len(sources):
        raise QueryError(f"there is no source with the number {source}")
    _check_unchanged([sources[source]], [stamp] if stamp else [])
    for opened in resolved(sources[source]):
        for job in opened.scan(Question()):
            batch = job.run()
            rows = np.flatnonzero(np.asarray(batch.games.numbers) == game)
            if len(rows) and of in {0, origin_of(batch.games, opened.name)}:
                question = Query(where).on(opened) if where else None
                yield game_line(batch, int(rows[0]), question)
                return
    raise QueryError(f"there is no game {game} in {Path(sources[source]).name}")


# ------------------------------------------------------------------------------------------------------------ engine


def _engine(sources: list[str], limits: ServerLimits, folder: Path, *, fen: str, chess960: bool = False) -> Lines:
    """What the engine thinks of a position, deeper with each line; the engine ends with this process."""
    if not limits.engine:
        raise QueryError("no engine may be started here")
    position = Position(fen, chess960=chess960)
    with opened_engine(limits.engine, limits.engine_depth) as engine:
        for thought in engine.deepening(position.fen(), limits.engine_time, limits.engine_hash, chess960=chess960):
            after, sans = position, list[str]()
            for text in thought.moves[:_LINE]:
                san = after.san(after.parse(text))
                sans.append(numbered(after, san) if after.white_to_move or not sans else san)
                after = after.play(text)
            yield {"type": "thought", **thought._asdict(), "line": " ".join(sans)}
