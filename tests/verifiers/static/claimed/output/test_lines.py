"""Claims about line ends: split responses (CWE-113) and log injection (CWE-117)."""

from pathlib import Path

import pytest

from tests.support.told import line_of, places, ruled

FLASK = """\
import logging

from flask import Flask, make_response, request

app = Flask(__name__)
log = logging.getLogger(__name__)


@app.route("/")
def view():
    name = request.args["name"]
    BODY
    return "ok"
"""


def test_a_framework_that_refuses_line_ends_dismisses_a_split_response(tmp_path: Path) -> None:
    code = FLASK.replace("BODY", 'answer = make_response("ok")\n    answer.headers["X-Name"] = name')
    ruling = ruled(tmp_path, {"app.py": code}, 113, "app.py:def view")
    assert ruling.verdict == "DISMISSED"
    assert places(ruling) == {f"app.py:{line_of(code, 'X-Name')}"}


def test_a_function_that_sets_no_header_is_dismissed(tmp_path: Path) -> None:
    code = FLASK.replace("BODY", "found = request.headers.get('X-Host')")
    ruling = ruled(tmp_path, {"app.py": code}, 113, "app.py:found")
    assert ruling.verdict == "DISMISSED"
    assert places(ruling) == {f"app.py:{line_of(code, 'def view')}"}


def test_a_call_of_something_handed_in_leaves_it_open(tmp_path: Path) -> None:
    code = "def send(connection, method, name):\n    call = getattr(connection, method)\n    call(name)\n"
    assert ruled(tmp_path, {"a.py": code}, 113, "a.py:call(name)").verdict == "UNCERTAIN"


SERVER = """\
from http.server import BaseHTTPRequestHandler
from urllib.parse import unquote


class Server(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("X-Path", VALUE)
        self.end_headers()
"""


@pytest.mark.parametrize(
    ("value", "verdict"), [("unquote(self.path)", "CONFIRMED"), ('"fixed"', "DISMISSED"), ("load()", "UNCERTAIN")]
)
def test_the_plain_server_sends_headers_as_they_are(tmp_path: Path, value: str, verdict: str) -> None:
    code = SERVER.replace("VALUE", value)
    ruling = ruled(tmp_path, {"a.py": code}, 113, "a.py:def do_GET")
    assert ruling.verdict == verdict
    if verdict == "CONFIRMED":
        assert f"a.py:{line_of(code, 'X-Path')}" in places(ruling)


@pytest.mark.parametrize(
    "call", ['log.info("seen " + name)', 'logging.warning(f"seen {name}")', 'log.error("seen %s", name)', "note(name)"]
)
def test_a_clients_text_in_a_log_is_confirmed(tmp_path: Path, call: str) -> None:
    code = (
        FLASK.replace("BODY", call)
        + "\n\ndef note(text):\n    with open('seen.log', 'a') as file:\n        file.write(text + '\\n')\n"
    )
    ruling = ruled(tmp_path, {"app.py": code}, 117, "app.py:def view")
    assert ruling.verdict == "CONFIRMED"
    deciding = "file.write" if call == "note(name)" else call
    assert f"app.py:{line_of(code, deciding)}" in places(ruling)


@pytest.mark.parametrize(
    "call",
    [
        "log.info('seen %r' % len(name))",
        'log.info(f"seen {name!r}")',
        "log.info('seen ' + name.replace('\\n', ' '))",
        "log.info('seen')",
        "log.info('seen ' + json.dumps(name))",
    ],
)
def test_a_log_without_line_ends_of_a_client_is_dismissed_at_the_call(tmp_path: Path, call: str) -> None:
    code = "import json\n" + FLASK.replace("BODY", call)
    ruling = ruled(tmp_path, {"app.py": code}, 117, "app.py:def view")
    assert ruling.verdict == "DISMISSED"
    assert places(ruling) == {f"app.py:{line_of(code, 'log.info')}"}


@pytest.mark.parametrize(
    "call",
    [
        "log.info(request.headers['X-Name'])",
        "log.info(clean(name))",
        "print(name)",
        "log.info('seen', name=name)",
        "log.info(rows.get(Row, name))",
    ],
)
def test_headers_unknown_cleaners_and_other_output_are_open(tmp_path: Path, call: str) -> None:
    assert ruled(tmp_path, {"app.py": FLASK.replace("BODY", call)}, 117, "app.py:def view").verdict == "UNCERTAIN"


def test_a_call_far_away_in_a_long_function_is_not_what_a_place_beside_another_means(tmp_path: Path) -> None:
    code = FLASK.replace("BODY", "log.info('begun')" + "\n    pass" * 20 + "\n    log.info(name)")
    assert (
        ruled(tmp_path, {"app.py": code}, 117, "app.py:begun").verdict == "CONFIRMED"
    )  # beside the head: all is meant
    later = code.replace("    log.info('begun')", "    pass\n" * 6 + "    log.info('begun')")
    assert ruled(tmp_path / "b", {"app.py": later}, 117, "app.py:begun").verdict == "UNCERTAIN"
