"""The command ``setwise``: its group of commands, its errors and signals, and its manual page.

The group imports the module of a command when the command is looked up (``_MODULES``). ``run`` turns every exception of
a command into one sentence and an exit code: errors of setwise, of the system, of click, a lack of memory, a closed
pipe. Ctrl-C and SIGTERM raise ``KeyboardInterrupt``, and are repeated until the exception arrives, because C libraries
may clear the exception, and because a signal that comes just before a read does not end the read. After the first
interrupt the command closes its files; a second interrupt during that time is ignored. The manual page is built from
the texts of the help.
"""

from __future__ import annotations

import contextlib
import errno
import importlib
import io
import os
import re
import signal
import sys
import threading
from collections.abc import Iterator, MutableMapping
from typing import Any

import click

from setwise import __version__
from setwise.cli import terminal
from setwise.cli.command import COMMANDS, Command, no_command
from setwise.cli.terminal import tell
from setwise.errors import FAILED, INTERRUPTED, TERMINATED, SetwiseError
from setwise.system.processes import NEEDED, address_space, spare_address_space

# -------------------------------------------------------------------------------------------------- the command setwise


class _Interrupted(Exception):
    """Replaces ``KeyboardInterrupt``, for which click would print an empty line."""


#: The commands by what a person wants, in the order in which the help lists them, each with the module that runs it.
_GROUPS: dict[str, dict[str, str]] = {
    "Ask games": {
        "find": "find", "sql": "sql", "tree": "sql", "similar": "sql", "questions": "catalogue", "columns": "scan",
        "names": "sql", "web": "web", "mcp": "assistants",
    },
    "Keep games": {
        "scan": "scan", "index": "scan", "verify": "scan", "repair": "scan", "upgrade": "scan", "dedupe": "scan",
        "sort": "scan", "split": "scan", "merge": "scan", "pack": "scan", "unpack": "scan",
    },
    "Look at a board": {"show": "single", "perft": "single", "tablebase": "single"},
    "Learn": {
        "explain": "catalogue", "patterns": "catalogue", "prove": "catalogue", "train": "train", "demo": "web",
    },
    "Build an engine": {
        "table": "catalogue", "generator": "engines", "divide": "engines", "positions": "engines",
        "uci-check": "engines", "bench": "catalogue",
    },
    "Look after setwise": {"doctor": "catalogue", "warmup": "single", "completion": "options", "man": "app"},
}  # fmt: skip
_MODULES = {name: module for commands in _GROUPS.values() for name, module in commands.items()}


class _Commands(MutableMapping[str, click.Command]):
    """The commands by name, each imported when it is looked up."""

    def __getitem__(self, name: str) -> click.Command:
        if name not in COMMANDS:
            importlib.import_module(f"setwise.cli.{_MODULES[name]}")
        return COMMANDS[name]

    def __setitem__(self, name: str, command: click.Command) -> None:
        COMMANDS[name] = command

    def __delitem__(self, name: str) -> None:
        del COMMANDS[name]

    def __iter__(self) -> Iterator[str]:
        return iter({**_MODULES, **COMMANDS})

    def __len__(self) -> int:
        return len({**_MODULES, **COMMANDS})


class _InOrder(click.Group):
    """A group whose help lists the commands by what a person wants, each with a whole sentence."""

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the groups of commands; commands that others have registered come last."""
        others = dict.fromkeys((name for name in self.commands if name not in _MODULES), "")
        width = max(map(len, self.commands))
        for title, names in {**_GROUPS, "Others": others}.items():
            rows = [(f"{name:{width}}", self.commands[name].get_short_help_str(1000)) for name in names]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)

    def list_commands(self, context: click.Context) -> list[str]:
        """Return the names of the commands."""
        return list(self.commands)

    def invoke(self, context: click.Context) -> Any:
        """Run the command."""
        try:
            return super().invoke(context)
        except KeyboardInterrupt:
            raise _Interrupted from None
        finally:  # a command may end normally when it is interrupted, as the server does
            _stop_repeating()

    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the first argument names; ``help`` means ``--help``."""
        if args[0] == "help" and not context.resilient_parsing:
            args = [*args[1:2], "--help"]
            if args == ["--help"]:
                click.echo(context.get_help())
                context.exit()
        if args[0] not in self.commands and not args[0].startswith("-") and not context.resilient_parsing:
            raise click.UsageError(no_command(args[0], self.commands))
        return super().resolve_command(context, args)


