"""Positions written as their games are read: the same as those of a replay, whoever asks, and in whatever memory."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from helpers.data import DATA, FAMOUS_GAMES
from helpers.games import batch, written_on_the_way
from setwise import Games, Positions, read_pgn
from setwise.corpus.query.search import Query, planned, search
from setwise.features import FEATURES
from setwise.system.pool import _KEPT, _LARGE, _pool, pooled

FILES = [FAMOUS_GAMES, *sorted(DATA.glob("*.pgn"))]
TEXT = FAMOUS_GAMES.read_bytes()
SMALL = len(TEXT) // 20


# ----------------------------------------------------------------------------------------------------------- the boards


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_reader_writes_the_boards_that_a_replay_finds(path: Path) -> None:
    for notes in (False, True):
        assert written_on_the_way(path.read_bytes(), notes=notes) > 10


def test_it_does_in_the_games_of_others(shared_data: Path) -> None:
    files = sorted(shared_data.rglob("*.pgn"))
    assert sum(written_on_the_way(path.read_bytes(), notes=True) for path in files) > 100_000


def test_games_of_every_kind_have_their_boards() -> None:
    starts = {
        "Black to move": '[FEN "4k3/4p3/8/8/8/8/8/4K3 b - - 65534 65535"]\n\n1... e5 2. Kd2 Kd7 3. Kd3 Kd6',
        "promotions": '[FEN "1n5k/P1P5/8/8/8/8/p7/K7 w - - 7 40"]\n\n1. cxb8=N Kg7 2. a8=Q Kf7 3. Kxa2 Ke7',
        "en passant": "1. e4 a6 2. e5 d5 3. exd6 e.p. cxd6",
        "castling": "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. O-O d6 5. h3 Be6 6. d3 Qd7 7. Bd2 0-0-0",
        "Chess960": '[Variant "Chess960"]\n[FEN "bqnbrkrn/pppppppp/8/8/8/8/PPPPPPPP/BQNBRKRN w GEge - 0 1"]\n\n'
        "1. Ng3 Ng6 2. O-O O-O",
        "no moves": '[Event "a"]\n[FEN "4k3/4p3/8/8/8/8/8/4K3 b - - 0 9"]',
        "no tags": "1. d4 d5",
        "a move that is none": "1. e4 e5 2. Ke3 Ke7 3. d4",
        "a comment that ends nowhere": "1. e4 e5 { so",
    }
    games = list(starts.values())
    for text in (*games, *(f"{one} *\n\n{other}" for one in games[:-1] for other in games)):
        for cut in range(len(text) + 1):
            written_on_the_way(text[:cut].encode())
    assert written_on_the_way(" *\n\n".join(games).encode()) == 50


# ------------------------------------------------------------------------------------------------------------- who asks


def alike(ours: Positions, theirs: Positions) -> bool:
    return ours.equals(theirs) and len(ours) > 0


def test_who_asks_for_positions_gets_the_next_ones_as_they_are_read() -> None:
    kept = []
    for games, same in zip(read_pgn(TEXT, batch_bytes=SMALL), read_pgn(TEXT, batch_bytes=SMALL), strict=True):
        kept.append(games._sets is not None)
        assert same._sets is None  # nobody asks these
        positions, again = games.positions(), games.positions()
        assert alike(positions, batch(games.block.text).positions())
        positions.sets[:] = 0  # they belong to whoever asked
        assert alike(again, games.positions())
    assert not kept[0]
    assert sum(kept) > len(kept) // 2


def test_batches_without_their_own_are_replayed() -> None:
    reader = read_pgn(TEXT, batch_bytes=SMALL)
    next(reader).positions()
    asked, unasked = next(reader), next(reader)
    assert [games._sets is not None for games in (asked, unasked)] == [True, False]
    parts: list[Games] = [asked[:1], asked[1:]]
    assert alike(Positions.concat(part.positions() for part in parts), asked.positions())


@pytest.mark.parametrize("threads", [1, 2])
def test_searches_find_the_same(threads: int) -> None:
    whole = batch(TEXT).positions()
    expected = np.flatnonzero((whole.ply == 20) & (whole.feature("black_pawn_islands") == 2))
    questions = planned(TEXT, Query("ply = 20 and black_pawn_islands = 2"))
    small = ((source, question._replace(first=SMALL)) for source, question in questions)
    found = [found.matches() for found in search(small, threads=threads)]
    assert np.array_equal(np.hstack([positions.sets for positions in found]), whole.sets[:, expected])


def test_rows_that_are_longer_than_there_are_positions_answer_alike() -> None:
    reader = read_pgn(TEXT, batch_bytes=SMALL)
    next(reader).positions()
    long = next(reader).positions()
    assert long.sets.strides[0] > 8 * len(long)
    wide = np.full((10, 3 * len(long)), 7, np.uint64)
    wide[:, ::3] = long.sets
    apart = long[:]
    apart.sets = wide[:, ::3]
    for positions in (long, apart):
        for name in ("keys fens san uci legal_move_counts is_check is_checkmate is_stalemate moves_mask planes see "
                     "piece_strings mate_pattern mate_patterns to_arrow").split():  # fmt: skip
            ours, theirs = (getattr(which, name)() for which in (positions, long[:]))
            assert np.array_equal(ours, theirs) if isinstance(ours, np.ndarray) else ours == theirs, name
        for side in ("white", "black", "own", "enemy"):
            assert np.array_equal(positions.seen_by(side), long[:].seen_by(side))
        for name in list(FEATURES)[::9]:
            assert np.array_equal(positions.feature(f"own_{name}"), long[:].feature(f"own_{name}"))
        assert np.array_equal(positions.chess960, long[:].chess960)
        assert positions.children()[0].equals(long[:].children()[0])
        assert alike(Positions.concat([positions, positions]), Positions.concat([long[:], long[:]]))


# ----------------------------------------------------------------------------------------------------------- the memory


def test_memory_comes_back_when_the_last_array_is_gone() -> None:
    gc.collect()  # what other tests have borrowed
    _pool.memory = []
    first = pooled((10, _LARGE), np.uint64)
    first[:] = 1
    row, place = first[3], first.ctypes.data
    other = pooled((10, _LARGE), np.uint64)
    other[:] = 2
    assert (first == 1).all()
    del first
    assert not _pool.memory  # a row of it is left
    assert (row == 1).all()
    del row
    assert pooled((9, _LARGE), np.uint64).ctypes.data == place
    assert pooled((_LARGE,), np.uint8).ctypes.data != place  # too much of it would lie idle
    assert pooled((10, _LARGE), np.uint64).ctypes.data == place
    again, beside = (pooled((10, _LARGE), np.uint64) for _ in range(2))
    assert again.ctypes.data == place != beside.ctypes.data  # what is lent is lent once


def test_no_more_is_kept_than_there_may_be() -> None:
    gc.collect()
    _pool.memory = []
    arrays = [pooled((_KEPT // 16,), np.uint64) for _ in range(4)]  # nobody writes to them, so they take no room
    del arrays
    gc.collect()
    assert 0 < sum(memory.nbytes for memory in _pool.memory) <= _KEPT
    _pool.memory = []


def test_arrays_that_outlive_everything_else_die_in_peace() -> None:
    program = f"from setwise.system import pool; pool.last, pool.itself = pool.pooled(({_LARGE},), 'u1'), [pool]"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, check=True).stderr == b""


def test_small_arrays_are_numpys_own() -> None:
    assert pooled((3, 0), np.uint64).shape == (3, 0)
    assert pooled((10, 5), np.uint16).base is None


def test_threads_borrow_different_memory() -> None:
    wrong: list[int] = []

    def borrow(number: int) -> None:
        for _ in range(200):
            array = pooled((_LARGE // 8,), np.uint64)
            array[::4096] = number
            if (array[::4096] != number).any():
                wrong.append(number)

    threads = [threading.Thread(target=borrow, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
