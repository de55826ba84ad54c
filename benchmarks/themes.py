"""How often columns hold a theme, and how often they hold something without it: the second part of ``make tactics``.

Recall and base rate are those of every second puzzle: the others were looked at while the columns were built. The share
of real positions and moves in which a column is not empty is that of games that were not looked at. Stockfish judges
what promises to win, as in ``tactics.py``. What says only what stands on the board is compared with python-chess.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import chess
import numpy as np
import tactics
from games import DATA
from tactics import Judge, Puzzle, Step, Verdict, line, precision, puzzles, share

import setwise
from setwise import Positions

#: Games that no column was built on.
GAMES = ("pgn/gnuchess_book.pgn.zst",)
#: And tournament games that no column was built on.
OTHER_GAMES = ("pgn/twic1599.pgn",)
#: Rows of the sets of positions.
WHITE, BLACK, PAWNS, KINGS = 0, 1, 2, 7

# ------------------------------------------------------------------------------------------------- columns of positions


class Theme(NamedTuple):
    """A tag, the column that should hold it before a step of the solver, and where: a set of squares of the step."""

    tag: str
    column: str
    #: Which steps may bear the tag.
    bears: Callable[[Step], bool]
    #: Which squares the column must hold, one of them; None: any.
    squares: Callable[[Step], int | None]


def always(step: Step) -> bool:
    return True


def target(step: Step) -> int:
    return chess.BB_SQUARES[step.move.to_square]


def origin(step: Step) -> int:
    return chess.BB_SQUARES[step.move.from_square]


def anything(step: Step) -> None:
    return None


def replies(step: Step) -> int:
    """Where the piece stands that replies."""
    return chess.BB_SQUARES[step.reply.from_square] if step.reply else 0


def ends(step: Step) -> bool:
    return step.is_last


def cuts_off(step: Step) -> bool:
    """Whether the piece lands between what is taken next and one of its protectors."""
    if step.taken is None or step.board.is_capture(step.move):
        return False
    protectors = step.board.attackers(not step.board.turn, step.taken)
    return any(chess.between(it, step.taken) >> step.move.to_square & 1 for it in protectors)


def takes_protector(step: Step) -> bool:
    """Whether the piece that is captured protects what is taken next."""
    is_other = step.taken not in {None, step.move.to_square}
    return is_other and step.move.to_square in step.board.attackers(not step.board.turn, step.taken or 0)


def lures_protector(step: Step) -> bool:
    """Whether the piece that replies protects the piece that is taken next."""
    if step.taken is None or step.reply is None or step.taken in {step.move.to_square, step.reply.from_square}:
        return False
    if not step.board.occupied_co[not step.board.turn] >> step.taken & 1:
        return False
    return step.reply.from_square in step.board.attackers(not step.board.turn, step.taken)


def takes_first(step: Step) -> bool:
    return step.number == 0 and step.board.is_capture(step.move)


def takes_beside_king(step: Step) -> bool:
    return step.board.is_capture(step.move) and step.move.to_square in {chess.F2, chess.F7}


THEMES = (
    Theme("interference", "own_interferences", cuts_off, target),
    Theme("capturingDefender", "own_underminings", takes_protector, target),
    Theme("capturingDefender", "enemy_sole_defenders", takes_protector, target),
    Theme("deflection", "enemy_sole_defenders", lures_protector, replies),
    Theme("deflection", "enemy_sole_defenders", always, replies),
    Theme("deflection", "enemy_defenders_overloaded", always, replies),
    Theme("mate", "own_distant_mates", ends, target),
    Theme("backRankMate", "own_distant_mates", ends, target),
    Theme("hangingPiece", "enemy_en_prise", takes_first, target),
    Theme("xRayAttack", "own_xray_attacks", always, target),
    Theme("exposedKing", "enemy_exposed_king", always, anything),
    Theme("attackingF2F7", "own_attacks_f7", takes_beside_king, origin),
)


def held(theme: Theme, steps: list[tuple[Puzzle, Step]], values: np.ndarray) -> set[str]:
    """The puzzles in which the column holds what it should at some step."""
    found = set()
    for (puzzle, step), value in zip(steps, values.tolist(), strict=True):
        wanted = theme.squares(step)
        if value if wanted is None else value & wanted:
            found.add(puzzle.name)
    return found


def of_positions(theme: Theme, looked_at: list[Puzzle]) -> tuple[Verdict, Verdict]:
    """The puzzles with the tag that the column holds, and those without it in which the solver's move is in it."""
    with_tag, without = (
        [(puzzle, step) for puzzle in looked_at if (theme.tag in puzzle.themes) == tagged for step in puzzle.steps
         if not tagged or theme.bears(step)]
        for tagged in (True, False)
    )  # fmt: skip
    verdicts = []
    for steps in (with_tag, without):
        names = {puzzle.name for puzzle, _ in steps}
        values = Positions.from_fens([step.board.fen() for _, step in steps]).feature(theme.column)
        found = held(theme, steps, values)
        missed = [f"{puzzle.fen} {puzzle.name}" for puzzle, _ in steps if puzzle.name not in found]
        verdicts.append(Verdict(len(names), len(names), len(found), list(dict.fromkeys(missed))))
    return verdicts[0], verdicts[1]


