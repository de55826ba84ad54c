"""FEN: read and written as python-chess does, faults explained, millions as one."""

from __future__ import annotations

import csv
import random
from collections import Counter
from itertools import pairwise
from pathlib import Path

import chess
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.cost import stays_in_proportion
from helpers.data import starts
from helpers.depth import depth
from helpers.python_chess import two_steppers_check
from setwise import Positions, find
from setwise.errors import InvalidFen
from setwise.game.games import Fault
from setwise.notation import fen as notation
from setwise.position.position import Position, Status
from setwise.rules import status

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
CONVENTIONS = ("legal", "fen", "xfen")


def random_board(chance: random.Random) -> chess.Board:
    """A board with few or many pieces anywhere, rights, an en passant square: seldom a possible position."""
    board = chess.Board(None, chess960=chance.random() < 0.5)
    squares = chance.sample(range(64), chance.randrange(2, 34))
    for square, letter in zip(squares, "Kk" + "".join(chance.choices("PPPPNBRQppppnbrq", k=32)), strict=False):
        board.set_piece_at(square, chess.Piece.from_symbol(letter))
    for home, king, rook in ((chess.E1, "K", "R"), (chess.E8, "k", "r")):
        if chance.random() < 0.5:
            board.remove_piece_at(board.king(king == "K") or 0)
            board.set_piece_at(home, chess.Piece.from_symbol(king))
            board.set_piece_at(home + chance.choice((-4, -3, 2, 3)), chess.Piece.from_symbol(rook))
    board.turn = chance.random() < 0.5
    board.castling_rights = board.rooks & chance.choice((chess.BB_CORNERS, chess.BB_RANK_1, chess.BB_RANK_8, 0))
    if chance.random() < 0.5:
        board.ep_square = chance.randrange(40, 48) if board.turn else chance.randrange(16, 24)
    board.halfmove_clock, board.fullmove_number = chance.randrange(200), chance.randrange(1, 6000)
    return board


def kings_are_alone(board: chess.Board) -> bool:
    return len(board.pieces(chess.KING, True)) == len(board.pieces(chess.KING, False)) == 1


# ------------------------------------------------------------------------------------------------------ valid and not


@pytest.mark.parametrize(("name", "chess960"), [("perft.epd", False), ("perft960.epd", True)])
def test_every_field_comes_back(name: str, chess960: bool) -> None:
    for fen in starts(name):
        position, board = Position(fen, chess960=chess960), chess.Board(fen, chess960=chess960)
        assert [position.fen(convention) for convention in CONVENTIONS] == [
            board.fen(en_passant=convention) for convention in CONVENTIONS
        ]
        assert position.fen(shredder=True) == board.shredder_fen()
        assert Position(position.fen("fen"), chess960=chess960) == position
        assert Position(position.fen("fen", shredder=True), chess960=chess960) == position


def test_status_finds_what_python_chess_finds() -> None:
    chance, seen = random.Random(4), Status.VALID  # noqa: S311
    for _ in range(6000):
        board = random_board(chance)
        if not kings_are_alone(board):
            continue
        fen = board.fen(en_passant="fen")
        position = Position.from_board(board, strict=False)
        expected = int(board.status())
        if two_steppers_check(board):
            expected |= Status.IMPOSSIBLE_CHECK
        assert position.status() == expected, (fen, board.chess960)
        if board.castling_rights == board.clean_castling_rights():
            assert position == Position(fen, chess960=board.chess960, strict=False)
            assert position.fen("fen") == fen
        seen |= position.status()
    kings = Status.NO_WHITE_KING | Status.NO_BLACK_KING | Status.TOO_MANY_KINGS | Status.EMPTY
    assert seen | kings == Status(sum(Status))


