"""Random games, compared with python-chess at every ply: standard chess, Chess960, and positions full of traps.

``python tests/fuzz_rules.py [POSITIONS] [SEED]`` runs as many as you like.
"""

from __future__ import annotations

import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import chess

from setwise.move import Move
from setwise.position import Position

DATA = Path(__file__).with_name("data")
LENGTHS = (10, 20, 40, 80, 300)
#: How many positions of a game pass until repetitions are compared again, which takes python-chess long.
REPETITIONS_EVERY = 8


def starts(name: str) -> list[str]:
    """The FENs of a perft suite."""
    lines = (DATA / name).read_text().splitlines()
    return [line.split(" ;")[0] for line in lines if not line.startswith("#")]


def differences(position: Position, board: chess.Board, chance: random.Random) -> Iterator[str]:
    """What python-chess sees otherwise, in words; nothing when both agree."""

    def compare(what: str, ours: object, theirs: object) -> Iterator[str]:
        if ours != theirs:
            yield f"{what}: {ours!r}, python-chess {theirs!r}"

    moves = {position.uci(move): move for move in position.legal_moves()}
    legal = list(board.legal_moves)
    yield from compare("legal moves", moves.keys(), {move.uci() for move in legal})
    pseudo = {position.uci(move) for move in position.pseudo_legal_moves() if not move.is_castling}
    theirs = {move.uci() for move in board.pseudo_legal_moves if not board.is_castling(move)}
    yield from compare("pseudo-legal moves", pseudo, theirs)
    fen = board.fen()
    for convention in ("legal", "fen", "xfen"):
        expected = board.fen(en_passant=convention) if board.ep_square is not None else fen
        yield from compare(f"fen({convention!r})", position.fen(convention), expected)
    if board.castling_rights:
        shredder = fen.replace(f" {board.castling_xfen()} ", f" {board.castling_shredder_fen()} ")
        yield from compare("Shredder-FEN", position.fen(shredder=True), shredder)
    yield from compare("checkers", int(position.checkers()), int(board.checkers()))
    yield from compare("is_check", position.is_check(), board.is_check())
    yield from compare("is_checkmate", position.is_checkmate(), board.is_check() and not legal)
    yield from compare("is_stalemate", position.is_stalemate(), not board.is_check() and not legal)
    for white in (True, False):
        ours = position.has_insufficient_material(white=white)
        yield from compare("has_insufficient_material", ours, board.has_insufficient_material(white))
    for uci in chance.sample(sorted(moves), min(3, len(moves))):
        ours, theirs = moves[uci], chess.Move.from_uci(uci)
        san = board.san(theirs)
        yield from compare("san", position.san(ours), san)
        yield from compare("lan", position.lan(ours), board.lan(theirs))
        yield from compare("parse_san", position.parse_san(san), ours)
        yield from compare("parse_uci", position.parse_uci(uci), ours)
        for name in ("is_capture", "is_castling", "is_en_passant", "gives_check"):
            yield from compare(f"{name}({uci})", getattr(position, name)(ours), getattr(board, name)(theirs))


def outcome_differs(position: Position, board: chess.Board, history: list[Position]) -> Iterator[str]:
    """The end of the game, with its history: here and in python-chess, whose claims look a move ahead."""
    for claim in (False, True):
        ours, theirs = position.outcome(history, claim_draw=claim), board.outcome(claim_draw=False)
        if claim and theirs is None:
            if board.halfmove_clock >= 100:
                expected: str | None = "FIFTY_MOVES"
            else:
                expected = "THREEFOLD_REPETITION" if board.is_repetition(3) else None
        else:
            expected = theirs.termination.name if theirs else None
        if (ours.termination.name if ours else None) != expected:
            yield f"outcome: {ours}, python-chess {expected}"
        elif ours and theirs and ours.result != theirs.result():
            yield f"result: {ours}, python-chess {theirs}"


def games(chance: random.Random) -> Iterator[chess.Board]:
    """Boards to begin games from, for ever: the start, starts of Chess960, and the perft suites."""
    tricky = [(fen, False) for fen in starts("perft.epd")] + [(fen, True) for fen in starts("perft960.epd")]
    while True:
        yield chess.Board()
        yield chess.Board.from_chess960_pos(chance.randrange(960))
        for fen, chess960 in chance.sample(tricky, 4):
            yield chess.Board(fen, chess960=chess960)


def choose(position: Position, chance: random.Random) -> Move:
    """A random move, often one of a kind that random games have too few of."""
    moves = position.legal_moves()
    wish = chance.random()
    wished: list[Move] = []
    if wish < 0.15:
        wished = [move for move in moves if move.promotion or move.is_castling or move.is_en_passant]
    elif wish < 0.3:
        wished = [move for move in moves if position.gives_check(move)]
    elif wish < 0.4:
        wished = [move for move in moves if position.play(move).fen("xfen").split(" ")[3] != "-"]
    return chance.choice(wished or moves)


def fuzz(positions: int, seed: int) -> tuple[Counter[str], list[str]]:
    """Compare at least so many positions; how many of each kind there were, and the differences, by FEN."""
    chance = random.Random(seed)  # noqa: S311
    seen: Counter[str] = Counter()
    found: list[str] = []
    for board in games(chance):
        position, history = Position.from_board(board), []
        for ply in range(chance.choice(LENGTHS)):
            found += [f"{board.fen()} {difference}" for difference in differences(position, board, chance)]
            if ply % REPETITIONS_EVERY == 0 or board.halfmove_clock >= 99:
                found += [f"{board.fen()} {difference}" for difference in outcome_differs(position, board, history)]
            seen["positions"] += 1
            seen["Chess960"] += board.chess960
            seen["checks"] += position.is_check()
            seen["en passant"] += board.ep_square is not None and board.has_legal_en_passant()
            seen["double checks"] += len(position.checkers()) > 1
            if not position.legal_moves():
                seen["mates and stalemates"] += 1
                break
            if position.is_insufficient_material():
                seen["insufficient material"] += 1
                break
            move = choose(position, chance)
            seen["castling"] += move.is_castling
            seen["promotions"] += move.promotion is not None
            history.append(position)
            board.push(chess.Move.from_uci(position.uci(move)))
            position = position.play(move)
        if seen["positions"] >= positions:
            return seen, found
    raise AssertionError("games never end")


if __name__ == "__main__":
    began = time.perf_counter()
    kinds, differing = fuzz(*map(int, [*sys.argv[1:], *("100000", "1")[len(sys.argv) - 1 :]]))
    print(*differing[:50], sep="\n")
    print(", ".join(f"{count} {kind}" for kind, count in kinds.items()))
    print(f"{len(differing)} differences in {time.perf_counter() - began:.0f} s")
    sys.exit(bool(differing))
