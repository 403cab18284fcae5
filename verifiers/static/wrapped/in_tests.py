"""Tests that cannot fail: what can still make this one fail?"""

import ast

from harness.schema.finding import Finding
from harness.source.project import Project
from verifiers.static.locate import module_of
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands
from verifiers.static.wrapped.sites import FUNCTIONS, keyword, site


def text_asserted(finding: Finding, project: Project) -> Ruling:
    """PLW0129: a non-empty text is asserted."""
    found = site(finding, project, ast.Assert)
    if found is None or not isinstance(found.node, ast.Assert):
        return cannot_tell("there is no assertion at this place")
    module, node = found
    text = node.test
    if isinstance(text, ast.Constant) and isinstance(text.value, str) and text.value:
        return stands("a literal text is asserted, and it is not empty", kind="constant", at=(module.location(node),))
    if isinstance(text, ast.JoinedStr) and any(isinstance(v, ast.Constant) and v.value for v in text.values):
        return stands("a text with fixed parts is asserted", kind="constant", at=(module.location(node),))
    return falls("the text may be empty", kind="constant", at=(module.location(node),))


def after_the_raise(finding: Finding, project: Project) -> Ruling:
    """PT012: confirms an assertion behind the only call of a raises block; dismisses blocks without assertions."""
    found = site(finding, project, ast.With, ast.AsyncWith)
    if found is None:
        return cannot_tell("there is no with statement at this place")
    module, block = found
    assert isinstance(block, ast.With | ast.AsyncWith)
    place = (module.location(block),)
    checks = [n for n, s in enumerate(block.body) if isinstance(s, ast.Assert)]
    if not checks:
        return falls("the block holds no assertion, so nothing is left unchecked", kind="syntax", at=place)
    first, last = block.body[0], block.body[checks[-1]]
    if checks == [len(block.body) - 1] and len(block.body) == 2 and _calls(first) and not _calls(last):
        return stands(
            f"the call in line {first.lineno} raises, and the assertion in line {last.lineno} is never run",
            kind="unreachable",
            at=(module.location(first), module.location(last)),
        )
    return cannot_tell("which statement of the block raises is not known")


def _calls(node: ast.AST) -> bool:
    return any(isinstance(n, ast.Call) for n in ast.walk(node))


def same_case(finding: Finding, project: Project) -> Ruling:
    """PT014: compares the cases of the table with each other."""
    module = module_of(finding, project)
    if module is None:
        return cannot_tell("the module does not parse")
    around = [c for c in module.nodes(ast.Call) if c.lineno <= finding.line <= (c.end_lineno or c.lineno)]
    tables = [c for c in around if (module.resolve(c.func) or "").endswith("mark.parametrize")]
    if not tables:
        return cannot_tell("there is no table of cases at this place")
    call = tables[-1]
    table = call.args[1] if len(call.args) > 1 else keyword(call, "argvalues")
    if not isinstance(table, ast.List | ast.Tuple):
        return cannot_tell("the table is no literal")
    seen: dict[str, ast.expr] = {}
    for case in table.elts:
        if any(isinstance(n, ast.Call | ast.Lambda) for n in ast.walk(case)):
            continue
        text = ast.dump(case)
        if text in seen:
            return stands(
                f"lines {seen[text].lineno} and {case.lineno} are the same case",
                kind="constant",
                at=(module.location(seen[text]), module.location(case)),
            )
        seen[text] = case
    return falls("no two cases of the table are the same", kind="constant", at=(module.location(call),))


def mark_on_fixture(finding: Finding, project: Project) -> Ruling:
    """PT025: the function is a fixture and carries the mark."""
    found = site(finding, project, *FUNCTIONS, ast.Attribute, ast.Call)
    if found is None:
        return cannot_tell("there is no function at this place")
    module, node = found
    function = (
        node
        if isinstance(node, FUNCTIONS)
        else next((u for u in module.ancestors(node) if isinstance(u, FUNCTIONS)), None)
    )
    if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
        return cannot_tell("there is no function at this place")
    names = [module.resolve(d.func if isinstance(d, ast.Call) else d) or "" for d in function.decorator_list]
    if "pytest.fixture" in names and any(name.endswith("mark.usefixtures") for name in names):
        return stands("pytest ignores marks on fixtures", kind="definition", at=(module.location(function),))
    return cannot_tell("the function is not known to be a fixture")
