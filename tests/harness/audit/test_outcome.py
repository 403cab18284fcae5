import pytest

from harness.audit.outcome import exit_code
from harness.schema.evidence import Tier
from harness.schema.finding import Severity
from harness.schema.run import RunStatus, Skip
from harness.schema.verdict import Verdict
from harness.schema.waiver import Waiver
from tests.support.audits import audit, project


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HARNESS_STATE_DIR", str(tmp_path_factory.mktemp("state")))
        return audit(project(tmp_path_factory.mktemp("p")))


def with_first(report, **changes):
    """The report with one finding only, changed."""
    return report.model_copy(update={"findings": (report.findings[0].model_copy(update=changes),)})


WAIVER = Waiver(fingerprint="x", kind="accept", reason="r", author="a", date="2026-01-01")


@pytest.mark.parametrize(
    ("changes", "fail_on", "tier", "code"),
    [
        ({}, "high", "E1", 1),
        ({}, "high", "E3", 1),
        ({}, "high", "E4", 0),
        ({}, "none", "E1", 0),
        ({"severity": Severity.MEDIUM}, "high", "E1", 0),
        ({"severity": Severity.MEDIUM}, "medium", "E1", 1),
        ({"severity": Severity.LOW}, "medium", "E1", 0),
        ({"severity": Severity.LOW}, "low", "E1", 1),
        ({"verdict": Verdict.UNCERTAIN}, "low", "E1", 0),
        ({"verdict": Verdict.DISMISSED}, "low", "E1", 0),
        ({"waiver": WAIVER}, "low", "E1", 0),
        ({"suppressed": "baseline"}, "low", "E1", 0),
    ],
)
def test_only_confirmed_unwaived_findings_that_weigh_enough_fail(report, changes, fail_on, tier, code):
    wanted = None if fail_on == "none" else Severity(fail_on)
    assert exit_code(with_first(report, **changes), wanted, Tier(tier)) == code


def test_incomplete_outranks_findings_and_their_absence(report):
    run = report.run.model_copy(update={"status": RunStatus.INCOMPLETE})
    for findings in (report.findings, ()):
        incomplete = report.model_copy(update={"run": run, "findings": findings})
        assert exit_code(incomplete, None, Tier.E1) == exit_code(incomplete, Severity.LOW, Tier.E1) == 3


def test_auditors_that_could_read_nothing_are_no_pass(report):
    blind = [
        lane.model_copy(update={"planned": 1, "done": 0, "skipped": (Skip(path="a.py", reason="does not parse"),)})
        for lane in report.coverage.lanes
    ]
    for lanes, code in ((blind, 4), ([*blind[:1], *report.coverage.lanes[1:]], 0)):
        coverage = report.coverage.model_copy(update={"lanes": tuple(lanes)})
        seen = report.model_copy(update={"findings": (), "coverage": coverage})
        assert exit_code(seen, None, Tier.E1) == exit_code(seen, Severity.LOW, Tier.E1) == code
    confirmed = report.model_copy(update={"coverage": report.coverage.model_copy(update={"lanes": tuple(blind)})})
    assert exit_code(confirmed, Severity.LOW, Tier.E1) == 1
