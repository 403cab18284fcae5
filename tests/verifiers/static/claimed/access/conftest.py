"""Claims told by CWE on small projects: the place is the first line that holds a text."""

from pathlib import Path
from textwrap import dedent

import pytest

from harness.schema.verdict import Verdict
from tests.support.ruled import Judge
from tests.support.told import ruled_at
from tests.support.trees import project_of
from verifiers.static.ruling import Ruling


@pytest.fixture
def judge(tmp_path: Path) -> Judge:
    """See `Judge`; a decided claim has its witness, an open one has none."""

    def ruled(cwe: int, files: dict[str, str], path: str, text: str) -> Ruling:
        project = project_of(tmp_path, {name: dedent(body) for name, body in files.items()})
        line = next(n for n, shown in enumerate(project.lines(path), 1) if text in shown)
        ruling = ruled_at(project, cwe, path, line)
        assert (ruling.verdict is Verdict.UNCERTAIN) is not bool(ruling.evidence)
        return ruling

    return ruled
