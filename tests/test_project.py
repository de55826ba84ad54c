"""The package as a whole: quick to import, layered, typed, with pinned names and a cache that never lies."""

from __future__ import annotations

import ast
import os
import pkgutil
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import setwise
from helpers import feature_modules
from helpers.data import ROOT
from helpers.depth import depth
from helpers.patterns import TOPICS
from helpers.processes import python, run

PACKAGE = Path(setwise.__file__).parent
FOLDERS = ("src", "tests", "benchmarks", "docs", "examples", "fuzz")
PUBLIC_NAMES = Path(__file__).with_name("public_names.txt")


def interpreted(code: str, **environment: str | Path) -> str:
    """What a fresh interpreter prints that runs some lines."""
    return python("-c", code, **environment)


# ------------------------------------------------------------------------------------------------------------- import

IMPORT = """
import sys
import setwise
heavy = {"pyarrow", "duckdb", "pandas", "polars", "backports", "click", "rich"}
print(*{name.partition(".")[0] for name in sys.modules} & heavy)
"""

IMPORT_EVERYTHING = """
import pkgutil
from numba.core import event
with event.install_recorder("numba:compile") as compilations:
    import setwise
    for module in pkgutil.walk_packages(setwise.__path__, "setwise."):
        if not module.name.startswith(("setwise.web", "setwise.spark")) and not module.name.endswith("__main__"):
            __import__(module.name)
print([str(event.data["dispatcher"]) for _, event in compilations.buffer])
"""


def test_import_brings_nothing_heavy_with_it() -> None:
    """It should take less than half a second; how long it does take, ``make bench`` tells."""
    assert interpreted(IMPORT).split() == []


def test_import_compiles_nothing(tmp_path: Path) -> None:
    assert interpreted(IMPORT_EVERYTHING, SETWISE_CACHE_DIR=tmp_path).strip() == "[]"
    assert not list(tmp_path.rglob("*.nbc"))


# -------------------------------------------------------------------------------------------------------------- words

#: Words of a dialect that a stranger reads twice: comments, docstrings, messages and names say the thing instead.
DIALECT = re.compile(
    r"\b(whoever|whomever|nobody|somebody|told|lent|men|steppers|at the (?:most|least)|made anew|whose are there"
    r"|what lies behind)\b",
    re.IGNORECASE,
)


def written_texts() -> Iterator[Path]:
    """The files whose words a user or a contributor reads, except tests: sources, the page, documentation, examples."""
    yield from (ROOT / name for name in ("README.md", "CONTRIBUTING.md"))
    for folder in ("src/setwise", "docs", "examples"):
        for ending in ("py", "md", "js", "html", "css", "toml", "ipynb"):
            yield from sorted((ROOT / folder).rglob(f"*.{ending}"))


def test_sources_and_pages_speak_plainly() -> None:
    paths = [*written_texts()]
    assert {".py", ".md", ".js", ".html", ".css", ".ipynb"} <= {path.suffix for path in paths}
    dialect = [
        f"{path.relative_to(ROOT)}:{number}: {match[0]}"
        for path in paths
        for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1)
        if (match := DIALECT.search(line))
    ]
    assert dialect == []


#: A module, class, function or constant of the package, as the page about its inside writes it.
_NAME_INSIDE = re.compile(r"`(setwise(?:\.\w+)+)`")


def is_defined(name: str) -> bool:
    """Whether a module has this name, or defines it itself: what it has only imported is elsewhere."""
    try:
        thing = pkgutil.resolve_name(name)
    except (ImportError, AttributeError):
        return False
    defined_in = getattr(getattr(thing, "func", getattr(thing, "fget", thing)), "__module__", None)
    return isinstance(thing, ModuleType) or defined_in is None or name.startswith(f"{defined_in}.")


def test_every_name_on_the_page_about_the_inside_is_where_it_says() -> None:
    names = _NAME_INSIDE.findall((ROOT / "docs" / "inside.md").read_text("utf-8"))
    assert len(set(names)) > 80
    assert [name for name in names if not is_defined(name)] == []
    # What is missing, and what a module only imports.
    assert not any(map(is_defined, ("setwise.cli.no_module", "setwise.cli.no_name", "setwise.cli.find.Output")))


