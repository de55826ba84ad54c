"""Games of a short text, in one batch."""

from __future__ import annotations

from setwise import Games
from setwise.game.games import parse_block
from setwise.game.sources import Block


def batch(text: bytes, *, notes: bool = False) -> Games:
    """All games of a text, uncut."""
    return parse_block(Block(text, "<bytes>", 0, 1), notes=notes)
