"""Games in columns: blocks of a file; tags, moves, notes and positions of many games.

A source is cut into blocks of about half a megabyte, only where a game begins, so that each block is parsed alone and
its columns fit the processor's caches. `GameColumns` holds the table that the reader fills: moves in one array, tags
as spans of the text, and nothing per game as an object. Columns that take time, such as comments or variations, are
read when they are first used. `GamePositions` are the positions of a batch; they keep the batch, for tags and texts.
The reader writes positions while it reads, if the positions of the previous batch were used (`PositionDemand`). One
section checks the tags, comments and results of games that a program creates.
"""

from __future__ import annotations

import copy
import functools
import itertools
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from operator import index
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self, cast

import numpy as np
import pyarrow as pa

from setwise.archives import Source, in_chunks, unreadable
from setwise.errors import IllegalMove, InvalidGame, InvalidMove, SourceError, shortened
from setwise.notation.moves import REASONS
from setwise.notation.pgn import tokens as pgn
from setwise.notation.pgn.annotations import NO_EVALUATION, Notes, clean_comment, read_notes
from setwise.notation.pgn.lines import (
    GAME,
    LINE_FAULTS,
    LineRows,
    VariationLines,
    beginnings,
    faults_of_lines,
    positions_of_lines,
    read_lines,
)
from setwise.notation.pgn.reader import describe, read_games, replay
from setwise.notation.pgn.tokens import KNOWN_VARIANTS, RESULTS, values_of
from setwise.notation.pgn.writing import TAG_NAME
from setwise.notation.text import BLANKS
from setwise.position.history import Identities, followed, identities
from setwise.position.move import AnyMove, Move
from setwise.position.position import Position
from setwise.position.positions import Positions, mended_fen
from setwise.position.variant_position import VariantPosition
from setwise.rules import generate
from setwise.rules.board import SETS, State
from setwise.rules.variants import variant_of_tag
from setwise.system.packages import pc
from setwise.system.pool import pooled
from setwise.view.diagram import count

if TYPE_CHECKING:
    from setwise.notation.pgn.words import Written

# -------------------------------------------------------- the text of a source of games, cut into blocks of whole games


#: The number of bytes of text in a block; the columns of its games fit the processor's caches.
BLOCK = 1 << 19

#: A text without beginnings of games, or a longer game, is cut after this number of bytes, so that any text needs only
#: a limited amount of memory.
LONGEST_GAME = 1 << 24

_NEWLINE = ord("\n")


class Block(NamedTuple):
    """Some whole games of a source: their text, and how many bytes and lines of the source stand before it."""

    text: bytes
    name: str
    offset: int
    line: int
    #: The number of compressed bytes of the file that contained the text; None if it is not known.
    packed: int | None = None
    #: The text of the file, if some words of it were said in the words of PGN.
    written: Written | None = None

    @property
    def size(self) -> int:
        """The number of bytes of the file that the block took, compressed or not."""
        return len(self.text) if self.packed is None else self.packed


def _can_be_played(text: bytes) -> bool:
    """Return whether all moves of games can be read."""
    return bool((read_games(np.frombuffer(text, np.uint8)).games[:, pgn.FAULT] == pgn.NO_FAULT).all())


#: A tag at the beginning of a line. It begins a game if it is the tag Event or follows an empty line, and follows
#: anything except another tag, which may belong to the same game.
_TAG = re.compile(rb'\n\[([A-Za-z]+) "')
#: How many bytes at the end are searched first for the last beginning, and how many are searched again when more text
#: is read.
_TAIL, _OVERLAP = 1 << 12, 64


def _begun(text: bytes | bytearray, since: int = 0) -> Iterator[int]:
    """Yield where games begin behind ``since``, regardless of what precedes it."""
    for tag in _TAG.finditer(text, since):
        at = tag.start() + 1
        above = text[max(0, at - _OVERLAP) : at]
        before = above.rstrip(BLANKS)
        if before and not before.endswith(b"]") and (tag[1] == b"Event" or above[:-1].rstrip(b"\r").endswith(b"\n")):
            yield at


