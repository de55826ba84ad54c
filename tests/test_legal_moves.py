"""The table ``moves``: python-chess lists the same moves, and the same boards after them."""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import chess
import chess.pgn
import pytest

import setwise
from helpers.data import FAMOUS_GAMES, starts
from helpers.python_chess import games_of
from setwise import Positions
from setwise.corpus.language.condition import Values
from setwise.corpus.query import streams
from setwise.errors import QueryError

TEXT = "\n\n".join(FAMOUS_GAMES.read_text("utf-8").split("\n\n")[:12])
GAMES = TEXT.encode()


def expected() -> Iterator[tuple[Any, ...]]:
    for number, game in enumerate(games_of(TEXT), 1):
        board = game.board()
        for ply, played in enumerate([*game.mainline_moves(), None]):
            for move in board.legal_moves:
                captured = board.piece_at(move.to_square)
                kind = "P" if board.is_en_passant(move) else captured.symbol().upper() if captured else None
                san, uci = board.san(move), board.uci(move)
                mover = board.turn
                board.push(move)
                yield (
                    number, ply, uci, san, kind, move == played, board.is_check(), board.is_checkmate(),
                    board.legal_moves.count(), int(board.pieces(chess.KNIGHT, not mover)), board.turn == chess.WHITE,
                    game.headers["White" if board.turn else "Black"],
                )  # fmt: skip
                board.pop()
            if played is not None:
                board.push(played)


ASKED = (
    "select game, ply, move, san, captured, is_played, is_check, is_checkmate, legal_moves, own_knights, "
    "white_to_move, own_name from moves"
)


def key(row: tuple[Any, ...]) -> tuple[Any, ...]:
    return row[:3]


@pytest.mark.parametrize("block", [7, 4096])
def test_every_legal_move_has_a_row(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "_AT_ONCE", block)
    found = [tuple(row.values()) for row in setwise.sql(ASKED, GAMES).to_pylist()]
    assert sorted(found, key=key) == sorted(expected(), key=key)
    assert len(found) > 5000


def test_it_joins_the_positions_and_stands_in_a_connection() -> None:
    missed = "select m.game, m.ply, m.san from moves m where m.is_checkmate and not m.is_played order by all"
    mates = [(*row[:2], row[3]) for row in expected() if row[7] and not row[5]]
    found = [tuple(row.values()) for row in setwise.sql(missed, GAMES).to_pylist()]
    assert found == sorted(mates)
    joined = (
        "select count(*) n from moves m join positions p using (source, game, ply) "
        "where m.is_played and m.captured is not null and p.is_check"
    )
    [[count]] = setwise.sql(joined, GAMES).to_pandas().to_numpy().tolist()
    assert count == setwise.find("is_check and captured is not null", GAMES).num_rows
    with setwise.connect(GAMES) as database:
        answer = database.sql("select count(*), count_if(is_played) from moves").fetchall()
        assert answer == [(len([*expected()]), setwise.find("move is not null", GAMES).num_rows)]


def test_lists_of_positions_have_moves(tmp_path: Path) -> None:
    path = tmp_path / "x.fen"
    path.write_text("6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1\n7k/8/8/8/8/8/8/K7 b - - 0 1\n", "utf-8")
    found = setwise.sql("select game, san, is_played from moves where is_check or not white_to_move is null", str(path))
    board = chess.Board("6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1")
    assert found.num_rows == board.legal_moves.count() + 3
    assert not any(found["is_played"].to_pylist())
    assert setwise.sql("select san from moves where is_checkmate", str(path))["san"].to_pylist() == ["Rd8#"]
    stored = setwise.scan(FAMOUS_GAMES, tmp_path / "scan", features=["move"])
    of_scan = setwise.sql("select count(*) n, count_if(is_played) m from moves", str(stored.positions_path.parent))
    assert (
        of_scan.to_pylist()
        == setwise.sql("select count(*) n, count_if(is_played) m from moves", str(FAMOUS_GAMES)).to_pylist()
    )


@pytest.mark.parametrize(
    ("statement", "message"),
    {
        "select clock from moves": "^clock is not a column of moves: a move has what is played and the board that it",
        "select origin from moves": "^origin is not a column of moves",
        "select next(san) from moves": "work only in a SELECT from positions alone",
        "select san from mvoes": "^there is no table 'mvoes': there are positions, games and moves; did you mean moves",
        "select chek from moves": "no column 'chek'",
        "select san from moves where piece = 'n'": "never matches",
    }.items(),
)
def test_what_moves_do_not_have(statement: str, message: str) -> None:
    with pytest.raises(QueryError, match=message):
        setwise.sql(statement, GAMES)


# ------------------------------------------------------------------------------------------------------------- targets


#: Each kind of pieces in conditions, with its name in python-chess.
KINDS = {
    "pieces": "occupied", "pawns": "pawns", "knights": "knights", "bishops": "bishops", "rooks": "rooks",
    "queens": "queens", "king": "kings",
}  # fmt: skip


@functools.cache
def many_boards() -> list[chess.Board]:
    played = [node.board() for game in games_of(FAMOUS_GAMES.read_text("utf-8")) for node in game.mainline()]
    return [chess.Board(fen) for fen in starts("perft.epd")] + played[::3]


def ends_of(moves: Iterable[chess.Move], those: chess.Bitboard) -> chess.Bitboard:
    """Where the moves of pieces on these squares end."""
    ends = (chess.BB_SQUARES[move.to_square] for move in moves if those >> move.from_square & 1)
    return functools.reduce(operator.or_, ends, 0)


@pytest.mark.parametrize(("kind", "name"), KINDS.items())
def test_targets_are_those_of_the_moves_of_python_chess(kind: str, name: str) -> None:
    positions = Positions.from_boards(many_boards())
    for which in ("legal", "pseudo_legal"):
        text = f"{which}_targets(white_{kind} | black_{kind})"
        wanted = [ends_of(getattr(board, f"{which}_moves"), getattr(board, name)) for board in many_boards()]
        assert Values(text).of(positions).to_pylist() == wanted
        assert any(wanted)


def test_targets_of_each_piece_by_itself() -> None:
    where = "any_of(own_bishops, lambda its: bit_count(legal_targets(its)) = 3)"
    found = setwise.find(where, Positions.from_boards(many_boards()), columns=["fen"])["fen"].to_pylist()
    wanted = [
        board.fen(en_passant="fen") for board in many_boards()
        if 3 in (len({move.to_square for move in board.legal_moves if move.from_square == square})
                 for square in board.pieces(chess.BISHOP, board.turn))
    ]  # fmt: skip
    assert len(found) == len(wanted) > 20


@pytest.mark.parametrize(
    ("where", "message"),
    {
        "legal_targets() = 0": r"^legal_targets takes one set, as legal_targets\(own_knights\)$",
        "legal_targets(1, 2) = 0": "takes one set",
        "legal_targets(lambda x: x) = 0": "takes one set",
        "either_colour(legal_targets(white_king) = 0)": "^either_colour cannot turn legal_targets",
        "either_wing(pseudo_legal_targets(white_king) = 0)": "^either_wing cannot turn pseudo_legal_targets",
    }.items(),
)
def test_what_targets_refuse(where: str, message: str) -> None:
    with pytest.raises(QueryError, match=message):
        setwise.find(where, GAMES)
