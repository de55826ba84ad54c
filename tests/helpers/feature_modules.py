"""The data that say in which module each feature is: ``python tests/test_project.py`` writes them."""

from __future__ import annotations

import importlib
import pkgutil

from helpers.data import ROOT

PATH = ROOT / "src" / "setwise" / "features" / "modules.py"

_HEAD = '''"""The module of each feature, in the order of definition; ``tests/test_project.py`` writes this file."""

__all__ = ["MODULES"]

MODULES = {
'''


def written() -> str:
    """What the file should be: all modules are imported."""
    from setwise import features

    places = {}
    for module in pkgutil.iter_modules(features.__path__):
        name = f"{features.__name__}.{module.name}"
        for thing in vars(importlib.import_module(name)).values():
            if isinstance(thing, features.Feature) and thing.definition.__module__ == name:
                places[thing.definition.__name__] = module.name
    lines = (f'    "{name}": "{module}",\n' for name, module in places.items())
    return f"{_HEAD}{''.join(lines)}}}\n"
