"""Claims that name a place and a CWE about data of outsiders: which stand, which fall by which line, which stay open."""

from pathlib import Path
from textwrap import dedent

import pytest

from harness.schema.finding import Finding, Severity
from harness.schema.verdict import Verdict
from tests.support.trees import project_of
from verifiers.static.claimed.flow import FALSIFIERS
from verifiers.static.ruling import Ruling

CONFIRMED, DISMISSED, UNCERTAIN = Verdict.CONFIRMED, Verdict.DISMISSED, Verdict.UNCERTAIN

VIEW = """
from flask import Flask, request
from shop import tools

app = Flask(__name__)


@app.route("/run")
def run():
    return tools.act(request.args["q"])
"""


def ruling(root: Path, files: dict[str, str], cwe: int, path: str, marked: str = "# here") -> Ruling:
    """The ruling for a claim at the marked line, which says nothing else."""
    project = project_of(root, {name: dedent(text) for name, text in files.items()})
    lines = project.lines(path)
    line = next(n for n, text in enumerate(lines, 1) if marked in text)
    finding = Finding(
        id="0000", fingerprint="0000", dimension=("model",), auditors=("model",), rule=f"model:CWE-{cwe}", cwe=cwe,
        severity=Severity.HIGH, path=path, line=line, end_line=line, symbol=None, quote=lines[line - 1].strip(),
        scenario="", fix="", kind=f"model:CWE-{cwe}", facts={"told": f"CWE-{cwe}"},
    )  # fmt: skip
    return FALSIFIERS[cwe](finding, project)


def lines_of(found: Ruling) -> set[int]:
    return {at.line for evidence in found.evidence for at in evidence.locations}


def acting(body: str) -> dict[str, str]:
    """A web application whose view hands a parameter of the request to `act`."""
    return {"shop/__init__.py": "", "shop/web.py": VIEW, "shop/tools.py": body}


HARMFUL = {
    78: "import os\n\n\ndef act(q):  # here\n    os.system('ping ' + q)\n",
    94: "import jinja2\n\n\ndef act(q):  # here\n    return jinja2.Environment().from_string('Hi ' + q).render()\n",
    95: "def act(q):  # here\n    return eval(q)\n",
    22: "def act(q):  # here\n    with open('/srv/' + q) as file:\n        return file.read()\n",
    502: "import pickle, base64\n\n\ndef act(q):  # here\n    return pickle.loads(base64.b64decode(q))\n",
    643: "from lxml import etree\n\ntree = etree.parse('users.xml')\n\n\ndef act(q):  # here\n    return tree.findall(q)\n",
    918: "import requests\n\n\ndef act(q):  # here\n    return requests.get(q).text\n",
    1333: "import re\n\n\ndef act(q):  # here\n    return re.fullmatch(r'(a+)+', q)\n",
    400: "import re\n\n\ndef act(q):  # here\n    return re.fullmatch(r'(a+)+', q)\n",
}


@pytest.mark.parametrize("cwe", HARMFUL)
def test_a_claim_at_the_head_of_the_function_stands_by_the_operation_inside(cwe: int, tmp_path: Path) -> None:
    found = ruling(tmp_path, acting(HARMFUL[cwe]), cwe, "shop/tools.py")
    assert found.verdict is CONFIRMED
    last = HARMFUL[cwe].splitlines()
    operation = next(n for n, t in enumerate(last, 1) if n > 1 and "(" in t and "def " not in t and "= etree" not in t)
    assert operation in lines_of(found)


HARMLESS = {
    78: "import subprocess\n\n\ndef act(q):  # here\n    subprocess.run(['ping', '--', q], check=True)\n",
    22: "def act(q):  # here\n    with open('/srv/page.txt') as file:\n        return file.read() + q\n",
    918: "import requests\n\n\ndef act(q):  # here\n    return requests.get('https://example.org/status').text + q\n",
}


