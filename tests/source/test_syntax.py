"""What `parse` makes of a text is what an interpreter that knows its grammar makes of it."""

import ast
import subprocess
import sys
import sysconfig
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.source.nodes import Interpolation, TemplateStr, TypeAlias, TypeVar
from harness.source.syntax import NotParsed, parse, parse_lowered
from tests.support import dump

NEWER = [
    p for v in ("3.12", "3.13", "3.14") for p in sorted(Path.home().glob(f".pyenv/versions/{v}.*/bin/python"))[-1:]
]
SAMPLES = sorted((Path(__file__).parent / "newer").glob("*.txt"))
STDLIB = Path(sysconfig.get_path("stdlib"))
FOLDERS = ("", "asyncio/", "email/", "http/", "importlib/", "multiprocessing/", "unittest/", "xml/*/")
"""Debian keeps the tests of the library in a package of their own, so these have to be enough."""


def stdlib_texts() -> Iterator[tuple[Path, str]]:
    for path in sorted(p for pattern in (*FOLDERS, "test/test_[a-g]") for p in STDLIB.glob(f"{pattern}*.py"))[::4]:
        try:
            text = path.read_bytes().decode("utf-8")
            ast.parse(text)
        except (SyntaxError, ValueError):
            continue
        yield path, text


def test_the_way_of_newer_grammars_gives_the_native_tree_of_the_standard_library() -> None:
    warnings.simplefilter("ignore")
    seen = 0
    for path, text in stdlib_texts():
        native, ours = ast.parse(text), parse_lowered(text)
        assert dump.lines(ours, positions=False) == dump.lines(native, positions=False), path
        if sys.version_info < (3, 12):  # its positions inside f-strings are those of the string, or wrong
            _forget_positions_in_strings(native)
            _forget_positions_in_strings(ours)
        assert dump.lines(ours) == dump.lines(native), path
        seen += "JoinedStr" in ast.dump(native)
    assert seen > 20


def _forget_positions_in_strings(tree: ast.Module) -> None:
    for string in [node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)]:
        for node in ast.walk(string):
            if node is not string and hasattr(node, "lineno"):
                del node.lineno


@pytest.mark.skipif(not NEWER, reason="no newer Python beside this one")
@pytest.mark.parametrize("python", NEWER, ids=lambda p: p.parent.parent.name)
def test_newer_grammar_gives_the_tree_of_an_interpreter_that_knows_it(python: Path) -> None:
    version = python.parent.parent.name.rpartition(".")[0]
    library = python.parent.parent / "lib" / f"python{version}"
    candidates = ["typing.py", "dataclasses.py", "test/test_type_params.py", "test/test_type_aliases.py", "ast.py"]
    paths = [p for p in SAMPLES if p.stem.rpartition("-")[2] <= version]
    paths += [library / name for name in candidates if (library / name).exists()]
    shown = subprocess.run(
        [python, "-I", dump.__file__, *paths], capture_output=True, check=True, encoding="utf-8", cwd="/"
    ).stdout.split("=" * 20 + "\n")
    for path, expected in zip(paths, shown, strict=False):
        ours = parse_lowered(path.read_bytes().decode("utf-8"))
        assert dump.lines(ours) == expected.splitlines(), path
        assert dump.lines(parse(path.read_bytes().decode("utf-8")), positions=False) == dump.lines(
            ours, positions=False
        )
    assert len(paths) >= 3


def place(node: ast.AST) -> tuple[int, int, int, int]:
    return node.lineno, node.col_offset, node.end_lineno, node.end_col_offset  # type: ignore[attr-defined]


def test_fields_of_a_nested_string_stand_where_they_are_written() -> None:
    tree = parse('é = f"é{a[\'b\']}" \'c\' f"{f"{d}"}"\n')
    (string,) = (n for n in ast.walk(tree) if isinstance(n, ast.JoinedStr) and n.col_offset == 5)
    (inner,) = (n for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id == "d")
    assert [type(v).__name__ for v in string.values] == ["Constant", "FormattedValue", "Constant", "FormattedValue"]
    assert place(string) == (1, 5, 1, 34)
    assert place(inner) == (1, 29, 1, 30)
    assert ast.unparse(string.values[1].value) == "a['b']"  # type: ignore[attr-defined]


def test_excepts_without_brackets_catch_a_tuple() -> None:
    tree = parse("try:\n    pass\nexcept  A.b, (C,\n D):\n    pass\nexcept E:\n    pass\n")
    first, second = tree.body[0].handlers  # type: ignore[attr-defined]
    assert ast.unparse(first.type) == "(A.b, (C, D))"
    assert place(first.type) == (3, 8, 4, 3)
    assert place(first.type.elts[1]) == (3, 13, 4, 3)
    assert ast.unparse(second.type) == "E"


def test_except_star_and_names_keep_their_meaning() -> None:
    tree = parse("try:\n    pass\nexcept* A, B:\n    x = f'{'a'}'\n")
    assert isinstance(tree.body[0], ast.TryStar)
    with pytest.raises(NotParsed, match="line 3"):
        parse("try:\n    pass\nexcept A, B as e:\n    pass\n")


