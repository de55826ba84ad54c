"""The command man: the manual page, generated from the texts of the help."""

from __future__ import annotations

from collections.abc import Iterator

import click

from setwise import __version__
from setwise.cli.command import Command

__all__ = ["Man", "page"]

_EXITS = (
    ("0", "There are matches, or the command succeeded."),
    ("1", "There are no matches: no positions, rows, moves, duplicates or missed chances."),
    ("2", "There is an error: wrong usage, a wrong condition, data that are bad, damaged or unfinished."),
    ("130", "Interrupted."),
    ("143", "Terminated."),
)
_ENVIRONMENT = (
    ("NO_COLOR", "Switches colours off."),
    ("SETWISE_CACHE_DIR", "The folder for compiled machine code."),
    ("SETWISE_SYZYGY", "Folders of Syzygy's tables, which say who wins with up to seven pieces."),
    ("SETWISE_TABLEBASE", "The folder of setwise's own tables of up to four pieces."),
)


class Man(Command, name="man"):
    """Print the manual page; `setwise man | man -l -` shows it."""

    def run(self) -> None:
        """Print the page."""
        print(page(self.context.find_root().command))


def page(command: click.Command) -> str:
    """Return the manual page of a command and its subcommands, as troff."""
    lines = [
        f'.TH SETWISE 1 "" "setwise {__version__}" "User Commands"',
        ".SH NAME",
        "setwise \\- chess bitboard patterns",
        ".SH SYNOPSIS",
        ".B setwise",
        "COMMAND [OPTIONS] [ARGUMENTS]",
        ".SH DESCRIPTION",
        _plain(command.help or ""),
        ".SH COMMANDS",
    ]
    for name, it in getattr(command, "commands", {}).items():
        lines += _command(name, it)
    for heading, rows in (("EXIT STATUS", _EXITS), ("ENVIRONMENT", _ENVIRONMENT)):
        lines.append(f".SH {heading}")
        for name, meaning in rows:
            lines += [".TP", f".B {_plain(name)}", _plain(meaning)]
    return "\n".join(lines)


def _command(name: str, command: click.Command) -> Iterator[str]:
    arguments = " ".join(
        it.metavar or it.human_readable_name for it in command.params if isinstance(it, click.Argument)
    )
    yield from (f".SS setwise {name} [OPTIONS] {_plain(arguments)}".rstrip(), _paragraphs(command.help or ""))
    for it in command.params:
        if isinstance(it, click.Option):
            names = ", ".join([*it.opts, *it.secondary_opts])
            choices = "|".join(it.type.choices) if isinstance(it.type, click.Choice) else ""
            value = "" if it.is_flag else f" {it.metavar or choices}"
            yield from (".TP", f".B {_plain(names)}{_plain(value)}", _plain(it.help or ""))


def _paragraphs(text: str) -> str:
    return "\n.PP\n".join(_plain(" ".join(part.split())) for part in text.split("\n\n"))


def _plain(text: str) -> str:
    """A text, escaped for troff."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{text}" if text[:1] in {".", "'"} else text
