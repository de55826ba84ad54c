"""Processes that answer: some that stay, for questions about one position, and one for each search.

They branch off a process that has imported everything and read the machine code, so they start in a few milliseconds
and share most of their memory. None of them may take more memory, time or disk than it is given, and each can be ended
at any moment.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import multiprocessing
import os
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import AsyncGenerator, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from multiprocessing.connection import Connection, wait
from pathlib import Path
from types import ModuleType
from typing import Any

import anyio
import anyio.to_thread

from setwise.system.processes import bound_memory
from setwise.web.descriptors import NONE_LEFT, none_left
from setwise.web.limits import TOO_MUCH_MEMORY, Limits

__all__ = ["Busy", "TooLong", "Workers"]

#: A line that tells why nothing comes: the work goes on.
_COMPILING = b'{"type":"compiling"}'
_START = threading.Lock()
#: Threads that wait for processes: so many that a full house of searches leaves enough for other questions.
_THREADS = 128
#: The line of a search that has something to look at: the one behind what tells how it begins.
_FIRST_LOOK = 1


#: Seconds between two attempts to replace a process that has ended.
_AGAIN = 0.5


class Busy(Exception):
    """So much is asked already that one more would have to wait too long; the sentence says of what."""


class TooLong(Exception):
    """Something took more time or memory than it may."""


class Workers:
    """The processes of one workbench.

    Args:
        sources: the names of the files that may be searched.
        own: the files and modules of somebody's own patterns.
        limits: what each may cost.
    """

    def __init__(self, sources: list[str], own: list[str], limits: Limits) -> None:
        self.sources, self.own, self.limits = sources, own, limits
        self.folder = Path(tempfile.mkdtemp(prefix="setwise-web-"))
        methods = multiprocessing.get_all_start_methods()
        self.context: Any = multiprocessing.get_context("forkserver" if "forkserver" in methods else "spawn")
        if "forkserver" in methods:
            self.context.set_forkserver_preload(["setwise.web.preload"])
        self._free: asyncio.Queue[_Process] = asyncio.Queue()
        self._all: set[_Process] = set()
        self._renewing: set[asyncio.Task[None]] = set()
        #: Where processes that were ended are waited for, so that none of them keeps a descriptor or a file.
        self._ending = ThreadPoolExecutor(1, "ending")
        self._waiting = 0

    async def start(self) -> None:
        """Start the processes that stay."""
        self._loop = asyncio.get_running_loop()
        self._searching = asyncio.Semaphore(self.limits.searching)
        self._threads = anyio.CapacityLimiter(_THREADS)
        for _ in range(self.limits.answering):
            self._free.put_nowait(await self._begun(_answer_on))

    async def settle(self, sources: list[str]) -> None:
        """Let everything from now on search other files."""
        self.sources = sources
        for process in [await self._free.get() for _ in range(self.limits.answering)]:
            self._end(process)
            await self._renew()

    async def ask(self, question: str, /, **given: Any) -> bytes:
        """Return the answer to a question, as JSON.

        Raises ``TooLong`` when it takes more than it may; ``Busy`` when all processes are at work for so long.
        """
        try:
            process = await asyncio.wait_for(self._free.get(), self.limits.patience)
        except TimeoutError:
            raise Busy("too much is asked at the moment") from None
        answer: bytes | None = None
        try:
            answer = await self._in_thread(process.asked, (question, given), self.limits)
        finally:
            if answer is None:  # it is late, dead, or answers somebody who has gone
                self._end(process)
                self._renewing.add(renewing := asyncio.create_task(self._renew()))
                renewing.add_done_callback(self._renewing.discard)
            else:
                self._free.put_nowait(process)
        return answer

    async def _renew(self) -> None:
        """Put a new process in the place of one that has ended, as soon as the system has what it takes."""
        while True:
            with contextlib.suppress(OSError):
                return self._free.put_nowait(await self._begun(_answer_on))
            await asyncio.sleep(_AGAIN)

    def search(self, task: str, /, **given: Any) -> AsyncGenerator[bytes]:
        """Return the lines of a search; it ends when the caller closes them.

        Raises ``Busy`` when too many wait already.
        """
        if self._waiting >= self.limits.waiting:
            raise Busy("too many searches wait already: try again in a moment")
        return self._search(task, given)

    async def _search(self, task: str, given: dict[str, Any]) -> AsyncGenerator[bytes]:
        self._waiting += 1
        try:
            while True:
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._searching.acquire(), 0.5)
                    break
                yield json.dumps({"type": "waiting", "before": self._waiting - 1}).encode()
        finally:
            self._waiting -= 1
        process = folder = None
        try:
            folder = tempfile.mkdtemp(dir=self.folder)
            process = await self._begun(_search, task, given, folder)
            until = time.monotonic() + self.limits.search
            while True:
                line = await self._in_thread(process.line, until)
                if line is None:
                    return
                yield line
        except TooLong:
            yield _failed(
                f"it took more than {self.limits.search:.0f} seconds, or more memory than one search may have"
            )
        except OSError as error:
            yield _failed(NONE_LEFT if none_left(error) else f"the search cannot begin: {error.strerror}")
        finally:  # the place is free when its process is gone, so no more of them are there than may be
            self._end(process, folder).add_done_callback(self._release)

    def close(self) -> None:
        """End all processes and remove what they wrote."""
        for task in self._renewing:
            task.cancel()
        for process in list(self._all):
            self._end(process)
        self._ending.submit(bool).result()  # the last of them has ended
        shutil.rmtree(self.folder, ignore_errors=True)

    async def _begun(self, target: Any, *arguments: Any) -> _Process:
        """Return a new process; who is called off meanwhile leaves none behind."""
        given = self.context, target, self.sources, self.own, self.limits, *arguments
        beginning = asyncio.ensure_future(self._in_thread(_Process, *given))
        try:
            process: _Process = await asyncio.shield(beginning)
        except asyncio.CancelledError:
            beginning.add_done_callback(self._not_wanted)
            raise
        self._all.add(process)
        return process

    def _not_wanted(self, begun: asyncio.Future[_Process]) -> None:
        if not begun.cancelled() and begun.exception() is None:
            self._end(begun.result())

    async def _in_thread(self, function: Any, *arguments: Any) -> Any:
        """Call what waits in a thread, which is left to itself when nobody waits for it any more."""
        return await anyio.to_thread.run_sync(function, *arguments, abandon_on_cancel=True, limiter=self._threads)

    def _end(self, process: _Process | None, folder: str | None = None) -> Future[None]:
        """End a process, remove its folder behind it, and return what is done then."""
        if process is not None:
            self._all.discard(process)
            process.kill()
        return self._ending.submit(_ended, process, folder)

    def _release(self, ended: Future[None]) -> None:
        with contextlib.suppress(RuntimeError):  # the workbench has ended meanwhile
            self._loop.call_soon_threadsafe(self._searching.release)


def _ended(process: _Process | None, folder: str | None) -> None:
    if process is not None:
        process.end()
    if folder is not None:
        shutil.rmtree(folder, ignore_errors=True)


class _Process:
    """A process and the line to it."""

    def __init__(self, context: Any, target: Any, *arguments: Any) -> None:
        self._waited_for = threading.Lock()
        self.line_to, line_from = context.Pipe()
        try:
            self.process = context.Process(target=target, args=(line_from, *arguments), daemon=True)
            with _START, _nothing_to_run_again():
                self.process.start()
        except BaseException:
            self.line_to.close()
            raise
        finally:
            line_from.close()

    def asked(self, question: Any, limits: Limits) -> bytes:
        """Return the answer; what is compiled for it, once, may take longer."""
        with self._waited_for:
            try:
                self.line_to.send(question)
                until = time.monotonic() + limits.patience
                while (line := self._received(until)) == _COMPILING:
                    until = time.monotonic() + limits.compiling
            except (EOFError, OSError):
                raise TooLong from None
            return line

    def line(self, until: float) -> bytes | None:
        """Return the next line; None at the end."""
        with self._waited_for:
            try:
                return self._received(until)
            except (EOFError, OSError):
                if self.line_to.closed or self._has_died():
                    raise TooLong from None
                return None

    def _has_died(self) -> bool:
        self.process.join(1)
        return self.process.exitcode not in {0, None}

    def _received(self, until: float) -> bytes:
        if not self.line_to.poll(max(0.0, until - time.monotonic())):
            raise TooLong
        line: bytes = self.line_to.recv_bytes()
        return line

    def kill(self) -> None:
        """End it, whatever it is doing; a thread that waits for its line sees that there will be none."""
        with contextlib.suppress(Exception):
            self.process.kill()

    def end(self) -> None:
        """End it and close what this side holds of it: the line, and the pipes that watch it."""
        self.kill()
        with self._waited_for:  # a number that is closed under a waiting thread may mean another file the next moment
            self.line_to.close()
            with contextlib.suppress(ValueError):  # closed already; or it hangs in the system, and is left to it
                self.process.join(5)
                self.process.close()


@contextlib.contextmanager
def _nothing_to_run_again() -> Iterator[None]:
    """Let a new process run nothing of the program that started this one: it needs no word of it."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


