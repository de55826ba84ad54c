"""Drawings of boards: as text for terminals (``draw``), as SVG (``board_svg``) and as PNG; ``heatmap`` of 64 numbers.

All drawings take the same input, which ``diagram`` checks and turns into a ``Diagram``: pieces in any usual form, up to
six named sets, the last move, a check. Each set has a colour and a shape of its own, so that several can be on one
square and can be distinguished without colours. Every picture contains a description in words. Texts of games are made
harmless before they are drawn. This package knows squares and letters of pieces, but no rules of chess, so it works for
positions of python-chess as well.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from setwise import bitboard
from setwise.view.svg import board_svg, png

if TYPE_CHECKING:
    from setwise.view.heat import heatmap, square_counts
    from setwise.view.text import draw

__all__ = ["board_svg", "draw", "heatmap", "png", "square_counts"]

bitboard.draw_svg = board_svg
#: The drawings that few commands need: their modules are imported when they are first used.
_LATER = {"draw": "text", "heatmap": "heat", "square_counts": "heat"}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_LATER[name]}"), name)
