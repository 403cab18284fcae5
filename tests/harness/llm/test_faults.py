"""The cases LLM-01 to LLM-11: what providers do to those who depend on them, on a real server, through both clients."""

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest

from harness.budget import Budget, Caps
from harness.clock import FixedClock
from harness.errors import BudgetExhausted
from harness.llm import failure as failures
from harness.llm import gateway, transport
from harness.llm.breaker import Breaker
from harness.llm.failure import ModelFailure
from harness.llm.gateway import LONGEST_WAIT_S, Gateway, Policy
from harness.llm.http_failure import retry_after
from harness.llm.ledger import Labels, Ledger
from harness.llm.limits import Limiter, Rate
from harness.llm.messages import Finish, Request, UserMessage
from harness.llm.replay import Tape
from harness.llm.spec import connect, parse
from tests.support.model_server import Answer, ModelServer, Seen, model_server

KEY = "sk-canary-0123456789abcdef"
LABELS = Labels(stage="verify", lane="argued")
OVERLOADED = Answer(status=529, body='{"error": {"type": "overloaded_error", "message": "Overloaded"}}')
QUOTA = Answer(
    status=429, body='{"error": {"code": "insufficient_quota", "message": "You exceeded your current quota"}}'
)


NO_CAPS, USUAL = Caps(), Policy()


class Passing(FixedClock):
    """Real time, and what is skipped besides."""

    def __init__(self) -> None:
        super().__init__()
        self._began = time.monotonic()
        self.jump = timedelta()

    def now(self) -> datetime:
        return super().now() + self.jump

    def monotonic(self) -> float:
        return super().monotonic() + time.monotonic() - self._began


class Bench:
    """A gateway on a real connection whose waits pass on a clock of the test's own."""

    def __init__(
        self, server: ModelServer, folder: Path, wire: str, caps: Caps = NO_CAPS, policy: Policy = USUAL
    ) -> None:
        self.clock = Passing()
        self.slept: list[float] = []
        self.ledger = Ledger(folder / "usage.jsonl")
        self.budget = Budget(caps, self.clock)
        self.breaker = Breaker(self.clock)
        url = server.url + ("/v1" if wire == "openai" else "")
        self.client = connect(parse(f"{wire}:m@{url}"), {"HARNESS_API_KEY": KEY})
        self.gateway = Gateway(
            self.client, model="m", budgets={"verify": self.budget}, limiter=Limiter(Rate(), self.clock), breaker=self.breaker,
            price=None, ledger=self.ledger, run="0001", clock=self.clock, policy=policy, sleep=self.sleep,
            tape=Tape(folder / "calls"), secrets=(KEY,),
        )  # fmt: skip

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.clock.advance(seconds)

    def ask(self, text: str = "hello") -> str:
        return self.gateway.ask(
            Request(model="m", messages=(UserMessage(text=text),), max_output_tokens=50), LABELS
        ).text


Make = Callable[..., Bench]


@pytest.fixture(params=["openai", "anthropic"])
def bench(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Make]:
    made: list[Bench] = []

    def make(server: ModelServer, **more: object) -> Bench:
        made.append(Bench(server, tmp_path, request.param, **more))  # type: ignore[arg-type]  # passed on
        return made[-1]

    yield make
    for one in made:
        one.client.close()


def limited(**headers: str) -> Answer:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(status=429, headers=named, body='{"error": {"message": "slow down"}}')


@pytest.mark.parametrize(
    ("headers", "least", "most"),
    [
        ({"retry_after": "2"}, 2.0, 2.5),
        ({"retry_after_ms": "1500", "retry_after": "90"}, 1.5, 2.0),
        ({"retry_after": "-1"}, 0.5, 1.5),
        ({"retry_after": "NaN"}, 0.5, 1.5),
        ({"retry_after": "Thu, 01 Jan 2015 00:00:00 GMT"}, 0.0, 0.5),
    ],
)
def test_llm_01_what_the_provider_asks_for_is_obeyed_and_nonsense_is_not(
    bench: Make, headers: dict[str, str], least: float, most: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gateway, "UNSAID_PAUSE_S", 0.3)
    with model_server([limited(**headers), Answer(text="fine")]) as server:
        one = bench(server)
        assert one.ask() == "fine"
    assert least <= one.slept[0] <= most


