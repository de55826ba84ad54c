"""What a task costs: the processor's seconds and the bytes that it holds, compared with those of a smaller task."""

from __future__ import annotations

import gc
import math
import sys
import time
import tracemalloc
from collections.abc import Callable
from typing import TypeVar

from helpers.depth import depth

T = TypeVar("T")


#: A text that takes fewer seconds is enlarged until it takes so many, since what each call costs, and what else the
#: machine does for a moment, would decide.
_LEAST = 0.01


def seconds(task: Callable[[T], object], thing: T) -> float:
    """The processor's seconds that a task takes; Python's collector, which walks what other tests left, waits."""
    collects = gc.isenabled()
    gc.disable()
    try:
        began = time.process_time()
        task(thing)
        return time.process_time() - began
    finally:
        if collects:
            gc.enable()


def memory(task: Callable[[T], object], thing: T) -> int:
    """The most bytes that a task holds at any time."""
    tracemalloc.start()
    try:
        task(thing)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def stays_in_proportion(
    task: Callable[[T], object], make: Callable[[int], T], *, size: int = 2**20, copies: int = 6, largest: int = 2**22
) -> None:
    """A text four times as large takes about four times as long, and no more memory than so many copies of it.

    ``make`` builds what the task works on, of a size in bytes; that costs nothing here. By day the smaller text begins
    with 65,536 bytes; if it costs little, it is enlarged, to ``largest`` bytes at most. A measurement that another
    process disturbs is repeated; the least of each size counts.
    """
    size = depth(min(size, 2**16), size)
    small = make(size)
    task(small)  # compiles
    while (once := min(seconds(task, small), seconds(task, small))) < _LEAST and size < largest:
        size *= 4
        small = make(size)
    large, fourfold = make(4 * size), math.inf
    for _ in range(4):
        fourfold = min(fourfold, seconds(task, large))
        if fourfold < 6 * once + 0.02:  # near four times: what disturbed the smaller text hides no square
            break
        once = min(once, seconds(task, small))
    assert fourfold < 10 * once + 0.02
    assert memory(task, large) < copies * 4 * size


#: How many calls `grown` makes, and more blocks than Python itself leaves, but fewer than one for each call.
MANY = depth(5_000, 20_000)
SLACK = 200


def grown(task: Callable[[], object]) -> int:
    """How many more blocks of memory Python holds after many calls."""
    for _ in range(100):
        task()
    gc.collect()
    before = sys.getallocatedblocks()
    for _ in range(MANY):
        task()
    gc.collect()
    return sys.getallocatedblocks() - before
