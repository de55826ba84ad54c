"""Tables as source text: every compiler here takes them, and reads the same numbers that Python has."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

from helpers.compilers import COMPILERS, SLOW, self_tested
from helpers.depth import depth
from helpers.mappings import naive_bits
from helpers.programs import needed
from setwise.bitboard import Bitboard
from setwise.catalogue.pages import pages
from setwise.catalogue.tables import MAPPINGS, source_text, tabulated, word_text
from setwise.catalogue.translation import languages
from setwise.cli import main
from setwise.errors import QueryError

LANGUAGES = languages()
TABLES = {name: page.thing for name, page in pages().items() if page.sort == "table"}
DISTANCE = "knight.distance"


def run(*command: str | Path, folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def numbers(table: np.ndarray) -> list[int]:
    return [int(number) for number in table.flat]


def digest(table: np.ndarray) -> int:
    """A number that every entry and its place change, in 64 bits as compilers count."""
    total = 0
    for number in numbers(table):
        total = (total * 31 + number) % 2**64
    return total


def all_tables() -> dict[str, np.ndarray]:
    return TABLES | {DISTANCE: tabulated(pages()[DISTANCE])[0]}


def declared(text: str, pattern: str) -> str:
    """The name that a source text declares."""
    match = re.search(pattern, text)
    assert match is not None
    return match[1]


# ------------------------------------------------------------------------------------------------------------ the walk


def test_the_tables_of_the_catalogue_are_there() -> None:
    assert TABLES.keys() >= {
        "king.ATTACKS", "knight.ATTACKS", "islands.COUNT", "islands.ISOLATED", "race.CATCHABLE", "geometry.BETWEEN",
        "geometry.LINE", "bits.FILES", "bits.RANKS", "sliders.DIAGONALS",
    }  # fmt: skip


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", [*TABLES, DISTANCE])
def test_every_language_writes_the_same_numbers(name: str, language: str) -> None:
    text = source_text(name, language)
    assert text.isascii()
    body = re.sub(r"(?m)^\s*(//|#) .*$", "", text)
    for opening, closing in ("{}", "[]", "()"):
        assert body.count(opening) == body.count(closing)
    declaration = re.split("(?i)self_?test", body)[0]
    entries = re.findall(r"(?<=[\s(\[{])(-?\d[\dxa-f_']*)(?:ULL|UL|L|n)?,", declaration)
    table = all_tables()[name]
    assert [int(entry.replace("'", "").replace("_", ""), 0) for entry in entries] == numbers(table)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_comment_says_what_the_bits_mean(language: str) -> None:
    assert "a1 = bit 0" in source_text("king.ATTACKS", language)
    assert "a = bit 0" in source_text("islands.ISOLATED", language)


def test_digits_are_grouped_where_languages_allow() -> None:
    first = {
        language: re.search(r"0x\S+?(?=[ULn,])", source_text("knight.ATTACKS", language)) for language in LANGUAGES
    }
    shown = {language: match[0] for language, match in first.items() if match}
    plain, grouped, ticked = "0x0000000000020400", "0x0000_0000_0002_0400", "0x0000'0000'0002'0400"
    assert shown == dict.fromkeys(LANGUAGES, grouped) | {"c": plain, "cpp": ticked}


# ----------------------------------------------------------------------------------------------------------- compilers


def test_python_reads_them() -> None:
    for name, table in all_tables().items():
        scope: dict[str, object] = {}
        exec(source_text(name, "python"), scope)  # noqa: S102  (our own text)
        assert np.array_equal(np.array(scope[name.replace(".", "_").upper()], table.dtype), table)


C_MAIN = """
#include <stdio.h>
#define SHOW(table, item) do {{ \\
    const item *at = (const item *)(table); \\
    unsigned long long total = 0; \\
    for (unsigned k = 0; k < sizeof(table) / sizeof(item); ++k) \\
        total = total * 31 + (unsigned long long)(long long)at[k]; \\
    printf("%llu\\n", total); }} while (0)

