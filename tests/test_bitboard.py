"""A Bitboard behaves as the frozenset of its squares, and as the number that it is."""

from __future__ import annotations

import copy
import operator
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import setwise
from setwise import bitboard
from setwise.bitboard import FILE_NAMES, SQUARE_NAMES, Bitboard, parse_square, square_name

ALL = 2**64 - 1
BOARD = frozenset(range(64))

square_sets = st.frozensets(st.integers(0, 63))
words = st.integers(0, ALL)
operators = pytest.mark.parametrize("operate", [operator.and_, operator.or_, operator.xor, operator.sub])


def word(squares: frozenset[int]) -> int:
    """The number of a set, by addition."""
    return sum(2**square for square in squares)


def with_coordinates(drawing: str) -> str:
    rows = [f"{8 - down} {row}" for down, row in enumerate(drawing.splitlines())]
    return "\n".join([*rows, "  " + " ".join(FILE_NAMES)])


# ------------------------------------------------------------------------------------------------------ squares by name


def test_squares_are_numbered_from_a1_along_the_ranks() -> None:
    assert [parse_square(name) for name in ("a1", "h1", "a2", "h8")] == [0, 7, 8, 63]


def test_square_name_and_parse_square_undo_each_other() -> None:
    for square in range(64):
        assert parse_square(square_name(square)) == square
        assert square_name(np.uint8(square)) == SQUARE_NAMES[square]


@pytest.mark.parametrize("wrong", ["i1", "a9", "E4", "", "e", None, 12])
def test_what_is_no_square_is_named_in_the_error(wrong: Any) -> None:
    with pytest.raises(ValueError, match=r"is not a square; squares are named a1 to h8"):
        parse_square(wrong)


@pytest.mark.parametrize("wrong", [-1, 64])
def test_a_number_beyond_the_board_has_no_name(wrong: int) -> None:
    with pytest.raises(ValueError, match=rf"from 0 \(a1\) to 63 \(h8\), not {wrong}"):
        square_name(wrong)


# --------------------------------------------------------------------------------------------------------- construction


@given(square_sets)
def test_all_ways_to_make_a_set_agree(squares: frozenset[int]) -> None:
    made = Bitboard(word(squares))
    names = [SQUARE_NAMES[square] for square in squares]
    assert made == Bitboard(squares) == Bitboard(names) == Bitboard(" ".join(names)) == Bitboard(", ".join(names))
    assert made == Bitboard(np.uint64(word(squares))) == Bitboard(np.array(sorted(squares), dtype=np.uint8))
    assert made == Bitboard(made) == Bitboard(str(made.names())[1:-1].replace("'", ""))


def test_a_square_named_twice_is_in_the_set_once() -> None:
    assert Bitboard("a1 a1") == Bitboard([0, 0]) == Bitboard(1)


