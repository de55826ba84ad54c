"""Scans as sources: every question has the answer that it has over the games, or is refused by name before reading."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import setwise
from helpers.data import FAMOUS_GAMES
from helpers.depth import depth
from helpers.python_chess import games_of
from setwise import Positions, read_pgn
from setwise.cli.app import run as command
from setwise.corpus.outputs import Request, opened
from setwise.corpus.query.search import Query, planned, search
from setwise.errors import QueryError, SourceError

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
NOTED = (
    b'[White "A"]\n[Result "1-0"]\n\n1. e4 { [%clk 0:01:00] [%eval 0.3] } e5 { [%clk 0:00:58] } 2. Nf3! *\n\n'
    b'[White "B"]\n\n*\n\n[White "C"]\n\n1. d4 { [%clk 0:00:09] } 0-1\n\n'
)
COLUMNS = ["source", "game", "ply", "fen", "san", "white_name", "result", "white_pawn_islands"]


@pytest.fixture(scope="module")
def forms(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The famous games as scans of every form."""
    place = tmp_path_factory.mktemp("forms")
    setwise.scan(FAMOUS_GAMES, place / "folder", features="pawn_islands")
    setwise.scan(FAMOUS_GAMES, place / "divided", features="pawn_islands", partition_by=["year", "eco"])
    setwise.scan(FAMOUS_GAMES, place / "one.parquet", features="pawn_islands")
    # Somebody writes the file again, with groups of rows that end amid games.
    table = pq.read_table(place / "one.parquet")
    pq.write_table(table, place / "anew.parquet", row_group_size=7)
    shutil.copy(place / "one.games.parquet", place / "anew.games.parquet")
    positions = place / "folder" / "positions"
    return {
        "folder": str(place / "folder"),
        "divided": str(place / "divided"),
        "one file": str(place / "one.parquet"),
        "part": str(positions / "part-00001-00001.parquet"),
        "glob": str(positions / "*.parquet"),
        "cut anew": str(place / "anew.parquet"),
    }


def some_of(forms: dict[str, str], asked: str) -> list[str]:
    """Every third form for a question of the day, all by night."""
    return [*forms.values()][depth(len(asked) % 3, 0) :: depth(3, 1)]


def rows_of(table: pa.Table) -> list[dict[str, Any]]:
    """The rows in the order of the games: a divided scan is read folder by folder."""
    return sorted(table.to_pylist(), key=lambda row: (row["source"], row["game"], row["ply"]))


# ------------------------------------------------------------------------------------------------------------- answers


def test_a_result_has_as_many_positions_as_python_chess_counts(forms: dict[str, str]) -> None:
    won = [game for game in games_of(FAMOUS_GAMES.read_text()) if game.headers["Result"] == "1-0"]
    count = sum(1 + len(list(game.mainline_moves())) for game in won)
    assert count == 1356
    for source in forms.values():
        assert setwise.find("result = '1-0'", source, columns="ply").num_rows == count


@pytest.mark.parametrize(
    "where",
    [
        "result = '0-1'", "points = 0.5", "own_points = 1", "year between 1850 and 1900", "eco = 'C41'",
        "own_name like '%Morphy%' and san like 'Q%'", "event is not null and site <> ''", "tag('White') like 'P%'",
        "white_pawn_islands = 3", "black_pawn_islands + white_pawn_islands > 6", "is_check and next(is_checkmate, 2)",
        "later(is_checkmate) and ply = 1", "previous(captured) = 'Q'", "max(ply) over game > 60", "see > 3",
        "is_castling and fullmove_number < 8", "phase = 'endgame'", "own_safe_fork_squares <> 0", "piece = 'N'",
        "own_elo > 2000", "key = 9384546495678726550",
        "black_title is null", "source like '%famous%' and game = 7",
    ],
)  # fmt: skip
def test_a_scan_answers_as_its_games_do(where: str, forms: dict[str, str]) -> None:
    expected = rows_of(setwise.find(where, FAMOUS_GAMES, columns=COLUMNS))
    assert all(rows_of(setwise.find(where, source, columns=COLUMNS)) == expected for source in some_of(forms, where))


