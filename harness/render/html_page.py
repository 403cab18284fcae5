"""What the HTML page shows, as plain values for its template."""

import json
from typing import NamedTuple

from harness.files import displayable
from harness.render.code import CodeLine, code_lines, shown, source_line
from harness.render.inert import Part, is_sentence, parts
from harness.render.selection import active, decided, dismissed, open_questions, settled
from harness.render.summary import overturned
from harness.render.view import View
from harness.schema.evidence import Evidence
from harness.schema.finding import Finding, Rule
from harness.schema.location import Location
from harness.schema.run import Counts, Report
from harness.schema.verdict import Verdict

AROUND = 2
"""Lines of code shown before and after a finding."""


class Place(NamedTuple):
    """Another place of a finding, with its line of code."""

    role: str
    """What it is to the finding."""
    where: str
    """`path:line`."""
    message: str
    """One sentence, or nothing."""
    code: str
    """The line, stripped; empty when the report does not carry it."""


class Proof(NamedTuple):
    """One piece of evidence."""

    evidence: Evidence
    """The record."""
    summary: list[Part]
    """Its sentence."""
    places: list[Place]
    """Where it was decided."""
    detail: str
    """What was run or seen, unless it is the line that `places` shows anyway."""


class Card(NamedTuple):
    """One finding."""

    finding: Finding
    """The record."""
    title: str
    """Title of its rule."""
    state: str
    """confirmed, uncertain, unverified, dismissed or settled: what the verdict filter goes by."""
    scenario: list[Part]
    """The claim."""
    code: list[CodeLine]
    """The code around it."""
    places: list[Place]
    """Other places, in order."""
    proofs: list[Proof]
    """Everything shown, strongest first."""
    fix: list[Part]
    """The change proposed, when it is a sentence; empty when it is code."""
    decision: str
    """Why it is settled, empty when it is not."""
    dimensions: str
    """JSON list of its dimensions, as the filter names them."""
    search: str
    """What the text filter looks in."""


class Group(NamedTuple):
    """Cards under one heading."""

    id: str
    """Of the element."""
    title: str
    """The heading."""
    about: str
    """One sentence below it."""
    cards: list[Card]
    """In order."""


class Bar(NamedTuple):
    """One dimension's numbers as widths in per cent."""

    name: str
    """Dimension or verifier."""
    pieces: list[tuple[str, int, float, float]]
    """(state, number, offset, width)."""
    note: str
    """`9 of 31 overturned`, or that there was nothing to judge."""


class Page(NamedTuple):
    """Everything."""

    title: str
    """Of the window."""
    groups: list[Group]
    """Non-empty ones."""
    left_out: int
    """Findings without a card."""
    totals: dict[str, int]
    """Findings by state."""
    severities: dict[str, int]
    """Active findings by severity."""
    dimensions: list[str]
    """All that occur in findings."""
    tiers: list[tuple[str, str]]
    """(tier, label) of all that occur."""
    bars: list[Bar]
    """A bar a dimension."""
    verifiers: list[Bar]
    """A bar a verifier."""
    rules: list[tuple[Rule, str]]
    """Rules of the cards that have a page, with it."""


def page(report: Report, view: View, most: int) -> Page:
    """The page of a report, with at most `most` cards."""
    sections = [
        ("confirmed", "Confirmed", "Survived every attempt to prove it wrong.", active(report)),
        ("open", "Open questions", "Neither proved nor refuted: for a person to decide.", open_questions(report)),
        ("settled", "Decided by people", "Waived, baselined or suppressed, with the reason.", decided(report)),
        (
            "dismissed",
            "Dismissed",
            "Proved wrong. The refutation is kept so that it can be checked.",
            dismissed(report),
        ),
    ]
    groups = []
    room = most
    for id_, title, about, findings in sections:
        if findings:
            groups.append(Group(id_, title, about, [_card(f, view) for f in findings[:room]]))
            room -= min(room, len(findings))
    cards = [card for group in groups for card in group.cards]
    used = {card.finding.rule for card in cards}
    return Page(
        title=f"{report.run.target or 'audit'}: {len(sections[0][3])} confirmed",
        groups=groups,
        left_out=len(report.findings) - len(cards),
        totals={state: sum(c.state == state for c in cards) for state in _STATES},
        severities={s: sum(f.severity == s for f in sections[0][3]) for s in ("high", "medium", "low")},
        dimensions=sorted({displayable(d) for card in cards for d in card.finding.dimension}),
        tiers=sorted({(card.finding.tier.value, card.finding.tier.label) for card in cards}),
        bars=_bars(report.stats.by_dimension),
        verifiers=_bars(report.stats.by_verifier),
        rules=[
            (rule, rule.page.strip()) for id_, rule in sorted(view.rules.items()) if id_ in used and rule.page.strip()
        ],
    )


_STATES = ("confirmed", "uncertain", "unverified", "settled", "dismissed")


def _card(finding: Finding, view: View) -> Card:
    proofs = sorted(finding.evidence, key=lambda e: -e.tier.rank)
    return Card(
        finding=finding,
        title=view.title(finding.rule),
        state="settled" if settled(finding) and finding.verdict is not Verdict.DISMISSED else finding.verdict.lower(),
        scenario=parts(finding.scenario),
        code=code_lines(finding, around=AROUND),
        places=[_place(finding, r.location, r.role, r.message) for r in finding.related],
        proofs=[_proof(finding, evidence) for evidence in proofs],
        fix=parts(finding.fix) if is_sentence(finding.fix) else [],
        decision=_decision(finding),
        dimensions=json.dumps([displayable(d) for d in finding.dimension]),
        search=" ".join((finding.path, finding.rule, finding.symbol or "", finding.id, finding.scenario)).lower(),
    )


def _proof(finding: Finding, evidence: Evidence) -> Proof:
    places = [_place(finding, at, "", "") for at in evidence.locations]
    repeated = any(evidence.detail.strip() == place.code for place in places)
    return Proof(evidence, parts(evidence.summary), places, "" if repeated else evidence.detail)


def _place(finding: Finding, at: Location, role: str, message: str) -> Place:
    return Place(role, str(at), message, shown((source_line(finding, at.path, at.line) or "").strip()))


def _decision(finding: Finding) -> str:
    if finding.waiver is not None:
        waiver = finding.waiver
        until = f", until {waiver.until}" if waiver.until else ""
        return f"Waived ({waiver.kind}) by {waiver.author} on {waiver.date}{until}: {waiver.reason}"
    return f"Suppressed, {finding.suppressed}" if finding.suppressed is not None else ""


def _bars(table: dict[str, Counts]) -> list[Bar]:
    bars = []
    for name, numbers in sorted(table.items()):
        values = [(state, getattr(numbers, state)) for state in ("confirmed", "uncertain", "unverified", "dismissed")]
        total = sum(number for _, number in values)
        pieces = []
        offset = 0.0
        for state, number in values:
            if number:
                width = round(100 * number / total, 3)
                pieces.append((state, number, round(offset, 3), width))
                offset += width
        note = "nothing to judge" if overturned(numbers) is None else f"{numbers.dismissed} of {total} overturned"
        bars.append(Bar(name, pieces, note))
    return bars
