"""What counts as a statement that can be run, and what does not."""

import pytest

from auditors.executed.stated import stated
from harness.source.module import Module


def examples(doc: str, signature: str = "f(a, b=0)") -> list[tuple[str, str, str]]:
    text = f'def {signature}:\n    """{doc}"""\n    return a\n'
    return [(e.call, e.expected, e.form) for e in stated(Module("m.py", text))]


@pytest.mark.parametrize(
    ("doc", "call", "expected"),
    [
        ("\n    >>> f(2)\n    3\n    ", "f(2)", "3"),
        ("\n    f(2) == 3\n    ", "f(2)", "3"),
        ("\n    f([1, 2]) => [2, 1]\n    ", "f([1, 2])", "[2, 1]"),
        ("\n    f('a') ➞ 'b'\n    ", "f('a')", "'b'"),
        ("\n    f(2) -> True\n    ", "f(2)", "True"),
        ("\n    f(2)  # 3\n    ", "f(2)", "3"),
        ("For example, f(2) returns 3.", "f(2)", "3"),
        ("f((1, 2), 3) should return 6 because of x.", "f((1, 2), 3)", "6"),
        ("\n    f({'a': [1,\n             2]}) ==> [1,\n     2]\n    ", "f({'a': [1,\n             2]})", "[1, 2]"),
        ("\n    Input: a = 1, b = [2]\n    Output: [1, 2]\n    ", "f(1, [2])", "[1, 2]"),
        ("\n    Input: [4, 2]\n    Output: [2, 1]\n    ", "f([4, 2])", "[2, 1]"),
        ("For a = [0, 3] the output should be 10", "f([0, 3])", "10"),
        ("If a = 3 and b = 'x', return 'xxx'.", "f(3, 'x')", "'xxx'"),
        ("For lst = [1, 2] the result is 3", "f([1, 2])", "3"),
    ],
)
def test_forms(doc: str, call: str, expected: str) -> None:
    assert [(c, e) for c, e, _ in examples(doc)] == [(call, expected)]


@pytest.mark.parametrize(
    "doc",
    [
        "f(n) == f(n - 1) + 1",  # names, no literals
        "f(2) == 1 + 2",  # the literal is only the begin of what is stated
        "f(2) == 3 or 4",
        "f(2) => 3 if it is new",
        "f(2) is called first",
        "see f(2)",
        "f(x.y) == 3",
        "f(2) => ...",
        "If a = 3, something happens.",
        "Input: c = 3\n Output: 4",  # two required values, one of them unknown
        "\n    >>> f(2)  # doctest: +SKIP\n    3\n",
        "\n    >>> f(2)\n    Traceback (most recent call last):\n    ValueError\n",
    ],
)
def test_what_is_no_statement(doc: str) -> None:
    assert examples(doc, "f(a, b)" if doc.startswith("Input") else "f(a, b=0)") == []


def test_a_doctest_brings_the_lines_before_it() -> None:
    text = 'class Stack:\n    """\n    >>> s = Stack()\n    >>> s.push(1)\n    >>> Stack.top(s)\n    1\n    """\n'
    (found,) = stated(Module("m.py", text))
    assert (found.setup, found.symbol, found.line) == ("s = Stack()\ns.push(1)", "Stack", 5)


def test_strings_that_stand_alone_below_a_function_count() -> None:
    text = 'def f(a):\n    return a\n\n"""\nExample:\n    >>> f(35)\n    7\n"""\n'
    (found,) = stated(Module("m.py", text))
    assert (found.call, found.expected, found.line, found.symbol) == ("f(35)", "7", 6, "f")
