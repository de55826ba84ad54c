"""Texts eight and sixty-four bytes at a time, compared with Python's own bytes."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from setwise.compiler import entry, trailing_zeros
from setwise.compiler.kinds import int64, tuple_of, uint8, uint64
from setwise.compiler.words import word_at
from setwise.notation import text as scanning
from setwise.patterns.bits import EIGHT

TEXTS = st.one_of(st.binary(max_size=200), st.text("ab\n}0 9.", max_size=200).map(str.encode))


@entry(int64, scanning.TEXT, int64, uint8, uint8)
def find(text, at, byte, other):
    return scanning.find(text, at, byte, other)


@entry(tuple_of(*[uint64] * 3), scanning.TEXT, int64)
def first_places(text, at):
    """The word at a place, how many bytes stand before its first blank, and how many digits it begins with."""
    word = word_at(text, at)
    blanks, others = scanning.blanks_in(word), scanning.others_than_digits(word)
    return word, trailing_zeros(blanks) // EIGHT, trailing_zeros(others) // EIGHT


def array(text: bytes) -> np.ndarray:
    return np.frombuffer(text, np.uint8)


@given(TEXTS, st.integers(0, 200), st.sampled_from(b"}a\x00"), st.sampled_from(b"\n}\xff"))
def test_find_gives_the_next_of_two_bytes(text: bytes, at: int, byte: int, other: int) -> None:
    at = min(at, len(text))
    places = [place for place in range(at, len(text)) if text[place] in (byte, other)]
    assert find(array(text), at, byte, other) == min(places, default=len(text))


@given(st.one_of(st.binary(min_size=8, max_size=40), st.text("e4 5\n.9\x00", min_size=8).map(str.encode)), st.data())
def test_a_word_shows_its_blank_and_digits(text: bytes, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(text) - 8))
    eight = text[at : at + 8]
    word, before_blank, digits = first_places(array(text), at)
    assert word == int.from_bytes(eight, "little")
    assert before_blank == next((k for k, byte in enumerate(eight) if byte <= ord(" ")), 8)
    assert digits == next((k for k, byte in enumerate(eight) if not chr(byte).isdecimal()), 8)
