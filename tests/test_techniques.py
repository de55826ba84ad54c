"""Techniques that nothing else calls: arrays counted by additions, keys by moves, de Bruijn words, times of ways."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from helpers.data import FAMOUS_GAMES
from helpers.depth import NIGHT
from setwise import Bitboard, bit_tricks, bits, keys, read_pgn, slider_ways, sliders
from setwise.catalogue import benches
from setwise.cli.app import app
from setwise.game.games import Games

# -------------------------------------------------------------------------------------------------------- bits of words


@given(st.lists(st.integers(0, 2**64 - 1), max_size=70))
def test_many_sets_are_counted_by_adding_them(sets: list[int]) -> None:
    assert bit_tricks.total(np.array(sets, np.uint64)) == sum(word.bit_count() for word in sets)


def test_a_de_bruijn_word_has_every_window_once() -> None:
    digits = f"{int(bit_tricks.DE_BRUIJN):064b}" + "0" * 5
    windows = {int(digits[at : at + 6], 2) for at in range(64)}
    assert windows == set(range(64))
    assert not digits.startswith("0000000")


def test_numbers_of_the_generator_are_the_published_ones() -> None:
    """The first outputs of Java's SplittableRandom with the seed 0, which is the same generator."""
    first = [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F, 0xF88BB8A8724C81EC]
    assert bit_tricks.splitmix64(range(4)).tolist() == first


def test_a_subset_after_another_is_the_order_of_all_subsets() -> None:
    squares, subset = Bitboard("a1 c3 d4 h8"), 0
    order = [subset := int(bit_tricks.next_subset(subset, squares)) for _ in range(16)]
    assert [0, *order[:-1]] == bits.subsets(squares).tolist()
    assert order[-1] == 0


# ------------------------------------------------------------------------------------------------ keys changed by moves

#: The kind of a castling move, in its upper four bits.
_CASTLING = 5
_LETTERS = np.zeros(128, np.uint8)
_LETTERS[[ord(letter) for letter in "pnbrqkPNBRQK"]] = [1, 2, 3, 4, 5, 6, 9, 10, 11, 12, 13, 14]


def keys_from_scratch(pieces: np.ndarray, white_to_move: np.ndarray) -> np.ndarray:
    """The keys of boards, each a row of pieces, without rights to castle or to capture en passant."""
    whole = np.bitwise_xor.reduce(keys.NUMBERS[pieces, np.arange(64)], axis=1)
    return whole ^ np.where(white_to_move, keys.NUMBERS[8, 0], np.uint64(0))


def keys_by_moves(games: Games) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """For every move of games that start with the usual position: the key by the move, and the key from scratch."""
    positions = games.positions()
    pieces = _LETTERS[np.frombuffer("".join(positions.piece_strings()).encode(), np.uint8)].reshape(-1, 64)
    whole = keys_from_scratch(pieces, positions.white_to_move)
    at = np.flatnonzero(positions.game[1:] == positions.game[:-1])
    rows = np.arange(at.size)
    moves = np.asarray(games.moves)
    assert moves.size == at.size
    before, after = pieces[at], pieces[at + 1]
    start, target = (moves & 63).astype(np.uint8), (moves >> 6 & 63).astype(np.uint8)
    piece, castles = before[rows, start], moves >> 12 == _CASTLING
    passing = (piece & 7 == 1) & (start % 8 != target % 8) & (before[rows, target] == 0)
    taken_on = np.where(passing, start & 56 | target & 7, target).astype(np.uint8)
    simple = np.flatnonzero(~castles)
    arguments = (piece, start, after[rows, target], target, before[rows, taken_on], taken_on)
    yield keys.after_move(whole[at][simple], *(it[simple] for it in arguments)), whole[at + 1][simple]
    king, rook = start[castles], target[castles]  # a castling move names the rook's square
    back = king & 56
    king_to, rook_to = (back | np.where(rook > king, place, 2 + (place == 5)) for place in (6, 5))
    pieces = piece[castles]
    none = np.zeros(king.size, np.uint8)
    key = keys.after_move(whole[at][castles], pieces, king, pieces, king_to.astype(np.uint8), none, none)
    rooks = (pieces & 8 | 4).astype(np.uint8)
    key = keys.after_move(key, rooks, rook, rooks, rook_to.astype(np.uint8), none, none)
    yield keys.toggled(key, np.full(king.size, 8, np.uint8), none), whole[at + 1][castles]


def test_a_key_by_a_move_is_the_key_from_scratch(request: pytest.FixtureRequest) -> None:
    """In all games of a source; by night in 100,000."""
    source: Path = FAMOUS_GAMES
    wanted = 25
    if NIGHT:
        folder: Path = request.getfixturevalue("shared_data") / "pgn"
        source, wanted = max(folder.glob("*.pgn*"), key=lambda path: path.stat().st_size), 100_000
    games = moves = castlings = 0
    for batch in read_pgn(source):
        (simple, expected), (castled, after) = keys_by_moves(batch)
        assert np.array_equal(simple, expected)
        assert np.array_equal(castled, after)
        games, moves, castlings = games + len(batch), moves + simple.size, castlings + castled.size
        if games >= wanted:
            break
    assert games >= wanted
    assert moves > 50 * games
    assert castlings > games / 2


def test_seeds_have_numbers_of_their_own() -> None:
    tables = [keys.numbers(seed) for seed in range(20)]
    assert np.unique(np.stack(tables)[:, 1:]).size == 20 * 15 * 64
    assert np.array_equal(tables[0], keys.NUMBERS)
    assert abs(np.bitwise_count(keys.NUMBERS[1:]).mean() - 32) < 1


# -------------------------------------------------------------------------------------------------------- side by side


def test_ways_are_timed() -> None:
    """One of them by day, since each compiles two loops."""
    rows = {it.way: it for it in itertools.islice(benches.slider_ways(), None if NIGHT else 1)}
    assert len(rows) == (11 if NIGHT else 1)
    assert all(min(it.rook, it.bishop, it.array) > 0 for it in rows.values())


def test_lines_and_tables_are_those_that_a_definition_reaches() -> None:
    calculated = [sliders.rook_attacks_by_calculation, sliders.bishop_attacks_by_calculation]
    assert benches._written(calculated) == (1 + 1 + 5 + 1, 4 * 64 * 8)
    black = [slider_ways.rook_by_black_magic, slider_ways.bishop_by_black_magic]
    assert benches._written(black)[1] == (102_400 + 5_248) * 8 + 2 * 64 * 8 * 4


@pytest.mark.slow
def test_the_command_prints_a_line_for_each_way() -> None:
    done = CliRunner().invoke(app, ["bench", "sliders"])
    assert done.exit_code == 0
    assert done.stdout.splitlines()[0] == benches.processor()
    assert len(done.stdout.splitlines()) == 4 + 11
