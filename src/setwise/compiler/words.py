"""Operations for compiled code: on one 64-bit word, on lanes of words, on memory, and on Python's objects.

Each operation names its place in ``llvm.lowering``, which writes LLVM's instructions for it; a call from Python is
refused. Operations on one word come first: count, find the lowest and the highest bit, reverse, pack and unpack. Each
is one instruction of LLVM, for processors and for graphics cards; only some processors have ``pext`` and ``pdep``.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any, NoReturn, SupportsIndex

import numpy as np

from setwise.compiler.kinds import MADE, Count, Fileset, Set, Special, Square

# -------------------------------------------- operations of compiled code that Python has no words for, as descriptions


class InCompiledCode:
    """A thing that only compiled code calls; Numba reads its type here, and a call from Python is refused."""

    name: str

    def __call__(self, *_: Any) -> NoReturn:
        """Refuse a call from Python."""
        raise TypeError(f"{self.name} is for compiled code: call it from an entry or a pattern")

    @property
    def _numba_type_(self) -> Any:
        return MADE.targets.type_of(self)


class Operation(InCompiledCode):
    """An operation, by its place in ``llvm``; with parameters, a function at that place returns the operation."""

    def __init__(self, name: str, *parameters: Any) -> None:
        self.name, self.parameters = name, parameters

    def __repr__(self) -> str:
        return f"<operation {self.name}>"


# ----------------------------------------------------------------------- operations of the processor on one 64-bit word


#: The number of bits; the number of zeros below the lowest bit and above the highest bit (64 for an empty word); a word
#: with its bytes reversed, and with its bits reversed.
popcount: Callable[[Set | Fileset], Count] = Operation("lowering.popcount")
trailing_zeros: Callable[[Set], Square] = Operation("lowering.trailing_zeros")
leading_zeros: Callable[[Set], Count] = Operation("lowering.leading_zeros")
byteswap: Callable[[Set], Set] = Operation("lowering.byteswap")
bitreverse: Callable[[Set], Set] = Operation("lowering.bitreverse")

#: Pack the bits of a word that are under a mask; unpack the lowest bits of a word to the places of a mask.
pext: Callable[[Set, Set], np.uint64] = Operation("lowering.pext")
pdep: Callable[[np.uint64, Set], Set] = Operation("lowering.pdep")


def _popcount(word: Any) -> Any:
    return np.bitwise_count(word).astype(np.uint64)


def _trailing_zeros(word: Any) -> Any:
    return _popcount(~word & (word - np.uint64(1)))


def _leading_zeros(word: Any) -> Any:
    return _trailing_zeros(_bitreverse(word))


def _byteswap(word: Any) -> Any:
    return word.byteswap()


def _bitreverse(word: Any) -> Any:
    """Exchange the halves of each byte, then pairs of bits, then single bits; and reverse the bytes."""
    for shift, lower in ((4, 0x0F0F_0F0F_0F0F_0F0F), (2, 0x3333_3333_3333_3333), (1, 0x5555_5555_5555_5555)):
        by, mask = np.uint64(shift), np.uint64(lower)
        word = (word & mask) << by | word >> by & mask
    return _byteswap(word)


#: Each of these operations with its equivalent in NumPy, for definitions that are evaluated without compiling.
IN_NUMPY = (
    (popcount, _popcount),
    (trailing_zeros, _trailing_zeros),
    (leading_zeros, _leading_zeros),
    (byteswap, _byteswap),
    (bitreverse, _bitreverse),
)


# -------------------------------------------------------------------------------------------------- eight words at once


#: How many words the widest registers hold.
LANES = 8

#: The type of an octet.
octet = Special("lowering.octet")

#: An octet with the same word in all lanes; an octet with one word in the even lanes and another in the odd lanes.
broadcast: Any = Operation("lowering.broadcast")
mixed: Any = Operation("lowering.mixed")
#: Eight words as the lanes of an octet; the lanes of an octet as a tuple of eight words; one lane by its number, which
#: need not be a constant.
packed: Any = Operation("lowering.packed")
unpacked: Any = Operation("lowering.unpacked")
lane: Any = Operation("lowering.lane")
#: A row, as an octet, of a table that has eight words in each row.
row_of: Any = Operation("lowering.row_of")
#: The union of all lanes, as one word; the number of bits in all lanes.
union: Any = Operation("lowering.union")
total: Any = Operation("lowering.total")
#: An octet with only those lanes in which another octet is not empty; whether two octets share a bit in any lane.
lanes_hit: Any = Operation("lowering.lanes_hit")
intersect: Any = Operation("lowering.intersect")
#: Every lane with its bytes reversed.
mirrored_lanes: Any = Operation("lowering.mirrored_lanes")


def permuted(*lanes: SupportsIndex) -> Any:
    """An operation that permutes the lanes of an octet: the k-th of these numbers is the source of its k-th lane."""
    return Operation("lowering.permuted", *map(operator.index, lanes))


def rotated(*distances: int) -> Any:
    """An operation that rotates the bits of each lane upwards by a distance for each lane; negative is downwards."""
    return Operation("lowering.rotated", *distances)


def masked(*masks: Any) -> Any:
    """An operation that intersects each lane with its own mask."""
    return Operation("lowering.masked", *masks)


def outermost(*upwards: bool) -> Any:
    """An operation that keeps one bit of each lane: the lowest if ``upwards`` is true for it, else the highest."""
    return Operation("lowering.outermost", *upwards)


# -------------------------------------------------------------------------------------- memory as compiled code sees it


#: The number of bytes in a line of the cache; also the number of bytes of text that are scanned in one step.
LINE = 64

#: The same array without its owner, so that calls do not count references to it, which can double their time.
borrowed: Any = Operation("lowering.borrowed")

#: Eight bytes of a text as a 64-bit word, with the first byte lowest: ``word_at(text, at)``.
word_at: Any = Operation("lowering.word_at")
#: Where a byte occurs in the 64 bytes of a text that begin at an offset, a bit for each: ``places_at(text, at, byte)``.
places_at: Any = Operation("lowering.places_at")
#: Where a byte occurs in a line of scratch memory, a bit for each: ``places_in(pointer, byte)``.
places_in: Any = Operation("lowering.places_in")
#: Fill a line of scratch memory with zeros: ``clear_line(pointer)``.
clear_line: Any = Operation("lowering.clear_line")


def scratch(size: int) -> Any:
    """An operation that returns a pointer to ``size`` items of a type on the stack, aligned to a cache line."""
    return Operation("lowering.scratch", size)


def columns(words: Any, room: int) -> tuple[Any, Any, Any]:
    """Columns on the stack for ``room`` named tuples of words: operations to make them, to get and to put a tuple.

    ``make()`` returns a pointer to the columns, ``get(pointer, k)`` returns the k-th tuple, ``put(pointer, k, tuple)``
    writes it. LLVM knows that no two columns overlap, so it loads eight consecutive tuples into the lanes of registers
    without checks at run time; the checks alone took as long as making the children of a position.
    """
    make, get, put = (Operation(f"lowering.{verb}_columns", words, room) for verb in ("make", "get", "put"))
    return make, get, put


class Embedded(Operation):
    """An operation that returns an item of a table of numbers, which becomes part of the machine code."""

    @functools.cached_property
    def table(self) -> np.ndarray:
        """The table, which is built when it is first needed: by a compiler, or for definitions that NumPy evaluates."""
        _, contents, bits = self.parameters
        return np.frombuffer(contents(), f"<u{bits // 8}").astype(np.uint64)


def embedded(name: str, contents: Callable[[], bytes], bits: int = 16) -> Any:
    """An operation that returns an item of a table of numbers, built when a function that uses it is compiled."""
    return Embedded("lowering.embedded", name, contents, bits)


# ------------------------------------------------------------- Python objects as arguments and results of compiled code


#: The contents of a bytes object, which the caller keeps alive: a pointer, without a copy and without the length.
MEMORY = Special("lowering.MEMORY")
#: A Python object that compiled code has built: it can only be returned.
PYTHON_OBJECT = Special("lowering.PYTHON_OBJECT")

#: Pointers to the contents of a memory: as 64-bit words, and as bytes.
words_of: Any = Operation("lowering.words_of")
letters_of: Any = Operation("lowering.letters_of")

#: The str of the ASCII letters (one byte each) at a pointer: ``text_of(pointer, size)``; and the bytes object of the
#: bytes at a pointer.
text_of: Any = Operation("lowering.text_of")
bytes_of: Any = Operation("lowering.bytes_of")

#: The list of ``table[number]`` for the numbers at a pointer: ``list_of(numbers, count, table)``, where the table is
#: the address of an object array.
list_of: Any = Operation("lowering.list_of")
