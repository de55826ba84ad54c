"""The command ``setwise``: one program, its commands, and how it fails."""

from __future__ import annotations

import os
import sys
from typing import Annotated, Any

import typer

from setwise import __version__
from setwise.cli import catalogue, find, manual, scan, single
from setwise.cli.terminal import tell
from setwise.errors import QueryError, SetwiseError

__all__ = ["app", "main"]

app = typer.Typer(
    name="setwise",
    help="Chess bitboard patterns, from one position to every game ever played.",
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for commands in (find, scan, single, catalogue, manual):
    commands.add_to(app)


def _show_version(asked: bool) -> None:
    if asked:
        print(f"setwise {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _options(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        print(context.get_help())


#: What Typer makes of Ctrl-C, and what shells expect of whoever is interrupted.
_INTERRUPTED = 130


def main(arguments: list[str] | None = None) -> None:
    """Run the command.

    Errors become one sentence on stderr and an exit code, as grep has them: 2 for usage, 1 for data and for nothing
    found, 130 when interrupted.
    """
    try:
        code: Any = app(arguments, prog_name="setwise", standalone_mode=False)
        if code == _INTERRUPTED:
            code = _fail("interrupted", _INTERRUPTED)
    except (BrokenPipeError, SystemExit):
        # The reader has seen enough (``setwise find … | head``), for which Typer would leave with 1.
        _close_stdout()
        code = 0
    except QueryError as error:
        code = _fail(str(error), 2)
    except SetwiseError as error:
        code = _fail(str(error), 1)
    except MemoryError:
        code = _fail("there is not enough memory", 1)
    except OSError as error:
        _close_stdout()
        code = _fail(f"{error.filename or 'the output'}: {error.strerror or error}", 1)
    except Exception as error:
        if not hasattr(error, "format_message"):
            raise
        code = _fail(f"{error.format_message()} (setwise --help tells more)", 2)
    sys.exit(code or 0)


def _close_stdout() -> None:
    """Let what is still on its way to standard output go nowhere: Python would complain at the end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _fail(sentence: str, code: int) -> int:
    tell(sentence)
    return code
