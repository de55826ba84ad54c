"""What the fuzzer throws texts at, and what must hold whatever the text: one function a target, bytes in.

Every function may raise nothing: a text that is refused is refused with a ``SetwiseError``, and whatever is accepted
comes back unchanged from its own notation.
"""

from __future__ import annotations

import bz2
import gzip
import io
import itertools
import lzma
import pickle
import re
import tempfile
import time
from collections.abc import Callable, Hashable
from pathlib import Path

import numpy as np
import pyarrow as pa

from setwise import Game, Games, Move, Position, Positions, merge, read_pgn
from setwise.archives import zstd
from setwise.compiler import cache
from setwise.corpus.columns import COLUMNS
from setwise.corpus.language.condition import Condition
from setwise.corpus.language.plain import plain
from setwise.corpus.query.search import Query, planned, search
from setwise.corpus.query.sql import sql
from setwise.corpus.sources import tables
from setwise.corpus.sources.jobs import Question
from setwise.corpus.sources.kinds import recognised
from setwise.corpus.sources.scans import scan_in
from setwise.corpus.storage.log import Manifest, contents_of
from setwise.engines.positions import suite
from setwise.errors import SetwiseError
from setwise.notation.pgn.writing import PARTS

__all__ = ["TARGETS", "checked"]

#: Told what a text has led to, so that the fuzzer sees behind the door of compiled code, where it counts no branches.
notice: Callable[[Hashable], None] = lambda _: None  # noqa: E731

#: Seconds of this process that a text of a few kilobytes may cost, and letters that a message may have.
_LONGEST, _LONGEST_MESSAGE = 2.0, 2000

#: The positions that moves are read in, up to 256, standard chess and Chess960.
PLACES = [Position(fen, chess960=chess960) for chess960 in (False, True) for fen, _ in suite(chess960=chess960)][:256]


def _refused(error: SetwiseError) -> None:
    assert len(str(error)) < _LONGEST_MESSAGE, "the message is as long as the text"
    notice(("refused", type(error).__name__, "".join(letter for letter in str(error)[-40:] if letter.isalpha())))


def _refused_in_a_sentence(error: SetwiseError, name: str = "") -> None:
    assert str(error).startswith(name), "the message names the folder"
    assert "\n" not in str(error), "the message is one line"
    _refused(error)


def _text(data: bytes) -> str:
    """A str of any kind: UTF-8 with its surrogates where it is UTF-8, else a letter a byte."""
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return data.decode("latin-1")


# ----------------------------------------------------------------------------------------------------------- positions


def fen(data: bytes) -> None:
    """``Position``, ``Positions.from_fens``: both read the same texts, and FEN comes back from FEN."""
    options, text = data[0] if data else 0, _text(data[1:])
    chess960, strict = bool(options & 1), not options & 2
    try:
        position = Position(text, chess960=chess960, strict=strict)
    except SetwiseError as error:
        _refused(error)
        if strict:
            _refuse_many(text, chess960)
        return
    notice(("accepted", int(position.status()), position.white_to_move, len(position.en_passant)))
    assert (position.status() == 0) == (not position.faults())
    assert Position(position.fen("fen"), chess960=chess960, strict=strict) == position
    assert Position(position.fen("fen", shredder=True), chess960=True, strict=False) == position
    assert pickle.loads(pickle.dumps(position)) == position
    assert position.mirror().mirror() == position
    assert Position.from_words(position.words, chess960=chess960, strict=strict) == position
    if strict:
        many = Positions.from_fens([Position().fen(), text], chess960=chess960)
        assert tuple(map(int, many.sets[:, 1])) == position.words[:10]
        assert many.keys()[1] == position.key
        for convention in ("legal", "fen", "xfen"):
            assert many.fens(convention)[1].as_py() == position.fen(convention)
    try:
        moves = position.legal_moves()
        assert len(moves) <= len(position.pseudo_legal_moves())
        for move in moves[:3]:
            _written_and_read(position, move)
            position.play(move).outcome([position])
    except SetwiseError as error:
        assert not strict, "a position without faults has moves"
        _refused(error)


def _refuse_many(text: str, chess960: bool) -> None:
    try:
        Positions.from_fens([Position().fen(), text], chess960=chess960)
    except SetwiseError as error:
        assert "number 2" in str(error)  # noqa: PT017
    except UnicodeError:
        assert any("\ud800" <= letter <= "\udfff" for letter in text), "Arrow takes any str that is one"
    else:
        raise AssertionError("Positions accepts what Position refuses")


def _written_and_read(position: Position, move: Move) -> None:
    assert position.parse(position.san(move)) == move
    assert position.parse(position.uci(move)) == move
    assert position.parse(position.lan(move)) == move


