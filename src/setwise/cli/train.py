"""The command train."""

from __future__ import annotations

from pathlib import Path

import click

from setwise.cli import options, terminal
from setwise.cli.command import Command, option
from setwise.cli.options import ready, sources_in
from setwise.cli.terminal import Faults, tell
from setwise.corpus.outputs import Request
from setwise.errors import QueryError, SourceError
from setwise.view.diagram import count


class Train(Command, name="train"):
    """Make exercises from the chances that a player missed.

    A chance is missed where a fork, a skewer, a discovered attack, a capture or a mate wins two pawns more by force
    than the move played; where the games have evaluations, the chance to win must have dropped, too. -o writes a
    sheet to print (.html), a study for Lichess (.pgn) or cards for Anki (.csv); --report writes a picture that counts
    the missed chances. Without these options the counts are printed.
    """

    sources: tuple[str, ...] = options.sources
    partial: bool = options.partial
    player: str | None = option("--player NAME", "Only chances of this player: a part of the name.")
    motif: str | None = option(
        "--motif NAME",
        "Only this motif: fork, knight-fork, royal-fork, skewer, discovery, capture, mate, back-rank, smothered "
        "…; by default all, mixed by what was missed most.",
    )  # fmt: skip
    number: int = option("--number -n N", "How many at most.", least=1, default=30)
    since: str | None = option("--since DATE", "Only games from this date on, as 2024-05-31.")
    side: str | None = option("--as", "Only chances of this side.", type=click.Choice(["white", "black"]))
    speed: str | None = option("--speed SPEED", "Only bullet, blitz, rapid or classical games, by their time control.")
    output: Path | None = options.to_file(".html .pgn .csv", "Write to a sheet, a study, or cards for Anki")
    title: str | None = option("--title TEXT", "The heading of the sheet, the name of the study.")
    columns: str = option(
        "--columns", "Boards beside each other on a sheet.", type=click.Choice(["2", "3"]), default="2"
    )
    picture: Path | None = option("--report FILE.svg", "Draw the report in numbers.")
    engine: str | None = option(
        "--engine PROGRAM", "Only exercises that an engine agrees with, such as stockfish, by their cost."
    )
    depth: int = option("--depth N", "The depth of --engine.", type=click.IntRange(1, 60), default=14)
    threads: int | None = options.threads

    def run(self) -> int:
        """Write the exercises or the report; return 0 if there are exercises, or, for a report, missed chances."""
        for name in ("title", "columns"):
            if self.is_given(name) and (self.output is None or self.output.suffix.lower() == ".csv"):
                raise click.BadParameter(f"--{name} is about a sheet or a study: name one by -o")
        if self.picture is not None and self.picture.suffix.lower() != ".svg":
            raise click.BadParameter(f"{self.picture} should end in .svg, as the picture is one")
        if self.is_given("depth") and self.engine is None:
            raise click.BadParameter("--depth is that of --engine: give --engine, too")
        ready()
        from setwise.exercises.training import train
        from setwise.exercises.writing import check_suffix, picture, report, write_exercises
        from setwise.system.files import written

        if self.output is not None:
            check_suffix(self.output)
        faults, hints = Faults(), list[str]()
        training = train(
            sources_in(self.sources, partial=self.partial), player=self.player, motif=self.motif, n=self.number,
            since=self.since, side=self.side, speed=self.speed, engine=self.engine, depth=self.depth,
            threads=self.threads, on_hint=hints.append, on_fault=faults, on_progress=self._show_progress,
        )  # fmt: skip
        terminal.clear()
        faults.close()
        if hints:
            raise QueryError(hints[0])
        if not training.games and (self.player, self.since, self.speed, self.side) == (None, None, None, None):
            raise SourceError(
                f"there are no games in {' '.join(self.sources) or 'standard input'}: name a file of games"
            )
        of = f" of {self.player}" if self.player else ""
        missed = count(len(training.missed), "missed chance") if training.missed else "no missed chance"
        read = f"{missed}{of} in {count(len(training.games), 'game')}"
        title = self.title or (f"Missed by {self.player}" if self.player else "Missed chances")
        if self.picture is not None:
            with written(self.picture) as file:
                file.write(picture(training, title).encode())
            tell(f"{read}; drawn in {self.picture}")
        if self.output is not None:
            if not training.exercises:
                tell(f"no exercise of this kind: {read}")
                return 1
            files = write_exercises(training.exercises, self.output, title=title, columns=int(self.columns))
            tell(f"{len(training.exercises)} exercises written to {', '.join(map(str, files))}; {read}")
        elif self.picture is None and not training.missed:
            tell(read)
        elif self.picture is None:
            table = report(training)
            kind = options.format_of(None, None, table=True)
            with options.opened(None, Request(table.schema), kind) as printed:
                printed.write_table(table)
            tell(f"{read}; -o sheet.html makes exercises")
        return 0 if training.missed else 1

    def _show_progress(self, tried: int, total: int) -> None:
        terminal.progress(f"{self.engine} has tried {tried} of {total} exercises")
