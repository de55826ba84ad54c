"""Tactics against python-chess, which plays all moves, and the patterns of tactics square by square."""

from __future__ import annotations

import functools
import random

import chess
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.boards import random_play, scattered
from helpers.depth import depth
from helpers.features import COLOURS, boards, column, first_difference, made_up
from naive import word_of
from naive.features.tactics import TACTICS, see, taken
from setwise import Bitboard, Position, Positions
from setwise.features import FEATURES
from setwise.patterns import bits
from setwise.patterns.bits import EMPTY

#: Those whose twins play three moves deep, and get fewer boards.
DEEP = {
    "winning_captures", "trapped", "skewers", "discovered_attacks", "interferences", "underminings",
    *(name for name in TACTICS if "fork" in name),
}  # fmt: skip
#: Forks by pawns and interferences: rare in random positions.
RARE = [
    "4k3/8/2n1n3/8/3P4/8/8/3RK3 w - - 0 1",
    "4k3/8/8/3q1r2/8/4P3/8/4K3 w - - 0 1",
    "3rk3/8/8/3p4/8/2N1N3/8/4K3 b - - 0 1",
    "3r2k1/6pp/8/8/2Pn3R/5B2/5PP1/6K1 w - - 0 1",
    "6k1/5pp1/5b2/2pN3r/8/8/6PP/3R2K1 b - - 0 1",
]
PLAYED = [name for name in TACTICS if name not in {"attacked_twice", "pins"}]


@functools.cache
def mates() -> list[chess.Board]:
    """Positions before a mate: pieces anywhere, castling and pawns that may be captured en passant among them."""
    found, chance = [], random.Random(18)  # noqa: S311
    strewn = [*made_up(6000, "QqRrRBbNPp", most=9, seed=16), *(scattered(chance) for _ in range(400))]
    for board in [*strewn, *map(about_to_promote, strewn[:3000])]:
        moves = list(board.legal_moves)
        if any(mated(board, move) for move in moves):
            found.append(board)
    return found


def about_to_promote(board: chess.Board) -> chess.Board:
    """The board with the mover's pawns put on their last rank but one, where that is free, and the king is not shot."""
    changed = board.copy(stack=False)
    for square in board.pieces(chess.PAWN, board.turn):
        there = chess.square(chess.square_file(square), 6 if board.turn else 1)
        if changed.piece_at(there) is None:
            changed.set_piece_at(there, changed.remove_piece_at(square))
    return board if changed.was_into_check() else changed


def mated(board: chess.Board, move: chess.Move) -> bool:
    board.push(move)
    is_mate = board.is_checkmate()
    board.pop()
    return is_mate


# --------------------------------------------------------------------------------------------------------------- twins


@functools.cache
def strewn() -> tuple[list[chess.Board], Positions]:
    """Boards with few pieces, many of which something can be won on."""
    found = [*made_up(6000, "PpNnBbRrQq", most=10, seed=17), *map(chess.Board, RARE)]
    positions, rows, _ = Positions.sound_fens([board.fen() for board in found])
    return [found[row] for row in rows.tolist()], positions


@pytest.mark.parametrize("colour", COLOURS)
@pytest.mark.parametrize("name", TACTICS)
def test_tactics_are_their_twins(name: str, colour: str) -> None:
    some, positions = strewn()
    wins = positions.feature(f"{colour}_{name}")
    number, every = (4, depth(20, 11)) if name in DEEP else (12, depth(3, 1))
    looked_at = np.concatenate([np.flatnonzero(wins)[:number], np.flatnonzero(wins == 0)[: 5 * number]])
    examples = [*boards()[::every], *(some[k] for k in looked_at)]
    ours = np.concatenate([column(name, colour)[::every], wins[looked_at]])
    theirs = np.array([word_of(TACTICS[name](board, COLOURS[colour])) for board in examples], np.uint64)
    assert not first_difference(name, colour, ours, theirs, examples)
    assert theirs.any()


@pytest.mark.parametrize("name", ["mates_in_one", "distant_mates", "double_check_moves"])
def test_mates_and_double_checks_are_those_of_the_rules(name: str) -> None:
    assert len(mates()) > 100
    for board in mates():
        colour, position = "white" if board.turn else "black", Position(board.fen(), chess960=board.chess960)
        assert position.feature(f"own_{name}") == word_of(TACTICS[name](board, board.turn)), board.fen()
        assert position.feature(f"{colour}_{name}") == position.feature(f"own_{name}")


# ------------------------------------------------------------------------------------------------------------ exchanges


