"""Shell completion of columns, in conditions and in lists of columns, and of formats."""

from __future__ import annotations

import re

import click
from click.shell_completion import get_completion_class

from setwise.cli.command import Command, argument
from setwise.corpus.outputs import by_name

__all__ = ["Completion", "conditions", "formats", "formats_of_rows", "lists_of_columns"]

_LAST_WORD = re.compile(r"\w*\Z")


def _names() -> list[str]:
    from setwise.corpus.columns import columns

    return list(columns())


def conditions(context: click.Context, argument: click.Parameter, incomplete: str) -> list[str]:
    """Return the condition once for each column that completes its last word."""
    last = _LAST_WORD.search(incomplete)
    word = last[0] if last else ""
    before = incomplete.removesuffix(word)
    return [before + name for name in _names() if name.startswith(word)] if word else []


def lists_of_columns(context: click.Context, option: click.Parameter, incomplete: str) -> list[str]:
    """Return the list of columns, separated by commas, once for each column that completes its last name."""
    before, comma, word = incomplete.rpartition(",")
    return [before + comma + name for name in _names() if name.startswith(word.strip())]


def formats(context: click.Context, option: click.Parameter, incomplete: str) -> list[str]:
    """Return the names of the formats that begin so."""
    return [name for name in by_name() if name.startswith(incomplete)]


def formats_of_rows(context: click.Context, option: click.Parameter, incomplete: str) -> list[str]:
    """Return the names of the formats of rows that begin so."""
    return [name for name in by_name(rows=True) if name.startswith(incomplete)]


class Completion(Command, name="completion"):
    """Print the script with which a shell completes commands, options and columns.

    Put `eval "$(setwise completion bash)"` into ~/.bashrc, the same with zsh into ~/.zshrc, and
    `setwise completion fish | source` into ~/.config/fish/config.fish.
    """

    shell: str = argument(type=click.Choice(["bash", "zsh", "fish"]))

    def run(self) -> None:
        """Print the script."""
        completion = get_completion_class(self.shell)
        if completion is not None:
            print(completion(self.context.find_root().command, {}, "setwise", "_SETWISE_COMPLETE").source())
