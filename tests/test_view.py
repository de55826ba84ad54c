"""What is drawn stands where it should, and what is drawn of a set can be pasted back."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import documentation
from setwise.bitboard import FILE_NAMES, SQUARE_NAMES, Bitboard
from setwise.patterns import islands
from setwise.view import board_svg, draw, svg, text
from setwise.view.diagram import MOST_SETS

SVG = "{http://www.w3.org/2000/svg}"
BRACKETS = ["[]", "()", "{}", "<>", "||", "!!"]
FIGURES = dict(zip("KQRBNPkqrbnp.", "♔♕♖♗♘♙♚♛♜♝♞♟·", strict=True))
START = "RNBQKBNR" + "P" * 8 + "." * 32 + "p" * 8 + "rnbqkbnr"

boards = st.lists(st.sampled_from(".......PNBRQKpnbrqk"), min_size=64, max_size=64).map("".join)
sets = st.integers(0, 2**64 - 1).map(Bitboard)
sparse = st.frozensets(st.integers(0, 63), max_size=12).map(Bitboard)
named = st.lists(sparse, min_size=1, max_size=MOST_SETS).map(lambda many: {f"set {k}": s for k, s in enumerate(many)})
flags = st.booleans()
styles = st.fixed_dictionaries({"color": flags, "unicode": flags, "coordinates": flags})
edges = st.fixed_dictionaries({"coordinates": flags})

Style = dict[str, Any]


def holders(square: int, marks: dict[str, Bitboard]) -> list[int]:
    return [number for number, squares in enumerate(marks.values()) if squares >> square & 1]


def cells(drawing: str) -> list[str]:
    """The 64 cells of a drawing with coordinates, from a1, cut where the file letters are centred."""
    lines = drawing.splitlines()
    centres = [lines[8].index(letter) for letter in FILE_NAMES]
    pitch = centres[1] - centres[0]
    assert [line[0] for line in lines[:8]] == list("87654321")
    rows = [line.ljust(80) for line in reversed(lines[:8])]
    return [row[at - (pitch - 1) // 2 : at + (pitch - 1) // 2 + 1] for row in rows for at in centres]


def painted(drawing: str) -> list[list[tuple[str, int | None]]]:
    """The lines of a coloured drawing as characters with their background colours."""
    lines = []
    for line in drawing.splitlines():
        ground, characters = None, []
        for code, character in re.findall(r"\x1b\[([0-9;]*)m|(.)", line):
            if character:
                characters.append((character, ground))
            else:
                found = re.search(r"48;5;(\d+)", code)
                ground = int(found[1]) if found else None
        lines.append(characters)
    return lines


# ----------------------------------------------------------------------------------------------------------------- text


@given(sets, styles, st.sampled_from(["", "squares of interest"]))
def test_parse_reads_any_drawing_of_a_set(squares: Bitboard, style: Style, name: str) -> None:
    assert Bitboard.parse(draw(marks={name: squares}, **style)) == squares


@given(boards, styles)
def test_parse_reads_the_occupied_squares_of_a_drawn_position(pieces: str, style: Style) -> None:
    assert Bitboard.parse(draw(pieces, **style)) == Bitboard(square for square in range(64) if pieces[square] != ".")


@pytest.mark.parametrize("unicode", [False, True])
@given(boards, named)
def test_brackets_stand_around_the_pieces_of_marked_squares(
    unicode: Any, pieces: str, marks: dict[str, Bitboard]
) -> None:
    drawing = draw(pieces, marks, color=False, unicode=unicode)
    for square, cell in enumerate(cells(drawing)):
        expected = FIGURES[pieces[square]] if unicode else pieces[square]
        for number in reversed(holders(square, marks)):
            expected = BRACKETS[number][0] + expected + BRACKETS[number][1]
        assert cell.strip() == expected


@given(boards, named)
def test_backgrounds_are_the_colours_of_sets(pieces: str, marks: dict[str, Bitboard]) -> None:
    lines = painted(draw(pieces, marks, color=True, unicode=False))
    width = (len(lines[0]) - 2) // 8
    for square in range(64):
        start = 2 + width * (square % 8)
        cell = lines[7 - square // 8][start : start + width]
        dark = (square // 8 + square % 8) % 2 == 0
        grounds = [text._MARKS[number][dark] for number in holders(square, marks)] or [text._SQUARES[dark]]
        assert list(dict.fromkeys(ground for _, ground in cell)) == grounds
        assert [character for character, _ in cell] == list(pieces[square].center(width))


def test_the_colours_of_squares_and_sets_differ() -> None:
    lines = painted(draw(color=True, unicode=False))
    assert lines[7][2][1] == lines[0][-1][1] == text._SQUARES[1] != lines[7][-1][1]
    colours = [*text._SQUARES, *text._LAST_MOVE, *(colour for pair in text._MARKS for colour in pair)]
    assert len(set(colours)) == len(colours)


@given(boards, named, styles)
def test_from_black_s_side_the_same_board_is_turned(pieces: str, marks: dict[str, Bitboard], style: Style) -> None:
    style = style | {"coordinates": False}
    seen = painted(draw(pieces, marks, **style, side="black"))[:8]
    turned = painted(draw(pieces[::-1], {name: turned_round(it) for name, it in marks.items()}, **style))[:8]
    assert seen == turned


def turned_round(squares: Bitboard) -> Bitboard:
    return Bitboard(63 - square for square in squares)


@given(sets, styles.map(lambda style: style | {"coordinates": True}))
def test_parse_reads_what_black_sees(squares: Bitboard, style: Style) -> None:
    assert Bitboard.parse(draw(marks=squares, **style, side="black")) == squares


@given(boards, sparse, sparse)
def test_the_last_move_has_a_colour_where_no_set_has(pieces: str, squares: Bitboard, moved: Bitboard) -> None:
    style: Style = {"color": True, "unicode": False}
    plain, shown = (painted(draw(pieces, {"set": squares}, **style, last_move=last)) for last in (None, moved))
    changed = Bitboard(
        square
        for square in range(64)
        if plain[7 - square // 8][2 + 3 * (square % 8)] != shown[7 - square // 8][2 + 3 * (square % 8)]
    )
    assert changed == moved - squares


@given(boards, named, styles)
def test_no_line_has_blanks_at_its_end(pieces: str, marks: dict[str, Bitboard], style: Style) -> None:
    drawing = draw(pieces, marks, **style)
    assert all(line == line.rstrip() for line in drawing.splitlines())


@given(boards, named, styles)
def test_without_coordinates_the_same_board_is_drawn(pieces: str, marks: dict[str, Bitboard], style: Style) -> None:
    full, bare = (draw(pieces, marks, **style | {"coordinates": edge}).splitlines() for edge in (True, False))
    assert [line[2:] for line in full[:8]] == bare[:8]
    assert full[9:] == bare[8:]


def test_the_legend_tells_of_each_set() -> None:
    drawing = draw(START, {"centre": "d4 e4 d5 e5", "all": ~Bitboard(), "none": 0}, color=False, unicode=False)
    assert drawing.splitlines()[9:] == ["", "[] centre: d4 e4 d5 e5", "() all: 64 squares", "{} none: none"]


def test_the_legend_has_the_colours_of_light_squares() -> None:
    lines = painted(draw(START, {"one": "b1", "two": "d1"}, color=True, unicode=True))
    assert [lines[10][0][1], lines[11][0][1]] == [lines[7][2 + 3][1], lines[7][2 + 9][1]]


def test_a_set_without_a_name_needs_no_legend() -> None:
    assert len(draw(marks=Bitboard("a1"), color=False, unicode=False).splitlines()) == 9


def test_a_position_with_two_sets_looks_so() -> None:
    pieces = {"e8": "k", "a8": "r", "d5": "N", "g1": "K"}
    marks = {"forks": "c7", "attacks": "c7 e7 f6 f4 e3 c3 b4 b6"}
    assert (
        "\n" + draw(pieces, marks, color=False, unicode=True)
        == """