@pytest.mark.parametrize(
    "statement",
    [
        "select count(*) n, sum(plies) plies from games",
        "select * from games order by game",
        "select result, count(*) n from games group by all order by all",
        "select g.result, count(*) n from positions p join games g using (source, game) group by all order by all",
        "select white_name, max(ply) n from positions group by all order by all",
        "select count(*) n from positions where next(san) like '%#'",
        "select game, fault from games where fault is not null",
        "select distinct year, count(*) over game n from positions order by all",
    ],
)
def test_statements_over_a_scan_are_those_over_its_games(statement: str, forms: dict[str, str]) -> None:
    expected = setwise.sql(statement, FAMOUS_GAMES)
    assert expected.num_rows or "fault" in statement
    assert all(setwise.sql(statement, source).equals(expected) for source in some_of(forms, statement))


def test_games_of_a_player_and_matches_of_a_game_are_counted_in_a_scan(forms: dict[str, str]) -> None:
    counts = []
    for source in (FAMOUS_GAMES, *forms.values()):
        found = list(search(planned(source, Query("is_check", player="morphy", per_game=2)), threads=1))
        counts.append(
            (sum(it.matched for it in found), sum(len(it.games) for it in found), sum(it.searched for it in found))
        )
    assert len(set(counts)) == 1
    assert counts[0][1:] == (41, 2512)


def test_what_is_shown_of_a_match_is_what_the_games_show(forms: dict[str, str]) -> None:
    plain = setwise.find("is_checkmate", FAMOUS_GAMES)
    assert setwise.find("is_checkmate", forms["folder"]).equals(plain)


def test_a_connection_to_a_scan_joins_its_tables(forms: dict[str, str]) -> None:
    query = (
        "select sum(ply) from positions p join games g using (source, game) where g.year > 1900 and p.white_elo is null"
    )
    with setwise.connect(FAMOUS_GAMES) as games, setwise.connect(forms["divided"]) as scan:
        assert scan.sql(query).fetchall() == games.sql(query).fetchall()


def test_games_that_break_off_say_so_in_a_scan(tmp_path: Path) -> None:
    text = b"1. e4 e5 2. Ke3 *\n\n1. d4 *\n\n" + b'[FEN "nonsense"]\n\n1. e4 *\n'
    setwise.scan(text, tmp_path)
    statement = "select game, plies, fault from games order by game"
    assert setwise.sql(statement, tmp_path).equals(setwise.sql(statement, text))


def test_what_stands_beside_the_moves_is_computed_from_the_stored_notes(tmp_path: Path) -> None:
    setwise.scan(NOTED, tmp_path, features=["clock", "evaluation"])
    columns = ["game", "ply", "clock", "clock_before", "own_clock", "black_clock", "evaluation", "own_evaluation"]
    expected = setwise.find("true", NOTED, columns=columns)
    assert setwise.find("true", tmp_path, columns=columns).to_pylist() == expected.to_pylist()
    assert setwise.find("own_clock > 50", tmp_path).num_rows == setwise.find("own_clock > 50", NOTED).num_rows == 2
    with pytest.raises(QueryError, match=r"`nags` is not in the scan .*: scan with --features nags, or ask the PGN"):
        setwise.find("true", tmp_path, columns="nags")


def test_chess960_castles_in_a_scan_as_in_its_games(tmp_path: Path) -> None:
    text = (
        b'[Variant "Chess960"]\n[FEN "bnrbkrqn/pppppppp/8/8/8/8/PPPPPPPP/BNRBKRQN w KQkq - 0 1"]\n\n'
        b"1. g3 g6 2. Bf3 Bf6 3. Nc3 Nc6 4. Nd5 Nd4 5. c3 c6 *\n"
    )
    setwise.scan(text, tmp_path)
    columns = ["fen", "san", "legal_moves", "move"]
    assert (
        setwise.find("true", tmp_path, columns=columns).to_pylist()
        == setwise.find("true", text, columns=columns).to_pylist()
    )