@pytest.mark.parametrize("seconds", ["130", "3600"])
def test_llm_01_a_long_wait_is_a_pause_of_the_run_and_nobody_asks_meanwhile(bench: Make, seconds: str) -> None:
    with model_server([limited(retry_after=seconds), Answer(text="fine")]) as server:
        one = bench(server)
        for text in ("a", "b"):
            with pytest.raises(failures.RateLimited) as caught:
                one.ask(text)
        assert len(server.seen) == 1
        assert "wait until 2026-01-01T" in str(caught.value)
        assert max(one.slept, default=0) <= LONGEST_WAIT_S
        one.clock.advance(float(seconds))
        assert one.ask("b") == "fine"


def test_llm_02_a_quota_that_is_used_up_is_asked_once(bench: Make) -> None:
    with model_server([QUOTA, Answer(text="fine")]) as server:
        one = bench(server)
        for text in ("a", "b", "c"):
            with pytest.raises(failures.QuotaExhausted):
                one.ask(text)
        assert (len(server.seen), one.slept) == (1, [])


@pytest.mark.parametrize("inside", [False, True], ids=["status", "event after text"])
def test_llm_03_three_minutes_of_overload_are_waited_for_and_no_text_comes_twice(bench: Make, inside: bool) -> None:
    busy = Answer(text="half of it", stream_error=("overloaded_error", "Overloaded")) if inside else OVERLOADED

    def play(seen: Seen) -> Answer:
        return Answer(text="fine") if one.clock.monotonic() > 180 else busy

    with model_server(play) as server:
        one = bench(server)
        assert one.ask() == "fine"
        assert len(server.seen) <= 8
    assert 180 < one.clock.monotonic() < 600


@pytest.mark.parametrize(
    "broken",
    [Answer(text="half", finish="none"), Answer(text="half", finish="none", silence_s=1.5)],
    ids=["cut", "idle"],
)
def test_llm_04_a_stream_that_breaks_off_is_asked_for_again(
    bench: Make, broken: Answer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transport, "IDLE_S", 0.4)
    with model_server([broken, Answer(text="whole")]) as server:
        one = bench(server)
        started = time.monotonic()
        assert one.ask() == "whole"
        assert time.monotonic() - started < 5
    assert next(e.reason for e in one.ledger.entries() if e.outcome == "failed") in {"ProtocolFailure", "Unreachable"}


def test_llm_04_comments_alone_do_not_keep_a_call_alive(bench: Make) -> None:
    with model_server(Answer(text="x", finish="none", comments_s=6)) as server:
        one = bench(server, policy=Policy(call_s=0.5))
        started = time.monotonic()
        with pytest.raises(failures.DeadlineExceeded):
            one.ask()
        assert time.monotonic() - started < 6
        assert len(server.seen) == 2


@pytest.mark.parametrize(
    "nonsense",
    [
        Answer(body="<html>log in</html>", headers={"content-type": "text/html"}),
        Answer(body='{"error": {"message": "no"}}'),
        Answer(body='{"choices": []}'),
        Answer(text=""),
        Answer(text="two answers in one", mixed=True),
        Answer(tool_calls=[("grep", {"a": 1}), ("grep", {"b": 2})], same_ids=True),
    ],
    ids=["html", "error", "no choices", "empty", "wrong id", "same ids"],
)
def test_llm_05_what_is_no_answer_is_a_failure_and_is_tried_a_few_times(bench: Make, nonsense: Answer) -> None:
    with model_server(nonsense) as server:
        one = bench(server)
        with pytest.raises(failures.ProtocolFailure):
            one.ask()
        assert len(server.seen) == 4
    assert {e.outcome for e in one.ledger.entries()} == {"sent", "failed"}


def test_llm_05_a_page_is_told_from_a_cut_stream(bench: Make) -> None:
    page = Answer(body="<html>log in</html>", headers={"content-type": "text/html; charset=utf-8"})
    with (
        model_server(page) as server,
        pytest.raises(failures.ProtocolFailure, match=r"text/html.*is the address right"),
    ):
        bench(server).ask()


def test_llm_06_a_cut_answer_is_never_complete_however_whole_it_looks(bench: Make) -> None:
    for text in ('{"nonce": "0123456789abcdef", "findings": []}', ""):
        with model_server(Answer(text=text, finish="truncated")) as server:
            one = bench(server)
            request = Request(model="m", messages=(UserMessage(text=text or "-"),), max_output_tokens=50)
            assert one.gateway.ask(request, LABELS).finish is Finish.TRUNCATED


