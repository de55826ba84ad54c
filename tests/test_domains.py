"""What a column never holds is refused with what it holds; whatever it may hold is answered."""

from __future__ import annotations

import itertools
import re

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

import setwise
from helpers.data import DATA, FAMOUS_GAMES
from helpers.python_chess import games_of
from setwise import catalogue
from setwise.corpus.columns import COLUMNS, OF_TABLES, VARIATION_COLUMNS
from setwise.corpus.language.condition import Condition
from setwise.errors import QueryError

GAMES = str(FAMOUS_GAMES)

#: Conditions that no position fulfils, or that exclude none, and what the message says.
NEVER = {
    "own_safe_fork_squares = true": "own_safe_fork_squares <> 0 asks whether there are any",
    "true = own_safe_fork_squares": "own_safe_fork_squares <> 0 asks whether there are any",
    "piece = 'n'": "piece = 'n' never matches: pieces are P N B R Q K",
    "'n' = piece": "piece = 'n' never matches: pieces are P N B R Q K",
    "piece != 'n'": "piece <> 'n' excludes nothing: pieces are",
    "piece is distinct from 'n'": "excludes nothing: pieces are",
    "piece is not distinct from 'knight'": "never matches: pieces are",
    "piece not in ('N', 'k')": "piece = 'k' never matches",
    "PIECE = 'n'": "pieces are P N B R Q K",
    "captured in ('p')": "captured pieces are P N B R Q",
    "captured = 'K'": "captured pieces are P N B R Q",
    "promotion = 'queen'": "pawns become N B R Q",
    "result = 'win'": "results are 1-0 1/2-1/2 0-1 *",
    "result like '1-O'": "results are 1-0",
    "result not like '1:0'": "excludes nothing: results are",
    "move = 'Nxe5'": "move is UCI, such as g1f3 or e7e8q; san is SAN",
    "san = 'e2e4'": "san is SAN, such as Nf3, exd5, O-O or e8=Q+; move is UCI",
    "san in ('0-0', '0-0-0')": "O-O",
    "san = 'Nf3!'": "san is SAN",
    "phase = 'midlegame'": "phases are opening middlegame endgame",
    "phase between 'x' and 'z'": "phase >= 'x' never matches",
    "mate_pattern = 'back-rank'": "did you mean back_rank",
    "mate_pattern in ('smothered', 'arabic')": "mate_pattern = 'arabic' never matches: mates are",
    "list_contains(mate_patterns, 'smotherd')": "did you mean smothered",
    "'smotherd' in mate_patterns": "'smotherd' in mate_patterns never matches",
    "points = 2": "points are 1 0.5 0",
    "points > 1": "points > 1 never matches: points are 1 0.5 0",
    "own_points = '0.7'": "points are 1 0.5 0",
    "points < 0": "points < 0 never matches: points are 1 0.5 0",
    "ply < 0": "ply < 0 never matches: it is a number, 0 or more",
    "ply = -1": "ply = -1 never matches: it is a number, 0 or more",
    "ply != -1": "ply <> -1 excludes nothing: it is a number, 0 or more",
    "0 > ply": "ply < 0 never matches",
    "ply <= -0.5": "ply <= -0.5 never matches",
    "ply in (3, -3)": "ply = -3 never matches",
    "ply between -5 and -3": "ply <= -3 never matches",
    "ply = 'late'": "it is a number",
    "next(ply) < 0": "next(ply) < 0 never matches",
    "game < 1": "it is a number, 1 or more",
    "halfmove_clock < 0": "it is a number, 0 or more",
    "fullmove_number < 0": "it is a number, 0 or more",
    "key = -1": "it is a number, 0 or more",
    "legal_moves < 0": "it is a number, 0 or more",
    "white_pawn_islands > 8": "white_pawn_islands > 8 never matches: it is a number, 0 to 4",
    "own_pawn_islands >= 5": "it is a number, 0 to 4",
    "enemy_widest_island = 9": "it is a number, 0 to 8",
    "black_shield_index > 64": "it is a number, 0 to 64",
    "white_distant_checks = 16": "it is a number, 0 to 15",
    "white_material < 0": "it is a number, 0 or more",
    "own_mobility < 0": "it is a number, 0 or more",
    "white_elo > 9999": "it is a number, 1 to 9999",
    "own_elo = 0": "it is a number, 1 to 9999, and null where it is unknown",
    "year < 0": "it is a number, 0 to 9999",
    "clock < 0": "it is a number, 0 or more",
    "own_clock = -1": "it is a number, 0 or more",
    "elapsed < 0": "it is a number, 0 or more",
    "loss > 2000": "it is a number, 0 to 2000",
    "win_chance > 1": "it is a number, 0 to 1",
    "enemy_win_chance = 50": "it is a number, 0 to 1",
    "move_index > 1857": "it is a number, 0 to 1857",
    "is_check = 2": "it is true or false",
    "white_to_move = 'white'": "it is true or false",
    "white_elo = 'high'": "it is a number",
    "captured = null": "captured = null is never true: write captured is null, or captured is not null",
    "to_square = 'e4'": "has(to_square, 'e4')",
    "to_square = 28": "it is the set of one square, such as squares('e4')",
    "from_square = squares('e2 e4')": "from_square = squares('e2 e4') never matches",
    "white_rooks > 5": "bit_count(white_rooks) > 5 takes the numbers of squares",
    "white_pawns < black_pawns": "bit_count(white_pawns) < bit_count(black_pawns) takes the numbers of squares",
    "next(own_pawns) >= own_pawns": "bit_count(next(own_pawns)) >= bit_count(own_pawns) takes",
    "white_pawns > squares('e4')": "white_pawns > squares('e4') means nothing",
    "white_pawns > ply": "bit_count(white_pawns) > ply takes",
    "own_pawns & files('a') > enemy_pawns": "bit_count((own_pawns & files('a'))) > bit_count(enemy_pawns) takes",
    "knight.attacks(own_knights) > 1": "bit_count(knight.attacks(own_knights)) > 1 takes",
    "white_pawns = 8": "bit_count(white_pawns) = 8 takes the numbers of squares, white_pawns = squares('e4') asks",
    "white_pawns <> 8": "bit_count(white_pawns) <> 8 takes",
    "white_pawns = own_pawn_islands": "bit_count(white_pawns) = own_pawn_islands takes",
    "white_pawns in (1, 2)": "bit_count(white_pawns) in (1, 2) takes",
    "greatest(white_pawns, black_pawns) <> 0": "greatest(bit_count(white_pawns), bit_count(black_pawns)) takes",
    "least(ply, white_pawns) = 3": "least(ply, bit_count(white_pawns)) takes",
    "ply between 1 and white_pawns": "ply between 1 and bit_count(white_pawns) takes",
    "white_pawns between 1 and 3": "bit_count(white_pawns) between 1 and 3 takes",
    "white_pawns - black_pawns <> 0": "white_pawns & ~black_pawns has the squares of one that are not in the other",
    "white_pawns + black_pawns <> 0": "white_pawns | black_pawns has the squares of both",
    "white_pawns / black_pawns > 1": "bit_count(white_pawns) / bit_count(black_pawns) takes",
    "white_pawns % 2 = 1": "bit_count(white_pawns) % 2 takes",
    "white_pawns & -white_pawns <> 0": "means nothing, since white_pawns is a set of squares",
    "abs(white_pawns) > 3": "abs(bit_count(white_pawns)) takes",
    "max(white_pawns) over game > 3": "max(bit_count(white_pawns)) over … takes",
    "rank() over (partition by game order by own_pawns) = 1": "an order by own_pawns means nothing",
    "case when is_check then own_pawns else 0 end > 3": "is a set of squares",
    "coalesce(own_pawns, 0) > 3": "bit_count(coalesce(own_pawns, 0)) > 3 takes",
    "any_of(own_knights, lambda n: n < own_pawns)": "bit_count(n) < bit_count(own_pawns) takes",
    "material_key = 'KPRvKR'": "in the order K Q R B N P: KRPvKR",
    "imbalance = 'N'": "PPvN",
    "fen = '4k3/8/8/8/8/8/8/4K3 w - -'": "a FEN has six fields",
    "pawn_structure = '8/8/8/8/8/8/PPPPPPPP'": "eight ranks",
    "next(piece, 2) = 'n'": "next(piece, 2) = 'n' never matches",
    "lag(piece) over game = 'n'": "lag(piece) over … = 'n' never matches",
    "later(piece = 'N' and earlier(previous(phase) = 'end'))": "previous(phase) = 'end' never matches",
    "case piece when 'n' then true end": "pieces are",
    "not (white_to_move and (ply > 3 or piece = 'n'))": "pieces are",
    "len([x for x in nags if piece = 'n']) > 0": "pieces are",
}
#: Values of two kinds, and words of other languages, each with what to write.
OTHER_WORDS = {
    "own_pawns || own_knights <> 0": "|| joins texts: the squares of both sets are own_pawns | own_knights",
    "is_check || is_checkmate": "|| joins texts: write is_check or is_checkmate",
    "!is_check": "there is no !: write not is_check",
    "!white_pawns": "there is no !: ~white_pawns is the complement of a set",
    "own_pawns.count() > 3": "a function stands before what it takes, as in bit_count(own_pawns)",
    "own_pawns.contains('e4')": "as in has(own_pawns, 'e4')",
    "white_name.lower() = 'x'": "as in lower(white_name)",
    "n in files('a')": "files('a') is a set of squares: n & files('a') <> 0 asks whether two sets have a common square",
    "any_of(own_knights, lambda n: n in files('a'))": "n & files('a') <> 0 asks",
    "'e4' in white_pawns": "white_pawns is a set of squares: write has(white_pawns, 'e4')",
    "nags = 4": "nags is a list: list_contains(nags, 4) asks whether a value is in it",
    "4 <> nags": "list_contains(nags, 4)",
    "nags in (4, 6)": "list_contains(nags, 4)",
    "mate_patterns = 'smothered'": "list_contains(mate_patterns, 'smothered')",
    "nags like '%4%'": "like compares texts, and nags is a list",
    "date > 2015": "date is a text, not a number: year is the year of a game as a number",
    "2015 <= date": "year is the year",
    "eco = 20": "eco is a text, not a number: texts are written in single quotes, as '20'",
    "result = 1": "result is a text, not a number: results are 1-0",
    "date like 2015": "like compares texts, and 2015 is a number: write '2015'",
    "ply like '1%'": "like compares texts, and ply is a number",
    "white_pawns & 'd5' <> 0": "has a text where a set of squares belongs: write squares('d5')",
    "xor(own_pawns, 'e4 d5') <> 0": "write squares('e4 d5')",
    "fen & own_pawns <> 0": "fen & own_pawns has a text where a set of squares belongs",
    "ply & own_pawns <> 0": "ply is a number, not a set of squares",
    "bit_count(ply) > 3": "bit_count counts the squares of a set, and ply is a number",
    "bit_count('e4') = 1": "bit_count counts the squares of a set, and 'e4' is a text",
    "captured = true": "captured is a text, not true or false: write captured is not null, or captured is null",
    "true <> promotion": "write promotion is not null",
    "ply = true": "ply is a number, not true or false",
    "ply > 'late'": "ply is a number, and 'late' is a text",
    "captured": "captured is a text, not true or false: write captured is not null, or captured is null",
    "captured and ply > 3": "write captured is not null, or captured is null",
    "is_check or not nags": "nags is a list, not true or false: write nags is not null",
    "white_name + 1 = 2": "+ takes other things than a text and a number",
    "white_name similar to 'M%'": "white_name like 'M%' for a pattern with % and _, regexp_matches(white_name, '^M')",
    "lower(white_name) not similar to 'm%'": "regexp_matches(lower(white_name), '^M')",
}
#: Sets that are compared, counted and combined as they are meant.
OF_SETS = [
    "white_pawns = black_pawns or white_pawns <> 0 or white_pawns > 0", "0 = own_pawns & enemy_pawn_attacks",
    "own_pawns & (own_pawns - 1) <> 0", "own_pawns << 8 & enemy_pawns <> 0", "own_pawns & 65280 <> 0",
    "key = 5 or key <> position_key('4k3/8/8/8/8/8/8/4K3 w - - 0 1')", "bit_count(own_pawns) > bit_count(enemy_pawns)",
    "next(own_pawns) = own_pawns", "own_pawns is distinct from enemy_pawns", "own_pawns = squares('e4')",
    "coalesce(own_pawns, 0) = 0", "list_contains(nags, 4) and comment = 'similar to this'", "ply & 1 = 0",
    "any_of(own_knights, lambda n: n = squares('e4'))", "white_name || '!' = 'x!'", "bit_or(own_pawns) over game <> 0",
]  # fmt: skip
#: Statements that take sets as numbers.
SETS_AS_NUMBERS = [
    "select game from positions order by white_pawns", "select game, white_pawns from positions order by 2",
    "select white_pawns as w from positions order by w desc",
    "select own_pawns & own_attacks w from positions order by 1",
    "select own_pawns & own_attacks w from positions where w > 3",
    "select * from (select own_pawns & own_attacks w, ply from positions) t where t.w < ply",
    "with t as (select own_pawns w from positions) select max(w) from t",
    "select min(white_pawns) from positions", "select sum(white_pawns), avg(white_pawns) from positions group by game",
    "select arg_max(san, white_pawns) from positions", "select list(san order by white_pawns) from positions",
    "select rank() over (order by white_pawns) from positions",
    "select count(*) from moves where own_pawns < enemy_pawns",
    "select 1 from positions a join positions b on a.white_pawns < b.white_pawns",
]  # fmt: skip
#: The same in statements: in every clause, through aliases, subqueries and joins.
STATEMENTS = {
    "select count(*) from positions where {}": "piece = 'n'",
    "select count(*) from positions p where {}": "p.piece = 'n'",
    "select count(*) filter (where {}) from positions": "piece = 'n'",
    "select case when {} then 1 end from positions": "piece = 'n'",
    "select {} from positions": "piece = 'n'",
    "select game from positions group by game having {}": "max(phase) = 'end'",
    "select ply from positions qualify {}": "lag(piece) over game = 'n'",
    "select ply from positions order by {}": "piece = 'n'",
    "select count(*) from games where {}": "white_points = 2",
    "select count(*) from games g where {}": "g.plies < 0",
    "select count(*) from positions p join games g using (game) where {}": "g.plies = -1",
    "select max(ply) from positions group by game having {}": "max(ply) < 0",
    "select count(*) from positions p join games g on p.game = g.game and {}": "g.result = 'win'",
    "select count(*) from (select piece, ply as number from positions) where {}": "piece = 'n'",
    "select count(*) from (select piece as moved from positions) t where {}": "t.moved = 'n'",
    "with t as (select * from positions where ply > 3) select count(*) from t where {}": "piece = 'n'",
    "select count(*) from games g where exists (select 1 from positions where {})": "g.result = 'w'",
    "select 1 from positions union all select 2 from games where {}": "result = 'w'",
    "with t as (select 1 from positions where {}) select count(*) from t": "piece = 'n'",
}
#: Statements in which a name means something else than the column.
OTHERS = [
    "select count(*) from (select lower(piece) as piece from positions) where piece = 'n'",
    "select count(*) from (select lower(piece) piece, * exclude (piece) from positions) t where t.piece = 'n'",
    "with positions as (select 'n' as piece) select * from positions where piece = 'n'",
    "with t as (select * replace (lower(piece) as piece) from positions) select count(*) from t where piece = 'n'",
    "with t(piece, n) as (select 'n', count(*) from positions) select count(*) from t where piece = 'n'",
    "with recursive t as (select 'n' piece union select 'm' from t where piece = 'n') select 1 from t",
    "select lower(piece) as piece, count(*) from positions group by all having piece = 'n'",
    "select count(*) from positions p, (values ('n')) v(piece) where v.piece = 'n' and lower(p.piece) = v.piece",
    "select count(*) from (select piece from positions union all select 'n') where piece = 'n'",
    "select count(*) from (select 'n' as piece) t, games where t.piece = 'n'",
]


