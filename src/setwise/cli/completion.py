"""What a shell offers when somebody presses TAB: columns, where a condition or a list of them is written."""

from __future__ import annotations

import re

__all__ = ["conditions", "lists_of_columns"]

_LAST_WORD = re.compile(r"\w*\Z")


def _names() -> list[str]:
    from setwise.corpus.columns import COLUMNS

    return list(COLUMNS)


def conditions(incomplete: str) -> list[str]:
    """Return a condition with its last word completed in every way that makes it a column."""
    last = _LAST_WORD.search(incomplete)
    word = last[0] if last else ""
    before = incomplete.removesuffix(word)
    return [before + name for name in _names() if name.startswith(word)] if word else []


def lists_of_columns(incomplete: str) -> list[str]:
    """Return a list with commas whose last name is completed."""
    before, comma, word = incomplete.rpartition(",")
    return [before + comma + name for name in _names() if name.startswith(word.strip())]
