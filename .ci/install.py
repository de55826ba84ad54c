"""Install packages as ``pip install`` does: by uv, in a fraction of pip's time, or by pip where uv cannot do it.

    .venv/bin/python .ci/install.py --editable '.[dev]'

They go into the environment of the Python that runs this. uv comes from the path or, by pip, from PyPI.
"""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

#: uv does not read pip's settings: what it calls them, and what separates several values there.
NAMES = {
    "index-url": ("UV_DEFAULT_INDEX", " "),
    "extra-index-url": ("UV_INDEX", " "),
    "find-links": ("UV_FIND_LINKS", ","),
    "constraint": ("UV_CONSTRAINT", " "),
    "cert": ("SSL_CERT_FILE", " "),
    "trusted-host": ("UV_INSECURE_HOST", " "),
}
#: Settings of pip's that do not change what is installed.
WITHOUT_EFFECT = {
    "cache-dir", "config-file", "default-timeout", "disable-pip-version-check", "log", "no-cache-dir", "no-color",
    "no-input", "progress-bar", "quiet", "retries", "root-user-action", "timeout", "verbose",
}  # fmt: skip
#: Which of pip's sections count here, those that win last.
SECTIONS = ("global", "install", ":env:")


def environment(listing: str) -> dict[str, str] | None:
    """The variables that tell uv what ``pip config list`` shows; None if there is a setting that uv has no name for."""
    settings = {}
    lines = [line.partition("=") for line in listing.splitlines()]
    for section in SECTIONS:
        for key, _, value in lines:
            if key.startswith(f"{section}."):
                settings[key.removeprefix(f"{section}.")] = str(ast.literal_eval(value))
    if not settings.keys() <= NAMES.keys() | WITHOUT_EFFECT:
        return None
    # pip takes the best version of all indexes; uv by default that of the first index which has the package.
    found = {"UV_INDEX_STRATEGY": "unsafe-best-match"}
    for name in settings.keys() & NAMES.keys():
        variable, separator = NAMES[name]
        found[variable] = separator.join(settings[name].split())
    return found


def uv() -> str | None:
    """The program uv, installed if that is possible."""
    places = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    if shutil.which("uv", path=places) is None:
        pip("--quiet", "uv", stderr=subprocess.DEVNULL)
    return shutil.which("uv", path=places)


def pip(*arguments: str, stderr: int | None = None) -> int:
    """Run ``pip install``, and return its exit code."""
    return subprocess.run([sys.executable, "-m", "pip", "install", *arguments], stderr=stderr, check=False).returncode


def by_uv(arguments: list[str]) -> bool:
    """Install by uv, and return whether that went well."""
    listing = subprocess.run(
        [sys.executable, "-m", "pip", "config", "list"], stdout=subprocess.PIPE, encoding="utf-8", check=False
    ).stdout
    variables = environment(listing)
    program = None if variables is None else uv()
    if program is None:
        return False
    done = subprocess.run(
        [program, "pip", "install", "--python", sys.executable, *arguments],
        env={**variables, **os.environ},
        check=False,
    )
    if done.returncode:
        print("uv could not install this; pip tries", file=sys.stderr)
    return done.returncode == 0


def main(arguments: list[str]) -> int:
    return 0 if by_uv(arguments) else pip(*arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
