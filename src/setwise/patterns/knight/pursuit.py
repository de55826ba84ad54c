"""Whether a lone knight catches a passed pawn: the solved game, as a table."""

from __future__ import annotations

import numpy as np

from setwise.compiler import Flag, Set, pattern
from setwise.patterns.bits import EMPTY, lowest
from setwise.patterns.compass.steps import east, west
from setwise.patterns.geometry import SQUARES
from setwise.patterns.knight.walks import ATTACKS, attacks

__all__ = ["CATCHES", "catches"]

SIXTY_THREE = np.uint64(63)


def _catches() -> np.ndarray:
    """Solve the game backwards, rank by rank: all files and all squares of the knight at once."""
    pawn_moves, knight_moves = np.zeros((2, 8, 8), np.uint64)  # by rank and file of the pawn
    pawns = SQUARES.reshape(8, 8)
    knight_moves[7] = ATTACKS[56:]  # the promoted piece is taken at once, or never
    for rank in range(6, 0, -1):
        pawn, stop = pawns[rank], pawns[rank + 1]
        takes = east.plain(stop) | west.plain(stop)
        caught = knight_moves[rank + 1]
        if rank == 1:
            caught = caught & (knight_moves[3] | pawns[3])  # on rank 4 the knight forbids the double step
        free = caught & ~takes & ~pawn
        # A knight on the stop square holds the pawn up for one move, and must then leave.
        blocks = np.where(ATTACKS.reshape(8, 8)[rank + 1] & free != EMPTY, stop, EMPTY)
        pawn_moves[rank] = free | blocks
        knight_moves[rank] = attacks.plain(pawn | pawn_moves[rank]) & ~pawn
    return np.array([pawn_moves.reshape(64), knight_moves.reshape(64)])


#: ``CATCHES[knight_to_move][square of the pawn]``: the squares from which a knight catches that pawn (see `catches`).
CATCHES = _catches()
CATCHES.flags.writeable = False


@pattern
def catches(knight: Set, pawn: Set, knight_to_move: Flag) -> Flag:
    """Return whether a lone knight captures a pawn that runs north, or the promoted piece before that piece can move.

    Nothing else is on the board, and both sides must move what they have. The pawn pushes by one step or, from rank 2,
    by two, if those squares are empty; it takes the knight where it can; held up by a knight in front of it, it waits.
    The knight moves each time, so it cannot hold the pawn up for long. Answers are exact: they agree with the solved
    game for every knight, every pawn and both sides to move.

    Args:
        knight: square of the knight, a set; of several knights each hunts alone.
        pawn: square of the pawn, a set of one square on ranks 2 to 7, or on rank 8 where it has just promoted. The
            lowest counts if there are more; there are no pawns on rank 1.
        knight_to_move: whether the knight moves next; otherwise the pawn does.

    Example:
        >>> knight.catches(Bitboard("c4"), Bitboard("h6"), True)
        True
        >>> knight.catches(Bitboard("d4"), Bitboard("h6"), True)
        False
        >>> knight.catches(Bitboard("c4"), Bitboard("h6"), False)
        False

    Why:
        The game is solved backwards from promotion, all knights at once: with the knight to move it catches from where
        a jump leads to a caught position; with the pawn to move, only if each move of the pawn leads to one. The answer
        for each pawn and side to move is a set of squares of the knight, and one lookup decides.

    Traps:
        A knight cannot lose a move: from d4, which is nearer, it arrives a move too early or too late. Kings, which can
        lose a move, are left out.

    Names:
        knight catches passer, knight against pawn, knight versus pawn.

    Source:
        Chess Programming Wiki, "Knight Pattern"; solved by retrograde analysis.
    """
    return np.uint64(CATCHES[knight_to_move, lowest(pawn) & SIXTY_THREE] & knight != EMPTY)
