"""A provider that enforces requests and tokens a minute, for the benchmark and, on a clock of the test's own, for tests."""

import threading
from collections import deque
from collections.abc import Callable

from tests.support.model_server import Answer, Seen
from tests.support.players import text_of

OUTPUT = 60
"""Tokens of every answer."""
MINUTE_S = 60.0


class Provider:
    """A sliding minute; a request counts from its arrival with what it says and what it gets."""

    def __init__(
        self, requests: int, tokens: int, *, clock: Callable[[], float] | None = None, delay_s: float = 0.0
    ) -> None:
        """Seconds of `clock`, or the real time at which a request came."""
        self.limit = (requests, tokens)
        self.window: deque[tuple[float, int]] = deque()
        self.served: list[tuple[float, str, int]] = []
        """Time, which run, tokens."""
        self.refused = 0
        self._clock = clock
        self._delay_s = delay_s
        self._lock = threading.Lock()

    def __call__(self, seen: Seen) -> Answer:
        """An answer, or 429."""
        text = text_of(seen)
        tokens = len(text) // 4 + OUTPUT
        with self._lock:
            at = self._clock() if self._clock else seen.at
            while self.window and self.window[0][0] <= at - MINUTE_S:
                self.window.popleft()
            if len(self.window) >= self.limit[0] or sum(t for _, t in self.window) + tokens > self.limit[1]:
                self.refused += 1
                return Answer(status=429, headers={"retry-after": "2"}, body='{"error": {"message": "rate limit"}}')
            self.window.append((at, tokens))
            self.served.append((at, "one" if "run one" in text else "two", tokens))
        return Answer(text="fine", usage=(tokens - OUTPUT, 0, OUTPUT), delay_s=self._delay_s)

    def used(self, seconds: float) -> tuple[float, float]:
        """(share of the requests, share of the tokens) that were to be had within `seconds` of the first call."""
        first = self.served[0][0]
        served = [tokens for at, _, tokens in self.served if at < first + seconds]
        minutes = seconds / MINUTE_S
        return len(served) / (self.limit[0] * minutes), sum(served) / (self.limit[1] * minutes)
