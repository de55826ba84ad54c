"""What a terminal can show, and what the user wants of it."""

from __future__ import annotations

import os
import sys

__all__ = ["shows_colors"]


def shows_colors() -> bool:
    """Return whether standard output is a terminal whose user has not switched colours off (``NO_COLOR``)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")
