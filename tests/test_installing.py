"""How `make setup` installs packages: by uv with the settings of pip, else by pip, with the same result."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from helpers.data import ROOT
from helpers.processes import run

SCRIPT = ROOT / ".ci" / "install.py"

pytestmark = pytest.mark.skipif(os.name == "nt", reason="make and the programs here are those of Unix")

_spec = importlib.util.spec_from_file_location("install", SCRIPT)
assert _spec is not None
assert _spec.loader is not None
install = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(install)


def test_uv_gets_the_settings_of_pip() -> None:
    listing = """\
:env:.index-url='https://nearer.example/simple'
global.cert='/etc/ssl/ours.pem'
global.extra-index-url='\\nfile:///a/simple\\nfile:///b/simple'
global.find-links='/wheels /more-wheels'
global.index-url='https://far.example/simple'
global.timeout='60'
install.find-links='/wheels-of-install'
"""
    assert install.environment(listing) == {
        "SSL_CERT_FILE": "/etc/ssl/ours.pem",
        "UV_DEFAULT_INDEX": "https://nearer.example/simple",
        "UV_FIND_LINKS": "/wheels-of-install",
        "UV_INDEX": "file:///a/simple file:///b/simple",
        "UV_INDEX_STRATEGY": "unsafe-best-match",
    }
    assert install.environment("global.find-links='/a /b'\n")["UV_FIND_LINKS"] == "/a,/b"
    assert install.environment("") == {"UV_INDEX_STRATEGY": "unsafe-best-match"}


def test_pip_installs_where_uv_has_no_name_for_a_setting() -> None:
    assert install.environment("global.index-url='https://a.example'\ninstall.no-binary=':all:'\n") is None


def program(path: Path, script: str) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def wheel(folder: Path, version: str) -> None:
    folder.mkdir(exist_ok=True)
    about = f"tiny-{version}.dist-info"
    with zipfile.ZipFile(folder / f"tiny-{version}-py3-none-any.whl", "w") as archive:
        archive.writestr("tiny.py", f"version = {version!r}\n")
        archive.writestr(f"{about}/METADATA", f"Metadata-Version: 2.1\nName: tiny\nVersion: {version}\n")
        archive.writestr(
            f"{about}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(f"{about}/RECORD", "")


@pytest.mark.slow
@pytest.mark.parametrize("way", ["uv", "uv fails", "no uv", "a setting of pip alone"])
def test_every_way_installs_the_same(way: str, tmp_path: Path) -> None:
    """pip's settings name two folders with wheels and an index that has nothing, so that nothing leaves the machine."""
    real = shutil.which("uv", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    if way == "uv" and real is None:
        pytest.skip("uv is not installed")
    wheel(tmp_path / "wheels", "1.0")
    wheel(tmp_path / "more", "1.1")
    (tmp_path / "index").mkdir()
    venv.create(tmp_path / "venv", with_pip=True)
    note, programs = tmp_path / "called", tmp_path / "programs"
    programs.mkdir()
    if way != "no uv":
        program(programs / "uv", f'echo "$@" >> {note}\n' + ("exit 1" if way == "uv fails" else f'exec {real} "$@"'))
    settings = f"[global]\nindex-url = file://{tmp_path}/index\nfind-links = {tmp_path}/wheels {tmp_path}/more\n"
    (tmp_path / "pip.conf").write_text(settings + "prefer-binary = yes\n" * (way == "a setting of pip alone"))
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "UV_"))}
    python = tmp_path / "venv" / "bin" / "python"
    command = ["env", "-i", *(f"{name}={value}" for name, value in kept.items())]
    command += [
        f"PATH={programs}:/usr/bin:/bin",
        f"PIP_CONFIG_FILE={tmp_path}/pip.conf",
        f"UV_CACHE_DIR={tmp_path}/cache",
    ]
    said = run(*command, python, SCRIPT, "--quiet", "tiny").stderr
    assert run(python, "-c", "import tiny; print(tiny.version)").stdout == "1.1\n"
    assert note.exists() == (way in {"uv", "uv fails"})
    assert ("pip tries" in said) == (way == "uv fails")
