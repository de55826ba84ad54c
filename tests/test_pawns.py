"""Pawn patterns against their naive twins on 100,000 random structures, and the traps by name."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive import pawns as naive
from setwise.bitboard import Bitboard
from setwise.compiler import Pattern
from setwise.patterns import pawns

CASES = 100_000
RANKS_2_TO_7 = 0x00FF_FFFF_FFFF_FF00
ALL = 2**64 - 1


def structures(cases: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Random pawns of both sides on ranks 2 to 7, up to eight each, on different squares."""
    random = np.random.default_rng(seed)
    order = np.argsort(random.random((cases, 48)), axis=1).astype(np.uint64) + np.uint64(8)
    how_many = random.integers(0, 9, (2, cases, 1))
    places = np.uint64(1) << order[:, :16]
    chosen = np.arange(8) < how_many
    own = np.bitwise_or.reduce(np.where(chosen[0], places[:, :8], 0).astype(np.uint64), axis=1)
    enemy = np.bitwise_or.reduce(np.where(chosen[1], places[:, 8:], 0).astype(np.uint64), axis=1)
    return own, enemy


OWN, ENEMY = structures(CASES, seed=5)
OWN_BOARD, ENEMY_BOARD = naive.board(OWN), naive.board(ENEMY)
SCATTERED = np.random.default_rng(6).integers(0, 2**64, CASES, np.uint64)

ONE_SIDE = (
    "attacks east_attacks west_attacks stop telestop front_span rear_span front_attack_span doubled stacked isolated "
    "half_isolated phalanx supported connected chain_base chain_head holes"
).split()
TWO_SIDES = (
    "open_pawns passed passed_foremost ram lever backward backward_or_rammed straggler candidate hanging_pair outposts "
    "open_files half_open_files"
).split()
WITH_OTHER_MEN = "single_pushes double_pushes east_captures west_captures en_passant promotions passed_free".split()


def first_difference(name: str, ours: np.ndarray, expected: np.ndarray, *inputs: np.ndarray) -> str:
    if (ours == expected).all():
        return ""
    k = int(np.flatnonzero(ours != expected)[0])
    drawn = "\n\n".join(str(Bitboard(int(x[k]))) for x in (*inputs, ours, expected))
    return f"{name}: inputs, answer and expected answer of case {k}:\n{drawn}"


def test_every_pattern_has_a_twin() -> None:
    patterns = {name for name, value in vars(pawns).items() if isinstance(value, Pattern)}
    assert patterns == {*ONE_SIDE, *TWO_SIDES, *WITH_OTHER_MEN}


@pytest.mark.parametrize("name", ONE_SIDE)
def test_patterns_of_one_side_are_their_naive_twins(name: str) -> None:
    ours = getattr(pawns, name)(OWN)
    assert not first_difference(name, ours, naive.sets(getattr(naive, name)(OWN_BOARD)), OWN)


@pytest.mark.parametrize("name", TWO_SIDES)
def test_patterns_of_both_sides_are_their_naive_twins(name: str) -> None:
    ours = getattr(pawns, name)(OWN, ENEMY)
    expected = naive.sets(getattr(naive, name)(OWN_BOARD, ENEMY_BOARD))
    assert not first_difference(name, ours, expected, OWN, ENEMY)


@pytest.mark.parametrize("name", WITH_OTHER_MEN)
def test_patterns_with_other_men_are_their_naive_twins(name: str) -> None:
    enemy = ~OWN & SCATTERED
    empty = ~(OWN | enemy) & np.roll(SCATTERED, 1)
    ep_square = np.uint64(1) << np.arange(40, 48, dtype=np.uint64)[np.arange(CASES) % 8]
    arguments = {
        "single_pushes": (empty,),
        "double_pushes": (empty,),
        "east_captures": (enemy,),
        "west_captures": (enemy,),
        "en_passant": (ep_square,),
        "promotions": (empty, enemy),
        "passed_free": (ENEMY, ~ENEMY & SCATTERED & np.roll(SCATTERED, 1) & np.roll(SCATTERED, 2)),
    }[name]
    ours = getattr(pawns, name)(OWN, *arguments)
    expected = naive.sets(getattr(naive, name)(*map(naive.board, (OWN, *arguments))))
    assert not first_difference(name, ours, expected, OWN, *arguments)


