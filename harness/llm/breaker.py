"""Stops asking a model that does not answer: open after a few failures in a row, one probe after a pause, then closed again.

M. Nygard, Release It!, "Circuit Breaker". Safe to use from several threads.
"""

import threading

from harness.clock import Clock
from harness.llm.failure import BreakerOpen

THRESHOLD = 5
"""Failures in a row that open it."""
FIRST_PAUSE_S = 15.0
LONGEST_PAUSE_S = 240.0


class Breaker:
    """The breaker of one model of one account."""

    def __init__(self, clock: Clock, *, threshold: int = THRESHOLD) -> None:
        self._clock = clock
        self._threshold = threshold
        self._lock = threading.Lock()
        self._failures = 0
        self._pause = FIRST_PAUSE_S
        self._open_until: float | None = None
        self._probing = False

    def admit(self) -> None:
        """Ask before each call. Raises BreakerOpen, with the time to wait, while it is open or a probe is out."""
        with self._lock:
            if self._open_until is None:
                return
            wait = self._open_until - self._clock.monotonic()
            if wait > 0 or self._probing:
                raise BreakerOpen("the provider failed several times in a row; waiting", retry_after=max(wait, 1.0))
            self._probing = True

    def succeeded(self) -> None:
        """An answer came, of whatever kind."""
        with self._lock:
            self._failures, self._pause = 0, FIRST_PAUSE_S
            self._open_until, self._probing = None, False

    def failed(self) -> None:
        """The provider's own fault."""
        with self._lock:
            self._failures += 1
            if self._probing:
                self._pause = min(self._pause * 2, LONGEST_PAUSE_S)
            if self._probing or self._failures >= self._threshold:
                self._open_until = self._clock.monotonic() + self._pause
            self._probing = False

    def abandoned(self) -> None:
        """The call ended for a reason that says nothing about the provider."""
        with self._lock:
            self._probing = False
