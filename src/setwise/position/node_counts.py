"""How many sequences of moves there are: methods of ``Position``."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from operator import index
from typing import TYPE_CHECKING

from setwise.position.endings import impossible
from setwise.position.move import Move
from setwise.rules import perft as rules_perft
from setwise.rules.state import SETS

if TYPE_CHECKING:
    from setwise.position.position import Position

__all__ = ["perft", "perft_divide"]

#: Deeper counts are split by moves, between which Ctrl-C interrupts.
_INTERRUPTIBLE = 5


def perft(position: Position, depth: int) -> int:
    """Return how many sequences of ``depth`` legal moves there are."""
    depth = index(depth)
    if not 0 <= depth <= 60:  # greater depths would not finish, nor fit 64 bits
        raise ValueError(f"the depth of perft is a number from 0 to 60, not {depth}")
    if not position._playable:
        raise impossible(position)
    if depth == 0:
        return 1
    if depth > _INTERRUPTIBLE:
        return sum(position.perft_divide(depth).values())
    board = position if position.white_to_move else position.mirror()
    return rules_perft.nodes.raw(board.words[: len(SETS)], depth)


def perft_divide(position: Position, depth: int, *, threads: int = 1) -> dict[Move, int]:
    """Return for each legal move how many sequences of ``depth`` moves begin with it, counted by ``threads``."""
    if index(depth) < 1:
        raise ValueError(f"the depth of a divided perft is at least 1, not {depth}")
    children = {move: position.play(move) for move in position.legal_moves()}
    if threads == 1 or depth < 3:
        return {move: child.perft(depth - 1) for move, child in children.items()}
    # The threads share the positions two plies ahead: parts small enough that all threads finish together.
    parts = iter([(move, child.play(reply)) for move, child in children.items() for reply in child.legal_moves()])

    def count() -> Counter[Move]:
        counted: Counter[Move] = Counter()
        for move, descendant in parts:
            counted[move] += descendant.perft(depth - 2)
        return counted

    with ThreadPoolExecutor(threads) as pool:
        counts = [work.result() for work in [pool.submit(count) for _ in range(threads)]]
    return {move: sum(counted[move] for counted in counts) for move in children}
