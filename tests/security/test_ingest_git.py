"""GIT-01 to GIT-10 as far as pinning goes: repositories that run something under plain git, and do not when pinned.

Each case first shows that its trap works: plain git springs it. Then both ways of pinning are tried, the work tree and a
commit, and the trap must stay shut, the files must come through, and the repository must be left as it was.
"""

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.errors import UsageError
from harness.repo.checkout import pin
from harness.schema.tree import Tree
from tests.support.hostile import Marker, plain_git, repository, snapshot, write

FILES = {"app.py": "print('one')\n", "pkg/mod.py": "X = 1\n"}


@pytest.fixture
def marker(tmp_path: Path) -> Marker:
    return Marker(tmp_path / "marker")


@pytest.fixture
def origin(tmp_path: Path) -> Path:
    return repository(tmp_path / "origin", FILES)


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary folders are made."""
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    return tmp_path / "temporary"


def pinned_quietly(origin: Path, marker: Marker, tmp_path: Path) -> tuple[Tree, Tree]:
    """The work tree and HEAD, pinned; nothing ran, nothing changed, nothing is left behind."""
    marker.fired()
    before = snapshot(origin)
    trees = pin(origin, tmp_path / "work"), pin(origin, tmp_path / "head", revision="HEAD")
    assert not marker.fired()
    assert snapshot(origin) == before
    assert list((tmp_path / "temporary").iterdir()) == []
    return trees


def texts(tree: Tree) -> dict[str, str]:
    return {f.path: (Path(tree.root) / f.path).read_text("utf-8") for f in tree.files}


def test_git_01_fsmonitor(origin: Path, marker: Marker, tmp_path: Path) -> None:
    plain_git(origin, "config", "core.fsmonitor", str(marker.script(tmp_path / "monitor")))
    plain_git(origin, "status")
    assert marker.fired()
    work, head = pinned_quietly(origin, marker, tmp_path)
    assert texts(work) == texts(head) == FILES
    assert work.head == head.head == plain_git(origin, "rev-parse", "HEAD").strip()
    assert (work.dirty, head.dirty) == (False, False)


@pytest.mark.parametrize("driver", ["clean", "process"])
def test_git_02_filters(origin: Path, marker: Marker, tmp_path: Path, driver: str) -> None:
    plain_git(origin, "config", f"filter.x.{driver}", marker.command if driver == "clean" else f"touch {marker.path}")
    plain_git(origin, "config", "filter.x.smudge", "sed s/one/smudged/")
    write(origin, {".gitattributes": "* filter=x\n", "app.py": "print('two')\n"})
    plain_git(origin, "diff", check=False)
    assert marker.fired()
    work, head = pinned_quietly(origin, marker, tmp_path)
    assert texts(work) == FILES | {".gitattributes": "* filter=x\n", "app.py": "print('two')\n"}
    assert texts(head) == FILES
    assert work.dirty


def test_git_03_hooks(origin: Path, marker: Marker, tmp_path: Path) -> None:
    hooks = ("post-checkout", "pre-commit", "post-index-change", "reference-transaction", "post-merge", "pre-auto-gc")
    for hook in hooks:
        marker.script(origin / ".git" / "hooks" / hook)
    plain_git(origin, "checkout", "-q", "-b", "other")
    assert marker.fired()
    pinned_quietly(origin, marker, tmp_path)


@pytest.mark.parametrize("key", ["diff.external", "diff.x.command", "diff.x.textconv"])
def test_git_04_external_diff(origin: Path, marker: Marker, tmp_path: Path, key: str) -> None:
    plain_git(origin, "config", key, str(marker.script(tmp_path / "differ")))
    write(origin, {".gitattributes": "* diff=x\n", "app.py": "print('two')\n"})
    plain_git(origin, "diff", check=False)
    assert marker.fired()
    work, _ = pinned_quietly(origin, marker, tmp_path)
    assert work.dirty


def test_git_05_a_git_file_that_points_to_an_evil_directory_is_not_followed(marker: Marker, tmp_path: Path) -> None:
    evil = repository(tmp_path / "evil", {"secret.py": "S = 1\n"})
    plain_git(evil, "config", "core.fsmonitor", str(marker.script(tmp_path / "monitor")))
    origin = tmp_path / "origin"
    write(origin, FILES | {".git": f"gitdir: {evil / '.git'}\n", ".gitignore": "app.py\n"})
    plain_git(origin, "status")
    assert marker.fired()
    tree = pin(origin, tmp_path / "work")
    assert not marker.fired()
    assert tree.head is None
    assert texts(tree) == FILES | {".gitignore": "app.py\n"}
    with pytest.raises(UsageError, match="leads elsewhere"):
        pin(origin, tmp_path / "head", revision="HEAD")


def test_git_05_a_git_link_is_not_followed(tmp_path: Path) -> None:
    evil = repository(tmp_path / "evil", {"secret.py": "S = 1\n"})
    origin = tmp_path / "origin"
    write(origin, FILES)
    (origin / ".git").symlink_to(evil / ".git")
    assert plain_git(origin, "show", "HEAD:secret.py") == "S = 1\n"
    tree = pin(origin, tmp_path / "work")
    assert tree.head is None
    assert [(s.path, s.reason) for s in tree.excluded] == [(".git", "symlink")]


def test_git_05_an_embedded_bare_repository_is_only_files(origin: Path, marker: Marker, tmp_path: Path) -> None:
    bare = origin / "bare"
    plain_git(origin, "init", "-q", "--bare", str(bare))
    plain_git(bare, "config", "core.worktree", str(origin))
    plain_git(bare, "config", "core.bare", "false")
    plain_git(bare, "config", "core.fsmonitor", str(marker.script(tmp_path / "monitor")))
    plain_git(bare, "status", check=False)
    assert marker.fired()
    work, _ = pinned_quietly(origin, marker, tmp_path)
    assert "bare/HEAD" in texts(work)
    tree = pin(bare, tmp_path / "bare-copy")
    assert not marker.fired()
    assert "HEAD" in texts(tree)


@pytest.mark.parametrize("tracked", [False, True])
def test_git_06_a_nested_repository_does_not_act(origin: Path, marker: Marker, tmp_path: Path, tracked: bool) -> None:
    nested = repository(origin / "nested", {"inner.py": "Y = 1\n"})
    if tracked:
        plain_git(origin, "add", "nested")
        plain_git(origin, "commit", "-q", "-m", "gitlink")
    plain_git(nested, "config", "core.fsmonitor", str(marker.script(tmp_path / "monitor")))
    plain_git(nested, "config", "filter.x.clean", marker.command)
    write(nested, {".gitattributes": "* filter=x\n", "inner.py": "Y = 2\n"})
    plain_git(nested if not tracked else origin, "status")
    assert marker.fired()
    work, _ = pinned_quietly(origin, marker, tmp_path)
    reason = "submodule" if tracked else "nested git repository"
    assert ("nested/", reason) in {(s.path, s.reason) for s in work.excluded}
    assert texts(work) == FILES


@pytest.mark.parametrize("url", ["ext::touch {marker}", "--upload-pack=touch {marker};"])
def test_git_07_submodules_are_not_initialised(origin: Path, marker: Marker, tmp_path: Path, url: str) -> None:
    url = url.format(marker=marker.path)
    modules = f'[submodule "evil"]\n\tpath = sub\\r\n\turl = "{url}"\n[submodule "b"]\n\tpath = sub\n\turl = "{url}"\n'
    write(origin, {".gitmodules": modules})
    commit = plain_git(origin, "rev-parse", "HEAD").strip()
    plain_git(origin, "update-index", "--add", "--cacheinfo", f"160000,{commit},sub")
    plain_git(origin, "add", ".gitmodules")
    plain_git(origin, "commit", "-q", "-m", "submodule")
    plain_git(origin, "config", "protocol.ext.allow", "always")
    plain_git(origin, "ls-remote", url, ".", check=False)
    assert marker.fired()
    work, head = pinned_quietly(origin, marker, tmp_path)
    assert texts(work) == texts(head) == FILES | {".gitmodules": modules}
    assert [(s.path, s.reason) for s in head.excluded] == [("sub/", "submodule")]


def test_git_07_missing_objects_are_not_fetched(origin: Path, marker: Marker, tmp_path: Path) -> None:
    blob = plain_git(origin, "rev-parse", "HEAD:app.py").strip()
    (origin / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    for key, value in {
        "core.repositoryformatversion": "1",
        "extensions.partialClone": "evil",
        "remote.evil.promisor": "true",
        "remote.evil.url": str(tmp_path),
        "remote.evil.uploadpack": f"touch {marker.path};",
    }.items():
        plain_git(origin, "config", key, value)
    plain_git(origin, "show", "HEAD:app.py", check=False)
    assert marker.fired()
    assert texts(pin(origin, tmp_path / "work")) == FILES
    with pytest.raises(UsageError, match="cannot be read"):
        pin(origin, tmp_path / "head", revision="HEAD")
    assert not marker.fired()
    assert not (tmp_path / "head").exists()


ODD = [
    "--output={marker}",
    "$(touch {marker})",
    "`touch {marker}`",
    "a\nb",
    "x" * 300,
    "x" * 200_000,
    "",
    "-",
    "a\0b",
    "..",
    "@{{u}}",
]


@pytest.mark.parametrize("name", ODD, ids=[f"{i}" for i in range(len(ODD))])
def test_git_08_odd_revisions_are_data(origin: Path, marker: Marker, tmp_path: Path, name: str) -> None:
    name = name.format(marker=marker.path)
    with pytest.raises(UsageError) as caught:
        pin(origin, tmp_path / "out", revision=name)
    assert not marker.fired()
    message = str(caught.value)
    assert "there is no commit called" in message
    assert len(message) < 150
    assert message.isprintable()


def test_git_08_branches_with_odd_names_are_found(origin: Path, marker: Marker, tmp_path: Path) -> None:
    commit = plain_git(origin, "rev-parse", "HEAD").strip()
    names = [f"--output={tmp_path / 'written'}", "$(touch${IFS}marker)", "--help", "x" * 200]
    for name in names:
        path = origin / ".git" / "refs" / "heads" / name.lstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(commit + "\n", "ascii")
    for number, name in enumerate(names):
        tree = pin(origin, tmp_path / f"out{number}", revision=name)
        assert tree.head == commit, name
        assert texts(tree) == FILES
    assert not (tmp_path / "written").exists()
    assert not (origin / "marker").exists()


def test_git_08_a_misspelt_revision_names_its_neighbours(origin: Path, tmp_path: Path) -> None:
    plain_git(origin, "branch", "feature/login")
    with pytest.raises(UsageError) as caught:
        pin(origin, tmp_path / "out", revision="feature/logn")
    assert caught.value.hint == "Did you mean feature/login?"
    assert not (tmp_path / "out").exists()


def test_git_10_the_environment_is_scrubbed(
    origin: Path, marker: Marker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = repository(tmp_path / "other", {"other.py": "Z = 1\n"})
    script = str(marker.script(tmp_path / "command"))
    poison = {
        "GIT_DIR": str(other / ".git"),
        "GIT_WORK_TREE": str(other),
        "GIT_INDEX_FILE": str(other / ".git" / "index"),
        "GIT_OBJECT_DIRECTORY": str(other / ".git" / "objects"),
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.fsmonitor",
        "GIT_CONFIG_VALUE_0": script,
        "GIT_CONFIG_PARAMETERS": f"'core.fsmonitor'='{script}'",
        "GIT_SSH_COMMAND": script,
        "GIT_EXTERNAL_DIFF": script,
        "GIT_EXEC_PATH": str(tmp_path),
        "GIT_TRACE": str(tmp_path / "trace"),
    }
    plain_git(origin, "status", GIT_CONFIG_COUNT="1", GIT_CONFIG_KEY_0="core.fsmonitor", GIT_CONFIG_VALUE_0=script)
    assert marker.fired()
    for name, value in poison.items():
        monkeypatch.setenv(name, value)
    work, head = pinned_quietly(origin, marker, tmp_path)
    assert texts(work) == texts(head) == FILES
    assert not (tmp_path / "trace").exists()


def test_replaced_objects_do_not_hide_what_was_committed(origin: Path, tmp_path: Path) -> None:
    blob = plain_git(origin, "rev-parse", "HEAD:app.py").strip()
    (tmp_path / "harmless").write_text("print('ok')\n", "utf-8")
    harmless = plain_git(origin, "hash-object", "-w", str(tmp_path / "harmless")).strip()
    plain_git(origin, "replace", blob, harmless)
    assert plain_git(origin, "show", "HEAD:app.py") == "print('ok')\n"
    assert texts(pin(origin, tmp_path / "head", revision="HEAD")) == FILES


def test_objects_of_other_repositories_are_out_of_reach(origin: Path, tmp_path: Path) -> None:
    secret = repository(tmp_path / "secret", {"secret.py": "S = 1\n"})
    commit = plain_git(secret, "rev-parse", "HEAD").strip()
    write(origin, {".git/objects/info/alternates": f"{secret / '.git' / 'objects'}\n"})
    assert plain_git(origin, "show", f"{commit}:secret.py") == "S = 1\n"
    with pytest.raises(UsageError, match="there is no commit"):
        pin(origin, tmp_path / "head", revision=commit)


def test_a_work_tree_elsewhere_is_not_read(origin: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    write(elsewhere, {"secret.py": "S = 1\n"})
    plain_git(origin, "config", "core.worktree", str(elsewhere))
    assert "secret.py" in plain_git(origin, "ls-files", "--others")
    assert texts(pin(origin, tmp_path / "work")) == FILES


def test_a_repository_above_that_is_not_ours_hides_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    above = repository(tmp_path / "above", {".gitignore": "*.py\n"})
    write(above / "project", FILES)
    assert texts(pin(above / "project", tmp_path / "one")) == FILES  # ignored as a whole: taken as a plain folder
    write(above / "project", {"README.md": "# Hello\n"})
    assert set(texts(pin(above / "project", tmp_path / "two"))) == {"README.md"}
    if os.geteuid() != 0:
        pytest.skip("needs root to give the repository away")
    os.chown(above / ".git", 12345, 12345)
    assert set(texts(pin(above / "project", tmp_path / "three"))) == {"README.md", *FILES}


def damaged_index(origin: Path) -> None:
    (origin / ".git" / "index").write_bytes(b"DIRC" + os.urandom(100))


def damaged_head(origin: Path) -> None:
    (origin / ".git" / "HEAD").write_bytes(b"ref: ../../../../etc/passwd\n")


def linked_objects(origin: Path) -> None:
    objects = origin / ".git" / "objects"
    objects.rename(origin.parent / "objects")
    objects.symlink_to(origin.parent / "objects")


def no_head(origin: Path) -> None:
    (origin / ".git" / "HEAD").unlink()


@pytest.mark.parametrize("damage", [damaged_index, damaged_head, linked_objects, no_head])
def test_a_damaged_repository_is_still_audited(origin: Path, tmp_path: Path, damage: Callable[[Path], None]) -> None:
    damage(origin)
    assert texts(pin(origin, tmp_path / "work")) == FILES
