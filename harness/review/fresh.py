"""Which findings of the head are new, and which the base already has, wherever they stand now."""

from collections.abc import Sequence
from typing import NamedTuple

from harness.audit.discover import Raised
from harness.audit.fingerprint import fingerprints
from harness.review.diff import FileChange
from harness.schema.finding import Finding
from harness.source.project import Project


class Fresh(NamedTuple):
    """The result."""

    new: tuple[Finding, ...]
    """In the order given."""
    known: dict[str, str]
    """Fingerprint of a finding that the base has, too -> its fingerprint there."""
    borrowed: frozenset[str]
    """Fingerprints of new findings that the base uses for another place: decisions about them speak of that one."""


def fresh(base: Project, before: Sequence[Raised], findings: Sequence[Finding], changes: Sequence[FileChange]) -> Fresh:
    """Match by place first (an unchanged line with the same quote and rule), then by fingerprint, each claim once.

    Place comes first because equal code in one function is told apart by a number: a copy put before the original takes
    its number, and is still the new one.
    """
    by_path = {change.after: change for change in changes if change.after}
    marks = fingerprints([one.claim for one in before], base)
    places: dict[tuple[str, str, int, str], set[str]] = {}
    for one, mark in zip(before, marks, strict=True):
        at = one.claim.location
        places.setdefault((one.claim.rule, at.path, at.line, one.claim.quote.strip()), set()).add(mark)
    known: dict[str, str] = {}
    stay: list[Finding] = []
    for finding in findings:
        same = places.get(_place_in_base(finding, by_path.get(finding.path)))
        if same:
            known[finding.fingerprint] = finding.fingerprint if finding.fingerprint in same else min(same)
        else:
            stay.append(finding)
    old, taken = set(marks), set(known.values())
    new = [f for f in stay if f.fingerprint not in old or f.fingerprint in taken]
    known |= {f.fingerprint: f.fingerprint for f in stay if f not in new}
    borrowed = frozenset(f.fingerprint for f in new if f.fingerprint in old)
    return Fresh(tuple(new), known, borrowed)


def _place_in_base(finding: Finding, change: FileChange | None) -> tuple[str, str, int, str]:
    quote = finding.quote.strip()
    if change is None:
        return finding.rule, finding.path, finding.line, quote
    return finding.rule, change.before or "", change.back.get(finding.line, 0), quote
