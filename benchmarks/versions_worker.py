"""One version of setwise at work for ``versions``: asked by lines of JSON, by public names only.

python versions_worker.py GAMES.pgn QUICK
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from itertools import islice
from typing import Any

import numpy as np

import setwise
from setwise import Position, Positions
from setwise.patterns import king, knight, pawns, sliders

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
#: For each task what is done and timed, and what makes of its result an answer to compare.
Tasks = dict[str, tuple[Callable[[], Any], Callable[[Any], object]]]


def digest(found: np.ndarray) -> int:
    return int(np.bitwise_xor.reduce(found.astype(np.uint64) * np.arange(1, 2 * len(found), 2, dtype=np.uint64)))


def made(path: str, quick: bool, features: list[str]) -> Tasks:
    games = next(iter(setwise.read_pgn(path)))
    positions = games.positions()[: 2_000 if quick else 500_000]
    fens = positions.fens().to_pylist()
    replayed = [zip(game.positions(), game.sans(), strict=False) for game in islice(games, 2 if quick else 40)]
    some = [pair for game in replayed for pair in game]
    moves = [(position, position.parse_san(san)) for position, san in some]
    random = np.random.default_rng(1)
    few, many = 20_000, 20_000 if quick else 5_000_000
    own, enemy = random.integers(0, 2**64, (2, many), np.uint64) & random.integers(0, 2**64, (2, many), np.uint64)
    inner = np.uint64(0x00FF_FFFF_FFFF_FF00)  # where pawns stand
    out, steps = np.zeros(many, np.uint64), np.zeros(few, np.int8)

    def every_feature() -> list[np.ndarray]:
        fresh = positions[:]  # what was worked out before is of no use
        return [fresh.feature(name) for name in features]

    def play() -> int:
        return sum(len(position.play(move).legal_moves()) for position, move in moves)

    depth = 2 if quick else 5
    return {
        f"perft {depth}, start position": (lambda: Position().perft(depth), int),
        f"perft {depth - 1}, r3k2r/p1ppqpb1/…": (lambda: Position(KIWIPETE).perft(depth - 1), int),
        "read_pgn(): games": (lambda: sum(len(games) for games in setwise.read_pgn(path)), int),
        "read_pgn(): positions": (lambda: sum(len(games.positions()) for games in setwise.read_pgn(path)), int),
        "find(), one feature": (
            lambda: setwise.find("white_royal_fork_squares <> 0", path, columns=["game", "ply"]),
            lambda table: digest(table["ply"].to_numpy()),
        ),
        f"{len(features)} features, {len(positions):,} positions": (every_feature, lambda found: [*map(digest, found)]),
        f"Positions.from_fens(), {len(fens):,}": (
            lambda: Positions.from_fens(fens), lambda found: digest(found.white_pieces),
        ),
        "fens()": (positions.fens, len),
        "parse_san(), one by one": (
            lambda: [position.parse_san(san) for position, san in some], lambda found: [*map(int, found)],
        ),
        "san(), one by one": (lambda: [position.san(move) for position, move in moves], list),
        "play() and legal_moves(), one by one": (play, int),
        f"knight.attacks(), {many:,} boards": (lambda: knight.attacks(own, out=out), digest),
        f"pawns.passed(), {many:,} boards": (lambda: pawns.passed(own & inner, enemy & inner, out=out), digest),
        f"sliders.queens_attacks(), {many:,} boards": (lambda: sliders.queens_attacks(own, enemy, out=out), digest),
        f"king.distance(), {few:,} boards": (lambda: king.distance(own[:few], enemy[:few], out=steps), digest),
        "knight.attacks(), ints": (lambda: [knight.attacks(word) for word in range(few)], sum),
    }  # fmt: skip


def main() -> None:
    path, quick = sys.argv[1], bool(int(sys.argv[2]))

    def say(thing: object) -> None:
        print(json.dumps(thing), flush=True)

    [sample] = islice(setwise.read_pgn(path), 1)
    features = {name: digest(sample.positions()[:50_000].feature(name)) for name in sorted(Position().features())}
    say([setwise.__file__, features])
    tasks: Tasks = {}
    for line in sys.stdin:
        what, argument = json.loads(line)
        if what == "prepare":
            tasks = made(path, quick, argument)
            say(list(tasks))
            continue
        task, answered = tasks[argument]
        start = time.perf_counter()
        found = task()
        seconds = time.perf_counter() - start
        say(seconds if what == "time" else answered(found))


if __name__ == "__main__":
    main()
