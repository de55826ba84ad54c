"""Columns of the board: pieces as sets, texts and keys, material, structure, the phase, the state of play."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import cast

import numpy as np
import pyarrow as pa

from setwise.corpus.columns.registry import (
    column,
    games_of,
    nodes_of,
    numbers,
    one_of,
    rows_of_games,
    written,
)
from setwise.features import COLOURS
from setwise.features.mate_names import NAMES
from setwise.game.games import Games, phases_in
from setwise.patterns import king, knight, sliders
from setwise.position import history
from setwise.position.likeness import counts_in, material_codes
from setwise.position.positions import Positions
from setwise.system.packages import pc

# ---------------------------------------------------------------------------------------------------- texts and numbers

_FEN = written("a FEN has six fields, such as '4k3/8/8/8/8/8/8/4K3 w - - 0 1'", r"[\w/]+ [wb] \S+ \S+ \d+ \d+")

column("white_to_move")(lambda p: numbers(p.white_to_move, pa.bool_()))
column("fen", domain=_FEN)(lambda p: p.fens())
column("key")(lambda p: numbers(p.keys(), pa.uint64()))
column("halfmove_clock")(lambda p: numbers(p.halfmove_clock, pa.int32()))
column("fullmove_number")(lambda p: numbers(p.fullmove_number, pa.int32()))

# ---------------------------------------------------------------------------------------------------------------- sets


column("castling_rights")(lambda p: numbers(p.castling_rights, pa.uint64()))
column("en_passant")(lambda p: numbers(p.en_passant, pa.uint64()))


def _side_pieces(positions: Positions, side: str, pieces: str = "") -> pa.Array:
    white, black = positions.white_pieces, positions.black_pieces
    if side not in COLOURS:
        own = np.where(positions.white_to_move == (side == "own"), white, black)
    else:
        own = white if side == "white" else black
    return numbers(own & getattr(positions, pieces) if pieces else own, pa.uint64())


column("{side}_pieces")(_side_pieces)
for _pieces in ("pawns", "knights", "bishops", "rooks", "queens", "kings"):
    _name = "{side}_king" if _pieces == "kings" else f"{{side}}_{_pieces}"
    column(_name)(functools.partial(_side_pieces, pieces=_pieces))


def _occupied(positions: Positions) -> np.ndarray:
    return positions.white_pieces | positions.black_pieces


LIGHT_SQUARES = 0x55AA55AA55AA55AA


def _always(word: int) -> Callable[[Positions], pa.Array]:
    return lambda positions: pa.array(np.full(len(positions), word, np.uint64))


column("occupied")(lambda p: numbers(_occupied(p), pa.uint64()))
column("empty")(lambda p: numbers(~_occupied(p), pa.uint64()))
column("light_squares")(_always(LIGHT_SQUARES))
column("dark_squares")(_always(~LIGHT_SQUARES & (1 << 64) - 1))

#: Functions that return the attacks of the pieces of a kind, from the set of these pieces and the set of all pieces.
_ATTACKS: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "knights": lambda knights, _: knight.attacks(knights),
    "bishops": sliders.bishops_attacks,
    "rooks": sliders.rooks_attacks,
    "queens": sliders.queens_attacks,
    "kings": lambda kings, _: king.attacks(kings),
}


def _side_attacks(positions: Positions, side: str, pieces: str) -> pa.Array:
    return pa.array(_ATTACKS[pieces](_side_pieces(positions, side, pieces).to_numpy(), _occupied(positions)))


for _pieces in _ATTACKS:
    column(f"{{side}}_{_pieces.removesuffix('s')}_attacks")(functools.partial(_side_attacks, pieces=_pieces))

# -------------------------------------------------------------------------------------------------- material, structure

_LETTERS = "QRBNP"
#: How many texts are cached: all batches of a collection have the same few thousand texts.
_TEXTS = 1 << 16


def _texts_of(codes: np.ndarray, text: Callable[[int], str]) -> pa.Array:
    """Return a text for each number, as a dictionary array; each different number is converted once."""
    numbered = pc.dictionary_encode(pa.array(codes))
    texts = pa.array(map(text, numbered.dictionary.to_pylist()), pa.string())
    return pa.DictionaryArray.from_arrays(numbered.indices, texts)


def _counts(code: int) -> tuple[list[int], list[int]]:
    """Return the counts of White's pieces and of Black's pieces."""
    counts = counts_in(np.array([code], np.uint64))[:, 0].tolist()
    return counts[: len(_LETTERS)], counts[len(_LETTERS) :]


@functools.lru_cache(_TEXTS)
def _material_key(code: int) -> str:
    return "v".join(
        "K" + "".join(letter * count for letter, count in zip(_LETTERS, counts, strict=True))
        for counts in _counts(code)
    )


@functools.lru_cache(_TEXTS)
def _imbalance(code: int) -> str:
    white, black = _counts(code)
    surplus = [w - b for w, b in zip(white, black, strict=True)]
    return "v".join(
        "".join(letter * (sign * more) for letter, more in zip(_LETTERS, surplus, strict=True)) for sign in (1, -1)
    )


_SIDE = "Q*R*B*N*P*"


_KEY = written("a key is White's pieces, v, Black's, each in the order K Q R B N P: KRPvKR", f"K{_SIDE}vK{_SIDE}")
_MORE = written("it is what White has more, v, what Black has, each in the order Q R B N P: PPvN", f"{_SIDE}v{_SIDE}")
_PAWNS = written(
    "it has pawns alone, eight ranks from the eighth down: 8/pp3ppp/8/8/8/8/PPP2PPP/8", r"(?:[Pp1-8]+/){7}[Pp1-8]+"
)


column("material_key", domain=_KEY)(lambda p: _texts_of(material_codes(p.sets), _material_key))
column("imbalance", domain=_MORE)(lambda p: _texts_of(material_codes(p.sets), _imbalance))


@column("pawn_structure", domain=_PAWNS)
def _pawn_structure(positions: Positions) -> pa.Array:
    numbered = [
        pc.dictionary_encode(pa.array(positions.pawns & pieces))
        for pieces in (positions.white_pieces, positions.black_pieces)
    ]
    whites, blacks = (pawns.dictionary.to_pylist() for pawns in numbered)
    rows = [pawns.indices.to_numpy().astype(np.int64) for pawns in numbered]
    codes = rows[0] * len(blacks) + rows[1]
    return _texts_of(codes, lambda code: _pawns_in_fen(whites[code // len(blacks)], blacks[code % len(blacks)]))


def _pawns_in_fen(white: int, black: int) -> str:
    board = ["P" if white >> square & 1 else "p" if black >> square & 1 else " " for square in range(64)]
    ranks = "/".join("".join(board[8 * rank : 8 * rank + 8]) for rank in range(7, -1, -1))
    return re.sub(" +", lambda empty: str(len(empty[0])), ranks)


# ------------------------------------------------------------------------------------------------------ phase and state

PHASES = pa.array(["opening", "middlegame", "endgame"])
_MATES = one_of("mates are", *NAMES)


@column("phase", domain=one_of("phases are", *PHASES.to_pylist()))
def _phase(positions: Positions) -> pa.Array:
    nodes = nodes_of(positions)
    if nodes is not None:
        in_tree = phases_in(cast("Games", positions.games))
        return pa.DictionaryArray.from_arrays(pa.array(in_tree[nodes]), PHASES)
    rows, whole = _among_games(positions)
    starts = np.ones(len(whole), np.bool_) if whole.ply is None else whole.ply == 0
    return pa.DictionaryArray.from_arrays(pa.array(history.phases_of(whole.sets, starts)[rows]), PHASES)


def _among_games(positions: Positions) -> tuple[np.ndarray | slice, Positions]:
    """Return the rows of positions among all positions of their games, and all these positions.

    All positions are needed because the phase depends on the positions before.
    """
    all_positions = getattr(getattr(positions, "games", None), "positions", None)
    if all_positions is None or positions.ply is None:
        return slice(None), positions
    rows, games = rows_of_games(positions), games_of(positions)
    is_whole = len(rows) == games.move_offsets[-1] + len(games) and bool((rows == np.arange(len(rows))).all())
    return (slice(None), positions) if is_whole else (rows, all_positions())


column("is_check")(lambda p: numbers(p.is_check(), pa.bool_()))
column("is_checkmate")(lambda p: pa.array(p.is_checkmate()))
column("is_stalemate")(lambda p: pa.array(p.is_stalemate()))
column("mate_pattern", domain=_MATES)(lambda p: p.mate_pattern())
column("mate_patterns", domain=_MATES)(lambda p: p.mate_patterns())
column("legal_moves")(lambda p: pa.array(p.legal_move_counts(), pa.int32()))
