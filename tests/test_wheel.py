"""A wheel with machine code, installed where there is no compiler: all of it works, and says what answers."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
import venv
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from helpers.data import FAMOUS_GAMES, ROOT
from helpers.depth import NIGHT, depth
from helpers.features import cases_of
from helpers.processes import run
from setwise.catalogue.warmup import entries
from setwise.compiler import Entry, Pattern
from setwise.compiler.targets import jit, shipped

pytestmark = pytest.mark.slow

OWN = """
import numpy as np
from setwise.compiler import Count, Set, pattern, popcount

ONE = np.uint64(1)


@pattern
def beside(squares: Set) -> Set:
    \"\"\"Return the squares one step up in number.\"\"\"
    return squares << ONE


@pattern
def many(squares: Set) -> Count:
    \"\"\"Return the number of squares, none where there are few.\"\"\"
    if popcount(squares) > np.uint64(8):
        return popcount(squares)
    return np.uint64(0)
"""


@pytest.fixture(scope="module", autouse=True)
def _any_level() -> Iterator[None]:
    """Let processes choose their level by themselves."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("SETWISE_CPU", raising=False)
        yield


def system() -> str:
    """The system of this machine, as wheels name it."""
    if sys.platform != "linux" or not LEVELS:
        pytest.skip("no wheel is built for this machine")
    return f"linux-{'aarch64' if LEVELS == ['aarch64'] else 'x86_64'}"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this machine's kind, with the levels of processors that it can run."""
    pytest.importorskip("ziglang", reason="ziglang, which links wheels, is not installed")
    folder = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder]
    run(*build, folder=ROOT, seconds=1800, SETWISE_SYSTEM=system(), SETWISE_LEVELS=" ".join(LEVELS))
    [built] = folder.glob("*.whl")
    return built


#: The levels for which code is compiled ahead: by night all in a wheel, else one.
LEVELS = shipped._levels()[: depth(1, None)]


@functools.cache
def chosen() -> dict[str, Entry]:
    """What is compiled ahead: by night everything."""
    return dict(sorted(entries().items())[:: depth(24, 1)])


SHIP = f"""
import sys
from pathlib import Path
sys.path.insert(0, {str(ROOT)!r})
import hatch_code
every = hatch_code.entries()
hatch_code.entries = lambda: {{name: every[name] for name in sys.argv[4:]}}
sys.exit(hatch_code.ship(sys.argv[1], Path(sys.argv[2]), [sys.argv[3]]))
"""


