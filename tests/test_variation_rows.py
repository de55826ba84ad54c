"""Variations as rows: each line answers like a game of its own; scans, statements, boards, pages and PGN of them."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from pathlib import Path

import chess.pgn
import pyarrow.parquet
import pytest
from click.testing import CliRunner

import setwise
from helpers.annotated import annotated_game, chess_tree
from helpers.python_chess import games_of
from setwise import Game, Variation
from setwise.cli.app import app
from setwise.errors import QueryError, SourceError
from setwise.game.games import read_pgn
from setwise.notation.pgn.lines import paths_of

TEXT = "".join(annotated_game(seed) for seed in range(60)).encode()
SMALL = (
    b'[Event "a"]\n\n1. e4 $1 {c} (1. d4 {queen pawn} d5 $2 (1... Nf6 {indian} 2. c4) 2. c4 e6) (1. c4 $6) e5 2. Nf3 *'
)
LINES = ("line", "depth", "is_main_line", "parent_ply")


def rows(where: str, *columns: str, text: bytes = SMALL, **options: object) -> list[tuple[object, ...]]:
    """The rows of a search with variations."""
    found = setwise.find(where, text, columns=columns, variations=True, **options)  # type: ignore[arg-type]
    return [tuple(row.values()) for row in found.to_pylist()]


# ------------------------------------------------------------------------------------------ a line is a game of its own


def lines_of(game: Game) -> Iterator[tuple[int, int | None, Game]]:
    """The lines of a game in the order of their parentheses: depth, where it begins, the game that ends with it."""

    def walk(line: Game | Variation, before: Game, depth: int) -> Iterator[tuple[int, int | None, Game]]:
        ply = line.parent_ply if isinstance(line, Variation) else 0
        comments = {at: text for at, text in before.comments.items() if at <= ply}
        nags = {at: glyphs for at, glyphs in before.nags.items() if at <= ply}
        comments |= {ply + at: text for at, text in line.comments.items() if at or not depth}
        nags |= {ply + at: glyphs for at, glyphs in line.nags.items()}
        moves = (*before.moves[:ply], *line.moves)
        whole = Game(game.tags, moves, game.position, game.result, comments=comments, nags=nags)
        yield depth, ply if depth else None, whole
        for variation in line.variations():
            yield from walk(variation, whole, depth + 1)

    yield from walk(game, game, 0)


@pytest.fixture(scope="module")
def lines() -> list[tuple[int, int, int, int | None, Game]]:
    """The number of the game, that of the line, and the line."""
    games = [game for games in read_pgn(TEXT, variations=True) for game in games]
    return [(number, line, *parts) for number, game in enumerate(games, 1) for line, parts in enumerate(lines_of(game))]


VALUES = [
    "fen", "ply", "san", "move", "is_check", "phase", "white_checks_given", "clock", "clock_before", "own_clock",
    "evaluation", "evaluation_before", "comment", "nags", "see", "material_key", "white_to_move", "fullmove_number",
    "origin", "captured_origin", "piece_moves", "quiet_move", "intermezzo",
]  # fmt: skip
CONDITIONS = [
    "previous(is_check)", "next(captured is not null)", "next(ply, 2) = ply + 2", "later(is_check)",
    "earlier(is_check)", "streak(not is_check) >= 3", "streak(not is_check, every_other) >= 2",
    "lasts(not is_check, 3)",
    "until(not is_check, captured is not null)", "earlier(material_key = now(material_key))",
    "next(bit_count(white_pieces) < now(bit_count(white_pieces)))", "count_if(is_check) over so_far >= 1",
    "row_number() over so_far = 3", "previous(previous(bit_count(black_pieces))) > bit_count(black_pieces)",
    "bit_count(knight.attacks(white_knights)) > 5 and earlier(is_check)",
]  # fmt: skip


def expected(lines: list[tuple[int, int, int, int | None, Game]], where: str, columns: list[str]) -> list[object]:
    """What a search without variations answers when each line is a game of its own."""
    text = "".join(game.pgn() + "\n\n" for *_, game in lines).encode()
    found = setwise.find(where, text, columns=["game", "ply", *columns]).to_pylist()
    wanted = []
    for row in found:
        number, line, _, begins, _ = lines[row["game"] - 1]
        if begins is None or row["ply"] > begins:
            wanted.append((number, line, *row.values()))
    return [row[:2] + row[3:] for row in sorted(wanted, key=lambda row: row[:2] + row[3:4])]


@pytest.mark.parametrize("where", ["true", *CONDITIONS])
def test_a_line_answers_like_a_game_of_its_own(lines: list[tuple[int, int, int, int | None, Game]], where: str) -> None:
    columns = VALUES if where == "true" else ["san"]
    found = [tuple(row.values()) for row in setwise.find(
        where, TEXT, columns=["game", "line", "ply", *columns], variations=True
    ).to_pylist()]  # fmt: skip
    assert found == expected(lines, where, columns)
    assert len(found) > 20


def test_rows_are_the_nodes_of_python_chess() -> None:
    nodes = sum(len(chess_tree(game).told()) for game in games_of(TEXT.decode()))
    found = setwise.find("true", TEXT, columns=["game", *LINES, "ply"], variations=True)
    assert len(found) == nodes > 1_000


def test_columns_of_lines(lines: list[tuple[int, int, int, int | None, Game]]) -> None:
    found = rows("true", "game", "line", "depth", "parent_ply", "is_main_line", text=TEXT)
    assert {row[:4] for row in found} == {(number, line, depth, ply) for number, line, depth, ply, _ in lines}
    assert all(main == (line == 0) for _, line, *_, main in found)


def test_the_last_move_is_that_of_the_row_before(lines: list[tuple[int, int, int, int | None, Game]]) -> None:
    columns = ["game", "line", "ply", "last_san", "last_move", "last_nags", "last_comment"]
    found = {row[:3]: row[3:] for row in rows("true", *columns, text=TEXT)}
    for number, line, _, begins, game in lines:
        sans, nags, comments = game.sans(), game.nags, game.comments
        for ply in range(0 if begins is None else begins + 1, len(sans) + 1):
            last = found[number, line, ply]
            if ply == 0:
                assert last == (None, None, None, None)
                continue
            move = game.position.uci(game.moves[ply - 1])
            glyphs = list(nags[ply]) if ply in nags else None
            assert last == (sans[ply - 1], move, glyphs, comments.get(ply))


def test_a_small_game() -> None:
    assert rows("line <> 0", "line", "depth", "parent_ply", "ply", "last_san", "last_nags", "last_comment") == [
        (1, 1, 0, 1, "d4", None, "queen pawn"),
        (1, 1, 0, 2, "d5", [2], None),
        (1, 1, 0, 3, "c4", None, None),
        (1, 1, 0, 4, "e6", None, None),
        (2, 2, 1, 2, "Nf6", None, "indian"),
        (2, 2, 1, 3, "c4", None, None),
        (3, 1, 0, 1, "c4", [6], None),
    ]
    assert rows("count(*) over line = 2", "line", "last_san") == [(2, "Nf6"), (2, "c4")]
    assert rows("previous(last_san) = 'd4'", "line", "last_san") == [(1, "d5"), (2, "Nf6")]


# ------------------------------------------------------------------------------------------------- blocks and threads


@pytest.mark.parametrize("most", [1, 50, 1 << 20])
def test_paths_come_in_parts_of_any_size(most: int) -> None:
    [games] = read_pgn(TEXT, variations=True, batch_bytes=1 << 24)
    own = [row for paths in paths_of(games.tree, most) for row in paths.rows[paths.own].tolist()]
    assert own == list(range(len(games.tree.ply)))


def test_threads_and_orders() -> None:
    text = TEXT * 8
    one = rows("later(is_check)", "game", "line", "ply", text=text, threads=1)
    assert one == rows("later(is_check)", "game", "line", "ply", text=text, threads=4)
    best = rows("true", "game", "line", "ply", text=TEXT, order_by="ply desc, line desc", limit=5)
    assert (
        best == sorted(rows("true", "game", "line", "ply", text=TEXT), key=lambda row: (-row[2], -row[1], row[0]))[:5]
    )  # type: ignore[operator]


def test_without_the_option_nothing_changes() -> None:
    plain = setwise.find("later(is_check)", TEXT, columns=["game", "ply", "fen"])
    main = setwise.find("later(is_check) and is_main_line", TEXT, columns=["game", "ply", "fen"], variations=True)
    assert plain.to_pylist() == main.to_pylist()
    with pytest.raises(QueryError, match="`line` is not in the games <bytes>: their variations are skipped"):
        setwise.find("line = 1", TEXT)


def test_over_line_is_over_game_without_variations() -> None:
    where = "count_if(is_check) over {} >= 2"
    assert setwise.find(where.format("line"), TEXT).equals(setwise.find(where.format("game"), TEXT))
    statement = "select game, max(ply) over {} m from positions order by all"
    assert setwise.sql(statement.format("line"), TEXT).equals(setwise.sql(statement.format("game"), TEXT))


@pytest.mark.parametrize("where", ["count(*) over game > 2", "next(count(*) over game) > 2"])
def test_a_window_says_which_line_it_means(where: str) -> None:
    with pytest.raises(QueryError, match="over game, and a game with variations has many lines: write `over line`"):
        setwise.find(where, SMALL, variations=True)


# ------------------------------------------------------------------------------------------------------ sql and scans


def test_statements_over_lines() -> None:
    counts = setwise.sql("select line, count(*) n from positions group by all order by 1", SMALL, variations=True)
    assert counts.to_pylist() == [{"line": 0, "n": 4}, {"line": 1, "n": 4}, {"line": 2, "n": 2}, {"line": 3, "n": 1}]
    statement = (
        "select line, last_san, previous(last_san, 2) p, next(last_san) n, count(*) over line c from positions "
        "where line = 2 order by ply"
    )
    with pytest.raises(QueryError, match="write `over line`, not `over so_far`"):
        setwise.sql("select count(*) over so_far from positions", SMALL, variations=True)
    found = setwise.sql(statement, SMALL, variations=True).to_pylist()
    assert [tuple(row.values()) for row in found] == [(2, "Nf6", None, "c4", 2), (2, "c4", "d4", None, 2)]


def test_scans_store_lines(tmp_path: Path) -> None:
    (tmp_path / "a.pgn").write_bytes(TEXT)
    for place in (tmp_path / "scan", tmp_path / "one.parquet"):
        done = setwise.scan(tmp_path / "a.pgn", place, variations=True)
        stored = pyarrow.parquet.read_table(
            done.positions_path, columns=["game", *LINES, "ply", "last_san", "last_nags"]
        )
        found = setwise.find("true", tmp_path / "a.pgn", columns=stored.column_names, variations=True)
        assert stored.to_pylist() == found.to_pylist()
        with pytest.raises(SourceError, match="has the lines of variations, which searches of scans do not read"):
            setwise.find("ply = 3", place)
    plain = setwise.scan(tmp_path / "a.pgn", tmp_path / "plain")
    assert "line" not in pyarrow.parquet.read_schema(next(plain.positions_path.glob("*.parquet"))).names


# ----------------------------------------------------------------------------------------------------------- outputs


@pytest.fixture
def file(tmp_path: Path) -> str:
    (tmp_path / "small.pgn").write_bytes(SMALL)
    return str(tmp_path / "small.pgn")


def printed(*arguments: str) -> str:
    result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_boards_name_their_line(file: str) -> None:
    text = printed("find", "last_san = 'Nf6'", file, "--variations", "--boards")
    assert "game 1 of" in text
    assert ", line 2\n" in text
    assert "next: 2. c4" in text


def test_a_page_leads_along_the_line(file: str) -> None:
    page = printed("find", "last_san = 'Nf6'", file, "--variations", "--format", "html")
    [told] = re.findall(r'data-game="([^"]*)"', page)
    assert json.loads(html.unescape(told))["moves"] == ["d4", "Nf6", "c4"]


def test_marks_stand_in_their_variation(file: str) -> None:
    text = printed("find", "ply = 2", file, "--variations", "--format", "pgn", "--columns", "ply")
    [game] = games_of(text)
    marked = [node for node in chess_nodes(game) if "[%cal" in node.comment or "ply = 2" in node.comment]
    assert [node.san() for node in marked] == ["e5", "d5", "Nf6"]


def chess_nodes(game: chess.pgn.GameNode) -> Iterator[chess.pgn.ChildNode]:
    for child in game.variations:
        yield child
        yield from chess_nodes(child)


def test_the_rest_of_a_line_is_written(file: str) -> None:
    text = printed("find", "last_san = 'Nf6'", file, "--variations", "--format", "pgn", "--pgn", "positions")
    [game] = games_of(text)
    assert [move.uci() for move in game.mainline_moves()] == ["c2c4"]
    assert game.headers["Result"] == "*"


def test_rows_of_statements_go_to_tables(file: str) -> None:
    result = CliRunner().invoke(app, ["sql", "select * from positions", file, "--variations", "--format", "html"])
    assert result.exit_code == 2
    assert "rows of variations need a format of rows: table, csv" in result.stderr
