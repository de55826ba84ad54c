"""The levels of processors and the systems that code is shipped for, and the names in a library."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import NamedTuple

#: Where the libraries of a wheel are.
FOLDER = Path(__file__).parents[1] / "code"


class Level(NamedTuple):
    """A level of processors: LLVM's names of the processor and of the features that `by_processor` may use."""

    processor: str
    features: str
    #: Linux's names of the features that a processor of the level must have.
    needs: frozenset[str]
    #: The feature by which other systems recognize the level: its number in Windows, its name in macOS.
    in_windows: int = 0
    in_macos: str = ""


_V2 = frozenset({"cx16", "lahf_lm", "popcnt", "sse4_1", "sse4_2", "ssse3"})
_V3 = _V2 | {"abm", "avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "movbe", "xsave"}
_V4 = _V3 | {"avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl"}

#: The levels by name; for each architecture the best level comes first.
LEVELS = {
    "x86-64-v4": Level("x86-64-v4", "+bmi2", _V4, 41, "hw.optional.avx512vl"),
    "x86-64-v3": Level("x86-64-v3", "+bmi2", _V3, 40, "hw.optional.avx2_0"),
    "x86-64-v2": Level("x86-64-v2", "", _V2, 38, "hw.optional.sse4_2"),
    "aarch64": Level("generic", "+neon", frozenset()),
}


#: Processors, by LLVM's names, that have BMI2 but are slow with it: to pack or unpack bits, they take a step for each
#: bit of the mask.
SLOW_WITH_MASKS = frozenset({"bdver4", "znver1", "znver2"})


class System(NamedTuple):
    """A system that wheels are built for: its names in LLVM and in the linker, the wheel's tag, and its libraries."""

    triple: str
    linked_as: str
    tag: str
    suffix: str
    levels: tuple[str, ...]


_X86 = ("x86-64-v4", "x86-64-v3", "x86-64-v2")

SYSTEMS = {
    "linux-x86_64": System(
        "x86_64-unknown-linux-gnu", "x86_64-linux-gnu.2.17", "manylinux_2_17_x86_64.manylinux2014_x86_64", "so", _X86
    ),
    "linux-aarch64": System(
        "aarch64-unknown-linux-gnu", "aarch64-linux-gnu.2.17", "manylinux_2_17_aarch64.manylinux2014_aarch64", "so",
        ("aarch64",),
    ),
    "windows-x86_64": System("x86_64-pc-windows-gnu", "x86_64-windows-gnu", "win_amd64", "dll", _X86),
    "macos-x86_64": System("x86_64-apple-macosx11.0.0", "x86_64-macos", "macosx_11_0_x86_64", "dylib", _X86),
    "macos-arm64": System("arm64-apple-macosx11.0.0", "aarch64-macos", "macosx_11_0_arm64", "dylib", ("aarch64",)),
}  # fmt: skip


def checksum_beside(library: Path) -> Path:
    """Return the file of a library's checksum."""
    return library.with_suffix(".sha256")


def checksum_of(library: Path) -> str:
    """Return the checksum of a library; it is compared, because loading a damaged library would end the process."""
    return hashlib.sha256(library.read_bytes()).hexdigest()


def symbol(name: str) -> str:
    """Return the name of a function in a library: ``setwise.knight.attacks.ufunc``."""
    return f"setwise.{name}"
