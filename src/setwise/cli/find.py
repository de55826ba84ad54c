"""The commands that ask for positions: find and sql."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from setwise.cli import completion, terminal
from setwise.cli.options import (
    Color,
    Format,
    Load,
    Raw,
    Sources,
    Threads,
    names_in,
    one_of,
    ready,
    sources_in,
)
from setwise.cli.terminal import Meter, shows_colors, tell
from setwise.errors import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from setwise.corpus.outputs import Output
    from setwise.corpus.search import Found

_FAULTS_SHOWN = 10
#: Boards on a terminal, unless somebody asks for more.
_BOARDS = 20


def add_to(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("find")(find_command)
    app.command("sql")(sql_command)


class Faults:
    """Counts games that break off and shows the first of them."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, fault: Any) -> None:
        """Count one."""
        self.count += 1
        if self.count <= _FAULTS_SHOWN:
            tell(str(fault))

    def close(self) -> None:
        """Say how many there were when not all were shown."""
        if self.count > _FAULTS_SHOWN:
            tell(f"{self.count} games break off; the first {_FAULTS_SHOWN} are shown")


Where = Annotated[
    str,
    typer.Argument(
        metavar="WHERE", help='SQL over the columns: "own_safe_fork_squares <> 0 and white_elo > 2500".',
        autocompletion=completion.conditions,
    ),
]  # fmt: skip
Output_ = Annotated[
    Path | None,
    typer.Option(
        "--output", "-o", metavar="FILE", show_default=False,
        help="Write to a file, whose name says how: .parquet .arrow .csv .tsv .jsonl .fen .epd .pgn .html .md .txt",
    ),
]  # fmt: skip


def find_command(
    where: Where,
    sources: Sources = None,
    limit: Annotated[
        int | None, typer.Option("--limit", "-n", min=0, help="Stop after so many matches.", show_default=False)
    ] = None,
    every: Annotated[bool, typer.Option("--all", help=f"Draw all matches, not the first {_BOARDS}.")] = False,
    count: Annotated[bool, typer.Option("--count", "-c", help="Print the number of matching positions alone.")] = False,
    per_game: Annotated[
        int | None,
        typer.Option("--per-game", min=1, help="Take so many matches of a game at the most.", show_default=False),
    ] = None,
    player: Annotated[
        str | None,
        typer.Option("--player", metavar="NAME", help="Only games of this player, either side.", show_default=False),
    ] = None,
    sample: Annotated[
        int | None,
        typer.Option("--sample", min=1, help="So many matches, drawn by lot from all.", show_default=False),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="What --sample draws by.")] = 0,
    columns: Annotated[
        str | None,
        typer.Option(
            "--columns", help="The columns to write, separated by commas.", show_default=False,
            autocompletion=completion.lists_of_columns,
        ),
    ] = None,
    output: Output_ = None,
    style: Format = None,
    raw: Raw = False,
    boards: Annotated[
        bool | None,
        typer.Option("--boards/--no-boards", help="Draw each match; default on a terminal.", show_default=False),
    ] = None,
    side: Annotated[
        str,
        typer.Option(
            "--side", metavar="white|black|mover", callback=one_of("white", "black", "mover"), help="Who is below."
        ),
    ] = "white",
    pgn: Annotated[
        str,
        typer.Option(
            "--pgn", metavar="games|positions", callback=one_of("games", "positions"),
            help="PGN of whole games, or from each match on.",
        ),
    ] = "games",
    threads: Threads = None,
    load: Load = None,
    color: Color = "auto",
) -> int:  # fmt: skip
    """Find the positions that match a condition.

    The condition is SQL over the columns that `setwise columns` lists. A set is not empty when it is <> 0,
    bit_count() counts its squares. On a terminal each match is drawn; in a pipe it is a line. The exit code is 0 when
    something matches, 1 when nothing does.
    """
    ready(load)
    from setwise.corpus.outputs import Asked, Boards, opened, schema_of_all
    from setwise.corpus.search import Query, planned

    kind = _format_of(output, style, draws=sys.stdout.isatty() if boards is None else boards)
    named = sources_in(sources)
    query = Query(where, names_in(columns), notes=kind.needs_notes, player=player, per_game=per_game)
    plans = list(planned(named, query))
    capped = kind is Boards and limit is None and sample is None and not every and sys.stdout.isatty()
    limit = _BOARDS if capped else limit
    schema = schema_of_all([plan.schema for _, plan in plans])
    asked = Asked(schema, where, raw, side, shows_colors(), pgn == "positions")
    meter, faults = Meter(named), Faults()
    file: Output | None = None
    try:
        with ExitStack() as stack:
            stack.callback(faults.close)
            if count:
                file = None
            elif output is not None:
                file = stack.enter_context(opened(output, asked, kind))
            else:
                file = kind(sys.stdout.buffer, asked)
                stack.callback(file.close)
            for found in _matches(_read(plans, threads, meter, faults), sample, seed, limit):
                meter.matches += found.matched
                meter.matched_games += len(set(found.positions.game[found.rows].tolist()))
                if file is not None:
                    terminal.clear()
                    file.write(found)
    finally:
        if file is not None and file.part is not None:
            tell(f"what was found before is in {file.part}")
    if count:
        print(meter.matches)
    _tell_sum(meter, output, capped=capped and meter.matches == limit)
    return 0 if meter.matches else 1


