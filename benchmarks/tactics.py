"""Are tactical columns true? Stockfish and tagged puzzles say: ``make tactics``.

Precision, on positions of real games: the share of hits (of the side to move) one of whose moves is the engine's own
choice, or within 0.6 pawns of it, or leaves the mover at least 2.5 pawns ahead. For pieces that are pinned it is the
share of those whose best move off the line is at least 0.6 pawns worse than the best other move, or not legal.

Recall, on puzzles with a theme: the share of those in which the column holds the move that bears the theme. Beside it
the base rate: the share of puzzles without the theme in which the column is not empty before some move of the solver. A
column that is seldom empty finds every theme and says nothing. Shares come with Wilson's interval of 95 %; of fewer
than 30 cases only their number is printed. ``make tactics PUZZLES=lichess_db_puzzle.csv.zst`` measures recall alone, on
all puzzles of a file.
"""

from __future__ import annotations

import argparse
import codecs
import csv
import itertools
import math
import random
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import chess
import chess.engine
import numpy as np
from games import DATA
from peers import program

from setwise import Position, Positions, read_pgn
from setwise.archives import opened

GAMES_WITH_CLOCKS = "pgn/lichess_with_clocks.pgn.zst"
GAMES = "pgn/twic1599.pgn", GAMES_WITH_CLOCKS, "pgn/gnuchess_book.pgn.zst"
PUZZLES = "puzzles/lichess_themes_sample.csv"
NEAR, AHEAD, MATE = 60, 250, 32_000  # centipawns
#: Of fewer cases no share is printed.
FEW = 30
WORTH = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9, chess.KING: 99}
SLIDERS = chess.BISHOP, chess.ROOK, chess.QUEEN
PIECES = chess.PAWN, chess.KNIGHT, *SLIDERS


# ----------------------------------------------------------------------------------------------------------- positions