# ----------------------------------------------------------------------------------------------------- columns of moves

#: A tag, and the condition that should hold at some move of the solver.
MOVES = {
    "sacrifice": "sacrifice",
    "sacrifice, a sound one": "sound_sacrifice",
    "quietMove": "quiet_move",
    "intermezzo": "intermezzo",
    "intermezzo, then taken back": "intermezzo and next(to_square, 2) = previous(to_square)",
    "advancedPawn": "piece = 'P' and to_square & case when white_to_move then ranks('7 8') else ranks('1 2') end <> 0",
    "attraction": (
        "next(to_square) = to_square and (next(piece) = 'K' and next(gives_check, 2) "
        "or next(piece) in ('Q', 'R') and next(to_square, 4) = to_square)"
    ),
    "deflection": (
        "next(from_square) & enemy_sole_defenders <> 0 and next(see, 2) > 0 and next(to_square, 2) <> next(to_square) "
        "and (gives_check or next(to_square) = to_square and see < 0)"
    ),
    "capturingDefender, and then": (
        "captured is not null and to_square & enemy_sole_defenders <> 0 and next(see, 2) > 0 "
        "and next(to_square, 2) & (to_square | next(to_square)) = 0"
    ),
    "clearance": (
        "next(piece, 2) in ('B', 'R', 'Q') and next(captured, 2) is null and from_square <> 0 "
        "and (from_square & (next(to_square, 2) | lines.between(next(from_square, 2), next(to_square, 2)))) <> 0"
    ),
}  # fmt: skip


def games_of(looked_at: list[Puzzle]) -> bytes:
    """The puzzles as games of PGN."""
    texts = []
    for puzzle in looked_at:
        board = chess.Board(puzzle.fen)
        moves = []
        for move in puzzle.moves:
            moves.append(board.san(move))
            board.push(move)
        first = "1... " if chess.Board(puzzle.fen).turn == chess.BLACK else ""
        texts.append(f'[Event "?"]\n[FEN "{puzzle.fen}"]\n\n{first}{" ".join(moves)} *\n\n')
    return "".join(texts).encode()


def of_moves(name: str, looked_at: list[Puzzle], text: bytes) -> tuple[Verdict, Verdict]:
    tag = name.partition(",")[0]
    table = setwise.find(MOVES[name], text, columns=["game", "ply"])
    rows = zip(table["game"].to_pylist(), table["ply"].to_pylist(), strict=True)
    found = {game - 1 for game, ply in rows if ply % 2}
    verdicts = []
    for tagged in (True, False):
        those = [number for number, puzzle in enumerate(looked_at) if (tag in puzzle.themes) == tagged]
        missed = [looked_at[number].fen for number in those if number not in found]
        verdicts.append(Verdict(len(those), len(those), len(those) - len(missed), missed))
    return verdicts[0], verdicts[1]