def test_sources_of_one_file_keep_their_games_apart(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.pgn").write_bytes(f'[White "{name}"]\n\n1. e4 *\n\n'.encode() * 3)
    sources = [tmp_path / "a.pgn", tmp_path / "b.pgn"]
    setwise.scan(sources, tmp_path / "x.parquet")
    pq.write_table(pq.read_table(tmp_path / "x.parquet"), tmp_path / "y.parquet")  # all in one group of rows
    shutil.copy(tmp_path / "x.games.parquet", tmp_path / "y.games.parquet")
    for scan in ("x.parquet", "y.parquet"):
        found = setwise.find("white_name = 'b'", tmp_path / scan, columns=["source", "game", "ply"])
        assert (
            found.to_pylist()
            == setwise.find("white_name = 'b'", sources, columns=["source", "game", "ply"]).to_pylist()
        )
        assert setwise.sql("select count(*) n from games", tmp_path / scan).to_pylist() == [{"n": 6}]


def test_games_go_on_from_a_match_in_a_scan_as_in_their_source(forms: dict[str, str], tmp_path: Path) -> None:
    written = []
    for number, source in enumerate((FAMOUS_GAMES, forms["folder"])):
        [(_, question)] = questions = list(planned(source, Query("is_castling and ply > 20")))
        path = tmp_path / f"{number}.pgn"
        matches = list(search(questions, threads=1))
        with opened(path, Request(question.schema, positions_alone=True)) as file:
            for found in matches:
                file.write(found)
        games = [game for batch in read_pgn(path) for game in batch]
        written.append([(game.position.fen(), game.sans(), game.tags["White"], game.result) for game in games])
    assert written[0] == written[1] != []
    with (
        pytest.raises(QueryError, match=r"text of games is not in the scan of .*famous_games\.pgn: ask the PGN$"),
        opened(tmp_path / "whole.pgn", Request(question.schema)) as file,
    ):
        file.write(found)


# ------------------------------------------------------------------------------------------------------------ refusals


@pytest.mark.parametrize(
    ("asked", "advice"),
    [
        (["find", "is_check"], "--pgn positions writes the moves from each match on, or ask the PGN"),
        (["sql", "select * from positions"], "ask the PGN"),
    ],
)
def test_whole_games_of_a_scan_are_refused_with_what_the_command_can_do(
    asked: list[str], advice: str, forms: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert command([*asked, forms["folder"], "--format", "pgn"]) == 2
    assert capsys.readouterr().err.endswith(f"famous_games.pgn: {advice}\n")


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("clock", "clock"), ("own_evaluation", "own_evaluation"), ("comment", "comment"), ("elapsed", "elapsed"),
        ("tag('Annotator')", r"tag\('Annotator'\)"), ("tag('WhiteElo')", r"tag\('WhiteElo'\)"),
    ],
)  # fmt: skip
def test_a_scan_refuses_by_name_what_it_does_not_hold(name: str, advice: str, forms: dict[str, str]) -> None:
    sentence = f"`{advice}` is not in the scan .*: scan with --features {advice}, or ask the PGN"
    for form in forms.values():
        for ask in (
            lambda form: setwise.find(f"{name} is not null", form),
            lambda form: setwise.find("true", form, columns=[name]),
            lambda form: list(setwise.batches(form, "planes", where=f"{name} is null")),
        ):
            with pytest.raises(QueryError, match=sentence):
                ask(form)
    if "tag" not in name:
        with pytest.raises(QueryError, match=sentence):
            setwise.sql(f"select max({name}) from positions", forms["folder"])  # noqa: S608  (our own names)


def lists(place: Path) -> dict[str, Any]:
    """Positions that come without games, in every form."""
    text = {
        "x.fen": f"{START}\n",
        "x.csv": f"fen,rating\n{START},7\n",
        "x.jsonl": f'{{"fen": "{START}", "rating": 7}}\n',
    }
    for name, content in text.items():
        (place / name).write_text(content)
    pq.write_table(pa.table({"fen": [START], "rating": [7]}), place / "x.parquet")
    return {
        **{name: place / name for name in (*text, "x.parquet")},
        "table": pa.table({"fen": [START]}),
        "positions": Positions.from_fens([START]),
        "position": setwise.Position(START),
    }