def moves(data: bytes) -> None:
    """``Position.parse``: what is read is legal or null, and SAN, UCI and LAN bring it back."""
    if not data:
        return
    position, text = PLACES[data[0] % len(PLACES)], _text(data[1:])
    try:
        move = position.parse(text)
    except SetwiseError as error:
        _refused(error)
        return
    assert move.is_null or move in position.legal_moves()
    _written_and_read(position, move)
    after = position.play(move)
    notice(("played", int(move) >> 12, after.is_check(), len(text)))
    assert Position(after.fen("fen"), chess960=True, strict=not move.is_null) == after


def epd(data: bytes) -> None:
    """``Position.from_epd``: position and operations come back from what ``epd`` writes of them."""
    try:
        position, operations = Position.from_epd(_text(data))
        written = position.epd(**operations)
    except SetwiseError as error:
        _refused(error)
        return
    again, operations_again = Position.from_epd(written)
    assert again.fen().split()[:4] == position.fen().split()[:4]
    assert {name: repr(operand) for name, operand in operations_again.items()} == {
        name: repr(sorted(operand) if name in {"am", "bm"} else operand) for name, operand in operations.items()
    } or _sorted_moves(operations_again) == _sorted_moves(operations)
    notice(("operations", len(operations), *sorted({type(operand).__name__ for operand in operations.values()})))


def _sorted_moves(operations: dict[str, object]) -> dict[str, object]:
    return {name: sorted(value) if name in {"am", "bm"} else value or None for name, value in operations.items()}


# --------------------------------------------------------------------------------------------------------------- games

#: A tag as it should be; and what lets only the whole text tell where games begin: what is like a tag but none, and
#: something behind a tag that is no tag, move, result or comment.
_TAG = re.compile(rb'^\[[A-Za-z]+ "[^"\n\\]*"\]\r?$', re.MULTILINE)
_UNCLEAR = re.compile(rb"\[[A-Za-z]|\][^\S]*[^\s\w\[*{\]]")


def pgn(data: bytes) -> None:
    """``read_pgn``: positions are legal, batches make no difference, and moves come back from their own SAN."""
    if not data:
        return
    notes, text = bool(data[0] & 1), data[1:]
    try:
        batches = list(read_pgn(text, notes=notes))
    except SetwiseError as error:
        _refused(error)
        return
    for games in batches:
        _games(games)
    if _UNCLEAR.search(_TAG.sub(b"]", text)):
        return
    split = list(read_pgn(text, notes=notes, batch_bytes=1 + (data[0] >> 1)))
    assert [outline for games in split for outline in _outlines(games)] == [
        outline for games in batches for outline in _outlines(games)
    ], "the size of a batch changes what is read"


def _outlines(games: Games) -> list[tuple[object, ...]]:
    bounds = games.move_offsets.tolist()
    faults = {fault.game: (fault.line, fault.reason) for fault in games.faults()}
    return [
        (
            games.first + k,
            games.moves[bounds[k] : bounds[k + 1]].tolist(),
            games.results[k],
            faults.get(games.first + k),
        )
        for k in range(len(games))
    ]


def _games(games: Games) -> None:
    for name in games.tag_names():
        assert len(games.tag(name)) == len(games)
        games.tag(name).validate(full=True)
        notice(("tag", len(name), games.tag(name).null_count))
    faults = {fault.game - games.first: fault for fault in games.faults()}
    bounds = games.move_offsets.tolist()
    for game in range(len(games)):
        assert len(games.pgn_text(game)) <= len(games.block.text)
        fault = faults.get(game)
        count = bounds[game + 1] - bounds[game]
        notice(("game", count.bit_length(), games.results[game], fault and (fault.reason, len(fault.token))))
    positions = games.positions()
    assert len(positions) == len(games.moves) + len(games)
    if not len(positions):
        return
    fens = positions.fens("fen")
    fens.validate(full=True)
    again, rows, wrong = Positions.sound_fens(fens, chess960=True)
    assert not wrong or int(Move.null()) in positions.moves, "null moves alone lead to what no FEN may say"
    assert np.array_equal(again.sets, positions.sets[:, rows])
    assert np.array_equal(again.white_to_move, positions.white_to_move[rows])
    assert np.array_equal(again[::-1].keys()[::-1], positions.keys()[rows])
    assert len(Positions.from_arrow(positions.to_arrow())) == len(positions)
    san, uci = positions.san().to_pylist(), positions.uci().to_pylist()
    assert [text is None for text in san] == [text is None for text in uci] == (positions.moves == 0).tolist()
    firsts = (np.flatnonzero(positions.ply == 0)).tolist()
    tags = '[Event "?"]\n[Variant "Chess960"]\n[FEN "{}"]\n\n'
    texts = [
        f"{tags.format(fens[start].as_py())}{' '.join(san[start : stop - 1])} {result}\n\n"
        for start, stop, result in zip(firsts, [*firsts[1:], len(positions)], games.results, strict=True)
    ]
    rewritten = list(read_pgn("".join(texts).encode()))
    assert not [fault for batch in rewritten for fault in batch.faults()]
    assert np.array_equal(np.concatenate([batch.moves for batch in rewritten]), games.moves)
    assert [result for batch in rewritten for result in batch.results] == games.results


