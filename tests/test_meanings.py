"""No column changes its answers without a new number of its definition, by which old files are recognised.

``data/meanings.csv`` has a digest of the answers of each column on fixed positions. After a change of answers that is
meant, raise the number in ``REVISIONS`` and run ``python tests/test_meanings.py``, which writes the file.
"""

from __future__ import annotations

import csv
import hashlib
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import setwise
from helpers.data import DATA, FAMOUS_GAMES
from setwise.corpus.columns import COLUMNS
from setwise.corpus.columns.registry import REVISIONS, meaning_of
from setwise.features import FEATURES, SIDES

MEANINGS = DATA / "meanings.csv"
#: Columns that depend on the place of a file, or on the tables of a machine.
_OF_MACHINES = frozenset({"source", "wdl", "dtm", "tablebase_loss"})
_EVALUATED = b"""[White "a"]

1. e4 {[%eval 0.2]} e5 {[%eval 0.3]} 2. Bc4 {[%eval 0.1]} Nc6 {[%eval 0.1]} 3. Qh5 {[%eval -0.4]} Nf6
{[%eval #1]} 4. Qf3 {[%eval -0.6]} d5 {[%eval 0.9]} 5. exd5 {[%eval 0.1]} Nd4 {[%eval 0.1]} 6. Qg3
{[%eval -3.1]} Nf5 {[%eval -0.2]} 7. Nf3 {[%eval -5]} Nxg3 {[%eval -5.1]} 8. hxg3 {[%eval -5]} Bd6
{[%eval -4.6]} *
"""


def _fens(name: str, *columns: str) -> bytes:
    with (DATA / name).open(encoding="utf-8") as file:
        return "\n".join(row[column] for row in csv.DictReader(file) for column in columns).encode()


def _digests() -> dict[str, str]:
    """The digest of the answers of each column of the catalogue, the same in every process and on every machine."""
    names = [it for it in COLUMNS if it not in _OF_MACHINES and not it.startswith(("own_", "enemy_"))]
    of_boards = [name for name in names if COLUMNS[name].of_boards]
    boards = _fens("mates.csv", "mate", "near"), _fens("strategy.csv", "fen"), _fens("strategy_2.csv", "fen")
    digests = {name: hashlib.sha256() for name in names}
    for source in (FAMOUS_GAMES, _EVALUATED, *boards):
        asked = of_boards if source in boards else names
        table = setwise.find("true", source, columns=asked)
        assert len(table) > 15
        for name in asked:
            digests[name].update(repr(table.column(name).to_pylist()).encode())
    return {name: digest.hexdigest()[:16] for name, digest in digests.items()}


def _written() -> str:
    rows = [f"{name},{meaning_of(name)},{digest}" for name, digest in sorted(_digests().items())]
    return "\n".join(["column,number,digest", *rows, ""])


def test_answers_change_only_with_the_number_of_the_definition() -> None:
    texts = _written(), MEANINGS.read_text("utf-8")
    now, then = ({row["column"]: row for row in csv.DictReader(text.splitlines())} for text in texts)
    silent = [
        name
        for name in now.keys() & then.keys()
        if now[name]["digest"] != then[name]["digest"] and now[name]["number"] == then[name]["number"]
    ]
    assert not silent, f"raise the numbers in REVISIONS, then run this file: {', '.join(sorted(silent))}"
    assert now == then, "run this file, which writes the new digests"
    assert len(now) > 250


def test_every_number_is_of_a_column() -> None:
    assert {*REVISIONS} <= {*COLUMNS, *FEATURES}
    assert all(meaning_of(f"{side}_{name}") for name in FEATURES for side in SIDES)


if __name__ == "__main__":
    MEANINGS.write_text(_written())
