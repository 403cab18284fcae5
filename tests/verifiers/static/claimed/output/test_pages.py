"""Claims of cross-site scripting at templates, at template engines, at views that render, and at scripts."""

from pathlib import Path

import pytest

from tests.support.told import line_of, places, ruled

VIEWS = """\
from django.shortcuts import render


def search(request):
    wanted = request.GET.get("q", "")
    context = {"wanted": wanted, "title": "Search"}
    return render(request, "shop/search.html", context)
"""
TEMPLATE = """\
<html>
<body>
<h1>{{ title }}</h1>




<p>PRINTED</p>




</body>
</html>
"""


def django(printed: str) -> dict[str, str]:
    return {"shop/views.py": VIEWS, "shop/templates/shop/search.html": TEMPLATE.replace("<p>PRINTED</p>", printed)}


@pytest.mark.parametrize(
    "printed",
    [
        "<p>{{ wanted|safe }}</p>",
        "{% autoescape off %}<p>{{ wanted }}</p>{% endautoescape %}",
        "<script>go({{ wanted }})</script>",
        "<a onclick=\"go('{{ wanted }}')\">x</a>",
        "{% for word in wanted %}<p>{{ word|safe }}</p>{% endfor %}",
        "{% with text=wanted %}<p>{{ text|safe }}</p>{% endwith %}",
    ],
)
def test_a_request_field_that_a_template_prints_raw_is_confirmed_at_template_and_view(
    tmp_path: Path, printed: str
) -> None:
    files = django(printed)
    template = "shop/templates/shop/search.html"
    at = line_of(files[template], "wanted")
    ruling = ruled(tmp_path / "a", files, 79, f"{template}:wanted")
    assert ruling.verdict == "CONFIRMED"
    assert {f"{template}:{at}", f"shop/views.py:{line_of(VIEWS, 'request.GET')}"} <= places(ruling)
    view = ruled(tmp_path / "b", files, 79, "shop/views.py:wanted = ")
    assert view.verdict == "CONFIRMED"
    assert f"{template}:{at}" in places(view)


@pytest.mark.parametrize(
    "printed",
    [
        "<p>{{ wanted }}</p>",
        "<p>{{ wanted|escape }}</p>",
        "<script>go('{{ wanted }}')</script>",
        '<p title="{{ wanted }}"></p>',
    ],
)
def test_what_is_escaped_is_dismissed_at_the_place_where_it_is_printed(tmp_path: Path, printed: str) -> None:
    files = django(printed)
    template = "shop/templates/shop/search.html"
    ruling = ruled(tmp_path / "a", files, 79, f"{template}:wanted")
    assert ruling.verdict == "DISMISSED"
    assert places(ruling) == {f"{template}:{line_of(files[template], 'wanted')}"}
    assert ruled(tmp_path / "b", files, 79, "shop/views.py:return render").verdict == "DISMISSED"


@pytest.mark.parametrize(
    "printed", ['<a href="{{ wanted }}">x</a>', "<p title={{ wanted }}></p>", "<p>{{ other|safe }}</p>"]
)
def test_an_address_an_open_attribute_and_an_unknown_value_are_open(tmp_path: Path, printed: str) -> None:
    files = django(printed)
    place = "wanted" if "wanted" in printed else "other"
    assert ruled(tmp_path, files, 79, f"shop/templates/shop/search.html:{place}").verdict == "UNCERTAIN"


def test_a_constant_part_of_a_template_is_dismissed(tmp_path: Path) -> None:
    files = django("<p>{{ wanted|safe }}</p>")
    files["shop/templates/shop/search.html"] = files["shop/templates/shop/search.html"].replace(
        "</html>", "\n\n\n\n</html>"
    )
    assert ruled(tmp_path, files, 79, "shop/templates/shop/search.html:</html>").verdict == "DISMISSED"


@pytest.mark.parametrize("line", ["<p>${wanted}</p>", "{% show_badge user %}", '<p v-html="wanted"></p>'])
def test_what_another_engine_or_a_tag_of_the_project_prints_is_open(tmp_path: Path, line: str) -> None:
    files = {"shop/templates/a.html": f"<html>\n\n\n\n\n{line}\n</html>\n"}
    assert ruled(tmp_path, files, 79, f"shop/templates/a.html:{line}").verdict == "UNCERTAIN"


def test_another_variable_beside_it_is_not_what_is_meant(tmp_path: Path) -> None:
    files = django("<b>{{ title|safe }}</b>\n<p>{{ wanted|safe }}</p>")
    ruling = ruled(tmp_path, files, 79, "shop/templates/shop/search.html:title|safe")
    assert ruling.verdict == "DISMISSED"


