"""Where compiled code comes from: definitions need no compiler to be there."""

from __future__ import annotations

import ast
import platform
import re
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import numpy as np
import pytest

from helpers.data import FAMOUS_GAMES
from helpers.processes import python, run
from setwise.compiler import keys
from setwise.compiler.cache import MachineCode
from setwise.compiler.llvm import tables
from setwise.compiler.targets import shipped
from setwise.compiler.targets.levels import LEVELS
from setwise.patterns import knight

SOURCES = Path(__file__).resolve().parents[1] / "src" / "setwise"
#: The decorators of functions that are compiled.
COMPILED = {"entry", "routine", "subroutine", "pattern", "feature"}

#: Imports every module, but for those that compile, where neither Numba nor LLVM is installed.
WITHOUT_A_COMPILER = """
import importlib, pkgutil, sys
sys.modules["numba"] = sys.modules["llvmlite"] = None
import setwise
for module in pkgutil.walk_packages(setwise.__path__, "setwise."):
    if not module.name.startswith(("setwise.compiler.llvm.", "setwise.spark", "setwise.web.preload")):
        if module.name.rpartition(".")[2] not in ("jit", "kept", "ahead", "ptx", "__main__"):
            importlib.import_module(module.name)
import numpy as np
from setwise.patterns import knight
print(knight.attacks.plain(np.uint64(1)))
"""


def test_no_module_needs_a_compiler_to_be_imported() -> None:
    assert python("-c", WITHOUT_A_COMPILER) == "132096\n"  # b3, c2


def decorators(function: ast.FunctionDef) -> set[str]:
    called = (it.func if isinstance(it, ast.Call) else it for it in function.decorator_list)
    return {it.id for it in called if isinstance(it, ast.Name)}


def test_no_kernel_assigns_to_a_slice() -> None:
    """Numba allocates memory for that, which code in a wheel cannot."""
    compiled, slices = 0, []
    for path in SOURCES.rglob("*.py"):
        for function in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(function, ast.FunctionDef) and decorators(function) & COMPILED:
                compiled += 1
                targets = (
                    target
                    for node in ast.walk(function)
                    if isinstance(node, (ast.Assign, ast.AugAssign))
                    for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
                )
                if any(isinstance(part, ast.Slice) for target in targets for part in ast.walk(target)):
                    slices.append(f"{path.relative_to(SOURCES)}: {function.name}")
    assert compiled > 500
    assert slices == []


#: Commands that need machine code, and one that needs none.
COMMANDS = """
import shlex, sys
sys.modules["numba"] = sys.modules["llvmlite"] = None
from setwise.cli import main
for line in ("find is_checkmate {games}", "demo", "scan {games} --output {folder}", "perft 3", "show startpos",
             "sql 'SELECT count(*) FROM positions' {games}", "warmup", "doctor", "patterns knight"):
    try:
        main(shlex.split(line))
    except SystemExit as end:
        print(f"[{end.code}]")
"""


def test_without_a_compiler_and_shipped_code_one_sentence_says_what_to_do(tmp_path: Path) -> None:
    script = COMMANDS.replace("{games}", str(FAMOUS_GAMES)).replace("{folder}", str(tmp_path / "scan"))
    done = run(sys.executable, "-c", script, SETWISE_CPU="jit", folder=tmp_path)
    complaints = done.stderr.splitlines()
    assert len(complaints) == 7
    for line in complaints[:-1]:
        assert re.fullmatch(
            r"setwise: [\w.]+ needs machine code \(SETWISE_CPU asks for code that is compiled here\): "
            r"pip install 'setwise\[jit\]' installs a compiler",
            line,
        ), line
    assert re.fullmatch(r"setwise: \d+ functions need a compiler; pip install 'setwise\[jit\]' .*", complaints[-1])
    assert re.findall(r"^\[(\d)\]$", done.stdout, re.MULTILINE) == [*"22222222", "0"]


#: Follows an exchange, for which an entry calls another one.
EXCHANGED = "import setwise, sys; print(setwise.Position().see('e2e4'), 'numba' in sys.modules)"


