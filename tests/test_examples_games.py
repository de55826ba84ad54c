"""The famous games in examples/ are legal, in PGN export format, and the games history records."""

from __future__ import annotations

import re
from pathlib import Path

import chess.pgn
import pytest

from helpers.data import FAMOUS_GAMES
from helpers.python_chess import games_of
from setwise.archives import zstd

TEXT = FAMOUS_GAMES.read_text(encoding="ascii")

ROSTER = ("Event", "Site", "Date", "Round", "White", "Black", "Result")

# How the white and the black player's name begins, and the year, of the games that the collection has too.
RECORDED = [
    ("Anderssen", "Kieseritzky", 1851),
    ("Paulsen", "Morphy", 1857),
    ("Morphy", "Duke Karl", 1858),
    ("Zukertort", "Blackburne", 1883),
    ("Lasker", "Bauer", 1889),
    ("Steinitz", "Von Bardeleben", 1895),
    ("Rotle", "Rubinstein", 1907),
    ("Levitsky", "Marshall", 1912),
    ("Lasker", "Capablanca", 1914),
    ("Capablanca", "Marshall", 1918),
    ("Adams", "Torre", 1920),
    ("Bogoljubow", "Alekhine", 1922),
    ("Saemisch", "Nimzowitsch", 1923),
    ("Capablanca", "Tartakower", 1924),
    ("Reti", "Alekhine", 1925),
    ("Botvinnik", "Capablanca", 1938),
    ("Averbakh", "Kotov", 1953),
    ("Geller", "Euwe", 1953),
    ("Byrne", "Fischer", 1956),
    ("Tal", "Smyslov", 1959),
    ("Spassky", "Bronstein", 1960),
    ("Byrne", "Fischer", 1963),
    ("Larsen", "Spassky", 1970),
    ("Fischer", "Spassky", 1972),
    ("Karpov", "Kasparov", 1985),
    ("Ivanchuk", "Yusupov", 1991),
    ("Short", "Timman", 1991),
    ("Deep Blue", "Kasparov", 1997),
]


def names(game: chess.pgn.Game) -> str:
    return "{White} - {Black}, {Date}".format(**game.headers)


def bare_sans(movetext: str) -> list[str]:
    """The moves of a movetext without comments: no numbers, no marks (+ # ! ?), no result."""
    tokens = re.sub(r"\d+\.+", " ", movetext).split()
    return [token.rstrip("+#!?") for token in tokens if token not in {"1-0", "0-1", "1/2-1/2", "*"}]


GAMES = list(games_of(TEXT))


def test_there_are_at_least_twenty_games() -> None:
    assert len(GAMES) >= 20
    assert len({names(game) for game in GAMES}) == len(GAMES)


def test_the_file_is_in_export_format() -> None:
    exported = [game.accept(chess.pgn.StringExporter(columns=80)) for game in GAMES]
    assert "\n\n".join(exported) + "\n" == TEXT
    assert max(map(len, TEXT.splitlines())) <= 80


@pytest.mark.parametrize("game", GAMES, ids=names)
def test_game_is_legal_and_complete(game: chess.pgn.Game) -> None:
    assert not game.errors
    assert all(game.headers[tag] for tag in ROSTER)
    assert game.headers["White"] != "?" != game.headers["Black"]
    assert re.fullmatch(r"\d{4}(\.\d\d|\.\?\?){2}", game.headers["Date"])
    assert game.headers["Result"] in {"1-0", "0-1", "1/2-1/2"}

    moves = list(game.mainline_moves())
    assert moves
    assert [list(again.mainline_moves()) for again in games_of(str(game))] == [moves]

    outcome = game.end().board().outcome()
    assert outcome is None or outcome.result() == game.headers["Result"]


@pytest.fixture(scope="module")
def recorded(shared_data: Path) -> dict[tuple[str, str, int], list[list[str]]]:
    """For each entry of RECORDED, the moves of every game in the collection with these names and this year."""
    path = shared_data / "pgn" / "gnuchess_book.pgn.zst"
    text = zstd.decompress(path.read_bytes())

    found: dict[tuple[str, str, int], list[list[str]]] = {entry: [] for entry in RECORDED}
    for year in sorted({year for _, _, year in RECORDED}):
        header = re.compile(rb'\[Date "%d\b.*\n\[Round .*\n\[White "(.*)"\]\n\[Black "(.*)"\]\n' % year)
        for match in header.finditer(text):
            white, black = (name.decode("latin-1") for name in match.groups())
            for entry in RECORDED:
                if entry[2] == year and white.startswith(entry[0]) and black.startswith(entry[1]):
                    start = text.index(b"\n\n", match.end())
                    movetext = text[start : text.index(b"\n\n", start + 2)]
                    found[entry].append(bare_sans(movetext.decode("latin-1")))
    return found


@pytest.mark.parametrize("entry", RECORDED, ids="{0[0]}-{0[1]}-{0[2]}".format)
def test_moves_agree_with_the_collection(
    entry: tuple[str, str, int], recorded: dict[tuple[str, str, int], list[list[str]]]
) -> None:
    """One is the beginning of the other: collections leave out or add moves after the decision."""
    white, black, year = entry
    [game] = [
        game
        for game in GAMES
        if game.headers["White"].startswith(white)
        and game.headers["Black"].startswith(black)
        and game.headers["Date"].startswith(str(year))
    ]
    ours = bare_sans(str(game.mainline()))
    shared = [min(len(ours), len(theirs)) for theirs in recorded[entry]]
    assert any(n >= 30 and ours[:n] == theirs[:n] for n, theirs in zip(shared, recorded[entry], strict=True))
