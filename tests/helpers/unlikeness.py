"""How unlike two boards are, piece by piece."""

from __future__ import annotations

from collections import Counter

import chess

__all__ = ["unlikeness"]

WORTH = {chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9}
#: The wings: files a to c, d and e, f to h.
WINGS = (0, 0, 0, 1, 1, 2, 2, 2)


def unlikeness(one: chess.Board, other: chess.Board) -> int:
    """The points for the differences between two boards."""
    points = 0
    for colour in chess.COLORS:
        for kind in chess.PIECE_TYPES:
            here, there = ({*board.pieces(kind, colour)} for board in (one, other))
            if kind == chess.KING:
                changes = Counter(WINGS[square % 8] for square in here - there)
                losses = Counter(WINGS[square % 8] for square in there - here)
                elsewhere, alone = 1, 2
            elif kind == chess.PAWN:
                changes = Counter(square % 8 for square in here - there)
                losses = Counter(square % 8 for square in there - here)
                elsewhere, alone = 2, 4
            else:
                changes, losses = Counter([0] * len(here - there)), Counter([0] * len(there - here))
                elsewhere, alone = 1, WORTH[kind]
            points += elsewhere * (changes & losses).total()
            points += alone * ((changes - losses).total() + (losses - changes).total())
    return points
