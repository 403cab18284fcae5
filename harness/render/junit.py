"""JUnit XML: a suite for the lanes, so that a clean run has results too, and a suite for each file with findings."""

from collections import defaultdict
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from harness.files import displayable
from harness.render.selection import chosen
from harness.render.view import View
from harness.schema.finding import Finding
from harness.schema.run import LaneCoverage, Report, RunStatus
from harness.schema.verdict import Verdict


def render(report: Report, view: View) -> str:
    """CONFIRMED findings are failures, broken lanes and an incomplete run errors, skipped lanes and open questions skipped."""
    root = Element("testsuites", name="harness")
    root.append(_lanes(report))
    by_path: dict[str, list[Finding]] = defaultdict(list)
    for finding in chosen(report, view):
        by_path[finding.path].append(finding)
    for path in sorted(by_path):
        suite = Element("testsuite", name=_plain(path))
        for finding in by_path[path]:
            suite.append(_finding(finding))
        root.append(_counted(suite))
    for name in ("tests", "failures", "errors", "skipped"):
        root.set(name, str(sum(int(suite.get(name, "0")) for suite in root)))
    root.set("time", f"{report.run.seconds:.3f}")
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'


def _lanes(report: Report) -> Element:
    suite = Element("testsuite", name="harness.run")
    case = SubElement(suite, "testcase", classname="harness.run", name="complete")
    if report.run.status is not RunStatus.COMPLETE:
        SubElement(case, "error", message=_plain(report.run.reason or "the run did not reach its end"))
    case = SubElement(suite, "testcase", classname="harness.run", name="something was in scope")
    if not report.coverage.files:
        SubElement(case, "error", message="no file was in scope")
    for lane in report.coverage.lanes:
        suite.append(_lane(lane))
    return _counted(suite)


def _lane(lane: LaneCoverage) -> Element:
    case = Element("testcase", classname="harness.lane", name=_plain(f"{lane.dimension}: {lane.auditor}"))
    if lane.status == "failed":
        SubElement(case, "error", message=_plain(lane.reason or "failed"))
    elif lane.status != "done":
        SubElement(case, "skipped", message=_plain(lane.reason or lane.status))
    return case


def _finding(finding: Finding) -> Element:
    case = Element(
        "testcase",
        classname=_plain(f"harness.{finding.rule}"),
        name=_plain(f"{finding.path}:{finding.line} {finding.id}"),
        file=_plain(finding.path),
        line=str(finding.line),
    )
    text = f"{finding.scenario}\nfix: {finding.fix}\n{finding.verdict} {finding.tier} {finding.tier.label}: {finding.reason}"
    if finding.verdict is Verdict.CONFIRMED and finding.waiver is None and finding.suppressed is None:
        failure = SubElement(case, "failure", message=_plain(finding.scenario), type=finding.severity.value)
        failure.text = _xml(text)
    else:
        SubElement(case, "skipped", message=_plain(f"{finding.verdict}: {finding.scenario}"))
    return case


def _counted(suite: Element) -> Element:
    suite.set("tests", str(len(suite)))
    for name, kind in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(name, str(len(suite.findall(f"testcase/{kind}"))))
    return suite


def _plain(text: str) -> str:
    return " ".join(_xml(text).split())


def _xml(text: str) -> str:
    """Text of characters that XML 1.0 allows."""
    return displayable(text).replace("\ufffe", "\\ufffe").replace("\uffff", "\\uffff")
