"""HTTP with a total deadline and no redirects.

The SDKs' time-outs count from one read to the next, so a server that sends a comment every few seconds holds a call for ever.
Here every piece of the body is checked against one deadline for the whole call.
"""

import time
from collections.abc import Iterator
from threading import local

import httpx2

CONNECT_S = 10.0
IDLE_S = 120.0
"""Longest silence on an open stream; providers send a ping at least every half minute."""


class DeadlinePassed(httpx2.TimeoutException):
    """The whole call has taken longer than it may. An httpx2 time-out, so that SDKs clean up as for any other."""


class Deadline(local):
    """The deadline of the call that this thread is making, on the monotonic clock; None between calls."""

    at: float | None = None

    def remaining(self) -> float:
        """Seconds left; infinite between calls."""
        return float("inf") if self.at is None else self.at - time.monotonic()


class DeadlineTransport(httpx2.BaseTransport):
    """Passes requests on to `inner` and ends each response when the deadline passes.

    Overshoots by at most the idle time-out, which shrinks with the time left.
    """

    def __init__(self, deadline: Deadline, inner: httpx2.BaseTransport | None = None) -> None:
        self._deadline = deadline
        self._inner = inner or httpx2.HTTPTransport(trust_env=False, limits=httpx2.Limits(max_connections=256))

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        remaining = self._deadline.remaining()
        if remaining <= 0:
            raise DeadlinePassed("the deadline of the call has passed", request=request)
        idle = min(IDLE_S, remaining)
        connect = min(CONNECT_S, remaining)
        request.extensions["timeout"] = {"connect": connect, "read": idle, "write": idle, "pool": idle}
        response = self._inner.handle_request(request)
        if isinstance(response.stream, httpx2.SyncByteStream):
            response.stream = _Bounded(response.stream, self._deadline, request)
        return response

    def close(self) -> None:
        self._inner.close()


class _Bounded(httpx2.SyncByteStream):
    def __init__(self, inner: httpx2.SyncByteStream, deadline: Deadline, request: httpx2.Request) -> None:
        self._inner = inner
        self._deadline = deadline
        self._request = request

    def __iter__(self) -> Iterator[bytes]:
        for piece in self._inner:
            if self._deadline.remaining() <= 0:
                raise DeadlinePassed("the deadline of the call has passed", request=self._request)
            yield piece

    def close(self) -> None:
        self._inner.close()
