"""Every column beside python-chess, position by position."""

from __future__ import annotations

import io
import math
import re
from collections import Counter
from pathlib import Path
from typing import Any

import chess
import chess.engine
import chess.pgn
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import setwise
from helpers.processes import python
from helpers.python_chess import comes_between, is_quiet
from naive.features.tactics import forced, see
from setwise import Set, feature, read_pgn
from setwise.archives import zstd
from setwise.corpus.columns import COLUMNS, place, registry, table_of
from setwise.errors import QueryError
from setwise.features import FEATURES, SIDES, Side

GAMES = Path(__file__).resolve().parents[1] / "examples" / "famous_games.pgn"
ODD = """
[Event "castling, promotion, en passant"]
[White "A"]
[Black "B"]
[WhiteElo "2500"]
[BlackElo "none"]
[WhiteTitle "GM"]
[WhiteRatingDiff "+7"]
[UTCDate "2019.05.02"]
[Result "1-0"]

1. e4 { [%clk 0:10:00] [%eval 0.3] } f5 { [%clk 0:09:50] } 2. exf5 { [%eval 0.5] [%clk 0:09:55] } e5 3. fxe6 Nf6
4. Nf3 Bb4 5. Be2 O-O 6. O-O c5 7. exd7 Nbxd7 8. c3 Ba5 9. b4 cxb4 10. a3 b3 11. a4 b2 12. d3 bxa1=N 1-0

[Event "from a position, Black first, no result"]
[White "?"]
[Date "20011.05.01"]
[FEN "8/P6k/7p/8/8/7P/5p1K/8 b - - 0 1"]

1... f1=N+ 2. Kg2 Ne3+ 3. Kf3 Nd5 4. a8=Q *

[Event "Chess960"]
[Variant "Chess960"]
[FEN "rbknnbrq/pppppppp/8/8/8/8/PPPPPPPP/RBKNNBRQ w KQkq - 0 1"]
[Result "1/2-1/2"]

1. e4 e5 2. Be2 Be7 3. Nf3 Nf6 4. Ne3 Ne6 5. O-O O-O 1/2-1/2
"""
LETTERS = {kind: chess.piece_symbol(kind).upper() for kind in chess.PIECE_TYPES}
WORTH = {"P": 1, "N": 3, "B": 3, "R": 5, "Q": 9, "K": 0}


class Here:
    """A position as python-chess has it: the board, the move played next, the game, the boards before."""

    def __init__(
        self, game: chess.pgn.Game, number: int, board: chess.Board, move: chess.Move | None, ply: int
    ) -> None:
        self.game, self.number, self.board, self.move, self.ply = game, number, board, move, ply
        self.notes: list[chess.pgn.GameNode] = []
        #: The boards of the whole game.
        self.boards: list[chess.Board] = []

    def men(self, colour: bool, kinds: str = "PNBRQK") -> int:
        return sum(
            1 << square
            for square, piece in self.board.piece_map().items()
            if piece.color == colour and piece.symbol().upper() in kinds
        )

    def letters(self, colour: bool) -> str:
        found = Counter(p.symbol().upper() for p in self.board.piece_map().values() if p.color == colour)
        return "".join(letter * found[letter] for letter in "KQRBNP")


def replayed(text: str) -> list[Here]:
    stream, found, number = io.StringIO(text), [], 0
    while (game := chess.pgn.read_game(stream)) is not None:
        number += 1
        nodes, boards = [game, *game.mainline()], list[chess.Board]()
        for ply, node in enumerate(nodes):
            move = nodes[ply + 1].move if ply + 1 < len(nodes) else None
            here = Here(game, number, node.board(), move, ply)
            boards.append(here.board)
            here.notes, here.boards = nodes, boards
            found.append(here)
    return found


@pytest.fixture(scope="module")
def text() -> str:
    return GAMES.read_text() + "\n" + ODD


@pytest.fixture(scope="module")
def everywhere(text: str) -> list[Here]:
    return replayed(text)


