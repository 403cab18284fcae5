r"""tex-return-code: whether a document compiled is judged by the exit code of TeX alone.

Why: TeX ends with 0 when a citation or reference is undefined (the PDF shows `??` or `[?]`), when a glyph is missing, and
when text stands behind the end; with `nonstopmode` it ends with 1 and still leaves a PDF. Of 42 broken documents tried, six
ended with 0. The log says all of it.

Example:

    subprocess.run(["xelatex", "report.tex"], check=True)
    return "report.pdf"                                       # read report.log: undefined, Missing character, lines with !

What it cannot see: a log that another program reads.
"""

import ast
import re
from collections.abc import Iterator

from auditors.bodies import keyword, own
from auditors.latex.starts import Start, starts
from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.module import Module
from harness.source.project import Project

RULE = Rule(
    id="tex-return-code",
    group="latex",
    title="Compilation judged by exit code alone",
    severity=Severity.MEDIUM,
    page=__doc__,
)
_LOOKS = re.compile(r"\.log\b|undefined|LaTeX Warning|Missing character|Rerun to get")


def check(module: Module, project: Project) -> Iterator[Claim]:
    """Starts whose exit code is looked at, in functions that look at nothing else."""
    del project
    for start in starts(module):
        function = module.enclosing_function(start.call)
        body: list[ast.AST] = list(own(function.body if function is not None else module.tree))
        if not _judges(start, body):
            continue
        said = [n.value for n in body if isinstance(n, ast.Constant) and isinstance(n.value, str)]
        if any(_LOOKS.search(text) for text in said) or any(
            isinstance(n, ast.Attribute) and n.attr in ("stdout", "output") for n in body
        ):
            continue
        yield module.claim(
            RULE,
            start.call,
            scenario=f"A document with \\cite{{x}} and no such source: `{start.engine}` prints a warning, shows [?] and ends with "
            "0, and this code takes the PDF for good.",
            fix="Read the .log as well: lines that begin with !, undefined citations and references, missing characters.",
            facts={"engine": start.engine},
        )


def _judges(start: Start, body: list[ast.AST]) -> bool:
    if start.function in ("subprocess.check_call", "subprocess.check_output"):
        return True
    checked = keyword(start.call, "check")
    if isinstance(checked, ast.Constant) and checked.value is True:
        return True
    return any(isinstance(n, ast.Attribute) and n.attr == "returncode" for n in body)


CHECK = Check(rules=(RULE,), module=check)