@pytest.fixture(scope="module")
def code(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the libraries."""
    folder = tmp_path_factory.mktemp("code")
    if not NIGHT:
        pytest.importorskip("ziglang", reason="ziglang, which links wheels, is not installed")
        run(sys.executable, "-c", SHIP, system(), folder, *LEVELS, *chosen(), seconds=1800, SETWISE_CPU="jit")
        return folder
    with zipfile.ZipFile(request.getfixturevalue("wheel")) as archive:
        archive.extractall(folder)
    return folder / "setwise" / "compiler" / "code"


@pytest.fixture(scope="module")
def alone(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment with the wheel, and what it needs: no compiler among it."""
    folder = tmp_path_factory.mktemp("alone")
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    run(python, "-m", "pip", "install", "--quiet", wheel, seconds=600)
    return python


@pytest.fixture(params=LEVELS)
def from_wheel(code: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Let this process find the library of a level in the wheel, each level of this processor in turn."""
    monkeypatch.setattr(shipped, "FOLDER", code)
    monkeypatch.setenv("SETWISE_CPU", request.param)
    for kept in (shipped.library, shipped._address_in_library, shipped._has_text):
        kept.cache_clear()


def fails(*command: str | Path, **environment: str) -> str:
    """What a command that fails says."""
    done = subprocess.run(
        command, env=os.environ | environment, capture_output=True, encoding="utf-8", timeout=600, check=False
    )
    assert done.returncode != 0
    return done.stdout + done.stderr


# ------------------------------------------------------------------------------------------------------ what it holds


@pytest.mark.nightly
def test_a_wheel_is_small_and_for_its_system(wheel: Path, code: Path) -> None:
    assert wheel.stat().st_size < 12e6
    assert "-py3-none-manylinux_2_17_" in wheel.name
    assert {it.stem for it in code.iterdir()} == set(LEVELS)


def test_every_function_has_shipped_code(from_wheel: None) -> None:
    assert (shipped.library().level, shipped.library().why) == (os.environ["SETWISE_CPU"], "")
    for name, entry in chosen().items():
        assert shipped.has(entry), name
        assert not isinstance(entry, Pattern) or shipped.ufunc_of(entry) is not None, name


def test_shipped_code_answers_as_compiled_code(from_wheel: None) -> None:
    wrong, patterns = [], [it for it in chosen().values() if isinstance(it, Pattern)]
    assert len(patterns) > depth(8, 200)
    for it in patterns:
        cases = cases_of(it, 100)
        expected = jit.ufunc_of(it)(*cases)
        ufunc, raw = shipped.ufunc_of(it), shipped.machine_code(it)
        strided = [np.repeat(case, 2)[::2] for case in cases]
        words = [[int(value) for value in row] for row in zip(*cases, strict=True)][:20]
        if (
            ufunc is None
            or not np.array_equal(ufunc(*cases), expected)
            or not np.array_equal(ufunc(*strided), expected)
            or [raw(*row) for row in words] != [jit.machine_code(it)(*row) for row in words]
        ):
            wrong.append(it.name)
    assert wrong == []


# --------------------------------------------------------------------------------------------------- without a compiler


@pytest.mark.nightly
def test_everything_works_without_a_compiler(alone: Path, tmp_path: Path) -> None:
    assert "No module named 'numba'" in fails(alone, "-c", "import numba")
    doctor = run(alone, "-m", "setwise", "doctor", folder=tmp_path).stdout
    assert f"shipped code: for {shipped._levels()[0]}" in doctor
    assert "compiler: none" in doctor
    assert run(alone, "-m", "setwise", "demo", folder=tmp_path).stdout.count("$ setwise ") == 5
    assert "0 functions compiled" in run(alone, "-m", "setwise", "warmup", folder=tmp_path).stderr
    games = ["find", "is_checkmate", FAMOUS_GAMES, "--columns", "white_name,ply"]
    assert run(alone, "-m", "setwise", *games).stdout == run(sys.executable, "-m", "setwise", *games).stdout
    run(alone, "-m", "setwise", "scan", FAMOUS_GAMES, "--output", tmp_path / "scan")
    count = ["-m", "setwise", "sql", "SELECT count(*) AS n FROM positions"]
    assert run(alone, *count, tmp_path / "scan").stdout == run(sys.executable, *count, FAMOUS_GAMES).stdout


@pytest.mark.nightly
def test_own_patterns_are_evaluated_and_it_is_said(alone: Path, tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(OWN, "utf-8")
    question = ["find", "own.beside(white_king) <> 0 and own.many(white_pieces) > 9", FAMOUS_GAMES, "--columns", "ply"]
    answered = run(alone, "-m", "setwise", *question, "--load", "own.py", folder=tmp_path)
    expected = run(sys.executable, "-m", "setwise", *question, "--load", "own.py", folder=tmp_path)
    assert answered.stdout == expected.stdout != ""
    assert "is evaluated by NumPy, slowly: pip install 'setwise[jit]' installs a compiler" in answered.stderr


@pytest.mark.nightly
def test_what_cannot_be_loaded_is_one_sentence(alone: Path, tmp_path: Path) -> None:
    installed = Path(run(alone, "-c", "import setwise; print(setwise.__path__[0])").stdout.strip())
    command = [alone, "-m", "setwise", "perft", "3"]
    assert "SETWISE_CPU=x86-64-v9 is not a level" in fails(*command, SETWISE_CPU="x86-64-v9")
    assert "pip install 'setwise[jit]'" in fails(*command, SETWISE_CPU="jit")
    library = installed / "compiler" / "code" / f"{shipped._levels()[0]}.so"
    kept = library.read_bytes()
    try:
        library.unlink()
        library.write_bytes(kept[: len(kept) // 2])
        assert "pip install 'setwise[jit]'" in fails(*command)
        assert "is damaged; install setwise again" in fails(alone, "-m", "setwise", "doctor")
    finally:
        library.unlink()
        library.write_bytes(kept)
    changed = installed / "patterns" / "knight.py"
    text = changed.read_text("utf-8")
    every = f"{len(entries())} of {len(entries())} functions"
    edits = {
        text: every,
        f"{text}\n# a comment\n": every,
        text.replace(
            "near << SIXTEEN | near >> SIXTEEN", "near >> SIXTEEN | near << SIXTEEN"
        ): "; the others were changed",
    }
    try:
        for edited, answer in edits.items():
            changed.write_text(edited, "utf-8")
            doctor = subprocess.run([alone, "-m", "setwise", "doctor"], capture_output=True, text=True, check=False)
            assert answer in doctor.stdout
            attacks = [alone, "-c", "from setwise import knight; print(knight.attacks([1]))"]
            assert ("is evaluated by NumPy" in run(*attacks).stderr) == (answer != every)
        assert "setwise was shipped without code of this definition" in fails(*command)
    finally:
        changed.write_text(text, "utf-8")
    assert run(*command).stdout.split()[-1] == "8902"


@pytest.mark.nightly
def test_many_processes_start_at_once(alone: Path, tmp_path: Path) -> None:
    command = [alone, "-m", "setwise", "perft", "3"]
    with ThreadPoolExecutor(20) as pool:
        done = list(pool.map(lambda _: run(*command, SETWISE_CACHE_DIR=tmp_path / "nowhere"), range(20)))
    assert {it.stdout.split()[-1] for it in done} == {"8902"}
    assert not (tmp_path / "nowhere").exists()
