"""The commands on the texts of games: dedupe, sort, split, merge."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from setwise.cli import completion, options, terminal
from setwise.cli.find import Faults, format_of
from setwise.cli.options import names_in, ready, sources_in
from setwise.cli.terminal import Meter, tell

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import IO

__all__ = ["dedupe_command", "merge_command", "sort_command", "split_command"]

_to_pgn = click.option(
    "--output", "-o", metavar="FILE", type=click.Path(path_type=Path),
    help="Write to a file that ends in .pgn or .pgn.zst; else to standard output.",
)  # fmt: skip


class _Reading:
    """The sources of a command, with counters of games and faults."""

    def __init__(self, sources: tuple[str, ...]) -> None:
        ready()
        from setwise.corpus.sources.expansion import bytes_of

        self.sources = sources_in(sources)
        self.meter, self.faults = Meter(bytes_of(self.sources)), Faults()

    @property
    def listeners(self) -> dict[str, Callable[..., Any]]:
        """The callbacks for batches and for games that break off."""
        return {"on_batch": self.meter.read, "on_fault": self.faults}

    def tell(self, done: str, output: Path | None) -> None:
        """Print in one line what was done, the output file, and the time."""
        where = f", written to {output}" if output is not None else ""
        broken = f"; {self.faults.count:,} break off and are kept as they are" if self.faults.count else ""
        tell(f"{self.meter.games:,} games read{done}{where}, in {self.meter.seconds:.1f} s{broken}")


@contextmanager
def _reading(sources: tuple[str, ...]) -> Iterator[_Reading]:
    reading = _Reading(sources)
    try:
        yield reading
    finally:
        reading.faults.close()


def _place(output: Path | None) -> Path | IO[bytes]:
    """The output: the named file, or standard output."""
    return terminal.results() if output is None else output


@click.command("dedupe")
@options.sources
@_to_pgn
@click.option(
    "--by", metavar="NAMES", default="players", show_default=True,
    help="What duplicates share besides the moves: players, moves (nothing else), or columns of games: players,date.",
)  # fmt: skip
@click.option(
    "--keep", metavar="WHICH", default="first", show_default=True,
    help="Which duplicate is kept: first, longest (a game cut short is a duplicate, too), best-annotated.",
)  # fmt: skip
@click.option("--list", "lists", is_flag=True, help="List the duplicates instead, by --format or the name of --output.")
@options.style(positions=False)
@options.without
@options.threads
def dedupe_command(
    sources: tuple[str, ...],
    output: Path | None,
    by: str,
    keep: str,
    lists: bool,
    style: str | None,
    without: str | None,
    threads: int | None,
) -> int:
    """Remove duplicate games, by moves and players.

    Games of all sources are compared, and those that are kept are copied byte for byte, in the order of the sources.
    Games that break off or have no moves are duplicates only if their whole texts are equal. Sources are read twice,
    and memory is bounded.

    With --list the exit code is 0 if there are duplicates, 1 if there are none.
    """
    if style is not None and not lists:
        raise click.BadParameter("--format is how --list writes the duplicates; games are written as PGN")
    if without is not None and lists:
        raise click.BadParameter("--without is for games that are written, and --list writes none")
    with _reading(sources) as reading:
        from setwise.corpus.pgnfiles.duplicates import dedupe

        if lists:
            count = _list(reading, output, style, by, keep, threads)
            reading.tell(f", {count:,} duplicates", output)
            return 0 if count else 1
        done = dedupe(
            reading.sources, _place(output), by=names_in(by) or [], keep=keep,  # type: ignore[arg-type]
            without=names_in(without) or [], threads=threads, **reading.listeners,
        )  # fmt: skip
        reading.tell(f", {done.kept:,} kept, {done.duplicates:,} duplicates left out", output)
    return 0


def _list(reading: _Reading, output: Path | None, style: str | None, by: str, keep: str, threads: int | None) -> int:
    """Write a row for each duplicate, and return how many there are."""
    from setwise.corpus.outputs import Request, opened
    from setwise.corpus.pgnfiles.duplicates import LISTED, listed

    kind: Any = format_of(output, style, table=True, rows=True)
    asked, count = Request(LISTED), 0
    tables = listed(reading.sources, by=names_in(by) or [], keep=keep, threads=threads, **reading.listeners)  # type: ignore[arg-type]
    with ExitStack() as stack:
        if output is None:
            file = kind(terminal.results(), asked)
            stack.callback(file.close)
        else:
            file = stack.enter_context(opened(output, asked, kind))
        for table in tables:
            if table.num_rows:
                terminal.clear()
                file.write_table(table)
                count += table.num_rows
    return count


@click.command("sort")
@options.sources
@_to_pgn
@click.option(
    "--by", metavar="NAMES", required=True, shell_complete=completion.lists_of_columns,
    help="Columns of games, separated by commas: date, 'white_elo desc', eco, tag('Annotator') …",
)  # fmt: skip
@options.without
@options.threads
def sort_command(
    sources: tuple[str, ...], output: Path | None, by: str, without: str | None, threads: int | None
) -> None:
    """Sort games by columns.

    Each game is copied byte for byte. Texts are sorted alphabetically, missing values come last, and equal games keep
    the order of the sources. Data that do not fit into memory are kept in temporary files.
    """
    with _reading(sources) as reading:
        from setwise.corpus.pgnfiles.arrangement import sort

        parts = names_in(without) or []
        sort(reading.sources, _place(output), by, without=parts, threads=threads, **reading.listeners)
        reading.tell(" and sorted", output)


@click.command("split")
@options.sources
@click.option(
    "--output", "-o", metavar="DIR", type=click.Path(path_type=Path), required=True, help="A folder, new or empty."
)
@click.option("--every", metavar="N", type=click.IntRange(min=1), help="Write N games to each file.")
@click.option(
    "--by", metavar="NAME", shell_complete=completion.lists_of_columns,
    help="A file for each value of a column of games: eco, year, white_name, tag('Annotator') …",
)  # fmt: skip
@options.without
@options.threads
def split_command(
    sources: tuple[str, ...],
    output: Path,
    every: int | None,
    by: str | None,
    without: str | None,
    threads: int | None,
) -> None:
    """Split games into several files of a folder.

    Each game is copied byte for byte. The folder gets its name once all its files are complete. Games without a value
    of --by go to unknown.pgn.
    """
    with _reading(sources) as reading:
        from setwise.corpus.pgnfiles.arrangement import split

        parts = names_in(without) or []
        done = split(reading.sources, output, every=every, by=by, without=parts, threads=threads, **reading.listeners)
        reading.tell(f" and split into {done.files:,} files", output)


@click.command("merge")
@options.sources
@_to_pgn
@options.without
@options.threads
def merge_command(sources: tuple[str, ...], output: Path | None, without: str | None, threads: int | None) -> None:
    """Write the games of all sources into one file.

    Games keep their order, and each is copied byte for byte.
    """
    with _reading(sources) as reading:
        from setwise.corpus.pgnfiles.arrangement import merge

        parts = names_in(without) or []
        merge(reading.sources, _place(output), without=parts, threads=threads, **reading.listeners)
        reading.tell("", output)
