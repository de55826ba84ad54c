"""The language of conditions: a twin that goes row by row, any cut of the games, any number of threads, no way out."""

from __future__ import annotations

import functools
import itertools
import operator
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import setwise
from helpers.data import ROOT
from helpers.depth import depth
from helpers.ways_out import conditions_that_reach_out, statements_that_reach_out
from setwise import Bitboard
from setwise.corpus.language import names as alternatives
from setwise.corpus.language.condition import Condition, Values
from setwise.corpus.sources import pgn
from setwise.errors import QueryError, SetwiseError
from setwise.patterns import king, knight

#: Games of every length, none and one ply among them; those that hold the least stand between longer ones.
SHORT = (
    "*",
    "1. e4 *",
    "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 5. Nc3 Nf6 6. Nb1 Ng8 *",
    "1. f3 e5 2. g4 Qh4# 0-1",
    "1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0",
    "1. d4 1/2-1/2",
    "*",
)


@functools.cache
def games() -> bytes:
    famous = (ROOT / "examples" / "famous_games.pgn").read_text("utf-8").split("\n\n[Event")[:8]
    long = [game if game.startswith("[Event") else f"[Event{game}" for game in famous]
    mixed = itertools.chain.from_iterable(itertools.zip_longest(long, SHORT))
    return "\n\n".join(game for game in mixed if game).encode()


# ------------------------------------------------------------------------------------------------- conditions and twins

#: The rows of one game; and what a condition says of the row with a number, None for what is not known.
Rows = list[dict[str, Any]]
Twin = Callable[[Rows, int], Any]


class Asked:
    """An expression as text, and the same as a function of a row, which computes each row once."""

    def __init__(self, sql: str, twin: Twin) -> None:
        self.sql = sql
        values: dict[tuple[int, int], Any] = {}

        def remembered(rows: Rows, i: int) -> Any:
            place = id(rows), i  # the rows of all games are kept by `rows_by_game`
            if place not in values:
                values[place] = twin(rows, i)
            return values[place]

        self.twin = remembered

    def __repr__(self) -> str:
        return self.sql


def column(name: str) -> Asked:
    return Asked(name, lambda rows, i: rows[i][name])


def strict(sql: str, function: Callable[..., Any], *given: Asked) -> Asked:
    """An expression that is not known where a part of it is not."""

    def twin(rows: Rows, i: int) -> Any:
        values = [part.twin(rows, i) for part in given]
        return None if None in values else function(*values)

    return Asked(sql.format(*(part.sql for part in given)), twin)


def shifted(name: str, plies: int, sign: int, part: Asked) -> Asked:
    def twin(rows: Rows, i: int) -> Any:
        return part.twin(rows, i + sign * plies) if 0 <= i + sign * plies < len(rows) else None

    return Asked(f"{name}({part.sql}, {plies})" if plies > 1 else f"{name}({part.sql})", twin)


def ever(name: str, part: Asked) -> Asked:
    def twin(rows: Rows, i: int) -> bool:
        there = range(i + 1, len(rows)) if name == "later" else range(i)
        return any(part.twin(rows, k) is True for k in there)

    return Asked(f"{name}({part.sql})", twin)


#: The names of tables in a condition on two rows; and whether it holds of the row that looks and the one it looks at.
Pair = tuple[str, Callable[[Rows, int, int], Any]]


def of_one(part: Asked) -> Pair:
    return part.sql, lambda rows, _, k: part.twin(rows, k)


def of_two(name: str, sign: str, plus: int, other: Asked) -> Pair:
    def holds(rows: Rows, i: int, k: int) -> Any:
        there, here = rows[k][name], other.twin(rows, i)
        return None if there is None or here is None else SIGNS[sign](there, here + plus if plus else here)

    return f"({name} {sign} now({other.sql}){f' + {plus}' * (plus > 0)})", holds


def joined(one: Pair, word: str, two: Pair) -> Pair:
    join = both if word == "and" else either

    def holds(rows: Rows, i: int, k: int) -> Any:
        values = one[1](rows, i, k), two[1](rows, i, k)
        return join(*(Asked("", lambda _rows, _i, value=value: value) for value in values)).twin(rows, i)

    return f"({one[0]} {word} {two[0]})", holds


