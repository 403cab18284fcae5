"""Claims that say a CWE and a line, on small projects."""

from pathlib import Path

from harness.schema.finding import Finding, Severity
from harness.source.project import Project
from tests.support.trees import project_of
from verifiers.static import claimed
from verifiers.static.ruling import Ruling


def ruled(root: Path, files: dict[str, str], cwe: int, place: str) -> Ruling:
    """The ruling on a claim at the first line of `path` that holds `text`, for a place `path:text`."""
    path, _, text = place.partition(":")
    return ruled_at(project_of(root, files), cwe, path, line_of(files[path], text))


def ruled_at(project: Project, cwe: int, path: str, line: int) -> Ruling:
    """The ruling on a claim at a line."""
    finding = Finding(
        id="0000", fingerprint=f"{path}:{line}", dimension=("told",), auditors=("told",), rule=f"told:CWE-{cwe}", cwe=cwe,
        severity=Severity.HIGH, path=path, line=line, end_line=line, symbol=None, quote="q", scenario="s", fix="f",
        kind=f"told:CWE-{cwe}", facts={"told": f"CWE-{cwe}"},
    )  # fmt: skip
    falsifier = claimed.falsifier(finding)
    if falsifier is None:
        raise ValueError(f"no falsifier for CWE-{cwe}")
    return falsifier(finding, project)


def line_of(text: str, part: str) -> int:
    """Number of the first line that holds `part`."""
    return next(n for n, line in enumerate(text.split("\n"), 1) if part in line)


def places(ruling: Ruling) -> set[str]:
    """`path:line` of everything that decided."""
    return {f"{at.path}:{at.line}" for evidence in ruling.evidence for at in evidence.locations}
