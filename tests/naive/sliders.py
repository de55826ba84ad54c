"""Sliders one step at a time."""

from __future__ import annotations

from collections.abc import Iterator

from naive import Place

ORTHOGONAL = ((0, 1), (1, 0), (0, -1), (-1, 0))
DIAGONAL = ((1, 1), (1, -1), (-1, -1), (-1, 1))
ALL_WAYS = ORTHOGONAL + DIAGONAL


def ray(start: Place, way: Place) -> Iterator[Place]:
    """The squares from a square in one direction, to the edge."""
    file, rank = start[0] + way[0], start[1] + way[1]
    while 0 <= file < 8 and 0 <= rank < 8:
        yield file, rank
        file, rank = file + way[0], rank + way[1]


def slide(start: Place, way: Place, occupied: set[Place]) -> list[Place]:
    """The squares attacked in one direction: to the first piece, which is attacked too."""
    attacked = []
    for place in ray(start, way):
        attacked.append(place)
        if place in occupied:
            break
    return attacked


def attacks(start: Place, ways: tuple[Place, ...], occupied: set[Place]) -> set[Place]:
    return {place for way in ways for place in slide(start, way, occupied)}


def rook_attacks(square: Place, occupied: set[Place]) -> set[Place]:
    return attacks(square, ORTHOGONAL, occupied)


def bishop_attacks(square: Place, occupied: set[Place]) -> set[Place]:
    return attacks(square, DIAGONAL, occupied)


def queen_attacks(square: Place, occupied: set[Place]) -> set[Place]:
    return attacks(square, ALL_WAYS, occupied)


rook_attacks_by_calculation, bishop_attacks_by_calculation = rook_attacks, bishop_attacks


def rooks_attacks(rooks: set[Place], occupied: set[Place]) -> set[Place]:
    return set().union(*(rook_attacks(rook, occupied) for rook in rooks))


def bishops_attacks(bishops: set[Place], occupied: set[Place]) -> set[Place]:
    return set().union(*(bishop_attacks(bishop, occupied) for bishop in bishops))


def queens_attacks(queens: set[Place], occupied: set[Place]) -> set[Place]:
    return rooks_attacks(queens, occupied) | bishops_attacks(queens, occupied)


def relevant(start: Place, ways: tuple[Place, ...]) -> set[Place]:
    """The squares whose occupation can change the attacks: all but the last of each ray."""
    return {place for way in ways for place in list(ray(start, way))[:-1]}