def looking(name: str, plies: int, turns: bool, one: Pair, two: Pair) -> Asked:
    """A sequence function of conditions on the row that looks and the row that it looks at."""
    step, every_other = (2, ", every_other") if turns else (1, "")

    def twin(rows: Rows, i: int) -> Any:
        def holds(k: int) -> bool:
            return one[1](rows, i, k) is True

        if name in {"next", "previous"}:
            k = i + plies if name == "next" else i - plies
            return one[1](rows, i, k) if 0 <= k < len(rows) else None
        if name == "streak":
            return len(list(itertools.takewhile(holds, range(i, -1, -step))))
        if name == "lasts":
            last = i + (plies - 1) * step
            return last < len(rows) and all(map(holds, range(i, last + 1, step)))
        if name == "until":
            reached = (k for k in range(i + 1, len(rows)) if two[1](rows, i, k) is True)
            return any(all(map(holds, range(i, k))) for k in reached)
        return any(map(holds, range(i + 1, len(rows)) if name == "later" else range(i)))

    rest = {
        "next": f", {plies}", "previous": f", {plies}", "streak": every_other, "lasts": f", {plies}{every_other}",
        "until": f", {two[0]}",
    }.get(name, "")  # fmt: skip
    return Asked(f"{name}({one[0]}{rest})", twin)


def both(one: Asked, other: Asked) -> Asked:
    def twin(rows: Rows, i: int) -> Any:
        values = one.twin(rows, i), other.twin(rows, i)
        return False if False in values else None if None in values else True

    return Asked(f"({one.sql} and {other.sql})", twin)


def either(one: Asked, other: Asked) -> Asked:
    def twin(rows: Rows, i: int) -> Any:
        values = one.twin(rows, i), other.twin(rows, i)
        return True if True in values else None if None in values else False

    return Asked(f"({one.sql} or {other.sql})", twin)


def counted(part: Asked, least: int, over: str) -> Asked:
    def twin(rows: Rows, i: int) -> bool:
        seen = range(len(rows)) if over == "game" else range(i + 1)
        return sum(part.twin(rows, k) is True for k in seen) >= least

    return Asked(f"(count_if({part.sql}) over {over} >= {least})", twin)


SIGNS = {"=": operator.eq, "<>": operator.ne, "<": operator.lt, ">=": operator.ge}
SETS = ("white_pieces", "black_pawns", "own_knights", "enemy_king", "white_attacks", "from_square", "to_square")
NUMBERS = ("ply", "white_pawn_islands", "own_mobility", "enemy_material", "white_elo")
FLAGS = ("white_to_move", "is_check", "gives_check", "is_castling")
TEXTS = {"piece": "PNQ", "captured": "PQ", "result": ("1-0", "0-1"), "san": ("e4", "Nf3", "O-O")}
COLUMNS = [*SETS, "white_knights", "black_king", "white_king", "key", *NUMBERS, *FLAGS, *TEXTS]

squares = st.sets(st.integers(0, 63), min_size=1, max_size=4).map(Bitboard)
sets = st.deferred(
    lambda: st.one_of(
        st.sampled_from(SETS).map(column),
        st.builds(lambda part: strict("(~{})", lambda those: ~those & 2**64 - 1, part), sets),
        st.builds(lambda a, b: strict("({} & {})", operator.and_, a, b), sets, sets),
        st.builds(lambda a, b: strict("({} | {})", operator.or_, a, b), sets, sets),
        st.builds(lambda part: strict("knight.attacks({})", knight.attacks, part), sets),
        st.builds(lambda part: strict("king.attacks({})", king.attacks, part), sets),
        squares.map(lambda those: Asked(f"squares('{' '.join(those.names())}')", lambda _rows, _i: int(those))),
    )
)
numbers = st.sampled_from(NUMBERS).map(column)
computed = st.one_of(
    st.builds(lambda part: strict("({} + 0)", int, part), numbers),
    st.builds(lambda part: strict("bit_count({})", lambda those: int(those).bit_count(), part), sets),
    st.just(strict("king.distance({}, {})", king.distance, column("white_king"), column("black_king"))),
)
#: Numbers with what they are compared with: a column with what all columns may hold, since others are refused.
compares = st.one_of(st.tuples(numbers, st.integers(2, 4)), st.tuples(computed, st.integers(0, 12)))
signs = st.sampled_from(sorted(SIGNS))


