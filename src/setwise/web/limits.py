"""The limits of the workbench: sizes and numbers, the fields of a request, open descriptors."""

from __future__ import annotations

import contextlib
import errno
import functools
import inspect
import os
import socket
import time
from collections.abc import Callable, Sequence
from typing import Annotated, Any, NamedTuple

from setwise.errors import QueryError, did_you_mean
from setwise.system.processes import processors

# -------------------------------------------------------------------------------------------------------- how much time


#: The folder of the tables of games, inside the folder of the workbench.
TABLES = "tables"

TOO_MUCH_MEMORY = "a search here needs more memory than is allowed: ask for fewer rows, or search on the command line"


class ServerLimits(NamedTuple):
    """The limits of the workbench: sizes in bytes, times in seconds."""

    #: The most connections that are open at once; a browser opens six.
    connections: int = 200
    #: Time for the head of a request, counted from the connection; for a pause between two requests; for a pause while
    #: the browser reads an answer.
    head: float = 10.0
    pause: float = 30.0
    unread: float = 60.0
    #: Size of the body of a request, and of an uploaded file.
    body: int = 64 << 10
    upload: int = 256 << 20
    #: Time for a body: this many seconds, and one more second for each ``body_rate`` bytes received.
    body_time: float = 10.0
    body_rate: int = 16 << 10
    #: Uploaded files that are kept at once; the oldest is deleted first.
    uploads: int = 8
    #: Time for a question about one position, and for a question whose code must first be compiled, once.
    answer_time: float = 8.0
    compile_time: float = 180.0
    #: Processes that answer questions.
    answer_processes: int = 2
    #: Time for a search, counted from its start.
    search_time: float = 300.0
    #: Searches that run at the same time, and searches that wait in the queue.
    parallel_searches: int = max(2, processors() // 2)
    queued_searches: int = 32
    #: Threads of a search: few enough that parallel searches fit the processors, and that a search fits its memory.
    threads: int = 2 if processors() > 2 else 1
    #: Memory of a process, not counting memory that it shares with the others, and size of a file that it writes.
    memory: int = 1 << 30
    file: int = 1 << 30
    #: Matches of a search that are sent, rows of an answer, matches in a file and in an HTML file, and exercises.
    matches: int = 1000
    rows: int = 2000
    file_matches: int = 100_000
    html_matches: int = 2000
    exercises: int = 600
    #: Games in a table of games, tables that are kept at once, and threads that read all games for a table or a tree.
    games: int = 5_000_000
    tables: int = 8
    table_threads: int = min(2, processors())
    #: The engine that may be started, a name or a path; its seconds and depth for a position, megabytes of its hash.
    engine: str = ""
    engine_time: float = 15.0
    engine_depth: int = 30
    engine_hash: int = 64


# ------------------------------------------------------------------- the questions and searches that a request can name


#: The questions about one position and about the sources, and the searches.
QUESTIONS = (
    "hello", "catalogue", "page", "board", "play", "start960", "steps", "desk", "condition", "understand", "offers",
    "like", "games", "players", "questions", "progress", "attempt", "remember", "forget",
)  # fmt: skip
SEARCHES = ("find", "sql", "game", "games", "tree", "solve", "engine")

#: The type of an argument that counts something.
NonNegative = Annotated[int, "0 or more"]

_KINDS: dict[Any, tuple[str, Callable[[Any], bool]]] = {
    str: ("a text", lambda value: isinstance(value, str) and _is_unicode(value)),
    bool: ("true or false", lambda value: isinstance(value, bool)),
    int: ("a whole number", lambda value: isinstance(value, int) and not isinstance(value, bool)),
    NonNegative: ("a whole number, 0 or more", lambda value: _KINDS[int][1](value) and value >= 0),
    dict[str, str]: (
        "an object of texts",
        lambda value: isinstance(value, dict) and all(map(_KINDS[str][1], [*value, *value.values()])),
    ),
    Sequence[str]: ("a list of texts", lambda value: isinstance(value, list) and all(map(_KINDS[str][1], value))),
}


def _is_unicode(text: str) -> bool:
    return not any("\ud800" <= letter <= "\udfff" for letter in text)


@functools.cache
def _parameters(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    parameters = inspect.signature(function, eval_str=True).parameters.values()
    return {it.name: it for it in parameters if it.kind is inspect.Parameter.KEYWORD_ONLY}


def checked_arguments(function: Callable[..., Any], arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of a request, after checking that the function accepts all of them.

    Args:
        function: the function that answers; a request can fill its keyword-only parameters.
        arguments: the values in the request, by name.

    Raises:
        QueryError: for an argument that is unknown, missing, or of another type.

    Example:
        >>> def board(sources: list, *, fen: str, turned: bool = False): ...
        >>> checked_arguments(board, {"fen": "", "turned": True})
        {'fen': '', 'turned': True}
        >>> checked_arguments(board, {"fen": "", "sources": ["/etc/passwd"]})
        Traceback (most recent call last):
        setwise.errors.QueryError: there is no argument sources; the arguments are: fen turned
    """
    parameters = _parameters(function)
    for name, value in arguments.items():
        if name not in parameters:
            near = did_you_mean(name[:60], parameters)
            raise QueryError(
                f"there is no argument {name:.40}; the arguments are: {' '.join(parameters) or 'none'}{near}"
            )
        kind, is_valid = _KINDS[parameters[name].annotation]
        if not is_valid(value):
            raise QueryError(f"{name} is {kind}, not {value!r:.40}")
    for name, parameter in parameters.items():
        if parameter.default is parameter.empty and name not in arguments:
            raise QueryError(f"{name} is missing, {_KINDS[parameter.annotation][0]}")
    return arguments


# ----------------------------------------------------------------------------------------------------- file descriptors


NO_DESCRIPTORS = "the workbench has too many files and connections open: try again in a moment"
_ANSWER = (
    "HTTP/1.1 503 Service Unavailable\r\ncontent-type: text/plain; charset=utf-8\r\nconnection: close\r\n"
    f"content-length: {len(NO_DESCRIPTORS)}\r\n\r\n{NO_DESCRIPTORS}"
).encode()
_ERRORS = {errno.EMFILE, errno.ENFILE}
#: Seconds between two lines about missing descriptors.
WARNING_INTERVAL = 60


def is_exhausted(error: OSError) -> bool:
    """Return whether an operation failed because no descriptor is left."""
    return error.errno in _ERRORS


def can_open(count: int) -> bool:
    """Return whether this process can open ``count`` more files."""
    with contextlib.ExitStack() as descriptors:
        try:
            for _ in range(count):
                descriptors.callback(os.close, _null_descriptor())
        except OSError:
            return False
    return True


def _null_descriptor() -> int:
    """A descriptor of the null device."""
    return os.open(os.devnull, os.O_RDONLY)


def connection_limit(most: int) -> int:
    """Return how many connections may be open: at most ``most``, and at most half of this process's descriptors."""
    with contextlib.suppress(ImportError):  # Windows has no such limit
        import resource

        allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        if allowed != resource.RLIM_INFINITY:
            return max(8, min(most, allowed // 2))
    return most


class ListeningSocket(socket.socket):
    """A listening socket that answers 503 when no descriptor is left for a connection.

    The socket keeps one descriptor in reserve for this answer. asyncio would leave the connections in the queue, retry
    without end, and write a traceback for each attempt.

    Args:
        tell: called with a warning, at most once a minute.
    """

    def __init__(self, family: int, kind: int, proto: int, tell: Callable[[str], object]) -> None:
        super().__init__(family, kind, proto)
        self._tell, self._warned = tell, float("-inf")
        self._reserve: int | None = _null_descriptor()

    def accept(self) -> tuple[socket.socket, Any]:
        """Return the next connection; raises ``BlockingIOError`` if no connection waits, or if it was refused."""
        try:
            return super().accept()
        except OSError as error:
            if not is_exhausted(error):
                raise
        self._refuse()
        if time.monotonic() - self._warned >= WARNING_INTERVAL:
            self._warned = time.monotonic()
            self._tell(f"{NO_DESCRIPTORS} (ulimit -n prints the limit)")
        raise BlockingIOError

    def _refuse(self) -> None:
        """Accept the next connection with the reserved descriptor, answer 503, and close it."""
        if self._reserve is not None:
            os.close(self._reserve)
        self._reserve = None
        try:
            refused, _ = super().accept()
            with refused, contextlib.suppress(OSError):
                refused.setblocking(False)
                refused.send(_ANSWER)
                refused.shutdown(socket.SHUT_WR)
                refused.recv(1 << 16)  # closing with unread data would reset the connection before the answer is read
        finally:
            self._reserve = _null_descriptor()

    def close(self) -> None:
        """Close the socket and the reserved descriptor."""
        super().close()
        if self._reserve is not None:
            os.close(self._reserve)
        self._reserve = None
