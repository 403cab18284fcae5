"""The ledger: every figure from a real record, with its basis; hostile text inert; the same record, the same bytes."""

import datetime
import json
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt

from devlog.entry import Entry
from devlog.ledger.charts import flow_bars
from devlog.ledger.figures import dollars, short
from devlog.ledger.period import bins, day_of
from devlog.ledger.record import Day, Flow
from devlog.store import Devlog
from harness.cli.main import main
from harness.journal.register import RunLine, append
from harness.llm.ledger import Entry as Call
from harness.llm.ledger import Labels
from harness.llm.ledger import Ledger as Calls
from harness.llm.messages import Usage
from harness.state import RunFolder, State
from tests.support.audits import PLANNED, audit
from tests.support.browser import Browser, chromium
from tests.support.hostile import plain_git, write

EVIL = "<img src=x onerror=alert(1)> | `@all` [x](javascript:alert(1)) \x1b[2J\u202e</style></svg>"
FILES = {
    **PLANNED,
    "tests/test_a.py": "class TestA:\n    def test_one(self): ...\n    def other(self): ...\n\n\nasync def test_two():\n"
    "    def test_inner(): ...\n\n\ndef helper_test_(): ...\n",
    "tests/test_broken.py": "def test_(:\n",
    "tests/corpus/test_planted.py": "def test_planted(): ...\n",
    "pyproject.toml": '[tool.harness]\nexclude = ["tests/corpus/**"]\n',
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository with three commits on two days, one of them a checkpoint with a hostile message."""
    folder = tmp_path / "shop"
    write(folder, FILES)
    plain_git(folder, "init", "-q", "-b", "main")
    for number, (day, message) in enumerate(
        [("2026-06-10T12:00:00Z", "Begin"), ("2026-06-10T23:30:00-02:00", "Go on"),
         ("2026-06-12T08:00:00Z", f"{EVIL}\n\nHarness-Checkpoint: run 0001 {EVIL}")]
    ):  # fmt: skip
        (folder / "n.txt").write_text(str(number))
        plain_git(folder, "add", "-A")
        plain_git(folder, "commit", "-q", "-m", message, GIT_AUTHOR_DATE=day, GIT_COMMITTER_DATE=day)
    return folder


@pytest.fixture
def ledger(root: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., dict[str, Any]]:
    def run(*arguments: str) -> dict[str, Any]:
        capsys.readouterr()
        assert main(["ledger", str(root), "--format", "json", *arguments]) == 0
        found: dict[str, Any] = json.loads(capsys.readouterr().out)
        found["by"] = {figure["id"]: figure for figure in found["figures"]}
        return found

    return run


def ended(root: Path, day: str, **more: object) -> RunFolder:
    """A run that ended, as its line says."""
    folder = State(root).new_run()
    fields: dict[str, object] = {
        "run": folder.id, "kind": "audit", "started": f"{day}T10:00:00+00:00", "seconds": 1.0, "status": "complete",
        "exit_code": 0, "raised": 0, "admitted": 0, "confirmed": 0, "uncertain": 0, "dismissed": 0, "unverified": 0, **more,
    }  # fmt: skip
    append(folder.register, RunLine.model_validate(fields))
    return folder


def reported(folder: RunFolder, **verdicts: str) -> None:
    """The report of a run with findings of these fingerprints."""
    findings = [{"fingerprint": name, "rule": "r", "path": "a.py", "line": 1, "verdict": verdict, "reason": EVIL}
                for name, verdict in verdicts.items()]  # fmt: skip
    folder.report.write_text(json.dumps({"findings": findings}))


def called(
    folder: RunFolder, outcome: str, cost: float | None = None, *, stage: str = "verify", tokens: int = 100
) -> None:
    call = Call(at="2026-06-11T10:00:00+00:00", run=folder.id, labels=Labels(stage=stage, lane="argued"), spec="openai:m", key="k",
                attempt=1, outcome="sent")  # fmt: skip
    calls = Calls(folder.usage)
    if outcome == "replayed":
        calls.write(call.model_copy(update={"outcome": "replayed"}))
        return
    calls.write(call)
    if outcome != "lost":
        used = Usage(input_tokens=tokens, cached_tokens=tokens // 2, output_tokens=10)
        calls.write(call.model_copy(update={"outcome": outcome, "cost": cost, "usage": used}))


def test_code_commits_and_days_are_counted_at_the_pinned_revision(
    root: Path, ledger: Callable[..., dict[str, Any]]
) -> None:
    write(root, {"later.py": "x = 1\n" * 1000})
    found = ledger()
    head = plain_git(root, "rev-parse", "HEAD").strip()
    by = found["by"]
    assert (found["head"], found["first"], found["last"]) == (head, "2026-06-10", "2026-06-12")
    assert by["modules"]["value"] == {"modules": 2, "lines": 9}
    assert by["tests"]["value"] == 2
    assert "1 file that this Python cannot parse" in by["tests"]["counted_as"]
    assert (by["commits"]["value"], by["checkpoints"]["value"]) == (3, 1)
    assert [(d["day"], d["commits"]) for d in found["days"]] == [
        ("2026-06-10", 1),
        ("2026-06-11", 1),
        ("2026-06-12", 1),
    ]
    assert all(figure["counted_as"] for figure in found["figures"])
    until = ledger("--until", "2026-06-10")
    assert until["head"] == plain_git(root, "rev-parse", "HEAD~2").strip()
    assert until["by"]["commits"]["value"] == 1


def test_runs_are_counted_from_their_lines_and_older_ones_from_their_reports(
    root: Path, ledger: Callable[..., dict[str, Any]]
) -> None:
    audit(root)
    audit(root)
    first = ledger()
    assert first["flow"] == {
        "runs": 2,
        "raised": 18,
        "admitted": 18,
        "confirmed": 4,
        "uncertain": 0,
        "dismissed": 2,
        "unverified": 0,
    }
    (State(root).runs / "runs.tsv").unlink()
    older = ledger()
    assert older["flow"] == first["flow"]
    assert "2 reports older than it" in older["by"]["runs"]["counted_as"]


def test_a_resumed_run_counts_once_a_killed_one_is_said_to_be_missing(
    root: Path, ledger: Callable[..., dict[str, Any]]
) -> None:
    folder = ended(root, "2026-06-11", status="incomplete", exit_code=130, raised=None, confirmed=None)
    line = RunLine(run=folder.id, kind="audit", started="2026-06-11T10:00:00+00:00", seconds=1, status="complete", exit_code=0,
                   raised=7, admitted=6, confirmed=2, uncertain=1, dismissed=2, unverified=0)  # fmt: skip
    append(folder.register, line)
    killed = State(root).new_run()
    called(killed, "complete", 0.5)
    with folder.register.open("a") as stream:
        stream.write("0009\taud")
    found = ledger()
    assert (found["by"]["runs"]["value"], found["flow"]["raised"], found["flow"]["runs"]) == (1, 7, 1)
    assert found["by"]["model_calls"]["value"] == 1
    assert any("1 run without an end" in text for text in found["missing"])
    assert any("1 line of runs.tsv cannot be read" in text for text in found["missing"])


def test_a_cost_that_is_not_known_is_never_zero(root: Path, ledger: Callable[..., dict[str, Any]]) -> None:
    folder = ended(root, "2026-06-11", confirmed=4, raised=4, admitted=4)
    called(folder, "complete", 0.5)
    called(folder, "complete", 0.25, stage="discover")
    called(folder, "replayed")
    found = ledger()["by"]
    assert (found["cost"]["value"], found["cost_per_confirmed"]["value"]) == (0.75, 0.1875)
    assert found["tokens"]["value"] == {"input": 200, "cached": 100, "output": 20}
    assert "1 answers at hand" in found["model_calls"]["counted_as"]
    called(folder, "lost")
    called(folder, "complete", None)
    called(folder, "failed")
    unknown = ledger()
    assert (unknown["by"]["cost"]["value"], unknown["by"]["cost"]["shown"]) == (None, "unknown")
    assert "3 of 5 calls" in unknown["by"]["cost"]["counted_as"]
    assert unknown["by"]["cost_per_confirmed"]["value"] is None
    assert [(t["stage"], t["calls"], t["known_cost"], t["unpriced"]) for t in unknown["models"]] == [
        ("discover", 1, 0.25, 0), ("verify", 4, 0.5, 3)]  # fmt: skip


def test_calls_of_a_run_whose_folder_is_gone_stay_in_the_sum(root: Path, ledger: Callable[..., dict[str, Any]]) -> None:
    folder = ended(root, "2026-06-11", calls=3, input_tokens=30, models="openai:gone", cost=None, unpriced=2)
    folder.path.rmdir()
    found = ledger()
    assert found["by"]["model_calls"]["value"] == 3
    assert found["by"]["cost"]["value"] is None
    assert any("usage.jsonl of 1 run is gone" in text for text in found["missing"])


def test_debt_is_what_no_later_run_judged(root: Path, ledger: Callable[..., dict[str, Any]]) -> None:
    reported(ended(root, "2026-06-10", unverified=3), aaaa="UNVERIFIED", bbbb="UNVERIFIED", cccc="UNVERIFIED")
    reported(ended(root, "2026-06-11", unverified=1), aaaa="UNVERIFIED", bbbb="DISMISSED")
    reported(ended(root, "2026-06-12"), cccc="CONFIRMED", dddd="CONFIRMED")
    gone = ended(root, "2026-06-12", unverified=2)
    found = ledger()
    assert [(d["fingerprint"], d["run"], d["day"]) for d in found["debt"]] == [("aaaa", "0001", "2026-06-10")]
    assert found["by"]["verification_debt"]["value"] == 3
    assert "oldest 2026-06-10, run 0001" in found["by"]["verification_debt"]["counted_as"]
    assert any("2 claims of runs whose report is gone" in text for text in found["missing"])
    gone.report.write_text("[" * 100)
    earlier = ledger("--until", "2026-06-10")
    assert [d["fingerprint"] for d in earlier["debt"]] == ["aaaa", "bbbb", "cccc"]


WAIVERS = """
[[waiver]]
fingerprint = "a"
kind = "defer"
reason = "Needs the export service"
author = "Ada"
date = 2026-06-10
until = 2026-06-11
[[waiver]]
fingerprint = "b"
kind = "false-positive"
reason = '''{evil}'''
author = "Eve"
date = 2026-06-12
"""


def test_decisions_are_listed_with_reason_and_expiry(root: Path, ledger: Callable[..., dict[str, Any]]) -> None:
    write(root, {".harness/waivers.toml": WAIVERS.format(evil="known")})
    found = ledger()
    assert found["by"]["decisions"]["value"] == {"defer": 1, "accept": 0, "false-positive": 1}
    assert [(d["kind"], d["reason"], d["expired"]) for d in found["decisions"]] == [
        ("defer", "Needs the export service", True), ("false-positive", "known", False)]  # fmt: skip
    write(root, {".harness/waivers.toml": "[[waiver]]\nkind = 'defer'\n"})
    broken = ledger()
    assert broken["by"]["decisions"]["shown"] == "not known"
    assert any(".harness/waivers.toml cannot be read" in text for text in broken["missing"])


def test_a_devlog_that_was_edited_is_not_passed_off_as_sound(root: Path, ledger: Callable[..., dict[str, Any]]) -> None:
    log = Devlog(root / "docs/devlog")
    for day in (10, 10, 11):
        log.add(Entry(number=1, date=datetime.date(2026, 6, day), title="t", goal="g", done="d"))
    found = ledger()["by"]["devlog_entries"]
    assert (found["value"], "busiest day 2026-06-10 with 2" in found["counted_as"]) == (3, True)
    log.paths()[0].write_text(log.paths()[0].read_text().replace("goal", "gaol", 1))
    broken = ledger()
    assert "broken" in broken["by"]["devlog_entries"]["counted_as"]
    assert any(text.startswith("devlog: 0001") for text in broken["missing"])


def test_a_title_stands_for_the_name_of_the_folder(root: Path, ledger: Callable[..., dict[str, Any]]) -> None:
    assert ledger()["target"] == "shop"
    assert ledger("--title", "The shop\x1b")["target"] == r"The shop\x1b"


def test_nothing_in_the_period_is_said_and_is_no_success(
    root: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(["ledger", str(root), "--since", "2026-06-13"]) == 4
    assert "nothing is recorded" in (said := capsys.readouterr().err)
    assert "since 2026-06-13" in said
    (tmp_path / "empty").mkdir()
    assert main(["ledger", str(tmp_path / "empty")]) == 4
    assert main(["ledger", str(root), "--since", "2026-06-13", "--until", "2026-06-01"]) == 2
    assert main(["ledger", str(root), "--since", "yesterday"]) == 2
    assert main(["ledger", str(root), "--output", "pdf=x"]) == 2
    assert main(["ledger", str(root), "--output", f"json={tmp_path}"]) == 2
    assert "x" not in [p.name for p in Path.cwd().iterdir()]


def test_a_folder_without_git_is_counted_as_far_as_it_goes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path / "plain", FILES)
    ended(tmp_path / "plain", "2026-06-11")
    assert main(["ledger", str(tmp_path / "plain")]) == 0
    out = capsys.readouterr().out
    assert re.search(r"modules / lines +2 / 9 +Python files in the folder as it is", out)
    assert re.search(r"commits +not known +not a git repository", out)
    assert "not counted\n  commits and checkpoints: not a git repository" in out


class Page(HTMLParser):
    """Elements, attributes, and whether every one is closed."""

    VOID = frozenset({"meta", "link", "br", "rect", "line"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag not in self.VOID or (tag == "rect" and not self.get_starttag_text().endswith("/>")):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.fixture
def hostile(root: Path, tmp_path: Path) -> Path:
    """Every text that comes from outside is hostile; the forms of the ledger lie in the folder returned."""
    write(root, {".harness/waivers.toml": WAIVERS.format(evil=EVIL.replace("\x1b", "\\u001b"))})
    folder = ended(root, "2026-06-11", unverified=1, raised=3, admitted=2, confirmed=1, models=EVIL)
    reported(folder, aaaa="UNVERIFIED")
    called(folder, "complete", 0.5)
    text = folder.usage.read_text().replace("openai:m", json.dumps(EVIL)[1:-1])
    folder.usage.write_text(text)
    to = tmp_path / "out"
    to.mkdir()
    forms = [f"--output={name}={to / name}" for name in ("text", "markdown", "json", "html")]
    assert main(["ledger", str(root), *forms]) == 0
    return to


def test_hostile_text_is_inert_in_every_form(hostile: Path) -> None:
    for name in ("text", "markdown", "html"):
        text = (hostile / name).read_text()
        assert "\x1b" not in text
        assert "\u202e" not in text
    page = Page((hostile / "html").read_text())
    assert page.open == []
    assert not page.tags & {"img", "script", "iframe", "a"} - {"a"}
    assert not {name for name in page.attributes if name.startswith("on") or name in ("style", "src")}
    shown = MarkdownIt("commonmark").enable("table").render((hostile / "markdown").read_text())
    assert "<img" not in shown
    assert "href" not in shown
    assert "Never verified" in shown
    rows = [row for row in (hostile / "markdown").read_text().splitlines() if row.startswith("| 2026-06-12 |")]
    assert rows


def test_the_same_record_gives_the_same_bytes(root: Path, hostile: Path, tmp_path: Path) -> None:
    for name in ("text", "markdown", "json", "html"):
        again = tmp_path / f"again-{name}"
        assert main(["ledger", str(root), f"--output={name}={again}"]) == 0
        assert again.read_bytes() == (hostile / name).read_bytes()


@pytest.mark.skipif(chromium() is None, reason="there is no browser here")
@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 1280), ("light", 360)])
def test_a_browser_shows_it_asks_for_nothing_and_breaks_no_rule(hostile: Path, scheme: str, width: int) -> None:
    page = (hostile / "html").rename(hostile / f"{scheme}.html")
    with Browser(chromium() or "") as browser:
        browser.open(page, width=width, scheme=scheme, phone=width < 500)
        assert browser.messages() == []
        assert browser.requests() == [page.as_uri()]
        assert browser.run("document.documentElement.scrollWidth") <= width
        assert browser.run("document.querySelectorAll('svg.days rect').length") == 4
        described = "s => document.getElementById(s.getAttribute('aria-labelledby').split(' ')[1])"
        unnamed = f"[...document.querySelectorAll('svg[role=img]')].filter(s => !({described})(s)).length"
        assert browser.run(unnamed) == 0


@pytest.mark.parametrize(
    ("days", "unit", "count"),
    [(1, "day", 1), (20, "day", 20), (21, "week", 3), (140, "week", 20), (141, "14 days", 11)],
)
def test_bars_are_days_weeks_or_more_and_lose_nothing(days: int, unit: str, count: int) -> None:
    first = datetime.date(2026, 1, 1)
    all_days = [Day(day=first + datetime.timedelta(days=n), commits=n, runs=1) for n in range(days)]
    cut = bins(all_days, first, all_days[-1].day, 20)
    assert (cut.unit, len(cut.bins)) == (unit, count)
    assert sum(b.commits for b in cut.bins) == sum(range(days))
    assert (cut.bins[0].first, cut.bins[-1].last) == (first, all_days[-1].day)


def test_numbers_are_shown_as_people_read_them() -> None:
    assert [short(n) for n in (0, 999, 1000, 999_999, 7_940_000, 10**9)] == [
        "0",
        "999",
        "1.00k",
        "1000k",
        "7.94M",
        "1.00G",
    ]
    assert [dollars(n) for n in (0.0, 0.00123, 1.5, 1234.5)] == ["0.00 usd", "0.0012 usd", "1.50 usd", "1,234.50 usd"]
    assert day_of(10**20) is None
    assert day_of(-(10**20)) is None


def test_no_bar_leaves_its_track() -> None:
    for flow in (
        Flow(runs=1, raised=10, admitted=8, confirmed=2, dismissed=3),
        Flow(runs=1, raised=0, confirmed=3),
        Flow(),
    ):
        pieces = [piece for bar in flow_bars(flow) for piece in bar.pieces]
        assert all(piece.x >= 0 and piece.x + piece.width <= 100.6 for piece in pieces)
