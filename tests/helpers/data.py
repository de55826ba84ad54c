"""Where the data of the tests lies, and the perft suites among it."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "data"
#: The perft suites are part of the package.
SUITES = ROOT / "src" / "setwise" / "engines"
FAMOUS_GAMES = ROOT / "examples" / "famous_games.pgn"
#: Data of others, beside the project; the fixture ``shared_data`` skips a test that wants it where it is not.
SHARED_DATA = ROOT.parent / "shared" / "data"


def suite(path: Path) -> list[tuple[str, dict[int, int]]]:
    """The positions of a perft suite and the counts by depth: ``FEN ;D1 20 ;D2 400``."""
    found = []
    for line in path.read_text("utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            fen, *counts = line.split(";")
            found.append((fen.strip(), {int(depth[1:]): int(nodes) for depth, nodes in map(str.split, counts)}))
    return found


def starts(name: str) -> list[str]:
    """The FENs of a perft suite of ours, ``perft.epd`` or ``perft960.epd``."""
    return [fen for fen, _ in suite(SUITES / name)]
