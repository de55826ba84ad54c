"""The texts of games, unchanged from their sources, and a file to write them to.

A game's text is copied byte by byte from its first tag to where the next game begins, without the blanks at its end.
When written, an empty line follows each game, with the game's own line ends.
"""

from __future__ import annotations

import re
from typing import IO

import numpy as np
import pyarrow as pa

from setwise.game.batch import GameColumns
from setwise.notation.characters import BLANKS
from setwise.notation.pgn import table as pgn
from setwise.notation.pgn.stripping import stripped
from setwise.system.arrow import pc
from setwise.system.files import write_all

__all__ = ["TextFile", "is_closed", "spans", "texts_of"]

_CLOSED = re.compile(rb"(?:1-0|0-1|1/2|\*)\s*\Z")
#: A tag that always begins a new game.
_ANY_TAG = b'[Event "?"]\n\n'


def spans(games: GameColumns) -> tuple[np.ndarray, np.ndarray]:
    """Return where the texts of games begin and end; text between two games belongs to the first."""
    end = len(games.block.text)  # read first: a table of games builds its text now, and the spans with it
    starts = games.table[:, pgn.START].copy()
    return starts, np.append(starts, end)[1:]


def texts_of(games: GameColumns, without: tuple[str, ...] = ()) -> tuple[pa.BinaryArray, pa.BooleanArray]:
    """Return the texts of games, each followed by an empty line, and whether each ends with a result.

    Args:
        games: the games.
        without: the parts to remove from the texts, of ``PARTS``.
    """
    text = games.block.text
    starts, stops = spans(games)
    if without:
        out, offsets = stripped(games.text, starts, stops, without)
        text, starts, stops = out.tobytes(), offsets[:-1], offsets[1:]
    trimmed = [text[start:stop].rstrip(BLANKS) for start, stop in zip(starts.tolist(), stops.tolist(), strict=True)]
    closed = games.table[:, pgn.FAULT] == pgn.NO_FAULT
    # A game without a fault may still end without a result.
    closed &= np.array(list(map(is_closed, trimmed)), np.bool_)
    return pa.array([it + _line_break(it) * 2 for it in trimmed], pa.binary()), pa.array(closed)


def is_closed(text: bytes) -> bool:
    """Return whether the text of a game ends with a result."""
    return _CLOSED.search(text, max(len(text) - 8, 0)) is not None


def _line_break(text: bytes) -> bytes:
    at = text.find(b"\n")
    return b"\r\n" if at > 0 and text[at - 1 : at] == b"\r" else b"\n"


class TextFile:
    """A file to which texts of games are written.

    A game without tags gets one if the game before it has no result; otherwise both would be read as one game.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file
        self.closed = True

    def write(self, texts: pa.BinaryArray, closed: pa.BooleanArray) -> None:
        """Append games: their texts, and whether each ends with a result."""
        if not len(texts):
            return
        tagged = pc.starts_with(texts, b"[")
        if (self.closed and pc.all(closed).as_py()) or pc.all(tagged).as_py():
            write_all(self.file, _joined(texts))
            self.closed = closed[-1].as_py()
            return
        for text, has_tags, ends in zip(texts.to_pylist(), tagged.to_pylist(), closed.to_pylist(), strict=True):
            write_all(self.file, text if has_tags or self.closed else _ANY_TAG + text)
            self.closed = ends


def _joined(texts: pa.BinaryArray) -> memoryview:
    """Return texts concatenated, which is their layout in Arrow."""
    offsets = np.frombuffer(texts.buffers()[1], np.int32)[texts.offset : texts.offset + len(texts) + 1]
    return memoryview(texts.buffers()[2])[offsets[0] : offsets[-1]]
