"""The differential run: random games of standard chess and Chess960, judged by python-chess at every ply.

Compared are the legal and the pseudo-legal moves, FEN in its conventions, checks and checkers, ends, the Polyglot key
of the position alone and as one of its game, numbers of moves and checks as columns, and of some moves SAN, LAN, UCI
and what is asked about a move.

``PYTHONPATH=tests python -m helpers.differential [POSITIONS] [SEED]`` runs as many as you like.
"""

from __future__ import annotations

import random
import sys
import time
from collections import Counter
from collections.abc import Iterator

import chess
import chess.polyglot
import numpy as np

from helpers.boards import scattered
from helpers.data import starts
from setwise import Move, Position, Positions

LENGTHS = (10, 20, 40, 80, 300)
#: How many plies a position is played on whose pieces were thrown on the board.
FEW = 4


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
    yield from compare("the position of its FEN", Position(position.fen("fen"), chess960=board.chess960), position)
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
        yield from compare("is_legal", position.is_legal(ours), True)
        for name in ("is_capture", "is_castling", "is_en_passant", "gives_check"):
            yield from compare(f"{name}({uci})", getattr(position, name)(ours), getattr(board, name)(theirs))


def outcome_differs(position: Position, board: chess.Board, history: list[Position]) -> Iterator[str]:
    """The end of the game, with its history: here and in python-chess, whose claims look a move ahead."""
    theirs, recent = board.outcome(claim_draw=False), history[max(len(history) - board.halfmove_clock, 0) :]
    for claim in (False, True):
        ours = position.outcome(recent, claim_draw=claim)
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


def columns_differ(line: list[Position], expected: list[tuple[int, int, bool]]) -> Iterator[str]:
    """Keys, numbers of legal moves and checks of a game's positions, as columns, and those of python-chess.

    A key is made alone, and from the one before it.
    """
    words = np.array([position.words for position in line], np.uint64).T.copy()
    columns = Positions(words[:10], words[10] != 0, *words[11:].astype(np.uint16))
    found = zip(columns.keys().tolist(), columns.legal_move_counts().tolist(), columns.is_check().tolist(), strict=True)
    for position, ours, theirs in zip(line, found, expected, strict=True):
        if not (position.key, *ours[1:]) == ours == theirs:
            yield f"{position.fen('fen')} key, moves, check: {ours}, alone {position.key}, python-chess {theirs}"


def games(chance: random.Random) -> Iterator[tuple[chess.Board, int]]:
    """Boards to begin games from, for ever, and how many plies to play.

    The start, starts of Chess960, the perft suites, and pieces thrown on the board.
    """
    tricky = [(fen, False) for fen in starts("perft.epd")] + [(fen, True) for fen in starts("perft960.epd")]
    while True:
        yield chess.Board(), chance.choice(LENGTHS)
        yield chess.Board.from_chess960_pos(chance.randrange(960)), chance.choice(LENGTHS)
        for fen, chess960 in chance.sample(tricky, 4):
            yield chess.Board(fen, chess960=chess960), chance.choice(LENGTHS)
        for _ in range(40):
            yield scattered(chance), FEW


def back(board: chess.Board) -> int:
    """The number of the move with which the side to move takes its last one back."""
    last = board.move_stack[-2] if len(board.move_stack) > 1 else chess.Move.null()
    return last.to_square | last.from_square << 6


def choose(position: Position, chance: random.Random) -> Move:
    """A random move, often one of a kind that random games have too few of."""
    moves = position.legal_moves()
    wish = chance.random()
    wished: list[Move] = []
    if wish < 0.15:
        wished = [move for move in moves if move.promotion or move.is_castling or move.is_en_passant]
    elif wish < 0.3:
        checks = [move for move in moves if position.gives_check(move)]
        wished = [move for move in checks if len(position.play(move).checkers()) > 1] or checks
    elif wish < 0.4:
        wished = [move for move in moves if position.play(move).fen("xfen").split(" ")[3] != "-"]
    return chance.choice(wished or moves)


def compared(positions: int, seed: int) -> tuple[Counter[str], list[str]]:
    """Compare at least so many positions; how many of each kind there were, and the differences, by FEN."""
    chance = random.Random(seed)  # noqa: S311
    seen: Counter[str] = Counter()
    found: list[str] = []
    for board, length in games(chance):
        position, history, expected = Position.from_board(board), [], []
        undecided = chance.random() < 0.1
        for _ in range(length):
            found += [f"{board.fen()} {difference}" for difference in differences(position, board, chance)]
            found += [f"{board.fen()} {difference}" for difference in outcome_differs(position, board, history)]
            history.append(position)
            expected.append((chess.polyglot.zobrist_hash(board), board.legal_moves.count(), board.is_check()))
            seen["positions"] += 1
            seen["Chess960"] += board.chess960
            seen["checks"] += position.is_check()
            seen["double checks"] += len(position.checkers()) > 1
            seen["castling rights"] += bool(position.castling_rights)
            seen["en passant"] += board.ep_square is not None and board.has_legal_en_passant()
            seen["en passant in vain"] += board.has_pseudo_legal_en_passant() and not board.has_legal_en_passant()
            seen["threefold repetitions"] += board.is_repetition(3)
            seen["fifty moves"] += board.halfmove_clock >= 100
            if not position.legal_moves():
                seen["mates and stalemates"] += 1
                break
            if position.is_insufficient_material():
                seen["insufficient material"] += 1
                break
            move = choose(position, chance)
            if undecided and chance.random() < 0.9 and position.is_legal(Move(back(board))):
                move = Move(back(board))
            seen["castling"] += move.is_castling
            seen["en passant captures"] += move.is_en_passant
            seen["promotions"] += move.promotion is not None
            board.push(chess.Move.from_uci(position.uci(move)))
            position = position.play(move)
        found += columns_differ(history, expected)
        if seen["positions"] >= positions:
            return seen, found
    raise AssertionError("games never end")


if __name__ == "__main__":
    began = time.perf_counter()
    kinds, differing = compared(*map(int, [*sys.argv[1:], *("100000", "1")[len(sys.argv) - 1 :]]))
    print(*differing[:50], sep="\n")
    print(", ".join(f"{count} {kind}" for kind, count in kinds.items()))
    print(f"{len(differing)} differences in {time.perf_counter() - began:.0f} s")
    sys.exit(bool(differing))
