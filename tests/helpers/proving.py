"""Every pattern and its twin, compared for all boards: by the solver, round by round of a loop, or case by case.

``python tests/helpers/proving.py`` proves all of them and writes the list that pages show, ``catalogue/proofs.toml``.
It also keeps the key of each proof: by day, nothing is proved again while its definition and its twin stay the same.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import inspect
import itertools
import json
import sys
import time
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, get_type_hints

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).parents[1])

import numpy as np
import z3

import naive
from helpers import symbolic
from helpers.data import ROOT
from helpers.patterns import EVERY_PATTERN, PATTERNS
from helpers.symbolic import Members, truth
from helpers.twins import ANSWERS, OF_NUMBERS, OF_SETS, twin_of
from naive import fills, knight
from setwise import proofs
from setwise.compiler import Pattern, keys
from setwise.proofs import Truth, Word, joined, lifted, solved, term_of, truth_of

Places = set[naive.Place]
#: The largest value of arguments that are numbers and whose values are tried one after the other.
_MOST = 1 << 16


def bits(term: Any) -> list[Any]:
    return [z3.Extract(square, square, term) == 1 for square in range(64)]


def board_of(term: Any) -> np.ndarray:
    board = np.empty((8, 8, 1), object)
    for square, bit in enumerate(bits(term)):
        board[square % 8, square // 8, 0] = Truth(bit)
    return board


def as_seen(hint: Any, term: Any) -> Any:
    """A symbolic set in the form in which a twin looks at it."""
    if hint is naive.Board:
        return board_of(term)
    name = naive.place if hint == Places else int
    return Members((bit, name(square)) for square, bit in enumerate(bits(term)))


def word_of(answer: Any, hint: Any) -> Any:
    """The answer of a twin as a word."""
    if isinstance(answer, np.ndarray) and answer.size == 64:
        conditions = [truth(answer[square % 8, square // 8, 0]) for square in range(64)]
    elif hint in (set[int], Places):
        found = symbolic.members(answer)
        name = naive.place if hint == Places else int
        conditions = [found.has(name(square)) for square in range(64)]
    elif hint is bool:
        return z3.If(truth(answer), z3.BitVecVal(1, 64), z3.BitVecVal(0, 64))
    else:
        return term_of(answer)
    one, zero = z3.BitVecVal(1, 1), z3.BitVecVal(0, 1)
    return z3.Concat(*(z3.If(condition, one, zero) for condition in reversed(conditions)))


def one_at_most(squares: Any) -> Any:
    return squares & (squares - 1) == 0


def on_ranks(pawns: Any, enemy_pawns: Any) -> list[Any]:
    return [(pawns | enemy_pawns) & 0xFF00_0000_0000_00FF == 0]


def apart(pawns: Any, enemy_pawns: Any) -> list[Any]:
    return [*on_ranks(pawns, enemy_pawns), pawns & enemy_pawns == 0]


def one_king_each(own: Any, enemy: Any, kings: Any) -> list[Any]:
    return [one_at_most(own & kings), own & enemy == 0]


def castling(king: Any, rooks: Any) -> list[Any]:
    west, east = rooks & 0xFF & (king - 1), rooks & 0xFF & ~(king - 1)
    return [king & rooks == 0, one_at_most(west), one_at_most(east)]


def among(own: Any, enemy_orthogonal: Any, enemy_diagonal: Any, occupied: Any) -> list[Any]:
    return [(own | enemy_orthogonal | enemy_diagonal) & ~occupied == 0]


def among_too(own: Any, orthogonal: Any, diagonal: Any, occupied: Any) -> list[Any]:
    return [(own | orthogonal | diagonal) & ~occupied == 0]


def sliders_among(orthogonal: Any, diagonal: Any, occupied: Any) -> list[Any]:
    return [(orthogonal | diagonal) & ~occupied == 0]


#: What is assumed of the arguments of a pattern, in words and as conditions; of all others nothing is assumed.
ASSUMED: dict[str, tuple[str, Callable[..., list[Any]]]] = {
    **{p.name: ("`king` is one square at most", lambda king: [one_at_most(king)]) for p in PATTERNS["mates"]},
    **dict.fromkeys(
        ["pawns.passed", "pawns.connected_passers", "pawns.passed_foremost", "pawns.passed_free"],
        ("pawns stand on ranks 2 to 7", on_ranks),
    ),
    "pawns.candidate": ("pawns stand on ranks 2 to 7, and no two on one square", apart),
    **dict.fromkeys(
        ["moves.checkers", "moves.attacked", "moves.check_mask"],
        ("we have one king at most, and no square is of both sides", one_king_each),
    ),
    "bit_tricks.next_subset": ("`subset` is within `squares`", lambda subset, squares: [subset & ~squares == 0]),
    "moves.castling_rooks": ("the king is no rook, and on each side of it stands one rook at most", castling),
    **dict.fromkeys(["lines.pinned", "lines.pinners"], ("`own` and the sliders are among `occupied`", among)),
    "lines.discovered_check_candidates": ("`own` and the sliders are among `occupied`", among_too),
    "lines.batteries": ("the sliders are among `occupied`", sliders_among),
}


def assumed(p: Pattern, words: dict[str, Any]) -> list[Any]:
    """The conditions that are assumed of the arguments of a pattern."""
    if p.name not in ASSUMED:
        return []
    _, conditions = ASSUMED[p.name]
    return conditions(*(words[name] for name in inspect.signature(conditions).parameters))


def cases(p: Pattern, twin: Callable[..., Any]) -> Iterator[tuple[dict[str, Any], Any, Any]]:
    """The arguments, the pattern's answer and the twin's as formulas: one case, or one for each single square."""
    hints = get_type_hints(twin)
    returned = hints.pop("return")
    ways: list[list[tuple[Any, Any]]] = []
    for (name, kind), hint in zip(p.kinds.items(), hints.values(), strict=True):
        if kind.is_set and hint in (int, naive.Place):
            look = int if hint is int else naive.place
            ways.append([(z3.BitVecVal(1 << square, 64), look(square)) for square in range(64)])
        elif kind.is_set:
            term = z3.BitVec(name, 64)
            ways.append([(term, as_seen(hint, term))])
        elif kind.largest > _MOST:
            term = z3.BitVec(name, 64)
            ways.append([(term, Word(term))])
        else:
            look = {int: int, bool: bool, naive.Place: naive.place}[hint]
            ways.append([(z3.BitVecVal(value, 64), look(value)) for value in range(kind.largest + 1)])
    for way in itertools.product(*ways):
        symbolic._known.clear()
        words = {name: term for name, (term, _) in zip(p.kinds, way, strict=True)}
        answer = joined(functools.partial(lifted(p), *map(Word, words.values())))
        expected = word_of(symbolic.apply(twin, [seen for _, seen in way], {}), returned)
        yield words, answer, expected


# ------------------------------------------------------------------------------ loops whose length depends on the board


class Loop:
    """A pattern that is a loop: what is before it, its condition, its body and its result, each run on formulas."""

    def __init__(self, p: Pattern) -> None:
        self.scope = dict(lifted(p).__globals__)
        statements = symbolic.tree_of(p.function).body
        at = next(place for place, it in enumerate(statements) if isinstance(it, ast.While))
        self.first, self.loop, self.last = statements[1:at], statements[at], statements[at + 1]

    def run(self, statements: list[ast.stmt], names: dict[str, Any]) -> dict[str, Any]:
        plain = [
            ast.copy_location(ast.Assign([it.target], it.value), it) if isinstance(it, ast.AnnAssign) else it
            for it in statements
        ]
        known = {**self.scope, **names}
        exec(compile(ast.Module(plain, []), "loop", "exec"), known)  # noqa: S102  (the definition itself)
        return {name: value for name, value in known.items() if name not in self.scope or name in names}

    def value(self, expression: ast.expr, names: dict[str, Any], of: Any = term_of) -> Any:
        code = compile(ast.Expression(expression), "loop", "eval")
        return joined(lambda: eval(code, {**self.scope, **names}), of)  # noqa: S307


def rounds(p: Pattern) -> list[Any]:
    """What must hold for all words, so that a pattern with a loop is its twin: a list of pairs of formulas.

    The loop begins with what the twin begins with, each round is a step of the twin, it goes on as long as the twin
    does, and the result is that of the twin.
    """
    words = {name: Word(z3.BitVec(name, 64)) for name in p.kinds}
    reached, before, count = (Word(z3.BitVec(f"the {name}", 64)) for name in ("reached", "before", "count"))

    def sets(*terms: Any) -> list[Members]:
        return [Members((bit, square) for square, bit in enumerate(bits(it.term))) for it in terms]

    def step(*terms: Any) -> Any:
        rule = fills.step if p.name.startswith("fills") else knight.step
        return word_of(symbolic.apply(rule, sets(*terms), {}), set[int])

    if p.name == "race.king_path":
        passed: list[Any] = []
        scope = lifted(p).__globals__
        kept = scope["shortest_path_length"]
        scope["shortest_path_length"] = lambda *it: passed.extend(it)
        lifted(p)(*words.values())
        scope["shortest_path_length"] = kept
        free = word_of(Members((z3.Or(z3.Not(t), k), square) for square, (t, k) in enumerate(
            zip(bits(words["taboo"].term), bits(words["king"].term), strict=True))), set[int])  # fmt: skip
        return [*zip(map(term_of, passed), [words["king"].term, words["target"].term, free], strict=True)]
    loop = Loop(p)
    start = loop.run(loop.first, words)
    counter = "moves" if "moves" in words else "steps"
    state = start | {"reached": reached, "before": before, counter: count}
    after = loop.run(loop.loop.body, state)
    goes_on, result = loop.value(loop.loop.test, state, truth_of), loop.value(loop.last.value, state)
    differs = (reached != before).term
    if p.name == "knight.after":
        return [
            (term_of(start["reached"]), words["knights"].term), (term_of(after["reached"]), step(reached)),
            (term_of(after["moves"]), count.term - 1), (goes_on, count.term != 0), (result, reached.term),
        ]  # fmt: skip
    if p.name == "knight.reach":
        added = step(reached) & ~words["avoid"].term
        return [
            (term_of(start["reached"]), words["knights"].term), (term_of(after["reached"]), reached.term | added),
            (term_of(after["before"]), reached.term), (term_of(after["moves"]), count.term - 1),
            (goes_on, z3.And(count.term != 0, differs)), (result, reached.term),
        ]  # fmt: skip
    path = words["path"]
    begin = words["start" if p.name == "fills.flood" else "a"] & path
    met = reached & words["b"] & path != 0 if "b" in words else Truth(z3.BoolVal(val=False))
    pairs = [
        (term_of(start["reached"]), begin.term), (term_of(after["reached"]), step(reached, path)),
        (term_of(after["before"]), reached.term), (goes_on, z3.And(differs, z3.Not(met.term))),
    ]  # fmt: skip
    if p.name == "fills.shortest_path_length":
        pairs += [(term_of(start["steps"]), term_of(0)), (term_of(after["steps"]), count.term + 1)]
        return [*pairs, (result, z3.If(met.term, count.term, term_of(-1)))]
    return [*pairs, (result, reached.term if p.name == "fills.flood" else term_of(met))]


ROUNDS = (
    "fills.flood", "fills.connected", "fills.shortest_path_length", "knight.after", "knight.reach", "race.king_path",
)  # fmt: skip

#: Patterns that are compared in random cases only, and why.
RANDOM = {
    "fills.shortest_paths": "two loops that keep three sets by turns are too long a formula",
    "keys.after_move": "six arguments have 70 million cases; its law is tried on the moves of real games",
    "king.mate_at_a_glance": "it is a rule of thumb without an exact meaning: what it finds in games is mate",
    "moves.legal_move_count": "the rules of moves have no short twin: python-chess counts the moves",
    "race.escorted": "it is sufficient, not exact: what it finds of one pawn promotes in the solved game",
    "race.two": "its loops go over all pairs of pawns: every king and pair of pawns is tried, larger sets at random",
}


# ------------------------------------------------------------------------------------------------------ every pattern


def tried(p: Pattern, twin: Callable[..., Any]) -> int:
    """Compare all cases of a pattern whose arguments have few values; return how many there are."""
    hints = get_type_hints(twin)
    answer = ANSWERS[hints.pop("return")]
    ways = [
        ([1 << k for k in range(64)], OF_SETS[hint]) if kind.is_set else (range(kind.largest + 1), OF_NUMBERS[hint])
        for kind, hint in zip(p.kinds.values(), hints.values(), strict=True)
    ]
    every = list(itertools.product(*(values for values, _ in ways)))
    looks = [look for _, look in ways]
    expected = [answer(twin(*(look(it) for look, it in zip(looks, case, strict=True)))) for case in every]
    columns = [
        np.array(column, kind.dtype) for column, kind in zip(zip(*every, strict=True), p.kinds.values(), strict=True)
    ]
    wrong = np.flatnonzero(p(*columns) != np.array(expected, p.returns.dtype))
    assert not wrong.size, f"{p.name}{every[wrong[0]]}"
    return len(every)


def proved(p: Pattern) -> dict[str, Any]:
    """Compare a pattern with its twin for all boards; return how, for its page. A difference is an error."""
    if p.name in RANDOM:
        return {"how": "random", "why": RANDOM[p.name]}
    started, found = time.process_time(), {"where": ASSUMED[p.name][0]} if p.name in ASSUMED else {}
    if p.name in ROUNDS:
        for ours, expected in rounds(p):
            assert solved([ours != expected], 60) is True, f"{p.name}: {z3.simplify(ours)}"
        return {"how": "rounds", "seconds": time.process_time() - started}
    twin = twin_of(p)
    assert twin, p.name
    in_numbers = set(list(get_type_hints(twin).values())[:-1]) <= {int, bool, naive.Place}
    if in_numbers and all(kind.is_set or kind.largest <= _MOST for kind in p.kinds.values()):
        return {"how": "tried", "cases": tried(p, twin), "seconds": time.process_time() - started}
    count = 0
    for words, answer, expected in cases(p, twin):
        model = solved([answer != expected, *assumed(p, words)], 120)
        assert model is True, f"{p.name} differs from its twin, or was not decided: {model}"
        count += 1
    return found | {"how": "z3", "cases": count, "seconds": time.process_time() - started}


FILE = ROOT / "src" / "setwise" / "catalogue" / "proofs.toml"
HEAD = """\
# What is proved of each pattern, and how. `make proofs` writes this list; tests/test_proofs.py proves it again.
#
# "z3": the solver decides all boards, in so many cases. "rounds": each round of the loop is proved to be a step of the
# twin. "tried": all cases are tried. "random": neither can be, and why; random cases stand for it. The seconds are the
# least of 0.1, 1, 10 and 100 that were enough.