def compared(part: Asked, sign: str, number: int) -> Asked:
    return strict(f"({{}} {sign} {number})", lambda value: SIGNS[sign](value, number), part)


def holds_all(part: Asked, those: Bitboard) -> Asked:
    wanted = int(those)
    return strict(f"has({{}}, '{' '.join(those.names())}')", lambda value: value & wanted == wanted, part)


def spelled(name: str, value: str) -> Asked:
    return strict(f"({{}} = '{value}')", lambda text: text == value, column(name))


plain = st.one_of(
    st.sampled_from(FLAGS).map(column),
    st.builds(lambda pair, sign: compared(pair[0], sign, pair[1]), compares, signs),
    st.builds(lambda part: strict("({} <> 0)", lambda those: those != 0, part), sets),
    st.builds(holds_all, sets, squares),
    st.sampled_from([spelled(name, value) for name, values in TEXTS.items() for value in values]),
    st.sampled_from(sorted(TEXTS)).map(lambda name: Asked(f"({name} is null)", lambda rows, i: rows[i][name] is None)),
)
along = st.recursive(
    plain,
    lambda inner: st.one_of(
        st.builds(both, inner, inner),
        st.builds(either, inner, inner),
        st.builds(lambda part: strict("(not {})", operator.not_, part), inner),
        st.builds(shifted, st.just("next"), st.integers(1, 5), st.just(1), inner),
        st.builds(shifted, st.just("previous"), st.integers(1, 5), st.just(-1), inner),
        st.builds(ever, st.sampled_from(["later", "earlier"]), inner),
        st.builds(
            lambda pair, plies, sign: compared(shifted("next", plies, 1, pair[0]), sign, pair[1]),
            compares, st.integers(1, 3), signs,
        ),
    ),
    max_leaves=5,
)  # fmt: skip
NAMES = ("next", "previous", "later", "earlier", "lasts", "until")
sought = st.one_of(
    along.map(of_one),
    st.builds(
        lambda names, sign: of_two(names[0], sign, 0, column(names[1])),
        st.sampled_from([("piece", "captured"), ("to_square", "from_square"), ("key", "key"), ("san", "san")]),
        st.sampled_from(["=", "<>"]),
    ),
    st.builds(of_two, st.sampled_from(NUMBERS), signs, st.integers(0, 3), st.one_of(numbers, computed)),
)
pairs = st.recursive(sought, lambda part: st.builds(joined, part, st.sampled_from(("and", "or")), part), max_leaves=3)
looks = st.one_of(
    st.builds(looking, st.sampled_from(NAMES), st.integers(1, 4), st.booleans(), pairs, pairs),
    st.builds(
        compared,
        st.builds(looking, st.just("streak"), st.just(1), st.booleans(), pairs, pairs), signs, st.integers(0, 4),
    ),
)  # fmt: skip
#: Looks within looks, and beside other conditions.
looks = st.one_of(
    looks,
    st.builds(ever, st.sampled_from(["later", "earlier"]), looks),
    st.builds(
        lambda name, one, two: looking(name, 2, False, of_one(one), of_one(two)), st.sampled_from(NAMES), looks, looks
    ),
    st.builds(both, along, looks),
)
conditions = st.one_of(
    along,
    looks,
    st.builds(counted, along, st.integers(1, 6), st.sampled_from(["game", "so_far"])),
    st.builds(
        lambda one, part, least, over: both(one, counted(part, least, over)),
        along, along, st.integers(1, 6), st.sampled_from(["game", "so_far"]),
    ),
)  # fmt: skip


@functools.cache
def rows_by_game() -> list[Rows]:
    table = setwise.find("true", games(), columns=["game", *COLUMNS], threads=1).to_pylist()
    return [list(rows) for _, rows in itertools.groupby(table, key=lambda row: row["game"])]


def found(where: str, threads: int = 1) -> list[tuple[int, int]]:
    table = setwise.find(where, games(), columns=["game", "ply"], threads=threads)
    return list(zip(table["game"].to_pylist(), table["ply"].to_pylist(), strict=True))


