"""Words as people write them: each is read whole, or it is named and ends the game; none is read as another word."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import setwise
from helpers.data import FAMOUS_GAMES, ROOT
from helpers.depth import depth
from setwise.game.batch import Block
from setwise.game.games import Games, spans
from setwise.notation.pgn.words import LETTERS, SIGNS
from setwise.notation.pgn.writing import PARTS, stripped

RESULTS = {
    "1-0": ("1-0", "1–0", "1—0", "1:0", "1 - 0", "1 – 0", "1‑0"),
    "0-1": ("0-1", "0–1", "0:1", "0 - 1", "0−1"),
    "1/2-1/2": (
        "1/2-1/2", "1/2", "½-½", "½–½", "½ - ½", "½", "0.5-0.5", "0,5-0,5", "1/2 - 1/2", "1/2–1/2", "1/2-", "1/2-\n1/2",
    ),
    "*": ("*", "½-0", "0-½"),
}  # fmt: skip
START = "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5"
SHORT, LONG = "4. O-O Nf6 5. d3", "1. d4 d5 2. Nc3 Nc6 3. Bf4 Bf5 4. Qd2 Qd7 5. O-O-O"
#: What stands in the files for moves of the left column, each in a line of moves that ends with it.
MOVES = {
    f"{START} 4. O-O": ("О-О", "о-о", "0-0", "0–0", "O–O", "O—O", "O‑O", "Ο-Ο", "о–о", "o-o"),
    LONG: ("О-О-О", "0-0-0", "0–0–0", "O–O–O", "O‑O‑O"),
    f"{START} 4. d4": ("d4", "♙d4", "♟d4", "d2–d4", "d2—d4", "\u200bd4", "d4!?", "d4⁉"),
    f"{START} 4. Bxf7+": ("♗xf7+", "♗×f7†", "♝f7", "♗c4xf7+", "♗c4×f7+", "Bc4–f7", "♗\ufe0exf7+"),
    f"{START} 4. --": ("--", "Z0", "@@@@", "0000", "<>", "null", "NULL", "pass", "(null)", "(pass)", "––", "—-"),
    "1. e4 e6 2. e5 d5 3. exd6": ("exd6ep", "exd6e.p.", "exd6 e.p.", "exd6 ep", "exd6 e. p."),
    "1. h4 g5 2. hxg5 h6 3. gxh6 a6 4. h7 a5 5. hxg8=Q": ("hxg8=♕", "hxg8Q", "hxg8(Q)", "hxg8=Q", "hxg8/Q", "h×g8=Q"),
}  # fmt: skip


def read(text: str | bytes, **options: bool) -> Games:
    return Games.parsed(Block(text.encode() if isinstance(text, str) else text, "x.pgn", 0, 1), **options)


def plain(text: str) -> list[str]:
    return [move.uci() for move in read(f"{text} *")[0].moves]


@pytest.mark.parametrize("end", ["", " ", "\n", '\n\n[Event "next"]\n\n1. d4 *'])
@pytest.mark.parametrize("before", [" ", "  ", "\n", " {a comment} ", " (1... c5) "])
def test_results_are_read_however_they_are_written(before: str, end: str) -> None:
    wrong = []
    for result, spelled in RESULTS.items():
        for word in spelled:
            games = read(f'[Event "first"]\n\n1. e4 e5{before}{word}{end}')
            if not (games.results[0] == result and len(games[0].moves) == 2 and not [*games.faults()]):
                wrong.append((word, games.results, [*games.faults()]))
            assert len(games) == 1 + ("next" in end), word
    assert not wrong


def test_both_lose_only_where_the_tag_says_so_too() -> None:
    for moves in ("", "1. e4 e5 ", "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. d3 Nf6 "):  # castling is possible after the last
        [game] = read(f'[Event "x"]\n[Result "0-0"]\n\n{moves}0-0\n')
        assert (game.result, len(game.moves)) == ("*", len(plain(moves)))
    [game] = games = read('[Event "x"]\n\n1. e4 e5 0-0\n')
    assert [fault.token for fault in games.faults()] == ["0-0"]
    [game] = read('[Event "x"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 0-0\n')
    assert game.moves[-1].uci() == "e1g1"


def test_results_that_stick_to_the_last_move_are_read() -> None:
    for word, result in (
        ("1-0", "1-0"),
        ("0-1", "0-1"),
        ("1/2-1/2", "1/2-1/2"),
        ("½-½", "1/2-1/2"),
        ("½–½", "1/2-1/2"),
    ):
        for move in ("e5", "Nc6", "b5"):
            [game] = read(f"1. e4 {move}{word}\n")
            assert (len(game.moves), game.result) == (2, result), (move, word)


def test_moves_are_read_however_they_are_written() -> None:
    wrong = []
    for moves, spelled in MOVES.items():
        expected = plain(moves)
        for word in spelled:
            line = moves.rpartition(" ")[0]
            for text in (f"{line} {word} *", f"{line}\xa0{word} *", f"{line} {word}\n*", f"{line} {word} {{good}} *"):
                games = read(text)
                if [it.uci() for it in games[0].moves] != expected or [*games.faults()]:
                    wrong.append((text, [*games.faults()]))
    assert not wrong


def test_variations_are_read_like_moves() -> None:
    for moves, spelled in MOVES.items():
        line, _, last = moves.rpartition(" ")
        games = read(f"1. a3 ({line} {last}) *", variations=True)
        for word in spelled:
            others = read(f"1. a3 ({line} {word}) *", variations=True)
            assert others.lines is not None
            assert games.lines is not None
            assert others.lines.moves.tolist() == games.lines.moves.tolist(), word
            assert not [*others.faults()], word


def in_language(text: str, letters: str) -> str:
    """A game with the letters of another language for its pieces."""
    names = dict(zip("KQRBN", letters.split(), strict=True))
    parts = re.split(r"(\{[^}]*\}|\[[^\n]*\n)", text)
    return "".join(
        part if number % 2 else re.sub(r"(?<![\w-])[KQRBN](?=[a-h1-8x])|(?<==)[QRBN]", lambda it: names[it[0]], part)
        for number, part in enumerate(parts)
    )


@pytest.mark.parametrize("language", LETTERS)
def test_games_in_other_languages_are_read(language: str) -> None:
    text = FAMOUS_GAMES.read_text("utf-8")
    expected = [[move.uci() for move in game.moves] for game in read(text)]
    wrong = []
    foreign = in_language(text, LETTERS[language])
    games = read(foreign)
    texts = re.split(r"(?=\[Event )", re.sub(r"\{[^}]*\}", "", foreign))[1:]
    faulty = {fault.game: fault for fault in games.faults()}
    for number, (game, moves) in enumerate(zip(games, expected, strict=True), start=1):
        if number not in faulty:
            assert [move.uci() for move in game.moves] == moves
        elif {*re.findall(r"(?<=[ .])[A-Z](?=[a-h1-8x])", texts[number - 1])} - set("KQRBN"):
            wrong.append(faulty[number])  # not one whose letters all are English letters, too
    assert not wrong
    assert len(faulty) <= 1
    assert {it.reason.split()[0] for it in games.repairs()} == {"is"}


def test_fifty_games_in_each_of_six_languages_are_read_from_one_file(shared_data: Path) -> None:
    text = (shared_data / "pgn" / "twic1599.pgn").read_text("utf-8", "replace")
    whole = [it for it in text.split("\n\n[Event ") if it.count("\n\n") == 1 and len(it) > 700][1:51]
    expected = [[move.uci() for move in game.moves] for game in read("\n\n[Event ".join(["", *whole]))]
    assert len(expected) == 50
    languages = ("German", "French", "Spanish", "Dutch", "Russian", "Hungarian")
    mixed = [in_language(f"[Event {it}", LETTERS[language]) for it in whole for language in languages]
    games = read("\n\n".join(mixed))
    assert [*games.faults()] == []
    assert [[move.uci() for move in game.moves] for game in games] == [it for it in expected for _ in languages]
    assert {it.game for it in games.repairs()} == {*range(1, 301)}


def test_a_word_in_an_unknown_language_ends_the_game_and_is_named() -> None:
    for word in ("Žf3", "Xf3", "♠f3", "ﾅf3", "Nf3Ж", "Nf3ж", "△ Nf3", "“Nf3”", "Nf３"):
        games = read(f"1. e4 e5 2. {word} Nc6 *")
        assert len(games[0].moves) == 2 + word.startswith("Nf3"), word
        [fault] = games.faults()
        assert fault.token, word


def test_a_game_whose_letters_mean_two_things_is_read_only_if_one_can_be_played() -> None:
    # R is the king in French and the knight in Finnish; T is a rook in both.
    [game] = read("1. e4 e5 2. Rf3 Rc6 3. Lb5 *")
    assert [it.uci() for it in game.moves] == ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5"]


def test_a_game_that_can_be_played_in_two_languages_is_not_guessed() -> None:
    """S is the knight in German and the bishop in Czech: both can move to e2, and one of them to f6."""
    games = read("1. e4 e5 2. Se2 d6 *")
    assert [move.uci() for move in games[0].moves] == ["e2e4", "e7e5"]
    assert [fault.token for fault in games.faults()] == ["Se2"]
    [game] = read("1. e4 e5 2. Se2 Sf6 *")
    assert [move.uci() for move in game.moves] == ["e2e4", "e7e5", "g1e2", "g8f6"]


def test_signs_are_numbers() -> None:
    for sign, number in SIGNS.items():
        for text in (f"1. e4 {sign} e5 *", f"1. e4 {sign} 1... e5 *", f"1. e4 {sign}\n1... e5 *"):
            games = read(text, notes=True)
            assert (games.nags().to_pylist(), len(games[0].moves)) == ([[number], None], 2), text
        if not sign.isalpha() and not sign.isascii():
            assert read(f"1. e4{sign} e5 *", notes=True).nags()[0].as_py() == [number], sign


@pytest.mark.parametrize(
    "tags",
    [
        "[Event Club]\n[White Alpha]\n[Result 1-0]", "[Event “Club”]\n[White “Alpha”]",
        "[Event 'Club']\n[White 'Alpha']",
        '[Event: "Club"]\n[White: "Alpha"]', '[Event="Club"]\n[White="Alpha"]', '[event "Club"]\n[white "Alpha"]',
        '[EVENT: "Club"]\n[wHITE "Alpha"]', "[Event „Club“]\n[White «Alpha»]",
    ],
)  # fmt: skip
def test_tags_are_read_however_they_are_written(tags: str) -> None:
    games = read(f'{tags}\n\n1. e4 1-0\n\n[Event "next"]\n[White "Beta"]\n\n1. d4 *\n')
    assert games.tag("Event").to_pylist() == ["Club", "next"]
    assert games.tag("White").to_pylist() == ["Alpha", "Beta"]


def test_a_position_is_that_of_its_tag_in_any_case() -> None:
    fen = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"
    for name in ("FEN", "Fen", "fen", "fEN"):
        [game] = read(f'[Event "x"]\n[{name} "{fen}"]\n\n1. e4 *')
        assert game.positions()[0].fen() == fen, name


FENS = {
    "r3k2r/8/8/8/8/8/8/4K1R1 w KQkq - 2 3": "r3k2r/8/8/8/8/8/8/4K1R1 w kq - 2 3",
    "4k3/8/8/8/8/8/4P3/4K3 w - e6 0 1": "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",
    "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w KQkq - 0 1": "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1",
    "4k3/8/8/8/8/8/8/4K2R w Kq a3 0 1": "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
}


def test_boards_that_nearly_are_lose_the_rights_that_they_cannot_have() -> None:
    for fen, expected in FENS.items():
        games = read(f'[Event "x"]\n[FEN "{fen}"]\n\n1. Kf1 *\n\n[Event "y"]\n\n1. e4 *')
        assert games[0].positions()[0].fen() == expected
        assert [str(it) for it in games.repairs()], fen
        assert len(games) == 2


def test_boards_that_no_game_reaches_stay_faults() -> None:
    for fen in (
        "8/8/8/8/8/4k3/8/8 b - - 0 1",
        "4k3/8/8/8/8/8/4R3/4K3 w - - 0 1",
        "garbage",
        "4k3/8/8/8/8/8/8/4K3 w x - 0 1",
    ):
        games = read(f'[Event "x"]\n[FEN "{fen}"]\n\n1. Kf1 *')
        assert [fault.token for fault in games.faults()] == [fen]


def test_what_is_windows_1252_is_not_latin_1() -> None:
    [game] = read('[White "O’Kelly"]\n\n1. e4 {“Best by test” – said… €5} *'.encode("cp1252"), notes=True)
    assert game.tags["White"] == "O’Kelly"
    assert game.comments[1] == "“Best by test” – said… €5"
    games = read('[White "O’Kelly"]\n\n1. e4 {“Best” €5} *'.encode("cp1252"), notes=True)
    assert (games.tag("White")[0].as_py(), games.comments()[0].as_py()) == ("O’Kelly", "“Best” €5")


def odd_files() -> Iterator[bytes]:
    yield "1. ♘f3 ♞f6 {a} 2. g3± ½–½\n\n".encode()
    yield '[Event “Club”]\r\n\r\n1. Sf3 d5 (1... Sf6) 1–0\r\n\r\n[Event "x"]\r\n\r\n1. e4 *\r\n\r\n'.encode()
    yield '[White "O’Kelly"]\n\n1. O–O ½\n\n'.encode("cp1252")


def test_games_are_copied_as_they_are(tmp_path: Path) -> None:
    for number, text in enumerate(odd_files()):
        source, target = tmp_path / f"{number}.pgn", tmp_path / f"{number}-out.pgn"
        source.write_bytes(text)
        setwise.merge(str(source), target)
        assert target.read_bytes() == text


def test_games_keep_their_moves_when_they_are_packed(tmp_path: Path) -> None:
    for number, text in enumerate(odd_files()):
        source, target = tmp_path / f"{number}.pgn", tmp_path / f"{number}.parquet"
        source.write_bytes(text)
        setwise.pack(str(source), target)
        columns = ["game", "ply", "move", "result", "white_name"]
        assert setwise.find("true", str(target), columns=columns) == setwise.find("true", str(source), columns=columns)


def test_every_word_that_is_read_is_told_with_its_place(tmp_path: Path) -> None:
    source = tmp_path / "x.pgn"
    source.write_text('[Event "a"]\n\n1. e4 *\n\n[Event "b"]\n\n1. e4\n1... ♞c6 *\n', "utf-8")
    told: list[str] = []
    setwise.find("true", str(source), columns=["ply"], on_fault=lambda fault: told.append(str(fault)))
    assert told == [f"{source.name}, line 8, game 2: '♞c6': is read as Nc6"] or told == [
        f"{source}, line 8, game 2: '♞c6': is read as Nc6"
    ]


def test_a_plain_text_with_one_changed_character_is_never_silently_another_game() -> None:
    """What a foreign character stands in for is read rightly, or the game ends there with a fault."""
    text = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Bxc6 dxc6 5. O-O f6 6. d4 exd4 7. Nxd4 c5 1/2-1/2"
    moves, wrong = plain(text), []
    for place in range(len(text))[:: depth(2, 1)]:
        for foreign in "Кс–½Š☃→"[:: depth(2, 1)]:
            for changed in (text[:place] + foreign + text[place:], text[:place] + foreign + text[place + 1 :]):
                games = read(changed)
                played = [it.uci() for it in games[0].moves]
                common = len(played) if played == moves[: len(played)] else -1
                is_whole = common == len(moves)
                if common < 0 or not (is_whole or [*games.faults()]):
                    wrong.append((changed, played))
    assert not wrong, wrong[:5]


def test_every_reader_gets_beyond_every_pair_of_signs() -> None:
    """A kernel that does not know a sign must still go on behind it."""
    signs = "".join(chr(code) for code in range(33, 127)) + "½♘Кé–"
    text = "".join(
        f"1. e4 {one}{other} e5 (1... c5 {one}{other} 2. Nf3) 1-0\n\n" for one in signs for other in signs
    ).encode()
    for block in (text, b" ".join((b"(null", b"(null)", b"(pass))", b"=/", b"+/ ", b":(", b"-{", b")/"))):
        games = read(block, variations=True)
        starts, stops = spans(games)
        for parts in PARTS:
            stripped(np.frombuffer(block, np.uint8), np.array([0]), np.array([len(block)]), (parts,))
            stripped(games.text, starts, stops, (parts,))


REPORTED = ROOT / "../shared/data/reports/inputs"


#: For each reported file the numbers of its games, positions, faults and repairs. The faults are those of moves that
#: are not possible, of a game within a comment, and of FENs that are none.
CASES = {
    "01_same_line.pgn": (3, 15, 0, 0), "02_blank_in_tags.pgn": (2, 13, 0, 0), "03_no_blank_between.pgn": (3, 4, 0, 0),
    "04_fen_only.pgn": (2, 2, 0, 0), "06_both_lose.pgn": (3, 6, 0, 2), "08_zeros_castling.pgn": (2, 14, 0, 0),
    "12_indented.pgn": (1, 2, 0, 0), "14_chesscom_clk_wrapped.pgn": (1, 9, 0, 0),
    "15_comment_first_black.pgn": (1, 5, 0, 0), "18_bracket_line_in_comment.pgn": (2, 8, 0, 0),
    "20_pgn_in_comment.pgn": (4, 13, 2, 0), "21_result_conflict.pgn": (1, 2, 0, 0),
    "22_cutechess_eval.pgn": (1, 6, 0, 0), "23_latin1.pgn": (2, 4, 0, 0), "24_cp1252.pgn": (1, 2, 0, 0),
    "25_utf16le_bom.pgn": (1, 3, 0, 0), "28_result_in_comment.pgn": (1, 6, 0, 0), "34_german.pgn": (1, 17, 0, 1),
    "45_nbsp_zero_width.pgn": (3, 20, 1, 3), "47_two_variations_before.pgn": (1, 3, 0, 0), "50_twic.zip": (2, 7, 0, 0),
    "50c_games.tar.gz": (2, 7, 0, 0), "52_lichess.ndjson": (2, 9, 0, 0), "53_kaggle_games.csv": (2, 9, 0, 0),
    "54_openings.tsv": (2, 5, 0, 0), "55_lichess_puzzle.csv": (1, 5, 0, 0), "60_transposition.pgn": (9, 55, 0, 0),
    "65_clock_styles.pgn": (1, 9, 0, 0), "71_elo_zero.pgn": (7, 14, 0, 0), "73_novelty.pgn": (1, 16, 0, 1),
    "75_unicode_results.pgn": (14, 42, 0, 11), "76_draw_spaced.pgn": (4, 14, 0, 4),
    "77_moves_after_result.pgn": (5, 12, 1, 0), "78_cyrillic_castle.pgn": (3, 22, 0, 3),
    "79_unquoted_tags.pgn": (5, 10, 0, 18), "80_frc_no_variant.pgn": (3, 26, 0, 0), "86_matetrack.epd": (8, 8, 0, 0),
    "90_faulty_fens.txt": (5, 5, 3, 3), "94_null_words.pgn": (10, 77, 1, 4), "95_fen_tag_case.pgn": (2, 7, 0, 4),
}  # fmt: skip


@pytest.mark.skipif(not REPORTED.is_dir(), reason="the test data ../shared/data is not here")
@pytest.mark.parametrize("name", CASES)
def test_reported_files_are_read(name: str) -> None:
    told = Counter[str]()
    table = setwise.find(
        "true", REPORTED / name, columns=["game"], on_fault=lambda it: told.update([type(it).__name__])
    )
    assert (len(set(table["game"].to_pylist())), table.num_rows, told["Fault"], told["Repair"]) == CASES[name]


@pytest.mark.skipif(not REPORTED.is_dir(), reason="the test data ../shared/data is not here")
def test_values_of_reported_files_are_read() -> None:
    def column(name: str, file: str, where: str = "true") -> list[object]:
        return [it for it in setwise.find(where, REPORTED / file, columns=[name])[name].to_pylist() if it is not None]

    assert column("evaluation", "22_cutechess_eval.pgn") == [31, 28, 31995, 31993]
    assert column("elapsed", "22_cutechess_eval.pgn") == [0.52, 0.61, 1.1, 0.9]
    assert column("white_elo", "71_elo_zero.pgn", "ply = 0") == [2500, 2700]
    assert len(column("clock", "14_chesscom_clk_wrapped.pgn")) == 8
    assert column("clock", "52_lichess.ndjson") == [180.03] * 4
    assert column("comment", "24_cp1252.pgn") == ["“Best by test” – said… €5"]
    assert sorted(it for nags in column("nags", "73_novelty.pgn") for it in nags) == [146, 201]  # type: ignore[attr-defined]
    assert column("white_name", "53_kaggle_games.csv", "ply = 0") == ["x", "x"]


def test_a_text_is_said_again_once() -> None:
    """What is still a fault afterwards stays one, and the text of the file is kept."""
    text = "1. ♘f3 ♞f6 2. Кf3 *"
    games = read(text)
    again = Games.parsed(games.block, notes=True)
    assert again.block.written is games.block.written is not None
    assert again.block.written.text == text.encode()
    assert [str(it) for it in again.faults()] == [str(it) for it in games.faults()]
