"""The commands on many games: find, scan, columns."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any

import typer

from setwise.bitboard import Bitboard
from setwise.cli.terminal import shows_colors
from setwise.errors import SourceError

_FAULTS_SHOWN = 10
_ONE_LINE = str.maketrans("\t\r\n", "   ")

Sources = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[SOURCE]...", help="PGN files, plain or .zst .gz .bz2 .xz; - is standard input.", show_default=False
    ),
]
Threads = Annotated[
    int | None, typer.Option("--threads", min=1, help="How many; else one a processor.", show_default=False)
]


def add_to(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("find")(find_command)
    app.command("scan")(scan_command)
    app.command("columns")(columns_command)


class _Faults:
    """Counts games that break off and shows the first of them."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, fault: Any) -> None:
        self.count += 1
        if self.count <= _FAULTS_SHOWN:
            print(f"setwise: {fault}", file=sys.stderr)

    def close(self) -> None:
        """Say how many there were when not all were shown."""
        if self.count > _FAULTS_SHOWN:
            print(f"setwise: {self.count} games break off; the first {_FAULTS_SHOWN} are shown", file=sys.stderr)


def _sources(sources: list[str] | None) -> list[str]:
    if sources:
        return sources
    if sys.stdin.isatty():
        raise SourceError("name a PGN file to read, or pipe one in")
    return ["-"]


def _names(columns: str | None) -> list[str] | None:
    return [name.strip() for name in columns.split(",") if name.strip()] if columns else None


# ---------------------------------------------------------------------------------------------------------------- find


def find_command(
    where: Annotated[
        str, typer.Argument(metavar="WHERE", help='SQL over the columns: "white_royal_fork_squares <> 0".')
    ],
    sources: Sources = None,
    limit: Annotated[
        int | None, typer.Option("--limit", "-n", min=0, help="Stop after so many matches.", show_default=False)
    ] = None,
    count: Annotated[bool, typer.Option("--count", "-c", help="Print the number of matching positions alone.")] = False,
    columns: Annotated[
        str | None, typer.Option("--columns", help="The columns to print, separated by commas.", show_default=False)
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Write to a file instead: .parquet .csv .jsonl .epd .pgn", show_default=False
        ),
    ] = None,
    threads: Threads = None,
    boards: Annotated[
        bool | None,
        typer.Option("--boards/--no-boards", help="Draw each match; default on a terminal.", show_default=False),
    ] = None,
) -> None:
    """Find the positions that match a condition.

    The condition is SQL over the columns that `setwise columns` lists. Sets are 64-bit integers: a set is not empty
    when it is <> 0, bit_count() counts its squares. On a terminal each match is drawn; in a pipe it is a line.
    """
    from setwise.corpus.outputs import open_output
    from setwise.corpus.search import Query, planned, search

    plans = list(planned(_sources(sources), Query(where, _names(columns))))
    names = plans[0][1].columns
    drawn = sys.stdout.isatty() if boards is None else boards
    faults, total = _Faults(), 0
    with ExitStack() as stack:
        stack.callback(faults.close)
        file = stack.enter_context(open_output(output, names)) if output is not None else None
        for found in search(plans, threads=threads):
            for fault in found.batch.faults:
                faults(fault)
            wanted = found.matched if limit is None else min(found.matched, limit - total)
            total += wanted
            if wanted and not count:
                matches = found.matches(wanted)
                if file is not None:
                    file.write(matches)
                elif drawn:
                    _draw(matches, found.plan.shown)
                else:
                    _print_lines(matches, found.plan.columns)
            if limit is not None and total >= limit:
                break
    if count:
        print(total)
    elif file is not None:
        print(f"setwise: {total} positions written to {output}", file=sys.stderr)


def _print_lines(positions: Any, names: list[str]) -> None:
    from setwise.corpus.columns import table_of

    rows = zip(*(column.to_pylist() for column in table_of(positions, names).columns), strict=True)
    sys.stdout.writelines(
        "\t".join("" if cell is None else str(cell).translate(_ONE_LINE) for cell in row) + "\n" for row in rows
    )


def _draw(positions: Any, names: list[str]) -> None:
    """Draw each position with the squares of the sets among some columns, and with the values of the others."""
    from setwise.corpus.columns import COLUMNS, table_of
    from setwise.view import draw
    from setwise.view.captions import next_move, place, players

    marked = [name for name in names if COLUMNS[name].is_set][:6]
    shown = [
        "source", "game", "fullmove_number", "white_to_move", "white_name", "black_name", "white_elo", "black_elo",
        "event", "date", "san", "fen",
    ]  # fmt: skip
    rows = table_of(positions, dict.fromkeys([*shown, *names])).to_pylist()
    color = shows_colors()
    for row, position in zip(rows, positions.piece_strings(), strict=True):
        marks = {name: Bitboard(row[name]) for name in marked}
        names_of_players = players(*(row[f"{side}_{what}"] for what in ("name", "elo") for side in ("white", "black")))
        where = place(row["event"], row["date"], f"game {row['game']} of {row['source']}")
        move = next_move(row["san"], row["fullmove_number"], white=row["white_to_move"])
        told = [name for name in names if name not in marked and name not in shown and row[name] is not None]
        values = ", ".join(f"{name} = {row[name]}" for name in told)
        print(f"\n{names_of_players}\n{where}\n\n{draw(position, marks, color=color, unicode=color)}\n")
        print(f"next: {move}" + (f"    {values}" if values else "") + f"\n{row['fen']}", flush=True)


# ---------------------------------------------------------------------------------------------------------------- scan


def scan_command(
    sources: Sources = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="A directory, or NAME.parquet.", show_default=False)
    ] = ...,  # type: ignore[assignment]
    features: Annotated[str, typer.Option("--features", help="Features or columns, separated by commas, or all.")] = "",
    threads: Threads = None,
) -> None:
    """Write all positions of games with features as Parquet, and a table of the games beside it."""
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    from setwise.corpus.scan import scan

    named = _sources(sources)
    faults, done = _Faults(), {"bytes": 0, "positions": 0}
    plain = all(name.lower().endswith(".pgn") and Path(name).is_file() for name in named)
    total = sum(Path(name).stat().st_size for name in named) if plain else None
    columns = (
        TextColumn("{task.fields[positions]:,} positions"), BarColumn(), DownloadColumn(),
        TextColumn("{task.fields[rate]}"), TimeRemainingColumn(),
    )  # fmt: skip
    console = Console(stderr=True)
    with ExitStack() as stack:
        stack.callback(faults.close)
        progress = stack.enter_context(
            Progress(*columns, console=console, disable=not console.is_terminal, transient=True)
        )
        task = progress.add_task("scan", total=total, positions=0, rate="")

        def on_block(found: Any) -> None:
            done["positions"] += found.searched
            elapsed = progress.tasks[task].elapsed or 1.0
            rate = f"{done['positions'] / elapsed / 1e6:.1f} million a second"
            progress.update(task, advance=found.batch.size, positions=done["positions"], rate=rate)

        written = scan(
            named, output, features=_names(features) or [], threads=threads, on_block=on_block, on_fault=faults
        )
    print(
        f"setwise: {written.positions:,} positions of {written.games:,} games in {written.positions_path}, "
        f"the games in {written.games_path}",
        file=sys.stderr,
    )


def columns_command() -> None:
    """List the columns that conditions, --columns and --features know."""
    from setwise.corpus.columns import COLUMNS

    width = max(map(len, COLUMNS))
    for column in COLUMNS.values():
        print(f"{column.name:<{width}}  {column.meaning}")
