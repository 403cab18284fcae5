"""LLM-08: three hundred calls at once against a server that enforces its limits, in time that passes only when all wait.

The server, the connections and the threads are real; the minute is not, so that no figure depends on the machine.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from harness.budget import Budget, Caps
from harness.clock import FixedClock
from harness.llm import limits
from harness.llm.breaker import Breaker
from harness.llm.gateway import Gateway, Policy
from harness.llm.ledger import Labels, Ledger
from harness.llm.limits import Limiter, Rate, Ticket
from harness.llm.messages import Request, UserMessage
from harness.llm.spec import connect, parse
from tests.support.model_server import model_server
from tests.support.rate_limited import MINUTE_S, Provider

CALLS = 300
STEP_S = 1.0


class Watched(Limiter):
    """Knows when it has told whoever is next that there is no room yet, and how many calls are out."""

    out = 0
    refused_at = -1.0

    def _try(self, tokens: int, now: float) -> tuple[Ticket | None, float]:
        ticket, wait = super()._try(tokens, now)
        self.out += ticket is not None
        self.refused_at = -1.0 if ticket else now
        return ticket, wait

    def settle(self, ticket: Ticket, tokens: int) -> None:
        super().settle(ticket, tokens)
        self.out -= 1


class Run:
    """One run: its own limiter, which shares a file with that of the other."""

    def __init__(self, name: str, url: str, rate: Rate, clock: FixedClock, folder: Path) -> None:
        self.name = name
        self.limiter = Watched(rate, clock, folder / "account.json")
        self.client = connect(parse(f"openai:m@{url}/v1"), {"HARNESS_API_KEY": "one-account"})
        self.gateway = Gateway(
            self.client, model="m", budgets={"verify": Budget(Caps(), clock)}, limiter=self.limiter, breaker=Breaker(clock),
            price=None, ledger=Ledger(folder / f"{name}.jsonl"), run=name, clock=clock, policy=Policy(total_s=7200.0),
            sleep=clock.advance,
        )  # fmt: skip
        self.answers: list[str] = []
        self.threads = [threading.Thread(target=self._ask, args=(n,), daemon=True) for n in range(CALLS // 2)]

    def _ask(self, number: int) -> None:
        text = f"run {self.name} {number} " + "code " * (200 + 150 * (number % 4))
        request = Request(model="m", messages=(UserMessage(text=text),), max_output_tokens=500)
        self.answers.append(self.gateway.ask(request, Labels(stage="verify", lane="x")).text)

    @property
    def done(self) -> bool:
        return not any(thread.is_alive() for thread in self.threads)

    def waits(self, now: float) -> bool:
        """Whether nothing can happen in this run before time passes."""
        return self.done or (self.limiter.out == 0 and self.limiter.refused_at == now)


@contextmanager
def two_runs(provider: Provider, rate: Rate, clock: FixedClock, folder: Path) -> Iterator[list[Run]]:
    with model_server(provider) as server:
        runs = [Run(name, server.url, rate, clock, folder) for name in ("one", "two")]
        try:
            yield runs
        finally:
            for run in runs:
                run.client.close()


def test_llm_08_three_hundred_calls_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    requests, tokens = 80, 50_000
    monkeypatch.setattr(limits, "POLL_S", 0.005)
    clock = FixedClock()
    rate = Rate(requests_per_minute=requests, tokens_per_minute=tokens)
    provider = Provider(requests, tokens, clock=clock.monotonic)
    with two_runs(provider, rate, clock, tmp_path) as runs:
        for run in runs:
            for thread in run.threads:
                thread.start()
        while not all(run.done for run in runs):
            if all(run.waits(clock.monotonic()) for run in runs):
                clock.advance(STEP_S)
            time.sleep(0.001)
    assert [len(run.answers) for run in runs] == [CALLS // 2] * 2
    assert provider.refused == 0
    minutes = int((provider.served[-1][0] - provider.served[0][0]) / MINUTE_S)
    assert minutes >= 2, "the limits were not what held it up"
    assert max(provider.used(minutes * MINUTE_S)) >= 0.85
    # Who is started first is served first; from then on they share, for as long as both have something to ask.
    ends = [max(at for at, name, _ in provider.served if name == run.name) for run in runs]
    shared = [name for at, name, _ in provider.served if at - provider.served[0][0] >= MINUTE_S and at <= min(ends)]
    assert len(shared) >= 50
    # Which of two waiting lanes the machine wakes first is its own affair: neither may have more than twice the other's share.
    assert 1 / 3 <= shared.count("one") / len(shared) <= 2 / 3
