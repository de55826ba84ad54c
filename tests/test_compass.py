"""Steps and symmetries of sets."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest

from helpers.drawing import difference
from naive import ALL, SETS
from naive import compass as naive
from setwise.bitboard import Bitboard
from setwise.patterns import compass

STEPS = naive.STEPS | naive.KNIGHT_STEPS


def same(squares: np.ndarray) -> np.ndarray:
    return squares


SYMMETRIES = [same, *(getattr(compass, name) for name in naive.SYMMETRIES)]


def test_no_step_wraps_around_an_edge() -> None:
    for name, (east, north) in STEPS.items():
        reached = getattr(compass, name)(ALL)
        assert len(reached) == (8 - abs(east)) * (8 - abs(north)), f"{name}\n{reached}"


@pytest.mark.parametrize("name", naive.KNIGHT_STEPS)
def test_a_knight_step_is_three_steps(name: str) -> None:
    words_of = {"no": compass.north, "so": compass.south, "ea": compass.east, "we": compass.west}
    walked = SETS
    for step in name.split("_"):
        walked = words_of[step](walked)
    assert not difference(getattr(compass, name)(SETS), walked, SETS)


def test_the_eight_symmetries_are_closed_under_composition() -> None:
    corner = Bitboard("a1 b1")  # its eight images differ
    images = {int(symmetry(corner)): symmetry for symmetry in SYMMETRIES}
    assert len(images) == 8
    for first, second in product(SYMMETRIES, repeat=2):
        composed = images[int(second(first(corner)))]
        assert not difference(second(first(SETS)), composed(SETS), SETS)


def test_every_symmetry_is_undone_by_one_of_the_eight() -> None:
    undone_by_another = {compass.rotate_90_clockwise: compass.rotate_90_anticlockwise}
    undone_by_another |= {second: first for first, second in undone_by_another.items()}
    for symmetry in SYMMETRIES:
        assert not difference(undone_by_another.get(symmetry, symmetry)(symmetry(SETS)), SETS)


def test_four_quarter_turns_are_none() -> None:
    turned = [SETS]
    for _ in range(4):
        turned.append(compass.rotate_90_clockwise(turned[-1]))
    assert not difference(turned[2], compass.rotate_180(SETS), SETS)
    assert not difference(turned[4], SETS)
    assert all(not difference(compass.rotate_90_anticlockwise(after), before) for before, after in pairwise(turned))


def test_the_symmetries_carry_steps_to_steps() -> None:
    """A step north, seen in the mirror of the ranks, is a step south; and so on for all steps and symmetries."""
    centre = Bitboard("d4")
    for symmetry, step in product(SYMMETRIES[1:], STEPS):
        moved = symmetry(getattr(compass, step)(centre))
        [carried] = [name for name in STEPS if getattr(compass, name)(symmetry(centre)) == moved]
        assert not difference(symmetry(getattr(compass, step)(SETS)), getattr(compass, carried)(symmetry(SETS)), SETS)


def test_the_symmetries_keep_the_number_of_squares() -> None:
    for symmetry in SYMMETRIES:
        assert not difference(np.bitwise_count(symmetry(SETS)), np.bitwise_count(SETS), SETS)
