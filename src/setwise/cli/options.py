"""Options that several commands share, and the setup at the start of each command."""

from __future__ import annotations

import glob
import re
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from setwise.cli import terminal
from setwise.cli.command import Command, argument, option
from setwise.corpus import outputs
from setwise.corpus.outputs import OUTPUTS, Boards, Output, Request, by_name, by_suffix, names_with
from setwise.errors import SourceError, did_you_mean
from setwise.system.packages import announced, import_arrow_without_pandas

# -------------------------------------------------------------- shell completion of columns and functions in conditions


_LAST_WORD = re.compile(r"\w*\Z")
#: The beginning of a file name in a condition.
_FILE = re.compile(r"\b(?:within|leaves)\('(?P<file>[^']*)\Z", re.IGNORECASE)


def _names() -> list[str]:
    from setwise.corpus.columns import columns

    return list(columns())


def conditions(context: click.Context, argument: click.Parameter, incomplete: str) -> list[str]:
    """Return completions of a condition: its last word completed to each column or function, or to each file name.

    If --repertoire stands before the condition, only the files of that option complete it.
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
    from setwise.corpus.language.functions import vocabulary

    names = [*_names(), *(f"{name}(" for name in vocabulary())]
    return [before + name for name in names if name.startswith(word)]


def _files(beginning: str) -> list[str]:
    """The files and folders whose names begin with a text, as conditions name them."""
    names = sorted(glob.glob(f"{glob.escape(beginning)}*"))  # noqa: PTH207  (the name may begin anywhere)
    return [f"{name}/" if Path(name).is_dir() else f"{name}')" for name in names]


def lists_of_columns(context: click.Context, option: click.Parameter, incomplete: str) -> list[str]:
    """Return completions of a list of columns: its last name completed to each column that begins with it."""
    before, comma, word = incomplete.rpartition(",")
    return [before + comma + name for name in _names() if name.startswith(word.strip())]


def formats(context: click.Context, option: click.Parameter, incomplete: str) -> list[str]:
    """Return the names of the formats that begin with the incomplete word."""
    return [name for name in by_name() if name.startswith(incomplete)]


def formats_of_rows(context: click.Context, option: click.Parameter, incomplete: str) -> list[str]:
    """Return the names of the formats of rows that begin with the incomplete word."""
    return [name for name in by_name(rows=True) if name.startswith(incomplete)]


class Completion(Command, name="completion"):
    """Print the script with which a shell completes commands, options and columns.

    Put `eval "$(setwise completion bash)"` into ~/.bashrc, the same with zsh into ~/.zshrc, and
    `setwise completion fish | source` into ~/.config/fish/config.fish.
    """

    shell: str = argument("", type=click.Choice(["bash", "zsh", "fish"]))

    def run(self) -> None:
        """Print the script."""
        from click.shell_completion import get_completion_class

        completion = get_completion_class(self.shell)
        if completion is not None:
            print(completion(self.context.find_root().command, {}, "setwise", "_SETWISE_COMPLETE").source())


# ---------------------------------------------------------------------------------- options that several commands share


def _choose_colors(context: click.Context, parameter: click.Parameter, when: str) -> str:
    terminal.choose_colors(when)
    return when


def _use_aliases(context: click.Context, parameter: click.Parameter, file: str | None) -> None:
    loaded = sys.modules.get("setwise.corpus.columns.openings")
    if file is not None:
        ready()
        from setwise.corpus.columns import openings as loaded
    if loaded is not None:
        loaded.use_aliases(file)


sources = argument("[SOURCE]...")
threads = option("--threads N", "The number of threads; by default one for each processor.", least=1)
load = option("--load FILE.py|MODULE", "Load patterns of your own first; repeatable.")
raw = option("--raw", "Write sets as numbers, not as squares.")
repertoire = option(
    "--repertoire FILE", "A file that within('FILE') and leaves('FILE') may name; repeatable.", type=click.Path()
)
aliases = option(
    "--aliases FILE",
    "Names of one player in each line, with tabs between: one player for player('…') and white_player.",
    type=click.Path(), callback=_use_aliases, expose_value=False,
)  # fmt: skip
side = option(
    "--side", "The side at the bottom of a board.", type=click.Choice(["white", "black", "mover"]), default="white"
)
color = option(
    "--color", "When to use colours; auto: on a terminal.",
    type=click.Choice(["auto", "always", "never"]), default="auto", callback=_choose_colors, expose_value=False,
)  # fmt: skip
without = option("--without PARTS", "Leave out of games comments, variations, nags, tags (all but the usual seven).")
variations = option("--variations", "Read the lines in parentheses of PGN, too, as rows.")
notes = option("--notes", "List all games that break off, and all words that are read as others.")
partial = option("--partial", "Read an unfinished scan or index as far as it is.")
chess960 = option("--chess960", "Castling as in Chess960; Shredder-FEN implies it.")


def to_file(names: str = " ".join(by_suffix()), what: str = "Write to a file; its suffix selects the format") -> Any:
    """Return the option for an output file, whose suffix selects the format."""
    return option("--output -o FILE", f"{what}: {names}")


def style(*, positions: bool = True) -> Any:
    """Return the option for a format: any format for standard output, or only the formats of rows."""
    rows = by_name(rows=True)
    shown, others = " ".join(rows), " ".join(name for name in by_name() if name not in rows)
    meaning = f"{shown}; of positions also {others}." if positions else f"{shown}."
    return option("--format FORMAT", meaning, shell_complete=formats if positions else formats_of_rows)


def of_formats(name: str) -> str:
    """Return the end of an option's help: the formats that support the option."""
    return f"({' '.join(names_with(name))})"


