"""Slider attacks: lookup, calculation, fills and the slow walker agree on every square and every relevant occupancy."""

from __future__ import annotations

from functools import reduce

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive import ALL, SQUARES, place, places, word
from naive import sliders as naive
from setwise.bitboard import Bitboard
from setwise.patterns import sliders
from setwise.patterns.bits import subsets
from setwise.patterns.geometry import walk

WAYS = {"rook": naive.ORTHOGONAL, "bishop": naive.DIAGONAL}
FORMS = {
    "rook": (sliders.rook_attacks, sliders.rook_attacks_by_calculation, sliders.rooks_attacks),
    "bishop": (sliders.bishop_attacks, sliders.bishop_attacks_by_calculation, sliders.bishops_attacks),
}


def every_relevant_occupancy(piece: str) -> tuple[np.ndarray, np.ndarray]:
    """All pairs of a square and an occupancy of the squares that matter for it."""
    relevant = [naive.relevant(place(square), WAYS[piece]) for square in range(64)]
    occupancies = [subsets(word(squares)) for squares in relevant]
    squares = np.repeat(np.arange(64, dtype=np.uint8), [len(sets) for sets in occupancies])
    return squares, np.concatenate(occupancies)


@pytest.mark.parametrize(("piece", "cases"), [("rook", 102_400), ("bishop", 5_248)])
def test_all_forms_agree_on_every_relevant_occupancy(piece: str, cases: int) -> None:
    squares, relevant = every_relevant_occupancy(piece)
    assert len(squares) == cases
    walked = reduce(np.bitwise_or, (walk(squares, relevant, way) for way in WAYS[piece]))
    # What stands on the slider's square, off its lines and at the ends of its lines must not matter.
    empty_board = reduce(np.bitwise_or, (walk(squares, np.uint64(0), way) for way in WAYS[piece]))
    on_lines = np.bitwise_or.reduceat(relevant, np.flatnonzero(np.diff(squares, prepend=99)))[squares]
    anything = np.random.default_rng(1).integers(0, 2**64, cases, np.uint64)
    for occupied in (relevant, relevant | anything & ~on_lines):
        for form in FORMS[piece]:
            attacked = form(SQUARES[squares] if form is FORMS[piece][2] else squares, occupied)
            assert np.array_equal(attacked, walked), form
    assert not (walked & ~empty_board).any()


def test_the_walker_is_the_naive_slide() -> None:
    random = np.random.default_rng(2)
    squares = random.integers(0, 64, 5_000)
    occupied = random.integers(0, 2**64, 5_000, np.uint64) & random.integers(0, 2**64, 5_000, np.uint64)
    for way in naive.ALL_WAYS:
        walked = walk(squares, occupied, way)
        for square, blockers, attacked in zip(squares.tolist(), occupied.tolist(), walked.tolist(), strict=True):
            assert attacked == word(naive.slide(place(square), way, places(blockers)))


def test_sets_of_sliders_attack_what_each_attacks_alone() -> None:
    random = np.random.default_rng(3)
    movers, occupied = random.integers(0, 2**64, (2, 20_000), np.uint64)
    movers &= random.integers(0, 2**64, 20_000, np.uint64) & random.integers(0, 2**64, 20_000, np.uint64)
    for form, single in (
        (sliders.rooks_attacks, sliders.rook_attacks),
        (sliders.bishops_attacks, sliders.bishop_attacks),
        (sliders.queens_attacks, sliders.queen_attacks),
    ):
        alone = [np.where(movers & SQUARES[square], single(square, occupied), np.uint64(0)) for square in range(64)]
        assert np.array_equal(form(movers, occupied), reduce(np.bitwise_or, alone))


@given(square=st.integers(0, 63), occupied=st.integers(0, ALL))
def test_a_queen_is_a_rook_and_a_bishop(square: int, occupied: int) -> None:
    rook, bishop = sliders.rook_attacks(square, occupied), sliders.bishop_attacks(square, occupied)
    assert rook & bishop == 0
    assert sliders.queen_attacks(square, occupied) == rook | bishop == sliders.queens_attacks(1 << square, occupied)


@given(square=st.integers(0, 63), other=st.integers(0, 63), occupied=st.integers(0, ALL))
def test_attacks_are_mutual(square: int, other: int, occupied: int) -> None:
    for attacks in (sliders.rook_attacks, sliders.bishop_attacks):
        assert (other in attacks(square, occupied)) == (square in attacks(other, occupied))


def test_no_sliders_attack_nothing() -> None:
    assert sliders.queens_attacks(0, Bitboard("a1 h8")) == 0
