"""What a shell offers when somebody presses TAB: columns, where a condition or a list of them is written."""

from __future__ import annotations

import re

import click
from click.shell_completion import get_completion_class

__all__ = ["completion_command", "conditions", "lists_of_columns"]

_LAST_WORD = re.compile(r"\w*\Z")


def _names() -> list[str]:
    from setwise.corpus.columns import COLUMNS

    return list(COLUMNS)


def conditions(context: click.Context, argument: click.Parameter, incomplete: str) -> list[str]:
    """Return a condition with its last word completed in every way that makes it a column."""
    last = _LAST_WORD.search(incomplete)
    word = last[0] if last else ""
    before = incomplete.removesuffix(word)
    return [before + name for name in _names() if name.startswith(word)] if word else []


def lists_of_columns(context: click.Context, option: click.Parameter, incomplete: str) -> list[str]:
    """Return a list with commas whose last name is completed."""
    before, comma, word = incomplete.rpartition(",")
    return [before + comma + name for name in _names() if name.startswith(word.strip())]


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion_command(context: click.Context, shell: str) -> None:
    """Print what makes a shell complete commands, options and columns.

    Put `eval "$(setwise completion bash)"` into ~/.bashrc, the same with zsh into ~/.zshrc, and
    `setwise completion fish | source` into ~/.config/fish/config.fish.
    """
    made = get_completion_class(shell)
    if made is not None:
        print(made(context.find_root().command, {}, "setwise", "_SETWISE_COMPLETE").source())
