"""Position keys: python-chess's Zobrist hash of the Polyglot book format is the oracle."""

from __future__ import annotations

import chess
import chess.polyglot
import numpy as np
import pytest

import setwise
from helpers.boards import random_play
from helpers.data import FAMOUS_GAMES
from setwise import Position, Positions, read_pgn
from setwise.rules.polyglot import NUMBERS


def test_the_numbers_are_those_of_the_book_format() -> None:
    assert NUMBERS.tolist() == list(chess.polyglot.POLYGLOT_RANDOM_ARRAY)


# The positions with which the format's description lets a program test its keys.
@pytest.mark.parametrize(
    ("fen", "key"),
    [
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 0x463B_9618_1691_FC9C),
        ("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1", 0x823C_9B50_FD11_4196),
        ("rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 2", 0x0756_B944_61C5_0FB0),
        ("rnbqkbnr/ppp1pppp/8/3pP3/8/8/PPPP1PPP/RNBQKBNR b KQkq - 0 2", 0x662F_AFB9_65DB_29D4),
        ("rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3", 0x22A4_8B5A_8E47_FF78),
        ("rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPPKPPP/RNBQ1BNR b kq - 0 3", 0x652A_607C_A3F2_42C1),
        ("rnbq1bnr/ppp1pkpp/8/3pPp2/8/8/PPPPKPPP/RNBQ1BNR w - - 0 4", 0x00FD_D303_C946_BDD9),
        ("rnbqkbnr/p1pppppp/8/8/PpP4P/8/1P1PPPP1/RNBQKBNR b KQkq c3 0 3", 0x3C81_23EA_7B06_7637),
        ("rnbqkbnr/p1pppppp/8/8/P6P/R1p5/1P1PPPP1/1NBQKBNR b Kkq - 0 4", 0x5C3F_9B82_9B27_9560),
    ],
)
def test_the_key_is_the_published_one(fen: str, key: int) -> None:
    assert Position(fen).key == key
    assert Positions.from_fens([fen]).keys().tolist() == [key]


@pytest.mark.parametrize("chess960", [False, True])
def test_keys_of_random_games_are_those_of_python_chess(chess960: bool) -> None:
    boards = list(random_play(40, seed=960, chess960=chess960))
    expected = [chess.polyglot.zobrist_hash(board) for board in boards]
    assert [Position.from_board(board).key for board in boards] == expected
    positions = Positions.from_boards(boards)
    assert positions.keys().tolist() == expected


def test_a_key_is_independent_of_the_position_before() -> None:
    positions = Positions.from_boards(random_play(10, seed=1))
    order = np.random.default_rng(1).permutation(len(positions))
    assert np.array_equal(positions[order].keys(), positions.keys()[order])
    assert np.array_equal(positions[::-3].keys(), positions.keys()[::-3])
    assert len(positions[:0].keys()) == 0


@pytest.mark.parametrize(
    "fen",
    [
        "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1",  # a pawn stands beside, and may capture
        "4k3/8/8/K2pP2r/8/8/8/8 w - d6 0 1",  # beside, but pinned along the rank: it counts all the same
        "4k3/8/8/3p4/8/8/8/4K3 w - d6 0 1",  # nobody beside
        "4k3/8/8/p6P/8/8/8/4K3 w - a6 0 1",  # the board has edges
        "4k3/8/8/8/p6P/8/8/4K3 b - h3 0 1",
        "4k3/8/8/8/6pP/8/8/4K3 b - h3 0 1",
    ],
)
def test_en_passant_counts_beside_an_enemy_pawn(fen: str) -> None:
    assert Position(fen).key == chess.polyglot.zobrist_hash(chess.Board(fen))


@pytest.mark.parametrize("rights", ["HDhd", "Hh", "Dd", "Hd", "HD", "h", "-", "F"])
def test_rights_are_short_or_long_by_the_kings_side(rights: str) -> None:
    fen = f"3rk2r/8/8/8/8/8/8/3RKR1R w {rights} - 0 1"
    if rights == "F":
        fen = "4k3/8/8/8/8/8/8/3RKR1R w F - 0 1"
    assert Position(fen, chess960=True).key == chess.polyglot.zobrist_hash(chess.Board(fen, chess960=True))


def test_impossible_positions_have_keys_too() -> None:
    for fen in ("8/8/8/8/8/8/8/8 w - - 0 1", "8/8/8/8/8/8/8/R6R w KQ - 0 1", "R3K2R/8/8/8/8/8/8/8 w KQkq - 0 1"):
        assert Position(fen, strict=False).key == chess.polyglot.zobrist_hash(chess.Board(fen))


def test_the_column_of_keys_holds_the_bits_signed() -> None:
    found = setwise.find("ply >= 0", FAMOUS_GAMES, columns=["key", "fen"])
    expected = [Position(fen).key for fen in found["fen"].to_pylist()]
    assert [key % 2**64 for key in found["key"].to_pylist()] == expected
    shuffling = b"1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 *"
    keys = setwise.find("ply >= 0", shuffling, columns=["key"])["key"].to_pylist()
    assert keys[0] == keys[4] == keys[8]
    assert len(set(keys)) == 4
    start = Position().key - 2**64 if Position().key >= 2**63 else Position().key
    assert setwise.find(f"key = {start}", shuffling, columns=["ply"])["ply"].to_pylist() == [0, 4, 8]


def test_keys_find_the_positions_that_two_games_share() -> None:
    (games,) = read_pgn(b"1. d4 Nf6 2. c4 e6 *\n\n1. c4 e6 2. d4 Nf6 *\n\n", batch_bytes=10_000)
    positions = games.positions()
    first, second = (positions.keys()[positions.game == game] for game in (0, 1))
    assert first[-1] == second[-1]
    assert len(np.intersect1d(first, second)) == 2