@pytest.mark.parametrize("where", OTHER_WORDS)
def test_words_of_other_languages_and_kinds_are_answered_with_what_to_write(where: str) -> None:
    with pytest.raises(QueryError) as caught:
        Condition(where)
    assert OTHER_WORDS[where] in str(caught.value)
    assert not re.search(r"VARCHAR|LITERAL|U?(BIG|TINY|SMALL)INT|BOOLEAN|explicit", str(caught.value))


@pytest.mark.parametrize("where", OF_SETS)
def test_what_is_meant_of_sets_is_answered(where: str) -> None:
    Condition(where)


@pytest.mark.parametrize("statement", SETS_AS_NUMBERS)
def test_a_statement_takes_no_set_as_a_number(statement: str) -> None:
    with pytest.raises(QueryError, match=r"means nothing, since .* of squares: .*bit_count\("):
        setwise.sql(statement, GAMES)


@pytest.mark.parametrize("where", NEVER)
def test_what_a_column_never_holds_is_refused_with_what_it_holds(where: str) -> None:
    with pytest.raises(QueryError) as caught:
        Condition(where)
    assert NEVER[where] in str(caught.value)
    assert "\n" not in str(caught.value)
    with pytest.raises(QueryError) as caught:
        setwise.sql(f"select ply from positions where {where}", b"1. e4 *")
    assert NEVER[where] in str(caught.value)


