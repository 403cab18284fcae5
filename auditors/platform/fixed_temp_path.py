"""fixed-temp-path: a file under a fixed `/tmp` name.

Why: the folder does not exist on Windows. Elsewhere everybody shares it: another user can put a link or a file of that
name there first, and two runs use the same file.

Example:

    with open("/tmp/report.json", "w") as stream:     # tempfile.NamedTemporaryFile, tempfile.mkdtemp

What it cannot see: paths that are put together from parts that come from elsewhere.
"""

import ast
import re
from collections.abc import Iterator

from auditors.bodies import dotted, marginal
from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.module import Module
from harness.source.project import Project

RULE = Rule(
    id="fixed-temp-path",
    group="platform",
    title="Fixed path under /tmp",
    severity=Severity.LOW,
    cwe=377,
    page=__doc__,
)

_TMP = re.compile(r"^(/tmp|/var/tmp|/dev/shm)/[^\s{}%]*$")


def check(module: Module, project: Project) -> Iterator[Claim]:
    """String constants that name something below a temporary folder, where they are handed to a call or bound to a name."""
    del project
    if marginal(module):
        return
    for node in module.nodes(ast.Constant):
        if not isinstance(node.value, str) or not _TMP.match(node.value):
            continue
        parent = module.parents.get(node)
        if not isinstance(parent, ast.Call | ast.Assign | ast.AnnAssign | ast.BinOp | ast.keyword | ast.arguments):
            continue
        user = dotted(parent.func) if isinstance(parent, ast.Call) else ""
        yield module.claim(
            RULE,
            node,
            scenario=f"`{node.value}` does not exist on Windows; elsewhere another user can put a link of that name there before "
            "this program opens it, and two runs share it.",
            fix="tempfile.mkdtemp() or NamedTemporaryFile().",
            facts={"path": node.value, "call": user or ""},
        )


CHECK = Check(rules=(RULE,), module=check)
