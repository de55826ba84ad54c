"""Matches in an order: compared with Python's stable sort of all matches, in every format, however they are cut."""

from __future__ import annotations

import functools
import inspect
import itertools
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import chess
import chess.pgn
import click
import pyarrow.feather
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import setwise
from helpers.data import FAMOUS_GAMES
from helpers.depth import depth
from helpers.python_chess import games_of
from setwise.cli.app import run
from setwise.cli.find import Find
from setwise.cli.options import names_in
from setwise.cli.scan import Scan
from setwise.cli.sql import Sql
from setwise.corpus import outputs
from setwise.corpus.outputs.summary import is_set
from setwise.corpus.sources import pgn
from setwise.errors import QueryError
from setwise.system import sorted_runs

GAMES = str(FAMOUS_GAMES)
WHERE = "is_check or captured is not null"
Row = dict[str, Any]

#: Expressions of an order, and the same of a row; some have many equal values, some are null, some read other rows.
KEYS: dict[str, Callable[[Row], Any]] = {
    "see": lambda row: row["see"],
    "ply": lambda row: row["ply"],
    "captured": lambda row: row["captured"],
    "white_name": lambda row: row["white_name"],
    "is_check": lambda row: row["is_check"],
    "bit_count(own_hanging)": lambda row: row["own_hanging"].bit_count(),
    "next(see)": lambda row: row["after"],
    "case when ply % 3 = 0 then 'a, b' end": lambda row: "a, b" if row["ply"] % 3 == 0 else None,
    "white_elo": lambda row: row["white_elo"],
}
COLUMNS = ["game", "ply", "see", "captured", "white_name", "black_name", "is_check", "own_hanging", "white_elo", "fen"]


@functools.cache
def matches() -> list[Row]:
    """All matches in the order of the source; each knows ``see`` of the position after it."""
    rows = setwise.find("true", GAMES, columns=[*COLUMNS, WHERE.split(maxsplit=1)[0]]).to_pylist()
    for row, after in itertools.zip_longest(rows, rows[1:]):
        row["after"] = after["see"] if after and after["game"] == row["game"] else None
    return [row for row in rows if row["is_check"] or row["captured"] is not None]


def in_order(rows: list[Row], keys: list[tuple[str, bool]]) -> list[Row]:
    """Rows sorted by keys, each with whether it falls: nulls last, equal ones in their order."""
    for name, falls in reversed(keys):
        known = [row for row in rows if KEYS[name](row) is not None]
        nulls = [row for row in rows if KEYS[name](row) is None]
        rows = sorted(known, key=KEYS[name], reverse=falls)
        if falls:  # equal rows stay in their order
            groups = itertools.groupby(sorted(known, key=KEYS[name]), key=KEYS[name])
            rows = [row for group in reversed([list(group) for _, group in groups]) for row in group]
        rows += nulls
    return rows


def places(rows: list[Row]) -> list[tuple[int, int]]:
    return [(row["game"], row["ply"]) for row in rows]


def found(order_by: str, **options: Any) -> list[tuple[int, int]]:
    return places(setwise.find(WHERE, GAMES, columns=["game", "ply"], order_by=order_by, **options).to_pylist())


orders = st.lists(st.tuples(st.sampled_from(sorted(KEYS)), st.booleans()), min_size=1, max_size=3)


def text_of(keys: list[tuple[str, bool]]) -> str:
    return ", ".join(f"{name} desc" if falls else name for name, falls in keys)


@settings(max_examples=depth(12, 1000))
@given(
    orders, st.sampled_from([None, 0, 1, 7, 100, 10**6]), st.sampled_from([900, 10**4, 10**6]), st.sampled_from([1, 3])
)
def test_the_best_come_first(keys: list[tuple[str, bool]], limit: int | None, block: int, threads: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pgn, "_SEARCHED", block)
        assert found(text_of(keys), limit=limit, threads=threads) == places(in_order(matches(), keys)[:limit])


@settings(max_examples=depth(8, 500))
@given(orders, st.integers(1, 3), st.sampled_from([None, 5]))
def test_of_each_game_the_best_are_kept(keys: list[tuple[str, bool]], most: int, limit: int | None) -> None:
    by_game = [list(rows) for _, rows in itertools.groupby(matches(), key=lambda row: row["game"])]
    kept = [row for rows in by_game for row in in_order(rows, keys)[:most]]
    expected = in_order(sorted(kept, key=lambda row: (row["game"], row["ply"])), keys)
    assert found(text_of(keys), per_game=most, limit=limit) == places(expected[:limit])


