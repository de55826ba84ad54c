"""Ranges of squares, diagrams with wildcards, material, players, keys: what a text means, each with its twin."""

from __future__ import annotations

import functools
import itertools
import re
from pathlib import Path

import chess
import chess.polyglot
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import setwise
from helpers.data import FAMOUS_GAMES, starts
from helpers.python_chess import games_of
from setwise import Bitboard, Positions
from setwise.corpus.language import condition_of
from setwise.corpus.language.names import bounds_of_sides, files, ranks, squares
from setwise.errors import QueryError
from setwise.position.likeness import counts_in, has_material, material_codes
from setwise.rules.board import SETS

GAMES = str(FAMOUS_GAMES)


@functools.cache
def boards() -> list[chess.Board]:
    found = [chess.Board(fen) for fen in starts("perft.epd")]
    for game in games_of(FAMOUS_GAMES.read_text("utf-8")):
        board = game.board()
        for move in game.mainline_moves():
            board.push(move)
            found.append(board.copy(stack=False))
    return found


@functools.cache
def positions() -> Positions:
    return Positions.from_boards(boards())


def rows(where: str) -> list[int]:
    found: list[int] = condition_of(where, {}).matches(positions()).tolist()
    return found


# --------------------------------------------------------------------------------------------------------------- ranges


