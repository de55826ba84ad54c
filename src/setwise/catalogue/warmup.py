"""Compile everything once, over all processors, so that no first use has to wait later."""

from __future__ import annotations

import importlib
import multiprocessing
import pkgutil
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import NamedTuple

import setwise
from setwise.compiler import Entry, Pattern, cache_directory
from setwise.system.processes import processors, without_interrupts

__all__ = ["Warmed", "entries", "warmup"]

#: What brings its own dependencies along or is no library: nothing in there is compiled.
_PASSED_OVER = ("setwise.cli", "setwise.spark", "setwise.__main__")


class Warmed(NamedTuple):
    """What a warmup did: how many functions it compiled, how many were there already, and how long that took."""

    compiled: int
    kept: int
    seconds: float


def entries() -> dict[str, Entry]:
    """Return everything that compiles on its own, patterns, features and other entries, by name."""
    return {entry.name: entry for entry in _found()}


def _found() -> Iterator[Entry]:
    for module in pkgutil.walk_packages(setwise.__path__, "setwise."):
        if not module.name.startswith(_PASSED_OVER):
            yield from (
                value
                for value in vars(importlib.import_module(module.name)).values()
                if isinstance(value, Entry) and value.__module__ == module.name
            )


def warmup(*, progress: bool = False, processes: int | None = None) -> Warmed:
    """Compile whatever the cache of machine code lacks.

    It may be interrupted; what was compiled before is kept, and the next warmup goes on from there.

    Args:
        progress: show a bar on standard error.
        processes: how many, else as many as there are processors. They are started anew, so a script that calls this
            must do so under ``if __name__ == "__main__":``.

    Raises:
        OSError: when there is no folder to keep machine code in.
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    started = time.perf_counter()
    if cache_directory() is None:
        raise OSError("there is no folder to keep machine code in; name one in SETWISE_CACHE_DIR")
    every = entries().values()
    lacking = sorted((entry for entry in every if not entry.cached()), key=_rank)
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    with Progress(*columns, console=Console(stderr=True), disable=not progress) as bar:
        task = bar.add_task("compiling", total=len(every), completed=len(every) - len(lacking))
        for _ in _compiled(lacking, processes or processors()):
            bar.advance(task)
        bar.update(task, description="everything is compiled")
    return Warmed(len(lacking), len(every) - len(lacking), time.perf_counter() - started)


def _rank(entry: Entry) -> int:
    """Patterns first, since the others are built on them, then the long entries, so that none is left for the end."""
    return 2 if entry.name.startswith("features.") else 0 if isinstance(entry, Pattern) else 1


def _compiled(found: list[Entry], processes: int) -> Iterator[str]:
    """Compile by several processes, since compilation holds a lock within each, and yield each name when it is done."""
    if not found:
        return
    mine = set(multiprocessing.active_children())
    context = multiprocessing.get_context("spawn")
    workers = min(processes, len(found))
    with ProcessPoolExecutor(workers, mp_context=context, initializer=_leave_interrupts_to_parent) as pool:
        try:
            with without_interrupts():
                begun = [pool.submit(_compile, it.__module__, it.function.__name__) for it in found]
            for done in as_completed(begun):
                yield done.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for worker in set(multiprocessing.active_children()) - mine:
                worker.terminate()
            raise


def _leave_interrupts_to_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _compile(module: str, name: str) -> str:
    entry: Entry = getattr(importlib.import_module(module), name)
    entry.warmup()
    return entry.name
