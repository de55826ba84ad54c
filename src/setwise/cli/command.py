"""A command is a class with its options as attributes; also messages for misplaced arguments and unknown commands."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from inspect import get_annotations
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import click
from click.core import ParameterSource

from setwise.errors import QueryError

# ------------------------------------------------------------------------------------------- the base class of commands


#: The commands that are imported so far, by name.
COMMANDS: dict[str, click.Command] = {}


class _Parameter(NamedTuple):
    """An option or argument; the attribute that holds it says the name and, by its annotation, the type."""

    kind: type[click.Parameter]
    names: list[str]
    attributes: dict[str, Any]

    def of(self, name: str, annotation: str) -> click.Parameter:
        """Return click's parameter for an attribute with this name and annotation, which is a text."""
        usual: dict[str, Any] = {}
        is_option, default = self.kind is click.Option, self.attributes.get("default")
        if is_option and "bool" in annotation and "/" not in "".join(self.names):
            usual["is_flag"] = True
        if annotation.startswith("tuple"):
            usual |= {"multiple": True} if is_option else {"nargs": -1}
        if "Path" in annotation:
            usual["type"] = click.Path(path_type=Path)
        if default and default is not True:
            usual["show_default"] = True
        return self.kind([name, *self.names], **(usual | self.attributes))


def option(spelled: str, meaning: str, *, least: int | None = None, **attributes: Any) -> Any:
    """Return an option of a command.

    The annotation of the attribute says the type: ``bool`` means a flag, a tuple that the option is repeatable.

    Args:
        spelled: the names, and the word that stands for the value in the help, as in ``--limit -n N``.
        meaning: the help.
        least: the smallest value of a number.
        attributes: anything else, as for ``click.option``.
    """
    words = spelled.split()
    names = [word for word in words if word.startswith("-")]
    ranges = {} if least is None else {"type": click.IntRange(min=least)}
    metavar = " ".join(words[len(names) :]) or None
    return _Parameter(click.Option, names, {"help": meaning, "metavar": metavar, **ranges, **attributes})


def argument(shown: str, **attributes: Any) -> Any:
    """Return an argument of a command, as the help shows it: brackets mean that it may be left out.

    ``attributes`` are the same as for ``click.argument``.
    """
    return _Parameter(click.Argument, [], {"metavar": shown or None, "required": shown[:1] != "[", **attributes})


class Command(ABC):
    """A command: its attributes are its options and arguments, its docstring is its help, ``run`` does the work.

    The class defines the parameters; an instance has their values in the same attributes. The help, the manual page and
    the completion take the parameters from ``command``.
    """

    command: ClassVar[click.Command]

    def __init_subclass__(cls, *, name: str = "") -> None:
        """Enter the command; a class without a name is the base of several commands."""
        if not name:
            return
        members = {key: (base, it) for base in reversed(cls.__mro__) for key, it in vars(base).items()}
        cls.command = COMMANDS[name] = click.Command(
            name,
            callback=lambda **values: cls(values).run(),
            params=[
                it.of(key, str(get_annotations(base).get(key)))
                for key, (base, it) in members.items()
                if isinstance(it, _Parameter)
            ],
            help=cls.__doc__,
        )

    def __init__(self, values: dict[str, Any]) -> None:
        vars(self).update(values)
        self.context = click.get_current_context()

    def is_given(self, name: str) -> bool:
        """Return whether an option was given on the command line."""
        return self.context.get_parameter_source(name) is ParameterSource.COMMANDLINE

    @abstractmethod
    def run(self) -> int | None:
        """Run the command and return its exit code; None means 0."""


# ---------------------------------------------------------------------------- messages for arguments in the wrong order


#: File names that must be sources, because of their suffix.
_SOURCE = re.compile(r"[^\s'\"<>=]+\.(pgn|fen|epd|csv|tsv|jsonl|parquet)(\.(zst|gz|bz2|xz))?", re.IGNORECASE)
#: The beginning of the address of a source.
_ADDRESS = re.compile(r"[a-z][a-z0-9]+://", re.IGNORECASE)
#: The commands of setwise by the names that other programs use for them.
_OTHER_NAMES = {
    "search": "find", "grep": "find", "filter": "find", "count": "find", "query": "sql", "select": "sql",
    "export": "scan", "draw": "show", "board": "show", "view": "show", "duplicates": "dedupe",
    "unique": "dedupe", "join": "merge", "cat": "merge", "serve": "web", "gui": "web", "server": "web",
    "features": "columns", "list": "patterns", "compile": "warmup", "check": "doctor", "version": "--version",
}  # fmt: skip


def check_order(command: str, question: str, sources: Sequence[str], what: str) -> None:
    """Refuse a file in place of the condition or statement.

    Args:
        command: the name of the command.
        question: the first argument.
        sources: the other arguments.
        what: what the first argument should be, ``CONDITION`` or ``STATEMENT``.

    Raises:
        QueryError: with the corrected command.

    Example:
        >>> check_order("find", "games.pgn", ["is_check"], "CONDITION")
        Traceback (most recent call last):
        setwise.errors.QueryError: games.pgn is a file: setwise find CONDITION FILE: setwise find is_check games.pgn
    """
    words = [source for source in sources if not is_file(source)]
    alone = not sources and Path(question).suffix  # for example the folder games.index
    if not _SOURCE.fullmatch(question) and not (_exists(question) and (alone or (sources and words == list(sources)))):
        return
    import shlex

    condition = shlex.quote(words[0]) if words else '"…"'
    files = shlex.join([question, *(source for source in sources if source not in words[:1])])
    right = f"setwise {command} {condition} {files}"
    raise QueryError(f"{question} is a file: setwise {command} {what} FILE: {right}")


def is_file(source: str) -> bool:
    """Return whether an argument is the name of a source rather than a condition."""
    return source == "-" or bool(_SOURCE.fullmatch(source) or _ADDRESS.match(source)) or _exists(source)


def _exists(name: str) -> bool:
    try:
        return Path(name).exists()
    except (OSError, ValueError):  # a long condition is not a valid file name
        return False


def no_command(name: str, known: Iterable[str]) -> str:
    """Return the message for a command that does not exist."""
    import difflib
    import shlex

    if is_file(name):
        return f'{name} is a file, and a command comes first: setwise find "…" {shlex.quote(name)}'
    other = _OTHER_NAMES.get(name.lower())
    near = [other] if other else difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f"there is no command {name!r:.40}" + (f"; did you mean setwise {near[0]}?" if near else "")
