"""``pack`` and ``unpack``: games in columns of Parquet; text that does not fit the columns is stored as text.

A game is plain if its tags are the columns in their order, and no other text that a reader could miss is between them;
then the columns contain the whole game. For other games the tags are stored as text, or the annotations, or, as the
last form, the whole text of the moves. Every batch is read back and compared before it is written: a game that would
change is packed in the next form. A game that would change in all forms keeps its moves and its fault, and its text
becomes a comment. To find such a game, a batch that differs is divided into halves.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from typing import IO, Any, cast

import numpy as np
import pyarrow as pa

from setwise.compiler import entry, routine
from setwise.compiler.kinds import boolean, int32, int64, reads, void, writes
from setwise.compiler.words import borrowed
from setwise.corpus.pgnfiles.texts import Reading, checked_parts, checked_path, merge, pgn_sources
from setwise.corpus.query.search import BatchResult
from setwise.corpus.sources.game_tables import GameRows, TableGames, tag_columns
from setwise.corpus.sources.jobs import Question, Source
from setwise.corpus.sources.places import Sources
from setwise.corpus.sources.rows import RowGroup
from setwise.corpus.storage.encodings import PACKED_COLUMNS, pack_moves, packed_writer, schema_of
from setwise.errors import SourceError
from setwise.game.batch import Block, Repair
from setwise.game.games import Fault, Games, spans
from setwise.notation.pgn import tokens as pgn
from setwise.notation.pgn.annotations import annotation_texts
from setwise.notation.pgn.lines import GAME, VariationLines
from setwise.notation.pgn.tokens import is_named
from setwise.notation.pgn.writing import TAG_NAME, escaped, stripped
from setwise.notation.text import BLANKS, TEXT, decoded
from setwise.patterns.bits import as_int
from setwise.system.files import written
from setwise.system.packages import pc

# ------------------------------------------------------------------------------------- which games of a batch are plain


#: The letters of moves, of their numbers and of results, and the characters between them.
_OF_MOVES = b"abcdefghKQRBNO0123456789x+#=-/*. \n\r\t"
_BLANKS = b" \n\r\t"
#: For each byte, bits that are set if it is unusual among moves, unusual in a tag's value, or not a blank.
_NO_MOVE, _NO_VALUE, _SOLID = (np.uint8(bit) for bit in (1, 2, 4))
_CLASSES = np.full(256, _NO_MOVE | _SOLID, np.uint8)
_CLASSES[list(_OF_MOVES)] &= ~_NO_MOVE
_CLASSES[list(_BLANKS)] &= ~_SOLID
_CLASSES[[*range(32), *b'\\"', 127]] |= _NO_VALUE
#: The number of characters of a tag besides its name and its value: ``[``, two quotes and ``]``.
_AROUND = 4


def are_in_order(games: Games, names: list[str]) -> np.ndarray:
    """Return whether the tags of each game are tags of columns, in the order of the columns, each tag once."""
    text = np.frombuffer(games.block.text, np.uint8)  # read first: a table of games builds it now, and the tags with it
    spelled = [name.encode() for name in names]
    ends = np.cumsum([0, *map(len, spelled)])
    in_order = np.empty(len(games), np.bool_)
    _write_in_order(text, games.tags, games.tag_offsets, np.frombuffer(b"".join(spelled), np.uint8), ends, in_order)
    return in_order


def are_plain(games: Games, in_order: np.ndarray) -> np.ndarray:
    """Return which games are plain; ``in_order`` says whose tags are in order."""
    starts, stops = spans(games)
    plain = in_order & (games.table[:, pgn.FAULT] == pgn.NO_FAULT)
    _write_plain(np.frombuffer(games.block.text, np.uint8), games.tags, games.tag_offsets, starts, stops, plain)
    return plain


@entry(void, TEXT, reads(int32, 2), reads(int64), TEXT, reads(int64), writes(boolean))
def _write_in_order(
    text: np.ndarray, tags: np.ndarray, offsets: np.ndarray, names: np.ndarray, ends: np.ndarray, in_order: np.ndarray
) -> None:
    """Write whether the tags of each game are among the names, in their order; ``ends`` are the ends of the names."""
    for game in range(offsets.size - 1):
        number, is_found = 0, True
        for tag in range(offsets[game], offsets[game + 1]):
            start, stop = as_int(tags[tag, 0]), as_int(tags[tag, 1])
            while number + 1 < ends.size and not is_named(text, start, stop, names[ends[number] : ends[number + 1]]):
                number += 1
            is_found &= number + 1 < ends.size
            number += 1
        in_order[game] = is_found


@routine
def _has(text: np.ndarray, start: int, stop: int, kind: np.uint8) -> bool:
    """Whether a span has a byte of a kind."""
    found = np.uint8(0)
    for k in range(start, stop):
        found |= _CLASSES[text[k]]
    return found & kind != 0


@routine
def _solid(text: np.ndarray, start: int, stop: int) -> int:
    """Return how many bytes of a span are not blanks."""
    count = 0
    for k in range(start, stop):
        count += _CLASSES[text[k]] & _SOLID != 0
    return count


@entry(void, TEXT, reads(int32, 2), reads(int64), reads(int64), reads(int64), writes(boolean))
def _write_plain(
    text: np.ndarray, tags: np.ndarray, offsets: np.ndarray, starts: np.ndarray, stops: np.ndarray, plain: np.ndarray
) -> None:
    """Clear ``plain`` for the games, among games in order and without faults, whose text is not plain."""
    text, tags = borrowed(text), borrowed(tags)
    for game in range(starts.size):
        if not plain[game]:
            continue
        at, around, is_usual = starts[game], 0, True
        for tag in range(offsets[game], offsets[game + 1]):
            name, name_end = as_int(tags[tag, 0]), as_int(tags[tag, 1])
            value, value_end = as_int(tags[tag, 2]), as_int(tags[tag, 3])
            around += _solid(text, at, name) + _solid(text, name_end, value)
            is_usual &= not _has(text, value, value_end, _NO_VALUE)
            at = value_end
        if offsets[game + 1] > offsets[game]:  # behind the quote and the bracket
            end = min(at + 2, stops[game])
            around += _solid(text, at, end)
            at = end
        is_usual &= around == _AROUND * (offsets[game + 1] - offsets[game])
        plain[game] = is_usual and not _has(text, at, stops[game], _NO_MOVE)


# ------------------------------------------------------------------------- games as the rows of a table of packed games


_ADVICE = "cannot be packed: repair it, or leave it out"
#: The braces of a text that is stored inside a comment, or in a tag, and what is stored instead.
_WITHOUT_BRACES = str.maketrans("{}", "()")
_ANNOTATIONS = ("comments", "variations", "nags")
#: Faults after which the rest of the text is not read.
_OPEN = (pgn.OPEN_COMMENT, pgn.OPEN_VARIATION, pgn.OPEN_TAG)
#: Columns of the table of games that are the same after packing.
_SAME = (pgn.RESULT_COLUMN, pgn.VARIANT_COLUMN, pgn.CHECKS)


def _header(games: Games, row: int) -> bytes:
    """Return the tags of a game as they are in its text."""
    text, spans_of_tags = games.block.text, games.tags[slice(*games.tag_offsets[row : row + 2])]
    return b"".join(b'[%b "%b"]\n' % (text[a:b], text[c:d]) for a, b, c, d in spans_of_tags.tolist())


# --------------------------------------------------------------------------------------------------------------- games


def rows_of(games: Games, faults: Iterable[Fault], schema: pa.Schema) -> pa.Table:
    """Return the rows of games.

    Raises:
        SourceError: for a game whose moves would change in every form.
    """
    in_order, faults = are_in_order(games, _tags_in(schema)), list(faults)
    plain = are_plain(games, in_order)
    odd = np.flatnonzero(~plain).tolist()
    if len(odd) * _FEW > len(games):
        return _by_text(games, faults, in_order, schema)
    table = _table(games, faults, in_order, schema, annotated=False)
    _check(games, _games_in(table, games, notes=False), among=plain)
    pieces, done = [], 0
    for row, its in _rows_of_some(games, odd, faults, in_order, schema):
        pieces += [table.slice(done, row - done), its]
        done = row + 1
    return pa.concat_tables([*pieces, table.slice(done)]) if odd else table


#: If at most one game in ``_FEW`` is odd, only the odd games are compared by their texts; else the whole batch is.
_FEW = 50


def _rows_of_some(
    games: Games, odd: list[int], faults: list[Fault], in_order: np.ndarray, schema: pa.Schema
) -> Iterator[tuple[int, pa.Table]]:
    """Yield the rows of odd games, whose texts are written and read again."""
    if not odd:
        return
    sound = [row for row in odd if games.table[row, pgn.FAULT] == pgn.NO_FAULT]
    whole, together = None, _among(games, sound)
    if len(together) == len(sound) > 0:
        whole = _by_text(together, (), in_order[sound], schema)
    places = {} if whole is None else {row: place for place, row in enumerate(sound)}
    for row in odd:
        if whole is not None and row in places:
            yield row, whole.slice(places[row], 1)
        else:
            yield row, _some(games, range(row, row + 1), faults, schema)


def _among(games: Games, rows: list[int]) -> Games:
    """Return some games as a batch with its own text."""
    starts, stops = spans(games)
    texts = (games.block.text[start:stop] for start, stop in zip(starts[rows], stops[rows], strict=True))
    return Games.parsed(Block(b"\n\n".join(texts), games.source, 0, 1))


def _by_text(games: Games, faults: Iterable[Fault], in_order: np.ndarray, schema: pa.Schema) -> pa.Table:
    """Return the rows of games, whose text is written and read again; a game that would change is stored as text."""
    faults = list(faults)
    table = _table(games, faults, in_order, schema)
    back = _back(table, games)
    if back is not None and not (same_tags := _have_same_tags(games, back, _tags_in(schema))).all():
        in_order = in_order & same_tags
        table = _table(games, faults, in_order, schema)
        back = _back(table, games)
    same = np.zeros(len(games), np.bool_) if back is None else _are_same(games, back)
    if same.all():
        return table
    return _as_text(games, faults, schema) if len(games) == 1 else _in_halves(games, range(len(games)), faults, schema)


def _in_halves(games: Games, rows: range, faults: list[Fault], schema: pa.Schema) -> pa.Table:
    """Return the rows of consecutive games, of which at least one would change: each half is packed separately."""
    half = rows.start + len(rows) // 2
    halves = (range(rows.start, half), range(half, rows.stop))
    return pa.concat_tables([_some(games, it, faults, schema) for it in halves])


def _some(games: Games, rows: range, faults: list[Fault], schema: pa.Schema) -> pa.Table:
    """Return the rows of consecutive games of a batch, written and read again without the other games."""
    some = _among(games, [*rows])
    some.first = games.first + rows.start
    if len(some) != len(rows) > 1:
        return _in_halves(games, rows, faults, schema)
    its = [fault for fault in faults if fault.game - games.first in rows]
    if len(some) != len(rows):
        return _with_rest_as_comment(games[rows.start : rows.stop], its, schema)
    in_order = are_in_order(some, _tags_in(schema))
    return _by_text(some, its, in_order, schema)


def _as_text(games: Games, faults: list[Fault], schema: pa.Schema) -> pa.Table:
    """Return the row of one game with its moves as text; this text is the only item of the game's annotations."""
    table = _table(games, faults, np.zeros(1, np.bool_), schema, annotated=False)
    [start], [stop] = spans(games)
    begin, kind = _tags_end(games, 0, int(start), int(stop)), PACKED_COLUMNS.field("annotations").type
    ends = [int(stop)]
    if games.table[0, pgn.FAULT] in _OPEN:  # a following game could change how the rest is read
        ends.append(int(games.table[0, pgn.FAULT_AT]))
    for end in ends:
        text = decoded(games.block.text[begin:end].strip(BLANKS))
        table = table.set_column(len(schema) - 1, schema.field("annotations"), pa.array([[text]], kind))
        back = _back(table, games)
        if back is not None and _are_same(games, back, is_cut=end < stop).all():
            return table
    return _with_rest_as_comment(games, faults, schema)


