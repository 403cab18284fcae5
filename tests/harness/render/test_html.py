import json
import re
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings

from harness.render import html
from harness.render.formats import render
from harness.schema.frame import Frame
from harness.schema.run import Counts, Coverage
from tests.support.browser import Browser, chromium
from tests.support.reports import HOSTILE, RULES, finding, hostile, incomplete, limit, report, sample, texts

VOID = {"meta", "link", "input", "rect"}


class Page(HTMLParser):
    """Checks the nesting of a page and collects what could act."""

    def __init__(self, text):
        super().__init__()
        self.open, self.seen, self.attributes, self.text = [], set(), [], ""
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.seen.add(tag)
        self.attributes += [(tag, *a) for a in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data):
        if not self.open or self.open[-1] not in ("script", "style"):
            self.text += data


def assert_inert(text):
    page = Page(text)
    assert not page.seen & {"img", "iframe", "object", "embed", "base", "textarea"}
    assert text.count("<script") == text.count("</script") == text.count("<style") == text.count("</style") == 1
    for tag, name, value in page.attributes:
        assert not name.startswith("on"), (tag, name)
        assert name not in ("src", "style", "srcset", "action", "formaction", "xlink:href"), (tag, name)
        if name == "href":
            assert value.startswith("#") or value == "data:,", value
    assert not [c for c in page.text if not c.isprintable() and c not in "\n" and not c.isspace() and ord(c) < 0xA0]
    assert not set(page.text) & set("\u202a\u202b\u202d\u202e\u2066\u2067\u2068\u2069\u200b\ufeff")


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_inert(text):
    assert_inert(render(hostile(text), "html", rules=RULES))


@settings(max_examples=25)
@given(text=texts)
def test_any_text_is_inert(text):
    assert_inert(render(hostile(text), "html", rules=RULES))


def test_everything_is_in_the_one_file():
    text = render(sample(), "html", rules=RULES)
    assert not re.search(r"https?://|url\(|@import", text)
    assert re.search(r"default-src &#39;none&#39;; style-src &#39;sha256-", text)


def test_says_what_a_reader_asks():
    text = Page(render(sample(), "html", rules=RULES, outcome="exit 1: stop")).text
    for said in ("Untrusted input reaches a shell", "shop/export.py:88", "E4 reproduced", "reproducer exited with marker 7f3a",
                 "line 33 aborts before line 41", "Waived (defer) by Ada on 2026-06-01", "inline: checked by hand", "exit 1: stop",
                 "not analysed, does not parse: line 3: bad: old.py", "the quote is nowhere", "nothing spent"):  # fmt: skip
        assert said in text


def test_code_in_a_sentence_is_code():
    text = render(report(finding(reason="`name` is checked")), "html")
    assert "Evidence: <span><code>name</code> is checked</span>" in text


def test_incomplete_and_empty_are_alarms():
    assert 'role="alert"' in render(incomplete(), "html")
    empty = render(report(coverage=Coverage()), "html")
    assert 'role="alert"' in empty
    assert "this is not a clean result" in empty
    assert 'role="alert"' not in render(sample(), "html")


def test_bars_add_up_to_the_whole():
    stats = sample().stats.model_copy(update={"by_dimension": {"a": Counts(confirmed=1, uncertain=1, dismissed=1)}})
    widths = re.findall(
        r'<rect class="is-\w+" x="([\d.]+)" y="0" width="([\d.]+)"', render(report(stats=stats), "html")
    )
    ends = [float(x) + float(w) for x, w in widths[:3]]
    assert ends == pytest.approx([33.333, 66.666, 100], abs=0.01)


def test_what_does_not_fit_is_counted(monkeypatch):
    monkeypatch.setattr(html, "CARDS", 3)
    many = [limit(id=f"{n:04x}", fingerprint=f"{n:032x}", line=n, end_line=n) for n in range(1, 8)]
    text = render(report(*many), "html")
    assert text.count("<article") == 3
    assert "4 more findings are in the JSON report only" in text


@pytest.fixture(scope="module")
def browser():
    program = chromium()
    if program is None:
        pytest.skip("no Chromium on this machine; CI installs one")
    with Browser(program) as found:
        yield found


@pytest.fixture
def opened(browser, tmp_path):
    """Opens a report in the browser; afterwards nothing may have been requested, violated or thrown."""

    def show(one, **choices):
        path = tmp_path / "report.html"
        path.write_text(render(one, "html", rules=RULES), "utf-8")
        browser.open(path, **choices)
        return browser

    yield show
    assert browser.messages() == []
    assert len(browser.requests()) == 1


def shown(browser):
    """Ids of the cards in sight."""
    script = "[...document.querySelectorAll('article')].filter(a => a.checkVisibility()).map(a => a.id.slice(2))"
    return browser.run(script)


def click(browser, selector):
    browser.run(f"document.querySelector({json.dumps(selector)}).click()")


