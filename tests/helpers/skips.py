"""Whether tests were skipped for reasons that ``tests/skips.toml`` does not name."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from pathlib import Path

__all__ = ["unlisted"]

_LIST = Path(__file__).parents[1] / "skips.toml"


def unlisted(reasons: Iterable[str]) -> list[str]:
    """Return the reasons that the list does not have."""
    listed = tomllib.loads(_LIST.read_text("utf-8"))["reasons"]
    return [reason for reason in reasons if not any(re.search(it, reason) for it in listed)]
