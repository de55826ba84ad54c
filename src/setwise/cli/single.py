"""The commands on one position: show, perft, warmup."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import click

from setwise.bitboard import Bitboard
from setwise.cli import options
from setwise.cli.command import Command, argument, option
from setwise.cli.options import ready
from setwise.cli.terminal import shows_colors, tell
from setwise.errors import OutputError, SetwiseError


def _position(words: tuple[str, ...], *, chess960: bool, strict: bool) -> Any:
    from setwise import Position
    from setwise.position.chess960 import names_rooks

    text = " ".join(words).strip()
    if text in {"", "startpos"}:
        return Position(chess960=chess960)
    return Position(text, chess960=chess960 or names_rooks(text), strict=strict)


def _bitboard(text: str) -> Bitboard:
    try:
        return Bitboard(int(text.replace("_", ""), 0)) if text[:1].isdigit() else Bitboard(text)
    except ValueError as error:
        why = "" if text[:1].isdigit() else f": {error}"
        raise SetwiseError(
            f"{text!r:.60} is neither a FEN nor moves nor a set (0x…, a number, or squares like 'a1 h8'){why}"
        ) from None


#: The beginning of moves as PGN numbers them.
_MOVES = re.compile(r"1\.+\s*[A-Za-z]")


class Show(Command, name="show"):
    """Draw a position, with features marked, or a set.

    A set is 0x…, a number, or squares like 'a1 h8'. A position is a FEN, or moves from the start such as "1. e4 e5"; it
    need not be possible in a game, and may lack kings; startpos is the start of a game.
    """

    what: tuple[str, ...] = argument(metavar="FEN|MOVES|SET", nargs=-1, required=True)
    feature: tuple[str, ...] = option(
        "--feature", "-f", metavar="NAME", multiple=True, help="Mark a feature: its name, or white_NAME, black_NAME."
    )
    output: Path | None = options.to_file(".svg .png", "Draw into a file")
    side: str = options.side
    chess960: bool = options.chess960
    load: tuple[str, ...] = options.load
    color: None = options.color

    def run(self) -> None:
        """Draw the board, and print the FEN or the squares."""
        if self.output is not None and self.output.suffix.lower() not in {".svg", ".png"}:
            raise OutputError(f"{self.output} should end in .svg or .png")
        text = " ".join(self.what).strip()
        if _MOVES.match(text):
            from setwise.corpus.query.move_tree import position_of

            self.what = (position_of(text).fen(),)
        elif "/" not in text and text != "startpos":
            if self.feature:
                raise SetwiseError("a feature needs a position: give a FEN instead of a set")
            board = _bitboard(text)
            _show(None, board, self.output, "black" if self.side == "black" else "white")
            print(f"\n{int(board):#018x}  {len(board)} squares: {' '.join(board.names()) or 'none'}")
            return
        ready(self.load)
        position = _position(self.what, chess960=self.chess960, strict=False)
        if self.feature:
            from setwise.features import SIDES
        marks: dict[str, Any] = {}
        values: dict[str, Any] = {}
        for name in self.feature:
            for column in [name] if name.partition("_")[0] in SIDES else [f"white_{name}", f"black_{name}"]:
                value = position.feature(column)
                (marks if isinstance(value, Bitboard) else values)[column] = value
        mover = "white" if position.white_to_move else "black"
        _show(position, marks or None, self.output, mover if self.side == "mover" else self.side)
        print(f"\n{position.fen()}")
        if faults := position.faults():
            print(f"no game reaches this: {'; '.join(faults)}")
        for column, value in values.items():
            print(f"{column} = {value}")


def _show(pieces: Any, marks: Any, output: Path | None, side: str) -> None:
    """Draw a board on the terminal, or into a file."""
    from setwise.view import board_svg, draw, png

    if output is None:
        print(draw(pieces, marks, color=shows_colors(), unicode=shows_colors(), side=side))
        return
    from setwise.system.files import written

    picture = board_svg(pieces, marks, side=side)
    try:
        data = png(picture) if output.suffix.lower() == ".png" else picture.encode() + b"\n"
    except ImportError as error:
        raise OutputError(f"{output}: {error}") from None
    with written(output) as file:
        file.write(data)
    tell(f"the board is drawn in {output}")


class Perft(Command, name="perft"):
    """Count the sequences of legal moves of a length."""

    depth: int = argument(metavar="DEPTH", type=click.IntRange(0, 20))
    fen: tuple[str, ...] = argument(metavar="[FEN]", nargs=-1)
    divide: bool = option("--divide", is_flag=True, help="Also count below each move.")
    threads: int = option(
        "--threads", metavar="N", type=click.IntRange(min=1), default=1, help="Count below different moves at once."
    )
    chess960: bool = options.chess960

    def run(self) -> None:
        """Print the counts."""
        import time

        ready()
        position = _position(self.fen, chess960=self.chess960, strict=True)
        position.perft(1)  # compiling and loading are not timed
        started = time.perf_counter()
        if self.depth > 0 and (self.divide or self.threads > 1):
            counts = position.perft_divide(self.depth, threads=self.threads)
            total = sum(counts.values())
            for move, count in sorted((move.uci(), count) for move, count in counts.items()) if self.divide else ():
                print(f"{move}: {count}")
        else:
            total = position.perft(self.depth)
        seconds = time.perf_counter() - started
        print(total)
        tell(f"{seconds:.3f} s, {total / max(seconds, 1e-9) / 1e6:,.0f} million a second")


class Warmup(Command, name="warmup"):
    """Compile all functions now, with progress, so that later runs need not."""

    def run(self) -> None:
        """Compile what is not compiled yet."""
        from setwise.catalogue.warmup import warmup

        done = warmup(progress=sys.stderr.isatty())
        tell(f"{done.compiled} functions compiled, {done.kept} there already, {done.seconds:.1f} s")
