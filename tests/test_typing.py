"""What a type checker tells somebody who uses the package: nothing that has a type shows as Any."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import setwise

pytestmark = pytest.mark.slow

#: A user's file. Behind each line stands what it must reveal, or the error that it must be.
USER = """
import numpy as np
import setwise
from setwise import Bitboard, Game, Move, Position, Set, Flag, feature, find, islands, king, knight, pattern, pawns, sql
from setwise.features import Side
from setwise.squares import E4

board = np.zeros(3, np.uint64)
reveal_type(knight.attacks(E4))  # Bitboard
reveal_type(knight.attacks(Bitboard("e4")))  # Bitboard
reveal_type(setwise.knight.attacks(board))  # ndarray[tuple[Any, ...], dtype[unsignedinteger[_64Bit]]]
reveal_type(knight.attacks(board, out=board))  # ndarray[tuple[Any, ...], dtype[unsignedinteger[_64Bit]]]
reveal_type(king.distance(1, 2))  # int
reveal_type(king.distance(board, 2))  # ndarray[tuple[Any, ...], dtype[signedinteger[_8Bit]]]
reveal_type(islands.count(7))  # int
reveal_type(pawns.passed(board, board))  # ndarray[tuple[Any, ...], dtype[unsignedinteger[_64Bit]]]
reveal_type(knight.catches(1, 2, True))  # bool
reveal_type(pawns.passed.for_black(1, 2))  # Bitboard
reveal_type(king.distance.for_black(board, 2))  # ndarray[tuple[Any, ...], dtype[signedinteger[_8Bit]]]
knight.attacks("e4")  # error
knight.atacks(E4)  # error
setwise.nothing  # error
reveal_type(E4)  # int
reveal_type(Bitboard("e4") | 4)  # Bitboard

position = Position()
reveal_type(position.play("e4"))  # Position
reveal_type(position.legal_moves())  # list[Move]
reveal_type(position.legal_moves)  # LegalMoves
reveal_type([move for move in position.legal_moves])  # list[Move]
reveal_type("e4" in position.legal_moves)  # bool
reveal_type(position.attacks("e4"))  # Bitboard
reveal_type(position.is_game_over())  # bool
reveal_type(position.piece_map())  # dict[int, str]
reveal_type(Move.from_uci("e2e4"))  # Move
reveal_type(Game.from_pgn("*").play("e4"))  # Game
position.push("e4")  # error

reveal_type(setwise.columns())  # dict[str, str]
reveal_type(setwise.connect("games.pgn"))  # DuckDBPyConnection
for batch in setwise.read_pgn("games.pgn"):
    reveal_type(batch)  # Games
    reveal_type(batch[0])  # Game
    reveal_type(batch.positions().feature("white_fork_squares"))  # ndarray[tuple[Any, ...], dtype[Any]]
find("is_check", "games.pgn", limit="many")  # error
find(7, "games.pgn")  # error
sql("select 1", "games.pgn", thread=2)  # error


@pattern
def rim(knights: Set) -> Set:
    found = np.uint64(0)
    found |= knights & np.uint64(0x8181818181818181)
    return found


@feature
def lonely(side: Side) -> Flag:
    return np.uint64(side.own == side.kings & side.own)


reveal_type(rim(1))  # Bitboard
reveal_type(rim(board))  # ndarray[tuple[Any, ...], dtype[unsignedinteger[_64Bit]]]
reveal_type(rim)  # Pattern[[knights: unsignedinteger[_64Bit] | SetWord], SetWord]
reveal_type(lonely)  # Feature[FlagWord]
"""

#: Kernels with their arguments in the wrong places, or of the wrong kinds.
KERNELS = """
import numpy as np
from setwise.compiler import Count, Fileset, Flag, Set, Square, entry, pattern, popcount, routine, trailing_zeros
from setwise.compiler.kinds import uint64
from setwise.features.registry import Side, own_attacks
from setwise.notation.fen import write_fen
from setwise.notation.moves import resolve
from setwise.notation.moves import read_san, write_san
from setwise.notation.text import find
from setwise.notation.text import write_square
from setwise.patterns import islands, knight, sliders
from setwise.patterns.bits import EMPTY, ONE, bit
from setwise.rules.board import Board, attackers, king_square
from setwise.rules.board import NORMAL, TO_QUEEN, origin_of
from setwise.rules.board import KNIGHT
from setwise.rules.board import State


@routine
def seen(square: Square, occupied: Set) -> Set:
    return sliders.rook_attacks(square, occupied) | knight.attacks(bit(square))


@entry(uint64, uint64, uint64)
def seen_twice(square: Square, occupied: Set) -> Set:
    return seen(occupied, square)  # error


