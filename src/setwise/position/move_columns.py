"""Moves of many positions, legal and played, by the numbers that networks give them: methods of ``Positions``."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from setwise.position.played import Played, exchanges
from setwise.rules import indices

if TYPE_CHECKING:
    import numpy.typing as npt

    from setwise.position.positions import Positions

__all__ = [
    "MoveList", "legal_move_counts", "legal_moves", "move_indices", "moves_at", "moves_mask", "played", "see",
]  # fmt: skip


class MoveList(NamedTuple):
    """Legal moves of many positions in one list: for each the row of its position, the move and its index.

    Moves are uint16, from White's side, as ``Move`` takes them; rows and indices are int64.
    """

    parents: np.ndarray
    moves: np.ndarray
    indices: np.ndarray


def legal_move_counts(positions: Positions) -> np.ndarray:
    """Return how many legal moves the side to move has, int16: what `moves.legal_move_count` counts.

    Example:
        >>> from setwise import Positions
        >>> positions = Positions.from_fens(["4k3/8/8/8/8/8/8/4K2R w K - 0 1", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"])
        >>> positions.legal_move_counts()
        array([15,  0], dtype=int16)
    """
    return positions._moves_and_checks[0]


def legal_moves(positions: Positions) -> MoveList:
    """Return the legal moves of all positions, those of each in the order of ``Position.legal_moves``.

    An index is the number that ``move_indices`` gives a move; ``logits[legal.parents, legal.indices]`` are the
    values that a network assigns to legal moves.

    Example:
        >>> from setwise import Move, Positions
        >>> positions = Positions.from_fens(["k7/8/1K6/8/8/8/8/8 b - - 0 1", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"])
        >>> legal = positions.legal_moves()
        >>> legal.parents, [Move(move).uci() for move in legal.moves], legal.indices
        (array([0]), ['a8b8'], array([0]))
    """
    counts = positions.legal_move_counts()
    parents = np.repeat(np.arange(len(positions)), counts)
    moves, move_indices = np.empty(len(parents), np.uint16), np.empty(len(parents), np.int64)
    indices.list_legal(positions.sets, positions.white_to_move, indices.INDEX_OF, moves, move_indices)
    return MoveList(parents, moves, move_indices)


def moves_mask(positions: Positions) -> np.ndarray:
    """Return which of the 1858 moves of ``move_indices`` are legal in each position, an array n × 1858 of bool.

    Example:
        >>> from setwise import Positions
        >>> positions = Positions.from_fens(["k7/8/1K6/8/8/8/8/8 b - - 0 1", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"])
        >>> positions.moves_mask().sum(axis=1)
        array([1, 0])
    """
    mask = np.zeros((len(positions), indices.MOVE_INDICES), np.uint8)
    indices.mask_legal(positions.sets, positions.white_to_move, indices.INDEX_OF, mask)
    return mask.view(np.bool_)


def move_indices(positions: Positions) -> np.ndarray:
    """Return the number that the move played in each position has for a network, 0 to 1857; -1 where there is none.

    The mover's side numbers the moves, as ``planes(from_mover=True)`` shows the board: where Black moves, e7-e5 has
    the index of White's e2-e4. Indices 0 to 1791 are the pairs of squares that a queen or a knight may jump
    between, ordered by the first square and then by the second; castling goes from the king's square to the rook's,
    and a pawn on the last rank becomes a queen. 1792 to 1857 are promotions to a knight, a bishop and a rook, three
    in turn for each way onto the last rank.

    Raises:
        ValueError: for positions that do not come from games.

    Example:
        >>> [games] = setwise.read_pgn(b"1. e4 e5 *")
        >>> games.positions().move_indices()
        array([322, 322,  -1])
    """
    return indices.indices_of(positions._moves_played(), positions.white_to_move)


def moves_at(positions: Positions, numbers: npt.ArrayLike) -> np.ndarray:
    """Return the moves that indices mean, one for each position, as White sees them: uint16, 0 for an illegal one.

    Args:
        numbers: an index for each position, such as that of a network's largest value among legal moves.

    Raises:
        ValueError: the number of indices differs from the number of positions.

    Example:
        >>> from setwise import Move, Positions
        >>> positions = Positions.from_fens(["k7/8/1K6/8/8/8/8/8 b - - 0 1"])
        >>> Move(positions.moves_at([0])[0]), positions.moves_at([7])
        (<Move a8b8>, array([0], dtype=uint16))
    """
    wanted = np.asarray(numbers)
    if wanted.shape != (len(positions),):
        raise ValueError(f"each of the {len(positions)} positions has one index, and these are {wanted.shape}")
    parents, moves, legal = positions.legal_moves()
    out, matches = np.zeros(len(positions), np.uint16), legal == wanted[parents]
    out[parents[matches]] = moves[matches]
    return out


def played(positions: Positions) -> Played:
    """Return the effects of the moves played in these positions.

    Raises:
        ValueError: for positions that do not come from games.
    """
    positions._moves_played()
    return positions._played


def see(positions: Positions) -> np.ndarray:
    """Return the gain of the exchange that each move played begins, int8, in pawns, as ``Position.see`` does.

    Raises:
        ValueError: for positions that do not come from games.

    Example:
        >>> import setwise
        >>> [games] = setwise.read_pgn(b"1. e4 d5 2. exd5 Qxd5 3. Qg4 Bxg4 *")
        >>> games.positions().see()
        array([ 0,  0,  0,  1, -9,  9,  0], dtype=int8)
    """
    positions._moves_played()
    return exchanges(positions.sets, positions.white_to_move, positions.moves)
