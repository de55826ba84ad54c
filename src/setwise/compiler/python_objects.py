"""Python objects as arguments and results of compiled code: it reads bytes without a copy, builds str, bytes and lists.

To convert one number between Python and compiled code takes some 20 ns. The thirteen of a position, or the forty moves
of a list, would take longer to convert than to compute; one object costs as much as one number.
"""

from __future__ import annotations

from typing import Any

from setwise.compiler.operations import Operation
from setwise.compiler.signatures import Special

__all__ = ["MEMORY", "PYTHON_OBJECT", "bytes_of", "letters_of", "list_of", "text_of", "words_of"]

#: A bytes object's contents, which the caller keeps alive: a pointer, no copy and no length.
MEMORY = Special("python_objects.MEMORY")
#: A Python object that compiled code has built: it can only be returned.
PYTHON_OBJECT = Special("python_objects.PYTHON_OBJECT")

#: The contents of a memory as 64-bit words, and as bytes: pointers.
words_of: Any = Operation("python_objects.words_of")
letters_of: Any = Operation("python_objects.letters_of")

#: The str of the ASCII letters (one byte each), and the bytes, at a pointer: ``text_of(pointer, size)``.
text_of: Any = Operation("python_objects.text_of")
bytes_of: Any = Operation("python_objects.bytes_of")

#: The list of ``table[number]`` for the numbers at a pointer: ``list_of(numbers, count, table)``, where the table is
#: the address of an object array.
list_of: Any = Operation("python_objects.list_of")
