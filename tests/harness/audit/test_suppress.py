import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.audit.suppress import Malformed, Suppression, in_text, suppressions
from tests.support.trees import project_of


def found(text, language="python"):
    return [
        (s.line, s.target, s.last, s.rules, s.reason)
        for s in in_text("a", text, language)
        if isinstance(s, Suppression)
    ]


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("python", "x = 1  # harness: ignore[rule-a] checked by hand\n", (1, 1, 1, ("rule-a",), "checked by hand")),
        ("python", "x = 1  #harness:ignore[a, b] - why\n", (1, 1, 1, ("a", "b"), "why")),
        ("python", "x = 1  # noqa: E501 # harness: ignore[a] why\n", (1, 1, 1, ("a",), "why")),
        ("python", "# harness: ignore[a] why\n\n# another\nx = 1\n", (1, 4, 4, ("a",), "why")),
        ("python", "x = f(\n    1,\n)  # harness: ignore[ruff:S602] why\n", (3, 1, 3, ("ruff:S602",), "why")),
        ("python", "# harness: ignore[a] why\nx = f(\n    1,\n)\n", (1, 2, 4, ("a",), "why")),
        ("python", "x = f(\n    # harness: ignore[a] why\n    1,\n)\n", (2, 1, 4, ("a",), "why")),
        ("python", "# harness: ignore[a] why\n@d\n@e(\n  1)\ndef f(\n  x): pass\ny = 1\n", (1, 2, 6, ("a",), "why")),
        ("python", "@d\ndef f():  # harness: ignore[a] why\n    y = 1\n", (2, 1, 2, ("a",), "why")),
        ("python", "def broken(:\n    x = 1  # harness: ignore[a] why\n    'unclosed\n", (2, 2, 2, ("a",), "why")),
        ("javascript", "run(x) // harness: ignore[a] why\n", (1, 1, 1, ("a",), "why")),
        ("css", "/* harness: ignore[a] why */\nb {}\n", (1, 2, 2, ("a",), "why")),
        ("html", "<p>\n<!-- harness: ignore[a] why -->\n<b>\n", (2, 3, 3, ("a",), "why")),
        ("html", "{# harness: ignore[a] why #}\n{{ x }}", (1, 2, 2, ("a",), "why")),
        ("yaml", "a: 1 # harness: ignore[a] why\n", (1, 1, 1, ("a",), "why")),
        ("shell", "rm $# # harness: ignore[a] why\n", (1, 1, 1, ("a",), "why")),
        ("sql", "select 1 -- harness: ignore[a] why\n", (1, 1, 1, ("a",), "why")),
        ("ini", "; harness: ignore[a] why\nx = 1\n", (1, 2, 2, ("a",), "why")),
        ("latex", "\\input{x} % harness: ignore[a] why\n", (1, 1, 1, ("a",), "why")),
        ("toml", "a = '#' # harness: ignore[a] why\n", (1, 1, 1, ("a",), "why")),
    ],
)
def test_comment_styles(language, text, expected):
    assert found(text, language) == [expected]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("python", 'x = "# harness: ignore[a] why"\n'),
        ("python", '"""\n# harness: ignore[a] why\n"""\n'),
        ("python", "# write harness: ignore[a] why\nx = 1\n"),
        ("javascript", 'x = "// harness: ignore[a] why"\n'),
        ("javascript", "x = `\n// harness: ignore[a] why`\n"),
        ("toml", 'a = "x # harness: ignore[a] why"\n'),
        ("sql", "select '-- harness: ignore[a] why'\n"),
        ("json", "// harness: ignore[a] why\n"),
    ],
)
def test_what_is_no_comment_suppresses_nothing(language, text):
    assert list(in_text("a", text, language)) == []


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("x = 1  # harness: ignore\n", "names no rule"),
        ("x = 1  # harness: ignore[] because\n", "names no rule"),
        ("x = 1  # harness: ignore everything here\n", "names no rule"),
        ("x = 1  # harness: ignore[a]\n", "gives no reason"),
        ("x = 1  # harness: ignore[a] --\n", "gives no reason"),
    ],
)
def test_there_is_no_blanket_form_and_no_form_without_reason(text, problem):
    (item,) = in_text("a", text, "python")
    assert isinstance(item, Malformed)
    assert problem in item.problem


def test_reads_every_file_of_a_project(tmp_path):
    project = project_of(tmp_path, {"b.js": "x // harness: ignore[a] why\n", "a.py": "x = 1  # harness: ignore[a] why\r\n",
                                    "c.py": "x = 1\n", "d.txt": "# harness: ignore[a] why\n"})  # fmt: skip
    assert [s.path for s in suppressions(project)] == ["a.py", "b.js"]


@given(
    st.text(), st.sampled_from(["python", "javascript", "html", "sql", "ini", "shell", "latex", "markdown", "other"])
)
def test_odd_text_never_fails(text, language):
    assert all(item.line >= 1 for item in in_text("a", text + "# harness: ignore[a] why", language))
