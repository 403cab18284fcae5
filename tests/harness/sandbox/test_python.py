"""The interpreter that the user names: found, refused, asked inside the sandbox only, and shown without its surroundings."""

import os
import sys
from pathlib import Path

import pytest

from harness.errors import UsageError
from harness.sandbox.base import Sandbox
from harness.sandbox.probe import find_sandbox
from harness.sandbox.provided import Lacking, provided
from harness.sandbox.python import examine, located
from tests.support.environments import environment, install

OLD = sorted(Path.home().glob(".pyenv/versions/3.8.*/bin/python3.8"))
OLDER = sorted(Path.home().glob(".pyenv/versions/3.7.*/bin/python3.7"))


@pytest.fixture(scope="module")
def sandbox() -> Sandbox:
    return find_sandbox()


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return environment(tmp_path_factory.mktemp("made") / ".venv")


def test_a_virtual_environment_and_its_interpreter_are_the_same_answer(made: Path, sandbox: Sandbox) -> None:
    found = examine(made, sandbox)
    assert found == examine(made / "bin" / "python", sandbox)
    assert found.executable == str(made / "bin" / "python")
    assert found.version == sys.version_info[:3]
    assert (found.pytest, found.coverage) == ("", "")
    assert str(found) == f"Python {found.number} at {made}/bin/python"


def test_it_has_its_own_packages_inside_and_not_ours(made: Path, sandbox: Sandbox) -> None:
    found = examine(made, sandbox)
    code = "import till, importlib.util as u; print(till.VERSION, u.find_spec('pydantic'))"
    done = sandbox.run([found.executable, "-c", code], readable=found.readable)
    assert done.stdout == b"1 None\n", done.stderr


def test_what_lies_beside_it_is_not_shown(made: Path, sandbox: Sandbox) -> None:
    (made.parent / "secret").write_text("x")
    found = examine(made, sandbox)
    done = sandbox.run(
        [found.executable, "-c", f"import os; print(os.listdir({str(made.parent)!r}))"], readable=found.readable
    )
    assert done.stdout == b"['.venv']\n", done.stderr


def test_the_digest_changes_with_what_is_installed(tmp_path: Path, sandbox: Sandbox) -> None:
    folder = environment(tmp_path / ".venv")
    before = examine(folder, sandbox).digest
    assert examine(folder, sandbox).digest == before
    install(next(folder.glob("lib/python3.*/site-packages")), "till", "VERSION = '2'\n")
    assert examine(folder, sandbox).digest != before


def test_an_environment_of_copies_is_shown_with_what_it_was_made_from(tmp_path: Path, sandbox: Sandbox) -> None:
    folder = environment(tmp_path / ".venv")
    link = folder / "bin" / "python"
    real = link.resolve()
    link.unlink()
    link.write_bytes(real.read_bytes())
    link.chmod(0o755)
    assert examine(folder, sandbox).version == sys.version_info[:3]


def _empty(folder: Path) -> Path:
    return folder


def _absent(folder: Path) -> Path:
    return folder / "nowhere"


def _text(folder: Path) -> Path:
    (folder / "notes.txt").write_text("x")
    return folder / "notes.txt"


def _open(folder: Path) -> Path:
    inside = folder / "anyone" / "bin"
    inside.mkdir(parents=True)
    (inside / "python").symlink_to(sys.executable)
    (folder / "anyone").chmod(0o777)
    return folder / "anyone"


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (_empty, "no bin/python"),
        (_absent, "no such file"),
        (_text, "not executable"),
        (_open, "other users of this machine can exchange"),
    ],
)
def test_what_is_no_interpreter_is_refused_before_anything_starts(tmp_path: Path, make, says: str) -> None:
    with pytest.raises(UsageError, match=says) as caught:
        located(make(tmp_path))
    assert caught.value.hint


def test_a_link_that_somebody_else_left_in_a_shared_folder_is_refused(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give a file away")
    shared = tmp_path / "shared"
    (shared / "env" / "bin").mkdir(parents=True)
    (shared / "env" / "bin" / "python").symlink_to(sys.executable)
    os.chown(shared / "env", 12345, 12345)
    shared.chmod(0o1777)
    with pytest.raises(UsageError, match="can exchange"):
        located(shared / "env")


def test_a_program_that_is_no_python_never_runs_outside(tmp_path: Path, sandbox: Sandbox) -> None:
    mark = tmp_path / "ran"
    program = tmp_path / "bin" / "python"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\ntouch {mark}\necho '{{}}'\n")
    program.chmod(0o755)
    with pytest.raises(UsageError, match="does not start in the sandbox"):
        examine(tmp_path, sandbox)
    assert not mark.exists()


def test_one_that_lies_about_itself_is_refused(tmp_path: Path, sandbox: Sandbox) -> None:
    program = tmp_path / "bin" / "python"
    program.parent.mkdir()
    said = '{"version": [3, 11, 0], "prefix": "/", "packages": {"pytest": "9; rm -rf"}, "digest": ""}'
    program.write_text(f"#!/bin/sh\necho '{said}'\n")
    program.chmod(0o755)
    with pytest.raises(UsageError, match="names no version"):
        examine(tmp_path, sandbox)


def test_pytest_and_coverage_are_lent_alone(made: Path, sandbox: Sandbox) -> None:
    found = examine(made, sandbox)
    lent = provided(found, "pytest", "coverage")
    code = (
        "import sys; sys.path.append(sys.argv[1]); import pytest, coverage, importlib.util as u; "
        "print(pytest.__version__ != '', u.find_spec('pydantic'), u.find_spec('click'))"
    )
    done = sandbox.run([found.executable, "-c", code, lent.path], readable=[*found.readable, *lent.readable])
    assert done.stdout == b"True None None\n", done.stderr
    assert provided(None, "pytest") == ((), "")
    assert provided(found._replace(pytest="9.0", coverage="7.0"), "pytest", "coverage") == ((), "")


def test_where_ours_do_not_serve_it_is_said_what_to_install(made: Path, sandbox: Sandbox) -> None:
    found = examine(made, sandbox)._replace(version=(3, 8, 1))
    with pytest.raises(Lacking, match=r"has no pytest.* needs >=3\.\d+.*-m pip install pytest coverage"):
        provided(found, "pytest", "coverage")


@pytest.mark.skipif(not OLD, reason="no Python 3.8 here")
def test_the_oldest_python_serves(sandbox: Sandbox) -> None:
    assert examine(OLD[-1], sandbox).version[:2] == (3, 8)


@pytest.mark.skipif(not OLDER, reason="no Python 3.7 here")
def test_an_older_one_is_refused(sandbox: Sandbox) -> None:
    with pytest.raises(UsageError, match=r"it is Python 3\.7\.\d+; 3\.8 or newer is needed"):
        examine(OLDER[-1], sandbox)
