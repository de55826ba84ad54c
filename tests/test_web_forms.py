"""The chips of the search: every combination is a condition that runs, and what a text typed into the field means."""

from __future__ import annotations

import functools
import itertools
import random

import pytest

import setwise
from helpers.data import FAMOUS_GAMES
from helpers.depth import depth
from setwise import Position
from setwise.corpus import lexicon
from setwise.corpus.language import condition_of
from setwise.corpus.language.names import LIKE, like
from setwise.errors import QueryError
from setwise.web.forms import CHOICES, KINDS, LISTED, condition, labels, motifs, offers, understood

#: Texts of chips of each kind; they have what a condition could stumble over.
VALUES = {
    "player": ["Carlsen", "Garry Kasparov", "O'Kelly de Galway", '100% "x" -- y', "É"],
    "opening": ["B90", "b9", "C", "B90-B99", "Sicilian", "King's Gambit"],
    "year": ["1850", "1850-2020", "1850-", "-2020"], "rating": ["2000+", "2000-2900"],
    "material": ["KRP v KR", "KQ vs K", "KBN-K"], "word": ["windmill", "bad bishop"],
    "where": ["ply > 20 or is_check", "year < 1900"],
    **{kind: [it.asks for it in motifs(kind)] for kind in LISTED},
}  # fmt: skip
for chip in CHOICES:
    VALUES.setdefault(chip.partition(":")[0], []).append(chip.partition(":")[2])


def test_every_kind_has_values_to_try() -> None:
    assert VALUES.keys() == KINDS.keys()


def of(form: dict[str, str]) -> str:
    """The condition of one chip of each kind."""
    return condition([f"{kind}:{text}" for kind, text in form.items() if text])


def filled(form: dict[str, str]) -> str:
    try:
        return of(form)
    except QueryError as error:
        assert "whose" in str(error), error  # noqa: PT017
        assert not form.get("player")
        assert {*form} & {"side", "result"}
        return "true"


def test_every_pair_of_kinds_is_a_condition() -> None:
    tried = 0
    for first, second in itertools.combinations(KINDS, 2):
        for one, other in itertools.product(VALUES[first][: depth(2, 5)], VALUES[second][: depth(2, 5)]):
            where = filled({first: one, second: other})
            if where:
                condition_of(where, {})
                tried += 1
    assert tried > depth(150, 700)


@functools.cache
def found_by(where: str) -> frozenset[tuple[int, int]]:
    """The positions of the famous games that a condition finds; all of them for an empty one."""
    found = setwise.find(where or "true", FAMOUS_GAMES, columns=["game", "ply"])
    return frozenset(zip(found["game"].to_pylist(), found["ply"].to_pylist(), strict=True))


def test_an_entry_of_a_list_finds_what_its_question_finds_beside_other_fields() -> None:
    """An entry with an `or` in it is one condition beside others, too."""
    entries = [(field, it) for field in LISTED for it in motifs(field)]
    assert len(entries) > 100
    endgames, some = found_by("phase = 'endgame'"), 0
    for field, it in entries[:: depth(6, 1)]:
        wanted = found_by(it.text) & endgames
        assert found_by(of({field: it.asks, "phase": "endgame"})) == wanted, it.asks
        some += bool(wanted)
    assert some > depth(5, 40)


#: The kinds of which each says something by itself, with what many positions have; the others go together.
ALONE = {
    "opening": "C", "year": "1850-1950", "rating": "", "motif": "A passed pawn", "structure": "", "ending": "",
    "phase": "middlegame", "material": "", "word": "passed pawn", "where": "ply > 20 or is_check",
}  # fmt: skip


def test_a_form_finds_what_all_of_its_fields_find() -> None:
    """Fields that are filled in at random narrow the search, each by what it finds alone."""
    chance, some = random.Random(24), 0  # noqa: S311
    missed = {it.asks for it in motifs("motif") if it.topic == "Missed chances"}  # these are the player's own
    values = {name: [it for it in VALUES[name] if it not in missed] for name in ALONE}
    for _ in range(depth(40, 400)):
        form = {name: chance.choice([chance.choice(values[name]), ALONE[name]]) for name in chance.sample([*ALONE], 2)}
        player = {"player": chance.choice(["Kasparov", "Garry Kasparov", "Morphy", ""])}
        player |= {
            "side": player["player"] and chance.choice(["white", "black", ""]),
            "result": chance.choice(["1-0", ""]),
        }
        alone = [found_by(of({name: text})) for name, text in form.items()]
        together = found_by(of(player)).intersection(*alone)
        assert found_by(of(form | player)) == together, form | player
        some += bool(together)
    assert some > depth(5, 50)