def study(data: bytes) -> None:
    """``Game``, ``merge``: games come back from their own PGN, and moves from a text without some parts."""
    if not data:
        return
    text, parts = data[1:], tuple(part for bit, part in enumerate(PARTS) if data[0] >> bit & 1)
    try:
        batches = list(read_pgn(text, notes=True))
    except SetwiseError as error:
        _refused(error)
        return
    broken = {fault.game for games in batches for fault in games.faults()}
    for number, game in enumerate((game for games in batches for game in games), start=1):
        if number in broken:  # its tags may be what is wrong
            continue
        again = Game.from_pgn(game.pgn())
        # A carriage return is the one line break that a tag can have; it is written as a blank.
        assert again.tags == {name: value.replace("\r", " ") for name, value in game.tags.items()}
        assert again.replace(tags={}) == game.replace(tags={})
        notice(("game", len(game.comments), len(game.nags), game.result))
        for noted in (game.clocks, game.elapsed, game.evaluations):
            assert len(noted) == len(game.moves)
    if _UNCLEAR.search(_TAG.sub(b"]", text)) or broken:
        return
    file = io.BytesIO()
    assert merge(text, file, without=parts, threads=1) == sum(map(len, batches))
    assert [outline[1:3] for games in read_pgn(file.getvalue()) for outline in _outlines(games)] == [
        outline[1:3] for games in batches for outline in _outlines(games)
    ], "without some parts of its text a game is another"


# ------------------------------------------------------------------------------------------------------------- sources

#: What packs texts.
_PACKERS: list[Callable[[bytes], bytes]] = [
    lambda text: text,
    gzip.compress,
    bz2.compress,
    lzma.compress,
    zstd.compress,
]


def sources(data: bytes) -> None:
    """``find``: what a text is its beginning tells, packed or not; rows searched at once make no difference."""
    if len(data) < 3:
        return
    kind, damage, text = data[0] % len(_PACKERS), data[1], data[3:]
    packed = bytearray(_PACKERS[kind](text))
    if damage and kind and packed:
        packed[damage * 257 % len(packed)] ^= data[2]
        del packed[len(packed) - damage % 8 * (data[2] & 1) :]
    whole = _searched(bytes(packed), 1 << 16, 1 << 23)
    few = _searched(bytes(packed), 3, 64)
    if whole is None or few is None or b"\0" in text:
        return
    notice(("source", kind, damage > 0, sorted(whole[0].column_names), len(whole[0]).bit_length(), len(whole[1])))
    assert whole[0].select(_PLACE).equals(few[0].select(_PLACE)), "how many rows are searched at once changes them"
    assert whole[1] == few[1], "how many rows are searched at once changes the faults"


_PLACE = ["game", "ply", "fen"]


def _searched(source: bytes, rows: int, text: int) -> tuple[pa.Table, list[object]] | None:
    """The rows of a source, and its faults; None if it is refused."""
    found, faults = [], list[object]()
    usual = tables.ROWS, tables.TEXT
    tables.ROWS, tables.TEXT = rows, text
    try:
        for batch in search(
            planned(source, Query(None, [*_PLACE, "white_material", "san"], lenient=["ply", "san"])), threads=1
        ):
            found.append(batch.table())
            found[-1].validate(full=True)
            faults += batch.batch.faults
    except SetwiseError as error:
        _refused(error)
        return None
    finally:
        tables.ROWS, tables.TEXT = usual
    empty = pa.table(
        {"game": pa.array([], pa.int32()), "ply": pa.array([], pa.int16()), "fen": pa.array([], pa.string())}
    )
    return pa.concat_tables(found) if found else empty, faults


# ----------------------------------------------------------------------------------------------------------- questions

