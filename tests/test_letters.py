"""UTF-8 and Windows-1252 as files hold them, compared with Python's own decoders."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from setwise.compiler import entry
from setwise.compiler.kinds import boolean, int64, tuple_of, uint8, writes
from setwise.notation import text as letters
from setwise.notation.text import TEXT


@entry(boolean, TEXT, int64, int64)
def is_utf8(text, start, stop):
    return letters.is_utf8(text, start, stop)


@entry(tuple_of(int64, int64), TEXT, int64, int64)
def letter_at(text, at, stop):
    return letters.letter_at(text, at, stop)


@entry(int64, TEXT, boolean, writes(uint8))
def write_bytes(text, latin, out):
    at = 0
    for k in range(text.size):
        at = letters.write_byte(text[k], latin, out, at)
    return at


def array(text: bytes) -> np.ndarray:
    return np.frombuffer(text, np.uint8)


def decoded(text: bytes) -> str | None:
    try:
        return text.decode()
    except UnicodeDecodeError:
        return None


#: Bytes at the edges of what UTF-8 is.
EDGES = st.lists(st.sampled_from(b"a\x7f\x80\x9f\xa0\xbf\xc0\xc1\xc2\xdf\xe0\xed\xef\xf0\xf4\xf5\xff"), max_size=6).map(
    bytes
)


@given(st.lists(EDGES | st.text().map(str.encode) | st.binary(max_size=4)).map(b"".join), st.data())
def test_utf8_is_what_python_decodes(text: bytes, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    stop = data.draw(st.integers(start, len(text)))
    assert is_utf8(array(text), start, stop) == (decoded(text[start:stop]) is not None)


def test_every_letter_is_read_with_its_bytes() -> None:
    codes = [code for code in range(0x110000) if not 0xD800 <= code < 0xE000 and (code < 0x3000 or code % 61 == 0)]
    for code in (*codes, 0xFFFF, 0x10000, 0x10FFFF):
        text = chr(code).encode()
        assert letter_at(array(text), 0, len(text)) == (code, len(text))
        assert letter_at(array(text), 0, len(text) - 1)[1] == 0 or len(text) == 1


@given(st.binary(max_size=200))
def test_windows_1252_becomes_utf8(text: bytes) -> None:
    out = np.zeros(letters.MOST_BYTES * len(text), np.uint8)
    expected = "".join(bytes([byte]).decode("cp1252", "ignore") or chr(byte) for byte in text)
    assert out[: write_bytes(array(text), True, out)].tobytes() == expected.encode()
    assert out[: write_bytes(array(text), False, out)].tobytes() == text