@settings(max_examples=depth(15, 5000))
@given(conditions)
def test_a_condition_means_what_its_twin_says_of_each_row(asked: Asked) -> None:
    expected = [
        (number, ply)
        for number, rows in enumerate(rows_by_game(), 1)
        for ply in range(len(rows))
        if asked.twin(rows, ply) is True
    ]
    assert found(asked.sql) == expected


@settings(max_examples=depth(15, 5000))
@given(looks)
def test_a_look_from_one_row_at_another_means_what_its_twin_says(asked: Asked) -> None:
    test_a_condition_means_what_its_twin_says_of_each_row.hypothesis.inner_test(asked)  # type: ignore[attr-defined]


@settings(max_examples=depth(12, 1000))
@given(conditions, st.sampled_from([1, 200, 900, 3000]), st.sampled_from([1, 2, 5]))
def test_cuts_and_threads_change_no_answer(asked: Asked, block: int, threads: int) -> None:
    whole = found(asked.sql)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pgn, "_SEARCHED", block)
        assert found(asked.sql, threads) == whole


@settings(max_examples=depth(10, 1000))
@given(st.one_of(along, looks), st.sampled_from([1, 900, 10**6]), st.sampled_from([1, 3]))
def test_a_statement_says_the_same_as_a_condition(asked: Asked, block: int, threads: int) -> None:
    statement = f"select game, ply from positions where {asked.sql} order by game, ply"  # noqa: S608  (our own)
    whole = found(asked.sql)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pgn, "_SEARCHED", block)
        table = setwise.sql(statement, games(), threads=threads)
    assert list(zip(table["game"].to_pylist(), table["ply"].to_pylist(), strict=True)) == whole


@pytest.mark.parametrize(
    ("block", "threads"),
    depth([(1, 5), (900, 2), (10**6, 1)], [*itertools.product([1, 200, 900, 3000, 10**6], [1, 2, 5])]),
)
def test_a_look_along_the_game_ends_where_the_game_does(
    monkeypatch: pytest.MonkeyPatch, block: int, threads: int
) -> None:
    monkeypatch.setattr(pgn, "_SEARCHED", block)
    ends = [(number, len(rows) - 1) for number, rows in enumerate(rows_by_game(), 1)]
    starts = [(number, 0) for number, _ in ends]
    assert len(ends) == 15
    assert found("next(ply) is null", threads) == ends
    assert found("previous(ply) is null", threads) == starts
    assert found("not later(true)", threads) == ends
    assert found("not earlier(true)", threads) == starts
    assert found("next(ply, 3) is not null", threads) == [
        (number, ply) for number, last in ends for ply in range(last - 2)
    ]
    assert found("max(ply) over game = ply and next(ply) is null and previous(ply) is null", threads) == [
        (number, 0) for number, last in ends if last == 0
    ]
    assert found("next(ply) <> ply + 1 or previous(ply) <> ply - 1 or count(*) over so_far <> ply + 1", threads) == []


# -------------------------------------------------------------------------------------------------------- no way out


@pytest.fixture
def places(tmp_path: Path) -> dict[str, str]:
    """A file that there is, and one that there must not be."""
    (tmp_path / "secret.csv").write_text("a\n1\n")
    return {"file": str(tmp_path / "secret.csv"), "new": str(tmp_path / "new")}


@pytest.mark.parametrize("where", conditions_that_reach_out())
def test_a_condition_reaches_no_file_no_network_no_setting(where: str, places: dict[str, str]) -> None:
    for asked in (Condition, Values):
        with pytest.raises(QueryError) as told:
            asked(where.format(**places))
        assert "\n" not in str(told.value)
    assert not Path(places["new"]).exists()


@pytest.mark.parametrize("statement", statements_that_reach_out())
def test_a_statement_reaches_no_file_no_network_no_setting(statement: str, places: dict[str, str]) -> None:
    with pytest.raises(SetwiseError) as told:
        setwise.sql(statement.format(**places), b"1. e4 *")
    assert "\n" not in str(told.value)
    assert not Path(places["new"]).exists()


