"""Modules that most commands do not need: each is imported when something of it is first used."""

from __future__ import annotations

import importlib
from typing import Any

__all__ = ["Later"]


class Later:
    """What stands for a module until then; afterwards it has the module's names as its own attributes."""

    def __init__(self, name: str) -> None:
        self.__name__ = name

    def __getattr__(self, name: str) -> Any:
        module = importlib.import_module(self.__name__)
        vars(self).update(vars(module))
        return getattr(module, name)
