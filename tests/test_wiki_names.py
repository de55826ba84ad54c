"""Names of the Chess Programming Wiki's pages about bitboards, and of their sections: each leads where it should.

The names are those of the wiki (chessprogramming.org, "Bitboards" and the pages below it); the texts that they lead to
are setwise's own.
"""

from __future__ import annotations

import re
import tomllib

import pytest
from click.testing import CliRunner

from helpers.data import ROOT
from helpers.depth import depth
from setwise.catalogue import guides, named, pages, questions, several, topics
from setwise.catalogue.lookup import instead
from setwise.cli.app import app
from setwise.corpus.columns import COLUMNS
from setwise.errors import QueryError

#: Titles and sections of the Chess Programming Wiki's pages about bitboards, by the page or topic that they lead to.
PAGES = {
    "bits": ["Bitboards", "General Setwise Operations"],
    "compass": [
        "Flipping Mirroring and Rotating", "Shifted Bitboards", "Direction", "Shifting Bitboards", "One step only",
        "Generalized Shift", "wrap",
    ],
    "lines.attackers": ["Square Attacked By"],
    "sliders": ["Sliding Piece Attacks", "Line attacks"],
    "pawns": ["Pawn Pattern and Properties"],
    "knight": ["Knight Pattern"],
    "king": ["King Pattern"],
    "sliders.rook_attacks": ["Rook Pattern", "BMI2", "PEXT", "PDEP", "Rook attacks"],
    "sliders.bishop_attacks": ["Bishop Pattern"],
    "sliders.queen_attacks": ["Queen Pattern", "Queen attacks"],
    "bits.subsets": ["Traversing Subsets of a Set"],
    "lines.pinned": ["Checks and Pinned Pieces (Bitboards)"],
    "xray_attacks": ["X-ray Attacks (Bitboards)"],
    "bit_tricks.count_by_swar": ["SIMD and SWAR Techniques", "SWAR-Popcount", "HAKMEM 169", "Divide and Conquer"],
    "king.distant_checks": ["SSE2", "PCMPEQQ", "Vulnerable on distant Checks"],
    "bit_tricks.lowest_by_de_bruijn": ["De Bruijn Sequence", "De Bruijn Multiplication"],
    "sliders.rook_attacks_by_calculation": ["Hyperbola Quintessence"],
    "slider_ways.rook_by_obstruction": ["Obstruction Difference"],
    "fills.ray_fill_east": ["Subtracting a Rook from a Blocking Piece"],
    "slider_ways.rook_by_kindergarten": [
        "First Rank Attacks", "Occupancy of any Line", "Kindergarten Bitboards", "kindergarten",
    ],
    "bit_tricks.rotate_45_clockwise": ["Rotated Bitboards"],
    "slider_ways.rook_by_plain_magic": ["Magic Bitboards", "Plain magic"],
    "slider_ways.magics": ["Looking for Magics"],
    "slider_ways.rook_by_supersets": ["SISSY Bitboards"],
    "sliders.ROOK_LINES": ["On an empty Board"],
    "slider_ways.rook_by_rays": ["Classical Approach"],
    "fills": ["Fill Algorithms", "Parallel Prefix Algorithms"],
    "fills.ray_fill_north": ["Dumb7Fill", "Ray attacks"],
    "fills.north_occluded": ["Kogge-Stone Algorithm"],
    "fills.flood": ["Flood Fill", "Westcott"],
    "bits.RANKS": ["Rank"],
    "bits.FILES": ["File"],
    "sliders.DIAGONALS": ["Diagonals"],
    "sliders.ANTIDIAGONALS": ["Anti-Diagonals"],
    "slider_ways.RAYS": ["Rays"],
    "bit_tricks.manhattan_distance": ["Manhattan-Distance", "Center Manhattan-Distance", "Manhattan distance"],
    "knight.distance": ["Knight-Distance"],
    "bit_tricks.centre_distance": ["Center Distance"],
    "dark_squares": ["Color of a Square"],
    "squares('e4 b2-d4')": ["Squares"],
    "bits.twice": ["Greater One Sets"],
    "keys.after_move": ["Update by Move"],
    "compass.flip_diagonal": ["Swapping Bits"],
    "bits.lowest": ["LS1B", "TZCNT", "BSF", "BitScan", "Bitscan forward", "Double conversion", "Trailing Zero Count"],
    "bit_tricks.up_to_highest": ["MS1B", "LZCNT", "BSR", "Bitscan reverse", "Leading Zero Count"],
    "bits.count": ["POPCNT", "Population Count", "Brian Kernighan's way", "Cardinality"],
    "bit_tricks.total": ["Harley-Seal", "Odd and Major"],
    "bit_tricks.lowest_by_modulo": ["Bitscan by Modulo"],
    "pawns.single_pushes": ["Pawn Pushes (Bitboards)", "Single Pushes"],
    "pawns.double_pushes": ["Double Pushes"],
    "pawn_attacks": ["Pawn Attacks (Bitboards)"],
    "fills.north_fill": ["Pawn Fills"],
    "pawns.front_span": ["Pawn Spans", "Front Spans"],
    "pawns.rear_span": ["Rear Spans"],
    "pawns.front_attack_span": ["Attack Spans"],
    "pawns.stop": ["Stop Square"],
    "pawns.telestop": ["Telestop"],
    "passed_pawns": ["Passed Pawns (Bitboards)"],
    "pawns.candidate": ["Candidate passed pawn"],
    "isolated_pawns": ["Isolated Pawns (Bitboards)"],
    "doubled_pawns": ["Doubled Pawns"],
    "pawns.open_pawns": ["Open Pawns"],
    "islands": ["Pawn Islands (Bitboards)"],
    "pawns.lever": ["Pawn Levers (Bitboards)"],
    "pawns.ram": ["Pawn Rams (Bitboards)"],
    "pawns.phalanx": ["Duo Trio Quart (Bitboards)"],
    "connected_pawns": ["Connected Pawns (Bitboards)"],
    "pawns.supported": ["Defended Pawns (Bitboards)"],
    "pawns.half_open_files": ["Half-open files"],
    "pawns.open_files": ["Open files"],
    "race": ["Pawn Race"],
    "islands.fileset": ["Fileset"],
    "king.attacks": ["King Attacks"],
    "king.mate_at_a_glance": ["Mate at a Glance"],
    "king.escapes": ["taboo"],
    "king.zone": ["King zone"],
    "knight.fork_targets": ["Knight Forks"],
    "knight.attacks": ["Multiple Knight Attacks"],
    "knight.fill": ["Knight Fill"],
    "fills.shortest_paths": ["All Shortest Paths"],
    "bit_tricks.square_0x88": ["0x88"],
    "bit_tricks.difference_0x88": ["Vector Attacks"],
    "keys.toggled": ["Zobrist Hashing"],
    "moves": ["Incremental Updates"],
    "white_king": ["king square"],
    "moves.castling_rooks": ["castling path", "Castling"],
    "islands.count": ["maximum number of islands"],
    "bit_tricks.next_subset": ["traversing subsets"],
    "lines.discovered_check_candidates": ["Discovered Check"],
    "lines.batteries": ["Battery"],
    "pins": ["Pin"],
    "pawns.en_passant": ["En passant bitboards"],
    "see": ["Static Exchange Evaluation"],
    "slider_ways.rook_by_fancy_magic": ["Fancy magic"],
    "slider_ways.rook_by_black_magic": ["Black magic"],
    "lines.between": ["In-Between"],
}  # fmt: skip

