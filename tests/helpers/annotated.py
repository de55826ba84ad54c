"""Annotated games of our making, written as people and programs write them, and trees of games to compare."""

from __future__ import annotations

import random
from typing import Any, NamedTuple

import chess
import chess.pgn

from setwise import Game, Variation

_WORDS = [
    "best",
    "a (bad) one",
    "why; not",
    "[%clk 0:01:02]",
    "two\nlines",
    "Zug um Zug",
    "(",
    ")",
    "é",
    "$5 e4",
    "[%eval 0.3]",
]
_SUFFIXES = ["", "", "", "", "!", "?", "!!", "??", "!?", "?!"]
_STARTS = [
    "", "", "", "", "", "",
    '[FEN "r3k2r/pPppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBP1P/R3K2R b KQkq - 0 1"]\n[SetUp "1"]\n',
    '[FEN "8/4P1k1/8/8/8/8/4p3/K7 w - - 0 31"]\n[SetUp "1"]\n',
]  # fmt: skip


class _Style(NamedTuple):
    """How often something is written; parts of 1."""

    comments: float
    variations: float
    nags: float
    glued: float


def annotated_game(seed: int) -> str:
    """A game with variations in variations, comments, NAGs and rests of lines; the same one for the same seed."""
    rng = random.Random(seed)  # noqa: S311
    if rng.random() < 0.2:
        fen = chess.Board.from_chess960_pos(rng.randrange(960)).fen()
        tags = f'[Variant "Chess960"]\n[FEN "{fen}"]\n[SetUp "1"]\n'
        board = chess.Board(fen, chess960=True)
    else:
        tags = rng.choice(_STARTS)
        board = chess.Board(tags.split('"')[1]) if tags else chess.Board()
    style = _Style(*(rng.choice([0, 0.1, 0.25]) for _ in range(3)), glued=rng.choice([0, 0.5]))
    words = _comments(rng, style) + _line(rng, board, style, rng.randrange(1, 30), 0)
    return f'[Event "{seed}"]\n{tags}\n{_joined(rng, words, style)} *\n\n'


def _joined(rng: random.Random, words: list[str], style: _Style) -> str:
    """The words with blanks and line breaks between them, which parentheses and braces may do without."""
    text = ""
    for word in words:
        loose = not text or ((text[-1] in "(){}" or word[0] in "(){}") and rng.random() < style.glued)
        text += ("" if loose or text[-1] == "\n" else rng.choice("     \n")) + word
    return text


def _comments(rng: random.Random, style: _Style) -> list[str]:
    blank = rng.choice(["", " "])
    return [f"{{{blank}{rng.choice(_WORDS)}{blank}}}" for _ in range(3) if rng.random() < style.comments]


def _line(rng: random.Random, board: chess.Board, style: _Style, length: int, depth: int) -> list[str]:
    words: list[str] = []
    board = board.copy(stack=False)
    for _ in range(length):
        moves = list(board.legal_moves)
        if not moves:
            break
        move = rng.choice(moves)
        dots = "." if board.turn else "..."
        words += rng.choice([[], [f"{board.fullmove_number}{dots}"]])
        words.append(board.san(move) + (rng.choice(_SUFFIXES) if rng.random() < style.nags else ""))
        words += [f"${rng.randrange(1, 256)}" for _ in range(2) if rng.random() < style.nags]
        words += _comments(rng, style)
        while rng.random() < style.variations and depth < 3:
            inside = _comments(rng, style) + _line(rng, board, style, rng.randrange(1, 6), depth + 1)
            words += ["(", *inside, ")", *_comments(rng, style)]
        if rng.random() < 0.02:
            words.append("; the rest (of the line\n")
        board.push(move)
    return words


class Node:
    """A position of a tree, and the move that leads there."""

    def __init__(self, parent: Node | None, move: str, starting_comment: str = "") -> None:
        self.parent, self.move, self.starting_comment = parent, move, starting_comment
        self.comment, self.nags, self.children = "", (), list[Node]()
        if parent is not None:
            parent.children.append(self)

    def told(self) -> list[Any]:
        """All nodes in order, each as its depth and its parts."""
        rows, ahead = [], [(self, 0)]
        while ahead:
            node, depth = ahead.pop()
            rows.append((depth, node.move, node.starting_comment, node.comment, node.nags))
            ahead += [(child, depth + 1) for child in reversed(node.children)]
        return rows


def tree_of(game: Game) -> Node:
    """The tree of a game of ours."""
    root = Node(None, "")
    root.comment = game.comments.get(0, "")
    _grow(root, game, "")
    return root


def _grow(parent: Node, line: Game | Variation, starting_comment: str) -> None:
    """Add a line and the variations inside, in the order of the text."""
    before = line.parent_ply if isinstance(line, Variation) else 0
    inside = line.variations()
    for ply, move in enumerate(line.moves, 1):
        node = Node(parent, line.position.uci(move), starting_comment if ply == 1 else "")
        node.comment, node.nags = line.comments.get(ply, ""), line.nags.get(ply, ())
        for variation in inside:
            if variation.parent_ply - before == ply - 1:
                _grow(parent, variation, variation.comments.get(0, ""))
        parent = node


def chess_tree(game: chess.pgn.Game) -> Node:
    """The tree of a game of python-chess."""
    root = Node(None, "")
    root.comment = game.comment
    ahead: list[tuple[chess.pgn.GameNode, Node]] = [(game, root)]
    while ahead:
        theirs, ours = ahead.pop()
        for variation in theirs.variations:
            node = Node(ours, variation.uci(), variation.starting_comment)
            node.comment, node.nags = variation.comment, tuple(sorted(variation.nags))
            ahead.append((variation, node))
    return root
