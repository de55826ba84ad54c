"""The names that every example may use: ``setwise``, its topic modules, ``view``, ``Bitboard`` and ``np``."""

from __future__ import annotations

import importlib
import importlib.util
import os
import pkgutil
from collections.abc import Generator
from pathlib import Path
from typing import Any

import filelock
import numpy as np
import pytest
from _pytest.doctest import DoctestModule

#: Whether this is a run by night, as tests/helpers/depth.py has it, which cannot be imported yet.
_NIGHT = os.environ.get("SETWISE_TESTS") == "night"
#: Sphinx's settings have no examples, and make tables of four pieces when they are imported. The page on Spark needs a
#: session, which tests/test_spark.py has; the modules need PySpark.
collect_ignore = ["docs/conf.py", "docs/spark.md"]
if importlib.util.find_spec("pyspark") is None:
    collect_ignore += ["src/setwise/spark"]

#: Whether Numba is installed. Without it the tests run on the code of an installed wheel, except those of the compiler
#: and of the documentation, whose boards are compiled.
_COMPILES = importlib.util.find_spec("numba") is not None
_OF_THE_COMPILER = (
    "boards", "docs", "foreign_wheels", "lanes", "memory", "private_names", "python_objects", "ufuncs", "warmup",
    "webassembly", "wheel",
)  # fmt: skip
if not _COMPILES:
    collect_ignore += ["docs/calling.md", *(f"tests/test_{it}.py" for it in _OF_THE_COMPILER)]


def pytest_configure(config: pytest.Config) -> None:
    """Test what is compiled here, not what a wheel left in a clone.

    Without a compiler let patterns of the tests' own be evaluated, although a warning says that this is slow.
    """
    if _COMPILES:
        os.environ.setdefault("SETWISE_CPU", "jit")
    else:
        config.addinivalue_line("filterwarnings", "ignore:.* is evaluated by NumPy:UserWarning")


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path) -> Generator[None, list[Any], list[Any]]:
    """Leave out the docstrings of tests, which would be collected a second time: they have no examples."""
    collected = yield
    in_tests = Path(__file__).parent / "tests" in file_path.parents
    return [it for it in collected if not (in_tests and isinstance(it, DoctestModule))]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Generator[None, Any, Any]:
    """Without a compiler skip a test that calls compiled code of its own."""
    try:
        return (yield)
    except Exception as error:
        if not _COMPILES and type(error).__name__ == "CompilerMissing" and str(error).startswith("test_"):
            pytest.skip("Numba is not installed (the extra jit)")
        raise


@pytest.fixture(scope="session", autouse=True)
def _tablebase() -> None:
    """Name the folder of exact ends for this process and its children; the first run makes the tables and leaves them.

    They have three pieces by day and four by night. Columns of exact ends are computed wherever all columns are.
    """
    pieces = 4 if _NIGHT else 3
    folder = Path(__file__).parent / "build" / f"tablebase-{pieces}"
    folder.parent.mkdir(exist_ok=True)
    names = [it for it in importlib.import_module("setwise.tablebases.solving").MATERIALS if len(it) <= pieces]
    with filelock.FileLock(f"{folder}.lock"):
        importlib.import_module("setwise").build_tablebase(folder, names)
    os.environ["SETWISE_TABLEBASE"] = str(folder)


@pytest.fixture(scope="session")
def doctest_namespace() -> dict[str, Any]:
    setwise = importlib.import_module("setwise")
    topics = [module.name for module in pkgutil.iter_modules(importlib.import_module("setwise.patterns").__path__)]
    named = {name: getattr(setwise, name) for name in (*topics, "view", "Bitboard")}
    return named | {"setwise": setwise, "np": np}
