"""The command web."""

from __future__ import annotations

import click

from setwise.cli import options
from setwise.cli.terminal import tell
from setwise.errors import SetwiseError, SourceError


@click.command("web")
@options.sources
@click.option(
    "--host",
    metavar="HOST",
    default="127.0.0.1",
    show_default=True,
    help="The address to listen on; all but loopback addresses need a token.",
)
@click.option("--port", metavar="N", type=click.IntRange(1, 65535), help="The port; by default 8642, or any free one.")
@click.option("--open/--no-open", "opens", default=True, help="Open a browser.")
@options.load
def web_command(sources: tuple[str, ...], host: str, port: int | None, opens: bool, load: tuple[str, ...]) -> None:
    """Open the workbench in a browser: a board with every pattern, sets as numbers, searches of the SOURCEs.

    Sources are as for find, by default the example games; a file can be dropped on the page, too. Only this machine has
    access, unless --host names another address; then the URL contains a token. The command needs the extra: pip install
    'setwise[web]'.
    """
    try:
        from setwise.web.server import serve
    except ModuleNotFoundError as error:
        raise SetwiseError(f"the workbench needs {error.name}: pip install 'setwise[web]'") from None
    serve(list(sources) or _examples(), host=host, port=port, opens=opens, own=list(load), tell=tell)


def _examples() -> list[str]:
    """The example games, if they are installed."""
    from setwise.cli.demo import example_games, near

    try:
        return [near(example_games())]
    except SourceError:
        return []
