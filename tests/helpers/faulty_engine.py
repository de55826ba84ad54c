"""An engine by python-chess with one planted fault: ``python faulty_engine.py FAULT``; without one it is right.

With ``DIVIDES_BY`` in the environment, that program (Stockfish) counts, and the fault is put into its answers.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time

import chess

FAULT = sys.argv[1] if len(sys.argv) > 1 else ""


def moves(board: chess.Board) -> list[chess.Move]:
    listed = list(board.legal_moves)
    if FAULT == "en-passant":
        return [move for move in listed if not board.is_en_passant(move)]
    if FAULT == "pins":  # the king may be left in check, except along its rank
        king_rank = chess.square_rank(board.king(board.turn) or 0)
        exposing = (move for move in board.pseudo_legal_moves if board.is_pinned(board.turn, move.from_square))
        listed += [it for it in exposing if it not in listed and chess.square_rank(it.from_square) != king_rank]
    if FAULT == "promotions":
        return [move for move in listed if move.promotion != chess.KNIGHT]
    return listed


def push(board: chess.Board, move: chess.Move) -> None:
    rights = board.castling_rights
    board.push(move)
    if (
        FAULT == "rights"
        and board.piece_at(move.to_square)
        and move.to_square in (chess.A8, chess.H8, chess.A1, chess.H1)
    ):
        board.castling_rights |= rights & chess.BB_SQUARES[move.to_square]


def perft(board: chess.Board, depth: int) -> int:
    if depth == 0:
        return 1
    total = 0
    for move in moves(board):
        push(board, move)
        total += perft(board, depth - 1)
        board.pop()
    return total


def late(words: list[str], board: chess.Board) -> None:
    """Answer after the next lines have been answered."""
    time.sleep(0.3)
    answer(["go", "perft", words[2]], board)
    sys.stdout.flush()


def answer(words: list[str], board: chess.Board) -> chess.Board:
    match words:
        case ["go", "perft", _] if FAULT == "late" and threading.current_thread() is threading.main_thread():
            threading.Thread(target=late, args=(words, board.copy())).start()
        case ["uci"]:
            print("id name Faulty\noption name Hash type spin\nuciok")
        case ["isready"]:
            print("readyok")
        case ["quit"]:
            raise SystemExit(3 if FAULT == "quit" else 0)
        case ["position", "fen", *rest]:
            fen, _, played = " ".join(rest).partition(" moves ")
            try:
                board = chess.Board(fen)
            except ValueError:
                if FAULT == "crash":
                    raise SystemExit(7) from None
                return board
            for move in played.split():
                push(board, chess.Move.from_uci(move))
        case ["go", "perft", depth] if "DIVIDES_BY" in os.environ:
            lines = f"position fen {board.fen()}\ngo perft {depth}\nquit\n"
            text = subprocess.run([os.environ["DIVIDES_BY"]], input=lines, capture_output=True, text=True, check=True)
            print(*(line for line in text.stdout.splitlines() if not line.startswith("e1c1")), sep="\n")
        case ["go", "perft", depth]:
            for move in moves(board):
                push(board, move)
                print(f"{move.uci()}: {perft(board, int(depth) - 1)}")
                board.pop()
            print("\nNodes searched: unknown")
        case ["go", *how]:
            if FAULT == "silent" and how[:1] == ["movetime"]:
                time.sleep(60)
            listed = sorted(map(str, moves(board)))
            print(f"bestmove {'e2e5' if FAULT == 'illegal' and listed else listed[0] if listed else '(none)'}")
    return board


def main() -> None:
    board = chess.Board()
    for line in sys.stdin:
        board = answer(line.split(), board)
        sys.stdout.flush()


if __name__ == "__main__":
    main()
