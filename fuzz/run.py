"""The coverage-guided fuzzer: texts that atheris makes up, thrown at every reader, with bounds checks in compiled code.

    python fuzz/run.py [TARGET ...] [--seconds 1800]

The seconds are shared by the targets. What the fuzzer learns stays in build/fuzz, and the next run begins with it; a
text that breaks something is left there as ``broken`` and tried again with

    python fuzz/run.py pgn --try build/fuzz/pgn/broken
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import zlib
from collections.abc import Hashable
from pathlib import Path
from types import FunctionType, ModuleType

# Indices are checked in everything that Numba compiles. The switch is part of the key of the cache of machine code.
os.environ["NUMBA_BOUNDSCHECK"] = "1"
os.environ.setdefault("PYTHONHASHSEED", "0")

ROOT = Path(__file__).resolve().parents[1]
#: The targets, and how many bytes their texts have at most.
LONGEST = {
    "fen": 200, "moves": 40, "epd": 600, "pgn": 4096, "study": 2048, "sources": 1024, "condition": 200,
    "statement": 300, "table": 8192, "manifest": 4096,
}  # fmt: skip
NAMES = tuple(LONGEST)
_PROBES = 4096
#: What reads texts, as far as it is Python; the targets import it all.
READERS = tuple(f"setwise.{room}" for room in ("bitboard", "errors", "notation", "position", "game", "corpus"))


def _instrument(module: ModuleType) -> None:
    """Count the branches of a module's functions and methods; what Numba compiles is none of these."""
    import atheris

    for owner in (module, *(value for value in vars(module).values() if isinstance(value, type))):
        for value in vars(owner).values():
            function = getattr(value, "__func__", value)
            function = getattr(function, "fget", function)
            if isinstance(function, FunctionType) and function.__module__ == module.__name__:
                atheris.instrument_func(function)


def _fuzz(name: str, seconds: int, folder: Path) -> None:
    """Fuzz one target in this process, which libFuzzer ends."""
    import atheris
    import targets
    from seeds import DICTIONARY, SEEDS

    for module in [module for name, module in sys.modules.items() if name.startswith(READERS)]:
        _instrument(module)
    probes = []
    for number in range(_PROBES):
        scope: dict[str, object] = {}
        exec(f"def probe():\n    return {number}", scope)  # noqa: S102  (a branch that can be counted)
        probes.append(atheris.instrument_func(scope["probe"]))

    def notice(outcome: Hashable) -> None:
        probes[zlib.crc32(repr(outcome).encode("utf-8", "replace")) % _PROBES]()

    targets.notice = notice
    corpus = folder / "corpus"
    corpus.mkdir(parents=True, exist_ok=True)
    target = targets.TARGETS[name]
    for number, seed in enumerate(SEEDS[name]()):
        target(seed)  # and everything is compiled before the clock runs
        (corpus / f"seed-{number:04}").write_bytes(seed)
    dictionary = folder / "dictionary"
    dictionary.write_text("".join(f'"{word}"\n' for word in DICTIONARY[name]))
    arguments = [
        sys.argv[0], str(corpus), f"-dict={dictionary}", f"-artifact_prefix={folder}/", f"-max_len={LONGEST[name]}",
        f"-max_total_time={seconds}", "-timeout=300", "-rss_limit_mb=4096", "-print_final_stats=1", "-len_control=0",
    ]  # fmt: skip
    atheris.Setup(arguments, targets.checked(target, folder / "broken"))
    atheris.Fuzz()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="*", default=NAMES, metavar="TARGET", help="|".join(NAMES))
    parser.add_argument("--seconds", type=int, default=1800, help="for all targets together")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "fuzz", help="where texts are kept")
    parser.add_argument("--try", dest="text", type=Path, help="only run the target on the text in this file")
    parser.add_argument("--alone", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if unknown := set(options.targets) - set(NAMES):
        parser.error(f"{', '.join(unknown)}: the targets are {', '.join(NAMES)}")
    share = max(1, options.seconds // len(options.targets))
    if options.text:
        import targets

        targets.TARGETS[options.targets[0]](options.text.read_bytes())
    elif options.alone:
        _fuzz(options.targets[0], options.seconds, options.folder / options.targets[0])
    else:
        for name in options.targets:
            print(f"{name}: {share} seconds", flush=True)
            command = [sys.executable, __file__, name, "--alone", f"--seconds={share}", f"--folder={options.folder}"]
            if status := subprocess.run(command, check=False).returncode:
                print(f"{name}: the fuzzer ended with status {status}")
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