def test_boxes_have_the_squares_between_their_corners() -> None:
    for one, other in itertools.product(chess.SQUARES, repeat=2):
        box = {
            square for square in chess.SQUARES
            if min(one % 8, other % 8) <= square % 8 <= max(one % 8, other % 8)
            and min(one // 8, other // 8) <= square // 8 <= max(one // 8, other // 8)
        }  # fmt: skip
        assert {*Bitboard(squares(f"{chess.SQUARE_NAMES[one]}-{chess.SQUARE_NAMES[other]}")).squares()} == box


def test_ranges_of_files_and_ranks() -> None:
    for one, other in itertools.product(range(8), repeat=2):
        between = range(min(one, other), max(one, other) + 1)
        assert files(f"{chess.FILE_NAMES[one]}-{chess.FILE_NAMES[other]}") == sum(chess.BB_FILES[k] for k in between)
        assert ranks(f"{one + 1}-{other + 1}") == sum(chess.BB_RANKS[k] for k in between)
    assert files("a c-d h") == files("a c d h")
    assert squares("a1 b2-c3") == squares("a1 b2 b3 c2 c3")


@pytest.mark.parametrize(
    ("where", "message"),
    {
        "squares('a1-') = 0": "a box has two corners, as b2-d4, not 'a1-'",
        "squares('a1-b2-c3') = 0": "a box has two corners",
        "squares('a1-i9') = 0": "a box has two corners, as b2-d4, not 'a1-i9'",
        "files('a-') = 0": "files are named a to h, or a-c, not 'a-'",
        "files('ab') = 0": "files are named a to h, or a-c, not 'ab'",
        "ranks('1-9') = 0": "ranks are named 1 to 8, or 1-3, not '1-9'",
        "has(white_king, 'x9') ": "x9",
    }.items(),
)
def test_what_is_no_range(where: str, message: str) -> None:
    with pytest.raises(QueryError, match=message):
        condition_of(where, {})


# ------------------------------------------------------------------------------------------------------------- diagrams

_MEANT = {
    "A": lambda piece: piece is not None and piece.color, "a": lambda piece: piece is not None and not piece.color,
    "?": lambda piece: piece is not None, "_": lambda piece: piece is None,
}  # fmt: skip


def fits(letter: str, piece: chess.Piece | None) -> bool:
    return bool(_MEANT[letter](piece)) if letter in _MEANT else piece is not None and piece.symbol() == letter


_CELLS = st.one_of(
    st.none(), st.none(), st.sampled_from("PNBRQKpnbrqkAa?_"),
    st.text("PNBRQKpnbrqkAa?_", min_size=1, max_size=3),
)  # fmt: skip


@given(data=st.data())
def test_a_diagram_means_what_its_letters_say(data: st.DataObject) -> None:
    board = data.draw(st.sampled_from(boards()))
    cells: dict[int, str] = {}
    for square in data.draw(st.lists(st.sampled_from(chess.SQUARES), max_size=5, unique=True)):
        drawn = data.draw(_CELLS)
        piece = board.piece_at(square)
        cells[square] = drawn if drawn is not None else (piece.symbol() if piece else "_")
    text = "/".join(
        "".join(
            f"[{cells[square]}]" if len(cells.get(square, "")) > 1 else cells.get(square, "1")
            for square in (chess.square(file, rank) for file in range(8))
        )
        for rank in reversed(range(8))
    )
    expected = [
        number for number, it in enumerate(boards())
        if all(any(fits(letter, it.piece_at(square)) for letter in letters) for square, letters in cells.items())
    ]  # fmt: skip
    assert rows(f"sub_fen('{text}')") == expected
    assert rows(f"sub_fen('{re.sub('1+', lambda ones: str(len(ones[0])), text)} w - - 0 1')") == expected


@pytest.mark.parametrize(
    ("text", "message"),
    {
        "8/8": "^sub_fen: '8/8' has 2 ranks, not 8",
        "": "has 0 ranks, not 8",
        "8/8/8/8/8/8/8/7": "^sub_fen: rank 1 has 7 squares, not 8: '7'",
        "8/8/8/8/8/8/8/44P": "^sub_fen: rank 1 has 9 squares, not 8",
        "8/8/8/8/8/8/8/7x": "^sub_fen: 'x' in rank 1 is no piece: P N B R Q K",
        "8/8/8/7[/8/8/8/8": r"^sub_fen: '\[' in rank 5 is no piece",
        "8/8/8/7[]/8/8/8/8": r"^sub_fen: '\[' in rank 5 is no piece",
        "8/8/8/7[Px]/8/8/8/8": "^sub_fen: 'x' in rank 5 is no piece",
        "9/8/8/8/8/8/8/8": "^sub_fen: '9' in rank 8 is no piece",
    }.items(),
)
def test_what_is_no_diagram(text: str, message: str) -> None:
    with pytest.raises(QueryError, match=message):
        condition_of(f"sub_fen('{text}')", {})


# ------------------------------------------------------------------------------------------------------------- material

_ORDER = "QRBNP"


def within(pattern: list[tuple[str, str]], board: chess.Board, colour: bool) -> bool:
    for letter in _ORDER:
        count = len(board.pieces(chess.Piece.from_symbol(letter).piece_type, colour))
        steps = [times for piece, times in pattern if piece == letter]
        least = sum(times in {"", "+"} for times in steps)
        most = 99 if {"*", "+"} & {*steps} else len(steps)
        if not least <= count <= most:
            return False
    return True


_SIDE = st.lists(st.tuples(st.sampled_from("QRBNNBRPPP"), st.sampled_from(["", "*", "*", "+", "?"])), max_size=9)


def spelled(side: list[tuple[str, str]], king: str) -> str:
    return king + "".join(piece + times for piece, times in side)


@given(first=_SIDE, second=_SIDE, king=st.sampled_from(["K", ""]), between=st.sampled_from(["v", " v "]))
def test_material_means_what_a_count_says(
    first: list[tuple[str, str]], second: list[tuple[str, str]], king: str, between: str
) -> None:
    text = f"{spelled(first, king)}{between}{spelled(second, king)}"
    white = [number for number, it in enumerate(boards()) if within(first, it, True) and within(second, it, False)]
    black = [number for number, it in enumerate(boards()) if within(first, it, False) and within(second, it, True)]
    assert rows(f"material('{text}', 'white')") == white
    assert rows(f"material('{text}', 'black')") == black
    assert rows(f"material('{text}')") == sorted({*white, *black})


def key_of(board: chess.Board) -> str:
    letters = [(letter, chess.Piece.from_symbol(letter).piece_type) for letter in "KQRBNP"]
    sides = ("".join(letter * len(board.pieces(kind, side)) for letter, kind in letters) for side in (True, False))
    return "v".join(sides)


def test_a_key_is_asked_of_the_counts_through_every_way_to_say_it() -> None:
    keys = list(map(key_of, boards()))
    assert setwise.find("true", positions(), columns=["material_key"])["material_key"].to_pylist() == keys
    for key in sorted({*keys})[::25]:
        wanted = [row for row, it in enumerate(keys) if it == key]
        others = [row for row, it in enumerate(keys) if it != key]
        mirrored = "v".join(key.split("v")[::-1])
        both = [row for row, it in enumerate(keys) if it in {key, mirrored}]
        for again in ("", "and upper('x') = 'X'"):  # with the database, and without
            assert rows(f"material_key = '{key}' {again}") == wanted
            assert rows(f"not material_key <> '{key}' {again}") == wanted
            assert rows(f"material_key <> '{key}' {again}") == others
            assert rows(f"either_colour(material_key = '{key}') {again}") == both
            assert rows(f"either_colour(material('{key}', 'black')) {again}") == both
            assert rows(f"material('{key}') {again}") == both
        assert rows(f"material_key in ('{key}')") == wanted


def test_a_scan_that_holds_the_text_is_asked_the_same(tmp_path: Path) -> None:
    setwise.scan(GAMES, tmp_path, features="material_key")
    for key in ("KRPPPvKRPPP", "KvK", "KQRRBBPPPPvKQRRBBPPPP"):
        for where in (f"material_key = '{key}'", f"material_key <> '{key}'", f"material('{key}')"):
            assert setwise.find(where, tmp_path).num_rows == setwise.find(where, GAMES).num_rows


def test_a_column_of_the_source_of_this_name_is_its_own() -> None:
    own = pa.table({"fen": [chess.STARTING_FEN] * 2, "material_key": ["KPvK", "KvK"]})
    for where in ("material_key = 'KvK'", "material_key <> 'KPvK'", "upper(material_key) = 'KVK'"):
        assert setwise.find(where, own, columns=["material_key"])["material_key"].to_pylist() == ["KvK"]


def test_no_count_is_too_large_to_be_compared() -> None:
    sets = np.zeros((len(SETS), 1), np.uint64)
    sets[[SETS.index("white_pieces"), SETS.index("queens")]] = np.uint64(0xFFFF_FFFF_FFFF_FFFF)
    for count, is_it in ((63, False), (64, True), (65, False), (200, False)):
        limits = bounds_of_sides(f"K{'Q' * count} v K")
        forms = [[tuple(it.limits for it in side.values()) for side in limits]]
        assert has_material(sets, forms).tolist() == [is_it]
    assert counts_in(material_codes(sets))[:, 0].tolist() == [64] + [0] * 9


def test_material_without_wildcards_is_the_key() -> None:
    keys = {*setwise.find("true", positions(), columns=["material_key"])["material_key"].to_pylist()}
    for key in sorted(keys)[:60]:
        assert rows(f"material('{key}', 'white')") == rows(f"material_key = '{key}'") != []


@pytest.mark.parametrize(
    ("call", "message"),
    {
        "material('KR')": r"^material\('KR'\) is not two sides with v between them, as material\('KR\*P\+ v KRP\*'\)$",
        "material('KvKvK')": "is not two sides",
        "material('KXvK')": "'X' is no piece: pieces are K Q R B N P",
        "material('RKvK')": "each side has one king, written first",
        "material('KKvK')": "each side has one king, written first",
        "material('K*vK')": "each side has one king",
        "material('K*')": "is not two sides",
        "material('KvK', 'red')": "^material takes one literal, and 'white' or 'black'",
        "material(fen)": "^material takes one literal",
        "material()": "^material takes one literal",
        "player('')": "^player takes a part of a name",
        "player(white_name)": "^player takes a part of a name",
        "position_key('x') = key": "^position_key: ",
        "position_key() = key": "^position_key takes a FEN",
    }.items(),
)
def test_what_is_no_material_and_no_name(call: str, message: str) -> None:
    with pytest.raises(QueryError, match=message):
        condition_of(call, {})


# ----------------------------------------------------------------------------------------------------- players and keys


def test_a_player_is_a_part_of_a_name_in_any_case() -> None:
    for name in ("morphy", "MORPHY, p", "o'", "ÄÖ"):
        expected = setwise.find("true", GAMES, player=name, columns=["game", "ply"])
        escaped = name.replace("'", "''")
        assert setwise.find(f"player('{escaped}')", GAMES, columns=["game", "ply"]).equals(expected)
    assert setwise.find("player('morphy')", GAMES).num_rows > 50
    assert setwise.find("not player('morphy')", b"1. e4 *").num_rows == 2, "games without names"


def test_the_key_of_a_position() -> None:
    for board in boards()[::97]:
        key = chess.polyglot.zobrist_hash(board)
        same = [number for number, it in enumerate(boards()) if chess.polyglot.zobrist_hash(it) == key]
        assert rows(f"key = position_key('{board.fen()}')") == same != []