def test_an_exchange_wins_what_a_search_of_all_captures_finds() -> None:
    captures = 0
    for board in [*random_play(12, seed=31, every=9), *boards()[::3]]:
        if not board.is_valid():
            continue
        for move in list(board.legal_moves):
            if board.is_capture(move) or move.promotion:
                captures += 1
                assert Position(board.fen()).see(move.uci()) == see(board, move), (board.fen(), board.san(move))
    assert captures > 800


def test_a_quiet_move_wins_nothing_and_may_lose_its_man() -> None:
    quiet = losing = 0
    for board in random_play(3, seed=32, every=25):
        for move in list(board.legal_moves):
            if not board.is_capture(move) and not move.promotion:
                won = Position(board.fen()).see(move.uci())
                assert won == see(board, move) <= taken(board, move) == 0
                quiet, losing = quiet + 1, losing + (won < 0)
    assert quiet > 400
    assert losing > 40


@pytest.mark.parametrize(
    ("fen", "move", "won"),
    [
        # Rook takes pawn, and nobody takes back; with a knight that does, the rook is lost for it.
        ("1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1", "Rxe5", 1),
        ("1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1", "Nxe5", -2),
        # The queen behind the rook joins in, and the exchange pays.
        ("4k3/4p3/8/8/8/4R3/4Q3/4K3 w - - 0 1", "Rxe7", 1),
        # The rook that protects is pinned to its king, and takes no part.
        ("4k3/8/4r3/3p4/8/2N5/8/B3R1K1 w - - 0 1", "Nxd5", 1),
        ("6k1/8/3r4/3p4/8/2N5/8/B3R1K1 w - - 0 1", "Nxd5", -2),
        # A king takes nothing that is protected.
        ("8/8/3k4/3p4/8/2N2B2/8/6K1 w - - 0 1", "Nxd5", 1),
        # A pawn that captures on the last rank becomes a queen, and is lost as one.
        ("1r2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "axb8=Q", 13),
        ("1rr1k3/P7/8/8/8/8/8/4K3 w - - 0 1", "axb8=Q", 4),
        ("8/8/8/2k5/3Pp3/8/8/4K3 b - d3 0 1", "exd3", 1),
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "O-O", 0),
    ],
)
def test_an_exchange_to_look_at(fen: str, move: str, won: int) -> None:
    assert Position(fen).see(move) == won


def test_only_legal_moves_begin_an_exchange() -> None:
    with pytest.raises(ValueError, match="Ke3"):
        Position().see("Ke3")


# ------------------------------------------------------------------------------------------- positions out of the usual


@pytest.mark.parametrize("name", PLAYED)
@pytest.mark.parametrize(
    "kings",
    ["", "K", "k", "KKk", "Kkk"],
)
def test_where_not_each_side_has_one_king_nothing_is_played(name: str, kings: str) -> None:
    """Sets may come from anywhere; positions with other kings are refused at the door."""
    board = chess.Board("k7/8/5n2/8/4N1q1/8/PPP5/R6K w - - 0 1")
    board.remove_piece_at(chess.A8)
    board.remove_piece_at(chess.H1)
    for letter, square in zip(kings, (chess.H1, chess.H3, chess.A8) if kings[:2] == "KK" else (
        (chess.A8,) if kings == "k" else (chess.H1, chess.A8, chess.B6)), strict=False):  # fmt: skip
        board.set_piece_at(square, chess.Piece.from_symbol(letter))
    sets = [board.occupied_co[True], board.occupied_co[False], board.pawns, board.knights, board.bishops, board.rooks,
            board.queens, board.kings, 0, 0]  # fmt: skip
    assert FEATURES[name](*sets, True) == 0


@pytest.mark.parametrize("name", PLAYED)
def test_nothing_is_done_while_the_other_side_stands_in_check(name: str) -> None:
    position = Position("4k3/8/8/1b1N4/4R3/8/3q4/K7 b - - 0 1")
    assert position.feature(f"white_{name}") == 0 or name == "en_prise"
    assert position.feature("black_en_prise") == 0


def test_pawns_on_the_last_ranks_neither_fork_nor_stop_anything() -> None:
    board = chess.Board("P3k3/8/8/2q1r3/3P4/8/8/pK6 w - - 0 1")
    sets = [board.occupied_co[True], board.occupied_co[False], board.pawns, 0, 0, board.rooks, board.queens,
            board.kings, 0, 0]  # fmt: skip
    assert FEATURES["winning_captures"](*sets, True) == Bitboard("c5 e5")


# -------------------------------------------------------------------------------------------------------- ways together


def test_a_safe_royal_fork_is_a_safe_fork_and_a_distant_mate_a_mate() -> None:
    for colour in COLOURS:
        assert not (column("safe_royal_fork_squares", colour) & ~column("safe_fork_squares", colour)).any()
        assert not (column("distant_mates", colour) & ~column("mates_in_one", colour)).any()
        assert not (column("mate_at_a_glance", colour) & ~column("mates_in_one", colour)).any()


