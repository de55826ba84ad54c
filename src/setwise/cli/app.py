"""The command ``setwise``: one program, its commands, and how it fails."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import sys
from typing import Any

import click

from setwise import __version__
from setwise.cli import terminal
from setwise.cli.catalogue import explain_command, patterns_command, table_command
from setwise.cli.completion import completion_command
from setwise.cli.demo import demo_command
from setwise.cli.doctor import doctor_command
from setwise.cli.find import find_command, sql_command
from setwise.cli.manual import man_command
from setwise.cli.scan import columns_command, scan_command
from setwise.cli.single import perft_command, show_command, warmup_command
from setwise.cli.terminal import tell
from setwise.cli.texts import dedupe_command, merge_command, sort_command, split_command
from setwise.cli.web import web_command
from setwise.errors import QueryError, SetwiseError

__all__ = ["app", "main"]


class _InOrder(click.Group):
    """Commands in the order in which they are told of."""

    def list_commands(self, context: click.Context) -> list[str]:
        """Return their names."""
        return list(self.commands)


@click.group(
    "setwise", cls=_InOrder, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.version_option(__version__, message="setwise %(version)s", help="Print the version.")
def app() -> None:
    """Chess bitboard patterns, from one position to every game ever played."""


for command in (
    find_command, sql_command, scan_command, columns_command, dedupe_command, sort_command, split_command,
    merge_command, show_command, perft_command, patterns_command, explain_command, table_command, web_command,
    demo_command, doctor_command, warmup_command, completion_command, man_command,
):  # fmt: skip
    app.add_command(command)

#: What shells expect of whoever is interrupted, and of whoever is told to end.
_INTERRUPTED, _TERMINATED = 130, 143


def _terminate(*_: object) -> None:
    """End as Ctrl-C does, whatever else is told meanwhile; the code says what it was."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    _ended_by.append(_TERMINATED)
    raise KeyboardInterrupt


_ended_by: list[int] = []

#: New objects after which Python looks for rubbish. With its own 700 that took a fifth of the start, where modules make
#: what stays.
_RUBBISH = 50_000


def main(arguments: list[str] | None = None) -> None:
    """Run the command.

    Errors become one sentence on stderr and an exit code, as grep has them: 2 for usage, 1 for data and for nothing
    found, 130 when interrupted.
    """
    if not (sys.argv[1:] if arguments is None else arguments):
        arguments = ["--help"]
    gc.set_threshold(_RUBBISH)
    with contextlib.suppress(ValueError):  # signals come to the main thread alone
        signal.signal(signal.SIGTERM, _terminate)
    terminal.buffer_stdout()
    try:
        code: Any = app.main(arguments, prog_name="setwise", standalone_mode=False)
        sys.stdout.flush()
    except click.Abort:
        code = _fail("terminated", _TERMINATED) if _ended_by else _fail("interrupted", _INTERRUPTED)
    except (BrokenPipeError, SystemExit) as leaving:
        # The reader has seen enough (``setwise find … | head``), for which click would leave with 1; or a shell has
        # been told what to complete.
        if getattr(leaving, "code", 1):
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
    except click.ClickException as error:
        code = _fail(f"{error.format_message()} (setwise --help tells more)", 2)
    sys.exit(code or 0)


def _close_stdout() -> None:
    """Let what is still on its way to standard output go nowhere: Python would complain at the end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _fail(sentence: str, code: int) -> int:
    tell(sentence)
    return code