def played_well(judge: Judge, picked: list[dict[str, str]]) -> Verdict:
    """Of some moves of real games, those that are near the best, or leave the mover ahead."""
    bad, strictly = [], 0
    for row in picked:
        board, move = chess.Board(row["fen"]), chess.Move.from_uci(row["move"])
        near, good = judge.is_near(board, [move])
        strictly += near
        bad += [] if good else [f"{row['fen']} {board.san(move)}"]
    return Verdict(len(picked), len(picked), len(picked) - len(bad), bad, strictly)


def missed_rightly(judge: Judge, picked: list[dict[str, str]]) -> Verdict:
    """Of some missed chances, those whose move is at least a pawn better than the move played."""
    bad = []
    for row in picked:
        board, chance, played = (
            chess.Board(row["fen"]),
            *(chess.Move.from_uci(row[it]) for it in ("missed_move", "move")),
        )
        is_right = judge.score(board, [chance]) - judge.score(board, [played]) >= MISSED_BY
        bad += [] if is_right else [f"{row['fen']} {board.san(chance)}"]
    return Verdict(len(picked), len(picked), len(picked) - len(bad), bad)


# ---------------------------------------------------------------------------------------------------------------- mates

#: Themes of mates, and the names of the same pictures.
MATES = {
    "anastasiaMate": "anastasia", "arabianMate": "arabian", "backRankMate": "back_rank", "balestraMate": "balestra",
    "blindSwineMate": "blind_swine", "bodenMate": "boden", "cornerMate": "corner", "doubleBishopMate": "double_bishop",
    "dovetailMate": "dovetail", "epauletteMate": "epaulette", "hookMate": "hook", "killBoxMate": "kill_box",
    "morphysMate": "morphy", "operaMate": "opera", "pillsburysMate": "pillsbury", "smotheredMate": "smothered",
    "swallowstailMate": "swallowtail", "triangleMate": "triangle", "vukovicMate": "vukovic",
}  # fmt: skip


def of_mates(looked_at: list[Puzzle]) -> Iterator[tuple[str, Verdict]]:
    """The mates that have a name, and for each theme those that have the name of the picture."""
    ends = {puzzle.name: puzzle.steps[-1].after for puzzle in looked_at if "mate" in puzzle.themes}
    names = dict(zip(ends, Positions.from_boards(ends.values()).mate_patterns().to_pylist(), strict=True))
    named = sum(bool(found) for found in names.values())
    yield "mates with a name", Verdict(len(names), len(names), named, [])
    for theme, name in MATES.items():
        tagged = [puzzle.name for puzzle in looked_at if theme in puzzle.themes]
        missed = [ends[it].fen() for it in tagged if name not in names[it]]
        yield theme, Verdict(len(tagged), len(tagged), len(tagged) - len(missed), missed)


def before_mates(path: Path) -> Positions:
    """The positions of games in which the mover could mate."""
    fens: list[str] = []
    for games in setwise.read_pgn(path):
        positions = games.positions()
        fens += positions[np.flatnonzero(positions.feature("own_mates_in_one"))].fens().to_pylist()
    return Positions.from_fens(fens)


def mates_from_afar(board: chess.Board) -> int:
    """The squares, not next to the king, where a slider checks and mates, by python-chess."""
    squares, king = 0, board.king(not board.turn) or 0
    sliders = board.bishops | board.rooks | board.queens
    for move in list(board.generate_legal_moves(sliders & board.occupied_co[board.turn])):
        if chess.square_distance(king, move.to_square) > 1 and tactics.mates(board, move):
            board.push(move)
            squares |= board.checkers_mask() & chess.BB_SQUARES[move.to_square]
            board.pop()
    return squares


def distant(positions: Positions) -> Verdict:
    """The mates from afar in some positions, those that the column has, and the positions where both differ."""
    columns = positions.feature("own_distant_mates").tolist()
    every = found = 0
    wrong = []
    for fen, squares in zip(positions.fens().to_pylist(), columns, strict=True):
        mating = mates_from_afar(chess.Board(fen))
        every, found = every + mating.bit_count(), found + (mating & squares).bit_count()
        wrong += [fen] if mating != squares else []
    return Verdict(len(positions), every, found, wrong)


# ------------------------------------------------------------------------------------------------------------ en prise


