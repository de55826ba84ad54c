"""What a process may have, processors and memory; and of our own: an interrupt is for the one that has started them."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["bound_memory", "memory_left", "processors", "without_interrupts"]

#: What a container may have of the processors' time, in microseconds of so many; ``max`` without a bound.
_SHARE = Path("/sys/fs/cgroup/cpu.max")


def processors() -> int:
    """Return how many processors this process may use.

    These are those that it may run on, and in a container no more than its share of their time comes to.
    """
    there = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        share, period = map(int, _SHARE.read_text("ascii").split())
        return max(1, min(there, round(share / period)))
    except (OSError, ValueError, ZeroDivisionError):
        return there


@contextmanager
def without_interrupts() -> Iterator[None]:
    """Let the processes that start meanwhile take no notice of Ctrl-C, from their first moment on.

    One that comes meanwhile is heard afterwards. On Windows they have to see to it themselves.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    from multiprocessing import resource_tracker  # dear to import, and for few

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