def _with_rest_as_comment(games: Games, faults: list[Fault], schema: pa.Schema) -> pa.Table:
    """Return the row of one game with its moves, and with its text between braces, whatever that is.

    The fault of the game is in its column.
    """
    [start], _ = spans(games)
    text = games.block.text[start : games.table[0, pgn.STOP]]
    comment = f"{{{decoded(text.strip(BLANKS)).translate(_WITHOUT_BRACES)}}} {games.ends[0]}"
    tags = {name: games.tag(name)[0].as_py() for name in games.tag_names() if TAG_NAME.match(name)}
    header = "".join(f'[{name} "{escaped(value)}"]\n' for name, value in tags.items() if value is not None)
    table = _table(games, faults, np.zeros(1, np.bool_), schema, annotated=False)
    for column, value in (("header", header.encode()), ("annotations", [*[None] * len(games.moves), comment])):
        at = schema.get_field_index(column)
        table = table.set_column(at, schema.field(at), pa.array([value], schema.field(at).type))
    if _back(table, games) is None:
        raise SourceError(f"game {games.first:,} of {games.source} {_ADVICE}")
    return table


def _games_in(table: pa.Table, games: Games, *, notes: bool) -> TableGames:
    """Return the games of packed rows, read from their columns; with ``notes``, from their text."""
    rows = GameRows(RowGroup(table.schema, table.num_rows, table.column), 0, table.num_rows)
    return TableGames.of(rows, games.source, games.first, notes=notes, variations=notes)