@pytest.mark.parametrize(
    "window",
    [
        "row_number() over () = 1", "count(*) over () > 1", "row_number() over (order by ply) = 1",
        "lag(ply) over (order by game, ply) = 0", "sum(ply) over (partition by white_name) > 3",
        "count(*) over (partition by white_to_move order by ply) > 1",
    ],
)  # fmt: skip
def test_a_window_looks_at_one_game(window: str) -> None:
    """What it says of several would hang on how the games are cut into batches."""
    with pytest.raises(QueryError, match="over game"):
        Condition(window)


def checks_in(rows: Rows) -> int:
    return sum(row["is_check"] for row in rows)


WINDOWS: dict[str, Callable[[Rows, int], bool]] = {
    "later(count_if(is_check) over so_far = 3)": lambda rows, i: any(
        checks_in(rows[: k + 1]) == 3 for k in range(i + 1, len(rows))
    ),
    "next(max(ply) over game) - ply = 1": lambda rows, i: i == len(rows) - 2,
    "streak(sum(ply) over so_far < 10) = 4": lambda _, i: i == 3,
    "max(count_if(is_check) over so_far) over game = 2": lambda rows, _: checks_in(rows) == 2,
    "sum(max(max(ply) over game - ply) over so_far) over game = ply * ply": lambda rows, i: (
        len(rows) * (len(rows) - 1) == i * i
    ),
    "max(max(ply) over game - ply) over so_far - ply = 3": lambda rows, i: len(rows) - 1 - i == 3,
    "knight.attacks(first_value(from_square) over game) & to_square <> 0 and ply = 0": lambda rows, i: (
        i == 0 and rows[0]["piece"] == "N"
    ),
}


@pytest.mark.parametrize("where", WINDOWS)
@pytest.mark.parametrize("threads", [1, 3])
def test_windows_stand_in_looks_and_in_windows(where: str, threads: int) -> None:
    rows_of = enumerate(rows_by_game(), 1)
    expected = [(number, i) for number, rows in rows_of for i in range(len(rows)) if WINDOWS[where](rows, i)]
    assert found(where, threads) == expected != []


@pytest.mark.parametrize("block", [1, 900, 10**6])
def test_windows_in_looks_are_the_same_in_statements(monkeypatch: pytest.MonkeyPatch, block: int) -> None:
    monkeypatch.setattr(pgn, "_SEARCHED", block)
    where = "later(count_if(is_check) over so_far = 3)"
    table = setwise.sql(f"select game, ply from positions where {where} order by all", games())  # noqa: S608
    assert list(zip(table["game"].to_pylist(), table["ply"].to_pylist(), strict=True)) == found(where) != []
    with pytest.raises(QueryError, match="later reads one game, and a window in it is wider: write `over game`"):
        setwise.sql("select ply from positions where later(sum(ply) over (order by ply) > 3)", games())


def test_a_window_of_ones_own_may_part_the_game() -> None:
    where = "count(*) over (partition by game, key order by ply) = 3"
    repeated = b"1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 1/2-1/2"
    assert setwise.find(where, repeated, columns=["ply"])["ply"].to_pylist() == [8]


def test_matches_come_in_order_whatever_a_window_parts_the_game_by() -> None:
    for by in ("white_to_move", "piece", "white_to_move order by ply desc"):
        where = f"count(*) over (partition by game, {by}) >= 2"
        places = found(where)
        assert places == sorted(places) != []


def test_what_moves_lead_to_is_the_same_however_many_positions_are_played_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = found("can(is_check)")
    monkeypatch.setattr(alternatives, "_AT_ONCE", 7)
    assert found("can(is_check)") == whole
    assert len(whole) > 10


def test_until_holds_where_what_it_waits_for_comes_as_its_condition_ends() -> None:
    ends = [(number, ply) for number, rows in enumerate(rows_by_game(), 1) for ply in range(len(rows) - 2)]
    assert found("until(ply < now(ply) + 2, ply = now(ply) + 2)") == ends != []
    assert found("until(ply < now(ply) + 1, ply = now(ply) + 2)") == []
    firsts = [(number, ply) for number, rows in enumerate(rows_by_game(), 1) if len(rows) > 3 for ply in range(3)]
    assert found("until(ply < 3, ply = 3)") == firsts != []
    assert found("until(ply < 2, ply = 3)") == []