def sample(count: int, seed: int) -> list[str]:
    """FENs of positions of real games in which somebody can move, a third of them from each file, none twice."""
    found: dict[str, None] = {}
    for name in GAMES:
        batches = [games.positions() for games in read_pgn(DATA / name)]
        total = sum(map(len, batches))
        wanted = np.sort(np.random.default_rng(seed).choice(total, min(count // len(GAMES), total), replace=False))
        for batch in batches:
            here, wanted = wanted[wanted < len(batch)], wanted[wanted >= len(batch)] - len(batch)
            found |= dict.fromkeys(batch[here].fens().to_pylist())
    return list(found)


def column(positions: Positions, name: str, *, of_mover: bool = True) -> np.ndarray:
    return positions.feature(f"{'own' if of_mover else 'enemy'}_{name}")


# ------------------------------------------------------------------------------------------------- moves that are meant


Meant = Callable[[chess.Board, chess.Move], bool]


def by(*pieces: int) -> Meant:
    return lambda board, move: board.piece_type_at(move.from_square) in pieces and not move.promotion


def wins_exchange(board: chess.Board, move: chess.Move) -> bool:
    return board.is_capture(move) and Position(board.fen()).see(move) > 0


def opens_line(board: chess.Board, move: chess.Move) -> bool:
    """Whether a slider of the mover's attacks somebody after the move whom it did not attack before."""
    after = board.copy(stack=False)
    after.push(move)
    sliders = board.occupied_co[board.turn] & (board.bishops | board.rooks | board.queens)
    return any(
        after.attacks_mask(slider) & ~board.attacks_mask(slider) & after.occupied_co[after.turn] & ~after.pawns
        for slider in chess.scan_forward(sliders & ~chess.BB_SQUARES[move.from_square])
    )


def checks_twice(board: chess.Board, move: chess.Move) -> bool:
    board.push(move)
    try:
        return chess.popcount(board.checkers_mask()) > 1
    finally:
        board.pop()


def mates(board: chess.Board, move: chess.Move) -> bool:
    board.push(move)
    try:
        return board.is_checkmate()
    finally:
        board.pop()


def captures(board: chess.Board, move: chess.Move) -> bool:
    return board.is_capture(move)


#: The columns whose squares are moves of the side to move (or pieces of the other side that it captures), and which
#: moves.
MOVES: dict[str, Meant] = {
    "safe_royal_fork_squares": by(chess.KNIGHT),
    "safe_fork_squares": by(chess.KNIGHT),
    "fork_squares_by_pawn": by(chess.PAWN),
    "fork_squares_by_bishop": by(chess.BISHOP),
    "fork_squares_by_rook": by(chess.ROOK),
    "fork_squares_by_queen": by(chess.QUEEN),
    "fork_squares_by_king": by(chess.KING),
    "winning_captures": wins_exchange,
    "skewers": by(*SLIDERS),
    "discovered_attacks": opens_line,
    "double_check_moves": checks_twice,
    "trapped": captures,
    "en_prise": wins_exchange,
    "mates_in_one": mates,
    "distant_mates": mates,
}
#: Those whose squares are pieces of the side not to move.
OF_ENEMY = "trapped", "en_prise"


# ---------------------------------------------------------------------------------------------------------- precision


class Judge:
    """Stockfish at a fixed depth, each position anew."""

    def __init__(self, depth: int) -> None:
        self.engine = chess.engine.SimpleEngine.popen_uci(program("stockfish"))
        self.engine.configure({"Threads": 1, "Hash": 16})
        self.limit = chess.engine.Limit(depth=depth)

    def score(self, board: chess.Board, moves: Sequence[chess.Move] | None = None) -> int:
        """Centipawns for the side to move after its best move, of some moves or of all."""
        return self._choice(board, moves)[0]

    def _choice(self, board: chess.Board, moves: Sequence[chess.Move] | None = None) -> tuple[int, chess.Move | None]:
        found = self.engine.analyse(board, self.limit, root_moves=moves, game=object())
        return found["score"].relative.score(mate_score=MATE), next(iter(found.get("pv", ())), None)

    def is_near(self, board: chess.Board, moves: Sequence[chess.Move]) -> tuple[bool, bool]:
        """Whether the best of some moves is near the best of all, and whether it is that or wins enough.

        The engine's own choice is near, whatever a second search that is restricted to it would say.
        """
        best, chosen = self._choice(board)
        if chosen in moves:
            return True, True
        such = self.score(board, moves)
        near = such >= best - NEAR
        return near, near or such >= AHEAD


class Verdict(NamedTuple):
    """How many positions there were, how many of them were judged and found good, and the others."""

    hits: int
    judged: int
    good: int
    bad: list[str]
    #: How many are good without the second mark: within 0.6 pawns of the best move, however much they win.
    strictly: int | None = None


def aims(board: chess.Board, move: chess.Move, name: str) -> int:
    """The squares by which a column may report a move: where it ends, or where the man stands that it captures."""
    if name not in OF_ENEMY or not board.is_en_passant(move):
        return chess.BB_SQUARES[move.to_square]
    return chess.BB_SQUARES[chess.square(chess.square_file(move.to_square), chess.square_rank(move.from_square))]


def precision(judge: Judge, name: str, positions: Positions, most: int) -> Verdict:
    return precision_of(judge, name, positions, column(positions, name, of_mover=name not in OF_ENEMY), most)


def precision_of(judge: Judge, name: str, positions: Positions, squares: np.ndarray, most: int) -> Verdict:
    """The precision of a column, or of some squares of it."""
    rows = np.flatnonzero(squares).tolist()
    picked = sorted(random.Random(name).sample(rows, min(most, len(rows))))  # noqa: S311
    bad, strictly = [], 0
    for row in picked:
        board = chess.Board(positions[row].fen())
        here = int(squares[row])
        moves = [move for move in board.legal_moves if here & aims(board, move, name) and MOVES[name](board, move)]
        if not moves:
            raise ValueError(f"{name} has {chess.SquareSet(here)} in {board.fen()}, and no move that is meant")
        near, good = judge.is_near(board, moves)
        strictly += near
        if not good:
            bad.append(f"{board.fen()} {' '.join(board.san(move) for move in moves)}")
    return Verdict(len(rows), len(picked), len(picked) - len(bad), bad, strictly)


def held(judge: Judge, positions: Positions, most: int) -> Verdict:
    """Of pieces pinned to another piece than the king, of the side to move: those that lose by leaving the line."""
    pinned = column(positions, "pins", of_mover=False)
    absolute = column(positions, "pinned")
    rows = np.flatnonzero(pinned & ~absolute).tolist()
    picked = sorted(random.Random("pins").sample(rows, min(most, len(rows))))  # noqa: S311
    bad, cases = [], 0
    for row in picked:
        board = chess.Board(positions[row].fen())
        for man in chess.scan_forward(int(pinned[row] & ~absolute[row])):
            off = [move for move in board.generate_legal_moves(chess.BB_SQUARES[man]) if leaves(board, man, move)]
            cases += 1
            if off and judge.score(board, off) > judge.score(board) - NEAR:
                bad.append(f"{board.fen()} {chess.square_name(man)}")
    return Verdict(len(rows), cases, cases - len(bad), bad)


def leaves(board: chess.Board, man: int, move: chess.Move) -> bool:
    """Whether a move leaves all lines on which a slider of the other side's attacks the piece."""
    sliders = board.attackers_mask(not board.turn, man) & (board.bishops | board.rooks | board.queens)
    return not any(chess.ray(slider, man) >> move.to_square & 1 for slider in chess.scan_forward(sliders))


# ------------------------------------------------------------------------------------------------------------- puzzles


class Step(NamedTuple):
    """A move of the solver's, the board before it, its number, where what the next one takes stands now, the reply."""

    board: chess.Board
    move: chess.Move
    number: int
    is_last: bool
    taken: int | None
    reply: chess.Move | None

    @property
    def after(self) -> chess.Board:
        board = self.board.copy(stack=False)
        board.push(self.move)
        return board

    @property
    def piece(self) -> int:
        return self.board.piece_type_at(self.move.from_square) or chess.PAWN


def taken_next(reply: chess.Move, move: chess.Move) -> int:
    """Where what a move takes stood before the reply."""
    return reply.from_square if reply.to_square == move.to_square else move.to_square


class Puzzle:
    """A puzzle of Lichess; the first of its moves is the opponent's."""

    def __init__(self, row: dict[str, str]) -> None:
        self.name, self.fen = row["PuzzleId"], row["FEN"]
        self.moves = [chess.Move.from_uci(text) for text in row["Moves"].split()]
        self.themes = set(row["Themes"].split())

    @cached_property
    def steps(self) -> list[Step]:
        board, found = chess.Board(self.fen), []
        for number, move in enumerate(self.moves):
            if number % 2:
                is_last = number + 2 >= len(self.moves)
                taken = None if is_last else taken_next(self.moves[number + 1], self.moves[number + 2])
                reply = None if is_last else self.moves[number + 1]
                found.append(Step(board.copy(stack=False), move, number // 2, is_last, taken, reply))
            board.push(move)
        return found


def puzzles(path: Path = DATA / PUZZLES, most: int | None = None) -> list[Puzzle]:
    """The puzzles of a file in the form of Lichess, packed or not: all of them, or the first ``most``."""
    with opened(path) as (file, _):
        rows = csv.DictReader(codecs.getreader("utf-8")(file))
        return [Puzzle(row) for row in itertools.islice(rows, most)]


def forks_with(*pieces: int) -> Callable[[Step], bool]:
    """Whether a step is a fork as the tags understand it.

    It is not the last one, its piece cannot simply be taken, and attacks two pieces that are worth more than it, or
    that nobody protects and that do not attack it.
    """

    def is_fork(step: Step) -> bool:
        board, square, worth = step.after, step.move.to_square, WORTH[step.piece]
        if step.is_last or step.piece not in pieces or step.move.promotion or is_loose(board, square):
            return False
        targets = [man for man in board.attacks(square) & board.occupied_co[board.turn] & ~board.pawns
                   if WORTH[board.piece_type_at(man) or 0] > worth
                   or not (board.attackers(board.turn, man) or square in board.attacks(man))]  # fmt: skip
        return len(targets) >= 2

    return is_fork


def is_loose(board: chess.Board, square: int) -> bool:
    """Whether the piece on a square is attacked by one of less worth, or by any one while nobody protects it."""
    attackers = [WORTH[board.piece_type_at(man) or 0] for man in board.attackers(board.turn, square)]
    protected = bool(board.attackers(not board.turn, square))
    return any(worth < WORTH[board.piece_type_at(square) or 0] or not protected for worth in attackers)


def always(step: Step) -> bool:
    return True


def is_slider(step: Step) -> bool:
    return step.piece in SLIDERS


class Theme(NamedTuple):
    """What a tag means on the board: which steps may bear it, in which columns, and when the column is looked at."""

    tag: str
    columns: tuple[str, ...]
    bears: Callable[[Step], bool]
    before: bool = True
    holds: Callable[[int, Step], bool] = lambda squares, step: bool(squares >> step.move.to_square & 1)


def anything(squares: int, step: Step) -> bool:
    return squares != 0


def taken_then(squares: int, step: Step) -> bool:
    return step.taken is not None and bool(squares >> step.taken & 1)


FORKS = ("safe_fork_squares", *(f"fork_squares_by_{piece}" for piece in ("pawn", "bishop", "rook", "queen", "king")))
THEMES = {
    "knight forks": Theme("fork", ("safe_fork_squares",), forks_with(chess.KNIGHT)),
    "pawn forks": Theme("fork", ("fork_squares_by_pawn",), forks_with(chess.PAWN)),
    "bishop forks": Theme("fork", ("fork_squares_by_bishop",), forks_with(chess.BISHOP)),
    "rook forks": Theme("fork", ("fork_squares_by_rook",), forks_with(chess.ROOK)),
    "queen forks": Theme("fork", ("fork_squares_by_queen",), forks_with(chess.QUEEN)),
    "forks": Theme("fork", FORKS, forks_with(*PIECES)),
    "hanging pieces": Theme(
        "hangingPiece", ("winning_captures",), lambda step: step.board.is_capture(step.move) and step.number == 0
    ),
    "pins": Theme("pin", ("pins",), always, before=False, holds=anything),
    "skewers": Theme("skewer", ("skewers",), is_slider),
    "discovered attacks": Theme("discoveredAttack", ("discovered_attacks",), lambda s: opens_line(s.board, s.move)),
    "double checks": Theme("doubleCheck", ("double_check_moves",), lambda step: checks_twice(step.board, step.move)),
    "trapped pieces": Theme(
        "trappedPiece", ("trapped",), lambda step: not step.is_last, before=False, holds=taken_then
    ),
    "mates in one": Theme("mateIn1", ("mates_in_one",), always),
}


def recall(theme: Theme, all_puzzles: list[Puzzle]) -> Verdict:
    """Puzzles with a tag and a step that may bear it, and those of them that a column finds."""
    steps = [
        (puzzle, step)
        for puzzle in all_puzzles
        if theme.tag in puzzle.themes
        for step in puzzle.steps
        if theme.bears(step)
    ]
    if not steps:
        return Verdict(0, 0, 0, [])
    boards = [step.board if theme.before else step.after for _, step in steps]
    values = held_by(theme, Positions.from_fens([board.fen() for board in boards]))
    found: dict[str, str] = {}
    for (puzzle, step), squares in zip(steps, values.tolist(), strict=True):
        found.setdefault(puzzle.name, f"{step.board.fen()} {step.board.san(step.move)}")
        if theme.holds(squares, step):
            found[puzzle.name] = ""
    missed = [text for text in found.values() if text]
    return Verdict(len(found), len(found), len(found) - len(missed), missed)


def base_rate(theme: Theme, all_puzzles: list[Puzzle]) -> Verdict:
    """Puzzles without a tag, and those of them in which a column is not empty at some step of the solver."""
    steps = [(puzzle, step) for puzzle in all_puzzles if theme.tag not in puzzle.themes for step in puzzle.steps]
    boards = [step.board if theme.before else step.after for _, step in steps]
    values = held_by(theme, Positions.from_fens([board.fen() for board in boards]))
    names = {puzzle.name for puzzle, _ in steps}
    firing = {puzzle.name for (puzzle, _), squares in zip(steps, values.tolist(), strict=True) if squares}
    return Verdict(len(names), len(names), len(firing), [])


def held_by(theme: Theme, positions: Positions) -> np.ndarray:
    """The squares that any column of a theme holds."""
    values = np.zeros(len(positions), np.uint64)
    for name in theme.columns:
        of_mover = theme.before if name != "trapped" else True
        values |= column(positions, name, of_mover=of_mover)
    return values


# --------------------------------------------------------------------------------------------------------- exchanges


def searched(board: chess.Board, move: chess.Move) -> int:
    """What an exchange wins: python-chess plays every capture on the square."""
    if board.is_castling(move):
        return 0
    gain = 1 if board.is_en_passant(move) else WORTH.get(board.piece_type_at(move.to_square) or 0, 0)
    gain += WORTH[move.promotion] - 1 if move.promotion else 0
    board.push(move)
    replies = list(board.generate_legal_moves(to_mask=chess.BB_SQUARES[move.to_square]))
    gain -= max([0, *(searched(board, reply) for reply in replies)])
    board.pop()
    return gain


def exchanges(fens: Iterable[str], most: int) -> Verdict:
    """Captures of real positions whose exchange is evaluated as the search finds it."""
    judged, wrong = 0, []
    for fen in fens:
        board, position = chess.Board(fen), Position(fen)
        for move in list(board.generate_legal_captures()):
            judged += 1
            if position.see(move.uci()) != searched(board, move):
                wrong.append(f"{fen} {board.san(move)}")
        if judged >= most:
            break
    return Verdict(judged, judged, judged - len(wrong), wrong)


# ------------------------------------------------------------------------------------------------------------- printing


def share(good: int, judged: int) -> str:
    """A share in percent with its interval of 95 %, by Wilson; of few cases the number alone."""
    if not judged:
        return "–"
    if judged < FEW:
        return f"{good} of {judged}"
    middle, z = good / judged, 1.96
    centre = (middle + z * z / (2 * judged)) / (1 + z * z / judged)
    half = z / (1 + z * z / judged) * math.sqrt(middle * (1 - middle) / judged + z * z / (4 * judged * judged))
    return f"{100 * middle:5.1f} % ({100 * (centre - half):.1f}–{100 * (centre + half):.1f})"


def line(name: str, verdict: Verdict, beside: Verdict | None = None) -> str:
    text = f"{name:26}{verdict.hits:9}{verdict.judged:9}  {share(verdict.good, verdict.judged):22}"
    if verdict.strictly is not None:
        text += f"  {share(verdict.strictly, verdict.judged)}"
    return text + (f"  {share(beside.good, beside.judged)}" if beside else "")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--depth", type=int, default=12, help="depth of Stockfish (12)")
    parser.add_argument("--hits", type=int, default=200, help="hits that are judged of each column (200)")
    parser.add_argument("--positions", type=int, default=150_000, help="positions of real games (150000)")
    parser.add_argument("--captures", type=int, default=100_000, help="captures whose exchange is searched (100000)")
    parser.add_argument("--only", nargs="*", help="these columns and themes")
    parser.add_argument("--misses", type=int, default=0, help="how many of those that fail are printed")
    parser.add_argument("--puzzles", type=Path, help="a file of puzzles: recall alone is measured, on all of them")
    parser.add_argument("--most", type=int, help="only the first puzzles of that file")
    options = parser.parse_args()
    if options.puzzles is None and not DATA.is_dir():
        print(f"the games and puzzles of {DATA} are not here; nothing is measured")
        return

    def wanted(name: str) -> bool:
        return not options.only or name in options.only

    def tell(name: str, verdict: Verdict, beside: Verdict | None = None) -> None:
        print(line(name, verdict, beside), flush=True)
        for text in verdict.bad[: options.misses]:
            print(f"    {text}")

    tagged = puzzles() if options.puzzles is None else puzzles(options.puzzles, options.most)
    print(f"recall on {len(tagged)} tagged puzzles\n{'theme':26}{'puzzles':>9}{'judged':>9}  {'found':22}  without it")
    for name, theme in THEMES.items():
        if wanted(name):
            tell(name, recall(theme, tagged), base_rate(theme, tagged))
    if options.puzzles is not None:
        return

    fens = sample(options.positions, 1)
    if wanted("see"):
        print(f"\nexchanges against a search by python-chess\n{'':26}{'captures':>9}{'judged':>9}  equal")
        shuffled = random.Random(1).sample(fens, len(fens))  # noqa: S311
        tell("see", exchanges(shuffled, options.captures))

    judge = Judge(options.depth)
    positions = Positions.from_fens(fens)
    print(f"\nprecision by Stockfish at depth {options.depth}, on {len(fens)} positions of real games")
    print(f"{'column':26}{'hits':>9}{'judged':>9}  {'good':22}  near the best")
    for name in MOVES:
        if wanted(name):
            tell(name, precision(judge, name, positions, options.hits))
    if wanted("pins"):
        tell("pins", held(judge, positions, options.hits))
    judge.engine.quit()


if __name__ == "__main__":
    main()
