"""The boards of the documentation that can be changed: what each of them shows, as data, and the scripts that answer.

    python docs/live.py FILE

compiles one module of WebAssembly: all patterns, all features, and the steps of those that have steps.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from addresses import COLUMNS
from filesets import empty_row

from setwise import catalogue
from setwise.catalogue import Page
from setwise.catalogue.examples import RECORD, WHOLE, Drawing, has_steps, letter_of, recording_of
from setwise.catalogue.questions import PORT
from setwise.compiler import Entry
from setwise.compiler.keys import form_of, kept_under
from setwise.compiler.kinds import Signature, uint64
from setwise.features import Side
from setwise.patterns import TECHNIQUES
from setwise.view.svg import COLORS, GREY, MARKS, SQUARE, empty_board, paint, piece

__all__ = ["answered", "captions", "data_of", "functions", "module_in", "script"]

_SOURCES = Path(__file__).with_name("boards")
#: The scripts in the order in which they need each other.
_SCRIPTS = ("answers", "picture", "call", "position", "board", "start")
#: Where the code is that makes a module of compiled functions.
_LINKED_BY = Path(__file__).parents[1] / "javascript"
_BUILD = Path(__file__).parents[1] / "build"


# ------------------------------------------------------------------------------------------------ the compiled module


def answered() -> dict[str, Page]:
    """Return the pages whose boards can answer, by name: of the package's features and patterns, without techniques."""
    every = catalogue.pages().items()
    return {
        name: page
        for name, page in every
        if page.sort in {"pattern", "feature"}
        and page.thing.__module__.startswith("setwise.")
        and page.topic not in TECHNIQUES
    }


def functions(record: Any) -> dict[str, Entry]:
    """Return all functions of the module by name: patterns, features, and steps."""
    named: dict[str, Entry] = {name: page.thing for name, page in answered().items()}
    stepped = {f"{name}.steps": compiled_steps(name, record) for name in answered()}
    return named | {name: found[0] for name, found in stepped.items() if found}


def compiled_steps(name: str, record: Any) -> tuple[Entry, list[str]] | None:
    """Return an entry that computes a pattern and passes each step to ``record``, and the captions; None if no steps.

    Args:
        name: any name of the pattern.
        record: the function that compiled code calls with the number of a caption and a word; it returns the word.
    """
    shown = catalogue.page(name)
    recording = recording_of(shown)
    if recording is None:
        return None
    function = recording.run_in({**recording.function.__globals__, RECORD: record})
    function.__module__, function.__qualname__ = shown.thing.__module__, f"{shown.name}.steps"
    return Entry(function, Signature(uint64, (uint64,) * len(shown.thing.kinds))), recording.captions


def captions() -> dict[str, list[str]]:
    """Return the captions of the steps of all patterns that have steps, and last what the answer is."""
    found = {name: compiled_steps(name, None) for name in answered() if has_steps(name)}
    return {name: [*it[1], answered()[name].sentence] for name, it in found.items() if it}


def write_module(path: Path) -> None:
    """Compile the module into a file; this can be done once in a process."""
    sys.path.insert(0, str(_LINKED_BY))
    import webassembly

    module = webassembly.linked(functions(webassembly.RECORD), notes=True)
    partly = path.with_suffix(f".{os.getpid()}")
    partly.write_bytes(module)
    partly.replace(path)


def module_in(folder: Path = _BUILD) -> bytes:
    """Return the module, which is compiled in a process of its own when a function has changed."""
    texts = [(_LINKED_BY / name).read_text("utf-8") for name in ("webassembly.py", "notes.ll", "exported.ll")]
    made_by = form_of("setwise.compiler.targets.ahead"), *texts
    needed = [*made_by, *(kept_under(it) for _, it in sorted(functions(None).items()))]
    path = folder / f"boards-{hashlib.sha256(repr(needed).encode()).hexdigest()[:16]}.wasm"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        environment = os.environ | {"SETWISE_CPU": "jit"}
        subprocess.run([sys.executable, __file__, str(path)], env=environment, check=True)  # noqa: S603
    return path.read_bytes()


# ------------------------------------------------------------------------------------------------ what a board shows


def data_of(page: Page, drawing: Drawing) -> dict[str, Any] | None:
    """Return what a board needs to be changed; None for a drawing that shows neither a call nor a feature."""
    if page.name not in answered():
        return None
    shown = {"name": page.name, "returns": page.thing.returns.name}
    if drawing.position is not None:
        words = dict(zip(Side._fields, drawing.position.words, strict=False))
        return shown | {
            "pieces": drawing.position.piece_string(),
            "castling": _word(words["castling"]),
            "en_passant": _word(words["en_passant"]),
            "white_to_move": drawing.position.white_to_move,
            "columns": list(drawing.marks) or [f"white_{page.name}", f"black_{page.name}"],
        }
    if not drawing.arguments:
        return None
    values = [*drawing.arguments, *[0] * (len(page.arguments) - len(drawing.arguments))]  # sets left out are empty
    arguments = [
        {
            "name": argument.name,
            "kind": kind.name,
            "largest": kind.largest if kind.largest < 1 << 32 else None,
            "letter": letter_of(argument),
            "value": _word(value),
        }
        for argument, kind, value in zip(page.arguments, page.thing.kinds.values(), values, strict=True)
    ]
    return shown | {
        "answer": page.bare_name,
        "arguments": arguments,
        "whole": {it.name for it in page.arguments} >= WHOLE,
        "pieces": "".join((drawing.pieces or {}).get(square, ".") for square in range(64)),
    }


def _word(value: Any) -> str:
    """A number as JavaScript reads it without loss."""
    return hex(int(value))


# ------------------------------------------------------------------------------------------------ what answers


def script() -> str:
    """Return the script of the boards, with the shapes that they draw."""
    shapes = {
        "empty": empty_board(),
        "row": empty_row(),
        "pieces": {letter: piece(letter) for letter in "PNBRQKpnbrqk"},
        "marks": [[paint(number), outline] for number, (_, _, outline) in enumerate(MARKS)],
        "square": SQUARE,
        "light": COLORS["light"],
        "grey": GREY,
    }
    constants = {"SHAPES": shapes, "CAPTIONS": captions(), "PORT": PORT, "COLUMNS": COLUMNS}
    data = "\n".join(f"const {name} = {json.dumps(value)};" for name, value in constants.items())
    parts = [(_SOURCES / f"{name}.js").read_text("utf-8") for name in _SCRIPTS]
    return "\n".join(['(() => {\n"use strict";', data, *parts, "})();\n"])


def packed(module: bytes) -> str:
    """Return the script that holds the module: one that a page can load from a folder, without a server."""
    return f'globalThis.setwiseModule = "{base64.b64encode(gzip.compress(module, mtime=0)).decode()}";\n'


if __name__ == "__main__":
    write_module(Path(sys.argv[1]))
