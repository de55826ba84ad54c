"""Games as texts: made-up ones, and those of the examples, merged, sorted and without duplicates."""

from __future__ import annotations

import io
import re
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st

import setwise
from helpers.data import FAMOUS_GAMES
from helpers.depth import depth

__all__ = [
    "EXAMPLES", "GAMES", "collections", "deduped", "merged", "moves_of", "ordered", "split_by_tags", "texts_in",
    "written_games",
]  # fmt: skip

#: How many collections of games a law is tried on; each is read and written several times.
EXAMPLES = settings(max_examples=depth(20, 1000))
GAMES = FAMOUS_GAMES.read_bytes()


def deduped(sources: Any, **asked: Any) -> bytes:
    file = io.BytesIO()
    setwise.dedupe(sources, file, **asked)
    return file.getvalue()


def merged(sources: Any, **asked: Any) -> bytes:
    file = io.BytesIO()
    setwise.merge(sources, file, **asked)
    return file.getvalue()


def ordered(sources: Any, by: Any, **asked: Any) -> bytes:
    file = io.BytesIO()
    setwise.sort(sources, file, by, **asked)
    return file.getvalue()


def texts_in(text: bytes) -> list[bytes]:
    """The games of a text of ours, where an empty line and a tag part two."""
    return [game for game in re.split(rb"\n\n(?=\[)", text.strip()) if game]


def split_by_tags(text: bytes) -> list[bytes]:
    return [it for it in re.split(rb'(?=\[Event ")', text) if it]


def moves_of(text: bytes) -> list[tuple[str, ...]]:
    return [tuple(move.uci() for move in game.moves) for batch in setwise.read_pgn(text) for game in batch]


LINES = ("e4 e5 Nf3 Nc6 Bb5 a6", "d4 d5 c4 e6", "e4 e5 Nf3", "f3 e5 g4 Qh4#", "", "e4 Ke2")


@st.composite
def written_games(draw: st.DrawFn) -> bytes:
    """A game, written in one of many ways; its moves may be illegal."""
    line = draw(st.sampled_from(LINES)).split()
    line = line[: draw(st.integers(0, len(line)))]
    end = "\r\n" if draw(st.booleans()) else "\n"
    tags = {
        "Event": draw(st.sampled_from(["x", "Zürich", '\\"'])),
        "White": draw(st.sampled_from(["Réti, R", "reti r", "Tal", "TAL", "?"])),
        "Date": draw(st.sampled_from(["1999.01.02", "????.??.??", "1850.01.01"])),
        "WhiteElo": draw(st.sampled_from(["2000", "900", "-"])),
    }
    words = []
    for ply, move in enumerate(line):
        words.append(f"{ply // 2 + 1}." if ply % 2 == 0 else "")
        words.append(move + draw(st.sampled_from(["", "!", " $1", f" {{ good{end}move }}", " (1. a3 {x} a6)"])))
    text = " ".join(filter(None, words))
    head = end.join(f'[{name} "{value}"]' for name, value in tags.items())
    result = draw(st.sampled_from(["1-0", "*", ""]))
    return f"{head}{end}{end}{text} {result}".strip().encode(draw(st.sampled_from(["utf-8", "latin-1"]))) + (
        end.encode() * 2
    )


#: Sources of such games: one or several texts.
collections = st.lists(st.lists(written_games(), max_size=6).map(b"".join), min_size=1, max_size=3)
