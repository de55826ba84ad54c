"""Conditions that are answered without a database: the same tree, the same answers and the same errors as DuckDB's."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from helpers.data import FAMOUS_GAMES, starts
from helpers.depth import NIGHT, depth
from helpers.processes import python
from setwise import Positions, find, read_pgn
from setwise.corpus import language
from setwise.corpus.columns import COLUMNS, OF_TABLES
from setwise.corpus.language import condition_of
from setwise.corpus.language.condition import Condition
from setwise.corpus.language.plain import PlainCondition, plain
from setwise.errors import QueryError
from setwise.position.position import Position

#: Clocks, evaluations and ratings that some moves and games have and others do not.
_WITH_NULLS = """
[White "A"]
[WhiteElo "1800"]

1. e4 {[%clk 0:03:00]} e5 {[%clk 0:02:59] [%eval 0.2]} 2. Qh5 Nc6 {[%clk 0:00:09]} 3. Bc4 {[%eval -1.5]} Nf6
4. Qxf7# 1-0

[White "B"]
[BlackElo "2500"]

1. d4 d5 2. c4 {[%eval #3]} *
"""
_NUMBERS = sorted(
    name for name, column in COLUMNS.items() if not column.is_set and str(column.type) in {"int16", "int32", "double"}
)
_TRUTHS = sorted(name for name, column in COLUMNS.items() if str(column.type) == "bool")
_SETS = sorted(name for name, column in COLUMNS.items() if column.is_set)


@functools.cache
def games() -> Any:
    [batch] = read_pgn(_WITH_NULLS.encode() + FAMOUS_GAMES.read_bytes(), notes=True)
    return batch.positions()


@functools.cache
def boards() -> Any:
    return Positions.from_positions([Position(fen) for fen in starts("perft.epd")])


# ------------------------------------------------------------------------------------------------------- conditions

sets = st.recursive(
    st.sampled_from(_SETS) | st.sampled_from(["squares('e4 d5 f7')", "files('a h')", "ranks('7')"]),
    lambda inner: st.builds("{} {} {}".format, inner, st.sampled_from("&|"), inner)
    | st.builds("({})".format, inner),
    max_leaves=3,
)  # fmt: skip
signs = st.sampled_from(["=", "<>", "!=", "<", ">", "<=", ">="])
numbers = st.sampled_from(_NUMBERS) | st.builds("bit_count({})".format, sets)
#: Columns of texts that no list of values limits, and texts that some of them have.
texts = st.sampled_from(["white_name", "own_name", "event", "opening", "source", "tag('White')"])
words_of_games = st.sampled_from(["A", "Paul Morphy", "<bytes>", "nothing", "% '' _"])
sans = st.sampled_from(["Nf3", "Qxf7#", "O-O", "O-O-O", "Kg1", "e8=Q", "", "--", "e2e4", "Nbd7", "x"])
compared = st.one_of(
    st.builds("{} {} {}".format, sets, st.sampled_from(["<>", "="]), st.just("0") | sets),
    st.builds("{} {} {}".format, numbers, signs, st.integers(0, 50) | numbers),
    st.builds("has({}, '{}')".format, sets, st.sampled_from(["g1", "e4 d5", ""])),
    st.builds("{} {} '{}'".format, texts, st.sampled_from(["=", "<>", "!="]), words_of_games),
    st.builds("{} {} ('{}', '{}')".format, texts, st.sampled_from(["in", "not in"]), words_of_games, words_of_games),
    st.builds("san {} '{}'".format, st.sampled_from(["=", "<>"]), sans),
    st.builds("san {} ('{}', '{}')".format, st.sampled_from(["in", "not in"]), sans, sans),
    st.builds("{} {} ({}, {})".format, numbers, st.sampled_from(["in", "NOT IN"]), st.integers(0, 50), st.just(7)),
    st.sampled_from([*_TRUTHS, "true", "False"]),
)
conditions = st.recursive(
    compared,
    lambda inner: (
        st.builds("{} {} {}".format, inner, st.sampled_from(["and", "or", "AND", "Or"]), inner)
        | st.builds("not {}".format, inner)
        | st.builds("({})".format, inner)
    ),
    max_leaves=6,
)
_SIGNS = ["(", ")", "=", "<", ">", "&", "|", ",", "~", "-", "+", "<>", "!=", "<=", "'", "--"]
_NAMES = ["is_check", "white_pawns", "White_King", "ply", "white_name", "own_clock", "see", "x", '"ply"']
_WORDS = [
    "and",
    "or",
    "not",
    "is",
    "null",
    "true",
    "false",
    "has",
    "bit_count",
    "squares",
    "'e4'",
    "0",
    "3",
    "1.5",
    "7a",
]
words = st.sampled_from([*_SIGNS, *_NAMES, *_WORDS])


def same(text: str) -> bool:
    """Check that a condition, if it is a plain one, has the answers that DuckDB gives; return whether it is."""
    simple = plain(text)
    if simple is None:
        return False
    whole = Condition(text)  # raises for what is wrong
    assert simple.columns == whole.columns
    assert list(simple.names) == whole.names
    assert simple.reads_other_rows is whole.reads_other_rows
    places = [games(), games()[:0], *([boards()] if all(COLUMNS[name].of_boards for name in simple.columns) else [])]
    for positions in places:
        assert np.array_equal(simple.matches(positions), whole.matches(positions)), text
    return True


@settings(max_examples=depth(80, 5000), suppress_health_check=list(HealthCheck))
@given(conditions)
def test_plain_conditions_have_the_answers_of_a_database(text: str) -> None:
    same(text)


@settings(max_examples=depth(300, 5000), suppress_health_check=list(HealthCheck))
@given(st.lists(words, max_size=8).map(" ".join) | st.lists(words, max_size=6).map("".join))
def test_what_is_taken_for_a_condition_is_one(text: str) -> None:
    same(text)


@pytest.mark.parametrize(
    "text",
    [
        "is_checkmate",
        "true",
        "not TRUE or false and own_clock < 10",
        "piece = 'N' or captured <> 'Q'",
        "not is_check and ply >= 20",
        "white_passed_pawns & black_attacks = 0 OR white_pawns | black_pawns & white_king <> 0",
        "bit_count(own_royal_fork_squares) > 1",
        "has(white_king, 'g1') and has(white_rooks & ranks('1'), 'f1')",
        "own_clock < 10 or not evaluation > 100",
        "white_elo < black_elo",
        "see < 0 or see >= 0",
        "see < 32767",
        "not (ply > 1000 and own_clock < 10)",
        "not (is_check or is_stalemate)",
        "result = '1-0' and white_name <> 'A'",
        "result in ('1-0', '0-1') and eco not in ('C50', 'C51')",
        "san = 'Nf3' or move in ('e2e4', 'g1f3')",
        "piece = 'N' and not san in ('Nf3', 'Nc3')",
        "ply in (3, 8) and own_clock not in (9, 180) and white_elo in (1800, 2500)",
        "not san = 'O-O' and ply > 3 or san = 'Qxf7#'",
        "san in ('O-O', 'Rd8', 'exd5')",
        "key in (5060803636482931868, 5)",
        "material_key in ('KQPvKQ', 'KRvKR') or material_key not in ('KRPvKR', 'KPvK')",
    ],
)
def test_usual_conditions_are_plain(text: str) -> None:
    assert same(text)


#: The games have positions of four pieces, whose tables there are by night.
_EVERY = [
    name
    for name in COLUMNS
    if name.partition("_")[0] not in {"black", "enemy", "own"} and (NIGHT or name not in OF_TABLES)
]


@pytest.mark.parametrize("name", [name for name in _EVERY if plain(f"{name} <> 0") or plain(name)])
def test_every_column_is_compared_as_by_a_database(name: str) -> None:
    for text in (name, f"{name} <= 1", f"not {name} <> 0"):
        same(text)


@pytest.mark.parametrize(
    "text",
    [
        "", "next(is_check)", "white_name like 'Carlsen%'", "white_pawns > 3", "white_pawn_islands = 9", "ply = null",
        "ply is null", "is_check = true", "1 = 1", "ply", "ply + 1 = 3", "ply = 1.5", "tag('x') = 'y'",
        "ply = 1 = 2", "is_check -- so", "is_check;", "knight.attacks(white_king) <> 0", "ply > 99999999999",
        "(" * 200 + "is_check" + ")" * 200, "not " * 3000, "squares('e9') = white_king", "unknown = 3", "is_check)",
        "white_pawns = ply", "squares('e4') = squares('e4')", "see < 32768",
        "white_name < 'B'", "'1-0' = result", "result = '2-0'", "san = 'KRvK'", "material_key = 'KvKR x'", "ply = '3'",
        "result in ('1-0', null)", "ply in ()", "ply in (ply, 3)", "ply in (1, 'a')", "white_pawns in (1)", "ply not 3",
        f"ply in ({', '.join(map(str, range(33)))})", "white_name = 'O''Kelly'", "ply in (3, 32768)", "is_check in (1)",
    ],
)  # fmt: skip
def test_everything_else_is_left_to_the_database(text: str) -> None:
    assert plain(text) is None


def test_a_column_of_the_source_is_left_to_the_database() -> None:
    assert isinstance(plain("ply = 3"), PlainCondition)
    assert plain("ply = 3", {"Ply": None}) is None


_FENS = [Position().fen()] * 3


@pytest.mark.parametrize(
    ("name", "values", "texts"),
    [
        ("white_elo", ["900", "2000", "1500"], ["white_elo > 1000"]),
        ("white_elo", [900.5, 2000.0, None], ["white_elo > 1000", "not white_elo > 1000"]),
        ("ply", pa.array([1, 10, None], pa.int8()), ["ply > 3", "ply < 1000"]),
        ("is_check", [1, 0, 1], ["is_check", "not is_check"]),
        ("result", [1, 0, None], ["result = '1-0'", "result in ('1-0', '*')"]),
        ("white_pawns", pa.array([0, -1, 5]), ["white_pawns = 0", "bit_count(white_pawns) > 3"]),
    ],
)
def test_a_table_with_other_types_of_columns_answers_as_by_a_database(
    name: str, values: Any, texts: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def answer(text: str) -> Any:
        try:
            return find(text, pa.table({"fen": _FENS, name: values}), columns=[name]).to_pylist()
        except QueryError as error:
            return str(error)

    for text in texts:
        found = answer(text)
        with monkeypatch.context() as patch:
            patch.setattr(language, "condition_of", Condition)
            assert found == answer(text)


def test_the_database_is_not_loaded_for_a_plain_condition() -> None:
    search = (
        "import sys, setwise; print(setwise.find({!r}, b'1. f3 e5 2. g4 Qh4# *').num_rows, 'duckdb' in sys.modules)"
    )
    assert python("-c", search.format("is_checkmate and ply > 1")) == "1 False\n"
    assert python("-c", search.format("next(is_checkmate)")) == "1 True\n"


def test_errors_are_those_of_the_database() -> None:
    with pytest.raises(QueryError, match="did you mean is_checkmate"):
        condition_of("is_chekmate", {})
    with pytest.raises(QueryError, match="it has a closing parenthesis too many"):
        condition_of("is_checkmate)", {})


# ------------------------------------------------------------------------------------------------- sets as conditions


@pytest.mark.parametrize(
    "where",
    [
        "{0}", "not {0}", "{0} and is_check", "is_check or not ({0}) and {1}", "later({0})", "earlier({1}) and {0}",
        "streak({0}) > 2", "lasts({0}, 2)", "until({0}, {1})", "can({0})", "either_colour({0})", "either_wing({1})",
        "any_symmetry({1})", "anywhere({1})", "any_of(white_pieces, lambda s: s & {1})",
        "not either_colour({0} or {1})",
        "count_if({0}) over game > 3", "bool_or({0}) over so_far", "case when {0} then {1} else is_check end",
        "next({0} and {1})", "all_of(white_pieces, lambda s: {0} or s & {1})",
    ],
)  # fmt: skip
def test_a_set_alone_asks_whether_it_has_squares(where: str) -> None:
    sets = ("own_hanging & enemy_attacks", "white_rooks & squares('a8 d1')")
    alone, compared = where.format(*sets), where.format(*(f"({it}) <> 0" for it in sets))
    columns = ["game", "ply"]
    assert find(alone, FAMOUS_GAMES, columns=columns).equals(find(compared, FAMOUS_GAMES, columns=columns))


def test_a_set_alone_needs_no_database() -> None:
    for where in ("white_queens", "not white_queens and (own_pinned | own_hanging)", "either_colour(white_pinned)"):
        assert isinstance(condition_of(where), PlainCondition)