def _back(table: pa.Table, games: Games) -> TableGames | None:
    """Return the games of packed rows, read from their text; None if the number of games or their moves differ."""
    try:
        back = _games_in(table, games, notes=table.column("annotations").null_count < len(table))
        back.block  # noqa: B018  (the games are read from the text)
    except SourceError:
        return None
    return back


def _tags_in(schema: pa.Schema) -> list[str]:
    """Return the tags that have columns."""
    return [name for name in schema.names if name not in PACKED_COLUMNS.names]


def _table(
    games: Games, faults: Iterable[Fault], in_order: np.ndarray, schema: pa.Schema, *, annotated: bool = True
) -> pa.Table:
    offsets = games.move_offsets
    words = np.empty(len(games.moves), np.dtype("<u2"))
    pack_moves(offsets, games.moves, words)
    moves = pa.BinaryArray.from_buffers(
        pa.binary(), len(games), [None, pa.py_buffer((2 * offsets).astype(np.int32)), pa.py_buffer(words)]
    )
    reasons = dict[int, str]()
    for fault in faults:
        if not isinstance(fault, Repair):
            reasons.setdefault(fault.game - games.first, f"{fault.token}: {fault.reason}")
    headers = [None if kept else _header(games, row) for row, kept in enumerate(in_order.tolist())]
    columns = [
        *(games.tag(name) for name in _tags_in(schema)),
        moves,
        pa.array(games.ends, pa.string()),
        pa.array([reasons.get(row) for row in range(len(games))], pa.string()),
        pa.array(headers, pa.binary()),
        _annotations(games) if annotated else pa.nulls(len(games), PACKED_COLUMNS.field("annotations").type),
    ]
    return pa.table(dict(zip(schema.names, columns, strict=True)), schema=schema)


