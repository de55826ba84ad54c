"""The command man: the manual page, made of the same texts as the help."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import typer

from setwise import __version__

__all__ = ["add_to", "page"]

_EXITS = (
    ("0", "Something was found, or all went well."),
    ("1", "Nothing was found, or data or files are not what they should be."),
    ("2", "The command line or the condition makes no sense."),
    ("130", "Interrupted."),
)
_ENVIRONMENT = (
    ("NO_COLOR", "Switches colours off."),
    ("SETWISE_CACHE_DIR", "The folder for machine code, which is compiled once."),
)


def add_to(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command("man")(man_command)


def man_command(context: typer.Context) -> None:
    """Print the manual page; `setwise man | man -l -` shows it."""
    print(page(context.find_root().command))


def page(command: Any) -> str:
    """Return the manual page of a command with all its own commands, as troff."""
    lines = [
        f'.TH SETWISE 1 "" "setwise {__version__}" "User Commands"',
        ".SH NAME",
        "setwise \\- chess bitboard patterns",
        ".SH SYNOPSIS",
        ".B setwise",
        "COMMAND [OPTIONS] [ARGUMENTS]",
        ".SH DESCRIPTION",
        _plain(command.help),
        ".SH COMMANDS",
    ]
    for name, it in command.commands.items():
        lines += _command(name, it)
    for heading, rows in (("EXIT STATUS", _EXITS), ("ENVIRONMENT", _ENVIRONMENT)):
        lines.append(f".SH {heading}")
        for name, meaning in rows:
            lines += [".TP", f".B {_plain(name)}", _plain(meaning)]
    return "\n".join(lines)


def _command(name: str, command: Any) -> Iterator[str]:
    arguments = [it for it in command.params if it.param_type_name == "argument"]
    options = [it for it in command.params if it.param_type_name == "option"]
    shown = " ".join([it.make_metavar(typer.Context(command)) for it in arguments])
    yield from (f".SS setwise {name} [OPTIONS] {_plain(shown)}".rstrip(), _paragraphs(command.help or ""))
    for it in arguments:
        if it.help:
            yield from (".TP", f".I {_plain(it.make_metavar(typer.Context(command)))}", _plain(it.help))
    for it in options:
        names = ", ".join([*it.opts, *it.secondary_opts])
        value = "" if it.is_flag else f" {it.metavar or it.type.name.upper()}"
        yield from (".TP", f".B {_plain(names)}{_plain(value)}", _plain(it.help or ""))


def _paragraphs(text: str) -> str:
    return "\n.PP\n".join(_plain(" ".join(part.split())) for part in text.split("\n\n"))


def _plain(text: str) -> str:
    """A text that troff leaves as it is."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{text}" if text[:1] in {".", "'"} else text
