"""The commands on one position: show, perft, warmup."""

from __future__ import annotations

import re
import sys
from typing import Annotated, Any

import typer

from setwise.bitboard import Bitboard
from setwise.cli.terminal import shows_colors
from setwise.errors import SetwiseError


def add_to(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("show")(show_command)
    app.command("perft")(perft_command)
    app.command("warmup")(warmup_command)


#: Castling letters that are files of rooks, not sides.
_FILES_OF_ROOKS = re.compile(r"\S+\s+[wb]\s+[KQkq]*[A-HJa-hj]")

Chess960 = Annotated[bool, typer.Option("--chess960", help="Castling as in Chess960; seen by itself in Shredder-FEN.")]


def _position(words: list[str] | None, *, chess960: bool, strict: bool) -> Any:
    from setwise import Position

    text = " ".join(words or []).strip()
    if text in {"", "startpos"}:
        return Position(chess960=chess960)
    return Position(text, chess960=chess960 or bool(_FILES_OF_ROOKS.match(text)), strict=strict)


def _bitboard(text: str) -> Bitboard:
    try:
        return Bitboard(int(text.replace("_", ""), 0)) if text[:1].isdigit() else Bitboard(text)
    except ValueError as error:
        raise SetwiseError(
            f"{text!r:.60} is neither a FEN nor a set (0x…, a number, or squares like 'a1 h8'): {error}"
        ) from None


def show_command(
    what: Annotated[
        list[str], typer.Argument(metavar="FEN|BITBOARD", help="A FEN, startpos, 0x… or squares like 'a1 h8'.")
    ],
    feature: Annotated[
        list[str] | None,
        typer.Option(
            "--feature", "-f", help="Mark a feature: its name, or white_NAME, black_NAME.", show_default=False
        ),
    ] = None,
    chess960: Chess960 = False,
) -> None:
    """Draw a position, with features marked, or a set. The position may be for teaching, without kings."""
    from setwise.features import SIDES
    from setwise.view import draw

    text = " ".join(what).strip()
    color = shows_colors()
    if "/" not in text and text != "startpos":
        if feature:
            raise SetwiseError("a feature needs a position: give a FEN instead of a set")
        board = _bitboard(text)
        print(draw(marks=board, color=color, unicode=color))
        print(f"\n{int(board):#018x}  {len(board)} squares: {' '.join(board.names()) or 'none'}")
        return
    position = _position(what, chess960=chess960, strict=False)
    marks: dict[str, Any] = {}
    values: dict[str, Any] = {}
    for name in feature or []:
        for column in [name] if name.partition("_")[0] in SIDES else [f"white_{name}", f"black_{name}"]:
            found = position.feature(column)
            (marks if isinstance(found, Bitboard) else values)[column] = found
    print(draw(position.piece_string(), marks or None, color=color, unicode=color))
    print(f"\n{position.fen()}")
    if faults := position.faults():
        print(f"no game reaches this: {'; '.join(faults)}")
    for column, value in values.items():
        print(f"{column} = {value}")


def perft_command(
    depth: Annotated[int, typer.Argument(metavar="DEPTH", min=0, max=20, help="How many moves deep.")],
    fen: Annotated[
        list[str] | None, typer.Argument(metavar="[FEN]", help="A position; else the start.", show_default=False)
    ] = None,
    divide: Annotated[bool, typer.Option("--divide", help="Also count below each move.")] = False,
    threads: Annotated[int, typer.Option("--threads", min=1, help="Count below different moves at once.")] = 1,
    chess960: Chess960 = False,
) -> None:
    """Count the sequences of legal moves of a length."""
    import time

    position = _position(fen, chess960=chess960, strict=True)
    position.perft(1)  # whatever must be compiled or loaded is not timed
    started = time.perf_counter()
    if depth > 0 and (divide or threads > 1):
        counts = position.perft_divide(depth, threads=threads)
        total = sum(counts.values())
        for move, count in sorted((move.uci(), count) for move, count in counts.items()) if divide else ():
            print(f"{move}: {count}")
    else:
        total = position.perft(depth)
    seconds = time.perf_counter() - started
    print(total)
    print(f"setwise: {seconds:.3f} s, {total / max(seconds, 1e-9) / 1e6:,.0f} million a second", file=sys.stderr)


def warmup_command() -> None:
    """Compile everything once, with progress, so that nothing has to later."""
    from setwise.catalogue.warmup import warmup

    done = warmup(progress=sys.stderr.isatty())
    print(
        f"setwise: {done.compiled} functions compiled, {done.kept} there already, {done.seconds:.1f} s", file=sys.stderr
    )