@pytest.mark.parametrize("kind", ["x.fen", "x.csv", "x.jsonl", "x.parquet", "table", "positions", "position"])
def test_positions_without_games_refuse_what_games_have(kind: str, tmp_path: Path) -> None:
    source = lists(tmp_path)[kind]
    for where, shown in {
        "result = '1-0'": "`result`", "white_name is null": "`white_name`", "own_elo > 1": "`own_elo`",
        "clock > 3": "`clock`", "san = 'e4'": "`san`", "move is null": "`move`", "see > 0": "`see`", "ply = 0": "`ply`",
        "next(is_check)": "looks along games", "later(is_check)": "looks along games",
        "max(legal_moves) over game > 1": "looks along games", "tag('Event') = 'x'": r"`tag\('Event'\)`",
    }.items():  # fmt: skip
        with pytest.raises(QueryError, match=f"^{shown} (is|are) not in the positions of .*PGN, and a scan"):
            setwise.find(where, source)
        name = shown.strip("`")
        if name in setwise.columns():
            with pytest.raises(QueryError, match=f"^{shown} is not in"):
                setwise.find("true", source, columns=["fen", name])
            with pytest.raises(QueryError, match=f"^{shown} is not in"):
                setwise.sql(f"select {name} from positions", source)  # noqa: S608  (our own names)
    for statement, shown in {
        "select count(*) from games": "the table games", "select next(is_check) from positions": "looks along games",
        "select count(*) over game from positions": "looks along games",
    }.items():  # fmt: skip
        with pytest.raises(QueryError, match=f"^{shown} (is|are) not in"):
            setwise.sql(statement, source)
    for asked, shown in (
        ({"player": "x"}, "`white_name`, which `player` needs,"),
        ({"per_game": 1}, "looks along games"),
    ):
        with pytest.raises(QueryError, match=f"^{shown} (is|are) not in"):
            list(planned(source, Query("true", **asked)))  # type: ignore[arg-type]
    with setwise.connect(source) as database, pytest.raises(Exception, match="result"):
        database.sql("select result from positions")


@pytest.mark.parametrize("kind", ["x.fen", "x.csv", "x.jsonl", "x.parquet", "table", "positions", "position"])
def test_positions_without_games_show_what_they_have(kind: str, tmp_path: Path) -> None:
    source = lists(tmp_path)[kind]
    beside = ["operations"] if kind == "x.fen" else ["rating"] if kind.startswith("x.") else []
    found = setwise.find("white_to_move", source)
    assert found.column_names == ["source", "game", "fen", *beside, "white_to_move"]
    assert found.num_rows == 1
    answer = setwise.sql("select * from positions", source)
    assert "result" not in answer.column_names
    assert answer.column("fen").to_pylist() == [START]


