"""The tree of moves, against python-chess: every position of some games, by move and by position."""

from __future__ import annotations

import io
from collections import defaultdict
from pathlib import Path

import chess
import chess.pgn
import chess.polyglot
import pytest

import setwise
from helpers.data import FAMOUS_GAMES
from helpers.depth import depth
from helpers.python_chess import games_of
from setwise.cli import main
from setwise.corpus.query.move_tree import Tally, position_of
from setwise.corpus.query.search import planned, search
from setwise.errors import QueryError

RATED = """[White "A"]\n[Black "B"]\n[WhiteElo "2000"]\n[BlackElo "2200"]\n[Date "1999.??.??"]\n[Result "1-0"]\n
1. e4 e5 2. Nf3 1-0\n
[White "C"]\n[Black "A"]\n[WhiteElo "2100"]\n[BlackElo "?"]\n[Date "2004.01.01"]\n[Result "1/2-1/2"]\n
1. e4 e5 2. Nc3 1/2-1/2\n
[White "C"]\n[Black "B"]\n[BlackElo "1900"]\n[Result "0-1"]\n
1. e4 c5 0-1\n
[White "C"]\n[Black "B"]\n[Result "*"]\n
1. Nf3 e5 2. e4 *\n"""
COLUMNS = ["san", "games", "white", "draw", "black", "rating", "performance", "last_year"]


def rows(table) -> list[tuple]:
    return [tuple(row.values()) for row in table.select(COLUMNS).to_pylist()]


