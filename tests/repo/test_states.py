"""States of a repository that are no commit: the index, a patch; and a state with everything in it, for its tests."""

import os
from pathlib import Path

import pytest

from harness.errors import UsageError
from harness.repo.checkout import pin
from harness.repo.export import export, read_files
from harness.repo.which import WORK_TREE, Which
from tests.support.hostile import Marker, plain_git, repository, snapshot, write

PATCH = b"""--- a/app.py
+++ b/app.py
@@ -1 +1,2 @@
-A = 1
+A = 2
+B = 3
"""

GIT_DATA = b"""diff --git a/.git/config b/.git/config
new file mode 100644
--- /dev/null
+++ b/.git/config
@@ -0,0 +1 @@
+x
"""


@pytest.fixture
def origin(tmp_path: Path) -> Path:
    folder = repository(
        tmp_path / "shop", {"app.py": "A = 1\n", "run.sh": "exit 0\n", ".harness/waivers.toml": "# none\n"}
    )
    (folder / "run.sh").chmod(0o755)
    (folder / "data.bin").write_bytes(bytes(range(256)))
    (folder / "link").symlink_to("app.py")
    plain_git(folder, "add", "-A")
    plain_git(folder, "commit", "-q", "-m", "second")
    return folder


def text(root: str | Path, name: str) -> str:
    return (Path(root) / name).read_text()


def test_the_index_is_what_would_be_committed(origin: Path, tmp_path: Path) -> None:
    write(origin, {"app.py": "A = 'staged'\n"})
    plain_git(origin, "add", "app.py")
    write(origin, {"app.py": "A = 'not staged'\n"})
    before = snapshot(origin)
    tree = pin(origin, tmp_path / "copy", which=Which(staged=True))
    assert text(tree.root, "app.py") == "A = 'staged'\n"
    assert tree.dirty
    assert snapshot(origin) == before, "no object is written into the audited repository"


def test_an_index_with_conflicts_is_refused(origin: Path, tmp_path: Path) -> None:
    plain_git(origin, "checkout", "-q", "-b", "other")
    write(origin, {"app.py": "A = 2\n"})
    plain_git(origin, "commit", "-q", "-am", "theirs")
    plain_git(origin, "checkout", "-q", "main")
    write(origin, {"app.py": "A = 3\n"})
    plain_git(origin, "commit", "-q", "-am", "ours")
    plain_git(origin, "merge", "other", check=False)
    with pytest.raises(UsageError, match="the index cannot be read as a commit"):
        pin(origin, tmp_path / "copy", which=Which(staged=True))


def test_a_patch_is_applied_to_the_commit_and_touches_nothing(origin: Path, tmp_path: Path) -> None:
    before = snapshot(origin)
    tree = pin(origin, tmp_path / "copy", which=Which(patch=PATCH))
    assert text(tree.root, "app.py") == "A = 2\nB = 3\n"
    assert tree.head == plain_git(origin, "rev-parse", "HEAD").strip()
    assert snapshot(origin) == before


@pytest.mark.parametrize(
    "patch",
    [
        pytest.param(PATCH.replace(b"-A = 1", b"-A = 9"), id="other context"),
        pytest.param(PATCH.replace(b"b/app.py", b"b/../../outside.py").replace(b"a/app.py", b"a/../../outside.py"), id="outside"),
        pytest.param(GIT_DATA, id="git data"),
        pytest.param(b"nothing\n", id="no patch"),
    ],
)  # fmt: skip
def test_a_patch_that_does_not_fit_is_refused(origin: Path, tmp_path: Path, patch: bytes) -> None:
    before = snapshot(tmp_path / "shop")
    with pytest.raises(UsageError, match="the patch does not apply to HEAD"):
        pin(origin, tmp_path / "copy", which=Which(patch=patch))
    assert snapshot(origin) == before


@pytest.mark.parametrize(
    "which", [WORK_TREE, Which(revision="HEAD"), Which(staged=True)], ids=["work", "commit", "index"]
)
def test_an_export_has_everything_with_its_mode(origin: Path, tmp_path: Path, which: Which) -> None:
    export(origin, tmp_path / "out", which)
    out = tmp_path / "out"
    assert (out / "data.bin").read_bytes() == bytes(range(256))
    assert os.access(out / "run.sh", os.X_OK)
    assert not os.access(out / "app.py", os.X_OK)
    assert (out / "link").readlink() == Path("app.py")
    assert read_files(origin, which, [".harness/waivers.toml", "link", "gone"]) == {
        ".harness/waivers.toml": b"# none\n"
    }


def test_an_export_of_the_work_tree_has_new_files_and_not_deleted_ones(origin: Path, tmp_path: Path) -> None:
    write(origin, {"new.py": "N = 1\n"})
    (origin / "app.py").unlink()
    export(origin, tmp_path / "out", WORK_TREE)
    assert {p.name for p in (tmp_path / "out").iterdir()} == {".harness", "data.bin", "link", "new.py", "run.sh"}


def test_a_tree_with_a_link_and_names_below_it_writes_nothing_outside(origin: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (tmp_path / "target").write_text(str(outside))
    blob = plain_git(origin, "hash-object", "-w", str(tmp_path / "target")).strip()
    inner = plain_git_input(origin, f"120000 blob {blob}\tb\n")
    tree = plain_git_input(origin, f"120000 blob {blob}\ta\n040000 tree {inner}\ta\n")
    commit = plain_git(origin, "commit-tree", tree, "-m", "evil").strip()
    export(origin, tmp_path / "out", Which(revision=commit))
    assert list(outside.iterdir()) == []


def plain_git_input(folder: Path, rows: str) -> str:
    """A tree made of these rows."""
    import subprocess

    done = subprocess.run(["git", "mktree"], cwd=folder, input=rows, capture_output=True, check=True, text=True)
    return done.stdout.strip()


def test_nothing_of_the_repository_runs(origin: Path, tmp_path: Path) -> None:
    marker = Marker(tmp_path / "marker")
    plain_git(origin, "config", "filter.x.clean", marker.command)
    plain_git(origin, "config", "filter.x.smudge", marker.command)
    plain_git(origin, "config", "core.fsmonitor", str(marker.script(tmp_path / "fsmonitor")))
    for hook in ("post-index-change", "pre-commit", "applypatch-msg"):
        marker.script(origin / ".git/hooks" / hook)
    write(origin, {".gitattributes": "* filter=x\n", "app.py": "A = 1\n"})
    marker.fired()
    for number, which in enumerate((WORK_TREE, Which(staged=True), Which(patch=PATCH), Which(revision="HEAD"))):
        pin(origin, tmp_path / f"copy{number}", which=which)
        export(origin, tmp_path / f"out{number}", which)
        assert not marker.fired()
