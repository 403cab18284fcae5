import re
import unicodedata

import pytest
from hypothesis import given

from harness.cli.main import COMMANDS
from harness.render.ansi import Paint, columns, wrap
from harness.render.formats import render
from harness.schema.finding import Severity
from harness.schema.run import Coverage
from tests.support.reports import (
    EVERYTHING,
    HOSTILE,
    RULES,
    finding,
    hostile,
    incomplete,
    limit,
    refuted,
    report,
    sample,
    texts,
    uncertain,
    waiver,
)

EXPECTED = """\
harness 0.1.0 · offline · 1 dimension · shop@3f2a91c (clean) · config pyproject.toml

HIGH   CONFIRMED E4 reproduced  security  command-injection                                     3c1f
  shop/export.py:88:12  in export
  GET /export?name=... reaches `os.popen` unquoted: `name=a;id` ran `id`.
      87 │     name = request.args["name"]
>     88 │     return os.popen(f"tar c {name}").read()
         │            ^^^^^^^^^^^^^^^^^^^^^^^^^
  evidence  reproducer exited with marker 7f3a; control `name=a` did not
  fix       subprocess.run(["tar", "c", "--", name], check=True)

MEDIUM CONFIRMED E3 proved  consistency, correctness  limit-disagrees                           9b20
  llm/anthropic.py:14:1
  The cap is 32000 here and 64000 in llm/deepseek.py:19: long reports end early.
>     14 │ MAX = 32000
  evidence  both values reach the same caller
  fix       Import the one constant.

Open questions (1)  neither proved nor refuted
77aa   MEDIUM llm/anthropic.py:20  limit-disagrees  The cap is 32000 here and 64000 in llm/deepseek…

Waived (1)
aced   HIGH   shop/export.py:90  command-injection  GET /export?name=... reaches `os.popen` unquote…
              waived (defer) by Ada on 2026-06-01, until 2026-09-01: after the release

2 confirmed (1 high, 1 medium) · 1 open question · 1 dismissed · 1 waived · 1 suppressed
raised 7 · admitted 6 · 17 % overturned · coverage 2/3 files, 1,200 lines, 1 lane
  not analysed, does not parse: line 3: bad: old.py
nothing spent · 11 s · next: harness findings show 3c1f
exit 1: CONFIRMED findings at or above high
"""


def test_reads_in_ten_seconds():
    assert render(sample(), "text", outcome="exit 1: CONFIRMED findings at or above high") == EXPECTED


def test_marks_the_code_with_colour_instead_of_carets():
    painted = render(sample(), "text", color=True)
    assert '\x1b[1;31mos.popen(f"tar c {name}")\x1b[0m.read()' in painted
    assert "^^^" not in painted
    plain = [line for line in EXPECTED.splitlines() if "^^^" not in line and not line.startswith("exit")]
    assert re.sub(r"\x1b\[[0-9;]*m", "", painted).splitlines() == plain


def test_an_incomplete_run_says_so_and_how_to_go_on():
    text = render(incomplete(), "text")
    assert "INCOMPLETE: quota exhausted after 19 of 31; this is never a pass" in text
    assert "1 without a verdict" in text
    assert "llm/anthropic.py:20  limit-disagrees (no verdict)" in text
    assert "lane docs-checks (docs) failed: check x failed on a.py" in text
    assert "next: harness resume 0042" in text


def test_only_a_complete_run_is_called_clean():
    said = "No confirmed finding"
    assert f"{said}.\n" in render(report(uncertain()), "text")
    assert f"{said} but those that people decided on.\n" in render(report(finding(waiver=waiver())), "text")
    assert said not in render(sample(), "text")
    assert said not in render(report(coverage=Coverage()), "text")
    assert said not in render(report(run=incomplete().run), "text")


def test_nothing_in_scope_is_not_a_clean_result():
    assert "nothing was in scope" in render(report(coverage=Coverage()), "text")


