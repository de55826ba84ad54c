"""Memory as compiled code sees it, beside Python's own bytes."""

from __future__ import annotations

import sys
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from setwise.compiler import entry, scratch
from setwise.compiler.kinds import intp, reads, tuple_of, uint8, uint16, uint64, writes
from setwise.compiler.llvm.loops import _address
from setwise.compiler.words import LINE, borrowed, clear_line, embedded, places_at, places_in, word_at

# --------------------------------------------------------------------------------------------------------------- bytes


@entry(tuple_of(uint64, uint64), reads(uint8), intp, uint8)
def looked_at(text, at, byte):
    """The word at a place of a text, and where a byte occurs in the line from there on."""
    return word_at(text, at), places_at(text, at, byte)


@entry(tuple_of(uint64, uint64, uint64), reads(uint8), uint8)
def in_a_line(text, byte):
    """Where a byte occurs in a line of scratch, where zeros do then, and once the line is cleared."""
    line = _line(uint8)
    clear_line(line)
    for k in range(text.size):
        line[k] = text[k]
    found, zeros = places_in(line, byte), places_in(line, np.uint8(0))
    clear_line(line)
    return found, zeros, places_in(line, np.uint8(0))


_line = scratch(LINE)


def places(line: bytes, byte: int) -> int:
    return sum(1 << place for place, letter in enumerate(line) if letter == byte)


@given(st.binary(min_size=LINE, max_size=3 * LINE), st.data())
def test_words_and_lines_are_read_from_any_place(text: bytes, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(text) - LINE))
    byte = data.draw(st.sampled_from(text[at:]) | st.integers(0, 255))
    word, found = looked_at(np.frombuffer(text, np.uint8), at, byte)
    assert word == int.from_bytes(text[at : at + 8], "little")
    assert found == places(text[at : at + LINE], byte)


def test_every_byte_is_found_in_every_place() -> None:
    for byte in range(256):
        other = np.full(LINE, byte ^ 0x80, np.uint8)
        for place in range(LINE):
            line = other.copy()
            line[place] = byte
            assert looked_at(line, 0, byte)[1] == 1 << place


@given(st.binary(max_size=LINE), st.integers(1, 255))
def test_a_line_of_scratch_is_filled_searched_and_cleared(text: bytes, byte: int) -> None:
    padded = text.ljust(LINE, b"\0")
    assert in_a_line(np.frombuffer(text, np.uint8), byte) == (places(padded, byte), places(padded, 0), 2**LINE - 1)


# ------------------------------------------------------------------------------------------------------------- scratch

_bytes, _numbers, _words, _other = scratch(100), scratch(33), scratch(257), scratch(257)


@entry(tuple_of(uint64, uint64, uint64, uint64, uint64), intp)
def filled(times):
    """How often four scratches, filled over and over, did not hold what was written; and where they begin."""
    letters, numbers, words, other = _bytes(uint8), _numbers(uint16), _words(uint64), _other(uint64)
    wrong = np.uint64(0)
    for turn in range(times):
        for k in range(100):
            letters[k] = np.uint8(turn + k)
        for k in range(33):
            numbers[k] = np.uint16(turn * k)
        for k in range(257):
            words[k], other[k] = np.uint64(turn ^ k), ~np.uint64(k)
        for k in range(100):
            wrong += np.uint64(letters[k] != np.uint8(turn + k))
        for k in range(33):
            wrong += np.uint64(numbers[k] != np.uint16(turn * k))
        for k in range(257):
            wrong += np.uint64(words[k] != np.uint64(turn ^ k)) + np.uint64(other[k] != ~np.uint64(k))
    return wrong, _address(letters), _address(numbers), _address(words), _address(other)


@entry(uint64, intp)
def taken_again_and_again(times):
    """How many different places the same scratch had in a loop."""
    first, others = _address(_words(uint64)), np.uint64(0)
    for _ in range(times):
        room = _other(uint64)
        room[0] = np.uint64(1)
        others += room[0] * np.uint64(_address(room) == first)
    return others


def test_scratches_begin_on_a_line_and_lie_apart() -> None:
    wrong, *starts = filled(50)
    assert wrong == 0
    assert [start % LINE for start in starts] == [0, 0, 0, 0]
    taken = sorted(zip(starts, (100, 66, 2056, 2056), strict=True))
    assert all(start + size <= after for (start, size), (after, _) in pairwise(taken))


def test_a_scratch_in_a_loop_takes_room_once() -> None:
    assert taken_again_and_again(50_000_000) == 0  # 100 GB, if every turn took its own


# ------------------------------------------------------------------------------------------------------------ borrowed


@entry(uint64, reads(uint64, 2), writes(uint64), intp)
def passed_around(table, row, times):
    """Read one borrowed array and write another, over and over."""
    table, row = borrowed(table), borrowed(row)
    total = np.uint64(0)
    for turn in range(times):
        here = table[turn % len(table)]
        row[turn % len(row)] += here[0]
        total += here[len(here) - 1]
    return total


def test_a_borrowed_array_stays_its_owners() -> None:
    table, row = np.arange(12, dtype=np.uint64).reshape(3, 4), np.zeros(3, np.uint64)
    before = sys.getrefcount(table), sys.getrefcount(row)
    for _ in range(2000):
        assert passed_around(table, row, 3) == 3 + 7 + 11
    assert row.tolist() == [0, 2000 * 4, 2000 * 8]
    assert (sys.getrefcount(table), sys.getrefcount(row)) == before
    assert table.tolist() == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]


# ------------------------------------------------------------------------------------------------------------ embedded

TABLE = np.random.default_rng(1).integers(0, 2**16, 10_007).astype("<u2")
made: list[int] = []


def contents() -> bytes:
    made.append(1)
    return TABLE.tobytes()


_item = embedded("setwise.test_table", contents)


@entry(tuple_of(uint64, uint64), uint64)
def items(index):
    return _item(index), _item(np.uint64(len(TABLE) - 1) - index)


@pytest.mark.parametrize("index", [0, 1, 5003, 10_006])
def test_a_table_in_machine_code_has_its_numbers(index: int) -> None:
    assert items(index) == (TABLE[index], TABLE[-1 - index])


def test_a_table_is_made_once_when_it_is_needed() -> None:
    assert [items(index)[0] for index in range(len(TABLE))] == TABLE.tolist()
    assert len(made) == 1
