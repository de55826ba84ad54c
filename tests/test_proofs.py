"""Proofs for all boards: what the solver decides, what it refuses, and how a counterexample looks."""

from __future__ import annotations

import functools
import importlib.util
import itertools
import json
import pickle
import re
import sys
from collections import Counter
from itertools import product
from pathlib import Path

import numpy as np
import pytest
import z3

from helpers import proving
from helpers.data import ROOT
from helpers.depth import depth
from helpers.llvm_formulas import Code, NoFormula
from helpers.mutating import mutants
from helpers.patterns import EVERY_PATTERN, numba
from helpers.processes import run
from helpers.shorter import shorter
from helpers.twins import twin_of
from setwise import Bitboard, Counterexample, Set, Square, pattern, prove
from setwise.catalogue.pages import FORMS, pages
from setwise.compiler import PATTERNS, Kind, Pattern
from setwise.errors import DefinitionError, SetwiseError
from setwise.features.own import load
from setwise.patterns import compass, slider_ways, sliders
from setwise.patterns.king import attacks as king_attacks
from setwise.proofs import Squares, Word, joined, lifted, solved

EDGES = np.uint64(0x8181_8181_8181_8181)
ONE, TWO, SEVEN, NINE, THIRTEEN = map(np.uint64, (1, 2, 7, 9, 13))
JUMPS = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)]


def defined(function):
    """A pattern that is forgotten again: no other test must find it."""
    made = pattern(function)
    del PATTERNS[made.name]
    return made


@defined
def unmasked(pawns: Set) -> Set:
    return pawns << NINE | pawns << SEVEN


@defined
def endless(squares: Set) -> Set:
    while squares != TWO:
        squares = squares * THIRTEEN
    return squares


@defined
def halved(squares: Set) -> Set:
    return squares / TWO


# ------------------------------------------------------------------------------------------------------ what is proved


def test_a_pattern_is_a_rule_of_squares() -> None:
    proof = prove("knight.attacks", lambda knights, file, rank: any((file + e, rank + n) in knights for e, n in JUMPS))
    assert (bool(proof), proof.holds, proof.how) == (True, True, "by z3")
    assert 0 < proof.seconds < 60
    assert str(proof).startswith("proved for all boards: knight.attacks is the rule (by z3, ")


def test_a_rule_may_count() -> None:
    assert prove(
        "knight.fork_targets", lambda targets, file, rank: sum(targets[file + e, rank + n] for e, n in JUMPS) > 1
    )
    with pytest.raises(Counterexample):
        prove(
            "knight.fork_targets", lambda targets, file, rank: sum(targets[file + e, rank + n] for e, n in JUMPS) == 2
        )


def test_a_pattern_is_another_pattern_or_a_function_of_words() -> None:
    assert prove("pawns.stop", "compass.north").holds
    assert prove("sliders.rook_attacks", "sliders.rook_attacks_by_calculation").how == "by z3, in 64 cases"
    assert prove("bits.count", lambda squares: sum(squares >> square & 1 for square in range(64)))
    tried = prove("islands.east_files", lambda files: files & ~(files >> 1))
    assert tried.how == "all 256 cases tried"


@defined
def by_a_wrong_factor(square: Square, occupied: Set) -> Set:
    product = (occupied & sliders.BISHOP_INNER[square]) * (slider_ways._bishop_factor(square) << ONE)
    return slider_ways._bishop_fancy(slider_ways._bishop_place(square, product))


def test_tables_that_a_search_fills_are_proved_and_a_wrong_factor_is_refuted() -> None:
    assert prove("slider_ways.bishop_by_fancy_magic", "sliders.bishop_attacks").how == "by z3, in 64 cases"
    with pytest.raises(Counterexample):
        prove(by_a_wrong_factor, "sliders.bishop_attacks")


def test_an_assumption_makes_it_true() -> None:
    assert prove(unmasked, "pawns.attacks", where=lambda pawns: pawns & EDGES == 0)
    with pytest.raises(Counterexample) as found:
        prove(unmasked, "pawns.attacks", where=lambda pawns: pawns & ~EDGES == 0)
    assert found.value.arguments["pawns"] & ~int(EDGES) == 0


