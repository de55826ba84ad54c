"""What the catalogue explains: reasons of formulas, other forms that are equal, steps, names, slips of sources."""

from __future__ import annotations

import ast
import re
import textwrap
from itertools import pairwise

import numpy as np
import pytest

from helpers.depth import depth
from helpers.drawing import difference
from helpers.patterns import EVERY_PATTERN, random_arguments
from helpers.twins import columns, twin_of
from naive.king import COLUMNS as KINGS
from setwise.bitboard import Bitboard
from setwise.catalogue import page, pages
from setwise.catalogue.examples import Step, has_steps, statements_of, steps, stepwise
from setwise.catalogue.lookup import uses
from setwise.catalogue.pages import FORMS, Form
from setwise.cli import main
from setwise.compiler import Pattern, plain
from setwise.errors import QueryError
from setwise.patterns import bits, compass, islands, king, pawns
from setwise.patterns.bits import FILE_A, RANKS
from setwise.patterns.sliders import KING_BITS

PATTERNS = {p.name: p for p in EVERY_PATTERN}
EXPLAINED = [page for page in pages().values() if getattr(page.thing, "__module__", "").startswith("setwise.")]
EXPLAINED = [page for page in EXPLAINED if page.sort in {"pattern", "feature"}]
STEPPED = [page.name for page in EXPLAINED if has_steps(page.name)]
CASES = depth(25, 300)


def cases_of(p: Pattern) -> list[np.ndarray]:
    """Some of the cases that the naive twin is asked, or random ones where there is none."""
    twin = twin_of(p)
    every = columns(p, twin) if twin else random_arguments(p, CASES)
    some = np.linspace(0, every[0].size - 1, CASES).astype(int)
    return [column[some] for column in every]


# ------------------------------------------------------------------------------------------------------------- reasons


def test_every_pattern_and_feature_says_why_it_works() -> None:
    """After the Example of its docstring stands a section ``Why:`` of two or three sentences.

    It says what the formula does to the squares, and why nothing is missed or added.
    """
    assert len(EXPLAINED) > 200
    assert [it.name for it in EXPLAINED if not it.reason] == [], "no reason"
    assert [it.name for it in EXPLAINED if not it.formula] == [], "no formula: the docstring stands above the body"
    assert [it.reason for it in EXPLAINED if not it.reason.endswith(".")] == []
    assert [it.reason for it in EXPLAINED if not 40 < len(it.reason) < 900] == []


def test_a_feature_that_applies_a_pattern_has_its_reason() -> None:
    applied = page("passed_pawns")
    assert applied.why == ""
    assert applied.reason == f"It is `pawns.passed`, applied to this side. {page('pawns.passed').reason}"


def test_what_a_whole_file_has_in_common_is_said_once() -> None:
    assert page("compass.north").why == ""
    assert page("compass.north").reason == page("compass.no_no_ea").reason
    assert (
        page("fills.ray_fill_east").reason != page("fills.ray_fill_west").reason == page("fills.ray_fill_north").reason
    )


# --------------------------------------------------------------------------------------------------------- other forms

EVERY_FORM = [(name, form) for name, forms in FORMS.items() for form in forms if name in PATTERNS]


@pytest.mark.parametrize(("name", "form"), EVERY_FORM, ids=[name for name, _ in EVERY_FORM])
def test_every_form_is_its_pattern(name: str, form: Form) -> None:
    p, evaluated = PATTERNS[name], plain(form.function)
    cases = cases_of(p)
    with np.errstate(over="ignore"):
        found = [evaluated(*row) for row in zip(*(column.astype(np.uint64) for column in cases), strict=True)]
    answers = np.array(found, np.uint64).astype(p.returns.dtype)
    assert not difference(answers, p(*cases), *cases)
    assert np.unique(answers).size > 1


@pytest.mark.parametrize("squares", [0, 1, 0b1011, 0x8100_0000_0000_0081])
def test_the_carry_rippler_gives_all_subsets(squares: int) -> None:
    [form] = FORMS["bits.subsets"]
    with np.errstate(over="ignore"):
        assert plain(form.function)(np.uint64(squares)) == bits.subsets(squares).tolist()


def test_forms_belong_to_pages_and_show_their_source() -> None:
    for name, forms in FORMS.items():
        assert page(name).forms == tuple(forms)
        for form in forms:
            assert form.title
            assert "return " in form.source


def test_the_sources_forms_are_all_there() -> None:
    """Three of island borders with the formula itself, two of knight attacks, a lookup, three of distant checks."""
    assert [len(FORMS[f"islands.{side}_files"]) for side in ("east", "west")] == [3, 3]
    assert len(FORMS["knight.attacks"]) == 3
    assert len(FORMS["king.distant_checks"]) == 3
    assert {"knight.fork_targets", "fills.ray_fill_north", "fills.connected", "islands.count"} <= FORMS.keys()


