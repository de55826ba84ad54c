"""Recognize PGN by the beginning of a source."""

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

#: The number of bytes by which a source is recognized.
_HEAD = BLOCK

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_TAG = re.compile(rb'\[[A-Za-z]\w*+\s*+"(?:[^"\\\n]|\\.)*+"\s*+\]')
_NUMBERED = re.compile(rb"(?:[\0-\x20\x7f]|\{[^}]*+\}|;[^\n]*+\n)*+\d++\s*+\.++\s*+[A-Za-z]")
#: What may stand between results.
_APART = re.compile(rb"\{[^}]*\}?|;[^\n]*|[\0-\x20\x7f]+")
_RESULTS = frozenset((b"*", b"1-0", b"0-1", b"1/2-1/2", b"1/2"))
_FEN = re.compile(rb"\s*(?:[1-8pnbrqk]{1,8}/){7}[1-8pnbrqk]{1,8} [wb] ", re.IGNORECASE)

#: The beginning of a page of HTML, or of other XML; a page may have games in it.
_MARKUP = re.compile(rb"\s*<[!?a-z]", re.IGNORECASE)
#: The beginning of a JSON object; its braces look like a comment's.
_JSON = re.compile(rb'\s*\{\s*"(?:[^"\\\n]|\\.)*+"\s*:')

#: The first bytes of other kinds of files, and their descriptions for messages.
_OTHERS = {
    b"PAR1": "a Parquet file", b"ARROW1": "an Arrow file", b"SQLite format 3": "a database",
    b"PK\3\4": "a zip archive; unpack it first", b"7z\xbc\xaf": "a 7z archive; unpack it first",
    b"Rar!": "a rar archive; unpack it first", b"%PDF": "a PDF", b"\x89PNG": "a picture", b"\xff\xd8\xff": "a picture",
    b"GIF8": "a picture", b"\x7fELF": "a program", b"\xff\xfe": "text in UTF-16; save it as UTF-8",
    b"\xfe\xff": "text in UTF-16; save it as UTF-8",
}  # fmt: skip


def _is_pgn(head: bytes) -> bool:
    """Whether the beginning of a text is PGN: a tag, or nothing but results and comments, or moves.

    Any text contains moves by chance, even random bytes, where every 256th is a ``*`` and ends a game. So for every ten
    games that cannot be played there must be one that can.
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
    """Whether a game without tags is a real game.

    It is if it has one legal move and no fault, or two legal moves; with a number before the first move, as in
    ``1. Ke3``, any move suffices.
    """
    if plies > 1 or (plies > 0 and fault == NO_FAULT):
        return True
    return _NUMBERED.match(head, start) is not None and (plies > 0 or NO_FAULT < fault < UNREADABLE_MOVE)


def _refusal(head: bytes) -> str:
    """Return the message for a text that is not PGN."""
    for beginning, kind in _OTHERS.items():
        if head.startswith(beginning):
            return f"is not PGN but {kind}"
    if _MARKUP.match(head):
        return "is not PGN but a page of HTML or XML: get the file of games itself"
    if _FEN.match(head):
        return "is not PGN but a list of positions; Positions.from_fens reads FENs"
    if _JSON.match(head):
        return "is not PGN but JSON"
    line = head.strip(BLANKS).splitlines()[0].decode("utf-8", "replace")
    return f'is not PGN: it begins with {shortened(line)}, where tags ([White "…"]) or moves (1. e4) are expected'


def pgn_blocks(source: Source, size: int = BLOCK) -> Iterator[Block]:
    """Yield a source's text as ``blocks`` does, once its beginning has shown that it is PGN.

    Raises ``SourceError``, as ``blocks`` does, and for a source that is not PGN.
    """
    text_blocks, room = blocks(source, size), _HEAD
    pending: list[Block] = []
    error: SourceError | None = None
    try:
        for block in text_blocks:
            pending.append(block)
            room -= len(block.text)
            if room <= 0 or _TAG.search(block.text):
                break
    except SourceError as caught:
        error = caught
    if pending:
        head = b"".join(block.text for block in pending)[:_HEAD].removeprefix(_BYTE_ORDER_MARK)
        if head.startswith(tuple(_OTHERS)) or _MARKUP.match(head) or not _is_pgn(head):
            raise SourceError(f"{pending[0].name} {_refusal(head)}")
    yield from pending
    if error is not None:
        raise error
    yield from text_blocks
