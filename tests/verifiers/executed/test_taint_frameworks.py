"""Starlette, FastAPI, Django, command lines and plain functions as the way in."""

from pathlib import Path

import pytest

from harness.contracts import Bench
from harness.sandbox.base import Sandbox
from harness.schema.finding import Finding
from harness.schema.verdict import Judgement, Verdict
from harness.source.project import Project
from tests.support.claims import finding_at
from tests.support.trees import project_of
from verifiers.executed.verifier import ExecutedVerifier


def judge(project: Project, sandbox: Sandbox, finding: Finding) -> Judgement:
    verifier = ExecutedVerifier()
    assert verifier.handles(finding)
    return verifier.verify(finding, Bench(project=project, sandbox=sandbox))


FASTAPI = """
import subprocess
from fastapi import FastAPI, Request
from fastapi.responses import RedirectResponse, HTMLResponse

app = FastAPI()


@app.get("/ping/{host}")
async def ping(host: str, count: int = 1):
    return subprocess.getoutput(f"echo {host} {count}")


@app.get("/lookup")
def lookup(host: str):
    return subprocess.getoutput("echo " + host)


@app.get("/typed")
def typed(host: int):
    return subprocess.getoutput(f"echo {host}")


@app.get("/go")
async def go(request: Request):
    return RedirectResponse(request.query_params["next"])
"""


@pytest.mark.parametrize(
    ("entry", "sink", "kind", "source", "expected"),
    [
        ("ping", 'subprocess.getoutput(f"echo {host} {count}")', "command", "host", Verdict.CONFIRMED),
        ("lookup", 'subprocess.getoutput("echo " + host)', "command", "host", Verdict.CONFIRMED),
        ("typed", 'subprocess.getoutput(f"echo {host}")', "command", "host", Verdict.UNCERTAIN),
        ("go", 'RedirectResponse(request.query_params["next"])', "redirect", "", Verdict.CONFIRMED),
    ],
)
def test_fastapi(
    tmp_path: Path, sandbox: Sandbox, entry: str, sink: str, kind: str, source: str, expected: Verdict
) -> None:
    project = project_of(tmp_path, {"service/__init__.py": "", "service/api.py": FASTAPI})
    facts = {"sink": sink.partition("(")[0], "sink_kind": kind, "entry": entry, "entry_path": "service/api.py"}
    if source:
        facts |= {"source": f"route parameter {source}", "parameter": source, "route": "/"}
        finding = finding_at(project, "service/api.py", sink, kind=kind, facts=facts)
    else:
        facts["source"] = "request.query_params"
        finding = finding_at(
            project, "service/api.py", sink, kind=kind, facts=facts, source="request.query_params", within=entry
        )
    judged = judge(project, sandbox, finding)
    assert judged.verdict is expected, judged


ROUTED = {
    "service/__init__.py": "",
    "service/items.py": """
import subprocess
from fastapi import APIRouter, FastAPI

router = APIRouter(prefix="/items")
inner = FastAPI()


@router.get("/show")
def show(name: str):
    return subprocess.getoutput("echo " + name)


@inner.get("/hidden")
def hidden(name: str):
    return subprocess.getoutput("printf " + name)
""",
    "service/main.py": """
from fastapi import FastAPI
from service.items import inner, router

app = FastAPI()
app.include_router(router, prefix="/v1")
app.mount("/inner", inner)
""",
}


@pytest.mark.parametrize(
    ("entry", "sink"),
    [("show", 'subprocess.getoutput("echo " + name)'), ("hidden", 'subprocess.getoutput("printf " + name)')],
    ids=["included", "mounted"],
)
def test_fastapi_routes_of_another_module(tmp_path: Path, sandbox: Sandbox, entry: str, sink: str) -> None:
    project = project_of(tmp_path, ROUTED)
    facts = {"sink": "subprocess.getoutput", "sink_kind": "command", "entry": entry, "entry_path": "service/items.py",
             "source": "route parameter name", "parameter": "name", "route": "/"}  # fmt: skip
    judged = judge(project, sandbox, finding_at(project, "service/items.py", sink, kind="command", facts=facts))
    assert judged.verdict is Verdict.CONFIRMED, judged


