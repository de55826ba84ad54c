"""Where an engine generates a wrong move: its counts below each move are compared, down to that position."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from setwise.errors import IllegalMove, SetwiseError
from setwise.position.position import Position

if TYPE_CHECKING:
    from setwise.engines.uci import Engine

#: A move in coordinates or in SAN, and the number after it, on one line of what an engine prints.
_LINE = re.compile(
    r"(?<![\w-])([KQRBNP]?[a-h][1-8][-x]?[a-h][1-8]=?[qrbnQRBN]?|[KQRBN]?[a-h]?[1-8]?x?[a-h][1-8](?:=?[QRBN])?[+#]?"
    r"|[O0]-[O0](?:-[O0])?[+#]?)(?!\w)[^\w\n]*(?:nodes\W+|moves\W+|count\W+)?(\d[\d,'_]*)"
)


_AGREE = "all "


def counts_in(text: str, position: Position) -> dict[str, int]:
    r"""Return the counts that a divided perft of another program has, by the moves in UCI.

    Moves may be in UCI, in long or short algebraic notation; castling is ``e1g1``, ``e1h1`` or ``O-O``. A move that is
    not legal is returned as it is written. Lines without a move, as totals are, do not count.

    Example:
        >>> from setwise import Position
        >>> from setwise.engines.divide import counts_in
        >>> counts_in("a2a3: 20\n2. Ng1-f3  1,234\nd4 - 20 nodes\n\nNodes searched: 400", Position())
        {'a2a3': 20, 'g1f3': 1234, 'd2d4': 20}
    """
    moves = {move: position.uci(move) for move in position.legal_moves()}
    others = {move.uci(not position.chess960): name for move, name in moves.items() if move.is_castling}
    names = others | {name: name for name in moves.values()}  # a castling may look like a step of the king
    counts: dict[str, int] = {}
    for written, digits in _LINE.findall(text):
        name = re.sub("^[KQRBNP]|[-x=]", "", written).lower()
        if not re.fullmatch("[a-h][1-8][a-h][1-8][qrbn]?", name):
            try:
                name = position.uci(position.parse_san(written))
            except (IllegalMove, SetwiseError):
                name = written
        counts[names.get(name, name)] = int(re.sub(r"\D", "", digits))
    return counts


def _differences(
    position: Position, depth: int, theirs: dict[str, int]
) -> Iterator[tuple[str, int | None, int | None]]:
    """The moves with different counts, each with both counts: wrong moves first, then missing moves, then others."""
    ours = {position.uci(move): count for move, count in position.perft_divide(depth).items()}
    rows = [(move, ours.get(move), theirs.get(move)) for move in sorted({*ours, *theirs})]
    different = [row for row in rows if row[1] != row[2]]
    return iter(sorted(different, key=lambda row: (row[1] is not None, row[2] is not None)))


def compared(position: Position, depth: int, text: str) -> tuple[str, str]:
    """Compare what another program prints with the counts of a position.

    Returns:
        A sentence, and the move to look below: empty if everything agrees, or if the wrong move is found.

    Raises:
        SetwiseError: the text has no counts.
    """
    theirs = counts_in(text, position)
    if not theirs and position.legal_moves():
        raise SetwiseError("no line has a move and a count, such as `e2e4: 20`")
    move, ours, other = next(_differences(position, depth, theirs), ("", None, None))
    if not move:
        return f"{_AGREE}{len(theirs)} moves agree, {sum(theirs.values()):,} leaves", ""
    if other is None:
        return f"{move} is legal, and the engine does not have it, in {position.fen('xfen')}", ""
    if ours is None:
        return f"the engine has {_why_illegal(position, move)}", ""
    sentence = f"{move} has {ours:,} leaves, the engine counts {other:,}"
    return sentence, move if depth > 1 else ""


def _why_illegal(position: Position, move: str) -> str:
    try:
        position.parse(move)
    except SetwiseError as error:
        return str(error)
    return f"{move}, which is not legal in {position.fen('xfen')}"


def descend(position: Position, depth: int, engine: Engine) -> Iterator[str]:
    """Go down from a position to the move that an engine generates wrongly; yield a sentence for each ply.

    The engine plays the moves itself, so that a wrong position after a move shows. If its moves are right when it reads
    a FEN instead, the last sentence names the move that it makes wrongly. It is empty if the engine agrees at once.
    """
    path, played = [position], list[str]()
    while True:
        engine.place(position, played)
        sentence, move = compared(path[-1], depth, engine.perft(depth))
        agrees = sentence.startswith(_AGREE)
        after = f"after {' '.join(played)}: " if played else ""
        if agrees and played:
            sentence += ": the sum above is wrong, not the moves: unmaking a move, or a table of counts"
        yield after + sentence
        if agrees and not played:
            yield ""
        if not move:
            break
        played.append(move)
        path.append(path[-1].play(move))
        depth -= 1
    for made in range(1, 1 if agrees else len(played) + 1):
        engine.place(path[made], played[made:])
        if compared(path[-1], depth, engine.perft(depth))[0].startswith(_AGREE):
            yield f"From the FEN after {played[made - 1]} its moves are right: it makes this move wrongly."
            break


def next_step(position: Position, depth: int, move: str) -> str:
    """Return how to go on below a move without driving the engine: what to ask it, and what to run with its answer."""
    there = position.play(move)
    return (
        f"Ask the engine below this move, and save its answer in a file:\n\n"
        f"    position fen {position.fen('xfen')} moves {move}\n    go perft {depth - 1}\n\n"
        f'    setwise divide "{there.fen("xfen")}" {depth - 1} --against FILE'
    )