@pytest.mark.parametrize("statement", STATEMENTS)
def test_statements_refuse_it_wherever_it_stands(statement: str) -> None:
    with pytest.raises(QueryError, match=r"(never matches|excludes nothing): \w"):
        setwise.sql(statement.format(STATEMENTS[statement]), b"1. e4 *")


@pytest.mark.parametrize("statement", OTHERS)
def test_a_name_that_means_something_else_is_left_alone(statement: str) -> None:
    [first, *_] = setwise.sql(statement, b"1. Nf3 d5 *").to_pylist()
    assert 0 not in first.values()


@pytest.mark.parametrize(
    ("where", "rows"),
    [
        ("len([piece for piece in ['n'] if piece = 'n']) = 1", 3),
        ("lower(piece) = 'n'", 1),
        ("piece ilike 'n'", 1),
        ("is_check = 'no' and white_to_move = 1 and is_checkmate = false", 2),
        ("own_pawns is true", 3),
        ("to_square <> 0", 2),
        ("white_elo = '2500'", 3),
        ("ply >= 0 and ply > -1 and game >= 1 and halfmove_clock <= 0.5 and white_pawn_islands <= 4", 2),
        ("ply between -1 and 1 and ply - 5 < 0 and bit_count(own_pawns) - 9 < 0 and ply <> 1e9 and see is null", 0),
        ("points = '0.5' and white_points = 1 / 2 and black_points in (0.5, 1)", 3),
        ("captured is null and promotion is not distinct from null", 3),
        ("white_king = squares('e1') and own_attacks <> squares('e1')", 3),
        ("eco = 'none' and site = 'n' and white_title = 'grandmaster' and termination <> 'time' and date = 'x'", 3),
        ("time_control = 'fast' and tag('Piece') = 'n' and round = '-' and variant <> 'n' and event like 'x'", 3),
        ("white_name = 'K' or black_name <> 'B' or 'me' in (own_name, enemy_name)", 3),
        ("phase > 'endgame'", 3),
        ("comment is null or comment = 'n' or nags is null", 3),
    ],
)
def test_what_a_column_may_hold_is_answered(where: str, rows: int) -> None:
    tags = "".join(
        f'[{name} "{value}"]\n'
        for name, value in {
            "WhiteElo": "2500", "Result": "1/2-1/2", "ECO": "none", "Site": "n", "WhiteTitle": "grandmaster",
            "Event": "x", "Termination": "x", "Date": "x", "TimeControl": "fast", "Piece": "n", "Round": "-",
            "Variant": "Standard", "White": "K", "Black": "me",
        }.items()
    )  # fmt: skip
    assert setwise.find(where, f"{tags}\n1. Nf3 d5 1/2-1/2".encode()).num_rows == rows


