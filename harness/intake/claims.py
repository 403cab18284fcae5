"""Results of a log, and findings of a report of ours, as claims about one revision."""

import contextlib
from collections.abc import Iterator
from typing import NamedTuple

from pydantic import ValidationError

from harness.intake.anchor import anchored, module_at, symbol_at
from harness.intake.kinds import candidates, told
from harness.intake.paths import Paths, Refused, is_record_path
from harness.intake.places import Place, placed
from harness.intake.result import Region, Result
from harness.schema.finding import Claim, Finding, Severity
from harness.schema.location import Location, RelatedLocation
from harness.source.project import Project

RELATED = 60
"""Other places kept of a claim."""
NOWHERE = Location(path="(no file)", line=1, end_line=1)
"""Of a claim that names no place; no file of a revision is called so."""


class Brought(NamedTuple):
    """A claim from elsewhere."""

    claim: Claim
    tool: str
    origin: str
    """Its place in the file: `run/result`, or the fingerprint of a finding of ours."""
    refusal: str = ""
    """Why it cannot be looked at, '' when it can."""


def from_results(results: list[Result], project: Project) -> Iterator[Brought]:
    """One claim a result, in order. What cannot be placed comes with the reason."""
    uris = [r.uri for one in results for r in (one.place, *one.flow, *one.related) if r is not None and r.uri]
    paths = Paths(uris, project.tree.origin or project.tree.root, project.entries)
    order = sorted(range(len(results)), key=lambda n: _uri(results[n]))
    made: dict[int, Brought] = {}
    maker = _Maker(project, paths, _Lines(project))
    for n in order:  # file by file, so that few files are held at once
        made[n] = maker.brought(results[n])
    yield from (made[n] for n in range(len(results)))


def from_findings(findings: tuple[Finding, ...], tool: str) -> Iterator[Brought]:
    """One claim a finding; what was said of it is left behind, so that it is looked at afresh.

    Its facts are kept: they are what our auditor read from the code, or what somebody who forged a report wrote. So a
    report is as good as where it comes from; a forged one can only deceive about the findings in it.
    """
    for f in findings:
        claim = Claim(
            rule=f.rule, severity=f.severity, location=f.location, quote=f.quote, scenario=f.scenario, fix=f.fix,
            symbol=f.symbol, cwe=f.cwe, kind=f.kind, facts=f.facts, related=f.related, absence=f.absence,
        )  # fmt: skip
        yield _own(claim, tool, f.fingerprint)


def _own(claim: Claim, tool: str, origin: str) -> Brought:
    """A claim that came as one of ours, unless its place is none that we write."""
    at = claim.location
    sound = at.line >= 1 and at.end_line >= 1 and at.column >= 1 and is_record_path(at.path)
    claim = claim.model_copy(update={"dimension": tool, "location": at if sound else NOWHERE})
    return Brought(claim, tool, origin, "" if sound else "its place is none that a report of ours can hold")


def _uri(result: Result) -> str:
    return result.place.uri if result.place else ""


class _Lines:
    """Lines of the file asked for last."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._path = ""
        self._held: list[str] = []

    def of(self, path: str) -> list[str]:
        if path != self._path:
            known = path in self._project.entries and self._project.entries[path].language != "binary"
            self._path, self._held = path, self._project.lines(path) if known else []
        return self._held


class _Maker:
    """Makes the claim of one result."""

    def __init__(self, project: Project, paths: Paths, lines: _Lines) -> None:
        self._project = project
        self._paths = paths
        self._lines = lines

    def brought(self, result: Result) -> Brought:
        if result.claim is not None and not result.aside:
            with contextlib.suppress(ValidationError):  # then it is a result like any other
                return _own(Claim.model_validate(result.claim), result.tool, result.origin)
        place, refusal = Place(NOWHERE, ""), result.aside
        if not refusal:
            try:
                place, refusal = self._place(result)
            except Refused as error:
                refusal = str(error)
            except (OSError, ValueError) as error:
                refusal = f"its place cannot be read: {error}"
        claim = Claim(
            rule=f"{result.tool}:{result.rule or 'unnamed'}", dimension=result.tool, severity=result.severity,
            location=place.location, quote=place.quote, scenario=result.message, fix=result.fix,
            cwe=result.cwes[0] if result.cwes else None,
        )  # fmt: skip
        if refusal:
            return Brought(claim, result.tool, result.origin, refusal)
        return Brought(self._typed(claim, result), result.tool, result.origin)

    def _place(self, result: Result) -> tuple[Place, str]:
        if result.place is None:
            raise Refused("the result names no place")
        path = self._paths.path(result.place.uri)
        lines = self._lines.of(path)
        place = placed(result.place, path, lines, utf16=result.utf16)
        if path not in self._project.entries:
            return place, self._why_absent(path)
        if place.location.line > len(lines):
            return place, f"{path} has {len(lines)} lines, the result is about line {place.location.line}"
        return place, ""

    def _why_absent(self, path: str) -> str:
        for skip in self._project.tree.excluded:
            if skip.path == path or (skip.path.endswith("/") and path.startswith(skip.path)):
                return f"{path} is out of scope: {skip.reason}"
        return f"{path} is not a file of the audited revision"

    def _typed(self, claim: Claim, result: Result) -> Claim:
        related = self._related(result, claim.location)
        module = module_at(self._project, claim.location.path)
        symbol = symbol_at(module, claim.location.line) if module else None
        start = next((r.location for r in related if r.role == "source"), None)
        claim = claim.model_copy(update={"facts": told(result.tool, result.cwes)})
        found = anchored(candidates(result.tool, result.rule, result.cwes), claim.location, start, self._project)
        if found is None or claim.quote != self._lines.of(claim.location.path)[claim.location.line - 1].strip():
            return claim.model_copy(update={"related": related, "symbol": symbol})
        if found.source and start is None:
            related = (RelatedLocation(role="source", location=found.source), *related)
        severity = Severity.HIGH if found.facts and result.tool == "ruff" else claim.severity  # it has no severities
        line = self._lines.of(claim.location.path)[found.location.line - 1]
        return claim.model_copy(
            update={"related": related, "symbol": symbol, "location": found.location, "quote": line.strip(),
                    "kind": found.kind, "facts": claim.facts | found.facts, "severity": severity}
        )  # fmt: skip

    def _related(self, result: Result, at: Location) -> tuple[RelatedLocation, ...]:
        found: list[RelatedLocation] = []
        last = len(result.flow) - 1
        for n, region in enumerate(result.flow):
            role = "source" if n == 0 else "sink" if n == last else "step"
            found += self._place_beside(region, role, result)
        for region in result.related:
            found += self._place_beside(region, "related", result)
        unique = {(r.role, r.location): r for r in found if (r.location.path, r.location.line) != (at.path, at.line)}
        return tuple(unique.values())[:RELATED]

    def _place_beside(self, region: Region, role: str, result: Result) -> Iterator[RelatedLocation]:
        try:
            path = self._paths.path(region.uri)
            if path not in self._project.entries:
                return
            lines = self._project.lines(path)
        except (Refused, OSError):
            return
        location = placed(region, path, lines, utf16=result.utf16).location
        if location.line <= len(lines):
            yield RelatedLocation(role=role, location=location, message=region.message)