def refuse_what_is_ignored(context: click.Context, formats: Iterable[type[Output]]) -> None:
    """Refuse an option that the format would ignore.

    Args:
        context: the command's context.
        formats: the chosen format, or the default formats for a terminal and for a pipe; none for --count.

    Raises:
        click.BadParameter: with the formats that support the option.
    """
    formats = list(formats)
    for name in dict.fromkeys(name for it in OUTPUTS for name in sorted(it.options)):
        named = f"--{name}"
        is_given = context.get_parameter_source(name) is ParameterSource.COMMANDLINE
        if is_given and not any(name in it.options for it in formats):
            if not formats:
                raise click.BadParameter(f"--count prints the number alone: leave out {named}, or --count")
            chosen = " or ".join(it.name for it in formats)
            known = ", ".join(names_with(name))
            raise click.BadParameter(f"{chosen} cannot hold what {named} says: the formats that can are {known}")


def ready(own: Sequence[str] = ()) -> None:
    """Load the user's own patterns, and make the terminal show when a function compiles."""
    import_arrow_without_pandas()
    from setwise.compiler import cache

    cache.announce = terminal.announce
    warnings.showwarning = lambda message, *_: terminal.tell(str(message))
    if own or announced():
        from setwise.features.own import load, load_installed

        load_installed()
        for name in own:
            load(name)


def sources_in(named: Iterable[str], *, partial: bool = False) -> list[str]:
    """Return the sources to read: the named ones, or standard input if none is named and it is not a terminal.

    With ``partial``, of unfinished scans and indexes the finished part is read.
    """
    if names := list(named):
        if partial:
            from setwise.corpus.storage.layout import Partial

            names = [*map(Partial, names)]
        return names
    if sys.stdin is None or sys.stdin.isatty():
        raise SourceError("name a PGN file to read, or pipe one in")
    return ["-"]


def names_in(columns: str | None) -> list[str] | None:
    """Return the names or expressions in a list separated by commas; commas in parentheses and quotes separate none."""
    if columns is None or "(" not in columns:
        separated: Iterable[str] = (columns or "").split(",")
    else:
        from setwise.corpus.query.ordering import parts

        separated = parts(columns)
    return [name.strip() for name in separated if name.strip()] or None


# ----------------------------------------------------------------------------------------------------- where results go


def format_of(
    output: Path | None, style: str | None, *, draws: bool = False, table: bool = False, rows: bool = False
) -> type[Output]:
    """Return the output format.

    Args:
        output: the output file, if any; its suffix determines the format if ``style`` is None.
        style: the name of the format, if the user has named one.
        draws: whether the default is drawn boards.
        table: whether the default on a terminal is a table.
        rows: whether the format must accept rows of any table, not only positions.
    """
    if output is not None and (style is None or output.is_dir()):
        return outputs.format_of(output, rows=rows)
    if style is not None:
        return format_named(style, outputs.by_name(rows=rows))
    if draws:
        return Boards
    return outputs.by_name()["table" if table and sys.stdout.isatty() else "tsv"]


def format_named(style: str, known: Mapping[str, type[Output]], where: str = "here") -> type[Output]:
    """Return the format with a name; raises ``BadParameter``, which lists the known names, for any other name."""
    if style not in known:
        near = did_you_mean(style, known)
        raise click.BadParameter(f"there is no format {style!r:.40} {where}: there are {', '.join(known)}{near}")
    return known[style]


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
