"""The command web."""

from __future__ import annotations

import click

from setwise.cli import options
from setwise.cli.command import Command, option
from setwise.cli.terminal import tell
from setwise.errors import SetwiseError, SourceError


class Web(Command, name="web"):
    """Open the workbench in a browser: a board with every pattern, sets as numbers, searches of the SOURCEs.

    Sources are as for find, by default the example games; a file can be dropped on the page, too. Only this machine has
    access, unless --host names another address; then the URL contains a token. The command needs the extra: pip install
    'setwise[web]'.
    """

    sources: tuple[str, ...] = options.sources
    partial: bool = options.partial
    host: str = option(
        "--host", metavar="HOST", default="127.0.0.1", show_default=True,
        help="The address to listen on; all but loopback addresses need a token.",
    )  # fmt: skip
    port: int | None = option(
        "--port", metavar="N", type=click.IntRange(1, 65535), help="The port; by default 8642, or any free one."
    )
    opens: bool = option("--open/--no-open", default=True, help="Open a browser.")
    load: tuple[str, ...] = options.load

    def run(self) -> None:
        """Serve until interrupted."""
        try:
            from setwise.web.server import serve
        except ModuleNotFoundError as error:
            raise SetwiseError(f"the workbench needs {error.name}: pip install 'setwise[web]'") from None
        from setwise.corpus.storage.layout import Partial

        named = [*map(Partial if self.partial else str, self.sources)] or _examples()
        serve(named, host=self.host, port=self.port, opens=self.opens, own=list(self.load), tell=tell)


def _examples() -> list[str]:
    """The example games, if they are installed."""
    from setwise.cli.demo import example_games, near

    try:
        return [near(example_games())]
    except SourceError:
        return []