@pytest.fixture(scope="module")
def positions(text: str) -> Any:
    [games] = read_pgn(text.encode(), notes=True, batch_bytes=1 << 24)
    return games.positions()


def values(positions: Any, *names: str) -> list[list[Any]]:
    table = table_of(positions, names)
    return [table[name].to_pylist() for name in names]


def colours(side: str, board: chess.Board) -> bool:
    return {"white": True, "black": False, "own": board.turn, "enemy": not board.turn}[side]


def clock(node: chess.pgn.GameNode) -> float | None:
    return node.clock()


def evaluation(node: chess.pgn.GameNode) -> int | None:
    score = node.eval()
    return None if score is None else score.white().score(mate_score=32000)


def black_evaluation(node: chess.pgn.GameNode) -> int | None:
    score = node.eval()
    return None if score is None else score.black().score(mate_score=32000)


def captured(here: Here) -> str | None:
    if here.move is None or not here.board.is_capture(here.move):
        return None
    return "P" if here.board.is_en_passant(here.move) else LETTERS[here.board.piece_type_at(here.move.to_square)]


def arrival(here: Here) -> int:
    """Where the moving piece arrives; of castling in python-chess's Chess960 the king's square, not the rook's."""
    if not here.board.is_castling(here.move):
        return here.move.to_square
    short = chess.square_file(here.move.to_square) > chess.square_file(here.move.from_square)
    return chess.square(6 if short else 2, chess.square_rank(here.move.from_square))


def year(here: Here) -> int | None:
    dates = (here.game.headers.get(tag, "") for tag in ("Date", "UTCDate"))
    return next((int(date[:4]) for date in dates if re.fullmatch(r"\d{4}(\D.*)?", date)), None)


def structure(board: chess.Board) -> str:
    alone = chess.Board(None)
    for square, piece in board.piece_map().items():
        if piece.piece_type == chess.PAWN:
            alone.set_piece_at(square, piece)
    return alone.board_fen()


def imbalance(here: Here) -> str:
    white, black = (Counter(here.letters(colour)) for colour in (True, False))
    return "v".join("".join(letter * rest[letter] for letter in "QRBNP") for rest in (white - black, black - white))


def checks_given(here: Here, colour: bool) -> int:
    return sum(board.is_check() and board.turn != colour for board in here.boards[1 : here.ply + 1])


def of_move(function: Any) -> Any:
    return lambda here: None if here.move is None else function(here)