def games_of(form: dict[str, str]) -> set[int]:
    return set(setwise.find(of(form), FAMOUS_GAMES, columns="game")["game"].to_pylist())


def test_a_form_finds_the_games_that_it_says() -> None:
    """Compared with the table of games, row by row."""
    games = setwise.sql("select game, white_name, black_name, result, year from games", FAMOUS_GAMES).to_pylist()

    def those(holds: object) -> set[int]:
        return {it["game"] for it in games if holds(it)}  # type: ignore[operator]

    kasparov = lambda it, side: "kasparov" in (it[f"{side}_name"] or "").lower()  # noqa: E731
    assert those(lambda it: kasparov(it, "white") or kasparov(it, "black"))
    for name in ("kasparov", "Kasparov, Garry", "garry KASPAROV"):
        assert games_of({"player": name}) == those(lambda it: kasparov(it, "white") or kasparov(it, "black"))
        assert games_of({"player": name, "side": "black"}) == those(lambda it: kasparov(it, "black"))
        assert games_of({"player": name, "result": "won"}) == those(
            lambda it: (
                (kasparov(it, "white") and it["result"] == "1-0") or (kasparov(it, "black") and it["result"] == "0-1")
            )
        )
        assert games_of({"player": name, "side": "white", "result": "lost"}) == those(
            lambda it: kasparov(it, "white") and it["result"] == "0-1"
        )
    assert games_of({"year": "1900-1950"}) == those(lambda it: 1900 <= (it["year"] or 0) <= 1950)
    assert games_of({"result": "1/2-1/2"}) == those(lambda it: it["result"] == "1/2-1/2")


def test_a_missed_chance_is_the_players_own() -> None:
    """The same game lets both players miss something; the form with a name has that player's alone."""
    game = b'[White "Anna"][Black "Berta, B"][FEN "6k1/5ppp/2N5/3q4/8/8/5PPP/6K1 w - - 0 1"] 1. h3 h6 *'
    asked = {"motif": "Any chance was missed"}
    assert setwise.find(of(asked), game, columns="ply")["ply"].to_pylist() == [0, 1]
    assert setwise.find(of({**asked, "player": "anna"}), game, columns="ply")["ply"].to_pylist() == [0]
    assert setwise.find(of({**asked, "player": "B. Berta"}), game).num_rows == 0  # "B." is no word of the name
    assert setwise.find(of({**asked, "player": "B Berta"}), game, columns="ply")["ply"].to_pylist() == [1]
    assert setwise.find(of({**asked, "player": "Anna", "side": "black"}), game).num_rows == 0


def test_two_players_are_those_of_one_game() -> None:
    found = setwise.find(
        condition(["player:Kasparov", "player:Karpov"]), FAMOUS_GAMES, columns=["white_name", "black_name"]
    )
    assert {tuple(row.values()) for row in found.to_pylist()} == {("Karpov, Anatoly", "Kasparov, Garry")}


def test_no_chip_says_nothing_and_one_says_it_once() -> None:
    assert condition([]) == ""
    assert condition(["year:1985", "year:1985"]) == "year >= 1985 and year <= 1985"


@pytest.mark.parametrize(
    ("chip", "said"),
    [
        ("year:last year", "Year is a number of four digits"),
        ("rating:-", "Rating is a number of four digits"),
        ("motif:DROP TABLE", "Motif has no 'DROP TABLE'"),
        ("phase:x' or true or '", "Phase is one of"),
        ("side:green", "Side is one of"),
        ("result:won", "whose win or loss"),
        ("side:white", "whose side"),
        ("nothing:x", "no chips of the kind 'nothing'"),
        ("word:no such word", "no condition is known"),
        ("where:select 1", "stands alone"),
    ],
)
def test_what_a_chip_cannot_say_is_refused(chip: str, said: str) -> None:
    with pytest.raises(QueryError, match=said):
        condition([chip])


def test_chips_have_names_that_people_use() -> None:
    known = labels()
    assert known["player"] == "Player"
    assert [it for it in known.values() if "_" in it] == []
    assert {it.partition(":")[0] for it in known} <= KINDS.keys()


