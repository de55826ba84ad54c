"""Symmetric conditions: each column of an image is that of the position turned by python-chess."""

from __future__ import annotations

import functools
import itertools
import random
from collections.abc import Callable
from pathlib import Path

import chess
import chess.pgn
import numpy as np
import pyarrow as pa
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import setwise
from helpers.data import FAMOUS_GAMES, starts
from helpers.depth import NIGHT, depth
from helpers.python_chess import games_of
from setwise import Fileset, Positions, Set, pattern
from setwise.cli.app import app
from setwise.compiler import PATTERNS
from setwise.corpus.columns import COLUMNS, values_of
from setwise.corpus.language import condition_of
from setwise.corpus.language.condition import Condition, Values
from setwise.corpus.language.symmetry import _Image, _images, _Turning
from setwise.corpus.language.tree import column_named, text_of
from setwise.errors import QueryError
from setwise.features import FEATURES, SIDES
from setwise.features.registry import Side, feature
from setwise.patterns import islands

[_COLOURS_EXCHANGED], [_WINGS_EXCHANGED], _TURNS = map(_images, ("either_colour", "either_wing", "any_symmetry"))
_FLIPS = {
    "flip_vertical": chess.flip_vertical, "mirror_horizontal": chess.flip_horizontal,
    "rotate_180": lambda those: chess.flip_vertical(chess.flip_horizontal(those)),
    "flip_diagonal": chess.flip_diagonal, "flip_antidiagonal": chess.flip_anti_diagonal,
    "rotate_90_clockwise": lambda those: chess.flip_vertical(chess.flip_diagonal(those)),
    "rotate_90_anticlockwise": lambda those: chess.flip_diagonal(chess.flip_vertical(those)),
}  # fmt: skip


@functools.cache
def boards() -> list[chess.Board]:
    found = []
    for game in games_of(FAMOUS_GAMES.read_text("utf-8")):
        board = game.board()
        for number, move in enumerate(game.mainline_moves()):
            board.push(move)
            if number % 7 == 0:
                found.append(board.copy(stack=False))
    return [chess.Board(fen) for fen in starts("perft.epd")] + found


@functools.cache
def boards_to_turn() -> list[chess.Board]:
    """Boards without pawns and castling rights, most of them with the pawns of a game's position taken away."""
    found = []
    for board in boards():
        bare = board.copy()
        bare.castling_rights, bare.ep_square = chess.BB_EMPTY, None
        for square in chess.SquareSet(bare.pawns):
            bare.remove_piece_at(square)
        found += [bare] if bare.is_valid() else []
    return found


def turned(board: chess.Board, image: _Image) -> chess.Board:
    if image.kind == "colours":
        return board.mirror()
    return board.transform(_FLIPS[image.flip.name.removeprefix("compass.")])


def image_of(image: _Image, name: str) -> str:
    return text_of(_Turning("either", image).turned(column_named(name), frozenset()))


def equal(one: pa.Array, other: pa.Array) -> bool:
    if pa.types.is_dictionary(one.type) or pa.types.is_dictionary(other.type):
        return one.to_pylist() == other.to_pylist()
    return one.to_pylist() == other.cast(one.type).to_pylist()


# --------------------------------------------------------------------------------------------------- columns of boards


