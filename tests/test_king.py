"""King patterns: attacks and walks, escapes, shields, files, and mates next to the king."""

from __future__ import annotations

import csv
import itertools
from collections.abc import Iterable, Iterator
from pathlib import Path

import chess
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.boards import random_play
from helpers.data import FAMOUS_GAMES
from helpers.drawing import difference
from helpers.python_chess import games_of
from naive import ALL, SETS, SQUARES, word_of
from naive.king import COLUMNS
from setwise.bitboard import Bitboard
from setwise.patterns import bits, fills, king

sets = st.integers(0, ALL)


# -------------------------------------------------------------------------------------------------- attacks and walks


def test_the_table_is_the_function() -> None:
    assert not difference(king.ATTACKS, king.attacks(SQUARES), SQUARES)


@given(kings=sets, path=sets)
def test_fills_end_in_a_flood(kings: int, path: int) -> None:
    filled = kings & path
    for _ in range(63):
        filled = king.fill(filled, path)
    assert filled == fills.flood(kings, path)


@given(a=sets, b=sets)
def test_distance_is_a_path_on_an_empty_board(a: int, b: int) -> None:
    assert king.distance(a, b) == king.distance(b, a) == fills.shortest_path_length(a, b, ALL)


# ------------------------------------------------------------------------------------------------------------- safety


def test_escapes_are_the_legal_king_moves() -> None:
    cases, expected, naive_escapes = [], [], 0
    for position in random_play(12, seed=1, plies=120):
        mover, square = position.turn, position.king(position.turn)
        lifted = position.occupied & ~chess.BB_SQUARES[square]
        attacked = [s for s in range(64) if position.attackers_mask(not mover, s, lifted)]
        cases.append((1 << square, position.occupied_co[mover], word_of(attacked)))
        moves = [m.to_square for m in position.legal_moves if m.from_square == square and not position.is_castling(m)]
        expected.append(word_of(moves))
        seen = word_of(s for s in range(64) if position.attackers_mask(not mover, s))
        naive_escapes += expected[-1] != king.escapes(1 << square, position.occupied_co[mover], seen)
    kings, own, attacks = np.array(cases, np.uint64).T
    assert not difference(king.escapes(kings, own, attacks), np.array(expected, np.uint64), kings, own, attacks)
    assert naive_escapes  # with the king left on the board, some answers would be wrong


def test_distant_checks_of_all_kinds_occur() -> None:
    lines = king.distant_checks(COLUMNS["king"], COLUMNS["taboo"])
    assert lines.size == 36 * 2**8 + 24 * 2**5 + 4 * 2**3  # every king with every set of escapes
    assert {*lines.tolist()} == {0, 1, 2, 4, 8, 15}


def test_distant_checks_are_the_lines_that_hold_all_escapes() -> None:
    """Every king, with each set of its eight neighbours taboo, on sixteen boards: 262,144 cases."""
    steps = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1), (1, -1), (-1, 1)]  # two by two on a line
    answers = np.array([sum((ways & ~(3 << 2 * line) == 0) << line for line in range(4)) for ways in range(256)])
    next_to = np.zeros((64, 8), np.uint64)
    for square, (way, (files, ranks)) in itertools.product(range(64), enumerate(steps)):
        file, rank = square % 8 + files, square // 8 + ranks
        next_to[square, way] = 1 << 8 * rank + file if 0 <= file < 8 and 0 <= rank < 8 else 0
    denied = np.arange(256)[:, None] >> np.arange(8) & 1
    ways = ~denied & (next_to != 0)[:, None]
    taboo = np.bitwise_or.reduce(np.where(denied, next_to[:, None], np.uint64(0)), axis=-1)
    others = SETS[66:82, None, None] & ~np.bitwise_or.reduce(next_to, axis=-1)[:, None] | taboo
    kings = np.broadcast_to(SQUARES[:, None], others.shape)
    assert kings.size == 262_144
    expected = np.broadcast_to(answers[ways @ (1 << np.arange(8))], others.shape)
    assert not difference(king.distant_checks(kings, others), expected, kings, others)


def test_distant_checks_take_several_kings_together() -> None:
    kings = Bitboard("b1 g1")
    assert king.distant_checks(kings, ~Bitboard("a1 f1")) == 1  # each king may step along the rank
    assert king.distant_checks(kings, ~Bitboard("a1 g2")) == 0
    assert king.distant_checks(0, 0) == king.distant_checks(0, ALL) == 0


