"""Position as a Python object: fields, customs, bridges."""

from __future__ import annotations

import copy
import pickle

import chess
import pytest

from helpers.boards import random_play
from helpers.data import starts
from setwise import Position
from setwise.bitboard import Bitboard
from setwise.errors import InvalidFen

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 3 7"
FIELDS = (
    "white_pieces black_pieces pawns knights bishops rooks queens kings castling_rights en_passant white_to_move "
    "halfmove_clock fullmove_number occupied chess960 words"
).split()


def test_a_position_has_the_fields_of_its_fen() -> None:
    p = Position("r3k3/8/8/3pP3/8/6n1/1QB5/4K2R w Kq d6 3 7")
    assert p.white_pieces == Bitboard("e5 b2 c2 e1 h1")
    assert p.black_pieces == Bitboard("a8 e8 d5 g3")
    assert (p.pawns, p.knights, p.bishops) == (Bitboard("d5 e5"), Bitboard("g3"), Bitboard("c2"))
    assert (p.rooks, p.queens, p.kings) == (Bitboard("a8 h1"), Bitboard("b2"), Bitboard("e1 e8"))
    assert (p.castling_rights, p.en_passant) == (Bitboard("h1 a8"), Bitboard("d6"))
    assert (p.white_to_move, p.halfmove_clock, p.fullmove_number, p.chess960) == (True, 3, 7, False)
    assert p.occupied == p.white_pieces | p.black_pieces
    assert type(p.occupied) is type(p.pawns) is Bitboard
    assert (p.piece_at("e1"), p.piece_at(60), p.piece_at("a1")) == ("K", "k", None)
    assert p.piece_string() == "....K..R.QB...........n............pP...................r...k..."


def test_without_a_fen_it_is_the_start_position() -> None:
    assert Position().fen() == START == Position(START).fen()


def test_it_cannot_be_changed() -> None:
    p = Position()
    for field in FIELDS:
        with pytest.raises(AttributeError):
            setattr(p, field, 0)
    with pytest.raises(AttributeError):
        p.anything = 1  # type: ignore[attr-defined]
    before = p.words
    p.play("e4")
    p.legal_moves().clear()
    assert p.words == before
    assert len(p.legal_moves()) == 20


def test_equal_positions_are_equal_and_found_in_sets() -> None:
    one, other = Position().play("e4").play("e5").play("d4"), Position().play("d4").play("e5").play("e4")
    assert one != other  # the square that has been passed
    assert one.play("Nf6").play("Nf3") == Position(one.play("Nf6").play("Nf3").fen())
    assert hash(Position(KIWIPETE)) == hash(Position(KIWIPETE))
    assert len({Position(), Position(START), Position(KIWIPETE)}) == 2
    assert Position() != Position(START.replace("0 1", "1 1"))
    assert Position() != START


@pytest.mark.parametrize("chess960", [False, True])
def test_copies_and_pickles_are_equal_positions(chess960: bool) -> None:
    p = Position(KIWIPETE, chess960=chess960)
    for other in (copy.copy(p), copy.deepcopy(p), pickle.loads(pickle.dumps(p)), eval(repr(p))):  # noqa: S307
        assert other == p
        assert other.chess960 == chess960
        assert other.fen() == p.fen()


def test_to_python_chess_and_back() -> None:
    for name, chess960 in (("perft.epd", False), ("perft960.epd", True)):
        for fen in starts(name):
            board = chess.Board(fen, chess960=chess960)
            p = Position.from_board(board)
            assert p == Position(fen, chess960=chess960)
            back = p.to_board()
            assert (back, back.chess960, back.fen(en_passant="fen")) == (board, chess960, board.fen(en_passant="fen"))
            assert sorted(move.uci() for move in back.legal_moves) == sorted(map(p.uci, p.legal_moves()))


def test_boards_with_other_rules_are_refused() -> None:
    import chess.variant

    with pytest.raises(ValueError, match="atomic has other rules"):
        Position.from_board(chess.variant.AtomicBoard())
    board = chess.Board()
    board.remove_piece_at(chess.E1)
    with pytest.raises(InvalidFen, match="White has no king"):
        Position.from_board(board)
    assert Position.from_board(board, strict=False).status()


def test_a_position_comes_back_from_its_words() -> None:
    for fen in starts("perft.epd"):
        p = Position(fen)
        assert Position.from_words(p.words) == p
    words = list(Position().words)
    for broken, message in (
        (words[:12], "13 numbers"),
        ([-1, *words[1:]], "13 numbers"),
        ([2**64, *words[1:]], "13 numbers"),
        ([words[0] | 1 << 40, *words[1:]], "does not hold on a6"),
        ([words[0], words[0], *words[2:]], "one colour and one kind"),
        ([*words[:3], words[3] | 1, *words[4:]], "does not hold on a1"),
        ([*words[:10], 2, *words[11:]], "does not hold on the turn"),
        ([*words[:8], 1 << 20, *words[9:]], "not Bitboard\\('e3'"),
        ([*words[:9], 3 << 40, *words[10:]], "Bitboard\\('a6 b6'"),
        ([*words[:8], 2, *words[9:]], "rooks on b1"),
    ):
        with pytest.raises(InvalidFen, match=message):
            Position.from_words(broken)