@pattern
def reached(knights: Set) -> Set:
    squares: Set = EMPTY
    while knights != EMPTY:
        square = trailing_zeros(knights)
        knights &= knights - ONE
        squares |= seen(square, knights) | seen_twice(square, knights)
    return squares


@routine
def wrong(side: Side, square: Square, files: Fileset, number: Count, waits: Flag) -> Set:
    knight.attacks(square)  # error
    knight.attacks(files)  # error
    sliders.rook_attacks(side.own, square)  # error
    sliders.rook_attacks(square, square)  # error
    seen(square, number)  # error
    seen_twice(side.own, square)  # error
    seen_twice(square, trailing_zeros(side.own))  # error
    own_attacks(side.own, side, side.own)  # error
    reached(popcount(side.own))  # error
    islands.count(side.own)  # error
    bit(side.own)  # error
    side.own & square  # error
    side.own << side.enemy  # error
    waits & files  # error
    knight.attacks(np.uint64(square))
    return square  # error


@routine
def wrong_on_boards(board: Board, side: Side, square: Square) -> Set:
    king_square(side)  # error
    origin_of(square)  # error
    attackers(board, board.own, square)  # error
    return attackers(board, king_square(board), board.own)


@routine
def wrong_in_texts(text: np.ndarray, board: Board, state: State, square: Square, flip: np.uint64) -> int:
    find(text, square, text[0], text[1])  # error
    write_square(board.own, text, 0)  # error
    resolve(board, KNIGHT, board.own, flip, flip, NORMAL)  # error
    resolve(board, KNIGHT, square, flip, flip, NORMAL)
    read_san(text, 0, text.size, state, flip)  # error
    read_san(text, 0, board, text.size, flip)  # error
    write_san(board, square, flip, False, text, 0)  # error
    write_san(board, read_san(text, 0, text.size, board, flip), flip, False, text, 0)  # error
    at = write_san(board, read_san(text, 0, text.size, board, flip)[0], flip, False, text, 0)
    write_fen(board, flip, text, at)  # error
    square = resolve(board, KNIGHT, square, flip, flip, TO_QUEEN)  # error
    return write_fen(state, flip, text, at)
"""


#: Every public name: of setwise, and of the modules among them.
NAMES = (Path(__file__).with_name("public_names.txt")).read_text("utf-8").split()


def short(revealed: str) -> str:
    """A type without the modules that its parts come from."""
    return re.sub(r"\b(?:\w+\.)+(?=\w)", "", revealed)


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[int, str]]:
    """What mypy tells of each line, of a user's file and of one that reveals every public name."""
    pytest.importorskip("mypy")
    folder = tmp_path_factory.mktemp("types")
    (folder / "user.py").write_text(USER)
    (folder / "kernels.py").write_text(KERNELS)
    (folder / "names.py").write_text("\n".join(["import setwise", *(f"reveal_type({name})" for name in NAMES)]))
    (folder / "mypy.ini").write_text("[mypy]\nstrict = true\n")
    process = subprocess.run(
        [
            sys.executable,
            "-m",
            "mypy",
            "--no-error-summary",
            "--cache-dir",
            folder / "cache",
            "user.py",
            "kernels.py",
            "names.py",
        ],
        cwd=folder,
        env=os.environ | {"MYPYPATH": str(Path(setwise.__file__).parents[1])},
        capture_output=True,
        text=True,
        check=False,
    )
    print(process.stdout, process.stderr)
    lines: dict[str, dict[int, str]] = {"user": {}, "kernels": {}, "names": {}}
    for line in process.stdout.splitlines():
        if found := re.match(r'(user|kernels|names)\.py:(\d+): (?:note: Revealed type is "(.*)"|error)', line):
            lines[found[1]].setdefault(int(found[2]), short(found[3]) if found[3] else "error")
    return lines


def test_a_users_file_shows_the_types_of_what_it_uses(told: dict[str, dict[int, str]]) -> None:
    expected = {number: line.partition("  # ")[2] for number, line in enumerate(USER.splitlines(), 1) if "  # " in line}
    assert told["user"] == expected


def test_a_square_is_no_set_and_a_set_no_square(told: dict[str, dict[int, str]]) -> None:
    expected = {number for number, line in enumerate(KERNELS.splitlines(), 1) if line.endswith("  # error")}
    assert set(told["kernels"]) == expected


def test_every_public_name_has_a_type(told: dict[str, dict[int, str]]) -> None:
    """Topics, and what they hold: no name that Python finds is missing for a type checker, or anything at all to it."""
    types = dict(zip(NAMES, (told["names"].get(line) for line in range(2, len(NAMES) + 2)), strict=True))
    assert {name for name, it in types.items() if it in {None, "error", "Any"}} == set()
    assert {name for name, it in types.items() if it == "ModuleType"} == {
        f"setwise.{name}" for name in setwise.__all__ if isinstance(getattr(setwise, name), ModuleType)
    }
