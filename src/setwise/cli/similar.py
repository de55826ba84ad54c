"""The command similar."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from setwise.cli import completion, options, results
from setwise.cli.command import Command, argument, option
from setwise.cli.misplaced import check_order
from setwise.cli.options import ready, refuse_what_is_ignored, sources_in
from setwise.cli.terminal import Faults, Meter, clear, shows_colors, tell
from setwise.corpus.outputs import Tsv, by_name, by_suffix
from setwise.corpus.outputs.nearest import NearestBoards
from setwise.errors import did_you_mean

if TYPE_CHECKING:
    from setwise.corpus.outputs import Output

#: The formats for standard output: those of rows, and boards.
_FORMATS: dict[str, type[Output]] = {**by_name(rows=True), "boards": NearestBoards}


class Similar(Command, name="similar"):
    """Find the positions most like a given one, the nearest of each game.

    The position is a FEN, of which the first field is enough, or moves from the start, such as "1. d4 d5 2. c4 e6".
    The distance adds up all differences in the pieces: a piece on another square is 1, a piece more or fewer its worth,
    a pawn on another square of its file 2, a pawn more or fewer on a file 4, a king on another wing 4. On a terminal
    each position is drawn with the squares that differ; in a pipe it is a line. The exit code is 0 if there are any,
    else 1.
    """

    position: str = argument(metavar="FEN|MOVES")
    sources: tuple[str, ...] = options.sources
    partial: bool = options.partial
    number: int = option(
        "--number", "-n", metavar="N", type=click.IntRange(min=1), default=20, show_default=True,
        help="How many positions at most, each of another game.",
    )  # fmt: skip
    where: str | None = option(
        "--where", metavar="CONDITION", shell_complete=completion.conditions,
        help="Only positions that match, as \"result = '1-0' and ply > 30\".",
    )  # fmt: skip
    player: str | None = option("--player", metavar="NAME", help="Only games of this player, either side.")
    repertoire: tuple[str, ...] = options.repertoire
    either_colour: bool = option(
        "--either-colour", "--either-color", is_flag=True, help="Compare with the colours exchanged, too."
    )
    output: Path | None = options.to_file(" ".join(by_suffix(rows=True)))
    style: str | None = option("--format", metavar="FORMAT", help=f"{' '.join(_FORMATS)}.")
    raw: bool = options.raw
    side: str = options.side
    threads: int | None = options.threads
    load: tuple[str, ...] = options.load
    color: None = options.color

    def run(self) -> int:
        """Write or draw the positions; return 0 if there are any, else 1."""
        check_order("similar", self.position, self.sources, "FEN|MOVES")
        ready(self.load)
        from setwise.corpus.outputs import Request
        from setwise.corpus.query.search import planned
        from setwise.corpus.query.similar import Nearest
        from setwise.corpus.sources.expansion import bytes_of

        kind = self._format()
        nearest = Nearest(self.position, self.number, either_colour=self.either_colour)
        named = sources_in(self.sources, partial=self.partial)
        plans = list(planned(named, nearest.query(self.where, self.player, files=self.repertoire)))
        meter, faults = Meter(bytes_of(named)), Faults()
        for result in nearest.among(plans, threads=self.threads):
            for fault in result.batch.faults:
                faults(fault)
            meter.read(result.batch.game_count, result.searched, result.batch.size)
        faults.close()
        table = nearest.table()
        request = Request(table.schema, self.position, self.raw, self.side, shows_colors())
        clear()
        with results.opened(self.output, request, kind) as file:
            file.write_table(table)
        found = "1 position" if len(table) == 1 else f"{len(table):,} positions"
        written = "" if self.output is None else f" written to {self.output}"
        tell(f"{found}{written}; {meter.sum()}")
        return 0 if len(table) else 1

    def _format(self) -> type[Output]:
        """The format of the output; options that it would ignore are refused."""
        is_given = self.output is not None or self.style is not None
        if self.style is not None and self.style not in _FORMATS:
            near = did_you_mean(self.style, _FORMATS)
            raise click.BadParameter(
                f"there is no format {self.style!r:.40} here: there are {', '.join(_FORMATS)}{near}"
            )
        if self.style == NearestBoards.name or (not is_given and sys.stdout.isatty()):
            kind: type[Output] = NearestBoards
        else:
            kind = results.format_of(self.output, self.style, rows=True)
        # Without an explicit format, options of boards are accepted also where the output is not a terminal.
        refuse_what_is_ignored(self.context, [kind] if is_given else [NearestBoards, Tsv])
        return kind