# -------------------------------------------------------------------------------------------------------------- a text


@pytest.mark.parametrize(
    ("text", "chips"),
    [
        ("Carlsen", ["player:Carlsen"]),
        ("royal fork", ["motif:A safe fork of king and queen is on"]),
        ("forks", ["motif:A safe fork is on"]),
        ("smothered mate", ["motif:Smothered mate"]),
        ("isolani", ["structure:White has an isolated queen's pawn"]),
        ("Sicilian", ["opening:Sicilian"]),
        ("b90", ["opening:B90"]),
        ("endgames", ["phase:endgame"]),
        ("time trouble", ["motif:Less than thirty seconds are left"]),
        ("1985", ["year:1985"]),
        ("1980-1990", ["year:1980-1990"]),
        ("since 1990", ["year:1990-"]),
        ("before 1900", ["year:-1900"]),
        ("2400", ["rating:2400+"]),
        ("rated 1800-2000", ["rating:1800-2000"]),
        ("draws", ["result:1/2-1/2"]),
        ("White won", ["result:1-0"]),
        ("KRP v KR", ["material:KRP v KR"]),
        ("windmill", ["word:windmill"]),
        ("Sicilian 1985 drawn", ["opening:Sicilian", "year:1985", "result:1/2-1/2"]),
        ("Magnus Carlsen", ["player:Magnus Carlsen"]),
        ("O-O", ["word:O-O"]),
        ("o-o-o", ["word:o-o-o"]),
        ("O-O 1985", ["word:O-O", "year:1985"]),
        ("Nc6", ["word:Nc6"]),
        ("exd5", ["word:exd5"]),
        ("d5", ["word:d5"]),
        ("D5", ["opening:D5"]),
        ("s", ["player:s"]),
    ],
)
def test_words_become_chips(text: str, chips: list[str]) -> None:
    assert understood(text) == {"chips": chips}
    assert condition(chips)


def test_all_chips_hold_also_two_of_a_kind() -> None:
    assert condition(["result:1/2-1/2", "result:0-1"]) == "result = '1/2-1/2' and result = '0-1'"
    assert condition(["result:won", "result:1-0", "player:Tal"]).endswith(") and player('Tal') and result = '1-0'")
    both = condition(["side:white", "side:black", "player:Tal"])
    assert both == "contains(lower(white_name), 'tal') and contains(lower(black_name), 'tal')"


@pytest.mark.parametrize("text", ["KRP VS. KR", "krp V kr", "KRP-KR", "KRP v KR"])
def test_material_is_asked_in_any_case(text: str) -> None:
    [chip] = understood(text)["chips"]
    assert condition([chip]).replace(" ", "") == "material('KRPvKR')"


def test_several_words_are_several_chips() -> None:
    known = {"kasparov", "karpov", "garry kasparov"}
    told = understood("garry kasparov karpov as black won 1985 fork", lambda name: name.lower() in known)["chips"]
    assert told == [
        "player:garry kasparov", "player:karpov", "side:black", "result:won", "year:1985", "motif:A safe fork is on",
    ]  # fmt: skip


def test_a_player_before_a_word_stays_a_chip_of_its_own() -> None:
    """The lexicon alone would pass over the name."""
    told = understood("Garry Kasparov won", lambda name: name.lower() in {"garry", "kasparov", "garry kasparov"})
    assert told == {"chips": ["player:Garry Kasparov", "result:won"]}


def test_chips_are_suggested_for_what_is_typed_so_far() -> None:
    told = offers("fork", ["Forkel, A"])
    assert told[0] == {"chip": "player:Forkel, A", "name": "Forkel, A", "about": "Player"}
    assert told[1] == {"chip": "motif:A safe fork is on", "name": "A safe fork is on", "about": "Motif"}
    assert {"chip": "word:windmill", "name": "windmill", "about": "Word"} in offers("windm", [])
    for it in [*told, *offers("pass", []), *offers("2000-2010", [])]:
        condition_of(condition([it["chip"]]), {})


