"""Find positions in PGN: royal forks that win, where a knight can jump next and cannot be won itself."""

from pathlib import Path

from setwise import Bitboard, Position, find
from setwise.view import draw

GAMES = Path(__file__).with_name("famous_games.pgn")

# SQL over the columns that `setwise columns` lists; only those that are named are computed.
matches = find(
    "own_safe_royal_fork_squares <> 0",
    GAMES,
    columns=["white_name", "black_name", "date", "ply", "san", "fen", "own_safe_royal_fork_squares"],
)
for row in matches.to_pylist():
    squares = Bitboard(row["own_safe_royal_fork_squares"])
    position = Position(row["fen"])
    forks = [
        move for move in position.legal_moves() if move.to_square in squares and move.from_square in position.knights
    ]

    print(f"{row['white_name']} – {row['black_name']}, {row['date'][:4]}, move {row['ply'] // 2 + 1}")
    print(draw(position.piece_string(), {"royal fork": squares}, color=False, unicode=True))
    print(f"possible: {', '.join(map(position.san, forks))}; played: {row['san']}\n")
print(f"{len(matches)} positions")
