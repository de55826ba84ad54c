"""The command sql."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import click

from setwise.cli import completion, options, results
from setwise.cli.command import Command, argument
from setwise.cli.misplaced import check_order
from setwise.cli.options import ready, refuse_what_is_ignored, sources_in
from setwise.cli.terminal import Faults, tell


class Sql(Command, name="sql"):
    """Answer a SELECT over the tables positions, games and moves.

    The tables are computed while the sources are read, and only the columns that the statement names. `positions` has
    the columns that `setwise columns` lists, `games` has a row for each game, `moves` one for each legal move. Formats
    of positions need an answer with the columns source, game and ply, or with fen, and keep the order of its rows. The
    exit code is 0 if the answer has rows, 1 if it has none.
    """

    statement: str = argument(metavar="STATEMENT", shell_complete=completion.conditions)
    sources: tuple[str, ...] = options.sources
    partial: bool = options.partial
    output: Path | None = options.to_file()
    style: str | None = options.style()
    raw: bool = options.raw
    variations: bool = options.variations
    repertoire: tuple[str, ...] = options.repertoire
    threads: int | None = options.threads
    load: tuple[str, ...] = options.load

    def run(self) -> int:
        """Write the answer; return 0 if it has rows, else 1."""
        check_order("sql", self.statement, self.sources, "STATEMENT")
        ready(self.load)
        from setwise.corpus.outputs import Request
        from setwise.corpus.outputs.picked import write_positions
        from setwise.corpus.query.sql import answered

        kind = results.format_of(self.output, self.style, table=True)
        refuse_what_is_ignored(self.context, [kind])
        of_rows = kind.is_of_rows
        if self.variations and not of_rows:
            raise click.BadParameter("rows of variations go to a table: csv, tsv, jsonl, parquet, arrow or markdown")
        faults, hints = Faults(), list[str]()
        with ExitStack() as stack:
            stack.callback(faults.close)
            answer = answered(
                self.statement,
                sources_in(self.sources, partial=self.partial),
                variations=self.variations,
                files=self.repertoire,
                threads=self.threads,
                on_fault=faults,
                on_hint=hints.append,
                again=not of_rows,
                check=kind.check_columns,
            )
            request = Request(answer.table.schema, self.statement, self.raw)
            file = stack.enter_context(results.opened(self.output, request, kind))
            if of_rows:
                file.write_table(answer.table)
            else:
                write_positions(file, answer.table, answer.sources, threads=self.threads)
        for hint in hints:
            tell(hint)
        rows = answer.table.num_rows
        if self.output is not None:
            tell(f"{rows:,} rows written to {self.output}")
        return 0 if rows else 1