int main(void) {{
{shows}
    return 0;
}}
"""


@pytest.mark.slow
@pytest.mark.parametrize(("language", "command", "standard"), [("c", "gcc", "c99"), ("cpp", "g++", "c++17")])
def test_c_and_cpp_compile_them_without_a_warning(language: str, command: str, standard: str, tmp_path: Path) -> None:
    tool = needed(command)
    texts = {name: source_text(name, language) for name in all_tables()}
    declarations = [declared(text, r"(?:const|constexpr) (\S+ \w+)\[").split() for text in texts.values()]
    shows = "\n".join(f"    SHOW({name}, {item});" for item, name in declarations)
    source = tmp_path / f"tables.{language}"
    source.write_text("\n".join(texts.values()) + C_MAIN.format(shows=shows))
    run(tool, f"-std={standard}", "-Wall", "-Wextra", "-Werror", source, "-o", "program", folder=tmp_path)
    assert list(map(int, run(tmp_path / "program", folder=tmp_path).split())) == list(
        map(digest, all_tables().values())
    )


@pytest.mark.slow
def test_rust_compiles_them_without_a_warning(tmp_path: Path) -> None:
    tool = needed("rustc")
    shows = []
    texts = []
    for name, table in all_tables().items():
        texts.append(source_text(name, "rust"))
        it = declared(texts[-1], r"static (\w+):") + ".iter()" + ".flatten()" * (table.ndim - 1)
        tests = declared(texts[-1], r"fn (\w+_self_test)\b")
        shows.append(
            f"    assert!({tests}());\n"
            f'    println!("{{}}", {it}.fold(0u64, |total, &n| total.wrapping_mul(31).wrapping_add(n as i64 as u64)));'
        )
    source = tmp_path / "main.rs"
    source.write_text("\n".join(texts) + "\nfn main() {\n" + "\n".join(shows) + "\n}\n")
    run(tool, "--edition", "2021", "-Dwarnings", source, "-o", "program", folder=tmp_path)
    assert list(map(int, run(tmp_path / "program", folder=tmp_path).split())) == list(
        map(digest, all_tables().values())
    )


JAVA_MAIN = """
import java.lang.reflect.Array;

public final class Main {{
    static long total(Object table, long total) {{
        for (int k = 0; k < Array.getLength(table); ++k) {{
            Object item = Array.get(table, k);
            total = item instanceof Number ? total * 31 + ((Number) item).longValue() : total(item, total);
        }}
        return total;
    }}

