"""Machine code for other systems: that of arm64 Linux runs under qemu, the libraries of the others are read."""

from __future__ import annotations

import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helpers.data import ROOT
from helpers.depth import depth
from helpers.patterns import PATTERNS, random_arguments
from helpers.processes import run
from helpers.programs import needed
from setwise.catalogue import pages
from setwise.compiler.targets.levels import LEVELS, SYSTEMS, checksum_beside, checksum_of, symbol

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="wheels for all systems are built on Linux"),
]

_CASES = 150
_FEW = ("knight.fork_targets", "lines.between", "islands.count", "pinned")
#: A program for arm64 that runs the loops of patterns on the columns it reads, and writes what they answer.
_RUNS = """
#include <stdio.h>
#include <stdlib.h>
typedef void loop(char **, long *, long *, void *);
%(declared)s
static struct { loop *run; int arguments; int sizes[13]; } patterns[] = { %(listed)s };
int main(void) {
  for (unsigned k = 0; k < sizeof patterns / sizeof *patterns; k++) {
    char *columns[13];
    long steps[13], count = %(count)d;
    int given = patterns[k].arguments;
    for (int a = 0; a <= given; a++) {
      steps[a] = patterns[k].sizes[a];
      columns[a] = calloc(count, steps[a]);
      if (a < given && fread(columns[a], steps[a], count, stdin) != (size_t) count) return 1;
    }
    patterns[k].run(columns, &count, steps, 0);
    fwrite(columns[given], steps[given], count, stdout);
  }
  return 0;
}
"""


def compiled(system: str, level: str, folder: Path, *names: str) -> Path:
    """The library of a system's level, with the code of some functions or of all patterns."""
    pytest.importorskip("ziglang", reason="ziglang, which links for all systems, is not installed")
    helper = ROOT / "tests" / "helpers" / "foreign.py"
    run(sys.executable, helper, system, level, folder, *names, seconds=1800, SETWISE_CPU="jit")
    return folder / f"{level}.{SYSTEMS[system].suffix}"


#: What runs under qemu: some patterns of each topic, by night every one.
RUN = [it for found in PATTERNS.values() for it in found[:: depth(12, 1)]]


def test_patterns_answer_on_arm64_as_here(tmp_path: Path) -> None:
    qemu = needed("qemu-aarch64")
    library = compiled("linux-aarch64", "aarch64", tmp_path, *(it.name for it in RUN))
    assert library.read_bytes()[:4] == b"\x7fELF"
    loops = [f'extern loop loop{k} __asm__("{symbol(it.name)}.ufunc");' for k, it in enumerate(RUN)]
    sizes = [[kind.dtype.itemsize for kind in (*it.kinds.values(), it.returns)] for it in RUN]
    listed = [f"{{loop{k}, {len(its) - 1}, {{{', '.join(map(str, its))}}}}}" for k, its in enumerate(sizes)]
    source = _RUNS % {"declared": "\n".join(loops), "listed": ",\n".join(listed), "count": _CASES}
    (tmp_path / "runs.c").write_text(source, "utf-8")
    link = [
        "-target",
        "aarch64-linux-musl",
        "-static",
        "-o",
        tmp_path / "runs",
        tmp_path / "runs.c",
        tmp_path / "code.o",
    ]
    run(sys.executable, "-m", "ziglang", "cc", *link, seconds=600)
    cases = [random_arguments(it, _CASES) for it in RUN]
    given = b"".join(column.tobytes() for columns in cases for column in columns)
    said = subprocess.run([qemu, tmp_path / "runs"], input=given, capture_output=True, check=True, timeout=600).stdout
    at = 0
    for it, columns in zip(RUN, cases, strict=True):
        end = at + _CASES * it.returns.dtype.itemsize
        assert np.array_equal(np.frombuffer(said[at:end], it.returns.dtype), it(*columns)), it.name
        at = end
    assert at == len(said)


def read(library: Path) -> Any:
    """A library of any system, as its loader would see it."""
    lief = pytest.importorskip("lief", reason="lief, which reads libraries of all systems, is not installed")
    found = lief.parse(str(library))
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("system", "level", "machine"),
    [
        ("windows-x86_64", "x86-64-v3", "AMD64"),
        ("macos-x86_64", "x86-64-v2", "X86_64"),
        ("macos-arm64", "aarch64", "ARM64"),
    ],
)  # fmt: skip
def test_a_library_of_another_system_is_for_it_and_has_its_functions(
    tmp_path: Path, system: str, level: str, machine: str
) -> None:
    assert level in SYSTEMS[system].levels
    library = compiled(system, level, tmp_path, *_FEW)
    assert checksum_beside(library).read_text() == checksum_of(library)
    found = read(library)
    header = found.header
    assert str(getattr(header, "machine", None) or header.cpu_type).rpartition(".")[2] == machine
    exported = {str(it.name).removeprefix("_") for it in found.exported_functions}
    exported |= {str(it.name).removeprefix("_") for it in getattr(found, "exported_symbols", ())}
    for name in (pages()[it].thing.name for it in _FEW):
        assert {symbol(name), f"{symbol(name)}.ufunc"} <= exported, name
    assert {"setwise_texts", "setwise_keys", "setwise_names", "setwise_places"} <= exported
    assert not [it for it in found.libraries if "python" in str(getattr(it, "name", it)).lower()]


def test_levels_are_of_one_word_size() -> None:
    """Compiled code takes addresses and numbers of 64 bits, as Python has them in all systems of the wheels."""
    assert struct.calcsize("P") == 8
    assert {level for system in SYSTEMS.values() for level in system.levels} == LEVELS.keys()
