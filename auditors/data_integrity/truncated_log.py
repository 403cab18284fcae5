"""truncated-log: a file that is appended to elsewhere, or that a recording function writes, is opened with "w".

Why: "w" empties the file. Each run, or each record, erases all that was written before.

Example:

    def record(event):
        with open(JOURNAL, "w") as stream:      # "a"
            stream.write(json.dumps(event))

What it cannot see: files whose path comes in as a parameter.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator

from auditors.bodies import marginal
from auditors.data_integrity.paths import Access, accesses, key
from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.module import Module
from harness.source.project import Project

RULE = Rule(
    id="truncated-log",
    group="data-integrity",
    title="Log opened for overwriting",
    severity=Severity.MEDIUM,
    cwe=None,
    page=__doc__,
)

_RECORDS = re.compile(r"(^|_)(append|record|log|journal|track|audit)(_|$)", re.IGNORECASE)
_LOGS = re.compile(r"(^|[^a-z])(log|journal|history|ledger|audit|events)([^a-z]|$)|\.jsonl\b", re.IGNORECASE)


def check(module: Module, project: Project) -> Iterator[Claim]:
    """Opens with "w" of a path that is opened with "a" in this module, or of a log in a function that records."""
    del project
    if marginal(module):
        return
    found: dict[str, list[Access]] = defaultdict(list)
    for access in accesses(module):
        name = key(module, access.path, module.enclosing_function(access.call))
        if name is not None:
            found[name].append(access)
    for name, uses in found.items():
        appended = next((a for a in uses if a.mode[:1] == "a"), None)
        for write in (a for a in uses if a.mode[:1] == "w"):
            function = module.enclosing_function(write.call)
            records = function is not None and _RECORDS.search(function.name) and _LOGS.search(name)
            if appended is None and not records:
                continue
            path = ast.unparse(write.path)
            yield module.claim(
                RULE,
                write.call,
                scenario=f"`{path}` holds the entries of earlier calls; `{module.symbol(write.call) or module.name}` opens "
                f'it with "{write.mode}" and erases them.',
                fix='Open it with "a".',
                facts={
                    "path": path,
                    "append_line": str(appended.call.lineno) if appended else "",
                    "method": write.method,
                },
                related=(module.related("sibling", appended.call, "appended here"),) if appended else (),
            )


CHECK = Check(rules=(RULE,), module=check)