def taken_well(judge: Judge, positions: Positions, most: int) -> Iterator[tuple[str, Verdict]]:
    """Captures of pieces that are en prise, of those among them that are no pawns, and where there are pawns alone."""
    squares = positions.feature("enemy_en_prise")
    pieces = squares & ~positions.sets[PAWNS]
    yield "en_prise", tactics.precision_of(judge, "en_prise", positions, squares, most)
    yield "en_prise, pieces", tactics.precision_of(judge, "en_prise", positions, pieces, most)
    pawns = np.where(pieces == 0, squares, np.uint64(0))
    yield "en_prise, pawns alone", tactics.precision_of(judge, "en_prise", positions, pawns, most)
    yield "winning_captures", precision(judge, "winning_captures", positions, most)


# ------------------------------------------------------------------------------------------------------ attacked twice


def twice(positions: Positions) -> Verdict:
    """The squares attacked twice that python-chess finds, those that the column has, and where both differ."""
    columns = positions.feature("own_attacked_twice").tolist()
    every = found = 0
    wrong = []
    for fen, squares in zip(positions.fens().to_pylist(), columns, strict=True):
        board = chess.Board(fen)
        counted = sum(1 << here for here in chess.SQUARES if len(board.attackers(board.turn, here)) >= 2)
        every, found = every + counted.bit_count(), found + (counted & squares).bit_count()
        wrong += [fen] if counted != squares else []
    return Verdict(len(positions), every, found, wrong)


def twice_beside_king(positions: Positions) -> int:
    """The positions in which the mover attacks a square twice that is next to the enemy king."""
    enemy = np.where(positions.white_to_move, positions.sets[BLACK], positions.sets[WHITE])
    beside = setwise.king.attacks(positions.sets[KINGS] & enemy)
    return int(np.count_nonzero(positions.feature("own_attacked_twice") & beside))


# ------------------------------------------------------------------------------------------------------------- printing

#: Columns whose promise the engine judges, and the moves that are meant.
PROMISES: dict[str, tactics.Meant] = {
    "interferences": lambda board, move: not board.is_capture(move),
    "underminings": tactics.captures,
}
#: Features whose share of real positions is printed.
FEATURES = (
    "sole_defenders", "defenders_overloaded", "interferences", "underminings", "xray_attacks", "exposed_king",
    "attacks_f7", "stragglers", "distant_mates", "attacked_twice",
)  # fmt: skip
#: Columns of moves whose share is printed, and those whose moves the engine judges.
MOVE_COLUMNS = {name: name for name in ("sacrifice", "sound_sacrifice", "quiet_move", "intermezzo")} | {
    name: MOVES[name] for name in ("attraction", "deflection", "capturingDefender, and then")
}
JUDGED_MOVES = ("sacrifice", "sound_sacrifice", "intermezzo")
#: How many centipawns better than the move played a missed chance must be.
MISSED_BY = 100
#: Positions in which python-chess counts attackers.
COUNTED = 10_000


