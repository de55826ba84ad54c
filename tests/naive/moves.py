"""Castling by the letter of the laws, square by square; all else about moves is judged by the rules of chess."""

from __future__ import annotations

import numpy as np

from naive import ALL, OTHER_SETS, THIRD_SETS

KING_LANDS, ROOK_LANDS = {True: 6, False: 2}, {True: 5, False: 3}


def castling_rooks(king: int, rooks: set[int], occupied: set[int], attacked: set[int]) -> set[int]:
    found = set()
    for rook in rooks & set(range(8)) if king < 8 else ():
        short = rook > king
        kings_way, rooks_way = way(king, KING_LANDS[short]), way(rook, ROOK_LANDS[short])
        vacant = not (kings_way | rooks_way) & (occupied - {king, rook})
        if vacant and not kings_way & attacked:
            found.add(rook)
    return found


def way(start: int, end: int) -> set[int]:
    """From one square of a rank to another, both included."""
    return set(range(min(start, end), max(start, end) + 1))


def _kings_and_rooks() -> tuple[np.ndarray, np.ndarray]:
    """Every king of the first rank with every rook or none on either side of it, and some kings elsewhere."""
    places = [(king, west, east) for king in range(8) for west in range(king + 1) for east in range(king, 8)] + [
        (8 * rank + 4, 0, 7) for rank in range(1, 8)
    ]
    kings = [1 << king for king, _, _ in places]
    rooks = [(1 << west | 1 << east) & ~(1 << king) for king, west, east in places]
    return np.array(kings, np.uint64), np.array(rooks, np.uint64)


_KINGS, _ROOKS = _kings_and_rooks()
_TIMES = 20_000 // _KINGS.size
COLUMNS = {
    "king": np.tile(_KINGS, _TIMES),
    "rooks": np.tile(_ROOKS, _TIMES),
    "occupied": (OTHER_SETS & THIRD_SETS)[: _KINGS.size * _TIMES],
    "attacked": (OTHER_SETS & ~THIRD_SETS & np.uint64(ALL))[::-1][: _KINGS.size * _TIMES],
}
