"""Fills along files, rays and paths."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.drawing import difference
from naive import ALL, SQUARES, squares_of
from naive import fills as naive
from naive.compass import STEPS
from setwise.bitboard import Bitboard
from setwise.patterns import compass, fills

sets = st.integers(0, ALL)


@pytest.mark.parametrize("name", STEPS)
def test_a_ray_without_blockers_ends_at_the_edge(name: str) -> None:
    ray = getattr(fills, f"ray_fill_{name}")(SQUARES, 0)
    step = getattr(compass, name)
    assert not difference(ray, step(SQUARES | ray), SQUARES)
    assert not difference(getattr(fills, f"ray_fill_{name}")(SQUARES, ALL), step(SQUARES), SQUARES)


@pytest.mark.parametrize("name", STEPS)
def test_attacks_are_one_step_beyond_the_occluded_fill(name: str) -> None:
    fill, step = getattr(fills, f"{name}_occluded"), getattr(compass, name)
    blockers = np.uint64(0x42_1881_24FF_8100)
    ray = getattr(fills, f"ray_fill_{name}")(SQUARES, blockers)
    assert not difference(ray, step(fill(SQUARES, ~blockers)), SQUARES)


def test_length_is_signed_whoever_asks() -> None:
    nowhere = fills.shortest_path_length(np.array([1, 1, 1], np.uint64), np.array([2, 1, 4], np.uint64), np.uint64(5))
    assert (nowhere.dtype, nowhere.tolist()) == (np.int8, [-1, 0, -1])
    assert fills.shortest_path_length(1, 4, 5) == -1
    assert fills.shortest_path_length(1, 4, 7) == 2


# The path that the Chess Programming Wiki draws for this algorithm, from a1 to h8.
WINDING = Bitboard.parse("""
    . . . . . . 1 1
    . . 1 1 1 1 . .
    . 1 . . . . . .
    . . 1 1 1 1 . .
    . . . . . . 1 .
    . . . . . . . 1
    . . . . . . 1 .
    1 1 1 1 1 1 . .
""")


def test_the_winding_path_needs_every_square() -> None:
    a1, h8 = Bitboard("a1"), Bitboard("h8")
    assert fills.connected(a1, h8, WINDING)
    assert fills.shortest_path_length(a1, h8, WINDING) == 19
    assert fills.shortest_paths(a1, h8, WINDING) == WINDING
    for square in WINDING:
        broken = WINDING - Bitboard([square])
        assert not fills.connected(a1, h8, broken), Bitboard([square])
        assert fills.shortest_path_length(a1, h8, broken) == -1
        assert fills.shortest_paths(a1, h8, broken) == 0


def test_ends_outside_the_path_count_for_nothing() -> None:
    a1, b2 = Bitboard("a1"), Bitboard("b2")
    for path in (0, a1, b2):
        assert not fills.connected(a1, b2, path)
        assert fills.shortest_paths(a1, b2, path) == 0
    assert fills.flood(a1, b2) == 0


@given(a=sets, b=sets, path=sets)
def test_all_questions_about_a_path_agree(a: int, b: int, path: int) -> None:
    joined = fills.connected(a, b, path)
    assert joined == fills.connected(b, a, path) == bool(fills.flood(a, path) & b)
    assert (fills.shortest_path_length(a, b, path) >= 0) == joined == bool(fills.shortest_paths(a, b, path))
    assert fills.shortest_path_length(a, b, path) == fills.shortest_path_length(b, a, path)
    assert fills.shortest_paths(a, b, path) == fills.shortest_paths(b, a, path)


@given(start=sets, path=sets)
def test_a_flood_is_idempotent_and_stays_inside_its_path(start: int, path: int) -> None:
    flooded = fills.flood(start, path)
    assert fills.flood(flooded, path) == flooded
    assert flooded - path == 0
    assert (start & path) - flooded == 0


def test_a_snake_is_walked_to_its_end() -> None:
    snake = Bitboard("h2 a4 h6") | 0x00FF_00FF_00FF_00FF
    length = naive.shortest_path_length({0}, {48}, squares_of(snake))
    assert length == 28
    assert fills.shortest_path_length(Bitboard("a1"), Bitboard("a7"), snake) == length


def test_floods_of_arrays_are_those_of_single_boards_however_long_the_way_is() -> None:
    snake = Bitboard("h2 a4 h6") | 0x00FF_00FF_00FF_00FF
    cut = np.array([int(snake), *(int(snake - Bitboard([square])) for square in snake)], np.uint64)
    for start in (0, 1, 1 << 48, (1 << 48) + 1):
        floods = fills.flood(np.uint64(start), cut).tolist()
        assert floods == [fills.flood(start, int(path)) for path in cut]