def test_missing_and_additional_kings_are_told() -> None:
    for men, faults in (
        ("8/8/8/8/8/8/8/8", Status.EMPTY | Status.NO_WHITE_KING | Status.NO_BLACK_KING),
        ("8/8/8/8/8/8/8/K7", Status.NO_BLACK_KING),
        ("8/8/8/8/8/8/8/k7", Status.NO_WHITE_KING),
        ("8/8/8/8/k7/8/8/KK6", Status.TOO_MANY_KINGS),
        ("k1k5/8/8/8/8/8/8/K1K5", Status.TOO_MANY_KINGS),
    ):
        assert Position(f"{men} w - - 0 1", strict=False).status() == faults
        with pytest.raises(InvalidFen):
            Position(f"{men} w - - 0 1")


FAULTY = {
    notation.Syntax.NO_TEXT: (" ", "it is empty"),
    notation.Syntax.BAD_PIECE: ("4k3/8/8/8/8/8/x7/4K3 w - - 0 1", "character 15: 'x' is not a piece"),
    notation.Syntax.TWO_DIGITS: ("4k3/44/8/8/8/8/8/4K3 w - - 0 1", "character 6: two digits"),
    notation.Syntax.LONG_RANK: ("4k3/8/8/ppppppppp/8/8/8/4K3 w - - 0 1", "character 17: this rank has more than 8"),
    notation.Syntax.SHORT_RANK: ("4k3/8/8/7/8/8/8/4K3 w - - 0 1", "character 10: this rank has fewer than 8"),
    notation.Syntax.MANY_RANKS: ("4k3/8/8/8/8/8/8/4K3/8 w - - 0 1", "character 20: there are more than 8 ranks"),
    notation.Syntax.FEW_RANKS: ("4k3/8/8/8/8/8/4K3 w - - 0 1", "character 18: there are fewer than 8 ranks"),
    notation.Syntax.BAD_TURN: ("4k3/8/8/8/8/8/8/4K3 W - - 0 1", "character 21: 'W' is not a side to move"),
    notation.Syntax.BAD_CASTLING: ("4k3/8/8/8/8/8/8/4K2R w K! - 0 1", "character 25: '!' is not a castling right"),
    notation.Syntax.TWICE: ("4k3/8/8/8/8/8/8/4K2R w KH - 0 1", "character 25: 'H' names the same castling rook again"),
    notation.Syntax.BAD_SQUARE: ("4k3/8/8/8/8/8/8/4K3 w - e9 0 1", "character 25: 'e9' is not an en passant square"),
    notation.Syntax.BAD_NUMBER: ("4k3/8/8/8/8/8/8/4K3 w - - -1 1", "character 27: '-1' is not a number"),
    notation.Syntax.BIG_NUMBER: ("4k3/8/8/8/8/8/8/4K3 w - - 0 65536", "character 29: the number '65536' is too large"),
    notation.Syntax.EXTRA_FIELD: ("4k3/8/8/8/8/8/8/4K3 w - - 0 1 1", "character 31: '1' follows the six fields"),
    Status.EMPTY: ("8/8/8/8/8/8/8/8 w - - 0 1", "the board is empty"),
    Status.NO_WHITE_KING: ("4k3/8/8/8/8/8/8/8 w - - 0 1", "White has no king"),
    Status.NO_BLACK_KING: ("8/8/8/8/8/8/8/4K3 w - - 0 1", "Black has no king"),
    Status.TOO_MANY_KINGS: ("4k3/8/8/8/8/8/8/KK6 w - - 0 1", r"there are 3 kings \(a1 b1 e8\)"),
    Status.TOO_MANY_WHITE_PAWNS: ("4k3/8/8/8/8/P7/PPPPPPPP/4K3 w - - 0 1", "White has 9 pawns"),
    Status.TOO_MANY_BLACK_PAWNS: ("4k3/pppppppp/p7/8/8/8/8/4K3 w - - 0 1", "Black has 9 pawns"),
    Status.PAWNS_ON_BACKRANK: ("p3k3/8/8/8/8/8/8/P3K3 w - - 0 1", r"last rank \(a1 a8\)"),
    Status.TOO_MANY_WHITE_PIECES: ("4k3/8/8/8/8/N7/NNNNNNNN/NNNNKNNN w - - 0 1", "White has 17 pieces"),
    Status.TOO_MANY_BLACK_PIECES: ("bbbbkbbb/bbbbbbbb/b7/8/8/8/8/4K3 b - - 0 1", "Black has 17 pieces"),
    Status.BAD_CASTLING_RIGHTS: ("4k3/8/8/8/8/8/8/R4K2 w Q - 0 1", "rooks on a1, .*standard chess: king on e1"),
    Status.INVALID_EP_SQUARE: ("4k3/8/8/4p3/8/8/8/4K3 w - d6 0 1", "no pawn can just have passed d6"),
    Status.OPPOSITE_CHECK: ("4k3/4R3/8/8/8/8/8/4K3 w - - 0 1", "the side not to move is in check"),
    Status.TOO_MANY_CHECKERS: ("4k3/3P1P2/8/8/8/8/4R3/4K3 b - - 0 1", "more than two pieces"),
    Status.IMPOSSIBLE_CHECK: ("8/8/N7/2k5/N7/8/8/3K4 b - - 0 1", "no last move can have given the check"),
}


