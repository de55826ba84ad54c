"""Conditions: SQL over the columns, and what is said about broken ones."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import chess
import duckdb
import numpy as np
import pyarrow as pa
import pytest

import setwise
from helpers.depth import depth
from setwise.corpus.columns import COLUMNS, GAMES, table_of
from setwise.corpus.language.condition import Condition, Values
from setwise.errors import QueryError
from setwise.game.batch import Block
from setwise.game.games import Games

PGN = b"""[White "Anna"]
[Black "Bert"]
[WhiteElo "2400"]
[BlackElo "?"]
[Result "1-0"]

1. Nc3 a6 2. Nd5 a5 3. Nxc7+ 1-0

[White "O'Neill \\"the\\" second"]
[Result "0-1"]

1. f3 e5 2. g4 Qh4# 0-1
"""


@pytest.fixture(scope="module")
def database() -> Iterator[Any]:
    """A connection to the games: opening one takes half a second."""
    with contextlib.closing(setwise.connect(PGN)) as opened:
        yield opened


@pytest.fixture(scope="module")
def positions():
    return Games.parsed(Block(PGN, "a.pgn", 0, 1), notes=True).positions()


@pytest.mark.parametrize(
    ("where", "rows"),
    [
        ("true", list(range(11))),
        ("", list(range(11))),
        ("ply = 0", [0, 6]),
        ("game = 2 and white_to_move", [6, 8, 10]),
        ("white_elo > 2000", list(range(6))),
        ("black_elo is not null", []),
        ("white_name = 'Anna' and ply >= 4", [4, 5]),
        ("result = '0-1'", list(range(6, 11))),
        ("san = 'Qh4#'", [9]),
        ("san is null", [5, 10]),
        ("move like 'g2%'", [8]),
        ("white_fork_squares = 1::bigint << 50", [3, 4]),
        ("bit_count(black_pawns) = 7", [5]),
        ("WHITE_PAWN_ISLANDS = 1 and PLY = 3", [3, 9]),
        ("white_name like '%\"the\"%' -- a comment", list(range(6, 11))),
        ("1 = 1", list(range(11))),
        ("len([x for x in [ply, 3] if x > 3]) = 2", []),
        ("len([x for x in [ply, 4] if x > 3]) = 2", [4, 5, 10]),
        ("positions.ply = 0", [0, 6]),
        ("ply = 0 -- ) or (true", [0, 6]),
        ("/* ) or ( */ ply = 0 and ';)' <> '(--'", [0, 6]),
    ],
)
def test_a_condition_selects_rows(positions, where: str, rows: list[int]) -> None:
    assert Condition(where).matches(positions).tolist() == rows


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("wite_pawns <> 0", "did you mean white_pawns"),
        ("white_pawns <>", "is not SQL: it ends too early"),
        ("fen like ", "the condition 'fen like' is not SQL: it ends too early"),
        ("(ply > 1", "it ends too early"),
        ("ply > 1)", "it has a closing parenthesis too many"),
        ("ply > 1) or (1 = 1", "it has a closing parenthesis too many"),
        ("ply > 1) and (true", "it has a closing parenthesis too many"),
        ("ply > 1 -- )\n) or (1 = 1", "it has a closing parenthesis too many"),
        ("eco = 'é') or (1 = 1", "it has a closing parenthesis too many"),
        ("eco = 'é' and (", "it ends too early"),
        (") or (", "')' cannot stand there: conditions are joined by and, or or"),
        ("ply > 1) limit (1", "it has a closing parenthesis too many"),
        ("ply > 1) union (select 1", "is not SQL"),
        ("ply > 1, true", "',' cannot stand there: conditions are joined by and, or or"),
        ("ply > 1 limit 1", "the number of matches is --limit, or limit= in Python"),
        ("select 1", "statements are for setwise sql"),
        ("-- ply > 1", "it ends too early"),
        ("ply > 1 /*", "unterminated /* comment"),
        ("ply > 1;", "';' cannot stand there"),
        ("ply > 1; -- x", "';' cannot stand there"),
        ("fen likes 'x'", "'likes' cannot stand there"),
        ('white_name = "Morphy"', "there is no column 'Morphy'; texts are written in single quotes: 'Morphy'"),
        ("white_name = Morphy", "there is no column 'Morphy'; texts are written in single quotes: 'Morphy'"),
        ("white_name = morphy", "there is no column 'morphy'; texts are written in single quotes: 'morphy'"),
        ("white_name in ('x', Morphy)", "texts are written in single quotes: 'Morphy'"),
        ("white_name like Paul || '%'", "texts are written in single quotes: 'Paul'"),
        ("next(san) = Nf3", "there is no column 'Nf3'; texts are written in single quotes: 'Nf3'"),
        ("san = Nf3", "there is no column 'Nf3'; texts are written in single quotes: 'Nf3'"),
        ("has(white_knights, e4)", "texts are written in single quotes: 'e4'"),
        ('white_name = "O\'Brien"', "texts are written in single quotes: 'O''Brien'"),
        ("black_name = white_nam", "texts are written in single quotes: 'white_nam'; did you mean white_name"),
        ("1 = 1; drop table positions", "';' cannot stand there"),
        ("white_pawns = 'x'", "compares a set of squares with a text: white_pawns = squares('e4')"),
        ("white_pawns + 'x' = 'y'", "is a number, and 'y' is a text"),
        ("foo(ply)", "there is no function foo"),
        ("is_check && white_to_move", "there is no &&: write and between conditions"),
        ("count(own_knights) >= 2", "bit_count(own_knights)"),
        ("length(own_knights) >= 2", "bit_count(own_knights) is the number of squares of a set"),
        ("size(own_knights) >= 2", "there is no function size: bit_count(own_knights)"),
        ("white_pawns &~ black_pawns <> 0", "signs that follow each other need a blank between them"),
        ("white_pawns ^ black_pawns <> 0", "^ is a power: the squares that are in exactly one of"),
        ("any_of(own_rooks, r -> r <> 0)", "there is no ->: write lambda s: and the condition"),
        ("(select 1) = 1", "more than one expression"),
        ("exists(select 1)", "more than one expression"),
        ("sum(ply) > 3", "this adds up rows: bit_count(own_knights)"),
        ("ply > ?", "parameters"),
        ("len([x for x in nags if y > 3]) > 0", "there is no column 'y'"),
        ("len([x for x in nags if x > 3]) > x", "there is no column 'x'"),
        (")", "is not SQL"),
        ("(" * 5000, "has more than 80 parentheses or brackets within each other"),
        ("[" * 500 + "]" * 500, "has more than 80 parentheses or brackets within each other"),
        ("'" * 10_001, "is not SQL"),
        ("ply = 0" + " + 1" * 900, "has too many operators within each other"),
        ("not " * 900 + "is_check", "has too many operators within each other"),
    ],
)
def test_a_broken_condition_is_told_in_one_sentence(where: str, said: str) -> None:
    with pytest.raises(QueryError, match=None) as caught:
        Condition(where)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


LONG = "x" * 5000
MANY = "e4 " * 2000


@pytest.mark.parametrize(
    "where",
    [
        LONG,
        f"{LONG} = 3",
        f'"{LONG} é" = 3',
        f"white_name = {LONG}",
        f"{LONG}(ply) = 3",
        f"knight.{LONG}(ply) = 3",
        f"{LONG}.{LONG}.{LONG} = 3",
        f"piece = '{LONG}'",
        f"result like '{LONG}'",
        f"mate_pattern = '{LONG}'",
        f"'{LONG}' in mate_patterns",
        f"white_pawns = '{LONG}'",
        f"white_pawns = '{MANY}'",
        f"has(white_pawns, '{LONG}')",
        f"squares('{MANY}x') = 3",
        f"files('{LONG}') = 3",
        f"sub_fen('{LONG}')",
        f"squares({LONG}) = 3",
        f"ply + '{LONG}' = 3",
        f"cast('{LONG}' as integer) = 3",
        f"ply is {LONG}",
        f"ply {LONG}",
        f"ply = 3 '{LONG}",
        f"next(ply, {LONG}) = 3",
        f"next(ply, '{LONG}') = 3",
        f"later(concat('{LONG}', san))",
        f"next(white_pawns + {'1' * 40}) = 3",
        f"between_{LONG} between 1 and 2",
        f"(white_pawns | knight.attacks(squares('{MANY}'))) > 3",
        f"ply = -{'1' * 4000}",
        f"ply > {'1' * 5000}",
        f"(white_pawns {'+ ply ' * 40}) > 3 + '{LONG}'",
    ][:: depth(3, 1)],
)
def test_what_is_long_is_cut_in_a_message(where: str) -> None:
    both = (
        lambda: setwise.find(where, PGN),
        lambda: setwise.sql(f"select ply from positions where {where}", PGN),
    )
    for ask in depth(both[len(where) % 2 :][:1], both):
        with pytest.raises(QueryError) as caught:
            ask()
        assert len(str(caught.value)) < 450
        assert "\n" not in str(caught.value)


def test_a_long_name_is_cut_wherever_it_stands() -> None:
    fens = b"8/8/8/8/8/8/8/K1k5 w - - 0 1\n"
    for ask in (
        lambda: setwise.find("true", PGN, columns=[LONG]),
        lambda: setwise.find(f"tag('{LONG}') = 'x'", fens),
        lambda: setwise.sql(f"select * from {LONG}", PGN),
        lambda: setwise.sql(f"select * from {LONG}(3)", PGN),
        lambda: setwise.sql(f"select {LONG}.ply from positions", PGN),
        lambda: setwise.sql(f"select {LONG} from games", PGN),
    ):
        with pytest.raises(QueryError) as caught:
            ask()
        assert len(str(caught.value)) < 450
    hints: list[str] = []
    setwise.find(f"white_name = '{LONG}'", b'[White "x"]\n\n1. e4 *', on_hint=hints.append)
    assert [len(hint) < 200 for hint in hints] == [True]


#: Values that stand where a condition is expected, and how messages name them.
VALUES = {
    "later(white_material) > white_material": "later takes a condition, and white_material is a value",
    "later(san)": "later takes a condition, and san is a value",
    "earlier(ply) = 3": "earlier takes a condition, and ply is a value",
    "later(null)": "later takes a condition, and NULL is a value",
    "next(later(previous(san)), 2)": "later takes a condition, and previous(san) is a value",
    "later(is_check and later(bit_count(own_knights)))": "and bit_count(own_knights) is a value",
    "case when ply = 3 then later(bit_count(own_pawns)) end": "and bit_count(own_pawns) is a value",
    "count_if(earlier(white_elo - 3)) over game > 3": "is a value",
    "later(case when ply = 3 then san end)": "is a value",
}


#: Calls of sequence functions that mean nothing, and what is said of them.
WRONG_CALLS = {
    "streak() > 1": "streak takes one condition, and every_other for the mover's plies alone, not 0 arguments",
    "streak(is_check, 2) > 1": "every_other for the mover's plies alone, not 2 arguments",
    "streak(ply) > 1": "streak takes a condition, and ply is a value",
    "lasts(is_check)": "lasts takes a condition and how many plies, as lasts(is_check, 3), and every_other for",
    "lasts(is_check, 0)": "lasts takes a number of plies, 1 or more, not 0",
    "lasts(is_check, ply)": "lasts takes a number of plies, 1 or more, not ply",
    "lasts(san, 3)": "lasts takes a condition, and san is a value",
    "until(is_check)": "until takes two conditions, as until(c, d), not 1 argument",
    "until(is_check, ply + 3)": "until takes two conditions, and (ply + 3) is a value",
    "until(san, is_check)": "until takes two conditions, and san is a value",
    "later(is_check, every_other)": "later takes one condition, not 2 arguments",
    "now(ply) = 3": "now(x) is the value of x in the row from which next",
    "later(now(now(ply)) = 3)": "now inside now has no row of its own",
    "later(now(ply))": "later takes a condition, and now(ply) is a value",
    "later(ply - now(ply))": "later takes a condition, and (ply - now(ply)) is a value",
    "until(is_check, now(san))": "until takes two conditions, and now(san) is a value",
    "later(now(piece, 2) = 'N')": "now takes one value, not 2 arguments",
    "later(piece = now(pece))": "there is no column 'pece'; did you mean piece",
    "later(now(piece) = 'n')": "now(piece) = 'n' never matches: pieces are P N B R Q K",
    "later(max(now(ply)) over game > ply)": "later cannot read a window and now(x) at once",
}


@pytest.mark.parametrize("where", WRONG_CALLS)
def test_a_wrong_call_of_a_sequence_function_is_refused_in_one_sentence(where: str) -> None:
    for ask in (Condition, lambda it: setwise.sql(f"select 1 from positions where {it}", b"1. e4 *")):
        with pytest.raises(QueryError) as caught:
            ask(where)
        assert WRONG_CALLS[where] in str(caught.value)
        assert "\n" not in str(caught.value)


def test_now_without_a_value_is_the_time() -> None:
    assert setwise.find("year(now()) > 2000", b"1. e4 *").num_rows == 2
    with setwise.connect(b"1. e4 *") as database:
        assert database.execute("select year(now()) > 2000").fetchall() == [(True,)]


@pytest.mark.parametrize("where", VALUES)
def test_only_conditions_hold_later_or_earlier(where: str) -> None:
    asked = [
        lambda: Condition(where),
        lambda: setwise.sql(f"select 1 from positions where {where}", b"1. e4 *"),
        lambda: setwise.sql(f"select max({where}) from positions group by game having count(*) > 1", b"1. e4 *"),
        lambda: setwise.sql(
            f"with t as (select game, ply, {where} as c from positions) select count(*) from games g "
            "where exists (select 1 from t where t.game = g.game and t.c)",
            b"1. e4 *",
        ),
    ]
    for ask in asked[: 2 if " over " in where else 4]:
        with pytest.raises(QueryError) as caught:
            ask()
        assert VALUES[where] in str(caught.value)
        assert "next(x, n) gives a value n plies later" in str(caught.value)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("where", "rows"),
    [
        ("later(white_to_move)", [0, 1, 2, 3, 6, 7, 8, 9]),
        ("earlier(next(is_check))", [5, 10]),
        ("later(case when ply = 3 then true end)", [0, 1, 2, 6, 7, 8]),
        ("later(later(is_checkmate)) and later(true)", [6, 7, 8]),
    ],
)
def test_conditions_of_every_form_hold_later_or_earlier(positions, where: str, rows: list[int]) -> None:
    assert Condition(where).matches(positions).tolist() == rows


LITERAL = {
    "has(case when ply = 3 then 'e4' end)": "has(white_king, 'g1')",
    "has(white_king, case when ply = 3 then 'e4' else case when ply = 4 then 'e5' end end)": "has(white_king, 'g1')",
    "has(white_king, san)": "has(white_king, 'g1')",
    "has(white_king, 'g' || ply)": "has(white_king, 'g1')",
    "sub_fen(case when white_to_move then '8/8/8/8/8/8/8/K7' end)": "sub_fen('8/8/8/8/8/8/6PP/6K1')",
    "squares(case when white_to_move then 'e4' else 'e5' end) & own_pawns <> 0": "squares('e4 d5')",
    "files(san) <> 0": "files('a h')",
    "tag(white_name) = 'x'": "tag('WhiteRatingDiff')",
}


@pytest.mark.parametrize("where", LITERAL)
def test_where_a_literal_stands_a_message_shows_one_and_what_goes_around_it(where: str) -> None:
    example = LITERAL[where]
    with pytest.raises(QueryError) as caught:
        Condition(where)
    assert f"literal, as {example}" in str(caught.value).replace("several, each the first field of a FEN", "literal")
    assert f"case when white_to_move then {example} else" in str(caught.value)
    assert "\n" not in str(caught.value)
    Condition(f"case when white_to_move then ({example})::varchar = 'x' else false end")


@pytest.mark.parametrize("where", ["has(white_king)", "has()", "sub_fen()", "squares('e4', 'e5') <> 0", "tag() = 'x'"])
def test_other_slips_of_arguments_say_nothing_of_rows(where: str) -> None:
    with pytest.raises(QueryError, match=r", as [a-z_]+\(.*'\)$"):
        Condition(where)


def test_squares_that_depend_on_the_row_are_chosen_by_case(positions) -> None:
    where = "has(own_king, case when white_to_move then from_square else own_king end)"
    assert Condition(where).matches(positions).tolist() == [1, 3, 5, 7, 9]


@pytest.mark.parametrize("bracket", ["()", "[]"])
def test_parentheses_within_each_other_are_answered_up_to_their_number(bracket: str) -> None:
    def nested(depth: int) -> str:
        return f"{bracket[0] * depth}ply{bracket[1] * depth} is not null"

    for number in (1, 80):
        assert setwise.find(nested(number), PGN).num_rows == setwise.find("true", PGN).num_rows
        [count] = setwise.sql(f"select count(*) from positions where {nested(number)}", PGN).column(0)
        assert count.as_py() == setwise.find("true", PGN).num_rows
    with pytest.raises(QueryError, match="more than 80 parentheses"):
        setwise.find(nested(81), PGN)


@pytest.mark.parametrize("name", ["White_Pasd_Pawns", "plies_", "no_such", "own_mobilty"])
def test_a_name_beside_numbers_is_no_text(name: str) -> None:
    with pytest.raises(QueryError, match=f"there is no column '{name}'") as caught:
        Condition(f"{name} > 3")
    assert "single quotes" not in str(caught.value)


def test_a_result_without_quotes_is_told() -> None:
    with pytest.raises(QueryError, match=r"result is a text, not a number: .*; texts are written in single quotes"):
        setwise.find("result = 1-0", b"1. e4 *")


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ('select 1 from games where white_name = "Morphy"', "texts are written in single quotes: 'Morphy'"),
        (
            "select 1 from positions where san = Nf3",
            "there is no column 'Nf3'; texts are written in single quotes: 'Nf3'",
        ),
        ("select White_Nam from positions", "there is no column 'White_Nam'; did you mean white_name"),
        ("select ply from positions where fen like ", "is not SQL: it ends too early"),
        ("select ply from positions where", "is not SQL: it ends too early"),
        ("select ply from positions limit 3 3", "is not SQL: '3' cannot stand there"),
        ("select fen from games", "fen is a column of positions, which is not read here: write FROM positions"),
    ],
)
def test_a_broken_statement_is_told_in_one_sentence(statement: str, said: str) -> None:
    with pytest.raises(QueryError) as caught:
        setwise.sql(statement, b"1. e4 *")
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "call",
    ["sub_fen('8/8/8/8/8/8/6PP/6K1')", "tag('White')", "next(ply)", "next(ply, 2)", "previous(ply)", "later(is_check)",
     "earlier(is_check)", "streak(is_check)", "lasts(is_check, 2, 'every_other')", "until(is_check, true)", "now(ply)"],
)  # fmt: skip
def test_a_connection_refuses_what_needs_more_than_a_row(database: Any, call: str) -> None:
    name = call.partition("(")[0]
    with pytest.raises(duckdb.Error, match=f"{name} is for setwise.sql and setwise.find") as caught:
        database.execute(f"select {call} from positions").fetchall()
    assert "\n" not in str(caught.value)


def test_a_condition_cannot_reach_the_file_system() -> None:
    with pytest.raises(QueryError):
        Condition("ply in (select 1 from read_csv('/etc/passwd'))")


def test_only_the_columns_that_a_condition_names_are_computed() -> None:
    assert Condition(
        "white_pawn_islands > 2 and upper(white_name) = 'X' and bit_count(white_pawns & 255) = 0"
    ).columns == [
        "white_pawn_islands",
        "white_name",
        "white_pawns",
    ]


@pytest.mark.parametrize(
    ("where", "columns"),
    [
        ("len([x for x in nags if x > 3]) > 0", ["nags"]),
        ("len([ply for ply in nags if ply > 3]) > 0", ["nags"]),
        ("len(list_filter(nags, lambda X: x > ply)) > 0", ["nags", "ply"]),
        ("list_transform(nags, lambda x, i: x + i)[1] > 2", ["nags"]),
        ("len([x for x in nags if len([y for y in nags if y > x]) > 0]) > 0", ["nags"]),
    ],
)
def test_the_names_that_a_lambda_makes_are_no_columns(where: str, columns: list[str]) -> None:
    assert Condition(where).columns == columns


def test_sets_are_marked_as_such() -> None:
    marked = {name for name, column in COLUMNS.items() if column.is_set}
    assert {"white_pawns", "black_king", "castling_rights", "en_passant", "white_fork_squares"} <= marked
    assert not marked & {"key", "game", "ply", "white_pawn_islands", "nags", "clock"}


def test_every_column_comes_out_in_its_declared_type() -> None:
    positions = Games.parsed(Block(PGN, "a.pgn", 0, 1), notes=True, variations=True).positions(variations=True)
    table = table_of(positions, setwise.columns())
    for name in setwise.columns():
        assert table[name].type == COLUMNS[name].type, name
        assert len(table[name]) == len(positions)


def test_sets_are_unsigned(positions) -> None:
    rooks = table_of(positions, ["black_rooks"])["black_rooks"].to_numpy()
    assert rooks.dtype == np.uint64
    assert (rooks == positions.black_pieces & positions.rooks).all()
    assert rooks[0] >= 2**63, "h8 is the highest bit"


def test_what_counts_is_signed(positions) -> None:
    named = {"key", *(name for name, column in COLUMNS.items() if column.is_set)}
    unsigned = {name for name, column in COLUMNS.items() if pa.types.is_unsigned_integer(column.type)}
    assert unsigned == named
    table = table_of(positions, ["white_material", "black_material"])
    assert (table["black_material"].to_numpy() - table["white_material"].to_numpy()).min() == -1, "in data frames, too"


@pytest.mark.parametrize(
    ("value", "of_board"),
    [
        ("white_material - black_material", lambda board: worth(board, chess.WHITE) - worth(board, chess.BLACK)),
        ("-enemy_material", lambda board: -worth(board, not board.turn)),
        ("own_material * 100", lambda board: worth(board, board.turn) * 100),
        ("bit_count(white_pawns) * 100", lambda board: len(board.pieces(chess.PAWN, chess.WHITE)) * 100),
        ("legal_moves - 25", lambda board: board.legal_moves.count() - 25),
        ("fullmove_number - 3", lambda board: board.fullmove_number - 3),
        ("halfmove_clock - 1", lambda board: board.halfmove_clock - 1),
        ("bits.count(white_pieces) - bits.count(black_pieces)", lambda board: many(board, True) - many(board, False)),
        ("king.distance(white_king, black_king) * 50", lambda board: kings_apart(board) * 50),
    ],
)
def test_numbers_can_be_reckoned_with(
    positions, database: Any, value: str, of_board: Callable[[chess.Board], int]
) -> None:
    expected = [of_board(chess.Board(fen)) for fen in positions.fens().to_pylist()]
    assert Values(value).of(positions).to_pylist() == expected
    statement = f"select {value} as told from positions order by game, ply"
    assert setwise.sql(statement, PGN)["told"].to_pylist() == expected
    assert database.sql(statement).fetchall() == [(number,) for number in expected]


def worth(board: chess.Board, color: chess.Color) -> int:
    return sum(len(board.pieces(kind, color)) * value for kind, value in zip(range(1, 6), (1, 3, 3, 5, 9), strict=True))


def kings_apart(board: chess.Board) -> int:
    return chess.square_distance(board.king(chess.WHITE), board.king(chess.BLACK))


def many(board: chess.Board, color: chess.Color) -> int:
    return len(chess.SquareSet(board.occupied_co[color]))


def test_a_statement_of_too_many_operators_is_refused_in_one_sentence() -> None:
    with pytest.raises(QueryError, match="has too many operators within each other"):
        setwise.sql(f"select ply{' + 1' * 900} from positions", PGN)


@pytest.mark.parametrize(
    ("date", "year"),
    [("20250.01.01", None), ("2025.01.01", 2025), ("2025", 2025), ("2025-01-01", 2025), ("????.??.??", None)],
)
def test_a_year_has_four_digits(date: str, year: int | None) -> None:
    game = f'[Date "{date}"]\n\n1. e4 *\n'.encode()
    assert setwise.find("ply = 0", game, columns=["year"])["year"].to_pylist() == [year]
    of_lichess = game.replace(b"[Date", b"[UTCDate")
    assert setwise.find("ply = 0", of_lichess, columns=["year"])["year"].to_pylist() == [year]


def test_answers_of_statements_have_the_names_that_they_are_given() -> None:
    given = (
        "next(san) x, squares('e4') y, has(white_king, 'e1') z, later(is_check) as w, knight.attacks(own_knights) v, "
        "tag('White') u, previous(san), later(is_check)"
    )
    table = setwise.sql(f"select {given} from positions order by game, ply limit 1", PGN)
    names = ["previous(san)", "later(is_check)"]
    assert table.column_names == ["x", "y", "z", "w", "v", "u", *names]
    assert [table[name][0].as_py() for name in "xzu"] == ["a6", True, "Anna"]


def test_ranges_and_boxes_are_named_from_either_end() -> None:
    for one, other, count in (
        ("files('e-c')", "files('c-e')", 24), ("ranks('7-2')", "ranks('2-7')", 48),
        ("squares('d4-b2')", "squares('b2-d4')", 9), ("squares('b4-d2')", "squares('d2-b4')", 9),
    ):  # fmt: skip
        statement = f"select {one} = {other} same, bit_count({one}) n from positions where ply = 0"
        assert setwise.sql(statement, b"1. e4 *").to_pylist() == [{"same": True, "n": count}]


def test_words_of_windows_within_a_text_stay_a_text() -> None:
    statement = "select 'over game' t, max(ply) over game last from positions where ply = 0 and 'over so_far' <> ''"
    assert setwise.sql(statement, b"1. e4 *").to_pylist() == [{"t": "over game", "last": 0}]


# --------------------------------------------------------------------------------------------------- the table of games


def test_games_have_all_that_is_the_same_for_their_positions() -> None:
    with_tags = PGN.replace(b"[Black", b'[WhiteTitle "GM"]\n[Date "1999.01.02"]\n[ECO "B00"]\n[Black')
    names = [name for name in GAMES.names if name in COLUMNS]
    assert {"white_points", "black_points", "points", "year", "white_elo", "black_title", "source", "eco"} <= {*names}
    games = setwise.sql("select * from games order by game", with_tags)
    places = setwise.find("true", with_tags, columns=names)
    for name in names:
        assert {*zip(games["game"].to_pylist(), games[name].to_pylist(), strict=True)} == {
            *zip(places["game"].to_pylist(), places[name].to_pylist(), strict=True)
        }
    assert games["plies"].to_pylist() == [5, 4]
    assert games["white_points"].to_pylist() == [1.0, 0.0]
    assert games["black_points"].to_pylist() == [0.0, 1.0]
    assert games.column_names[:3] == ["plies", "game", "source"]


def test_games_have_any_tag() -> None:
    text = b'[White "A"]\n[WhiteRatingDiff "+7"]\n\n1. e4 1-0\n\n[White "B"]\n\n1. d4 0-1'
    asked = (
        "select white_name, tag('WhiteRatingDiff') d from games where tag('WhiteRatingDiff') is not null or game = 2"
    )
    assert setwise.sql(asked, text).to_pylist() == [{"white_name": "A", "d": "+7"}, {"white_name": "B", "d": None}]
    totals = "select sum(white_points) w, sum(black_points) b, avg(points) p from games"
    assert setwise.sql(totals, text).to_pylist() == [{"w": 1.0, "b": 1.0, "p": 0.5}]
    with setwise.connect(text) as database:
        assert database.sql(totals).fetchall() == [(1.0, 1.0, 0.5)]
