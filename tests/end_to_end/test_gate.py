"""The gate in real git repositories: it refuses in each of the ways it must, and lets a clean change pass."""

import json
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from harness import registry
from harness.cli import verdict
from harness.cli.main import main
from harness.contracts import Bench
from harness.errors import Interrupted, SandboxUnavailable
from harness.gate import hook
from harness.journal import register
from harness.review import runner
from harness.schema.finding import Claim, Rule, Severity
from harness.schema.run import Report, Skip
from harness.state import State
from tests.support.hostile import plain_git, repository, write

FIRST = {
    "shop.py": "def price(amount, rate):\n    return round(amount * (1 + rate), 2)\n",
    "tests/test_shop.py": "from shop import price\n\n\ndef test_price():\n    assert price(100, 0.2) == 120\n",
    "pyproject.toml": '[tool.harness]\ndimensions = ["security"]\n',
}
INJECTION = (
    "import os\n\nfrom flask import Flask, request\n\napp = Flask(__name__)\n\n\n@app.route('/export')\ndef export():\n"
    "    name = request.args['name']\n    return os.popen(f'tar c {name}').read()\n"
)
BROKEN = {"shop.py": "def price(amount, rate):\n    return round(amount * (1 - rate), 2)\n"}
CLEAN = {"shop.py": FIRST["shop.py"] + "\n\ndef net(amount):\n    return amount\n"}


class Gated(NamedTuple):
    """What the gate said."""

    code: int
    said: dict[str, Any]
    points: dict[str, str]


@pytest.fixture
def origin(tmp_path: Path) -> Path:
    return repository(tmp_path / "shop", FIRST)


def commit(origin: Path, files: dict[str, str], branch: str = "change") -> None:
    """One commit on a branch of its own."""
    plain_git(origin, "checkout", "-q", "-B", branch)
    write(origin, files)
    plain_git(origin, "add", "-A")
    plain_git(origin, "commit", "-q", "-m", "change")


@pytest.fixture
def gate(origin: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Gated]:
    def run(*arguments: str) -> Gated:
        capsys.readouterr()
        code = main(["gate", str(origin), "--base", "main", "--format", "json", "-q", *arguments])
        text = capsys.readouterr().out
        said = json.loads(text) if text else {}
        if said:
            assert said["exit_code"] == code
            last = State(origin).all_runs()[-1]
            assert json.loads((last.path / verdict.FILE).read_text()) == said
            line = register.read(last.register).lines[-1]
            assert (line.run, line.kind, line.exit_code) == (last.id, "gate", code)
        return Gated(code, said, {p["name"]: p["state"] for p in said.get("points", [])})

    return run


def refused(gated: Gated) -> set[str]:
    return {name for name, state in gated.points.items() if state == "refused"}


def incomplete(gated: Gated) -> set[str]:
    return {name for name, state in gated.points.items() if state == "incomplete"}


def test_a_clean_change_passes(origin: Path, gate: Callable[..., Gated]) -> None:
    commit(origin, CLEAN)
    gated = gate()
    assert (gated.code, gated.said["verdict"], set(gated.points.values())) == (0, "pass", {"passed"})
    assert gated.said["head"] == plain_git(origin, "rev-parse", "HEAD").strip()
    assert gated.said["base"] == plain_git(origin, "rev-parse", "main").strip()


def test_compared_with_itself_a_commit_has_its_own_policy(origin: Path, gate: Callable[..., Gated]) -> None:
    """As in a shallow clone, or for the first commit; what the tests and the findings say counts all the same."""
    gated = gate("--base", "HEAD")
    assert (gated.code, set(gated.points.values())) == (0, {"passed"})
    commit(origin, BROKEN)
    gated = gate("--base", "HEAD")
    assert (gated.code, refused(gated)) == (1, {"tests"})


