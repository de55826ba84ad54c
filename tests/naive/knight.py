"""Knight patterns, square by square, and the hunt for a pawn as a game played out."""

from __future__ import annotations

from collections import deque
from functools import cache
from itertools import product

import numpy as np

from naive import OTHER_SETS, PAIR, SETS, SQUARES, THIRD_SETS, Board, at, each

JUMPS = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)]


def counts(squares: Board) -> np.ndarray:
    """How many of the squares a knight attacks from each square of the board."""
    return each(lambda file, rank: np.sum([at(squares, file + east, rank + north) for east, north in JUMPS], axis=0))


def attacks(knights: Board) -> Board:
    return counts(knights) >= 1


def fill(knights: Board) -> Board:
    return knights | attacks(knights)


def fork_targets(targets: Board) -> Board:
    return counts(targets) >= 2


def forks(
    own_knights: Board, own: Board, targets: Board, enemy_pawn_attacks: Board, enemy_knight_attacks: Board
) -> Board:
    """Forks that are reached now, and safe from pawns and knights."""
    return fork_targets(targets) & attacks(own_knights) & ~(own | enemy_pawn_attacks | enemy_knight_attacks)


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


def reach(knights: set[int], moves: int, avoid: set[int]) -> set[int]:
    return {square for square, needed in moves_from(knights, avoid).items() if needed <= moves}


def step(knights: set[int]) -> set[int]:
    return {target for square in knights for target in jumps(square)}


def after(knights: set[int], moves: int) -> set[int]:
    """The squares after each of so many moves, one move after the other."""
    reached = set(knights)
    for _ in range(moves):
        reached = step(reached)
    return reached


@cache
def moves_between(square: int, other: int) -> int:
    return moves_from({square})[other]


def distance(a: set[int], b: set[int]) -> int:
    """In moves, for the nearest two squares."""
    return min((moves_between(square, other) for square, other in product(a, b)), default=-1)


def pawn_moves(knight: int, pawn: int) -> list[int]:
    """Where a pawn on ranks 2 to 7 can go when the knight is the only other piece."""
    moves = []
    if pawn + 8 != knight:
        moves.append(pawn + 8)
        if pawn // 8 == 1 and pawn + 16 != knight:
            moves.append(pawn + 16)
    if knight // 8 == pawn // 8 + 1 and abs(knight % 8 - pawn % 8) == 1:
        moves.append(knight)
    return moves


@cache
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


def catches(knight: int, pawn: int, knight_to_move: bool) -> bool:
    return (knight, pawn, knight_to_move) in hunts()


COLUMNS = {
    "a": PAIR[0], "b": PAIR[1],
    "own_knights": SETS[66:] & OTHER_SETS[66:], "avoid": THIRD_SETS,
    "moves": np.resize([*[0, 1, 2, 3, 5, 9] * 8, 255], 2000).astype(np.uint8),
    # Every knight, every pawn, either side to move.
    "knight": np.tile(np.repeat(SQUARES, 64), 2), "pawn": np.tile(SQUARES, 128),
    "knight_to_move": np.repeat([False, True], 64 * 64),
}  # fmt: skip
