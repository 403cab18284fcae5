"""constant-assertion: evaluates the asserted expression, and asks what the second argument of assertTrue is.

An assertion about literals alone is for `constant_alone`.
"""

import ast

from harness.schema.finding import Finding
from harness.source.project import Project
from verifiers.static.locate import module_of, node_at
from verifiers.static.reading import remark
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands
from verifiers.static.tests.constant_alone import constant_alone


def falsify(finding: Finding, project: Project) -> Ruling:
    """A text or None for the message is dismissed; any other literal there, and a true operand of `or`, is confirmed."""
    module = module_of(finding, project)
    if module is None:
        return cannot_tell("the module cannot be read")
    asserted = node_at(module, finding, ast.Assert)
    call = node_at(module, finding, ast.Call)
    if finding.facts.get("form") == "message":
        if call is None or len(call.args) != 2:
            return cannot_tell("there is no such call at this place")
        try:
            value = ast.literal_eval(call.args[1])
        except (ValueError, TypeError, SyntaxError, MemoryError):
            return cannot_tell("the second argument is computed, and may be a message")
        place = (module.location(call),)
        if isinstance(value, str) or value is None:
            return falls("the second argument is a message", kind="constant", at=place)
        return stands(f"{value!r} is taken for the message and compared with nothing", kind="constant", at=place)
    if finding.facts.get("form") == "constant":
        return constant_alone(module, asserted if asserted is not None else call)
    test = asserted.test if asserted is not None else call.args[0] if call is not None and call.args else None
    if test is None:
        return cannot_tell("there is no assertion at this place")
    place = (module.location(test),)
    if remark(module, test.lineno):
        return cannot_tell("a comment explains it")
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or):
        true = next((v for v in test.values if isinstance(v, ast.Constant) and v.value), None)
        if true is not None and true.value is True:
            return falls("a bare True switches the assertion off deliberately", kind="syntax", at=place)
        if true is None:
            return falls("no operand is always true", kind="constant", at=place)
        return stands(f"{true.value!r} is true, so the whole assertion is", kind="constant", at=place)
    return cannot_tell("the expression has no `or`")
