"""Legal moves as sets, and children in columns: judged by python-chess, and by the generator of one board.

``python tests/test_moves.py [POSITIONS] [SEED]`` counts the legal moves of as many positions of random games as you
like.
"""

from __future__ import annotations

import functools
import itertools
import random
import sys
from collections import Counter
from collections.abc import Iterator

import chess
import numpy as np
import pytest

from helpers.boards import scattered
from helpers.data import FAMOUS_GAMES, starts
from helpers.differential import games
from setwise import Bitboard, Move, Position, Positions, connect, find
from setwise.compiler import entry, scratch
from setwise.compiler.kinds import reads, uint16, uint64, void, writes
from setwise.patterns import moves
from setwise.patterns.moves import Limits, king_safety, lines_of_words
from setwise.rules.board import (
    NORMAL,
    SETS,
    board_at,
    board_of,
    child,
    kind_of,
    lanes_of,
    normal_child,
    origin_of,
    target_of,
)
from setwise.rules.generate import MOST_MOVES, count_moves, generate, legality

PIECES = (chess.PAWN, chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN, chess.KING)
DIRECTIONS = [step for step in itertools.product((-1, 0, 1), repeat=2) if step != (0, 0)]


@functools.cache
def boards() -> list[chess.Board]:
    """Positions of the suites, pieces thrown on the board, and what random moves make of both; either side to move."""
    chance = random.Random(7)  # noqa: S311
    found = [chess.Board(fen) for fen in starts("perft.epd")]
    found += [chess.Board(fen, chess960=True) for fen in starts("perft960.epd")]
    found += [scattered(chance) for _ in range(2000)]
    for board in found[::3]:
        for _ in range(3):
            if legal := list(board.legal_moves):
                board.push(chance.choice(legal))
    return found


@functools.cache
def positions() -> Positions:
    return Positions.from_boards(boards())


def movers(boards: list[chess.Board]) -> np.ndarray:
    """The ten rows of the movers' boards, whatever is on them."""
    rows = []
    for board in (board if board.turn else board.mirror() for board in boards):
        men = (board.occupied_co[chess.WHITE], board.occupied_co[chess.BLACK])
        pieces = (board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings)
        passed = 0 if board.ep_square is None else chess.BB_SQUARES[board.ep_square]
        rows.append([*men, *pieces, board.clean_castling_rights(), passed])
    return np.array(rows, np.uint64).T.copy()


def looked_at() -> np.ndarray:
    return movers(boards())


# ----------------------------------------------------------------------------------------------------- legal_move_count


def test_the_positions_have_what_is_rare() -> None:
    found = boards()
    assert sum(len(board.checkers()) > 1 for board in found) > 10
    assert sum(board.has_legal_en_passant() for board in found) > 100
    assert sum(board.has_pseudo_legal_en_passant() and not board.has_legal_en_passant() for board in found) > 5
    assert sum(any(map(board.is_castling, board.legal_moves)) for board in found) > 200
    assert sum(not board.turn for board in found) > 500
    assert sum(not any(board.legal_moves) for board in found) > 10


def test_legal_moves_are_those_of_python_chess() -> None:
    expected = [board.legal_moves.count() for board in boards()]
    assert moves.legal_move_count(*looked_at()).tolist() == expected
    assert positions().legal_move_counts().tolist() == expected


def count_in_games(positions: int, seed: int) -> tuple[Counter[str], list[str]]:
    """Count the legal moves of at least so many positions; how many of each kind there were, and the differences."""
    chance = random.Random(seed)  # noqa: S311
    seen: Counter[str] = Counter()
    found: list[str] = []
    for board, length in games(chance):
        line, expected = [], []
        for _ in range(length):
            legal = list(board.legal_moves)
            line.append(board.copy(stack=False))
            expected.append(len(legal))
            seen["positions"] += 1
            seen["Chess960"] += board.chess960
            seen["double checks"] += len(board.checkers()) > 1
            seen["en passant"] += any(map(board.is_en_passant, legal)) if board.ep_square is not None else 0
            seen["castling"] += any(map(board.is_castling, legal)) if board.castling_rights else 0
            seen["mates and stalemates"] += not legal
            for square in chess.scan_forward(board.occupied_co[board.turn] & ~board.kings):
                king, line_of_pin = board.king(board.turn), board.pin_mask(board.turn, square)
                if line_of_pin != chess.BB_ALL:
                    file, rank = square % 8 - king % 8, square // 8 - king // 8
                    step = (file > 0) - (file < 0), (rank > 0) - (rank < 0)
                    seen[f"pins {step}"] += 1
            if not legal:
                break
            board.push(chance.choice(legal))
        columns = Positions.from_boards(line)
        for position, ours, theirs in zip(line, columns.legal_move_counts().tolist(), expected, strict=True):
            if ours != theirs:
                found.append(f"{position.fen()} {ours}, python-chess {theirs}")
        if seen["positions"] >= positions:
            return seen, found
    raise AssertionError("games never end")


