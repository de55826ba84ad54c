"""Null moves pass the turn: in texts, in games, in columns; compared with python-chess ply by ply."""

from __future__ import annotations

import io
import random
from collections import Counter
from pathlib import Path

import chess
import chess.pgn
import chess.polyglot
import numpy as np
import pytest

import setwise
from helpers.data import starts
from helpers.python_chess import games_of
from setwise import Game, Move, Position, Positions
from setwise.corpus.columns.registry import values_of
from setwise.errors import IllegalMove, InvalidMove
from setwise.position.position import Status

WORDS = ("--", "Z0", "<>", "0000", "@@@@")


def takes_king(board: chess.Board, move: chess.Move) -> bool:
    return board.piece_type_at(move.to_square) == chess.KING and not board.is_castling(move)


def with_null_moves(chance: random.Random, board: chess.Board, plies: int) -> chess.Board:
    """A random game in which every sixth move or so is null, in check too; no king is taken."""
    for _ in range(plies):
        moves = [move for move in board.legal_moves if not takes_king(board, move)]
        if chance.random() < 0.17 or not moves:
            board.push(chess.Move.null())
        else:
            board.push(chance.choice([move for move in moves if board.gives_check(move)][:2] + moves[:40]))
    return board


def told(fen: str) -> str:
    """The FEN as games of python-chess tell it: with a passed square where a capture is legal."""
    return chess.Board(fen, chess960=True).fen()


def played_games() -> list[chess.Board]:
    chance = random.Random(4)  # noqa: S311
    found = [with_null_moves(chance, chess.Board(), 60) for _ in range(20)]
    found += [with_null_moves(chance, chess.Board.from_chess960_pos(chance.randrange(960)), 60) for _ in range(10)]
    for name, chess960 in (("perft.epd", False), ("perft960.epd", True)):
        found += [with_null_moves(chance, chess.Board(told(fen), chess960=chess960), 20) for fen in starts(name)]
    return found


def words_of(game: str, chance: random.Random) -> str:
    """The movetext with null moves spelled in all ways."""
    tags, _, moves = game.partition("\n\n")
    return tags + "\n\n" + " ".join(chance.choice(WORDS) if it == "--" else it for it in moves.split()) + "\n\n"


def test_games_with_null_moves_are_those_of_python_chess_ply_by_ply(tmp_path: Path) -> None:
    boards, chance, seen = played_games(), random.Random(5), Counter[str]()  # noqa: S311
    text = "".join(words_of(str(chess.pgn.Game.from_board(board)), chance) for board in boards)
    [games] = setwise.read_pgn(text.encode())
    assert not list(games.faults())
    assert len(games) == len(boards)
    positions = games.positions()
    names = ("fen", "move", "san", "is_check", "is_checkmate", "is_stalemate", "legal_moves", "gives_check", "key")
    columns = {name: values_of(positions, name).to_pylist() for name in names}
    row = 0
    for game, board in zip(games, boards, strict=True):
        now, here = board.root(), game.position
        for move in [*board.move_stack, None]:
            legal = [other for other in now.legal_moves if not takes_king(now, other)]
            check = now.is_check()
            expected = {
                "fen": now.fen(), "is_check": check, "is_checkmate": check and not legal,
                "is_stalemate": not check and not legal, "legal_moves": len(legal),
                "move": None if move is None else move.uci(), "san": None if move is None else now.san(move),
                "gives_check": None if move is None else now.gives_check(move),
            }  # fmt: skip
            assert {name: columns[name][row] for name in expected} == expected, now.fen()
            assert here.fen() == now.fen()
            assert columns["key"][row] == here.key == chess.polyglot.zobrist_hash(now)
            assert len(here.legal_moves) == len(legal)
            seen["plies"] += 1
            if move is not None:
                seen["null moves"] += not move
                seen["null moves in check"] += not move and check
                seen["after a null move in check"] += bool(Position(now.fen(), strict=False).status())
                seen["en passant given up"] += not move and now.has_legal_en_passant()
                assert here.san(move) == now.san(move)
                here = here.play(move)
                now.push(move)
            row += 1
        assert game.to_board() == board
    assert row == len(positions)
    assert min(seen.values()) > 3, seen

    # Written and read again, by both.
    written = "".join(f"{game.pgn()}\n\n" for game in games)
    [again] = setwise.read_pgn(written.encode())
    assert np.array_equal(again.moves, games.moves)
    assert [list(game.mainline_moves()) for game in games_of(written)] == [board.move_stack for board in boards]
    assert [Game.from_board(board).moves for board in boards] == [game.moves for game in games]


@pytest.mark.parametrize("word", [*WORDS, "--+", "Z0!?"])
@pytest.mark.parametrize("fen", ["r3k3/8/8/8/8/8/7P/R3K2R w KQ - 3 9", "1n2k3/8/8/8/3pP3/8/8/Q3K3 b - e3 7 9"])
def test_a_position_passes_the_turn(word: str, fen: str) -> None:
    board, position = chess.Board(fen), Position(fen)
    board.push(chess.Move.null())
    after = position.play(word)
    assert after.fen("fen") == board.fen(en_passant="fen")
    assert after == position.play(Move.null()) == position.play(chess.Move.null()) == position.play(0x7000)
    assert position.parse(word) == Move.null()


