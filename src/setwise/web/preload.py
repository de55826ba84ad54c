"""What every process of the workbench starts with: imported once, before the others branch off.

Where the machine code is at hand, a search of one game brings it into memory, which the others then share.
"""

from __future__ import annotations

import contextlib

from setwise.corpus import outputs
from setwise.corpus.query import sql
from setwise.corpus.query.search import find
from setwise.features.own import load_installed
from setwise.notation.pgn import parser
from setwise.web import answers, searching

__all__ = ["answers", "outputs", "searching", "sql"]

with contextlib.suppress(Exception):  # whoever asks is told what is wrong
    load_installed()
    if parser.parse.cached():
        find("knight.attacks(white_knights) <> 0", b'[Event "?"]\n\n1. e4 e5 2. Nf3 { [%clk 0:01:00] } *\n', threads=1)
        answers.warm()
