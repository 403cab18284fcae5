"""harness is usually started inside the audited folder: Python must not take modules from there."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from harness.llm.broker import run_behind

REPOSITORY = Path(__file__).parents[2]
NAMES = ("click", "harness", "multiprocessing", "pip", "pydantic", "signal", "venv")


@pytest.fixture
def hostile(tmp_path, monkeypatch):
    """The current folder; each of its modules leaves a mark when it is imported."""
    root = tmp_path / "project"
    root.mkdir()
    for name in NAMES:
        (root / f"{name}.py").write_text(
            f"open({str(tmp_path / 'mark')!r}, 'a').write('{name} ')\nraise SystemExit(0)\n"
        )
    monkeypatch.chdir(root)
    return tmp_path / "mark"


def test_the_child_that_knows_no_key_imports_nothing_from_the_current_folder(hostile, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(REPOSITORY))
    assert run_behind(["findings", "list", "--nonsense"], lambda _: {}) == 2
    assert not hostile.exists()


def test_the_script_imports_nothing_from_the_current_folder(hostile):
    if not (Path(sys.prefix) / ".locked-runtime").exists():
        pytest.skip("this environment was not made by the script")
    environment = {**os.environ, "HARNESS_VENV": sys.prefix, "PYTHONPATH": str(REPOSITORY)}
    done = subprocess.run(
        [str(REPOSITORY / "scripts" / "audit"), "--nonsense"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "No such option" in done.stderr
    assert (done.returncode, hostile.exists()) == (2, False)
