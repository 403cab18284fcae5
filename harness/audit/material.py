"""The findings made elsewhere that a run verifies: kept with the run, so that it can be resumed without the file."""

from collections.abc import Iterator
from functools import cached_property

from pydantic import JsonValue

from harness.audit.order import Order
from harness.errors import JournalFailed
from harness.files import sha256, write_atomic
from harness.intake import claims, document, sarif
from harness.intake.claims import Brought
from harness.intake.result import Result
from harness.schema.finding import Finding
from harness.schema.verdict import Verdict
from harness.source.project import Project
from harness.state import RunFolder

OURS = "harness"
"""The tool of our own reports."""
MOST = 20_000
"""Results of one file that are looked at."""


def keep(folder: RunFolder, data: bytes) -> str:
    """Store the file with the run; its digest, for the order."""
    write_atomic(folder.imported, data, mode=0o600)
    return sha256(data)


def read(folder: RunFolder, order: Order) -> "Material":
    """What was stored. Raises JournalFailed when it is gone or was changed."""
    try:
        data = folder.imported.read_bytes()
    except OSError as error:
        raise JournalFailed(f"the findings of run {folder.id} are gone: {error}", hint="Start it again.") from error
    if sha256(data) != order.imported:
        raise JournalFailed(f"the findings of run {folder.id} were changed since", hint="Start it again.")
    return Material(document.read(data, "the file"), recheck=order.recheck)


class Material:
    """The findings of one file; of a recheck only those that were CONFIRMED, where the file says which were."""

    def __init__(self, found: document.Document, *, recheck: bool) -> None:
        self._document = found
        self._recheck = recheck

    @cached_property
    def _results(self) -> list[Result]:
        known = list(sarif.results(self._document.sarif)) if self._document.sarif is not None else []
        if not self._recheck:
            return known
        judged = any(one.verdict for one in known)
        return [one for one in known if not one.aside and (not judged or one.verdict == Verdict.CONFIRMED)]

    @cached_property
    def _findings(self) -> tuple[Finding, ...]:
        known = self._document.report.findings if self._document.report is not None else ()
        return tuple(f for f in known if not self._recheck or f.verdict is Verdict.CONFIRMED)

    @property
    def log(self) -> dict[str, JsonValue] | None:
        """The SARIF log, None for a report of ours."""
        return self._document.sarif

    @property
    def count(self) -> int:
        """Findings in it."""
        return len(self._results) + len(self._findings)

    @property
    def tools(self) -> frozenset[str]:
        """Names of those who found them."""
        return frozenset(one.tool for one in self._results) | ({OURS} if self._findings else set())

    @property
    def rules(self) -> frozenset[str]:
        """Rules of ours, by id."""
        return frozenset(f.rule for f in self._findings)

    def brought(self, project: Project) -> Iterator[Brought]:
        """A claim each, in order, at most `MOST`."""
        yield from claims.from_results(self._results[:MOST], project)
        yield from claims.from_findings(self._findings[:MOST], OURS)
