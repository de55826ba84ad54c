"""Threads that stay: a search starts its own, and a thread's database takes longer to open than these searches do."""

from __future__ import annotations

import functools
from concurrent.futures import ThreadPoolExecutor


class Lasting(ThreadPoolExecutor):
    """A pool that the end of a search does not shut."""

    def __exit__(self, *_: object) -> None:
        """Leave the threads to the next search."""


@functools.cache
def lasting_pool(count: int) -> Lasting:
    """The pool of so many threads, the same for every search."""
    return Lasting(count)
