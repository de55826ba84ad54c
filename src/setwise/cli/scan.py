"""The commands on many games: scans and indexes, and the texts of games.

``scan`` and ``index`` write stores; ``verify``, ``repair`` and ``upgrade`` check and mend them; ``columns`` lists the
columns that they know; ``dedupe``, ``sort``, ``split``, ``merge``, ``pack`` and ``unpack`` write games. Each command
passes its options to the Python function of the same name, with callbacks that count positions and print games that
break off, and reports at the end what was done. After an interruption, ``scan`` and ``index`` can continue: their
message tells the user to repeat the command. The commands on texts share their options and counters (``_OfTexts``);
without ``--output`` they write to standard output.
"""

from __future__ import annotations

from abc import abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from setwise.cli import options, terminal
from setwise.cli.command import Command, argument, option
from setwise.cli.options import names_in, ready, sources_in
from setwise.cli.terminal import Faults, Meter, tell
from setwise.errors import FAILED, SourceError
from setwise.view.diagram import count

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import IO

    from setwise.corpus.dataset.damage import Verified


# --------------------------------------------------------------------------------- the commands scan, index and columns


class Scan(Command, name="scan"):
    """Write all positions of games with features as Parquet, and tables of the games beside them.

    A directory gets positions/part-….parquet and games/part-….parquet. If the scan is interrupted, finished parts stay,
    and the same command continues after them; it also adds new sources, and rebuilds damaged parts. Without sources, it
    reads those that the directory has; if the directory is an index, the games in it are scanned.

    With --verify the sources are scans or indexes, which are verified as `setwise verify` does.
    """

    sources: tuple[str, ...] = options.sources
    partial: bool = options.partial
    output: Path | None = option(
        "--output -o PLACE", "A directory, in which the same scan can be continued later, or NAME.parquet."
    )
    features: str = option(
        "--features NAMES", "Features or columns, separated by commas, or all.",
        default="", shell_complete=options.lists_of_columns,
    )  # fmt: skip
    partition_by: str = option(
        "--partition-by NAMES", "Columns of games that divide the directory: year, eco, result …",
        default="", shell_complete=options.lists_of_columns,
    )  # fmt: skip
    index: bool = option("--index", "Write an index into the directory, too, while the games are read.")
    verify: bool = option(
        "--verify", "Write nothing: verify the sources, which are scans or indexes, as `setwise verify` does."
    )
    force: bool = option("--force", "Replace another scan in the directory.")
    variations: bool = options.variations
    threads: int | None = options.threads
    load: tuple[str, ...] = options.load

    def run(self) -> int:
        """Write the scan, or verify scans."""
        if self.verify:
            return _verified(self.sources)
        if self.output is None:
            raise click.UsageError("--output says where the scan goes: a directory, or NAME.parquet")
        ready(self.load)
        from setwise.corpus.dataset.scan import scan

        more = {"variations": self.variations, "index": self.index, "partition_by": names_in(self.partition_by) or []}
        written, meter = _filled(self, self.output, scan, **more)
        of_games = f" of {written.games:,} games" if meter.are_of_games else ""
        tell(
            f"{written.positions:,} positions{of_games} in {written.positions_path}{_kept(written)}, "
            f"the games in {written.games_path}, in {meter.seconds:.1f} s"
        )
        return 0


class Index(Command, name="index"):
    """Index games: write a folder in which a position is found at once.

    The folder is a source like the PGN that it was made of, and contains all of that PGN: games, annotations,
    variations. From such a source, tree and find with "key = position_key('FEN')" or "fen = 'FEN'" read only the games
    that they need. With --features, find also reads only the games in which a feature occurs, if the condition requires
    that feature: "white_royal_fork_squares <> 0".

    The same command again adds new sources, reads changed sources anew, rebuilds damaged files, and continues after any
    interruption. Without sources, it reads those that the folder has. A folder of a scan becomes an index, too.
    """

    sources: tuple[str, ...] = options.sources
    partial: bool = options.partial
    output: Path = option("--output -o FOLDER", "The folder of the index, as games.index.", required=True)
    features: str = option(
        "--features NAMES",
        "Features or columns, separated by commas, or all: those to find quickly, in addition to earlier ones.",
        default="", shell_complete=options.lists_of_columns,
    )  # fmt: skip
    force: bool = option("--force", "Replace what the folder holds.")
    threads: int | None = options.threads

    def run(self) -> int:
        """Write the index."""
        ready()
        from setwise.corpus.dataset.index import index

        written, meter = _filled(self, self.output, index)
        tell(
            f"{written.positions:,} positions of {written.games:,} games in {written.path}{_kept(written)}, in "
            f"{meter.seconds:.1f} s"
        )
        return 0