def test_a_counterexample_is_drawn_and_small() -> None:
    with pytest.raises(Counterexample) as found:
        prove(unmasked, "pawns.attacks")
    [pawns] = found.value.arguments.values()
    assert isinstance(pawns, Bitboard)
    assert len(pawns) == 1
    assert found.value.answer == unmasked.plain(np.uint64(pawns)) != found.value.expected
    text = str(pickle.loads(pickle.dumps(found.value)))
    assert text.startswith("it is not true that test_proofs.unmasked is pawns.attacks\n\npawns             answer")
    assert len(text.splitlines()) == 2 + 9


def test_time_may_not_be_enough() -> None:
    proof = prove("knight.fork_targets", "knight.attacks", timeout=0)
    assert (bool(proof), proof.holds) == (False, None)
    assert str(proof).startswith("not decided in 0 seconds: knight.fork_targets")


def test_every_operation_of_a_processor_becomes_a_formula() -> None:
    assert prove("bits.lowest", lambda squares: sum(squares & ((2 << k) - 1) == 0 for k in range(64)))
    assert prove("compass.rotate_180", lambda squares, file, rank: (7 - file, 7 - rank) in squares)
    assert prove("compass.flip_vertical", lambda squares, file, rank: (file, 7 - rank) in squares)
    assert prove("knight.catches", lambda knight, pawn, knight_to_move: 0, where=lambda knight: knight == 0)


# ------------------------------------------------------------------------------------------------------- every pattern

LISTED = proving.listed()
#: By day what takes a second at most.
BY_DAY = [name for name, it in LISTED.items() if it.get("seconds", 100) <= 1]


@pytest.mark.parametrize("name", depth(BY_DAY, list(LISTED)))
def test_a_pattern_is_proved_as_its_page_says(name: str) -> None:
    p = next(p for p in EVERY_PATTERN if p.name == name)
    if depth(proving.is_kept(p), night=False):
        return  # the solver has proved the same formula of the same twin
    again = proving.proved(p)
    assert {key: it for key, it in again.items() if key != "seconds"} == {
        key: it for key, it in LISTED[name].items() if key != "seconds"
    }


def test_a_changed_definition_or_twin_is_proved_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def north(squares: Set) -> Set:
        return squares << np.uint64(8)

    def further(squares: Set) -> Set:
        return squares << np.uint64(9)

    usual, other = defined(north), defined(further)
    assert proving.key(usual) != proving.key(other)
    before = proving.key(usual)
    monkeypatch.setattr(proving, "_machinery", lambda: "other twins")
    assert proving.key(usual) != before


def test_every_pattern_is_listed_and_nearly_all_are_proved() -> None:
    assert list(LISTED) == [p.name for p in EVERY_PATTERN]
    exact = [it for it in LISTED.values() if it["how"] != "random"]
    assert len(exact) >= 0.95 * len(LISTED)
    assert len(BY_DAY) >= 0.8 * len(LISTED)


def test_the_page_about_proofs_counts_them() -> None:
    counts = Counter(it["how"] for it in LISTED.values())
    text = " ".join((ROOT / "docs" / "proved.md").read_text("utf-8").split())
    assert (
        f"Of {len(LISTED)} patterns a solver proves {counts['z3'] + counts['rounds']}, {counts['tried']} are tried in "
        f"all cases, and {counts['random']} are compared in random ones."
    ) in text


def test_what_pages_say_of_proofs() -> None:
    assert pages()["knight.attacks"].proof.startswith("Proved for all boards by a solver, in under ")
    assert pages()["mates.arabian"].proof.endswith(" s, where `king` is one square at most.")
    assert pages()["lines.between"].proof == "All 4,096 cases are tried."
    assert pages()["fills.flood"].proof.startswith("Proved for all boards, round by round of its loop, by a solver in")
    assert pages()["race.two"].proof.startswith("It is not proved, but compared in random cases: its loops go")
    assert pages()["isolated_pawns"].proof == pages()["pawns.isolated"].proof
    assert not pages()["king.ATTACKS"].proof


# ---------------------------------------------------------------------------------------------- laws, forms and slips

#: Patterns whose formula is one case on any boards.
PLAIN = [
    p for p in EVERY_PATTERN
    if LISTED[p.name]["how"] == "z3" and LISTED[p.name]["cases"] == 1 and LISTED[p.name]["seconds"] <= depth(0.1, 100)
]  # fmt: skip
#: The words in the names of patterns that are not the same for east and west.
ONE_WAY = re.compile("east|west|_ea|_we|diagonal|quarter|clockwise|lowest|fileset|castling|highest")


