"""Imports that wait until a module is used, also for parts of Arrow; and installed packages that announce patterns."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec
    from importlib.metadata import EntryPoint

__all__ = ["announced", "import_arrow_without_pandas", "Later", "fs", "pc", "pq"]


# -------------------------------------------------------------------------- packages that are installed beside this one


#: Where installed packages announce modules of patterns: ``[project.entry-points."setwise.patterns"]``.
_GROUP = "setwise.patterns"


def announced() -> Iterable[EntryPoint]:
    """Return the modules of patterns that installed packages announce."""
    if not any(map(_may_announce, sys.path)):
        return ()
    from importlib.metadata import entry_points  # slower to import than the search for folders that need it

    return entry_points(group=_GROUP)


def _may_announce(place: str) -> bool:
    """Whether an entry of ``sys.path``, a folder or an archive, may have a package that announces patterns."""
    path = Path(place or ".")
    if not path.is_dir():
        return path.exists()
    try:
        return any(_GROUP in file.read_text("utf-8") for file in path.glob("*-info/entry_points.txt"))
    except (OSError, ValueError):
        return True


def import_arrow_without_pandas() -> None:
    """Make Arrow record, when it is imported, that pandas is missing: pandas would double the time of the start."""
    if "pyarrow" not in sys.modules:
        sys.meta_path.insert(0, _Arrow)


class _Arrow:
    """An importer that finds Arrow once, and hides pandas when Arrow first looks for it."""

    @staticmethod
    def find_spec(name: str, *_: object) -> ModuleSpec | None:
        """Return how Arrow is imported; leave all other modules to other importers."""
        if name != "pyarrow":
            return None
        sys.meta_path.remove(_Arrow)
        spec = importlib.util.find_spec(name)
        if spec is None or spec.loader is None:
            return None
        run = spec.loader.exec_module

        def run_without_pandas(module: ModuleType) -> None:
            run(module)
            sys.meta_path.insert(0, _NoPandas)
            try:
                module.array([])  # the first call tries to import pandas, once
            finally:
                sys.meta_path.remove(_NoPandas)

        spec.loader.exec_module = run_without_pandas  # type: ignore[method-assign]
        return spec


class _NoPandas:
    """An importer that reports pandas as missing."""

    @staticmethod
    def find_spec(name: str, *_: object) -> None:
        """Refuse pandas; leave all other modules to other importers."""
        if name == "pandas":
            raise ImportError("it is not needed here")


# ------------------------------------------------------------------------------- modules that most commands do not need


class Later:
    """A placeholder that imports a module when a name is first used; it then has the module's names as attributes."""

    def __init__(self, name: str) -> None:
        self.__name__ = name

    def __getattr__(self, name: str) -> Any:
        module = importlib.import_module(self.__name__)
        vars(self).update(vars(module))
        return getattr(module, name)


# ------------------------------------------------------------------------ parts of Arrow that most commands do not need


if TYPE_CHECKING:
    import pyarrow.compute as pc
    import pyarrow.parquet as pq
    from pyarrow import fs
else:
    fs, pc, pq = Later("pyarrow.fs"), Later("pyarrow.compute"), Later("pyarrow.parquet")