def test_every_word_of_the_lexicon_is_understood() -> None:
    """It is a condition, a motif, or the sentence that says why no column answers; no word is a player's name."""
    refused: dict[str, str] = {}
    words = 0
    for word, meaning in [*lexicon.entries().items()][:: depth(16, 1)]:
        try:
            told = understood(word)
        except QueryError as error:
            refused[meaning] = str(error)
            continue
        kinds = [it.partition(":")[0] for it in told.get("chips", ())]
        words += kinds == ["word"]
        assert ("player" in kinds) is meaning.startswith(("within(", "leaves(")), word
        assert kinds in (["where"], ["result"], ["side"]) or condition(told.get("chips", ["year:1900"]))
    assert all(meaning == said for meaning, said in refused.items())
    assert len(refused) > 5
    assert words > 100
    meaning, _, remark = lexicon.entries()["windmill"].partition(" -- ")
    assert condition(["word:windmill"]) == meaning
    assert remark
    assert condition(["where:ply > 3 -- late", "year:1985"]).endswith("(ply > 3 -- late\n)")
    assert understood("windmill", lambda name: name == "windmill")["chips"] == ["player:windmill"]


def test_a_players_name_is_no_motif() -> None:
    assert understood("Anna")["chips"][0].startswith("motif:")
    assert understood("Anna", lambda name: name == "Anna")["chips"] == ["player:Anna"]


@pytest.mark.parametrize("text", ["1. e4 e5 2. Nf3", "e4 e5 Nf3", "1.e4 {best} e5 2.Nf3!? *", "1. e2e4 e7e5 2. g1f3"])
def test_moves_lead_to_their_position(text: str) -> None:
    told = understood(text)
    assert told["fen"] == Position().play("e4").play("e5").play("Nf3").fen()


def test_conditions_and_positions_stay_what_they_are() -> None:
    for text in ("is_checkmate", "white_pasd_pawns <> 0", "select count(*) from games", "ply = 3 and white_to_move"):
        assert understood(text) == {"chips": [f"where:{text}"]}
    assert understood(Position().fen()) == {"fen": Position().fen()}


def test_what_cannot_be_fetched_or_played_is_said() -> None:
    for address in ("https://lichess.org/Fj2lKb3q", "lichess.org/study/abc/def"):
        with pytest.raises(QueryError, match="download the PGN there"):
            understood(address)
    for text in ("8/8/8", "rnbqkbnr/pppp/8/8 w - - 0 1"):
        with pytest.raises(ValueError, match="FEN"):
            understood(text)
    with pytest.raises(QueryError, match="after 2 moves: 'Ke5'"):
        understood("e4 e5 Ke5")


# ------------------------------------------------------------------------------------------------------------ likeness

LUCENA = "1K1k4/1P6/8/8/8/8/r7/2R5 w - - 0 1"


def found(where: str, fen: str) -> bool:
    return bool(setwise.find(where, [Position(fen)]).num_rows)


def mirrored(fen: str) -> str:
    placement, rest = fen.split(" ", 1)
    return f"{'/'.join(rank[::-1] for rank in placement.split('/'))} {rest}"


@pytest.mark.parametrize("what", LIKE)
def test_a_position_is_found_in_each_form_that_is_wanted(what: str) -> None:
    for colours, wings in itertools.product((False, True), repeat=2):
        where = like(LUCENA, what, either_colour=colours, either_wing=wings)
        assert found(where, LUCENA)
        assert found(where, Position(LUCENA).mirror().fen()) is colours
        assert found(where, mirrored(LUCENA)) is wings
        assert found(where, Position(mirrored(LUCENA)).mirror().fen()) is (colours and wings)
        assert not found(where, Position().fen())


def test_less_is_alike_in_less() -> None:
    more = "1K1k4/1P6/8/8/8/8/r7/2R4N w - - 0 1"
    assert [found(like(LUCENA, what), more) for what in LIKE] == [False, True, True]
    assert not found(like(LUCENA, "pieces"), "1K1k4/1P6/8/8/8/8/r7/1R6 w - - 0 1")
    assert found(like(LUCENA, "pawns"), "1K1k4/1P6/8/8/8/8/8/1R6 w - - 0 1")


def test_a_board_that_says_nothing_is_refused() -> None:
    for fen, what, said in (
        ("8/8/8/8/8/8/8/8 w - - 0 1", "pieces", "no pieces"),
        ("k7/8/8/8/8/8/8/K7 w - - 0 1", "pawns", "no pawns"),
        ("8/8/8", "pieces", "FEN"),
        (LUCENA, "colours", "not in 'colours'"),
    ):
        with pytest.raises(QueryError, match=said):
            like(fen, what)
    with pytest.raises(QueryError, match="can castle"):
        like(Position().fen(), either_wing=True)