@pytest.mark.parametrize("cwe", HARMLESS)
def test_a_claim_falls_when_the_operation_is_only_given_what_cannot_harm(cwe: int, tmp_path: Path) -> None:
    found = ruling(tmp_path, acting(HARMLESS[cwe]), cwe, "shop/tools.py")
    assert found.verdict is DISMISSED
    operation = next(
        n for n, t in enumerate(HARMLESS[cwe].splitlines(), 1) if "run(" in t or "open(" in t or "get(" in t
    )
    assert lines_of(found) == {operation}


ALONE = "from flask import Flask\n\napp = Flask(__name__)\n\n\n@app.route('/')\ndef index():\n    return 'x'.upper()  # here\n"


@pytest.mark.parametrize("cwe", [78, 94, 95, 22, 502, 611, 643, 918, 1333])
def test_a_claim_falls_when_nothing_there_does_it_and_the_witness_is_the_function(cwe: int, tmp_path: Path) -> None:
    found = ruling(tmp_path, {"web.py": ALONE}, cwe, "web.py")
    assert (found.verdict, lines_of(found)) == (DISMISSED, {7})


@pytest.mark.parametrize("cwe", [78, 94, 95, 22, 502, 918])
def test_a_parameter_that_nobody_is_seen_to_fill_stays_open(cwe: int, tmp_path: Path) -> None:
    found = ruling(tmp_path, {"tools.py": HARMFUL[cwe]}, cwe, "tools.py")
    assert found.verdict is UNCERTAIN


def test_a_broad_claim_does_not_fall_for_want_of_a_pattern(tmp_path: Path) -> None:
    assert ruling(tmp_path, {"web.py": ALONE}, 400, "web.py").verdict is UNCERTAIN


# what speaks against a claim, or only seems to


def test_a_sanitiser_in_a_function_of_its_own_counts(tmp_path: Path) -> None:
    body = """
        import os
        import shlex


        def safe(text):
            return shlex.quote(text)


        def act(q):  # here
            os.system("ping " + safe(q))
    """
    assert ruling(tmp_path, acting(body), 78, "shop/tools.py").verdict is not CONFIRMED


def test_a_guard_one_call_before_counts(tmp_path: Path) -> None:
    files = acting(HARMFUL[78])
    files["shop/web.py"] = VIEW.replace(
        'return tools.act(request.args["q"])',
        'q = request.args["q"]\n    if q not in ("a", "b"):\n        return "no"\n    return tools.act(q)',
    )
    assert ruling(tmp_path, files, 78, "shop/tools.py").verdict is not CONFIRMED


def test_a_function_of_the_project_that_is_called_like_an_operation_is_none(tmp_path: Path) -> None:
    body = "def eval(text):\n    return len(text)\n\n\ndef act(q):  # here\n    return eval(q)\n"
    assert ruling(tmp_path, acting(body), 95, "shop/tools.py").verdict is not CONFIRMED


def test_an_operation_behind_a_return_is_not_reached(tmp_path: Path) -> None:
    body = "import os\n\n\ndef act(q):  # here\n    return 1\n    os.system(q)\n"
    assert ruling(tmp_path, acting(body), 78, "shop/tools.py").verdict is not CONFIRMED


def test_code_of_tests_is_reached_by_nobody_outside(tmp_path: Path) -> None:
    found = ruling(tmp_path, {"tests/test_x.py": "def test_x():\n    eval('1')  # here\n"}, 95, "tests/test_x.py")
    assert found.verdict is DISMISSED
    assert lines_of(found) == {2}


def test_a_sandboxed_template_stays_open(tmp_path: Path) -> None:
    body = (
        HARMFUL[94]
        .replace("jinja2.Env", "jinja2.sandbox.SandboxedEnv")
        .replace("import jinja2", "import jinja2.sandbox")
    )
    assert ruling(tmp_path, acting(body), 94, "shop/tools.py").verdict is UNCERTAIN


def test_find_on_what_is_no_document_is_no_lookup(tmp_path: Path) -> None:
    body = "def act(q):  # here\n    return 'abc'.find(q)\n"
    assert ruling(tmp_path, acting(body), 643, "shop/tools.py").verdict is not CONFIRMED


