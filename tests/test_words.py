"""Words of the sources, of wikis and of books: each leads to the page that is about it."""

from __future__ import annotations

import pytest

from setwise.catalogue import named, pages, topics
from setwise.catalogue.names import meant
from setwise.corpus.columns import COLUMNS
from setwise.errors import QueryError

#: Headings, titles, functions, tables, masks and constants of the sources, and words of books, by what they lead to.
WORDS = {
    "king": ["King Pattern", "King Safety", "2 King Safety", "king piece"],
    "king.attacks": ["King Attacks", "by Calculation", "Moore neighborhood", "Moore neighbourhood", "kingAttacks"],
    "king.ATTACKS": ["by Lookup", "arrKingAttacks"],
    "king.distance": ["Chebyshev distance"],
    "compass.east": ["eastOne", "notAFile", "horizontal attacks"],
    "compass.west": ["westOne", "notHFile"],
    "compass.north": ["nortOne"],
    "compass.south": ["soutOne"],
    "compass.north_east": ["noEaOne"],
    "compass.south_east": ["soEaOne"],
    "compass.north_west": ["noWeOne"],
    "compass.south_west": ["soWeOne"],
    "compass.no_ea_ea": ["notABFile", "noEaEa"],
    "compass.no_we_we": ["notGHFile", "noWeWe"],
    "king.shield_mask": ["Pawn-Shield Pattern", "pawn shield"],
    "king.distant_checks": [
        "Vulnerable on distant Checks", "dirSet", "rankBits", "fileBits", "diagBits", "antiBits", "SKingBits",
        "Branchless", "2.2.1 Branchless", "SSE4", "SSE4.1", "SSE2", "XMM_ALIGN",
    ],
    "king.escapes": ["moveTargets", "taboo"],
    "sliders.KING_BITS": ["kingBits"],
    "race.catchable": ["Set-wise Rule of the Square", "rule of the square", "caughtable", "Rule of the Square"],
    "race.CATCHABLE": ["arrCaughtableArea"],
    "race.unstoppable": ["unCaughtable"],
    "fills.flood": ["Flood Fill Algorithms", "flood fill", "Flood Fill from Wikipedia", "king path fill algorithms"],
    "fills": ["Fill Algorithms", "Parallel Prefix Algorithms", "parallel prefix stuff", "fill"],
    "fills.connected": ["squaresAreConnected"],
    "fills.shortest_paths": ["All shortest Paths"],
    "king.mate_at_a_glance": ["Mate at a Glance"],
    "mates": ["Checkmate pattern", "Checkmate pattern from Wikipedia"],
    "compass": ["direction-steps", "Direction", "one step only", "compass rose"],
    "race": ["Pawn race", "races", "3 King and Pawns"],
    "pawns.passed": ["Passed Pawn", "passer", "passers", "wPassedPawns"],
    "bits.lowest": ["bitscan", "BitScan", "bitscanning"],
    "bits.count": ["population count", "Population Count"],
    "bits": ["Bitboards", "General Setwise Operations"],
    "sliders": ["Sliding Pieces", "sliding piece"],
    "knight": ["Knight Pattern", "Knight's Tour"],
    "knight.attacks": [
        "Knight Attacks", "knightAttacks", "Multiple Knight Attacks", "AttackTable", "AVX2 Knight Attacks",
    ],
    "knight.ATTACKS": ["arrKnightAttacks"],
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
    "islands.fileset": ["Filesets", "fileset"],
    "islands.east_files": ["Island Borders", "islandsEastFiles"],
    "islands.west_files": ["islandsWestFiles"],
    "islands.count": ["Number of Islands"],
    "islands.isolated_files": ["Isolated Files"],
    "isolated_pawns": ["isolated pawns"],
    "pawns.half_open_files": ["half open files", "halfopen", "half-open"],
    "pawns.open_files": ["open files"],
    "pawns": ["Pawn Pattern and Properties", "Pawn Pattern"],
    "moves": ["move generation", "possibleMoves", "legalMoves", "pseudo-legal moves", "piece move", "make", "unmake"],
    "moves.castling_rooks": ["castling", "canCastle", "shortCastlePath", "shortCastleHome"],
    "pawns.double_pushes": ["rank2Mask", "rank7Mask", "wDblPushTargets"],
    "pawns.en_passant": ["en passant", "passant square"],
    "pawns.single_pushes": ["pawn move", "bSinglePushTargets", "wSinglePushTargets"],
    "pawn_attacks": ["pawn attacks"],
    "pawns.attacks": ["capture mask"],
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
    # The rest of the links, headings and names of the sources.
    "is_check": ["check"], "is_stalemate": ["stalemate"], "is_checkmate": ["checkmate"],
    "phase": ["middlegame", "endgame"], "white_to_move": ["side to move"], "key": ["Zobrist hash", "hash key"],
    "white_elo": ["Elo", "rating"], "eco": ["ECO"], "dark_squares": ["dark squares"], "time_control": ["time control"],
    "double_check_moves": ["double check"], "attacks": ["attack map"], "undefended": ["undefended piece"],
    "trapped": ["trapped piece"], "lines.attackers": ["defenders"],
}  # fmt: skip


@pytest.mark.parametrize(("word", "name"), [(word, name) for name, words in WORDS.items() for word in words])
def test_a_word_of_the_sources_leads_to_its_page(word: str, name: str) -> None:
    assert named(word).name == name


@pytest.mark.parametrize("word", ["distance", "attacks"])
def test_a_word_for_several_pages_names_them(word: str) -> None:
    with pytest.raises(QueryError, match=rf"(?i)'{word}' may be king\.{word} or "):
        named(word.title())


def test_no_synonym_hides_a_name() -> None:
    exact = {*pages(), *topics(), *COLUMNS}
    for name in exact:
        assert named(name).name in {name, name.removeprefix("white_").removeprefix("black_")}


def test_spelling_makes_no_difference() -> None:
    for word in ("family check", "Family checks", "FAMILY-CHECK", "familyCheck", "family_check"):
        assert meant(word) == "royal_fork_squares"
    assert named("half open file").name == named("Half-Open Files").name == "pawns.half_open_files"
