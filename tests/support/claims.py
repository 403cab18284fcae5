"""Claims made by hand on small projects: the place is where a text stands, the facts are given."""

import ast

from harness.schema.finding import Finding, Severity
from harness.schema.location import RelatedLocation
from harness.source.project import Project


def finding_at(
    project: Project, path: str, text: str, *, kind: str, facts: dict[str, str], source: str = "", within: str = ""
) -> Finding:
    """A finding on the call or statement whose source text is `text`; `source` is the text
    of the expression where data enters, in the function `within`."""
    module = project.module(path)
    nodes = [n for n in ast.walk(module.tree) if module.segment(n) == text]
    if not nodes:
        raise ValueError(f"{path} has no {text!r}")
    at = module.location(nodes[-1])
    related: tuple[RelatedLocation, ...] = ()
    if source:
        function = dict(module.functions)[within] if within else module.tree
        entry = next(n for n in ast.walk(function) if module.segment(n) == source)
        related = (module.related("source", entry),)
    return Finding(
        id="0000", fingerprint=f"{path}:{text}", dimension=("test",), auditors=("test",), rule=kind, cwe=None,
        severity=Severity.HIGH, path=path, line=at.line, end_line=at.end_line, column=at.column,
        end_column=at.end_column, symbol=module.symbol(nodes[-1]), quote=module.line_text(at.line), scenario="s", fix="f",
        kind=kind, facts=facts, related=related,
    )  # fmt: skip
