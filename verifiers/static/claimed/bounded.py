"""No ruling on what is too large to be followed, and no dismissal where such a function is called."""

from harness.schema.finding import Finding
from harness.schema.verdict import Verdict
from harness.source.module import FunctionNode, Module
from harness.source.project import Project
from verifiers.static.claimed.flow.spread import spread
from verifiers.static.claimed.size import is_large
from verifiers.static.locate import module_of
from verifiers.static.ruling import Falsifier, Ruling, cannot_tell


def bounded(falsify: Falsifier) -> Falsifier:
    """`falsify`, which is not asked about a place in a large function, nor believed that something is absent from one."""

    def unless_large(finding: Finding, project: Project) -> Ruling:
        entry = project.entries.get(finding.path)
        module = module_of(finding, project) if entry is not None and entry.language == "python" else None
        if module is None:
            return falsify(finding, project)
        around = _around(module, finding.line)
        for function in around:
            if is_large(module, function):
                return cannot_tell(f"`{function.name}` is too large to be followed")
        ruling = falsify(finding, project)
        if ruling.verdict is Verdict.DISMISSED and around and spread(project, module, around[-1]).large:
            return cannot_tell("a function that is called here is too large to be followed")
        return ruling

    return unless_large


def _around(module: Module, line: int) -> list[FunctionNode]:
    """Functions that hold the line, outermost first."""
    return [f for _, f in module.functions if f.lineno <= line <= (f.end_lineno or f.lineno)]