def test_players_and_samples_are_chosen_before_matches_are_ordered() -> None:
    kasparov = [row for row in matches() if "kasparov" in (row["white_name"] + row["black_name"]).lower()]
    keys = [("see", True), ("ply", False)]
    assert found(text_of(keys), player="kasparov") == places(in_order(kasparov, keys)) != []
    drawn = setwise.find(WHERE, GAMES, columns=COLUMNS, sample=30, seed=5).to_pylist()
    assert len(drawn) == 30
    assert found(text_of(keys), sample=30, seed=5) == places(in_order(drawn, keys))
    assert found(text_of(keys), sample=30, seed=5, limit=4) == places(in_order(drawn, keys)[:4])


def test_commas_in_texts_and_parentheses_do_not_end_an_expression() -> None:
    games = b'[White "Morphy, Paul"]\n\n1. e4 e5 *\n\n[White "Paul"]\n\n1. d4 *\n'
    order = "white_name = 'Morphy, Paul', greatest(ply, 1) desc, ply"
    assert places(setwise.find("true", games, columns=["game", "ply"], order_by=order).to_pylist()) == [
        (2, 0), (2, 1), (1, 2), (1, 0), (1, 1),
    ]  # fmt: skip


def test_an_order_stands_over_several_sources(tmp_path: Path) -> None:
    (tmp_path / "one.pgn").write_text("1. e4 d5 2. exd5 *")
    (tmp_path / "two.fen").write_text("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1\n4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\n")
    table = setwise.find(
        "true", [str(tmp_path / "one.pgn"), str(tmp_path / "two.fen")], columns=["source", "game", "fen"],
        order_by="bit_count(black_pawns), bit_count(white_pieces) desc", limit=3,
    )  # fmt: skip
    assert [fen.split()[0] for fen in table["fen"].to_pylist()] == [
        "4k3/8/8/8/8/8/4P3/4K3", "4k3/8/8/3p4/4P3/8/8/4K3", "rnbqkbnr/ppp1pppp/8/3P4/8/8/PPPP1PPP/RNBQKBNR",
    ]  # fmt: skip


# ----------------------------------------------------------------------------------------------------------- formats

ORDER = [("see", True), ("ply", False)]


def fens_in(path: Path) -> list[str]:
    """The FENs in a file that has no columns, in their order; EPD has no clocks."""
    text = path.read_text("utf-8")
    if path.suffix == ".html":
        return re.findall(r"<p><code>([^<]+)</code>", text)
    return [" ".join(line.replace(";", " ").split()[:4]) for line in text.splitlines()]


def rows_in(path: Path) -> list[tuple[int, int]]:
    """The places in a file of columns."""
    match path.suffix:
        case ".parquet":
            return places(pyarrow.parquet.read_table(path).to_pylist())
        case ".arrow":
            return places(pyarrow.feather.read_table(path).to_pylist())
        case ".jsonl":
            return places([json.loads(line) for line in path.read_text("utf-8").splitlines()])
    lines = [re.findall(r"[\w.]+", line) for line in path.read_text("utf-8").splitlines()]
    return [(int(line[0]), int(line[1])) for line in lines if line and line[0].isdigit()]


#: How many of the best are written, and how much is sorted in memory; by day each format has one of two pairs.
WAYS = [(None, 1), (6, 96 << 20), (None, 96 << 20), (6, 1)]


@pytest.mark.parametrize(
    ("suffix", "limit", "size"),
    [(it, *way) for at, it in enumerate(outputs.by_suffix()) for way in depth(WAYS[at % 2 : at % 2 + 1], WAYS)],
)
def test_every_format_has_the_best_first(
    suffix: str, size: int, limit: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sorted_runs, "_RUN", size)
    monkeypatch.setattr(pgn, "_SEARCHED", 3000)
    path, expected = tmp_path / f"found{suffix}", in_order(matches(), ORDER)[:limit]
    cut = [] if limit is None else ["--limit", str(limit)]
    columns = ["--columns", "game,ply"] if outputs.by_suffix()[suffix].is_of_rows else []
    assert run(["find", WHERE, GAMES, "--order-by", text_of(ORDER), *cut, *columns, "-o", str(path)]) == 0
    if columns:
        assert rows_in(path) == places(expected)
    elif suffix == ".pgn":
        games = list(dict.fromkeys(row["game"] for row in expected))
        assert [game.headers["White"] for game in games_of(path.read_text("utf-8"))] == [
            next(row["white_name"] for row in expected if row["game"] == number) for number in games
        ]
        marked = sum("[%cal" in node.comment for game in games_of(path.read_text("utf-8")) for node in nodes_of(game))
        assert marked == sum(1 for row in expected if row["captured"] is not None or row["see"] is not None) > 0
    else:
        fields = 6 if suffix == ".html" else 4
        assert [" ".join(fen.split()[:fields]) for fen in fens_in(path)] == [
            " ".join(row["fen"].split()[:fields]) for row in expected
        ]


