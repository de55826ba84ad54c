"""Syntax faults of a FEN: numbers for compiled code, sentences for users."""

from __future__ import annotations

import enum
from typing import Any

import numpy as np

from setwise.errors import InvalidFen, shortened
from setwise.patterns.bits import (
    ZERO,
)
from setwise.rules.status import sentences


class Syntax(enum.IntFlag):
    """Syntax faults, one at a time, in the bits above those of :class:`Status`."""

    NO_TEXT = 1 << 32
    BAD_PIECE = 1 << 33
    TWO_DIGITS = 1 << 34
    LONG_RANK = 1 << 35
    SHORT_RANK = 1 << 36
    MANY_RANKS = 1 << 37
    FEW_RANKS = 1 << 38
    BAD_TURN = 1 << 39
    BAD_CASTLING = 1 << 40
    TWICE = 1 << 41
    BAD_SQUARE = 1 << 42
    BAD_NUMBER = 1 << 43
    BIG_NUMBER = 1 << 44
    EXTRA_FIELD = 1 << 45


NO_FAULT = ZERO
(NO_TEXT, BAD_PIECE, TWO_DIGITS, LONG_RANK, SHORT_RANK, MANY_RANKS, FEW_RANKS, BAD_TURN, BAD_CASTLING, TWICE,
 BAD_SQUARE, BAD_NUMBER, BIG_NUMBER, EXTRA_FIELD) = (np.uint64(fault) for fault in Syntax)  # fmt: skip

#: The sentence of every fault.
SENTENCES: dict[enum.IntFlag, str] = {
    Syntax.NO_TEXT: "it is empty; a FEN has six fields, such as '4k3/8/8/8/8/8/8/4K3 w - - 0 1'",
    Syntax.BAD_PIECE: "{word} is not a piece; ranks consist of PNBRQK (White), pnbrqk (Black), digits 1 to 8 and '/'",
    Syntax.TWO_DIGITS: "two digits follow each other; one digit counts the empty squares in a row",
    Syntax.LONG_RANK: "this rank has more than 8 squares",
    Syntax.SHORT_RANK: "this rank has fewer than 8 squares",
    Syntax.MANY_RANKS: "there are more than 8 ranks",
    Syntax.FEW_RANKS: "there are fewer than 8 ranks, which are divided by '/'",
    Syntax.BAD_TURN: "{word} is not a side to move; 'w' or 'b' is expected",
    Syntax.BAD_CASTLING: "{word} is not a castling right; '-', letters of 'KQkq' or files of rooks such as 'HAha' "
    "are expected",
    Syntax.TWICE: "{word} names the same castling rook again",
    Syntax.BAD_SQUARE: "{word} is not an en passant square; '-' or a square such as 'e3' is expected",
    Syntax.BAD_NUMBER: "{word} is not a number; the fifth and the sixth field count half moves and full moves",
    Syntax.BIG_NUMBER: "the number {word} is too large; 65535 is the limit",
    Syntax.EXTRA_FIELD: "{word} follows the six fields of a FEN",
}


def explain(text: str, faults: int, where: int, words: Any = (0,) * 10, *, chess960: bool = True) -> InvalidFen:
    """Return the exception that describes the faults of a FEN.

    Args:
        text: the FEN.
        faults: the faults that the reader returned.
        where: the byte at which the fault is.
        words: the ten sets as far as they were read.
        chess960: whether Chess960's castling was allowed.
    """
    if faults < int(NO_TEXT):
        return InvalidFen(f"FEN {shortened(text)}: {'; '.join(sentences(words, faults, chess960=chess960))}")
    syntax = Syntax(faults)
    where = len(text.encode(errors="replace")[:where].decode(errors="ignore"))
    field = (text[where:].split(maxsplit=1) or [""])[0]
    one_letter = syntax in (Syntax.BAD_PIECE, Syntax.BAD_CASTLING, Syntax.TWICE)
    word = shortened(field[:1] if one_letter else field, 30) if field else "the end"
    place = f", character {where + 1}" if syntax != Syntax.NO_TEXT else ""
    return InvalidFen(f"FEN {shortened(text)}{place}: {SENTENCES[syntax].format(word=word)}")