def test_the_random_structures_show_every_pattern() -> None:
    for name in TWO_SIDES:
        assert np.count_nonzero(getattr(pawns, name)(OWN, ENEMY)) > 50, name
    for name in ONE_SIDE:
        assert np.count_nonzero(getattr(pawns, name)(OWN)) > 50, name


def test_attacks_do_not_wrap_at_either_edge_file() -> None:
    file_a, file_h = Bitboard("a1 a2 a3 a4 a5 a6 a7 a8"), Bitboard("h1 h2 h3 h4 h5 h6 h7 h8")
    assert pawns.west_attacks(file_a) == 0
    assert pawns.east_attacks(file_h) == 0
    assert pawns.attacks(file_a) == Bitboard("b2 b3 b4 b5 b6 b7 b8")
    assert pawns.attacks(file_h) == Bitboard("g2 g3 g4 g5 g6 g7 g8")
    assert pawns.west_captures(file_a, ALL) == pawns.east_captures(file_h, ALL) == 0
    assert pawns.en_passant(Bitboard("a5 h5 h6"), Bitboard("a6")) == 0
    assert pawns.en_passant(Bitboard("a5 h5 a4 a6"), Bitboard("h6")) == 0


def test_en_passant_finds_one_pawn_at_the_edge_and_two_elsewhere() -> None:
    fifth_rank = Bitboard("a5 b5 c5 d5 e5 f5 g5 h5")
    found = [len(pawns.en_passant(fifth_rank, Bitboard([square]))) for square in range(40, 48)]
    assert found == [1, 2, 2, 2, 2, 2, 2, 1]


def test_double_pushes_start_on_rank_2_alone() -> None:
    assert pawns.double_pushes(ALL, ALL) == 0x0000_0000_FF00_0000
    for rank in (1, *range(3, 9)):
        assert pawns.double_pushes(0xFF << 8 * (rank - 1), ALL) == 0


def test_helpers_and_sentries_are_counted_as_pawns_not_as_files() -> None:
    # Two sentries on one file against one helper, then against two doubled helpers.
    assert pawns.candidate(Bitboard("b5 c4"), Bitboard("c6 c7")) == 0
    assert pawns.candidate(Bitboard("b5 c4 c3"), Bitboard("c6 c7")) == Bitboard("b5")


@given(own=st.integers(0, ALL), enemy=st.integers(0, ALL))
def test_pawns_are_open_or_have_an_enemy_pawn_ahead(own: int, enemy: int) -> None:
    own, enemy = own & RANKS_2_TO_7 & ~enemy, enemy & RANKS_2_TO_7
    assert pawns.passed(own, enemy) | pawns.candidate(own, enemy) | pawns.open_pawns(own, enemy) == pawns.open_pawns(
        own, enemy
    )
    assert pawns.passed(own, enemy) & pawns.candidate(own, enemy) == 0
    assert pawns.passed_free(own, enemy, 0) == pawns.passed_foremost(own, enemy)
    assert pawns.straggler(own, enemy) | pawns.backward(own, enemy) == pawns.backward(own, enemy)
    assert pawns.backward(own, enemy) | pawns.ram(own, enemy) | pawns.backward_or_rammed(own, enemy) == pawns.backward(
        own, enemy
    ) | pawns.ram(own, enemy)


@given(own=st.integers(0, ALL))
def test_front_span_is_stop_and_telestop(own: int) -> None:
    assert pawns.front_span(own) == pawns.stop(own) | pawns.telestop(own)


@given(own=st.integers(0, ALL))
def test_a_pawn_is_isolated_half_isolated_or_has_neighbours_on_both_sides(own: int) -> None:
    assert pawns.isolated(own) & pawns.half_isolated(own) == 0
    assert pawns.isolated(own) & pawns.connected(own) == 0
    assert pawns.chain_base(own) & pawns.chain_head(own) == 0