def _filled(command: Scan | Index, output: Path, write: Callable[..., Any], **more: Any) -> tuple[Any, Meter]:
    """Write a scan or an index, and return what was written, and the counters.

    If no source is named, the sources are those of the folder, if it has some.
    """
    from setwise.corpus.sources.places import bytes_of
    from setwise.corpus.storage.layout import MANIFEST

    is_there = (output / MANIFEST).is_file() and not command.force
    named = [] if is_there and not command.sources else sources_in(command.sources, partial=command.partial)
    meter, faults = Meter(bytes_of(named)), Faults()
    try:
        written = write(
            named, output, features=names_in(command.features) or [], threads=command.threads, force=command.force,
            on_batch=meter.read, on_fault=faults, **more,
        )  # fmt: skip
    except KeyboardInterrupt:
        if output.suffix.lower() != ".parquet":
            tell(f"the finished parts are in {output}; the same command continues the {write.__name__}")
        raise
    finally:
        faults.close()
    return written, meter


def _kept(written: Any) -> str:
    return f", {written.kept:,} of them from before" if written.kept else ""


#: The exit code for a store that is damaged; an unfinished one has the code of an error.
_DAMAGED = 3

_stores = argument("FOLDER...")


class Verify(Command, name="verify"):
    """Compare scans and indexes with their logs, in both directions, and print what is wrong.

    Every byte of every file is read. For each folder a line says that it is whole, or unfinished, or which files are
    damaged, missing, or in no line of the log. The exit code is 0 if all are whole, 2 if one is unfinished or is not a
    scan or an index, 3 if one is damaged. NAME.parquet, a scan of one file, is verified by the checksums of its pages.
    """

    folders: tuple[str, ...] = _stores

    def run(self) -> int:
        """Print what is wrong."""
        return _verified(self.folders)


class Repair(Command, name="repair"):
    """Make damaged scans and indexes whole again, as far as possible; write files of games in the words of PGN.

    A log that was lost is written again from the files of the folder; the damaged log stays beside it as
    manifest.jsonl.damaged. Files that are damaged or missing are made again: from the packed games of an index, else
    from the sources, which must be where they were, and unchanged. What is still wrong is printed as by verify, with
    the same exit codes.

    Of a file of games, figurines, letters of other languages, results, signs, tags and boards become those of PGN, in
    UTF-8, and all else stays as it is, also games that break off; the file itself does not change. Each change is
    listed with its place, and so is each game that still breaks off.
    """

    folders: tuple[str, ...] = argument("FOLDER|FILE...")
    output: Path | None = option("--output -o FILE", "Write the games of files to a file; else to standard output.")
    threads: int | None = options.threads

    def run(self) -> int:
        """Repair the folders, and print what is still wrong; or write the games of files."""
        ready()
        from setwise.corpus.dataset.repair import repair

        files = [it for it in self.folders if not Path(it).is_dir() and not it.endswith(".parquet")]
        if not files:
            if self.output is not None:
                raise click.BadParameter("a scan or an index is repaired in its place: leave out --output")
            return _told(self.folders, lambda folder: repair(folder, threads=self.threads))
        if len(files) < len(self.folders):
            raise click.BadParameter("repair either folders or files of games")
        from setwise.game.games import repair_pgn

        faults = Faults(show_all=True)
        repair_pgn(files, self.output or terminal.results(), on_fault=faults)
        faults.close()
        return 0


class Upgrade(Command, name="upgrade"):
    """Convert indexes of an older form, which had packed games in games/ and runs in positions/.

    Files are only renamed. Such an index is read without this, too, but cannot grow.
    """

    folders: tuple[str, ...] = _stores

    def run(self) -> None:
        """Convert the folders."""
        from setwise.corpus.dataset.repair import upgrade

        for folder in self.folders:
            tell(f"{folder} is {'converted' if upgrade(folder) else 'in the present form already'}")


