"""A project for a newer Python than ours is run in one, where there is one on PATH."""

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.contracts import Bench
from harness.sandbox.base import Sandbox
from harness.schema.verdict import Judgement, Verdict
from tests.support.claims import finding_at
from tests.support.trees import project_of
from verifiers.executed.interpreter import newer
from verifiers.executed.verifier import ExecutedVerifier

WEB = """
import os
from flask import Flask, request

app = Flask(__name__)


@app.route("/run")
def run():
    type Name = str
    name: Name = request.args["name"]
    os.system("echo " + name)
    return "done"
"""


def found() -> str | None:
    """Folder of a Python that knows `type` statements."""
    places = [Path(p) for p in os.environ["PATH"].split(os.pathsep)]
    places += sorted(Path.home().glob(".pyenv/versions/3.1[2-9]*/bin"), reverse=True)
    for minor in range(sys.version_info.minor + 1, 20):
        for place in places:
            if shutil.which(f"python3.{minor}", path=str(place)) and "shims" not in place.parts:
                return str(place)
    return None


@pytest.fixture
def fresh() -> Iterator[None]:
    newer.cache_clear()
    yield
    newer.cache_clear()


def judge(tmp_path: Path, sandbox: Sandbox) -> Judgement:
    project = project_of(tmp_path, {"web.py": WEB})
    facts = {"sink": "os.system", "sink_kind": "command", "source": "flask.request.args", "entry": "run",
             "entry_path": "web.py"}  # fmt: skip
    finding = finding_at(
        project, "web.py", 'os.system("echo " + name)', kind="command", facts=facts, source="request.args", within="run"
    )
    return ExecutedVerifier().verify(finding, Bench(project=project, sandbox=sandbox))


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="ours knows the syntax itself")
@pytest.mark.skipif(found() is None, reason="no newer Python on this machine")
def test_newer_syntax_is_run_by_a_newer_python(
    tmp_path: Path, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, fresh: None
) -> None:
    monkeypatch.setenv("PATH", f"{found()}{os.pathsep}{os.environ['PATH']}")
    judged = judge(tmp_path, sandbox)
    assert judged.verdict is Verdict.CONFIRMED, judged


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="ours knows the syntax itself")
def test_without_one_it_is_said_and_stays_open(
    tmp_path: Path, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, fresh: None
) -> None:
    monkeypatch.setenv("PATH", "")
    judged = judge(tmp_path, sandbox)
    assert judged.verdict is Verdict.UNCERTAIN
    assert "SyntaxError" in judged.reason