def test_what_a_formula_names_is_given_or_has_a_page() -> None:
    missing, checked = [], 0
    for shown in EXPLAINED:
        tree = ast.parse(f"def _():\n{textwrap.indent(shown.formula, '    ')}")
        for name in {it.id for it in ast.walk(tree) if isinstance(it, ast.Name) and re.match("_.", it.id)}:
            checked += 1
            if not re.search(rf"^(def {name}\(|{name} = |# on processors with )", shown.helpers, re.MULTILINE):
                missing.append((shown.name, name))
        compile(shown.helpers, shown.name, "exec")
    assert missing == []
    assert checked > 20


#: What processors do in one instruction.
INSTRUCTIONS = {"popcount", "trailing_zeros", "byteswap", "bitreverse"}


def test_no_formula_is_only_a_name() -> None:
    """A formula that is one call shows what is called, or leads to its page; an instruction has another form."""
    bare, calls = [], 0
    for shown in EXPLAINED:
        called = re.fullmatch(r"return (?:\w+\.)?(\w+)\([^()]*\)", shown.formula.strip())
        if called is None:
            continue
        calls += 1
        if called[1] in INSTRUCTIONS:
            explained = bool(shown.forms)
        else:
            explained = bool(re.search(rf"^(def {called[1]}\(|# on processors with )", shown.helpers, re.MULTILINE))
        if not explained and not (called[1] not in INSTRUCTIONS and uses(shown)):
            bare.append(shown.name)
    assert bare == []
    assert calls > 20


@pytest.mark.parametrize("name", [
    "king.attacks", "knight.attacks", "islands.count", "islands.isolated_files", "islands.half_isolated_files",
    "islands.east_files", "islands.west_files", "islands.of_width",
])  # fmt: skip
def test_a_lookup_shows_the_loop_that_fills_its_table(name: str) -> None:
    [lookup] = [form for form in page(name).forms if form.title.startswith("By lookup")]
    assert re.search(r"^for \w+ in range\((64|256)\):\n(    .+\n)* +table\[", lookup.source, re.MULTILINE)


def test_no_page_draws_a_board_twice() -> None:
    """Neither in two statements nor in two steps; only the number or the flag of an answer stands on the last board."""
    for shown in EXPLAINED[:: depth(3, 1)]:
        drawings = [it.drawing for it in statements_of(shown) if it.drawing is not None]
        boards = [(str(it.pieces), str(it.marks), str(it.arguments), str(it.files)) for it in drawings]
        assert len(boards) == len(set(boards)), shown.name
        followed = [step.squares for step, _ in stepwise(shown)]
        if followed and not (shown.thing.returns.is_set or shown.thing.returns.name == "fileset"):
            followed.pop()
        assert all(one != other for one, other in pairwise(followed)), shown.name


def test_helpers_are_those_of_the_form_that_is_shown() -> None:
    assert "def _rook_row(" in page("sliders.rook_attacks").helpers
    assert "NEAR_ROW = 7  # 0b111\n" in page("king.shield_index").helpers
    assert page("compass.north").helpers == ""


# --------------------------------------------------------------------------------------------------------------- steps


@pytest.mark.parametrize("name", STEPPED[:: depth(2, 1)])
def test_the_last_step_is_the_answer_of_the_pattern(name: str) -> None:
    p = PATTERNS[name]
    for row in zip(*(column.tolist() for column in cases_of(p)), strict=True):
        answer = p(*map(int, row))
        *before, last = steps(name, *map(int, row))
        assert all(step.caption and step.answer is None for step in before)
        assert (type(last.answer), last.answer) == (type(answer), answer)
        if p.returns.is_set:
            assert last.squares == answer
        elif p.returns.name == "fileset":
            assert last.squares == islands.files(answer)
        else:
            assert last.caption.endswith((f": {answer}", ": yes" if answer is True else ": no"))


def test_what_has_steps_is_drawn_with_its_example() -> None:
    assert len(STEPPED) > 40
    assert {"fills.flood", "fills.shortest_paths", "islands.east_files", "race.catchable"} <= set(STEPPED)
    assert {"knight.reach", "knight.fork_targets", "king.distant_checks", "king.attacks"} <= set(STEPPED)
    undrawn = [name for name in STEPPED if len(stepwise(page(name))) < 2]
    assert undrawn == []


