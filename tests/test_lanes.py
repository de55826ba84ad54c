"""Eight words at once: every operation beside a twin on lists of Python ints, and rays beside the slow walker."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from helpers.drawing import difference
from naive import ALL, SETS, SQUARES, random_sets
from setwise.compiler import entry, routine
from setwise.compiler.kinds import reads, uint64, void, writes
from setwise.compiler.words import (  # fmt: skip
    broadcast,
    intersect,
    lane,
    lanes_hit,
    masked,
    mirrored_lanes,
    mixed,
    outermost,
    packed,
    permuted,
    rotated,
    row_of,
    total,
    union,
    unpacked,
)
from setwise.patterns import compass
from setwise.patterns.geometry import walk
from setwise.rules import board

LANES = range(8)
EDGES = [0, 1, 2**63, ALL, 2**63 - 1, 0x8000_0000_0000_0001, 0x0123_4567_89AB_CDEF]


def octets(cases: int, seed: int) -> np.ndarray:
    """Rows of eight words: random ones, many of them with empty lanes and words at the edges."""
    random = np.random.default_rng(seed)
    rows = random_sets(8 * cases, seed).reshape(cases, 8)
    rows = np.where(random.random((cases, 8)) < 0.2, random.choice(np.array(EDGES, np.uint64), (cases, 8)), rows)
    rows[: len(EDGES)] = np.array(EDGES, np.uint64)[:, None]
    return np.where(random.random((cases, 1)) < 0.1, np.uint64(0), rows)


A, B = octets(4000, 1), octets(4000, 2)
B[1000:1100] = ~A[1000:1100]  # they meet nowhere
NUMBERS = np.random.default_rng(3).integers(0, 8, 4000).astype(np.uint64)

ORDER, DISTANCES, UPWARDS = (3, 0, 7, 7, 1, 6, 2, 5), (0, 1, -1, 8, -8, 63, -63, 9), (1, 0, 0, 1, 1, 0, 1, 0)
MASKS = tuple(random_sets(8, 4).tolist())
_permuted, _rotated, _masked, _outermost = (
    permuted(*ORDER), rotated(*DISTANCES), masked(*MASKS), outermost(*map(bool, UPWARDS)),
)  # fmt: skip


def bytes_reversed(word: int) -> int:
    return int.from_bytes(word.to_bytes(8, "little"), "big")


def rotated_word(word: int, distance: int) -> int:
    return (word << distance % 64 | word >> -distance % 64) & ALL


def outer_bit(word: int, upwards: int) -> int:
    """The lowest bit or the highest; of nothing, nothing."""
    return (word & -word if upwards else 1 << word.bit_length() - 1) if word else 0


#: What an operation makes of two octets, lane by lane, in the order in which the kernel below writes them.
OCTETS: dict[str, Callable[[list[int], list[int]], list[int]]] = {
    "and": lambda a, b: [x & y for x, y in zip(a, b, strict=True)],
    "or": lambda a, b: [x | y for x, y in zip(a, b, strict=True)],
    "xor": lambda a, b: [x ^ y for x, y in zip(a, b, strict=True)],
    "lanes_hit": lambda a, b: [x if y else 0 for x, y in zip(a, b, strict=True)],
    "mirrored_lanes": lambda a, b: [bytes_reversed(x) for x in a],
    "broadcast": lambda a, b: [a[0]] * 8,
    "mixed": lambda a, b: [a[0], b[0]] * 4,
    "packed": lambda a, b: [*a[:4], *b[4:]],
    "permuted": lambda a, b: [a[k] for k in ORDER],
    "rotated": lambda a, b: [rotated_word(x, distance) for x, distance in zip(a, DISTANCES, strict=True)],
    "masked": lambda a, b: [x & mask for x, mask in zip(a, MASKS, strict=True)],
    "outermost": lambda a, b: [outer_bit(x, up) for x, up in zip(a, UPWARDS, strict=True)],
}
#: And operations that make one number of two octets and the number of a lane.
WORDS: dict[str, Callable[[list[int], list[int], int], int]] = {
    "union": lambda a, b, k: int(np.bitwise_or.reduce(np.array(a, np.uint64))),
    "total": lambda a, b, k: sum(x.bit_count() for x in a),
    "intersect": lambda a, b, k: any(x & y for x, y in zip(a, b, strict=True)),
    "lane": lambda a, b, k: a[k],
}


@routine
def _put(rows, row, sets):
    lanes = unpacked(sets)
    for k in range(8):
        rows[row, k] = lanes[k]


@entry(void, reads(uint64, 2), reads(uint64, 2), reads(uint64), writes(uint64, 3), writes(uint64, 2))
def compute(first, second, numbers, octets, words):
    for row in range(len(first)):
        a, b = row_of(first, row), row_of(second, row)
        x, y = unpacked(a), unpacked(b)
        _put(octets[0], row, a & b)
        _put(octets[1], row, a | b)
        _put(octets[2], row, a ^ b)
        _put(octets[3], row, lanes_hit(a, b))
        _put(octets[4], row, mirrored_lanes(a))
        _put(octets[5], row, broadcast(x[0]))
        _put(octets[6], row, mixed(x[0], y[0]))
        _put(octets[7], row, packed(x[0], x[1], x[2], x[3], y[4], y[5], y[6], y[7]))
        _put(octets[8], row, _permuted(a))
        _put(octets[9], row, _rotated(a))
        _put(octets[10], row, _masked(a))
        _put(octets[11], row, _outermost(a))
        words[0, row] = union(a)
        words[1, row] = total(a)
        words[2, row] = np.uint64(intersect(a, b))
        words[3, row] = lane(a, numbers[row])


@pytest.fixture(scope="module")
def computed() -> dict[str, np.ndarray]:
    octets, words = np.zeros((len(OCTETS), *A.shape), np.uint64), np.zeros((len(WORDS), len(A)), np.uint64)
    compute(A, B, NUMBERS, octets, words)
    return dict(zip(OCTETS, octets, strict=True)) | dict(zip(WORDS, words, strict=True))


@pytest.mark.parametrize("name", OCTETS)
def test_an_operation_does_the_same_in_every_lane(name: str, computed: dict[str, np.ndarray]) -> None:
    expected = [OCTETS[name](a, b) for a, b in zip(A.tolist(), B.tolist(), strict=True)]
    assert not difference(computed[name], np.array(expected, np.uint64), A, B)


@pytest.mark.parametrize("name", WORDS)
def test_eight_lanes_are_summed_up_in_one_number(name: str, computed: dict[str, np.ndarray]) -> None:
    rows = zip(A.tolist(), B.tolist(), NUMBERS.tolist(), strict=True)
    expected = [int(WORDS[name](*row)) for row in rows]
    assert len(set(expected)) > 1
    assert computed[name].tolist() == expected


# ---------------------------------------------------------------------------------------------------------------- rays

DIRECTIONS = ("north", "north_east", "east", "south_east", "south", "south_west", "west", "north_west")
KNIGHT_STEPS = ("no_no_ea", "no_ea_ea", "so_ea_ea", "so_so_ea", "so_so_we", "so_we_we", "no_we_we", "no_no_we")
WAYS = ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1))


@entry(void, reads(uint64), reads(uint64), writes(uint64, 3))
def along_rays(sets, others, octets):
    for row in range(len(sets)):
        word = broadcast(sets[row])
        _put(octets[0], row, board.rays(word, others[row]))
        _put(octets[1], row, board._steps(word))
        _put(octets[2], row, board.knight_attacks(word))
        _put(octets[3], row, board._downwards_only(sets[row]))


@entry(void, reads(uint64), reads(uint64), writes(uint64, 2))
def nearest_from(squares, men, octets):
    table = board.RAYS
    for row in range(len(squares)):
        _put(octets, row, board.nearest(row_of(table, squares[row]) & broadcast(men[row])))


def reached(sets: np.ndarray, others: np.ndarray) -> np.ndarray:
    octets = np.zeros((4, len(sets), 8), np.uint64)
    along_rays(sets, others, octets)
    return octets


def by_walking(sliders: np.ndarray, occupied: np.ndarray) -> np.ndarray:
    """What the sliders of each case attack in each direction, each of them walking for itself."""
    squares = np.arange(64)[:, None]
    there = (sliders & SQUARES[:, None]) != 0
    walked = [np.where(there, walk(squares, occupied, way), np.uint64(0)) for way in WAYS]
    return np.stack([np.bitwise_or.reduce(ways, axis=0) for ways in walked], axis=1)


def test_the_rays_of_every_square_are_walked() -> None:
    for number in LANES:
        assert not difference(board.RAYS[:, number], walk(np.arange(64), 0, WAYS[number]), SQUARES)
    assert not difference(board.RAYS, by_walking(SQUARES, np.zeros(64, np.uint64)))


def test_sliders_attack_in_each_direction_what_walking_finds() -> None:
    sliders, occupied = SETS[:3000], random_sets(3000, 5)
    # Sets of sliders; and on every square one slider, among few and many pieces.
    alone, men = np.repeat(SQUARES, 60), random_sets(64 * 60, 6)
    for movers, others in ((sliders, occupied), (alone, men), (SQUARES, np.full(64, ALL, np.uint64))):
        blockers = movers | others
        assert not difference(reached(movers, ~blockers)[0], by_walking(movers, blockers), movers[:, None])


def test_steps_and_knight_attacks_are_those_of_the_compass() -> None:
    _, steps, knights, downwards = reached(SETS, SETS)
    for number in LANES:
        assert not difference(steps[:, number], getattr(compass, DIRECTIONS[number])(SETS), SETS)
        assert not difference(knights[:, number], getattr(compass, KNIGHT_STEPS[number])(SETS), SETS)
        alone = SETS if DIRECTIONS[number] in {"south_east", "south_west"} else np.zeros_like(SETS)
        assert not difference(downwards[:, number], alone, SETS)


def test_the_nearest_man_is_where_walking_ends() -> None:
    squares, men = np.tile(np.arange(64, dtype=np.uint64), 60), random_sets(64 * 60, 7)
    found = np.zeros((len(squares), 8), np.uint64)
    nearest_from(squares, men, found)
    expected = np.stack([walk(squares.astype(np.int64), men, way) & men for way in WAYS], axis=1)
    assert not difference(found, expected, SQUARES[squares][:, None], men[:, None])
    assert np.count_nonzero(expected) > 1000


@pytest.mark.parametrize("operate", [operator.and_, operator.or_, operator.xor])
def test_an_octet_and_a_word_do_not_mix(operate: Any) -> None:
    import numba

    with pytest.raises(numba.TypingError):
        numba.njit(numba.uint64(numba.uint64))(lambda word: union(operate(broadcast(word), word)))
