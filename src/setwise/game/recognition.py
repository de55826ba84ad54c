"""What is PGN and what is not: told by the beginning of a source, before a game is taken for one."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from setwise.archives.opening import Source
from setwise.errors import SourceError, shortened
from setwise.game.blocks import BLOCK, Block, blocks
from setwise.notation.characters import BLANKS
from setwise.notation.pgn.parser import read_games
from setwise.notation.pgn.table import FAULT, FIRST_MOVE, NO_FAULT, START, UNREADABLE_MOVE

__all__ = ["pgn_blocks"]

#: So much of a source's text tells what it is.
_HEAD = BLOCK

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_TAG = re.compile(rb'\[[A-Za-z]\w*+\s*+"(?:[^"\\\n]|\\.)*+"\s*+\]')
_NUMBERED = re.compile(rb"(?:[\0-\x20\x7f]|\{[^}]*+\}|;[^\n]*+\n)*+\d++\s*+\.++\s*+[A-Za-z]")
#: What may stand between results.
_APART = re.compile(rb"\{[^}]*\}?|;[^\n]*|[\0-\x20\x7f]+")
_RESULTS = frozenset((b"*", b"1-0", b"0-1", b"1/2-1/2", b"1/2"))
_FEN = re.compile(rb"\s*(?:[1-8pnbrqk]{1,8}/){7}[1-8pnbrqk]{1,8} [wb] ", re.IGNORECASE)

#: An object of JSON, which has the braces of a comment.
_JSON = re.compile(rb'\s*\{\s*"(?:[^"\\\n]|\\.)*+"\s*:')

#: How other files begin, and what to say of them.
_OTHERS = {
    b"PAR1": "a Parquet file", b"ARROW1": "an Arrow file", b"SQLite format 3": "a database",
    b"PK\3\4": "a zip archive; unpack it first", b"7z\xbc\xaf": "a 7z archive; unpack it first",
    b"Rar!": "a rar archive; unpack it first", b"%PDF": "a PDF", b"\x89PNG": "a picture", b"\xff\xd8\xff": "a picture",
    b"GIF8": "a picture", b"\x7fELF": "a program", b"\xff\xfe": "text in UTF-16; save it as UTF-8",
    b"\xfe\xff": "text in UTF-16; save it as UTF-8",
}  # fmt: skip


def _is_pgn(head: bytes) -> bool:
    """Whether the beginning of a text is PGN: a tag, or nothing but results and comments, or moves.

    Moves are to be found in any text, in random bytes too, where every 256th is a ``*`` and ends a game: of ten games
    that are none, one must be played.
    """
    if _TAG.search(head):
        return True
    words = set(_APART.sub(b" ", head).split())
    if words <= _RESULTS:
        return bool(words) or not _JSON.match(head)
    games, moves, *_ = read_games(np.frombuffer(head, np.uint8))
    plies = np.diff(games[:, FIRST_MOVE], append=len(moves)).tolist()
    rows = zip(games[:, START].tolist(), plies, games[:, FAULT].tolist(), strict=True)
    played = sum(_is_played(head, start, count, fault) for start, count, fault in rows)
    return 0 < played >= (len(games) - played) / 10


def _is_played(head: bytes, start: int, plies: int, fault: int) -> bool:
    """Whether a game without tags is one.

    It is for a legal move if it breaks off nowhere, or only behind the second one; with a number before it, as in
    ``1. Ke3``, for any move.
    """
    if plies > 1 or (plies > 0 and fault == NO_FAULT):
        return True
    return _NUMBERED.match(head, start) is not None and (plies > 0 or NO_FAULT < fault < UNREADABLE_MOVE)


def _refusal(head: bytes) -> str:
    """What to say of a text that is no PGN."""
    for beginning, kind in _OTHERS.items():
        if head.startswith(beginning):
            return f"is no PGN but {kind}"
    if _FEN.match(head):
        return "is no PGN but a list of positions; Positions.from_fens reads FENs"
    if _JSON.match(head):
        return "is no PGN but JSON"
    line = head.strip(BLANKS).splitlines()[0].decode("utf-8", "replace")
    return f'is no PGN: it begins with {shortened(line)}, where tags ([White "…"]) or moves (1. e4) are expected'


def pgn_blocks(source: Source, size: int = BLOCK) -> Iterator[Block]:
    """Yield a source's text as ``blocks`` does, once its beginning has shown that it is PGN.

    Raises ``SourceError``, as ``blocks`` does, and for a source that is no PGN.
    """
    found, room = blocks(source, size), _HEAD
    waiting: list[Block] = []
    error: SourceError | None = None
    try:
        for block in found:
            waiting.append(block)
            room -= len(block.text)
            if room <= 0 or _TAG.search(block.text):
                break
    except SourceError as caught:
        error = caught
    if waiting:
        head = b"".join(block.text for block in waiting)[:_HEAD].removeprefix(_BYTE_ORDER_MARK)
        if head.startswith(tuple(_OTHERS)) or not _is_pgn(head):
            raise SourceError(f"{waiting[0].name} {_refusal(head)}")
    yield from waiting
    if error is not None:
        raise error
    yield from found
