"""Tables of machine code: each exists once in a process, in the cache and in a wheel; its name is a digest of it.

Numba copies a global array into every function that uses it. Functions of a search that call each other would then read
several copies, which takes a quarter more time.
"""

from __future__ import annotations

import hashlib
from threading import Lock

import llvmlite.binding as llvm
import numpy as np

#: The beginning of the name of a table, and the number of bytes from which on an array becomes a table.
PREFIX, LARGE = "setwise.table.", 1 << 11

_ALIGNMENT = 64

#: The tables of this process. Code that was loaded has their addresses, so none is ever made twice or let go.
_tables: dict[str, np.ndarray] = {}
_lock = Lock()


def shared(contents: bytes) -> str:
    """Return the name by which LLVM knows a table."""
    name = PREFIX + hashlib.sha256(contents).hexdigest()[:16]
    with _lock:
        if name not in _tables:
            memory = np.empty(len(contents) + _ALIGNMENT, np.uint8)
            table = memory[-memory.ctypes.data % _ALIGNMENT :][: len(contents)]
            table[:] = np.frombuffer(contents, np.uint8)
            llvm.add_symbol(name, table.ctypes.data)
            _tables[name] = table
    return name


def contents_of(name: str) -> bytes:
    """Return the contents of a table of this process."""
    return _tables[name].tobytes()


def definition(name: str) -> str:
    """Return a table as LLVM's text, for code that is not run in this process."""
    table = _tables[name]
    text = "".join(f"\\{byte:02X}" for byte in table.tolist())
    return f'@"{name}" = linkonce_odr constant [{table.size} x i8] c"{text}", align {_ALIGNMENT}'
