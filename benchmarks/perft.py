"""Move generation alone: counting the leaves of the tree of legal moves."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator

from harness import Missing, Plan, Row, pair, topic
from peers import gigantua, mindchess, processor_seconds, stockfish, threads

from setwise import Position

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
#: Positions by name, how deep they are counted, and what is aimed at against Stockfish.
WORK = (("start position", START, 6, 6.5), ("r3k2r/p1ppqpb1/…", KIWIPETE, 5, 14.0))
#: What programs that do nothing else count.
SUITES = (
    ("start position", START, 7),
    ("r3k2r/p1ppqpb1/…", KIWIPETE, 6),
    ("8/2p5/…", "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 7),
    ("r3k2r/Pppp1ppp/…", "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", 6),
)


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


def beside(plan: Plan, peer: str, count: Callable[[str, int], int], target: float) -> Iterator[Row]:
    """Seconds of processors, because a peer is a process of its own."""
    for name, fen, full in SUITES:
        depth, position = full - plan.size(0, 3), Position(fen)
        ours, theirs = (lambda p=position, d=depth: p.perft(d)), (lambda f=fen, d=depth: count(f, d))
        timed = pair(plan, ours, theirs, clock=processor_seconds)
        timed.agree()
        yield timed.row(f"perft {depth}, {name}", peer, target)


@topic("perft")
def perft_by_mindchess(plan: Plan) -> Iterator[Row]:
    yield from beside(plan, "mindchess", mindchess, 1.25)


@topic("perft")
def perft_by_gigantua(plan: Plan) -> Iterator[Row]:
    yield from beside(plan, "Gigantua", gigantua, 2)


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
