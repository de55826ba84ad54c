"""Damage to files of every kind: each answer is that of the whole file, or the file is refused by name.

    python fuzz/damage.py [--trials 500] [--seed 1] [--kind pgn ...]

A trial makes one kind of file, damages it (bits flipped, an end cut off, a block zeroed, filled, doubled or swapped, a
block of another file or the number of another version put in) and asks it. Where a format has no checksum, a damaged
text can be another text: python-chess reads the same bytes, and must find the same games as far as they are legal.
"""

from __future__ import annotations

import argparse
import bz2
import gzip
import io
import json
import logging
import lzma
import random
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import chess.pgn
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

import setwise
from setwise.archives import zstd
from setwise.errors import SetwiseError
from setwise.tablebases.solving import MATERIALS

ROOT = Path(__file__).resolve().parents[1]
GAMES = ROOT / "examples" / "famous_games.pgn"
COLUMNS = ["game", "ply", "fen", "move", "white_name", "result"]


class Kind(NamedTuple):
    """A kind of file or folder: how it is made, asked and judged."""

    #: Writes it, and returns its path.
    make: Callable[[Path], Path]
    #: Its answer.
    ask: Callable[[Path], object]
    #: Whether a damaged one may have this other answer; where None, it may not.
    may_be: Callable[[Path, object], bool] | None = None


def _rows(path: Path) -> object:
    return setwise.find("true", path, columns=COLUMNS).to_pydict()


def _counted(path: Path) -> object:
    """What DuckDB and the statistics of files answer."""
    one = setwise.sql("select count(*) n, sum(ply) p from positions", path).to_pylist()
    return one, setwise.sql("select * from games", path).to_pydict(), _rows(path)


def _games_by_python_chess(path: Path) -> list[list[str]]:
    """The moves of the games of a text, as python-chess reads it."""
    logging.getLogger("chess.pgn").setLevel(logging.CRITICAL)
    text = io.StringIO(path.read_bytes().decode("utf-8", "replace"))
    games = []
    while (game := chess.pgn.read_game(text)) is not None:
        games.append([move.uci() for move in game.mainline_moves()])
    return games


def _is_what_stands_there(path: Path, answer: object) -> bool:
    """Whether the games of a damaged text are those that python-chess finds, up to where one of both gives up."""
    found: dict[int, list[str]] = {}
    rows = answer if isinstance(answer, dict) else {}
    for game, move in zip(rows["game"], rows["move"], strict=True):
        found.setdefault(game, []).extend([move] if move else [])
    theirs = _games_by_python_chess(path)
    ours = [moves for moves in found.values() if moves]
    return sum(moves in theirs or any(other[: len(moves)] == moves or moves[: len(other)] == other for other in theirs)
               for moves in ours) >= len(ours) - 1  # fmt: skip


def _are_the_texts(path: Path, answer: object) -> bool:
    """Whether the positions of a list or table of texts are all written in it."""
    text = path.read_bytes().decode("utf-8", "replace").replace('\\"', '"')
    rows = answer if isinstance(answer, dict) else {}
    return all(fen.split()[0] in text for fen in rows["fen"])


def _text(suffix: str, pack: Callable[[bytes], bytes]) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        path = folder / f"games.pgn{suffix}"
        path.write_bytes(pack(GAMES.read_bytes()))
        return path

    return make


def _positions() -> pa.Table:
    found = setwise.find("ply % 7 = 0", GAMES, columns=["fen", "ply", "white_name"])
    return pa.table({"fen": found["fen"], "number": found["ply"], "name": found["white_name"]})


def _table(write: Callable[[pa.Table, Path], object], name: str) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        write(_positions(), folder / name)
        return folder / name

    return make


def _lines(line: Callable[[dict[str, object]], str]) -> Callable[[pa.Table, Path], object]:
    return lambda table, path: path.write_text("".join(f"{line(row)}\n" for row in table.to_pylist()), "utf-8")


def _json(row: dict[str, object]) -> str:
    return json.dumps(row)


def _zst(text: bytes) -> bytes:
    return zstd.compress(text, options={zstd.CompressionParameter.checksum_flag: 1})


def _parquet(table: pa.Table, path: Path) -> None:
    pq.write_table(table, path, write_page_checksum=True)


def _tsv(table: pa.Table, path: Path) -> None:
    pyarrow.csv.write_csv(table, path, pyarrow.csv.WriteOptions(delimiter="\t"))


def _made(write: Callable[[Path], object], name: str) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        write(folder / name)
        return folder / name

    return make


def _of_table(path: Path) -> object:
    return setwise.find("true", path, columns=["fen", "number", "name"]).to_pydict()


def _of_list(path: Path) -> object:
    return setwise.find("true", path, columns=["game", "fen"]).to_pydict()


def _of_index(path: Path) -> object:
    key = setwise.Position().play("e4").key
    return (
        setwise.find(f"key = {key}", path, columns=COLUMNS).to_pydict(),
        setwise.find("is_checkmate", path, columns=COLUMNS).to_pydict(),
        _rows(path),
    )


def _of_tables(path: Path) -> object:
    from setwise.tablebases.files import table

    return [table(path, MATERIALS[name]).tobytes() for name in ("KQK", "KRK")]