def _cut(text: bytes | bytearray, since: int = 0) -> int:
    """Return where the last game from ``since`` on begins; 0 if no beginning is found."""
    since = max(0, since - _OVERLAP)
    for start in (max(since, len(text) - _TAIL), since):
        if begun := list(_begun(text, start)):
            return begun[-1]
    return 0


def beginning_in(text: bytes) -> int:
    """Return where the first game after the start of a text begins; 0 if no beginning is found."""
    return next(_begun(text), 0)


def _lines(text: bytes) -> int:
    """Return the number of line ends in a text (``bytes.count`` takes three times as long)."""
    return int(np.count_nonzero(np.frombuffer(text, np.uint8) == _NEWLINE))


def _block_texts(chunks: Iterator[tuple[list[bytes], int | None]], size: int) -> Iterator[tuple[bytes, int | None]]:
    """Yield the text cut at beginnings of games; text read before an error is yielded before it is raised."""
    buffered, seen, read = bytearray(), 0, None
    try:
        for pieces, read in chunks:
            text, last = b"", pieces[-1] if pieces else b""
            if len(buffered) + sum(map(len, pieces)) >= size and (at := _cut(last)):
                text = b"".join((buffered, *pieces[:-1], memoryview(last)[:at]))
                buffered = bytearray(memoryview(last)[at:])
            else:
                buffered += b"".join(pieces)
                if len(buffered) < size:
                    continue
                at = _cut(buffered, seen)
                if at == 0 and len(buffered) >= LONGEST_GAME:
                    at = buffered.rfind(b"\n") + 1 or len(buffered)
                text = bytes(memoryview(buffered)[:at])
                del buffered[:at]
            if text:
                yield text, read
            seen = len(buffered)
    except unreadable():
        if buffered:
            yield bytes(buffered), read
        raise
    if buffered:
        yield bytes(buffered), read


def blocks(source: Source, size: int = BLOCK) -> Iterator[Block]:
    """Yield a source's text in blocks of whole games, about ``size`` bytes each.

    Raises ``SourceError`` for a file that is missing, a directory, an archive that cannot be read to its end, or a text
    with NUL bytes; the text before the fault is yielded first.
    """
    offset, line, before = 0, 1, 0
    with in_chunks(source, size) as (chunks, name):
        try:
            for piece, read in _block_texts(chunks, size):
                text, hole, _ = piece.partition(b"\0")
                if text:
                    yield Block(text, name, offset, line, None if read is None else read - before)
                offset, line, before = offset + len(text), line + _lines(text), read or 0
                if hole:
                    break
            else:
                return
        except SourceError:
            raise
        except unreadable() as error:
            raise SourceError(f"{name} cannot be read beyond byte {offset} of its text: {error}") from None
        raise SourceError(nul_bytes(name, offset))


def nul_bytes(name: str, at: int) -> str:
    """Return the message for a text with NUL bytes: games have none, but parts of a file that were never written do.

    Example:
        >>> nul_bytes("x.pgn", 4096)
        'x.pgn has NUL bytes from byte 4,096 of its text on: it was not wholly written or downloaded; get it again'
    """
    return (
        f"{name} has NUL bytes from byte {at:,} of its text on: it was not wholly written or downloaded; get it again"
    )


def begun_small(whole: Iterator[Block], size: int) -> Iterator[Block]:
    """Yield blocks, the first one in parts that double from ``size`` bytes, so that a user sees results early."""
    for block in itertools.islice(whole, 1):
        text, start, line = block.text, 0, block.line
        while start + size < len(text) and (end := _cut(text[start : start + size])):
            part = text[start : start + end]
            yield block._replace(text=part, offset=block.offset + start, line=line, packed=block.packed and 0)
            start, line, size = start + end, line + _lines(part), 2 * size
        yield block._replace(text=text[start:], offset=block.offset + start, line=line)
    yield from whole


# -------------------------------------------------------------------------------------------- check the parts of a game


