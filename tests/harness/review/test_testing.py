"""A run of the project's tests: what counts as passed, failed and neither; in the sandbox and beside it."""

from pathlib import Path

import pytest

from harness.errors import SandboxUnavailable
from harness.review.testing import Bed, Python, TestRun, run_tests
from harness.sandbox.base import Sandbox
from harness.sandbox.probe import find_sandbox

PYTEST = "python -m pytest -q"


def sandbox() -> Sandbox:
    try:
        return find_sandbox()
    except SandboxUnavailable as error:
        pytest.skip(str(error))


@pytest.fixture(params=["sandbox", "host"])
def bed(request: pytest.FixtureRequest) -> Bed:
    return Bed(PYTEST, 60, sandbox() if request.param == "sandbox" else None, Python())


def ran(folder: Path, bed: Bed, text: str, **more: str) -> TestRun:
    folder = folder / "project"
    folder.mkdir()
    for name, content in {"test_it.py": text, **{n.replace("_py", ".py"): t for n, t in more.items()}}.items():
        (folder / name).write_text(content)
    return run_tests(folder, bed)


def test_every_outcome_is_told_apart(tmp_path: Path, bed: Bed) -> None:
    run = ran(
        tmp_path,
        bed,
        "import pytest\n\ndef test_good():\n    pass\n\ndef test_bad():\n    assert 1 == 2\n\n"
        "@pytest.mark.skip\ndef test_skipped():\n    pass\n\n@pytest.mark.xfail\ndef test_expected():\n    assert False\n\n"
        "@pytest.fixture\ndef broken():\n    raise OSError('no')\n\ndef test_setup(broken):\n    pass\n",
    )
    assert run.status == "failed"
    assert {name.partition("::")[2]: outcome for name, outcome in run.outcomes.items()} == {
        "test_good": "passed", "test_bad": "failed", "test_skipped": "skipped", "test_expected": "skipped",
        "test_setup": "failed",
    }  # fmt: skip
    assert run.failing["test_it.py::test_bad"].places == (("test_it.py", 7),)
    assert run.failing["test_it.py::test_bad"].message == "assert 1 == 2"


def test_a_run_that_passes(tmp_path: Path, bed: Bed) -> None:
    assert (ran(tmp_path, bed, "def test_good():\n    pass\n")).status == "passed"
    assert not (tmp_path / "project/.pytest_cache").exists(), "it runs on a copy"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no test was collected"),
        ("import pytest\n\n@pytest.mark.skip\ndef test_x():\n    pass\n", "none ran"),
        ("import os\n\ndef test_x():\n    os._exit(0)\n", "did not come to its end"),
        ("import os\n\ndef test_x():\n    os.kill(os.getpid(), 9)\n", "did not come to its end"),
    ],
    ids=["none", "all skipped", "left", "killed"],
)
def test_what_says_nothing_is_incomplete(tmp_path: Path, bed: Bed, text: str, reason: str) -> None:
    run = ran(tmp_path, bed, text)
    assert run.status == "incomplete"
    assert reason in run.reason


def test_an_option_that_pytest_does_not_have_is_named(tmp_path: Path, bed: Bed) -> None:
    """As with the option of a plug-in that the environment lacks."""
    assert ran(tmp_path, bed, "def test_x():\n    pass\n").status == "passed"
    (tmp_path / "project" / "pytest.ini").write_text("[pytest]\naddopts = --no-such-option\n")
    reason = run_tests(tmp_path / "project", bed).reason
    assert reason.startswith("pytest did not come to its end (exit code 4): ")
    assert reason.endswith("error: unrecognized arguments: --no-such-option")


def test_a_run_beyond_its_time_is_incomplete_and_leaves_nothing(tmp_path: Path, bed: Bed) -> None:
    mark = tmp_path / "late"
    text = f"import subprocess\n\ndef test_x():\n    subprocess.run(['sh', '-c', 'sleep 4; touch {mark}'])\n"
    run = ran(tmp_path, bed._replace(seconds=2), text)
    assert (run.status, run.exit_code) == ("incomplete", None)
    assert not mark.exists()


def test_a_file_that_cannot_be_imported_fails(tmp_path: Path, bed: Bed) -> None:
    run = ran(tmp_path, bed, "import nowhere\n")
    assert (run.status, list(run.uncollected)) == ("failed", ["test_it.py"])
    assert "nowhere" in run.uncollected["test_it.py"]


def test_a_success_that_the_plugin_contradicts_is_none(tmp_path: Path, bed: Bed) -> None:
    forging = "def pytest_sessionfinish(session):\n    import os\n    session.exitstatus = 0\n    os._exit(0)\n"
    run = ran(tmp_path, bed, "def test_bad():\n    assert False\n", conftest_py=forging)
    assert run.status != "passed"


@pytest.mark.parametrize(
    ("command", "status"), [("true", "passed"), ("exit 3", "failed"), ("no-such-command", "incomplete")]
)
def test_another_command_is_judged_by_its_exit_code(tmp_path: Path, bed: Bed, command: str, status: str) -> None:
    assert ran(tmp_path, bed._replace(command=command), "").status == status


def test_links_in_place_of_the_records_are_not_followed(tmp_path: Path, bed: Bed) -> None:
    secret = tmp_path / "secret"
    secret.write_text('{"test": "x", "outcome": "passed", "when": "call"}\n{"end": 0}\n')
    text = (
        "import os\n\ndef test_x():\n    p = os.environ['HARNESS_TESTS_SEEN']\n    os.unlink(p)\n"
        f"    os.symlink('{secret}', p)\n    os._exit(0)\n"
    )
    run = ran(tmp_path, bed, text)
    assert (run.status, run.outcomes) == ("incomplete", {})


def test_nothing_of_this_machine_is_reached_from_the_sandbox(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_KEY", "canary")
    mark = tmp_path / "mark"
    text = (
        f"import os, pathlib, socket\n\ndef test_x():\n    assert 'canary' not in str(os.environ)\n"
        f"    try:\n        pathlib.Path('{mark}').write_text('x')\n    except OSError:\n        pass\n"
        "    try:\n        socket.create_connection(('127.0.0.1', 22), 1)\n    except OSError:\n        return\n    assert False\n"
    )
    run = ran(tmp_path, Bed(PYTEST, 60, sandbox(), Python()), text)
    assert run.status == "passed", run.failing
    assert not mark.exists()
