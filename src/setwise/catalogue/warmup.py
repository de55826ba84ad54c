"""``warmup``: every definition is compiled ahead, for this processor."""

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
from setwise import patterns
from setwise.compiler import Entry, Pattern, cache_directory
from setwise.compiler.targets import has_compiler
from setwise.errors import CompilerMissing
from setwise.system.processes import processors, without_interrupts

# ---------------------------------------------------------------------------------------------- compile everything once


#: Modules that have optional dependencies, are for graphics cards, or are not part of the library define nothing that
#: is compiled for this processor. The code of techniques that nothing else calls is compiled when it is first used.
_SKIPPED = (
    *(f"setwise.{name}" for name in ("cli", "compiler", "spark", "web", "__main__", "position.card")),
    *(f"{patterns.__name__}.{topic}" for topic in patterns.TECHNIQUES),
)


class Warmed(NamedTuple):
    """The result of a warmup: the numbers of functions compiled and already cached, and the seconds taken."""

    compiled: int
    kept: int
    seconds: float


def entries() -> dict[str, Entry]:
    """Return all compiled entry points by name: patterns, features and others."""
    return {entry.name: entry for entry in _entries_of_modules()}


def _entries_of_modules() -> Iterator[Entry]:
    for module in pkgutil.walk_packages(setwise.__path__, "setwise."):
        if not module.name.startswith(_SKIPPED):
            yield from (
                value
                for value in vars(importlib.import_module(module.name)).values()
                if isinstance(value, Entry) and value.__module__ == module.name
            )


def warmup(*, progress: bool = False, processes: int | None = None) -> Warmed:
    """Compile all functions that are missing in the cache of machine code.

    It can be interrupted; the functions compiled so far stay cached, and the next warmup continues from there.

    Args:
        progress: show a bar on standard error.
        processes: the number of processes; by default one per processor. They are spawned, so a script must call this
            under ``if __name__ == "__main__":``.

    Raises:
        CompilerMissing: when functions have to be compiled and there is no compiler.
        OSError: when there is no folder to keep machine code in.
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    started = time.perf_counter()
    every = entries().values()
    lacking = sorted((entry for entry in every if not entry.cached()), key=_rank)
    if lacking and not has_compiler():
        raise CompilerMissing(f"{len(lacking)} functions need a compiler; pip install 'setwise[jit]' installs one")
    if lacking and cache_directory() is None:
        raise OSError("there is no folder to keep machine code in; name one in SETWISE_CACHE_DIR")
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    with Progress(*columns, console=Console(stderr=True), disable=not progress) as bar:
        task = bar.add_task("compiling", total=len(every), completed=len(every) - len(lacking))
        for _ in _compiled(lacking, processes or processors()):
            bar.advance(task)
        bar.update(task, description="everything is compiled")
    return Warmed(len(lacking), len(every) - len(lacking), time.perf_counter() - started)


def _rank(entry: Entry) -> int:
    """Return the order: patterns first, as others use them; then long entries, so that no long one is compiled last."""
    return 2 if entry.name.startswith("features.") else 0 if isinstance(entry, Pattern) else 1


def _compiled(missing: list[Entry], processes: int) -> Iterator[str]:
    """Compile in several processes, as each compiles one function at a time, and yield each name when it is done."""
    if not missing:
        return
    own_children = set(multiprocessing.active_children())
    context = multiprocessing.get_context("spawn")
    workers = min(processes, len(missing))
    with ProcessPoolExecutor(workers, mp_context=context, initializer=_leave_interrupts_to_parent) as pool:
        try:
            with without_interrupts():
                futures = [pool.submit(_compile, it.__module__, it.function.__name__) for it in missing]
            for future in as_completed(futures):
                yield future.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for worker in set(multiprocessing.active_children()) - own_children:
                worker.terminate()
            raise


def _leave_interrupts_to_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _compile(module: str, name: str) -> str:
    entry: Entry = getattr(importlib.import_module(module), name)
    entry.warmup()
    return entry.name
