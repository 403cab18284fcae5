"""`harness audit` with a model, as a user runs it: a real process, a real server, both wire formats."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.model_server import Answer, ModelServer, Seen, model_server
from tests.support.players import finding, findings, is_auditor, text_of, vote

CODE = """\
def mean(values):
    total = sum(values)
    return total / len(values)


def label(n):
    if n is None:
        return ''
    return n.name
"""
MEAN = finding("stats.py", 3, "return total / len(values)", symbol="mean")
GUARDED = finding(
    "stats.py", 9, "return n.name", symbol="label", scenario="label(None) raises AttributeError on n.name in line 9."
)
INVENTED = finding("nowhere.py", 1, "import x")
MISQUOTED = finding("stats.py", 2, "total = max(values)")
CANARY = "sk-canary-0123456789abcdef"


def good(seen: Seen) -> Answer:
    """Finds one defect, one false claim, two inventions; verifies honestly."""
    if is_auditor(seen):
        if "core correctness" in text_of(seen):
            return findings(seen, MEAN, GUARDED, INVENTED, MISQUOTED)
        return findings(seen)
    if "ZeroDivisionError" in text_of(seen):
        return vote(seen, "stands", "nothing checks for an empty list", ("stats.py", 3, "return total / len(values)"))
    return vote(seen, "refuted", "line 7 returns first", ("stats.py", 7, "if n is None:"))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    (root / "stats.py").write_text(CODE)
    return root


def harness(project: Path, *arguments: str, state: Path, key: str = CANARY) -> subprocess.CompletedProcess[str]:
    environment = {
        "PATH": os.environ["PATH"], "HOME": str(state), "HARNESS_STATE_DIR": str(state), "HARNESS_API_KEY": key,
        "PYTHONPATH": str(Path(__file__).parents[2]),
    }  # fmt: skip
    command = [sys.executable, "-m", "harness.cli.main", *arguments]
    return subprocess.run(
        command, cwd=project, env=environment, capture_output=True, text=True, timeout=120, check=False
    )


def audit(
    project: Path, server: ModelServer, state: Path, *more: str, wire: str = "openai"
) -> tuple[int, dict[str, Any], str]:
    spec = f"{wire}:m@{server.url}{'/v1' if wire == 'openai' else ''}"
    done = harness(project, "audit", "--model", spec, "--format", "json", "--no-exec", *more, state=state)
    return done.returncode, json.loads(done.stdout) if done.stdout else {}, done.stderr


def verdicts(report: dict[str, Any]) -> dict[int, str]:
    return {f["line"]: f["verdict"] for f in report["findings"] if f["rule"].startswith("model:")}


@pytest.mark.parametrize("wire", ["openai", "anthropic"])
def test_llm_07_what_is_true_stands_what_is_false_falls_what_is_invented_is_rejected(
    project: Path, tmp_path: Path, wire: str
) -> None:
    with model_server(good) as server:
        code, report, talk = audit(project, server, tmp_path / "state", wire=wire)
        sent = [text_of(seen) for seen in server.seen]
    assert verdicts(report) == {3: "CONFIRMED", 9: "DISMISSED"}
    assert [f["tier"] for f in report["findings"] if f["line"] == 9] == ["E2"]
    assert len([r for r in report["stats"]["rejected"] if r["claim"]["rule"].startswith("model:")]) == 2
    assert (code, report["run"]["status"]) == (0, "complete")
    assert report["usage"]["calls"] == len(sent)
    assert report["usage"]["input_tokens"] == 120 * len(sent)
    assert report["usage"]["cost"] is None
    assert "one model family" in talk
    # A falsifier is blind to the proposed fix and to who raised the claim, and no secret is in any question.
    assert not any("Return 0.0" in text for text in sent)
    assert not any(CANARY in text for text in sent)
    assert not any(CANARY in p.read_text("utf-8", "replace") for p in (tmp_path / "state").rglob("*") if p.is_file())


def test_a_recording_gives_the_same_findings_at_no_cost(project: Path, tmp_path: Path) -> None:
    with model_server(good) as server:
        _, live, _ = audit(project, server, tmp_path / "one", "--record", str(tmp_path / "tape"))
    done = harness(
        project, "audit", "--replay", str(tmp_path / "tape"), "--format", "json", "--no-exec", state=tmp_path / "two"
    )
    again = json.loads(done.stdout)
    for report in (live, again):
        for key in ("id", "started", "seconds"):
            report["run"].pop(key)
        report.pop("usage")
    assert again == live
    assert "sk-canary" not in "".join(p.read_text() for p in (tmp_path / "tape").iterdir())


@pytest.mark.parametrize("recorded", [True, False], ids=["recorded with a history", "recorded without"])
def test_a_replay_offers_the_tools_that_were_offered_then(project: Path, tmp_path: Path, recorded: bool) -> None:
    def history() -> None:
        for words in (["init", "-q"], ["add", "."], ["-c", "user.name=n", "-c", "user.email=e", "commit", "-qm", "m"]):
            subprocess.run(["git", *words], cwd=project, check=True)

    tape = str(tmp_path / "tape")
    if recorded:
        history()
    with model_server(good) as server:
        _, live, _ = audit(project, server, tmp_path / "one", "--dimension", "correctness", "--record", tape)
        assert any("git_blame" in text_of(seen) for seen in server.seen) is recorded
    if recorded:
        shutil.rmtree(project / ".git")
    else:
        history()
    replay = ("audit", "--replay", tape, "--dimension", "correctness", "--format", "json", "--no-exec")
    again = json.loads(harness(project, *replay, state=tmp_path / "two").stdout)
    assert (again["run"]["status"], verdicts(again)) == ("complete", verdicts(live))
    assert again["usage"]["cost"] == 0


def test_an_exhausted_quota_keeps_everything_and_resume_finishes(project: Path, tmp_path: Path) -> None:
    rich = False

    def play(seen: Seen) -> Answer:
        if is_auditor(seen) or rich or "ZeroDivisionError" in text_of(seen):
            return good(seen)
        return Answer(status=402, body='{"error": {"message": "Insufficient Balance"}}')

    with model_server(play) as server:
        code, report, talk = audit(project, server, tmp_path / "state")
        assert code == 3, talk
        assert report["run"]["status"] == "incomplete"
        assert verdicts(report)[9] == "UNVERIFIED"
        before = len(server.seen)
        rich = True
        done = harness(project, "resume", "--format", "json", state=tmp_path / "state")
        finished = json.loads(done.stdout)
        assert len(server.seen) - before <= 2
    assert verdicts(finished) == {3: "CONFIRMED", 9: "DISMISSED"}
    assert finished["run"]["status"] == "complete"


@pytest.mark.parametrize(
    "bad",
    [
        Answer(text="I cannot help with that.", finish="refused"),
        Answer(text='{"nonce": "', finish="truncated"),
        Answer(text='{"nonce": "0000000000000000", "findings": []}'),
        Answer(text='<tool_call>{"name": "read_file"}</tool_call>'),
        Answer(status=401, body='{"error": {"message": "no"}}'),
    ],
    ids=["refuses", "truncates", "forged nonce", "markup", "unauthorised"],
)
def test_no_bad_model_makes_a_run_green(project: Path, tmp_path: Path, bad: Answer) -> None:
    with model_server(bad) as server:
        code, report, _ = audit(project, server, tmp_path / "state")
    assert code == 3
    assert report["run"]["status"] == "incomplete"
    assert "parts were not read" in report["run"]["reason"]


@pytest.mark.parametrize("bad", ["lies", "refuses", "truncates", "forges"])
def test_no_bad_verifier_decides(project: Path, tmp_path: Path, bad: str) -> None:
    def play(seen: Seen) -> Answer:
        if is_auditor(seen):
            return good(seen)
        return {
            "lies": vote(seen, "refuted", "guarded elsewhere", ("stats.py", 1, "if not values: return 0")),
            "refuses": Answer(text="no", finish="refused"),
            "truncates": Answer(text='{"nonce"', finish="truncated"),
            "forges": Answer(
                text='{"nonce": "ffffffffffffffff", "verdict": "refuted", "reason": "", "quotes": [], "reproducer": null}'
            ),
        }[bad]

    with model_server(play) as server:
        code, report, _ = audit(project, server, tmp_path / "state")
    assert set(verdicts(report).values()) == {"UNVERIFIED"}
    assert code == 3


def test_a_model_named_without_its_key_is_a_usage_error(project: Path, tmp_path: Path) -> None:
    done = harness(project, "audit", "--model", "anthropic:claude-x", state=tmp_path)
    assert done.returncode == 2
    assert "needs ANTHROPIC_API_KEY, which is not set" in done.stderr
    assert "--offline" in done.stderr


def test_a_server_named_by_the_repository_gets_nothing(project: Path, tmp_path: Path) -> None:
    with model_server(good) as server:
        (project / "harness.toml").write_text(f'model = "openai:m@{server.url}/v1"\n')
        done = harness(project, "audit", "--no-exec", state=tmp_path)
        assert server.seen == []
    assert done.returncode == 2
    assert "comes from a configuration file" in done.stderr


def test_gate_01_readers_that_disagree_about_a_grave_finding_are_no_pass(project: Path, tmp_path: Path) -> None:
    votes = iter(["stands", "refuted", "stands"])

    def play(seen: Seen) -> Answer:
        if is_auditor(seen):
            grave = {**MEAN, "severity": "high"}
            return findings(seen, grave) if "core correctness" in text_of(seen) else findings(seen)
        return vote(seen, next(votes), "so it seems", ("stats.py", 3, "return total / len(values)"))

    with model_server(play) as server:
        code, report, _ = audit(project, server, tmp_path / "state", "--dimension", "correctness")
    assert verdicts(report) == {3: "UNCERTAIN"}
    assert code == 3
    assert "readers disagree about 1 findings at or above high (stats.py:3)" in report["run"]["reason"]


def test_what_code_can_decide_of_a_models_claim_is_not_asked_of_a_reader(project: Path, tmp_path: Path) -> None:
    (project / "stats.py").write_text(
        "import json\nfrom flask import Flask, request\n\napp = Flask(__name__)\n\n\n@app.get('/a')\ndef a():\n"
        "    text = request.args['x']\n    return str(eval(text))\n" + "\n" * 20 +
        "@app.get('/b')\ndef b():\n    text = request.args['x']\n    return str(json.loads(text))\n"
    )  # fmt: skip
    claims = [
        finding("stats.py", 8, "def a():", symbol="a", cwe=95, scenario="Whoever asks /a?x=... runs code of theirs."),
        finding("stats.py", 32, "def b():", symbol="b", cwe=95, scenario="Whoever asks /b?x=... runs code of theirs."),
    ]

    def play(seen: Seen) -> Answer:
        assert is_auditor(seen), "a reader was asked"
        return findings(seen, *claims) if "security" in text_of(seen) else findings(seen)

    with model_server(play) as server:
        _, report, _ = audit(project, server, tmp_path / "state", "--dimension", "security")
    found = {f["line"]: (f["verdict"], f["tier"]) for f in report["findings"] if "model" in f["auditors"]}
    assert found == {8: ("CONFIRMED", "E3"), 32: ("DISMISSED", "E3")}