EXPECTED: dict[str, Any] = {
    "game": lambda here: here.number,
    "ply": lambda here: here.ply,
    "white_to_move": lambda here: here.board.turn,
    "fen": lambda here: here.board.fen(),
    "san": of_move(lambda here: here.board.san(here.move)),
    "move": of_move(lambda here: here.board.uci(here.move)),
    "halfmove_clock": lambda here: here.board.halfmove_clock,
    "fullmove_number": lambda here: here.board.fullmove_number,
    "is_check": lambda here: here.board.is_check(),
    "is_checkmate": lambda here: here.board.is_checkmate(),
    "is_stalemate": lambda here: here.board.is_stalemate(),
    "legal_moves": lambda here: here.board.legal_moves.count(),
    "piece": of_move(lambda here: LETTERS[here.board.piece_type_at(here.move.from_square)]),
    "captured": captured,
    "promotion": of_move(lambda here: LETTERS.get(here.move.promotion)),
    "from_square": of_move(lambda here: 1 << here.move.from_square),
    "to_square": of_move(lambda here: 1 << arrival(here)),
    "gives_check": of_move(lambda here: here.board.gives_check(here.move)),
    "is_castling": of_move(lambda here: here.board.is_castling(here.move)),
    "is_en_passant": of_move(lambda here: here.board.is_en_passant(here.move)),
    "see": of_move(lambda here: see(here.board, here.move)),
    "sacrifice": of_move(lambda here: see(here.board, here.move) <= -2),
    "sound_sacrifice": of_move(lambda here: see(here.board, here.move) <= -2 and forced(here.board, here.move, 2)),
    "quiet_move": of_move(lambda here: is_quiet(here.board, here.move)),
    "intermezzo": of_move(
        lambda here: (
            here.ply > 0
            and comes_between(here.notes[here.ply - 1].board(), here.notes[here.ply].move, here.board, here.move)
        )
    ),
    "material_key": lambda here: f"{here.letters(True)}v{here.letters(False)}",
    "imbalance": imbalance,
    "pawn_structure": lambda here: structure(here.board),
    "castling_rights": lambda here: here.board.castling_rights,
    "event": lambda here: here.game.headers.get("Event"),
    "year": year,
    "tag:WhiteRatingDiff": lambda here: here.game.headers.get("WhiteRatingDiff"),
    "clock": of_move(lambda here: clock(here.notes[here.ply + 1])),
    "evaluation": of_move(lambda here: evaluation(here.notes[here.ply + 1])),
    "evaluation_before": lambda here: evaluation(here.notes[here.ply]) if here.ply else None,
    "white_evaluation": lambda here: evaluation(here.notes[here.ply]) if here.ply else None,
    "black_evaluation": lambda here: black_evaluation(here.notes[here.ply]) if here.ply else None,
    "clock_before": lambda here: clock(here.notes[here.ply - 1]) if here.ply > 1 else None,
}
SIDED: dict[str, Any] = {
    "pieces": lambda here, colour: here.men(colour),
    "pawns": lambda here, colour: here.men(colour, "P"),
    "knights": lambda here, colour: here.men(colour, "N"),
    "bishops": lambda here, colour: here.men(colour, "B"),
    "rooks": lambda here, colour: here.men(colour, "R"),
    "queens": lambda here, colour: here.men(colour, "Q"),
    "king": lambda here, colour: here.men(colour, "K"),
    "material": lambda here, colour: sum(WORTH[letter] for letter in here.letters(colour)),
    "name": lambda here, colour: here.game.headers.get("White" if colour else "Black"),
    "title": lambda here, colour: here.game.headers.get("WhiteTitle" if colour else "BlackTitle"),
    "checks_given": checks_given,
}


@pytest.mark.parametrize("name", EXPECTED)
def test_a_column_is_what_python_chess_says(positions: Any, everywhere: list[Here], name: str) -> None:
    [ours] = values(positions, name)
    assert ours == [EXPECTED[name](here) for here in everywhere]


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("stem", SIDED)
def test_a_sided_column_is_what_python_chess_says(positions: Any, everywhere: list[Here], stem: str, side: str) -> None:
    [ours] = values(positions, f"{side}_{stem}")
    expected = [SIDED[stem](here, colours(side, here.board)) for here in everywhere]
    if stem == "name":  # python-chess fills the roster in
        expected = [None if name == "?" and mine is None else name for name, mine in zip(expected, ours, strict=True)]
    assert ours == expected


@pytest.mark.parametrize("stem", [*FEATURES, "elo", "points", "clock", "evaluation"])
def test_the_movers_column_is_that_of_its_colour(positions: Any, stem: str) -> None:
    white, black, own, enemy = values(positions, *(f"{side}_{stem}" for side in SIDES))
    turns = positions.white_to_move.tolist()
    assert own == [w if turn else b for w, b, turn in zip(white, black, turns, strict=True)]
    assert enemy == [b if turn else w for w, b, turn in zip(white, black, turns, strict=True)]


def test_clocks_are_those_that_the_players_see(positions: Any, everywhere: list[Here]) -> None:
    [white, black] = values(positions, "white_clock", "black_clock")
    for here, mine, theirs in zip(everywhere, white, black, strict=True):
        seen: dict[bool, float | None] = {True: None, False: None}
        for node in here.notes[max(1, here.ply - 1) : here.ply + 1]:
            seen[not node.board().turn] = clock(node)
        assert (mine, theirs) == (seen[True], seen[False])


