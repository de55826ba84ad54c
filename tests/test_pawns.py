"""Pawn patterns: how they go together, and the traps by name."""

from __future__ import annotations

import chess
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from helpers.drawing import difference
from naive import ALL
from naive.pawns import COLUMNS
from setwise.bitboard import Bitboard
from setwise.patterns import fills, islands, pawns
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


# ------------------------------------------------------------------------------------------ where authorities differ


def test_a_pawn_of_the_edge_is_half_isolated_or_isolated() -> None:
    edge = np.uint64(0x8181_8181_8181_8181)
    assert not difference((pawns.half_isolated(OWN) | pawns.isolated(OWN)) & edge, OWN & edge, OWN)
    assert pawns.half_isolated(0x0000_0000_0000_FF00) == Bitboard("a2 h2")


def test_half_isolated_pawns_are_the_border_files_less_the_isolated() -> None:
    files = islands.fileset(OWN)
    borders = islands.files(islands.east_files(files) | islands.west_files(files))
    assert not difference(pawns.half_isolated(OWN), OWN & borders & ~pawns.isolated(OWN), OWN)


def test_a_backward_pawn_that_steps_twice_is_taken_in_passing() -> None:
    """python-chess plays the double step of backward pawns of rank 2: each time there is a capture en passant."""
    played = 0
    for own, enemy in zip(OWN[:10_000].tolist(), (ENEMY & ~OWN)[:10_000].tolist(), strict=True):
        board = chess.Board(None)
        board.pawns, board.occupied, board.occupied_co = own | enemy, own | enemy, [enemy, own]
        for pawn in Bitboard(pawns.backward(own, enemy) & 0xFF00):
            move = chess.Move(pawn, pawn + 16)
            if board.is_pseudo_legal(move):
                board.push(move)
                assert board.has_pseudo_legal_en_passant()
                board.pop()
                played += 1
    assert played > 300


def test_without_pawns_every_square_of_the_camp_is_a_hole() -> None:
    assert pawns.holes(0) == 0x0000_0000_FFFF_0000
    assert pawns.holes(Bitboard("e3")) == 0x0000_0000_FFFF_0000 - Bitboard("e3 d4 f4")


def test_of_pawns_on_one_file_the_foremost_alone_is_a_candidate() -> None:
    assert not empty(pawns.candidate(OWN, ENEMY) & pawns.doubled(OWN))
    assert pawns.candidate(Bitboard("b4 b5 c4"), Bitboard("c7")) == Bitboard("b5")


def test_stacked_pawns_are_the_doubled_ones_and_those_before_them() -> None:
    doubled = pawns.doubled(OWN)
    assert not difference(pawns.stacked(OWN), doubled | OWN & pawns.front_span(OWN), OWN)
    files = fills.file_fill(doubled)
    assert not difference(pawns.stacked(OWN), OWN & files, OWN)
    assert not difference(np.bitwise_count(pawns.stacked(OWN) & ~doubled), files_of(doubled), OWN)


def files_of(squares: np.ndarray) -> np.ndarray:
    """On how many files they stand."""
    return np.bitwise_count(islands.fileset(squares))


def test_three_abreast_do_not_hang_though_the_wiki_takes_the_outer_two() -> None:
    three = Bitboard("b4 c4 d4")
    assert pawns.half_isolated(three) & pawns.phalanx(three) & pawns.open_pawns(three, 0) == Bitboard("b4 d4")
    assert pawns.hanging_pair(three, 0) == 0


def test_pawns_of_the_first_and_last_rank_are_no_passers_and_no_candidates() -> None:
    ends = 0xFF00_0000_0000_00FF
    for enemy in (0, Bitboard("c3 e6"), ALL):
        assert (pawns.passed(ends, enemy) | pawns.candidate(ends, enemy) | pawns.passed_free(ends, enemy, 0)) == 0
