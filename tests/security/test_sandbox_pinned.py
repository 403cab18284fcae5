"""The pinned copy is closed to others on this machine and open to the code in the sandbox, whoever we are."""

import os
from pathlib import Path

from harness.repo.checkout import pin
from harness.sandbox.base import Mount, Sandbox


def test_a_pinned_copy_is_readable_inside_and_private_outside(tmp_path: Path, sandbox: Sandbox) -> None:
    origin = tmp_path / "origin"
    (origin / "deep" / "er").mkdir(parents=True)
    (origin / "deep" / "er" / "a.py").write_text("x = 1\n")
    before = os.umask(0o077)
    try:
        tree = pin(origin, tmp_path / "copy")
    finally:
        os.umask(before)
    assert Path(tree.root).stat().st_mode & 0o077 == 0
    done = sandbox.run(["/bin/cat", "/pinned/deep/er/a.py"], readable=[Mount(Path(tree.root), "/pinned")])
    assert (done.returncode, done.stdout) == (0, b"x = 1\n"), done
