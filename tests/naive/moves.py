"""Castling by the letter of the laws; checks and attacked squares piece by piece."""

from __future__ import annotations

from itertools import product

import numpy as np

from naive import ALL, OTHER_SETS, THIRD_SETS, Place
from naive.lines import between, positions
from naive.sliders import ALL_WAYS, DIAGONAL, ORTHOGONAL, attacks

BOARD = set(product(range(8), repeat=2))
JUMPS = [(x, y) for x, y in product((-2, -1, 1, 2), repeat=2) if abs(x) != abs(y)]

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


def stepped(man: Place, *steps: Place) -> set[Place]:
    return {(man[0] + x, man[1] + y) for x, y in steps} & BOARD


def hits(
    men: set[Place], pawns: set[Place], knights: set[Place], orthogonal: set[Place], diagonal: set[Place],
    occupied: set[Place],
) -> set[tuple[Place, Place]]:  # fmt: skip
    """All (piece, square that it attacks) of a side that plays down the board, its king left out."""
    found = {(man, square) for man in men & pawns for square in stepped(man, (-1, -1), (1, -1))}
    found |= {(man, square) for man in men & knights for square in stepped(man, *JUMPS)}
    found |= {(man, square) for man in men & orthogonal for square in attacks(man, ORTHOGONAL, occupied)}
    return found | {(man, square) for man in men & diagonal for square in attacks(man, DIAGONAL, occupied)}


def checkers(
    own: set[Place], enemy: set[Place], pawns: set[Place], knights: set[Place], bishops: set[Place],
    rooks: set[Place], queens: set[Place], kings: set[Place],
) -> set[Place]:  # fmt: skip
    found = hits(enemy, pawns, knights, rooks | queens, bishops | queens, own | enemy)
    return {man for man, square in found if square in own & kings}


def attacked(
    own: set[Place], enemy: set[Place], pawns: set[Place], knights: set[Place], bishops: set[Place],
    rooks: set[Place], queens: set[Place], kings: set[Place],
) -> set[Place]:  # fmt: skip
    """What the enemy attacks where our king is lifted off the board."""
    found = hits(enemy, pawns, knights, rooks | queens, bishops | queens, (own | enemy) - (own & kings))
    return {square for _, square in found} | {square for king in enemy & kings for square in stepped(king, *ALL_WAYS)}


def check_mask(
    own: set[Place], enemy: set[Place], pawns: set[Place], knights: set[Place], bishops: set[Place],
    rooks: set[Place], queens: set[Place], kings: set[Place],
) -> set[Place]:  # fmt: skip
    """Every square without a check; where one piece checks, that piece and what is between; none if two check."""
    found = checkers(own, enemy, pawns, knights, bishops, rooks, queens, kings)
    if not found:
        return BOARD
    if len(found) > 1:
        return set()
    return found | {square for man in found for king in own & kings for square in between(king, man)}


def boards() -> dict[str, np.ndarray]:
    found = positions(4000, seed=9)
    orthogonal, diagonal = found["orthogonal"], found["diagonal"]
    return {
        "own": found["own"], "enemy": found["occupied"] & ~found["own"], "knights": found["knights"],
        "pawns": found["pawns"] | found["enemy_pawns"], "kings": found["kings"], "queens": orthogonal & diagonal,
        "rooks": orthogonal & ~diagonal, "bishops": diagonal & ~orthogonal,
    }  # fmt: skip


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
_BOARDS = boards()
COLUMNS = _BOARDS | {
    "king": np.tile(_KINGS, _TIMES),
    "rooks": np.tile(_ROOKS, _TIMES),
    "occupied": (OTHER_SETS & THIRD_SETS)[: _KINGS.size * _TIMES],
    "attacked": (OTHER_SETS & ~THIRD_SETS & np.uint64(ALL))[::-1][: _KINGS.size * _TIMES],
}