@pytest.mark.parametrize(
    ("image", "boards_of"),
    [
        pytest.param(_COLOURS_EXCHANGED, boards, id="colours"),
        pytest.param(_WINGS_EXCHANGED, lambda: [it for it in boards() if not it.castling_rights], id="wings"),
        *(pytest.param(turn, boards_to_turn, id=turn.flip.name) for turn in _TURNS),
    ],
)
def test_columns_of_an_image_are_those_of_the_turned_board(
    image: _Image, boards_of: Callable[[], list[chess.Board]]
) -> None:
    chosen = [it for it in boards_of() if NIGHT or chess.popcount(it.occupied) != 4][:: depth(8, 1)]  # no such tables
    assert len(chosen) > 10
    here = Positions.from_boards(chosen)
    there = Positions.from_boards([turned(board, image) for board in chosen])
    turnable, refused, wrong = 0, [], []
    turn = _TURNS.index(image) if image in _TURNS else 0
    for name, column in COLUMNS.items():
        if not column.of_boards or name == "phase":  # Lichess's phases are not the same for both wings
            continue
        try:
            expression = image_of(image, name)
        except QueryError:
            refused.append(name)
            continue
        turnable += 1
        if image in _TURNS and turnable % 3 != turn % 3 and not NIGHT:
            continue  # by day two turns or three for each column
        if not equal(values_of(there, name), Values(expression).of(here)):
            wrong.append((name, expression))
    assert not wrong
    assert turnable > (100 if image in _TURNS else 200)
    if image.kind == "colours":
        assert refused == ["fen", "key", *(f"{side}_distant_checks" for side in SIDES)]


# ---------------------------------------------------------------------------------------------------- columns of games

_GAME = """[White "Anna"]
[Black "Boris"]
[WhiteElo "2100"]
[BlackElo "1900"]
[WhiteTitle "WGM"]
[Result "1-0"]

1. e4 {[%eval 0.3] [%clk 0:03:00]} e5 {[%eval 0.2] [%clk 0:02:50]} 2. Qh5 {[%eval -0.1] [%clk 0:02:59]} Ke7
{[%eval #1] [%clk 0:02:40]} 3. Qxe5# {[%clk 0:02:58]} 1-0

[White "A"]
[Black "B"]
[Result "0-1"]

1. f3 e5 2. g4 Qh4# 0-1

[White "A"]
[Black "B"]
[FEN "r3k2r/1P4p1/8/8/7P/8/8/R3K2R w KQkq - 0 1"]
[SetUp "1"]
[Result "*"]

1. bxa8=N O-O 2. O-O-O g5 3. hxg5 *
"""


def mirrored_games(text: str) -> str:
    """The games with the colours exchanged: every move on the mirrored board, every tag of the other player."""
    written = []
    for game in games_of(text):
        other = chess.pgn.Game.without_tag_roster()
        for name, value in filter(lambda tag: "?" not in tag[1], game.headers.items()):
            other_name = {"White": "Black", "Black": "White"}.get(name[:5], name[:5]) + name[5:]
            other.headers[other_name] = {"1-0": "0-1", "0-1": "1-0"}.get(value, value)
        other.setup(game.board().mirror())
        node: chess.pgn.GameNode = other
        for before in game.mainline():
            move = before.move
            node = node.add_variation(
                chess.Move(chess.square_mirror(move.from_square), chess.square_mirror(move.to_square), move.promotion)
            )
            if (score := before.eval()) is not None:
                node.set_eval(chess.engine.PovScore(score.relative, not score.turn))
            if (clock := before.clock()) is not None:
                node.set_clock(clock)
        written.append(str(other))
    return "\n\n".join(written)


def test_columns_of_a_game_are_those_of_the_mirrored_game() -> None:
    different = {"source", "variant", "comment", "eco_by_position", "opening_by_position", "opening_plies"}
    names = [name for name, column in COLUMNS.items() if not column.of_boards and name not in different]
    here = setwise.find("true", _GAME.encode(), columns=["ply", *names])
    there = setwise.find("true", mirrored_games(_GAME).encode(), columns=["ply", *names])
    checked = 0
    for name in names:
        expression = image_of(_COLOURS_EXCHANGED, name)
        images = setwise.sql(f"select {expression} x from positions", _GAME.encode())["x"].to_pylist()  # noqa: S608
        assert images == there[name].to_pylist(), (name, expression)
        checked += here[name].to_pylist() != there[name].to_pylist()
    assert checked > 15, "columns that are not the same for both"


# ---------------------------------------------------------------------------------------------------------- conditions