#: Values of the tag ``Variant`` mean Chess960 if they begin with one of these texts, in lower case.
CHESS960_VARIANTS = ("chess960", "chess 960", "fischer", "freestyle")
#: Values of the tag ``Variant`` name a variant that the reader supports if they begin with one of these texts.
_VARIANTS = tuple(bytes(name).decode() for name in KNOWN_VARIANTS)
_NAGS = range(1, 256)
#: Surrogates: halves of characters, which no encoding can write.
_HALF_LETTER = re.compile(r"[\ud800-\udfff]")
#: Characters that the value of a tag cannot have; a NUL is one, because readers think that a file with it is damaged.
_UNWRITABLE = re.compile(rf"[\r\n\0]|{_HALF_LETTER.pattern}")


def is_chess960(tags: Mapping[str, str]) -> bool:
    """Return whether the tag ``Variant`` means Chess960."""
    return tags.get("Variant", "").lower().startswith(CHESS960_VARIANTS)


def has_other_rules(tags: Mapping[str, str]) -> bool:
    """Return whether the tag ``Variant`` names rules that differ from standard chess."""
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
    """Return seconds, with None for every value that is not known."""
    return [None if math.isnan(value) else value for value in seconds]


def checked_comment(text: str) -> str:
    """Return a comment in a form that PGN can hold."""
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
    """Raise ``InvalidGame`` for a result, comments or NAGs that PGN cannot hold."""
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
    """Return the moves, and the positions before, between and after them; ``ply`` is the number of the first move."""
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
    """Return the positions from the last capture or pawn move up to a ply: only these can be repeated."""
    return positions[max(ply - positions[ply].halfmove_clock, 0) : ply]


def ending_of(positions: tuple[Position, ...]) -> str:
    """Return the result that the rules give to the last position of a game."""
    ending = positions[-1].outcome(recent(positions, len(positions) - 1))
    return ending.result if ending else "*"


def without_progress(position: Position, halfmoves: int) -> bool:
    """Return whether this many half moves passed without a capture or pawn move, and there is still a legal move."""
    return position.halfmove_clock >= halfmoves and bool(position.legal_moves())


# -------------------------------------------------------------------------------------------- where positions come from


class Origin(Protocol):
    """The games that positions come from, or records of single positions instead of games; each is a row."""

    #: The number of the first game in its source, from 1.
    first: int

    @property
    def source(self) -> str:
        """The name of the source."""

    @property
    def numbers(self) -> np.ndarray:
        """The number of each game in its source, from 1: int32."""

    @property
    def chess960(self) -> np.ndarray:
        """Whether each game is of Chess960."""

    @property
    def results(self) -> list[str]:
        """The result of each game."""

    @property
    def move_offsets(self) -> np.ndarray:
        """Where the moves of each game begin, and where the moves of the last game end."""

    @property
    def checks_given(self) -> np.ndarray:
        """How many checks White and Black have given before each position of the games, two rows."""

    @property
    def identities(self) -> Identities:
        """Which pieces move in the positions of the games."""

    def __len__(self) -> int: ...

    def called(self, source: str) -> Origin:
        """Return the same games with another name of their source."""

    def tag(self, name: str) -> pa.StringArray:
        """Return a tag's value for every game."""


class SourceColumns(Protocol):
    """The columns that a source has itself: an Arrow table, or a table that reads each column on its first use."""

    @property
    def column_names(self) -> Any:
        """The names of the columns."""

    @property
    def schema(self) -> pa.Schema:
        """The names and types of the columns."""

    def column(self, name: str) -> pa.ChunkedArray:
        """Return a column."""