def test_every_fault_has_a_sentence_and_an_example() -> None:
    assert {*notation.SENTENCES, *status.SENTENCES} == FAULTY.keys() == {*notation.Syntax, *Status}


@pytest.mark.parametrize("fault", FAULTY, ids=lambda fault: fault.name)
def test_a_fault_is_explained(fault: notation.Syntax | Status) -> None:
    fen, message = FAULTY[fault]
    with pytest.raises(InvalidFen, match=message):
        Position(fen)
    if isinstance(fault, Status):
        position = Position(fen, strict=False)
        assert fault in position.status()
        assert len(position.faults()) == len(list(position.status()))
    else:
        with pytest.raises(InvalidFen, match=message):
            Position(fen, strict=False)


#: Rows that other libraries judge otherwise than the standard and python-chess, or that python-chess judges otherwise.
DELIBERATE = {
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 0": "valid",  # the full move 0 is read as 1
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 10 5": "valid",  # the clocks contradict each other
    "nrbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1": "invalid",  # "overridable" there
    "rnbqkbnr/ppppNNpp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1": "invalid",  # 18 pieces, "unclear" there
}


def test_a_collection_of_invalid_fens(shared_data: Path) -> None:
    with (shared_data / "fen" / "invalid_fens.tsv").open() as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    assert len(rows) == 150
    for row in rows:
        fen, expected = row["fen"], "valid" if row["expected"].startswith("valid") else "invalid"
        if " bm " in fen or fen.endswith("w - -0 1"):  # EPD, in part malformed; not FEN
            expected = "invalid"
        try:
            Position(fen, chess960="960" in row["expected"])
        except InvalidFen as error:
            assert len(str(error)) < 400  # noqa: PT017
            found = "invalid"
        else:
            found = "valid"
        assert found == DELIBERATE.get(fen, expected), row


def test_any_text_is_a_position_or_explained() -> None:
    seen = Counter[bool]()
    fens = st.builds(
        "{} {} {} {} {}".format,
        st.sampled_from(
            ["4k3/8/8/8/8/8/8/4K3", START.partition(" ")[0], "4k3/8/8/8/4Pp2/8/8/R3K2R", "4k3/8/8/8/8/8/8/4K4"]
        ),
        st.sampled_from("w b w b x".split()),
        st.sampled_from("- - - KQ KQkq Qk !".split()),
        st.sampled_from("- - - e3 e6 e9".split()),
        st.sampled_from(["0 1", "99 70", "7", "", "-1 5", "0 65536"]),
    )

    @given(st.text() | fens)
    def is_read_or_refused(text: str) -> None:
        try:
            position = Position(text)
        except InvalidFen as error:
            assert str(error).startswith("FEN ")  # noqa: PT017
            seen[False] += 1
        else:
            assert Position(position.fen("fen")) == position
            seen[True] += 1

    is_read_or_refused()
    assert min(seen[True], seen[False]) > 3