def test_every_round_of_a_fill_is_a_step() -> None:
    six = steps("knight.reach", Bitboard("a1"), 6)
    assert [len(step.squares) for step in six] == [3, 12, 32, 53, 63, 64]
    assert {step.caption for step in six} == {"one move more"}
    assert [len(step.squares) for step in steps("fills.flood", Bitboard("a1"), RANKS[0])] == [1, 2, 3, 4, 5, 6, 7, 8]


def test_the_square_of_the_pawn_grows_by_a_file_a_rank() -> None:
    seen = [step.squares for step in steps("race.catchable", Bitboard("g5"), False)]
    assert [len(squares) for squares in seen[1:7]] == [5, 15, 20, 25, 29, 32]
    assert seen[-1] == Bitboard("d5 e5 f5 g5 h5 c4 d4 e4 f4 g4 h4 b3 c3 d3 e3 f3 g3 h3 b2 c2 d2 e2 f2 g2 h2")


def test_islands_are_found_by_xor_step_by_step() -> None:
    """White's pawns of the published example: a b c f g h."""
    rows = [Bitboard(step.squares & 0xFF).names() for step in steps("islands.west_files", 0b1110_0111)]
    assert rows == [["b1", "c1", "d1", "g1", "h1"], ["a1", "d1", "f1"], ["a1", "f1"]]


def test_left_out_sets_are_empty_and_what_is_wrong_is_refused() -> None:
    assert steps("bits.twice", Bitboard("a1 b2"), Bitboard("b2"))[-1].squares == Bitboard("b2")
    assert steps("squaresAreConnected", 1, 2, 3)[-1] == Step(
        "is the other end met: yes", Bitboard("a1 b1"), True, is_number=True
    )
    with pytest.raises(QueryError, match=r"compass\.north has no steps to show"):
        steps("compass.north", 1)
    with pytest.raises(QueryError, match="did you mean"):
        steps("fills.floood", 1)
    with pytest.raises(TypeError, match="of one board, not of an array"):
        steps("fills.flood", np.array([1], np.uint64), 1)
    with pytest.raises(ValueError, match="out of range"):
        steps("fills.flood", -1, 1)
    with pytest.raises(TypeError, match="takes 2 arguments"):
        steps("fills.flood", 1, 1, 1)


# --------------------------------------------------------------------------------------------------------------- names


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("arrCaughtableArea", "race.CATCHABLE"),
        ("rule of the square", "race.catchable"),
        ("unCaughtable", "race.unstoppable"),
        ("dirSet", "king.distant_checks"),
        ("kingBits", "sliders.KING_BITS"),
        ("moveTargets", "king.escapes"),
        ("arrKingAttacks", "king.ATTACKS"),
        ("Moore neighbourhood", "king.attacks"),
        ("squaresAreConnected", "fills.connected"),
        ("allShortestPaths", "fills.shortest_paths"),
        ("forkTargetSquare", "knight.fork_targets"),
        ("family check", "royal_fork_squares"),
        ("knightFill", "knight.fill"),
        ("arrKnightAttacks", "knight.ATTACKS"),
        ("knightAttacks()", "knight.attacks"),
        ("noNoEa", "compass.no_no_ea"),
        ("nortOne", "compass.north"),
        ("islandsEastFiles", "islands.east_files"),
        ("Kogge-Stone", "fills.north_occluded"),
        ("Dumb7Fill", "fills.ray_fill_north"),
        ("nortOccl", "fills.north_occluded"),
        ("eastOccl", "fills.east_occluded"),
        ("soWeOccl", "fills.south_west_occluded"),
        ("carry-rippler", "bits.subsets"),
        ("greater one sets", "bits.twice"),
        ("popcount", "bits.count"),
        ("o^(o-2r)", "fills.ray_fill_east"),
        ("wPassedPawns", "pawns.passed"),
        ("isolani", "pawns.isolated"),
        ("pawn-shield pattern", "king.shield_mask"),
        ("Fork Targets", "knight.fork_targets"),
    ],
)
def test_everybodys_names_lead_there(said: str, meant: str) -> None:
    assert page(said).name == meant


def test_no_name_leads_to_two_things() -> None:
    assert sum(len(page.names) for page in pages().values()) > 200
    for shown in pages().values():
        assert len(set(shown.names)) == len(shown.names)
        for name in shown.names:
            assert page(name).name == shown.name, name


def test_words_of_python_chess_are_told_their_way() -> None:
    with pytest.raises(QueryError, match=r"'is_pinned' is a word of python-chess: setwise\.lines\.pinned"):
        page("is_pinned")
    with pytest.raises(QueryError, match="'SQUARE_NAMES' is a word of python-chess"):
        page("SQUARE_NAMES")