#: A pawn is offered, a mate missed and allowed, and evaluations stand here and there.
EVALUATED = """
1. e4 { [%eval 0.3] } e5 { [%eval 0.25] } 2. Qh5 { [%eval -1.2] } g6 { [%eval 2.5] } 3. Qxe5+ { [%eval 12.75] } Be7
{ [%eval 55.1] } 4. Qxh8 { [%eval #5] } Kf8 { [%eval #3] } 5. a3 { [%eval 3] } b5 6. h3 { [%eval -11] } b4
{ [%eval #-2] } 7. a4 { [%eval #-1] } b3 { [%eval 0] } 8. Ra2 { [%eval -0.01] } *

[FEN "4k3/8/8/8/8/8/8/4K2R b - - 0 1"]

1... Kd8 { [%eval 4.1] } 2. Rh7 { [%eval 6] } Kc8 { [%eval #12] } 3. Kd2 *
"""


def centipawns(node: chess.pgn.GameNode, colour: bool) -> int | None:
    """An evaluation as one side sees it, at most a thousand; of a mate only who gives it counts."""
    score = node.eval()
    if score is None:
        return None
    mate = score.pov(colour).mate()
    if mate is not None:
        return 1000 if score.pov(colour) > chess.engine.Cp(0) else -1000
    return max(-1000, min(1000, score.pov(colour).score()))


def told(here: Here, ply: int, colour: bool) -> int | None:
    """The same behind one of the moves of a game."""
    return centipawns(here.notes[ply], colour) if 0 < ply < len(here.notes) else None


def lost(here: Here) -> int | None:
    before, after = (told(here, ply, here.board.turn) for ply in (here.ply, here.ply + 1))
    return None if before is None or after is None else max(0, before - after)


def compare_with_lichess(text: str) -> list[int | None]:
    """Compare losses and chances with python-chess's scores; return the losses."""
    [games] = read_pgn(text.encode(), notes=True, batch_bytes=1 << 24)
    loss, chance, *sided = values(games.positions(), "loss", "win_chance", *(f"{side}_win_chance" for side in SIDES))
    places = replayed(text)
    assert loss == [lost(here) for here in places]
    for side, ours in zip(("own", *SIDES), (chance, *sided), strict=True):
        seen = [told(here, here.ply, colours(side, here.board)) for here in places]
        # as Lichess writes it: in per cent, about a middle of 50
        percent = [None if cp is None else 50 + 50 * (2 / (1 + math.exp(-0.00368208 * cp)) - 1) for cp in seen]
        assert ours == [None if it is None else pytest.approx(it / 100, abs=1e-12) for it in percent]
    return loss


def test_losses_and_chances_are_those_of_lichess() -> None:
    losses = compare_with_lichess(EVALUATED)
    assert {0, 145, 1000, None} < {*losses}


def test_losses_and_chances_of_games_of_lichess(shared_data: Path) -> None:
    packed = (shared_data / "pgn" / "lichess_with_clocks.pgn.zst").read_bytes()
    text = zstd.decompress(packed).decode()
    games = [f"[Event {game}" for game in text.split("[Event ")[1:] if "%eval" in game]
    losses = [loss for loss in compare_with_lichess("\n\n".join(games[:10])) if loss is not None]
    assert len(losses) > 100
    assert max(losses) > 100


def test_losses_counted_by_hand() -> None:
    found = setwise.find("true", EVALUATED.encode(), columns=["ply", "loss"]).to_pylist()
    losses = [row["loss"] for row in found]
    # e4 has no evaluation before it; e5 gains 5; Qh5 loses 145; g6 370; after 12.75 and 55.1 Black has no more to lose
    assert losses[:8] == [None, 0, 145, 370, 0, 0, 0, 0]
    # a3 drops a mate for 3.00; b5 has none noted; a4 is mated anyway; b3 lets the mate go; Ra2 loses one
    assert losses[8:16] == [700, None, None, 0, 0, 1000, 1, None]


