"""A review with a model: a small change is read by code alone unless ordered otherwise, and a model is asked about the change."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.support.hostile import plain_git, repository, write
from tests.support.model_server import Answer, ModelServer, Seen, model_server
from tests.support.players import finding, findings, is_auditor, text_of, vote

CODE = "def mean(values):\n    return sum(values) / len(values)\n"
OTHER = "def half(value):\n    return value / 2\n"
CHANGED = "def mean(values):\n    total = sum(values)\n    return total / len(values)\n"
NEW = finding("stats.py", 3, "return total / len(values)", symbol="mean")
OLD = finding("other.py", 2, "return value / 2", symbol="half")


def good(seen: Seen) -> Answer:
    """Raises one claim in the change and one outside it; upholds both."""
    if is_auditor(seen):
        return findings(seen, NEW, OLD) if "stats.py" in text_of(seen) else findings(seen)
    return vote(seen, "stands", "nothing checks for an empty list", ("stats.py", 3, "return total / len(values)"))


def review(origin: Path, server: ModelServer, state: Path, *more: str) -> dict[str, Any]:
    environment = {
        "PATH": os.environ["PATH"], "HOME": str(state), "HARNESS_STATE_DIR": str(state), "HARNESS_API_KEY": "sk-canary-1",
        "PYTHONPATH": str(Path(__file__).parents[2]),
    }  # fmt: skip
    spec = f"openai:m@{server.url}/v1"
    command = [
        sys.executable,
        "-m",
        "harness.cli.main",
        "review",
        "--model",
        spec,
        "--format",
        "json",
        "--no-exec",
        "-q",
    ]
    done = subprocess.run(
        [*command, *more], cwd=origin, env=environment, capture_output=True, text=True, timeout=150, check=False
    )
    assert done.stdout, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def test_a_small_change_is_read_by_code_alone_unless_ordered_otherwise(tmp_path: Path) -> None:
    origin = repository(tmp_path / "app", {"stats.py": CODE, "other.py": OTHER})
    write(origin, {"stats.py": CHANGED})
    with model_server(good) as server:
        report = review(origin, server, tmp_path / "state")
        assert server.seen == []
        assert "deterministic lanes only" in report["review"]["advice"]
        report = review(origin, server, tmp_path / "state", "--thorough")
        assert server.seen != []
    assert [(f["path"], f["line"]) for f in report["findings"] if f["rule"].startswith("model:")] == [("stats.py", 3)]
    assert report["review"]["elsewhere"] == 1
    assert plain_git(origin, "status", "--porcelain") == " M stats.py\n"
