"""EPD records: operations whose operands are moves of the position."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from setwise.notation.epd import MOVE_LISTS, SINGLE_MOVES, VARIATION, parse_epd, write_operations
from setwise.position.move import Move

if TYPE_CHECKING:
    from setwise.position.position import Position

__all__ = ["epd", "read_record"]

_WORD = re.compile(r"\S+")
_Position = TypeVar("_Position", bound="Position")


def read_record(text: str, position_of: Callable[[str], _Position]) -> tuple[_Position, dict[str, Any]]:
    """Return the position of a record, created from its FEN by ``position_of``, and the operations."""
    fields, parsed = parse_epd(text)
    position: Any = position_of(f"{fields} {parsed.get('hmvc', 0)} {parsed.get('fmvn', 1)}")
    operations: dict[str, Any] = dict(parsed)
    for name, operand in parsed.items():
        words = (word[0] for word in _WORD.finditer(str(operand or "")))  # one at a time: a text may be long
        if name in MOVE_LISTS:
            operations[name] = [position.parse(word) for word in words]
        elif name in SINGLE_MOVES:
            operations[name] = position.parse(str(operand))
        elif name == VARIATION:
            operations[name], current = [], position
            for word in words:
                operations[name].append(current.parse(word))
                current = current.play(operations[name][-1])
    return position, operations


def epd(position: Position, /, **operations: Any) -> str:
    """Return the EPD record of the position with operations; moves are written in SAN.

    Raises:
        InvalidEpd: for a malformed name, or a number that is not finite.
        IllegalMove: for a move that is not legal here.
    """
    written: dict[str, str | int | float | None] = {}
    bare = set()
    for name, operand in operations.items():
        if isinstance(operand, Move):
            written[name] = position.san(operand)
            bare.add(name)
        elif isinstance(operand, list | tuple):
            words, current = [], position
            for move in operand:
                words.append(current.san(move))
                current = current.play(move) if name == VARIATION else position
            written[name] = " ".join(words if name == VARIATION else sorted(words))
            bare.add(name)
        else:
            written[name] = operand if operand is None or isinstance(operand, int | float) else str(operand)
    fields = position.fen().rsplit(" ", 2)[0]
    return f"{fields} {write_operations(written.items(), bare)}".rstrip()
