"""Who is let in: names of hosts and origins are compared as a whole, and whatever is not exactly ours stays outside."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, NamedTuple

import pytest

pytest.importorskip("starlette", reason="the workbench needs the extra web")

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import PlainTextResponse

from setwise.web.limits import ServerLimits
from setwise.web.server import Guard, TooLarge, TooSlow

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


class Answer(NamedTuple):
    """What the guard lets out."""

    status: int
    headers: Headers
    text: str


async def read(scope: Any, receive: Any, send: Any) -> None:
    """An application that answers with the number of bytes that a request carries."""
    body = await Request(scope, receive).body()
    await PlainTextResponse(f"{len(body)}")(scope, receive, send)


def answered(
    *headers: tuple[str, str],
    path: str = "/api/ask/hello",
    token: str | None = None,
    app: Any = read,
    limits: ServerLimits = ServerLimits(),  # noqa: B008
    body: Sequence[bytes] = (b"{}",),
    pauses: Sequence[float] = (),
    **more: Any,
) -> Answer:
    """The answer to a request with these headers alone, to a workbench on port 80 of this machine."""
    scope = {
        "type": "http", "method": "POST", "path": path, "raw_path": path.encode(), "query_string": b"",
        "scheme": "http", "server": ("127.0.0.1", 80), **more,
        "headers": [(name.lower().encode(), value.encode("latin-1", "replace")) for name, value in headers],
    }  # fmt: skip
    pieces, waits, sent = list(body), list(pauses), list[Any]()

    async def receive() -> dict[str, Any]:
        await asyncio.sleep(waits.pop(0) if waits else 0)
        return {"type": "http.request", "body": pieces.pop(0), "more_body": bool(pieces)}

    async def send(message: Any) -> None:
        sent.append(message)

    asyncio.run(Guard(app, token, limits)(scope, receive, send))
    [start, *rest] = sent
    text = b"".join(message["body"] for message in rest).decode()
    return Answer(start["status"], Headers(raw=start["headers"]), text)


def asked(*headers: tuple[str, str], **more: Any) -> int:
    """The status alone."""
    return answered(*headers, **more).status


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


HOME = ("host", "localhost")


def test_the_token_in_the_address_becomes_a_cookie_for_a_month() -> None:
    opened = answered(HOME, path="//evil.example/", query_string=b"a=1&token=right&b=&zone=2", token="right")  # noqa: S106
    assert (opened.status, opened.headers["location"]) == (303, "/evil.example/?a=1&b=&zone=2")
    assert opened.headers["set-cookie"].split("; ") == [
        "setwise=right", "HttpOnly", "Max-Age=2592000", "Path=/", "SameSite=lax",
    ]  # fmt: skip
    plain = answered(HOME, path="/", query_string=b"token=right", token="right")  # noqa: S106
    assert plain.headers["location"] == "/"
    assert answered(HOME, query_string=b"token=wrong", token="right").status == 401  # noqa: S106


@pytest.mark.parametrize(("path", "most"), [("/api/ask/hello", 10), ("/api/upload", 20), ("/", 10), ("/api/v", 10)])
def test_a_request_carries_no_more_than_it_may(path: str, most: int) -> None:
    limits = ServerLimits(body=10, upload=20)
    for length in (0, most):
        said = ("content-length", f"{length}")
        assert answered(HOME, said, path=path, limits=limits, body=[b"x" * length]).text == f"{length}"
    for said in (f"{most + 1}", "9" * 18, "9" * 19, "-1", "x", "", "1e1", "\u00b2"):
        refused = answered(HOME, ("content-length", said), path=path, limits=limits)
        assert (refused.status, f"{most}" in refused.text) == (413, True)
    assert answered(HOME, path=path, limits=limits, body=[b"x" * (most - 1), b"x", b""]).text == f"{most}"
    for pieces in ([b"x" * (most + 1)], [b"x" * most, b"x"], [b"x"] * (most + 5)):
        with pytest.raises(TooLarge, match=f"^a request carries at most {most} bytes$"):
            answered(HOME, path=path, limits=limits, body=pieces)


def test_who_is_refused_hears_why_before_how_much_he_brings() -> None:
    much = ("content-length", "999999999999")
    assert answered(("host", "evil.example"), much).status == 421
    assert answered(HOME, much, token="right").status == 401  # noqa: S106


def test_what_a_request_carries_must_come_in_time() -> None:
    """The time grows with what has come."""
    limits = ServerLimits(body_time=0.2, body_rate=10)
    for body in ([b""], [b"", b""], [b"xx", b"xx", b"xx"]):
        with pytest.raises(TooSlow):
            answered(HOME, limits=limits, body=body, pauses=[0.0] * (len(body) - 1) + [60.0])
    assert answered(HOME, limits=limits, body=[b"x" * 600, b"x"], pauses=[0.0, 0.5]).text == "601"


@pytest.mark.parametrize(("path", "kept"), [("/api/ask/hello", "no-store"), ("/", "no-cache"), ("/x/api/", "no-cache")])
def test_every_answer_says_what_the_browser_has_to_refuse(path: str, kept: str) -> None:
    for answer in (answered(HOME, path=path), answered(("host", "evil.example"), path=path)):
        assert answer.headers["cache-control"] == kept
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "script-src 'self';" in answer.headers["content-security-policy"]
    own = answered(HOME, path=path, app=PlainTextResponse("in", headers={"Cache-Control": "max-age=9"}))
    assert own.headers.getlist("cache-control") == ["max-age=9"]
    assert own.headers["referrer-policy"] == "no-referrer"


def test_the_lifespan_passes_and_no_socket_does() -> None:
    passed: list[str] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        passed.append(scope["type"])

    for kind in ("websocket", "lifespan", "a", "x"):
        asyncio.run(Guard(app, None, ServerLimits())({"type": kind}, None, None))  # type: ignore[arg-type]
    assert passed == ["lifespan"]


def test_without_descriptors_a_request_waits_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("setwise.web.server.can_open", lambda _: False)
    assert answered(HOME).status == 503
    assert answered(("host", "evil.example")).status == 421