def test_columns_of_the_source_hold_what_it_says() -> None:
    table = b"fen,piece,Phase,result,points,is_check\n4k3/8/8/8/8/8/8/4K3 w - -,n,late,win,2,x\n"
    for where in ("piece = 'n'", "phase = 'late'", "RESULT = 'win'", "points > 1", "is_check = 'x'"):
        assert setwise.find(where, table).num_rows == 1
        assert setwise.sql(f"select fen from positions p where {where}", table).num_rows == 1


def test_every_question_of_the_page_is_answered() -> None:
    asked = [question.text for question in catalogue.questions() if not question.is_statement]
    assert len(asked) > 25
    for where in asked:
        Condition(where)


# ------------------------------------------------------------------------------------------- beside what games hold

OF_MOVES = {
    "move": lambda board, move: move.uci(),
    "san": lambda board, move: board.san(move),
    "piece": lambda board, move: chess.piece_symbol(board.piece_type_at(move.from_square)).upper(),
    "promotion": lambda board, move: move.promotion and chess.piece_symbol(move.promotion).upper(),
    "captured": lambda board, move: (
        "P" if board.is_en_passant(move)
        else board.is_capture(move) and chess.piece_symbol(board.piece_type_at(move.to_square)).upper()
    ),
}  # fmt: skip
OF_GAMES = {"result": "Result"}


