"""Options that several commands have, and what every command does before its work."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from setwise.cli import terminal
from setwise.corpus.formats import COUNT, FORMATS, Format, formats_with
from setwise.errors import SourceError

__all__ = [
    "chess960", "color", "is_given", "load", "names_in", "of_formats", "raw", "ready", "refuse_what_is_ignored", "side",
    "sources", "sources_in", "style", "threads", "to_file", "without",
]  # fmt: skip


def _choose_colors(context: click.Context, option: click.Parameter, when: str) -> str:
    terminal.choose_colors(when)
    return when


sources = click.argument("sources", metavar="[SOURCE]...", nargs=-1)
threads = click.option("--threads", metavar="N", type=click.IntRange(min=1), help="How many; else one a processor.")
load = click.option(
    "--load", metavar="FILE.py|MODULE", multiple=True, help="Load patterns of your own first; repeatable."
)
raw = click.option("--raw", is_flag=True, help="Write sets as numbers, not as squares.")
side = click.option(
    "--side", type=click.Choice(["white", "black", "mover"]), default="white", show_default=True,
    help="Whose side of a board is below.",
)  # fmt: skip
color = click.option(
    "--color", type=click.Choice(["auto", "always", "never"]), default="auto", callback=_choose_colors,
    expose_value=False, help="When to use colours; auto: on a terminal.", show_default=True,
)  # fmt: skip
without = click.option(
    "--without", metavar="PARTS", help="Leave out of games comments, variations, nags, tags (all but the usual seven)."
)
chess960 = click.option("--chess960", is_flag=True, help="Castling as in Chess960; seen by itself in Shredder-FEN.")


_SUFFIXES = " ".join(it.suffix for it in FORMATS.values())


def to_file(names: str = _SUFFIXES, what: str = "Write to a file, whose name says how") -> Any:
    """Return the option that names a file, whose name ends in one of some suffixes."""
    return click.option("--output", "-o", metavar="FILE", type=click.Path(path_type=Path), help=f"{what}: {names}")


def style(*, positions: bool = True) -> Any:
    """Return the option that names a format: any that standard output may have, or one of those of rows."""
    shown = [it for it in FORMATS.values() if not it.is_for_files]
    rows, others = (" ".join(it.name for it in shown if it.is_of_rows is of_rows) for of_rows in (True, False))
    return click.option(
        "--format", "style", metavar="FORMAT", help=f"{rows}; of positions also {others}." if positions else f"{rows}."
    )


def of_formats(option: str) -> str:
    """Return the end of an option's help: the formats that understand it."""
    return f"({' '.join(formats_with(option))})"


#: The options that some formats understand and others do not.
_NAMES = {name: f"--{name}" for name in ("columns", "raw", "side", "pgn", "without")}


def is_given(context: click.Context, name: str) -> bool:
    """Return whether an option stands on the command line."""
    return context.get_parameter_source(name) is ParameterSource.COMMANDLINE


def refuse_what_is_ignored(context: click.Context, formats: Iterable[Format]) -> None:
    """Refuse an option that is given, and that the format would ignore.

    Args:
        context: of the command.
        formats: the format that is chosen; where none is, those that a terminal and a pipe have.

    Raises:
        click.BadParameter: with the formats that understand the option.
    """
    formats = list(formats)
    for name, option in _NAMES.items():
        if is_given(context, name) and not any(name in it.options for it in formats):
            if formats == [COUNT]:
                raise click.BadParameter(f"--count prints the number alone: leave out {option}, or --count")
            chosen = " or ".join(it.name for it in formats)
            known = ", ".join(formats_with(name))
            raise click.BadParameter(f"{chosen} cannot hold what {option} says: the formats that can are {known}")


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