def _annotations(games: Games) -> pa.ListArray:
    """Return the texts before the first move and after each move, for games with such texts; null for other games.

    If a game breaks off at a move, the rest of the text comes after the last move.
    """
    starts, stops = spans(games)
    faults = games.table[:, pgn.FAULT]
    has_any = np.diff(stripped(games.text, starts, stops, _ANNOTATIONS)[1]) != stops - starts
    breaks_off = faults != pgn.NO_FAULT
    has_any |= breaks_off
    if not has_any.any():
        return pa.nulls(len(games), PACKED_COLUMNS.field("annotations").type)
    notes = cast("np.ndarray", Games.parsed(games.block, notes=True).notes)
    counts = np.where(has_any, np.diff(games.move_offsets) + 1, 0)
    offsets = np.append(0, np.cumsum(counts))
    begins, ends = np.empty((2, offsets[-1]), np.int64)
    of_moves, numbered = np.ones(offsets[-1], np.bool_), np.zeros(offsets[-1], np.bool_)
    for row in np.flatnonzero(has_any).tolist():
        first, last = int(offsets[row]), int(offsets[row + 1]) - 1
        moves = notes[slice(*games.move_offsets[row : row + 2])]
        begins[first], begins[first + 1 : last + 1] = (
            _tags_end(games, row, int(starts[row]), int(stops[row])),
            moves[:, 0],
        )
        ends[first:last], ends[first + 1 : last + 1] = moves[:, 0], moves[:, 1]
        of_moves[first], numbered[last] = False, breaks_off[row] or last == first
        if breaks_off[row] or last == first:
            ends[last] = stops[row]
    np.maximum(ends, begins, out=ends)
    written = annotation_texts(games.text, begins, ends, of_moves=of_moves, numbered=numbered)
    return _lists(offsets, ~has_any, *written)


