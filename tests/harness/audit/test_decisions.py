import datetime

import pytest

from harness.audit import baseline, decisions, waivers
from harness.audit.decisions import Decisions, Scope, apply
from harness.errors import ConfigError
from harness.schema.finding import Severity
from harness.schema.run import LaneCoverage, Skip
from harness.schema.verdict import Verdict
from tests.support.reports import finding, incomplete, limit, refuted, report, uncertain, waiver
from tests.support.trees import project_of

TODAY = datetime.date(2026, 6, 10)
PATH = "shop/export.py"


def project_with(root, line):
    return project_of(root, {PATH: "\n" * 87 + line + "\n"})


def applied(root, *findings, line="", scope=None, **changes):
    return apply(findings, project_with(root, line), Decisions(**changes), today=TODAY, scope=scope or Scope())


def test_a_waiver_is_attached_to_its_finding_only(tmp_path):
    done = applied(tmp_path, finding(), limit(), waivers=(waiver(),))
    assert [f.waiver for f in done.findings] == [waiver(), None]
    assert done.unused == ()


@pytest.mark.parametrize(("until", "works"), [(TODAY, True), (TODAY - datetime.timedelta(days=1), False), (None, True)])
def test_a_waiver_holds_to_its_last_day(tmp_path, until, works):
    done = applied(tmp_path, finding(), waivers=(waiver(until=until),))
    assert (done.findings[0].waiver is not None) is works
    assert [u.reason.endswith(f"expired on {until}") for u in done.unused] == ([] if works else [True])


def test_a_waiver_is_void_once_the_code_changed(tmp_path):
    done = applied(tmp_path, finding(fingerprint="e" * 32), waivers=(waiver(),))
    assert done.findings[0].waiver is None
    assert "its code changed" in done.unused[0].reason
    assert "harness findings unwaive 3c1f0000" in done.unused[0].reason


def test_a_waiver_of_a_file_that_was_not_looked_at_is_not_unused(tmp_path):
    assert applied(tmp_path, waivers=(waiver(path="elsewhere.py"),)).unused == ()
    assert len(applied(tmp_path, waivers=(waiver(path=PATH),)).unused) == 1


def test_a_waiver_of_a_rule_that_was_not_looked_for_is_not_unused(tmp_path):
    scope = Scope(looked_for=frozenset({"limit-disagrees"}))
    assert applied(tmp_path, waivers=(waiver(rule="command-injection"),), scope=scope).unused == ()


def test_an_inline_suppression_hides_its_rule_on_its_line(tmp_path):
    line = "x  # harness: ignore[command-injection] names are checked"
    done = applied(tmp_path, finding(), limit(path=PATH, line=88, end_line=88), line=line)
    assert [f.suppressed for f in done.findings] == ["inline: names are checked", None]
    assert done.unused == ()


@pytest.mark.parametrize(
    ("scope", "reason"),
    [
        (Scope(), "suppresses nothing: remove it"),
        (Scope(known=frozenset({"command-injection"})), "does not exist; did you mean command-injection?"),
        (Scope(looked_for=frozenset({"limit-disagrees"})), None),
    ],
)
def test_unused_suppressions_are_reported(tmp_path, scope, reason):
    done = applied(tmp_path, finding(), line="x  # harness: ignore[comand-injection] why", scope=scope)
    assert done.findings[0].suppressed is None
    assert [(u.path, reason in u.reason, "line 88" in u.reason) for u in done.unused] == (
        [(PATH, True, True)] if reason else []
    )


def test_one_added_by_the_change_under_review_does_not_count(tmp_path):
    line = "x  # harness: ignore[command-injection] why"
    done = applied(tmp_path, finding(), line=line, added={PATH: frozenset({88})})
    assert done.findings[0].suppressed is None
    assert "added by the change under review" in done.unused[0].reason


def test_comments_can_be_switched_off(tmp_path):
    done = applied(tmp_path, finding(), line="x  # harness: ignore[command-injection] why", inline=False)
    assert done.findings[0].suppressed is None


def test_a_dismissed_finding_uses_no_decision(tmp_path):
    gone = refuted(fingerprint=finding().fingerprint)
    done = applied(tmp_path, gone, waivers=(waiver(),))
    assert done.findings == (gone,)
    assert len(done.unused) == 1


