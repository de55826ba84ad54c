"""The commands scan and columns."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

from setwise.cli import completion, options
from setwise.cli.find import Faults
from setwise.cli.options import names_in, ready, sources_in
from setwise.cli.terminal import Meter, tell


@click.command("scan")
@options.sources
@click.option(
    "--output",
    "-o",
    metavar="PLACE",
    type=click.Path(path_type=Path),
    required=True,
    help="A directory, or NAME.parquet.",
)
@click.option(
    "--features",
    metavar="NAMES",
    default="",
    help="Features or columns, separated by commas, or all.",
    shell_complete=completion.lists_of_columns,
)
@options.threads
@options.load
def scan_command(
    sources: tuple[str, ...], output: Path, features: str, threads: int | None, load: tuple[str, ...]
) -> None:
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


@click.command("columns")
@options.load
def columns_command(load: tuple[str, ...]) -> None:
    """List the columns that conditions, --columns and --features know."""
    ready(load)
    from setwise.corpus.columns import COLUMNS

    width = max(map(len, COLUMNS))
    for column in COLUMNS.values():
        print(f"{column.name:<{width}}  {column.meaning}")