def mutations(cases: int) -> list[str]:
    """FENs with one to three letters changed, added or taken away."""
    chance = random.Random(8)  # noqa: S311
    fens = starts("perft.epd") + starts("perft960.epd")
    letters = "PNBRQKpnbrqk12345678/ wb-KQkqAHah0123456789 e36"
    changed = []
    for _ in range(cases):
        fen = list(chance.choice(fens))
        for _ in range(chance.randrange(1, 4)):
            at = chance.randrange(len(fen))
            fen[at : at + chance.randrange(2)] = chance.choice([chance.choice(letters), ""])
        changed.append("".join(fen))
    return changed


def test_changed_letters_are_refused_where_python_chess_refuses_them() -> None:
    both = 0
    for fen in mutations(8000):
        try:
            board = chess.Board(fen, chess960=True)
        except ValueError:
            board = None
        try:
            position = Position(fen, chess960=True, strict=False)
        except InvalidFen as error:
            assert board is None or "names the same" in str(error), fen  # noqa: PT017
            continue
        if board is None:  # castling letters in another order, or too many of one side, which status tells
            assert not chess.FEN_CASTLING_REGEX.match(fen.split()[2]), fen
            continue
        assert position.fen("fen").split()[:2] == board.fen(en_passant="fen").split()[:2]
        if not board.is_valid() or two_steppers_check(board):
            continue
        if position.status() == Status.BAD_CASTLING_RIGHTS:  # python-chess drops a queenside right without any rook
            assert (position.castling_rights - board.castling_rights).issubset(chess.BB_A1 | chess.BB_A8), fen
        else:
            assert position.status() == Status.VALID, fen
            assert [position.fen(convention) for convention in CONVENTIONS] == [
                board.fen(en_passant=convention) for convention in CONVENTIONS
            ]
            both += 1
    assert both > 1000


