"""Source texts of other languages, compiled without warnings and run: ``built`` returns what a program prints."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from helpers.programs import needed

__all__ = ["COMPILERS", "SLOW", "self_tested"]


class _Compiler(NamedTuple):
    """A file, and the commands that compile its self-test and run it; each begins with a program to be found."""

    file: str
    commands: tuple[tuple[str, ...], ...]


_STRICT = ("-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror", "-DSELF_TEST")
COMPILERS = {
    "c": _Compiler("table.c", (("gcc", "-std=c99", *_STRICT, "table.c", "-o", "table"), ("./table",))),
    "cpp": _Compiler("table.cpp", (("g++", "-std=c++17", *_STRICT, "table.cpp", "-o", "table"), ("./table",))),
    "rust": _Compiler("table.rs", (
        ("rustc", "--edition", "2021", "-Dwarnings", "--test", "table.rs", "-o", "table"), ("./table",),
        ("rustc", "--edition", "2021", "-Dwarnings", "--crate-type", "lib", "--emit", "metadata", "table.rs"),
    )),
    "go": _Compiler("table.go", (("go", "vet", "table.go"), ("go", "run", "table.go"))),
    "zig": _Compiler("table.zig", ((sys.executable, "-m", "ziglang", "test", "table.zig"),)),
    "csharp": _Compiler(
        "table.cs", (("mcs", "-warn:4", "-warnaserror+", "-d:SELF_TEST", "table.cs"), ("mono", "table.exe"))
    ),
    "java": _Compiler("{unit}.java", (("javac", "-Xlint:all", "-Werror", "{unit}.java"), ("java", "{unit}"))),
    "javascript": _Compiler("table.mjs", (("node", "table.mjs"),)),
    "python": _Compiler("table.py", ((sys.executable, "-W", "error", "table.py"),)),
}  # fmt: skip
#: The languages whose compilers take seconds for a file, or which are seldom installed.
SLOW = ("go", "zig", "csharp", "java")


def self_tested(text: str, language: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Compile a text without warnings and run its self-test; return how the last command ended."""
    compiler = COMPILERS[language]
    unit = (re.search(r"class (\w+)", text) or [text, "table"])[1]
    if language == "go":  # the text is a package; a program calls its test
        test = re.findall(r"func (\w+SelfTest)\(", text)[-1]
        text = (
            text.replace("package tables", "package main")
            + f"\nfunc main() {{\n\tif !{test}() {{\n\t\tpanic(1)\n\t}}\n}}\n"
        )
    (folder / compiler.file.format(unit=unit)).write_text(text)
    for command in compiler.commands:
        program, *arguments = (word.format(unit=unit) for word in command)
        found = program if "/" in program else needed(program)
        done = subprocess.run([found, *arguments], cwd=folder, capture_output=True, text=True, timeout=300, check=False)
        if done.returncode:
            break
    return done