#: Those that mean several pages, and those that a page of the documentation explains.
SEVERAL = {
    "Distance": ["king.distance", "knight.distance"],
    "Backward Pawns (Bitboards)": ["backward_pawns", "backward_pawn"],
    "Outposts": ["pawns.outposts", "outposts"],
    "Holes": ["pawns.holes", "holes"],
}
GUIDED = {
    "Bitboard Board-Definition": ["Five minutes"],
    "Standard board-definition": ["Five minutes"],
    "Piece-Lists": ["Five minutes"],
    "Perft": ["Moves, from tables to legal moves", "Use setwise to test your engine"],
}
#: Those for which a sentence says what stands for them here.
SENTENCES = [
    "Denser boards", "Quad-Bitboards", "Bitboard Serialization", "Pieces versus Directions", "DirGolem", "MMX", "AVX",
    "AVX2", "AVX-512", "AltiVec", "BMI1", "Rotated Indices", "Hashing Dictionaries", "Congruent Modulo Bitboards",
    "Reverse Bitboards", "Blockers and Beyond", "Titboards", "Square Mapping Considerations", "little-endian",
    "big-endian", "Little-Endian Rank-File Mapping", "LERF", "Endianness", "Hypercube", "Intersection", "Union",
    "Complement", "Relative Complement", "Exclusive Or", "Symmetric difference", "Equivalence", "LS1B Isolation",
    "Reset LS1B", "LS1B separation", "Two's Complement", "BLSI", "BLSR", "Hamming Distance",
    "Weighted Population Count", "Matt Taylor's Folding trick", "Walter Faxon's magic Bitscan", "Attackfileset",
    "Mailbox", "10x12 Board", "8x8 Board", "Butterfly Boards", "Attack and Defend Maps", "Bit-Twiddling",
    "BCH Hashing", "static pieces", "Copy-Make", "Legal Move Generation", "Minimal perfect hashing", "Fixed shift",
    "Inverse Movegen", "Influence Quantification",
]  # fmt: skip


