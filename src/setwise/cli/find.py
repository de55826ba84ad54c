"""The command find."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from setwise.cli import completion, options, terminal
from setwise.cli.misplaced import check_order
from setwise.cli.options import is_given, names_in, ready, refuse_what_is_ignored, sources_in
from setwise.cli.terminal import Meter, shows_colors, tell
from setwise.corpus import outputs
from setwise.corpus.outputs import Boards, Request, Tsv, opened, schema_of_all
from setwise.errors import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from setwise.corpus.outputs import Output
    from setwise.corpus.query.names import PlayerNames
    from setwise.corpus.query.search import BatchResult

_FAULTS_SHOWN = 10
#: Boards drawn on a terminal without --all or --limit; counts, lines and files have no such limit.
_BOARDS = 20


class Faults:
    """Counts games that break off and shows the first of them."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, fault: Any) -> None:
        """Count one."""
        self.count += 1
        if self.count <= _FAULTS_SHOWN:
            tell(str(fault))

    def close(self) -> None:
        """Print their number if not all of them were shown."""
        if self.count > _FAULTS_SHOWN:
            tell(f"{self.count} games break off; the first {_FAULTS_SHOWN} are shown")


@click.command("find")
@click.argument("where", metavar="WHERE", shell_complete=completion.conditions)
@options.sources
@click.option("--limit", "-n", metavar="N", type=click.IntRange(min=0), help="Stop after N matches.")
@click.option("--all", "every", is_flag=True, help=f"Draw all matches, not the first {_BOARDS}.")
@click.option("--count", "-c", is_flag=True, help="Print the number of matching positions alone.")
@click.option("--per-game", metavar="N", type=click.IntRange(min=1), help="Take at most N matches of a game.")
@click.option("--player", metavar="NAME", help="Only games of this player, either side.")
@click.option("--sample", metavar="N", type=click.IntRange(min=1), help="Take N of all matches at random.")
@click.option("--seed", metavar="N", type=click.IntRange(min=0), default=0, help="The seed of --sample.")
@click.option(
    "--columns",
    metavar="NAMES",
    help="The columns to write, or to print below boards, separated by commas.",
    shell_complete=completion.lists_of_columns,
)
@options.to_file()
@options.style()
@options.raw
@click.option("--boards/--no-boards", default=None, help="Draw each match; default on a terminal.")
@options.side
@click.option(
    "--pgn",
    type=click.Choice(["games", "positions"]),
    default="games",
    show_default=True,
    help="PGN of whole games with the matches marked, or a game from each match on.",
)
@click.option(
    "--without",
    metavar="PARTS",
    help="Leave out marks, comments, variations, nags, tags (all but the usual seven) " + options.of_formats("without"),
)
@options.threads
@options.load
@options.color
@click.pass_context
def find_command(
    context: click.Context,
    where: str,
    sources: tuple[str, ...],
    limit: int | None,
    every: bool,
    count: bool,
    per_game: int | None,
    player: str | None,
    sample: int | None,
    seed: int,
    columns: str | None,
    output: Path | None,
    style: str | None,
    raw: bool,
    boards: bool | None,
    side: str,
    pgn: str,
    without: str | None,
    threads: int | None,
    load: tuple[str, ...],
) -> int:
    """Find the positions that match a condition.

    The condition is SQL over the columns that `setwise columns` lists. A set is not empty when it is <> 0,
    bit_count() counts its squares. A source is PGN, plain or packed (.zst .gz .bz2 .xz), a folder or a pattern of
    names; a list of FENs or EPDs; CSV, JSON lines or Parquet with a column fen; a scan; - is standard input.

    On a terminal each match is drawn; in a pipe it is a line. The exit code is 0 when something matches, 1 when nothing
    does.
    """
    check_order("find", where, sources, "CONDITION")
    _check(context)
    ready(load)
    from setwise.corpus.query.prefetch import compile_in_background
    from setwise.corpus.query.search import Query, planned
    from setwise.corpus.sources.expansion import apart, bytes_of, expanded

    kind = format_of(output, style, draws=sys.stdout.isatty() if boards is None else boards)
    # Without an explicit format, options of boards are accepted also where the output is not a terminal.
    by_place = (output, style, boards) == (None, None, None) and not count
    refuse_what_is_ignored(context, [Boards, Tsv] if by_place else [] if count else [kind])
    if without is not None and pgn == "games" and is_given(context, "columns"):
        raise click.BadParameter("--columns says what is marked, and --without leaves the marks out")
    named = sources_in(sources)
    if output is not None:
        named = list(apart(expanded(named, output=output), output))
    left_out = None if without is None else _left_out(without)
    notes = kind.needs_notes and left_out is None and not count
    query = Query(where, names_in(columns), notes=notes, player=player, per_game=per_game)
    plans = list(planned(named, query))
    draws = kind is Boards and not count
    most = _BOARDS if draws and limit is None and sample is None and not every and sys.stdout.isatty() else None
    more = False
    schema = schema_of_all([plan.schema for _, plan in plans] or [query.on({}).schema])
    asked = Request(schema, where, raw, side, shows_colors(), pgn == "positions", left_out, "--pgn positions")
    meter, faults = Meter(bytes_of(named)), Faults()
    file: Output | None = None
    try:
        with ExitStack() as stack:
            stack.callback(faults.close)
            if any(source.parses_moves for source, _ in plans):
                stack.enter_context(compile_in_background(where, ["ply"] if count else names_in(columns), load))
            if count:
                file = None
            elif output is not None:
                file = stack.enter_context(opened(output, asked, kind))
            else:
                file = kind(terminal.results(drawn=draws), asked)
                stack.callback(file.close)
            # Search for one match more than are drawn, to know whether there are more.
            wanted = limit if most is None else most + 1
            for matches in _matches(_read(plans, query.names, threads, meter, faults), sample, seed, wanted):
                shown = matches if most is None else matches.first(most - meter.matches)
                more = shown.matched < matches.matched
                if file is not None:
                    terminal.clear()
                    file.write(shown)
                meter.matches += shown.matched
                if shown.batch.is_of_games:
                    meter.matched_games += len(set(shown.positions.game[shown.rows].tolist()))
    except BaseException as error:
        if file is not None and file.part is not None:
            tell(f"{_match_count(meter)} written before; they are in {file.part}")
        elif isinstance(error, KeyboardInterrupt):
            tell(f"{_match_count(meter)} {'counted' if count else 'written'} before")
        raise
    if count:
        print(meter.matches)
    for hint in query.names.missing() if not meter.matches else ():
        tell(hint)
    _tell_sum(meter, output, more=more)
    return 0 if meter.matches else 1


