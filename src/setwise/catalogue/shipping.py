"""Compile all functions for levels of processors: ``python -m setwise.catalogue.shipping SYSTEM FOLDER LEVEL...``.

The build of a wheel runs this.
"""

from __future__ import annotations

import multiprocessing
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from setwise.compiler import Entry
from setwise.compiler.targets.levels import LEVELS, SYSTEMS, System, checksum_beside, checksum_of

__all__ = ["link", "ship"]


def ship(system: str, folder: Path, names: list[str]) -> int:
    """Write the libraries of levels with the same features into a folder, and a checksum beside each.

    This can be called once in a process. It returns an exit code, 1 when code cannot be generated or linked.
    """
    from setwise.catalogue.warmup import entries
    from setwise.compiler.keys import ROOM, shipped_under, text_of
    from setwise.compiler.targets.ahead import Compiled

    target, every = SYSTEMS[system], sorted(entries().items())
    texts = "\n".join(f"{name} {text_of(name)}" for name in sorted({*ROOM, *_reached(entry for _, entry in every)}))
    keys = "\n".join(f"{name} {shipped_under(entry)}" for name, entry in every)
    [features] = {LEVELS[name].features for name in names}
    compiled = Compiled([entry for _, entry in every], target.triple, features)

    def write(name: str) -> None:
        link(compiled.object_for(LEVELS[name].processor, texts, keys), folder / f"{name}.{target.suffix}", target)

    forked = multiprocessing.get_context("fork")  # what Numba has compiled is in memory
    writers = [forked.Process(target=write, args=(name,)) for name in names]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    return int(any(writer.exitcode for writer in writers))


def _reached(every: Iterable[Entry]) -> list[str]:
    """The modules of this package that those of entries import, and that decide what their names are bound to."""
    modules = sorted({entry.__module__ for entry in every})
    command = [sys.executable, "-c", f"import sys, {', '.join(modules)}\nprint(*sys.modules)"]
    ran = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603
    return [name for name in ran.stdout.split() if name.startswith("setwise.")]


def link(code: bytes, library: Path, target: System) -> None:
    """Make a library of an object."""
    relocatable = library.with_suffix(".o")
    relocatable.write_bytes(code)
    command = ["-shared", "-s", "-target", target.linked_as, "-o", str(library), str(relocatable)]
    subprocess.run([sys.executable, "-m", "ziglang", "cc", *command], check=True)  # noqa: S603
    relocatable.unlink()
    checksum_beside(library).write_text(checksum_of(library), encoding="ascii")


if __name__ == "__main__":
    sys.exit(ship(sys.argv[1], Path(sys.argv[2]), sys.argv[3:]))
