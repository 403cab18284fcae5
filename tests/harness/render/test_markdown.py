import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from markdown_it import MarkdownIt

from harness.render import inert
from harness.render.formats import render
from harness.render.markdown import LARGEST
from tests.support.reports import (
    EVERYTHING,
    HOSTILE,
    finding,
    hostile,
    incomplete,
    limit,
    report,
    sample,
    texts,
    waiver,
)

MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
ACTIVE = {"link_open", "image", "html_inline", "s_open", "em_open"}
OURS = {"details", "summary", "code"}


class Page(HTMLParser):
    """Collects tags, and the text that stands outside code."""

    def __init__(self):
        super().__init__()
        self.tags, self.loose, self._code = set(), "", 0

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        assert not [a for a in attrs if a[0] != "style"], "no attribute may come from a finding"
        self._code += tag in ("code", "pre")

    def handle_endtag(self, tag):
        self._code -= tag in ("code", "pre")

    def handle_data(self, data):
        self.loose += "" if self._code else data


def inspect(text):
    tokens = MARKDOWN.parse(text)
    for token in [*tokens, *(child for t in tokens for child in t.children or ())]:
        assert token.type not in ACTIVE, token
        assert token.type != "heading_open" or token.tag == "h2"
        if token.type == "html_block":
            tags = set(re.findall(r"</?([a-zA-Z][\w-]*)", token.content))
            assert tags <= OURS, token.content
    page = Page()
    page.feed(MARKDOWN.render(text))
    return page


def assert_inert(text):
    page = inspect(text)
    allowed = {"h2", "p", "strong", "blockquote", "table", "thead", "tbody", "tr", "th", "td", "code", "pre", "ul", "li",
               "details", "summary"}  # fmt: skip
    assert page.tags <= allowed
    assert not re.search(r"@\w|://|www\.", page.loose)


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_inert(text):
    assert_inert(render(hostile(text), "markdown", show=EVERYTHING))


@given(text=texts)
def test_any_text_is_inert(text):
    assert_inert(render(hostile(text), "markdown", show=EVERYTHING))


def test_says_what_matters_first():
    text = render(sample(), "markdown", outcome="exit 1: CONFIRMED findings at or above high")
    lines = text.splitlines()
    assert lines[0] == "## harness: 2 confirmed (1 high, 1 medium)"
    assert "| high | `command-injection` GET /export?name=..." in text
    assert "`shop/export.py:88`" in text
    assert '>    88      return os.popen(f"tar c {name}").read()' in text
    assert "Open questions (1)" in text
    assert "**Fix** Import the one constant." in text
    assert '**Fix**\n\n```\nsubprocess.run(["tar"' in text
    assert lines[-1] == "exit 1: CONFIRMED findings at or above high"


def test_clean_and_incomplete_are_told_apart():
    assert render(report(), "markdown").startswith("## harness: no confirmed finding\n")
    broken = render(incomplete(), "markdown")
    assert broken.startswith("## harness: 1 confirmed")
    assert "> **INCOMPLETE" in broken
    assert "1 without a verdict" in broken


def test_fits_a_comment_and_counts_what_it_left_out():
    many = [
        limit(id=f"{n:04x}", fingerprint=f"{n:032x}", line=n, end_line=n, scenario="word " * 500) for n in range(1, 99)
    ]
    text = render(report(*many), "markdown")
    assert len(text) <= LARGEST
    left = re.search(r"^(\d+) findings more in the full report", text, re.MULTILINE)
    assert int(left[1]) + text.count("<details>") == 98


def test_a_fence_cannot_be_closed_from_inside():
    text = render(report(finding(fix="```\n# not a heading\n````")), "markdown")
    assert "\n`````\n```\n# not a heading\n````\n`````\n" in text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain words, and more.", "plain words, and more."),
        ("calls `os.system(x)` here", "calls `os.system(x)` here"),
        ("a_b *c* <d>", "a\\_b \\*c\\* \\<d\\>"),
        ("see http://x/ now", "see `http://x/` now"),
        ("cc @org/team", "cc `@org/team`"),
        ("`unclosed", "\\`unclosed"),
        ("`` a`b ``", "``a`b``"),
        ("`a`@b", "`a` `@b`"),
        ("x @``0` (@``0`", "x `@` ``0` (@``0\\`"),
        ("```x``", "\\`\\`\\`x\\`\\`"),
    ],
)
def test_prose(text, expected):
    assert inert.prose(text) == expected


def test_cells_keep_their_columns():
    assert inert.cell(inert.prose("a|b `c|d`")) == "a\\|b `c\\|d`"


def test_a_waived_finding_is_listed_with_who_and_why_and_never_looks_active():
    one = report(finding(waiver=waiver()))
    said = inert.prose("waived (defer) by Ada on 2026-06-01, until 2026-09-01: after the release")
    short, long = render(one, "markdown"), render(one, "markdown", show=["settled"])
    assert "**Waived (1)**" in short
    assert said in short
    assert "CONFIRMED E4, waived" in long
    assert said in long
    assert short.count(said) == long.count(said) == 1
