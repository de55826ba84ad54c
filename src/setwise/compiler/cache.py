"""Machine code that is kept from one run to the next: the folder, and its files.

The name of a file of machine code contains a key of the definition that it was compiled from; the folder is for one
processor and one version of the compiler. So old code is never loaded, and nothing has to be cleared by hand.
"""

from __future__ import annotations

import functools
import hashlib
import os
import pickle
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from setwise.compiler.kinds import MADE

#: Whether machine code is kept; it is not while a wheel is built, because that code is for other processors.
keeps = True

#: Called with a name just before something is compiled rather than loaded; the command line shows it to the user.
announce: Callable[[str], None] | None = None


def _candidates() -> Iterator[Path]:
    import tempfile

    import platformdirs

    if chosen := os.environ.get("SETWISE_CACHE_DIR"):
        yield Path(chosen)
    yield Path(platformdirs.user_cache_dir("setwise", appauthor=False))
    yield Path(tempfile.gettempdir()) / f"setwise-{os.getuid() if hasattr(os, 'getuid') else 'cache'}"


@functools.cache
def cache_directory() -> Path | None:
    """Return the folder that holds machine code for this environment, or None if no folder can be written.

    Without a compiler the result is None, too, because nothing is compiled. ``SETWISE_CACHE_DIR`` is tried first, then
    the user's cache folder, then the folder for temporary files. Folders that have not been used for a month are
    removed.
    """
    if not MADE.targets.has_compiler():
        return None
    import shutil
    import tempfile

    key = hashlib.sha256(MADE.targets.environment().encode()).hexdigest()[:20]
    for root in _candidates():
        folder = root / key
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=folder).close()
            if hasattr(os, "getuid") and folder.stat().st_uid != os.getuid():
                continue
            os.utime(folder)
            for other in root.iterdir():
                if _is_old(other) and len(other.name) == len(key):
                    shutil.rmtree(other, ignore_errors=True)
        except OSError:
            continue
        return folder
    return None


def _is_old(path: Path) -> bool:
    return path.stat().st_mtime < time.time() - 30 * 86400


class MachineCode(NamedTuple):
    """The contents of a file of machine code: everything that is needed to run it."""

    #: A relocatable object.
    code: bytes
    #: The names, in the object, of the function that Python calls, of the loop that C calls, and of the function that
    #: other machine code calls.
    function: str
    loop: str
    symbol: str
    #: The name, in the object, of a variable that must not be null; empty for a pattern.
    environment: str
    #: The symbols that it calls, each with the module and the name of its entry.
    calls: list[tuple[str, str, str]]
    #: The names of the tables that it reads.
    tables: list[str]

    def to_bytes(self) -> bytes:
        """Return the contents of the file as bytes."""
        return pickle.dumps(tuple(self))

    @classmethod
    def read(cls, kept: bytes) -> MachineCode:
        """Return the machine code in the bytes of a file."""
        return cls(*pickle.loads(kept))  # noqa: S301  (the folder belongs to the user)


#: How many bytes of a file come before the code.
_CHECKSUM = hashlib.sha256().digest_size


class CodeFile:
    """The file of one function's machine code; it is written under another name and renamed, so processes never clash.

    Its name contains a key of `keys`; without a key, nothing is kept. Numba's own cache compares the time stamp of one
    source file, and would load old code after a change of a callee in another file.
    """

    def __init__(self, name: str, key: str | None) -> None:
        folder = cache_directory() if key and keeps else None
        self.name, self._known_as = name, re.sub(r"[^\w.]", "-", name)
        self.path = folder / f"{self._known_as}.{key}.nbc" if folder else None

    def exists(self) -> bool:
        """Return whether the file exists."""
        return self.path is not None and self.path.exists()

    def read(self) -> bytes | None:
        """Return the machine code; None without a file, and for a damaged file, which could end the process."""
        try:
            kept = self.path.read_bytes() if self.path is not None else b""
        except OSError:
            return None
        code = kept[_CHECKSUM:]
        return code if kept[:_CHECKSUM] == hashlib.sha256(code).digest() else None

    def write(self, code: bytes) -> None:
        """Write the file, if there is a folder to write it to."""
        if self.path is None:
            return
        import tempfile

        try:
            with tempfile.NamedTemporaryFile(dir=self.path.parent, delete=False) as file:
                file.write(hashlib.sha256(code).digest() + code)
            os.replace(file.name, self.path)  # noqa: PTH105
            for other in self.path.parent.glob(f"{self._known_as}.*.nbc"):
                if _is_old(other):
                    other.unlink(missing_ok=True)
        except OSError:  # for example a full disk: the only harm is another compilation next time
            self.path = None