def test_an_unknown_word_is_answered_with_near_ones() -> None:
    with pytest.raises(QueryError, match=r"did you mean .*arrCaughtableArea"):
        page("arrCatchableArea")
    with pytest.raises(QueryError, match="'zugzwang'; `setwise patterns` lists them"):
        page("zugzwang")


# --------------------------------------------------------------------------------------------------- slips of sources


def test_distant_checks_as_published_are_wrong_in_c() -> None:
    """`pattern & rankBits[sq] == pattern` compares first: what is left of the pattern is its last bit, a1."""
    kings, taboo = KINGS["king"], KINGS["taboo"]
    squares = bits.lowest(kings)
    escapes = king.attacks(kings) & ~taboo | kings
    as_c_reads = sum((escapes & (KING_BITS[line, squares] == escapes)) << np.uint64(line) for line in range(4))
    meant = sum(
        ((escapes & KING_BITS[line, squares]) == escapes).astype(np.uint64) << np.uint64(line) for line in range(4)
    )
    assert not difference(meant, king.distant_checks(kings, taboo).astype(np.uint64), kings, taboo)
    assert kings[as_c_reads != 0].tolist() == [1]  # the king on a1 without an escape, and that one by chance
    assert np.count_nonzero(meant) > 600
    assert "parentheses" in page("dirSet").slips


def test_a_shift_by_seven_is_north_west() -> None:
    b1 = np.uint64(1 << 1)
    assert Bitboard(int(b1 << np.uint64(7))) == compass.north_west(Bitboard("b1")) == Bitboard("a2")
    assert "north-west" in page("compass.north_west").slips


def test_captures_wrap_from_the_other_edge_than_published() -> None:
    """A mask of the rank that is captured on saves a pawn alone; pawns of several ranks need masks of files."""
    a4, h3 = np.uint64(Bitboard("a4")), np.uint64(Bitboard("h3"))
    seven, nine = np.uint64(7), np.uint64(9)
    assert Bitboard(int(a4 << seven)) == Bitboard("h4")
    assert Bitboard(int(h3 << nine)) == Bitboard("a5")
    assert int(a4 << seven & RANKS[4]) == int(h3 << nine & RANKS[3]) == 0
    both = RANKS[3] | RANKS[4]
    assert int((a4 | h3) << nine & both) != pawns.east_attacks(int(a4 | h3))
    assert "rank captured on" in page("pawns.east_attacks").slips


@pytest.mark.parametrize("name", ["race.catchable", "fills.shortest_paths", "islands.half_isolated_files", "dirSet"])
def test_slips_stand_on_their_pages(name: str) -> None:
    assert len(page(name).slips) > 60


def test_the_published_half_isolated_files_hold_isolated_ones() -> None:
    files = np.arange(256, dtype=np.uint8)
    published = islands.east_files(files) | islands.west_files(files)
    assert np.array_equal(published & ~islands.isolated_files(files), islands.half_isolated_files(files))
    assert (published != islands.half_isolated_files(files)).any()


# --------------------------------------------------------------------------------------------------------- the command


def explained(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    with pytest.raises(SystemExit) as leaving:
        main(["explain", *words])
    captured = capsys.readouterr()
    assert leaving.value.code == 0, captured.err
    return captured.out


def test_explain_tells_all(capsys: pytest.CaptureFixture[str]) -> None:
    told = explained(capsys, "rule", "of", "the", "square")
    headings = [line for line in told.splitlines() if line.endswith(":") and not line.startswith(" ")]
    assert [heading[:-1] for heading in headings] == [
        "Arguments", "Formula", "Where", "Builds on", "Why it works", "Proved", "Example", "Step by step",
        "Traps", "Slips of the source", "Source",
    ]  # fmt: skip
    assert "Also called: caughtable, rule of the square" in told
    assert "54 pairs of king and pawn" in told


def test_explain_draws_steps_side_by_side(capsys: pytest.CaptureFixture[str]) -> None:
    told = explained(capsys, "islands.east_files")
    assert "Other forms:\n    By the changes between neighbours, those inside the fileset alone:" in told
    steps_of_files = (
        "    1 1 . . 1 1 1 .                  . . 1 . 1 . . 1                  . . 1 . . . . 1\n"
        "    a b c d e f g h                  a b c d e f g h                  a b c d e f g h\n"
    )
    assert steps_of_files in told
    assert "    files       1 1 1 . . 1 1 1\n    east_files  . . 1 . . . . 1\n                a b c d e f g h\n" in told


def test_explain_of_the_file_fills_shows_full_files() -> None:
    assert steps("islands.fileset", Bitboard("a2 b3"))[-1].squares == Bitboard(0b11 * int(FILE_A))
