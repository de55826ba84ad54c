"""The PGN of games in a table: their tags from its columns, their moves as text."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from setwise.corpus.sources.game_tables.rows import OWN, GameRows
from setwise.corpus.storage.packed_games import SETUP
from setwise.game.provenance import GamePositions
from setwise.notation.pgn.export import TAG_NAME

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


def movetexts(positions: GamePositions, ends: pa.StringArray, annotations: pa.ListArray | None) -> pa.BinaryArray:
    """Return the moves of games in SAN with their numbers and annotations, and what ends them.

    Args:
        positions: all positions of the games.
        ends: what ends each game; null where the annotations say it.
        annotations: the texts before the first move and behind each move of every game.
    """
    played = positions[positions.moves != 0]
    first, numbers = played.ply == 0, pa.array(played.fullmove_number).cast(pa.string())
    behind, before = _annotations(played, annotations, len(ends))
    is_numbered = first | np.roll(behind.is_valid().to_numpy(zero_copy_only=False), 1)
    prefix = pc.if_else(pa.array(is_numbered), _joined(numbers, "... "), "")
    prefix = pc.if_else(pa.array(played.white_to_move), _joined(numbers, ". "), prefix)
    tokens = _skipping(_joined(prefix, played.san()), behind)
    offsets = np.append(0, np.cumsum(np.bincount(played.game, minlength=len(ends)))).astype(np.int32)
    moves = pc.binary_join(pa.ListArray.from_arrays(pa.array(offsets), tokens), " ")
    return _skipping(before, pc.if_else(pc.equal(moves, ""), None, moves), ends).cast(pa.binary())


def _skipping(*texts: pa.Array) -> pa.Array:
    return pc.binary_join_element_wise(*texts, " ", null_handling="skip")


def _annotations(
    played: GamePositions, annotations: pa.ListArray | None, games: int
) -> tuple[pa.StringArray, pa.StringArray]:
    """Return the annotations behind each move and those before the first move of each game."""
    if annotations is None or annotations.null_count == games:
        return pa.nulls(len(played), pa.string()), pa.nulls(games, pa.string())
    starts = np.where(annotations.is_valid().to_numpy(zero_copy_only=False), annotations.offsets.to_numpy()[:-1], -1)
    at = np.where(starts[played.game] < 0, -1, starts[played.game] + played.ply + 1)
    values = annotations.values
    return (values.take(pa.array(it, pa.int64(), mask=it < 0)) for it in (at, starts))  # type: ignore[return-value]


def joined(tags: pa.BinaryArray, moves: pa.BinaryArray) -> bytes:
    """Return games as one text: the tags of each, an empty line, its moves, an empty line."""
    texts = pc.binary_join_element_wise(tags, b"\n", moves, b"\n\n", b"")
    first, last = (np.frombuffer(texts.buffers()[1], np.int32)[at] for at in (texts.offset, texts.offset + len(texts)))
    return bytes(memoryview(texts.buffers()[2])[first:last]) if len(texts) else b""
