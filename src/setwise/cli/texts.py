"""The commands on the texts of games: dedupe, sort, split, merge, pack, unpack."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from setwise.cli import completion, options, results, terminal
from setwise.cli.command import Command, option
from setwise.cli.options import names_in, ready, sources_in
from setwise.cli.terminal import Faults, Meter, tell

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import IO

__all__ = ["Dedupe", "Merge", "Pack", "Sort", "Split", "Unpack"]

_to_pgn = option(
    "--output", "-o", metavar="FILE", type=click.Path(path_type=Path),
    help="Write to a file that ends in .pgn or .pgn.zst; else to standard output.",
)  # fmt: skip


class _Reading:
    """The sources of a command, with counters of games and faults."""

    def __init__(self, sources: tuple[str, ...], *, partial: bool) -> None:
        ready()
        from setwise.corpus.sources.expansion import bytes_of

        self.sources = sources_in(sources, partial=partial)
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
def _reading(sources: tuple[str, ...], *, partial: bool) -> Iterator[_Reading]:
    reading = _Reading(sources, partial=partial)
    try:
        yield reading
    finally:
        reading.faults.close()


def _place(output: Path | None) -> Path | IO[bytes]:
    """The output: the named file, or standard output."""
    return terminal.results() if output is None else output


class Dedupe(Command, name="dedupe"):
    """Remove duplicate games, by moves and players.

    Games of all sources are compared, and those that are kept are copied byte for byte, in the order of the sources.
    Games that break off or have no moves are duplicates only if their whole texts are equal. Sources are read twice,
    and memory is bounded.

    With --list the exit code is 0 if there are duplicates, 1 if there are none.
    """

    sources: tuple[str, ...] = options.sources
    partial: bool = options.partial
    output: Path | None = _to_pgn
    by: str = option(
        "--by", metavar="NAMES", default="players", show_default=True,
        help="What duplicates share besides the moves: players, moves (nothing else), or columns of games: "
        "players,date.",
    )  # fmt: skip
    keep: str = option(
        "--keep", metavar="WHICH", default="first", show_default=True,
        help="Which duplicate is kept: first, longest (a game cut short is a duplicate, too), best-annotated.",
    )  # fmt: skip
    lists: bool = option(
        "--list", is_flag=True, help="List the duplicates instead, by --format or the name of --output."
    )
    style: str | None = options.style(positions=False)
    without: str | None = options.without
    threads: int | None = options.threads

    def run(self) -> int:
        """Write the games that are kept, or list the duplicates."""
        if self.style is not None and not self.lists:
            raise click.BadParameter("--format is how --list writes the duplicates; games are written as PGN")
        if self.without is not None and self.lists:
            raise click.BadParameter("--without is for games that are written, and --list writes none")
        with _reading(self.sources, partial=self.partial) as reading:
            from setwise.corpus.pgnfiles.duplicates import dedupe

            if self.lists:
                count = self._list(reading)
                reading.tell(f", {count:,} duplicates", self.output)
                return 0 if count else 1
            done = dedupe(
                reading.sources, _place(self.output), by=names_in(self.by) or [], keep=self.keep,  # type: ignore[arg-type]
                without=names_in(self.without) or [], threads=self.threads, **reading.listeners,
            )  # fmt: skip
            reading.tell(f", {done.kept:,} kept, {done.duplicates:,} duplicates left out", self.output)
        return 0

    def _list(self, reading: _Reading) -> int:
        """Write a row for each duplicate, and return how many there are."""
        from setwise.corpus.outputs import Request
        from setwise.corpus.pgnfiles.duplicates import LISTED, listed

        kind = results.format_of(self.output, self.style, table=True, rows=True)
        by, count = names_in(self.by) or [], 0
        tables = listed(reading.sources, by=by, keep=self.keep, threads=self.threads, **reading.listeners)  # type: ignore[arg-type]
        with results.opened(self.output, Request(LISTED), kind) as file:
            for table in tables:
                if table.num_rows:
                    terminal.clear()
                    file.write_table(table)
                    count += table.num_rows
        return count


class Sort(Command, name="sort"):
    """Sort games by columns.

    Each game is copied byte for byte. Texts are sorted alphabetically, missing values come last, and equal games keep
    the order of the sources. Data that do not fit into memory are kept in temporary files.
    """

    sources: tuple[str, ...] = options.sources
    partial: bool = options.partial
    output: Path | None = _to_pgn
    by: str = option(
        "--by", metavar="NAMES", required=True, shell_complete=completion.lists_of_columns,
        help="Columns of games, separated by commas: date, 'white_elo desc', eco, tag('Annotator') …",
    )  # fmt: skip
    without: str | None = options.without
    threads: int | None = options.threads

    def run(self) -> None:
        """Write the games in order."""
        with _reading(self.sources, partial=self.partial) as reading:
            from setwise.corpus.pgnfiles.arrangement import sort

            parts = names_in(self.without) or []
            sort(
                reading.sources, _place(self.output), self.by, without=parts, threads=self.threads, **reading.listeners
            )
            reading.tell(" and sorted", self.output)


class Split(Command, name="split"):
    """Split games into several files of a folder.

    Each game is copied byte for byte. The folder gets its name once all its files are complete. Games without a value
    of --by go to unknown.pgn.
    """

    sources: tuple[str, ...] = options.sources
    partial: bool = options.partial
    output: Path = option(
        "--output", "-o", metavar="DIR", type=click.Path(path_type=Path), required=True, help="A folder, new or empty."
    )
    every: int | None = option("--every", metavar="N", type=click.IntRange(min=1), help="Write N games to each file.")
    by: str | None = option(
        "--by", metavar="NAME", shell_complete=completion.lists_of_columns,
        help="A file for each value of a column of games: eco, year, white_name, tag('Annotator') …",
    )  # fmt: skip
    without: str | None = options.without
    threads: int | None = options.threads

    def run(self) -> None:
        """Write the files."""
        with _reading(self.sources, partial=self.partial) as reading:
            from setwise.corpus.pgnfiles.arrangement import split

            parts = names_in(self.without) or []
            done = split(
                reading.sources, self.output, every=self.every, by=self.by, without=parts, threads=self.threads,
                **reading.listeners,
            )  # fmt: skip
            reading.tell(f" and split into {done.files:,} files", self.output)


class Merge(Command, name="merge"):
    """Write the games of all sources into one file.

    Games keep their order, and each is copied byte for byte.
    """

    sources: tuple[str, ...] = options.sources
    partial: bool = options.partial
    output: Path | None = _to_pgn
    without: str | None = options.without
    threads: int | None = options.threads

    def run(self) -> None:
        """Write the games."""
        with _reading(self.sources, partial=self.partial) as reading:
            from setwise.corpus.pgnfiles.arrangement import merge

            parts = names_in(self.without) or []
            merge(reading.sources, _place(self.output), without=parts, threads=self.threads, **reading.listeners)
            reading.tell("", self.output)


class Pack(Command, name="pack"):
    """Pack games into Parquet: a row for each game, tags as columns, two bytes for each move.

    The file is a source like PGN for all commands, takes about 1.2 bytes a position, and is read without parsing moves.
    Every batch is unpacked and compared before it is written.
    """

    sources: tuple[str, ...] = options.sources
    partial: bool = options.partial
    output: Path = option(
        "--output", "-o", metavar="FILE", type=click.Path(path_type=Path), required=True,
        help="Write to a file that ends in .parquet.",
    )  # fmt: skip
    without: str | None = options.without
    threads: int | None = options.threads

    def run(self) -> None:
        """Write the games."""
        with _reading(self.sources, partial=self.partial) as reading:
            from setwise.corpus.pgnfiles.packing import pack

            parts = names_in(self.without) or []
            pack(reading.sources, self.output, without=parts, threads=self.threads, **reading.listeners)
            reading.tell(" and packed", self.output)


class Unpack(Merge, name="unpack"):
    """Write packed games as PGN.

    They are the games that were packed: tags, moves, comments, NAGs, variations, results. The moves of each are in one
    line.
    """