def test_nothing_is_the_empty_set() -> None:
    assert Bitboard() == Bitboard("") == Bitboard([]) == Bitboard(" \n") == 0
    assert not Bitboard()


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        (-(2**63) - 1, ValueError, "64 bits: -0x8000000000000001 is too low"),
        (ALL + 1, ValueError, "64 bits: 0x10000000000000000 is too large"),
        ("a1 z9", ValueError, "'z9' is not a square; squares are named a1 to h8"),
        ([64], ValueError, "not 64"),
        ([-1], ValueError, "not -1"),
        ([0.5], TypeError, "float"),
        (0.5, TypeError, "made from an int, names of squares or squares, not float"),
        (None, TypeError, "not NoneType"),
    ],
)
def test_what_is_no_set_is_refused_with_the_reason(wrong: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Bitboard(wrong)


# ---------------------------------------------------------------------------------------------------------- set algebra


@operators
@given(square_sets, square_sets)
def test_set_algebra_is_that_of_frozenset(
    operate: Callable[..., Any], left: frozenset[int], right: frozenset[int]
) -> None:
    expected = operate(left, right)
    for a, b in ((Bitboard(left), Bitboard(right)), (Bitboard(left), word(right)), (word(left), Bitboard(right))):
        result = operate(a, b)
        assert type(result) is Bitboard
        assert frozenset(result) == expected


@given(square_sets)
def test_the_complement_is_every_other_square(squares: frozenset[int]) -> None:
    assert type(~Bitboard(squares)) is Bitboard
    assert frozenset(~Bitboard(squares)) == BOARD - squares


@given(square_sets, square_sets)
def test_questions_about_sets_are_answered_as_by_frozenset(left: frozenset[int], right: frozenset[int]) -> None:
    for other in (right, left & right, left | right, BOARD - left):
        a, b = Bitboard(left), Bitboard(other)
        assert a.isdisjoint(b) == left.isdisjoint(other)
        assert a.issubset(b) == left.issubset(other)
        assert a.issuperset(b) == left.issuperset(other)
    assert len(Bitboard(left)) == len(left)
    assert bool(Bitboard(left)) == bool(left)


@given(square_sets)
def test_iteration_goes_upwards_from_a1(squares: frozenset[int]) -> None:
    made = Bitboard(squares)
    assert list(made) == made.squares() == sorted(squares)
    assert made.names() == [SQUARE_NAMES[square] for square in sorted(squares)]


@given(square_sets)
def test_in_takes_numbers_and_names(squares: frozenset[int]) -> None:
    made = Bitboard(squares)
    for square in range(64):
        assert (square in made) == (SQUARE_NAMES[square] in made) == (np.uint8(square) in made) == (square in squares)
    assert -1 not in made
    assert 64 not in made
    assert None not in made


def test_in_refuses_a_misspelt_square() -> None:
    with pytest.raises(ValueError, match="'e9' is not a square"):
        assert "e9" in Bitboard()


def test_in_refuses_a_set_that_looks_like_a_square() -> None:
    with pytest.raises(TypeError, match="use issubset"):
        assert Bitboard("b1") in Bitboard("b1 c1")


@operators
@pytest.mark.parametrize("other", ["a1", None, [0]])
def test_algebra_takes_numbers_only(operate: Callable[..., Any], other: Any) -> None:
    for a, b in ((Bitboard("a1"), other), (other, Bitboard("a1"))):
        with pytest.raises(TypeError):
            operate(a, b)


@pytest.mark.parametrize("operate", [operator.or_, operator.xor])
def test_a_result_that_left_the_board_is_refused(operate: Callable[..., Any]) -> None:
    with pytest.raises(ValueError, match="too large"):
        operate(Bitboard("a1"), ALL + 1)
    with pytest.raises(ValueError, match="too low"):
        operate(Bitboard("a1"), -(2**64))


def test_signed_numbers_are_the_same_bits() -> None:
    words = np.array([0, 1, 2**63, ALL - 5, ALL], np.uint64)
    signed = [Bitboard(number) for number in words.view(np.int64)]
    assert signed == words.tolist() == [Bitboard(int(number)) for number in words.view(np.int64)]


@given(words, st.integers(-(2**70), 2**70))
def test_intersection_and_difference_stay_on_the_board(left: int, right: int) -> None:
    assert Bitboard(left) & right == right & Bitboard(left) == left & right
    assert Bitboard(left) - right == left & ~right


# ----------------------------------------------------------------------------------------------------------- the number


@given(words, words)
def test_equality_order_and_hash_are_those_of_the_int(left: int, right: int) -> None:
    a, b = Bitboard(left), Bitboard(right)
    assert a == left
    assert hash(a) == hash(left)
    assert (a == b, a < b, a <= b) == (left == right, left < right, left <= right)
    assert {left: "found"}[a] == "found"
    assert f"{a:#018x}" == f"{left:#018x}"
    assert f"{a}" == str(a)


@given(words)
def test_pickles_and_copies_are_equal_bitboards(number: int) -> None:
    original = Bitboard(number)
    pickles = [pickle.loads(pickle.dumps(original, protocol)) for protocol in range(pickle.HIGHEST_PROTOCOL + 1)]
    for twin in [*pickles, copy.copy(original), copy.deepcopy(original)]:
        assert type(twin) is Bitboard
        assert twin == original


def test_a_bitboard_carries_nothing_but_its_number() -> None:
    with pytest.raises(AttributeError):
        Bitboard(0).note = "no room"  # type: ignore[attr-defined]


# ---------------------------------------------------------------------------------------------------------------- NumPy


@operators
@given(words, words)
def test_algebra_with_numpy_is_that_of_sets(operate: Callable[..., Any], left: int, right: int) -> None:
    expected = operate(Bitboard(left), Bitboard(right))
    arrays = (
        operate(Bitboard(left), np.array([right, right], np.uint64)),
        operate(np.array([left, left], np.uint64), Bitboard(right)),
    )
    for result in arrays:
        assert result.dtype == np.uint64
        assert result.tolist() == [expected, expected]
    assert operate(Bitboard(left), np.uint64(right)) == operate(np.uint64(left), Bitboard(right)) == expected


def test_difference_in_place_changes_the_array_itself() -> None:
    boards = np.array([7, 6], np.uint64)
    same = boards
    same -= Bitboard("a1 b1")
    assert same is boards
    assert boards.tolist() == [4, 4]


def test_other_ufuncs_see_a_plain_number() -> None:
    boards = np.array([1, 2**63], np.uint64)
    assert (boards == Bitboard("h8")).tolist() == [False, True]
    assert np.bitwise_count(Bitboard("a1 h8")) == 2
    assert (boards >> Bitboard(1)).tolist() == [0, 2**62]


# ------------------------------------------------------------------------------------------------------------- drawings


@given(square_sets)
def test_str_shows_each_square_where_it_is(squares: frozenset[int]) -> None:
    rows = [row.split(" ") for row in str(Bitboard(squares)).split("\n")]
    assert len(rows) == 8
    for square in range(64):
        assert rows[7 - square // 8][square % 8] == ("1" if square in squares else ".")


@given(words)
def test_parse_reads_what_was_drawn_with_and_without_coordinates(number: int) -> None:
    drawing = str(Bitboard(number))
    compact = drawing.replace(" ", "")
    for form in (drawing, with_coordinates(drawing), compact, drawing.replace("\n", "\n\n"), f"\n\n   {drawing}\n"):
        assert Bitboard.parse(form) == number
    assert Bitboard.parse(drawing.replace("1", "x").replace(".", "-")) == number
    assert Bitboard.parse(compact.replace(".", "0")) == number


@given(words)
def test_repr_can_be_evaluated(number: int) -> None:
    assert eval(repr(Bitboard(number)), {"Bitboard": Bitboard}) == number  # noqa: S307


def test_parse_gives_the_squares_of_a_positions_men() -> None:
    drawing = """
        r n b q k b n r
        p p p p . p p p
        . . . . . . . .
        . . . . p . . .
        . . . . P . . .
        . . . . . . . .
        P P P P . P P P
        R N B Q K B N R
    """
    start = 0xFFFF_0000_0000_FFFF
    assert Bitboard.parse(drawing) == start - Bitboard("e2 e7") | Bitboard("e4 e5")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("", "8 rows of 8 marks.*this is an empty text"),
        (". . .\n. .", "this is 2 rows of 3 2 marks"),
        ("........\n" * 9, "this is 9 rows"),
        ("........\n" * 7 + ". . . . . . . . .", "8 rows of 8 8 8 8 8 8 8 9 marks"),
        ("........\n" * 7 + "abcdefgh", "this is 7 rows"),
        ("........\n" * 7 + ". . [n] . . . . .", r"one mark for each square, not '\[n\]'"),
    ],
)
def test_what_is_no_drawing_is_refused_with_the_reason(wrong: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Bitboard.parse(wrong)


def test_a_notebook_shows_the_repr_until_something_can_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bitboard, "draw_svg", None)
    assert Bitboard("a1")._repr_svg_() is None
    monkeypatch.setattr(bitboard, "draw_svg", lambda pieces=None, marks=None: f"drawn {marks!r}")
    assert Bitboard("a1")._repr_svg_() == "drawn Bitboard('a1')"