def test_points_are_those_of_the_result(positions: Any) -> None:
    result, points, white, black = values(positions, "result", "points", "white_points", "black_points")
    expected = {"1-0": (1, 1, 0), "0-1": (0, 0, 1), "1/2-1/2": (0.5, 0.5, 0.5), "*": (None,) * 3}
    assert [(p, w, b) for p, w, b in zip(points, white, black, strict=True)] == [expected[told] for told in result]
    assert set(result) == expected.keys()


# --------------------------------------------------------------------------------------------------------------- phase


def mixed(rank: int, white: int, black: int) -> int:
    """The published scores of Lichess's divider, for two by two squares whose lower edge is on a rank from 1."""
    y = rank
    match (white, black):
        case (0, 1):
            return 1 + y
        case (0, 2):
            return 2 + (6 - y) if y < 6 else 0
        case (0, 3) | (0, 4):
            return 3 + (7 - y) if y < 7 else 0
        case (1, 0):
            return 1 + (8 - y)
        case (1, 1):
            return 5 + abs(4 - y)
        case (1, 2):
            return 4 + (7 - y)
        case (1, 3):
            return 5 + (7 - y)
        case (2, 0):
            return 2 + (y - 2) if y > 2 else 0
        case (2, 1):
            return 4 + (y - 1)
        case (2, 2):
            return 7
        case (3, 0):
            return 3 + (y - 1) if y > 1 else 0
        case (3, 1):
            return 5 + (y - 1)
        case (4, 0):
            return 3 + (y - 1) if y > 1 else 0
    return 0


