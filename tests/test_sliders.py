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
from setwise.patterns import slider_ways, sliders
from setwise.patterns.bit_tricks import splitmix64
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


# --------------------------------------------------------------------------------------------------- the published ways


def test_every_published_way_agrees_on_every_relevant_occupancy() -> None:
    """Beside the proofs of the formulas, the machine code: with anything on the squares that do not matter."""
    for piece, directions in WAYS.items():
        squares, relevant = every_relevant_occupancy(piece)
        walked = reduce(np.bitwise_or, (walk(squares, relevant, way) for way in directions))
        inner = sliders.ROOK_INNER if piece == "rook" else sliders.BISHOP_INNER
        anything = np.random.default_rng(4).integers(0, 2**64, squares.size, np.uint64) & ~inner[squares]
        ways = [getattr(slider_ways, name) for name in slider_ways.__all__ if name.startswith(piece)]
        assert len(ways) == 8
        for way in ways:
            assert np.array_equal(way(squares, relevant), walked), way
            assert np.array_equal(way(squares, relevant | anything), walked), way


@pytest.mark.parametrize("kind", ["plain", "fancy", "black"])
@pytest.mark.parametrize(("piece", "entries"), [("rook", 4096), ("bishop", 512)])
def test_magic_factors_are_found_for_all_squares_and_tables_have_the_known_sizes(
    piece: str, entries: int, kind: str
) -> None:
    """The plain tables have 64 times as many entries as the largest needs, the others one for each occupancy."""
    found = slider_ways.magics(piece, kind)
    squares, relevant = every_relevant_occupancy(piece)
    assert found.attacks.size == (64 * entries if kind == "plain" else squares.size)
    pieces = relevant | found.masks[squares] if kind == "black" else relevant & found.masks[squares]
    index = found.starts[squares] + (pieces * found.factors[squares] >> found.shifts[squares])
    walked = reduce(np.bitwise_or, (walk(squares, relevant, way) for way in WAYS[piece]))
    assert np.array_equal(found.attacks[index], walked)
    ends = np.append(found.starts[1:], found.attacks.size)
    assert np.all((found.starts[squares] <= index) & (index < ends[squares]))


def test_a_factor_that_is_not_magic_is_not_taken() -> None:
    """With two bits fewer than the occupancies need, no factor can separate them."""
    pieces = subsets(int(sliders.BISHOP_INNER[0]))
    attacked = slider_ways._walked(naive.DIAGONAL, 0, pieces)
    classes = np.unique(attacked, return_inverse=True)[1].astype(np.uint8)
    factors = splitmix64(np.arange(1000))
    assert not slider_ways._separates(factors, pieces, classes, np.uint64(62)).any()
    good = slider_ways.magics("bishop", "fancy").factors[:1]
    assert slider_ways._separates(good, pieces, classes, np.uint64(58)).all()
    assert not slider_ways._separates(good << np.uint64(1), pieces, classes, np.uint64(58)).all()
