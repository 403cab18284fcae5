"""Who is defined where, and who calls whom."""

from pathlib import Path

import pytest

from harness.source.index import Index
from tests.support.trees import project_of

FILES = {
    "pkg/__init__.py": "from .store import Store, save as keep\n",
    "pkg/store.py": (
        "import functools\nclass Base:\n    pass\n\nclass Store(Base):\n    def __init__(self, path, *, mode): pass\n"
        "    @functools.cache\n    def get(self, key):\n        yield key\n\n"
        "async def save(item):\n    def inner():\n        yield 1\n    return inner()\n"
    ),
    "app.py": (
        "import pkg\nfrom pkg import Store\nfrom pkg import keep\nimport other\n\nclass Mine(pkg.Store): pass\n\n"
        "def main():\n    store = Store('x')\n    store.get(1)\n    make().get(2)\n    other.get(3)\n    keep(4)\n    pkg.keep(5)\n"
    ),
    "other.py": "def get(x): pass\ndef save(x): pass\nsave(1)\n",
    "tests/test_app.py": "from pkg.store import Store\nclass Fake(Store): pass\nStore()\n",
}


@pytest.fixture
def index(tmp_path: Path) -> Index:
    return project_of(tmp_path, FILES).index


def called(index: Index, name: str) -> list[tuple[str, int, str]]:
    function = index.function(name)
    assert function is not None
    return [(c.path, c.line, c.caller) for c in index.callers(function)]


def test_a_function_is_called_under_every_name_it_is_exported_by(index: Index) -> None:
    assert called(index, "pkg.store.save") == [("app.py", 13, "main"), ("app.py", 14, "main")]
    assert index.canonical("pkg.keep") == "pkg.store.save"


def test_a_method_is_called_where_the_receiver_is_unknown(index: Index) -> None:
    assert called(index, "pkg.store.Store.get") == [("app.py", 10, "main"), ("app.py", 11, "main")]
    assert called(index, "other.get") == [("app.py", 12, "main")]


def test_a_constructor_is_called_by_the_class(index: Index) -> None:
    assert called(index, "pkg.Store.__init__") == [("app.py", 9, "main"), ("tests/test_app.py", 3, "")]


def test_subclasses_are_found_through_re_exports(index: Index) -> None:
    assert [c.name for c in index.subclasses("pkg.store.Base")] == [
        "pkg.store.Store",
        "app.Mine",
        "tests.test_app.Fake",
    ]
    assert index.subclasses("app.Mine") == []


def test_facts_of_functions(index: Index) -> None:
    get, save = index.functions["pkg.store.Store.get"], index.functions["pkg.store.save"]
    assert (get.parameters, get.is_generator, get.decorators) == (("self", "key"), True, ("functools.cache",))
    assert (get.class_name, get.line, get.test) == ("pkg.store.Store", 8, False)
    assert (save.is_async, save.is_generator) == (True, False)
    assert index.functions["pkg.store.save.inner"].is_generator
    assert index.classes["pkg.store.Store"].methods == ("__init__", "get")
    assert index.classes["tests.test_app.Fake"].test


def test_a_folder_that_is_no_package_is_a_place_to_import_from(tmp_path: Path) -> None:
    files = {
        "backend/db/users.py": "def find(name): pass\n",
        "backend/main.py": "from db.users import find\nimport os\nfind('x')\nos.getcwd()\n",
        "other/json.py": "def dumps(x): pass\n",
        "third/json.py": "def dumps(x): pass\n",
    }
    index = project_of(tmp_path, files).index
    assert index.canonical("db.users.find") == "backend.db.users.find"
    assert index.canonical("db.users") == "backend.db.users"
    assert index.canonical("os.getcwd") == "os.getcwd"
    assert index.canonical("json.dumps") == "json.dumps"
