"""The commands web and demo."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import click

import setwise
from setwise.cli import options
from setwise.cli.command import Command, option
from setwise.cli.terminal import tell
from setwise.errors import SetwiseError, SourceError

# ------------------------------------------------------------------------------------------------------ the command web


class Web(Command, name="web"):
    """Open the workbench in a browser: a board with every pattern, sets as numbers, searches of the SOURCEs.

    Sources are as for find, by default the example games; a file can be dropped on the page, too. Only this machine has
    access, unless --host names another address; then the URL contains a token. The command needs the extra: pip install
    'setwise[web]'.
    """

    sources: tuple[str, ...] = options.sources
    partial: bool = options.partial
    host: str = option(
        "--host HOST", "The address to listen on; all but loopback addresses need a token.", default="127.0.0.1"
    )
    port: int | None = option("--port N", "The port; by default 8642, or any free one.", type=click.IntRange(1, 65535))
    opens: bool = option("--open/--no-open", "Open a browser.", default=True)
    load: tuple[str, ...] = options.load
    engine: str | None = option(
        "--engine PROGRAM", "The engine that the board may switch on; by default stockfish, if it is here."
    )

    def run(self) -> None:
        """Serve until interrupted."""
        try:
            from setwise.web.server import serve
        except ModuleNotFoundError as error:
            raise SetwiseError(f"the workbench needs {error.name}: pip install 'setwise[web]'") from None
        from setwise.corpus.storage.layout import Partial

        named = [*map(Partial if self.partial else str, self.sources)] or _examples()
        serve(
            named, host=self.host, port=self.port, opens=self.opens, own=list(self.load), engine=self.engine, tell=tell
        )


def _examples() -> list[str]:
    """The example games, if they are installed."""
    try:
        return [near(example_games())]
    except SourceError:
        return []


# -------------------------------------------------------- the command demo: the main commands, run on the example games


_POSITION = "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4"
_GAMES = "famous_games.pgn"

_COMMANDS = (
    ("find", "own_safe_royal_fork_squares <> 0", _GAMES, "--limit", "3", "--boards"),
    ("find", "black_pawn_islands >= 3", _GAMES, "--count"),
    ("sql", "select white_name, count(*) as checks from positions where is_check group by all order by 2 desc limit 5",
     _GAMES),
    ("show", _POSITION, "-f", "mates_in_one"),
    ("perft", "5"),
)  # fmt: skip


class Demo(Command, name="demo"):
    """Run the main commands on the example games: each command, and its output."""

    def run(self) -> None:
        """Print and run each command."""
        group = self.context.find_root().command
        games = near(example_games())
        for command in _COMMANDS:
            arguments = [games if it == _GAMES else it for it in command]
            click.secho(f"$ setwise {shlex.join(arguments)}\n", bold=True)
            group.main(arguments, prog_name="setwise", standalone_mode=False)
            click.echo()


def near(path: Path) -> str:
    """Return a path relative to the current folder if possible; on Windows the path may be on another drive."""
    try:
        return os.path.relpath(path)
    except ValueError:
        return str(path)


def example_games() -> Path:
    """Return the path of the example games: inside a package that was built, or beside the package in a checkout.

    Raises:
        SourceError: if the games are in neither place.
    """
    package = Path(setwise.__file__).parent
    for folder in (package, package.parents[1]):
        if (games := folder / "examples" / _GAMES).is_file():
            return games
    raise SourceError(f"{_GAMES} is not part of this installation; use any PGN file instead: setwise find … FILE.pgn")
