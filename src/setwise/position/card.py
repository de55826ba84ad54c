"""Perft on a graphics card: positions are expanded here, and the last plies below each of them are counted on the card.

A thread of the card takes one position, lists its legal moves and counts those of its children, by the definitions that
the processor runs, too. The last ply is never made: `moves.legal_move_count` counts it.
"""

from __future__ import annotations

import numpy as np

from setwise.compiler import Count, Pattern, Set, routine, scratch, subroutine
from setwise.compiler.kinds import Leaves, uint16
from setwise.compiler.targets import computed_on_card
from setwise.patterns.bits import EMPTY, THREE
from setwise.patterns.moves import king_safety, legal_move_count, lines_of_words
from setwise.rules import generate
from setwise.rules.board import Board, make_move, mirrored
from setwise.rules.generate import MOST_MOVES, list_moves

#: How many positions are expanded at once; their children, about a million, take 100 MB.
_PARENTS = 1 << 15
#: Three plies of so many positions take a card less time than expanding them here.
_ENOUGH = 1 << 12

_moves, _replies = scratch(MOST_MOVES), scratch(MOST_MOVES)


@routine
def _list_legal(board: Board, moves: np.ndarray) -> int:
    """List the legal moves; lines are followed one after the other, as a thread of a card has no wide registers."""
    limits, _ = king_safety(*board[:8], board.en_passant, lines_of_words)
    return list_moves(board, limits, moves, 0)


@routine
def _child(board: Board, move: np.uint16) -> Board:
    return mirrored(make_move(board, np.uint64(move)))


@subroutine
def _two_plies(board: Board) -> np.uint64:
    replies, total = _replies(uint16), EMPTY
    for k in range(_list_legal(board, replies)):
        total += legal_move_count(*_child(board, replies[k]))
    return total


def leaves(
    own: Set, enemy: Set, pawns: Set, knights: Set, bishops: Set, rooks: Set, queens: Set, kings: Set, castling: Set,
    en_passant: Set, plies: Count,
) -> Leaves:  # fmt: skip
    """Return how many sequences of two or of three legal moves there are."""
    board = Board(own, enemy, pawns, knights, bishops, rooks, queens, kings, castling, en_passant)
    if plies != THREE:
        return _two_plies(board)
    moves, total = _moves(uint16), EMPTY
    for k in range(_list_legal(board, moves)):
        total += _two_plies(_child(board, moves[k]))
    return total


#: A pattern, so that it becomes a kernel as patterns do; it has no name in conditions and no page.
LEAVES = Pattern(leaves)


def perft(sets: np.ndarray, plies: int, *, white_to_move: bool) -> int:
    """Return the leaves of the trees of legal moves below boards with the same side to move, at least two plies deep.

    Args:
        sets: the boards from White's view: (10, n) uint64.
        plies: the depth of the trees.
        white_to_move: the side to move.

    Raises:
        CompilerMissing: without the packages that drive a card, and where there is no card.
    """
    count = sets.shape[1]
    if plies == 2 or (plies == 3 and count >= _ENOUGH):
        boards = np.empty_like(sets)
        generate.turn_boards(sets, np.full(count, white_to_move), boards)
        return int(computed_on_card(LEAVES, [*boards, plies]).sum())
    chunks = (np.ascontiguousarray(sets[:, start : start + _PARENTS]) for start in range(0, count, _PARENTS))
    return sum(perft(_children(chunk, white_to_move), plies - 1, white_to_move=not white_to_move) for chunk in chunks)


def _children(sets: np.ndarray, white_to_move: bool) -> np.ndarray:
    parents = sets.shape[1]
    white, counts, checks = np.full(parents, white_to_move), np.empty(parents, np.int16), np.empty(parents, np.bool_)
    generate.legal_move_counts(sets, white, counts, checks)
    number = int(counts.sum())
    clocks, made = np.zeros((2, parents), np.uint16), np.empty((3, number), np.uint16)
    children = np.empty((len(sets), number), np.uint64)
    generate.children(sets, white, *clocks, np.full(number, not white_to_move), children, *made)
    return children
