"""The loop over arrays: wherever columns lie and however long they are, each item gets what it gets alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from helpers.depth import depth
from helpers.drawing import difference
from naive import random_sets
from setwise.compiler import Count, Fileset, Flag, Pattern, Set, Square, Steps, pattern, popcount
from setwise.compiler.llvm.loops import _BLOCK, _STREAM_FROM, _TILE

K, BYTE = np.uint64(0x9E37_79B9_7F4A_7C15), np.uint64(0xFF)
LOW, ONES, HUNDRED = np.uint64(0x7FFF), np.uint64(2**64 - 1), np.uint64(100)


@pattern
def one(a: Set) -> Set:
    return a * K


@pattern
def two(a: Set, b: Set) -> Set:
    return a * K ^ ~b


@pattern
def eight(a: Set, b: Set, c: Set, d: Set, e: Set, f: Set, g: Set, h: Set) -> Set:
    return (a ^ b) * K + (c ^ d) * (e | K) + (f ^ g ^ h)


@pattern
def nine(a: Set, b: Set, c: Set, d: Set, e: Set, f: Set, g: Set, h: Set, i: Set) -> Set:
    return (a ^ b) * K + (c ^ d) * (e | K) + (f ^ g ^ h) - i


@pattern
def squares(a: Set, square: Square, files: Fileset, flag: Flag) -> Set:
    return (a ^ files) * K + (square << files % K) + flag


@pattern
def count(a: Set) -> Count:
    return popcount(a)


@pattern
def files(a: Fileset, b: Square) -> Fileset:
    return (a ^ b) & BYTE


@pattern
def flag(a: Set, b: Set) -> Flag:
    return np.uint64(a > b)


@pattern
def steps(a: Set, b: Set) -> Steps:
    return a % HUNDRED if a > b else ONES


@pattern
def moves(a: Set) -> Count:
    return (a * K) & LOW


#: What each pattern is on whole arrays, in NumPy's words.
NUMPY: dict[Pattern, Callable[..., np.ndarray]] = {
    one: lambda a: a * K,
    two: lambda a, b: a * K ^ ~b,
    eight: lambda a, b, c, d, e, f, g, h: (a ^ b) * K + (c ^ d) * (e | K) + (f ^ g ^ h),
    nine: lambda a, b, c, d, e, f, g, h, i: (a ^ b) * K + (c ^ d) * (e | K) + (f ^ g ^ h) - i,
    squares: lambda a, square, files, flag: (
        (a ^ files) * K + (square.astype(np.uint64) << files.astype(np.uint64)) + flag
    ),
    count: lambda a: np.bitwise_count(a).astype(np.int16),
    files: lambda a, b: a ^ b,
    flag: lambda a, b: a > b,
    steps: lambda a, b: np.where(a > b, (a % HUNDRED).astype(np.int8), np.int8(-1)),
    moves: lambda a: ((a * K) & LOW).astype(np.int16),
}
patterns = pytest.mark.parametrize("p", NUMPY, ids=lambda p: p.name.rpartition(".")[2])

LENGTHS = (0, 1, 7, 8, 9, _BLOCK - 1, _BLOCK, _TILE - 1, _TILE, _TILE + 1, 3 * _TILE + 5)
#: How many words of results are written past the cache.
STREAMED = _STREAM_FROM // 8
GUARD = 16


def values(p: Pattern, length: int) -> list[np.ndarray]:
    """Random arguments; the shift of ``squares`` stays below the width of a word."""
    found = []
    for seed, kind in enumerate(p.kinds.values()):
        numbers = random_sets(max(length, 1), seed)[:length]
        found.append(numbers if kind.is_set else (numbers % np.uint64(min(kind.largest, 59) + 1)).astype(kind.dtype))
    return found


# ------------------------------------------------------------------------------------------------------------- layouts


def field(items: np.ndarray) -> np.ndarray:
    """A column of a table of records whose items lie nowhere near their own size apart."""
    table = np.zeros(items.shape, np.dtype([("before", np.uint8), ("item", items.dtype), ("after", np.uint16)]))
    table["item"] = items
    return table["item"]


def unaligned(items: np.ndarray) -> np.ndarray:
    room = np.frombuffer(bytearray(items.nbytes + 3), items.dtype, items.size, offset=3) if items.size else items.copy()
    room[...] = items
    return room


LAYOUTS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "in a row": np.copy,
    "every second": lambda items: np.repeat(items, 2)[::2],
    "every fifth": lambda items: np.repeat(items, 5)[2::5],
    "backwards": lambda items: items[::-1].copy()[::-1],
    "backwards by threes": lambda items: np.repeat(items[::-1], 3)[::-3],
    "a column of a table": lambda items: np.stack([items, items + items], axis=1)[:, 0],
    "a field of records": field,
    "unaligned": unaligned,
    "begins later": lambda items: np.concatenate([items[:1], items])[min(1, items.size) :],
}


@patterns
@pytest.mark.parametrize("length", LENGTHS)
def test_every_length_is_computed_to_its_end(p: Pattern, length: int) -> None:
    arguments = values(p, length)
    ours = p(*arguments)
    assert ours.dtype == p.returns.dtype
    assert not difference(ours, NUMPY[p](*arguments), *arguments)


@patterns
@pytest.mark.parametrize("layout", LAYOUTS)
def test_arguments_may_lie_anyhow(p: Pattern, layout: str) -> None:
    for length in (1, _TILE - 1, _TILE + 9):
        arguments = values(p, length)
        expected = NUMPY[p](*arguments)
        assert not difference(p(*map(LAYOUTS[layout], arguments)), expected, *arguments)
        for place in range(len(arguments)):  # one of them, the others in a row
            mixed = [LAYOUTS[layout](a) if k == place else a for k, a in enumerate(arguments)]
            assert not difference(p(*mixed), expected, *arguments)


@patterns
@pytest.mark.parametrize("layout", LAYOUTS)
def test_results_may_lie_anyhow(p: Pattern, layout: str) -> None:
    for length in (0, 1, _TILE - 1, _TILE + 9):
        arguments = values(p, length)
        out = LAYOUTS[layout](np.zeros(length, p.returns.dtype))
        assert p(*arguments, out=out) is out
        assert not difference(out, NUMPY[p](*arguments), *arguments)


@patterns
def test_one_value_serves_for_all(p: Pattern) -> None:
    arguments = values(p, _TILE + 9)
    for place, argument in enumerate(arguments):
        single = np.broadcast_to(argument[:1], argument.shape)
        spread = [single if k == place else a for k, a in enumerate(arguments)]
        expected = NUMPY[p](*spread)
        assert not difference(p(*spread), expected, *spread)
        assert not difference(p(*[int(argument[0]) if k == place else a for k, a in enumerate(arguments)]), expected)


@patterns
def test_tables_are_computed_item_by_item(p: Pattern) -> None:
    arguments = [argument.reshape(9, 7, 10) for argument in values(p, 630)]
    expected = NUMPY[p](*arguments)
    assert not difference(p(*arguments), expected)
    turned = [np.asfortranarray(argument) for argument in arguments]
    assert not difference(p(*turned), expected)
    assert not difference(p(*[argument.T for argument in arguments]), expected.T)
    assert not difference(p(*[argument[::-2, :, 1::3] for argument in arguments]), expected[::-2, :, 1::3])


@patterns
def test_nothing_is_written_around_the_results(p: Pattern) -> None:
    for length in LENGTHS:
        for step in (1, 2, -1):
            room = np.full(2 * length + 2 * GUARD, 1, p.returns.dtype)
            inner = room[GUARD : GUARD + length * abs(step) : abs(step)][:: 1 if step > 0 else -1]
            around = np.ones(room.size, bool)
            around[GUARD : GUARD + length * abs(step) : abs(step)] = False
            p(*values(p, length), out=inner)
            assert room[around].astype(int).tolist() == [1] * int(around.sum())


# ------------------------------------------------------------------------------------------------------------- overlap


@pytest.mark.parametrize("length", [_TILE + 9, STREAMED + 77])
def test_results_may_take_an_arguments_place(length: int) -> None:
    for place in (0, 1):
        arguments = values(two, length)
        expected = NUMPY[two](*arguments)
        out = arguments[place]
        assert two(*arguments, out=out) is out
        assert not difference(out, expected)


@pytest.mark.parametrize("length", [40, _TILE + 9, STREAMED + 77])
@pytest.mark.parametrize("shift", [-513, -33, -8, -1, 1, 7, 32, 512])
def test_results_may_overlap_arguments_in_part(length: int, shift: int) -> None:
    room = random_sets(length + 1100, 7)
    argument, out = room[550 : 550 + length], room[550 + shift : 550 + shift + length]
    other = random_sets(length, 8)
    expected = NUMPY[two](argument.copy(), other)
    two(argument, other, out=out)
    assert not difference(out, expected)


def test_results_may_overlap_arguments_of_another_step() -> None:
    for length in (_TILE + 9, 5 * _TILE):
        for ours, theirs in ((slice(None, None, 2), slice(None, length)), (slice(None, length), slice(None, None, 2))):
            room = random_sets(2 * length, 9)
            expected = NUMPY[one](room[ours][:length].copy())
            one(room[ours][:length], out=room[theirs][:length])
            assert not difference(room[theirs][:length], expected)
        room = random_sets(length, 10)
        expected = NUMPY[one](room.copy())[::-1]
        one(room[::-1], out=room)
        assert not difference(room, expected)


# ---------------------------------------------------------------------------------------------- past the cache


BOUNDS = [STREAMED - 1, STREAMED, STREAMED + 1, STREAMED + _BLOCK - 1, STREAMED + 77]


@pytest.mark.parametrize("p", [one, two, eight, nine, squares, flag], ids=lambda p: p.name.rpartition(".")[2])
def test_around_the_streaming_bound_the_results_are_the_same(p: Pattern) -> None:
    """By day every bound for the simplest pattern, and one for those of more arguments or other results."""
    for length in BOUNDS if p is one else depth(BOUNDS[-1:], BOUNDS):
        arguments = values(p, length)
        assert not difference(p(*arguments), NUMPY[p](*arguments)), length


@pytest.mark.parametrize("first", depth([0, 3], range(8)))
def test_streams_may_begin_anywhere_in_a_line(first: int) -> None:
    arguments = values(two, STREAMED + 5)
    room = np.full(STREAMED + 5 + 2 * GUARD, 7, np.uint64)
    out = room[GUARD + first : GUARD + first + STREAMED + 5]
    two(*arguments, out=out)
    assert not difference(out, NUMPY[two](*arguments))
    assert set(room[: GUARD + first].tolist() + room[GUARD + first + STREAMED + 5 :].tolist()) == {7}


@pytest.mark.parametrize("layout", ["every second", "backwards", "unaligned", "begins later"])
def test_long_columns_may_lie_anyhow(layout: str) -> None:
    arguments = values(two, STREAMED + 77)
    expected = NUMPY[two](*arguments)
    moved: list[Any] = [LAYOUTS[layout](argument) for argument in arguments]
    assert not difference(two(*moved), expected)
    assert not difference(two(arguments[0], moved[1]), expected)
    out = LAYOUTS[layout](np.zeros(STREAMED + 77, np.uint64))
    assert not difference(two(*arguments, out=out), expected)
    assert not difference(two(*moved, out=out), expected)
    single = np.broadcast_to(arguments[0][:1], arguments[0].shape)
    assert not difference(two(single, arguments[1]), NUMPY[two](single, arguments[1]))