def _tags_end(games: Games, row: int, start: int, stop: int) -> int:
    """Return the place where the text of a game continues after its tags."""
    first, last = games.tag_offsets[row : row + 2].tolist()
    return start if first == last else games.block.text.find(b"]", int(games.tags[last - 1, 3]), stop) + 1 or stop


def _lists(offsets: np.ndarray, missing: np.ndarray, text: np.ndarray, ends: np.ndarray) -> pa.ListArray:
    """Return lists of texts, with null for an empty text; bytes that are not UTF-8 are read as Windows-1252."""
    texts = pa.Array.from_buffers(pa.large_binary(), len(ends) - 1, [None, pa.py_buffer(ends), pa.py_buffer(text)])
    try:
        values = texts.cast(pa.large_string()).cast(pa.string())
    except pa.ArrowInvalid:
        values = pa.array(map(decoded, texts.to_pylist()), pa.string())
    values = pc.if_else(pc.equal(values, ""), None, values)
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), values, mask=pa.array(missing))


# ------------------------------------------------------------------------------------------------------------ the same


def _have_same_tags(games: Games, back: TableGames, tags: list[str]) -> np.ndarray:
    """Return for each game whether the text of the packed game has the same tags."""
    same = np.ones(len(games), np.bool_)
    for name in tags:
        ours, theirs = games.tag(name), Games.tag(back, name)
        if not ours.equals(theirs):
            same &= np.array([a == b for a, b in zip(ours.to_pylist(), theirs.to_pylist(), strict=True)], np.bool_)
    return same


def _check(games: Games, back: TableGames, *, among: np.ndarray) -> None:
    """Compare the games for which ``among`` is true with the games that are read from their packed rows.

    Raises:
        SourceError: for the first game that differs.
    """
    same = _are_same(games, back) | ~among
    if same.all() and not np.array_equal(games.moves, back.moves):
        same[:] = False
    if not same.all():
        row = games.first + int(np.flatnonzero(~same)[0])
        raise SourceError(f"game {row:,} of {games.source} {_ADVICE}")


