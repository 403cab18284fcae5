"""Claims about Flask routes: what an outsider can send is sent, and must do harm before anything is confirmed."""

from pathlib import Path

import pytest

from harness.contracts import Bench
from harness.sandbox.base import Sandbox
from harness.schema.evidence import Tier
from harness.schema.finding import Finding
from harness.schema.verdict import Judgement, Verdict
from harness.source.project import Project
from tests.support.claims import finding_at
from tests.support.trees import project_of
from verifiers.executed.verifier import ExecutedVerifier

APP = """
import base64, os, pickle, shlex, sqlite3, subprocess
from flask import Flask, redirect, request, render_template_string, abort
from markupsafe import escape
from urllib.parse import unquote_plus

app = Flask(__name__)
app.add_url_rule("/named-only", endpoint="nobody")
base = os.path.abspath("files")


@app.route("/command")
def command():
    name = request.args["name"]
    return os.popen(f"echo {name}").read()


@app.route("/quoted")
def quoted():
    name = shlex.quote(request.args["name"])
    os.system(f"echo {name}")
    return "done"


@app.route("/in-quotes", methods=["POST"])
def in_quotes():
    label = request.form.get("label", "")
    count = int(request.form.get("count", "0"))
    subprocess.run("echo '%s' %d" % (label, count), shell=True)
    return "done"


@app.route("/digits")
def digits():
    name = request.args["name"]
    if not name.isalnum():
        abort(400)
    os.system("ls " + name)
    return "done"


@app.route("/exits")
def exits():
    os._exit(0)


@app.route("/user")
def user():
    name = request.args["name"]
    connection = sqlite3.connect(":memory:")
    connection.execute("create table users (name text)")
    return str(connection.execute("select * from users where name = '" + name + "'").fetchall())


@app.route("/user-bound")
def user_bound():
    name = request.args["name"]
    connection = sqlite3.connect(":memory:")
    connection.execute("create table users (name text)")
    return str(connection.execute("select * from users where name = ?", (name,)).fetchall())


@app.route("/user-doubled")
def user_doubled():
    name = request.args["name"].replace("'", "''")
    connection = sqlite3.connect(":memory:")
    connection.execute("create table users (name text)")
    return str(connection.execute("select name from users where name = '" + name + "'").fetchall())


@app.route("/file/<path:name>")
def file(name):
    return open(os.path.join(base, name)).read()


@app.route("/file-checked")
def file_checked():
    path = os.path.normpath(os.path.join(base, request.args["name"]))
    if not path.startswith(base + os.sep):
        abort(404)
    return open(path).read()


@app.route("/hello")
def hello():
    return "<p>Hello " + request.args["name"] + "</p>"


@app.route("/hello-escaped")
def hello_escaped():
    return "<p>Hello " + escape(request.args["name"]) + "</p>"


@app.route("/template")
def template():
    return render_template_string("Hi " + request.args["name"])


@app.route("/go")
def go():
    return redirect(request.args["next"])


@app.route("/go-local")
def go_local():
    return redirect("/pages/" + request.args["next"])


@app.route("/load", methods=["POST"])
def load():
    pickle.loads(request.get_data())
    return "done"


@app.route("/cookie")
def cookie():
    return str(pickle.loads(base64.b64decode(request.cookies["state"])))


@app.route("/calculate", methods=["POST"])
def calculate():
    return str(eval(request.json["expression"]))


@app.route("/names", methods=["POST"])
def names():
    for name in request.form:
        if "marked" in request.form.getlist(name):
            os.system("echo " + name)
    return "done"


@app.route("/raw")
def raw():
    query = request.query_string.decode()
    at = query.find("folder" + "=")
    if at < 0:
        return "no folder"
    os.system("ls " + unquote_plus(query[at + 7:]))
    return "done"


def unreachable():
    return os.popen("echo " + request.args["name"]).read()


def helper():
    return request.headers["X-Name"]


@app.route("/through-helper")
def through_helper():
    os.system("echo " + helper())
    return "done"
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return project_of(tmp_path_factory.mktemp("shop"), {"shop/__init__.py": "", "shop/web.py": APP})


def judge(project: Project, sandbox: Sandbox, finding: Finding) -> Judgement:
    verifier = ExecutedVerifier()
    assert verifier.handles(finding)
    return verifier.verify(finding, Bench(project=project, sandbox=sandbox))


def claim(project: Project, entry: str, sink: str, kind: str, source: str, text: str, name: str = "") -> Finding:
    facts = {"sink": name or sink.partition("(")[0], "sink_kind": kind, "source": source, "entry": entry,
             "entry_path": "shop/web.py"}  # fmt: skip
    if source.startswith("route parameter"):
        facts |= {"parameter": source.rpartition(" ")[2], "route": "/"}
        return finding_at(project, "shop/web.py", sink, kind=kind, facts=facts)
    return finding_at(project, "shop/web.py", sink, kind=kind, facts=facts, source=text, within=entry)


ARGS, ARG = "flask.request.args", "request.args"
TRUE = [
    ("command", 'os.popen(f"echo {name}")', "command", ARGS, ARG, ""),
    ("in_quotes", "subprocess.run(\"echo '%s' %d\" % (label, count), shell=True)", "command", "flask.request.form",
     "request.form", ""),
    ("user", "connection.execute(\"select * from users where name = '\" + name + \"'\")", "sql", ARGS, ARG, "?.execute"),
    ("file", "open(os.path.join(base, name))", "path", "route parameter name", "", ""),
    ("hello", 'return "<p>Hello " + request.args["name"] + "</p>"', "html", ARGS, ARG, "response body"),
    ("template", 'render_template_string("Hi " + request.args["name"])', "template", ARGS, ARG, ""),
    ("go", 'redirect(request.args["next"])', "redirect", ARGS, ARG, ""),
    ("load", "pickle.loads(request.get_data())", "deserialization", "flask.request.get_data", "request.get_data", ""),
    ("cookie", 'pickle.loads(base64.b64decode(request.cookies["state"]))', "deserialization", "flask.request.cookies",
     "request.cookies", ""),
    ("calculate", 'eval(request.json["expression"])', "code", "flask.request.json", "request.json", ""),
    ("names", 'os.system("echo " + name)', "command", "flask.request.form", "request.form", ""),
    ("raw", 'os.system("ls " + unquote_plus(query[at + 7:]))', "command", "flask.request.query_string",
     "request.query_string", ""),
    ("helper", 'os.system("echo " + helper())', "command", "flask.request.headers", "request.headers", ""),
]  # fmt: skip
HELD, ABSENT = "what was sent arrived and did no harm", "what was sent never arrived there"
FALSE = [
    ("quoted", 'os.system(f"echo {name}")', "command", ARGS, ARG, "", HELD),
    ("digits", 'os.system("ls " + name)', "command", ARGS, ARG, "", HELD),
    ("user_bound", 'connection.execute("select * from users where name = ?", (name,))', "sql", ARGS, ARG, "?.execute", HELD),
    ("user_doubled", "connection.execute(\"select name from users where name = '\" + name + \"'\")", "sql", ARGS, ARG,
     "?.execute", HELD),
    ("file_checked", "open(path)", "path", ARGS, ARG, "", HELD),
    ("hello_escaped", 'return "<p>Hello " + escape(request.args["name"]) + "</p>"', "html", ARGS, ARG, "response body", HELD),
    ("go_local", 'redirect("/pages/" + request.args["next"])', "redirect", ARGS, ARG, "", HELD),
    ("unreachable", 'os.popen("echo " + request.args["name"])', "command", ARGS, ARG, "", ABSENT),
]  # fmt: skip


@pytest.mark.parametrize(("entry", "sink", "kind", "source", "text", "name"), TRUE, ids=[t[0] for t in TRUE])
def test_a_true_claim_is_reproduced(
    project: Project, sandbox: Sandbox, entry: str, sink: str, kind: str, source: str, text: str, name: str
) -> None:
    judged = judge(project, sandbox, claim(project, entry, sink, kind, source, text, name))
    assert (judged.verdict, judged.tier) == (Verdict.CONFIRMED, Tier.E4), judged
    assert judged.evidence[0].tier is Tier.E4
    assert "control:" in judged.evidence[0].detail


@pytest.mark.parametrize(("entry", "sink", "kind", "source", "text", "name", "end"), FALSE, ids=[f[0] for f in FALSE])
def test_a_false_claim_is_neither_confirmed_nor_dismissed(
    project: Project, sandbox: Sandbox, entry: str, sink: str, kind: str, source: str, text: str, name: str, end: str
) -> None:
    judged = judge(project, sandbox, claim(project, entry, sink, kind, source, text, name))
    assert (judged.verdict, judged.tier) == (Verdict.UNCERTAIN, Tier.E1), judged
    assert judged.reason.endswith(end), judged


@pytest.mark.parametrize(
    "around",
    ["def create_app():\n    app = Flask(__name__)\n{view}\n    return app\n", "def install(app):\n{view}\n"],
    ids=["factory", "installer"],
)
def test_routes_inside_of_a_function(tmp_path: Path, sandbox: Sandbox, around: str) -> None:
    view = """
    @app.route("/run", methods=["POST"])
    def run():
        os.system("echo " + request.form["name"])
        return "done"
"""
    project = project_of(
        tmp_path, {"web.py": "import os\nfrom flask import Flask, request\n" + around.format(view=view)}
    )
    entry = next(name for name, _ in project.module("web.py").functions if name.endswith(".run"))
    facts = {"sink": "os.system", "sink_kind": "command", "source": "flask.request.form", "entry": entry,
             "entry_path": "web.py"}  # fmt: skip
    sink = 'os.system("echo " + request.form["name"])'
    finding = finding_at(project, "web.py", sink, kind="command", facts=facts, source="request.form", within=entry)
    assert judge(project, sandbox, finding).verdict is Verdict.CONFIRMED
