"""Claims of injected queries (CWE-89, CWE-943): what the text of a statement is made of decides."""

from pathlib import Path

import pytest

from tests.support.told import line_of, places, ruled

VIEW = """\
from flask import Flask, request
from rows import Books

app = Flask(__name__)


@app.route("/books")
def books():
    return str(Books.named(request.args.get("title")))
"""
DAO = """\
import sqlite3


class Books:
    @staticmethod
    def named(title):
        query = "SELECT id FROM books WHERE title = '%s'" % title
        cursor = sqlite3.connect("db").cursor()
        cursor.execute(query)
        return cursor.fetchall()
"""


@pytest.mark.parametrize("text", ["def named", "query = ", "cursor.execute", "return cursor"])
def test_a_request_field_that_reaches_a_statement_through_a_class_is_confirmed(tmp_path: Path, text: str) -> None:
    ruling = ruled(tmp_path, {"app.py": VIEW, "rows.py": DAO}, 89, f"rows.py:{text}")
    assert ruling.verdict == "CONFIRMED"
    assert f"rows.py:{line_of(DAO, 'cursor.execute')}" in places(ruling)
    assert f"app.py:{line_of(VIEW, 'request.args')}" in places(ruling)


def test_the_view_that_hands_it_over_is_part_of_the_same_defect(tmp_path: Path) -> None:
    assert ruled(tmp_path, {"app.py": VIEW, "rows.py": DAO}, 89, "app.py:def books").verdict == "CONFIRMED"


def test_a_claim_on_the_empty_line_above_means_the_function_below(tmp_path: Path) -> None:
    source = "import x\n\n\nclass Books:\n    limit = 3\n\n" + DAO.partition("class Books:\n")[2]
    dao = source.replace("import x", "import sqlite3", 1)
    ruling = ruled(tmp_path, {"app.py": VIEW, "rows.py": dao}, 89, "rows.py:limit")
    assert ruling.verdict == "CONFIRMED"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("\"SELECT id FROM books WHERE title = '%s'\" % title", '"SELECT id FROM books WHERE title = ?"'),
        ("\"SELECT id FROM books WHERE title = '%s'\" % title", '"SELECT id FROM books WHERE id = %d" % title'),
        ("\"SELECT id FROM books WHERE title = '%s'\" % title", 'f"SELECT id FROM books WHERE id = {int(title)}"'),
        ("title = '%s'\" % title", "title IN (%s)\" % ', '.join('?' * 3)"),
    ],
)
def test_a_statement_that_binds_its_values_is_dismissed_where_it_is_run(tmp_path: Path, old: str, new: str) -> None:
    dao = DAO.replace(old, new)
    assert dao != DAO
    ruling = ruled(tmp_path, {"app.py": VIEW, "rows.py": dao}, 89, "rows.py:query = ")
    assert ruling.verdict == "DISMISSED"
    assert places(ruling) == {f"rows.py:{line_of(dao, 'cursor.execute')}"}


@pytest.mark.parametrize(
    "guard",
    [
        "if title not in ('a', 'b'):\n            raise ValueError",
        "if not title.isalnum():\n            return []",
        "check_title(title)",
        "title = ''.join(c for c in title if c.isalnum())",
        "title = cleaned(title)",
        "title = escape_string(title)",
    ],
)
def test_a_guard_or_an_unknown_cleaner_before_the_statement_leaves_it_open(tmp_path: Path, guard: str) -> None:
    dao = DAO.replace("        query =", f"        {guard}\n        query =")
    dao += (
        "\n\ndef cleaned(text):\n    found = ''\n    for c in text:\n        if c in 'abc':\n            found += c\n"
    )
    dao += "    return found\n"
    ruling = ruled(tmp_path, {"app.py": VIEW, "rows.py": dao}, 89, "rows.py:cursor.execute")
    assert ruling.verdict == "UNCERTAIN"


def test_a_parameter_that_nothing_calls_with_is_open(tmp_path: Path) -> None:
    ruling = ruled(tmp_path, {"rows.py": DAO}, 89, "rows.py:cursor.execute")
    assert ruling.verdict == "UNCERTAIN"
    assert not ruling.evidence


def test_a_name_called_request_is_not_the_frameworks(tmp_path: Path) -> None:
    view = VIEW.replace("from flask import Flask, request", "from flask import Flask\nfrom plans import request")
    plans = "class Plan:\n    args = {'title': 'fixed'}\n\n\nrequest = Plan()\n"
    ruling = ruled(tmp_path, {"app.py": view, "rows.py": DAO, "plans.py": plans}, 89, "rows.py:cursor.execute")
    assert ruling.verdict != "CONFIRMED"


