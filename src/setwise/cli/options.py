"""Options that several commands have, and what every command does before its work."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from setwise.cli import terminal
from setwise.errors import SourceError

__all__ = [
    "chess960", "color", "load", "names_in", "raw", "ready", "side", "sources", "sources_in", "style", "threads",
    "to_file", "without",
]  # fmt: skip


def _choose_colors(context: click.Context, option: click.Parameter, when: str) -> str:
    terminal.choose_colors(when)
    return when


sources = click.argument("sources", metavar="[SOURCE]...", nargs=-1)
threads = click.option("--threads", metavar="N", type=click.IntRange(min=1), help="How many; else one a processor.")
load = click.option(
    "--load", metavar="FILE.py|MODULE", multiple=True, help="Load patterns of your own first; repeatable."
)
style = click.option(
    "--format", "style", metavar="FORMAT", help="table csv tsv jsonl markdown; of positions also fen epd pgn."
)
raw = click.option("--raw", is_flag=True, help="Write sets as numbers, not as squares.")
side = click.option(
    "--side", type=click.Choice(["white", "black", "mover"]), default="white", help="Who is below.", show_default=True
)
color = click.option(
    "--color", type=click.Choice(["auto", "always", "never"]), default="auto", callback=_choose_colors,
    expose_value=False, help="When to use colours; auto: on a terminal.", show_default=True,
)  # fmt: skip
without = click.option(
    "--without", metavar="PARTS", help="Leave out of games comments, variations, nags, tags (all but the usual seven)."
)
chess960 = click.option("--chess960", is_flag=True, help="Castling as in Chess960; seen by itself in Shredder-FEN.")


def to_file(names: str, what: str = "Write to a file, whose name says how") -> Any:
    """Return the option that names a file, whose name ends in one of some suffixes."""
    return click.option("--output", "-o", metavar="FILE", type=click.Path(path_type=Path), help=f"{what}: {names}")


class _NoPandas:
    """An importer that finds no pandas."""

    @staticmethod
    def find_spec(name: str, *_: object) -> None:
        """Refuse pandas; others may know the rest."""
        if name == "pandas":
            raise ImportError("it is not needed here")


def _without_pandas() -> None:
    """Let Arrow settle that there is no pandas: importing that takes as long as all the rest, for nothing here."""
    import pyarrow as pa

    sys.meta_path.insert(0, _NoPandas)
    try:
        pa.array([])  # the first of these looks for pandas, once
    finally:
        sys.meta_path.remove(_NoPandas)


def ready(own: Iterable[str] = ()) -> None:
    """Load patterns of somebody's own, and have it told when something compiles."""
    _without_pandas()
    from setwise.compiler import cache

    cache.announce = terminal.announce
    from setwise.features.own import load, load_installed

    load_installed()
    for name in own:
        load(name)


def sources_in(named: Iterable[str]) -> list[str]:
    """Return what is to be read: standard input, when nothing is named and something is piped in."""
    if names := list(named):
        return names
    if sys.stdin is None or sys.stdin.isatty():
        raise SourceError("name a PGN file to read, or pipe one in")
    return ["-"]


def names_in(columns: str | None) -> list[str] | None:
    """Return the names in a list with commas."""
    return [name.strip() for name in (columns or "").split(",") if name.strip()] or None
