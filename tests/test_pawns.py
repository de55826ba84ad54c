"""Pawn patterns: how they go together, and the traps by name."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from helpers.drawing import difference
from naive import ALL
from naive.pawns import COLUMNS
from setwise.bitboard import Bitboard
from setwise.patterns import fills, pawns
from setwise.patterns.compass import north, south

OWN, ENEMY = COLUMNS["pawns"], COLUMNS["enemy_pawns"]
NONE = np.zeros_like(OWN)


def empty(squares: np.ndarray) -> str:
    """Nothing where all sets are empty, else the first that is not, drawn."""
    return difference(squares, NONE, OWN, ENEMY)


def test_open_pawns_have_no_enemy_pawn_ahead() -> None:
    ahead = pawns.rear_span(ENEMY)
    assert not difference(pawns.open_pawns(OWN, ENEMY), OWN & ~ahead, OWN, ENEMY)


def test_passed_pawns_and_candidates_are_open_and_never_both() -> None:
    open_ones, passed, candidate = (getattr(pawns, name)(OWN, ENEMY) for name in ("open_pawns", "passed", "candidate"))
    assert not empty((passed | candidate) & ~open_ones)
    assert not empty(passed & candidate)


def test_without_other_men_foremost_passers_are_free() -> None:
    foremost = pawns.passed_foremost(OWN, ENEMY)
    assert not difference(pawns.passed_free(OWN, ENEMY, 0), foremost, OWN, ENEMY)
    assert not empty(foremost & ~pawns.passed(OWN, ENEMY))


def test_stragglers_are_backward_and_backward_pawns_are_not_rammed() -> None:
    backward, rammed = pawns.backward(OWN, ENEMY), pawns.ram(OWN, ENEMY)
    assert not empty(pawns.straggler(OWN, ENEMY) & ~backward)
    assert not empty(backward & rammed)
    assert not empty(pawns.backward_or_rammed(OWN, ENEMY) & ~(backward | rammed))


def test_rams_and_levers_are_mutual() -> None:
    def turned(own: np.ndarray, enemy: np.ndarray, name: str) -> np.ndarray:
        """The enemy's pawns that are so, seen from its side."""
        return getattr(pawns, name)(enemy.byteswap(), own.byteswap()).byteswap()

    assert not difference(north(pawns.ram(OWN, ENEMY)), turned(OWN, ENEMY, "ram"), OWN, ENEMY)
    levers = pawns.lever(OWN, ENEMY)
    assert not difference(pawns.attacks(levers) & ENEMY, turned(OWN, ENEMY, "lever"), OWN, ENEMY)


def test_a_front_span_is_stop_and_telestop() -> None:
    assert not difference(pawns.front_span(OWN), pawns.stop(OWN) | pawns.telestop(OWN), OWN)
    assert not difference(pawns.rear_span(OWN), pawns.front_span(OWN.byteswap()).byteswap(), OWN)
    assert not difference(pawns.rear_span(OWN), south(OWN | pawns.rear_span(OWN)), OWN)


def test_isolated_pawns_are_neither_half_isolated_nor_connected() -> None:
    isolated = pawns.isolated(OWN)
    assert not empty(isolated & (pawns.half_isolated(OWN) | pawns.connected(OWN)))


def test_connected_pawns_stand_in_a_phalanx_or_a_chain() -> None:
    chained = pawns.supported(OWN) | pawns.chain_base(OWN)
    assert not difference(pawns.connected(OWN), pawns.phalanx(OWN) | chained, OWN)
    assert not empty(pawns.chain_base(OWN) & pawns.chain_head(OWN))


@given(own=st.integers(0, ALL), enemy=st.integers(0, ALL))
def test_files_without_own_pawns_are_open_or_half_open(own: int, enemy: int) -> None:
    free, half = pawns.open_files(own, enemy), pawns.half_open_files(own, enemy)
    ours = fills.file_fill(own)
    assert free | half | ours == ALL
    assert free & half == free & ours == half & ours == 0


# ---------------------------------------------------------------------------------------------------------------- traps


def test_attacks_do_not_wrap_at_either_edge_file() -> None:
    file_a, file_h = Bitboard("a1 a2 a3 a4 a5 a6 a7 a8"), Bitboard("h1 h2 h3 h4 h5 h6 h7 h8")
    assert pawns.west_attacks(file_a) == 0
    assert pawns.east_attacks(file_h) == 0
    assert pawns.attacks(file_a) == Bitboard("b2 b3 b4 b5 b6 b7 b8")
    assert pawns.attacks(file_h) == Bitboard("g2 g3 g4 g5 g6 g7 g8")
    assert pawns.west_captures(file_a, ALL) == pawns.east_captures(file_h, ALL) == 0
    assert pawns.en_passant(Bitboard("a5 h5 h6"), Bitboard("a6")) == 0
    assert pawns.en_passant(Bitboard("a5 h5 a4 a6"), Bitboard("h6")) == 0


def test_en_passant_finds_the_pawns_beside() -> None:
    fifth_rank = Bitboard("a5 b5 c5 d5 e5 f5 g5 h5")
    found = [len(pawns.en_passant(fifth_rank, Bitboard([square]))) for square in range(40, 48)]
    assert found == [1, 2, 2, 2, 2, 2, 2, 1]


def test_double_pushes_start_on_rank_2_alone() -> None:
    assert pawns.double_pushes(ALL, ALL) == 0x0000_0000_FF00_0000
    for rank in (1, *range(3, 9)):
        assert pawns.double_pushes(0xFF << 8 * (rank - 1), ALL) == 0


def test_helpers_and_sentries_are_counted_as_pawns() -> None:
    # Two sentries on one file against one helper, then against two doubled helpers.
    assert pawns.candidate(Bitboard("b5 c4"), Bitboard("c6 c7")) == 0
    assert pawns.candidate(Bitboard("b5 c4 c3"), Bitboard("c6 c7")) == Bitboard("b5")
