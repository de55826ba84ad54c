"""The command tree."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from setwise.cli import completion, options, results
from setwise.cli.command import Command, argument, option
from setwise.cli.misplaced import check_order
from setwise.cli.options import ready, sources_in
from setwise.cli.terminal import Faults, Meter, clear, shows_colors, tell
from setwise.corpus.outputs import by_name
from setwise.corpus.outputs.move_trees import TreeBars, TreePage
from setwise.errors import did_you_mean

if TYPE_CHECKING:
    from setwise.corpus.outputs import Output

#: The formats for standard output; those of rows, and two of trees alone.
_FORMATS: dict[str, type[Output]] = {"bars": TreeBars, **by_name(rows=True), "html": TreePage}


class Tree(Command, name="tree"):
    """Show what was played from a position, and how the games ended.

    The position is a FEN or moves from the start, such as "1. e4 e5"; "" and startpos are the start. A line for each
    move has the number of games, their results, the mean rating of the players who made it, their performance, and the
    last year. The exit code is 0 if there are moves, else 1.
    """

    position: str = argument(metavar="MOVES|FEN")
    sources: tuple[str, ...] = options.sources
    partial: bool = options.partial
    by: str = option(
        "--by", type=click.Choice(["move", "position"]), default="move", show_default=True,
        help="Count the games with the move, or those that reached the position after it by any moves.",
    )  # fmt: skip
    where: str | None = option(
        "--where", metavar="CONDITION", shell_complete=completion.conditions,
        help="Only rows that match, as 'white_elo > 2400 and year > 1999': a condition on the position.",
    )  # fmt: skip
    player: str | None = option("--player", metavar="NAME", help="Only games of this player, either side.")
    side: str | None = option(
        "--as", type=click.Choice(["white", "black"]), help="Only games in which the player of --player has this side."
    )
    within: str | None = option(
        "--within", metavar="FILE", help="Only moves to positions of a repertoire, a file of games with variations."
    )
    repertoire: tuple[str, ...] = options.repertoire
    output: Path | None = options.to_file(" ".join(it.suffix for it in _FORMATS.values() if it.suffix))
    style: str | None = option("--format", metavar="FORMAT", help=f"{' '.join(_FORMATS)}.")
    threads: int | None = options.threads
    load: tuple[str, ...] = options.load
    color: None = options.color

    def run(self) -> int:
        """Write the tree; return 0 if it has moves, else 1."""
        check_order("tree", self.position, self.sources, "MOVES|FEN")
        ready(self.load)
        from setwise.corpus.outputs import Request
        from setwise.corpus.query.move_tree import TREE, Tally, position_of, tallied
        from setwise.corpus.query.nothing import hints
        from setwise.corpus.query.search import planned
        from setwise.corpus.sources.expansion import bytes_of

        kind = self._format()
        tally = Tally(position_of(self.position), self.by, self.within)
        named = sources_in(self.sources, partial=self.partial)
        if self.side is not None and self.player is None:
            raise click.BadParameter("--as is the side of a player: give --player, too")
        query = tally.query(self.where, self.player, self.side, files=self.repertoire)
        plans = list(planned(named, query))
        meter, faults = Meter(bytes_of(named)), Faults()
        for result in tallied(plans, tally, threads=self.threads):
            for fault in result.batch.faults:
                faults(fault)
            meter.read(result.batch.game_count, result.searched, result.batch.size)
        faults.close()
        table = tally.table()
        request = Request(TREE, self.position, color=shows_colors())
        with ExitStack() as stack:
            clear()
            stack.enter_context(results.opened(self.output, request, kind)).write_table(table)
        for hint in () if len(table) else hints(plans, query):
            tell(hint)
        moves = f"{len(table):,} moves" if len(table) != 1 else "1 move"
        written = "" if self.output is None else f" written to {self.output}"
        read = meter.sum() if meter.games or not len(table) else f"read from the index in {meter.seconds:.1f} s"
        tell(f"{moves}{written}; {read}")
        return 0 if len(table) else 1

    def _format(self) -> type[Output]:
        """The format of the output."""
        if self.style is not None and self.style not in _FORMATS:
            near = did_you_mean(self.style, _FORMATS)
            raise click.BadParameter(
                f"there is no format {self.style!r:.40} of trees: there are {', '.join(_FORMATS)}{near}"
            )
        if self.style is not None:
            return _FORMATS[self.style]
        if self.output is not None and self.output.suffix.lower() == TreePage.suffix:
            return TreePage
        if self.output is None and sys.stdout.isatty():
            return TreeBars
        return results.format_of(self.output, None, rows=True)
