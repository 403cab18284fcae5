"""Requests and tokens a minute, per account, shared by every lane: reserve before sending, settle after.

In any window of a minute no more is sent than the limit, whichever way the provider counts (fixed windows, sliding
windows, buckets). A reservation counts in full until it is settled. Waiting calls are served in the order they came, so no
lane starves another. One refusal by the provider pauses the whole account.
"""

import threading
from collections import deque
from typing import NamedTuple

from harness.clock import Clock
from harness.llm.failure import DeadlineExceeded

WINDOW_S = 61.0
"""A minute, and a second for the difference between our sending and the provider's counting."""


class Rate(NamedTuple):
    """Limits of an account; None means none is known."""

    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None


class Ticket:
    """One reservation. `tokens` shrinks or grows to the real count when it is settled."""

    def __init__(self, at: float, tokens: int) -> None:
        self.at = at
        self.tokens = tokens


class Limiter:
    """Limits of one account. Safe to use from several threads."""

    def __init__(self, rate: Rate, clock: Clock) -> None:
        self._rate = rate
        self._clock = clock
        self._changed = threading.Condition()
        self._window: deque[Ticket] = deque()
        self._queue: deque[object] = deque()
        self._paused_until = 0.0

    def acquire(self, tokens: int, *, deadline: float) -> Ticket:
        """Wait for room for one request of `tokens`, until `deadline` on the monotonic clock. Raises DeadlineExceeded.

        A request larger than the whole limit is let through alone, when the window is empty.
        """
        turn = object()
        with self._changed:
            self._queue.append(turn)
            try:
                while True:
                    now = self._clock.monotonic()
                    wait = self._wait(tokens, now) if self._queue[0] is turn else None
                    if wait == 0:
                        ticket = Ticket(now, tokens)
                        self._window.append(ticket)
                        return ticket
                    left = deadline - now
                    if left <= 0 or (wait is not None and wait > left):
                        raise DeadlineExceeded("the rate limit leaves no room before the deadline of the call")
                    self._changed.wait(min(left, wait if wait is not None else left))
            finally:
                self._queue.remove(turn)
                self._changed.notify_all()

    def settle(self, ticket: Ticket, tokens: int) -> None:
        """What the request really took."""
        with self._changed:
            ticket.tokens = tokens
            self._changed.notify_all()

    def pause(self, seconds: float) -> None:
        """Send nothing for `seconds`: the provider said so."""
        with self._changed:
            self._paused_until = max(self._paused_until, self._clock.monotonic() + seconds)
            self._changed.notify_all()

    def _wait(self, tokens: int, now: float) -> float:
        """Seconds until there may be room; 0 when there is."""
        while self._window and self._window[0].at <= now - WINDOW_S:
            self._window.popleft()
        if now < self._paused_until:
            return self._paused_until - now
        used = sum(t.tokens for t in self._window)
        over_tokens = self._rate.tokens_per_minute is not None and used + tokens > self._rate.tokens_per_minute
        limit = self._rate.requests_per_minute
        over_requests = limit is not None and len(self._window) >= limit
        if self._window and (over_tokens or over_requests):
            return max(0.001, self._window[0].at + WINDOW_S - now)
        return 0


class Limiters:
    """One limiter an account, made on first use. Safe to use from several threads."""

    def __init__(self, clock: Clock, rate: Rate = Rate()) -> None:  # noqa: B008  # a NamedTuple is immutable
        self._clock = clock
        self._rate = rate
        self._lock = threading.Lock()
        self._limiters: dict[str, Limiter] = {}

    def of(self, account: str) -> Limiter:
        """The limiter that everybody who uses this account shares."""
        with self._lock:
            return self._limiters.setdefault(account, Limiter(self._rate, self._clock))