def test_directions_are_turned_for_black() -> None:
    assert king.distant_checks(Bitboard("h8"), ~Bitboard("g7")) == 4
    kings, taboo = COLUMNS["king"], COLUMNS["taboo"]
    there = king.distant_checks.for_black(kings, taboo)
    assert not difference(there, king.distant_checks(kings, taboo), kings, taboo)
    assert king.distant_checks.for_black(Bitboard("h8"), ~Bitboard("g7")) == 4


@given(kings=sets, others=sets)
def test_the_zone_of_kings_is_their_zones(kings: int, others: int) -> None:
    assert king.zone(kings | others) == king.zone(kings) | king.zone(others)


# --------------------------------------------------------------------------------------------------- shield and files


@pytest.mark.parametrize("name", ["f1", "g2", "h1", "a1", "b2", "c1"])
def test_packing_a_shield_is_a_bijection(name: str) -> None:
    patterns = bits.subsets(king.shield_mask(Bitboard(name)))
    assert sorted(king.shield_index(Bitboard(name), patterns)) == list(range(64))


def test_both_wings_share_a_table() -> None:
    def mirrored(squares: int) -> Bitboard:
        return Bitboard([square ^ 7 for square in Bitboard(squares)])

    for name, own in itertools.product(("f1", "g1", "h2"), SETS[66:166].tolist()):
        assert king.shield_index(Bitboard(name), own) == king.shield_index(mirrored(Bitboard(name)), mirrored(own))


def test_shield_values_come_from_the_users_table() -> None:
    table = [10 * k for k in range(64)] + [-5]
    indices = king.shield_index(SQUARES, SETS[66:130])
    assert not difference(king.shield_value(indices, table), np.array([table[k] for k in indices]))
    assert [king.shield_value(k, table) for k in (0, 63, 64)] == [0, 630, -5]
    assert type(king.shield_value(np.uint8(3), table)) is int
    assert king.shield_value([[1, 64]], np.linspace(0, 1, 65, dtype=np.float32)).dtype == np.float32


@pytest.mark.parametrize(
    ("index", "table", "error", "message"),
    [
        (0, range(64), ValueError, "65 entries"),
        (0, [[0] * 65], ValueError, "65 entries"),
        (0, ["x"] * 65, TypeError, "numbers"),
        (65, range(65), ValueError, "0 to 64, not 65"),
        (-1, range(65), ValueError, "0 to 64, not -1"),
        (0.0, range(65), TypeError, "integer"),
        ([0, 65], range(65), ValueError, "these are 0 to 65"),
        ([0.0], range(65), TypeError, "integers, not float64"),
    ],
)
def test_shield_values_are_checked_at_the_door(index: object, table: Iterable[int], error: type, message: str) -> None:
    with pytest.raises(error, match=message):
        king.shield_value(index, list(table))


@given(square=st.integers(0, 63), own=sets, enemy=sets)
def test_open_files_are_half_open_for_both(square: int, own: int, enemy: int) -> None:
    at = 1 << square
    assert king.open_files(at, own | enemy) == king.half_open_files(at, own) & king.half_open_files(at, enemy)


# --------------------------------------------------------------------------------------------------- mate at a glance


def union(masks: Iterable[int]) -> int:
    return int(np.bitwise_or.reduce(np.array([0, *masks], np.uint64)))


def arguments(position: chess.Board, queen: int) -> list[int]:
    """What the pattern asks, for one queen of the side to move."""
    us, them = position.turn, not position.turn
    moves = union(1 << move.to_square for move in position.generate_legal_moves(from_mask=1 << queen))
    lifted = position.copy(stack=False)
    lifted.remove_piece_at(queen)
    kings = lifted.kings & lifted.occupied_co[them]
    protected = union(map(lifted.attacks_mask, chess.scan_forward(lifted.occupied_co[us])))
    defended = union(map(lifted.attacks_mask, chess.scan_forward(lifted.occupied_co[them] & ~kings)))
    return [kings, lifted.occupied_co[them], lifted.occupied_co[us], moves, protected, defended]


def mates_next_to_the_king(position: chess.Board, queen: int, moves: int) -> int:
    """Where the queen mates next to the king, by the rules: each of her moves is played."""
    ring = chess.BB_KING_ATTACKS[position.king(not position.turn)]
    found = 0
    for target in chess.scan_forward(moves & ring):
        position.push(chess.Move(queen, target))
        found |= position.is_checkmate() << target
        position.pop()
    return found


