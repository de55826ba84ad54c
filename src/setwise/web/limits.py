"""How much time, memory and disk one request may use, and how many may run at once."""

from __future__ import annotations

from typing import NamedTuple

from setwise.system.processes import processors

__all__ = ["TABLES", "TOO_MUCH_MEMORY", "ServerLimits"]

#: The folder of the tables of games, inside the folder of the workbench.
TABLES = "tables"

TOO_MUCH_MEMORY = "a search here needs more memory than is allowed: ask for fewer rows, or search on the command line"


class ServerLimits(NamedTuple):
    """The limits of the workbench: sizes in bytes, times in seconds."""

    #: Connections that are open at once; a browser opens six.
    connections: int = 200
    #: Time for the head of a request, counted from the connection; for a pause between two requests; for the browser to
    #: go on reading an answer.
    head: float = 10.0
    pause: float = 30.0
    unread: float = 60.0
    #: Size of the body of a request, and of an uploaded file.
    body: int = 64 << 10
    upload: int = 256 << 20
    #: Time for a body: so many seconds, and one more for each ``body_rate`` bytes received.
    body_time: float = 10.0
    body_rate: int = 16 << 10
    #: Uploaded files that are kept at once; the oldest is deleted first.
    uploads: int = 8
    #: Time for a question about one position, and for one whose code must first be compiled, which happens once.
    answer_time: float = 8.0
    compile_time: float = 180.0
    #: Processes that answer questions.
    answer_processes: int = 2
    #: Time for a search, counted from its start.
    search_time: float = 300.0
    #: Searches that run at the same time, and searches that wait in the queue.
    parallel_searches: int = max(2, processors() // 2)
    queued_searches: int = 32
    #: Threads of a search, so few that parallel searches fit the processors and each fits its memory.
    threads: int = 2 if processors() > 2 else 1
    #: Memory of a process, not counting what it shares with the others, and size of a file that it writes.
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