@pytest.mark.slow
def test_an_entry_that_others_call_is_kept_once(tmp_path: Path) -> None:
    for numba in ("True", "False"):
        done = run(sys.executable, "-c", EXCHANGED, SETWISE_CPU="jit", SETWISE_CACHE_DIR=tmp_path)
        assert done.stdout == f"0 {numba}\n"
    [outer], [inner] = (
        list(tmp_path.rglob(f"{name}.*.nbc")) for name in ("position.compiled.exchange", "rules.exchange.see")
    )
    code = MachineCode.read(outer.read_bytes()[32:])
    assert [(module, name) for _, module, name in code.calls] == [("setwise.rules.exchange", "see")]
    assert code.tables
    for table in tmp_path.rglob("table.*.nbc"):
        table.write_bytes(b"no table")
    assert run(sys.executable, "-c", EXCHANGED, SETWISE_CPU="jit", SETWISE_CACHE_DIR=tmp_path).stdout == "0 True\n"
    inner.unlink()
    assert run(sys.executable, "-c", EXCHANGED, SETWISE_CPU="jit", SETWISE_CACHE_DIR=tmp_path).stdout == "0 True\n"


@pytest.mark.parametrize(
    ("machine", "flags", "why"),
    [
        ("x86_64", "fpu sse sse2", "there is none for this kind of processor"),
        ("riscv64", "", "there is none for this kind of processor"),
        ("x86_64", " ".join(sorted(LEVELS["x86-64-v2"].needs)), "there is none in this installation"),
    ],
)
def test_why_there_is_no_shipped_code(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, machine: str, flags: str, why: str
) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(platform, "machine", lambda: machine)
    monkeypatch.setattr(shipped, "_flags", lambda: set(flags.split()))
    monkeypatch.setattr(shipped, "FOLDER", tmp_path)
    monkeypatch.delenv("SETWISE_CPU", raising=False)
    assert shipped.library.__wrapped__() == shipped.Library("", None, why)


@pytest.mark.parametrize(
    ("edited", "key", "answers"),
    [
        (None, "of the entry", True),
        (None, "of another", True),  # keys are not compared while all texts are the same
        ("setwise.patterns.bits", "of the entry", True),
        ("setwise.patterns.bits", "of another", False),
        (
            "setwise.compiler.llvm.lowering",
            "of another",
            False,
        ),  # part of every key, loaded or not
        ("setwise.a_module_that_is_not_loaded", "of another", True),
    ],
)
def test_shipped_code_answers_for_unchanged_definitions(
    monkeypatch: pytest.MonkeyPatch, edited: str | None, key: str, answers: bool
) -> None:
    loaded = [name for name in sys.modules if name == "setwise" or name.startswith("setwise.")]
    texts = {name: keys.text_of(name) for name in {*loaded, *keys.ROOM}}
    if edited is not None:
        texts[edited] = "another"
    key = keys.shipped_under(knight.attacks) if key == "of the entry" else key
    library = shipped.Library("some", None, "", texts, {"knight.attacks": key})
    monkeypatch.setattr(shipped, "library", lambda: library)
    monkeypatch.setattr(shipped, "_address_in_library", lambda name: 1)
    assert shipped.has(knight.attacks) == answers
    monkeypatch.setattr(knight.attacks.function, "__module__", "a_users")
    assert not shipped.has(knight.attacks)


def test_a_table_that_threads_need_at_once_is_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A second one would take the place of the first, whose memory would be freed under code that reads it."""
    addresses: list[int] = []
    monkeypatch.setattr(tables.llvm, "add_symbol", lambda _, address: addresses.append(address))
    at_once = np.empty
    monkeypatch.setattr(tables.np, "empty", lambda *of: time.sleep(0.02) or at_once(*of))
    contents = np.random.default_rng(7).bytes(1 << 12)
    begin = Barrier(8)

    def makes() -> str:
        begin.wait()
        return tables.shared(contents)

    with ThreadPoolExecutor(8) as pool:
        names = {it.result() for it in [pool.submit(makes) for _ in range(8)]}
    [name] = names
    assert len(addresses) == 1
    assert tables.contents_of(name) == contents
    del tables._tables[name]
