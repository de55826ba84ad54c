"""The names that every example may use: ``setwise``, its topic modules, ``view``, ``Bitboard`` and ``np``."""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
from typing import Any

import numpy as np
import pytest

#: The page on Spark needs a session, which tests/test_spark.py has; the modules need PySpark.
collect_ignore = ["docs/spark.md", *(["src/setwise/spark"] if importlib.util.find_spec("pyspark") is None else [])]


@pytest.fixture(scope="session")
def doctest_namespace() -> dict[str, Any]:
    setwise = importlib.import_module("setwise")
    topics = [module.name for module in pkgutil.iter_modules(importlib.import_module("setwise.patterns").__path__)]
    named = {name: getattr(setwise, name) for name in (*topics, "view", "Bitboard")}
    return named | {"setwise": setwise, "np": np}