# ------------------------------------------------------------------------------------------------ in the processes


def _failed(reason: str) -> bytes:
    return json.dumps({"type": "error", "error": reason}).encode()


def _bounded(limits: Limits) -> None:
    """Give up the right to more memory and disk than a request may have, and to outlive the workbench."""
    threading.Thread(target=_end_with_the_workbench, daemon=True).start()
    bound_memory(limits.memory)
    with contextlib.suppress(ImportError):  # Windows has no such limits
        import resource

        resource.setrlimit(resource.RLIMIT_FSIZE, (limits.file,) * 2)


def _end_with_the_workbench() -> None:
    """End this process when the one that started it has ended, even if that was killed."""
    if (parent := multiprocessing.parent_process()) is not None:
        wait([parent.sentinel])
        os._exit(1)


def _prepared(line: Connection, own: list[str]) -> None:
    """Load somebody's own patterns, and tell when something compiles."""
    from setwise.compiler import cache
    from setwise.features.own import load

    cache.announce = lambda name: line.send_bytes(_COMPILING)
    for name in own:
        load(name)


def _answer_on(line: Connection, sources: list[str], own: list[str], limits: Limits) -> None:
    """Answer questions as long as somebody asks."""
    from setwise.web import answers

    _prepared(line, own)
    _bounded(limits)
    with contextlib.suppress(EOFError, OSError, KeyboardInterrupt):
        while True:
            question, given = line.recv()
            line.send_bytes(answers.answer(question, given, sources))


def _search(
    line: Connection, sources: list[str], own: list[str], limits: Limits, task: str, given: dict[str, Any], folder: str
) -> None:
    """Search, and send what is found line by line."""
    from setwise.web import searching

    tempfile.tempdir = folder
    try:
        _prepared(line, own)
        _bounded(limits)
        for number, found in enumerate(searching.run(task, given, sources, limits, folder)):
            line.send_bytes(found)
            if number == _FIRST_LOOK:  # whoever has seen something can wait; those who look at one position go first
                with contextlib.suppress(AttributeError, OSError):
                    os.nice(10)
    except (BrokenPipeError, KeyboardInterrupt):
        return
    except MemoryError:
        line.send_bytes(_failed(TOO_MUCH_MEMORY))
    line.close()
