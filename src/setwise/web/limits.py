"""How much one request, and all of them together, may cost."""

from __future__ import annotations

from typing import NamedTuple

from setwise.system.processes import processors

__all__ = ["TOO_MUCH_MEMORY", "Limits"]

TOO_MUCH_MEMORY = "a search here may not have so much memory: ask for fewer rows, or ask on the command line"


class Limits(NamedTuple):
    """Sizes in bytes, times in seconds."""

    #: Connections that are open at once; a browser opens six.
    connections: int = 200
    #: The head of a request from the connection on, a pause between two requests, an answer that is not read on.
    head: float = 10.0
    pause: float = 30.0
    unread: float = 60.0
    #: What a question may carry, and a file that is dropped on the page; the time for it, and more for so many bytes.
    body: int = 64 << 10
    upload: int = 256 << 20
    bringing: float = 10.0
    slowest: int = 16 << 10
    #: Files that are kept at once; the oldest goes first.
    uploads: int = 8
    #: A question about one position; with what has to be compiled for it, which happens once.
    patience: float = 8.0
    compiling: float = 180.0
    #: Processes that answer them.
    answering: int = 2
    #: A search from its start on.
    search: float = 300.0
    #: Searches that run at the same time, and that wait for their turn.
    searching: int = max(2, processors() // 2)
    waiting: int = 32
    #: Threads of a search: all searches together get along with the processors, and each with its memory.
    threads: int = 2 if processors() > 2 else 1
    #: Memory that a process may take beside what it shares with the others, and a file that it writes.
    memory: int = 1 << 30
    file: int = 1 << 30
    #: Matches of a search that are sent, rows of an answer, matches in a file, and in one that draws each of them.
    matches: int = 1000
    rows: int = 2000
    written: int = 100_000
    drawn: int = 2000
