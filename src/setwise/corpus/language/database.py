"""The database that answers: one for each thread, with the functions that it has been asked for."""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping

import duckdb

from setwise.compiler import Pattern
from setwise.corpus.language.functions import function_names, register
from setwise.corpus.language.tree import cut, open_database
from setwise.errors import did_you_mean

__all__ = ["answering_database", "database", "reason"]


def answering_database(threads: int = 1, **settings: str) -> duckdb.DuckDBPyConnection:
    """Return a database for conditions and statements, without any way out.

    DuckDB counts squares in numbers up to 127, and refuses to multiply them: here they have room.
    """
    opened = open_database(threads, **settings)
    opened.execute("create macro bit_count(those) as system.main.bit_count(those)::integer").fetchall()
    return opened


#: What is said where the system gives no more.
_NO_MEMORY = re.compile(r"bad_alloc|out of memory|cannot allocate memory|failed to allocate", re.IGNORECASE)


#: Letters of what the database says; all its own sentences are shorter.
_LONGEST = 300


class Database(threading.local):
    """A database of a thread's own."""

    def __init__(self) -> None:
        self.connection = answering_database()
        self.functions: dict[str, Pattern] = {}

    def with_functions(self, named: Mapping[str, Pattern]) -> duckdb.DuckDBPyConnection:
        """Return the connection, these patterns being functions of it."""
        for name, found in named.items():
            if self.functions.get(name) is not found:
                if name in self.functions:
                    self.connection.remove_function(name)
                register(self.connection, found)
                self.functions[name] = found
        return self.connection


database = Database()


def reason(error: duckdb.Error) -> str:
    """What DuckDB says of a condition, in one sentence; raises ``MemoryError`` where it is not about the condition."""
    if isinstance(error, duckdb.OutOfMemoryException) or _NO_MEMORY.search(str(error)):
        raise MemoryError("the database got no memory") from None
    told = str(error).split("\n")[0].split("Error: ")[-1]
    if unknown := re.match(r"Scalar Function with name (\S+) does not exist", told):
        return f"there is no function {cut(unknown[1])}{did_you_mean(unknown[1], [*function_names(), 'bit_count'])}"
    if text := re.match(r"Could not convert string .* when casting from source column ([a-z]\w*)", told):
        return f"{text[1]} holds texts, and a text stands in single quotes"
    return cut(told, _LONGEST)
