"""What is pinned: the work tree as it is, a commit, a plain folder, one file; and what is left out, with reasons."""

from pathlib import Path

import pytest

from harness.errors import UsageError
from harness.files import sha256
from harness.repo.checkout import pin
from harness.schema.tree import Tree
from tests.support.hostile import plain_git, repository, snapshot, write


def paths(tree: Tree) -> list[str]:
    return [f.path for f in tree.files]


def left_out(tree: Tree) -> dict[str, str]:
    return {s.path: s.reason for s in tree.excluded if s.path != ".git/"}


@pytest.fixture
def origin(tmp_path: Path) -> Path:
    return repository(
        tmp_path / "shop",
        {"app.py": "A = 1\n", "tests/test_app.py": "def test(): pass\n", ".gitignore": "*.log\nsecret/\n"},
    )


def test_a_clean_work_tree_is_its_head(origin: Path, tmp_path: Path) -> None:
    work, head = pin(origin, tmp_path / "1"), pin(origin, tmp_path / "2", revision="main")
    assert (work.name, work.origin, work.dirty, head.dirty) == ("shop", str(origin), False, False)
    assert work.head == head.head == plain_git(origin, "rev-parse", "HEAD").strip()
    assert (work.files, work.digest) == (head.files, head.digest)
    entry = work.files[1]
    assert (entry.path, entry.size, entry.lines, entry.language, entry.test) == ("app.py", 6, 1, "python", False)
    assert entry.sha256 == sha256("A = 1\n")
    assert work.files[2].test


def modify(origin: Path) -> None:
    write(origin, {"app.py": "A = 2\n"})


def add_new(origin: Path) -> None:
    write(origin, {"new.py": "N = 1\n"})


def delete(origin: Path) -> None:
    (origin / "app.py").unlink()


def stage(origin: Path) -> None:
    write(origin, {"app.py": "A = 2\n"})
    plain_git(origin, "add", "app.py")


def stage_removal(origin: Path) -> None:
    plain_git(origin, "rm", "-q", "--cached", "app.py")


@pytest.mark.parametrize("change", [modify, add_new, delete, stage, stage_removal])
def test_any_change_in_scope_makes_it_dirty(origin: Path, tmp_path: Path, change: object) -> None:
    change(origin)  # type: ignore[operator]  # one of the functions above
    tree = pin(origin, tmp_path / "copy")
    assert tree.dirty
    assert tree.head is not None


def test_touching_a_file_or_ignored_files_do_not(origin: Path, tmp_path: Path) -> None:
    (origin / "app.py").touch()
    write(origin, {"run.log": "x\n", "secret/key.py": "K = 1\n", "empty/.keep": ""})
    (origin / "empty" / ".keep").unlink()
    tree = pin(origin, tmp_path / "copy")
    assert not tree.dirty
    assert left_out(tree) == {"run.log": "ignored by git", "secret/": "ignored by git"}
    assert paths(tree) == [".gitignore", "app.py", "tests/test_app.py"]


def test_what_is_tracked_is_in_scope_though_ignored(origin: Path, tmp_path: Path) -> None:
    write(origin, {"kept.log": "x\n"})
    plain_git(origin, "add", "-f", "kept.log")
    plain_git(origin, "commit", "-q", "-m", "log")
    tree = pin(origin, tmp_path / "copy")
    assert "kept.log" in paths(tree)
    assert not tree.dirty


def test_older_commits_and_tags(origin: Path, tmp_path: Path) -> None:
    first = plain_git(origin, "rev-parse", "HEAD").strip()
    plain_git(origin, "tag", "-a", "-m", "v1", "v1")
    write(origin, {"app.py": "A = 2\n"})
    plain_git(origin, "commit", "-q", "-am", "second")
    plain_git(origin, "gc", "-q")  # references and objects are packed from here on
    for number, revision in enumerate(["v1", "HEAD~1", first, first[:8], "main^"]):
        tree = pin(origin, tmp_path / f"copy{number}", revision=revision)
        assert tree.head == first
        assert (Path(tree.root) / "app.py").read_text("utf-8") == "A = 1\n"
    assert not pin(origin, tmp_path / "work").dirty


def test_part_of_a_repository(origin: Path, tmp_path: Path) -> None:
    for revision in (None, "HEAD"):
        tree = pin(origin / "tests", tmp_path / f"copy-{revision}", revision=revision)
        assert paths(tree) == ["test_app.py"]
        assert tree.head is not None
        assert not tree.dirty


def test_one_file(origin: Path, tmp_path: Path) -> None:
    write(origin, {"tests/test_app.py": "changed\n"})
    for revision in (None, "HEAD"):
        tree = pin(origin / "app.py", tmp_path / f"copy-{revision}", revision=revision)
        assert paths(tree) == ["app.py"]
        assert (tree.name, tree.dirty, tree.excluded) == ("app.py", False, ())


def test_linked_work_trees_know_their_repository(origin: Path, tmp_path: Path) -> None:
    plain_git(origin, "worktree", "add", "-q", "-b", "other", str(tmp_path / "linked"))
    write(tmp_path / "linked", {"new.py": "N = 1\n"})
    tree = pin(tmp_path / "linked", tmp_path / "copy")
    assert tree.head == plain_git(origin, "rev-parse", "HEAD").strip()
    assert tree.dirty
    assert "new.py" in paths(tree)


