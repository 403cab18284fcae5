"""One call with everything around it: breaker, limits, budget, ledger, retries. The only retry policy there is."""

import random
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from datetime import timedelta
from functools import partial
from typing import Final, NamedTuple

from harness.budget import Budget, Spend
from harness.clock import Clock
from harness.llm.breaker import Breaker
from harness.llm.client import Client
from harness.llm.failure import (
    BreakerOpen,
    DeadlineExceeded,
    ModelFailure,
    ProtocolFailure,
    QuotaExhausted,
    RateLimited,
    Unwritten,
)
from harness.llm.ledger import Entry, Labels, Ledger, Outcome
from harness.llm.limits import Limiter
from harness.llm.messages import Reply, Request, estimated_tokens
from harness.llm.pricing import Price, cost
from harness.llm.replay import Tape, Taped
from harness.llm.scrub import scrub
from harness.llm.writing import Writing

BACKOFF_S = (1.0, 4.0, 15.0, 45.0, 90.0, 120.0)
"""Waits before the second, third ... attempt when the provider names none; each is spread by half."""
LONGEST_WAIT_S = 120.0
"""A provider that asks for more makes a durable pause, not a waiting process."""
UNSAID_PAUSE_S = 5.0
"""Pause of the whole account after a 429 that names no time."""
ATTEMPTS: Final[Mapping[type[ModelFailure], int]] = {ProtocolFailure: 4, DeadlineExceeded: 2}
"""Fewer attempts for what may have been paid for although no answer came."""


class Policy(NamedTuple):
    """Bounds of one question."""

    attempts: int = len(BACKOFF_S) + 1
    """Requests at most."""
    call_s: float = 600.0
    """Seconds for one request, from sending to the last byte."""
    total_s: float = 1800.0
    """Seconds for the question, waits included."""


