"""``Games``: a batch of games as the reader yields it; ranges of a file, texts, and ``write_pgn``.

`read_pgn` yields batches; the memory of a batch is limited, because it holds only one block of the source. The
beginning of a source must look like PGN, because any bytes contain moves by chance; the message says what other kind
of file it seems to be. `ranges` cuts a file into parts that separate processes read; plain text is cut anywhere,
archives between their frames. The tree of variations can be read as separate games, each a path from the start to the
end of a line, so that the columns that follow a game need no second version for trees. `texts_of` returns games as the
source writes them, and `text_of` returns one of them with comments inserted. `write_pgn` writes games from their moves.
"""

from __future__ import annotations

import io
import itertools
import operator
import os
import re
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from operator import index
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any, NamedTuple, SupportsIndex, TypeAlias, cast, overload

import numpy as np
import pyarrow as pa

from setwise.archives import BYTES, Chunks, Source, opened
from setwise.errors import SourceError, shortened
from setwise.game.batch import (
    BLOCK,
    LONGEST_GAME,
    Block,
    GameColumns,
    GamePositions,
    PositionDemand,
    beginning_in,
    blocks,
    usual_start,
    variant_tag,
)
from setwise.game.batch import Fault as Fault  # noqa: PLC0414  (faults are read with games)
from setwise.game.game import Game, batch_of, parts_of
from setwise.notation.pgn import tokens as pgn
from setwise.notation.pgn.annotations import clean_comment
from setwise.notation.pgn.lines import Paths, beginnings, paths_of, paths_to
from setwise.notation.pgn.tokens import FAULT, NO_FAULT, START, UNREADABLE_MOVE
from setwise.notation.pgn.writing import ROSTER, stripped
from setwise.notation.text import BLANKS, decoded
from setwise.position import history
from setwise.position.history import Identities, followed, identities
from setwise.position.move import MOVE_TABLES, Move
from setwise.position.position import Position
from setwise.position.positions import Positions
from setwise.position.variant_position import VariantPosition
from setwise.rules.variants import variant_of_tag
from setwise.system.files import write_all, written
from setwise.system.packages import pc
from setwise.view.diagram import count, table

# ------------------------------------------------------------------------------- insert comments into a game's own text


#: The text of a move, with ``!`` and ``?`` after it; the number before a move; the result after the last move.
_MOVE = re.compile(rb"[^\s{}()\[\];$]+")
_NUMBER = re.compile(rb"(?:\d+\s*\.[\s.]*)?\Z")
#: The separator between a comment and the character before or after it: an empty line after tags, nothing at a blank,
#: and otherwise a blank.
_BLANKS = {b" ": b"", b"\n": b"", b"\r": b"", b"\t": b"", b"]": b"\n\n"}
_RESULT = re.compile(rb"(?:(?:1-0|0-1|1/2-1/2|\*)\s*|\s*)\Z")


def begun_at(game: Game, ply: int, position: Position, comment: str = "", *, roster: bool = False) -> Game:
    """Return the rest of a game from a ply on, with a comment at its beginning and no other annotations.

    Args:
        game: the game.
        ply: how many of its first moves are left out.
        position: the position after these moves; for games of a variant, the moves are played to find it.
        comment: the comment before the first move.
        roster: whether to keep only the Seven Tag Roster and the tags of the starting position.
    """
    if isinstance(game.position, VariantPosition):  # the positions of the game count the checks given before
        position = game.positions()[ply]
    tags = {name: value for name, value in game.tags.items() if not roster or name in ROSTER}
    tags |= {"SetUp": "1", "FEN": position.fen("fen")}
    tags |= variant_tag(tags, position)
    return Game._of(tags, game.moves[ply:], position, game.result, {0: clean_comment(comment)} if comment else {}, {})


def stored_game(tags: Mapping[str, str], moves: Iterable[Move], start: Position, result: str) -> Game:
    """Return a game from stored columns: its boards follow standard chess, but its tag may name other rules.

    A game of a variant that counts checks loses the tag if it begins in the middle, because the checks given before are
    not known.
    """
    tags = dict(tags)
    rules = tags.pop("Variant", "")
    if (variant := variant_of_tag(rules)) is not None:
        if variant.checks and start != usual_start():
            rules = ""
        else:
            start = VariantPosition(variant.name, start.fen("fen"), chess960=start.chess960)
    game = Game(tags, moves, start, result)
    named = {"Variant": rules} if rules else {}  # it is kept even if the moves of the game were not read
    return Game._of({**game.tags, **named}, game.moves, start, game.result, {}, {})


