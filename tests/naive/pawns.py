"""Pawn patterns square by square: what each one means, said of one pawn or one square at a time.

Our pawns move towards higher ranks, the enemy's towards lower ones.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce

import numpy as np

from naive import SQUARES, Board, at
from naive import each as where

RANKS = {name: name - 1 for name in range(1, 9)}


def some(squares: Board, places: Iterable[tuple[int, int]]) -> np.ndarray:
    """Whether some of the places is in the set."""
    return reduce(np.logical_or, (at(squares, *place) for place in places), np.zeros(squares.shape[2], bool))


def number(squares: Board, places: Iterable[tuple[int, int]]) -> np.ndarray:
    """How many of the places are in the set."""
    return sum((at(squares, *place).astype(np.int8) for place in places), np.zeros(squares.shape[2], np.int8))


def ahead(file: int, rank: int) -> list[tuple[int, int]]:
    return [(file, higher) for higher in range(rank + 1, 8)]


def behind(file: int, rank: int) -> list[tuple[int, int]]:
    return [(file, lower) for lower in range(rank)]


def on_file(file: int) -> list[tuple[int, int]]:
    return [(file, rank) for rank in range(8)]


def beside_and_ahead(file: int, rank: int) -> list[tuple[int, int]]:
    return ahead(file - 1, rank) + ahead(file + 1, rank)


# ---------------------------------------------------------------------------------------------------------- movement


def attacked_from(file: int, rank: int) -> list[tuple[int, int]]:
    """Where a pawn of ours stands that attacks a square."""
    return [(file - 1, rank - 1), (file + 1, rank - 1)]


def attacked_by_enemy_from(file: int, rank: int) -> list[tuple[int, int]]:
    return [(file - 1, rank + 1), (file + 1, rank + 1)]


def single_pushes(pawns: Board, empty: Board) -> Board:
    return where(lambda f, r: at(pawns, f, r - 1) & at(empty, f, r))


def double_pushes(pawns: Board, empty: Board) -> Board:
    steps = where(lambda f, r: at(pawns, f, r - 2) & at(empty, f, r - 1) & at(empty, f, r))
    return where(lambda f, r: steps[f, r] & (r == RANKS[4]))


def east_attacks(pawns: Board) -> Board:
    return where(lambda f, r: at(pawns, f - 1, r - 1))


def west_attacks(pawns: Board) -> Board:
    return where(lambda f, r: at(pawns, f + 1, r - 1))


def attacks(pawns: Board) -> Board:
    return where(lambda f, r: some(pawns, attacked_from(f, r)))


def east_captures(pawns: Board, enemy: Board) -> Board:
    return where(lambda f, r: at(pawns, f - 1, r - 1) & enemy[f, r])


def west_captures(pawns: Board, enemy: Board) -> Board:
    return where(lambda f, r: at(pawns, f + 1, r - 1) & enemy[f, r])


def en_passant(pawns: Board, ep_square: Board) -> Board:
    return where(lambda f, r: pawns[f, r] & (at(ep_square, f - 1, r + 1) | at(ep_square, f + 1, r + 1)))


def promotions(pawns: Board, empty: Board, enemy: Board) -> Board:
    return where(
        lambda f, r: (
            (at(pawns, f, r - 1) & empty[f, r] | some(pawns, attacked_from(f, r)) & enemy[f, r]) & (r == RANKS[8])
        )
    )


# ------------------------------------------------------------------------------------------------------------- spans


def stop(pawns: Board) -> Board:
    return where(lambda f, r: at(pawns, f, r - 1))


def telestop(pawns: Board) -> Board:
    return where(lambda f, r: some(pawns, behind(f, r - 1)))


def front_span(pawns: Board) -> Board:
    return where(lambda f, r: some(pawns, behind(f, r)))


def rear_span(pawns: Board) -> Board:
    return where(lambda f, r: some(pawns, ahead(f, r)))


def front_attack_span(pawns: Board) -> Board:
    return where(lambda f, r: some(pawns, behind(f - 1, r) + behind(f + 1, r)))


# ------------------------------------------------------------------------------------- pawns and what is ahead of them


def open_pawns(pawns: Board, enemy: Board) -> Board:
    return where(lambda f, r: pawns[f, r] & ~some(enemy, ahead(f, r)))


def passed(pawns: Board, enemy: Board) -> Board:
    return where(lambda f, r: pawns[f, r] & ~some(enemy, ahead(f, r) + beside_and_ahead(f, r)))


def connected_passers(pawns: Board, enemy: Board) -> Board:
    passers = passed(pawns, enemy)
    return where(lambda f, r: passers[f, r] & some(passers, {(g, s) for g in (f - 1, f + 1) for s in range(8)}))


def passed_foremost(pawns: Board, enemy: Board) -> Board:
    passers = passed(pawns, enemy)
    return where(lambda f, r: passers[f, r] & ~some(pawns, ahead(f, r)))


def passed_free(pawns: Board, enemy: Board, own: Board) -> Board:
    passers = passed(pawns, enemy)

    def free(f: int, r: int) -> np.ndarray:
        path_blocked = some(own | pawns, ahead(f, r))
        pawns_may_attack_path = some(enemy, {place for step in ahead(f, r) for place in beside_and_ahead(*step)})
        return passers[f, r] & ~path_blocked & ~pawns_may_attack_path

    return where(free)


def ram(pawns: Board, enemy: Board) -> Board:
    return where(lambda f, r: pawns[f, r] & at(enemy, f, r + 1))


def lever(pawns: Board, enemy: Board) -> Board:
    return where(lambda f, r: pawns[f, r] & some(enemy, attacked_by_enemy_from(f, r)))


def backward(pawns: Board, enemy: Board) -> Board:
    weak = backward_or_rammed(pawns, enemy)
    return where(lambda f, r: weak[f, r] & ~at(enemy, f, r + 1))


def backward_or_rammed(pawns: Board, enemy: Board) -> Board:
    def weak(f: int, r: int) -> np.ndarray:
        stop_attacked = some(enemy, attacked_by_enemy_from(f, r + 1))
        stop_defensible = some(pawns, behind(f - 1, r + 1) + behind(f + 1, r + 1))
        return pawns[f, r] & stop_attacked & ~stop_defensible & (r < RANKS[8])

    return where(weak)


def straggler(pawns: Board, enemy: Board) -> Board:
    weak = backward(pawns, enemy)
    return where(lambda f, r: weak[f, r] & ~some(enemy, ahead(f, r)) & (r in (RANKS[2], RANKS[3])))


def candidate(pawns: Board, enemy: Board) -> Board:
    def promising(f: int, r: int) -> np.ndarray:
        helpers = number(pawns, behind(f - 1, r + 1) + behind(f + 1, r + 1))
        sentries = number(enemy, beside_and_ahead(f, r))
        free = ~some(enemy | pawns, ahead(f, r))
        return pawns[f, r] & free & (sentries > 0) & (helpers >= sentries)

    return where(promising)


# ------------------------------------------------------------------------------------------------ pawns and own pawns


def doubled(pawns: Board) -> Board:
    return where(lambda f, r: pawns[f, r] & some(pawns, ahead(f, r)))


def stacked(pawns: Board) -> Board:
    return where(lambda f, r: pawns[f, r] & (number(pawns, on_file(f)) > 1))


def isolated(pawns: Board) -> Board:
    return where(lambda f, r: pawns[f, r] & ~some(pawns, on_file(f - 1) + on_file(f + 1)))


def half_isolated(pawns: Board) -> Board:
    return where(lambda f, r: pawns[f, r] & (some(pawns, on_file(f - 1)) != some(pawns, on_file(f + 1))))


def phalanx(pawns: Board) -> Board:
    return where(lambda f, r: pawns[f, r] & (at(pawns, f - 1, r) | at(pawns, f + 1, r)))


def supported(pawns: Board) -> Board:
    return where(lambda f, r: pawns[f, r] & some(pawns, attacked_from(f, r)))


def defending(pawns: Board) -> Board:
    return where(lambda f, r: pawns[f, r] & (at(pawns, f - 1, r + 1) | at(pawns, f + 1, r + 1)))


def connected(pawns: Board) -> Board:
    around = [(e, n) for e in (-1, 1) for n in (-1, 0, 1)]
    return where(lambda f, r: pawns[f, r] & some(pawns, [(f + e, r + n) for e, n in around]))


def chain_base(pawns: Board) -> Board:
    return defending(pawns) & ~supported(pawns)


def chain_head(pawns: Board) -> Board:
    return supported(pawns) & ~defending(pawns)


def hanging_pair(pawns: Board, enemy: Board) -> Board:
    def hang(west: int, rank: int) -> np.ndarray:
        """Whether the squares (west, rank) and (west + 1, rank) hold a hanging pair."""
        neighbours = some(pawns, on_file(west - 1) + on_file(west + 2))
        opposed = some(enemy, on_file(west) + on_file(west + 1))
        return at(pawns, west, rank) & at(pawns, west + 1, rank) & ~neighbours & ~opposed

    return where(lambda f, r: hang(f, r) | hang(f - 1, r))


# --------------------------------------------------------------------------------------------------- squares and files


def holes(pawns: Board) -> Board:
    return where(
        lambda f, r: ~some(pawns, behind(f - 1, r) + behind(f + 1, r)) & ~pawns[f, r] & (r in (RANKS[3], RANKS[4]))
    )


def outposts(pawns: Board, enemy: Board) -> Board:
    return where(
        lambda f, r: (
            some(pawns, attacked_from(f, r))
            & ~some(enemy, beside_and_ahead(f, r))
            & ~(pawns[f, r] | enemy[f, r])
            & (RANKS[4] <= r <= RANKS[6])
        )
    )


def open_files(pawns: Board, enemy: Board) -> Board:
    return where(lambda f, r: ~some(pawns | enemy, on_file(f)))


def half_open_files(pawns: Board, enemy: Board) -> Board:
    return where(lambda f, r: some(enemy, on_file(f)) & ~some(pawns, on_file(f)))


def structures(cases: int, seed: int) -> dict[str, np.ndarray]:
    """Random pawns of both sides on ranks 2 to 7, up to eight each, on different squares; other pieces, and none."""
    random = np.random.default_rng(seed)
    places = SQUARES[np.argsort(random.random((cases, 48)), axis=1) + 8][:, :16]
    chosen = np.arange(8) < random.integers(0, 9, (2, cases, 1))
    nobody = np.uint64(0)
    pawns = np.bitwise_or.reduce(np.where(chosen[0], places[:, :8], nobody), axis=1)
    enemy_pawns = np.bitwise_or.reduce(np.where(chosen[1], places[:, 8:], nobody), axis=1)
    some, more, still_more = random.integers(0, 2**64, (3, cases), np.uint64)
    enemy = ~pawns & some
    return {
        "pawns": pawns, "enemy_pawns": enemy_pawns, "enemy": enemy, "empty": ~(pawns | enemy) & more,
        "own": ~enemy_pawns & some & more & still_more, "ep_square": SQUARES[random.integers(40, 48, cases)],
    }  # fmt: skip


COLUMNS = structures(100_000, seed=5)