def _verified(folders: tuple[str, ...]) -> int:
    """Verify stores, print what is wrong and how to mend it, and return the exit code."""
    from setwise.corpus.dataset.damage import verify

    code = _told(folders, verify)
    if code == _DAMAGED:
        tell("`setwise repair` makes again what it can")
    return code


def _told(folders: tuple[str, ...], found: Callable[[str], Verified]) -> int:
    """Print what is found about each folder, and return the exit code."""
    code = 0
    for folder in folders:
        try:
            it = found(folder)
        except SourceError as error:
            tell(str(error))
            code = max(code, FAILED)
            continue
        for damage in it.damages:
            print(damage)
        if not it.damages:
            print(f"{folder} is {it}")
        if it.left_over:
            tell(f"{folder} has {count(len(it.left_over), 'file')} left over, which the next writing removes")
        code = max(code, _DAMAGED if it.damages else 0 if it.is_whole else FAILED)
    return code


class ListColumns(Command, name="columns"):
    """List the columns that conditions, --columns and --features know: all, or those with some words.

    A column has a word if the word, in the singular or the plural, is in its name or its meaning.
    """

    words: tuple[str, ...] = argument("[WORD]...")
    load: tuple[str, ...] = options.load

    def run(self) -> None:
        """Print the columns; the exit code is 1 if there are none."""
        ready(self.load)
        from setwise.corpus.columns import columns

        words = [word.removesuffix("s") for word in " ".join(self.words).lower().split()]
        meanings = {
            name: meaning for name, meaning in columns().items()
            if all(word in f"{name} {name.replace('_', ' ')} {meaning}".lower() for word in words)
        }  # fmt: skip
        if not meanings:
            from setwise.corpus.lexicon import way_of

            way = way_of(" ".join(self.words)) or ": `setwise explain` and `setwise questions` know more words"
            tell(f"no column has {' and '.join(self.words)}{way}")
            self.context.exit(1)
        width = max(map(len, meanings))
        for name, meaning in meanings.items():
            print(f"{name:<{width}}  {meaning}")
        if self.words:
            from setwise.corpus.lexicon import has_word, way_of

            if has_word(phrase := " ".join(self.words)):
                tell(f"{phrase}{way_of(phrase)}")


# ----------------------------------------- the commands on the texts of games: dedupe, sort, split, merge, pack, unpack