def text_of(
    games: GameColumns, row: int, comments: Mapping[int, str], of_variations: Mapping[int, str] = MappingProxyType({})
) -> str:
    """Return the text of one game from its source, with comments inserted by ply; ply 0 is before the moves.

    ``of_variations`` has comments for variations, by the row of a position in the tree of the games.

    The games must have been read with ``notes=True``, which stores where the moves are in the text.
    """
    start, stop = games.table[row, [pgn.START, pgn.STOP]].tolist()
    text, pieces, at = games.block.text, list[bytes](), start
    places = [(_place(games, row, ply), comment) for ply, comment in sorted(comments.items())]
    places += [(_move_end(text, *games.tree.notes[node].tolist()), comment) for node, comment in of_variations.items()]
    for place, comment in sorted(places, key=operator.itemgetter(0)):
        before, after = (_BLANKS.get(text[edge : edge + 1], b" ") for edge in (place - 1, place))
        pieces += [text[at:place], before, f"{{ {clean_comment(comment)} }}".encode(), after]
        at = place
    return decoded(b"".join([*pieces, text[at:stop]])).strip()


def _move_end(text: bytes, start: int, stop: int) -> int:
    """Return where a move ends, within the span of the move and its annotations."""
    move = _MOVE.match(text, start)
    return move.end() if move else stop


def _place(games: GameColumns, row: int, ply: int) -> int:
    """Return where a comment of a ply belongs in the text: after its move, or before the number of the first move."""
    text = games.block.text
    first, last = games.move_offsets[row : row + 2].tolist()
    spans = cast("np.ndarray", games.notes)[first:last]
    if ply:
        return _move_end(text, *spans[ply - 1].tolist())
    begin, stop, fault, where = games.table[row, [pgn.START, pgn.STOP, pgn.FAULT, pgn.FAULT_AT]].tolist()
    if last > first or fault != pgn.NO_FAULT:
        end = int(spans[0, 0]) if last > first else where
        return begin + len(_NUMBER.sub(b"", text[begin:end], count=1))
    return begin + len(_RESULT.sub(b"", text[begin:stop], count=1))


# --------------------------------------------------------------------------- recognize PGN by the beginning of a source


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
    b"PK\3\4": "a zip archive without files named .pgn", b"7z\xbc\xaf": "a 7z archive; unpack it first",
    b"Rar!": "a rar archive; unpack it first", b"%PDF": "a PDF", b"\x89PNG": "a picture", b"\xff\xd8\xff": "a picture",
    b"GIF8": "a picture", b"\x7fELF": "a program",
}  # fmt: skip


def _is_pgn(head: bytes) -> bool:
    """Whether the beginning of a text is PGN: it has a tag, or only results and comments, or moves.

    Any text contains moves by chance, even random bytes, where every 256th byte is a ``*`` and ends a game. So for
    every ten games that cannot be played, at least one must be playable.
    """
    if _TAG.search(head):
        return True
    words = set(_APART.sub(b" ", head).split())
    if words <= _RESULTS:
        return bool(words) or not _JSON.match(head)
    games = Games.parsed(Block(head, "", 0, 1))
    rows = zip(
        games.table[:, START].tolist(),
        np.diff(games.move_offsets).tolist(),
        games.table[:, FAULT].tolist(),
        strict=True,
    )
    played = sum(_is_played(games.block.text, start, count, fault) for start, count, fault in rows)
    return 0 < played >= (len(games) - played) / 10


def _is_played(head: bytes, start: int, plies: int, fault: int) -> bool:
    """Whether a game without tags is a real game.

    A game is real if it has one legal move and no fault, or two legal moves. If there is a number before the first
    move, as in ``1. Ke3``, any move suffices, even an illegal one.
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
    """Yield a source's text as ``blocks`` does, after checking by its beginning that it is PGN.

    Raises ``SourceError`` as ``blocks`` does, and for a source that is not PGN.
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


# ---------------------------------------------------------- games: a batch of games in columns, as the reader yields it


