"""Moves as text: SAN, LAN, UCI and EPD, read with tolerance and written exactly."""

from __future__ import annotations

import random
from collections import Counter
from itertools import product
from pathlib import Path

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.boards import random_play, scattered
from helpers.cost import stays_in_proportion
from helpers.data import starts
from helpers.depth import depth
from setwise import Move, Position
from setwise.errors import AmbiguousMove, IllegalMove, InvalidEpd, InvalidFen, InvalidMove, SetwiseError
from setwise.notation.epd import parse_epd, write_operations

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
PROMOTING = "1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1"


@pytest.mark.parametrize(("name", "chess960"), [("perft.epd", False), ("perft960.epd", True)])
def test_legal_moves_are_written_as_by_python_chess(name: str, chess960: bool) -> None:
    for fen in starts(name):
        position, board = Position(fen, chess960=chess960), chess.Board(fen, chess960=chess960)
        for move in position.legal_moves():
            theirs = chess.Move.from_uci(position.uci(move))
            assert position.san(move) == board.san(theirs)
            assert position.lan(move) == board.lan(theirs)
            for text in (position.san(move), position.lan(move)):
                assert position.parse_san(text) == move, (fen, text)
                assert position.parse(text) == move
            for style in (False, True):
                text = move.uci(style)
                if not chess960 or not move.is_castling or style:
                    assert position.parse_uci(text) == move, (fen, text)
            assert position.parse(theirs) == move
            assert position.play(theirs) == position.play(int(move)) == position.play(position.san(move))


def test_of_three_pieces_that_reach_a_square_each_is_named() -> None:
    """By its file, by its rank, or by both where neither is enough."""
    fen = "1k6/8/8/Q7/8/6K1/8/Q3Q3 w - - 0 1"
    position, board = Position(fen), chess.Board(fen)
    written = {move.uci(): position.san(move) for move in position.legal_moves()}
    assert {uci: board.san(chess.Move.from_uci(uci)) for uci in written} == written
    assert [written[f"{origin}e5"].rstrip("+") for origin in ("a1", "a5", "e1")] == ["Qa1e5", "Q5e5", "Qee5"]