class GamePositions(Positions):
    """Positions with their games: ``positions.games`` has the tags, ``game`` the row of each position's game there.

    ``source_columns`` are columns that the source has itself, and ``row`` is the row of each position in them. ``node``
    is the row of each position in the tree, if the games were read with their variations.
    """

    games: Origin
    game: np.ndarray

    _names = (*Positions._names, "row", "node")

    def __init__(
        self,
        *boards: np.ndarray,
        games: Origin,
        row: np.ndarray | None = None,
        node: np.ndarray | None = None,
        source_columns: SourceColumns | None = None,
        **columns: np.ndarray,
    ) -> None:
        super().__init__(*boards, **columns)
        self.games = games
        self.source_columns = source_columns
        self.row: Any = row
        #: The row of each position in the tree of the games, if they were read with their variations.
        self.node: Any = node

    @classmethod
    def of(
        cls, positions: Positions, games: Origin, *, source_columns: SourceColumns | None = None, **columns: np.ndarray
    ) -> GamePositions:
        """Return positions with their games; the ``columns`` are added, or replace columns of the same name."""
        return GamePositions(games=games, source_columns=source_columns, **(positions._columns() | columns))

    def with_source_columns(self, source_columns: SourceColumns, row: np.ndarray) -> Self:
        """Return the same positions with other columns of their source."""
        positions = copy.copy(self)
        positions.source_columns, positions.row = source_columns, row
        return positions

    def beside(self, columns: Mapping[str, pa.ChunkedArray]) -> Self:
        """Return the same positions with more columns, a value a position; a name that the source has is replaced."""
        own = self.source_columns  # one row of them can be a whole game
        before = {} if own is None else {name: own.column(name).take(pa.array(self.row)) for name in own.column_names}
        return self.with_source_columns(pa.table({**before, **columns}), np.arange(len(self), dtype=np.int32))

    def __repr__(self) -> str:
        return f"<Positions: {len(self):,} of {count(len(np.unique(self.game)), 'game')}>"

    def _like(self, columns: dict[str, np.ndarray]) -> Positions:
        return GamePositions(
            games=self.games, source_columns=self.source_columns if "row" in columns else None, **columns
        )

    def _joined(self, several: list[Positions]) -> Positions:
        if any(positions.games is not self.games for positions in several):
            return super()._joined(several)
        same_rows = (
            len({id(positions.source_columns) for positions in several if isinstance(positions, GamePositions)}) == 1
        )
        columns = self._common(several, self._names if same_rows else Positions._names)
        return self._like(columns)

    def _says_chess960(self) -> np.ndarray:
        return self.games.chess960[self.game]


# ------------------------------------------------------------------------------------- games as the reader returns them


#: The column of a starting position with the side to move.
_TURN = State._fields.index("white_to_move")
_TOKEN_ENDS = frozenset(BLANKS + b"{}()[];")
#: Room to reserve, relative to the previous block: the number of positions per byte varies by a few percent.
_MORE = 1.125


class Fault(NamedTuple):
    """Why a game ends before its text does: the file, the line (from 1), the game (from 1), the token, the reason.

    For a row of a table the line is 0 and the game is the number of the row.
    """

    source: str
    line: int
    game: int
    token: str
    reason: str

    def __str__(self) -> str:
        place = f"line {self.line}, game {self.game}" if self.line else f"row {self.game}"
        return f"{self.source}, {place}: {f'{shortened(self.token)}: ' if self.token else ''}{self.reason}"


class Repair(Fault):
    """A word that PGN does not have, which was read all the same: as ``Fault``; the reason says as what."""


class PositionDemand:
    """Whether a source's positions are used: if so, the reader writes the positions of the next block as it reads.

    This is faster than replaying the moves later.
    """

    def __init__(self) -> None:
        #: How many positions per byte of text to reserve room for.
        self.share = 0.0