class Gateway:
    """Asks one model; an `Asker`. Safe to use from several threads.

    `budgets` has one budget a stage, nested in the run's: the stage that finds cannot spend what is kept for verifying.
    """

    def __init__(
        self,
        client: Client,
        *,
        model: str,
        budgets: Mapping[str, Budget],
        limiter: Limiter,
        breaker: Breaker,
        price: Price | None,
        ledger: Ledger,
        run: str,
        clock: Clock,
        seed: int = 0,
        tape: Tape | None = None,
        writing: Writing | None = None,
        secrets: Sequence[str] = (),
        policy: Policy = Policy(),  # noqa: B008  # a NamedTuple is immutable
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.client = client
        self.model = model
        self.family = client.family
        self._budgets = budgets
        self.price = price
        self._limiter = limiter
        self._breaker = breaker
        self._ledger = ledger
        self._run = run
        self._clock = clock
        self._random = random.Random(seed)
        self._tape = tape
        self._secrets = secrets
        self._writing = writing or Writing()
        self._exhausted: QuotaExhausted | None = None
        self._closed_until = 0.0
        self._lock = threading.Lock()
        self._asked: dict[str, Future[Reply]] = {}
        self._policy = policy
        self._sleep = sleep

    def ask(self, request: Request, labels: Labels) -> Reply:
        """The reply, after as many attempts as the policy allows. Raises ModelFailure, BudgetExhausted.

        The money comes from the budget of the stage in `labels`; KeyError for a stage without one.

        TRUNCATED and REFUSED replies are returned, not retried: what to do about them depends on who asks.
        A question that is being asked already is not asked again: whoever comes second waits for its end.
        """
        request = scrub(request, self._secrets)
        with self._lock:
            first = request.key not in self._asked
            future = self._asked.setdefault(request.key, Future())
        if not first:
            reply = future.result()
            self._write(request, labels, 1, self._clock.monotonic(), replayed=True)
            return reply
        try:
            reply = self._known(request, labels) or self._persist(request, labels)
        except BaseException as error:
            future.set_exception(error)
            raise
        else:
            future.set_result(reply)
            return reply
        finally:
            with self._lock:
                del self._asked[request.key]

    def _persist(self, request: Request, labels: Labels) -> Reply:
        """Attempts until one succeeds. One that was held back by the breaker has cost nothing and counts as none."""
        end = self._clock.monotonic() + self._policy.total_s
        attempt = 1
        while True:
            try:
                return self._attempt(request, labels, attempt, end)
            except ModelFailure as failure:
                wait = self._wait(failure, attempt)
                if wait is None or self._clock.monotonic() + wait >= end:
                    raise
                attempt += not isinstance(failure, BreakerOpen)
                self._sleep(wait)

    def _known(self, request: Request, labels: Labels) -> Reply | None:
        """The reply of an earlier attempt at this run: a finished call is never paid twice."""
        taped = self._tape.find(request.key) if self._tape else None
        if taped is None or taped.reply is None:
            return None
        self._write(request, labels, 1, self._clock.monotonic(), replayed=True)
        return taped.reply

    def _wait(self, failure: ModelFailure, attempt: int) -> float | None:
        """Seconds before the next attempt; None when there must be none."""
        most = min(self._policy.attempts, ATTEMPTS.get(type(failure), self._policy.attempts))
        if not failure.retryable or (attempt >= most and not isinstance(failure, BreakerOpen)):
            return None
        if failure.retry_after is not None:
            if failure.retry_after > LONGEST_WAIT_S:
                return None
            return failure.retry_after + self._random.uniform(0, 0.5)
        return BACKOFF_S[min(attempt, len(BACKOFF_S)) - 1] * self._random.uniform(0.75, 1.25)

    def _attempt(self, request: Request, labels: Labels, attempt: int, end: float) -> Reply:
        if self._exhausted:  # until somebody resumes the run: asking again would only be refused again
            raise QuotaExhausted(str(self._exhausted), status=self._exhausted.status, hint=self._exhausted.hint)
        self._writing.check()
        if (left := self._closed_until - self._clock.monotonic()) > 0:
            raise self._pause(left)
        budget = self._budgets[labels.stage]
        self._breaker.admit()
        estimate = estimated_tokens(request) + request.max_output_tokens
        try:
            reservation = budget.reserve(Spend(self._estimated_cost(request), estimate, 1))
            ticket = self._limiter.acquire(estimate, deadline=end)
        except BaseException:
            self._breaker.abandoned()
            raise
        started = self._clock.monotonic()
        with reservation:
            try:
                self._write(request, labels, attempt, started)
            except Unwritten:  # so it does not leave
                self._limiter.settle(ticket, 0)
                self._breaker.abandoned()
                raise
            try:
                reply = self.client.send(request, deadline_s=min(self._policy.call_s, end - started))
            except ModelFailure as failure:
                self._limiter.settle(ticket, 0 if failure.status == 429 else estimated_tokens(request))
                self._blame(failure)
                self._write(request, labels, attempt, started, failure=failure)
                # What the provider charges for a broken answer is not known; the input was read in any case.
                spent = failure.status is None
                reservation.settle(Spend(0.0, estimated_tokens(request) if spent else 0, 1))
                raise
            except BaseException:
                self._breaker.abandoned()
                raise
            self._breaker.succeeded()
            dollars = self._write(request, labels, attempt, started, reply=reply)
            if self._tape:
                taped = Taped(spec=self.client.spec, family=self.family, request=request, reply=reply)
                self._writing.write(partial(self._tape.keep, taped), paid=True)
            used = (reply.usage.input_tokens or 0) + (reply.usage.output_tokens or 0)
            self._limiter.settle(ticket, used or estimate)
            reservation.settle(Spend(dollars, used or estimate, 1))
            return reply

    def _pause(self, seconds: float) -> RateLimited:
        """What is said while the provider wants to be left alone for longer than a process should wait."""
        until = (self._clock.now() + timedelta(seconds=seconds)).isoformat(timespec="minutes")
        hint = f"Resume the run after {until}."
        return RateLimited(f"the provider asks to wait until {until}", status=429, retry_after=seconds, hint=hint)

    def _blame(self, failure: ModelFailure) -> None:
        if isinstance(failure, QuotaExhausted):
            self._exhausted = failure
        elif failure.retry_after is not None and failure.retry_after > LONGEST_WAIT_S:
            self._closed_until = self._clock.monotonic() + failure.retry_after
        if failure.status == 429 and not isinstance(failure, QuotaExhausted):
            self._limiter.pause(
                min(failure.retry_after if failure.retry_after is not None else UNSAID_PAUSE_S, LONGEST_WAIT_S)
            )
        if failure.counts_against_provider and not isinstance(failure, DeadlineExceeded):
            self._breaker.failed()
        else:
            self._breaker.abandoned()

    def _estimated_cost(self, request: Request) -> float | None:
        if self.price is None:
            return None
        tokens = estimated_tokens(request)
        rates = self.price.rates(tokens)
        return None if rates is None else (tokens * rates.input + request.max_output_tokens * rates.output) / 1e6

    def _write(
        self,
        request: Request,
        labels: Labels,
        attempt: int,
        started: float,
        *,
        reply: Reply | None = None,
        failure: ModelFailure | None = None,
        replayed: bool = False,
    ) -> float | None:
        dollars = 0.0 if replayed else cost(self.price, reply.usage) if reply else None
        ended: Outcome = "failed" if failure else "replayed" if replayed else "sent"
        if reply:
            ended = reply.finish.value
        entry = Entry(
            at=self._clock.now().isoformat(timespec="milliseconds"),
            run=self._run,
            labels=labels,
            spec=self.client.spec,
            key=request.key,
            attempt=attempt,
            outcome=ended,
            reason=type(failure).__name__ if failure else "",
            usage=reply.usage if reply else Entry.model_fields["usage"].default,
            cost=dollars,
            seconds=round(self._clock.monotonic() - started, 3),
        )
        self._writing.write(partial(self._ledger.write, entry), paid=ended not in ("sent", "replayed"))
        return dollars