class _OfTexts(Command):
    """A command on texts of games: the options that such commands share, and counters.

    ``write`` does the work and returns what was done, for the line that is printed at the end.
    """

    sources: tuple[str, ...] = options.sources
    partial: bool = options.partial
    output: Path | None = option(
        "--output -o FILE", "Write to a file that ends in .pgn or .pgn.zst; else to standard output."
    )
    without: str | None = options.without
    threads: int | None = options.threads

    code = 0

    def run(self) -> int:
        """Write games, and print one line: what was done, the output file, and the time."""
        ready()
        from setwise.corpus.sources.places import bytes_of

        self.named = sources_in(self.sources, partial=self.partial)
        meter, faults = Meter(bytes_of(self.named)), Faults()
        self.listeners: dict[str, Any] = {"threads": self.threads, "on_batch": meter.read, "on_fault": faults}
        try:
            done = self.write()
        finally:
            faults.close()
        where = f", written to {self.output}" if self.output is not None else ""
        broken = f"; {faults.count:,} break off and are kept as they are" if faults.count else ""
        tell(f"{meter.games:,} games read{done}{where}, in {meter.seconds:.1f} s{broken}")
        return self.code

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments that the functions of such commands share."""
        return {"without": names_in(self.without) or [], **self.listeners}

    @property
    def place(self) -> Path | IO[bytes]:
        """The output: the named file, or standard output."""
        return terminal.results() if self.output is None else self.output

    @abstractmethod
    def write(self) -> str:
        """Do the work of the command."""


class Dedupe(_OfTexts, name="dedupe"):
    """Remove duplicate games, by moves and players.

    Games of all sources are compared. The games that are kept are copied byte for byte, in the order of the sources.
    Games that break off or have no moves are duplicates only if their whole texts are equal. Sources are read twice;
    the memory that is used does not grow with their size.

    With --list the exit code is 0 if there are duplicates, 1 if there are none.
    """

    by: str = option(
        "--by NAMES",
        "What duplicates share besides the moves: players, moves (nothing else), or columns of games: "
        "players,date.",
        default="players",
    )  # fmt: skip
    keep: str = option(
        "--keep WHICH",
        "Which duplicate is kept: first, longest (a game cut short is a duplicate, too), best-annotated.",
        default="first",
    )  # fmt: skip
    lists: bool = option("--list", "List the duplicates instead, by --format or the name of --output.")
    style: str | None = options.style(positions=False)

    def write(self) -> str:
        """Write the games that are kept, or list the duplicates."""
        if self.style is not None and not self.lists:
            raise click.BadParameter("--format is how --list writes the duplicates; games are written as PGN")
        if self.without is not None and self.lists:
            raise click.BadParameter("--without is for games that are written, and --list writes none")
        from setwise.corpus.pgnfiles.duplicates import dedupe

        if self.lists:
            listed = self._list()
            self.code = 0 if listed else 1
            return f", {listed:,} duplicates"
        by = names_in(self.by) or []
        done = dedupe(self.named, self.place, by=by, keep=self.keep, **self.arguments)  # type: ignore[arg-type]
        return f", {done.kept:,} kept, {done.duplicates:,} duplicates left out"

    def _list(self) -> int:
        """Write a row for each duplicate, and return how many there are."""
        from setwise.corpus.outputs import Request
        from setwise.corpus.pgnfiles.duplicates import LISTED, listed

        kind = options.format_of(self.output, self.style, table=True, rows=True)
        by, number = names_in(self.by) or [], 0
        tables = listed(self.named, by=by, keep=self.keep, **self.listeners)  # type: ignore[arg-type]
        with options.opened(self.output, Request(LISTED), kind) as file:
            for table in tables:
                if table.num_rows:
                    terminal.clear()
                    file.write_table(table)
                    number += table.num_rows
        return number


class Sort(_OfTexts, name="sort"):
    """Sort games by columns.

    Each game is copied byte for byte. Texts are sorted alphabetically, missing values come last, and equal games keep
    the order of the sources. Data that do not fit into memory are kept in temporary files.
    """

    by: str = option(
        "--by NAMES", "Columns of games, separated by commas: date, 'white_elo desc', eco, tag('Annotator') …",
        required=True, shell_complete=options.lists_of_columns,
    )  # fmt: skip

    def write(self) -> str:
        """Write the games in order."""
        from setwise.corpus.pgnfiles.texts import sort

        sort(self.named, self.place, self.by, **self.arguments)
        return " and sorted"


class SplitGames(_OfTexts, name="split"):
    """Split games into several files of a folder.

    Each game is copied byte for byte. The folder gets its name once all its files are complete. Games without a value
    of --by go to unknown.pgn.
    """

    output: Path = option("--output -o DIR", "A folder, new or empty.", required=True)
    every: int | None = option("--every N", "Write N games to each file.", least=1)
    by: str | None = option(
        "--by NAME", "A file for each value of a column of games: eco, year, white_name, tag('Annotator') …",
        shell_complete=options.lists_of_columns,
    )  # fmt: skip

    def write(self) -> str:
        """Write the files."""
        from setwise.corpus.pgnfiles.texts import split

        done = split(self.named, self.output, every=self.every, by=self.by, **self.arguments)
        return f" and split into {done.files:,} files"


class Merge(_OfTexts, name="merge"):
    """Write the games of all sources into one file.

    Games keep their order, and each is copied byte for byte.
    """

    def write(self) -> str:
        """Write the games."""
        from setwise.corpus.pgnfiles.texts import merge

        merge(self.named, self.place, **self.arguments)
        return ""


class Pack(_OfTexts, name="pack"):
    """Pack games into Parquet: a row for each game, tags as columns, two bytes for each move.

    The file is a source like PGN for all commands, takes about 1.2 bytes a position, and is read without parsing moves.
    Every batch is unpacked and compared before it is written.
    """

    output: Path = option("--output -o FILE", "Write to a file that ends in .parquet.", required=True)

    def write(self) -> str:
        """Write the games."""
        from setwise.corpus.pgnfiles.packing import pack

        pack(self.named, self.output, **self.arguments)
        return " and packed"


class Unpack(Merge, name="unpack"):
    """Write packed games as PGN.

    These are the games that were packed, with all tags, moves, comments, NAGs, variations and results. The moves of
    each game are in one line.
    """
