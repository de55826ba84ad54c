"""Boards drawn: as text for terminals (``draw``), as SVG (``board_svg``) and PNG; ``heatmap`` of 64 numbers."""

from __future__ import annotations

from setwise import bitboard
from setwise.view.heatmap import heatmap, square_counts
from setwise.view.svg import board_svg, png
from setwise.view.text import draw

__all__ = ["board_svg", "draw", "heatmap", "png", "square_counts"]

bitboard.draw_svg = board_svg
