"""unasserted-error-path: the project raises an exception of its own that no test mentions.

Why: that the error is raised, and when, is behaviour that callers depend on. Nothing notices when it changes.

Example:

    class QuotaExceeded(Exception): ...
    raise QuotaExceeded(limit)            # no test names QuotaExceeded

What it cannot see: tests that assert the message alone, or a base class; the falsifier looks for those.
"""

import ast
from collections.abc import Iterator

from auditors.syntax import last_name
from auditors.tests.functions import TEST_FILES, words_in_tests
from harness.contracts import Check
from harness.schema.finding import AbsenceSearch, Claim, Rule, Severity
from harness.source.project import Project

RULE = Rule(
    id="unasserted-error-path",
    group="tests",
    title="Error path that no test asserts",
    severity=Severity.LOW,
    page=__doc__,
)


def check(project: Project) -> Iterator[Claim]:
    """The first raise of each exception class of the project whose name stands in no test file."""
    mentioned = words_in_tests(project)
    if not mentioned:
        return
    raised: dict[str, Claim] = {}
    for module in project.modules():
        for statement in module.nodes(ast.Raise):
            made = statement.exc.func if isinstance(statement.exc, ast.Call) else statement.exc
            name = last_name(made)
            known = project.index.classes.get(project.index.canonical(module.resolve(made) or "")) if made else None
            if known is None or known.test or not name or name in raised or not name[0].isupper():
                continue
            raised[name] = module.claim(
                RULE,
                statement,
                scenario=f"`{name}` is raised here and no test mentions it: raising it later, never, or another error instead "
                "would go unnoticed.",
                fix=f"Test the condition with `pytest.raises({name})`.",
                facts={"exception": name, "class": known.name},
            )
    for name, claim in raised.items():
        if name not in mentioned:
            yield claim.model_copy(update={"absence": AbsenceSearch(pattern=rf"\b{name}\b", paths=TEST_FILES)})


CHECK = Check(rules=(RULE,), project=check)