def test_llm_08_two_runs_of_one_account_stay_within_its_limits_and_share_them(tmp_path: Path) -> None:
    clock = FixedClock()
    limit = Rate(requests_per_minute=30, tokens_per_minute=6000)
    runs = [Limiter(limit, clock, tmp_path / "account.json") for _ in range(2)]
    sent: list[tuple[float, int]] = []
    while len(sent) < 300:
        moved = False
        for number, limiter in enumerate(runs):
            try:
                ticket = limiter.acquire(190, deadline=clock.monotonic() + 0.0001)
            except failures.DeadlineExceeded:
                continue
            limiter.settle(ticket, 150)
            sent.append((clock.monotonic(), number))
            moved = True
        if not moved:
            clock.advance(0.5)
    for at, _ in sent:
        assert sum(at <= t < at + 60 for t, _ in sent) <= 30
    assert sent[-1][0] <= 60 * len(sent) / (0.85 * 30)
    assert 140 <= sum(number for _, number in sent) <= 160


def test_llm_08_a_run_that_was_killed_in_the_queue_holds_nobody_up(tmp_path: Path) -> None:
    clock = FixedClock()
    limit = Rate(requests_per_minute=1)
    dead, alive = (Limiter(limit, clock, tmp_path / "account.json") for _ in range(2))
    dead.acquire(1, deadline=clock.monotonic() + 1)
    with pytest.raises(failures.DeadlineExceeded):
        dead.acquire(1, deadline=clock.monotonic() + 0.0001)
    clock.advance(62)
    alive.acquire(1, deadline=clock.monotonic() + 1)


def test_llm_09_a_provider_that_is_down_for_five_minutes_is_hardly_asked_and_found_again(bench: Make) -> None:
    def play(seen: Seen) -> Answer:
        return Answer(text="fine") if one.clock.monotonic() > 300 else OVERLOADED

    with model_server(play) as server:
        one = bench(server, policy=Policy(attempts=1, total_s=1.0))
        failed = 0
        while one.clock.monotonic() < 560:
            try:
                one.ask(str(one.clock.monotonic()))
            except failures.Overloaded:
                failed += 1
            one.clock.advance(1)
        assert one.ask("after") == "fine"
    assert len([e for e in one.ledger.entries() if e.outcome == "failed"]) <= 11
    assert failed > 250


def test_llm_10_a_call_whose_end_was_not_written_is_made_once_more_and_both_are_accounted(tmp_path: Path) -> None:
    class Died(BaseException):
        pass

    with model_server(Answer(text="fine")) as server:
        one = Bench(server, tmp_path, "openai")
        write = one.ledger.write

        def dying(entry):  # type: ignore[no-untyped-def]  # stands in for kill -9 between the answer and its record
            if entry.outcome != "sent":
                raise Died
            write(entry)

        one.ledger.write = dying  # type: ignore[method-assign]  # see above
        with pytest.raises(Died):
            one.ask()
        one.client.close()
        again = Bench(server, tmp_path, "openai")
        assert (again.ask(), again.ask()) == ("fine", "fine")
        again.client.close()
        assert len(server.seen) == 2
    assert [e.outcome for e in again.ledger.entries()] == ["sent", "sent", "complete", "replayed"]


def test_llm_11_the_key_is_in_no_failure_ledger_or_recording_whoever_echoes_it(bench: Make, tmp_path: Path) -> None:
    echoing = [
        Answer(
            status=401, body=f'{{"error": {{"message": "bad key {KEY}", "type": "{KEY}"}}}}', headers={"x-key": KEY}
        ),
        Answer(text=f"your key is {KEY}"),
    ]
    with model_server(echoing) as server:
        one = bench(server)
        with pytest.raises(failures.Unauthorised) as caught:
            one.ask("a")
        one.ask(f"what about {KEY}?")
        assert KEY not in str(server.seen[-1].body)
    assert KEY not in f"{caught.value} {caught.value.hint}"
    assert not any(KEY in path.read_text() for path in tmp_path.rglob("*") if path.is_file())


def test_dur_06_a_wall_clock_that_jumps_moves_no_deadline_and_no_pause(bench: Make) -> None:
    with model_server([limited(retry_after="600"), Answer(text="fine")]) as server:
        one = bench(server)
        with pytest.raises(failures.RateLimited):
            one.ask("a")
        one.clock.jump = timedelta(days=1)
        with pytest.raises(failures.RateLimited):
            one.ask("a")
        one.clock.jump = timedelta(hours=-1)
        one.clock.advance(601)
        assert one.ask("a") == "fine"


