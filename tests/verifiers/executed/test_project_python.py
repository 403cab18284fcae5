"""Reproducers run in the Python that the user named, where the project's dependencies are."""

from pathlib import Path

import pytest

from harness.contracts import Bench
from harness.sandbox.base import Sandbox
from harness.sandbox.python import ProjectPython, examine
from harness.schema.finding import Finding, Severity
from harness.schema.verdict import Judgement, Verdict
from harness.source.project import Project
from tests.support.claims import finding_at
from tests.support.environments import environment
from tests.support.trees import project_of
from verifiers.executed.verifier import ExecutedVerifier

OLD = sorted(Path.home().glob(".pyenv/versions/3.8.*/bin/python3.8"))
FILES = {
    "tool.py": "import argparse\nimport till\n\n\ndef main():\n    parser = argparse.ArgumentParser()\n"
    "    parser.add_argument('--slow')\n    parser.parse_args()\n",
    "pyproject.toml": "[project]\nname = 'tool'\nversion = '1'\n\n[project.scripts]\ntool = 'tool:main'\n",
    "README.md": "tool --quick 1\n",
    "runs.py": "import threading\n\nimport till\n\n\nclass Taken(Exception):\n    pass\n\n\nclass Registry:\n"
    "    def __init__(self):\n        self._lock = threading.Lock()\n        self._runs = {}\n\n"
    "    def start(self, run_id):\n        with self._lock:\n            if run_id in self._runs:\n"
    "                raise Taken(run_id)\n        self._runs[run_id] = till.rounded(1.0)\n",
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return project_of(tmp_path_factory.mktemp("tool"), FILES)


def command(project: Project) -> Finding:
    return Finding(
        id="0000", fingerprint="0", dimension=("docs",), auditors=("test",), rule="doc-option", cwe=None,
        severity=Severity.LOW, path="README.md", line=1, end_line=1, symbol=None, quote="", scenario="s", fix="f",
        kind="doc-option", facts={"option": "quick", "command": "tool"},
    )  # fmt: skip


def race(project: Project) -> Finding:
    facts = {
        "method": "start",
        "class": "Registry",
        "function": "Registry.start",
        "decision_line": "17",
        "state": "self._runs",
    }
    return finding_at(project, "runs.py", "self._runs[run_id] = till.rounded(1.0)", kind="check-then-act", facts=facts)


def judge(
    finding: Finding, project: Project, sandbox: Sandbox, python: ProjectPython | None, advice: str = ""
) -> Judgement:
    verifier = ExecutedVerifier()
    assert verifier.handles(finding)
    return verifier.verify(finding, Bench(project=project, sandbox=sandbox, python=python, advice=advice))


@pytest.mark.parametrize("make", [command, race])
@pytest.mark.parametrize(
    "base", ["", pytest.param("3.8", marks=pytest.mark.skipif(not OLD, reason="no Python 3.8 here"))]
)
def test_what_needs_a_dependency_is_reproduced_where_it_is(project, sandbox, tmp_path, make, base) -> None:
    folder = environment(tmp_path / ".venv", *([str(OLD[-1])] if base else []))
    judged = judge(make(project), project, sandbox, examine(folder, sandbox))
    assert judged.verdict is Verdict.CONFIRMED, judged


@pytest.mark.parametrize("make", [command, race])
def test_without_it_the_finding_stays_open(project, sandbox, make) -> None:
    assert judge(make(project), project, sandbox, None).verdict is Verdict.UNCERTAIN


def test_the_reason_says_what_may_help(project, sandbox) -> None:
    judged = judge(race(project), project, sandbox, None, advice="try --python .venv")
    assert "No module named 'till'" in judged.reason
    assert judged.reason.endswith("try --python .venv")
