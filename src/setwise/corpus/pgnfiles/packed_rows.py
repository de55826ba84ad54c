"""Games as the rows of a table of packed games, compared with what the rows give."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import cast

import numpy as np
import pyarrow as pa

from setwise.corpus.pgnfiles.plain_games import are_in_order, are_plain
from setwise.corpus.sources.game_tables.games import TableGames
from setwise.corpus.sources.game_tables.rows import GameRows
from setwise.corpus.sources.row_groups import RowGroup
from setwise.corpus.storage.packed_games import COLUMNS, pack_moves
from setwise.errors import SourceError
from setwise.game.blocks import Block
from setwise.game.games import Fault, Games
from setwise.game.single import decoded
from setwise.game.texts import spans
from setwise.notation.characters import BLANKS
from setwise.notation.pgn import table as pgn
from setwise.notation.pgn.annotation_texts import annotation_texts
from setwise.notation.pgn.lines import Lines
from setwise.notation.pgn.parentheses import GAME
from setwise.notation.pgn.stripping import stripped
from setwise.system.arrow import pc

__all__ = ["rows_of"]

_ADVICE = "would not be the same after packing: repair it, or leave it out"
_ANNOTATIONS = ("comments", "variations", "nags")
#: Faults after which nothing of the text is read.
_OPEN = (pgn.OPEN_COMMENT, pgn.OPEN_VARIATION, pgn.OPEN_TAG)
#: Columns of the table of games that are the same after packing.
_SAME = (pgn.RESULT, pgn.VARIANT, pgn.CHECKS)


def _header(games: Games, row: int) -> bytes:
    """The tags of a game as they are in its text."""
    text, spans_of_tags = games.block.text, games.tags[slice(*games.tag_offsets[row : row + 2])]
    return b"".join(b'[%b "%b"]\n' % (text[a:b], text[c:d]) for a, b, c, d in spans_of_tags.tolist())


# --------------------------------------------------------------------------------------------------------------- games


def rows_of(games: Games, faults: Iterable[Fault], schema: pa.Schema) -> pa.Table:
    """Return the rows of games.

    Raises:
        SourceError: for games that would not be the same, even as texts.
    """
    tags = [name for name in schema.names if name not in COLUMNS.names]
    in_order, faults = are_in_order(games, tags), list(faults)
    plain = are_plain(games, in_order)
    odd = np.flatnonzero(~plain).tolist()
    if len(odd) * _FEW > len(games):
        return _by_text(games, faults, in_order, schema)
    table = _table(games, faults, tags, in_order, schema, annotated=False)
    _check(games, _games_in(table, games, notes=False), among=plain)
    pieces, done = [], 0
    for row, its in _rows_of_some(games, odd, faults, in_order, schema):
        pieces += [table.slice(done, row - done), its]
        done = row + 1
    return pa.concat_tables([*pieces, table.slice(done)]) if odd else table


#: One game in so many, or fewer, is compared by its text alone; if there are more, the batch is.
_FEW = 50


def _rows_of_some(
    games: Games, odd: list[int], faults: list[Fault], in_order: np.ndarray, schema: pa.Schema
) -> Iterator[tuple[int, pa.Table]]:
    """Yield the row of each of some games, whose texts are written and read again."""
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
    """Some games as a batch with a text of its own."""
    starts, stops = spans(games)
    texts = (games.block.text[start:stop] for start, stop in zip(starts[rows], stops[rows], strict=True))
    return Games.parsed(Block(b"\n\n".join(texts), games.source, 0, 1))


def _by_text(games: Games, faults: Iterable[Fault], in_order: np.ndarray, schema: pa.Schema) -> pa.Table:
    """The rows of games, whose text is written and read again; a game that would differ is kept as its text."""
    tags, faults = [name for name in schema.names if name not in COLUMNS.names], list(faults)
    table = _table(games, faults, tags, in_order, schema)
    back = _back(table, games)
    if back is not None and not (same_tags := _have_same_tags(games, back, tags)).all():
        in_order = in_order & same_tags
        table = _table(games, faults, tags, in_order, schema)
        back = _back(table, games)
    same = np.zeros(len(games), np.bool_) if back is None else _are_same(games, back)
    if same.all():
        return table
    return _as_text(games, faults, schema) if len(games) == 1 else _in_halves(games, range(len(games)), faults, schema)


def _in_halves(games: Games, rows: range, faults: list[Fault], schema: pa.Schema) -> pa.Table:
    """The rows of games that follow one another, of which one differs: of each half by itself."""
    half = rows.start + len(rows) // 2
    halves = (range(rows.start, half), range(half, rows.stop))
    return pa.concat_tables([_some(games, it, faults, schema) for it in halves])


def _some(games: Games, rows: range, faults: list[Fault], schema: pa.Schema) -> pa.Table:
    """The rows of games that follow one another in a batch, written and read again without the others."""
    some = _among(games, [*rows])
    some.first = games.first + rows.start
    if len(some) != len(rows) > 1:
        return _in_halves(games, rows, faults, schema)
    if len(some) != len(rows):
        raise SourceError(f"game {some.first:,} of {games.source} {_ADVICE}")
    in_order = are_in_order(some, [name for name in schema.names if name not in COLUMNS.names])
    its = [fault for fault in faults if fault.game - games.first in rows]
    return _by_text(some, its, in_order, schema)


def _as_text(games: Games, faults: list[Fault], schema: pa.Schema) -> pa.Table:
    """The row of one game whose moves are kept as the text that they are: the only one of its annotations.

    Raises:
        SourceError: when even that would not be the same.
    """
    tags = [name for name in schema.names if name not in COLUMNS.names]
    table = _table(games, faults, tags, np.zeros(1, np.bool_), schema, annotated=False)
    [start], [stop] = spans(games)
    begin, kind = _tags_end(games, 0, int(start), int(stop)), COLUMNS.field("annotations").type
    ends = [int(stop)]
    if games.table[0, pgn.FAULT] in _OPEN:  # what follows may look like other games where others follow
        ends.append(int(games.table[0, pgn.FAULT_AT]))
    for end in ends:
        text = decoded(games.block.text[begin:end].strip(BLANKS))
        table = table.set_column(len(schema) - 1, schema.field("annotations"), pa.array([[text]], kind))
        back = _back(table, games)
        if back is not None and _are_same(games, back, is_cut=end < stop).all():
            return table
    raise SourceError(f"game {games.first:,} of {games.source} {_ADVICE}")


def _games_in(table: pa.Table, games: Games, *, notes: bool) -> TableGames:
    """The games of packed rows, read from their columns; with notes, from their text."""
    rows = GameRows(RowGroup(table.schema, table.num_rows, table.column, {}), 0, table.num_rows)
    return TableGames.of(rows, games.source, games.first, notes=notes, variations=notes)


def _back(table: pa.Table, games: Games) -> TableGames | None:
    """The games of packed rows, read from their text; None where they are not as many games with the same moves."""
    try:
        back = _games_in(table, games, notes=table.column("annotations").null_count < len(table))
        back.block  # noqa: B018  (the games are read from the text)
    except SourceError:
        return None
    return back


def _table(
    games: Games,
    faults: Iterable[Fault],
    tags: list[str],
    in_order: np.ndarray,
    schema: pa.Schema,
    *,
    annotated: bool = True,
) -> pa.Table:
    offsets = games.move_offsets
    words = np.empty(len(games.moves), np.dtype("<u2"))
    pack_moves(offsets, games.moves, words)
    moves = pa.BinaryArray.from_buffers(
        pa.binary(), len(games), [None, pa.py_buffer((2 * offsets).astype(np.int32)), pa.py_buffer(words)]
    )
    reasons = dict[int, str]()
    for fault in faults:
        reasons.setdefault(fault.game - games.first, f"{fault.token}: {fault.reason}")
    headers = [None if kept else _header(games, row) for row, kept in enumerate(in_order.tolist())]
    columns = [
        *(games.tag(name) for name in tags),
        moves,
        pa.array(games.ends, pa.string()),
        pa.array([reasons.get(row) for row in range(len(games))], pa.string()),
        pa.array(headers, pa.binary()),
        _annotations(games) if annotated else pa.nulls(len(games), COLUMNS.field("annotations").type),
    ]
    return pa.table(dict(zip(schema.names, columns, strict=True)), schema=schema)


def _annotations(games: Games) -> pa.ListArray:
    """Return the texts before the first move and behind each move, for games that have any; null for others.

    Where a game breaks off at a move, the text from there on stands behind its last move.
    """
    starts, stops = spans(games)
    faults = games.table[:, pgn.FAULT]
    has_any = np.diff(stripped(games.text, starts, stops, _ANNOTATIONS)[1]) != stops - starts
    breaks_off = faults != pgn.NO_FAULT
    has_any |= breaks_off
    if not has_any.any():
        return pa.nulls(len(games), COLUMNS.field("annotations").type)
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
    """Where the text of a game goes on behind its tags."""
    first, last = games.tag_offsets[row : row + 2].tolist()
    return start if first == last else games.block.text.find(b"]", int(games.tags[last - 1, 3]), stop) + 1 or stop


def _lists(offsets: np.ndarray, missing: np.ndarray, text: np.ndarray, ends: np.ndarray) -> pa.ListArray:
    """Lists of texts, null where a text is empty; bytes that are not UTF-8 are read as Latin-1."""
    texts = pa.Array.from_buffers(pa.large_binary(), len(ends) - 1, [None, pa.py_buffer(ends), pa.py_buffer(text)])
    try:
        values = texts.cast(pa.large_string()).cast(pa.string())
    except pa.ArrowInvalid:
        values = pa.array(map(decoded, texts.to_pylist()), pa.string())
    values = pc.if_else(pc.equal(values, ""), None, values)
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), values, mask=pa.array(missing))


# ------------------------------------------------------------------------------------------------------------ the same


def _have_same_tags(games: Games, back: TableGames, tags: list[str]) -> np.ndarray:
    """Whether the text of the packed games has the same tags."""
    same = np.ones(len(games), np.bool_)
    for name in tags:
        ours, theirs = games.tag(name), Games.tag(back, name)
        if not ours.equals(theirs):
            same &= np.array([a == b for a, b in zip(ours.to_pylist(), theirs.to_pylist(), strict=True)], np.bool_)
    return same


def _check(games: Games, back: TableGames, *, among: np.ndarray) -> None:
    """Compare the games among which it is true with what their packed rows give.

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
    """Whether each game is the same as what its packed row gives; with ``is_cut``, up to where it breaks off."""
    same = np.all(games.table[:, _SAME] == back.table[:, _SAME], axis=1)
    in_tag = games.table[:, pgn.FAULT] == pgn.OPEN_TAG  # which it is at the end of a text alone
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
    """Whether the comments, NAGs and variations of the packed games are the same."""
    games = Games.parsed(games.block, notes=True, variations=True)
    wrong = np.zeros(len(games), np.bool_)
    plies = np.diff(games.move_offsets)
    for ours, theirs in ((games.comments(), back.comments()), (games.nags(), back.nags())):
        if not ours.equals(theirs):
            differ = [a != b for a, b in zip(ours.to_pylist(), theirs.to_pylist(), strict=True)]
            wrong[np.repeat(np.arange(len(games)), plies)[differ]] = True
    lines, back_lines = cast("Lines", games.lines), cast("Lines", back.lines)
    count, back_count = (np.bincount(it.table[:, GAME], minlength=len(games)) for it in (lines, back_lines))
    wrong |= count != back_count
    if not wrong.any() and not (
        np.array_equal(lines.offsets, back_lines.offsets) and np.array_equal(lines.moves, back_lines.moves)
    ):
        wrong |= count > 0
    return ~wrong
