"""The first batch of a new kind compiles: one process of a machine does, and the others wait for what it keeps."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterator

import filelock

from setwise.compiler import cache_directory

__all__ = ["compiled_once"]


#: What this process knows to be compiled.
_done: set[str] = set()


@contextlib.contextmanager
def compiled_once(*what: object) -> Iterator[None]:
    """Let the work inside be done by one process at a time, until one of those with the same cache has done it.

    Args:
        what: what the work depends on; its text is what it is known by.

    Where no folder keeps machine code, nobody waits.
    """
    name = f"done-{hashlib.sha256(repr(what).encode()).hexdigest()[:16]}"
    folder = None if name in _done else cache_directory()
    if folder is None:
        yield
        return
    done = folder / name
    with contextlib.ExitStack() as held:
        if not done.exists():
            held.enter_context(filelock.FileLock(folder / "compiling.lock"))
        if done.exists():  # meanwhile somebody else has done it
            held.close()
        yield
        with contextlib.suppress(OSError):
            done.touch()
        _done.add(name)
