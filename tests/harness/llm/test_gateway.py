"""The one retry policy, and everything around a call."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from harness.budget import Budget, Caps
from harness.clock import FixedClock
from harness.errors import BudgetExhausted
from harness.llm.breaker import Breaker
from harness.llm.failure import (
    DeadlineExceeded,
    ModelFailure,
    Overloaded,
    ProtocolFailure,
    QuotaExhausted,
    RateLimited,
    Unauthorised,
)
from harness.llm.gateway import LONGEST_WAIT_S, Gateway, Policy
from harness.llm.ledger import Labels, Ledger
from harness.llm.limits import Limiter, Rate
from harness.llm.messages import Finish, Reply, Request, Usage, UserMessage
from harness.llm.pricing import Price
from harness.llm.scripted import ScriptedClient

REQUEST = Request(model="m", messages=(UserMessage(text="hello"),), max_output_tokens=100)
LABELS = Labels(stage="verify", lane="argued")
PRICE = Price(input=1.0, cached=0.1, output=10.0, as_of="2026-01-01")


class Bench:
    def __init__(self, folder: Path, *, price: Price | None = PRICE, caps: Caps = Caps(), rate: Rate = Rate()) -> None:  # noqa: B008  # immutable
        self.clock = FixedClock()
        self.slept: list[float] = []
        self.budget = Budget(caps, self.clock)
        self.ledger = Ledger(folder / "usage.jsonl")
        self.breaker = Breaker(self.clock)
        self.limiter = Limiter(rate, self.clock)
        self.price = price

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.clock.advance(seconds)

    def gateway(self, client: ScriptedClient, policy: Policy = Policy()) -> Gateway:  # noqa: B008  # immutable
        return Gateway(
            client,
            model="m",
            budgets={"verify": self.budget},
            limiter=self.limiter,
            breaker=self.breaker,
            price=self.price,
            ledger=self.ledger,
            run="0001",
            clock=self.clock,
            policy=policy,
            sleep=self.sleep,
        )


def test_usage_and_cost_are_written_for_every_request_that_left(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    reply = Reply(text="x", finish=Finish.COMPLETE, usage=Usage(input_tokens=1000, cached_tokens=400, output_tokens=10))
    client = ScriptedClient([Overloaded("busy"), reply])
    assert bench.gateway(client).ask(REQUEST, LABELS) == reply
    entries = bench.ledger.entries()
    assert [(e.attempt, e.outcome, e.reason) for e in entries] == [
        (1, "sent", ""),
        (1, "failed", "Overloaded"),
        (2, "sent", ""),
        (2, "complete", ""),
    ]
    assert entries[1].cost is None
    assert entries[3].cost == pytest.approx((600 * 1.0 + 400 * 0.1 + 10 * 10.0) / 1e6)
    assert len(bench.slept) == 1


def test_an_unknown_price_is_unknown_and_refused_under_a_cap_in_money(tmp_path: Path) -> None:
    bench = Bench(tmp_path, price=None)
    bench.gateway(ScriptedClient(["x"])).ask(REQUEST, LABELS)
    assert bench.ledger.entries()[-1].cost is None
    capped = Bench(tmp_path, price=None, caps=Caps(usd=100.0))
    client = ScriptedClient(["x"])
    with pytest.raises(BudgetExhausted):
        capped.gateway(client).ask(REQUEST, LABELS)
    assert client.requests == []


@pytest.mark.parametrize(
    "failure", [QuotaExhausted("q"), Unauthorised("u"), RateLimited("r", status=429, retry_after=3600)]
)
def test_what_a_retry_cannot_change_is_not_retried(tmp_path: Path, failure: ModelFailure) -> None:
    bench = Bench(tmp_path)
    client = ScriptedClient([failure, "x"])
    with pytest.raises(type(failure)):
        bench.gateway(client).ask(REQUEST, LABELS)
    assert (len(client.requests), bench.slept) == (1, [])


def test_retry_after_is_obeyed_and_slows_every_lane(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    client = ScriptedClient([RateLimited("r", status=429, retry_after=7.0), "x"])
    bench.gateway(client).ask(REQUEST, LABELS)
    assert 7.0 <= bench.slept[0] <= 7.5
    bench.limiter.pause(5)
    with pytest.raises(DeadlineExceeded):
        bench.limiter.acquire(1, deadline=bench.clock.monotonic() + 1)


def test_attempts_and_total_time_are_bounded(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    client = ScriptedClient(lambda _: ProtocolFailure("cut"))
    with pytest.raises(ProtocolFailure):
        bench.gateway(client, Policy(attempts=4)).ask(REQUEST, LABELS)
    assert len(client.requests) == 4
    short = ScriptedClient(lambda _: RateLimited("r", status=429, retry_after=LONGEST_WAIT_S - 1))
    other = Bench(tmp_path)
    with pytest.raises(RateLimited):
        other.gateway(short, Policy(total_s=200)).ask(REQUEST, LABELS)
    assert len(short.requests) == 2


@pytest.mark.parametrize("finish", [Finish.TRUNCATED, Finish.REFUSED])
def test_truncation_and_refusal_come_back_as_they_are(tmp_path: Path, finish: Finish) -> None:
    bench = Bench(tmp_path)
    client = ScriptedClient([Reply(text='{"a": ', finish=finish)])
    assert bench.gateway(client).ask(REQUEST, LABELS).finish is finish
    assert len(client.requests) == 1


def test_overshoot_is_at_most_the_calls_in_flight(tmp_path: Path) -> None:
    bench = Bench(tmp_path, caps=Caps(calls=3))
    gateway = bench.gateway(ScriptedClient(lambda _: Reply(text="x", finish=Finish.COMPLETE)))
    for _ in range(3):
        gateway.ask(REQUEST, LABELS)
    with pytest.raises(BudgetExhausted):
        gateway.ask(REQUEST, LABELS)


@pytest.mark.parametrize("lanes", [1, 32])
def test_a_cap_of_eight_cents_is_overshot_by_the_calls_in_flight_at_most(tmp_path: Path, lanes: int) -> None:
    cap, per_call = 0.08, 0.003
    bench = Bench(tmp_path, caps=Caps(usd=cap))
    costly = Usage(input_tokens=1000, output_tokens=200)  # twice what was asked for: the provider counts as it likes
    gateway = bench.gateway(ScriptedClient(lambda _: Reply(text="x", finish=Finish.COMPLETE, usage=costly)))

    def ask(number: int) -> bool:
        request = REQUEST.model_copy(update={"messages": (UserMessage(text=f"question {number}"),)})
        try:
            gateway.ask(request, LABELS)
        except BudgetExhausted:
            return False
        return True

    with ThreadPoolExecutor(lanes) as threads:
        answered = sum(threads.map(ask, range(120)))
    spent = sum(e.cost or 0.0 for e in bench.ledger.entries())
    assert spent == pytest.approx(answered * per_call)
    assert cap - 2 * per_call <= spent <= cap + lanes * per_call
    assert not ask(999)


def test_the_breaker_opens_probes_once_and_closes(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    up = False
    calls: list[float] = []

    def play(_: Request) -> Reply | ModelFailure:
        calls.append(bench.clock.monotonic())
        return Reply(text="x", finish=Finish.COMPLETE) if up else Overloaded("down")

    gateway = bench.gateway(ScriptedClient(play), Policy(attempts=1))

    def ask() -> str:
        try:
            return gateway.ask(REQUEST, LABELS).text
        except Overloaded:
            return "failed"

    for _ in range(300):  # five minutes, one question a second
        ask()
        bench.clock.advance(1)
    assert len([at for at in calls if at <= 300]) <= 5 + 5
    up = True
    bench.clock.advance(240)
    assert ask() == "x"
    assert ask() == "x"


def test_waiting_calls_are_served_in_order_and_within_every_window(tmp_path: Path) -> None:
    clock = FixedClock()
    limiter = Limiter(Rate(requests_per_minute=10, tokens_per_minute=1000), clock)
    sent: list[tuple[float, int]] = []
    waits: Callable[[float], None] = clock.advance
    while len(sent) < 60:
        try:
            ticket = limiter.acquire(150, deadline=clock.monotonic() + 0.0001)
        except DeadlineExceeded:
            waits(0.5)
            continue
        limiter.settle(ticket, 100)
        sent.append((clock.monotonic(), 100))
    for at, _ in sent:
        window = [n for t, n in sent if at <= t < at + 60]
        assert len(window) <= 10
        assert sum(window) <= 1000
    assert sent[-1][0] <= 60 * len(sent) / (0.85 * 10)
