"""Sliders one step at a time, on Python sets of squares: a square is (file, rank), each 0 to 7."""

from __future__ import annotations

from collections.abc import Iterator

Place = tuple[int, int]

STRAIGHT = ((0, 1), (1, 0), (0, -1), (-1, 0))
DIAGONAL = ((1, 1), (1, -1), (-1, -1), (-1, 1))
ALL_WAYS = STRAIGHT + DIAGONAL


def places(word: int) -> set[Place]:
    return {(square % 8, square // 8) for square in range(64) if word >> square & 1}


def word(squares: set[Place]) -> int:
    return sum(1 << 8 * rank + file for file, rank in squares)


def ray(start: Place, way: Place) -> Iterator[Place]:
    """The squares from a square in one direction, to the edge."""
    file, rank = start[0] + way[0], start[1] + way[1]
    while 0 <= file < 8 and 0 <= rank < 8:
        yield file, rank
        file, rank = file + way[0], rank + way[1]


def slide(start: Place, way: Place, occupied: set[Place]) -> list[Place]:
    """The squares attacked in one direction: to the first man, which is attacked too."""
    attacked = []
    for place in ray(start, way):
        attacked.append(place)
        if place in occupied:
            break
    return attacked


def attacks(start: Place, ways: tuple[Place, ...], occupied: set[Place]) -> set[Place]:
    return {place for way in ways for place in slide(start, way, occupied)}


def relevant(start: Place, ways: tuple[Place, ...]) -> set[Place]:
    """The squares whose occupation can change the attacks: all but the last of each ray."""
    return {place for way in ways for place in list(ray(start, way))[:-1]}
