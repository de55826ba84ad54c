"""Processes of our own: an interrupt is for the one that has started them; and the memory that a process may have."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker
from pathlib import Path

__all__ = ["bound_memory", "memory_left", "without_interrupts"]


@contextmanager
def without_interrupts() -> Iterator[None]:
    """Let the processes that start meanwhile take no notice of Ctrl-C, from their first moment on.

    One that comes meanwhile is heard afterwards. On Windows they have to see to it themselves.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # else it starts with the first of them, and lets interrupts through again
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def bound_memory(more: int) -> None:
    """Give up the right to more memory than what this process has and so many bytes, where the system can tell."""
    if taken := _taken():
        import resource  # Windows has none

        resource.setrlimit(resource.RLIMIT_DATA, (taken + more,) * 2)


def memory_left() -> int | None:
    """Return how many bytes this process may still take; None where no limit is known."""
    if (taken := _taken()) is None:
        return None
    import resource

    most, _ = resource.getrlimit(resource.RLIMIT_DATA)
    return None if most == resource.RLIM_INFINITY else max(0, most - taken)


def _taken() -> int | None:
    """The bytes that count for the limit; Linux alone tells and enforces them."""
    try:
        status = Path("/proc/self/status").read_text("ascii")
        return next(int(line.split()[1]) << 10 for line in status.splitlines() if line.startswith("VmData"))
    except (OSError, StopIteration, ValueError):
        return None
