"""The command sql."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

from setwise.cli import completion, options, terminal
from setwise.cli.find import Faults, format_of
from setwise.cli.misplaced import check_order
from setwise.cli.options import ready, refuse_what_is_ignored, sources_in
from setwise.cli.terminal import tell


@click.command("sql")
@click.argument("statement", metavar="STATEMENT", shell_complete=completion.conditions)
@options.sources
@options.to_file()
@options.style()
@options.raw
@options.threads
@options.load
@click.pass_context
def sql_command(
    context: click.Context,
    statement: str,
    sources: tuple[str, ...],
    output: Path | None,
    style: str | None,
    raw: bool,
    threads: int | None,
    load: tuple[str, ...],
) -> int:
    """Answer a SELECT over the tables positions and games.

    The tables are computed while the sources are read, and only the columns that the statement names. `positions` has
    the columns that `setwise columns` lists, `games` has a row for each game. Formats of positions need an answer with
    the columns source, game and ply, or with fen, and keep the order of its rows. The exit code is 0 if the answer has
    rows, 1 if it has none.
    """
    check_order("sql", statement, sources, "STATEMENT")
    ready(load)
    from setwise.corpus.outputs import Request, opened
    from setwise.corpus.outputs.picked import check_names_positions, write_positions
    from setwise.corpus.query.sql import answered

    kind: Any = format_of(output, style, table=True)
    refuse_what_is_ignored(context, [kind])
    of_rows = kind.is_of_rows
    faults, hints = Faults(), list[str]()
    with ExitStack() as stack:
        stack.callback(faults.close)
        check = None if of_rows else check_names_positions
        answer = answered(
            statement,
            sources_in(sources),
            threads=threads,
            on_fault=faults,
            on_hint=hints.append,
            again=not of_rows,
            check=check,
        )
        asked = Request(answer.table.schema, statement, raw)
        if output is None:
            file = kind(terminal.results(), asked)
            stack.callback(file.close)
        else:
            file = stack.enter_context(opened(output, asked, kind))
        if of_rows:
            file.write_table(answer.table)
        else:
            write_positions(file, answer.table, answer.sources, threads=threads)
    for hint in hints:
        tell(hint)
    rows = answer.table.num_rows
    if output is not None:
        tell(f"{rows:,} rows written to {output}")
    return 0 if rows else 1
