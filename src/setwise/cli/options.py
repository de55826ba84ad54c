"""Options that several commands have, and what every command does before its work."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Annotated, Any

import typer

from setwise.cli import terminal
from setwise.errors import SourceError, did_you_mean

__all__ = ["Color", "Format", "Load", "Raw", "Sources", "Threads", "names_in", "one_of", "ready", "sources_in"]


def one_of(*known: str) -> Callable[[str | None], str | None]:
    """Return what refuses every value of an option but these."""

    def checked(value: str | None) -> str | None:
        if value is not None and value not in known:
            raise typer.BadParameter(f"{value!r:.40} is none of {', '.join(known)}{did_you_mean(value, known)}")
        return value

    return checked


def _choose_colors(when: str) -> str:
    one_of("auto", "always", "never")(when)
    terminal.choose_colors(when)
    return when


Sources = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[SOURCE]...",
        help="PGN files, plain or .zst .gz .bz2 .xz, folders and patterns of names; lists of FENs or EPDs; CSV, JSON "
        "lines and Parquet with a column fen; scans. - is standard input.",
        show_default=False,
    ),
]
Threads = Annotated[
    int | None, typer.Option("--threads", min=1, help="How many; else one a processor.", show_default=False)
]
Load = Annotated[
    list[str] | None,
    typer.Option(
        "--load", metavar="FILE.py|MODULE", help="Load patterns of your own first; repeatable.", show_default=False
    ),
]
Format = Annotated[
    str | None,
    typer.Option(
        "--format", metavar="FORMAT", help="table csv tsv jsonl markdown; of positions also fen epd pgn.",
        show_default=False,
    ),
]  # fmt: skip
Raw = Annotated[bool, typer.Option("--raw", help="Write sets as numbers, not as squares.")]
Color = Annotated[
    str, typer.Option("--color", metavar="auto|always|never", callback=_choose_colors, help="When to use colours.")
]


def ready(load: Iterable[str] | None = None) -> None:
    """Load patterns of others' own, and have it told when something compiles."""
    from setwise.compiler import cache

    cache.announce = terminal.announce
    from setwise.features import own

    own.load_installed()
    for name in load or ():
        own.load(name)


def sources_in(sources: list[str] | None) -> list[str]:
    """Return what is to be read: standard input, when nothing is named and something is piped in."""
    if sources:
        return sources
    if sys.stdin.isatty():
        raise SourceError("name a PGN file to read, or pipe one in")
    return ["-"]


def names_in(columns: str | None) -> list[str] | None:
    """Return the names in a list with commas; those within ``tag('…')`` are part of the name."""
    return [name.strip() for name in columns.split(",") if name.strip()] if columns else None


def refuse(sentence: str) -> Any:
    """Raise the error of options that make no sense."""
    raise typer.BadParameter(sentence)
