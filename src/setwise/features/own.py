"""Patterns and features of one's own: loaded from files and installed packages, tried on some boards before any use."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import sys
import threading
import traceback
from pathlib import Path
from types import ModuleType

from setwise.compiler import PATTERNS, Pattern
from setwise.errors import DefinitionError
from setwise.features.registry import FEATURES
from setwise.rules.state import USUAL_START

__all__ = ["load", "load_installed", "tried"]

#: Where installed packages announce modules of patterns: ``[project.entry-points."setwise.patterns"]``.
GROUP = "setwise.patterns"

_PATIENCE = 10.0  # seconds; a pattern takes nanoseconds, its compilation a second or two


def load(path: str | Path) -> list[str]:
    """Run a Python file that defines patterns and features, and return their names.

    Each is compiled and tried on a few boards, so that what cannot work is told here.

    Args:
        path: the file; its name without ``.py`` is the topic of its patterns, ``my_patterns.rim``.

    Raises:
        DefinitionError: the file is missing or broken, or a definition in it is wrong; the message says where and why.

    Example:
        >>> import tempfile, pathlib
        >>> from setwise.features.own import load
        >>> file = pathlib.Path(tempfile.mkdtemp(), "my_patterns.py")
        >>> _ = file.write_text('''
        ... from setwise import Set, pattern
        ... from setwise.patterns.bits import FILE_A, FILE_H
        ...
        ... @pattern
        ... def rim(knights: Set) -> Set:
        ...     "Return the knights on the rim."
        ...     return knights & (FILE_A | FILE_H)
        ... ''')
        >>> load(file)
        ['my_patterns.rim']
    """
    path = Path(path)
    if not path.is_file():
        raise DefinitionError(f"there is no file {path} of patterns")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None or not path.stem.isidentifier():
        raise DefinitionError(f"{path} is no Python file with a name that Python can import, such as my_patterns.py")
    before = {**PATTERNS, **FEATURES}
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # noqa: BLE001  (whatever the file does)
        kind = "" if isinstance(error, DefinitionError) else f"{type(error).__name__}: "
        raise DefinitionError(f"{_where(path, error)}: {kind}{error}") from None
    return _try_new(before, str(path))


def load_installed() -> list[str]:
    """Load what installed packages announce under ``setwise.patterns``, and return the names of what they define.

    Raises:
        DefinitionError: a package cannot be loaded, or a definition in it is wrong.
    """
    before = {**PATTERNS, **FEATURES}
    for point in importlib.metadata.entry_points(group=GROUP):
        try:
            found = point.load()
        except Exception as error:  # noqa: BLE001  (whatever the package does)
            raise DefinitionError(
                f"the patterns {point.name!r} of {point.value}: {type(error).__name__}: {error}"
            ) from None
        if callable(found) and not isinstance(found, ModuleType | Pattern):
            found()
    return _try_new(before, f"entry points {GROUP}")


def _where(path: Path, error: Exception) -> str:
    """The place in a file where an error came up."""
    if isinstance(error, SyntaxError):
        return f"{path}, line {error.lineno}"
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
    return f"{path}, line {lines[-1]}" if lines else str(path)


def _try_new(before: dict[str, Pattern], place: str) -> list[str]:
    new = {name: found for name, found in {**PATTERNS, **FEATURES}.items() if before.get(name) is not found}
    for found in new.values():
        try:
            tried(found)
        except DefinitionError as error:
            raise DefinitionError(f"{place}: {error}") from None
    return list(new)


def tried(found: Pattern) -> Pattern:
    """Compile a pattern and call it on some boards; return it if it answers.

    Raises:
        DefinitionError: it does not compile, computes with other than unsigned numbers, or does not come to an end.
    """
    errors: list[Exception] = []

    def call() -> None:
        try:
            for column in _boards(found):
                found(*column)
        except Exception as error:  # noqa: BLE001  (told below)
            errors.append(error)

    calling = threading.Thread(target=call, daemon=True)
    calling.start()
    calling.join(_PATIENCE)
    if calling.is_alive():
        raise DefinitionError(
            f"{found.name} does not come to an end on a test board: every loop needs a bound, such as "
            "`while squares != EMPTY: squares &= squares - ONE`"
        )
    for error in errors:
        if isinstance(error, DefinitionError):
            raise error
        raise DefinitionError(f"{found.name} cannot be used: {_first_line(error)}") from None
    return found


def _boards(found: Pattern) -> list[tuple[int, ...]]:
    """Arguments: nothing at all, the usual position's sets one after the other, everything."""
    kinds = list(found.kinds.values())
    words = [int(word) for word in USUAL_START]
    usual = [words[k % len(words)] for k in range(len(kinds))]
    rows = [[0] * len(kinds), usual, [2**64 - 1] * len(kinds)]
    return [tuple(min(word, kind.largest) for word, kind in zip(row, kinds, strict=True)) for row in rows]


def _first_line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return next((line for line in lines if not line.startswith("Failed in nopython mode")), type(error).__name__)
