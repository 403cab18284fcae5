"""What was planted in a project, and which findings of a report are about it."""

import tomllib
from pathlib import Path
from typing import Any, NamedTuple


class Defect(NamedTuple):
    """One planted defect: any finding in one of these places is taken to be about it."""

    name: str
    paths: frozenset[str]
    first: int
    last: int

    def is_about(self, finding: dict[str, Any]) -> bool:
        """Whether a finding of the JSON report stands where this defect is."""
        if finding["path"] not in self.paths:
            return False
        main = next(iter(sorted(self.paths)), "")
        return len(self.paths) > 1 or (finding["path"] == main and self.first <= finding["line"] <= self.last)


def planted(folder: Path) -> list[Defect]:
    """The defects of `truth.toml`."""
    document = tomllib.loads((folder / "truth.toml").read_text("utf-8"))
    return [
        Defect(d["name"], frozenset([d["path"], *d.get("also", [])]), d["lines"][0], d["lines"][1])
        for d in document["defect"]
    ]


def found(folder: Path, report: dict[str, Any], verdicts: frozenset[str]) -> list[str]:
    """Names of planted defects that a finding of a model with one of these verdicts is about."""
    findings = [f for f in report["findings"] if f["verdict"] in verdicts and any(a == "model" for a in f["auditors"])]
    return [d.name for d in planted(folder) if any(d.is_about(f) for f in findings)]
