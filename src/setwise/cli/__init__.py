"""The command line: ``setwise find``, ``scan``, ``show``, ``perft`` and what belongs to them. No chess in here."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from typing import NoReturn

__all__ = ["main"]

#: The exit codes that shells expect of an interrupted process, and of a terminated one.
INTERRUPTED, TERMINATED = 130, 143


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run the command ``setwise``, and end with its exit code.

    Args:
        arguments: those of the command line if left out; the process then ends with the command, and Ctrl-C ends both
            at once, wherever other threads are.
    """
    try:
        # Inside, so that Ctrl-C while modules are imported ends in one line, too.
        from setwise.cli.app import run, watch_interrupts

        if arguments is None:
            watch_interrupts()
        code = run(sys.argv[1:] if arguments is None else arguments)
    except KeyboardInterrupt:
        _ignore_interrupts()
        with contextlib.suppress(OSError):
            os.write(2, b"setwise: interrupted\n")
        code = INTERRUPTED
    if arguments is None:
        _ignore_interrupts()
        if code in {INTERRUPTED, TERMINATED}:
            _end(code)
    sys.exit(code)


def _ignore_interrupts() -> None:
    """Let what is left to do be done: nothing else is interrupted by a second Ctrl-C."""
    with contextlib.suppress(ValueError):  # signals come to the main thread alone
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def _end(code: int) -> NoReturn:
    """End the process; Python would first wait for threads, which may read from a pipe that never ends."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
    if (files := sys.modules.get("setwise.system.files")) is not None and files.own_folder.cache_info().currsize:
        with contextlib.suppress(OSError):
            files.own_folder().cleanup()
    os._exit(code)
