"""Which games of a batch are plain: their text has nothing but tags in the order of columns, and moves.

Of a plain game nothing can be lost in packing except what the columns show. Most games of large collections are plain,
and reading their text again takes longer than everything else.
"""

from __future__ import annotations

import numpy as np

from setwise.compiler import entry, routine
from setwise.compiler.memory import borrowed
from setwise.compiler.signatures import boolean, int32, int64, reads, void, writes
from setwise.game.games import Games
from setwise.game.texts import spans
from setwise.notation.pgn import table as pgn
from setwise.notation.pgn.tags import is_named
from setwise.notation.scanning import TEXT
from setwise.patterns.bits import as_int

__all__ = ["are_in_order", "are_plain"]

#: Letters that moves, their numbers and results consist of, and what is between them.
_OF_MOVES = b"abcdefghKQRBNO0123456789x+#=-/*. \n\r\t"
_BLANKS = b" \n\r\t"
#: For each byte a bit for being unusual among moves, unusual in a tag's value, and no blank.
_NO_MOVE, _NO_VALUE, _SOLID = (np.uint8(bit) for bit in (1, 2, 4))
_CLASSES = np.full(256, _NO_MOVE | _SOLID, np.uint8)
_CLASSES[list(_OF_MOVES)] &= ~_NO_MOVE
_CLASSES[list(_BLANKS)] &= ~_SOLID
_CLASSES[[*range(32), *b'\\"', 127]] |= _NO_VALUE
#: Letters of a tag besides its name and its value: ``[``, two quotes and ``]``.
_AROUND = 4


def are_in_order(games: Games, names: list[str]) -> np.ndarray:
    """Return whether the tags of each game are those of columns in their order, each once."""
    text = np.frombuffer(games.block.text, np.uint8)  # read first: a table of games builds it now, and the tags with it
    spelled = [name.encode() for name in names]
    ends = np.cumsum([0, *map(len, spelled)])
    in_order = np.empty(len(games), np.bool_)
    _write_in_order(text, games.tags, games.tag_offsets, np.frombuffer(b"".join(spelled), np.uint8), ends, in_order)
    return in_order


def are_plain(games: Games, in_order: np.ndarray) -> np.ndarray:
    """Return which games are plain, given whether their tags are in order."""
    starts, stops = spans(games)
    plain = in_order & (games.table[:, pgn.FAULT] == pgn.NO_FAULT)
    _write_plain(np.frombuffer(games.block.text, np.uint8), games.tags, games.tag_offsets, starts, stops, plain)
    return plain


@entry(void, TEXT, reads(int32, 2), reads(int64), TEXT, reads(int64), writes(boolean))
def _write_in_order(
    text: np.ndarray, tags: np.ndarray, offsets: np.ndarray, names: np.ndarray, ends: np.ndarray, in_order: np.ndarray
) -> None:
    """Write whether the tags of each game are among the names, in the order of these; ``ends`` are those of names."""
    for game in range(offsets.size - 1):
        number, is_found = 0, True
        for tag in range(offsets[game], offsets[game + 1]):
            start, stop = as_int(tags[tag, 0]), as_int(tags[tag, 1])
            while number + 1 < ends.size and not is_named(text, start, stop, names[ends[number] : ends[number + 1]]):
                number += 1
            is_found &= number + 1 < ends.size
            number += 1
        in_order[game] = is_found


@routine
def _has(text: np.ndarray, start: int, stop: int, kind: np.uint8) -> bool:
    """Whether a span has a byte of a kind."""
    found = np.uint8(0)
    for k in range(start, stop):
        found |= _CLASSES[text[k]]
    return found & kind != 0


@routine
def _solid(text: np.ndarray, start: int, stop: int) -> int:
    """How many bytes of a span are no blanks."""
    count = 0
    for k in range(start, stop):
        count += _CLASSES[text[k]] & _SOLID != 0
    return count


@entry(void, TEXT, reads(int32, 2), reads(int64), reads(int64), reads(int64), writes(boolean))
def _write_plain(
    text: np.ndarray,
    tags: np.ndarray,
    offsets: np.ndarray,
    starts: np.ndarray,
    stops: np.ndarray,
    plain: np.ndarray,
) -> None:
    """Leave plain, of the games that are in order and have no fault, those whose text is plain."""
    text, tags = borrowed(text), borrowed(tags)
    for game in range(starts.size):
        if not plain[game]:
            continue
        at, around, is_usual = starts[game], 0, True
        for tag in range(offsets[game], offsets[game + 1]):
            name, name_end = as_int(tags[tag, 0]), as_int(tags[tag, 1])
            value, value_end = as_int(tags[tag, 2]), as_int(tags[tag, 3])
            around += _solid(text, at, name) + _solid(text, name_end, value)
            is_usual &= not _has(text, value, value_end, _NO_VALUE)
            at = value_end
        if offsets[game + 1] > offsets[game]:  # behind the quote and the bracket
            end = min(at + 2, stops[game])
            around += _solid(text, at, end)
            at = end
        is_usual &= around == _AROUND * (offsets[game + 1] - offsets[game])
        plain[game] = is_usual and not _has(text, at, stops[game], _NO_MOVE)
