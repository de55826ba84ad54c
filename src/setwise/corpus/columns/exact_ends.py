"""Columns of exact ends: what tables of few pieces say about positions, and about the moves played in them."""

from __future__ import annotations

import pyarrow as pa

from setwise.corpus.columns.domains import between
from setwise.corpus.columns.registry import column

__all__ = ["OF_TABLES"]

#: The columns of this module: what they say depends on the tables that a machine has.
OF_TABLES = ("wdl", "dtm", "tablebase_loss")
#: The longest win with up to four pieces, in moves.
_LONGEST = 43

column(
    "wdl",
    pa.int16(),
    "1 if the mover wins with best play, 0 for a draw, -1 if he loses, up to four pieces; null where no table says it",
    of_boards=True,
    domain=between(-1, 1),
)(lambda p: p.wdl().cast(pa.int16()))
column(
    "dtm",
    pa.int16(),
    "in how many moves the mover mates with best play, below 0 if he is mated; null for draws, and as wdl",
    of_boards=True,
    domain=between(-_LONGEST, _LONGEST),
)(lambda p: p.dtm())
column(
    "tablebase_loss",
    pa.int16(),
    "what the move gives away: 1 a win for a draw or a draw for a loss, 2 a win for a loss, else 0; null as wdl",
    needs="move",
    domain=between(0, 2),
)(lambda p: p.tablebase_loss().cast(pa.int16()))
