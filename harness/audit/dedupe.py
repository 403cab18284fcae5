"""dedupe: claims of one defect become one finding that keeps everyone who raised it (A3).

Structure first: the same file, symbol and lines, and the same kind of defect; or one names the place of the other as its
definition. Wording second: the same line and nearly the same words. One auditor's own claims of one rule stay apart unless
they are equal: it saw two places.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from harness.audit.desk import Desk
from harness.audit.discover import Raised
from harness.audit.fingerprint import fingerprints, short_ids
from harness.schema.finding import Claim, Finding
from harness.schema.location import Location
from harness.source.project import Project

NAME = "dedupe"
MODEL_CLAIM = "model-claim"
"""Kind of every claim that a model raised: it says who speaks, not of what, so two with different CWEs are two defects."""
OVERLAP = 0.5
"""Shared lines over all lines of two ranges that count as the same place."""
LIKENESS = 0.6
"""Shared words over all words of two scenarios that count as the same statement."""


class Deduplicated(NamedTuple):
    """Findings and how many claims went into them."""

    findings: tuple[Finding, ...]
    """In order of path and line, each UNVERIFIED yet."""
    merged: dict[str, int]
    """Dimension -> claims of it that were merged into another's."""
    origins: dict[str, str]
    """Origin of a claim made elsewhere -> fingerprint of the finding it is part of."""


def dedupe(desk: Desk, raised: Sequence[Raised], project: Project) -> Deduplicated:
    """One finding a defect. When grouping itself breaks, every claim stays a finding: late trouble loses nothing."""
    ordered = sorted(raised, key=_order)
    try:
        groups = grouped(ordered)
    except Exception as error:  # noqa: BLE001  # whatever it is, an un-deduplicated report is better than none
        desk.warn(f"duplicates were not merged: {error!r}")
        groups = [[one] for one in ordered]
    leads = [max(group, key=_weight) for group in groups]
    marks = fingerprints([lead.claim for lead in leads], project)
    ids = short_ids(marks)
    findings: dict[str, Finding] = {}
    merged: dict[str, int] = {}
    origins: dict[str, str] = {}
    for group, lead, mark in zip(groups, leads, marks, strict=True):
        findings.setdefault(mark, _finding(lead, group, mark, ids[mark]))
        for one in group:
            if one.origin:
                origins[one.origin] = mark
            if one is not lead:
                merged[one.claim.dimension] = merged.get(one.claim.dimension, 0) + 1
    return Deduplicated(tuple(findings.values()), merged, origins)


def grouped(ordered: Sequence[Raised]) -> list[list[Raised]]:
    """Claims by defect; groups and their members in the order given, which is by path and line.

    The first member stands for its group.
    """
    groups: list[list[Raised]] = []
    path, nearby = "", list[_Open]()
    for one in ordered:
        at = one.claim.location
        # One defect has a line in common, and no later claim begins before this one.
        nearby = [n for n in nearby if n.end >= at.line] if at.path == path else []
        path = at.path
        for n in nearby:
            if any(_same(one, member) for member in n.group):
                n.group.append(one)
                n.end = max(n.end, at.end_line)
                break
        else:
            nearby.append(_Open([one], at.end_line))
            groups.append(nearby[-1].group)
    return _with_definitions(groups)


def _with_definitions(groups: list[list[Raised]]) -> list[list[Raised]]:
    """A claim about the very place that another auditor's claim names as its definition joins that claim: one tells where
    the defect is made, the other where it does harm."""
    made: dict[Location, list[list[Raised]]] = {}
    for group in groups:
        for one in group:
            made.setdefault(one.claim.location, []).append(group)
    gone: set[int] = set()
    for group in groups:
        for one in list(group):
            for place in (r.location for r in one.claim.related if r.role == "definition"):
                for other in made.get(place, ()):
                    if other is not group and id(other) not in gone and all(o.auditor != one.auditor for o in other):
                        group.extend(other)
                        gone.add(id(other))
    return [group for group in groups if id(group) not in gone]


@dataclass
class _Open:
    """A group that later claims may still belong to."""

    group: list[Raised]
    end: int
    """Last line of its members."""


def _same(a: Raised, b: Raised) -> bool:
    x, y = a.claim, b.claim
    if a.auditor == b.auditor and (x.rule == y.rule or a.origin):
        return x.rule == y.rule and x.location == y.location and x.facts == y.facts
    if x.symbol != y.symbol or not _same_place(x, y):
        return False
    apart = x.cwe is not None and y.cwe is not None and x.cwe != y.cwe
    if x.claim_kind == y.claim_kind and not (x.claim_kind == MODEL_CLAIM and apart):
        return True
    # Others file rules that claim different things under one CWE, and a verdict on one says nothing of the other.
    if x.cwe is not None and y.cwe is not None and not (a.origin or b.origin):
        return x.cwe == y.cwe
    return x.location.line == y.location.line and _likeness(x.scenario, y.scenario) >= LIKENESS


def _same_place(x: Claim, y: Claim) -> bool:
    a, b = x.location, y.location
    if a.line == b.line:
        return True
    shared = min(a.end_line, b.end_line) - max(a.line, b.line) + 1
    return shared > 0 and shared / (max(a.end_line, b.end_line) - min(a.line, b.line) + 1) >= OVERLAP


def _likeness(a: str, b: str) -> float:
    x, y = (set(re.findall(r"\w+", text.lower())) for text in (a, b))
    return len(x & y) / len(x | y) if x | y else 0.0


def _order(one: Raised) -> tuple[str, int, int, str, str, str]:
    at = one.claim.location
    return at.path, at.line, at.column, one.claim.rule, one.auditor, one.claim.dimension


def _weight(one: Raised) -> tuple[bool, bool, int, int]:
    """Who speaks for a group: what was found just now; our own rules, which have falsifiers; the graver; more facts."""
    return not one.origin, ":" not in one.claim.rule, one.claim.severity.rank, len(one.claim.facts.keys() - {"told"})


def _finding(lead: Raised, group: Sequence[Raised], fingerprint: str, short: str) -> Finding:
    claim = lead.claim
    at = claim.location
    return Finding(
        id=short, fingerprint=fingerprint,
        dimension=tuple(sorted({one.claim.dimension for one in group})),
        auditors=tuple(sorted({one.auditor for one in group})),
        rule=claim.rule, cwe=claim.cwe,
        severity=max((one.claim.severity for one in group), key=lambda severity: severity.rank),
        path=at.path, line=at.line, end_line=at.end_line, column=at.column, end_column=at.end_column,
        symbol=claim.symbol, quote=claim.quote, scenario=claim.scenario, fix=claim.fix, kind=claim.claim_kind,
        facts=claim.facts, related=claim.related, absence=claim.absence,
    )  # fmt: skip
