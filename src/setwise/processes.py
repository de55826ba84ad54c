"""Processes of our own: an interrupt is for the one that has started them."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker

__all__ = ["without_interrupts"]


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
