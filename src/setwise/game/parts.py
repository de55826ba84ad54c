"""Check the parts of a game: tags, moves, results, comments and NAGs, its start and its end."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Iterable, Mapping
from operator import index
from typing import Any

from setwise.errors import IllegalMove, InvalidGame, InvalidMove, shortened
from setwise.notation.pgn.comments import clean_comment
from setwise.notation.pgn.export import TAG_NAME
from setwise.notation.pgn.tags import KNOWN_VARIANTS
from setwise.notation.pgn.tokens import RESULTS
from setwise.position.move import AnyMove, Move
from setwise.position.position import Position
from setwise.position.variant_position import VariantPosition
from setwise.rules.variants import variant_of_tag

__all__ = [
    "CHESS960_VARIANTS", "check_notes", "checked_comment", "checked_glyphs", "checked_tag", "ending_of",
    "has_other_rules", "is_chess960", "known", "played_through", "recent", "setup_of", "start_of", "usual_start",
    "variant_tag", "without_progress",
]  # fmt: skip

#: Beginnings of the values of ``Variant``, in lower case, that mean Chess960.
CHESS960_VARIANTS = ("chess960", "chess 960", "fischer", "freestyle")
#: Beginnings of the values of ``Variant`` that the reader supports.
_VARIANTS = tuple(bytes(name).decode() for name in KNOWN_VARIANTS)
_NAGS = range(1, 256)
#: Surrogates, which no encoding writes.
_HALF_LETTER = re.compile(r"[\ud800-\udfff]")
#: What the value of a tag cannot have: readers take a NUL for a hole in a damaged file.
_UNWRITABLE = re.compile(rf"[\r\n\0]|{_HALF_LETTER.pattern}")


def is_chess960(tags: Mapping[str, str]) -> bool:
    """Return whether the tag ``Variant`` says Chess960."""
    return tags.get("Variant", "").lower().startswith(CHESS960_VARIANTS)


def has_other_rules(tags: Mapping[str, str]) -> bool:
    """Return whether the tag ``Variant`` names other rules than those of standard chess."""
    return is_chess960(tags) or variant_of_tag(tags.get("Variant", "")) is not None


@functools.cache
def usual_start(*, chess960: bool = False, variant: str | None = None) -> Position:
    """Return the position that games start from unless a tag says otherwise, created on first use."""
    return VariantPosition(variant, chess960=chess960) if variant else Position(chess960=chess960)


def start_of(tags: Mapping[str, str]) -> Position:
    """Return the starting position of the tags."""
    chess960, variant = is_chess960(tags), variant_of_tag(tags.get("Variant", ""))
    name = variant.name if variant else None
    return _position(tags["FEN"], chess960, name) if "FEN" in tags else usual_start(chess960=chess960, variant=name)


def _position(fen: str, chess960: bool, variant: str | None) -> Position:
    return VariantPosition(variant, fen, chess960=chess960) if variant else Position(fen, chess960=chess960)


def variant_tag(tags: Mapping[str, str], start: Position) -> dict[str, str]:
    """Return the tag ``Variant`` if a starting position requires it and it is missing."""
    if isinstance(start, VariantPosition):
        return {} if variant_of_tag(tags.get("Variant", "")) else {"Variant": start.variant}
    return {"Variant": "Chess960"} if start.chess960 and not is_chess960(tags) else {}


def setup_of(tags: Mapping[str, str], start: Position) -> dict[str, str]:
    """Return the tags that a starting position requires and that are missing."""
    tag, needed = tags.get("Variant", ""), variant_tag(tags, start)
    variant, known = start.variant if isinstance(start, VariantPosition) else None, variant_of_tag(tag)
    if tag and known is None and not tag.lower().startswith(_VARIANTS):
        raise InvalidGame(f"the variant {shortened(tag)} has other rules than standard chess and Chess960")
    if tag and variant != (known.name if known else None):
        raise InvalidGame(f"the tag Variant is {shortened(tag)}, and the position is of {variant or 'standard chess'}")
    if start == usual_start(variant=variant) and "FEN" not in tags:
        return needed
    written = start.fen("fen")
    tagged = _position(tags.get("FEN", written), start.chess960, variant)
    if tagged.fen() != start.fen():
        raise InvalidGame(f"the tag FEN is not the position that was passed: {shortened(tagged.fen(), 90)}")
    return needed | ({} if "FEN" in tags and tagged == start else {"SetUp": "1", "FEN": written})


def checked_tag(name: str, value: str | int) -> str:
    """Return a tag's value as a text; raises ``InvalidGame`` for a value that PGN cannot hold."""
    if not isinstance(name, str) or not TAG_NAME.match(name):
        raise InvalidGame(f"{shortened(name)} is not a name of a tag: a letter, then letters, digits and underscores")
    if not isinstance(value, str | int):
        raise TypeError(f"the tag {name} is a text, not {type(value).__name__}")
    value = str(value)
    if _UNWRITABLE.search(value):
        raise InvalidGame(f"the tag {name} holds a line break, a NUL or half of a letter: {shortened(ascii(value))}")
    return value