def _are_same(games: Games, back: TableGames, *, is_cut: bool = False) -> np.ndarray:
    """Return whether each game equals the game of its packed row; with ``is_cut``, up to where it breaks off."""
    same = np.all(games.table[:, _SAME] == back.table[:, _SAME], axis=1)
    in_tag = games.table[:, pgn.FAULT] == pgn.OPEN_TAG  # only at the end of a text
    in_tag |= is_cut
    same &= (games.table[:, pgn.FAULT] == back.table[:, pgn.FAULT]) | in_tag
    same &= np.diff(games.move_offsets) == np.diff(back.move_offsets)
    for row in np.flatnonzero((games.table[:, pgn.BOARD] >= 0) | (back.table[:, pgn.BOARD] >= 0)).tolist():
        ours, theirs = games.table[row, pgn.BOARD], back.table[row, pgn.BOARD]
        same[row] &= ours >= 0 and theirs >= 0 and np.array_equal(games.boards[ours], back.boards[theirs])
    if same.all() and back.lines is not None:
        same &= _have_same_annotations(games, back) | in_tag
    return same


def _have_same_annotations(games: Games, back: TableGames) -> np.ndarray:
    """Return whether the comments, NAGs and variations of the packed games are the same."""
    games = Games.parsed(games.block, notes=True, variations=True)
    wrong = np.zeros(len(games), np.bool_)
    plies = np.diff(games.move_offsets)
    for ours, theirs in ((games.comments(), back.comments()), (games.nags(), back.nags())):
        if not ours.equals(theirs):
            differ = [a != b for a, b in zip(ours.to_pylist(), theirs.to_pylist(), strict=True)]
            wrong[np.repeat(np.arange(len(games)), plies)[differ]] = True
    lines, back_lines = cast("VariationLines", games.lines), cast("VariationLines", back.lines)
    count, back_count = (np.bincount(it.table[:, GAME], minlength=len(games)) for it in (lines, back_lines))
    wrong |= count != back_count
    if not wrong.any() and not (
        np.array_equal(lines.offsets, back_lines.offsets) and np.array_equal(lines.moves, back_lines.moves)
    ):
        wrong |= count > 0
    return ~wrong


# ---------------------------------------------------- pack games into Parquet, two bytes for each move, and unpack them


#: The number of positions in a row group; all columns of a row group are in memory while it is written or read.
_GROUP = 1 << 20
#: The most tags that get a column; a game with other tags stores its tags as text.
_MOST_TAGS = 100


def pack(
    sources: Sources,
    output: str | os.PathLike[str],
    *,
    without: str | Iterable[str] = (),
    threads: int | None = None,
    on_batch: Callable[[int, int, int], Any] | None = None,
    on_fault: Callable[[Fault], Any] | None = None,
) -> int:
    """Write games to Parquet, a row for each game, and return the number of games.

    Tags are columns. A move takes two bytes before compression; after it, the file has about 1.2 bytes for each
    position, with all tags. The file is a source like PGN, and its moves need no parsing. Memory is bounded for any
    number of games.

    Every batch is unpacked and compared before it is written. These stay the same: tags with their order and values,
    the start, the moves, the result, comments, NAGs and variations, and the place where a game breaks off. Blanks and
    line breaks outside comments are not kept. A game that would change is stored with its moves as text, or with this
    text as a comment.

    Args:
        sources: PGN, as for ``find``.
        output: a path that ends in ``.parquet``, which gets its name when it is complete.
        without: the parts to leave out, as in ``merge``.
        threads: the number of threads, by default one per processor.
        on_batch: called after each batch with its numbers of games, positions and bytes of text.
        on_fault: called for every game that breaks off.

    Raises:
        QueryError: an unknown part. SourceError: a source is missing, is not PGN, or cannot be read to its end.
        OutputError: the output cannot be written, or is among the files of a folder or pattern of the sources.

    Example:
        >>> import setwise, tempfile
        >>> from pathlib import Path
        >>> place = Path(tempfile.mkdtemp(), "games.parquet")
        >>> setwise.pack(b'[White "Reti"] 1. Nf3 {quiet} d5 1/2-1/2', place)
        1
        >>> setwise.find("ply = 1", place, columns=["san"])["san"].to_pylist()
        ['d5']
    """
    path, reading = checked_path(output, (".parquet",), "packed"), Reading(threads, on_batch, on_fault)
    parts = checked_parts(without)
    opened = pgn_sources(sources, output=output)
    tags = tags_of(opened)
    schema = schema_of(tags)

    def compute(result: BatchResult) -> pa.Table:
        games = cast("Games", result.games)
        return rows_of(_without(games, parts), result.batch.faults, schema)

    question = Question(schema=schema, compute=compute)
    count, waiting, positions = 0, list[pa.Table](), 0
    with written(path) as file, packed_writer(file, schema) as parquet:
        for result in reading.search((source, question) for source in opened):
            waiting.append(result.computed)
            count += len(result.games)
            positions += len(cast("Games", result.games).moves) + len(result.games)
            if positions >= _GROUP:
                parquet.write_table(pa.concat_tables(waiting), row_group_size=1 << 30)
                waiting, positions = [], 0
        if waiting:
            parquet.write_table(pa.concat_tables(waiting), row_group_size=1 << 30)
    return count


