"""unreachable-code: statements with an effect behind a `return`, `raise`, `break` or `continue` of the same block.

Why: somebody wrote them to run. A cleanup, a log line or a second branch that never happens is a defect or a leftover.

Example:

    def close(self):
        return self.socket.close()
        self.closed = True           # never set

What it cannot see: code that is unreachable because a condition is always true.
"""

from collections.abc import Iterator

from auditors.syntax import LEAVING
from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.module import Module
from harness.source.project import Project

RULE = Rule(
    id="unreachable-code",
    group="correctness",
    title="Code that can never run",
    severity=Severity.LOW,
    cwe=561,
    page=__doc__,
)


def check(module: Module, project: Project) -> Iterator[Claim]:
    """The first statement behind one that leaves, in any block."""
    if module.test:
        return
    del project
    for leaving in module.nodes(*LEAVING):
        parent = module.parents.get(leaving)
        for field in ("body", "orelse", "finalbody"):
            block = getattr(parent, field, None)
            if not isinstance(block, list) or leaving not in block or block[-1] is leaving:
                continue
            dead = block[block.index(leaving) + 1]
            if any(isinstance(s, LEAVING) for s in block[: block.index(leaving)]):
                continue
            yield module.claim(
                RULE,
                dead,
                scenario=f"The `{type(leaving).__name__.lower()}` in line {leaving.lineno} always leaves first: this never runs.",
                fix="Move it before, or remove it.",
                facts={"leaves": str(leaving.lineno)},
                related=(module.related("step", leaving, "always leaves here"),),
            )


CHECK = Check(rules=(RULE,), module=check)
