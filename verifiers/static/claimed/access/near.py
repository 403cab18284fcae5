"""A claim at the edge of a function may be about the one beside it: people and models point nearby."""

from harness.intake.anchor import CLOSE
from harness.schema.finding import Finding
from harness.schema.verdict import Verdict
from harness.source.module import Module
from harness.source.project import Project
from verifiers.static.claimed.access.subject import module_of, subject_at
from verifiers.static.ruling import Falsifier, Ruling, cannot_tell


def near(falsifier: Falsifier) -> Falsifier:
    """`falsifier`, asked of the functions within a few lines too.

    A line without code is about what follows it. A claim is not dismissed for the function at its line while the same claim
    holds for the one that begins or ends within a few lines.
    """

    def falsify(finding: Finding, project: Project) -> Ruling:
        ruling = falsifier(finding, project)
        module = module_of(finding, project)
        here = subject_at(module, finding.line) if module is not None else None
        empty = module is not None and here is None and _empty(module, finding.line)
        if module is None or not (empty or (here is not None and ruling.verdict is Verdict.DISMISSED)):
            return ruling
        after = None
        for distance in (1, 2, 3, -1, -2, -3)[: 2 * CLOSE]:
            line = finding.line + distance
            other = subject_at(module, line) if line > 0 else None
            if other is None or (here is not None and other.node is here.node):
                continue
            beside = falsifier(finding.model_copy(update={"line": line, "end_line": line}), project)
            if beside.verdict is Verdict.CONFIRMED:
                return (
                    beside
                    if empty
                    else cannot_tell(f"not here, but it may be about the function beside it: {beside.reason}")
                )
            after = after or (beside if empty and distance > 0 else None)
        return after or ruling

    return falsify


def _empty(module: Module, line: int) -> bool:
    """Whether the line holds no code, or the head of a class."""
    text = module.line_text(line)
    return not text or text.startswith(("#", "class ", "@"))
