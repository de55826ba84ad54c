"""Square mappings, from their names alone."""

from __future__ import annotations


def naive_bits(mapping: str) -> list[int]:
    """The bit of each square, told by the names of the squares of the bits 0 and 1 alone."""
    corner, beside = mapping[:2], mapping[2:]
    files = "abcdefgh" if corner[0] == "a" else "hgfedcba"
    ranks = "12345678" if corner[1] == "1" else "87654321"
    along_rank = corner[1] == beside[1]
    places = ((rank, file) for rank in "12345678" for file in "abcdefgh")
    return [
        8 * ranks.index(rank) + files.index(file) if along_rank else 8 * files.index(file) + ranks.index(rank)
        for rank, file in places
    ]
