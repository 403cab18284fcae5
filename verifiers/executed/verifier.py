"""Dispatch: one template a kind of claim. What none can build is left alone; what breaks is no answer."""

import sys
from collections.abc import Callable
from typing import NamedTuple

from harness.contracts import Bench
from harness.errors import SandboxUnavailable
from harness.sandbox.base import Sandbox
from harness.schema.evidence import Tier
from harness.schema.finding import Finding
from harness.schema.verdict import Judgement, Verdict
from verifiers.executed import command, driven, examples, mutants, race, taint
from verifiers.executed.interpreter import candidates
from verifiers.executed.outcome import Outcome
from verifiers.executed.trial import NoReport

VERSION = "1"


class Template(NamedTuple):
    """One way to build a reproducer."""

    fits: Callable[[Finding], bool]
    """Whether the claim has what it takes; decided from its typed facts alone."""
    reproduce: Callable[[Finding, Bench, Sandbox], Outcome]
    """Build it, run it and its control. Raises NoReport, SandboxUnavailable."""


TEMPLATES: tuple[Template, ...] = (
    Template(taint.fits, taint.reproduce),
    Template(race.fits, race.reproduce),
    Template(command.fits, command.reproduce),
    Template(mutants.fits, mutants.reproduce),
    Template(examples.fits, examples.reproduce),
    Template(driven.fits, driven.reproduce),
)


class ExecutedVerifier:
    """See `harness.contracts.Verifier`."""

    id = "executed"
    executes = True

    @property
    def version(self) -> str:
        """Ours, and the Pythons that reproducers run in: another one may answer differently."""
        return " ".join((VERSION, sys.version.split()[0], *candidates()))

    def handles(self, finding: Finding) -> bool:
        return any(template.fits(finding) for template in TEMPLATES)

    def verify(self, finding: Finding, bench: Bench) -> Judgement:
        if bench.sandbox is None:
            return self._no_answer("no sandbox: nothing of the project is run")
        template = next(t for t in TEMPLATES if t.fits(finding))
        try:
            outcome = template.reproduce(finding, bench, bench.sandbox)
        except (SandboxUnavailable, NoReport) as error:
            return self._no_answer(str(error))
        except Exception as error:  # noqa: BLE001  # a template that breaks has no opinion, and says so
            return self._no_answer(f"the reproducer for {finding.kind} could not be built: {error!r}")
        tier = Tier.E4 if outcome.verdict is Verdict.CONFIRMED else Tier.E1
        return Judgement(
            verifier=self.id, verdict=outcome.verdict, tier=tier, reason=outcome.reason, evidence=outcome.evidence
        )

    def _no_answer(self, reason: str) -> Judgement:
        return Judgement(verifier=self.id, verdict=Verdict.UNVERIFIED, tier=Tier.E1, reason=reason)