def test_a_value_that_is_set_on_a_global_is_not_taken_for_the_constant(tmp_path: Path) -> None:
    code = """\
import sqlite3

title = "a"


def remember(text):
    global title
    title = text


def find(cursor):
    cursor.execute("SELECT id FROM books WHERE title = '" + title + "'")
"""
    assert ruled(tmp_path, {"rows.py": code}, 89, "rows.py:cursor.execute").verdict == "UNCERTAIN"


def test_a_builder_binds(tmp_path: Path) -> None:
    code = """\
from flask import request
from sqlalchemy import select
from tables import Book, session


def find():
    wanted = select(Book).where(Book.title == request.args["title"])
    return session.execute(wanted).all()
"""
    ruling = ruled(tmp_path, {"rows.py": code}, 89, "rows.py:def find")
    assert ruling.verdict == "DISMISSED"
    assert places(ruling) == {f"rows.py:{line_of(code, 'session.execute')}"}


NOTHING = """\
from flask import request


def greeting():
    return "hello"
"""


def test_a_function_that_runs_no_statement_is_dismissed(tmp_path: Path) -> None:
    ruling = ruled(tmp_path, {"a.py": NOTHING}, 89, "a.py:return")
    assert ruling.verdict == "DISMISSED"
    assert places(ruling) == {"a.py:4"}


def test_a_defect_in_the_next_function_keeps_it_from_being_dismissed(tmp_path: Path) -> None:
    code = (
        NOTHING + "\n\n\n\n\ndef find(cursor):\n    cursor.execute('SELECT 1 FROM a WHERE b = ' + request.args['b'])\n"
    )
    assert ruled(tmp_path, {"a.py": code}, 89, "a.py:def greeting").verdict == "UNCERTAIN"


def test_a_statement_that_stands_here_for_somebody_else_to_run_is_open(tmp_path: Path) -> None:
    code = NOTHING.replace('"hello"', '"SELECT a FROM b WHERE c = " + request.args["c"]')
    assert ruled(tmp_path, {"a.py": code}, 89, "a.py:return").verdict == "UNCERTAIN"


def test_parameters_of_a_function_that_an_openapi_file_names_come_from_outside(tmp_path: Path) -> None:
    files = {
        "server.py": "import connexion\n\napp = connexion.App(__name__)\n",
        "api.yml": "paths:\n  /a/{name}:\n    get:\n      operationId: views.find\n",
        "views.py": "from db import cursor\n\n\ndef find(name):\n    cursor.execute(f\"SELECT 1 FROM a WHERE b = '{name}'\")\n",
    }
    assert ruled(tmp_path / "named", files, 89, "views.py:execute").verdict == "CONFIRMED"
    files["api.yml"] = files["api.yml"].replace("views.find", "views.other")
    assert ruled(tmp_path / "other", files, 89, "views.py:execute").verdict == "UNCERTAIN"


def test_the_route_keeps_letters_out(tmp_path: Path) -> None:
    code = """\
from fastapi import FastAPI, Query

app = FastAPI()


@app.get("/a")
def find(name: str = Query(pattern="^[a-z]+$")):
    cursor.execute(f"SELECT 1 FROM a WHERE b = '{name}'")
"""
    assert ruled(tmp_path / "kept", {"a.py": code}, 89, "a.py:execute").verdict == "UNCERTAIN"
    free = code.replace(' = Query(pattern="^[a-z]+$")', "")
    assert ruled(tmp_path / "free", {"a.py": free}, 89, "a.py:execute").verdict == "CONFIRMED"


DOCUMENTS = """\
from flask import Flask, request
from pymongo import MongoClient

app = Flask(__name__)
users = MongoClient().db.users


@app.route("/find", methods=["POST"])
def find():
    return str(users.find_one(QUERY))
"""


@pytest.mark.parametrize(
    ("query", "verdict"),
    [
        ("request.get_json()", "CONFIRMED"),
        ('{"name": request.json["name"]}', "CONFIRMED"),
        ('{"name": request.args["name"]}', "DISMISSED"),
        ('{"name": str(request.json["name"])}', "DISMISSED"),
        ('{"name": "fixed"}', "DISMISSED"),
        ("load_query()", "UNCERTAIN"),
    ],
)
def test_only_a_document_of_the_client_brings_operators_into_a_query(tmp_path: Path, query: str, verdict: str) -> None:
    code = DOCUMENTS.replace("QUERY", query)
    ruling = ruled(tmp_path, {"a.py": code}, 943, "a.py:def find")
    assert ruling.verdict == verdict
    if verdict != "UNCERTAIN":
        assert f"a.py:{line_of(code, 'users.find_one')}" in places(ruling)
