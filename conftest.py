"""The names that every example may use: ``setwise``, its topic modules, ``Bitboard`` and ``np``."""

from __future__ import annotations

import importlib
import pkgutil
from typing import Any

import numpy as np
import pytest

FACES = {"cli", "web"}


@pytest.fixture(scope="session")
def doctest_namespace() -> dict[str, Any]:
    setwise = importlib.import_module("setwise")
    topics = {module.name for module in pkgutil.iter_modules(setwise.__path__)} - FACES
    names = {topic: importlib.import_module(f"setwise.{topic}") for topic in topics}
    return names | {"setwise": setwise, "Bitboard": setwise.bitboard.Bitboard, "np": np}
