"""The rules that a review raises itself, without an auditor."""

from harness.schema.finding import Rule, Severity

REGRESSION = Rule(
    id="regression-by-test",
    group="review",
    title="A test of the project passes on the base and fails on the change",
    severity=Severity.HIGH,
    page="""regression-by-test: a test of the project that passes on the base of a change and fails on its head.

Why: the project itself says what it expects, and the change breaks it. The test is run on both sides, twice each; only
a test that passes both times on the base and fails both times on the head is CONFIRMED, at E5. It is of high severity, so that
it stops a merge by default: a gate refuses a head whose tests fail, and a review must not say otherwise. A change that
means to change the behaviour edits the test as well.

Example: `tests/test_price.py::test_discount` passes on the base; on the head it fails with `assert 110 == 90`.

What it cannot see: behaviour that no test looks at; tests that need what the sandbox does not have (a network, packages
that are not installed). A test that the change itself edits is not the same test on both sides, so it stays UNCERTAIN.
""",
)
DECISION = Rule(
    id="decision-in-change",
    group="review",
    title="The change decides about its own review",
    severity=Severity.LOW,
    page="""decision-in-change: a change that brings a suppression, a waiver, a baseline entry or a looser policy with it.

Why: whoever writes a change must not decide what is looked at in it. Decisions are read from the base of the change, so
this one does not count yet; it will once it is merged, and that is what somebody should look at.

Example: `# harness: ignore[command-injection] fine` in an added line; `fail_on = "none"` in an edited pyproject.toml.

What it cannot see: decisions of other tools, but for workflow files that run harness.
""",
)
RULES = (REGRESSION, DECISION)
