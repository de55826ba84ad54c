"""Bytes into compiled code and texts, bytes and lists out of it: what Python gets, and that it owns what it gets."""

from __future__ import annotations

import gc
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.cost import MANY, SLACK, grown
from setwise.compiler import entry, scratch
from setwise.compiler.kinds import intp, tuple_of, uint16, uint64
from setwise.compiler.words import MEMORY, PYTHON_OBJECT, bytes_of, letters_of, list_of, text_of, words_of

_numbers = scratch(300)
ASCII = st.text(st.characters(max_codepoint=127))


@entry(PYTHON_OBJECT, MEMORY, intp)
def text_back(text, size):
    return text_of(letters_of(text), size)


@entry(PYTHON_OBJECT, MEMORY, intp)
def bytes_back(data, size):
    return bytes_of(words_of(data), size)


@entry(tuple_of(uint64, uint64), MEMORY, intp)
def sums(data, size):
    """The bytes added up, and the words."""
    letters, words = letters_of(data), words_of(data)
    total, in_words = np.uint64(0), np.uint64(0)
    for k in range(size):
        total += np.uint64(letters[k])
    for k in range(size // 8):
        in_words += words[k]
    return total, in_words


@entry(PYTHON_OBJECT, MEMORY, intp, uint64)
def chosen(numbers, count, table):
    """The objects of a table with these numbers."""
    found, letters = _numbers(uint16), letters_of(numbers)
    for k in range(count):
        found[k] = letters[k]
    return list_of(found, count, table)


@entry(tuple_of(PYTHON_OBJECT, PYTHON_OBJECT, uint64), MEMORY, intp)
def several(data, size):
    return text_of(letters_of(data), size), bytes_of(letters_of(data), size), np.uint64(size)


def table_of(objects: list[Any]) -> tuple[np.ndarray, int]:
    """A table of objects, which must be kept, and its address."""
    table = np.empty(len(objects), object)
    table[:] = objects
    return table, table.ctypes.data


@given(ASCII)
def test_a_text_of_ascii_comes_back(text: str) -> None:
    back = text_back.raw(text.encode(), len(text))
    assert type(back) is str
    assert back == text
    assert hash(back) == hash(text)
    assert (back + "é").startswith(text)


@given(st.binary())
def test_bytes_come_back(data: bytes) -> None:
    back = bytes_back.raw(data, len(data))
    assert type(back) is bytes
    assert back == data
    assert several.raw(data.replace(b"\xff", b"x"), 0) == ("", b"", 0)


@given(st.binary(max_size=300))
def test_compiled_code_sees_every_byte_and_word(data: bytes) -> None:
    words = np.frombuffer(data, "<u8", len(data) // 8)
    assert sums.raw(data, len(data)) == (sum(data), int(words.sum(dtype=np.uint64)))


@given(st.lists(st.integers(0, 255), max_size=300))
def test_a_list_holds_the_objects_of_the_table(numbers: list[int]) -> None:
    objects = [object() for _ in range(256)]
    _kept, address = table_of(objects)
    found = chosen.raw(bytes(numbers), len(numbers), address)
    assert type(found) is list
    assert [id(thing) for thing in found] == [id(objects[number]) for number in numbers]
    found.append("more")  # it is a list as any other
    assert len(found) == len(numbers) + 1


def test_of_nothing_nothing_is_made() -> None:
    _kept, address = table_of([])
    assert text_back.raw(b"abc", 0) == ""
    assert bytes_back.raw(b"abc", 0) == b""
    assert chosen.raw(b"", 0, address) == []
    assert chosen.raw(b"", 0, address) is not chosen.raw(b"", 0, address)


def test_several_objects_come_in_a_tuple() -> None:
    assert several.raw(b"e4 e5", 5) == ("e4 e5", b"e4 e5", 5)
    assert several.raw(b"e4 e5", 2) == ("e4", b"e4", 2)


@pytest.mark.parametrize("wrong", ["text", 5, None, bytearray(b"abc"), memoryview(b"abc"), ["abc"]])
def test_only_bytes_go_in(wrong: Any) -> None:
    for ask in (text_back.raw, bytes_back.raw, sums.raw):
        with pytest.raises(TypeError, match="bytes"):
            ask(wrong, 1)


# ---------------------------------------------------------------------------------------------------- reference counts


def test_what_is_made_is_let_go() -> None:
    objects = [object() for _ in range(256)]
    _kept, address = table_of(objects)
    numbers, text = bytes(range(200)), b"x" * 1000
    assert grown(lambda: text_back.raw(text, 1000)) < SLACK
    assert grown(lambda: bytes_back.raw(text, 1000)) < SLACK
    assert grown(lambda: chosen.raw(numbers, 200, address)) < SLACK
    assert grown(lambda: several.raw(text, 1000)) < SLACK


def test_a_list_counts_its_objects_while_it_lives() -> None:
    objects = [object() for _ in range(4)]
    _kept, address = table_of(objects)
    before = [sys.getrefcount(thing) for thing in objects]
    lists = [chosen.raw(b"\0\1\1\3", 4, address) for _ in range(MANY)]
    assert [sys.getrefcount(thing) for thing in objects] == [
        count + MANY * times for count, times in zip(before, (1, 2, 0, 1), strict=True)
    ]
    del lists
    assert [sys.getrefcount(thing) for thing in objects] == before


def test_objects_outlive_the_table() -> None:
    table, address = table_of([f"object {number}" for number in range(3)])
    found = chosen.raw(b"\2\0", 2, address)
    del table
    gc.collect()
    assert found == ["object 2", "object 0"]


def test_what_goes_in_is_neither_kept_nor_lost() -> None:
    data = bytes(range(256)) * 4
    before = sys.getrefcount(data)
    for _ in range(MANY):
        sums.raw(data, len(data))
        bytes_back.raw(data, len(data))
    assert sys.getrefcount(data) == before


@pytest.mark.parametrize("wrong", ["text", None, 5])
def test_a_refusal_loses_nothing(wrong: Any) -> None:
    before = sys.getrefcount(wrong)

    def refused() -> None:
        with pytest.raises(TypeError):
            text_back.raw(wrong, 1)

    assert grown(refused) < SLACK
    assert abs(sys.getrefcount(wrong) - before) < SLACK