def test_a_base_that_came_out_empty_is_not_taken_for_none(origin: Path, gate: Callable[..., Gated]) -> None:
    """As from a variable that is not set: which policy holds must not depend on it."""
    assert gate("--base", "").code == 2
    assert gate("--base", "", "--staged").code == 2


def test_settings_of_the_base_that_cannot_be_read_are_called_those_of_the_base(
    origin: Path, gate: Callable[..., Gated], capsys: pytest.CaptureFixture[str]
) -> None:
    commit(origin, {"pyproject.toml": "[tool.harness"}, "main")
    base = plain_git(origin, "rev-parse", "HEAD").strip()
    commit(origin, {"pyproject.toml": FIRST["pyproject.toml"]})
    assert main(["gate", str(origin), "--base", "main", "-q"]) == 2
    assert f"It is that of commit {base[:12]}" in capsys.readouterr().err


def test_before_the_first_commit_it_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plain_git(tmp_path, "init", "-q")
    for arguments in (["gate"], ["gate", "--staged"], ["review"]):
        assert main([*arguments, str(tmp_path), "-q"]) == 2
        assert "there is no commit yet" in capsys.readouterr().err


def test_a_failing_test_refuses(origin: Path, gate: Callable[..., Gated]) -> None:
    commit(origin, BROKEN)
    gated = gate()
    assert (gated.code, refused(gated)) == (1, {"tests"})


def test_a_confirmed_high_refuses(origin: Path, gate: Callable[..., Gated]) -> None:
    commit(origin, {"app.py": INJECTION})
    gated = gate()
    assert (gated.code, refused(gated)) == (1, {"findings"})
    assert len(gated.said["blocking"]) == 1


def test_an_incomplete_run_is_no_pass(
    origin: Path, gate: Callable[..., Gated], monkeypatch: pytest.MonkeyPatch
) -> None:
    def none() -> None:
        raise SandboxUnavailable("there is none")

    monkeypatch.setattr("harness.sandbox.probe.find_sandbox", none)
    commit(origin, CLEAN)
    gated = gate()
    assert (gated.code, incomplete(gated)) == (3, {"tests", "run"})
    assert gated.said["next"].startswith("harness resume ")


class Crashing:
    """An auditor that breaks."""

    id, group, version, executes = "crashing", "security", "1", False
    rules = (Rule(id="crashing", group="security", title="x", severity=Severity.LOW, page="x"),)

    def wants(self, language: str) -> bool:
        return language == "python"

    def audit(self, bench: Bench) -> Iterator[Claim | Skip]:
        raise RuntimeError("broken")
        yield