DJANGO = {
    "manage.py": 'import os\nos.environ.setdefault("DJANGO_SETTINGS_MODULE", "site_.settings")\n',
    "site_/__init__.py": "",
    "site_/settings.py": (
        'SECRET_KEY = "x"\nROOT_URLCONF = "site_.urls"\nINSTALLED_APPS = []\nMIDDLEWARE = []\nALLOWED_HOSTS = []\n'
        'DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": "db.sqlite3"}}\n'
    ),
    "site_/urls.py": (
        "from django.urls import path\nfrom site_ import views\n"
        'urlpatterns = [path("run/", views.run), path("page/<str:name>/", views.page), path("safe/", views.Safe.as_view())]\n'
    ),
    "site_/views.py": """
import os
from django.db import connection
from django.http import HttpResponse
from django.utils.html import escape
from django.views import View


def run(request):
    os.system("echo " + request.POST["name"])
    return HttpResponse("done")


def page(request, name):
    with connection.cursor() as cursor:
        cursor.execute(f"select 1 where 'a' = '{name}'")
    return HttpResponse("<b>done</b>")


class Safe(View):
    def get(self, request):
        return HttpResponse("<b>" + escape(request.GET["name"]) + "</b>")
""",
}


@pytest.mark.parametrize(
    ("entry", "sink", "kind", "facts", "source", "expected"),
    [
        ("run", 'os.system("echo " + request.POST["name"])', "command", {"sink": "os.system", "source": "request.POST"},
         "request.POST", Verdict.CONFIRMED),
        ("page", "cursor.execute(f\"select 1 where 'a' = '{name}'\")", "sql",
         {"sink": "?.execute", "source": "route parameter name", "parameter": "name", "route": "page/<str:name>/"},
         "", Verdict.CONFIRMED),
        ("Safe.get", 'HttpResponse("<b>" + escape(request.GET["name"]) + "</b>")', "html",
         {"sink": "django.http.HttpResponse", "source": "request.GET"}, "request.GET", Verdict.UNCERTAIN),
    ],
)  # fmt: skip
def test_django(
    tmp_path: Path,
    sandbox: Sandbox,
    entry: str,
    sink: str,
    kind: str,
    facts: dict[str, str],
    source: str,
    expected: Verdict,
) -> None:
    project = project_of(tmp_path, DJANGO)
    facts = {**facts, "sink_kind": kind, "entry": entry, "entry_path": "site_/views.py"}
    finding = finding_at(
        project, "site_/views.py", sink, kind=kind, facts=facts, source=source, within=entry if source else ""
    )
    judged = judge(project, sandbox, finding)
    assert judged.verdict is expected, judged
    if expected is Verdict.UNCERTAIN:
        assert judged.reason.endswith("arrived and did no harm")


PROGRAM = """
import os
import shlex
import sys


def main():
    os.system("echo " + sys.argv[1])


def careful():
    os.system("echo " + shlex.quote(sys.argv[1]) + " ")


def editor():
    os.system(os.environ["TOOL_EDITOR"] + " file")


if __name__ == "__main__":
    eval(input())
"""


@pytest.mark.parametrize(
    ("entry", "sink", "kind", "source", "text", "expected"),
    [
        ("main", 'os.system("echo " + sys.argv[1])', "command", "sys.argv", "sys.argv", Verdict.CONFIRMED),
        ("careful", 'os.system("echo " + shlex.quote(sys.argv[1]) + " ")', "command", "sys.argv", "sys.argv",
         Verdict.UNCERTAIN),
        ("editor", 'os.system(os.environ["TOOL_EDITOR"] + " file")', "command", "environment", "os.environ",
         Verdict.CONFIRMED),
        ("", "eval(input())", "code", "input()", "input()", Verdict.CONFIRMED),
    ],
)  # fmt: skip
def test_programs(
    tmp_path: Path, sandbox: Sandbox, entry: str, sink: str, kind: str, source: str, text: str, expected: Verdict
) -> None:
    project = project_of(tmp_path, {"tool.py": PROGRAM})
    facts = {
        "sink": sink.partition("(")[0],
        "sink_kind": kind,
        "source": source,
        "entry": entry,
        "entry_path": "tool.py",
        "source_strength": "strong",
    }
    finding = finding_at(project, "tool.py", sink, kind=kind, facts=facts, source=text, within=entry)
    judged = judge(project, sandbox, finding)
    assert judged.verdict is expected, judged