#: The number of games and the tags that a notebook shows.
_SHOWN = 10
_SHOWN_TAGS = ("White", "Black", "Event", "Date")


class Games(GameColumns):
    """Games in columns: moves of 16 bits in one array, the spans of the tags in the text, results, faults.

    ``len()`` is the number of games, slicing returns a range of games, ``positions()`` replays them, ``tag(name)``
    returns a tag of all games as Arrow strings, ``faults()`` says where games break off. No move and no game is an
    object.

    Games that were read with ``notes=True`` also have annotations in columns, one value per move in the order of
    ``moves``, null for a move without one: ``clocks()``, ``elapsed()``, ``evaluations()``, ``nags()`` and
    ``comments()``. The first call of one of these methods reads all of these columns; without ``notes=True`` the
    methods raise ``ValueError``.
    """

    @overload
    def __getitem__(self, which: SupportsIndex) -> Game: ...

    @overload
    def __getitem__(self, which: slice) -> Games: ...

    def __getitem__(self, which: SupportsIndex | slice) -> Game | Games:
        return batch_of(self, which) if isinstance(which, slice) else Game._of(*parts_of(self, index(which)))

    def __iter__(self) -> Iterator[Game]:
        return map(self.__getitem__, range(len(self)))

    def __repr__(self) -> str:
        return f"<Games: {count(len(self), 'game')} of {self.source}, {count(len(self.moves), 'move')}>"

    def _repr_html_(self) -> str:
        first = self[:_SHOWN]
        tags = [first.tag(name).to_pylist() for name in _SHOWN_TAGS]
        plies = np.diff(first.move_offsets).tolist()
        rows = zip(range(self.first, self.first + len(first)), *tags, first.results, plies, strict=True)
        return table(["game", *_SHOWN_TAGS, "Result", "plies"], rows, f"{count(len(self), 'game')} of {self.source}")

    def pgn_text(
        self,
        game: int,
        comments: Mapping[int, str] = MappingProxyType({}),
        of_variations: Mapping[int, str] = MappingProxyType({}),
    ) -> str:
        """Return the text of one game, unchanged from the source.

        Args:
            game: the row of the game in this batch.
            comments: comments to add after the moves, by ply from 1; ply 0 is before the first move. With these, games
                that were read without ``notes=True`` lose their variations and other comments.
            of_variations: comments to add in variations, by the row of ``positions(variations=True)``.
        """
        if comments and self.notes is None:
            read = self[game]
            return read.replace(comments={**read.comments, **comments}).pgn()
        return text_of(self, game, comments, of_variations)


# ----------------------------------------------------------------------------------------------------------- reading


def read_pgn(
    source: Source,
    *,
    batch_bytes: int = BLOCK,
    notes: bool = False,
    variations: bool = False,
    strict: bool = False,
) -> Iterator[Games]:
    """Yield the games of a PGN source in batches of about ``batch_bytes`` of text; only one batch is held in memory.

    Args:
        source: a path, ``"-"`` for standard input, bytes or an open binary file; plain, ``.zst``, ``.gz``, ``.bz2`` or
            ``.xz``, recognized by its first bytes.
        batch_bytes: how many bytes of text a batch has, up to 32 MiB.
        notes: whether to keep annotations of moves: comments with clocks and evaluations, and NAGs.
        variations: whether to keep the lines in parentheses, for ``Game.variations()``, and all annotations.
        strict: whether to read only the words of PGN: others end a game with a fault, and no FEN is mended.

    Raises:
        SourceError: the source is missing, a directory, not PGN, or an archive that cannot be read to its end.
        TypeError: a file is open for text. ValueError: ``batch_bytes`` is out of its range.

    A game with an illegal or unreadable move, or with a move after the end by the rules of its variant, keeps the moves
    before that one; ``Games.faults()`` says which move it is, and where.
    """
    if not 1 <= batch_bytes <= LONGEST_GAME:
        raise ValueError(f"a batch is cut after 1 to {LONGEST_GAME:,} bytes, not {batch_bytes:,}")
    return _batches(source, batch_bytes, notes=notes, variations=variations, strict=strict)