def test_legal_moves_of_random_games_are_those_of_python_chess() -> None:
    """How to count those of a million positions, the text at the top tells."""
    seen, found = count_in_games(10_000, seed=1)
    assert found == []
    assert seen["Chess960"] > 2000
    assert len([kind for kind in seen if kind.startswith("pins")]) == 8
    assert min(seen.values()) > 5, seen


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_a_pin_holds_every_man_in_every_direction(direction: tuple[int, int]) -> None:
    """Our king, a piece of ours, a slider of theirs on one line, anywhere; and pieces around for it to take."""
    found = []
    chance = random.Random(str(direction))  # noqa: S311
    for square, near, far in itertools.product(range(64), range(1, 7), range(1, 7)):
        places = [(square % 8 + k * direction[0], square // 8 + k * direction[1]) for k in (0, near, near + far)]
        if any(not 0 <= number < 8 for place in places for number in place):
            continue
        king, man, slider = (file + 8 * rank for file, rank in places)
        theirs = chance.choice((chess.QUEEN, chess.BISHOP if 0 not in direction else chess.ROOK))
        for piece in PIECES[:5]:
            if piece == chess.PAWN and not 0 < man // 8 < 7:
                continue
            board = chess.Board(None)
            for _ in range(6):
                board.set_piece_at(chance.randrange(64), chess.Piece(chance.choice(PIECES[1:4]), chess.BLACK))
            for between in chess.SquareSet.between(king, slider):
                board.remove_piece_at(between)
            board.set_piece_at(king, chess.Piece(chess.KING, chess.WHITE))
            board.set_piece_at(man, chess.Piece(piece, chess.WHITE))
            board.set_piece_at(slider, chess.Piece(theirs, chess.BLACK))
            assert board.is_pinned(chess.WHITE, man)
            found.append(board)
    assert len(found) > 300
    assert moves.legal_move_count(*movers(found)).tolist() == [board.legal_moves.count() for board in found]


@pytest.mark.parametrize(
    "fen",
    [
        "8/8/8/1KPp2r1/8/8/8/7k w - d6 0 1",  # both pawns leave the rank, and the king is taken along it
        "8/8/8/1r1pPK2/8/8/8/7k w - d6 0 1",
        "8/8/8/1KPpP1r1/8/8/8/7k w - d6 0 1",  # the other captor stays and keeps it closed
        "8/8/8/1KPpN1r1/8/8/8/7k w - d6 0 1",
        "7k/6b1/8/3pP3/3K4/8/8/8 w - d6 0 1",  # pinned, and d6 is not on the line
        "1b5k/8/8/3pP3/8/6K1/8/8 w - d6 0 1",  # pinned, and d6 is on it
        "7k/1q6/8/3pP3/8/5K2/8/8 w - d6 0 1",  # the victim was all that stood between
        "7k/8/8/2PpP3/4K3/8/8/8 w - d6 0 1",  # it gives check, and either pawn ends it
        "3r3k/8/8/3pP3/8/3K4/8/8 w - d6 0 1",
        "7k/8/8/r2pP2K/8/8/8/8 w - d6 0 1",
        "7k/8/8/q3pP1K/8/8/8/8 w - e6 0 1",
    ],
)
def test_en_passant_uncovers_nothing(fen: str) -> None:
    board = chess.Board(fen)
    for seen in (board, board.transform(chess.flip_horizontal), board.mirror()):
        assert moves.legal_move_count(*movers([seen])).tolist() == [seen.legal_moves.count()], seen.fen()


def takes_no_king(board: chess.Board, move: chess.Move) -> bool:
    """Where the side not to move stands in check, python-chess lists the capture of its king."""
    return board.piece_type_at(move.to_square) != chess.KING


def test_castling_of_every_start_of_chess960() -> None:
    """King and rooks on the first rank in all places, with pieces of ours and attackers of theirs thrown in."""
    chance = random.Random(3)  # noqa: S311
    found = []
    for king in range(1, 7):
        for west, east in itertools.product(range(king), range(king + 1, 8)):
            for _ in range(12):
                board = chess.Board(None, chess960=True)
                board.set_piece_at(chance.choice((chess.H8, chess.A7)), chess.Piece(chess.KING, chess.BLACK))
                for square in chance.sample(range(8, 56), chance.randrange(4)):
                    board.set_piece_at(square, chess.Piece(chance.choice(PIECES[1:5]), chess.BLACK))
                if chance.random() < 0.4:
                    board.set_piece_at(chance.randrange(8), chess.Piece(chess.KNIGHT, chance.random() < 0.5))
                if chance.random() < 0.2:
                    board.set_piece_at(chance.choice((0, 7)), chess.Piece(chess.ROOK, chess.BLACK))
                for square, piece in ((king, chess.KING), (west, chess.ROOK), (east, chess.ROOK)):
                    board.set_piece_at(square, chess.Piece(piece, chess.WHITE))
                board.castling_rights = chess.BB_SQUARES[west] | chess.BB_SQUARES[east]
                found.append(board)
    expected = [sum(takes_no_king(board, move) for move in board.legal_moves) for board in found]
    assert moves.legal_move_count(*movers(found)).tolist() == expected
    castling = [sum(map(board.is_castling, board.legal_moves)) for board in found]
    assert min(castling.count(number) for number in (0, 1, 2)) > 30


def test_without_a_king_nothing_is_pinned_and_nothing_is_check() -> None:
    found = []
    for board in boards()[::5]:
        bare = board.copy(stack=False)
        bare.castling_rights = chess.BB_EMPTY
        bare.remove_piece_at(bare.king(bare.turn))
        found.append(bare)
    expected = [sum(takes_no_king(board, move) for move in board.pseudo_legal_moves) for board in found]
    assert moves.legal_move_count(*movers(found)).tolist() == expected
    assert not moves.checkers(*movers(found)[:8]).any()
    assert (moves.check_mask(*movers(found)[:8]) == 2**64 - 1).all()


def test_nine_queens_and_more() -> None:
    """218 moves, the most of any position that can be reached; and a board that cannot."""
    most, impossible = (
        "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - -",
        "QQQQ1QQQ/Q6Q/Q6Q/8/Q6Q/Q6Q/Q6Q/QQ1K1QQk w - -",
    )
    found = [chess.Board(f"{fen} 0 1") for fen in (most, impossible)]
    expected = [sum(takes_no_king(board, move) for move in board.legal_moves) for board in found]
    assert moves.legal_move_count(*movers(found)).tolist() == expected
    assert expected[0] == 218


def test_an_empty_board_has_no_moves() -> None:
    assert moves.legal_move_count(*[0] * 10) == 0


# -------------------------------------------------------------------------------------------------- castling by itself


def test_castling_is_that_of_python_chess() -> None:
    seen: Counter[int] = Counter()
    for board, words in zip(boards(), looked_at().T.tolist(), strict=True):
        white = board.copy(stack=False) if board.turn else board.mirror()
        white.chess960 = True  # a castling move then ends where the rook stands
        expected = chess.SquareSet(move.to_square for move in white.generate_castling_moves())
        free = [rook for rook in Bitboard(words[8] & chess.BB_RANK_1) if not white.is_pinned(chess.WHITE, rook)]
        found = moves.castling_rooks(
            words[0] & words[7], Bitboard(free), words[0] | words[1], moves.attacked(*words[:8])
        )
        assert found == int(expected), white.fen()
        seen[len(found)] += 1
    assert min(seen[number] for number in (1, 2)) > 30


def test_the_rook_alone_may_cross_what_is_attacked() -> None:
    king, rooks = Bitboard("e1"), Bitboard("a1 h1")
    for square, expected in zip("abcdefgh", ("ah", "ah", "h", "h", "", "a", "a", "ah"), strict=True):
        found = moves.castling_rooks(king, rooks, 0, Bitboard(f"{square}1"))
        assert found == Bitboard([f"{file}1" for file in expected])


def test_without_a_king_on_its_first_rank_nobody_castles() -> None:
    for king in (0, *(1 << square for square in range(8, 64))):
        assert moves.castling_rooks(king, Bitboard("a1 h1"), 0, 0) == 0
    assert moves.castling_rooks(Bitboard("e1"), Bitboard("a8 h8 e4"), 0, 0) == 0


# ------------------------------------------------------------------------------------------ checks, attacks, check mask


def test_checkers_are_those_of_python_chess() -> None:
    whites = [board if board.turn else board.mirror() for board in boards()]
    assert moves.checkers(*looked_at()[:8]).tolist() == [int(board.checkers()) for board in whites]


def test_a_king_in_danger_is_attacked_wherever_it_goes() -> None:
    for words in looked_at().T[::7].tolist():
        board = chess.Board(None)
        white, black, *sets = words[:8]
        board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings = sets
        board.occupied_co, board.occupied = [black, white & ~board.kings], (white | black) & ~(white & board.kings)
        board.kings &= black
        expected = [square for square in range(64) if board.is_attacked_by(chess.BLACK, square)]
        assert moves.attacked(*words[:8]) == Bitboard(expected)


def test_who_lands_on_a_target_leaves_no_check() -> None:
    """A piece of ours out of nowhere on any square but our king's: is there still check?"""
    seen = set()
    for words in looked_at().T[::3].tolist():
        if not (checkers := moves.checkers(*words[:8])):
            continue
        king, expected = words[0] & words[7], []
        seen.add(len(checkers))
        for square in set(range(64)) - set(Bitboard(king)):
            here = 1 << square
            after = [words[0] | here, *(word & ~here for word in words[1:8])]
            if not moves.checkers(*after):
                expected.append(square)
        assert moves.check_mask(*words[:8]) == Bitboard(expected)
    assert seen == {1, 2}


@pytest.mark.parametrize(("former", "name"), [("danger", "attacked"), ("targets", "check_mask")])
def test_a_former_name_returns_the_pattern_with_a_warning(former: str, name: str) -> None:
    with pytest.warns(DeprecationWarning, match=rf"moves\.{former} is now called moves\.{name}"):
        assert getattr(moves, former) is getattr(moves, name)
    with pytest.raises(AttributeError, match="no attribute 'elsewhere'"):
        moves.elsewhere  # noqa: B018


#: The arguments of the patterns of legal moves, as columns of a condition.
BOARD = ", ".join(["own_pieces", "enemy_pieces", *(
    f"white_{piece} | black_{piece}" for piece in ("pawns", "knights", "bishops", "rooks", "queens", "king")
)])  # fmt: skip


@pytest.mark.parametrize(("former", "name"), [("danger", "attacked"), ("targets", "check_mask")])
def test_conditions_know_a_pattern_by_its_former_name(former: str, name: str) -> None:
    expected = find(f"bit_count(moves.{name}({BOARD})) > 30", FAMOUS_GAMES, columns=["game", "ply"])
    with pytest.warns(DeprecationWarning, match=rf"moves\.{former} is now called moves\.{name}"):
        assert find(f"bit_count(moves.{former}({BOARD})) > 30", FAMOUS_GAMES, columns=["game", "ply"]) == expected
    assert expected.num_rows > 100
    with connect(FAMOUS_GAMES) as database:
        rows = database.sql("from positions").filter(f"bit_count(moves.{former}({BOARD})) > 30").project("ply")
        assert rows.fetchall() == [(ply,) for ply in expected.column("ply").to_pylist()]


# --------------------------------------------------------------------------------------- one board and boards in lanes


@entry(void, reads(uint64, 2), writes(uint64, 3), writes(uint64, 2))
def _both_ways(columns, limits, counts):
    for k in range(columns.shape[1]):
        board = board_at(columns, k)
        one = legality(board)
        other, _ = king_safety(*board[:8], board.en_passant, lines_of_words)
        for field in range(len(one)):
            limits[0, field, k], limits[1, field, k] = one[field], other[field]
        counts[0, k], counts[1, k] = count_moves(board, one), moves.legal_move_count(*board)


def test_lines_in_words_and_in_lanes_limit_the_same_moves() -> None:
    columns = looked_at()
    number = columns.shape[1]
    limits, counts = np.zeros((2, len(Limits._fields), number), np.uint64), np.zeros((2, number), np.uint64)
    _both_ways(columns, limits, counts)
    for field, (one, other) in zip(Limits._fields, limits.swapaxes(0, 1), strict=True):
        assert np.array_equal(one, other), field
    assert np.array_equal(*counts)


_list = scratch(MOST_MOVES)


@entry(uint64, reads(uint64, 2))
def _moves_that_differ(columns):
    """How many normal moves lead to different boards by the general and by the short way; 2**32 more for each move."""
    found, differing = _list(uint16), np.uint64(0)
    for k in range(columns.shape[1]):
        board = board_at(columns, k)
        for i in range(generate(board, legality(board), found, 0)):
            move = np.uint64(found[i])
            if kind_of(move) != NORMAL:
                continue
            start, end = np.uint64(1) << origin_of(move), np.uint64(1) << target_of(move)
            one, other = child(board, move), board_of(*normal_child(lanes_of(board), board.castling, start, end))
            same = True
            for word in range(len(one)):
                same = same and one[word] == other[word]
            differing += np.uint64(not same) + (np.uint64(1) << np.uint64(32))
    return differing


def test_both_ways_to_make_a_normal_move_lead_to_the_same_board() -> None:
    compared, differing = divmod(_moves_that_differ(looked_at()), 2**32)
    assert differing == 0
    assert moves.legal_move_count(*looked_at()).sum() > compared > 20_000


# ------------------------------------------------------------------------------------------------------------ Positions


def test_checks_and_ends_are_those_of_each_position() -> None:
    columns = positions()
    for name in ("is_check", "is_checkmate", "is_stalemate"):
        flags = getattr(columns, name)()
        assert flags.dtype == np.bool_
        assert flags.any()
        assert flags.tolist() == [getattr(position, name)() for position in columns]


def each_child(position: Position) -> Iterator[tuple[Move, Position]]:
    for move in position.legal_moves():
        yield move, position.play(move)


def test_children_are_what_each_legal_move_leads_to() -> None:
    after, parents, found = positions().children()
    expected = [(row, *child) for row, position in enumerate(positions()) for child in each_child(position)]
    assert parents.tolist() == [row for row, _, _ in expected]
    assert [Move(move) for move in found.tolist()] == [move for _, move, _ in expected]
    assert [position.words for position in after] == [position.words for _, _, position in expected]
    assert len(after) > 20_000


def test_children_of_games_know_their_game() -> None:
    from setwise import read_pgn

    pgn = '[Event "a"]\n\n1. e4 e5 *\n\n[Event "b"]\n[Variant "Chess960"]\n[SetUp "1"]\n'
    pgn += '[FEN "bnrbkqrn/pppppppp/8/8/8/8/PPPPPPPP/BNRBKQRN w GCgc - 0 1"]\n\n1. e4 *\n'
    before = next(iter(read_pgn(pgn.encode()))).positions()
    after, parents, _ = before.children()
    assert np.array_equal(after.game, before.game[parents])
    assert np.array_equal(after.chess960, before.chess960[parents])
    assert after.moves is after.ply is None


def test_no_positions_have_no_children() -> None:
    after, parents, found = Positions.from_fens([]).children()
    assert len(after) == len(parents) == len(found) == 0
    mated = Positions.from_fens(["7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"])
    assert len(mated.children().positions) == 0


def test_children_of_children_are_perft() -> None:
    fen = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
    found = Positions.from_fens([fen])
    for count in (48, 2039, 97862):
        found = found.children().positions
        assert len(found) == count
    assert found.legal_move_counts().sum() == 4085603
    assert len(SETS) == len(found.sets)


if __name__ == "__main__":
    kinds, differing = count_in_games(*map(int, [*sys.argv[1:], *("1000000", "1")[len(sys.argv) - 1 :]]))
    print(*differing[:50], sep="\n")
    print(", ".join(f"{count} {kind}" for kind, count in kinds.items()))
    print(f"{len(differing)} differences")
    sys.exit(bool(differing))