def test_what_the_user_of_a_program_does_to_himself_is_not_confirmed(tmp_path: Path, sandbox: Sandbox) -> None:
    project = project_of(tmp_path, {"tool.py": PROGRAM})
    facts = {"sink": "os.system", "sink_kind": "command", "source": "environment", "source_strength": "weak",
             "entry": "editor", "entry_path": "tool.py"}  # fmt: skip
    sink = 'os.system(os.environ["TOOL_EDITOR"] + " file")'
    finding = finding_at(project, "tool.py", sink, kind="command", facts=facts, source="os.environ", within="editor")
    judged = judge(project, sandbox, finding)
    assert judged.verdict is Verdict.UNCERTAIN
    assert "whoever runs the program decides this value" in judged.reason


FUNCTION = """
import subprocess
import zipfile


def pack(name):
    subprocess.run(f"echo {name}", shell=True)


def pack_list(name):
    subprocess.run(["echo", name])


class Store:
    async def pack(self, name):
        subprocess.run(f"printf {name}", shell=True)
"""


@pytest.mark.parametrize(
    ("entry", "sink", "expected"),
    [
        ("pack", 'subprocess.run(f"echo {name}", shell=True)', Verdict.CONFIRMED),
        ("pack_list", 'subprocess.run(["echo", name])', Verdict.UNCERTAIN),
        ("Store.pack", 'subprocess.run(f"printf {name}", shell=True)', Verdict.CONFIRMED),
    ],
)
def test_plain_functions(tmp_path: Path, sandbox: Sandbox, entry: str, sink: str, expected: Verdict) -> None:
    project = project_of(tmp_path, {"src/store/__init__.py": "", "src/store/packing.py": FUNCTION})
    facts = {"sink": "subprocess.run", "sink_kind": "command", "source": "parameter name", "parameter": "name",
             "entry": entry, "entry_path": "src/store/packing.py", "source_strength": "strong"}  # fmt: skip
    judged = judge(project, sandbox, finding_at(project, "src/store/packing.py", sink, kind="command", facts=facts))
    assert judged.verdict is expected, judged


def test_a_value_in_another_argument_of_the_sink_is_no_harm(tmp_path: Path, sandbox: Sandbox) -> None:
    text = """
import urllib.request
from flask import Flask, request

app = Flask(__name__)


@app.route("/send")
def send():
    urllib.request.urlopen("http://127.0.0.1:9/", data=request.args["note"].encode())
    return "done"
"""
    project = project_of(tmp_path, {"web.py": text})
    facts = {"sink": "urllib.request.urlopen", "sink_kind": "ssrf", "source": "flask.request.args", "entry": "send",
             "entry_path": "web.py"}  # fmt: skip
    sink = 'urllib.request.urlopen("http://127.0.0.1:9/", data=request.args["note"].encode())'
    finding = finding_at(project, "web.py", sink, kind="ssrf", facts=facts, source="request.args", within="send")
    assert judge(project, sandbox, finding).verdict is Verdict.UNCERTAIN


def test_asking_whether_a_file_is_there_is_left_to_reading(tmp_path: Path) -> None:
    project = project_of(tmp_path, {"web.py": "import os\nos.path.exists(name)\n"})
    facts = {"sink": "os.path.exists", "sink_kind": "path", "source": "flask.request.args", "entry": "x",
             "entry_path": "web.py"}  # fmt: skip
    finding = finding_at(project, "web.py", "os.path.exists(name)", kind="path-traversal", facts=facts)
    assert not ExecutedVerifier().handles(finding)
