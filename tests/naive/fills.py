"""Fills: files square by square, rays by walking, paths by breadth-first search."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import numpy as np

from naive import NUMBERS, SETS, SQUARES, Board, compass, each


def north_fill(squares: Board) -> Board:
    return each(lambda file, rank: squares[file, : rank + 1].any(axis=0))


def south_fill(squares: Board) -> Board:
    return each(lambda file, rank: squares[file, rank:].any(axis=0))


def file_fill(squares: Board) -> Board:
    return each(lambda file, rank: squares[file].any(axis=0))


def east_fill(squares: Board) -> Board:
    return each(lambda file, rank: squares[: file + 1, rank].any(axis=0))


def west_fill(squares: Board) -> Board:
    return each(lambda file, rank: squares[file:, rank].any(axis=0))


def rank_fill(squares: Board) -> Board:
    return each(lambda file, rank: squares[:, rank].any(axis=0))


def occluded_filling(east: int, north: int) -> Callable[[Board, Board], Board]:
    def occluded(squares: Board, empty: Board) -> Board:
        """Each square walks as long as the next one is empty."""
        filled = squares.copy()
        for start_file in NUMBERS:
            for start_rank in NUMBERS:
                walking = squares[start_file, start_rank]
                file, rank = start_file + east, start_rank + north
                while 0 <= file < 8 and 0 <= rank < 8:
                    walking = walking & empty[file, rank]
                    filled[file, rank] |= walking
                    file, rank = file + east, rank + north
        return filled

    return occluded


def ray_filling(east: int, north: int) -> Callable[[Board, Board], Board]:
    def ray_fill(sliders: Board, blockers: Board) -> Board:
        """Each slider walks until it has entered a blocker's square or the board ends."""
        attacked = np.zeros_like(sliders)
        for start_file in NUMBERS:
            for start_rank in NUMBERS:
                walking = sliders[start_file, start_rank]
                file, rank = start_file + east, start_rank + north
                while 0 <= file < 8 and 0 <= rank < 8:
                    attacked[file, rank] |= walking
                    walking = walking & ~blockers[file, rank]
                    file, rank = file + east, rank + north
        return attacked

    return ray_fill


TWINS = {f"ray_fill_{name}": ray_filling(*way) for name, way in compass.STEPS.items()}
TWINS |= {f"{name}_occluded": occluded_filling(*way) for name, way in compass.STEPS.items()}


def neighbours(square: int) -> set[int]:
    file, rank = square % 8, square // 8
    return {
        8 * (rank + north) + file + east
        for north in (-1, 0, 1)
        for east in (-1, 0, 1)
        if (east or north) and 0 <= file + east < 8 and 0 <= rank + north < 8
    }


def steps_from(start: set[int], path: set[int]) -> dict[int, int]:
    """How many king steps inside the path each square is away from the start; squares out of reach are left out."""
    steps = dict.fromkeys(start & path, 0)
    queue = deque(steps)
    while queue:
        square = queue.popleft()
        for neighbour in (neighbours(square) & path) - steps.keys():
            steps[neighbour] = steps[square] + 1
            queue.append(neighbour)
    return steps


def step(reached: set[int], path: set[int]) -> set[int]:
    """The squares of a path that are reached, or next to one that is."""
    return {square for square in path if square in reached or neighbours(square) & reached}


def flood(start: set[int], path: set[int]) -> set[int]:
    return set(steps_from(start, path))


def connected(a: set[int], b: set[int], path: set[int]) -> bool:
    return not b.isdisjoint(flood(a, path))


def shortest_path_length(a: set[int], b: set[int], path: set[int]) -> int:
    steps = steps_from(a, path)
    return min((steps[square] for square in b & steps.keys()), default=-1)


def shortest_paths(a: set[int], b: set[int], path: set[int]) -> set[int]:
    length = shortest_path_length(a, b, path)
    there, back = steps_from(a, path), steps_from(b, path)
    return {square for square in there.keys() & back.keys() if there[square] + back[square] == length}


def mazes(cases: int, seed: int) -> dict[str, np.ndarray]:
    """Starts, goals and paths; three quarters of the ends are single squares, half of the paths dense."""
    random = np.random.default_rng(seed)
    a, b, path = random.choice(SETS[66:], (3, cases))
    dense = random.choice(SETS[66:], cases) | path
    one = random.choice(SQUARES, (2, cases))
    sparse = random.random((2, cases)) < 0.75
    a, b = np.where(sparse, one, [a, b])
    return {"start": a, "a": a, "b": b, "path": np.where(random.random(cases) < 0.5, dense, path)}


COLUMNS = mazes(1500, seed=3)
