"""A small network learns who wins: ``python train_evaluator.py [GAMES [SECONDS]]``. It needs torch (extra ``ml``)."""

import itertools
import sys
import time
from pathlib import Path

import torch
from torch import nn

from setwise import torch_dataset

GAMES = sys.argv[1] if len(sys.argv) > 1 else Path(__file__).with_name("famous_games.pgn")
SECONDS = float(sys.argv[2]) if len(sys.argv) > 2 else 60

torch.manual_seed(1)
torch.set_num_threads(1)  # so small a network gains nothing from more
seen = torch_dataset(GAMES, ["planes", "own_points"], where="result <> '*' and game % 10 <> 0", size=256)
unseen = torch_dataset(GAMES, ["planes", "own_points"], where="result <> '*' and game % 10 = 0", shuffle=0)
network = nn.Sequential(nn.Flatten(), nn.Linear(19 * 64, 128), nn.ReLU(), nn.Linear(128, 1), nn.Flatten(0))
optimizer = torch.optim.Adam(network.parameters())


def loss_of(batch: dict[str, torch.Tensor]) -> torch.Tensor:
    """How far the points that the mover may expect are from those that it got: 0.69 for one half everywhere."""
    return nn.functional.binary_cross_entropy_with_logits(network(batch["planes"] / 1.0), batch["own_points"])


kept, losses, start, lines = next(iter(unseen)), list[float](), time.monotonic(), 0
print("seconds   batches   loss of the last ones   loss in games kept apart")
for number, batch in enumerate(itertools.chain.from_iterable(itertools.repeat(seen)), 1):
    optimizer.zero_grad()
    (loss := loss_of(batch)).backward()
    optimizer.step()
    losses.append(loss.item())
    if (spent := time.monotonic() - start) >= lines * SECONDS / 10:
        print(f"{spent:7.1f} {number:9,} {sum(losses) / len(losses):23.3f} {loss_of(kept).item():26.3f}")
        losses, lines = [], lines + 1
    if spent >= SECONDS:
        break