@pytest.mark.parametrize("p", PLAIN, ids=lambda p: p.name)
def test_east_and_west_are_alike_unless_the_name_says_one(p: Pattern) -> None:
    """The mirrored boards have the mirrored answer."""
    mirror = lifted(compass.mirror_horizontal)
    words = {name: Word(z3.BitVec(name, 64)) for name in p.kinds}
    mirrored = joined(lambda: lifted(p)(*map(mirror, words.values())))
    answer = joined(lambda: lifted(p)(*words.values()))
    expected = mirror(Word(answer)).term if p.returns.is_set else answer
    assumed = proving.assumed(p, {name: word.term for name, word in words.items()})
    alike = solved([mirrored != expected, *assumed], 60) is True
    assert alike == (not ONE_WAY.search(p.name))


#: Patterns of one set in which squares count together; in the others each square counts for itself.
TOGETHER = {
    "knight.fork_targets", "pawns.chain_base", "pawns.chain_head", "pawns.connected", "pawns.doubled",
    "pawns.half_isolated", "pawns.holes", "pawns.isolated", "pawns.phalanx", "pawns.stacked", "pawns.supported",
    "tactics.king_fork_targets", "tactics.pawn_fork_targets",
}  # fmt: skip


def test_the_answer_for_a_union_is_the_union_of_the_answers_unless_squares_count_together() -> None:
    one, other = z3.BitVecs("one other", 64)

    def is_union_of_answers(p: Pattern) -> bool:
        whole, *answers = (joined(functools.partial(lifted(p), Word(it))) for it in (one | other, one, other))
        return solved([whole != answers[0] | answers[1]], 60) is True

    of_one_set = [p for p in PLAIN if p.returns.is_set and [kind.is_set for kind in p.kinds.values()] == [True]]
    wrong = [p.name for p in of_one_set if is_union_of_answers(p) != (p.name not in TOGETHER)]
    assert not wrong


