"""Other forms of islands, on filesets."""

from __future__ import annotations

import numpy as np

from setwise.catalogue.forms.form import form
from setwise.compiler import Count, Fileset, Width, popcount
from setwise.patterns.bits import (
    EMPTY,
    ONE,
)
from setwise.patterns.islands import COUNT, ISOLATED, east_files, west_files


@form("islands.east_files")
def _east_by_changes(files: Fileset) -> Fileset:
    """By the changes between neighbours, those inside the fileset alone."""
    neighbours = files >> ONE  # each file, seen from the one to its west
    changes = files ^ neighbours  # where a file and the next one to its east differ
    return files & changes  # occupied, the next one not: the east file of each island


@form("islands.east_files")
def _east_by_removal(files: Fileset) -> Fileset:
    """Without the files that have a neighbour in the east: `and` spreads over `xor`."""
    return files ^ (files & (files >> ONE))


@form("islands.west_files")
def _west_by_changes(files: Fileset) -> Fileset:
    """By the changes between neighbours, those inside the fileset alone."""
    neighbours = files << ONE  # each file, seen from the one to its east
    changes = files ^ neighbours  # where a file and the next one to its west differ
    return files & changes  # occupied, the next one not: the west file of each island


@form("islands.west_files")
def _west_by_removal(files: Fileset) -> Fileset:
    """Without the files that have a neighbour in the west: `and` spreads over `xor`."""
    return files ^ (files & (files << ONE))


@form("islands.count")
def _count_of_borders(files: Fileset) -> Count:
    """As many islands as east borders, or west borders."""
    return popcount(east_files(files))


@form("islands.count")
def _count_by_lookup(files: Fileset) -> Count:
    """By lookup."""
    return np.uint64(COUNT[files])


@form("islands.isolated_files")
def _isolated_by_borders(files: Fileset) -> Fileset:
    """What is an east border and a west border."""
    easts = east_files(files)  # the east file of each island
    wests = west_files(files)  # the west file of each island
    return easts & wests  # both at once: an island one file wide


@form("islands.isolated_files")
def _isolated_by_lookup(files: Fileset) -> Fileset:
    """By lookup."""
    return np.uint64(ISOLATED[files])


@form("islands.half_isolated_files")
def _half_isolated_by_borders(files: Fileset) -> Fileset:
    """What is one border and not the other."""
    easts = east_files(files)  # the east file of each island
    wests = west_files(files)  # the west file of each island
    return easts ^ wests  # one of the two: xor drops the isolated files


@form("islands.of_width")
def _of_width_by_peeling(files: Fileset, width: Width) -> Fileset:
    """By peeling the east file off again and again, and growing back what was just so wide."""
    rest = files if width != EMPTY else EMPTY  # the fileset
    for _ in range(1, width):
        rest = rest & rest >> ONE  # without the east file of each island
    rest = rest & ~(rest << ONE | rest >> ONE)  # of an island just so wide, one file is left
    for _ in range(1, width):
        rest = rest | rest << ONE  # grown back to the east
    return rest
