"""The commands sql, names, tree and similar."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from setwise.cli import options
from setwise.cli.command import Command, argument, check_order, option
from setwise.cli.options import ready, refuse_what_is_ignored, sources_in
from setwise.cli.terminal import Faults, Meter, clear, shows_colors, tell
from setwise.corpus.outputs import Tsv, by_name, by_suffix
from setwise.corpus.outputs.boards import NearestBoards, TreeBars, TreePage
from setwise.errors import QueryError
from setwise.view.diagram import count

if TYPE_CHECKING:
    from setwise.corpus.outputs import Output


# ------------------------------------------------------------------------------------------------------ the command sql


class Sql(Command, name="sql"):
    """Answer a SELECT over the tables positions, games and moves.

    The tables are computed while the sources are read, with only the columns that the statement names. `positions` has
    the columns that `setwise columns` lists, `games` has a row for each game, `moves` has a row for each legal move.
    Formats of positions need an answer with the columns source, game and ply, or with the column fen, and keep the
    order of its rows. The exit code is 0 if the answer has rows, else 1.
    """

    statement: str = argument("STATEMENT", shell_complete=options.conditions)
    sources: tuple[str, ...] = options.sources
    partial: bool = options.partial
    output: Path | None = options.to_file()
    style: str | None = options.style()
    raw: bool = options.raw
    variations: bool = options.variations
    repertoire: tuple[str, ...] = options.repertoire
    aliases: None = options.aliases
    notes: bool = options.notes
    threads: int | None = options.threads
    load: tuple[str, ...] = options.load

    def run(self) -> int:
        """Write the answer; return 0 if it has rows, else 1."""
        check_order("sql", self.statement, self.sources, "STATEMENT")
        ready(self.load)
        from setwise.corpus.outputs import Request, by_suffix
        from setwise.corpus.outputs.ordered import write_positions
        from setwise.corpus.query.sql import answered

        kind = options.format_of(self.output, self.style, table=True)
        refuse_what_is_ignored(self.context, [kind])
        of_rows = kind.is_of_rows
        if self.variations and not of_rows:
            *first, last = (it.name for it in by_suffix(rows=True).values())
            raise click.BadParameter(f"rows of variations need a format of rows: {', '.join(first)} or {last}")
        faults, hints = Faults(show_all=self.notes), list[str]()
        with ExitStack() as stack:
            stack.callback(faults.close)
            answer = answered(
                self.statement, sources_in(self.sources, partial=self.partial), variations=self.variations,
                files=self.repertoire, threads=self.threads, on_fault=faults, on_hint=hints.append, again=not of_rows,
                check=kind.check_columns,
            )  # fmt: skip
            request = Request(answer.table.schema, self.statement, self.raw)
            file = stack.enter_context(options.opened(self.output, request, kind))
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


#: The names of players that have several spellings, how often each is there, and the numbers of FIDE beside it.
_NAMES = """
    with players as (
        select unnest([white_player, black_player]) as player, unnest([white_name, black_name]) as name,
            unnest([{}]) as fide_id from games
    )
    select player, name, string_agg(distinct fide_id, ' ' order by fide_id) as fide_ids, count(*) as games from players
    where player is not null group by player, name
    qualify count(*) over (partition by player) > 1 order by player, games desc, name
