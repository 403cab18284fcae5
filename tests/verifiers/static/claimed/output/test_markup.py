"""Claims of cross-site scripting (CWE-79 and its kin) at code: bodies, what is stored, and templates that views fill."""

from pathlib import Path

import pytest

from tests.support.told import line_of, places, ruled

FLASK = """\
from flask import Flask, request

app = Flask(__name__)


def wanted():
    return request.args.get("q", "")


def page(name):
    def view():
        text = "<p>You asked for " + VALUE + "</p>"
        return text

    app.add_url_rule("/" + name, name, view)
    return view


page("a")
"""


@pytest.mark.parametrize("text", ["def view", "text = ", "return text"])
def test_a_view_that_sends_a_request_field_is_confirmed_with_field_and_return(tmp_path: Path, text: str) -> None:
    code = FLASK.replace("VALUE", "wanted()")
    ruling = ruled(tmp_path, {"app.py": code}, 79, f"app.py:{text}")
    assert ruling.verdict == "CONFIRMED"
    assert {f"app.py:{line_of(code, 'request.args')}", f"app.py:{line_of(code, 'return text')}"} <= places(ruling)


@pytest.mark.parametrize("value", ["html.escape(wanted())", "shown(wanted())", "str(int(wanted()))"])
def test_an_escaped_field_is_dismissed_at_the_return(tmp_path: Path, value: str) -> None:
    code = "import html\n" + FLASK.replace("VALUE", value) + "\n\ndef shown(text):\n    return html.escape(text)\n"
    ruling = ruled(tmp_path, {"app.py": code}, 79, "app.py:text = ")
    assert ruling.verdict == "DISMISSED"
    assert places(ruling) == {f"app.py:{line_of(code, 'return text')}"}


@pytest.mark.parametrize(
    "value",
    [
        "render_badge(wanted())",
        "wanted().translate(TABLE)",
        "wanted().replace('<', '')",
        "request.headers['X-Name']",
        "re.sub('[<>]', '', wanted())",
    ],
)
def test_what_an_unknown_function_or_a_filter_leaves_is_open(tmp_path: Path, value: str) -> None:
    code = "import re\nfrom badges import render_badge\n" + FLASK.replace("VALUE", value)
    assert ruled(tmp_path, {"app.py": code}, 79, "app.py:text = ").verdict == "UNCERTAIN"


def test_markup_escapes_what_is_put_into_it(tmp_path: Path) -> None:
    code = "from markupsafe import Markup\n" + FLASK.replace(
        '"<p>You asked for " + VALUE + "</p>"', 'Markup("<p>%s</p>") % wanted()'
    )
    assert ruled(tmp_path, {"app.py": code}, 79, "app.py:text = ").verdict == "DISMISSED"


@pytest.mark.parametrize(
    "returned", ["{'q': wanted()}", "answer()", "jsonify(wanted())", "Response(wanted(), mimetype='text/plain')"]
)
def test_what_is_not_sent_as_html_is_not_confirmed(tmp_path: Path, returned: str) -> None:
    code = f"""\
from flask import Flask, Response, jsonify, request

app = Flask(__name__)


def wanted():
    return request.args.get("q", "")


def answer():
    found = {{"q": wanted()}}
    return found


@app.route("/")
def view():
    return {returned}
"""
    assert ruled(tmp_path, {"app.py": code}, 79, f"app.py:return {returned}").verdict != "CONFIRMED"


def test_a_helper_whose_text_is_sent_as_json_is_dismissed_where_it_is_sent(tmp_path: Path) -> None:
    code = """\
from flask import Flask, Response, request

app = Flask(__name__)


def message(text):
    return '{"message": "' + text + '"}'


@app.route("/")
def view():
    return Response(message(request.args["q"]), 400, mimetype="application/json")
"""
    ruling = ruled(tmp_path, {"app.py": code}, 79, "app.py:def message")
    assert ruling.verdict == "DISMISSED"
    assert places(ruling) == {f"app.py:{line_of(code, 'Response(message')}"}


HANDLER = """\
import urllib.parse
from http.server import BaseHTTPRequestHandler

import parts


class Server(BaseHTTPRequestHandler):
    def do_GET(self):
        self.query = urllib.parse.parse_qs(urllib.parse.urlparse(self.path).query)
        page = Page(self)
        body = page.body()
        self.send_response(200)
        self.send_header("Content-Type", page.kind)
        self.end_headers()
        self.wfile.write(body.encode())


class Page:
    kind = "text/html"

    def __init__(self, server):
        self.server = server

    def body(self):
        text = ""
        for part in parts.ALL:
            if part.name == self.server.path:
                text = part.run(self.server)
                break
        return open("frame.html").read().format(text=text)
"""
PARTS = """\
class Part:
    name = "/"

    def run(self, server):
        raise NotImplementedError


class Echo(Part):
    def run(self, server):
        found = server.query.get("text", ["nothing"])
        return found[0]


class Hello(Part):
    def run(self, server):
        return "hello"


ALL = [load("Echo"), load("Hello")]
"""


def test_a_request_that_is_handed_through_attributes_is_followed(tmp_path: Path) -> None:
    ruling = ruled(tmp_path, {"app.py": HANDLER, "parts.py": PARTS}, 79, "parts.py:return found[0]")
    assert ruling.verdict == "CONFIRMED"
    assert f"app.py:{line_of(HANDLER, 'wfile.write')}" in places(ruling)


