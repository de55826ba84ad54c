"""One position at a time, from Python: moves, SAN, FEN."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from games import positions
from harness import Plan, Row, pair, topic
from peers import python_chess

from setwise import Position, Positions
from setwise.patterns import knight


def random_games(count: int) -> list[list[Any]]:
    """The moves of games in which everybody plays what comes to mind, the same in every run."""
    choice = random.Random(960)  # noqa: S311  (dice, not secrets)
    games = []
    for _ in range(count):
        position, moves = Position(), []
        while len(moves) < 200 and (legal := position.legal_moves()):
            moves.append(choice.choice(legal))
            position = position.play(moves[-1])
        games.append(moves)
    return games


def knight_attacks(knights: int) -> int:
    """The formula of ``knight.attacks``, on Python's own ints."""
    return (
        (knights << 17 | knights >> 15) & 0xFEFE_FEFE_FEFE_FEFE
        | (knights << 10 | knights >> 6) & 0xFCFC_FCFC_FCFC_FCFC
        | (knights << 15 | knights >> 17) & 0x7F7F_7F7F_7F7F_7F7F
        | (knights << 6 | knights >> 10) & 0x3F3F_3F3F_3F3F_3F3F
    )


@topic("playing")
def one_int(plan: Plan) -> Iterator[Row]:
    words = [1 << square for square in range(64)] * plan.size(300, 1)
    timed = pair(plan, lambda: [*map(knight.attacks, words)], lambda: [*map(knight_attacks, words)])
    timed.agree()
    yield timed.row("knight.attacks(int)", "the formula in Python", 1, note=f"{len(words):,} ints")


@topic("playing")
def moves_and_play(plan: Plan) -> Iterator[Row]:
    chess = python_chess()
    games = random_games(plan.size(50, 2))
    for_them = [[chess.Move.from_uci(move.uci()) for move in game] for game in games]

    def ours() -> int:
        count = 0
        for game in games:
            position = Position()
            for move in game:
                count += len(position.legal_moves())
                position = position.play(move)
        return count

    def theirs() -> int:
        count = 0
        for game in for_them:
            board = chess.Board()
            for move in game:
                count += len(list(board.legal_moves))
                board.push(move)
        return count

    timed = pair(plan, ours, theirs)
    timed.agree()
    plies = sum(map(len, games))
    note = f"{plies:,} plies, a Python loop"
    yield timed.row("legal_moves() and play(), random games", "python-chess", 10, note=note)


@topic("playing")
def san(plan: Plan) -> Iterator[Row]:
    chess = python_chess()
    ours, theirs = [], []
    for game in random_games(plan.size(20, 1)):
        position = Position()
        for move in game:
            text = position.san(move)
            ours.append((position, move, text))
            theirs.append((chess.Board(position.fen()), chess.Move.from_uci(move.uci()), text))
            position = position.play(move)
    timed = pair(
        plan,
        lambda: [position.parse_san(text) for position, _, text in ours],
        lambda: [board.parse_san(text) for board, _, text in theirs],
    )
    yield timed.row("parse_san()", "python-chess", 10, note=f"{len(ours):,} moves")
    timed = pair(
        plan,
        lambda: [position.san(move) for position, move, _ in ours],
        lambda: [board.san(move) for board, move, _ in theirs],
    )
    timed.agree()
    yield timed.row("san()", "python-chess", 10)


@topic("playing")
def fens(plan: Plan) -> Iterator[Row]:
    chess = python_chess()
    texts = positions(plan, plan.size(1_000_000, 1_000)).fens().to_pylist()
    sample = texts[:: max(1, len(texts) // 5_000)]
    timed = pair(plan, lambda: Positions.from_fens(texts), lambda: [chess.Board(text) for text in sample])
    note = f"{len(texts):,} FENs, python-chess on {len(sample):,} of them"
    yield timed.row("Positions.from_fens()", "chess.Board(fen)", 50, scale=len(texts) / len(sample), note=note)
