"""The databases that evaluate conditions: one per thread, with the patterns that its conditions call."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

import duckdb

from setwise.compiler import Pattern
from setwise.corpus.language.functions import define_each, function_names, register
from setwise.corpus.language.tree import cut, open_database
from setwise.errors import did_you_mean
from setwise.system.files import own_folder
from setwise.system.processes import at_work, memory_left

__all__ = ["database", "files_database", "limited_database", "query_database", "reason"]


def query_database(threads: int = 1, reads: Iterable[str] = (), **settings: str) -> duckdb.DuckDBPyConnection:
    """Return a database for conditions and statements, without access to files other than ``reads`` or the network.

    DuckDB's ``bit_count`` returns an 8-bit integer, whose products overflow; here it returns a 32-bit integer.
    """
    opened = open_database(threads, reads, **settings)
    opened.execute("create macro bit_count(those) as system.main.bit_count(those)::integer").fetchall()
    define_each(opened)
    return opened


#: The smallest memory limit, in bytes, with which a database still works.
_LEAST = 32 << 20


def limited_database(threads: int, reads: Iterable[str] = (), **settings: str) -> duckdb.DuckDBPyConnection:
    """Return a database that can spill to a temporary folder what does not fit in memory, and has no other access.

    In a process whose memory is limited, the database gets an eighth of what is left: it uses more memory than it
    counts, and reading the sources needs much of the rest.
    """
    left = memory_left()
    most = {} if left is None else {"memory_limit": f"{max(left // 8, _LEAST) >> 20}MiB"}
    own = {"temp_directory": own_folder().name, "python_enable_replacements": "false"}
    return query_database(threads, reads, **own, **most, **settings)


#: The database that no query uses now, by the process and the files that it reads: opening one takes 30 ms.
_idle: dict[tuple[int | str, ...], duckdb.DuckDBPyConnection] = {}


@contextmanager
def files_database(threads: int, files: Iterable[str]) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yield a connection to a limited database that reads files, which is kept open for the next query of these.

    It keeps nothing of the files in memory, and while it is idle it has no threads, which a forked process would lose.
    """
    files = list(files)
    key: tuple[int | str, ...] = (os.getpid(), *files)
    kept = _idle.pop(key, None) or limited_database(1, files, enable_external_file_cache="false")
    with at_work(), kept.cursor() as connection:
        connection.execute(f"set threads = {threads}").fetchall()
        yield connection
        connection.execute("set threads = 1").fetchall()
    if memory_left() is None:
        _idle.clear()
        _idle[key] = kept


#: How messages read when the system has no memory left.
_NO_MEMORY = re.compile(r"bad_alloc|out of memory|cannot allocate memory|failed to allocate", re.IGNORECASE)


#: The longest message of DuckDB that is shown whole; its own sentences are all shorter.
_LONGEST = 300

_SIZE = "bit_count(own_knights) is the number of squares of a set"
#: What messages say of signs and functions of other languages, and what to write here.
_OTHER_WORDS = {
    "WHERE clause cannot contain aggregates": (
        f"a condition is about one position, and this adds up rows: {_SIZE}; rows are added up by a statement of sql, "
        "or in a window, as count(*) over game"
    ),
    "(UBIGINT)'. You might need": f"no such function takes a set of squares: {_SIZE}",
    "name size does not exist": f"there is no function size: {_SIZE}",
    "'&&(": "there is no &&: write and between conditions, & between sets",
    "lambda arrow (->)": (
        "there is no ->: write lambda s: and the condition, as any_of(own_knights, lambda s: s & enemy_attacks <> 0)"
    ),
}  # fmt: skip
_SIGNS_TOGETHER = re.compile(r"Scalar Function with name [&|]+~ does not exist")


class Database(threading.local):
    """The database of the current thread."""

    connection: duckdb.DuckDBPyConnection | None = None

    def __init__(self) -> None:
        self.functions: dict[str, Pattern] = {}

    def with_functions(self, patterns: Mapping[str, Pattern]) -> duckdb.DuckDBPyConnection:
        """Return the connection, with these patterns as functions."""
        if self.connection is None:
            self.connection = query_database()
        for name, pattern in patterns.items():
            if self.functions.get(name) is not pattern:
                if name in self.functions:
                    self.connection.remove_function(name)
                register(self.connection, pattern)
                self.functions[name] = pattern
        return self.connection


database = Database()


#: Operators as users write them, by DuckDB's names.
_SIGNS = {"~~": "like", "!~~": "not like", "~~*": "ilike", "!~~*": "not ilike", "~~~": "glob"}


def _in_words(types: Iterable[str]) -> str:
    """Types of DuckDB in the words of messages: ``a text and a number``."""
    return " and ".join(map(_in_word, types)) or "nothing"


def _in_word(name: str) -> str:
    bare = name.removesuffix("_LITERAL").partition("(")[0]
    if name.endswith("[]"):
        return "a list"
    if bare in {"VARCHAR", "STRING"}:
        return "a text"
    if bare in {"UBIGINT", "UINT64"}:
        return "a set of squares"
    if bare in {"BOOLEAN", "BOOL"}:
        return "true or false"
    return "a number" if re.match(r"U?(TINY|SMALL|BIG|HUGE)?INT|DOUBLE|FLOAT|DECIMAL|INTEGER", bare) else bare.lower()


def reason(error: duckdb.Error) -> str:
    """DuckDB's message about a condition, in one sentence; raises ``MemoryError`` if the cause is a lack of memory."""
    if isinstance(error, duckdb.OutOfMemoryException) or _NO_MEMORY.search(str(error)):
        raise MemoryError("the database got no memory") from None
    message = str(error).split("\n")[0].split("Error: ")[-1]
    if _SIGNS_TOGETHER.match(message):
        return "signs that follow each other need a blank between them, as white_pawns & ~black_pawns"
    for word, instead in _OTHER_WORDS.items():
        if word in message:
            return instead
    if unknown := re.match(r"Scalar Function with name (\S+) does not exist", message):
        return f"there is no function {cut(unknown[1])}{did_you_mean(unknown[1], [*function_names(), 'bit_count'])}"
    if text := re.match(r"Could not convert string .* when casting from source column ([a-z]\w*)", message):
        return (
            f"{text[1]} holds texts, and texts are written in single quotes: {text[1]} = '…', or {text[1]} is not null"
        )
    if types := re.search(r"'(\S+?)\(([^']*)\)'\. You might need|function call \"(\S+?)\((.*)\)\"\. In order", message):
        name, arguments = (types[1], types[2]) if types[1] else (types[3], types[4])
        return f"{_SIGNS.get(name, name)} takes other things than {_in_words(arguments.split(', '))}"
    if types := re.match(
        r"Cannot compare values of type (\S+) and type (\S+)|Unimplemented type for cast \((\S+) -> (\S+)\)", message
    ):
        return f"{_in_words(filter(None, types.groups()))} cannot be compared"
    if types := re.match(r"Could not convert string ('.*') to (\w+)", message):
        return f"{cut(types[1])} is a text, and {_in_words([types[2]])} is needed"
    if types := re.match(r"Type \S+ with value ('.*') can't be cast to the destination type (\S+)", message):
        return f"{cut(types[1])} is a text, and {_in_words([types[2]])} is needed"
    if re.match(r"Overflow in \w+ of ", message):
        return "a result is too large for numbers of its type: a cast widens one of them, as in ply::bigint"
    return cut(message, _LONGEST)
