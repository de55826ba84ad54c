"""Users' own patterns and features: loaded from files and installed packages, tried on some boards before any use."""

from __future__ import annotations

import importlib.util
import sys
import threading
import traceback
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

from setwise.compiler import PATTERNS, Pattern
from setwise.errors import DefinitionError
from setwise.features.registry import FEATURES
from setwise.rules.board import USUAL_START
from setwise.system.packages import announced

_PACKAGE = Path(__file__).parents[1]

_PATIENCE = 10.0  # seconds; a pattern takes nanoseconds, its compilation a second or two


def load(path: str | Path) -> list[str]:
    """Run a Python file (or import a module) that defines patterns and features, and return their names.

    Each definition is compiled and tried on a few boards, so that faults are reported here.

    Args:
        path: the file; its name without ``.py`` is the topic of its patterns, as in ``my_patterns.rim``. It can also be
            the name of a module that can be imported.

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
    before = _defined()
    try:
        _run(path)
    except DefinitionError as error:
        raise DefinitionError(f"{_where(path, error)}{error}") from None
    except Exception as error:  # noqa: BLE001  (whatever the file does)
        message = error.msg if isinstance(error, SyntaxError) else str(error)
        raise DefinitionError(f"{_where(path, error)}{type(error).__name__}: {message}") from None
    return _try_new(before)


def _defined() -> dict[str, Pattern]:
    """All definitions so far, except features of this package that have not been imported yet."""
    return {**PATTERNS, **FEATURES.data}


def _run(path: str | Path) -> None:
    """Run a file, or import a module."""
    file, name = Path(path), str(path)
    if not file.is_file():
        if not all(map(str.isidentifier, name.split("."))) or _spec_of(name) is None:
            raise DefinitionError(f"there is no file and no module {name} of patterns")
        importlib.import_module(name)
        return
    spec = importlib.util.spec_from_file_location(file.stem, file)
    if spec is None or spec.loader is None or not file.stem.isidentifier():
        raise DefinitionError("it is not a Python file with a name that Python can import, such as my_patterns.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[file.stem] = module
    spec.loader.exec_module(module)


def _spec_of(name: str) -> ModuleSpec | None:
    try:
        return importlib.util.find_spec(name)
    except ImportError:
        return None


def load_installed() -> list[str]:
    """Load the modules that installed packages register as ``setwise.patterns``, and return the names they define.

    Raises:
        DefinitionError: a package cannot be loaded, or a definition in it is wrong.
    """
    before = _defined()
    for point in announced():
        try:
            loaded = point.load()
        except Exception as error:  # noqa: BLE001  (whatever the package does)
            raise DefinitionError(
                f"the patterns {point.name!r} of {point.value}: {type(error).__name__}: {error}"
            ) from None
        if callable(loaded) and not isinstance(loaded, ModuleType | Pattern):
            loaded()
    return _try_new(before)


def _where(path: str | Path, error: Exception) -> str:
    """The place of an error in a file or module, followed by a colon."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{error.filename}, line {error.lineno}: "
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not _is_machinery(frame.filename)]
    if frames:
        return f"{frames[-1].filename}, line {frames[-1].lineno}: "
    return f"{path}: " if Path(path).is_file() else ""


def _is_machinery(file: str) -> bool:
    return file.startswith("<frozen") or Path(file).is_relative_to(_PACKAGE) or "importlib" in Path(file).parts


def _try_new(before: dict[str, Pattern]) -> list[str]:
    """Try the definitions outside this package that are not in ``before``, and return their names."""
    new = {
        name: definition
        for name, definition in _defined().items()
        if before.get(name) is not definition and not definition.__module__.startswith("setwise.")
    }
    for definition in new.values():
        try:
            tried(definition)
        except DefinitionError as error:
            code = definition.function.__code__
            raise DefinitionError(f"{code.co_filename}, line {code.co_firstlineno}: {error}") from None
    return list(new)


def tried(definition: Pattern) -> Pattern:
    """Compile a pattern and call it on some boards; return it if the calls succeed.

    Raises:
        DefinitionError: it does not compile, computes with numbers that are not unsigned, or does not end.
    """
    errors: list[Exception] = []

    def call() -> None:
        try:
            for column in _boards(definition):
                definition(*column)
        except Exception as error:  # noqa: BLE001  (raised below)
            errors.append(error)

    calling = threading.Thread(target=call, daemon=True)
    calling.start()
    calling.join(_PATIENCE)
    if calling.is_alive():
        raise DefinitionError(
            f"{definition.name} does not come to an end on a test board: every loop needs a bound, such as "
            "`while squares != EMPTY: squares &= squares - ONE`"
        )
    for error in errors:
        if isinstance(error, DefinitionError):
            raise error
        raise DefinitionError(f"{definition.name} cannot be used: {_first_line(error)}") from None
    return definition


def _boards(definition: Pattern) -> list[tuple[int, ...]]:
    """The arguments to try: empty sets, the sets of the usual start one after the other, full sets."""
    kinds = list(definition.kinds.values())
    words = [int(word) for word in USUAL_START]
    usual = [words[k % len(words)] for k in range(len(kinds))]
    rows = [[0] * len(kinds), usual, [2**64 - 1] * len(kinds)]
    return [tuple(min(word, kind.largest) for word, kind in zip(row, kinds, strict=True)) for row in rows]


def _first_line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return next((line for line in lines if not line.startswith("Failed in nopython mode")), type(error).__name__)