def known(seconds: list[float]) -> list[float | None]:
    """Return seconds, None where they are not known."""
    return [None if math.isnan(value) else value for value in seconds]


def checked_comment(text: str) -> str:
    """Return a comment as a PGN can hold it."""
    if not isinstance(text, str):
        raise TypeError(f"a comment is a text, not {type(text).__name__}")
    return clean_comment(text)


def checked_glyphs(nags: Any) -> tuple[int, ...]:
    """Return NAGs, one or several, as a tuple in order."""
    several = isinstance(nags, Iterable) and not isinstance(nags, str)
    return tuple(sorted({_glyph(nag) for nag in (nags if several else [nags])}))


def _glyph(nag: Any) -> int:
    try:
        number = index(nag)
    except TypeError:
        number = None
    if number is None or isinstance(nag, bool):
        raise TypeError(f"NAGs are numbers from 1 to 255, not {shortened(nag)} ({type(nag).__name__})")
    return number


def check_notes(result: str, plies: int, comments: Mapping[int, str], glyphs: Mapping[int, tuple[int, ...]]) -> None:
    """Raise ``InvalidGame`` for a result, for comments or NAGs that cannot stand in a PGN."""
    if result not in RESULTS:
        raise InvalidGame(f"a result is one of {', '.join(RESULTS)}, not {shortened(result)}")
    for name, by_ply, first in (("comments", comments, 0), ("NAGs", glyphs, 1)):
        for ply in by_ply:
            if not isinstance(ply, int) or not first <= ply <= plies:
                raise InvalidGame(f"{name} stand behind the plies {first} to {plies}, not {shortened(ply)}")
    for ply, nags in glyphs.items():
        if any(glyph not in _NAGS for glyph in nags):
            raise InvalidGame(f"NAGs are numbers from 1 to 255, not {shortened(nags)} at ply {ply}")
    for ply, text in comments.items():
        if "\0" in text or _HALF_LETTER.search(text):
            raise InvalidGame(f"the comment at ply {ply} holds a NUL or half of a letter: {shortened(ascii(text))}")


def played_through(
    start: Position, moves: Iterable[AnyMove], ply: int = 1
) -> tuple[tuple[Move, ...], tuple[Position, ...]]:
    """Return the moves, and the positions before, between and after them; ``ply`` is the first one's number."""
    played: list[Move] = []
    positions = [start]
    for move in moves:
        position = positions[-1]
        try:
            parsed = move if type(move) is Move else position.parse(move)
            positions.append(position.play(parsed))
        except (IllegalMove, InvalidMove) as error:
            number = f"{position.fullmove_number}{'.' if position.white_to_move else '...'}"
            raise type(error)(f"ply {ply + len(played)} ({number}): {error}") from None
        played.append(parsed)
    return tuple(played), tuple(positions)


def recent(positions: tuple[Position, ...], ply: int) -> tuple[Position, ...]:
    """Return the positions before a ply since the last capture or pawn move, the only ones that can be repeated."""
    return positions[max(ply - positions[ply].halfmove_clock, 0) : ply]


def ending_of(positions: tuple[Position, ...]) -> str:
    """Return the result by the rules at the end of a game."""
    ending = positions[-1].outcome(recent(positions, len(positions) - 1))
    return ending.result if ending else "*"


def without_progress(position: Position, halfmoves: int) -> bool:
    """Return whether so many half moves passed without capture or pawn move, and the game could go on."""
    return position.halfmove_clock >= halfmoves and bool(position.legal_moves())
