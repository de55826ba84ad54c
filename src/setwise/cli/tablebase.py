"""The command tablebase: exact ends, made and asked."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from setwise.cli import options, terminal
from setwise.cli.command import Command, argument, option
from setwise.cli.options import ready
from setwise.cli.terminal import tell
from setwise.errors import SetwiseError

if TYPE_CHECKING:
    from setwise import Position

_BUILD = "build"
_GIVEN_AWAY = ("", ", which gives half a point away", ", which gives the point away")


class Tablebase(Command, name="tablebase"):
    """Make tables of all endings of up to four pieces, or say how a position ends.

    "setwise tablebase build" makes them, in about a minute and in 225 MB; names after it, as in "build KQKR KPK", only
    these and what they lead to. What is there is kept. The columns wdl, dtm and tablebase_loss read the tables.

    "setwise tablebase FEN" prints what the mover reaches with best play, and what each move does.
    """

    what: tuple[str, ...] = argument(metavar="build [ENDING]...|FEN", nargs=-1, required=True)
    folder: Path | None = option(
        "--folder", metavar="FOLDER", type=click.Path(path_type=Path),
        help="Where the tables are; by default what SETWISE_TABLEBASE names, else a folder among your data.",
    )  # fmt: skip
    threads: int | None = options.threads

    def run(self) -> None:
        """Make the tables, or print the ends of a position."""
        if self.folder is not None:
            os.environ["SETWISE_TABLEBASE"] = str(self.folder)
        words = " ".join(self.what).split()
        if words[:1] == [_BUILD]:
            self._build(words[1:])
        else:
            ready()
            _show(" ".join(self.what))

    def _build(self, names: list[str]) -> None:
        ready()
        from setwise.tablebases.files import build_tablebase, default_folder

        started, done = time.monotonic(), list[str]()

        def show(name: str) -> None:
            done.append(name)
            terminal.progress(f"{len(done)} tables made, the last {name}")

        try:
            built = build_tablebase(None, names, threads=self.threads, on_table=show)
        except KeyboardInterrupt:
            tell(f"{len(done)} tables are in {default_folder()}; the same command makes the others")
            raise
        kept = f", {len(built.kept)} there already" if built.kept else ""
        seconds = time.monotonic() - started
        tables = "1 table" if len(built.made) == 1 else f"{len(built.made)} tables"
        tell(f"{tables} made{kept}, {built.size / 1e6:.1f} MB in {built.folder}, in {seconds:.1f} s")


def _show(fen: str) -> None:
    """Print how a position ends, and a line for each move, the best first."""
    from setwise import Position

    position = Position(fen)
    result = position.wdl()
    if result is None:
        raise SetwiseError(
            f"no table holds this position of {len(position.occupied)} pieces"
            f"{' with castling' if position.castling_rights else ''}: {position.fen()}"
        )
    side = "White" if position.white_to_move else "Black"
    print(f"{side} {_outcome(result, position.dtm())}")
    rows = [_row(position, move) for move in position.legal_moves]
    width = max((len(san) for _, san, _ in rows), default=0)
    for _, san, text in sorted(rows):
        print(f"  {san:{width}}  {text}")


def _row(position: Position, move: Any) -> tuple[tuple[int, int], str, str]:
    """Its place among the others, the move in SAN, and what it does."""
    after = position.play(move)
    result, moves, loss = after.wdl(), after.dtm(), position.tablebase_loss(move)
    if result is None or loss is None:
        return (2, 0), position.san(move), "no table says"
    # Counted with this move: who is mated in n moves then is mated in n and one, with this one.
    counted = None if moves is None else 1 - moves if moves <= 0 else -moves
    slowest_last = 0 if counted is None else counted
    return (result, slowest_last), position.san(move), _outcome(-result, counted) + _GIVEN_AWAY[loss]


def _outcome(result: int, moves: int | None) -> str:
    if result == 0:
        return "draws"
    if moves is None:
        return "wins" if result > 0 else "loses"
    if result > 0:
        return f"mates in {moves}"
    return f"is mated in {-moves}" if moves else "is mated"
