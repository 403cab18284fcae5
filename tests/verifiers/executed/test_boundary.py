"""What crosses the boundary: hostile code cannot report for the judge, and trouble of ours is no answer (TST-04, TST-06)."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from harness.contracts import Bench
from harness.errors import SandboxUnavailable
from harness.sandbox.base import DEFAULT_LIMITS, Execution, Limits, Mount, Sandbox
from harness.schema.finding import Finding
from harness.schema.verdict import Judgement, Verdict
from harness.source.project import Project
from tests.support.claims import finding_at
from tests.support.trees import project_of
from verifiers.executed.trial import run_inside
from verifiers.executed.verifier import ExecutedVerifier

SINK = 'os.system("echo " + shlex.quote(sys.argv[1]))'


def claim(tmp_path: Path, hostile: str) -> tuple[Project, Finding]:
    """A false claim (the value is quoted) about a module that first runs `hostile`."""
    text = f"import os, shlex, sys\n{hostile}\ndef main():\n    {SINK}\n"
    project = project_of(tmp_path, {"tool.py": text})
    facts = {
        "sink": "os.system",
        "sink_kind": "command",
        "source": "sys.argv",
        "entry": "main",
        "entry_path": "tool.py",
        "source_strength": "strong",
    }
    return project, finding_at(project, "tool.py", SINK, kind="command", facts=facts, source="sys.argv", within="main")


def judge(project: Project, finding: Finding, sandbox: Sandbox | None) -> Judgement:
    return ExecutedVerifier().verify(finding, Bench(project=project, sandbox=sandbox))


FORGED = json.dumps({"answer": {"attack": {"sent": "x", "harm": "y", "reached": True}, "control": {"reached": True}}})


@pytest.mark.parametrize(
    "hostile",
    [
        f"print({FORGED!r}, flush=True); print('1 passed')",
        # every descriptor that is open, in case one of them is the report
        f"import os\nfor fd in range(1, 64):\n    try: os.write(fd, {FORGED.encode()!r} + b'\\n')\n    except OSError: pass",
        # the judge's descriptors and memory
        "import os\nfor name in ('fd/1', 'mem'):\n"
        f"    try: open(f'/proc/{{os.getppid()}}/{{name}}', 'wb', 0).write({FORGED.encode()!r})\n    except OSError: pass",
        "import os\nos._exit(0)",
        "raise SystemExit(0)",
        "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)",
        "while True: pass",
        "import sys\nsys.stdout.write('x' * 300_000)",
    ],
    ids=["prints", "descriptors", "judge", "exits", "leaves", "dies", "hangs", "loud"],
)
def test_tst_04_nothing_that_hostile_code_does_confirms_a_false_claim(
    tmp_path: Path, sandbox: Sandbox, hostile: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("verifiers.executed.trial.SECONDS", 4.0)
    project, finding = claim(tmp_path, hostile)
    judged = judge(project, finding, sandbox)
    assert judged.verdict in {Verdict.UNCERTAIN, Verdict.UNVERIFIED}, judged


def test_tst_04_code_that_kills_the_judge_leaves_no_verdict(tmp_path: Path, sandbox: Sandbox) -> None:
    project, finding = claim(tmp_path, "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)")
    judged = judge(project, finding, sandbox)
    assert judged.verdict is Verdict.UNVERIFIED
    assert "left no report" in judged.reason


def test_an_observation_of_any_length_stays_short_in_the_judgement(tmp_path: Path, sandbox: Sandbox) -> None:
    project, finding = claim(tmp_path, "raise RuntimeError('x' * 1_000_000)")
    assert len(judge(project, finding, sandbox).model_dump_json()) < 20_000


def test_what_is_not_installed_here_is_said_and_is_no_dismissal(tmp_path: Path, sandbox: Sandbox) -> None:
    project, finding = claim(tmp_path, "import a_package_that_nobody_has")
    judged = judge(project, finding, sandbox)
    assert judged.verdict is Verdict.UNCERTAIN
    assert "No module named 'a_package_that_nobody_has'" in judged.reason


def test_without_a_sandbox_nothing_runs_and_nothing_is_answered(tmp_path: Path) -> None:
    project, finding = claim(tmp_path, f"open({str(tmp_path / 'ran')!r}, 'w')")
    judged = judge(project, finding, None)
    assert judged.verdict is Verdict.UNVERIFIED
    assert "no sandbox" in judged.reason
    assert not (tmp_path / "ran").exists()


class Broken:
    """A mechanism that fails when it is used."""

    mechanism = "broken"

    def run(
        self,
        argv: Sequence[str],
        *,
        writable: Path | Mount | None = None,
        readable: Sequence[Path | Mount] = (),
        cwd: Path | str | None = None,
        environment: Mapping[str, str] = {},
        stdin: bytes = b"",
        limits: Limits = DEFAULT_LIMITS,
    ) -> Execution:
        raise SandboxUnavailable("bubblewrap failed: out of namespaces")


def test_a_sandbox_that_breaks_leaves_no_verdict(tmp_path: Path) -> None:
    project, finding = claim(tmp_path, "")
    judged = judge(project, finding, Broken())
    assert judged.verdict is Verdict.UNVERIFIED
    assert "out of namespaces" in judged.reason


def test_the_same_claim_gives_the_same_judgement(tmp_path: Path, sandbox: Sandbox) -> None:
    text = 'import os, sys\ndef main():\n    os.system("echo " + sys.argv[1])\n'
    project = project_of(tmp_path, {"tool.py": text})
    facts = {
        "sink": "os.system",
        "sink_kind": "command",
        "source": "sys.argv",
        "entry": "main",
        "entry_path": "tool.py",
        "source_strength": "strong",
    }
    finding = finding_at(project, "tool.py", 'os.system("echo " + sys.argv[1])', kind="command", facts=facts)
    first, second = (judge(project, finding, sandbox) for _ in range(2))
    assert first == second
    assert first.verdict is Verdict.CONFIRMED
    assert str(tmp_path) not in first.model_dump_json()


def test_a_job_longer_than_an_argument_may_be_crosses_too(tmp_path: Path, sandbox: Sandbox) -> None:
    bench = Bench(project=project_of(tmp_path, {"tool.py": ""}), sandbox=sandbox)
    report = run_inside(sandbox, bench, "taint", {"padding": "ü" * 300_000})
    assert report.trouble.startswith("KeyError"), "the template was to say what it misses"
