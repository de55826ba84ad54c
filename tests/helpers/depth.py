"""How deep the tests go: by day after every change, by night (``make nightly``) as deep as they can."""

from __future__ import annotations

import os
from typing import TypeVar

__all__ = ["NIGHT", "depth"]

T = TypeVar("T")

#: Whether this is a run by night.
NIGHT = os.environ.get("SETWISE_TESTS") == "night"


def depth(day: T, night: T) -> T:
    """Return how many cases a test takes, or which."""
    return night if NIGHT else day
