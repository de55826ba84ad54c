"""Move generation alone: counting the leaves of the tree of legal moves."""

from __future__ import annotations

import statistics
from collections.abc import Iterator

from harness import Plan, Row, pair, topic
from peers import stockfish

from setwise import Position

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -"


@topic("perft")
def perft(plan: Plan) -> Iterator[Row]:
    with stockfish() as engine:
        for name, fen, full, target in (("start position", START, 6, 3.0), ("r3k2r/p1ppqpb1/…", KIWIPETE, 5, 5.0)):
            depth, position = full - plan.size(0, 3), Position(fen)
            engine.ask(f"position fen {fen}\nisready", until="readyok")
            timed = pair(plan, lambda p=position, d=depth: p.perft(d), lambda d=depth: engine.perft(d))
            timed.agree()
            speed = f"{timed.answers[0] / statistics.median(timed.ours) / 1e6:.0f} million nodes/s"
            yield timed.row(f"perft {depth}, {name}", engine.name, target, note=speed)
