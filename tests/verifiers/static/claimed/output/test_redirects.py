"""Claims of open redirects (CWE-601): who decides the host, in a response or in a script of a page."""

from pathlib import Path

import pytest

from tests.support.told import line_of, places, ruled

VIEW = """\
from urllib.parse import quote

from flask import Flask, redirect, request, url_for

app = Flask(__name__)


@app.route("/go/<name>")
def go(name):
    target = request.args.get("next", "/")
    return redirect(VALUE)
"""


@pytest.mark.parametrize(
    "value", ["target", "request.args['next']", "target or '/'", "'/' + target", "f'https://{target}'"]
)
def test_a_host_that_a_client_decides_is_confirmed(tmp_path: Path, value: str) -> None:
    code = VIEW.replace("VALUE", value)
    ruling = ruled(tmp_path, {"app.py": code}, 601, "app.py:def go")
    assert ruling.verdict == "CONFIRMED"
    assert f"app.py:{line_of(code, 'return redirect')}" in places(ruling)


@pytest.mark.parametrize(
    "value",
    [
        "'/home'",
        "url_for('go')",
        "'/a/' + target",
        "'/?next=' + target",
        "f'https://example.com/{target}'",
        "'blog/' + target",
        "name",
    ],
)
def test_a_fixed_host_is_dismissed_at_the_redirect(tmp_path: Path, value: str) -> None:
    code = VIEW.replace("VALUE", value)
    ruling = ruled(tmp_path, {"app.py": code}, 601, "app.py:def go")
    assert ruling.verdict == "DISMISSED"
    assert places(ruling) == {f"app.py:{line_of(code, 'return redirect')}"}


@pytest.mark.parametrize(
    "guard", ["if not is_local(target):\n        target = '/'", "if not target.startswith('/'):\n        return ''"]
)
def test_a_check_of_the_target_leaves_it_open(tmp_path: Path, guard: str) -> None:
    code = VIEW.replace("VALUE", "target").replace("    return redirect", f"    {guard}\n    return redirect")
    assert ruled(tmp_path, {"app.py": code}, 601, "app.py:def go").verdict == "UNCERTAIN"


@pytest.mark.parametrize(
    "guard",
    [
        "safe = is_local(url=target)\n    target = target if safe else '/'",
        "match = re.match('/[a-z]+$', target)\n    if not match:\n        return ''",
        "try:\n        require(target)\n    except ValueError:\n        return ''",
    ],
)
def test_a_check_whose_answer_is_kept_or_that_raises_leaves_it_open(tmp_path: Path, guard: str) -> None:
    code = "import re\n" + VIEW.replace("VALUE", "target").replace(
        "    return redirect", f"    {guard}\n    return redirect"
    )
    assert ruled(tmp_path, {"app.py": code}, 601, "app.py:def go").verdict == "UNCERTAIN"


def test_a_look_up_that_finds_nothing_leaves_the_value_as_it_was(tmp_path: Path) -> None:
    guard = "found = Page.query.filter_by(path=target).first()\n    if found:\n        return ''"
    code = VIEW.replace("VALUE", "target").replace(
        "    return redirect", f"    {guard}\n    else:\n        return redirect"
    )
    assert ruled(tmp_path, {"app.py": code}, 601, "app.py:def go").verdict == "CONFIRMED"


def test_a_script_that_a_view_makes_sends_the_browser_on(tmp_path: Path) -> None:
    code = VIEW.replace("redirect(VALUE)", "\"<script>window.location.replace('{to}')</script>\".format(to=target)")
    ruling = ruled(tmp_path, {"app.py": code}, 601, "app.py:target = ")
    assert ruling.verdict == "CONFIRMED"
    assert f"app.py:{line_of(code, 'location.replace')}" in places(ruling)


def test_a_script_with_a_fixed_address_is_dismissed(tmp_path: Path) -> None:
    code = VIEW.replace("redirect(VALUE)", "\"<script>window.location = '{to}'</script>\".format(to='/home')")
    assert ruled(tmp_path, {"app.py": code}, 601, "app.py:target = ").verdict == "DISMISSED"


def test_a_function_that_sends_nobody_anywhere_is_dismissed(tmp_path: Path) -> None:
    code = VIEW.replace("redirect(VALUE)", "'hello'")
    ruling = ruled(tmp_path, {"app.py": code}, 601, "app.py:return 'hello'")
    assert ruling.verdict == "DISMISSED"
    assert places(ruling) == {f"app.py:{line_of(code, 'def go')}"}


@pytest.mark.parametrize(("value", "verdict"), [('"/home"', "DISMISSED"), ("environ['QUERY_STRING']", "CONFIRMED")])
def test_a_location_header(tmp_path: Path, value: str, verdict: str) -> None:
    code = f'def application(environ, start_response):\n    start_response("302 Found", [("Location", {value})])\n    return []\n'
    assert ruled(tmp_path, {"app.py": code}, 601, "app.py:start_response(").verdict == verdict


def test_an_address_that_the_framework_makes_is_this_site(tmp_path: Path) -> None:
    code = """\
from pyramid.httpexceptions import HTTPSeeOther


def saved(request):
    return HTTPSeeOther(request.route_path("home"))
"""
    ruling = ruled(tmp_path, {"a.py": code}, 601, "a.py:def saved")
    assert ruling.verdict == "DISMISSED"
    assert places(ruling) == {"a.py:5"}
    asked = code.replace('request.route_path("home")', 'request.params["next"]')
    assert ruled(tmp_path / "b", {"a.py": asked}, 601, "a.py:def saved").verdict == "CONFIRMED"
