"""Writes what python-chess says of missed chances in the games: ``python tests/doors/kept.py``."""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from doors import oracle
from helpers.chances import KEPT, code, computed, written


def answers() -> dict[str, object]:
    """The chances of every position in which a move is played."""
    found = {}
    for at in (at for game in oracle.all_games() for at in game.at if at.move):
        fen = at.board.fen(en_passant="fen")
        best, played = computed(fen, at.board.chess960, at.move)
        name = written(fen, at.board.chess960, at.move)
        found[name] = {kind: [(n, it.uci()) for n, it in its] for kind, its in best.items()}, played
    return found


if __name__ == "__main__":
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(answer)}" for name, answer in sorted(answers().items()))
    KEPT.write_text(f'{{"code": "{code()}", "answers": {{\n{lines}\n}}}}\n', "utf-8")
