"""The commands scan and columns."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any

import typer

from setwise.cli import completion
from setwise.cli.find import Faults
from setwise.cli.options import Load, Sources, Threads, names_in, ready, sources_in
from setwise.cli.terminal import Meter, tell


def add_to(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("scan")(scan_command)
    app.command("columns")(columns_command)


def scan_command(
    sources: Sources = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="A directory, or NAME.parquet.", show_default=False)
    ] = ...,  # type: ignore[assignment]
    features: Annotated[
        str,
        typer.Option(
            "--features", help="Features or columns, separated by commas, or all.",
            autocompletion=completion.lists_of_columns,
        ),
    ] = "",
    threads: Threads = None,
    load: Load = None,
) -> None:  # fmt: skip
    """Write all positions of games with features as Parquet, and a table of the games beside it."""
    ready(load)
    from setwise.corpus.scan import scan

    named = sources_in(sources)
    meter = Meter(named)

    def on_block(found: Any) -> None:
        meter.read(len(found.games), found.searched, found.batch.size)

    with ExitStack() as stack:
        faults = Faults()
        stack.callback(faults.close)
        written = scan(
            named, output, features=names_in(features) or [], threads=threads, on_block=on_block, on_fault=faults
        )
    tell(
        f"{written.positions:,} positions of {written.games:,} games in {written.positions_path}, "
        f"the games in {written.games_path}, in {meter.seconds:.1f} s"
    )


def columns_command(load: Load = None) -> None:
    """List the columns that conditions, --columns and --features know."""
    ready(load)
    from setwise.corpus.columns import COLUMNS

    width = max(map(len, COLUMNS))
    for column in COLUMNS.values():
        print(f"{column.name:<{width}}  {column.meaning}")
