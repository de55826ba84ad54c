"""Steps and symmetries, square by square."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from naive import Board, at, each

#: Files east and ranks north of every step.
STEPS = {
    "north": (0, 1),
    "south": (0, -1),
    "east": (1, 0),
    "west": (-1, 0),
    "north_east": (1, 1),
    "north_west": (-1, 1),
    "south_east": (1, -1),
    "south_west": (-1, -1),
}
KNIGHT_STEPS = {
    "no_no_ea": (1, 2),
    "no_ea_ea": (2, 1),
    "so_ea_ea": (2, -1),
    "so_so_ea": (1, -2),
    "so_so_we": (-1, -2),
    "so_we_we": (-2, -1),
    "no_we_we": (-2, 1),
    "no_no_we": (-1, 2),
}

#: Where each symmetry takes the square on a file and a rank.
SYMMETRIES = {
    "flip_vertical": lambda file, rank: (file, 7 - rank),
    "mirror_horizontal": lambda file, rank: (7 - file, rank),
    "rotate_180": lambda file, rank: (7 - file, 7 - rank),
    "rotate_90_clockwise": lambda file, rank: (rank, 7 - file),
    "rotate_90_anticlockwise": lambda file, rank: (7 - rank, file),
    "flip_diagonal": lambda file, rank: (rank, file),
    "flip_antidiagonal": lambda file, rank: (7 - rank, 7 - file),
}


def stepping(east: int, north: int) -> Callable[[Board], Board]:
    def step(squares: Board) -> Board:
        return each(lambda file, rank: at(squares, file - east, rank - north))

    return step


def imaging(symmetry: str) -> Callable[[Board], Board]:
    def image(squares: Board) -> Board:
        result = np.zeros_like(squares)
        for file in range(8):
            for rank in range(8):
                result[SYMMETRIES[symmetry](file, rank)] = squares[file, rank]
        return result

    return image


TWINS = {name: stepping(*way) for name, way in (STEPS | KNIGHT_STEPS).items()}
TWINS |= {name: imaging(name) for name in SYMMETRIES}
