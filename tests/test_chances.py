"""Missed chances: columns compared with a naive twin on python-chess's boards, and cases counted by hand."""

from __future__ import annotations

import random

import chess
import chess.pgn
import numpy as np
import pytest

import setwise
from helpers.python_chess import games_of
from naive.features.tactics import WORTH, forced
from setwise import Position, Positions
from setwise.corpus.columns.chances import MISSED
from setwise.rules.material_search import line_values

#: A knight forks king and rook, twice; White plays something else twice, then something else again after a pause.
FORK = '[FEN "r3k2r/pp3ppp/4b3/1N6/8/8/PP3PPP/R3K2R w KQkq - 0 1"]\n\n'


def missed(text: str, columns: str = "ply missed missed_by missed_move") -> list[tuple[object, ...]]:
    found = setwise.find("missed is not null", text.encode(), columns=columns.split())
    return [tuple(row.values()) for row in found.to_pylist()]


def worth(board: chess.Board, move: chess.Move) -> int:
    """How much a move wins by force, from two pawns on, one pawn more each time; 1 if it wins one alone."""
    won = 0
    while won < 10 and forced(board, move, won + 1):
        won += 1
    return won


def lines(board: chess.Board, *moves: chess.Move) -> list[list[int]]:
    """What moves gain by lines two and four plies deep; ``test_material_search`` compares these with a twin."""
    positions = Positions.from_fens([board.fen(en_passant="fen")] * len(moves))
    codes = np.array([int(Position(board.fen()).parse(it.uci())) for it in moves], np.uint16)
    found = np.empty((2, len(moves)), np.int8)
    for row, depth in enumerate((2, 4)):
        line_values(np.ascontiguousarray(positions.sets), positions.white_to_move, codes, depth, found[row])
    return found.T.tolist()  # type: ignore[no-any-return]


def agreed(board: chess.Board, kind: str, move: chess.Move, played: chess.Move) -> int:
    """By how much a chance is missed if lines agree, 0 if they do not."""
    ahead = sum(
        WORTH[piece.piece_type] * (1 if piece.color == board.turn else -1) for piece in board.piece_map().values()
    )
    more = 0
    for won, without in zip(*lines(board, move, played), strict=True):
        if won - without < 3 or (kind != "mate" and (ahead + without >= 6 or ahead + won <= -6)):
            return 0
        more = won - without
    return min(more, 10)


def twin(board: chess.Board, move: chess.Move) -> dict[str, int]:
    """By how much each kind of chance is missed."""
    position = Position(board.fen(en_passant="fen"))
    pieces = dict(zip("pawn knight bishop rook queen king".split(), chess.PIECE_TYPES, strict=True))
    squares = {
        "fork": [
            (position.feature("own_safe_fork_squares"), {chess.KNIGHT}),
            *((position.feature(f"own_fork_squares_by_{name}"), {kind}) for name, kind in pieces.items()
              if name != "knight"),
        ],
        "skewer": [(position.feature("own_skewers"), {chess.BISHOP, chess.ROOK, chess.QUEEN})],
        "discovery": [(position.feature("own_discovered_attacks"), {*chess.PIECE_TYPES})],
        "capture": [(position.feature("own_winning_captures"), {*chess.PIECE_TYPES})],
    }  # fmt: skip
    best: dict[str, list[tuple[int, chess.Move]]] = {"mate": []}
    for other in board.legal_moves:
        after = board.copy(stack=False)
        after.push(other)
        best["mate"] += [(10, other)] if after.is_checkmate() else []
    for kind, sets in squares.items():
        moves = [
            it for found, kinds in sets for it in board.legal_moves
            if found >> it.to_square & 1 and board.piece_type_at(it.from_square) in kinds and not board.is_castling(it)
        ]  # fmt: skip
        best[kind] = [(worth(board, it), it) for it in moves]
    played = worth(board, move) if any(best.values()) else 0
    found: dict[str, int] = {}
    for kind, moves_won in best.items():
        most = max((won for won, _ in moves_won), default=0)
        if most - played >= 2:  # of moves that win as much, the product may choose any
            by = {agreed(board, kind, it, move) for won, it in moves_won if won == most}
            if by != {0}:
                found[kind] = max(by)
    return found


