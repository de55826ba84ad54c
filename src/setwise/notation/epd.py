"""EPD: the first four fields of a FEN, and operations on the position.

An operation is a name, operands and a semicolon: ``bm Nf3 e4; id "test 7"; acd 12;``. This module reads operands as
texts and numbers; ``Position.from_epd`` resolves the operands that are moves.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

from setwise.errors import InvalidEpd, shortened

#: Names of operations whose operands are several moves of the position, one move, or a line of moves.
MOVE_LISTS = frozenset({"am", "bm"})
SINGLE_MOVES = frozenset({"pm", "rm", "sm"})
VARIATION = "pv"

# Possessive quantifiers (``++``, ``*+``) prevent backtracking: the time is proportional to the length of the text.
_POSITION = re.compile(r"\s*+(\S++\s++[wb]\s++\S++\s++\S++)")
_CLOCKS = re.compile(r"\s++(\d{1,5})\s++(\d{1,5})(?!\S)", re.ASCII)
_GAP = re.compile(r"[\s;]*+")
_OPCODE = re.compile(r"[A-Za-z]\w{0,14}\Z", re.ASCII)
_OPERATION = re.compile(r'([^\s;"]++)((?:"(?:[^"\\]|\\.)*+"|[^;"])*+)(?:;|\Z)', re.DOTALL)
_STRING = re.compile(r'"((?:[^"\\]|\\.)*+)"\Z', re.DOTALL)
_INTEGER = re.compile(r"[+-]?\d{1,18}\Z", re.ASCII)
_DECIMAL = re.compile(r"[+-]?(?:\d++\.?\d*+|\.\d++)(?:e[+-]?\d{1,3})?\Z", re.ASCII | re.IGNORECASE)
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}


def parse_epd(text: str) -> tuple[str, dict[str, str | int | float | None]]:
    r"""Return the four fields of the position, and the operations by their names.

    A quoted operand is a text. An unquoted operand is a number if it looks like a number, else the text up to the
    semicolon. A missing operand is None. The last semicolon may be missing. The two numbers of a FEN may follow the
    position; they become the operations ``hmvc`` and ``fmvn``.

    Raises:
        InvalidEpd: when there is no position, or an operation is malformed.

    Example:
        >>> from setwise.notation.epd import parse_epd
        >>> parse_epd('8/8/8/8/8/2k5/2p5/2K5 w - - bm Kd1; id "no \\"win\\""; acd 12;')
        ('8/8/8/8/8/2k5/2p5/2K5 w - -', {'bm': 'Kd1', 'id': 'no "win"', 'acd': 12})
    """
    position = _POSITION.match(text)
    if position is None:
        raise InvalidEpd(
            f"EPD {shortened(text)}: no position at its start; pieces, 'w' or 'b', castling rights and the en passant "
            "square are expected"
        )
    operations: dict[str, str | int | float | None] = {}
    at = position.end()
    if clocks := _CLOCKS.match(text, at):
        operations |= {"hmvc": int(clocks[1]), "fmvn": int(clocks[2])}
        at = clocks.end()
    while (at := _GAP.match(text, at).end()) < len(text):  # type: ignore[union-attr]  # it always matches
        operation = _OPERATION.match(text, at)
        name = operation[1] if operation else ""
        if operation is None or not (name == "-" or _OPCODE.match(name)):
            raise InvalidEpd(
                f"EPD {shortened(text)}, character {at + 1}: {shortened(text[at : at + 100], 30)} is not an operation; "
                "a name, operands and a semicolon are expected"
            )
        if name != "-":
            operations[name] = _operand(operation[2].strip())
        at = operation.end()
    return " ".join(position[1].split()), operations


def _operand(text: str) -> str | int | float | None:
    if string := _STRING.match(text):
        return re.sub(r"\\(.)", lambda escape: _ESCAPES.get(escape[1], escape[1]), string[1], flags=re.DOTALL)
    if _INTEGER.match(text):
        return int(text)
    if _DECIMAL.match(text) and math.isfinite(float(text)):
        return float(text)
    return text or None


def write_operations(operations: Iterable[tuple[str, str | int | float | None]], bare: Iterable[str] = ()) -> str:
    """Return operations as a text. Texts are quoted, except for the names in ``bare``, whose operands are moves.

    Raises:
        InvalidEpd: when a name is malformed, or a number is not finite.
    """
    written = []
    unquoted = frozenset(bare)
    for name, operand in operations:
        if not _OPCODE.match(name):
            rule = "a letter, then up to 14 letters, digits or '_'"
            raise InvalidEpd(f"{shortened(name, 30)} is not a name of an EPD operation, which is {rule}")
        if isinstance(operand, float) and not math.isfinite(operand):
            raise InvalidEpd(f"the operand of {name} is {operand}; a finite number is expected")
        if operand is None or (operand == "" and name in unquoted):
            written.append(f"{name};")
        elif isinstance(operand, int | float) or name in unquoted:
            written.append(f"{name} {operand};")
        else:
            quoted = operand.replace("\\", "\\\\").replace('"', '\\"')
            for letter, character in _ESCAPES.items():
                quoted = quoted.replace(character, f"\\{letter}")
            written.append(f'{name} "{quoted}";')
    return " ".join(written)
