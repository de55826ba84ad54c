"""A network that engines can update learns who wins, in NumPy: ``python train_in_numpy.py [GAMES [SECONDS]]``.

Two layers follow the sums of both views; ``train_evaluator.py`` trains the same network with torch.
"""

import itertools
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import setwise

GAMES = sys.argv[1] if len(sys.argv) > 1 else Path(__file__).with_name("famous_games.pgn")
SECONDS = float(sys.argv[2]) if len(sys.argv) > 2 else 60
KIND, INPUTS, WIDTH, HIDDEN, STEP = "halfkav2_hm", 22_528, 32, 16, 0.001

chance = np.random.default_rng(1)
weights = {
    "table": chance.normal(0, 0.05, (INPUTS, WIDTH)), "bias": np.full(WIDTH, 0.5),
    "hidden": chance.normal(0, 0.15, (2 * WIDTH, HIDDEN)), "hidden_bias": np.full(HIDDEN, 0.5),
    "out": chance.normal(0, 0.15, HIDDEN), "out_bias": np.zeros(1),
}  # fmt: skip
means = {name: np.zeros((2, *values.shape)) for name, values in weights.items()}


def forward(batch: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """The outputs of the layers, each limited to 0 to 1, the expected points, and the loss: 0.69 for one half."""
    starts = batch[f"{KIND}_offsets"][:-1]
    views = [np.add.reduceat(weights["table"][batch[f"{side}_{KIND}"]], starts) for side in ("own", "enemy")]
    first = np.clip(np.concatenate([view + weights["bias"] for view in views], axis=1), 0, 1)
    second = np.clip(first @ weights["hidden"] + weights["hidden_bias"], 0, 1)
    points = 1 / (1 + np.exp(-(second @ weights["out"] + weights["out_bias"])))
    target = batch["target"]
    return first, second, points, -np.mean(target * np.log(points) + (1 - target) * np.log(1 - points))


def backward(
    batch: dict[str, np.ndarray], first: np.ndarray, second: np.ndarray, points: np.ndarray
) -> dict[str, np.ndarray]:
    """How the loss grows with each weight."""
    slope = (points - batch["target"]) / len(points)
    of_second = np.outer(slope, weights["out"]) * (second > 0) * (second < 1)
    of_first = of_second @ weights["hidden"].T * (first > 0) * (first < 1)
    views, counts = np.split(of_first, 2, axis=1), np.diff(batch[f"{KIND}_offsets"])
    table = np.zeros_like(weights["table"])
    for side, view in zip(("own", "enemy"), views, strict=True):
        np.add.at(table, batch[f"{side}_{KIND}"], np.repeat(view, counts, axis=0))
    return {
        "table": table, "bias": sum(view.sum(0) for view in views),
        "hidden": first.T @ of_second, "hidden_bias": of_second.sum(0),
        "out": second.T @ slope, "out_bias": slope.sum(keepdims=True),
    }  # fmt: skip


def learn(slopes: dict[str, np.ndarray], number: int) -> None:
    """Change the weights by Adam's rule."""
    for name, slope in slopes.items():
        mean, square = means[name]
        mean += 0.1 * (slope - mean)
        square += 0.001 * (slope**2 - square)
        weights[name] -= STEP * (mean / (1 - 0.9**number)) / (np.sqrt(square / (1 - 0.999**number)) + 1e-8)


def batches(which: str, **options: int) -> Iterator[dict[str, np.ndarray]]:
    return setwise.batches(GAMES, [KIND, "target"], where=f"result <> '*' and game % 10 {which} 0", **options)


kept = next(batches("=", shuffle=0))
epochs = (batches("<>", seed=epoch, size=256) for epoch in itertools.count())
losses, start, lines = list[float](), time.monotonic(), 0
print("seconds   batches   loss of the last ones   loss in games kept apart")
for number, batch in enumerate(itertools.chain.from_iterable(epochs), 1):
    *layers, loss = forward(batch)
    learn(backward(batch, *layers), number)
    losses.append(loss)
    if (spent := time.monotonic() - start) >= lines * SECONDS / 10:
        print(f"{spent:7.1f} {number:9,} {sum(losses) / len(losses):23.3f} {forward(kept)[-1]:26.3f}")
        losses, lines = [], lines + 1
    if spent >= SECONDS:
        break
