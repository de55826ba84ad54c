"""A network that engines can update move by move learns who wins: ``python train_evaluator.py [GAMES [SECONDS]]``.

It needs torch (extra ``ml``); ``train_in_numpy.py`` trains the same network without it.
"""

import itertools
import sys
import time
from pathlib import Path

import torch
from torch import nn

from setwise import torch_dataset

GAMES = sys.argv[1] if len(sys.argv) > 1 else Path(__file__).with_name("famous_games.pgn")
SECONDS = float(sys.argv[2]) if len(sys.argv) > 2 else 60
KIND, INPUTS, WIDTH, HIDDEN = "halfkav2_hm", 22_528, 32, 16


class Network(nn.Module):
    """The sums of both views, and two layers."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.EmbeddingBag(INPUTS, WIDTH, mode="sum", include_last_offset=True)
        nn.init.normal_(self.table.weight, std=0.05)
        self.bias = nn.Parameter(torch.full((WIDTH,), 0.5))
        self.hidden, self.out = nn.Linear(2 * WIDTH, HIDDEN), nn.Linear(HIDDEN, 1)

    def forward(self, batch: dict[str, torch.Tensor]) -> torch.Tensor:
        """Return how much more likely the mover is to win than not, as a logit."""
        offsets = batch[f"{KIND}_offsets"]
        views = [self.table(batch[f"{side}_{KIND}"], offsets) + self.bias for side in ("own", "enemy")]
        first = torch.cat(views, dim=1).clamp(0, 1)
        return self.out(self.hidden(first).clamp(0, 1)).flatten()


torch.manual_seed(1)
torch.set_num_threads(1)  # so small a network gains nothing from more
seen = torch_dataset(GAMES, [KIND, "target"], where="result <> '*' and game % 10 <> 0", size=256)
unseen = torch_dataset(GAMES, [KIND, "target"], where="result <> '*' and game % 10 = 0", shuffle=0)
network = Network()
optimizer = torch.optim.Adam(network.parameters())


def loss_of(batch: dict[str, torch.Tensor]) -> torch.Tensor:
    """How far the points that the mover may expect are from its target: 0.69 for one half everywhere."""
    return nn.functional.binary_cross_entropy_with_logits(network(batch), batch["target"])


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
