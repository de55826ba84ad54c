"""Examples of the documentation open in the workbench as they are drawn, and it leads back to their pages."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest

pytest.importorskip("starlette", reason="the workbench needs the extra web")

from helpers.depth import depth
from helpers.documentation import addresses
from setwise import Bitboard, Position, catalogue
from setwise.catalogue.examples import statements_of
from setwise.catalogue.pages import Page, pages
from setwise.catalogue.questions import PORT, page_address
from setwise.web.answers import board, desk, page


def examples() -> dict[str, Page]:
    """The pages of the package's patterns and features: tests define others."""
    return {
        name: it
        for name, it in pages().items()
        if it.sort in {"pattern", "feature"} and it.thing.__module__.startswith("setwise.")
    }


def shown(address: str) -> dict[str, list[str]]:
    parts = urlsplit(address)
    assert (parts.hostname, parts.port) == ("localhost", PORT)
    return parse_qs(parts.query)


@pytest.mark.parametrize("topic", sorted({it.topic for it in examples().values()}))
def test_the_workbench_marks_what_the_example_marks(topic: str) -> None:
    linked = 0
    for it in [it for it in examples().values() if it.topic == topic][:: depth(6, 1)]:
        for statement in statements_of(it):
            address = addresses.board_address(it, statement.drawing) if statement.drawing else None
            if address is None:
                continue
            linked += 1
            query = shown(address)
            [fen], [about] = query["fen"], query["about"]
            marked = {mark["on"]: mark for mark in board(fen=fen, on=query["on"])["marks"]}
            assert all("error" not in mark for mark in marked.values()), (it.name, marked)
            drawn = statement.drawing
            for on, mark in marked.items():
                name = on if it.sort == "feature" else it.bare_name
                if name in drawn.files:
                    assert int(mark["word"], 16) == drawn.files[name] * 0x0101010101010101
                elif name in drawn.marks and it.thing.returns.is_set:
                    assert int(mark["word"], 16) == drawn.marks[name], (it.name, on)
                elif it.sort == "pattern" and it.thing.returns.is_set:
                    assert int(mark["word"], 16) == it.thing(*drawn.arguments), (it.name, on)
            assert f'{page_address(it)}"' in page(name=about)["html"]
    assert linked or topic == "bits"


def test_addresses_of_positions_and_sets() -> None:
    assert shown(addresses.fen_address(Position().fen())) == {"fen": [Position().fen()]}
    [text] = shown(addresses.set_address(Bitboard("a1 e4")))["x"]
    assert desk(text=text)["names"] == ["a1", "e4"]


@pytest.mark.parametrize(("name", "address"), [
    ("knight.fork_targets", "patterns/knight/fork_targets.html"),
    ("white_fork_squares", "patterns/features/fork_squares.html"),
    ("knight.ATTACKS", "tables.html#knight.ATTACKS"),
    ("ply", "columns.html#ply"),
])  # fmt: skip
def test_the_workbench_leads_to_the_page(name: str, address: str) -> None:
    assert page_address(catalogue.page(name)) == address
