"""Forks, skewers and what is attacked twice, from each square in every direction."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from naive import Place
from naive.sliders import ALL_WAYS, DIAGONAL, ORTHOGONAL, ray

PLACES = list(product(range(8), repeat=2))
JUMPS = [(x, y) for x, y in product((-2, -1, 1, 2), repeat=2) if abs(x) != abs(y)]


def seen(start: Place, way: Place, occupied: set[Place]) -> Iterator[Place]:
    """The squares in one direction, up to the first piece."""
    for place in ray(start, way):
        yield place
        if place in occupied:
            break


def stepped(start: Place, ways: list[Place]) -> set[Place]:
    return {(start[0] + x, start[1] + y) for x, y in ways} & set(PLACES)


def pawn_fork_targets(targets: set[Place]) -> set[Place]:
    return {place for place in PLACES if len(stepped(place, [(-1, 1), (1, 1)]) & targets) >= 2}


def king_fork_targets(targets: set[Place]) -> set[Place]:
    return {place for place in PLACES if len(stepped(place, list(ALL_WAYS)) & targets) >= 2}


def forks(ways: tuple[Place, ...], targets: set[Place], occupied: set[Place]) -> set[Place]:
    """Squares from which at least two directions meet a target."""
    return {
        place for place in PLACES if sum(any(it in targets for it in seen(place, way, occupied)) for way in ways) >= 2
    }


def bishop_fork_targets(targets: set[Place], occupied: set[Place]) -> set[Place]:
    return forks(DIAGONAL, targets, occupied)


def rook_fork_targets(targets: set[Place], occupied: set[Place]) -> set[Place]:
    return forks(ORTHOGONAL, targets, occupied)


def queen_fork_targets(targets: set[Place], occupied: set[Place]) -> set[Place]:
    return forks(ALL_WAYS, targets, occupied)


def skewers(ways: tuple[Place, ...], fronts: set[Place], behind: set[Place], occupied: set[Place]) -> set[Place]:
    return {
        place
        for place in PLACES
        for way in ways
        for front in seen(place, way, occupied)
        if front in fronts and any(it in behind for it in seen(front, way, occupied))
    }


def bishop_skewers(fronts: set[Place], behind: set[Place], occupied: set[Place]) -> set[Place]:
    return skewers(DIAGONAL, fronts, behind, occupied)


def rook_skewers(fronts: set[Place], behind: set[Place], occupied: set[Place]) -> set[Place]:
    return skewers(ORTHOGONAL, fronts, behind, occupied)


def attacked_twice(
    pawns: set[Place], knights: set[Place], orthogonal: set[Place], diagonal: set[Place], kings: set[Place],
    occupied: set[Place],
) -> set[Place]:  # fmt: skip
    """Squares that pieces reach in two ways or more; sliders one behind the other come the same way."""

    def ways_to(place: Place) -> int:
        steps = len(stepped(place, [(-1, -1), (1, -1)]) & pawns) + len(stepped(place, JUMPS) & knights)
        steps += len(stepped(place, list(ALL_WAYS)) & kings)
        return steps + sum(
            any(it in sliders for it in seen(place, way, occupied))
            for ways, sliders in ((ORTHOGONAL, orthogonal), (DIAGONAL, diagonal))
            for way in ways
        )

    return {place for place in PLACES if ways_to(place) >= 2}
