"""What the finder passes on between functions and modules, and what it leaves alone."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from auditors.security.taint.check import check
from auditors.security.taint.flow import read_module
from harness.schema.finding import Claim, Severity
from harness.source.module import Module
from tests.support.trees import project_of

ROUTE = "from flask import Flask, request\nfrom lib import *\nimport lib\napp = Flask(__name__)\n"


def raised(root: Path, files: dict[str, str]) -> list[Claim]:
    return list(check(project_of(root, files)))


def test_a_chain_names_its_entry_source_steps_and_sink(tmp_path: Path) -> None:
    files = {
        "lib.py": "import os\ndef outer(a, b):\n    inner(b)\n\ndef inner(c):\n    os.system(c)\n",
        "app.py": ROUTE + "@app.route('/go', methods=['POST'])\ndef go():\n    lib.outer(1, b=request.form['x'])\n",
    }
    (claim,) = raised(tmp_path, files)
    assert (claim.location.path, claim.location.line) == ("lib.py", 6)
    assert [r.role for r in claim.related] == ["source", "step", "step", "sink"]
    assert claim.facts["entry"] == "go"
    assert claim.facts["entry_path"] == "app.py"
    assert claim.facts["route"] == "/go"
    assert claim.facts["methods"] == "POST"
    assert claim.facts["sink_kind"] == "command"
    assert claim.facts["source"] == "flask.request.form"
    assert claim.severity is Severity.HIGH
    assert claim.cwe == 78


def test_a_parameter_that_does_not_reach_the_sink_is_not_blamed(tmp_path: Path) -> None:
    files = {
        "lib.py": "import os\ndef outer(a, b):\n    os.system(b)\n",
        "app.py": ROUTE + "@app.route('/go')\ndef go():\n    lib.outer(request.args['x'], 'ls')\n",
    }
    assert raised(tmp_path, files) == []


def test_a_sanitiser_inside_a_called_function_holds_for_its_kind_only(tmp_path: Path) -> None:
    files = {
        "lib.py": "import shlex\ndef quoted(a):\n    return shlex.quote(a)\n",
        "app.py": "import os\n"
        + ROUTE
        + "@app.route('/go')\ndef go():\n    x = lib.quoted(request.args['x'])\n    os.system(x)\n    open(x)\n",
    }
    assert [c.rule for c in raised(tmp_path, files)] == ["path-traversal"]


def test_a_source_that_comes_back_through_two_calls(tmp_path: Path) -> None:
    files = {
        "lib.py": "from flask import request\ndef one():\n    return two()\ndef two():\n    return request.args['x']\n",
        "app.py": "import os\n" + ROUTE + "@app.route('/go')\ndef go():\n    os.system(lib.one())\n",
    }
    (claim,) = raised(tmp_path, files)
    assert claim.related[0].location.path == "lib.py"


def test_recursion_comes_to_an_end(tmp_path: Path) -> None:
    files = {
        "lib.py": "import os\ndef a(x):\n    b(x)\n    return a(x)\ndef b(x):\n    os.system(x)\n    return a(b(x))\n",
        "app.py": ROUTE + "@app.route('/go')\ndef go():\n    lib.a(request.args['x'])\n",
    }
    assert [c.rule for c in raised(tmp_path, files)] == ["command-injection"]


@pytest.mark.parametrize(
    "line", ["open(sys.argv[1])", "requests.get(os.environ['URL'])", "subprocess.run([os.environ['EDITOR'], 'x'])"]
)
def test_what_the_own_user_names_is_no_defect(line: str, tmp_path: Path) -> None:
    assert raised(tmp_path, {"tool.py": f"import sys, os, requests, subprocess\ndef main():\n    {line}\n"}) == []


def test_a_shell_command_of_the_own_user_is_low(tmp_path: Path) -> None:
    (claim,) = raised(tmp_path, {"tool.py": "import os, sys\ndef main():\n    os.system(sys.argv[1])\n"})
    assert claim.severity is Severity.LOW


def test_test_code_is_left_alone(tmp_path: Path) -> None:
    body = "import os\nfrom flask import request\ndef test_x():\n    os.system(request.args['x'])\n"
    assert raised(tmp_path, {"tests/test_x.py": body}) == []


def test_notes_hold_no_tree(tmp_path: Path) -> None:
    project = project_of(tmp_path, {"app.py": ROUTE + "def go():\n    x = request.args['x']\n    eval(x)\n"})
    notes = read_module(project.module("app.py"), project.index)
    seen: list[object] = []

    def walk(value: object) -> None:
        seen.append(value)
        if isinstance(value, tuple | list | frozenset):
            for item in value:
                walk(item)
        elif isinstance(value, dict):
            for key, item in value.items():
                walk(key)
                walk(item)
        elif hasattr(value, "__dict__"):
            walk(vars(value))

    walk(notes)
    assert any(isinstance(v, str) and v == "eval" for v in seen)
    assert not any(isinstance(v, Module) or type(v).__module__ == "ast" for v in seen)


def test_the_same_claims_whatever_the_hash_seed(tmp_path: Path) -> None:
    case = Path(__file__).parents[2] / "corpus" / "security" / "guards"
    script = (
        "import sys, json; from pathlib import Path\n"
        "from harness.contracts import Bench; from harness.source.project import Project\n"
        "from tests.support.corpus import claims, judge; from tests.support.trees import tree_of\n"
        "bench = Bench(project=Project(tree_of(Path(sys.argv[1]))), sandbox=None)\n"
        "print(json.dumps([[c.model_dump(mode='json'), judge(c, bench).model_dump(mode='json')]"
        " for c in claims(bench, 'security')]))\n"
    )
    outputs = [
        subprocess.run(
            [sys.executable, "-c", script, str(case)],
            env=os.environ | {"PYTHONHASHSEED": seed},
            cwd=Path(__file__).parents[3],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert outputs[0] == outputs[1]
    assert len(json.loads(outputs[0])) > 5


def test_nesting_beyond_reason_costs_one_function_only(tmp_path: Path) -> None:
    deep = "x" + "()" * 900
    files = {"app.py": ROUTE + f"def deep(x):\n    return {deep}\n\ndef go():\n    eval(request.args['x'])\n"}
    assert [c.rule for c in raised(tmp_path, files)] == ["code-injection"]


def test_a_very_long_sum_is_read_to_its_end(tmp_path: Path) -> None:
    total = " + ".join(["request.args['x']"] + ["'a'"] * 900)
    assert [c.rule for c in raised(tmp_path, {"app.py": ROUTE + f"def go():\n    eval({total})\n"})] == [
        "code-injection"
    ]


def test_an_object_called_request_is_no_web_request_without_a_sign_of_it(tmp_path: Path) -> None:
    body = "def send(request):\n    open(request.path)\n    eval(request.data)\n"
    assert raised(tmp_path, {"client.py": body}) == []
    telling = "def view(request):\n    eval(request.GET['x'])\n"
    assert [c.rule for c in raised(tmp_path, {"client.py": telling})] == ["code-injection"]


def test_an_example_is_low(tmp_path: Path) -> None:
    body = ROUTE + "@app.route('/go')\ndef go():\n    eval(request.args['x'])\n    return ''\n"
    claims = raised(tmp_path, {"examples/app.py": body, "app.py": body})
    assert [(c.location.path, c.severity) for c in claims] == [
        ("app.py", Severity.HIGH),
        ("examples/app.py", Severity.LOW),
    ]
