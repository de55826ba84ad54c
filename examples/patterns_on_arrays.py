"""Patterns on arrays: where White's knights could have forked in the famous games, thousands of positions at once."""

from pathlib import Path

import numpy as np

from setwise import read_pgn
from setwise.patterns import knight

GAMES = Path(__file__).with_name("famous_games.pgn")


def times_each_square(sets: np.ndarray) -> np.ndarray:
    """How many of the sets hold a1, b1 … h8: bit 0 is a1, bit 63 is h8."""
    octets = sets.astype("<u8").view(np.uint8).reshape(-1, 8)
    return np.unpackbits(octets, axis=1, bitorder="little").sum(axis=0, dtype=int)


total, offered, board = 0, 0, np.zeros(64, int)
for games in read_pgn(GAMES):  # in batches, however large the file
    positions = games.positions()

    # The sets of all positions are columns of 64-bit words; a pattern takes whole columns.
    knights = positions.white_pieces & positions.knights
    targets = positions.black_pieces & (positions.kings | positions.queens | positions.rooks)
    forks = knight.attacks(knights) & ~positions.white_pieces & knight.fork_targets(targets)

    total += len(positions)
    offered += np.count_nonzero(forks)
    board += times_each_square(forks)

print(f"{offered} of {total} positions offer a knight's fork of king, queen or rooks, on these squares:\n")
for rank, counts in zip("87654321", board.reshape(8, 8)[::-1], strict=True):
    print(rank, " ".join(f"{count or '·':>3}" for count in counts))
print("    a   b   c   d   e   f   g   h")