    public static void main(String[] arguments) {{
{shows}
    }}
}}
"""


@pytest.mark.slow
def test_java_compiles_them(tmp_path: Path) -> None:
    javac, java = needed("javac"), needed("java")
    shows = []
    for name in all_tables():
        text = source_text(name, "java")
        made = declared(text, r"class (\w+)")
        (tmp_path / f"{made}.java").write_text(text)
        shows.append(
            f"        System.out.println(Long.toUnsignedString(total({made}.{name.replace('.', '_').upper()}, 0)));"
        )
    (tmp_path / "Main.java").write_text(JAVA_MAIN.format(shows="\n".join(shows)))
    run(javac, "-Xlint:all", "-Werror", *sorted(tmp_path.glob("*.java")), folder=tmp_path)
    assert list(map(int, run(java, "Main", folder=tmp_path).split())) == list(map(digest, all_tables().values()))


#: The methods for sliders that are written; supersets are not, because their table is large and not filled by a lookup.
WAYS = [
    "magic", "plain-magic", "black-magic", "rays", "kindergarten", "hyperbola", "obstruction", "calculation", "formula",
]  # fmt: skip
#: What engines ask for, and how: each is written in every language.
WANTED = [
    *((f"sliders.{piece}", way) for piece in ("rook", "bishop") for way in WAYS), ("line", None),
    ("king.attacks", None), ("knight.attacks", None), ("pawns.attacks", None), ("between", None), ("distance", None),
    ("zobrist", None), ("knight.distance", None), ("islands.COUNT", None), ("race.CATCHABLE", None),
    ("lines.pinned", "formula"), ("bits.lowest", "formula"), ("bits.lowest", "de-bruijn"), ("bits.count", "swar"),
    ("bits.lowest", "modulo"), ("keys.NUMBERS", None), ("bits.count", "formula"), ("pawns.passed", "formula"),
]  # fmt: skip
#: By day one text for each sort of kind: sets by arithmetic, counts with a sign, counts without one.
FEW = [("sliders.bishop", "magic"), ("distance", None), ("bits.count", "formula")]


@pytest.mark.parametrize(
    ("language", "wanted"),
    [pytest.param(it, depth(FEW, WANTED), marks=[pytest.mark.slow] * (it in SLOW)) for it in COMPILERS],
)
def test_every_text_compiles_without_a_warning_and_passes_its_own_test(
    language: str, wanted: list[tuple[str, str | None]], tmp_path: Path
) -> None:
    for name, method in wanted:
        done = self_tested(source_text(name, language, method=method), language, tmp_path)
        assert done.returncode == 0, (name, method, done.stdout, done.stderr)


#: The definitions that are not written: with `min`, with two names for one value, and with a table that nothing fills.
REFUSED = {
    "bit_tricks.centre_distance", "fills.shortest_paths", "slider_ways.rook_by_supersets",
    "slider_ways.bishop_by_supersets",
}  # fmt: skip


def test_every_other_definition_is_written_in_c_and_gives_the_same_values(tmp_path: Path) -> None:
    patterns = [name for name, page in pages().items() if page.sort == "pattern" and "." in name]
    refused, written = set(), 0
    for name in patterns[:: depth(60, 1)]:
        try:
            text = source_text(name, "c", method="formula")
        except QueryError:
            refused.add(name)
            continue
        done = self_tested(text, "c", tmp_path)
        assert done.returncode == 0, (name, done.stderr)
        written += 1
    assert refused == depth(refused & REFUSED, REFUSED)
    assert written >= depth(3, 220)


@pytest.mark.parametrize("language", depth(("javascript", "python"), tuple(COMPILERS)))
def test_a_text_with_one_wrong_entry_fails_its_own_test(language: str, tmp_path: Path) -> None:
    text = source_text("knight.attacks", language)
    right = languages()[language].number(0x20400)
    assert text.count(right) == 1
    done = self_tested(text.replace(right, languages()[language].number(0x20401)), language, tmp_path)
    assert done.returncode != 0


def test_a_formula_takes_its_comments_with_it() -> None:
    text = source_text("moves.check_mask", "c", method="formula")
    assert "// a king that flees from a rook along its line remains attacked" in text
    assert "typedef struct {" in text
    assert max(map(len, text.splitlines())) <= 120


@pytest.mark.parametrize("language", ["go", "python"])
def test_several_results_need_a_language_with_structures(language: str) -> None:
    with pytest.raises(QueryError, match=f"several results is not written in {languages()[language]['title']}"):
        source_text("moves.check_mask", language, method="formula")


SHAPES = {"swift": "public let raceCatchable: [[[UInt64]]] = [\n    [\n        [\n            0x"}


@pytest.mark.parametrize("language", SHAPES)
def test_where_no_compiler_is_asked_the_shape_is_right(language: str) -> None:
    assert SHAPES[language] in source_text("race.CATCHABLE", language)


# ---------------------------------------------------------------------------------------------------------- tabulation


def test_a_pattern_becomes_a_table_over_squares() -> None:
    table, about = tabulated(pages()["knight.distance"])
    assert (table.shape, table.dtype, table[0, 9], table[0, 63]) == ((64, 64), np.int8, 4, 6)
    assert about.startswith("[a][b]: how many moves")
    table, _ = tabulated(pages()["king.zone"])
    assert Bitboard(table[6]) == Bitboard("f1 g1 h1 f2 g2 h2 f3 g3 h3")


def test_a_pattern_of_filesets_becomes_their_table() -> None:
    assert np.array_equal(tabulated(pages()["islands.count"])[0], pages()["islands.COUNT"].thing)
    assert tabulated(pages()["islands.of_width"])[0].shape == (256, 9)


@pytest.mark.parametrize("name", ["islands.count", "bits.count", "king.shield_index", "knight.catches"])
def test_counts_and_flags_become_bytes(name: str) -> None:
    table, _ = tabulated(pages()[name])
    assert table.dtype == np.uint8
    text = source_text(name, "python")
    entries = [int(it, 16) for it in re.findall(r"0x\w+", text.partition("def ")[0])]
    assert entries == numbers(table)
    assert re.match(rf"# {re.escape(name)}\[", text)


@pytest.mark.parametrize("name", [*TABLES, DISTANCE])
def test_the_comment_is_a_sentence(name: str) -> None:
    comment = " ".join(line.removeprefix("// ") for line in source_text(name, "c").split("\n\n")[0].splitlines())
    assert re.match(
        rf"{re.escape(name)}(\[.*\].*)? holds [a-z0-9].*\. Squares|{re.escape(name)}.* holds .*\. Files", comment
    )


def test_the_tables_in_memory_are_what_tabulation_gives() -> None:
    for pattern, table in (
        ("king.attacks", "king.ATTACKS"),
        ("knight.attacks", "knight.ATTACKS"),
        ("lines.line", "geometry.LINE"),
    ):
        assert np.array_equal(tabulated(pages()[pattern])[0], TABLES[table])


@pytest.mark.parametrize(
    ("name", "language", "sentence"),
    [
        ("king.ATACKS", "c", r"there is no .* 'king\.ATACKS'; did you mean king\.ATTACKS"),
        ("king.ATTACKS", "rustt", "tables are not written in 'rustt'; did you mean rust"),
        ("king.ATTACKS", "fortran", "tables are not written in 'fortran'; there are c, cpp, rust"),
        ("between", "cobol", "tables are not written in 'cobol'; there are c, cpp, rust"),
        ("fork_squares", "c", "fork_squares is neither a table nor a pattern of squares"),
    ],
)
def test_what_cannot_be_written_is_refused_in_one_sentence(name: str, language: str, sentence: str) -> None:
    with pytest.raises(QueryError, match=sentence):
        source_text(name, language)


def test_an_unknown_method_is_answered_with_those_there_are() -> None:
    with pytest.raises(
        QueryError, match=r"sliders\.rook_attacks has no method 'magik'; there are magic, calculation, .*formula"
    ):
        source_text("sliders.rook", method="magik")
    with pytest.raises(QueryError, match=r"lines\.pinned has no method 'table'; there are formula"):
        source_text("lines.pinned", method="table")
    with pytest.raises(QueryError, match=r"a table of 131,072 numbers is not written"):
        source_text("sliders.rook", method="supersets")
    with pytest.raises(QueryError, match=r"a formula is written with a1 = 0 alone, not for a8b8"):
        source_text("sliders.rook", "c", "a8b8")


def test_the_command_prints_a_table_and_lists_them_all(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["table", "king.ATTACKS", "--lang", "rust"])
    assert capsys.readouterr().out == source_text("king.ATTACKS", "rust")
    with pytest.raises(SystemExit):
        main(["table"])
    listed = capsys.readouterr().out
    assert all(name in listed for name in TABLES)


# ------------------------------------------------------------------------------------------------------------ mappings


@pytest.mark.parametrize("name", MAPPINGS)
def test_a_table_in_another_mapping_has_its_order_and_its_bits(name: str) -> None:
    bits = naive_bits(name)
    entries = [int(entry, 16) for entry in re.findall(r"0x([0-9a-f]{16})ULL,", source_text("king.ATTACKS", "c", name))]
    assert len(entries) == 64
    for square, attacks in enumerate(TABLES["king.ATTACKS"].tolist()):
        assert entries[bits[square]] == sum(1 << bits[other] for other in Bitboard(attacks))
    text = source_text("king.distance", "c", name).partition("= {")[2].partition("};")[0]
    distances = [int(entry) for entry in re.findall(r"-?\d+(?=,)", text)]
    expected = tabulated(pages()["king.distance"])[0]
    for a, b in ((0, 7), (0, 56), (3, 44), (63, 63)):
        assert distances[64 * bits[a] + bits[b]] == expected[a, b]
    assert f"{name[:2]} = bit 0, " in source_text("king.ATTACKS", "rust", name)


def test_what_no_mapping_can_mean_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(QueryError, match="no square mapping 'a1c1'; did you mean a1b1"):
        source_text("king.ATTACKS", "c", "a1c1")
    with pytest.raises(QueryError, match="numbers of squares"):
        source_text("bits.lowest", "c", "a8b8")
    with pytest.raises(SystemExit):
        main(["table", "knight.ATTACKS", "--lang", "zig", "--mapping", "h8g8"])
    assert "h8 = bit 0, a8 = bit 7" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize("word", [0, 1, 2**63, 2**64 - 1, 0x0123456789ABCDEF])
def test_a_set_is_a_constant_that_compilers_take(tmp_path: Path, word: int) -> None:
    python: dict[str, int] = {}
    exec(word_text(word, "python", "SET"), python)  # noqa: S102  (what is tested)
    assert python["SET"] == word
    check = f"int main(void) {{ return SET == {word}ULL ? 0 : 1; }}"
    (tmp_path / "set.c").write_text(f"#include <stdint.h>\n{word_text(word, 'c', 'SET')}\n{check}\n")
    run(needed("gcc"), "-Werror", "-Wall", "set.c", "-o", "set", folder=tmp_path)
    run(tmp_path / "set", folder=tmp_path)