def explain(name: str) -> str:
    """What the command prints for a name, and its exit code is 0."""
    done = CliRunner().invoke(app, ["explain", name])
    assert done.exit_code == 0, name
    return done.stdout


def test_there_are_more_than_150_names() -> None:
    names = [*(name for names in PAGES.values() for name in names), *SEVERAL, *GUIDED, *SENTENCES]
    assert len(names) == len(set(names)) >= 150


def test_a_name_leads_to_its_page() -> None:
    leads = [(name, named(name).name, page) for page, names in PAGES.items() for name in names]
    assert [it for it in leads if it[1] != it[2]] == []


@pytest.mark.parametrize("name", [*SEVERAL, *GUIDED, *SENTENCES])
def test_a_name_without_a_page_is_no_page(name: str) -> None:
    with pytest.raises(QueryError):
        named(name)


def test_a_name_of_several_pages_lists_them() -> None:
    assert {name: [page.name for page in several(name)] for name in SEVERAL} == SEVERAL


def test_a_name_that_the_documentation_explains_leads_there_and_to_no_question() -> None:
    assert {name: [guide.title for guide in guides(name)] for name in GUIDED} == GUIDED
    assert [name for name in GUIDED if questions(name)] == []


def test_a_name_with_a_sentence_prints_only_the_sentence() -> None:
    assert [name for name in SENTENCES if explain(name) != f"{instead(name)}\n"] == []


def test_sentences_name_things_that_there_are_and_hide_nothing() -> None:
    listed = tomllib.loads((ROOT / "src" / "setwise" / "catalogue" / "instead.toml").read_text("utf-8"))
    known = {*pages(), *topics(), *COLUMNS}
    for sentence, names in listed.items():
        assert sentence.endswith(".")
        for code in re.findall(r"`([a-z_0-9]+(?:\.[a-z_0-9]+)?)`", sentence):
            assert code in known | {"tree"}, code
        assert [name for name in names if instead(name) != sentence] == []
        for name in names[:: depth(4, 1)]:
            with pytest.raises(QueryError):
                named(name)
            assert len(several(name)) < 2, name
