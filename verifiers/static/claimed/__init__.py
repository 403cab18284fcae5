"""Falsifiers for claims made elsewhere that say what they claim by place and CWE alone.

Such a claim points near its defect: at the head of the function, at the line before the call, at a decorator. These look in
the function around the place (and what it calls), and decide what the code there shows.
"""

from harness.schema.finding import Finding
from verifiers.static.claimed import access, flow, output, setting
from verifiers.static.claimed.bounded import bounded
from verifiers.static.ruling import Falsifier

FALSIFIERS: dict[int, Falsifier] = {
    **{cwe: bounded(f) for cwe, f in (flow.FALSIFIERS | output.FALSIFIERS | access.FALSIFIERS).items()},
    **setting.FALSIFIERS,
}
"""By CWE."""


def falsifier(finding: Finding) -> Falsifier | None:
    """The falsifier of a claim that was told by its CWE, None for other claims."""
    told = finding.facts.get("told", "").removeprefix("CWE-")
    return FALSIFIERS.get(int(told)) if told.isdecimal() else None
