"""How a rule of the language becomes a falsifier: find the node again, then apply the rule to it alone."""

import ast
from collections.abc import Callable

from harness.schema.finding import Finding
from harness.source.module import Module
from harness.source.project import Project
from verifiers.static.ruling import Falsifier, Ruling, cannot_tell, stands
from verifiers.static.wrapped.sites import site

Look = Callable[[Module, ast.AST], Ruling | str | None]
"""A ruling, or the sentence that says why the claim stands, or None when the node is not what the claim needs."""


def applied(look: Look, *types: type[ast.AST]) -> Falsifier:
    """A falsifier that applies `look` to the node of one of `types` at the finding's place."""

    def falsify(finding: Finding, project: Project) -> Ruling:
        found = site(finding, project, *types)
        if found is None:
            return cannot_tell("there is no such statement at this place")
        answer = look(found.module, found.node)
        place = (found.module.location(found.node),)
        if isinstance(answer, Ruling):
            return answer
        if answer is None:
            return cannot_tell("the statement can mean what it says")
        return stands(answer, kind="syntax", at=place)

    return falsify
