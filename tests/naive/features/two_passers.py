"""King and two pawns against king, solved as a game: all positions, move by move, until nothing new follows."""

from __future__ import annotations

from functools import cache

import numba
import numpy as np

from naive.race import attacked_by_pawn, neighbours, promotes

NEAR = np.array([[square in neighbours(king) for square in range(64)] for king in range(64)])
GUARDED = np.array([[square in attacked_by_pawn(pawn) for square in range(64)] for pawn in range(64)])
STEPS = np.array([[*neighbours(king), *[-1] * 8][:8] for king in range(64)])


@numba.njit
def possible(own_king: int, king: int, one: int, other: int) -> bool:
    kings = own_king != king and not NEAR[own_king, king]
    return kings and one != other and own_king not in (one, other) and king not in (one, other)


@numba.njit
def push_wins(own_king: int, king: int, pawn: int, other: int, theirs: np.ndarray, one_ours: np.ndarray) -> bool:
    """Whether a push of the first pawn wins."""
    for steps in range(1, 3 if pawn < 16 else 2):
        square = pawn + 8 * steps
        if square in (own_king, king, other):
            return False
        if square < 56:
            if theirs[own_king, king, square, other]:
                return True
        elif not NEAR[king, square] or NEAR[own_king, square] or GUARDED[other, square]:
            return True
        elif one_ours[own_king, other, square]:
            return True  # the other pawn comes through when the king has taken
    return False


@numba.njit
def we_win(own_king: int, king: int, one: int, other: int, theirs: np.ndarray, one_ours: np.ndarray) -> bool:
    for step in STEPS[own_king]:
        if step >= 0 and possible(step, king, one, other) and theirs[step, king, one, other]:
            return True
    if push_wins(own_king, king, one, other, theirs, one_ours):
        return True
    return push_wins(own_king, king, other, one, theirs, one_ours)


@numba.njit
def they_lose(own_king: int, king: int, one: int, other: int, ours: np.ndarray, one_ours: np.ndarray) -> bool:
    """Whether all their moves lose; without any it is mate, or stalemate, which does not."""
    moves = 0
    for step in STEPS[king]:
        if step < 0 or NEAR[own_king, step] or GUARDED[one, step] or GUARDED[other, step] or step == own_king:
            continue
        moves += 1
        if step == one:
            won = one_ours[own_king, other, step]
        elif step == other:
            won = one_ours[own_king, one, step]
        else:
            won = ours[own_king, step, one, other]
        if not won:
            return False
    return moves > 0 or GUARDED[one, king] or GUARDED[other, king]


@numba.njit
def solve(one_ours: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    ours = np.zeros((64, 64, 64, 64), np.bool_)
    theirs = np.zeros((64, 64, 64, 64), np.bool_)
    changed = True
    while changed:
        changed = False
        for own_king in range(64):
            for king in range(64):
                for one in range(55, 7, -1):
                    for other in range(one - 1, 7, -1):
                        if not possible(own_king, king, one, other):
                            continue
                        at = own_king, king, one, other
                        in_check = GUARDED[one, king] or GUARDED[other, king]
                        if not (ours[at] or in_check) and we_win(own_king, king, one, other, theirs, one_ours):
                            ours[at] = ours[own_king, king, other, one] = changed = True
                        if not theirs[at] and they_lose(own_king, king, one, other, ours, one_ours):
                            theirs[at] = theirs[own_king, king, other, one] = changed = True
    return ours, theirs


@cache
def two_promote() -> tuple[np.ndarray, np.ndarray]:
    """``[own king, enemy king, pawn, other pawn]``: where the pawns' side, to move or not, gets one of them home.

    By force, so that the new piece is not taken at once or the other pawn comes home then; or it mates on the way.
    """
    return solve(promotes()[0])
