"""All patterns as a package for JavaScript: ``python javascript/webassembly.py [FOLDER]``.

The package contains a WebAssembly module, the script that loads it, types with a sentence about each pattern, and a
README.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Mapping
from pathlib import Path

from numba import types
from numba.core.compiler_lock import global_compiler_lock

from setwise import __version__
from setwise.catalogue.pages import Page, pages
from setwise.compiler import Entry, Pattern, cache
from setwise.compiler.llvm.private_names import Optimizer, compile_for
from setwise.compiler.targets.ahead import Units, assembly, machine_for, wrapped
from setwise.patterns import TECHNIQUES

#: The folder of the files that do not depend on the patterns: those that are copied, and texts of assembly.
_HERE = Path(__file__).parent
_COPIED = ("README.md", "index.js")
_HEAD = "// For each pattern its arguments: name, kind, largest value; last its result. Made by setwise."

#: The TypeScript types of kinds; kinds not listed here are numbers.
_TYPES = {"set of squares": "bigint", "flag": "boolean"}


def write_package(folder: Path) -> None:
    """Write the package into a folder, which is created; this can be called only once in a process.

    Raises:
        CalledProcessError: when the linker fails.
    """
    known = {
        page.name: page
        for page in pages().values()
        if page.sort == "pattern" and isinstance(page.thing, Pattern) and page.topic not in TECHNIQUES
    }
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "setwise.wasm").write_bytes(linked({name: page.thing for name, page in known.items()}))
    for name in _COPIED:
        shutil.copy(_HERE / name, folder)
    signatures = json.dumps(_signatures(known), indent=1)
    (folder / "patterns.js").write_text(f"{_HEAD}\nexport const PATTERNS = {signatures};\n", "utf-8")
    (folder / "index.d.ts").write_text(_types(known), "utf-8")
    package = json.loads((_HERE / "package.json").read_text("utf-8")) | {"version": __version__}
    (folder / "package.json").write_text(json.dumps(package, indent=2) + "\n", "utf-8")


def linked(functions: Mapping[str, Entry], *, notes: bool = False) -> bytes:
    """Return a WebAssembly module with functions of words under these names; call this only once in a process.

    Args:
        functions: the functions by name.
        notes: whether the functions record their steps; the module then has functions that read the records.

    Raises:
        CalledProcessError: when the linker fails.
    """
    with tempfile.TemporaryDirectory() as folder:
        relocatable, module = Path(folder, "functions.o"), Path(folder, "functions.wasm")
        relocatable.write_bytes(object_of(functions, notes=notes))
        link = [sys.executable, "-m", "ziglang", "wasm-ld", "--no-entry", "--export-dynamic", "--strip-all", "-O2"]
        subprocess.run([*link, str(relocatable), "-o", str(module)], check=True)  # noqa: S603
        return module.read_bytes()


def _signatures(known: dict[str, Page]) -> dict[str, list[list[object]]]:
    """For each pattern its arguments, each with its largest value, and at the end its result."""
    return {
        name: [*([argument, kind.name, str(kind.largest)] for argument, kind in page.thing.kinds.items()),
               ["", page.thing.returns.name, str(page.thing.returns.largest)]]
        for name, page in known.items()
    }  # fmt: skip


def _types(known: dict[str, Page]) -> str:
    """The declarations in TypeScript."""
    lines = [
        "/** A set of squares: 64 bits, a1 = bit 0, h1 = bit 7, h8 = bit 63. */",
        "export type Squares = bigint;",
        "",
    ]
    by_topic: dict[str, list[Page]] = {}
    for page in known.values():
        by_topic.setdefault(page.topic, []).append(page)
    lines.append("export interface Setwise {")
    for topic, listed in by_topic.items():
        lines.append(f"  {topic}: {{")
        for page in listed:
            lines += textwrap.wrap(f"/** {page.summary} */", 110, initial_indent="    ", subsequent_indent="     * ")
            arguments = ", ".join(f"{name}: {_type(kind.name)}" for name, kind in page.thing.kinds.items())
            lines.append(f"    {page.bare_name}({arguments}): {_type(page.thing.returns.name)};")
        lines.append("  };")
    lines += [
        "}",
        "",
        "/** Load the module; by default the file beside this one. */",
        "export function load(source?: URL | string | BufferSource): Promise<Setwise>;",
        "",
    ]
    return "\n".join(lines)


def _type(kind: str) -> str:
    return "Squares" if _TYPES.get(kind) == "bigint" else _TYPES.get(kind, "number")


# ------------------------------------------ functions of 64-bit words as a module of WebAssembly, which imports nothing


_TRIPLE = "wasm32-unknown-unknown"

#: In compiled code: note a word under a number, and return the word.
RECORD = types.ExternalFunction("setwise_record", types.uint64(types.int64, types.uint64))

#: The functions that read what was noted.
_READERS = ("notes.forget", "notes.count", "notes.number", "notes.word")


def object_of(functions: Mapping[str, Entry], *, notes: bool = False) -> bytes:
    """Return a relocatable object with functions of words under these names; with ``notes``, they can note words.

    A process can call it only once: Numba would reuse the code that it compiled before, for another processor.
    """
    cache.keeps = False
    machine = machine_for(_TRIPLE)
    compile_for(machine, "")
    exported = ((function, _exported(name, len(function.signature.arguments))) for name, function in functions.items())
    with global_compiler_lock:
        module = wrapped(
            Units(Optimizer(machine, "")), exported, {*functions, *_READERS}, assembly(_HERE / "notes.ll") * notes
        )
        code: bytes = machine.emit_object(module)
        return code


def _exported(name: str, count: int) -> str:
    words = [f"i64 %word{number}" for number in range(count)]
    arguments = "".join(f", {word}" for word in words)
    return assembly(_HERE / "exported.ll", name=name, parameters=", ".join(words), arguments=arguments)


if __name__ == "__main__":
    write_package(Path(*sys.argv[1:2] or ["build/wasm"]))
