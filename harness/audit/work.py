"""What a worker does with a task: run one auditor, or put one finding to one verifier. JSON in, JSON out.

A task is a list of units; each has its own answer, `{"value": ...}` or `{"error": ...}`, so that one broken unit costs
the others nothing.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from pydantic import JsonValue

from harness.contracts import Auditor, Bench, Verifier
from harness.errors import LaneFailed
from harness.schema.finding import Claim, Finding
from harness.schema.run import Skip
from harness.schema.verdict import Verdict

CLAIM_CHARACTERS = 16 << 20
"""Text of all claims of a lane; more is a broken auditor, and would not fit a row of the journal."""


@dataclass(frozen=True)
class AuditWork:
    """`harness.workers.Work` of an audit. Picklable where processes are spawned; inherited where they are forked."""

    bench: Bench
    auditors: tuple[Auditor, ...]
    verifiers: tuple[Verifier, ...]

    def __call__(self, payload: JsonValue) -> JsonValue:
        if not isinstance(payload, list):
            raise TypeError("a task is a list of units")
        answers: list[JsonValue] = []
        for number, unit in enumerate(payload):
            same = number and unit == payload[number - 1]  # one auditor at work for two dimensions
            answers.append(answers[-1] if same else self._answer(unit))
        return answers

    def _answer(self, unit: JsonValue) -> JsonValue:
        try:
            if not isinstance(unit, dict):
                raise TypeError("a unit is an object")
            if "auditor" in unit:
                return {"value": self._audit(str(unit["auditor"]))}
            return {"value": self._verify(str(unit["verifier"]), Finding.model_validate(unit["finding"]))}
        except Exception as error:  # noqa: BLE001  # the boundary: whatever a plug-in raises is this unit's failure
            return {"error": str(error) or repr(error)}

    def _audit(self, name: str) -> JsonValue:
        auditor = next(a for a in self.auditors if a.id == name)
        return raised(auditor.audit(self.bench))

    def _verify(self, name: str, finding: Finding) -> JsonValue:
        return judged(next(v for v in self.verifiers if v.id == name), finding, self.bench)


def raised(items: Iterable[Claim | Skip]) -> JsonValue:
    """What an auditor yields, as JSON. Raises LaneFailed when it is more than `CLAIM_CHARACTERS`."""
    claims: list[JsonValue] = []
    skips: list[JsonValue] = []
    size = 0
    for item in items:
        match item:
            case Claim():
                size += len(item.quote) + len(item.scenario) + len(item.fix)
                if size > CLAIM_CHARACTERS:
                    raise LaneFailed(f"it raised more than anybody can read: {len(claims)} claims, {size >> 20} MB")
                claims.append(item.model_dump(mode="json", exclude_defaults=True))
            case Skip():
                skips.append(item.model_dump(mode="json"))
    return {"claims": claims, "skips": skips}


def judged(verifier: Verifier, finding: Finding, bench: Bench) -> JsonValue:
    """What a verifier says, as JSON. Raises RuntimeError when it says nothing, or decides without evidence."""
    judgement = verifier.verify(finding, bench)
    if judgement.verdict is Verdict.UNVERIFIED:
        raise RuntimeError(judgement.reason)
    if judgement.verdict is not Verdict.UNCERTAIN and not judgement.evidence:
        raise RuntimeError(f"{verifier.id} decided {judgement.verdict} without evidence, which counts for nothing")
    return judgement.model_dump(mode="json", exclude_defaults=True)
