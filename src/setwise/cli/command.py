"""The base class of commands: a class for each command, a line for each of its options."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, NamedTuple

import click
from click.core import ParameterSource

__all__ = ["COMMANDS", "Command", "argument", "option"]

#: The commands that are imported so far, by name.
COMMANDS: dict[str, click.Command] = {}


class _Parameter(NamedTuple):
    """An option or argument, before the class that has it as an attribute gives it its name."""

    kind: type[click.Parameter]
    names: tuple[str, ...]
    attributes: dict[str, Any]


def option(*names: str, **attributes: Any) -> Any:
    """Return an option of a command; the attributes are those of ``click.option``."""
    return _Parameter(click.Option, names, attributes)


def argument(**attributes: Any) -> Any:
    """Return an argument of a command; the attributes are those of ``click.argument``."""
    return _Parameter(click.Argument, (), attributes)


class Command(ABC):
    """A command: its attributes are its options and arguments, its docstring is its help, ``run`` does the work.

    The class defines the parameters; an instance has their values in the same attributes. The help, the manual page and
    the completion take the parameters from ``command``.
    """

    command: ClassVar[click.Command]

    def __init_subclass__(cls, *, name: str) -> None:
        members = {key: it for base in reversed(cls.__mro__) for key, it in vars(base).items()}
        parameters = {key: it for key, it in members.items() if isinstance(it, _Parameter)}
        cls.command = COMMANDS[name] = click.Command(
            name,
            callback=lambda **values: cls(values).run(),
            params=[it.kind([key, *it.names], **it.attributes) for key, it in parameters.items()],
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
