"""The command ``setwise``: one program, its commands, and how it fails."""

from __future__ import annotations

import contextlib
import errno
import gc
import io
import os
import re
import signal
import sys
import threading
from typing import Any

import click

from setwise import __version__
from setwise.cli import INTERRUPTED, TERMINATED, terminal
from setwise.cli.catalogue import explain_command, patterns_command, table_command
from setwise.cli.completion import completion_command
from setwise.cli.demo import demo_command
from setwise.cli.doctor import doctor_command
from setwise.cli.find import find_command
from setwise.cli.manual import man_command
from setwise.cli.misplaced import no_command
from setwise.cli.scan import columns_command, scan_command
from setwise.cli.single import perft_command, show_command, warmup_command
from setwise.cli.sql import sql_command
from setwise.cli.terminal import tell
from setwise.cli.texts import dedupe_command, merge_command, sort_command, split_command
from setwise.cli.web import web_command
from setwise.errors import QueryError, SetwiseError
from setwise.system.processes import NEEDED, address_space, spare_address_space

__all__ = ["app", "run", "watch_interrupts"]


class _Interrupted(Exception):
    """Ctrl-C, for which click would print an empty line."""


class _InOrder(click.Group):
    """Commands in the order in which they are told of."""

    def list_commands(self, context: click.Context) -> list[str]:
        """Return their names."""
        return list(self.commands)

    def invoke(self, context: click.Context) -> Any:
        """Run the command."""
        try:
            return super().invoke(context)
        except KeyboardInterrupt:
            raise _Interrupted from None
        finally:  # a command may end well when it is interrupted, as a server does
            _is_heard()

    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the arguments begin with; ``help`` stands for ``--help``."""
        if args[0] == "help" and not context.resilient_parsing:
            args = [*args[1:2], "--help"]
            if args == ["--help"]:
                click.echo(context.get_help())
                context.exit()
        if args[0] not in self.commands and not args[0].startswith("-") and not context.resilient_parsing:
            raise click.UsageError(no_command(args[0], self.commands))
        return super().resolve_command(context, args)


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


def _terminate(*_: object) -> None:
    """End as Ctrl-C does, whatever else is told meanwhile; the code says what it was."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    _ended_by.append(TERMINATED)
    _interrupt()


#: Seconds after which an interrupt that nothing has heard comes again.
_PATIENCE = 0.2
_arrived = threading.Event()


def watch_interrupts() -> None:
    """Have a signal come again that reaches the main thread between two reads from a pipe, and so wakes it from none.

    A thread hears of each signal at once, and repeats what the main thread has not noticed.
    """
    if not hasattr(signal, "pthread_kill"):
        return
    ours, its = os.pipe()
    os.set_blocking(its, False)
    with contextlib.suppress(ValueError):  # signals come to the main thread alone
        signal.set_wakeup_fd(its, warn_on_full_buffer=False)
        threading.Thread(target=_insist, args=(ours,), daemon=True).start()


def _insist(end: int) -> None:
    while signals := os.read(end, 1):
        ours = signal.getsignal(signals[0]) in {_interrupt, _terminate}  # a server has handlers of its own
        if ours and not _arrived.wait(_PATIENCE):
            signal.pthread_kill(threading.main_thread().ident or 0, signals[0])


def _interrupt(*_: object) -> None:
    """Raise ``KeyboardInterrupt``, and again until it is heard: libraries in C clear what is raised meanwhile."""
    _arrived.set()
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, _interrupt_again)
        signal.setitimer(signal.ITIMER_REAL, _PATIENCE, _PATIENCE)
    raise KeyboardInterrupt


def _interrupt_again(*_: object) -> None:
    error = sys.exc_info()[1]
    while error is not None:
        if isinstance(error, KeyboardInterrupt):  # it is on its way: files are being finished
            return
        error = error.__context__
    raise KeyboardInterrupt


def _is_heard() -> None:
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, 0)


_ended_by: list[int] = []

#: New objects after which Python looks for rubbish. With its own 700 that took a fifth of the start, where modules make
#: what stays.
_RUBBISH = 50_000


def run(arguments: list[str]) -> int:
    """Run the command and return its exit code.

    Errors become one sentence on stderr and an exit code, as grep has them: 2 for usage, 1 for data and for nothing
    found, 130 when interrupted.
    """
    gc.set_threshold(_RUBBISH)
    with contextlib.suppress(ValueError):  # signals come to the main thread alone
        signal.signal(signal.SIGTERM, _terminate)
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, _interrupt)
    terminal.settle_output()
    spare_address_space()
    try:
        code: Any = app.main(arguments or ["--help"], prog_name="setwise", standalone_mode=False)
        sys.stdout.flush()
    except (_Interrupted, click.Abort):
        code = _fail("terminated", TERMINATED) if _ended_by else _fail("interrupted", INTERRUPTED)
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
    except io.UnsupportedOperation:
        code = _fail("standard output is closed", 1)
    except OSError as error:
        if _lacks_memory(error):
            return _fail(_without_memory(), 1)
        _close_stdout()
        code = _fail(f"{error.filename or 'the output'}: {error.strerror or error}", 1)
    except click.ClickException as error:
        code = _fail(f"{error.format_message()} (setwise --help tells more)", 2)
    except Exception as error:
        if not _lacks_memory(error):
            raise
        code = _fail(_without_memory(), 1)
    return code or 0


def _close_stdout() -> None:
    """Let what is still on its way to standard output go nowhere: Python would complain at the end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


#: What is said by threads that do not start, and by libraries that find no room.
_NO_MEMORY = re.compile(
    r"can't start new thread|(cannot|failed to) allocate|failed to map segment|bad_alloc|out of memory", re.IGNORECASE
)


def _lacks_memory(error: Exception) -> bool:
    """Whether what is missing is memory, which libraries say in words of their own."""
    if isinstance(error, MemoryError) or getattr(error, "errno", None) == errno.ENOMEM or _NO_MEMORY.search(str(error)):
        return True
    space = address_space()
    return space is not None and space < NEEDED and not isinstance(error, FileNotFoundError | PermissionError)


def _without_memory() -> str:
    """What is missing, and what can be done."""
    space = address_space()
    if space is None:
        return "there is not enough memory: --threads 1 takes least"
    return (
        f"there is not enough memory: this process may have {space >> 20:,} MB of address space (ulimit -v), and a "
        f"search takes {NEEDED >> 20:,} MB or more; raise the limit"
    )


def _fail(sentence: str, code: int) -> int:
    tell(sentence)
    return code