def test_repositories_with_sha256(tmp_path: Path) -> None:
    folder = tmp_path / "wide"
    folder.mkdir()
    plain_git(folder, "init", "-q", "--object-format=sha256")
    write(folder, {"app.py": "A = 1\n"})
    plain_git(folder, "add", "-A")
    plain_git(folder, "commit", "-q", "-m", "first")
    for revision in (None, "HEAD"):
        tree = pin(folder, tmp_path / f"copy-{revision}", revision=revision)
        assert len(tree.head or "") == 64
        assert paths(tree) == ["app.py"]
        assert not tree.dirty


def test_a_repository_without_a_commit(tmp_path: Path) -> None:
    (tmp_path / "young").mkdir()
    plain_git(tmp_path / "young", "init", "-q")
    write(tmp_path / "young", {"app.py": "A = 1\n", ".gitignore": "*.log\n", "x.log": ""})
    tree = pin(tmp_path / "young", tmp_path / "copy")
    assert (tree.head, tree.dirty, paths(tree)) == (None, True, [".gitignore", "app.py"])


def test_without_git_it_is_a_plain_folder(origin: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(origin, {"run.log": "x\n"})
    monkeypatch.setenv("PATH", ".:relative")
    tree = pin(origin, tmp_path / "copy")
    assert (tree.head, tree.dirty) == (None, False)
    assert "run.log" in paths(tree)
    with pytest.raises(UsageError, match="git is not installed"):
        pin(origin, tmp_path / "head", revision="HEAD")


def test_the_audited_folder_is_left_as_it_was(origin: Path, tmp_path: Path) -> None:
    write(origin, {"new.py": "N = 1\n", "run.log": ""})
    before = snapshot(origin)
    pin(origin, tmp_path / "1")
    pin(origin, tmp_path / "2", revision="HEAD")
    assert snapshot(origin) == before


SCOPE = {
    ".venv/lib/a.py": ".venv/",
    "venv/a.py": "venv/",
    "web/node_modules/a.js": "web/node_modules/",
    "pkg/__pycache__/a.py": "pkg/__pycache__/",
    ".harness/waivers.toml": ".harness/",
    "build/lib/a.py": "build/",
    "dist/a.js": "dist/",
    "a.egg-info/a.txt": "a.egg-info/",
    "js/vendor/a.js": "js/vendor/",
    "pkg/_vendor/a.py": "pkg/_vendor/",
    ".tox/a.py": ".tox/",
    "js/a.min.js": "js/a.min.js",
    "b/.GIT/a": "b/.GIT/",
}


def test_a_plain_folder_leaves_out_what_nobody_wrote_there(tmp_path: Path) -> None:
    kept = {"pyproject.toml": "", "pkg/build/a.py": "x\n", "environment/a.py": "x\n", "js/vendors.js": "x\n"}
    write(tmp_path / "plain", dict.fromkeys(SCOPE, "x\n") | kept)
    (tmp_path / "plain" / "image.png").write_bytes(b"\x89PNG\0\0")
    tree = pin(tmp_path / "plain", tmp_path / "copy")
    assert paths(tree) == sorted(kept)
    assert set(left_out(tree)) == {*SCOPE.values(), "image.png"}
    assert (tree.head, tree.dirty) == (None, False)


def test_tracked_folders_are_no_build_output(tmp_path: Path) -> None:
    origin = repository(tmp_path / "origin", {"setup.py": "", "build/a.py": "x\n", "venv/a.py": "x\n"})
    write(origin, {"dist/a.py": "x\n"})
    tree = pin(origin, tmp_path / "copy")
    assert paths(tree) == ["build/a.py", "setup.py", "venv/a.py"]
    assert left_out(tree) == {"dist/": "build output"}


@pytest.mark.parametrize(
    ("pattern", "kept"),
    [
        ("*.md", ["a.py", "docs/b.py", "docs/deep/c.py"]),
        ("docs", ["a.py", "r.md"]),
        ("docs/", ["a.py", "r.md"]),
        ("docs/*.py", ["a.py", "r.md"]),
        ("docs/deep", ["a.py", "docs/b.py", "r.md"]),
        ("/docs/b.py", ["a.py", "docs/deep/c.py", "r.md"]),
        ("c.py", ["a.py", "docs/b.py", "r.md"]),
        ("**", []),
        ("", ["a.py", "docs/b.py", "docs/deep/c.py", "r.md"]),
    ],
)
def test_patterns_of_the_user(tmp_path: Path, pattern: str, kept: list[str]) -> None:
    origin = repository(tmp_path / "origin", dict.fromkeys(["a.py", "docs/b.py", "docs/deep/c.py", "r.md"], "x\n"))
    for revision in (None, "HEAD"):
        tree = pin(origin, tmp_path / f"copy-{revision}", revision=revision, exclude=[pattern])
        assert paths(tree) == kept
        assert all(s.reason == f"excluded by `{pattern.strip('/')}`" for s in tree.excluded if s.path != ".git/")
        assert bool(left_out(tree)) == bool(pattern)
        assert not tree.dirty


def test_paths_that_cannot_be_audited(origin: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no file or folder") as caught:
        pin(tmp_path / "shpo", tmp_path / "copy")
    assert caught.value.hint == "Did you mean shop?"
    with pytest.raises(UsageError, match="neither"):
        pin(Path("/dev/null"), tmp_path / "copy")
    write(tmp_path / "copy", {"mine.txt": "x"})
    with pytest.raises(UsageError, match="not empty"):
        pin(origin, tmp_path / "copy")
    assert (tmp_path / "copy" / "mine.txt").exists()


def test_an_empty_folder_has_nothing_in_scope(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    tree = pin(tmp_path / "empty", tmp_path / "copy")
    assert (tree.files, tree.excluded, tree.head) == ((), (), None)