_PARTS = st.sampled_from(
    [
        "has(white_king, 'g1')", "black_pawns & files('a-c') <> 0", "white_to_move", "white_knights & ranks('5-6') = 0",
        "own_pawns & ranks('7') <> 0", "bit_count(black_rooks & ranks('1-2')) = 1",
        "pawns.passed(white_pawns, black_pawns) <> 0",
        "sub_fen('8/8/8/8/4P3/8/8/8')", "white_material > black_material", "material_key like 'KQ%v%'",
        "knight.attacks(white_knights) & black_king <> 0", "compass.north(white_king) & white_pawns <> 0",
        "any_of(white_bishops, lambda s: s & light_squares <> 0)", "xor(white_pawns, squares('e4')) <> 0",
        "bit_count(~black_pieces & squares('a8-h8')) = 3", "white_passed_pawns & black_attacks <> 0",
        "case when white_to_move then has(white_king, 'g1') else has(black_king, 'g8') end",
        "ray(white_rooks | white_queens, black_pieces, black_king) <> 0", "can(has(white_rooks, 'd1'))",
    ]
)  # fmt: skip
_CONDITIONS = st.recursive(
    _PARTS,
    lambda inner: st.one_of(
        st.builds("({} and {})".format, inner, inner),
        st.builds("({} or {})".format, inner, inner),
        st.builds("not {}".format, inner),
    ),
    max_leaves=4,
)


def rows_of(where: str, positions: Positions) -> set[int]:
    return {*condition_of(where, {}).matches(positions).tolist()}


@functools.cache
def some(*, mirrored: bool = False) -> Positions:
    chosen = [board for board in boards() if not board.castling_rights][:150] + boards()[:60]
    return Positions.from_boards([board.mirror() if mirrored else board for board in chosen])


@given(where=_CONDITIONS)
@settings(max_examples=depth(8, 1_000))
def test_either_colour_is_the_condition_of_either_board(where: str) -> None:
    expected = rows_of(where, some()) | rows_of(where, some(mirrored=True))
    assert rows_of(f"either_colour({where})", some()) == expected
    assert rows_of(f"either_color({where}) or false", some()) == expected
    assert {*Condition(f"either_colour({where})").matches(some()).tolist()} == expected


@functools.cache
def without_castling() -> list[Positions]:
    """Positions without castling, the same with the wings exchanged, and both with the colours exchanged, too."""
    free = [board for board in boards() if not board.castling_rights][:150]
    both = [free, [turned(it, _WINGS_EXCHANGED) for it in free]]
    return [Positions.from_boards(it) for it in (*both, *([it.mirror() for it in those] for those in both))]


@given(where=_CONDITIONS.filter(lambda where: "can(" not in where))
@settings(max_examples=depth(10, 1_000))
def test_either_wing_is_the_condition_of_either_board(where: str) -> None:
    here, there, *mirrored = without_castling()
    assert rows_of(f"either_wing({where})", here) == rows_of(where, here) | rows_of(where, there)
    both = rows_of(f"either_colour(either_wing({where}))", here)
    assert both == set().union(*(rows_of(where, those) for those in (here, there, *mirrored)))
    assert both == rows_of(f"either_wing(either_colour({where}))", here)


_PIECES_ALONE = st.sampled_from(
    [
        "has(white_king, 'a1')", "black_king & squares('a1-d2') <> 0", "white_pieces & files('a b') <> 0",
        "compass.north(white_king) & white_pieces = 0", "compass.north_east(black_king) & squares('e4-h8') <> 0",
        "bit_count(white_rooks & ranks('1-3')) = 1", "compass.east(white_rooks) & light_squares <> 0",
        "lines.between(white_king, black_king) & squares('c3-f6') <> 0", "white_king & dark_squares <> 0",
        "any_of(white_pieces, lambda s: compass.west(s) & squares('c1-c8') <> 0)", "is_check", "white_to_move",
    ]
)  # fmt: skip