def test_the_mirror_image_has_mirrored_moves() -> None:
    p = Position("r3k3/8/8/3pP3/8/6n1/1QB5/4K2R w Kq d6 3 7")
    assert p.mirror().fen() == "4k2r/1qb5/6N1/8/3Pp3/8/8/R3K3 b Qk d3 3 7"
    for fen in starts("perft960.epd"):
        p = Position(fen, chess960=True)
        assert p.mirror().mirror() == p
        assert len(p.mirror().legal_moves()) == len(p.legal_moves())
        assert p.mirror().to_board() == p.to_board().mirror()


def test_the_starting_positions_of_chess960() -> None:
    for number in range(960):
        assert Position.chess960_start(number).to_board() == chess.Board.from_chess960_pos(number)
    assert Position.chess960_start(518) == Position()
    for number in (-1, 960):
        with pytest.raises(ValueError, match="the numbers 0 to 959"):
            Position.chess960_start(number)


def test_attackers_are_those_of_python_chess() -> None:
    for fen in starts("perft.epd"):
        p, board = Position(fen), chess.Board(fen)
        for square in chess.SQUARES:
            for white in (True, False):
                assert p.attackers(square, white=white) == int(board.attackers(white, square)), (fen, square)
    assert Position().attackers("f3", white=True) == Bitboard("e2 g2 g1")
    assert Position("8/8/8/8/8/8/8/R7 w - - 0 1", strict=False).attackers("a8", white=True) == Bitboard("a1")
    with pytest.raises(ValueError, match="square"):
        Position().attackers("e9", white=True)


def test_it_is_drawn() -> None:
    assert str(Position()).splitlines()[0] == "8 r n b q k b n r"
    assert Position()._repr_svg_().startswith("<svg")


@pytest.mark.parametrize("fen", [None, 5, b"8/8/8/8/8/8/8/8 w - - 0 1", ["x"]])
def test_a_fen_is_a_text(fen: object) -> None:
    with pytest.raises(TypeError, match="made from the text of a FEN"):
        Position(fen)  # type: ignore[arg-type]


@pytest.mark.parametrize("move", [None, 1.5, ["e4"]])
def test_what_cannot_be_a_move(move: object) -> None:
    with pytest.raises(TypeError, match="a move is a Move, a number, or a text"):
        Position().play(move)  # type: ignore[arg-type]


def test_unknown_conventions_of_en_passant_are_refused() -> None:
    with pytest.raises(ValueError, match="'legal', 'fen' or 'xfen', not 'yes'"):
        Position().fen("yes")  # type: ignore[arg-type]


@pytest.mark.parametrize("square", ["e9", "", 64, -1])
def test_what_is_no_square(square: object) -> None:
    with pytest.raises(ValueError, match="square"):
        Position().piece_at(square)  # type: ignore[arg-type]


# -------------------------------------------------------------------------------------------------- targets of a piece


def test_targets_are_attacks_less_friends_until_the_king_objects() -> None:
    """Of all pieces, against python-chess: attacks and moves, legal or not, and captures alone."""
    seen = 0
    for board in [*random_play(3, seed=21, every=9), *random_play(2, seed=22, every=9, chess960=True)]:
        p = Position(board.fen(), chess960=board.chess960)
        rest, legal = board.copy(stack=False), list(board.legal_moves)
        rest.castling_rights = chess.BB_EMPTY
        for square in range(64):
            ours = board.color_at(square) == board.turn
            castling = {lands(board, move) for move in legal if move.from_square == square and board.is_castling(move)}
            moves = {move.to_square for move in legal if move.from_square == square and not board.is_castling(move)}
            taken = {move.to_square for move in legal if move.from_square == square and board.is_capture(move)}
            assert set(p.targets(square)) == moves | castling
            assert set(p.targets(square, captures_only=True)) == taken
            every = {move.to_square for move in rest.pseudo_legal_moves if move.from_square == square}
            assert set(p.targets(square, pseudo_legal=True)) - castling == every - castling
            if ours and board.piece_type_at(square) != chess.PAWN:
                attacks = board.attacks(square) & ~board.occupied_co[board.turn]
                enemies = board.attacks(square) & board.occupied_co[not board.turn]
                assert set(attacks) == every
                assert p.targets(square, pseudo_legal=True, captures_only=True) == int(enemies)
                seen += every != moves
    assert seen > 20


def lands(board: chess.Board, move: chess.Move) -> int:
    """Where a king that castles arrives."""
    return move.from_square & 56 | (6 if board.is_kingside_castling(move) else 2)


@pytest.mark.parametrize(
    "fen", ["8/8/8/8/8/8/8/4K3 w - - 0 1", "4k3/8/8/8/8/8/8/4K2P w - - 0 1", "4k2R/8/8/8/8/8/8/4K3 w - - 0 1"]
)
def test_a_board_that_is_refused_can_be_taken_as_it_is_and_the_message_says_how(fen: str) -> None:
    with pytest.raises(InvalidFen, match=r"; strict=False accepts it, and status\(\) lists its faults$"):
        Position(fen)
    assert Position(fen, strict=False).status()


def test_what_no_board_can_be_made_of_does_not_ask_to_be_taken_as_it_is() -> None:
    with pytest.raises(InvalidFen) as refused:
        Position("4k3/9/8/8/8/8/8/4K3 w - - 0 1")
    assert "strict" not in str(refused.value)
