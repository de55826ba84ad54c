"""Sliders one step at a time: every way has the same twin."""

from __future__ import annotations

from naive.sliders import bishop_attacks, rook_attacks
from setwise.patterns import slider_ways

TWINS = {
    name: rook_attacks if name.startswith("rook") else bishop_attacks
    for name in slider_ways.__all__
    if name != "magics"
}
