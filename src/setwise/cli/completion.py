"""Shell completion of columns and functions in conditions, of columns in lists, and of formats."""

from __future__ import annotations

import glob
import re
from pathlib import Path

import click

from setwise.cli.command import Command, argument
from setwise.corpus.outputs import by_name

__all__ = ["Completion", "conditions", "formats", "formats_of_rows", "lists_of_columns"]

_LAST_WORD = re.compile(r"\w*\Z")
#: The beginning of the name of a file in a condition.
_FILE = re.compile(r"\b(?:within|leaves)\('(?P<file>[^']*)\Z", re.IGNORECASE)


def _names() -> list[str]:
    from setwise.corpus.columns import columns

    return list(columns())


def conditions(context: click.Context, argument: click.Parameter, incomplete: str) -> list[str]:
    """Return the condition once for each column or function that completes its last word, or file that it names.

    Files are those of --repertoire, if it stands before the condition.
    """
    if file := _FILE.search(incomplete):
        before = incomplete[: file.start("file")]
        given = (getattr(context, "params", None) or {}).get("repertoire") or ()
        ways = sorted({*given, *(Path(name).name for name in given)})
        names = [f"{name}')" for name in ways if name.startswith(file["file"])]
        return [f"{before}{name}" for name in (names if given else _files(file["file"]))]
    last = _LAST_WORD.search(incomplete)
    word = last[0] if last else ""
    before = incomplete.removesuffix(word)
    if not word:
        return []
    from setwise.corpus.language.vocabulary import VOCABULARY

    names = [*_names(), *(f"{name}(" for name in VOCABULARY)]
    return [before + name for name in names if name.startswith(word)]


def _files(beginning: str) -> list[str]:
    """The files and folders whose names begin so, as conditions name them."""
    names = sorted(glob.glob(f"{glob.escape(beginning)}*"))  # noqa: PTH207  (the name may begin anywhere)
    return [f"{name}/" if Path(name).is_dir() else f"{name}')" for name in names]


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
        from click.shell_completion import get_completion_class

        completion = get_completion_class(self.shell)
        if completion is not None:
            print(completion(self.context.find_root().command, {}, "setwise", "_SETWISE_COMPLETE").source())
