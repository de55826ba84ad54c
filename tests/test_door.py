"""The door of every pattern: what it takes for numbers and arrays, what it refuses, and that it says which argument."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.boards import random_play
from helpers.cost import SLACK, grown, seconds
from naive import ALL, OTHER_SETS, SETS
from setwise import Position
from setwise.bitboard import Bitboard
from setwise.compiler import PATTERNS, Pattern, targets
from setwise.compiler.targets.evaluated import machine_code as evaluated_code
from setwise.patterns import bits, compass, islands, king, knight, lines, moves, pawns, race, sliders

WORDS = [0, 1, 2**63, ALL, 0x0000_1800_0000_0000]
#: One pattern and argument of each kind of value, with the largest number that it takes.
KINDS = {
    "set": (knight.attacks, "knights", 0, ALL),
    "second set": (king.fill, "path", 1, ALL),
    "square": (lines.between, "b", 1, 63),
    "fileset": (islands.count, "files", 0, 255),
    "width": (islands.of_width, "width", 1, 8),
    "flag": (race.catchable, "king_to_move", 1, 1),
}
kinds = pytest.mark.parametrize(("pattern", "name", "place", "largest"), KINDS.values(), ids=KINDS)


class Numbered:
    """Something that is a number to Python, and nothing else."""

    def __init__(self, number: Any) -> None:
        self.number = number

    def __index__(self) -> Any:
        return self.number


def given_at(pattern: Pattern, place: int, value: Any) -> Any:
    """What a pattern says of a value in one place and zeros in all others."""
    return pattern(*[value if k == place else 0 for k in range(len(pattern.kinds))])


def attacked(words: list[int]) -> list[int]:
    """What the pattern says of ints, one by one."""
    return [knight.attacks(word) for word in words]


def refusal(pattern: Pattern, name: str) -> str:
    """How every refusal of an argument begins."""
    return re.escape(f"{name} of {pattern.name} is a {pattern.kinds[name].name}")


# ------------------------------------------------------------------------------------------------------------- numbers


@kinds
def test_the_least_and_the_largest_number_pass(pattern: Pattern, name: str, place: int, largest: int) -> None:
    for number in (0, largest):
        answer = given_at(pattern, place, number)
        assert type(answer) is type(pattern.returns.python(0))
        assert given_at(pattern, place, np.array([number, 0], np.uint64))[0] == answer


@kinds
@pytest.mark.parametrize("beyond", [1, 2**64, 2**70])
def test_larger_numbers_are_refused(pattern: Pattern, name: str, place: int, largest: int, beyond: int) -> None:
    with pytest.raises(ValueError, match=f"{refusal(pattern, name)}, 0 to {largest:#x}; {largest + beyond:#x} is out"):
        given_at(pattern, place, largest + beyond)


@kinds
def test_negative_numbers_are_refused_with_advice(pattern: Pattern, name: str, place: int, largest: int) -> None:
    for number in (-1, np.int8(-1), np.int64(-(2**63)), -(2**70), Numbered(-1), np.array(-1)):
        with pytest.raises(
            ValueError, match=f"{refusal(pattern, name)}.* is out of range .a negative number is not a set"
        ):
            given_at(pattern, place, number)


@kinds
def test_arrays_beyond_the_largest_number_are_refused(pattern: Pattern, name: str, place: int, largest: int) -> None:
    beyond = [np.array([0, -1], np.int8), [0, -1], [largest + 1], np.array([[1], [-2]], np.int32)]
    if largest < ALL:
        beyond.append(np.array([0, largest + 1], np.uint64))
    for array in beyond:
        with pytest.raises(ValueError, match=f"{refusal(pattern, name)}, 0 to {largest:#x}; the array goes beyond"):
            given_at(pattern, place, array)


@pytest.mark.parametrize("number", [1 << 10**6, -(1 << 10**6)], ids=["large", "negative"])
def test_the_refusal_of_a_huge_number_is_short(number: int) -> None:
    for ask in (knight.attacks, Bitboard):
        with pytest.raises(ValueError, match="number of 1,000,001 bits") as caught:
            ask(number)
        assert len(str(caught.value)) < 250


@given(st.integers(0, ALL))
def test_whatever_is_a_number_is_taken_for_it(word: int) -> None:
    forms = [Bitboard(word), np.uint64(word), np.array(word, np.uint64), Numbered(word)]
    forms += [np.int64(word), pa.scalar(word)] if word < 2**63 else [pa.scalar(word, pa.uint64())]
    answers = [knight.attacks(form) for form in forms]
    assert answers == [knight.attacks(word)] * len(forms)
    assert {type(answer) for answer in answers} == {Bitboard}


def test_booleans_are_flags() -> None:
    for one, none in ((True, False), (np.True_, np.False_), (1, 0), (np.array(True), np.array(False))):
        assert race.catchable(1, one) == race.catchable(1, True) != race.catchable(1, none)
    flags = [True, False, True]
    answers = [race.catchable(1, flag) for flag in flags]
    for array in (flags, np.array(flags), np.array(flags, np.int64), [*map(np.bool_, flags)], pl.Series(flags)):
        assert race.catchable(1, array).tolist() == answers


# ------------------------------------------------------------------------------------------------------- machine code

#: What machine code gets, in range or not: it answers the former, and leaves the latter to Python.
MIXED = [
    0, 1, 8, 9, 63, 64, 255, 256, 2**63, ALL, ALL + 1, 2**70, -1, -(2**63), True, False, Bitboard(9), Bitboard(ALL),
    None, 1.0, "a1", np.uint64(1), np.array([1], np.uint64), [1], Numbered(1),
]  # fmt: skip


@kinds
@pytest.mark.filterwarnings("ignore:.*is evaluated by NumPy")
def test_machine_code_answers_ints_in_range_and_leaves_the_rest_to_python(
    pattern: Pattern, name: str, place: int, largest: int
) -> None:
    compiled, evaluated = targets.machine_code(pattern), evaluated_code(pattern)
    for value in MIXED:
        arguments = [value if k == place else 1 for k in range(len(pattern.kinds))]
        answer, expected = compiled(*arguments), evaluated(*arguments)
        assert (type(answer), answer) == (type(expected), expected), value
        numbers = {int, bool} | ({Bitboard} if [*pattern.kinds.values()][place].is_set else set())
        assert (answer is None) == (type(value) not in numbers or not 0 <= value <= largest), value
    for too_many_or_few in ([], [1] * (len(pattern.kinds) + 1)):
        assert compiled(*too_many_or_few) is None


@pytest.mark.filterwarnings("ignore:.*is evaluated by NumPy")
def test_results_of_machine_code_are_of_their_kinds() -> None:
    seen = set()
    for name in ("knight.attacks", "islands.count", "islands.east_files", "knight.distance", "knight.catches"):
        pattern = PATTERNS[name]
        seen.add(pattern.returns.name)
        for value in (0, 1, 40, 63, ALL):
            arguments = [min(value, kind.largest) for kind in pattern.kinds.values()]
            answer, expected = targets.machine_code(pattern)(*arguments), evaluated_code(pattern)(*arguments)
            assert (type(answer), answer) == (type(expected), expected)
    assert len(seen) == 5


def test_calls_keep_no_memory() -> None:
    full, array = Bitboard(ALL), np.array([2**63], np.uint64)
    assert grown(lambda: knight.attacks(2**63)) < SLACK
    assert grown(lambda: knight.attacks(full)) < SLACK
    assert grown(lambda: knight.attacks.raw(-1)) < SLACK
    assert grown(lambda: knight.attacks(array)) < SLACK
    assert grown(lambda: islands.count(255)) < SLACK
    assert grown(lambda: race.catchable(1, True)) < SLACK


def test_one_int_costs_less_than_the_formula_in_python() -> None:
    def formula(knights: int) -> int:
        return (
            (knights << 17 | knights >> 15) & 0xFEFE_FEFE_FEFE_FEFE
            | (knights << 10 | knights >> 6) & 0xFCFC_FCFC_FCFC_FCFC
            | (knights << 15 | knights >> 17) & 0x7F7F_7F7F_7F7F_7F7F
            | (knights << 6 | knights >> 10) & 0x3F3F_3F3F_3F3F_3F3F
        )

    words = [1 << square for square in range(64)] * 300
    assert [*map(formula, words)] == [*map(knight.attacks, words)]
    pairs = [[seconds(lambda call: [*map(call, words)], call) for call in (knight.attacks, formula)] for _ in range(7)]
    ours, python = map(min, zip(*pairs, strict=True))
    assert ours < python


# ---------------------------------------------------------------------------------------------------- what is no number


NO_NUMBERS = {
    "float": 1.0, "NumPy's float": np.float64(1), "infinity": float("inf"), "complex": 1j, "text": "a1",
    "bytes": b"\x01", "nothing": None, "a set": {1, 2}, "a mapping": {1: 2}, "a generator": (x for x in [1]),
    "an object": object(), "a broken number": Numbered("five"), "a function": len, "NaN": np.array(np.nan),
    "floats": np.array([1.0]), "complex numbers": np.array([1j]), "texts": np.array(["a1"]),
    "objects": np.array([1], object), "dates": np.array(["2020-02-02"], "M8[s]"), "a date": np.datetime64(1, "s"),
    "list of floats": [1, 2.0], "list of texts": ["a1"], "list of nothing": [1, None], "nested list of floats": [[1.0]],
    "ragged list": [[1, 2], [3]], "arrays of several shapes": [np.zeros(2, int), np.zeros((2, 2), int)],
    "tuple of texts": ("a1", "b1"), "list of a set": [{1}],
    "pandas floats": pd.Series([1.0]), "pandas texts": pd.Series(["a1"]), "Polars floats": pl.Series([1.0]),
    "Arrow floats": pa.array([1.0]), "Arrow texts": pa.array(["a1"]),
}  # fmt: skip


@kinds
@pytest.mark.parametrize("value", NO_NUMBERS.values(), ids=NO_NUMBERS)
def test_what_is_no_number_is_refused(pattern: Pattern, name: str, place: int, largest: int, value: Any) -> None:
    with pytest.raises(TypeError, match=f"^{refusal(pattern, name)}: an int or an array of ") as caught:
        given_at(pattern, place, value)
    assert f"not {type(value).__name__}" in str(caught.value)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("column", [pd.Series([1, None], dtype="UInt64"), pl.Series([1, None]), pa.array([1, None])])
def test_columns_with_missing_values_are_refused_with_a_hint(column: Any) -> None:
    with pytest.raises(TypeError, match=r"^path of king\.fill .* to NumPy: are values missing\?"):
        king.fill(0, column)


def test_arrays_of_booleans_are_no_sets() -> None:
    for pattern, name, place, largest in KINDS.values():
        if largest > 1:
            with pytest.raises(TypeError, match=f"{refusal(pattern, name)}.*, not ndarray of bool"):
                given_at(pattern, place, np.array([True, False]))


@pytest.mark.parametrize(
    ("pattern", "takes"),
    [
        (knight.attacks, r"1 argument \(knights\)"),
        (king.fill, r"2 arguments \(kings, path\)"),
        (race.unstoppable, r"3 arguments \(passers, king, king_to_move\)"),
    ],
)
def test_a_wrong_number_of_arguments_names_them(pattern: Pattern, takes: str) -> None:
    for count in {0, 1, 2, 3, 4} - {len(pattern.kinds)}:
        with pytest.raises(TypeError, match=rf"^{re.escape(pattern.name)} takes {takes}, not {count}$"):
            pattern(*[0] * count)


# -------------------------------------------------------------------------------------------------------------- arrays


@pytest.mark.parametrize(
    "form",
    [
        lambda words: np.array(words, np.uint64),
        lambda words: np.array(words, ">u8"),
        lambda words: np.array(words, np.uint64).view(np.int64),
        lambda words: np.array(words, np.uint64).view(np.int64).astype(">i8"),
        list,
        tuple,
        lambda words: [*map(Bitboard, words)],
        lambda words: [Numbered(words[0]), np.uint64(words[1]), Bitboard(words[2]), *words[3:]],
        lambda words: memoryview(np.array(words, np.uint64)),
        lambda words: pd.Series(words, dtype="uint64"),
        lambda words: pd.Series(words, dtype="UInt64"),
        lambda words: pd.Index(words, dtype="uint64"),
        lambda words: pd.Series(np.array(words, np.uint64).view(np.int64)),
        lambda words: pl.Series(words, dtype=pl.UInt64),
        lambda words: pl.Series(np.array(words, np.uint64).view(np.int64)),
        lambda words: pa.array(words, pa.uint64()),
        lambda words: pa.array(np.array(words, np.uint64).view(np.int64)),
        lambda words: pa.chunked_array([pa.array(words[:2], pa.uint64()), pa.array(words[2:], pa.uint64())]),
    ],
    ids=[
        "uint64", "big-endian", "int64", "big-endian int64", "list", "tuple", "Bitboards", "mixed", "memoryview",
        "pandas", "pandas nullable", "pandas index", "pandas int64", "Polars", "Polars int64", "Arrow", "Arrow int64",
        "Arrow in chunks",
    ],
)  # fmt: skip
def test_columns_of_any_kind_are_read_as_their_bits(form: Callable[[list[int]], Any]) -> None:
    answers = knight.attacks(form(WORDS))
    assert type(answers) is np.ndarray
    assert answers.dtype == np.uint64
    assert answers.tolist() == attacked(WORDS)


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", ">i4", ">u2"])
def test_integers_of_any_width_are_numbers(dtype: str) -> None:
    numbers = [0, 1, 63]
    squares = np.array(numbers, dtype)
    assert knight.attacks(squares).tolist() == attacked(numbers)
    assert lines.between(squares, 0).tolist() == [lines.between(number, 0) for number in numbers]
    assert islands.count(squares).tolist() == [islands.count(number) for number in numbers]


def test_arrays_that_may_not_be_written_are_read() -> None:
    words = np.array(WORDS, np.uint64)
    words.flags.writeable = False
    assert knight.attacks(words).tolist() == attacked(WORDS)
    assert knight.attacks(np.frombuffer(words.tobytes(), np.int64)).tolist() == attacked(WORDS)


def test_arguments_are_never_changed() -> None:
    words = np.array(WORDS, np.uint64)
    for array in (words.copy(), words.astype(">u8"), words.view(np.int64).copy(), WORDS.copy()):
        before = repr(array)
        knight.attacks(array)
        king.fill(array, array)
        assert repr(array) == before


@pytest.mark.parametrize(
    "empty", [[], (), [[], []], np.zeros(0, np.uint64), np.zeros((0, 3), np.int64), pa.array([], "u8")]
)
def test_nothing_has_no_answers(empty: Any) -> None:
    answers = knight.attacks(empty)
    assert answers.dtype == np.uint64
    assert answers.shape == np.shape(empty)


# -------------------------------------------------------------------------------------------------------- broadcasting


def pairwise(a: Any, b: Any) -> list[int]:
    """The fill of all pairs of two arrays that NumPy broadcasts, one by one."""
    a, b = np.broadcast_arrays(np.asarray(a, np.uint64), np.asarray(b, np.uint64))
    return [king.fill(x, y) for x, y in zip(a.ravel().tolist(), b.ravel().tolist(), strict=True)]


SIX = SETS[70:76]


@pytest.mark.parametrize(
    ("a", "b", "shape"),
    [
        (SIX, ALL, (6,)),
        (Bitboard("e4"), SIX, (6,)),
        (SIX.reshape(2, 3), ALL, (2, 3)),
        (SIX.reshape(2, 3), SIX[:3], (2, 3)),
        (SIX[:, None], SIX[None, :], (6, 6)),
        (np.broadcast_to(SIX[:1], 6), SIX, (6,)),
        (np.broadcast_to(SIX[:1], 6), np.broadcast_to(SIX[1:2], 6), (6,)),
        (np.broadcast_to(SIX[:, None], (6, 2)), SIX[:2], (6, 2)),
        (SIX.reshape(2, 3).T, SIX.reshape(3, 2), (3, 2)),
        (np.asfortranarray(SIX.reshape(2, 3)), SIX.reshape(2, 3), (2, 3)),
        (SIX.reshape(1, 2, 3), SIX.reshape(3, 2, 1), (3, 2, 3)),
        (SIX[:1], SIX, (6,)),
        (SIX[:0], SIX[:1], (0,)),
        (np.array(3, np.uint64), SIX, (6,)),
        ([[1], [2]], [3, 4], (2, 2)),
    ],
)
def test_arguments_broadcast_as_numpy_does(a: Any, b: Any, shape: tuple[int, ...]) -> None:
    answers = king.fill(a, b)
    assert answers.shape == shape
    assert answers.ravel().tolist() == pairwise(a, b)


@pytest.mark.parametrize(
    ("a", "b", "shapes"),
    [
        (SIX, SIX[:5], r"kings \(6,\), path \(5,\)"),
        (SIX.reshape(2, 3), SIX[:2], r"kings \(2, 3\), path \(2,\)"),
        ([], [1, 2], r"kings \(0,\), path \(2,\)"),
    ],
)
def test_shapes_that_do_not_broadcast_are_told(a: Any, b: Any, shapes: str) -> None:
    with pytest.raises(ValueError, match=rf"^the shapes of king\.fill do not broadcast: {shapes}$"):
        king.fill(a, b)


# ----------------------------------------------------------------------------------------------------------------- out


def test_out_takes_the_answers() -> None:
    expected = knight.attacks(SIX)
    for out in (
        np.zeros(6, np.uint64), np.zeros(12, np.uint64)[::2], np.zeros(6, np.uint64)[::-1],
        np.zeros((6, 3), np.uint64)[:, 1], np.frombuffer(bytearray(49), np.uint64, 6, offset=1),
    ):  # fmt: skip
        assert knight.attacks(SIX, out=out) is out
        assert np.array_equal(out, expected)


def test_out_may_be_larger_than_the_arguments() -> None:
    out = np.zeros((2, 6), np.uint64)
    assert knight.attacks(SIX, out=out).tolist() == [attacked(SIX.tolist())] * 2
    assert knight.attacks(5, out=out).tolist() == [[knight.attacks(5)] * 6] * 2
    single = np.zeros((), np.uint64)
    assert knight.attacks(5, out=single) is single
    assert single == knight.attacks(5)


def test_out_leaves_its_neighbours_alone() -> None:
    around = np.full(32, 7, np.uint64)
    knight.attacks(SIX, out=around[10:22:2])
    assert np.delete(around, np.arange(10, 22, 2)).tolist() == [7] * 26


@pytest.mark.parametrize("shift", [-3, -1, 0, 1, 3, 40])
def test_out_may_overlap_an_argument(shift: int) -> None:
    room, start = np.resize(SETS[66:], 2000), 100
    argument, out = room[start : start + 1500], room[start + shift : start + shift + 1500]
    expected = knight.attacks(argument.copy())
    knight.attacks(argument, out=out)
    assert np.array_equal(out, expected)


@pytest.mark.parametrize(
    ("out", "found"),
    [
        (np.zeros(6, np.int64), "ndarray of int64"),
        (np.zeros(6, np.uint32), "ndarray of uint32"),
        (np.zeros(6, ">u8"), "ndarray of >u8"),
        (np.zeros(6, bool), "ndarray of bool"),
        ([0] * 6, "list"),
        ((np.zeros(6, np.uint64),), "tuple"),
        (0, "int"),
    ],
)
def test_out_of_another_type_is_refused(out: Any, found: str) -> None:
    with pytest.raises(TypeError, match=rf"^out= of knight\.attacks is an array of uint64, not {found}$"):
        knight.attacks(SIX, out=out)


@pytest.mark.parametrize("shape", [(5,), (7,), (1,), (0,), (6, 2), ()])
def test_out_of_another_shape_is_refused(shape: tuple[int, ...]) -> None:
    message = rf"^the shapes of knight\.attacks do not broadcast: knights \(6,\), out {re.escape(str(shape))}$"
    with pytest.raises(ValueError, match=message):
        knight.attacks(SIX, out=np.zeros(shape, np.uint64))


def test_out_that_may_not_be_written_is_refused() -> None:
    locked = np.zeros(6, np.uint64)
    locked.flags.writeable = False
    for out in (locked, np.broadcast_to(np.zeros(1, np.uint64), 6)):
        with pytest.raises(ValueError, match=r"^out= of knight\.attacks .* read-only$"):
            knight.attacks(SIX, out=out)
        assert not out.any()


# ----------------------------------------------------------------------------------------------------------- for Black

#: Patterns of pawns alone, and the features that are those patterns of a position.
PAWN_FEATURES = {
    "passed_pawns": pawns.passed,
    "candidate_pawns": pawns.candidate,
    "backward_pawns": pawns.backward,
    "outposts": pawns.outposts,
    "half_open_files": pawns.half_open_files,
    "lever": pawns.lever,
    "ram": pawns.ram,
}


@pytest.mark.parametrize("name", PAWN_FEATURES)
def test_a_pattern_for_black_is_blacks_feature(name: str) -> None:
    found = 0
    for board in random_play(4, seed=31, every=11):
        own, enemy = (board.pawns & board.occupied_co[colour] for colour in (False, True))
        answer = PAWN_FEATURES[name].for_black(own, enemy)
        assert type(answer) is Bitboard
        assert answer == Position(board.fen()).feature(f"black_{name}")
        found += answer != 0
    assert found > 5


def test_north_is_south_for_black() -> None:
    for up, down in (("north", "south"), ("north_east", "south_east"), ("so_we_we", "no_we_we"), ("east", "east")):
        assert np.array_equal(getattr(compass, up).for_black(SETS), getattr(compass, down)(SETS))


def test_what_has_no_direction_is_the_same_for_black() -> None:
    assert np.array_equal(knight.attacks.for_black(SETS), knight.attacks(SETS))
    assert np.array_equal(king.distance.for_black(SETS, OTHER_SETS), king.distance(SETS, OTHER_SETS))
    assert islands.west_files.for_black(0b1100_0001) == islands.west_files(0b1100_0001)
    squares, occupied = np.arange(64, dtype=np.uint8), SETS[100:164]
    assert np.array_equal(sliders.rook_attacks.for_black(squares, occupied), sliders.rook_attacks(squares, occupied))
    assert knight.reach.for_black(Bitboard("a8"), 1) == Bitboard("a8 b6 c7")  # what may be left out may be left out
    assert bits.twice.for_black(7, 2) == 2


def test_black_castles_on_the_eighth_rank() -> None:
    assert moves.castling_rooks.for_black(Bitboard("e8"), Bitboard("a8 h8"), 0, Bitboard("d8")) == Bitboard("h8")


def test_the_door_for_black_is_as_narrow() -> None:
    for call, error, told in (
        (lambda: pawns.passed.for_black(1), TypeError, "takes 2 arguments"),
        (lambda: pawns.passed.for_black(1, 2, 3), TypeError, "takes 2 arguments"),
        (lambda: pawns.attacks.for_black("e5"), TypeError, "pawns of pawns.attacks is a set of squares"),
        (lambda: pawns.attacks.for_black(-1), ValueError, "out of range"),
        (lambda: lines.between.for_black(0, 64), ValueError, "b of lines.between is a square"),
    ):
        with pytest.raises(error, match=told):
            call()
    given = np.array([2**63], np.uint64)
    given.flags.writeable = False
    assert pawns.attacks.for_black(given.view(np.int64)).tolist() == [Bitboard("g7")]
    assert given.tolist() == [2**63]