def test_hidden_findings_are_counted_and_shown_on_request():
    short, long = render(sample(), "text"), render(sample(), "text", show=EVERYTHING)
    assert "refuted: line 33 aborts before line 41" not in short
    assert "refuted: line 33 aborts before line 41" in long
    assert "waived (defer) by Ada on 2026-06-01, until 2026-09-01: after the release" in long
    assert "inline: checked by hand" in long
    assert "cannot tell: No verifier could tell." in long
    assert "no verdict: quota exhausted" in render(incomplete(), "text", show=["open"])


@pytest.mark.parametrize(
    ("one", "command"),
    [
        (sample(), "harness findings show 3c1f"),
        (incomplete(), "harness resume 0042"),
        (report(uncertain()), "harness findings list --open"),
        (report(refuted()), "harness findings list --dismissed"),
        (report(), "harness explain"),
    ],
)
def test_the_next_command_exists(one, command):
    assert f"next: {command}\n" in render(one, "text")
    assert command.split()[1] in COMMANDS


def test_the_next_command_names_the_folder_when_it_is_another():
    assert "next: harness findings show 3c1f --repo '/srv/my shop'\n" in render(
        sample(), "text", elsewhere="/srv/my shop"
    )
    assert "next: harness explain\n" in render(report(), "text", elsewhere="/srv/shop")


def test_the_evidence_shown_is_what_decided_and_not_the_test_that_came_with_it():
    one = finding()
    test = one.evidence[-1].model_copy(update={"kind": "regression-test", "summary": "a test for the project"})
    text = render(report(one.model_copy(update={"evidence": (*one.evidence, test)})), "text")
    assert "evidence  reproducer exited with marker 7f3a" in text


def test_many_findings_stay_readable():
    many = [limit(id=f"{n:04x}", fingerprint=f"{n:032x}", line=n, end_line=n) for n in range(1, 60)]
    questions = [uncertain(id=f"f{n:03x}", fingerprint=f"f{n:031x}", line=n, end_line=n) for n in range(1, 60)]
    text = render(report(*many, *questions), "text")
    assert text.count("  fix  ") == 20
    assert text.count("MEDIUM llm/anthropic.py") == 39 + 5
    assert "54 more: harness findings list --open" in text


def test_severity_comes_first():
    low = finding(id="1000", severity=Severity.LOW)
    text = render(report(low, limit(), finding()), "text")
    assert text.index("3c1f") < text.index("9b20") < text.index("1000")


def test_headline_can_be_left_to_the_progress():
    assert render(sample(), "text", headline=False).startswith("HIGH")


@pytest.mark.parametrize("name", ["text", "concise"])
@given(text=texts)
def test_nothing_of_a_finding_steers_the_terminal(name, text):
    shown = render(hostile(text), name, show=EVERYTHING, rules=RULES)
    bad = {c for c in shown if unicodedata.category(c) in {"Cc", "Cs", "Co", "Zl", "Zp"} and c != "\n"}
    assert not bad
    assert not {
        c for c in shown if c in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200b\u200e\u200f\ufeff"
    }
    assert not any(0xE0000 <= ord(c) <= 0xE007F for c in shown)


@pytest.mark.parametrize("text", HOSTILE)
def test_colour_comes_from_us_only(text):
    painted = render(hostile(text), "text", color=True, show=EVERYTHING)
    assert "\x1b" not in re.sub(r"\x1b\[(?:0|1|2|31|32|1;31|1;33|1;36)m", "", painted)


def test_concise_is_one_line_a_finding():
    lines = render(sample(), "concise").splitlines()
    assert lines[0] == (
        "shop/export.py:88:12: high command-injection: GET /export?name=... reaches `os.popen` unquoted: "
        "`name=a;id` ran `id`. [CONFIRMED E4 3c1f]"
    )
    assert len(lines) == 2
    assert len(render(hostile("a\nb"), "concise", show=EVERYTHING).splitlines()) == 6
    assert render(report(), "concise") == ""


def test_wide_characters_take_two_columns():
    assert columns("報告") == 4
    assert columns(Paint(True)("bold", "ab")) == 2
    assert all(columns(line) <= 22 for line in wrap("報告書 の 誤り が あります " * 5, 22, "  "))
