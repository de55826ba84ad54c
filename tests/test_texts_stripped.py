"""Texts of games without some of their parts: comments, variations, NAGs, tags."""

from __future__ import annotations

from collections.abc import Iterable

import chess.pgn
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.game_texts import EXAMPLES, GAMES, collections, merged, moves_of
from helpers.python_chess import games_of
from setwise.notation.pgn.writing import PARTS


def told(node: chess.pgn.GameNode, without: Iterable[str]) -> tuple[object, ...]:
    """A tree of moves, as python-chess reads it, without what is left out."""
    children = node.variations[:1] if "variations" in without else node.variations
    first = node.parent is None or not node.move
    comment = "" if "comments" in without else " ".join(node.comment.split())
    before = "" if "comments" in without or first else " ".join(getattr(node, "starting_comment", "").split())
    nags = () if "nags" in without else tuple(sorted(node.nags))
    return (
        None if first else node.move.uci(),
        comment,
        before,
        nags,
        tuple(told(child, without) for child in children),
    )


AWKWARD = (
    b'[Event "x"]\n[Annotator "y"]\n\n{first} 1. e4! $10 {good\nmove} 1... e5 (1... c5!? {so} 2. Nf3 (2. c3) 2... d6)\n'
    b"2. Nf3{glued}Nc6 ; to the end\n3. Bb5 (3. Bc4 {a (b) c} Bc5) (3. d4) 3... a6?! 4. Ba4 $1 $14 Nf6 1/2-1/2\n\n"
    b'[Event "z"]\n[FEN "4k3/P7/8/8/8/8/8/4K3 w - - 0 1"]\n[SetUp "1"]\n\n1. a8(Q)+!! {won} Kd7 2. Qd5+ Ke7?? *\n'
)


@pytest.mark.parametrize("without", [(), *((part,) for part in PARTS), PARTS[:3], PARTS, ("comments", "nags")])
def test_python_chess_reads_what_is_left(without: tuple[str, ...]) -> None:
    for text in (AWKWARD, AWKWARD.replace(b"\n", b"\r\n"), GAMES):
        games, left = (
            list(games_of(it.decode()))
            for it in (text.replace(b"(Q)", b"=Q"), merged(text, without=without).replace(b"(Q)", b"=Q"))
        )
        assert len(games) == len(left) > 0
        for game, found in zip(games, left, strict=True):
            assert not found.errors
            assert told(found, ()) == told(game, without)
            kept = {"Event", "Site", "Date", "Round", "White", "Black", "Result", "FEN", "SetUp"}
            headers = {k: v for k, v in game.headers.items() if "tags" not in without or k in kept}
            assert dict(found.headers) == headers
    assert (merged(AWKWARD, without=without).strip() == AWKWARD.strip()) == (not without)


@EXAMPLES
@given(collections, st.sets(st.sampled_from(PARTS)))
def test_leaving_out_twice_is_leaving_out_once(sources: list[bytes], parts: set[str]) -> None:
    once = merged(sources, without=parts)
    assert merged(once, without=parts) == once
    assert moves_of(once) == [line for source in sources for line in moves_of(source)]


def test_black_moves_need_no_numbers_where_nothing_stands_between() -> None:
    text = b"1. e4 {c} 1... e5 (1... c5) 2. Nf3 {d} Nc6 *"
    assert merged(text, without="comments").strip() == b"1. e4 e5 (1... c5) 2. Nf3 Nc6 *"
    assert merged(text, without=["comments", "variations"]).strip() == b"1. e4 e5 2. Nf3 Nc6 *"
    assert merged(text, without="variations").strip() == b"1. e4 {c} 1... e5 2. Nf3 {d} Nc6 *"


def test_black_moves_keep_their_numbers_where_a_line_begins() -> None:
    text = b"1. e4 e5 ({best} 1... c5) 2. Nf3 *"
    assert merged(text, without="comments").strip() == b"1. e4 e5 ( 1... c5) 2. Nf3 *"
