"""The PGN of games in a table: their tags from its columns, their moves as text."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pyarrow as pa

from setwise.corpus.sources.game_tables.rows import OWN, GameRows
from setwise.corpus.storage.packed_games import SETUP
from setwise.game.batch import GameColumns
from setwise.notation.pgn import movetexts as pgn
from setwise.notation.pgn.export import TAG_NAME
from setwise.system.arrow import pc

__all__ = ["headers", "joined", "movetexts", "setups", "tag_columns"]

#: A tag that begins a new game, whatever stands before it.
_BEGINS = '[Event "?"]\n'


def tag_columns(names: Iterable[str]) -> list[str]:
    """Return those of the columns that are tags, in their order."""
    return [name for name in names if name not in OWN and TAG_NAME.match(name)]


def headers(rows: GameRows) -> pa.BinaryArray:
    """Return the tags of every game as text."""
    written = _written(rows, tag_columns(rows.names)).cast(pa.binary())
    return pc.coalesce(rows.column("header"), written) if "header" in rows.names else written


def setups(rows: GameRows) -> pa.BinaryArray:
    """Return for every game a tag that begins it, and the tags that decide how its moves are read."""
    return _joined(_BEGINS, _written(rows, [name for name in SETUP if name in rows.names])).cast(pa.binary())


def _written(rows: GameRows, names: list[str]) -> pa.StringArray:
    if not names:
        return pa.repeat(pa.scalar(""), len(rows))
    tags = [_joined(f'[{name} "', _escaped(rows.texts(name)), '"]\n') for name in names]
    return pc.binary_join_element_wise(*tags, "", null_handling="replace", null_replacement="")


def _escaped(values: pa.StringArray) -> pa.StringArray:
    """Return values of tags with quotes and backslashes escaped, and blanks for line breaks, which no tag can have."""
    for text, instead in (("\\", r"\\"), ('"', r"\""), ("\n", " "), ("\r", " ")):
        values = pc.replace_substring(values, text, instead)
    return values


def _joined(*texts: pa.Array | str) -> pa.Array:
    """Return texts joined; null where one of them is."""
    return pc.binary_join_element_wise(*texts, "")


def movetexts(games: GameColumns, ends: pa.StringArray, annotations: pa.ListArray) -> pa.BinaryArray:
    """Return the moves of games in SAN with their numbers and annotations, and what ends them.

    Args:
        games: the games.
        ends: what ends each game; null where the annotations say it.
        annotations: the texts before the first move and behind each move of every game.
    """
    offsets, texts = _bytes_of(annotations.values.fill_null(""))
    has_any = annotations.value_lengths().fill_null(0).to_numpy() > 0
    firsts = np.where(has_any, annotations.offsets.to_numpy()[:-1], -1)
    written, starts = pgn.movetexts(games.table, games.move_offsets, games.moves, games.boards, firsts, texts, offsets)
    moves = pa.Array.from_buffers(pa.large_binary(), len(games), [None, pa.py_buffer(starts), pa.py_buffer(written)])
    moves = moves.cast(pa.binary())
    return pc.binary_join_element_wise(
        pc.if_else(pc.equal(moves, b""), None, moves), ends.cast(pa.binary()), b" ", null_handling="skip"
    )


def _bytes_of(texts: pa.StringArray | pa.BinaryArray) -> tuple[np.ndarray, np.ndarray]:
    """Return where the first of some texts begins and each ends, and the bytes of all."""
    _, at, data = texts.buffers()
    ends = np.frombuffer(at or bytes(4), np.int32)[texts.offset : texts.offset + len(texts) + 1]
    return ends, np.frombuffer(data or b"", np.uint8)


def joined(tags: pa.BinaryArray, moves: pa.BinaryArray) -> bytes:
    """Return games as one text: the tags of each, an empty line, its moves, an empty line."""
    texts = pc.binary_join_element_wise(tags, b"\n", moves, b"\n\n", b"")
    ends, data = _bytes_of(texts)
    return data[ends[0] : ends[-1]].tobytes()
