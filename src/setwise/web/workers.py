"""Worker processes: long-lived processes that answer questions about one position, and a process for each search.

They are forked from a process that has imported everything and loaded the machine code, so they start in a few
milliseconds and share most of their memory. The memory, time and disk space of each are limited, and each can be killed
at any moment. A question takes a free process from a queue and puts it back; a process that is late, dead or no longer
wanted is killed and replaced. A search has its own process and folder; closing the generator of its lines ends the
process and removes the folder. A process reports when it compiles, and the time of compiling does not count.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import json
import multiprocessing
import os
import shutil
import tempfile
import threading
import time
from collections.abc import AsyncGenerator
from concurrent.futures import Future, ThreadPoolExecutor
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread

from setwise.system.processes import bound_memory, end_with_parent, hidden_main
from setwise.web.limits import NO_DESCRIPTORS, TABLES, TOO_MUCH_MEMORY, ServerLimits, is_exhausted

#: A line that explains a delay: the process is compiling.
_COMPILING = b'{"type":"compiling"}'
_START = threading.Lock()
#: The threads that wait for processes: enough for all searches and also for questions.
_THREADS = 128
#: The number of the first line of a search that has a result; line 0 describes the search.
_FIRST_RESULT = 1


#: The seconds between two attempts to replace a process that has ended.
_RETRY = 0.5


class Busy(Exception):
    """Too many requests run or wait already; the message says which kind."""


class TooLong(Exception):
    """A request took more time or memory than its limit."""


class Workers:
    """The processes of one workbench.

    Args:
        sources: the names of the files that may be searched.
        own: the files and modules of the user's own patterns.
        limits: the limits of each process.
    """

    def __init__(self, sources: list[str], own: list[str], limits: ServerLimits) -> None:
        self.sources, self.own, self.limits = sources, own, limits
        self.folder = Path(tempfile.mkdtemp(prefix="setwise-web-"))
        methods = multiprocessing.get_all_start_methods()
        self.context: Any = multiprocessing.get_context("forkserver" if "forkserver" in methods else "spawn")
        if "forkserver" in methods:
            self.context.set_forkserver_preload(["setwise.web.preload"])
        self._free: asyncio.Queue[_Process] = asyncio.Queue()
        self._all: set[_Process] = set()
        self._renewing: set[asyncio.Task[None]] = set()
        #: Joins killed processes, so that none of them keeps a descriptor or a file.
        self._ending = ThreadPoolExecutor(1, "ending")
        self._waiting = 0

    async def start(self) -> None:
        """Start the long-lived processes."""
        self._loop = asyncio.get_running_loop()
        self._searching = asyncio.Semaphore(self.limits.parallel_searches)
        self._thinking = asyncio.Semaphore(1)  # there is one engine
        self._threads = anyio.CapacityLimiter(_THREADS)
        for _ in range(self.limits.answer_processes):
            self._free.put_nowait(await self._started(_answer_questions, self.folder / TABLES))

    async def settle(self, sources: list[str]) -> None:
        """Set the sources of all later questions and searches."""
        self.sources = sources
        for process in [await self._free.get() for _ in range(self.limits.answer_processes)]:
            self._end(process)
            await self._renew()

    async def ask(self, question: str, /, **arguments: Any) -> bytes:
        """Return the answer to a question, as JSON.

        Raises ``TooLong`` if the answer exceeds a limit, and ``Busy`` if no process becomes free in the same time.
        """
        try:
            process = await asyncio.wait_for(self._free.get(), self.limits.answer_time)
        except TimeoutError:
            raise Busy("too many questions wait already: try again in a moment") from None
        answer: bytes | None = None
        try:
            answer = await self._in_thread(process.answer, (question, arguments), self.limits)
        finally:
            if answer is None:  # the process is late or dead, or the browser has disconnected
                self._end(process)
                self._renewing.add(renewing := asyncio.create_task(self._renew()))
                renewing.add_done_callback(self._renewing.discard)
            else:
                self._free.put_nowait(process)
        return answer

    async def _renew(self) -> None:
        """Start a new process in place of one that has ended; retry while the system lacks the resources."""
        while True:
            with contextlib.suppress(OSError):
                return self._free.put_nowait(await self._started(_answer_questions, self.folder / TABLES))
            await asyncio.sleep(_RETRY)

    def search(self, task: str, /, **arguments: Any) -> AsyncGenerator[bytes]:
        """Return the lines of a search, as a generator; closing the generator ends the search.

        Raises ``Busy`` when too many searches wait already.
        """
        if self._waiting >= self.limits.queued_searches:
            raise Busy("too many searches wait already: try again in a moment")
        return self._search(task, arguments)

    async def _search(self, task: str, arguments: dict[str, Any]) -> AsyncGenerator[bytes]:
        gate = self._thinking if task == "engine" else self._searching
        self._waiting += 1
        try:
            while True:
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(gate.acquire(), 0.5)
                    break
                yield json.dumps({"type": "waiting", "before": self._waiting - 1}).encode()
        finally:
            self._waiting -= 1
        process = folder = None
        try:
            folder = tempfile.mkdtemp(dir=self.folder)
            process = await self._started(_search, task, arguments, folder)
            until = time.monotonic() + self.limits.search_time
            while True:
                line = await self._in_thread(process.line, until)
                if line is None:
                    return
                if line == _COMPILING:  # code is compiled only once, and this time does not count
                    until = time.monotonic() + self.limits.search_time
                yield line
        except TooLong:
            yield _failed(
                f"it took more than {self.limits.search_time:.0f} seconds, or more memory than one search may have"
            )
        except OSError as error:
            yield _failed(NO_DESCRIPTORS if is_exhausted(error) else f"the search cannot begin: {error.strerror}")
        finally:  # the semaphore is released after the process has ended, so the number of processes stays limited
            self._end(process, folder).add_done_callback(functools.partial(self._release, gate))

    def close(self) -> None:
        """End all processes and remove their files."""
        for task in self._renewing:
            task.cancel()
        for process in list(self._all):
            self._end(process)
        self._ending.submit(bool).result()  # wait until the last process has ended
        shutil.rmtree(self.folder, ignore_errors=True)

    async def _started(self, target: Any, *arguments: Any) -> _Process:
        """Return a new process; if the caller is cancelled meanwhile, the process is ended once it has started."""
        starting = asyncio.ensure_future(
            self._in_thread(_Process, self.context, target, self.sources, self.own, self.limits, *arguments)
        )
        try:
            process: _Process = await asyncio.shield(starting)
        except asyncio.CancelledError:
            starting.add_done_callback(self._end_unused)
            raise
        self._all.add(process)
        return process

    def _end_unused(self, started: asyncio.Future[_Process]) -> None:
        if not started.cancelled() and started.exception() is None:
            self._end(started.result())

    async def _in_thread(self, function: Any, *arguments: Any) -> Any:
        """Call a blocking function in a thread, which is abandoned when the caller is cancelled."""
        return await anyio.to_thread.run_sync(function, *arguments, abandon_on_cancel=True, limiter=self._threads)

    def _end(self, process: _Process | None, folder: str | None = None) -> Future[None]:
        """End a process, then remove its folder; the future is done after both."""
        if process is not None:
            self._all.discard(process)
            process.kill()
        return self._ending.submit(_end_and_remove, process, folder)

    def _release(self, gate: asyncio.Semaphore, ended: Future[None]) -> None:
        with contextlib.suppress(RuntimeError):  # the workbench has ended meanwhile
            self._loop.call_soon_threadsafe(gate.release)


def _end_and_remove(process: _Process | None, folder: str | None) -> None:
    if process is not None:
        process.end()
    if folder is not None:
        shutil.rmtree(folder, ignore_errors=True)


class _Process:
    """A process and the pipe to it."""

    def __init__(self, context: Any, target: Any, *arguments: Any) -> None:
        self._in_use = threading.Lock()
        self.pipe, other_end = context.Pipe()
        try:
            self.process = context.Process(target=target, args=(other_end, *arguments), daemon=True)
            with _START, hidden_main():
                self.process.start()
        except BaseException:
            self.pipe.close()
            raise
        finally:
            other_end.close()

    def answer(self, question: Any, limits: ServerLimits) -> bytes:
        """Return the answer to a question; a question whose code must be compiled first gets more time."""
        with self._in_use:
            try:
                self.pipe.send(question)
                until = time.monotonic() + limits.answer_time
                while (line := self._received(until)) == _COMPILING:
                    until = time.monotonic() + limits.compile_time
            except (EOFError, OSError):
                raise TooLong from None
            return line

    def line(self, until: float) -> bytes | None:
        """Return the next line; None at the end."""
        with self._in_use:
            try:
                return self._received(until)
            except (EOFError, OSError):
                if self.pipe.closed or self._has_died():
                    raise TooLong from None
                return None

    def _has_died(self) -> bool:
        self.process.join(1)
        return self.process.exitcode not in {0, None}

    def _received(self, until: float) -> bytes:
        if not self.pipe.poll(max(0.0, until - time.monotonic())):
            raise TooLong
        line: bytes = self.pipe.recv_bytes()
        return line

    def kill(self) -> None:
        """Kill the process; a thread that waits for a line from it then reads the end of the pipe."""
        with contextlib.suppress(Exception):
            self.process.kill()

    def end(self) -> None:
        """Kill the process, and close this side's pipe and the descriptors that watch the process."""
        self.kill()
        with self._in_use:  # a descriptor closed while a thread reads from it could be reused for another file
            self.pipe.close()
            with contextlib.suppress(ValueError):  # already closed, or in a system call for more than five seconds
                self.process.join(5)
                self.process.close()


