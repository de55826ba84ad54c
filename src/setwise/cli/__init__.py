"""The command line: ``setwise find``, ``scan``, ``show``, ``perft`` and others; this package knows no chess.

``app`` has the group of commands, messages and exit codes; every other module has commands of one topic. A command is a
class, and its options are attributes of the class (see ``command``), so help, manual page and completion need no list
of options. Only the module of the command that runs is imported. NumPy, Arrow and compiled code are imported inside
``run``, because help and errors of usage must not wait for them. Results go to standard output, everything else to
standard error. Exit codes are the same as grep's: 0 for matches, 1 for no match, 2 for every error. For an error the
user sees one sentence, and a traceback only if the error is a fault of setwise. This module has only ``main``, which
must catch Ctrl-C while the other modules are imported.
"""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import sys
import traceback
from typing import NoReturn

from setwise.errors import FAILED, INTERRUPTED

__all__ = ["main"]

#: How many new objects Python creates before it collects garbage. With the default of 700, collections took a fifth of
#: the start and freed little, since the objects of modules stay; with 50,000, a single collection took 14 ms.
_GC_THRESHOLD = 200_000


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run the command ``setwise``, and exit with its exit code.

    Args:
        arguments: the arguments; by default the arguments of the command line. By default the process also ends with
            the command, and Ctrl-C ends the process at once, whatever other threads do.
    """
    gc.set_threshold(_GC_THRESHOLD)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # nothing here multiplies matrices
    try:
        # Imported inside ``try``, so that Ctrl-C during the imports prints one line, too.
        from setwise.cli.app import run, watch_interrupts

        if arguments is None:
            watch_interrupts()
        code = run(sys.argv[1:] if arguments is None else arguments)
    except KeyboardInterrupt:
        _ignore_interrupts()
        with contextlib.suppress(OSError):
            os.write(2, b"setwise: interrupted\n")
        code = INTERRUPTED
    except Exception:  # an error of setwise itself: Python would exit with 1, which means that nothing matched
        if arguments is not None:
            raise
        traceback.print_exc()
        code = FAILED
    if arguments is None:
        _ignore_interrupts()
        _end(code)
    sys.exit(code)


def _ignore_interrupts() -> None:
    """Ignore Ctrl-C, so that a second Ctrl-C does not interrupt the cleanup."""
    with contextlib.suppress(ValueError):  # only the main thread can set signal handlers
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def _end(code: int) -> NoReturn:
    """End the process at once; Python would first free its objects, which takes a sixth of the time of a small search.

    Python would also wait for all threads, and a thread may be reading from an endless pipe.
    """
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
    if (files := sys.modules.get("setwise.system.files")) is not None:
        with contextlib.suppress(OSError):
            files.remove_own_folder()
    os._exit(code)