def recalls(tell: Callable[..., None], file: Path | None, most: int | None) -> list[Puzzle]:
    """Print the recall on the puzzles that were not looked at, or on those of a file, and return these puzzles."""
    unseen = puzzles()[1::2] if file is None else puzzles(file, most)
    which = " that were not looked at" if file is None else ""
    print(f"recall on {len(unseen)} puzzles{which}\n{'':26}{'puzzles':>9}{'judged':>9}  found")
    for theme in THEMES:
        tell(f"{theme.tag}: {theme.column}"[:44].ljust(26), *of_positions(theme, unseen))
    text = games_of(unseen)
    for name in MOVES:
        tell(name, *of_moves(name, unseen, text))
    for name, verdict in of_mates(unseen):
        tell(name, verdict)
    return unseen


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--depth", type=int, default=12, help="depth of Stockfish (12)")
    parser.add_argument("--hits", type=int, default=100, help="hits that are judged of each column (100)")
    parser.add_argument("--positions", type=int, default=150_000, help="positions of real games (150000)")
    parser.add_argument("--misses", type=int, default=0, help="how many of those that fail are printed")
    parser.add_argument("--puzzles", type=Path, help="a file of puzzles: recall alone is measured, on all of them")
    parser.add_argument("--most", type=int, help="only the first puzzles of that file")
    options = parser.parse_args()
    if options.puzzles is None and not DATA.is_dir():
        print(f"the games and puzzles of {DATA} are not here; nothing is measured")
        return

    def tell(name: str, verdict: Verdict, beside: Verdict | None = None) -> None:
        print(line(name, verdict, beside), flush=True)
        for text in verdict.bad[: options.misses]:
            print(f"    {text}")

    unseen = recalls(tell, options.puzzles, options.most)
    if options.puzzles is not None:
        return

    mating = before_mates(DATA / GAMES[0])
    of_puzzles = Positions.from_fens([step.board.fen() for puzzle in unseen for step in puzzle.steps])
    print(f"\nmates from afar by python-chess\n{'':26}{'positions':>9}{'mates':>9}  found")
    tell("before mates of games", distant(mating))
    tell("before moves of puzzles", distant(of_puzzles))

    tactics.GAMES = GAMES
    positions = Positions.from_fens(tactics.sample(options.positions, 23))
    print(f"\nhow often, in {len(positions)} positions of other games")
    for name in FEATURES:
        firing = int(np.count_nonzero(positions.feature(f"own_{name}")))
        print(f"{name:26}{firing:9}  {share(firing, len(positions))}")
    firing = int(np.count_nonzero(positions.feature("enemy_en_prise")))
    print(f"{'en_prise, of the enemy':26}{firing:9}  {share(firing, len(positions))}")
    path = DATA / GAMES[0]
    shares = ", ".join(f"count(*) filter (where {name})" for name in MOVE_COLUMNS.values())
    statement = f"select count(move), {shares} from positions"  # noqa: S608
    moves, *firing_moves = setwise.sql(statement, path).to_pylist()[0].values()
    print(f"\nhow often, in {moves} moves of other games")
    for name, firing in zip(MOVE_COLUMNS, firing_moves, strict=True):
        print(f"{name:26}{firing:9}  {share(firing, moves)}")

    tactics.GAMES = OTHER_GAMES
    others = Positions.from_fens(tactics.sample(options.positions, 23))
    print(f"\nhow often, in {len(others)} positions of tournament games, for the side to move")
    for name in ("own_en_prise", "enemy_en_prise", "enemy_sole_defenders", "own_distant_mates", "own_attacked_twice"):
        firing = int(np.count_nonzero(others.feature(name)))
        print(f"{name:26}{firing:9}  {share(firing, len(others))}")
    doubly = np.bitwise_count(others.feature("own_attacked_twice"))
    print(f"{'squares attacked twice':26}{doubly.mean():9.1f}  on average; half have {np.median(doubly):.0f} or more")
    print("\nhow often a square next to the enemy king is attacked twice")
    for name, those in {"tournament games": others, "other games": positions, "their mates in one": mating}.items():
        firing = twice_beside_king(those)
        print(f"{name:26}{firing:9}  {share(firing, len(those))}")
    print(f"\nsquares attacked twice by python-chess\n{'':26}{'positions':>9}{'squares':>9}  found")
    picked = np.sort(np.random.default_rng(23).choice(len(others), min(COUNTED, len(others)), replace=False))
    tell("attacked_twice", twice(others[picked]))

    judge = Judge(options.depth)
    print(f"\nprecision by Stockfish at depth {options.depth}")
    print(f"{'':26}{'hits':>9}{'judged':>9}  {'good':22}  near the best")
    tactics.MOVES |= PROMISES
    for name in PROMISES:
        tell(name, precision(judge, name, positions, options.hits))
    for name, verdict in taken_well(judge, others, options.hits):
        tell(name, verdict)
    for name in JUDGED_MOVES:
        found = setwise.find(name, path, columns=["fen", "move"], sample=options.hits, seed=5)
        tell(name, played_well(judge, found.to_pylist()))
    for games in (OTHER_GAMES[0], tactics.GAMES_WITH_CLOCKS):
        where, columns = "missed is not null", ["fen", "missed_move", "move"]
        chances = setwise.find(where, DATA / games, columns=columns, sample=100, seed=5).to_pylist()
        tell(f"missed, {Path(games).name}"[:26], missed_rightly(judge, chances))
    judge.engine.quit()


if __name__ == "__main__":
    main()