"""
_FIDE_IDS = "white_fide_id, black_fide_id"


class Names(Command, name="names"):
    """List the names of players that look like several spellings of one: Carlsen, Magnus beside Carlsen,M.

    The first column is the spelling that the columns white_player and black_player have for all of them: the family
    name and an initial, so different people can be among them. The exit code is 0 if there are such names, else 1.
    """

    sources: tuple[str, ...] = options.sources
    partial: bool = options.partial
    output: Path | None = options.to_file()
    style: str | None = options.style(positions=False)
    aliases: None = options.aliases
    threads: int | None = options.threads

    def run(self) -> int:
        """Write the names; return 0 if there are any, else 1."""
        ready()
        from setwise.corpus.outputs import Request
        from setwise.corpus.query.sql import answered

        faults = Faults()
        named = sources_in(self.sources, partial=self.partial)
        try:
            table = answered(_NAMES.format(_FIDE_IDS), named, threads=self.threads, on_fault=faults).table
        except QueryError:  # a scan that does not store these tags
            nothing = "null::varchar, null"
            table = answered(_NAMES.format(nothing), named, threads=self.threads, on_fault=faults).table
        faults.close()
        kind = options.format_of(self.output, self.style, table=True, rows=True)
        with options.opened(self.output, Request(table.schema, "names"), kind) as file:
            file.write_table(table)
        return 0 if table.num_rows else 1


# -------------------------------------------------------------------------------------------------- the command similar


#: The formats for standard output: the formats of rows, and boards.
_FORMATS: dict[str, type[Output]] = {**by_name(rows=True), "boards": NearestBoards}


class Similar(Command, name="similar"):
    """Find the positions most like a given position: the nearest position of each game.

    The position is a FEN, of which the first field is enough, or moves from the start, such as "1. d4 d5 2. c4 e6". The
    distance adds up all differences in the pieces: a piece on another square adds 1, a piece more or fewer adds its
    worth, a pawn on another square of its file 2, a pawn more or fewer on a file 4, a king on another wing 4. On a
    terminal each position is drawn with the squares that differ; in a pipe it is a line. The exit code is 0 if any
    position is found, else 1.
    """

    position: str = argument("FEN|MOVES")
    sources: tuple[str, ...] = options.sources
    partial: bool = options.partial
    number: int = option("--number -n N", "How many positions at most, each of another game.", least=1, default=20)
    where: str | None = option(
        "--where CONDITION", "Only positions that match, as \"result = '1-0' and ply > 30\".",
        shell_complete=options.conditions,
    )  # fmt: skip
    player: str | None = option("--player NAME", "Only games of this player, either side.")
    repertoire: tuple[str, ...] = options.repertoire
    aliases: None = options.aliases
    either_colour: bool = option("--either-colour --either-color", "Compare with the colours exchanged, too.")
    output: Path | None = options.to_file(" ".join(by_suffix(rows=True)))
    style: str | None = option("--format FORMAT", f"{' '.join(_FORMATS)}.")
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
        from setwise.corpus.query.move_tree import Nearest
        from setwise.corpus.query.search import planned
        from setwise.corpus.sources.places import bytes_of

        kind = self._format()
        nearest = Nearest(self.position, self.number, either_colour=self.either_colour)
        named = sources_in(self.sources, partial=self.partial)
        questions = list(planned(named, nearest.query(self.where, self.player, files=self.repertoire)))
        meter, faults = Meter(bytes_of(named)), Faults()
        for result in nearest.among(questions, threads=self.threads):
            meter.add(result, faults)
        faults.close()
        table = nearest.table()
        request = Request(table.schema, self.position, self.raw, self.side, shows_colors())
        clear()
        with options.opened(self.output, request, kind) as file:
            file.write_table(table)
        written = "" if self.output is None else f" written to {self.output}"
        tell(f"{count(len(table), 'position')}{written}; {meter.sum()}")
        return 0 if len(table) else 1

    def _format(self) -> type[Output]:
        """The format of the output; options that the format would ignore are refused."""
        is_given = self.output is not None or self.style is not None
        named = None if self.style is None else options.format_named(self.style, _FORMATS)
        if named is NearestBoards or (not is_given and sys.stdout.isatty()):
            kind: type[Output] = NearestBoards
        else:
            kind = options.format_of(self.output, self.style, rows=True)
        # Without an explicit format, options of boards are accepted also where the output is not a terminal.
        refuse_what_is_ignored(self.context, [kind] if is_given else [NearestBoards, Tsv])
        return kind


# ----------------------------------------------------------------------------------------------------- the command tree


#: The formats for standard output: the formats of rows, and two formats for trees only.
_TREE_FORMATS: dict[str, type[Output]] = {"bars": TreeBars, **by_name(rows=True), "html": TreePage}


class Tree(Command, name="tree"):
    """Show which moves were played from a position, and how the games ended.

    The position is a FEN or moves from the start, such as "1. e4 e5"; "" and startpos are the start. A line for each
    move has the number of games, their results, the mean rating of the players who made it, their performance, and the
    last year. The exit code is 0 if there are moves, else 1.
    """

    position: str = argument("MOVES|FEN")
    sources: tuple[str, ...] = options.sources
    partial: bool = options.partial
    by: str = option(
        "--by", "Count the games with the move, or those that reached the position after it by any moves.",
        type=click.Choice(["move", "position"]), default="move",
    )  # fmt: skip
    where: str | None = option(
        "--where CONDITION",
        "Only rows that match, as 'white_elo > 2400 and year > 1999': a condition on the position.",
        shell_complete=options.conditions,
    )  # fmt: skip
    player: str | None = option("--player NAME", "Only games of this player, either side.")
    side: str | None = option(
        "--as", "Only games in which the player of --player has this side.", type=click.Choice(["white", "black"])
    )
    within: str | None = option(
        "--within FILE", "Only moves to positions of a repertoire, a file of games with variations."
    )
    repertoire: tuple[str, ...] = options.repertoire
    aliases: None = options.aliases
    output: Path | None = options.to_file(" ".join(it.suffix for it in _TREE_FORMATS.values() if it.suffix))
    style: str | None = option("--format FORMAT", f"{' '.join(_TREE_FORMATS)}.")
    threads: int | None = options.threads
    load: tuple[str, ...] = options.load
    color: None = options.color

    def run(self) -> int:
        """Write the tree; return 0 if it has moves, else 1."""
        check_order("tree", self.position, self.sources, "MOVES|FEN")
        ready(self.load)
        from setwise.corpus.outputs import Request
        from setwise.corpus.query.move_tree import TREE, Tally, position_of, tallied
        from setwise.corpus.query.search import hints, planned
        from setwise.corpus.sources.places import bytes_of

        kind = self._format()
        tally = Tally(position_of(self.position), self.by, self.within)
        named = sources_in(self.sources, partial=self.partial)
        if self.side is not None and self.player is None:
            raise click.BadParameter("--as is the side of a player: give --player, too")
        query = tally.query(self.where, self.player, self.side, files=self.repertoire)
        questions = list(planned(named, query))
        meter, faults = Meter(bytes_of(named)), Faults()
        for result in tallied(questions, tally, threads=self.threads):
            meter.add(result, faults)
        faults.close()
        table = tally.table()
        request = Request(TREE, self.position, color=shows_colors())
        clear()
        with options.opened(self.output, request, kind) as file:
            file.write_table(table)
        for hint in () if len(table) else hints(questions, query):
            tell(hint)
        written = "" if self.output is None else f" written to {self.output}"
        read = meter.sum() if meter.games or not len(table) else f"read from the index in {meter.seconds:.1f} s"
        tell(f"{count(len(table), 'move')}{written}; {read}")
        return 0 if len(table) else 1

    def _format(self) -> type[Output]:
        """The format of the output."""
        if self.style is not None:
            return options.format_named(self.style, _TREE_FORMATS, "of trees")
        if self.output is not None and self.output.suffix.lower() == TreePage.suffix:
            return TreePage
        if self.output is None and sys.stdout.isatty():
            return TreeBars
        return options.format_of(self.output, None, rows=True)