def test_a_set_is_no_square() -> None:
    """The set {c1} is the number 4, which is the square e1."""
    set_of_one = Bitboard("c1")
    position = setwise.Position()
    for call in (
        lambda: setwise.lines.between(set_of_one, 0),
        lambda: setwise.sliders.rook_attacks(set_of_one, 0),
        lambda: setwise.sliders.rook_attacks(set_of_one, np.zeros(2, np.uint64)),
        lambda: setwise.islands.count(set_of_one),
        lambda: position.piece_at(set_of_one),
        lambda: position.attackers(set_of_one, white=True),
        lambda: Bitboard([set_of_one, Bitboard("a1")]),
    ):
        with pytest.raises(TypeError, match="set of squares"):
            call()
    assert setwise.sliders.rook_attacks(2, set_of_one) == setwise.sliders.rook_attacks(2, int(set_of_one))


def test_positions_are_chosen_and_seen_as_they_can_be() -> None:
    some = setwise.Positions.from_fens(["4k3/8/8/8/8/8/P7/4K3 w - - 0 1"] * 3)
    for side in ("White", "mover", "", None, 1):
        with pytest.raises(ValueError, match="a side is white, black, own, enemy, not"):
            some.seen_by(side)
    for which in (None, [[0, 1]], "a", [1.5], [3]):
        with pytest.raises(IndexError, match="positions are chosen by a number"):
            some[which]
    assert [len(some[it]) for it in ([0, 2], [True, False, True], slice(1, None), np.array([], np.int64))] == [
        2,
        2,
        2,
        0,
    ]
    with pytest.raises(ValueError, match="once or more often"):
        setwise.Game.from_pgn("1. e4 *").is_repetition(0)