@pytest.mark.parametrize(
    "kind", {p.returns.name: p.returns for p in EVERY_PATTERN}.values(), ids=lambda kind: kind.name
)
def test_the_other_side_sees_each_kind_from_the_other_end(kind: Kind) -> None:
    """So ``for_black``, which turns arguments and result by their kinds, is the mirror image of every pattern."""
    if kind.is_set:
        squares = z3.BitVec("squares", 64)
        turned = Squares(kind.turned(Word(squares)).term)
        back = [
            turned[file, 7 - rank].term == Squares(squares)[file, rank].term
            for file, rank in product(range(8), repeat=2)
        ]
        assert solved([z3.Not(z3.And(*back))], 60) is True
        return
    values = range(min(kind.largest, 1 << 16) + 1)  # a key has too many values, of which none turns
    naive = {
        "square": lambda it: 8 * (7 - it // 8) + it % 8,
        "set of directions": lambda it: "".join(f"{it:04b}"[k] for k in (1, 0, 2, 3)),
    }
    of = {name: rule if name == "square" else lambda it, rule=rule: int(rule(it), 2) for name, rule in naive.items()}
    assert [kind.turned(it) for it in values] == [of.get(kind.name, int)(it) for it in values]


#: Other forms that do not become formulas: they have loops, look one square up after the other, or use lanes.
NO_FORMULA = {
    "bits.count", "bits.lowest", "bits.subsets", "fills.connected", "islands.count", "king.attacks",
    "king.distant_checks", "knight.attacks", "knight.distance",
}  # fmt: skip


def is_quick(name: str) -> bool:
    entry = LISTED.get(name, {})
    return entry.get("seconds", 1) <= 1 and entry.get("cases", 1) <= 64


@pytest.mark.parametrize("name", [name for name in FORMS if depth(is_quick(name), night=True)])
def test_other_forms_are_equal_for_all_boards(name: str) -> None:
    refused = 0
    for form in FORMS[name]:
        if name == "bits.subsets" or (name, form.title[:2]) == ("islands.count", "By"):
            refused += 1
            continue
        try:
            assert prove(name, form.function).holds, form.title
        except DefinitionError:
            refused += 1
    assert (refused > 0) == (name in NO_FORMULA)


FILE_A = 0x0101_0101_0101_0101
FILE_H = FILE_A << 7
E4 = 28
#: The lines of e4: its rank, file, diagonal and antidiagonal.
LINES_OF_E4 = (
    0xFF << 24, 0x1010_1010_1010_1010, int(Bitboard("b1 c2 d3 e4 f5 g6 h7")), int(Bitboard("h1 g2 f3 e4 d5 c6 b7 a8"))
)  # fmt: skip


def as_c_reads_it(king, taboo):
    """The published test, in which == binds before &: the square next to the king and its own, compared too early."""
    squares = lifted(king_attacks)(king) & ~taboo | king
    return sum((squares & (line == squares) != 0) * (1 << k) for k, line in enumerate(LINES_OF_E4))


def with_parentheses(king, taboo):
    squares = lifted(king_attacks)(king) & ~taboo | king
    return sum((squares & line == squares) * (1 << k) for k, line in enumerate(LINES_OF_E4))


#: What sources have published, and that it is a slip: the pattern, the published formula, where it is right after all.
SLIPS = {
    "a shift by 7 is not north-east": ("compass.north_east", lambda squares: squares << 7 & ~FILE_A, None),
    "borders of islands may be isolated": ("islands.half_isolated_files", lambda files: files & ~(files >> 1), None),
    "a shift by 9 wraps from the h-file, not from the a-file": (
        "pawns.east_attacks", lambda pawns: pawns << 9, lambda pawns: pawns & FILE_H == 0
    ),
    "a shift by 7 wraps from the a-file": (
        "pawns.west_attacks", lambda pawns: pawns << 7, lambda pawns: pawns & FILE_A == 0
    ),
}  # fmt: skip


@pytest.mark.parametrize("slip", SLIPS)
def test_published_slips_are_slips(slip: str) -> None:
    name, published, right_where = SLIPS[slip]
    with pytest.raises(Counterexample):
        prove(name, published)
    if right_where:
        assert prove(name, published, where=right_where).holds


def test_the_published_distant_checks_need_parentheses() -> None:
    on_e4 = {"where": lambda king: king == 1 << E4}
    assert prove("king.distant_checks", with_parentheses, **on_e4).holds
    with pytest.raises(Counterexample):
        prove("king.distant_checks", as_c_reads_it, **on_e4)


# -------------------------------------------------------------------------------------------------------------- mutants


def test_every_mutant_of_a_formula_is_refuted() -> None:
    """A term dropped, a shift swapped, a mask or a distance off by one; night has all of them."""
    tried = 0
    for p in EVERY_PATTERN[:: depth(6, 1)]:
        entry = LISTED[p.name]
        if entry["how"] != "z3" or entry["cases"] > 1 or entry["seconds"] > 0.1 or "where" in entry:
            continue
        [(words, _, expected)] = proving.cases(p, twin_of(p))
        for what, mutant in itertools.islice(mutants(p), 0, None, depth(2, 1)):
            answer = joined(functools.partial(mutant, *map(Word, words.values())))
            assert isinstance(solved([answer != expected], 60), z3.ModelRef), f"{what} changes nothing"
            tried += 1
    assert tried >= depth(60, 800)


@pytest.mark.slow
def test_the_search_finds_the_shorter_formula() -> None:
    count, found, _ = shorter(next(p for p in EVERY_PATTERN if p.name == "fills.east_fill"))
    assert count == 9
    assert found
    assert len(re.findall(r"[&|^+~-]|<<|>>", found)) == 5


# ------------------------------------------------------------------------------------------------------- the compiler

#: What the optimised code of a pattern has that is no formula of words.
NO_STRAIGHT_CODE = {
    **dict.fromkeys(["flood", "connected", "shortest_path_length", "shortest_paths"], "a loop"),
    **dict.fromkeys(["reach", "after", "escorted", "king_path"], "a loop"),
    **dict.fromkeys(["catches", "between", "line", "xray_rook", "xray_bishop", "two"], "a table"),
    **dict.fromkeys(["rook_attacks", "bishop_attacks", "queen_attacks"], "a table"),
    **dict.fromkeys(["rook_attacks_by_calculation", "bishop_attacks_by_calculation"], "a table"),
    **{p.name.partition(".")[2]: "a table" for p in EVERY_PATTERN if p.name.startswith(("slider_ways.", "keys."))},
}


@pytest.mark.slow
@pytest.mark.parametrize("level", depth(["x86-64-v3"], ["x86-64-v2", "x86-64-v3", "x86-64-v4"]))
def test_what_llvm_makes_of_a_pattern_is_the_pattern(level: str) -> None:
    """From the formula to the optimised code of a level of processors, for all words; by night of every pattern."""
    numba()
    chosen = [p for p in EVERY_PATTERN if p.name != "moves.legal_move_count"][:: depth(5, 1)]  # that one takes minutes
    script = ROOT / "tests" / "helpers" / "llvm_formulas.py"
    codes = json.loads(run(sys.executable, script, level, *(p.name for p in chosen)).stdout)
    equal, refused = 0, {}
    for p in chosen:
        words = {name: z3.BitVec(name, 64) for name in p.kinds}
        within = [z3.ULE(words[name], kind.largest) for name, kind in p.kinds.items()]
        try:
            code = Code(codes[p.name]).formula(list(words.values()))
        except NoFormula as why:
            refused[p.name.partition(".")[2]] = str(why)
            continue
        answer = joined(functools.partial(lifted(p), *map(Word, words.values())))
        assert solved([answer != code, *within], 60) is True, p.name
        equal += 1
    assert refused.items() <= NO_STRAIGHT_CODE.items()
    assert equal >= depth(30, 170)


def test_wrong_code_is_another_formula() -> None:
    """The reader of LLVM's code sees a difference: here the mask of one file is missing."""
    code = "define i64 @formula(i64 %a0) #0 {\n  %1 = shl i64 %a0, 1\n  %2 = and i64 %1, -1\n  ret i64 %2\n}\n"
    word = z3.BitVec("squares", 64)
    east = lifted(compass.east)(Word(word)).term
    assert solved([east != Code(code).formula([word])], 60).eval(word).as_long() >> 7 & FILE_A
    masked = code.replace("-1\n", f"{~FILE_A}\n")
    assert solved([east != Code(masked).formula([word])], 60) is True


# ----------------------------------------------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("claim", "message"),
    [
        (("king.nothing", "king.attacks"), "there is no pattern king.nothing"),
        ((len, "king.attacks"), "the first argument of prove is a pattern or its name, not len"),
        (("king.attacks", 3), "king.attacks is compared with a pattern or a function, not with int"),
        (("king.attacks", "king.fill"), "king.attacks and king.fill have 1 and 2 arguments: a proof needs the same"),
        (("bits.count", "king.attacks"), "differ in kind: the result is a count and the result a set of squares"),
        (("king.attacks", lambda pawns, enemy: pawns), "king.attacks has no argument pawns: a function of words takes"),
        (("bits.count", lambda squares, file, rank: True), "a rule about squares describes a set, and bits.count"),
        (("king.attacks", lambda kings: kings / 2), "the rule cannot become a formula: it divides by /, which makes"),
        (("king.attacks", lambda kings: 0.5), "it computes with float, and proofs are about words of 64 bits"),
        (("king.attacks", lambda kings, file, rank: [*kings]), "a rule asks whether a square is in a set"),
        ((halved, "king.attacks"), "halved cannot become a formula: it divides by /"),
        ((endless, "king.attacks"), "endless cannot become a formula: it has a loop, or many branches, whose number"),
        (("fills.flood", "king.fill"), "fills.flood cannot become a formula: it has a loop"),
    ],
)  # fmt: skip
def test_what_cannot_be_proved_is_said_in_one_sentence(claim, message: str) -> None:
    with pytest.raises(DefinitionError) as refused:
        prove(*claim)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_without_the_solver_one_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(SetwiseError, match=r"proofs need z3: pip install 'setwise\[prove\]'"):
        prove("king.attacks", "king.attacks")


def test_own_patterns_and_rules_come_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "my_tricks.py"
    file.write_text(
        "import numpy as np\nfrom setwise import Set, pattern\n\nEIGHT = np.uint64(8)\n\n\n@pattern\n"
        'def up(pawns: Set) -> Set:\n    "Return the squares ahead."\n    return pawns << EIGHT\n\n\n'
        "def rule(pawns, file, rank):\n    return (file, rank - 1) in pawns\n"
    )
    try:
        load(file)
        assert prove("my_tricks.up", "my_tricks.rule")
        assert prove("my_tricks.up", "compass.north")
    finally:
        PATTERNS.pop("my_tricks.up", None)
        sys.modules.pop("my_tricks", None)
