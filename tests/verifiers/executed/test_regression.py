"""The regression test that comes with a reproduced finding: red on the defect, green on its repair."""

import sys
from pathlib import Path

import pytest

from harness.contracts import Bench
from harness.sandbox.base import Mount, Sandbox
from harness.schema.verdict import Verdict
from harness.source.project import Project
from tests.support.claims import finding_at
from tests.support.trees import project_of
from verifiers.executed.verifier import ExecutedVerifier

FLASK = """
import os, shlex
from flask import Flask, request, redirect
from markupsafe import escape

app = Flask(__name__)


@app.route("/run", methods=["POST"])
def run():
    os.system("echo " + {command})
    return "done"


@app.route("/hello")
def hello():
    return "<p>" + {html} + "</p>"
"""
STARLETTE = """
from fastapi import FastAPI, Request
from fastapi.responses import RedirectResponse

app = FastAPI()


@app.get("/go")
async def go(request: Request):
    return RedirectResponse({target})
"""
CASES = [
    (FLASK, {"command": 'request.form["name"]', "html": '"x"'}, {"command": 'shlex.quote(request.form["name"])', "html": '"x"'},
     "run", 'os.system("echo " + request.form["name"])', "command", "flask.request.form", "request.form"),
    (FLASK, {"command": '"x"', "html": 'request.args["name"]'}, {"command": '"x"', "html": 'escape(request.args["name"])'},
     "hello", 'return "<p>" + request.args["name"] + "</p>"', "html", "flask.request.args", "request.args"),
    (STARLETTE, {"target": 'request.query_params["next"]'}, {"target": '"/home?" + request.query_params["next"]'},
     "go", 'RedirectResponse(request.query_params["next"])', "redirect", "request.query_params", "request.query_params"),
]  # fmt: skip


def passes(project: Project, sandbox: Sandbox, code: str, folder: Path) -> bool:
    (folder / "test_regression.py").write_text(code)
    start = "import sys, pytest; sys.path.insert(0, '/pinned'); sys.exit(pytest.main(['-q', '-p', 'no:cacheprovider', '.']))"
    mounts = [Mount(project.root, "/pinned"), Mount(folder, "/tests")]
    done = sandbox.run([sys.executable, "-c", start], readable=mounts, cwd="/tests")
    assert done.returncode in (0, 1), done
    assert b"AssertionError" in done.stdout or done.returncode == 0, done
    return done.returncode == 0


@pytest.mark.parametrize(
    ("text", "broken", "mended", "entry", "sink", "kind", "source", "origin"), CASES, ids=[c[3] for c in CASES]
)
def test_it_fails_on_the_defect_and_passes_on_the_repair(
    tmp_path: Path, sandbox: Sandbox, text: str, broken: dict[str, str], mended: dict[str, str], entry: str, sink: str,
    kind: str, source: str, origin: str,
) -> None:  # fmt: skip
    project = project_of(tmp_path / "broken", {"web.py": text.format(**broken)})
    facts = {
        "sink": sink.partition("(")[0],
        "sink_kind": kind,
        "source": source,
        "entry": entry,
        "entry_path": "web.py",
    }
    finding = finding_at(project, "web.py", sink, kind=kind, facts=facts, source=origin, within=entry)
    judged = ExecutedVerifier().verify(finding, Bench(project=project, sandbox=sandbox))
    assert judged.verdict is Verdict.CONFIRMED, judged
    code = next(e.detail for e in judged.evidence if e.kind == "regression-test")
    (tmp_path / "tests").mkdir()
    assert not passes(project, sandbox, code, tmp_path / "tests")
    assert passes(project_of(tmp_path / "mended", {"web.py": text.format(**mended)}), sandbox, code, tmp_path / "tests")
