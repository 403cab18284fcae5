"""Claims told by CWE on small projects: the place is the line where a text stands."""

from pathlib import Path
from textwrap import dedent

import pytest

from harness.schema.finding import Finding, Severity
from harness.schema.verdict import Verdict
from tests.support.ruled import Judge
from tests.support.trees import project_of
from verifiers.static import claimed
from verifiers.static.ruling import Ruling


@pytest.fixture
def judge(tmp_path: Path) -> Judge:
    """`judge(cwe, files, "app.py", "text")`: what is ruled of a claim at the first line that holds the text."""

    def ruled(cwe: int, files: dict[str, str], path: str, text: str) -> Ruling:
        project = project_of(tmp_path, {name: dedent(body) for name, body in files.items()})
        line = next(n for n, shown in enumerate(project.lines(path), 1) if text in shown)
        finding = Finding(
            id="0000", fingerprint=f"{path}:{line}", dimension=("test",), auditors=("test",), rule=f"tool:CWE-{cwe}",
            cwe=cwe, severity=Severity.HIGH, path=path, line=line, end_line=line, symbol=None, quote=text, scenario="s", fix="f",
            kind="", facts={"told": f"CWE-{cwe}"},
        )  # fmt: skip
        falsifier = claimed.falsifier(finding)
        assert falsifier is not None
        ruling = falsifier(finding, project)
        assert (ruling.verdict is Verdict.UNCERTAIN) is not bool(ruling.evidence)
        return ruling

    return ruled
