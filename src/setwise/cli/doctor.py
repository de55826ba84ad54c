"""The command doctor: versions, machine and a short test, for bug reports."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import click

from setwise import __version__
from setwise.cli import FAILED
from setwise.cli.command import Command
from setwise.cli.demo import example_games
from setwise.cli.options import ready
from setwise.errors import SetwiseError
from setwise.system.processes import processors

_NEEDED = ("numpy", "pyarrow", "duckdb")
_EXTRAS = {
    "jit": ("numba", "llvmlite"),
    "chess": ("chess",),
    "polars": ("polars",),
    "ml": ("torch",),
    "png": ("resvg-py",),
    "spark": ("pyspark",),
    "web": ("starlette", "uvicorn"),
    "cuda": ("cuda-core", "cuda-bindings"),
}
_PERFT_5 = 4_865_609


class Doctor(Command, name="doctor"):
    """Print what is installed and where, and whether it works: please begin a bug report with this.

    The exit code is 0 if everything works, 2 if something does not.
    """

    def run(self) -> int:
        """Print the versions, the machine and the tests; return 0 if all is well, else 2."""
        ready()
        problems = 0
        for rows in (_versions, _machine, _tests):
            for name, text, is_well in rows():
                problems += not is_well
                click.echo(f"{'' if is_well else '! '}{name}: {text}")
        return FAILED if problems else 0


def _versions() -> Iterator[tuple[str, str, bool]]:
    yield "setwise", f"{__version__} in {Path(__file__).parents[1]}", True
    yield "Python", f"{platform.python_version()} ({platform.python_implementation()})", True
    for name in _NEEDED:
        version = _version(name)
        yield name, version or "not installed; pip install --upgrade setwise installs it", version is not None
    for extra, packages in _EXTRAS.items():
        versions = " ".join(f"{name} {_version(name)}" for name in packages if _version(name))
        yield f"extra {extra}", versions or f"not installed; pip install 'setwise[{extra}]' installs it", True


def _version(name: str) -> str | None:
    from importlib import metadata

    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _machine() -> Iterator[tuple[str, str, bool]]:
    from setwise.catalogue.warmup import entries
    from setwise.compiler.targets import has_compiler, shipped

    yield "system", platform.platform(), True
    yield "processor", f"{platform.machine()}, {processors()} at once", True
    library = shipped.library()
    if library.code is None:
        yield "shipped code", f"none: {library.why}", has_compiler()
    else:
        every = entries().values()
        count = sum(shipped.has(it) for it in every)
        changed = "" if count == len(every) else "; the others were changed since"
        yield "shipped code", f"for {library.level}, {count} of {len(every)} functions{changed}", bool(count)
    yield "tablebase", _tablebase(), True
    if not has_compiler():
        yield "compiler", "none: patterns of one's own are evaluated by NumPy", True
        return
    from setwise.compiler import cache_directory
    from setwise.compiler.targets.jit import processor

    yield "compiler", f"Numba for {processor()}", True
    folder = cache_directory()
    if folder is None:
        yield "machine code", "not kept: every run compiles again; name a folder in SETWISE_CACHE_DIR", False
        return
    files = list(folder.glob("*.nbc"))
    size = sum(file.stat().st_size for file in files)
    yield "machine code", f"{len(files)} functions, {size / 1e6:.0f} MB in {folder}", True


def _tablebase() -> str:
    """Say which tables of exact ends there are."""
    from setwise.tablebases.files import default_folder
    from setwise.tablebases.materials import MATERIALS

    folder = default_folder()
    count = sum((folder / f"{name}.npy").is_file() for name in MATERIALS)
    return f"{count} of {len(MATERIALS)} endings in {folder}" if count else "none: setwise tablebase build makes it"


def _tests() -> Iterator[tuple[str, str, bool]]:
    for name, test in {"perft 5": _perft, "find": _find}.items():
        try:
            yield name, *test()
        except (SetwiseError, OSError) as error:
            yield name, str(error), False


def _perft() -> tuple[str, bool]:
    from setwise import Position

    count, seconds = _timed(lambda: Position().perft(5))
    return f"{count:,} in {seconds * 1000:.0f} ms ({count / seconds / 1e6:.0f} million a second)", count == _PERFT_5


def _find() -> tuple[str, bool]:
    from setwise import find

    games = example_games()
    mates, seconds = _timed(lambda: find("is_checkmate", str(games), columns=["ply"]).num_rows)
    return f"{mates} checkmates in the example games in {seconds * 1000:.0f} ms", mates > 0


def _timed(work: Callable[[], int]) -> tuple[int, float]:
    """Return the result of some work, and its seconds once everything is compiled."""
    work()
    started = time.perf_counter()
    answer = work()
    return answer, time.perf_counter() - started