@click.group(
    "setwise",
    cls=_InOrder,
    commands=_Commands(),
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, message="setwise %(version)s", help="Print the version.")
def app() -> None:
    """Chess bitboard patterns, from one position to every game ever played."""


def _terminate(*_: object) -> None:
    """Handle SIGTERM: end as with Ctrl-C, ignore further SIGTERMs, and record the exit code."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    _ended_by.append(TERMINATED)
    _interrupt()


#: The seconds after which a signal that had no effect is repeated.
_REPEAT_AFTER = 0.2
_handled = threading.Event()


def watch_interrupts() -> None:
    """Repeat signals, because a signal that arrives just before the main thread blocks in a read does not end the read.

    A thread reads each signal from a wakeup pipe, and repeats a signal that the main thread has not handled.
    """
    if not hasattr(signal, "pthread_kill"):
        return
    read_end, write_end = os.pipe()
    os.set_blocking(write_end, False)
    with contextlib.suppress(ValueError):  # only the main thread can set signal handlers
        signal.set_wakeup_fd(write_end, warn_on_full_buffer=False)
        threading.Thread(target=_repeat_unhandled, args=(read_end,), daemon=True).start()


def _repeat_unhandled(wakeup_pipe: int) -> None:
    while signals := os.read(wakeup_pipe, 1):
        has_own_handler = signal.getsignal(signals[0]) in {_interrupt, _terminate}  # the web server sets other handlers
        if has_own_handler and not _handled.wait(_REPEAT_AFTER):
            signal.pthread_kill(threading.main_thread().ident or 0, signals[0])


def _interrupt(*_: object) -> None:
    """Raise ``KeyboardInterrupt``, and repeat it until it arrives: C libraries may clear a pending exception.

    Python prints errors of ``__del__``, which an object has whose constructor was interrupted: they are ignored.
    """
    _handled.set()
    sys.unraisablehook = lambda _: None
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, _interrupt_again)
        signal.setitimer(signal.ITIMER_REAL, _REPEAT_AFTER, _REPEAT_AFTER)
    raise KeyboardInterrupt


def _interrupt_again(*_: object) -> None:
    error = sys.exc_info()[1]
    while error is not None:
        if isinstance(error, KeyboardInterrupt):  # the first interrupt is being handled: files are being closed
            return
        error = error.__context__
    raise KeyboardInterrupt


def _stop_repeating() -> None:
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, 0)


_ended_by: list[int] = []


def run(arguments: list[str]) -> int:
    """Run the command and return its exit code.

    Errors become one sentence on stderr and an exit code like grep's: 0 for matches, 1 for none, 2 for every error, 130
    when interrupted.
    """
    with contextlib.suppress(ValueError):  # only the main thread can set signal handlers
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
        # The reader has closed the pipe (``setwise find … | head``), for which click would exit with 1; or click has
        # printed a shell's completions.
        if getattr(leaving, "code", 1):
            _close_stdout()
        code = 0
    except SetwiseError as error:
        code = _fail(str(error))
    except io.UnsupportedOperation:
        code = _fail("standard output is closed")
    except OSError as error:
        if _lacks_memory(error):
            return _fail(_without_memory())
        _close_stdout()
        code = _fail(f"{error.filename or 'the output'}: {error.strerror or error}")
    except click.ClickException as error:
        code = _fail(f"{error.format_message()} (setwise --help tells more)")
    except Exception as error:
        if not _lacks_memory(error):
            raise
        code = _fail(_without_memory())
    return code or 0


def _close_stdout() -> None:
    """Send buffered output to the null device: Python would report an error when it flushes at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


