"""Requests and tokens a minute, per account, shared by every lane and every run: reserve before sending, settle after.

In any window of a minute no more is sent than the limit, whichever way the provider counts (fixed windows, sliding
windows, buckets). A reservation counts in full until it is settled. Waiting calls are served in the order they came, so no
lane starves another; runs of one user share a file, in which each waits with one call at a time, so no run starves another.
One refusal by the provider pauses the whole account.
"""

import json
import sys
import threading
import uuid
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from harness.clock import Clock
from harness.llm.failure import DeadlineExceeded
from harness.schema.base import Record

if sys.platform != "win32":
    import fcntl

WINDOW_S = 61.0
"""A minute, and a second for the difference between our sending and the provider's counting."""
POLL_S = 0.1
"""How often a call that waits looks whether another process has made room."""
GONE_S = 5.0
"""A process that has not looked for so long does not wait any more."""


class Rate(NamedTuple):
    """Limits of an account; None means none is known."""

    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None


class Ticket(NamedTuple):
    """One reservation."""

    id: str


class _Sent(Record):
    id: str
    at: float
    tokens: int


class _Waiting(Record):
    who: str
    seen: float


class _Window(Record):
    """What the processes share. Times are of the monotonic clock, which is one for all processes since the machine started."""

    boot: str = ""
    sent: tuple[_Sent, ...] = ()
    waiting: tuple[_Waiting, ...] = ()
    paused_until: float = 0.0


class Limiter:
    """Limits of one account, shared with every process that names the same file. Safe to use from several threads."""

    def __init__(self, rate: Rate, clock: Clock, file: Path | None = None) -> None:
        self._rate = rate
        self._clock = clock
        self._file = file if any(rate) and sys.platform != "win32" else None
        self._who = uuid.uuid4().hex
        self._changed = threading.Condition()
        self._queue: deque[object] = deque()
        self._own = _Window()

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
                    left = deadline - now
                    wait = None
                    if self._queue[0] is turn:
                        ticket, wait = self._try(tokens, now)
                        if ticket:
                            return ticket
                    if left <= 0 or (wait is not None and wait > left):
                        raise DeadlineExceeded("the rate limit leaves no room before the deadline of the call")
                    if wait is not None and self._file:
                        wait = min(wait, POLL_S)
                    self._changed.wait(min(left, wait if wait is not None else left))
            finally:
                self._queue.remove(turn)
                self._changed.notify_all()

    def settle(self, ticket: Ticket, tokens: int) -> None:
        """What the request really took."""
        with self._changed, self._window() as window:
            sent = tuple(s if s.id != ticket.id else s.model_copy(update={"tokens": tokens}) for s in window.sent)
            self._own = window.model_copy(update={"sent": sent})
            self._changed.notify_all()

    def pause(self, seconds: float) -> None:
        """Send nothing for `seconds`: the provider said so."""
        with self._changed, self._window() as window:
            until = max(window.paused_until, self._clock.monotonic() + seconds)
            self._own = window.model_copy(update={"paused_until": until})
            self._changed.notify_all()

    def _try(self, tokens: int, now: float) -> tuple[Ticket | None, float]:
        """(a reservation, 0) or (None, seconds until there may be room)."""
        with self._window() as window:
            sent = tuple(s for s in window.sent if s.at > now - WINDOW_S)
            waiting = tuple(w for w in window.waiting if w.who != self._who and w.seen > now - GONE_S)
            before = [w.who for w in window.waiting if w in waiting or w.who == self._who]
            first = not before or before[0] == self._who or not self._file
            wait = self._wait(sent, window.paused_until, tokens, now) if first else POLL_S
            if wait:
                mine = _Waiting(who=self._who, seen=now)
                place = before.index(self._who) if self._who in before else len(waiting)
                queue = (*waiting[:place], mine, *waiting[place:])
                self._own = window.model_copy(update={"sent": sent, "waiting": queue})
                return None, wait
            ticket = Ticket(uuid.uuid4().hex)
            sent = (*sent, _Sent(id=ticket.id, at=now, tokens=tokens))
            # Others who wait come first; our next call goes behind them.
            self._own = window.model_copy(update={"sent": sent, "waiting": waiting})
            return ticket, 0

    def _wait(self, sent: tuple[_Sent, ...], paused_until: float, tokens: int, now: float) -> float:
        if now < paused_until:
            return paused_until - now
        over_tokens = (
            self._rate.tokens_per_minute is not None
            and sum(s.tokens for s in sent) + tokens > self._rate.tokens_per_minute
        )
        over_requests = self._rate.requests_per_minute is not None and len(sent) >= self._rate.requests_per_minute
        if sent and (over_tokens or over_requests):
            return max(0.001, sent[0].at + WINDOW_S - now)
        return 0

    @contextmanager
    def _window(self) -> Iterator[_Window]:
        """The window as it is, to be replaced by setting `_own`. A file that cannot be used leaves each run to itself."""
        if self._file is None:
            yield self._own
            return
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            shared = self._file.open("a+", encoding="utf-8")
        except OSError:
            yield self._own
            return
        with shared:
            fcntl.flock(shared, fcntl.LOCK_EX)
            shared.seek(0)
            self._own = _read(shared.read())
            yield self._own
            shared.seek(0)
            shared.truncate()
            shared.write(self._own.model_dump_json())


def _read(text: str) -> _Window:
    boot = _boot()
    try:
        window = _Window.model_validate(json.loads(text))
    except (ValueError, ValidationError):
        window = _Window(boot=boot)
    return window if window.boot == boot else _Window(boot=boot)


def _boot() -> str:
    """Which start of the machine the monotonic clock counts from, '' where that cannot be told."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
    except OSError:
        return ""


class Limiters:
    """One limiter an account, made on first use. Safe to use from several threads."""

    def __init__(self, clock: Clock, rate: Rate = Rate(), folder: Path | None = None) -> None:  # noqa: B008  # a NamedTuple is immutable
        self._clock = clock
        self._rate = rate
        self._folder = folder
        self._lock = threading.Lock()
        self._limiters: dict[str, Limiter] = {}

    def of(self, account: str) -> Limiter:
        """The limiter that everybody who uses this account shares."""
        file = self._folder / f"{account}.json" if self._folder else None
        with self._lock:
            return self._limiters.setdefault(account, Limiter(self._rate, self._clock, file))
