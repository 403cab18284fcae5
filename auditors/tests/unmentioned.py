"""unmentioned-public-function: a public function with decisions in it, whose name stands in no test.

Why: nothing would notice if it stopped working. This is the answer of a search, for when the tests cannot be run; where they
can, untested-public-function says which functions they never reach.

Example:

    def settle(account, amount): ...       # no test says "settle"

What it cannot see: tests that reach it through others; the falsifier follows callers for that.
"""

import ast
from collections.abc import Iterator
from pathlib import PurePosixPath

from auditors.syntax import own
from auditors.tests.functions import TEST_FILES, words_in_tests
from harness.contracts import Check
from harness.schema.finding import AbsenceSearch, Claim, Rule, Severity
from harness.source.module import FunctionNode, Module
from harness.source.project import Project

RULE = Rule(
    id="unmentioned-public-function",
    group="tests",
    title="Public function that no test mentions",
    severity=Severity.LOW,
    page=__doc__,
)
MOST = 20
"""Claims raised, the riskiest functions first."""
ASIDE = frozenset(
    {"examples", "example", "docs", "doc", "scripts", "benchmarks", "migrations", "tools", "setup.py", "tasks.py"}
)
_BRANCHES = (ast.If, ast.For, ast.While, ast.Try, ast.IfExp, ast.BoolOp, ast.Match, ast.ExceptHandler, ast.With)


def check(project: Project) -> Iterator[Claim]:
    """Public functions and methods with three branches or more that the words of the tests do not hold."""
    words = words_in_tests(project)
    if not words:
        return
    found: list[tuple[int, str, int, Claim]] = []
    for module in project.modules():
        if ASIDE & set(PurePosixPath(module.path).parts):
            continue
        for qualname, function in module.functions:
            if function.name in words or not is_public(module, qualname, function):
                continue
            risk = risk_of(function)
            if risk < 3:
                continue
            claim = module.claim(
                RULE,
                function,
                scenario=f"No test mentions `{function.name}` ({risk} branches): a change that breaks it stays green.",
                fix=f"Test `{qualname}`, its error paths first.",
                facts={"function": qualname, "risk": str(risk)},
            )
            search = AbsenceSearch(pattern=rf"\b{function.name}\b", paths=TEST_FILES)
            found.append((-risk, module.path, function.lineno, claim.model_copy(update={"absence": search})))
    for _, _, _, claim in sorted(found, key=lambda item: item[:3])[:MOST]:
        yield claim


def is_public(module: Module, qualname: str, function: FunctionNode) -> bool:
    """No part of its name begins with an underscore, it is not nested in a function, and no decorator hands it elsewhere."""
    if any(part.startswith("_") for part in qualname.split(".")) or not isinstance(
        module.parents[function], ast.Module | ast.ClassDef
    ):
        return False
    plain = {
        "staticmethod",
        "classmethod",
        "property",
        "cached_property",
        "lru_cache",
        "cache",
        "contextmanager",
        "override",
    }
    return all(
        (d.attr if isinstance(d, ast.Attribute) else getattr(d, "id", "")) in plain for d in function.decorator_list
    )


def risk_of(function: FunctionNode) -> int:
    """Number of branches: what can go wrong in it."""
    return sum(isinstance(node, _BRANCHES) for node in own(function.body))


CHECK = Check(rules=(RULE,), project=check)