# ---------------------------------------------------------------------------------------------------- names and types


def public_names() -> Iterator[str]:
    """Every public name: of setwise itself, and of the modules among them."""
    for module in [setwise, *(getattr(setwise, name) for name in setwise.__all__)]:
        if isinstance(module, ModuleType):
            path = "setwise" if module is setwise else f"setwise.{module.__name__.rpartition('.')[2]}"
            for name in sorted(module.__all__):
                assert hasattr(module, name), f"{module.__name__}.__all__ promises {name}"
                yield f"{path}.{name}"


#: A question for the class of a source, of its games, positions or columns.
_KIND_OF_SOURCE = re.compile(
    r"isinstance\([^)]*\b(Pgn|Games|Range|GamePositions|ScannedGames|Rows|Records)\b|\bis_pgn\b"
)


def test_what_a_source_is_gets_recognised_once() -> None:
    """In ``corpus/sources``; everywhere else its classes say what it can do."""
    assert _KIND_OF_SOURCE.search("isinstance(\n    batch.games, Records | Games)")
    folders = [PACKAGE / name for name in ("cli", "spark", "web", "corpus")]
    files = [path for folder in folders for path in folder.rglob("*.py") if "sources" not in path.parts]
    assert len(files) > 60
    assert [path.name for path in files if _KIND_OF_SOURCE.search(path.read_text(encoding="utf-8"))] == []


def test_every_topic_is_public() -> None:
    assert TOPICS.keys() <= set(setwise.__all__)


def test_public_names_change_only_on_purpose() -> None:
    """After a change that is meant: ``python tests/test_project.py``."""
    assert list(public_names()) == PUBLIC_NAMES.read_text().split()


def test_each_feature_is_imported_from_where_it_is() -> None:
    assert feature_modules.PATH.read_text("utf-8") == feature_modules.written()


def untyped_functions(module: ast.Module) -> Iterator[ast.FunctionDef]:
    """The functions that Python calls and whose annotations are incomplete."""
    for function in ast.walk(module):
        if not isinstance(function, ast.FunctionDef):
            continue
        decorators = {ast.unparse(decorator).partition("(")[0] for decorator in function.decorator_list}
        compiled = decorators & {"entry", "routine", "subroutine", "overload"}
        arguments = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
        annotated = [argument.annotation for argument in arguments if argument.arg not in {"self", "cls"}]
        if not compiled and None in [*annotated, function.returns]:
            yield function


#: Idioms that ``patterns.bits`` has by name, written out.
_IDIOM = re.compile(
    r"\b([\w.]+) & ~?\((?:\1 - ONE|EMPTY - \1)\)|^ *([\w.]+) &= (?:\2 - ONE|EMPTY - \2)$|\bONE << [a-z]\w*\b(?!\.)",
    re.MULTILINE,
)


def test_idioms_of_sets_are_written_by_name() -> None:
    for written in (
        "a & (a - ONE)",
        "a.b & ~(a.b - ONE)",
        "  a &= a - ONE",
        "a & (EMPTY - a)",
        "ONE << a",
        "ONE << a(b)",
    ):
        assert _IDIOM.search(written), written
    folders = [PACKAGE / name for name in ("features", "notation", "patterns", "position", "rules")]
    files = [path for folder in folders for path in sorted(folder.rglob("*.py")) if path.name != "bits.py"]
    assert len(files) > 40
    assert [f"{path.name}: {idiom[0]}" for path in files for idiom in _IDIOM.finditer(path.read_text("utf-8"))] == []


def test_what_python_calls_is_typed() -> None:
    assert (PACKAGE / "py.typed").exists()
    found = [
        f"{path.relative_to(PACKAGE)}:{function.lineno} {function.name}"
        for path in sorted(PACKAGE.rglob("*.py"))
        for function in untyped_functions(ast.parse(path.read_text("utf-8")))
    ]
    assert found == []