@pytest.fixture(scope="module")
def held() -> dict[str, set[str]]:
    """All values of some columns in many games, as python-chess has them."""
    values: dict[str, set[str]] = {name: set() for name in (*OF_MOVES, *OF_GAMES)}
    for path in (FAMOUS_GAMES, *sorted(DATA.glob("*.pgn"))):
        for game in games_of(path.read_text("utf-8", "replace")):
            values["result"].add(game.headers["Result"])
            for node in game.mainline():
                board = node.parent.board()
                if not board.chess960 and node.move:
                    for name, value in OF_MOVES.items():
                        values[name].add(value(board, node.move) or "")
    return {name: found - {""} for name, found in values.items()}


def test_no_value_of_a_game_is_refused(held: dict[str, set[str]]) -> None:
    for name, values in held.items():
        domain = COLUMNS[name].domain
        assert domain is not None
        assert [value for value in values if not domain.admits(value)] == []
        assert len(values) > 3
        listed = ", ".join(f"'{value}'" for value in sorted(values)[:40])
        Condition(f"{name} in ({listed}) or {name} <> '{min(values)}' or {name} like '{max(values)}'")


LETTERS = st.text("abcdefgh12345678NBRQKPx=+#O-nbrqk/*", min_size=1, max_size=7)


@given(st.data(), st.sampled_from([*OF_MOVES, *OF_GAMES]))
def test_what_is_refused_is_held_nowhere(held: dict[str, set[str]], data: st.DataObject, name: str) -> None:
    known = sorted(held[name])
    value = data.draw(
        LETTERS | st.sampled_from(known).flatmap(lambda it: st.sampled_from([it, it.lower(), it[:-1], it * 2]))
    )
    assert COLUMNS[name].domain.admits(value) or value not in held[name]


