"""The process with the keys, and the one that asks: what may pass between them."""

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pydantic import JsonValue

from harness.errors import BudgetExhausted, UsageError
from harness.llm import wire
from harness.llm.broker import opener, scrubbed, serve
from harness.llm.failure import QuotaExhausted, Unreachable, Unwritten
from harness.llm.ledger import Labels, Ledger
from harness.llm.link import Link
from harness.llm.messages import Request, UserMessage
from tests.support.model_server import Answer, ModelServer, model_server

KEY = "sk-canary-verysecret"
LABELS = Labels(stage="verify", lane="argued")
ENVIRONMENT = {"HARNESS_API_KEY": KEY, "OPENAI_API_KEY": "sk-providers-own"}


def request(text: str) -> Request:
    schema: dict[str, JsonValue] = {"type": "object", "properties": {}}  # its keys are not in order
    return Request(model="m", messages=(UserMessage(text=text),), max_output_tokens=50, reply_schema=schema)


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with model_server(Answer(text="fine", usage=(90, 10, 5))) as running:
        yield running


def opening(server: ModelServer, folder: Path, **more: object) -> wire.Opening:
    fields: dict[str, object] = {
        "run": "0001", "ledger": str(folder / "usage.jsonl"), "tape": str(folder / "calls"),
        "tiers": {"main": f"openai:m@{server.url}/v1"}, "caps": {}, "reserve": 0.3, **more,
    }  # fmt: skip
    return wire.Opening.model_validate(fields)


@pytest.fixture
def linked() -> Iterator[Callable[[list[str]], Link]]:
    links: list[Link] = []

    def connect(allowed: list[str]) -> Link:
        ours, theirs = socket.socketpair()
        threading.Thread(target=serve, args=(theirs, opener(allowed, ENVIRONMENT)), daemon=True).start()
        links.append(Link(ours))
        return links[-1]

    yield connect
    for link in links:
        link.close()


Linked = Callable[[list[str]], Link]


def test_questions_are_answered_and_paid_once(linked: Linked, server: ModelServer, tmp_path: Path) -> None:
    order = opening(server, tmp_path)
    asker = linked(list(order.tiers.values())).open(order)["main"]
    assert asker.ask(request("a"), LABELS).text == "fine"
    again = linked(list(order.tiers.values())).open(order)["main"]
    assert again.ask(request("a"), LABELS).text == "fine"
    assert len(server.seen) == 1
    outcomes = [e.outcome for e in Ledger(tmp_path / "usage.jsonl").entries()]
    assert outcomes == ["sent", "complete", "replayed"]
    written = "".join(p.read_text() for p in tmp_path.rglob("*.json*"))
    assert KEY not in written


def test_many_questions_at_once(linked: Linked, server: ModelServer, tmp_path: Path) -> None:
    order = opening(server, tmp_path)
    asker = linked(list(order.tiers.values())).open(order)["main"]
    answers: list[str] = []
    threads = [
        threading.Thread(target=lambda n=n: answers.append(asker.ask(request(str(n)), LABELS).text)) for n in range(40)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert answers == ["fine"] * 40


def test_a_server_named_by_a_file_gets_neither_code_nor_key(
    linked: Linked, server: ModelServer, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match="comes from a configuration file"):
        linked([]).open(opening(server, tmp_path))
    assert server.seen == []


def test_failures_and_budgets_keep_their_kind(linked: Linked, tmp_path: Path) -> None:
    answer = Answer(status=402, body='{"error": {"message": "Insufficient Balance"}}')
    with model_server(answer) as poor:
        order = opening(poor, tmp_path, caps={"calls": 1.0})
        asker = linked(list(order.tiers.values())).open(order)["main"]
        with pytest.raises(QuotaExhausted):
            asker.ask(request("a"), LABELS)
        with pytest.raises(QuotaExhausted):
            asker.ask(request("b"), LABELS)
        resumed = linked(list(order.tiers.values())).open(order)["main"]
        with pytest.raises(BudgetExhausted):
            resumed.ask(request("c"), LABELS)
        assert len(poor.seen) == 1


def test_the_finding_stage_cannot_spend_what_is_kept_for_verifying(
    linked: Linked, server: ModelServer, tmp_path: Path
) -> None:
    order = opening(server, tmp_path, caps={"calls": 4.0}, reserve=0.5)
    asker = linked(list(order.tiers.values())).open(order)["main"]
    discover = Labels(stage="discover", lane="security")
    for n in range(2):
        asker.ask(request(f"d{n}"), discover)
    with pytest.raises(BudgetExhausted):
        asker.ask(request("d2"), discover)
    for n in range(2):
        asker.ask(request(f"v{n}"), LABELS)


def test_no_secret_passes_on() -> None:
    environ = {"HARNESS_API_KEY": "x", "GITHUB_TOKEN": "x", "DB_PASSWORD": "x", "PATH": "p", "HOME": "h"}
    assert scrubbed(environ) == {"PATH": "p", "HOME": "h"}


def test_frames_that_are_none_end_the_connection(tmp_path: Path) -> None:
    ours, theirs = socket.socketpair()
    thread = threading.Thread(target=serve, args=(theirs, opener([], {})), daemon=True)
    thread.start()
    ours.sendall(b"\xff\xff\xff\xff" + b"x" * 10)
    thread.join(5)
    assert not thread.is_alive()
    ours.close()


def test_dur_04_a_call_that_cannot_be_written_down_is_not_made(
    linked: Linked, server: ModelServer, tmp_path: Path
) -> None:
    order = opening(server, tmp_path, ledger=str(tmp_path / "gone" / "usage.jsonl"))
    asker = linked(list(order.tiers.values())).open(order)["main"]
    with pytest.raises(Unwritten, match="No such file"):
        asker.ask(request("a"), LABELS)
    assert server.seen == []


def test_dur_05_a_recorded_reply_under_the_name_of_another_question_is_no_answer(
    linked: Linked, server: ModelServer, tmp_path: Path
) -> None:
    order = opening(server, tmp_path)
    asker = linked(list(order.tiers.values())).open(order)["main"]
    asker.ask(request("a"), LABELS)
    (kept,) = (tmp_path / "calls").iterdir()
    kept.rename(kept.with_name(f"{request('b').key}.json"))
    asker.ask(request("b"), LABELS)
    assert len(server.seen) == 2


def test_a_connection_that_ends_waits_for_no_call(linked: Linked, tmp_path: Path) -> None:
    with model_server(Answer(text="fine", delay_s=20)) as slow:
        ours, theirs = socket.socketpair()
        order = opening(slow, tmp_path)
        serving = threading.Thread(
            target=serve, args=(theirs, opener(list(order.tiers.values()), ENVIRONMENT)), daemon=True
        )
        serving.start()
        link = Link(ours)
        asker = link.open(order)["main"]

        def ask() -> None:
            with contextlib.suppress(Unreachable):
                asker.ask(request("a"), LABELS)

        threading.Thread(target=ask, daemon=True).start()
        while not slow.seen:
            time.sleep(0.01)
        link.close()
        serving.join(5)
        assert not serving.is_alive()
