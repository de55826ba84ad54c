"""One answer through every door: each question of the list, asked of every kind of source in every way.

By day `find` asks each question of three sources, statements ask it of two, and a connection is opened to every fourth
source; by night every question of every source.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

import setwise
from doors import commands, oracle, sources, ways
from doors.commands import Commands
from doors.lasting import lasting_pool
from doors.questions import QUESTIONS, Find, Sql
from doors.sources import Source, share
from helpers.depth import depth
from helpers.web import Refused as RefusedByPage
from helpers.web import Searches, searches
from setwise.corpus.query import search
from setwise.corpus.sources import pgn, tables

FINDS = [question for question in QUESTIONS if isinstance(question, Find)]
STATEMENTS = [question for question in QUESTIONS if isinstance(question, Sql)]
#: What statements, batches and the page know: no player, no number of matches a game.
OF_PYTHON = [question for question in QUESTIONS if not ways.has_options(question)]
FINDS_OF_PYTHON = [question for question in FINDS if not ways.has_options(question)]

#: The sources that commands can be given by name, and standard input.
NAMED = [
    name for name in sources.NAMES if name not in {"bytes", "arrow with moves", "arrow of positions", "FENs in memory"}
]
NAMED.append("standard input")


@pytest.fixture(scope="module", autouse=True)
def threads_stay() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "ThreadPoolExecutor", lasting_pool)
        yield


@pytest.fixture(scope="module")
def made(sources_of_doors: dict[str, Source]) -> dict[str, Source]:
    assert list(sources_of_doors) == sources.NAMES
    return sources_of_doors | {"standard input": sources.standard_input(sources_of_doors["pgn"])}


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Source]:
    return sources.sources_of_positions(tmp_path_factory.mktemp("few"), 30)


@pytest.fixture(params=sources.NAMES)
def source(request: pytest.FixtureRequest, made: dict[str, Source]) -> Source:
    return made[request.param]


@pytest.fixture(params=NAMED)
def named(request: pytest.FixtureRequest, made: dict[str, Source]) -> Source:
    return made[request.param]


def test_the_list_asks_of_everything_and_every_question_tells_something() -> None:
    assert len(QUESTIONS) >= 100
    assert len({str(question) for question in QUESTIONS}) == len(QUESTIONS)
    silent = [str(question) for question in QUESTIONS if not question.rows(oracle.all_games())]
    assert silent == ["find is_check --limit 0", "find false"]


# ----------------------------------------------------------------------------------------------------------- in Python


def finds_of_python(source: Source) -> list[Find]:
    """Questions to a function: of a player, and of so many matches a game, only where the source has games."""
    return [it for it in FINDS if not ways.has_options(it) or it.of <= source.holds >= {"tags", "place"}]


def test_find_answers(source: Source) -> None:
    ways.check(((it, ways.by_find(it, source)) for it in share(finds_of_python(source), source.name)), source)


def test_sql_answers(source: Source) -> None:
    asked = share([*FINDS_OF_PYTHON, *STATEMENTS], source.name, step=15)
    ways.check(ways.by_statements(asked, source, lambda statement: setwise.sql(statement, source.given)), source)


@pytest.mark.parametrize("source", depth(sources.NAMES[::4], sources.NAMES), indirect=True)
def test_a_connection_answers(source: Source) -> None:
    asked = [it for it in share(OF_PYTHON, source.name) if not ways.NO_FUNCTIONS.search(str(it))]
    with setwise.connect(source.given) as database:
        answers = ways.by_statements(asked, source, lambda statement: database.sql(statement).to_arrow_table())
    ways.check(answers, source)


def test_positions_of_games_answer(made: dict[str, Source]) -> None:
    source = made["pgn"]
    batches = [games.positions() for games in setwise.read_pgn(source.given, batch_bytes=2_000, notes=True)]
    assert len(batches) > 3
    ways.check(((it, ways.by_games(it, source, batches)) for it in FINDS_OF_PYTHON[:: depth(4, 1)]), source)


#: Before a change lands each source is read by one thread or by two, in turn.
THREADS = depth(
    [("pgn", 2), ("scan of a folder", 1), ("parquet with moves", 2)],
    [*product(("pgn", "scan of a folder", "parquet with moves"), (1, 2))],
)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "threads"), THREADS)
def test_as_many_threads_as_one_wants_answer(threads: int, name: str, made: dict[str, Source]) -> None:
    source, asked = made[name], FINDS_OF_PYTHON[threads::4]
    ways.check(((it, ways.by_find(it, source, threads=threads)) for it in asked), source)
    answers = ways.by_statements(
        FINDS_OF_PYTHON, source, lambda statement: setwise.sql(statement, source.given, threads=threads)
    )
    ways.check(answers, source)


#: How many rows are read at once, and about how many bytes of text that is.
BATCHES = {1: 1, 2: 500, 3: 900, 7: 2_500}


#: Before a change lands each source is cut in two of four ways, the next one in the two others.
IN_BATCHES = [
    (name, rows)
    for at, name in enumerate(("pgn", "zst", "scan", "csv with moves", "parquet of positions", "list of FENs"))
    for number, rows in enumerate(BATCHES)
    if depth((at + number) % 2 == 0, night=True)
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "rows"), IN_BATCHES)
def test_batches_of_a_few_rows_answer(
    rows: int, name: str, made: dict[str, Source], few: dict[str, Source], monkeypatch: pytest.MonkeyPatch
) -> None:
    source = few.get(name, made[name])
    monkeypatch.setattr(tables, "ROWS", rows)
    monkeypatch.setattr(pgn, "_SEARCHED", BATCHES[rows])
    monkeypatch.setattr(pgn, "_MOST_NOTED", 1)
    first = list(BATCHES).index(rows)
    asked = FINDS_OF_PYTHON[first::4]
    ways.check(ways.by_statements(asked, source, lambda it: setwise.sql(it, source.given)), source)
    ways.check(((it, ways.by_find(it, source)) for it in asked[first :: 1 if name == "pgn" else 6]), source)


# -------------------------------------------------------------------------------------------------------- the commands


@pytest.fixture(scope="module")
def pipe() -> Iterator[Commands]:
    with commands.commands(terminal=False) as running:
        yield running


@pytest.fixture(scope="module")
def terminal() -> Iterator[Commands]:
    if os.name == "nt":
        pytest.skip("Windows has no pseudo-terminals")
    with commands.commands(terminal=True) as running:
        yield running


@pytest.mark.slow
def test_a_command_in_a_pipe_answers(pipe: Commands, made: dict[str, Source]) -> None:
    ways.check(((it, commands.by_rows(pipe, it, made["pgn"])) for it in QUESTIONS[:: depth(2, 1)]), made["pgn"])


@pytest.mark.slow
@pytest.mark.parametrize("where", ["pipe", "terminal"])
def test_a_command_answers_of_what_it_is_given(where: str, named: Source, request: pytest.FixtureRequest) -> None:
    running, asked = request.getfixturevalue(where), QUESTIONS if where == "pipe" else QUESTIONS[::-1]
    ways.check(((it, commands.by_rows(running, it, named)) for it in share(asked, named.name, NAMED)), named)


@pytest.mark.slow
@pytest.mark.parametrize("where", ["pipe", "terminal"])
def test_a_command_counts(where: str, made: dict[str, Source], request: pytest.FixtureRequest) -> None:
    running, wrong = request.getfixturevalue(where), []
    for at, question in list(enumerate(FINDS))[depth(where == "pipe", 0) :: depth(2, 1)]:
        source = made["pgn" if where == "terminal" else NAMED[at % len(NAMED)]]
        if question.of <= source.holds:
            count, right = commands.by_count(running, question, source), len(ways.expected(question, source.games))
            wrong += [f"{question}: {count} for {right} over {source.name}"] * (count != right)
    assert not wrong, "\n".join(wrong)


@pytest.mark.slow
def test_a_terminal_draws_the_first_matches_and_says_how_many_there_are(
    terminal: Commands, made: dict[str, Source]
) -> None:
    source, wrong = made["pgn"], []
    for question in FINDS[:: depth(3, 1)]:
        shown, right = commands.by_boards(terminal, question, source), commands.drawn(question, source)
        wrong += [f"{question}\n    {shown}\n    {right}"] * (shown != right)
    assert not wrong, "\n".join(wrong)


@pytest.mark.slow
def test_a_command_writes_the_answer_to_a_file(pipe: Commands, made: dict[str, Source], tmp_path: Path) -> None:
    source, suffixes = made["pgn"], list(commands.READ)
    files = (tmp_path / f"answer{suffixes[at % len(suffixes)]}" for at in range(len(QUESTIONS)))
    asked = list(zip(QUESTIONS, files, strict=True))[1 :: depth(2, 1)]
    ways.check(((it, commands.by_file(pipe, it, source, file)) for it, file in asked), source)


# ------------------------------------------------------------------------------------------------------- the workbench

#: Sources of the workbench, each a kind of its own.
ON_THE_PAGE = ("pgn", "zst", "scan", "csv with moves", "parquet of positions")


@pytest.mark.slow
def test_the_workbench_answers(made: dict[str, Source]) -> None:
    pytest.importorskip("starlette", reason="the workbench needs the extra web")
    pytest.importorskip("httpx2", reason="Starlette's test client needs httpx2")
    wrong = []
    with searches(*(made[name].given for name in ON_THE_PAGE)) as bench:
        for at, question in list(enumerate(OF_PYTHON))[:: depth(3, 1)]:  # each is a process
            if isinstance(question, Sql) or question.limit is None:
                number = at % len(ON_THE_PAGE)
                wrong.append(ways.difference(*_on_the_page(bench, question, made[ON_THE_PAGE[number]], number)))
    assert not any(wrong), "\n".join(filter(None, wrong))


def _on_the_page(
    bench: Searches, question: ways.Question, source: Source, number: int
) -> tuple[ways.Question, Source, ways.Rows | ways.Refused]:
    """What the page shows: of a condition the places of its matches, and how many there are."""
    try:
        if isinstance(question, Sql):
            rows = (row.values() for row in bench.sql(question.statement, source=number))
            return question, source, ways.told(rows, question, source)
        found = bench.find(question.where, source=number)
    except RefusedByPage as refused:
        return question, source, ways.Refused(refused)
    rows = [("all", row["game"], row["ply"]) for row in found.rows]
    games = {row[1] for row in rows} if source.holds else set()  # lone positions are of no known games
    assert (found.matches, found.games) == (len(rows), len(games)), question
    return replace(question, columns="", values=lambda _: ()), source, rows
