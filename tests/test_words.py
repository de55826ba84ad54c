"""Words of the sources, of wikis and of books: each leads to the page that is about it."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner

from helpers.source_names import names_in_sources
from setwise.catalogue import named, pages, several, topics
from setwise.catalogue.lookup import loosely, meant
from setwise.cli.app import app
from setwise.corpus.columns import COLUMNS
from setwise.errors import QueryError

#: Headings, titles, functions, tables, masks and constants of the sources, and words of books, by what they lead to.
WORDS = {
    "king": ["King Pattern", "King Safety", "2 King Safety", "king piece"],
    "king.attacks": ["King Attacks", "Moore neighborhood", "Moore neighbourhood", "kingAttacks"],
    "king.ATTACKS": ["arrKingAttacks"],
    "king.distance": ["Chebyshev distance"],
    "compass.east": ["eastOne", "notAFile", "horizontal attacks", "East", "0xfefefefefefefefe"],
    "compass.west": ["westOne", "notHFile", "West", "0x7f7f7f7f7f7f7f7f"],
    "compass.north": ["nortOne"],
    "compass.south": ["soutOne"],
    "compass.north_east": ["noEaOne"],
    "compass.south_east": ["soEaOne"],
    "compass.north_west": ["noWeOne"],
    "compass.south_west": ["soWeOne"],
    "compass.no_ea_ea": ["notABFile", "noEaEa", "0xfcfcfcfcfcfcfcfc"],
    "compass.no_we_we": ["notGHFile", "noWeWe", "0x3f3f3f3f3f3f3f3f"],
    "king.shield_mask": ["Pawn-Shield Pattern", "pawn shield"],
    "king.distant_checks": [
        "Vulnerable on distant Checks", "dirSet", "Branchless", "2.2.1 Branchless", "SSE4", "SSE4.1", "SSE2",
        "Quadword", "Quad Word", "XMM_ALIGN", "weights", "_mm_cmpeq_epi64", "_mm_cvtsi64x_si128", "_mm_unpacklo_epi64",
        "_mm_and_si128", "_mm_or_si128", "_mm_unpackhi_epi64", "_mm_cvtsi128_si32",
    ],
    "king.escapes": ["moveTargets", "taboo"],
    "sliders.KING_BITS": ["kingBits", "SKingBits", "rankBits", "fileBits", "diagBits", "antiBits"],
    "race.catchable": ["Set-wise Rule of the Square", "rule of the square", "caughtable", "tempo"],
    "race.CATCHABLE": ["arrCaughtableArea", "caught pawn area"],
    "race.unstoppable": ["unCaughtable"],
    "fills.flood": ["Flood Fill Algorithms", "flood fill", "Flood Fill from Wikipedia", "king path fill algorithms"],
    "fills": ["Fill Algorithms", "Parallel Prefix Algorithms", "parallel prefix stuff", "fill"],
    "fills.connected": ["squaresAreConnected"],
    "fills.shortest_paths": ["All shortest Paths"],
    "king.mate_at_a_glance": ["Mate at a Glance"],
    "mates": ["Checkmate pattern", "Checkmate pattern from Wikipedia"],
    "compass": ["direction-steps", "Direction", "mask shift", "one step only", "compass rose"],
    "race": ["Pawn race", "races", "3 King and Pawns", "pawn endgame"],
    "pawns.passed": ["Passed Pawn", "passer", "passers", "wPassedPawns"],
    "bits.lowest": ["bitscan", "BitScan", "bitscanning"],
    "bits.count": ["population count", "Population Count"],
    "bits": ["Bitboards", "General Setwise Operations", "bitwise"],
    "sliders": ["Sliding Pieces", "sliding piece"],
    "knight": ["Knight Pattern", "Knight's Tour", "Knight's Tour Notes", "Longest uncrossed knight's path"],
    "knight.attacks": [
        "Knight Attacks", "knightAttacks", "Multiple Knight Attacks", "AVX2 Knight Attacks",
    ],
    "knight.ATTACKS": ["arrKnightAttacks", "AttackTable"],
    "compass.no_no_ea": ["noNoEa"],
    "compass.so_ea_ea": ["soEaEa"],
    "compass.so_so_ea": ["soSoEa"],
    "compass.so_so_we": ["soSoWe"],
    "compass.so_we_we": ["soWeWe"],
    "compass.no_no_we": ["noNoWe"],
    "knight.fill": ["Knight Fill", "knightFill"],
    "knight.fork_targets": ["Knight Forks", "knight fork", "forkTargetSquare"],
    "royal_fork_squares": ["royal knight fork", "family check", "royal fork"],
    "knight.distance": ["knight distance"],
    "islands": ["Pawn Islands", "Pawn Islands (Bitboards)", "Pawn island", "dispersion"],
    "islands.fileset": ["Filesets", "fileset", "Sample Filesets"],
    "islands.east_files": ["Island Borders", "islandsEastFiles"],
    "islands.west_files": ["islandsWestFiles"],
    "islands.count": ["Number of Islands"],
    "islands.isolated_files": ["Isolated Files"],
    "isolated_pawns": ["isolated pawns"],
    "pawns.half_open_files": ["half open files", "halfopen", "half-open"],
    "pawns.open_files": ["open files"],
    "pawns": ["Pawn Pattern and Properties", "Pawn Pattern"],
    "moves": [
        "move generation", "possibleMoves", "legalMoves", "pseudo-legal moves", "piece move", "make", "unmake",
        "Make Move", "Unmake Move", "Incremental Updates", "incrementally updated",
    ],
    "moves.castling_rooks": ["castling", "canCastle", "shortCastlePath", "shortCastleHome"],
    "pawns.double_pushes": [
        "double pushes", "rank2Mask", "rank7Mask", "wDblPushTargets", "0x000000000000FF00", "0x00FF000000000000",
    ],
    "pawns.en_passant": ["en passant", "passant square", "passant capture"],
    "pawns.single_pushes": ["pawn move", "bSinglePushTargets", "wSinglePushTargets"],
    "pawn_attacks": ["pawn attacks"],
    "pawns.attacks": ["capture mask", "capture rank"],
    "moves.attacked": ["isAttacked"],
    "fills.ray_fill_north": ["nortAttacks"],
    "pawns.east_attacks": ["wPawnEastAttacks", "northEastSquareMask", "rank mask"],
    "pawns.west_attacks": ["bPawnWestAttacks"],
    "fills.north_fill": ["nortFill"],
    "fills.file_fill": ["fileFill"],
    "pawns.front_span": ["wFrontSpans"],
    "pawns.telestop": ["wTelestops"],
    "see": ["SEE", "Static Exchange Evaluation"],
    "hanging": ["hanging pieces"],
    "pawns.isolated": ["isolani"],
    "doubled_pawns": ["doubled pawns"],
    "tactics": ["double attack"],
    "mates.back_rank": ["back rank mate"],
    "pawns.backward": ["backward pawn"],
    "pawns.outposts": ["outpost"],
    "pawns.holes": ["hole"],
    "pins": ["pin"],
    "lines.pinned": ["pinned pieces"],
    "tactics.bishop_skewers": ["skewer"],
    "lines.xray_rook": ["x-ray"],
    "lines.batteries": ["battery"],
    "promotion": ["promotion"],
    "bits.RANKS": ["rank", "0xff"], "empty": ["isEmpty"], "occupied": ["occupancy"],
    # The rest of the links, headings and names of the sources.
    "is_check": ["check"], "is_stalemate": ["stalemate"], "is_checkmate": ["checkmate"],
    "phase": ["middlegame", "endgame"], "white_to_move": ["side to move"], "key": ["Zobrist hash", "hash key"],
    "white_elo": ["Elo", "rating"], "eco": ["ECO"], "dark_squares": ["dark squares"], "time_control": ["time control"],
    "double_check_moves": ["double check"], "attacks": ["attack map"], "undefended": ["undefended piece"],
    "trapped": ["trapped piece"], "lines.attackers": ["defenders"],
}  # fmt: skip


def explain(word: str) -> str:
    """What the command prints for a word that it knows."""
    done = CliRunner().invoke(app, ["explain", word])
    assert done.exit_code == 0
    return done.stdout


def test_a_word_of_the_sources_leads_to_its_page() -> None:
    leads = [(word, named(word).name, name) for name, words in WORDS.items() for word in words]
    assert [it for it in leads if it[1] != it[2]] == []


#: Words of the sources for several pages, each of which is listed.
SEVERAL = {
    "by Lookup": ["king.ATTACKS", "knight.ATTACKS"],
    "lookup": ["king.ATTACKS", "knight.ATTACKS"],
    "by Calculation": ["king.attacks", "knight.attacks"],
    "Distance": ["king.distance", "knight.distance"],
    "Attacks": ["king.ATTACKS", "king.attacks", "knight.ATTACKS", "knight.attacks", "pawns.attacks", "attacks"],
}


@pytest.mark.parametrize(("word", "names"), SEVERAL.items())
def test_a_word_for_several_pages_names_them(word: str, names: list[str]) -> None:
    assert [page.name for page in several(word)] == names
    with pytest.raises(QueryError, match=re.escape(f"'{word}' may be {' or '.join(names)}")):
        named(word)
    told = explain(word)
    assert told.startswith(f"{word} may be:\n")
    assert [line.split()[0] for line in told.splitlines()[2:]] == names


#: Words of the sources for what a page of the documentation explains.
GUIDED = {
    "array": "Tables for engines", "Board Representation": "Five minutes", "board": "Five minutes",
    "standard bitboard definition": "Five minutes",
    "Bitboard Board-Definition": "Five minutes", "Piece-Lists": "Five minutes", "piece bitboard": "Five minutes",
}  # fmt: skip


@pytest.mark.parametrize(("word", "title"), GUIDED.items())
def test_a_word_for_no_page_of_the_catalogue_leads_to_the_documentation(word: str, title: str) -> None:
    assert f"  {title}: https://" in explain(word)


#: What the sources name beside chess and its programming: parts of a page, people, publications, a cast to 64 bits, the
#: pointers of one listing.
BESIDES = {
    "Contents", "External Links", "Forum Posts", "Index", "Metadata", "References", "See also", "Selected Publications",
    "Similar posts", "First published on 2024-09-25", "For instance a knight on d4", "Home", "Up one Level", "YouTube",
    "Amon Düül II", "Category:Amon Düül II", "CCC", "Re: algorithm question", "Steffan Westcott", "Martin Gardner",
    "Noam D. Elkies, Richard P. Stanley", "Ben Hill", "Philip Hingston, Graham Kendall",
    "László Lindner's knight wheel", "Problem with bitboard knight attack generator",
    "Symbolic: From bitboards to ideas", "knight's multiple atacks", "C64", "pKB", "pW",
}  # fmt: skip


def test_every_name_in_the_sources_is_asked_for(shared_data: Path) -> None:
    names = names_in_sources(shared_data.parent / "seeds")
    tried = {*(word for words in WORDS.values() for word in words), *SEVERAL, *GUIDED, *BESIDES}
    forms = {loosely(word) or word for word in tried}
    assert [(kind, name) for name, kind in names.items() if (loosely(name) or name) not in forms] == []
    assert Counter(names.values()) >= Counter(heading=25, link=60, keyword=12, function=25, table=9, mask=8, constant=7)


def test_no_synonym_hides_a_name() -> None:
    exact = {*pages(), *topics(), *COLUMNS}
    for name in exact:
        assert named(name).name in {name, name.removeprefix("white_").removeprefix("black_")}


def test_spelling_makes_no_difference() -> None:
    for word in ("family check", "Family checks", "FAMILY-CHECK", "familyCheck", "family_check"):
        assert meant(word) == "royal_fork_squares"
    assert named("half open file").name == named("Half-Open Files").name == "pawns.half_open_files"