def _check(context: click.Context) -> None:
    """Refuse options that contradict each other."""
    values = context.params
    output, style, drawn = values["output"], values["style"], values["boards"]
    if values["count"] and (other := next((name for name in ("output", "style") if values[name] is not None), None)):
        option = "--format" if other == "style" else "--output"
        raise click.BadParameter(f"--count prints the number alone: leave out {option}, or --count")
    if drawn and (values["count"] or style is not None or output is not None):
        other = "--count" if values["count"] else "--format" if style is not None else "--output"
        raise click.BadParameter(f"--boards draws on standard output: leave out {other}, or --boards")
    if is_given(context, "seed") and values["sample"] is None:
        raise click.BadParameter("--seed is the seed of --sample: give --sample, too")


def _left_out(without: str) -> tuple[str, ...]:
    """The parts of games to leave out, other than marks."""
    from setwise.corpus.pgnfiles.texts import checked_parts

    return checked_parts([part for part in names_in(without) or [] if part != "marks"])


def format_of(
    output: Path | None, style: str | None, *, draws: bool = False, table: bool = False, rows: bool = False
) -> type[Output]:
    """Return the output format.

    Args:
        output: the output file, if any; its suffix determines the format, unless ``style`` does.
        style: the name of the format, if the user has named one.
        draws: whether the default is drawn boards.
        table: whether the default on a terminal is a table.
        rows: whether the format must accept rows of any table, not only positions.
    """
    if output is not None and (style is None or output.is_dir()):
        return outputs.format_of(output, rows=rows)
    if style is not None:
        known = outputs.by_name(rows=rows)
        if style not in known:
            raise click.BadParameter(
                f"there is no format {style!r:.40} here: there are {', '.join(known)}{did_you_mean(style, known)}"
            )
        return known[style]
    if draws:
        return Boards
    return outputs.by_name()["table" if table and sys.stdout.isatty() else "tsv"]


def _read(
    plans: Iterable[Any], names: PlayerNames, threads: int | None, meter: Meter, faults: Faults
) -> Iterator[BatchResult]:
    """The result of each batch; faults, names and positions are counted on the way."""
    from setwise.corpus.query.search import search

    for result in search(plans, threads=threads):
        for fault in result.batch.faults:
            faults(fault)
        names.read(result.games)
        meter.read(result.batch.game_count, result.searched, result.batch.size)
        yield result


def _matches(read: Iterator[BatchResult], sample: int | None, seed: int, limit: int | None) -> Iterator[BatchResult]:
    """The sample or the first ``limit`` matches; reading stops at the limit."""
    from setwise.corpus.query.sampling import Sample

    if sample is not None:
        lot = Sample(sample, seed)
        for result in read:
            lot.add(result)
        read = lot.drawn()
    left = limit
    if left == 0:
        return
    for result in read:
        if result.matched:
            wanted = result.first(left)
            yield wanted
            left = None if left is None else left - wanted.matched
        if left == 0:
            return


def _tell_sum(meter: Meter, output: Path | None, *, more: bool) -> None:
    """Print the number of matches and of positions read; ``more``: the sources hold more matches than were drawn."""
    matches = _match_count(meter)
    where = f" written to {output}" if output is not None else ""
    read = f"{meter.positions:,} positions{_games(meter, ' of', meter.games)} read in {meter.seconds:.1f} s"
    if more:
        tell(f"the first {matches} are drawn, and there are more: --all draws them, --count counts them; {read}")
    else:
        tell(f"{matches}{where}; {read}")


def _match_count(meter: Meter) -> str:
    if not meter.matches:
        return "no matches"
    matches = "1 match" if meter.matches == 1 else f"{meter.matches:,} matches"
    return f"{matches}{_games(meter, ' in', meter.matched_games)}"


def _games(meter: Meter, word: str, count: int) -> str:
    """The number of games as words, or nothing if the games of some positions are not known."""
    if not meter.are_of_games:
        return ""
    return f"{word} 1 game" if count == 1 else f"{word} {count:,} games"
