"""The race of a king against a lone pawn, solved as a game; and walks of a king by breadth-first search.

Squares are numbers from 0 (a1) to 63 (h8). The pawn runs up the board.
"""

from __future__ import annotations

from functools import cache
from itertools import product

PAWN_SQUARES = range(8, 56)


def neighbours(square: int) -> list[int]:
    """Where a king on an otherwise empty board goes."""
    file, rank = square % 8, square // 8
    around = [(file + e, rank + n) for e, n in product((-1, 0, 1), repeat=2) if (e, n) != (0, 0)]
    return [8 * r + f for f, r in around if 0 <= f < 8 and 0 <= r < 8]


def attacked_by_pawn(pawn: int) -> list[int]:
    return [square for square in neighbours(pawn) if square // 8 == pawn // 8 + 1 and square % 8 != pawn % 8]


def pushes(pawn: int, king: int) -> list[int]:
    single = [pawn + 8] if pawn + 8 != king else []
    double = [pawn + 16] if single and pawn // 8 == 1 and pawn + 16 != king else []
    return single + double


@cache
def caught() -> frozenset[tuple[int, int, bool]]:
    """All (king, pawn, king to move) in which the king catches the pawn: by what is known, until nothing new follows.

    The pawn must push if it can; where the king blocks it, the pawn's side has no move and the king goes on. The king
    takes a pawn next to it, and a piece just promoted next to it; it does not step on squares the pawn attacks.
    """
    found: set[tuple[int, int, bool]] = set()

    def pawn_is_lost(king: int, pawn: int) -> bool:
        """After every push."""
        after = [
            square in neighbours(king) if square >= 56 else (king, square, True) in found
            for square in pushes(pawn, king)
        ]
        return all(after) if after else (king, pawn, True) in found

    def king_succeeds(king: int, pawn: int) -> bool:
        """By some move."""
        steps = [square for square in neighbours(king) if square not in attacked_by_pawn(pawn)]
        return pawn in neighbours(king) or any((square, pawn, False) in found for square in steps)

    while True:
        new = {
            (king, pawn, king_to_move)
            for king, pawn, king_to_move in product(range(64), PAWN_SQUARES, (False, True))
            if king != pawn
            and (king, pawn, king_to_move) not in found
            and (king_succeeds(king, pawn) if king_to_move else pawn_is_lost(king, pawn))
        }
        if not new:
            return frozenset(found)
        found |= new


def steps(king: int, targets: set[int], taboo: set[int]) -> int | None:
    """In how many moves a king walks from a square to one of the targets."""
    seen, frontier, count = {king}, {king}, 0
    while frontier:
        if frontier & targets:
            return count
        frontier = {square for near in frontier for square in neighbours(near)} - taboo - seen
        seen |= frontier
        count += 1
    return None
