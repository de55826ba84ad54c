"""A game as a page: its moves with their glyphs, and their annotations in words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape

from setwise.game.line import Line
from setwise.view.captions import place, players
from setwise.view.viewer import Scene, changes_of, page

__all__ = ["framed", "notes_of", "page_of"]

_GLYPHS = {1: "!", 2: "?", 3: "!!", 4: "??", 5: "!?", 6: "?!"}
_COMMAND = re.compile(r"\[%\w+[^\]]*\]")
#: A rating, as in the columns of ratings: at most four ASCII digits.
_NUMBER = re.compile(r"[0-9]{1,4}")
_MATE = 32_000
#: The longest mate that an evaluation encodes.
_LONGEST_MATE = 1_000


def page_of(
    line: Line,
    game_tags: Mapping[str, str],
    result: str,
    nags: Mapping[int, Iterable[int]],
    notes: dict[int, str],
    side: str,
) -> str:
    """Return the page of a game, seen from a side: its moves, its tags, and annotations by ply."""
    drawn = [position.piece_string() for position in line.positions()]
    tags = {name: None if value in {"?", "????.??.??"} else value for name, value in game_tags.items()}
    sans = [san + "".join(_GLYPHS.get(it, "") for it in nags.get(ply, ())) for ply, san in enumerate(line.sans(), 1)]
    scene = Scene(
        players(tags["White"], tags["Black"], _elo(tags.get("WhiteElo")), _elo(tags.get("BlackElo"))),
        place(tags["Event"], tags["Site"], tags["Date"], result),
        drawn[0], changes_of(drawn), sans, line.position.fullmove_number, line.position.white_to_move, notes, side=side,
    )  # fmt: skip
    return page(scene)


def framed(document: str) -> str:
    """Return a page in a sandboxed frame, as notebooks show it."""
    style = "border:0;width:100%;max-width:28rem;height:46rem"
    return (
        f'<iframe sandbox="allow-scripts" style="{style}" title="a game of chess" srcdoc="{escape(document)}"></iframe>'
    )


def _elo(text: str | None) -> int | None:
    return int(text) if text is not None and _NUMBER.fullmatch(text) else None


def notes_of(
    comments: Mapping[int, str], clocks: Sequence[float | None], evaluations: Sequence[int | None]
) -> dict[int, str]:
    """Return annotations by ply in words: clock, evaluation, comment.

    >>> notes_of({1: "[%clk 1:02:03] [%eval 0.17] best by test", 2: "[%eval #-4]"}, [3723, None], [17, -31996])
    {1: '1:02:03 · +0.17 · best by test', 2: 'mate in 4 for Black'}
    """
    notes = {}
    for ply in range(len(clocks) + 1):
        words = [" ".join(_COMMAND.sub(" ", comments.get(ply, "")).split())]
        if ply:
            words = [_clock(clocks[ply - 1]), _evaluation(evaluations[ply - 1]), *words]
        if note := " · ".join(filter(None, words)):
            notes[ply] = note
    return notes


def _clock(seconds: float | None) -> str:
    if seconds is None:
        return ""
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}"


def _evaluation(centipawns: int | None) -> str:
    if centipawns is None:
        return ""
    moves = _MATE - abs(centipawns)
    if moves > _LONGEST_MATE:
        return f"{centipawns / 100:+.2f}"
    return f"mate in {moves} for {'White' if centipawns > 0 else 'Black'}"
