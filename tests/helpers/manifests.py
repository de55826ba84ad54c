"""Manifests with changed lines whose checksums are right."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from setwise.corpus.storage import layout
from setwise.corpus.storage.log import _encoded, contents_of


def encoded(lines: Iterable[dict[str, Any]]) -> bytes:
    """Return lines as they are written."""
    return b"".join(_encoded(line, number) for number, line in enumerate(lines, start=1))


def rewrite(manifest: Path, change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """Change every line of a manifest."""
    manifest.write_bytes(encoded(change(json.loads(text)) for text in manifest.read_text().splitlines()))


def make_former(index: Path) -> None:
    """Give an index the form in which packed games were in ``games``, and runs in ``positions``."""
    manifest, contents = index / "manifest.jsonl", contents_of(index)
    for path in contents.files():
        former = index / layout.former_path(path)
        former.parent.mkdir(parents=True, exist_ok=True)
        (index / path).rename(former)
    for name in ("packed", "keys"):
        shutil.rmtree(index / name)
    lines = [json.loads(text) for text in manifest.read_text().splitlines()]
    lines = [line for line in lines if "layer" not in line and "lines" not in line]
    lines[0] = {"version": "index 1", "columns": ["key"], "partitioning": []}
    for line in lines:
        line.pop("reading", None)
        if "files" in line:
            line["files"] = {layout.former_path(path): held for path, held in line["files"].items()}
    manifest.write_bytes(encoded([*lines, {"lines": len(lines) + 1}]))
