"""Knight patterns: attacks and walks, forks, and the hunt for a pawn."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.drawing import difference
from naive import ALL, SETS, SQUARES, word_of
from naive import knight as naive
from setwise.bitboard import Bitboard
from setwise.patterns import compass, knight

CORNERS = ("a1", "h1", "a8", "h8")
sets = st.integers(0, ALL)


def attacks_by_two_steps(knights: np.ndarray) -> np.ndarray:
    """The other published form: east and west, two ranks away; once more east and west, one rank away."""
    east, west = compass.east(knights), compass.west(knights)
    near = east | west
    far = compass.east(east) | compass.west(west)
    return near << np.uint64(16) | near >> np.uint64(16) | far << np.uint64(8) | far >> np.uint64(8)


def test_both_published_forms_agree() -> None:
    assert not difference(knight.attacks(SETS), attacks_by_two_steps(SETS), SETS)


def test_attacks_are_the_eight_knight_steps() -> None:
    steps = [getattr(compass, name) for name in dir(compass) if name.count("_") == 2 and name[:2] in {"no", "so"}]
    assert len(steps) == 8
    assert not difference(knight.attacks(SETS), np.bitwise_or.reduce([step(SETS) for step in steps]), SETS)


def test_the_table_is_the_function() -> None:
    assert not difference(knight.ATTACKS, knight.attacks(SQUARES), SQUARES)


@given(knights=sets, others=sets)
def test_attacks_of_a_union_are_the_union_of_attacks(knights: int, others: int) -> None:
    assert knight.attacks(knights | others) == knight.attacks(knights) | knight.attacks(others)


@given(knights=sets, others=sets)
def test_attacks_are_mutual(knights: int, others: int) -> None:
    assert knight.attacks(knights).isdisjoint(others) == knight.attacks(others).isdisjoint(knights)


# The six boards that the Chess Programming Wiki draws, of a fill that starts on a1.
SIX_FILLS = """
    . . . . . . . .   . . . . . . . .   . . . . . . . .   . 1 . 1 . 1 . .   1 1 1 1 1 1 1 .   1 1 1 1 1 1 1 1
    . . . . . . . .   . . . . . . . .   . 1 . 1 . . . .   1 1 1 1 1 . 1 .   1 1 1 1 1 1 1 1   1 1 1 1 1 1 1 1
    . . . . . . . .   . . . . . . . .   1 . 1 . 1 . . .   1 1 1 1 1 1 . 1   1 1 1 1 1 1 1 1   1 1 1 1 1 1 1 1
    . . . . . . . .   1 . 1 . . . . .   1 1 1 1 . 1 . .   1 1 1 1 1 1 1 .   1 1 1 1 1 1 1 1   1 1 1 1 1 1 1 1
    . . . . . . . .   . 1 . 1 . . . .   1 1 1 1 1 . 1 .   1 1 1 1 1 1 1 1   1 1 1 1 1 1 1 1   1 1 1 1 1 1 1 1
    . 1 . . . . . .   1 1 . . 1 . . .   1 1 . 1 1 1 . .   1 1 1 1 1 1 1 .   1 1 1 1 1 1 1 1   1 1 1 1 1 1 1 1
    . . 1 . . . . .   . . 1 1 . . . .   1 . 1 1 1 . 1 .   1 1 1 1 1 1 1 1   1 1 1 1 1 1 1 1   1 1 1 1 1 1 1 1
    1 . . . . . . .   1 . 1 . 1 . . .   1 1 1 1 1 1 . .   1 1 1 1 1 1 1 .   1 1 1 1 1 1 1 1   1 1 1 1 1 1 1 1
"""


def test_the_six_boards_of_the_fill() -> None:
    rows = [line.split() for line in SIX_FILLS.strip().splitlines()]
    filled = Bitboard("a1")
    for start in range(0, 48, 8):
        filled = knight.fill(filled)
        assert filled == Bitboard.parse("\n".join(" ".join(row[start : start + 8]) for row in rows)), filled


@pytest.mark.parametrize("corner", CORNERS)
def test_a_corner_needs_six_fills_for_the_board(corner: str) -> None:
    filled = [Bitboard(corner)]
    for _ in range(6):
        filled.append(knight.fill(filled[-1]))
    assert filled[5] != ALL
    assert filled[6] == ALL


def test_a_fill_is_attacks_and_knights() -> None:
    assert not difference(knight.fill(SETS), knight.attacks(SETS) | SETS, SETS)


def test_reach_avoids_nothing_unless_told() -> None:
    assert knight.reach(Bitboard("a1"), 2) == knight.reach(Bitboard("a1"), 2, 0)
    assert knight.reach(Bitboard("a1"), 2, avoid=Bitboard("b3 c2")) == Bitboard("a1")
    out = np.zeros(2, np.uint64)
    assert knight.reach(SQUARES[:2], 1, out=out) is out
    assert not difference(out, knight.fill(SQUARES[:2]))
    with pytest.raises(TypeError):
        knight.reach(1)


def test_the_longest_walk_is_from_corner_to_far_corner() -> None:
    moves = knight.distance(SQUARES[:, None], SQUARES[None, :])
    assert set(moves.flat) == set(range(7))
    assert np.argwhere(moves == 6).tolist() == [[0, 63], [7, 56], [56, 7], [63, 0]]


def test_fork_targets_of_all_pairs() -> None:
    pairs = list(combinations(range(64), 2))
    targets = np.array([word_of(pair) for pair in pairs], np.uint64)
    common = np.array([word_of({*naive.jumps(a)} & {*naive.jumps(b)}) for a, b in pairs], np.uint64)
    assert not difference(knight.fork_targets(targets), common, targets)


@given(targets=sets, square=st.integers(0, 63))
def test_a_fork_square_attacks_two_targets(targets: int, square: int) -> None:
    attacked = len(Bitboard(int(knight.ATTACKS[square])) & targets)
    assert (square in knight.fork_targets(targets)) == (attacked >= 2)


def test_the_table_of_catches_is_the_pattern() -> None:
    for turn in (False, True):
        pawns = np.repeat(SQUARES, 64)
        ours = knight.catches(np.tile(SQUARES, 64), pawns, turn).reshape(64, 64)
        expected = knight.CATCHES[int(turn)][:, None] & SQUARES != 0
        assert np.array_equal(ours, expected)


def test_several_knights_hunt_each_alone() -> None:
    far, near, pawn = Bitboard("a1"), Bitboard("f5"), Bitboard("h6")
    assert not knight.catches(far, pawn, True)
    assert knight.catches(near, pawn, True)
    assert knight.catches(far | near, pawn, True)
    assert not knight.catches(near, 0, True)
    assert not knight.catches(0, pawn, True)
