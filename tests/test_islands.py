"""Pawn islands, for all 256 filesets."""

from __future__ import annotations

import numpy as np
import pytest

from helpers.drawing import difference
from naive.pawns import COLUMNS
from setwise.bitboard import Bitboard
from setwise.patterns import islands, pawns

FILESETS = np.arange(256, dtype=np.uint8)
OWN = COLUMNS["pawns"]


def test_the_tables_are_the_functions() -> None:
    assert islands.COUNT.dtype == islands.ISOLATED.dtype == np.uint8
    assert not difference(islands.COUNT, islands.count(FILESETS), FILESETS)
    assert not difference(islands.ISOLATED, islands.isolated_files(FILESETS), FILESETS)


def test_the_tables_of_squares_find_the_pawns() -> None:
    filesets = islands.fileset(OWN)
    assert not difference(OWN & islands.ISOLATED_SQUARES[filesets], pawns.isolated(OWN), OWN)
    assert not difference(OWN & islands.HALF_ISOLATED_SQUARES[filesets], pawns.half_isolated(OWN), OWN)
    assert islands.fileset(islands.ISOLATED_SQUARES).tolist() == islands.ISOLATED.tolist()


def test_islands_of_all_widths_are_the_whole_fileset() -> None:
    parts = [islands.of_width(FILESETS, width) for width in range(1, 9)]
    assert not difference(np.bitwise_or.reduce(parts), FILESETS)
    assert not difference(sum(parts), FILESETS)  # no file is in two of them


def test_each_island_has_one_border_of_either_kind() -> None:
    west, east = islands.west_files(FILESETS), islands.east_files(FILESETS)
    assert not difference(np.bitwise_count(west), np.bitwise_count(east), FILESETS)
    assert not difference(west & east, islands.isolated_files(FILESETS), FILESETS)
    assert not difference(west ^ east, islands.half_isolated_files(FILESETS), FILESETS)
    assert int(islands.count(FILESETS).max()) == 4


def test_the_published_example_has_its_islands() -> None:
    white = islands.fileset(Bitboard("a2 b3 c2 f3 g2 h2"))
    black = islands.fileset(Bitboard("a7 b6 d6 e6 g6 h7"))
    files = {name: 1 << file for file, name in enumerate("abcdefgh")}
    assert islands.west_files(white) == files["a"] | files["f"]
    assert islands.east_files(white) == files["c"] | files["h"]
    assert (islands.count(white), islands.isolated_files(white), islands.count(black)) == (2, 0, 3)


def test_a_board_is_no_fileset() -> None:
    """h2 and a3 are neighbours in the word and not on the board; the door refuses what is not eight bits."""
    h2_and_a3 = Bitboard("h2 a3")
    with pytest.raises(TypeError, match=r"is a fileset, 0 to 0xff, and .* is a set of squares"):
        islands.count(h2_and_a3)
    with pytest.raises(ValueError, match="the array goes beyond"):
        islands.isolated_files(np.array([h2_and_a3], np.uint64))
    assert islands.count(islands.fileset(h2_and_a3)) == 2
    with pytest.raises(ValueError, match="width"):
        islands.of_width(0xFF, 9)
