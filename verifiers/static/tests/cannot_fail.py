"""test-cannot-fail: does anything in the test, its decorators or its fixtures still decide about it?"""

import ast

from harness.schema.finding import Finding
from harness.source.project import Project
from verifiers.static.locate import module_of, node_at
from verifiers.static.reading import inside, inside_all, remark
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands


def falsify(finding: Finding, project: Project) -> Ruling:
    """A comparison whose evaluation alone is the test (an operator that must raise) is dismissed."""
    module = module_of(finding, project)
    if module is None:
        return cannot_tell("the module cannot be read")
    if finding.facts.get("form") == "comparison":
        compare = node_at(module, finding, ast.Compare)
        if compare is None:
            return cannot_tell("there is no comparison at this place")
        place = (module.location(compare),)
        for up in module.ancestors(compare):
            if isinstance(up, ast.With | ast.AsyncWith):
                names = {n.attr if isinstance(n, ast.Attribute) else n.id for i in up.items for n in ast.walk(i.context_expr)
                         if isinstance(n, ast.Attribute | ast.Name)}  # fmt: skip
                if any("raises" in n.lower() or "warn" in n.lower() or n.startswith("assert") for n in names):
                    return falls("evaluating the comparison is expected to raise or warn", kind="guard", at=place)
            if isinstance(up, ast.Try):
                return falls("evaluating the comparison is expected to raise", kind="guard", at=place)
        if remark(module, compare.lineno) or not isinstance(compare.ops[0], ast.Eq | ast.Is | ast.In):
            return cannot_tell("the comparison may be evaluated for its effect")
        return stands("the result of the comparison is thrown away", kind="syntax", at=place)
    function = next((f for _, f in module.functions if f.lineno == finding.line), None)
    if function is None:
        return cannot_tell("there is no test at this place")
    place = (module.location(function),)
    if function.decorator_list or len(function.args.args) > 1:
        return cannot_tell("decorators or fixtures may do the work")
    acting = (
        ast.Call,
        ast.Subscript,
        ast.Assert,
        ast.Raise,
        ast.Import,
        ast.ImportFrom,
        ast.Delete,
        ast.Attribute,
        ast.With,
    )
    if any(isinstance(n, acting) for n in inside_all(function.body)):
        return falls("something in it can raise", kind="syntax", at=place)
    if any(isinstance(n, ast.FunctionDef | ast.ClassDef) for s in function.body for n in inside(s)):
        return cannot_tell("it defines something, which may be the test")
    if remark(module, function.lineno, function.end_lineno):
        return cannot_tell("a comment explains it")
    documented = ast.get_docstring(function) is not None
    return (
        cannot_tell("its docstring may explain it")
        if documented
        else stands("nothing in it can raise", kind="syntax", at=place)
    )