def test_a_pattern_that_matches_at_once_stays_open(tmp_path: Path) -> None:
    body = HARMFUL[1333].replace("fullmatch", "match")
    assert ruling(tmp_path, acting(body), 1333, "shop/tools.py").verdict is UNCERTAIN


def test_a_constant_is_judged_by_the_function_that_uses_it(tmp_path: Path) -> None:
    body = "import re\n\nWORDS = r'(a+)+'  # here\n\n\ndef act(q):\n    return re.fullmatch(WORDS, q)\n"
    found = ruling(tmp_path, acting(body), 1333, "shop/tools.py")
    assert found.verdict is CONFIRMED
    assert 7 in lines_of(found)


# before an operation is said to be absent


@pytest.mark.parametrize(
    "body",
    [
        "def act(q):  # here\n    return 'ping ' + q\n",
        "import os\n\n\nclass A:\n    def act(self, q):  # here\n        self.line = 'ping ' + q\n\n"
        "    def go(self):\n        os.system(self.line)\n",
        "def act(q, how):  # here\n    how(q)\n",
        "def act(q):  # here\n    print(q)\n\n\ndef other(q):\n    import os\n    os.system(q)\n",
        "def act(q):  # here\n    helper(q)\n\n\ndef helper(q):\n    q.run_it()\n",
    ],
    ids=["returned to nobody seen", "stored", "handed in", "near", "of an unknown object"],
)
def test_an_operation_that_may_be_elsewhere_keeps_the_claim_open(body: str, tmp_path: Path) -> None:
    assert ruling(tmp_path, {"tools.py": body}, 78, "tools.py").verdict is UNCERTAIN


def test_a_result_that_a_caller_runs_keeps_the_claim_open(tmp_path: Path) -> None:
    body = (
        "import os\n\n\ndef line(q):  # here\n    return 'ping ' + q\n"
        + "\n" * 20
        + "def act():\n    os.system(line('x'))\n"
    )
    assert ruling(tmp_path, {"tools.py": body}, 78, "tools.py").verdict is UNCERTAIN


def test_the_twin_of_an_operation_on_the_line_is_what_the_claim_is_about(tmp_path: Path) -> None:
    web = """
        import pickle
        from flask import Flask, request

        app = Flask(__name__)


        @app.route("/put")
        def put():
            save(pickle.dumps(request.args["q"]))  # here
            return "ok"


        def save(text):
            print(text)


        @app.route("/get")
        def get():
            return str(pickle.loads(request.data))
    """
    assert ruling(tmp_path, {"web.py": web}, 502, "web.py").verdict is DISMISSED


def test_a_module_level_parse_of_a_fixed_file_falls(tmp_path: Path) -> None:
    body = "import xml.etree.ElementTree as ET\n\nUSERS = []\n"
    body += "for user in ET.parse('users.xml').findall('u'):  # here\n    USERS.append(user)\n"
    found = ruling(tmp_path, {"users.py": body}, 611, "users.py")
    assert (found.verdict, lines_of(found)) == (DISMISSED, {4})


# ways by which data gets there


def test_an_operation_that_is_handed_in_is_known_by_what_it_is(tmp_path: Path) -> None:
    body = """
        from urllib.request import urlopen


        def fetch(how, address):  # here
            return how(address)


        def act(q):
            return fetch(urlopen, q)
    """
    assert ruling(tmp_path, acting(body), 918, "shop/tools.py").verdict is CONFIRMED


FAMILY = """
    import os
    from http.server import BaseHTTPRequestHandler
    from urllib.parse import parse_qs, urlparse


    class Page:
        def show(self, request):
            return ""


    class A(Page):
        def show(self, request):
            return "a"


    class B(Page):
        def show(self, request):
            return "b"


    class C(Page):
        def show(self, request):  # here
            os.system("ping " + request.params.get("q")[0])


    class Server(BaseHTTPRequestHandler):
        pages = []

        def do_GET(self):
            self.params = parse_qs(urlparse(self.path).query)
            for page in self.pages:
                page.show(self)
"""