def _batches(source: Source, batch_bytes: int, *, notes: bool, variations: bool, strict: bool) -> Iterator[Games]:
    first, demand = 1, PositionDemand()
    for block in pgn_blocks(source, batch_bytes):
        games = Games.parsed(block, notes=notes, variations=variations, demand=demand, strict=strict)
        demand.share = 0.0  # set again if the caller uses the positions of this batch
        games.first = first
        first += len(games)
        yield games


# -------------------------------------------------------------------- ranges of a file that separate processes can read


#: How many bytes are searched at once for the beginning of a game, and how many of them again with the next bytes.
_CHUNK, _AGAIN = 1 << 16, 1 << 8
#: A file is cut only if a game begins within so many bytes; the number of bytes by which a file is recognized as PGN.
_CUTTABLE, _RANGE_HEAD = 1 << 20, 1 << 14
#: The number of bytes that identify archives; no text of games begins with them.
_MAGIC = 4
#: Lichess's archives have such a small frame before each frame of text: its magic number, its own size, and the size of
#: the next frame.
_SIZE_FRAME = struct.Struct("<III")
_SIZE_NUMBER = 0x184D2A50
#: About how many times longer text is than its compressed form.
_UNPACKED = 5


class Range(NamedTuple):
    """The games of a file that begin between two cuts; a source of games."""

    path: str
    start: int
    #: None means the end of the file.
    stop: int | None
    #: The numbers of the first game and the first line of the range; 1 if they are not known.
    game: int = 1
    line: int = 1
    #: About how many bytes of text the range has.
    size: int = 0

    def blocks(self, size: int = BLOCK) -> Iterator[Block]:
        """Yield the text of the range in blocks of whole games, as ``setwise.game.batch.blocks`` does.

        Raises:
            SourceError: as ``blocks`` does; and for a file that is not PGN, if the range includes its beginning.
        """
        where = f"{self.path}, from byte {self.start:,} on," if self.start else self.path
        with io.BufferedReader(Chunks(self._text(), where)) as text:
            for block in blocks(text, size) if self.start else pgn_blocks(text, size):
                yield block._replace(line=block.line + self.line - 1)

    def _text(self) -> Iterator[bytes]:
        skipped = _first(self.path, self.start) if self.start else 0
        for chunk in _texts(self.path, self.start, self.stop):
            yield chunk[skipped:]
            skipped = max(0, skipped - len(chunk))
        if self.stop is None:
            return
        left = _first(self.path, self.stop)
        for chunk in _texts(self.path, self.stop, None):
            yield chunk[skipped:left]
            skipped, left = max(0, skipped - len(chunk)), left - len(chunk)
            if left <= 0:
                return


class _Slice(io.RawIOBase):
    """A part of a file, as a file of its own."""

    def __init__(self, file: IO[bytes], start: int, stop: int | None) -> None:
        self.file, self.left = file, None if stop is None else stop - start
        file.seek(start)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        size = len(buffer) if self.left is None else min(len(buffer), self.left)
        count = self.file.readinto(memoryview(buffer)[:size])  # type: ignore[attr-defined]
        if self.left is not None:
            self.left -= count
        return count


def _texts(path: str, start: int, stop: int | None, size: int = BLOCK) -> Iterator[bytes]:
    """Yield the decompressed text of some bytes of a file."""
    with Path(path).open("rb", buffering=0) as file, opened(io.BufferedReader(_Slice(file, start, stop))) as (text, _):
        while chunk := text.read(size):
            yield chunk


def _first(path: str, cut: int) -> int:
    """Return where the first game begins in the text from a cut on; the length of that text if no game begins there."""
    buffered, before = b"", 0
    for chunk in _texts(path, cut, None, _CHUNK):
        buffered += chunk
        if at := beginning_in(buffered):
            return before + at
        before += max(0, len(buffered) - _AGAIN)
        buffered = buffered[-_AGAIN:]
    return before + len(buffered)


# ------------------------------------------------------------------------------------------------------------- cutting