def test_template_strings_are_no_strings() -> None:
    tree = parse("page = t'<p>{name!r:>{w}}</p>' t\"{x['k']}\"\n")
    (template,) = (n for n in ast.walk(tree) if isinstance(n, TemplateStr))
    first, second = (n for n in template.values if isinstance(n, Interpolation))
    assert (first.str, first.conversion, second.str) == ("name", ord("r"), "x['k']")
    assert ast.unparse(first.format_spec.values[1].value) == "w"
    assert place(template) == (1, 7, 1, 42)
    assert not any(isinstance(v, ast.JoinedStr) for v in (template, *template.values))
    with pytest.raises(NotParsed, match="cannot mix t-string"):
        parse("t'a' 'b'")


def test_type_parameters_and_aliases_keep_their_bounds_in_the_tree() -> None:
    tree = parse("class A[T: Base = f'{x['y']}'](B): pass\nif 1: type Al[\n *Ts\n] = list[Al]; z = 1\n")
    cls, condition = tree.body
    assert isinstance(cls, ast.ClassDef)
    assert [n.id for n in ast.walk(cls) if isinstance(n, ast.Name)] == ["B", "Base", "x"]
    assert isinstance(cls.type_params[0], TypeVar)  # type: ignore[attr-defined]
    alias, assign = condition.body  # type: ignore[attr-defined]
    assert isinstance(alias, TypeAlias)
    assert place(alias) == (2, 6, 4, 12)
    assert (place(alias.name), place(alias.type_params[0]), place(assign)) == (
        (2, 11, 2, 13),
        (3, 1, 3, 4),
        (4, 14, 4, 19),
    )


def test_lazy_imports_are_imports() -> None:
    tree = parse("lazy import a\nlazy from b import c\nlazy = 1\nlazy\n")
    assert [type(s).__name__ for s in tree.body] == ["Import", "ImportFrom", "Assign", "Expr"]
    assert place(tree.body[1]) == (2, 0, 2, 20)


@pytest.mark.parametrize(
    "text", ["type = 1\ntype[0] = 2\ntype(x)\n", "match = t = f = 1\nf'{f}'\n", "print(f'{x!r}')\r\ny\r"]
)
def test_old_programs_with_the_new_words_parse_as_before(text: str) -> None:
    assert ast.dump(parse_lowered(text)) == ast.dump(ast.parse(text))


MANY = 100_000
HOSTILE = {
    "parentheses": "(" * MANY + ")" * MANY,
    "unary": "-" * MANY + "1",
    "attributes": "a" + ".b" * MANY,
    "elif": "if a:\n pass\n" + "elif a:\n pass\n" * MANY,
    "nested f-strings": "f'{" * MANY + "1" + "}'" * MANY,
    "nested specifications": "f'" + "{x:" * MANY,
    "null byte": "a = '\0'",
    "surrogate": "a = '\ud800'; f'{'a'}'",
    "python 2": "print 'a'",
    "unclosed": "x = f'{a",
    "empty field": "f'{}' f'{'a'}'",
    "assignment to a string": "f'{'a'}' = 1",
    "import of a string": "import f'{'a'}'",
    "bases": "class A f'{'a'}': pass",
    "bytes": "b'a' f'{'a'}'",
    "escape": "f'\\x{'a'}'",
    "many aliases": "type X = Y = 1",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
@pytest.mark.parametrize("way", [parse, parse_lowered])
def test_what_is_no_python_is_refused_with_line_and_reason(text: str, way: object) -> None:
    with pytest.raises(NotParsed, match=r"^line \d+: ."):
        way(text)  # type: ignore[operator]  # one of the two functions above


def test_many_fields_cost_no_more_than_their_number() -> None:
    text = "f'" + "{x}" * 20_000 + "'"
    (string,) = (n for n in ast.walk(parse(text)) if isinstance(n, ast.JoinedStr))
    assert len(string.values) == 20_000


FRAGMENTS = st.sampled_from(
    ["f'", "f\"", "rf'''", "t'", "'", '"', "'''", "{", "}", "{{", "}}", "!r", ":", "=", "x", "é", " ", "\n", "\\", "\\N{", "#",
     "(", ")", "[", "]", ",", "type X", "class A", "def f", "except ", "lambda ", "yield ", "await ", "*", "1", ";",
     "lazy import a"]
)  # fmt: skip


@settings(max_examples=400, deadline=None)
@given(st.lists(FRAGMENTS, max_size=25).map("".join))
def test_no_text_brings_anything_but_a_tree_or_a_refusal(text: str) -> None:
    for way in (parse, parse_lowered):
        try:
            tree = way(text)
        except NotParsed:
            continue
        assert isinstance(tree, ast.Module)


@settings(max_examples=300, deadline=None)
@given(st.lists(FRAGMENTS, max_size=12).map("".join))
def test_both_ways_agree_on_what_the_running_grammar_takes(text: str) -> None:
    warnings.simplefilter("ignore")
    try:
        native = ast.parse(text)
    except (SyntaxError, ValueError):
        return
    assert dump.lines(parse_lowered(text), positions=False) == dump.lines(native, positions=False)