def test_a_null_move_is_no_legal_move() -> None:
    position, null = Position("4k3/8/8/8/8/8/q7/4K3 b - - 0 1"), Move.null()
    assert (null.uci(), str(null), int(null), null.is_null) == ("0000", "0000", 0x7000, True)
    assert Move.from_uci("0000").is_null
    assert not Move(0o1234).is_null
    assert null.to_chess() == chess.Move.null()
    assert (null.from_square, null.to_square, null.promotion) == (0, 0, None)
    assert (position.san(null), position.lan(null), position.uci(null)) == ("--", "--", "0000")
    for move in (null, "--", "0000"):
        assert move not in position.legal_moves
        assert move not in position.pseudo_legal_moves
        assert not position.is_legal(move)
    for name in ("is_capture", "is_castling", "is_en_passant", "gives_check"):
        assert not getattr(position, name)(null), name
    with pytest.raises(IllegalMove, match="null move, which is never legal"):
        position.see(null)
    with pytest.raises(InvalidMove):
        position.parse_uci("--")
    for text in ("---", "-", "Z", "Z01", "000", "00000", "@@@", "<", "<>x"):
        with pytest.raises(InvalidMove):
            position.parse_san(text)


def test_a_king_whose_side_has_passed_in_check_is_not_taken() -> None:
    """::

    8  R . . . k . . .       Black passes: the rook sees the king.
    """
    position = Position("R3k3/8/8/8/8/8/8/4K3 b - - 0 1").play("--")
    assert position.status() == Status.OPPOSITE_CHECK
    assert "Rxe8" not in position.legal_moves
    assert "a8e8" not in position.legal_moves
    assert position.perft(1) == len(position.legal_moves) == len(Position(position.fen(), strict=False).legal_moves)
    board = position.to_board()
    assert {str(move) for move in position.legal_moves} == {
        move.uci() for move in board.legal_moves if not takes_king(board, move)
    }
    [games] = setwise.read_pgn(b'[FEN "R3k3/8/8/8/8/8/8/4K3 b - - 0 1"]\n\n1... -- 2. Rxe8 *\n\n'
                               b'[FEN "R3k3/8/8/8/8/8/8/4K3 b - - 0 1"]\n\n1... -- 2. Rxe8+! *\n\n'
                               b'[FEN "R3k3/8/8/8/8/8/8/4K3 b - - 0 1"]\n\n1... -- 2. Ra1 -- *')  # fmt: skip
    assert [(fault.game, fault.token) for fault in games.faults()] == [(1, "Rxe8"), (2, "Rxe8+!")]
    assert games.positions().legal_move_counts().tolist()[:2] == [3, 15]


def test_dashes_that_are_no_null_move() -> None:
    """Rules between games part them; a word of three dashes among moves cannot be read."""
    [games] = setwise.read_pgn(b"1. e4 *\n\n--\n\n----------\n\n1. d4 - -- *\n\n1. c4 --- d5 *")
    assert [len(game.moves) for game in games] == [1, 2, 1]
    assert [(fault.game, fault.token) for fault in games.faults()] == [(3, "---")]


def test_null_moves_move_nothing_in_columns() -> None:
    [games] = setwise.read_pgn(
        b'[FEN "4k3/8/8/8/8/8/8/q3K3 w - - 5 1"]\n\n1. -- Qb1+ {[%clk 0:01:00]} 2. -- *', notes=True
    )
    positions = games.positions()
    assert positions.halfmove_clock.tolist() == [5, 6, 7, 8]
    for name in ("piece", "captured", "promotion", "from_square", "to_square", "see", "move_index"):
        assert values_of(positions, name).is_null().to_pylist()[::2] == [True, True], name
    for name in ("gives_check", "is_castling", "is_en_passant"):
        assert values_of(positions, name).to_pylist()[::2] == [False, False]
    assert positions.move_indices().tolist()[::2] == [-1, -1]
    assert games.clocks().to_pylist() == [None, 60.0, None]


def test_null_moves_survive_a_scan_and_tables(tmp_path: Path) -> None:
    """In check, too: the position after it is one that no FEN may be."""
    text = b"1. e4 e5 2. Qh5 -- 3. Qxf7+ -- 4. d4 Kxf7 5. d5 c5 6. Z0 d6 *\n\n1. e4 e5 *"
    (tmp_path / "games.pgn").write_bytes(text)
    columns = ["game", "ply", "move", "san", "fen"]
    expected = setwise.find("true", tmp_path / "games.pgn", columns=columns).to_pylist()
    assert sum(row["san"] == "--" for row in expected) == 3
    setwise.scan(tmp_path / "games.pgn", tmp_path / "scan", features=["san"])
    assert setwise.find("true", tmp_path / "scan", columns=columns).to_pylist() == expected
    assert setwise.find("san = '--' and move = '0000' and piece is null", tmp_path / "scan").num_rows == 3
    [games] = setwise.read_pgn(text)
    positions = games.positions()
    assert Positions.from_arrow(positions.to_arrow()).equals(positions)
    table = tmp_path / "games.csv"
    rows = ((game.position.fen(), " ".join(map(str, game.moves))) for game in games)
    table.write_text("fen,moves\n" + "".join(f"{fen},{moves}\n" for fen, moves in rows))
    assert setwise.find("true", table, columns=["san"]).column("san").to_pylist() == [row["san"] for row in expected]


def test_null_moves_are_written_without_notes_and_count_for_repetitions() -> None:
    text = "1. Nf3 {a} -- 2. Ng1 (2. d4) <> $1 3. Nf3 Z0 4. Ng1 -- *"
    game = Game.from_pgn(text)
    board = next(games_of(text.replace("<>", "--"))).end().board()
    assert game.repetitions() == 3
    assert board.is_repetition(3)
    assert game.outcome() == board.outcome()
    assert game.replace(comments={}, nags={}).pgn().splitlines()[-1] == "1. Nf3 -- 2. Ng1 -- 3. Nf3 -- 4. Ng1 -- *"
    assert chess.pgn.read_game(io.StringIO(game.pgn())).end().board() == board
