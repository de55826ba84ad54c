"""A program that is there but does not work is missing, and whoever needs it says so."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from helpers.data import ROOT
from helpers.processes import run

HELPER = ROOT / "tests" / "helpers" / "programs.py"

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the programs here are shell scripts")


def fake(folder: Path, name: str, script: str) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def missing(*names: str, path: str) -> tuple[str, str]:
    done = run(sys.executable, HELPER, *names, PATH=path)
    return done.stdout, done.stderr


def test_a_program_that_does_not_work_is_missing(tmp_path: Path) -> None:
    broken = fake(tmp_path / "broken", "rustc", "echo 'error: rustup could not choose a version of rustc' >&2; exit 1")
    silent = fake(tmp_path / "broken", "pzstd", "exit 3")
    (tmp_path / "broken" / "g++").write_bytes(b"\x7fELF no program")
    (tmp_path / "broken" / "g++").chmod(0o755)
    packages, reasons = missing("rustc", "pzstd", "g++", path=str(tmp_path / "broken"))
    assert packages.split() == ["rustc", "zstd", "g++"]
    [rust, zstd, cpp] = reasons.splitlines()
    assert (
        rust
        == f"{broken} does not work: error: rustup could not choose a version of rustc (on Debian: apt install rustc)"
    )
    assert f"{silent} does not work: it ends with status 3" in zstd
    assert "g++ does not work: " in cpp


def test_a_program_that_works_stands_in_for_one_of_its_name_that_does_not(tmp_path: Path) -> None:
    fake(tmp_path / "broken", "rustc", "exit 1")
    fake(tmp_path / "works", "rustc", "echo rustc 1.0")
    assert missing("rustc", path=f"{tmp_path / 'broken'}{os.pathsep}{tmp_path / 'works'}") == ("", "")


def test_what_is_not_there_is_told_with_its_package(tmp_path: Path) -> None:
    packages, reasons = missing("pzstd", path=str(tmp_path))
    assert (packages, reasons) == ("zstd\n", "pzstd is not installed (on Debian: apt install zstd)\n")


def test_a_test_of_a_program_that_does_not_work_is_skipped(tmp_path: Path) -> None:
    fake(tmp_path, "rustc", "echo no default toolchain >&2; exit 1")
    test = tmp_path / "test_it.py"
    test.write_text("from helpers.programs import needed\n\n\ndef test_rust():\n    needed('rustc')\n")
    done = run(
        sys.executable, "-m", "pytest", "-rs", "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", tmp_path, test,
        PATH=tmp_path, PYTHONPATH=ROOT / "tests",
    )  # fmt: skip
    assert "1 skipped" in done.stdout
    assert "rustc does not work: no default toolchain (on Debian: apt install rustc)" in done.stdout