def ranges(path: str, size: int) -> list[Range]:
    """Return the ranges that a file is cut into, of about ``size`` bytes of text each.

    Plain text is cut anywhere, an archive between its frames if it states their sizes; any other file is one range.

    Raises:
        SourceError: for a file that is missing, cannot be read, or is not PGN.
    """
    next(pgn_blocks(path, _RANGE_HEAD), None)
    with Path(path).open("rb") as file, opened(path) as (text, _):
        whole, head = os.fstat(file.fileno()).st_size, file.read(_CUTTABLE)
        if text.read(_MAGIC) != head[:_MAGIC]:  # it is compressed
            cuts, times = _spaced(_frames(file, whole), size // _UNPACKED), _UNPACKED
        else:
            cuts, times = list(range(size, whole, size)) if beginning_in(head) else [], 1
    bounds = itertools.pairwise([0, *cuts, whole])
    return [Range(path, start, stop if stop < whole else None, size=times * (stop - start)) for start, stop in bounds]


def _frames(file: IO[bytes], whole: int) -> Iterator[int]:
    """Yield where the frames of an archive begin, as long as a small frame before each frame states its size."""
    at = 0
    while at < whole:
        file.seek(at)
        header = file.read(_SIZE_FRAME.size)
        if len(header) < _SIZE_FRAME.size:
            return
        number, length, packed = _SIZE_FRAME.unpack(header)
        if (number, length) != (_SIZE_NUMBER, 4):
            return
        yield at
        at += _SIZE_FRAME.size + packed


def _spaced(places: Iterator[int], least: int) -> list[int]:
    """Return places that are at least ``least`` apart, without the places between them."""
    spaced, last = [], 0
    for place in places:
        if place - last >= least:
            spaced.append(place)
            last = place
    return spaced


def numbered(some: list[Range], threads: int) -> list[Range]:
    """Return the ranges with the numbers of their first games and lines; for that, the whole text is read once.

    Args:
        some: all ranges of a file, in order.
        threads: how many threads read at the same time.

    Raises:
        SourceError: for a file that cannot be read.
    """
    out, game, line = [], 1, 1
    with ThreadPoolExecutor(threads) as pool:
        for it, (games, lines) in zip(some, [*pool.map(_counted, some[:-1]), (0, 0)], strict=True):
            out.append(it._replace(game=game, line=line))
            game, line = game + games, line + lines
    return out


def _counted(it: Range) -> tuple[int, int]:
    games = lines = 0
    for block in it.blocks():
        games += len(Games.parsed(block))
        lines += block.text.count(b"\n")
    return games, lines


# ---------------------------------------------------------------------------- the lines of a tree as games of their own


def _along_paths(games: GameColumns, compute: Callable[[Paths, np.ndarray], np.ndarray]) -> np.ndarray:
    """Return the values of ``compute`` for each row of a tree; it gets paths, each like a game, and their starts."""

    def own_values(paths: Paths) -> np.ndarray:
        starts = np.zeros(len(paths.rows), np.bool_)
        starts[beginnings(paths.path)] = True
        return compute(paths, starts)[..., paths.own]

    return np.concatenate([own_values(paths) for paths in paths_of(games.tree)], axis=-1)


def phases_in(games: GameColumns) -> np.ndarray:
    """Return the phase of each position of a tree, as ``phases_of`` does."""
    return _along_paths(games, lambda paths, starts: history.phases_of(games.tree.sets[:, paths.rows], starts))


def checks_in(games: GameColumns) -> np.ndarray:
    """Return how many checks White and Black have given before each position of a tree, two rows."""
    tree = games.tree
    checks = games.positions(variations=True).is_check() & (tree.parent >= 0)
    gave = np.stack([checks & ~tree.white_to_move, checks & tree.white_to_move])
    before = np.stack(np.divmod(np.maximum(games.table[tree.game, pgn.CHECKS], 0), pgn.BLACKS)[::-1])

    def compute(paths: Paths, starts: np.ndarray) -> np.ndarray:
        total = np.cumsum(gave[:, paths.rows], axis=1, dtype=np.int32)
        return total - total[:, starts][:, paths.path] + before[:, paths.rows]

    return _along_paths(games, compute).astype(np.int32)


def identities_in(games: GameColumns) -> Identities:
    """Return which pieces move in the positions of a tree, as ``Games.identities`` does for positions of games."""
    tree = games.tree
    played, last = tree.clocks[2:4]

    def compute(paths: Paths, starts: np.ndarray) -> np.ndarray:
        sets = np.ascontiguousarray(tree.sets[:, paths.rows])
        pieces = identities(sets, tree.white_to_move[paths.rows], played[paths.rows], last[paths.rows], starts)
        return np.stack([pieces.origin, pieces.captured_origin, pieces.piece_moves.view(np.uint16)])

    origin, captured, moves = _along_paths(games, compute)
    return Identities(origin, captured, moves.astype(np.int16))


def followed_along(games: GameColumns, wanted: int) -> np.ndarray:
    """Return where pieces from some first squares stand, as ``followed``, in the positions of a tree."""
    tree = games.tree

    def compute(paths: Paths, starts: np.ndarray) -> np.ndarray:
        sets = np.ascontiguousarray(tree.sets[:, paths.rows])
        return followed(sets, tree.white_to_move[paths.rows], tree.clocks[3, paths.rows], starts, wanted)

    return _along_paths(games, compute)


def path_through(games: GameColumns, node: int) -> np.ndarray:
    """Return the rows of a tree from the start of a game through one of its positions to the end of its line."""
    tree = games.tree
    last = np.searchsorted(tree.segment, tree.segment[node], side="right") - 1
    return paths_to(tree, np.array([last]))[0]


def line_through(positions: GamePositions, node: int) -> Positions:
    """Return the positions of the path through a node, with its moves; ``positions`` are all positions of a tree."""
    games = cast("Games", positions.games)
    path = path_through(games, node)
    line = positions[path]
    line.moves = np.append(games.tree.clocks[-1, path[1:]], np.uint16(0))
    return line


def played_through(games: Games, node: int) -> Game:
    """Return a game with the moves of the path through a node, without annotations; a variation has no result."""
    tree = games.tree
    game, path = games[int(tree.game[node])], path_through(games, node)
    moves = tuple(MOVE_TABLES[game.position.chess960].array[tree.clocks[-1, path[1:]]].tolist())
    result = game.result if tree.line[node] == 0 else "*"
    return Game._of(dict(game.tags), moves, game.position, result, {}, {})


# --------------------------------------------------------------------------------------------------- the texts of games


_CLOSED = re.compile(rb"(?:1-0|0-1|1/2|\*)\s*\Z")
#: A tag that always begins a new game.
_ANY_TAG = b'[Event "?"]\n\n'


def spans(games: GameColumns) -> tuple[np.ndarray, np.ndarray]:
    """Return where the texts of games begin and end; text between two games belongs to the first one."""
    end = len(games.block.text)  # first, because a table of games builds its text, and the spans, on this access
    starts = games.table[:, pgn.START].copy()
    return starts, np.append(starts, end)[1:]


def texts_of(games: GameColumns, without: tuple[str, ...] = ()) -> tuple[pa.BinaryArray, pa.BooleanArray]:
    """Return the texts of games, each followed by an empty line, and whether each ends with a result.

    Args:
        games: the games.
        without: the parts to remove from the texts, names of ``PARTS``.
    """
    text = games.block.text
    starts, stops = spans(games)
    if without:
        out, offsets = stripped(games.text, starts, stops, without)
        text, starts, stops = out.tobytes(), offsets[:-1], offsets[1:]
    elif games.block.written is not None:
        text, *places = games.block.written.text, starts, stops
        starts, stops = map(games.block.written.places, places)
    trimmed = [text[start:stop].rstrip(BLANKS) for start, stop in zip(starts.tolist(), stops.tolist(), strict=True)]
    closed = games.table[:, pgn.FAULT] == pgn.NO_FAULT
    # A game can end without a result even if it has no fault.
    closed &= np.array(list(map(is_closed, trimmed)), np.bool_)
    return pa.array([it + _line_break(it) * 2 for it in trimmed], pa.binary()), pa.array(closed)


def is_closed(text: bytes) -> bool:
    """Return whether the text of a game ends with a result."""
    return _CLOSED.search(text, max(len(text) - 8, 0)) is not None


def _line_break(text: bytes) -> bytes:
    at = text.find(b"\n")
    return b"\r\n" if at > 0 and text[at - 1 : at] == b"\r" else b"\n"


class TextFile:
    """A file to which texts of games are written.

    A game without tags gets a tag if the game before it has no result; otherwise both would be read as one game.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file
        self.closed = True

    def write(self, texts: pa.BinaryArray, closed: pa.BooleanArray) -> None:
        """Append games: their texts, and whether each ends with a result."""
        if not len(texts):
            return
        tagged = pc.starts_with(texts, b"[")
        if (self.closed and pc.all(closed).as_py()) or pc.all(tagged).as_py():
            write_all(self.file, _joined(texts))
            self.closed = closed[-1].as_py()
            return
        for text, has_tags, ends in zip(texts.to_pylist(), tagged.to_pylist(), closed.to_pylist(), strict=True):
            write_all(self.file, text if has_tags or self.closed else _ANY_TAG + text)
            self.closed = ends


def _joined(texts: pa.BinaryArray) -> memoryview:
    """Return texts concatenated, without a copy, because Arrow stores them so."""
    offsets = np.frombuffer(texts.buffers()[1], np.int32)[texts.offset : texts.offset + len(texts) + 1]
    return memoryview(texts.buffers()[2])[offsets[0] : offsets[-1]]


# --------------------------------------------------------------------------------------------------- write games as PGN


#: Where PGN is written: a path, or a file open for text or for bytes.
Target: TypeAlias = str | os.PathLike[str] | IO[Any]


def write_pgn(games: Game | Iterable[Game | Games], target: Target) -> int:
    """Write games as PGN, an empty line after each, and return how many games were written.

    Args:
        games: a game, or an iterable of games or of batches as ``read_pgn`` yields them; comments and NAGs are kept
            only by ``read_pgn(..., notes=True)``.
        target: a path, which is replaced by a file in UTF-8 (it may be the file that the games are read from), or a
            file open for text or bytes.

    Raises:
        OutputError: when the path cannot be written. After an error, the text written so far remains as ``NAME.part``.

    Example:
        >>> import io
        >>> from setwise import write_pgn
        >>> from setwise import Game
        >>> file = io.StringIO()
        >>> write_pgn([Game(moves=["e4"]), Game(moves=["d4"])], file)
        2
        >>> file.getvalue().split()[-3:]
        ['1.', 'd4', '*']
    """
    if isinstance(target, str | os.PathLike):
        with written(target) as file:
            file.is_worth_keeping = True
            return write_pgn(games, file)
    takes_text = hasattr(target, "encoding")
    count = 0
    several = [games] if isinstance(games, Game) else games
    for game in itertools.chain.from_iterable([item] if isinstance(item, Game) else item for item in several):
        text = game.pgn() + "\n\n"
        target.write(text if takes_text else text.encode())
        count += 1
    return count


def repair_pgn(
    sources: Source | Iterable[Source], target: Target, *, on_fault: Callable[[Fault], Any] | None = None
) -> int:
    r"""Write games in the words of PGN and in UTF-8, otherwise unchanged; return how many words were read as others.

    Args:
        sources: a source of ``read_pgn``, or several.
        target: a path other than those of the sources, or a file open for bytes.
        on_fault: called with the :class:`Repair` of each passage that changes, and with the :class:`Fault` of each game
            that breaks off, which is written as it is.

    Raises:
        SourceError: as ``read_pgn``. OutputError: when the path cannot be written.

    Example:
        >>> import io
        >>> from setwise.game.games import repair_pgn
        >>> file = io.BytesIO()
        >>> repair_pgn("1. e4 e5 2. ♘f3 {naïve} ½–½".encode("utf-8"), file, on_fault=print)
        <bytes>, line 1, game 1: '♘f3': is read as Nf3
        <bytes>, line 1, game 1: '½–½': is read as 1/2-1/2
        2
        >>> file.getvalue().decode()
        '1. e4 e5 2. Nf3 {naïve} 1/2-1/2\n\n'
    """
    if isinstance(target, str | os.PathLike):
        with written(target) as file:
            return repair_pgn(sources, file, on_fault=on_fault)
    several = [sources] if isinstance(sources, (str, os.PathLike, *BYTES)) or hasattr(sources, "read") else sources
    count = 0
    for games in itertools.chain.from_iterable(map(read_pgn, cast("Iterable[Source]", several))):
        repairs = [*games.repairs()]
        count += len(repairs)
        for fault in sorted([*repairs, *games.faults()], key=lambda it: (it.line, it.game)) if on_fault else ():
            on_fault(fault)  # type: ignore[misc]
        lines = games.block.text.removeprefix(_BYTE_ORDER_MARK).rstrip(BLANKS).split(b"\n")
        write_all(target, b"\n".join(decoded(line).encode() for line in lines) + b"\n\n")
    return count
