"""Commands for authors of engines: generator, divide, positions, uci-check."""

from __future__ import annotations

import json
import re
from pathlib import Path

import click

from setwise.cli import options
from setwise.cli.command import Command, argument, option
from setwise.cli.options import ready
from setwise.errors import SetwiseError


class Generator(Command, name="generator"):
    """Print a whole generator of legal moves as one source file, with perft, UCI, and a test by the suite.

    The rules in it are setwise's own definitions, translated. The first lines of the file say how it is compiled.
    """

    language: str = option("--lang -l LANGUAGE", "c or rust.", default="c")

    def run(self) -> None:
        """Print the source text."""
        from setwise.catalogue.generator import generator

        print(generator(self.language), end="")


class Divide(Command, name="divide"):
    """Compare the counts below each move with those of another engine, and find the move that it generates wrongly.

    `--engine ./engine` drives a program that speaks UCI and knows "go perft", down to the position of the fault.
    `--against FILE` compares one answer, in Stockfish's format or another with a move and a count on each line, and
    says what to ask next. Without either, the counts are printed. The exit code is 1 if the engine is wrong.
    """

    words: tuple[str, ...] = argument("[FEN] DEPTH", required=True)
    against: Path | None = option("--against FILE", "The answer of another engine; - is the input.")
    engine: str | None = option("--engine COMMAND", "A program that speaks UCI.")
    chess960: bool = options.chess960

    def run(self) -> int:
        """Print the counts, or what differs; return 1 if something does."""
        ready()
        from setwise.engines import divide
        from setwise.position.position import typed_position

        depth_at = 0 if self.words[0].isdecimal() else len(self.words) - 1  # first, as perft has it, or last
        if not re.fullmatch("[1-9]|1[0-9]|20", self.words[depth_at]):
            raise SetwiseError("a divided perft needs a depth from 1 to 20: setwise divide FEN DEPTH")
        depth, fen = int(self.words[depth_at]), self.words[:depth_at] + self.words[depth_at + 1 :]
        position = typed_position(" ".join(fen), chess960=self.chess960, strict=True)
        if self.engine is not None:
            from setwise.engines.uci import Engine

            with Engine(self.engine) as engine:
                sentences = list(divide.descend(position, depth, engine))
            print("\n".join(filter(None, sentences)))
            return 0 if sentences[-1] == "" else 1
        if self.against is None:
            counts = position.perft_divide(depth)
            print("\n".join(sorted(f"{position.uci(move)}: {count}" for move, count in counts.items())))
            print(f"\n{sum(counts.values())}")
            return 0
        with click.open_file(str(self.against), errors="replace") as file:
            sentence, move = divide.compared(position, depth, file.read())
        print(sentence)
        if move:
            print(f"\n{divide.next_step(position, depth, move)}")
        return 0 if sentence.startswith("all ") else 1


class Positions(Command, name="positions"):
    """Print random positions that games can reach, as FENs, to test an engine with; a seed selects them.

    The kinds are game, endgame, many-queens, en-passant and chess960; broken prints texts that are almost FENs.
    """

    number: int = option("--random N", "How many.", least=1, default=10)
    seed: int = option("--seed S", "Selects the positions.", show_default=True, default=0)
    kind: str = option("--kind KIND", "What is random.", default="game")
    moves: bool = option("--moves", "As JSON, with all legal moves in UCI and SAN.")

    def run(self) -> None:
        """Print the positions."""
        ready()
        from setwise.engines.positions import broken_fens, random_positions

        if self.kind == "broken":
            if self.moves:
                raise SetwiseError("broken FENs have no moves")
            print("\n".join(broken_fens(self.number, self.seed)))
            return
        for position in random_positions(self.number, self.seed, self.kind):
            if self.moves:
                moves = {position.uci(move): position.san(move) for move in position.legal_moves()}
                print(json.dumps({"fen": position.fen(), "moves": moves}))
            else:
                print(position.fen())


class UciCheck(Command, name="uci-check"):
    """Check a program that speaks UCI: legal moves only, answers in time, no crash on broken FENs.

    The exit code is 1 if something is wrong.
    """

    engine: str = argument("ENGINE")
    number: int = option("--random N", "How many positions, and how many broken FENs.", least=1, default=40)
    seed: int = option("--seed S", "Selects the positions.", show_default=True, default=0)
    movetime: int = option("--movetime MS", "The milliseconds for a move.", least=1, default=50)

    def run(self) -> int:
        """Print a line for each check; return 1 if one fails."""
        ready()
        from setwise.engines.uci import check

        failed = 0
        for what, wrong in check(self.engine, number=self.number, seed=self.seed, movetime=self.movetime):
            failed += bool(wrong)
            print(f"{'wrong' if wrong else 'right'}  {what}{': ' * bool(wrong)}{wrong}", flush=True)
        return 1 if failed else 0
