"""Fills along files, rays and paths."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive import ALL, OTHER_SETS, SETS, board, difference, squares_of, word_of, words
from naive import compass as steps
from naive import fills as naive
from setwise.bitboard import Bitboard
from setwise.patterns import compass, fills

CASES = 1_500
sets = st.integers(0, ALL)


@pytest.fixture(scope="module")
def mazes() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Starts, goals and paths; a quarter of the ends are sparse, a quarter of the paths dense."""
    random = np.random.default_rng(3)
    a, b, path = random.choice(SETS[66:], (3, CASES))
    dense = random.choice(SETS[66:], CASES) | path
    one = np.uint64(1) << random.integers(0, 64, (2, CASES), np.uint64)
    sparse = random.random((2, CASES)) < 0.75
    a, b = np.where(sparse, one, [a, b])
    return a, b, np.where(random.random(CASES) < 0.5, dense, path)


@pytest.mark.parametrize("name", ["north_fill", "south_fill", "file_fill"])
def test_fills_along_files_are_their_naive_twins(name: str) -> None:
    assert not difference(getattr(fills, name)(SETS), words(getattr(naive, name)(board(SETS))), SETS)


@pytest.mark.parametrize("name", steps.STEPS)
def test_ray_fills_walk_up_to_the_first_blocker(name: str) -> None:
    ours = getattr(fills, f"ray_fill_{name}")(SETS, OTHER_SETS)
    expected = words(naive.ray_fill(board(SETS), board(OTHER_SETS), *steps.STEPS[name]))
    assert not difference(ours, expected, SETS, OTHER_SETS)


@pytest.mark.parametrize("name", steps.STEPS)
def test_a_ray_without_blockers_ends_at_the_edge(name: str) -> None:
    lone = SETS[:64]
    ray = getattr(fills, f"ray_fill_{name}")(lone, 0)
    step = getattr(compass, name)
    assert not difference(ray, step(lone | ray), lone)
    assert not difference(getattr(fills, f"ray_fill_{name}")(lone, ALL), step(lone), lone)


def test_a_flood_is_its_naive_twin(mazes: tuple[np.ndarray, ...]) -> None:
    a, _, path = mazes
    expected = [word_of(naive.steps_from(squares_of(s), squares_of(p))) for s, p in zip(a, path, strict=True)]
    assert not difference(fills.flood(a, path), np.array(expected, np.uint64), a, path)


def test_connected_is_within_reach_of_a_breadth_first_search(mazes: tuple[np.ndarray, ...]) -> None:
    squares = [[squares_of(word) for word in case] for case in zip(*mazes, strict=True)]
    expected = [bool(naive.steps_from(a, path).keys() & b) for a, b, path in squares]
    assert 100 < sum(expected) < CASES - 100
    assert not difference(fills.connected(*mazes), np.array(expected), *mazes)


def test_shortest_paths_are_those_of_a_breadth_first_search(mazes: tuple[np.ndarray, ...]) -> None:
    squares = [[squares_of(word) for word in case] for case in zip(*mazes, strict=True)]
    lengths = np.array([naive.shortest_path_length(*case) for case in squares], np.int8)
    found = np.array([word_of(naive.shortest_paths(*case)) for case in squares], np.uint64)
    assert len(set(lengths)) > 7
    assert not difference(fills.shortest_path_length(*mazes), lengths, *mazes)
    assert not difference(fills.shortest_paths(*mazes), found, *mazes)


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


def test_the_winding_path_takes_19_steps_and_needs_every_square() -> None:
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


def test_a_snake_through_the_board_is_walked_to_its_end() -> None:
    snake = Bitboard("h2 a4 h6") | 0x00FF_00FF_00FF_00FF
    length = naive.shortest_path_length({0}, {48}, squares_of(snake))
    assert length == 28
    assert fills.shortest_path_length(Bitboard("a1"), Bitboard("a7"), snake) == length