def test_a_method_of_a_family_of_classes_is_reached_through_any_object_of_it(tmp_path: Path) -> None:
    assert ruling(tmp_path, {"server.py": FAMILY}, 78, "server.py").verdict is CONFIRMED


def test_methods_of_unrelated_classes_are_not(tmp_path: Path) -> None:
    unrelated = FAMILY.replace("class C(Page)", "class C(Other)").replace(
        "class A(Page)", "class Other:\n        pass\n\n\n    class A(Page)"
    )
    assert ruling(tmp_path, {"server.py": unrelated}, 78, "server.py").verdict is UNCERTAIN


WRITES = """
    import os
    from flask import Flask, render_template, request
    from shop import plugin

    app = Flask(__name__)


    @app.route("/put", methods=["POST"])
    def put():  # here
        with open(os.path.join(os.path.dirname(__file__), "NAME"), "w") as file:
            file.write(request.form["text"])
        return "ok"


    @app.route("/show")
    def show():
        return render_template("pages/user.html")
"""


@pytest.mark.parametrize(
    ("name", "verdict"),
    [
        ("shop/plugin.py", CONFIRMED),
        ("templates/pages/user.html", CONFIRMED),
        ("templates/pages/other.html", UNCERTAIN),
        ("shop/notes.txt", UNCERTAIN),
    ],
)
def test_text_of_an_outsider_in_a_file_that_is_run_later_is_code(name: str, verdict: Verdict, tmp_path: Path) -> None:
    files = {"shop/__init__.py": "", "shop/plugin.py": "X = 1\n", "shop/web.py": dedent(WRITES).replace("NAME", name)}
    assert ruling(tmp_path, files, 94, "shop/web.py").verdict is verdict


def test_an_uploaded_file_is_what_its_sender_wrote(tmp_path: Path) -> None:
    web = """
        import os
        from fastapi import FastAPI, File, UploadFile

        app = FastAPI()


        @app.post("/put")
        async def put(file: UploadFile = File(...)):  # here
            os.system((await file.read())[:20])
    """
    assert ruling(tmp_path, {"web.py": web}, 78, "web.py").verdict is CONFIRMED


def test_a_name_that_comes_with_a_star_is_what_it_is_there(tmp_path: Path) -> None:
    files = acting("from shop.base import *\n\n\ndef act(q):  # here\n    os.system(q)\n")
    files["shop/base.py"] = "import os\n"
    assert ruling(tmp_path, files, 78, "shop/tools.py").verdict is UNCERTAIN  # by name it is nobody's
    files["shop/tools.py"] = "from shop.base import *\n\n\ndef act(q):  # here\n    run = os.system\n    run(q)\n"
    assert ruling(tmp_path, files, 78, "shop/tools.py").verdict is CONFIRMED


@pytest.mark.parametrize(
    ("line", "verdict"),
    [
        ('subprocess.Popen(f"docker run {image}".split(" "))', DISMISSED),
        ('subprocess.Popen(f"docker run {image}".split(" ")[2], shell=True)', UNCERTAIN),
        ('subprocess.Popen(f"env {image}".split(" "))', UNCERTAIN),
        ('subprocess.Popen(f"docker run {q}".split(" "))', UNCERTAIN),
    ],
)
def test_a_command_line_that_is_split_for_a_fixed_program(line: str, verdict: Verdict, tmp_path: Path) -> None:
    body = "import subprocess\nfrom shop.db import images\n\n\ndef act(q):  # here\n    image = images.one()\n"
    body += f"    {line}\n"
    assert ruling(tmp_path, acting(body), 78, "shop/tools.py").verdict is verdict


def test_what_follows_a_fixed_host_does_not_choose_the_server(tmp_path: Path) -> None:
    body = "import requests\n\n\ndef act(q):  # here\n    requests.get(f'https://example.org/{q}/json')\n"
    assert ruling(tmp_path, {"tools.py": body}, 918, "tools.py").verdict is DISMISSED
    open_host = body.replace("example.org/{q}", "{q}.example.org/")
    assert ruling(tmp_path, {"other.py": open_host}, 918, "other.py").verdict is UNCERTAIN
