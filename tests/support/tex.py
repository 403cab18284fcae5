"""TeX for tests: the real one in the real sandbox, or the reason to skip."""

from pathlib import Path

import pytest

from agent.records import Compiled
from agent.tex.compile import compile_report, probe
from harness.clock import SystemClock
from harness.sandbox.base import Sandbox
from harness.sandbox.probe import find_sandbox

ARTICLE = """\\documentclass{article}
\\usepackage{amsmath,graphicx,booktabs,hyperref}
%s
\\begin{document}
%s
\\end{document}
"""
"""Preamble lines and a body go in."""


def article(body: str, preamble: str = "") -> str:
    """A document around `body`."""
    return ARTICLE % (preamble, body)


def tex_sandbox() -> Sandbox:
    """The sandbox of this machine; skips the test where there is no TeX."""
    if not probe():
        pytest.skip("xelatex is not installed")
    return find_sandbox()


def compiled(work: Path, tex: str, sandbox: Sandbox, *, pass_s: float = 120.0) -> Compiled:
    """What becomes of `tex` as the report of `work`."""
    (work / "report.tex").write_text(tex, "utf-8")
    return compile_report(work, sandbox=sandbox, clock=SystemClock(), pass_s=pass_s)