def test_a_move_has_its_games_results_ratings_and_the_last_year() -> None:
    # White's 2000 beat 2200 (+400), 2100 drew with an opponent without rating; the loss has no rating of its own.
    assert rows(setwise.tree("", RATED.encode())) == [
        ("e4", 3, 1, 1, 1, 2050, (2200 + 400 + 1900 - 400) // 2, 2004),
        ("Nf3", 1, 0, 0, 0, None, None, None),
    ]
    # Black's 2200 lost to 2000, an unrated player drew with 2100.
    assert rows(setwise.tree("1. e4", RATED.encode())) == [
        ("e5", 2, 1, 1, 0, 2200, (2000 - 400 + 2100) // 2, 2004),
        ("c5", 1, 0, 0, 1, 1900, None, None),
    ]


def test_a_game_without_a_result_has_ratings_and_no_part_in_a_performance() -> None:
    unfinished = '[WhiteElo "2420"]\n[BlackElo "2800"]\n[Result "*"]\n\n1. e4 *\n\n'
    [e4, _] = rows(setwise.tree("", (unfinished + RATED).encode()))
    assert e4 == ("e4", 4, 1, 1, 1, round((2000 + 2100 + 2420) / 3), (2200 + 400 + 1900 - 400) // 2, 2004)


def test_by_position_counts_games_that_reach_it_by_other_moves() -> None:
    for by, games in (("move", 1), ("position", 2)):
        tree = setwise.tree("1. e4 e5", RATED.encode(), by=by)
        assert {row[0]: row[1] for row in rows(tree)} == {"Nf3": games, "Nc3": 1}


def test_conditions_and_players_choose_the_games() -> None:
    assert [row[:2] for row in rows(setwise.tree("", RATED.encode(), where="white_elo >= 2000"))] == [("e4", 2)]
    assert [row[:2] for row in rows(setwise.tree("e4", RATED.encode(), player="a"))] == [("e5", 2)]
    assert setwise.tree("e4", RATED.encode(), where="own_elo > 2500").num_rows == 0


def test_a_player_may_have_one_side(tmp_path: Path) -> None:
    games = tmp_path / "rated.pgn"
    games.write_text(RATED)
    setwise.index(games, tmp_path / "rated.index")
    for source in (games, tmp_path / "rated.index"):
        sides = {
            side: [row[:2] for row in rows(setwise.tree("", source, player="a", side=side))]
            for side in ("white", "black", None)
        }
        assert sides == {"white": [("e4", 1)], "black": [("e4", 1)], None: [("e4", 2)]}
    with pytest.raises(QueryError, match="white or black, not 'red'"):
        setwise.tree("", RATED.encode(), player="a", side="red")
    with pytest.raises(QueryError, match="whose side is white"):
        setwise.tree("", RATED.encode(), side="white")


def test_a_tree_of_no_games_does_not_speak_of_an_index(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    empty = tmp_path / "empty.pgn"
    empty.touch()
    with pytest.raises(SystemExit) as leaving:
        main(["tree", "1. e4", str(empty)])
    said = capsys.readouterr().err
    assert (leaving.value.code, "0 moves; 0 positions of 0 games read" in said, "index" in said) == (1, True, False)


def test_a_game_counts_once_for_a_move_that_it_repeats() -> None:
    games = b"1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 5. e4 *"
    assert [row[:2] for row in rows(setwise.tree("", games))] == [("e4", 1), ("Nf3", 1)]


def judged(text: str) -> tuple[dict, dict]:
    """By python-chess: for each key the FEN, and by each UCI move or for all the games and their results."""
    fens: dict[int, str] = {}
    games: dict[tuple[int, str], dict[int, str]] = defaultdict(dict)
    for number, game in enumerate(games_of(text)):
        board, result = game.board(), game.headers["Result"]
        for move in [*game.mainline_moves(), None]:
            key = chess.polyglot.zobrist_hash(board)
            fens.setdefault(key, board.fen())
            games[key, ""][number] = result
            if move is not None:
                games[key, move.uci()][number] = result
                board.push(move)
    return fens, games


def counts(results: dict[int, str]) -> tuple[int, ...]:
    every = list(results.values())
    return (len(every), *(every.count(result) for result in ("1-0", "1/2-1/2", "0-1")))


def test_every_position_of_the_famous_games_is_counted_as_python_chess_counts_it() -> None:
    text = FAMOUS_GAMES.read_text()
    fens, games = judged(text)
    [result] = search(planned(FAMOUS_GAMES, Tally(position_of("")).query(None, None)))
    for key, fen in [*fens.items()][:: depth(18, 1)]:
        board = chess.Board(fen)
        expected: dict[str, dict[str, tuple]] = {"move": {}, "position": {}}
        for move in board.legal_moves:
            if (key, move.uci()) in games:
                expected["move"][move.uci()] = counts(games[key, move.uci()])
            board.push(move)
            if (reached := (chess.polyglot.zobrist_hash(board), "")) in games:
                expected["position"][move.uci()] = counts(games[reached])
            board.pop()
        for by, answer in expected.items():
            tally = Tally(position_of(fen), by)
            tally.add(tally.of(result))
            table = tally.table().select(["move", "games", "white", "draw", "black"]).to_pylist()
            assert {row["move"]: tuple(row.values())[1:] for row in table} == answer, fen


def test_a_tree_is_the_same_over_a_scan(tmp_path: Path) -> None:
    setwise.scan(FAMOUS_GAMES, tmp_path / "scanned")
    for by in ("move", "position"):
        scanned, read = (setwise.tree("1. e4 e5", it, by=by) for it in (tmp_path / "scanned", FAMOUS_GAMES))
        assert scanned.equals(read)


def test_wrong_input_is_one_sentence() -> None:
    for position, words in (
        ("e4 e4", "the pawn on e7 cannot move to e4"),
        ("8/8 w", "fewer than 8 ranks"),
        ("x9", "not a move"),
    ):
        with pytest.raises(ValueError, match=words):
            setwise.tree(position, RATED.encode())
    with pytest.raises(QueryError, match="by 'move' or by 'position', not 'game'"):
        setwise.tree("", RATED.encode(), by="game")  # type: ignore[arg-type]
    with pytest.raises(QueryError, match="a position is a FEN"):
        setwise.tree(7, RATED.encode())  # type: ignore[arg-type]
    with pytest.raises(QueryError, match="`move` is not in the positions"):
        setwise.tree("", setwise.Positions.from_fens([chess.STARTING_FEN]))


def test_the_command_draws_bars_and_writes_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    games, page = tmp_path / "games.pgn", tmp_path / "tree.html"
    games.write_text(RATED)

    def run(*arguments: str) -> tuple[object, str, str]:
        with pytest.raises(SystemExit) as leaving:
            main(["tree", *arguments])
        return (leaving.value.code, *capsys.readouterr())

    code, out, err = run("", str(games), "--format", "bars")
    assert code == 0
    assert out.splitlines()[1].split()[:3] == ["e4", "3", "75"]
    assert "████████▒▒▒▒▒▒▒▒░░░░░░░░" in out
    assert "2 moves; 15 positions of 4 games read" in err
    assert run("", str(games), "-o", str(page))[0] == 0
    text = page.read_text()
    assert "<td>e4</td><td>3</td>" in text
    assert "<svg" in text
    assert run("e4 e5 Nf3 Nf6", str(games))[:2] == (1, "\t".join(setwise.tree("", b"").column_names) + "\n")
    code, out, err = run(str(games))
    assert code == 2
    assert "is a file" in err
    assert run("", str(games), "--format", "bras")[0] == 2


def test_reading_moves_as_a_text() -> None:
    board = chess.pgn.read_game(io.StringIO("1. e4 e5 2. Nf3 *")).end().board()
    for text in ("1. e4 e5 2. Nf3", "1.e4 e5 2.Nf3", "e4 e5 Nf3", "e2e4 e7e5 g1f3", board.fen()):
        assert position_of(text).key == chess.polyglot.zobrist_hash(board)
