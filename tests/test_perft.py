"""Perft: the suites of ``data``, positions chosen for their traps, and suites of others where they are at hand."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path

import chess
import pytest

from helpers.data import SUITES, suite
from helpers.depth import depth
from helpers.patterns import numba
from setwise.position.position import Position, Status

#: What the suites of others may cost, in leaves for each position.
BUDGET = depth(100_000, 3_000_000)


@pytest.mark.parametrize(("name", "chess960", "positions"), [("perft.epd", False, 80), ("perft960.epd", True, 60)])
def test_the_counts_of_stockfish(name: str, chess960: bool, positions: int) -> None:
    """Counts by Stockfish, up to 25,000 also by python-chess."""
    cases = suite(SUITES / name)
    assert len(cases) >= positions
    for fen, counts in cases:
        position = Position(fen, chess960=chess960)
        assert {plies: position.perft(plies) for plies in counts} == counts, fen


@pytest.mark.parametrize(
    ("name", "chess960", "cases"), [("standard.epd", False, 128), ("chess960_first_half.epd", True, 480)]
)
def test_the_counts_of_other_suites(shared_data: Path, name: str, chess960: bool, cases: int) -> None:
    counted = 0
    for fen, counts in suite(shared_data / "perft" / name)[:cases]:
        position = Position(fen, chess960=chess960, strict=False)
        within = {plies: nodes for plies, nodes in counts.items() if nodes <= BUDGET}
        assert {plies: position.perft(plies) for plies in within} == within, fen
        counted += len(within)
    assert counted >= 3 * cases


def test_the_counts_of_the_tricky_suite(shared_data: Path) -> None:
    epd, crowded, counted = "", 0, 0
    for line in (shared_data / "perft" / "tricky.perft").read_text().splitlines():
        key, _, value = line.partition(" ")
        if key == "epd":
            epd = value
        elif key == "perft":
            plies, nodes = map(int, value.split())
            position = Position(epd, chess960=True, strict=False)
            if position.status() & Status.TOO_MANY_WHITE_PIECES:  # 28 pieces: such positions are not played
                crowded += 1
            elif nodes <= BUDGET:
                assert position.perft(plies) == nodes, (epd, plies)
                counted += 1
    assert crowded <= 2
    assert counted > 70


def test_a_divided_perft_adds_up_move_by_move() -> None:
    fen = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1"
    divided = Position(fen).perft_divide(2)
    board = chess.Board(fen)
    expected = {}
    for move in list(board.legal_moves):
        board.push(move)
        expected[move.uci()] = board.legal_moves.count()
        board.pop()
    assert {move.uci(): nodes for move, nodes in divided.items()} == expected
    assert sum(divided.values()) == Position(fen).perft(2)


def test_perft_of_depth_0_is_one_position() -> None:
    assert Position().perft(0) == 1


@pytest.mark.parametrize("plies", [-1, 61, 10**30])
def test_a_depth_must_be_possible(plies: int) -> None:
    with pytest.raises(ValueError, match="depth of perft"):
        Position().perft(plies)


def test_the_turn_makes_no_difference() -> None:
    """A position and its mirror image have the same tree."""
    for fen, counts in suite(SUITES / "perft.epd"):
        plies = min(3, max(counts))
        assert Position(fen).mirror().perft(plies) == counts[plies], fen


_OF_256_BITS = "avx2 avx sse4.2 sse4.1 ssse3 popcnt bmi bmi2 lzcnt fma movbe"
#: Processors that x86-64 code is made for, and what they have: registers of 256 bits; the same, but slow at packing
#: bits under a mask; registers of 128 bits, and not even POPCNT.
PROCESSORS = {"haswell": _OF_256_BITS, "znver1": f"{_OF_256_BITS} sse4a", "x86-64": ""}

COUNT = """
import sys
import numba
from setwise import Position, Positions
assert numba.config.CPU_NAME == sys.argv[1]
fens = sys.stdin.read().splitlines()
print([Position(fen, chess960=True).perft(3) for fen in fens], end=" ")
print(Positions.from_fens(fens, chess960=True).legal_move_counts().tolist())
"""


@pytest.mark.slow
@pytest.mark.skipif(platform.machine() not in {"x86_64", "AMD64"}, reason="code is made for other x86-64 processors")
@pytest.mark.parametrize("processor", PROCESSORS)
def test_the_counts_are_the_same_with_narrower_registers(processor: str) -> None:
    features = PROCESSORS[processor].split()
    numba()
    import llvmlite.binding

    here = llvmlite.binding.get_host_cpu_features()
    if not all(here.get(feature) for feature in features):
        pytest.skip(f"this processor cannot do what {processor} can")
    cases = [*list(suite(SUITES / "perft.epd"))[::5], *list(suite(SUITES / "perft960.epd"))[::5]]
    cases = [(fen, counts) for fen, counts in cases if 3 in counts]
    process = subprocess.run(
        [sys.executable, "-c", COUNT, processor],
        env=os.environ | {"NUMBA_CPU_NAME": processor, "NUMBA_CPU_FEATURES": ",".join(f"+{name}" for name in features)},
        input="\n".join(fen for fen, _ in cases), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert process.returncode == 0, process.stderr
    expected = [counts[3] for _, counts in cases], [counts[1] for _, counts in cases]
    assert len(cases) > 20
    assert process.stdout.strip() == " ".join(map(str, expected))
