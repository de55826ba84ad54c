"""Where results go: the format that options or a file's name select, and the file or standard output."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from setwise.cli import terminal
from setwise.corpus import outputs
from setwise.corpus.outputs import Boards, Output, Request
from setwise.errors import did_you_mean

__all__ = ["format_of", "opened"]


def format_of(
    output: Path | None, style: str | None, *, draws: bool = False, table: bool = False, rows: bool = False
) -> type[Output]:
    """Return the output format.

    Args:
        output: the output file, if any; its suffix determines the format, unless ``style`` does.
        style: the name of the format, if the user has named one.
        draws: whether the default is drawn boards.
        table: whether the default on a terminal is a table.
        rows: whether the format must accept rows of any table, not only positions.
    """
    if output is not None and (style is None or output.is_dir()):
        return outputs.format_of(output, rows=rows)
    if style is not None:
        known = outputs.by_name(rows=rows)
        if style not in known:
            raise click.BadParameter(
                f"there is no format {style!r:.40} here: there are {', '.join(known)}{did_you_mean(style, known)}"
            )
        return known[style]
    if draws:
        return Boards
    return outputs.by_name()["table" if table and sys.stdout.isatty() else "tsv"]


@contextmanager
def opened(output: Path | None, request: Request, kind: type[Output]) -> Iterator[Any]:
    """Yield an output in a format: to a file, or to standard output."""
    if output is not None:
        with outputs.opened(output, request, kind) as file:
            yield file
        return
    file = kind(terminal.results(drawn=kind.is_drawn), request)
    try:
        yield file
    finally:
        file.close()