# ------------------------------------------------------------------------------------------------ in the processes


#: Held while a line is sent: threads of a search may compile at the same time, but lines in a pipe must not mix.
_SENDING = threading.Lock()


def _send(pipe: Connection, line: bytes) -> None:
    with _SENDING:
        pipe.send_bytes(line)


def _failed(reason: str) -> bytes:
    return json.dumps({"type": "error", "error": reason}).encode()


def _apply_limits(limits: ServerLimits) -> None:
    """Limit the memory and disk of this process, and end it together with the workbench."""
    end_with_parent()
    bound_memory(limits.memory)
    with contextlib.suppress(ImportError):  # Windows has no such limits
        import resource

        resource.setrlimit(resource.RLIMIT_FSIZE, (limits.file,) * 2)


def _prepare(pipe: Connection, sources: list[str], own: list[str]) -> None:
    """Load the user's own patterns, report compilations through the pipe, and let conditions read no other files."""
    from setwise.compiler import cache
    from setwise.corpus.language.names import Repertoires, why_not
    from setwise.features.own import load

    Repertoires((it for it in sources if not why_not(it)), "start this workbench with it, too").allow()
    cache.announce = lambda name: _send(pipe, _COMPILING)
    for name in own:
        load(name)


def _answer_questions(pipe: Connection, sources: list[str], own: list[str], limits: ServerLimits, tables: Path) -> None:
    """Answer questions from the pipe until it is closed."""
    from setwise.web import answers

    _prepare(pipe, sources, own)
    _apply_limits(limits)
    with contextlib.suppress(EOFError, OSError, KeyboardInterrupt):
        while True:
            question, arguments = pipe.recv()
            _send(pipe, answers.answer(question, arguments, sources, tables))


def _search(
    pipe: Connection,
    sources: list[str],
    own: list[str],
    limits: ServerLimits,
    task: str,
    arguments: dict[str, Any],
    folder: str,
) -> None:
    """Search, and send the result line by line."""
    from setwise.web import searching

    tempfile.tempdir = folder
    try:
        _prepare(pipe, sources, own)
        _apply_limits(limits)
        for number, line in enumerate(searching.run(task, arguments, sources, limits, folder)):
            _send(pipe, line)
            if number == _FIRST_RESULT:  # the page has a first result, so questions now have priority
                with contextlib.suppress(AttributeError, OSError):
                    os.nice(10)
    except (BrokenPipeError, KeyboardInterrupt):
        return
    except MemoryError:
        _send(pipe, _failed(TOO_MUCH_MEMORY))
    pipe.close()
