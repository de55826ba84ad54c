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
from setwise.corpus.formats import BOARDS, COUNT, FORMATS
from setwise.errors import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from setwise.corpus.outputs import Output
    from setwise.corpus.query.names import PlayerNames
    from setwise.corpus.query.search import BatchResult

_FAULTS_SHOWN = 10
#: Boards on a terminal without --all or --limit; a count, a line and a file have no such bound.
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
        """Say how many there were when not all were shown."""
        if self.count > _FAULTS_SHOWN:
            tell(f"{self.count} games break off; the first {_FAULTS_SHOWN} are shown")


@click.command("find")
@click.argument("where", metavar="WHERE", shell_complete=completion.conditions)
@options.sources
@click.option("--limit", "-n", metavar="N", type=click.IntRange(min=0), help="Stop after so many matches.")
@click.option("--all", "every", is_flag=True, help=f"Draw all matches, not the first {_BOARDS}.")
@click.option("--count", "-c", is_flag=True, help="Print the number of matching positions alone.")
@click.option("--per-game", metavar="N", type=click.IntRange(min=1), help="Take so many matches of a game at the most.")
@click.option("--player", metavar="NAME", help="Only games of this player, either side.")
@click.option("--sample", metavar="N", type=click.IntRange(min=1), help="So many matches, drawn by lot from all.")
@click.option("--seed", metavar="N", type=click.IntRange(min=0), default=0, help="What --sample draws by.")
@click.option(
    "--columns",
    metavar="NAMES",
    help="The columns to write, or to tell of boards, separated by commas.",
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
    from setwise.corpus.outputs import Boards, Request, opened, schema_of_all
    from setwise.corpus.query.prefetch import compile_in_background
    from setwise.corpus.query.search import Query, planned
    from setwise.corpus.sources.expansion import apart, bytes_of, expanded

    kind = format_of(output, style, draws=sys.stdout.isatty() if boards is None else boards)
    chosen = COUNT if count else kind.format
    # Where nothing is chosen a script may say how boards would look, if a terminal showed them.
    by_place = (output, style, boards) == (None, None, None) and not count
    refuse_what_is_ignored(context, [BOARDS, FORMATS["tsv"]] if by_place else [chosen])
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
            if any(source.is_pgn for source, _ in plans):
                stack.enter_context(compile_in_background(where, ["ply"] if count else names_in(columns), load))
            if count:
                file = None
            elif output is not None:
                file = stack.enter_context(opened(output, asked, kind))
            else:
                file = kind(terminal.results(drawn=draws), asked)
                stack.callback(file.close)
            # One match more than are drawn says whether there are more.
            wanted = limit if most is None else most + 1
            for matches in _matches(_read(plans, query.names, threads, meter, faults), sample, seed, wanted):
                found = matches if most is None else matches.first(most - meter.matches)
                more = found.matched < matches.matched
                if file is not None:
                    terminal.clear()
                    file.write(found)
                meter.matches += found.matched
                if found.batch.is_of_games:
                    meter.matched_games += len(set(found.positions.game[found.rows].tolist()))
    except BaseException as error:
        if file is not None and file.part is not None:
            tell(f"{_found(meter)} written before; they are in {file.part}")
        elif isinstance(error, KeyboardInterrupt):
            tell(f"{_found(meter)} {'counted' if count else 'written'} before")
        raise
    if count:
        print(meter.matches)
    for hint in query.names.missing() if not meter.matches else ():
        tell(hint)
    _tell_sum(meter, output, more=more)
    return 0 if meter.matches else 1


def _check(context: click.Context) -> None:
    """Refuse options that say different things."""
    given = context.params
    output, style, drawn = given["output"], given["style"], given["boards"]
    if given["count"] and (written := next((name for name in ("output", "style") if given[name] is not None), None)):
        option = "--format" if written == "style" else "--output"
        raise click.BadParameter(f"--count prints the number alone: leave out {option}, or --count")
    if drawn and (given["count"] or style is not None or output is not None):
        other = "--count" if given["count"] else "--format" if style is not None else "--output"
        raise click.BadParameter(f"--boards draws on standard output: leave out {other}, or --boards")
    if is_given(context, "seed") and given["sample"] is None:
        raise click.BadParameter("--seed is what --sample draws by: give --sample, too")


def _left_out(without: str) -> tuple[str, ...]:
    """What games lack that are written without marks."""
    from setwise.corpus.pgnfiles.texts import checked_parts

    return checked_parts([part for part in names_in(without) or [] if part != "marks"])


def format_of(
    output: Path | None, style: str | None, *, draws: bool = False, table: bool = False, rows: bool = False
) -> type[Output]:
    """Return the format for what is found.

    Args:
        output: the file that it goes to, if any; the end of its name says how, unless ``style`` does.
        style: the name of the format, if one is named.
        draws: whether boards are drawn where nothing is named.
        table: whether a terminal has a table where nothing is named.
        rows: whether it must be a format for the rows of any table, not for positions alone.
    """
    from setwise.corpus import outputs

    if output is not None and (style is None or output.is_dir()):
        return outputs.format_of(output, rows=rows)
    if style is not None:
        known = {name: kind for name, kind in outputs.FORMATS.items() if not rows or kind.format.is_of_rows}
        if style not in known:
            raise click.BadParameter(
                f"there is no format {style!r:.40} here: there are {', '.join(known)}{did_you_mean(style, known)}"
            )
        return known[style]
    if draws:
        return outputs.Boards
    return outputs.FORMATS["table" if table and sys.stdout.isatty() else "tsv"]


def _read(
    plans: Iterable[Any], names: PlayerNames, threads: int | None, meter: Meter, faults: Faults
) -> Iterator[BatchResult]:
    """What comes of every batch, counted."""
    from setwise.corpus.query.search import search

    for found in search(plans, threads=threads):
        for fault in found.batch.faults:
            faults(fault)
        names.read(found.games)
        meter.read(found.batch.game_count, found.searched, found.batch.size)
        yield found


def _matches(read: Iterator[BatchResult], sample: int | None, seed: int, limit: int | None) -> Iterator[BatchResult]:
    """Those of the matches that are wanted; reading stops when there are enough."""
    from setwise.corpus.query.sampling import Sample

    if sample is not None:
        lot = Sample(sample, seed)
        for found in read:
            lot.add(found)
        read = lot.drawn()
    left = limit
    if left == 0:
        return
    for found in read:
        if found.matched:
            wanted = found.first(left)
            yield wanted
            left = None if left is None else left - wanted.matched
        if left == 0:
            return


def _tell_sum(meter: Meter, output: Path | None, *, more: bool) -> None:
    """Say in one line what has been found, and in how much; ``more``: the sources hold more matches than were drawn."""
    found = _found(meter)
    where = f" written to {output}" if output is not None else ""
    read = f"{meter.positions:,} positions{_games(meter, ' of', meter.games)} read in {meter.seconds:.1f} s"
    if more:
        tell(f"the first {found} are drawn, and there are more: --all draws them, --count counts them; {read}")
    else:
        tell(f"{found}{where}; {read}")


def _found(meter: Meter) -> str:
    if not meter.matches:
        return "no matches"
    matches = "1 match" if meter.matches == 1 else f"{meter.matches:,} matches"
    return f"{matches}{_games(meter, ' in', meter.matched_games)}"


def _games(meter: Meter, word: str, count: int) -> str:
    """How many games these are, unless some of the positions come from none that is known."""
    if not meter.are_of_games:
        return ""
    return f"{word} 1 game" if count == 1 else f"{word} {count:,} games"
