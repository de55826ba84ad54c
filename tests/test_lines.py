"""Lines, pins and attackers against their naive twins, on random positions and on all pairs of squares."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from naive import lines as naive
from naive.sliders import DIAGONAL, STRAIGHT, places, word
from setwise.bitboard import Bitboard
from setwise.patterns import lines

CASES = 20_000
COMPARED = 4_000
SQUARES = np.uint64(1) << np.arange(64, dtype=np.uint64)
NUMBERS = np.arange(64, dtype=np.uint8)


class Men(NamedTuple):
    """Positions as columns of sets."""

    own: np.ndarray
    enemy: np.ndarray
    kings: np.ndarray
    pawns: np.ndarray
    knights: np.ndarray
    straight: np.ndarray
    diagonal: np.ndarray

    @property
    def occupied(self) -> np.ndarray:
        return self.own | self.enemy


def positions(cases: int, seed: int) -> Men:
    """Random positions of both sides' men, rich in sliders: 2 to 32 men, a king of each side among them."""
    random = np.random.default_rng(seed)
    squares = SQUARES[np.argsort(random.random((cases, 64)), axis=1)[:, :32]]
    ours = (random.random((cases, 32)) < 0.5) | (np.arange(32) == 0)
    ours[:, 1] = False
    there = np.arange(32) < random.integers(2, 33, (cases, 1))
    kind = random.choice(["pawn", "knight", "bishop", "rook", "queen"], (cases, 32), p=[0.3, 0.1, 0.25, 0.2, 0.15])
    kind[:, :2] = "king"

    def those(chosen: np.ndarray) -> np.ndarray:
        return np.bitwise_or.reduce(np.where(chosen & there, squares, np.uint64(0)), axis=1)

    return Men(
        those(ours),
        those(~ours),
        those(kind == "king"),
        those(kind == "pawn"),
        those(kind == "knight"),
        those((kind == "rook") | (kind == "queen")),
        those((kind == "bishop") | (kind == "queen")),
    )


MEN = positions(CASES, seed=8)
OUR_KING, THEIR_KING = MEN.kings & MEN.own, MEN.kings & MEN.enemy


def only(squares: int) -> tuple[int, int]:
    [place] = places(squares)
    return place


def differences(ours: np.ndarray, twin: object, *columns: np.ndarray) -> list[str]:
    """The cases in which an answer is not its twin's, drawn."""
    found = []
    for answer, *row in zip(ours[:COMPARED].tolist(), *(column[:COMPARED].tolist() for column in columns), strict=True):
        expected = word(twin(*row))  # type: ignore[operator]
        if answer != expected:
            found.append("\n\n".join(str(Bitboard(x)) for x in (*row, answer, expected)))
    return found[:1]


def test_between_and_line_are_their_naive_twins_for_all_pairs_of_squares() -> None:
    for ours, twin in ((lines.between, naive.between), (lines.line, naive.line)):
        answers = ours(NUMBERS[:, None], NUMBERS)
        for a in range(64):
            for b in range(64):
                assert answers[a, b] == word(twin((a % 8, a // 8), (b % 8, b // 8))), (a, b)


@pytest.mark.parametrize(("xray", "ways"), [(lines.xray_rook, STRAIGHT), (lines.xray_bishop, DIAGONAL)])
def test_xrays_are_their_naive_twins(xray: object, ways: tuple[tuple[int, int], ...]) -> None:
    squares = np.random.default_rng(9).integers(0, 64, CASES).astype(np.uint8)
    ours = xray(squares, MEN.occupied, MEN.own)  # type: ignore[operator]
    assert not differences(
        ours,
        lambda square, occupied, own: naive.xray((square % 8, square // 8), ways, places(occupied), places(own)),
        squares,
        MEN.occupied,
        MEN.own,
    )


def test_pinned_men_and_pinners_are_their_naive_twins() -> None:
    columns = OUR_KING, MEN.own, MEN.enemy & MEN.straight, MEN.enemy & MEN.diagonal, MEN.occupied

    def pins(king: int, *sets: int) -> set:
        return naive.pins(only(king), *map(places, sets))

    pinned, pinners = lines.pinned(*columns), lines.pinners(*columns)
    assert not differences(pinned, lambda *row: {man for man, _ in pins(*row)}, *columns)
    assert not differences(pinners, lambda *row: {slider for _, slider in pins(*row)}, *columns)
    assert np.array_equal(np.bitwise_count(pinned), np.bitwise_count(pinners))
    assert np.count_nonzero(pinned) > CASES // 10


def test_discovered_check_candidates_are_their_naive_twins() -> None:
    columns = THEIR_KING, MEN.own, MEN.own & MEN.straight, MEN.own & MEN.diagonal, MEN.occupied
    ours = lines.discovered_check_candidates(*columns)
    twin = lambda king, *sets: {man for man, _ in naive.pins(only(king), *map(places, sets))}  # noqa: E731
    assert not differences(ours, twin, *columns)
    assert np.count_nonzero(ours) > CASES // 10


def test_batteries_are_their_naive_twin() -> None:
    columns = MEN.own & MEN.straight, MEN.own & MEN.diagonal, MEN.occupied
    assert not differences(lines.batteries(*columns), lambda *sets: naive.batteries(*map(places, sets)), *columns)


@pytest.mark.parametrize("targets", [OUR_KING, MEN.enemy & np.roll(MEN.own, 1)], ids=["one", "several"])
def test_attackers_are_their_naive_twin(targets: np.ndarray) -> None:
    columns = (
        targets,
        MEN.occupied,
        MEN.pawns & MEN.own,
        MEN.pawns & MEN.enemy,
        MEN.knights,
        MEN.straight,
        MEN.diagonal,
        MEN.kings,
    )
    assert not differences(lines.attackers(*columns), lambda *sets: naive.attackers(*map(places, sets)), *columns)


def test_a_queen_goes_from_a_square_to_all_that_share_a_line_with_it() -> None:
    related = lines.line(NUMBERS[:, None], NUMBERS) != 0
    assert np.array_equal(related, related.T)
    assert not related.diagonal().any()
    assert related.sum() == 896 + 560  # a rook's and a bishop's moves from all squares of an empty board


def test_a_man_between_king_and_slider_is_pinned_until_another_joins_it() -> None:
    king, rook, bishop = Bitboard("e1"), Bitboard("e8"), Bitboard("e4")
    assert lines.pinned(king, king | bishop, rook, 0, king | bishop | rook) == bishop
    for square in lines.between(4, 60) - bishop:
        men = king | bishop | Bitboard([square])
        assert lines.pinned(king, men, rook, 0, men | rook) == 0
        assert lines.pinned(king, king | bishop, rook, 0, men | rook) == 0
    assert lines.pinned(king, king | bishop, 0, rook, king | bishop | rook) == 0


def test_pins_do_not_run_around_the_edge() -> None:
    # h4 and a5 are neighbours in the word, not on the board.
    assert lines.pinned(Bitboard("g4"), Bitboard("g4 h4"), Bitboard("b5"), 0, Bitboard("g4 h4 b5")) == 0
