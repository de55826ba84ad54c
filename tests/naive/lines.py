"""Lines of the board on Python sets of squares: a square is (file, rank), each 0 to 7."""

from __future__ import annotations

from itertools import product

from naive.sliders import ALL_WAYS, DIAGONAL, STRAIGHT, Place, attacks, ray


def between(a: Place, b: Place) -> set[Place]:
    for way in ALL_WAYS:
        path = list(ray(a, way))
        if b in path:
            return set(path[: path.index(b)])
    return set()


def line(a: Place, b: Place) -> set[Place]:
    for way in ALL_WAYS:
        if b in ray(a, way):
            return {a, *ray(a, way), *ray(a, (-way[0], -way[1]))}
    return set()


def xray(start: Place, ways: tuple[Place, ...], occupied: set[Place], blockers: set[Place]) -> set[Place]:
    """What a slider attacks behind the first man of each ray, where that man is one of the blockers."""
    found = set()
    for way in ways:
        men_met: list[Place] = []
        for place in ray(start, way):
            if len(men_met) == 1 and men_met[0] in blockers:
                found.add(place)
            if place in occupied:
                men_met.append(place)
    return found


def pins(
    king: Place, own: set[Place], straight: set[Place], diagonal: set[Place], occupied: set[Place]
) -> set[tuple[Place, Place]]:
    """All (man of ours, slider) where the man alone stands between the king and the slider."""
    found = set()
    for ways, sliders in ((STRAIGHT, straight), (DIAGONAL, diagonal)):
        for way in ways:
            men = [place for place in ray(king, way) if place in occupied]
            if len(men) >= 2 and men[0] in own and men[1] in sliders:
                found.add((men[0], men[1]))
    return found


def batteries(straight: set[Place], diagonal: set[Place], occupied: set[Place]) -> set[Place]:
    found = set()
    for ways, sliders in ((STRAIGHT, straight), (DIAGONAL, diagonal)):
        for one, other in product(sliders, sliders):
            if one != other and line(one, other) and not between(one, other) & occupied:
                way = (other[0] > one[0]) - (other[0] < one[0]), (other[1] > one[1]) - (other[1] < one[1])
                if way in ways:
                    found |= {one, other}
    return found


def attackers(
    targets: set[Place],
    occupied: set[Place],
    pawns: set[Place],
    enemy_pawns: set[Place],
    knights: set[Place],
    straight: set[Place],
    diagonal: set[Place],
    kings: set[Place],
) -> set[Place]:
    """The men some of whose attacks fall on a target."""
    around = [(e, n) for e, n in product((-2, -1, 0, 1, 2), repeat=2) if (e, n) != (0, 0)]
    king_steps = [(e, n) for e, n in around if max(abs(e), abs(n)) == 1]
    knight_jumps = [(e, n) for e, n in around if abs(e) + abs(n) == 3]
    found = set()
    for men, steps in (
        (pawns, [(-1, 1), (1, 1)]),
        (enemy_pawns, [(-1, -1), (1, -1)]),
        (knights, knight_jumps),
        (kings, king_steps),
    ):
        found |= {(f, r) for f, r in men if targets & {(f + e, r + n) for e, n in steps}}
    for men, ways in ((straight, STRAIGHT), (diagonal, DIAGONAL)):
        found |= {man for man in men if targets & attacks(man, ways, occupied)}
    return found
