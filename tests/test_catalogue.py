"""The catalogue finds everything that is public, says what the docstrings say, and shows what the code answers."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from helpers.patterns import patterns_of
from setwise.bitboard import Bitboard
from setwise.catalogue import page, pages, topics
from setwise.catalogue.examples import executed, statements_of
from setwise.catalogue.lookup import used_by, uses
from setwise.catalogue.pages import sections
from setwise.catalogue.warmup import entries
from setwise.cli import main
from setwise.compiler import PATTERNS as DEFINITIONS
from setwise.compiler import Pattern, Set, pattern
from setwise.compiler.kinds import of_section
from setwise.errors import QueryError
from setwise.features import FEATURES
from setwise.patterns import TECHNIQUES, knight, mates
from setwise.patterns.bits import EMPTY
from setwise.patterns.compass import north
from setwise.view import draw

PATTERNS = {name: page for name, page in pages().items() if page.sort == "pattern"}
SENTENCES = [page for page in pages().values() if page.sort != "table"]
#: What has a formula and an example.
SHOWN = [*PATTERNS.values(), *topics()["features"].pages]


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What the command prints when all is well."""
    with pytest.raises(SystemExit) as leaving:
        main(list(arguments))
    captured = capsys.readouterr()
    assert leaving.value.code == 0, captured.err
    return captured.out


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The one sentence on standard error with which the command refuses."""
    with pytest.raises(SystemExit) as leaving:
        main(list(arguments))
    captured = capsys.readouterr()
    assert (leaving.value.code, captured.out) == (2, "")
    assert captured.err.count("\n") == 1
    return captured.err


# ------------------------------------------------------------------------------------------------- nothing is forgotten


def test_every_public_pattern_and_every_feature_has_a_page() -> None:
    public = {name for name, entry in entries().items() if isinstance(entry, Pattern) and name.count(".") == 1}
    public |= {p.name for topic in TECHNIQUES for p in patterns_of(topic)}
    assert PATTERNS.keys() == {name for name in public if not name.rpartition(".")[2].startswith("_")}
    assert [page.name for page in topics()["features"].pages] == list(FEATURES)


def test_features_come_after_all_topics() -> None:
    assert {"compass", "fills", "islands", "king", "knight", "lines", "pawns", "race", "sliders"} < topics().keys()
    assert list(topics())[-1] == "features"


def test_every_page_has_a_sentence_and_a_source() -> None:
    assert len(SENTENCES) > 250
    assert [it.name for it in SENTENCES if not re.fullmatch(r"Return .+\.", it.summary)] == []
    sourced = (it for it in SENTENCES if it.sort != "function" and it.topic != "bits")
    assert [it.name for it in sourced if not it.source.endswith(".")] == []


def test_every_pattern_and_feature_shows_its_formula() -> None:
    assert [it.name for it in SHOWN if "return " not in it.formula or '"""' in it.formula] == []


def test_every_argument_is_explained() -> None:
    arguments = [(it, argument) for it in PATTERNS.values() if it.topic != "bits" for argument in it.arguments]
    assert [(it.name, argument.name) for it, argument in arguments if not argument.meaning] == []
    named = ((it, [argument.name for argument in it.arguments]) for it in PATTERNS.values())
    assert [(it.name, names) for it, names in named if names != list(it.thing.kinds)] == []


def test_arguments_that_mean_the_same_in_a_section_of_a_file_are_explained_before_it() -> None:
    assert "    king: square of the enemy king, the mated one, a set.\n" in of_section(mates.boden.function)
    shown = pages()["mates.boden"]
    assert shown.arguments[0].meaning == "square of the enemy king, the mated one, a set."
    headings = re.findall(r"^(\w+):$", mates.boden.__doc__ or "", re.MULTILINE)
    assert headings == ["Args", "Example", "Why", "Traps", "Names", "Source"]


def test_every_table_is_explained() -> None:
    tables = [it for it in pages().values() if it.sort == "table"]
    assert len(tables) > 20
    wrong = (it for it in tables if not it.summary.endswith(".") and not it.summary.startswith(it.bare_name))
    assert [it.name for it in wrong] == []


# ----------------------------------------------------------------------------------------------- examples are computed


def test_every_pattern_and_feature_is_drawn() -> None:
    undrawn = []
    for it in SHOWN:
        drawings = [step.drawing for step in statements_of(it) if step.drawing is not None]
        texts = [draw(drawing.pieces, drawing.marks, color=False, unicode=False) for drawing in drawings]
        if not all(texts) or not (texts or it.topic == "bits"):
            undrawn.append(it.name)
    assert undrawn == []


def test_a_drawing_shows_the_answer_and_the_arguments() -> None:
    [step] = statements_of(page("knight.fork_targets"))
    assert step.drawing is not None
    assert step.drawing.marks == {"fork_targets": Bitboard("b6 f6 c7"), "targets": Bitboard("a8 e8 h8 d5")}
    [step] = statements_of(page("knight.attacks"))
    assert step.drawing is not None
    assert step.drawing.pieces == {27: "N"}


