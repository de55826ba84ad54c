"""Batches of boards and labels for training, on one core."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

from games import collection
from harness import Plan, Row, rate, rounds, topic

import setwise
from setwise.corpus.learning import FIELDS

#: What Lichess notes behind a move.
NOTE = "{ [%eval 0.25] [%clk 0:02:59] }"


def processor_seconds(action: Callable[[], object]) -> float:
    """How long an action takes on one core, whatever else runs on the machine: the time of all its threads."""
    start = time.process_time()
    action()
    return time.process_time() - start


def annotated(games: setwise.Games) -> str:
    """Games with a note behind every move."""
    positions = games.positions()
    texts: list[list[str]] = [[] for _ in range(len(games))]
    for game, san in zip(positions.game.tolist(), positions.san().to_pylist(), strict=True):
        if san is not None:
            texts[game] += [san, NOTE]
    return "".join(
        f'[Event "?"]\n[Result "{result}"]\n\n{" ".join(words)} {result}\n\n'
        for words, result in zip(texts, games.results, strict=True)
        if words
    )


def drained(source: bytes | Path, *fields: str) -> int:
    """Take all batches of a source; how many positions they hold."""
    return sum(len(batch[fields[0]]) for batch in setwise.batches(source, fields, threads=1))


@topic("training")
def batches(plan: Plan) -> Iterator[Row]:
    text = collection(plan).sample(plan.size(10_000_000, 30_000)).encode("latin-1")
    whole = [games for games in setwise.read_pgn(text) if games.positions().fullmove_number.min() == 1]
    noted = "".join(map(annotated, whole)).encode()
    works = {
        "planes and labels": (text, FIELDS, 0.5),
        "planes and labels, from games with evaluations": (noted, FIELDS, 0.5),
        "planes, labels, masks of legal moves": (text, (*FIELDS, "moves_mask"), None),
        "sets and labels": (text, ("sets", *FIELDS[1:]), None),
        "inputs of HalfKAv2_hm and targets": (noted, ("target", "halfkav2_hm"), None),
    }
    for work, (source, fields, target) in works.items():
        count = drained(source, *fields)
        [times] = rounds(plan, lambda s=source, f=fields: drained(s, *f), clock=processor_seconds)
        yield rate(
            f"batches: {work}", count / 1e6, "million positions/s", times, target,
            note=f"{count:,} positions, shuffled, from {len(source):,} bytes of PGN; seconds of one processor",
        )  # fmt: skip