"""


@functools.cache
def listed() -> dict[str, dict[str, Any]]:
    """The list of proofs."""
    return tomllib.loads(FILE.read_text("utf-8")) if FILE.exists() else {}


#: The keys of what the solver has proved.
KEPT = ROOT / "tests" / "data" / "proved.json"


@functools.cache
def _machinery() -> str:
    """A digest of the twins, and of what makes formulas and hands them to the solver."""
    files = (
        *sorted(Path(str(naive.__file__)).parent.glob("*.py")),
        *(Path(str(it.__file__)) for it in (proofs, symbolic)),
    )
    return hashlib.sha256(b"".join(file.read_bytes() for file in (*files, Path(__file__)))).hexdigest()


def key(p: Pattern) -> str:
    """A digest of all that a proof depends on: the definition with everything that it reaches, twins, machinery."""
    return keys._digest(p, _machinery(), lambda it: keys._syntax(it.function.__code__))


@functools.cache
def _kept() -> dict[str, str]:
    return json.loads(KEPT.read_text("utf-8")) if KEPT.exists() else {}


def is_kept(p: Pattern) -> bool:
    """Whether the solver has proved the same formula of the same twin before."""
    return _kept().get(p.name) == key(p)


def keep(some: list[Pattern]) -> None:
    """Write down that these were proved just now; cases that are tried run compiled code, and are tried every time."""
    how = listed()
    found = {p.name: key(p) for p in some if how[p.name]["how"] in {"z3", "rounds"}}
    KEPT.write_text(json.dumps(_kept() | found, indent=0, sort_keys=True) + "\n", "utf-8")


def time_class(seconds: float, before: float | None) -> float:
    """The class of a time; that of the list where the time is near its bounds, so that the list changes little."""
    if before and before / 30 <= seconds <= before * 3:
        return before
    return next(bound for bound in (0.1, 1, 10, 100, 1000) if seconds <= bound)


def main() -> None:
    """Prove every pattern and write the list."""
    known, lines, total = listed(), [], time.process_time()
    for p in EVERY_PATTERN:
        entry = proved(p)
        if "seconds" in entry:
            entry["seconds"] = time_class(entry["seconds"], known.get(p.name, {}).get("seconds"))
        entry = {key: entry[key] for key in ("how", "cases", "seconds", "where", "why") if key in entry}
        values = ", ".join(f'{key} = "{it}"' if isinstance(it, str) else f"{key} = {it}" for key, it in entry.items())
        lines.append(f'"{p.name}" = {{ {values} }}')
        print(lines[-1], flush=True)
    FILE.write_text(HEAD + "\n".join(lines) + "\n", "utf-8")
    listed.cache_clear()
    keep(EVERY_PATTERN)
    print(f"{time.process_time() - total:.0f} s of CPU")


if __name__ == "__main__":
    main()
