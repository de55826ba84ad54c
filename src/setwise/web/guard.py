"""Access checks before the application: origin, token and size of requests, and security headers of answers."""

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

from setwise.web.descriptors import NO_DESCRIPTORS, can_open
from setwise.web.limits import ServerLimits

__all__ = ["COOKIE", "Guard", "TooLarge", "TooSlow", "is_loopback"]

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

COOKIE = "setwise"
_LENGTH = re.compile(r"[0-9]{1,18}")
#: A host name or IPv4 address, or an IPv6 address in brackets; then optionally a port.
_HOST = re.compile(r"([a-z0-9](?:[a-z0-9._-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::([1-9][0-9]{0,4}))?", re.ASCII)
#: Descriptors that one request may need: a search starts a process, opens files, and new connections arrive meanwhile.
_FOR_A_REQUEST = 16
_PORTS = {"http": 80, "https": 443}

#: Scripts and styles only from this server, no frame around the page, no request to any other server.
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
    """The body of a request exceeds the limit, which is the argument."""

    def __str__(self) -> str:
        return f"a request carries at most {self.args[0]:,} bytes"


class TooSlow(Exception):
    """The body of a request arrives too slowly."""

    def __str__(self) -> str:
        return "the request comes too slowly: send it again"


def is_loopback(host: str) -> bool:
    """Return whether a host, a name or an address without brackets, is reachable from this machine only."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class Guard:
    """Checks every request before the application sees it.

    Args:
        app: the application.
        token: the secret that a browser must send, once in the address and then as a cookie; None if the server is
            reachable from this machine only.
        limits: the limits of requests.
    """

    def __init__(self, app: Any, token: str | None, limits: ServerLimits) -> None:
        self.app, self.token, self.limits = app, token, limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request to the application, or refuse it."""
        if scope["type"] != "http":  # web sockets are ignored, lifespan events are passed on
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        answer = (
            self._misdirected(scope, headers) or self._cross_site(scope, headers) or self._token_missing(scope, headers)
        )
        if answer is None and not can_open(_FOR_A_REQUEST):
            answer = JSONResponse({"error": NO_DESCRIPTORS}, 503)
        most = self.limits.upload if scope["path"] == "/api/upload" else self.limits.body
        if answer is None and not _has_length(headers, most):
            answer = JSONResponse({"error": str(TooLarge(most))}, 413)
        app = self.app if answer is None else answer
        await app(scope, self._limited(receive, most), _with_headers(send, scope))

    def _misdirected(self, scope: Scope, headers: Headers) -> Response | None:
        """Refuse a request whose header ``Host`` does not name this server (DNS rebinding).

        Another site can let its own host name resolve to this machine; its requests then carry that name. With a token
        any name is accepted, since the token decides.
        """
        host = _HOST.fullmatch(",".join(headers.getlist("host")).lower())
        port = (scope.get("server") or (None, None))[1]
        if not scope["path"].startswith("/") or host is None:
            return PlainTextResponse("A request needs one header Host, and a path without a host.", 400)
        named = host[1].startswith("[") == (":" in host[1]) and is_loopback(host[1].strip("[]"))
        if self.token is None and not (named and int(host[2] or _PORTS[scope["scheme"]]) == port):
            return PlainTextResponse(f"This page answers only to localhost:{port}.", 421)
        return None

    def _cross_site(self, scope: Scope, headers: Headers) -> Response | None:
        """Refuse an API request that comes from another site's page."""
        schemes = [scope["scheme"]] if self.token is None else _PORTS  # with a token, a TLS proxy may be in front
        own_origins = {f"{scheme}://{headers['host']}".lower() for scheme in schemes}
        is_cross_site = headers.get("sec-fetch-site", "same-origin") not in {"same-origin", "none"}
        if scope["path"].startswith("/api/") and (is_cross_site or not {*headers.getlist("origin")} <= own_origins):
            return JSONResponse({"error": "only this page may send requests"}, 403)
        return None

    def _token_missing(self, scope: Scope, headers: Headers) -> Response | None:
        """Refuse a request without the token; if the address has the token, set it as a cookie and redirect."""
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

    def _limited(self, receive: Receive, most: int) -> Receive:
        """Wrap ``receive`` with a limit of bytes and of time for the body; waiting for the disconnect has no limit."""
        began, count, more = asyncio.get_running_loop().time(), 0, True

        async def received() -> MutableMapping[str, Any]:
            nonlocal count, more
            until = began + self.limits.body_time + count / self.limits.body_rate
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


def _is_same(text: str, token: str) -> bool:
    return hmac.compare_digest(text.encode(), token.encode())


def _with_headers(send: Send, scope: Scope) -> Send:
    """Wrap ``send``, so that every answer has the security headers."""

    async def sent(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            caching = "no-store" if scope["path"].startswith("/api/") else "no-cache"
            names = {name for name, _ in message.get("headers", ())}
            added = _HEADERS | ({} if b"cache-control" in names else {"cache-control": caching})
            message["headers"] = [
                *message.get("headers", ()),
                *((name.encode(), value.encode()) for name, value in added.items()),
            ]
        await send(message)

    return sent
