"""What hatchling runs when a wheel is built: compile its machine code, if ``SETWISE_SYSTEM`` names a system for it.

Without that name nothing is compiled, and the wheel is the same one everywhere: ``pip install .`` takes a second.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).parent
SOURCES = ROOT / "src"


class Shipped(BuildHookInterface):
    """Machine code for the levels of processors that a system runs on; ``SETWISE_LEVELS`` names fewer of them."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """Return what compiling needs, where a wheel is built in an environment of its own."""
        if not os.environ.get("SETWISE_SYSTEM"):
            return []
        metadata = self.metadata.core
        return [
            *metadata.dependencies,
            *metadata.optional_dependencies["jit"],
            *metadata.optional_dependencies["wheel"],
        ]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and put the libraries into the wheel."""
        name = os.environ.get("SETWISE_SYSTEM")
        if not name or version == "editable":
            return
        sys.path.insert(0, str(SOURCES))
        from setwise.compiler.targets.levels import LEVELS, SYSTEMS

        system = SYSTEMS[name]
        self.folder = tempfile.TemporaryDirectory()
        together = defaultdict(list)
        for level in os.environ.get("SETWISE_LEVELS", "").split() or system.levels:
            together[LEVELS[level].features].append(level)
        with ThreadPoolExecutor(os.cpu_count()) as processes:
            list(processes.map(lambda levels: self._compile(name, levels), together.values()))
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{system.tag}"
        for file in Path(self.folder.name).iterdir():
            build_data["force_include"][str(file)] = f"setwise/compiler/code/{file.name}"

    def _compile(self, system: str, levels: list[str]) -> None:
        command = [sys.executable, str(ROOT / "hatch_code.py"), system, self.folder.name, *levels]
        paths = os.pathsep.join([str(SOURCES), *sys.path])
        subprocess.run(command, check=True, env={**os.environ, "PYTHONPATH": paths, "SETWISE_CPU": "jit"})  # noqa: S603

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what was compiled, once it is in the wheel."""
        if hasattr(self, "folder"):
            self.folder.cleanup()