def nodes_of(game: chess.pgn.Game) -> list[chess.pgn.GameNode]:
    return [game, *game.mainline()]


def test_games_from_matches_on_and_games_without_marks_are_ordered(tmp_path: Path) -> None:
    expected = in_order(matches(), ORDER)[:9]
    asked = ["find", WHERE, GAMES, "--order-by", text_of(ORDER), "--limit", "9", "--format", "pgn", "-o"]
    assert run([*asked, str(tmp_path / "from.pgn"), "--pgn", "positions"]) == 0
    assert [game.headers["FEN"] for game in games_of((tmp_path / "from.pgn").read_text("utf-8"))] == [
        row["fen"] for row in expected
    ]
    assert run([*asked, str(tmp_path / "plain.pgn"), "--without", "marks"]) == 0
    whole = FAMOUS_GAMES.read_bytes()
    texts = re.findall(rb"\[Event .*?(?=\[Event |\Z)", (tmp_path / "plain.pgn").read_bytes(), re.DOTALL)
    assert len(texts) == len({row["game"] for row in expected})
    assert all(text.strip() in whole for text in texts)


# ------------------------------------------------------------------------------------------------------------ refusals

REFUSED = {
    "": "an order says what comes first, such as 'bit_count(own_hanging) desc, ply'",
    "ply,": "the order 'ply,' has a comma too many",
    "desc": "the order 'desc' has a comma too many, or desc without what it belongs to",
    "1": "the order '1' names no column",
    "plies desc": "there is no column 'plies'",
    "own_hanging desc": "an order by own_hanging means nothing, since own_hanging is a set of squares: bit_count(",
    "own_pawns & own_king": "is a set of squares",
    "mate_patterns": "come in no order",
    "ply desc nulls first": "null comes last in every order: leave out nulls first",
    "ply limit 3": "the order 'ply limit 3' is not SQL",
    "ply; select 1": "is not SQL",
    "piece = 'n'": "piece = 'n' never matches",
    "row_number() over ()": "is a window over several games",
    "(select 1)": "is more than one expression",
}


@pytest.mark.parametrize("order", REFUSED)
def test_a_wrong_order_is_refused_in_one_sentence(order: str, capsys: pytest.CaptureFixture[str]) -> None:
    order_by = order.replace("mate_patterns", "nags")
    with pytest.raises(QueryError) as caught:
        setwise.find("true", GAMES, order_by=order_by)
    assert REFUSED[order] in str(caught.value)
    assert "\n" not in str(caught.value)
    assert run(["find", "true", GAMES, "--order-by", order_by]) == 2
    assert REFUSED[order] in capsys.readouterr().err


