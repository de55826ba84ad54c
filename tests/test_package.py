"""What is handed out: the wheel, the source distribution, and what they say of themselves."""

from __future__ import annotations

import os
import re
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

import setwise
from helpers.data import FAMOUS_GAMES, ROOT
from helpers.patterns import numba
from helpers.processes import run
from helpers.programs import needed
from setwise.compiler.targets.levels import SYSTEMS

pytestmark = pytest.mark.slow

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The source distribution, and the wheel that is built from it alone."""
    pytest.importorskip("hatchling", reason="hatchling, which builds the package, is not installed")
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", folder)
    [sdist] = folder.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    source = folder / sdist.name.removesuffix(".tar.gz")
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder, folder=source)
    [wheel] = folder.glob("*.whl")
    return {"sdist": source, "wheel": wheel}


def test_the_wheel_holds_the_package_and_what_it_speaks_of(built: dict[str, Path]) -> None:
    with zipfile.ZipFile(built["wheel"]) as wheel:
        names = set(wheel.namelist())
        games = wheel.read("setwise/examples/famous_games.pgn")
    assert games == FAMOUS_GAMES.read_bytes()
    package = ROOT / "src" / "setwise"
    kept = {it for it in package.rglob("*") if it.is_file() and "__pycache__" not in it.parts}
    assert {f"setwise/{it.relative_to(package).as_posix()}" for it in kept} <= names
    assert {name.split("/")[0] for name in names} == {"setwise", f"setwise-{setwise.__version__}.dist-info"}


def test_the_wheel_works_where_nothing_else_of_the_project_is(built: dict[str, Path], tmp_path: Path) -> None:
    numba()  # this wheel has no machine code
    with zipfile.ZipFile(built["wheel"]) as wheel:
        wheel.extractall(tmp_path / "installed")  # noqa: S202  (of our own making)
    done = run(sys.executable, "-m", "setwise", "demo", folder=tmp_path, PYTHONPATH=tmp_path / "installed")
    assert done.stdout.count("$ setwise ") == 5
    assert "installed/setwise/examples/famous_games.pgn" in done.stdout.replace("\\", "/")
    assert "4865609" in done.stdout
    assert "own_safe_royal_fork_squares: f2" in done.stdout


def test_the_source_distribution_brings_its_tests(built: dict[str, Path]) -> None:
    brought = {it.relative_to(built["sdist"]).as_posix() for it in built["sdist"].rglob("*") if it.is_file()}
    known = run("git", "ls-files").stdout.splitlines() if (ROOT / ".git").exists() else []
    assert not [name for name in known if not name.startswith(".") and name not in brought]
    assert "tests/test_package.py" in brought


def test_what_the_project_says_of_itself_agrees() -> None:
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    assert f"\nversion: {setwise.__version__}\n" in citation
    assert f"repository-code: {PROJECT['urls']['Homepage']}\n" in citation
    assert "## Unreleased" in (ROOT / "CHANGELOG.md").read_text("utf-8")
    pythons = [it for it in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", it)]
    assert PROJECT["requires-python"] == f">={pythons[0].rsplit(' ', 1)[1]}"


def test_the_doctor_finds_nothing_wrong_here() -> None:
    said = run(sys.executable, "-m", "setwise", "doctor").stdout
    assert f"setwise: {setwise.__version__} in " in said
    assert "perft 5: 4,865,609 in " in said
    assert "\n! " not in said


def test_the_doctor_says_what_is_wrong(tmp_path: Path) -> None:
    numba()
    shut = tmp_path / "file"
    shut.touch()
    places = dict.fromkeys(("SETWISE_CACHE_DIR", "XDG_CACHE_HOME", "HOME", "LOCALAPPDATA"), shut / "no")
    code = f"""
import tempfile
tempfile.tempdir = {str(shut)!r}
from setwise.cli.catalogue import _machine
print(*_machine())
"""
    said = run(sys.executable, "-c", code, **places).stdout
    assert "('machine code', 'not kept: every run" in said


def test_a_clone_takes_the_machine_code_of_the_newest_wheel_for_its_system(tmp_path: Path) -> None:
    """As `make setup` does, and `make wheel` afterwards."""
    make = needed("make")
    [rule] = re.findall(r"^\t(@.* \"\$\$CODE\")$", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)[:1]
    command = [make, "-f", ROOT / "Makefile", f"--eval=take: ; {rule}", f"BIN={Path(sys.executable).parent}", "take"]
    code = tmp_path / "src" / "setwise" / "compiler" / "code"
    run(*command, folder=tmp_path)
    assert not code.exists()
    (tmp_path / "dist").mkdir()
    for number, system in enumerate([*SYSTEMS.values()] * 2):
        wheel = tmp_path / "dist" / f"setwise-0.{number}-py3-none-{system.tag}.whl"
        with zipfile.ZipFile(wheel, "w") as archive:
            archive.writestr(f"setwise/compiler/code/{number}.{system.suffix}", system.triple)
            archive.writestr("setwise/version.py", "")
        os.utime(wheel, (number, number))
    run(*command, folder=tmp_path)
    [library] = code.iterdir()
    assert int(library.stem) >= len(SYSTEMS)
    assert [file for file in tmp_path.glob("src/**/*") if file.is_file()] == [library]
    [here] = [it for it in SYSTEMS.values() if library.read_text() == it.triple]
    assert {"linux": "linux", "darwin": "macosx", "win32": "win"}[sys.platform] in here.tag