def test_a_part_beside_it_that_sends_its_own_text_is_not_confirmed(tmp_path: Path) -> None:
    parts = PARTS.replace("        return found[0]\n", "        return found[0]\n" + "\n" * 14)
    ruling = ruled(tmp_path, {"app.py": HANDLER, "parts.py": parts}, 79, 'parts.py:return "hello"')
    assert ruling.verdict == "DISMISSED"


def test_methods_of_one_name_in_unrelated_classes_are_not_taken_for_each_other(tmp_path: Path) -> None:
    parts = PARTS.replace("class Hello(Part):", "class Hello:")
    ruling = ruled(tmp_path, {"app.py": HANDLER, "parts.py": parts}, 79, "parts.py:return found[0]")
    assert ruling.verdict == "UNCERTAIN"


def test_a_wsgi_application_and_a_falcon_responder(tmp_path: Path) -> None:
    wsgi = """\
from urllib.parse import parse_qs


def application(environ, start_response):
    name = parse_qs(environ["QUERY_STRING"]).get("name", [""])[0]
    start_response("200 OK", [("Content-Type", "text/KIND")])
    return [("<p>" + name + "</p>").encode()]
"""
    html = ruled(tmp_path / "a", {"app.py": wsgi.replace("KIND", "html")}, 79, "app.py:return [")
    assert html.verdict == "CONFIRMED"
    assert (
        ruled(tmp_path / "b", {"app.py": wsgi.replace("KIND", "plain")}, 79, "app.py:return [").verdict == "DISMISSED"
    )
    falcon = """\
import falcon


class Greeting:
    def on_get(self, req, resp):
        fill(resp, req.get_param("name"))


def fill(resp, name):
    resp.text = "<p>" + name + "</p>"
    resp.content_type = "text/html"
"""
    ruling = ruled(tmp_path / "c", {"app.py": falcon}, 79, "app.py:def fill")
    assert ruling.verdict == "CONFIRMED"
    assert f"app.py:{line_of(falcon, 'resp.text')}" in places(ruling)


STORED = """\
from flask import Flask, request
from db import connection

app = Flask(__name__)


@app.route("/add", methods=["POST"])
def add():
    cursor = connection.cursor()
    cursor.execute("INSERT INTO notes (COLUMN) VALUES (?)", (request.form["text"],))
    return "thanks"





@app.route("/")
def show():
    cursor = connection.cursor()
    cursor.execute("SELECT text, day FROM notes")
    rows = ""
    for row in cursor.fetchall():
        rows += "<td>{}</td>".format(row["text"])
    return rows
"""


def test_what_one_request_stores_and_another_shows_is_confirmed_with_both(tmp_path: Path) -> None:
    code = STORED.replace("COLUMN", "text")
    ruling = ruled(tmp_path, {"app.py": code}, 79, "app.py:rows += ")
    assert ruling.verdict == "CONFIRMED"
    assert {f"app.py:{line_of(code, 'request.form')}", f"app.py:{line_of(code, 'return rows')}"} <= places(ruling)


def test_a_column_that_no_client_writes_is_not_confirmed(tmp_path: Path) -> None:
    assert ruled(tmp_path, {"app.py": STORED.replace("COLUMN", "author")}, 79, "app.py:rows += ").verdict == "UNCERTAIN"


def test_a_table_that_the_project_never_writes_is_dismissed(tmp_path: Path) -> None:
    code = STORED.replace("INTO notes (COLUMN)", "INTO other (text)")
    assert ruled(tmp_path, {"app.py": code}, 79, "app.py:rows += ").verdict == "DISMISSED"


def test_a_function_that_makes_no_page_is_dismissed(tmp_path: Path) -> None:
    code = "def total(rows):\n    return sum(rows)\n"
    ruling = ruled(tmp_path, {"a.py": code}, 79, "a.py:return")
    assert ruling.verdict == "DISMISSED"
    assert places(ruling) == {"a.py:1"}


def test_markup_of_which_nobody_is_seen_to_send_it_is_open(tmp_path: Path) -> None:
    code = "def cell(text):\n    return '<td>' + text + '</td>'\n"
    assert ruled(tmp_path, {"a.py": code}, 79, "a.py:return").verdict == "UNCERTAIN"


def test_a_claim_about_encoding_in_general_is_only_confirmed(tmp_path: Path) -> None:
    code = FLASK.replace("VALUE", "wanted()")
    assert ruled(tmp_path / "a", {"app.py": code}, 116, "app.py:text = ").verdict == "CONFIRMED"
    assert (
        ruled(tmp_path / "b", {"app.py": FLASK.replace("VALUE", "'x'")}, 116, "app.py:text = ").verdict == "UNCERTAIN"
    )


def test_html_of_a_library_that_is_given_back_is_open_though_its_page_is_not_found(tmp_path: Path) -> None:
    code = "import markdown\n\n\ndef shown(text):\n    return markdown.markdown(text)\n\n\n"
    code += "def rows(notes):\n    return [shown(n) for n in notes]\n"
    assert ruled(tmp_path, {"a.py": code}, 79, "a.py:def shown").verdict == "UNCERTAIN"


def test_a_way_that_only_an_evaluation_can_rule_out_is_not_confirmed(tmp_path: Path) -> None:
    code = """\
from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def view():
    name = request.args["name"]
    shown = "always" if 7 * 6 > 41 else name
    return "<p>" + shown + "</p>"
"""
    ruling = ruled(tmp_path, {"a.py": code}, 79, "a.py:def view")
    assert ruling.verdict == "DISMISSED"
    assert places(ruling) == {f"a.py:{line_of(code, 'return')}"}
