"""Lines of the board, pieces on them, and random positions rich in both."""

from __future__ import annotations

from itertools import product

import numpy as np

from naive import SQUARES, Place
from naive.sliders import ALL_WAYS, DIAGONAL, ORTHOGONAL, attacks, ray


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
    """What a slider attacks behind the first piece of each ray, where that piece is one of the blockers."""
    found = set()
    for way in ways:
        men_met: list[Place] = []
        for place in ray(start, way):
            if len(men_met) == 1 and men_met[0] in blockers:
                found.add(place)
            if place in occupied:
                men_met.append(place)
    return found


def xray_rook(square: Place, occupied: set[Place], blockers: set[Place]) -> set[Place]:
    return xray(square, ORTHOGONAL, occupied, blockers)


def xray_bishop(square: Place, occupied: set[Place], blockers: set[Place]) -> set[Place]:
    return xray(square, DIAGONAL, occupied, blockers)


def pins(
    king: Place, own: set[Place], orthogonal: set[Place], diagonal: set[Place], occupied: set[Place]
) -> set[tuple[Place, Place]]:
    """All (piece of ours, slider) where the piece alone stands between the king and the slider."""
    found = set()
    for ways, sliders in ((ORTHOGONAL, orthogonal), (DIAGONAL, diagonal)):
        for way in ways:
            men = [place for place in ray(king, way) if place in occupied]
            if len(men) >= 2 and men[0] in own and men[1] in sliders:
                found.add((men[0], men[1]))
    return found


def pinned(
    king: Place, own: set[Place], enemy_orthogonal: set[Place], enemy_diagonal: set[Place], occupied: set[Place]
) -> set[Place]:
    return {man for man, _ in pins(king, own, enemy_orthogonal, enemy_diagonal, occupied)}


def pinners(
    king: Place, own: set[Place], enemy_orthogonal: set[Place], enemy_diagonal: set[Place], occupied: set[Place]
) -> set[Place]:
    return {slider for _, slider in pins(king, own, enemy_orthogonal, enemy_diagonal, occupied)}


def discovered_check_candidates(
    enemy_king: Place, own: set[Place], orthogonal: set[Place], diagonal: set[Place], occupied: set[Place]
) -> set[Place]:
    return {man for man, _ in pins(enemy_king, own, orthogonal, diagonal, occupied)}


def batteries(orthogonal: set[Place], diagonal: set[Place], occupied: set[Place]) -> set[Place]:
    found = {rook for rook in orthogonal if attacks(rook, ORTHOGONAL, occupied) & orthogonal}
    return found | {bishop for bishop in diagonal if attacks(bishop, DIAGONAL, occupied) & diagonal}


def attackers(
    targets: set[Place],
    occupied: set[Place],
    pawns: set[Place],
    enemy_pawns: set[Place],
    knights: set[Place],
    orthogonal: set[Place],
    diagonal: set[Place],
    kings: set[Place],
) -> set[Place]:
    """The pieces some of whose attacks fall on a target."""
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
    for men, ways in ((orthogonal, ORTHOGONAL), (diagonal, DIAGONAL)):
        found |= {man for man in men if targets & attacks(man, ways, occupied)}
    return found


def positions(cases: int, seed: int) -> dict[str, np.ndarray]:
    """Random positions of both sides' pieces, rich in sliders: 2 to 32 pieces, a king of each side among them."""
    random = np.random.default_rng(seed)
    squares = SQUARES[np.argsort(random.random((cases, 64)), axis=1)[:, :32]]
    ours = (random.random((cases, 32)) < 0.5) | (np.arange(32) == 0)
    ours[:, 1] = False
    there = np.arange(32) < random.integers(2, 33, (cases, 1))
    kind = random.choice(["pawn", "knight", "bishop", "rook", "queen"], (cases, 32), p=[0.3, 0.1, 0.25, 0.2, 0.15])
    kind[:, :2] = "king"
    of = {name: kind == name for name in ("pawn", "knight", "bishop", "rook", "queen", "king")}

    def those(chosen: np.ndarray) -> np.ndarray:
        return np.bitwise_or.reduce(np.where(chosen & there, squares, np.uint64(0)), axis=1)

    own, enemy = those(ours), those(~ours)
    orthogonal, diagonal = those(of["rook"] | of["queen"]), those(of["bishop"] | of["queen"])
    king, pawns = those(of["king"]), those(of["pawn"])
    some = np.where(random.random(cases) < 0.5, king & own, enemy & np.roll(own, 1))
    return {
        "own": own, "occupied": own | enemy, "blockers": own, "king": king & own, "enemy_king": king & enemy,
        "orthogonal": orthogonal, "diagonal": diagonal, "enemy_orthogonal": orthogonal & enemy,
        "enemy_diagonal": diagonal & enemy, "knights": those(of["knight"]), "kings": king, "targets": some,
        "pawns": pawns & own, "enemy_pawns": pawns & enemy, "square": random.integers(0, 64, cases).astype(np.uint8),
    }  # fmt: skip


COLUMNS = positions(4000, seed=8)
