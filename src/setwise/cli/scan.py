"""The commands scan, index and columns."""

from __future__ import annotations

from pathlib import Path

import click

from setwise.cli import FAILED, completion, options
from setwise.cli.command import Command, option
from setwise.cli.options import names_in, ready, sources_in
from setwise.cli.terminal import Faults, Meter, tell
from setwise.errors import SourceError


class Scan(Command, name="scan"):
    """Write all positions of games with features as Parquet, and tables of the games beside them.

    A directory gets positions/part-….parquet and games/part-….parquet. If the scan is interrupted, finished parts stay,
    and the same command continues after them; it also adds new sources, and rebuilds damaged parts.

    With --verify the sources are scans or indexes. Every byte of their files is read and compared with the recorded
    checksums; of a scan in one file, each page with its own. The exit code is 2 if one is damaged, unfinished or is
    neither; the others are verified all the same. Packed games are refused: their pages have checksums, too, which
    every command that reads them compares.
    """

    sources: tuple[str, ...] = options.sources
    partial: bool = options.partial
    output: Path | None = option(
        "--output", "-o", metavar="PLACE", type=click.Path(path_type=Path),
        help="A directory, in which the same scan can be continued later, or NAME.parquet.",
    )  # fmt: skip
    features: str = option(
        "--features", metavar="NAMES", default="", shell_complete=completion.lists_of_columns,
        help="Features or columns, separated by commas, or all.",
    )  # fmt: skip
    partition_by: str = option(
        "--partition-by", metavar="NAMES", default="", shell_complete=completion.lists_of_columns,
        help="Columns of games that divide the directory: year, eco, result …",
    )  # fmt: skip
    verify: bool = option(
        "--verify", is_flag=True,
        help="Write nothing: the sources are scans or indexes; read every byte, and print each damaged file.",
    )  # fmt: skip
    force: bool = option("--force", is_flag=True, help="Replace another scan in the directory.")
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
        from setwise.corpus.sources.expansion import bytes_of

        named = sources_in(self.sources, partial=self.partial)
        meter = Meter(bytes_of(named))

        faults = Faults()
        try:
            written = scan(
                named,
                self.output,
                features=names_in(self.features) or [],
                partition_by=names_in(self.partition_by) or [],
                variations=self.variations,
                threads=self.threads,
                force=self.force,
                on_batch=meter.read,
                on_fault=faults,
            )
        except KeyboardInterrupt:
            if self.output.suffix.lower() != ".parquet":
                tell(f"the finished parts are in {self.output}; the same command continues the scan")
            raise
        finally:
            faults.close()
        kept = f", {written.kept:,} of them from before" if written.kept else ""
        of_games = f" of {written.games:,} games" if meter.are_of_games else ""
        tell(
            f"{written.positions:,} positions{of_games} in {written.positions_path}{kept}, "
            f"the games in {written.games_path}, in {meter.seconds:.1f} s"
        )
        return 0


class Index(Command, name="index"):
    """Index games: write a folder in which a position is found at once.

    The folder is a source like the PGN that it was made of, and has all of it: games, annotations, variations. Of it,
    find with "key = position_key('FEN')" or "fen = 'FEN'", and tree, read only what they need. With --features, find
    also reads only the games in which a feature occurs, where a condition needs one: "white_royal_fork_squares <> 0".

    The same command again adds new sources, reads changed ones anew, makes damaged files again, and continues after any
    interruption.
    """

    sources: tuple[str, ...] = options.sources
    partial: bool = options.partial
    output: Path = option(
        "--output", "-o", metavar="FOLDER", type=click.Path(path_type=Path), required=True,
        help="The folder of the index, as games.index.",
    )  # fmt: skip
    features: str = option(
        "--features", metavar="NAMES", default="", shell_complete=completion.lists_of_columns,
        help="Features or columns, separated by commas, or all: those to find quickly, in addition to earlier ones.",
    )  # fmt: skip
    force: bool = option("--force", is_flag=True, help="Replace what the folder holds.")
    threads: int | None = options.threads

    def run(self) -> int:
        """Write the index."""
        ready()
        from setwise.corpus.dataset.index import index
        from setwise.corpus.sources.expansion import bytes_of

        named = sources_in(self.sources, partial=self.partial)
        meter, faults = Meter(bytes_of(named)), Faults()
        try:
            written = index(
                named,
                self.output,
                features=names_in(self.features) or [],
                threads=self.threads,
                force=self.force,
                on_batch=meter.read,
                on_fault=faults,
            )
        except KeyboardInterrupt:
            tell(f"the finished parts are in {self.output}; the same command continues the index")
            raise
        finally:
            faults.close()
        kept = f", {written.kept:,} of them from before" if written.kept else ""
        tell(
            f"{written.positions:,} positions of {written.games:,} games in {written.path}{kept}, in "
            f"{meter.seconds:.1f} s"
        )
        return 0


def _verified(scans: tuple[str, ...]) -> int:
    """Print the damaged files of scans, and the sources that are not scans; return 2 if there are any."""
    from setwise.corpus.dataset.verification import lacks_checksums, verify_scan

    damaged = refused = begun = 0
    for scan in sources_in(scans):
        try:
            damages = verify_scan(scan)
        except SourceError as error:
            tell(str(error))
            refused += 1
            continue
        unfinished = sum(damage.fault.startswith("is unfinished") for damage in damages)
        damaged, begun = damaged + len(damages) - unfinished, begun + unfinished
        for damage in damages:
            print(damage)
        if lacks_checksums(scan):
            tell(f"the manifest of {scan} has no checksums of its lines; the command that wrote it adds them")
    if begun:
        tell(f"{begun:,} of {len(scans):,} unfinished; the command that wrote it, over the same sources, goes on")
    if damaged:
        files, them = ("1 file is", "it") if damaged == 1 else (f"{damaged:,} files are", "them")
        tell(f"{files} damaged; the command that wrote {them}, over the same sources, makes {them} anew")
    elif not refused and not begun:
        tell("every file is as it was written")
    return FAILED if damaged or refused or begun else 0


class Columns(Command, name="columns"):
    """List the columns that conditions, --columns and --features know."""

    load: tuple[str, ...] = options.load

    def run(self) -> None:
        """Print the columns."""
        ready(self.load)
        from setwise.corpus.columns import columns

        meanings = columns()
        width = max(map(len, meanings))
        for name, meaning in meanings.items():
            print(f"{name:<{width}}  {meaning}")
