"""Scans as sources: their positions with their games, read group of rows by group, and only the columns that are used.

A scan is a folder with a manifest, ``NAME.parquet`` with ``NAME.games.parquet`` beside it, or a part of either. Each
batch holds whole games; what stands in the place of ``Games`` answers from the table of games.
"""

from __future__ import annotations

from setwise.corpus.sources.scans.games import ScannedGames
from setwise.corpus.sources.scans.source import Scan, part_of_scan, recognised, scan_in

__all__ = ["Scan", "ScannedGames", "part_of_scan", "recognised", "scan_in"]
