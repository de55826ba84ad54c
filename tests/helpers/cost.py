"""What a task costs: the processor's seconds and the bytes that it holds, compared with those of a smaller task."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def cost(task: Callable[[T], object], thing: T) -> tuple[float, int]:
    """The seconds of the processor that a task takes at best, and the bytes that it holds at most."""
    seconds = []
    for _ in range(3):
        began = time.process_time()
        task(thing)
        seconds.append(time.process_time() - began)
    tracemalloc.start()
    task(thing)
    held = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return min(seconds), held


def stays_in_proportion(
    task: Callable[[T], object], make: Callable[[int], T], *, size: int = 2**20, copies: int = 6
) -> None:
    """Something four times as large costs about four times as much, and no more memory than so many copies of it.

    ``make`` gives what the task works on, of a size in bytes; what that costs does not count.
    """
    small, large = make(size), make(4 * size)
    task(small)  # compiles
    (once, _), (fourfold, held) = cost(task, small), cost(task, large)
    assert fourfold < 10 * once + 0.02
    assert held < copies * 4 * size
