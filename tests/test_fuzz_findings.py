"""Texts of the fuzzer that once broke something (docs/fuzzing.md), and the fuzzer's own targets on its first texts."""

from __future__ import annotations

import importlib
import io

import pytest

from helpers.data import ROOT
from helpers.depth import depth
from setwise import Games, Position, find, merge, read_pgn
from setwise.archives import zstd
from setwise.corpus.sources import tables
from setwise.game.batch import blocks

FUZZ = ROOT / "fuzz"


def read(text: bytes, size: int) -> list[tuple[int, list[int], str]]:
    """Number, moves and result of every game, read in batches of a size."""

    def rows(games: Games) -> list[tuple[int, list[int], str]]:
        bounds = games.move_offsets.tolist()
        return [
            (games.first + k, games.moves[bounds[k] : bounds[k + 1]].tolist(), games.results[k])
            for k in range(len(games))
        ]

    return [row for games in read_pgn(text, batch_bytes=size) for row in rows(games)]


@pytest.mark.parametrize(
    "text",
    [
        b"1. e4 {an empty line\n\n[%clk 0:01:00] in a comment} e5 2. Nf3 Nc6 *\n\n1. d4 d5 *\n",
        b"1. e4 {no name\n\n[9 in a tag} e5 *\n",
        b'[White "a"]\n\n[Black "tags after an empty line"]\n\n1. e4 e5 1-0\n',
        b'[Site "a"]\n[Event "not the first tag"]\n\n1. e4 e5 1-0\n\n[Site "b"]\n[Event "c"]\n\n1. d4 0-1\n',
    ],
)
def test_the_size_of_a_batch_changes_nothing(text: bytes) -> None:
    whole = read(text, 1 << 19)
    for size in (*range(1, len(text) + 1),):
        assert read(text, size) == whole


@pytest.mark.parametrize("rights", ["b", "B", "dq", "Kk", "Qq", "HAha", "Bb", "KQbg", "c"])
@pytest.mark.parametrize(
    "men", ["8/8/8/8/8/8/8/8", "r3k2r/8/8/8/8/8/8/4K3", "4k3/8/8/8/K2pP2r/8/8/1R4R1", "1r1kr1r1/8/8/8/8/8/8/RR2K2R"]
)
def test_rights_that_mean_nothing_come_back_from_their_fen(men: str, rights: str) -> None:
    position = Position(f"{men} w {rights} d5 0 1", strict=False)
    assert Position(position.fen("fen"), strict=False) == position


@pytest.mark.parametrize("move", ["Nf?3", "N!f3", "Nf3", "Ng1!?-f3", "Nf3+?!", "Nf3?+"])
def test_a_glyph_inside_a_move_does_not_part_it(move: str) -> None:
    text, file = f"1. {move}! e5?? 2. e4! *\n".encode(), io.BytesIO()
    assert merge(text, file, without=["nags"]) == 1
    assert read(file.getvalue(), 1 << 19)[0][1] == read(b"1. Nf3 e5 2. e4 *", 1 << 19)[0][1]
    assert b"e5??" not in file.getvalue()


def test_archives_that_swell_are_read_in_pieces() -> None:
    size = 1 << 28
    text = b" " * size
    packed = zstd.compress(text)
    assert len(packed) < size // 10_000
    assert sum(len(block.text) for block in blocks(packed)) == size


def test_an_operation_of_epd_may_have_any_name() -> None:
    position, operations = Position.from_epd('4k3/8/8/8/8/8/8/4K3 w - - self 1; operations "x"; cls;')
    assert operations == {"self": 1, "operations": "x", "cls": None}
    assert Position.from_epd(position.epd(**operations)) == (position, operations)


@pytest.mark.parametrize("first", ["Event", "White"])
@pytest.mark.parametrize("more", ["\\", "2", "_Title", "-x", ":", "Elo"])
def test_a_tag_whose_name_goes_on_behind_that_of_the_first_one_begins_no_game(first: str, more: str) -> None:
    tags = {first: "a", f"{first}{more}": "b", "Round": "1"}
    text = "".join(f'[{name} "{value}"]\n' for name, value in tags.items()) + "\n1. e4 e5 *\n"
    [games] = read_pgn(text.encode())
    assert [games.tag(name).to_pylist() for name in tags] == [[value] for value in tags.values()]
    again = read(text.encode() * 2, 1 << 19)
    assert [len(moves) for _, moves, _ in again] == [2, 2], "the same name begins the next game"


@pytest.mark.parametrize("name", ["fen", "moves", "epd", "pgn", "study", "sources", "condition", "statement"])
def test_the_texts_that_the_fuzzer_begins_with_break_nothing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if not FUZZ.is_dir():
        pytest.skip("the fuzzer is not part of a source distribution")
    monkeypatch.syspath_prepend(FUZZ)
    target = importlib.import_module("targets").TARGETS[name]
    seeds = list(importlib.import_module("seeds").SEEDS[name]())
    assert len(seeds) > 15
    for seed in seeds[:: depth(3, 1)]:
        target(seed)


def test_a_table_has_the_same_rows_however_many_bytes_are_read_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [f"{'8/' * 5}K{'7' if number % 3 else '6b'}/8/k7 w - - 0 {number}" for number in range(1, 9)]
    text = "\r\n".join(["fen", *rows, ""]).encode()
    for size in range(60, 90):  # a piece that is longer by one byte ends within the end of a line
        monkeypatch.setattr(tables, "TEXT", size)
        assert find("true", text, columns=["fullmove_number"]).column(0).to_pylist() == [*range(1, 9)], size