def test_what_is_shown_is_computed_not_pasted() -> None:
    lying = page("knight.attacks")._replace(example='>>> knight.attacks(Bitboard("a1"))\nBitboard("h8")')
    [step] = statements_of(lying)
    assert step.answer == "Bitboard('c2 b3')"
    assert step.drawing is not None
    assert step.drawing.marks == {"attacks": Bitboard("c2 b3")}


def test_a_features_own_example_is_drawn() -> None:
    example = '>>> setwise.Position("4k3/8/8/1N6/8/8/8/r3K3 w - - 0 1").feature("white_checkers")'
    [step] = statements_of(page("checkers")._replace(example=example))
    assert step.drawing is not None
    assert step.drawing.pieces == {0: "r", 4: "K", 33: "N", 60: "k"}
    assert step.drawing.marks == {"white_checkers": Bitboard(0)}


def test_an_argument_given_by_name_is_drawn_like_others() -> None:
    example = '>>> knight.reach(Bitboard("a1"), 1, avoid=Bitboard("c2"))'
    [step] = statements_of(page("knight.reach")._replace(example=example))
    assert step.drawing is not None
    assert step.drawing.marks == {"reach": Bitboard("a1 b3"), "avoid": Bitboard("c2")}


def test_large_sets_are_drawn_by_what_they_lack() -> None:
    [step] = statements_of(page("pawns.single_pushes"))
    assert step.drawing is not None
    assert step.drawing.marks["not empty"] == Bitboard("a2 e4 e5")


def test_errors_in_examples_are_shown_as_raised() -> None:
    failing = ">>> knight.attacks(-1)\nTraceback (most recent call last):\n    ...\nValueError: anything"
    [done] = executed(failing, {"knight": knight})
    assert done.answer.startswith("ValueError: knights of knight.attacks")


def test_both_sides_of_a_feature_stand_on_one_board() -> None:
    *_, last = statements_of(page("hanging"))
    assert last.drawing is not None
    assert last.drawing.marks.keys() == {"white_hanging", "black_hanging"}
    assert [step.drawing for step in statements_of(page("hanging"))[:-1]] == [None, None]


def test_an_entry_of_a_table_is_drawn() -> None:
    [step] = statements_of(page("king.ATTACKS"))
    assert (step.source, step.answer) == ("king.ATTACKS[27]", "0x1c141c0000")
    assert step.drawing is not None
    assert step.drawing.marks == {"king.ATTACKS[27]": Bitboard("c3 d3 e3 c4 e4 c5 d5 e5"), "d4": Bitboard("d4")}


# ---------------------------------------------------------------------------------------------------------- docstrings

DOCSTRING = """Return nothing much.

    It has a definition.

    Args:
        first: what comes first,
            told on two lines.
        second: what comes then.

    Traps:
        Note: a colon inside.

    Source: Somebody,
        somewhere.
    """


def test_a_docstring_falls_into_its_sections() -> None:
    assert sections(DOCSTRING) == {
        "": "Return nothing much.\n\nIt has a definition.",
        "Args": "first: what comes first,\n    told on two lines.\nsecond: what comes then.",
        "Traps": "Note: a colon inside.",
        "Source": "Somebody,\n    somewhere.",
    }


def test_names_that_share_a_comment_get_what_is_theirs() -> None:
    assert page("islands.COUNT").summary == "COUNT[fileset]: the number of islands"
    assert page("islands.ISOLATED").summary == "ISOLATED[fileset]: the islands one file wide."


# --------------------------------------------------------------------------------------------------------------- names


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("knight.fork_targets", "knight.fork_targets"),
        ("setwise.knight.fork_targets", "knight.fork_targets"),
        ("fork_targets", "knight.fork_targets"),
        ("fork_squares", "fork_squares"),
        ("white_fork_squares", "fork_squares"),
        ("black_pawn_islands", "pawn_islands"),
        ("features.forks.fork_squares", "fork_squares"),
        ("king.ATTACKS", "king.ATTACKS"),
        ("CATCHABLE", "race.CATCHABLE"),
        ("white_elo", "white_elo"),
        ("attacks", "attacks"),
        ("Anastasia's mate", "mates.anastasia"),
        ("smothered mate", "mates.smothered"),
        ("Reti's mate", "mates.reti"),
        ("back rank mate", "mates.back_rank"),
        ("swallowstailMate", "mates.swallowtail"),
        ("guéridon", "mates.swallowtail"),
    ],
)
def test_pages_are_found_by_every_usual_name(name: str, meant: str) -> None:
    assert page(name).name == meant


def test_a_name_of_two_things_is_refused_with_both() -> None:
    with pytest.raises(QueryError, match=r"'Catches' may be knight\.CATCHES or knight\.catches"):
        page("Catches")


