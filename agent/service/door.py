"""Who may come in: the person who started the service, with a browser on this machine, from our own page.

A page of somebody else cannot ask through that browser (Host and Origin are checked, the cookie is same-site), another user
of this machine cannot ask without the token, and what we serve can load nothing from elsewhere.
"""

import hmac
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders, QueryParams
from starlette.requests import cookie_parser
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

COOKIE = "harness-report"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; frame-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
)
PDF_POLICY = "frame-ancestors 'self'"
"""A browser's own viewer is subject to the policy of the file it shows."""
_NAMES = ("127.0.0.1", "localhost", "[::1]")


class Door:
    """ASGI middleware in front of everything."""

    def __init__(self, app: ASGIApp, *, port: int, token: str) -> None:
        self._app = app
        self._hosts = {f"{name}:{port}" for name in _NAMES}
        self._origins = {f"http://{host}" for host in self._hosts}
        self._cookie = f"{COOKIE}-{port}"
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or say why not."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        refusal = self._refusal(scope)
        if refusal is not None:
            await refusal(scope, receive, self._guarded(send, scope))
            return
        await self._app(scope, receive, self._guarded(send, scope))

    def _refusal(self, scope: Scope) -> Response | None:
        """What is answered instead, None for a request that may come in."""
        headers = Headers(scope=scope)
        if headers.get("host", "") not in self._hosts:
            return PlainTextResponse("this service answers to 127.0.0.1 only", 421)
        origin = headers.get("origin")
        if origin is not None and origin not in self._origins:
            return PlainTextResponse("another page may not ask here", 403)
        if headers.get("sec-fetch-site", "none") not in ("none", "same-origin") and scope["path"] != "/":
            return PlainTextResponse("another page may not ask here", 403)
        given = QueryParams(scope["query_string"]).get("token", "")
        if scope["path"] == "/" and scope["method"] == "GET" and given:
            if not hmac.compare_digest(given.encode(), self._token.encode()):
                return PlainTextResponse("wrong token: use the address that harness printed", 403)
            entered = RedirectResponse("/", 303)
            entered.set_cookie(self._cookie, self._token, httponly=True, samesite="strict", path="/")
            return entered
        known = cookie_parser(headers.get("cookie", "")).get(self._cookie, "")
        if not hmac.compare_digest(known.encode(), self._token.encode()):
            return PlainTextResponse("open the address that harness printed, with its token", 403)
        return None

    def _guarded(self, send: Send, scope: Scope) -> Send:
        policy = PDF_POLICY if urlsplit(scope["path"]).path.endswith(".pdf") else POLICY

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers["content-security-policy"] = policy
                headers["x-content-type-options"] = "nosniff"
                headers["referrer-policy"] = "no-referrer"
                headers["cross-origin-resource-policy"] = "same-origin"
                headers["cache-control"] = "no-store"
            await send(message)

        return sending
