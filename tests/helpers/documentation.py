"""The modules that build the documentation, which are no part of the package."""

from __future__ import annotations

import importlib
import sys

from helpers.data import ROOT

sys.path.insert(0, str(ROOT / "docs"))
addresses, filesets = map(importlib.import_module, ("addresses", "filesets"))
sys.path.remove(str(ROOT / "docs"))
