"""``limits``: how much time and memory a question may take.

Only the end of its process stops a computation at any moment, and only the system counts all of its memory. So
questions inside ``limits`` are answered in a process of their own. The system limits the memory of this process, and
the process is ended when its time is over, as the processes of the workbench are.
"""

from __future__ import annotations

import math
import os
import pickle
import re
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from setwise.archives import is_stream
from setwise.compiler import PATTERNS, cache
from setwise.errors import LimitExceeded, QueryError, SetwiseError, shortened
from setwise.features.own import load, load_installed
from setwise.system.processes import bounded_memory, end_with_parent, hidden_main, memory_is_known, without_interrupts

if TYPE_CHECKING:
    from multiprocessing.connection import Connection


T = TypeVar("T")

_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]i?)?b\s*", re.IGNORECASE)
_LEAST = 64_000_000
#: The seconds that are added for a question whose code has to be compiled, which happens once.
_COMPILING = 300.0


class _Limits(NamedTuple):
    seconds: float
    memory: int | None
    shown: str
    #: The process that answers, once one is needed.
    process: list[_AnsweringProcess]


_set: ContextVar[_Limits | None] = ContextVar("limits", default=None)


@contextmanager
def limits(*, seconds: float | None = None, memory: int | str | None = None) -> Iterator[None]:
    """Limit time and memory of each ``find``, ``sql``, ``tree`` and ``similar`` in a ``with`` block.

    This is for conditions that others have written. The questions are answered in another process, which takes a second
    to start, once for each block. ``connect`` and ``batches`` refuse to work inside the block, because no limit would
    hold for them. In a block within another one both limits hold.

    Args:
        seconds: the time of a question; five minutes are added if its code has to be compiled, which happens once.
        memory: the memory that a question and its answer may use, in addition to the memory of the waiting process:
            bytes, or a text such as ``"500 MB"``; 64 MB or more. Only Linux counts and limits the memory of a process.

    Raises:
        LimitExceeded: by a question that took more; its process has ended.
        ValueError: a limit is not a valid number, or this system does not limit memory.

    Example:
        >>> import setwise
        >>> with setwise.limits(seconds=60):
        ...     setwise.find("is_check", b"1. e4 e5 2. Qh5 Nc6 3. Qxf7+ *", columns=["ply"]).to_pylist()
        [{'ply': 5}]

    Traps:
        The limits hold for the thread that enters the block, not for threads that it starts. Patterns that a script or
        notebook defines itself are not known in the other process; those that it imports or loads from a file are. A
        stream, such as an open file, cannot be a source.
    """
    if seconds is not None and not 0 < seconds < math.inf:
        raise ValueError(f"seconds is a number above 0, not {seconds}")
    most = None if memory is None else _bytes(memory)
    if most is not None and not memory_is_known():
        raise ValueError("this system does not limit the memory of a process: leave memory out")
    within = _Limits(seconds or math.inf, most, str(memory), [])
    if (outer := _set.get()) is not None:
        within = within._replace(seconds=min(within.seconds, outer.seconds))
        if outer.memory is not None and (most is None or outer.memory < most):
            within = within._replace(memory=outer.memory, shown=outer.shown)
    token = _set.set(within)
    try:
        yield
    finally:
        _set.reset(token)
        for process in within.process:
            process.end()


def _bytes(memory: int | str) -> int:
    match = _SIZE.fullmatch(memory) if isinstance(memory, str) else None
    if match is not None:
        unit = (match[2] or "").lower()
        size = int(float(match[1]) * (1024 if unit.endswith("i") else 1000) ** " kmgt".index(unit[:1] or " "))
    elif isinstance(memory, int) and not isinstance(memory, bool):
        size = memory
    else:
        size = 0
    if size < _LEAST:
        raise ValueError(f"memory is 64 MB or more, a number of bytes or a text such as '500 MB', not {memory!r:.40}")
    return size


def are_set() -> bool:
    """Return whether the caller is in a block of ``limits``."""
    return _set.get() is not None


def refuse_limits(name: str) -> None:
    """Raise ``QueryError`` in a block of ``limits``: this function does not answer at once."""
    if are_set():
        raise QueryError(f"limits cannot hold for {name}: use find, sql, tree or similar inside it")


