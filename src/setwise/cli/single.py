"""Commands on one position: show, perft, tablebase, warmup."""

from __future__ import annotations

import os
import re
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from setwise.bitboard import Bitboard
from setwise.cli import options, terminal
from setwise.cli.command import Command, argument, option
from setwise.cli.options import ready
from setwise.cli.terminal import shows_colors, tell
from setwise.errors import OutputError, SetwiseError
from setwise.view.diagram import count

if TYPE_CHECKING:
    from setwise import Position


# -------------------------------------------------------------------- the commands on one position: show, perft, warmup


def _bitboard(text: str) -> Bitboard:
    try:
        return Bitboard(int(text.replace("_", ""), 0)) if text[:1].isdigit() else Bitboard(text)
    except ValueError as error:
        why = "" if text[:1].isdigit() else f": {error}"
        raise SetwiseError(
            f"{text!r:.60} is neither a FEN nor moves nor a set (0x…, a number, or squares like 'a1 h8'){why}"
        ) from None


#: The beginning of a text of moves that are numbered as in PGN.
_MOVES = re.compile(r"1\.+\s*[A-Za-z]")


class Show(Command, name="show"):
    """Draw a position, with features marked, or a set.

    A set is 0x…, a number, or squares like 'a1 h8'. A position is a FEN, or moves from the start such as "1. e4 e5"; it
    need not be possible in a game, and may lack kings; startpos is the start of a game.
    """

    what: tuple[str, ...] = argument("FEN|MOVES|SET")
    feature: tuple[str, ...] = option("--feature -f NAME", "Mark a feature: its name, or white_NAME, black_NAME.")
    why: str | None = option("--why MOVE", "Say why a move is not legal, and mark the pieces and squares that matter.")
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
            if self.feature or self.why:
                raise SetwiseError("a feature or a move needs a position: give a FEN instead of a set")
            board = _bitboard(text)
            _show(None, board, self.output, "black" if self.side == "black" else "white")
            print(f"\n{int(board):#018x}  {len(board)} squares: {' '.join(board.names()) or 'none'}")
            return
        ready(self.load)
        from setwise.position.position import typed_position

        position = typed_position(" ".join(self.what), chess960=self.chess960, strict=False)
        if self.feature:
            from setwise.features import SIDES
        marks: dict[str, Any] = {}
        values: dict[str, Any] = {}
        for name in self.feature:
            for column in [name] if name.partition("_")[0] in SIDES else [f"white_{name}", f"black_{name}"]:
                value = position.feature(column)
                (marks if isinstance(value, Bitboard) else values)[column] = value
        reason = position.why_not(self.why) if self.why else None
        if reason is not None:
            marks |= {
                name: squares for name, squares in reason._asdict().items() if isinstance(squares, Bitboard) and squares
            }
        mover = "white" if position.white_to_move else "black"
        _show(position, marks or None, self.output, mover if self.side == "mover" else self.side)
        print(f"\n{position.fen()}")
        if faults := position.faults():
            print(f"no game reaches this: {'; '.join(faults)}")
        for column, value in values.items():
            print(f"{column} = {value}")
        if self.why:
            print(f"{self.why} is legal" if reason is None else f"{self.why} is not legal: {reason.sentence}")


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
    """Count the sequences of legal moves that have a given length; --suite prints positions with their counts."""

    depth: int | None = argument("DEPTH", required=False, type=click.IntRange(0, 20))
    fen: tuple[str, ...] = argument("[FEN]")
    divide: bool = option("--divide", "Also count below each move.")
    threads: int = option("--threads N", "Count below different moves at once.", least=1, default=1)
    gpu: bool = option("--gpu", "Count on a graphics card.")
    suite: bool = option("--suite", "Positions with traps and their counts, as EPD.")
    json: bool = option("--json", "The suite as lines of JSON.")
    chess960: bool = options.chess960

    def run(self) -> None:
        """Print the counts."""
        if self.suite:
            self._suite()
            return
        if self.depth is None:
            raise click.UsageError("perft needs a DEPTH, such as `setwise perft 5`, or --suite")
        import time

        from setwise.position.position import typed_position

        ready()
        position = typed_position(" ".join(self.fen), chess960=self.chess960, strict=True)
        if self.gpu and (self.divide or self.threads > 1):
            raise click.UsageError("a card counts all moves together: --gpu goes without --divide and --threads")
        position.perft(2, gpu=self.gpu)  # compiles and loads the code, so that neither is timed
        started = time.perf_counter()
        if self.depth > 0 and (self.divide or self.threads > 1):
            counts = position.perft_divide(self.depth, threads=self.threads)
            total = sum(counts.values())
            for move, count in sorted((move.uci(), count) for move, count in counts.items()) if self.divide else ():
                print(f"{move}: {count}")
        else:
            total = position.perft(self.depth, gpu=self.gpu)
        seconds = time.perf_counter() - started
        print(total)
        tell(f"{seconds:.3f} s, {total / max(seconds, 1e-9) / 1e6:,.0f} million a second")

    def _suite(self) -> None:
        import json

        from setwise.engines.positions import suite

        for fen, counts in suite(chess960=self.chess960):
            epd = " ".join([fen, *(f";D{depth} {count}" for depth, count in counts.items())])
            print(json.dumps({"fen": fen, "counts": counts}) if self.json else epd)


class Warmup(Command, name="warmup"):
    """Compile all functions now, with progress, so that later runs need not."""

    def run(self) -> None:
        """Compile all functions that are not compiled yet."""
        from setwise.catalogue.warmup import warmup

        done = warmup(progress=sys.stderr.isatty())
        tell(f"{done.compiled} functions compiled, {done.kept} there already, {done.seconds:.1f} s")


# -------------------------------------------------------------------- the command tablebase: exact ends, made and asked


_BUILD = "build"
_GIVEN_AWAY = ("", ", which gives half a point away", ", which gives the point away")


class Tablebase(Command, name="tablebase"):
    """Make tables of all endings of up to four pieces, or show how a position ends.

    "setwise tablebase build" makes all tables, in about a minute and in 225 MB; with names, as in "build KQKR KPK", it
    makes only these tables and the tables that they lead to. Tables that exist are kept. The columns wdl, dtm and
    tablebase_loss read the tables.

    "setwise tablebase FEN" prints the result that the mover reaches with best play, and the result of each move.
    """

    what: tuple[str, ...] = argument("build [ENDING]...|FEN")
    folder: Path | None = option(
        "--folder FOLDER",
        "Where the tables are; by default what SETWISE_TABLEBASE names, else a folder among your data.",
    )  # fmt: skip
    threads: int | None = options.threads

    def run(self) -> None:
        """Make the tables, or print how a position ends."""
        if self.folder is not None:
            os.environ["SETWISE_TABLEBASE"] = str(self.folder)
        words = " ".join(self.what).split()
        if words[:1] == [_BUILD]:
            self._build(words[1:])
        else:
            ready()
            _show_ending(" ".join(self.what))

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
        size, seconds = built.size / 1e6, time.monotonic() - started
        tell(f"{count(len(built.made), 'table')} made{kept}, {size:.1f} MB in {built.folder}, in {seconds:.1f} s")


def _show_ending(fen: str) -> None:
    """Print how a position ends, and a line for each move, the best move first."""
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
    """A row for a move: its sort key, the move in SAN, and its effect in words."""
    after = position.play(move)
    result, moves, loss = after.wdl(), after.dtm(), position.tablebase_loss(move)
    if result is None or loss is None:
        return (2, 0), position.san(move), "no table says"
    # The count includes this move: if the opponent is mated in n moves after it, the mover mates in n + 1 moves.
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