def test_a_value_that_the_view_checks_is_open(tmp_path: Path) -> None:
    files = django("<p>{{ wanted|safe }}</p>")
    files["shop/views.py"] = VIEWS.replace(
        "    context", "    if not wanted.isalnum():\n        wanted = ''\n    context"
    )
    assert ruled(tmp_path, files, 79, "shop/templates/shop/search.html:wanted|safe").verdict != "CONFIRMED"


APP = """\
from aiohttp import web
from aiohttp_jinja2 import setup, template

from rows import Note


def init():
    app = web.Application()
    setup(app, loader=LOADER, autoescape=SWITCH)
    return app


@template("notes.html")
async def notes(request: web.Request):
    if request.method == "POST":
        data = await request.post()
        await Note.create(request.app["db"], data["text"])
    return {"notes": await Note.all(request.app["db"]), "me": "root"}
"""
ROWS = """\
from typing import NamedTuple


class Note(NamedTuple):
    id: int
    text: str

    @classmethod
    def of(cls, row):
        return cls(*row) if row else None

    @staticmethod
    async def all(db):
        async with db.cursor() as cursor:
            await cursor.execute("SELECT id, text FROM notes")
            return [Note.of(row) for row in await cursor.fetchall()]

    @staticmethod
    async def create(db, text):
        given = {"text": text}
        async with db.cursor() as cursor:
            await cursor.execute("INSERT INTO notes (text) VALUES (%(text)s)", given)
"""


def aiohttp(switch: str, printed: str) -> dict[str, str]:
    page = f"<ul>\n{{% for note in notes %}}\n<li>{printed}</li>\n{{% endfor %}}\n</ul>\n"
    return {"app.py": APP.replace("SWITCH", switch), "rows.py": ROWS, "templates/notes.html": page}


@pytest.mark.parametrize("place", ["app.py:autoescape", "templates/notes.html:<li>", "app.py:async def notes"])
def test_an_engine_without_escaping_shows_what_others_stored(tmp_path: Path, place: str) -> None:
    files = aiohttp("False", "{{ note.text }}")
    ruling = ruled(tmp_path, files, 79, place)
    assert ruling.verdict == "CONFIRMED"
    assert {"templates/notes.html:3", f"app.py:{line_of(APP, 'autoescape')}"} <= places(ruling)


@pytest.mark.parametrize(
    ("switch", "printed"),
    [
        ("True", "{{ note.text }}"),
        ("False", "{{ note.text|e }}"),
        ("False", "{{ me }}"),
        ("False", "{{ note.text|length }}"),
    ],
)
def test_what_the_engine_or_a_filter_escapes_is_dismissed(tmp_path: Path, switch: str, printed: str) -> None:
    ruling = ruled(tmp_path, aiohttp(switch, printed), 79, "templates/notes.html:<li>")
    assert ruling.verdict == "DISMISSED"
    assert "templates/notes.html:3" in places(ruling)


def test_an_engine_whose_templates_print_nothing_of_a_client_is_not_confirmed(tmp_path: Path) -> None:
    assert ruled(tmp_path, aiohttp("False", "{{ note.id }}"), 79, "app.py:autoescape").verdict != "CONFIRMED"


def test_a_plain_environment_does_not_escape(tmp_path: Path) -> None:
    code = """\
from flask import Flask, request
from jinja2 import Environment, FileSystemLoader

pages = Environment(loader=FileSystemLoader("templates"))


def view():
    return pages.get_template("hello.html").render(name=request.args["name"])
"""
    files = {"app.py": code, "templates/hello.html": "<p>{{ name }}</p>\n"}
    assert ruled(tmp_path / "a", files, 79, "app.py:pages = ").verdict == "CONFIRMED"
    assert ruled(tmp_path / "b", files, 79, "app.py:def view").verdict == "CONFIRMED"
    files["app.py"] = code.replace('"templates"))', '"templates"), autoescape=True)')
    assert ruled(tmp_path / "c", files, 79, "app.py:def view").verdict == "DISMISSED"


@pytest.mark.parametrize(
    ("script", "verdict"),
    [
        ("document.write('<b>' + decodeURIComponent(location.hash.slice(1)) + '</b>');", "CONFIRMED"),
        ("list.innerHTML = new URLSearchParams(location.search).get('q');", "CONFIRMED"),
        ("list.innerHTML = '<b>none</b>';", "DISMISSED"),
        ("list.textContent = location.hash;", "DISMISSED"),
        ("list.innerHTML = load();", "UNCERTAIN"),
    ],
)
def test_scripts_by_what_they_write_into_the_page(tmp_path: Path, script: str, verdict: str) -> None:
    text = f"var list = document.body;\n\n{script}\n"
    ruling = ruled(tmp_path, {"static/a.js": text}, 79, "static/a.js:" + script[:12])
    assert ruling.verdict == verdict
    if verdict != "UNCERTAIN":
        assert places(ruling) == {"static/a.js:3"}
