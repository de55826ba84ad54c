"""Manifests with changed lines whose checksums are right."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from setwise.corpus.storage.log import _encoded


def encoded(lines: Iterable[dict[str, Any]]) -> bytes:
    """Return lines as they are written."""
    return b"".join(_encoded(line, number) for number, line in enumerate(lines, start=1))


def rewrite(manifest: Path, change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """Change every line of a manifest."""
    manifest.write_bytes(encoded(change(json.loads(text)) for text in manifest.read_text().splitlines()))