@pytest.mark.parametrize("wrong", [timedelta(hours=-1), timedelta(days=1), timedelta(days=-3650)])
def test_dur_06_a_date_to_wait_for_is_counted_from_the_clock_of_who_named_it(bench: Make, wrong: timedelta) -> None:
    there = datetime.now(UTC) + wrong  # whose clock is wrong does not matter
    named = {
        "date": format_datetime(there, usegmt=True),
        "retry-after": format_datetime(there + timedelta(seconds=30), usegmt=True),
    }
    with model_server([Answer(status=429, headers=named, body="{}"), Answer(text="fine")]) as server:
        one = bench(server)
        assert one.ask() == "fine"
    assert 30 <= one.slept[0] <= 30.5


@pytest.mark.parametrize("named", ["Thu, 01 Jan 9999999 00:00:00 GMT", "Thu, 99 Foo 2026 25:00:00 GMT", "soon", ""])
def test_dur_06_a_date_that_is_none_is_not_obeyed(named: str) -> None:
    assert retry_after({"retry-after": named}) is None


def test_dur_06_without_a_date_of_the_answer_our_own_clock_has_to_do() -> None:
    now = datetime(2026, 3, 29, 0, 59, 50, tzinfo=UTC)  # ten seconds before clocks in Europe go forward
    assert retry_after({"retry-after": "Sun, 29 Mar 2026 01:00:20 GMT"}, now) == 30
    assert retry_after({"retry-after": "Sun, 29 Mar 2026 01:00:20 GMT", "date": "no date"}, now) == 30


def test_dur_06_a_machine_that_slept_waits_no_shorter_and_says_a_time_to_come(bench: Make) -> None:
    """The monotonic clock stands still while a laptop sleeps, the wall clock does not."""
    with model_server([limited(retry_after="600"), Answer(text="fine")]) as server:
        one = bench(server)
        with pytest.raises(failures.RateLimited):
            one.ask("a")
        one.clock.jump = timedelta(hours=8)
        with pytest.raises(failures.RateLimited) as caught:
            one.ask("a")
        told = datetime.fromisoformat(str(caught.value).rpartition(" ")[2])
        assert timedelta(seconds=540) <= told - one.clock.now() <= timedelta(seconds=600)
        assert len(server.seen) == 1
        one.clock.advance(601)
        assert one.ask("a") == "fine"


def test_dur_06_the_time_to_resume_at_is_of_no_time_zone(bench: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    try:
        with model_server(limited(retry_after="7200")) as server:
            one = bench(server)
            for _ in range(2):
                with pytest.raises(failures.RateLimited) as caught:
                    one.ask("a")
        assert "+00:00" in caught.value.hint
    finally:
        monkeypatch.undo()
        time.tzset()


@pytest.mark.parametrize("wire", ["openai"])
def test_one_question_asked_by_many_at_once_is_paid_once(tmp_path: Path, wire: str) -> None:
    with model_server(Answer(text="fine", delay_s=0.3)) as server:
        one = Bench(server, tmp_path, wire)
        with ThreadPoolExecutor(8) as threads:
            assert list(threads.map(one.ask, ["same"] * 8)) == ["fine"] * 8
        one.client.close()
        assert len(server.seen) == 1


def test_a_budget_in_calls_holds_with_32_in_flight(tmp_path: Path) -> None:
    with model_server(Answer(text="fine", delay_s=0.05)) as server:
        one = Bench(server, tmp_path, "openai", caps=Caps(calls=50))
        told: list[str] = []
        lock = threading.Lock()

        def ask(number: int) -> None:
            try:
                answer = one.ask(str(number))
            except BudgetExhausted:
                answer = "over"
            except ModelFailure as failure:
                answer = type(failure).__name__
            with lock:
                told.append(answer)

        with ThreadPoolExecutor(32) as threads:
            list(threads.map(ask, range(120)))
        one.client.close()
        assert len(server.seen) == 50
    assert (told.count("fine"), told.count("over")) == (50, 70)


def test_a_budget_in_tokens_is_overshot_by_what_is_in_flight_at_most(tmp_path: Path) -> None:
    per_call = 4_000
    with model_server(Answer(text="fine", delay_s=0.05, usage=(per_call, 0, 0))) as server:
        one = Bench(server, tmp_path, "openai", caps=Caps(tokens=200_000))

        def ask(number: int) -> None:
            try:
                one.ask(str(number))
            except BudgetExhausted:
                return

        with ThreadPoolExecutor(32) as threads:
            list(threads.map(ask, range(150)))
        one.client.close()
        assert 200_000 // per_call <= len(server.seen) <= 200_000 // per_call + 32
