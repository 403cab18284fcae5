"""What a module says of its names and places."""

import ast

import pytest

from harness.schema.location import Location
from harness.source.module import Module


def expression(module: Module, text: str) -> ast.expr:
    return next(n for n in ast.walk(module.tree) if isinstance(n, ast.expr) and module.segment(n) == text)


@pytest.mark.parametrize(
    ("path", "statement", "name", "target"),
    [
        ("a.py", "import os", "os", "os"),
        ("a.py", "import os.path", "os", "os"),
        ("a.py", "import os.path as p", "p", "os.path"),
        ("a.py", "from os import path as p", "p", "os.path"),
        ("pkg/a.py", "from . import b", "b", "pkg.b"),
        ("pkg/a.py", "from .b import c", "c", "pkg.b.c"),
        ("pkg/sub/a.py", "from ..b import c", "c", "pkg.b.c"),
        ("pkg/sub/__init__.py", "from .b import c", "c", "pkg.sub.b.c"),
        ("src/pkg/a.py", "from .b import c", "c", "pkg.b.c"),
        ("a.py", "def f():\n    from x import y", "y", "x.y"),
    ],
)
def test_imports_are_made_absolute(path: str, statement: str, name: str, target: str) -> None:
    assert Module(path, statement).imports == {name: target}


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("a.py", "a"),
        ("pkg/__init__.py", "pkg"),
        ("pkg/b.py", "pkg.b"),
        ("src/pkg/b.py", "pkg.b"),
        ("setup.py", "setup"),
    ],
)
def test_a_module_is_named_by_its_path(path: str, name: str) -> None:
    assert Module(path, "").name == name


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("request.args.get", "flask.request.args.get"),
        ("helper", "pkg.mod.helper"),
        ("LIMIT.real", "pkg.mod.LIMIT.real"),
        ("Alias", "pkg.mod.Alias"),
        ("self.x", "self.x"),
        ("len", "len"),
        ("f().name", None),
        ("items[0].name", None),
    ],
)
def test_names_are_resolved_through_imports_and_definitions(text: str, expected: str | None) -> None:
    source = (
        "from flask import request\nLIMIT: int = 3\ntype Alias = int\n"
        f"def helper(): pass\nclass A:\n    def m(self, items):\n        return ({text})\n"
    )
    module = Module("pkg/mod.py", source)
    (returned,) = module.nodes(ast.Return)
    assert returned.value is not None
    assert module.resolve(returned.value) == expected


def test_places_count_characters() -> None:
    module = Module("a.py", "x = 'é🙂' + call(\n  'é', y)\n")
    (call,) = module.nodes(ast.Call)
    assert module.location(call) == Location(path="a.py", line=1, end_line=2, column=12, end_column=10)
    assert module.segment(call) == "call(\n  'é', y)"
    assert module.segment(module.tree) == ""


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_lines_are_those_of_the_parser(newline: str) -> None:
    module = Module("a.py", newline.join(["x = '\x0c\u2028'", "", "y = f'{x['k']}'", ""]))
    (subscript,) = module.nodes(ast.Subscript)
    assert module.location(subscript).line == 3
    assert module.line_text(3) == "y = f'{x['k']}'"
    assert module.segment(subscript) == "x['k']"


def test_functions_and_classes_stand_on_their_own_line() -> None:
    module = Module("a.py", "@deco\nclass A:\n    @deco\n    async def m(self):\n        lambda: f()\n")
    (cls,), (method,) = module.nodes(ast.ClassDef), module.nodes(ast.AsyncFunctionDef)
    assert module.location(cls) == Location(path="a.py", line=2, end_line=2)
    assert module.location(method) == Location(path="a.py", line=4, end_line=4, column=5)
    (call,) = module.nodes(ast.Call)
    assert module.symbol(call) == module.qualname(method) == "A.m"
    assert module.symbol(module.nodes(ast.Expr)[0]) == "A.m"
    assert module.symbol(cls.decorator_list[0]) == "A"
    assert module.enclosing_function(call) is method
    assert module.statement(call) is method.body[0]


def test_nodes_come_in_source_order_with_their_parents() -> None:
    module = Module("a.py", "a(b(c), d)\nif x: e()\n")
    assert [ast.unparse(n) for n in module.nodes(ast.Call)] == ["a(b(c), d)", "b(c)", "e()"]
    inner = module.nodes(ast.Call)[1]
    assert module.parents[inner] is module.nodes(ast.Call)[0]
    assert [type(n).__name__ for n in module.ancestors(inner)] == ["Call", "Expr", "Module"]
