"""Move generation alone: counting the leaves of the tree of legal moves."""

from __future__ import annotations

import statistics
from collections.abc import Iterator

from harness import Missing, Pair, Plan, Row, clocked, pair, topic
from peers import gigantua, stockfish, threads

from setwise import Position

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
#: Positions by name, how deep they are counted, and what is aimed at against Stockfish.
WORK = (("start position", START, 6, 6.5), ("r3k2r/p1ppqpb1/…", KIWIPETE, 5, 14.0))


@topic("perft")
def perft(plan: Plan) -> Iterator[Row]:
    with stockfish() as engine:
        for name, fen, full, target in WORK:
            depth, position = full - plan.size(0, 3), Position(fen)
            engine.ask(f"position fen {fen}\nisready", until="readyok")
            timed = pair(plan, lambda p=position, d=depth: p.perft(d), lambda d=depth: engine.perft(d))
            timed.agree()
            speed = f"{timed.answers[0] / statistics.median(timed.ours) / 1e6:.0f} million nodes/s"
            yield timed.row(f"perft {depth}, {name}", engine.name, target, note=speed)


@topic("perft")
def perft_by_gigantua(plan: Plan) -> Iterator[Row]:
    for name, fen, full, _ in WORK:
        depth, position = full - plan.size(0, 3), Position(fen)
        answers = position.perft(depth), gigantua(fen, depth).leaves
        timed = Pair([], [], answers)
        timed.agree()
        for _ in range(plan.rounds):
            timed.ours.append(clocked(lambda p=position, d=depth: p.perft(d)))
            timed.theirs.append(gigantua(fen, depth).seconds)
        yield timed.row(f"perft {depth}, {name}", "Gigantua")


@topic("perft")
def perft_on_two_threads(plan: Plan) -> Iterator[Row]:
    if threads() < 2:
        raise Missing("there is one processor only")
    for name, fen, full, _ in WORK:
        depth, position = full + 1 - plan.size(0, 4), Position(fen)
        timed = pair(
            plan,
            lambda p=position, d=depth: sum(p.perft_divide(d, threads=2).values()),
            lambda p=position, d=depth: p.perft(d),
        )
        timed.agree()
        yield timed.row(f"perft {depth}, {name}, two threads", "one thread", 1.9)
