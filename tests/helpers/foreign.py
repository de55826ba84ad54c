"""Machine code for other systems, as a wheel holds it: ``foreign.py SYSTEM LEVEL FOLDER [NAME ...]``.

Compiles the patterns and features that are named, or all patterns, and writes a relocatable object and a library.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from hatch_code import CompiledAhead, link

from setwise.catalogue import pages
from setwise.compiler.targets.levels import LEVELS, SYSTEMS


def main(system: str, level: str, folder: str, *names: str) -> None:
    target = SYSTEMS[system]
    every = pages()
    chosen = [every[name].thing for name in names] or [it.thing for it in every.values() if it.sort == "pattern"]
    code = CompiledAhead(chosen, target.triple, LEVELS[level].features).object_for(LEVELS[level].processor, "", "")
    Path(folder, "code.o").write_bytes(code)
    link(code, Path(folder, f"{level}.{target.suffix}"), target)


if __name__ == "__main__":
    main(*sys.argv[1:])