def test_columns_that_a_table_has_itself_answer_for_it(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text(f"fen,result,white_name,black_name,clock\n{START},1-0,Anna,Bert,9.5\n{START},0-1,Carl,Dora,1\n")
    assert setwise.find("result = '1-0' and clock > 9", path, columns="white_name").to_pylist() == [
        {"white_name": "Anna"}
    ]
    [found] = search(planned(path, Query("true", player="dora")), threads=1)
    assert found.matched == 1
    with pytest.raises(QueryError, match="`own_name` is not in the positions of"):
        setwise.find("own_name = 'Anna'", path)


def test_a_table_with_moves_has_games_without_tags(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text(f"fen,moves,rating\n{START},e2e4 e7e5,7\n")
    assert setwise.find("next(san) = 'e5'", path, columns=["ply", "rating"]).to_pylist() == [{"ply": 0, "rating": 7}]
    assert setwise.sql("select plies from games", path).to_pylist() == [{"plies": 2}]
    for where in ("result = '*'", "white_name is null", "clock is null"):
        with pytest.raises(QueryError, match="is not in the positions of"):
            setwise.find(where, path)
    with pytest.raises(QueryError, match="`result` is not in the positions of"):
        setwise.sql("select result from games", path)


def test_a_look_along_a_game_with_gaps_is_refused() -> None:
    [games] = read_pgn(b"1. e4 e5 2. Nf3 Nc6 *")
    positions = games.positions()
    assert setwise.find("next(san) = 'Nc6'", positions).num_rows == 1
    for source in (positions[::2], positions[[0, 3]]):
        for where in ("next(san) is null", "max(ply) over game > 0"):
            with pytest.raises(QueryError, match="need all positions of a game, and after ply 0 comes ply"):
                setwise.find(where, source)
        with pytest.raises(QueryError, match="need all positions of a game"):
            setwise.sql("select next(san) from positions", source)


def test_a_scan_whose_games_are_gone_has_positions_alone(tmp_path: Path) -> None:
    setwise.scan(FAMOUS_GAMES, tmp_path / "x.parquet")
    (tmp_path / "x.games.parquet").unlink()
    assert setwise.find("next(is_checkmate)", tmp_path / "x.parquet").num_rows > 0
    with pytest.raises(QueryError, match="`white_name` is not in the positions of"):
        setwise.find("white_name is not null", tmp_path / "x.parquet")


def test_rows_that_are_not_whole_games_are_no_scan(tmp_path: Path) -> None:
    setwise.scan(FAMOUS_GAMES, tmp_path / "x.parquet")
    table = pq.read_table(tmp_path / "x.parquet")
    for wrong in (table.sort_by("key"), table.slice(1), table.slice(0, 100)):
        pq.write_table(wrong, tmp_path / "x.parquet")
        with pytest.raises(SourceError, match=r"x\.parquet (is not a scan: it lacks|and .* belong to different scans)"):
            setwise.find("white_name is not null", tmp_path / "x.parquet")


def test_a_list_can_be_scanned_and_its_scan_claims_no_games(tmp_path: Path) -> None:
    path = tmp_path / "x.fen"
    path.write_text(f"{START}\n" * 3)
    setwise.scan(path, tmp_path / "scan")
    assert setwise.find("white_to_move", tmp_path / "scan", columns="fen").num_rows == 3
    with pytest.raises(QueryError, match="`result` is not in"):
        setwise.find("result = '*'", tmp_path / "scan")
    with pytest.raises(QueryError, match="`clock` is not in the positions of"):
        setwise.scan(path, tmp_path / "other", features="clock")


def test_games_of_one_name_in_several_sources_are_told_apart(forms: dict[str, str], tmp_path: Path) -> None:
    """Scans say what their sources were called; where another source is called so, too, a join would mix the games."""
    games = list(games_of(FAMOUS_GAMES.read_text()))
    plies = sum(len(list(game.mainline_moves())) + 1 for game in games)
    shutil.copytree(forms["folder"], tmp_path / "moved")
    for several in (
        [forms["folder"], str(tmp_path / "moved")],
        [forms["folder"], forms["folder"]],
        [FAMOUS_GAMES, forms["folder"], forms["one file"]],
        [forms["divided"], FAMOUS_GAMES],
        [forms["part"], forms["cut anew"], forms["folder"]],
    ):
        count = len(several)
        joined = (
            "select count(*) n, count(distinct (source, game)) games from positions join games using (source, game)"
        )
        assert setwise.sql(joined, several).to_pylist() == [{"n": count * plies, "games": count * len(games)}]
        names = setwise.find("ply = 0", several, columns=["source"])["source"].to_pylist()
        assert len(names) == count * len(games)
        assert len(set(names)) == count


def test_positions_that_were_read_from_games_of_one_name_are_told_apart(tmp_path: Path) -> None:
    def held(text: bytes, size: int = 1 << 19) -> list[setwise.Positions]:
        return [games.positions() for games in setwise.read_pgn(text, batch_bytes=size)]

    one, two = b'[White "a"]\n\n1. e4 e5 *\n\n[White "b"]\n\n1. d4 *\n', b'[White "c"]\n\n1. c4 *\n'
    joined = (
        "select source, count(*) n, min(games.white_name) name from positions join games using (source, game) "
        "group by source order by name, source"
    )
    both, other = {"source": "<bytes>", "n": 5, "name": "a"}, {"source": "<bytes> 2", "n": 2, "name": "c"}
    cases: list[tuple[list[Any], list[dict[str, Any]]]] = [
        ([*held(one), *held(two)], [both, other]),
        ([*held(one, 1), *held(two)], [both, other]),  # batches of one source share its name
        ([*held(one), two], [both, other]),
        ([one, *held(two)], [both, other]),
        (held(one) * 2, [both, both | {"source": "<bytes> 2"}]),
        ([held(one)[0][:3], held(one)[0][3:]], [both | {"n": 3}, {"source": "<bytes> 2", "n": 2, "name": "b"}]),
    ]
    for number, (several, expected) in enumerate(cases):
        assert setwise.sql(joined, several).to_pylist() == expected
        found = setwise.find("true", several, columns="source")["source"].value_counts().to_pylist()
        assert {it["values"]: it["counts"] for it in found} == {it["source"]: it["n"] for it in expected}
        setwise.scan(several, tmp_path / str(number))
        assert setwise.sql(joined, tmp_path / str(number)).to_pylist() == expected


def test_parts_of_one_scan_share_the_names_of_their_sources(forms: dict[str, str], tmp_path: Path) -> None:
    setwise.scan([FAMOUS_GAMES, NOTED], tmp_path / "two")
    parts = str(tmp_path / "two" / "positions" / "*.parquet")
    whole = setwise.find("ply = 0", tmp_path / "two", columns=["source", "game"])
    assert setwise.find("ply = 0", parts, columns=["source", "game"]).equals(whole)
    mixed = setwise.find("ply = 0", [parts, forms["folder"]], columns=["source", "game"])
    assert mixed.slice(0, len(whole)).to_pylist() == whole.to_pylist()
    assert set(mixed["source"].to_pylist()) == {*whole["source"].to_pylist(), f"{FAMOUS_GAMES} 2"}


@pytest.mark.parametrize("shape", depth(["divided", "cut anew"], ["folder", "divided", "one file", "part", "cut anew"]))
def test_positions_that_a_statement_over_a_scan_names_are_written_as_over_its_games(
    forms: dict[str, str], shape: str, tmp_path: Path
) -> None:
    statement = (
        "select source, game, ply, white_pawns & squares('a2') white_pawns, 'won' note from positions "
        "where is_checkmate order by source, game"
    )
    for suffix in ("epd", "fen", "html"):
        for name, source in (("games", FAMOUS_GAMES), ("scan", forms[shape])):
            assert command(["sql", statement, str(source), "--output", str(tmp_path / f"{name}.{suffix}")]) == 0
        assert (tmp_path / f"scan.{suffix}").read_text() == (tmp_path / f"games.{suffix}").read_text()


@pytest.mark.slow
def test_no_bit_of_a_table_of_games_without_a_manifest_gives_anything_but_the_answer_or_a_sentence(
    tmp_path: Path,
) -> None:
    setwise.scan(NOTED, tmp_path / "x.parquet")
    games = tmp_path / "x.games.parquet"
    whole, columns = games.read_bytes(), ["game", "ply", "white_name", "black_name", "result"]
    expected = setwise.find("ply >= 0", tmp_path / "x.parquet", columns=columns).to_pylist()
    found = pq.read_metadata(games)
    begins = {
        place
        for at in range(found.num_columns)
        if found.schema.column(at).name in columns
        for chunk in [found.row_group(0).column(at)]
        for begin in (chunk.dictionary_page_offset, chunk.data_page_offset)
        if begin is not None
        for place in range(begin, begin + 24)  # the header of a page
    }
    told = []
    for place in sorted(begins):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << place % 8
        games.write_bytes(damaged)
        try:
            assert setwise.find("ply >= 0", tmp_path / "x.parquet", columns=columns).to_pylist() == expected
        except SourceError as error:
            told.append(str(error))
    assert told
    assert all("x.games.parquet" in sentence for sentence in told)


def test_nothing_is_written_into_a_scan_that_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    setwise.scan(NOTED, tmp_path / "s")
    monkeypatch.chdir(tmp_path)
    for output in ("s/positions/x.parquet", "s/x.csv", f"{tmp_path}/s/y.jsonl"):
        assert command(["find", "ply = 0", "s", "-o", output]) == 2
        assert "lies in the scan s, which is a source: name another output" in capsys.readouterr().err
        assert not Path(output).exists()
    assert command(["find", "ply = 0", "s", "-o", "x.csv"]) == 0