def judged(positions: Iterable[chess.Board]) -> tuple[list[str], int, int]:
    """Positions where the pattern claims a mate that is none; how many mates it found; how many there are."""
    wrong, found, existing = [], 0, 0
    for position in positions:
        for queen in chess.scan_forward(position.pieces_mask(chess.QUEEN, position.turn)):
            case = arguments(position, queen)
            if not case[3] & chess.BB_KING_ATTACKS[position.king(not position.turn)]:
                continue
            claimed, real = king.mate_at_a_glance(*case), mates_next_to_the_king(position, queen, case[3])
            wrong += [f"{position.fen()} {claimed - real!r}"] * bool(claimed - real)
            found, existing = found + len(claimed), existing + real.bit_count()
    return wrong, found, existing


# Positions with White to move, and where the queen mates next to the king.
HAND_MADE = {
    "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4": "f7",  # scholar's mate
    "6k1/5ppp/8/8/3B4/6Q1/8/6K1 w - - 0 1": "g7",
    "7k/4Q3/6K1/8/8/8/8/8 w - - 0 1": "g7 h7",
    "6k1/8/5PKQ/8/8/8/8/8 w - - 0 1": "g7",  # after Qh7 the king slips out to f8
    "6k1/5p1p/6p1/8/3Q4/2B5/8/6K1 w - - 0 1": "g7 h8",  # from h8 she attacks f8 through the king
    "3rkr2/3ppp2/8/8/8/8/4Q3/4R1K1 w - - 0 1": "e7",  # protected by the rook behind her
    "6kr/8/8/4N3/8/5Q2/8/6K1 w - - 0 1": "f7",  # she attacks h7 over the empty square g7 ...
    "6kr/6p1/8/4N3/8/5Q2/8/6K1 w - - 0 1": "",  # ... but not over a pawn
    "6k1/5p1p/6pP/8/3Q4/8/8/6K1 w - - 0 1": "g7",
    "6k1/5p1p/6pP/8/3Q4/8/1b6/6K1 w - - 0 1": "",  # when she leaves d4, the bishop defends g7
    "6rk/6pp/8/8/8/8/1B4Q1/6K1 w - - 0 1": "",  # the rook takes back
    "6k1/5ppp/8/8/3B4/r5QK/8/8 w - - 0 1": "",  # she is pinned
    "6k1/5ppp/8/8/3B4/6Q1/8/r5K1 w - - 0 1": "",  # we are in check
}


@pytest.mark.parametrize("black", [False, True])
@pytest.mark.parametrize("fen", HAND_MADE)
def test_mates_at_a_glance_in_hand_made_positions(fen: str, black: bool) -> None:
    position = chess.Board(fen).mirror() if black else chess.Board(fen)
    assert position.is_valid()
    expected = Bitboard([square ^ 56 * black for square in Bitboard(HAND_MADE[fen])])
    [queen] = position.pieces(chess.QUEEN, position.turn)
    case = arguments(position, queen)
    assert mates_next_to_the_king(position, queen, case[3]) == expected
    assert king.mate_at_a_glance(*case) == expected


def test_a_pinned_defender_hides_a_mate_unless_left_out() -> None:
    position = chess.Board("R3n1k1/5ppp/8/8/3B4/6Q1/8/6K1 w - - 0 1")
    *others, defended = arguments(position, chess.G3)
    assert mates_next_to_the_king(position, chess.G3, others[3]) == Bitboard("g7")
    assert king.mate_at_a_glance(*others, defended) == 0
    assert king.mate_at_a_glance(*others, defended & ~position.attacks_mask(chess.E8)) == Bitboard("g7")


def test_every_hit_in_games_is_mate() -> None:
    famous = (node.board() for game in games_of(FAMOUS_GAMES.read_text()) for node in (game, *game.mainline()))
    wrong, found, existing = judged(itertools.chain(random_play(60, seed=1, plies=120), famous))
    assert not wrong
    assert existing > 5
    assert found >= 0.9 * existing


def puzzle_positions(path: Path) -> Iterator[chess.Board]:
    """Every position on the way to the solution of each puzzle whose themes speak of mate."""
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            if "mate" not in row["Themes"].lower():
                continue
            position = chess.Board(row["FEN"])
            for move in row["Moves"].split():
                yield position
                position.push_uci(move)


def test_every_hit_in_puzzles_is_mate(shared_data: Path) -> None:
    lines = (shared_data / "epd/sts.epd").read_text().splitlines()
    studies = (chess.Board(" ".join(line.split()[:4])) for line in lines)
    puzzles = puzzle_positions(shared_data / "puzzles/lichess_themes_sample.csv")
    wrong, found, existing = judged(itertools.chain(studies, puzzles))
    print(f"mates next to the king: {found} of {existing} found")
    assert not wrong
    assert existing > 100
    assert found >= 0.9 * existing  # those missed have a defender that is pinned
