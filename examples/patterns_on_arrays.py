"""Patterns on arrays: where White's knights could have forked in the famous games, all positions at once."""

from pathlib import Path

import numpy as np

from setwise import Bitboard, knight, read_pgn
from setwise.view import draw

GAMES = Path(__file__).with_name("famous_games.pgn")

for games in read_pgn(GAMES):  # batches of about half a megabyte of text: here there is one
    positions = games.positions()

    # Sets are columns of 64-bit words; a pattern takes them whole.
    knights = positions.white_pieces & positions.knights
    targets = positions.black_pieces & (positions.kings | positions.queens | positions.rooks)
    forks = knight.attacks(knights) & ~positions.white_pieces & knight.fork_targets(targets)

    found = np.flatnonzero(forks)
    print(f"{len(found)} of {len(positions)} positions offer a knight's fork of king, queen or rooks\n")

    # How often each square is one, seen from White: bit 0 is a1, bit 63 is h8.
    bits = np.unpackbits(forks.astype("<u8").view(np.uint8).reshape(-1, 8), axis=1, bitorder="little")
    for rank in bits.sum(axis=0).reshape(8, 8)[::-1]:
        print(" ".join(f"{count:4}" for count in rank))

    first = int(found[0])
    white, black = (games.tag(name)[int(positions.game[first])] for name in ("White", "Black"))
    print(f"\nThe first one: {white} – {black}")
    pieces, squares = positions[first].piece_strings()[0], Bitboard(int(forks[first]))
    print(draw(pieces, {"fork": squares}, color=False, unicode=True))
