"""Messages for arguments in the wrong order, and for commands under the names that other programs use."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from setwise.errors import QueryError

__all__ = ["check_order", "is_file", "no_command"]

#: File names that are certainly sources, by their suffix.
_SOURCE = re.compile(r"[^\s'\"<>=]+\.(pgn|fen|epd|csv|tsv|jsonl|parquet)(\.(zst|gz|bz2|xz))?", re.IGNORECASE)
#: How the address of a source begins.
_ADDRESS = re.compile(r"[a-z][a-z0-9]+://", re.IGNORECASE)
#: The commands, by the names that other programs use.
_OTHER_NAMES = {
    "search": "find", "grep": "find", "filter": "find", "count": "find", "query": "sql", "select": "sql",
    "export": "scan", "draw": "show", "board": "show", "view": "show", "duplicates": "dedupe",
    "unique": "dedupe", "join": "merge", "cat": "merge", "serve": "web", "gui": "web", "server": "web",
    "features": "columns", "list": "patterns", "compile": "warmup", "check": "doctor", "version": "--version",
}  # fmt: skip


def check_order(command: str, question: str, sources: Sequence[str], what: str) -> None:
    """Refuse a file in place of the condition or statement.

    Args:
        command: the name of the command.
        question: the first argument.
        sources: the other arguments.
        what: what the first argument should be, ``CONDITION`` or ``STATEMENT``.

    Raises:
        QueryError: with the corrected command.

    Example:
        >>> check_order("find", "games.pgn", ["is_check"], "CONDITION")
        Traceback (most recent call last):
        setwise.errors.QueryError: games.pgn is a file: setwise find CONDITION FILE: setwise find is_check games.pgn
    """
    others = [source for source in sources if not is_file(source)]
    alone = not sources and Path(question).suffix  # as games.index, a folder
    if not _SOURCE.fullmatch(question) and not (_exists(question) and (alone or (sources and others == list(sources)))):
        return
    import shlex

    condition = shlex.quote(others[0]) if others else '"…"'
    files = shlex.join([question, *(source for source in sources if source not in others[:1])])
    right = f"setwise {command} {condition} {files}"
    raise QueryError(f"{question} is a file: setwise {command} {what} FILE: {right}")


def is_file(source: str) -> bool:
    """Return whether an argument is the name of a source rather than a condition."""
    return source == "-" or bool(_SOURCE.fullmatch(source) or _ADDRESS.match(source)) or _exists(source)


def _exists(name: str) -> bool:
    try:
        return Path(name).exists()
    except (OSError, ValueError):  # a long condition is not a valid file name
        return False


def no_command(name: str, known: Iterable[str]) -> str:
    """Return the message for a command that does not exist."""
    import difflib
    import shlex

    if is_file(name):
        return f'{name} is a file, and a command comes first: setwise find "…" {shlex.quote(name)}'
    other = _OTHER_NAMES.get(name.lower())
    near = [other] if other else difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f"there is no command {name!r:.40}" + (f"; did you mean setwise {near[0]}?" if near else "")