class GameColumns:
    """The columns of some games; ``Games`` is its public subclass."""

    #: Where the text of each move and its annotations starts and stops; None without ``notes=True``.
    notes: np.ndarray | None
    #: The variations; None without ``variations=True``.
    lines: VariationLines | None = None
    #: Whether these are games, not records of single positions, and whether the texts of the games are known.
    are_games = has_texts = True

    def __init__(self, block: Block, parsed: pgn.ParsedGames, first: int, demand: PositionDemand | None = None) -> None:
        self.block = block
        self.table, self.moves, self.tags, self.boards, self.notes, self._sets = parsed
        #: The number of the first game in its source, from 1.
        self.first = first
        #: Its ``share`` is set when the positions are requested.
        self._demand = demand

    @property
    def numbers(self) -> np.ndarray:
        """The number of each game in its source, from 1: int32."""
        return np.arange(self.first, self.first + len(self), dtype=np.int32)

    @classmethod
    def parsed(
        cls,
        block: Block,
        *,
        notes: bool = False,
        variations: bool = False,
        demand: PositionDemand | None = None,
        strict: bool = False,
    ) -> Self:
        """Return the games of a block; they are numbered from 1 until the caller sets ``first``.

        With ``strict``, words that PGN does not have are faults.
        """
        games = cls._read(block, notes=notes, variations=variations, demand=demand)
        if block.written is None and not strict and (spans := games._odd_spans()):
            from setwise.notation.pgn.words import plain

            said = plain(block.text, spans, _can_be_played, mended_fen)
            if said is not None:
                block = block._replace(text=said[0], written=said[1], packed=block.size)
                games = cls._read(block, notes=notes, variations=variations, demand=demand)
        return games

    @classmethod
    def _read(cls, block: Block, *, notes: bool, variations: bool, demand: PositionDemand | None) -> Self:
        rows = 0 if demand is None else int(demand.share * len(block.text))
        text = np.frombuffer(block.text, np.uint8)
        games = cls(block, read_games(text, notes=notes or variations, positions=rows), first=1, demand=demand)
        if variations:
            games.lines = read_lines(text, games.columns)
        return games

    def _odd_spans(self) -> list[tuple[int, int]]:
        """Return where the games are that may have words that PGN has not.

        They have a fault of a move or of a FEN, or an odd tag; or they are a result alone, and the result before it was
        not whole.
        """
        if self.lines is None and not self.table[:, pgn.ODD_TAGS].any():  # as nearly always
            return []
        faults = self.table[:, pgn.FAULT]
        is_lone = (np.diff(self.move_offsets) == 0) & (np.diff(self.tag_offsets) == 0)
        odd = (faults >= 0) & (faults < len(REASONS)) | (faults == pgn.BAD_FEN) | (faults == pgn.OPEN_VARIATION)
        odd |= (self.table[:, pgn.ODD_TAGS] & 1 != 0) | is_lone
        odd[:-1] |= is_lone[1:]
        if self.lines is not None:
            odd[[game for _, game, _ in faults_of_lines(self.lines)]] = True
        if not odd.any():
            return []
        edges = np.append(self.table[:, pgn.START], len(self.block.text))
        begins = odd & ~(is_lone & np.append(False, odd[:-1]))
        ends = np.append(begins[1:] | ~odd[1:], True) & odd
        return list(zip(edges[:-1][begins].tolist(), edges[1:][ends].tolist(), strict=True))

    @property
    def columns(self) -> pgn.ParsedGames:
        """The columns as the reader returns them, without positions."""
        return pgn.ParsedGames(self.table, self.moves, self.tags, self.boards, self.notes)

    def __len__(self) -> int:
        return len(self.table)

    @property
    def source(self) -> str:
        """The name of the file that the games come from."""
        return self.block.name

    def called(self, source: str) -> Self:
        """Return the same games with another file name."""
        games = copy.copy(self)
        games.block = self.block._replace(name=source)
        return games

    @functools.cached_property
    def move_offsets(self) -> np.ndarray:
        """Where each game's moves begin in ``moves``, and where the last moves end: int64, one more than games."""
        return np.append(self.table[:, pgn.FIRST_MOVE], len(self.moves))

    @functools.cached_property
    def tag_offsets(self) -> np.ndarray:
        """Where each game's tags begin in ``tags``, and where the last tags end: int64, one more than games."""
        return np.append(self.table[:, pgn.FIRST_TAG], len(self.tags))

    @functools.cached_property
    def chess960(self) -> np.ndarray:
        """Whether each game is of Chess960, by its tag ``Variant`` or by its first castling rights: bool."""
        said = say_chess960(self.tag("Variant"))
        if not len(self.boards):
            return said
        standard = np.empty(len(self.boards), np.bool_)
        generate.standard(np.ascontiguousarray(self.boards[:, : len(SETS)].T), standard)
        board = self.table[:, pgn.BOARD]
        return said | (board >= 0) & ~standard[board]

    @property
    def ends(self) -> list[str]:
        """The result after the moves of each game: ``1-0``, ``0-1``, ``1/2-1/2`` or ``*``; ``*`` if there is none."""
        return [RESULTS[code] for code in self.table[:, pgn.RESULT_COLUMN].tolist()]

    @functools.cached_property
    def results(self) -> list[str]:
        """The tag ``Result``; if it is missing, ``*`` or not a result, the result after the moves.

        Example:
            >>> import setwise
            >>> text = b'[Result "1-0"] e4 0-1 [Result "*"] d4 0-1 [Result "1:0"] c4 1/2-1/2 [Result "0-1"] Nf3 *'
            >>> [games] = setwise.read_pgn(text)
            >>> games.results, games.ends
            (['1-0', '0-1', '1/2-1/2', '0-1'], ['0-1', '0-1', '1/2-1/2', '*'])
        """
        from_tags = pc.index_in(self.tag("Result"), pa.array(RESULTS)).fill_null(0).to_numpy()
        return [RESULTS[code] for code in np.where(from_tags, from_tags, self.table[:, pgn.RESULT_COLUMN]).tolist()]

    def positions(self, *, variations: bool = False) -> GamePositions:
        """Return every position of every game, including the first and the last.

        Positions of a variant are boards with the rules of standard chess; ``checks_given`` has the checks.

        Args:
            variations: whether to return the positions of the variations, too: the rows of a game are first the
                positions of its own moves, then the positions of its variations, one for each move. The games must
                have been read with ``variations=True``.
        """
        if variations:
            return self._positions_of_lines()
        count = len(self.moves) + len(self.table)
        if self._demand is not None:
            self._demand.share = _MORE * count / max(len(self.block.text), 1)
        sets, self._sets = self._sets, None  # the caller may write to them, so they are returned once
        if sets is None:
            sets = pooled((len(SETS), count), np.uint64)
            replay(self.table, self.moves, self.boards, sets)
        white_to_move = np.empty(count, np.bool_)
        clocks, places = np.empty((3, count), np.uint16), np.empty((2, count), np.int32)
        describe(self.table, self.moves, self.boards, sets, white_to_move, clocks, places)
        return GamePositions(
            sets, white_to_move, clocks[0], clocks[1], moves=clocks[2], game=places[0], ply=places[1], games=self
        )

    def _positions_of_lines(self) -> GamePositions:
        tree = self.tree
        halfmove_clock, fullmove_number, moves, _ = tree.clocks
        return GamePositions(
            tree.sets, tree.white_to_move, halfmove_clock, fullmove_number, moves=moves, game=tree.game, ply=tree.ply,
            node=np.arange(len(tree.ply), dtype=np.int32), games=self,
        )  # fmt: skip

    @functools.cached_property
    def tree(self) -> LineRows:
        """The positions of the games and of their variations, and how they are connected."""
        if self.lines is None:
            raise ValueError(
                "these games were read without their variations: read_pgn(..., variations=True) keeps them"
            )
        return positions_of_lines(self.columns, self.lines)

    def of_lines(self, column: int) -> np.ndarray:
        """Return a column of the table of lines, a value for each line of the tree; 0 for the main line of a game."""
        lines = cast("VariationLines", self.lines)
        values = np.zeros(len(self) + len(lines.table), np.int32)
        values[lines.table[:, GAME] + np.arange(1, len(lines.table) + 1)] = lines.table[:, column]
        return values

    def on_last_moves(self, method: str) -> pa.Array:
        """Return the annotations, by the name of a method, of the move that led to each position of the tree."""
        annotations: pa.Array = getattr(self._last_moves, method)()
        return annotations

    @functools.cached_property
    def _last_moves(self) -> Self:
        """The same games with the notes of the moves that led to each position of the tree."""
        games, tree = copy.copy(self), self.tree
        begins = beginnings(tree.segment)
        games.__dict__["_read_notes"] = read_notes(
            self.text, tree.notes, np.append(begins, len(tree.ply)), ~tree.white_to_move[begins]
        )
        return games

    @functools.cached_property
    def checks_given(self) -> np.ndarray:
        """How many checks White (row 0) and Black (row 1) have given before each position: int32.

        The rows are the positions that ``positions()`` returns. Checks that a FEN of Three-check states are counted.
        """
        positions, lengths = self.positions(), np.diff(self.move_offsets) + 1
        starts = np.cumsum(lengths) - lengths
        checks, before = positions.is_check(), np.maximum(self.table[:, pgn.CHECKS], 0)
        sides = (~positions.white_to_move, before % pgn.BLACKS), (positions.white_to_move, before // pgn.BLACKS)
        counts = np.empty((2, len(positions)), np.int32)
        for side, (gave, first) in enumerate(sides):
            total = np.cumsum(checks & gave, dtype=np.int32)
            counts[side] = total + np.repeat(first - total[starts], lengths)
        return counts

    @functools.cached_property
    def identities(self) -> Identities:
        """The moving and the captured piece in each of ``positions()``: first squares; the former's earlier moves."""
        return identities_of(self.positions())

    @functools.cached_property
    def text(self) -> np.ndarray:
        """The bytes that the spans point into."""
        return np.frombuffer(self.block.text, np.uint8)

    def tag(self, name: str) -> pa.StringArray:
        """Return a tag's value for every game as Arrow strings, null where a game has no such tag.

        Escaped quotes and backslashes are resolved; bytes that are not UTF-8 are read as Windows-1252.
        """
        return _tag_texts(*values_of(name, self.text, self.tags, self.tag_offsets))

    @functools.cached_property
    def _read_notes(self) -> Notes:
        if self.notes is None:
            raise ValueError("these games were read without their notes: read_pgn(..., notes=True) keeps them")
        white, own = np.ones(len(self), np.bool_), self.table[:, pgn.BOARD] >= 0
        white[own] = self.boards[self.table[own, pgn.BOARD], _TURN] != 0
        return read_notes(self.text, self.notes, self.move_offsets, white)

    def clocks(self) -> pa.DoubleArray:
        """Return the seconds left on the mover's clock after each move, from ``[%clk]`` in the comments.

        Raises:
            ValueError: the games were read without ``notes=True``.

        Example:
            >>> import setwise
            >>> text = b"1. e4! $13 { [%clk 0:01:30.5] } 1... e5 { [%eval #-4] slow } { [%emt 0:0:7] } *"
            >>> [games] = setwise.read_pgn(text, notes=True)
            >>> games.clocks().to_pylist(), games.elapsed().to_pylist(), games.evaluations().to_pylist()
            ([90.5, None], [None, 7.0], [None, -31996])
            >>> games.nags().to_pylist(), games.comments()[1].as_py()
            ([[1, 13], None], '[%eval #-4] slow [%emt 0:0:7]')
        """
        return _known(self._read_notes.clocks)

    def elapsed(self) -> pa.DoubleArray:
        """Return the seconds spent on each move, from ``[%emt]`` or an engine's comment; raises as ``clocks``."""
        return _known(self._read_notes.elapsed)

    def evaluations(self) -> pa.Int32Array:
        """Return an engine's evaluations after each move, from ``[%eval]`` or its comment; raises as ``clocks``.

        They are centipawns from White's side; a mate in n is 32000 - n, or n - 32000 for Black.
        """
        values = self._read_notes.evaluations
        return pa.array(values, mask=values == NO_EVALUATION)

    def depths(self) -> pa.Int32Array:
        """Return how deep an engine searched for each evaluation, from comments such as ``{+0.31/12 0.52s}``.

        Raises as ``clocks``.

        Example:
            >>> import setwise
            >>> text = b"1. e4 {+0.31/12 0.52s} e5 {-0.28/13 0.6s} 2. Nf3 {d=30, mt=8000, wv=0.35} Nc6 {-M5/20 1s} *"
            >>> [games] = setwise.read_pgn(text, notes=True)
            >>> games.depths().to_pylist(), games.elapsed().to_pylist(), games.evaluations().to_pylist()
            ([12, 13, 30, 20], [0.52, 0.6, 8.0, 1.0], [31, 28, 35, 31995])
        """
        return pa.array(self._read_notes.depths, mask=self._read_notes.depths == 0)

    def nags(self) -> pa.ListArray:
        """Return the Numeric Annotation Glyphs after each move, ascending, as lists of uint8; raises as ``clocks``.

        Suffixes are NAGs, too: ``! ? !! ?? !? ?!`` are 1 to 6. NAG 0 and numbers above 255 are left out.
        """
        notes = self._read_notes
        return pa.ListArray.from_arrays(
            pa.array(notes.nag_offsets), pa.array(notes.nags), mask=pa.array(np.diff(notes.nag_offsets) == 0)
        )

    def comments(self) -> pa.StringArray:
        """Return the comments after each move, several joined by a blank; raises as ``clocks``.

        Outer blanks are removed, every line break becomes a single newline, a ``[`` after an empty line gets a blank
        before it, and bytes that are not UTF-8 are read as Windows-1252. Comments in variations, and comments after a
        semicolon, are skipped.
        """
        notes = self._read_notes
        return _tag_texts(notes.comment_offsets, notes.comments, np.diff(notes.comment_offsets) != 0)

    def tag_names(self) -> list[str]:
        """Return the names of all tags that occur, in the order of their first appearance."""
        text = self.block.text
        names = dict.fromkeys(text[start:stop] for start, stop in self.tags[:, :2].tolist())
        return [name.decode("utf-8", "replace") for name in names]

    def faults(self) -> Iterator[Fault]:
        """Yield the faults in this batch; a game or variation with a fault keeps its moves before the fault."""
        text = self.block.text
        line, counted = self.block.line, 0
        games = np.flatnonzero(self.table[:, pgn.FAULT] != pgn.NO_FAULT).tolist()
        places = [(int(self.table[game, pgn.FAULT_AT]), game, int(self.table[game, pgn.FAULT])) for game in games]
        if self.lines is not None:
            places = sorted([*places, *faults_of_lines(self.lines)])
        for at, game, code in places:
            line, counted = line + text.count(b"\n", counted, at), at
            stop = at + 1
            while stop < min(len(text), at + 80) and (text[stop] not in _TOKEN_ENDS or code == pgn.BAD_FEN):
                stop += 1
            token = text[at:stop].decode("utf-8", "replace").split('"')[0]
            yield Fault(self.source, line, self.first + game, token, LINE_FAULTS[code])

    def repairs(self) -> Iterator[Repair]:
        """Yield the first word of each passage that was said in the words of PGN before it was read.

        Example:
            >>> import setwise
            >>> [games] = setwise.read_pgn("1. ♘f3 d5 ½–½".encode())
            >>> print(*games.repairs(), sep="; ")
            <bytes>, line 1, game 1: '♘f3': is read as Nf3
        """
        for place, old, new in () if self.block.written is None else self.block.written.words:
            game = int(np.searchsorted(self.table[:, pgn.START], place, side="right")) - 1
            line = self.block.line + self.block.text.count(b"\n", 0, place)
            reason = f"is read as {new}" if new else "is left out"
            yield Repair(self.source, line, self.first + max(game, 0), old, reason)


def identities_of(positions: GamePositions) -> Identities:
    """Return which pieces move in all positions of some games; the positions must be in the order of the games."""
    led = np.roll(positions.moves, 1)
    return identities(positions.sets, positions.white_to_move, positions.moves, led, positions.ply == 0)


def followed_in(positions: GamePositions, wanted: int) -> np.ndarray:
    """Return where pieces from some first squares stand, as ``followed``, in all positions of some games."""
    return followed(positions.sets, positions.white_to_move, np.roll(positions.moves, 1), positions.ply == 0, wanted)


def say_chess960(variants: pa.Array) -> np.ndarray:
    """Return whether each value of the tag ``Variant`` means Chess960: bool."""
    lower = pc.utf8_lower(variants)
    flags = [pc.starts_with(lower, variant) for variant in CHESS960_VARIANTS]
    return functools.reduce(pc.or_, flags).fill_null(False).to_numpy(zero_copy_only=False)


def _known(numbers: np.ndarray) -> pa.Array:
    """Return numbers as an Arrow array, null where they are NaN."""
    return pa.array(numbers, mask=np.isnan(numbers))


def _tag_texts(offsets: np.ndarray, data: np.ndarray, present: np.ndarray) -> pa.StringArray:
    """Return concatenated texts as Arrow strings, without a copy."""
    validity = pa.py_buffer(np.packbits(present, bitorder="little"))
    return pa.StringArray.from_buffers(len(present), pa.py_buffer(offsets), pa.py_buffer(data), validity)
