"""Boards drawn: as text for terminals (``draw``) and as SVG (``board_svg``), as notebooks show a ``Bitboard``."""

from __future__ import annotations

from setwise import bitboard
from setwise.view.svg import board_svg
from setwise.view.text import draw

__all__ = ["board_svg", "draw"]

bitboard.draw_svg = board_svg
