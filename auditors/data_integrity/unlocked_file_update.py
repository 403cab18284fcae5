"""unlocked-file-update: a file is read, changed and written back, and nothing keeps a second writer out.

Why: two processes or threads read the same state; the second to write drops what the first one changed.

Example:

    def add(entry):
        entries = json.loads(LEDGER.read_text())
        entries.append(entry)
        LEDGER.write_text(json.dumps(entries))       # two calls at once: one entry is gone

Hold a lock (a file lock across processes) over all three steps, or append.

What it cannot see: reading and writing in different functions.
"""

import ast
from collections.abc import Iterator

from auditors.bodies import marginal, own
from auditors.concurrency.locks import held, lock_names
from auditors.data_integrity.paths import access, accesses, key
from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.module import Module
from harness.source.project import Project

RULE = Rule(
    id="unlocked-file-update",
    group="data-integrity",
    title="File read, changed and written without a lock",
    severity=Severity.MEDIUM,
    cwe=362,
    page=__doc__,
)


def check(module: Module, project: Project) -> Iterator[Claim]:
    """Functions that read a path and later write the same path, with no lock around either."""
    del project
    if marginal(module):
        return
    known = lock_names(module)
    opening = {module.enclosing_function(a.call) for a in accesses(module)}
    for qualname, function in module.functions:
        if function not in opening:
            continue
        reads: dict[str, ast.Call] = {}
        for node in own(function.body):
            found = access(module, node) if isinstance(node, ast.Call) else None
            if found is None:
                continue
            name = key(module, found.path, function) or f"local:{ast.unparse(found.path)}"
            if found.mode[:1] == "r" and "+" not in found.mode:
                reads.setdefault(name, found.call)
            elif found.mode[:1] == "w" and name in reads and not held(module, found.call, function, known):
                read = reads.pop(name)
                path = ast.unparse(found.path)
                yield module.claim(
                    RULE,
                    found.call,
                    scenario=f"Two calls of `{qualname}` at once read the same `{path}` in line {read.lineno}; the second "
                    "to write it drops what the first one changed.",
                    fix=f"Hold a lock over reading and writing `{path}`.",
                    facts={"path": path, "read_line": str(read.lineno), "function": qualname},
                    related=(module.related("source", read, "read here"),),
                )


CHECK = Check(rules=(RULE,), module=check)