def _format_of(output: Path | None, style: str | None, *, draws: bool, rows: bool = False) -> type[Output]:
    """The format for what is found."""
    from setwise.corpus.outputs import FORMATS, Boards, Rows, format_of

    if output is not None and (style is None or output.is_dir()):
        return format_of(output, rows=rows)
    if style is not None:
        known = {name: kind for name, kind in FORMATS.items() if not rows or issubclass(kind, Rows)}
        if style not in known:
            raise typer.BadParameter(
                f"there is no format {style!r:.40} here: there are {', '.join(known)}{did_you_mean(style, known)}"
            )
        return known[style]
    if draws and not rows:
        return Boards
    return FORMATS["table" if rows and sys.stdout.isatty() else "tsv"]


def _read(plans: Iterable[Any], threads: int | None, meter: Meter, faults: Faults) -> Iterator[Found]:
    """What comes of every batch, counted."""
    from setwise.corpus.search import search

    for found in search(plans, threads=threads):
        for fault in found.batch.faults:
            faults(fault)
        meter.read(len(found.games), found.searched, found.batch.size)
        yield found


def _matches(read: Iterator[Found], sample: int | None, seed: int, limit: int | None) -> Iterator[Found]:
    """Those of the matches that are wanted; reading stops when there are enough."""
    from setwise.corpus.sampling import Sample

    if sample is not None:
        lot = Sample(sample, seed)
        for found in read:
            lot.add(found)
        read = lot.drawn()
    left = limit
    if left == 0:
        return
    for found in read:
        if found.matched:
            wanted = found.first(left)
            yield wanted
            left = None if left is None else left - wanted.matched
        if left == 0:
            return


def _tell_sum(meter: Meter, output: Path | None, *, capped: bool) -> None:
    """Say in one line what has been found, and in how much."""
    matches = "1 match" if meter.matches == 1 else f"{meter.matches:,} matches"
    games = "1 game" if meter.matched_games == 1 else f"{meter.matched_games:,} games"
    found = f"{matches} in {games}" if meter.matches else "no matches"
    where = f" written to {output}" if output is not None else ""
    more = "; --all or --limit shows more" if capped else ""
    tell(f"{found}{where}; {meter.positions:,} positions of {meter.games:,} games read in {meter.seconds:.1f} s{more}")


# ----------------------------------------------------------------------------------------------------------------- sql


def sql_command(
    statement: Annotated[
        str,
        typer.Argument(
            metavar="STATEMENT", help='A SELECT: "select white_name, count(*) from positions group by all".',
            autocompletion=completion.conditions,
        ),
    ],
    sources: Sources = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", show_default=False,
            help="Write to a file, whose name says how: .parquet .arrow .csv .tsv .jsonl .md .txt",
        ),
    ] = None,
    style: Format = None,
    raw: Raw = False,
    threads: Threads = None,
    load: Load = None,
) -> int:  # fmt: skip
    """Answer a SELECT over the tables positions and games.

    Both are computed as they stream by, and only the columns that the statement names. `positions` has the columns that
    `setwise columns` lists, `games` a row a game. The exit code is 0 when the answer has rows, 1 when it has none.
    """
    ready(load)
    from setwise.corpus.outputs import Asked, opened
    from setwise.corpus.sql import sql

    kind: Any = _format_of(output, style, draws=False, rows=True)
    answer = sql(statement, sources_in(sources), threads=threads)
    asked = Asked(answer.schema, statement, raw)
    if output is None:
        shown = kind(sys.stdout.buffer, asked)
        shown.write_table(answer)
        shown.close()
    else:
        with opened(output, asked, kind) as file:
            file.write_table(answer)
        tell(f"{answer.num_rows:,} rows written to {output}")
    return 0 if answer.num_rows else 1
