"""Commands in this process: their exit codes, and what they print."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

from helpers.data import FAMOUS_GAMES
from setwise.cli import main

__all__ = ["GAMES", "SETWISE", "Ran", "Run", "running", "the_sentence", "windows_has_none"]

GAMES = str(FAMOUS_GAMES)
#: How a process of its own begins.
SETWISE = [sys.executable, "-m", "setwise"]


def windows_has_none(what: str) -> pytest.MarkDecorator:
    """Skip a test of what Windows lacks."""
    return pytest.mark.skipif(sys.platform == "win32", reason=f"there are no {what} on Windows")


class Ran(tuple[object, str, str]):
    """(exit code, stdout, stderr) of a command."""

    __slots__ = ()


#: What runs a command with some arguments.
Run = Callable[..., Ran]


def running(capsys: pytest.CaptureFixture[str]) -> Run:
    """What runs commands whose output is captured."""

    def run(*arguments: str) -> Ran:
        with pytest.raises(SystemExit) as leaving:
            main(list(arguments))
        out, err = capsys.readouterr()
        return Ran((leaving.value.code, out, err))

    return run


def the_sentence(err: str) -> str:
    """The one line of an error, past the note that something compiles."""
    [line] = [line for line in err.splitlines() if "compiling for this machine" not in line]
    return line