def test_positions_hold_what_their_columns_say() -> None:
    names = [name for name, column in COLUMNS.items() if column.domain is not None]
    assert len(names) > 15
    noted = b'[BlackElo "1500"]\n[TimeControl "180+2"]\n\n'
    noted += b"1. e4 {[%eval 0.3,9] [%emt 0:00:00]} e5 {[%eval 0.5]} 2. Ke2 {[%eval #-9]} *"
    ending = b'[FEN "k7/8/1K6/8/8/8/8/7R w - - 0 1"]\n\n1. Rh8# *'
    sources = [GAMES, *map(str, sorted(DATA.glob("*.pgn"))), noted, ending]
    table = setwise.find("true", sources, columns=[name for name in names if name not in OF_TABLES])
    of_three_pieces = setwise.find("true", ending, columns=sorted(OF_TABLES))
    for name in names:
        held = (of_three_pieces if name in OF_TABLES else table)[name].to_pylist()
        values = {*itertools.chain(*filter(None, held))} if name == "mate_patterns" else {*held} - {None}
        assert values
        assert [value for value in values if not COLUMNS[name].domain.admits(value)] == []


def test_lines_hold_what_their_columns_say() -> None:
    names = [name for name in VARIATION_COLUMNS if COLUMNS[name].domain is not None]
    table = setwise.find("true", b"1. e4 (1. d4 d5 (1... Nf6)) e5 *", columns=names, variations=True)
    for name in names:
        domain = COLUMNS[name].domain
        assert domain is not None
        assert len({*table[name].to_pylist()}) > 1
        assert [value for value in table[name].to_pylist() if value is not None and not domain.admits(value)] == []
