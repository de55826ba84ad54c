"""Who is let in: names of hosts and origins are compared as a whole, and whatever is not exactly ours stays outside."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the workbench needs the extra web")

from starlette.responses import PlainTextResponse

from setwise.web.guard import Guard
from setwise.web.limits import Limits

OURS = "localhost LocalHost LOCALHOST:80 127.0.0.1 127.0.0.1:80 127.0.0.2 [::1] [::1]:80 [0:0:0:0:0:0:0:1]"
OTHERS = """
    localhost:8642 localhost:8080 localhost:99999 localhost:8 localhost:800 192.168.1.7 192.168.1.7:80 10.0.0.1
    evil.example localhost.evil.example evil-localhost evil.localhost localhostx localhost.localdomain
    127.0.0.1.evil.example 127.0.0.1.nip.io 127.1 127.0.1 0x7f.0.0.1 0177.0.0.1 127.0.0.01 2130706433 0 0.0.0.0
    [::] [::2] [::ffff:10.0.0.1] 127.0.0.1:8642 [127.0.0.1] [::1:80] 1.0.0.127
    """
#: What no browser sends.
NONE = """
    localhost. localhost.:80 127.0.0.1. evil@localhost localhost@evil localhost:80@evil user:pass@localhost localhost:
    localhost:x localhost:080 localhost:0 localhost:-80 localhost:+80 localhost:80:80 localhost:80/ localhost/
    localhost/evil localhost# localhost? localhost\\evil http://localhost //localhost localhost,evil localhost;evil
    ::1 [::1 ::1]
    [::1]] [[::1]] [::1]evil [::1%25lo] [::1%lo] [localhost] [ [] [x] * .localhost - %6cocalhost localhost%00
    \u2100 loca\u0131host \u1e9e \u0661\u0662\u0667.0.0.1 localhost:\u0668\u0660 localhost:\u00b2
    """


def asked(*headers: tuple[str, str], path: str = "/api/ask/hello", token: str | None = None, **more: Any) -> int:
    """The status of a request with these headers alone, for a workbench on port 80 of this machine."""
    scope = {
        "type": "http", "method": "POST", "path": path, "raw_path": path.encode(), "query_string": b"",
        "scheme": "http", "server": ("127.0.0.1", 80), **more,
        "headers": [(name.lower().encode(), value.encode("latin-1", "replace")) for name, value in headers],
    }  # fmt: skip
    found: list[int] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"{}", "more_body": False}

    async def send(message: Any) -> None:
        if "status" in message:
            found.append(message["status"])

    asyncio.run(Guard(PlainTextResponse("in"), token, Limits())(scope, receive, send))
    [status] = found
    return status


@pytest.mark.parametrize(
    ("hosts", "status"),
    [(OURS.split(), 200), (OTHERS.split(), 421), ([*NONE.split(), "", " ", "localhost\t", " localhost", "a b"], 400)],
)
def test_a_page_answers_to_its_own_name_and_port_alone(hosts: list[str], status: int) -> None:
    for path in ("/", "/api/ask/hello", "/static/main.js"):
        assert {host: asked(("host", host), path=path) for host in hosts} == dict.fromkeys(hosts, status)


def test_another_port_is_another_page() -> None:
    there = {"server": ("::1", 8642)}
    assert asked(("host", "localhost:8642"), **there) == asked(("host", "[::1]:8642"), **there) == 200
    assert asked(("host", "localhost"), **there) == asked(("host", "localhost:80"), **there) == 421


def test_with_a_token_any_name_is_ours_that_is_one() -> None:
    right = ("cookie", "setwise=right")
    for host in [*OURS.split(), *OTHERS.split()]:
        if host not in {"[127.0.0.1]", "localhost:99999"}:
            assert asked(("host", host), right, token="right") == 200, host  # noqa: S106
            assert asked(("host", host), token="right") == 401  # noqa: S106
    for host in NONE.split():
        assert asked(("host", host), right, token="right") == 400, host  # noqa: S106


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ([], 400), ([("host", "localhost")] * 2, 400), ([("host", "localhost"), ("host", "evil.example")], 400),
        ([("Host", "evil.example"), ("HOST", "localhost")], 400), ([("host", "localhost"), ("host", "")], 400),
        ([("host", "localhost"), ("x-forwarded-host", "evil.example")], 200),
        ([("x-forwarded-host", "localhost"), ("host", "evil.example")], 421),
    ],
)  # fmt: skip
def test_a_request_names_one_host(headers: list[tuple[str, str]], status: int) -> None:
    assert asked(*headers) == status


@pytest.mark.parametrize("path", ["http://localhost/", "http://evil.example/", "*", "", "evil.example:80", "api/ask"])
def test_a_request_names_a_path_alone(path: str) -> None:
    assert asked(("host", "localhost"), path=path) == 400


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("http://localhost", 200), ("HTTP://LOCALHOST", 403), ("http://localhost:80", 403), ("http://localhost:1", 403),
        ("https://localhost", 403), ("http://127.0.0.1", 403), ("http://evil.example", 403), ("null", 403), ("", 403),
        ("http://localhost.evil.example", 403), ("http://localhost.", 403), ("http://evil@localhost", 403),
        ("http://localhost/", 403), ("http://localhost http://evil.example", 403), ("localhost", 403),
        ("//localhost", 403), ("http://[", 403), ("[", 403), ("file://", 403), ("chrome-extension://x", 403),
    ],
)  # fmt: skip
def test_a_question_comes_from_the_page_alone(origin: str, status: int) -> None:
    assert asked(("host", "localhost"), ("origin", origin)) == status
    assert asked(("host", "localhost"), ("origin", origin), path="/") == 200  # of a page anything may lead to it
    assert asked(("host", "localhost"), ("origin", "http://localhost"), ("origin", origin)) == status


@pytest.mark.parametrize(
    ("site", "status"), [("same-origin", 200), ("none", 200), ("cross-site", 403), ("same-site", 403), ("x", 403)]
)
def test_a_browser_says_who_has_it_ask(site: str, status: int) -> None:
    assert asked(("host", "localhost"), ("sec-fetch-site", site)) == status
