"""Which files of a change belong together."""

import pytest

from harness.checkpoint.split import MOST_FILES, commands, parts


@pytest.mark.parametrize(
    "texts",
    [
        {"web/a.py": "", "web/b.py": ""},
        {"web/a.py": "from data.store import get\n", "data/store.py": ""},
        {"web/a.py": "def f():\n    import data.store\n", "data/store.py": ""},
        {"web/a.py": "from ..data import store\n", "data/store.py": ""},
        {"web/a.py": "from data import store\n", "src/data/store.py": ""},
        {"shop/cart.py": "", "tests/test_cart.py": ""},
        {"app/views.py": 'render("cart.html")\n', "templates/cart.html": ""},
        {"web/a.py": "", "docs/guide.md": "", "pyproject.toml": ""},
        {"a.py": "import broken(\n"},
    ],
    ids=[
        "folder",
        "import",
        "inner import",
        "relative",
        "src layout",
        "test by name",
        "template",
        "documents",
        "no Python",
    ],
)
def test_one_thing(texts: dict[str, str]) -> None:
    assert parts(list(texts), texts) == ()


def test_two_things_and_what_goes_with_anything() -> None:
    texts = {"web/a.py": "import data.other\n", "data/store.py": "", "data/x.py": "", "README.md": "store.py"}
    found = parts(sorted(texts), texts)
    assert [(p.name, p.files) for p in found] == [("data", ("README.md", "data/store.py", "data/x.py")),
                                                  ("web", ("web/a.py",))]  # fmt: skip


def test_the_same_whatever_the_order() -> None:
    texts = {"a/1.py": "", "b/2.py": "", "c/3.py": "import a", "d/4.py": ""}
    assert parts(list(texts), texts) == parts(list(reversed(texts)), texts)


def test_no_advice_about_a_sweep_and_no_commands_for_names_that_are_not_text() -> None:
    assert parts([f"d{n}/x{n}.py" for n in range(MOST_FILES + 1)], {}) == ()
    odd = parts(["a/\\xff.py", "b/y.py"], {})
    assert len(odd) == 2
    assert commands(odd, "0" * 40) == ()


def test_many_files_are_named_by_their_folder_unless_another_part_is_below_it() -> None:
    many, others = [f"web/f{n}.py" for n in range(9)], [f"x/g{n}.py" for n in range(12)]
    assert "-- ':(top,literal)web/'" in "\n".join(commands(parts([*many, *others], {}), "c" * 40))
    inner = parts([*many, "web/inner/z.py", *others], {})
    assert len(inner) == 3
    assert "':(top,literal)web/'" not in "\n".join(commands(inner, "c" * 40))
