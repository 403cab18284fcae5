"""verify: every finding goes to the verifiers that know its kind, cheapest first; each tries to prove it wrong.

Rounds: what only reads, for every finding; then what executes, for those it can still change: not for a dismissed
one, and for at most `EXECUTED` findings, gravest first, so that executing takes a bounded share of the time. The bound is
a number, so that the same input has the same report; the clock behind it (`EXECUTING_AT_MOST`) makes a run incomplete.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from pydantic import JsonValue

from harness.audit.desk import Desk
from harness.audit.settle import Settled, Unit, settle
from harness.contracts import Verifier
from harness.crew import Crew
from harness.files import sha256
from harness.schema.evidence import DISAGREEMENT, Tier
from harness.schema.finding import Finding
from harness.schema.verdict import Judgement, Verdict
from harness.workers import Pool

NAME = "verify"
READING_SECONDS = 300.0
"""For one finding; the first one of a worker pays for the index of the project."""
EXECUTING_SECONDS = 300.0
ASKING_SECONDS = 7200.0
EXECUTING_AT_MOST = 1200.0
"""Seconds for all executed verifications."""
TOGETHER = 40
"""Findings of one file that one task carries."""
EXECUTED = 250
"""Findings that are put to executing verifiers."""


class Failure(NamedTuple):
    """A verification that gave no answer."""

    finding: str
    """Id of the finding."""
    verifier: str
    """Id of the verifier."""
    reason: str
    """Why."""


def verify(desk: Desk, pool: Pool, crew: Crew | None, findings: Sequence[Finding], digest: str) -> tuple[Finding, ...]:
    """The findings with their verdicts, in the order given. `digest` is that of the tree they were found in."""
    bench = _Round(desk, pool, crew, digest)
    reading = [v for v in desk.verifiers if not v.executes]
    bench.put([(f, v) for f in findings for v in reading if v.handles(f)])
    executing = [v for v in desk.verifiers if v.executes] if desk.order.execute else []
    wanted = [(f, v) for f in findings for v in executing if v.handles(f) and _open(bench.judgements(f))]
    unexecuted: set[str] = set()
    if wanted and desk.sandbox is None:
        for finding, verifier in wanted:
            bench.fail(Failure(finding.id, verifier.id, f"no sandbox: {desk.no_sandbox}"))
        desk.troubles.append(f"{len(wanted)} executed verifications could not run: no sandbox ({desk.no_sandbox})")
    else:
        undecided = {f.fingerprint for f, _ in wanted if decide(bench.judgements(f), []).verdict is Verdict.UNCERTAIN}
        picked = _gravest(desk, wanted, undecided)
        unexecuted = {f.fingerprint for f, _ in wanted} - {f.fingerprint for f, _ in picked}
        bench.put(picked, at_most=EXECUTING_AT_MOST)
    if desk.models:
        arguing = desk.models.verifier
        bench.put([(f, arguing) for f in findings if not _decided(bench.judgements(f))])
    judged = tuple(_judged(f, bench.judgements(f), bench.failed(f), f.fingerprint in unexecuted) for f in findings)
    _note_troubles(desk, judged, bench.failures)
    return judged


class _Round:
    """Judgements as they come in, by finding."""

    def __init__(self, desk: Desk, pool: Pool, crew: Crew | None, digest: str) -> None:
        self._desk = desk
        self._pool = pool
        self._crew = crew
        self._order = [*desk.verifiers, *([desk.models.verifier] if desk.models else [])]
        self._digest = digest
        self._found: dict[str, dict[str, Judgement]] = {}
        self._failed: dict[str, list[Failure]] = {}
        self._verdicts: Counter[Verdict] = Counter()
        self._done = 0
        self._total = 0

    def put(self, pairs: Sequence[tuple[Finding, Verifier]], *, at_most: float | None = None) -> None:
        """Have these pairs judged, within `at_most` seconds and the budget."""
        units = {}
        for finding, verifier in pairs:
            unit = self._unit(finding, verifier)
            units[unit.step] = (unit, finding, verifier)
        self._total += len(units)
        bounds = [b for b in (at_most, self._desk.budget.remaining_seconds()) if b is not None]
        left = min(bounds, default=None)
        work = [unit for unit, _, _ in units.values()]
        asking = any(self._asks(verifier) for _, verifier in pairs)
        team, together = (self._crew, 1) if asking and self._crew else (self._pool, TOGETHER)
        for one in settle(self._desk, team, work, seconds=left, together=together):
            _, finding, verifier = units[one.unit.step]
            self._take(finding, verifier, one)
            self._done += 1
            if self._done % 20 == 0 or self._done == self._total:
                self._desk.progress(NAME, self._done, self._total, self._note())

    def judgements(self, finding: Finding) -> list[Judgement]:
        """In order of cost."""
        said = self._found.get(finding.fingerprint, {})
        return [said[v.id] for v in self._order if v.id in said]

    def failed(self, finding: Finding) -> list[Failure]:
        """In order of cost."""
        order = [v.id for v in self._order]
        return sorted(self._failed.get(finding.id, []), key=lambda f: order.index(f.verifier))

    def fail(self, failure: Failure) -> None:
        """Note that a verification gave no answer."""
        self._failed.setdefault(failure.finding, []).append(failure)

    @property
    def failures(self) -> list[Failure]:
        """All of them, in order of finding."""
        return [failure for finding in sorted(self._failed) for failure in self._failed[finding]]

    def _take(self, finding: Finding, verifier: Verifier, one: Settled) -> None:
        if one.value is None:
            self.fail(Failure(finding.id, verifier.id, one.error))
        else:
            said = self._found.setdefault(finding.fingerprint, {})
            judgement = Judgement.model_validate(one.value)
            if said:
                self._verdicts[decide(list(said.values()), []).verdict] -= 1
            said[verifier.id] = judgement.model_copy(
                update={"verifier": verifier.id}
            )  # one slot each, named by us (V6)
            self._verdicts[decide(list(said.values()), []).verdict] += 1

    def _unit(self, finding: Finding, verifier: Verifier) -> Unit:
        seen = blind(finding)
        body = seen.model_dump_json(exclude_defaults=True)
        mechanism = self._desk.execution if verifier.executes else ""
        if self._desk.models and self._asks(verifier):
            # Readers may hand in programs, which are run where there is a sandbox.
            mechanism = f"{self._desk.models.specs[1]} {self._desk.sandbox.mechanism if self._desk.sandbox else ''}"
        order = self._desk.order
        key = sha256(
            "\0".join(
                ("verdict", order.code, self._digest, verifier.id, verifier.version, mechanism, str(order.seed), body)
            )
        )
        payload: JsonValue = {"verifier": verifier.id, "finding": seen.model_dump(mode="json", exclude_defaults=True)}
        if self._asks(verifier):
            return Unit(f"{NAME}/{verifier.id}/{finding.fingerprint}", key, payload, finding.id, ASKING_SECONDS)
        if verifier.executes:
            return Unit(f"{NAME}/{verifier.id}/{finding.fingerprint}", key, payload, finding.id, EXECUTING_SECONDS)
        return Unit(f"{NAME}/{verifier.id}/{finding.fingerprint}", key, payload, finding.path, READING_SECONDS)

    def _asks(self, verifier: Verifier) -> bool:
        return self._desk.models is not None and verifier is self._desk.models.verifier

    def _note(self) -> str:
        shown = (Verdict.CONFIRMED, Verdict.UNCERTAIN, Verdict.DISMISSED)
        return ", ".join(f"{self._verdicts[v]} {v.value.lower()}" for v in shown)


def blind(finding: Finding) -> Finding:
    """What a verifier sees: the place, the scenario and typed facts; not who raised it, how often, or the proposed fix."""
    return finding.model_copy(update={"id": "0000", "auditors": (), "dimension": (), "fix": ""})


def _decided(said: Iterable[Judgement]) -> bool:
    """By mechanics: what code can decide is decided before a token is spent."""
    return any(j.verdict in (Verdict.CONFIRMED, Verdict.DISMISSED) for j in said)


def _open(said: Iterable[Judgement]) -> bool:
    return not any(j.verdict is Verdict.DISMISSED for j in said)


def _gravest(
    desk: Desk, pairs: Sequence[tuple[Finding, Verifier]], undecided: Collection[str]
) -> list[tuple[Finding, Verifier]]:
    """By severity; among equals those that reading could not decide come first."""

    def weight(pair: tuple[Finding, Verifier]) -> tuple[int, bool, str, int, str]:
        f = pair[0]
        return -f.severity.rank, f.fingerprint not in undecided, f.path, f.line, f.fingerprint

    ordered = sorted(pairs, key=weight)
    picked: list[str] = []
    for finding, _ in ordered:
        if finding.fingerprint not in picked and len(picked) < EXECUTED:
            picked.append(finding.fingerprint)
    left_out = len({f.fingerprint for f, _ in ordered}) - len(picked)
    if left_out:
        desk.warn(f"{left_out} findings were not executed: the {EXECUTED} gravest were; their verdicts rest on reading")
    return [pair for pair in ordered if pair[0].fingerprint in picked]


def decide(judgements: Sequence[Judgement], failures: Sequence[Failure]) -> Judgement:
    """The deciding judgement: the strongest tier that decided. Equal tiers that disagree decide nothing.

    With no decision, a verifier that failed leaves UNVERIFIED; otherwise UNCERTAIN, at E1, also when nobody knew the kind.
    """
    decisive = [j for j in judgements if j.verdict in (Verdict.CONFIRMED, Verdict.DISMISSED) and j.tier.rank >= 2]
    if decisive:
        strongest = max(j.tier.rank for j in decisive)
        top = [j for j in decisive if j.tier.rank == strongest]
        if len({j.verdict for j in top}) == 1:
            return top[0]
        reason = "verifiers of equal strength disagree: " + "; ".join(f"{j.verifier}: {j.reason}" for j in top)
        return Judgement(verifier=top[0].verifier, verdict=Verdict.UNCERTAIN, tier=Tier.E1, reason=reason)
    if failures:
        reason = "; ".join(f"{f.verifier} gave no answer: {f.reason}" for f in failures)
        return Judgement(verifier=failures[0].verifier, verdict=Verdict.UNVERIFIED, tier=Tier.E1, reason=reason)
    looked = [j for j in judgements if j.verifier != "cited"]
    if looked:
        return Judgement(
            verifier=looked[-1].verifier, verdict=Verdict.UNCERTAIN, tier=Tier.E1, reason=looked[-1].reason
        )
    return Judgement(
        verifier="none", verdict=Verdict.UNCERTAIN, tier=Tier.E1, reason="no verifier knows this kind of claim"
    )


def _judged(finding: Finding, judgements: list[Judgement], failures: list[Failure], unexecuted: bool) -> Finding:
    last = decide(judgements, failures)
    if last.verifier == "none" and unexecuted:
        last = last.model_copy(update={"reason": f"not executed: only the {EXECUTED} gravest findings are"})
    return finding.model_copy(
        update={
            "verdict": last.verdict,
            "tier": last.tier,
            "reason": last.reason,
            "evidence": tuple(e for j in judgements for e in j.evidence),
            "judgements": tuple(judgements),
        }
    )


def _split(finding: Finding) -> bool:
    return finding.verdict is Verdict.UNCERTAIN and any(
        e.kind == DISAGREEMENT for j in finding.judgements for e in j.evidence
    )


def _note_troubles(desk: Desk, findings: Sequence[Finding], failures: Sequence[Failure]) -> None:
    open_ones = sum(f.verdict is Verdict.UNVERIFIED for f in findings)
    if open_ones:
        desk.troubles.append(f"{open_ones} of {len(findings)} findings are unverified")
    least = desk.order.fail_on
    split = [f for f in findings if least and f.severity.rank >= least.rank and _split(f)]
    if split:  # it would stop a merge if it stands, and nobody knows whether it does: a person has to look
        places = ", ".join(f"{f.path}:{f.line}" for f in split[:5])
        desk.troubles.append(f"readers disagree about {len(split)} findings at or above {least} ({places})")
    decided = {f.id for f in findings if f.verdict is not Verdict.UNVERIFIED}
    broken = [f for f in failures if f.finding in decided and not f.reason.startswith("no sandbox")]
    if broken:
        desk.troubles.append(f"{len(broken)} further verifications failed ({broken[0].verifier}: {broken[0].reason})")
