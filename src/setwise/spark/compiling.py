"""Let one of several processes compile, while the others wait for the machine code in the cache."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterator

import filelock

from setwise.compiler import cache_directory

__all__ = ["compiled_once"]


#: The names of work that this process knows to be compiled.
_done: set[str] = set()


@contextlib.contextmanager
def compiled_once(*key: object) -> Iterator[None]:
    """Run the block in one process at a time, until one process with the same cache folder has completed it.

    Args:
        key: what the compiled code depends on; work with the same text of the key is the same work.

    Without a cache folder no process waits.
    """
    name = f"done-{hashlib.sha256(repr(key).encode()).hexdigest()[:16]}"
    folder = None if name in _done else cache_directory()
    if folder is None:
        yield
        return
    done = folder / name
    with contextlib.ExitStack() as locks:
        if not done.exists():
            locks.enter_context(filelock.FileLock(folder / "compiling.lock"))
        if done.exists():  # another process has completed it meanwhile
            locks.close()
        yield
        with contextlib.suppress(OSError):
            done.touch()
        _done.add(name)