def test_no_array_is_laid_out_anew_in_place() -> None:
    """NumPy deprecates assigning to what tells how an array lies in memory; a view has a layout of its own."""
    sources = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]
    assert len(sources) > 100
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in sources
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Store)
        and node.attr in {"shape", "strides", "dtype"}
    ]
    assert found == []


def test_imports_point_down() -> None:
    command = Path(sys.executable).with_name("lint-imports")
    if not command.exists():
        pytest.skip("import-linter is not installed")
    run(command, "--no-cache", PYTHONPATH=PACKAGE.parent, NO_COLOR="1")


# ------------------------------------------------------------------------------------------ the cache of machine code

USE = """
import sys
import numpy as np
from setwise import compass
from setwise.compiler import cache
compiled = []
cache.announce = compiled.append
print(compass.north_east(1 << 27).names(), compass.north_east(np.array([0, 1, 2, 4, 128], np.uint64)).tolist())
print(cache.cache_directory())
print(sorted(compiled), "numba" in sys.modules)
"""
RIGHT = "['e5'] [0, 512, 1024, 2048, 0]"  # of d4; and of nothing, a1, b1, c1, h1
COMPILED = "['compass.north_east'] True"  # by Numba
KEPT = "[] False"


def use(**environment: str | Path) -> tuple[str, str]:
    """Call a pattern both ways in a fresh interpreter: the cache's folder, and what was compiled."""
    result, folder, compiled = interpreted(USE, **environment).splitlines()
    assert result == RIGHT
    return folder, compiled


def test_the_second_start_compiles_nothing_and_needs_no_compiler(tmp_path: Path) -> None:
    folder, compiled = use(SETWISE_CACHE_DIR=tmp_path)
    assert (Path(folder).parent, compiled) == (tmp_path, COMPILED)
    assert use(SETWISE_CACHE_DIR=tmp_path) == (folder, KEPT)


@pytest.mark.slow
def test_two_processes_may_fill_a_cache_at_once(tmp_path: Path) -> None:
    environment = os.environ | {"SETWISE_CACHE_DIR": str(tmp_path / "new" / "cache")}
    processes = [
        subprocess.Popen([sys.executable, "-c", USE], env=environment, stdout=subprocess.PIPE, text=True) for _ in "ab"
    ]
    outputs = [process.communicate(timeout=300)[0] for process in processes]
    assert [process.returncode for process in processes] == [0, 0]
    assert [output.splitlines()[0] for output in outputs] == [RIGHT, RIGHT]
    [folder] = (tmp_path / "new" / "cache").iterdir()
    assert [file.name.rsplit(".", 2)[0] for file in folder.glob("*.nbc")] == ["compass.north_east"]


@pytest.mark.slow
def test_an_unwritable_cache_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "a file").touch()
    (tmp_path / "read only").mkdir(mode=0o500)
    unwritable = [tmp_path / "a file", tmp_path / "a file" / "below"]
    unwritable += [tmp_path / "read only"] * (not os.access(tmp_path / "read only", os.W_OK))  # root may write anywhere
    for number, chosen in enumerate(unwritable):
        elsewhere = tmp_path / f"elsewhere {number}"
        folder, _ = use(SETWISE_CACHE_DIR=chosen, XDG_CACHE_HOME=elsewhere, LOCALAPPDATA=elsewhere, HOME=elsewhere)
        assert Path(folder).is_relative_to(elsewhere)


@pytest.mark.slow
def test_without_any_cache_everything_still_works() -> None:
    nowhere = "from setwise.compiler import cache\ncache._candidates = lambda: iter(())\n"
    assert interpreted(nowhere + USE).splitlines() == [RIGHT, "None", COMPILED]


@pytest.mark.slow
@pytest.mark.parametrize("damage", ["cut", "one bit", "empty", "foreign"][: depth(2, 4)])
def test_a_damaged_file_is_compiled_again(tmp_path: Path, damage: str) -> None:
    folder, _ = use(SETWISE_CACHE_DIR=tmp_path)
    for file in Path(folder).iterdir():
        code = file.read_bytes()
        middle = len(code) // 2
        flipped = code[:middle] + bytes([code[middle] ^ 1]) + code[middle + 1 :]
        written = {"empty": b"", "cut": code[:middle], "foreign": b"not machine code", "one bit": flipped}
        file.write_bytes(written[damage])
    assert use(SETWISE_CACHE_DIR=tmp_path) == (folder, COMPILED)
    assert use(SETWISE_CACHE_DIR=tmp_path) == (folder, KEPT)