def choose(browser, name, value):
    browser.run(
        f"(e => {{ e.value = {json.dumps(value)}; e.dispatchEvent(new Event('input', {{bubbles: true}})) }})"
        f"(document.querySelector('[name={name}]'))"
    )


def test_filters_choose_what_is_shown(opened):
    page = opened(sample())
    assert shown(page) == ["3c1f", "9b20", "77aa"]
    click(page, "input[value=high]")
    assert shown(page) == ["9b20", "77aa"]
    click(page, "input[value=high]")
    click(page, "input[value=dismissed]")
    click(page, "input[value=settled]")
    assert shown(page) == ["3c1f", "9b20", "77aa", "aced", "5eed", "d15c"]
    assert page.run("document.getElementById('shown').textContent") == "6 of 6 findings"
    choose(page, "dimension", "consistency")
    assert shown(page) == ["9b20", "77aa", "5eed"]
    choose(page, "tier", "E1")
    assert shown(page) == ["77aa"]
    page.run("document.querySelector('button[type=reset]').click()")
    page.run("new Promise(done => setTimeout(done, 30))")
    assert shown(page) == ["3c1f", "9b20", "77aa"]
    choose(page, "q", "SHOP/ popen")
    assert shown(page) == ["3c1f"]
    choose(page, "q", "nowhere")
    assert shown(page) == []
    assert page.run("document.getElementById('nothing').checkVisibility()")


def test_a_link_shows_its_finding_whatever_the_filters(opened):
    page = opened(sample())
    page.run("location.hash = '#f-d15c'; new Promise(done => setTimeout(done, 50))")
    assert "d15c" in shown(page)


def test_keys_walk_through_the_findings(opened):
    page = opened(sample())
    for key, focused in (("j", "f-3c1f"), ("j", "f-9b20"), ("k", "f-3c1f")):
        page.press(key)
        assert page.run("document.activeElement.id") == focused
    assert not page.run("document.querySelector('#f-3c1f .proof').open")
    page.press("o")
    assert page.run("document.querySelector('#f-3c1f .proof').open")
    page.press("/")
    assert page.run("document.activeElement.name") == "q"


def test_paper_is_white_and_folds_nothing(opened):
    page = opened(sample(), scheme="dark")
    click(page, "#theme")
    click(page, "#theme")
    assert page.run("document.documentElement.dataset.theme") == "dark"
    page.send("Emulation.setEmulatedMedia", media="print", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    page.run("dispatchEvent(new Event('beforeprint'))")
    assert page.run("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.run("getComputedStyle(document.querySelector('article')).backgroundColor") == "rgb(255, 255, 255)"
    assert page.run("document.querySelectorAll('details:not([open])').length") == 0
    assert not page.run("document.getElementById('filters').checkVisibility()")


@pytest.mark.parametrize("width", [360, 390, 768, 1280])
def test_nothing_is_wider_than_the_screen(opened, width):
    page = opened(sample(), width=width, phone=width < 700)
    assert page.run("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("width", [390, 1280])
def test_line_numbers_stay_on_their_line(opened, width):
    frame = Frame(path="a.py", line=12344, lines=("def f():", "    return 1", ""))
    page = opened(report(finding(path="a.py", line=12345, end_line=12345, column=1, frames=(frame,))), width=width)
    heights = page.run("[...document.querySelectorAll('.code tr')].map(row => row.getBoundingClientRect().height)")
    assert len(heights) == 2
    assert max(heights) < 32
    assert page.run("document.querySelector('.code mark').textContent") == "return 1"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read_on_its_ground(opened, scheme):
    page = opened(sample(), scheme=scheme)
    page.run("document.querySelectorAll('details').forEach(d => d.open = true)")
    click(page, "input[value=dismissed]")
    assert page.run(CONTRAST) == []


CONTRAST = """
(() => {
  const parse = (c) => c.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255)
    .map((v) => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
  const ground = (e) => {
    for (; e; e = e.parentElement) {
      const c = parse(getComputedStyle(e).backgroundColor);
      if (c.length === 3 || c[3] > .9) return c;
    }
    return [255, 255, 255];
  };
  const bad = [];
  for (const e of document.querySelectorAll("body *")) {
    const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    if (!own || !e.checkVisibility() || e.closest("script, style, option, .mark, .chip")) continue;
    const [a, b] = [light(parse(getComputedStyle(e).color)), light(ground(e))].sort((x, y) => y - x);
    const ratio = (a + .05) / (b + .05);
    if (ratio < 4.5) bad.push([e.tagName, e.className, ratio.toFixed(2), e.textContent.slice(0, 20)].join(" "));
  }
  return bad;
})()
"""
"""Visible texts whose contrast with what is behind them is below 4.5 to 1."""


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_does_nothing_in_a_browser(opened, text):
    page = opened(hostile(text))
    assert page.run("document.querySelectorAll('script, style').length") == 2
    assert page.run("document.querySelectorAll('article').length") == 6
