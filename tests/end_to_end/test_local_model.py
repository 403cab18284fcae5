"""Audits against a real model server (llama.cpp), through both wire formats: they end, and nonsense makes nothing green."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.contracts import Bench
from harness.llm.ledger import Labels, Ledger
from harness.llm.messages import Finish, Request, UserMessage
from harness.llm.spec import connect, parse
from harness.registry import arguing
from harness.schema.finding import Severity
from harness.schema.verdict import Verdict
from harness.source.project import Project
from tests.support.claims import finding_at
from tests.support.local_model import local_model, missing
from tests.support.trees import tree_of

ROOT = Path(__file__).parents[2]
pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(missing()), reason=missing() or "the packages are there")]


@pytest.fixture(scope="session")
def local() -> Iterator[str]:
    with local_model() as url:
        yield url


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    (root / "stats.py").write_text("def mean(values):\n    return sum(values) / len(values)\n")
    return root


def spec(wire: str, url: str) -> str:
    return f"{wire}:smollm2@{url}{'/v1' if wire == 'openai' else ''}"


def started(project: Path, state: Path, *arguments: str) -> subprocess.Popen[str]:
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(state),
        "HARNESS_STATE_DIR": str(state),
        "PYTHONPATH": str(ROOT),
    }
    command = [sys.executable, "-m", "harness.cli.main", *arguments]
    return subprocess.Popen(
        command,
        cwd=project,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def finished(process: subprocess.Popen[str]) -> tuple[int, dict[str, Any], str]:
    out, err = process.communicate(timeout=100)
    return process.returncode, json.loads(out) if out else {}, err


@pytest.mark.parametrize("wire", ["openai", "anthropic"])
def test_an_audit_ends_and_is_accounted(project: Path, tmp_path: Path, local: str, wire: str) -> None:
    state = tmp_path / "state"
    process = started(
        project, state, "audit", "--model", spec(wire, local), "--dimension", "correctness", "--no-exec", "--format", "json",
        "--budget", "60s",
    )  # fmt: skip
    code, report, talk = finished(process)
    assert code in (0, 3), talk
    assert report["run"]["status"] == {0: "complete", 3: "incomplete"}[code]
    assert report["usage"]["calls"] >= 1
    (ledger,) = state.rglob("usage.jsonl")
    counted = [e for e in Ledger(ledger).entries() if e.outcome in ("complete", "truncated", "tool-calls")]
    assert report["usage"]["input_tokens"] == sum(e.usage.input_tokens or 0 for e in counted)
    assert report["usage"]["output_tokens"] == sum(e.usage.output_tokens or 0 for e in counted)
    # A model of this size cannot answer as asked; whatever it says, nothing of it is confirmed.
    assert not [f for f in report["findings"] if f["rule"].startswith("model:") and f["verdict"] == "CONFIRMED"]


@pytest.mark.parametrize("wire", ["openai", "anthropic"])
def test_a_tiny_cap_is_a_truncation_with_its_tokens_counted(local: str, wire: str) -> None:
    client = connect(parse(spec(wire, local)), {})
    request = Request(
        model="smollm2", messages=(UserMessage(text="Count from one to fifty in words."),), max_output_tokens=5
    )
    reply = client.send(request, deadline_s=60)
    client.close()
    assert reply.finish is Finish.TRUNCATED
    assert reply.usage.output_tokens == 5
    assert reply.usage.input_tokens


def test_ctrl_c_during_a_call_ends_the_run_at_once_and_it_can_be_resumed(
    project: Path, tmp_path: Path, local: str
) -> None:
    state = tmp_path / "state"
    arguments = ("--dimension", "correctness", "--no-exec", "--format", "json")
    process = started(project, state, "audit", "--model", spec("openai", local), *arguments)
    end = time.monotonic() + 60
    while not list(state.rglob("usage.jsonl")) and time.monotonic() < end:
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to all of them
    pressed = time.monotonic()
    process.communicate(timeout=30)
    assert time.monotonic() - pressed < 20  # at once, also where the machine is busy; an answer may take minutes
    assert process.returncode == 130
    code, report, talk = finished(started(project, state, "resume", "--format", "json", "--budget", "60s"))
    assert code in (0, 3), talk
    assert report["usage"]["calls"] >= 2


@pytest.mark.parametrize("wire", ["openai", "anthropic"])
def test_a_claim_is_argued_about_and_prose_decides_nothing(
    project: Path, tmp_path: Path, local: str, wire: str
) -> None:

    client = connect(parse(spec(wire, local)), {})

    class Asker:
        family, model = "smollm", "smollm2"

        def ask(self, request: Request, labels: Labels) -> Any:
            return client.send(request.model_copy(update={"max_output_tokens": 120}), deadline_s=60)

    opened = Project(tree_of(project))
    found = finding_at(opened, "stats.py", "sum(values) / len(values)", kind="model-claim", facts={})
    found = found.model_copy(update={"severity": Severity.LOW})  # one reader, not a panel
    judgement = arguing()({"verifier": Asker()}).verify(found, Bench(opened, None))
    client.close()
    assert judgement.verdict in (Verdict.UNVERIFIED, Verdict.UNCERTAIN)
