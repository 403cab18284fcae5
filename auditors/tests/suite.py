"""The lane that runs the project's tests: all of them once, measured, and then a few on changed code.

One auditor for both rules, so that a suite that is slow, broken or lacks its dependencies costs its time once.
"""

import time
from collections.abc import Iterator

from auditors.tests import coverage, mutants
from auditors.tests.running import CannotRun, Copy, credible, seconds_for
from harness.contracts import Bench
from harness.errors import SandboxUnavailable
from harness.schema.finding import Claim
from harness.schema.run import Skip


class SuiteAuditor:
    """See `harness.contracts.Auditor`."""

    id = "tests-run"
    group = "tests"
    version = "1"
    rules = (coverage.RULE, mutants.RULE)
    executes = True

    def wants(self, language: str) -> bool:
        return language == "python"

    def audit(self, bench: Bench) -> Iterator[Claim | Skip]:
        """What no test reaches, then what no test notices, within the seconds that the project's size gives."""
        if bench.sandbox is None:
            yield Skip(path=".", reason="no sandbox: the tests are not run")
            return
        until = time.monotonic() + (seconds := seconds_for(bench.project))
        targets = mutants.targets_of(bench.project)
        try:
            with Copy(bench.project, bench.sandbox, bench.python) as copy:
                base = credible(copy.run(wall_s=seconds, measure=True, ranges=[t.place for t in targets]))
                yield from coverage.unreached(bench.project, base)
                yield from mutants.survivors(bench.project, copy, base, targets, until)
        except (CannotRun, SandboxUnavailable) as error:
            advice = f"; {bench.advice}" if bench.advice else ""
            yield Skip(path=".", reason=f"the tests cannot be run here: {error}{advice}")
