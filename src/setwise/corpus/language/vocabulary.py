"""The functions of the language besides patterns and those of SQL: how each is called, what it means, an example."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["VOCABULARY", "Word", "word_of"]


class Word(NamedTuple):
    """A function: a call of it, its meaning, a condition that has it, what others call it, options that it needs."""

    call: str
    meaning: str
    example: str
    names: tuple[str, ...] = ()
    options: str = ""


_EITHER_COLOUR = Word(
    "either_colour(c)",
    "whether c holds, or holds with the colours exchanged: on the mirrored board, White's pieces being Black's",
    "either_colour(has(white_king, 'g1') and white_queens = 0)",
    ("flipcolor",),
)
VOCABULARY: dict[str, Word] = {
    "squares": Word(
        "squares('e4 b2-d4')", "the set of these squares; b2-d4 is the box with these corners",
        "white_king & squares('g1 h1') <> 0",
    ),
    "files": Word("files('a c-e')", "all squares of files, one by one or in ranges", "white_rooks & files('a h') <> 0"),
    "ranks": Word("ranks('2-4 7')", "all squares of ranks, one by one or in ranges", "white_rooks & ranks('7') <> 0"),
    "has": Word("has(set, 'g1 h1')", "whether all these squares are in a set", "has(white_pawns, 'f2 g2 h2')"),
    "sub_fen": Word(
        "sub_fen('8/8/8/8/8/8/5PPP/6K1')",
        "whether at least these pieces are on these squares; A is any white piece, a any black one, ? either, "
        "_ an empty square, [QR] one of these",
        "sub_fen('8/8/8/8/8/8/5PPP/6K1')",
    ),
    "ray": Word(
        "ray(a, b, ...)",
        "the squares of a from which the next piece on some line is of b, and the next one behind it of the third set; "
        "the whole line through two squares is lines.line",
        "ray(white_rooks, black_knights, black_king) <> 0",
    ),
    "material": Word(
        "material('KR*P+ v KRP*')",
        "whether the pieces are these, on either side; * is none or more, + one or more, ? at most one; a second "
        "argument, 'white' or 'black', says whose the first side is",
        "material('KRP+ v KR')",
    ),
    "player": Word(
        "player('carlsen')", "whether a player's name contains this, in any case", "player('morphy') and is_checkmate"
    ),
    "position_key": Word(
        "position_key('4k3/8/8/8/8/8/8/4K3 w - - 0 1')", "the key of the position of a FEN",
        "key = position_key('rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1')",
    ),
    "within": Word(
        "within('repertoire.pgn')",
        "whether the position is in a file of games that --repertoire names, by whatever moves; variations count, at "
        "any depth",
        "within('repertoire.pgn') and not later(within('repertoire.pgn'))", ("in book",),
        " --repertoire repertoire.pgn",
    ),
    "leaves": Word(
        "leaves('repertoire.pgn')",
        "whether the game leaves a file that --repertoire names with this position: the first one that is not in it "
        "after one that is; the move before it led out",
        "leaves('repertoire.pgn')", ("out of book", "left book", "novelty"), " --repertoire repertoire.pgn",
    ),
    "tag": Word(
        "tag('WhiteRatingDiff')", "any tag of the game, a text; null where the game lacks it",
        "tag('Event') is not null",
    ),
    "distance_to": Word(
        "distance_to('8/8/8/3p4/3P4/8/8/8')",
        "how unlike the position is to that of a FEN: a piece elsewhere is 1 point, a piece more or fewer its worth, a "
        "pawn elsewhere on its file 2, one more or fewer on a file 4, a king on another wing 4; 'either colour' as a "
        "second argument takes the nearer of this position and its mirror image",
        "distance_to('rnbqkbnr/pppp1ppp/8/4p3/4PP2/8/PPPP2PP/RNBQKBNR') <= 1",
        ("similar", "resemblance"),
    ),
    "differing_squares": Word(
        "differing_squares('8/8/8/3p4/3P4/8/8/8')",
        "the squares on which the position of a FEN has another piece, or none, or the only one",
        "bit_count(differing_squares('rnbqkbnr/pppp1ppp/8/4p3/4PP2/8/PPPP2PP/RNBQKBNR')) <= 2",
    ),
    "differences_from": Word(
        "differences_from('8/8/8/3p4/3P4/8/8/8')",
        "the differences from the position of a FEN as a text, each with the points that distance_to adds up",
        "differences_from('rnbqkbnr/pppp1ppp/8/4p3/4PP2/8/PPPP2PP/RNBQKBNR') = 'white pawn f2, not f4: 2'",
    ),
    "each": Word(
        "each(set)", "the list of the squares of a set, each a set of one square", "len(each(white_knights)) = 2"
    ),
    "any_of": Word(
        "any_of(set, lambda s: c)", "whether c holds for one of the squares of a set",
        "any_of(own_knights, lambda n: knight.attacks(n) & ~own_pieces = 0)",
    ),
    "all_of": Word(
        "all_of(set, lambda s: c)", "whether c holds for each of the squares of a set",
        "all_of(white_pawns, lambda p: p & light_squares <> 0)",
    ),
    "count_of": Word(
        "count_of(set, lambda s: c)", "for how many of the squares of a set c holds",
        "count_of(own_pieces, lambda p: p & enemy_attacks <> 0 and p & own_attacks = 0) >= 3",
    ),
    "either_colour": _EITHER_COLOUR,
    "either_color": _EITHER_COLOUR._replace(call="either_color(c)"),
    "either_wing": Word(
        "either_wing(c)", "whether c holds, or holds with the king's side and the queen's side exchanged",
        "either_wing(has(white_king, 'g1'))", ("fliphorizontal",),
    ),
    "any_symmetry": Word(
        "any_symmetry(c)", "whether c holds on the board in one of its eight positions, turned and mirrored",
        "any_symmetry(has(white_king, 'a1') and has(black_king, 'c2'))", ("rotate90", "flipdihedral"),
    ),
    "anywhere": Word(
        "anywhere(c)", "whether c holds with all its squares moved together to some place of the board",
        "anywhere(has(white_pawns, 'd4 e4'))", ("shift",),
    ),
    "legal_targets": Word(
        "legal_targets(set)", "where the pieces of a set that move next may legally go",
        "own_knights <> 0 and legal_targets(own_knights) = 0",
    ),
    "pseudo_legal_targets": Word(
        "pseudo_legal_targets(set)",
        "where the pieces of a set that move next could go if their king could be left in check",
        "pseudo_legal_targets(own_king) & enemy_attacks <> 0",
    ),
    "can": Word(
        "can(c)", "whether a legal move leads to a position in which c holds; own_ is there the other side",
        "can(is_checkmate) and ply > 20",
    ),
    "next": Word(
        "next(x, n)", "the value of x one ply later, or n plies later, in the same game; null beyond its end",
        "next(is_check, 2)",
    ),
    "previous": Word(
        "previous(x, n)", "the value of x one ply before, or n plies before, in the same game; null before its start",
        "previous(captured) is not null",
    ),
    "later": Word("later(c)", "whether c holds at some later ply of the game", "is_castling and later(is_checkmate)"),
    "earlier": Word("earlier(c)", "whether c holds at some earlier ply of the game", "is_check and earlier(is_check)"),
    "streak": Word(
        "streak(c)",
        "at how many plies in a row, up to and with this one, c holds; with every_other as a second argument, of the "
        "plies of this side alone",
        "streak(is_check, every_other) >= 3",
    ),
    "lasts": Word(
        "lasts(c, n)",
        "whether c holds here and at the next n - 1 plies; every_other counts the plies of this side alone",
        "lasts(imbalance = 'vP', 5)",
    ),
    "until": Word(
        "until(c, d)", "whether d holds at some later ply, and c here and at every ply before it",
        "until(captured is null, is_checkmate)",
    ),
    "now": Word(
        "now(x)", "inside next, previous, later, earlier, streak, lasts and until: the value of x where they look from",
        "later(key = now(key))",
    ),
}  # fmt: skip


def word_of(name: str) -> Word | None:
    """Return the function of a name, a call, or what others call it; None for anything else.

    >>> word_of("streak(c)").call, word_of("flipcolor").call, word_of("castle")
    ('streak(c)', 'either_colour(c)', None)
    """
    bare = name.partition("(")[0].strip().lower()
    return VOCABULARY.get(bare) or next((word for word in VOCABULARY.values() if bare in word.names), None)
