"""A whole generator of legal moves as one file of C or Rust, translated from the definitions of the rules.

The rules of chess are the package's own definitions, written by ``translation``; only the frame is written by hand, one
for each language in ``generators``: FEN and moves as text, perft, UCI, and the test by the suites.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import cast

from setwise import __version__
from setwise.catalogue.translation import INT, WORD, Translator, language
from setwise.compiler.definitions import Routine
from setwise.engines.positions import suite
from setwise.patterns import moves
from setwise.rules import board, generate

#: The most leaves that a position of the test has.
_MOST_LEAVES = 3_000_000
#: A table with more items is at the end of the file.
_LARGE = 64


def generator(name: str = "c") -> str:
    """Return the source text of a generator of legal moves, in ``c`` or ``rust``.

    Raises:
        QueryError: for another language.

    Example:
        >>> from setwise.catalogue.generator import generator
        >>> "legal_move_count(" in generator("c"), "fn perft(" in generator("rust")
        (True, True)
    """
    style = language(name, ("c", "rust"), "generators")
    style = dataclasses.replace(style, syntax=style.syntax | style["generator"])
    lanes, words = cast("tuple[Routine, Routine]", (board.lines_of_lanes, moves.lines_of_words))
    to = Translator(style, {lanes.function: words.function}, large=_LARGE)
    to.function(generate.legality, "legality", [board.Board])
    to.function(generate.generate, "generate", [board.Board, moves.Limits, "moves", INT])
    to.function(board.make_move, "make_move", [board.Board, WORD])
    to.function(board.mirrored, "mirrored", [board.Board])
    to.function(board.turned, "turned", [WORD])
    to.function(moves.legal_move_count, "legal_move_count", [WORD] * 10)
    counted = [(fen, *max(it for it in counts.items() if it[1] <= _MOST_LEAVES))
               for chess960 in (False, True) for fen, counts in suite(chess960=chess960)]  # fmt: skip
    parts = {
        "version": __version__,
        "declarations": to.declared(),
        "functions": "\n\n".join(to.texts),
        "suite": "\n".join(style["case"].format(fen=fen, depth=depth, leaves=n) for fen, depth, n in counted),
        "tables": "\n".join(to.tables),
    }
    text = Path(__file__).with_name("generators").joinpath(f"frame.{style['suffix']}").read_text("ascii")
    for part, written in parts.items():
        text = text.replace(f"{{{part}}}", written)
    return text