def test_the_baseline_hides_what_it_names_and_nothing_new(tmp_path):
    known = baseline.of([finding()])
    done = applied(tmp_path, finding(), finding(fingerprint="e" * 32), baseline=known)
    assert [f.suppressed for f in done.findings] == ["baseline: known as high CONFIRMED", None]


def test_the_baseline_does_not_hide_what_got_worse(tmp_path):
    doubt = uncertain(severity=Severity.LOW)
    known = baseline.of([doubt])
    worse = [
        doubt,
        doubt.model_copy(update={"severity": Severity.HIGH}),
        doubt.model_copy(update={"verdict": Verdict.CONFIRMED}),
    ]
    done = applied(tmp_path, *worse, baseline=known)
    assert [f.suppressed is not None for f in done.findings] == [True, False, False]


def test_a_baseline_needs_no_entry_for_what_is_decided_elsewhere():
    hidden = limit(suppressed="inline: why")
    again = limit(fingerprint="a" * 32, suppressed="baseline: known as medium CONFIRMED")
    assert [k.fingerprint for k in baseline.of([refuted(), finding(waiver=waiver()), hidden, again]).findings] == [
        "a" * 32
    ]


def test_a_baseline_file_reads_back_and_has_a_line_for_each_finding(tmp_path):
    path = tmp_path / baseline.FILE
    known = baseline.of([finding(), limit()])
    baseline.write(path, known)
    assert baseline.read(path) == known
    assert sum("fingerprint" in line for line in path.read_text().splitlines()) == 2
    assert f'"line": {finding().line}' not in path.read_text()
    baseline.write(path, baseline.Baseline())
    assert baseline.read(path) == baseline.Baseline()


def test_a_baseline_shrinks_by_what_was_looked_for_and_not_found():
    known = baseline.of([finding(), limit()])
    rules = ("command-injection", "limit-disagrees")
    complete = report(limit())
    assert baseline.shrunk(known, complete, rules) == baseline.of([limit()])
    assert baseline.shrunk(known, report(refuted(fingerprint=finding().fingerprint)), rules) == baseline.Baseline()


def test_not_seen_is_not_resolved():
    known = baseline.of([finding()])
    lane = LaneCoverage(auditor="a", dimension="d", status="done", skipped=(Skip(path=PATH, reason="does not parse"),))
    skipped = report(coverage=report().coverage.model_copy(update={"lanes": (lane,)}))
    outside = report(
        coverage=report().coverage.model_copy(update={"excluded": (Skip(path="shop/", reason="excluded"),)})
    )
    assert baseline.shrunk(known, incomplete(), ["command-injection"]) == known
    assert baseline.shrunk(known, report(), ["limit-disagrees"]) == known
    assert baseline.shrunk(known, skipped, ["command-injection"]) == known
    assert baseline.shrunk(known, outside, ["command-injection"]) == known


def test_decisions_are_read_from_a_folder(tmp_path):
    assert decisions.read(tmp_path) == Decisions()
    waivers.add(tmp_path / waivers.FILE, waiver())
    baseline.write(tmp_path / baseline.FILE, baseline.of([limit()]))
    assert decisions.read(tmp_path) == Decisions(waivers=(waiver(),), baseline=baseline.of([limit()]))


@pytest.mark.parametrize("text", ["{", "[]", '{"version": "other"}', '{"findings": [{}]}'])
def test_a_broken_baseline_is_an_error(text):
    with pytest.raises(ConfigError, match=r"^x: "):
        baseline.parse(text, "x")


def test_one_that_was_there_for_code_which_the_change_edits_does_not_count(tmp_path):
    """A line of code put below an old comment would be hidden by what somebody said of another line."""
    project = project_of(tmp_path, {PATH: "\n" * 86 + "# harness: ignore[command-injection] checked\nx\n"})
    done = apply([finding()], project, Decisions(added={PATH: frozenset({88})}), today=TODAY, scope=Scope())
    assert done.findings[0].suppressed is None
    assert "code that the change under review edits" in done.unused[0].reason
    still = apply([finding()], project, Decisions(added={PATH: frozenset({80})}), today=TODAY, scope=Scope())
    assert still.findings[0].suppressed == "inline: checked"
