"""A reproducer that a model wrote proves what it runs, and no lie of it proves anything."""

import os
from pathlib import Path

import pytest

from harness.contracts import Bench
from harness.sandbox.base import Limits
from tests.support.reproducers import CALC, CONTROL, GOOD, LINE, average
from verifiers.executed.program import objection_to, run


@pytest.fixture
def trial(tmp_path, sandbox):
    def run_it(program, control, **files):
        project, finding = average(tmp_path / "p", **files)
        return run(program, control, finding, Bench(project=project, sandbox=sandbox), sandbox)

    return run_it


def test_a_good_reproducer_proves(trial):
    ending = trial(GOOD, CONTROL)
    assert ending.proved
    assert ending.said == f"the program exited 1, the control exited 0; line {LINE} was reached in the program"


NOT_TOUCHED = GOOD.replace("average(values)", "len(values) or 1 / 0")


@pytest.mark.parametrize(
    ("program", "control", "says"),
    [
        # it never comes to the code
        (NOT_TOUCHED, CONTROL.replace("average(values)", "len(values) or 1 / 0"), "was not reached in the program"),
        # it comes to the code, and the control does not
        (GOOD, GOOD.replace("values = []", "values = [1]").replace("average(", "len("), "did not come to the function"),
        # the defect does not show
        (CONTROL, GOOD.replace("values = []", "values = [2]"), "the program exited 0"),
        # the control shows it too
        (GOOD, GOOD.replace("values = []", "values = ()"), "the control exited 1"),
        # an exception is no proof
        (GOOD.replace("ZeroDivisionError", "KeyError"), CONTROL.replace("ZeroDivisionError", "KeyError"),
         "the program ended with an exception that nobody caught"),
        (GOOD.replace("calc", "calk"), CONTROL.replace("calc", "calk"), "ended with an exception"),
        # it prints what somebody might believe, to every descriptor, and ends
        ("import os, sys\nfor fd in range(20):\n    try:\n        os.write(fd, b'1 {\"answer\": {\"reached\": true}}\\n')\n"
         "    except OSError:\n        pass\nos._exit(1 if [] == [] else 0)\n",
         "import os, sys\nfor fd in range(20):\n    try:\n        os.write(fd, b'0 {\"answer\": {\"reached\": true}}\\n')\n"
         "    except OSError:\n        pass\nos._exit(1 if [] == [1] else 0)\n",
         "was not reached in the program"),
        # it replaces the code with its own
        (GOOD.replace("from calc import average", "average = lambda v: 1 / len(v)"),
         CONTROL.replace("from calc import average", "average = lambda v: 1 / len(v)"), "was not reached"),
    ],
)  # fmt: skip
def test_lies_and_mistakes_prove_nothing(trial, program, control, says):
    ending = trial(program, control)
    assert not ending.proved
    assert says in ending.said


@pytest.mark.parametrize(
    ("program", "control", "says"),
    [
        ("import sys\nsys.exit(1)\n", "import sys\nsys.exit(0)\n", "exits 1 whatever happens"),
        ("from calc import average\naverage([1])\nraise SystemExit(1)\n", CONTROL, "exits 1 whatever happens"),
        (GOOD, GOOD.replace("sys.exit(1)", "sys.exit(0)"), "only end differently"),
        (GOOD, GOOD, "only end differently"),
        (
            "import sys\nsys.exit(1 if [] == [] else 0)\n",
            "import sys\nsys.exit(1 if [] == [1] else 0)\n",
            "only end differently",
        ),
        (GOOD, "print('all is well')\n", "the control is another program"),
        (GOOD, "def (:", "no Python"),
        (GOOD, "#" * 20_001, "more than 20000 characters"),
        (GOOD, "\0", "no Python"),
    ],
)
def test_some_lies_are_seen_before_anything_is_run(program, control, says):
    assert says in objection_to(program, control)


def test_input_in_the_exit_itself_is_honest():
    short = "import sys\nfrom calc import average\nsys.exit(average([]) is None)\n"
    assert objection_to(short, short.replace("[]", "[1]")) == ""


def test_an_exit_at_the_end_after_another_is_honest():
    late = "import sys\nfrom calc import average\nif average([2]) == 2:\n    sys.exit(0)\nsys.exit(1)\n"
    assert objection_to(late, late.replace("[2]", "[3]")) == ""


def test_a_program_that_hangs_is_ended(trial, monkeypatch):
    monkeypatch.setattr("verifiers.executed.program._LIMITS", Limits(wall_s=3))
    ending = trial(GOOD.replace("average(values)", "average(values)\n    while True: pass"), CONTROL)
    assert ending.proved  # the loop is behind the failure
    ending = trial(GOOD.replace("values = []", "values = []\nwhile values == []: pass"), CONTROL)
    assert (ending.proved, "limit of wall" in ending.said) == (False, True)


def test_each_execution_has_its_own_copy(trial, tmp_path):
    spoil = "import pathlib\npathlib.Path('calc.py').write_text('def average(v): return 0')\n"
    assert (
        trial(spoil + GOOD.replace("sys\n", "sys; sys.modules.pop('calc', None)\n", 1), spoil + CONTROL).proved is False
    )
    assert (tmp_path / "p" / "calc.py").read_text() == CALC


def test_no_network_no_secret_and_no_file_of_ours(trial, monkeypatch):
    """A program that finds any of them exits 1, so a proof would be a leak."""
    monkeypatch.setenv("CANARY", "canary-5f1d")
    monkeypatch.setenv("OPENAI_API_KEY", "canary-5f1d")
    look = (
        "import glob, os, socket, sys\nfrom calc import average\nvalues = [1]\naverage(values)\n"
        "found = 'canary' in str(os.environ)\n"
        "for name in glob.glob('/proc/*/environ'):\n    try:\n        found = found or b'canary' in open(name, 'rb').read()\n"
        "    except OSError:\n        pass\n"
        f"found = found or os.path.exists({str(Path.cwd() / 'pyproject.toml')!r})\n"
        "found = found or [n for _, n in socket.if_nameindex()] != ['lo']\n"
        "sys.exit(1 if found else 0)\n"
    )  # fmt: skip
    ending = trial(look, look.replace("[1]", "[2]"))
    assert ending.said == f"the program exited 0, the control exited 0; line {LINE} was reached in the program"
    assert os.environ["CANARY"] == "canary-5f1d"


def test_hostile_code_of_the_project_cannot_say_that_a_line_ran(trial):
    forged = "import os\nfor fd in range(20):\n    try:\n        os.write(fd, b'reached\\n')\n    except OSError:\n        pass\n"
    ending = trial(NOT_TOUCHED.replace("from calc", "import noise\nfrom calc"),
                   NOT_TOUCHED.replace("from calc", "import noise\nfrom calc").replace("[]", "[1]"),
                   **{"noise.py": forged})  # fmt: skip
    assert not ending.proved


def test_only_python_is_watched(tmp_path, sandbox):
    project, finding = average(tmp_path, **{"page.js": "x = 1\n"})
    finding = finding.model_copy(update={"path": "page.js", "line": 1})
    ending = run(GOOD, CONTROL, finding, Bench(project=project, sandbox=sandbox), sandbox)
    assert "only lines of Python can be watched" in ending.said
