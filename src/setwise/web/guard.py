"""The door: who may ask, from where, and how much; what every answer tells the browser to refuse."""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import re
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response

from setwise.web.descriptors import NONE_LEFT, are_left
from setwise.web.limits import Limits

__all__ = ["COOKIE", "Guard", "TooLarge", "TooSlow", "is_loopback"]

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

COOKIE = "setwise"
_LENGTH = re.compile(r"[0-9]{1,18}")
#: A name or a number of IPv4, or a number of IPv6 in brackets; then, perhaps, a port.
_HOST = re.compile(r"([a-z0-9](?:[a-z0-9._-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::([1-9][0-9]{0,4}))?", re.ASCII)
#: Descriptors that a request may take: a search starts a process, a file is opened, connections come meanwhile.
_FOR_A_REQUEST = 16
_PORTS = {"http": 80, "https": 443}

#: No script and no style that is not a file of ours, no frame around us, no request to any other place.
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "content-security-policy": _POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}


class TooLarge(Exception):
    """A request carries more bytes than it may: so many."""

    def __str__(self) -> str:
        return f"a request carries {self.args[0]:,} bytes at the most"


class TooSlow(Exception):
    """What a request carries comes too slowly."""

    def __str__(self) -> str:
        return "the request comes too slowly: send it again"


def is_loopback(host: str) -> bool:
    """Return whether only this machine reaches a host, a name or a number without brackets."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class Guard:
    """What stands before the application.

    Args:
        app: the application.
        token: what a browser must bring, in the address once and as a cookie then; None: only this machine can ask.
        limits: how much a request may carry.
    """

    def __init__(self, app: Any, token: str | None, limits: Limits) -> None:
        self.app, self.token, self.limits = app, token, limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or answer it here."""
        if scope["type"] != "http":  # no sockets; the lifespan passes
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        answer = (
            self._misdirected(scope, headers) or self._foreign(scope, headers) or self._token_missing(scope, headers)
        )
        if answer is None and not are_left(_FOR_A_REQUEST):
            answer = JSONResponse({"error": NONE_LEFT}, 503)
        most = self.limits.upload if scope["path"] == "/api/upload" else self.limits.body
        if answer is None and not _has_length(headers, most):
            answer = JSONResponse({"error": str(TooLarge(most))}, 413)
        app = self.app if answer is None else answer
        await app(scope, self._bounded(receive, most), _headed(send, scope))

    def _misdirected(self, scope: Scope, headers: Headers) -> Response | None:
        """The answer to a request that does not name this workbench.

        A page from elsewhere may have its own name point to this machine; then its requests name it. With a token any
        name will do, as the token decides.
        """
        host = _HOST.fullmatch(",".join(headers.getlist("host")).lower())
        port = (scope.get("server") or (None, None))[1]
        if not scope["path"].startswith("/") or host is None:
            return PlainTextResponse("A request has one header Host, and a path alone.", 400)
        named = host[1].startswith("[") == (":" in host[1]) and is_loopback(host[1].strip("[]"))
        if self.token is None and not (named and int(host[2] or _PORTS[scope["scheme"]]) == port):
            return PlainTextResponse(f"This page answers to localhost:{port} alone.", 421)
        return None

    def _foreign(self, scope: Scope, headers: Headers) -> Response | None:
        """The answer to a question that another page asks, or has the browser ask."""
        schemes = [scope["scheme"]] if self.token is None else _PORTS  # what has a token may stand behind TLS
        ours = {f"{scheme}://{headers['host']}".lower() for scheme in schemes}
        elsewhere = headers.get("sec-fetch-site", "same-origin") not in {"same-origin", "none"}
        if scope["path"].startswith("/api/") and (elsewhere or not {*headers.getlist("origin")} <= ours):
            return JSONResponse({"error": "only this page may ask"}, 403)
        return None

    def _token_missing(self, scope: Scope, headers: Headers) -> Response | None:
        """The answer to a request without the token; with it in the address the browser gets it as a cookie."""
        if self.token is None:
            return None
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        if _is_same(dict(query).get("token", ""), self.token):
            rest = urlencode([(name, value) for name, value in query if name != "token"])
            answer = RedirectResponse("/" + scope["path"].lstrip("/") + (f"?{rest}" if rest else ""), 303)
            answer.set_cookie(COOKIE, self.token, httponly=True, samesite="lax", max_age=30 * 86400)
            return answer
        if _is_same(cookie_parser(headers.get("cookie", "")).get(COOKIE, ""), self.token):
            return None
        return PlainTextResponse("Open the address that setwise printed: it has the token.", 401)

    def _bounded(self, receive: Receive, most: int) -> Receive:
        """What receives no more than so many bytes, none of them too late; then, for as long as it takes, the end."""
        began, count, more = asyncio.get_running_loop().time(), 0, True

        async def received() -> MutableMapping[str, Any]:
            nonlocal count, more
            until = began + self.limits.bringing + count / self.limits.slowest
            try:
                async with asyncio.timeout_at(until if more else None):
                    message = await receive()
            except TimeoutError:
                raise TooSlow from None
            count += len(message.get("body", b""))
            more = message.get("more_body", False)
            if count > most:
                raise TooLarge(most)
            return message

        return received


def _has_length(headers: Headers, most: int) -> bool:
    length = headers.get("content-length", "0")
    return _LENGTH.fullmatch(length) is not None and int(length) <= most


def _is_same(given: str, token: str) -> bool:
    return hmac.compare_digest(given.encode(), token.encode())


def _headed(send: Send, scope: Scope) -> Send:
    """What sends every answer with the headers that keep the browser in."""

    async def sent(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            kept = "no-store" if scope["path"].startswith("/api/") else "no-cache"
            names = {name for name, _ in message.get("headers", ())}
            added = _HEADERS | ({} if b"cache-control" in names else {"cache-control": kept})
            message["headers"] = [
                *message.get("headers", ()),
                *((name.encode(), value.encode()) for name, value in added.items()),
            ]
        await send(message)

    return sent
