"""Whole files of games of our own making, odd and random ones: read and written as python-chess does."""

from __future__ import annotations

import random
from pathlib import Path

import chess
import chess.pgn
import pytest

from helpers.data import DATA, FAMOUS_GAMES
from helpers.depth import depth
from helpers.python_chess import games_of
from setwise import Game, Positions, read_pgn

FILES = [FAMOUS_GAMES, *sorted(DATA.glob("*.pgn"))]
COMMENTS = ("sharp", "[%clk 0:59:07]", "[%eval -1.25] and so on", "the plan; a5 (or b5) follows", "x\ny")


def decoded(raw: bytes) -> str:
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = raw.decode("latin-1")
    return text.replace("\r\n", "\n")


def random_game(chance: random.Random) -> chess.pgn.Game:
    """Anything legal from some start, with notes and variations strewn over it."""
    start = chess.Board.from_chess960_pos(chance.randrange(960)) if chance.random() < 0.5 else chess.Board()
    game = chess.pgn.Game({"White": "Würfel", "Black": "Dés"})
    if start.chess960:
        game.setup(start)
    node: chess.pgn.GameNode = game
    for _ in range(chance.choice((0, 1, 20, 80, 200))):
        moves = list(node.board().legal_moves)
        if not moves:
            break
        other = chance.choice(moves)
        node.comment = chance.choice(COMMENTS) if chance.random() < 0.1 else ""
        after = node.add_main_variation(chance.choice(moves))
        if chance.random() < 0.1 and other != after.move:
            node.add_variation(other, comment=chance.choice(COMMENTS), nags=[4])
        after.nags = {chance.randrange(1, 140)} if chance.random() < 0.1 else set()
        node = after
    game.headers["Result"] = chance.choice(("1-0", "0-1", "1/2-1/2", "*"))
    return game


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of random games."""
    chance = random.Random(1)  # noqa: S311
    path = tmp_path_factory.mktemp("games") / "random.pgn"
    path.write_text("".join(f"{random_game(chance)}\n\n" for _ in range(depth(30, 60))), "utf-8")
    return path


def agree(path: Path) -> int:
    """How many moves the games of a file have, of which both readers tell the same."""
    raw, plies = path.read_bytes(), 0
    for batch in read_pgn(path, notes=True):
        assert not list(batch.faults())
    games = [game for batch in read_pgn(path, notes=True) for game in batch]
    for game, their in zip(games, games_of(decoded(raw)), strict=True):
        nodes = list(their.mainline())
        assert not their.errors
        assert game.tags.items() >= {
            (name, text.replace('\\"', '"').replace("\\\\", "\\")) for name, text in their.headers.items()
        }
        assert game.position.fen() == their.board().fen()
        assert game.sans() == [node.san() for node in nodes]
        assert [position.fen() for position in game.positions()[1:]] == [node.board().fen() for node in nodes]
        assert game.clocks == [node.clock() for node in nodes]
        their.headers = chess.pgn.Headers(sorted(their.headers.items()))
        for columns in (80, None):
            exporter = chess.pgn.StringExporter(columns=columns, variations=False)
            assert game.pgn(columns=columns) == their.accept(exporter)
        plies += len(nodes)
    return plies


def test_there_are_files() -> None:
    assert {path.name for path in FILES} == {"famous_games.pgn", "odd.pgn", "windows.pgn", "latin1.pgn"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_file_is_read_and_written_as_by_python_chess(path: Path) -> None:
    assert agree(path) >= 10


def test_random_games_are_read_and_written_as_by_python_chess(played: Path) -> None:
    assert agree(played) > depth(1000, 2000)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_what_was_read_comes_back_from_its_pgn(path: Path) -> None:
    games = [game for batch in read_pgn(path, notes=True) for game in batch]
    text = "".join(f"{game}\n\n" for game in games)
    assert [game for batch in read_pgn(text.encode(), notes=True) for game in batch] == games


def test_the_size_of_batches_changes_no_file(played: Path) -> None:
    def outline(size: int) -> list[Game]:
        return [
            game
            for path in (*FILES, played)
            for batch in read_pgn(path, notes=True, batch_bytes=size)
            for game in batch
        ]

    whole = outline(1 << 20)
    assert len(whole) > depth(70, 100)
    for size in (1, 700, 5000):
        assert outline(size) == whole


def test_positions_of_files_are_those_of_their_fens(played: Path) -> None:
    for path in (*FILES, played):
        for batch in read_pgn(path):
            positions = batch.positions()
            again = Positions.from_fens(positions.fens("fen"), chess960=True)
            assert (again.sets == positions.sets).all()
            assert again.keys().tolist() == positions.keys().tolist()
