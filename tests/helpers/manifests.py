"""Manifests as they were written by older versions, and damaged ones."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any


def rewrite(manifest: Path, change: Callable[[dict[str, Any]], dict[str, Any]] = lambda line: line) -> None:
    """Write the lines of a manifest as older versions did, without numbers, checksums and the last line; changed."""
    lines = []
    for text in manifest.read_text().splitlines():
        line = json.loads(text)
        if "lines" not in line:
            lines.append(change({name: it for name, it in line.items() if name not in {"line", "crc32"}}))
    manifest.write_text("".join(json.dumps(line) + "\n" for line in lines))