STEPS, LOOPS = "patterns/compass.py", "compiler/llvm/loops.py"


@pytest.mark.slow
def test_what_depends_on_a_changed_definition_is_compiled_again(tmp_path: Path) -> None:
    """Comments, docstrings, annotations and lines compile nothing, wherever they are; code compiles what reaches it."""
    shutil.copytree(PACKAGE, tmp_path / "setwise", ignore=shutil.ignore_patterns("__pycache__"))
    # Python takes its bytecode for current if a text changes within a second and keeps its length.
    places = {"PYTHONPATH": tmp_path, "SETWISE_CACHE_DIR": tmp_path / "cache", "PYTHONDONTWRITEBYTECODE": "1"}

    def change(file: str, before: str, after: str) -> None:
        source = tmp_path / "setwise" / file
        text = source.read_text("utf-8")
        assert before in text
        source.write_text(text.replace(before, after, 1), "utf-8")

    assert use(**places)[1] == COMPILED
    for file in (STEPS, LOOPS, "patterns/bits.py", "compiler/definitions.py", "compiler/cache.py", "errors.py"):
        change(file, '"""', '"""Changed: ')
        change(file, "\n\n", "\n# a comment\n\n")
    change(STEPS, "def north_east(squares: Set) -> Set:", "def north_east(squares: Set) -> Set:  # a line more\n")
    change(LOOPS, "def _item(builder: Any", "def _item(builder: object")
    change("patterns/bits.py", "EMPTY =", "UNUSED = np.uint64(99)\nEMPTY =")
    assert use(**places)[1] == KEPT
    change(STEPS, "(squares << NINE) & NOT_FILE_A", "NOT_FILE_A & (squares << NINE)")
    assert use(**places)[1] == COMPILED
    change(LOOPS, "_AHEAD = 4096", "_AHEAD = 8192")
    assert use(**places)[1] == COMPILED


FOREIGN = """
import sys
from setwise import bits
from setwise.compiler import Set, pattern

@pattern
def edge(squares: Set) -> Set:
    return squares & bits.{file}

print(edge(0xff).names(), edge([0xff]).tolist(), "numba" in sys.modules)
"""


@pytest.mark.slow
def test_a_pattern_from_elsewhere_is_kept_and_never_stale(tmp_path: Path) -> None:
    outputs = [interpreted(FOREIGN.format(file=file), SETWISE_CACHE_DIR=tmp_path) for file in ("FILE_A", "FILE_H") * 2]
    assert outputs == ["['a1'] [1] True\n", "['h1'] [128] True\n", "['a1'] [1] False\n", "['h1'] [128] False\n"]


ALLOCATING = """
import numpy as np
from setwise.compiler import entry
from setwise.compiler.kinds import uint64

@entry(uint64, uint64)
def summed(size):
    return np.arange(size, dtype=np.uint64).sum()

print(summed(10))
"""


@pytest.mark.slow
def test_what_numbas_own_runtime_must_run_is_not_kept(tmp_path: Path) -> None:
    assert [interpreted(ALLOCATING, SETWISE_CACHE_DIR=tmp_path) for _ in range(2)] == ["45\n"] * 2


SIGNED = """
import numpy as np
from setwise.compiler import Set, pattern

@pattern
def shifted(squares: Set) -> Set:
    return squares & 255

shifted(2)
"""


@pytest.mark.slow
def test_what_is_refused_is_not_kept(tmp_path: Path) -> None:
    for _ in range(2):
        assert (
            "as int64, where sets need unsigned"
            in run(sys.executable, "-c", SIGNED, status=1, SETWISE_CACHE_DIR=tmp_path).stderr
        )


if __name__ == "__main__":
    PUBLIC_NAMES.write_text("\n".join(public_names()) + "\n")
    feature_modules.PATH.write_text(feature_modules.written(), "utf-8")