def unpack(
    sources: Sources,
    output: str | os.PathLike[str] | IO[bytes],
    *,
    without: str | Iterable[str] = (),
    threads: int | None = None,
    on_batch: Callable[[int, int, int], Any] | None = None,
    on_fault: Callable[[Fault], Any] | None = None,
) -> int:
    """Write packed games as PGN, and return the number of games.

    The moves of each game are in one line. ``merge`` reads packed games, too; it has the same arguments and errors.

    Example:
        >>> import io, setwise, tempfile
        >>> from pathlib import Path
        >>> place, file = Path(tempfile.mkdtemp(), "games.parquet"), io.BytesIO()
        >>> setwise.pack(b'[White "Reti"] 1. Nf3 d5 2. c4 *', place), setwise.unpack(place, file)
        (1, 1)
        >>> print(file.getvalue().decode().strip())
        [White "Reti"]
        <BLANKLINE>
        1. Nf3 d5 2. c4 *
    """
    return merge(sources, output, without=without, threads=threads, on_batch=on_batch, on_fault=on_fault)


# ---------------------------------------------------------------------------------------------------------------- tags


def tags_of(sources: Iterable[Source]) -> list[str]:
    """Return the tags that get a column: the tags of the first games of each source, in an order that games use."""
    names: list[str] = []
    for source in sources:
        for game in _first_tags(source):
            for before, name in zip([None, *game], game, strict=False):
                if name not in names:
                    names.insert(names.index(before) + 1 if before is not None else 0, name)
    return tag_columns(names)[:_MOST_TAGS]


def _first_tags(source: Source) -> Iterator[list[str]]:
    """Yield for each of the first games the names of its tags that can be columns."""
    head = getattr(source, "head", b"")
    if not head:
        schema = getattr(source, "schema", None)
        yield [] if schema is None else tag_columns(schema.names)
        return
    games = Games.parsed(Block(head, source.name, 0, 1))
    names = [head[start:stop].decode("utf-8", "replace") for start, stop in games.tags[:, :2].tolist()]
    for first, last in zip(games.tag_offsets[:-1].tolist(), games.tag_offsets[1:].tolist(), strict=True):
        yield names[first:last]


def _without(games: Games, parts: tuple[str, ...]) -> Games:
    """Return games without some parts of their texts."""
    if not parts:
        return games
    text, _ = stripped(games.text, *spans(games), parts)
    fewer = Games.parsed(Block(text.tobytes(), games.source, 0, 1))
    fewer.first = games.first
    return fewer