def careless(seed: int, plies: int = 36) -> str:
    """A game in which any legal move is played; a capture one time in two, where there is any."""
    dice, board = random.Random(seed), chess.Board()  # noqa: S311
    while board.ply() < plies and not board.is_game_over():
        moves = list(board.legal_moves)
        takes = [it for it in moves if board.is_capture(it)]
        board.push(dice.choice(takes if takes and dice.random() < 0.5 else moves))
    return str(chess.pgn.Game.from_board(board)) + "\n\n"


def test_missed_chances_are_those_of_the_twin() -> None:
    """Games without evaluations: the force and the lines count alone, and the first of a run."""
    text = "".join(map(careless, (4, 6)))
    columns = ["game", "ply", *(f"missed_{kind}" for kind in MISSED), "missed_by"]
    ours = {(row["game"], row["ply"]): row for row in setwise.find("true", text.encode(), columns=columns).to_pylist()}
    kinds: dict[str, int] = {}
    for number, game in enumerate(games_of(text), 1):
        before: list[dict[str, int]] = []
        for node in game.mainline():
            board = node.parent.board()
            by = twin(board, node.move)
            run = before[-2] if len(before) > 1 else {}
            before.append(by)
            first = {kind: more for kind, more in by.items() if kind not in run}
            row = ours[number, len(before) - 1]
            assert {kind for kind in MISSED if row[f"missed_{kind}"]} == {*first}, (number, board.fen(), node.move)
            assert row["missed_by"] == max(first.values(), default=None)
            kinds |= first
    assert {"fork", "capture"} <= {*kinds}


def test_the_first_of_a_run_is_taken() -> None:
    assert missed(FORK + "1. Kf1 h6 2. Kg1 g6 3. Rd1 *")[0] == (0, "fork", 5, "b5c7")
    by_white = [it for it in missed(FORK + "1. Kf1 h6 2. Kg1 g6 3. Rd1 *", "ply white_to_move missed_fork") if it[1]]
    assert by_white == [(0, True, True)]
    assert missed(FORK + "1. Nc7+ Kf8 2. Nxa8 *") == []


def test_where_a_game_has_evaluations_the_chance_to_win_must_drop() -> None:
    plain = FORK + "1. Kf1 *"
    assert missed(plain)
    led = (
        '[FEN "r3k2r/pp3ppp/4b3/1N6/8/8/PP2PPPP/R3K2R b KQkq - 0 1"]\n\n1... h6 { [%%eval 3] } 2. Kf1 { [%%eval %s] } *'
    )
    assert [it[1] for it in missed(led % "0.1", "ply missed")] == ["fork"]
    assert missed(led % "2.9") == []


def test_a_mate_that_was_played_is_not_missed() -> None:
    mate = '[FEN "6k1/5ppp/8/8/8/8/5PPP/R3R1K1 w - - 0 1"]\n\n'
    assert missed(mate + "1. Ra8# *") == missed(mate + "1. Re8# *") == []
    assert [it[1:3] for it in missed(mate + "1. h3 *")] == [("mate", 10)]


def test_colours_are_alike() -> None:
    """The same game with the colours exchanged misses the same chances."""
    text = FORK + "1. Kf1 h6 2. Kg1 g6 *"
    board = chess.Board("r3k2r/pp3ppp/4b3/1N6/8/8/PP3PPP/R3K2R w KQkq - 0 1").mirror()
    mirrored = f'[FEN "{board.fen()}"]\n\n1... Kf8 2. h3 Kg8 3. g3 *'
    ours, theirs = missed(text), missed(mirrored)
    assert [it[:3] for it in ours] == [it[:3] for it in theirs]
    assert theirs[0][3] == "b4c2"


@pytest.mark.parametrize("wrong", ["missed = 'forks'", "missed_by = 40"])
def test_what_can_never_be_is_an_error(wrong: str) -> None:
    with pytest.raises(setwise.errors.QueryError):
        setwise.find(wrong, b"1. e4 *")


def test_variations_have_chances_of_their_own() -> None:
    text = b'[FEN "6k1/5ppp/2N5/3q4/8/8/5PPP/6K1 w - - 0 1"]\n\n1. Ne7+ (1. h3 h6 2. h4) 1... Kf8 *'
    found = setwise.find("missed_fork", text, columns=["line", "ply"], variations=True).to_pylist()
    assert {"line": 1, "ply": 2} in found  # the game itself used it
    assert {"line": 0, "ply": 0} not in found
