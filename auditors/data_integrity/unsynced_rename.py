"""unsynced-rename: a new file is renamed over the old one before its content is on the disk.

Why: the rename can reach the disk before the data. After a loss of power the name stands for an empty file, although
the rename was there to prevent just that.

Example:

    with open(temporary, "w") as stream:
        stream.write(text)                  # stream.flush(); os.fsync(stream.fileno())
    os.replace(temporary, path)

What it cannot see: file systems that write data before names, and renames of files that another function wrote.
"""

import ast
from collections.abc import Iterator

from auditors.bodies import marginal, own
from auditors.data_integrity.paths import access, accesses
from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.module import Module
from harness.source.project import Project

RULE = Rule(
    id="unsynced-rename",
    group="data-integrity",
    title="Renamed before it is on the disk",
    severity=Severity.LOW,
    cwe=None,
    page=__doc__,
)


def check(module: Module, project: Project) -> Iterator[Claim]:
    """`os.replace`, `os.rename` and `Path.replace` of a path that the same function wrote, without any fsync."""
    del project
    if marginal(module) or not any(
        word in module.text for word in ("os.replace", "os.rename", ".replace(", ".rename(")
    ):
        return
    opening = {module.enclosing_function(a.call) for a in accesses(module)}
    for qualname, function in module.functions:
        if function not in opening:
            continue
        calls = [n for n in own(function.body) if isinstance(n, ast.Call)]
        if any("sync" in ast.unparse(c.func) for c in calls):
            continue
        written = {ast.unparse(f.path): f.call for c in calls if (f := access(module, c)) and f.mode[:1] in {"w", "x"}}
        for call in calls if written else []:
            source = _renamed(module, call)
            if source in written and call.lineno > written[source].lineno:
                yield module.claim(
                    RULE,
                    call,
                    scenario=f"The power fails soon after `{qualname}`: the rename is on the disk, the content of `{source}` "
                    "is not, and the name stands for an empty file.",
                    fix="flush() and os.fsync() the new file before the rename.",
                    facts={"source": source, "write_line": str(written[source].lineno), "function": qualname},
                    related=(module.related("source", written[source], "written here"),),
                )


def _renamed(module: Module, call: ast.Call) -> str:
    if module.resolve(call.func) in {"os.replace", "os.rename"} and call.args:
        return ast.unparse(call.args[0])
    if isinstance(call.func, ast.Attribute) and call.func.attr in {"replace", "rename"} and len(call.args) == 1:
        return ast.unparse(call.func.value)
    return ""


CHECK = Check(rules=(RULE,), module=check)
