r"""tex-unbounded: TeX is started without a time limit, or waits for the keyboard at the first error.

Why: TeX is a programming language, and one wrong macro (`\def\x{\x}\x`) runs for ever. Without `-interaction=nonstopmode`
(or batchmode, or `-halt-on-error` with it) an error makes TeX ask what to do; a program that captures the output never
shows the question and hangs.

Example:

    subprocess.run(["pdflatex", "report.tex"], capture_output=True)
    # subprocess.run(["pdflatex", "-interaction=nonstopmode", "report.tex"], capture_output=True, timeout=180)

What it cannot see: limits set around the process (a container, `timeout` of a shell, a supervisor).
"""

from collections.abc import Iterator

from auditors.bodies import keyword
from auditors.latex.starts import Start, starts
from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.module import Module
from harness.source.project import Project

RULE = Rule(
    id="tex-unbounded", group="latex", title="TeX without a time limit", severity=Severity.MEDIUM, cwe=400, page=__doc__
)


def check(module: Module, project: Project) -> Iterator[Claim]:
    """Starts that are waited for without a limit."""
    del project
    for start in starts(module):
        keywords = {k.arg for k in start.call.keywords}
        if start.function == "subprocess.Popen" or "timeout" in keywords or None in keywords:
            continue
        asks = start.whole and _asks(start)
        yield module.claim(
            RULE,
            start.call,
            severity=None if asks else Severity.LOW,
            scenario=f"The first error in the document makes `{start.engine}` ask at the terminal what to do; nobody answers, "
            "there is no timeout, and the program hangs."
            if asks
            else f"A document whose macro calls itself keeps `{start.engine}` running; there is no timeout, and the program "
            "hangs.",
            fix='Pass timeout=180 and "-interaction=nonstopmode", and treat TimeoutExpired as a failed compilation.',
            facts={"engine": start.engine, "asks": "yes" if asks else "no"},
        )


def _asks(start: Start) -> bool:
    """Whether an error becomes a question."""
    modes = [w for w in start.words if w and w.lstrip("-").startswith(("interaction", "halt-on-error"))]
    return not modes and keyword(start.call, "stdin") is None and keyword(start.call, "input") is None


CHECK = Check(rules=(RULE,), module=check)
