"""The ways to ask in Python; each gets questions and a source, and gives rows or the sentence of a refusal."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import duckdb
import pyarrow as pa

import setwise
from doors.oracle import Game
from doors.questions import Find, Sql
from doors.sources import Source
from setwise.errors import SetwiseError

Rows = list[tuple[Any, ...]]
Question = Find | Sql


class Refused(str):
    """The sentence by which a way refuses a question."""

    __slots__ = ()


# --------------------------------------------------------------------------------------------------- answers, compared


def plain(value: Any) -> Any:
    """A value in the one form in which answers are compared: a number is an int where it is whole."""
    if isinstance(value, bool | str | int) or value is None:
        return value
    return int(value) if value == int(value) else float(value)


@functools.cache
def expected(question: Question, games: Callable[[], list[Game]]) -> Rows:
    """The answer that python-chess gives of what a source holds."""
    return [tuple(map(plain, row)) for row in question.rows(games())]


def told(rows: Iterable[Iterable[Any]], question: Question, source: Source) -> Rows:
    """Rows with the names that the list of questions has for sources; a lone position is at ply 0."""
    found = []
    for row in rows:
        values = [source.names.get(value, value) if isinstance(value, str) else plain(value) for value in row]
        if isinstance(question, Find) and not source.holds:
            values.insert(2, 0)
        found.append(tuple(values))
    return found


def told_of(table: pa.Table, question: Question, source: Source) -> Rows:
    return told(zip(*(column.to_pylist() for column in table.columns), strict=True), question, source)


def difference(question: Question, source: Source, answer: Rows | Refused) -> str:
    """What is wrong with an answer, drawn; nothing where it is right, or refused as what the source does not hold."""
    missing = question.of - source.holds
    if isinstance(answer, Refused):
        words = set(re.findall(r"\w+", str(question))) - {"find", "sql", "select", "from", "and", "is"}
        named = (words | {"looks"}) & set(re.findall(r"\w+", answer))
        return "" if missing and named else f"{question}\n    refused{' without a name' * (not named)}: {answer}"
    if missing:
        told = f"{answer[:3]} … ({len(answer)} rows)" if answer else "nothing"
        return f"{question}\n    answered {told} by a source that holds no {', '.join(sorted(missing))}"
    right = expected(question, source.games)
    if answer == right:
        return ""
    wrong, lacking = ([it for it in mine if it not in other][:3] for mine, other in ((answer, right), (right, answer)))
    if not wrong and not lacking:
        return f"{question}\n    {len(answer)} rows for {len(right)}, or in another order: {answer[:3]} for {right[:3]}"
    return f"{question}\n    {len(answer)} rows for {len(right)}; wrong {wrong}; lacking {lacking}"


def check(asked: Iterable[tuple[Question, Rows | Refused]], source: Source) -> None:
    """Fail with every answer of a source that is wrong."""
    wrong = [found for question, answer in asked if (found := difference(question, source, answer))]
    assert not wrong, f"{len(wrong)} of the answers are wrong over {source.name}\n" + "\n".join(wrong)


# ---------------------------------------------------------------------------------------------------------- conditions


def has_options(question: Question) -> bool:
    """Whether a statement has no words for what is asked: a player, a number of matches a game."""
    return isinstance(question, Find) and (question.player is not None or question.per_game is not None)


def places(source: Source) -> list[str]:
    """The columns that tell where a match is; lone positions have no ply."""
    return ["source", "game", *(["ply"] if source.holds else [])]


def columns_of(question: Find, source: Source) -> list[str]:
    return [*places(source), *filter(None, question.columns.split(","))]


def by_find(question: Find, source: Source, given: Any = None, **options: Any) -> Rows | Refused:
    """What ``setwise.find`` answers."""
    where, given = question.where, source.given if given is None else given
    try:
        table = setwise.find(
            where, given, columns=columns_of(question, source), limit=question.limit, player=question.player,
            per_game=question.per_game, **options,
        )  # fmt: skip
    except SetwiseError as error:
        return Refused(error)
    return told_of(table, question, source)


def by_games(question: Find, source: Source, batches: Sequence[Any]) -> Rows | Refused:
    """What ``find`` answers of the positions of every batch of ``read_pgn``, one after the other."""
    rows: Rows = []
    for positions in batches:
        left = None if question.limit is None else question.limit - len(rows)
        answer = by_find(Find(question.where, question.holds, columns=question.columns, limit=left), source, positions)
        if isinstance(answer, Refused):
            return answer
        rows += answer
    return rows


# ---------------------------------------------------------------------------------------------------------- statements

#: What looks along a game, or at what is no column of the tables: for ``find`` and ``sql``, not for a connection.
NO_FUNCTIONS = re.compile(
    r"\b(next|previous|later|earlier|streak|lasts|until|sub_fen|tag|either_colour|any_of|can|ray|material|distance_to|differing_squares)\("
    r"|over (game|so_far)"
)

Ask = Callable[[str], pa.Table]


def by_statement(question: Question, source: Source, ask: Ask) -> Rows | Refused:
    """What a statement answers, or the condition as that of one."""
    statement = question.statement if isinstance(question, Sql) else together([question], source)
    try:
        table = ask(statement)
    except (duckdb.Error, SetwiseError) as error:
        return Refused(error)
    rows = told_of(table, question, source)
    return rows if isinstance(question, Sql) else next(iter(apart(rows, [question], source)))


def together(questions: Sequence[Find], source: Source) -> str:
    """One SELECT that answers many conditions, each a column, beside the columns of all."""
    conditions = (f"({question.where})::boolean c{at}" for at, question in enumerate(questions))
    return f"select {', '.join([*places(source), *value_columns(questions), *conditions])} from positions"


def value_columns(questions: Sequence[Find]) -> list[str]:
    return list(dict.fromkeys(name for it in questions for name in it.columns.split(",") if name))


def apart(rows: Rows, questions: Sequence[Find], source: Source) -> Iterable[Rows]:
    """The answer to each condition, in the order of the games in their source."""
    order = {(game.source, game.number): at for at, game in enumerate(source.games())}
    rows = sorted(rows, key=lambda row: (order.get(row[:2], -1), row[2]))
    names = value_columns(questions)
    for at, question in enumerate(questions):
        wanted = [3 + names.index(name) for name in question.columns.split(",") if name]
        matches = [row for row in rows if row[3 + len(names) + at]]
        yield [(*row[:3], *(row[it] for it in wanted)) for row in matches][: question.limit]


def by_statements(questions: Iterable[Question], source: Source, ask: Ask) -> list[tuple[Question, Rows | Refused]]:
    """What statements answer: one for all conditions that the source can answer, one for each of the others."""
    questions = list(questions)
    held = [it for it in questions if isinstance(it, Find) and it.of <= source.holds]
    answers: list[tuple[Question, Rows | Refused]] = []
    if held:
        try:
            rows = told_of(ask(together(held, source)), held[0], source)
            answers += zip(held, apart(rows, held, source), strict=True)
        except (duckdb.Error, SetwiseError):  # one by one, so that each tells its own
            answers += [(question, by_statement(question, source, ask)) for question in held]
    return answers + [(it, by_statement(it, source, ask)) for it in questions if it not in held]
