"""Races of a king and a pawn: the published rule beside the solved game, the table, and walks to look at."""

from __future__ import annotations

import functools
import importlib
from itertools import combinations
from random import Random

import chess
import numpy as np
import pytest

from helpers.patterns import numba
from naive import ALL, SQUARES
from naive import race as naive
from naive.features import pushes
from setwise import Position
from setwise.bitboard import Bitboard
from setwise.features import FEATURES
from setwise.patterns import race

WHITE, BLACK = 0, 1
PAWN_MOVES, KING_MOVES = 0, 1


def published_fill(king: int) -> int:
    """The area as the wiki fills it, with the pawn to move, in this file's own words."""
    area, rank = {(king % 8, king // 8)}, king // 8
    for _ in range(7 - rank):
        area |= {(file + step, r) for file, r in area for step in (-1, 1)}
    for _ in range(rank - 2):
        area |= {(file + step, r - 1) for file, r in area for step in (-1, 0, 1)}
    area |= {(file, r - 1) for file, r in area} | {(file, 0) for file in range(8)}
    return sum(1 << 8 * r + file for file, r in area if 0 <= file < 8 and 0 <= r < 8)


@functools.cache
def pawn_is_caught(king: int, pawn: int, turn: chess.Color) -> bool:
    """Whether a black king catches a lone white pawn that must push, played out with python-chess's moves."""
    board = chess.Board.empty()
    board.turn = turn
    board.set_piece_at(king, chess.Piece(chess.KING, chess.BLACK))
    board.set_piece_at(pawn, chess.Piece(chess.PAWN if pawn < 56 else chess.QUEEN, chess.WHITE))
    if turn == chess.BLACK:
        moves = [move.to_square for move in board.legal_moves]
        return pawn in moves or (pawn < 56 and any(pawn_is_caught(to, pawn, chess.WHITE) for to in moves))
    pushes = {move.to_square for move in board.legal_moves if move.to_square % 8 == pawn % 8}
    return all(pawn_is_caught(king, to, chess.BLACK) for to in pushes or {pawn})


def test_the_published_fill_is_wrong_in_54_cases() -> None:
    cases = [(king, pawn) for king in range(64) for pawn in naive.PAWN_SQUARES if king != pawn]
    caught = {(king, pawn) for king, pawn in cases if pawn_is_caught(king, pawn, chess.WHITE)}
    assert caught == {(king, pawn) for king, pawn in cases if race.catchable(1 << king, PAWN_MOVES) >> pawn & 1}
    wrong = caught ^ {(king, pawn) for king, pawn in cases if published_fill(king) >> pawn & 1}
    assert len(wrong) == 54
    assert all(king // 8 == pawn // 8 == 1 for king, pawn in wrong)  # the pawn's double step escapes


def test_the_square_of_the_pawn_is_a_square() -> None:
    white_to_move = """
        ........
        ........
        ........
        ...11111
        ..111111
        .1111111
        .1111111
        ........"""
    black_to_move = """
        ........
        ........
        ...11111
        ..111111
        .1111111
        11111111
        11111111
        ........"""
    assert (
        race.CATCHABLE[BLACK][WHITE][38] == race.catchable(Bitboard("g5"), PAWN_MOVES) == Bitboard.parse(white_to_move)
    )
    assert (
        race.CATCHABLE[BLACK][BLACK][38] == race.catchable(Bitboard("g5"), KING_MOVES) == Bitboard.parse(black_to_move)
    )


def test_the_table_mirrors_colours() -> None:
    assert race.CATCHABLE.shape == (2, 2, 64)
    for side_to_move in (WHITE, BLACK):
        for square in range(64):
            black_king = race.catchable(1 << square, side_to_move == BLACK)
            white_king = race.catchable(1 << (square ^ 56), side_to_move == WHITE)
            assert race.CATCHABLE[BLACK][side_to_move][square] == black_king
            assert race.CATCHABLE[WHITE][side_to_move][square] == int.from_bytes(
                int(white_king).to_bytes(8, "little"), "big"
            )


def test_the_move_loses_a_king_no_pawn() -> None:
    assert not (race.catchable(SQUARES, PAWN_MOVES) & ~race.catchable(SQUARES, KING_MOVES)).any()


def test_the_area_is_symmetric_between_east_and_west() -> None:
    def mirrored(sets: np.ndarray) -> list[int]:
        return [int(Bitboard([square ^ 7 for square in Bitboard(x)])) for x in sets.tolist()]

    for king_to_move in (PAWN_MOVES, KING_MOVES):
        areas = race.catchable(SQUARES, king_to_move)
        assert mirrored(areas) == areas[np.arange(64) ^ 7].tolist()


def test_an_escorted_pawn_promotes_in_the_solved_game() -> None:
    ours, ours_possible, theirs, possible = naive.promotes()
    for king_to_move, won, where in ((PAWN_MOVES, ours, ours_possible), (KING_MOVES, theirs, possible)):
        own_king, pawn, king = np.nonzero(where)
        found = race.escorted(SQUARES[pawn], SQUARES[own_king], SQUARES[king], np.full(king.size, king_to_move)) != 0
        assert not (found & ~won[where]).any()
        assert found.sum() > 13_000
        assert found.sum() / won.sum() > 0.12  # the others run alone, or the king needs more than one move


def test_two_pawns_are_both_caught_where_the_solved_game_says_so() -> None:
    """Every king, every pair of pawns, either side to move: 144,384 games."""
    differences = [
        (king, sorted(pair), king_to_move)
        for pair in map(frozenset, combinations(naive.PAWN_SQUARES, 2))
        for king_to_move in (False, True)
        for king in range(64)
        for table in [race.CATCHES_BOTH[int(king_to_move)]]
        if naive.catches_both(king, pair, king_to_move) != bool(int(table[*pair]) >> king & 1)
    ]
    assert not differences
    assert np.array_equal(race.CATCHES_BOTH, race.CATCHES_BOTH.transpose(0, 2, 1))


def test_a_pair_of_one_pawn_is_the_rule_of_the_square() -> None:
    for king_to_move in (PAWN_MOVES, KING_MOVES):
        for pawn in naive.PAWN_SQUARES:
            kings = race.catchable(SQUARES, king_to_move) & SQUARES[pawn] != 0
            assert int(race.CATCHES_BOTH[int(king_to_move), pawn, pawn]) == int(SQUARES[kings].sum())


def test_who_catches_both_catches_either() -> None:
    for table in race.CATCHES_BOTH:
        assert not (table & ~np.diagonal(table)).any()


def test_what_is_no_race_of_two() -> None:
    everywhere, ends = 0x00FF_FFFF_FFFF_FF00, 0xFF00_0000_0000_00FF
    for king_to_move in (PAWN_MOVES, KING_MOVES):
        assert race.two(everywhere, 0, king_to_move) == everywhere  # without a king nobody catches anything
        assert race.two(ends | Bitboard("a4"), 0, king_to_move) == 0  # one pawn is no pair, and those are no pawns
        assert race.two(Bitboard("b5 d5"), Bitboard("c8 h1"), king_to_move) == 0  # one of two kings is enough


@pytest.mark.slow
def test_unstoppable_passers_are_so_in_the_solved_game() -> None:
    """Every position of king and two pawns against king, and of king and pawn: the column is never wrong."""
    numba()
    two_passers = importlib.import_module("naive.features.two_passers")
    ours, theirs = two_passers.two_promote()
    pairs = np.array([*combinations(naive.PAWN_SQUARES, 2)])
    asked = won = found = 0
    for own_king in range(64):
        kings, (one, other) = np.repeat(np.arange(64), len(pairs)), np.tile(pairs, (64, 1)).T
        apart = ~two_passers.NEAR[own_king, kings] & (kings != own_king)
        apart &= (one != own_king) & (other != own_king) & (one != kings) & (other != kings)
        for solved, to_move in ((ours, True), (theirs, False)):
            possible = apart & ~(to_move & (two_passers.GUARDED[one, kings] | two_passers.GUARDED[other, kings]))
            at = own_king, kings[possible], one[possible], other[possible]
            answers = (
                unstoppable_passers(own_king, SQUARES[at[1]], SQUARES[at[2]] | SQUARES[at[3]], to_move=to_move) != 0
            )
            assert not (answers & ~solved[at]).any()
            asked, won, found = asked + at[1].size, won + solved[at].sum(), found + answers.sum()
    assert (asked, won) == (7_438_086, 7_077_092)
    assert found / won > 0.8  # the others need the king, for more than a move


def test_a_lone_unstoppable_passer_is_so_in_the_solved_game() -> None:
    solutions = naive.promotes()
    for solved, possible, to_move in ((*solutions[:2], True), (*solutions[2:], False)):
        won = found = 0
        for own_king in range(64):
            pawn, king = np.nonzero(possible[own_king])
            answers = unstoppable_passers(own_king, SQUARES[king], SQUARES[pawn], to_move=to_move) != 0
            assert not (answers & ~solved[own_king, pawn, king]).any()
            won, found = won + solved[own_king, pawn, king].sum(), found + answers.sum()
        assert found / won > 0.5


def unstoppable_passers(own_king: int, king: np.ndarray, pawns: np.ndarray, *, to_move: bool) -> np.ndarray:
    none = np.zeros_like(pawns)
    kings = king | SQUARES[own_king]
    words = [pawns | SQUARES[own_king], king, pawns, none, none, none, none, kings, none, none]
    return FEATURES["unstoppable_passers"](*words, np.full(pawns.size, to_move))


def test_what_is_no_race_has_an_answer_too() -> None:
    """Without an enemy king, and with pawns that have arrived."""
    nobody, a4_h4 = np.zeros(1, np.uint64), SQUARES[[24]] | SQUARES[[31]]
    ends = np.array([0xFF00_0000_0000_00FE], np.uint64)
    assert unstoppable_passers(0, nobody, a4_h4, to_move=True).tolist() == a4_h4.tolist()
    assert unstoppable_passers(0, nobody, a4_h4, to_move=False).tolist() == [0]
    assert unstoppable_passers(0, SQUARES[[30]], ends, to_move=True).tolist() == [0]
    assert race.escorted(int(ends[0]), Bitboard("d8"), Bitboard("a4"), PAWN_MOVES) == 0


def test_without_a_king_every_passer_is_unstoppable() -> None:
    assert race.unstoppable(0x00FF_0000_0000_FF00, 0, KING_MOVES) == 0x00FF_0000_0000_FF00


def test_king_path_walks_the_longest_of_paths() -> None:
    path = Bitboard("a1 b1 c1 d1 e1 f1 g2 h3 g4 c5 d5 e5 f5 b6 c7 d7 e7 f7 g8 h8")
    assert race.king_path(Bitboard("a1"), Bitboard("h8"), ~path) == 19
    for square in path - Bitboard("a1"):
        assert race.king_path(Bitboard("a1"), Bitboard("h8"), ~path | Bitboard([square])) == -1


def test_a_king_may_leave_a_taboo_square_only() -> None:
    assert race.king_path(Bitboard("a1"), Bitboard("a1"), ALL) == 0
    assert race.king_path(Bitboard("a1"), Bitboard("a2"), Bitboard("a1")) == 1
    assert race.king_path(Bitboard("a1"), Bitboard("a2"), Bitboard("a2")) == -1
    assert race.king_path(0, Bitboard("a2"), 0) == -1
    assert race.king_path(Bitboard("a1"), 0, 0) == -1


def test_unstoppable_passers_promote_whatever_the_enemys_pawns_do() -> None:
    random, played = Random(5), 0  # noqa: S311
    while played < 500:
        board = ending(random)
        if board is None:
            continue
        for colour, side in ((chess.WHITE, "white"), (chess.BLACK, "black")):
            found = set(Position(board.fen(), strict=False).feature(f"{side}_unstoppable_passers"))
            if found and min(pushes(pawn, colour) for pawn in found) <= 3:
                played += 1
                assert promotes(board, colour, found, plies=9), f"{side} {found}\n{board.fen()}"


def ending(random: Random) -> chess.Board | None:
    """Kings and one to three pawns on each side; None where they stand against the rules, or nobody can move."""
    board = chess.Board(None)
    for colour in chess.COLORS:
        for kind in [chess.KING, *[chess.PAWN] * random.randint(1, 3)]:
            square = random.randrange(8, 56) if kind == chess.PAWN else random.randrange(64)
            if board.piece_at(square):
                return None
            board.set_piece_at(square, chess.Piece(kind, colour))
    board.turn = random.random() < 0.5
    return board if board.is_valid() and any(board.legal_moves) else None


def promotes(board: chess.Board, owner: chess.Color, pawns: set[int], plies: int) -> bool:
    """Whether some of these pawns promote in time: they are pushed and nothing else is moved, unless there is check."""
    if board.is_checkmate():
        return board.turn != owner
    if not plies or not pawns:
        return False
    moves = [move for move in board.legal_moves if move.promotion in {None, chess.QUEEN}]
    if board.turn == owner:
        ours = [move for move in moves if move.from_square in pawns]
        if any(move.promotion for move in ours):
            return True
        moves = moves if board.is_check() else ours
    answers = []
    for move in moves:
        stay = pawns - {move.from_square, move.to_square}
        after = stay | {move.to_square} if move.from_square in pawns else stay
        if board.is_en_passant(move):
            after -= {chess.square(chess.square_file(move.to_square), chess.square_rank(move.from_square))}
        board.push(move)
        answers.append(promotes(board, owner, after, plies - 1))
        board.pop()
        if answers[-1] == (board.turn == owner):
            break
    return any(answers) if board.turn == owner else bool(answers) and all(answers)