@functools.cache
def without_pawns() -> list[chess.Board]:
    chooser = random.Random(5)  # noqa: S311
    found = []
    while len(found) < 120:
        board = chess.Board(None)
        for symbol, square in zip("KkRqN", chooser.sample(range(64), 5), strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(symbol))
        board.turn = chooser.random() < 0.5
        if board.is_valid():
            found.append(board)
    return found


@given(parts=st.lists(_PIECES_ALONE, min_size=1, max_size=3))
@settings(max_examples=depth(8, 1_000))
def test_any_symmetry_is_the_condition_of_one_board_of_eight(parts: list[str]) -> None:
    where = " and ".join(parts)
    expected = rows_of(where, Positions.from_boards(without_pawns()))
    for turn in _TURNS:
        expected |= rows_of(where, Positions.from_boards([turned(it, turn) for it in without_pawns()]))
    assert rows_of(f"any_symmetry({where})", Positions.from_boards(without_pawns())) == expected


def test_squares_of_pawns_turn_as_those_of_any_pieces() -> None:
    where = "has(white_pawns, 'e4') and black_pawns & files('d') <> 0"
    boards = with_pawns()
    expected = rows_of(where, Positions.from_boards(boards))
    for turn in _TURNS:
        expected |= rows_of(where, Positions.from_boards([turned(it, turn) for it in boards]))
    assert rows_of(f"any_symmetry({where})", Positions.from_boards(boards)) == expected
    assert 0 < len(expected) < len(boards)


