"""The processors and the memory that this process may use, and how child processes and threads end at Ctrl-C."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import TypeVar

from setwise.errors import SetwiseError

# ---------------------------------------------------------------------- processors and memory that this process may use


#: The file with a container's share of the processors' time: its time in each period and the length of a period, both
#: in microseconds; the time is ``max`` if there is no limit.
_SHARE = Path("/sys/fs/cgroup/cpu.max")
#: Seconds within which an interrupt is handled.
_SOON = 0.2
#: How many bytes of address space a search with one thread takes, and how many each further thread adds, as measured.
NEEDED, _OF_A_THREAD = 600 << 20, 100 << 20
#: The bytes of a thread's stack if address space is limited, and the number of an option of the C library.
_STACK, _M_ARENA_MAX = 1 << 20, -8

T = TypeVar("T")


def processors() -> int:
    """Return how many processors this process may use.

    The number is the smallest of three: the processors that it may run on, the container's share of their time, and the
    threads that fit into a limited address space.
    """
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if (space := address_space()) is not None:
        available = max(1, min(available, (space - NEEDED) // _OF_A_THREAD))
    try:
        share, period = map(int, _SHARE.read_text("ascii").split())
        return max(1, min(available, round(share / period)))
    except (OSError, ValueError, ZeroDivisionError):
        return available


@contextmanager
def without_interrupts() -> Iterator[None]:
    """Make processes that are started in the block ignore Ctrl-C from their start.

    A Ctrl-C during the block is handled after the block. On Windows the processes have to ignore Ctrl-C themselves.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    from multiprocessing import resource_tracker  # slow to import, and seldom needed

    resource_tracker.ensure_running()  # otherwise the first process would start it and unblock Ctrl-C
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def interruptible(work: Callable[[], T], stop: Callable[[], object]) -> T:
    """Run work that ignores Ctrl-C, such as a database that reads from a pipe, so that Ctrl-C ends it after all.

    In the main thread, the work runs in a new thread while the main thread waits. In any other thread the work runs
    directly, since only the main thread receives Ctrl-C. The result of the work is returned.

    Args:
        work: the work; after Ctrl-C this function does not wait for its end.
        stop: called after Ctrl-C, to make the work end soon.
    """
    if threading.current_thread() is not threading.main_thread():
        return work()
    from concurrent.futures import Future

    done = Future[T]()

    def working() -> None:
        try:
            done.set_result(work())
        except BaseException as error:  # noqa: BLE001  (the caller gets it)
            done.set_exception(error)

    thread = threading.Thread(target=working, daemon=True)
    thread.start()
    try:
        while thread.is_alive():
            thread.join(_SOON)  # on Windows Ctrl-C does not interrupt a wait without a timeout
    except KeyboardInterrupt:
        stop()
        thread.join(_SOON)
        raise
    return done.result()


class _AtWork:
    """How many searches run in this process, and whether the process was forked while a search ran."""

    def __init__(self) -> None:
        self.count, self.is_cut_off, self._lock = 0, False, threading.Lock()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._forked)

    def _forked(self) -> None:
        self.count, self.is_cut_off, self._lock = 0, self.is_cut_off or self.count > 0, threading.Lock()

    def add(self, change: int) -> None:
        with self._lock:
            self.count += change


_at_work = _AtWork()


@contextmanager
def at_work() -> Iterator[None]:
    """Mark work in which other threads take part: a process that is forked during the work cannot do such work.

    In the forked process, the locks that those threads held would stay locked for ever.

    Raises:
        SetwiseError: if this process was forked during such work.
    """
    if _at_work.is_cut_off:
        raise SetwiseError(
            "this process was forked while its parent searched, and would wait for ever for what that search held: "
            "fork before a search begins, or start processes by multiprocessing's spawn"
        )
    _at_work.add(1)
    try:
        yield
    finally:
        _at_work.add(-1)


def bound_memory(more: int) -> None:
    """Limit the memory of this process to its present size plus ``more`` bytes, if the system supports limits."""
    if taken := _taken():
        import resource  # not available on Windows

        resource.setrlimit(resource.RLIMIT_DATA, (taken + more,) * 2)


@contextmanager
def bounded_memory(more: int) -> Iterator[None]:
    """Limit the memory of this process in the block; ``bound_memory`` limits it permanently."""
    if not (taken := _taken()):
        yield
        return
    import resource  # not available on Windows

    most, highest = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (taken + more, highest))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (most, highest))


def memory_is_known() -> bool:
    """Return whether the system counts the memory of a process, and limits it."""
    return _taken() is not None


def end_with_parent() -> None:
    """End this process when its parent process has ended, even if the parent was killed."""
    from multiprocessing import connection, parent_process

    def wait(sentinel: int) -> None:
        connection.wait([sentinel])
        os._exit(1)

    if (parent := parent_process()) is not None:
        threading.Thread(target=wait, args=(parent.sentinel,), daemon=True).start()


def memory_left() -> int | None:
    """Return how many more bytes this process may take; None if no limit is known."""
    taken = _taken()
    if taken is None:
        return None
    import resource  # not available on Windows

    most, _ = resource.getrlimit(resource.RLIMIT_DATA)
    left = [] if most == resource.RLIM_INFINITY else [max(0, most - taken)]
    if (space := address_space()) is not None:
        left.append(max(0, space - (_of_status("VmSize") or 0)))
    return min(left, default=None)


def address_space() -> int | None:
    """Return the limit of this process's address space in bytes, as set by ``ulimit -v``; None without a limit."""
    try:
        import resource
    except ImportError:  # on Windows
        return None
    most, _ = resource.getrlimit(resource.RLIMIT_AS)
    return None if most == resource.RLIM_INFINITY else most


def spare_address_space() -> None:
    """If the address space of this process has a limit, make libraries that are imported later reserve little of it.

    Without a limit they reserve gigabytes and use megabytes of them: Arrow's allocator reserves a gigabyte at a time,
    the C library 64 MB and 8 MB of stack for each thread.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # nothing here multiplies matrices
    if address_space() is None:
        return
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    threading.stack_size(_STACK)
    import ctypes

    with contextlib.suppress(OSError, AttributeError, TypeError):  # raised if the C library is another one
        library = ctypes.CDLL(None)
        library.mallopt(_M_ARENA_MAX, 1)
        attributes = ctypes.create_string_buffer(256)
        if not library.pthread_attr_init(attributes):
            library.pthread_attr_setstacksize(attributes, ctypes.c_size_t(_STACK))
            library.pthread_setattr_default_np(attributes)


def _taken() -> int | None:
    """The bytes of this process that count towards the limit of its data."""
    return _of_status("VmData")


def _of_status(name: str) -> int | None:
    """A number of bytes from the status of this process; only Linux reports such numbers and enforces their limits."""
    try:
        status = Path("/proc/self/status").read_text("ascii")
        return next(int(line.split()[1]) << 10 for line in status.splitlines() if line.startswith(name))
    except (OSError, StopIteration, ValueError):
        return None


# --------------------------------------------------------------------------------- hiding __main__ from multiprocessing


@contextlib.contextmanager
def hidden_main() -> Iterator[None]:
    """Hide ``__main__``, so that a child process does not import it again."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main