_GAMES = next(read_pgn(
    b"1. f3 e5 {[%clk 0:01:00]} 2. g4 Qh4# 0-1\n\n"
    b'[White "A"]\n[WhiteElo "2500"]\n'
    b'[FEN "r3k2r/P6p/8/3pP3/8/8/p6P/R3K2R w KQkq d6 5 40"]\n\n1. exd6 O-O 2. O-O *\n\n',
    notes=True,
))  # fmt: skip
_POSITIONS = _GAMES.positions()
#: What gives another answer each time, and numbers with which any database would be busy for long.
_DEPTHS = {"(": 1, ")": -1}
_NO_LAW = re.compile(
    r"random|rand|uuid|now|current|today|clock|time|nextval|version|\d{4}|repeat|range|pad|hash", re.IGNORECASE
)


def condition(data: bytes) -> None:
    """``Condition``: any text is a condition or refused, and a position answers it by yes, no or null.

    A plain one has the same answer without a database, and no text that is refused is one.
    """
    text = _text(data)
    if _NO_LAW.search(text):
        return
    try:
        found = Condition(text)
        rows = found.matches(_POSITIONS)
    except SetwiseError as error:
        _refused(error)
        simple = plain(text)  # columns of lines of variation are refused as soon as they are asked of these games
        assert simple is None or any("line" in COLUMNS[name].needs for name in simple.columns)
        return
    if (simple := plain(text)) is not None:
        assert simple.columns == found.columns
        assert np.array_equal(simple.matches(_POSITIONS), rows)
    notice(("condition", tuple(sorted(found.columns))[:3], len(rows)))
    assert np.array_equal(np.unique(rows), rows)
    assert not len(rows) or 0 <= rows[0] <= rows[-1] < len(_POSITIONS)
    depths = itertools.accumulate(_DEPTHS.get(letter, 0) for letter in text)
    if min(depths, default=0) < 0:  # it closes a parenthesis that it has not opened
        return
    try:
        others = [Condition(other.format(text)).matches(_POSITIONS) for other in ("not (\n{}\n)", "(\n{}\n) is null")]
    except SetwiseError as error:  # a condition that is no truth value has no opposite; a comment may hide one
        _refused(error)
        return
    assert np.array_equal(np.sort(np.concatenate([rows, *others])), np.arange(len(_POSITIONS)))


def statement(data: bytes) -> None:
    """``sql``: any text is a statement or refused; what it gives is a table."""
    text = _text(data)
    if _NO_LAW.search(text):
        return
    try:
        found = sql(text, _POSITIONS, threads=1)
    except (SetwiseError, MemoryError) as error:
        _refused(SetwiseError(str(error)))
        return
    found.validate(full=True)
    notice(("statement", found.num_columns, found.num_rows.bit_length(), str(found.schema.types[:2])))


# ------------------------------------------------------------------------------------------------ tables, manifests


def table(data: bytes) -> None:
    """Tables and lists as sources: their positions are read, or they are refused with a ``SetwiseError``."""
    try:
        source = recognised(data)
        if source.has_texts:
            return  # games, which have a target of their own
        batches = [job.run() for job in source.scan(Question())]
        found = [(len(batch.positions), len(batch.faults)) for batch in batches]
        for batch in batches:
            again = Positions.from_fens(batch.positions.fens(), chess960=True)
            assert np.array_equal(again.keys(), batch.positions.keys())
    except SetwiseError as error:
        _refused_in_a_sentence(error)
        return
    notice(("read", len(source.source_columns), len(found), min(found, default=None)))


def manifest(data: bytes) -> None:
    """The manifest of a scan: its parts, which are not there, are missing, or it is refused."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "manifest.jsonl").write_bytes(data)
        for read in (lambda: scan_in(name), lambda: Manifest(folder).close()):
            try:
                read()
            except SetwiseError as error:
                _refused_in_a_sentence(error, name)
        try:
            sources = contents_of(folder).sources
        except SetwiseError:
            return
        notice(("sound", len(sources), sum(len(source.parts) for source in sources)))


TARGETS: dict[str, Callable[[bytes], None]] = {
    "fen": fen, "moves": moves, "epd": epd, "pgn": pgn, "study": study, "sources": sources, "condition": condition,
    "statement": statement, "table": table, "manifest": manifest,
}  # fmt: skip


def checked(target: Callable[[bytes], None], broken: Path) -> Callable[[bytes], None]:
    """The target with a bound on its time, unless something is compiled; a text that breaks it is written to a file."""
    compiled: list[str] = []
    cache.announce = compiled.append

    def timed(data: bytes) -> None:
        compiled.clear()
        start = time.process_time()
        try:
            target(data)
            assert compiled or time.process_time() - start < _LONGEST, "a short text takes long"
        except BaseException:
            broken.write_bytes(data)
            raise

    return timed