def with_pawns() -> list[chess.Board]:
    chooser = random.Random(6)  # noqa: S311
    found, inner = [], [square for square in range(64) if 0 < square % 8 < 7 and 0 < square // 8 < 7]
    for _ in range(300):  # a turned board has no pawn on its first or last rank either
        board = chess.Board(None)
        for symbol, square in zip("KkPPPppp", chooser.sample(inner, 8), strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(symbol))
        found.append(board)
    return found


def test_any_symmetry_has_eight_forms() -> None:
    corners = ("a1 b3", "a8 b6", "h1 g3", "h8 g6", "a1 c2", "a8 c7", "h1 f2", "h8 f7")
    fens = [
        f"{chess.Board(None).fen().split()[0]} w - - 0 1".replace("8/8/8/8/8/8/8/8", placed)
        for placed in itertools.chain(
            (board_of(*pair.split()) for pair in corners), (board_of("a1", "c3"), board_of("b2", "d3"))
        )
    ]
    positions = Positions.from_fens(fens)
    assert rows_of("any_symmetry(has(white_king, 'a1') and has(black_king, 'b3'))", positions) == {*range(8)}


def board_of(white: str, black: str) -> str:
    board = chess.Board(None)
    board.set_piece_at(chess.parse_square(white), chess.Piece(chess.KING, chess.WHITE))
    board.set_piece_at(chess.parse_square(black), chess.Piece(chess.KING, chess.BLACK))
    return board.board_fen()


def test_anywhere_shifts_all_squares_together() -> None:
    positions = some()
    shifts = itertools.product(range(8), range(7))
    expected = set()
    for file, rank in shifts:
        one, other = (chess.square_name(chess.square(file, r)) for r in (rank, rank + 1))
        expected |= rows_of(f"has(white_pawns, '{one}') and has(black_pawns, '{other}')", positions)
    assert rows_of("anywhere(has(white_pawns, 'e4') and has(black_pawns, 'e5'))", positions) == expected != set()
    assert rows_of("anywhere(has(white_king, 'h1'))", positions) == {*range(len(positions))}
    assert rows_of("anywhere(has(white_king, 'a1') and has(black_king, 'h8'))", positions) == rows_of(
        "has(white_king, 'a1') and has(black_king, 'h8')", positions
    )


@pytest.mark.parametrize("inner", ["either_colour", "either_wing", "either_colour(either_wing"])
def test_anywhere_shifts_squares_as_they_are_written_before_what_is_in_it_turns_them(inner: str) -> None:
    positions, closing = some(), ")" * (inner.count("(") + 1)
    chosen = "has(white_pawns, 'd4') and has(black_pawns, 'f5')"
    expected = rows_of(f"{inner}(anywhere({chosen}){closing}", positions)
    assert rows_of(f"anywhere({inner}({chosen}){closing}", positions) == expected
    assert rows_of(f"anywhere({inner}({chosen}){closing} and lower(fen) <> ''", positions) == expected
    assert expected > rows_of(f"anywhere({chosen})", positions) != set()


def test_they_stand_in_looks_windows_and_statements() -> None:
    games = str(FAMOUS_GAMES)
    both = "next({0}) and not ({0})"
    forms = ["has(white_king, 'g1')", "has(black_king, 'g8')"]
    expected = setwise.find(both.format(" or ".join(f"{form}" for form in forms)), games, columns=["game", "ply"])
    found = setwise.find(both.format(f"either_colour({forms[0]})"), games, columns=["game", "ply"])
    assert found.equals(expected)
    assert found.num_rows > 30
    stated = setwise.sql(f"select count_if(either_colour({forms[0]})) n from positions", games)["n"].to_pylist()  # noqa: S608
    assert stated == [setwise.find(" or ".join(forms), games).num_rows]
    later = setwise.find("later(either_colour(key = now(key)))", games, columns=["game", "ply"])
    assert later.equals(setwise.find("later(key = now(key))", games, columns=["game", "ply"]))
    white, black = (f"count_if({it} and is_check) over game >= 5" for it in ("white_to_move", "not white_to_move"))
    expected = setwise.find(f"{white} or {black}", games)
    assert setwise.find(f"either_colour({white})", games).num_rows == expected.num_rows > 0


@pytest.mark.parametrize(
    ("where", "message"),
    {
        "either_colour(ply)": "^either_colour takes one condition, .* ply is a value$",
        "either_colour()": "^either_colour takes one condition",
        "either_colour(is_check, is_check)": "^either_colour takes one condition",
        "either_colour(fen = '4k3/8/8/8/8/8/8/4K3 w - - 0 1')": "^either_colour cannot turn fen, unless it is compared",
        "either_wing(is_castling)": "^either_wing cannot turn is_castling: castling is not the same on both wings$",
        "either_wing(castling_rights = 0)": "^either_wing cannot turn castling_rights",
        "either_wing(can(is_check))": "^either_wing cannot turn can",
        "any_symmetry(white_passed_pawns <> 0)": (
            "^any_symmetry cannot turn white_passed_pawns: a board with pawns has one way up$"
        ),
        "any_symmetry(pawns.attacks(white_king) <> 0)": "^any_symmetry cannot turn pawns.attacks",
        "any_symmetry(san = 'Ke2')": "^any_symmetry cannot turn san: only sets of squares",
        "either_colour(white_distant_checks = 1)": "^either_colour cannot turn white_distant_checks: only sets",
        "anywhere(is_check)": "^anywhere shifts the squares that a condition names, and this one names none$",
        "either_color(is_chek)": "there is no column 'is_chek'.*is_check",
        "either_colors(is_check)": "there is no function either_colors; did you mean either_color",
    }.items(),
)
def test_what_has_no_image_is_refused_by_name(where: str, message: str) -> None:
    with pytest.raises(QueryError, match=message):
        setwise.find(where, str(FAMOUS_GAMES))


@pattern
def pawns_before(king: Set, pawns: Set) -> Set:
    """Return the pawns right before a king."""
    return king << np.uint64(8) & pawns


del PATTERNS[pawns_before.name]


def test_a_function_of_ones_own_is_asked_of_the_image(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PATTERNS, pawns_before.name, pawns_before)
    positions = some()
    where = f"{pawns_before.name}(white_king, white_pawns) <> 0"
    black = "compass.north(black_pawns) & black_king <> 0"
    assert rows_of(f"either_colour({where})", positions) == rows_of(f"{where} or {black}", positions)
    assert rows_of(black, positions) - rows_of(where, positions)


def test_a_feature_of_files_has_no_image_on_the_other_wing() -> None:
    def files_of_mine(side: Side) -> Fileset:
        """Return the files with pawns of this side."""
        return islands.fileset(side.own & side.pawns)

    try:
        feature(files_of_mine)
        with pytest.raises(QueryError, match=r"^either_wing cannot turn white_files_of_mine, .* files$"):
            condition_of("either_wing(white_files_of_mine > 1)", {})
        found = rows_of("either_colour(white_files_of_mine = 1)", some())
        assert found == rows_of("white_files_of_mine = 1 or black_files_of_mine = 1", some()) != set()
    finally:
        del FEATURES["files_of_mine"]


# --------------------------------------------------------------------------------------------------------------- marks

_SEVENTH = "white_passed_pawns & ranks('6-7') <> 0"
_SECOND = "black_passed_pawns & ranks('2-3') <> 0"


@pytest.mark.parametrize("again", ["", " and upper('x') = 'X'"], ids=["without the database", "with it"])
def test_columns_belong_to_the_alternatives_that_hold(again: str) -> None:
    positions = Positions.from_boards(boards())

    def rows(where: str) -> list[bool]:
        flags = np.zeros(len(positions), np.bool_)
        flags[condition_of(where + again).matches(positions)] = True
        return flags.tolist()

    def shown(where: str) -> dict[str, list[bool]]:
        return {name: flags.tolist() for name, flags in condition_of(where + again).marks.of(positions).items()}

    seventh, second = rows(_SEVENTH), rows(_SECOND)
    assert {*map(bool, seventh)} == {True, False} == {*second}
    forms = {"white_passed_pawns": seventh, "black_passed_pawns": second}
    assert shown(f"either_colour({_SEVENTH})") == shown(f"({_SEVENTH} or {_SECOND})") == forms
    assert shown(f"white_to_move and either_colour({_SEVENTH})") == forms
    assert shown(f"white_passed_pawns <> 0 and ({_SEVENTH} or {_SECOND})") == {"black_passed_pawns": second}
    assert shown(f"not ({_SEVENTH} or {_SECOND})") == {}
    within = f"({_SECOND} or white_to_move and ({_SEVENTH} or is_check))"
    to_move = rows("white_to_move")
    inner = [one and other for one, other in zip(to_move, rows(f"({_SEVENTH} or is_check)"), strict=True)]
    assert shown(within) == {
        "black_passed_pawns": second,
        "white_to_move": inner,
        "white_passed_pawns": [one and other for one, other in zip(inner, seventh, strict=True)],
        "is_check": [one and other for one, other in zip(inner, rows("is_check"), strict=True)],
    }


def test_a_match_is_drawn_with_the_sets_of_the_form_that_holds(tmp_path: Path) -> None:
    where = f"either_colour({_SEVENTH})"
    found = setwise.find(where, FAMOUS_GAMES)
    white, black = (setwise.find(form, FAMOUS_GAMES).num_rows for form in (_SEVENTH, _SECOND))
    assert found.num_rows < white + black < 2 * found.num_rows
    for more, wanted in (
        ([], (white, black)),
        (["--columns", "white_passed_pawns,black_passed_pawns"], (found.num_rows,) * 2),
        (["--order-by", "bit_count(black_passed_pawns)"], (white, found.num_rows)),
    ):
        out = tmp_path / "found.pgn"
        done = CliRunner().invoke(app, ["find", where, str(FAMOUS_GAMES), "-o", str(out), *more])
        assert done.exit_code == 0, done.output
        text = out.read_text("utf-8")
        assert tuple(text.count(f"{side}_passed_pawns:") for side in ("white", "black")) == wanted
        out.unlink()