KINDS = {
    "pgn": Kind(_text("", bytes), _rows, _is_what_stands_there),
    "gz": Kind(_text(".gz", gzip.compress), _rows),
    "bz2": Kind(_text(".bz2", bz2.compress), _rows),
    "xz": Kind(_text(".xz", lzma.compress), _rows),
    "zst": Kind(_text(".zst", _zst), _rows),
    "packed": Kind(_made(lambda path: setwise.pack(GAMES, path), "games.parquet"), _rows),
    "scan": Kind(_made(lambda path: setwise.scan(GAMES, path, features="pawn_islands"), "scan"), _counted),
    "file": Kind(_made(lambda path: setwise.scan(GAMES, path, features="pawn_islands"), "one.parquet"), _rows),
    "index": Kind(_made(lambda path: setwise.index(GAMES, path), "games.index"), _of_index),
    "parquet": Kind(_table(_parquet, "t.parquet"), _of_table),
    "csv": Kind(_table(pyarrow.csv.write_csv, "t.csv"), _of_table, _are_the_texts),
    "tsv": Kind(_table(_tsv, "t.tsv"), _of_table, _are_the_texts),
    "jsonl": Kind(_table(_lines(_json), "t.jsonl"), _of_table, _are_the_texts),
    "epd": Kind(_table(_lines(lambda row: f'{row["fen"]} ; c0 "{row["number"]}";'), "t.epd"), _of_list, _are_the_texts),
    "tablebase": Kind(_made(lambda path: setwise.build_tablebase(path, ["KQK", "KRK"]), "tables"), _of_tables),
}  # fmt: skip


def damaged(path: Path, dice: random.Random) -> tuple[Path, str]:
    """Damage a file, or one file of a folder; return which, and how."""
    files = (
        [path] if path.is_file() else sorted(file for file in path.rglob("*") if file.is_file() and file.stat().st_size)
    )
    file = dice.choice(files)
    data = bytearray(file.read_bytes())
    size = min(len(data), dice.choice([1, 16, 512, 4096]))
    at = dice.randrange(max(1, len(data) - size))
    way = dice.choice("flip flips cut head zero ones swap twice gone other empty version".split())
    if way == "flip":
        data[at] ^= 1 << dice.randrange(8)
    elif way == "flips":
        for _ in range(8):
            data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
    elif way == "cut":
        del data[at:]
    elif way == "head":
        del data[: at + 1]
    elif way in {"zero", "ones"}:
        data[at : at + size] = bytes([0 if way == "zero" else 255]) * len(data[at : at + size])
    elif way == "swap":
        there = dice.randrange(max(1, len(data) - size))
        data[at : at + size], data[there : there + size] = data[there : there + size], data[at : at + size]
    elif way == "twice":
        data[at:at] = data[at : at + size]
    elif way == "gone":
        del data[at : at + size]
    elif way == "other":  # a block of another file of the folder, or of the games
        other = dice.choice(files).read_bytes() if len(files) > 1 else GAMES.read_bytes()
        data[at : at + size] = other[at : at + size]
    elif way == "empty":
        data.clear()
    else:  # the number of a version, wherever one stands
        place = max(data.find(b'"version": '), data.find(b"PAR1"), 0)
        data[place + 3 : place + 14] = bytes(dice.choices(range(32, 127), k=11))
    file.write_bytes(data)
    return file, f"{way} at {at:,}, {size} bytes, in {file.name}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--kind", nargs="*", default=list(KINDS), choices=list(KINDS), metavar="KIND", help="|".join(KINDS)
    )
    options = parser.parse_args()
    told = Counter[str]()
    with tempfile.TemporaryDirectory() as name:
        for line in trials(Path(name), options.trials, options.seed, options.kind, told):
            print(line, flush=True)
    print(", ".join(f"{count} {what}" for what, count in told.most_common()))
    return int(told["wrong"] > 0)


def trials(folder: Path, count: int, seed: int, names: list[str], told: Counter[str]) -> list[str]:
    """Return a line for each trial that was answered wrongly or not in a sentence; ``told`` counts what came of all."""
    wrong = []
    wholes = {}
    for name in names:
        (folder / name).mkdir()
        made = KINDS[name].make(folder / name)
        wholes[name] = made, KINDS[name].ask(made)
    for number in range(count):
        dice = random.Random(f"{seed} {number}")  # noqa: S311
        name = names[number % len(names)]
        made, whole = wholes[name]
        path = folder / f"{number}" / made.name
        (shutil.copytree if made.is_dir() else shutil.copyfile)(made, path) if path.parent.mkdir() is None else None
        file, how = damaged(path, dice)
        said = ""
        try:
            answer = KINDS[name].ask(path)
        except SetwiseError as error:
            text = str(error)
            is_named = path.name in text or file.name in text or "there is no column" in text  # of a damaged header
            what = "refused" if is_named and "\n" not in text else "wrong"
            said = text
        except Exception as error:  # noqa: BLE001  (that is what is looked for)
            what, said = "wrong", f"{type(error).__name__}: {error}"
        else:
            may_be = KINDS[name].may_be
            what = "the same" if answer == whole else "another text" if may_be and may_be(path, answer) else "wrong"
        told[what] += 1
        if what == "wrong":
            wrong.append(f"trial {number}, {name}: {how}: {said[:300] or 'another answer'}")
        shutil.rmtree(path.parent)
    return wrong


if __name__ == "__main__":
    sys.exit(main())