8   ♜    ·    ·    ·    ♚    ·    ·    ·
7   ·    ·  [(·)]  ·   (·)   ·    ·    ·
6   ·   (·)   ·    ·    ·   (·)   ·    ·
5   ·    ·    ·    ♘    ·    ·    ·    ·
4   ·   (·)   ·    ·    ·   (·)   ·    ·
3   ·    ·   (·)   ·   (·)   ·    ·    ·
2   ·    ·    ·    ·    ·    ·    ·    ·
1   ·    ·    ·    ·    ·    ·    ♔    ·
    a    b    c    d    e    f    g    h

[] forks: c7
() attacks: c3 e3 b4 f4 b6 f6 c7 e7"""
    )


# ------------------------------------------------------------------------------------------------------------------ SVG


def picture(document: str) -> ET.Element:
    return ET.fromstring(document)  # noqa: S314


def place(element: ET.Element) -> tuple[int, int]:
    found = re.match(r"translate\((-?\d+) (-?\d+)\)", element.get("transform", ""))
    assert found
    return int(found[1]), int(found[2])


def corner(square: int) -> tuple[int, int]:
    return 100 * (square % 8), 100 * (7 - square // 8)


@given(boards, named, edges)
def test_the_shapes_of_a_set_stand_on_its_squares(pieces: str, marks: dict[str, Bitboard], edge: Style) -> None:
    root = picture(board_svg(pieces, marks, **edge))
    groups = {
        group.findtext(f"{SVG}title"): group
        for group in root.findall(f"{SVG}g")
        if group.find(f"{SVG}title") is not None
    }
    assert set(groups) == set(marks)
    for name, squares in marks.items():
        assert [place(shape) for shape in groups[name].findall(f"{SVG}path")] == [corner(square) for square in squares]


@given(boards)
def test_each_piece_stands_within_its_square(pieces: str) -> None:
    root = picture(board_svg(pieces, coordinates=False))
    outlines = {drawn["outline"]: kind for kind, drawn in svg._drawings().items()}
    found = {}
    for group in root.findall(f"{SVG}g"):
        x, y = place(group)
        kind = outlines[group.find(f"{SVG}path").get("d")]  # type: ignore[union-attr]
        square = (x + 50) // 100 + 8 * (7 - (y + 50) // 100)
        found[square] = kind.upper() if group.get("fill") == "#ffffff" else kind
    assert "".join(found.get(square, ".") for square in range(64)) == pieces


def test_coordinates_stand_by_their_files_and_ranks() -> None:
    root = picture(board_svg())
    labels = {label.text: (int(label.get("x", "")), int(label.get("y", ""))) for label in root.iter(f"{SVG}text")}
    assert set(labels) == set("abcdefgh12345678")
    for square, (file, rank) in enumerate(SQUARE_NAMES):
        x, y = corner(square)
        assert x < labels[file][0] < x + 100
        assert y < labels[rank][1] < y + 100


def test_dark_squares_of_the_svg_are_dark() -> None:
    root = picture(board_svg())
    dark = root.findall(f"{SVG}path")[1].get("d", "")
    corners = {(int(x), int(y)) for x, y in re.findall(r"M(\d+) (\d+)", dark)}
    assert corners == {corner(square) for square in range(64) if (square // 8 + square % 8) % 2 == 0}


@given(boards, named, edges)
def test_everything_drawn_lies_within_the_picture(pieces: str, marks: dict[str, Bitboard], edge: Style) -> None:
    root = picture(board_svg(pieces, marks, **edge, size=500))
    left, top, width, height = (float(number) for number in root.get("viewBox", "").split())
    assert float(root.get("width", "")) == 500
    assert float(root.get("height", "")) == pytest.approx(500 * height / width, rel=1e-4)
    assert left <= -1
    assert top <= -1
    assert left + width >= 801
    assert top + height >= 801
    for label in root.iter(f"{SVG}text"):
        assert left < float(label.get("x", "")) < left + width
        assert top < float(label.get("y", "")) < top + height


@given(boards, named, sparse)
def test_from_black_s_side_the_picture_is_turned(pieces: str, marks: dict[str, Bitboard], moved: Bitboard) -> None:
    white = picture(board_svg(pieces, marks, last_move=moved))
    black = picture(board_svg(pieces, marks, last_move=moved, side="black"))
    ends = [sorted(place(it) for it in root.iter() if it.get("transform")) for root in (white, black)]
    drawn = [[at for at in places if at[1] <= 700] for places in ends]
    assert len(drawn[0]) == len(drawn[1])
    for at in marks.values():
        for square in at:
            assert corner(square) in drawn[0]
            assert corner(63 - square) in drawn[1]
    labels = {label.text: (int(label.get("x", "")), int(label.get("y", ""))) for label in black.iter(f"{SVG}text")}
    assert corner(63)[0] < labels["a"][0] < corner(63)[0] + 100
    assert corner(63 - 8 * 7)[1] < labels["8"][1] < corner(63 - 8 * 7)[1] + 100


@given(st.integers(0, 63), st.integers(0, 63), st.sampled_from(["white", "black"]))
def test_an_arrow_leads_from_square_to_square(start: int, end: int, side: str) -> None:
    move = SQUARE_NAMES[start] + SQUARE_NAMES[end]
    if start == end:
        with pytest.raises(ValueError, match="from one square to another"):
            board_svg(arrows=[move])
        return
    [arrow] = [it for it in picture(board_svg(arrows=[move], side=side)).iter() if "rotate" in it.get("transform", "")]
    x, y = place(arrow)
    degrees = float(re.search(r"rotate\(([-.\de]+)\)", arrow.get("transform", ""))[1])  # type: ignore[index]
    length = max(float(number) for number in re.findall(r"[-.\d]+", arrow.get("d", "")))
    tip = x + length * math.cos(math.radians(degrees)), y + length * math.sin(math.radians(degrees))
    seen = (lambda square: 63 - square) if side == "black" else (lambda square: square)
    for point, square in (((x, y), start), (tip, end)):
        left, top = corner(seen(square))
        assert left < point[0] < left + 100
        assert top < point[1] < top + 100


def test_the_picture_is_told_in_words() -> None:
    root = picture(board_svg({"e1": "K", "a1": "R", "h1": "R", "e8": "k"}, {"checks": "e4"}))
    assert root.get("role") == "img"
    assert [child.tag for child in root][:2] == [f"{SVG}title", f"{SVG}desc"]
    assert root.findtext(f"{SVG}title") == "checks"
    assert root.findtext(f"{SVG}desc") == "White: king e1, rook a1 h1. Black: king e8. checks: e4."


@given(st.text(), st.text())
def test_any_name_and_title_make_well_formed_xml(name: str, title: str) -> None:
    root = picture(board_svg(START, {name: "e4"}, title=title))
    assert root.findtext(f"{SVG}title")


def test_titles_and_names_are_escaped_not_dropped() -> None:
    root = picture(board_svg(marks={"a < b & c": 1}, title='"<script>"'))
    assert root.findtext(f"{SVG}title") == '"<script>"'
    assert "a < b & c" in [label.text for label in root.iter(f"{SVG}text")]


def test_each_set_has_its_own_colour_and_shape() -> None:
    assert len({colour for colour, _, _ in svg.MARKS}) == len({path for *_, path in svg.MARKS}) == MOST_SETS
    assert len(text._MARKS) == len(text._BRACKETS) == MOST_SETS


def test_a_notebook_draws_a_bitboard() -> None:
    assert Bitboard("a1 h8")._repr_svg_() == board_svg(marks=Bitboard("a1 h8"))


# --------------------------------------------------------------------------------------------------------------- errors


def plain(*args: Any, **given: Any) -> str:
    return draw(*args, **given, color=False, unicode=False)


@pytest.mark.parametrize("show", [plain, board_svg])
@pytest.mark.parametrize(
    ("pieces", "marks", "error", "message"),
    [
        ("", None, ValueError, "64 characters, a1 b1 … h8, with '.' for an empty square; here are 0"),
        (START[:-1] + "x", None, ValueError, "'x' on h8 is not a piece: use PNBRQK, pnbrqk or '.'"),
        ([5] * 64, None, ValueError, "5 on a1 is not a piece"),
        ({"j1": "K"}, None, ValueError, "'j1' is not a square; squares are named a1 to h8"),
        ({64: "K"}, None, ValueError, r"from 0 \(a1\) to 63 \(h8\), not 64"),
        (7, None, TypeError, "64 characters or a mapping of squares to pieces, not int"),
        (None, 2**64, ValueError, "64 bits: 0x10000000000000000 is too large"),
        (None, {"forks": 2**64}, ValueError, "mark 'forks': a Bitboard has 64 bits: 0x10000000000000000 is too"),
        (None, {"forks": 0.5}, TypeError, "mark 'forks': a Bitboard is made from an int, names of squares or squares"),
        (None, {str(k): 0 for k in range(7)}, ValueError, "up to 6 sets, not 7: draw a second board"),
    ],
)
def test_errors_say_what_to_do(
    show: Callable[..., str], pieces: Any, marks: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        show(pieces, marks)


@pytest.mark.parametrize("show", [plain, board_svg])
def test_a_side_is_white_or_black(show: Callable[..., str]) -> None:
    with pytest.raises(ValueError, match="the side that is below is 'white' or 'black', not 'north'"):
        show(START, side="north")


@pytest.mark.parametrize("size", [0, -5, float("nan"), float("inf")])
def test_a_size_is_a_positive_number(size: float) -> None:
    with pytest.raises(ValueError, match="size is the width in pixels, a positive number"):
        board_svg(size=size)


# ------------------------------------------------------------------------------------------------------------ filesets

filesets = st.dictionaries(st.text("abc_", min_size=1, max_size=9), st.integers(0, 255), min_size=1, max_size=4)


@given(filesets, flags, flags)
def test_a_file_is_marked_above_its_letter(files: dict[str, int], color: bool, unicode: bool) -> None:
    *rows, letters = re.sub("\x1b[^m]*m", "", text.draw_files(files, color=color, unicode=unicode)).split("\n")
    assert "".join(letters.split()) == FILE_NAMES
    for (name, word), row in zip(files.items(), rows, strict=True):
        assert row.startswith(f"{name} ")
        marked = {letters[at] for at, it in enumerate(row) if it in "1●" and at > len(name)}
        assert marked == {name[0] for name in islands.files(word).names()}


@given(filesets)
def test_the_picture_of_filesets_has_a_square_for_each_file(files: dict[str, int]) -> None:
    picture = ET.fromstring(documentation.filesets.files_svg(files))  # noqa: S314  (our own)
    rows = picture.findall(f"{SVG}g/{SVG}g")
    shown = [[int(it.get("transform", "")[10:-3]) // 100 for it in row] for row in rows]
    assert shown == [[at for at in range(8) if word >> at & 1] for word in files.values()]
    words = (picture.findtext(f"{SVG}desc") or "").rstrip(".").split(". ")
    assert words == [
        f"{name}: {' '.join(FILE_NAMES[at] for at in marked) or 'none'}"
        for name, marked in zip(files, shown, strict=True)
    ]