def test_men_that_are_trapped_are_en_prise() -> None:
    for colour in COLOURS:
        assert not (column("trapped", colour) & ~column("en_prise", colour)).any()


@pytest.mark.parametrize(
    ("name", "fen", "answer"),
    [
        # The knight that forks is taken by the rook; on c7 nobody takes it.
        ("white_safe_royal_fork_squares", "r3k3/8/8/3N4/q7/8/8/4K3 w - - 0 1", ""),
        ("white_safe_fork_squares", "r3k3/8/8/3N4/8/8/8/4K3 w - - 0 1", "c7"),
        ("white_safe_fork_squares", "r2bk3/8/8/3N4/8/8/8/4K3 w - - 0 1", ""),
        # The pawn forks two knights, and is protected.
        ("white_fork_squares_by_pawn", "4k3/8/2n1n3/8/3P4/8/8/3RK3 w - - 0 1", "d5"),
        # The rook mates on f1, and castling does: the king goes to g1.
        ("white_mates_in_one", "5k2/8/8/8/8/8/4R1R1/4K2R w K - 0 1", "f1 g1"),
        ("white_mates_in_one", "5k2/8/8/8/8/8/4R1R1/4K2R w - - 0 1", "f1"),
        # The rook mates along the rank; on the square next to the king it would be taken.
        ("white_distant_mates", "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", "a8"),
        ("white_distant_mates", "5rk1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", ""),
        # The bishop skewers king and queen.
        ("white_skewers", "8/1q6/8/3k4/8/8/8/3BK3 w - - 0 1", "f3"),
        ("white_trapped", "6k1/1p1p4/p1p5/Bp6/1p6/1P6/8/6K1 b - - 0 1", ""),
        # What the pawn becomes sees the king through the square that the pawn leaves.
        ("white_mates_in_one", "8/3P4/2R5/3k4/8/2R1R3/8/K7 w - - 0 1", "d8"),
        ("white_mates_in_one", "8/4P3/8/2K1k3/8/3R1R2/8/8 w - - 0 1", "e3 e8"),
        ("white_mates_in_one", "5bb1/2P3P1/7k/5Q2/8/1R6/4K3/8 w - - 0 1", "f8"),
        # The pawn that has just passed g3 checks; the one on h4 takes it en passant and mates::
        #
        #     5  . . . . P p p k
        #     4  . . . . . . P p
        #     3  . . . . . . * P
        #     2  . . . N . . . K
        ("own_mates_in_one", "8/1b6/p4Q2/1p2Pppk/1P4Pp/3B3P/P1PN3K/4q3 b - g3 0 36", "g3"),
        ("own_mates_in_one", "1N5R/2k1B3/8/2Pp4/4K2R/5R2/8/1Q6 w - d6 0 1", "d6"),
        # So it forks two knights::
        #
        #     7  . . n . n . . .
        #     6  . . . * . . . .
        #     5  . . P p . . . .
        #     4  . . . . K . . .
        ("own_fork_squares_by_pawn", "7k/2n1n3/8/2Pp4/4K3/8/8/8 w - d6 0 1", "d6"),
        ("enemy_en_prise", "7k/2n1n3/8/2Pp4/4K3/8/8/8 w - d6 0 1", "d5"),
        # The pawn on c5 checks; when that is answered, the one on g3 still shields the rook on h3.
        ("own_pins", "r1k5/8/1R4BQ/P1pP4/3K4/4R1pr/B5b1/8 w - - 0 1", "g3"),
        # The knight behind the king is protected.
        ("white_skewers", "2n5/4n3/7Q/4k3/8/n7/8/7K w - - 0 1", ""),
        # The knight takes the queen, and the pawn that takes back becomes one.
        ("white_fork_squares_by_queen", "3K2Qn/1b1n2P1/Q7/2k5/6QQ/8/8/8 w - - 0 1", "b4 d4 e7"),
    ],
)
def test_a_case_to_look_at(name: str, fen: str, answer: str) -> None:
    assert Position(fen).feature(name) == Bitboard(answer)


# ------------------------------------------------------------------------------------------------------------- patterns


@given(st.lists(st.integers(0, 2**64 - 1), max_size=8))
def test_twice_are_the_squares_in_two_sets_or_more(sets: list[int]) -> None:
    assert set(bits.twice(*sets)) == {s for s in range(64) if sum(one >> s & 1 for one in sets) >= 2}


def test_twice_takes_eight_sets_and_no_more() -> None:
    assert bits.twice(*[int(EMPTY)] * 6, 3, 6) == Bitboard(2)
    with pytest.raises(TypeError, match="takes 8 arguments"):
        bits.twice(*range(9))