def begins_middlegame(board: chess.Board) -> bool:
    men = board.piece_map()
    officers = [p for p in men.values() if p.piece_type not in (chess.PAWN, chess.KING)]
    home = [
        sum(square // 8 == 7 * (not colour) and p.color == colour for square, p in men.items())
        for colour in (True, False)
    ]
    mixture = 0
    for rank in range(7):
        for file in range(7):
            four = [8 * (rank + up) + file + over for up in (0, 1) for over in (0, 1)]
            mixture += mixed(rank + 1, *(sum(s in men and men[s].color == c for s in four) for c in (True, False)))
    return len(officers) <= 10 or min(home) < 4 or mixture > 150


def test_phases_are_those_of_lichess(positions: Any, everywhere: list[Here]) -> None:
    [ours] = values(positions, "phase")
    phase, expected = "opening", []
    for here in everywhere:
        officers = [p for p in here.board.piece_map().values() if p.piece_type not in (chess.PAWN, chess.KING)]
        phase = "opening" if here.ply == 0 else phase
        phase = "middlegame" if phase == "opening" and begins_middlegame(here.board) else phase
        phase = "endgame" if phase == "middlegame" and len(officers) <= 6 else phase
        expected.append(phase)
    assert ours == expected
    assert set(ours) == {"opening", "middlegame", "endgame"}


# ------------------------------------------------------------------------------------------------------------- registry


def test_a_feature_is_a_column_from_its_definition_on() -> None:
    text = b"1. e4 e5 2. Nf3 *"
    with pytest.raises(QueryError, match="no column 'white_knights_of_mine'"):
        setwise.find("white_knights_of_mine <> 0", text)

    def knights_of_mine(side: Side) -> Set:
        """Return this side's knights."""
        return side.own & side.knights

    try:
        feature(knights_of_mine)
        found = setwise.find("own_knights_of_mine = own_knights", text, columns=["enemy_knights_of_mine"])
        assert found.num_rows == 4
        assert found["enemy_knights_of_mine"].type == pa.uint64()
        assert "black_knights_of_mine" in setwise.columns()
    finally:
        del FEATURES["knights_of_mine"]
    assert "black_knights_of_mine" not in COLUMNS


def test_which_columns_exist_does_not_depend_on_what_was_imported() -> None:
    names = ("material(KvK)", "can(is_check)", "targets of legal_targets", "distance_to('8/8/8/8/8/8/8/K1k5')", "tag:X")
    code = f"from setwise.corpus.columns import COLUMNS; print([name for name in {names} if name not in COLUMNS])"
    assert python("-c", code) == "[]\n"


def test_every_column_has_the_type_that_it_says(positions: Any) -> None:
    for name, column in COLUMNS.items():
        assert column.compute(positions).type == column.type, name
        assert column.meaning
        assert "{" not in column.meaning


def test_slices_have_the_values_of_their_rows(positions: Any) -> None:
    rows = np.random.default_rng(3).permutation(len(positions))[:200]
    names = [*COLUMNS]
    whole, some = table_of(positions, names), table_of(positions[rows], names)
    for name in names:
        assert some[name].to_pylist() == [whole[name][int(row)].as_py() for row in rows], name


# --------------------------------------------------------------------------------------------------- unknown ratings

#: Ratings of White and Black, by which of them are known.
RATED = [("2600", "0"), ("0", "2400"), ("0000", "-"), ("2000", "2100"), ("", "0")]
UNRATED = "".join(
    f'[White "W{at}"]\n[WhiteElo "{white}"]\n[BlackElo "{black}"]\n[Result "1-0"]\n\n1. e4 1-0\n\n'
    for at, (white, black) in enumerate(RATED)
).encode()
SOURCES_OF_RATINGS = ["pgn", "scan", "old scan", "pack", "index", "old index", "table of games", "table"]


def rated_source(kind: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The games as a source of a kind; an old one was written when 0 was a rating."""
    games = folder / "games.pgn"
    games.write_bytes(UNRATED)
    if kind == "pgn":
        return games
    if kind == "table":
        rows = (f"{chess.STARTING_FEN},{white if white.isdigit() else ''}" for white, _ in RATED)
        return "\n".join(["fen,white_elo", *rows]).encode()
    if kind == "table of games":
        elos = [[int(text) if text.isdigit() else None for text in texts] for texts in zip(*RATED, strict=True)]
        rows = {"movetext": ["1. e4 1-0"] * 5, "WhiteElo": elos[0], "BlackElo": elos[1], "Result": ["1-0"] * 5}
        pq.write_table(pa.table(rows), folder / "games.parquet")
        return folder / "games.parquet"
    written, what = folder / {"pack": "packed.parquet"}.get(kind, "written.index"), kind.removeprefix("old ")
    with monkeypatch.context() as patch:
        if kind.startswith("old"):
            patch.setattr(place, "known_ratings", lambda ratings: ratings)
        getattr(setwise, what)(games, written)
    return written


@pytest.mark.parametrize("kind", SOURCES_OF_RATINGS)
def test_a_rating_of_0_is_unknown_in_every_source(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = rated_source(kind, tmp_path, monkeypatch)
    first = "true" if kind == "table" else "ply = 0"
    statement = "select avg(white_elo) mean, count(white_elo) n from positions where "
    means = setwise.sql(statement + first, source)
    assert means.to_pylist() == [{"mean": 2300.0, "n": 2}]
    assert setwise.find(f"white_elo < 2500 and {first}", source).num_rows == 1
    assert setwise.find(f"white_elo is null and {first}", source).num_rows == 3
    if kind == "table":
        return
    assert setwise.find("own_elo is null and enemy_elo > 2000", source, columns=["ply"]).num_rows == 2
    assert setwise.sql("select avg(black_elo) mean from games", source)["mean"].to_pylist() == [2250.0]
    [row] = setwise.tree("", source).to_pylist()
    assert (row["games"], row["rating"], row["performance"]) == (5, 2300, 2650)


def test_every_row_of_the_table_of_columns_has_its_function() -> None:
    assert registry._listed().keys() == {*registry._plain, *(f"{{side}}_{stem}" for stem in registry._sided)}