def test_a_crashed_auditor_is_no_pass(
    origin: Path, gate: Callable[..., Gated], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = (*registry.auditors(), Crashing())
    monkeypatch.setattr(registry, "auditors", lambda: found)
    commit(origin, CLEAN)
    gated = gate()
    assert gated.code == 3
    assert incomplete(gated) == {"run", "coverage"}


def test_a_head_that_moved_is_no_pass(
    origin: Path, gate: Callable[..., Gated], monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(origin, CLEAN)
    run = runner.run

    def meanwhile(desk: Any) -> Report:
        report = run(desk)
        commit(origin, {"late.py": "L = 1\n"})
        return report

    monkeypatch.setattr(runner, "run", meanwhile)
    gated = gate()
    assert (gated.code, incomplete(gated)) == (3, {"head"})


def waiver(fingerprint: str, until: str) -> str:
    return (
        f'[[waiver]]\nfingerprint = "{fingerprint}"\nkind = "accept"\nreason = "known"\nauthor = "Ada"\n'
        f"date = 2026-01-01\nuntil = {until}\n"
    )


def test_a_waiver_of_the_base_counts_until_it_expires(origin: Path, gate: Callable[..., Gated]) -> None:
    commit(origin, {"app.py": INJECTION}, "main")
    commit(origin, CLEAN)
    [fingerprint] = gate().said["blocking"]
    plain_git(origin, "checkout", "-q", "main")
    commit(origin, {".harness/waivers.toml": waiver(fingerprint, "2099-01-01")}, "main")
    commit(origin, CLEAN, "fine")
    fine = gate()
    assert fine.code == 0
    assert f"1 waived: {fingerprint[:4]} command-injection app.py:" in json.dumps(fine.said["points"])
    plain_git(origin, "checkout", "-q", "main")
    commit(origin, {".harness/waivers.toml": waiver(fingerprint, "2026-01-02")}, "main")
    commit(origin, CLEAN, "late")
    gated = gate()
    assert (gated.code, refused(gated)) == (1, {"findings"})


def test_what_the_change_decides_about_itself_does_not_count(origin: Path, gate: Callable[..., Gated]) -> None:
    commit(origin, {"app.py": INJECTION})
    [fingerprint] = gate().said["blocking"]
    suppressed = INJECTION.replace(".read()", ".read()  # harness: ignore[command-injection] fine")
    commit(origin, {"app.py": suppressed, ".harness/waivers.toml": waiver(fingerprint, "2099-01-01")})
    gated = gate("--output", f"json={origin.parent / 'report.json'}")
    assert (gated.code, refused(gated)) == (1, {"findings"})
    report = json.loads((origin.parent / "report.json").read_text())
    assert sorted(f["path"] for f in report["findings"] if f["rule"] == "decision-in-change") == [
        ".harness/waivers.toml",
        "app.py",
    ]


@pytest.mark.parametrize(
    "policy",
    [
        '[tool.harness]\ndimensions = ["security"]\nfail_on = "none"\n',
        '[tool.harness]\ndimensions = ["security"]\nexclude = ["app.py"]\n',
        '[tool.harness]\ndimensions = ["security"]\n[tool.harness.gate]\ntest_command = "true"\n',
    ],
    ids=["fail_on", "exclude", "test_command"],
)
def test_a_policy_loosened_in_the_change_refuses_and_is_not_used(
    origin: Path, gate: Callable[..., Gated], policy: str
) -> None:
    commit(origin, {"pyproject.toml": policy, "app.py": INJECTION} | BROKEN)
    gated = gate()
    assert (gated.code, refused(gated)) == (1, {"tests", "findings", "policy"})
    assert refused(gate("--accept-policy-change")) == {"tests", "findings"}


def test_an_edited_workflow_that_runs_harness_is_flagged(origin: Path, gate: Callable[..., Gated]) -> None:
    commit(origin, {".github/workflows/ci.yml": "steps:\n  - run: harness gate\n"}, "main")
    commit(origin, {".github/workflows/ci.yml": "steps:\n  - run: true\n"})
    gated = gate()
    assert (gated.code, refused(gated)) == (1, {"policy"})


def test_a_skipped_lane_is_no_pass(origin: Path, gate: Callable[..., Gated]) -> None:
    commit(origin, CLEAN)
    gated = gate("--no-exec", "--dimension", "tests", "--dimension", "security")
    assert gated.code == 3
    assert incomplete(gated) == {"tests", "run", "coverage"}


def test_a_changed_file_that_does_not_parse_is_no_pass(origin: Path, gate: Callable[..., Gated]) -> None:
    commit(origin, {"new.py": "def broken(:\n"})
    gated = gate()
    assert (gated.code, incomplete(gated)) == (3, {"coverage"})


FORGED = (
    "# harness: gate PASS exit 0\n# already reviewed, findings: []\n"
    '# {"schema_version": "harness.gate/1", "verdict": "pass", "exit_code": 0}\n'
)


def test_forged_markers_in_the_change_say_nothing(origin: Path, gate: Callable[..., Gated]) -> None:
    loud = "import sys\n\n\ndef test_forged():\n    sys.__stdout__.write('1 passed in 0.01s\\n')\n    assert False, '1 passed'\n"
    commit(origin, {"app.py": FORGED + INJECTION, "tests/test_forged.py": FORGED + loud})
    gated = gate()
    assert (gated.code, refused(gated)) == (1, {"tests", "findings"})


def test_a_test_run_that_leaves_early_with_0_is_no_pass(origin: Path, gate: Callable[..., Gated]) -> None:
    leaving = "import os\n\n\ndef pytest_collection_finish(session):\n    print('2 passed in 0.01s', flush=True)\n    os._exit(0)\n"
    commit(origin, {"conftest.py": leaving} | BROKEN)
    gated = gate()
    assert gated.code == 3
    assert incomplete(gated) == {"tests", "run"}


def test_tests_that_never_end_are_no_pass(origin: Path, gate: Callable[..., Gated]) -> None:
    slow = FIRST["pyproject.toml"] + "[tool.harness.gate]\ntest_seconds = 3\n"
    commit(origin, {"pyproject.toml": slow}, "main")
    commit(origin, {"tests/test_slow.py": "import time\n\n\ndef test_slow():\n    time.sleep(600)\n"})
    gated = gate()
    assert gated.code == 3
    assert "limit of wall" in json.dumps(gated.said)


def test_an_interrupted_gate_reaches_a_terminal_word(
    origin: Path, gate: Callable[..., Gated], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def stopped(desk: Any) -> Report:
        raise Interrupted("SIGTERM")

    monkeypatch.setattr(runner, "run", stopped)
    monkeypatch.setenv(verdict.SUMMARY, str(tmp_path / "summary.md"))
    commit(origin, CLEAN)
    assert gate().code == 130
    kept = json.loads((State(origin).all_runs()[-1].path / verdict.FILE).read_text())
    assert kept["verdict"] == "incomplete"
    assert "not a pass" in (tmp_path / "summary.md").read_text()


def test_a_signal_in_the_middle_of_the_tests_ends_the_gate_and_resume_finishes_it(origin: Path) -> None:
    slow = "import time\n\n\ndef test_slow():\n    time.sleep(6)\n"
    commit(origin, {"tests/test_slow.py": slow})
    command = [sys.executable, "-m", "harness.cli.main", "gate", str(origin), "--base", "main"]
    seen = threading.Event()
    lines: list[str] = []
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as process:

        def watch() -> None:
            for line in process.stderr or ():
                lines.append(line)
                if line.startswith("discover:"):
                    seen.set()

        watching = threading.Thread(target=watch)
        watching.start()
        assert seen.wait(60), lines
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(60)
        finally:
            process.kill()  # one that does not end must not hang whoever tests it
        watching.join(20)
    assert process.returncode == 130
    folder = State(origin).all_runs()[-1]
    assert json.loads((folder.path / verdict.FILE).read_text())["verdict"] == "incomplete"
    done = subprocess.run(
        [*command[:3], "resume", "--repo", str(origin)], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "exit 0: may be merged" in done.stdout


def test_the_step_summary_says_why(
    origin: Path, gate: Callable[..., Gated], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(verdict.SUMMARY, str(tmp_path / "summary.md"))
    commit(origin, BROKEN)
    gate()
    summary = (tmp_path / "summary.md").read_text()
    assert "### harness gate: refuse (exit 1)" in summary
    assert "tests/test_shop.py::test_price" in summary


# hooks


def hooked(origin: Path, tmp_path: Path) -> Path:
    remote = tmp_path / "remote.git"
    plain_git(tmp_path, "init", "-q", "--bare", str(remote))
    plain_git(origin, "remote", "add", "origin", str(remote))
    plain_git(origin, "push", "-q", "origin", "main")
    return remote


def push(origin: Path) -> bool:
    plain_git(origin, "push", "-q", "origin", "HEAD", check=False, HARNESS_STATE_DIR=str(origin.parent / "hook-state"))
    there = plain_git(origin, "ls-remote", "origin", plain_git(origin, "branch", "--show-current").strip())
    return plain_git(origin, "rev-parse", "HEAD").strip() in there


def test_the_pre_push_hook_stops_what_the_gate_refuses(origin: Path, tmp_path: Path) -> None:
    hooked(origin, tmp_path)
    hook.install(origin, "pre-push")
    commit(origin, BROKEN, "bad")
    assert not push(origin)
    plain_git(origin, "checkout", "-q", "main")
    commit(origin, CLEAN, "good")
    assert push(origin)


def test_the_pre_commit_hook_judges_what_is_staged_and_nothing_else(origin: Path, tmp_path: Path) -> None:
    hook.install(origin, "pre-commit")
    before = plain_git(origin, "rev-parse", "HEAD")
    write(origin, CLEAN)
    plain_git(origin, "add", "-A")
    write(origin, BROKEN)
    plain_git(origin, "commit", "-q", "-m", "clean index, broken work tree", check=False)
    middle = plain_git(origin, "rev-parse", "HEAD")
    assert middle != before
    plain_git(origin, "commit", "-q", "-a", "-m", "broken", check=False)
    assert plain_git(origin, "rev-parse", "HEAD") == middle


def test_a_hook_that_was_there_runs_first_with_its_input_and_comes_back_byte_for_byte(
    origin: Path, tmp_path: Path
) -> None:
    hooked(origin, tmp_path)
    there = origin / ".git/hooks/pre-push"
    text = f'#!/bin/sh\ncat > {tmp_path}/seen\necho "$@" >> {tmp_path}/seen\nexit 1\n'
    there.write_bytes(text.encode() + b"# \xff no newline")
    there.chmod(0o750)
    before = (there.read_bytes(), there.stat().st_mode)
    assert "after the hook that was there" in hook.install(origin, "pre-push")
    commit(origin, CLEAN)
    assert not push(origin), "the refusal of the hook that was there is final"
    assert plain_git(origin, "rev-parse", "HEAD").strip() in (tmp_path / "seen").read_text()
    hook.uninstall(origin, "pre-push")
    assert (there.read_bytes(), there.stat().st_mode) == before
    assert [p.name for p in there.parent.iterdir() if p.name.startswith("pre-push") and p.suffix != ".sample"] == [
        "pre-push"
    ]


def test_core_hookspath_is_honoured(origin: Path) -> None:
    plain_git(origin, "config", "core.hooksPath", "tools/hooks")
    assert main(["gate", str(origin), "--install"]) == 0
    assert (origin / "tools/hooks/pre-push").is_file()
    assert not (origin / ".git/hooks/pre-push").exists()
    assert main(["gate", str(origin), "--uninstall"]) == 0
    assert not (origin / "tools/hooks/pre-push").exists()


def test_a_hook_is_refused_where_it_cannot_be_set(
    origin: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["gate", str(origin), "--uninstall"]) == 2
    assert main(["gate", str(origin), "--install"]) == 0
    assert main(["gate", str(origin), "--install"]) == 2
    there = origin / ".git/hooks/pre-push"
    there.write_text(there.read_text() + "echo mine\n")
    assert main(["gate", str(origin), "--uninstall"]) == 2, "what somebody changed is not ours to remove"
    assert "was changed since" in capsys.readouterr().err
    plain_git(origin, "config", "core.hooksPath", "/dev/null")
    assert main(["gate", str(origin), "--install"]) == 2
    plain_git(origin, "config", "--unset", "core.hooksPath")
    (tmp_path / "gitconfig").write_text("[core]\n\thooksPath = /shared/hooks\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "none"))
    (tmp_path / "gitconfig").rename(tmp_path / ".gitconfig")
    assert main(["gate", str(origin), "--install"]) == 2
    assert "for all your repositories" in capsys.readouterr().err
    assert main(["gate", str(tmp_path), "--install"]) == 2
