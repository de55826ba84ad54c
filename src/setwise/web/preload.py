"""The imports of all processes of the workbench: done once, in the process from which the others are forked.

A search of one game loads machine code, if it is cached, into memory that the forked processes then share.
"""

from __future__ import annotations

import contextlib

from setwise.corpus import outputs
from setwise.corpus.query import sql
from setwise.corpus.query.finding import find
from setwise.features.own import load_installed
from setwise.notation.pgn import reader
from setwise.web import answers, searching

__all__ = ["answers", "outputs", "searching", "sql"]

with contextlib.suppress(Exception):  # the first question or search reports the error
    load_installed()
    if reader.parse.cached():
        find("knight.attacks(white_knights) <> 0", b'[Event "?"]\n\n1. e4 e5 2. Nf3 { [%clk 0:01:00] } *\n', threads=1)
        answers.warm_up()
