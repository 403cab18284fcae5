"""Tests that pass on the base and fail on the head, each tried twice on both sides, as findings with their evidence."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from harness.files import sha256
from harness.languages import is_test
from harness.review.diff import FileChange
from harness.review.own import own_finding
from harness.review.reach import Reach
from harness.review.rules import REGRESSION
from harness.review.testing import TestRun
from harness.schema.evidence import Evidence, Tier
from harness.schema.finding import Finding
from harness.schema.location import Location, RelatedLocation
from harness.schema.verdict import Verdict
from harness.source.project import Project
from harness.source.syntax import NotParsed

TRIED = 60
"""Failing tests that are run again."""
NAMED = 10
"""Tests that a finding names."""


class Sides(NamedTuple):
    """The runs of both sides: all tests, then those that changed their result."""

    base: TestRun
    head: TestRun
    base_again: TestRun
    head_again: TestRun


class _Broken(NamedTuple):
    test: str
    """Id of the test, or path of a file that can no longer be imported."""
    at: Location
    symbol: str | None
    how: str
    """How the place was found."""
    doubt: str
    """Why it is not certain; '' when it is."""
    message: str


def changed_results(base: TestRun, head: TestRun) -> list[str]:
    """Ids of tests, or paths of test files, that were fine on the base and fail on the head."""
    found = [t for t, outcome in head.outcomes.items() if outcome == "failed" and base.outcomes.get(t) == "passed"]
    found += [
        path
        for path in head.uncollected
        if path not in base.uncollected and any(t.startswith(f"{path}::") for t in base.outcomes)
    ]
    return found[:TRIED]


def compared(base: TestRun, head: TestRun, edited: Iterable[str]) -> str:
    """What the comparison says, in a sentence."""
    for side, run in (("base", base), ("change", head)):
        if run.status == "incomplete":
            return f"not compared: on the {side} {run.reason}"
    mended = sum(head.outcomes.get(t) == "passed" for t, outcome in base.outcomes.items() if outcome == "failed")
    gone = [t for t, o in base.outcomes.items() if o == "passed" and head.outcomes.get(t) != "passed"]
    gone = [t for t in gone if head.outcomes.get(t) != "failed"]
    both = sum(head.outcomes.get(t) == "failed" for t, o in base.outcomes.items() if o == "failed")
    unseen = sorted(set(base.uncollected) & set(head.uncollected))
    parts = [f"{len(changed_results(base, head))} broken, {mended} mended since the base"]
    parts += [f"{both} fail on both sides"] if both else []
    if unseen:
        parts.append(f"{unseen[0]} cannot be imported on either side ({base.uncollected[unseen[0]]})")
        parts += [f"nor can {len(unseen) - 1} others"] if unseen[1:] else []
    parts += [f"{len(gone)} that passed on the base no longer run ({', '.join(gone[:3])})"] if gone else []
    names = sorted(edited)
    parts += [f"the change edits {', '.join(names[:3])}{' ...' if names[3:] else ''}"] if names else []
    return "; ".join(parts)


def edited_tests(changes: Sequence[FileChange]) -> frozenset[str]:
    """Test files, with what they share, that the change edits."""
    return frozenset(c.path for c in changes if is_test(c.path) or c.path.endswith("conftest.py"))


def findings(
    sides: Sides, changes: Sequence[FileChange], reached: Reach, head: Project, *, base: str, command: str
) -> list[Finding]:
    """One finding a place, with every test that shows it."""
    edited = edited_tests(changes)
    groups: dict[tuple[str, int, bool], list[_Broken]] = {}
    for test in changed_results(sides.base, sides.head):
        broken = _broken(test, sides, edited, reached, head)
        groups.setdefault((broken.at.path, broken.at.line, not broken.doubt), []).append(broken)
    return [_finding(group, head, base, command, sides) for group in groups.values()]


def _broken(test: str, sides: Sides, edited: frozenset[str], reached: Reach, head: Project) -> _Broken:
    path = test.partition("::")[0]
    first = sides.head.failing.get(test)
    again = sides.head_again.failing.get(test)
    failure = again or first
    message = failure.message if failure else sides.head.uncollected.get(test, "")
    places = list(failure.places) if failure else []
    called = list(sides.head_again.called.get(test, ()))
    at, symbol, how = _place(path, places, called, reached, head)
    return _Broken(test, at, symbol, how, _doubt(test, path, sides, edited), message)


def _doubt(test: str, path: str, sides: Sides, edited: frozenset[str]) -> str:
    if path in edited:
        return "the change edits this test itself, so it is not the same test on both sides"
    failed_again = sides.head_again.outcomes.get(test) == "failed" or test in sides.head_again.uncollected
    passed_again = sides.base_again.outcomes.get(test) == "passed"
    if test in sides.head.uncollected:
        passed_again = any(t.startswith(f"{test}::") and o == "passed" for t, o in sides.base_again.outcomes.items())
    if not failed_again:
        return "run again on the change, it does not fail: it is flaky, or depends on the tests before it"
    if not passed_again:
        return "run again on the base, it does not pass: it is flaky, or depends on the tests before it"
    return ""


def _place(
    path: str, places: Sequence[tuple[str, int]], called: Sequence[tuple[str, int]], reached: Reach, head: Project
) -> tuple[Location, str | None, str]:
    """The changed code that the failure reaches: by its traceback, else by what the test called; else the test."""
    for at, line in reversed(places):
        for span in reached.functions.get(at, ()):
            if span.first <= line <= span.last and not is_test(at):
                return _at(at, line, head, "its traceback reaches")
        if line in reached.lines.get(at, ()) and not is_test(at):
            return _at(at, line, head, "its traceback reaches")
    for at, first in called:
        for span in reached.functions.get(at, ()):
            if span.first <= first <= span.last and not is_test(at):
                return _at(span.at.path, span.at.line, head, "it calls")
    own = [line for at, line in places if at == path]
    return _at(path, own[-1] if own else 1, head, "")


def _at(path: str, line: int, head: Project, how: str) -> tuple[Location, str | None, str]:
    symbol = None
    if path in head.entries and head.entries[path].language == "python":
        try:
            inner = [q for q, f in head.module(path).functions if f.lineno <= line <= (f.end_lineno or f.lineno)]
        except NotParsed:
            inner = []
        symbol = inner[-1] if inner else None
    return Location(path=path, line=max(line, 1), end_line=max(line, 1)), symbol, how


def _finding(group: Sequence[_Broken], head: Project, base: str, command: str, sides: Sides) -> Finding:
    lead = group[0]
    tests = [broken.test for broken in group]
    named = ", ".join(f"`{test}`" for test in tests[:3]) + (f" and {len(tests) - 3} more" if tests[3:] else "")
    verdict = Verdict.UNCERTAIN if lead.doubt else Verdict.CONFIRMED
    reason = lead.doubt or f"{len(tests)} passed twice on the base {base[:12]} and failed twice on the change"
    where = f" ({lead.how} the changed `{lead.symbol or lead.at.path}`)" if lead.how else ""
    evidence = _evidence(group, sides, base, command, reason)
    test_at = Location(path=tests[0].partition("::")[0], line=1, end_line=1)
    related = (
        () if test_at.path == lead.at.path else (RelatedLocation(role="test", location=test_at, message=tests[0]),)
    )
    return own_finding(
        REGRESSION, lead.at, head, identity=(tests[0],), symbol=lead.symbol,
        scenario=f"{named} {'passes' if len(tests) == 1 else 'pass'} on the base and {'fails' if len(tests) == 1 else 'fail'} "
        f"on the change{where}: {lead.message or 'no message'}",
        fix="Make the test pass again; where the new behaviour is meant, change the test in the same change and say so.",
        verdict=verdict, evidence=evidence, reason=reason, facts={"tests": "\n".join(tests[:NAMED])}, related=related,
    )  # fmt: skip


def _evidence(group: Sequence[_Broken], sides: Sides, base: str, command: str, reason: str) -> Evidence:
    rows = [f"$ {command}"]
    for broken in group[:NAMED]:
        rows.append(f"{broken.test}")
        rows.append(
            f"  base {base[:12]}: {_said(sides.base, broken.test)}, again: {_said(sides.base_again, broken.test)}"
        )
        rows.append(f"  change: {_said(sides.head, broken.test)}, again: {_said(sides.head_again, broken.test)}")
        rows.append(f"  {broken.message}")
    detail = "\n".join(rows)
    tier = Tier.E1 if group[0].doubt else Tier.E5
    return Evidence(tier=tier, kind="differential", summary=reason, detail=detail, sha256=sha256(detail),
                    locations=(group[0].at,))  # fmt: skip


def _said(run: TestRun, test: str) -> str:
    if test in run.uncollected:
        return "cannot be imported"
    below = {outcome for name, outcome in run.outcomes.items() if name.startswith(f"{test}::")}
    return run.outcomes.get(test) or (" and ".join(sorted(below)) if below else run.reason or "not run")
