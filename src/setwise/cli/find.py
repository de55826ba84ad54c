"""The command ``find``: a search with all its options.

``run`` first adds the conditions of ``--like`` and ``--within`` to the condition, then refuses options that contradict
each other, before any game is read. Next it makes the question to each source, so a mistake in the condition is
reported at once. Then the matches go through one chain of iterators: search, sample, engine, limit, output. Each takes
results of batches and yields them, so memory does not grow with the number of matches; only ``--order-by`` needs all
matches first. On a terminal the first 20 matches are drawn, and the search continues to the next match, to report
whether there are more. After an error, the matches written before it stay, and the last line names the file that has
them.
"""

from __future__ import annotations

import itertools
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from setwise.cli import options, terminal
from setwise.cli.command import Command, argument, check_order, is_file, option
from setwise.cli.options import names_in, ready, refuse_what_is_ignored, sources_in
from setwise.cli.terminal import Faults, Meter, shows_colors, tell
from setwise.corpus.outputs import Boards, Output, Request, Tsv, schema_of_all
from setwise.errors import QueryError
from setwise.view.diagram import count

if TYPE_CHECKING:
    from setwise.corpus.query.ordering import Ordering
    from setwise.corpus.query.search import BatchResult, PlayerNames

#: Words that may be meant as a question or as a name, rather than as a condition.
_WORDS = re.compile(r"[^\W\d_][^\W\d_]*(?:[ '-]+[^\W\d_]+)*")
#: Boards drawn on a terminal without --all or --limit; counts, lines and files have no such limit.
_BOARDS = 20


