"""The command ``setwise``: one program, its commands, and how it fails."""

from __future__ import annotations

import functools
import os
import sys
from typing import Annotated, Any

import typer

from setwise import __version__
from setwise.cli import catalogue, corpus, single
from setwise.compiler import cache
from setwise.errors import QueryError, SetwiseError

__all__ = ["app", "main"]

app = typer.Typer(
    name="setwise",
    help="Chess bitboard patterns, from one position to every game ever played.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for commands in (corpus, single, catalogue):
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


#: What Typer makes of Ctrl-C.
_INTERRUPTED = 130


@functools.cache
def _announce_once() -> None:
    """Tell that something compiles, since the first run of a new installation takes its time."""
    print("setwise: compiling for this machine, once; later runs start at once.", file=sys.stderr, flush=True)


def main(arguments: list[str] | None = None) -> None:
    """Run the command; errors become one sentence on stderr and the exit code 2 (usage) or 1 (data)."""
    cache.announce = lambda name: _announce_once()
    try:
        code: Any = app(arguments, standalone_mode=False)
        if code == _INTERRUPTED:
            code = _fail("interrupted; what was written before is whole", 1)
    except (BrokenPipeError, SystemExit):
        # The reader has seen enough (``setwise find … | head``), for which Typer would leave with 1.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    except QueryError as error:
        code = _fail(str(error), 2)
    except SetwiseError as error:
        code = _fail(str(error), 1)
    except MemoryError:
        code = _fail("there is not enough memory", 1)
    except OSError as error:
        code = _fail(f"{error.filename or 'the system'}: {error.strerror or error}", 1)
    except Exception as error:
        if not hasattr(error, "format_message"):
            raise
        code = _fail(f"{error.format_message()} (setwise --help tells more)", 2)
    sys.exit(code or 0)


def _fail(sentence: str, code: int) -> int:
    print(f"setwise: {sentence}", file=sys.stderr)
    return code