def test_an_order_is_a_text_and_a_count_has_none(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(QueryError, match="and is a text, not int"):
        setwise.find("true", GAMES, order_by=3)  # type: ignore[arg-type]
    assert run(["find", "true", GAMES, "--order-by", "ply", "--count"]) == 2
    assert "leave out --order-by, or --count" in capsys.readouterr().err
    with pytest.raises(QueryError, match="`ply` is not in the positions of"):
        setwise.find("true", b"8/8/8/4k3/8/8/4P3/4K3 w - - 0 1\n4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\n", order_by="ply")


@pytest.mark.parametrize(("name", "value"), [("limit", -1), ("per_game", 0), ("sample", 0), ("seed", -1)])
def test_a_number_that_cannot_be_meant_is_refused(name: str, value: int) -> None:
    with pytest.raises(ValueError, match=f"{name} is a number of .* or more, not {value}"):
        setwise.find("true", GAMES, **{name: value})  # type: ignore[arg-type]


# ------------------------------------------------------------------------------------ the same in Python and in a shell

#: What only one of the two has, with the reason.
OF_COMMANDS = {
    "output": "writes files", "style": "chooses how a table is shown", "raw": "concerns text", "boards": "draws",
    "side": "draws", "color": "draws", "every": "draws", "pgn": "writes files", "without": "writes files",
    "count": "len() of the table", "exercise": "writes files", "load": "import statements", "verify": "verify_scan",
    "like": "setwise.like", "likeness": "setwise.like", "either": "setwise.like", "within": "within('…')",
    "repertoire": "files", "explain": "reads nothing", "notes": "the column repairs", "aliases": "use_aliases",
}  # fmt: skip
OF_FUNCTIONS = {
    "on_fault": "printed", "on_hint": "printed", "on_batch": "shown as progress", "files": "--repertoire"
}  # fmt: skip


@pytest.mark.parametrize(("command", "function"), [(Find, setwise.find), (Sql, setwise.sql), (Scan, setwise.scan)])
def test_a_command_and_its_function_take_the_same(command: Any, function: Callable[..., Any]) -> None:
    options = {it.name for it in command.command.params if isinstance(it, click.Parameter)}
    keywords = set(inspect.signature(function).parameters)
    in_shell, in_python = options - set(OF_COMMANDS), keywords - set(OF_FUNCTIONS)
    if function is setwise.scan:
        in_shell |= {"output"}  # there the place of the scan, which is what the function is for
        in_shell -= {"partial"}  # the command alone writes a scan of an unfinished one
    assert in_shell == in_python
    assert not set(OF_COMMANDS) & keywords - {"output"}


# ----------------------------------------------------------------------------------------------- expressions as columns


#: Expressions of every kind, with the names that they get.
COMPUTED = {
    "bit_count(own_hanging)": "bit_count(own_hanging)",
    "own_material - enemy_material as ahead": "ahead",
    "knight.attacks(own_knights) & enemy_pieces AS hit": "hit",
    "next(san, 2) as later_on": "later_on",
    "lower(white_name) as name": "name",
    "count_if(is_check) over game as checks": "checks",
    "case when ply % 2 = 0 then 'a, b' end as \"two words\"": "two words",
    "white_elo as rating": "rating",
    "can(is_checkmate) and ply > 3": "(can(is_checkmate) and ply > 3)",
}


@functools.cache
def computed_by_sql() -> list[Row]:
    """The rows of a statement, which computes all expressions for all positions, in another way."""
    named = [re.sub(r"(?i) as .*", "", text) + f' as "{name}"' for text, name in COMPUTED.items()]
    inner = f"select game, ply, {', '.join(named)}, {WHERE} as here from positions"  # noqa: S608
    statement = f"select * exclude (here) from ({inner}) where here order by game, ply"  # noqa: S608
    return setwise.sql(statement, GAMES).to_pylist()


def test_expressions_are_columns(tmp_path: Path) -> None:
    columns = ["game", "ply", *COMPUTED]
    setwise.scan(GAMES, tmp_path / "scan")
    for source in (GAMES, tmp_path / "scan"):
        for threads in (1, 3):
            found = setwise.find(WHERE, source, columns=columns, threads=threads)
            assert found.column_names == ["game", "ply", *COMPUTED.values()]
            assert found.to_pylist() == computed_by_sql()
    ordered = setwise.find(WHERE, GAMES, columns=columns, order_by="ply desc, game", limit=5)
    assert ordered.to_pylist() == sorted(computed_by_sql(), key=lambda row: (-row["ply"], row["game"]))[:5]
    assert [field.name for field in ordered.schema if is_set(field)] == ["hit"]


@pytest.mark.parametrize("style", ["csv", "tsv", "jsonl", "markdown", "table"])
def test_lines_have_expressions(style: str, capsys: pytest.CaptureFixture[str]) -> None:
    columns = "ply, own_knights | enemy_pieces as hit, greatest(ply, 9) as most, 'x, y' as said, man('b1')"
    assert run(["find", "own_safe_fork_squares <> 0", GAMES, "-n", "1", "--format", style, "--columns", columns]) == 0
    out = capsys.readouterr().out
    first = setwise.find("own_safe_fork_squares <> 0", GAMES, limit=1, columns=names_in(columns)).to_pylist()[0]
    squares = map(chess.square_name, chess.SquareSet(first["hit"] | first["man('b1')"]))
    for said in ("hit", "most", "said", "x, y", str(first["most"]), *squares):
        assert said in out


def test_boards_show_expressions(capsys: pytest.CaptureFixture[str]) -> None:
    columns = "own_safe_fork_squares | own_knights as both, own_material - enemy_material as ahead"
    assert run(["find", "own_safe_fork_squares <> 0", GAMES, "-n", "1", "--boards", "--columns", columns]) == 0
    row = setwise.find("own_safe_fork_squares <> 0", GAMES, limit=1, columns=names_in(columns)).to_pylist()[0]
    out = capsys.readouterr().out
    assert f"both: {' '.join(map(chess.square_name, chess.SquareSet(row['both'])))}" in out
    assert f"ahead = {row['ahead']}" in out


@pytest.mark.parametrize(
    ("column", "message"),
    [
        ("ply as fen", "fen is a column: give 'ply' another name"),
        ("ply +", "the column 'ply +' is not SQL: it ends too early"),
        ("foo(3)", "there is no function foo"),
        ("greatest(own_pawns, 4)", "bit_count(own_pawns)"),
        ("count(*)", "a condition is about one position, and this adds up rows"),
        ("(select 1)", "is more than one expression over the columns"),
        ("no_such_column + 1", "there is no column 'no_such_column'"),
        ("no_such_column", "there is no column 'no_such_column'"),
    ],
)
def test_a_wrong_expression_is_refused_in_one_sentence(column: str, message: str) -> None:
    with pytest.raises(QueryError) as raised:
        setwise.find("true", GAMES, columns=[column])
    assert message in str(raised.value)
