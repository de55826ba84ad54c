"""Lines, pins and attackers: how they go together, and cases to look at."""

from __future__ import annotations

import numpy as np

from helpers.drawing import difference
from naive.lines import COLUMNS
from setwise.bitboard import Bitboard
from setwise.patterns import lines

NUMBERS = np.arange(64, dtype=np.uint8)


def test_lines_are_a_queens_moves() -> None:
    related = lines.line(NUMBERS[:, None], NUMBERS) != 0
    assert np.array_equal(related, related.T)
    assert not related.diagonal().any()
    assert related.sum() == 896 + 560  # a rook's and a bishop's moves from all squares of an empty board


def test_every_pinned_man_has_one_pinner() -> None:
    columns = [COLUMNS[name] for name in ("king", "own", "enemy_orthogonal", "enemy_diagonal", "occupied")]
    pinned, pinners = lines.pinned(*columns), lines.pinners(*columns)
    assert not difference(np.bitwise_count(pinned), np.bitwise_count(pinners), *columns)
    assert not np.any(pinned & pinners)


def test_a_pin_ends_when_another_man_joins() -> None:
    king, rook, bishop = Bitboard("e1"), Bitboard("e8"), Bitboard("e4")
    assert lines.pinned(king, king | bishop, rook, 0, king | bishop | rook) == bishop
    for square in lines.between(4, 60) - bishop:
        men = king | bishop | Bitboard([square])
        assert lines.pinned(king, men, rook, 0, men | rook) == 0
        assert lines.pinned(king, king | bishop, rook, 0, men | rook) == 0
    assert lines.pinned(king, king | bishop, 0, rook, king | bishop | rook) == 0


def test_pins_do_not_run_around_the_edge() -> None:
    # h4 and a5 are neighbours in the word, not on the board.
    assert lines.pinned(Bitboard("g4"), Bitboard("g4 h4"), Bitboard("b5"), 0, Bitboard("g4 h4 b5")) == 0