@pytest.mark.parametrize(
    ("fen", "text", "uci"),
    [
        (KIWIPETE, "Nxd7", "e5d7"),
        (KIWIPETE, "Nd7", "e5d7"),
        (KIWIPETE, "Ne5d7", "e5d7"),
        (KIWIPETE, "Ne5xd7", "e5d7"),
        (KIWIPETE, "N5d7", "e5d7"),
        (KIWIPETE, "Ned7", "e5d7"),
        (KIWIPETE, "Ne5-d7!?", "e5d7"),
        (KIWIPETE, " Nxd7 ", "e5d7"),
        (KIWIPETE, "Nxd7+", "e5d7"),
        (KIWIPETE, "Nxd7#", "e5d7"),
        (KIWIPETE, "dxe6", "d5e6"),
        (KIWIPETE, "d5xe6", "d5e6"),
        (KIWIPETE, "d5e6", "d5e6"),
        (KIWIPETE, "Pd5xe6", "d5e6"),
        (KIWIPETE, "a4", "a2a4"),
        (KIWIPETE, "a2-a4", "a2a4"),
        (KIWIPETE, "O-O", "e1g1"),
        (KIWIPETE, "0-0", "e1g1"),
        (KIWIPETE, "o-o", "e1g1"),
        (KIWIPETE, "O-O-O", "e1c1"),
        (KIWIPETE, "0-0-0!!", "e1c1"),
        (KIWIPETE, "O-O+", "e1g1"),
        (KIWIPETE, "0-0-0#", "e1c1"),
        (KIWIPETE, "e1g1", "e1g1"),
        (KIWIPETE, "e1a1", "e1c1"),
        (KIWIPETE, "e5d7", "e5d7"),
        (KIWIPETE, "e5xd7+", "e5d7"),
        (KIWIPETE, "f3-f5", "f3f5"),
        (KIWIPETE, "b2b3", "b2b3"),
        ("4k3/8/8/8/2p5/1P6/8/B3K3 w - - 0 1", "bxc4", "b3c4"),
        ("4k3/8/8/8/2p5/1P1B4/8/4K3 w - - 0 1", "bxc4", "b3c4"),
        ("4k3/8/8/8/2p5/1P1B4/8/4K3 w - - 0 1", "Bxc4", "d3c4"),
        ("4k3/8/8/8/2p5/3B4/8/4K3 w - - 0 1", "Bc4", "d3c4"),
        (PROMOTING, "a8=Q", "a7a8q"),
        (PROMOTING, "a8Q", "a7a8q"),
        (PROMOTING, "a8=q", "a7a8q"),
        (PROMOTING, "a8q", "a7a8q"),
        (PROMOTING, "a8b", "a7a8b"),
        (PROMOTING, "axb8b", "a7b8b"),
        (PROMOTING, "axb8n+", "a7b8n"),
        (PROMOTING, "a7b8r#", "a7b8r"),
        (PROMOTING, "ab8b", "a7b8b"),
        (PROMOTING, "a8(Q)", "a7a8q"),
        (PROMOTING, "a8(q)+", "a7a8q"),
        (PROMOTING, "a8/Q", "a7a8q"),
        (PROMOTING, "a8=N", "a7a8n"),
        (PROMOTING, "axb8=R+", "a7b8r"),
        (PROMOTING, "a7xb8R", "a7b8r"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "exd6", "e5d6"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "exd6 e.p.", "e5d6"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "exd6ep", "e5d6"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5xd6 (e.p.)!", "e5d6"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "exd6e.p.+", "e5d6"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "ed6", "e5d6"),
    ],
)
def test_san_is_read_with_tolerance(fen: str, text: str, uci: str) -> None:
    assert Position(fen).parse_san(text).uci() == uci


@pytest.mark.parametrize(
    ("fen", "text", "error", "reason"),
    [
        (KIWIPETE, "", InvalidMove, "is not a move in SAN"),
        (KIWIPETE, "-", InvalidMove, "is not a move in SAN"),
        (KIWIPETE, "Nd", InvalidMove, "is not a move in SAN"),
        (KIWIPETE, "hello", InvalidMove, "is not a move in SAN"),
        (KIWIPETE, "a2a4a2a4", InvalidMove, "is not a move in SAN"),
        (KIWIPETE, "a23", InvalidMove, "is not a move in SAN"),
        (KIWIPETE, "Nxd7 and wins", InvalidMove, "is not a move in SAN"),
        (KIWIPETE, "Nxd7é", InvalidMove, "is not a move in SAN"),
        (KIWIPETE, "Nb8", IllegalMove, "none of the knights on c3 and e5 can move to b8"),
        (KIWIPETE, "e5", IllegalMove, "the knight on e5 is in the way, an own piece"),
        (KIWIPETE, "a8=Q", IllegalMove, "'a8=Q' in '"),
        (PROMOTING, "a8", IllegalMove, "must become a queen"),
        (PROMOTING, "a8=K", InvalidMove, "is not a move in SAN"),
        (PROMOTING, "a8P", InvalidMove, "is not a move in SAN"),
        (PROMOTING, "a7a8", IllegalMove, "must become a queen"),
        ("4k3/8/8/8/2p5/3B4/8/4K3 w - - 0 1", "bxc4", IllegalMove, "White has no pawn on the b-file"),
        (KIWIPETE, "nd7", InvalidMove, "is not a move in SAN"),
        (KIWIPETE, "---", InvalidMove, "is not a move in SAN"),
        ("4k3/8/8/8/8/8/8/R3K2R w - - 0 1", "O-O", IllegalMove, "castling is not possible"),
        (
            "4k3/4r3/8/8/4N3/8/8/4K3 w - - 0 1",
            "Nf6",
            IllegalMove,
            "the knight on e4 is pinned to the king by the rook on e7",
        ),
        ("4k3/8/8/8/8/8/8/N3K1N1 w - - 0 1", "Nf4", IllegalMove, "none of the knights on a1 and g1 can move to f4"),
        ("4k3/8/8/8/8/8/8/1N2KN2 w - - 0 1", "Nd2", AmbiguousMove, "more than one piece"),
    ],
)
def test_what_san_does_not_mean(fen: str, text: str, error: type[Exception], reason: str) -> None:
    with pytest.raises(error, match=reason):
        Position(fen).parse_san(text)


def test_castling_is_read_in_both_styles_of_uci() -> None:
    """Where the king goes, if no king's move is meant (in python-chess from e1 and e8 only), and king takes rook."""
    chance, seen = random.Random(6), 0  # noqa: S311
    for _ in range(400):
        position = Position.from_board(scattered(chance))
        for move in position.legal_moves():
            if move.is_castling:
                assert position.parse_uci(move.uci(chess960=True)) == move, position
                if abs(move.to_square - move.from_square) > 1:
                    seen += 1
                    assert position.parse_uci(move.uci(chess960=False)) == move, position
    assert seen > 100


def test_uci_is_read_as_python_chess_reads_it() -> None:
    chance, read, refused = random.Random(7), 0, 0  # noqa: S311
    for _ in range(400):
        board = scattered(chance)
        position = Position.from_board(board)
        texts = [board.uci(move, chess960=chance.random() < 0.5) for move in board.legal_moves]
        texts += ["".join(chance.choices(chess.SQUARE_NAMES, k=2)) + chance.choice(("", "q")) for _ in range(20)]
        for text in texts:
            try:
                expected = board.uci(board.parse_uci(text))
            except ValueError:
                if not position.is_legal(text):
                    refused += 1
                    continue
                assert position.parse(text).is_castling
                assert board.chess960
            else:
                read += 1
                assert position.uci(position.parse_uci(text)) == expected, (position, text)
    assert read > 4000
    assert refused > 4000


@pytest.mark.parametrize("text", ["", "e2", "e2e9", "e2e4x", "e2e44", "i1a1", "e1-g1", "O-O", "E2E4", "é2e4"])
def test_what_is_no_uci(text: str) -> None:
    with pytest.raises(InvalidMove, match="is not a move in UCI"):
        Position(KIWIPETE).parse_uci(text)


@pytest.mark.parametrize("text", "e2e2 e1e3 e1b1 e1f3 a1e1 e8g8 d5d7 a2a4q e5d7n e1g1q e1h1q e1d2".split())
def test_what_uci_does_not_mean(text: str) -> None:
    with pytest.raises(IllegalMove, match=text):
        Position(KIWIPETE).parse_uci(text)


@pytest.mark.parametrize("letters", ["a", "N", "-O", " ", "e2e4", "!", "(ep)", "x e.p.", "1"][:: depth(2, 1)])
def test_refusing_megabytes_costs_in_proportion(letters: str) -> None:
    def refused(text: str) -> None:
        with pytest.raises(SetwiseError) as caught:
            Position().parse(text)
        assert len(str(caught.value)) < 250

    stays_in_proportion(refused, lambda size: letters * (size // len(letters)) + "x")


def test_any_text_is_a_move_or_explained() -> None:
    position, seen = Position(KIWIPETE), Counter[bool]()
    pieces, targets = (
        st.sampled_from(["", *"NBRQKP", "N5", "e1", "f3", "a2"]),
        st.sampled_from("a4 b3 c4 d3 d6 d7 f1 f4 f5 f6 h3 d1".split()),
    )
    moves = st.builds(
        "{}{}{}{}".format, pieces, st.sampled_from(["", "x", "-"]), targets, st.sampled_from(["", "+", "!?", "=Q", "é"])
    )

    @given(st.text(max_size=12) | moves | st.sampled_from("O-O 0-0-0 o-o O-O-O-O dxe6 e.p. gxh3 (ep)".split()))
    def is_read_or_refused(text: str) -> None:
        for read in (position.parse_san, position.parse_uci, position.parse):
            try:
                move = read(text)
            except SetwiseError as error:
                assert str(error)  # noqa: PT017
                seen[False] += 1
            else:
                assert move in position.legal_moves()
                seen[True] += 1

    is_read_or_refused()
    assert min(seen[True], seen[False]) > 10


@pytest.mark.parametrize("fen", [KIWIPETE, PROMOTING, "r3k2r/8/8/3pP3/8/2N3N1/8/R3K2R w KQkq d6 0 1"])
def test_every_san_means_what_python_chess_says(fen: str) -> None:
    """All that the grammar allows without checks and promotions to others than queens; legal, ambiguous or illegal."""
    position, board, seen = Position(fen), chess.Board(fen), Counter[str]()
    hints = ["", *"abcdefgh", *"12345678"]
    for piece, hint, takes, target, queen in product(["", *"NBRQK"], hints, ["", "x"], chess.SQUARE_NAMES, ["", "=Q"]):
        text = f"{piece}{hint}{takes}{target}{queen}"
        try:
            expected = board.parse_san(text).uci()
        except chess.AmbiguousMoveError:
            seen["ambiguous"] += 1
            with pytest.raises(AmbiguousMove):
                position.parse_san(text)
        except chess.IllegalMoveError:
            seen["illegal"] += 1
            with pytest.raises(SetwiseError):
                position.parse_san(text)
        else:
            seen["legal"] += 1
            assert position.parse_san(text).uci() == expected, text
    assert seen["legal"] > 10
    assert seen["illegal"] > 10_000


def misspelt(board: chess.Board, move: chess.Move, chance: random.Random) -> str:
    """A text that may mean a move, or another one, or none."""
    if board.is_castling(move) and chance.random() < 0.7:
        return board.san(move).rstrip("+#").replace("O", chance.choice("OO0")) + chance.choice(("", "+", "#"))
    piece = chess.piece_symbol(board.piece_type_at(move.from_square) or chess.PAWN).upper().replace("P", "")
    file, rank = chess.square_name(move.from_square)
    parts = [
        chance.choice((piece, piece, piece, piece, "", chance.choice("NBRQKnbrqk"))),
        chance.choice(("", file, file, chance.choice("abcdefgh"))),
        chance.choice(("", rank, rank, chance.choice("12345678"))),
        chance.choice(("", "", "x", "-")),
        chess.square_name(move.to_square if chance.random() < 0.95 else chance.randrange(64)),
    ]
    if move.promotion or chance.random() < 0.02:
        promotion = chess.piece_symbol(move.promotion or chess.BISHOP)
        parts += [chance.choice(("=", "")), chance.choice((promotion, promotion.upper()))]
    return "".join((*parts, chance.choice(("", "+", "#"))))


def test_misspelt_moves_mean_what_python_chess_says() -> None:
    """Whatever it reads means the same here; of what it refuses, more is read, but nothing that it calls illegal."""
    chance, read, refused = random.Random(5), 0, 0  # noqa: S311
    for _ in range(300):
        board = scattered(chance)
        position, moves = Position.from_board(board), list(board.legal_moves)
        for move in chance.choices(moves, k=40) if moves else ():
            text = misspelt(board, move, chance)
            try:
                expected: type[ValueError] | str = board.uci(board.parse_san(text))
            except chess.AmbiguousMoveError:
                expected = AmbiguousMove
            except chess.IllegalMoveError:
                expected = SetwiseError
            except chess.InvalidMoveError:
                continue
            if isinstance(expected, str):
                read += 1
                assert position.uci(position.parse_san(text)) == expected, (position, text)
            else:
                refused += 1
                with pytest.raises(expected):
                    position.parse_san(text)
    assert read > 3000
    assert refused > 1000


SPELT_IN = [
    Position(fen)
    for fen in (
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w - - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b - - 0 1",
        "1n1q1k2/P1P4P/8/3pP3/8/8/1p4p1/R3K2N w - d6 0 1",
        "1n1q1k2/P1P4P/8/8/3pP3/8/1p4p1/R3K2N b - e3 0 1",
        "4k3/8/8/1R3R2/8/8/8/1R2K1R1 w - - 0 1",
    )
]


def meant(position: Position, piece: str, origin: str, target: str, promotion: str) -> list[Move]:
    """The legal moves that the parts of a text describe, looked for one by one."""
    found = []
    for move in position.legal_moves():
        start, end = chess.square_name(move.from_square), chess.square_name(move.to_square)
        letter = (position.piece_at(move.from_square) or "?").upper()
        if piece or len(origin) < 2:
            told = letter == (piece or "P") and all(sign in start for sign in origin)
            sideways = letter == "P" and origin[:1].isalpha()
            told = told and (letter != "P" or sideways or start[0] == end[0])
        else:
            told = start == origin
        becomes = chess.piece_symbol(move.promotion) if move.promotion else ""
        if told and end == target and becomes == promotion.lower():
            found.append(move)
    return found


@st.composite
def spelt(draw: st.DrawFn) -> tuple[Position, str, list[Move]]:
    """A position, a text, and what it means: a piece, an origin, a target, a promotion, links and suffixes anywhere."""
    position = draw(st.sampled_from(SPELT_IN))
    piece, target = draw(st.sampled_from(["", "", "P", *"NBRQK"])), draw(st.sampled_from(chess.SQUARE_NAMES))
    origin = draw(st.sampled_from(["", *"abcdefgh", *"12345678", *chess.SQUARE_NAMES]))
    promotion = draw(st.sampled_from(["", "", "", *"NBRQnbrq"]))
    if draw(st.integers(0, 3)):  # mostly of some legal move
        move = draw(st.sampled_from(position.legal_moves()))
        start, target = chess.square_name(move.from_square), chess.square_name(move.to_square)
        letter = (position.piece_at(move.from_square) or "?").upper()
        piece = letter if letter != "P" else draw(st.sampled_from(["", "P"]))
        origin = draw(st.sampled_from(["", start[0], start[1], start]))
        promotion = chess.piece_symbol(move.promotion) if move.promotion else ""
        promotion = draw(st.sampled_from([promotion, promotion.upper()]))
    sign = draw(st.sampled_from(["", "=", "/", "()"]))
    parts = [*origin, *target, f"{sign[:1]}{promotion}{sign[1:]}" if promotion else "", ""]
    text = piece + "".join(draw(st.text("x:-+#!?", max_size=2)) + part for part in parts)
    return position, text, meant(position, piece, origin, target, promotion)


@given(spelt())
def test_a_move_in_any_spelling_is_what_its_parts_describe(case: tuple[Position, str, list[Move]]) -> None:
    position, text, expected = case
    if len(expected) == 1:
        assert position.parse_san(text) == expected[0]
    else:
        with pytest.raises(AmbiguousMove if expected else SetwiseError):
            position.parse_san(text)


# ---------------------------------------------------------------------------------------------------------------- Move


def test_a_move_knows_squares_rook_and_promotion() -> None:
    position = Position(KIWIPETE)
    castling = position.parse("O-O-O")
    assert (castling.from_square, castling.to_square, castling.rook_square) == (4, 2, 0)
    assert castling.is_castling
    assert castling.promotion is None
    assert (str(castling), castling.uci(chess960=True), f"{castling:>6}") == ("e1c1", "e1a1", "  e1c1")
    assert repr(castling) == "<Move e1c1>"
    promotions = [Position(PROMOTING).parse(f"a8={letter}") for letter in "NBRQ"]
    assert [move.promotion for move in promotions] == [chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN]
    assert [move.uci() for move in promotions] == ["a7a8n", "a7a8b", "a7a8r", "a7a8q"]
    passing = Position("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1").parse("exd6")
    assert passing.is_en_passant
    assert passing.rook_square is None


def test_castling_is_never_written_as_a_king_move() -> None:
    position = Position("4k3/8/8/8/8/8/8/5KR1 w G - 0 1", chess960=True)
    castling = position.parse("O-O")
    assert castling.uci() == position.uci(castling) == "f1g1"
    assert position.parse("Ke2").uci() == "f1e2"
    far = Position("4k3/8/8/8/8/8/8/RK6 w A - 0 1", chess960=True)
    assert far.parse("O-O-O").uci() == "b1a1"
    assert far.parse_uci("b1a1").is_castling
    assert not far.parse_uci("b1c1").is_castling


@pytest.mark.parametrize("code", [-1, (7 << 12) + 1, 2**16, pytest.param(1 << 10**6, id="huge")])
def test_a_number_that_is_no_move(code: int) -> None:
    with pytest.raises(ValueError, match="a move is a number below 0x7001") as caught:
        Move(code)
    assert len(str(caught.value)) < 120


def test_a_text_alone_is_no_move() -> None:
    with pytest.raises(TypeError, match=r"not from 'e2e4'; Position\.parse reads texts"):
        Move("e2e4")  # type: ignore[arg-type]


# ----------------------------------------------------------------------------------------------------------------- EPD

RECORD = '4k3/8/8/3pP3/8/8/8/4K2R w K d6 bm O-O exd6; id "a \\"quoted\\" id; really"; acd 12; acs -1.5; draw_offer;'


def test_an_epd_record_comes_back() -> None:
    position, operations = Position.from_epd(RECORD)
    assert position == Position("4k3/8/8/3pP3/8/8/8/4K2R w K d6 0 1")
    assert operations == {
        "bm": [position.parse("O-O"), position.parse("exd6")], "id": 'a "quoted" id; really',
        "acd": 12, "acs": -1.5, "draw_offer": None,
    }  # fmt: skip
    assert position.epd(**operations) == RECORD
    assert Position.from_epd(position.epd(**operations)) == (position, operations)


def test_python_chess_reads_the_same_operations() -> None:
    record = '4k3/8/8/8/8/8/8/4K2R w K - am Kd1 Kd2; pv O-O Kd7 Kg2; sm O-O; c0 "x\\ty\\\\"; hmvc 7; fmvn 12; ce -30;'
    board = chess.Board()
    expected = board.set_epd(record)
    position, operations = Position.from_epd(record)
    assert position.fen() == board.fen()
    assert position.epd() == board.epd()
    for name, operand in operations.items():
        theirs = expected[name]
        if isinstance(operand, list):
            assert [move.uci() for move in operand] == [move.uci() for move in theirs]
        else:
            assert (operand.uci() if isinstance(operand, Move) else operand) == (
                theirs.uci() if isinstance(theirs, chess.Move) else theirs
            )
    assert chess.Board().set_epd(position.epd(**operations)) == expected


WITH_A_MEANING = {"bm", "am", "pm", "rm", "sm", "pv", "hmvc", "fmvn"}
NAMES = st.from_regex(r"[a-z][a-z0-9_]{0,9}", fullmatch=True).filter(lambda name: name not in WITH_A_MEANING)
NUMBERS = st.one_of(st.integers(-(10**17), 10**17), st.floats(allow_nan=False, allow_infinity=False))


@given(st.dictionaries(NAMES, st.one_of(st.none(), NUMBERS, st.text()), max_size=4))
def test_operations_come_back(operations: dict[str, object]) -> None:
    position = Position()
    assert Position.from_epd(position.epd(**operations)) == (position, operations)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", InvalidEpd),
        ("4k3/8/8/8/8/8/8/4K3", InvalidEpd),
        ("4k3/8/8/8/8/8/8/4K3 w -", InvalidEpd),
        ("4k3/8/8/8/8/8/8/4K3 x - - bm Kd1;", InvalidEpd),
        ("4k3/8/8/8/8/8/8/4K3 w - - 5;", InvalidEpd),
        ('4k3/8/8/8/8/8/8/4K3 w - - id "never closed;', InvalidEpd),
        ("4k3/8/8/8/8/8/8/3K w - - bm Kd1;", InvalidFen),
        ("4k3/8/8/8/8/8/8/4K3 w - - bm Kd3;", IllegalMove),
        ("4k3/8/8/8/8/8/8/4K3 w - - pv Kd1 Kd1;", IllegalMove),
        ("4k3/8/8/8/8/8/8/4K3 w - - sm;", InvalidMove),
    ],
)
def test_what_is_no_epd(text: str, error: type[Exception]) -> None:
    with pytest.raises(error) as caught:
        Position.from_epd(text)
    assert len(str(caught.value)) < 300


def test_operations_of_chess960_hold_its_castling() -> None:
    record = "k3r3/8/8/4P3/8/8/8/1R2K1R1 w KQ - bm O-O Rb5; pv O-O-O Ka7;"
    position, operations = Position.from_epd(record, chess960=True)
    assert [move.uci() for move in operations["bm"]] == ["e1g1", "b1b5"]
    assert operations["pv"][0].rook_square == chess.B1
    assert position.epd(**operations) == record


BEGINS = ("", "4k3/8/8/8/8/8/8/4K3 w - - ", '4k3/8/8/8/8/8/8/4K3 w - - id "')
LETTERS = ("a", "a; ", " ", ";", '"', '\\"', "a " * 20 + ";", "bm ", "1. ")


#: By day each of them once.
@pytest.mark.parametrize(
    ("letters", "begins"),
    depth([(it, BEGINS[at // 3]) for at, it in enumerate(LETTERS)], [*product(LETTERS, BEGINS)]),
)
def test_megabytes_of_epd_cost_in_proportion(begins: str, letters: str) -> None:
    def read(text: str) -> None:
        try:
            Position.from_epd(text)
        except SetwiseError as error:
            assert len(str(error)) < 300  # noqa: PT017

    stays_in_proportion(read, lambda size: begins + letters * (size // len(letters) // 8))


def test_an_operation_that_comes_twice_has_its_last_operand() -> None:
    assert parse_epd("4k3/8/8/8/8/8/8/4K3 w - - " + "c0 0; " * 10**5 + "c0 1;")[1] == {"c0": 1}


def test_fens_and_unclosed_operations_are_forgiven() -> None:
    assert parse_epd("4k3/8/8/8/8/8/8/4K3 b - - 3 17") == ("4k3/8/8/8/8/8/8/4K3 b - -", {"hmvc": 3, "fmvn": 17})
    assert Position.from_epd("4k3/8/8/8/8/8/8/4K3 b - - 3 17 bm Kd7")[0].fen() == "4k3/8/8/8/8/8/8/4K3 b - - 3 17"


@pytest.mark.parametrize("name", ["", "1a", "a b", "ab;", "a" * 16])
def test_what_is_no_name_of_an_operation(name: str) -> None:
    with pytest.raises(InvalidEpd, match="not a name of an EPD operation"):
        write_operations([(name, 1)])


def test_records_are_read_as_python_chess_wrote_them() -> None:
    boards = [board for board in random_play(4, seed=21, every=9) if board.legal_moves]
    for number, board in enumerate(boards):
        moves = list(board.legal_moves)[:3]
        record = board.epd(
            bm=moves, am=moves[0], id=f"number {number}", hmvc=board.halfmove_clock, ce=-number, noop=None
        )
        position, operations = Position.from_epd(record)
        assert position.fen().split()[:5] == board.fen().split()[:5]
        assert {move.uci() for move in operations["bm"]} == {move.uci() for move in moves}
        assert (operations["id"], operations["ce"], operations["noop"]) == (f"number {number}", -number, None)
    assert len(boards) > 30


def test_the_strategic_test_suite_reads(shared_data: Path) -> None:
    for line in (shared_data / "epd" / "sts.epd").read_text().splitlines()[::10]:
        position, operations = Position.from_epd(line)
        board = chess.Board()
        expected = board.set_epd(line)
        assert position.fen() == board.fen()
        assert [move.uci() for move in operations["bm"]] == [move.uci() for move in expected["bm"]]
        assert operations["id"] == expected["id"]