def answer_within(function: Callable[..., T], arguments: Mapping[str, Any]) -> T:
    """Return the answer of a function in the process of the block; the functions ``on_…`` are called in this process.

    Raises:
        LimitExceeded: it took more time or memory than the block allows.
        QueryError: an argument cannot be sent to the process.
    """
    limit = _set.get()
    assert limit is not None  # noqa: S101  (the caller has asked)
    listeners = {name: value for name, value in arguments.items() if name.startswith("on_") and value is not None}
    sources = arguments["sources"]
    if any(map(is_stream, sources if isinstance(sources, list | tuple) else [sources])):
        raise QueryError("inside limits a source is a name or in memory, because a stream cannot be read elsewhere")
    others = {name: value for name, value in arguments.items() if name not in listeners}
    try:
        question = pickle.dumps((function, others, list(listeners), str(os.getcwd()), limit.memory))  # noqa: PTH109
    except Exception as error:  # noqa: BLE001  (whatever the object says)
        raise QueryError(f"inside limits a question is sent to another process, which fails: {error}") from None
    if not limit.process:
        limit.process.append(_AnsweringProcess(function))
    process, answered = limit.process[0], False
    try:
        answer = process.answer(question, listeners, limit)
        answered = True
    finally:
        if not answered:  # the time is over, the process has died, or the caller was interrupted
            limit.process.clear()
            process.end()
    if isinstance(answer, MemoryError):
        raise LimitExceeded(f"the question needs more memory than {limit.shown}, its limit")
    if isinstance(answer, Exception):
        raise answer
    result: T = answer
    return result


class _AnsweringProcess:
    """A process that answers questions, and the pipe to it."""

    def __init__(self, function: Callable[..., Any]) -> None:
        import multiprocessing  # slow to import, as most questions have no limits

        context = multiprocessing.get_context("spawn")
        self.pipe, other = context.Pipe()
        self.process = context.Process(target=_answer_questions, args=(other, _own_files(), function), daemon=True)
        with hidden_main(), without_interrupts():
            self.process.start()
        other.close()
        self._receive(math.inf, _Limits(math.inf, None, "", []))  # it has started: the time begins now

    def answer(self, question: bytes, listeners: Mapping[str, Callable[[Any], Any]], limit: _Limits) -> Any:
        """Return the answer, or the error that it ends with."""
        until, compiles = time.monotonic() + limit.seconds, False
        self.pipe.send_bytes(question)
        while True:
            kind, value = self._receive(until, limit)
            if kind == "answer":
                return value
            if kind == "warning":
                warnings.warn(value, stacklevel=4)
            elif kind in listeners:
                listeners[kind](value)
            elif not compiles:
                until, compiles = until + _COMPILING, True

    def _receive(self, until: float, limit: _Limits) -> tuple[str, Any]:
        while not self.pipe.poll(min(0.2, max(0.0, until - time.monotonic()))):  # on Windows Ctrl-C needs short waits
            if time.monotonic() >= until:
                raise LimitExceeded(f"the question takes more than {limit.seconds:g} seconds, its limit")
        try:
            message: tuple[str, Any] = pickle.loads(self.pipe.recv_bytes())  # noqa: S301  (from a process of our own)
        except (EOFError, OSError):
            why = f"more memory than {limit.shown}, its limit" if limit.memory else "more memory than there is"
            raise LimitExceeded(f"the question ended its process: it needs {why}") from None
        return message

    def end(self) -> None:
        """End the process, whatever it does."""
        self.process.kill()
        self.pipe.close()
        self.process.join()
        self.process.close()


def _own_files() -> list[str]:
    """The files of the patterns that are not setwise's own, as far as another process can run them."""
    modules = {it.function.__module__ for it in PATTERNS.values()} - {"__main__"}
    modules = {it for it in modules if it.partition(".")[0] != "setwise"}
    return sorted({path for it in modules if (path := getattr(sys.modules.get(it), "__file__", None))})


# ------------------------------------------------------------------------------------------------- in the other process


def _answer_questions(pipe: Connection, own: list[str], function: Callable[..., Any]) -> None:
    """Answer questions from the pipe until it is closed; the module of the first one's function is loaded by now."""
    end_with_parent()

    def send(kind: str, value: Any) -> None:
        pipe.send_bytes(pickle.dumps((kind, value), protocol=pickle.HIGHEST_PROTOCOL))

    cache.announce = lambda name: send("compiling", name)
    warnings.showwarning = lambda message, *_: send("warning", str(message))
    with suppress(SetwiseError):  # a question that needs a missing pattern says so
        load_installed()
    for file in own:
        with suppress(SetwiseError):
            load(file)
    send("started", None)
    with suppress(EOFError, OSError):
        while True:
            function, arguments, listening, folder, memory = pickle.loads(pipe.recv_bytes())  # noqa: S301
            os.chdir(folder)
            for name in listening:
                arguments[name] = lambda value, name=name: send(name, value)
            send("answer", _answer(function, arguments, memory))


def _answer(function: Callable[..., Any], arguments: dict[str, Any], memory: int | None) -> Any:
    try:
        with bounded_memory(memory) if memory is not None else nullcontext():
            return function(**arguments)
    except MemoryError as error:
        return MemoryError(str(error))
    except Exception as error:  # noqa: BLE001  (the caller raises it)
        try:
            pickle.loads(pickle.dumps(error))  # noqa: S301
        except Exception:  # noqa: BLE001  (it cannot be sent to the caller)
            return QueryError(f"{type(error).__name__}: {shortened(str(error), 300)}")
        return error.with_traceback(None)
