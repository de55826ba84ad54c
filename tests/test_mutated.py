"""Texts with a few wrong bytes: no crash, and no other game in silence.

A mutated text is read as python-chess reads it, or the games are those of the text before, or a fault or a repair says
where it is not. What is left is sorted by kind, and each kind has a reason.
"""

from __future__ import annotations

import io
import logging
import random
from collections import Counter

import chess.pgn

from helpers.depth import depth
from setwise.game.batch import Block
from setwise.game.games import Games, texts_of

TEXTS = (
    """[Event "a"]\n[White "Alpha"]\n[Result "1-0"]\n
1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Bxc6 dxc6 5. O-O f6 6. d4 1-0\n
[Event "b"]\n[Result "1/2-1/2"]\n
1. d4 {a comment} 1... Nf6 $1 2. c4 (2. Nf3 g6 (2... e6)) 2... e6! 1/2-1/2\n
[Event "c"]\n
1. c4 *\n""",
    """[Event "x"]\n
1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6 6. Be3 e5 7. Nb3 Be6 8. f3 Be7 9. Qd2 O-O 0-1\n""",
    """[FEN "8/P6k/8/8/8/8/6Kp/8 w - - 0 1"]\n
1. a8=Q h1=Q+ 2. Qxh1+ Kg7 3. Qh5 { [%eval 5.1] [%clk 0:01:02] } *\n""",
)
#: What is put into the texts: words of PGN, words of people, and bytes.
WORDS = (
    *'0123456789.*-+#=xOoNBRQKabcdefgh/()[]{};%$!? \n"\t', "\n\n", "1-0", "½", "\u2013", "\u041a", "♘", "O-O", "e4",
    "Nf3", "e.p.", "--", "Z0", "{", "}", "(", ")", "[", "]", ";", "\ufeff", "\xa0", "é", "\x85", "…", "null", "1/2",
    "+-", "...",
)  # fmt: skip


def mutated(text: str, dice: random.Random) -> str:
    """Return a text after one to three changes."""
    for _ in range(dice.choice((1, 1, 1, 2, 3))):
        at = dice.randrange(len(text))
        end = at + dice.choice((0, 1, 1, 2, 4, 9))
        match dice.randrange(4):
            case 0:
                text = text[:at] + dice.choice(WORDS) + text[at:]
            case 1:
                text = text[:at] + text[end:]
            case 2:
                text = text[:at] + dice.choice(WORDS) + text[end:]
            case _:
                other = dice.randrange(len(text))
                text = text[:at] + text[other : other + end - at] + text[at:]
    return text


def lines(games: Games) -> list[list[str]]:
    return [[move.uci() for move in game.moves] for game in games]


def of_python_chess(text: str) -> list[list[str]] | None:
    """Return the main lines as python-chess reads them; None if it reports an error."""
    file, games = io.StringIO(text), []
    while (game := chess.pgn.read_game(file)) is not None:
        if game.errors:
            return None
        games.append([move.uci() for move in game.mainline_moves()])
    return games


def kind_of(text: str, before: list[list[str]]) -> str:
    """Read a text, and return how its games are related to those of the text before."""
    block = Block(text.encode(), "x", 0, 1)
    games = Games.parsed(block, notes=True, variations=True)
    said = [*games.faults(), *games.repairs()]
    [str(it) for it in said]
    games.comments(), games.evaluations(), games.nags(), games.results
    texts_of(games)
    list(games)
    assert lines(Games.parsed(block)) == lines(games), "the variations change the moves"
    again = Games.parsed(Block("\n\n".join(game.pgn() for game in games).encode(), "x", 0, 1))
    assert lines(again) == lines(games), "what is written is read as another game"
    now = lines(games)
    if now == before:
        return "same"
    if said:
        return "told"
    return "as python-chess" if of_python_chess(text) == now else "left"


def reason(text: str, before: list[list[str]]) -> str:
    """Return why a text is read otherwise than by python-chess, without a word."""
    now = lines(Games.parsed(Block(text.encode(), "x", 0, 1)))
    theirs = of_python_chess(text)
    moves, plies = [it for it in now if it], [it for it in theirs or () if it]
    if theirs is None:
        return "python-chess finds an error"
    if moves == plies:
        return "games without moves"
    if [move for game in moves for move in game] == [move for game in plies for move in game]:
        return "where a game ends"
    rest = iter(moves)
    return "a game more" if all(game in rest for game in plies) else "other moves"


logging.getLogger("chess.pgn").setLevel(logging.CRITICAL)


def test_a_text_with_a_few_wrong_bytes_is_no_other_game_in_silence() -> None:
    dice, kinds, left = random.Random(1), Counter[str](), Counter[str]()  # noqa: S311
    examples: dict[str, list[str]] = {}
    before = [lines(Games.parsed(Block(text.encode(), "x", 0, 1))) for text in TEXTS]
    for number in range(depth(400, 60_000)):
        text = mutated(TEXTS[number % 3], dice)
        try:
            kind = kind_of(text, before[number % 3])
        except Exception as error:
            error.add_note(repr(text))
            raise
        kinds[kind] += 1
        if kind == "left":
            why = reason(text, before[number % 3])
            left[why] += 1
            examples.setdefault(why, []).append(text)
    print(kinds, left)
    assert not examples.get("other moves"), examples["other moves"][:3]
