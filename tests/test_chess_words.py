"""Whoever knows python-chess finds the way: every name of its classes is here, or says what is."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from types import ModuleType
from typing import TypeVar

import chess
import chess.pgn
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import setwise
from setwise import Bitboard, Game, Move, Position
from setwise.errors import IllegalMove, InvalidGame, InvalidMove

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
EN_PASSANT = "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3"
PROMOTION = "1n2k3/P7/8/8/8/8/7p/4K1N1 w - - 0 1"
PINNED = "4k3/4r3/8/8/8/8/4N3/R3K2R w KQ - 0 1"
FENS = (chess.STARTING_FEN, KIWIPETE, EN_PASSANT, PROMOTION, PINNED)
GAME = "1. e4 { best by test } 1... e5 2. Nf3 $1 Nc6 3. Bb5 a6 *"

#: Games of python-chess up to some move.
BOARDS = st.tuples(st.sampled_from(FENS), st.lists(st.integers(0, 10**6), max_size=30)).map(
    lambda drawn: played(chess.Board(drawn[0]), drawn[1])
)


def played(board: chess.Board, choices: list[int]) -> chess.Board:
    for choice in choices:
        moves = list(board.legal_moves)
        if moves:
            board.push(moves[choice % len(moves)])
    return board


# ------------------------------------------------------------------------------------------------------ words that lead

PAIRS = (
    (Position(), chess.Board()),
    (Position().parse("e4"), chess.Move.from_uci("e2e4")),
    (Bitboard("a1"), chess.SquareSet([0])),
    (Game(), chess.pgn.Game()),
    (setwise, chess),
)


def words() -> Iterator[tuple[object, str]]:
    """Every public name of python-chess beside the thing here that people would ask for it."""
    for ours, theirs in PAIRS:
        for name in dir(theirs):
            thing = getattr(theirs, name)
            borrowed = isinstance(theirs, ModuleType) and getattr(thing, "__module__", "chess") != "chess"
            if not name.startswith("_") and not borrowed and not isinstance(thing, ModuleType | TypeVar):
                yield ours, name


def way(thing: object, name: str) -> str:
    with pytest.raises(AttributeError) as told:
        getattr(thing, name)
    return str(told.value)


def is_there(path: str) -> bool:
    """Whether a name with dots is in the package, as a sentence says."""
    found: object = setwise
    for part in path[1:].split("."):
        found = getattr(found, part, None)
    return found is not None


def test_every_word_is_here_or_leads_here() -> None:
    wrong, led = [], 0
    for thing, name in words():
        if hasattr(thing, name):
            continue
        led += 1
        sentence = way(thing, name)
        named = [(Position(), r"(?<!\.)\bposition\.(\w+)"), (Game(), r"\bgame\.(\w+)"), (Move, r"\bmove\.(\w+)")]
        if (
            not re.fullmatch(rf".*has no attribute '{name}': .{{12,}}", sentence)
            or not all(map(is_there, re.findall(r"setwise((?:\.\w+)+)", sentence)))
            or not all(hasattr(it, attribute) for it, form in named for attribute in re.findall(form, sentence))
        ):
            wrong.append(sentence)
    assert wrong == []
    assert led > 150


def test_other_names_are_plainly_unknown() -> None:
    for thing, _ in PAIRS:
        assert way(thing, "no_such_name").endswith("has no attribute 'no_such_name'")


def test_words_that_only_lead_are_not_listed() -> None:
    assert "push" not in dir(Position())
    assert not hasattr(Position(), "push")
    assert {"play", "legal_moves", "fen"} <= set(dir(Position()))


# ------------------------------------------------------------------------------------------ words that are here as well


@settings(max_examples=30)
@given(BOARDS)
def test_pieces_attacks_and_ends_are_those_of_python_chess(board: chess.Board) -> None:
    position = Position(board.fen(en_passant="fen"))
    assert position.piece_map() == {square: piece.symbol() for square, piece in sorted(board.piece_map().items())}
    assert position.is_game_over() == board.is_game_over()
    for white in (True, False):
        assert position.king(white=white) == board.king(white)
    for square in chess.SQUARES:
        assert position.attacks(square) == int(board.attacks(square))
        for white in (True, False):
            assert position.is_attacked_by(square, white=white) == board.is_attacked_by(white, square)
            assert position.attackers(square, white=white) == int(board.attackers(white, square))


@settings(max_examples=30)
@given(BOARDS, st.integers(0, 63), st.integers(0, 63), st.sampled_from(["", "n", "q"]))
def test_in_asks_what_python_chess_answers(board: chess.Board, start: int, stop: int, promotion: str) -> None:
    position = Position(board.fen(en_passant="fen"))
    moves = [move.uci() for move in board.generate_pseudo_legal_moves()]
    if start != stop:
        moves.append(chess.square_name(start) + chess.square_name(stop) + promotion)
    for text in moves:
        theirs = chess.Move.from_uci(text)
        for move in (text, Move.from_uci(text), theirs):
            assert (move in position.legal_moves) == board.is_legal(theirs), text
            # Whose castling passes no attacked square, even where a king may be left in check.
            if not board.is_castling(theirs):
                assert (move in position.pseudo_legal_moves) == board.is_pseudo_legal(theirs), text
    assert len(position.legal_moves) == board.legal_moves.count() == position.legal_moves.count()
    pseudo_legal = list(position.pseudo_legal_moves)
    assert len(position.pseudo_legal_moves) == len(pseudo_legal)
    assert all(move in position.pseudo_legal_moves for move in pseudo_legal)
    steps = [move for move in board.pseudo_legal_moves if not board.is_castling(move)]
    assert sorted(map(str, steps)) == sorted(str(move) for move in pseudo_legal if not move.is_castling)
    assert bool(position.legal_moves) == bool(board.legal_moves)
    assert sorted(map(str, position.legal_moves)) == sorted(map(str, board.legal_moves))


@settings(max_examples=30)
@given(BOARDS)
def test_a_move_of_a_text_is_completed_by_the_position(board: chess.Board) -> None:
    position = Position(board.fen(en_passant="fen"))
    for theirs in board.legal_moves:
        move = Move.from_uci(theirs.uci())
        assert (move.from_square, move.to_square) == (theirs.from_square, theirs.to_square)
        assert (move.promotion, move.uci()) == (theirs.promotion, theirs.uci())
        assert position.parse(move) == position.parse_uci(theirs.uci())
        assert position.play(move) == position.play(theirs.uci())
        assert position.san(move) == board.san(theirs)


def test_texts_that_are_no_moves_are_told() -> None:
    for text in ("e2", "e2e2", "i2i4", "e7e8k", "Nf3", "", "--"):
        with pytest.raises(InvalidMove, match="not a move in UCI"):
            Move.from_uci(text)
    with pytest.raises(TypeError, match="a text, not int"):
        Move.from_uci(12)  # type: ignore[arg-type]
    with pytest.raises(IllegalMove):
        Position().play(Move.from_uci("e2e5"))


def test_moves_are_shown_as_what_they_are() -> None:
    assert repr(Position(PROMOTION).legal_moves).startswith("<")
    assert "a7b8q" in repr(Position(PROMOTION).legal_moves)
    faulty = Position("8/8/8/8/8/8/8/8 w - - 0 1", strict=False)
    assert repr(faulty.legal_moves).startswith("<no moves: ")


def test_every_square_has_its_name() -> None:
    assert {name: getattr(setwise.squares, name) for name in setwise.squares.__all__} == {
        name.upper(): square for square, name in enumerate(chess.SQUARE_NAMES)
    }


# ------------------------------------------------------------------------------------------------------- games of texts


def test_a_game_is_read_from_its_text() -> None:
    theirs = chess.pgn.read_game(io.StringIO(GAME))
    assert theirs is not None
    ours = Game.from_pgn(GAME)
    assert [move.uci() for move in ours.moves] == [move.uci() for move in theirs.mainline_moves()]
    assert (ours.comments, ours.nags) == ({1: "best by test"}, {3: (1,)})
    assert Game.from_pgn(ours.pgn()) == ours


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "no game"),
        (f"{GAME}\n\n{GAME}", "2 games"),
        ("1. e4 e5\n2. Ke3 *", "line 2: 'Ke3'"),
        ("no chess", "line 1: 'no'"),
        ('[FEN "8/8/8/8/8/8/8/8 w - - 0 1"]\n\n*', "line 1: .*FEN"),
        ("1. e4 { \ud800 } *", "half of a letter"),
    ],
)
def test_a_text_that_is_not_one_game_is_told(text: str, told: str) -> None:
    with pytest.raises(InvalidGame, match=told):
        Game.from_pgn(text)


def test_bytes_and_files_lead_to_the_reader() -> None:
    with pytest.raises(TypeError, match="read_pgn"):
        Game.from_pgn(b"1. e4 *")  # type: ignore[arg-type]