@pytest.mark.parametrize(
    "letters",
    ["k", " ", "1", "8/", "/", "é", "x y ", START + " ", START[:-3] + "0"][:: depth(2, 1)],
    ids=lambda letters: letters[-4:],
)
def test_megabytes_are_refused_in_time_and_memory_in_proportion(letters: str) -> None:
    def refused(text: str) -> None:
        with pytest.raises(InvalidFen) as caught:
            Position(text)
        assert len(str(caught.value)) < 300
        with pytest.raises(InvalidFen) as caught:
            Positions.from_fens([START, text])
        assert len(str(caught.value)) < 300

    stays_in_proportion(refused, lambda size: letters + letters[-2:] * (size // len(letters[-2:])))


@pytest.mark.parametrize(
    "men",
    [
        "4k3//8/8/8/8/8/8/4K3", "4k3/8/8/8/8/8/8//4K3", "/4k3/8/8/8/8/8/8/4K3", "4k3/8/8/8/8/8/8/4K3/",
        "4k38/8/8/8/8/8//4K3", "4k3/8/8/8/8/8/84K3", "4k3/8/8/8/8/8/8/4K3/8", "4k3/8/8/8/8/7/9/4K3",
        "4k3/8/8/8/8/7/18/4K3", "4k3/8/8/8/8/44/8/4K3", "4k3/8/8/8/8/0/8/4K3", "4k3/8/8/8/8/8/8/4K12",
        "4k3/ppppppppp/7/8/8/8/8/4K3", "4k3" + "/" * 263 + "8/8/8/8/8/8/4K3",
    ],
)  # fmt: skip
def test_ranks_that_only_add_up_are_refused(men: str) -> None:
    """64 squares alone are no board."""
    with pytest.raises(ValueError, match="of fen"):
        chess.Board(f"{men} w - - 0 1")
    with pytest.raises(InvalidFen, match=r"rank|digit|no piece"):
        Position(f"{men} w - - 0 1", strict=False)


@pytest.mark.parametrize(
    ("text", "full"),
    [
        ("4k3/8/8/8/8/8/8/4K3", "4k3/8/8/8/8/8/8/4K3 w - - 0 1"),
        ("4k3/8/8/8/8/8/8/4K3 b", "4k3/8/8/8/8/8/8/4K3 b - - 0 1"),
        ("\t4k3/8/8/8/8/8/8/4K2R  w\nK", "4k3/8/8/8/8/8/8/4K2R w K - 0 1"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 7", "4k3/8/8/8/8/8/8/4K3 w - - 7 1"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 7 0", "4k3/8/8/8/8/8/8/4K3 w - - 7 1"),
        ("r3k2r/8/8/8/8/8/8/R3K2R w qKkQ - 0 1", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"),
        ("r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"),
        ("4k3/4Q~3/8/8/8/8/8/4K3 b - - 0 1", "4k3/4Q3/8/8/8/8/8/4K3 b - - 0 1"),
    ],
)
def test_what_is_missing_from_a_fen_is_forgiven(text: str, full: str) -> None:
    assert Position(text).fen() == full


@pytest.mark.parametrize(
    ("men", "letters", "rooks", "written"),
    [
        ("4k3/8/8/8/8/8/8/1RR1K1RR", "KQ", "b1 h1", "KQ"),
        ("4k3/8/8/8/8/8/8/1RR1K1RR", "GC", "c1 g1", "GC"),
        ("4k3/8/8/8/8/8/8/1RR1K1RR", "GB", "b1 g1", "GQ"),
        ("1rr1k1rr/8/8/8/8/8/8/4K3", "gc", "c8 g8", "gc"),
        ("1rr1k1rr/8/8/8/8/8/8/4K3", "kb", "b8 h8", "kq"),
        ("4k3/8/8/8/8/8/8/KR5R", "B", "b1", "B"),
        ("4k3/8/8/8/8/8/8/KR5R", "K", "h1", "K"),
    ],
)
def test_all_dialects_of_castling_are_read(men: str, letters: str, rooks: str, written: str) -> None:
    position = Position(f"{men} w {letters} - 0 1", chess960=True)
    assert position.castling_rights.names() == rooks.split()
    assert position.fen().split()[2] == written
    files = [rook[0] for rook in rooks.split()]
    assert position.fen(shredder=True).split()[2].lower() == "".join(sorted(files, reverse=True))


# -------------------------------------------------------------------------------------------------------- many at once


def columns(fens: list[str], *, chess960: bool) -> tuple[tuple[int, list[int], list[int]], tuple[np.ndarray, ...]]:
    text = "\n".join(fens).encode()
    offsets = np.cumsum([0] + [len(fen.encode()) + 1 for fen in fens])
    offsets[-1] -= 1
    size = len(fens)
    out = (np.zeros((10, size), np.uint64), np.zeros(size, bool), np.zeros(size, np.uint16), np.zeros(size, np.uint16))
    faults, places = np.ones(size, np.uint64), np.ones(size, np.int64)
    sound = notation.read_fens(np.frombuffer(text, np.uint8), offsets, chess960, *out, faults, places)
    return (sound, faults.tolist(), places.tolist()), out


def test_many_are_read_and_written_like_one() -> None:
    fens = starts("perft.epd") + starts("perft960.epd")
    result, (words, white_to_move, halfmoves, fullmoves) = columns(fens, chess960=True)
    assert result[:2] == (len(fens), [0] * len(fens))
    for k, fen in enumerate(fens):
        position = Position(fen, chess960=True)
        assert (*words[:, k].tolist(), white_to_move[k], halfmoves[k], fullmoves[k]) == position.words
    out, offsets = np.zeros(len(fens) * notation.MOST_BYTES, np.uint8), np.zeros(len(fens) + 1, np.int64)
    for convention in CONVENTIONS:
        mode = np.uint64(notation.mode_of(convention, shredder=False))
        end = notation.write_fens(words, white_to_move, halfmoves, fullmoves, mode, out, offsets)
        assert end == offsets[-1]
        written = [out[start:stop].tobytes().decode() for start, stop in pairwise(offsets)]
        assert written == [Position(fen, chess960=True).fen(convention) for fen in fens]


def test_sound_ones_of_many_are_read_and_the_others_told() -> None:
    fens = [START, "4k3/8/8/8/8/8/8/4K3 w", "4k3/8/8/8/8/8/8/4K3 x", f"{START} "]
    (sound, faults, places), (words, *_) = columns(fens, chess960=False)
    assert (sound, faults) == (3, [0, 0, notation.Syntax.BAD_TURN, 0])
    assert places[2] == len(START) + 1 + len(fens[1]) + 1 + 20
    assert words[:, 2].tolist() == words[:, 0].tolist()
    (sound, faults, _), _ = columns(["4k3/8/8/8/8/8/8/4K1R1 w K"], chess960=False)
    assert (sound, faults) == (0, [Status.BAD_CASTLING_RIGHTS])


def test_the_longest_fen_fits() -> None:
    position = Position(
        "rnbqkbnr/pPpPpPpP/PpPpPpPp/pPpPpPpP/PpPpPpPp/pPpPpPpP/PpPpPpPp/RNBQKBNR w ABCDEFGHabcdefgh e6 0 1",
        chess960=True, strict=False,
    )  # fmt: skip
    words = (*position.words[:11], 2**64 - 1, 2**64 - 1)
    written = Position.from_words(words, chess960=True, strict=False).fen("fen", shredder=True)
    assert len(written) <= notation.MOST_BYTES
    assert written.split()[2:] == ["HGFEDCBAhgfedcba", "e6", str(2**64 - 1), str(2**64 - 1)]


@given(st.integers(0, 2**64 - 1))
def test_numbers_are_written_in_decimal(number: int) -> None:
    words = (*Position().words[:11], number, number)
    assert Position.from_words(words).fen().split()[4:] == [str(number)] * 2


def test_a_fault_of_a_row_is_that_of_the_position_alone() -> None:
    texts = ["4k3/8/8/8/8/8/8/4K2R w KQkz - 0 1", "kkk5/8/8/8/8/8/8/K1K4P w - - 0 1", "ppppppppp/8 w - - 0 1"]
    texts += ["4k3/pppppppp/p7/8/8/8/8/4K3 w - - 0 1", "4k3/8/8/8/8/8/8/4K3 b - e9 0 1"]
    faults: list[Fault] = []
    assert find("true", "\n".join(["fen", *texts]).encode(), on_fault=faults.append).num_rows == 0
    for text, fault in zip(texts, (it.reason for it in faults), strict=True):
        with pytest.raises(InvalidFen) as alone:
            Position(text, chess960=True)
        assert str(alone.value).startswith(fault)
        assert "rooks on ," not in fault


def test_rights_and_squares_that_cannot_be_are_left_out_with_a_note_unless_strict() -> None:
    mended = {
        "4k3/8/8/8/8/8/8/4K2R w KQkq - 0 1": "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
        "4k3/8/8/8/8/8/4P3/4K3 w - e6 0 1": "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",
        "4k3/8/8/8/8/8/4P3/4K3 b - - 3 9": "4k3/8/8/8/8/8/4P3/4K3 b - - 3 9",
    }
    assert Positions.from_fens(mended).fens().to_pylist() == [*mended.values()]
    with pytest.raises(InvalidFen, match="FEN number 1:"):
        Positions.from_fens(mended, strict=True)
    for begin in ("", "fen\n"):
        notes: list[Fault] = []
        found = find("true", (begin + "\n".join(mended)).encode(), columns=["fen"], on_fault=notes.append)
        assert found["fen"].to_pylist() == [*mended.values()]
        assert [(note.game, note.token) for note in notes] == [(row, fen) for row, fen in enumerate(mended, 1)][:2]
    puzzle = f"FEN,Moves\n{next(iter(mended))},e1d1 e8d8\n"
    notes = []
    assert find("true", puzzle.encode(), columns=["ply"], on_fault=notes.append).num_rows == 3
    assert len(notes) == 1
