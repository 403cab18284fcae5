"""The recorded audit of a small service, replayed: what its auditors found and its falsifiers made of it.

A change of a prompt, of a tool's wording or of the order of questions asks something that was never recorded; then the
recording has to be made again (see README.md).
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cassettes.truth import found, planted

HERE = Path(__file__).parent / "inkwell"


def replayed(tmp_path: Path, *arguments: str) -> dict[str, Any]:
    """The JSON report of a command that may only ask the recording."""
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "HARNESS_STATE_DIR": str(tmp_path / "state"),
        "PYTHONPATH": str(Path(__file__).parents[2]),
    }
    command = [
        sys.executable,
        "-m",
        "harness.cli.main",
        *arguments,
        "--format",
        "json",
        "--no-exec",
        "--fail-on",
        "none",
        "-q",
    ]
    done = subprocess.run(
        command, env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=170, check=False
    )
    # A check of ours that has learnt something since raises what nobody was asked about; the rest must be there.
    assert done.returncode in (0, 3), done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def copied(folder: Path) -> str:
    """The project outside of this repository, whose history would be material for falsifiers."""
    return str(shutil.copytree(HERE / "project", folder / "inkwell"))


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("audit")
    return replayed(folder, "audit", copied(folder), "--replay", str(HERE / "audit"))


def test_the_auditors_find_what_was_planted(report: dict[str, Any]) -> None:
    names = found(HERE, report, frozenset({"CONFIRMED", "UNCERTAIN"}))
    assert len(names) >= 0.8 * len(planted(HERE)), sorted({d.name for d in planted(HERE)} - set(names))


def test_what_is_true_survives_the_falsifiers(report: dict[str, Any]) -> None:
    names = found(HERE, report, frozenset({"CONFIRMED"}))
    assert len(names) >= 0.8 * len(planted(HERE)), sorted({d.name for d in planted(HERE)} - set(names))


def test_a_replay_costs_nothing(report: dict[str, Any]) -> None:
    assert not [f for f in report["findings"] if f["verdict"] == "UNVERIFIED" and f["rule"].startswith("model:")]
    assert not [lane for lane in report["coverage"]["lanes"] if lane["auditor"] == "model" and lane["status"] != "done"]
    assert report["usage"]["cost"] in (0, 0.0)


def test_every_false_claim_is_dismissed_with_the_line_that_decides(tmp_path: Path) -> None:
    claims = str(HERE / "claims.sarif")
    report = replayed(tmp_path, "verify", claims, "--repo", copied(tmp_path), "--replay", str(HERE / "verify"))
    assert [f["verdict"] for f in report["findings"]] == ["DISMISSED"] * 6
    for finding in report["findings"]:
        places = [place for e in finding["evidence"] for place in e["locations"] if e["tier"] in ("E2", "E3")]
        assert places, finding["scenario"]
