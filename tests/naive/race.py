"""The race of a king against a lone pawn, solved as a game; and walks of a king by breadth-first search.

Squares are numbers from 0 (a1) to 63 (h8). The pawn runs up the board.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations, product

import numpy as np

from naive import OTHER_SETS, SETS, SQUARES, random_sets
from naive.king import neighbours

PAWN_SQUARES = range(8, 56)


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


def catchable(king: int, king_to_move: bool) -> set[int]:
    """The pawns that the king catches; a pawn on the king's own square is taken already."""
    solved = {pawn for pawn in PAWN_SQUARES if (king, pawn, king_to_move) in caught()}
    return solved | {king} & set(PAWN_SQUARES)


def unstoppable(passers: set[int], king: int, king_to_move: bool) -> set[int]:
    return passers - catchable(king, king_to_move)


@cache
def catches_both(king: int, pawns: frozenset[int], king_to_move: bool) -> bool:
    """Whether a king catches both of two pawns, played out to the end: a lone pawn is a race that is solved already."""
    if king in pawns:
        [other] = pawns - {king}
        return other in catchable(king, king_to_move)
    [promoted, *_] = [pawn for pawn in pawns if pawn >= 56] or [None]
    guarded = {square for pawn in pawns if pawn < 56 for square in attacked_by_pawn(pawn)}
    if promoted is not None:
        return promoted in neighbours(king) and promoted not in guarded and catches_both(promoted, pawns, False)
    if king_to_move:
        return any(catches_both(step, pawns, False) for step in neighbours(king) if step not in guarded)
    after = []
    for pawn in pawns:
        [other] = pawns - {pawn}
        ways = {1: [pawn + 8], 2: [pawn + 8, pawn + 16]} if pawn < 16 else {1: [pawn + 8]}
        for steps, way in ways.items():
            if not {king, other} & set(way):
                after.append(catches_both(king, frozenset({other, pawn + 8 * steps}), True))
    return all(after) if after else catches_both(king, pawns, True)


def two(passers: set[int], king: int, king_to_move: bool) -> set[int]:
    pairs = map(frozenset, combinations(passers & set(PAWN_SQUARES), 2))
    return {pawn for pair in pairs if not catches_both(king, pair, king_to_move) for pawn in pair}


@cache
def promotes() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """King and pawn against king, solved: ``[own king, pawn, enemy king]``, where the pawn's side moves and where not.

    Each is whether the pawn promotes by force to a piece that is not taken at once, and whether the position is
    possible. Stalemate stops the pawn, too.
    """
    squares = np.arange(64)
    near = np.array([[square in neighbours(king) for square in range(64)] for king in range(64)])
    attacked = np.zeros((64, 64), bool)
    possible = np.zeros((64, 64, 64), bool)
    for pawn in PAWN_SQUARES:
        attacked[pawn, attacked_by_pawn(pawn)] = True
        possible[:, pawn] = ~near & ~np.eye(64, dtype=bool)
        possible[pawn, pawn] = possible[:, pawn, pawn] = False
    ours_possible = possible & ~attacked[None]

    def free(square: int) -> np.ndarray:
        """Where no king stands on a square."""
        return (squares != square)[:, None] & (squares != square)[None, :]

    ours, theirs = np.zeros_like(possible), np.zeros_like(possible)
    while True:
        before = ours.sum() + theirs.sum()
        for pawn in PAWN_SQUARES:
            stop = pawn + 8
            if stop >= 56:
                ours[:, pawn] |= free(stop) & ~(near[stop][None, :] & ~near[stop][:, None])
            else:
                ours[:, pawn] |= free(stop) & theirs[:, stop]
            if pawn < 16:
                ours[:, pawn] |= free(stop) & free(pawn + 16) & theirs[:, pawn + 16]
            for king in range(64):
                for step in set(neighbours(king)) - {pawn}:
                    ours[king, pawn] |= theirs[step, pawn] & possible[step, pawn]
        ours &= ours_possible
        for king in range(64):
            lost, moves = np.ones((64, 64), bool), np.zeros((64, 64), bool)
            for step in neighbours(king):
                can = ~near[:, step][:, None] & ~attacked[:, step][None, :] & (squares != step)[:, None]
                lost &= ~can | ours[:, :, step]
                moves |= can
            theirs[:, :, king] |= lost & moves & possible[:, :, king]
        if ours.sum() + theirs.sum() == before:
            return ours, ours_possible, theirs, possible


def king_path(king: int, target: int, taboo: set[int]) -> int:
    """In how many moves a king walks from one square to another; -1 when there is no way."""
    seen, frontier, count = {king}, {king}, 0
    while frontier:
        if target in frontier:
            return count
        frontier = {square for near in frontier for square in neighbours(near)} - taboo - seen
        seen |= frontier
        count += 1
    return -1


COLUMNS = {
    # Every king and target, and every king with either side to move.
    "king": np.repeat(SQUARES, 64), "target": np.tile(SQUARES, 64),
    "king_to_move": np.tile([False, True], 64 * 32),
    "passers": SETS[66 : 66 + 4096] & np.uint64(0x00FF_FFFF_FFFF_FF00),
    "taboo": np.where(np.arange(4096) % 3, OTHER_SETS[:4096], random_sets(4096, 3) | random_sets(4096, 4)),
}  # fmt: skip
