"""The data that say in which module each feature is: ``python tests/test_project.py`` writes them."""

from __future__ import annotations

import importlib
import pkgutil

from helpers.data import ROOT

PATH = ROOT / "src" / "setwise" / "features" / "modules.tsv"


def written() -> str:
    """What the file should be, a line for each module with features: all modules are imported."""
    from setwise import features

    lines = []
    for module in pkgutil.iter_modules(features.__path__):
        name = f"{features.__name__}.{module.name}"
        things = vars(importlib.import_module(name)).values()
        own = [it for it in things if isinstance(it, features.Feature) and it.definition.__module__ == name]
        if own:
            lines.append("\t".join([module.name, *(it.definition.__name__ for it in own)]) + "\n")
    return "".join(lines)
