"""Files that were left out of the copy are not missing from the repository."""

from pathlib import Path

import pytest

from auditors.docs import CHECKS
from auditors.frontend import CHECKS as FRONTEND
from harness.contracts import Bench
from harness.schema.run import Skip
from harness.source.project import Project
from tests.support.corpus import finding_of, judge
from tests.support.trees import tree_of


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# A\n\n![shown](img/one.png) and [gone](gone.md)\n")
    return tmp_path


def project(root: Path, *skips: Skip) -> Project:
    return Project(tree_of(root).model_copy(update={"excluded": skips}))


def test_listed_files_folders_and_the_uncounted_rest(root: Path) -> None:
    one = project(root, Skip(path="docs/img/one.png", reason="binary"), Skip(path="build/", reason="output"))
    assert one.left_out("docs/img/one.png") is not None
    assert one.left_out("build/x/y.py") is not None
    assert one.left_out("docs/img/two.png") is None
    rest = project(root, Skip(path="./", reason="binary (384 more)"))
    assert rest.left_out("docs/img/two.png") is not None
    assert rest.left_out("docs/gone.md") is None
    assert project(root, Skip(path="./", reason="symlink (9 more)")).left_out("docs/gone.md") is not None


def test_a_picture_that_was_left_out_is_no_dead_link(root: Path) -> None:
    for skips in ((), (Skip(path="docs/img/one.png", reason="binary"),), (Skip(path="./", reason="binary (9 more)"),)):
        bench = Bench(project=project(root, *skips), sandbox=None)
        claims = [c for check in CHECKS if check.project for c in check.project(bench.project) if c.rule == "doc-link"]
        verdicts = {c.facts["target"]: judge(c, bench).verdict.value for c in claims}
        assert verdicts["gone.md"] == "CONFIRMED"
        assert verdicts.get("img/one.png") == ("UNCERTAIN" if skips else "CONFIRMED")
        assert finding_of(claims[0]).kind == "doc-link"


@pytest.mark.parametrize(
    ("skip", "verdict"),
    [
        (None, "CONFIRMED"),
        (Skip(path="app/templates/mail/note.txt", reason="symlink"), "UNCERTAIN"),
        (Skip(path="themes/templates/", reason="excluded by the settings"), "UNCERTAIN"),
        (Skip(path="./", reason="beyond the largest number of files (3 more)"), "UNCERTAIN"),
        (Skip(path="./", reason="binary (3 more)"), "CONFIRMED"),
        (Skip(path="app/email/note.txt", reason="symlink"), "CONFIRMED"),
        (Skip(path="app/template_names.py", reason="larger than 2 MB"), "CONFIRMED"),
    ],
)
def test_a_template_that_may_be_left_out_is_not_missing(tmp_path: Path, skip: Skip | None, verdict: str) -> None:
    page = tmp_path / "app" / "templates" / "mail" / "page.html"
    page.parent.mkdir(parents=True)
    page.write_text("<p>")
    code = 'import flask\n\ndef note():\n    return flask.render_template("mail/note.txt")\n'
    (tmp_path / "app" / "views.py").write_text(code)
    bench = Bench(project=project(tmp_path, *([skip] if skip else [])), sandbox=None)
    (claim,) = [c for k in FRONTEND if k.project for c in k.project(bench.project) if c.rule == "template-missing"]
    assert judge(claim, bench).verdict.value == verdict
