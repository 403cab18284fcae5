"""key-never-written: a dictionary key is read that nobody writes, and it is one letter off a key that somebody does.

Why: `.get("adress")` answers None for ever; `["adress"]` raises for ever. Tests that use the same typo agree with it.

Example:

    row = {"address": address, "city": city}
    send(row["adress"])

What it cannot see: keys that come from other systems under a name that merely looks like one of ours.
"""

import ast
from collections.abc import Iterator

from auditors.syntax import dotted, last_name, near
from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.module import Module
from harness.source.project import Project

RULE = Rule(
    id="key-never-written",
    group="consistency",
    title="Dictionary key is read but never written",
    severity=Severity.MEDIUM,
    page=__doc__,
)


def check(project: Project) -> Iterator[Claim]:
    """Every literal key that is read, minus every word written anywhere in the code, as key, name or text."""
    reads: dict[str, Claim] = {}
    keys: set[str] = set()
    words: set[str] = set()
    for module in project.modules():
        read_here: set[ast.AST] = set()
        for node, key in _reads(module):
            read_here.add(node)
            if key not in reads and len(key) > 4 and key.isascii():
                base = module.parents[node]
                name = dotted(
                    base.value
                    if isinstance(base, ast.Subscript)
                    else getattr(getattr(base, "func", None), "value", None)
                )
                reads[key] = module.claim(RULE, node, scenario="", fix="", facts={"key": key, "container": name})
        keys |= _written(module)
        words |= {c.value for c in module.nodes(ast.Constant) if isinstance(c.value, str) and c not in read_here}
        words |= {a.attr for a in module.nodes(ast.Attribute)} | {n.id for n in module.nodes(ast.Name)}
        words |= {a.arg for a in module.nodes(ast.arg)} | {k.arg for k in module.nodes(ast.keyword) if k.arg}
    by_start: dict[str, list[str]] = {}
    for key in sorted(keys):
        by_start.setdefault(key[:1], []).append(key)
    for key in sorted(set(reads) - words - keys):
        written = next((k for k in by_start.get(key[:1], ()) if near(key, k)), None)
        if written is not None:
            claim = reads[key]
            yield claim.model_copy(
                update={
                    "scenario": f"Nothing ever writes the key {key!r}; {written!r} is written. The read finds nothing.",
                    "fix": f"Read {written!r}.",
                    "facts": {**claim.facts, "written": written},
                }
            )


def _reads(module: Module) -> Iterator[tuple[ast.Constant, str]]:
    for subscript in module.nodes(ast.Subscript):
        key = subscript.slice
        if isinstance(subscript.ctx, ast.Load) and isinstance(key, ast.Constant) and isinstance(key.value, str):
            yield key, key.value
    for call in module.nodes(ast.Call):
        if last_name(call.func) == "get" and isinstance(call.func, ast.Attribute) and call.args:
            key = call.args[0]
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                yield key, key.value


def _written(module: Module) -> set[str]:
    found: set[str] = set()
    for table in module.nodes(ast.Dict):
        found |= {k.value for k in table.keys if isinstance(k, ast.Constant) and isinstance(k.value, str)}
    for subscript in module.nodes(ast.Subscript):
        key = subscript.slice
        if isinstance(subscript.ctx, ast.Store) and isinstance(key, ast.Constant) and isinstance(key.value, str):
            found.add(key.value)
    for call in module.nodes(ast.Call):
        if last_name(call.func) in {"dict", "update"}:
            found |= {k.arg for k in call.keywords if k.arg}
    return found


CHECK = Check(rules=(RULE,), project=check)
