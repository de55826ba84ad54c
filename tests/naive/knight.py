"""Knight patterns, square by square, and the hunt for a pawn as a game played out."""

from __future__ import annotations

from collections import deque

import numpy as np

from naive import Board, at, each

JUMPS = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)]


def counts(squares: Board) -> np.ndarray:
    """How many of the squares a knight attacks from each square of the board."""
    return each(lambda file, rank: np.sum([at(squares, file + east, rank + north) for east, north in JUMPS], axis=0))


def attacks(knights: Board) -> Board:
    return counts(knights) >= 1


def fork_targets(targets: Board) -> Board:
    return counts(targets) >= 2


def jumps(square: int) -> list[int]:
    file, rank = square % 8, square // 8
    return [8 * (rank + n) + file + e for e, n in JUMPS if 0 <= file + e < 8 and 0 <= rank + n < 8]


def moves_from(start: set[int], avoid: set[int] = frozenset()) -> dict[int, int]:
    """How many moves each square is away from the start, without landing on squares to avoid."""
    moves = dict.fromkeys(start, 0)
    queue = deque(start)
    while queue:
        square = queue.popleft()
        for target in jumps(square):
            if target not in moves and target not in avoid:
                moves[target] = moves[square] + 1
                queue.append(target)
    return moves


def distance(a: set[int], b: set[int]) -> int:
    moves = moves_from(a)
    return min((moves[square] for square in b & moves.keys()), default=-1)


def pawn_moves(knight: int, pawn: int) -> list[int]:
    """Where a pawn on ranks 2 to 7 can go when the knight is the only other man."""
    moves = []
    if pawn + 8 != knight:
        moves.append(pawn + 8)
        if pawn // 8 == 1 and pawn + 16 != knight:
            moves.append(pawn + 16)
    if knight // 8 == pawn // 8 + 1 and abs(knight % 8 - pawn % 8) == 1:
        moves.append(knight)
    return moves


def hunts() -> set[tuple[int, int, bool]]:
    """All (knight, pawn, knight to move) from which the knight captures by force: the game solved by brute force.

    Nothing is won at first; what can be forced into something won is added, until nothing is.
    """
    won: set[tuple[int, int, bool]] = set()
    while True:
        more = {
            (knight, pawn, True)
            for knight in range(64)
            for pawn in range(8, 64)
            if knight != pawn and any(to == pawn or (to, pawn, False) in won for to in jumps(knight))
        }
        for knight in range(64):
            for pawn in range(8, 56):
                if knight != pawn:
                    moves = pawn_moves(knight, pawn) or [pawn]  # a pawn without a move waits
                    if all(to != knight and (knight, to, True) in won for to in moves):
                        more.add((knight, pawn, False))
        if more <= won:
            return won
        won |= more