#: Messages of threads and libraries that cannot allocate memory.
_NO_MEMORY = re.compile(
    r"can't start new thread|(cannot|failed to) allocate|failed to map segment|bad_alloc|out of memory", re.IGNORECASE
)


def _lacks_memory(error: Exception) -> bool:
    """Whether an error means a lack of memory; libraries report it in different ways."""
    if isinstance(error, MemoryError) or getattr(error, "errno", None) == errno.ENOMEM or _NO_MEMORY.search(str(error)):
        return True
    space = address_space()
    return space is not None and space < NEEDED and not isinstance(error, FileNotFoundError | PermissionError)


def _without_memory() -> str:
    """The message for a lack of memory, with what the user can do."""
    space = address_space()
    if space is None:
        return "there is not enough memory: --threads 1 takes least"
    return (
        f"there is not enough memory: this process may have {space >> 20:,} MB of address space (ulimit -v), and a "
        f"search takes {NEEDED >> 20:,} MB or more; raise the limit"
    )


def _fail(sentence: str, code: int = FAILED) -> int:
    tell(sentence)
    return code


# ----------------------------------------------- the command man: the manual page, generated from the texts of the help


_EXITS = (
    ("0", "There are matches, or the command succeeded."),
    ("1", "There are no matches: no positions, rows, moves, duplicates or missed chances; or an engine is wrong."),
    ("2", "There is an error: wrong usage, a wrong condition, data that are bad, damaged or unfinished."),
    ("130", "Interrupted."),
    ("143", "Terminated."),
)
_ENVIRONMENT = (
    ("NO_COLOR", "Switches colours off."),
    ("SETWISE_CACHE_DIR", "The folder for compiled machine code."),
    ("SETWISE_SYZYGY", "Folders of Syzygy's tables, which say who wins with up to seven pieces."),
    ("SETWISE_TABLEBASE", "The folder of setwise's own tables of up to four pieces."),
    ("SETWISE_PROGRESS", "The file of the exercises that you solved on the page of setwise web."),
)


class Man(Command, name="man"):
    """Print the manual page; `setwise man | man -l -` shows it."""

    def run(self) -> None:
        """Print the page."""
        print(page(self.context.find_root().command))


def page(command: click.Command) -> str:
    """Return the manual page of a command and its subcommands, as troff."""
    lines = [
        f'.TH SETWISE 1 "" "setwise {__version__}" "User Commands"',
        ".SH NAME",
        "setwise \\- chess bitboard patterns",
        ".SH SYNOPSIS",
        ".B setwise",
        "COMMAND [OPTIONS] [ARGUMENTS]",
        ".SH DESCRIPTION",
        _plain(command.help or ""),
        ".SH COMMANDS",
    ]
    for name, it in getattr(command, "commands", {}).items():
        lines += _command(name, it)
    for heading, rows in (("EXIT STATUS", _EXITS), ("ENVIRONMENT", _ENVIRONMENT)):
        lines.append(f".SH {heading}")
        for name, meaning in rows:
            lines += [".TP", f".B {_plain(name)}", _plain(meaning)]
    return "\n".join(lines)


def _command(name: str, command: click.Command) -> Iterator[str]:
    arguments = " ".join(
        it.metavar or it.human_readable_name for it in command.params if isinstance(it, click.Argument)
    )
    yield from (f".SS setwise {name} [OPTIONS] {_plain(arguments)}".rstrip(), _paragraphs(command.help or ""))
    for it in command.params:
        if isinstance(it, click.Option):
            names = ", ".join([*it.opts, *it.secondary_opts])
            choices = "|".join(it.type.choices) if isinstance(it.type, click.Choice) else ""
            value = "" if it.is_flag else f" {it.metavar or choices}"
            yield from (".TP", f".B {_plain(names)}{_plain(value)}", _plain(it.help or ""))


def _paragraphs(text: str) -> str:
    return "\n.PP\n".join(_plain(" ".join(part.split())) for part in text.split("\n\n"))


def _plain(text: str) -> str:
    """A text with its special characters escaped for troff."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{text}" if text[:1] in {".", "'"} else text