class Find(Command, name="find"):
    """Find the positions that match a condition.

    The condition is SQL over the columns that `setwise columns` lists. A set is not empty when it is <> 0,
    bit_count() counts its squares. A source is PGN, plain or packed (.zst .gz .bz2 .xz .zip), a folder or a pattern of
    names; a list of FENs or EPDs; CSV, JSON lines or Parquet with a column fen; a database of SQLite or DuckDB with a
    column fen, pgn or moves (games.db#TABLE names a table); a scan; - is standard input.

    On a terminal each match is drawn; in a pipe it is a line. The exit code is 0 when something matches, 1 when nothing
    does, 2 for an error.
    """

    where: str = argument("WHERE", shell_complete=options.conditions)
    sources: tuple[str, ...] = options.sources
    partial: bool = options.partial
    limit: int | None = option("--limit -n N", "Stop after N matches.", least=0)
    order_by: str | None = option(
        "--order-by EXPRESSIONS", "What comes first, as 'bit_count(own_hanging) desc, ply'; null comes last.",
        shell_complete=options.conditions,
    )  # fmt: skip
    every: bool = option("--all", f"Draw all matches, not the first {_BOARDS}.")
    count: bool = option("--count -c", "Print the number of matching positions alone.")
    per_game: int | None = option(
        "--per-game N", "Take at most N matches of a game: the first, or by --order-by the best.", least=1
    )
    player: str | None = option("--player NAME", "Only games of this player, either side.")
    sample: int | None = option("--sample N", "Take N of all matches at random.", least=1)
    seed: int = option("--seed N", "The seed of --sample.", least=0, default=0)
    columns: str | None = option(
        "--columns NAMES",
        "The columns to write, or to print below boards: names, or expressions 'as NAME', separated by commas.",
        shell_complete=options.lists_of_columns,
    )  # fmt: skip
    output: Path | None = options.to_file()
    style: str | None = options.style()
    raw: bool = options.raw
    boards: bool | None = option("--boards/--no-boards", "Draw each match; default on a terminal.", default=None)
    side: str = options.side
    pgn: str = option(
        "--pgn", "PGN of whole games with the matches marked, or a game from each match on.",
        type=click.Choice(["games", "positions"]), default="games",
    )  # fmt: skip
    without: str | None = option(
        "--without PARTS",
        "Leave out marks, comments, variations, nags, tags (all but the usual seven) "
        + options.of_formats("without"),
    )  # fmt: skip
    exercise: bool = option(
        "--exercise", "Write the matches as exercises: a sheet to print (.html), a study (.pgn), cards (.csv)."
    )
    like: str | None = option(
        "--like FEN", "Only positions with at least the pieces of this one; WHERE may be left out."
    )
    likeness: str = option(
        "--likeness pieces|pawns|position",
        "In what positions are like that of --like: at least its pieces, its pawns, or the position itself.",
        default="pieces",
    )  # fmt: skip
    either: str | None = option(
        "--either colour,wing", "Also those like it with colours exchanged, with wings exchanged."
    )
    within: str | None = option(
        "--within FILE", "Only positions of a repertoire, a file of games with variations; WHERE may be left out."
    )
    repertoire: tuple[str, ...] = options.repertoire
    aliases: None = options.aliases
    variations: bool = options.variations
    engine: str | None = option(
        "--engine PROGRAM",
        "Evaluate the matches by an engine, such as stockfish: columns engine_evaluation and engine_best.",
    )  # fmt: skip
    depth: int = option("--depth N", "The depth of --engine.", type=click.IntRange(1, 60), default=14)
    explain: bool = option("--explain", "Print how each source would be read, and read none.")
    notes: bool = options.notes
    threads: int | None = options.threads
    load: tuple[str, ...] = options.load
    color: None = options.color

    #: The output, unless matches are only counted.
    file: Output | None = None

    def run(self) -> int:
        """Write, draw or count the matches; return 0 if there are any, else 1."""
        self._add_likeness()
        self._add_repertoire()
        check_order("find", self.where, self.sources, "CONDITION")
        self._refuse_contradictions()
        ready(self.load)
        if self.exercise:
            return self._write_exercises()
        from setwise.corpus.query.finding import ENGINE_COLUMNS, with_engine
        from setwise.corpus.query.search import Query, hints, planned
        from setwise.corpus.sources.places import bytes_of

        kind = self._format()
        named, left_out = self._named(), self._left_out()
        notes = kind.needs_notes and left_out is None and not self.count
        most = self._most(kind)
        query = Query(
            self.where, self._columns(), notes=notes, player=self.player, per_game=self.per_game,
            order_by=self.order_by, most=None if most is None or self.sample is not None else most + 1,
            variations=self.variations, files=self.repertoire,
        )  # fmt: skip
        try:
            questions = list(planned(named, query) if self.engine is None else with_engine(planned(named, query)))
        except QueryError as error:
            raise QueryError(f"{error}{_way_from_words(self.where)}") from None
        if self.explain:
            for source, question in questions:
                print(f"{source.name}: {source.explain(question).way}")
            return 0
        added = [ENGINE_COLUMNS] if self.engine is not None else []
        schema = schema_of_all([question.schema for _, question in questions] or [query.of({}).schema, *added])
        alone = self.pgn == "positions"
        side = self.side if self.is_given("side") else ""
        request = Request(schema, self.where, self.raw, side, shows_colors(), alone, left_out, "--pgn positions")
        self.meter, self.faults = Meter(bytes_of(named)), Faults(show_all=self.notes)
        try:
            more = self._write(questions, query.names, request, kind, most)
        except BaseException as error:
            self._tell_what_is_written(error)
            raise
        if self.count:
            print(self.meter.matches)
        for hint in hints(questions, query) if not self.meter.matches and self.limit != 0 else ():
            tell(hint)
        self._tell_sum(more=more)
        return 0 if self.meter.matches else 1

    # -------------------------------------------------------------------------------------------------- the options

    def _add_likeness(self) -> None:
        """Add a condition: likeness to the position of --like. With --like the first argument may be a source."""
        if self.like is None:
            for name in ("likeness", "either"):
                if self.is_given(name):
                    raise click.BadParameter(f"--{name} says how positions are like that of --like: give --like, too")
            return
        from setwise.corpus.language.names import like

        either = {it.strip().lower().replace("color", "colour") for it in (self.either or "").split(",") if it.strip()}
        if either - {"colour", "wing"}:
            raise click.BadParameter(f"--either is colour, wing or both, separated by a comma, not {self.either!r:.40}")
        condition = like(self.like, self.likeness, either_colour="colour" in either, either_wing="wing" in either)
        self._add(condition)

    def _add_repertoire(self) -> None:
        """Add a condition: the position is in the games of --within."""
        if self.within is not None:
            from setwise.corpus.language.names import condition_within

            self.repertoire = (*self.repertoire, self.within)
            self._add(condition_within(self.within))

    def _add(self, condition: str) -> None:
        """Add a condition; if the first argument is a source, there is no condition to add it to."""
        if is_file(self.where):
            self.where, self.sources = condition, (self.where, *self.sources)
        else:
            self.where = f"({self.where}\n) and ({condition})"

    def _refuse_contradictions(self) -> None:
        """Refuse options that contradict each other."""
        written = "--output" if self.output is not None else "--format" if self.style is not None else ""
        if self.count and written:
            raise click.BadParameter(f"--count prints the number alone: leave out {written}, or --count")
        if self.boards and (self.count or written):
            other = "--count" if self.count else "--format" if self.style is not None else "--output"
            raise click.BadParameter(f"--boards draws on standard output: leave out {other}, or --boards")
        if self.count and self.order_by is not None:
            raise click.BadParameter("--count prints the number alone: leave out --order-by, or --count")
        if self.exercise:
            if self.output is None:
                raise click.BadParameter("--exercise writes a file: name a sheet, a study or cards by -o")
            for name in ("columns", "style", "pgn", "without", "variations", "side", "raw"):
                if self.is_given(name):
                    raise click.BadParameter(f"exercises have a form of their own: leave out --{name}, or --exercise")
            if self.engine is not None:
                raise click.BadParameter("exercises have no columns of an engine: leave out --engine, or --exercise")
        if self.engine is not None and self.count:
            raise click.BadParameter("--count prints the number alone: leave out --engine, or --count")
        if self.is_given("depth") and self.engine is None:
            raise click.BadParameter("--depth is that of --engine: give --engine, too")
        if self.is_given("seed") and self.sample is None:
            raise click.BadParameter("--seed is the seed of --sample: give --sample, too")

    def _write_exercises(self) -> int:
        """Write the matches as exercises with the played moves as solutions; return 0 if there are any matches."""
        from setwise.exercises.training import exercises_of
        from setwise.exercises.writing import check_suffix, write_exercises

        assert self.output is not None  # noqa: S101  (refused before)
        check_suffix(self.output)
        faults = Faults(show_all=self.notes)
        exercises = exercises_of(
            self.where, self._named(), n=self.limit, player=self.player, order_by=self.order_by,
            per_game=self.per_game, sample=self.sample, seed=self.seed, files=self.repertoire,
            threads=self.threads, on_fault=faults, on_hint=tell,
        )  # fmt: skip
        faults.close()
        if not exercises:
            tell("no exercises")
            return 1
        files = write_exercises(exercises, self.output, title=self.where)
        tell(f"{len(exercises):,} exercises written to {', '.join(map(str, files))}")
        return 0

    def _format(self) -> type[Output]:
        """The format of the output; options that the format would ignore are refused."""
        draws = sys.stdout.isatty() if self.boards is None else self.boards
        kind = options.format_of(self.output, self.style, draws=draws)
        # Without an explicit format, options of boards are accepted also where the output is not a terminal.
        by_place = (self.output, self.style, self.boards) == (None, None, None) and not self.count
        refuse_what_is_ignored(self.context, [Boards, Tsv] if by_place else [] if self.count else [kind])
        if self.without is not None and self.pgn == "games" and self.is_given("columns"):
            raise click.BadParameter("--columns says what is marked, and --without leaves the marks out")
        return kind

    def _columns(self) -> list[str] | None:
        """The columns to write, without the columns of an engine: the evaluation adds those."""
        from setwise.corpus.query.finding import without_engine_columns

        names = names_in(self.columns)
        return names if self.engine is None else without_engine_columns(names)

    def _named(self) -> list[Any]:
        """The sources; raises if the output file is among them."""
        from setwise.corpus.sources.places import apart, expanded

        named = sources_in(self.sources, partial=self.partial)
        return named if self.output is None else list(apart(expanded(named, output=self.output), self.output))

    def _left_out(self) -> tuple[str, ...] | None:
        """The parts of games to leave out, besides the marks; None, without --without, if games keep their marks."""
        if self.without is None:
            return None
        from setwise.corpus.pgnfiles.texts import checked_parts

        return checked_parts([part for part in names_in(self.without) or [] if part != "marks"])

    # --------------------------------------------------------------------------------------------------- the search

    def _most(self, kind: type[Output]) -> int | None:
        """The most matches to write: the limit, or the number of boards that a terminal shows."""
        is_short = kind is Boards and not (self.count or self.every) and (self.limit, self.sample) == (None, None)
        return _BOARDS if is_short and sys.stdout.isatty() else self.limit

    def _write(
        self, questions: list[Any], names: PlayerNames, request: Request, kind: type[Output], most: int | None
    ) -> bool:
        """Write or count the matches; return whether there are more matches than boards drawn."""
        from setwise.corpus.query.finding import best_of, sampled

        with ExitStack() as stack:
            stack.callback(self.faults.close)
            evaluates = self._evaluation(stack)
            if any(source.parses_moves for source, _ in questions):
                from setwise.corpus.query.finding import compile_in_background

                columns = ["ply"] if self.count else self._columns()
                stack.enter_context(compile_in_background(self.where, columns, self.load, self.repertoire))
            if not self.count:
                self.file = stack.enter_context(options.opened(self.output, request, kind))
            matches = sampled(self._read(questions, names), self.sample, self.seed)
            ordering = questions[0][1].order if questions else None
            if ordering is not None and self.file is not None:
                if self.engine is None:
                    return self._write_ordered(self.file, matches, ordering, most)
                kept = _UntilError(evaluates(best_of(matches, None if most is None else most + 1)))
                more = self._write_ordered(self.file, kept, ordering, most)
                if kept.error is not None:
                    raise kept.error
                return more
            return self._write_all(matches, most, evaluates)

    def _evaluation(self, stack: ExitStack) -> Callable[[Iterator[BatchResult]], Iterator[BatchResult]]:
        """Return a function that adds an engine's evaluations to matches; without --engine it changes nothing."""
        if self.engine is None:
            return lambda results: results
        from setwise.corpus.query.finding import evaluated, opened_engine

        running = stack.enter_context(opened_engine(self.engine, self.depth))
        show = lambda count: terminal.progress(f"{self.engine} has evaluated {count:,} positions")  # noqa: E731
        counts = itertools.count(1)
        return lambda results: evaluated(results, running, lambda: show(next(counts)))

    def _write_all(
        self,
        found: Iterator[BatchResult],
        most: int | None,
        evaluates: Callable[[Iterator[BatchResult]], Iterator[BatchResult]],
    ) -> bool:
        """Write or count matches in the order of the search; return whether there are more than boards drawn."""
        from setwise.corpus.query.finding import up_to

        more, drawn = False, most if most != self.limit else None
        # Search for one match more than the boards to draw, to know whether there are more.
        for matches in up_to(found, self.limit if drawn is None else drawn + 1):
            shown = matches if drawn is None else matches.first(drawn - self.meter.matches)
            more = shown.matched < matches.matched
            for part in evaluates(iter([shown])):
                if self.file is not None:
                    terminal.clear()
                    self.file.write(part)
                self.meter.matches += part.matched
                self.meter.matched_games += part.matched_games
        return more

    def _write_ordered(self, file: Output, found: Iterable[BatchResult], ordering: Ordering, most: int | None) -> bool:
        """Write matches, the best first; return whether there are more matches than boards drawn."""
        from setwise.corpus.outputs.ordered import write_in_order

        written = write_in_order(file, found, ordering, most, before=terminal.clear)
        self.meter.matches, self.meter.matched_games = written.matches, written.games
        return written.has_more and most != self.limit

    def _read(self, questions: Iterable[Any], names: PlayerNames) -> Iterator[BatchResult]:
        """The result of each batch; faults, names and positions are counted as the results pass."""
        from setwise.corpus.query.search import search

        for result in search(questions, threads=self.threads):
            names.read(result.games)
            self.meter.add(result, self.faults)
            yield result

    # ------------------------------------------------------------------------------------------------- the messages

    def _tell_what_is_written(self, error: BaseException) -> None:
        """After an error, print the number of matches written before, and the file that has them."""
        if self.file is not None and self.file.part is not None:
            tell(f"{_match_count(self.meter)} written before; they are in {self.file.part}")
        elif isinstance(error, KeyboardInterrupt):
            tell(f"{_match_count(self.meter)} {'counted' if self.count else 'written'} before")

    def _tell_sum(self, *, more: bool) -> None:
        """Print the numbers of matches and of positions read; ``more``: there are more matches than boards drawn."""
        meter, matches = self.meter, _match_count(self.meter)
        where = f" written to {self.output}" if self.output is not None else ""
        read = meter.sum()
        if more:
            tell(f"the first {matches} are drawn, and there are more: --all draws them, --count counts them; {read}")
        else:
            tell(f"{matches}{where}; {read}")


class _UntilError:
    """Results until an error, which is stored: matches evaluated before an engine fails are still written in order."""

    def __init__(self, results: Iterator[BatchResult]) -> None:
        self._results = results
        self.error: BaseException | None = None

    def __iter__(self) -> Iterator[BatchResult]:
        try:
            yield from self._results
        except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001  (the caller raises it again)
            self.error = error


def _match_count(meter: Meter) -> str:
    if not meter.matches:
        return "no matches"
    matches = count(meter.matches, "match", "es")
    return f"{matches}{meter.in_games(' in', meter.matched_games)}"


def _way_from_words(where: str) -> str:
    """The end of a message for a condition of mere words: questions that have the words, or the option for a player."""
    import shlex

    from setwise import catalogue

    if not _WORDS.fullmatch(where):
        return ""
    if catalogue.questions(where):
        return f"; `setwise questions {where}` lists lines that ask about {where}"
    return f"; games of a player: `setwise find true --player {shlex.quote(where)}`" if where[0].isupper() else ""
