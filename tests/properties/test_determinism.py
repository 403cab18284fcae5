"""The same input has the same report to the byte, whatever the hash seed and the number of workers (UX 18)."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CORPUS = Path(__file__).parent.parent / "corpus"


def report(root: Path, state: Path, seed: str, jobs: str) -> str:
    """JSON of a fresh run, without what may differ."""
    command = [
        sys.executable,
        "-m",
        "harness.cli.main",
        "audit",
        str(root),
        "--jobs",
        jobs,
        "--format",
        "json",
        "--quiet",
    ]
    environment = {**os.environ, "PYTHONHASHSEED": seed, "HARNESS_STATE_DIR": str(state)}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    found = json.loads(done.stdout)
    assert found["run"]["status"] == "complete", found["run"]["reason"]
    for name in ("id", "started", "seconds"):
        del found["run"][name]
    return json.dumps(found)


@pytest.mark.timeout(1800)  # three audits of the whole corpus, code run included
def test_neither_hash_seed_nor_workers_show_in_the_report(tmp_path):
    root = tmp_path / "everything"
    shutil.copytree(CORPUS, root)
    first = report(root, tmp_path / "a", "0", "1")
    assert len(json.loads(first)["findings"]) > 100
    assert report(root, tmp_path / "b", "1", "2") == first
    assert report(root, tmp_path / "b", "2", "2") == first, "from the cache"
