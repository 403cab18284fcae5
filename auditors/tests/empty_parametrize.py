"""empty-parametrize: a parametrised test without any parameters.

Why: pytest skips it. The test is in the file and never runs.

Example:

    CASES = []
    @pytest.mark.parametrize("case", CASES)
    def test_case(case): ...

What it cannot see: lists that are computed and come out empty.
"""

import ast
from collections.abc import Iterator

from auditors.syntax import dotted
from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.module import Module
from harness.source.project import Project

RULE = Rule(
    id="empty-parametrize",
    group="tests",
    title="Parametrised test with no cases",
    severity=Severity.LOW,
    page=__doc__,
)


def check(module: Module, project: Project) -> Iterator[Claim]:
    """parametrize decorators whose second argument is an empty display, directly or through a module constant."""
    del project
    if not module.test:
        return
    for _, function in module.functions:
        for decorator in function.decorator_list:
            if not isinstance(decorator, ast.Call) or not dotted(decorator.func).endswith("mark.parametrize"):
                continue
            values = decorator.args[1] if len(decorator.args) > 1 else None
            if isinstance(values, ast.Name):
                definition = module.definitions.get(values.id)
                values = definition.value if isinstance(definition, ast.Assign) else None
            if isinstance(values, ast.List | ast.Tuple) and not values.elts:
                yield module.claim(
                    RULE,
                    decorator,
                    scenario=f"There is no case, so pytest skips `{function.name}`.",
                    fix="Give cases, or remove the test.",
                    facts={"function": function.name},
                )


CHECK = Check(rules=(RULE,), module=check)
