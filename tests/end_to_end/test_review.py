"""`harness review` in real git repositories: what the change causes is reported, and nothing else."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.cli.main import main
from harness.repo.revisions import CHECKPOINT_TRAILER
from tests.support.hostile import plain_git, repository, write

GUARDED = """\
import os
import re

from flask import Flask, request

app = Flask(__name__)


def checked(name):
    if not re.fullmatch(r"[a-z]+", name):
        raise ValueError(name)
    return name


@app.route("/export")
def export():
    name = checked(request.args["name"])
    return os.popen("tar c " + name).read()


@app.route("/old")
def old():
    return os.popen("ls " + request.args["old"]).read()
"""
UNGUARDED = GUARDED.replace('    if not re.fullmatch(r"[a-z]+", name):\n        raise ValueError(name)\n', "").replace(
    "import re\n", ""
)
SHOP = {
    "shop.py": "def price(amount, rate):\n    return round(amount * (1 + rate), 2)\n\n\ndef total(items, rate):\n"
    "    return sum(price(item, rate) for item in items)\n",
    "tests/test_shop.py": "from shop import price, total\n\n\ndef test_price():\n    assert price(100, 0.2) == 120\n\n\n"
    "def test_total():\n    assert total([100], 0.1) == 110\n",
}
Review = Callable[..., tuple[int, dict[str, Any]]]


@pytest.fixture
def origin(tmp_path: Path) -> Path:
    return repository(tmp_path / "app", {"app.py": GUARDED})


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return repository(tmp_path / "app", SHOP)


@pytest.fixture
def review(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Review:
    def run(*arguments: str) -> tuple[int, dict[str, Any]]:
        capsys.readouterr()
        command = ["review", str(tmp_path / "app"), "--format", "json", "-q", *arguments]
        code = main(command)
        text = capsys.readouterr().out
        return code, json.loads(text) if text else {}

    return run


def found(report: dict[str, Any]) -> list[tuple[str, int, str]]:
    return [(f["rule"], f["line"], f["verdict"]) for f in report["findings"]]


def test_a_guard_taken_away_is_a_finding_in_the_unchanged_caller_and_what_was_there_is_not(
    origin: Path, review: Review
) -> None:
    write(origin, {"app.py": UNGUARDED})
    code, report = review("--dimension", "security", "--no-exec")
    assert (code, found(report)) == (1, [("command-injection", 15, "CONFIRMED")])
    [finding] = report["findings"]
    [change] = [r for r in finding["related"] if r["role"] == "change"]
    assert "`checked`" in change["message"] or "the change edits" in change["message"]
    assert report["review"]["known"] >= 1, "the injection in `old` is in the base, too"
    assert report["run"]["base"] == plain_git(origin, "rev-parse", "HEAD").strip()


def test_a_reproducer_that_fails_on_the_change_alone_is_differential(origin: Path, review: Review) -> None:
    write(origin, {"app.py": UNGUARDED})
    _, report = review("--dimension", "security")
    [finding] = [f for f in report["findings"] if f["rule"] == "command-injection"]
    assert finding["tier"] == "E5", finding["reason"]
    assert finding["evidence"][-1]["kind"] == "differential"


@pytest.mark.parametrize(
    "text",
    [
        GUARDED.replace("def old", "def older"),
        "# a comment\n\n" + GUARDED,
        GUARDED.replace('"ls "', "'ls '"),
        GUARDED.replace("def export():\n", 'def export():\n    """The archive."""\n'),
    ],
    ids=["renamed", "moved down", "other quotes", "docstring"],
)
def test_a_change_that_breaks_nothing_has_no_finding(origin: Path, review: Review, text: str) -> None:
    write(origin, {"app.py": text})
    assert found(review("--dimension", "security", "--no-exec")[1]) == []


def test_a_file_that_moves_takes_its_findings_along(origin: Path, review: Review) -> None:
    plain_git(origin, "mv", "app.py", "service.py")
    _, report = review("--dimension", "security", "--no-exec")
    assert (found(report), report["review"]["files"]) == ([], ["service.py"])


def test_a_copy_put_before_a_waived_original_is_the_new_one(origin: Path, review: Review) -> None:
    text = 'import os\n\nfrom flask import request\n\n\ndef run():\n    os.system(request.args["a"])\n'
    write(origin, {"twice.py": text})
    plain_git(origin, "add", "-A")
    plain_git(origin, "commit", "-q", "-m", "one")
    _, first = review("--base", "HEAD~1", "--dimension", "security", "--no-exec")
    [mark] = [f["fingerprint"] for f in first["findings"] if f["path"] == "twice.py"]
    entry = f'[[waiver]]\nfingerprint = "{mark}"\nkind = "accept"\nreason = "known"\nauthor = "A"\ndate = 2026-01-01\n'
    write(origin, {".harness/waivers.toml": entry})
    plain_git(origin, "add", "-A")
    plain_git(origin, "commit", "-q", "-m", "waived")
    copied = text.replace("    os.system", '    os.system(request.args["a"])\n    os.system')
    write(origin, {"twice.py": copied})
    code, report = review("--dimension", "security", "--no-exec")
    assert (code, len(report["findings"]), report["findings"][0]["waiver"]) == (1, 1, None)


def test_what_is_staged_is_not_what_lies_in_the_work_tree(origin: Path, review: Review) -> None:
    write(origin, {"app.py": UNGUARDED})
    plain_git(origin, "add", "app.py")
    write(origin, {"app.py": GUARDED})
    assert review("--dimension", "security", "--no-exec")[0] == 4
    code, report = review("--staged", "--dimension", "security", "--no-exec")
    assert (code, report["review"]["kind"]) == (1, "staged")


def test_a_patch_is_reviewed_without_being_applied(origin: Path, review: Review, tmp_path: Path) -> None:
    write(origin, {"app.py": UNGUARDED})
    (tmp_path / "change.diff").write_text(plain_git(origin, "diff"))
    write(origin, {"app.py": GUARDED})
    code, report = review("--patch", str(tmp_path / "change.diff"), "--dimension", "security", "--no-exec")
    assert (code, report["review"]["kind"], len(report["findings"])) == (1, "patch", 1)
    assert (origin / "app.py").read_text() == GUARDED


def test_since_the_last_checkpoint(origin: Path, review: Review) -> None:
    assert review("--since-checkpoint")[0] == 2
    write(origin, {"note.md": "one\n"})
    plain_git(origin, "add", "-A")
    plain_git(origin, "commit", "-q", "-m", f"state\n\n{CHECKPOINT_TRAILER}: 0001")
    last = plain_git(origin, "rev-parse", "HEAD").strip()
    write(origin, {"app.py": UNGUARDED})
    plain_git(origin, "commit", "-q", "-am", "later")
    code, report = review("--since-checkpoint", "--dimension", "security", "--no-exec")
    assert (code, report["review"]["base"]) == (1, last)


@pytest.mark.parametrize(
    "arguments",
    [["--staged", "--patch", "x"], ["--base", "main", "--since-checkpoint"], ["--base", "--help-me"], ["--base", ""]],
)
def test_what_contradicts_itself_is_a_usage_error(origin: Path, review: Review, tmp_path: Path, arguments: list[str],
                                                  monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x").write_text("")
    assert review(*arguments)[0] == 2


def test_a_folder_below_the_root_is_reviewed_and_one_file_is_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = repository(tmp_path / "app", {f"backend/{name}": text for name, text in SHOP.items()})
    write(root, {"backend/shop.py": SHOP["shop.py"].replace("1 + rate", "1 - rate")})
    for which in ([], ["--staged"]):
        plain_git(root, "add", "-A")
        capsys.readouterr()
        assert main(["review", str(root / "backend"), *which, "-q", "--format", "json"]) == 1
        assert found(json.loads(capsys.readouterr().out)) == [("regression-by-test", 2, "CONFIRMED")]
    assert main(["review", str(root / "backend/shop.py")]) == 2
    assert main(["gate", str(root / "backend/shop.py")]) == 2
    assert main(["review", str(tmp_path)]) == 2, "there is no repository"


def test_nothing_changed_is_nothing_in_scope(origin: Path, review: Review) -> None:
    assert review()[0] == 4


def test_a_second_round_tells_what_is_new_what_is_open_and_what_is_gone(origin: Path, review: Review) -> None:
    write(origin, {"app.py": UNGUARDED})
    first = review("--dimension", "security", "--no-exec")[1]
    again = review("--dimension", "security", "--no-exec")[1]
    assert again["review"]["round"] == {
        "number": 2, "previous": first["run"]["id"], "new": [], "still_open": [first["findings"][0]["id"]], "gone": [],
        "answered": 0,
    }  # fmt: skip
    write(
        origin,
        {"app.py": GUARDED, "more.py": 'import os\n\nfrom flask import request\n\nos.system(request.args["x"])\n'},
    )
    third = review("--dimension", "security", "--no-exec")[1]["review"]["round"]
    assert (third["number"], len(third["new"]), third["gone"]) == (3, 1, ["command-injection app.py"])


def test_settings_come_from_the_base(origin: Path, review: Review) -> None:
    write(origin, {"app.py": UNGUARDED, "harness.toml": 'exclude = ["app.py"]\nfail_on = "none"\n'})
    code, report = review("--dimension", "security", "--no-exec")
    assert code == 1
    assert sorted(f["rule"] for f in report["findings"]) == [
        "command-injection",
        "decision-in-change",
        "decision-in-change",
    ]
    assert report["review"]["policy"] == ["fail_on goes from high to none", "exclude gets app.py"]


def test_two_suppressions_with_the_same_words_are_two_findings(origin: Path, review: Review) -> None:
    write(origin, {"app.py": GUARDED + 2 * "x = 1  # harness: ignore[command-injection] ours\n"})
    ids = [f["fingerprint"] for f in review("--no-exec")[1]["findings"] if f["rule"] == "decision-in-change"]
    assert len(set(ids)) == 2


def test_what_is_not_staged_is_hinted_at(origin: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(origin, {"app.py": UNGUARDED})
    assert main(["review", str(origin), "--staged"]) == 4
    assert "git add" in capsys.readouterr().err


# the project's own tests


def test_a_test_that_the_change_breaks_is_differential_evidence_at_the_changed_code(shop: Path, review: Review) -> None:
    write(shop, {"shop.py": SHOP["shop.py"].replace("1 + rate", "1 - rate")})
    code, report = review("--dimension", "security")
    [finding] = report["findings"]
    assert (code, finding["severity"]) == (1, "high"), "it stops a merge by default"
    assert (finding["rule"], finding["path"], finding["line"], finding["symbol"]) == (
        "regression-by-test", "shop.py", 2, "price",
    )  # fmt: skip
    assert (finding["verdict"], finding["tier"]) == ("CONFIRMED", "E5")
    assert "tests/test_shop.py::test_price" in finding["scenario"]
    assert report["review"]["tests"]["compared"].startswith("2 broken, 0 mended")


def test_a_test_that_the_change_edits_stays_open(shop: Path, review: Review) -> None:
    write(shop, {"tests/test_shop.py": SHOP["tests/test_shop.py"].replace("== 120", "== 80")})
    code, report = review("--dimension", "security")
    [finding] = report["findings"]
    assert code == 0
    assert (finding["verdict"], finding["path"]) == ("UNCERTAIN", "tests/test_shop.py")
    assert "the change edits this test" in finding["reason"]


def test_a_flaky_test_stays_open(shop: Path, review: Review) -> None:
    flaky = "\n\ndef test_flaky():\n    import random\n    assert random.random() < 2\n"
    write(shop, {"tests/test_flaky.py": "import os\nimport sys" + flaky})
    plain_git(shop, "add", "-A")
    plain_git(shop, "commit", "-q", "-m", "flaky")
    # Fails only when other tests run before it: alone, as the second try has it, it passes.
    write(shop, {"shop.py": SHOP["shop.py"] + "\n\nCALLS = []\n", "conftest.py": (
        "def pytest_collection_modifyitems(items):\n    if len(items) > 1:\n        import random\n\n"
        "        random.random = lambda: 3\n"
    )})  # fmt: skip
    _, report = review("--dimension", "security")
    [finding] = report["findings"]
    assert (finding["rule"], finding["verdict"]) == ("regression-by-test", "UNCERTAIN")
    assert "flaky" in finding["reason"]


def test_a_test_file_that_can_no_longer_be_imported_is_a_regression(shop: Path, review: Review) -> None:
    write(shop, {"shop.py": SHOP["shop.py"].replace("def total", "def total_of")})
    _, report = review("--dimension", "security")
    [finding] = report["findings"]
    assert (finding["rule"], finding["verdict"], finding["tier"]) == ("regression-by-test", "CONFIRMED", "E5")
    assert "cannot import name 'total'" in finding["scenario"]


def test_a_file_that_no_side_can_import_hides_no_other(shop: Path, review: Review) -> None:
    write(shop, {"tests/test_lacking.py": "import no_such_package\n\n\ndef test_x():\n    pass\n"})
    plain_git(shop, "add", "-A")
    plain_git(shop, "commit", "-q", "-m", "lacking")
    write(shop, {"shop.py": SHOP["shop.py"].replace("1 + rate", "1 - rate")})
    _, report = review("--dimension", "security")
    assert found(report) == [("regression-by-test", 2, "CONFIRMED")]
    assert "tests/test_lacking.py cannot be imported on either side" in report["review"]["tests"]["compared"]


def test_a_refactoring_under_tests_has_no_finding(shop: Path, review: Review) -> None:
    text = SHOP["shop.py"].replace(
        "    return round(amount * (1 + rate), 2)", "    gross = amount * (1 + rate)\n    return round(gross, 2)"
    )
    write(shop, {"shop.py": text})
    code, report = review()
    assert (code, found(report), report["review"]["tests"]["status"]) == (0, [], "passed")


def test_no_tests_and_no_exec_leave_the_tests_alone(shop: Path, review: Review) -> None:
    write(shop, {"shop.py": SHOP["shop.py"].replace("1 + rate", "1 - rate")})
    assert review("--no-tests")[1]["review"]["tests"]["status"] == "not run"
    assert review("--no-exec")[1]["review"]["tests"]["reason"] == "running code of the project was switched off"


def test_a_baseline_is_not_written_from_a_review(
    shop: Path, review: Review, capsys: pytest.CaptureFixture[str]
) -> None:
    write(shop, {"shop.py": SHOP["shop.py"] + "\n\nX = 1\n"})
    review("--no-tests")
    assert main(["baseline", "write", "--repo", str(shop)]) == 2
    assert "looked at a change" in capsys.readouterr().err


def test_a_resumed_review_ends_like_one_that_was_not_stopped(
    shop: Path, review: Review, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from harness.errors import Interrupted
    from harness.review import suite

    write(shop, {"shop.py": SHOP["shop.py"].replace("1 + rate", "1 - rate")})
    run = suite.run_tests

    def stopped(*arguments: Any, **more: Any) -> Any:
        raise Interrupted("SIGINT")

    monkeypatch.setattr(suite, "run_tests", stopped)
    assert review("--dimension", "security")[0] == 130
    monkeypatch.setattr(suite, "run_tests", run)
    assert main(["resume", "--repo", str(shop), "--format", "json", "-q"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert found(report) == [("regression-by-test", 2, "CONFIRMED")]
    assert report["run"]["status"] == "complete"
