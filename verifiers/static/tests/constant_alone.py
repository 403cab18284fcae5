"""An assertion about literals alone: does it hold, and is it all that could make its test fail?"""

import ast
import operator
import re
from collections.abc import Callable

from harness.source.module import FunctionNode, Module
from verifiers.static.reading import inside_all, remark, tail
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands
from verifiers.static.tests.cannot_fail import SAMPLES

_NAMED_SO = re.compile(r"import|smoke|load|sanity|dummy|placeholder|example|canary|works|runs|collect|template", re.I)
_ACTING = (
    ast.Call,
    ast.Subscript,
    ast.Attribute,
    ast.Assert,
    ast.Raise,
    ast.Import,
    ast.ImportFrom,
    ast.With,
    ast.Await,
)
_PREPARED = frozenset({"setUp", "setUpClass", "setup_method", "setup_class", "setup", "tearDown"})
_COMPARE: dict[type[ast.cmpop], Callable[..., object]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge, ast.Is: operator.is_, ast.IsNot: operator.is_not,
}  # fmt: skip
_SUMS: dict[type[ast.operator], Callable[..., object]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
}  # fmt: skip
_LARGEST = 10_000


class _Unknown(Exception):
    """The expression is not one of small literals."""


def constant_alone(module: Module, node: ast.Assert | ast.Call | None) -> Ruling:
    """Confirms where nothing else in the test can fail; a marker behind code that may raise stays open."""
    if node is None:
        return cannot_tell("there is no assertion at this place")
    place = (module.location(node),)
    try:
        holds = _holds(node)
    except (_Unknown, TypeError, IndexError):
        return cannot_tell("the expression is more than a comparison of small literals")
    if not holds:
        return falls("it does not hold: whoever gets here fails", kind="constant", at=place)
    if remark(module, node.lineno):
        return cannot_tell("a comment explains it")
    function = module.enclosing_function(node)
    if function is None or not function.name.startswith("test"):
        return cannot_tell("it stands in no test")
    own = set(ast.walk(node))
    if any(isinstance(n, _ACTING) and n not in own for n in inside_all(function.body)):
        return cannot_tell("it may mark that what stands beside it raised nothing")
    if (why := _work_elsewhere(module, function)) is not None:
        return cannot_tell(why)
    return stands("it holds for every program, and nothing else in the test can fail", kind="constant", at=place)


def _work_elsewhere(module: Module, function: FunctionNode) -> str | None:
    arguments = [a.arg for a in (*function.args.args, *function.args.kwonlyargs) if a.arg not in {"self", "cls"}]
    if SAMPLES.search(module.path):
        return "its folder holds samples"
    if function.decorator_list or arguments:
        return "decorators or fixtures may do the work"
    if _NAMED_SO.search(function.name):
        return "its name says that being collected is the test"
    scope = module.parents[function]
    if not isinstance(scope, ast.ClassDef):
        return None
    if any(tail(base) not in {"TestCase", "SimpleTestCase", "object"} for base in scope.bases):
        return "a base class may do the work"
    if any(isinstance(s, ast.FunctionDef | ast.AsyncFunctionDef) and s.name in _PREPARED for s in scope.body):
        return "what prepares it may do the work"
    return None


def _holds(node: ast.Assert | ast.Call) -> bool:
    if isinstance(node, ast.Assert):
        return bool(_value(node.test))
    name, first = tail(node.func), _value(node.args[0])
    if name in {"assertEqual", "assertEquals"}:
        return first == _value(node.args[1])
    answers = {
        "assertTrue": bool(first),
        "assertFalse": not first,
        "assertIsNone": first is None,
        "assertIsNotNone": first is not None,
    }
    if name not in answers:
        raise _Unknown
    return answers[name]


def _value(node: ast.expr) -> object:
    match node:
        case ast.Constant(value=value):
            return value
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return not _value(operand)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_number(operand)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _SUMS:
            return _SUMS[type(op)](_number(left), _number(right))
        case ast.BoolOp(op=op, values=values):
            wanted = isinstance(op, ast.Or)
            return next((v for v in map(_value, values[:-1]) if bool(v) is wanted), _value(values[-1]))
        case ast.Compare(left=left, ops=ops, comparators=comparators) if all(type(o) in _COMPARE for o in ops):
            operands = [_value(left), *map(_value, comparators)]
            return all(_COMPARE[type(o)](a, b) for o, a, b in zip(ops, operands, operands[1:], strict=False))
    raise _Unknown


def _number(node: ast.expr) -> int | float:
    value = _value(node)
    if not isinstance(value, int | float) or abs(value) > _LARGEST:
        raise _Unknown
    return value