@pytest.mark.parametrize(
    ("name", "near"),
    [("knight.fork_target", "knight.fork_targets"), ("fork_sqares", "fork_squares"), ("isolatd", "isolated")],
)
def test_an_unknown_name_is_refused_with_near_ones(name: str, near: str) -> None:
    with pytest.raises(QueryError, match=rf"there is no .* '{name}'; did you mean .*{near}"):
        page(name)


# --------------------------------------------------------------------------------------------------------- the command


def test_patterns_lists_every_pattern_and_feature_with_its_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    lines = run(capsys, "patterns").splitlines()
    for shown in SENTENCES:
        assert any(line.split() == f"{shown.name} {shown.sentence}".split() for line in lines), shown.name


def test_patterns_lists_one_topic(capsys: pytest.CaptureFixture[str]) -> None:
    lines = run(capsys, "patterns", "knight").splitlines()
    assert lines[0].startswith("knight: Knight patterns")
    assert {line.split()[0].partition(".")[0] for line in lines[1:]} == {"knight"}
    assert "there is no topic 'kings'; there are bit_tricks, bits, compass" in refused(capsys, "patterns", "kings")


def test_explain_tells_all_without_colour_in_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    shown = page("knight.fork_targets")
    printed = run(capsys, "explain", "knight.fork_targets")
    told = " ".join(printed.split())
    for text in (
        shown.signature,
        shown.summary,
        shown.definition,
        shown.traps,
        shown.source,
        shown.arguments[0].meaning,
    ):
        assert " ".join(text.split()) in told
    assert "\x1b" not in printed
    assert "    8 (.) .  .  . (.) .  . (.)\n    7  .  . [.] .  .  .  .  .\n    6  . [.] .  .  . [.] .  .\n" in printed


def test_explain_draws_in_colour_on_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert "\x1b[" in run(capsys, "explain", "king.attacks")


@pytest.mark.parametrize(
    "name", ["king", "features", "white_fork_squares", "race.CATCHABLE", "white_elo", "bits.subsets"]
)
def test_explain_takes_topics_features_tables_columns_and_functions(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert name.rpartition("_")[2] in run(capsys, "explain", name)


def test_explain_refuses_unknown_names_in_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert "did you mean knight.attacks" in refused(capsys, "explain", "knight.atacks")


# ------------------------------------------------------------------------------------------------ what builds on what


@pytest.mark.parametrize(
    ("name", "built_on"),
    [
        ("pawns.passed", ["pawns.rear_span", "compass.east", "compass.west"]),
        ("king.distance", ["king.attacks"]),
        ("knight.catches", ["knight.CATCHES", "bits.lowest"]),
        ("compass.north", []),
        ("islands.east_files", []),  # its argument is called as another pattern
        ("passed_pawns", ["pawns.passed"]),
        ("king.ATTACKS", []),
    ],
)
def test_a_page_says_what_it_builds_on(name: str, built_on: list[str]) -> None:
    assert list(uses(page(name))) == built_on
    for other in built_on:
        assert name in used_by(page(other))


def test_every_public_pattern_that_a_formula_calls_is_among_what_it_builds_on() -> None:
    public = {it.bare_name: it for it in pages().values() if it.sort == "pattern"}
    checked = 0
    for it in pages().values():
        called = {name for name in re.findall(r"(?<![\w.])(\w+)\(", it.formula) if name in public}
        scope = it.function.__globals__ if it.function else {}
        named = {public[name].name for name in called if scope.get(name) is public[name].thing} - {it.name}
        assert named <= set(uses(it)), it.name
        checked += len(named)
    assert checked > 150


@pattern
def ahead(squares: Set) -> Set:
    """Return the squares north of some squares, row by row: the pattern calls itself."""
    return north(squares) | ahead(north(squares)) if squares != EMPTY else squares


del DEFINITIONS[ahead.name]


def test_a_pattern_that_calls_itself_builds_on_the_others_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(DEFINITIONS, ahead.name, ahead)
    assert uses(page(ahead.name)) == ("compass.north",)


def test_nothing_builds_on_itself_or_on_what_has_no_page() -> None:
    built = {name: set(uses(it)) for name, it in pages().items()}
    assert set().union(*built.values()) <= set(pages())
    while built:
        first = [name for name, below in built.items() if not below & set(built)]
        assert first, f"a circle among {sorted(built)}"
        built = {name: below for name, below in built.items() if name not in first}


def test_explain_says_what_a_pattern_builds_on(capsys: pytest.CaptureFixture[str]) -> None:
    assert "Builds on:\n    pawns.rear_span, compass.east, compass.west\n" in run(capsys, "explain", "pawns.passed")


def test_importing_setwise_leaves_the_catalogue_alone() -> None:
    code = "import setwise, sys; print('setwise.catalogue' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


def test_a_drawing_shows_the_set_that_its_statement_computes() -> None:
    reach = [statement.drawing for statement in statements_of(page("knight.reach")) if statement.drawing]
    assert reach[0].marks["reach"] == ~Bitboard()
    assert reach[1].marks["~knight.reach(Bitboard('a1'), 5)"] == Bitboard("h8")
